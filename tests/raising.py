"""How most tests look at an error: its parameter, and a key word of its message."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from ranking_scores.exceptions import InvalidParameterError


@contextmanager
def raises(parameter, *words, function=None, place=None):
    """Expect an error about a parameter of a function, whose message has some words.

    `place` has the fields of the error's place that are known. Without `function`, it may be any.
    """
    with pytest.raises(InvalidParameterError) as caught:
        yield caught
    error = caught.value
    assert error.parameter == parameter, str(error)
    assert function in (None, error.function), str(error)
    for word in words:
        assert word in str(error)
    for field, value in (place or {}).items():
        assert getattr(error.place, field) == value, str(error)
