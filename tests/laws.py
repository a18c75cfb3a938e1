"""What the laws are about: a row for every score, the layouts, and random queries.

`SCORES` has the options and properties of each score, and `LAYOUTS` the functions that put
queries into each layout. A `Case` is a score, a layout, options and random queries. Many tests
beside those of the laws use them.
"""

from __future__ import annotations

import importlib.util
import inspect
import itertools
import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

import ranking_scores as rs
from ranking_scores._metrics import _pairs, _profiles
from ranking_scores._metrics._named import METRICS
from ranking_scores._queries import _blocks, _counting, _rows, _top_k_candidates
from ranking_scores._queries._data import is_list_column
from ranking_scores.tables import from_lists, from_tables

HAS_PYARROW = importlib.util.find_spec("pyarrow") is not None

# Where a law reorders the terms of a sum, its last bits may change; elsewhere none may.
TOLERANCE = 1e-12


def assert_same_bits(actual, expected):
    """Compare floats by their bytes: 0.0 is not -0.0 here, and a NaN is itself."""
    actual, expected = np.asarray(actual, dtype=float), np.asarray(expected, dtype=float)
    assert actual.shape == expected.shape
    assert actual.tobytes() == expected.tobytes(), f"{actual} is not {expected}"


def assert_close(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=TOLERANCE, atol=TOLERANCE)


# --- layouts: from a list of queries, (labels, scores) each, to the arguments of a score ------


def dense(queries, weights=None):
    """Return the arguments of queries of one length, a row each."""
    arguments = {
        "y_true": np.array([labels for labels, _ in queries]),
        "y_score": np.array([scores for _, scores in queries]),
    }
    return arguments if weights is None else arguments | {"sample_weight": weights}


def ragged(queries, weights=None):
    """Return the arguments of queries of any length, their rows interleaved."""
    lengths = np.array([len(labels) for labels, _ in queries])
    qid = np.repeat(np.arange(len(queries)) * 10 - 5, lengths)
    place = np.concatenate([np.arange(length) for length in lengths])
    shuffled = np.lexsort((qid, place))  # the first items of all queries, then the second, ...
    arguments = {
        "y_true": np.concatenate([labels for labels, _ in queries])[shuffled],
        "y_score": np.concatenate([scores for _, scores in queries])[shuffled],
        "qid": qid[shuffled],
    }
    if weights is None:
        return arguments
    return arguments | {"sample_weight": np.repeat(weights, lengths)[shuffled]}


def sorted_ragged(queries, weights=None):
    """Return the same with the rows of each query together, and ids that are strings."""
    lengths = [len(labels) for labels, _ in queries]
    arguments = {
        "y_true": np.concatenate([labels for labels, _ in queries]),
        "y_score": np.concatenate([scores for _, scores in queries]),
        "qid": np.repeat([f"query {index:03}" for index in range(len(queries))], lengths),
    }
    if weights is None:
        return arguments
    return arguments | {"sample_weight": np.repeat(weights, lengths)}


def sparse_labels(queries, weights=None):
    """Return the arguments of dense queries, the labels of another sparse format each time."""
    arguments = dense(queries, weights)
    formats = [sp.csr_array, sp.csc_matrix, sp.coo_array, sp.lil_matrix, sp.dok_array]
    as_format = formats[(len(queries) + arguments["y_score"].shape[1]) % len(formats)]
    return arguments | {"y_true": as_format(arguments["y_true"])}


def class_labels(queries, weights=None):
    """Return the arguments of queries that have one relevant item, labelled 1: its class."""
    arguments = dense(queries, weights)
    n_classes = arguments["y_true"].shape[1]
    classes = np.array([f"class {index:03}" for index in range(n_classes)])
    return arguments | {
        "y_true": classes[arguments["y_true"].argmax(axis=1)],
        "labels": classes,
    }


def retrieved(queries, weights=None, stores=np.isreal):
    """Return the arguments of dense queries whose items are stored, in no order of their columns.

    Where `stores`, a function of the labels, says so; the format changes from time to time.
    """
    arguments = dense(queries, weights)
    y_true, y_score = arguments["y_true"], arguments["y_score"]
    row, column = np.nonzero(stores(y_true))
    backwards = slice(None, None, -1)
    start = np.searchsorted(row, np.arange(len(queries) + 1))
    shape = y_score.shape
    stored = np.concatenate([y_score[row, column], [0]])[:-1]  # of a dtype that SciPy has
    for first, last in itertools.pairwise(start):
        stored[first:last] = stored[first:last][backwards]
        column[first:last] = column[first:last][backwards]
    scores = sp.csr_array((stored, column, start), shape)
    if len(queries) % 2:
        return arguments | {"y_score": scores.tocsc()}
    return arguments | {"y_score": scores, "y_true": sp.coo_matrix(y_true)}


