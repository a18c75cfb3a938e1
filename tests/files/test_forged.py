"""Files of reports and streams that somebody else made, with a digest that fits.

Each value in a saved file is changed, one at a time, and the digest is computed again. Either the
reader refuses the file, or all that can be done with a report or a stream works, or is refused by
an error of the package.
"""

from __future__ import annotations

import contextlib
import copy
import itertools
import json
import random
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from ranking_scores import StreamingScore, from_lists, ranking_report
from ranking_scores._base._query_values import are_same_texts
from ranking_scores._files._json_values import (
    NotSavableError,
    column_from_json,
    from_json,
    to_json,
)
from ranking_scores._files._saved_files import _digest
from ranking_scores._metrics._sums_of_scores import ResultFacts, score_of
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.gates import check
from ranking_scores.report import read_report
from ranking_scores.significance import changes, compare_all
from ranking_scores.streaming import read_stream

Y_TRUE = [[0, 2, 1, 0], [1, 0, 0, 0], [0, 0, 3, 1], [0, 0, 0, 0], [1, 1, 0, 2], [0, 1, 0, 0]]
Y_SCORE = [[1, 2, 2, 0], [3, 3, 1, 1], [0, 1, 2, 3], [1, 1, 1, 1], [4, 3, 2, 1], [0, 0, 0, 1]]
SCORES = {"scores": ["ndcg", "arp"], "k": [2]}
IDS = [Decimal(1), Fraction(1, 3), 2, True + 2, 0.5, np.float32(0.25)]
DATES = np.arange(2).astype("datetime64[D]")


def as_objects(values):
    objects = np.empty(len(values), object)
    objects[:] = values
    return objects


def stream_of(rows=slice(0, 3), clusters=None, item_weight=None, **params):
    stream = StreamingScore(**params)
    arrays = {"qid": np.repeat(np.arange(6)[rows], 4), "clusters": clusters}
    if item_weight is not None:
        arrays["item_weight"] = np.ravel(item_weight[rows])
    stream.update(np.ravel(Y_TRUE[rows]), np.ravel(Y_SCORE[rows]), **arrays)
    return stream


UNKNOWN = np.where(np.array(Y_TRUE) == 0, np.nan, Y_TRUE)
ITEM_WEIGHT = np.linspace(1, 2, 24).reshape(6, 4)
REPORTS = {
    "plain": {"query_ids": [*"abcdef"]},
    "groups": {
        "by": {"day": DATES[[1, 0, 0, 1, 1, 0]], "kind": ["x", "x", "y", "y", "y", "x"]},
        "sample_weight": [1, 2, 0, 1, 0.5, 1],
        "clusters": [b"a", b"a", b"b", b"b", b"c", b"c"],
        "query_ids": as_objects(IDS),
        "ties": True,
    },
    "baseline": {},
}
STREAMS = {
    "one score": {"scores": "ndcg@2", "gain": [0, 1, 3, 7]},
    "a function": {"scores": "ndcg@2", "gain": np.square},
    "several": {"scores": ["ndcg", "judged"], "k": [1, 2], "unjudged": True, "max_grade": 3},
    "clusters": {"scores": "map", "clusters": np.repeat([0, 1, 1], 4)},
    "item weights": {"scores": "ndcg", "item_weight": ITEM_WEIGHT},
}


def content_of(kind):
    """Return the content of a file without its digest."""
    if kind in REPORTS:
        data = Y_TRUE, Y_SCORE
        if kind == "baseline":  # which knows the judgments of each query, and its past means
            rows = ({q: dict(enumerate(row)) for q, row in enumerate(each)} for each in data)
            data = [from_lists(*rows)]
        report = ranking_report(*data, **SCORES, **REPORTS[kind])
        if kind == "baseline":
            report = report._with_history(report)
        content = json.loads(report.to_json())
    else:
        content = json.loads(stream_of(**STREAMS[kind]).to_json(name="monday"))
    del content["sha256"]
    return content


def deep(n_tuples):
    value = 1
    for _ in range(n_tuples):
        value = {"tuple": [value]}
    return value


