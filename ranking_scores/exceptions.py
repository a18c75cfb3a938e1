"""The errors that this package raises: one class, for every parameter."""

from __future__ import annotations

from typing import Any

__all__ = ["InvalidParameterError"]


def __dir__() -> list[str]:
    return __all__


class InvalidParameterError(ValueError, TypeError):
    """A parameter is not as its function describes it.

    It is both a `ValueError` and a `TypeError`, as scikit-learn's error for parameters is, so
    that code which moves over from there catches the same things.

    Examples
    --------
    >>> from ranking_scores import ndcg_score
    >>> from ranking_scores.exceptions import InvalidParameterError
    >>> try:
    ...     ndcg_score([[0, 1]], [[0.2, 0.1]], k=0)
    ... except InvalidParameterError as error:
    ...     print(error)
    The 'k' parameter of ndcg_score must be None, an int of at least 1 or a list of such ints.
    Got 0 instead.
    """

    _problem: Any
    """What `_validation` was told, in parts: the command line says it in words of its own."""
