"""Sorting as fast as NumPy can, with vector instructions or digit by digit.

NumPy sorts the floats and ints of a row with vector instructions, and float32 much faster than
float64. An argsort takes several times as long. A stable argsort takes several times as long
again, except for 16-bit integers.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Positions = NDArray[np.intp]

_BLOCK_CELLS = 2**16
"""The number of cells that are sorted at once if the rows are sorted already."""
_SHORT, _FEW, _MOST_FALL = (64, 256), 2**14, 8
"""Rows of these numbers of columns, of this number of values or more, are sorted faster by half of
the bits. If more than one of so many rows is not in order then, all bits are sorted."""
_FEW_CELLS = 2**10
"""So few cells are sorted in less time than it takes to make integers of them."""
_MANY_OBJECTS = 2**14
"""From this number of texts on, it is worth while to look whether many of them are one object."""


def sort_rows(
    values: NDArray[Any], depth: int, *, reverse_ties: bool, may_be_short: bool = True
) -> tuple[Positions, NDArray[Any]]:
    """Return the cells of each row, sorted by their float32 or float64 values, and the values.

    Equal values are in the order of their columns, or in reverse order. NaN comes last. Only the
    first `depth` cells of a row are needed, and the cells that tie with the last of them. `values`
    are in C order, and none of them is -0. Cells are indices into the flattened values.
    """
    width = values.shape[1]
    row_start = np.arange(0, values.size, width)[:, None]
    if values.size <= _FEW_CELLS and not reverse_ties:
        cell = values.argsort(axis=1, kind="stable")
        cell += row_start
        in_order = values.ravel().take(cell)
        is_tied = in_order[:, depth:] == in_order[:, depth - 1 : depth]
        n_kept = depth + int(np.count_nonzero(is_tied) and np.count_nonzero(is_tied.any(axis=0)))
        return cell[:, :n_kept], in_order[:, :n_kept]
    # Integers with the value in the upper bits and the column in the lower bits sort faster than
    # an argsort of the values, and keep ties in order.
    place = np.arange(width)[:: -1 if reverse_ties else 1]
    is_short = may_be_short and _SHORT[0] <= width <= _SHORT[1] and values.size >= _FEW
    key, place_bits = (_short_keys if is_short else _sort_keys)(values, place)
    key.sort(axis=1)
    del place  # it may be as large as the values

    def cells(key: NDArray[Any]) -> Positions:
        column = (key & place_bits).astype(np.intp, copy=False)
        if reverse_ties:
            np.subtract(width - 1, column, out=column)
        return np.add(column, row_start, out=column)

    n_columns: int = min(depth, width)
    if n_columns < width:
        last_key = key[:, n_columns - 1 : n_columns]
        last_tied_key = last_key | place_bits
        if np.count_nonzero(key[:, n_columns, None] <= last_tied_key):
            is_value = ~np.isnan(values.ravel().take(cells(last_key)))  # and not padding
            while (
                n_columns < width and (is_value & (key[:, n_columns, None] <= last_tied_key)).any()
            ):
                n_columns = min(2 * n_columns, width)
            is_tied = is_value & (key[:, depth:n_columns] <= last_tied_key)
            n_columns = depth + int(np.count_nonzero(is_tied.any(axis=0)))
    cell = cells(key[:, :n_columns])
    del key  # it is as large as the values
    in_order = values.ravel().take(cell)
    falls = in_order.ravel()[1:] < in_order.ravel()[:-1]  # faster than in rows
    falls[n_columns - 1 :: n_columns] = False
    if np.count_nonzero(falls):  # values that differ only in bits that the keys had no room for
        if is_short and _MOST_FALL * np.count_nonzero(falls) > cell.shape[0]:
            return sort_rows(values, depth, reverse_ties=reverse_ties, may_be_short=False)
        row = np.unique(np.flatnonzero(falls) // n_columns)
        order = np.argsort(in_order[row], axis=1, kind="stable")
        cell[row] = cell[row[:, None], order]
        in_order[row] = in_order[row[:, None], order]
    return cell, in_order


def sort_ints(
    values: NDArray[Any], stop: int, *, without_negative: bool = False
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the stable order of each row of ints from -1 up to `stop`, and the sorted rows.

    With `without_negative` the values -1 are left out, and both arrays are flat, row after row.
    """
    place = np.arange(values.shape[1])
    n_place_bits = int(place.size).bit_length()
    n_bits = int(stop).bit_length() + n_place_bits
    if n_bits > 63:
        order = np.argsort(values, axis=1, kind="stable")
        in_order = np.take_along_axis(values, order, axis=1)
        is_kept = in_order >= 0
        return (order[is_kept], in_order[is_kept]) if without_negative else (order, in_order)
    key: NDArray[Any] = values.astype(np.int32 if n_bits <= 31 else np.int64)
    key <<= n_place_bits
    key |= place.astype(key.dtype)
    key.sort(axis=1)
    if without_negative:
        key = key[key >= 0]
    order = key & (2**n_place_bits - 1)
    key >>= n_place_bits
    return order, key


