"""Reports and streams as files: what comes back, and what is refused."""

from __future__ import annotations

import datetime
import functools
import gzip
import json
import random
import uuid
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_array

import ranking_scores
from ranking_scores import (
    StreamingScore,
    from_lists,
    from_tables,
    ndcg_score,
    ranking_report,
    scale,
)
from ranking_scores._files._json_values import NotSavableError, from_json, to_json
from ranking_scores.report import as_report, read_report
from ranking_scores.report._saved_reports import INPUTS
from ranking_scores.significance import compare_all
from ranking_scores.streaming import read_stream

Y_TRUE = [[0, 2, 1, 0], [1, 0, 0, 0], [0, 0, 3, 1], [0, 0, 0, 0], [1, 1, 0, 2], [0, 1, 0, 0]]
Y_SCORE = [[1, 2, 2, 0], [3, 3, 1, 1], [0, 1, 2, 3], [1, 1, 1, 1], [4, 3, 2, 1], [0, 0, 0, 1]]


class Label(int):
    """A type of ids that files do not know."""


def report_of(**params):
    return ranking_report(Y_TRUE, Y_SCORE, **{"scores": ["ndcg", "mrr"], "k": [1, 3]} | params)


def as_objects(values):
    objects = np.empty(len(values), object)
    objects[:] = values
    return objects


DAYS = [datetime.date(2026, 1, 1 + day) for day in range(6)]
REPORTS = {
    "plain": {},
    "the whole list": {"k": [2, None]},
    "one result": {"scores": "arp"},
    "names of the caller": {"scores": {"my score": functools.partial(ndcg_score, k=2)}},
    "ties and chance": {"ties": True, "chance": True},
    "undefined queries": {"replace_undefined_by": np.nan},
    "a mean that is infinite": {"replace_undefined_by": np.inf},
    "weights": {"sample_weight": [0.1, 0, 3, 1e-300, 1e10, 0.3]},
    "clusters": {"clusters": ["a", "a", "b", "b", "c", "c"]},
    "item weights": {"scores": "ndcg", "item_weight": np.ones((6, 4)) * 0.3},
    "a group": {"by": [2, 1, 2, 1, 2, 1]},
    "groups": {
        "by": {
            "day": np.array(DAYS[:2] * 3, "datetime64[D]"),
            "kind": ["x", "y|z", "", "x", "\n", "x"],
            "flag": [True, False] * 3,
        },
        "ties": True,
        "sample_weight": range(6),
        "clusters": [1, 2] * 3,
        "query_ids": [*"fedcba"],
    },
    "a function": {"gain": lambda label: label**2},
}
IDS = {
    "text": ["\n", "ü", '"', "|", "a\u2028b", "\udc80"],
    "ints": np.arange(6, dtype=">i2"),
    "large ints": [2**63 + each for each in range(6)],
    "floats": np.arange(6) / 3,
    "bools and ints": as_objects([True, 2, 3, 4, 5, 2**70]),
    "bytes": [bytes([each, 255 - each]) for each in range(1, 7)],
    "objects that are bytes": as_objects([bytes([each]) for each in range(6)]),
    "dates": as_objects(DAYS),
    "times": as_objects([datetime.datetime(2026, 1, 1, 2, 3, 4, each) for each in range(6)]),
    "times of a day": as_objects([datetime.time(1, each) for each in range(6)]),
    "durations": as_objects([datetime.timedelta(1, 2, each) for each in range(6)]),
    "nanoseconds": np.arange(6).astype("datetime64[ns]"),
    "seconds": np.arange(6).astype("timedelta64[s]"),
    "UUIDs": as_objects([uuid.UUID(int=each) for each in range(6)]),
    "tuples": as_objects([(each, (f"{each}", None, 1.5)) for each in range(6)]),
    "decimals": as_objects([Decimal(each) / 3 for each in range(6)]),
    "fractions": as_objects([Fraction(each, 3) for each in range(6)]),
    "scalars of NumPy": as_objects([np.int8(each) for each in range(6)]),
}


