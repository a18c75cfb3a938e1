"""The few cases of each test that run unless all are asked for."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import pytest

FEW = 5
"""A test of no more cases runs all of them."""
_SHARED_BY = 4
"""A value that so many cases have is in one of the few."""
_GOLDEN = (math.sqrt(5) - 1) / 2


def few_of(cases: Sequence[pytest.Item]) -> list[pytest.Item]:
    """Return a few cases of a test, always the same, from all parts of its table.

    They are `FEW`, or as many as the square root of their number if that is more. If a test
    combines several parameters, each value that four cases share is in one of the few at least.
    """
    n_cases = len(cases)
    n_few = max(FEW, math.isqrt(n_cases))
    if n_cases <= n_few:
        return [*cases]
    # Any number of steps by the golden ratio spreads evenly, and is in step with no parameter.
    step = next(i for i in range(round(n_cases * _GOLDEN), n_cases) if math.gcd(i, n_cases) == 1)
    order = [cases[i * step % n_cases] for i in range(n_cases)]
    n_cases_of_value = Counter(value for each in cases for value in _values_of(each))
    few, seen = [], set()
    for each in order:
        values = {value for value in _values_of(each) if n_cases_of_value[value] >= _SHARED_BY}
        if len(few) < n_few or not values <= seen:
            few.append(each)
            seen |= values
    return few


def _values_of(case: pytest.Item) -> set[tuple[str, int]]:
    """Return the name of each parameter, and the position of its value in the table of values."""
    callspec = getattr(case, "callspec", None)
    return set() if callspec is None else set(callspec.indices.items())
