"""Comparisons of files with the values of each query, as `scale.per_query` writes them."""

from __future__ import annotations

import shutil

import numpy as np
import pytest

from ranking_scores import ranking_report, scale
from ranking_scores._base._by_id import match_ids
from ranking_scores.report import read_report
from ranking_scores.significance import compare, compare_all, confidence_interval

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

N_QUERIES, N_ITEMS = 30, 6
COLUMNS = {"label": "label", "score": "score", "query": "query"}
SCORES = {"scores": ["ndcg", "map"], "k": [2, 5]}


def rows_of(seed, order=None, **more):
    rng = np.random.default_rng(seed)
    query = np.repeat(np.arange(N_QUERIES), N_ITEMS)
    label = np.random.default_rng(0).integers(0, 3, query.size)
    columns = {"query": query, "label": label, "score": rng.integers(0, 5, query.size)} | more
    if order is None:
        return pyarrow.table(columns)
    rows = np.concatenate([np.flatnonzero(query == each) for each in order])
    return pyarrow.table({name: np.asarray(values)[rows] for name, values in columns.items()})


def reports():
    return [
        ranking_report(
            *(table[each].to_numpy() for each in ("label", "score")),
            qid=table["query"].to_numpy(),
            **SCORES,
        )
        for table in (rows_of(1), rows_of(2))
    ]


@pytest.fixture(params=["parquet", "csv"])
def files(tmp_path, request):
    backwards = np.arange(N_QUERIES)[::-1]
    paths = [tmp_path / f"{name}.{request.param}" for name in ("old", "new")]
    saved = [
        scale.per_query([rows], **COLUMNS, **SCORES, path=path)
        for path, rows in zip(paths, (rows_of(1), rows_of(2, backwards)), strict=True)
    ]
    return paths, saved


def test_files_are_compared_as_reports_are(files):
    (old, new), _ = files
    expected = compare_all(dict(zip(["old", "new"], reports(), strict=True)), correction=None)
    assert compare_all({"old": str(old), "new": new}, correction=None) == expected
    one = compare(old, new, score="map@5")
    assert (one.difference, one.pvalue) == (expected[3].difference, expected[3].pvalue)
    assert one.metric == "map@5"
    several = compare_all({"old": old, "new": new}, scores=["map@2", "ndcg@2"], correction=None)
    assert several.metrics == ("map@2", "ndcg@2")
    assert several.difference.tolist() == expected.difference[[2, 0]].tolist()
    assert confidence_interval(new).mean.tolist() == list(reports()[1].values())


def test_line_ends_of_windows_change_nothing(tmp_path):
    unix, windows = tmp_path / "unix.csv", tmp_path / "windows.csv"
    rows = rows_of(1, query=np.repeat([f"q{n}" for n in range(N_QUERIES)], N_ITEMS))
    scale.per_query([rows], **COLUMNS, **SCORES, path=unix)
    windows.write_bytes(unix.read_bytes().replace(b"\n", b"\r\n"))
    assert windows.read_bytes().count(b"\r\n") == N_QUERIES + 1
    assert confidence_interval(windows) == confidence_interval(unix)
    assert compare(windows, unix, score="map@5").difference == 0


def test_the_values_of_a_saved_report_are_beside_it(files, tmp_path):
    _, saved = files
    expected = compare_all(dict(zip(["old", "new"], reports(), strict=True)), correction=None)
    for name, report in zip(["old", "new"], saved, strict=True):
        report.to_json(tmp_path / f"{name}.json")
    moved = tmp_path / "moved"
    moved.mkdir()
    for each in tmp_path.glob("*.*"):
        shutil.move(each, moved)
    names = {name: moved / f"{name}.json" for name in ("old", "new")}
    assert compare_all(names, correction=None) == expected
    read = read_report(names["old"])
    assert read.values_path.parent == moved
    assert not hasattr(read, "per_query")
    assert read == saved[0]


