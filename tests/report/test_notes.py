"""The lines of a report about what its scores cannot tell."""

from __future__ import annotations

import pickle
import re
import warnings
import weakref

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from raising import raises

from ranking_scores import ranking_report, recall_at_k_score
from ranking_scores.report import _MOST_CELLS, read_report
from ranking_scores.tables import RankingData, from_lists, from_table, from_tables

GOLD = {"a": ["b"], "b": ["c", "d"], "c": ["a"]}
FOUND = {"a": ["x", "b", "y"], "b": ["c", "y"], "c": ["x", "y", "z"]}


def notes_of(report):
    """Return the lines below the number of queries, but those about joined tables and groups."""
    lines = repr(report).splitlines()
    first = next(number for number, line in enumerate(lines) if " quer" in line)
    return [
        line
        for line in lines[first + 1 :]
        if not re.search("but not|over group|worst group", line)
    ]


def notes(y_true=GOLD, y_score=FOUND, *, scores=("recall@2",), **params):
    """Return the notes of the report of lists or of arrays."""
    if isinstance(y_true, dict):
        y_true, y_score = from_lists(y_true, y_score), None
    scores = scores if isinstance(scores, dict) else list(scores)
    return notes_of(ranking_report(y_true, y_score, scores=scores, **params))


def test_nothing_is_said_of_scores_that_tell_something():
    assert notes(scores=["recall@2", "ndcg@1", "precision@2"]) == []


def test_cutoffs_beyond_the_end_of_all_lists():
    line = "no list has more than 3 items, so these equal those at 3: recall@5, recall"
    names = ["recall", "recall@5", "recall@1", "recall@2", "recall@3"]
    assert notes(scores=names) == [line]
    # Precision divides by the cutoff, and nDCG by an ideal that may have more items.
    assert notes(scores=["precision@3", "precision@5", "recall@1"]) == []
    gold = {"a": list("bcdef"), "b": ["c"]}
    assert notes(gold, FOUND | {"a": ["x", "b", "c"]}, scores=["ndcg@3", "ndcg@5"]) == []
    labels, scores = [[0, 2, 0], [2, 0, 1]], [[1, 2, 3], [3, 1, 2]]
    line = "no list has more than 3 items, so these equal those at 4: map, mrr"
    assert notes(labels, scores, scores=["map", "mrr", "map@4", "mrr@4", "map@2"]) == [line]
    assert notes([[0, 1]], [[1, 2]], scores=["mrr@2", "mrr@3"], where=[[True, True]]) != []
    one = notes({"a": ["b"], "c": ["d"]}, {"a": ["b"], "c": ["x"]}, scores=["mrr", "mrr@1"])
    assert one[0] == "no list has more than 1 item, so these equal those at 1: mrr"
    # Two names of one score are no news, and nor are scores whose options are not the same.
    assert notes(labels, scores, scores={"a": "ndcg", "b": "ndcg", "c": "map@2"}, k=None) == []
    assert notes(labels, scores, scores={"a": "map@4", "b": "map@4", "c": "map@2"}) == []
    assert notes(labels, scores, scores=["map@4", "AP(rel=2)@5", "map@2"]) == []


def test_cutoffs_of_undefined_queries():
    found = notes(
        GOLD | {"d": []}, FOUND, scores=["recall@3", "recall@5"], replace_undefined_by=np.nan
    )
    assert found == ["no list has more than 3 items, so these equal those at 3: recall@5"]


