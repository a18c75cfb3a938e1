"""Imports of optional libraries, with advice if one is not installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def import_extra(module: str, extra: str, user: str) -> Any:
    """Return a module of an optional library.

    `user` names what needs the library, such as a function. `extra` is the extra of this package
    that installs it.
    """
    library = module.partition(".")[0]
    try:
        import_module(library)
        return import_module(module)
    except ImportError as error:
        message = f'{user} needs {library}: python -m pip install "ranking-scores[{extra}]"'
        raise ImportError(message) from error
