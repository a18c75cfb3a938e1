"""Reads the scores of systems on each query, checks that the queries agree, and pairs them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ranking_scores._agreement import is_agreement, range_of_agreement
from ranking_scores._base import (
    ROWS,
    Difference,
    Indexes,
    Place,
    Sums,
    ValuesById,
    are_equal,
    are_missing,
    are_same_ids,
    as_objects,
    by_id,
    check_finite_weights,
    check_identifiers,
    check_real_array,
    check_utf8,
    describe,
    import_extra,
    invalid,
    match_ids,
    name_at,
    not_alike,
    read_only,
    show_id,
    show_names,
    show_some,
    unique_identifiers,
    warn_caller,
    weighted_sum,
)
from ranking_scores._metrics import (
    OVER,
    SCORES,
    ProgramScore,
    are_same_texts,
    bind_scores,
    find_score,
    find_scores,
    is_of_program,
    list_some,
    name_results,
    range_of,
    split_name,
)
from ranking_scores._statistics._units import Units
from ranking_scores._tables import RankingData, groupings_of
from ranking_scores.report import RankingReport, as_report, ranking_report
from ranking_scores.streaming import StreamingScore

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Range = tuple[float, float]

_LARGEST = 1e300
"""The differences of larger scores, or their sums, would overflow."""


class Scores(NamedTuple):
    """The scores of each query, of one system."""

    values: Floats
    """Of shape (n_queries, n_columns)."""
    names: tuple[str, ...] | None
    """The names of the columns, or None for a single column without a name."""
    ids: NDArray[Any] | None
    """The ids of the queries, from a report or from a pandas index."""
    is_single: bool
    """Whether the caller passed one column, rather than an array of columns or a report."""
    report: RankingReport | None = None
    """The report that the scores come from."""
    weight: Floats | None = None
    """The weight of each query, of a report."""
    cluster: NDArray[Any] | None = None
    """The cluster of each query, of a report."""
    indexed: Any = None
    """The pandas data that the scores come from."""
    human: Floats | None = None
    """The scores by people's labels, of the shape of the values. NaN where there are none."""

    @property
    def are_named(self) -> bool:
        """Whether the columns have names of their own, other than those of arrays."""
        return self.names is not None and self.names != _numbered(len(self.names))

    def ranges(self) -> list[Range | None]:
        """Return the lowest and the highest value of each column, or None for no known score."""
        if self.report is not None:
            options = self.report.options
            return [_range_of(options[name]["score"]) for name in self.names or ()]
        return [_range_of(name) for name in self.names or [""]]

    def may_be_shares(self) -> NDArray[np.bool_]:
        """Return for which columns a mean of 0 and 1 is a share of the queries."""
        return np.array([may_be_share(own_range) for own_range in self.ranges()])

    def in_range(self, limits: Floats) -> Floats:
        """Return limits of the means, (n, n_columns), cut off at the ends of the scores."""
        ends = [ends_of(*column) for column in zip(self.values.T, self.ranges(), strict=True)]
        return np.asarray(np.clip(limits, *np.array(ends).T))

    def take(self, places: Ints) -> Scores:
        """Return the scores with the queries in another order."""
        ids, weight, cluster, human = (
            None if value is None else read_only(value[places])
            for value in (self.ids, self.weight, self.cluster, self.human)
        )
        indexed = None if self.indexed is None else self.indexed.iloc[places]
        values = self.values[places]
        own = self._replace(values=values, ids=ids, weight=weight, cluster=cluster, human=human)
        return own._replace(indexed=indexed)


def _range_of(name: str) -> Range | None:
    """Return the range of a score or of a measure of agreement, or None for other names."""
    return range_of_agreement(name) if is_agreement(name) else range_of(name)


def ends_of_all(systems: Iterable[Scores]) -> Floats:
    """Return the lowest and the highest value of each column, or NaN where one is unknown."""
    ends_by_system = []
    for system in systems:
        columns = zip(system.values.T, system.ranges(), strict=True)
        ends_by_system.append([ends_of(*column) for column in columns])
    ends = np.array(ends_by_system)  # (n_systems, n_columns, 2)
    low, high = ends[..., 0].min(axis=0), ends[..., 1].max(axis=0)
    is_known = np.isfinite(low) & np.isfinite(high)
    return np.where(is_known, [low, high], np.nan)


def may_be_share(score_range: Range | None) -> bool:
    """Return whether a mean of 0 and 1 is a share of the queries, as far as is known.

    It is none of scores with another range, whose next value may be 2.
    """
    return score_range in (None, (0, 1))


