"""The results of comparisons of systems: what they hold, and how they print."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import invalid, list_some
from ranking_scores._base._exact import Sums, weighted_sum
from ranking_scores._base._results import (
    ROW_NAMES,
    Column,
    ResultTable,
    TabularResult,
    as_cell,
    as_percent,
    columns_of,
    count_clusters,
    count_queries,
    read_only,
)
from ranking_scores._base._threads import once
from ranking_scores._base._validation import any_of, describe
from ranking_scores.significance._max_t import Families
from ranking_scores.significance._results import (
    HumanLabels,
    Ranks,
    SystemOrder,
    notes_on_infinite,
    ranked,
    span,
)
from ranking_scores.significance._tests import (
    CORRECTIONS,
    FAMILYWISE,
    PAIRED_TESTS,
    Summary,
    TestResult,
    alpha_of,
    facts_of,
    least_by_flips,
)
from ranking_scores.significance._units import ComparedPairs

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_NOTES_ON_MAX_T = (
    (
        "p-values: sign-flip permutation test; exact if systems are exchangeable on each query",
        "intervals: flips of centred differences, asymptotic",
    ),
    ("p-values and intervals: the larger one of flips of signs and the studentized bootstrap",),
)
"""What the numbers of max-T rest on, by flips alone or with the bootstrap, which may disagree."""
_NAMES_OF_POWER_TESTS = ("the uncorrected t test", "the t test")
_PRINTED = (
    *columns_of("difference", "low", "high", "pvalue", "effect_size", "wins", "draws", "losses"),
)
_IN_FRAMES = (
    *columns_of("direction", "detectable_difference", "n_queries", is_printed=False),
    *columns_of("n_effective", "n_dropped", "margin", is_printed=False),
)
_FEW_CHANGES = 5
"""With fewer queries that changed, the spread of the changes is hardly known."""
MARGIN_KEYS = ("margin", "pvalue_noninferior", "pvalue_equivalent")
"""The attributes of a comparison about a margin."""


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Comparison(TabularResult):
    """The comparison of two systems on the same queries.

    `compare` returns it, and each row of `Comparisons` is one. Comparisons are equal if all their
    values are, including those of each query. NaN equals NaN. ``dataclasses.asdict`` returns a
    dict of all numbers, without those of each query, that `json.dumps` takes.

    Attributes
    ----------
    system_a : str
        The name of the first system, with which the other one is compared. "a" in `compare`.

    system_b : str
        The name of the other system. "b" in `compare`.

    metric : str or None
        The name of the score, or None if it is unknown.

    group : object or None
        The group of queries that was compared. None without groups.

    difference : float
        The mean of b minus the mean of a, over the queries on which both have a score.

    low : float
        The lower limit of the interval of the difference, or -inf if it has none.

    high : float
        The upper limit of the interval of the difference, or inf if it has none.

    pvalue : float
        The p-value. It is corrected in a row of corrected `Comparisons`.

    effect_size : float
        The difference divided by the standard deviation of the differences of the queries.

    direction : int
        1 if the test says that b is higher rather than lower, -1 if lower, and 0 if neither. It
        is the sign of `difference`, except that ranks may point to the other side than the mean,
        and that it is 0 if earlier queries do, by the test "betting".

    detectable_difference : float
        The difference that the uncorrected t test would detect with a probability of 80 %. NaN if
        the differences have no spread.

    wins : int
        The number of queries on which the score of b is higher.

    draws : int
        The number of queries on which both scores are equal.

    losses : int
        The number of queries on which the score of b is lower.

    n_queries : int
        The number of queries that were compared.

    n_effective : float
        The effective number of queries, ``sum(w)^2 / sum(w^2)``, or of clusters, whose weight is
        the sum of their weights. It is `n_queries` without weights and clusters.

    n_clusters : int or None
        The number of clusters. None without clusters.

    n_dropped : int
        The number of queries that were left out, since one of the two scores is NaN, or the
        weight is 0.

    margin : float or None
        The margin, if there is one.

    pvalue_noninferior : float or None
        The p-value of the claim that b is not worse by the margin. It is corrected in a row of
        corrected `Comparisons`. None without a margin.

    pvalue_equivalent : float or None
        The p-value of the claim that b is neither worse nor better by the margin. None without a
        margin.

    test : str
        The test that was taken, never "auto". It is one of those of `compare`, or "ppi" if people
        judged some of the queries, and "ppi-share" if all scores are then 0 or 1.

    alternative : str
        The alternative hypothesis: "two-sided", "greater" or "less".

    correction : str or None
        The correction of the p-value: "max-t", "holm" or "bh", or None if it is not corrected.

    confidence_level : float
        The confidence level of the interval.

    human : HumanLabels or None
        What people's labels of some of the queries say about the difference by the model's. The
        wins, draws, losses and the effect size are then those of the queries that people judged,
        by their labels, and `difference_per_query` is that by the model's labels. None without
        `human`.

    difference_per_query : ndarray of float64 of shape (n_all_queries,)
        The difference of each query, b minus a. NaN for queries that were left out, or that are
        in another group.

    query_ids : ndarray of shape (n_all_queries,) or None
        The ids of the queries, from a report or from the index of pandas objects. None if there
        are none, or if the index only numbers the rows.
    """

    system_a: str
    system_b: str
    metric: str | None
    group: Any
    difference: float
    low: float
    high: float
    pvalue: float
    effect_size: float
    direction: int
    detectable_difference: float
    wins: int
    draws: int
    losses: int
    n_queries: int
    n_effective: float
    n_clusters: int | None
    n_dropped: int
    margin: float | None
    pvalue_noninferior: float | None
    pvalue_equivalent: float | None
    test: str
    alternative: str
    correction: str | None
    confidence_level: float
    human: HumanLabels | None

    _columns = (
        ROW_NAMES,
        *_PRINTED,
        *_IN_FRAMES,
        *columns_of("pvalue_noninferior", "pvalue_equivalent", is_printed=False),
    )

    # These are no fields, so `json.dumps(dataclasses.asdict(comparison))` takes the others.

    @property
    def difference_per_query(self) -> NDArray[np.float64]:
        """The difference of each query, b minus a."""
        return vars(self)["difference_per_query"]  # type: ignore[no-any-return]

    @property
    def query_ids(self) -> NDArray[Any] | None:
        """The ids of the queries, if there are any."""
        return vars(self)["query_ids"]  # type: ignore[no-any-return]

    def _values(self) -> list[Any]:
        return [*super()._values(), self.difference_per_query, self.query_ids]

    def to_frame(self) -> Any:
        """Return the comparison as a pandas DataFrame of one row.

        Returns
        -------
        frame : pandas.DataFrame
            The numbers of the comparison. The index says what is compared.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return self._frame(**{} if self.human is None else self.human._columns_of_frame())

    def _tests(self) -> tuple[str, ...]:
        return (self.test,)

    def _names(self) -> list[str]:
        more = [self.metric, None if self.group is None else str(self.group)]
        pair = f"{self.system_b} - {self.system_a}"
        return [", ".join([pair, *(part for part in more if part is not None)])]

    def _notes(self) -> list[str]:
        lines = [_count(self), *describe_test(self, "interval")]
        if not np.isnan(self.detectable_difference):
            is_plain = PAIRED_TESTS[self.test].is_planned and self.correction is None
            of_what = "" if is_plain else f" of {_NAMES_OF_POWER_TESTS[self.correction is None]}"
            cell = as_cell(self.detectable_difference)
            lines.append(f"80 % power{of_what} for a difference of {cell}")
        human_lines = [] if self.human is None else self.human._lines()
        return [*lines, *human_lines, *self._verdicts()]

    def _verdicts(self) -> list[str]:
        """Return what the comparison says about the margin."""
        if self.margin is None:
            return []
        by = f"{self.margin:g}"
        claims = {
            "pvalue_noninferior": f"is not lower than {self.system_a} by {by} or more",
            "pvalue_equivalent": f"differs from {self.system_a} by less than {by}",
        }
        lines = []
        for key, claim in claims.items():
            pvalue = getattr(self, key)
            verdict = "shown" if pvalue <= alpha_of(self.confidence_level) else "not shown"
            lines.append(f"{verdict}: {self.system_b} {claim} (p = {as_cell(pvalue)})")
        n_queries = self.n_queries if self.human is None else int(self.human.n_queries)
        which = " judged by people" * (self.human is not None)
        few = describe_few_changes(self.wins + self.losses, n_queries, which)
        return [*lines, few] if few else lines


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Comparisons(TabularResult):
    """The result of `compare_all`: one row per pair of systems and metric.

    ``comparisons[0]`` is the `Comparison` of the first row, and a loop over the object yields the
    `Comparison` of each row. Rows are sorted by metric first. Numbers have the same names as in a
    `Comparison`, and names have those names in the plural. Two such results are equal if all their
    values are, including those of each query. NaN equals NaN.

    Attributes
    ----------
    systems_a : tuple of str
        The name of the first system of each row, with which the other one is compared. If there
        is a baseline, it is always the baseline.

    systems_b : tuple of str
        The name of the other system of each row.

    metrics : tuple of str, or None
        The name of the score of each row. None if there is a single score without a name.

    groups : tuple, or None
        The group of queries of each row. None without `by`.

    difference : ndarray of float64 of shape (n_rows,)
        The mean of b minus the mean of a.

    low : ndarray of float64 of shape (n_rows,)
        The lower limits of the intervals. The intervals are simultaneous for
        ``correction="max-t"``. For other corrections, each is the interval of its row alone.

    high : ndarray of float64 of shape (n_rows,)
        The upper limits of these intervals.

    pvalue : ndarray of float64 of shape (n_rows,)
        The corrected p-values.

    pvalue_uncorrected : ndarray of float64 of shape (n_rows,)
        The p-value of each row alone, as `compare` returns it.

    pvalue_interaction : ndarray of float64 of shape (n_rows,), or None
        The p-value of Welch's analysis of variance of the differences of a row's pair and metric
        by group: whether the difference depends on the group. It is corrected by Holm's method,
        and is the same in all groups. NaN if clusters have queries in several groups. None without
        `by`.

    effect_size : ndarray of float64 of shape (n_rows,)
        The difference divided by the standard deviation of the differences of the queries.

    direction : ndarray of int64 of shape (n_rows,)
        1 if the test says that b is higher rather than lower, -1 if lower, and 0 if neither.

    detectable_difference : ndarray of float64 of shape (n_rows,)
        The difference that the uncorrected t test would detect with a probability of 80 %. NaN if
        the differences have no spread.

    wins : ndarray of int64 of shape (n_rows,)
        The number of queries on which the score of b is higher.

    draws : ndarray of int64 of shape (n_rows,)
        The number of queries on which both scores are equal.

    losses : ndarray of int64 of shape (n_rows,)
        The number of queries on which the score of b is lower.

    n_queries : ndarray of int64 of shape (n_rows,)
        The number of queries that were compared.

    n_effective : ndarray of float64 of shape (n_rows,)
        The effective number of queries, or of clusters, as in a `Comparison`.

    n_clusters : ndarray of int64 of shape (n_rows,), or None
        The number of clusters that were compared. None without clusters.

    n_dropped : ndarray of int64 of shape (n_rows,)
        The number of queries that were left out, since one of the two scores is NaN, or the
        weight is 0.

    baseline : str or None
        The system that all others are compared with, or None if all pairs are compared.

    correction : str or None
        The correction of the p-values: "max-t", "holm" or "bh", or None if they are not corrected.

    family : str
        The rows that were corrected together: the rows of each "metric", or "all" rows.

    margin : float or None
        The margin, if there is one.

    pvalue_noninferior : ndarray of float64 of shape (n_rows,), or None
        The p-value of the claim of each row that b is not worse by the margin. The p-values of all
        rows of a family are corrected together, by Holm's method if `correction` is "max-t", and
        otherwise by `correction`. None without a margin.

    pvalue_equivalent : ndarray of float64 of shape (n_rows,), or None
        The p-value of the claim that b is neither worse nor better by the margin, corrected in the
        same way. None without a margin.

    tests : tuple of str
        The test that was taken in each row, as in a `Comparison`.

    alternative : str
        The alternative hypothesis: "two-sided", "greater" or "less".

    confidence_level : float
        The confidence level of the intervals.

    is_significant : ndarray of bool of shape (n_rows,)
        Whether the corrected p-value is at most ``1 - confidence_level``.

    ranks : Ranks
        The ranks that each system can have, and which ones are tied with the first. It needs the
        comparisons of all pairs, by two-sided tests that "max-t" or "holm" corrects.
    """

    systems_a: tuple[str, ...]
    systems_b: tuple[str, ...]
    metrics: tuple[str, ...] | None
    groups: tuple[Any, ...] | None
    difference: Floats
    low: Floats
    high: Floats
    pvalue: Floats
    pvalue_uncorrected: Floats
    pvalue_interaction: Floats | None
    effect_size: Floats
    direction: Ints
    detectable_difference: Floats
    wins: Ints
    draws: Ints
    losses: Ints
    n_queries: Ints
    n_effective: Floats
    n_clusters: Ints | None
    n_dropped: Ints
    baseline: str | None
    correction: str | None
    family: str
    margin: float | None
    pvalue_noninferior: Floats | None
    pvalue_equivalent: Floats | None
    tests: tuple[str, ...]
    alternative: str
    confidence_level: float
    _rows: ComparedPairs
    _families: Families = field(compare=False)  # it has the seed
    _falls: tuple[bool, ...]

    _columns = (
        Column("", "_labels", kind="name", is_framed=False),
        Column("system_a", "systems_a", is_printed=False),
        Column("system_b", "systems_b", is_printed=False),
        Column("metric", "metrics", kind="name"),
        Column("group", "groups", kind="name"),
        *_PRINTED,
        Column("interaction", "pvalue_interaction", is_framed=False),
        Column("pvalue_uncorrected", is_printed=False),
        *_IN_FRAMES,
        Column("pvalue_noninferior", title="noninferior"),
        Column("pvalue_equivalent", title="equivalent"),
        Column("pvalue_interaction", is_printed=False),
    )

    @once
    def is_significant(self) -> NDArray[np.bool_]:
        """Whether each corrected p-value is at most ``1 - confidence_level``."""
        return read_only(self.pvalue <= alpha_of(self.confidence_level))

    @once
    def ranks(self) -> Ranks:
        """The ranks that each system can have, all at once at the confidence level.

        A system is below all that are significantly better, and above all that are significantly
        worse. A higher mean is better, except for results of reports of which a lower one is. With
        "max-t", the pairs that are found leave their family, and the others are compared with the
        largest t statistic of those that are left, until no more is found [1]_. So ranks may
        separate two systems whose p-value is above the level.

        Raises
        ------
        ValueError, TypeError
            If not all pairs were compared, by two-sided tests that "max-t" or "holm" corrects.

        References
        ----------
        .. [1] Magne Mogstad, Joseph P. Romano, Azeem M. Shaikh, Daniel Wilhelm. Inference for
               ranks with applications to mobility across neighbourhoods and academic achievement
               across countries. The Review of Economic Studies 91 (1), 2024.
               :doi:`10.1093/restud/rdad006`.
        """
        return ranks_of(self)

    def __len__(self) -> int:
        return len(self.systems_a)

    def __getitem__(self, row: int) -> Comparison:
        """Return the comparison of a row."""
        try:
            place = range(len(self.systems_a))[operator.index(row)]
        except TypeError as error:
            message = f"A row of Comparisons must be an int. Got {describe(row)} instead."
            raise TypeError(f"{message} To select by name, use `to_frame`.") from error
        except IndexError as error:
            message = f"These Comparisons have {len(self)} rows, counted from 0."
            raise IndexError(f"{message} Got {row} instead.") from error
        own: dict[str, Any] = {}
        for each in fields(Comparison):
            value = getattr(self, each.name, None)
            own[each.name] = value[place].item() if isinstance(value, np.ndarray) else value
        ids, differences = self._rows.ids, self._rows.differences(slice(place, place + 1))
        names = {
            "system_a": self.systems_a[place],
            "system_b": self.systems_b[place],
            "metric": None if self.metrics is None else self.metrics[place],
            "group": None if self.groups is None else self.groups[place],
            "test": self.tests[place],
            "difference_per_query": read_only(differences[:, 0]),
            "query_ids": None if ids is None else read_only(ids),
        }
        return Comparison._of(**own | names)

    def __iter__(self) -> Iterator[Comparison]:
        return map(self.__getitem__, range(len(self)))

    def to_frame(self) -> Any:
        """Return the comparisons as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            One row per comparison, with the names of the two systems, the name of the metric if
            it has one, and all numbers.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        return self._frame()

    def _table(self) -> ResultTable:
        return super()._table()._replace(is_marked=self.is_significant.tolist())

    def _tests(self) -> tuple[str, ...]:
        return self.tests

    def _labels(self) -> list[str]:
        return [f"{b} - {a}" for a, b in zip(self.systems_a, self.systems_b, strict=True)]

    def _names(self) -> list[str]:
        parts = [part for part in (self._labels(), self.metrics, self.groups) if part is not None]
        return [", ".join(map(str, names)) for names in zip(*parts, strict=True)]

    def _notes(self) -> list[str]:
        least = f"at most {alpha_of(self.confidence_level):.10g}"
        marks = f"no difference is significant: no p-value is {least}"
        if self.is_significant.any():
            marks = f"* significant: the p-value is {least}"
        return [_count(self), *describe_test(self, "intervals"), marks, *self._about_margin()]

    def _about_margin(self) -> list[str]:
        """Return what the p-values about the margin claim, if there is one."""
        if self.margin is None:
            return []
        by = f"{self.margin:g}"
        lines = [
            f"noninferior: p-value of being not lower by {by} or more",
            f"equivalent: p-value of differing by less than {by}",
        ]
        n_changes = self.wins + self.losses
        counts = zip(n_changes.tolist(), self.n_queries.tolist(), strict=True)
        has_few = [bool(describe_few_changes(*count)) for count in counts]
        few = list(compress(self._names(), has_few))
        if few:
            least = f"fewer than {_FEW_CHANGES} queries changed"
            lines.append(f"{least}, which says little about rare large drops: {list_some(few)}")
        return lines


def numbers_of(summary: Summary, verdict: TestResult, n_queries: int | Ints) -> dict[str, Any]:
    """Return the numbers of comparisons by their attributes. `n_queries` are all queries."""
    return {
        "difference": summary.mean,
        "low": verdict.low,
        "high": verdict.high,
        "pvalue": verdict.pvalue,
        "effect_size": summary.effect_size,
        "direction": np.nan_to_num(verdict.direction).astype(np.int64),
        "wins": summary.wins,
        "draws": summary.draws,
        "losses": summary.losses,
        "n_queries": summary.n_queries,
        "n_effective": summary.n_effective,
        "n_dropped": n_queries - summary.n_queries,
    }


def ranks_of(found: Comparisons) -> Ranks:
    """Return the ranks that the systems of some comparisons can have."""
    asked = {
        "baseline": (found.baseline is None, "None"),
        "correction": (found.correction in FAMILYWISE, any_of(FAMILYWISE)),
        "alternative": (found.alternative == "two-sided", "'two-sided'"),
    }
    for name, (is_right, expected) in asked.items():
        if not is_right:
            expected += " for `ranks`, which hold for all systems at once"
            raise invalid(name, "compare_all", expected, repr(getattr(found, name)))
    is_found = found.is_significant
    if found.correction == "max-t":
        is_found = found._families.found_stepwise(found.pvalue)
    rows, group = found._rows, found._rows.groups
    group_of_row = np.zeros(len(found), dtype=np.int64) if group is None else group.number_of_row
    names = list(dict.fromkeys(found.systems_a + found.systems_b))
    systems: list[str] = []
    orders: list[SystemOrder] = []
    means_in_order: list[Floats] = []
    kinds: list[int] = []
    for column, number in dict.fromkeys(
        zip(rows.column.tolist(), group_of_row.tolist(), strict=True)
    ):
        own = np.flatnonzero((rows.column == column) & (group_of_row == number))
        is_in = slice(None) if group is None else group.number_of_query == number
        means = np.array([_mean(system[is_in, column], rows, is_in) for system in rows.systems])
        upward = -1 if found._falls[column] else 1
        is_better = np.zeros((len(names), len(names)), dtype=bool)
        a, b = rows.a[own], rows.b[own]
        direction = upward * found.direction[own] * is_found[own]
        is_better[b, a], is_better[a, b] = direction > 0, direction < 0
        ranked_systems = ranked(upward * means, is_better)
        systems += [names[place] for place in ranked_systems.order]
        means_in_order.append(means[ranked_systems.order])
        orders.append(ranked_systems)
        kinds += [int(own[0])] * len(names)
    letters = tuple(letter for order in orders for letter in order.letters)
    numbers = {
        key: read_only(np.concatenate([getattr(order, key) for order in orders]))
        for key in ("best", "worst", "tier")
    }
    return Ranks._of(
        systems=tuple(systems),
        metrics=None if found.metrics is None else tuple(found.metrics[kind] for kind in kinds),
        groups=None if found.groups is None else tuple(found.groups[kind] for kind in kinds),
        mean=read_only(np.concatenate(means_in_order)),
        **numbers,
        letters=letters or None,
        confidence_level=found.confidence_level,
    )


def _mean(values: Floats, rows: ComparedPairs, is_in: Any) -> float:
    """Return the weighted mean of the scores of a system, over the queries on which it has one."""
    has_score = ~np.isnan(values)
    weight = None if rows.units.weight is None else rows.units.weight[is_in][has_score]
    return Sums(weighted_sum(values[has_score], weight)).mean()


def describe_test(result: Comparison | Comparisons, intervals: str) -> list[str]:
    """Return lines that describe the p-values and the intervals, and what is odd about them."""
    rows = {name: PAIRED_TESTS[name] for name in result._tests()}
    test = " or ".join(row.words for row in rows.values())
    intervals = f"{as_percent(result.confidence_level)} {intervals}"
    sides = {"greater": " without an upper limit", "less": " without a lower limit"}
    side = "" if result.alternative == "two-sided" else f", alternative {result.alternative!r}"
    more: list[str] = []
    if result.correction is None:
        is_several = isinstance(result, Comparisons) and len(result) > 1
        how = f"{test}{', p-values not corrected' * is_several}"
    else:
        how = f"p-values corrected by {CORRECTIONS[result.correction].words}"
        if isinstance(result, Comparisons) and len(set(result.metrics or ())) > 1:
            how += " over all metrics" if result.family == "all" else " within each metric"
        if result.correction == "max-t":
            intervals = f"simultaneous {intervals}"
            more += _NOTES_ON_MAX_T["bootstrap" in rows]
            if isinstance(result, Comparisons) and len({*result._labels()}) == 1:
                more.append("of one pair, correction=None has the numbers of `compare`")
        else:
            how, intervals = f"{test}, {how}", f"{intervals}, not corrected"
    line = f"{how}{side}; {intervals}{sides.get(result.alternative, '')}"
    if result.margin is not None and result.correction == "max-t":
        more.append("p-values about the margin: corrected by Holm's method, not by max-T")
    more += [row.note for row in rows.values() if row.note]
    # The limit on the side that is not tested is infinite with any number of queries.
    low = 0.0 if result.alternative == "less" else result.low
    high = 0.0 if result.alternative == "greater" else result.high
    return [
        line,
        *more,
        *_notes_on_few(result),
        *notes_on_infinite(low, high),
        *_notes_on_direction(result),
    ]


def _notes_on_few(result: Comparison | Comparisons) -> list[str]:
    """Return a line about rows with so few queries that no outcome could be significant.

    A row of a single query is undefined, and a bet may win more than flips of signs tell.
    """
    counts = np.ravel(result.n_queries if result.n_clusters is None else result.n_clusters)
    knows_range = facts_of(result._tests(), "scores") == "from 0 to 1"
    counts = counts[(counts > 1) & ~knows_range]
    if not counts.size:
        return []
    fewest = int(np.min(counts))
    least = least_by_flips(fewest, result.alternative)
    if least <= alpha_of(result.confidence_level):
        return []
    n = count_queries(fewest) if result.n_clusters is None else count_clusters(fewest)
    return [f"With {n}, no permutation test can give p < {least:g}"]


def describe_few_changes(n_changes: int, n_queries: int, which: str = "") -> str:
    """Return in words that few queries changed, or nothing if there are enough."""
    if n_changes >= _FEW_CHANGES:
        return ""
    count = f"only {n_changes}" if n_changes else "none"
    changed = f"{count} of {count_queries(n_queries)}{which} changed"
    return f"{changed}, which says little about rare large drops"


def _notes_on_direction(result: Comparison | Comparisons) -> list[str]:
    """Return a line about rows in which what the test is about contradicts the mean."""
    difference, direction = np.ravel(result.difference), np.ravel(result.direction)
    names = result._names()
    are_other = (difference * direction < 0).tolist()
    others = list(compress(names, are_other))
    if not others:
        return []
    about = PAIRED_TESTS[next(compress(result._tests(), are_other))].is_about
    side = {1: "higher", -1: "lower"}
    if len(names) == 1:
        ranks, mean = side[int(direction[0])], side[-int(direction[0])]
        but = f"most {about} are {ranks}, which is what the test is about"
        return [f"the mean is {mean}, but {but}"]
    return [f"mean and {about} point to different sides: {list_some(others)}"]


def _count(result: Comparison | Comparisons) -> str:
    """Return the number of queries, in words."""
    n_queries, n_dropped = np.ravel(result.n_queries), np.ravel(result.n_dropped)
    count = f"{span(n_queries)} queries"
    if len(set(n_queries.tolist())) == 1:
        count = count_queries(int(n_queries[0]))
    if n_dropped.any():
        count += f", {span(n_dropped)} left out"
    if result.n_clusters is not None:
        n_clusters = span(result.n_clusters)
        count += f", {n_clusters} cluster{'s' * (n_clusters != '1')}"
    if (np.ravel(result.n_effective) != np.ravel(result.n_queries)).any():
        count += f", effectively {span(result.n_effective)}"
    return count
