"""Checks the parameters that the functions of `ranking_scores.significance` share."""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from ranking_scores._base import check_option, check_real, describe, invalid
from ranking_scores._statistics._all_signs import MOST
from ranking_scores._statistics._differences import RANDOM, TESTS, Settings, alpha_of

_CORRECTIONS = ("max-t", "holm", "bh")
ALTERNATIVES = ("two-sided", "greater", "less")


def check_between(parameter: str, value: Any, function: str) -> float:
    """Return a number between 0 and 1, or raise."""
    expected = "a number between 0 and 1, neither of them included"
    if type(value) is int and 1 < value < 100:
        raise invalid(parameter, function, expected, str(value), f"{value} % is {value / 100}.")
    number = check_real(value, parameter, function, expected)
    if not 0 < number < 1:
        raise invalid(parameter, function, expected, describe(value))
    return number


def check_count(parameter: str, value: Any, least: int, function: str) -> int:
    """Return an int of at least another one, or raise."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise invalid(parameter, function, f"an int of at least {least}", describe(value))
    return int(value)


def check_level(level: Any, function: str) -> float:
    """Return a valid confidence level, or raise."""
    return check_between("confidence_level", level, function)


def check_resamples(n_resamples: Any, function: str, level: float, *, are_used: bool) -> int:
    """Return the number of resamples. Raise if it is too low for an interval with two limits."""
    is_int = isinstance(n_resamples, Integral) and not isinstance(n_resamples, bool)
    least = math.ceil(2 / alpha_of(level) - 1e-9) - 1 if are_used and is_int else 1
    if not is_int or n_resamples < least:
        of_level = f" if confidence_level={level}" if least > 1 else ""
        expected = f"an int of at least {least}{of_level}"
        raise invalid("n_resamples", function, expected, describe(n_resamples))
    return int(n_resamples)


def seed_of(random_state: Any, function: str, *, is_used: bool) -> int:
    """Return the seed of all resamples of a call.

    Nothing is drawn from the generator if the seed is not used.
    """
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**32)) if is_used else 0
    expected = "None, an int from 0 to 2**32 - 1, a RandomState or a Generator"
    if isinstance(random_state, (bool, np.bool_)):
        raise invalid("random_state", function, expected, describe(random_state))
    try:
        state = check_random_state(random_state)
    except ValueError as error:
        raise invalid("random_state", function, expected, describe(random_state)) from error
    return int(state.randint(2**32, dtype=np.uint64)) if is_used else 0


def check_settings(
    test: Any, alternative: Any, level: Any, n_resamples: Any, function: str, correction: Any
) -> Settings:
    """Return the settings of a test, without the seed."""
    if not (correction is None or (isinstance(correction, str) and correction in _CORRECTIONS)):
        expected = f"{', '.join(map(repr, _CORRECTIONS))} or None"
        raise invalid("correction", function, expected, describe(correction))
    test = check_option(test, "test", function, TESTS)
    alternative = check_option(alternative, "alternative", function, ALTERNATIVES)
    level = check_level(level, function)
    if test == "sequential" and alternative != "two-sided":
        expected = "'two-sided' if test='sequential'"
        raise invalid("alternative", function, expected, repr(alternative))
    are_used = test in RANDOM or correction == "max-t"
    n_resamples = check_resamples(n_resamples, function, level, are_used=are_used)
    if correction == "max-t" and test not in ("auto", "t", "permutation", "bootstrap"):
        expected = "'auto', 't', 'permutation' or 'bootstrap' if correction='max-t'"
        advice = "For other tests, use correction='holm'."
        raise invalid("test", function, expected, repr(test), advice)
    return Settings(test, alternative, level, n_resamples, seed=0)


def check_holm(
    settings: Settings, n_rows: int, n_units: int, function: str, margin: float | None = None
) -> None:
    """Raise if so few resamples cannot make any p-value low enough for Holm's method.

    With a margin, the p-values are those of its claims, which have one side.
    """
    if settings.test not in RANDOM or (settings.test == "permutation" and n_units <= MOST):
        return
    sides = 2 if settings.alternative == "two-sided" and margin is None else 1
    least = math.ceil(sides * n_rows / alpha_of(settings.level) - 1e-9) - 1
    if settings.n_resamples < least:
        of = "correction='holm'" if margin is None else f"Holm's method for margin={margin}"
        expected = f"an int of at least {least} if {of} corrects {n_rows} comparisons"
        advice = "With fewer resamples, no p-value could be low enough."
        raise invalid("n_resamples", function, expected, str(settings.n_resamples), advice)


def check_margin(margin: Any, test: str, function: str) -> float | None:
    """Return a margin above 0, or None."""
    if margin is None:
        return None
    expected = "None or a finite number above 0"
    number = check_real(margin, "margin", function, expected)
    if not 0 < number < math.inf:
        raise invalid("margin", function, expected, describe(margin))
    if test in ("wilcoxon", "sequential"):
        raise invalid("margin", function, f"None if test={test!r}", describe(margin))
    if test == "betting" and number >= 1:
        expected = "below 1 if test='betting', which is for scores from 0 to 1"
        raise invalid("margin", function, expected, describe(margin))
    return number
