"""What two sets of judgments, such as those of people and of a model, say about systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranking_scores._agreement._measures import ap, kendall
from ranking_scores._base._errors import invalid, list_some, show_id, show_some, with_parts
from ranking_scores._base._ids import ids_as_objects
from ranking_scores._base._results import (
    ROW_NAMES,
    MarkdownResult,
    ResultTable,
    TabularResult,
    as_cell,
    as_percent,
    columns_of,
    count_queries,
    read_only,
)
from ranking_scores._base._validation import check_option, describe
from ranking_scores._metrics._named import find_score
from ranking_scores._queries._data import refuse_aspects
from ranking_scores._tables._ranking_data import RankingData
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.report import RankingReport
from ranking_scores.significance._comparing import compare_pairs
from ranking_scores.significance._comparisons import Comparisons
from ranking_scores.significance._human_labels import check_no_human
from ranking_scores.significance._readers import (
    as_reports,
    check_systems,
    is_value_file,
    read_all,
    with_units,
)
from ranking_scores.significance._resampling import draws
from ranking_scores.significance._systems import QueryParameters, ScoredSystems
from ranking_scores.significance._tests import (
    SignificanceSettings,
    check_level,
    check_resamples,
    seed_of,
)
from ranking_scores.significance._units import SAME
from ranking_scores.tables import from_lists

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_FUNCTION = "system_agreement"
_SHOWN = 10
"""The greatest number of pairs of systems that the text shows."""


@dataclass(frozen=True)
class Swap:
    """Two systems that change places from one set of judgments to the other."""

    better_a: str
    """The system that is ahead by the judgments a."""
    better_b: str
    """The system that is ahead by the judgments b."""
    difference_a: float
    """The mean of `better_a` minus that of `better_b`, by the judgments a."""
    difference_b: float
    """The mean of `better_b` minus that of `better_a`, by the judgments b."""
    pvalue_a: float
    """The p-value of the first difference, corrected by Holm's method."""
    pvalue_b: float
    """The p-value of the second difference, corrected by Holm's method."""
    share: float
    """The share of the resamples of queries in which both sets order the two differently."""


@dataclass(frozen=True, init=False, eq=False, repr=False)
class LabelAgreement(TabularResult):
    """How far two sets of judgments agree on the labels of the items that both judged.

    Attributes
    ----------
    kappa : float
        Cohen's kappa of the labels: 1 if all are equal, 0 if they agree as often as by chance.
        NaN if all labels are the same.

    weights : str or None
        The weights of disagreements: "linear", "quadratic" or None.

    grades : ndarray of shape (n_grades,)
        All labels, sorted.

    kappa_by_grade : ndarray of float64 of shape (n_grades,)
        Cohen's kappa of whether an item has the grade.

    counts : ndarray of int64 of shape (n_grades, n_grades)
        The number of items by their label in a, by row, and in b, by column.

    n_items : int
        The number of items that both judged.

    n_only_a : int
        The number of items that only a has, of the queries of a.

    n_only_b : int
        The number of items that only b has, of the queries of b.
    """

    kappa: float
    weights: str | None
    grades: NDArray[Any]
    kappa_by_grade: Floats
    counts: Ints
    n_items: int
    n_only_a: int
    n_only_b: int

    def _table(self) -> ResultTable:
        shown = {
            f"{grade:g} in b": self.counts[:, n].tolist() for n, grade in enumerate(self.grades)
        }
        columns: dict[str, Any] = shown | {"kappa": self.kappa_by_grade.tolist()}
        return ResultTable(
            columns, {"": [f"{grade:g} in a" for grade in self.grades]}, [self._line()]
        )

    def _line(self) -> str:
        name = "kappa" if self.weights is None else f"{self.weights} kappa"
        return (
            f"labels: {name} {as_cell(self.kappa)} of {self.n_items} items that both judged; "
            f"{self.n_only_a} are only in a, {self.n_only_b} only in b"
        )