def ends_of(values: Floats, score_range: Range | None) -> Range:
    """Return the lowest and the highest value that scores can have, as far as is known.

    Values that are beyond the range of the score extend it: they replace undefined ones.
    """
    low, high = score_range or (-np.inf, np.inf)
    return float(np.nanmin(values, initial=low)), float(np.nanmax(values, initial=high))


class QueryParameters(NamedTuple):
    """What a caller gave about the queries: one value per query each, or None."""

    sample_weight: Any = None
    clusters: Any = None
    by: Any = None


class ScoredSystems(NamedTuple):
    """Systems on the same queries."""

    systems: dict[str, Scores]
    units: Units
    groups: tuple[NDArray[Any], Ints] | None
    """The names of the groups of queries, and the number of each query's group."""
    ids: NDArray[Any] | None
    """The ids of the queries, or None if they are not known."""

    def has_human(self) -> bool:
        """Return whether people judged some of the queries."""
        return any(system.human is not None for system in self.systems.values())


def read_scores(scores: Any, parameter: str, function: str) -> Scores:
    """Return the scores of each query."""
    if isinstance(scores, Scores):  # they were read from a file
        return scores
    if isinstance(scores, RankingReport):
        return _read_report(scores, parameter, function)
    each = "one score per query"
    if isinstance(scores, RankingData):
        advice = "Pass the report of `ranking_report`, whose scores you choose."
        raise invalid(parameter, function, each, "RankingData", advice)
    if isinstance(scores, StreamingScore):
        got, advice = "a StreamingScore", "It keeps only sums. Use `ranking_report`."
        raise invalid(parameter, function, each, got, advice)
    if isinstance(scores, Mapping):
        own = read_scores(list(scores.values()), parameter, function)
        return own._replace(ids=read_only(as_objects(scores)))
    # A table of pyarrow has its data in `columns`, and the names in `column_names`.
    labels = getattr(scores, "column_names", None)
    labels = getattr(scores, "columns", None) if labels is None else labels
    if labels is not None:
        _refuse_text(scores, labels, parameter, function)
    array = check_real_array(scores, parameter, function).astype(np.float64)
    if array.ndim not in (1, 2):
        advice = "With `average=None`, a score returns one value per query." * (array.ndim == 0)
        got = f"shape {array.shape}" if array.ndim else describe(scores)
        raise invalid(parameter, function, f"{each}, 1-D or 2-D", got, advice)
    if not array.size:
        if len(array):
            expected, got = "an array with at least one column", f"shape {array.shape}"
            raise invalid(parameter, function, expected, got)
        raise invalid(parameter, function, "the scores of at least one query", "none")
    _check_finite(array, parameter, function)
    indexed = scores if hasattr(scores, "iloc") else None
    ids = None if indexed is None else read_only(np.array(scores.index))
    if array.ndim == 1:
        return Scores(array[:, np.newaxis], None, ids, True, indexed=indexed)
    names = _numbered(array.shape[1])
    if labels is not None and list(labels) != list(range(array.shape[1])):
        names = tuple(map(str, labels))
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        expected = "a frame with unique column names"
        raise invalid(parameter, function, expected, f"{show_id(twice)} more than once")
    return Scores(array, names, ids, False, indexed=indexed)


def _numbered(n_columns: int) -> tuple[str, ...]:
    """Return the names of the columns of an array."""
    return tuple(f"column {number}" for number in range(n_columns))


def _check_finite(values: Floats, parameter: str, function: str) -> None:
    """Raise unless scores are finite or NaN, and small enough to be summed."""
    is_huge = np.abs(values) > _LARGEST
    if is_huge.any():
        place = Place(position=tuple(np.argwhere(is_huge)[0].tolist()))
        value = float(values[is_huge][0])
        is_inf = np.isinf(value)
        expected = "finite or NaN" if is_inf else f"from -{_LARGEST} to {_LARGEST}, or NaN"
        got = "infinity" if is_inf else str(value)
        raise invalid(parameter, function, expected, got, place=place)


def _refuse_text(frame: Any, names: Iterable[Any], parameter: str, function: str) -> None:
    """Raise if a column of a frame holds text, such as groups of queries."""
    for name in names:
        values = np.asarray(frame[name])
        is_text = values.dtype.kind in "SUT" or (
            values.dtype == object and any(isinstance(value, str) for value in values)
        )
        if is_text:
            got = f"text in the column {show_id(name)}"
            code = f"Drop the column {show_id(name)} first."
            raise invalid(parameter, function, "a frame of scores alone", got, code=code)


