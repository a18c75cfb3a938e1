"""The data and options of the random calls of `fuzz`, in arrangements, dtypes and containers.

All calls are valid as they are drawn here. `fuzz_faults` makes some of them invalid.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import defined
import numpy as np
import pandas as pd
import polars as pl
import reference
import scipy.sparse as sp
from laws import HAS_PYARROW, LAYOUTS, SCORES as OF_LAWS, takes_any_lengths, with_zeros

from ranking_scores import retrieved_from_ids
from ranking_scores._metrics._named import SCORES
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.tables import from_tables

Options = dict[str, Any]
LARGEST_K = 2**63 - 2
"""What precision and F1 divide by at a cutoff beyond it."""


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
"""By option, values that the scores refuse."""


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
    case.ingredients = {"ids": of_ids, "item_scores": of_scores, "n_items": n_items}


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