def _short_keys(values: NDArray[Any], place: Positions) -> tuple[NDArray[np.uint32], int]:
    """Return the keys of `_sort_keys` in 32 bits, which sort in a third of the time.

    Values as near as a small part of the range of all values are in the order of their places.
    """
    with np.errstate(over="ignore", under="ignore"):
        single = values.astype(np.float32, copy=False)
    lowest, highest = (int(_rising_bits(f.reduce(single, axis=None))) for f in (np.fmin, np.fmax))
    n_place_bits = int(place.size - 1).bit_length()
    n_lost_bits = max((highest - lowest).bit_length() + n_place_bits - 31, 0)
    key = _rising_bits(single).view(np.uint32)
    key -= np.uint32(lowest % 2**32)
    key >>= n_lost_bits
    np.minimum(key, (highest - lowest >> n_lost_bits) + 1, out=key)  # NaN is above all others
    key <<= n_place_bits
    key |= place.astype(np.uint32)
    return key, 2**n_place_bits - 1


def _rising_bits(values: Any) -> Any:
    """Return integers of as many bits that sort as float32 or float64 values do."""
    bits, n_bits = values.view(f"i{values.itemsize}"), 8 * values.itemsize
    # The bits of negative numbers rise as the number falls, so all but the sign are inverted.
    key = bits >> n_bits - 1  # all bits are the sign then
    key &= 2 ** (n_bits - 1) - 1
    key ^= bits
    return key


def _sort_keys(values: NDArray[Any], place: Positions) -> tuple[Ints, int]:
    """Return integers that sort as float32 or float64 values do, and equal values by their place.

    The place is in the lowest bits, which are set in the second result. For float64 it replaces
    the lowest bits of the value, so values that differ only there are in the order of their
    places.
    """
    key = _rising_bits(values).astype(np.int64, copy=False)
    if values.dtype == np.float32:
        place_bits = 2**32 - 1
        key <<= 32
    else:
        place_bits = 2 ** int(place.size - 1).bit_length() - 1
        key &= ~place_bits
    key |= place
    return key, place_bits


def as_sortable(values: NDArray[Any]) -> NDArray[Any]:
    """Return floats with the order and the ties of finite `values`.

    float16 becomes float32, and integers become float64. 64-bit integers beyond 2**53 and long
    doubles, which float64 would merge, become their dense ranks.
    """
    dtype = values.dtype
    if not values.size:
        return values.astype(np.float64)
    if dtype.kind == "f" and dtype.itemsize <= 8:
        return values.astype(np.float32 if dtype.itemsize <= 4 else np.float64, copy=False)
    is_wide = dtype.kind == "f" or (
        dtype.itemsize == 8 and (int(values.max()) > 2**53 or int(values.min()) < -(2**53))
    )
    if is_wide:
        rank = np.unique(values, return_inverse=True)[1]
        values = rank.reshape(values.shape)
    return values.astype(np.float64)


