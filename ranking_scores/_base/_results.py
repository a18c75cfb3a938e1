"""What results share: dicts and arrays that cannot be changed, and equality by value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

Key = TypeVar("Key")
Value = TypeVar("Value")
Named = TypeVar("Named", bound=tuple[Any, ...])


class ReadOnlyDict(dict[Key, Value]):
    """A dict that cannot be changed. Whatever takes a dict, such as `json.dumps`, takes it."""

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError("A result is read-only. Copy it with `dict`.")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self),)


class Result:
    """A result that equals another of its class if all values are equal, and has no hash."""

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return are_equal(vars(self), vars(other))


def with_types(named: type[Named]) -> type[Named]:
    """Return a named tuple whose help shows types as that of functions does: no ``ForwardRef``."""
    types = named.__new__.__annotations__
    types.update({name: getattr(each, "__forward_arg__", each) for name, each in types.items()})
    return named


def show_values(name: str, values: Mapping[str, Any]) -> str:
    """Return the text of a result of numbers and arrays, a line for each of them."""
    lines = []
    for key, value in values.items():
        of_array = np.array2string(np.asarray(value), prefix=f"    {key}=", threshold=20)
        lines.append(f"    {key}={value if np.ndim(value) == 0 else of_array},\n")
    return f"{name}(\n{''.join(lines)})"


def locked(values: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view of values."""
    view = values.view()
    view.flags.writeable = False
    return view


def lock(value: Any) -> Any:
    """Return a value with its arrays read-only, also those in dicts, as after unpickling."""
    if isinstance(value, ReadOnlyDict):
        return ReadOnlyDict({key: lock(each) for key, each in value.items()})
    return locked(value) if isinstance(value, np.ndarray) else value


def are_equal(left: Any, right: Any) -> bool:
    """Return whether two values of results are the same, of the same type. NaN equals NaN."""
    if type(left) is not type(right):
        return False
    if isinstance(left, np.ndarray):
        if left.dtype != right.dtype or left.shape != right.shape:
            return False
        if left.dtype == object:
            return are_equal(left.tolist(), right.tolist())
        return np.array_equal(left, right, equal_nan=left.dtype.kind in "fmM")
    if isinstance(left, Mapping) and type(left).__eq__ in (dict.__eq__, Mapping.__eq__):
        return are_equal([*left], [*right]) and are_equal([*left.values()], [*right.values()])
    if isinstance(left, (list, tuple)):
        return len(left) == len(right) and all(map(are_equal, left, right))
    return bool(left == right or (left != left and right != right))
