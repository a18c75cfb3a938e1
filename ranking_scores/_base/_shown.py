"""How the text of callers is shown to people: harmless on a terminal, and never endless.

Ids, groups and names of files may have characters that a terminal obeys, or that hide or reorder
the text around them. Tables, reprs, errors and warnings show these as the escapes of Python. JSON
and CSV, which are for programs, have all text as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

_BEYOND_ASCII = "[^\0-\x7f]"
_HIDDEN = re.compile(
    # The controls C0 and C1, a soft hyphen, lone surrogates, and tags.
    "[\0-\x1f\x7f-\x9f\xad\ud800-\udfff\U000e0000-\U000e007f"
    # Marks, embeddings, overrides and isolates of direction, and the separators of lines.
    "\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069"
    # What has no width.
    "\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb]"
    # Joiners, except inside of emoji and of words of Persian and of Indian languages.
    f"|[\u200c\u200d](?!{_BEYOND_ASCII})|(?<!{_BEYOND_ASCII})[\u200c\u200d]"
)
_LONGEST = 200
"""A text of at most so many characters is shown whole. Addresses of pages are ids, too."""
_BEGINNING = 80
"""How many characters are shown of a longer text."""
_LONGEST_PART = 2000
"""The most characters of a part of a message, such as a list of names."""
_N_IDS, _N_NAMES = 3, 10
"""How many ids, and how many names of columns, fields and scores, are shown of a long list."""


def visible(text: str) -> str:
    """Return a text with escapes for the characters that a terminal obeys or does not show."""
    if text.isprintable():
        return text
    return _HIDDEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def shorten(text: str) -> str:
    """Return a message or a part of it: the beginning and the length, if it is endless."""
    return text if len(text) <= _LONGEST_PART else f"{text[:_LONGEST_PART]}{_of(text)}"


def show_text(text: str | bytes) -> str:
    """Return text as error messages show it: the beginning and the length, if it is long."""
    return repr(text) if len(text) <= _LONGEST else f"{text[:_BEGINNING]!r}{_of(text)}"


def _of(text: str | bytes) -> str:
    """Return the words about the length of a text that is cut."""
    return f"… ({len(text)} {'bytes' if isinstance(text, bytes) else 'characters'})"


def show_id(value: Any) -> str:
    """Return an id, or another value of the caller, as error messages show it."""
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return str(value)
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, (str, bytes)):
        return show_text(value)
    text = repr(value)
    return visible(text if len(text) <= _LONGEST else f"{text[:_BEGINNING]}{_of(text)}")


def show_some(ids: Sequence[Any] | NDArray[Any], n: int = _N_IDS) -> str:
    """Return the first ids in words, and how many more there are."""
    more = f" and {len(ids) - n} more" if len(ids) > n else ""
    return f"{', '.join(map(show_id, ids[:n]))}{more}"


def show_names(names: Iterable[Any]) -> str:
    """Return the first names of columns, fields or scores, and how many more there are."""
    return show_some(list(names), _N_NAMES)
