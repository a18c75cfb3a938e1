"""Warnings, at the line that called this package."""

from __future__ import annotations

import sys
import warnings

from ranking_scores._base._shown import shorten, visible


def warn_caller(message: str, category: type[Warning]) -> None:
    """Warn at the line that called this package."""
    warnings.warn(shorten(visible(message)), category, stacklevel=_frames_to_caller())


def _frames_to_caller() -> int:
    """Return how many frames up the caller of this package is."""
    count, frame = 1, sys._getframe(1)
    while _is_ours(frame.f_globals.get("__name__", "")) and frame.f_back is not None:
        count, frame = count + 1, frame.f_back
    return count


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] == __name__.partition(".")[0]