def retrieved_but_for_grade_3(queries, weights=None):
    """Return the same, items of the label 3 not being found."""
    return retrieved(queries, weights, stores=lambda labels: labels != 3)


def tables_by_ids(queries, weights=None, stores=np.isreal):
    """Return the arguments of dense queries as judgments and predictions, in rows in any order.

    Items are called by text or by numbers, in the order of their columns. Items are predicted
    where `stores`, a function of the labels, says so, and judged unless their label is NaN.
    """
    labels, scores = (np.concatenate(each) for each in zip(*queries, strict=True))
    length = len(queries[0][0])
    query = np.repeat(np.arange(len(queries)), length)
    item = np.tile(np.arange(length), len(queries))
    if len(queries) % 2:
        item = np.array([f"item {each:06}" for each in item.tolist()], dtype=object)
    backwards = np.arange(query.size)[::-1]
    judged = backwards[labels[backwards] == labels[backwards]]
    predicted = backwards[stores(labels)[backwards]]
    of_judged, of_predicted = ({*query[rows].tolist()} for rows in (judged, predicted))
    n_shared = len(of_judged & of_predicted)
    if not n_shared or n_shared < min(len(of_judged), len(of_predicted)) / 2:
        # Tables that share so few queries are warned of, or refused. Dicts have all queries.
        return dicts_by_ids(queries, weights, stores)
    tables = (
        {"query": query[rows], "item": item[rows], "value": values[rows]}
        for rows, values in ((judged, labels), (predicted, scores))
    )
    names = {"query": "query", "item": "item", "label": "value", "score": "value"}
    return by_ids(from_tables(*tables, **names, queries="all"), weights)


def tables_but_for_grade_3(queries, weights=None):
    """Return the same, items of the label 3 not being predicted."""
    return tables_by_ids(queries, weights, stores=lambda labels: labels != 3)


def dicts_by_ids(queries, weights=None, stores=np.isreal):
    """Return the same as dicts of grades and of scores, of numbers of Python."""
    grades, scores = (
        [dict(enumerate(row.tolist())) for row in rows] for rows in zip(*queries, strict=True)
    )
    judged = [{item: grade for item, grade in row.items() if grade == grade} for row in grades]
    predicted = [
        {item: score for item, score in row.items() if stores(labels)[item]}
        for row, (labels, _) in zip(scores, queries, strict=True)
    ]
    return by_ids(from_lists(judged, predicted), weights)


def by_ids(data, weights):
    """Return the arguments of judgments and predictions that were joined."""
    return {"y_true": data} if weights is None else {"y_true": data, "sample_weight": weights}


def lists(queries, weights=None):
    """Return the arguments of queries of any length, in lists of polars."""
    arguments = {
        "y_true": column_of_polars([labels for labels, _ in queries]),
        "y_score": column_of_polars([scores for _, scores in queries]),
    }
    return arguments if weights is None else arguments | {"sample_weight": weights}


def column_of_polars(rows):
    """Return a list for each row, in up to three chunks, which are cut out of longer ones."""
    flat = np.concatenate(rows)
    as_polars_has_it = {"e": np.float32, "g": np.float64}.get(flat.dtype.char, flat.dtype)
    ignored = np.full(3, 77, as_polars_has_it)
    chunks = []
    for first, last in itertools.pairwise(np.linspace(0, len(rows), 4).astype(int)):
        of_chunk = [ignored, *(row.astype(as_polars_has_it) for row in rows[first:last]), ignored]
        chunks.append(pl.Series([pl.Series(row) for row in of_chunk])[1:-1])
    return pl.concat(chunks, rechunk=False)


def lists_of_arrow(queries, weights=None):
    """Return the same in lists of pyarrow, the labels' indices twice as wide as the scores'."""
    import pyarrow as pa

    arguments = {
        "y_true": column_of_arrow([labels for labels, _ in queries], pa.LargeListArray),
        "y_score": column_of_arrow([scores for _, scores in queries], pa.ListArray),
    }
    return arguments if weights is None else arguments | {"sample_weight": weights}


