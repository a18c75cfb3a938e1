"""The steps of every score: begin, queries, blocks, a value per query and cutoff, the exact mean.

A public score begins a `ScoreCall`, puts its arguments into `CallData`, and makes a `Plan`, which
says how to score a block of queries. `evaluate` runs the plan. Several plans can run over the same
blocks: the data is read once, and a block is ranked once for all plans, to the deepest of their
cutoffs.

Functions that take scores (scorers, streams, reports) need more of a score than its mean. They
call the public score with `plan_of`, which returns the plan instead of the result, and `run` it.

`plan_of` asks for the plan by a context variable, since it also gives the score another name in
error messages, which `begin` must know before the first check and which no signature has. A
decorator that runs the plan of each score would need such a variable for the name as well, and
would hide the result type of the score from its signature.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import replace
from functools import partial
from itertools import compress
from typing import Any, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranking_scores._base._errors import invalid, warn_caller, warn_of_undefined
from ranking_scores._base._exact import (
    ONE,
    ClusterSum,
    Moments,
    Sums,
    WeightedSum,
    clustered_error,
    exact_sum,
    moments_of,
    standard_error,
    sums_by_cluster,
    weighted_sum,
)
from ranking_scores._base._threads import share
from ranking_scores._base._validation import (
    Cutoffs,
    check_average,
    check_bool,
    check_cutoffs,
    check_real,
    describe,
    unique_identifiers,
)
from ranking_scores._metrics._profiles import (
    Ranking,
    RankSum,
    Summands,
    Weigh,
    expected_gain,
    expected_hits,
    first_hit,
    rank_counted,
    rank_items,
    sum_of_values,
    unweighted,
    weight_of_first,
)
from ranking_scores._queries._blocks import (
    Block,
    CheckedQueries,
    CountedQueries,
    names_of_queries,
    rows_of,
)
from ranking_scores._queries._counting import is_tiny
from ranking_scores._queries._data import CallData, DataNeeds, is_over_aspects
from ranking_scores._queries._layouts import check_queries
from ranking_scores._queries._over_aspects import AspectExpansion, AspectRows, mean_over_aspects
from ranking_scores._queries._relevance import Gain, Relevance, check_relevance
from ranking_scores._queries._top_k_candidates import all_finite
from ranking_scores.exceptions import InvalidParameterError

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Positions = NDArray[np.intp]

_LARGER_THAN_BLOCKS = 2**20
"""The size of an array that is larger than almost all arrays of a block and its scores."""
_FEW_QUERIES = 2**7
"""The values of so few queries are put in place in less time than it takes to look for a slice."""

ARRAY_PARAMETERS = ("qid", "sample_weight", "item_weight", "where")
"""The parameters of scores that come with each batch of data, since they have one value for each
query, row or item of it."""

Naming = Callable[[str], str]

_plan_wanted: ContextVar[Naming | None] = ContextVar("_plan_wanted", default=None)
"""Set if the score that is called next has to return its plan instead of its result. The function
turns the name of the score into its name in error messages."""


class ScoreCall(NamedTuple):
    """The arguments of a score, without its data and without the options that it has alone."""

    function: str
    """The name of the score in error messages."""
    cutoffs: Cutoffs
    average: str | None
    """Whether the result is the mean ("samples") or one value per query (None)."""
    replacement: float
    """The value of a query on which the metric is undefined."""
    is_plan_wanted: bool
    """Whether a function called that needs the plan of the score instead of its result."""
    depth: int
    """The last rank that counts."""


def begin(
    function: str,
    k: Any,
    average: Any,
    replace_undefined_by: Any = np.nan,
    *,
    allow_none: bool = True,
) -> ScoreCall:
    """Return the checked arguments of a score. Every score calls this first.

    No function of the caller's, which might call another score, runs before it.
    """
    naming = _plan_wanted.get()
    if naming is not None:
        _plan_wanted.set(None)
        function = naming(function)
    cutoffs = check_cutoffs(k, function, allow_none=allow_none)
    average = check_average(average, function)
    expected = "a number or np.nan"
    replacement = check_real(replace_undefined_by, "replace_undefined_by", function, expected)
    depth: int = max(cutoffs.ranks.tolist())
    return ScoreCall(function, cutoffs, average, replacement, naming is not None, depth)


class RankedRelevance:
    """The relevant items of a block of queries, ranked."""

    def __init__(
        self, hit_by_rank: Floats, ranking: Ranking, n_relevant: Floats, block: Block
    ) -> None:
        self.hit_by_rank = hit_by_rank
        """1 at the ranks of relevant items, else 0, (n_queries, n_ranks) or more ranks."""
        self.ranking = ranking
        self.n_relevant = n_relevant
        """The number of relevant items of each query, ranked or not, (n_queries, 1)."""
        self.has_undefined = not n_relevant.all()
        """Whether a query has no relevant item."""
        self.block = block
        self._profiles: dict[Any, Floats] = {}

    @property
    def n_ranked(self) -> Positions:
        """The number of ranked items of each query, (n_queries, 1)."""
        return self.block.n_ranked[:, None]

    def profile(self, profile: Callable[..., Floats], cutoffs: Ints | None = None) -> Floats:
        """Return a profile of the hits, computed once for all scores that need it."""
        # Cutoffs for all queries, and one cutoff per query, may be the same numbers.
        key = profile, None if cutoffs is None else (cutoffs.shape, cutoffs.tobytes())
        if key not in self._profiles:
            more = () if cutoffs is None else (cutoffs,)
            self._profiles[key] = profile(self.hit_by_rank, self.ranking, *more)
        return self._profiles[key]

    def sum_over_ranks(
        self, profile: Callable[..., Floats], cutoffs: Ints, weigh: Weigh = unweighted
    ) -> RankSum:
        """Return the sums of a profile times a weight, over the ranks up to each cutoff."""
        summands = Summands(profile, self.hit_by_rank, self.ranking, cutoffs, weigh)
        if profile is first_hit and self.ranking.groups is None:
            total = weight_of_first(self.hit_by_rank, self.ranking, weigh, cutoffs)
            return RankSum(total, summands=summands)
        return sum_of_values(self.profile(profile), summands)

    def sum_of_hits(self, cutoffs: Ints) -> RankSum:
        """Return the expected number of hits up to each cutoff. Queries may differ in these."""
        summands = Summands(expected_gain, self.hit_by_rank, self.ranking, cutoffs, unweighted)
        return RankSum(self.profile(expected_hits, cutoffs), summands=summands)


class RankedBlock:
    """A block of queries, and the results that several scores need, each computed once."""

    def __init__(
        self, block: Block, depth: int, rank: Callable[..., Ranking] | None = None
    ) -> None:
        self.block = block
        self.members: AspectRows | None = None
        """The aspects in the rows of the block; None: each row is a query."""
        self._depth: int = min(depth, block.scores.shape[1])
        if block.counts is not None:
            self._rank: Callable[..., Ranking] = partial(rank_counted, block.counts, block.ranked)
        else:
            self._rank = rank or partial(rank_items, block.scores, self._depth)
        self._rankings: dict[bool, Ranking] = {}
        self._relevant: dict[tuple[Relevance, bool, int], RankedRelevance] = {}
        self._n_relevant: dict[Relevance, Floats] = {}
        self._once: dict[Any, Any] = {}

    def once(self, name: Hashable, compute: Callable[[], Any]) -> Any:
        """Return a result that several scores share, computed when it is first asked for."""
        if name not in self._once:
            self._once[name] = compute()
        return self._once[name]

    def with_labels(self, block: Block, rows: Positions) -> RankedBlock:
        """Return the same rankings of a block that repeats some rows of this, with its labels."""
        n_cells = block.scores.shape[1]

        def rank(*, ignore_ties: bool) -> Ranking:
            self.ranking(self._depth, ignore_ties=ignore_ties)
            return self._rankings[ignore_ties].in_rows(rows, n_cells)

        return RankedBlock(block, self._depth, rank)

    def counted(self) -> tuple[Positions, Positions]:
        """Return how many items are above each cell, and how many are equal to it."""
        cell, groups, _ = self.ranking(self._depth, ignore_ties=False)
        n_ranks = cell.shape[1]
        above, equal = np.full((2, self.block.scores.size), n_ranks)
        rank, size = np.arange(cell.size), np.ones(cell.size, np.intp)
        if groups is not None:
            rank, size = (np.repeat(each, groups.size) for each in groups)
        above[cell.ravel()], equal[cell.ravel()] = rank % n_ranks, size
        return above, equal

    def ranking(self, depth: int, *, ignore_ties: bool) -> Ranking:
        """Return the items by rank, at least down to a depth and to the end of its tie group."""
        if ignore_ties not in self._rankings:
            self._rankings[ignore_ties] = self._rank(ignore_ties=ignore_ties)
        ranking = self._rankings[ignore_ties]
        has_all = ranking.listed is not None or depth >= ranking.cell.shape[1]
        if ranking.groups is not None or has_all:
            return ranking  # a tie group might be cut, or there is nothing to cut
        return Ranking(ranking.cell[:, :depth], None)

    def has_ties(self) -> bool:
        """Return whether items tie in a ranking that scores took."""
        return any(ranking.groups is not None for ranking in self._rankings.values())

    def most_relevant(self, relevance: Relevance) -> float:
        """Return the largest number of relevant items of a query; 0: no score counted them."""
        return float(self._n_relevant.get(relevance, np.zeros(1)).max())

    def relevance(self, relevance: Relevance, depth: int, *, ignore_ties: bool) -> RankedRelevance:
        """Return the relevant items by rank, and their number."""
        ranking = self.ranking(depth, ignore_ties=ignore_ties)
        key = relevance, ignore_ties, ranking.cell.shape[1]
        if key not in self._relevant:
            items = self.block.ranked
            is_relevant = relevance.is_relevant(items.labels)
            hit_by_rank = ranking.by_rank(items.place(is_relevant))
            if relevance not in self._n_relevant:
                self._n_relevant[relevance] = self._count(relevance, is_relevant)
            n_relevant = self._n_relevant[relevance]
            self._relevant[key] = RankedRelevance(hit_by_rank, ranking, n_relevant, self.block)
        return self._relevant[key]

    def _count(self, relevance: Relevance, is_relevant: Bools) -> Floats:
        """Return the number of relevant items of each query, ranked or not, (n_queries, 1)."""
        judged = self.block.judged
        if judged is not self.block.ranked:
            is_relevant = relevance.is_relevant(judged.labels)
        placed = judged.place(is_relevant).view(np.uint8)  # NumPy sums it in half the time
        count = placed.sum(axis=1, keepdims=True, dtype=np.uint32)
        n_relevant: Floats = count.astype(np.float64)
        if judged is not self.block.ranked:
            [is_label_0_relevant] = relevance.is_relevant(np.zeros(1, judged.labels.dtype))
            if is_label_0_relevant:
                n_relevant += self.block.n_not_judged[:, None]
        return n_relevant


View = Callable[[Block, Gain], Block]


def as_it_is(block: Block, gain_of: Gain) -> Block:
    """Return a block of queries as it is."""
    return block


class BlockScores(NamedTuple):
    """The scores of the queries of a block."""

    values: Floats
    """The score of each query at each cutoff, (n_queries, n_cutoffs), NaN if the metric is
    undefined."""
    query_weight: Floats | None = None
    """If items have weights, the weight that they give each query, NaN if that is the mean weight
    of the others. Otherwise None."""
    rank_sum: RankSum | None = None
    """What the values were computed from; None: pairs of items."""


ScoreBlock = Callable[[RankedBlock], BlockScores]


Follows = Literal["rises", "ends", "ratio", "swaps", "any"]
"""How the value of a score follows the gains of the items, if greater values are better.

