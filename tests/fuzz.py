"""Random calls of every score, alone and through functions that take scores.

Each must be right or be refused.

::

    python tests/fuzz.py --calls 100000 --seed 1
    python tests/fuzz.py --seconds 60
    python tests/fuzz.py --seed 1 --call 4711

A call is drawn by a seed and its number: a score, the data in one of the arrangements of
`laws`, dtypes, containers, options, and the function that takes the score. It is the same
alone as among others, and on any machine, but for pyarrow, whose columns are drawn only if it is
there.

A call is valid as it is drawn. One in four is then made invalid by one of `FAULTS`, so that
nothing here asks the package what is valid. A valid call must equal `reference`, in floats, or, if
the queries are short, at times in fractions. An invalid one must raise the package's own error. No
call may raise anything else, warn of what it should not warn of, change what it was given, or keep
memory. Some calls are of the command with files, which `fuzz_files` draws.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import math
import random
import re
import secrets
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from inspect import signature
from typing import Any

import defined
import fuzz_files
import numpy as np
import pandas as pd
import polars as pl
import pytest
import reference
import scipy.sparse as sp
from fuzz_files import FailureError, FileCase
from laws import HAS_PYARROW, LAYOUTS, make_blocks_small, takes_any_lengths, with_zeros
from laws import SCORES as OF_LAWS
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import UndefinedMetricWarning
from warned import NOTHING_TO_RANK

import ranking_scores
from ranking_scores import StreamingScore, make_ranking_scorer, ranking_report, retrieved_from_ids
from ranking_scores._metrics._named import SCORES, range_of
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.tables import from_tables
from ranking_scores.ties import tie_report
from ranking_scores.unjudged import score_bounds

Options = dict[str, Any]

TOLERANCE = 1e-12
"""Definitions and package round the same sums in another order, of a few hundred terms."""
LARGEST_K = 2**63 - 2
"""What precision and F1 divide by at a cutoff beyond it."""
SHARE_INVALID = 0.25
SHARE_EXACT = 0.15
"""The share of the calls of short queries that are compared in fractions, which takes long."""
SHARE_OF_FILES = 0.04
"""The share of the calls that are calls of the command with files, which take long."""
CHECK_EVERY = 20_000
"""Calls between two looks at the memory."""
MOST_BLOCKS_PER_CALL = 0.1
MOST_GROWTH = 100 * 2**20
"""Python's blocks of memory that may stay per call, and the bytes of the process that may."""


@dataclass
class Query:
    """The items of a query that take part, and nothing else."""

    labels: list[float]
    scores: list[Any]
    """None for an item that was not retrieved."""
    weights: list[float] | None = None
    """Those of the items; items of weight 0 are among them."""


# --- functions that callers might pass --------------------------------------------------------


def shifted(label: Any) -> Any:
    return label + 0.5


def reciprocal(rank: Any) -> Any:
    return 1 / rank


def constant(rank: Any) -> Any:
    return rank * 0 + 2


def up_and_down(rank: Any) -> Any:
    return rank % 3


def scalar(values: Any) -> float:
    """Return one number for all, which is no gain and no discount."""
    return 1.0


def not_a_number(values: Any) -> Any:
    return values * np.nan


# --- what is drawn ----------------------------------------------------------------------------


@dataclass
class Case:
    """A call: what it is about, the arguments, and what the definitions need to know of them."""

    name: str
    caller: str
    queries: list[Query]
    options: Options
    cutoffs: list[int | None]
    is_single: bool
    weights: list[float] | None
    layout: str
    arrangement: str
    arguments: Options
    rng: random.Random
    arrange: Callable[..., Options] | None = None
    """Arranges some of the queries, as arrays, for streams; None: there is no such function."""
    arrays: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)
    source: Callable[..., Any] | None = None
    """Makes some of the arguments of others, the ingredients."""
    ingredients: Options = field(default_factory=dict)
    warns_of: set[type[Warning]] = field(default_factory=set)
    """What the source warns of."""
    may_rise: bool = False
    """Whether the scores of all lists rise, so that the source may warn of distances."""
    is_exact: bool = False
    """Whether it is compared in fractions, if its queries are short."""
    fault: str = ""
    error: type[Exception] | tuple[type[Exception], ...] = InvalidParameterError

    def __str__(self) -> str:
        what = f"{self.name} by {self.caller}, {self.layout} ({self.arrangement})"
        return f"{what}, {self.fault}" if self.fault else what


SHORT_NAMES = {
    score.__name__: name
    for name, score in sorted(SCORES.items())
    if score.__name__ in reference.DEFINITIONS  # `test_named` says which is not
}
NAMES = sorted(SHORT_NAMES)
PARAMETERS = {name: defined.parameters_of(defined.SCORES[name]) for name in NAMES}


def having(option: str) -> set[str]:
    """Return the names of the scores that have a parameter."""
    return {name for name in NAMES if option in PARAMETERS[name]}


GAINS = having("gain")
WITH_ITEM_WEIGHTS = having("item_weight")
WITHOUT_K = {*NAMES} - having("k")
WITH_REQUIRED_K = {name for name in NAMES if "k" in defined.needed(defined.SCORES[name])}
NEEDS_K = {name for name in NAMES if name in OF_LAWS and not OF_LAWS[name].is_k_optional}
PAIRS = {name for name in NAMES if name in OF_LAWS and not OF_LAWS[name].takes_retrieved}
NOT_BELOW_0 = {"average_relevant_position", "expected_reciprocal_rank_score", *GAINS}
"""The scores whose labels must not be negative from the threshold on."""
TELL_JUDGED = {"bpref_score", "judged_at_k_score"}
"""The scores to which a label that a sparse matrix does not store is unknown."""
CALLERS = {
    "the score": 5,
    "average=None": 5,
    "ranking_report": 2,
    "StreamingScore": 2,
    "make_ranking_scorer": 1,
    "tie_report": 2,
    "score_bounds": 2,
}
WHOLE_DTYPES = ["i1", "u1", "i2", "u4", "i8", "u8", "f2", "f4", "f8"]
MAY_BE_EMPTY = {"arrange_masked", "arrange_weighted", "lists", "lists_masked_by_weights"}
"""The arrangements in which a query may have no item, but for class labels."""
SCORE_DTYPES = ["f2", "f4", "f8", "f8", "g", "i1", "u1", "i4", "i8", "u8", "?"]


def draw(seed: int, index: int) -> Case:
    """Return one call, the same for the same numbers in every process."""
    rng = random.Random(f"{seed}, {index}")
    name = rng.choice(NAMES)
    [caller] = rng.choices(list(CALLERS), list(CALLERS.values()))
    options = draw_options(name, rng)
    layout = draw_layout(name, caller, rng)
    case = draw_data(name, caller, layout, options, rng)
    draw_cutoffs(case)
    if layout != "by ids" and rng.random() < SHARE_INVALID:  # which is read before the call
        make_invalid(case)
    return case


def draw_layout(name: str, caller: str, rng: random.Random) -> str:
    """Return one of the layouts that a score takes in such a call."""
    if caller == "make_ranking_scorer":
        return "ragged"
    shares = dict.fromkeys(LAYOUTS, 2) | {"dense": 4, "ragged": 4, "ids": 1, "tables": 0.3}
    if name in PAIRS:
        shares |= {"retrieved": 0, "by ids": 0, "ids": 0, "tables": 0}
    if caller == "StreamingScore" or name in TELL_JUDGED:
        shares |= {"ids": 0, "tables": 0}
    return rng.choices(list(shares), list(shares.values()))[0]


