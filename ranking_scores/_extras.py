"""Libraries that only some functions need, with the cure where one is not installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def import_extra(module: str, extra: str, user: str) -> Any:
    """Return a module of a library that is optional.

    `user` is what needs it, such as the name of a function, and `extra` the extra of this package
    that installs it.
    """
    library = module.partition(".")[0]
    try:
        import_module(library)
        return import_module(module)
    except ImportError as error:
        message = f'{user} needs {library}: python -m pip install "ranking-scores[{extra}]"'
        raise ImportError(message) from error
