"""How most tests look at an error: its parts, and a key word of what was expected."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from ranking_scores.exceptions import InvalidParameterError


@contextmanager
def raises(parameter, key, *, function=None, got=None, advice=""):
    """Expect the error about a parameter that must be something with a key word.

    `got` is what came instead, with its place. `advice` is a key word of the advice. A test that
    leaves out `function` or `got` accepts any. The whole messages are in the files
    `test_errors*`.
    """
    with pytest.raises(InvalidParameterError) as caught:
        yield caught
    error = caught.value
    assert error.parameter == parameter, str(error)
    assert key in error.expected, str(error)
    assert function in (None, error.function), str(error)
    assert got in (None, f"{error.got}{error.place}"), str(error)
    assert advice in f"{error.advice} {error.code}", str(error)