OTHERS = [
    *(None, True, 0, 1, -1, 1.5, 1e308, 2**62, 2**63, 10**400, float("nan"), float("inf")),
    *("", "x", "nan", "inf", "ndcg", "0x0", "-0x1", "0x1", "0x" + "f" * 2000, "0x" + "f" * 9999),
    *([], [[]], [1], ["x"], {}, {"x": 1}, {"float": "nan"}, {"float": "1"}, {"fraction": "1/0"}),
    *({"fraction": "1e1000000000"}, {"fraction": "1/" + "3" * 5000}, {"decimal": "x"}),
    *({"decimal": "1E999999999"}, {"decimal": "sNaN"}, {"decimal": "9" * 5000}, {"uuid": 1}),
    *({"timedelta": [1e300, 0, 0]}, {"datetime": "x"}, {"time": "01:00+01:00"}, {"date": 1}),
    *({"bytes": "x"}, {"tuple": [[]]}, {"tuple": "x"}, deep(40), deep(400), {"list": [1]}),
    *({"dict": [1]}, {"dict": [{"tuple": [{"list": []}, 1]}]}, {"function": 1}, {"function": "f"}),
    {"array": "<U900000000", "shape": [1], "values": ["a"]},
    {"array": "<U9000000", "shape": [9], "values": ["a"] * 9},
    {"array": "|O", "shape": [10**9, 0], "values": []},
    {"array": "<f8", "shape": [2], "values": [1.0, None]},
    {"numpy": "<i8", "value": 10**30},
    {"numpy": "<f4", "value": 1e300},
    {"numpy": "<M8[s]", "value": "2026-01-01T00:00+01:00"},
    {"numpy": "<i4,<i4", "value": 1},
    *("<U1", "<U900000000", "<f4", "<i8", "|O", "|b1", "<M8[s]", "|V9", "a", "<f8, <f8"),
    *("/etc/passwd.csv", "../a.csv", "a\0.csv", "b.csv", "a/" * 9999, "(" * 999, "-" * 99_999),
]
"""What stands in place of a value. Some are of the right type for it."""


def places(content, place=()):
    """Yield the place of each value, but of no more than two of a list."""
    if place:
        yield place
    children = content.items() if isinstance(content, dict) else enumerate(content)
    last = len(content) - 1
    for key, value in children:
        if isinstance(content, dict) or key in (0, last):
            if isinstance(value, (dict, list)):
                yield from places(value, (*place, key))
            else:
                yield (*place, key)


def changed(content, place, change):
    """Return content with another value in a place."""
    content = copy.deepcopy(content)
    *outer, key = place
    around = content
    for each in outer:
        around = around[each]
    change(around, key)
    return content


def leave_out(around, key):
    del around[key]


def twice(around, key):
    if isinstance(around, list):
        around.append(around[key])
    else:
        around[f"{key} again"] = around[key]


def negate(around, key):
    value = around[key]
    if isinstance(value, str):
        around[key] = value[1:] if value.startswith("-") else f"-{value}"
    elif isinstance(value, (int, float)):
        around[key] = -value


def backwards(around, key):
    if isinstance(around[key], (str, list)):
        around[key] = around[key][::-1]


def put(other):
    def change(around, key):
        around[key] = other

    return change


CHANGES = [leave_out, twice, negate, backwards, *map(put, OTHERS)]


def forged(kind, n_times, pick):
    """Yield contents of a file with one other value each, as many as asked for."""
    content = content_of(kind)
    for each in pick.sample([*itertools.product(places(content), CHANGES)], n_times):
        yield changed(content, *each)


def swapped(kind, n_times, pick):
    """Yield contents in which two values have changed places."""
    content = content_of(kind)
    for _ in range(n_times):
        new = copy.deepcopy(content)
        values = []
        for place in pick.sample([*places(content)], 2):
            around = new
            for key in place[:-1]:
                around = around[key]
            values.append((around, place[-1], copy.deepcopy(around[place[-1]])))
        (one, of_one, value), (other, of_other, another) = values
        one[of_one], other[of_other] = another, value
        yield new