def _read_report(
    report: RankingReport, parameter: str, function: str, names: Sequence[str] | None = None
) -> Scores:
    """Return the scores of each query in a report, of all results or of some."""
    names = tuple(report if names is None else names)
    if report.values_path is not None:
        return _read_report_with_file(report, names, parameter, function)
    if not hasattr(report, "per_query"):
        expected = "a report with the values of each query"
        advice = "`ranking_scores.scale.per_query` returns the values, and `to_json` saves them "
        advice += "unless per_query=False."
        raise invalid(parameter, function, expected, "one of sums alone", advice)
    if report._has_item_weights:
        expected = "a report whose queries have the same weight in each score"
        advice = "Pass scores of its `per_query`, with `sample_weight` if they shall have weights."
        raise invalid(parameter, function, expected, origin_of_weights(report), advice)
    values = np.column_stack([report.per_query[name] for name in names])
    _check_finite(values, parameter, function)
    ids, weight, cluster = report.query_ids, report.sample_weight, report.clusters
    human = None
    if report.human is not None:
        human = np.column_stack([report.human[name] for name in names])
    return Scores(values, names, ids, False, report, weight, cluster, human=human)


def origin_of_weights(report: RankingReport) -> str:
    """Return in words what gives the queries of a report other weights in each score."""
    scores = {name: options.get("score", "") for name, options in report.options.items()}
    functions = {
        name: find_score(score, "").function
        for name, score in scores.items()
        if is_of_program(score)
    }
    names = [
        name
        for name, function in functions.items()
        if isinstance(function, ProgramScore) and function.convention.weight != "queries"
    ]
    if names:
        return f"one with {show_names(names)}, which weighs queries by what they can gain,"
    return "one with `item_weight`"


def _read_report_with_file(
    report: RankingReport, names: Sequence[str], parameter: str, function: str
) -> Scores:
    """Return the scores of each query of a report whose values are in a file.

    Their exact means are those of the report, unless another call wrote the file later.
    """
    path = repr(str(report.values_path))
    try:
        found = read_values(report.values_path, names, parameter, function)
    except FileNotFoundError as error:
        expected = f"a report whose values of each query are in {path}"
        advice = "Move this file together with that of the report."
        raise invalid(parameter, function, expected, "no such file", advice) from error
    if len(found.values) != report.n_queries:
        expected = f"a report whose file has the values of its {report.n_queries} queries"
        raise invalid(parameter, function, expected, f"{len(found.values)} in {path}")
    for name, values in zip(found.names, found.values.T, strict=True):
        mean, there = report.mean[name], Sums(weighted_sum(values, None)).mean()
        if mean != there and not (np.isnan(mean) and np.isnan(there)):
            expected = (
                f"a report whose file has its values: the mean of {show_id(name)} is {mean!r}"
            )
            advice = "Was the file written again, for another report? Give each report its own."
            raise invalid(parameter, function, expected, f"{there!r} in {path}", advice)
    return Scores(found.values, found.names, found.ids, False, report)


def _read_file(path: Any, names: Any, parameter: str, function: str) -> Scores | RankingReport:
    """Return a saved report, or the scores of each query in a table."""
    if not is_value_file(path):
        return as_report(path, parameter, function)
    found = read_values(path, names, parameter, function)
    _check_finite(found.values, parameter, function)
    return Scores(found.values, found.names, found.ids, False)


def _read_all(systems: Mapping[str, Any], function: str) -> list[Scores]:
    """Return the scores of systems, which are given by parameter. Raise unless they agree.

    The queries are in the order of the first system whose ids are known.
    """
    indexes = Indexes(function, has_columns=True)
    found: dict[str, Scores] = {}
    known: tuple[str, NDArray[Any]] | None = None
    for parameter, scores in systems.items():
        own = read_scores(scores, parameter, function)
        ids = None if own.ids is None else known_ids(own)
        if ids is not None and known is not None:
            own = _in_order(own, ids, *known, parameter, function)
        elif ids is not None:
            known = parameter, ids
        if found:
            check_alike(found, own, parameter, function)
        if own.indexed is not None:
            indexes.check(parameter, own.indexed)
        found[parameter] = own
    return list(found.values())