def draw_options(name: str, rng: random.Random) -> Options:
    """Return valid options of a score."""
    options: Options = {}

    def draw_one(option: str, values: list[Any], share: float = 0.4) -> None:
        if rng.random() < share:
            options[option] = rng.choice(values)

    thresholds = [None, 0, 1, 2, 0.5, 10**30, np.inf, np.float32(1), np.int8(2)]
    if name not in NOT_BELOW_0:
        thresholds += [-1, -np.inf]
    denominators = {"k": ["k", "retrieved"], "relevant": ["relevant", "achievable"]}
    values: dict[str, list[Any]] = {
        "ignore_ties": [True, False, np.True_],
        "relevance_threshold": thresholds,
        "gain": ["linear", "exponential", [0.5, 1, 4, 8], np.arange(4), shifted],
        "discount": ["log", reciprocal, constant, up_and_down],
        "log_base": [2, 10, 1.5, np.float32(3), math.e],
        "replace_undefined_by": [0, 1.0, 0.5, np.nan, -3],
        "alpha": [0, 0.5, 0.3, 1, np.float32(0.25)],
        "beta": [0, 1, 0.3, 2, 7.5, np.inf],
        "persistence": [0.5, 0.8, 0.99, 0.001],
    }
    for option, parameter in PARAMETERS[name].items():
        if option == "denominator":
            draw_one(option, denominators[parameter.default])
        elif option == "max_grade":
            options[option] = rng.choice([3, 4, 7])
        elif option in values:
            draw_one(option, values[option])
    if callable(options.get("discount")):  # beside which there is no base
        options.pop("log_base", None)
    return options


def draw_cutoffs(case: Case) -> None:
    """Draw the cutoffs of a case, and write them among its options."""
    name, rng = case.name, case.rng
    case.cutoffs, case.is_single = [None], True
    if name in WITHOUT_K:
        return
    needs_k = name in NEEDS_K and case.options.get("denominator") != "retrieved"
    case.is_single = case.caller == "make_ranking_scorer" or rng.random() < 0.6
    if case.is_single:
        k = rng.choice([1, 2, 3, 5, 10, 100, 2**63, 10**30, np.int8(3), *[None] * 3])
        if k is None and needs_k:
            k = 1
        case.cutoffs = [k if k is None else min(int(k), LARGEST_K)]
        if k is not None or needs_k or name in WITH_REQUIRED_K or rng.random() < 0.5:
            case.options["k"] = k
        return
    ks = rng.choices([1, 2, 3, 4, 7, 20, 1000], k=rng.randint(1, 4))
    case.cutoffs = [min(k, 255) for k in ks]
    containers = [list, tuple, np.array, pd.Series, np.uint8]
    if not needs_k and rng.random() < 0.2:
        case.cutoffs.insert(rng.randrange(len(ks) + 1), None)
        containers = containers[:3]  # the others have no None
    case.options["k"] = rng.choice(containers)(case.cutoffs)


def arrange_with_zeros(arrange: Callable[..., Options], *args: Any) -> Options:
    """Return the arguments of queries, of which all items were judged."""
    return with_zeros(arrange(*args))


def draw_lengths(rng: random.Random, most: int) -> list[int]:
    """Return the number of items of each query: mostly few, at times many."""
    longest = rng.choice([1, 2, 3, 4, 4, 4, 4, 5, 6, 9])
    if rng.random() < 0.02:
        longest = rng.choice([60, 60, 60, 200, 400, most])
    n_queries = rng.choice([1, 1, 2, 2, 3, 4, 6]) if longest < 60 else rng.choice([1, 2])
    if rng.random() < 0.005:
        n_queries = 60
    return [rng.randint(1, longest) for _ in range(n_queries)]


def draw_scores(rng: random.Random, n: int, dtype: np.dtype, n_different: int) -> np.ndarray:
    """Return scores of a dtype, often equal, at times so close that a narrower one has no room."""
    places = np.array([rng.randrange(n_different) for _ in range(n)], dtype=np.int64)
    if dtype.kind == "b":
        return places % 2 == 1
    if dtype.kind == "u":
        return np.iinfo(dtype).max - (places % 100).astype(dtype)
    if dtype.kind == "i":
        return (np.iinfo(dtype).min + places % 100).astype(dtype)
    kind = rng.choice(["plain", "negative", "close", "tiny"])
    if kind == "close":
        return (1 + places.astype(dtype) * np.finfo(dtype).eps).astype(dtype)
    if kind == "tiny":
        return places.astype(dtype) * np.finfo(dtype).smallest_subnormal
    return (places - (500 if kind == "negative" else 0)).astype(dtype)


def draw_labels(name: str, options: Options, rng: random.Random, n: int) -> list[float]:
    """Return labels that a score takes with some options."""
    share = rng.choice([0.1, 0.5, 0.9])
    labels: list[float] = [rng.randint(1, 3) * (rng.random() < share) for _ in range(n)]
    kind = rng.choice(["grades", "grades", "halves", "negative"])
    if name == "expected_reciprocal_rank_score" or not isinstance(
        options.get("gain", "linear"), (str, type(shifted))
    ):
        return labels
    if kind == "halves":
        labels = [label / 2 for label in labels]
    elif kind == "negative":
        gains_alone = name in ("ndcg_score", "average_relevant_position")
        threshold = options.get("relevance_threshold")
        if not gains_alone or (threshold is not None and threshold >= 0):
            labels = [-label if rng.random() < 0.5 else label for label in labels]
    return labels


def draw_data(name: str, caller: str, layout: str, options: Options, rng: random.Random) -> Case:
    """Return a case with data, which is valid."""
    case = Case(name, caller, [], options, [None], True, None, layout, "", {}, rng)
    if layout in ("ids", "tables"):
        arrange_retrieved(case)
        return case
    arrangements = [
        arrange
        for arrange in LAYOUTS[layout]
        if (
            (name in WITH_ITEM_WEIGHTS and caller != "score_bounds")
            or not hasattr(arrange, "has_item_weight")
        )
        and not (name == "average_relevant_position" and "grade_3" in arrange.__name__)
    ]
    arrange = rng.choice(arrangements)
    case.arrange, case.arrangement = arrange, arrange.__name__
    if name in TELL_JUDGED:
        case.arrange = partial(arrange_with_zeros, arrange)
    # With more items, numbers that define ERR are beyond floats, and names of classes not sorted.
    is_limited = name == "expected_reciprocal_rank_score" or layout == "class labels"
    most = 100 if caller == "score_bounds" else 3000  # without a cutoff it ranks each n + 1 times
    lengths = draw_lengths(rng, most=min(most, 400) if is_limited else most)
    if not takes_any_lengths(arrange) or layout == "class labels":
        lengths = [max(lengths[0], 2 if layout == "class labels" else 1)] * len(lengths)
    if arrange.__name__ in MAY_BE_EMPTY and layout != "class labels" and rng.random() < 0.2:
        lengths[rng.randrange(len(lengths))] = 0
    dtypes = SCORE_DTYPES
    if caller == "make_ranking_scorer":
        dtypes = ["f8"]
    elif case.arrangement.endswith("_masked_by_weights"):  # which makes floats of scores
        dtypes = ["f2", "f4", "f8", "i1", "i4"]
    elif layout in ("lists", "retrieved"):  # which make others of these
        dtypes = [each for each in dtypes if each not in ("g", "u8")]
    dtype = np.dtype(rng.choice(dtypes))
    label_dtype = np.dtype(rng.choice(WHOLE_DTYPES))
    n_different = rng.choice([1, 2, 3, 5, 100])
    for n in lengths:
        labels = draw_labels(name, options, rng, n)
        if hasattr(arrange, "has_item_weight"):  # beside which no sum of gains is negative
            labels = [abs(label) for label in labels]
        if layout == "class labels":
            labels = [0.0] * n
            labels[rng.randrange(n)] = 1
        case.arrays.append((np.array(labels), draw_scores(rng, n, dtype, n_different)))
    all_labels = {label for labels, _ in case.arrays for label in labels.tolist()}
    if all_labels <= {0, 1} and rng.random() < 0.2:
        label_dtype = np.dtype(bool)
    if any(label < 0 or label % 1 for label in all_labels):
        label_dtype = np.dtype("f8" if label_dtype.kind != "f" else label_dtype)
    if label_dtype == "f2" and layout in ("sparse labels", "retrieved"):
        label_dtype = np.dtype("f4")
    case.arrays = [(labels.astype(label_dtype), scores) for labels, scores in case.arrays]
    finish_data(case)
    return case


