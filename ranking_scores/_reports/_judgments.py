"""How many items were judged, and a digest that tells whether two reports have one judgment."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from ranking_scores._base import with_types
from ranking_scores._queries import Data, is_list_column, read_lists
from ranking_scores._tables import JudgedItems, RankingData

Hashes = NDArray[np.uint64]

_FACTOR = np.uint64(0xD6E8FEB86659FD93)
"""An odd number with bits in no order: a product with it mixes all bits into the higher ones."""
_HALF = np.uint64(32)


@with_types
class Judgments(NamedTuple):
    """The number of judged items of some data, and a digest of their ids and labels."""

    n_items: int
    """The number of items with a label, of all queries."""
    digest: str | None
    """A hash of the ids of queries and items and of the labels, whatever their order. None: the
    items have no ids."""


def judgments_of(
    data: Data,
    ids: NDArray[Any] | None,
    *,
    may_be_nan: bool = False,
) -> Judgments | Callable[[], Judgments]:
    """Return the number of judged items, and their digest if items have ids.

    With a digest it is a function that returns both.

    `ids` are those of the queries. Items have ids in `RankingData`. `may_be_nan` is whether
    the labels of items that were not judged may be NaN or null.
    """
    if ids is None or not isinstance(data.y_true, RankingData):
        return Judgments(_count(data) - (_count_nan(data) if may_be_nan else 0), None)
    return partial(judgments_with_digest, data.y_true.judged_items(), ids)


def judgments_with_digest(judged: JudgedItems, ids: NDArray[Any]) -> Judgments:
    """Return the number of judged items, and their digest. `ids` are those of the queries."""
    return Judgments(judged.labels.size, _digest(judged, ids))


def _count(data: Data) -> int:
    """Return the number of items with a label that take part."""
    if is_list_column(data.y_true):
        return int(read_lists(data, "y_true", may_be_null=True).length.sum())
    mask, is_sparse = data.mask_of_items(), issparse(data.y_true)
    if mask is None or (not is_sparse and data.truth.ndim == 1):  # a class is one item of several
        return int(data.y_true.nnz if is_sparse else math.prod(data.truth.shape))
    return int(np.count_nonzero(mask[data.y_true.tocoo().coords] if is_sparse else mask))


def _count_nan(data: Data) -> int:
    """Return the number of items with the label NaN that take part."""
    is_list = is_list_column(data.y_true)
    if issparse(data.y_true) or (not is_list and data.truth.ndim == 1 and data.qid is None):
        return 0  # a class is a label that is known
    labels = read_lists(data, "y_true", may_be_null=True).values if is_list else data.true_labels
    mask = None if is_list else data.mask_of_items()
    return int(np.count_nonzero(np.isnan(labels if mask is None else labels[mask])))


def _digest(judged: JudgedItems, ids: NDArray[Any]) -> str:
    """Return the sum over all labels of a hash of the label, of its item and of its query.

    The hash is the product of three hashes modulo 2^64, or of four if there are aspects. `ids` are
    those of the queries.
    """
    of_label = _mix(judged.labels.astype(np.float64).view(np.uint64) + np.uint64(1))
    items, item = np.unique(judged.item, return_inverse=True)  # others have no label
    of_item = _hash_ids(np.asarray(judged.item_ids[items]))[item]
    hashes = of_label * of_item * _hash_ids(ids)[judged.query]
    if judged.aspect is not None:
        hashes *= _hash_ids(judged.aspect)
    return f"{int(hashes.sum(dtype=np.uint64)):016x}"


def _mix(values: Hashes) -> Hashes:
    """Return numbers of which each bit depends on all bits of the given ones."""
    values = (values ^ (values >> _HALF)) * _FACTOR
    return np.asarray(values ^ (values >> _HALF))


def _hash_ids(ids: NDArray[Any]) -> Hashes:
    """Return a hash of each id, which depends neither on the process nor on the dtype."""
    if ids.dtype.kind in "iub":
        numbers = ids.astype(np.int64, copy=False).view(np.uint64)
    else:
        objects = (ids.astype(str) if ids.dtype.kind in "mM" else ids).tolist()
        try:
            hashes = map(crc32, map(str.encode, objects))
            numbers = np.fromiter(hashes, np.uint64, len(objects))
        except (TypeError, UnicodeEncodeError):
            numbers = np.fromiter(map(_hash_id, objects), np.uint64, len(objects))
    return _mix(_mix(numbers)) | np.uint64(1)  # an even factor would lose a bit


def _hash_id(value: Any) -> int:
    """Return a number for an id that stands among objects of several types."""
    if type(value) in (int, bool):
        return int(value) % 2**64
    text = value if isinstance(value, str) else repr(value)
    return crc32(text.encode(errors="surrogatepass"))