def test_a_file_of_values_elsewhere_is_read_only_if_it_is_named(files, tmp_path):
    (values, _), (report, _) = files
    (tmp_path / "json").mkdir()
    path = tmp_path / "json" / "old.json"
    report.to_json(path)
    refused = rf"whose values .* in its folder\. Got .*, which names the file '\.\./{values.name}'"
    with pytest.raises(ValueError, match=rf"'path' parameter of read_report.*{refused}"):
        read_report(path)
    with pytest.raises(ValueError, match=r"`read_report\(path, values_from=\.\.\.\)` of Python"):
        compare_all({"old": path, "new": path})
    read = read_report(path, values_from=values)
    assert read.values_path == values
    assert not compare_all({"old": read, "new": report}, correction=None).difference.any()
    read.to_json(tmp_path / "beside.json")
    assert read_report(tmp_path / "beside.json").values_path == values
    other = read_report(path, values_from=str(values.with_name(f"new{values.suffix}")))
    with pytest.raises(ValueError, match="a report whose file has its values"):
        compare_all({"old": other, "new": report})
    with pytest.raises(ValueError, match=r"'values_from' parameter .* None or a path\. Got 1 "):
        read_report(path, values_from=1)


def test_a_link_out_of_the_folder_is_not_followed(tmp_path):
    path, values = tmp_path / "folder" / "a.json", tmp_path / "folder" / "inner" / "values.csv"
    values.parent.mkdir(parents=True)
    scale.per_query([rows_of(1)], **COLUMNS, **SCORES, path=values).to_json(path)
    assert read_report(path).values_path == values
    values.rename(tmp_path / "values.csv")
    try:
        values.symlink_to(tmp_path / "values.csv")
    except OSError:
        pytest.skip("no links can be made here")
    with pytest.raises(ValueError, match=r"which names the file 'inner/values\.csv'"):
        read_report(path)


def test_only_reports_without_values_take_a_file_of_them(tmp_path):
    reports()[0].to_json(tmp_path / "a.json")
    with pytest.raises(ValueError, match="None, since the report names no file with the values"):
        read_report(tmp_path / "a.json", values_from="values.csv")


def test_reports_with_weights_have_no_file(tmp_path):
    weight = np.repeat(np.arange(1.0, N_QUERIES + 1), N_ITEMS)
    rows, path = rows_of(1, weight=weight), tmp_path / "values.parquet"
    report = scale.per_query([rows], **COLUMNS, **SCORES, sample_weight="weight", path=path)
    assert report.values_path is None
    with pytest.raises(ValueError, match="a report with the values of each query"):
        compare_all({"a": report, "b": report})


def test_text_ids_and_files_without_ids(tmp_path):
    values = np.random.default_rng(0).random((2, 5))
    for name, ids, own in (("a", [*"vwxyz"], values[0]), ("b", [*"zyxwv"], values[1][::-1])):
        parquet.write_table(pyarrow.table({"id": ids, "mine": own}), tmp_path / f"{name}.parquet")
        at = {"ndcg@10": own if name == "a" else own[::-1]}
        parquet.write_table(pyarrow.table(at), tmp_path / f"{name}_of_rows.parquet")
    expected = (values[1] - values[0]).tolist()
    found = compare(tmp_path / "a.parquet", tmp_path / "b.parquet")
    assert found.difference_per_query.tolist() == expected
    assert found.query_ids.tolist() == [*"vwxyz"]
    found = compare(tmp_path / "a_of_rows.parquet", tmp_path / "b_of_rows.parquet")
    assert (found.difference_per_query.tolist(), found.query_ids) == (expected, None)


def test_a_directory_of_parts_is_a_table(tmp_path):
    values = np.random.default_rng(0).random((2, 6))
    for name, own in (("a", values[0]), ("b", values[1])):
        (tmp_path / name).mkdir()
        for part in range(3):
            rows = slice(2 * part, 2 * part + 2)
            columns = {"id": [*"uvwxyz"][rows], "ndcg@10": own[rows]}
            place = part if name == "a" else 2 - part  # so that the order differs
            parquet.write_table(pyarrow.table(columns), tmp_path / name / f"part.{place}.parquet")
        (tmp_path / name / "_SUCCESS").write_text("")
    found = compare(tmp_path / "a", str(tmp_path / "b"), score="ndcg@10")
    assert found.difference_per_query.tolist() == (values[1] - values[0]).tolist()
    assert found.query_ids.tolist() == [*"uvwxyz"]


