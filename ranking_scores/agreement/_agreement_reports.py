"""The agreement of two rankings as a report, with the queries and the items that changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ranking_scores._agreement._measures import NamedMeasure
from ranking_scores._agreement._pairing import (
    CODE_OF_IDS,
    PairedRankings,
    Places,
    ids_left_out,
    weight_of_queries,
)
from ranking_scores._base._by_id import ValuesById
from ranking_scores._base._ids import python_ids
from ranking_scores._base._results import ReadOnlyDict, ResultTable, with_types
from ranking_scores._base._validation import check_option
from ranking_scores._metrics._evaluate import (
    begin,
    evaluation_of,
    only_zeros,
    warn_of_means,
    with_clusters,
)
from ranking_scores._metrics._sums_of_scores import ResultFacts
from ranking_scores._queries._blocks import CountedQueries
from ranking_scores._queries._data import CallData
from ranking_scores._tables._columns import check_groups
from ranking_scores.report._report import RankingReport, report_of_evaluations
from ranking_scores.significance._changes import largest
from ranking_scores.significance._changes_results import (
    HTML,
    MARKDOWN,
    TEXT,
    MovedItem,
    ResultForm,
    frame_of_queries,
    left_and_came_in,
    moves_of,
    names_of_queries,
    table_of_moves,
    titled,
)

_FORMS = {"text": TEXT, "markdown": MARKDOWN, "html": HTML}


@with_types
class QueryAgreement(NamedTuple):
    """The agreement of the two rankings of a query, and the items that make the difference.

    Attributes
    ----------
    query : object
        The id of the query, or its position if the queries have no ids.

    groups : dict of str to object
        The group of the query in each grouping.

    agreement : float
        The value of the measure.

    left : tuple of MovedItem
        The items that `a` has among the first k and `b` has not. If the measure has no k, those
        that only `a` has.

    came_in : tuple of MovedItem
        The items that `b` has among the first k and `a` has not. If the measure has no k, those
        that only `b` has.
    """

    query: Any
    groups: Mapping[str, Any]
    agreement: float
    left: tuple[MovedItem, ...]
    came_in: tuple[MovedItem, ...]


class AgreementReport(RankingReport):
    """The result of `agreement_report`: how far two rankings of the same queries agree.

    It is a `RankingReport` whose scores are measures of agreement, so all that takes reports takes
    it. It prints the queries that changed most below the means.

    Attributes
    ----------
    changed : dict of str to tuple of QueryAgreement
        For each measure the queries that changed, those with the lowest agreement first. It is not
        saved: `RankingReport.to_json` has the values of all queries, and no items.
    """

    @property
    def changed(self) -> dict[str, tuple[QueryAgreement, ...]]:
        """The queries that changed most, by measure."""
        return cast(dict[str, tuple[QueryAgreement, ...]], vars(self)["_changed"])

    def changed_frame(self) -> Any:
        """Return the queries that changed most as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            One row per measure and query of `changed`, with the columns `score`, `query`,
            `agreement`, `left` and `came_in`. Then one column per grouping with the group of the
            query.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        rows = [((name,), query) for name, queries in self.changed.items() for query in queries]
        method = "AgreementReport.changed_frame"
        return frame_of_queries(rows, ["score"], QueryAgreement, self.by_group, method)

    def _tables_of_changed(self, form: ResultForm) -> Iterator[tuple[str, ResultTable]]:
        """Yield the tables of the queries that changed most by the first measure."""
        name = next(iter(self))
        queries = self.changed[name]
        if not queries:
            return
        values = {name: [query.agreement for query in queries]}
        table = ResultTable(values, names_of_queries(queries, form), [])
        yield f"changed most in {form.name(name)}", table
        moved = [*moves_of(queries)]
        if moved:
            k = self.options[name].get("k")
            where = {None: "the lists", "1": "rank 1"}.get(k, f"the first {k}")
            title = f"items of these queries that left {where} or came in"
            yield title, table_of_moves(moved, form)

    def changed_as(self, form: Literal["text", "markdown", "html"]) -> list[str]:
        """Return the tables of the queries that changed most by the first measure.

        Parameters
        ----------
        form : {"text", "markdown", "html"}
            The form of the tables.

        Returns
        -------
        tables : list of str
            The table of the queries and that of their items, each below its title. A table without
            rows is left out.
        """
        own = _FORMS[check_option(form, "form", "AgreementReport.changed_as", tuple(_FORMS))]
        return [titled(*table, own) for table in self._tables_of_changed(own)]

    def _texts(self) -> list[str]:
        return [*super()._texts(), *self.changed_as("text")]

    def _parts(self, form: Literal["html", "markdown"]) -> list[str]:
        return [*super()._parts(form), *self.changed_as(form)]


