"""What an explanation of a query lists, names, prints and refuses."""

from __future__ import annotations

import dataclasses
import math
import pickle
import subprocess
import sys
from unittest import mock

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from explained_parts import ERR, TOLERANCE, check_sums, close, rises
from raising import raises

from ranking_scores import ndcg_score
from ranking_scores.explain import ItemMove, ItemPart, QueryExplanation, explain_query
from ranking_scores.explain._rescoring import Rescorer
from ranking_scores.tables import RankingData, from_lists, from_tables

NAN = np.nan


# --- which items are listed ----------------------------------------------------------------------


def test_the_worst_queries_are_explained_if_none_is_named():
    y_true, y_score = [[1, 0], [0, 1], [1, 0], [0, 1], [0, 1]], [[2, 1]] * 5
    found = explain_query(y_true, y_score)
    assert [each.query for each in found] == [1, 3, 4]
    assert {each.score for each in found} == {"ndcg@10"}
    assert explain_query(y_true[:1], y_score[:1]).query == 0
    data = from_lists({"q": {"x": ["a"]}, "r": {"y": ["b"]}}, {"q": ["a"]}, aspects=True)
    assert [each.query for each in explain_query(data)] == [("r", "y"), ("q", "x")]


def test_items_that_gain_nothing_are_listed_above_one_that_matters():
    found = explain_query([[0, 1, 0, 0, 0]], [[5, 4, 4, 3, 2]], score="map")
    assert [part.item for part in found.items] == [1, 0, 2]
    assert found.n_left_out == 2
    # Beyond the cutoff, an item cannot take the place of one that matters.
    found = explain_query([[0, 0, 0, 1]], [[4, 3, 2, 1]], score="map", k=2)
    assert [part.item for part in found.items] == [3, 0, 1]
    assert found.n_left_out == 1
    assert found.items[0].first_rank == 4


def test_missed_items_are_listed_with_what_each_costs():
    data = from_lists({"q": {"a": 2, "b": 1, "c": 0}}, {"q": ["x", "b"]})
    found = explain_query(data, score="ndcg")
    assert [(part.item, part.first_rank) for part in found.items] == [
        ("a", None),
        ("x", 1),
        ("b", 2),
    ]
    check_sums(found)
    nothing = explain_query(
        from_lists({"q": ["a"], "r": ["x"]}, {"r": ["x"]}), score="map", query="q"
    )
    [part] = nothing.items
    assert (part.item, part.lost, part.if_first, nothing.value) == ("a", 1, 1, 0)


def test_the_best_change_of_a_position_makes_it_lower():
    found = explain_query([[1, 0, 0, 1]], [[4, 3, 2, 1]], score="arp")
    assert not found.greater_is_better
    assert (found.value, found.best) == (2.5, 1.5)
    assert (found.best_change.item, found.best_change.if_first) == (3, 1.5)
    assert [(part.item, part.lost) for part in found.items[:1]] == [(3, 1.25)]


def test_equal_costs_are_counted():
    found = explain_query([[0, 1, 1, 1]], [[4, 3, 3, 3]], score="ndcg@1")
    assert "1 and 2 more cost most, 0.3333 each" in repr(found)


def test_a_perfect_ranking_loses_nothing():
    rng = np.random.default_rng(1)
    for score, n_labels in (("ndcg", 4), ("map", 2), ("recall@5", 2), (ERR, 4)):
        y_true = rng.integers(0, n_labels, (20, 30))
        for found in explain_query(y_true, y_true, score=score, query=range(20)):
            assert {part.lost for part in found.items} == {0}
            assert repr(found).partition("\n")[0].endswith(" at best")


def test_moving_an_item_up_may_gain_nothing():
    found = explain_query([[1, 0]], [[2, 1]], score="ndcg")
    assert found.best_change is None
    assert "no item would gain anything by a move to the first rank" in repr(found)


# --- queries and their names ---------------------------------------------------------------------