def _in_order(
    system: Scores,
    ids: NDArray[Any],
    name: str,
    expected_ids: NDArray[Any],
    parameter: str,
    function: str,
) -> Scores:
    """Return a system with its queries in the order of another one, which has the given name."""
    if are_same_ids(ids, expected_ids):
        return system
    places, missing, others, _ = match_ids(ids, expected_ids)
    if missing.size or others.size:
        got = f"none for {show_some(missing)}" if missing.size else f"also {show_some(others)}"
        expected = f"of the same {expected_ids.size} queries as {name}, by their ids"
        raise invalid(parameter, function, expected, got, code=_CODE_FOR_BOTH)
    return system.take(places) if places.size == ids.size else system


_CODE_FOR_BOTH = (
    "To compare the queries that both have, index both by query, as `report.to_frame()` does, and "
    "pass `.loc[both]` of each, with `both = a.index.intersection(b.index)`."
)


def check_alike(found: Mapping[str, Scores], own: Scores, parameter: str, function: str) -> None:
    """Raise unless a system has the same queries and the same scores as the systems before.

    Two pandas indexes are not compared here.
    """
    name, first = next(iter(found.items()))
    n_queries, n_columns = first.values.shape
    if len(own.values) != n_queries:
        expected = f"of the same {n_queries} queries as {name}"
        raise invalid(parameter, function, expected, f"{len(own.values)} queries")
    if own.values.shape[1] != n_columns:
        expected = f"an array with {n_columns} columns, like {name}"
        raise invalid(parameter, function, expected, str(own.values.shape[1]))
    for name, first in found.items():
        if first.report is not None and own.report is not None:
            check_options(name, first.report, own.report, own.names or (), parameter, function)
            _check_groups(name, first.report, own.report, parameter, function)
            break
    for name, first in found.items():
        if first.ids is not None:
            _check_ids(name, first, own, parameter, function)
            break
    for name, first in found.items():
        if first.names is not None:
            for expected, got in zip(first.names, own.names or (), strict=False):
                if expected != got:
                    expected = f"of the same scores as {name}, which has {show_id(expected)}"
                    raise invalid(parameter, function, expected, show_id(got))
            break


def check_options(
    name: str,
    first: RankingReport,
    own: RankingReport,
    results: Iterable[str],
    parameter: str,
    function: str,
) -> None:
    """Raise if two reports have other options of a result that both have."""
    for result in results:
        expected, got = (report.options.get(result, {}) for report in (first, own))
        options = [
            name
            for name in [*got, *({OVER} & {*expected} - {*got} if got else ())]
            if result in first and not are_same_texts(got.get(name), expected.get(name))
        ]
        if OVER in options:
            scored = "over the aspects of its queries", "without aspects"
            one, other = scored if expected.get(OVER) else scored[::-1]
            advice = "Score both over aspects, or neither."
            raise invalid(parameter, function, f"{one}, like {name}", f"one {other}", advice)
        if options:
            theirs, ours = (
                ", ".join(f"{option}={of.get(option)}" for option in options)
                for of in (expected, got)
            )
            what = f"of the same options as {name}, which has {theirs} in {result}"
            raise invalid(parameter, function, what, ours)


def _check_groups(
    name: str, first: RankingReport, own: RankingReport, parameter: str, function: str
) -> None:
    """Raise if two reports without ids have other groups, or are of other groups."""
    if not all(hasattr(report, "per_query") for report in (first, own)):
        return
    if first.query_ids is not None and own.query_ids is not None:
        return
    places, expected_places = map(_places_among_all, (own, first))
    if not np.array_equal(places, expected_places):
        what = f"of the same queries as {name}, by their positions among all queries"
        at, first_at = (show_some(value) for value in (places, expected_places))
        got = f"those at {at}, where {name} has {first_at},"
        advice = "Groups without ids are paired by position. Pass `query_ids` to the reports."
        raise invalid(parameter, function, what, got, advice)
    for grouping in own._groups.keys() & first._groups.keys():
        groups, expected_groups = own._groups[grouping], first._groups[grouping]
        if not are_equal(groups.tolist(), expected_groups.tolist()):
            what = f"of the same queries as {name}, with the same groups in the same order"
            advice = (
                "Without ids, queries are paired by position. Pass `query_ids` to the reports."
            )
            raise invalid(
                parameter, function, what, f"other groups in {show_id(grouping)}", advice
            )


def _places_among_all(report: RankingReport) -> NDArray[Any]:
    """Return the places of a report's queries among all, of which a group has some."""
    places = report._places
    return np.arange(report.n_queries) if places is None else places


