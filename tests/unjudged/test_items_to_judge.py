"""Two systems with unjudged items: the bounds of their difference, and which items to judge."""

import itertools
import random
from functools import partial

import numpy as np
import polars as pl
import pytest
from labellings import JUDGMENTS, NAN, ONE, TWO, Case

from ranking_scores import (
    from_lists,
    from_table,
    from_tables,
    mean_reciprocal_rank_score,
    ndcg_score,
)
from ranking_scores._metrics import _shared_labels
from ranking_scores.significance import compare
from ranking_scores.unjudged import ItemToJudge, items_to_judge, score_bounds

pytestmark = pytest.mark.filterwarnings("ignore:.*one item each")


def test_systems_that_cannot_be_compared():
    one = from_lists(JUDGMENTS, ONE)
    with pytest.raises(ValueError, match=r"'other'.*RankingData, as y_true is"):
        score_bounds(one, other=[[1, 2]], score="map")
    with pytest.raises(ValueError, match=r"'other'.*scores, as y_score is"):
        score_bounds([[1, 0]], [[1, 2]], other=one, score="map")
    fewer = from_lists({"a": JUDGMENTS["a"]}, {"a": ONE["a"]})
    with pytest.raises(ValueError, match=r"'other'.*same queries. Got none for 'b'"):
        score_bounds(one, other=fewer, score="map")
    with pytest.raises(ValueError, match=r"'other'.*same queries. Got others, 'b',"):
        score_bounds(fewer, other=one, score="map")
    others = from_lists(JUDGMENTS | {"b": {"z": 1}}, ONE)
    with pytest.raises(ValueError, match="other judgments"):
        score_bounds(one, other=others, score="map")
    numbers = from_tables(
        {"query": ["a", "b"], "item": [1, 2], "label": [1, 1]},
        {"query": ["a", "b"], "item": [1, 2], "score": [1.0, 1.0]},
        query="query",
        item="item",
        label="label",
        score="score",
    )
    with pytest.raises(ValueError, match=r"'other'.*of one sortable type"):
        score_bounds(one, other=numbers, score="map")


# --- two systems with ids ------------------------------------------------------------------------


def test_differences_of_two_systems_with_ids():
    one, two = from_lists(JUDGMENTS, ONE), from_lists(JUDGMENTS, TWO)
    bounds = score_bounds(one, other=two, score="ndcg@3", max_grade=2, average=None)
    values = {"a": [], "b": []}
    for grades in itertools.product(range(3), repeat=4):
        labels = dict(zip("uvwt", grades, strict=True))
        judged = {
            "a": JUDGMENTS["a"] | {item: labels[item] for item in "uv"},
            "b": JUDGMENTS["b"] | {item: labels[item] for item in "wt"},
        }
        difference = [
            ndcg_score(*from_lists(judged, lists)[:2], k=3, average=None) for lists in (ONE, TWO)
        ]
        for query, value in zip("ab", difference[1] - difference[0], strict=True):
            values[query].append(value)
    np.testing.assert_allclose(bounds.low, [min(values[query]) for query in "ab"])
    np.testing.assert_allclose(bounds.high, [max(values[query]) for query in "ab"])
    back = score_bounds(two, other=one, score="ndcg@3", max_grade=2, average=None)
    np.testing.assert_allclose(back.low, -bounds.high)


def test_the_order_of_columns_stays_that_of_the_ids():
    # With `ignore_ties` the later of two equal items is first, also if only the other has some.
    one = from_table(
        pl.DataFrame({"q": ["a"] * 2, "i": ["b", "d"], "l": [1, 0], "s": [1.0, 1.0]}),
        query="q", item="i", label="l", score="s",
    )  # fmt: skip
    two = from_table(
        pl.DataFrame({"q": ["a"] * 4, "i": ["a", "b", "c", "d"], "l": [None, 1, None, 0],
                      "s": [1.0, 1.0, 1.0, 1.0]}),
        query="q", item="i", label="l", score="s",
    )  # fmt: skip
    call = partial(score_bounds, score=mean_reciprocal_rank_score, ignore_ties=True)
    bounds = call(one, other=two)
    assert (bounds.low, bounds.high) == (1 / 3 - 0.5, 0.5 - 0.5)
    assert bounds.not_relevant == 1 / 3 - 0.5


def test_differences_have_the_sign_of_compare():
    y_true, one, two = [[1, NAN, 0], [0, 1, NAN]], [[3, 2, 1]] * 2, [[1, 3, 2], [2, 3, 1]]
    zeros = np.nan_to_num(np.array(y_true))
    first, other = (mean_reciprocal_rank_score(zeros, each, average=None) for each in (one, two))
    bounds = score_bounds(y_true, one, other=two, score="mrr", average=None)
    np.testing.assert_array_equal(bounds.not_relevant, other - first)
    of_both = score_bounds(y_true, one, other=two, score="mrr")
    assert of_both.not_relevant == compare(first, other).difference
    assert of_both.not_relevant == pytest.approx(((1 / 3 - 1) + (1 - 1 / 2)) / 2)
    assert repr(of_both).splitlines()[1] == "    of='other - first',"


