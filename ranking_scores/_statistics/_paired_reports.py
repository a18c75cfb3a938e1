"""An old and a new report of the same queries: their shared scores, queries and groups."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import (
    are_same_ids,
    count_queries,
    invalid,
    match_ids,
    python_ids,
    show_some,
    unique_identifiers,
)
from ranking_scores._metrics import list_some
from ranking_scores._statistics._moved_items import Relevance
from ranking_scores._statistics._systems import (
    Given,
    OfQueries,
    Scores,
    check_alike,
    check_options,
    read_scores,
    with_units,
)
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.report import RankingReport, as_report

Ints = NDArray[np.int64]

_NONE = np.zeros(0, dtype=object)
"""The ids of no queries."""


class Reports(NamedTuple):
    """An old and a new report, and the scores that both have."""

    old: RankingReport
    new: RankingReport
    scores: tuple[str, ...]

    def have_queries(self) -> bool:
        """Return whether both reports have the values of each query."""
        return self.old.has_values() and self.new.has_values()

    def relevance(self, score: str) -> Relevance:
        """Return what counts as relevant for a score, and in which ranks."""
        options = self.new.options[score]
        k, threshold = (options.get(name, "None") for name in ("k", "relevance_threshold"))
        return Relevance(
            None if k == "None" else int(k), None if threshold == "None" else float(threshold)
        )


class Pairs(NamedTuple):
    """The queries of both reports that are compared, in one order."""

    given: Given
    """The old and the new scores, as "old" and "new"."""
    ids: NDArray[Any] | None
    are_by_id: bool
    """Whether the queries were paired by their ids, not by position."""
    only_old: NDArray[Any]
    only_new: NDArray[Any]
    groups: dict[str, NDArray[Any]]
    """The group of each query, for each grouping."""
    n_other_groups: dict[str, int]
    """The number of queries that had another group in the old report, for each grouping."""

    def has_left_out(self) -> bool:
        """Return whether only one of the reports has some queries."""
        return bool(self.only_old.size or self.only_new.size)

    def n_queries(self) -> int:
        """Return the number of queries."""
        return len(self.given.systems["old"].values)

    def names(self, places: Ints) -> list[Any]:
        """Return the ids of some queries, or their positions."""
        return python_ids(places if self.ids is None else self.ids[places])

    def order(self, function: str) -> Ints:
        """Return the place of each query in the order of ids, or of position if they have none."""
        in_place = np.arange(self.n_queries())
        if self.ids is None:
            return in_place
        try:
            return unique_identifiers(self.ids, "new", function)[1]
        except InvalidParameterError:  # ids of several types
            return in_place

    def numbered_groups(self, grouping: str, function: str) -> tuple[NDArray[Any], Ints]:
        """Return the names of the groups of a grouping, and the number of each query's group."""
        return unique_identifiers(self.groups[grouping], "new", function)


def read_reports(old: Any, new: Any, function: str) -> Reports:
    """Return two reports, which may be given by their paths, and the scores that both have."""
    new = as_report(new, "new", function)
    old = as_report(old, "old", function)
    scores = tuple(name for name in new if name in old)
    if not scores:
        expected = f"a report with a score of the other one, {list_some(list(old))}"
        raise invalid("new", function, expected, list_some(list(new)))
    check_options("old", old, new, new, "new", function)
    return Reports(old, new, scores)


def check_means(reports: Reports, function: str) -> None:
    """Raise unless two reports, of which one has only means, seem to have the same queries."""
    old, new = reports.old, reports.new
    if old._has_item_weights != new._has_item_weights:
        with_weights = [
            f"{'with' if each._has_item_weights else 'without'}" for each in (old, new)
        ]
        expected = f"a report {with_weights[0]} item weights, like the old one"
        raise invalid("new", function, expected, f"one {with_weights[1]} them")
    counts = {"": (old.n_queries, new.n_queries)}
    counts |= {
        f" in {grouping}={group}": (of_old.n_queries, new.by_group[grouping][group].n_queries)
        for grouping, groups in old.by_group.items()
        for group, of_old in groups.items()
        if group in new.by_group.get(grouping, {})
    }
    for where, (before, now) in counts.items():
        if before != now:
            expected = f"of as many queries as the old report, which has {before}{where}"
            advice = "A report without values of queries does not tell which of them are shared."
            raise invalid("new", function, expected, count_queries(now), advice)