def there_and_back(report, path, **options):
    assert report.to_json(path, **options) is None
    found = read_report(path)
    assert found.to_json(**options) == report.to_json(**options)
    return found


@pytest.mark.parametrize("kind", REPORTS)
@pytest.mark.parametrize("name", ["report.json", "report.json.gz", "Report.JSON"])
def test_what_comes_back_is_what_was_saved(kind, name, tmp_path):
    report = report_of(**REPORTS[kind])
    found = there_and_back(report, tmp_path / name)
    assert found == report
    assert (found.options, found.judgments) == (report.options, report.judgments)
    assert found.greater_is_better(report.metrics[0]) is (kind != "one result")
    assert repr(found).startswith(repr(report))
    assert not found.per_query[report.metrics[0]].flags.writeable
    assert found.standard_error == report.standard_error or kind == "a mean that is infinite"


@pytest.mark.parametrize("kind", IDS)
def test_ids_come_back(kind, tmp_path):
    report = report_of(query_ids=IDS[kind])
    found = there_and_back(report, tmp_path / "report.json")
    assert found == report
    assert found.query_ids.dtype == report.query_ids.dtype
    assert [*map(type, found.query_ids.tolist())] == [*map(type, report.query_ids.tolist())]


def test_reports_of_tables_come_back(tmp_path):
    data = from_lists({"a": ["x"], "b": ["y"], "c": []}, {"a": ["x", "z"], "b": ["x"], "d": ["x"]})
    report = ranking_report(data, scores="recall", k=2)
    found = there_and_back(report, tmp_path / "report.json")
    assert found == report
    assert str(found.queries_seen) == str(data.queries_seen)
    assert found.judgments.n_items == 2


@pytest.mark.parametrize("kind", ["groups", "clusters", "item weights", "ties and chance"])
def test_a_file_without_the_queries(kind, tmp_path):
    report = report_of(**REPORTS[kind])
    found = there_and_back(report, tmp_path / "report.json", per_query=False)
    assert '"queries"' not in report.to_json(per_query=False)
    for name in ("mean", "standard_error", "n_undefined", "worst", "best", "chance", "n_queries"):
        assert getattr(found, name) == getattr(report, name)
    for grouping, of_group in report.by_group.items():
        assert [*found.by_group[grouping]] == [*of_group]
        for key, each in of_group.items():
            errors = found.by_group[grouping][key].standard_error
            np.testing.assert_equal(dict(errors), dict(each.standard_error))
    with pytest.raises(AttributeError, match=r"was saved without.*no `per_query`.*per_query=True"):
        found.per_query  # noqa: B018
    with pytest.raises(AttributeError, match="no `per_query`"):
        found.to_frame()
    assert there_and_back(found, tmp_path / "again.json") == found
    with pytest.raises(ValueError, match="a report with the values of each query"):
        compare_all({"old": found, "new": report})


