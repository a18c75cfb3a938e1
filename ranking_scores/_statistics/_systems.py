"""Reads the scores of systems on each query, checks that the queries agree, and pairs them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import (
    ROWS,
    Difference,
    Indexes,
    Place,
    are_missing,
    as_objects,
    check_real_array,
    describe,
    ids_as_objects,
    invalid,
    locked,
    match_ids,
    name_at,
    not_alike,
    show_some,
)
from ranking_scores._metrics import find_score, find_scores
from ranking_scores._statistics._resampling import FEW
from ranking_scores._tables import RankingData
from ranking_scores.report import RankingReport, ranking_report
from ranking_scores.streaming import StreamingScore

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_CELLS = 2**21
"""The number of differences, and of statistics of resamples, that are in memory at once."""


_ROUNDING = 16 * float(np.finfo(np.float64).eps)
"""Two scores are equal except for rounding if their relative difference is below this."""
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
    is_indexed: bool
    """Whether the ids are a pandas index."""


class Rows(NamedTuple):
    """The compared pairs of systems, each with the column of the scores."""

    systems: list[Floats]
    """The values of each system, (n_queries, n_columns)."""
    a: Ints
    b: Ints
    column: Ints
    ids: NDArray[Any] | None
    """The ids of the queries."""

    def differences(self, rows: slice) -> Floats:
        """Return the differences of some of the rows, (n_queries, n_rows)."""
        places = zip(self.a[rows], self.b[rows], self.column[rows], strict=True)
        columns = [subtract(self.systems[b][:, k], self.systems[a][:, k]) for a, b, k in places]
        return np.column_stack(columns)

    def slack(self, rows: slice) -> Floats:
        """Return how far rounding may move the sums of these differences from 0, (n_rows,)."""
        places = zip(self.a[rows], self.b[rows], self.column[rows], strict=True)
        of_rows = [_rounding(self.systems[b][:, k], self.systems[a][:, k]) for a, b, k in places]
        return np.array([np.nansum(each) for each in of_rows])

    def on_same_queries(self, family: Ints) -> Iterator[tuple[Ints, Rows]]:
        """Yield the positions of rows whose families have the same queries, and these rows.

        A family has every query that at least one of its rows has. Other queries are left out, so
        that max-T flips no sign of a query that no difference of the family comes from, and finds
        the same p-values as if the query had not been passed.

        For instance, a and b are compared by two metrics, each a family, and so are a and c. A
        dash is an undefined score::

                      ndcg           map          rows: 0  b - a, ndcg    family 0
            query   a   b   c     a   b   c             1  c - a, ndcg    family 0
              0    .5  .6  .7    .4  .5  .6             2  b - a, map     family 1
              1    .5  .6   -    .4  .5  .6             3  c - a, map     family 1
              2    .5   -   -    .4  .5  .6

        Family 0 has the queries 0 and 1, though row 1 has only query 0, and family 1 has all
        three. So there are two steps: positions 0 and 1 with the first two queries of each system,
        then positions 2 and 3 with all queries. If query 2 were defined everywhere, both families
        would have the same queries, and one step would yield all four rows.
        """
        has_score = [~np.isnan(each) for each in self.systems]
        of_family: dict[int, NDArray[np.bool_]] = {}
        for number, a, b, k in zip(family.tolist(), self.a, self.b, self.column, strict=True):
            has_both = has_score[a][:, k] & has_score[b][:, k]
            of_family[number] = of_family.get(number, False) | has_both
        numbers, masks = list(of_family), np.array(list(of_family.values()))
        patterns, which = np.unique(masks, axis=0, return_inverse=True)
        for number, is_there in enumerate(patterns):
            places = np.flatnonzero(np.isin(family, np.array(numbers)[which.ravel() == number]))
            kept: Any = slice(None) if is_there.all() else is_there
            kept = kept if is_there.any() else slice(1)  # if there is none, keep one
            systems = [each[kept] for each in self.systems]
            own = self.a[places], self.b[places], self.column[places]
            yield places, Rows(systems, *own, None)

    def chunks(self, n_resamples: int) -> Iterator[slice]:
        """Yield slices of rows that are small enough for the memory that their tests need."""
        longest = max(n_resamples, 2**FEW, len(self.systems[0]))
        n_rows = max(1, _CELLS // longest)
        for first in range(0, len(self.a), n_rows):
            yield slice(first, min(first + n_rows, len(self.a)))


def subtract(scores: Floats, others: Floats) -> Floats:
    """Return the differences of scores. Differences of a few roundings become 0."""
    difference = scores - others
    return np.where(np.abs(difference) <= _rounding(scores, others), 0.0, difference)


def _rounding(scores: Floats, others: Floats) -> Floats:
    """Return how far rounding may move equal scores apart."""
    return np.asarray(_ROUNDING * np.maximum(np.abs(scores), np.abs(others)))


def read_scores(scores: Any, parameter: str, function: str) -> Scores:
    """Return the scores of each query."""
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
        return own._replace(ids=locked(as_objects(scores)))
    _refuse_text(scores, parameter, function)
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
    is_indexed = hasattr(scores, "iloc")
    ids = locked(np.array(scores.index)) if is_indexed else None
    if array.ndim == 1:
        return Scores(array[:, np.newaxis], None, ids, True, is_indexed)
    labels = list(_labels_of(scores, array.shape[1]))
    has_names = labels != list(range(array.shape[1]))
    names = tuple(str(label) if has_names else f"column {label}" for label in labels)
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        expected = "a frame with unique column names"
        raise invalid(parameter, function, expected, f"{twice!r} more than once")
    return Scores(array, names, ids, False, is_indexed)


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


def _refuse_text(frame: Any, parameter: str, function: str) -> None:
    """Raise if a column of a frame holds text, such as groups of queries."""
    for name in _labels_of(frame, 0):
        values = np.asarray(frame[name])
        is_text = values.dtype.kind in "SUT" or (
            values.dtype == object and any(isinstance(each, str) for each in values)
        )
        if is_text:
            got = f"text in the column {name!r}"
            code = f"Drop the column {name!r} first."
            raise invalid(parameter, function, "a frame of scores alone", got, code=code)


def _labels_of(frame: Any, n_columns: int) -> Iterable[Any]:
    """Return the names of a frame's columns, or the numbers of an array's columns."""
    names = getattr(frame, "column_names", None)  # pyarrow has the columns in `columns`
    return getattr(frame, "columns", range(n_columns)) if names is None else names


def _read_report(report: RankingReport, parameter: str, function: str) -> Scores:
    """Return the scores of each query in a report."""
    if not hasattr(report, "per_query"):
        expected = "a report with the values of each query"
        advice = "`ranking_scores.scale.per_query` returns the values."
        raise invalid(parameter, function, expected, "one of sums alone", advice)
    expected = "a report without weights"
    advice = "Tests and intervals do not support weights. To ignore them, pass scores of its "
    advice += "`per_query`."
    if report.sample_weight is not None:
        raise invalid(parameter, function, expected, "one with `sample_weight`", advice)
    if any(each.weight_by_items is not None for each in report._evaluations):
        raise invalid(parameter, function, expected, "one with `item_weight`", advice)
    values = np.column_stack(list(report.per_query.values()))
    _check_finite(values, parameter, function)
    return Scores(values, tuple(report), report.query_ids, False, False)


def _read_all(scores: Mapping[str, Any], function: str) -> list[Scores]:
    """Return the scores of several systems, which are given by parameter."""
    indexes = Indexes(function, has_columns=True)
    given: dict[str, Scores] = {}
    for parameter, values in scores.items():
        own = read_scores(values, parameter, function)
        places = _places_of_queries(given, known_ids(own), parameter, function)
        if places is not None:
            ids = None if own.ids is None else locked(own.ids[places])
            own = own._replace(values=own.values[places], ids=ids)
            values = values.iloc[places] if own.is_indexed else values
        _check_alike(given, own, parameter, function)
        indexes.check(parameter, values)
        given[parameter] = own
    return list(given.values())


def _places_of_queries(
    given: Mapping[str, Scores], ids: NDArray[Any] | None, parameter: str, function: str
) -> Ints | None:
    """Return the places of the queries in a system that has them in another order.

    None: they are in the order of the systems before, or their order is not known.
    """
    known = ((name, known_ids(system)) for name, system in given.items())
    name, expected_ids = next(((*each,) for each in known if each[1] is not None), ("", None))
    if ids is None or expected_ids is None or _are_same(ids, expected_ids):
        return None
    places, missing, others, _ = match_ids(ids, expected_ids)
    if missing.size or others.size:
        got = f"none for {show_some(missing)}" if missing.size else f"also {show_some(others)}"
        expected = f"of the same {expected_ids.size} queries as {name}, by their ids"
        raise invalid(parameter, function, expected, got, code=_OF_BOTH)
    return places if places.size == ids.size else None


_OF_BOTH = (
    "To compare the queries that both have, index both by query, as `report.to_frame()` does, and "
    "pass `.loc[both]` of each, with `both = a.index.intersection(b.index)`."
)


def _are_same(ids: NDArray[Any], others: NDArray[Any]) -> bool:
    """Return whether all ids are the same in two arrays, or missing in both."""
    is_missing = are_missing(ids)
    if not np.array_equal(is_missing, are_missing(others)):
        return False
    return ids_as_objects(ids[~is_missing]) == ids_as_objects(others[~is_missing])


def _check_alike(given: Mapping[str, Scores], own: Scores, parameter: str, function: str) -> None:
    """Raise unless a system has the same queries and the same scores as the systems before.

    Two pandas indexes are not compared here.
    """
    for name, first in list(given.items())[:1]:
        n_queries, n_columns = first.values.shape
        if len(own.values) != n_queries:
            expected = f"of the same {n_queries} queries as {name}"
            raise invalid(parameter, function, expected, f"{len(own.values)} queries")
        if own.values.shape[1] != n_columns:
            expected = f"an array with {n_columns} columns, like {name}"
            raise invalid(parameter, function, expected, str(own.values.shape[1]))
    with_ids = [each for each in given.items() if each[1].ids is not None]
    for name, first in with_ids[:1]:
        _check_ids(name, first, own, parameter, function)
    with_names = [each for each in given.items() if each[1].names is not None]
    for name, first in with_names[:1]:
        for expected, got in zip(first.names or (), own.names or (), strict=False):
            if expected != got:
                expected = f"of the same scores as {name}, which has {expected!r}"
                raise invalid(parameter, function, expected, repr(got))


def _check_ids(name: str, first: Scores, own: Scores, parameter: str, function: str) -> None:
    """Raise if two systems have different query ids, unless both are pandas indexes."""
    if first.ids is None or own.ids is None or (first.is_indexed and own.is_indexed):
        return
    is_other = are_missing(first.ids) | are_missing(own.ids)  # one of them cannot be missing
    for place in np.flatnonzero(~is_other).tolist():
        is_other[place] = first.ids[place] != own.ids[place]
    if not is_other.any():
        return
    place = int(np.argmax(is_other))
    id_, expected = (name_at(ids, place) for ids in (own.ids, first.ids))
    if own.is_indexed:
        difference = Difference(place, id_, expected, ".to_numpy()")
        raise not_alike(parameter, function, name, ROWS, difference)
    got = f"query {id_} at position {place}, where {name} has {expected},"
    raise invalid(parameter, function, f"of the same queries as {name}", got)


def known_ids(system: Scores) -> NDArray[Any] | None:
    """Return the ids of the queries, or None if there are none, or if they number the rows."""
    if system.ids is None:
        return None
    is_numbered = system.is_indexed and np.array_equal(system.ids, np.arange(len(system.ids)))
    return None if is_numbered else system.ids


def _check_single(given: Sequence[Scores], function: str) -> None:
    """Raise if the systems have several scores."""
    names = given[0].names
    if names is not None and len(names) > 1:
        shown = ", ".join(names[:5]) + ", ..." * (len(names) > 5)
        expected = "a single score: a 1-D array, or a report with one result"
        advice = "For several scores, use `compare_all`, which corrects for their number."
        raise invalid("system_a", function, expected, f"{len(names)} ({shown})", advice)


def read_pair(system_a: Any, system_b: Any, score: Any, function: str) -> list[Scores]:
    """Return the scores of each query of two systems."""
    given = {"system_a": system_a, "system_b": system_b}
    if score is not None:
        find_score(score, function, "score")
    systems = _read_all(_as_reports(given, score, "score", function), function)
    _check_single(systems, function)
    return systems


def read_systems(systems: Any, scores: Any, function: str) -> dict[str, Scores]:
    """Return the scores of each query of several systems by their names."""
    expected = "a dict that maps the names of at least two systems to their scores"
    if not isinstance(systems, Mapping):
        raise invalid("systems", function, expected, describe(systems))
    for name in systems:
        if not isinstance(name, str) or not name:
            got = f"the key {describe(name)}"
            raise invalid("systems", function, "a dict whose keys are non-empty strings", got)
    if len(systems) < 2:
        got = "".join(f"one system, {name!r}," for name in systems) or "none"
        raise invalid("systems", function, expected, got)
    if scores is not None:
        find_scores(scores, function)
    given = {f"systems[{name!r}]": each for name, each in systems.items()}
    found = _read_all(_as_reports(given, scores, "scores", function), function)
    return dict(zip(systems, found, strict=True))


def _as_reports(
    systems: dict[str, Any], scores: Any, parameter: str, function: str
) -> dict[str, Any]:
    """Return systems with a report in the place of `RankingData`."""
    has_data = any(isinstance(each, RankingData) for each in systems.values())
    if has_data and scores is None:
        expected = "given for a system that is RankingData, such as 'ndcg@10'"
        raise invalid(parameter, function, expected, "None")
    if scores is not None and not has_data:
        expected = "left out, since no system is RankingData"
        raise invalid(parameter, function, expected, describe(scores))
    return {
        name: ranking_report(each, scores=scores, k=None)
        if isinstance(each, RankingData)
        else each
        for name, each in systems.items()
    }
