"""Functions: a copy that comes from another process does the same, another function does not."""

from __future__ import annotations

import datetime
import decimal
import functools
import operator
import re
import threading
from dataclasses import dataclass

import cloudpickle
import joblib
import numpy as np
import pytest
from stream_workers import steep, updated

from ranking_scores import StreamingScore, ndcg_score
from ranking_scores._base._functions import UndecidedError, are_same
from ranking_scores.streaming import _is_same

TABLE = np.array([0.0, 1, 3, 7])
SCALE = 2


def copied(value):
    """Return a value as it comes back from another process."""
    return cloudpickle.loads(cloudpickle.dumps(value))


def power_of(power):
    """Return a function that uses a variable of this one."""
    return lambda label: label**power


def faculty_of_labels():
    """Return a function that calls itself by a variable of this one, which is a circle."""

    def faculty(label):
        return 1.0 if label < 1 else label * faculty(label - 1)

    return np.vectorize(faculty)


def with_default(table):
    """Return a function with a default, and one that is given by name only."""
    return lambda label, table=table, *, scale=table: table[label.astype(int)] * scale


def with_class():
    """Return a function that makes a class, whose body reads the name of the module."""

    def gain(label):
        class Scaled:
            def method(self):
                return label * SCALE

        return Scaled().method()

    return gain


def with_nothing():
    """Return a function that uses a variable that has no value."""

    def gain(label):
        return label * later

    if SCALE == 0:
        later = 1
    return gain


def with_attribute(value):
    """Return a function that has an attribute."""

    def gain(label):
        return label

    gain.value = value
    return gain


@dataclass
class Gain:
    """A function with a state."""

    table: np.ndarray

    def __call__(self, label):
        return self.table[label.astype(int)]

    def method(self, label):
        return self(label)


FUNCTIONS = {
    "lambda": lambda label: label,
    "global": lambda label: TABLE[label.astype(int)],
    "global of inner": lambda label: sum(TABLE[int(each)] * SCALE for each in label),
    "undefined": lambda label: label * not_there,  # noqa: F821
    "constants": lambda label: label * (1.5 if label[0] in {1, 2, "a"} else -0.0),
    "closure": power_of(2),
    "array in a closure": power_of(TABLE),
    "objects in a closure": power_of(np.array([TABLE, None, {"a": [1, {2}]}], dtype=object)),
    "records in a closure": power_of(np.array([(1, "a")], dtype=[("n", "i4"), ("o", object)])),
    "many kinds": power_of(
        [
            (1, b"a", None, True, ..., 1j, np.nan),
            {"a": {1: [2]}, "b": frozenset({3})},
            [datetime.date(2020, 1, 1), decimal.Decimal("0.1"), re.compile("a+"), range(3)],
            [np.float32(0.1), np.dtype("f4"), np.datetime64("2020"), slice(1, 2)],
            [np.random.default_rng(0)],
        ]
    ),
    "cycle": faculty_of_labels(),
    "defaults": with_default(TABLE),
    "class": with_class(),
    "nothing": with_nothing(),
    "attribute": with_attribute(1),
    "nested": functools.partial(functools.partial(lambda label, power: label**power, power=2)),
    "state": Gain(TABLE),
    "method": Gain(TABLE).method,
    "method in a closure": power_of(Gain(TABLE).method),
    "of operator": operator.itemgetter(2, 3),
}


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_a_copy_is_the_same_and_no_other_function_is(function):
    assert _is_same(function, copied(function))
    assert _is_same(copied(function), copied(function))
    assert sum(_is_same(copied(function), other) for other in FUNCTIONS.values()) == 1


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (lambda label: label + 1, lambda label: label + 2),
        (lambda label: label + 1, lambda label: label - 1),
        (lambda label: label + 1, lambda label: label + 1.0),
        (lambda label: label * 0.0, lambda label: label * -0.0),
        (lambda label: np.log2(label), lambda label: np.log1p(label)),
        (lambda label: np.sum([each + 1 for each in label]), lambda label: np.sum(label)),
        (lambda label: (lambda: label + 1)(), lambda label: (lambda: label + 2)()),
        (power_of(2), power_of(3)),
        (power_of(2), power_of(2.0)),
        (power_of(1), power_of(True)),
        (power_of([1, [2]]), power_of([1, (2,)])),
        (power_of([1, [2]]), power_of([1, [2], 3])),
        (power_of({1: 2}), power_of({1: 3})),
        (power_of({1: 2}), power_of({2: 2})),
        (power_of({1: TABLE}), power_of({1: TABLE + 1})),
        (power_of({1, 2}), power_of({1, 3})),
        (power_of(TABLE), power_of(TABLE + 1)),
        (power_of(TABLE), power_of(TABLE[:, None])),
        (power_of(TABLE), power_of(TABLE.astype("f4"))),
        (power_of(np.array(["a"], object)), power_of(np.array(["b"], object))),
        (power_of(np.dtype("i4")), power_of(np.dtype("i8"))),
        (power_of(decimal.Decimal(1)), power_of(decimal.Decimal(2))),
        (power_of(power_of(1)), power_of(power_of(2))),
        (power_of(steep), power_of(power_of)),
        (with_default(TABLE), with_default(TABLE + 1)),
        (with_attribute(1), with_attribute(2)),
        (functools.partial(power_of(2)), functools.partial(power_of(3))),
        (Gain(TABLE), Gain(TABLE + 1)),
        (Gain(TABLE).method, Gain(TABLE + 1).method),
        (steep, TABLE),
        (TABLE, steep),
        (steep, "exponential"),
        (operator.itemgetter(1), operator.itemgetter(2)),
    ],
)
def test_functions_that_differ(left, right):
    assert not _is_same(left, right)
    assert _is_same(left, left)


