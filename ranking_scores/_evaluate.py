"""The way every score goes: queries, blocks, a number per query and cutoff, their exact mean.

The doors of the package (scorers and streams now; reports and pictures later) need more of a score
than its mean. They all come in here, by `evaluation_of`: it calls a public score as anybody
would and catches what the score was about to take the mean of.
"""

from __future__ import annotations

import math
import operator
import sys
import warnings
from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import UndefinedMetricWarning

from ranking_scores._profiles import Ranking, rank_items
from ranking_scores._queries import Block, Items, Queries, check_queries
from ranking_scores._relevance import Gain, check_relevance
from ranking_scores._validation import (
    Cutoffs,
    InvalidParameterError,
    check_average,
    check_bool,
    check_real,
    describe,
    invalid,
)

Floats = NDArray[np.float64]


_LARGER_THAN_BLOCKS = 2**20
"""Floats of an array that is larger than any of most blocks, or of what is computed of them."""

ONE_VALUE_PER_ROW = ("qid", "sample_weight", "item_weight", "where")
"""The parameters of scores that have a value for each row of the data, and so come with it."""


@dataclass(frozen=True)
class Sums:
    """What the mean of some queries at one cutoff is made of, without rounding.

    That of other queries is added by `+`, in any order. The integers are in units of 2**-1126.
    """

    weighted: int = 0
    """The sum of the products of weight and value, each of them rounded once."""
    weight: int = 0
    """The sum of the weights."""
    infinite: float = 0.0
    """The sum of the values that are infinite. They are in no other sum."""
    gainless_weighted: int = 0
    """The same three, with the sample weights for weights, of the queries without gain. What the
    sample weights are to be multiplied by is known when all queries are: see `mean_weight`."""
    gainless_weight: int = 0
    gainless_infinite: float = 0.0
    gaining_weight: int = 0
    """The sum of the weights of the queries with gain."""
    gaining_sample_weight: int = 0
    """The sum of their sample weights."""

    def __add__(self, other: Sums) -> Sums:
        return Sums(*map(operator.add, vars(self).values(), vars(other).values()))

    def mean_weight(self) -> tuple[int, int]:
        """Return the mean weight that items give the queries with gain, as a fraction."""
        if not self.gaining_sample_weight:
            return 1, 1
        return self.gaining_weight, self.gaining_sample_weight

    def mean(self) -> float:
        """Return the weighted mean, rounded once; NaN if nothing has a weight."""
        upper, lower = self.mean_weight()
        infinite = self.infinite + (self.gainless_infinite if upper else 0)
        if infinite:
            return infinite
        weight = self.weight * lower + self.gainless_weight * upper
        if not weight:
            return np.nan
        return (self.weighted * lower + self.gainless_weighted * upper) / weight


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
    sample_weight: Floats | None
    """The weight that the caller gave each query, (n_queries,); None: all weigh the same."""
    weight_by_items: Floats | None
    """The weight that its items give each query, (n_queries,), NaN where that is the mean of the
    others'; None: the items have no weights."""
    known_weight: Floats | None
    """The product of the two, NaN where the second is; None: both are."""
    ids: NDArray[Any] | None
    """The ids of the queries, (n_queries,); None: they have none."""
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
        if self.sample_weight is not None and not self.sample_weight.any():
            raise only_zeros(self.function)
        if self.average is None:
            return self.values[:, 0] if self.is_single else self.values
        return mean_of(self.sums(), self.function, is_single=self.is_single)

    def sums(self) -> list[Sums]:
        """Return what the mean at each cutoff is made of."""
        if self.known_weight is None or self.weight_by_items is None:
            return [
                Sums(*_sum_up(column, self.known_weight, self.function))
                for column in self.values.T
            ]
        (known, weight), (gainless, sample_weight) = self.groups()
        has_gain = self.weight_by_items > 0
        of_gaining = [exact_sum(each[has_gain]) for each in (self.known_weight, self._given())]
        return [
            Sums(
                *_sum_up(known[:, cutoff], weight, self.function),
                *_sum_up(gainless[:, cutoff], sample_weight, self.function),
                *of_gaining,
            )
            for cutoff in range(self.values.shape[1])
        ]

    def groups(self) -> list[tuple[Floats, Floats | None]]:
        """Return the values and weights of the queries whose weight is known.

        Where items have weights, also the values and sample weights of those without gain.
        """
        if self.known_weight is None or self.weight_by_items is None:
            return [(self.values, self.known_weight)]
        is_gainless = np.isnan(self.weight_by_items)
        return [
            (self.values[~is_gainless], self.known_weight[~is_gainless]),
            (self.values[is_gainless], self._given()[is_gainless]),
        ]

    @property
    def weight(self) -> Floats | None:
        """The weight of each query, (n_queries,), rounded; None: all weigh the same."""
        if self.weight_by_items is None:
            return self.known_weight
        upper, lower = self.sums()[0].mean_weight()
        is_gainless = np.isnan(self.weight_by_items)
        by_items = np.where(is_gainless, upper / lower, self.weight_by_items)
        return _weight_of_queries(self.sample_weight, by_items, self.function)

    def _given(self) -> Floats:
        """Return the sample weights, 1 where the caller gave none."""
        return np.ones(self.values.shape[0]) if self.sample_weight is None else self.sample_weight


