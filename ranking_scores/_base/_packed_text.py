"""Text as Arrow stores it: the bytes of all texts, one after the other, and where each begins.

NumPy sorts such text by words of several bytes, in a fraction of the time in which Python or the
library of a column sorts it. No text becomes a string before somebody looks at it. The bytes are
UTF-8, whose order is that of the characters, so text is in the order that it has in Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from hashlib import blake2b
from itertools import chain, islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._sorting import blocks_of_rows, stable_order, start_runs

Places = NDArray[np.integer[Any]]
Strings = Callable[[Places], NDArray[Any]]
"""Returns the texts at some places as an array of objects."""
Words = NDArray[np.uint64]

_WORD = 8
_BYTES = _WORD - 1
"""The number of bytes of a text in a word."""
_KEPT = np.array([0, *(2**64 - 2 ** (64 - 8 * n) for n in (*range(1, _WORD), _BYTES))], np.uint64)
"""Which bits of a word belong to a text, by the number of bytes that are left of the text."""
_FIRST = np.array([2 ** (8 * n) - 1 for n in range(_WORD + 1)], np.uint64)
"""The bits of the first bytes of a word, in the order of the bytes of a text."""
_LEFT = np.uint64(2**8 - 1)
"""The bits of a word that count what is left of the text."""
_PADDING = bytes(_WORD)
_SEPARATOR = "\0"
"""A character that hardly any text has."""
_MOST_IN_32_BITS = 2**31 - 1
_FACTOR, _HALF = np.uint64(0x9E3779B97F4A7C15), np.uint64(32)
"""An odd number with bits in no order, by which a product mixes all bits into the higher ones."""
_BLOCK, _ROWS_AT_ONCE = 2**16, 2**7
"""The numbers of words, and of rows of strings, that are read at once, in the cache."""
_LONG_GROUP = 16
"""From this number of texts on, groups of one size are sorted one by one."""
_LONG = 64 * _BYTES
"""The bytes of a text that are read by words. Python reads the rest of a longer text at once."""


class _TextPart(NamedTuple):
    """Texts in one buffer."""

    data: Any
    """The bytes, and a word more."""
    start: Places
    length: Places
    strings: Strings | None
    """Returns texts as strings, if there is a faster way than to decode each."""

    def lengths(self, place: Any) -> Places:
        """Return the numbers of bytes of some texts."""
        return np.asarray(self.length[place])

    def _at_each_byte(self, dtype: str) -> NDArray[Any]:
        return np.ndarray((len(self.data) - _BYTES,), dtype, self.data, strides=(1,))

    def words(self, place: Any, skipped: int) -> Words:
        """Return the bytes of some texts behind the skipped ones, as numbers in their order.

        The last byte of a word counts what is left of the text, to the end of the word or beyond
        it. So the end of a text comes before a null character.
        """
        at_each_byte = self._at_each_byte(">u8")
        start, length = self.start[place], self.length[place]
        words = np.empty(start.size, np.uint64)
        for first in range(0, words.size, _BLOCK):
            block = slice(first, first + _BLOCK)
            left = np.clip(length[block] - skipped, 0, _WORD)
            word = at_each_byte[start[block] + skipped].astype(np.uint64)
            word &= _KEPT[left]
            word |= left.astype(np.uint64)
            words[block] = word
        return words

    def rest(self, place: Any, skipped: int) -> NDArray[Any]:
        """Return the bytes of some texts behind the skipped ones."""
        start, length, data = self.start[place], self.length[place], memoryview(self.data)
        limits = zip((start + skipped).tolist(), (start + length).tolist(), strict=True)
        return np.fromiter((bytes(data[first:stop]) for first, stop in limits), object, start.size)

    def hashes(self, place: Any) -> Words:
        """Return a number for each of some texts, as `PackedText` does."""
        at_each_byte = self._at_each_byte("<u8")
        place = np.arange(self.start.size)[place]
        hashes = np.empty(place.size, np.uint64)
        for first in range(0, hashes.size, _BLOCK):
            block = slice(first, first + _BLOCK)
            start, length = self.start[place[block]], self.length[place[block]]
            own, skipped = length.astype(np.uint64) * _FACTOR, 0  # far from those of other lengths
            text: Any = slice(None)  # those that go on behind the skipped bytes
            while skipped < _LONG:
                words = at_each_byte[start[text] + skipped].astype(np.uint64, copy=False)
                words &= _FIRST[np.minimum(length[text] - skipped, _WORD)]
                own[text] = mixed(own[text] ^ words)
                skipped += _WORD
                text = np.flatnonzero(length > skipped)
                if not text.size:
                    break
                text = slice(None) if text.size == own.size else text
            else:
                rests = self.rest(place[block][text], skipped)
                digests = b"".join(blake2b(rest, digest_size=_WORD).digest() for rest in rests)
                own[text] = mixed(own[text] ^ np.frombuffer(digests, np.uint64))
            hashes[block] = own
        return hashes

    def decoded(self, place: Any) -> NDArray[Any]:
        """Return some texts as strings."""
        if self.strings is not None:
            return self.strings(np.arange(self.start.size)[place])
        start, data = self.start[place], memoryview(self.data)
        limits = zip(start.tolist(), (start + self.length[place]).tolist(), strict=True)
        decoded = (str(data[first:stop], "utf-8", "surrogatepass") for first, stop in limits)
        return np.fromiter(decoded, object, start.size)


class PackedText:
    """Texts, some of them perhaps equal. They are read as an array of objects is."""

    dtype = np.dtype(object)

    def __init__(self, parts: Sequence[_TextPart], row: Any = None) -> None:
        """Take texts in buffers. `row` has the place of each text there; None: all, in order."""
        self._parts, self._row = parts, row
        n_texts: int = sum(part.start.size for part in parts) if row is None else row.size
        self.size = n_texts
        """The number of texts."""

    def __reduce__(self) -> tuple[Any, ...]:
        # The bytes are all that it takes, and functions of columns cannot be pickled.
        return PackedText, ([part._replace(strings=None) for part in self._parts], self._row)

    @property
    def row(self) -> Places:
        """The place of each text among `values`."""
        return np.arange(self.size, dtype=_small(self.size)) if self._row is None else self._row

    @property
    def values(self) -> PackedText:
        """All texts that are there, each once or more."""
        return PackedText(self._parts)

    @property
    def shape(self) -> tuple[int]:
        """The shape of an array of the texts."""
        return (self.size,)

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, key: Any) -> Any:
        place = self.row[key]
        if np.ndim(place):
            return PackedText(self._parts, place)
        return PackedText(self._parts, np.array([place])).tolist()[0]

    def __iter__(self) -> Iterator[str]:
        return iter(self.tolist())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        decoded = self._read(_TextPart.decoded, self._row, self.dtype)
        return decoded.astype(dtype or self.dtype, copy=False)

    def tolist(self) -> list[str]:
        """Return the texts as strings."""
        return list(np.asarray(self).tolist())

    def _read(self, read: Callable[[_TextPart, Any], Any], place: Any, dtype: Any) -> NDArray[Any]:
        """Return what a function returns of some places in each part; None: of all."""
        if len(self._parts) == 1:
            return np.asarray(read(self._parts[0], slice(None) if place is None else place))
        if place is None:
            return np.concatenate([read(part, slice(None)) for part in self._parts])
        found, first = np.empty(place.size, dtype), 0
        for part in self._parts:
            stop = first + part.start.size
            is_own = (place >= first) & (place < stop)
            found[is_own] = read(part, place[is_own] - first)
            first = stop
        return found

    def _words(self, place: Any, skipped: int) -> Words:
        return self._read(partial(_TextPart.words, skipped=skipped), place, np.uint64)

    def _rest(self, place: Any, skipped: int) -> NDArray[Any]:
        return self._read(partial(_TextPart.rest, skipped=skipped), place, object)

    def equals(self, other: PackedText) -> bool:
        """Return whether as many other texts are the same ones, in the same order."""
        own, others, skipped = self.row, other.row, 0
        while own.size:
            if skipped >= _LONG:
                return np.array_equal(self._rest(own, skipped), other._rest(others, skipped))
            words = self._words(own, skipped)
            if not np.array_equal(words, other._words(others, skipped)):
                return False
            have_more = (words & _LEFT) == _WORD
            own, others, skipped = own[have_more], others[have_more], skipped + _BYTES
        return True

    def hashes(self) -> Words:
        """Return a number for each text, the same for equal texts and hardly ever for others."""
        return self._read(_TextPart.hashes, self._row, np.uint64)

    def sorted_unique(self) -> tuple[PackedText, NDArray[np.intp]]:
        """Return the different texts, sorted, and the index of each text among them."""
        # Texts are sorted by their first word, then those with the same word by the next one, and
        # so on, until all are different or at their end.
        skipped = self._common_length()
        word = self._words(self._row, skipped)
        order = np.argsort(word)
        word = word[order]
        is_start = start_runs(word)
        unsure = np.flatnonzero(_have_more(word, is_start))
        del word  # the arrays are as large as the texts
        self._sort_on(unsure, order, is_start, skipped + _BYTES)
        number = np.empty(order.size, np.intp)
        number_in_order = np.cumsum(is_start, dtype=np.intp)
        number_in_order -= 1
        number[order] = number_in_order
        return self[order[is_start]], number

    def sorted_in_rows(self, row: Places) -> tuple[Places, NDArray[np.bool_]]:
        """Return the order that sorts the texts of each row, and which differ from that before.

        `row` has the row of each text, and does not fall. The first text of a row differs.
        """
        order, is_start = np.arange(self.size), start_runs(row)
        self._sort_on(order.copy(), order, is_start, self._common_length())
        return order, is_start

    def _sort_on(
        self, unsure: Places, order: Places, is_start: NDArray[np.bool_], skipped: int
    ) -> None:
        """Sort texts of groups, at some places in the order, by what follows the skipped bytes."""
        while unsure.size:
            left = []
            for block in blocks_of_rows(np.cumsum(is_start[unsure], dtype=np.intp)):
                place = unsure[block]
                text, group = order[place], np.cumsum(is_start[place], dtype=np.intp)
                row = text if self._row is None else self._row[text]
                if skipped < _LONG:
                    word = self._words(row, skipped)
                else:  # numbers in the order of the rests, whose last byte says that none is left
                    _, number = np.unique(self._rest(row, skipped), return_inverse=True)
                    word = number.astype(np.uint64) << np.uint64(8)
                within = _order_within(group, word)
                word, order[place] = word[within], text[within]
                is_first = is_start[place] | start_runs(word)
                is_start[place] = is_first
                left.append(place[_have_more(word, is_first)])
            unsure = np.concatenate(left)
            skipped += _BYTES

    def _common_length(self) -> int:
        """Return a number of bytes with which all texts begin, seldom less than all of them."""
        length = self._read(_TextPart.lengths, self._row, np.int64)
        skipped, shortest = 0, min(int(length.min()), _LONG) if length.size else 0
        while skipped < shortest:
            word = self._words(self._row, skipped)
            differs = int(np.bitwise_or.reduce(word ^ word[0]))
            n_equal = min(_WORD - (differs.bit_length() + 7) // 8, _BYTES)
            skipped = min(skipped + n_equal, shortest)
            if n_equal < _BYTES:
                break
        return skipped


def _order_within(group: NDArray[np.intp], word: Words) -> Places:
    """Return the order that sorts words of groups, which do not fall."""
    width = int(np.searchsorted(group, group[0], side="right"))
    if width >= _LONG_GROUP and group.size % width == 0:
        number = group.reshape(-1, width)
        if (number[:, 0] == number[:, -1]).all() and number[-1, 0] - number[0, 0] + 1 == len(
            number
        ):
            start = np.arange(0, group.size, width)[:, np.newaxis]
            return (np.argsort(word.reshape(-1, width), axis=1) + start).ravel()
    order = np.argsort(word)
    return order[stable_order(group[order])]


def _have_more(word: Words, is_start: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which texts, in order of their words, equal a neighbour so far and go on."""
    have_more: NDArray[np.bool_] = ~is_start
    have_more[:-1] |= ~is_start[1:]
    have_more &= (word & _LEFT) == _WORD
    return have_more