Y_TRUE = [[1, 0, 0], [0, 0, 0], [0, 0, 1], [0, 1, 0]]
Y_SCORE = [[3, 2, 1], [3, 2, 1], [3, 2, 1], [3, 2, 1]]


def test_the_worst_queries_come_first():
    found = explain_query(Y_TRUE, Y_SCORE, score="mrr", worst=2)
    assert [(each.query, each.value) for each in found] == [(2, 1 / 3), (3, 0.5)]
    assert found.n_undefined == 1
    assert repr(found).endswith("1 query with an undefined score is left out")
    found = explain_query(Y_TRUE, Y_SCORE, score="arp", worst=10, replace_undefined_by=99)
    assert [each.value for each in found] == [3, 2, 1]
    assert len(found) == 3
    assert found[:2] == (found[0], found[1])


def test_a_query_has_its_id():
    qid = ["b", "b", "a", "a"]
    rows = {"y_true": [0, 1, 1, 0], "y_score": [2, 1, 2, 1], "qid": qid}
    found = explain_query(**rows, score="mrr", query="b")
    assert (found.query, found.value) == ("b", 0.5)
    assert [part.item for part in found.items] == [1, 0]
    named = explain_query(**rows, score="mrr", query=np.str_("b"), item_ids=list("wxyz"))
    assert [part.item for part in named.items] == ["x", "w"]
    found = explain_query(Y_TRUE, Y_SCORE, score="mrr", query="r", query_ids=[*"pqrs"])
    assert (found.query, found.value) == ("r", 1 / 3)
    days = np.array(["2026-01-01", "2026-01-02"], dtype="M8[D]")
    found = explain_query(Y_TRUE[:2], Y_SCORE[:2], score="mrr", query_ids=days, query=days[0])
    assert found.query == days[0]
    found = explain_query(Y_TRUE, Y_SCORE, score="mrr", query=np.int64(2))
    assert found.query == 2
    whether = explain_query(
        Y_TRUE[:2], Y_SCORE[:2], score="mrr", query_ids=[False, True], query=[True]
    )
    assert [each.query for each in whether] == [True]


def test_a_query_may_be_a_tuple_a_date_or_a_duration():
    tuples = np.empty(2, dtype=object)
    tuples[:] = [("a", 1), ("b", 2)]
    rows = {"y_true": [0, 1, 1, 0], "y_score": [2, 1, 2, 1], "score": "mrr"}
    qid = tuples[[0, 0, 1, 1]]
    assert explain_query(**rows, qid=qid, query=("b", 2)).value == 1
    assert [each.value for each in explain_query(**rows, qid=qid, query=[*tuples])] == [0.5, 1]
    days = pd.Series(pd.to_datetime(["2026-01-01", "2026-01-02"]))[[0, 0, 1, 1]]
    for day in (days.iloc[3], days.iloc[3].to_pydatetime(), "2026-01-02", days.iloc[3].to_numpy()):
        assert explain_query(**rows, qid=days.to_numpy(), query=day).query == days.iloc[3]
    several = explain_query(**rows, qid=days.to_numpy(), query=days.unique())
    assert [each.value for each in several] == [0.5, 1]
    waits = np.array([1, 1, 2, 2], dtype="m8[s]")
    assert explain_query(**rows, qid=waits, query=np.timedelta64(2000, "ms")).value == 1
    for wrong in ("2026-01-02 00:00:01", 20, "x", np.datetime64("2026-01-02T00:00:00.000000001")):
        day = days.to_numpy().astype("M8[D]")
        with raises("query", "the id of a query, such as 2026-01-01"):
            explain_query(**rows, qid=day, query=wrong)