def column_of_arrow(rows, kind):
    """Return a list for each row, in two chunks, both of them slices of one array."""
    import pyarrow as pa

    flat = np.concatenate(rows)
    values = pa.array(flat.astype(np.float64) if flat.dtype.char == "g" else flat)
    offsets = np.cumsum([0, *map(len, rows)])
    whole = kind.from_arrays(offsets.tolist(), values)
    middle = len(rows) // 2
    return pa.chunked_array([whole[:middle], whole[middle:]])


def masked(arrange):
    """Return an arrangement that puts the items among others that take no part, all ignored."""

    def arrange_masked(queries, weights=None):
        rng = np.random.default_rng([labels.size for labels, _ in queries])
        n_cells = max(labels.size for labels, _ in queries) + 3
        dtype = np.result_type(*(scores.dtype for _, scores in queries))
        y_true = rng.choice([-7.0, 2.0, 1e300, np.nan], (len(queries), n_cells))
        y_score = rng.choice([-99, 0, 99], (len(queries), n_cells)).astype(dtype)
        if dtype.kind == "f":
            y_score[rng.random(y_score.shape) < 0.5] = np.nan
            y_score[rng.random(y_score.shape) < 0.3] = np.inf
        where = np.zeros(y_true.shape, dtype=bool)
        for row, (labels, scores) in enumerate(queries):
            cells = np.sort(rng.choice(n_cells, labels.size, replace=False))
            where[row, cells] = True
            y_true[row, cells] = labels
            y_score[row, cells] = scores
        if arrange is class_labels:
            y_true = np.where(where, y_true, 0)
        poisoned = list(zip(y_true, y_score, strict=True))
        return arrange(poisoned, weights) | {"where": where}

    return arrange_masked


def masked_by_weights(arrange):
    """Return an arrangement whose items weigh 1, among others of weight 0, all ignored."""

    def arrange_weighted(queries, weights=None):
        arguments = masked(arrange)(queries, weights)
        where = arguments.pop("where")
        return arguments | {"item_weight": where.astype(np.float32)}

    arrange_weighted.has_item_weight = True
    return arrange_weighted


def ragged_masked_by_weights(queries, weights=None):
    """Return the same in rows; a query of which nothing is left would weigh nothing."""
    poisoned, is_item = poisoned_at_the_end(queries)
    return ragged(poisoned, weights) | {"item_weight": ragged(is_item)["y_true"]}


def lists_masked_by_weights(queries, weights=None):
    """Return the same in lists."""
    poisoned, is_item = poisoned_at_the_end(queries)
    return lists(poisoned, weights) | {"item_weight": lists(is_item)["y_true"]}


def poisoned_at_the_end(queries):
    """Return queries with two items more, all ignored, and where theirs are, beside zeros."""
    poisoned = [
        (np.append(labels, [np.nan, -9]), np.append(scores.astype(float), [0, np.nan]))
        for labels, scores in queries
    ]
    is_item = [np.arange(labels.size) < labels.size - 2 for labels, _ in poisoned]
    return poisoned, [(takes_part, np.zeros(takes_part.size)) for takes_part in is_item]


ragged_masked_by_weights.has_item_weight = lists_masked_by_weights.has_item_weight = True

LAYOUTS: dict[str, list[Callable[..., dict[str, Any]]]] = {
    "dense": [dense, masked(dense), masked_by_weights(dense)],
    "ragged": [ragged, sorted_ragged, ragged_masked_by_weights],
    "sparse labels": [sparse_labels, masked(sparse_labels), masked_by_weights(sparse_labels)],
    "class labels": [class_labels, masked(class_labels)],
    "retrieved": [retrieved, retrieved_but_for_grade_3, masked_by_weights(retrieved)],
    "by ids": [tables_by_ids, tables_but_for_grade_3, dicts_by_ids],
    "lists": [lists, lists_masked_by_weights, *[lists_of_arrow] * HAS_PYARROW],
}


BUT_FOR_GRADE_3 = (retrieved_but_for_grade_3, tables_but_for_grade_3)
NOT_DENSE = ("retrieved", "by ids")
OF_ONE_LENGTH = (dense, sparse_labels, class_labels, retrieved, tables_by_ids, dicts_by_ids)