In every score, a larger gain that moves up to a better rank never lowers the value. That is all if
it is "any". "swaps": a gain that is at no rank never raises the value. The others tell more than
this. "rises": the value never falls if a gain rises. "ends": it is a ratio that is linear in each
gain, so that its extremes have only lowest and highest gains. "ratio": it is the sum of the gains
at the ranks, divided by the largest such sum.
"""


Counts = Literal["first", "all"] | None


class Plan(NamedTuple):
    """A score whose parameters are checked, ready to run on its data."""

    call: ScoreCall
    data: CallData
    need: DataNeeds
    score_block: Callable[..., Any]
    """A `ScoreBlock`, with one more argument in front if there is `prepare`."""
    gain: Gain
    """The gain of an item, as a function of its label."""
    prepare: Callable[[CheckedQueries, CallData], Any] | None = None
    """Returns that argument, which depends on all queries, or on the data of the call."""
    greater_is_better: bool = True
    """Whether greater values are better."""
    score_block_by_chance: Callable[..., Any] | None = None
    """The block function of a random ranking, in which all scores tie; None: that of all rankings.
    It differs for measures of programs that take one order of the ties."""
    follows: Follows = "swaps"
    """How the value follows the gains of the items."""
    joins_aspects: bool = False
    """Whether the block function returns the values of queries, not of the aspects in its rows."""
    counts: Counts = None
    """Whether only the ranks of the items that gain something matter, or of the first of these;
    None: any item matters."""

    def score_block_of(self, queries: CheckedQueries) -> ScoreBlock:
        """Return the function that scores the blocks of some queries."""
        if self.prepare is None:
            return cast(ScoreBlock, self.score_block)
        return partial(self.score_block, self.prepare(queries, self.data))


class ScoreEvaluation(NamedTuple):
    """The result of a score before the mean is taken."""

    function: str
    """The name of the score in error messages."""
    values: Floats
    """The score of each query at each cutoff, (n_queries, n_cutoffs). Undefined scores are
    replaced as the caller wishes."""
    is_defined: Bools
    """Whether the metric is defined there, (n_queries, n_cutoffs)."""
    sample_weight: Floats | None
    """The weight that the caller gave each query, (n_queries,); None: all weigh the same."""
    weight_by_items: Floats | None
    """The weight that its items give each query, (n_queries,), NaN if that is the mean weight of
    the others; None: the items have no weights."""
    known_weight: Floats | None
    """The product of both weights, NaN if the second is NaN; None: both are None."""
    ids: NDArray[Any] | None
    """The ids of the queries, (n_queries,); None: they have no ids."""
    is_single: bool
    """Whether the caller asked for one cutoff instead of a list."""
    average: str | None
    """Whether the result is the mean ("samples") or one value per query (None)."""
    are_single: bool
    """Whether each query has one item."""
    cluster: NDArray[Any] | None = None
    """The name of each query's cluster, (n_queries,); None: all queries are independent."""

    def result(self) -> float | Floats:
        """Return the result for the caller of the score. Warn if it is undefined."""
        result = self.values_for_caller()
        if self.average is not None:
            means = [result] if isinstance(result, float) else result.tolist()
            n_defined = np.count_nonzero(self.is_defined)
            if n_defined < self.is_defined.size or any(map(math.isnan, means)):
                warn_of_means(means, self.are_defined(), self.function)
            if self.are_single:
                warn_of_single_items(len(self.values), self.function)
        return result

    def values_for_caller(self) -> float | Floats:
        """Return the mean, or one value for each query, for one cutoff or for several."""
        if self.sample_weight is not None and not self.sample_weight.any():
            raise only_zeros(self.function)
        if self.average is None:
            return np.squeeze(self.values, axis=1) if self.is_single else self.values
        if self.values.shape[0] == 1 and self.known_weight is None:  # the mean of one query
            means = (self.values[0] + 0.0).tolist()  # -0.0 becomes 0.0, as in any mean
        elif self.known_weight is None and all_finite(self.values):
            n_units = len(self.values) * ONE
            means = [exact_sum(column) / n_units for column in np.ascontiguousarray(self.values.T)]
        else:
            means = [sums.mean() for sums in self.sums()]
        return means.pop() if self.is_single else np.array(means)

    def are_defined(self) -> list[bool]:
        """Return whether any query has a defined score, for each cutoff."""
        are_defined = self.is_defined[0]
        if not are_defined.all():
            are_defined = self.is_defined.any(axis=0)
        return cast(list[bool], are_defined.tolist())

    def sums(self) -> list[Sums]:
        """Return the sums that the mean at each cutoff is computed from."""
        if self.known_weight is None or self.weight_by_items is None:
            columns = np.ascontiguousarray(self.values.T)  # which sums them faster
            return [Sums(self._sum(column, self.known_weight)) for column in columns]
        (known, weight, _), (without_gain, sample_weight) = self._parts()
        has_gain = self.weight_by_items > 0
        sums_with_gain = [
            exact_sum(each[has_gain]) for each in (self.known_weight, self._given_weight())
        ]
        return [
            Sums(self._sum(value, weight), self._sum(other, sample_weight), *sums_with_gain)
            for value, other in zip(known.T, without_gain.T, strict=True)
        ]

    def moments(self) -> list[tuple[Moments, Moments]]:
        """Return the moments that the standard error at each cutoff is computed from.

        The first of each pair is for the queries whose weight is known. The second is for those
        whose weight is the mean weight of the others.
        """
        known, *others = (moments_of(*part) for part in self._parts())
        without_gain = others.pop() if others else [Moments()] * len(known)
        return list(zip(known, without_gain, strict=True))

    def errors(self) -> list[tuple[float, int]]:
        """Return the standard error of each mean, and the number of its queries."""
        if self.cluster is not None:
            _, sums_of_clusters = self.cluster_sums()
            counts = np.isfinite(self.values).sum(axis=0).tolist()
            return [
                (clustered_error(each, sums.mean()), count)
                for each, sums, count in zip(sums_of_clusters, self.sums(), counts, strict=True)
            ]
        return [
            (standard_error(sums, known, without_gain), known.count + without_gain.count)
            for sums, (known, without_gain) in zip(self.sums(), self.moments(), strict=True)
        ]

    def cluster_sums(self) -> tuple[NDArray[Any], list[list[ClusterSum]]]:
        """Return the names of the clusters, and the sums over each of them at each cutoff."""
        given = cast(NDArray[Any], self.cluster)
        names, cluster = unique_identifiers(given, "clusters", self.function)
        return names, [
            sums_by_cluster(column, self.known_weight, cluster, names.size)
            for column in self.values.T
        ]

    def of_queries(self, queries: NDArray[Any]) -> ScoreEvaluation:
        """Return the evaluation of some of the queries."""
        per_query = {
            name: each[queries]
            for name, each in self._asdict().items()
            if isinstance(each, np.ndarray)
        }
        return self._replace(**per_query)

    @property
    def weight(self) -> Floats | None:
        """The weight of each query, (n_queries,), rounded; None: all weigh the same."""
        if self.weight_by_items is None:
            return self.known_weight
        upper, lower = self.sums()[0].mean_weight()
        has_no_gain = np.isnan(self.weight_by_items)
        by_items = np.where(has_no_gain, upper / lower, self.weight_by_items)
        return _weight_of_queries(self.sample_weight, by_items, self.function)

    def _sum(self, values: Floats, weight: Floats | None) -> WeightedSum:
        """Return the sums over some queries; raise if a product overflows."""
        try:
            return weighted_sum(values, weight)
        except OverflowError:
            expected = "small enough to be multiplied by the scores"
            got = "a product that overflows float64"
            raise invalid("sample_weight", self.function, expected, got) from None

    def _parts(self) -> list[tuple[Any, ...]]:
        """Return the values and weights of the queries whose weight is known.

        If items have weights, also their sample weights, and the values and sample weights of
        queries without gain.
        """
        if self.known_weight is None or self.weight_by_items is None:
            return [(self.values, self.known_weight)]
        has_no_gain = np.isnan(self.weight_by_items)
        with_gain, without_gain = self.of_queries(~has_no_gain), self.of_queries(has_no_gain)
        return [
            (with_gain.values, with_gain.known_weight, with_gain._given_weight()),
            (without_gain.values, without_gain._given_weight()),
        ]

    def _given_weight(self) -> Floats:
        """Return the sample weights, or ones if the caller gave none."""
        return np.ones(self.values.shape[0]) if self.sample_weight is None else self.sample_weight


