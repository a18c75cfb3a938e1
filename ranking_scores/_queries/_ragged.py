"""Rows with the id of their query: 1-D `y_true` and `y_score`, and `qid`, in any order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import Place
from ranking_scores._base._ids import IdRuns
from ranking_scores._base._sorting import stable_order
from ranking_scores._base._validation import advise_on_sizes, check_real_array, without_last_axis
from ranking_scores._queries._blocks import (
    NOT_JUDGED,
    NOT_RETRIEVED,
    BlockItems,
    CheckedQueries,
    Positions,
    QueryPart,
    RowsOfQueries,
    all_weights,
    are_weights,
    as_weights,
    by_row,
    cut_by_length,
    groups_of_lengths,
    padding,
)
from ranking_scores._queries._counting import about_nonzero, most_labelled
from ranking_scores._queries._data import CallData, DataNeeds, warn_if_swapped
from ranking_scores._queries._query_ids import (
    can_be_sizes,
    cut_into_runs,
    place_of_id,
    value_of_query,
)

_DROP = "Drop the rows of items that take no part."
_ADVICE = {
    "y_true": f"{_DROP} {NOT_JUDGED} In pandas: `.fillna(0)`. "
    "`ranking_scores.tables.from_table` reads a joined table as it is.",
    "y_score": (
        f"{_DROP} {NOT_RETRIEVED} `ranking_scores.tables.from_table` accepts null as the score of "
        "such items."
    ),
}


def check(data: CallData, need: DataNeeds) -> CheckedQueries:
    """Return the queries in the order of `np.unique(qid)`."""
    if data.labels is not None:
        raise data.without_class_labels()
    code = "Drop the rows instead: `y_true[where]`, `y_score[where]`, `qid[where]`."
    data.refuse({"where": code}, "`qid` is given")
    labels, scores = data.true_labels, data.scores
    if labels.ndim != 1 or not labels.size:
        expected = "1-D and not empty if `qid` is given"
        code = without_last_axis("y_true", labels.shape, 1)
        if labels.ndim > 1 and not code:
            code = "Without `qid`, each row of a 2-D array is a query."
        raise data.invalid("y_true", expected, f"shape {labels.shape}", code=code)
    if scores.ndim == 2 and scores.shape[1] == 1:
        scores = np.squeeze(scores, axis=1)
    item_weight = None
    if data.item_weight is not None:
        item_weight = check_real_array(data.item_weight, "item_weight", data.function)
    runs = cut_into_runs(data.qid, data.function)
    ids = None if runs.n_rows == labels.size else data.ids
    row_weight = data.weight if data.weight_by_id is None else None
    _check_rows(data, y_score=scores, qid=ids, item_weight=item_weight, sample_weight=row_weight)
    warn_if_swapped(labels, scores, data.function)
    value_of = partial(value_of_query, runs, function=data.function)
    weight = None if row_weight is None else value_of(row_weight, "sample_weight")
    if data.weight_by_id is not None:
        in_order = data.weight_by_id.in_order
        weight = in_order(data.weight, runs.ids, "sample_weight", data.function)
    groups = groups_of(runs)
    place = partial(place_of_id, runs.ids)
    layout = RaggedLayout(data, labels, scores, groups, item_weight, place, _ADVICE, need)
    longest, ids = int(groups.length.max()), runs.ids
    n_cells = ids.size, longest
    need = need.to_count(most_labelled(n_cells, need), partial(about_nonzero, labels))
    return CheckedQueries(
        ids.size, longest, longest, weight, layout, need, ids, value_of, longest == 1
    )


def _check_rows(data: CallData, **per_row: NDArray[Any] | None) -> None:
    """Raise unless all arrays have one value for each label."""
    shape = data.true_labels.shape
    for parameter, values in per_row.items():
        if values is not None and values.shape != shape:
            expected = f"of the shape of y_true, {shape}"
            if parameter != "qid":
                expected += ", if `qid` is given"
            code = _code(parameter, values, shape[0])
            raise data.invalid(parameter, expected, f"shape {values.shape}", code=code)


def _code(parameter: str, values: NDArray[Any], n_rows: int) -> str:
    """Return the advice about an array without exactly one value per row."""
    if parameter == "qid" and can_be_sizes(values, n_rows):
        return advise_on_sizes(parameter)
    if parameter == "y_score" and values.ndim > 1:
        code = "Take one score per row, such as the column `y_score[:, 1]`"
        if values.shape[-1] == 2:
            return f"{code} of the probabilities of two classes."
        return f"{code}. For a classifier of several grades, use response_method='predict'."
    return without_last_axis(parameter, values.shape, 1)


@dataclass(frozen=True)
class RaggedLayout:
    """Queries of any length, their items in rows."""

    data: CallData
    labels: NDArray[Any]
    scores: NDArray[Any]
    groups: RowsOfQueries
    item_weight: NDArray[Any] | None
    place: Callable[[int], Place]
    """Returns a query as the place of an error."""
    advice: dict[str, str]
    """The advice about labels or scores that are not finite."""
    need: DataNeeds

    @property
    def n_queries(self) -> int:
        """The number of queries."""
        return self.groups.length.size

    def cuts(self) -> Iterator[Positions]:
        """Yield queries of similar length, so that there is never more padding than data."""
        for queries in cut_by_length(self.groups.length):
            # In the order of the rows, so that the data is read from front to back.
            yield queries[np.argsort(self.groups.first[queries])]

    def read(self, queries: Positions) -> QueryPart:
        """Return some queries, gathered from their rows."""
        length, row = self.groups.length[queries], self.groups.rows_of(queries)
        weights = None
        if self.item_weight is not None:
            weights = as_weights(self.item_weight[row])
            if not all_weights(weights):
                # Of all queries, since the error names the first with a bad weight.
                all_queries = np.arange(self.n_queries)
                all_rows = self.groups.rows_of(all_queries)
                is_right = are_weights(as_weights(self.item_weight[all_rows]))
                first = np.repeat(all_queries, self.groups.length)[np.argmin(is_right)]
                raise self.data.not_weights(self.place(int(first)))
            is_kept = weights > 0
            query = np.repeat(np.arange(queries.size), length)
            length = np.bincount(query[is_kept], minlength=queries.size)
            row, weights = row[is_kept], weights[is_kept]
        is_item, shape = padding(length)
        labels = _take(self.labels, row)
        items = BlockItems(labels, shape, is_item, weights, by_row(self, queries))
        if self.need.tells_known:
            items = items.with_known(self.need)
        return QueryPart(_take(self.scores, row), shape, is_item, items.at, items, length)

    def places_of(self, query: int) -> tuple[Positions, Positions]:
        """Return the rows of the items of a query, all of which are ranked and judged."""
        row = self.groups.rows_of(np.array([query]))
        if self.item_weight is not None:
            row = row[np.flatnonzero(as_weights(self.item_weight[row]))]
        return row, row


def _take(values: NDArray[Any], row: Positions) -> NDArray[Any]:
    """Return the values of some rows."""
    # `take` is faster, but it would copy all of a strided array for every block.
    return values.take(row) if values.flags.c_contiguous else values[row]


def groups_of(runs: IdRuns) -> RowsOfQueries:
    """Group the rows by query. They may be in any order."""
    # Data that is sorted by query, as most data is, has as many runs as queries.
    length = runs.sizes
    if runs.start.size == np.count_nonzero(length):  # each query is one run
        first = np.empty_like(length)
        first[runs.which] = runs.start
        return RowsOfQueries(length, first, None)
    row = stable_order(runs.which_of_row)
    return groups_of_lengths(length)._replace(row=row)
