"""The values of each query: all that a comparison of scores knows.

Intervals, tests, comparisons and plans know the record `QueryValues`, and nothing of what the
values come from. An object that has values of queries, such as a report, makes the record of
itself by the method `_query_values`. One that might be taken for such an object raises there.
"""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import Place, invalid
from ranking_scores._base._results import read_only

Floats = NDArray[np.float64]
Range = tuple[float, float]
"""The lowest and the highest value that a query can have."""

_LARGEST = 1e300
"""The differences of larger scores, or their sums, would overflow."""


class QueryValues(NamedTuple):
    """The scores of each query, of one system."""

    values: Floats
    """Of shape (n_queries, n_columns)."""
    names: tuple[str, ...] | None
    """The names of the columns, or None for a single column without a name."""
    ids: NDArray[Any] | None
    """The ids of the queries, from a report or from a pandas index."""
    is_single: bool = False
    """Whether the caller passed one column, rather than an array of columns or a report."""
    indexed: Any = None
    """The pandas data that the scores come from."""
    ranges: tuple[Range | None, ...] = ()
    """The range of the score of each column, or None if it is not known."""
    are_losses: tuple[bool, ...] = ()
    """Whether a lower mean is better, for each column, which reports know."""
    sample_weight: Floats | None = None
    """The weight of each query, of a report."""
    clusters: NDArray[Any] | None = None
    """The cluster of each query, of a report."""
    human: Floats | None = None
    """The scores by people's labels, of the shape of the values. NaN where there are none."""
    options: Mapping[str, Mapping[str, str]] | None = None
    """The options of all results of a report. None: the scores are not those of a report."""
    groups: Mapping[str, NDArray[Any]] | None = None
    """The group of each query in each grouping of a report, if it has its values itself."""
    places: NDArray[Any] | None = None
    """The places of the queries among those of all groups of a report. None: these are all."""

    @property
    def are_named(self) -> bool:
        """Whether the columns have names of their own, other than those of arrays."""
        return self.names is not None and self.names != numbered(len(self.names))

    @property
    def are_of_report(self) -> bool:
        """Whether a report has told all that reports know."""
        return self.options is not None

    def known_ids(self) -> NDArray[Any] | None:
        """Return the ids of the queries, or None if there are none, or if they number the rows."""
        ids = self.ids
        if ids is None or self.indexed is None:
            return ids
        return None if np.array_equal(ids, np.arange(len(ids))) else ids

    def may_be_shares(self) -> NDArray[np.bool_]:
        """Return for which columns a mean of 0 and 1 is a share of the queries."""
        return np.array([may_be_share(own_range) for own_range in self.ranges])

    def ends(self) -> Floats:
        """Return the lowest and the highest value of each column, (n_columns, 2)."""
        columns = zip(self.values.T, self.ranges, strict=True)
        return np.array([ends_of(*column) for column in columns])

    def in_range(self, limits: Floats) -> Floats:
        """Return limits of the means, (n, n_columns), cut off at the ends of the scores."""
        return np.asarray(np.clip(limits, *self.ends().T))

    def take(self, places: NDArray[np.int64]) -> QueryValues:
        """Return the scores with the queries in another order."""
        found: dict[str, Any] = {
            name: read_only(getattr(self, name)[places])
            for name in ("ids", "sample_weight", "clusters", "human")
            if getattr(self, name) is not None
        }
        indexed = None if self.indexed is None else self.indexed.iloc[places]
        return self._replace(values=self.values[places], indexed=indexed, **found)


def numbered(n_columns: int) -> tuple[str, ...]:
    """Return the names of the columns of an array."""
    return tuple(f"column {number}" for number in range(n_columns))


def may_be_share(score_range: Range | None) -> bool:
    """Return whether a mean of 0 and 1 is a share of the queries, as far as is known.

    It is none of scores with another range, whose next value may be 2.
    """
    return score_range in (None, (0, 1))


def ends_of(values: Floats, score_range: Range | None) -> Range:
    """Return the lowest and the highest value that scores can have, as far as is known.

    Values that are beyond the range of the score extend it: they replace undefined ones.
    """
    low, high = score_range or (-np.inf, np.inf)
    return float(np.nanmin(values, initial=low)), float(np.nanmax(values, initial=high))


def check_summable(values: Floats, parameter: str, function: str) -> None:
    """Raise unless scores are finite or NaN, and small enough to be summed."""
    is_huge = np.abs(values) > _LARGEST
    if is_huge.any():
        place = Place(position=tuple(np.argwhere(is_huge)[0].tolist()))
        value = float(values[is_huge][0])
        is_inf = np.isinf(value)
        expected = "finite or NaN" if is_inf else f"from -{_LARGEST} to {_LARGEST}, or NaN"
        got = "infinity" if is_inf else str(value)
        raise invalid(parameter, function, expected, got, place=place)


MACRO = "macro:"
"""What the name of a result begins with if its mean over groups of queries is meant."""

OVER = "over"
"""The option of results over the aspects of queries, which other results do not have."""

NO_LITERAL = (ValueError, TypeError, SyntaxError, MemoryError, RecursionError)
"""The errors about text that is no literal of Python."""


def are_same_texts(text: str | None, other: str | None) -> bool:
    """Return whether the texts of an option stand for equal values, as those of 1 and 1.0 do."""
    if text == other:
        return True
    try:
        return bool(literal_eval(text or "") == literal_eval(other or ""))
    except NO_LITERAL:  # NaN, or a function
        return False