def test_globals_are_compared_by_value(monkeypatch):
    function = FUNCTIONS["global"]
    before = copied(function)
    monkeypatch.setitem(globals(), "TABLE", TABLE.copy())
    assert are_same(function, before)
    monkeypatch.setitem(globals(), "TABLE", TABLE + 1)
    assert not are_same(function, before)
    monkeypatch.delitem(globals(), "TABLE")
    assert not are_same(function, before)
    assert are_same(function, function)


def test_code_is_the_same_wherever_it_is_written():
    one = {}
    exec("def first(label):\n    return [each + 1 for each in label]", one)
    exec("\n\n\ndef second(label):\n    return [each + 1 for each in label]", one)
    assert are_same(one["first"], one["second"])


def test_long_chains_and_large_tables_are_compared():
    chain, table = None, dict.fromkeys(range(10**5), 1.5)
    for _ in range(10**4):
        chain = [chain, table]
    assert are_same(power_of(chain), power_of(chain.copy()))
    changed = table | {99_999: 1.25}
    assert not are_same(power_of([changed, 1]), power_of([table, 1]))


class Odd:
    """A value that does not let itself be compared."""

    def __eq__(self, other):
        raise RuntimeError("no")

    __hash__ = None

    def __reduce_ex__(self, protocol):
        raise RuntimeError("no")

    def __call__(self, label):
        return label

    def __repr__(self):
        return "Odd()"


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (threading.Lock, "lock: cannot pickle '_thread.lock' object"),
        (Odd, "Odd: no"),
        (lambda: functools.cache(power_of(2)), "_lru_cache_wrapper: another power_of.<locals>.<l"),
        (lambda: {(1, (2, (3,)))}, "set: its order changes from process to process"),
        (lambda: 10**5000, "int: Exceeds the limit"),
    ],
    ids=["lock", "odd", "cache", "set", "int"],
)
def test_what_cannot_be_told_is_an_error(make, reason):
    with pytest.raises(UndecidedError) as caught:
        are_same(power_of(make()), power_of(make()))
    assert str(caught.value).startswith(reason)
    assert not are_same(power_of([make(), [1]]), power_of([make(), [2]]))  # they differ anyway


def test_streams_with_functions_of_which_nobody_can_tell():
    stream, other = (StreamingScore(ndcg_score, gain=Odd()) for _ in range(2))
    with pytest.raises(ValueError, match="other") as caught:
        stream.merge(other)
    assert str(caught.value) == (
        "The 'other' parameter of StreamingScore.merge must be a stream of the same score and "
        "parameters. Got gain=Odd() where this stream has gain=Odd() instead. It is not known "
        "whether the two functions are the same (Odd: no). Use a function of a module, which is "
        "identified by its name."
    )
    assert stream.merge(StreamingScore(ndcg_score, gain=stream._params["gain"])) is stream


def test_streams_with_functions_of_one_name():
    stream, other = (StreamingScore(ndcg_score, gain=power_of(power)) for power in (1, 2))
    with pytest.raises(ValueError, match="other") as caught:
        stream + other
    assert str(caught.value) == (
        "The 'other' parameter of StreamingScore.__add__ must be a stream of the same score and "
        "parameters. Got gain=power_of.<locals>.<lambda> where this stream has "
        "gain=power_of.<locals>.<lambda> instead. The two functions differ in their code or in a "
        "value that it uses."
    )


def test_streams_with_functions_come_back_from_another_process():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 4, (40, 8)), rng.integers(0, 5, (40, 8))
    batches = [
        {"y_true": y_true[at : at + 10], "y_score": y_score[at : at + 10]}
        for at in range(0, 40, 10)
    ]
    params = {"k": [1, 5], "gain": FUNCTIONS["global"], "discount": lambda rank: rank**-0.5}
    template = StreamingScore(ndcg_score, **params)
    with joblib.parallel_config("loky", n_jobs=2):
        parts = joblib.Parallel()(joblib.delayed(updated)(template, [batch]) for batch in batches)
    assert parts[0]._params["gain"] is not params["gain"]
    expected = ndcg_score(y_true, y_score, **params)
    assert sum(parts).compute().tolist() == expected.tolist()
    merged = template
    for part in parts:
        merged = merged + part
    assert merged.compute().tolist() == expected.tolist()
