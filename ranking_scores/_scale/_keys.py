"""Numbers that are the same for equal ids of any type, by which rows are dealt out."""

from __future__ import annotations

from importlib import import_module
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.uint64]
Positions = NDArray[np.intp]

_TEXT = ("string", "large_string", "binary", "large_binary", "fixed_size_binary")
_BYTES_AT_ONCE = 2**17
"""The bytes of text that are turned into numbers at once, of which there are several arrays."""


def keys_of_column(ids: Any) -> Keys:
    """Return a number for each id of a column of pyarrow without nulls.

    Equal ids have the same number, whatever the types of their columns. Other ids may have it,
    too, if their type is rare.
    """
    kind = str(ids.type)
    if kind.startswith("extension"):
        return keys_of_column(ids.cast(ids.type.storage_type))
    if kind.partition("[")[0] in _TEXT:
        arrow = import_module("pyarrow")
        chunks = ids.chunks if hasattr(ids, "chunks") else [ids]
        keys = [_keys_of_text(each.cast(arrow.large_binary())) for each in chunks]
        return np.concatenate([np.empty(0, np.uint64), *keys])
    if kind.startswith("decimal"):
        ids = ids.cast("double", safe=False)
    return keys_of_ids(np.asarray(ids)).view(np.uint64)


def _keys_of_text(texts: Any) -> Keys:
    """Return a number for each text of an array of bytes: its bytes times random numbers."""
    keys = np.zeros(len(texts), np.uint64)
    if not keys.size:
        return keys
    _, offsets, content = texts.buffers()
    start = np.frombuffer(offsets, np.int64)[texts.offset :][: len(texts) + 1]
    bytes_of_all = np.frombuffer(content, np.uint8)
    length = np.diff(start)
    factors = np.random.default_rng(0).integers(
        2**64, size=int(length.max(initial=0)), dtype=np.uint64
    )
    for first, last in pairwise(_cuts(start)):
        [filled] = np.nonzero(length[first:last])
        if filled.size:
            filled += first
            place = start[filled] - start[first]
            n_bytes = int(start[last] - start[first])
            in_text = np.arange(n_bytes) - np.repeat(place, length[filled])
            numbers = bytes_of_all[start[first] : start[last]].astype(np.uint64)
            numbers += np.uint64(1)  # so that a null character counts
            numbers *= factors[in_text]
            keys[filled] = np.add.reduceat(numbers, place)
    return keys


def _cuts(start: NDArray[np.int64]) -> list[int]:
    """Return where to cut texts into blocks of few bytes, or of one long text."""
    n_texts, cuts = start.size - 1, [0]
    while cuts[-1] < n_texts:
        stop = np.searchsorted(start, start[cuts[-1]] + _BYTES_AT_ONCE, side="right") - 1
        cuts.append(min(max(int(stop), cuts[-1] + 1), n_texts))
    return cuts


def keys_of_ids(ids: NDArray[Any]) -> NDArray[np.float64]:
    """Return a number for each id that is a number or a date, and 0 for any other."""
    if ids.dtype.kind in "biuf":
        return ids.astype(np.float64) + 0.0  # -0.0 is 0.0
    if ids.dtype.kind in "mM":
        unit = ids.dtype.kind + "8[s]"
        return ids.astype(unit).astype(np.int64).astype(np.float64)
    return np.zeros(ids.size)


def parts_of(keys: Keys, n_parts: int, level: int) -> NDArray[np.uint8]:
    """Return the part of each row, of at most 256 parts.

    Keys of one part go to different parts at the next level.
    """
    mixed = keys ^ (keys >> np.uint64(32))
    mixed *= np.uint64(pow(int(_ODD), level + 1, 2**64))
    mixed >>= np.uint64(32)
    mixed *= np.uint64(n_parts)
    mixed >>= np.uint64(32)
    return mixed.astype(np.uint8)


_ODD = np.uint64(0x9E3779B97F4A7C15)
"""2**64 divided by the golden ratio: its multiples are spread evenly."""