def only_zeros(function: str) -> InvalidParameterError:
    """Return the error about sample weights that leave no query a weight."""
    expected = "positive for at least one query"
    return invalid("sample_weight", function, expected, "only zeros")


def mean_of(sums: Sequence[Sums], function: str, *, is_single: bool) -> float | Floats:
    """Return the mean at each cutoff, or at the only one, and warn where it is NaN."""
    means = [of_cutoff.mean() for of_cutoff in sums]
    if any(map(math.isnan, means)):
        warnings.warn(
            f"{function} is undefined: no query has both a weight and a defined score.",
            UndefinedMetricWarning,
            stacklevel=_depth_in_package(),
        )
    return means[0] if is_single else np.array(means)


def _depth_in_package() -> int:
    """Return how many frames up the one is that called this package."""
    depth, frame = 1, sys._getframe(1)
    while _is_ours(frame.f_globals["__name__"]) and frame.f_back is not None:
        depth, frame = depth + 1, frame.f_back
    return depth


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] == __name__.partition(".")[0]


Rearrange = Callable[[Block, Gain], Block]

_catcher: ContextVar[Rearrange | None] = ContextVar("_catcher", default=None)
"""Set where the next score hands over its `Evaluation` instead of the result, of blocks that
this function has rearranged."""


def as_they_are(block: Block, gain_of: Gain) -> Block:
    """Return a block of queries as it is."""
    return block


def evaluation_of(
    door: str,
    score_func: Callable[..., Any],
    y_true: Any,
    y_score: Any,
    rearrange: Rearrange = as_they_are,
    /,
    **params: Any,
) -> Evaluation:
    """Return what ``score_func(y_true, y_score, **params)`` is the mean of.

    `door` is the name of the public function that `score_func` was given to. A function that
    calls a score, and may do anything with the value, is no score. `rearrange` may give each
    block of queries other scores, and is told what an item gains.
    """
    module = str(getattr(score_func, "__module__", None))
    if not _is_ours(module) or not callable(score_func):
        raise invalid("score_func", door, "a score of ranking_scores", describe(score_func))
    token = _catcher.set(rearrange)
    try:
        return cast(Evaluation, score_func(y_true, y_score, **params))
    finally:
        _catcher.reset(token)


def take_apart(
    score_func: Callable[..., Any], params: dict[str, Any]
) -> tuple[Callable[..., Any], dict[str, Any]]:
    """Return the score behind a `functools.partial`, with the parameters of both."""
    if isinstance(score_func, partial) and not score_func.args:
        return score_func.func, score_func.keywords | params
    return score_func, params