def _weight_of_queries(
    sample_weight: Floats | None, weight_by_items: Floats, function: str
) -> Floats:
    """Return the weights of the queries: the weights by their items, times the sample weights."""
    if sample_weight is None:
        return weight_by_items
    with np.errstate(over="ignore", under="ignore"):
        weight = weight_by_items * sample_weight
    if np.isinf(weight).any():
        expected = "small enough to be multiplied by the weights that the items give the queries"
        raise invalid("sample_weight", function, expected, "a product that overflows float64")
    return weight


def only_zeros(function: str) -> InvalidParameterError:
    """Return the error about sample weights that leave no query a weight."""
    expected = "positive for at least one query"
    return invalid("sample_weight", function, expected, "only zeros")


def warn_of_means(
    means: Sequence[float],
    are_defined: Sequence[bool],
    function: str,
    names: Sequence[str] | None = None,
) -> None:
    """Warn if some means are NaN, or if no query has a defined score, and name them."""
    are_nan = [*map(math.isnan, means)]
    warn_of_undefined(are_nan, function, names, "no query has both a weight and a defined score")
    if all(are_defined):
        return
    are_replaced = [
        not (is_defined or is_nan) for is_nan, is_defined in zip(are_nan, are_defined, strict=True)
    ]
    numbers = {*compress(means, are_replaced)}
    which = f", {numbers.pop():g}" if len(numbers) == 1 else ""
    reason = "no query has a defined score, so the mean is the value of `replace_undefined_by`"
    warn_of_undefined(are_replaced, function, names, reason + which)