def as_small_ints(values: NDArray[Any]) -> NDArray[np.uint8] | None:
    """Return finite whole values minus the lowest; None: not whole, or too far apart."""
    if not values.size:
        return values.astype(np.uint8)
    lowest, highest = values.min(), values.max()
    if values.dtype.kind != "f":
        if int(highest) - int(lowest) >= 2**8:
            return None
        # Modulo 2**8, which is right for values that differ by less than 2**8.
        return np.asarray(np.subtract(values, lowest, dtype=np.uint8, casting="unsafe"))
    with np.errstate(over="ignore"):
        is_near = highest - lowest < 2**8
    if not is_near or (values != np.floor(values)).any():
        return None
    small: NDArray[np.uint8] = (values - lowest).astype(np.uint8)
    return small


def number_rows(values: NDArray[Any]) -> Positions:
    """Return for each float32 or float64 value how many different values of its row are below it.

    NaN gets the same number as the largest value.
    """
    # -0 and 0 are side by side in any order, and the order does not matter here.
    cell, in_order = sort_rows(values, values.shape[1], reverse_ties=False)
    number = np.zeros(values.shape, dtype=np.intp)
    rises = in_order[:, 1:] > in_order[:, :-1]
    np.cumsum(rises.view(np.uint8), axis=1, dtype=np.intp, out=number[:, 1:])
    numbers = np.empty_like(number)
    numbers.ravel()[cell] = number
    return numbers


def possible_ranks(
    scores: NDArray[Any], own: NDArray[Any] | None = None
) -> tuple[Positions, Positions]:
    """Return the first and the last rank, from 1 on, that items may have if equal scores tie.

    `scores` are those of all items, and `own` those of the items asked about; None: all of them.
    """
    in_order, own = np.sort(scores), scores if own is None else own
    first = 1 + in_order.size - np.searchsorted(in_order, own, side="right")
    return first, in_order.size - np.searchsorted(in_order, own, side="left")


def stable_order(number: Positions) -> Positions:
    """Return the order that sorts numbers below 2**32 and keeps equal numbers in order."""
    # NumPy sorts 16 bits digit by digit, in a tenth of the time of any other stable sort.
    order = np.argsort(number.astype(np.uint16), kind="stable")
    if number.max() >= 2**16:
        upper = (number >> 16).astype(np.uint16)
        order = order[np.argsort(upper[order], kind="stable")]
    return order


def unique_inverse(values: NDArray[Any]) -> tuple[NDArray[Any], Positions]:
    """Return the unique 1-D values, sorted, and the index of each value among them."""
    extent = dense_extent(values)
    if extent is None:
        unique, which = np.unique(values, return_inverse=True)
        return unique, which
    # A table of all values needs no sorting. It is unsigned, since the difference of two values
    # might be negative in a small dtype.
    lowest, n_numbers = extent
    unsigned = np.dtype(f"u{values.dtype.itemsize}")
    offset = values.astype(unsigned, copy=False)
    if lowest != 0:
        offset = offset - lowest.astype(unsigned)
    number = offset.view(np.intp) if offset.itemsize == np.intp().itemsize else offset
    number = number.astype(np.intp, copy=False)
    present = np.flatnonzero(are_in(number, n_numbers))
    unique = present.astype(unsigned) + lowest.astype(unsigned)
    if unique.size < n_numbers:
        number = _numbers_at(present, n_numbers)[number]
    return unique.astype(values.dtype), number


def unique_objects(values: NDArray[Any]) -> tuple[NDArray[Any], Positions]:
    """Return the result of `unique_inverse` for objects, which Python sorts faster than NumPy."""
    order = np.array(sorted(range(values.size), key=values.tolist().__getitem__), np.intp)
    in_order = values[order]
    is_start = start_runs(in_order)
    which = np.empty_like(order)
    which[order] = np.cumsum(is_start) - 1
    return in_order[is_start], which


def _hash(text: NDArray[Any]) -> NDArray[np.unsignedinteger[Any]]:
    """Return a number for each text. Different texts seldom have the same number."""
    if text.dtype == object:
        return np.fromiter(map(hash, text.tolist()), np.int64, text.size).view(np.uint64)
    dtype = np.uint32 if text.dtype.kind == "U" else np.uint8
    words: NDArray[Any] = np.ascontiguousarray(text).view(dtype).reshape(text.size, -1)
    powers: NDArray[Any] = np.cumprod(np.full(words.shape[1], 2654435761), dtype=np.uint32)
    hashed: NDArray[np.uint32] = np.einsum("ij,j->i", words, powers, dtype=np.uint32)
    return hashed


