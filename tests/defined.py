"""All scores of the package, and what their signatures say of them.

A table of the tests that begins with these has a row for a new score, and no list of names.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable
from functools import partial
from typing import Any

import reference
from hypothesis import strategies as st

from ranking_scores import _metrics

Score = Callable[..., Any]

CUTOFF = st.integers(1, 7)
MAX_GRADE = 3
"""The highest label that the tests draw."""


def parameters_of(score: Score) -> dict[str, inspect.Parameter]:
    """Return the parameters of a score, or of a `partial` of one, by name."""
    return dict(inspect.signature(score).parameters)


def takes(score: Score, parameter: str) -> bool:
    """Whether a score has a parameter."""
    return parameter in parameters_of(score)


def is_always_defined(score: Score) -> bool:
    """Whether a score has a value for every query, and so nothing to replace."""
    return not takes(score, "replace_undefined_by")


def replacing(value: float, score: Score) -> dict[str, float]:
    """Return the option that replaces undefined values, if the score has it."""
    return {} if is_always_defined(score) else {"replace_undefined_by": value}


def _scores() -> dict[str, Score]:
    """Return the public functions of the families' modules that take labels and an average."""
    found = {}
    for module in pkgutil.iter_modules(_metrics.__path__, f"{_metrics.__name__}."):
        for name, value in vars(importlib.import_module(module.name)).items():
            is_own = inspect.isfunction(value) and value.__module__ == module.name
            if (
                is_own
                and not name.startswith("_")
                and {"y_true", "average"} <= {*parameters_of(value)}
            ):
                found[name] = value
    return dict(sorted(found.items()))


SCORES: dict[str, Score] = _scores()
"""The scores by the names of their functions, found where they are written."""
PARAMETERS = {name for score in SCORES.values() for name in parameters_of(score)}
"""The parameters that any score has."""


DEFINED = [
    (score, reference.DEFINITIONS[name])
    for name, score in SCORES.items()
    if name in reference.DEFINITIONS  # `test_named` says which is not
]
"""Each score with its definition."""


def needed(score: Score, k: Any = 1, max_grade: int = MAX_GRADE) -> dict[str, Any]:
    """Return what a score must be given besides the data."""
    values = {"k": k, "max_grade": max_grade}
    return {
        name: values[name]
        for name, parameter in parameters_of(score).items()
        if parameter.default is parameter.empty and name in values
    }


def with_grades(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a score, or its definition, that knows the highest label if it must be given it."""
    is_told = takes(function, "max_grade")
    return partial(function, max_grade=MAX_GRADE) if is_told else function


def options_of(score: Score, *, may_be_none: bool) -> st.SearchStrategy[dict[str, Any]]:
    """Draw the options that most scores have, for those that this one has.

    `may_be_none` says whether `k` may be None.
    """
    strategies = {
        "k": st.one_of(st.none(), CUTOFF) if may_be_none else CUTOFF,
        "ignore_ties": st.booleans(),
        "relevance_threshold": st.sampled_from([None, 0, 1, 2.5]),
        "max_grade": st.just(MAX_GRADE),
    }
    own = {name: values for name, values in strategies.items() if takes(score, name)}
    return st.fixed_dictionaries(own)
