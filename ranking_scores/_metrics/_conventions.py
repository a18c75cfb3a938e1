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

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import WHOLE_LIST, invalid
from ranking_scores._metrics._evaluate import RankedBlock
from ranking_scores._metrics._orders import TieSplit, break_ties, split_worth
from ranking_scores._metrics._pairs import pairs_in_order
from ranking_scores._metrics._profiles import (
    Ranking,
    expected_gain,
    expected_hits,
    first_hit,
    first_stop,
    hits_at_hit,
    ideal_gain,
    last_rank,
    misses_above,
    sum_to_cutoffs,
)
from ranking_scores._queries import (
    Block,
    BlockItems,
    CallData,
    Gain,
    check_gain,
    check_relevance,
    check_stop_chance,
)

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
    gain: str | tuple[float, ...] = "linear"
    """The gain of an item: "linear", "exponential" (2**label - 1), "one more" (2**(label + 1) - 1
    for labels above 0), "binary", "signed" (1 if it is relevant, else -1), "whole" and "whole
    exponential" (linear and exponential, of labels without their fractions), or a table with the
    gains of the labels 0, 1, 2, ..."""
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


_OF_RELEVANCE = ("threshold", "are_positive", "duplicates", "of_irrelevant")
_FIELDS: dict[str, tuple[str, ...]] = {
    "dcg": ("k", "gain", "threshold", "discount", "persistence", "duplicates"),
    "ndcg": ("k", "gain", "threshold", "discount", "persistence", "duplicates"),
    "map": ("k", *_OF_RELEVANCE),
    "mrr": ("k", "discount", "persistence", "filtered", *_OF_RELEVANCE),
    "hit_rate": ("k", "filtered", *_OF_RELEVANCE),
    "precision": ("k", *_OF_RELEVANCE),
    "recall": ("k", *_OF_RELEVANCE),
    "f1": ("k", *_OF_RELEVANCE),
    "r_precision": ("known", "multiple", *_OF_RELEVANCE),
    "err": ("k", "discount", "persistence", "chance", "max_grade", "threshold", "duplicates"),
    "rbp": ("k", "persistence", *_OF_RELEVANCE),
    "auc": ("k", *_OF_RELEVANCE),
    "pairwise_accuracy": _OF_RELEVANCE,
    "arp": ("gain", "discount", "persistence", "filtered", "last_only", *_OF_RELEVANCE),
    "judged": ("k",),
    "bpref": ("k", "known", "divisor", *_OF_RELEVANCE),
}
"""The knobs that the numerator of a metric depends on, besides the order of the items."""
_COUNTING = ("precision", "recall", "f1", "r_precision", "judged")
"""The metrics that count hits, whatever their ranks."""
_GRADED = ("dcg", "ndcg", "arp", "pairwise_accuracy")
"""The metrics that read grades."""
_OF_PAIRS = ("auc", "pairwise_accuracy")
"""The metrics that count pairs of items."""
_WHOLE = ("dcg", "mrr", "hit_rate", "err", "rbp")
"""The metrics without a divisor."""
_PROFILES: dict[str, Callable[[Floats, Ranking], Floats]] = {
    "map": hits_at_hit,
    "mrr": first_hit,
    "hit_rate": first_hit,
    "rbp": expected_gain,
}
_WEIGHT_OF_RANK: dict[str, Callable[[Floats], Floats]] = {
    "log": lambda rank: 1 / np.log2(1 + rank),
    "log of rank": lambda rank: 1 / np.maximum(np.log2(rank), 1),
    "rank": lambda rank: 1 / rank,
    "square": lambda rank: (1 + rank) ** -2.0,
    "times rank": lambda rank: rank,
    "none": np.ones_like,
}
_OWN_WEIGHT = {
    "dcg": "log",
    "ndcg": "log",
    "mrr": "rank",
    "err": "rank",
    "arp": "times rank",
}
"""The weights of ranks of the metrics that have a discount."""


