"""Doors in the words of other programs, which code that calls these can call in their place.

Each is a module of its own: ``import ranking_scores.compat.pytrec_eval as pytrec_eval``.
"""

__all__: list[str] = []


def __dir__() -> list[str]:
    return __all__