def _check_ids(name: str, first: Scores, own: Scores, parameter: str, function: str) -> None:
    """Raise if two systems have different query ids, unless both are pandas indexes."""
    are_indexed = first.indexed is not None and own.indexed is not None
    if first.ids is None or own.ids is None or are_indexed:
        return
    if first.ids is own.ids or are_same_ids(first.ids, own.ids):
        return
    is_other = are_missing(first.ids) | are_missing(own.ids)  # one of them cannot be missing
    for place in np.flatnonzero(~is_other).tolist():
        is_other[place] = first.ids[place] != own.ids[place]
    place = int(np.argmax(is_other))
    id_, expected = (name_at(ids, place) for ids in (own.ids, first.ids))
    if own.indexed is not None:
        difference = Difference(place, id_, expected, ".to_numpy()")
        raise not_alike(parameter, function, name, ROWS, difference)
    got = f"query {id_} at position {place}, where {name} has {expected},"
    raise invalid(parameter, function, f"of the same queries as {name}", got)


def known_ids(system: Scores) -> NDArray[Any] | None:
    """Return the ids of the queries, or None if there are none, or if they number the rows."""
    ids = system.ids
    if ids is None or system.indexed is None:
        return ids
    return None if np.array_equal(ids, np.arange(len(ids))) else ids


def read_pair(
    system_a: Any, system_b: Any, score: Any, function: str, parameters: QueryParameters
) -> ScoredSystems:
    """Return the scores of each query of two systems."""
    given = {"system_a": system_a, "system_b": system_b}
    if score is not None:
        find_score(score, function, "score")
    systems = _read_all(as_reports(given, score, "score", function), function)
    names = systems[0].names
    if names is not None and len(names) > 1:
        shown = ", ".join(names[:5]) + ", ..." * (len(names) > 5)
        expected = "a single score: a 1-D array, or a report with one result"
        advice = "For several scores, use `compare_all`, which corrects for their number."
        raise invalid("system_a", function, expected, f"{len(names)} ({shown})", advice)
    return with_units(dict(zip("ab", systems, strict=True)), given, parameters, function)


def read_one(values: Any, function: str, parameters: QueryParameters) -> ScoredSystems:
    """Return the scores of each query of one system."""
    if isinstance(values, (str, os.PathLike)):
        values = _read_file(values, None, "values", function)
    own = read_scores(values, "values", function)
    return with_units({"": own}, {"values": values}, parameters, function)


def read_systems(
    systems: Any, scores: Any, function: str, parameters: QueryParameters
) -> ScoredSystems:
    """Return the scores of each query of several systems by their names."""
    _check_systems(systems, "systems", function)
    if scores is not None:
        find_scores(scores, function)
    given = {f"systems[{name!r}]": system for name, system in systems.items()}
    found = _read_all(as_reports(given, scores, "scores", function), function)
    scores_by_name = dict(zip(systems, found, strict=True))
    return with_units(scores_by_name, given, parameters, function)


def read_both_sets(
    sets: Mapping[str, Any], score: Any, function: str, parameters: QueryParameters
) -> tuple[ScoredSystems, ScoredSystems]:
    """Return one score of the same systems under two sets of judgments, given by parameter."""
    (first, one), (second, other) = sets.items()
    for parameter, systems in sets.items():
        _check_systems(systems, parameter, function)
    if one.keys() != other.keys():
        is_lost = one.keys() - other.keys()
        which = f"without {show_some(sorted(is_lost))}" if is_lost else ""
        which = which or f"also {show_some(sorted(other.keys() - one.keys()))}"
        raise invalid(second, function, f"a dict with the same systems as {first}", which)
    if score is not None:
        find_score(score, function, "score")
    given = {f"{of}[{name!r}]": sets[of][name] for of in sets for name in one}
    found = _read_all(_with_one_score(given, score, function), function)
    names = found[0].names
    if names is not None and len(names) > 1:
        advice = "Pass `score` to choose one of a report."
        raise invalid(first, function, "systems with a single score", list_some(names), advice)
    both = with_units(dict(zip(given, found, strict=True)), given, parameters, function)
    values = list(both.systems.values())
    halves = values[: len(one)], values[len(one) :]
    a, b = (both._replace(systems=dict(zip(one, half, strict=True))) for half in halves)
    return a, b


