"""Parameters in, plain values out, and the one form of every error message.

Each check takes a parameter as the caller wrote it and returns it in the one form that the
rest of the package works with, or raises. What it returns is never checked again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, NamedTuple, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse
from sklearn.utils import check_array

from ranking_scores._ids import decoded, library_of
from ranking_scores._sorting import unique_inverse, unique_objects
from ranking_scores.exceptions import InvalidParameterError

WHOLE_LIST = int(np.iinfo(np.int64).max)
"""The cutoff that ``k=None`` stands for: a rank that no list reaches, and that no int becomes."""


SingleCutoff = int | np.integer[Any]
SeveralCutoffs = Sequence[int] | NDArray[np.integer[Any]]


class QueryParams(TypedDict, total=False):
    """The keywords, besides the mean, of every score that may be undefined for a query."""

    sample_weight: ArrayLike | None
    where: ArrayLike | None
    qid: ArrayLike | None
    labels: ArrayLike | None
    replace_undefined_by: float


class RelevanceParams(QueryParams, total=False):
    """The keywords, besides the cutoffs and the mean, of every score of relevant items."""

    ignore_ties: bool
    relevance_threshold: float | None


_LENGTHS = (
    "Queries of different lengths are passed as rows, with `qid`, or as columns of lists of "
    "pyarrow or polars."
)

SWAPPED = "Are y_true and y_score swapped?"
"""What to ask of labels that are no labels. Whether they are scores, nobody can tell."""

_REAL = "an array of bools, ints or floats"

_TORCH = (
    "In PyTorch: `.detach().cpu()`, of a sparse tensor `.to_dense()`, of a dtype that NumPy does "
    "not have `.float()`."
)


class Cutoffs(NamedTuple):
    """The cutoffs that a caller asked for."""

    ranks: NDArray[np.int64]
    """The last rank that counts, in the order asked; `WHOLE_LIST` for None."""
    is_single: bool
    """Whether `k` was one number, or None, rather than a list of numbers."""


class Problem(NamedTuple):
    """What is wrong with a parameter: the parts of the message of an error."""

    parameter: str
    function: str
    expected: str
    got: str
    advice: str


def invalid(
    parameter: str, function: str, expected: str, got: str, advice: str = ""
) -> InvalidParameterError:
    """Return the error about a parameter, in the one form that all of them have."""
    message = f"The {parameter!r} parameter of {function} must be {expected}. Got {got} instead."
    error = InvalidParameterError(f"{message} {advice}" if advice else message)
    error._problem = Problem(parameter, function, expected, got, advice)
    return error


def problem_of(error: InvalidParameterError) -> Problem:
    """Return the parts of an error that `invalid` made."""
    problem: Problem = error._problem
    return problem


def describe(value: Any) -> str:
    """Return what an error message shows of a value: of an array the type, else the value."""
    if callable(value) and hasattr(value, "__qualname__"):
        return f"the {'class' if isinstance(value, type) else 'function'} {value.__qualname__}"
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape} and dtype {value.dtype}"
    name = type(value).__name__
    if name == "DataFrame":  # as many libraries call it
        name = f"{library_of(value)} DataFrame"
    else:
        text = repr(value)
        if len(text) <= 60 and "\n" not in text:
            return text
    return f"{'an' if name[0] in 'AEIOUaeiou' else 'a'} {name}"


def check_cutoffs(k: Any, function: str, *, allow_none: bool = True) -> Cutoffs:
    """Return the cutoffs `k` as ranks. A door passes those that it has checked."""
    if isinstance(k, Cutoffs):
        return k
    if k is None and allow_none:
        return Cutoffs(np.array([WHOLE_LIST]), is_single=True)
    expected = f"{'None, ' if allow_none else ''}an int of at least 1 or a list of such ints"
    # As objects, so that a True among the numbers stays one, and is seen.
    try:
        cutoffs = np.asarray(k, dtype=object)
    except (ValueError, TypeError, RuntimeError):  # the last two are of PyTorch
        cutoffs = np.empty(0, dtype=object)
    if cutoffs.ndim > 1 or cutoffs.size == 0 or np.ma.is_masked(k):
        raise invalid("k", function, expected, describe(k))
    for cutoff in cutoffs.flat:
        if not isinstance(cutoff, Integral) or isinstance(cutoff, bool) or cutoff < 1:
            got = "None in a list" if cutoff is None and cutoffs.ndim else describe(cutoff)
            raise invalid("k", function, expected, got)
    ranks = np.array([min(int(cutoff), WHOLE_LIST - 1) for cutoff in cutoffs.flat])
    return Cutoffs(ranks, is_single=cutoffs.ndim == 0)


def check_real(value: Any, parameter: str, function: str, expected: str) -> float:
    """Return a real number, possibly NaN or infinite, as a float."""
    if not isinstance(value, Real) or isinstance(value, bool):
        raise invalid(parameter, function, expected, describe(value))
    try:
        return float(value)
    except OverflowError as error:
        raise invalid(parameter, function, expected, "a number beyond float64") from error


def check_log_base(log_base: Any, function: str) -> float:
    """Return the base of a logarithm that discounts: above 1, so that it rises with the rank."""
    expected = "a finite number greater than 1"
    base = check_real(log_base, "log_base", function, expected)
    if not 1 < base < np.inf:
        raise invalid("log_base", function, expected, describe(log_base))
    return base


def check_relevance_threshold(relevance_threshold: Any, function: str) -> float | int | None:
    """Return the label from which on an item is relevant, None if there is no such label."""
    if relevance_threshold is None:
        return None
    expected = "None or a number that is not NaN"
    threshold = check_real(relevance_threshold, "relevance_threshold", function, expected)
    if np.isnan(threshold):
        raise invalid("relevance_threshold", function, expected, "nan")
    # An int stays one: as a float it might be another, of a label that is a wide int, too.
    return int(relevance_threshold) if isinstance(relevance_threshold, Integral) else threshold


def check_max_grade(max_grade: Any, function: str) -> int:
    """Return the highest grade of a scale that begins with 0."""
    expected = "an int from 1 to 1000"
    is_int = isinstance(max_grade, Integral) and not isinstance(max_grade, bool)
    if not is_int or not 1 <= int(max_grade) <= 1000:  # 2**1000 and its inverse are floats
        raise invalid("max_grade", function, expected, describe(max_grade))
    return int(max_grade)


def check_persistence(persistence: Any, function: str) -> float:
    """Return the chance to go on from one item to the next."""
    expected = "a number between 0 and 1, neither of them included"
    chance = check_real(persistence, "persistence", function, expected)
    if not 0 < chance < 1:
        raise invalid("persistence", function, expected, describe(persistence))
    return chance


def check_beta(beta: Any, function: str) -> float:
    """Return how many times as much recall counts as precision."""
    expected = "a number of at least 0, or np.inf"
    times = check_real(beta, "beta", function, expected)
    if not times >= 0:
        raise invalid("beta", function, expected, describe(beta))
    return times


def check_n_jobs(n_jobs: Any, function: str) -> int | None:
    """Return how many threads to take, as joblib reads it."""
    is_int = isinstance(n_jobs, Integral) and not isinstance(n_jobs, bool)
    if n_jobs is not None and not (is_int and n_jobs != 0):
        advice = "-1 is all cores; None is 1, or what a `joblib.parallel_config` around it says."
        raise invalid("n_jobs", function, "None or an int other than 0", describe(n_jobs), advice)
    return None if n_jobs is None else int(n_jobs)


def check_option(value: Any, parameter: str, function: str, options: tuple[str, ...]) -> str:
    """Return one of a few words."""
    if not isinstance(value, str) or value not in options:
        expected = f"{', '.join(map(repr, options[:-1]))} or {options[-1]!r}"
        raise invalid(parameter, function, expected, describe(value))
    return value


def check_bool(value: Any, parameter: str, function: str) -> bool:
    """Return a truth value as a bool."""
    if not isinstance(value, (bool, np.bool_)):
        raise invalid(parameter, function, "True or False", describe(value))
    return bool(value)


def check_average(average: Any, function: str) -> str | None:
    """Return how the queries' scores become one: "samples", or None if they do not."""
    if average is not None and not (isinstance(average, str) and average == "samples"):
        advice = "'samples' is the mean over the queries, None one value for each of them."
        raise invalid("average", function, "'samples' or None", describe(average), advice)
    return average