def test_an_item_has_its_id():
    found = explain_query(Y_TRUE[2:3], Y_SCORE[2:3], score="mrr", item_ids=["x", "y", "z"])
    assert [part.item for part in found.items] == ["z", "x", "y"]
    samples = explain_query(["cat", "owl"], [[1, 2], [1, 2]], score="mrr", query=0)
    assert [(part.item, part.label) for part in samples.items] == [("cat", 1), ("owl", 0)]
    named = explain_query(["cat"], [[1, 3, 2]], score="mrr", labels=["cat", "dog", "owl"], query=0)
    assert [part.item for part in named.items] == ["cat", "dog", "owl"]
    lists = pl.Series([[1], [0, 1]]), pl.Series([[1], [2, 1]])
    assert [part.item for part in explain_query(*lists, score="mrr", query=1).items] == [1, 0]
    item_ids = pl.Series([["a"], ["b", "c"]])
    named = explain_query(*lists, score="mrr", query=1, item_ids=item_ids)
    assert [part.item for part in named.items] == ["c", "b"]
    stored = sp.csr_array(np.array([[0.0, 2, 1]]))
    named = explain_query([[1, 0, 1]], stored, score="mrr", item_ids=[*"abc"])
    assert {part.item for part in named.items} == {*"abc"}


def test_ranking_data_have_ids():
    judged = {"query": [1, 1, 2], "item": ["a", "b", "a"], "label": [1, 0, 1]}
    predicted = {"query": [1, 1, 2], "item": ["b", "a", "x"], "score": [2, 1, 1]}
    data = from_tables(judged, predicted, query="query", item="item", label="label", score="score")
    found = explain_query(data, score="mrr", query=[2, 1])
    assert [(each.query, each.value) for each in found] == [(2, 0), (1, 0.5)]
    renamed = explain_query(data, score="mrr", query="two", query_ids=["one", "two"])
    assert renamed.query == "two"
    assert {part.item for part in renamed.items} == {"a", "x"}


def test_ids_must_be_of_these_data():
    rows = {"y_true": [1, 0], "y_score": [1, 2], "qid": [1, 1], "score": "mrr"}
    y_true, ids = pd.Series([1, 0]), pd.Series(["a", "b"], index=[1, 0])
    with raises("item_ids", "indexed like y_true"):
        explain_query(**rows | {"y_true": y_true}, item_ids=ids)
    with raises("qid", "None if `query_ids`"):
        explain_query(**rows, query_ids=["a", "b", "c"])
    unhashable = np.empty(2, dtype=object)
    unhashable[:] = [["a"], ["b"]]
    with raises("item_ids", "made of hashable ids"):
        explain_query([[1, 0]], [[1, 2]], score="mrr", item_ids=unhashable)


def test_another_ranking_is_matched_by_the_ids_of_the_data():
    data = from_lists({"q": ["a"], "r": ["b"]}, {"q": ["a"], "r": ["x", "b"]})
    found = explain_query(data, score="mrr", query="q", query_ids=["r", "q"], other=data)
    assert (found.value, found.other_value) == (0.5, 0.5)


def test_errors_about_labels_beside_another_ranking_are_about_labels():
    data, other = (
        from_lists({"q": ["a"]}, {"q": ["a"]}),
        from_lists({"q": {"a": -1}}, {"q": ["a"]}),
    )
    with raises("y_true", "at least 0"):
        explain_query(data, score="ndcg", other=other)


def test_items_that_only_fill_ranks_have_no_id():
    judged = {"query": ["q", "q"], "item": ["a", "b"]}
    predicted = {"query": ["q", "q"], "item": ["a", "x"], "rank": [3, 6]}
    data = from_tables(judged, predicted, query="query", item="item", rank="rank")
    found = explain_query(data, score="mrr", other=data)
    assert [part.item for part in found.items] == ["b", "a", None, None, None, None, "x"]
    assert found.moves == ()
    predicted = {"query": ["q", "q"], "item": ["a", "x"], "rank": [1, 4]}
    other = from_tables(judged, predicted, query="query", item="item", rank="rank")
    filled = explain_query(data, score="dcg", gain=lambda label: label + 1, other=other)
    check_sums(filled)
    changes = [move.change for move in filled.moves]
    assert close(math.fsum(changes), filled.other_value - filled.value)
    assert [move.item for move in filled.moves].count(None) == 4


# --- another ranking -----------------------------------------------------------------------------