def _with_one_score(given: dict[str, Any], score: Any, function: str) -> dict[str, Any]:
    """Return systems whose reports have the one score that was asked for, if one was."""
    asks = any(isinstance(own, RankingData) or is_value_file(own) for own in given.values())
    found = as_reports(given, score if asks else None, "score", function)
    if score is None:
        return found
    reports = {
        parameter: report
        for parameter, report in found.items()
        if isinstance(report, RankingReport) and not isinstance(given[parameter], RankingData)
    }
    for parameter, report in reports.items():
        if score not in report:
            expected = f"a report with {show_id(score)}"
            raise invalid(parameter, function, expected, list_some([*report]))
        found[parameter] = _read_report(report, parameter, function, [score])
    return found if asks or reports else as_reports(given, score, "score", function)


def _check_systems(systems: Any, parameter: str, function: str) -> None:
    """Raise unless systems are a dict by name."""
    expected = "a dict that maps the names of at least two systems to their scores"
    if not isinstance(systems, Mapping):
        raise invalid(parameter, function, expected, describe(systems))
    for name in systems:
        if not isinstance(name, str) or not name:
            got = f"the key {describe(name)}"
            raise invalid(parameter, function, "a dict whose keys are non-empty strings", got)
    if len(systems) < 2:
        got = "".join(f"one system, {show_id(name)}," for name in systems) or "none"
        raise invalid(parameter, function, expected, got)


def read_reports(
    reports: Mapping[str, RankingReport], results: Sequence[str], function: str
) -> ScoredSystems:
    """Return the values of some results, of reports that are given by parameter."""
    read = {name: _read_report(own, name, function, results) for name, own in reports.items()}
    found = _read_all(read, function)
    return with_units(dict(zip(reports, found, strict=True)), reports, QueryParameters(), function)


def with_units(
    systems: dict[str, Scores], raw: Mapping[str, Any], parameters: QueryParameters, function: str
) -> ScoredSystems:
    """Return systems with the weights, the clusters and the groups of their queries.

    Queries with the weight 0 have no scores. `raw` are the systems as they were given.
    """
    given = dict(zip(raw, systems.values(), strict=True))
    indexes = Indexes(function, has_columns=False)
    weight = _agreed_by_reports(
        given, "weight", "sample_weight", parameters.sample_weight, function
    )
    clusters = _agreed_by_reports(given, "cluster", "clusters", parameters.clusters, function)
    clusters = parameters.clusters if clusters is None else clusters
    ids, code_of_ids = None, ""
    for parameter, system in given.items():
        if system.indexed is not None:
            indexes.check(parameter, system.indexed)
            if clusters is None:
                _check_unique(system.indexed.index, parameter, function)
        if ids is None and system.ids is not None:
            ids = known_ids(system)
            if ids is not None and system.indexed is not None:
                code_of_ids = f"{parameter}.index"
            elif ids is not None:  # they are those of a report or the keys of a dict
                code_of_ids = parameter + ".query_ids" * (system.report is not None)
    n_queries = len(next(iter(systems.values())).values)
    values = QueryValueReader(n_queries, ids, code_of_ids, indexes, function)
    if parameters.sample_weight is not None:
        weight = values.weight(parameters.sample_weight)
    if weight is not None:
        has_none = (weight == 0)[:, np.newaxis]
        # A power of 2 divides the weights, so that no square overflows.
        weight = np.ldexp(weight, -np.frexp(weight.max())[1])
        systems = {
            name: system._replace(values=np.where(has_none, np.nan, system.values))
            for name, system in systems.items()
        }
    units, groups = Units(weight), None
    if clusters is not None:
        names, cluster = values.names(clusters, "clusters")
        units = Units(weight, cluster, len(names))
    if parameters.by is not None:
        groups = values.names(_grouping_of(parameters.by, function), "by")
        if units.span(groups[1]):
            why = "clusters have queries in several groups of `by`, which are not independent"
            warn_caller(f"{function}: {why}, so `pvalue_interaction` is NaN.", UserWarning)
    return ScoredSystems(systems, units, groups, ids)


def _grouping_of(by: Any, function: str) -> Any:
    """Return the groups of the queries. Raise if there are several groupings."""
    groupings = groupings_of(by, function)
    if len(groupings) != 1:
        got = f"{len(groupings)} ({', '.join(map(str, groupings))})"
        raise invalid("by", function, "a single grouping of the queries", got)
    return next(iter(groupings.values()))


def _check_unique(index: Any, parameter: str, function: str) -> None:
    """Raise if the index of pandas data has an id twice."""
    if not index.is_unique:
        [twice] = index[index.duplicated()][:1].tolist()
        expected = "indexed by unique ids of queries"
        advice = "If queries of one user, topic or session belong together, name these in"
        code = f"`clusters={parameter}.index`."
        if function == "queries_needed":
            advice, code = "Pass the mean of each id:", f"`{parameter}.groupby(level=0).mean()`."
        raise invalid(parameter, function, expected, f"{show_id(twice)} twice", advice, code=code)