def check_real_array(values: ArrayLike, parameter: str, function: str) -> NDArray[Any]:
    """Return an array of bools, ints or floats in its own dtype, without a copy if it is one."""
    array = _numbers_of_frame(values, as_ndarray(values, parameter, function))
    if array.dtype.kind not in "biuf":
        raise _not_real(array, parameter, function)
    return array


def _numbers_of_frame(values: Any, array: NDArray[Any]) -> NDArray[Any]:
    """Return the numbers of a pandas frame whose columns differ in dtype, or are nullable.

    Of anything else, the array that NumPy made of it.
    """
    if array.dtype != object or not hasattr(values, "iloc"):
        return array
    if np.dtype(object) not in np.ravel(values.dtypes).tolist():
        exact = np.array(array.tolist())
        if exact.dtype.kind in "biuf" and exact.shape == array.shape:
            return exact
    # With missing values, or of objects: scikit-learn knows how.
    return np.asarray(check_array(values, dtype=None, ensure_all_finite=False, ensure_2d=False))


def _not_real(array: NDArray[Any], parameter: str, function: str) -> InvalidParameterError:
    """Return the error about an array whose dtype is not that of real numbers."""
    got, advice = f"dtype {array.dtype}", ""
    if array.dtype.kind in "OSTU" and array.size:
        advice = f"If it holds numbers, use `np.asarray({parameter}).astype(float)`."
    if array.dtype == object and array.ndim == 0:
        got, advice = describe(array[()]), ""
        if isinstance(array[()], Mapping):
            advice = "`ranking_scores.trec.from_pytrec_eval` makes arrays of dicts."
    elif array.dtype == object and array.size:
        if all(isinstance(each, Integral) for each in array.flat):
            advice = advice.replace("float", "int")
        is_other = [not isinstance(each, Real) for each in array.flat]
        if any(is_other):
            place = np.unravel_index(is_other.index(True), array.shape)
            other = array[place]
            got += f" with {describe(other)} at position {', '.join(map(str, place))}"
            if isinstance(other, (list, np.ndarray)):
                advice = _LENGTHS
    return invalid(parameter, function, _REAL, got, advice)


