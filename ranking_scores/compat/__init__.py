"""Doors in the words of other programs, which code that calls these can call in their place.

Each is a module of its own: ``import ranking_scores.compat.pytrec_eval as pytrec_eval``.
"""

import importlib as _importlib
import types as _types

__all__: list[str] = []


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> _types.ModuleType:
    if name in ("ir_measures", "pytrec_eval", "ranx"):
        return _importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