def _agreed_by_reports(
    systems: Mapping[str, Scores], field: str, name: str, given: Any, function: str
) -> NDArray[Any] | None:
    """Return the weights or clusters of reports, in which they must agree, or None.

    If others are `given`, the reports must have none.
    """
    found: NDArray[Any] | None = None
    first = ""
    for parameter, system in systems.items():
        if system.report is None:
            continue
        own = getattr(system, field)
        if own is not None and given is not None:
            what = "weights" if name == "sample_weight" else "clusters"
            expected = f"None, since {parameter} is a report with {what}"
            raise invalid(name, function, expected, describe(given))
        if first and not are_equal(own, found):
            expected = f"a report with the same `{name}` as {first}"
            got = "one without" if own is None else "one with others"
            raise invalid(parameter, function, expected, got)
        found, first = own, parameter
    return found


def as_reports(
    systems: dict[str, Any], scores: Any, parameter: str, function: str
) -> dict[str, Any]:
    """Return systems with a report in the place of `RankingData` and of the paths of files.

    Of tables with values, only those of the `scores` are read.
    """
    has_data = any(isinstance(system, RankingData) for system in systems.values())
    if has_data and scores is None:
        expected = "given for a system that is RankingData, such as 'ndcg@10'"
        raise invalid(parameter, function, expected, "None")
    if scores is not None and not (has_data or any(map(is_value_file, systems.values()))):
        expected = "left out, since no system is RankingData or a file of values"
        raise invalid(parameter, function, expected, describe(scores))
    found: dict[str, Any] = {}
    for name, system in systems.items():
        if isinstance(system, RankingData):
            found[name] = ranking_report(system, scores=scores, k=None)
        elif isinstance(system, (str, os.PathLike)):
            names = None if scores is None else _names_of(scores, function, parameter)
            found[name] = _read_file(system, names, name, function)
        else:
            found[name] = system
    return found


def _names_of(scores: Any, function: str, parameter: str) -> list[str]:
    """Return the names of the results of some scores, which a file may have."""
    found = find_scores(scores, function, parameter)
    bound = bind_scores(found, {"k": None}, function, str)
    plans = [score.plan(None, None) for score in bound]
    return list(name_results(bound, plans, function, parameter))


# This class reads the weights, the clusters and the groups of queries.


class QueryValueReader(NamedTuple):
    """Reads values of some queries: those with ids by these ids, and others by position."""

    n_queries: int
    ids: NDArray[Any] | None
    """The ids of the queries. None: they are not known."""
    code_of_ids: str
    indexes: Indexes
    function: str

    def weight(self, given: Any) -> Floats:
        """Return the weight of each query."""
        with_ids, values = self._read(given, "sample_weight")
        array = check_finite_weights(values, "sample_weight", self.function)
        array = cast(Floats, self._in_order(with_ids, array, "sample_weight"))
        if not array.any():
            expected = "positive for at least one query"
            raise invalid("sample_weight", self.function, expected, "only zeros")
        return array

    def names(self, given: Any, parameter: str) -> tuple[NDArray[Any], Ints]:
        """Return the different names in a column of names, and the number of each query's name."""
        with_ids, values = self._read(given, parameter)
        array = check_identifiers(values, parameter, self.function)
        array = self._in_order(with_ids, array, parameter)
        return unique_identifiers(array, parameter, self.function)

    def _read(self, given: Any, parameter: str) -> tuple[ValuesById | None, Any]:
        """Return values with their ids, or None if they are in the order of the queries."""
        with_ids = given if isinstance(given, ValuesById) else None
        if with_ids is None and not self._is_in_order(given):
            otherwise = "If its values are in the order of the queries, pass `.to_numpy()`."
            with_ids = by_id(given, parameter, self.function, self.code_of_ids, otherwise)
        if with_ids is None:
            self.indexes.check(parameter, given)
            return None, given
        return with_ids, with_ids.values

    def _is_in_order(self, given: Any) -> bool:
        """Return whether pandas data is in the order of the queries, or ids are not known."""
        if not hasattr(given, "iloc"):
            return False
        return self.ids is None or are_same_ids(np.asarray(given.index), self.ids)

    def _in_order(self, with_ids: ValuesById | None, array: NDArray[Any], parameter: str) -> Any:
        """Return values in the order of the queries."""
        if with_ids is not None:
            return with_ids.in_order(array, self.ids, parameter, self.function)
        if array.shape != (self.n_queries,):
            expected = f"of shape ({self.n_queries},), one {_CALLED[parameter]} per query"
            raise invalid(parameter, self.function, expected, f"shape {array.shape}")
        return array