def error_of(columns, path, **params):
    parquet.write_table(pyarrow.table(columns), path)
    with pytest.raises(ValueError, match="'system_a' parameter of compare must be") as caught:
        compare(path, path, **params)
    return str(caught.value)


def test_bad_files_are_refused(tmp_path):
    path = tmp_path / "a.parquet"
    assert "which has 'x' twice" in error_of({"id": ["x", "y", "x"], "v": [1.0, 2, 3]}, path)
    assert "with values of 'v'" in error_of({"id": [1, 2], "v": ["a", "b"]}, path)
    params = {"score": "map@2"}
    assert "with values of 'map@2'" in error_of({"id": [1, 2], "v": [1.0, 2]}, path, **params)
    assert "which has no values" in error_of({"id": [1, 2]}, path)
    assert "infinity" in error_of({"id": [1, 2], "v": [np.inf, 2]}, path)
    path.write_bytes(b"PAR1 and no more")
    with pytest.raises(ValueError, match="of which pyarrow says"):
        compare(path, path)
    with pytest.raises(FileNotFoundError):
        compare(tmp_path / "none.parquet", path)
    with pytest.raises(ValueError, match="left out, since no system is RankingData or a file"):
        compare([1, 2], [2, 3], score="ndcg")


def test_a_file_of_other_queries_is_refused(tmp_path):
    path = tmp_path / "values.parquet"
    report = scale.per_query([rows_of(1)], **COLUMNS, scores="map", k=None, path=path)
    parquet.write_table(pyarrow.table({"query": [1], "map": [1.0]}), path)
    with pytest.raises(ValueError, match=r"the values of its 30 queries\. Got 1 in"):
        compare(report, report)


@pytest.mark.parametrize("kinds", [(np.int64, np.int64), (np.int8, np.uint64), (np.int64, object)])
def test_ids_are_matched_as_by_a_dict(kinds):
    rng = np.random.default_rng(0)
    for _ in range(300):
        ids = rng.integers(0, 9, rng.integers(0, 8)).astype(kinds[0])
        wanted = rng.permutation(9)[: rng.integers(0, 8)].astype(kinds[1])
        match = match_ids(ids, wanted)
        place_of = {int(each): place for place, each in enumerate(ids)}
        places = [place_of.get(int(each), -1) for each in wanted]
        others = [place for place in range(ids.size) if place not in places]
        assert match.places.tolist() == places
        assert match.missing.tolist() == [each for each in wanted if int(each) not in place_of]
        assert match.others.tolist() == ids[others].tolist()
        first = others[:1]
        assert match.has_repeated is any(place_of[int(ids[each])] != each for each in first)


def test_a_file_that_another_report_wrote_later_is_refused(tmp_path):
    path, one = tmp_path / "values.parquet", {"scores": ["ndcg"], "k": 2}
    reports = []
    for seed in (1, 2):
        report = scale.per_query([rows_of(seed)], **COLUMNS, **one, path=path)
        report.to_json(tmp_path / f"{seed}.json")
        reports.append(report)
    for old in (reports[0], tmp_path / "1.json"):
        with pytest.raises(ValueError, match="a report whose file has its values: the mean of"):
            compare(old, reports[1])
        with pytest.raises(ValueError, match="Was the file written again, for another report"):
            compare_all({"old": old, "new": reports[1]})
    path.unlink()
    with pytest.raises(ValueError, match=r"whose values of each query are in .*no such file"):
        compare(tmp_path / "2.json", reports[1])


def test_undefined_values_have_the_mean_of_their_report(tmp_path):
    rows = rows_of(1, label=np.repeat([0, 1], [60, 120]))
    one = {"scores": ["ndcg"], "k": 2, "replace_undefined_by": float("nan")}
    paths = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    old, new = (scale.per_query([rows], **COLUMNS, **one, path=path) for path in paths)
    assert old.n_undefined["ndcg@2"] == 10
    assert compare(old, new).difference == 0