def finish_data(case: Case) -> None:
    """Draw weights, and arrange the queries."""
    rng, is_narrow = case.rng, "grade_3" in case.arrangement
    if rng.random() < 0.4:
        case.weights = [rng.choice([0, 1, 2, 0.25, 3.5]) for _ in case.arrays]
        case.weights[rng.randrange(len(case.weights))] = 1.5
    for labels, scores in case.arrays:
        as_list = scores.tolist()
        if is_narrow:
            as_list = [
                None if label == 3 else score for label, score in zip(labels, as_list, strict=True)
            ]
        weighs = [1.0] * len(as_list) if hasattr(case.arrange, "has_item_weight") else None
        case.queries.append(Query(labels.tolist(), as_list, weighs))
    if case.caller == "score_bounds" and case.layout in ("dense", "ragged", "lists"):
        case.arrays = [
            (hide_zeros(labels, rng), scores) if labels.dtype.kind == "f" else (labels, scores)
            for labels, scores in case.arrays
        ]
    assert case.arrange is not None
    weights = None if case.weights is None else np.array(case.weights)
    case.arguments = case.arrange(case.arrays, weights)
    draw_item_weights(case)


def hide_zeros(labels: np.ndarray, rng: random.Random) -> np.ndarray:
    """Return labels in which some of those that are 0 are unknown."""
    is_hidden = np.array([rng.random() < 0.3 for _ in labels], dtype=bool)
    return np.where((labels == 0) & is_hidden, labels.dtype.type(np.nan), labels)


def draw_item_weights(case: Case) -> None:
    """Give the items weights, if the layout and the score take them, and nothing else does."""
    can_have = case.layout in ("dense", "ragged") and case.arrangement in ("dense", "ragged")
    callers = ("the score", "average=None", "ranking_report", "tie_report")
    if case.name not in WITH_ITEM_WEIGHTS or not can_have or case.caller not in callers:
        return
    is_positive = all(label >= 0 for query in case.queries for label in query.labels)
    if case.rng.random() < 0.5 or not is_positive:
        return
    weights = [
        np.array([case.rng.choice([0, 1, 2, 0.5]) for _ in query.labels], dtype=float)
        for query in case.queries
    ]
    of_items = [(weight, scores) for weight, (_, scores) in zip(weights, case.arrays, strict=True)]
    assert case.arrange is not None
    case.arguments["item_weight"] = case.arrange(of_items)["y_true"]
    if case.weights is not None:  # what weighs queries without gain is another matter then
        case.weights = [1.0 if weight == 0 else weight for weight in case.weights]
        case.arguments["sample_weight"] = case.arrange(case.arrays, np.array(case.weights))[
            "sample_weight"
        ]
    for query, weight in zip(case.queries, weights, strict=True):
        query.weights = weight.tolist()


# --- what is retrieved, by ids and by tables ----------------------------------------------------


def arrange_retrieved(case: Case) -> None:
    """Draw what was judged and what was retrieved, for ids or for tables."""
    rng = case.rng
    n_items, n_queries = rng.randint(1, 6), rng.randint(1, 4)
    n_different = rng.choice([1, 2, 100])
    for _ in range(n_queries):
        labels = [int(abs(label) + 0.5) for label in draw_labels(case.name, {}, rng, n_items)]
        found = [rng.random() < 0.6 for _ in labels]
        if case.name == "average_relevant_position":
            threshold = case.options.get("relevance_threshold")
            gains = reference.gains_of(labels, reference.linear, threshold)
            found = [is_found or gain > 0 for is_found, gain in zip(found, gains, strict=True)]
        scores = [rng.randrange(n_different) - 2.0 if each else None for each in found]
        case.queries.append(Query(list(labels), scores))
    if case.layout == "ids":
        arrange_ids(case, n_items)
    else:
        arrange_tables(case, n_items)
    if rng.random() < 0.3:
        case.weights = [rng.choice([1, 2, 0.25]) for _ in case.queries]
        case.arguments["sample_weight"] = np.array(case.weights)


def arrange_ids(case: Case, n_items: int) -> None:
    """Write the queries as lists of ids, at times with scores."""
    rng, has_scores = case.rng, case.rng.random() < 0.6
    case.arrangement = "with scores" if has_scores else "in order"
    width = max(sum(score is not None for score in query.scores) for query in case.queries)
    width += rng.randrange(3)
    ids, scores = [], []
    case.may_rise = has_scores
    for query in case.queries:
        found = [item for item, score in enumerate(query.scores) if score is not None]
        rng.shuffle(found)
        row = found + [-1] * (width - len(found))
        if has_scores:
            rng.shuffle(row)
            ignored = rng.choice([np.nan, -np.inf, 0.0])
            scores.append([query.scores[item] if item >= 0 else ignored for item in row])
            in_order = [query.scores[item] for item in row if item >= 0]
            case.may_rise &= in_order == sorted(in_order)
        else:
            for place, item in enumerate(found):
                query.scores[item] = width - place
        ids.append(row)
    dtype = rng.choice(["i1", "i4", "i8"])
    of_ids = restyled(np.array(ids, dtype=dtype).reshape(len(ids), width), rng)
    of_scores = restyled(np.array(scores).reshape(len(ids), width), rng) if has_scores else None
    y_true = np.array([query.labels for query in case.queries])
    if rng.random() < 0.5:
        y_true = sp.csr_array(y_true)
    case.arguments = {"y_true": y_true}
    case.source = retrieved_from_ids
    case.ingredients = {"ids": of_ids, "scores": of_scores, "n_items": n_items}


def arrange_tables(case: Case, n_items: int) -> None:
    """Write the queries as two tables."""
    rng = case.rng
    judged, predicted = [], []
    for number, query in enumerate(case.queries):
        for item, (label, score) in enumerate(zip(query.labels, query.scores, strict=True)):
            is_judged = label != 0 or item == 0 or rng.random() < 0.5
            if is_judged:
                judged.append((number, item, label))
            if score is not None:
                predicted.append((number, item, score))
    present = sorted({item for _, item, _ in judged + predicted})
    for query in case.queries:
        query.labels = [query.labels[item] for item in present]
        query.scores = [query.scores[item] for item in present]
    rng.shuffle(judged)
    rng.shuffle(predicted)
    is_text = rng.random() < 0.5
    frames = [dict, pd.DataFrame, pl.DataFrame]
    case.arrangement = "text" if is_text else "numbers"
    tables = [
        rng.choice(frames)(as_columns(rows, value, is_text))
        for rows, value in ((judged, "label"), (predicted, "score"))
    ]
    if not predicted:  # a library would not know of what type ids are that are not there
        tables[1] = as_columns(predicted, "score", is_text)
    case.source = from_tables
    case.ingredients = {
        "judgments": tables[0],
        "predictions": tables[1],
        "query": rng.choice(["user", ("user", "user")]),
        "item": "film",
        "label": "label",
        "score": "score",
        "queries": rng.choice(["judged", "all"]),
    }
    if predicted and not {row[1] for row in judged} & {row[1] for row in predicted}:
        case.warns_of = {UserWarning}