def test_reports_of_sums_come_back(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    columns = {"q": np.repeat(np.arange(6), 4), "y": np.ravel(Y_TRUE), "s": np.ravel(Y_SCORE)}
    table = pyarrow.table(columns | {"g": columns["q"] % 2})
    names = {"label": "y", "score": "s", "query": "q"}
    report = scale.report([table], **names, by="g", scores="ndcg@3")
    assert there_and_back(report, tmp_path / "report.json") == report
    assert report.judgments is None
    assert report.options["ndcg@3"]["k"] == "3"


def test_saved_reports_are_compared_with_others(tmp_path):
    old, new = (report_of(query_ids=[*"abcdef"], **each) for each in ({}, {"gain": "exponential"}))
    report_of(query_ids=[*"fedcba"]).to_json(tmp_path / "old.json")
    with pytest.raises(ValueError, match=r"same options.*gain='linear' in ndcg@1"):
        compare_all({"old": there_and_back(old, tmp_path / "a.json"), "new": new})
    again = there_and_back(old, tmp_path / "b.json")
    assert compare_all({"old": again, "new": old}).draws.tolist() == [6] * 4


def test_a_query_has_a_line():
    params = {"query_ids": [*"abcdef"], "scores": ["ndcg", "mrr"], "k": [1, 3]}
    lines = ranking_report(Y_TRUE, Y_SCORE, **params).to_json().splitlines()
    changed = ranking_report(Y_TRUE, [*Y_SCORE[:5], [0, 1, 0, 0]], **params)
    others = changed.to_json().splitlines()
    rows = [line for line in others if line not in lines and line.startswith('["')]
    assert rows == ['["f", 1.0, 1.0, 1.0, 1.0]']
    assert all(json.loads(line.rstrip(",")) for line in lines if line.startswith('["'))


def test_equal_reports_have_the_same_bytes(tmp_path):
    for number in range(2):
        report_of().to_json(tmp_path / f"{number}.json.gz")
    one, other = ((tmp_path / f"{number}.json.gz").read_bytes() for number in range(2))
    assert one == other
    assert gzip.decompress(one).decode() == report_of().to_json()


def test_a_function_is_kept_by_name(tmp_path):
    found = there_and_back(report_of(gain=np.square), tmp_path / "report.json")
    line = "gain=numpy.square of ndcg@1, ndcg@3 is a function, of which the file has only the name"
    assert repr(found).splitlines()[-1] == line
    assert line not in repr(report_of(gain=np.square))
    assert found.options["ndcg@1"]["gain"] == "numpy.square"


def test_means_as_a_plain_dict():
    report = report_of()
    assert report.to_dict() == dict(report)
    assert list(report.to_dict("_at_")) == ["ndcg_at_1", "ndcg_at_3", "mrr_at_1", "mrr_at_3"]
    assert json.loads(json.dumps(dict(report))) == report.mean
    assert set(map(type, report.to_dict().values())) == {float}
    with pytest.raises(ValueError, match=r"'separator' parameter.*must be a text.*Got 1 instead"):
        report.to_dict(1)


def test_what_cannot_be_saved_is_refused_by_name():
    ids = as_objects([Label(each) for each in range(6)])
    for name in ("query_ids", "by", "clusters"):
        with pytest.raises(
            ValueError, match=rf"The '{name}' parameter of RankingReport\.to_json.*Label"
        ):
            report_of(**{name: ids}).to_json()
    longs = np.arange(6, dtype=np.longdouble)
    if longs.itemsize > 8:
        with pytest.raises(ValueError, match="an array of dtype"):
            report_of(query_ids=longs).to_json()
    with pytest.raises(ValueError, match="'per_query' parameter"):
        report_of().to_json(per_query=1)
    with pytest.raises(ValueError, match=r"ends in \.json or \.json\.gz\. Got 'a\.txt' instead"):
        report_of().to_json("a.txt")
    with pytest.raises(ValueError, match="an object of type int"):
        report_of().to_json(1)


def test_a_failure_leaves_the_file_that_was_there(tmp_path):
    path = tmp_path / "report.json"
    path.write_text("before")
    with pytest.raises(ValueError, match="to_json"):
        report_of(query_ids=as_objects([Label(each) for each in range(6)])).to_json(path)
    assert path.read_text() == "before"


# --- bad files -----------------------------------------------------------------------------------


def error_of(path, content, read=read_report):
    path.write_bytes(content)
    with pytest.raises(
        ValueError, match=rf"^The 'path' parameter of {read.__name__} must be"
    ) as caught:
        read(path)
    assert caught.value.__cause__ is None or "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("kind", ["report", "compressed report", "stream"])
def test_every_cut_and_every_edit_is_refused(kind, tmp_path):
    pick, read = random.Random(0), read_report
    path = tmp_path / "file.json"
    content = report_of(**REPORTS["groups"]).to_json().encode()
    if kind == "compressed report":
        content = gzip.compress(content, mtime=0)
    if kind == "stream":
        content, read = stream_of(range(3)).to_json().encode(), read_stream
    for _ in range(100):
        error_of(path, content[: pick.randrange(len(content))], read)
    for _ in range(100):
        place = pick.randrange(10, len(content))
        other = bytes([pick.choice([each for each in range(256) if each != content[place]])])
        edited = content[:place] + other + content[place + 1 :]
        if kind == "compressed report":
            try:
                if gzip.decompress(edited) == gzip.decompress(content):
                    continue  # some bytes of the head do not matter
            except Exception:
                pass
        error_of(path, edited, read)


def sealed(content):
    """Return content with a seal that fits, as no edit by hand has."""
    body = json.dumps(content)[:-1].replace("{", "{\n", 1) + ","
    return f'{body}\n"sha256": "{ranking_scores._files._saved_files._digest(body)}"\n}}\n'.encode()


def test_what_is_wrong_with_a_file_is_said(tmp_path):
    path, good = tmp_path / "file.json", report_of().to_json()
    content = json.loads(good)
    del content["sha256"]
    path.write_bytes(sealed(content))
    assert read_report(path) == report_of()
    for inputs in ({"files": "a"}, dict.fromkeys(INPUTS, 1), ["files"]):
        path.write_bytes(sealed(content | {"inputs": inputs}))
        with pytest.raises(ValueError, match="content is not that of such a file"):
            read_report(path)
    of_text = dict.fromkeys(INPUTS, "a")
    path.write_bytes(sealed(content | {"inputs": of_text}))
    assert read_report(path).inputs == of_text
    cases = {
        b"": "which is none",
        b"{}": "which is none",
        b"\xff\xfe": "which was cut or is no text",
        gzip.compress(good.encode())[:-4]: "which was cut or is no text",
        good[:300].encode(): "which was cut or edited after it was written",
        good.replace("0.5", "0.6", 1).encode(): "which was cut or edited after it was written",
        good.replace(", ", ",", 1).encode(): "which was cut or edited after it was written",
        sealed(content | {"format_version": 2}): "which a newer release of this package wrote",
        sealed(content | {"format": "other"}): "a file of the format 'other'",
        sealed({"format": "ranking_scores report"}): "which is none",
        sealed(content | {"scores": []}): "whose content is not that of such a file",
        sealed(content | {"scores": 1}): "whose content is not that of such a file",
        sealed(content | {"queries": [[1]]}): "whose content is not that of such a file",
        stream_of([0]).to_json().encode(): "a file of the format 'ranking_scores stream'",
    }
    for bad, got in cases.items():
        assert f"Got '{path}', {got}, instead." in error_of(path, bad)
    body = '{\n"format": [,'
    seal = ranking_scores._files._saved_files._digest(body)
    assert "which is none" in error_of(path, f'{body}\n"sha256": "{seal}"\n}}\n'.encode())


def test_other_ends_of_lines_are_no_edit(tmp_path):
    path = tmp_path / "file.json"
    path.write_bytes(report_of().to_json().replace("\n", "\r\n").encode())
    assert read_report(path) == report_of()


def test_paths(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_report(tmp_path / "none.json")
    with pytest.raises(
        ValueError, match=r"'path' parameter of read_report must be the path.*type int"
    ):
        read_report(1)
    path = tmp_path / "a.json"
    report = report_of()
    report.to_json(str(path))
    assert as_report(str(path), "new", "changes") == as_report(report, "new", "changes") == report
    with pytest.raises(ValueError, match=r"'new' parameter of changes must be a RankingReport or"):
        as_report(1, "new", "changes")
    path.write_text("")
    with pytest.raises(ValueError, match=r"'new' parameter of changes must be the path of a file"):
        as_report(path, "new", "changes")


class Autumn(datetime.tzinfo):
    """A zone whose clocks are set back by an hour."""

    def utcoffset(self, time):
        return datetime.timedelta(hours=2 - time.fold)


TWICE = datetime.datetime(2026, 10, 25, 2, 30, tzinfo=Autumn())


@pytest.mark.parametrize(
    "value",
    [{1, 2}, object(), np.ones(2, np.complex128), TWICE, TWICE.replace(fold=1)],
    ids=["set", "object", "complex", "first", "second"],
)
def test_values_without_json(value):
    with pytest.raises(NotSavableError):
        to_json(value)


@pytest.mark.parametrize(
    "value",
    [
        None,
        [1, (2.5, np.nan)],
        {"a": {1: -np.inf}},
        np.array([]),
        np.eye(2, dtype=np.float32),
        np.array([np.nan, np.inf, -0.0]),
        np.float32(0.1),
        np.array([b"a", b"bc"]),
        np.arange(3).astype(">m8[D]"),
        np.array(["2026-01-01", "NaT"], "datetime64[s]"),
    ],
)
def test_values_come_back(value):
    np.testing.assert_equal(from_json(json.loads(json.dumps(to_json(value)))), value)


# --- digests -------------------------------------------------------------------------------------

JUDGED = {
    "query": ["a", "a", "b", "b"],
    "item": ["x", "y", "x", "z"],
    "label": [1.0, 0.0, 2.0, 1.0],
}
FOUND = {"query": ["a", "b", "b"], "item": ["x", "x", "w"], "score": [1, 2, 3]}


def digest_of(judged, found=FOUND, **more):
    names = {"query": "query", "item": "item", "label": "label", "score": "score"}
    data = from_tables(judged, found, **names, **more)
    return ranking_report(data, scores="ndcg", k=1).judgments


def test_a_digest_is_of_the_judgments_alone():
    digest = digest_of(JUDGED)
    assert digest.n_items == 4
    backwards = {name: values[::-1] for name, values in JUDGED.items()}
    others = FOUND | {"item": ["y", "z", "v"], "score": [3, 1, 2]}
    assert digest_of(backwards) == digest_of(JUDGED, others) == digest


def test_a_digest_changes_with_each_judgment():
    digests = {digest_of(JUDGED).digest}
    for row in range(4):
        for name, other in (("query", "c"), ("item", "v"), ("label", 3.0)):
            values = list(JUDGED[name])
            values[row] = other
            digests.add(digest_of(JUDGED | {name: values}, queries="all").digest)
    swapped = JUDGED | {"label": [2.0, 0.0, 1.0, 1.0]}
    digests |= {digest_of(swapped).digest}
    one_less = {name: values[:1] + values[2:] for name, values in JUDGED.items()}
    digests |= {digest_of(one_less).digest}
    assert len(digests) == 15


def test_a_digest_does_not_depend_on_the_dtype_of_ids():
    digests = set()
    for kind in (np.int8, np.int64, np.uint64, object):
        judged = {"query": np.array([1, 1, 2], kind), "item": np.array([7, 8, 9], kind)}
        found = {"query": np.array([1], kind), "item": np.array([7], kind), "score": [1.0]}
        digests.add(digest_of(judged | {"label": [1, 2, 3]}, found).digest)
    assert len(digests) == 1
    for ids in (["a", "\udc80", "c"], [b"1", b"2", b"3"], [*map(np.datetime64, DAYS[:3])]):
        judged = {"query": [1, 1, 2], "item": as_objects(ids), "label": [1, 2, 3]}
        found = {"query": [1], "item": as_objects(ids[:1]), "score": [1.0]}
        digests.add(digest_of(judged, found).digest)
    judged = {"query": [1, 1, 2], "item": as_objects([1, "1", 2]), "label": [1, 2, 3]}
    found = {"query": [1, 1], "item": as_objects([1, "1"]), "score": [1.0, 2.0]}
    digests.add(digest_of(judged, found).digest)
    assert len(digests) == 5


@pytest.mark.parametrize(
    ("arrays", "n_items"),
    [
        (((Y_TRUE, Y_SCORE), {}), 24),
        (((Y_TRUE, Y_SCORE), {"where": np.array(Y_SCORE) > 0}), 19),
        (((np.ravel(Y_TRUE), np.ravel(Y_SCORE)), {"qid": np.repeat(np.arange(6), 4)}), 24),
        ((([0, 1, 2, 3, 0, 1], np.array(Y_SCORE) + 0.1), {"where": np.ones((6, 4), bool)}), 6),
        (((csr_array(Y_TRUE), Y_SCORE), {}), 9),
        (((csr_array(Y_TRUE), Y_SCORE), {"where": np.array(Y_SCORE) > 1}), 7),
        (((csr_array(Y_TRUE), csr_array(Y_SCORE)), {}), 9),
        (((Y_TRUE, csr_array(Y_SCORE)), {}), 24),
        (((Y_TRUE, Y_SCORE), {"as_lists": True}), 24),
    ],
)
def test_judged_items_are_counted_in_every_layout(arrays, n_items):
    (y_true, y_score), params = arrays
    if params.pop("as_lists", False):
        pyarrow = pytest.importorskip("pyarrow")
        y_true, y_score = pyarrow.array(y_true), pyarrow.array(y_score)
    judgments = ranking_report(y_true, y_score, scores="ndcg", k=1, **params).judgments
    assert judgments == (n_items, None)


# --- streams -------------------------------------------------------------------------------------


def stream_of(rows, scores="ndcg@3", clusters=False, **params):
    stream = StreamingScore(scores, **params)
    rows = list(rows)
    stream.update(
        np.ravel(np.array(Y_TRUE)[rows]),
        np.ravel(np.array(Y_SCORE)[rows]),
        qid=np.repeat([f"q{row}" for row in rows], 4),
        sample_weight=np.repeat([0.1 * row for row in rows], 4),
        clusters=np.repeat(rows, 4) % 2 if clusters else None,
    )
    return stream


STREAMS = {
    "a name": {},
    "a function": {"scores": ndcg_score, "k": [1, None], "gain": [0, 1, 3, 7]},
    "several": {"scores": ["ndcg", "map@2"], "k": [1, 2], "replace_undefined_by": np.nan},
    "names of the caller": {"scores": {"mine": "ndcg@2"}},
    "a score without cutoffs": {"scores": "r_precision"},
    "clusters": {"clusters": True},
    "no ids": {"check_qid": False},
    "a gain of the caller": {"gain": np.square},
}


@pytest.mark.parametrize("kind", STREAMS)
def test_a_week_is_the_merge_of_its_days(kind, tmp_path):
    days = [stream_of(rows, **STREAMS[kind]) for rows in ((1, 2), (3,), (4, 5))]
    for number, day in enumerate(days):
        day.to_json(tmp_path / f"2026-01-0{number}.json")
    read = [read_stream(tmp_path / f"2026-01-0{number}.json") for number in range(3)]
    week, expected = sum(read), sum(days)
    for name in ("n_queries", "n_undefined", "standard_error"):
        np.testing.assert_equal(getattr(week, name), getattr(expected, name))
    np.testing.assert_equal(week.compute(), expected.compute())
    assert week.parts == ("2026-01-00", "2026-01-01", "2026-01-02")
    assert expected.parts == ()
    week.to_json(tmp_path / "week.json.gz")
    again = read_stream(tmp_path / "week.json.gz")
    assert (again.parts, again.to_json()) == (week.parts, week.to_json())
    assert "parts=2026-01-00, 2026-01-01, 2026-01-02" in repr(again)
    with pytest.raises(ValueError, match="updates of one stream on both sides"):
        again.merge(read[0])
    live = stream_of([0], **STREAMS[kind])
    live.merge(again)
    np.testing.assert_equal(
        live.compute(), sum([stream_of([0], **STREAMS[kind]), *days]).compute()
    )


def test_a_stream_goes_on_after_it_was_read(tmp_path):
    stream_of([1, 2]).to_json(tmp_path / "one.json")
    stream = read_stream(tmp_path / "one.json")
    with pytest.raises(ValueError, match="the query with qid 'q1' again"):
        stream.update([1, 0], [1, 2], qid=["q1", "q1"])
    stream.update([1, 0], [1, 2], qid=["new", "new"])
    text = stream.to_json()
    assert json.loads(text)["is_saved"] is False
    assert json.loads(text)["parts"] == ["one"]
    stream.to_json(tmp_path / "two.json", name="later")
    assert read_stream(tmp_path / "two.json").parts == ("later", "one")
    stream.reset()
    assert stream.parts == ()


def test_a_stream_with_a_function_is_updated_only_where_the_function_is(tmp_path):
    stream_of([1, 2], gain=np.square).to_json(tmp_path / "one.json")
    stream = read_stream(tmp_path / "one.json")
    before = stream.to_json()
    with pytest.raises(ValueError, match=r"numpy\.square, of which the file has only the name"):
        stream.update([[0, 1]], [[1, 2]])
    assert stream.to_json() == before
    with pytest.raises(ValueError, match=r"gain=numpy\.square where this stream has gain=exp"):
        stream_of([3], gain=np.exp).merge(stream)
    with pytest.raises(ValueError, match="where this stream has gain='linear'"):
        stream_of([3]).merge(stream)


def test_names_of_parts(tmp_path):
    stream = stream_of([1])
    for name in (1, ""):
        with pytest.raises(ValueError, match=r"'name' parameter of StreamingScore\.to_json"):
            stream.to_json(name=name)
    stream.to_json(tmp_path / "a.json")
    with pytest.raises(ValueError, match="None, since no query lacks a name: a"):
        read_stream(tmp_path / "a.json").to_json(name="b")
    with pytest.raises(ValueError, match="None, since no query lacks a name\\. Got 'b'"):
        StreamingScore("ndcg").to_json(name="b")
    assert json.loads(stream.to_json(name="monday"))["parts"] == ["monday"]


def test_parts_of_one_name_are_a_warning(tmp_path):
    for folder in ("first", "again"):
        (tmp_path / folder).mkdir()
        stream_of([1], check_qid=False).to_json(tmp_path / folder / "monday.json")
    one, two = (read_stream(tmp_path / each / "monday.json") for each in ("first", "again"))
    with pytest.warns(UserWarning, match=r"__add__: both streams have the part monday\. .* twice"):
        both = one + two
    assert (both.n_queries, both.parts) == (2 * one.n_queries, ("monday",))
    with pytest.raises(ValueError, match="updates of one stream on both sides"):
        both.merge(one)


def test_a_stream_that_has_seen_nothing_comes_back(tmp_path):
    StreamingScore("ndcg@3").to_json(tmp_path / "a.json")
    stream = read_stream(tmp_path / "a.json")
    assert (stream.n_queries, stream.parts) == (0, ())
    stream.update([[0, 1]], [[1, 2]])
    assert stream.compute() == 1


def test_what_a_stream_cannot_save_is_refused_by_name():
    ids = as_objects([Label(1), Label(1)])
    stream = StreamingScore("ndcg")
    stream.update([0, 1], [1, 2], qid=ids)
    with pytest.raises(ValueError, match=r"'qid' parameter of StreamingScore\.to_json.*Label"):
        stream.to_json()
    stream = StreamingScore("ndcg")
    stream.update([[0, 1]], [[1, 2]], clusters=ids[:1])
    with pytest.raises(
        ValueError, match=r"'clusters' parameter of StreamingScore\.to_json.*Label"
    ):
        stream.to_json()
    with pytest.raises(ValueError, match=r"'gain' parameter of StreamingScore\.to_json.*range"):
        StreamingScore("ndcg", gain=range(3)).to_json()
