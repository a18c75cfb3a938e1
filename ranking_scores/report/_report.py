"""The result of `ranking_report`: what it holds, how it prints, and how it is saved."""

from __future__ import annotations

import csv
import datetime
import io
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._by_id import match_ids
from ranking_scores._base._errors import invalid, list_some, show_id, show_names, visible
from ranking_scores._base._exact import Sums, error_over_groups, mean_over_groups, weighted_sum
from ranking_scores._base._ids import ids_as_objects
from ranking_scores._base._query_values import OVER, QueryValues, check_summable
from ranking_scores._base._results import (
    ComputedResult,
    ReadOnlyDict,
    are_equal,
    as_cell,
    as_html,
    as_markdown,
    as_text,
    as_title,
    count_queries,
    in_html,
    in_markdown,
    make_read_only,
    pandas_for,
    read_only,
    with_error,
)
from ranking_scores._base._threads import once
from ranking_scores._base._validation import check_bool, describe, is_sparse
from ranking_scores._files._saved_files import save
from ranking_scores._metrics._evaluate import ScoreEvaluation
from ranking_scores._metrics._named import NO_ANSWER, find_score, split_name
from ranking_scores._metrics._programs import ProgramScore, is_of_program
from ranking_scores._metrics._sums_of_scores import ResultFacts, ScoreSums, score_of
from ranking_scores._queries._data import CallData, is_list_column
from ranking_scores._queries._lists import read_lists
from ranking_scores._tables._lists_of_ids import note_of_dropped
from ranking_scores._tables._ranking_data import (
    Judgments,
    QueriesSeen,
    RankingData,
    judgments_with_digest,
)
from ranking_scores.report._notes import ListFacts, lines_on_scores
from ranking_scores.report._saved_reports import (
    BESIDE,
    LONGEST_HISTORY,
    REPORT,
    Attributes,
    PastMeans,
    content_of,
    queries_by_group,
    relative_path,
)
from ranking_scores.report._value_files import values_of_report

_MOST_CHARACTERS = 80
"""The greatest width of a printed report, in characters. Long names may exceed it."""
_PER_QUERY = (
    "per_query",
    "query_ids",
    "sample_weight",
    "clusters",
    "_evaluations",
    "_groups",
    "_results",
)
"""The attributes of a report that a report without the values of each query does not have."""
_MOST_GROUPS_SHOWN = 20
"""The greatest number of groups that the text of a report shows."""

_FORMS: dict[str, tuple[Callable[..., str], Callable[[str], str]]] = {
    "html": (as_html, lambda line: f"<p>{in_html(line)}</p>"),
    "markdown": (as_markdown, lambda line: f"- {in_markdown(line)}"),
}
"""The functions for a table and for a line in each form that a report is written in."""

Digests = NDArray[np.uint64]

Results = dict[str, tuple[int, int]]
"""For each name of a result: the index of its score, and the index of its cutoff."""
ONLY_SUMS = (
    "This report holds only sums, so it has no `{}`. `ranking_scores.scale.per_query` returns the "
    "values of each query."
)
"""Why a report of `ranking_scores.scale` lacks an attribute."""


class MeanOverGroups(NamedTuple):
    """The mean of the means of the groups, and which group is the worst."""

    mean: float
    """Each group counts once, however many queries it has. NaN if a group has no mean."""
    standard_error: float
    """NaN if a group has fewer than two queries, or a cluster has queries of several groups."""
    worst: Any
    """The group with the worst mean, the first one of equals. None if a group has no mean."""


OVER_ASPECTS = "scores are over the aspects of each query"
"""The line about scores of queries that have aspects."""