def unique_text(text: NDArray[Any]) -> tuple[Positions, Positions]:
    """Return a code for each text of an array, and for each code one of its places.

    Equal texts have the same code.
    """
    return _unique_by_hash(_hash(text), text)


def unique_addresses(objects: NDArray[Any]) -> tuple[Positions, Positions] | None:
    """Return the result of `unique_text` for objects of which each is equal only to itself.

    None: so few of them are there more than once that it is not worth while.
    """
    if objects.size < _MANY_OBJECTS:
        return None
    address = np.asarray(_Addresses(objects))
    if np.unique(address[:_MANY_OBJECTS]).size > 0.95 * _MANY_OBJECTS:
        return None
    return _unique_by_hash(address.view(np.uint64), address)


def _unique_by_hash(
    hashed: NDArray[np.unsignedinteger[Any]], values: NDArray[Any]
) -> tuple[Positions, Positions]:
    """Return the result of `unique_text`. A table with a slot for each hash needs no sorting."""
    n_bits = None
    if values.size > 2**_BITS_IN_CACHE:
        # If few are different, a table that stays in the cache has room for nearly all of them.
        sample = hashed[:: values.size // _SAMPLE]
        n_bits = _BITS_IN_CACHE if np.unique(sample).size < 0.9 * sample.size else None
    place = _place_of_equal(hashed, values, n_bits)
    parts = _parts(values.size)
    own = [part.start + np.flatnonzero(place[part] == _places(part)) for part in parts]
    first = np.concatenate([np.empty(0, np.intp), *own])
    number_at = _numbers_at(first, values.size)
    for part in parts:
        place[part] = number_at[place[part]]
    return place, first


_SAMPLE, _BITS_IN_CACHE = 2**14, 18


def _place_of_equal(
    hashed: NDArray[np.unsignedinteger[Any]], values: NDArray[Any], at_most_bits: int | None = None
) -> Positions:
    """Return for each value the place of an equal one, which is the same for all equal ones."""
    enough_bits = int(2 * values.size).bit_length()
    n_bits = min(at_most_bits or enough_bits, enough_bits)
    place_in_slot, place = np.empty(2**n_bits, np.intp), np.empty(values.size, np.intp)
    differs = np.empty(values.size, bool)
    for part in _parts(values.size):
        place_in_slot[_slot(hashed[part], n_bits)] = _places(part)
    for part in _parts(values.size):
        place[part] = place_in_slot[_slot(hashed[part], n_bits)]
        # Other values may share the slot.
        np.not_equal(values[place[part]], values[part], out=differs[part])
    left = np.flatnonzero(differs)
    if n_bits < enough_bits:
        if left.size:
            place[left] = left[_place_of_equal(hashed[left], values[left])]
    else:
        _, first, which = np.unique(values[left], return_index=True, return_inverse=True)
        place[left] = left[first][which]
    return place


def _slot(hashed: NDArray[np.unsignedinteger[Any]], n_bits: int) -> Positions:
    """Return a number of some bits for each hash."""
    product = hashed * np.uint64(0x9E3779B97F4A7C15)
    product >>= np.uint64(64 - n_bits)
    return product.view(np.intp)


def _parts(size: int) -> list[slice]:
    """Return parts of an array that stay in the cache."""
    return [slice(start, min(start + 2**14, size)) for start in range(0, size, 2**14)]


def _places(part: slice) -> Positions:
    """Return the places of a part."""
    return np.arange(part.start, part.stop)


def _numbers_at(own: Positions, size: int) -> Positions:
    """Return an array in which each of some places has its number, and others have anything."""
    number = np.empty(size, np.intp)
    number[own] = np.arange(own.size)
    return number


class _Addresses:
    """The addresses of objects, which is what NumPy stores in an array of them."""

    def __init__(self, objects: NDArray[Any]) -> None:
        self._objects = np.ascontiguousarray(objects)  # which has to live as long
        self.__array_interface__ = {
            "data": (self._objects.ctypes.data, True),
            "shape": objects.shape,
            "typestr": np.dtype(np.intp).str,
            "version": 3,
        }


def are_in(numbers: Positions, stop: int) -> NDArray[np.bool_]:
    """Return which of the numbers below `stop` are in an array."""
    is_there = np.zeros(stop, dtype=bool)
    is_there[numbers] = True
    return is_there


def dense_extent(values: NDArray[Any]) -> tuple[Any, int] | None:
    """Return the lowest of ints, and the number of ints from the lowest to the highest.

    None: the values are not ints, or they are too far apart for their number.
    """
    if values.dtype.kind not in "iu" or not values.size:
        return None
    lowest, highest = values.min(), values.max()
    n_numbers = int(highest) - int(lowest) + 1
    return (lowest, n_numbers) if n_numbers <= 4 * values.size else None


def start_runs_in_rows(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which values differ from the value before them in their row. The first one does."""
    is_start = start_runs(values.ravel()).reshape(values.shape)
    is_start[:, 0] = True
    return is_start


def start_runs(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which 1-D values differ from the value before them. The first one does."""
    is_start = np.ones(values.size, dtype=bool)
    if values.dtype.kind in "SU" and 0 < values.itemsize <= _MOST_BYTES:
        _start_runs_of_text(values, is_start)
    else:
        np.not_equal(values[1:], values[:-1], out=is_start[1:])
    return is_start


_MOST_BYTES = 256
"""Texts of up to so many bytes are compared by words in less time than NumPy takes."""


def _start_runs_of_text(texts: NDArray[Any], is_start: NDArray[np.bool_]) -> None:
    """Set which texts of one width differ from the text before them, by their words of bytes."""
    n_bytes = next(size for size in (8, 4, 2, 1) if texts.itemsize % size == 0)
    for part in _parts(texts.size):
        block = np.ascontiguousarray(texts[max(part.start - 1, 0) : part.stop])
        words = block.view(f"u{n_bytes}").reshape(block.size, -1)
        differs = is_start[part.stop - block.size + 1 : part.stop]
        differs[:] = False
        for word in words.T:
            differs |= word[1:] != word[:-1]


def order_of_cells(row: Positions, column: Positions, n_columns: int) -> Positions | None:
    """Return the order that sorts cells by row and column; None: they are sorted already.

    Equal cells keep their order. All rows and columns have fewer than 2**63 cells.
    """
    key = row * n_columns
    key += column
    if not (key[1:] < key[:-1]).any():
        return None
    place_bits = int(key.size).bit_length()
    if int(key.max()) >= 2 ** (63 - place_bits):
        return np.argsort(key, kind="stable")
    # The key with the place in its lower bits sorts faster than an argsort of the key.
    key <<= place_bits
    key |= np.arange(key.size)
    key.sort()
    key &= 2**place_bits - 1
    return key


def order_in_rows(row: Positions, column: Positions, n_columns: int) -> Positions | None:
    """Return the order that sorts cells of sorted rows by column; None: they are sorted."""
    if not ((column[1:] < column[:-1]) & (row[1:] == row[:-1])).any():
        return None
    width = int(np.searchsorted(row, row[0], side="right"))
    if row.size % width == 0:
        first, last = row[::width], row[width - 1 :: width]
        if (first == last).all() and (first[1:] > first[:-1]).all():  # rows of one length
            order, _ = sort_ints(column.reshape(-1, width), n_columns)
            return (order + width * np.arange(first.size)[:, None]).ravel()
    return order_of_cells(row - row[0], column, n_columns)


def blocks_of_rows(row: Positions) -> Iterator[slice]:
    """Yield slices of cells that are sorted by row, of whole rows that fit in the cache."""
    stops = np.searchsorted(row, row[_BLOCK_CELLS::_BLOCK_CELLS])
    for start, stop in pairwise(np.unique([0, *stops, row.size]).tolist()):
        yield slice(start, stop)
