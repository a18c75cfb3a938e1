"""Checks of parameters.

Each check takes a parameter as the caller wrote it. It returns the parameter in the one form that
the rest of the package works with, or raises. Its result is never checked again.
"""

from __future__ import annotations

import difflib
import inspect
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, lru_cache, partial, wraps
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranking_scores._base._errors import NOWHERE, Place, invalid, warn_caller
from ranking_scores._base._ids import decoded, library_of, text_as_objects
from ranking_scores._base._sorting import unique_inverse, unique_objects
from ranking_scores._base._tensors import array_of_tensor, is_tensor_class, wide_dtype
from ranking_scores._base._utf8 import check_utf8, errors_of_arrays
from ranking_scores.exceptions import InvalidParameterError

if TYPE_CHECKING:
    from scipy.sparse import csr_array as csr_array
else:
    csr_array = Any  # the type in signatures, since SciPy takes as long to load as all else

WHOLE_LIST = int(np.iinfo(np.intp).max)
"""The cutoff for ``k=None``: a rank that no list reaches, and no int of a caller.

A browser has 32 bits for the number of an item.
"""


_LENGTHS = (
    "Pass queries of different lengths as rows with `qid`, or as list columns of pyarrow or "
    "polars."
)

SWAPPED = "Are y_true and y_score swapped?"
"""The advice if labels cannot be labels. They may be scores, which no check can tell."""

_FLOAT64_IS_EXACT = 2**53
"""Float64 holds all ints up to this one."""

_REAL = "an array of bools, ints or floats"


class Cutoffs(NamedTuple):
    """The cutoffs that a caller asked for."""

    ranks: NDArray[np.int64]
    """The last rank that counts for each cutoff, in the order of `k`; `WHOLE_LIST` for None."""
    is_single: bool
    """Whether `k` was one number or None, instead of a list of numbers."""


def describe(value: Any) -> str:
    """Return a value as error messages show it: the type of an array, else the value."""
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
    """Return the cutoffs `k` as ranks. Callers may pass cutoffs that they have checked."""
    if isinstance(k, Cutoffs):
        return k
    if (k is None and allow_none) or (type(k) is int and 1 <= k < WHOLE_LIST):
        return _one_cutoff(WHOLE_LIST if k is None else k)
    expected = f"{'None, ' if allow_none else ''}an int of at least 1 or a list of these"
    # As objects, so that a True among the numbers stays True and is refused.
    try:
        cutoffs = np.asarray(k, dtype=object)
    except (ValueError, TypeError, RuntimeError):  # PyTorch raises the last two
        cutoffs = np.empty(0, dtype=object)
    if cutoffs.ndim > 1 or cutoffs.size == 0 or np.ma.is_masked(k):
        raise invalid("k", function, expected, describe(k))
    ranks = []
    for cutoff in cutoffs.flat:
        if not (is_whole(cutoff) and cutoff >= 1) and not (cutoff is None and allow_none):
            got = "None in a list" if cutoff is None and cutoffs.ndim else describe(cutoff)
            raise invalid("k", function, expected, got)
        ranks.append(WHOLE_LIST if cutoff is None else min(int(cutoff), WHOLE_LIST - 1))
    return Cutoffs(np.array(ranks), is_single=cutoffs.ndim == 0)


@lru_cache(maxsize=32)
def _one_cutoff(rank: int) -> Cutoffs:
    """Return a single cutoff. All calls share it."""
    ranks = np.array([rank])
    ranks.flags.writeable = False
    return Cutoffs(ranks, is_single=True)