@dataclass(frozen=True, init=False, eq=False, repr=False)
class RankingReport(ComputedResult, Mapping[str, float]):
    """The result of `ranking_report`: several scores of the same data.

    A report is a read-only mapping of the names of its results, such as "ndcg@10", to their means.
    ``report["ndcg@10"]`` is a mean, and ``report.items()`` has all of them. Two reports are equal
    if all their values are, so a report has no hash.

    Attributes
    ----------
    mean : dict of str to float
        The mean of each score over the queries.

    n_undefined : dict of str to int
        The number of queries on which each score is undefined.

    per_query : dict of str to ndarray of float64 of shape (n_queries,)
        The scores of each query, in the order of `query_ids`.

    query_ids : ndarray of shape (n_queries,) or None
        The ids of the queries: `query_ids` as given, or ``np.unique(qid)`` if `qid` was given.
        None if neither was given.

    sample_weight : ndarray of float64 of shape (n_queries,) or None
        The sample weight of each query. None if no weights were given.

    clusters : ndarray of shape (n_queries,) or None
        The cluster of each query. None if no clusters were given.

    n_queries : int
        The number of queries.

    worst : dict of str to float, or None
        The mean of each score if items with equal scores are in the worst order. None without
        ``ties=True``.

    best : dict of str to float, or None
        The mean of each score if items with equal scores are in the best order. None without
        ``ties=True``.

    chance : dict of str to float, or None
        The mean of each score if all items have the same score. None without ``chance=True``.

    judged : dict of str to float, or None
        The mean of `judged_at_k_score` with ``denominator="retrieved"`` at the cutoff of each
        score: the share of the items retrieved there that were judged. None without
        ``unjudged=True``.

    low : dict of str to float, or None
        The lowest mean that labels of unjudged items could give, as
        `ranking_scores.unjudged.score_bounds` returns it. None without ``unjudged=True``.

    high : dict of str to float, or None
        The highest such mean. None without ``unjudged=True``.

    condensed : dict of str to float, or None
        The mean of each score if unjudged items are left out of the rankings. None without
        ``unjudged=True``.

    by_group : dict of str to dict of object to RankingReport
        For each grouping, the report of each group. It covers only the queries of that group.
        Empty without `by`.

    human : dict of str to ndarray of float64 of shape (n_queries,), or None
        The scores of each query by people's labels, in the order of `query_ids`, if a model wrote
        the labels of the report. NaN where people did not judge, or where the score is undefined.
        None without `human`.

    queries_seen : QueriesSeen or None
        The queries of the two tables that were joined, if the report is that of what
        `ranking_scores.from_tables` or its like returned: how many were judged, predicted or both.
        The report prints how many are left out, or count 0.

    metrics : tuple of str
        The names of the results.

    judgments : Judgments or None
        The number of judged items, `n_items`, and their `digest`: a hash of the ids of queries and
        items and of the labels, which does not depend on their order. Two reports with the same
        digest rest on the same judgments. Items have ids, and judgments a digest, if the report is
        that of what `ranking_scores.from_tables` or its like returned, and otherwise it is None.
        Reports of `ranking_scores.scale` have no judgments.

    values_path : pathlib.Path or None
        The file in which `ranking_scores.scale.per_query` has put the values of each query, from
        where comparisons read them. None if there is no such file, or if queries have weights.

    inputs : dict of str to str
        What the report is of, if ``ranking-scores --save`` has written it, and otherwise empty:
        the names of its "files", the "version" of this package, and digests of the "judgments" and
        of the "run" on their queries, whatever the order of lines. A gate compares these.

    history : tuple of PastMeans
        The last means of a baseline that gates have updated, 100 at most and the oldest first: the
        `date`, `n_queries` and the `mean` of each score. The last ones are its own. Empty
        otherwise.

    options : dict of str to dict of str to str
        For each result the score, its cutoff `k` and its other options, as text.

    standard_error : dict of str to float
        The standard error of each mean, as in `StreamingScore`. It is computed on first access.

    macro : dict of str to dict of str to MeanOverGroups
        For each grouping and each result the mean of the means of the groups, with its
        `standard_error`, and the `worst` group. Empty without `by`.

    Notes
    -----
    The standard error of `macro` takes the groups as given rather than as a sample of groups, and
    their queries as independent. For G groups with the errors s it is ``sqrt(sum(s^2)) / G``.
    If clusters have queries of several groups, there is none, unless the report was saved without
    the values of each query, and so without its clusters.

    A report of `ranking_scores.scale` holds only sums. It has no `per_query`, `query_ids` or
    `sample_weight`, and `ranking_scores.scale.per_query` returns the values of each query.
    """

    mean: dict[str, float]
    n_undefined: dict[str, int]
    per_query: dict[str, NDArray[np.float64]]
    query_ids: NDArray[Any] | None
    sample_weight: NDArray[np.float64] | None
    clusters: NDArray[Any] | None
    n_queries: int
    worst: dict[str, float] | None
    best: dict[str, float] | None
    chance: dict[str, float] | None
    judged: dict[str, float] | None
    low: dict[str, float] | None
    high: dict[str, float] | None
    condensed: dict[str, float] | None
    by_group: dict[str, dict[Any, RankingReport]]
    human: dict[str, NDArray[np.float64]] | None
    queries_seen: QueriesSeen | None
    _results: Results = field(init=False)
    _evaluations: list[ScoreEvaluation] = field(init=False)
    _groups: dict[str, NDArray[Any]] = field(init=False)
    _judgments: Judgments | Callable[[], tuple[Judgments, Digests]] | None = field(init=False)
    _facts: dict[str, ResultFacts] = field(init=False)
    _has_item_weights: bool = field(init=False)
    _places: NDArray[Any] | None = field(init=False, default=None)
    """The places of a group's queries among all queries. None: these are all queries."""
    _lists: ListFacts | None = field(init=False, default=None)
    """What the lists of all queries are like. None: it is not known."""
    _lines: Sequence[str] = field(init=False, default=())
    """Lines about the data."""
    _ties: Sequence[str] | Callable[[], Sequence[str]] = field(init=False, default=())
    """A line about ties, or what returns it, since it takes time."""

    @property
    def metrics(self) -> tuple[str, ...]:
        """The names of the results."""
        return tuple(self.mean)

    @property
    def judgments(self) -> Judgments | None:
        """The number of judged items, and their digest."""
        own = vars(self)
        if callable(own["_judgments"]):  # a digest takes time, and few ask for it
            own["_judgments"], own["_digests"] = own["_judgments"]()
        return cast(Judgments | None, own["_judgments"])

    @property
    def values_path(self) -> Path | None:
        """The file with the values of each query."""
        return vars(self).get("_values_path")

    @property
    def inputs(self) -> dict[str, str]:
        """What the report is of, if that is known."""
        return vars(self).get("_inputs", ReadOnlyDict())  # type: ignore[no-any-return]

    @property
    def history(self) -> tuple[PastMeans, ...]:
        """The last means of a baseline that gates have updated."""
        return vars(self).get("_history", ())  # type: ignore[no-any-return]

    @property
    def options(self) -> dict[str, dict[str, str]]:
        """The options of each result."""
        return ReadOnlyDict({name: facts.options for name, facts in self._facts.items()})

    def has_values(self) -> bool:
        """Return whether the values of each query are known, from the report or from a file.

        Returns
        -------
        has_values : bool
            Whether they are, so that the report can be compared query by query.
        """
        return "per_query" in vars(self) or self.values_path is not None

    def greater_is_better(self, name: str) -> bool:
        """Return whether a higher mean of a result is better. It is not for ``arp``.

        Parameters
        ----------
        name : str
            The name of a result, such as "ndcg@10".

        Returns
        -------
        is_better : bool
            Whether it is.

        Raises
        ------
        KeyError
            If there is no such result.
        """
        _ = self[name]
        return self._facts[name].greater_is_better

    @once
    def standard_error(self) -> dict[str, float]:
        """The standard error of each mean."""
        errors = [evaluation.errors() for evaluation in self._evaluations]
        return ReadOnlyDict(
            {name: errors[score][cutoff][0] for name, (score, cutoff) in self._results.items()}
        )

    @property
    def macro(self) -> dict[str, dict[str, MeanOverGroups]]:
        """The mean of the means of the groups of each grouping."""
        return ReadOnlyDict({grouping: self._macro(grouping) for grouping in self.by_group})

    def _macro(self, grouping: str) -> ReadOnlyDict[str, MeanOverGroups]:
        """Return the mean of each result over the groups of a grouping."""
        groups, are_mixed = self.by_group[grouping], self._are_mixed(grouping)
        found = {}
        for name in self:
            means = {group: report.mean[name] for group, report in groups.items()}
            mean = mean_over_groups([*means.values()])
            error = error_over_groups([report.standard_error[name] for report in groups.values()])
            worst_of = min if self.greater_is_better(name) else max
            worst = None if math.isnan(mean) else worst_of(means, key=means.__getitem__)
            found[name] = MeanOverGroups(mean, math.nan if are_mixed else error, worst)
        return ReadOnlyDict(found)

    def _are_mixed(self, grouping: str) -> bool:
        """Return whether a cluster has queries of several groups, which then are dependent."""
        own = vars(self).get("clusters")
        if own is None:
            return False
        clusters, groups = map(ids_as_objects, (own, self._groups[grouping]))
        return len({*zip(clusters, groups, strict=True)}) > len({*clusters})

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Raise the error about values that a report of sums does not hold."""
            if name in _PER_QUERY:
                raise AttributeError(vars(self)["_why_no_queries"].format(name))
            raise AttributeError(f"'RankingReport' object has no attribute {name!r}")

    def __getitem__(self, name: str) -> float:
        """Return the mean of a result."""
        if name not in self.mean:
            raise KeyError(f"{show_id(name)} is none of the results: {show_names(self.mean)}")
        return self.mean[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.mean)

    def __len__(self) -> int:
        return len(self.mean)

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, RankingReport):
            return NotImplemented
        return are_equal(self._values(), other._values())

    def _values(self) -> dict[str, Any]:
        """Return all that equal reports have in common."""
        names = (attribute.name for attribute in fields(self) if attribute.name[0] != "_")
        values = {name: vars(self)[name] for name in names if name in vars(self)}
        groups = vars(self).get("_groups")
        return values | {"standard_error": self.standard_error, "groups": groups}

    def _attributes(self) -> Attributes:
        """Return all that is saved, with the same of the reports of groups."""
        more = {
            "groups": vars(self).get("_groups", {}),
            "judgments": self.judgments,
            "digests": self._digest_by_query(),
            "inputs": self.inputs,
            "history": self.history,
            "facts": self._facts,
            "has_item_weights": self._has_item_weights,
            "by_group": map_groups(self.by_group, RankingReport._attributes),
        }
        return self._values() | more

    @classmethod
    def _of(cls, attributes: Attributes, **private: Any) -> RankingReport:
        """Return the report with some attributes. Private ones have names without underscores."""
        report = object.__new__(cls)
        vars(report).update(attributes)
        for name, value in private.items():
            vars(report)[f"_{name}"] = value
        return report

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for a copy, without the data that digests and lines are made from."""
        _ = self.judgments, self._lines_on_data()
        return vars(self)

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update({name: make_read_only(value) for name, value in state.items()})

    def to_json(
        self, path: str | os.PathLike[str] | None = None, *, per_query: bool = True
    ) -> str | None:
        """Save the report as JSON, from which `read_report` makes an equal report.

        All floats are exact, and equal reports with the same notes have the same bytes. Each query
        has a line of its own, so that a diff of two files shows the queries that changed.

        Parameters
        ----------
        path : path, default=None
            A file to write, whose name ends in ".json" or ".json.gz". If the call raises, a file
            that was there stays as it was. None returns the text.

        per_query : bool, default=True
            Whether to save the values of each query. Without them, the file is small, but it can
            neither be tested nor compared query by query, and has nothing of people's labels.

        Returns
        -------
        text : str or None
            The text, if there is no `path`.

        Raises
        ------
        ValueError, TypeError
            If a parameter is not as described here, or if an id or a group is an object of a type
            that JSON cannot hold. Text, numbers, bools, dates, UUIDs, bytes and tuples of these
            can be held. The error is of both types, as in scikit-learn.

        See Also
        --------
        ranking_scores.report.read_report : Reads the file.

        Notes
        -----
        The last line of the file has a digest of all that stands before it, so that a file that
        was cut or edited is refused. Of an option that is a function of your own, such as a
        `gain`, the file has only the name.

        The report of `ranking_scores.scale.per_query` has its values in a table, whose path is
        saved as seen from the folder of the JSON. So move both together. Save the JSON in the
        folder of the table or in one above, since `read_report` follows a path to elsewhere only
        if `values_from` is passed.
        """
        function = "RankingReport.to_json"
        is_asked = check_bool(per_query, "per_query", function)
        content = content_of(self._attributes(), per_query=is_asked, function=function)
        if self.values_path is not None:
            beside = Path.cwd() if path is None else Path(path).resolve().parent
            content["values"] = relative_path(self.values_path, beside)
        notes = self._lines_on_data()
        content |= {"notes": notes} if notes else {}
        return save(REPORT, content, path, function)

    def to_dict(self, separator: str = "@") -> dict[str, float]:
        """Return the means as a dict of plain floats, for tools that log numbers by name.

        Parameters
        ----------
        separator : str, default="@"
            The text between the name of a score and its cutoff, since not every tool takes "@"
            in a name. "_at_" makes "ndcg_at_10".

        Returns
        -------
        means : dict of str to float
            The mean of each result.

        Raises
        ------
        ValueError, TypeError
            If `separator` is no text. The error is of both types, as in scikit-learn.
        """
        if not isinstance(separator, str):
            got = describe(separator)
            raise invalid("separator", "RankingReport.to_dict", "a text, such as '_at_'", got)
        return {separator.join(name.rsplit("@", 1)): mean for name, mean in self.items()}

    def to_markdown(self) -> str:
        """Return the tables in Markdown, such as for a comment on a pull request.

        Returns
        -------
        text : str
            The tables and the notes, as GitHub and GitLab read them.
        """
        lines = map(_FORMS["markdown"][1], self._notes())
        return "\n\n".join([*self._parts("markdown"), *lines])

    def to_html(self) -> str:
        """Return the tables and the notes in HTML, as notebooks show them.

        Returns
        -------
        text : str
            A part of a page, without styles. The command writes whole pages with ``--html``.
        """
        return self._repr_html_()

    def to_csv(self) -> str:
        """Return the numbers as CSV with all digits.

        Returns
        -------
        text : str
            One row per result, as in `summary_frame`. NaN is "nan".
        """
        rows = [("", "", name, row) for name, row in self._rows()]
        for grouping, group, report in self._reports_of_groups():
            rows += [(grouping, group, name, row) for name, row in report._rows()]
        n_names = 3 if self.by_group else 1
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([*("grouping", "group", "score")[-n_names:], *rows[0][-1]])
        writer.writerows([*names[-n_names:], *row.values()] for *names, row in rows)
        return text.getvalue()

    def to_frame(self) -> Any:
        """Return the scores of each query as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            One row per query and one column per result. The index is `query_ids`. The first
            columns are the groups, one column per grouping.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        pandas = pandas_for("RankingReport.to_frame")
        per_query = dict(self.per_query)  # first, since an error names what is missing
        frame = pandas.DataFrame(self._groups | per_query, index=self.query_ids)
        frame.index.name = "query"
        return frame

    def summary_frame(self) -> Any:
        """Return the means as a pandas DataFrame.

        Returns
        -------
        frame : pandas.DataFrame
            One row per result, with the columns `mean`, `standard_error` and `n_undefined`, and
            `worst`, `best`, `chance`, `judged`, `low`, `high` and `condensed` if they were
            requested. With groups, each group has rows of its own, and the index has three levels:
            the grouping, the group and the name of the result. The first two are empty in the rows
            of all queries together.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        pandas = pandas_for("RankingReport.summary_frame")
        rows = {("", "", name): row for name, row in self._rows()}
        for grouping, group, report in self._reports_of_groups():
            rows |= {(grouping, group, name): row for name, row in report._rows()}
        frame = pandas.DataFrame(list(rows.values()))
        index = pandas.MultiIndex.from_tuples(rows, names=["grouping", "group", "score"])
        frame.index = index if self.by_group else index.get_level_values("score")
        return frame

    def __repr__(self) -> str:
        return "\n\n".join([*self._texts(), "\n".join(map(visible, self._notes()))])

    def _repr_html_(self) -> str:
        return "\n".join([*self._parts("html"), *map(_FORMS["html"][1], self._notes())])

    def _texts(self) -> list[str]:
        """Return the tables as text."""
        head, *body = self._table()
        tables = [as_text(head, body)]
        for head, body, n_more in self._tables_of_groups():
            names, *groups = zip(head, *body, strict=True)
            for part in _as_wide_as(groups, _MOST_CHARACTERS - max(map(len, names))):
                first, *others = zip(names, *part, strict=True)
                tables.append(as_text(first, others))
            if n_more:
                tables.append(f"... and {n_more} more groups")
        return tables

    def _parts(self, form: Literal["html", "markdown"]) -> list[str]:
        """Return the tables in a form."""
        table, line = _FORMS[form]
        head, *body = self._table()
        parts = [table(head, body)]
        for head, body, n_more in self._tables_of_groups():
            parts.append(table(head, body))
            if n_more:
                parts.append(line(f"... and {n_more} more groups"))
        return parts

    def _notes(self) -> list[str]:
        """Return the lines below the tables."""
        about_groups = "; mean ± standard error of each group, and macro: over groups"
        about_groups *= bool(self.by_group)
        clusters = vars(self).get("clusters")  # A report of sums has none.
        if clusters is not None:
            about_groups = f", {len(set(ids_as_objects(clusters)))} clusters{about_groups}"
        human_lines = []
        if self.human is not None:
            n_judged = (~np.isnan(np.column_stack(list(self.human.values())))).any(axis=1).sum()
            human_lines = [
                f"people judged {count_queries(n_judged)}, too: `confidence_interval` and "
                "`compare` take this in, and the numbers above do not"
            ]
        table_lines = self._lines_about_tables()
        if table_lines and any(map(is_of_program, self)):
            line = "Other programs may leave such queries out: see the undefined ones."
            table_lines.append(line)
        if self.queries_seen is not None and self.queries_seen.n_dropped is not None:
            table_lines.append(note_of_dropped(self.queries_seen.n_dropped))
        table_lines += [*self._line_about_no_answer(), *self._lines_on_data()]
        file_lines = _lines_about_functions(self._facts) if vars(self).get("_is_read") else []
        over_aspects = any(OVER in fact.options for fact in self._facts.values())
        aspect_lines = [OVER_ASPECTS] * over_aspects
        counts = f"{count_queries(self.n_queries)}{about_groups}"
        if self.inputs:
            file_lines.append("{files}, by version {version}".format(**self.inputs))
        group_lines = self._lines_about_groups()
        return [counts, *group_lines, *aspect_lines, *human_lines, *table_lines, *file_lines]

    # What compares scores knows these methods, and no other attribute that is private here.

    def _count_judged_anew(self, old: RankingReport) -> int | None:
        """Return how many queries were judged otherwise in another report, if that is known."""
        digests = [own._digest_by_query() for own in (self, old)]
        ids = [getattr(own, "query_ids", None) for own in (self, old)]
        if any(each is None for each in (*digests, *ids)):
            return None
        places = match_ids(*cast(list[NDArray[Any]], ids)).places
        new_digests, old_digests = cast(list[Digests], digests)
        return int(np.count_nonzero((new_digests[places] != old_digests) & (places >= 0)))

    def _query_values(
        self, names: Sequence[str] | None, parameter: str, function: str
    ) -> QueryValues:
        """Return the values of each query of some results, or of all."""
        names = tuple(self if names is None else names)
        found = QueryValues(
            np.empty((0, len(names))),
            names,
            None,
            are_losses=tuple(not self.greater_is_better(name) for name in names),
            options=self.options,
        )
        if self.values_path is not None:
            means = {name: self.mean[name] for name in names}
            own = values_of_report(self.values_path, means, self.n_queries, parameter, function)
            return found._replace(values=own.values, ids=own.ids)
        if not self.has_values():
            expected = "a report with the values of each query"
            advice = "`ranking_scores.scale.per_query` returns the values, and `to_json` saves "
            advice += "them unless per_query=False."
            raise invalid(parameter, function, expected, "one of sums alone", advice)
        if self._has_item_weights:
            expected = "a report whose queries have the same weight in each score"
            advice = "Pass scores of its `per_query`, with `sample_weight` if they shall have "
            advice += "weights."
            raise invalid(parameter, function, expected, self._origin_of_weights(), advice)
        values, human = (
            None if own is None else np.column_stack([own[name] for name in names])
            for own in (self.per_query, self.human)
        )
        assert values is not None
        check_summable(values, parameter, function)
        return found._replace(
            values=values,
            human=human,
            ids=self.query_ids,
            sample_weight=self.sample_weight,
            clusters=self.clusters,
            groups=self._groups,
            places=self._places,
        )

    def _with_values(self, own: QueryValues) -> RankingReport:
        """Return the report of some of the queries, which has no other numbers than they tell."""
        per_query, human = (
            each if each is None else dict(zip(own.names or (), each.T, strict=True))
            for each in (own.values, own.human)
        )
        assert per_query is not None
        mean = {
            name: Sums(weighted_sum(values, own.sample_weight)).mean()
            for name, values in per_query.items()
        }
        report = RankingReport._of(vars(self), groups={}, places=None, values_path=None)
        vars(report).update(mean=mean, per_query=per_query, human=human, by_group={})
        vars(report).update(sample_weight=own.sample_weight, clusters=own.clusters)
        vars(report).update(query_ids=own.ids, n_queries=len(own.values), **dict.fromkeys(BESIDE))
        return report

    def _origin_of_weights(self) -> str:
        """Return in words what gives the queries other weights in each score."""
        names = []
        for name, facts in self._facts.items():
            score = facts.options.get("score", "")
            if is_of_program(score):
                of_program = find_score(score, "").function
                assert isinstance(of_program, ProgramScore)
                names += [name] * (of_program.convention.weight != "queries")
        if names:
            return f"one with {show_names(names)}, which weighs queries by what they can gain,"
        return "one with `item_weight`"

    def _find(self, name: str, parameter: str, function: str) -> str | None:
        """Return the name of a result from any spelling of it, or None if there is none.

        Raise if it is no name of a score of the program that it begins with.
        """
        if name in self.mean:
            return name
        names_by_spelling = {split_name(own): own for own in self.mean}
        if split_name(name) in names_by_spelling:
            return names_by_spelling[split_name(name)]
        if is_of_program(name):
            name = find_score(name, function, parameter).name
        return name if name in self.mean else None

    def _score(self, name: str) -> Callable[..., Any] | None:
        """Return the score of a result with its options, if that is known."""
        return score_of(self._facts[name])

    def _digest_by_query(self) -> Digests | None:
        """Return the digest of the judgments of each query, if they are known."""
        _, own = self.judgments, vars(self).get("_digests")
        return own if own is None or self._places is None else own[self._places]

    def _with_human(self, human: Mapping[str, NDArray[np.float64]]) -> RankingReport:
        """Return the report with the scores of each query by people's labels, also in its groups.

        Without any such scores, the report is that by the model's labels alone.
        """
        by_group = {}
        for grouping, reports in self.by_group.items():
            groups = queries_by_group(self._groups[grouping])
            by_group[grouping] = ReadOnlyDict(
                {
                    key: reports[key]._with_human({name: own[rows] for name, own in human.items()})
                    for key, rows in groups
                }
            )
        values = ReadOnlyDict({name: read_only(scores) for name, scores in human.items()})
        attributes = vars(self) | {"human": values or None, "by_group": ReadOnlyDict(by_group)}
        return RankingReport._of(attributes)

    def _with_history(self, baseline: RankingReport) -> RankingReport:
        """Return the report with the history of a baseline, and with its own means of today."""
        past = baseline.history or (PastMeans(None, baseline.n_queries, baseline.mean),)
        today = datetime.datetime.now(datetime.UTC).date().isoformat()
        own = PastMeans(today, self.n_queries, self.mean)
        return RankingReport._of(vars(self), history=(*past, own)[-LONGEST_HISTORY:])

    def _lines_about_tables(self) -> list[str]:
        """Return lines about queries that are in one of two joined tables only."""
        seen = self.queries_seen
        return [] if seen is None else seen.lines(are_empty_lists=self._tells_no_answer())

    def _lines_on_data(self) -> list[str]:
        """Return lines about what the scores cannot tell."""
        own = vars(self)
        if callable(self._ties):
            own["_ties"] = self._ties()
        are_known = "_is_read" in own and len(self._lines) > 0
        lines = lines_on_scores(self, self._lists) if "per_query" in own and not are_known else []
        return [*lines, *self._lines, *cast(Sequence[str], self._ties)]

    def _tells_no_answer(self) -> bool:
        """Return whether the report tells the queries without an answer from the others."""
        return NO_ANSWER in self.mean and self._facts[NO_ANSWER].options["score"] == NO_ANSWER

    def _line_about_no_answer(self) -> list[str]:
        """Return a line about the queries without an answer, if the report tells them apart."""
        if not self._tells_no_answer():
            return []
        count = self.n_queries - self.n_undefined[NO_ANSWER]
        have, them = ("has", "it") if count == 1 else ("have", "them")
        line = (
            f"{NO_ANSWER}: {count_queries(count)} {have} no answer. Other scores leave {them} out"
        )
        if "per_query" in vars(self):
            n_lists = np.count_nonzero(self.per_query[NO_ANSWER] == 0)
            line += (
                f"; the system returned something for {n_lists} of {them}"
                if count > 1
                else (f"; the system returned {'something' if n_lists else 'nothing'} for it")
            )
        return [line]

    def _lines_about_groups(self) -> list[str]:
        """Return which groups are the worst, and which means over groups have no error."""
        lines = []
        for grouping, macro in self.macro.items():
            worst: dict[Any, list[str]] = {}
            for name, own in macro.items():
                means = {report.mean[name] for report in self.by_group[grouping].values()}
                if own.worst is not None and len(means) > 1:
                    worst.setdefault(own.worst, []).append(name)
            named = [f"{_as_head(group)} ({', '.join(of)})" for group, of in worst.items()]
            if worst:
                lines.append(f"worst group of {grouping}: {'; '.join(named)}")
            if any(math.isnan(own.standard_error) for own in macro.values()):
                has_none = any(math.isnan(own.mean) for own in macro.values())
                why = "a group has no mean" if has_none else "a group has too few queries"
                why = "a cluster has several groups" if self._are_mixed(grouping) else why
                lines.append(f"no error of macro over {grouping}: {why}")
        return lines

    def _rows(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the numbers of each result."""
        tables: dict[str, Mapping[str, Any] | None] = {
            "mean": self.mean,
            "standard_error": self.standard_error,
            "n_undefined": self.n_undefined,
            **{name: getattr(self, name) for name in BESIDE},
        }
        for name in self.mean:
            yield name, {key: own[name] for key, own in tables.items() if own is not None}

    def _table(self) -> list[list[str]]:
        """Return the table of all queries as text, one row per result."""
        rows = list(self._rows())
        head = ["", *map(as_title, rows[0][1])]
        return [head, *([name, *map(as_cell, row.values())] for name, row in rows)]

    def _reports_of_groups(self) -> Iterator[tuple[str, Any, RankingReport]]:
        for grouping, reports in self.by_group.items():
            for group, report in reports.items():
                yield grouping, group, report

    def _tables_of_groups(self) -> Iterator[tuple[list[str], list[list[str]], int]]:
        """Yield the head and the rows of each grouping's table, and how many groups it omits."""
        for grouping, reports in self.by_group.items():
            shown = dict(list(reports.items())[:_MOST_GROUPS_SHOWN])
            head = [*map(_as_head, [grouping, "macro", *shown])]
            counts = ["queries", "", *(str(report.n_queries) for report in shown.values())]
            means = [
                [
                    name,
                    with_error(*macro[:2]),
                    *(with_error(of.mean[name], of.standard_error[name]) for of in shown.values()),
                ]
                for name, macro in self._macro(grouping).items()
            ]
            yield head, [counts, *means], len(reports) - len(shown)


def report_of_evaluations(
    results: Results,
    by_view: dict[str, list[ScoreEvaluation]],
    ids: NDArray[Any] | None,
    groups: dict[str, NDArray[Any]],
    about: Mapping[str, Any],
) -> RankingReport:
    """Return the report of all queries, which includes the reports of their groups.

    `about` has the private attributes that the reports of groups share.
    """
    means: dict[str, dict[str, float]] = {}
    for view, evaluations in by_view.items():
        sums = list(map(ScoreEvaluation.sums, evaluations))
        means[view] = ReadOnlyDict(
            {name: sums[score][cutoff].mean() for name, (score, cutoff) in results.items()}
        )
    evaluations = by_view["mean"]
    n_undefined: dict[str, int] = {}
    per_query: dict[str, NDArray[np.float64]] = {}
    for name, (score, cutoff) in results.items():
        n_undefined[name] = int(np.count_nonzero(~evaluations[score].is_defined[:, cutoff]))
        per_query[name] = read_only(evaluations[score].values[:, cutoff])
    by_group = {}
    for grouping, group_of_query in groups.items():
        reports = {}
        for key, queries in queries_by_group(group_of_query):
            in_group = {
                view: [evaluation.of_queries(queries) for evaluation in evaluations]
                for view, evaluations in by_view.items()
            }
            own_ids = None if ids is None else ids[queries]
            about_group = {**about, "places": read_only(queries)}
            reports[key] = report_of_evaluations(results, in_group, own_ids, {}, about_group)
        by_group[grouping] = ReadOnlyDict(reports)
    weight, clusters = evaluations[0].sample_weight, evaluations[0].cluster
    attributes = {
        "mean": means["mean"],
        "n_undefined": ReadOnlyDict(n_undefined),
        "per_query": ReadOnlyDict(per_query),
        "query_ids": None if ids is None else read_only(ids),
        "sample_weight": None if weight is None else read_only(weight),
        "clusters": None if clusters is None else read_only(clusters),
        "n_queries": evaluations[0].values.shape[0],
        **{name: means.get(name) for name in BESIDE},
        "by_group": ReadOnlyDict(by_group),
        "human": None,
        "queries_seen": None,
    }
    return RankingReport._of(
        attributes,
        results=results,
        evaluations=evaluations,
        groups=groups,
        has_item_weights=any(evaluation.weight_by_items is not None for evaluation in evaluations),
        **about,
    )


def map_groups(
    by_group: Mapping[str, Mapping[Any, Any]], make: Callable[[Any], Any]
) -> dict[str, dict[Any, Any]]:
    """Return what `make` returns for each group, by grouping and group."""
    return ReadOnlyDict(
        {
            grouping: ReadOnlyDict({key: make(own) for key, own in several.items()})
            for grouping, several in by_group.items()
        }
    )


def without_judgments(report: RankingReport) -> RankingReport:
    """Return a report of all queries that keeps no data, since it does not know its judgments."""
    return RankingReport._of(vars(report) | {"_judgments": None, "by_group": ReadOnlyDict({})})


def report_of_sums_alone(
    sums: ScoreSums,
    facts: Mapping[str, ResultFacts],
    by_group: Mapping[str, Mapping[Any, RankingReport]],
    queries_seen: QueriesSeen | None = None,
) -> RankingReport:
    """Return the report of some sums, without a warning."""
    beside = sums.means_beside()

    def by_name(values: Iterable[Any]) -> dict[str, Any]:
        return ReadOnlyDict(dict(zip(facts, values, strict=True)))

    attributes = {
        "mean": by_name(score.sums.mean() for score in sums.at_cutoff),
        "n_undefined": by_name(score.n_undefined for score in sums.at_cutoff),
        "standard_error": by_name(score.standard_error() for score in sums.at_cutoff),
        "n_queries": sums.n_queries,
        "by_group": ReadOnlyDict(by_group),
        "human": None,
        "queries_seen": queries_seen,
        **{name: None if name not in beside else by_name(beside[name]) for name in BESIDE},
    }
    return RankingReport._of(
        attributes,
        facts=facts,
        judgments=None,
        has_item_weights=sums.n_weighed_by_items > 0,
        why_no_queries=ONLY_SUMS,
    )


def report_of_file(attributes: Attributes, values_path: Path | None) -> RankingReport:
    """Return the report that a file has. Another file may have the values of each query."""
    public = dict(attributes)
    names: tuple[str, ...] = ("facts", "judgments", "digests", "inputs", "history")
    names += ("has_item_weights", "groups", "lines")
    private = {name: public.pop(name) for name in names if name in public}
    private |= {"is_read": True, "why_no_queries": _WITHOUT_QUERIES}
    shared = {name: value for name, value in private.items() if name not in ("groups", "lines")}
    groups_of_group: dict[str, Any] = {"groups": {}} if "groups" in private else {}

    def of_group(own: Attributes) -> RankingReport:
        own = dict(own)
        places = own.pop("places", None)
        return RankingReport._of(own, **shared, **groups_of_group, places=places)

    public["by_group"] = map_groups(attributes["by_group"], of_group)
    return RankingReport._of(public, **private, values_path=values_path)


_WITHOUT_QUERIES = (
    "This report was saved without the values of each query, so it has no `{}`. Save it with "
    "`per_query=True`."
)


def _lines_about_functions(facts: Mapping[str, ResultFacts]) -> list[str]:
    """Return lines about options that are functions, of which a file has only the names."""
    by_function: dict[str, list[str]] = {}
    for result, fact in facts.items():
        for name in fact.functions:
            by_function.setdefault(f"{name}={fact.options[name]}", []).append(result)
    return [
        f"{function} of {list_some(results)} is a function, of which the file has only the name"
        for function, results in by_function.items()
    ]


def undefined_by_query(report: RankingReport) -> dict[str, NDArray[np.bool_]]:
    """Return, for each result, the queries on which it is undefined."""
    return {
        name: ~report._evaluations[score].is_defined[:, cutoff]
        for name, (score, cutoff) in report._results.items()
    }


def _as_head(group: Any) -> str:
    """Return the name of a group on one line, shortened if it is long."""
    name = visible(str(group))
    longest = _MOST_CHARACTERS // 2 - 1  # Two names fit on a line.
    return name if len(name) <= longest else f"{name[: longest - 3]}..."


def _as_wide_as(columns: list[Any], width: int) -> Iterator[list[Any]]:
    """Yield columns in parts that fit into a width. Each part has at least one column."""
    part: list[Any] = []
    left = width
    for column in columns:
        needed = 2 + max(map(len, column))
        if part and needed > left:
            yield part
            part, left = [], width
        part.append(column)
        left -= needed
    yield part


def judgments_of(
    data: CallData, ids: NDArray[Any] | None, *, may_be_nan: bool = False
) -> Judgments | Callable[[], tuple[Judgments, Digests]]:
    """Return the number of judged items, and their digest if items have ids.

    With a digest it is a function that returns both, and the digest of each query.

    `ids` are those of the queries. Items have ids in `RankingData`. `may_be_nan` is whether
    the labels of items that were not judged may be NaN or null.
    """
    if ids is None or not isinstance(data.y_true, RankingData):
        return Judgments(_count(data) - (_count_nan(data) if may_be_nan else 0), None)
    return partial(judgments_with_digest, data.y_true.judged_items(), ids)


def _count(data: CallData) -> int:
    """Return the number of items with a label that take part."""
    if is_list_column(data.y_true):
        return int(read_lists(data, "y_true", may_be_null=True).length.sum())
    mask = None if data.where is None else data.mask_of_items()
    is_matrix = is_sparse(data.y_true)
    if mask is None or (not is_matrix and data.truth.ndim == 1):  # a class is one item of several
        return int(data.y_true.nnz if is_matrix else math.prod(data.truth.shape))
    return int(np.count_nonzero(mask[data.y_true.tocoo().coords] if is_matrix else mask))


def has_classes(data: CallData) -> bool:
    """Return whether labels are the classes of samples."""
    y_true = data.y_true
    is_other = isinstance(y_true, RankingData) or is_sparse(y_true) or is_list_column(y_true)
    return bool(not is_other and data.qid is None and data.truth.ndim == 1)


def _count_nan(data: CallData) -> int:
    """Return the number of items with the label NaN that take part."""
    is_list = is_list_column(data.y_true)
    if is_sparse(data.y_true) or has_classes(data):
        return 0  # a class is a label that is known
    labels = read_lists(data, "y_true", may_be_null=True).values if is_list else data.true_labels
    mask = None if is_list or data.where is None else data.mask_of_items()
    return int(np.count_nonzero(np.isnan(labels if mask is None else labels[mask])))
