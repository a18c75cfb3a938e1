"""The results of `ranking_scores.unjudged`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._results import ComparableResult, show_values, with_types


@dataclass(frozen=True, eq=False)
class ScoreBounds(ComparableResult):
    """The result of `score_bounds`: floats, or arrays for several cutoffs or queries.

    Two results are equal if all their values are, so a result has no hash.

    Attributes
    ----------
    of : {"score", "other - first"}
        What all values are: a score, or the score of the system `other` minus that of the first
        one.

    low : float or ndarray
        The lowest value, over all labels that the unjudged items could have.

    high : float or ndarray
        The highest value.

    not_relevant : float or ndarray
        The value if the label of all unjudged items is 0. Scores take items without a label so,
        except bpref, which leaves them out.

    condensed : float or ndarray
        The value if unjudged items are left out of the ranking.

    is_exact : bool or ndarray of bool
        Whether labels exist that attain `low` and `high`. Otherwise these are surely outside: no
        labels give a lower or a higher value. For a mean, it is True if it is for all queries.

    n_unjudged : int or ndarray of int
        The number of items that were retrieved and not judged.

    scope : str
        What the bounds hold for, and what is not in them, in words.
    """

    of: str
    low: float | NDArray[np.float64]
    high: float | NDArray[np.float64]
    not_relevant: float | NDArray[np.float64]
    condensed: float | NDArray[np.float64]
    is_exact: bool | NDArray[np.bool_]
    n_unjudged: int | NDArray[np.intp]
    scope: str = field(repr=False)

    def __repr__(self) -> str:
        shown = {name: value for name, value in vars(self).items() if name != "scope"}
        return show_values("ScoreBounds", shown | {"of": repr(self.of)})


@with_types
class ItemToJudge(NamedTuple):
    """An item that nobody judged, and what its label would tell.

    Attributes
    ----------
    query : object
        The id of the query.

    item : object
        The id of the item.

    ranks : tuple of two int, or None
        Its first and its last possible rank in the ranking. They differ if its score ties, unless
        `ignore_ties` chooses one order. None: it was not retrieved.

    other_ranks : tuple of two int, or None
        The same in the ranking of the other system. None without one.

    width : float
        By how much the range of the mean gets narrower once the item is judged, on average over
        the gains that its label could give.
    """

    query: Any
    item: Any
    ranks: tuple[int, int] | None
    other_ranks: tuple[int, int] | None
    width: float