def test_columns_that_fill_gaps_between_ranks():
    tables = [
        from_tables(
            {"query": ["a"], "item": ["x"], "label": [1]},
            {"query": ["a", "a"], "item": ["x", "y"], "rank": ranks},
            query="query", item="item", label="label", rank="rank",
        )
        for ranks in ([2, 4], [3, 1])
    ]  # fmt: skip
    bounds = score_bounds(tables[0], other=tables[1], score="recall@3")
    assert bounds.n_unjudged == 1
    assert [each.item for each in items_to_judge(*tables, score="recall@3")] == ["y"]
    assert items_to_judge(tables[0], score="recall@3")[0].ranks == (4, 4)


# --- items to judge ------------------------------------------------------------------------------


def widths(case, name, options):
    """Return by how much each unknown item narrows the range of its query, from all labellings."""
    found = {}
    for query, labels in enumerate(case.labels):
        retrieved = np.logical_or.reduce(case.is_found)[query]
        unknown = np.flatnonzero(np.isnan(labels) & retrieved)
        values = case.values(query, name, options)[:, 0]
        given = np.array([*itertools.product(range(case.max_grade + 1), repeat=unknown.size)])
        for number, item in enumerate(unknown):
            left = [
                np.ptp(values[given[:, number] == grade]) for grade in range(case.max_grade + 1)
            ]
            found[query, item] = np.ptp(values) - np.mean(left)
    return found


@pytest.mark.parametrize("most", [2**11, 0.5])
@pytest.mark.parametrize("n_systems", [1, 2])
@pytest.mark.parametrize("name", ["ndcg", "map", "mrr", "bpref"])
def test_items_are_in_the_order_of_what_they_tell(name, n_systems, most, monkeypatch):
    monkeypatch.setattr(_shared_labels, "_MOST_WAYS", most)
    rng, options = random.Random(name), {}
    for _ in range(20):
        case = Case(rng, name, n_systems=n_systems)
        case.is_sparse, case.max_grade = True, 1
        case.labels = np.where(case.labels > 0, 1, case.labels)
        case.options = {"average": None}
        n_queries, n_items = case.labels.shape
        queries = [f"q{number}" for number in range(n_queries)]
        items = [f"i{number}" for number in range(n_items)]
        data = [
            from_lists({"q": {"i": 1}}, {"q": ["i"]})._replace(
                y_true=case.y_true,
                y_score=case.y_score(system),
                query_ids=np.array(queries, dtype=object),
                item_ids=np.array(items, dtype=object),
            )
            for system in range(n_systems)
        ]
        chosen = items_to_judge(*data, score=name, n=None)
        expected = widths(case, name, options)
        assert {(each.query, each.item) for each in chosen} == {
            (queries[query], items[item]) for query, item in expected
        }
        assert [each.width for each in chosen] == sorted(
            (each.width for each in chosen), reverse=True
        )
        if n_systems == 2 and most < 1:
            continue  # of ranges that are surely outside
        for each in chosen:
            place = queries.index(each.query), items.index(each.item)
            assert each.width * n_queries == pytest.approx(expected[place], abs=1e-12)


def test_items_below_the_cutoff_share_what_they_tell():
    data = from_lists({"a": {"x": 1}}, {"a": ["x", "u", "v"]})
    chosen = items_to_judge(data, score="recall@1")
    # Both relevant: recall is 1/3. One of them: 1/2. None: 1.
    assert [each.item for each in chosen] == ["u", "v"]
    assert [each.width for each in chosen] == pytest.approx([1 / 3, 1 / 3])
    [only] = items_to_judge(from_lists({"a": {"x": 1}}, {"a": ["x", "u"]}), score="recall@1")
    assert only.width == 0.5
    # Recall of u and v: 0 if u is not relevant, otherwise 1/2, or 1/3 with v.
    chosen = items_to_judge(from_lists({"a": {"x": 1}}, {"a": ["u", "x", "v"]}), score="recall@1")
    assert [each.item for each in chosen] == ["u", "v"]
    assert [each.width for each in chosen] == pytest.approx([5 / 12, 1 / 12])
    # A tie group of another query, which is in reach as a whole, puts no others in reach.
    ranked = {"a": [("x", 4), ("u", 3), ("v", 2), ("w", 1)], "b": [("x", 1), ("y", 1), ("z", 1)]}
    data = from_lists({"a": {"x": 1}, "b": {"x": 1, "y": 0, "z": 0}}, ranked)
    chosen = items_to_judge(data, score="recall@1")
    assert [each.item for each in chosen] == ["u", "v", "w"]
    # From 1 down to 1/4, of the mean of two queries, divided among three items.
    assert [each.width for each in chosen] == pytest.approx([1 / 8] * 3)


