"""Attributes that are computed when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

Value = TypeVar("Value")


class once(Generic[Value]):  # noqa: N801, as it is used like `property`
    """A property that is computed once for each object, which keeps the value.

    `functools.cached_property` does the same. Until Python 3.12 it holds a lock meanwhile, which
    takes longer than most values here, and which a process that is forked may find locked.
    """

    def __init__(self, function: Callable[[Any], Value]) -> None:
        self.func = function
        self._name = function.__name__
        self.__doc__ = function.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> once[Value]: ...
    @overload
    def __get__(self, instance: object, owner: type) -> Value: ...
    def __get__(self, instance: object | None, owner: type) -> once[Value] | Value:
        if instance is None:
            return self
        value = self.func(instance)
        vars(instance)[self._name] = value  # which is found before this is
        return value
