"""Lists whose scores rise in every list: a warning, as they are likely to be distances."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from raising import raises

from ranking_scores import (
    from_lists,
    from_table,
    from_tables,
    mean_reciprocal_rank_score,
    retrieved_from_ids,
)
from ranking_scores.__main__ import main
from ranking_scores._files import _delimited

RISE = "The scores of {} rise from the first item to the last in every list"
RELEVANT = {"p": ["a"], "q": ["b"]}
IDS = {"p": ["a", "b", "c"], "q": ["b", "c", "a"]}
DISTANCES = {"p": [0.1, 0.2, 0.2], "q": [0.3, 0.4, 0.9]}
"""By chance they would rise in 1 of 12 cases. In the next ones, they would in 1 of 144."""
FOUR = ["p", "q", "r", "s"]


def of_four(each):
    """Return what two queries have, for four queries."""
    return dict(zip(FOUR, [each["p"], each["q"]] * 2, strict=True))


def pairs_of(lists, distances, as_pair=lambda *pair: pair):
    return {query: list(map(as_pair, lists[query], distances[query])) for query in lists}


FORMS = {
    "scores": lambda ids, scores: (ids, scores),
    "pairs": lambda ids, scores: (pairs_of(ids, scores), None),
    "lists": lambda ids, scores: (pairs_of(ids, scores, lambda *pair: [*pair]), None),
    "records": lambda ids, scores: (
        pairs_of(ids, scores, lambda each, score: {"id": each, "score": score}),
        None,
    ),
}


RISES = "'score' rises from row to row in every query; the highest score ranks first"


@pytest.mark.parametrize("form", FORMS)
def test_distances_are_warned_of_once(form):
    relevant, ids, distances = map(of_four, (RELEVANT, IDS, DISTANCES))
    retrieved, scores = FORMS[form](ids, distances)
    with pytest.warns(UserWarning, match=RISE.format("from_lists")) as caught:
        data = from_lists(relevant, retrieved, item_scores=scores)
    [warning] = caught
    assert warning.filename == __file__
    assert "`-score`, or the ids alone" in str(warning.message)
    assert mean_reciprocal_rank_score(data) == pytest.approx(1 / 3)  # without another warning
    minus = {query: [-each for each in row] for query, row in distances.items()}
    retrieved, scores = FORMS[form](ids, minus)
    assert mean_reciprocal_rank_score(from_lists(relevant, retrieved, item_scores=scores)) == 1
    assert mean_reciprocal_rank_score(from_lists(relevant, ids)) == 1


def test_distances_in_columns_of_lists_and_arrays():
    ids, distances = (list(map(list, of_four(each).values())) for each in (IDS, DISTANCES))
    relevant = list(of_four(RELEVANT).values())
    as_columns = [(np.array(ids), np.array(distances)), (pl.Series(ids), pl.Series(distances))]
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is in the extra engines")
    as_columns.append((pyarrow.array(ids), pyarrow.array(distances)))
    for retrieved, scores in as_columns:
        with pytest.warns(UserWarning, match=RISE.format("from_lists")):
            from_lists(relevant, retrieved, item_scores=scores)


def test_distances_of_ids_that_are_columns():
    ids = np.array([[2, 0, 1, -1], [1, 2, 0, 3]])
    distances = np.array([[0.1, 0.4, 0.5, np.inf], [0.0, 0.2, 0.2, 0.8]])
    with pytest.warns(UserWarning, match=RISE.format("retrieved_from_ids")):
        retrieved_from_ids(ids, np.where(ids < 0, -np.inf, distances), n_items=4)
    retrieved_from_ids(ids, np.where(ids < 0, -np.inf, -distances), n_items=4)
    for n_rows, dtype in ((1, float), (2, np.uint8)):
        scores = np.array([[1, 2, 3, 4], [2, 3, 4, 5]], dtype)[:n_rows]
        with pytest.warns(UserWarning, match="rise"):
            retrieved_from_ids([[0, 1, 2, 3]] * n_rows, scores, n_items=4)


def test_lists_that_may_be_in_any_order_are_silent():
    rng = np.random.default_rng(0)
    scores = rng.random((20, 8))
    by_column = np.argsort(rng.random((20, 8)), axis=1)
    retrieved_from_ids(by_column, np.take_along_axis(scores, by_column, axis=1), n_items=8)
    retrieved_from_ids([[0, 1, 2, 3]] * 9, [[1, 2, 3, 4]] * 8 + [[1, 2, 4, 3]], n_items=4)
    retrieved_from_ids([[0, 1, 2]], [[1, 2, 3]], n_items=3)  # 1 of 6 orders
    retrieved_from_ids([[0, 1, 2]] * 9, [[1, 1, 1]] * 9, n_items=3)
    retrieved_from_ids([[0]] * 9, [[1]] * 9, n_items=3)
    retrieved_from_ids(np.empty((3, 0), int), np.empty((3, 0)), n_items=3)


def test_what_has_no_order_or_no_scores_is_silent():
    relevant = of_four(RELEVANT)
    in_dicts = {"x": 0.1, "b": 0.2, "a": 0.3, "c": 0.4}
    from_lists(relevant, dict.fromkeys(FOUR, in_dicts))
    of_passages = [("a", 1), ("a", 2), ("a", 3), ("a", 4)]  # ids that are tuples
    from_lists(dict.fromkeys(FOUR, of_passages[:1]), dict.fromkeys(FOUR, of_passages))
    from_lists(relevant, dict.fromkeys(FOUR, tuple("abcd")))
    partly = [("a", None), ("b", 0.1), ("c", 0.2), ("d", 0.3), ("e", 0.4)]
    from_lists(relevant, dict.fromkeys(FOUR, partly))
    from_lists(relevant, dict.fromkeys(FOUR, None) | {"p": [("a", 2.0), ("b", 1.0)]})


def test_the_command_warns(tmp_path, capsys):
    files = {"gold": of_four(RELEVANT), "found": pairs_of(of_four(IDS), of_four(DISTANCES))}
    paths = [tmp_path / f"{name}.json" for name in files]
    for path, content in zip(paths, files.values(), strict=True):
        path.write_text(json.dumps(content), encoding="utf-8")
    assert main([*map(str, paths), "-m", "mrr"]) == 0
    shown = capsys.readouterr()
    assert "rise from the first item to the last in every list" in shown.err
    assert "0.3333" in shown.out


def test_scores_that_rise_along_every_list_are_noted():
    """Also if it may be chance, in one query, and in dicts, which have no order of their own."""
    note = "the scores rise along every list, whose last item is the best, as scores count"
    for n in (1, 2):
        ids, distances = (dict([*each.items()][:n]) for each in (IDS, DISTANCES))
        relevant = dict([*RELEVANT.items()][:n])
        for form in FORMS:
            retrieved, scores = FORMS[form](ids, distances)
            data = from_lists(relevant, retrieved, item_scores=scores)
            assert f"retrieved: {note}" in data.notes
            assert mean_reciprocal_rank_score(data) == 1 / 3
        dicts = {query: dict(row) for query, row in pairs_of(ids, distances).items()}
        assert f"retrieved: {note}" in from_lists(relevant, dicts).notes
    fall = {"p": {"a": 0.9, "b": 0.8}, "q": {"b": 0.1, "c": 0.2}}
    level = {"p": {"a": 0.9, "b": 0.9}, "q": {"b": 0.1}}
    for dicts in (fall, level, {"p": {"a": 1.0}, "q": {}}):
        assert not any("rise" in note for note in from_lists(RELEVANT, dicts).notes)


GOLD = {"query": ["p", "q"], "item": ["a", "b"], "label": [1, 1]}
ROWS = {"query": [*"ppqqq"], "item": [*"abbca"], "score": [0.1, 0.4, 0.2, 0.3, 0.9]}
LIBRARIES = {
    "dict": dict,
    "polars": pl.DataFrame,
    "lazy": pl.LazyFrame,
    "records": lambda table: pl.DataFrame(table).to_dicts(),
}


def by_names(of_score, **named):
    """Return predictions, and the same with labels, joined by the names of their columns."""
    table = {**{name: ROWS[name] for name in ("query", "item")}, **named}
    names = {"query": "query", "item": "item", "label": "label", "score": of_score}
    yield lambda make=dict: from_tables(GOLD, make(table), **names)
    yield lambda make=dict: from_table(make(table | {"label": [1, None, 1, 0, 0]}), **names)


@pytest.mark.parametrize("library", LIBRARIES)
def test_ranks_that_contradict_the_scores_in_every_query(library):
    ranks = [1, 2, 1, 2, 3]
    for number, call in enumerate(by_names("score", score=ROWS["score"], Rank=ranks)):
        table = ("predictions", "table")[number]
        with pytest.warns(UserWarning, match=f"In {table}, 'Rank' contradicts 'score'") as caught:
            data = call(LIBRARIES[library])
        [warning] = caught
        assert warning.filename == __file__
        assert "pass rank='Rank'" in str(warning.message)
        note = f"{table}: 'Rank' contradicts 'score' in 2 of 2 queries; the scores count"
        assert data.notes[-2:] == (note, f"{table}: {RISES}")
        assert mean_reciprocal_rank_score(data) == (1 / 2 + 1 / 3) / 2


def test_ranks_that_contradict_some_scores_or_none():
    note = "'rank' contradicts 'score' in 1 of 2 queries; the scores count"
    scores = [0.4, 0.1, 0.2, 0.3, 0.9]
    for call in by_names("score", score=scores, rank=[1, 2, 1, 2, 3]):
        assert call().notes[-1].endswith(note)
    silent = (
        {"score": [0.4, 0.1, 0.9, 0.3, 0.2], "rank": [1, 2, 1, 2, 3]},
        {"score": ROWS["score"], "rank": [0] * 5},
        {"score": ROWS["score"], "rank": [1, None, 1, None, None]},
        {"score": ROWS["score"], "rank": [1, "x", 1, 2, 3]},
        {"score": ROWS["score"], "rank": [1, 2, 1, 2, 3], "RANK": [1, 2, 1, 2, 3]},
        {"score": ROWS["score"], "rank": [[1], [2], [1], [2], [3]]},
    )
    for columns in silent:
        for call in by_names("score", **columns):
            assert not any("contradicts" in note for note in call().notes)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("name", ["distance", "Dist", "distances"])
def test_distances_by_name(name, library):
    """Their order tells whether the numbers of what is called a distance rise or fall."""
    fall = [0.4, 0.1, 0.9, 0.3, 0.2]
    for of_score in (name, None):
        for numbers, note in ((ROWS["score"], "rises"), (fall, "falls")):
            for number, call in enumerate(by_names(of_score, **{name: numbers})):
                data = call(LIBRARIES[library])
                table = ("predictions", "table")[number]
                assert f"{table}: '{name}' {note} from the best item on, so" in data.notes[-1]
                assert mean_reciprocal_rank_score(data) == 1
                assert data.y_score.nnz == 5
    for call in by_names("minus_distance", minus_distance=ROWS["score"]):
        assert mean_reciprocal_rank_score(call()) == (1 / 2 + 1 / 3) / 2


def test_distances_whose_order_tells_nothing():
    for call in by_names("dist", dist=[0.4, 0.4, 2, 2, 2]):
        assert "'dist' is a distance, so each score is minus it" in call().notes[-1]
    for numbers in ([0.1, 0.4, 0.9, 0.3, 0.2], [0.1, 0.4, 0.2, 0.9, 0.3]):
        for number, call in enumerate(by_names("dist", dist=numbers)):
            table = ("predictions", "table")[number]
            with raises(table, "distances that rise", got="'dist' that rises and falls"):
                call()
    small = np.array([1, 4, 0, 3, 9], np.uint8)
    for call in by_names("dist", dist=small):
        assert call().y_score.toarray().min() == -9


def test_ranks_beside_distances():
    for call in by_names("dist", dist=ROWS["score"], rank=[1, 2, 1, 2, 3]):
        assert not any("contradicts" in note for note in call().notes)


SUFFIXES = [".csv", ".json", ".parquet"]


def written(path, table):
    """Write a table of lists, and return its path as text."""
    if path.suffix == ".parquet":
        pytest.importorskip("pyarrow", reason="it is in the extra parquet")
        pl.DataFrame(table).write_parquet(path)
    elif path.suffix == ".json":
        path.write_text(json.dumps(pl.DataFrame(table).to_dicts()), encoding="utf-8")
    else:
        pl.DataFrame(table).write_csv(path)
    return str(path)


@pytest.mark.parametrize("worth_pyarrow", [0, 10**6])
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_command_says_what_contradicts_the_scores(
    suffix, worth_pyarrow, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(_delimited, "PYARROW_BYTES", worth_pyarrow)
    gold = written(tmp_path / f"gold{suffix}", GOLD)
    found = written(tmp_path / f"found{suffix}", ROWS | {"rank": [1, 2, 1, 2, 3]})
    assert main([gold, found, "-m", "mrr", "--format", "json"]) == 0
    out, err = capsys.readouterr()
    note = f"{found}: 'rank' contradicts 'score' in 2 of 2 queries; the scores count"
    assert note in json.loads(out)[0]["notes"]
    assert f"warning: {found}: In predictions, 'rank' contradicts" in err
    for several in ([1, 2, None, None, 3], [*"abcde"], [2, 1, 3, 2, 1]):
        found = written(tmp_path / f"other{suffix}", ROWS | {"rank": several})
        assert main([gold, found, "-m", "mrr", "--format", "json"]) == 0
        out, err = capsys.readouterr()
        assert ("contradicts 'score' in 1 of 2" in out) == (several[0] == 1)
    table = {("dist" if name == "score" else name): column for name, column in ROWS.items()}
    found = written(tmp_path / f"distances{suffix}", table)
    for named in (["--score", "dist"], []):
        assert main([gold, found, "-m", "mrr", *named]) == 0
        out, _ = capsys.readouterr()
        assert f"{found}: 'dist' rises from the best item on, so each score is minus" in out
        assert "1.0000" in out