@pytest.mark.parametrize("most", [2**11, 0.5])
def test_items_of_blocks_that_are_cut_tell_the_same(most, monkeypatch):
    judgments = {query: {"x": 1, "y": 2} for query in "abcde"}
    lists = [{query: [*items] for query in "abcde"} for items in ("uxvyw", "xuyvz")]
    one, two = (from_lists(judgments, each) for each in lists)
    monkeypatch.setattr(_shared_labels, "_MOST_WAYS", most)
    for data in ((one,), (one, two)):
        call = partial(items_to_judge, *data, score="ndcg@4", max_grade=2, n=None)
        bounds = partial(score_bounds, one, other=two, score="ndcg@4", max_grade=2, average=None)
        expected = call(), bounds()
        assert len({each.width for each in expected[0]}) > 1
        with monkeypatch.context() as patch:
            patch.setattr(_shared_labels, "queries_per_block", lambda width: 54)
            assert (call(), bounds()) == expected
            patch.setattr(_shared_labels, "queries_per_block", lambda width: 2)
            assert (call(), bounds()) == expected


def test_items_have_the_ranks_of_both_systems():
    one, two = from_lists(JUDGMENTS, ONE), from_lists(JUDGMENTS, TWO)
    chosen = {each.item: each for each in items_to_judge(one, two, score="ndcg", max_grade=2)}
    assert chosen["u"][:4] == ("a", "u", (1, 1), (3, 3))
    assert chosen["w"][:4] == ("b", "w", (1, 1), None)
    assert chosen["t"][:4] == ("b", "t", None, (2, 2))
    assert items_to_judge(one, score="ndcg", max_grade=2, n=1)[0].other_ranks is None
    assert len(items_to_judge(one, score="ndcg", max_grade=2, n=2)) == 2
    assert isinstance(chosen["u"], ItemToJudge)


def test_ranks_of_one_order_of_the_ties():
    data = from_lists({"q": {"a": 1}}, {"q": [("x", 1.0), ("a", 1.0), ("y", 1.0), ("z", 2.0)]})
    items = items_to_judge(data, score="recall@2", ignore_ties=True)
    assert {each.item: each.ranks for each in items} == {"z": (1, 1), "y": (2, 2), "x": (3, 3)}
    items = items_to_judge(data, score="recall@2")
    assert {each.item: each.ranks for each in items} == {"z": (1, 1), "y": (2, 4), "x": (2, 4)}


@pytest.mark.filterwarnings("ignore:No relevant item is among")
def test_items_are_refused_as_bounds_are():
    data = from_lists({"q": {"a": 0}}, {"q": ["x", "y"]})
    for call in (score_bounds, items_to_judge):
        with pytest.raises(ValueError, match=r"'replace_undefined_by'.*in query 0"):
            call(data, score="arp")
        with pytest.raises(ValueError, match=r"'replace_undefined_by'.*in query 0"):
            call(data, score="mrr", replace_undefined_by=NAN)
        one = from_lists({"q": {"a": 0}}, {"q": ["a", "x"]})
        with pytest.raises(ValueError, match=r"'replace_undefined_by'.*in query 0"):
            call(one, score="mrr", replace_undefined_by=NAN)


def test_weights_of_queries_count_in_the_order():
    one = from_lists({"a": {"x": 1}, "b": {"x": 1}}, {"a": ["u", "x"], "b": ["w", "x"]})
    call = partial(items_to_judge, one, score="mrr")
    assert [each.item for each in call(sample_weight=[1, 3])] == ["w", "u"]
    assert [each.width for each in call(sample_weight=[1, 3])] == pytest.approx([0.375, 0.125])
    assert [each.item for each in call()] == ["u", "w"]


def test_nothing_to_judge():
    data = from_lists({"a": {"x": 1, "y": 0}}, {"a": ["x", "y"]})
    assert items_to_judge(data, score="map") == []
    unjudged = from_lists({"a": {"x": 1}}, {"a": ["u", "x"]})
    assert [each.width for each in items_to_judge(unjudged, score="judged@1")] == [0]


@pytest.mark.parametrize(
    ("params", "match"),
    [
        ({"n": 0}, "'n'"),
        ({"n": True}, "'n'"),
        ({"average": None}, "'average'"),
        ({"k": [1, 2]}, "'k'.*one cutoff"),
        ({"other": [[1]]}, "'other'.*RankingData"),
        ({"max_grade": 0}, "'max_grade'"),
    ],
)
def test_arguments_of_items_that_are_refused(params, match):
    data = from_lists(JUDGMENTS, ONE)
    with pytest.raises(ValueError, match=match):
        items_to_judge(data, **{"score": "ndcg", "max_grade": 2} | params)


def test_items_to_judge_need_ids():
    with pytest.raises(ValueError, match=r"'data'.*RankingData, in which queries and items"):
        items_to_judge([[1, 0]], score="ndcg")