def check_sparse(values: Any, parameter: str, function: str) -> csr_array:
    """Return a sparse matrix or array of any format as CSR, without a copy if it is that.

    What is stored twice is summed, in a dtype in which that cannot wrap around.
    """
    is_small = values.dtype.kind in "biu" and values.dtype.itemsize < 8
    if is_small and not getattr(values, "has_canonical_format", True):
        values = values.astype(np.int64)
    return _as_csr(values, csr_array, parameter, function)


def check_stored(values: Any, parameter: str, function: str) -> csr_array:
    """Return a sparse matrix or array as CSR in which all that it stores is stored, zeros too.

    What is stored twice still is. CSR comes without a copy.
    """
    if values.format not in ("csr", "csc", "coo", "lil", "dok"):
        got = f"a sparse {type(values).__name__}"
        advice = "The others lose zeros that are stored, or add some."
        raise invalid(parameter, function, "of the format CSR, CSC, COO, LIL or DOK", got, advice)
    return _as_csr(values, _with_all_that_is_stored, parameter, function)


def _as_csr(
    values: Any, convert: Callable[[Any], csr_array], parameter: str, function: str
) -> csr_array:
    """Return a sparse matrix or array as CSR, checked for what would crash what works on it."""
    if values.ndim != 2:
        raise invalid(parameter, function, "2-D where it is sparse", f"shape {values.shape}")
    if values.format in ("csr", "csc") and values.nnz:  # of which SciPy does not check the indices
        n_cells = values.shape[values.format == "csr"]
        lowest, highest = int(values.indices.min()), int(values.indices.max())
        if lowest < 0 or highest >= n_cells:
            expected = f"a matrix whose indices are from 0 to {n_cells - 1}"
            got = str(lowest if lowest < 0 else highest)
            advice = "For ids that are padded with -1 there is `retrieved_from_ids`."
            raise invalid(parameter, function, expected, got, advice if lowest == -1 else "")
    if values.dtype.kind not in "biuf":
        raise invalid(parameter, function, _REAL, f"dtype {values.dtype}")
    return convert(_as_supported(values))


def _with_all_that_is_stored(values: Any) -> csr_array:
    """Return what is stored as CSR, also what is stored twice, which SciPy sums in COO."""
    if values.format != "coo":
        return csr_array(values)
    order = np.argsort(values.row, kind="stable")
    starts = np.searchsorted(values.row[order], np.arange(values.shape[0] + 1))
    return csr_array((values.data[order], values.col[order], starts), shape=values.shape)


