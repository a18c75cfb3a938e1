"""Overlaps of two rankings, against all pairs of orders, published numbers and laws."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import partial
from itertools import permutations, product
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st

from ranking_scores import from_lists
from ranking_scores._agreement._pairing import pair
from ranking_scores.agreement import (
    agreement_report,
    average_overlap,
    kendall_tau,
    overlap_at_k,
    pair_rankings,
    rank_biased_overlap,
)
from ranking_scores.exceptions import InvalidParameterError

FUNCTIONS = (overlap_at_k, average_overlap, rank_biased_overlap)
VARIANTS = {"a": "mean", "w": "equal", "b": "corrected"}
TAILS = {"ext": "extrapolated", "min": "min", "max": "max", "res": "residual"}
PUBLISHED = json.loads(
    (Path(__file__).parents[1] / "data" / "rbo_numbers.json").read_text("utf-8")
)

pytestmark = pytest.mark.filterwarnings("ignore:No item of a query:UserWarning")

rankings = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 2), min_size=1, max_size=5)


def orders(ranking):
    """Return all orders of a dict of scores, the best item first."""
    groups = [
        [item for item in ranking if ranking[item] == score]
        for score in sorted(set(ranking.values()), reverse=True)
    ]
    each = product(*map(permutations, groups))
    return [[item for group in order for item in group] for order in each]


def n_shared(a, b, depth):
    return len({*a[:depth]} & {*b[:depth]})


def extrapolated(a, b, p):
    """Equation 32 of Webber, Moffat and Zobel (2010)."""
    s, n = sorted((len(a), len(b)))
    at_s, at_n = n_shared(a, b, s), n_shared(a, b, n)
    total = sum(Fraction(n_shared(a, b, d), d) * p**d for d in range(1, n + 1))
    total += sum(Fraction(at_s * (d - s), s * d) * p**d for d in range(s + 1, n + 1))
    return (1 - p) / p * total + (Fraction(at_n - at_s, n) + Fraction(at_s, s)) * p**n


def mean_over_orders(score, a, b):
    pairs = list(product(orders(a), orders(b)))
    return float(sum(score(*pair) for pair in pairs) / len(pairs))


def average(a, b, k):
    last = min(k, max(len(a), len(b)))
    return sum(Fraction(n_shared(a, b, d), d) for d in range(1, last + 1)) / last


@settings(max_examples=25, deadline=None)
@given(rankings, rankings, st.sampled_from([1, 2, 4]))
def test_each_score_is_the_mean_over_all_pairs_of_orders(a, b, k):
    pair = {"q": a}, {"q": b}

    def check(found, score):
        assert found == pytest.approx(mean_over_orders(score, a, b), abs=1e-14)

    check(rank_biased_overlap(*pair, 0.8), lambda x, y: extrapolated(x, y, Fraction(4, 5)))
    check(average_overlap(*pair, k), lambda x, y: average(x, y, k))
    of_a, of_b = min(k, len(a)), min(k, len(b))
    for name, divisor in (("longer", max(of_a, of_b)), ("shorter", min(of_a, of_b)), ("k", k)):
        found = overlap_at_k(*pair, k, denominator=name) * divisor
        check(found, lambda x, y: Fraction(n_shared(x, y, k)))
    check(
        overlap_at_k(*pair, k, denominator="union"),
        lambda x, y: Fraction(n_shared(x, y, k), len({*x[:k]} | {*y[:k]})),
    )


def parsed(text):
    """Return the scores of a ranking as it is published, such as "a (b c) d"."""
    scores, score, is_tied = {}, 0, False
    for word in text.split():
        score -= not is_tied
        is_tied = (is_tied or word.startswith("(")) and not word.endswith(")")
        scores[word.strip("()")] = score
    return scores


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("tail", TAILS)
def test_published_numbers(variant, tail):
    n_equal = 0
    for row in PUBLISHED["rows"]:
        a, b = parsed(row["x"]), parsed(row["y"])
        longer = max(a, b, key=len).values()
        if (variant, tail) == ("a", "ext") and len(a) != len(b) and len({*longer}) < len(longer):
            continue  # the mean over orders differs, as the docstring says
        options = {"ties": VARIANTS[variant], "tail": TAILS[tail]}
        found = rank_biased_overlap({1: a}, {1: b}, row["p"], **options)
        assert found == pytest.approx(row[f"{variant}.{tail}"], abs=1e-12)
        n_equal += 1
    assert n_equal > 0


def test_a_ranking_against_itself_and_against_others():
    untied, tied = [[4.0, 3, 2, 1]], [[2, 1, 1, 1]]
    for score in FUNCTIONS:
        assert score(untied, untied) == pytest.approx(1)
        assert score({1: ["x", "y"]}, {1: ["u"]}) == 0
    assert rank_biased_overlap(tied, tied) < 1
    lists = {1: ["x", "y", "z"]}, {1: ["y"]}
    assert rank_biased_overlap(*lists, ties="corrected") == rank_biased_overlap(*lists)
    for ties in ("equal", "corrected"):
        assert rank_biased_overlap(tied, tied, ties=ties) == pytest.approx(1)


@pytest.mark.parametrize("score", FUNCTIONS)
def test_all_layouts_have_the_same_bits(score):
    rng = np.random.default_rng(0)
    a, b = rng.integers(0, 4, (5, 7)), rng.integers(0, 4, (5, 7)) / 2
    want = score(a, b, average=None)
    qid, row = np.repeat(np.arange(5), 7), rng.permutation(35)
    dicts = {q: {f"d{j}": float(each) for j, each in enumerate(a[q])} for q in range(5)}
    pairs = {q: [(f"d{j}", float(each)) for j, each in enumerate(b[q])] for q in range(5)}
    rows = [(q, f"d{j}", a[q, j]) for q in range(5) for j in range(7)]
    table = pd.DataFrame(rows, columns=["query", "item", "score"])
    renamed = table.rename(columns={"score": "own"})
    stored = sp.csr_array(a + 1), sp.csr_array(b + 1)
    for one, other in (
        (b, a),
        stored,
        (stored[0], b),
        (dicts, pairs),
        (table, pairs),
        (from_lists({q: ["d1"] for q in range(5)}, dicts), pairs),
        (pl.Series(a.tolist()), pl.Series(b.tolist())),
        (pair_rankings(renamed, renamed.assign(own=b.ravel()), score="own"), None),
    ):
        assert score(one, other, average=None).tobytes() == want.tobytes()
    found = score(a.ravel()[row][:, None], b.ravel()[row], qid=qid[row], average=None)
    assert found.tobytes() == want.tobytes()
    order = rng.permutation(5), rng.permutation(7)
    moved = score(a[order[0]][:, order[1]], b[order[0]][:, order[1]], average=None)
    assert moved.tobytes() == want[order[0]].tobytes()
    assert score(a[0], b[0]) == want[0]
    assert score(a, b) == pytest.approx(want.mean(), abs=1e-15)


def test_queries_and_items_of_one_side_are_named():
    old = {"a": ["x"], "b": ["y"], "c": []}
    new = {"a": ["x", "z"], "b": ["y"], "c": [], "d": ["q"]}
    paired = pair_rankings(old, new)
    assert paired.only_b.first == ("d",)
    assert paired.n_queries == 3
    assert [paired.item_ids[each] for each in paired.item] == ["x", "z", "y"]
    assert paired.a.size.tolist() == [1, 0, 1]
    assert "3 queries, 3 items, 2 of them in both" in repr(paired)
    np.testing.assert_array_equal(
        overlap_at_k(old, new, [1, 2], average=None), [[1, 0.5], [1, 1], [np.nan, np.nan]]
    )
    weighted = overlap_at_k(old, new, 2, sample_weight={"a": 1, "b": 3, "c": 1})
    assert weighted == 0.875
    assert overlap_at_k(old, new, 2, sample_weight=[1, 0, 0], replace_undefined_by=0) == 0.5
    assert pair_rankings([[1.0, 2]], [[2, 1]]).item_ids is None
    assert pair_rankings([[1.0, 2]], [[2, 1]]).item.tolist() == [0, 1]


def as_table(ranking):
    """Return a dict of lists or of dicts as a table, whose items are joined by their codes."""
    rows = [
        (query, item, each[item] if isinstance(each, dict) else -place)
        for query, each in ranking.items()
        for place, item in enumerate(each or ())
    ]
    return pd.DataFrame(rows, columns=["query", "item", "score"])


LONG = "the same " * 60
"""A beginning of text that is longer than what is compared by words."""


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ({"q": ["b", "a", "é"], "r": ["a"]}, {"q": ("c", "é", "b"), "r": ("b",)}),
        ({"q": [f"{LONG}2", f"{LONG}1", LONG]}, {"q": [LONG, f"{LONG}1", f"{LONG}"[:-1]]}),
        (
            {q: [f"d{q * each % 37}" for each in range(16)] for q in (1, 2)},
            {q: [f"d{q * each % 41}" for each in range(16)] for q in (1, 2)},
        ),
        (
            {1: [*"abcdefgh"], 2: [*"ab"], 3: [*"c"]},
            {1: [*"hgfedcbx"], 2: [*"bcdefg"], 3: [*"bcdefgh"]},
        ),
        ({2: [5, -3, 2**40], 1: [7]}, {2: [2**40, 8, 5], 1: [6, 7]}),
        ({1: {"x": 1, "y": 1, "z": 0}}, {1: {"y": 0.5, "x": 0.5, "w": -0.0, "v": 0.0}}),
        ({"p": ["x", "z"], "q": ["y"], "s": ["a"]}, {"q": ["y"], "p": ["u"], "t": ["z", "b"]}),
    ],
)
def test_lists_are_joined_as_tables_are(a, b):
    of_lists, of_tables = pair_rankings(a, b), pair_rankings(as_table(a), as_table(b))
    for one, other in zip((*of_lists.a, *of_lists.b), (*of_tables.a, *of_tables.b), strict=True):
        assert one.tolist() == other.tolist()
    for name in ("starts", "item", "item_ids", "query_ids", "n_shared"):
        assert getattr(of_lists, name).tolist() == getattr(of_tables, name).tolist(), name
    assert (of_lists.only_a, of_lists.only_b) == (of_tables.only_a, of_tables.only_b)
    assert repr(of_lists) == repr(of_tables)
    assert of_lists._item_ids is None  # so that nobody has compared the ids of all queries


class Name(str):
    """Text whose hash is not that of equal text, so that a dict may have both."""

    __slots__ = ()

    def __hash__(self):
        return 0


@pytest.mark.parametrize(
    ("a", "b", "options", "overlap"),
    [
        ({"q": ["x"], Name("q"): ["y"]}, {"q": ["x", "y"]}, {}, 1),  # one query
        ({"q": [0.5, 2.0]}, {"q": [2.0, 0.5]}, {}, 1),
        ({"q": []}, {"q": None, "r": []}, {}, np.nan),
        ({"q": [("x", 1), ("y", 2)]}, {"q": ["y"]}, {}, 0.5),
        ({"q": ["x", "x", "y"]}, {"q": ["y", "x"]}, {"duplicates": "best"}, 1),
        ({"q": ["y", "x"]}, {"q": ["x", "y", "x"]}, {"duplicates": "best"}, 1),
        ({"q": {"x": 2, "y": 1.5}}, {"q": ["x", "y"]}, {}, 1),
        ({"q": {"hits": {"hits": [{"_id": "x", "_score": 1}]}}}, {"q": ["x"]}, {}, 1),
        ({"q": {"root.fields.totalCount": 0}}, {"q": ["root.fields.totalCount"]}, {}, 0),
    ],
)
@pytest.mark.filterwarnings("ignore:Mean of")
def test_lists_that_need_more_than_a_comparison_within_queries(a, b, options, overlap):
    paired = pair_rankings(a, b, **options)
    values = overlap_at_k(paired, k=9, average=None)
    assert values[0] == pytest.approx(overlap, nan_ok=True)


def test_free_ranks_hold_unknown_items():
    a = pd.DataFrame({"query": 1, "item": [*"abcd"], "rank": [1, 2, 5, 6]})
    assert overlap_at_k(a, a, [2, 3, 4, 6]).tolist() == [1, 2 / 3, 0.5, 4 / 6]
    paired = pair_rankings(a, a)
    assert paired.item_ids.tolist() == [*"abcd", None, None, None, None]
    data = from_lists({1: ["a"]}, {1: [*"aab"]}, duplicates="hold")
    assert overlap_at_k(data, {1: [*"acb"]}, [1, 2, 3]).tolist() == [1, 0.5, 2 / 3]


def test_warnings():
    old, new = {i: [f"d{i}"] for i in range(5)}, {i + 4: [f"d{i + 4}"] for i in range(5)}
    with pytest.warns(UserWarning, match="a and b share only 1 query"):
        pair_rankings(old, new)


@pytest.mark.filterwarnings("default")
def test_a_warning_if_no_item_is_shared():
    with pytest.warns(UserWarning, match="No item of a query is in both a and b"):
        pair_rankings({1: ["x"]}, {1: ["y"]})


TABLE = pd.DataFrame({"query": [1], "item": [1], "score": [1]})
PAIR = pair_rankings([[1.0, 2]], [[2, 1]])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: overlap_at_k(PAIR, [[1]]), "'b' parameter of pair_rankings must be None"),
        (lambda: overlap_at_k([[1]]), "'b' parameter of pair_rankings must be a ranking"),
        (lambda: overlap_at_k({1: ["x"]}, [[1]]), "'b' parameter .* must be a dict by query"),
        (lambda: overlap_at_k([[1]], {1: ["x"]}), "'b' parameter .* must be an array of scores"),
        (lambda: overlap_at_k([["a", "b"]], [["b"]]), "'a' .* as a dict by query, as in"),
        (lambda: overlap_at_k([[2, 1]], np.array(["b"])), "'b' .* must be a dict by query"),
        (lambda: overlap_at_k({1: ["x"]}, "new.run"), r"'b' .*trec\.read_run"),
        (lambda: pair_rankings({1: ["x"]}, {2: ["x"]}), "must be a ranking with a query of a"),
        (lambda: pair_rankings({}, {2: ["x"]}), "'a' .* must be a ranking with a query of b"),
        (lambda: pair_rankings({1: ["x"]}, {"1": ["x"]}), "'b' .* must be a dict whose keys"),
        (lambda: pair_rankings({1: [None]}, {"1": ["x"]}), "'a' .* must be lists that have an id"),
        (
            lambda: pair_rankings({1: ["x"]}, {1: ["x"]}, qid=[1]),
            "'qid' parameter .* must be None",
        ),
        (lambda: pair_rankings([[1]], [[1]], score="s"), "'score' parameter .* must be None"),
        (lambda: pair_rankings([[1, 2]], [[1]]), r"must be of the shape of a, \(1, 2\)"),
        (lambda: pair_rankings([[[1]]], [[1]]), "must be of shape"),
        (lambda: pair_rankings([[1, 2]], [[1, 2]], qid=[1]), "must be 1-D and not empty"),
        (lambda: pair_rankings([1, 2], [1, 2], qid=[1]), "'qid' parameter .* of the shape of a"),
        (lambda: pair_rankings([[1, 2]], [[np.nan, 1]]), "must be finite.*query 0"),
        (lambda: pair_rankings([1, 2], [np.inf, 1], qid=[7, 8]), "must be finite.*qid 7"),
        (lambda: pair_rankings(sp.csr_array([[1]]), [1]), "must be 2-D if the other is sparse"),
        (lambda: pair_rankings(sp.csr_array([[1]]), [[1, 2]]), "must be of the shape of a"),
        (
            lambda: pair_rankings(pl.Series([[1]]), [[1]]),
            "'b' .* must be a column of lists, like a",
        ),
        (
            lambda: pair_rankings([[1]], pl.Series([[1]])),
            "'a' .* must be a column of lists, like b",
        ),
        (lambda: pair_rankings(pl.Series([[1]]), pl.Series([[1, 2]])), "as long as those of a"),
        (
            lambda: pair_rankings({1: ["x", "x"]}, {1: ["x"]}),
            "'a' .* only once.* hold unknown items.$",
        ),
        (
            lambda: kendall_tau({"x": 1, "y": 2}, {"x": 1, "y": np.nan}),
            "'b' .* of kendall_tau must be a dict of finite numbers. Got nan for 'y' instead",
        ),
        (
            lambda: pair_rankings(TABLE, TABLE, query="x"),
            r"Got the columns .query., .item., .score. instead. `query=` takes the name of",
        ),
        (
            lambda: pair_rankings(TABLE, TABLE.assign(score=np.nan)),
            "'b' .*Drop the rows of items that were not predicted.$",
        ),
        (lambda: overlap_at_k(PAIR, k=0), "'k' parameter of overlap_at_k"),
        (
            lambda: overlap_at_k(PAIR, k=[1, None], denominator="k"),
            "'denominator' parameter of overlap_at_k must be another one if k is None",
        ),
        (lambda: overlap_at_k(PAIR, qid=[1]), "'qid' parameter of pair_rankings must be None if"),
        (lambda: pair_rankings(PAIR, duplicates="best"), "'duplicates' parameter"),
        (
            lambda: overlap_at_k(PAIR, denominator="both"),
            "'denominator' parameter of overlap_at_k",
        ),
        (lambda: rank_biased_overlap(PAIR, p=1), "'p' parameter of rank_biased_overlap"),
        (lambda: rank_biased_overlap(PAIR, ties="a"), "'ties' parameter of rank_biased_overlap"),
        (lambda: rank_biased_overlap(PAIR, tail="no"), "'tail' parameter of rank_biased_overlap"),
        (lambda: overlap_at_k(PAIR, sample_weight=[1, 2]), "'sample_weight' parameter"),
    ],
)
def test_errors(call, message):
    with pytest.raises(InvalidParameterError, match=message):
        call()


def test_an_item_stored_twice_and_an_answer_to_all_queries_are_errors():
    twice = sp.csr_array((np.ones(2), [0, 0], [0, 2]), shape=(1, 2))
    with pytest.raises(InvalidParameterError, match="stores each item once"):
        pair_rankings(twice, twice)
    answer = {"ids": [["x"]], "distances": [[0.1]]}
    with pytest.raises(InvalidParameterError, match="a dict by the ids of queries"):
        pair_rankings(answer, {1: ["x"]})
    empty = {"root.fields.totalCount": {"x": 1}}
    with pytest.raises(InvalidParameterError, match="a dict by the ids of queries"):
        pair_rankings(empty, empty)
    with pytest.raises(InvalidParameterError, match="an answer with a list of distances"):
        pair_rankings(answer | {"distances": 3}, {1: ["x"]})


def test_a_table_with_two_columns_of_queries_is_an_error():
    names = ["query-id", "corpus-id", "query_id", "doc_id", "score"]
    table = {name: [1] for name in names}
    with pytest.raises(InvalidParameterError, match="Name it with `query=`"):
        pair_rankings(table, table)


def test_equal_rankings_with_ties_are_no_change():
    tied = {"q": {"a": 1, "b": 1, "c": 1}, "r": {"a": 1, "b": 2}}
    report = agreement_report(tied, tied, scores="overlap@1")
    assert report["overlap@1"] == pytest.approx(2 / 3)
    assert report.changed == {"overlap@1": ()}
    paired = pair_rankings(tied, {**tied, "r": {"a": 3, "b": 2}})
    assert paired.n_moved.tolist() == [0, 2]


def test_what_is_beyond_the_lists_has_a_weight_for_every_persistence():
    values = [
        [rank_biased_overlap(PAIR, p=p, tail=tail) for tail in ("min", "max", "residual")]
        for p in (1 - 1.1e-9, 1 - 1e-9, 1 - 1e-15)
    ]
    np.testing.assert_allclose(values[0], values[1], rtol=0, atol=1e-8)
    assert 0 <= values[2][0] < 1e-13
    assert values[2][1] <= 1


def test_the_weight_beyond_the_lists_is_continuous():
    lowest = [rank_biased_overlap(PAIR, p=p, tail="min") for p in (1 - 1.001e-9, 1 - 0.999e-9)]
    assert lowest[0] == pytest.approx(lowest[1], rel=0.01)


def test_frames_and_series_are_matched_by_their_names_or_refused():
    a, b = (pd.DataFrame([[2.0, 1]], columns=[*names]) for names in ("xy", "yx"))
    with pytest.raises(InvalidParameterError, match="'b' parameter of pair_rankings"):
        overlap_at_k(a, b, 1)
    assert overlap_at_k(a, a, 1) == 1
    with pytest.raises(InvalidParameterError, match="'b' parameter of pair_rankings"):
        overlap_at_k(pd.Series({"a": 1, "b": 2}), pd.Series({"b": 2, "a": 1}))


@pytest.mark.filterwarnings("ignore:.*is undefined")
def test_rows_without_items_are_undefined():
    assert np.isnan(overlap_at_k(np.zeros((3, 0)), np.zeros((3, 0)), average=None)).all()


@pytest.mark.parametrize(
    "score", [overlap_at_k, partial(overlap_at_k, denominator="union"), average_overlap]
)
@pytest.mark.parametrize("decimals", [0, 1, 8])
@pytest.mark.parametrize("layout", ["dense", "float32", "whole", "qid"])
def test_the_first_ranks_of_many_give_the_bits_of_all_ranks(score, decimals, layout):
    rng = np.random.default_rng(0)
    a = rng.standard_normal((30, 41)).round(decimals)
    b = (a + rng.standard_normal(a.shape)).round(decimals)
    options = {}
    if layout == "qid":
        options["qid"] = rng.integers(0, 30, a.size)
        a, b = a.ravel(), b.ravel()
    elif layout == "float32":
        a = a.astype(np.float32)
    elif layout == "whole":
        a, b = (10 * a).astype(int), (10 * b).astype(int)
    for k in (1, 3, 10, [2, 9]):
        whole = score(pair_rankings(a, b, **options), k=k, average=None)
        assert score(a, b, k=k, average=None, **options).tobytes() == whole.tobytes()


def test_items_that_are_at_no_rank_that_counts_are_not_paired():
    a = np.random.default_rng(0).standard_normal((3, 40))
    for depth, n_cells in ((1, 6), (10, 60), (11, 120)):
        paired = pair(a, -a, depth=depth)
        assert paired.starts.tolist() == [0, n_cells // 3, 2 * n_cells // 3, n_cells]
        assert paired.a.length.tolist() == [40, 40, 40]


@pytest.mark.parametrize("tail", TAILS.values())
def test_the_overlap_of_whole_lists_has_the_same_bits_beside_longer_lists(tail):
    rng = np.random.default_rng(0)
    lists = [{f"q{i}": rng.permutation(15)[: 9 + i % 5].tolist() for i in range(9)} for _ in "ab"]
    together = rank_biased_overlap(*lists, tail=tail, average=None)
    alone = [
        rank_biased_overlap(*({query: each[query]} for each in lists), tail=tail)
        for query in lists[0]
    ]
    assert together.tolist() == alone
