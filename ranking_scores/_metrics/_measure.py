"""The values of other programs: their order of ties, ideal and divisor, and what they leave out.

A `Convention` says how a program computes a metric. Its value of a query is a numerator over a
divisor, unless the query has no relevant item, no prediction or no judgment, for which programs
have values of their own. Numerators and divisors come from the profiles that the scores of this
package come from. They are computed once for all conventions that share them::

    nDCG@5 of trec_eval     DCG@5, the greater id first, in float32 / ideal of all judged items
    nDCG@5 of ranx          DCG@5, the earlier prediction first     / the same ideal
    nDCG@5 of LightGBM      DCG@5 of 2**label - 1, the earlier first / ideal of the ranked items
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import invalid
from ranking_scores._base._validation import WHOLE_LIST
from ranking_scores._metrics._cumulative_gain import RankWeights, expected_dcg, ideal_dcg
from ranking_scores._metrics._evaluate import RankedBlock, RankedRelevance
from ranking_scores._metrics._first_hit import expected_reciprocal_rank, hit_rate, reciprocal_rank
from ranking_scores._metrics._judged import shares_in_order
from ranking_scores._metrics._orders import TieSplit, break_ties, split_worth
from ranking_scores._metrics._pairs import pairs_in_order
from ranking_scores._metrics._position import pairs_of_hits, rank_biased_precision, weighted_ranks
from ranking_scores._metrics._precision import mean_of_both, sum_of_precisions
from ranking_scores._metrics._profiles import (
    Ranking,
    RankSum,
    Weigh,
    expected_gain,
    last_rank,
    mean_rank,
    over_rank,
    ranks_of,
    sum_to_cutoffs,
)
from ranking_scores._queries._blocks import Block, BlockItems
from ranking_scores._queries._data import CallData
from ranking_scores._queries._relevance import Gain, check_gain, check_relevance, check_stop_chance

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Result = TypeVar("Result")

LEFT_OUT = "left out"
"""The value of a query that does not count."""
UNLESS_LISTED = "left out unless listed"
"""The value of a query that does not count if it has no list of predictions, but does if it has an
empty one."""
LEAST_OF_GEOMETRIC_MEAN = 0.00001
"""Lower values count as this in a geometric mean, as in trec_eval."""


@dataclass(frozen=True, kw_only=True)
class Convention:
    """How a program computes a metric. The defaults are those of this package."""

    metric: str
    """The name of the metric here, such as "ndcg"."""
    swapped: bool = False
    """Whether labels and scores changed places, a mistake that only explanations know."""
    k: int | None = None
    """The cutoff; None: the whole list."""
    ties: str | TieSplit = "average"
    """The order of equal scores: "average" (over all orders), "earlier" or "later" (of the
    predictions first), "later column" (as with `ignore_ties`), "id ascending", "id descending" (as
    text), "best" or "worst" (label). Also "joined" in MAP (all at the last of their ranks), and
    "middle" for filtered ranks (halfway between best and worst)."""
    ordered_to: int | None = None
    """The number of predictions of a list up to which the program has this order of equal scores.
    In longer lists it can have any order. None: it always has this one."""
    scores: str = "float64"
    """The dtype in which scores are compared, "float64" or "float32". "none": all scores are
    equal, since the list is a set."""
    duplicates: str = "once"
    """Whether an item that was predicted several times counts "once", or "twice" and more often:
    at each of its places."""
    are_positive: bool = False
    """Whether items with a score of 0 or less are never hits."""
    known: str = "judged"
    """The items of which the program is told the labels: all that are "judged", or only those
    that were "retrieved"."""
    judged_only: bool = False
    """Whether predictions without a judgment are taken out of the list. A label below 0 is no
    judgment."""
    drops_self: bool = False
    """Whether predictions with the id of their query are taken out of the list."""
    threshold: float | None = None
    """The lowest label that is relevant, or that gains; None: all labels above 0."""
    gain: str | tuple[float, ...] | tuple[tuple[int, float], ...] = "linear"
    """The gain of an item: "linear", "exponential" (2**label - 1), "one more" (2**(label + 1) - 1
    for labels above 0), "binary", "signed" (1 if it is relevant, else -1), "whole" and "whole
    exponential" (linear and exponential, of labels without their fractions), a table with the
    gains of the labels 0, 1, 2, ..., or pairs of a label and its gain ("whole" for others)."""
    of_irrelevant: bool = False
    """Whether the items that are not relevant are those that are counted."""
    filtered: bool = False
    """Whether each relevant item has a rank of its own, among the items that are not relevant, so
    that MRR, the hit rate and the average position are means over the relevant items of a
    query."""
    last_only: bool = False
    """Whether the average position is that of the last relevant item alone."""
    discount: str | None = None
    """The weight of a rank; None: that of the metric. "log of rank": 1 / log2(rank), and 1 at the
    first rank. "one rank later": the weight of the next rank. "log": 1 / log2(1 + rank). "rank":
    1 / rank. "decay":
    persistence**(rank - 1). "square": 1 / (1 + rank)**2. "none": 1."""
    ideal: str = "k"
    """What the ideal of nDCG consists of: the best of the known items up to "k", "all" of them
    without a cutoff, as many as were "retrieved", the first k retrieved items "sorted" best
    first, or k "ones"."""
    divisor: str = "relevant"
    """The divisor of MAP, recall and precision: the number of "relevant" items, "achievable" (at
    most k of them), "k", "retrieved" (at most k), "hits" (among the first k), the "least" of
    relevant, k and retrieved, or "one". In bpref only the first k hits count if it is
    "achievable"."""
    multiple: float = 1.0
    """The cutoff of R-precision by the number of relevant items, rounded up from a tenth on."""
    beta: float = 1.0
    """The weight of recall in F1."""
    persistence: float = 0.8
    """The chance that a user of RBP reads on."""
    chance: str = "grade"
    """The chance that an item stops a user of ERR: (2**label - 1) / 2**max_grade of a "grade", or
    the "label" itself."""
    max_grade: int = 4
    """The highest grade of ERR."""
    no_relevant: float | str | None = 0.0
    """The value of a query without a relevant item, or "left out"; None: as for any other."""
    no_irrelevant: float | str | None = None
    """The value of AUC if all items are relevant, among the first k, of pairwise accuracy if no
    labels differ, and of bpref if no item was judged irrelevant; None: as for any other."""
    no_predictions: float | str | None = None
    """The value of a query without predictions, "left out" or "left out unless listed"; None: as
    for any other."""
    not_judged: float | str | None = None
    """The value of a query without judgments; None: as for any other."""
    no_hit: float | str | None = None
    """The value of a query that has relevant items and predictions, but no relevant item among
    those that count; None: as for any other."""
    weight: str = "queries"
    """Whether all "queries" count the same, or by their "divisor", or by that divided by what it
    would be with binary gains, the "mean gain"."""
    mean: str = "arithmetic"
    """The mean of the queries: "arithmetic", "geometric" (of values from 0.00001 on, and the value
    of a query is a logarithm), or their "sum"."""
    scale: float = 1.0
    """The number that values are multiplied by."""
    is_loss: bool = False
    """Whether 1 - value is reported."""
    digits: int | None = None
    """The digits to which the value of a query is rounded; None: it is not rounded."""
    halves_up: bool = False
    """Whether values halfway between two numbers are rounded up, and not to the even digit."""
    digits_of_mean: int | None = None
    """The digits to which the mean is rounded; None: it is not rounded."""
    mean_of_none: float | None = None
    """The mean if all queries are left out; None: NaN."""


class Measure(NamedTuple):
    """A metric as a row of the engine. Its default is that of the score of this package."""

    numerator: Callable[[ConventionBlock, Convention], Floats]
    """Returns the numerator of each query, by the formula of the score."""
    divisor: Callable[[ConventionBlock, Convention], Floats]
    knobs: tuple[str, ...]
    """The knobs that the numerator depends on, besides the order of the items."""
    knobs_of_divisor: tuple[str, ...] = ()
    """The knobs that only the divisor depends on."""
    defaults: Mapping[str, Any] = {}
    """The knobs that are not at the defaults of `Convention`."""
    is_graded: bool = False
    """Whether grades are read, and not only which items are relevant."""


def default_convention(metric: str, k: int | None = None) -> Convention:
    """Return the convention of this package for a metric."""
    return Convention(metric=metric, k=k, **MEASURES[metric].defaults)


def needs_order(convention: Convention) -> bool:
    """Return whether a convention has a value for one order of the items alone."""
    if convention.metric == "ndcg":
        return convention.ideal == "sorted"
    is_first_hits = convention.metric == "bpref" and convention.divisor == "achievable"
    return convention.k is not None and (convention.metric == "auc" or is_first_hits)


def _values_of(convention: Convention, names: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(getattr(convention, name) for name in names)


def _order_key(convention: Convention) -> tuple[Any, ...]:
    """Return what the orders of items of conventions have in common if they are the same."""
    is_by_gain = isinstance(convention.ties, TieSplit) or convention.ties in ("best", "worst")
    of_gain = (*_gain_key(convention), convention.duplicates) if is_by_gain else ()
    order = _values_of(convention, ("scores", "ties", "judged_only", "drops_self"))
    return *order, *of_gain


def _gain_key(convention: Convention) -> tuple[Any, ...]:
    """Return what the gains of conventions have in common if they are the same."""
    if convention.metric == "err":
        return "err", convention.chance, convention.max_grade, convention.threshold
    is_graded = MEASURES[convention.metric].is_graded
    return convention.gain if is_graded else "binary", convention.threshold


class ItemKeys:
    """The places of the predictions of some data, and those of their ids in the order of text."""

    def __init__(self, data: CallData) -> None:
        self._data = data
        self._text: NDArray[np.integer[Any]] | None = None
        self._column_of_self: NDArray[np.integer[Any]] | None = None

    def of_block(self, block: Block, *, by_id: bool) -> NDArray[Any]:
        """Return numbers that grow with the id, or with the place, (n_queries, n_cells)."""
        order, shape = self._data.order, block.scores.shape
        if order is None or (order.row is None and not by_id):
            return np.broadcast_to(np.arange(shape[1]), shape)  # sorted by their columns
        if order.row is not None and not by_id:
            return self._of_entries(order.row, block)
        if self._text is None:
            # Their places if they are sorted as text, by the codes of the characters.
            texts = np.array([str(item_id) for item_id in order.item_ids.tolist()], dtype=object)
            self._text = np.empty(texts.size, dtype=np.intp)
            self._text[np.argsort(texts, kind="stable")] = np.arange(texts.size)
        return np.asarray(self._text[self._columns(block)])

    def with_repeated(self, block: Block) -> BlockItems:
        """Return the retrieved items, with the label of the item where one is repeated."""
        order, items = self._data.order, block.ranked
        if order is None or order.repeats is None:
            return items
        row = np.repeat(np.arange(block.queries.size), items.lengths)
        repeats = self._of_entries(order.repeats, block)
        column = repeats[items.place(np.ones(row.size, dtype=bool))]
        is_repeat = column >= 0
        labels = items.labels.copy()
        query = block.queries[row[is_repeat]]
        labels[is_repeat] = np.ravel(self._data.y_true[query, column[is_repeat]])
        return items._replace(labels=labels)

    def _of_entries(self, values: NDArray[Any], block: Block) -> NDArray[Any]:
        """Return of each prediction its value among those of all, (n_queries, n_cells).

        Cells without a prediction have any value, such as 0 if no query has a prediction.
        """
        if not values.size:
            return np.zeros(block.scores.shape, dtype=values.dtype)
        start = self._data.y_score.indptr[block.queries].astype(np.intp)
        entry = start[:, None] + np.arange(block.scores.shape[1])
        return np.asarray(values[np.minimum(entry, values.size - 1)])

    def _columns(self, block: Block) -> NDArray[Any]:
        """Return the column of each prediction, (n_queries, n_cells)."""
        return self._of_entries(self._data.y_score.indices, block)

    def predictions_judged(self, block: Block) -> Bools:
        """Return which predictions have a judgment, (n_queries, n_cells)."""
        y_true = self._data.y_true
        n_queries, width = block.scores.shape
        if self._data.order is None or not hasattr(y_true, "indptr"):
            return np.ones((n_queries, width), dtype=bool)
        row, n_items = np.arange(n_queries), y_true.shape[1]
        n_judged = np.diff(y_true.indptr)[block.queries]
        first = y_true.indptr[block.queries] - np.cumsum(n_judged) + n_judged
        entry = np.arange(n_judged.sum()) + first.repeat(n_judged)
        judged = row.repeat(n_judged) * n_items + y_true.indices[entry]
        judged = judged[y_true.data[entry] >= 0]
        return np.isin(row[:, None] * n_items + self._columns(block), judged)

    def are_self(self, block: Block) -> Bools:
        """Return which predictions have the id of their query, (n_queries, n_cells)."""
        order = self._data.order
        if order is None or order.query_ids is None:
            return np.zeros(block.scores.shape, dtype=bool)
        if self._column_of_self is None:
            items = enumerate(order.item_ids.tolist())
            column = {str(each): number for number, each in items if each is not None}
            self._column_of_self = np.array(
                [column.get(str(query_id), -1) for query_id in order.query_ids.tolist()]
            )
        own = self._column_of_self[block.queries]
        return np.asarray(self._columns(block) == own[:, None])

    def are_listed(self, block: Block) -> Bools:
        """Return which queries are known to have a list of predictions, even if it is empty."""
        order = self._data.order
        if order is None or order.is_listed is None:
            return np.zeros(block.queries.size, dtype=bool)
        return np.asarray(order.is_listed[block.queries])

    def n_judged(self, block: Block) -> Floats:
        """Return the number of judgments of each query. A label below 0 is none."""
        y_true = self._data.y_true
        if self._data.order is None or not hasattr(y_true, "indptr"):
            return block.judged.lengths.astype(np.float64)
        n_so_far = np.append(0, np.cumsum(y_true.data >= 0))[y_true.indptr]
        return np.asarray(np.diff(n_so_far)[block.queries], dtype=np.float64)

    def are_judged(self, block: Block) -> Bools:
        """Return which queries have a judgment."""
        y_true = self._data.y_true
        if self._data.order is None or not hasattr(y_true, "indptr"):
            return np.ones(block.queries.size, dtype=bool)
        return np.asarray(np.diff(y_true.indptr)[block.queries] > 0)


class ConventionBlock:
    """A block of queries, and what conventions need of it, each computed once."""

    def __init__(self, ranked: RankedBlock, keys: ItemKeys, function: str) -> None:
        self.block = ranked.block
        self._ranked, self.keys, self._function = ranked, keys, function
        self._found: dict[Hashable, Any] = {}
        self.n_retrieved: Ints = self.block.ranked.lengths.astype(np.int64)
        """The number of predictions of each query, (n_queries,)."""

    def once(self, key: Hashable, compute: Callable[[], Result]) -> Result:
        """Return a result that is computed when it is first asked for."""
        if key not in self._found:
            self._found[key] = compute()
        return cast(Result, self._found[key])

    def values(self, convention: Convention) -> Floats:
        """Return the value of each query, NaN if it is left out."""
        return end_values(self.quotients(convention), self.ends(convention), convention)

    def quotients(self, convention: Convention) -> Floats:
        """Return the numerator of each query over its divisor, 0 if that is 0."""
        numerator, divisor = self.numerator(convention), self.divisor(convention)
        if _is_capped(convention):
            numerator = np.minimum(numerator, divisor)
        quotients = np.zeros(numerator.size)
        np.divide(numerator, divisor, out=quotients, where=divisor > 0)
        return quotients

    def ends(self, convention: Convention) -> dict[str, Bools]:
        """Return which queries lack a hit, relevant items, predictions and judgments."""
        if isinstance(convention.gain, tuple):  # which may have no gain for a label above 0
            has_relevant = self.divisor(convention) > 0
        else:
            has_relevant = self.n_relevant(convention) > 0
        has_none = self.n_retrieved == 0
        if convention.no_predictions == UNLESS_LISTED:
            has_none &= ~self.once("are_listed", lambda: self.keys.are_listed(self.block))
        has_no_hit = self.numerator(convention) == 0
        has_no_irrelevant = np.zeros(has_relevant.size, dtype=bool)
        if convention.metric in ("auc", "pairwise_accuracy"):
            n_hits = self.n_first_hits(convention)
            has_no_hit = n_hits == 0
            has_no_irrelevant = (n_hits > 0) & (self.divisor(convention) == 0)
        elif convention.metric == "bpref":
            has_no_irrelevant = self.n_relevant(_of_the_others(convention)) == 0
        return {
            "no_hit": has_no_hit & has_relevant & (self.n_retrieved > 0),
            "no_relevant": ~has_relevant,
            "no_irrelevant": has_no_irrelevant,
            "no_predictions": has_none,
            "not_judged": ~self.once("are_judged", lambda: self.keys.are_judged(self.block)),
        }

    def numerator(self, convention: Convention) -> Floats:
        """Return the numerator of each query, (n_queries,)."""
        compute, _, knobs, *_ = MEASURES[convention.metric]
        key = compute, *_order_key(convention), *_values_of(convention, knobs)
        return self.once(key, lambda: compute(self, convention))

    def divisor(self, convention: Convention) -> Floats:
        """Return the divisor of each query, (n_queries,)."""
        compute = MEASURES[convention.metric].divisor
        if convention.divisor == "one" and compute not in (_ideal, _all_pairs):
            compute = _one
        return compute(self, convention)

    def query_weight(self, convention: Convention) -> Floats | None:
        """Return the weight of each query in the mean; None: all weigh the same."""
        if convention.weight == "queries":
            return None
        divisor = self.divisor(convention)
        if convention.weight == "divisor":
            return divisor
        of_hits = self.divisor(replace(convention, gain="binary"))
        return np.divide(divisor, of_hits, out=np.zeros(divisor.size), where=of_hits > 0)

    def relevant(self, convention: Convention) -> RankedRelevance:
        """Return the hits by rank."""
        ranking, n_relevant = self.ranking(convention), self.n_relevant(convention)[:, None]
        hit_by_rank = ranking.by_rank(self.hits(convention))
        return RankedRelevance(hit_by_rank, ranking, n_relevant, self.block)

    def n_listed(self, convention: Convention) -> Ints:
        """Return the number of items of each list."""
        if not convention.judged_only:
            return self.n_retrieved
        return np.asarray(self.judged_predictions().sum(axis=1, dtype=np.int64))

    def n_first(self, convention: Convention) -> Ints:
        """Return the number of items of each list up to the cutoff."""
        return np.minimum(self.n_listed(convention), _cutoff(convention))

    def first_hits(self, convention: Convention) -> Floats:
        """Return 1 for each rank up to the cutoff that has a hit, else 0, (n_queries, n_ranks)."""
        hits = self.relevant(convention).hit_by_rank
        return hits * (np.arange(hits.shape[1]) < self.n_first(convention)[:, None])

    def n_first_hits(self, convention: Convention) -> Floats:
        """Return the number of hits up to the cutoff."""
        return np.asarray(self.first_hits(convention).sum(axis=1))

    def n_relevant(self, convention: Convention) -> Floats:
        """Return the number of relevant items of each query, (n_queries,)."""
        knobs = "threshold", "known", "duplicates", "drops_self", "of_irrelevant"
        key = "n_relevant", *_values_of(convention, knobs)
        return self.once(key, lambda: self._n_relevant(convention))

    def _n_relevant(self, convention: Convention) -> Floats:
        if convention.known == "retrieved":
            of_relevance = replace(convention, metric="recall", are_positive=False)
            return np.asarray(self.hits(of_relevance).sum(axis=1))
        if convention.of_irrelevant:
            return self.keys.n_judged(self.block) - self.n_relevant(_of_the_others(convention))
        relevance = check_relevance(convention.threshold, self._function)
        judged = self.block.judged
        is_relevant = judged.place(relevance.is_relevant(judged.labels))
        return np.asarray(is_relevant.sum(axis=1, dtype=np.float64))

    def items(self, convention: Convention, known: str) -> BlockItems:
        """Return the items that were judged, or those that were retrieved."""
        if known == "judged":
            return self.block.judged
        if convention.duplicates == "once":
            return self.block.ranked
        return self.once("repeated", lambda: self.keys.with_repeated(self.block))

    def hits(self, convention: Convention) -> Floats:
        """Return 1 for each ranked item that counts as relevant, else 0, (n_queries, n_cells)."""
        if convention.metric == "judged":
            return self.judged_predictions().astype(np.float64)
        unjudged = convention.of_irrelevant and convention.judged_only
        of_items = convention.duplicates, convention.drops_self, convention.of_irrelevant, unjudged
        key = "hits", convention.threshold, convention.are_positive, *of_items
        return self.once(key, lambda: self._place_hits(convention))

    def judged_predictions(self) -> Bools:
        """Return which cells have a prediction with a judgment, (n_queries, n_cells)."""
        block, items = self.block, self.block.ranked

        def find() -> Bools:
            is_item = items.place(np.ones(items.labels.size, dtype=bool))
            return np.asarray(self.keys.predictions_judged(block) & is_item)

        return self.once("judged", find)

    def _place_hits(self, convention: Convention) -> Floats:
        items = self.items(convention, "retrieved")
        relevance = check_relevance(convention.threshold, self._function)
        is_relevant = relevance(items.labels)
        hits: Floats = items.place(1 - is_relevant if convention.of_irrelevant else is_relevant)
        if convention.of_irrelevant and convention.judged_only:
            hits = hits * self.judged_predictions()
        hits = self._unless_dropped(convention, hits)
        return hits * (self.block.scores > 0) if convention.are_positive else hits

    def gains(self, convention: Convention, known: str) -> Floats:
        """Return the gains of items, or their chances to stop a user, (n_queries, n_cells)."""
        items = self.items(convention, known)
        key = "gains", known, convention.duplicates, *_gain_key(convention)
        gain = gain_of(convention, self._function)
        gains: Floats = self.once(
            key, lambda: items.place(gain(items.labels, items.place_of_item))
        )
        if known == "retrieved" and convention.judged_only and convention.gain == "signed":
            gains = gains * self.judged_predictions()
        return self._unless_dropped(convention, gains) if known == "retrieved" else gains

    def _unless_dropped(self, convention: Convention, values: Floats) -> Floats:
        """Return the values of ranked items, 0 if they are dropped. These are behind the list."""
        return np.where(self._are_self(), 0.0, values) if convention.drops_self else values

    def ranking(self, convention: Convention) -> Ranking:
        """Return the items by rank."""
        return self.once(("ranking", *_order_key(convention)), lambda: self._rank(convention))

    def _rank(self, convention: Convention) -> Ranking:
        ranked, block = self._ranked, self.block
        if convention.scores == "float32":
            ranked = self.once("float32", lambda: RankedBlock(in_float32(block), WHOLE_LIST))
        if convention.scores == "none":
            scores = np.where(np.isnan(block.scores), np.nan, 0.0)
            ranked = RankedBlock(block._replace(scores=scores), WHOLE_LIST)
        if convention.judged_only or convention.drops_self:
            scores = ranked.block.scores
            if convention.judged_only:
                scores = np.where(self.judged_predictions(), scores, np.nan)
            if convention.drops_self:
                scores = np.where(self._are_self(), np.nan, scores)
            ranked = RankedBlock(ranked.block._replace(scores=scores), WHOLE_LIST)
        ranking = ranked.ranking(WHOLE_LIST, ignore_ties=False)
        if convention.ties in ("average", "joined", "middle") or ranking.groups is None:
            return ranking
        worth = self._worth(convention, ranked.block)
        ordered = RankedBlock(break_ties(ranked.block, worth), WHOLE_LIST)
        return ordered.ranking(WHOLE_LIST, ignore_ties=False)

    def _are_self(self) -> Bools:
        """Return which predictions have the id of their query, (n_queries, n_cells)."""
        return self.once("are_self", lambda: self.keys.are_self(self.block))

    def _worth(self, convention: Convention, block: Block) -> NDArray[Any]:
        """Return numbers that are larger for items that come first among equals."""
        if isinstance(convention.ties, TieSplit):
            return split_worth(self.gains(convention, "retrieved"), block.scores, convention.ties)
        if convention.ties in ("best", "worst"):
            gain = self.gains(convention, "retrieved")
            return gain if convention.ties == "best" else -gain
        if convention.ties == "later column":
            return np.broadcast_to(np.arange(self.block.scores.shape[1]), self.block.scores.shape)
        by_id = convention.ties.startswith("id")
        key = self.once(("key", by_id), lambda: self.keys.of_block(self.block, by_id=by_id))
        return -key if convention.ties in ("earlier", "id ascending") else key


def gain_of(convention: Convention, function: str) -> Gain:
    """Return the function from labels to gains."""
    if convention.metric == "err" and convention.chance == "label":
        return partial(_chance_of_label, function)
    if convention.metric == "err":
        return check_stop_chance(convention.max_grade, convention.threshold, function)
    if convention.gain == "binary" or not MEASURES[convention.metric].is_graded:
        return check_relevance(convention.threshold, function)
    if convention.gain == "signed":
        relevance = check_relevance(convention.threshold, function)
        return lambda labels, place_of_item=None: 2 * relevance(labels) - 1
    gain: Any = _OWN_GAINS.get(convention.gain, convention.gain)
    if isinstance(gain, tuple) and isinstance(gain[0], tuple):
        gain = partial(_gain_of_levels, gain)
    may_be_negative = convention.metric == "dcg"
    return check_gain(gain, convention.threshold, function, allow_negative=may_be_negative)


_OWN_GAINS: dict[Any, Callable[[Floats], Floats]] = {
    "one more": lambda labels: np.where(labels > 0, np.exp2(labels + 1) - 1, 0),
    "whole": np.trunc,
    "whole exponential": lambda labels: np.exp2(np.trunc(labels)) - 1,
}
"""The gains of programs that are no options of scores here, as functions of the labels."""


def _gain_of_levels(pairs: tuple[tuple[int, float], ...], labels: NDArray[Any]) -> Floats:
    """Return the gains of some labels, and the other labels as they are."""
    levels = np.trunc(labels)
    gains: Floats = levels.astype(np.float64)
    for level, gain in pairs:
        gains[levels == level] = gain
    return gains


def _chance_of_label(function: str, labels: NDArray[Any], place_of_item: Any) -> Floats:
    """Return labels that are chances themselves."""
    is_chance = (labels >= 0) & (labels <= 1)
    if not is_chance.all():
        first = int(np.argmin(is_chance))
        expected = "an array of probabilities from 0 to 1"
        got, place = f"the label {labels[first]!s}", place_of_item(first)
        raise invalid("y_true", function, expected, got, place=place)
    return labels.astype(np.float64)


def joined_precision(hit_by_rank: Floats, ranking: Ranking) -> Floats:
    """Return the precision at the end of the tie group of each hit, and 0 at other ranks."""
    hits_so_far = np.cumsum(hit_by_rank, axis=1)
    rank = np.arange(1.0, hit_by_rank.shape[1] + 1)
    if ranking.groups is None:
        return hit_by_rank * (hits_so_far / rank)
    last = ranking.groups.start + ranking.groups.size - 1
    precision = hits_so_far.ravel()[last] / rank[last % rank.size]
    by_rank = np.repeat(precision, ranking.groups.size).reshape(hit_by_rank.shape)
    return np.asarray(hit_by_rank * by_rank)


def filtered_ranks(hit_by_rank: Floats, ranking: Ranking) -> Floats:
    """Return 1 + the number of items above each rank that are no hits. Ties count half."""
    miss_by_rank = 1 - hit_by_rank
    misses_so_far = np.cumsum(miss_by_rank, axis=1)
    groups = ranking.groups
    if groups is None:
        return np.asarray(1 + misses_so_far - miss_by_rank)
    above = (misses_so_far - miss_by_rank).ravel()[groups.start]
    rank = 1 + above + groups.total(miss_by_rank) / 2
    return np.repeat(rank, groups.size).reshape(hit_by_rank.shape)


def end_values(values: Floats, ends: dict[str, Bools], convention: Convention) -> Floats:
    """Replace the values of queries for which a convention has a value of its own."""
    is_left_out = np.zeros(values.size, dtype=bool)
    for name, applies in ends.items():
        end = getattr(convention, name)
        if end in (LEFT_OUT, UNLESS_LISTED):
            is_left_out |= applies
        elif end is not None:
            values[applies] = end
    values *= convention.scale
    if convention.mean == "geometric":
        values = np.log(np.maximum(values, LEAST_OF_GEOMETRIC_MEAN))
    if convention.is_loss:
        values = 1 - values
    if convention.digits is not None and convention.halves_up:
        values = np.floor(values * 10.0**convention.digits + 0.5) / 10.0**convention.digits
    elif convention.digits is not None:
        values = np.round(values, convention.digits)
    values[is_left_out] = np.nan
    return values


def _of_the_others(convention: Convention) -> Convention:
    """Return a convention that counts the items that this one does not count."""
    return replace(convention, of_irrelevant=not convention.of_irrelevant)


def in_float32(block: Block) -> Block:
    """Return a block whose scores are rounded to float32."""
    with np.errstate(over="ignore"):
        return block._replace(scores=block.scores.astype(np.float32))


def _cutoff(convention: Convention) -> Ints:
    """Return the cutoff as the functions of the profiles take it."""
    return np.array([WHOLE_LIST if convention.k is None else convention.k])


def aggregate_mean(mean: float, convention: Convention) -> float:
    """Return the mean as a program reports it, from that of the values or from their sum."""
    if convention.mean == "geometric":
        mean = float(np.exp(mean))
    digits = convention.digits_of_mean
    return float(mean) if digits is None else round(float(mean), digits)


# --- numerators, by the formulas of the scores here ---------------------------------------------


def _dcg(seen: ConventionBlock, convention: Convention) -> Floats:
    gain, ranking = seen.gains(convention, "retrieved"), seen.ranking(convention)
    weights = _discount(convention, "log")(_ranks(ranking.cell.shape[1]))
    return _sums(expected_dcg(gain, ranking, weights, _cutoff(convention)))


def _hits(seen: ConventionBlock, convention: Convention) -> Floats:
    return _sums(seen.relevant(convention).sum_of_hits(_cutoff(convention)))


def _hits_up_to_relevant(seen: ConventionBlock, convention: Convention) -> Floats:
    cutoff = np.maximum(_n_up_to_relevant(seen, convention), 1).astype(np.int64)
    return _sums(seen.relevant(convention).sum_of_hits(cutoff[:, None]))


def _n_up_to_relevant(seen: ConventionBlock, convention: Convention) -> Floats:
    """Return the cutoff of R-precision."""
    return np.asarray(np.floor(convention.multiple * seen.n_relevant(convention) + 0.9))


def _average_precision(seen: ConventionBlock, convention: Convention) -> Floats:
    relevant, cutoff = seen.relevant(convention), _cutoff(convention)
    if convention.ties == "joined":
        precision = joined_precision(relevant.hit_by_rank, relevant.ranking)
        return np.asarray(sum_to_cutoffs(precision, cutoff)[:, 0])
    return _sums(sum_of_precisions(relevant, cutoff))


def _reciprocal_rank(seen: ConventionBlock, convention: Convention) -> Floats:
    if convention.filtered:
        return _filtered(seen, convention, _discount(convention, "rank"))
    weigh = _weigh(convention, over_rank)
    return _sums(reciprocal_rank(seen.relevant(convention), _cutoff(convention), weigh))


def _hit_rate(seen: ConventionBlock, convention: Convention) -> Floats:
    if convention.filtered:
        return _filtered(seen, convention, np.ones_like)
    return _sums(hit_rate(seen.relevant(convention), _cutoff(convention)))


def _filtered(
    seen: ConventionBlock, convention: Convention, weight_of: Callable[[Floats], Floats]
) -> Floats:
    """Return the sum of the weights of ranks that hits have among the items that are none."""
    relevant = seen.relevant(convention)
    rank = filtered_ranks(relevant.hit_by_rank, relevant.ranking)
    worth = relevant.hit_by_rank * weight_of(rank)
    return np.asarray((worth * (rank <= _cutoff(convention))).sum(axis=1))


def _expected_reciprocal_rank(seen: ConventionBlock, convention: Convention) -> Floats:
    ranking = seen.ranking(convention)
    chance_by_rank = ranking.by_rank(seen.gains(convention, "retrieved"))
    weigh = _weigh(convention, over_rank)
    return _sums(expected_reciprocal_rank(chance_by_rank, ranking, _cutoff(convention), weigh))


def _rank_biased_precision(seen: ConventionBlock, convention: Convention) -> Floats:
    relevant = seen.relevant(convention)
    return _sums(rank_biased_precision(relevant, _cutoff(convention), convention.persistence))


def _sum_of_ranks(seen: ConventionBlock, convention: Convention) -> Floats:
    if convention.last_only:
        relevant = seen.relevant(convention)
        return last_rank(relevant.hit_by_rank, relevant.ranking)
    if convention.filtered:
        return _filtered(seen, replace(convention, k=None), _discount(convention, "times rank"))
    ranking = seen.ranking(convention)
    weight = mean_rank(ranking)
    if convention.discount is not None:
        weight = _discount(convention, "times rank")(_ranks(weight.shape[1]))
        weight = expected_gain(np.tile(weight, (ranking.cell.shape[0], 1)), ranking)
    return _sums(weighted_ranks(ranking.by_rank(seen.gains(convention, "retrieved")), weight))


def _judged_shares(seen: ConventionBlock, convention: Convention) -> Floats:
    """Return the sum over hits of the share of irrelevant items that are not above them."""
    relevant = seen.relevant(convention)
    is_listed = np.arange(relevant.hit_by_rank.shape[1]) < seen.n_listed(convention)[:, None]
    if convention.k is None:
        n_others = seen.n_relevant(_of_the_others(convention))[:, None]
        most = np.maximum(np.minimum(relevant.n_relevant, n_others), 1)
    else:
        most = np.full(relevant.n_relevant.shape, float(convention.k))
    hits = relevant.hit_by_rank * is_listed
    by_rank = shares_in_order(hits, is_listed - hits, relevant.ranking, most)
    if needs_order(convention):
        by_rank = by_rank * (np.cumsum(hits, axis=1) <= most)
    return np.asarray(sum_to_cutoffs(by_rank, np.array([WHOLE_LIST]))[:, 0])


def _pairs(seen: ConventionBlock, convention: Convention) -> RankSum:
    """Return the pairs of items in order, and all pairs."""
    knobs = MEASURES[convention.metric].knobs
    key = "pairs", convention.metric, *_order_key(convention), *_values_of(convention, knobs)
    return seen.once(key, lambda: _count_pairs(seen, convention))


def _count_pairs(seen: ConventionBlock, convention: Convention) -> RankSum:
    ranking = seen.ranking(convention)
    if convention.metric == "auc":
        hits, n_items = seen.first_hits(convention), seen.n_first(convention)[:, None]
        return pairs_of_hits(hits, ranking, hits.sum(axis=1, keepdims=True), n_items)
    level = seen.items(convention, "retrieved").levels()
    lengths = seen.n_listed(convention).astype(np.intp)
    twice_in_order, n_pairs = pairs_in_order(level, ranking, lengths)
    return RankSum(twice_in_order[:, None] / 2, n_pairs[:, None].astype(np.float64))


def _pairs_in_order(seen: ConventionBlock, convention: Convention) -> Floats:
    return _sums(_pairs(seen, convention))


def _sums(rank_sum: RankSum) -> Floats:
    """Return the sums up to the one cutoff."""
    return rank_sum.total[:, 0]


# --- divisors -----------------------------------------------------------------------------------


def _one(seen: ConventionBlock, convention: Convention) -> Floats:
    return np.ones(seen.n_retrieved.size)


def _one_or_each(seen: ConventionBlock, convention: Convention) -> Floats:
    """Return the number of relevant items if each has a rank of its own, else 1."""
    return _most_hits(seen, convention) if convention.filtered else _one(seen, convention)


def _all_pairs(seen: ConventionBlock, convention: Convention) -> Floats:
    return np.asarray(_pairs(seen, convention).denominator[:, 0])


def _most_hits(seen: ConventionBlock, convention: Convention) -> Floats:
    if convention.divisor == "hits":
        return seen.numerator(replace(convention, metric="recall"))
    n_relevant = seen.n_relevant(convention)
    n_listed = seen.n_listed(convention).astype(np.float64)
    k = n_listed if convention.k is None else np.full(n_relevant.size, float(convention.k))
    achievable = n_relevant if convention.k is None else np.minimum(n_relevant, k)
    return {
        "relevant": n_relevant,
        "achievable": achievable,
        "k": k,
        "retrieved": np.minimum(k, n_listed),
        "least": np.minimum(achievable, n_listed),
    }[convention.divisor]


def _mean_of_both(seen: ConventionBlock, convention: Convention) -> Floats:
    divisor = "retrieved" if convention.divisor == "retrieved" else "k"
    n_first = _most_hits(seen, replace(convention, divisor=divisor))
    return mean_of_both(n_first, seen.n_relevant(convention), convention.beta)


def _total_gain(seen: ConventionBlock, convention: Convention) -> Floats:
    if convention.last_only:
        return _one(seen, convention)
    if convention.filtered:
        return _most_hits(seen, convention)
    ranked, known = (seen.gains(convention, each) for each in ("retrieved", convention.known))
    ranking = seen.ranking(convention)
    ranks = weighted_ranks(ranking.by_rank(ranked), mean_rank(ranking))
    are_all_ranked = np.count_nonzero(ranked, axis=1) == np.count_nonzero(known, axis=1)
    return np.asarray(np.where(are_all_ranked, ranks.denominator[:, 0], known.sum(axis=1)))


def _ideal(seen: ConventionBlock, convention: Convention) -> Floats:
    """Return the DCG that nDCG is divided by."""
    order = _order_key(convention) if convention.ideal == "sorted" else ()
    knobs = "k", "ideal", "discount", "persistence", "known", "duplicates", "drops_self"
    key = "ideal", *_values_of(convention, (*knobs, "judged_only")), *_gain_key(convention), *order
    return seen.once(key, lambda: _compute_ideal(seen, convention))


def _compute_ideal(seen: ConventionBlock, convention: Convention) -> Floats:
    weigh, cutoff = _discount(convention, "log"), _cutoff(convention)
    n_first = seen.n_first(convention)
    if convention.ideal == "ones":
        n_ones = n_first if convention.k is None else np.broadcast_to(cutoff, n_first.shape)
        weights = weigh(_ranks(max(int(n_ones.max(initial=0)), 1)))
        return np.asarray(np.append(0.0, np.cumsum(weights))[n_ones])
    gain = seen.gains(convention, convention.known)
    if convention.ideal == "sorted":
        ranking = seen.ranking(convention)
        gain = ranking.by_rank(seen.gains(convention, "retrieved"))[:, : cutoff[0]]
    if convention.ideal == "all":
        cutoff = np.array([WHOLE_LIST])
    if convention.ideal == "retrieved":
        cutoff, place = np.unique(np.maximum(n_first, 1), return_inverse=True)
    weight_by_rank = weigh(_ranks(min(int(cutoff.max()), gain.shape[1])))
    ideal = ideal_dcg(gain, seen.block.n_items, RankWeights(weight_by_rank, None), cutoff)
    if convention.ideal != "retrieved":
        return ideal[:, 0]
    return np.where(n_first > 0, ideal[np.arange(place.size), place], 0.0)


def _is_capped(convention: Convention) -> bool:
    """Return whether only rounding can carry a numerator beyond its divisor."""
    if convention.metric in ("hit_rate", "rbp"):
        return not convention.filtered
    if convention.duplicates != "once" or isinstance(convention.gain, tuple):
        return False
    if convention.metric == "ndcg":
        return convention.ideal in ("k", "all")
    is_of_relevant = convention.divisor in ("relevant", "achievable")
    return convention.metric in ("map", "bpref") and is_of_relevant


# --- weights of ranks ---------------------------------------------------------------------------

_DISCOUNTS: dict[str, Callable[[Floats], Floats]] = {
    "log": lambda rank: 1 / np.log2(1 + rank),
    "log of rank": lambda rank: 1 / np.maximum(np.log2(rank), 1),
    "rank": lambda rank: 1 / rank,
    "square": lambda rank: (1 + rank) ** -2.0,
    "times rank": lambda rank: rank,
    "none": np.ones_like,
}


def _ranks(n_ranks: int) -> Floats:
    return np.arange(1.0, n_ranks + 1)


def _discount(convention: Convention, own: str) -> Callable[[Floats], Floats]:
    """Return the function from ranks to weights. `own` is that of the metric."""
    if convention.discount == "decay":
        return lambda rank: convention.persistence ** (rank - 1)
    if convention.discount == "one rank later":
        return lambda rank: _DISCOUNTS[own](rank + 1)
    return _DISCOUNTS[convention.discount or own]


def _weigh(convention: Convention, own: Weigh) -> Weigh:
    """Return what multiplies values by the weights of ranks. `own` is that of the metric."""
    if convention.discount is None:
        return own
    discount = _discount(convention, "rank")
    return lambda values, listed: values * discount(ranks_of(values.shape[1], listed))


# --- the rows -----------------------------------------------------------------------------------

_RELEVANCE = ("threshold", "are_positive", "duplicates", "of_irrelevant")
_GAIN = ("k", "gain", "threshold", "discount", "persistence", "duplicates")
_STOPS = ("k", "discount", "persistence", "chance", "max_grade", "threshold", "duplicates")
_RANK = ("gain", "discount", "persistence", "filtered", "last_only", *_RELEVANCE)
_BOTH_KINDS = {"no_relevant": LEFT_OUT, "no_irrelevant": LEFT_OUT}
"""The ends of metrics that are undefined unless there are items of both kinds."""

MEASURES: dict[str, Measure] = {
    "ndcg": Measure(_dcg, _ideal, _GAIN, ("ideal",), is_graded=True),
    "dcg": Measure(_dcg, _one, _GAIN, is_graded=True),
    "map": Measure(_average_precision, _most_hits, ("k", *_RELEVANCE), ("divisor",)),
    "mrr": Measure(
        _reciprocal_rank, _one_or_each, ("k", "discount", "persistence", "filtered", *_RELEVANCE)
    ),
    "hit_rate": Measure(_hit_rate, _one_or_each, ("k", "filtered", *_RELEVANCE)),
    "precision": Measure(_hits, _most_hits, ("k", *_RELEVANCE), ("divisor",), {"divisor": "k"}),
    "recall": Measure(_hits, _most_hits, ("k", *_RELEVANCE), ("divisor",)),
    "f1": Measure(_hits, _mean_of_both, ("k", *_RELEVANCE), ("divisor", "beta"), {"divisor": "k"}),
    "r_precision": Measure(
        _hits_up_to_relevant, _n_up_to_relevant, ("known", "multiple", *_RELEVANCE)
    ),
    "err": Measure(_expected_reciprocal_rank, _one, _STOPS),
    "rbp": Measure(_rank_biased_precision, _one, ("k", "persistence", *_RELEVANCE)),
    "auc": Measure(_pairs_in_order, _all_pairs, ("k", *_RELEVANCE), defaults=_BOTH_KINDS),
    "pairwise_accuracy": Measure(
        _pairs_in_order, _all_pairs, _RELEVANCE, defaults=_BOTH_KINDS, is_graded=True
    ),
    "arp": Measure(
        _sum_of_ranks, _total_gain, _RANK, defaults={"no_relevant": LEFT_OUT}, is_graded=True
    ),
    "judged": Measure(
        _hits, _most_hits, ("metric", "k"), ("divisor",), {"divisor": "k", "no_relevant": None}
    ),
    "bpref": Measure(
        _judged_shares,
        _most_hits,
        ("k", "known", "divisor", *_RELEVANCE),
        defaults={"judged_only": True},
    ),
}
_KNOBS_OF_ALL = ("metric", "k", "known", *_RELEVANCE)


def has_knob(metric: str, name: str) -> bool:
    """Return whether a knob is one of a metric, or one that all metrics have."""
    having = [
        each for each, row in MEASURES.items() if name in (*row.knobs, *row.knobs_of_divisor)
    ]
    return not having or metric in having or name in _KNOBS_OF_ALL
