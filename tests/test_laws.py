"""The laws that every score obeys in every layout: one table, no blanks.

A law is a function of a `Case`: a score, a layout, options and random queries. Each stands in
`LAWS`, and every one of them runs for every score in `SCORES` and every layout in `LAYOUTS`.
`test_law` tries it on two cases, which are the same in every run, and `test_law_on_many_cases`,
which is slow, on more, which Hypothesis draws. Two tests at the end fail when a public score or a
layout is missing there.
"""

from __future__ import annotations

import importlib.util
import inspect
import itertools
import math
import random
import re
import warnings
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from unittest import mock

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from joblib import parallel_config
from sklearn.exceptions import UndefinedMetricWarning
from warned import nothing_to_rank

import ranking_scores as rs
from ranking_scores import _queries
from ranking_scores._metrics import _pairs, _profiles
from ranking_scores._queries import _blocks, _rows, _top_k_candidates
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.tables import from_lists, from_tables
from ranking_scores.unjudged import score_bounds

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
    takes_retrieved: bool = True

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
    if _queries.is_list_column(arguments["y_score"]):
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
    "r_precision_score": Score(rs.r_precision_score, options=RELEVANCE_OPTIONS, upper_bound=one),
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
        takes_retrieved=False,
    ),
    "pairwise_accuracy_score": Score(
        rs.pairwise_accuracy_score,
        options=[{}, {"replace_undefined_by": 0.25}],
        upper_bound=one,
        takes_retrieved=False,
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
    patch.setattr(_top_k_candidates, "_CHUNK", 128)


# --- the laws ---------------------------------------------------------------------------------


def permuting_queries_permutes_the_values_and_keeps_the_mean(case):
    order = case.rng.permutation(len(case.queries))
    permuted = [case.queries[index] for index in order]
    assert_same_bits(case.per_query(permuted), case.per_query()[order])
    assert_same_bits(case.value(permuted), case.value())


def permuting_items_changes_nothing(case):
    case = case.without("ignore_ties")
    permuted = []
    for labels, scores in case.queries:
        order = case.rng.permutation(labels.size)
        permuted.append((labels[order], scores[order]))
    assert_close(case.per_query(permuted), case.per_query())


def increasing_transforms_of_the_scores_change_nothing(case):
    expected = case.per_query()
    for transform in (
        lambda scores: np.exp(scores.astype(np.float64) / 1e3),
        lambda scores: scores.astype(np.int64) * 2**52 - 2**62,
        lambda scores: scores.astype(np.longdouble) * 3 - 1,
    ):
        transformed = [(labels, transform(scores)) for labels, scores in case.queries]
        assert_same_bits(case.per_query(transformed), expected)


def a_query_twice_is_a_weight_of_two(case):
    weights = np.ones(len(case.queries))
    weights[0] = 2
    twice = [case.queries[0], *case.queries]
    assert_close(case.value(weights=weights), case.value(twice))


def a_weight_of_zero_is_absence(case):
    queries = [case.queries[0], *case.queries]
    weights = case.rng.random(len(queries)) + 0.1
    weights[0] = 0
    assert_same_bits(case.value(queries, weights), case.value(weights=weights[1:]))


def equal_scores_are_the_mean_over_all_orders(case):
    labels = np.sort(case.queries[0][0])[::-1][:5]
    in_order = [(labels, np.array(order)) for order in itertools.permutations(range(labels.size))]
    [expected] = case.without("ignore_ties").per_query([(labels, np.zeros(labels.size))])
    assert_close(case.per_query(in_order).mean(), expected)


def a_batch_equals_its_queries_alone(case):
    alone = [case.per_query([query])[0] for query in case.queries]
    assert_same_bits(case.per_query(), alone)


def every_layout_gives_the_same_bits(case):
    queries = case.queries
    if case.arrange in BUT_FOR_GRADE_3:  # the others do not know what was not found
        queries = [(labels[labels != 3], scores[labels != 3]) for labels, scores in queries]
        queries = [query for query in queries if query[0].size] or [(np.ones(1), np.ones(1))]
    if len({labels.size for labels, _ in queries}) > 1:
        # Take as many items of each query as the shortest has.
        shortest = min(labels.size for labels, _ in queries)
        queries = [(labels[:shortest], scores[:shortest]) for labels, scores in queries]
    others = [dense, sparse_labels, ragged, sorted_ragged, lists]
    others += [masked(dense), masked(sparse_labels)]
    others += [retrieved, tables_by_ids, dicts_by_ids] * case.score.takes_retrieved
    per_query, mean = case.per_query(queries), case.value(queries)
    for arrange in others:
        other = replace(case, arrange=arrange)
        assert_same_bits(other.per_query(queries), per_query)
        assert_same_bits(other.value(queries), mean)


def a_cutoff_in_a_list_equals_that_cutoff_alone(case):
    if not case.score.takes_k:
        with pytest.raises(TypeError, match=r"'k' parameter of .* must be left out"):
            case.value(k=1)
        return
    cutoffs = [3, *[None] * case.score.is_k_optional, 10**20, 1, 60, 2, 3]
    per_query = case.per_query(k=cutoffs)
    means = case.value(k=cutoffs)
    assert per_query.shape == (len(case.queries), len(cutoffs))
    for column, k in enumerate(cutoffs):
        assert_same_bits(per_query[:, column], case.per_query(k=k))
        assert_same_bits(means[column], case.value(k=k))
    if case.score.is_k_optional and case.score.is_none_a_cutoff:
        assert_same_bits(case.per_query(k=10**20), case.per_query(k=None))


def what_stands_beyond_the_end_of_a_query_or_is_masked_has_no_effect(case):
    # The masked arrangements are full of ignored; every law is about it too.
    expected = case.per_query()
    n_items = 90 if takes_any_lengths(case.arrange) else case.queries[-1][0].size
    labels = np.eye(n_items)[0] if case.is_one_hot else np.full(n_items, 3.0)
    ignored = (labels, np.full(n_items, 1e300))
    assert_same_bits(case.per_query([*case.queries, ignored])[:-1], expected)


def monotone_in_k_where_it_must_be(case):
    if not case.score.takes_k:
        return
    if case.score.is_monotone_in_k or (
        case.is_one_hot and case.score.is_monotone_with_one_relevant_item
    ):
        case = case.without("discount")
        curve = case.per_query(k=range(1, 70))
        assert (np.diff(curve, axis=1) >= 0).all()
    else:  # the second rank adds to what is possible, and here nothing to what is reached
        query = np.array([1, 0, 1]), np.array([3, 2, 1])
        curve = case.score.func(**case.arguments([query]), k=case.score.falls_between)
        assert curve[1] < curve[0]


def values_stay_within_their_bounds(case):
    values = case.per_query()
    is_value = ~np.isnan(values)
    assert is_value.all() or case.score.is_undefined_nan
    bound = case.score.upper_bound(case.arguments(case.queries), case.options)
    assert ((values >= 0) & (values <= bound))[is_value].all()


def what_is_left_out_as_hopeless_changes_nothing(case):
    expected = case.per_query()
    with mock.patch.object(_blocks, "top_k_candidates", return_value=None):
        assert_same_bits(case.per_query(), expected)


def threads_change_nothing(case):
    queries = [query for query in case.queries for _ in range(8)]
    expected = case.per_query(queries), case.value(queries)
    with pytest.MonkeyPatch.context() as patch, parallel_config(n_jobs=3):
        make_blocks_small(patch)
        patch.setattr("joblib.cpu_count", lambda: 3)
        assert_same_bits(case.per_query(queries), expected[0])
        assert_same_bits(case.value(queries), expected[1])


# --- the laws of unknown labels: what they could do to a score ---------------------------------


def bounds_of(case, arguments, **options):
    """Return the bounds of a score, over labels up to 3."""
    given = {**arguments, **case.options, "average": None, **options}
    return score_bounds(**given, score=case.score.func, max_grade=3)


def has_bounds(case, arguments):
    """Whether a score has bounds. Weights of items and discounts that rise are refused by name."""
    if "item_weight" in arguments:
        with pytest.raises(ValueError, match="'item_weight'"):
            bounds_of(case, arguments)
        return False
    if case.options.get("discount") is not GAIN_OPTIONS[-1]["discount"]:
        return True
    try:  # it does not rise if no query has a third item
        bounds_of(case, arguments)
    except InvalidParameterError as error:
        return bool(error.parameter != "discount")
    return True


def hide(case, queries, share=0.4):
    """Return queries of which some labels are unknown, as float64."""
    hidden = []
    for labels, scores in queries:
        floats = labels.astype(np.float64)
        floats[case.rng.random(floats.size) < share] = np.nan
        hidden.append((floats, scores))
    return hidden


def complete(case, queries):
    """Return queries with a label from 0 to 3 in place of each that is unknown."""
    n_grades = 3 if case.arrange in BUT_FOR_GRADE_3 else 4  # else it is not retrieved
    return [
        (np.where(np.isnan(labels), case.rng.integers(0, n_grades, labels.size), labels), scores)
        for labels, scores in queries
    ]


def completions_are_within_the_bounds(case):
    queries = case.queries if case.is_one_hot else hide(case, case.queries)
    arguments = with_zeros(case.arrange(queries))
    if not has_bounds(case, arguments):
        return
    bounds = bounds_of(case, arguments)
    for _ in range(3):
        completed = arguments
        if not (case.is_one_hot or case.score.func is rs.judged_at_k_score):
            completed = with_zeros(case.arrange(complete(case, queries)))
        values = case.score.func(**completed, **case.options, average=None)
        assert (~(values < bounds.low - TOLERANCE) & ~(values > bounds.high + TOLERANCE)).all()
        is_defined = np.isnan(bounds.low) <= np.isnan(values)
        assert is_defined.all()


def known_labels_have_bounds_of_the_same_bits(case):
    queries = [
        (np.nan_to_num(labels) if labels.dtype.kind == "f" else labels, scores)
        for labels, scores in case.queries
    ]
    arguments = with_zeros(case.arrange(queries))
    if not has_bounds(case, arguments):
        return
    expected = case.score.func(**arguments, **case.options, average=None)
    bounds = bounds_of(case, arguments)
    for each in (bounds.low, bounds.high, bounds.not_relevant, bounds.condensed):
        assert_same_bits(each, expected)
    assert not bounds.n_unjudged.any()
    assert bounds.is_exact.all()


def more_labels_never_widen_the_bounds(case):
    if case.is_one_hot or case.score.func is rs.judged_at_k_score:  # which has no range
        return
    queries = hide(case, case.queries)
    arguments = with_zeros(case.arrange(queries))
    if not has_bounds(case, arguments):
        return
    bounds = bounds_of(case, arguments)
    some = [
        (np.where(case.rng.random(labels.size) < 0.5, full, labels), scores)
        for (labels, scores), (full, _) in zip(queries, complete(case, queries), strict=True)
    ]
    narrower = bounds_of(case, with_zeros(case.arrange(some)))
    assert (narrower.n_unjudged <= bounds.n_unjudged).all()
    assert (~(narrower.low < bounds.low - TOLERANCE)).all()
    assert (~(narrower.high > bounds.high + TOLERANCE)).all()


LAWS = [
    permuting_queries_permutes_the_values_and_keeps_the_mean,
    permuting_items_changes_nothing,
    increasing_transforms_of_the_scores_change_nothing,
    a_query_twice_is_a_weight_of_two,
    a_weight_of_zero_is_absence,
    equal_scores_are_the_mean_over_all_orders,
    a_batch_equals_its_queries_alone,
    every_layout_gives_the_same_bits,
    a_cutoff_in_a_list_equals_that_cutoff_alone,
    what_stands_beyond_the_end_of_a_query_or_is_masked_has_no_effect,
    monotone_in_k_where_it_must_be,
    values_stay_within_their_bounds,
    what_is_left_out_as_hopeless_changes_nothing,
    threads_change_nothing,
    completions_are_within_the_bounds,
    known_labels_have_bounds_of_the_same_bits,
    more_labels_never_widen_the_bounds,
]


def hold(law, case, has_small_blocks):
    """Check a law."""
    with pytest.MonkeyPatch.context() as patch:
        if has_small_blocks:
            make_blocks_small(patch)
        law(case)


nothing_found = pytest.mark.filterwarnings("ignore:No (judged|relevant) item is among")
NOT_DENSE = ("retrieved", "by ids")

every_law = pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
every_layout = pytest.mark.parametrize("layout", LAYOUTS)
every_score = pytest.mark.parametrize("name", SCORES)


@nothing_to_rank
@nothing_found
@every_law
@every_layout
@every_score
def test_law(name, layout, law):
    if layout in NOT_DENSE and not SCORES[name].takes_retrieved:
        with pytest.raises(ValueError, match=r"must be dense\. Got a sparse"):
            SCORES[name].func(**LAYOUTS[layout][0]([(np.array([0, 1]), np.array([1.0, 2]))]))
        return

    seed = zlib.crc32(f"{name}, {layout}, {law.__name__}".encode())
    pick = random.Random(seed).choice
    for has_small_blocks in (False, True):
        hold(law, random_case(pick, SCORES[name], layout), has_small_blocks)


@pytest.mark.slow
@nothing_to_rank
@nothing_found
@every_law
@every_layout
@every_score
def test_law_on_many_cases(name, layout, law):
    if layout in NOT_DENSE and not SCORES[name].takes_retrieved:
        return  # see above

    @settings(deadline=None, max_examples=8)
    @given(case=cases(SCORES[name], layout), has_small_blocks=st.booleans())
    def holds(case, has_small_blocks):
        hold(law, case, has_small_blocks)

    holds()


def test_no_layout_is_missing_from_the_table():
    # The terms of the list at the head of the module, which says what layouts there are.
    layouts = re.findall(r"^(\w[\w ]*)\n    ", _queries.__doc__, flags=re.MULTILINE)
    assert layouts == list(LAYOUTS)
