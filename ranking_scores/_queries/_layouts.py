"""The layout of data: the module that checks it and cuts it into blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from ranking_scores._base._validation import is_sparse
from ranking_scores._queries import _by_ids, _lists, _over_aspects, _ragged, _retrieved, _rows
from ranking_scores._queries._blocks import CheckedQueries
from ranking_scores._queries._data import (
    CallData,
    DataByIds,
    DataNeeds,
    is_list_column,
    is_over_aspects,
    no_scores,
    refuse_aspects,
)

_WITHOUT_NAMES = {str, type(None), np.ndarray, list, tuple}
"""The types of values whose rows and columns have no names."""


def check_queries(
    data: CallData, need: DataNeeds, *, may_have_aspects: bool = False
) -> CheckedQueries:
    """Return the queries of data in any layout.

    Raise if they have aspects, unless the caller makes a score of those of its aspects.
    """
    types = set(map(type, vars(data).values()))
    if isinstance(data.y_true, DataByIds):
        data = data.with_query_ids()
        types.discard(type(data.y_true))  # It has no index.
    elif data.y_score is None:
        raise no_scores(data.y_true, data.function)
    if not may_have_aspects:
        refuse_aspects(data.y_true, "y_true", data.function)
    # Weights and names are checked before anything else is read.
    if data.sample_weight is not None:
        _ = data.weight
    if not types <= _WITHOUT_NAMES:
        _ = data.indexes
    queries: CheckedQueries = layout_of(data).check(data, need)
    return queries


def layout_of(data: CallData) -> Any:
    """Return the layout of the data: the module that checks it and cuts it into blocks.

    Only the types of the parameters decide, and which of them are given. Nothing is read.
    """
    y_true, y_score = data.y_true, data.y_score
    by_qid = _rows if data.qid is None else _ragged
    if type(y_true) is type(y_score) is np.ndarray and y_true.ndim < 3:
        return by_qid
    if is_over_aspects(y_true):
        return _over_aspects
    if isinstance(y_true, DataByIds):
        return _by_ids
    if is_list_column(y_true) or is_list_column(y_score):
        return _lists
    if is_sparse(y_score):
        return _retrieved
    return by_qid
