"""Each test, method and correction is one row, and whatever knows its name follows from it."""

from __future__ import annotations

import re
from typing import get_args, get_type_hints

import numpy as np
import pandas as pd
import pytest

from ranking_scores.significance import (
    changes,
    compare,
    compare_all,
    confidence_interval,
    power_curve,
    queries_needed,
)
from ranking_scores.significance._intervals import METHODS, METHODS_BY_NAME
from ranking_scores.significance._tests import CORRECTIONS, FAMILYWISE, PAIRED_TESTS, TESTS

RNG = np.random.default_rng(0)
# All tests and methods take scores that can only be 0 and 1.
A, B = (pd.DataFrame({"hit_rate@1": RNG.integers(0, 2, 60)}) for _ in range(2))
OF_USERS = [name for name in TESTS if name != "auto"]
each_test = pytest.mark.parametrize("test", OF_USERS)
each_method = pytest.mark.parametrize("method", [name for name in METHODS if name != "auto"])


def words_of(function, parameter):
    """Return the options of a parameter that a type hint lists."""
    hint = get_type_hints(function)[parameter]
    return {word for part in (hint, *get_args(hint)) for word in get_args(part)} - {type(None)}


def test_type_hints_have_the_names_of_the_rows():
    for function in (compare, compare_all, changes):
        assert get_args(get_type_hints(function)["test"]) == TESTS, "doc/shared_texts.py writes it"
    assert get_args(get_type_hints(confidence_interval)["method"]) == METHODS
    assert {*CORRECTIONS} <= words_of(compare_all, "correction")
    for function in (queries_needed, power_curve):
        assert {*FAMILYWISE} <= words_of(function, "correction")


def described(text):
    """Return the words that a docstring describes in a list."""
    return set(re.findall(r'^ +- "([\w-]+)": ', text, re.MULTILINE))


@pytest.mark.parametrize("function", [compare, compare_all, changes])
def test_docstrings_describe_each_test(function):
    of_corrections = CORRECTIONS if function is compare_all else {}
    where = "its text is in doc/shared_texts.toml, which doc/shared_texts.py writes out"
    assert described(function.__doc__) == {*TESTS, *of_corrections}, where


def test_the_docstring_describes_each_method():
    assert described(confidence_interval.__doc__) == {*METHODS}


@each_test
def test_each_test_prints_in_all_forms(test):
    found = compare(A, B, test=test, random_state=0)
    row = PAIRED_TESTS[test]
    systems = {"a": A, "b": B, "c": 1 - A}
    several = compare_all(systems, test=test, correction="holm", random_state=0)
    for result in (found, several):
        for text in (repr(result), result._repr_html_().replace("&#x27;", "'")):
            assert row.words in text
            assert row.note in text
    assert found.test == test
    assert set(several.tests) == {test}
    assert found.to_frame().shape[0] == 1
    assert several.to_frame().shape[0] == 3


@each_test
def test_only_random_tests_depend_on_the_seed(test):
    found = [compare(A, B, test=test, n_resamples=99, random_state=seed) for seed in (0, 1)]
    assert (found[0] != found[1]) == PAIRED_TESTS[test].is_random


@each_test
@pytest.mark.parametrize(
    ("options", "taken", "parameter"),
    [
        ({"sample_weight": np.arange(1, 61)}, "weights", "test"),
        ({"clusters": np.arange(60) // 2}, "weights", "test"),
        ({"margin": 0.1}, "margin", "margin"),
        ({"alternative": "less"}, "one side", "alternative"),
        ({"correction": "max-t"}, "max-t", "test"),
    ],
)
def test_a_test_takes_what_its_row_says(test, options, taken, parameter):
    def call():
        return compare_all({"a": A, "b": B}, test=test, **{"correction": None, **options})

    row = PAIRED_TESTS[test]
    assert {*row.takes} <= {"weights", "margin", "max-t", "one side"}
    if taken in row.takes:
        assert not np.isnan(call().pvalue).any()
    else:
        with pytest.raises(ValueError, match=f"The '{parameter}' parameter of compare_all must"):
            call()


@each_test
def test_tests_warn_of_equal_differences_if_their_row_says_so(test, recwarn):
    a = pd.DataFrame({"hit_rate@1": np.zeros(60)})
    compare(a, a + 1, test=test)
    text = PAIRED_TESTS[test].if_equal
    assert [f"all differences are equal, so {text}." in str(one.message) for one in recwarn] == (
        [True] * bool(text)
    )


@each_test
def test_only_tests_in_order_depend_on_the_order_of_queries(test):
    found, turned = (
        compare(a, b, test=test, random_state=0) for a, b in ((A, B), (A[::-1], B[::-1]))
    )
    row = PAIRED_TESTS[test]
    if not row.is_random:
        assert (found.pvalue != turned.pvalue) == row.is_in_order


@each_method
def test_each_method_prints_and_only_random_ones_depend_on_the_seed(method):
    found = [
        confidence_interval(A, method=method, n_resamples=99, random_state=seed) for seed in (0, 1)
    ]
    row = METHODS_BY_NAME[method]
    assert row.words in repr(found[0])
    assert (found[0] != found[1]) == row.is_random
    of_other_scores = A / 2 + 1 / 4
    if row.of_shares is None:
        confidence_interval(of_other_scores, method=method, n_resamples=99)
    else:
        with pytest.raises(ValueError, match="another method, since not all scores are 0 or 1"):
            confidence_interval(of_other_scores, method=method)


@pytest.mark.parametrize("correction", CORRECTIONS)
def test_each_correction_prints_and_gives_ranks_if_it_is_familywise(correction):
    found = compare_all({"a": A, "b": B, "c": 1 - A}, correction=correction, random_state=0)
    assert f"corrected by {CORRECTIONS[correction].words}" in repr(found)
    if CORRECTIONS[correction].is_familywise:
        assert len(found.ranks) == 3
    else:
        with pytest.raises(ValueError, match="'max-t' or 'holm' for `ranks`"):
            found.ranks  # noqa: B018