def concatenated(texts: Sequence[PackedText]) -> PackedText:
    """Return texts without rows, one after the other."""
    return PackedText([*chain.from_iterable(text._parts for text in texts)])


def packed_bytes(
    data: bytes | bytearray, length: Places, strings: Strings | None = None
) -> PackedText:
    """Return the texts of some lengths whose bytes are in `data`, one text after the other."""
    data += _PADDING
    length = length.astype(_small(len(data)), copy=False)
    start = np.cumsum(length, dtype=length.dtype) - length
    return PackedText([_TextPart(data, start, length, strings)])


def packed_objects(strings: NDArray[Any]) -> PackedText:
    """Return an array of strings as packed text."""
    texts, given = strings.tolist(), strings.__getitem__
    packed = packed_rows([texts], len(texts), given)
    if packed is not None:
        return packed
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    length = np.fromiter(map(len, encoded), np.int64, len(encoded))
    return packed_bytes(b"".join(encoded), length, given)


def packed_rows(
    rows: Iterable[Iterable[str]], n_texts: int, strings: Strings | None = None
) -> PackedText | None:
    """Return as many strings in rows as packed text; None: a null character is in one of them.

    No row is empty. Raise a TypeError if something else is among the strings.
    """
    data, joined = bytearray(), map(_SEPARATOR.join, rows)
    while part := list(islice(joined, _ROWS_AT_ONCE)):  # They stay in the cache.
        data += _SEPARATOR.join([*part, ""]).encode("utf-8", "surrogatepass")
    packed = packed_lines(data, _SEPARATOR, strings)
    return packed if n_texts and packed.size == n_texts else None


