"""The error that this package raises: one class for all parameters."""

from __future__ import annotations

from typing import Any

__all__ = ["InvalidParameterError"]


def __dir__() -> list[str]:
    return __all__


class InvalidParameterError(ValueError, TypeError):
    """The error about a parameter that is not as its function describes it.

    It is both a `ValueError` and a `TypeError`, like scikit-learn's error about parameters. Code
    that moves over from scikit-learn therefore catches the same errors.

    Examples
    --------
    >>> from ranking_scores import ndcg_score
    >>> from ranking_scores.exceptions import InvalidParameterError
    >>> try:
    ...     ndcg_score([[0, 1]], [[0.2, 0.1]], k=0)
    ... except InvalidParameterError as error:
    ...     print(error)
    The 'k' parameter of ndcg_score must be None, an int of at least 1 or a list of these.
    Got 0 instead.
    """

    _problem: Any
    """The parts of the message, which the command line puts into its own words."""
