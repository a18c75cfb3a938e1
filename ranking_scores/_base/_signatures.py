"""Signatures without types, for `help`, notebooks and `inspect.signature`.

Docstrings describe the types of parameters in words. The annotations are for type checkers, and
would fill six lines of a terminal. They stay available to `typing.get_type_hints` and in the
overloads.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import partial, wraps
from typing import Any, TypeVar, cast

from ranking_scores._base._errors import invalid
from ranking_scores._base._validation import describe

Function = TypeVar("Function", bound=Callable[..., Any])


def renamed(**new_names: str) -> Callable[[Function], Function]:
    """Make a function refuse old names of its parameters with an error that says the new ones."""
    return partial(_refusing, new_names)


def _refusing(new_names: dict[str, str], function: Function) -> Function:
    @wraps(function)
    def checked(*args: Any, **kwargs: Any) -> Any:
        for old in [name for name in kwargs if name in new_names]:
            advice = f"The parameter is now called `{new_names[old]}`."
            raise invalid(old, function.__name__, "left out", describe(kwargs[old]), advice)
        return function(*args, **kwargs)

    return cast(Function, checked)


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