@dataclass(frozen=True, init=False, eq=False, repr=False)
class SystemAgreement(MarkdownResult):
    """The result of `system_agreement`: do two sets of judgments order the systems alike?

    Results are equal if all their values are. NaN equals NaN.

    Attributes
    ----------
    systems : tuple of str
        The systems, from the best by the judgments a to the worst.

    metric : str or None
        The name of the score. None for arrays.

    mean_a : ndarray of float64 of shape (n_systems,)
        The mean of each system by the judgments a.

    mean_b : ndarray of float64 of shape (n_systems,)
        The mean of each system by the judgments b.

    rank_a : ndarray of int64 of shape (n_systems,)
        The rank of each system by the judgments a. Equal means share the best of their ranks.

    rank_b : ndarray of int64 of shape (n_systems,)
        The rank by the judgments b.

    tau : float
        Kendall's tau of both orders: 1 if they are the same, -1 if one is the other reversed.

    tau_low : float
        The lower limit of its confidence interval.

    tau_high : float
        The upper limit of this interval.

    tau_ap : float
        The AP correlation of both orders, in which the first ranks count most. The judgments a
        are the reference.

    tau_ap_low : float
        The lower limit of its confidence interval.

    tau_ap_high : float
        The upper limit of this interval.

    tau_resampled : float
        The mean of Kendall's tau of the order by the judgments a with that by the same judgments
        on the resampled queries. It says what the choice of queries alone does.

    swaps : tuple of Swap
        The pairs of systems that change places, from the largest `difference_a` to the smallest.
        Each has `better_a`, `better_b`, `difference_a`, `difference_b`, `pvalue_a`, `pvalue_b` and
        `share`.

    n_pairs : int
        The number of pairs of systems.

    n_significant_a : int
        The number of pairs that differ significantly by the judgments a.

    n_significant_b : int
        The number of pairs that differ significantly by the judgments b.

    n_same_verdict : int
        The number of pairs that differ significantly by both, in the same direction.

    n_opposite_verdict : int
        The number of pairs that differ significantly by both, in opposite directions.

    labels : LabelAgreement or None
        The agreement of the labels. None if the judgments are not known.

    n_queries : int
        The number of queries.

    confidence_level : float
        The level of the intervals. That of the tests is 1 minus this number.
    """

    systems: tuple[str, ...]
    metric: str | None
    mean_a: Floats
    mean_b: Floats
    rank_a: Ints
    rank_b: Ints
    tau: float
    tau_low: float
    tau_high: float
    tau_ap: float
    tau_ap_low: float
    tau_ap_high: float
    tau_resampled: float
    swaps: tuple[Swap, ...]
    n_pairs: int
    n_significant_a: int
    n_significant_b: int
    n_same_verdict: int
    n_opposite_verdict: int
    labels: LabelAgreement | None
    n_queries: int
    confidence_level: float

    _columns = (ROW_NAMES, *columns_of("mean_a", "mean_b", "rank_a", "rank_b"))

    def to_frame(self) -> Any:
        """Return the systems as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            One row per system, with its means and ranks by both judgments.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return self._frame()

    def _names(self) -> tuple[str, ...]:
        return self.systems

    def _notes(self) -> list[str]:
        return [*self._lines()]

    def _lines(self) -> Iterator[str]:
        level, queries = as_percent(self.confidence_level), count_queries(self.n_queries)
        for name, key in (("Kendall's tau", "tau"), ("AP correlation", "tau_ap")):
            value, low, high = (as_cell(getattr(self, key + end)) for end in ("", "_low", "_high"))
            yield f"{name}: {value} ({low} to {high})"
        yield f"{level} intervals by resampling {queries}"
        yield f"a and a on resampled queries: tau {as_cell(self.tau_resampled)} on average"
        pairs = f"{self.n_pairs} pair{'s' * (self.n_pairs > 1)} of systems"
        yield f"{len(self.swaps)} of {pairs} change{'s' * (len(self.swaps) == 1)} places"
        for swap in self.swaps[:_SHOWN]:
            in_a, in_b = (
                f"by {as_cell(difference)} in {name} (p = {as_cell(pvalue)})"
                for name, difference, pvalue in (
                    ("a", swap.difference_a, swap.pvalue_a),
                    ("b", swap.difference_b, swap.pvalue_b),
                )
            )
            yield f"{swap.better_a} leads {swap.better_b} {in_a} and is behind {in_b}"
        if len(self.swaps) > _SHOWN:
            yield f"... and {len(self.swaps) - _SHOWN} more pairs"
        yield (
            f"significant differences: {self.n_significant_a} in a, {self.n_significant_b} in b, "
            f"{self.n_same_verdict} in both, {self.n_opposite_verdict} in opposite directions"
        )
        if self.labels is not None:
            yield self.labels._line()


def system_agreement(
    systems_a: Mapping[str, ArrayLike | RankingReport | RankingData],
    systems_b: Mapping[str, ArrayLike | RankingReport | RankingData],
    *,
    score: Any = None,
    judgments: tuple[Any, Any] | None = None,
    kappa_weights: Literal["linear", "quadratic"] | None = None,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    random_state: Any = None,
) -> SystemAgreement:
    """Tell what a second set of judgments does to the order of some systems.

    The systems are scored by the judgments a, such as those of people, and by the judgments b,
    such as those of a model. Which systems change places, and do the same differences stay
    significant?

    Parameters
    ----------
    systems_a : dict of str to array-like, RankingReport or RankingData
        The systems by the judgments a, in a form that `compare_all` takes: scores of each query,
        reports, or data to score. These judgments are the reference of the AP correlation.

    systems_b : dict of str to array-like, RankingReport or RankingData
        The same systems by the judgments b, on the same queries.

    score : str or callable, default=None
        The score of systems that are `RankingData`, such as "ndcg@10", or the result to take of
        reports that have several.

    judgments : pair, default=None
        The judgments a and b, each as `RankingData` or in a form that `ranking_scores.from_lists`
        takes. None takes those of systems that are `RankingData` without aspects.

    kappa_weights : {"linear", "quadratic"} or None, default=None
        How much a disagreement counts in Cohen's kappa, as in scikit-learn: by the number of
        grades between the two labels, by its square, or always the same.

    sample_weight : array-like of shape (n_queries,), default=None
        The weight of each query in the mean, such as the number of users that it stands for.
        Weights are finite, not negative and not all zero, and a query of weight 0 is left out.
        None takes the `sample_weight` of reports, if they have it.

    clusters : array-like or dict, default=None
        The cluster of each query, such as its user, topic or session. Queries of one cluster may
        depend on each other: they are drawn and flipped together, and the t test is about
        clusters. A Series or a dict of query ids is matched by these ids. None takes the
        `clusters` of reports. Without any, all queries are independent.

    confidence_level : float, default=0.95
        The confidence level of the interval. The level of the test is 1 minus this number.

    n_resamples : int, default=9999
        The number of random resamples, if the method draws any. This number plus 1, for the
        observed sample, must be at least ``2 / (1 - confidence_level)``.

    random_state : int, RandomState instance, Generator or None, default=None
        The source of randomness for the resamples. Pass an int to get the same result in every
        call.

    Returns
    -------
    agreement : SystemAgreement
        A frozen dataclass with `tau`, `tau_ap` and their intervals, the `swaps`, the numbers of
        significant differences, and the agreement of the `labels`. It prints as a table.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here, or if the systems were scored on different
        queries or with different options. The error is of both types, as in scikit-learn.

    See Also
    --------
    kendall_tau : Computes the correlation of any two rankings.
    ranking_scores.significance.compare : Corrects a model's judgments by people's with `human`.

    Notes
    -----
    The correlations are `kendall_tau` and `tau_ap` of the means of the systems. Means that are
    equal except for rounding tie. The intervals are their percentiles over samples of the queries,
    the same samples for both sets. Queries on which a score is NaN do not count in the mean of
    that system, and a sample on which a system has no mean is left out.

    Noise in the means lowers a correlation, so an interval may be too low. In simulations of 5 to
    20 systems on 50 to 200 queries, 95 % intervals contained the tau over all queries in 72 to
    99 % of the cases, and least often where it is 1. So compare tau with `tau_resampled`: it is
    the mean tau of the order by a and that by a on the samples. If tau is no lower, the second set
    moves the systems no more than the choice of queries does.

    The differences are tested as ``compare_all(systems, correction="holm")`` does, for each set.
    Cohen's kappa is over the items that both judged. Lists of relevant items have one label only,
    so it is NaN for them.

    Examples
    --------
    >>> from ranking_scores import from_lists
    >>> from ranking_scores.agreement import system_agreement
    >>> people = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"d": 1, "e": 0}, "q3": {"f": 1, "g": 0}}
    >>> model = {"q1": {"a": 1, "b": 2, "c": 0}, "q2": {"d": 1, "e": 1}, "q3": {"f": 0, "g": 1}}
    >>> runs = {
    ...     "old": {"q1": ["b", "a"], "q2": ["e", "d"], "q3": ["g", "f"]},
    ...     "new": {"q1": ["a", "b"], "q2": ["d", "e"], "q3": ["f", "g"]},
    ... }
    >>> by_people = {name: from_lists(people, run) for name, run in runs.items()}
    >>> by_model = {name: from_lists(model, run) for name, run in runs.items()}
    >>> system_agreement(by_people, by_model, score="ndcg@2", random_state=0)
         mean a  mean b  rank a  rank b
    new  1.0000  0.8302       1       2
    old  0.7072  1.0000       2       1
    <BLANKLINE>
    Kendall's tau: -1.0000 (-1.0000 to 0.0000)
    AP correlation: -1.0000 (-1.0000 to 0.0000)
    95 % intervals by resampling 3 queries
    a and a on resampled queries: tau 1.0000 on average
    1 of 1 pair of systems changes places
    new leads old by 0.2928 in a (p = 0.2500) and is behind by 0.1698 in b (p = 0.2552)
    significant differences: 0 in a, 0 in b, 0 in both, 0 in opposite directions
    labels: kappa -0.1667 of 7 items that both judged; 0 are only in a, 0 only in b
    """
    level = check_level(confidence_level, _FUNCTION)
    n_resamples = check_resamples(n_resamples, _FUNCTION, level, are_used=True)
    if kappa_weights is not None:
        check_option(kappa_weights, "kappa_weights", _FUNCTION, ("linear", "quadratic"))
    sets = {"systems_a": systems_a, "systems_b": systems_b}
    a, b = _read_both_sets(sets, score, _FUNCTION, QueryParameters(sample_weight, clusters))
    for given, parameter in zip((a, b), sets, strict=True):
        check_no_human(given, parameter, _FUNCTION)
    labels = _labels_of(judgments, systems_a, systems_b, kappa_weights)
    orders = _orders_of((a, b), n_resamples, seed_of(random_state, _FUNCTION, is_used=True))
    tests = SignificanceSettings("auto", "two-sided", level, n_resamples=0, seed=0)
    compared = [compare_pairs(scored, tests, _FUNCTION, correction="holm") for scored in (a, b)]
    system = next(iter(a.systems.values()))
    metric = None if system.names is None else system.names[0]
    facts = {"metric": metric, "n_queries": len(system.values), "confidence_level": level}
    return _result(orders, list(a.systems), compared, labels, facts)


def _read_both_sets(
    sets: Mapping[str, Any], score: Any, function: str, parameters: QueryParameters
) -> tuple[ScoredSystems, ScoredSystems]:
    """Return one score of the same systems under two sets of judgments, given by parameter."""
    (first, one), (second, other) = sets.items()
    for parameter, systems in sets.items():
        check_systems(systems, parameter, function)
    if one.keys() != other.keys():
        is_lost = one.keys() - other.keys()
        which = f"without {show_some(sorted(is_lost))}" if is_lost else ""
        which = which or f"also {show_some(sorted(other.keys() - one.keys()))}"
        raise invalid(second, function, f"a dict with the same systems as {first}", which)
    if score is not None:
        find_score(score, function, "score")
    given = {f"{of}[{name!r}]": sets[of][name] for of in sets for name in one}
    found = read_all(_with_one_score(given, score, function), function)
    names = next(iter(found.values())).names
    if names is not None and len(names) > 1:
        advice = "Pass `score` to choose one of a report."
        raise invalid(first, function, "systems with a single score", list_some(names), advice)
    both = with_units(found, given, parameters, function)
    values = list(both.systems.values())
    halves = values[: len(one)], values[len(one) :]
    a, b = (both._replace(systems=dict(zip(one, half, strict=True))) for half in halves)
    return a, b


def _with_one_score(given: dict[str, Any], score: Any, function: str) -> dict[str, Any]:
    """Return systems whose reports have the one score that was asked for, if one was."""
    asks = any(isinstance(own, RankingData) or is_value_file(own) for own in given.values())
    found = as_reports(given, score if asks else None, "score", function)
    if score is None:
        return found
    reports = {
        parameter: report
        for parameter, report in found.items()
        if isinstance(report, RankingReport) and not isinstance(given[parameter], RankingData)
    }
    for parameter, report in reports.items():
        if score not in report:
            expected = f"a report with {show_id(score)}"
            raise invalid(parameter, function, expected, list_some([*report]))
        found[parameter] = report._query_values([score], parameter, function)
    return found if asks or reports else as_reports(given, score, "score", function)


class _SystemOrders(NamedTuple):
    """The orders of some systems by two sets of judgments."""

    means: Floats
    """The mean of each system by each set, (2, n_systems)."""
    places: Ints
    """The number of systems that are better, (2, n_systems)."""
    resampled: Ints
    """The same on each resample of the queries, (2, n_resamples, n_systems)."""


def _orders_of(
    sets: tuple[ScoredSystems, ScoredSystems], n_resamples: int, seed: int
) -> _SystemOrders:
    """Return the orders of systems by two sets of judgments, on the queries and on resamples."""
    systems = [system for given in sets for system in given.systems.values()]
    values, weight = sets[0].units.values(np.hstack([system.values for system in systems]))
    is_there = ~np.isnan(values)
    weights = is_there * (1.0 if weight is None else weight)
    terms = np.where(is_there, values, 0) * weights
    with np.errstate(invalid="ignore"):  # a system without a score has the mean NaN
        means = terms.sum(axis=0) / weights.sum(axis=0)
    _check_means(means, sets)
    drawn = []
    for block in draws(n_resamples, seed)(len(terms)):
        sums, drawn_weights = block.times(terms, weights)
        with np.errstate(invalid="ignore"):
            drawn.append(sums / drawn_weights)
    resampled = np.concatenate(drawn)
    resampled = resampled[~np.isnan(resampled).any(axis=1)]
    if not len(resampled):
        form = "systems with a score on more queries, so that a resample has one of each system"
        raise invalid("systems_a", _FUNCTION, form, "no such resample")
    falls = any(systems[0].are_losses)
    size = np.abs(terms).sum(axis=0).max() / weights.sum(axis=0).max()
    shape = -1, 2, len(systems) // 2
    places = [
        _places((value if falls else -value).reshape(shape).swapaxes(0, 1), SAME * size)
        for value in (means, resampled)
    ]
    return _SystemOrders(means.reshape(shape)[0], places[0][:, 0], places[1])


def _check_means(means: Floats, sets: tuple[ScoredSystems, ScoredSystems]) -> None:
    """Raise if a system has no mean, since it has no place among the others."""
    places = [
        f"{parameter}[{name!r}]"
        for parameter, given in zip(("systems_a", "systems_b"), sets, strict=True)
        for name in given.systems
    ]
    for place, mean in zip(places, means, strict=True):
        if np.isnan(mean):
            form = "a system with a score on at least one query of a weight above 0"
            raise invalid(place, _FUNCTION, form, "NaN for all of them")


def _places(values: Floats, same: float) -> Ints:
    """Return for each value the number of lower ones on the last axis, except for rounding."""
    order = np.argsort(values, axis=-1)
    in_order = np.take_along_axis(values, order, axis=-1)
    starts = np.ones(values.shape, dtype=bool)
    starts[..., 1:] = np.diff(in_order, axis=-1) > same
    place = np.maximum.accumulate(np.where(starts, np.arange(values.shape[-1]), 0), axis=-1)
    places = np.empty_like(place)
    np.put_along_axis(places, order, place, axis=-1)
    return places


def _result(
    orders: _SystemOrders,
    names: list[str],
    compared: Sequence[Comparisons],
    labels: LabelAgreement | None,
    facts: dict[str, Any],
) -> SystemAgreement:
    """Return the result."""
    a, b = orders.places
    drawn_a, drawn_b = orders.resampled
    tails = (1 - facts["confidence_level"]) / 2 * np.array([1, -1]) + [0, 1]
    numbers: dict[str, float] = {}
    for key, correlation in (("tau", kendall), ("tau_ap", ap)):
        numbers[key] = _correlations(correlation, a[np.newaxis], b[np.newaxis])[0].item()
        low, high = np.quantile(_correlations(correlation, drawn_a, drawn_b), tails).tolist()
        numbers |= {f"{key}_low": low, f"{key}_high": high}
    with_itself = _correlations(kendall, np.broadcast_to(a, drawn_a.shape), drawn_a)
    order = np.argsort(a, kind="stable")
    directions = [comparisons.direction * comparisons.is_significant for comparisons in compared]
    return SystemAgreement._of(
        systems=tuple(names[place] for place in order),
        mean_a=read_only(orders.means[0][order]),
        mean_b=read_only(orders.means[1][order]),
        rank_a=read_only(1 + a[order]),
        rank_b=read_only(1 + b[order]),
        **numbers,
        tau_resampled=with_itself.mean().item(),
        swaps=tuple(_swaps(orders, names, compared)),
        n_pairs=len(directions[0]),
        n_significant_a=int(np.count_nonzero(directions[0])),
        n_significant_b=int(np.count_nonzero(directions[1])),
        n_same_verdict=int((directions[0] * directions[1] > 0).sum()),
        n_opposite_verdict=int((directions[0] * directions[1] < 0).sum()),
        labels=labels,
        **facts,
    )


def _correlations(correlation: Any, a: Ints, b: Ints) -> Floats:
    """Return the correlation of each row of two arrays of places."""
    lengths = np.full(len(a), a.shape[1])
    return np.asarray(correlation(a.ravel(), b.ravel(), lengths))


def _swaps(orders: _SystemOrders, names: list[str], compared: Sequence[Comparisons]) -> list[Swap]:
    """Return the pairs of systems that change places."""
    swaps = []
    for row, (one, other) in enumerate(combinations(range(len(names)), 2)):
        gap, drawn = orders.places[:, one] - orders.places[:, other], orders.resampled
        if gap[0] * gap[1] >= 0:
            continue
        ahead, behind = (one, other) if gap[0] < 0 else (other, one)
        gaps = np.sign(drawn[..., one] - drawn[..., other])
        difference = orders.means[:, ahead] - orders.means[:, behind]
        swaps.append(
            Swap(
                better_a=names[ahead],
                better_b=names[behind],
                difference_a=difference[0].item(),
                difference_b=-difference[1].item(),
                pvalue_a=compared[0].pvalue[row].item(),
                pvalue_b=compared[1].pvalue[row].item(),
                share=(gaps[0] * gaps[1] < 0).mean().item(),
            )
        )
    return sorted(swaps, key=lambda swap: -abs(swap.difference_a))


def _labels_of(
    judgments: Any, systems_a: Mapping[str, Any], systems_b: Mapping[str, Any], weights: str | None
) -> LabelAgreement | None:
    """Return the agreement of the labels, or None if these are not known."""
    if judgments is None:
        judgments = [next(iter(systems.values())) for systems in (systems_a, systems_b)]
        if not all(
            isinstance(judgment, RankingData) and judgment.aspects is None
            for judgment in judgments
        ):
            return None
    elif not isinstance(judgments, (tuple, list)) or len(judgments) != 2:
        expected = "a pair of the judgments a and b"
        raise invalid("judgments", _FUNCTION, expected, describe(judgments))
    a, b = (judged_labels(part, f"judgments[{n}]") for n, part in enumerate(judgments))
    return label_agreement(a, b, weights)


_Judged = tuple[list[tuple[Any, Any]], NDArray[Any]]
"""The ids of the query and of the item of each judgment, and its label."""


def judged_labels(given: Any, parameter: str, function: str = _FUNCTION) -> _Judged:
    """Return what was judged in some judgments."""
    if not isinstance(given, RankingData):
        try:
            given = from_lists(given, {})
        except InvalidParameterError as error:
            raise with_parts(error, parameter=parameter, function=_FUNCTION) from error
    refuse_aspects(given, parameter, function)
    judged = given.judged_items()
    queries = ids_as_objects(np.asarray(given.query_ids)[judged.query])
    items = ids_as_objects(np.asarray(judged.item_ids[judged.item]))
    return list(zip(queries, items, strict=True)), judged.labels


def label_agreement(a: _Judged, b: _Judged, weights: str | None) -> LabelAgreement:
    """Return the agreement of the labels of items that both sets of judgments have."""
    from sklearn.metrics import cohen_kappa_score

    (keys_a, labels_a), (keys_b, labels_b) = a, b
    numbers: dict[Any, int] = {}
    in_a, in_b = (
        np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.intp)
        for keys in (keys_a, keys_b)
    )
    _, in_a, in_b = np.intersect1d(in_a, in_b, return_indices=True)
    if not in_a.size:
        raise invalid("judgments", _FUNCTION, "of some items that both judged", "none")
    both = np.concatenate([labels_a[in_a], labels_b[in_b]])
    grades, number = np.unique(both, return_inverse=True)
    one, other = number[: in_a.size], number[in_a.size :]
    counts = np.zeros((grades.size, grades.size), dtype=np.int64)
    np.add.at(counts, (one, other), 1)
    kappas = [np.nan] * (grades.size + 1)
    if grades.size > 1:
        kappas = [cohen_kappa_score(one == grade, other == grade) for grade in range(grades.size)]
        kappas.append(cohen_kappa_score(one, other, weights=weights))
    return LabelAgreement._of(
        kappa=float(kappas[-1]),
        weights=weights,
        grades=read_only(grades),
        kappa_by_grade=read_only(np.array(kappas[:-1])),
        counts=read_only(counts),
        n_items=in_a.size,
        n_only_a=labels_a.size - in_a.size,
        n_only_b=labels_b.size - in_a.size,
    )
