"""The faults of the random calls of `fuzz`: each makes a valid call invalid, if it can."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from fuzz_data import (
    BAD_OPTIONS,
    NEEDS_K,
    PAIRS,
    PARAMETERS,
    TELL_JUDGED,
    WITH_ITEM_WEIGHTS,
    WITHOUT_K,
    Case,
    scalar,
    shifted,
)

from ranking_scores import retrieved_from_ids
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.tables import from_tables

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
        given |= {"ids": ids, "item_scores": rng.choice(bad_scores)}
    else:
        bad = [twice, beyond, below, gap, ids[0], ids.astype(float), ids.astype(str), None]
        given |= {"ids": rng.choice([*bad, ids[None], [[0], [0, 1]]]), "item_scores": None}
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
        {"query": ["user"] * 3},
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