def is_whole(value: Any) -> bool:
    """Return whether something is an int of Python or NumPy, and no bool."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def check_real(value: Any, parameter: str, function: str, expected: str) -> float:
    """Return a real number, possibly NaN or infinite, as a float."""
    if type(value) is float:  # which is known soonest
        return value
    if not isinstance(value, Real) or isinstance(value, bool):
        raise invalid(parameter, function, expected, describe(value))
    try:
        return float(value)
    except OverflowError as error:
        raise invalid(parameter, function, expected, "a number beyond float64") from error


def check_in_range(
    value: Any, parameter: str, function: str, expected: str, fits: Callable[[float], bool]
) -> float:
    """Return a real number that fits, as a float."""
    number = check_real(value, parameter, function, expected)
    if not fits(number):
        raise invalid(parameter, function, expected, describe(value))
    return number


def check_log_base(log_base: Any, function: str) -> float:
    """Return the base of the logarithm in a discount: above 1, so that it rises with the rank."""
    expected = "a finite number greater than 1"
    return check_in_range(log_base, "log_base", function, expected, lambda base: 1 < base < np.inf)


def check_relevance_threshold(relevance_threshold: Any, function: str) -> float | int | None:
    """Return the lowest label of a relevant item; None: there is no such label."""
    if relevance_threshold is None:
        return None
    expected = "None or a number that is not NaN"
    threshold = check_real(relevance_threshold, "relevance_threshold", function, expected)
    if np.isnan(threshold):
        raise invalid("relevance_threshold", function, expected, "nan")
    # An int stays an int, since a float may be another number than a wide int. So may labels.
    return int(relevance_threshold) if isinstance(relevance_threshold, Integral) else threshold


def check_max_grade(max_grade: Any, function: str) -> int:
    """Return the highest grade of a scale that starts at 0."""
    expected = "an int from 1 to 1000"
    if not is_whole(max_grade) or not 1 <= max_grade <= 1000:  # 2**1000 and its inverse are floats
        raise invalid("max_grade", function, expected, describe(max_grade))
    return int(max_grade)


def check_exact(labels: NDArray[Any], parameter: str, function: str, missing: str) -> None:
    """Raise if floats, which have NaN for unknown labels, would round the others."""
    if labels.dtype in (np.int64, np.uint64) and labels.size:
        largest = max(abs(int(labels.min())), int(labels.max()))
        if largest > _FLOAT64_IS_EXACT:
            expected = f"labels up to 2**53 if those that are {missing} are unknown"
            raise invalid(parameter, function, expected, f"a label of size {largest}")


def check_persistence(persistence: Any, function: str, parameter: str = "persistence") -> float:
    """Return the probability that a user goes on from one item to the next."""
    expected = "a number greater than 0 and less than 1"
    return check_in_range(persistence, parameter, function, expected, lambda p: 0 < p < 1)


def check_n_jobs(n_jobs: Any, function: str) -> int | None:
    """Return the number of threads, in the notation of joblib."""
    if n_jobs is None:
        return None
    if not is_whole(n_jobs) or n_jobs == 0:
        expected = "None or an int other than 0"
        code = "-1 uses all cores. None is 1, unless a `joblib.parallel_config` says otherwise."
        raise invalid("n_jobs", function, expected, describe(n_jobs), code=code)
    return int(n_jobs)


def check_option(value: Any, parameter: str, function: str, options: tuple[str, ...]) -> str:
    """Return one of a few words."""
    if not isinstance(value, str) or value not in options:
        raise invalid(parameter, function, any_of(options), describe(value))
    return value


def any_of(options: Sequence[str]) -> str:
    """Return some words as an error names them: 'a', 'b' or 'c'."""
    return f"{', '.join(map(repr, options[:-1]))} or {options[-1]!r}"


def check_bool(value: Any, parameter: str, function: str) -> bool:
    """Return a truth value as a bool."""
    if not isinstance(value, (bool, np.bool_)):
        raise invalid(parameter, function, "True or False", describe(value))
    return bool(value)


def check_average(average: Any, function: str) -> str | None:
    """Return "samples" for the mean over the queries, or None for one value per query."""
    if average is not None and not (isinstance(average, str) and average == "samples"):
        advice = "'samples' gives the mean over the queries, and None gives one value per query."
        raise invalid("average", function, "'samples' or None", describe(average), advice)
    return average


def check_real_array(values: ArrayLike, parameter: str, function: str) -> NDArray[Any]:
    """Return an array of bools, ints or floats in its own dtype. Arrays are not copied."""
    array = as_ndarray(values, parameter, function)
    if array.dtype == object and hasattr(values, "iloc"):
        array = _numbers_of_frame(values, array)
    if array.dtype.kind not in "biuf":
        raise _not_real(array, parameter, function)
    return array


def _numbers_of_frame(values: Any, array: NDArray[Any]) -> NDArray[Any]:
    """Return the numbers of a pandas frame whose columns differ in dtype, or are nullable."""
    if np.dtype(object) not in np.ravel(values.dtypes).tolist():
        exact = np.array(array.tolist())
        if exact.dtype.kind in "biuf" and exact.shape == array.shape:
            return exact
    from sklearn.utils import check_array  # converts missing values and objects

    return np.asarray(check_array(values, dtype=None, ensure_all_finite=False, ensure_2d=False))


def _not_real(array: NDArray[Any], parameter: str, function: str) -> InvalidParameterError:
    """Return the error about an array whose dtype has no real numbers."""
    got, code, place = f"dtype {array.dtype}", "", NOWHERE
    if array.dtype.kind in "OSTU" and array.size:
        code = f"If it holds numbers, use `np.asarray({parameter}).astype(float)`."
        if array.dtype.kind != "O" and parameter in ("y_true", "y_score"):
            code += (
                " Lists of ids are joined by `ranking_scores.from_lists`."
                if array.ndim
                else (" Files are read by `ranking_scores.trec.read_qrels` and `read_run`.")
            )
    if array.dtype == object and array.ndim == 0:
        got, code = describe(array[()]), ""
        if isinstance(array[()], Mapping):
            lists = any(isinstance(each, (list, tuple, set)) for each in array[()].values())
            arrays = any(isinstance(each, np.ndarray) for each in array[()].values())
            door = "from_lists" if lists else "from_tables" if arrays else "trec.from_pytrec_eval"
            code = f"`ranking_scores.{door}` makes data from dicts{' of lists' * lists}."
    elif array.dtype == object and array.size:
        if all(isinstance(each, Integral) and abs(int(each)) < 2**63 for each in array.flat):
            code = code.replace("float", "int")
        is_other = [not isinstance(each, Real) for each in array.flat]
        if any(is_other):
            index = np.unravel_index(is_other.index(True), array.shape)
            other, place = array[index], Place(position=tuple(map(int, index)))
            got += f" with {describe(other)}"
            if isinstance(other, Mapping):
                code = "`ranking_scores.trec.from_pytrec_eval` makes data from dicts."
            if isinstance(other, (list, np.ndarray)):
                code = _LENGTHS
    return invalid(parameter, function, _REAL, got, code=code, place=place)


def as_csr(values: Any, **options: Any) -> csr_array:
    """Return a sparse array of SciPy in the format CSR."""
    from scipy import sparse  # here, since it takes as long as all other imports

    return sparse.csr_array(values, **options)


def check_sparse(
    values: Any, parameter: str, function: str, *, keep_zeros: bool = False
) -> csr_array:
    """Return a sparse matrix or array of any format as CSR. CSR is not copied.

    Values that are stored twice are summed, in a dtype in which the sum cannot wrap around. Stored
    zeros may be lost, unless they are kept, which refuses some formats.
    """
    is_small = values.dtype.kind in "biu" and values.dtype.itemsize < 8
    if is_small and not getattr(values, "has_canonical_format", True):
        values = values.astype(np.int64)
    if keep_zeros:
        return check_stored(values, parameter, function)
    return _as_csr(values, as_csr, parameter, function)


def check_stored(values: Any, parameter: str, function: str) -> csr_array:
    """Return a sparse matrix or array as CSR that stores the same values, also zeros.

    Values that are stored twice stay so. CSR is not copied.
    """
    if values.format not in ("csr", "csc", "coo", "lil", "dok"):
        got = f"a sparse {type(values).__name__}"
        advice = "Other formats lose stored zeros or add some."
        raise invalid(parameter, function, "in the format CSR, CSC, COO, LIL or DOK", got, advice)
    return _as_csr(values, _with_all_that_is_stored, parameter, function)


def _as_csr(
    values: Any, convert: Callable[[Any], csr_array], parameter: str, function: str
) -> csr_array:
    """Return a sparse matrix or array as CSR, after checks that prevent crashes in SciPy."""
    if values.ndim != 2:
        raise invalid(parameter, function, "2-D if it is sparse", f"shape {values.shape}")
    if values.format in ("csr", "csc") and values.nnz:  # SciPy does not check their indices
        n_cells = values.shape[values.format == "csr"]
        lowest, highest = int(values.indices.min()), int(values.indices.max())
        if lowest < 0 or highest >= n_cells:
            expected = f"a matrix whose indices are from 0 to {n_cells - 1}"
            got = str(lowest if lowest < 0 else highest)
            code = "Use `retrieved_from_ids` for ids that are padded with -1."
            raise invalid(parameter, function, expected, got, code=code if lowest == -1 else "")
    if values.dtype.kind not in "biuf":
        raise invalid(parameter, function, _REAL, f"dtype {values.dtype}")
    dtype = supported_by_scipy(values.dtype)
    supported = values if values.dtype == dtype else values.astype(dtype)
    converted = convert(supported)
    converted.data = converted.data.view(supported.dtype)  # whose metadata SciPy loses on the way
    return converted


def _with_all_that_is_stored(values: Any) -> csr_array:
    """Return all stored values as CSR, without the sums that SciPy makes of duplicates in COO."""
    if values.format != "coo":
        return as_csr(values)
    order = np.argsort(values.row, kind="stable")
    starts = np.searchsorted(values.row[order], np.arange(values.shape[0] + 1))
    return as_csr((values.data[order], values.col[order], starts), shape=values.shape)


def supported_by_scipy(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return a dtype of SciPy's sparse arrays that holds all values of another dtype."""
    native = dtype.newbyteorder("=")
    return wide_dtype("float16") if native == np.float16 else native