def takes_any_lengths(arrange):
    """Whether queries of an arrangement may differ in length."""
    return arrange not in OF_ONE_LENGTH + BUT_FOR_GRADE_3


# --- scores -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Score:
    """A score of the table, with what the laws need to know about it."""

    func: Callable[..., Any]
    options: list[dict[str, Any]]
    upper_bound: Callable[..., Any]
    """The largest value that each query may have, a function of arguments and options."""
    is_monotone_in_k: bool = False
    is_monotone_with_one_relevant_item: bool = True
    is_k_optional: bool = True
    """Whether `k` may be None."""
    is_none_a_cutoff: bool = True
    """Whether `k=None` is the same as any cutoff beyond the list."""
    falls_between: tuple[int, int] = (1, 2)
    """Cutoffs between which it falls for a query of three items whose first and last are relevant.
    Only scores that are not monotone in k do so."""
    tells_judged: bool = False
    """Whether labels that are NaN, or that a sparse matrix does not store, are unknown."""
    needs_all_ranked: bool = False
    """Whether it refuses a relevant item that was not retrieved."""

    @property
    def takes_retrieved(self) -> bool:
        """Whether items may lack a score."""
        function = getattr(self.func, "func", self.func)
        [takes] = (metric.takes_retrieved for metric in METRICS if metric.function is function)
        return takes

    @property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """The parameters of the function by name."""
        return inspect.signature(self.func).parameters

    @property
    def takes_k(self) -> bool:
        """Whether it has cutoffs."""
        return "k" in self.parameters

    @property
    def takes_ignore_ties(self) -> bool:
        """Whether it can take one order of the ties."""
        return "ignore_ties" in self.parameters

    @property
    def is_undefined_nan(self) -> bool:
        """Whether a query on which it is undefined is NaN unless the caller says otherwise."""
        parameter = self.parameters.get("replace_undefined_by")
        return parameter is not None and math.isnan(parameter.default)


GAIN_OPTIONS: list[dict[str, Any]] = [
    {},
    {"gain": "exponential"},
    {"gain": [0.5, 1, 4, 8], "relevance_threshold": 1},
    {"gain": lambda label: label + 0.1, "discount": lambda rank: 1 / rank},
    {"discount": lambda rank: rank % 3},
]


def total_gain_at_the_largest_weight(arguments, options):
    """All gains of a query, each as if it stood where the weight is largest."""
    options = {name: value for name, value in options.items() if name not in ("k", "log_base")}
    options["discount"] = lambda rank: np.full(rank.shape, 4.0)  # log10 weighs rank 1 by 3.32
    return rs.dcg_score(**arguments, **options, average=None)


RELEVANCE_OPTIONS: list[dict[str, Any]] = [
    {},
    {"relevance_threshold": 2},
    {"relevance_threshold": 0},
    {"replace_undefined_by": 0.5},
]


def one(arguments, options):
    """No query scores more than a perfect ranking."""
    return 1.0


def length_of_the_longest(arguments, options):
    """The number of items of the longest query, those included that take no part."""
    if "qid" in arguments:
        return np.unique(arguments["qid"], return_counts=True)[1].max()
    if "y_score" not in arguments:
        return arguments["y_true"].y_score.shape[1]
    if is_list_column(arguments["y_score"]):
        return max(map(len, arguments["y_score"]))
    return arguments["y_score"].shape[1]