def warn_of_single_items(n_queries: int, function: str) -> None:
    """Warn if there are several queries, each of which has one item, whose rank is always 1."""
    if n_queries > 1:
        warn_caller(
            f"{function} got {n_queries} queries of one item each, so there is nothing to rank. "
            "All rows of a query have the same id in `qid`. For a single query, pass `[y_true], "
            "[y_score]`.",
            UserWarning,
        )


def evaluate(plan: Plan) -> float | Floats:
    """Return the mean of a score, or its value for each query."""
    if plan.call.is_plan_wanted:  # only `plan_of` asks for it
        return cast(float, plan)
    tasks = [(plan, as_it_is)]
    need = plan.need if is_tiny(plan.data.y_score) else need_of(tasks)
    queries = check_queries(plan.data, need, may_have_aspects=True)
    [evaluation] = run_on(queries, tasks)
    return evaluation.result()


def evaluate_relevance(
    sum_block: Callable[[RankedRelevance, Ints], RankSum],
    data: CallData,
    call: ScoreCall,
    ignore_ties: bool,
    relevance_threshold: float | None,
    follows: Follows = "swaps",
    join_aspects: Callable[[RankedRelevance, AspectRows], Floats] | None = None,
    *,
    first_only: bool = False,
) -> float | Floats:
    """Return the mean of a score of relevant items, or its value for each query.

    `sum_block` returns the score of each query of a block at each of the cutoffs, as a sum. If no
    item is relevant, the metric is undefined and any value may be returned. `join_aspects` returns
    the score of each query that has aspects, NaN if undefined; None: it is the mean over these.
    `first_only`: only the first relevant item matters.
    """
    ignore_ties = check_bool(ignore_ties, "ignore_ties", call.function)
    relevance = check_relevance(relevance_threshold, call.function)

    def score(ranked: RankedBlock) -> BlockScores:
        relevant = ranked.relevance(relevance, call.depth, ignore_ties=ignore_ties)
        if join_aspects is not None and ranked.members is not None:
            return BlockScores(join_aspects(relevant, ranked.members))
        with np.errstate(divide="ignore", invalid="ignore"):
            rank_sum = sum_block(relevant, call.cutoffs.ranks)
            values = rank_sum.values()
        if relevant.has_undefined:
            values = np.where(relevant.n_relevant > 0, values, np.nan)
        return BlockScores(values, rank_sum=rank_sum)

    need = DataNeeds(call.depth, in_columns=relevance.includes_zero)
    plan = Plan(call, data, need, score, relevance, follows=follows)
    # What several aspects share in a tie group takes all of its items.
    if not ignore_ties and (join_aspects is None or not is_over_aspects(data.y_true)):
        plan = plan._replace(counts="first" if first_only else "all")
    return evaluate(plan._replace(joins_aspects=join_aspects is not None))


