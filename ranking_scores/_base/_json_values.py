"""Values of results as JSON, to the last bit and with their types, and back."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_INFINITE = {"inf": math.inf, "-inf": -math.inf}
_DAYS_OF_DURATION = ("days", "seconds", "microseconds")


class NotSavableError(Exception):
    """The error about a value that files cannot hold. Its text describes the value."""


class _Kind(NamedTuple):
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
    "tuple": _Kind(tuple, lambda each: [*map(to_json, each)], lambda of: (*map(from_json, of),)),
    "bytes": _Kind(bytes, bytes.hex, bytes.fromhex),
    "datetime": _Kind(datetime.datetime, _datetime_to_json, datetime.datetime.fromisoformat),
    "date": _Kind(datetime.date, datetime.date.isoformat, datetime.date.fromisoformat),
    "time": _Kind(datetime.time, datetime.time.isoformat, datetime.time.fromisoformat),
    "timedelta": _Kind(
        datetime.timedelta,
        lambda each: [getattr(each, name) for name in _DAYS_OF_DURATION],
        lambda parts: datetime.timedelta(*parts),
    ),
}
"""The objects that are ids here and there, by the key of their JSON. All others have JSON of their
own, or are arrays and scalars of NumPy."""
_TEXTS = {
    "uuid": ("uuid", "UUID"),
    "decimal": ("decimal", "Decimal"),
    "fraction": ("fractions", "Fraction"),
}
"""More such objects, whose JSON is their text, by the modules and the names of their types. These
modules are imported only if a file needs them."""


def to_json(value: Any) -> Any:
    """Return a value as JSON that `from_json` turns into an equal value of the same type.

    None, bools, ints and text are themselves, NaN is null in a dict. Raise if the type has no
    JSON, since only its name could be kept.
    """
    if value is None or type(value) in (bool, int, str):
        return value
    if type(value) is float:
        return value if math.isfinite(value) else {"float": str(value)}
    if type(value) is np.ndarray:
        return {"array": dtype_to_json(value), "shape": list(value.shape)} | {
            "values": column_to_json(value.ravel())
        }
    if isinstance(value, np.generic):
        return {"numpy": dtype_to_json(value), "value": column_to_json(np.array([value]))[0]}
    if type(value) in (list, dict):
        parts = {"list": value} if type(value) is list else {"dict": [*value.items()]}
        return {
            key: [*map(to_json, map(tuple, of) if key == "dict" else of)]
            for key, of in parts.items()
        }
    for key, kind in _KINDS.items():
        if type(value) is kind.type:
            return {key: kind.to_json(value)}
    for key, name in _TEXTS.items():
        if (type(value).__module__, type(value).__qualname__) == name:
            return {key: str(value)}
    raise NotSavableError(f"an object of type {type(value).__qualname__}")


def from_json(value: Any) -> Any:
    """Return the value of which `to_json` has made JSON."""
    if not isinstance(value, dict):
        return value
    if "array" in value:
        return column_from_json(value["values"], value["array"]).reshape(value["shape"])
    if "numpy" in value:
        return column_from_json([value["value"]], value["numpy"])[0]
    [(key, of)] = value.items()
    if key == "float":
        return float(of)
    if key == "list":
        return [*map(from_json, of)]
    if key == "dict":
        return dict(map(from_json, of))
    if key in _TEXTS:
        module, name = _TEXTS[key]
        return getattr(import_module(module), name)(of)
    return _KINDS[key].from_json(of)


def dtype_to_json(values: Any) -> str:
    """Return a dtype as text. Raise if its values would lose bits."""
    is_long = values.dtype.kind == "f" and values.dtype.itemsize > 8
    if is_long or values.dtype.kind not in "biufSUmMO":
        raise NotSavableError(f"an array of dtype {values.dtype}")
    return str(values.dtype.str)


def column_to_json(values: NDArray[Any]) -> list[Any]:
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
        return [each.hex() for each in values.tolist()]
    objects: list[Any] = values.tolist()
    return objects if {*map(type, objects)} <= {bool, int, str} else [*map(to_json, objects)]


def column_from_json(values: list[Any], dtype: str) -> NDArray[Any]:
    """Return the 1-D array of which `column_to_json` has made JSON."""
    kind = np.dtype(dtype).kind
    if kind == "f":
        is_plain = {*map(type, values)} <= {float}
        return np.array(values if is_plain else [*map(float_from_json, values)], dtype)
    if kind == "m":
        return np.array(values, np.int64).astype(np.dtype(dtype).newbyteorder("=")).astype(dtype)
    if kind == "S":
        return np.array([*map(bytes.fromhex, values)], dtype)
    if kind == "O":
        objects = np.empty(len(values), object)
        objects[:] = (
            values if {*map(type, values)} <= {bool, int, str} else [*map(from_json, values)]
        )
        return objects
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
    return _INFINITE[value] if isinstance(value, str) else float(value)
