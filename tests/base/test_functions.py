"""Functions: a copy that comes from another process merges, a function that differs does not."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from functools import partial

import cloudpickle
import joblib
import numpy as np
import pytest
from stream_workers import shallow, steep, updated

from ranking_scores import StreamingScore, ndcg_score

TABLE = np.array([0.0, 1, 3, 7])


def copied(value):
    """Return a value as it comes back from another process."""
    return cloudpickle.loads(cloudpickle.dumps(value))


def power_of(power):
    """Return a function that uses a variable of this one."""
    return lambda label: label**power


def factorial_of_labels():
    """Return a function that calls itself by a variable of this one."""

    def factorial(label):
        return 1.0 if label < 1 else label * factorial(label - 1)

    return np.vectorize(factorial, otypes=[float])


def with_default(table, scale=2):
    """Return a function with a default, and one that is given by name only."""
    return lambda label, table=table, *, scale=scale: table[label.astype(int)] * scale


def with_nothing(label):
    """Return a function that uses a variable that has no value."""

    def gain(values):
        return values if label else later

    if label < 0:
        later = 1
    return gain


@dataclass
class Gain:
    """A function with a state."""

    table: np.ndarray

    def __call__(self, label):
        return self.table[label.astype(int)]

    def method(self, label):
        return self(label)


@dataclass
class Scale:
    """A function that is compared by its values."""

    factor: int

    def __call__(self, label):
        return label * self.factor


class Odd:
    """A function that does not let itself be compared."""

    def __init__(self, power):
        self.power = power

    def __eq__(self, other):
        raise RuntimeError("no")

    __hash__ = None

    def __call__(self, label):
        return label


class Stream:
    """A function whose state has no value, as that of a connection."""

    def __reduce__(self):
        raise TypeError("cannot pickle")

    def __call__(self, label):
        return label


FUNCTIONS = {
    "lambda": lambda label: label,
    "global": lambda label: TABLE[label.astype(int)],
    "closure": power_of(2),
    "array in a closure": power_of(TABLE),
    "function in a closure": power_of(power_of(2)),
    "calls itself": factorial_of_labels(),
    "defaults": with_default(TABLE),
    "nothing": with_nothing(1),
    "partial": partial(partial(lambda label, power: label**power, power=2)),
    "state": Gain(TABLE),
    "method": Gain(TABLE).method,
    "of operator": operator.itemgetter(2, 3),
    "odd": Odd(1),
    "dataclass": Scale(2),
    "of a module": steep,
}


def merged(gain, other):
    """Return whether two streams with these gains can be merged."""
    streams = [StreamingScore(partial(ndcg_score, gain="linear")) for _ in range(2)]
    for stream, each in zip(streams, (gain, other), strict=True):
        stream._scores.scores[0].options["gain"] = each  # whatever it does to labels
    try:
        streams[0].merge(streams[1])
    except ValueError as error:
        return "must be a stream of the same score and parameters. Got gain=" not in str(error)
    return True


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_a_copy_is_the_same(function):
    assert merged(function, copied(function))
    assert merged(copied(function), copied(function))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (power_of(2), power_of(3)),
        (power_of([1, [2]]), power_of([1, [2], 3])),
        (power_of(TABLE), power_of(TABLE + 1)),
        (power_of(steep), power_of(shallow)),
        (power_of(power_of(2)), power_of(power_of(3))),
        (lambda label: label + 1, lambda label: label + 2),
        (lambda label: label.sum(), lambda label: label.max()),
        (lambda label: lambda: label + 1, lambda label: lambda: label + 2),
        (Gain(TABLE), Gain(TABLE + 1)),
        (Gain(TABLE).method, Gain(TABLE + 1).method),
        (Odd(1), Odd(2)),
        (Scale(1), Scale(2)),
        (operator.itemgetter(1), operator.itemgetter(2)),
        (Stream(), Stream()),
        (type("Gain", (), {}), type("Gain", (), {})),
        (power_of(2), with_default(2)),
        (with_default(TABLE), with_default(TABLE + 1)),
        (with_default(TABLE), with_default(TABLE, scale=3)),
        (with_default(TABLE), with_default([TABLE, [1]])),
        (with_nothing(1), with_nothing(-1)),
        (partial(power_of(2)), partial(power_of(3))),
        (partial(steep, power=1), partial(shallow, power=1)),
        (partial(shallow, power=1), partial(shallow, power=2)),
        (partial(shallow, power=1), partial(shallow, base=1)),
        (partial(shallow, 1), partial(shallow)),
        (partial(shallow, 1), shallow),
        (Gain(2), Gain(3)),
        (Gain(TABLE), Odd(1)),
        (np.log2, np.log1p),
        (steep, shallow),
        (steep, TABLE),
        (TABLE, TABLE + 1),
        (steep, "exponential"),
    ],
)
def test_functions_that_differ(left, right):
    assert not merged(left, right)
    assert not merged(right, left)
    assert merged(left, left)


def test_where_a_lambda_stands_does_not_matter():
    first = [lambda label: label * 2, lambda label: (lambda: label * 2)()]
    second = [lambda value: value * 2, lambda value: (lambda: value * 2)()]
    assert all(map(merged, first, second))


def test_named_functions_are_told_by_their_names():
    namespace = {"__name__": "of_a_notebook"}
    functions = [
        eval(compile(f"def gain(label): return label * {scale}", "", "exec"), namespace)
        or namespace["gain"]
        for scale in (2, 3)
    ]
    assert merged(*functions)


def test_streams_with_functions_of_one_name():
    stream, other = (StreamingScore(ndcg_score, gain=power_of(power)) for power in (1, 2))
    with pytest.raises(ValueError, match="other") as caught:
        stream + other
    assert str(caught.value) == (
        "The 'other' parameter of StreamingScore.__add__ must be a stream of the same score and "
        "parameters. Got gain=power_of.<locals>.<lambda> where this stream has "
        "gain=power_of.<locals>.<lambda> instead. The functions have one name, but differ in "
        "their code, in defaults, in variables of outer functions or in the state of an object. "
        "Use a function of a module."
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
    assert parts[0]._scores.scores[0].options["gain"] is not params["gain"]
    expected = ndcg_score(y_true, y_score, **params)
    assert sum(parts).compute().tolist() == expected.tolist()
    total = template
    for part in parts:
        total = total + part
    assert total.compute().tolist() == expected.tolist()
