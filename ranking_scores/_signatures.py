"""What `help`, notebooks and `inspect.signature` show of a call: names and defaults, no types.

Docstrings say in words what a parameter may be. The types are for type checkers, and would fill
six lines of a terminal. They stay in the annotations, where `typing.get_type_hints` finds them,
and in the overloads.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any


def hide_types(module: dict[str, Any]) -> None:
    """Leave the types out of what is shown of all that a module has in `__all__`."""
    for name in module["__all__"]:
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
    # Not the class: classes that inherit from it would show its signature, whatever their own is.
    attributes = vars(public).values() if inspect.isclass(public) else [public]
    for each in attributes:
        function = getattr(each, "__func__", each)  # of a class method
        function = getattr(function, "fn", function)  # of what `available_if` makes
        if inspect.isfunction(function) and function.__annotations__:
            yield function