def default_convention(metric: str, k: int | None = None) -> Convention:
    """Return the convention of this package for a metric."""
    divisor = "k" if metric in ("precision", "f1", "judged") else "relevant"
    ends: dict[str, Any] = {}
    if metric in ("auc", "pairwise_accuracy", "arp"):
        ends = {"no_relevant": LEFT_OUT, "no_irrelevant": None if metric == "arp" else LEFT_OUT}
    elif metric == "judged":
        ends = {"no_relevant": None}
    return Convention(metric=metric, k=k, divisor=divisor, judged_only=metric == "bpref", **ends)


def needs_order(convention: Convention) -> bool:
    """Return whether a convention has a value for one order of the items alone."""
    of_first_k = convention.metric == "auc" or (
        convention.metric == "bpref" and convention.divisor == "achievable"
    )
    return (convention.metric == "ndcg" and convention.ideal == "sorted") or (
        of_first_k and convention.k is not None
    )


def _values_of(convention: Convention, names: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(getattr(convention, name) for name in names)


def numerator_key(convention: Convention) -> Hashable:
    """Return what the numerators of conventions have in common if they are the same."""
    kind = {"ndcg": "dcg", "recall": "precision", "f1": "precision"}.get(
        convention.metric, convention.metric
    )
    return (
        "numerator",
        kind,
        *_order_key(convention),
        *_values_of(convention, _FIELDS[convention.metric]),
    )


def divisor_key(convention: Convention) -> Hashable:
    """Return what the divisors of conventions have in common if they are the same."""
    if convention.metric in _WHOLE and not convention.filtered:
        return "divisor", None
    if convention.metric in _OF_PAIRS:
        return "divisor", numerator_key(convention)
    of_items = "known", "threshold", "duplicates", "drops_self", "gain", "last_only"
    names = ("metric", "k", "multiple", *of_items)
    if convention.metric == "ndcg":
        order = _order_key(convention) if convention.ideal == "sorted" else ()
        of_rank = "ideal", "discount", "persistence", "judged_only"
        return "divisor", *_values_of(convention, (*names, *of_rank)), *order
    order = _order_key(convention) if convention.divisor == "hits" else ()
    of_metric = "divisor", "are_positive", "of_irrelevant", "filtered", "beta", "judged_only"
    return "divisor", *_values_of(convention, (*names, *of_metric)), *order


def _order_key(convention: Convention) -> tuple[Any, ...]:
    """Return what the orders of items of conventions have in common if they are the same."""
    is_by_gain = isinstance(convention.ties, TieSplit) or convention.ties in ("best", "worst")
    of_gain = (*_gain_key(convention), convention.duplicates) if is_by_gain else ()
    return (
        convention.scores,
        convention.ties,
        convention.judged_only,
        convention.drops_self,
        *of_gain,
    )


def _gain_key(convention: Convention) -> tuple[Any, ...]:
    """Return what the gains of conventions have in common if they are the same."""
    if convention.metric == "err":
        return "err", convention.chance, convention.max_grade, convention.threshold
    return "binary" if convention.metric not in _GRADED else convention.gain, convention.threshold


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
            self._text = places_in_text(order.item_ids)
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
        """Return the number of judgments of each query."""
        y_true = self._data.y_true
        if self._data.order is None or not hasattr(y_true, "indptr"):
            return block.judged.lengths.astype(np.float64)
        return np.asarray(np.diff(y_true.indptr)[block.queries], dtype=np.float64)

    def are_judged(self, block: Block) -> Bools:
        """Return which queries have a judgment."""
        y_true = self._data.y_true
        if self._data.order is None or not hasattr(y_true, "indptr"):
            return np.ones(block.queries.size, dtype=bool)
        return np.asarray(np.diff(y_true.indptr)[block.queries] > 0)


def places_in_text(ids: NDArray[Any]) -> NDArray[np.integer[Any]]:
    """Return the place of each id among all, sorted as text by the codes of the characters."""
    texts = np.array([str(item_id) for item_id in ids.tolist()], dtype=object)
    place = np.empty(ids.size, dtype=np.intp)
    place[np.argsort(texts, kind="stable")] = np.arange(ids.size)
    return place


class ConventionBlock:
    """A block of queries, and what conventions need of it, each computed once."""

    def __init__(self, ranked: RankedBlock, keys: ItemKeys, function: str) -> None:
        self.block = ranked.block
        self._ranked, self._keys, self._function = ranked, keys, function
        self._found: dict[Hashable, Any] = {}
        self.n_retrieved: Ints = self.block.ranked.lengths.astype(np.int64)
        """The number of predictions of each query, (n_queries,)."""

    def _once(self, key: Hashable, compute: Callable[[], Result]) -> Result:
        """Return a result that is computed when it is first asked for."""
        if key not in self._found:
            self._found[key] = compute()
        return cast(Result, self._found[key])

    def values(self, convention: Convention) -> Floats:
        """Return the value of each query, NaN if it is left out."""
        numerator, divisor = self.numerator(convention), self.divisor(convention)
        values = np.zeros(numerator.size)
        np.divide(numerator, divisor, out=values, where=divisor > 0)
        return end_values(values, self.ends(convention), convention)

    def ends(self, convention: Convention) -> dict[str, Bools]:
        """Return which queries lack a hit, relevant items, predictions and judgments."""
        if isinstance(convention.gain, tuple):  # which may have no gain for a label above 0
            has_relevant = self.divisor(convention) > 0
        else:
            has_relevant = self.n_relevant(convention) > 0
        has_none = self.n_retrieved == 0
        if convention.no_predictions == UNLESS_LISTED:
            has_none &= ~self._once("are_listed", lambda: self._keys.are_listed(self.block))
        has_no_hit = self.numerator(convention) == 0
        has_no_irrelevant = np.zeros(has_relevant.size, dtype=bool)
        if convention.metric in _OF_PAIRS:
            n_hits, n_pairs = self._pairs(convention)[2], self._pairs(convention)[1]
            has_no_hit, has_no_irrelevant = n_hits == 0, (n_hits > 0) & (n_pairs == 0)
        elif convention.metric == "bpref":
            has_no_irrelevant = self.n_relevant(_of_the_others(convention)) == 0
        return {
            "no_hit": has_no_hit & has_relevant & (self.n_retrieved > 0),
            "no_relevant": ~has_relevant,
            "no_irrelevant": has_no_irrelevant,
            "no_predictions": has_none,
            "not_judged": ~self._once("are_judged", lambda: self._keys.are_judged(self.block)),
        }

    def numerator(self, convention: Convention) -> Floats:
        """Return the numerator of each query, (n_queries,)."""
        return self._once(numerator_key(convention), lambda: self._numerator(convention))

    def _numerator(self, convention: Convention) -> Floats:
        if convention.metric in _OF_PAIRS:
            return self._pairs(convention)[0]
        ranking, k = (
            self._ranking(convention),
            _cutoff(None if convention.metric == "arp" else convention.k),
        )
        n_ranks = min(k[0], ranking.cell.shape[1])
        total: Floats
        if convention.metric in ("ndcg", "dcg") or (
            convention.metric == "arp" and not _is_of_hits(convention)
        ):
            by_rank = expected_gain(ranking.by_rank(self._gains(convention, "retrieved")), ranking)
        elif convention.metric == "err":
            by_rank = first_stop(
                ranking.by_rank(self._gains(convention, "retrieved")), ranking, n_ranks
            )
        else:
            hits = ranking.by_rank(self._hits(convention))
            if convention.metric == "bpref":
                return self._in_order(hits, ranking, convention)
            if convention.metric == "arp" and convention.last_only:
                return last_rank(hits, ranking)
            if convention.metric == "r_precision":
                k = np.maximum(self._n_first(convention), 1).astype(np.int64)[:, None]
            if convention.filtered:
                rank = filtered_ranks(hits, ranking)
                worth = (
                    np.ones(rank.shape)
                    if convention.metric == "hit_rate"
                    else _weight_of(convention)(rank)
                )
                return np.asarray((hits * worth * (rank <= k[0])).sum(axis=1))
            if convention.metric == "map" and convention.ties == "joined":
                return np.asarray(sum_to_cutoffs(joined_precision(hits, ranking), k)[:, 0])
            if convention.metric in _COUNTING:
                total = expected_hits(hits, ranking, k)[:, 0]
                return total
            by_rank = _PROFILES[convention.metric](hits, ranking)
        by_rank = by_rank[:, :n_ranks] * weigh_ranks(convention, n_ranks)
        total = sum_to_cutoffs(by_rank, k)[:, 0]
        return total

    def _n_listed(self, convention: Convention) -> Ints:
        """Return the number of items of each list."""
        if not convention.judged_only:
            return self.n_retrieved
        return np.asarray(self._judged_predictions().sum(axis=1, dtype=np.int64))

    def _n_first(self, convention: Convention) -> Floats:
        """Return the cutoff of R-precision."""
        return np.asarray(np.floor(convention.multiple * self.n_relevant(convention) + 0.9))

    def _pairs(self, convention: Convention) -> tuple[Floats, Floats, Floats]:
        """Return the numbers of pairs in order, of all pairs and of the hits among the items."""
        return self._once(
            ("pairs", numerator_key(convention)), lambda: self._count_pairs(convention)
        )

    def _count_pairs(self, convention: Convention) -> tuple[Floats, Floats, Floats]:
        ranking, n_listed = self._ranking(convention), self._n_listed(convention)
        hits = ranking.by_rank(self._hits(convention))
        if convention.metric == "pairwise_accuracy":
            level = self._items(convention, "retrieved").levels()
            twice_in_order, n_pairs = pairs_in_order(level, ranking, n_listed.astype(np.intp))
            return twice_in_order / 2, n_pairs.astype(np.float64), hits.sum(axis=1)
        n_first = n_listed if convention.k is None else np.minimum(n_listed, convention.k)
        is_first = np.arange(ranking.cell.shape[1]) < n_first[:, None]
        hits = hits * is_first
        n_hits = hits.sum(axis=1)
        above = (hits * (filtered_ranks(hits, ranking) - 1)).sum(axis=1)
        all_pairs = n_hits * (n_first - n_hits)
        return np.asarray(all_pairs - above), np.asarray(all_pairs), np.asarray(n_hits)

    def _in_order(self, hits: Floats, ranking: Ranking, convention: Convention) -> Floats:
        """Return the sum over hits of the share of irrelevant items that are not above them."""
        is_listed = np.arange(hits.shape[1]) < self._n_listed(convention)[:, None]
        if convention.k is None:
            n_relevant, n_others = (
                self.n_relevant(convention),
                self.n_relevant(_of_the_others(convention)),
            )
            most = np.maximum(np.minimum(n_relevant, n_others), 1)[:, None]
        else:
            most = np.full((hits.shape[0], 1), float(convention.k))
        hits = hits * is_listed
        above = misses_above(is_listed - hits, ranking, most)
        by_rank = expected_gain(hits, ranking) * (1 - above / most)
        if needs_order(convention):
            by_rank = by_rank * (np.cumsum(hits, axis=1) <= most)
        return np.asarray(sum_to_cutoffs(by_rank, _cutoff(None))[:, 0])

    def query_weight(self, convention: Convention) -> Floats | None:
        """Return the weight of each query in the mean; None: all weigh the same."""
        if convention.weight == "queries":
            return None
        divisor = self.divisor(convention)
        if convention.weight == "divisor":
            return divisor
        of_hits = self.divisor(replace(convention, gain="binary"))
        return np.divide(divisor, of_hits, out=np.zeros(divisor.size), where=of_hits > 0)

    def divisor(self, convention: Convention) -> Floats:
        """Return the divisor of each query, (n_queries,)."""
        return self._once(divisor_key(convention), lambda: self._divisor(convention))

    def _divisor(self, convention: Convention) -> Floats:
        if convention.metric == "ndcg":
            return self._ideal(convention)
        if convention.metric in _OF_PAIRS:
            return self._pairs(convention)[1]
        is_last = convention.metric == "arp" and convention.last_only
        if (
            (convention.metric in _WHOLE and not convention.filtered)
            or is_last
            or convention.divisor == "one"
        ):
            return np.ones(self.n_retrieved.size)
        if convention.metric == "arp" and not convention.filtered:
            return np.asarray(self._gains(convention, convention.known).sum(axis=1))
        n_relevant, n_retrieved = (
            self.n_relevant(convention),
            self._n_listed(convention).astype(np.float64),
        )
        if convention.metric == "r_precision":
            return self._n_first(convention)
        k = n_retrieved if convention.k is None else np.full(n_relevant.size, float(convention.k))
        if convention.metric == "f1":
            n_first = np.minimum(k, n_retrieved) if convention.divisor == "retrieved" else k
            return (n_first + convention.beta**2 * n_relevant) / (1 + convention.beta**2)
        at_most_k = n_relevant if convention.k is None else np.minimum(n_relevant, k)
        if convention.divisor == "hits":
            hits = expected_hits(
                self._ranking(convention).by_rank(self._hits(convention)),
                self._ranking(convention),
                _cutoff(convention.k),
            )
            return np.asarray(hits[:, 0])
        return {
            "relevant": n_relevant,
            "achievable": at_most_k,
            "k": k,
            "retrieved": np.minimum(k, n_retrieved),
            "least": np.minimum(at_most_k, n_retrieved),
        }[convention.divisor]

    def _ideal(self, convention: Convention) -> Floats:
        """Return the DCG that nDCG is divided by."""
        k = _cutoff(convention.k)
        if convention.ideal == "ones":
            n_listed = self._n_listed(convention)
            n_ones = n_listed if convention.k is None else np.broadcast_to(k, n_listed.shape)
            sums = np.append(
                0.0, np.cumsum(weigh_ranks(convention, max(int(n_ones.max(initial=0)), 1)))
            )
            return np.asarray(sums[n_ones])
        if convention.ideal == "sorted":
            ranking = self._ranking(convention)
            gain = ranking.by_rank(self._gains(convention, "retrieved"))[:, : k[0]]
        else:
            gain = self._gains(convention, convention.known)
        best = ideal_gain(gain, gain.shape[1])
        best = best * weigh_ranks(convention, best.shape[1])
        if convention.ideal != "retrieved":
            return np.asarray(
                sum_to_cutoffs(best, _cutoff(None) if convention.ideal == "all" else k)[:, 0]
            )
        sums = np.zeros((best.shape[0], best.shape[1] + 1))
        np.cumsum(best, axis=1, out=sums[:, 1:])
        last = np.minimum(np.minimum(self._n_listed(convention), k[0]), best.shape[1])
        return np.asarray(sums[np.arange(last.size), last])

    def n_relevant(self, convention: Convention) -> Floats:
        """Return the number of relevant items of each query, (n_queries,)."""
        key = (
            "n_relevant",
            convention.threshold,
            convention.known,
            convention.duplicates,
            convention.drops_self,
            convention.of_irrelevant,
        )
        return self._once(key, lambda: self._n_relevant(convention))

    def _n_relevant(self, convention: Convention) -> Floats:
        if convention.known == "retrieved":
            of_relevance = replace(convention, metric="recall", are_positive=False)
            return np.asarray(self._hits(of_relevance).sum(axis=1))
        if convention.of_irrelevant:
            return self._keys.n_judged(self.block) - self.n_relevant(_of_the_others(convention))
        judged = self.block.judged
        is_relevant = check_relevance(convention.threshold, self._function).is_relevant(
            judged.labels
        )
        return np.asarray(judged.place(is_relevant).sum(axis=1, dtype=np.float64))

    def _items(self, convention: Convention, known: str) -> BlockItems:
        """Return the items that were judged, or those that were retrieved."""
        if known == "judged":
            return self.block.judged
        if convention.duplicates == "once":
            return self.block.ranked
        return self._once("repeated", lambda: self._keys.with_repeated(self.block))

    def _hits(self, convention: Convention) -> Floats:
        """Return 1 for each ranked item that counts as relevant, else 0, (n_queries, n_cells)."""
        if convention.metric == "judged":
            return self._judged_predictions().astype(np.float64)
        unjudged = convention.of_irrelevant and convention.judged_only
        of_items = convention.duplicates, convention.drops_self, convention.of_irrelevant, unjudged
        key = "hits", convention.threshold, convention.are_positive, *of_items
        return self._once(key, lambda: self._place_hits(convention))

    def _judged_predictions(self) -> Bools:
        """Return which cells have a prediction with a judgment, (n_queries, n_cells)."""
        return self._once("predictions_judged", self._find_judged_predictions)

    def _find_judged_predictions(self) -> Bools:
        items = self.block.ranked
        is_item = items.place(np.ones(items.labels.size, dtype=bool))
        return np.asarray(self._keys.predictions_judged(self.block) & is_item)

    def _place_hits(self, convention: Convention) -> Floats:
        items = self._items(convention, "retrieved")
        relevance = check_relevance(convention.threshold, self._function)
        is_relevant = relevance(items.labels)
        hits: Floats = items.place(1 - is_relevant if convention.of_irrelevant else is_relevant)
        if convention.of_irrelevant and convention.judged_only:
            hits = hits * self._judged_predictions()
        hits = self._unless_dropped(convention, hits)
        return hits * (self.block.scores > 0) if convention.are_positive else hits

    def _gains(self, convention: Convention, known: str) -> Floats:
        """Return the gains of items, or their chances to stop a user, (n_queries, n_cells)."""
        items = self._items(convention, known)
        key = "gains", known, convention.duplicates, *_gain_key(convention)
        gains: Floats = self._once(
            key,
            lambda: items.place(
                gain_of(convention, self._function)(items.labels, items.place_of_item)
            ),
        )
        if known == "retrieved" and convention.judged_only and convention.gain == "signed":
            gains = gains * self._judged_predictions()
        return self._unless_dropped(convention, gains) if known == "retrieved" else gains

    def _unless_dropped(self, convention: Convention, values: Floats) -> Floats:
        """Return the values of ranked items, 0 if they are dropped. These are behind the list."""
        return np.where(self._are_self(), 0.0, values) if convention.drops_self else values

    def _ranking(self, convention: Convention) -> Ranking:
        """Return the items by rank."""
        return self._once(("ranking", *_order_key(convention)), lambda: self._rank(convention))

    def _rank(self, convention: Convention) -> Ranking:
        ranked, block = self._ranked, self.block
        if convention.scores == "float32":
            ranked = self._once("float32", lambda: RankedBlock(in_float32(block), WHOLE_LIST))
        if convention.scores == "none":
            scores = np.where(np.isnan(block.scores), np.nan, 0.0)
            ranked = RankedBlock(block._replace(scores=scores), WHOLE_LIST)
        if convention.judged_only or convention.drops_self:
            scores = ranked.block.scores
            if convention.judged_only:
                scores = np.where(self._judged_predictions(), scores, np.nan)
            if convention.drops_self:
                scores = np.where(self._are_self(), np.nan, scores)
            ranked = RankedBlock(ranked.block._replace(scores=scores), WHOLE_LIST)
        ranking = ranked.ranking(WHOLE_LIST, ignore_ties=False)
        if convention.ties in ("average", "joined", "middle") or ranking.groups is None:
            return ranking
        worth = self._worth(convention, ranked.block)
        return RankedBlock(break_ties(ranked.block, worth), WHOLE_LIST).ranking(
            WHOLE_LIST, ignore_ties=False
        )

    def _are_self(self) -> Bools:
        """Return which predictions have the id of their query, (n_queries, n_cells)."""
        return self._once("are_self", lambda: self._keys.are_self(self.block))

    def _worth(self, convention: Convention, block: Block) -> NDArray[Any]:
        """Return numbers that are larger for items that come first among equals."""
        if isinstance(convention.ties, TieSplit):
            return split_worth(self._gains(convention, "retrieved"), block.scores, convention.ties)
        if convention.ties in ("best", "worst"):
            gain = self._gains(convention, "retrieved")
            return gain if convention.ties == "best" else -gain
        if convention.ties == "later column":
            return np.broadcast_to(np.arange(self.block.scores.shape[1]), self.block.scores.shape)
        by_id = convention.ties.startswith("id")
        key = self._once(("key", by_id), lambda: self._keys.of_block(self.block, by_id=by_id))
        return -key if convention.ties in ("earlier", "id ascending") else key


def gain_of(convention: Convention, function: str) -> Gain:
    """Return the function from labels to gains."""
    if convention.metric == "err" and convention.chance == "label":
        return partial(_chance_of_label, function)
    if convention.metric == "err":
        return check_stop_chance(convention.max_grade, convention.threshold, function)
    if convention.gain == "binary" or convention.metric not in _GRADED:
        return check_relevance(convention.threshold, function)
    if convention.gain == "signed":
        return partial(_signed_gain, check_relevance(convention.threshold, function))
    may_be_negative = convention.metric == "dcg"
    gain = (
        convention.gain
        if isinstance(convention.gain, tuple)
        else _OWN_GAINS.get(convention.gain, convention.gain)
    )
    return check_gain(gain, convention.threshold, function, allow_negative=may_be_negative)


def _signed_gain(relevance: Gain, labels: NDArray[Any], place_of_item: Any = None) -> Floats:
    return np.asarray(2 * relevance(labels, place_of_item) - 1)


_OWN_GAINS: dict[str, Callable[[Floats], Floats]] = {
    "one more": lambda labels: np.where(labels > 0, np.exp2(labels + 1) - 1, 0),
    "whole": np.trunc,
    "whole exponential": lambda labels: np.exp2(np.trunc(labels)) - 1,
}
"""The gains of programs that are no options of scores here, as functions of the labels."""


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
    if convention.digits is not None:
        values = round_values(values, convention.digits, halves_up=convention.halves_up)
    values[is_left_out] = np.nan
    return values


def round_values(values: Floats, digits: int, *, halves_up: bool) -> Floats:
    """Return rounded values, those halfway between two of them up or to the even digit."""
    if halves_up:
        return np.asarray(np.floor(values * 10.0**digits + 0.5) / 10.0**digits)
    return np.round(values, digits)


def weigh_ranks(convention: Convention, n_ranks: int) -> Floats:
    """Return the weights of the first ranks."""
    rank = np.arange(1.0, n_ranks + 1)
    if convention.metric == "rbp":
        return (1 - convention.persistence) * convention.persistence ** (rank - 1)
    if convention.metric in ("map", "hit_rate"):
        return 1 / rank if convention.metric == "map" else np.ones(n_ranks)
    return _weight_of(convention)(rank)


def _weight_of(convention: Convention) -> Callable[[Floats], Floats]:
    """Return the function from ranks to weights."""
    own = _OWN_WEIGHT[convention.metric]
    if convention.discount == "decay":
        return lambda rank: convention.persistence ** (rank - 1)
    if convention.discount == "one rank later":
        return lambda rank: _WEIGHT_OF_RANK[own](rank + 1)
    return _WEIGHT_OF_RANK[convention.discount or own]


def _is_of_hits(convention: Convention) -> bool:
    """Return whether an average position is that of relevant items, whatever their grades."""
    return convention.filtered or convention.last_only


def _of_the_others(convention: Convention) -> Convention:
    """Return a convention that counts the items that this one does not count."""
    return replace(convention, of_irrelevant=not convention.of_irrelevant)


def in_float32(block: Block) -> Block:
    """Return a block whose scores are rounded to float32."""
    with np.errstate(over="ignore"):
        return block._replace(scores=block.scores.astype(np.float32))


def _cutoff(k: int | None) -> Ints:
    """Return a cutoff as the functions of the profiles take it."""
    return np.array([WHOLE_LIST if k is None else k])


def aggregate_mean(mean: float, convention: Convention) -> float:
    """Return the mean as a program reports it, from that of the values or from their sum."""
    if convention.mean == "geometric":
        mean = float(np.exp(mean))
    return (
        float(mean)
        if convention.digits_of_mean is None
        else round(float(mean), convention.digits_of_mean)
    )