JUDGED = {"q": {"a": 3, "b": 2, "c": 1}, "r": {"d": 1}}


def test_another_ranking_moves_items():
    old = from_lists(JUDGED, {"q": {"x": 3, "a": 2, "b": 2}, "r": {"d": 1}})
    new = from_lists(JUDGED, {"q": ["a", "c", "y"], "s": ["d"]}, queries="all")
    found = explain_query(old, score="ndcg", query="q", other=new)
    moves = {move.item: move for move in found.moves}
    assert moves["a"][:4] == ("a", 3, (2, 3), (1, 1))
    assert moves["b"][:4] == ("b", 2, (2, 3), None)
    assert moves["c"][:4] == ("c", 1, None, (2, 2))
    assert {*moves} == {"a", "b", "c"}
    changes = [abs(move.change) for move in found.moves]
    assert changes == sorted(changes, reverse=True)
    assert close(sum(move.change for move in found.moves), found.other_value - found.value)
    both = explain_query(old, score="ndcg", query=["q", "r"], other=new)
    assert both[0] == found


def test_an_item_that_stays_does_not_move():
    found = explain_query([[1, 1, 0]], [[3, 2, 1]], score="map", other=[[3, 1, 2]])
    assert found.moves == (ItemMove(1, 1, (2, 2), (3, 3), 0.5, 1 / 3, 1 / 3 - 0.5),)
    same = explain_query([[1, 1, 0]], [[3, 2, 1]], score="map", other=[[9, 8, 7]])
    assert same.moves == ()
    assert "in the other ranking it is 1.0000, the same" in repr(same)


# --- results -------------------------------------------------------------------------------------


DATA = from_lists(
    {"tea": {"a": 3, "b": 2, "c": 1}, "milk": {"d": 1}, "salt": {"e": 1}},
    {"tea": {"x": 5, "b": 4, "c": 3, "y": 3, "z": 1}, "milk": {"d": 1}, "salt": {"x": 1}},
)
OTHER = from_lists(
    {"tea": {"a": 3, "b": 2, "c": 1}, "milk": {"d": 1}, "salt": {"e": 1}},
    {"tea": {"a": 2, "b": 1}, "milk": {"d": 1}, "salt": {"x": 1}},
)


def test_an_explanation_prints_as_a_table():
    found = explain_query(DATA, score="ndcg@3", query="tea", other=OTHER)
    assert (
        repr(found)
        == """\
ndcg@3 of query 'tea' is 0.3175, and 1.0000 at best; 'a' costs most, 0.6300

   label    part  best part    lost  if first  rank
a      3  0.0000     0.6300  0.6300    0.8400  not retrieved
c      1  0.0525     0.1050  0.0525    0.4200  3 to 4
x      0  0.0000     0.0000  0.0000    0.3175  1
b      2  0.2650     0.2650  0.0000    0.4725  2
y      0  0.0000     0.0000  0.0000    0.2100  3 to 4
if only 'a' were first: 0.8400
1 ranked item adds nothing and is left out

in the other ranking it is 0.8950, 0.5775 more

   label  part before  part now   change  rank before    rank now
a      3       0.0000    0.6300   0.6300  not retrieved  1
c      1       0.0525    0.0000  -0.0525  3 to 4         not retrieved"""
    )
    html = found._repr_html_()
    assert html.count("<table>") == 2
    assert "<p>if only 'a' were first: 0.8400</p>" in html
    several = explain_query(DATA, score="ndcg@3", worst=2)
    assert repr(several) == "\n\n\n".join(map(repr, several))
    assert several._repr_html_().count("<table>") == 2


def test_nothing_is_blamed_for_a_perfect_score():
    found = explain_query([[1, 1]], [[2, 1]], score="mrr")
    assert repr(found).startswith("mrr of query 0 is 1.0000, and 1.0000 at best\n")


def test_it_is_said_if_lower_is_better():
    found = explain_query([[0, 1]], [[2, 1]], score="arp")
    assert "is 2.0000, and 1.0000 at best (lower is better); item 1 costs most" in repr(found)