def as_columns(rows: list[tuple[int, int, float]], value: str, is_text: bool) -> Options:
    """Return rows of queries, items and values as columns."""
    queries = [row[0] for row in rows]
    items = [row[1] for row in rows]
    kind: Any = "i8"
    if is_text:
        queries, items = [f"user {each:03}" for each in queries], [f"{each:03}" for each in items]
        kind = object
    return {
        "user": np.array(queries, dtype=kind),
        "film": np.array(items, dtype=kind),
        value: np.array([row[2] for row in rows], dtype=float),
    }


# --- containers ---------------------------------------------------------------------------------


def as_fortran(array: np.ndarray) -> Any:
    return np.asfortranarray(array)


def strided(array: np.ndarray) -> Any:
    twice = np.repeat(array, 2, axis=-1)
    return twice[..., ::2]


def backwards(array: np.ndarray) -> Any:
    return array[..., ::-1].copy()[..., ::-1]


def read_only(array: np.ndarray) -> Any:
    array = array.copy()
    array.flags.writeable = False
    return array


def swapped_bytes(array: np.ndarray) -> Any:
    return array.astype(array.dtype.newbyteorder("S"))


def unaligned(array: np.ndarray) -> Any:
    buffer = np.empty(array.nbytes + 1, dtype="u1")
    moved = np.frombuffer(buffer.data, array.dtype, offset=1, count=array.size)
    moved = moved.reshape(array.shape)
    moved[...] = array
    return moved


def never_masked(array: np.ndarray) -> Any:
    return np.ma.masked_array(array)


def as_list(array: np.ndarray) -> Any:
    return array.tolist()


def as_pandas(array: np.ndarray) -> Any:
    return pd.Series(array) if array.ndim == 1 else pd.DataFrame(array)


def as_polars(array: np.ndarray) -> Any:
    return pl.Series(array) if array.ndim == 1 else pl.DataFrame(array)


def as_arrow(array: np.ndarray) -> Any:
    import pyarrow as pa

    return pa.array(array)


STYLES = [as_fortran, strided, backwards, read_only, swapped_bytes, unaligned, never_masked]


def restyled(array: np.ndarray, rng: random.Random) -> Any:
    """Return an array in another container, or with the same values in another place."""
    if not array.size or array.ndim == 0:
        return array
    styles: list[Callable[[np.ndarray], Any]] = [*STYLES]
    char = array.dtype.char
    if char in "OU":
        styles = [as_fortran, strided, backwards, read_only, as_list]
    elif char != "g":
        styles += [as_list, as_pandas]
        if char != "e":
            styles.append(as_polars)
            styles += [as_arrow] * (HAS_PYARROW and array.ndim == 1)
    return rng.choice(styles)(array)


def restyle(case: Case) -> None:
    """Change the containers of some arguments of a valid case."""
    for name, value in case.arguments.items():
        if type(value) is np.ndarray and case.rng.random() < 0.4:
            is_classes = case.layout == "class labels"
            styled = restyled(value, case.rng)
            if is_classes and isinstance(styled, (pd.DataFrame, pl.DataFrame)):
                continue  # whose columns would have names
            case.arguments[name] = styled
    y_score = case.arguments.get("y_score")
    if case.layout == "ragged" and isinstance(y_score, np.ndarray) and case.rng.random() < 0.1:
        case.arguments["y_score"] = y_score[:, None]


# --- faults -------------------------------------------------------------------------------------

Fault = Callable[[Case], bool]


def bad_k(case: Case) -> bool:
    if case.name in WITHOUT_K:
        return False
    values = [0, -1, 1.5, 2.0, True, "10", [], [1, 0], [1, True], [[1, 2]], np.array([1.0]), {3}]
    values += [np.nan, np.array(0), [1, "2"], b"1"]
    if case.name in NEEDS_K and "denominator" not in PARAMETERS[case.name]:
        values.append(None)
    case.options["k"] = case.rng.choice(values)
    return True


BAD_OPTIONS: dict[str, list[Any]] = {
    "ignore_ties": [1, None, "yes", 0.0, np.array([True])],
    "relevance_threshold": ["1", np.nan, True, 10**400, [1], 1j],
    "replace_undefined_by": ["1", None, True, [1], 1j],
    "gain": ["linar", None, 3, [], [[1, 2]], ["a"], [0, np.nan, 1, 1], scalar],
    "discount": ["lg", None, 2, scalar, not_a_number],
    "log_base": [1, 0, -2, 0.5, np.inf, np.nan, "e", None, True],
    "denominator": ["K", None, 1, ["k"], ""],
    "alpha": [-0.1, 1.5, np.nan, np.inf, "0.5", None, True],
    "beta": [-1, -1e-300, np.nan, "1", None, True, [1.0]],
    "persistence": [0, 1, 1.5, -0.1, np.nan, np.inf, "0.8", None, True],
    "max_grade": [0, -1, 2.0, None, True, "4", 1001, 10**30],
}


def bad_option(case: Case) -> bool:
    option = case.rng.choice(list(BAD_OPTIONS))
    if option not in PARAMETERS[case.name]:
        return False
    value = case.rng.choice(BAD_OPTIONS[option])
    if option == "gain" and value is scalar:  # which is not called where nothing can gain
        case.options.pop("relevance_threshold", None)
        has_ranked = any(score is not None for query in case.queries for score in query.scores)
        if "item_weight" in case.arguments or not has_ranked:
            return False
    case.options[option] = value
    return True


def bad_average(case: Case) -> bool:
    case.options["average"] = case.rng.choice(["macro", False, ["samples"], 1, "Samples"])
    return True


def unknown_keyword(case: Case) -> bool:
    case.options[case.rng.choice(["kk", "weight", "y_pred", "gains"])] = 1
    # Python refuses it of a score, the package where it passes the parameters on.
    direct = case.caller in ("the score", "average=None")
    case.error = TypeError if direct else InvalidParameterError
    return True


def not_finite(case: Case) -> bool:
    """Put a number that is none where an item takes part."""
    if case.layout in ("ids", "tables") or case.arrange is None or has_item_weight(case):
        return False
    number = case.rng.randrange(len(case.arrays))
    labels, scores = case.arrays[number]
    if not labels.size:
        return False
    is_narrow = "grade_3" in case.arrangement
    place = case.rng.randrange(len(labels))
    bad = case.rng.choice([np.nan, np.inf, -np.inf])
    if case.layout != "class labels" and not is_narrow and case.rng.random() < 0.5:
        labels = labels.astype("f8")
        labels[place] = np.inf if case.name in TELL_JUDGED else bad
    else:
        if is_narrow and labels[place] == 3:
            return False
        scores = scores.astype("f8")
        scores[place] = bad
    case.arrays = [
        (labels, scores) if each == number else pair for each, pair in enumerate(case.arrays)
    ]
    weights = None if case.weights is None else np.array(case.weights)
    case.arguments = case.arrange(case.arrays, weights)
    return True


def has_item_weight(case: Case) -> bool:
    return case.arrangement in ("dense", "ragged") and "item_weight" in case.arguments


def bad_weights(case: Case) -> bool:
    """Give weights that are none, or of another number."""
    n = len(case.arguments.get("qid", case.queries))
    good = [1.0] * n
    bad = [-1.0, np.nan, np.inf, -np.inf]
    choices: list[Any] = [[*good[:-1], each] for each in bad]
    choices += [[0.0] * n, [1.0] * (n + 1), [[1.0]] * n, 2.0, ["a"] * n, [1j] * n, [None] * n]
    choices += [np.array(good, dtype=object), []]
    case.arguments["sample_weight"] = case.rng.choice(choices)
    return True