def plan_of(
    score_func: Callable[..., Any],
    y_true: Any,
    y_score: Any,
    params: dict[str, Any],
    naming: Naming = str,
) -> Plan:
    """Return the plan that a score of the package makes from data and parameters.

    This calls the score as any caller does. The score checks its parameters, but not the data.
    """
    try:  # first, as Ctrl-C may come as soon as it is set
        _plan_wanted.set(naming)
        return cast(Plan, score_func(y_true, y_score, **params))
    finally:
        _plan_wanted.set(None)


def run(
    tasks: Sequence[tuple[Plan, View]], data: CallData, n_jobs: int | None = None
) -> list[ScoreEvaluation]:
    """Return the evaluations of plans, all of them on the same data."""
    queries = check_queries(data, need_of(tasks), may_have_aspects=True)
    return run_on(queries, tasks, n_jobs)


def need_of(tasks: Sequence[tuple[Plan, View]]) -> DataNeeds:
    """Return the needs of all scores together."""
    (plan, _), *others = tasks
    need = plan.need
    for plan, _ in others:
        need |= plan.need
    can_count = all(plan.counts and view is as_it_is for plan, view in tasks)
    if not can_count or need.tells_known or need.accepts_nan:
        return need
    gains = tuple(dict.fromkeys(plan.gain for plan, _ in tasks))
    first_of = None
    if len(gains) == 1 and all(plan.counts == "first" for plan, _ in tasks):
        first_of = cast(Relevance, gains[0])
    return need._replace(counted=gains, first_of=first_of)


