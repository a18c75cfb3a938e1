"""Signatures without types, for `help`, notebooks and `inspect.signature`.

Docstrings describe the types of parameters in words. The annotations are for type checkers, and
would fill six lines of a terminal. They stay available to `typing.get_type_hints` and in the
overloads.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any


def hide_types(module: dict[str, Any]) -> None:
    """Leave the types out of the signatures of everything in the `__all__` of a module."""
    for name in {*module["__all__"]} & {*module}:
        for function in _functions_of(module[name]):
            signature = inspect.signature(function)
            parameters = [
                each.replace(annotation=each.empty) for each in signature.parameters.values()
            ]
            vars(function)["__signature__"] = signature.replace(
                parameters=parameters, return_annotation=signature.empty
            )


def _functions_of(public: Any) -> Iterator[Callable[..., Any]]:
    """Yield a function itself, or those of a class, if they have types."""
    # Not the class, since classes that inherit from it would show its signature.
    attributes = vars(public).values() if inspect.isclass(public) else [public]
    for each in attributes:
        function = getattr(each, "__func__", each)  # class methods
        function = getattr(function, "fn", function)  # methods by `available_if`
        if inspect.isfunction(function) and function.__annotations__:
            yield function