def other_shape(case: Case) -> bool:
    """Cut the scores, or add an axis to them."""
    y_score = case.arguments.get("y_score")
    if not isinstance(y_score, np.ndarray):
        return False
    if case.layout == "class labels" and "labels" not in case.arguments:
        return False
    more = [y_score, y_score[:1]]
    choices = [np.concatenate(more), y_score[None, :, None], y_score[:0]]
    if y_score.ndim == 2:
        choices += [y_score[:, :-1], y_score.T[:, :, None]]
    else:
        choices.append(np.stack([y_score, y_score], axis=1))
    case.arguments["y_score"] = case.rng.choice(choices)
    return True


def other_dtype(case: Case) -> bool:
    """Make an array of something that is no real number."""
    names = ["y_true", "y_score"] if case.layout != "class labels" else ["y_score"]
    name = case.rng.choice(names)
    array = case.arguments.get(name)
    if not isinstance(array, np.ndarray):
        return False
    kind = case.rng.choice([object, "U9", "c16", "S9", "M8[s]", "m8[s]"])
    finite = np.nan_to_num(array.astype("f8"), nan=0, posinf=0, neginf=0)
    case.arguments[name] = np.clip(finite, -99, 99).astype("i8").astype(kind)
    return True


def missing_data(case: Case) -> bool:
    name = case.rng.choice(["y_true", "y_score"])
    case.arguments[name] = case.rng.choice([None, 1, "a", {1: 2}, [], [[]], np.empty((0, 3))])
    return True


def bad_qid(case: Case) -> bool:
    if "qid" not in case.arguments:
        if case.layout not in ("lists", "retrieved", "ids", "tables"):
            return False
        case.arguments["qid"] = np.zeros(len(case.queries))
        return True
    qid = case.arguments["qid"]
    missing = qid.astype(object)
    missing[0] = case.rng.choice([None, np.nan])
    choices = [missing, qid[:-1], np.append(qid, qid[:1]), qid[None], 5]
    if qid.size > 1:
        mixed = qid.astype(object)
        mixed[0] = 1 if qid.dtype.kind == "U" else "a"
        choices.append(mixed)
    case.arguments["qid"] = case.rng.choice(choices)
    return True


def bad_where(case: Case) -> bool:
    if case.layout not in ("dense", "sparse labels", "class labels"):
        case.arguments["where"] = np.ones(2, bool)
        return True
    shape = case.arguments["y_score"].shape
    choices = [np.ones(shape), np.ones(shape, "u1"), np.ones((*shape, 1), bool)]
    choices += [np.ones(shape[0] + 1, bool), np.ones(shape, object), sp.csr_array(np.ones(shape))]
    case.arguments["where"] = case.rng.choice(choices)
    return True


def bad_item_weight(case: Case) -> bool:
    if case.name not in WITH_ITEM_WEIGHTS:
        return False
    y_score = case.arguments.get("y_score")
    if case.layout == "class labels":
        case.arguments["item_weight"] = np.ones(y_score.shape)
        return True
    if not isinstance(y_score, np.ndarray) or "masked" in case.arrangement.replace("_", " "):
        return False
    weights = np.ones(y_score.shape)
    bad = weights.copy()
    bad.flat[case.rng.randrange(bad.size)] = case.rng.choice([-1.0, np.nan, np.inf])
    choices: list[Any] = [weights[:-1], weights[None], 1.0, weights.astype(str)]
    if case.layout != "lists":
        choices.append(bad)
    case.arguments["item_weight"] = case.rng.choice(choices)
    return True


def bad_label(case: Case) -> bool:
    """Put a label that a score does not take where an item takes part."""
    if case.layout not in ("dense", "ragged", "sparse labels") or case.arrange is None:
        return False
    if has_item_weight(case):
        return False
    if case.name == "expected_reciprocal_rank_score":
        bad = case.rng.choice([8, 0.5, 1e308])
    elif case.name in ("ndcg_score", "average_relevant_position"):
        bad = -1.0
    else:
        return False
    case.options.pop("relevance_threshold", None)
    if case.options.get("gain", "linear") is shifted:
        bad = -2.0
    number = case.rng.randrange(len(case.arrays))
    labels, scores = case.arrays[number]
    if not labels.size:
        return False
    labels = labels.astype("f8")
    labels[case.rng.randrange(len(labels))] = bad
    case.arrays = [
        (labels, scores) if each == number else pair for each, pair in enumerate(case.arrays)
    ]
    weights = None if case.weights is None else np.array(case.weights)
    case.arguments = case.arrange(case.arrays, weights)
    return True


def bad_classes(case: Case) -> bool:
    if case.layout != "class labels":
        case.arguments["labels"] = [1, 2]
        return True
    labels = case.arguments["labels"]
    twice = labels.copy()
    twice[0] = twice[-1]
    unknown = np.char.replace(labels, "class", "other")
    case.arguments["labels"] = case.rng.choice(
        [labels[::-1].copy(), twice, labels[:-1], unknown, np.arange(len(labels)), labels[None]]
    )
    return True


def masked_elements(case: Case) -> bool:
    name = case.rng.choice(["y_true", "y_score"])
    array = case.arguments.get(name)
    if not isinstance(array, np.ndarray) or array.dtype.kind == "U":
        return False
    case.arguments[name] = np.ma.masked_array(
        array, np.arange(array.size).reshape(array.shape) < 1
    )
    return True


def bad_sparse(case: Case) -> bool:
    """Store what was retrieved in a format that loses zeros, or twice, or nowhere."""
    if case.layout != "retrieved" or case.name == "average_relevant_position":
        return False
    y_score = case.arguments["y_score"].tocsr()
    if not y_score.nnz:
        return False
    coo = y_score.tocoo()
    row, column = np.append(coo.row, coo.row[:1]), np.append(coo.col, coo.col[:1])
    twice = sp.coo_array((np.append(coo.data, coo.data[:1]), (row, column)), coo.shape)
    outside = sp.csr_array(y_score, copy=True)
    outside.indices[0] = case.rng.choice([-1, outside.shape[1]])
    diagonal = sp.dia_array((np.ones((1, y_score.shape[1])), [0]), y_score.shape)
    choices = [twice, outside, diagonal, y_score.tobsr(), y_score.astype("c16")]
    case.arguments["y_score"] = case.rng.choice(choices)
    return True


def retrieved_pairs(case: Case) -> bool:
    y_score = case.arguments.get("y_score")
    if case.name not in PAIRS or not isinstance(y_score, np.ndarray) or y_score.ndim != 2:
        return False
    case.arguments["y_score"] = sp.csr_array(np.ones(y_score.shape))
    return True


def bad_ids(case: Case) -> bool:
    """Make ids or scores invalid that sparse scores are made of."""
    if case.source is not retrieved_from_ids:
        return False
    rng, given = case.rng, case.ingredients
    ids = np.array([[0, *row] for row in np.asarray(given["ids"]).clip(-1, -1).tolist()])
    scores = np.ones(ids.shape)
    bad_scores = [np.full(ids.shape, np.nan), np.full(ids.shape, np.inf), scores[:, :0]]
    bad_scores += [scores[0], scores.astype(str), scores.astype(object), 1.0]
    twice, beyond, below, gap = (np.insert(ids, 1, -1, axis=1) for _ in range(4))
    twice[-1, :2], beyond[-1, 0], below[-1, 0] = 0, given["n_items"], -2
    gap[-1, :2] = [-1, 0]
    kind = rng.randrange(3)
    if kind == 0:
        given["n_items"] = rng.choice([0, -1, 1.5, True, "5", None, 2**63, [6]])
    elif kind == 1:
        given |= {"ids": ids, "scores": rng.choice(bad_scores)}
    else:
        bad = [twice, beyond, below, gap, ids[0], ids.astype(float), ids.astype(str), None]
        given |= {"ids": rng.choice([*bad, ids[None], [[0], [0, 1]]]), "scores": None}
    return True


