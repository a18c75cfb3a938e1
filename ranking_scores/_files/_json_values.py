"""Values of results as JSON, to the last bit and with their types, and back.

Anybody can write a file, so what reads a value here takes only the JSON that is written here. It
raises one of the `REFUSALS` about any other JSON, and about a number or an array of a size that no
result has, before it spends time or memory on it.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_INFINITE = {"inf": math.inf, "-inf": -math.inf}
_DAYS_OF_DURATION = ("days", "seconds", "microseconds")

REFUSALS = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError)
"""The errors about JSON that was not written here."""
_LARGEST_COUNT = 2**63 - 1
_MOST_DIGITS = 4300
"""The most digits of a number, since Python reads no longer ints from text."""
_LARGEST_EXPONENT = 999_999
"""The largest exponent of a decimal, as in the contexts of `decimal`."""
_DEEPEST = 50
"""The most tuples, lists, dicts and arrays that are inside each other."""
_MOST_PADDED = 2**26
"""An array of text has room for so many characters in all, or for a limited number for each."""
_MOST_PADDING = 1000
"""That number: the characters that a larger array has room for, for each one that it holds."""
_WHOLE = re.compile(r"-?0x[0-9a-f]+")
_FRACTION = re.compile(r"-?[0-9]+(/[0-9]+)?")
_DTYPE = re.compile(r"[<>|][biufSUmMO][0-9]*(\[[0-9A-Za-z]+\])?")
_TIME = re.compile(
    r"NaT|-?[0-9]+(-[0-9]{2}(-[0-9]{2}(T[0-9]{2}(:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?)?)?)?)?"
)
"""A time as NumPy writes it, which has no zone."""


class NotSavableError(Exception):
    """The error about a value that files cannot hold. Its text describes the value."""


class _JsonType(NamedTuple):
    """A type of objects, and its way to JSON and back."""

    type: type
    to_json: Callable[[Any], Any]
    from_json: Callable[[Any], Any]


def _datetime_to_json(value: datetime.datetime) -> str:
    """Return a time as text. Raise if its zone had that time twice, as the text loses the zone."""
    if value.utcoffset() != value.replace(fold=1 - value.fold).utcoffset():
        raise NotSavableError(f"{value!r}, a time that its zone has twice or skips,")
    return value.isoformat()


_KINDS = {
    "bytes": _JsonType(bytes, bytes.hex, bytes.fromhex),
    "datetime": _JsonType(datetime.datetime, _datetime_to_json, datetime.datetime.fromisoformat),
    "date": _JsonType(datetime.date, datetime.date.isoformat, datetime.date.fromisoformat),
    "time": _JsonType(datetime.time, datetime.time.isoformat, datetime.time.fromisoformat),
    "timedelta": _JsonType(
        datetime.timedelta,
        lambda each: [getattr(each, name) for name in _DAYS_OF_DURATION],
        lambda parts: datetime.timedelta(*parts),
    ),
}
"""The objects that are ids here and there, by the key of their JSON. All others have JSON of their
own, or are arrays and scalars of NumPy."""
_NESTED: dict[str, Callable[[list[Any]], Any]] = {"tuple": tuple, "list": list, "dict": dict}
"""The objects with others in them, by their names."""
_TEXTS = {
    "uuid": ("uuid", "UUID"),
    "decimal": ("decimal", "Decimal"),
    "fraction": ("fractions", "Fraction"),
}
"""More such objects, whose JSON is their text, by the modules and the names of their types. These
modules are imported only if a file needs them."""


def to_json(value: Any, depth: int = 0) -> Any:
    """Return a value as JSON that `from_json` turns into an equal value of the same type.

    None, bools, ints and text are themselves, NaN is null in a dict. Raise if the type has no
    JSON, since only its name could be kept. `depth` is the number of objects around the value.
    """
    if depth > _DEEPEST:
        raise NotSavableError(f"an object inside of more than {_DEEPEST} others")
    if value is None or type(value) in (bool, int, str):
        return value
    if type(value) is float:
        return value if math.isfinite(value) else {"float": str(value)}
    if type(value) is np.ndarray:
        head = {"array": dtype_to_json(value), "shape": list(value.shape)}
        return {**head, "values": column_to_json(value.ravel(), depth)}
    if isinstance(value, np.generic):
        return {"numpy": dtype_to_json(value), "value": column_to_json(np.array([value]))[0]}
    if type(value) in _NESTED.values():
        parts = value.items() if type(value) is dict else value
        return {type(value).__name__: [to_json(part, depth + 1) for part in parts]}
    for key, kind in _KINDS.items():
        if type(value) is kind.type:
            return {key: kind.to_json(value)}
    for key, name in _TEXTS.items():
        if (type(value).__module__, type(value).__qualname__) == name:
            try:
                text = str(value)
                _of_text(key, text)
            except ValueError as error:
                raise NotSavableError(f"a {name[1]} of so many digits") from error
            return {key: text}
    raise NotSavableError(f"an object of type {type(value).__qualname__}")


def from_json(value: Any, depth: int = 0) -> Any:
    """Return the value of which `to_json` has made JSON."""
    if not isinstance(value, dict):
        if isinstance(value, list):
            raise TypeError
        return value
    if depth > _DEEPEST:
        raise RecursionError
    if "array" in value:
        values, shape = value["values"], tuple(map(count_from_json, value["shape"]))
        if math.prod(shape) != len(values) or max(shape, default=0) > max(len(values), 1000):
            raise ValueError
        return column_from_json(values, value["array"], depth + 1).reshape(shape)
    if "numpy" in value:
        return column_from_json([value["value"]], value["numpy"], depth + 1)[0]
    [(key, of)] = value.items()
    if key == "float":
        return math.nan if of == "nan" else _INFINITE[of]
    if key in _NESTED:
        return _NESTED[key]([from_json(each, depth + 1) for each in list_from_json(of)])
    if key in _TEXTS:
        return _of_text(key, text_from_json(of))
    return _KINDS[key].from_json(of)


def _of_text(key: str, text: str) -> Any:
    """Return the object with a text. Raise about a number that takes too long to compute with."""
    if key == "fraction" and not _FRACTION.fullmatch(text):  # it may not have an exponent
        raise ValueError
    module, name = _TEXTS[key]
    if max(map(len, text.lstrip("-").split("/"))) > _MOST_DIGITS:
        raise ValueError
    value = getattr(import_module(module), name)(text)
    if key == "decimal" and value.is_finite() and abs(value.adjusted()) > _LARGEST_EXPONENT:
        raise ValueError
    return value


def dtype_to_json(values: Any) -> str:
    """Return a dtype as text. Raise if its values would lose bits."""
    is_long = values.dtype.kind == "f" and values.dtype.itemsize > 8
    if is_long or values.dtype.kind not in "biufSUmMO":
        raise NotSavableError(f"an array of dtype {values.dtype}")
    return str(values.dtype.str)


def column_to_json(values: NDArray[Any], depth: int = 0) -> list[Any]:
    """Return the values of a 1-D array as JSON. NaN is null, if the dtype is one of floats."""
    kind = values.dtype.kind
    if kind == "f":
        floats: list[Any] = values.tolist()
        return floats if np.isfinite(values).all() else [*map(float_to_json, floats)]
    if kind == "M":
        return list(np.datetime_as_string(values).tolist())
    if kind == "m":
        return list(values.view(np.dtype(np.int64).newbyteorder(values.dtype.byteorder)).tolist())
    if kind == "S":
        return [value.hex() for value in values.tolist()]
    objects: list[Any] = values.tolist()
    if {*map(type, objects)} <= {bool, int, str}:
        return objects
    return [to_json(each, depth + 1) for each in objects]


_TYPE_OF_KIND = {"b": bool, "i": int, "u": int, "m": int, "M": str, "S": str, "U": str}
"""The type of the JSON of each value of an array, by the kind of its dtype."""


def column_from_json(values: list[Any], dtype: str, depth: int = 0) -> NDArray[Any]:
    """Return the 1-D array of which `column_to_json` has made JSON."""
    types = {*map(type, list_from_json(values))}
    if not _DTYPE.fullmatch(dtype):
        raise ValueError
    kind = np.dtype(dtype).kind
    if kind == "O":
        objects = np.empty(len(values), object)
        is_plain = types <= {bool, int, str}
        objects[:] = values if is_plain else [from_json(value, depth + 1) for value in values]
        return objects
    if kind == "f":
        values = values if types <= {float} else [*map(float_from_json, values)]
        with np.errstate(over="raise"):
            return np.array(values, dtype)
    if not types <= {_TYPE_OF_KIND[kind]}:
        raise TypeError
    if kind == "m":
        return np.array(values, np.int64).astype(np.dtype(dtype).newbyteorder("=")).astype(dtype)
    if kind == "M" and not all(map(_TIME.fullmatch, values)):
        raise ValueError
    if kind == "S":
        values = [*map(bytes.fromhex, values)]
    if kind in "SU":
        lengths = [*map(len, values)]
        width = np.dtype(dtype).itemsize // np.dtype(f"{kind}1").itemsize
        n_padded = width * len(values)
        # Longer texts would be cut, and memory wasted on the padding of short ones.
        is_wasted = n_padded > max(_MOST_PADDED, _MOST_PADDING * sum(lengths))
        if max(lengths, default=0) > width or is_wasted:
            raise ValueError
    return np.array(values, dtype)


def float_to_json(value: float) -> float | str | None:
    """Return a float as JSON, which has no infinities and no NaN: they are text and null."""
    if math.isfinite(value):
        return value
    return None if math.isnan(value) else str(value)


def float_from_json(value: Any) -> float:
    """Return the float of which `float_to_json` has made JSON."""
    if value is None:
        return math.nan
    if type(value) not in (float, int):
        return _INFINITE[value]
    return float(value)


def count_from_json(value: Any, most: int = _LARGEST_COUNT) -> int:
    """Return a number of things, which is at least 0, and not more than some number."""
    if type(value) is not int:
        raise TypeError
    if not 0 <= value <= most:
        raise ValueError
    return value


def whole_from_json(text: str, most_digits: int) -> int:
    """Return the number of which `hex` has made text."""
    if not _WHOLE.fullmatch(text) or len(text) > most_digits + len("-0x"):
        raise ValueError
    return int(text, 16)


def bool_from_json(value: Any) -> bool:
    """Return a bool, or raise."""
    if not isinstance(value, bool):
        raise TypeError
    return value


def text_from_json(value: Any) -> str:
    """Return a text, or raise."""
    if not isinstance(value, str):
        raise TypeError
    return value


def list_from_json(value: Any) -> list[Any]:
    """Return a list, or raise."""
    if not isinstance(value, list):
        raise TypeError
    return value
