"""The way every score goes: queries, blocks, a number per query and cutoff, their exact mean.

The doors of the package (scorers now; streams, reports and pictures later) need more of a score
than its mean. They all come in here, by `evaluation_of`: it calls a public score as anybody
would and catches what the score was about to take the mean of.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import UndefinedMetricWarning

from ranking_scores._profiles import Ranking, rank_items
from ranking_scores._queries import Block, Items, Queries, check_queries
from ranking_scores._relevance import Gain, check_relevance
from ranking_scores._validation import (
    Cutoffs,
    check_average,
    check_bool,
    check_real,
    describe,
    invalid,
)

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Evaluation:
    """What a score knows before it takes the mean."""

    function: str
    """The name of the score."""
    values: Floats
    """The score of each query at each cutoff, (n_queries, n_cutoffs); where it is undefined,
    what the caller replaces it by."""
    is_defined: NDArray[np.bool_]
    """Whether the metric is defined there, (n_queries, n_cutoffs)."""
    weight: Floats | None
    """The weight of each query, (n_queries,); None: all weigh the same."""
    gain: Gain
    """What an item gains, as a function of its label."""
    greater_is_better: bool
    """Which direction is the desirable one."""
    is_single: bool
    """Whether the caller asked for one cutoff, rather than a list of them."""
    average: str | None
    """Whether the caller asked for the mean ("samples") or for each query (None)."""

    def result(self) -> float | Floats:
        """Return what the caller of the score asked for."""
        if self.average is None:
            return self.values[:, 0] if self.is_single else self.values
        means = [exact_mean(column, self.weight, self.function) for column in self.values.T]
        if np.isnan(means).any():
            warnings.warn(
                f"{self.function} is undefined: no query has both a weight and a defined score.",
                UndefinedMetricWarning,
                stacklevel=4,
            )
        return means[0] if self.is_single else np.array(means)


_is_caught: ContextVar[bool] = ContextVar("_is_caught", default=False)
"""Whether the next score to be evaluated hands over its `Evaluation` instead of the result."""


def evaluation_of(
    door: str, score_func: Callable[..., Any], y_true: Any, y_score: Any, /, **params: Any
) -> Evaluation:
    """Return what ``score_func(y_true, y_score, **params)`` is the mean of.

    `door` is the name of the public function that `score_func` was given to. A function that
    calls a score, and may do anything with the value, is no score.
    """
    module = str(getattr(score_func, "__module__", None))
    if module.partition(".")[0] != __name__.partition(".")[0] or not callable(score_func):
        raise invalid("score_func", door, "a score of ranking_scores", describe(score_func))
    token = _is_caught.set(True)
    try:
        return cast(Evaluation, score_func(y_true, y_score, **params))
    finally:
        _is_caught.reset(token)


def evaluate(
    score_block: Callable[[Block], tuple[Floats, Floats | None]],
    queries: Queries,
    cutoffs: Cutoffs,
    *,
    function: str,
    gain: Gain,
    average: Any,
    replace_undefined_by: Any = np.nan,
    greater_is_better: bool = True,
) -> float | Floats:
    """Return the mean of a score, or its value for each query.

    `score_block` returns the score of each query of a block at each cutoff, (n_queries,
    n_cutoffs), and NaN where the metric is undefined. Beside it, where the items have weights,
    the weight that they give each query, NaN where that is the mean of the others'; else None.
    """
    is_caught = _is_caught.get()
    _is_caught.set(False)
    average = check_average(average, function)
    replacement = check_real(
        replace_undefined_by, "replace_undefined_by", function, "a number or np.nan"
    )
    values = np.empty((queries.count, cutoffs.ranks.size))
    weight_by_items: Floats | None = None
    with np.errstate(under="ignore"):
        for block in queries.blocks():
            values[block.queries], weight_of_block = score_block(block)
            if weight_of_block is not None:
                if weight_by_items is None:
                    weight_by_items = np.empty(queries.count)
                weight_by_items[block.queries] = weight_of_block
    is_defined = ~np.isnan(values)
    values[~is_defined] = replacement
    evaluation = Evaluation(
        function=function,
        values=values,
        is_defined=is_defined,
        weight=_query_weight(queries.weight, weight_by_items, function),
        gain=gain,
        greater_is_better=greater_is_better,
        is_single=cutoffs.is_single,
        average=average,
    )
    # Only `evaluation_of` asks for an `Evaluation`; nobody else has to reckon with one.
    return cast(float, evaluation) if is_caught else evaluation.result()


def check_sums(sums: Floats, block: Block, function: str) -> Floats:
    """Return the sums of a block's queries at each cutoff, refused where one overflows."""
    is_finite = np.isfinite(sums).all(axis=1)
    if not is_finite.all():
        query = int(np.argmin(is_finite))
        raise invalid(
            "y_true",
            function,
            "small enough for the gains of a query to be summed",
            f"a sum that overflows float64 in {block.judged.name_row(query)}",
        )
    return sums


