"""The data of a caller, and the needs of a score.

`CallData` is passed on as one object. It has the name of the called function, so every
error about the data names that function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple, Unpack, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranking_scores._base._by_id import ValuesById, are_same_ids, by_id
from ranking_scores._base._errors import ErrorDetails, Place, invalid, show_id, warn_caller
from ranking_scores._base._index import Indexes, first_difference, is_labelled, row_names
from ranking_scores._base._tensors import is_tensor_class
from ranking_scores._base._threads import once
from ranking_scores._base._validation import (
    SWAPPED,
    as_identifiers,
    as_ndarray,
    check_finite_weights,
    check_identifiers,
    check_real_array,
    check_tensors,
    csr_array,
    describe,
    is_sparse,
    unique_identifiers,
    without_last_axis,
)
from ranking_scores._queries._query_ids import by_qid
from ranking_scores._queries._relevance import Gain, Relevance
from ranking_scores.exceptions import InvalidParameterError

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Positions = NDArray[np.intp]

_FEW_LABELS = 20
"""Fewer labels than these never look like scores."""
_PER_ROW = ("y_true", "y_score", "qid", "where", "item_weight", "query_ids")
"""The parameters with a value, or a row of values, for each row of the data. `sample_weight` may
have one for each query instead."""
_ARRAYS = (*_PER_ROW, "labels", "sample_weight")
_arrays_of = attrgetter(*_ARRAYS)
BESIDE_RETRIEVED = {
    "qid": "Store the scores of each query in a row, or pass 1-D scores with `qid`.",
    "labels": "Pass a dense y_score with one column per class.",
    "where": "Store no score for the items that take no part, and give them the label 0.",
}
"""The advice about the parameters that data of retrieved items does not use."""


class DataNeeds(NamedTuple):
    """The needs of a score, or of several scores together."""

    depth: int
    """The last rank that counts. An item that can be in no rank up to it needs no rank."""
    gains: tuple[Gain, ...] = ()
    """The functions from labels to gains that every item must go through. Empty: only the number
    of relevant items counts among the items that are not ranked."""
    tells_known: bool = False
    """Whether items have to say which of their labels are known. Labels that a sparse matrix does
    not store are unknown then, and 0 otherwise."""
    accepts_nan: bool = False
    """Whether labels that are NaN are unknown. Otherwise they are an error."""
    in_columns: bool = False
    """Whether items need columns: in the order of their ids, and as many as there are items."""
    counted: tuple[Gain, ...] = ()
    """The functions from labels to gains, if items that gain nothing need no rank. Empty: all
    items need one."""
    first_of: Relevance | None = None
    """Which items are relevant, if only the first of these need a rank."""

    def to_count(self, most: int, about_nonzero: Callable[[], float] = lambda: 0) -> DataNeeds:
        """Return the needs, of all items if those with the label 0 gain something.

        It is worth while to count for `most` items. About so many have another label than 0.
        """
        if not self.counted or (most >= 0 and about_nonzero() <= 2 * most and self._skip_zeros()):
            return self
        return self._replace(counted=())

    def _skip_zeros(self) -> bool:
        """Return whether items with the label 0 gain nothing, and no function is a caller's.

        Such a function gets all labels.
        """
        return not any(
            getattr(gain_of, "is_callers", False) or gain_of(np.zeros(1)).any()
            for gain_of in self.counted
        )

    def can_skip_zeros(self, dtype: np.dtype[Any]) -> bool:
        """Return whether items with the label 0 may be left out of the items that are judged.

        They gain nothing, as far as this is known.
        """
        for gain_of in self.gains:
            try:
                with np.errstate(all="ignore"):
                    if gain_of(np.zeros(1, dtype)).any():
                        return False
            except Exception:  # a caller's function need not know a label that no item has
                return False
        return True

    def __or__(self, other: Any) -> DataNeeds:
        gains = dict.fromkeys(self.gains + other.gains)  # without duplicates
        return DataNeeds(
            max(self.depth, other.depth),
            tuple(gains),
            self.tells_known or other.tells_known,
            self.accepts_nan and other.accepts_nan,
            self.in_columns or other.in_columns,
        )


class ItemOrder(NamedTuple):
    """What breaks ties in other programs: the ids of the items, and the order of predictions."""

    item_ids: NDArray[Any]
    """The id of the item in each column."""
    row: NDArray[np.integer[Any]] | None
    """For each stored score, in the order of `y_score.data`, a number that grows with its place
    among the predictions of its query. None: they came in the order of the columns."""
    repeats: NDArray[np.integer[Any]] | None
    """For each stored score, the column of the item that it repeats, or -1. None: no item was
    predicted twice."""
    query_ids: NDArray[Any] | None = None
    """The ids of the queries, (n_queries,). None: queries have no ids of their own."""
    is_listed: NDArray[np.bool_] | None = None
    """Which queries have a list of predictions, (n_queries,), be it an empty one. None: those with
    predictions."""

    @property
    def n_items(self) -> int:
        """The number of columns with an item."""
        return count_items(self.item_ids)


def count_items(item_ids: NDArray[Any]) -> int:
    """Return the number of columns with an item. Later ones have no id, and only fill ranks."""
    n_items = int(item_ids.size)
    while n_items and item_ids.dtype.kind == "O" and item_ids[n_items - 1] is None:
        n_items -= 1
    return n_items


def no_scores(y_true: Any, function: str) -> InvalidParameterError:
    """Return the error about labels without scores."""
    expected = "given, unless y_true is what `from_lists` or its like returned"
    is_table = hasattr(y_true, "columns") or isinstance(y_true, Mapping)
    code = (
        "If y_true is a table, pass its columns: one for y_true, one for y_score and one for "
        "`qid`. Or pass it to `from_table`."
    )
    return invalid("y_score", function, expected, "None", code=code if is_table else "")


def two_scores(y_score: Any, function: str) -> InvalidParameterError:
    """Return the error about scores beside data that has scores."""
    expected = "left out, since y_true is RankingData, which has the scores"
    are_names = isinstance(y_score, list) and {*map(type, y_score)} == {str}
    example = "scores=['ndcg@10']" * are_names or "score='ndcg@10'" * isinstance(y_score, str)
    code = f"Other arguments are passed by name, as in {example}." if example else ""
    return invalid("y_score", function, expected, describe(y_score), code=code)


def refuse_aspects(data: Any, parameter: str, function: str) -> None:
    """Raise if a function got data over aspects, of which it can take no account."""
    if is_over_aspects(data):
        expected = "data without aspects"
        advice = "The scores of this package and `ranking_report` take data over aspects."
        is_by_ids = isinstance(data, DataByIds)
        got = "RankingData over aspects" if is_by_ids else f"shape {np.shape(data)}"
        raise invalid(parameter, function, expected, got, advice)


def is_over_aspects(y_true: Any) -> bool:
    """Return whether labels are those of aspects, by ids or as an array with three axes."""
    if isinstance(y_true, DataByIds):
        return y_true.aspects is not None
    if isinstance(y_true, (list, tuple)) and y_true and isinstance(y_true[0], (list, tuple)):
        return bool(y_true[0]) and np.ndim(y_true[0][0]) == 1
    n_axes = getattr(y_true, "ndim", 0)  # of a frame of Spark, each attribute is a column
    return isinstance(n_axes, int) and n_axes == 3


def is_list_column(column: Any) -> bool:
    """Return whether a column of pyarrow, pandas or polars holds lists."""
    if type(column) is np.ndarray:  # which is known soonest
        return False
    column = column_of_library(column)
    library = type(column).__module__.partition(".")[0]
    if library == "pyarrow":  # a single list has such a type, too, but no count of nulls
        name = type(getattr(column, "type", None)).__name__
        return name.endswith(("ListType", "ListViewType")) and hasattr(column, "null_count")
    return library == "polars" and hasattr(getattr(column, "dtype", None), "inner")


def n_axes(labels: Any) -> int:
    """Return the number of axes of labels. A column of lists has two."""
    return 2 if is_list_column(labels) else np.ndim(labels)


def column_of_library(column: Any) -> Any:
    """Return the column of pyarrow in a series of pandas, and other columns unchanged."""
    is_wrapped = hasattr(getattr(column, "dtype", None), "pyarrow_dtype")
    return column.array.__arrow_array__() if is_wrapped else column


class Aspects(NamedTuple):
    """The aspects of each query, and the label of each judged item for each of them."""

    first: Positions
    """The first aspect of each query, (n_queries,). Those of a query are side by side."""
    n_aspects: Positions
    """The number of aspects of each query, at least 1."""
    names: Sequence[Any]
    """The name of each aspect. The last one, None, is that of queries without aspects."""
    n_places: Positions
    """The number of judged items of the query of each aspect."""
    start: Positions
    """The index of the first label of each aspect, and the number of all labels."""
    place: Positions
    """The place of each item that an aspect judges, one aspect after the other, ascending."""
    labels: NDArray[Any]
    """The labels of these items."""
    weight: NDArray[np.float64] | None
    """The weight of each aspect in the mean of its query; None: all weigh the same."""

    def of_queries(self, numbers: Positions) -> Aspects:
        """Return the aspects of some queries, in their order."""
        return self._replace(first=self.first[numbers], n_aspects=self.n_aspects[numbers])

    def n_named(self) -> Positions:
        """Return the number of aspects of each query, without those that have no name."""
        return np.where(self.first < len(self.names) - 1, self.n_aspects, 0)

    def labels_of(self, aspect: Positions) -> tuple[Positions, Positions]:
        """Return the indices of the labels of some aspects, and the row of the aspect of each."""
        start = self.start[aspect]
        count = self.start[aspect + 1] - start
        before = np.cumsum(count) - count
        row = np.repeat(np.arange(aspect.size), count)
        return np.arange(row.size) + (start - before)[row], row

    def kept(self, is_kept: NDArray[np.bool_]) -> Aspects:
        """Return the same with some of the labels."""
        start = np.append(0, np.cumsum(is_kept))[self.start]
        return self._replace(start=start, place=self.place[is_kept], labels=self.labels[is_kept])


class FirstItems(NamedTuple):
    """The items that a score needs, one query after the other."""

    n_found: Positions
    """The number of items of each query that can be among the first ranks."""
    scores: NDArray[Any]
    """The scores of these items. Where scores tie, items are in the order of their ids."""
    labels: NDArray[Any]
    """The labels of these items, 0 if an item was not judged."""
    n_judged: Positions
    """The number of items of each query that were judged."""
    judged: NDArray[Any]
    """The labels of these items."""


class DataByIds:
    """Judgments and predictions by the ids of queries and items, in one object.

    Signatures of scores call it by the name of the public class that is made of it: RankingData.
    """

    query_ids: NDArray[Any]
    """The ids of the queries, (n_queries,)."""
    aspects: Aspects | None = None
    """The labels of the items for each aspect of each query; None: queries have no aspects."""

    if TYPE_CHECKING:  # else it would be an abstract class, whose instances are told more slowly

        def first_items(self, depth: int) -> FirstItems | None:
            """Return the items that count if only the first ranks do; None: read columns."""

        def in_columns(self) -> RetrievedColumns:
            """Return the data in the retrieved layout, in which each item has a column."""

        @property
        def places(self) -> DataByIds:
            """The data whose labels are places in `aspects`."""


class RetrievedColumns(NamedTuple):
    """Judgments and predictions in the retrieved layout."""

    y_true: csr_array
    y_score: csr_array
    order: ItemOrder


@dataclass(frozen=True)
class CallData:
    """The data of a call as the caller wrote it, and the name of the called function."""

    function: str
    y_true: Any
    """The labels, or labels and scores together as `DataByIds`."""
    y_score: Any
    qid: ArrayLike | None = None
    labels: ArrayLike | None = None
    where: ArrayLike | None = None
    sample_weight: Any = None
    item_weight: ArrayLike | None = None
    query_ids: ArrayLike | None = None
    """The ids of queries that are rows; None: such queries have no ids."""
    order: ItemOrder | None = None
    """The ids of the items and the order of the predictions; None: arrays without ids."""

    def __post_init__(self) -> None:
        """Copy tensors of other devices once, before anything asks for their values."""
        given = _arrays_of(self)
        if any(map(is_tensor_class, map(type, given))):
            arrays = dict(zip(_ARRAYS, given, strict=True))
            for name, values in check_tensors(arrays, self.function).items():
                object.__setattr__(self, name, values)

    def with_query_ids(self) -> CallData:
        """Return data by ids with the ids of its queries. Raise if there are other scores."""
        if self.y_score is not None:
            raise two_scores(self.y_score, self.function)
        has_ids = self.query_ids is not None
        return self if has_ids else replace(self, query_ids=self.y_true.query_ids)

    def in_columns(self) -> CallData:
        """Return the data as arrays, in which items have columns if they have ids."""
        refuse_aspects(self.y_true, "y_true", self.function)
        if not isinstance(self.y_true, DataByIds):
            return self
        return replace(self.with_query_ids(), **self.y_true.in_columns()._asdict())

    @once
    def scores(self) -> NDArray[Any]:
        """The dense scores, in their own dtype."""
        return check_real_array(self.y_score, "y_score", self.function)

    @once
    def truth(self) -> Any:
        """`y_true` with dimensions. A list becomes an array once."""
        if hasattr(self.y_true, "ndim"):
            return self.y_true
        return as_ndarray(self.y_true, "y_true", self.function)

    @once
    def true_labels(self) -> NDArray[Any]:
        """The dense labels, in their own dtype."""
        given = self.y_true if type(self.y_true) is np.ndarray else self.truth
        return check_real_array(given, "y_true", self.function)

    @once
    def ids(self) -> NDArray[Any]:
        """The id of the query of each row. Some may be missing."""
        return as_identifiers(cast(ArrayLike, self.qid), "qid", self.function)

    @once
    def weight(self) -> Floats | None:
        """The sample weights, which are finite and not negative; None: there are none."""
        if self.sample_weight is None:
            return None
        given = self.weight_by_id
        values = self.sample_weight if given is None else given.values
        return check_finite_weights(values, "sample_weight", self.function)

    @once
    def weight_by_id(self) -> ValuesById | None:
        """The sample weights with the ids of the queries, if they came with them."""
        if self.sample_weight is None:
            return None
        return self.by_id(self.sample_weight, "sample_weight")

    @once
    def indexes(self) -> Indexes:
        """The index and the columns of all parameters that have them. They must agree."""
        # With `qid` a frame can only be a single column, whose name does not matter.
        indexes = Indexes(self.function, has_columns=self.qid is None)
        for parameter, values in self._rows():
            indexes.check(parameter, values)
        if self._has_series_of_columns:
            indexes.check_values_of_columns("item_weight", self.item_weight)
        if self.weight_by_id is None:
            indexes.check("sample_weight", self.sample_weight)
        return indexes

    def by_id(self, values: Any, parameter: str) -> ValuesById | None:
        """Return values of queries with the ids that came with them.

        None: they came without ids, and are in the order of the rows.
        """
        if isinstance(values, ValuesById):
            return values
        is_series = hasattr(values, "iloc")
        if self.qid is not None:
            return by_qid(
                values, parameter, self.function, self.true_labels.size if is_series else 0
            )
        if is_series and (self.query_ids is None or self._are_rows(values.index)):
            return None
        otherwise = "If its values are in the order of the queries, pass `.to_numpy()`."
        return by_id(values, parameter, self.function, self._code_of_ids, otherwise)

    @property
    def _code_of_ids(self) -> str:
        """The code for the ids of the queries, as the caller has them."""
        # If items have ids, they are in `data`.
        has_joined = self.order is not None or isinstance(self.y_true, DataByIds)
        return "data.query_ids" if has_joined else "query_ids"

    def _rows(self) -> Iterator[tuple[str, Any]]:
        """Yield the parameters with a value, or a row of values, for each row of the data."""
        for parameter in _PER_ROW:
            values = getattr(self, parameter)
            is_of_rows = parameter != "item_weight" or not self._has_series_of_columns
            if values is not None and is_of_rows:
                yield parameter, values

    @once
    def _has_series_of_columns(self) -> bool:
        """Whether `item_weight` is a Series with one weight for each column of the scores."""
        is_series = hasattr(self.item_weight, "iloc") or is_labelled(self.item_weight)
        if not is_series or self.qid is not None:
            return False
        is_2d = isinstance(self.y_score, (list, tuple)) or len(np.shape(self.y_score)) == 2
        is_1d = cast(Any, self.item_weight).ndim == 1
        return is_1d and (is_2d or isinstance(self.y_true, DataByIds))

    def _are_rows(self, index: Any) -> bool:
        """Return whether an index is that of the rows."""
        given = (values for _, values in self._rows())
        rows = next((each.index for each in given if hasattr(each, "iloc")), None)
        has_length = rows is not None and len(rows) == len(index)
        return has_length and first_difference(index, rows) is None

    def ids_of_rows(self, n_queries: int) -> NDArray[Any] | None:
        """Return a copy of the ids of queries that are rows, or None if they have no ids."""
        if self.query_ids is None:
            return None
        advice = {"qid": "The ids of the queries are those in `qid`."}
        self.refuse(advice, "`query_ids` is given")
        ids = check_identifiers(self.query_ids, "query_ids", self.function)
        if ids.size != n_queries:
            expected = f"of shape ({n_queries},), one id per query"
            raise self.invalid("query_ids", expected, f"shape {ids.shape}")
        names, name_of_query = unique_identifiers(ids, "query_ids", self.function)
        is_repeated = np.bincount(name_of_query) > 1
        if is_repeated.any():
            [twice] = names[is_repeated][:1].tolist()
            raise self.invalid("query_ids", "unique", f"{show_id(twice)} more than once")
        return ids.copy()

    @property
    def has_class_labels(self) -> bool:
        """Whether `y_true` holds a class label for each row of a 2-D `y_score`."""
        if self.qid is not None or is_sparse(self.y_true):
            return False
        shape = self.scores.shape
        if len(shape) != 2 or shape[1] <= 1:
            return False
        given = self.y_true if type(self.y_true) is np.ndarray else self.truth
        return bool(given.ndim == 1)

    def weight_of_each(self, n_queries: int) -> Floats | None:
        """Return the weight of each query if each row is a query."""
        if self.sample_weight is None:
            return None
        if self.weight_by_id is not None:
            query_ids = self.ids_of_rows(n_queries)
            in_order = self.weight_by_id.in_order
            return in_order(self.weight, query_ids, "sample_weight", self.function)
        if self.weight is not None and self.weight.size != n_queries:
            expected = f"of shape ({n_queries},), one weight per query"
            raise self.invalid("sample_weight", expected, f"shape {self.weight.shape}")
        return self.weight

    def weight_of_items(self, shape: tuple[int, ...]) -> NDArray[Any]:
        """Return the weights that the caller gave the items, in the shape of the scores."""
        given = cast(ArrayLike, self.item_weight)
        weight_of_item = check_real_array(given, "item_weight", self.function)
        if weight_of_item.shape not in (shape, shape[1:]):
            expected = f"of the shape of y_score, {shape}, or ({shape[1]},), one weight per item"
            is_of_queries = weight_of_item.shape in (shape[:1], (shape[0], 1))
            code = without_last_axis("item_weight", weight_of_item.shape, 2)
            if is_of_queries:
                code = "Pass one weight per query as `sample_weight`."
            got = f"shape {weight_of_item.shape}"
            raise self.invalid("item_weight", expected, got, code=code)
        if weight_of_item.ndim == 2:
            return weight_of_item
        if self._has_series_of_columns and self.order is not None:
            # `indexes` compares it with the columns of frames.
            index = row_names(self.item_weight)
            if index is not None and not are_same_ids(np.asarray(index), self.order.item_ids):
                expected = "indexed by `data.item_ids`, if it is a Series with one weight per item"
                code = (
                    "Use `.reindex(data.item_ids)`, or `.to_numpy()` if items match by position."
                )
                raise self.invalid("item_weight", expected, "another index", code=code)
        weight = check_finite_weights(weight_of_item, "item_weight", self.function)
        return np.broadcast_to(weight, shape)

    def mask_of_items(self) -> Mask:
        """Return the mask of the items that take part, if one is given."""
        if is_sparse(self.where):
            expected = "a dense array of bools, True where an item takes part"
            code = (
                "If it stores the items to leave out, such as those that a user has seen, use "
                "`where.toarray() == 0`. If it stores the items to keep, use "
                "`where.toarray() != 0`."
            )
            got = f"a sparse {type(self.where).__name__}"
            raise self.invalid("where", expected, got, code=code)
        takes_part = as_ndarray(cast(ArrayLike, self.where), "where", self.function)
        if not takes_part.size:  # an empty list has no bools
            takes_part = takes_part.astype(bool)
        if takes_part.dtype != np.bool_:
            expected = "an array of bools, True where an item takes part"
            raise self.invalid(
                "where",
                expected,
                f"dtype {takes_part.dtype}",
                code="Use `np.asarray(where) != 0` if it is 0 for the items to leave out, or "
                "`np.asarray(where) == 0` if it is 0 for the items to keep.",
            )
        if takes_part.shape != self.scores.shape:
            raise self.not_of_shape("where", takes_part.shape, "y_score", self.scores.shape)
        return takes_part

    def check_same_shape(self, labels: tuple[int, ...], scores: tuple[int, ...]) -> None:
        """Raise unless labels and scores have the same shape, with one query per row."""
        if len(labels) != 2 or not labels[0]:
            expected = "of shape (n_queries, n_items), with at least one query"
            code = without_last_axis("y_true", labels, 2)
            raise self.invalid("y_true", expected, f"shape {labels}", code=code)
        if scores != labels:
            code = SWAPPED if scores == labels[:1] else ""  # y_score would hold class labels
            if labels[1] == 1:
                code = "For one item per row, use `np.asarray(y_true)[..., 0]` and pass `qid`."
                if len(scores) == 2 and scores[0] == labels[0]:
                    code = "For one class per row, use `np.asarray(y_true)[..., 0]`."
            if hasattr(self.y_true, "columns") and labels[1] > 1 and len(scores) == 1:
                code = (
                    "If y_true is a table, pass its columns: one for y_true, one for y_score and "
                    "one for `qid`."
                )
            raise self.not_of_shape("y_score", scores, "y_true", labels, code)

    def not_of_shape(
        self,
        parameter: str,
        shape: tuple[int, ...],
        other: str,
        expected: tuple[int, ...],
        code: str = "",
    ) -> InvalidParameterError:
        """Return the error about a parameter that differs in shape from another one."""
        code = code or without_last_axis(parameter, shape, len(expected))
        return self.invalid(
            parameter, f"of the shape of {other}, {expected}", f"shape {shape}", code=code
        )

    def refuse(self, parameters: Mapping[str, str], layout: str) -> None:
        """Raise if a parameter is given that a layout does not use. Each has its advice."""
        for parameter, code in parameters.items():
            value = getattr(self, parameter)
            if value is not None:
                raise self.invalid(parameter, f"None if {layout}", describe(value), code=code)

    def without_class_labels(self) -> InvalidParameterError:
        """Return the error about classes of the columns that came without class labels."""
        return self.invalid(
            "labels",
            "None unless y_true is 1-D, with one class label per row of a 2-D y_score",
            f"{describe(self.labels)} with a {self.truth.ndim}-D y_true and y_score of shape "
            f"{self.scores.shape}{'' if self.qid is None else ', and `qid`'}",
        )

    def invalid(
        self,
        parameter: str,
        expected: str,
        got: str,
        advice: str = "",
        **more: Unpack[ErrorDetails],
    ) -> InvalidParameterError:
        """Return the error about a parameter of the call."""
        return invalid(parameter, self.function, expected, got, advice, **more)

    def not_weights(self, place: Place) -> InvalidParameterError:
        """Return the error about invalid weights of items in a query."""
        got = "NaN, infinity or less than 0"
        return self.invalid("item_weight", "finite and not negative", got, place=place)


def warn_if_swapped(labels: NDArray[Any], scores: NDArray[Any], function: str) -> None:
    """Warn if labels look like scores, and scores like labels. It looks at some of them."""
    may_be_scores = labels.dtype.kind == "f" and labels.size >= _FEW_LABELS
    if not may_be_scores or all(
        map(float.is_integer, map(float, _some_of(labels, 32).ravel().tolist()))
    ):
        return
    some_labels = _some_of(labels, 1000)
    different_labels, different_scores = np.unique(some_labels), np.unique(_some_of(scores, 1000))
    n_labels, n_scores = different_labels.size, different_scores.size
    has_many = 2 * n_labels > some_labels.size
    has_few = 2 <= n_scores <= min(10, n_labels // 2) and not _are_fractions(different_scores)
    if has_many and has_few and different_labels[0] >= 0 and different_labels[-1] <= 1:
        warn_caller(
            f"{function} got labels that are many different numbers from 0 to 1, and "
            f"scores that are {n_scores} whole numbers. {SWAPPED}",
            UserWarning,
        )


def _some_of(values: NDArray[Any], n: int) -> NDArray[Any]:
    """Return about `n` values of an array, or all if it has fewer, from all of its rows."""
    per_axis = max(round(n ** (1 / values.ndim)), 1)
    return values[tuple([slice(None, None, -(-size // per_axis)) for size in values.shape])]


def _are_fractions(values: NDArray[Any]) -> bool:
    """Return whether any value is not a whole number."""
    with np.errstate(invalid="ignore"):  # what a mask hides may be a signalling NaN
        return bool(np.count_nonzero(values != np.floor(values)))
