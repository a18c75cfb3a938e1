"""The rule by which a few cases of a test stand for all of them."""

from __future__ import annotations

import math
from itertools import product
from types import SimpleNamespace

import pytest
from few_cases import FEW, few_of


def cases_of(**sizes):
    """Return the cases of a test with every combination of the values of some parameters."""
    indices = product(*map(range, sizes.values()))
    return [
        SimpleNamespace(callspec=SimpleNamespace(indices=dict(zip(sizes, each, strict=True))))
        for each in indices
    ]


def values_in(cases):
    """Return all values of parameters that are in some cases."""
    return {value for each in cases for value in each.callspec.indices.items()}


@pytest.mark.parametrize("n_cases", range(1, FEW + 1))
def test_a_test_of_few_cases_runs_all(n_cases):
    cases = cases_of(row=n_cases)
    assert few_of(cases) == cases


@pytest.mark.parametrize("n_cases", [6, 7, 10, 24, 25, 100, 3000])
def test_a_table_runs_rows_of_all_its_parts(n_cases):
    few = few_of(cases_of(row=n_cases))
    assert len(few) == max(FEW, int(n_cases**0.5))
    rows = sorted(each.callspec.indices["row"] for each in few)
    gaps = [b - a for a, b in zip([-1, *rows], [*rows, n_cases], strict=False)]
    assert max(gaps) <= 3 * n_cases / len(few)


@pytest.mark.parametrize(
    "sizes", [{"a": 8, "b": 8}, {"a": 15, "b": 16}, {"a": 20, "b": 9, "c": 14}, {"a": 4, "b": 40}]
)
def test_each_value_that_several_cases_share_is_in_one_of_the_few(sizes):
    cases = cases_of(**sizes)
    few = few_of(cases)
    assert values_in(few) == values_in(cases)
    assert len(few) <= max(2 * max(sizes.values()), math.prod(sizes.values()) ** 0.5)


def test_the_few_are_the_same_in_every_process():
    positions = [each.callspec.indices["row"] for each in few_of(cases_of(row=30))]
    assert positions == [0, 19, 8, 27, 16]


def test_a_test_without_parameters_has_one_case():
    cases = [SimpleNamespace()]
    assert few_of(cases) == cases
