"""Errors that say the new name of a parameter to those who pass the old one."""

from __future__ import annotations

from collections.abc import Callable
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