def run_on(
    queries: CheckedQueries, tasks: Sequence[tuple[Plan, View]], n_jobs: int | None = None
) -> list[ScoreEvaluation]:
    """Return the evaluations of plans, on queries that meet the needs of all of them.

    Each score sees the blocks of queries through a view, which may give them other scores and
    knows the gain of an item. `n_jobs` is the number of threads that score blocks. If queries have
    aspects, the score of a query is the mean over these.
    """
    depth = 0
    score_blocks: list[ScoreBlock] = []
    values: list[Floats] = []
    weights: list[Floats | None] = [None] * len(tasks)
    for plan, _ in tasks:
        depth = max(depth, plan.call.depth)
        score_blocks.append(plan.score_block_of(queries))
        values.append(np.empty((queries.n_queries, plan.call.cutoffs.ranks.size)))
    expansion = None
    if queries.aspects is not None:
        expansion = AspectExpansion(queries.aspects, need_of(tasks))

    def score_cut(cut: Iterator[Block]) -> list[tuple[Positions, BlockResults]]:
        """Return the queries of each block of a cut, and their results by each score."""
        scored = []
        for block in cut:
            if expansion is None:
                results = _score_block(block, tasks, score_blocks, depth)
            else:
                results = _score_aspects(block, tasks, score_blocks, depth, expansion)
            scored.append((block.queries, results))
        return scored

    def keep(scored: list[tuple[Positions, BlockResults]]) -> None:
        """Put the results of each score on some queries into the results for all queries."""
        for block_queries, results in scored:
            is_small = block_queries.size < _FEW_QUERIES
            rows = block_queries if is_small else rows_of(block_queries)
            for number, (value, weight) in enumerate(results):
                values[number][rows] = value
                if weight is not None:
                    weight_of_query = weights[number]
                    if weight_of_query is None:
                        weight_of_query = weights[number] = np.empty(queries.n_queries)
                    weight_of_query[rows] = weight

    # After a larger array was freed, malloc of glibc keeps the memory of a block for the next
    # block, instead of giving it back to the system and asking for it again.
    if queries.n_queries > 1:
        np.empty(_LARGER_THAN_BLOCKS)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        share(score_cut, keep, queries.cuts(), n_jobs)
    evaluations = []
    for (plan, _), plan_values, weight in zip(tasks, values, weights, strict=True):
        evaluations.append(
            evaluation_of(
                plan.call,
                plan_values,
                queries.weight,
                queries.ids,
                weight_by_items=weight,
                are_single=queries.are_single,
            )
        )
    return evaluations