@dataclass(frozen=True)
class _PairedData(CallData):
    """The queries of two rankings. Groups and clusters may be of queries that were left out."""

    left_out: NDArray[Any] | None = None

    def by_id(self, values: Any, parameter: str) -> ValuesById | None:
        given = super().by_id(values, parameter)
        return None if given is None else given._replace(left_out=self.left_out)

    @property
    def _code_of_ids(self) -> str:
        return CODE_OF_IDS


def report_of_pairs(
    paired: PairedRankings,
    measures: Sequence[NamedMeasure],
    given: Mapping[str, Any],
    n: int,
    function: str,
) -> AgreementReport:
    """Return the report of some measures of two rankings, with the n queries that changed most.

    `given` has `sample_weight`, `by` and `clusters` as they were given.
    """
    ids, queries = paired.query_ids, CountedQueries(paired.n_queries)
    weight = weight_of_queries(paired, given["sample_weight"], function)
    if weight is not None and not weight.any():
        raise only_zeros(function)
    data = _PairedData(function, None, None, query_ids=ids, left_out=ids_left_out(paired))
    results = {measure.name: (number, 0) for number, measure in enumerate(measures)}
    groups = check_groups(given["by"], ids, queries, data, results)
    call = begin(function, None, "samples", np.nan)
    evaluations = [
        evaluation_of(call, measure.per_query(paired)[:, np.newaxis], weight, ids)
        for measure in measures
    ]
    views = {"mean": with_clusters(evaluations, given["clusters"], ids, queries, data)}
    facts = {one.name: ResultFacts(ReadOnlyDict(one.as_text()), (), True) for one in measures}
    about = {"facts": facts, "judgments": None}
    report = report_of_evaluations(results, views, ids, groups, about)
    vars(report).update(queries_seen=paired.queries_seen)
    warn_of_means([*report.values()], [True] * len(report), function, [*report])
    changed = {measure.name: _changed_most(paired, measure, report, n) for measure in measures}
    return cast(AgreementReport, AgreementReport._of(vars(report), changed=ReadOnlyDict(changed)))


def _changed_most(
    paired: PairedRankings, measure: NamedMeasure, report: RankingReport, n: int
) -> tuple[QueryAgreement, ...]:
    """Return the queries with the lowest agreement by a measure, unless they agree wholly.

    Two equal rankings with ties score less than 1, but nothing changed.
    """
    values = report.per_query[measure.name]
    lacking = np.where(paired.n_moved > 0, measure.measure.range[1] - values, 0.0)
    places = largest(lacking, np.arange(values.size), n)
    groups = {grouping: python_ids(group[places]) for grouping, group in report._groups.items()}
    ids = report.query_ids
    names = python_ids(places if ids is None else ids[places])
    found = []
    for row, (place, query) in enumerate(zip(places.tolist(), names, strict=True)):
        before, now = (_ranges(paired, side, place) for side in (paired.a, paired.b))
        found.append(
            QueryAgreement(
                query,
                ReadOnlyDict({grouping: group[row] for grouping, group in groups.items()}),
                float(values[place]),
                *left_and_came_in({**before, **now}, before, now, measure.options.get("k")),
            )
        )
    return tuple(found)


def _ranges(paired: PairedRankings, side: Places, query: int) -> dict[Any, tuple[int, int]]:
    """Return the first and the last possible rank of each item of a query in a ranking."""
    cells = np.arange(paired.starts[query], paired.starts[query + 1])
    cells = cells[side.size[cells] > 0]
    above, size, items = side.above[cells], side.size[cells], paired.item[cells]
    if paired.item_ids is not None:
        items = paired.item_ids[items]
    ranges = zip((above + 1).tolist(), (above + size).tolist(), strict=True)
    rank_ranges = dict(zip(python_ids(items), ranges, strict=True))
    rank_ranges.pop(None, None)  # None only fills ranks
    return rank_ranges