SCORES = {
    "dcg_score": Score(
        rs.dcg_score,
        options=[*GAIN_OPTIONS, {"log_base": 10}],
        upper_bound=total_gain_at_the_largest_weight,
        is_monotone_in_k=True,
    ),
    "ndcg_score": Score(
        rs.ndcg_score,
        options=[*GAIN_OPTIONS, {"replace_undefined_by": 0.5}],
        upper_bound=one,
        is_monotone_in_k=False,
    ),
    "hit_rate_score": Score(
        rs.hit_rate_score,
        options=RELEVANCE_OPTIONS,
        upper_bound=one,
        is_monotone_in_k=True,
        is_k_optional=False,
    ),
    "alpha_ndcg_score": Score(
        rs.alpha_ndcg_score,
        options=[*RELEVANCE_OPTIONS, {"alpha": 0}, {"alpha": 0.9}],
        upper_bound=one,
    ),
    "all_relevant_at_k_score": Score(
        rs.all_relevant_at_k_score,
        options=RELEVANCE_OPTIONS,
        upper_bound=one,
        is_monotone_in_k=True,
        is_k_optional=False,
    ),
    "average_relevant_position": Score(
        rs.average_relevant_position,
        options=[
            {},
            {"relevance_threshold": 2},
            {"replace_undefined_by": 0.5},
        ],
        upper_bound=length_of_the_longest,
        needs_all_ranked=True,
    ),
    "precision_at_k_score": Score(
        rs.precision_at_k_score,
        options=[*RELEVANCE_OPTIONS, {"denominator": "retrieved"}],
        upper_bound=one,
        is_monotone_with_one_relevant_item=False,
        is_k_optional=False,
    ),
    "recall_at_k_score": Score(
        rs.recall_at_k_score,
        options=RELEVANCE_OPTIONS,
        upper_bound=one,
        is_monotone_in_k=True,
    ),
    "recall_at_k_score, achievable": Score(
        partial(rs.recall_at_k_score, denominator="achievable"),
        options=RELEVANCE_OPTIONS,
        upper_bound=one,
    ),
    "f1_at_k_score": Score(
        rs.f1_at_k_score,
        options=[*RELEVANCE_OPTIONS, {"beta": 0}, {"beta": 0.3}, {"beta": 3}, {"beta": np.inf}],
        upper_bound=one,
        is_monotone_with_one_relevant_item=False,
        is_none_a_cutoff=False,
    ),
    "mean_average_precision_score": Score(
        rs.mean_average_precision_score,
        options=RELEVANCE_OPTIONS,
        upper_bound=one,
        is_monotone_in_k=True,
    ),
    "mean_average_precision_score, achievable": Score(
        partial(rs.mean_average_precision_score, denominator="achievable"),
        options=RELEVANCE_OPTIONS,
        upper_bound=one,
    ),
    "mean_reciprocal_rank_score": Score(
        rs.mean_reciprocal_rank_score,
        options=RELEVANCE_OPTIONS,
        upper_bound=one,
        is_monotone_in_k=True,
    ),
    "expected_reciprocal_rank_score": Score(
        partial(rs.expected_reciprocal_rank_score, max_grade=3),
        options=[{}, {"relevance_threshold": 2}, {"replace_undefined_by": 0.5}],
        upper_bound=one,
        is_monotone_in_k=True,
    ),
    "rank_biased_precision_score": Score(
        rs.rank_biased_precision_score,
        options=[*RELEVANCE_OPTIONS, {"persistence": 0.99}],
        upper_bound=one,
        is_monotone_in_k=True,
    ),
    "grouped_auc_score": Score(
        rs.grouped_auc_score,
        options=RELEVANCE_OPTIONS,
        upper_bound=one,
    ),
    "pairwise_accuracy_score": Score(
        rs.pairwise_accuracy_score,
        options=[{}, {"replace_undefined_by": 0.25}],
        upper_bound=one,
    ),
    "judged_at_k_score": Score(
        rs.judged_at_k_score,
        options=[{}, {"denominator": "retrieved"}, {"replace_undefined_by": 0.5}],
        upper_bound=one,
        is_monotone_with_one_relevant_item=False,
        is_k_optional=False,
        falls_between=(3, 4),
        tells_judged=True,
    ),
    "bpref_score": Score(
        rs.bpref_score, options=RELEVANCE_OPTIONS, upper_bound=one, tells_judged=True
    ),
}
"""The scores that have something of their own."""


def plain(metric):
    """Return the row of a score of relevant items that has nothing of its own."""
    score = Score(
        metric.function,
        options=RELEVANCE_OPTIONS,
        upper_bound=lambda arguments, options: metric.range[1],
    )
    if not score.takes_k:
        return score
    once, twice = metric.function([[1, 0, 1]], [[3, 2, 1]], k=[1, 2])
    is_k_optional = score.parameters["k"].default is not inspect.Parameter.empty
    return replace(score, is_monotone_in_k=once <= twice, is_k_optional=is_k_optional)


SCORES |= {
    metric.function.__name__: plain(metric)
    for metric in METRICS
    if metric.function.__name__ not in SCORES
}


