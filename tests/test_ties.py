"""What ties did to a score: the extreme orders by enumeration, and the level of chance."""

from __future__ import annotations

import tracemalloc
from functools import partial

import numpy as np
import pytest
import reference
import scipy.sparse as sp
from defined import DEFINED, replacing, takes, with_grades
from hypothesis import given, settings, strategies as st
from laws import with_zeros
from raising import raises
from sklearn.exceptions import UndefinedMetricWarning
from warned import nothing_to_rank

from ranking_scores import (
    bpref_score,
    dcg_score,
    f1_at_k_score,
    hit_rate_score,
    judged_at_k_score,
    mean_average_precision_score,
    mean_reciprocal_rank_score,
    ndcg_score,
    pairwise_accuracy_score,
    precision_at_k_score,
    recall_at_k_score,
    retrieved_from_ids,
)
from ranking_scores._base._validation import WHOLE_LIST
from ranking_scores._metrics._named import SCORES as NAMED
from ranking_scores._queries._data import CallData, DataNeeds
from ranking_scores._queries._layouts import check_queries
from ranking_scores._queries._relevance import label_order
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.tables import from_lists
from ranking_scores.ties import (
    TieReport,
    best_order,
    chance_level,
    order_of_items,
    tie_report,
    worst_order,
)

TOLERANCE = 1e-12  # sums of a few rounded terms, as in test_reference.py

SIX_LABELS, SIX_SCORES = [[0, 2, 1, 0, 0, 3]], [[5, 5, 5, 2, 2, 1]]
# A score, its definition, and whether it takes k.
SCORES = [
    *(
        (with_grades(score), with_grades(definition), takes(score, "k"))
        for score, definition in DEFINED
    ),
    (
        partial(ndcg_score, gain="exponential"),
        partial(reference.ndcg, gain=reference.exponential),
        True,
    ),
    (
        partial(ndcg_score, gain=lambda label: (label - 1) ** 2, discount=lambda rank: 1 / rank),
        partial(
            reference.ndcg, gain=lambda label: (label - 1) ** 2, discount=lambda rank: 1 / rank
        ),
        True,
    ),
    (partial(f1_at_k_score, k=None, beta=2), partial(reference.f1_at_k, k=None, beta=2), False),
]


@st.composite
def queries(draw, max_queries=3, max_items=5):
    """Labels and scores of queries of one length, few of them distinct."""
    n_queries, n_items = draw(st.integers(1, max_queries)), draw(st.integers(1, max_items))

    def rows(values):
        row = st.lists(values, min_size=n_items, max_size=n_items)
        return draw(st.lists(row, min_size=n_queries, max_size=n_queries))

    return rows(st.sampled_from([0, 0, 1, 2, 3])), rows(st.sampled_from([-1.5, 0.0, 2.0]))