BlockResults = list[tuple[Floats, Floats | None]]
"""The values of the queries of a block by each score, and the weights that their items give."""


def _score_block(
    block: Block,
    tasks: Sequence[tuple[Plan, View]],
    score_blocks: Sequence[ScoreBlock],
    depth: int,
) -> BlockResults:
    """Return the results of each score on a block, which is ranked once per view of it."""
    # A separate function, so that the arrays of a block are freed before the next block.
    ranked: dict[tuple[View, Gain | None], RankedBlock] = {}
    results = []
    for (plan, view), score_block in zip(tasks, score_blocks, strict=True):
        seen_as = view, None if view is as_it_is else plan.gain
        if seen_as not in ranked:
            ranked[seen_as] = RankedBlock(view(block, plan.gain), depth)
        results.append(score_block(ranked[seen_as])[:2])
    return results


def _score_aspects(
    block: Block,
    tasks: Sequence[tuple[Plan, View]],
    score_blocks: Sequence[ScoreBlock],
    depth: int,
    expansion: AspectExpansion,
) -> BlockResults:
    """Return the results of each score on a block, which is ranked once for all aspects."""
    ranked_queries = RankedBlock(block, depth)
    pieces: list[list[Floats]] = [[] for _ in tasks]
    for some in expansion.pieces(block):
        expanded, rows, members = expansion.expanded(block, some, ranked_queries.counted)
        if expanded.counts is None:
            ranked = ranked_queries.with_labels(expanded, rows)
        else:
            ranked = RankedBlock(expanded, depth)
        ranked.members = members
        for (plan, _), score_block, of_plan in zip(tasks, score_blocks, pieces, strict=True):
            values = score_block(ranked)[0]
            if not plan.joins_aspects:
                values = mean_over_aspects(values, members, plan.call.replacement)
            of_plan.append(values)
    return [(np.concatenate(of_plan), None) for of_plan in pieces]


