"""The aspects of queries, and the labels that items have for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Positions = NDArray[np.intp]


class Aspects(NamedTuple):
    """The aspects of each query, and the label of each judged item for each of them."""

    first: Positions
    """The first aspect of each query, (n_queries,). Those of a query are side by side."""
    n_aspects: Positions
    """The number of aspects of each query, at least 1."""
    names: Sequence[Any]
    """The name of each aspect. The last one, None, is that of queries without aspects."""
    start: Positions
    """The index of the labels of each aspect, of which the first is that of items that were not
    judged."""
    labels: NDArray[Any]
    """The labels of the judged items by aspect and place, one aspect after the other."""
    gaining: Positions
    """The indices of the labels other than 0, in ascending order."""
    n_gaining: Positions
    """The number of these of each aspect."""
    is_judged: NDArray[np.bool_]
    """Which of these labels somebody gave. The others are 0."""
    weight: NDArray[np.float64] | None
    """The weight of each aspect in the mean of its query; None: all weigh the same."""

    def of_queries(self, numbers: Positions) -> Aspects:
        """Return the aspects of some queries, in their order."""
        return self._replace(first=self.first[numbers], n_aspects=self.n_aspects[numbers])

    def n_named(self) -> Positions:
        """Return the number of aspects of each query, without those that have no name."""
        return np.where(self.first < len(self.names) - 1, self.n_aspects, 0)

    def labels_at(
        self, aspect: Positions, place: Positions
    ) -> tuple[NDArray[Any], NDArray[np.bool_]]:
        """Return the labels of items at some places, and which of them somebody gave."""
        index = self.start[aspect] + place
        return self.labels[index], self.is_judged[index]