def bad_tables(case: Case) -> bool:
    """Make a table invalid, or what is said of it."""
    if case.source is not from_tables:
        return False
    rng, given = case.rng, case.ingredients
    columns = {"user": ["a", "a", "b"], "film": ["x", "y", "x"]}
    good = {
        "judgments": columns | {"label": [1.0, 0.0, 2.0]},
        "predictions": columns | {"score": [1.0, 0.5, 2.0]},
    }
    given |= good
    name = rng.choice(list(good))
    value = "label" if name == "judgments" else "score"
    bad_columns = [
        {value: [1.0, rng.choice([np.nan, np.inf, None]), 1.0]},
        {value: ["a", "b", "c"]},
        {value: [1.0, 2.0]},
        {"user": ["a", None, "b"]},
        {"film": ["x", np.nan, "y"]},
        {"user": [1, 1, 2]},
        {"film": ["x", "x", "x"]},
    ]
    frame = rng.choice([None, 5, {}, [("a", "x", 1)], "table", {"user": ["a"]}])
    made_of = rng.choice([good[name] | each for each in bad_columns])
    bad_options = [
        {"queries": rng.choice(["some", None, 1])},
        {"rank": "score"},
        {"score": None, "predictions": columns | {"worth": [1.0, 0.5, 2.0]}},
        {rng.choice(["query", "item", "label", "score"]): "nothing"},
        {"query": rng.choice([None, ["user"] * 3])},
    ]
    given |= rng.choice([{name: frame}, {name: made_of}, {name: made_of}, rng.choice(bad_options)])
    return True


FAULTS: list[Fault] = [
    bad_k,
    bad_option,
    bad_option,
    bad_option,
    bad_average,
    unknown_keyword,
    not_finite,
    not_finite,
    bad_weights,
    other_shape,
    other_dtype,
    missing_data,
    bad_qid,
    bad_where,
    bad_item_weight,
    bad_label,
    bad_classes,
    masked_elements,
    bad_sparse,
    retrieved_pairs,
    retrieved_pairs,
    *[bad_ids] * 8,  # which is seldom possible
    *[bad_tables] * 16,
]


def make_invalid(case: Case) -> None:
    """Make a case invalid by one fault."""
    faults = FAULTS
    if case.caller == "make_ranking_scorer":  # data goes its own way there
        faults = [bad_k, bad_option, bad_option, bad_average, unknown_keyword]
    elif case.caller == "score_bounds":  # to which a label that is NaN is unknown
        faults = [each for each in faults if each is not not_finite]
    while True:
        fault = case.rng.choice(faults)
        if fault(case):
            case.fault = fault.__name__
            return


# --- the calls ----------------------------------------------------------------------------------


class Column(RegressorMixin, BaseEstimator):
    """Predicts the first column."""

    def fit(self, X: Any, y: Any) -> Column:
        """Learn nothing."""
        return self

    def predict(self, X: Any) -> Any:
        """Return the first column."""
        return X[:, 0]


Result = dict[str, tuple[Any, Any]]
"""By the name of each number of a result: what came, and what is expected."""


def call_score(case: Case) -> Result:
    function = getattr(ranking_scores, case.name)
    options = case.options
    if case.caller == "average=None":
        options = {"average": None} | options
    actual = function(**case.arguments, **options)
    if case.fault:
        return {}
    if case.caller == "average=None":
        expected = case_values(case)
        return {"values": (actual, expected[:, 0] if case.is_single else expected)}
    return {"mean": (actual, case_means(case))}


def call_report(case: Case) -> Result:
    name = SHORT_NAMES[case.name]
    others = [each for each in ("mrr", "recall", "map") if each != name]
    options = dict(case.options)
    k = options.pop("k", None)
    if not case.fault and k is not None:
        k = [each if each is None else min(each, 1000) for each in case.cutoffs]
        k = case.cutoffs = list(dict.fromkeys(k))
    scores = [name]
    if "item_weight" not in case.arguments and not case.fault and case.rng.random() < 0.5:
        scores.append(case.rng.choice(others))
    if "denominator" in options:  # which the others have too, with other values
        del scores[1:]
    is_free = options.get("discount") is not up_and_down and not options.get("ignore_ties")
    has_orders = is_free and not case.fault and case.rng.random() < 0.3
    report = ranking_report(**case.arguments, scores=scores, k=k, ties=has_orders, **options)
    if case.fault:
        return {}
    case.is_single = False
    suffixes = [f"@{k}" if k else "" for k in case.cutoffs]
    result: Result = {}
    for each in scores:
        function = next(full for full, short in SHORT_NAMES.items() if short == each)
        of_score = replace(case, name=function)
        values, means = case_values(of_score), case_means(of_score)
        for place, suffix in enumerate(suffixes):
            full = each + suffix if function not in WITHOUT_K else each
            result[f"mean of {full}"] = report.mean[full], means[place]
            for order in ("worst", "best") if has_orders else ():
                of_order = case_means(of_score, order)[place]
                result[f"{order} of {full}"] = getattr(report, order)[full], of_order
            result[f"values of {full}"] = report.per_query[full], values[:, place]
    return result


def call_stream(case: Case) -> Result:
    options = dict(case.options)
    arguments = dict(case.arguments)
    if "labels" in arguments:
        options["labels"] = arguments.pop("labels")
    streams = [StreamingScore(SHORT_NAMES[case.name], check_qid=False, **options)]
    rng = case.rng
    if case.fault or len(case.arrays) == 1 or rng.random() < 0.2:
        streams[0].update(**arguments)
    else:
        streams += [copy_of(case, options) for _ in range(rng.randrange(3))]
        order = list(range(len(case.arrays)))
        rng.shuffle(order)
        cuts = sorted(rng.sample(range(1, len(order)), rng.randrange(len(order))))
        for first, last in itertools.pairwise([0, *cuts, len(order)]):
            rng.choice(streams).update(**batch_of(case, order[first:last]))
    rng.shuffle(streams)
    whole = streams[0]
    for other in streams[1:]:
        whole = rng.choice([whole.merge, whole.__add__])(other)
    actual = whole.compute()
    if case.fault:
        return {}
    n_undefined = np.sum([[each is None for each in row] for row in undefined(case)], axis=0)
    return {
        "mean": (actual, case_means(case)),
        "n_queries": (float(whole.n_queries), float(len(case.queries))),
        "n_undefined": (
            np.asarray(whole.n_undefined, dtype=float),
            np.asarray(n_undefined[0] if case.is_single else n_undefined, dtype=float),
        ),
    }


def copy_of(case: Case, options: Options) -> StreamingScore:
    return StreamingScore(SHORT_NAMES[case.name], check_qid=False, **options)


def batch_of(case: Case, chosen: list[int]) -> Options:
    """Return the arguments of some queries."""
    assert case.arrange is not None
    weights = None if case.weights is None else np.array([case.weights[each] for each in chosen])
    arguments = case.arrange([case.arrays[each] for each in chosen], weights)
    arguments.pop("labels", None)
    return arguments


def call_scorer(case: Case) -> Result:
    scorer = make_ranking_scorer(SHORT_NAMES[case.name], qid_from=-1, **case.options)
    lengths = [len(query.labels) for query in case.queries]
    qid = np.repeat(np.arange(len(lengths)), lengths)
    scores = np.concatenate([query.scores for query in case.queries])
    y_true = np.concatenate([query.labels for query in case.queries])
    case.weights = None
    actual = scorer(Column(), np.column_stack([scores, qid]), y_true)
    if case.fault:
        return {}
    sign = -1 if case.name == "average_relevant_position" else 1
    return {"scorer": (actual, sign * case_means(case))}