def test_all_are_relevant():
    ranked = "all items at ranks that count are relevant"
    assert notes(GOLD, {"a": ["b"], "b": ["c"], "c": ["a"]}, scores=["recall@2"])[0] == ranked
    assert notes([[1, 1], [2, 1]], [[1, 2], [2, 1]], scores=["ndcg", "map@1"])[0] == ranked
    assert ranked not in notes([[1, 1], [2, 1]], [[1, 2], [2, 1]], relevance_threshold=2)
    assert ranked not in notes([[1, 1], [2, 1]], [[1, 2], [2, 1]], scores=["ndcg"])
    with pytest.warns(UserWarning, match="No relevant item"):
        assert ranked not in notes({"a": ["b"], "c": ["d"]}, {"a": [], "c": ["x"]})
    assert ranked not in notes(GOLD, {query: [] for query in GOLD})
    wide, one = np.zeros((70, 1200)), np.arange(1200)
    wide[:, -1] = 1  # so few items have labels that the others get no rank
    assert ranked not in notes(wide, np.tile(one, (70, 1)), scores=["recall@2"])
    judged = "all judged items are relevant, so unjudged ones are the only wrong ones"
    assert judged in notes(GOLD, FOUND | {"c": ["a"]}, scores=["recall@2", "bpref"])
    assert judged in notes(scores=["recall@1"], unjudged=True)
    graded = {query: dict.fromkeys(items, 1) | {"y": 0} for query, items in GOLD.items()}
    assert judged not in notes(graded, FOUND, scores=["recall@1"], unjudged=True)


def test_one_relevant_item_of_each_query():
    line = "no query has more than one relevant item, so recall is hit rate"
    gold = GOLD | {"b": ["c"], "d": []}
    assert line in notes(gold)
    assert line not in notes()
    assert line not in notes(gold, scores=["hit_rate@2", "ndcg@2"])
    assert line not in notes({"a": ["b"]}, {"a": ["x", "b"]})
    # A class is the only one of its sample.
    scores = [[1, 2, 3], [3, 2, 1]]
    assert line not in notes([0, 1], scores, labels=[0, 1, 2], scores=["recall@2"])
    assert line in notes([1, 0, 1, 0], [2, 1, 1, 2], qid=[0, 0, 1, 1], scores=["recall@1"])


@pytest.mark.parametrize("scores", [["recall@1", "AP(rel=2)"], ["AP(rel=2)", "recall@1"]])
def test_items_that_are_relevant_to_one_of_two_scores(scores):
    all_relevant = [[2, 1], [2, 1]], [[2, 1], [1, 2]]
    assert notes(*all_relevant, scores=scores) == []  # but 1 is not relevant to one of the scores
    assert len(notes(*all_relevant, scores=["recall@1", "mrr@1"])) == 2
    one_relevant = [[2, 1, 0]] * 2, [[1, 3, 2]] * 2
    assert notes(*one_relevant, scores=scores) == []


def test_every_query_scores_the_same():
    labels, scores = [[0, 1, 0], [1, 0, 0]], [[1, 3, 2], [1, 2, 3]]
    of_all = ["every query scores 1 in recall@3, auc", "every query scores 0 in mrr@1"]
    assert notes(labels, [[1, 3, 2]] * 2, scores=["mrr@1", "ndcg@2"]) == []
    found = notes([[0, 1, 0]] * 2, [[3, 1, 2], [3, 1, 2]], scores=["mrr@1", "recall@3", "dcg@1"])
    assert found[1:] == [
        "every query scores 1 in recall@3",
        "every query scores 0 in mrr@1, dcg@1",
    ]
    assert of_all[0] not in notes(labels, scores, scores=["recall@3", "auc"])
    assert notes(labels[:1], scores[:1], scores=["mrr@1"]) == []  # a single query
    assert notes([[2, 0], [0, 1]], [[2, 1], [2, 1]], scores=["dcg@1"]) == []  # 2 and 0
    with pytest.warns(UserWarning, match="undefined"):
        assert notes([[0, 0], [0, 0]], [[1, 2], [2, 1]], scores=["mrr"], k=1) == []
    report = ranking_report(labels, scores, scores="mrr@1", by=["x", "y"])
    assert notes_of(report) == []
    group = ranking_report(labels * 2, scores * 2, scores="mrr@1", by=list("xyxy")).by_group
    assert notes_of(group["group"]["x"]) == ["every query scores 1 in mrr@1"]


