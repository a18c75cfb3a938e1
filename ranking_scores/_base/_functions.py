"""Tests whether two functions are the same, such as a function and its copy in another process.

A function of a module is pickled by its name, and unpickling returns the same function. Lambdas
and functions inside functions are pickled by their parts, as `cloudpickle` does it. Unpickling
returns copies, which Python does not consider equal. So this module compares functions part by
part: their code, their defaults, and the values that they use.
"""

from __future__ import annotations

import builtins
import copyreg
import dis
from collections import ChainMap
from collections.abc import Iterator, Sequence
from types import CellType, CodeType, EllipsisType, FunctionType, NoneType
from typing import Any

import numpy as np

Parts = tuple[Any, Sequence[Any]]
"""The parts of a value: plain values, which are compared by ``==``, and other values."""


class UndecidedError(Exception):
    """It is not known whether two values are the same. The text names them."""


def are_same(left: Any, right: Any) -> bool:
    """Return whether two values are the same, part by part, or raise `UndecidedError`.

    The function is not recursive, since values may be deeply nested and may contain cycles.
    """
    pending, undecided = [(left, right)], None
    # The values are kept with their ids, so that no later value can reuse an id.
    seen: dict[tuple[int, int], tuple[Any, Any]] = {}
    while pending:
        left, right = pending.pop()
        pair = id(left), id(right)
        if left is right or pair in seen:
            continue
        seen[pair] = left, right
        if type(left) is not type(right):
            return False
        try:
            (plain, parts), (other_plain, others) = _take_apart(left), _take_apart(right)
        except Exception as error:  # the caller's code may raise anything
            undecided = UndecidedError(f"{type(left).__name__}: {error}")
            continue
        if plain != other_plain or len(parts) != len(others):
            return False
        pending += zip(parts, others, strict=True)
    if undecided is not None:
        raise undecided
    return True


def _take_apart(value: Any) -> Parts:
    """Return the parts of a value."""
    if _is_plain(value):
        return repr(value), ()
    kind = type(value)
    if kind in (tuple, list):
        return None, value
    if kind is dict:
        return None, [*value, *value.values()]
    if kind in (set, frozenset):
        if not all(map(_is_plain, value)):
            raise TypeError("its order changes from process to process")
        return sorted(map(repr, value)), ()
    if kind is FunctionType:
        return _parts_of_function(value)
    if kind is CodeType:
        return [getattr(value, name) for name in _OF_CODE], value.co_consts
    if kind is np.ndarray:
        parts = value.ravel().tolist() if value.dtype.hasobject else ()
        bits = b"" if value.dtype.hasobject else value.tobytes()
        return (value.dtype, value.shape, bits), parts
    if isinstance(value, np.dtype):
        return value, ()
    return None, _reduced(value)


_PLAIN = {NoneType, EllipsisType, bool, int, float, complex, str, bytes}


def _is_plain(value: Any) -> bool:
    """Return whether `repr` identifies a value."""
    kind = type(value)
    if kind is dict:
        return {*map(type, value), *map(type, value.values())} <= _PLAIN
    return kind in _PLAIN or (kind in (tuple, list) and set(map(type, value)) <= _PLAIN)


_OF_CODE = (
    "co_code",
    "co_exceptiontable",
    "co_names",
    "co_varnames",
    "co_freevars",
    "co_cellvars",
    "co_argcount",
    "co_posonlyargcount",
    "co_kwonlyargcount",
    "co_flags",
)
"""The attributes of code that define its behaviour, without constants and source positions."""


def _parts_of_function(function: FunctionType) -> Parts:
    """Return the parts of a function."""
    names = sorted(set(_global_names(function.__code__)))
    known = ChainMap(function.__globals__, vars(builtins))
    values = [
        function.__code__,
        function.__defaults__,
        function.__kwdefaults__,
        function.__dict__,
        *map(_contents, function.__closure__ or ()),
        *(known.get(name, _NOTHING) for name in names),
    ]
    return names, values


_NOTHING = object()
"""The value of a variable without a value."""


def _global_names(code: CodeType) -> Iterator[str]:
    """Yield the names of the global variables that code uses, including its inner functions."""
    for instruction in dis.get_instructions(code):
        if "GLOBAL" in instruction.opname or instruction.opname == "LOAD_NAME":
            yield instruction.argval
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _global_names(constant)


def _contents(cell: CellType) -> Any:
    """Return the value of a variable of an outer function."""
    try:
        return cell.cell_contents
    except ValueError:  # the variable has no value yet
        return _NOTHING


def _reduced(value: Any) -> Sequence[Any]:
    """Return the parts from which `pickle` makes a copy of a value."""
    reduce = copyreg.dispatch_table.get(type(value))
    parts = value.__reduce_ex__(4) if reduce is None else reduce(value)
    if isinstance(parts, str):  # a name, which identifies a single value
        raise TypeError(f"another {parts}")
    return [list(part) if isinstance(part, Iterator) else part for part in parts]