def check_finite_weights(values: ArrayLike, parameter: str, function: str) -> NDArray[np.float64]:
    """Return 1-D weights as float64: finite and not negative."""
    weights = check_real_array(values, parameter, function).astype(np.float64)
    if weights.ndim != 1:
        code = without_last_axis(parameter, weights.shape, 1)
        raise invalid(parameter, function, "1-D", f"shape {weights.shape}", code=code)
    in_range = (weights >= 0) & (weights < np.inf)
    if not in_range.all():
        first = int(np.argmin(in_range))
        got, place = str(weights[first]), Place(position=first)
        raise invalid(parameter, function, "finite and not negative", got, place=place)
    return weights


def check_identifiers(values: ArrayLike, parameter: str, function: str) -> NDArray[Any]:
    """Return 1-D query ids or class labels, each unchanged. None of them is missing."""
    array = as_identifiers(values, parameter, function)
    if array.dtype.kind in "biuSU":  # these dtypes have no missing values
        return array
    try:
        is_missing = are_missing(array)
    except (TypeError, ValueError) as error:
        raise unsortable(array, parameter, function, error) from error
    if is_missing.any():
        first = int(np.argmax(is_missing))
        got, place = str(array[first]), Place(position=first)
        advice = "Drop the rows without an id, or give them one." if parameter == "qid" else ""
        raise invalid(parameter, function, "without missing values", got, advice, place=place)
    return array