_CALLED = {"sample_weight": "weight", "clusters": "cluster", "by": "group"}

_SUFFIXES = (".parquet", ".csv")
_EXPECTED = "a file of values that `ranking_scores.scale.per_query` has written"


# These functions read files with the values of each query, which `per_query` of
# `ranking_scores.scale` writes.


class FileValues(NamedTuple):
    """The values of each query in a file."""

    values: NDArray[np.float64]
    """(n_queries, n_results), each column in one piece."""
    names: tuple[str, ...]
    ids: NDArray[Any] | None


def is_value_file(path: Any) -> bool:
    """Return whether something is the path of a table, or of a directory of Parquet files."""
    if not isinstance(path, (str, os.PathLike)):
        return False
    return Path(path).suffix.lower() in _SUFFIXES or Path(path).is_dir()


def read_values(
    path: Any, names: Sequence[str] | None, parameter: str, function: str
) -> FileValues:
    """Return the values of some results in a file, or of all results if `names` is None.

    Of a Parquet file, no more than one other column is in memory at a time.
    """
    shown = repr(str(path))
    arrow = import_extra("pyarrow", "parquet", function)
    try:
        types, read = _open(path, function)
        there = list(types)
        # The first column has ids, unless it has the values of a score.
        has_ids = types[there[0]] != "double" or split_name(there[0])[0] not in SCORES
        results = there[has_ids:]
        wanted = results if names is None else list(names)
        for name in wanted:
            if types.get(name) != "double" or name not in results:
                got = f"{shown}, whose columns are {show_names(there)},"
                raise invalid(
                    parameter, function, f"{_EXPECTED}, with values of {show_id(name)}", got
                )
        if not wanted:
            raise invalid(parameter, function, _EXPECTED, f"{shown}, which has no values,")
        ids = None
        if has_ids:
            given = read(there[0])
            check_utf8(given, partial(invalid, parameter, function), shown)
            ids = check_identifiers(given, parameter, function)
            _check_unique_rows(ids, shown, parameter, function)
        columns = [read(name) for name in wanted[:1]]
        values = np.empty((len(columns[0]), len(wanted)), order="F")
        for number, name in enumerate(wanted):
            values[:, number] = (columns.pop() if columns else read(name)).to_numpy()
    except (arrow.ArrowException, UnicodeDecodeError) as error:  # a name may be no UTF-8
        got = f"{shown}, of which pyarrow says: {error},"
        raise invalid(parameter, function, _EXPECTED, got) from error
    return FileValues(values, tuple(wanted), None if ids is None else read_only(ids))


def _open(path: Any, function: str) -> tuple[dict[str, str], Callable[[str], Any]]:
    """Return the types of the columns of a file, and what reads one of the columns."""
    if Path(path).is_dir():  # Dask and Spark write such directories
        files = import_extra("pyarrow.dataset", "parquet", function).dataset(
            path, format="parquet"
        )
        types = map(str, files.schema.types)
        named = dict(zip(files.schema.names, types, strict=True))
        return named, lambda name: files.to_table(columns=[name]).column(0)
    if Path(path).suffix.lower() == ".csv":
        table = import_extra("pyarrow.csv", "parquet", function).read_csv(path)
        return dict(
            zip(table.column_names, map(str, table.schema.types), strict=True)
        ), table.column
    parquet = import_extra("pyarrow.parquet", "parquet", function)
    with parquet.ParquetFile(path) as file:
        schema = file.schema_arrow

    def read(name: str) -> Any:
        with parquet.ParquetFile(path) as file:
            return file.read(columns=[name]).column(0)

    return dict(zip(schema.names, map(str, schema.types), strict=True)), read


def _check_unique_rows(ids: NDArray[Any], shown: str, parameter: str, function: str) -> None:
    """Raise if a query has two rows."""
    in_order = np.sort(ids)
    is_twice = in_order[1:] == in_order[:-1]
    if is_twice.any():
        got = f"{shown}, which has {show_id(in_order[int(np.argmax(is_twice))])} twice,"
        raise invalid(parameter, function, f"{_EXPECTED}, with one row for each query", got)
