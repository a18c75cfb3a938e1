"""Read numpydoc docstrings, without numpydoc: the tests need nothing for it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any


def sections_of(function: Callable[..., Any]) -> dict[str, str]:
    """Return the text of each section by its heading."""
    parts = re.split(r"^(\w[\w ]*)\n-{3,}\n", inspect.getdoc(function) or "", flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def parameters_of(function: Callable[..., Any]) -> dict[str, str]:
    """Return what is said of each parameter: type and description, by its name."""
    entries = re.split(r"^(?=\S)", sections_of(function)["Parameters"], flags=re.MULTILINE)
    pairs = (re.split(r" : |\n", entry.strip(), maxsplit=1) for entry in entries if entry.strip())
    return dict(pairs)