def test_large_labels_have_all_digits():
    assert " 1234567 " in repr(explain_query([[0, 1234567]], [[2, 1]], score="dcg"))


def test_zeros_have_no_sign():
    found = explain_query([[-1, 0]], [[1, 2]], score="dcg", discount=lambda rank: rank - 2)
    assert "-0.0000" not in repr(found)


@pytest.mark.parametrize("name", ["ndcg@500", "map", "err", "precision@500", "rbp"])
def test_few_rankings_are_scored_however_long_a_list_is(name):
    rng = np.random.default_rng(7)
    labels, scores = rng.integers(0, 4, (1, 400)), rng.integers(1, 200, (1, 400))
    retrieved = sp.csr_array(scores * (rng.random(scores.shape) < 0.7))
    options = {"max_grade": 3} if name == "err" else {}
    with mock.patch.object(
        Rescorer, "_scores", autospec=True, side_effect=Rescorer._scores
    ) as seen:
        found = explain_query(labels, retrieved, score=name, **options)
    assert len(found.items) > 100
    rankings = sum(len(call.args[1].scores) for call in seen.call_args_list)
    assert rankings == 3  # of the data, the best one, and one with one item more


def test_an_item_that_adds_nothing_may_gain_by_a_move():
    found = explain_query([[-1, 0, 0]], [[3, 2, 1]], score="dcg")
    assert found.best_change.item in (1, 2)
    assert found.best_change.if_first == pytest.approx(-1 / math.log2(3))
    rising = explain_query([[1, 0, 0]], [[3, 2, 1]], score="dcg", discount=rises)
    assert (rising.best_change.item, rising.best_change.if_first) == (1, 2)


def test_items_below_the_cutoff_are_left_out_of_rankings_that_are_tried():
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, 3, 60), rng.integers(0, 20, 60)
    for name in ("ndcg@4", "map@4", "precision@4", "r_precision", "err@4", "f1@4"):
        options = {"max_grade": 2} if name == "err@4" else {}
        found = explain_query([labels], [scores], score=name, **options)
        for part in found.items:
            moved = scores.copy()
            moved[part.item] = 99
            again = explain_query([labels], [moved], score=name, **options)
            assert part.if_first == pytest.approx(again.value, abs=TOLERANCE)


def test_the_best_list_may_be_longer_than_those_that_are_tried():
    labels = np.zeros((1, 6000))
    labels[0, :2] = 1, -1
    ranked = np.delete(np.arange(6000), 1)
    y_score = sp.csr_array((np.r_[0, np.ones(5998)], ranked, [0, 5999]), labels.shape)
    found = explain_query(labels, y_score, score="dcg", discount=rises)
    assert (found.value, found.best) == (5999, 5999)


def test_an_undefined_score_is_said():
    found = explain_query([[0, 0]], [[2, 1]], score="ndcg")
    assert repr(found) == (
        "ndcg of query 0 is undefined, since no item gains anything; it counts as 0\n\n"
        "2 ranked items add nothing and are left out"
    )
    found = explain_query([[0, 0]], [[2, 1]], score="ndcg", replace_undefined_by=NAN)
    assert "; it is left out of the mean" in repr(found)
    assert (found.best_change, found.items) == (None, ())
    assert math.isnan(found.best)
    assert found == pickle.loads(pickle.dumps(found))
    nothing = explain_query([[0, 0]], [[2, 1]], score="ndcg", where=[[False, False]])
    assert "\n" not in repr(nothing)
    other = from_lists({"q": ["a"]}, {"q": ["a"]})
    undefined = from_lists({"q": {"a": 0}}, {"q": ["a"]})
    assert "it is 1.0000" in repr(explain_query(undefined, score="map", other=other))
    assert "it is undefined; it counts as 0" in repr(
        explain_query(other, score="map", other=undefined)
    )