# --- random queries ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """What a law is about: a score, a layout, options, and random queries."""

    score: Score
    arrange: Callable[..., dict[str, Any]]
    options: dict[str, Any]
    queries: list[tuple[np.ndarray, np.ndarray]]
    rng: np.random.Generator
    is_one_hot: bool
    """Whether one item of a query is relevant, as with class labels."""

    def value(self, queries=None, weights=None, **options):
        """Return the score of `queries`, by default of those of the case."""
        arguments = self.arguments(self.queries if queries is None else queries, weights)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)
            return self.score.func(**arguments, **self.options | options)

    def arguments(self, queries, weights=None):
        """Return the arguments of some queries. Zeros that were judged are stored."""
        arguments = self.arrange(queries, weights)
        return with_zeros(arguments) if self.score.tells_judged else arguments

    def per_query(self, queries=None, **options):
        return self.value(queries, average=None, **options)

    def without(self, *names):
        """Return the same case without some options."""
        options = {name: value for name, value in self.options.items() if name not in names}
        return replace(self, options=options)


def with_zeros(arguments):
    """Return arguments in which sparse labels store all labels but those that are NaN."""
    if not sp.issparse(arguments["y_true"]):
        return arguments
    labels = arguments["y_true"].toarray()
    row, column = np.nonzero(~np.isnan(labels))
    stored = sp.coo_array((labels[row, column], (row, column)), labels.shape)
    return arguments | {"y_true": stored}


def random_case(pick, score, layout):
    """Queries of few distinct scores, as short as one item and long enough for every path.

    `pick` takes one of several values, which may be a range.
    """
    rng = np.random.default_rng(pick(range(2**32)))
    longest = pick([1, 2, 5, 9, 60])
    n_queries = pick(range(1, 7))
    takes_weights = "item_weight" in inspect.signature(score.func).parameters
    arrangements = [
        arrange
        for arrange in LAYOUTS[layout]
        if (takes_weights or not hasattr(arrange, "has_item_weight"))
        and not (score.needs_all_ranked and arrange in BUT_FOR_GRADE_3)
    ]
    arrange = pick(arrangements)
    if takes_any_lengths(arrange) and layout != "class labels":
        lengths = rng.integers(1, longest + 1, n_queries)
    else:
        lengths = np.full(n_queries, longest + (layout == "class labels"))
    n_scores = pick([1, 2, 4, 1000])
    score_dtype = pick([np.float64, np.float32, np.float16, np.int64, np.uint8])
    label_dtype = pick([np.float64, np.int8, np.uint64])
    share_relevant = pick([0.1, 0.7])
    queries = []
    for n in lengths:
        if layout == "class labels":
            labels = np.arange(n) == rng.integers(n)
        else:
            labels = rng.integers(1, 4, n) * (rng.random(n) < share_relevant)
        scores = rng.integers(0, n_scores, n)
        labels = labels.astype(label_dtype)
        if score.tells_judged and labels.dtype.kind == "f" and layout != "class labels":
            labels[rng.random(n) < 0.3] = np.nan
        queries.append((labels, scores.astype(score_dtype)))
    options = dict(pick(score.options))
    if score.takes_k:
        options["k"] = pick([1, 2, 3, 10, 100] + [None] * score.is_k_optional)
    if score.takes_ignore_ties:
        options["ignore_ties"] = pick([False, True])
    return Case(score, arrange, options, queries, rng, is_one_hot=layout == "class labels")


@st.composite
def cases(draw, score, layout):
    """Cases that Hypothesis draws, and simplifies when a law is broken."""
    return random_case(lambda values: draw(st.sampled_from(values)), score, layout)


def make_blocks_small(patch):
    """Cut few queries into several blocks, and take the way of long rows in short ones."""
    patch.setattr(_blocks, "_BLOCK_CELLS", 16)
    patch.setattr(_blocks, "_WIDE_BLOCK_ROWS", 2)
    patch.setattr(_rows, "_TOP_BLOCK_CELLS", 64)
    patch.setattr(_top_k_candidates, "_SHORT", 1)
    patch.setattr(_top_k_candidates, "_WORTH_WHILE", 4)
    patch.setattr(_top_k_candidates, "SHORT_SINGLE", 4)
    patch.setattr(_profiles, "SHORT_SINGLE", 4)
    patch.setattr(_pairs, "_FEW", 1)
    patch.setattr(_counting, "_FEWEST_CELLS", 0)
    patch.setattr(_counting, "_WIDE", 2)
    patch.setattr(_top_k_candidates, "_CHUNK", 128)
