"""Packed text: it is sorted as Python sorts strings, and read as an array of objects is."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from ranking_scores._base import _packed_text as module
from ranking_scores._base._ids import as_objects
from ranking_scores._base._packed_text import (
    PackedText,
    concatenated,
    packed_bytes,
    packed_objects,
)

# Few characters, of one to four bytes, so that texts share their beginnings and are repeated.
TEXT = st.text(st.sampled_from("ab\0é\ud800\uffff\U0001f600"), max_size=20)
TEXTS = st.builds(
    lambda start, texts: [start + each for each in texts],
    st.sampled_from(["", "a" * 6, "a" * 7, "é" * 7, "document 0"]),
    st.lists(TEXT, max_size=30),
)


def packed(texts):
    return packed_objects(as_objects(texts))


def check_sorted(text, texts):
    unique, number = text.sorted_unique()
    assert unique.tolist() == sorted(set(texts))
    assert [unique[each] for each in number] == texts


@given(texts=TEXTS)
def test_text_is_sorted_as_python_sorts_strings(texts):
    check_sorted(packed(texts), texts)


@given(texts=TEXTS, others=TEXTS)
def test_text_in_several_buffers(texts, others):
    both = concatenated([packed(texts), packed(others)])
    assert both.tolist() == [*texts, *others]
    check_sorted(both, [*texts, *others])
    row = np.arange(both.size)[::-1].repeat(2)
    assert both[row].tolist() == np.asarray(both)[row].tolist()
    check_sorted(both[row], np.asarray(both)[row].tolist())


@pytest.mark.parametrize(
    "texts",
    [
        [],
        ["", "", ""],
        ["x", "x\0", "x\0\0", "x"],
        ["a" * 7, "a" * 7 + "\0", "a" * 8, "a" * 14, "a" * 7],
        ["abcdefg" * n for n in (3, 1, 2, 3, 0)],
        ["same text of more than a word"] * 5,
        [f"{number:09d} of the same length" for number in range(500, 0, -1)],
        [f"{'the same beginning, ' * 9}{number % 100}" for number in range(300)],
        ["z", "é", "\ud800", "\ue000", "\uffff", "\U0001f600", "A"],
    ],
)
def test_text_that_differs_only_at_some_places(texts, monkeypatch):
    check_sorted(packed(texts), texts)
    monkeypatch.setattr(module, "_BLOCK", 3)
    check_sorted(packed(texts), texts)


@pytest.mark.parametrize("n_bytes", [7, 14])
@given(texts=TEXTS, others=TEXTS)
@example(texts=["a"], others=["b\0"])
def test_the_rest_of_a_long_text_is_read_at_once(n_bytes, texts, others):
    with mock.patch.object(module, "_LONG", n_bytes):
        check_sorted(packed(texts), texts)
        both = concatenated([packed(texts), packed_bytes(b"", np.zeros(0, int)), packed(others)])
        check_sorted(both, texts + others)
        assert packed(texts).equals(packed(texts[::-1])) == (texts == texts[::-1])
        assert packed(texts).equals(packed(list(texts)))
        hashes = both.hashes().tolist()
        assert dict(zip(texts + others, hashes, strict=True)) == dict(
            zip(reversed(texts + others), reversed(hashes), strict=True)
        )
        assert len(set(hashes)) == len({*texts, *others})
        rows = np.arange(both.size)[::2]
        assert both[rows].hashes().tolist() == hashes[::2]


def test_long_texts_are_read_in_few_steps():
    texts = ["a" * 100_000 + end for end in ("", "b", "", "c")]
    with mock.patch.object(
        PackedText, "_words", autospec=True, side_effect=PackedText._words
    ) as seen:
        check_sorted(packed(texts), texts)
        assert packed(texts).equals(packed(texts))
        assert len(set(packed(texts).hashes().tolist())) == 3
    assert seen.call_count < 500


def test_it_is_read_as_an_array_of_objects_is():
    texts = ["b", "é", "", "b\0"]
    encoded = [each.encode() for each in texts]
    text = packed_bytes(b"".join(encoded), np.array(list(map(len, encoded))))
    array = np.asarray(text)
    assert (text.dtype, text.size, text.shape, len(text)) == (array.dtype, 4, (4,), 4)
    assert [*text] == text.tolist() == array.tolist() == texts
    assert text[1] == text[np.int64(-3)] == "é"
    for key in (slice(1, 3), np.array([3, 0, 0]), np.array([True, False, False, True]), slice(0)):
        part = text[key]
        assert isinstance(part, PackedText)
        assert (part.size, part.tolist()) == (array[key].size, array[key].tolist())
        assert part[::-1].tolist() == array[key][::-1].tolist()
        assert part.values.tolist() == texts
        assert np.array(part).dtype == object


def test_strings_that_were_there_are_the_same_objects():
    strings = as_objects(["document 1", "document 0", "document 1"])
    assert np.asarray(packed_objects(strings))[1] is strings[1]
    assert packed_objects(strings).sorted_unique()[0][0] is strings[1]


def test_more_than_two_gigabytes_of_text_have_longer_offsets(monkeypatch):
    """Goes with _small in _packed_text."""
    assert packed_bytes(b"ab", np.array([1, 1]))._parts[0].start.dtype == np.int32
    monkeypatch.setattr(module, "_MOST_IN_32_BITS", 4)
    text = packed_bytes(b"ab", np.array([1, 1]))
    assert text._parts[0].start.dtype == np.int64
    check_sorted(text, ["a", "b"])