def packed_lines(
    data: bytes | bytearray, separator: str, strings: Strings | None = None
) -> PackedText:
    """Return the texts in `data`, each of which ends with the separator."""
    # The separators tell the lengths sooner than the texts, which are all over the memory.
    stop = np.flatnonzero(np.frombuffer(data, np.uint8) == ord(separator))
    stop = stop.astype(_small(len(data)), copy=False)
    start = np.zeros_like(stop)
    start[1:] = stop[:-1] + 1
    data += _PADDING
    return PackedText([_TextPart(data, start, stop - start, strings)])


def mixed(numbers: Words) -> Words:
    """Return different numbers for different ones, each bit of which depends on many bits."""
    product = numbers * _FACTOR
    return np.asarray(product ^ (product >> _HALF))


def packed_arrow(chunks: Sequence[Any], strings: Strings) -> PackedText:
    """Return arrays of pyarrow, of text without nulls, as packed text."""
    parts, lengths = [], [np.empty(0, np.int32)]
    for chunk in chunks:
        _, offset_bytes, data_bytes = chunk.buffers()
        dtype = np.int64 if str(chunk.type).startswith("large") else np.int32
        limit = np.frombuffer(offset_bytes, dtype)[chunk.offset : chunk.offset + len(chunk) + 1]
        parts.append(memoryview(data_bytes or b"")[limit[0] : limit[-1]])
        lengths.append(np.diff(limit))
    return packed_bytes(b"".join(parts), np.concatenate(lengths), strings)


def _small(most: int) -> type[np.signedinteger[Any]]:
    """Return a small dtype for ints up to some value."""
    return np.int32 if most <= _MOST_IN_32_BITS else np.int64