@pytest.mark.parametrize(("score", "textbook", "takes_k"), SCORES)
def test_the_extremes_are_those_of_all_orders(score, textbook, takes_k):
    @settings(deadline=None, max_examples=settings().max_examples // 2)
    @given(labels_and_scores=queries(), k=st.integers(1, 6))
    def equal_the_textbook(labels_and_scores, k):
        y_true, y_score = labels_and_scores
        options = {"k": k} if takes_k else {}
        report = tie_report(
            y_true, y_score, score=score, **options, average=None, **replacing(np.nan, score)
        )
        # Of ranks the larger is the worse.
        worst, best = (max, min) if textbook is reference.average_relevant_position else (min, max)
        for query, (labels, scores) in enumerate(zip(y_true, y_score, strict=True)):
            exact = {
                "worst": textbook(labels, scores, **options, pick=worst),
                "best": textbook(labels, scores, **options, pick=best),
                "expected": textbook(labels, scores, **options),
                "as_ordered": textbook(labels, scores, **options, ignore_ties=True),
            }
            for name, value in exact.items():
                ours = getattr(report, name)[query]
                if value is None:
                    assert np.isnan(ours)
                else:
                    assert ours == pytest.approx(float(value), rel=TOLERANCE, abs=0)
            assert report.tied_queries[query] == (exact["worst"] != exact["best"])
            n_tied = sum(scores.count(each) > 1 for each in scores)
            assert report.tied_items[query] == n_tied / len(scores)

    equal_the_textbook()


def test_known_values():
    report = tie_report(SIX_LABELS, SIX_SCORES, score=mean_average_precision_score)
    assert report.expected == pytest.approx(0.7037037037, rel=1e-9)
    assert report.worst == pytest.approx((1 / 2 + 2 / 3 + 3 / 6) / 3, rel=TOLERANCE)
    assert report.best == pytest.approx((1 + 1 + 3 / 6) / 3, rel=TOLERANCE)
    assert report.as_ordered == report.best
    assert report.tied_queries == 1.0
    assert report.tied_items == 5 / 6
    rank = tie_report(SIX_LABELS, SIX_SCORES, score=mean_reciprocal_rank_score)
    assert (rank.expected, rank.worst, rank.best) == pytest.approx((5 / 6, 1 / 2, 1))


def layouts():
    """Return the same two queries in every layout, with what makes each layout special."""
    y_true = np.array([[1, 0, 1, 0], [0, 0, 1, 1]])
    y_score = np.array([[1.0, 1, 0, 0], [2, 1, 1, 0]])
    poisoned = np.full((2, 6), np.nan)
    poisoned[:, 1:5] = y_score
    where = np.zeros((2, 6), dtype=bool)
    where[:, 1:5] = True
    wide = np.full((2, 6), -1.0)
    wide[:, 1:5] = y_true
    stored = sp.csr_array((y_score.ravel(), np.tile(range(4), 2), [0, 4, 8]), (2, 4))
    return {
        "dense": {"y_true": y_true, "y_score": y_score},
        "masked": {"y_true": wide, "y_score": poisoned, "where": where},
        "sparse labels": {"y_true": sp.csr_array(y_true), "y_score": y_score},
        "ragged": {
            "y_true": y_true.T.ravel(),
            "y_score": y_score.T.ravel(),
            "qid": [0, 1] * 4,
        },
        "retrieved": {"y_true": sp.coo_array(y_true), "y_score": stored},
    }


@pytest.mark.parametrize("score", [ndcg_score, partial(precision_at_k_score, k=[1, 3])])
@pytest.mark.parametrize("weights", [None, [1.0, 3.0]])
def test_every_layout_has_the_same_report(score, weights):
    reports = []
    for layout, arguments in layouts().items():
        params = {}
        if weights is not None:
            params["sample_weight"] = np.tile(weights, 4) if layout == "ragged" else weights
        reports.append(tie_report(score=score, **arguments, **params))
    for report in reports:
        for name, value in vars(reports[0]).items():
            assert np.array_equal(getattr(report, name), value)
    assert np.all(reports[0].worst < reports[0].expected)
    assert np.all(reports[0].expected < reports[0].best)


def test_class_labels():
    y_score = [[0.5, 0.5, 0.0], [0.2, 0.4, 0.4]]
    report = tie_report(
        ["a", "a"], y_score, score=hit_rate_score, k=[1, 2], labels=["a", "b", "c"]
    )
    assert report.worst.tolist() == [0, 0.5]
    assert report.best.tolist() == [0.5, 0.5]
    assert report.expected.tolist() == [0.25, 0.5]
    assert report.tied_queries.tolist() == [0.5, 0.0]
    assert report.tied_items == 4 / 6


def test_what_was_not_retrieved_is_no_tie():
    found = retrieved_from_ids([[0, 2, -1], [1, 3, 2]], np.zeros((2, 3)), n_items=5)
    y_true = [[1, 1, 0, 0, 1], [0, 0, 0, 0, 1]]
    report = tie_report(y_true, found, score=ndcg_score, k=1, average=None)
    assert report.worst.tolist() == [0, 0]
    assert report.best.tolist() == [1, 0]
    assert report.tied_queries.tolist() == [True, False]
    assert report.tied_items.tolist() == [1, 1]


@nothing_to_rank
def test_queries_of_no_items_have_none_that_tie():
    arguments = {"y_true": [[1, 0], [1, 0]], "y_score": [[5, 5], [5, 5]]}
    some, none = [[False, False], [True, True]], np.zeros((2, 2), dtype=bool)
    report = tie_report(score=ndcg_score, **arguments, where=some, average=None)
    assert report.tied_items.tolist() == [0, 1]
    assert tie_report(score=ndcg_score, **arguments, where=some).tied_items == 1.0
    assert tie_report(score=ndcg_score, **arguments, where=none).tied_items == 0.0


def test_items_weigh_what_they_gain():
    # The item that gains less weighs more, and so belongs first.
    arguments = {"y_true": [[1, 2]], "y_score": [[0, 0]], "item_weight": [[5, 1]], "k": 1}
    report = tie_report(score=dcg_score, **arguments)
    # They gain 5 and 2; the query weighs (5 * 1 + 1 * 2) / (1 + 2).
    expected = np.array([2.0, 3.5, 5.0]) * 3 / 7
    assert (report.worst, report.expected, report.best) == pytest.approx(tuple(expected))
    assert tie_report(score=ndcg_score, **arguments).best == 1.0


@pytest.mark.parametrize("view", [worst_order, best_order, order_of_items])
def test_an_order_has_the_scores_of_the_items_that_take_part(view):
    arguments = layouts()["masked"] | {"y_true": [[9, 1, 0, 1, 0, 9], [9, 0, 0, 1, 1, 9]]}
    need = DataNeeds(WHOLE_LIST)
    [block] = check_queries(CallData("tie_report", **arguments), need).blocks()
    seen = view(block, label_order)
    scores = arguments["y_score"]
    assert np.isnan(seen.scores).tolist() == np.isnan(scores).tolist()
    for of_query, scores_of_query in zip(seen.scores, scores, strict=True):
        is_item = ~np.isnan(scores_of_query)
        some, same = of_query[is_item], scores_of_query[is_item]
        above = same[:, None] > same
        assert (some[:, None] > some)[above].all()


def test_labels_of_which_only_the_order_counts():
    # Equal as floats, and negative.
    report = tie_report([[2**60, 2**60 + 1, -5]], [[1, 1, 1]], score=pairwise_accuracy_score)
    assert (report.worst, report.expected, report.best) == (0.0, 0.5, 1.0)
    assert report.as_ordered == 1 / 3
    assert chance_level([[-1.5, 0, 3], [2, 2, 2]], score="pairwise_accuracy") == 0.5


def test_negative_gains():
    report = tie_report([[-2, 1, 3]], [[0, 0, 0]], score=dcg_score, k=[1, 3])
    assert report.worst[0] == -2
    assert report.best[0] == 3
    assert report.worst[1] < report.expected[1] < report.best[1]


@nothing_to_rank
def test_queries_that_do_not_depend_on_the_order():
    # Ties of the same label, ties wholly above or below the cutoff, and an undefined query.
    y_true = [[1, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0]]
    y_score = [[5, 5, 3, 2], [5, 5, 3, 2], [9, 5, 3, 3], [1, 1, 1, 1]]
    report = tie_report(y_true, y_score, score=recall_at_k_score, k=2, average=None)
    assert report.tied_queries.tolist() == [False] * 4
    assert report.tied_items.tolist() == [0.5, 0.5, 0.5, 1.0]
    flat = tie_report(
        np.random.default_rng(0).random((5, 40)),
        np.zeros((5, 40)),
        score=dcg_score,
        discount=np.ones_like,
    )
    assert flat.tied_queries == 0.0
    infinite = tie_report([[0, 0]], [[1, 1]], score=ndcg_score, replace_undefined_by=np.inf)
    assert infinite.tied_queries == 0.0


@pytest.mark.parametrize("average", ["samples", None])
@pytest.mark.parametrize("k", [2, [1, 2, 3]])
def test_shapes(k, average):
    y_true, y_score = np.eye(4)[[0, 1]], np.zeros((2, 4))
    report = tie_report(y_true, y_score, score=ndcg_score, k=k, average=average)
    shape = np.shape(ndcg_score(y_true, y_score, k=k, average=average))
    for name in ("expected", "worst", "best", "as_ordered", "tied_queries"):
        assert np.shape(getattr(report, name)) == shape
        assert isinstance(getattr(report, name), float) == (shape == ())
    assert np.shape(report.tied_items) == (() if average else (2,))


def test_the_report_is_frozen_and_readable():
    report = tie_report(SIX_LABELS, SIX_SCORES, score=ndcg_score, k=[1, 3])
    with pytest.raises(AttributeError):
        report.best = 1
    assert repr(report).splitlines() == [
        "TieReport(",
        "    expected=[0.33333333 0.4474995 ],",
        "    worst=[0.        0.3424985],",
        "    best=[0.66666667 0.5525005 ],",
        "    as_ordered=[0.33333333 0.47499501],",
        "    tied_queries=[1. 1.],",
        "    tied_items=0.8333333333333334,",
        ")",
    ]
    long = TieReport(*[np.zeros(1000)] * 6)
    assert len(repr(long)) < 1000


def test_reports_of_partials():
    at_1 = partial(ndcg_score, k=1)
    assert tie_report(SIX_LABELS, SIX_SCORES, score=at_1).best == 2 / 3
    assert chance_level(SIX_LABELS, score=at_1) == pytest.approx(6 / 6 / 3)


def test_nothing_is_defined():
    with pytest.warns(UndefinedMetricWarning, match="ndcg_score is undefined"):
        report = tie_report([[0, 0]], [[1, 1]], score=ndcg_score, replace_undefined_by=np.nan)
    assert np.isnan([report.expected, report.worst, report.best]).all()
    assert report.tied_queries == 0.0


# --- chance ------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", ["dense", "masked", "sparse labels", "ragged"])
@pytest.mark.parametrize(("score", "textbook", "takes_k"), SCORES)
def test_chance_is_the_score_of_equal_scores(score, textbook, takes_k, layout):
    arguments = layouts()[layout]
    if score in (bpref_score, judged_at_k_score):
        arguments = with_zeros(arguments)
    y_score = arguments.pop("y_score")
    options = {"k": 2} if takes_k else {}
    options |= arguments | {"average": None}
    chance = chance_level(score=score, **options)
    assert chance.tolist() == score(y_score=np.zeros(y_score.shape), **options).tolist()
    assert chance[0] == pytest.approx(
        float(textbook([1, 0, 1, 0], [0] * 4, **({"k": 2} if takes_k else {})))
    )


def test_chance_of_class_labels():
    for labels in (["a", "b", "c"], ["a", "b", "c", "d"]):
        chance = chance_level(["a", "b", "c"], score=hit_rate_score, k=1, labels=labels, qid=None)
        assert chance == pytest.approx(1 / len(labels))
    with pytest.raises(ValueError, match=r"'labels' .* 2 classes, .* Got 1 classes instead"):
        chance_level(["a", "a"], score=hit_rate_score, k=1, labels=["a"])


def test_chance_needs_no_scores_in_memory():
    n_queries, n_items = 200, 100_000
    y_true = sp.csr_array(
        (np.ones(n_queries), (np.arange(n_queries), np.arange(n_queries))), (n_queries, n_items)
    )
    tracemalloc.start()
    chance = chance_level(y_true, score=hit_rate_score, k=10)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert chance == pytest.approx(10 / n_items)
    assert peak < 100e6  # scores of all queries take 160 MB


# --- errors ------------------------------------------------------------------------------------

FALLS = "must be a function whose values never rise from one rank to the next."
KNOWN = "Only then are the best and the worst order of tied items known."
REPORT_ERRORS = [
    (
        {"ignore_ties": True},
        "ignore_ties",
        "must be left out, since the report covers both of its values. Got True instead.",
    ),
    (
        {"ignore_ties": False},
        "ignore_ties",
        "must be left out, since the report covers both of its values. Got False instead.",
    ),
    (
        # Of two queries whose lengths no block unites: the discount matters to the longer one.
        {
            "y_true": [1, 0, 0, 0, 1, 0, 1],
            "y_score": [0] * 7,
            "qid": [0] * 5 + [1] * 2,
            "discount": lambda rank: abs(rank - 3),
        },
        "discount",
        f"{FALLS} Got 0 at rank 3 and more at the next rank instead. {KNOWN}",
    ),
    (
        {"score": np.mean},
        "score",
        "must be a score of ranking_scores, or the name of one. Got the function mean instead.",
    ),
    (
        {"discount": lambda rank: rank},
        "discount",
        f"{FALLS} Got 1 at rank 1 and more at the next rank instead. {KNOWN}",
    ),
    (
        {"discount": lambda rank: rank % 3, "k": 5},
        "discount",
        f"{FALLS} Got 1 at rank 1 and more at the next rank instead. {KNOWN}",
    ),
    (
        {"score": dcg_score, "discount": lambda rank: 1.5 - rank, "k": [1, 3]},
        "discount",
        f"{FALLS} Got -1.5 at the cutoff 3 and 0 beyond it instead. {KNOWN}",
    ),
    (
        {"discount": lambda rank: 1.0},
        "discount",
        "must be a function that returns one real number for each of the ranks it gets, an array "
        "of shape (6,). Got an array of shape () and dtype float64 instead.",
    ),
    (
        {"discount": lambda rank: rank * np.nan},
        "discount",
        "must be finite at every rank. Got nan at rank 1 instead.",
    ),
]


@pytest.mark.parametrize(("arguments", "parameter", "text"), REPORT_ERRORS)
def test_tie_report_refuses_by_name(arguments, parameter, text):
    defaults = {"score": ndcg_score, "y_true": SIX_LABELS, "y_score": SIX_SCORES}
    with pytest.raises((ValueError, TypeError)) as caught:
        tie_report(**defaults | arguments)
    assert str(caught.value) == f"The '{parameter}' parameter of tie_report {text}"


def test_a_discount_that_matters_only_where_it_falls():
    fine = tie_report(SIX_LABELS, SIX_SCORES, score=ndcg_score, discount=lambda r: abs(r - 3), k=3)
    assert fine.worst < fine.best
    below_zero = partial(dcg_score, discount=lambda rank: 1.5 - rank)
    assert tie_report(SIX_LABELS, SIX_SCORES, score=below_zero, k=6) is not None
    assert tie_report(SIX_LABELS, SIX_SCORES, score=below_zero, k=10**30) is not None


CHANCE_ERRORS = [
    (
        {"y_score": SIX_SCORES},
        "y_score",
        "must be left out, since all items have the same score. Got [[5, 5, 5, 2, 2, 1]] "
        "instead. For a random order of retrieved items, call the score itself with a sparse "
        "y_score that stores the same number for each item.",
    ),
    (
        {"ignore_ties": False},
        "ignore_ties",
        "must be left out, since the chance level is the mean over all orders. Got False instead.",
    ),
    (
        {"score": "ndgc"},
        "score",
        f"must be one of {', '.join(NAMED)}, alone or as in 'ndcg@10'. Got 'ndgc' instead. "
        "Did you mean 'ndcg' or 'dcg'?",
    ),
    (
        {"y_true": [0, 1, 2]},
        "y_true",
        "must be 2-D, one query per row, unless `qid` or the `labels` of classes are given. Got "
        "shape (3,) without either instead.",
    ),
]


def test_tie_report_says_what_no_parameter_is():
    error = r"^tie_report has no parameter 'ignore_ties', nor has pairwise_accuracy\.$"
    with pytest.raises(TypeError, match=error):
        tie_report([[0, 1]], [[2, 1]], score=pairwise_accuracy_score, ignore_ties=True)


@pytest.mark.parametrize(("arguments", "parameter", "text"), CHANCE_ERRORS)
def test_chance_level_refuses_by_name(arguments, parameter, text):
    with pytest.raises((ValueError, TypeError)) as caught:
        chance_level(**{"score": ndcg_score, "y_true": SIX_LABELS} | arguments)
    assert str(caught.value) == f"The '{parameter}' parameter of chance_level {text}"


def test_what_the_score_refuses_is_refused_as_it_does():
    with pytest.raises(ValueError, match=r"'y_true' parameter of ndcg_score .* at least 0"):
        chance_level([[-1, 2]], score=ndcg_score)
    with pytest.raises(ValueError, match="'k' parameter of ndcg_score must be"):
        tie_report(SIX_LABELS, SIX_SCORES, score=ndcg_score, k=0)
    with pytest.raises(ValueError, match=r"'y_true' parameter of hit_rate_score .* not empty"):
        chance_level([], score=hit_rate_score, k=1, qid=[])


@pytest.mark.parametrize("score", [ndcg_score, partial(ndcg_score, k=3), "ndcg@3"])
def test_the_score_follows_the_data(score):
    for call, data in (
        (lambda: tie_report(score, SIX_LABELS, SIX_SCORES), "y_true, y_score"),
        (lambda: tie_report(score, y_true=SIX_LABELS, y_score=SIX_SCORES), "y_true, y_score"),
        (lambda: chance_level(score, SIX_LABELS, k=3), "y_true"),
    ):
        with pytest.raises(InvalidParameterError, match="'y_true' parameter") as caught:
            call()
        function = "tie_report" if "," in data else "chance_level"
        assert f" The score follows the data: {function}({data}, score=...)." in str(caught.value)
    with pytest.raises(TypeError, match="It is called `score` here"):
        tie_report(SIX_LABELS, SIX_SCORES, score_func=score)


def test_the_extremes_of_scores_that_tell_judged_items():
    y_true = [[np.nan, 2, 0, np.nan, 1, 0]]
    y_score = [[5, 5, 5, 2, 2, 2]]
    for score, textbook, options in (
        (bpref_score, reference.bpref, {}),
        (judged_at_k_score, reference.judged_at_k, {"k": 2}),
        (judged_at_k_score, reference.judged_at_k, {"k": 4}),
    ):
        found = tie_report(y_true, y_score, score=score, **options)
        assert found.worst == float(textbook(y_true[0], y_score[0], **options, pick=min))
        assert found.best == float(textbook(y_true[0], y_score[0], **options, pick=max))
        assert found.worst < found.expected < found.best


SYSTEMS = {
    "tied": [[5, 5, 5, 2, 2, 1], [6, 5, 4, 3, 2, 1]],
    "best": [[2, 4, 3, 1, 1, 5], [1, 2, 1, 0, 0, 0]],
    "plain": [[6, 5, 4, 3, 2, 1], [6, 5, 4, 3, 2, 1]],
    "worst": [[4, 1, 2, 4, 4, 0], [6, 5, 6, 6, 6, 6]],
}
TWO_LABELS = [*SIX_LABELS, [0, 1, 0, 0, 0, 0]]


@pytest.mark.parametrize(("score", "k"), [("map", None), ("ndcg", [1, 4]), ("arp", None)])
@pytest.mark.parametrize("average", ["samples", None])
def test_the_ranks_of_systems_in_all_orders_of_ties(score, k, average):
    params = {"average": average} | ({} if k is None else {"k": k})
    report = tie_report(TWO_LABELS, SYSTEMS, score=score, **params)
    assert report.systems == (*SYSTEMS,)
    alone = [tie_report(TWO_LABELS, each, score=score, **params) for each in SYSTEMS.values()]
    for name in ("expected", "worst", "best", "as_ordered", "tied_queries", "tied_items"):
        assert np.array_equal(getattr(report, name), [getattr(each, name) for each in alone])
    sign = -1 if score == "arp" else 1
    worst, best = sign * report.worst, sign * report.best
    for system in range(4):
        n_better = (worst > best[system] + TOLERANCE).sum(axis=0)
        n_worse = (best < worst[system] - TOLERANCE).sum(axis=0)
        assert np.array_equal(report.best_rank[system], 1 + n_better)
        assert np.array_equal(report.worst_rank[system], 4 - n_worse)


def test_systems_of_equal_means_have_no_certain_rank():
    report = tie_report(SIX_LABELS, {"a": SIX_SCORES, "b": [[6, 5, 4, 2, 2, 1]]}, score="mrr")
    assert (report.best_rank.tolist(), report.worst_rank.tolist()) == ([1, 1], [2, 2])
    assert "best_rank=[1 1],\n" in repr(report)
    assert "systems=['a' 'b'],\n" in repr(report)
    assert "systems" not in repr(tie_report(SIX_LABELS, SIX_SCORES, score="mrr"))
    systems = {1: SIX_SCORES, ("a", 2): SIX_SCORES}
    assert "systems=[1 ('a', 2)],\n" in repr(tie_report(SIX_LABELS, systems, score="mrr"))
    infinite = {"replace_undefined_by": np.inf, "average": None}
    report = tie_report([[0, 0]], {"a": [[1, 1]], "b": [[1, 2]]}, score="mrr", **infinite)
    assert report.best_rank.tolist() == [[1], [1]]


def test_labels_in_a_dict_of_scipy_are_of_no_system():
    labels, scores = sp.dok_array(np.eye(2, 3)), [[1, 1, 2], [2, 2, 1]]
    expected = tie_report(labels.toarray(), scores, score="mrr")
    assert tie_report(labels, scores, score="mrr") == expected
    found = tie_report(labels, {"a": scores, "b": scores}, score="mrr")
    assert found.expected.tolist() == [expected.expected] * 2


def test_systems_by_ids():
    gold = {"q": ["a"], "r": ["b", "c"]}
    found = {
        "sure": {"q": {"a": 2, "x": 1}, "r": {"b": 3, "c": 2, "x": 1}},
        "tied": {"q": {"a": 1, "x": 1}, "r": {"b": 3, "x": 4}},
    }
    data = {name: from_lists(gold, each) for name, each in found.items()}
    report = tie_report(data, score="mrr@1")
    assert (report.best_rank.tolist(), report.worst_rank.tolist()) == ([1, 2], [1, 2])
    assert report.expected.tolist() == [1, 0.25]
    other = data | {"other": from_lists({"q": ["a"]}, {"q": ["a"]})}
    for arguments, parameter, text in (
        ((other,), "y_true", "of the same queries for each system"),
        (({"a": [[1, 0]]},), "y_true", "a dict of RankingData by system"),
        (({},), "y_true", "a dict of RankingData by system"),
        ((SIX_LABELS, {}), "y_score", "a dict of scores by system"),
        ((data, SIX_SCORES), "y_score", "left out"),
        ((data, {"a": SIX_SCORES}), "y_score", "left out"),
    ):
        with raises(parameter, text):
            tie_report(*arguments, score="mrr")