def as_identifiers(values: ArrayLike, parameter: str, function: str) -> NDArray[Any]:
    """Return 1-D query ids or class labels, each unchanged. Some may be missing."""
    array = as_ndarray(text_as_objects(values), parameter, function, may_be_rounded=True)
    if (
        isinstance(values, (list, tuple))
        and array.dtype.kind == "f"
        and array.tolist() != list(values)
    ):
        # NumPy rounded some values (2**63 and -1 become floats). As objects they stay as they are.
        array = np.asarray(values, dtype=object)
    if array.ndim != 1:
        got = f"shape {array.shape}" if array.ndim else describe(values)
        code = without_last_axis(parameter, array.shape, 1)
        if array.ndim == 2 and len(array) > 1 and not code and parameter == "qid":
            code = f"Make one id from the values in each row: `{_one_id_of_several(values)}`."
        raise invalid(parameter, function, "1-D", got, code=code)
    if array.dtype.kind == "V":
        raise invalid(parameter, function, "of one sortable type", describe(array))
    # As objects, since a missing string equals itself and other strings.
    return array.astype(object) if array.dtype.kind == "T" else array


def _one_id_of_several(values: ArrayLike) -> str:
    """Return the code that makes one id from the values in each row."""
    array = np.asarray(values)
    if hasattr(values, "iloc"):
        return "qid.groupby(list(qid)).ngroup()"
    if array.dtype.kind in "biuSU":
        return "np.unique(qid, axis=0, return_inverse=True)[1].ravel()"
    return f"pandas.DataFrame(qid).groupby({[*range(array.shape[1])]}).ngroup()"


