"""The ranges of the values of programs that do not define their order of equal scores."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import replace
from functools import cache
from itertools import combinations, permutations, product
from typing import Any

import by_convention
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from metrics.test_measure import as_data
from metrics.test_programs import (
    DATA,
    FLOAT64,
    LABELS,
    MEASURES,
    TOLERANCE,
    answers,
    convention_of,
    given as case_data,
    number,
)

from ranking_scores import from_tables
from ranking_scores._metrics._measure import LEFT_OUT, Convention, default_convention
from ranking_scores._metrics._programs import ProgramScore
from ranking_scores._metrics._tie_ranges import TieRange, has_undefined_orders, range_of_mean
from ranking_scores._queries._data import CallData
from ranking_scores.conventions import like
from ranking_scores.explain import explain_difference
from ranking_scores.explain._search import ConventionSearch

sys.path.insert(0, str(DATA))
import long_lists

LONG = json.loads((DATA / "long_lists.json").read_text())
EXACT = 1e-12


def range_of(to: Convention, data: Any) -> TieRange:
    of_score = CallData("test", data, None, None, None, None, None).in_columns()
    return ConventionSearch(of_score, to, "test")._range_of_ties(to)


def ordered_values(to: Convention, labels: dict[str, int], predicted: list[Any]) -> list[Any]:
    """Return the values of a query in all orders of its ties, by the definition."""
    groups: dict[float, list[Any]] = {}
    for item, score in predicted:
        groups.setdefault(score, []).append((item, score))
    orders = product(*(permutations(groups[score]) for score in sorted(groups, reverse=True)))
    knobs = vars(replace(to, ties="earlier"))
    return [by_convention.value(knobs, labels, [*sum(each, ())]) for each in orders]


_AUC: dict[str, Any] = {"no_relevant": 0.0, "no_irrelevant": None}
CONVENTIONS = [
    *(default_convention(name, k) for name in ("ndcg", "dcg", "map", "mrr") for k in (1, 2, 4)),
    *(default_convention(name, 3) for name in ("precision", "recall", "f1", "err", "hit_rate")),
    *(default_convention(name) for name in ("ndcg", "map", "mrr", "rbp", "r_precision", "err")),
    *(replace(default_convention("map", k), divisor="hits") for k in (2, 3, 4, 9, None)),
    *(replace(default_convention("ndcg", k), no_hit=LEFT_OUT, gain="exponential") for k in (1, 3)),
    replace(default_convention("map", 3), no_hit=LEFT_OUT, divisor="achievable"),
    replace(default_convention("precision", 3), no_hit=1.0),
    replace(default_convention("mrr", 3), no_relevant=LEFT_OUT),
    *(replace(default_convention("auc", k), **_AUC, first_ties=True) for k in (1, 2, 3, 4, 9)),
    *(replace(default_convention("auc", k), **_AUC) for k in (2, 3, 4)),
]


@st.composite
def lists(draw: Any) -> dict[str, Any]:
    """Some queries with up to five predictions of two scores."""
    queries = {}
    for place in range(draw(st.integers(1, 2))):
        n = draw(st.integers(1, 5))
        items = [f"i{each}" for each in range(n)]
        predicted = [(item, draw(st.sampled_from([0.5, 1.0]))) for item in items]
        judged = {item: draw(st.integers(0, 3)) for item in [*items, "missed"]}
        queries[f"q{place}"] = judged, predicted
    return queries


@pytest.mark.parametrize("to", CONVENTIONS, ids=lambda to: f"{to.metric}@{to.k}")
@settings(max_examples=25, deadline=None)
@given(lists())
def test_range_is_that_of_all_orders(to: Convention, queries: dict[str, Any]) -> None:
    data = as_data(queries)
    ties = range_of(replace(to, ties="earlier", ordered_to=0), data)
    for place, query in enumerate(data.query_ids.tolist()):
        values = ordered_values(to, *queries[query])
        numbers = [value for value in values if value is not None]
        expected = [min(numbers, default=math.nan), max(numbers, default=math.nan)]
        found = [ties.lowest[place], ties.highest[place]]
        assert found == pytest.approx(expected, abs=EXACT, nan_ok=True)
        assert ties.may_be_left_out[place] == (0 < len(numbers) < len(values))


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 3), st.booleans(), st.integers(0, 2)),
        min_size=1,
        max_size=5,
    )
)
def test_range_of_the_mean_is_that_of_all_subsets(rows: list[Any]) -> None:
    lowest, highest, is_optional, weights = (np.array(each) for each in zip(*rows, strict=True))
    lowest, highest = np.minimum(lowest, highest) / 4, np.maximum(lowest, highest) / 4
    means = []
    for n in range(len(rows) + 1):
        for left_out in combinations(np.flatnonzero(is_optional), n):
            weight = weights.astype(np.float64)
            weight[list(left_out)] = 0
            if weight.any():
                means += [(each * weight).sum() / weight.sum() for each in (lowest, highest)]
    ties = TieRange(lowest, highest, is_optional)
    expected = [min(means, default=math.nan), max(means, default=math.nan)]
    found = range_of_mean(ties, weights.astype(np.float64), default_convention("ndcg"))
    assert found == pytest.approx(expected, abs=EXACT, nan_ok=True)
    to = replace(default_convention("ndcg"), digits_of_mean=1)
    rounded = range_of_mean(ties, weights * 1.0, to)
    assert rounded == pytest.approx([round(each, 1) for each in found], nan_ok=True)


@cache
def long_data(labels: str) -> Any:
    case = long_lists.case()
    as_read = {"qrels": case.qrels, "run": case.run}
    return as_data(
        {query: (LABELS[labels](as_read, query), case.run[query]) for query in case.run}
    )


REPEATED = json.loads((DATA / "repeated_lists.json").read_text())


@pytest.mark.parametrize("program", REPEATED)
def test_items_that_come_again_count_as_in_the_program(program: str) -> None:
    case = long_lists.repeated_case()
    data = {
        labels: from_tables(
            table_of({query: [*of_query(vars(case), query).items()] for query in case.qrels}),
            table_of(case.run),
            query="query",
            item="item",
            label="value",
            score="value",
            queries="all",
            duplicates="hold",
        )
        for labels, of_query in LABELS.items()
    }
    for measure, recorded in REPEATED[program]["measures"].items():
        here = MEASURES[program][measure]
        score = convention_of(program, here)
        ours = score(data[here[2] if len(here) > 2 else "as they are"], average=None)
        theirs = np.array([number(each) for each in recorded])
        if program == "recommenders":  # which counts users 0 that it leaves out, if asked alone
            theirs = np.where(np.isnan(ours), np.nan, theirs)
        if measure.startswith("ndcg_at_k"):  # recommenders, where an item twice counts four times
            assert (theirs > ours).any()
        else:
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=FLOAT64, err_msg=measure)


def table_of(rows: Any) -> dict[str, list[Any]]:
    """Return the pairs of some queries as a table."""
    triples = [(query, item, value) for query, row in rows.items() for item, value in row]
    names = ("query", "item", "value")
    return {name: [row[place] for row in triples] for place, name in enumerate(names)}


ASKED: list[Any] = [
    (program, measure) for program, entry in LONG.items() for measure in entry["measures"]
]


@pytest.mark.parametrize(("program", "measure"), ASKED)
def test_answers_about_long_lists_are_ours_or_in_the_range(program: str, measure: str) -> None:
    here = MEASURES[program][measure]
    to = convention_of(program, here).convention
    data = long_data(here[2] if len(here) > 2 else "as they are")
    theirs = np.array([number(each) for each in LONG[program]["measures"][measure]])
    is_known = ~np.isnan(theirs)
    assert is_known[:2].all()
    tolerance = TOLERANCE.get(program, FLOAT64)
    ours = ProgramScore("a:b", replace(to, ordered_to=None))(data, average=None)
    is_ours = np.abs(theirs - ours) <= tolerance
    if not has_undefined_orders(to):
        assert is_ours[is_known].all(), (theirs, ours)
        return
    ties = range_of(to, data)
    assert ties.allows(theirs, tolerance)[is_known].all()
    is_defined = np.array([*long_lists.LENGTHS.values()]) <= to.ordered_to
    assert is_ours[is_defined].all(), (theirs, ours)


def test_programs_with_another_order_in_long_lists_are_those_that_define_none() -> None:
    assert {"ranx", "scikit-learn", "torchmetrics", "torcheval", "pytorch-ignite"} <= LONG.keys()
    differs = set()
    for program, measure in ASKED:
        here = MEASURES[program][measure]
        to = replace(convention_of(program, here).convention, ordered_to=None)
        data = long_data(here[2] if len(here) > 2 else "as they are")
        theirs = np.array([number(each) for each in LONG[program]["measures"][measure]])
        ours = ProgramScore("a:b", to)(data, average=None)
        if (np.abs(theirs - ours) > 1e-4).any():
            differs.add(program)
    assert differs == {"ranx", "scikit-learn", "torchmetrics", "torcheval", "pytorch-ignite"}


UNDEFINED = [
    (program, measure)
    for program, measures in MEASURES.items()
    for measure, here in measures.items()
    if not isinstance(here, str)
    and answers(program)["how"] == "run"
    and has_undefined_orders(convention_of(program, here).convention)
]


@pytest.mark.parametrize("program", sorted({program for program, _ in UNDEFINED}))
def test_answers_about_ties_are_in_the_range(program: str) -> None:
    n_compared = 0
    for measure in (measure for name, measure in UNDEFINED if name == program):
        here = MEASURES[program][measure]
        to = convention_of(program, here).convention
        assert to.ideal != "sorted"  # its extremes are not those of the orders by gain
        for case in ("ties", "ties_binary", "ids"):
            data = case_data(case, here[2] if len(here) > 2 else "as they are")
            recorded = answers(program)["measures"][measure].get(case, {}).get("per_query") or {}
            theirs = np.array([number(recorded.get(query)) for query in data.queries])
            is_known = ~np.isnan(theirs)
            if program == "ranking-metrics-torch" and measure.startswith("avg_precision_at"):
                continue  # its value is not that of any single order
            allowed = range_of(to, data).allows(theirs, TOLERANCE.get(program, FLOAT64))
            assert allowed[is_known].all(), (measure, case)
            n_compared += int(is_known.sum())
    assert n_compared > 20


TIED = as_data(
    {
        "q1": ({"i0": 1, "i9": 2}, [(f"i{place}", 0.5) for place in range(16)]),
        "q2": ({"i0": 1}, [("i0", 0.5), ("i1", 0.25)]),
    }
)


def test_like_warns_once_and_says_what_the_program_can_give() -> None:
    lowest, highest = (
        ProgramScore("a:b", replace(like("ranx", "mrr@5").convention, ordered_to=None, ties=ties))(
            TIED
        )
        for ties in ("worst", "best")
    )
    said = (
        "ranx:mrr@5: ranx does not define the order of equal scores in lists of more than 15 "
        "predictions, and it makes a difference in 1 query. The mean can be from "
        f"{lowest:g} to {highest:g}."
    )
    with pytest.warns(UserWarning, match="ranx does not define") as warned:
        like("ranx", "mrr@5")(TIED)
    assert [str(each.message) for each in warned] == [said]
    assert warned[0].filename == __file__
    with pytest.warns(
        UserWarning, match="torchmetrics does not define the order of equal scores,"
    ):
        values = like("torchmetrics", "RetrievalMRR@5")(TIED, average=None)
    assert values.shape == (2,)


def test_like_does_not_warn_if_the_order_is_defined_or_makes_no_difference() -> None:
    like("ranx", "recall")(TIED)
    like("trec_eval", "ndcg_cut_5")(TIED)
    like("scikit-learn", "ndcg_score@5")(TIED)
    short = {"q1": ({"i0": 1}, [(f"i{place}", 0.5) for place in range(15)])}
    like("ranx", "mrr@5")(as_data(short))


def test_like_warns_of_several_queries() -> None:
    queries = {f"q{each}": ({"i0": 1}, [("i0", 0.5), ("i1", 0.5)]) for each in range(2)}
    with pytest.warns(
        UserWarning, match="a difference in 2 queries. The mean can be from 0 to 1."
    ):
        like("torchmetrics", "RetrievalHitRate@1")(as_data(queries))


def test_a_number_of_another_order_is_possible() -> None:
    convention = like("ranx", "map").convention
    ties = range_of(convention, TIED)
    value = 0.31 * ties.lowest.mean() + 0.69 * ties.highest.mean()
    found = explain_difference(TIED, value=value, score="map")
    [possible] = [each for each in found.possible if each.programs[0].startswith("ranx")]
    assert possible.programs == ("ranx:map", "ranx:map;rel_lvl=1.0")[:1]
    assert possible[1:] == pytest.approx((ties.lowest.mean(), ties.highest.mean()))
    assert not found.matches
    said = repr(found)
    assert "Possible, since the order of ties is not defined there:" in said
    assert f"- ranx 0.3.21 (map), from {possible.lowest:.6f} to {possible.highest:.6f}" in said
    assert "nearest" not in said
    beyond = explain_difference(TIED, value=ties.highest.mean() + 0.07, score="map")
    assert not [each for each in beyond.possible if each.programs[0].startswith("ranx")]


def test_values_of_queries_are_possible_one_by_one() -> None:
    ties = range_of(like("ranx", "mrr").convention, TIED)
    values = {"q1": 0.4 * ties.lowest[0] + 0.6 * ties.highest[0], "q2": ties.lowest[1]}
    found = explain_difference(TIED, value=values, score="mrr")
    assert "ranx:mrr" in {name for each in found.possible for name in each.programs}
    found = explain_difference(TIED, value={"q1": values["q1"]}, score="mrr")
    assert "ranx:mrr" in {name for each in found.possible for name in each.programs}
    found = explain_difference(TIED, value=values | {"q2": 0.77}, score="mrr")
    assert not found.possible


def test_a_program_that_matches_is_not_possible_too() -> None:
    value = ProgramScore("a:b", replace(like("ranx", "ndcg@5").convention, ordered_to=None))(TIED)
    found = explain_difference(TIED, value=value, score="ndcg@5")
    assert "ranx:ndcg@5" in {name for each in found.matches for name in each.programs}
    assert "ranx" not in {each.programs[0].partition(":")[0] for each in found.possible}
    assert found.possible
    assert "Possible" in repr(found)


def test_a_query_may_be_left_out_if_some_order_leaves_it_out() -> None:
    ties = TieRange(
        np.array([0.2, 0.2, math.nan]),
        np.array([0.4, 0.4, math.nan]),
        np.array([True, False, False]),
    )
    assert ties.allows(np.full(3, math.nan), EXACT).tolist() == [True, False, True]
    assert ties.allows(np.array([0.3, 0.41, 0.3]), EXACT).tolist() == [True, False, False]


def test_programs_that_refuse_the_labels_are_not_possible() -> None:
    """Exponential gains of such a label overflow."""
    large = {"q1": ({"i0": 2000, "i9": 1}, [(f"i{place}", 0.5) for place in range(16)])}
    found = explain_difference(as_data(large), value=1600.0123, score="dcg@5")
    assert {name for each in found.possible for name in each.programs} >= {"ranx:dcg@5"}
    assert "ranx:dcg_burges@5" not in {name for each in found.possible for name in each.programs}


def test_the_first_possible_programs_are_listed() -> None:
    found = explain_difference(TIED, value=0.6217, score="ndcg@5")
    listed = [line for line in repr(found).splitlines() if line.startswith("- ")]
    assert "Possible" in repr(found)
    assert len(listed) == 6
    assert listed[-1].startswith("- and ")