def pair(reports: Reports, queries: str, function: str) -> Pairs:
    """Return the queries of two reports, paired by their ids if both have some."""
    old, new = (_scores_of(reports, name, function) for name in ("old", "new"))
    are_by_id = old.ids is not None and new.ids is not None
    places_old, places_new = np.arange(len(old.values)), np.arange(len(new.values))
    only_old, only_new = _NONE, _NONE
    if old.ids is not None and new.ids is not None:
        only_old, only_new = old.ids[:0], new.ids[:0]
        if not are_same_ids(old.ids, new.ids):
            places_new, only_old, only_new, _ = match_ids(new.ids, old.ids)
            _check_shared(reports, (only_old, only_new), queries, function)
            places_old = np.flatnonzero(places_new >= 0)
            places_new = places_new[places_old]
            old, new = old.take(places_old), new.take(places_new)
    elif len(old.values) != len(new.values):
        expected = f"of as many queries as the old report, which has {len(old.values)}"
        advice = "To pair queries by ids, pass `query_ids` to both reports."
        raise invalid("new", function, expected, str(len(new.values)), advice)
    sides = {"old": old, "new": new}
    check_alike({"old": old}, new, "new", function)
    given = with_units(sides, sides, OfQueries(), function)
    groups = {name: each[places_new] for name, each in getattr(reports.new, "_groups", {}).items()}
    n_others = {}
    for name, each in getattr(reports.old, "_groups", {}).items():
        of_old = each[places_old]
        if name in groups:
            is_other = of_old.astype(object) != groups[name].astype(object)
            n_others[name] = int(is_other.sum())
        else:
            groups[name] = of_old
    ids = next((each.ids for each in (old, new) if each.ids is not None), None)
    return Pairs(given, ids, are_by_id, only_old, only_new, groups, n_others)


def _scores_of(reports: Reports, name: str, function: str) -> Scores:
    """Return the values of each query of one report, by the scores that both have."""
    scores = read_scores(getattr(reports, name), name, function)
    columns = [(scores.names or ()).index(each) for each in reports.scores]
    return scores._replace(values=scores.values[:, columns], names=reports.scores)


def _check_shared(
    reports: Reports, left_out: tuple[NDArray[Any], NDArray[Any]], queries: str, function: str
) -> None:
    """Raise if queries that only one report has may not be left out, or if all are such."""
    only_old, only_new = left_out
    if only_old.size == reports.old.n_queries:
        expected = "of at least one query of the old report, by their ids"
        got = f"only others, such as {show_some(only_new[:1])},"
        are_alike = {*map(str, only_old.tolist())} & {*map(str, only_new.tolist())}
        advice = "The same ids are text in one report, and not in the other." * bool(are_alike)
        raise invalid("new", function, expected, got, advice)
    if queries == "equal" and (only_old.size or only_new.size):
        expected = f"of the same {reports.old.n_queries} queries as the old report, by their ids"
        code = "To compare the queries that both have, pass `queries='shared'`."
        raise invalid("new", function, expected, in_words(only_old, only_new), code=code)


def in_words(only_old: NDArray[Any], only_new: NDArray[Any]) -> str:
    """Return the queries that only one report has, in words."""
    parts = [
        f"{count_queries(ids.size)} that only {side} has ({show_some(ids)})"
        for side, ids in (("old", only_old), ("new", only_new))
        if ids.size
    ]
    return " and ".join(parts)