FORMS = {
    "lists": {"a": ["a", "b"], "b": ["c", "x"], "c": ["c", "a"]},
    "pairs": {"a": [("b", 0.9), ("a", 0.1)], "b": [("c", 0.5)], "c": [("a", 0.7), ("c", 0.7)]},
    "dicts": {"a": {"a": 0.9, "b": 0.1}, "b": {"c": 0.5}, "c": {"a": 0.8, "c": 0.7}},
    "tied": {"a": {"a": 0.9, "b": 0.9}, "b": {"c": 0.5}, "c": {"a": 0.8, "c": 0.7}},
}
OWN = "2 queries have an item with their own id: see `drop_self`"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("score", ["recall@2", "recall", "bpref"])
def test_a_query_among_its_own_items(form, score):
    assert OWN in notes(GOLD, FORMS[form], scores=[score])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = from_lists(GOLD, FORMS[form], drop_self=True)
    assert not any("own id" in line for line in notes_of(ranking_report(data, scores=score)))


def table(lists, *names):
    rows = [
        (query, item, 1 - place / 8)
        for query, row in lists.items()
        for place, item in enumerate(row)
    ]
    return pd.DataFrame(rows, columns=["query", "item", *names])


@pytest.mark.parametrize("numbers", ["score", "rank"])
def test_a_query_among_its_own_items_in_tables(numbers):
    judged, found = table(GOLD, "label"), table(FORMS["lists"], "score")
    if numbers == "rank":
        found = found.assign(rank=1 + found.groupby("query").cumcount()).drop(columns="score")
    for k in (1, 2, None):
        count = 1 if k == 1 and numbers == "" else 2
        report = ranking_report(from_tables(judged, found), scores="recall", k=k)
        assert OWN.replace("2", f"{count}", 1) in notes_of(report)
    data = from_tables(judged, found)
    assert OWN in notes_of(ranking_report(RankingData(*data), scores="recall", k=2))
    joined = judged.merge(found, how="outer")
    assert OWN in notes_of(ranking_report(from_table(joined), scores="recall", k=2))
    alone = notes(GOLD, FOUND | {"a": ["a", "b"]})
    assert alone == ["1 query has an item with its own id: see `drop_self`"]


def test_numbers_may_count_queries_and_items_on_their_own():
    gold = {"1": ["2", "4"], "2": ["3", "1"], "3": ["9", "1"]}
    found = {"1": ["1", "2"], "2": ["4", "3"], "3": ["1", "2"]}
    assert notes(gold, found, scores=["ndcg@2"]) == []
    assert notes(gold, found | {"2": ["2", "3"]}, scores=["ndcg@2"]) == [OWN]
    as_ints = [
        {int(query): [*map(int, row)] for query, row in each.items()}
        for each in (gold, found | {"2": ["2", "3"]})
    ]
    assert notes(*as_ints, scores=["ndcg@2"]) == []
    texts = {"1": ["x"], "2": ["1", "y"]}
    assert notes(texts, {"1": ["x", "z"], "2": ["z", "y"]}, scores=["ndcg@2"]) == []
    mixed = {("t", 1): ["x", "z"], ("t", 2): ["y", "w"]}
    assert notes(mixed, {each: row[::-1] for each, row in mixed.items()}, scores=["ndcg@1"])


def test_items_that_are_no_longer_known():
    line = "2 of 4 relevant items (50.0%) are not among the known items: 'b', 'c'"
    for known in (["a", "d"], {"a", "d"}, np.array(["a", "d"]), pd.Series(["a", "d", "x"])):
        assert notes(known_items=known) == [line]
    assert notes(known_items=["abcd", *"abcd"]) == []
    masked = np.ma.array(["a", "d", "b"], mask=[False, False, True])
    assert notes(known_items=masked) == [line]
    days = pd.to_datetime(["2026-01-01", "2026-01-02"])
    judged = pd.DataFrame({"query": ["a", "b"], "item": days, "label": 1})
    data = from_tables(judged, judged.rename(columns={"label": "score"}))
    for known in (days[:1], pd.Series(days[:1]), days[:1].to_numpy()):
        report = ranking_report(data, scores="ndcg@1", known_items=known)
        assert "1 of 2 relevant items (50.0%) is not among the known items" in repr(report)
    graded = {"a": {"b": 2, "c": 1, "x": 0}}
    one = "1 of 1 relevant items (100.0%) is not among the known items: 'b'"
    assert one in notes(graded, FOUND, known_items=["c"], relevance_threshold=2)
    assert notes({"a": {"b": 0}}, {"a": ["c", "b"]}, known_items=["c"], scores=["dcg@1"]) == []
    aspects = from_lists({"a": {"who": ["b"], "when": ["z"]}}, {"a": ["b"]}, aspects=True)
    report = ranking_report(aspects, scores="recall@1", known_items=["b"])
    assert "1 of 2 relevant items (50.0%) is not among the known items: 'z'" in repr(report)