def sealed(content):
    body = json.dumps(content)[:-1].replace("{", "{\n", 1) + ","
    return f'{body}\n"sha256": "{_digest(body)}"\n}}\n'.encode()


BASELINE = ranking_report(Y_TRUE, Y_SCORE, **SCORES, query_ids=[*"abcdef"])


def use_report(report, path):
    """Do all that can be done with a report. Comparisons may refuse it."""
    assert repr(report)
    assert report._repr_html_()
    assert report.to_dict() == pytest.approx(dict(report), nan_ok=True)
    assert [*report.options] == [*report.metrics]
    assert isinstance(str(report.queries_seen), str)
    assert len(report.summary_frame()) >= len(report)
    assert not hasattr(report, "per_query") or len(report.to_frame()) == report.n_queries
    report.to_json(path)
    assert read_report(path) == report
    for use in (
        lambda: repr(compare_all({"old": report, "new": BASELINE}, correction=None)),
        lambda: repr(check(BASELINE, report, max_drop=0.1)),
        lambda: repr(changes(report, BASELINE)),
    ):
        with contextlib.suppress(InvalidParameterError):
            use()


def use_stream(stream, path):
    """Do all that can be done with a stream. It may refuse what does not fit to it."""
    use_numbers(stream)
    text = stream.to_json()
    path.write_text(text, encoding="utf-8")
    assert read_stream(path).to_json() == text
    of_one_query = [0, 1, 2], [2, 1, 1]
    others = copy.deepcopy(stream), StreamingScore("ndcg@2", gain=[0, 1, 3, 7])
    others[0].reset()
    for other, params in itertools.product(others, ({}, {"item_weight": [1, 2, 1]})):
        with contextlib.suppress(InvalidParameterError):
            other.update(*of_one_query, qid=["new"] * 3, **params)
        with contextlib.suppress(InvalidParameterError):
            use_numbers(stream + other)
    with contextlib.suppress(InvalidParameterError):
        stream.update(*of_one_query, qid=["z"] * 3, clusters=["c"] * 3)
    use_numbers(stream)


def use_numbers(stream):
    assert repr(stream)
    assert stream.n_undefined is not None
    assert stream.standard_error is not None
    assert isinstance(stream.unjudged, dict)
    with contextlib.suppress(InvalidParameterError, NotFittedError):
        stream.compute()


def is_taken(kind, content, tmp_path):
    """Return whether a reader takes a file. Raise unless it refuses the file or all works."""
    path = tmp_path / "forged.json"
    path.write_bytes(sealed(content))
    read, use = (read_report, use_report) if kind in REPORTS else (read_stream, use_stream)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        try:
            found = read(path)
        except InvalidParameterError as error:
            if error.parameter != "path":
                raise
            return False
        use(found, tmp_path / "again.json")
    return True


@pytest.mark.parametrize("kind", [*REPORTS, *STREAMS])
def test_a_file_with_one_other_value_is_refused_or_works(kind, tmp_path):
    pick = random.Random(kind)
    contents = [*forged(kind, 20, pick), *swapped(kind, 3, pick)]
    taken = [is_taken(kind, each, tmp_path) for each in contents]
    assert {True, False} == {*taken}


@pytest.mark.slow
@pytest.mark.parametrize("kind", [*REPORTS, *STREAMS])
def test_every_file_with_one_other_value_is_refused_or_works(kind, tmp_path):
    pick = random.Random(f"{kind}, longer")
    for content in itertools.chain(forged(kind, 400, pick), swapped(kind, 100, pick)):
        is_taken(kind, content, tmp_path)


