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

    The parts of the message are attributes, so that a program can tell errors apart and show them
    in its own words. A text that an error does not need is empty. Values of more than 200
    characters are cut, and so is a part of more than 2000. The message has escapes for characters
    that a terminal obeys.

    Attributes
    ----------
    parameter : str
        The name of the parameter.

    function : str
        The name of the function that was called.

    expected : str
        The requirement on the parameter. If the place has a column, it is the requirement on this
        column.

    got : str
        What came instead. It is empty if the parameter is missing.

    owner : str
        What has no such parameter, if it is unknown: a function, or scores.

    place : named tuple or None
        The place of the bad value in the data. Its fields are None if they are not known:
        `position` in an array, `row` of a table, `item`, `line` of the file `path`, and `query`,
        all from 0 on except lines. `query_is` says whether `query` is a "number" from 0 on, an id
        in "qid", or an "id" in a table. `is_first` says whether other queries are bad, too.
        `column` is the name of a column, and `is_part` says whether only a part of it was read.

    advice : str
        How to repair it, in words that are true for every program.

    code : str
        How to repair it in Python, in code or with the names of parameters.

    Examples
    --------
    >>> from ranking_scores import ndcg_score
    >>> from ranking_scores.exceptions import InvalidParameterError
    >>> try:
    ...     ndcg_score([[0, 1]], [[0.2, 0.1]], k=0)
    ... except InvalidParameterError as error:
    ...     print(error)
    ...     print(error.parameter, error.got)
    The 'k' parameter of ndcg_score must be None, an int of at least 1 or a list of these.
    Got 0 instead.
    k 0
    """

    parameter: str = ""
    function: str = ""
    expected: str = ""
    got: str = ""
    owner: str = ""
    place: Any = None
    advice: str = ""
    code: str = ""
