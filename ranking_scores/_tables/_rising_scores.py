"""A warning about lists whose scores rise, as those of distances do.

Lists are mostly sorted, the best item first. The scores rank the items, whatever the order of a
list. If they rise from the first item to the last in every list, they are likely to be distances.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from math import lgamma, log
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import warn_caller
from ranking_scores._tables._lists_of_ids import Given, Lists, number_in

_CHANCE = 0.05
"""Lists are suspect if the scores of lists in no order would rise less often than this."""


def warn_if_rising(lists: Iterable[NDArray[Any]], function: str) -> None:
    """Warn if scores rise in every list, where that can hardly be chance."""
    log_of_chance = 0.0
    for scores in lists:
        if not (scores[1:] >= scores[:-1]).all():  # mostly in the first list
            return
        n_rises = np.count_nonzero(scores[1:] > scores[:-1])
        log_of_chance -= lgamma(n_rises + 2)  # as if equal scores were one
    if log_of_chance < log(_CHANCE):
        warn_caller(
            f"The scores of {function} rise from the first item to the last in every list. The "
            "item with the highest score ranks first, so the last ones do. If the best items come "
            "first and the scores are distances, pass `-score`, or the ids alone. If the best "
            "items come last, reverse the lists.",
            UserWarning,
        )


def scores_of_lists(predicted: Lists, given: Given) -> Iterator[NDArray[Any]]:
    """Yield the scores of one list of predictions after the other, up to one without numbers.

    Dicts have no order of their own.
    """
    if given.scores is None and _are_tuples(given.judged):
        return
    for each in predicted.rows if given.scores is None else given.scores.rows:
        row = _as_list(each)
        if given.scores is None:
            row = [_score_of(entry, given) for entry in row]
        if not all(isinstance(each, Real) for each in row):
            return
        yield np.array(row)


def _as_list(row: Any) -> Any:
    """Return a list of any library as one that can be iterated; a dict has no order."""
    if row is None or isinstance(row, Mapping):
        return [] if row is None else [None]
    return row.as_py() if hasattr(row, "as_py") else row


def _score_of(entry: Any, given: Given) -> Any:
    """Return the score of an entry, or None."""
    if isinstance(entry, Mapping):
        return number_in(entry, given.scores_in)
    return entry[1] if isinstance(entry, (list, tuple)) and len(entry) == 2 else None


def _are_tuples(judged: Any) -> bool:
    """Return whether the first relevant id is a tuple, so that tuples may be ids."""
    rows = judged.rows if isinstance(judged, Lists) else []
    return isinstance(next(chain.from_iterable(map(_as_list, rows)), None), tuple)