@pytest.mark.parametrize(
    ("kind", "place", "other"),
    [
        ("groups", ("queries", 0, 0), {"fraction": "1e1000000000"}),
        ("groups", ("queries", 0, 0), {"fraction": "1/0"}),
        ("groups", ("queries", 0, 0), {"fraction": "1/" + "3" * 5000}),
        ("groups", ("queries", 0, 0), {"decimal": "1E999999999"}),
        ("groups", ("queries", 0, 0), {"decimal": "x"}),
        ("groups", ("queries", 0, 0), {"timedelta": [1e300, 0, 0]}),
        ("groups", ("queries", 0, 0), deep(60)),
        ("groups", ("queries", 0, 0), {"list": [1]}),
        ("groups", ("queries", 0, 0), [1]),
        ("groups", ("queries", 0, 0), {"decimal": "2"}),  # which is there twice then
        ("groups", ("queries", 0, 0), {"numpy": "<f4", "value": 1e300}),
        ("groups", ("queries", 0, 0), {"numpy": "<M8[s]", "value": "2026-01-01T00:00+01:00"}),
        ("groups", ("queries", 0, 1), -1.0),  # a weight
        ("groups", ("queries", 0, 1), 10**400),
        ("groups", ("columns", 0, "dtype"), "a"),
        ("groups", ("columns", 0, "of"), "mean"),
        ("groups", ("columns", 0), {}),
        ("groups", ("columns", 1, "dtype"), "<f4"),
        ("groups", ("columns", 4, "dtype"), "<U0"),  # too short
        ("groups", ("columns", 4, "dtype"), "<U20000000"),
        ("groups", ("queries", 0, 4), 1),  # a group of texts
        ("groups", ("columns", 5, "score"), "other"),
        ("groups", ("groups", 0, "group"), {"numpy": "<M8[D]", "value": "1999-01-01"}),
        ("groups", ("groups", 0, "grouping"), "other"),
        ("groups", ("groups", 0, "scores", 0, "name"), "other"),
        ("groups", ("n_queries",), 2**63),
        ("groups", ("n_queries",), True),
        ("groups", ("item_weights",), 1),
        ("groups", ("scores", 1, "name"), "ndcg@2"),
        ("groups", ("scores", 0, "mean"), True),
        ("groups", ("scores", 0, "mean"), float("nan")),
        ("groups", ("scores", 0, "n_undefined"), 7),
        ("groups", ("scores", 0, "functions"), ["other"]),
        ("plain", ("scores", 0, "mean"), leave_out),
        ("plain", ("values",), 1),
        ("plain", ("values",), "a\0.csv"),
        ("plain", ("values",), "a/" * 9999),
        ("one score", ("n_weighted",), 4),
        ("one score", ("n_weighed_by_items",), 1),
        ("one score", ("sums", 0, "known", 0), "0x" + "f" * 2000),
        ("one score", ("sums", 0, "known", 1), "-0x1"),
        ("one score", ("sums", 0, "known", 1), "0x" + "f" * 9999),
        ("one score", ("sums", 0, "known", 2), 1.5),
        ("one score", ("sums", 0, "moments", 0, 0), "0x0"),
        ("one score", ("sums", 0, "moments", 0, 2), "-0x1"),
        ("one score", ("sums",), []),
        ("one score", ("parts",), [1]),
        ("one score", ("parts",), "monday"),
        ("one score", ("ids",), "abc"),
        ("one score", ("scores", 0, "score"), "trec_eval:x"),
        ("one score", ("scores", 0, "options", "gain"), {"list": [-1]}),
        ("one score", ("scores", 0, "options", "qid"), {"list": [-1]}),
        ("several", ("are_several",), False),
        ("several", ("highest_grade",), 10**12),
        ("several", ("beside",), []),
        ("clusters", ("clusters", 0, 1), []),
        ("clusters", ("clusters", 0, 1, 0, 1), "-0x1"),
    ],
)
def test_what_no_saved_file_has_is_refused(kind, place, other, tmp_path):
    assert is_taken(kind, content_of(kind), tmp_path)
    change = other if callable(other) else put(other)
    assert not is_taken(kind, changed(content_of(kind), place, change), tmp_path)