class RankedRelevance(NamedTuple):
    """The relevant items of a block of queries, ranked."""

    of_item: Floats
    """1 for a relevant item, else 0, (n_queries, n_cells)."""
    ranking: Ranking
    depth: int
    """The last rank that counts; further down there may be anything."""
    n_relevant: Floats
    """The number of relevant items of each query, ranked or not, (n_queries, 1)."""
    items: Items
    """The ranked items."""


def evaluate_relevance(
    score_block: Callable[[RankedRelevance], Floats],
    y_true: ArrayLike,
    y_score: ArrayLike,
    cutoffs: Cutoffs,
    *,
    sample_weight: ArrayLike | None,
    ignore_ties: bool,
    relevance_threshold: float | None,
    where: ArrayLike | None,
    qid: ArrayLike | None,
    labels: ArrayLike | None,
    replace_undefined_by: float,
    average: Any,
    function: str,
) -> float | Floats:
    """Return the mean of a score of relevant items, or its value for each query.

    `score_block` returns the score of each query of a block at each cutoff, (n_queries,
    n_cutoffs); where no item is relevant, and the metric is undefined, it may return anything.
    """
    ignore_ties = check_bool(ignore_ties, "ignore_ties", function)
    relevance_of = check_relevance(relevance_threshold, function)
    queries = check_queries(
        y_true,
        y_score,
        qid=qid,
        labels=labels,
        where=where,
        item_weight=None,
        sample_weight=sample_weight,
        gain_of=relevance_of,
        function=function,
    )

    def score(block: Block) -> tuple[Floats, None]:
        of_ranked, of_judged = block.gains(relevance_of)
        relevance = block.ranked.place(of_ranked)
        n_relevant = block.judged.place(of_judged).sum(axis=1, keepdims=True)
        depth = min(int(cutoffs.ranks.max()), relevance.shape[1])
        ranking = rank_items(block.scores, depth, ignore_ties=ignore_ties)
        ranked = RankedRelevance(relevance, ranking, depth, n_relevant, block.ranked)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(n_relevant > 0, score_block(ranked), np.nan), None

    return evaluate(
        score,
        queries,
        cutoffs,
        function=function,
        gain=relevance_of,
        average=average,
        replace_undefined_by=replace_undefined_by,
    )


def _query_weight(
    sample_weight: Floats | None, weight_by_items: Floats | None, function: str
) -> Floats | None:
    """Return the weights of the queries: those their items give them, times their own."""
    if weight_by_items is None:
        return sample_weight
    has_gain = weight_by_items > 0
    weight_of_those = None if sample_weight is None else sample_weight[has_gain]
    mean = exact_mean(weight_by_items[has_gain], weight_of_those, function)
    mean = 1.0 if np.isnan(mean) else mean
    of_query = np.where(np.isnan(weight_by_items), mean, weight_by_items)
    if sample_weight is None:
        return of_query
    with np.errstate(over="ignore", under="ignore"):
        of_query *= sample_weight
    if not np.isfinite(of_query).all():
        expected = "small enough to be multiplied by the weights that the items give the queries"
        raise invalid("sample_weight", function, expected, "a product that overflows float64")
    return of_query


def exact_mean(values: Floats, weight: Floats | None, function: str) -> float:
    """Return the weighted mean of the values that are not NaN; NaN if nothing has a weight.

    Each product of a weight and a value is rounded once, as is the quotient of the two sums,
    and nothing else: neither order nor batches change a bit of it.
    """
    counted = ~np.isnan(values)
    if weight is not None:
        counted &= weight > 0
        weight = weight[counted]
    values = values[counted]
    if not values.size:
        return np.nan
    if np.isinf(values).any():  # what the caller replaced undefined queries by
        return float(values.sum())
    if weight is None:
        return exact_sum(values) / (values.size * _ONE)
    with np.errstate(over="ignore", under="ignore"):
        products = weight * values
    if not np.isfinite(products).all():
        expected = "small enough to be multiplied by the scores"
        raise invalid("sample_weight", function, expected, "a product that overflows float64")
    return exact_sum(products) / exact_sum(weight)


_ONE = 2**1126
"""1 in units of 2**-1126: every float64 is a whole number of them."""

_PART = 2**26
"""As many values are summed as floats: parts of 27 bits of them stay below 2**53."""


def exact_sum(values: Floats) -> int:
    """Return the sum of floats, without rounding, in units of 2**-1126.

    A float is a significand of 53 bits times a power of two. Per power, the upper 27 bits and
    the lower 26 bits are summed apart, as floats that stay whole numbers below 2**53.
    """
    total = 0
    for start in range(0, values.size, _PART):
        fraction, exponent = np.frexp(values[start : start + _PART])
        significand = np.ldexp(fraction, 53).astype(np.int64)
        power = exponent + 1073  # at least 0: the least positive float is 0.5 * 2**-1073
        upper = np.bincount(power, weights=significand >> 26)
        lower = np.bincount(power, weights=significand & (2**26 - 1))
        for shift in np.flatnonzero((upper != 0) | (lower != 0)).tolist():
            total += ((int(upper[shift]) << 26) + int(lower[shift])) << shift
    return total
