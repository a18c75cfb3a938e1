"""Random calls of every score, alone and through functions that take scores.

Each must be right or be refused.

::

    python tests/fuzz.py --calls 100000 --seed 1
    python tests/fuzz.py --seconds 60
    python tests/fuzz.py --seed 1 --call 4711

A call is drawn by a seed and its number: a score, the data in one of the arrangements of `laws`,
dtypes, containers, options, and the function that takes the score. `fuzz_data` draws these. A call
is the same alone as among others, and on any machine, but for pyarrow, whose columns are drawn
only if it is there.

A call is valid as it is drawn. One in four is then made invalid by one of `FAULTS` in
`fuzz_faults`, so that nothing here asks the package what is valid. A valid call must equal
`reference`, in floats, or, if the queries are short, at times in fractions. An invalid one must
raise the package's own error. No call may raise anything else, warn of what it should not warn of,
change what it was given, or keep memory. Some calls are of files and tables in all forms, which
`forms` draws.
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
from dataclasses import replace
from fractions import Fraction
from functools import partial
from inspect import signature
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import reference
import scipy.sparse as sp
from forms.cases import Case as FormCase, FailureError, check
from forms.defects import draw as draw_forms
from fuzz_data import (
    CALLERS,
    GAINS,
    NAMES,
    PARAMETERS,
    SHORT_NAMES,
    TELL_JUDGED,
    WITHOUT_K,
    Case,
    Options,
    draw_cutoffs,
    draw_data,
    draw_layout,
    draw_options,
    restyle,
    up_and_down,
)
from fuzz_faults import make_invalid
from laws import HAS_PYARROW, make_blocks_small
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import UndefinedMetricWarning
from warned import NOTHING_TO_RANK

import ranking_scores
from ranking_scores import StreamingScore, make_ranking_scorer, ranking_report, retrieved_from_ids
from ranking_scores._metrics._named import range_of
from ranking_scores.tables import from_tables
from ranking_scores.ties import tie_report
from ranking_scores.unjudged import score_bounds

TOLERANCE = 1e-12
"""Definitions and package round the same sums in another order, of a few hundred terms."""
SHARE_INVALID = 0.25
SHARE_EXACT = 0.15
"""The share of the calls of short queries that are compared in fractions, which takes long."""
SHARE_OF_FORMS = 0.04
"""The share of the calls that are calls of the command with files, which take long."""
CHECK_EVERY = 20_000
"""Calls between two looks at the memory."""
MOST_BLOCKS_PER_CALL = 0.1
MOST_GROWTH = 100 * 2**20
"""Python's blocks of memory that may stay per call, and the bytes of the process that may."""


# --- what is drawn ----------------------------------------------------------------------------


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


def run_call(seed: int, index: int) -> Case | FormCase:
    """Draw a call, make it, and raise `FailureError` if it is not as it must be."""
    if random.Random(f"{seed}, {index}, forms").random() < SHARE_OF_FORMS:
        of_forms = draw_forms(seed, index)
        check(of_forms)
        return of_forms
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
