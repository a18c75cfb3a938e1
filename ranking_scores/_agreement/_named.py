"""The names of the measures of agreement, such as "overlap@10" and "rbo@0.9"."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._agreement._correlations import correlation_by_query
from ranking_scores._agreement._overlap import (
    Shared,
    average_overlap_at,
    by_query,
    overlap_at,
    rank_biased,
)
from ranking_scores._agreement._pairing import PairedRankings
from ranking_scores._base import WHOLE_LIST, describe, invalid

Floats = NDArray[np.float64]
Range = tuple[float, float]


class Measure(NamedTuple):
    """A row of the table of measures."""

    name: str
    of_pairs: Callable[..., Floats]
    """Returns the value of each query, NaN where the measure is undefined."""
    other_name: str = ""
    """The name of its function, if that is another one. It is a name here, too."""
    option: str | None = None
    """The parameter whose value follows the "@" of a name. None: a name has no "@"."""
    example: str = ""
    """A value of this parameter."""
    range: Range = (0, 1)
    """The lowest and the highest value that a query can have."""

    @property
    def spelled(self) -> str:
        """The name with the value of its parameter, as people write it."""
        return self.name if self.option is None else f"{self.name}@{self.example}"


class NamedMeasure(NamedTuple):
    """A measure with the options that its name has."""

    name: str
    measure: Measure
    options: dict[str, Any]

    def per_query(self, paired: PairedRankings) -> Floats:
        """Return the value of each query, NaN where the measure is undefined."""
        return self.measure.of_pairs(paired, **self.options)

    def as_text(self) -> dict[str, str]:
        """Return the measure and its options as text that can be saved and compared."""
        options = {name: repr(value) for name, value in self.options.items()}
        return {"score": self.measure.name} | options


def _overlap(paired: PairedRankings, k: int, denominator: str = "longer") -> Floats:
    cutoffs = np.array([k])
    return by_query(paired, k, 1, lambda shared: overlap_at(shared, cutoffs, denominator))[:, 0]


def _average_overlap(paired: PairedRankings, k: int) -> Floats:
    cutoffs = np.array([k])
    return by_query(paired, k, 1, lambda shared: average_overlap_at(shared, cutoffs))[:, 0]


def _rbo(paired: PairedRankings, p: float) -> Floats:
    def overlap(shared: Shared) -> Floats:
        return rank_biased(shared, p, "mean", "extrapolated")

    return by_query(paired, WHOLE_LIST, 1, overlap)[:, 0]


def _tau(paired: PairedRankings) -> Floats:
    return correlation_by_query(paired, "kendall_tau", "mean")


def _tau_ap(paired: PairedRankings) -> Floats:
    return correlation_by_query(paired, "tau_ap", "mean")


MEASURES = (
    Measure("overlap", _overlap, "overlap_at_k", option="k", example="10"),
    Measure("jaccard", partial(_overlap, denominator="union"), option="k", example="10"),
    Measure("average_overlap", _average_overlap, option="k", example="10"),
    Measure("rbo", _rbo, "rank_biased_overlap", option="p", example="0.9"),
    Measure("kendall_tau", _tau, range=(-1, 1)),
    Measure("tau_ap", _tau_ap, range=(-1, 1)),
)
"""The table of measures. Their names are listed in this order."""
DEFAULT_MEASURES = ("overlap@10", "rbo@0.9")

_MEASURE_OF = {
    name: measure
    for measure in MEASURES
    for name in filter(None, (measure.name, measure.other_name))
}


def find_measures(scores: Any, caller: str, parameter: str = "scores") -> list[NamedMeasure]:
    """Return the measures of a name or of a list of names."""
    is_one = isinstance(scores, str)
    if not is_one and not (isinstance(scores, Sequence) and len(scores)):
        expected = "the name of a measure, or a list of names, such as ['overlap@10', 'rbo@0.9']"
        raise invalid(parameter, caller, expected, describe(scores))
    found = [find_measure(each, caller, parameter) for each in ([scores] if is_one else scores)]
    names = [each.name for each in found]
    for name in names:
        if names.count(name) > 1:
            raise invalid(parameter, caller, "names of different measures", f"{name!r} twice")
    return found


def find_measure(text: Any, caller: str, parameter: str = "scores") -> NamedMeasure:
    """Return the measure of a name, such as "overlap@10"."""
    expected = f"one of {', '.join(each.spelled for each in MEASURES)}"
    if not isinstance(text, str):
        raise invalid(parameter, caller, expected, describe(text))
    name, at, value = text.partition("@")
    measure = _MEASURE_OF.get(_spelled(name))
    if measure is None:
        near = difflib.get_close_matches(_spelled(name), _MEASURE_OF, n=1)
        advice = f"Did you mean {_MEASURE_OF[near[0]].name!r}?" if near else ""
        raise invalid(parameter, caller, expected, repr(text), advice)
    if measure.option is None:
        if at:
            expected = f"without '@' for {measure.name!r}, which reads the whole lists"
            raise invalid(parameter, caller, expected, repr(text))
        return NamedMeasure(measure.name, measure, {})
    number = _read(value, measure.option)
    if number is None:
        expected = _EXPECTED[measure.option].format(measure.name)
        raise invalid(parameter, caller, expected, repr(text))
    return NamedMeasure(f"{measure.name}@{number!r}", measure, {measure.option: number})


_EXPECTED = {
    "k": "a name with a cutoff, a whole number from 1 on, as in '{}@10'",
    "p": "a name with a persistence above 0 and below 1, as in '{}@0.9'",
}
"""What the name of a measure with an option must be."""


def _read(value: str, option: str) -> int | float | None:
    """Return the value in a name, or None if the option cannot have it."""
    if option == "k":
        is_count = value.isascii() and value.isdigit() and len(value) < 19 and int(value) > 0
        return int(value) if is_count else None
    try:
        number = float(value.replace("_", "?"))  # Python accepts .9_5
    except ValueError:
        return None
    return number if 0 < number < 1 else None


def is_agreement(text: str) -> bool:
    """Return whether a text is the name of a measure, whatever follows its "@"."""
    return _spelled(text.partition("@")[0]) in _MEASURE_OF


def range_of_agreement(name: str) -> Range | None:
    """Return the lowest and the highest value of a query, or None for other names."""
    measure = _MEASURE_OF.get(_spelled(name.partition("@")[0]))
    return None if measure is None else measure.range


def _spelled(name: str) -> str:
    return name.lower().replace("-", "_")