def are_missing(array: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which values are missing: NaN, NaT, and among objects None and pandas' NA."""
    try:
        is_missing = array != array  # NaN and NaT; of objects also None, which sorts with nothing
        if array.dtype == object:
            is_missing = is_missing | np.equal(array, np.array(None))
        return np.asarray(is_missing, dtype=bool)
    except (TypeError, ValueError):
        # Comparing pandas' NA or an array with itself gives no bool.
        is_na = np.array([type(each).__name__ == "NAType" for each in array])
        if not is_na.any():
            raise
        is_na[~is_na] = are_missing(array[~is_na])
        return is_na


def unique_identifiers(
    array: NDArray[Any], parameter: str, function: str, given: NDArray[Any] | None = None
) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Return the unique identifiers, sorted, and the index of each identifier among them.

    If they are only some of the given identifiers, errors describe all `given` ones.
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
        advice = "Some values have no order, such as sets, or tuples with NaN."
        raise invalid(parameter, function, "of one sortable type", describe(given), advice)
    return unique, which


def unsortable(
    array: NDArray[Any], parameter: str, function: str, error: Exception
) -> InvalidParameterError:
    """Return the error about identifiers that Python cannot compare with each other."""
    expected, code = "of one sortable type", f"{error}."
    return invalid(parameter, function, expected, describe(array), code=code)


def is_sparse(values: Any) -> bool:
    """Return whether something is a sparse matrix or array of SciPy."""
    # The first is known much sooner. The second cannot be one, unless a caller has loaded it.
    if type(values) is np.ndarray or "scipy.sparse" not in sys.modules:
        return False
    from scipy.sparse import issparse  # here, since it takes as long as all other imports

    return bool(issparse(values))


def as_ndarray(
    values: ArrayLike, parameter: str, function: str, *, may_be_rounded: bool = False
) -> NDArray[Any]:
    """Return `values` as an array, without any loss.

    Only if values `may_be_rounded`, ints beside floats become floats that differ from them.
    """
    if type(values) is np.ndarray and values.dtype.isbuiltin == 1:
        return values
    first = values[:1] if isinstance(values, (list, tuple)) else (values,)
    if any(map(is_tensor_class, map(type, first))):
        values = _without_tensors(values, parameter, function)
    check_utf8(values, partial(invalid, parameter, function))
    if hasattr(values, "query_ids"):  # such as RankingData
        code = "Pass it alone, without `y_score`, or pass its arrays: `data.y_true, data.y_score`."
        raise invalid(parameter, function, "an array", describe(values), code=code)
    if is_sparse(values):
        got = f"a sparse {type(values).__name__}"
        raise invalid(parameter, function, "dense", got, code="Use .toarray().")
    n_masked = _count_masked(values)
    if n_masked:
        expected, code = "an array without masked elements", ""
        if parameter in ("y_true", "y_score"):
            code = "Leave these items out with `where`, or drop their rows if `qid` is given."
        got = f"{n_masked} masked element{'s' * (n_masked != 1)}"
        raise invalid(parameter, function, expected, got, code=code)
    try:
        try:
            array = np.asarray(decoded(values))
        except (TypeError, RuntimeError):  # perhaps PyTorch's, of what is in lists
            array = np.asarray(_without_tensors(values, parameter, function))
    except errors_of_arrays() as error:
        expected = "array-like"
        code = "Pad the shorter rows with -1." if parameter == "ids" else _LENGTHS
        if not (isinstance(values, (list, tuple)) and isinstance(error, ValueError)):
            code = _first_line(error)
        raise invalid(parameter, function, expected, describe(values), code=code) from error
    if array.dtype.isbuiltin == 2 and np.can_cast(array.dtype, np.float32):
        # bfloat16, float8 and their like, of ml_dtypes
        return array.astype(wide_dtype(array.dtype.name))
    if array.dtype == np.float64 and isinstance(values, (list, tuple)) and not may_be_rounded:
        return _not_rounded(array, values, parameter, function)
    return array


def _without_tensors(values: Any, parameter: str, function: str) -> Any:
    """Return values in whose lists, of any depth, the tensors are arrays."""
    if isinstance(values, (list, tuple)):
        return [_without_tensors(value, parameter, function) for value in values]
    return check_tensor(values, parameter, function)


def check_tensors(values: dict[str, Any], function: str) -> dict[str, Any]:
    """Return parameters by name, of which the tensors are arrays: sparse ones only in two."""
    return {
        name: check_tensor(value, name, function, may_be_sparse=name in ("y_true", "y_score"))
        for name, value in values.items()
    }


def check_tensor(
    values: Any, parameter: str, function: str, *, may_be_sparse: bool = False
) -> Any:
    """Return a tensor of PyTorch as an array, and other values unchanged.

    Each call copies a tensor that is on another device.
    """
    if not is_tensor_class(type(values)):
        return values
    if getattr(values, "is_nested", False):
        raise invalid(parameter, function, "array-like", "a nested tensor", code=_LENGTHS)
    try:
        array = array_of_tensor(values)
    except errors_of_arrays() as error:
        got, code = describe(values), _first_line(error)
        raise invalid(parameter, function, "array-like", got, code=code) from error
    if is_sparse(array) and not may_be_sparse:
        got = f"a sparse {type(values).__name__}"
        raise invalid(parameter, function, "dense", got, code="Use `.to_dense()`.")
    return array


def _first_line(error: Exception) -> str:
    """Return what a library says first of values that cannot be an array."""
    return f"{str(error).partition(chr(10))[0].rstrip('.')}."


def _count_masked(values: Any) -> int:
    """Return the number of masked elements of an array, or of the arrays in a list."""
    if isinstance(values, np.ma.MaskedArray):
        return int(np.ma.getmaskarray(values).sum())
    if not isinstance(values, (list, tuple)) or np.ma.MaskedArray not in set(map(type, values)):
        return 0
    return sum(map(_count_masked, values))


def _not_rounded(array: NDArray[Any], values: Any, parameter: str, function: str) -> NDArray[Any]:
    """Return the ints of a list as ints, even if NumPy turns them into floats.

    It does so if some are beyond int64 and others are not, or beside floats. Raise if two ints
    could become equal.
    """
    if not (array.size and np.abs(array).max() >= _FLOAT64_IS_EXACT):
        return array
    objects = np.asarray(values, dtype=object)
    ints = [int(each) for each in objects.flat if isinstance(each, Integral)]
    if len(ints) == objects.size and min(ints) >= 0:
        return objects.astype(np.uint64)
    inexact = [each for each in ints if abs(each) > _FLOAT64_IS_EXACT and int(float(each)) != each]
    if inexact:
        expected = "made of ints alone, or of numbers that float64 holds"
        code = "Pass all of them as ints, or as floats."
        raise invalid(parameter, function, expected, str(inexact[0]), code=code)
    return array


def advise_on_sizes(parameter: str) -> str:
    """Return the advice for sizes of queries that came instead of one id per row."""
    if parameter in ("qid", "group", "groups"):  # as LightGBM and XGBoost call the sizes
        return (
            "To make ids from the sizes of queries, use "
            f"`qid=ranking_scores.qid_from_sizes({parameter})`."
        )
    return ""


@cache
def foreign_words() -> Mapping[str, dict[str, Any]]:
    """Return the table of the words of other programs, which only errors need."""
    import tomllib
    from importlib.resources import files

    text = files("ranking_scores._base").joinpath("foreign_words.toml").read_text("utf-8")
    return tomllib.loads(text)


def advise_on_keyword(name: str, known: Collection[str]) -> str:
    """Return the advice about a keyword that a function lacks, if another program has it."""
    words = foreign_words()["keywords"].items()
    own = [each for each, others in words if name in others and each in known]
    own = ["scores"] if "scores" in own else own  # beside it, `score` is a column
    if not own:
        return advise_on_sizes(name)
    of_data = {"system_a", "systems"} & {*known} and {"score", "scores"} & {*own}
    only = ", for data and files. Values of queries and reports go without it" if of_data else ""
    return f"It is called {' or '.join(f'`{each}`' for each in own)} here{only}."


def unknown_parameter(
    name: str, value: Any, known: Collection[str], owner: str, function: str
) -> InvalidParameterError:
    """Return the error about a parameter that does not exist, with its name here if it has one."""
    near = difflib.get_close_matches(name, known, n=1)
    code = advise_on_keyword(name, known) or foreign_words()["elsewhere"].get(name, "")
    advice = f"Did you mean {near[0]!r}?" if near and not code else ""
    expected = f"left out, since it is not a parameter of {owner}"
    return invalid(name, function, expected, describe(value), advice, code=code, owner=owner)


def renamed(old: str, old_value: Any, new: str, value: Any, function: str) -> Any:
    """Return the value of a parameter, which may still come under its old name."""
    if old_value is None:
        return value
    if value is not None:
        raise invalid(old, function, f"left out beside `{new}`", describe(old_value))
    text = f"The {old!r} parameter of {function} is called {new!r}. The old name ends with 0.4."
    warn_caller(text, FutureWarning)
    return old_value


P = ParamSpec("P")
R = TypeVar("R")


def advises_on_keywords(function: Callable[P, R], module: str = "") -> Callable[P, R]:
    """Return a function whose error about a keyword that it lacks says what to write instead.

    `module` stands before its name, if the name alone does not tell which function it is.
    Python refuses such a call before any line of the function runs, so only a function around it
    can help. Its signature stays, and a call that Python accepts pays for one more call.
    """

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except InvalidParameterError:
            raise
        except TypeError:
            caller = f"{module}{function.__qualname__}".removesuffix(".__init__")
            error = _wrong_call(function, caller, args, kwargs)
            if error is None:
                raise
            raise error from None

    return call


def _wrong_call(
    function: Callable[..., Any], caller: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> InvalidParameterError | None:
    """Return the error about a keyword that a function lacks, or a parameter that it needs."""
    signature = inspect.signature(function)
    every = signature.parameters
    known = {name: own for name, own in every.items() if own.kind is not own.VAR_KEYWORD}
    takes_any = len(known) < len(every)
    given = {name: value for name, value in kwargs.items() if takes_any or name in known}
    try:
        bound = signature.bind_partial(*args, **given).arguments
    except TypeError:  # too many, or one twice
        bound = dict(every)
    missing = [
        name for name, own in known.items() if own.default is own.empty and name not in bound
    ]
    for name, value in kwargs.items():
        if name not in given or (missing and name not in known and advise_on_keyword(name, known)):
            return unknown_parameter(name, value, known, caller, caller)
    if not missing:
        first = [name for name, own in known.items() if own.kind is not own.KEYWORD_ONLY]
        if len(args) <= len(first):
            return None
        got, code = f"{describe(args[len(first)])} after it", ", as in k=10" * ("k" in known)
        advice = f"Pass others by name{code}."
        return invalid(first[-1], caller, "the last one by position", got, advice)
    name, examples = missing[0], foreign_words()["examples"]
    example = examples.get(f"{caller}.{name}", examples.get(name))
    expected = f"given, as in {name}={example}" if example else "given"
    return invalid(name, caller, expected, "")


def without_last_axis(parameter: str, shape: tuple[int, ...], n_axes: int) -> str:
    """Return the advice for an array with an additional last axis of length 1, else nothing."""
    if len(shape) == n_axes + 1 and shape[-1] == 1:
        return f"Use `np.asarray({parameter})[..., 0]`."
    return ""
