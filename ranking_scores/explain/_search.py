"""The search for the conventions that give a number.

A convention is a *core*, which gives a numerator and a divisor for each query, and an *end*: what
counts for queries without relevant items, predictions or judgments, and how the mean is taken. The
parts of cores are computed once. The means of all ends of a core come from a few sums over its
queries, so that an end costs no pass over the data.

Knobs that programs turn on purpose are combined in all ways. Of the usual mistakes a convention
has at most one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, replace
from functools import cache
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._validation import WHOLE_LIST, is_sparse
from ranking_scores._metrics._evaluate import RankedBlock
from ranking_scores._metrics._measure import (
    LEFT_OUT,
    UNLESS_LISTED,
    WEIGHTS_BY_DIVISOR,
    Convention,
    ConventionBlock,
    ItemKeys,
    aggregate_mean,
    default_convention,
)
from ranking_scores._metrics._programs import (
    ProgramMeasure,
    convention_of,
    name_of_measure,
    programs,
)
from ranking_scores._metrics._tie_ranges import (
    TieRange,
    has_undefined_orders,
    range_of_block,
    range_of_mean,
)
from ranking_scores._queries._data import CallData, DataNeeds
from ranking_scores._queries._layouts import check_queries
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.explain._words import knob_differs

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_ENDS = ("no_relevant", "no_predictions", "not_judged")
_NAN = float("nan")
_USUAL: dict[str, tuple[Any, ...]] = {
    "ties": ("average", "earlier", "later", "id ascending", "id descending", "best", "worst"),
    "scores": ("float64", "float32"),
    "known": ("judged", "retrieved"),
    "gain": ("linear", "exponential", "binary"),
}
_DIVISORS = {
    "map": (("relevant", "achievable"), ("k", "retrieved", "hits", "least")),
    "recall": (("relevant", "achievable"), ("k", "retrieved", "hits", "least")),
    "precision": (("k", "retrieved"), ("relevant", "achievable")),
    "f1": (("k", "retrieved"), ()),
}
"""The divisors that programs have, and those of mistakes."""
_PARAMETERS: dict[str, tuple[Any, ...]] = {
    "beta": (0.5, 1.0, 2.0),
    "persistence": (0.5, 0.8, 0.85, 0.9, 0.95),
    "max_grade": (1, 2, 3, 4, 5),
    "multiple": (0.2, 0.4, 0.5, 0.6, 0.8, 1.2, 1.4, 1.6, 1.8, 2.0),
    "divides": (2, 3, 4, 5),
    "square of beta": (0.25, 0.5, 2.0, 4.0),
}
"""The usual values of knobs that are numbers."""
_PARAMETERS_OF = {"f1": ("beta",), "rbp": ("persistence",), "err": ("max_grade",)}
"""The knobs that are parameters of a metric, so that another value is a mistake."""
_UNORDERED = ("average", "joined", "middle")
"""The treatments of ties that give a list no order."""
_DISCOUNTS = ("log of rank", "one rank later", "rank", "none")
_IDEALS = ("all", "retrieved", "sorted", "ones")
_USUAL_ENDS: dict[str, tuple[Any, ...]] = {
    "no_relevant": (0.0, 1.0, LEFT_OUT),
    "no_predictions": (None, LEFT_OUT),
    "not_judged": (None, LEFT_OUT),
}
_OF_ENDS = (
    *("no_hit", "none_relevant", "no_irrelevant", "neither", "mean", "weight", "scale", "is_loss"),
    *("digits", "halves_up", "digits_of_mean", "mean_of_none"),
)
_NOT_IN_CORES = {each.name: each.default for each in fields(Convention) if each.name in _OF_ENDS}
"""The knobs that ends and mistakes of ends turn, at their defaults."""
_COUNTING = ("precision", "recall", "f1", "r_precision", "hit_rate")
"""The metrics that count hits, whatever their ranks, so that they take few values."""
_GAIN_OF_WHOLE_LABELS = {"whole": "linear", "whole exponential": "exponential"}
"""What some gains are for labels that are whole numbers."""
_DIGITS = (2, 3, 4)
_HIGHEST_SHARE = 1.5
"""A percentage is higher."""
_HIGHEST_ROUNDING = 0.01
"""By how much a rounded value can be above the highest."""


class Target(NamedTuple):
    """The number that is to be explained, or the number of each query."""

    values: Floats
    """One number, or one for each query, NaN if the query has none."""
    tolerance: float
    is_mean: bool
    digits: int
    """The number of digits behind the point that were written."""
    is_open: Bools | None = None
    """Which queries may have any value, since their number was not given; None: none may."""

    def is_near(self, values: Any) -> Any:
        """Return which values are the target, as far as it is known."""
        is_near = np.abs(values - self.values) <= self.tolerance * (1 + 1e-9)
        return is_near if self.is_open is None else is_near | self.is_open

    def are_same(self, values: Any) -> Any:
        """Return which values are the target, or are left out as it is."""
        return self.is_near(values) | (np.isnan(values) & np.isnan(self.values))

    def distances(self, values: Any) -> Floats:
        """Return how far values are from the target. One that is left out is 1 from a number."""
        is_out, is_not_told = np.isnan(values), np.isnan(self.values)
        distance = np.where(is_out != is_not_told, 1.0, np.abs(values - self.values))
        is_same = is_out & is_not_told
        if self.is_open is not None:
            is_same = is_same | self.is_open
        return np.asarray(np.where(is_same, 0.0, distance))


class FoundConvention(NamedTuple):
    """A convention that gives the target, and the programs whose convention it is."""

    convention: Convention
    programs: tuple[str, ...]


class Possible(NamedTuple):
    """Measures of programs that give the target in some order of ties that they do not define."""

    programs: tuple[str, ...]
    lowest: float
    """The lowest mean over all orders."""
    highest: float


class SearchResult(NamedTuple):
    """What a search found."""

    found: list[FoundConvention]
    nearest: Convention
    """The convention whose mean, or whose values of the queries, are nearest."""
    n_conventions: int
    numbers: Floats
    """The different means that conventions give."""


class ConventionSearch:
    """The values that conventions give on some data."""

    def __init__(self, data: CallData, ours: Convention, function: str) -> None:
        # Each convention is tried in one order of ties. `possible` tries the others.
        self.ours, self._data, self._function = replace(ours, ordered_to=None), data, function
        self._start = replace(self.ours, **cast(dict[str, Any], _NOT_IN_CORES))
        if ours.no_predictions == UNLESS_LISTED:  # known only of programs
            self._start = replace(self._start, no_predictions=LEFT_OUT)
        """What cores differ from: ours, or a measure of a program without its own ends."""
        self._blocks = {False: self._read(data)}
        self.n_queries = sum(block.block.queries.size for block in self._blocks[False])
        self._traits = _traits_of(data, self._blocks[False])

    def _read(self, data: CallData) -> list[ConventionBlock]:
        """Return the blocks of some data."""
        keys, queries = ItemKeys(data), check_queries(data, DataNeeds(WHOLE_LIST))
        self.ids = queries.ids
        """The ids of the queries; None: they have no ids."""
        return [
            ConventionBlock(RankedBlock(block, WHOLE_LIST), keys, self._function)
            for block in queries.blocks()
        ]

    def _blocks_of(self, convention: Convention) -> list[ConventionBlock]:
        """Return the blocks that a convention sees."""
        if convention.swapped not in self._blocks:
            order = self._data.order and self._data.order._replace(row=None, repeats=None)
            labels, scores = self._data.y_score, self._data.y_true
            self._blocks[True] = self._read(
                replace(self._data, y_true=labels, y_score=scores, order=order)
            )
        return self._blocks[convention.swapped]

    def gather(
        self, convention: Convention, of_block: Callable[[ConventionBlock], NDArray[Any]]
    ) -> Any:
        """Return an array of all queries from those of the blocks."""
        blocks = self._blocks_of(convention)
        parts = [of_block(block) for block in blocks]
        gathered = np.empty((self.n_queries, *parts[0].shape[1:]), dtype=parts[0].dtype)
        for block, part in zip(blocks, parts, strict=True):
            gathered[block.block.queries] = part
        return gathered

    def values(self, convention: Convention) -> Floats:
        """Return the value of each query, NaN if it is left out."""
        values: Floats = self.gather(convention, lambda block: block.values(convention))
        return values

    def mean(self, convention: Convention) -> float:
        """Return the mean, as the program would report it."""
        values = self.values(convention)
        is_kept = ~np.isnan(values)
        weights = np.ones(values.size)
        if convention.weight in WEIGHTS_BY_DIVISOR:
            weights = self.gather(
                convention, lambda block: cast(Floats, block.query_weight(convention))
            )
        total = 1.0 if convention.mean == "sum" else weights[is_kept].sum()
        if not total and convention.mean_of_none is not None:
            return convention.mean_of_none
        mean = float((values * weights)[is_kept].sum() / total) if total else _NAN
        return aggregate_mean(mean, convention)

    def try_all(self, target: Target, report: Callable[[int, int], None]) -> SearchResult:
        """Return the conventions that give the target.

        `report` is called with the number of cores that are done, and that of all.
        """
        cores = list(self.cores())
        known = [FoundConvention(self.ours, ()), *self._known()]
        found = [each for each in known if self._gives(each.convention, target)]
        means = [np.array([self.mean(each.convention) for each in known])]
        nearest: list[tuple[float, Convention]] = [
            (self._distance(each.convention, target), each.convention) for each in known
        ]
        for number, core in enumerate(cores):
            report(number, len(cores))
            try:
                outcomes = list(self._outcomes(core, target))
            except InvalidParameterError:  # such as labels above `max_grade`
                continue
            for outcome in outcomes:
                means.append(outcome.means)
                found += [
                    FoundConvention(replace(core, **outcome.knobs[place]), ())
                    for place in np.flatnonzero(outcome.is_near)
                ]
                best = int(np.argmin(outcome.distance))
                nearest.append(
                    (float(outcome.distance[best]), replace(core, **outcome.knobs[best]))
                )
        numbers: Floats = np.concatenate(means)
        n_conventions, numbers = numbers.size, numbers[~np.isnan(numbers)]
        # A target that is a share cannot be met by the counts of programs.
        if self.ours.metric != "dcg" and np.nanmax(target.values, initial=0) <= 1:
            numbers = numbers[(numbers >= 0) & (numbers <= 1)]
        _, nearest_one = min(nearest, key=lambda pair: pair[0])
        return SearchResult(found, nearest_one, n_conventions, np.unique(np.round(numbers, 12)))

    def _distance(self, convention: Convention, target: Target) -> float:
        """Return how far a convention is from the target."""
        if target.is_mean:
            return float(target.distances(np.array([self.mean(convention)]))[0])
        return float(target.distances(self.values(convention)).sum())

    def cores(self) -> Iterator[Convention]:
        """Yield the conventions of the metric that differ in numerators or divisors."""
        usual, mistakes = self._knobs()
        seen: set[Convention] = set()
        for name, value in [("metric", self._start.metric), *mistakes]:
            for values in itertools.product(*usual.values()):
                knobs = dict(zip(usual, values, strict=True)) | {name: value}
                core = replace(self._start, **knobs)
                if core.ideal == "sorted" and core.ties in _UNORDERED:
                    continue
                if core not in seen:
                    seen.add(core)
                    yield core

    def _knobs(self) -> tuple[dict[str, tuple[Any, ...]], list[tuple[str, Any]]]:
        """Return the values of each knob that make sense here, and the usual mistakes."""
        traits, ours = self._traits, self.ours
        metric, k = ours.metric, ours.k
        usual: dict[str, tuple[Any, ...]] = {}
        if traits.has_ties:
            usual["ties"] = _USUAL["ties"]
        if traits.ties_in_float32:
            usual["scores"] = _USUAL["scores"]
        if traits.misses_relevant:
            usual["known"] = _USUAL["known"]
        mistakes: list[tuple[str, Any]] = []
        if metric in ("ndcg", "dcg"):
            if traits.is_graded:
                usual["gain"] = _USUAL["gain"]
            mistakes += [("discount", discount) for discount in _DISCOUNTS]
        if metric == "ndcg":
            mistakes += [("ideal", ideal) for ideal in _IDEALS]
        if metric == "mrr":
            mistakes += [("discount", "one rank later")]
        if metric in _DIVISORS:
            usual["divisor"], others = _DIVISORS[metric]
            mistakes += [("divisor", other) for other in others]
        if k is not None:
            mistakes += [("k", each) for each in (k - 1, k + 1) if each]
            if metric not in ("precision", "f1"):
                mistakes += [("k", None)]
        mistakes += [("threshold", threshold) for threshold in traits.thresholds]
        for name in _PARAMETERS_OF.get(metric, ()):
            mistakes += [(name, each) for each in _PARAMETERS[name]]
        if traits.has_scores_of_0 and metric not in ("ndcg", "dcg", "err"):
            mistakes += [("are_positive", True)]
        if traits.has_repeats:
            mistakes += [("duplicates", "twice")]
        if traits.may_be_swapped:
            mistakes += [("swapped", True)]
        with_ours = {
            name: tuple(dict.fromkeys((getattr(ours, name), *values)))
            for name, values in usual.items()
        }
        return with_ours, mistakes

    def _ends(
        self, core: Convention, target: Target, highest: float
    ) -> list[tuple[dict[str, Any], AggregationRules]]:
        """Return the mistakes of ends that make sense here, each with the rules for queries.

        Together a convention has at most one mistake, besides percentages: a target above the
        `highest` value of the core can be nothing else.
        """
        usual = {
            name: tuple(dict.fromkeys((getattr(self._start, name), *_USUAL_ENDS[name])))
            for name in _ENDS
            if self._traits.classes[name] or (name == "no_relevant" and core.threshold is not None)
        }
        mistakes: list[dict[str, Any]] = [{}]
        if not any(  # it has one already
            getattr(core, name) == value and knob_differs(name, core, self._start)
            for name, value in self._knobs()[1]
        ):
            mistakes.append({"no_hit": LEFT_OUT})
            # Values of so few digits may have been rounded when they were written.
            several = _DIGITS if target.is_mean else range(2, min(target.digits, max(_DIGITS) + 1))
            mistakes += [{"digits": each} for each in several]
            if target.is_mean and core.metric in ("precision", "recall"):
                mistakes.append({"weight": "divisor"})
        ends = tuple(
            tuple(zip(usual, values, strict=True)) for values in itertools.product(*usual.values())
        )
        start = tuple(getattr(self._start, name) for name in _ENDS)
        return [
            ({"scale": scale} | mistake, _rules_of(ends, start, scale))
            for scale in self._scales(core, target, highest)
            for mistake in mistakes
        ]

    def _scales(self, core: Convention, target: Target, highest: float) -> tuple[float, ...]:
        """Return by what the values of a core can have been multiplied."""
        top = np.nanmax(target.values, initial=0)
        if top <= _HIGHEST_SHARE or core.metric == "dcg":
            return (1.0,)
        return (100.0,) if top > max(highest, 1) + _HIGHEST_ROUNDING else (1.0, 100.0)

    def _outcomes(self, core: Convention, target: Target) -> Iterator[CoreOutcome]:
        """Yield the means of a core with all its ends, and which of them give the target."""
        numerator = self.gather(core, lambda block: block.numerator(core))
        divisor = self.gather(core, lambda block: block.divisor(core))
        values = self.gather(core, lambda block: block.quotients(core))
        kind: Ints = self.gather(
            core,
            lambda block: np.stack([block.ends(core)[name] for name in _ENDS], axis=1) @ _BITS,
        )
        for mistake, rules in self._ends(core, target, values.max()):
            value = values * mistake["scale"]
            if "digits" in mistake:
                value = np.round(value, mistake["digits"])
            weight = divisor if "weight" in mistake else np.ones(value.size)
            if "no_hit" in mistake:
                weight = ((numerator > 0) | (kind > 0)).astype(np.float64)
            sums, weights = (
                np.bincount(kind, each, minlength=_N_KINDS) for each in (value * weight, weight)
            )
            with np.errstate(invalid="ignore", divide="ignore"):
                means = (rules.keeps @ sums + rules.value @ weights) / (rules.counts @ weights)
            conventions = [{**dict(end), **mistake} for end in rules.ends]
            if target.is_mean:
                yield CoreOutcome(
                    means, target.is_near(means), target.distances(means), conventions
                )
            else:
                compared = _compare_each(value, kind, rules, target, weight)
                yield CoreOutcome(means, *compared, conventions)

    def _known(self) -> Iterator[FoundConvention]:
        """Yield the conventions of programs that can be computed, each with their measures."""
        names: dict[Convention, list[str]] = {}
        unseen: dict[str, Any] = {"ordered_to": None}
        if not self._traits.has_repeats:
            unseen["duplicates"] = self.ours.duplicates
        for name, convention in self.of_programs():
            names.setdefault(replace(convention, **unseen), []).append(name)
        for convention, measures in names.items():
            try:
                self.values(convention)
            except InvalidParameterError:  # the program takes other labels, such as probabilities
                continue
            yield FoundConvention(convention, tuple(measures))

    def _gives(self, convention: Convention, target: Target) -> bool:
        """Return whether the convention of a program gives the target."""
        if target.is_mean:
            return bool(target.is_near(self.mean(convention)).all())
        return bool(target.are_same(self.values(convention)).all())

    def plain(self, convention: Convention) -> Convention:
        """Return a convention without what makes no difference for labels that are counts."""
        if not self._traits.is_whole:
            return convention
        threshold = self.ours.threshold if convention.threshold == 1 else convention.threshold
        gain = convention.gain
        if isinstance(gain, str):
            gain = _GAIN_OF_WHOLE_LABELS.get(gain, gain)
        return replace(convention, gain=gain, threshold=threshold)

    def other_metrics(self, target: Target, ours: Mapping[str, Convention]) -> tuple[str, ...]:
        """Return the scores of other metrics that give the target: ours, then those of programs.

        `ours` are the conventions of our scores by name. Programs have their default options.
        """
        named = {**ours, **dict(self._defaults_of_programs())}
        found = []
        for name, convention in named.items():
            try:
                if convention.metric != self.ours.metric and self._gives(convention, target):
                    found.append(name)
            except InvalidParameterError:  # it takes other labels, such as probabilities
                continue
        return tuple(found)

    def _defaults_of_programs(self) -> Iterator[tuple[str, Convention]]:
        """Yield the measures of programs without options, at this cutoff and without one."""
        for program in programs().values():
            for measure in program.measures.values():
                for k in dict.fromkeys((self.ours.k, None)):
                    if measure.cutoff != ("required" if k is None else "none"):
                        name = name_of_measure(program, measure, k, {})
                        yield name, convention_of(measure, k, {}, self._function)

    def step(self) -> float:
        """Return the distance of the means that a metric which counts hits can have, else 0.

        The value of a query is a whole number of hits over its divisor. Precision at 5 of four
        queries can only be a multiple of 1 / (5 * 4).
        """
        if self.ours.metric not in _COUNTING:
            return 0.0
        divisors = self.gather(self.ours, lambda block: block.divisor(self.ours))
        # The divisors of F1 may be halves.
        doubled = np.unique(np.round(2 * divisors[divisors > 0], 6))
        if not doubled.size or (doubled % 1).any():
            return 0.0
        halves = [each % 2 for each in doubled.tolist()]
        whole = (doubled if any(halves) else doubled / 2).astype(np.int64)
        n_queries = int((~np.isnan(self.values(self.ours))).sum())
        return self.ours.scale / (math.lcm(*whole.tolist()) * n_queries)

    def possible(self, target: Target) -> list[Possible]:
        """Return the measures of programs that some order of ties brings to the target.

        Only those are tried whose order of ties is not defined, and makes a difference here.
        """
        names: dict[Convention, list[str]] = {}
        for name, convention in self.of_programs():
            if has_undefined_orders(convention):
                names.setdefault(convention, []).append(name)
        found = []
        for convention, measures in names.items():
            try:
                ties = self._range_of_ties(convention)
            except InvalidParameterError:  # the program takes other labels
                continue
            lowest, highest = range_of_mean(ties, None, convention)
            tolerance = target.tolerance * (1 + 1e-9)
            if target.is_mean:
                is_possible = lowest - tolerance <= target.values[0] <= highest + tolerance
            else:
                is_allowed = ties.allows(target.values, tolerance)
                is_open = False if target.is_open is None else target.is_open
                is_possible = bool((is_allowed | is_open).all())
            if is_possible and ties.is_wide().any():
                found.append(Possible(tuple(measures), lowest, highest))
        return found

    def _range_of_ties(self, convention: Convention) -> TieRange:
        """Return the values that each query can have in all orders of its ties."""
        ranges = self.gather(
            convention, lambda block: np.stack(range_of_block(block, convention), axis=1)
        )
        return TieRange(ranges[:, 0], ranges[:, 1], ranges[:, 2] > 0)

    def of_programs(self) -> Iterator[tuple[str, Convention]]:
        """Yield the measures of programs that are this metric at this cutoff, or without one."""
        cutoffs = dict.fromkeys((self.ours.k, None))
        for program in programs().values():
            for measure in program.measures.values():
                for k in cutoffs:
                    if measure.cutoff == ("required" if k is None else "none"):
                        continue
                    for options, convention in self._variants(measure, k):
                        if convention.metric == self.ours.metric and (
                            k is None or convention.k in cutoffs
                        ):
                            yield name_of_measure(program, measure, k, options), convention

    def _variants(
        self, measure: ProgramMeasure, k: int | None
    ) -> Iterator[tuple[dict[str, Any], Convention]]:
        """Yield a measure with its defaults, and with its options in all combinations.

        A convention comes once, with as few options as it needs.
        """
        given = [
            [{}, *({option: value} for value in self._values_of(sets))]
            for option, sets in measure.options.items()
        ]
        seen = set()
        for several in sorted(itertools.product(*given), key=lambda each: sum(map(bool, each))):
            options = {option: value for each in several for option, value in each.items()}
            convention = convention_of(measure, k, options, self._function)
            plain = convention  # the weights of a caller are not known here
            if convention.weight not in WEIGHTS_BY_DIVISOR:
                plain = replace(convention, weight="queries")
            if plain not in seen:
                seen.add(plain)
                yield options, convention

    def _values_of(self, sets: Any) -> Iterable[Any]:
        """Return the values of an option of a program that may make a difference here."""
        if not isinstance(sets, str):
            return cast(Iterable[Any], sets)
        if sets == "above":
            return [label - 0.5 for label in self._traits.thresholds]
        usual = {**_PARAMETERS, "threshold": self._traits.thresholds, "no_relevant": (0.0, 1.0)}
        return usual.get(sets, ())


class AggregationRules(NamedTuple):
    """The ends of conventions, and what they do with each kind of query, (n_ends, 8)."""

    ends: tuple[tuple[tuple[str, Any], ...], ...]
    keeps: Floats
    """1 where the value stays."""
    value: Floats
    """The value that replaces it, else 0."""
    counts: Floats
    """1 where the query counts, 0 where it is left out."""


class CoreOutcome(NamedTuple):
    """What a core gives with several ends."""

    means: Floats
    is_near: Bools
    """Whether it is the target."""
    distance: Floats
    """How far it is from the target."""
    knobs: list[dict[str, Any]]
    """The knobs of each end."""


_BITS = np.array([1, 2, 4])
_N_KINDS = 8
"""A query lacks relevant items, predictions or judgments, or several of these. Its kind has a bit
for each, so that sums over the queries of each of the 8 kinds say all that an end needs: an end
treats the queries of a kind alike."""


@cache
def _rules_of(
    ends: tuple[tuple[tuple[str, Any], ...], ...], ours: tuple[Any, ...], scale: float
) -> AggregationRules:
    """Return what some ends do with each kind of query. `end_values` says the same."""
    keeps, value, counts = np.zeros((3, len(ends), _N_KINDS))
    for row, end in enumerate(ends):
        of_end = dict(zip(_ENDS, ours, strict=True)) | dict(end)
        for kind in range(_N_KINDS):
            applying = [of_end[name] for bit, name in enumerate(_ENDS) if kind >> bit & 1]
            applying = [each for each in applying if each is not None]
            is_left_out = LEFT_OUT in applying
            counts[row, kind] = not is_left_out
            keeps[row, kind] = not applying
            value[row, kind] = applying[-1] * scale if applying and not is_left_out else 0
    return AggregationRules(ends, keeps, value, counts)


def _compare_each(
    value: Floats, kind: Ints, rules: AggregationRules, target: Target, weight: Floats
) -> tuple[Bools, Floats]:
    """Return which ends give the value of each query, and how far the values are from it."""
    n_wrong, distance = (np.zeros(len(rules.ends)) for _ in range(2))
    is_replaced = (rules.counts == 1) & (rules.keeps == 0)
    for applies, values in [
        (rules.keeps, np.where(weight > 0, value, np.nan)),
        (rules.counts == 0, np.full(value.size, np.nan)),
        *(
            (is_replaced & (rules.value == number), np.full(value.size, number))
            for number in np.unique(rules.value[is_replaced])
        ),
    ]:
        n_wrong += applies @ np.bincount(kind, ~target.are_same(values), minlength=_N_KINDS)
        distance += applies @ np.bincount(kind, target.distances(values), minlength=_N_KINDS)
    is_right: Bools = n_wrong == 0
    return is_right, distance


class DataTraits(NamedTuple):
    """What data have, so that some knobs make a difference."""

    has_ties: bool
    """Whether scores are equal, at least in float32."""
    ties_in_float32: bool
    """Whether scores are equal in float32 that differ otherwise."""
    is_graded: bool
    is_whole: bool
    """Whether all labels are whole numbers of at least 0."""
    thresholds: tuple[float, ...]
    misses_relevant: bool
    """Whether a relevant item was not retrieved."""
    has_scores_of_0: bool
    """Whether a score is 0 or less."""
    has_repeats: bool
    """Whether items that were predicted several times are held."""
    may_be_swapped: bool
    """Whether the scores can be labels."""
    classes: Mapping[str, bool]
    """Whether a query lacks relevant items, predictions or judgments."""


def _traits_of(data: CallData, blocks: list[ConventionBlock]) -> DataTraits:
    """Return what some data have."""
    found: dict[str, bool] = dict.fromkeys((*_ENDS, "ties", "float32", "misses", "zero"), False)
    labels: set[float] = set()
    any_of = default_convention("hit_rate")
    for each in blocks:
        block = each.block
        for name, applies in each.ends(any_of).items():
            found[name] = found.get(name, False) or bool(applies.any())
        in_order = np.sort(block.scores, axis=1)
        with np.errstate(over="ignore"):
            single = in_order.astype(np.float32)
        ties, single_ties = (each[:, 1:] == each[:, :-1] for each in (in_order, single))
        found["ties"] |= bool(single_ties.any())
        found["float32"] |= bool((single_ties & ~ties).any())
        retrieved = each.n_relevant(replace(any_of, known="retrieved"))
        found["misses"] |= bool((retrieved < each.n_relevant(any_of)).any())
        found["zero"] |= bool((block.scores <= 0).any())
        labels.update(np.unique(block.judged.labels).tolist())
    can_swap = is_sparse(data.y_true) == is_sparse(data.y_score) and data.labels is None
    relevant = sorted(label for label in labels if label > 0)
    least = relevant[0] if relevant else 0
    return DataTraits(
        has_ties=found["ties"],
        ties_in_float32=found["float32"],
        is_graded=any(label != 1 for label in relevant),
        is_whole=all(label >= 0 and label % 1 == 0 for label in labels),
        thresholds=tuple(
            each for each in (1.0, 2.0, 3.0, 4.0) if least < each <= max((*relevant, 2.0))
        ),
        misses_relevant=found["misses"],
        has_scores_of_0=found["zero"],
        has_repeats=data.order is not None and data.order.repeats is not None,
        may_be_swapped=can_swap and not found["zero"],
        classes={name: found[name] for name in _ENDS},
    )