@pytest.mark.parametrize(
    ("data", "known", "text"),
    [
        (from_lists(GOLD, FOUND), [1, 2], "of the type of those of relevant items, such as 'b'"),
        (from_lists(GOLD, FOUND), "abc", "the ids of all items"),
        (from_lists(GOLD, FOUND), [], "the ids of all items"),
        (from_lists(GOLD, FOUND), 3, "the ids of all items"),
        (from_lists(GOLD, FOUND), [["a"], ["b"]], "the ids of all items"),
        (
            from_lists(GOLD, FOUND),
            pd.DataFrame({"id": ["a"], "text": ["b"]}),
            "the ids of all items",
        ),
        ([[0, 1]], ["a"], "None unless y_true is RankingData"),
    ],
)
def test_known_items_are_refused_by_name(data, known, text):
    y_score = None if isinstance(data, RankingData) else [[1, 2]]
    with raises("known_items", text):
        ranking_report(data, y_score, scores="recall@1", known_items=known)


LABELS, TIED = [[0, 2, 1, 0], [1, 0, 0, 0]], [[1.0, 2, 2, 1], [3, 1, 2, 2]]


def test_ties_that_matter():
    report = ranking_report(LABELS, TIED, scores=["recall", "ndcg"], k=[1, 2])
    wide = ranking_report(LABELS, TIED, scores=["recall", "ndcg"], k=[1, 2], ties=True)
    low, mean, high = (each["ndcg@1"] for each in (wide.worst, wide.mean, wide.best))
    line = f"ties matter most to ndcg@1: lowest {low:.4f}, expected {mean:.4f}, highest {high:.4f}"
    constant = "every query scores 1 in recall@2"
    assert notes_of(report) == [constant, line]
    assert notes_of(wide) == [constant]  # the columns have the rest
    assert notes(LABELS, TIED, scores=["mrr", "recall@3"])[-1:] != [line]
    assert notes(LABELS, TIED, scores=["ndcg@1"], ignore_ties=True) == []
    assert notes(LABELS, [[1, 2, 3, 4], [4, 1, 2, 3]], scores=["ndcg@1"]) == []
    programs = ["trec_eval:ndcg_cut_2", "ndcg@1"]  # the first has one order of its own
    assert notes(LABELS, TIED, scores=programs) == []
    lower = notes([[1, 0], [0, 1]], [[1, 1], [1, 2]], scores=["arp"])
    assert lower == ["ties matter most to arp: lowest 1.0000, expected 1.2500, highest 1.5000"]
    labels, scores = [[0, 0], [1, 0]], [[1, 1], [1, 1]]
    found = notes(labels, scores, scores=["mrr@1", "dcg@1"], replace_undefined_by=np.inf)
    assert [line[:28] for line in found] == ["ties matter most to dcg@1: l"]  # inf is no range