def call_ties(case: Case) -> Result:
    options = dict(case.options)
    if case.fault != "bad_option":
        options.pop("ignore_ties", None)
    falls = options.get("discount") is not up_and_down
    if not falls and not case.fault:
        options.pop("discount")
    case.options = options
    report = tie_report(score=SHORT_NAMES[case.name], **case.arguments, **options)
    if case.fault:
        return {}
    result: Result = {}
    for order in ("expected", "worst", "best", "as_ordered"):
        means = case_means(case, order)
        result[order] = getattr(report, order), means
    tied, n_items = 0, 0
    for query in case.queries:
        weights = query.weights or [1.0] * len(query.scores)
        ranked = [
            score
            for score, weight in zip(query.scores, weights, strict=True)
            if score is not None and weight
        ]
        n_items += len(ranked)
        tied += sum(ranked.count(score) > 1 for score in ranked)
    result["tied_items"] = report.tied_items, tied / max(n_items, 1)
    return result


def call_bounds(case: Case) -> Result:
    options = dict(case.options)
    if options.get("discount") is up_and_down:
        del options["discount"], case.options["discount"]
    by_query = not case.fault and math.isnan(replacement_of(case))
    if by_query:  # in the mean, unknown labels must not decide which queries count
        options["average"] = None
    if case.name != "expected_reciprocal_rank_score":
        options["max_grade"] = 3
    bounds = score_bounds(score=SHORT_NAMES[case.name], **case.arguments, **options)
    if case.fault:
        return {}
    expected = case_values(case) if by_query else case_means(case)
    if by_query and case.is_single:
        expected = expected[:, 0]
    result: Result = {}
    if case.name not in TELL_JUDGED:
        result["values of not_relevant"] = bounds.not_relevant, expected
    size = max(1e-300, addend_of(case), float(np.max(np.abs(bounds.high), initial=0)))
    in_order = (bounds.low <= np.asarray(bounds.not_relevant) + TOLERANCE * size) & (
        np.asarray(bounds.not_relevant) <= bounds.high + TOLERANCE * size
    )
    in_order |= np.isnan(bounds.not_relevant)  # undefined: other labels need not be
    result["in order"] = np.asarray(in_order, dtype=float), np.ones(np.shape(in_order))
    if not np.any(bounds.n_unjudged):
        for end in ("low", "high", "condensed"):
            result[f"values of {end}"] = getattr(bounds, end), bounds.not_relevant
    return result


CALLS: dict[str, Callable[[Case], Result]] = {
    "the score": call_score,
    "average=None": call_score,
    "ranking_report": call_report,
    "StreamingScore": call_stream,
    "make_ranking_scorer": call_scorer,
    "tie_report": call_ties,
    "score_bounds": call_bounds,
}


# --- what is expected ---------------------------------------------------------------------------


def definition_of(case: Case, order: str, number: type) -> Callable[..., Any]:
    """Return the definition of a score with its options, in one form each."""
    options, name = case.options, case.name
    definition = reference.DEFINITIONS[name]
    own = signature(definition).parameters
    taken = {each: value for each, value in options.items() if each in own and each != "k"}
    if "relevance_threshold" in PARAMETERS[name] or name == "judged_at_k_score":
        threshold = options.get("relevance_threshold")
        taken["relevance_threshold"] = np.array(threshold).item()
    if name in GAINS:
        gain = options.get("gain", "linear")
        if not callable(gain):
            gain = getattr(reference, gain) if isinstance(gain, str) else as_function(gain)
        taken["gain"] = gain
    if "discount" in PARAMETERS[name]:
        discount = options.get("discount", "log")
        if not callable(discount):
            discount = reference.log_discount(options.get("log_base", 2))
        taken["discount"] = discount
    if order in ("worst", "best"):
        is_most = (order == "best") == (name != "average_relevant_position")
        taken["pick"] = max if is_most else min
    else:
        taken["ignore_ties"] = order == "as_ordered" or bool(options.get("ignore_ties"))
    return partial(definition, number=number, **taken)


def as_function(table: Any) -> Callable[[float], float]:
    """Return the function from a label to its gain in a table."""
    return lambda label: float(table[int(label)])


def undefined(case: Case, order: str = "expected") -> list[list[float | None]]:
    """Return the value of each query at each cutoff, None where it is undefined."""
    longest = max(len(query.labels) for query in case.queries)
    is_short = longest <= 4 and len(case.queries) <= 4
    define = definition_of(case, order, Fraction if is_short and case.is_exact else float)
    values = []
    for query in case.queries:
        labels = [int(label) if label == int(label) else label for label in query.labels]
        more = {} if query.weights is None else {"item_weight": query.weights}
        cutoffs = [{}] if case.name in WITHOUT_K else [{"k": k} for k in case.cutoffs]
        values.append([define(labels, query.scores, **more, **k) for k in cutoffs])
    return values


def case_values(case: Case, order: str = "expected") -> np.ndarray:
    """Return the value of each query at each cutoff."""
    other = replacement_of(case)
    values = undefined(case, order)
    return np.array([[other if each is None else float(each) for each in row] for row in values])


def replacement_of(case: Case) -> float:
    """Return the value of queries on which the score is undefined."""
    parameter = PARAMETERS[case.name].get("replace_undefined_by")
    default = 0.0 if parameter is None else parameter.default
    return float(case.options.get("replace_undefined_by", default))


def case_means(case: Case, order: str = "expected") -> Any:
    """Return the mean at each cutoff."""
    weights: Any = case.weights or [1.0] * len(case.queries)
    if case.queries[0].weights is not None:
        options = definition_of(case, order, float).keywords
        by_items = []
        for query in case.queries:
            gains = reference.gains_of(
                query.labels, options["gain"], options["relevance_threshold"], float
            )
            by_items.append(reference.weight_by_items(gains, query.weights))
        weights = reference.weights_of_queries(by_items, weights)
    means = []
    for column in case_values(case, order).T.tolist():
        defined = [None if math.isnan(value) else value for value in column]
        mean = reference.mean(defined, weights, undefined=None)
        means.append(math.nan if mean is None else float(mean))
    return means[0] if case.is_single else np.array(means)


# --- one call -----------------------------------------------------------------------------------


def fingerprint(value: Any) -> Any:
    """Return what changes if a value does."""
    if isinstance(value, np.ndarray):
        plain_array = np.asarray(value)  # a masked one copies itself for its bytes, and may warn
        content = value.tolist() if value.dtype.hasobject else plain_array.tobytes()
        return value.dtype.str, value.shape, value.strides, content
    if sp.issparse(value):
        if value.format in ("csr", "csc", "bsr"):
            parts = [value.data, value.indices, value.indptr]
        elif value.format == "coo":
            parts = [value.data, value.row, value.col]
        else:
            return value.format, value.shape, value.tocoo().data.tobytes()
        return value.format, value.shape, [fingerprint(np.asarray(part)) for part in parts]
    if isinstance(value, pd.DataFrame):
        return [fingerprint(value[name]) for name in value], list(value.index)
    if isinstance(value, pd.Series):
        return fingerprint(value.to_numpy()), list(value.index)
    if isinstance(value, pl.DataFrame):
        return repr(value.rows())
    if isinstance(value, dict):
        return [(name, fingerprint(each)) for name, each in value.items()]
    return repr(value)


def addend_of(case: Case) -> float:
    """Return the size of what may cancel out in a sum, so that what is left has fewer digits.

    Scores of queries have one sign, and so do gains, but for what replaces undefined scores and
    for negative labels.
    """
    addend = abs(float(case.options.get("replace_undefined_by", 0)))
    if range_of(case.name)[0] < 0:
        labels = (abs(label) for query in case.queries for label in query.labels)
        addend = max(addend, max(labels, default=0.0))
    return addend if addend < math.inf else 0.0  # NaN and infinity stay as they are