def evaluation_of(
    call: ScoreCall,
    values: Floats,
    sample_weight: Floats | None,
    ids: NDArray[Any] | None,
    *,
    weight_by_items: Floats | None = None,
    are_single: bool = False,
) -> ScoreEvaluation:
    """Return the evaluation of the values of queries, which are NaN where they are undefined."""
    is_defined = ~np.isnan(values)
    if np.count_nonzero(is_defined) < values.size:
        values[~is_defined] = call.replacement
    return ScoreEvaluation(
        function=call.function,
        values=values,
        is_defined=is_defined,
        sample_weight=sample_weight,
        weight_by_items=weight_by_items,
        known_weight=sample_weight
        if weight_by_items is None
        else _weight_of_queries(sample_weight, weight_by_items, call.function),
        ids=ids,
        is_single=call.cutoffs.is_single,
        average=call.average,
        are_single=are_single,
    )


def with_clusters(
    evaluations: list[ScoreEvaluation],
    clusters: Any,
    ids: NDArray[Any] | None,
    queries: CheckedQueries | CountedQueries,
    data: CallData,
) -> list[ScoreEvaluation]:
    """Return evaluations with the clusters of their queries, if a caller gives any."""
    if clusters is None:
        return evaluations
    if data.item_weight is not None:
        expected = "None if there are item weights, by which other queries count for each score"
        raise data.invalid("clusters", expected, describe(clusters))
    names = names_of_queries(clusters, "clusters", ids, queries, data)
    return [evaluation._replace(cluster=names) for evaluation in evaluations]


def try_plans(plans: Sequence[Plan]) -> None:
    """Run plans on two items, to raise the errors about options that need data."""
    data = plans[0].data  # all of them have the same
    y_true: ArrayLike
    y_true, y_score = np.zeros((2, 1, 2))
    if data.labels is not None:
        y_true, y_score = np.ravel(data.labels)[:1], np.zeros((1, max(np.size(data.labels), 2)))
    data = replace(data, y_true=y_true, y_score=y_score)
    run([(plan, as_it_is) for plan in plans], data)


def check_sums(sums: Floats, block: Block, function: str) -> Floats:
    """Return the sums of a block's queries at each cutoff; raise if one overflows."""
    if not all_finite(sums):
        query = int(np.argmin(np.isfinite(sums).all(axis=1)))
        expected = "small enough for the gains of a query to be summed"
        got, place = "a sum that overflows float64", block.judged.place_of_row(query)
        raise invalid("y_true", function, expected, got, place=place)
    return sums