def test_ties_are_looked_at_when_a_report_is_printed(tmp_path):
    scores = np.array(TIED)
    first, again = (ranking_report(LABELS, scores, scores="ndcg@1") for _ in "ab")
    kept = ranking_report(LABELS, TIED, scores="ndcg@1")
    [line] = notes_of(first)
    assert pickle.loads(pickle.dumps(kept))._ties == [line]
    kept.to_json(tmp_path / "kept.json", per_query=False)
    assert repr(read_report(tmp_path / "kept.json")) == repr(kept)
    scores[0] = [2, 2, 1, 1]
    assert notes_of(again) == []  # since the scores are no longer those of the report
    assert notes_of(first) == [line]
    with pytest.warns(UserWarning, match="undefined"):
        report = ranking_report(LABELS, TIED, scores=["ndcg@1", "AP(rel=3)"])
    assert notes_of(report) == [line]  # without another warning
    rising = notes(LABELS, TIED, scores=["dcg@3"], discount=lambda rank: rank)
    assert rising == []  # the best order is not known


def test_ties_of_other_data_with_the_same_mean():
    labels, scores = [[1, 0], [1, 0], [0, 1], [0, 1]], np.array([[1, 1], [1, 1], [2, 1], [1, 2]])
    report = ranking_report(labels, scores, scores="mrr@1")
    scores[:] = 1  # also 0.5, and from 0 to 1
    assert notes_of(report) == []


def test_what_the_caller_s_function_raises_is_no_error_of_a_printed_report():
    are_open = [True]

    def gain(label):
        if not are_open[0]:
            raise OSError("closed")
        return label

    report = ranking_report(LABELS, TIED, scores="ndcg@1", gain=gain)
    are_open[0] = False
    assert notes_of(report) == []


def test_a_view_keeps_no_larger_array():
    many = np.array(TIED * 1000)
    report, base = ranking_report(LABELS, many[:2], scores="ndcg@1"), weakref.ref(many)
    del many
    assert base() is None
    assert len(notes_of(report)) == 1


def test_data_that_is_large_is_not_kept_to_look_at_its_ties():
    cells = np.zeros((2, _MOST_CELLS // 2 + 1))
    cells[:, 0] = 1
    line = "scores tie: `ties=True` has the lowest and the highest means"
    stored = sp.csr_array(np.ones((2, _MOST_CELLS // 2 + 1)))  # many labels, and few scores
    found = sp.csr_array(([1.0, 1], ([0, 0], [0, 1])), shape=stored.shape)
    assert notes(stored, found, scores=["recall@1"])[-1] == line
    assert notes(cells, np.zeros(cells.shape), scores=["recall@1"])[-1] == line
    assert notes(LABELS, TIED, scores=["recall@1"], unjudged=True)[-1] == line


def test_sparse_scores_and_weights_of_queries():
    both = [sp.csr_array(np.array(each)) for each in (LABELS, TIED)]
    found = notes(*both, scores=["ndcg@1"], sample_weight=[3, 1])
    report = ranking_report(*both, scores="ndcg@1", sample_weight=[3, 1], ties=True)
    low, high = report.worst["ndcg@1"], report.best["ndcg@1"]
    assert f"lowest {low:.4f}, expected {report['ndcg@1']:.4f}, highest {high:.4f}" in found[0]


def test_saved_notes_are_those_of_the_report(tmp_path):
    data = from_lists(GOLD, FORMS["pairs"])
    report = ranking_report(
        data, scores=["recall@5", "recall@9", "hit_rate@5"], known_items=["a"], by=list("xxy")
    )
    report.to_json(tmp_path / "report.json")
    read = read_report(tmp_path / "report.json")
    assert repr(read) == repr(report)
    for group in "xy":
        own, saved = (each.by_group["group"][group] for each in (report, read))
        assert repr(own) == repr(saved)
    assert len(notes_of(read)) == 4
    assert recall_at_k_score(data, k=5) == read["recall@5"]


@pytest.mark.parametrize("dtype", [">f8", ">u4", "int8"])
def test_ties_of_retrieved_items_beside_labels_of_any_dtype(dtype):
    scores = sp.csr_array([[1, 1, 0], [2, 3, 3]])
    report = ranking_report(np.eye(2, 3).astype(dtype), scores, scores="mrr", k=None)
    own = sp.csr_array(np.eye(2, 3))
    assert notes_of(report) == notes_of(ranking_report(own, scores, scores="mrr", k=None)) != []