def test_a_long_table_is_cut(monkeypatch):
    monkeypatch.setattr("ranking_scores._base._results.SHOWN", 2)
    found = explain_query([[1, 1, 1, 1]], [[1, 1, 1, 1]], score="dcg", other=[[4, 3, 2, 1]])
    assert repr(found).count("... and 2 more rows") == 2


def test_weights_are_a_column_if_there_are_any():
    found = explain_query([[1, 2]], [[2, 1]], score="ndcg", item_weight=[[2, 0.5]])
    assert "label  weight    part" in repr(found)
    assert "    1       2  " in repr(found)
    assert "weight" not in repr(explain_query([[1, 2]], [[2, 1]], score="ndcg"))


def test_an_id_is_on_one_line():
    found = explain_query([[1, 0]], [[1, 2]], score="mrr", item_ids=["a\nb", "<i>"])
    assert "\na\\nb  " in repr(found)
    assert "<th>&lt;i&gt;</th>" in found._repr_html_()


def test_results_are_equal_if_their_values_are():
    found, same = (explain_query(DATA, score="ndcg", query="tea") for _ in range(2))
    assert found == same
    assert found != explain_query(DATA, score="ndcg", query="milk")
    assert found != "ndcg"
    several, alike = (explain_query(DATA, score="ndcg", worst=2) for _ in range(2))
    assert several == alike
    assert several != [*several]
    for each in (found, several):
        with pytest.raises(TypeError, match="unhashable"):
            hash(each)
        with pytest.raises(dataclasses.FrozenInstanceError):
            each.query = 1
        assert pickle.loads(pickle.dumps(each)) == each


def test_frames():
    found = explain_query(DATA, score="ndcg@3", query="tea", other=OTHER)
    frame = found.to_frame()
    assert [*frame.columns] == ["query", *ItemPart._fields]
    assert frame["first_rank"].isna().tolist() == [True, False, False, False, False]
    assert frame["part"].sum() == pytest.approx(found.value)
    assert frame["query"].eq("tea").all()
    moves = found.moves_frame()
    assert moves["change"].sum() == pytest.approx(found.other_value - found.value)
    assert moves.loc[1, "last_rank_before"] == 4
    assert moves["first_rank_now"].isna().tolist() == [False, True]
    several = explain_query(DATA, score="ndcg@3", worst=2, other=OTHER)
    pd.testing.assert_frame_equal(
        several.to_frame(),
        pd.concat([each.to_frame() for each in several], ignore_index=True),
    )
    assert len(several.moves_frame()) == sum(len(each.moves) for each in several)


def test_frames_need_pandas():
    found = explain_query(DATA, score="ndcg", query="tea")
    with (
        mock.patch.dict(sys.modules, {"pandas": None}),
        pytest.raises(ImportError, match=r"QueryExplanation\.to_frame needs pandas"),
    ):
        found.to_frame()


# --- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "parameter", "key", "more"),
    [
        ({"score": "auc"}, "score", "adds up", {"advice": "compares pairs"}),
        ({"score": "pairwise_accuracy"}, "score", "adds up", {}),
        ({"score": "all_relevant@2"}, "score", "adds up", {"advice": "items together"}),
        ({"score": "ndgc"}, "score", "one of ndcg", {"advice": "ndcg"}),
        ({"k": [1, 2]}, "k", "one cutoff", {"got": "[1, 2]"}),
        ({"average": None}, "average", "left out", {"got": "None"}),
        ({"query": 1, "worst": 1}, "worst", "None if `query`", {"got": "1"}),
        ({"worst": 0}, "worst", "at least 1", {"got": "0"}),
        ({"worst": True}, "worst", "at least 1", {"got": "True"}),
        ({"worst": "1"}, "worst", "at least 1", {}),
        ({"query": 4}, "query", "from 0 to 3", {"got": "4"}),
        ({"query": -1}, "query", "from 0 to 3", {"got": "-1"}),
        ({"query": True}, "query", "number", {"got": "True", "advice": "query_ids"}),
        ({"query": "a"}, "query", "number", {"got": "'a'", "advice": "qid"}),
        ({"query": []}, "query", "at least one", {"got": "[]"}),
        ({"query": 5, "query_ids": [1, 2, 3, 4]}, "query", "such as 1", {"got": "5"}),
        ({"query": True, "query_ids": [1, 2, 3, 4]}, "query", "such as 1", {"got": "True"}),
        ({"query": [{}], "query_ids": [1, 2, 3, 4]}, "query", "such as 1", {"got": "{}"}),
        ({"query": 0, "query_ids": [1, 2]}, "query_ids", "of shape (4,)", {}),
        ({"query": 0, "item_ids": [1, 2]}, "item_ids", "of shape (3,), one id per column", {}),
        ({"query": 0, "other": DATA}, "other", "scores", {"got": "RankingData"}),
        ({"query": 0, "other": [[1]]}, "other", "shape", {}),
        (
            {"query": 0, "score": "ranx:ndcg@3"},
            "score",
            "of this package",
            {"got": "'ranx:ndcg@3'"},
        ),
        ({"query": np.array(9)}, "query", "from 0 to 3", {}),
        ({"query": 0, "depth": 3}, "depth", "", {}),
    ],
)
def test_errors(parameters, parameter, key, more):
    with raises(parameter, key, **more):
        explain_query(Y_TRUE, Y_SCORE, **{"score": "ndcg"} | parameters)


