"""Reads systems: their scores of each query, in reports, arrays, frames, files or data to score.

This module alone knows the rest of the package. Reports and streams give the values of their
queries themselves, or say why they have none. What else is needed is taken from the package by the
names of its public modules, which are imported when a call needs them: so what compares scores
can be read, tested and changed without what makes them.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

import ranking_scores
from ranking_scores._base._by_id import ValuesById, are_same_ids, by_id, match_ids
from ranking_scores._base._errors import invalid, show_id, warn_caller
from ranking_scores._base._ids import as_objects
from ranking_scores._base._index import Indexes
from ranking_scores._base._query_values import QueryValues, check_summable, numbered
from ranking_scores._base._results import are_equal, read_only
from ranking_scores._base._validation import (
    check_finite_weights,
    check_identifiers,
    check_real_array,
    describe,
    unique_identifiers,
)
from ranking_scores.significance._systems import (
    QueryParameters,
    ScoredSystems,
    check_alike,
    in_order,
)
from ranking_scores.significance._units import Units

RankingData = ranking_scores.tables.RankingData
RankingReport = ranking_scores.RankingReport
System = ArrayLike | RankingReport | RankingData
"""What a system is given as: its scores of each query, or the data to score."""

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Range = tuple[float, float]


COMPARE_BOTH = "To compare the queries that both have, pass `queries='both'`."
"""The advice in Python on reports of which one has other queries."""


def read_report(report: Any, parameter: str, function: str) -> RankingReport:
    """Return a report, or read it if its path is given."""
    return ranking_scores.report.as_report(report, parameter, function)


def read_folder(
    path: Any, parameter: str, function: str
) -> tuple[dict[str, RankingReport], list[str]]:
    """Return the reports in a folder by the names of their files, and which others it has."""
    files = sorted(file for file in Path(path).iterdir() if file.name[0] != ".")
    saved = [file for file in files if file.is_file() and ranking_scores.report.is_report(file)]
    found = {file.name: read_report(file, parameter, function) for file in saved}
    return found, [file.name for file in files if file not in saved]


def find_result(name: str, report: RankingReport, parameter: str, function: str) -> str | None:
    """Return the name of a result in a report, from any spelling of it, or None."""
    found = report._find(name, parameter, function)
    agreement = ranking_scores.agreement
    if found is None and agreement.is_agreement(name):
        found = agreement.find_measure(name, function, parameter).name
    return found if found in report.mean else None


def read_list_agreements(old: Any, new: Any, cutoffs: Iterable[int | None]) -> Mapping[Any, Any]:
    """Return how far the lists of two rankings of the same queries agree up to each cutoff."""
    return ranking_scores.agreement.list_agreements(old, new, cutoffs)


def _range_of(name: str) -> Range | None:
    """Return the range of a score or of a measure of agreement, or None for other names."""
    if ranking_scores.agreement.is_agreement(name):
        return ranking_scores.agreement.range_of_agreement(name)
    return ranking_scores.report.range_of(name)


def read_scores(scores: Any, parameter: str, function: str) -> QueryValues:
    """Return the scores of each query, with the range of each column."""
    own = _values_of(scores, parameter, function)
    ranges: Iterable[Range | None] = [None] * own.values.shape[1]
    if own.options is not None:
        ranges = (_range_of(own.options[name]["score"]) for name in own.names or ())
    elif own.are_named:
        ranges = map(_range_of, own.names or ())
    are_losses = own.are_losses or (False,) * own.values.shape[1]
    return own._replace(ranges=tuple(ranges), are_losses=are_losses)


def _values_of(scores: Any, parameter: str, function: str) -> QueryValues:
    """Return the scores of each query."""
    if isinstance(scores, QueryValues):  # they were read before, such as those of a file
        return scores
    if hasattr(type(scores), "_query_values"):  # a report, or what says why it has no values
        return cast(QueryValues, scores._query_values(None, parameter, function))
    if isinstance(scores, Mapping):
        own = _values_of(list(scores.values()), parameter, function)
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
        raise invalid(parameter, function, "one score per query, 1-D or 2-D", got, advice)
    if not array.size:
        if len(array):
            expected, got = "an array with at least one column", f"shape {array.shape}"
            raise invalid(parameter, function, expected, got)
        raise invalid(parameter, function, "the scores of at least one query", "none")
    check_summable(array, parameter, function)
    indexed = scores if hasattr(scores, "iloc") else None
    ids = None if indexed is None else read_only(np.array(scores.index))
    if array.ndim == 1:
        return QueryValues(array[:, np.newaxis], None, ids, True, indexed=indexed)
    names = numbered(array.shape[1])
    if labels is not None and list(labels) != list(range(array.shape[1])):
        names = tuple(map(str, labels))
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        expected = "a frame with unique column names"
        raise invalid(parameter, function, expected, f"{show_id(twice)} more than once")
    return QueryValues(array, names, ids, indexed=indexed)


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


def _read_file(
    path: Any, names: Any, parameter: str, function: str
) -> QueryValues | RankingReport:
    """Return a saved report, or the scores of each query in a table."""
    if not is_value_file(path):
        return read_report(path, parameter, function)
    found = ranking_scores.report.read_values(path, names, parameter, function)
    check_summable(found.values, parameter, function)
    return found


_SUFFIXES = (".parquet", ".csv")


def is_value_file(path: Any) -> bool:
    """Return whether something is the path of a table, or of a directory of Parquet files."""
    if not isinstance(path, (str, os.PathLike)):
        return False
    return Path(path).suffix.lower() in _SUFFIXES or Path(path).is_dir()


def read_all(systems: Mapping[str, Any], function: str) -> dict[str, QueryValues]:
    """Return the scores of systems by parameter, as they are given. Raise unless they agree.

    The queries are in the order of the first system whose ids are known.
    """
    indexes = Indexes(function, has_columns=True)
    found: dict[str, QueryValues] = {}
    known: tuple[str, NDArray[Any]] | None = None
    for parameter, scores in systems.items():
        own = read_scores(scores, parameter, function)
        ids = None if own.ids is None else own.known_ids()
        if ids is not None and known is not None:
            own = in_order(own, ids, *known, parameter, function)
        elif ids is not None:
            known = parameter, ids
        if found:
            check_alike(found, own, parameter, function)
        if own.indexed is not None:
            indexes.check(parameter, own.indexed)
        found[parameter] = own
    return found


def read_pair(
    system_a: Any, system_b: Any, score: Any, function: str, parameters: QueryParameters
) -> ScoredSystems:
    """Return the scores of each query of two systems."""
    given = {"system_a": system_a, "system_b": system_b}
    if score is not None:
        ranking_scores.report.find_score(score, function, "score")
    found = read_all(as_reports(given, score, "score", function), function)
    names = found["system_a"].names
    if names is not None and len(names) > 1:
        shown = ", ".join(names[:5]) + ", ..." * (len(names) > 5)
        expected = "a single score: a 1-D array, or a report with one result"
        advice = "For several scores, use `compare_all`, which corrects for their number."
        raise invalid("system_a", function, expected, f"{len(names)} ({shown})", advice)
    return with_units(found, "ab", parameters, function)


def read_one(values: Any, function: str, parameters: QueryParameters) -> ScoredSystems:
    """Return the scores of each query of one system."""
    if isinstance(values, (str, os.PathLike)):
        values = _read_file(values, None, "values", function)
    found = {"values": read_scores(values, "values", function)}
    return with_units(found, [""], parameters, function)


def read_systems(
    systems: Any, scores: Any, function: str, parameters: QueryParameters
) -> ScoredSystems:
    """Return the scores of each query of several systems by their names."""
    check_systems(systems, "systems", function)
    if scores is not None:
        ranking_scores.report.find_scores(scores, function)
    given = {f"systems[{name!r}]": system for name, system in systems.items()}
    found = read_all(as_reports(given, scores, "scores", function), function)
    return with_units(found, systems, parameters, function)


def check_systems(systems: Any, parameter: str, function: str) -> None:
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
    read = {name: own._query_values(results, name, function) for name, own in reports.items()}
    return with_units(read_all(read, function), reports, QueryParameters(), function)


def reports_of_both(
    reports: Mapping[str, RankingReport], results: Sequence[str], function: str
) -> tuple[list[RankingReport], NDArray[Any], NDArray[Any]]:
    """Return a new and an old report, by parameter, of the queries that both have, by their ids.

    Returns also the ids that only the new one has, and those that only the old one has. If they
    share none, there are no reports.
    """
    new, old = (own._query_values(results, name, function) for name, own in reports.items())
    if new.ids is None or old.ids is None:
        parameter = [*reports][new.ids is not None]
        expected = "a report with ids of queries, by which those that both have are found"
        raise invalid(parameter, function, expected, "one without them")
    places, only_old, only_new, _ = match_ids(new.ids, old.ids)
    in_old = np.flatnonzero(places >= 0)
    taken = zip(reports.values(), (new.take(places[in_old]), old.take(in_old)), strict=True)
    both = [report._with_values(own) for report, own in taken if in_old.size]
    return both, only_new, only_old


def with_units(
    given: Mapping[str, QueryValues],
    names: Iterable[str],
    parameters: QueryParameters,
    function: str,
) -> ScoredSystems:
    """Return systems by their names, with the weights, clusters and groups of their queries.

    They are given by parameter. Queries with the weight 0 have no scores.
    """
    systems = dict(zip(names, given.values(), strict=True))
    indexes = Indexes(function, has_columns=False)
    weight = _agreed_by_reports(given, "sample_weight", parameters.sample_weight, function)
    clusters = _agreed_by_reports(given, "clusters", parameters.clusters, function)
    clusters = parameters.clusters if clusters is None else clusters
    ids, code_of_ids = None, ""
    for parameter, system in given.items():
        if system.indexed is not None:
            indexes.check(parameter, system.indexed)
            if clusters is None:
                _check_unique(system.indexed.index, parameter, function)
        if ids is None and system.ids is not None:
            ids = system.known_ids()
            if ids is not None and system.indexed is not None:
                code_of_ids = f"{parameter}.index"
            elif ids is not None:  # they are those of a report or the keys of a dict
                code_of_ids = parameter + ".query_ids" * system.are_of_report
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
        different, cluster = values.names(clusters, "clusters")
        units = Units(weight, cluster, len(different))
    if parameters.by is not None:
        groupings = ranking_scores.tables.groupings_of(parameters.by, function)
        if len(groupings) != 1:
            got = f"{len(groupings)} ({', '.join(map(str, groupings))})"
            raise invalid("by", function, "a single grouping of the queries", got)
        [grouping] = groupings.values()
        groups = values.names(grouping, "by")
        if units.span(groups[1]):
            why = "clusters have queries in several groups of `by`, which are not independent"
            warn_caller(f"{function}: {why}, so `pvalue_interaction` is NaN.", UserWarning)
    return ScoredSystems(systems, units, groups, ids)


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
    systems: Mapping[str, QueryValues], name: str, given: Any, function: str
) -> NDArray[Any] | None:
    """Return the weights or clusters of reports, in which they must agree, or None.

    If others are `given`, the reports must have none.
    """
    found: NDArray[Any] | None = None
    first = ""
    for parameter, system in systems.items():
        if not system.are_of_report:
            continue
        own = getattr(system, name)
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
    if scores is not None:
        for score in ranking_scores.report.find_scores(scores, function, parameter):
            ranking_scores.report.check_complete(score, {"k": None}, function, parameter)
    found: dict[str, Any] = {}
    for name, system in systems.items():
        if isinstance(system, RankingData):
            found[name] = ranking_scores.ranking_report(system, scores=scores, k=None)
        elif isinstance(system, (str, os.PathLike)):
            names = scores
            if scores is not None:
                names = ranking_scores.report.names_of_results(scores, function, parameter)
            found[name] = _read_file(system, names, name, function)
        else:
            found[name] = system
    return found


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
        # pandas data may be in the order of the queries, or ids may not be known.
        is_in_order = hasattr(given, "iloc") and (
            self.ids is None or are_same_ids(np.asarray(given.index), self.ids)
        )
        if with_ids is None and not is_in_order:
            otherwise = "If its values are in the order of the queries, pass `.to_numpy()`."
            with_ids = by_id(given, parameter, self.function, self.code_of_ids, otherwise)
        if with_ids is None:
            self.indexes.check(parameter, given)
            return None, given
        return with_ids, with_ids.values

    def _in_order(self, with_ids: ValuesById | None, array: NDArray[Any], parameter: str) -> Any:
        """Return values in the order of the queries."""
        if with_ids is not None:
            return with_ids.in_order(array, self.ids, parameter, self.function)
        if array.shape != (self.n_queries,):
            expected = f"of shape ({self.n_queries},), one {_CALLED[parameter]} per query"
            raise invalid(parameter, self.function, expected, f"shape {array.shape}")
        return array


_CALLED = {"sample_weight": "weight", "clusters": "cluster", "by": "group"}