def check_result(result: Result, addend: float) -> bool:
    """Raise if a number is wrong; return whether a mean is NaN."""
    has_nan = False
    for what, (actual, expected) in result.items():
        a, b = np.asarray(actual), np.asarray(expected, dtype=float)
        if a.dtype != np.float64 or a.shape != b.shape:
            raise FailureError(f"{what} of {a.dtype} and shape {a.shape}, not {b.shape}")
        finite = b[np.isfinite(b)]
        scale = max(1e-300, addend, float(np.abs(finite).max(initial=0)))
        is_right = (a == b) | (np.isnan(a) & np.isnan(b))
        with np.errstate(invalid="ignore"):
            is_right |= np.abs(a - b) <= TOLERANCE * scale
        if not is_right.all():
            raise FailureError(f"{what} is {a.tolist()}, not {b.tolist()}")
        has_nan |= not what.startswith("values") and bool(np.isnan(b).any())
    return has_nan


def run_call(seed: int, index: int) -> Case | FileCase:
    """Draw a call, make it, and raise `FailureError` if it is not as it must be."""
    if random.Random(f"{seed}, {index}, files").random() < SHARE_OF_FILES:
        return fuzz_files.run(seed, index)
    case = draw(seed, index)
    return attempt(case)


def attempt(case: Case) -> Case:
    """Make a call, and raise `FailureError` if it is not as it must be."""
    case.is_exact = case.rng.random() < SHARE_EXACT
    if not case.fault:
        restyle(case)
    given = case.arguments | case.options | case.ingredients
    before = {name: fingerprint(value) for name, value in given.items()}
    result: Result = {}
    error: Exception | None = None
    with warnings.catch_warnings(record=True) as caught, pytest.MonkeyPatch.context() as patch:
        warnings.simplefilter("always")
        if case.rng.random() < 0.3:
            make_blocks_small(patch)
        try:
            add_made(case)
            result = CALLS[case.caller](case)
        except Exception as raised:
            error = raised
    check_error(case, error)
    for name, value in given.items():
        if fingerprint(value) != before[name]:
            raise FailureError(f"{case}: changes {name}")
    try:
        has_nan = check_result(result, 0.0 if case.fault else addend_of(case))
    except FailureError as wrong:
        raise FailureError(f"{case}: {wrong}") from None
    caught = [each for each in caught if not re.search(NOTHING_TO_RANK, str(each.message))]
    if case.may_rise:
        caught = [each for each in caught if "rise from the first item" not in str(each.message)]
    categories = {each.category for each in caught}
    allowed = {UndefinedMetricWarning} if has_nan else set()
    allowed |= case.warns_of
    if categories != allowed and not case.fault:
        messages = [str(each.message) for each in caught]
        raise FailureError(f"{case}: warns {messages}, expected {allowed}")
    if case.fault and categories - {UndefinedMetricWarning, *case.warns_of}:
        raise FailureError(f"{case}: warns {[str(each.message) for each in caught]}")
    return case


def add_made(case: Case) -> None:
    """Add the arguments that are made of others, unless a fault has put something there."""
    if case.source is retrieved_from_ids:
        made = {"y_score": retrieved_from_ids(**case.ingredients)}
    elif case.source is from_tables:
        data = from_tables(**case.ingredients)
        made = {"y_true": data.y_true, "y_score": data.y_score}
    else:
        return
    case.arguments = made | case.arguments


def check_error(case: Case, error: Exception | None) -> None:
    """Raise if a call raised what it must not raise, or did not raise what it must."""
    if error is None:
        if case.fault:
            raise FailureError(f"{case}: no error")
        return
    text = f"{type(error).__name__}: {error}".replace("\n", " ")
    if not case.fault or not isinstance(error, case.error):
        raise FailureError(f"{case}: {text}") from error


# --- many calls ---------------------------------------------------------------------------------


def failures(seed: int, indices: Iterable[int]) -> Iterator[tuple[int, FailureError]]:
    """Yield the numbers of the calls that fail, and why."""
    for index in indices:
        try:
            run_call(seed, index)
        except FailureError as failure:
            yield index, failure
        except Exception as failure:
            text = f"the draw raises {type(failure).__name__}: {failure}"
            yield (
                index,
                FailureError(text.replace("\n", " ")).with_traceback(failure.__traceback__),
            )


def describe_call(seed: int, index: int, failure: FailureError) -> str:
    """Return the one line that reproduces a failure, and says what it is."""
    return f"python tests/fuzz.py --seed {seed} --call {index}  # {failure}"


class Memory:
    """Says when memory stays that was taken since it was first asked."""

    def __init__(self) -> None:
        self.first = self.last = 0
        self.blocks = self.size = 0

    def check(self, n_calls: int) -> str:
        """Return what stayed of the memory of the calls since the first look, or nothing."""
        gc.collect()
        blocks, size = sys.getallocatedblocks(), resident_bytes()
        if not self.blocks:  # what is kept once is kept by now
            self.first, self.blocks, self.size = n_calls, blocks, size
            return ""
        n_more, growth = blocks - self.blocks, size - self.size
        if n_more > MOST_BLOCKS_PER_CALL * (n_calls - self.first) or growth > MOST_GROWTH:
            of_calls = f"calls {self.first} to {n_calls}"
            return f"{n_more} blocks and {growth} bytes stay after {of_calls}"
        return ""


def resident_bytes() -> int:
    """Return the memory of the process, 0 where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * 4096
    except OSError:
        return 0


def fuzz(seed: int, calls: int, seconds: float, most_failures: int) -> int:
    """Make calls until their number, the time or the failures are enough; return the failures."""
    start, busy = time.perf_counter(), time.process_time()
    n_calls = n_failures = 0
    memory = Memory()
    while n_calls < calls and n_failures < most_failures:
        for number, failure in failures(seed, [n_calls]):
            n_failures += 1
            print(describe_call(seed, number, failure), flush=True)
        n_calls += 1
        if n_calls % CHECK_EVERY == 0:
            kept = memory.check(n_calls)
            n_failures += bool(kept)
            kept = kept or "no memory stays"
            print(f"python tests/fuzz.py --seed {seed} --calls {n_calls}  # {kept}", flush=True)
        if time.perf_counter() - start > seconds:
            break
    passed, busy = time.perf_counter() - start, time.process_time() - busy
    of_time = f"{passed:.0f} s, {busy:.0f} s of them on a processor"
    print(f"seed {seed}: {n_calls} calls in {of_time}, {n_failures} failures", flush=True)
    return n_failures


def main() -> None:
    """Read the command line, make the calls, and exit with 1 if one fails."""
    parser = argparse.ArgumentParser(description="Random calls, each right or refused.")
    parser.add_argument("--calls", type=int, default=None, help="how many calls to make")
    parser.add_argument("--seconds", type=float, default=None, help="how long to make calls")
    parser.add_argument("--seed", type=int, default=None, help="a fresh one by default")
    parser.add_argument("--call", type=int, default=None, help="make this call alone")
    parser.add_argument("--failures", type=int, default=20, help="stop after so many")
    asked = parser.parse_args()
    seed = secrets.randbelow(2**32) if asked.seed is None else asked.seed
    if asked.call is not None:
        show(seed, asked.call)
        return
    calls = asked.calls or (sys.maxsize if asked.seconds else 10_000)
    print(f"seed {seed}{'' if HAS_PYARROW else ', without pyarrow'}", flush=True)
    if fuzz(seed, calls, asked.seconds or math.inf, asked.failures):
        sys.exit(1)


def show(seed: int, index: int) -> None:
    """Make one call, and show what it is and what is wrong with it."""
    for _, failure in failures(seed, [index]):
        traceback.print_exception(failure.__cause__ or failure)
        print(describe_call(seed, index, failure))
        case = draw(seed, index)
        print({"arguments": case.arguments, "options": case.options, "weights": case.weights})
        sys.exit(1)
    print(f"nothing is wrong with {draw(seed, index)}")


if __name__ == "__main__":
    main()