def try_out(door: str, score_func: Callable[..., Any], params: dict[str, Any]) -> Evaluation:
    """Return an evaluation of next to nothing, in which a score checks its parameters."""
    labels = params.get("labels")
    if labels is None:
        return evaluation_of(door, score_func, [[0.0, 0.0]], [[1.0, 0.0]], **params)
    y_score = np.zeros((1, max(np.size(labels), 2)))
    return evaluation_of(door, score_func, np.ravel(labels)[:1], y_score, **params)


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
    rearrange = _catcher.get()
    _catcher.set(None)
    average = check_average(average, function)
    replacement = check_real(
        replace_undefined_by, "replace_undefined_by", function, "a number or np.nan"
    )
    values = np.empty((queries.count, cutoffs.ranks.size))
    weight_by_items: Floats | None = None
    # A larger array that comes and goes teaches malloc of glibc to keep the memory of a block for
    # the next one, instead of giving it back to the system and asking for it again.
    np.empty(_LARGER_THAN_BLOCKS)
    with np.errstate(under="ignore"):
        for block in queries.blocks():
            if rearrange is not None:
                block = rearrange(block, gain)
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
        sample_weight=queries.weight,
        weight_by_items=weight_by_items,
        known_weight=_weight_of_queries(queries.weight, weight_by_items, function),
        ids=queries.ids,
        gain=gain,
        greater_is_better=greater_is_better,
        is_single=cutoffs.is_single,
        average=average,
    )
    # Only `evaluation_of` asks for an `Evaluation`; nobody else has to reckon with one.
    return evaluation.result() if rearrange is None else cast(float, evaluation)


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
        depth=int(cutoffs.ranks.max()),
        gain_of=None,
        function=function,
    )

    def score(block: Block) -> tuple[Floats, None]:
        of_ranked, of_judged = block.gains(relevance_of)
        relevance = block.ranked.place(of_ranked)
        n_relevant = block.judged.place(of_judged).sum(axis=1, keepdims=True)
        if block.judged is not block.ranked:
            of_label_0 = relevance_of(np.zeros(1, block.judged.labels.dtype))
            n_relevant += of_label_0 * block.n_not_judged[:, None]
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


def _weight_of_queries(
    sample_weight: Floats | None, weight_by_items: Floats | None, function: str
) -> Floats | None:
    """Return the weights of the queries: those their items give them, times their own."""
    if weight_by_items is None or sample_weight is None:
        return sample_weight if weight_by_items is None else weight_by_items
    with np.errstate(over="ignore", under="ignore"):
        weight = weight_by_items * sample_weight
    if np.isinf(weight).any():
        expected = "small enough to be multiplied by the weights that the items give the queries"
        raise invalid("sample_weight", function, expected, "a product that overflows float64")
    return weight


def _sum_up(values: Floats, weight: Floats | None, function: str) -> tuple[int, int, float]:
    """Return the sums of weight times value, of weight, and of the values that are infinite.

    What is NaN or has no weight is left out. Each product is rounded once, and nothing else.
    """
    infinite = 0.0
    if not values.size:  # as of queries without gain, most often
        return 0, 0, infinite
    if weight is not None:
        has_weight = weight > 0
        values, weight = values[has_weight], weight[has_weight]
    is_finite = np.isfinite(values)
    if not is_finite.all():
        with np.errstate(invalid="ignore"):  # inf - inf
            infinite = float(values[np.isinf(values)].sum())
        values, weight = values[is_finite], None if weight is None else weight[is_finite]
    if weight is None:
        return exact_sum(values), values.size * _ONE, infinite
    with np.errstate(over="ignore", under="ignore"):
        products = weight * values
    if not np.isfinite(products).all():
        expected = "small enough to be multiplied by the scores"
        raise invalid("sample_weight", function, expected, "a product that overflows float64")
    return exact_sum(products), exact_sum(weight), infinite


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