def test_past_means_and_digests_of_queries_that_no_file_has_are_refused(tmp_path):
    assert is_taken("baseline", content_of("baseline"), tmp_path)
    for place, other in [
        (("history", 1, "date"), "2026-11-31"),
        (("history", 1, "date"), "20261101"),
        (("history", 0, "date"), 20261101),
        (("history", 0, "date"), leave_out),
        (("history", 0, "n_queries"), -1),
        (("history", 0, "mean"), [0.5]),
        (("history", 0, "mean", "ndcg@2"), "0.5"),
        (("history",), {}),
        (("history",), "2026-11-30"),
        (("history",), [{"date": None, "n_queries": 1, "mean": {}}] * 101),
        (("judgments", "by_query"), "0" * 95),
        (("judgments", "by_query"), "0" * 112),
        (("judgments", "by_query"), "0" * 94 + "  "),
        (("judgments", "by_query"), "x" * 96),
        (("judgments", "by_query"), ["0"] * 96),
    ]:
        change = other if callable(other) else put(other)
        forged_content = changed(content_of("baseline"), place, change)
        assert not is_taken("baseline", forged_content, tmp_path), (place, other)


@pytest.mark.parametrize(
    "options",
    [
        {"score": "none"},
        {"score": "ndcg_score", "gain": "("},
        {"score": "ndcg_score", "gain": "-" * 99_999},
        {"score": "ndcg_score", "y_true": "1"},
        {"score": "ndcg_score", "persistence": "0.5"},
    ],
)
def test_a_score_is_not_made_of_other_text(options):
    assert score_of(ResultFacts(options, (), True)) is None
    assert not are_same_texts(options["score"], options.get("gain", "other"))


@pytest.mark.parametrize(
    "value",
    [Decimal("1E999999999"), Fraction(1, 10**5000), Decimal("9" * 5000)],
    ids=["exponent", "denominator", "digits"],
)
def test_what_would_not_be_read_is_not_saved(value):
    ids = as_objects([value, 1, 2, 3, 4, 5])
    with pytest.raises(InvalidParameterError, match="so many digits"):
        ranking_report(Y_TRUE, Y_SCORE, **SCORES, query_ids=ids).to_json()


@pytest.mark.parametrize("shape", [[10**9, 0], [-1, 0], [2]])
def test_an_array_has_no_other_shape(shape):
    with pytest.raises(ValueError, match=r"^$"):
        from_json({"array": "|O", "shape": shape, "values": []})


@pytest.mark.parametrize("dtype", ["<i8", "<U1", "|b1", "<m8[s]"])
def test_a_column_has_values_of_its_type(dtype):
    with pytest.raises(TypeError, match=r"^$"):
        column_from_json([1.5], dtype)


def test_objects_may_not_be_too_deep():
    inner = ()
    for _ in range(50):
        inner = (inner,)
    assert from_json(to_json(inner)) == inner
    with pytest.raises(NotSavableError, match="inside of more than 50 others"):
        to_json((inner,))


@pytest.mark.parametrize("with_item_weights", [False, True])
@pytest.mark.parametrize("replacement", [np.nan, np.inf, -1e308, 5e-324])
def test_extreme_sums_of_queries_are_possible(replacement, with_item_weights, tmp_path):
    stream = StreamingScore(["ndcg", "ndcg@1"], replace_undefined_by=replacement)
    weight = {"sample_weight": [5e-324, 1e300, 0, 1e-300, 1e150, 3]}
    if with_item_weights:
        weight = {"item_weight": ITEM_WEIGHT * np.array([[1e-300], [1e150], [1], [0], [3], [9]])}
    stream.update(Y_TRUE, Y_SCORE, **weight)
    stream.to_json(tmp_path / "saved.json")
    np.testing.assert_equal(read_stream(tmp_path / "saved.json").compute(), stream.compute())


def test_a_standard_error_may_be_infinite(tmp_path):
    place = ("sums", 0, "moments", 0, 5)  # the sum of all squares
    huge = changed(content_of("one score"), place, put("0x" + "f" * 2300))
    path = tmp_path / "forged.json"
    path.write_bytes(sealed(huge))
    assert read_stream(path).standard_error == np.inf