def _as_supported(values: Any) -> Any:
    """Return a sparse matrix or array of a dtype that SciPy has sparse arrays of."""
    dtype = supported_by_scipy(values.dtype)
    return values if values.dtype == dtype else values.astype(dtype)


def supported_by_scipy(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype, in place of one that SciPy has no sparse arrays of, that holds it."""
    native = dtype.newbyteorder("=")
    return np.dtype(np.float32) if native == np.float16 else native


def check_finite_weights(values: ArrayLike, parameter: str, function: str) -> NDArray[np.float64]:
    """Return 1-D weights as float64: finite and not negative."""
    weights = check_real_array(values, parameter, function).astype(np.float64)
    if weights.ndim != 1:
        advice = without_last_axis(parameter, weights.shape, 1)
        raise invalid(parameter, function, "1-D", f"shape {weights.shape}", advice)
    in_range = (weights >= 0) & (weights < np.inf)
    if not in_range.all():
        first = int(np.argmin(in_range))
        raise invalid(
            parameter,
            function,
            "finite and not negative",
            f"{weights[first]} at position {first}",
        )
    return weights


def check_identifiers(values: ArrayLike, parameter: str, function: str) -> NDArray[Any]:
    """Return 1-D query ids or class labels, each of them as it was, none of them missing."""
    array = as_identifiers(values, parameter, function)
    if array.dtype.kind in "biuSU":  # of which nothing is missing
        return array
    missing = _first_missing(array, parameter, function)
    if missing is not None:
        got = f"{array[missing]} at position {missing}"
        advice = "Drop the rows without an id, or give them one." if parameter == "qid" else ""
        raise invalid(parameter, function, "without missing values", got, advice)
    return array


def as_identifiers(values: ArrayLike, parameter: str, function: str) -> NDArray[Any]:
    """Return 1-D query ids or class labels, each of them as it was, some perhaps missing."""
    array = as_ndarray(values, parameter, function)
    if (
        isinstance(values, (list, tuple))
        and array.dtype.kind in "fUS"
        and array.tolist() != list(values)
    ):
        # NumPy found one dtype for values of several types, and merged some (1 and "1") or
        # rounded them (2**63 and -1 become floats). As objects they stay what they are.
        array = np.asarray(values, dtype=object)
    if array.ndim != 1:
        got = f"shape {array.shape}" if array.ndim else describe(values)
        advice = without_last_axis(parameter, array.shape, 1)
        if array.ndim == 2 and len(array) > 1 and not advice and parameter == "qid":
            advice = f"One id of the values in each row: `{_one_id_of_several(values)}`."
        raise invalid(parameter, function, "1-D", got, advice)
    if array.dtype.kind == "V":
        raise invalid(parameter, function, "of one sortable type", describe(array))
    # As objects, since a missing string would equal itself, and other strings.
    return array.astype(object) if array.dtype.kind == "T" else array


def _one_id_of_several(values: ArrayLike) -> str:
    """Return what makes one id of the values in each row."""
    array = np.asarray(values)
    if hasattr(values, "iloc"):
        return "qid.groupby(list(qid)).ngroup()"
    if array.dtype.kind in "biuSU":
        return "np.unique(qid, axis=0, return_inverse=True)[1].ravel()"
    return f"pandas.DataFrame(qid).groupby({[*range(array.shape[1])]}).ngroup()"


def _first_missing(array: NDArray[Any], parameter: str, function: str) -> int | None:
    """Return where the first identifier is missing; None: none is."""
    try:
        is_missing = are_missing(array)
    except (TypeError, ValueError) as error:
        raise unsortable(array, parameter, function, error) from error
    return int(np.argmax(is_missing)) if is_missing.any() else None


def are_missing(array: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which values are missing: NaN, NaT, and among objects None and pandas' NA."""
    try:
        is_missing = array != array  # NaN and NaT; of objects also None, which sorts with nothing
        if array.dtype == object:
            is_missing = is_missing | np.equal(array, np.array(None))
        return np.asarray(is_missing, dtype=bool)
    except (TypeError, ValueError):
        # pandas' NA is neither equal to itself nor not, and nor is an array.
        is_na = np.array([type(each).__name__ == "NAType" for each in array])
        if not is_na.any():
            raise
        is_na[~is_na] = are_missing(array[~is_na])
        return is_na


def unique_identifiers(
    array: NDArray[Any], parameter: str, function: str, given: NDArray[Any] | None = None
) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return identifiers, each once and sorted, and for each which of them it is.

    They may be some of those that were given, which errors then describe.
    """
    given = array if given is None else given
    try:
        with np.errstate(invalid="ignore"):  # NaN in a tuple
            is_object = array.dtype == object
            unique, which = unique_objects(array) if is_object else unique_inverse(array)
            is_sorted = not is_object or bool(np.all(unique[:-1] < unique[1:]))
    except TypeError as error:
        raise unsortable(given, parameter, function, error) from error
    if not is_sorted:
        advice = "Some are neither below nor above others, as sets are, and tuples with NaN."
        raise invalid(parameter, function, "of one sortable type", describe(given), advice)
    return unique, which


def unsortable(
    array: NDArray[Any], parameter: str, function: str, error: Exception
) -> InvalidParameterError:
    """Return the error about identifiers that Python cannot compare with one another."""
    return invalid(parameter, function, "of one sortable type", describe(array), f"{error}.")


def as_ndarray(values: ArrayLike, parameter: str, function: str) -> NDArray[Any]:
    """Return `values` as an array; nothing that stands in them may be lost."""
    if type(values) is np.ndarray and values.dtype.isbuiltin == 1:
        return values
    if issparse(values):
        raise invalid(
            parameter, function, "dense", f"a sparse {type(values).__name__}", "Use .toarray()."
        )
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        n_masked = int(np.ma.getmaskarray(values).sum())
        raise invalid(
            parameter,
            function,
            "an array without masked elements",
            f"{n_masked} masked element{'s' * (n_masked != 1)}",
            "Leave these items out with `where`, or drop their rows where `qid` is given."
            if parameter in ("y_true", "y_score")
            else "",
        )
    try:
        array = np.asarray(_readable(values))
    except (ValueError, TypeError, RuntimeError) as error:  # the last one is of PyTorch
        expected = "an array, or what NumPy makes one of"
        advice = "Pad the shorter rows with -1." if parameter == "ids" else _LENGTHS
        if not (isinstance(values, (list, tuple)) and isinstance(error, ValueError)):
            advice = f"{str(error).partition(chr(10))[0].rstrip('.')}."
            if _is_tensor(values) or _is_tensor(_first(values)):
                advice += f" {_TORCH}"
        raise invalid(parameter, function, expected, describe(values), advice) from error
    if array.dtype.isbuiltin == 2 and np.can_cast(array.dtype, np.float32):
        return array.astype(np.float32)  # bfloat16, float8 and their like, of ml_dtypes
    if array.dtype == np.float64 and isinstance(values, (list, tuple)):
        return _not_rounded(array, values)
    return array


def _not_rounded(array: NDArray[Any], values: Any) -> NDArray[Any]:
    """Return ints of a list as ints where NumPy makes floats of them.

    It does so if some are beyond int64 and others are not.
    """
    if not (array.size and np.abs(array).max() >= 2**63):
        return array
    objects = np.asarray(values, dtype=object)
    if objects.min() >= 0 and all(isinstance(each, Integral) for each in objects.flat):
        return objects.astype(np.uint64)
    return array


def _readable(values: Any) -> Any:
    """Return what NumPy would misread in a form that it reads; anything else as it is."""
    if not _is_tensor(values) or values.device.type != "cpu":
        return decoded(values)
    is_narrow = str(values.dtype).startswith(("torch.bfloat16", "torch.float8"))
    return values.float() if is_narrow else values


def _first(values: Any) -> Any:
    """Return the first of a list, None of anything else."""
    return values[0] if isinstance(values, (list, tuple)) and values else None


def _is_tensor(value: Any) -> bool:
    """Return whether a value is a tensor of PyTorch, which need not be installed."""
    return any(base.__module__.partition(".")[0] == "torch" for base in type(value).__mro__)


def advise_on_sizes(parameter: str) -> str:
    """Return the cure where the sizes of the queries came instead of the query of each row."""
    if parameter in ("qid", "group", "groups"):  # as LightGBM and XGBoost call the sizes
        return f"Sizes of queries become ids by `qid=ranking_scores.qid_from_sizes({parameter})`."
    return ""


def without_last_axis(parameter: str, shape: tuple[int, ...], n_axes: int) -> str:
    """Return the cure where an array has one axis too many, of length 1, else nothing."""
    if len(shape) == n_axes + 1 and shape[-1] == 1:
        return f"Use `np.asarray({parameter})[..., 0]`."
    return ""