def test_a_sum_that_overflows_only_in_another_ranking():
    with raises("y_true", "small enough", got="a sum that overflows float64 in query 0"):
        explain_query([[1.5e308, 0, 0, 0, 1.5e308]], [[5, 4, 3, 2, 1]], score="dcg@4")


def test_errors_about_data():
    with raises("y_score", "given", function="explain_query"):
        explain_query(Y_TRUE, score="ndcg")
    with raises("y_true", "labels", function="explain_query"):
        explain_query(ndcg_score, Y_TRUE, Y_SCORE)  # the score before the data
    with raises("other", "RankingData, as", function="explain_query"):
        explain_query(DATA, score="ndcg", query="tea", other=[[1]])
    with raises("other", "has the queries", got="none for 'tea'"):
        explain_query(DATA, score="ndcg", query="tea", other=from_lists([["a"]], [["a"]]))
    lists = pl.Series([[1], [0, 1]]), pl.Series([[1], [2, 1]])
    for item_ids in ([1, 2], pl.Series([["a", "b"], ["c"]])):
        with raises("item_ids", "a column of lists"):
            explain_query(*lists, score="mrr", query=1, item_ids=item_ids)
    with raises("item_ids", "of shape (2,), one id per row"):
        explain_query([0, 1], [2, 1], score="mrr", qid=[1, 1], item_ids=["a"])
    with raises("y_score", "finite"):
        explain_query([[1]], [[NAN]], score="mrr")


def test_a_query_of_the_only_one_need_not_be_named():
    assert isinstance(explain_query([[1]], [[1]], score="mrr"), QueryExplanation)
    assert isinstance(explain_query([1, 0], [1, 2], qid=[3, 3], score="mrr"), QueryExplanation)
    data = RankingData(*(each[:1] if n < 3 else each for n, each in enumerate(DATA)))
    assert explain_query(data, score="mrr").query == DATA.query_ids[0]


def test_neither_matplotlib_nor_pandas_is_needed():
    code = """
import sys
sys.modules["matplotlib"] = sys.modules["pandas"] = None
from ranking_scores.explain import explain_query
print(explain_query([[0, 1]], [[2, 1]], score="mrr"))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.startswith(
        "mrr of query 0 is 0.5000, and 1.0000 at best; item 1 costs most"
    )


def test_a_move_to_the_top_may_be_too_large_for_a_float():
    gain, discount = [0, 1e308, 1.7e308], np.array([1, 0.5, 0.1])
    options = {
        "score": "dcg",
        "gain": gain,
        "discount": lambda ranks: discount[ranks.astype(int) - 1],
    }
    with pytest.raises(ValueError, match="overflows float64"):
        explain_query([[1, 0, 2]], [[3, 2, 1]], **options)
