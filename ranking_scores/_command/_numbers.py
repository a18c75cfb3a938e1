"""The numbers of the command: files are joined and scored, and runs are compared."""

from __future__ import annotations

import argparse
import io
import math
import re
import signal
import warnings
from collections.abc import Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import redirect_stderr
from importlib import import_module
from itertools import chain
from multiprocessing import get_context
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ranking_scores._agreement import PairedRankings, pair_joined
from ranking_scores._base import (
    as_objects,
    as_percent,
    count_queries,
    show_id,
    with_parts,
    without_view,
)
from ranking_scores._command._arguments import find, params_for
from ranking_scores._command._files import (
    SWAPPED_FILES,
    FileTable,
    InputFiles,
    as_number,
    id_as_text,
)
from ranking_scores._command._words import NAME, InputError, in_words, print_errors, warnings_said
from ranking_scores._metrics import judged_at_k_score, list_some, parameters_of
from ranking_scores._reports import OVER_ASPECTS, undefined_by_query, without_judgments
from ranking_scores._tables import (
    BEST_OR_HOLD,
    BY_PLACE,
    DICTS_OF_ASPECTS,
    GRADE,
    HIGHEST_LABEL,
    NO_JUDGMENTS,
    NUMBERS_FIRST,
    OF_JUDGED,
    OF_UNJUDGED,
    ONE_KIND,
    ONE_OF_AN_ASPECT,
    SCORE,
    UNEQUAL,
    GivenAspects,
    JoinInput,
    JoinSide,
    ListsByQuery,
    RankingData,
    RecordFields,
    TwoSources,
    aspects_of_columns,
    aspects_of_lists,
    data_of,
    join_runs,
    lists_of,
    note_of_dropped,
    read_columns,
    run_of_given,
    side_of,
    without_ranks,
    without_self,
)
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.report import RankingReport, ranking_report
from ranking_scores.ties import tie_report
from ranking_scores.unjudged import score_bounds

Record = dict[str, Any]
"""The numbers of one score, for a run or for one of its queries."""
DIFFERENCE = {
    "difference": "difference",
    "difference_low": "low",
    "difference_high": "high",
    "pvalue": "pvalue",
}
"""The attributes of comparisons, by the names of their columns here."""


class ScoredRun(NamedTuple):
    """A run that was scored."""

    name: str
    data: RankingData | None
    """None: there are no judgments."""
    report: RankingReport
    seen: list[str]
    """Lines about the queries that only one of the files has."""


class CommandScores(NamedTuple):
    """The numbers of a call."""

    records: list[Record]
    counts: list[str]
    """Lines with the numbers of queries."""
    about: list[str]
    """Lines about what the numbers mean."""
    read_of: dict[str, list[str]]
    """By run, lines that say what was taken for what in its files, and what was skipped."""
    run: ScoredRun | None
    """The run, if there is a single one. The data of several would fill the memory."""
    baseline: RankingReport | ScoredRun | None
    """A saved report, or a run that was scored."""

    @property
    def notes(self) -> list[str]:
        """Lines with facts about the runs."""
        return [*self.counts, *self.about]

    @property
    def of_aspects(self) -> list[str]:
        """Whether the scores are over aspects, as a line that each format has."""
        return [OVER_ASPECTS] * (OVER_ASPECTS in self.about)

    @property
    def read(self) -> list[str]:
        """Lines that say what was taken for what in all files, and what was skipped."""
        data = self.baseline.data if isinstance(self.baseline, ScoredRun) else None
        of_baseline = () if data is None else data.notes
        return list(dict.fromkeys([*chain(*self.read_of.values()), *of_baseline]))

    def only_run(self) -> ScoredRun:
        """Return the run of a call that has a single one."""
        assert self.run is not None
        return self.run


class RunResult(NamedTuple):
    """The result of a run that was scored."""

    records: list[Record]
    report: RankingReport
    queries: list[Any]
    read: list[str]
    """Lines that say what was taken for what in its files."""
    seen: list[str]
    """Lines about the queries that only the judgments or only the run has."""


class Scorer:
    """Scores the runs of a call, one by one, with its judgments."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self.files = InputFiles(options)
        self._judgments = self.files.judgments()
        self._queries = self.files.queries() if options.query_table else self._judgments
        self._people = self.files.human()
        _check_numbered(self._judgments, self._queries, options)

    def score(self, run: str) -> RunResult:
        """Return the result of a run, without its data."""
        result, _ = self.score_with_data(run)
        return result._replace(report=without_judgments(result.report))

    def score_with_data(self, run: str) -> tuple[RunResult, RankingData]:
        """Return the result of a run, and its data."""
        predictions = self.files.run(*self._options.sources[run])
        with warnings_said(run):
            data, report, records = self._score(run, predictions)
        seen = data.queries_seen.lines() if data.queries_seen is not None else []
        queries = _as_plain(data.query_ids)
        return RunResult(records, report, queries, list(data.notes), seen), data

    def baseline(self) -> RankingReport | ScoredRun:
        """Return the baseline: a saved report, or a run that is scored on the same judgments."""
        saved = self.files.baseline()
        if saved is not None:
            return saved
        name = self._options.baseline
        with warnings_said(name):
            predictions = self.files.run(*self._options.baseline_source)
            data, report, _ = self._score(name, predictions, is_baseline=True)
        return ScoredRun(name, data, report, [])

    def _score(
        self, run: str, predictions: FileTable, *, is_baseline: bool = False
    ) -> tuple[RankingData, RankingReport, list[Record]]:
        """Return the data of a run, its report and its records, of which a baseline has none."""
        options = self._options
        data = _join(self._judgments, predictions, options)
        groups = groups_of(data.query_ids, self._queries)
        params = {"scores": options.scores, "k": None, "ties": options.ties, **options.params}
        if options.unjudged and not is_baseline:
            params |= {"unjudged": True, "max_grade": _highest_grade(data, options)}
        try:
            if self._people is not None:
                queries = "both" if options.queries == "both" else "judged"
                own = argparse.Namespace(**vars(options) | {"queries": queries})
                params["human"] = _join(self._people, predictions, own)
            report = ranking_report(data, by=groups or None, **params)
            records = [] if is_baseline else records_of(run, report, data, options, groups)
        except InvalidParameterError as error:
            raise _explain(error, (self._judgments, predictions), run, data, options) from error
        return data, report, records


_scorer_of_process: Scorer
"""The scorer of the runs in a process that was started for it."""


def _score_in_processes(options: argparse.Namespace, n_jobs: int) -> Iterator[RunResult]:
    """Yield the result of each run, in their order, with the warnings of one after the other.

    The first error in this order is raised, as with a single process. They are processes rather
    than threads, since the readers of text hold Python's lock most of the time, and since Python
    cannot catch the warnings of one thread alone. Each process reads the judgments once.
    """
    pool = ProcessPoolExecutor(
        n_jobs,
        mp_context=get_context("spawn"),  # a fork would copy the locks of threads
        initializer=_start_process,
        initargs=(options,),
    )
    with pool:
        try:
            for said, result in pool.map(_score_in_process, options.runs):
                print_errors(said)
                yield result
        except BrokenProcessPool as error:
            message = "a process of --jobs has ended, maybe since the memory is too small"
            raise InputError(f"{message}. Pass a lower number.") from error


def _start_process(options: argparse.Namespace) -> None:
    """Read the judgments. An interrupt is left to the process that waits for this one."""
    global _scorer_of_process
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _scorer_of_process = Scorer(options)


def _score_in_process(run: str) -> tuple[str, RunResult]:
    """Return the warnings about a run, as text, and its result."""
    with redirect_stderr(io.StringIO()) as said:
        result = _scorer_of_process.score(run)
    return said.getvalue(), result


def score_runs(options: argparse.Namespace) -> CommandScores:
    """Return the records of all runs, with facts about them."""
    scorer = Scorer(options)
    run: ScoredRun | None = None
    n_jobs = 1 if scorer.files.have_pipe() else min(options.jobs, len(options.runs))
    if n_jobs > 1:
        results = _score_in_processes(options, n_jobs)
    elif len(options.runs) > 1:
        results = map(scorer.score, options.runs)
    else:
        [name] = options.runs
        result, data = scorer.score_with_data(name)
        run, results = ScoredRun(name, data, result.report, result.seen), iter([result])
    found: dict[str, RunResult] = {}
    is_compared = options.compare or options.ranks
    first = options.runs[0]
    for name, result in zip(options.runs, results, strict=True):
        found[name] = result
        if is_compared and result.queries != found[first].queries:
            message = f"{name} and {first} have different queries and cannot be compared"
            raise InputError(f"{message}. Use --queries judged.")
    records = [record for result in found.values() for record in result.records]
    reports = {name: result.report for name, result in found.items()}
    counts = _counts({name: len(result.queries) for name, result in found.items()})
    counts += _lines_by_run({name: result.seen for name, result in found.items()})
    about = [OVER_ASPECTS] * options.aspects
    if options.human is not None:
        about += [_CORRECTED_BY_PEOPLE.format(as_percent(options.confidence or 0.95))]
    if options.compare:
        about += _add_comparisons(records, reports, options)
    if options.ranks:
        records, of_ranks = _with_ranks(records, reports, options)
        about += of_ranks
    if not options.by_query:  # group the runs by score, in each group of queries
        groups, scores = list(dict.fromkeys(map(group_of, records))), options.scores
        records.sort(key=lambda row: (groups.index(group_of(row)), scores.index(row["score"])))
    baseline = None if options.baseline is None else scorer.baseline()
    read_of = {name: result.read for name, result in found.items()}
    return CommandScores(records, counts, about, read_of, run, baseline)


_CORRECTED_BY_PEOPLE = (
    "mean, low and high: prediction-powered, {} intervals; human: queries judged by people; "
    "worth: as many judged by people alone; bias: the model's judgments minus people's"
)
"""The line about the numbers that people's judgments correct."""


def _counts(n_queries: dict[str, int]) -> list[str]:
    """Return the numbers of queries of the runs, in words."""
    if len(counts := set(n_queries.values())) == 1:
        return [count_queries(*counts)]
    return [f"{run}: {count_queries(n)}" for run, n in n_queries.items()]


def _lines_by_run(lines: dict[str, list[str]]) -> list[str]:
    """Return the lines about the queries of the runs, those of all runs once."""
    first, *others = lines.values()
    common = [line for line in first if all(line in other for other in others)]
    own = [f"{run}: {line}" for run, some in lines.items() for line in some if line not in common]
    return [*common, *own]


def _join(
    judgments: FileTable, predictions: FileTable, options: argparse.Namespace
) -> RankingData:
    """Return judgments and predictions as arrays."""
    _check_not_same(judgments, predictions)
    check_ids(judgments, predictions, options)
    item = options.item or "id"
    id_of = id_as_text if options.ids else None
    try:
        judged, of_aspects = _judged(judgments, options)
        given = JoinInput(
            judged,
            source_of(predictions, "predictions"),
            split=options.split,
            grades_in=_fields(item, options.label, GRADE)._replace(
                id_of=id_of, number_of=as_number if options.labels else None
            ),
            scores_in=scores_in(options),
        )
        given, answers = as_predicted(given, predictions, options)
        source = TwoSources(given, options.queries, options.duplicates)
        source.may_be_packed = True
        data = data_of(source, dict.fromkeys([*judgments.said(), *answers.said()]), of_aspects)
    except InvalidParameterError as error:
        tables = {"judgments": judgments, "predictions": predictions}
        raise error_of_files(error, tables) from error
    return data


def as_predicted(
    given: JoinInput, table: FileTable, options: argparse.Namespace
) -> tuple[JoinInput, FileTable]:
    """Return predictions as the options say, and their file with what there is to say about it."""
    if options.item is None and options.score is None:
        given = given.with_answers_unpacked()
    given = given.with_forms_noted()
    notes = [*table.notes, *given.notes]
    if isinstance(given.predicted, JoinSide):
        side = given.predicted
        columns, of_ranks = without_ranks(side.columns, side.query)
        given = given._replace(predicted=side._replace(columns=columns))
        notes += of_ranks
    if options.drop_self:
        given, n_dropped = without_self(given)
        notes.append(note_of_dropped(n_dropped))
    return given, table._replace(notes=tuple(notes))


def check_ids(one: FileTable, other: FileTable, options: argparse.Namespace) -> None:
    """Raise if the ids in two files cannot be matched."""
    _check_numbered(one, other, options)
    if options.drop_self and other.is_numbered:
        message = f"no record has the id of its query in {other.query!r}, so --drop-self"
        raise InputError(f"{other.path}: {message} has nothing to compare. Name it by --query.")
    for role in ("query", "item"):
        _check_kinds(one, other, role)
        if any(_has_empty(table, role, options.item or "id") for table in (one, other)):
            files = f"{one.path} with {other.path}"
            raise InputError(f"{files}: a {role} id is empty. Drop such rows, or give them an id.")


def scores_in(options: argparse.Namespace) -> RecordFields:
    """Return the fields of records in lists that have the ids and the scores."""
    fields = _fields(options.item or "id", options.score, SCORE)
    return fields._replace(id_of=id_as_text if options.ids else None)


def _check_not_same(judgments: FileTable, predictions: FileTable) -> None:
    """Raise if a run has the labels of the judgments as its scores, since it is their file."""
    lists = judgments.lists
    if judgments.path == predictions.path and (
        judgments.value == predictions.value
        if lists is None
        else any(isinstance(each, dict) for each in lists.values()) and lists == predictions.lists
    ):
        message = "the run is the file of the judgments, with the same numbers"
        raise InputError(f"{predictions.path}: {message}. Pass the file of the run.")


def _check_numbered(one: FileTable, other: FileTable, options: argparse.Namespace) -> None:
    """Raise if the records of one of two files have no ids of queries, unless the caller says so.

    If both files number their records, `BY_PLACE` says that they are in the same order.
    """
    if one.path == other.path or not (one.fields or other.fields):
        return
    paths = f"{one.path} and {other.path}"
    numbered, named = (one, other) if one.fields else (other, one)
    if options.query != BY_PLACE:
        message = f"no record has {numbered.query!r}, the id of its query, among {numbered.fields}"
        advice = "If both files have records of JSON in the same order,"
        advice = f"Name the field with --query. {advice} pass --query {BY_PLACE}."
        raise InputError(f"{numbered.path}: {message}. {advice}")
    if not named.fields:
        message = f"--query {BY_PLACE} numbers the records of JSON files, and {named.path} has ids"
        raise InputError(f"{message} of queries or is no such file. Give all files these ids.")
    if len(one.lines) != len(other.lines):
        counts = f"{len(one.lines)} and {len(other.lines)}"
        message = f"--query {BY_PLACE} is for files with equally many records"
        raise InputError(f"{message}. {paths} have {counts}.")


def _has_empty(table: FileTable, role: str, field: str) -> bool:
    """Return whether an id is empty, in files whose readers do not see to it.

    `field` has the ids of records in lists.
    """
    if table.lists is not None:
        if role == "query":
            return "" in table.lists
        return any("" in _ids_in(row, field) for row in table.lists.values() if row)
    column = table.columns[getattr(table, role)]
    if isinstance(column, list):  # of JSON
        return "" in column
    kind = str(getattr(column, "type", ""))
    if not re.search("string|binary", kind):
        return False
    text = column.cast(column.type.value_type) if kind.startswith("dict") else column
    compute = import_module("pyarrow.compute")
    return bool(compute.min(compute.binary_length(without_view(text))).as_py() == 0)


def _ids_in(row: Any, field: str) -> Any:
    """Return the ids of a list, whose entries may be ids, pairs or records, or of a dict."""
    if not isinstance(row, list) or not isinstance(row[0], (list, dict)):
        return row
    return [each.get(field) if isinstance(each, dict) else next(iter(each), None) for each in row]


def _fields(item: str, asked: str | None, names: tuple[str, ...]) -> RecordFields:
    """Return the fields of records in lists, of which an option may name the number."""
    return RecordFields(item, (asked,) if asked else names, is_asked=bool(asked))


def groups_of(query_ids: NDArray[Any], table: FileTable) -> dict[str, Any]:
    """Return the groups of the queries, for each grouping that the table has."""
    found = {}
    for name, given in table.groups.items():
        if isinstance(given, Mapping):
            pairs = list(given.items())
        else:
            pairs = list(zip(*map(_as_list, given), strict=True))
        group_of: dict[Any, Any] = {}
        for query, group in pairs:
            if group_of.setdefault(query, group) != group:
                two = f"{show_id(group_of[query])} and {show_id(group)}"
                shown = show_id(query)
                raise InputError(f"{table.path}: query {shown} has groups {two} in {name!r}")
        queries = query_ids.tolist()
        groups = [group_of.get(query) for query in queries]
        if queries and group_of.keys().isdisjoint(queries):
            query, other = queries[0], next(iter(group_of), None)
            got = f"{table.path} has {show_id(other)} and others, "
            got += f"and the runs have {show_id(query)} and others"
            raise InputError(f"no query has a group in {name!r}: {got}")
        if None in groups:
            query = _as_plain(query_ids)[groups.index(None)]
            raise InputError(f"{table.path}: query {show_id(query)} has no group in {name!r}")
        found[name] = as_objects(groups)
    return found


def _as_list(column: Any) -> list[Any]:
    """Return a column of a table as Python objects."""
    if isinstance(column, list):
        return column
    return list(column.to_pylist() if hasattr(column, "to_pylist") else column.tolist())


def _judged(
    table: FileTable, options: argparse.Namespace
) -> tuple[ListsByQuery | JoinSide, GivenAspects | None]:
    """Return the lists or the columns of judgments, and the aspects of the queries, if any."""
    if table.aspect is None:
        return source_of(table, "judgments"), None
    if table.lists is not None:
        lists, of_aspects = aspects_of_lists(
            table.lists, None, options.split, options.duplicates, NAME, "judgments"
        )
        return lists_of(lists, "relevant", "judgments", NAME), of_aspects
    if options.split is not None:
        message = "--split with --aspects is for files of JSON that have lists"
        raise InputError(f"{table.path}: {message}.")
    columns = read_columns(table.columns, table.names, "judgments", NAME)
    return aspects_of_columns(columns, options.duplicates)


def source_of(table: FileTable, parameter: str) -> ListsByQuery | JoinSide:
    """Return the lists or the columns of a file."""
    if table.lists is not None:
        role = "relevant" if parameter == "judgments" else "retrieved"
        return lists_of(table.lists, role, parameter, NAME)
    names = {**table.beside, "query": table.query, "item": table.item, table.kind: table.value}
    side = side_of(read_columns(table.columns, names, parameter, NAME))
    return side if table.judged is None else side.at(table.judged)


def error_of_files(error: InvalidParameterError, tables: Mapping[str, FileTable]) -> InputError:
    """Return an error about judgments or predictions as an error about a file."""
    files = {parameter: table.subject(error.place) for parameter, table in tables.items()}
    place = error.place
    if error.parameter in tables and tables[error.parameter].lines:
        place = place._replace(row=None)  # the subject has the line
    unnamed = [parameter for parameter, table in tables.items() if not table.has_names]
    words = str(in_words(with_parts(error, place=place), unnamed, **files))
    advice = " ".join(each for code, each in _ADVICE.items() if code in error.code)
    if error.code.startswith(NUMBERS_FIRST) and error.parameter != "judgments":
        advice = ""
    return InputError(f"{words} {advice}".rstrip())


_BEST_OR_HOLD = (
    "With --duplicates best, each item counts once, at its best place. With --duplicates hold, "
    "its other places stay, too, and "
)
_ADVICE = {
    UNEQUAL: "With --queries judged, such queries are no error.",
    BEST_OR_HOLD + OF_JUDGED: f"{_BEST_OR_HOLD}{OF_JUDGED}",
    BEST_OR_HOLD + OF_UNJUDGED: f"{_BEST_OR_HOLD}{OF_UNJUDGED}",
    ONE_KIND: "With --ids text, whole numbers and bytes are text in all files.",
    NUMBERS_FIRST: "With --labels number, text is read as numbers.",
    HIGHEST_LABEL: "With --duplicates best or hold, the highest label of an item counts.",
    ONE_OF_AN_ASPECT: "With --aspects, queries have aspects, such as subtopics, and an item may "
    "be there once for each of them.",
    DICTS_OF_ASPECTS: "With --aspects, each query has a dict of aspects.",
}
"""The advice in terms of the command, by part of the advice in terms of Python."""


def _check_kinds(judgments: FileTable, predictions: FileTable, role: str) -> None:
    """Raise if ids are text in only one of two files."""
    kinds = {_kind_of_ids(table, role): table for table in (judgments, predictions)}
    text = kinds.pop("string", None)
    for kind, other in kinds.items():
        if text is not None and kind:
            ids = f"{getattr(other, role)!r} of {other.path} are of type {kind}"
            advice = f"Write them to {other.path} as text"
            advice += ", or pass --ids text" * bool(re.search(r"\bu?int|binary", kind))
            raise InputError(
                f"the {role} ids in {ids}, and those of {text.path} are text, so they are never "
                f"equal. {advice}."
            )


def _kind_of_ids(table: FileTable, role: str) -> str:
    """Return the type of ids in a column. Empty: there are none, or the join will tell."""
    if table.lists is not None:
        return ""
    column = table.columns[getattr(table, role)]
    if isinstance(column, list):  # of JSON
        types = {each.__name__ for each in set(map(type, column))}
        return {"str": "string"}.get(types.pop(), "") if len(types) == 1 else ""
    of_arrow = str(getattr(column, "type", "string"))
    return "string" if len(column) and "string" in of_arrow else of_arrow if len(column) else ""


def _wrong_label(data: RankingData, options: argparse.Namespace) -> str:
    """Return the error about the first label that the options do not allow, or ''."""
    if data.aspects is None:
        of_arrays = data.y_true.tocoo()
        query_of, labels = of_arrays.row, of_arrays.data
    else:
        query_of, _, _, labels, _ = data.judged_items()
    values, gain, max_grade = labels, options.gain, options.max_grade
    if options.relevance_threshold is not None:
        values = np.where(values < options.relevance_threshold, 0, values)
    # The scores advise a threshold of 0. With it, the label 0 would be relevant for MAP.
    advice = "With --relevance-threshold 1, labels below 1 gain nothing and are not relevant."
    wrong = [(values < 0, f"is negative. {advice}")]
    if isinstance(gain, list):
        reason = f"has no gain. The list of --gain is for the labels 0 to {len(gain) - 1}."
        wrong.append((~np.isin(values, np.arange(len(gain))), reason))
    if max_grade is not None:
        reason = f"is not a whole number from 0 to {max_grade}, the value of --max-grade."
        wrong.append((~np.isin(values, np.arange(max_grade + 1)), reason))
    for is_wrong, reason in wrong:
        if is_wrong.any():
            first = int(np.argmax(is_wrong))
            query = _as_plain(data.query_ids)[query_of[first]]
            return f"the label {labels[first]} of query {query} {reason}"
    return ""


def _explain(
    error: InvalidParameterError,
    tables: tuple[FileTable, FileTable],
    run: str,
    data: RankingData,
    options: argparse.Namespace,
) -> InputError:
    """Return an error of the scores, or of what they read, in the words of the command."""
    if error.parameter in ("judgments", "predictions"):
        return error_of_files(error, dict(zip(("judgments", "predictions"), tables, strict=True)))
    reason = _wrong_label(data, options)
    if reason:
        return InputError(f"{options.judgments}: {reason}")
    queries = dict(enumerate(_as_plain(data.query_ids)))  # the scores number them
    error = with_parts(error, place=error.place._replace(query=queries.get(error.place.query)))
    human_names = {} if options.human is None else {"human": options.human}
    return in_words(error, y_true=options.judgments, y_score=run, **human_names)


def _as_plain(ids: NDArray[Any]) -> list[Any]:
    """Return ids as they are printed: dates in ISO format, and bytes as text."""
    ids = ids.astype(str) if ids.dtype.kind in "mM" else ids
    return [
        value.decode(errors="backslashreplace") if isinstance(value, bytes) else value
        for value in ids.tolist()
    ]


def _highest_grade(data: RankingData, options: argparse.Namespace) -> int:
    """Return the highest label that unjudged items could have."""
    grade: int | None = options.max_grade
    return max(1, math.ceil(data.y_true.data.max(initial=1))) if grade is None else grade


def _limits(report: RankingReport, options: argparse.Namespace) -> dict[str, dict[str, float]]:
    """Return the limits of the means by score, if they are requested."""
    if options.confidence is None:
        return {}
    from ranking_scores.significance import confidence_interval  # loads scipy.stats

    interval = confidence_interval(report, confidence_level=options.confidence, method="t")
    return {name: _by_score(report, getattr(interval, name)) for name in ("low", "high")}


def _by_score(report: RankingReport, values: Any) -> dict[str, float]:
    """Return one number for each score of a report."""
    return dict(zip(report, np.ravel(values).tolist(), strict=True))


def _add_comparisons(
    records: list[Record], reports: dict[str, RankingReport], options: argparse.Namespace
) -> list[str]:
    """Add to each record the difference of its run from the first run, whose own is NaN.

    Return the lines that describe p-values and intervals.
    """
    from ranking_scores._statistics import describe_test  # loads scipy.stats
    from ranking_scores.significance import compare_all

    first = options.runs[0]
    if options.human is not None:
        return _add_comparisons_by_people(records, reports, options)
    with warnings_said("--compare"):
        comparisons = compare_all(
            reports,
            baseline=first,
            correction="max-t" if len(reports) > 2 else None,
            confidence_level=options.confidence or 0.95,
            random_state=0,
        )
    columns = {key: getattr(comparisons, name) for key, name in DIFFERENCE.items()}
    pairs = list(zip(comparisons.systems_b, comparisons.metrics or (), strict=True))
    for record in records:
        row = None if record["run"] == first else pairs.index((record["run"], record["score"]))
        for key, values in columns.items():
            record[key] = math.nan if row is None else float(values[row])
    how, *more = describe_test(comparisons, "intervals")
    return [f"difference: {how}", *more]


def _add_comparisons_by_people(
    records: list[Record], reports: dict[str, RankingReport], options: argparse.Namespace
) -> list[str]:
    """Add the same for two runs whose judgments by a model are corrected by those of people."""
    from ranking_scores._statistics import describe_test  # loads scipy.stats
    from ranking_scores.significance import compare

    first, second = options.runs
    found = {}
    for score in options.scores:
        values, human = (
            [getattr(reports[run], name)[score] for run in (first, second)]
            for name in ("per_query", "human")
        )
        with warnings_said(f"--compare: {score}"):
            level = options.confidence or 0.95
            found[score] = compare(*values, human=human, confidence_level=level)
    for record in records:
        result = None if record["run"] == first else found[record["score"]]
        for key, name in DIFFERENCE.items():
            record[key] = math.nan if result is None else getattr(result, name)
    how, *more = describe_test(found[options.scores[0]], "intervals")
    return [f"difference: {how}", *more]


def _with_ranks(
    records: list[Record], reports: dict[str, RankingReport], options: argparse.Namespace
) -> tuple[list[Record], list[str]]:
    """Return the records with the ranks that runs can have, the best runs first, and notes."""
    from ranking_scores.significance import compare_all

    level = options.confidence or 0.95
    with warnings_said("--ranks"):
        found = compare_all(reports, confidence_level=level, random_state=0).ranks
    numbers = {"best_rank": found.best, "worst_rank": found.worst, "tier": found.tier}
    columns = {key: each.tolist() for key, each in numbers.items()}
    record_of = {(record["run"], record["score"]): record for record in records}
    ranked = [
        record_of[row] | {key: column[place] for key, column in columns.items()}
        for place, row in enumerate(zip(found.systems, found.metrics or (), strict=True))
    ]
    notes = [
        "best and worst rank: the ranks that the runs can have, all of them at "
        f"{as_percent(level)} for each score"
    ]
    for score in options.scores:
        first, *tied = (
            record["run"] for record in ranked if record["score"] == score and record["tier"] == 1
        )
        others = "all others are significantly worse"
        if tied:
            runs = "1 run" if len(tied) == 1 else f"{len(tied)} runs"
            others = f"{runs} cannot be separated from it: {list_some(tied)}"
        notes.append(f"{score}: the first is {first}, and {others}")
    return ranked, notes


def group_of(record: Record) -> tuple[Any, Any]:
    """Return the group of queries that a record is about."""
    return record.get("grouping"), record.get("group")


def records_of(
    run: str,
    report: RankingReport,
    data: RankingData | None,
    options: argparse.Namespace,
    groups: Mapping[str, Any],
) -> list[Record]:
    """Return the records of a run, with those of its queries or of its groups if requested.

    `data` is None if there are no judgments.
    """
    counts = report.n_undefined
    undefined = [score for score in report if counts[score] == report.n_queries]
    if undefined:
        warnings.warn(f"undefined for all queries: {', '.join(undefined)}", stacklevel=2)
    ordered = None
    if options.ties:
        assert data is not None
        y_true, y_score = _in_order_of_text(data)
        params = {"scores": options.scores, "k": None, **options.params}
        found = [find(score).function for score in options.scores]
        if any("ignore_ties" in parameters_of(function) for function in found):
            params["ignore_ties"] = True
        ordered = ranking_report(
            y_true, y_score, query_ids=data.query_ids, by=groups or None, **params
        )
    if options.by_query:
        return _records_of_queries(run, report, ordered, data, options)
    columns = _columns(report, ordered, options)
    if not groups:
        return [{"run": run, "score": score} | _row(columns, score) for score in report]
    records = []
    of_groups = [("", "", report, ordered)] + [
        (grouping, group, of_group, ordered and ordered.by_group[grouping][group])
        for grouping, reports in report.by_group.items()
        for group, of_group in reports.items()
    ]
    for grouping, group, of_group, in_order in of_groups:
        columns = _columns(of_group, in_order, options)
        records += [
            {"run": run, "grouping": grouping or None, "group": group if grouping else None}
            | {"score": score, "n_queries": of_group.n_queries}
            | _row(columns, score)
            for score in report
        ]
    return records


def _columns(
    report: RankingReport, ordered: RankingReport | None, options: argparse.Namespace
) -> dict[str, Any]:
    """Return the numbers of a report, each by score."""
    if report.human is not None:
        return _columns_by_people(report, options)
    columns: dict[str, Any] = {
        "mean": report.mean,
        **_limits(report, options),
        "standard_error": report.standard_error,
        "n_undefined": report.n_undefined,
    }
    if ordered is not None:
        columns |= {"worst": report.worst, "best": report.best, "as_ordered": ordered.mean}
    if report.judged is not None:
        columns |= {name: getattr(report, ours) for name, ours in _UNJUDGED.items()}
    return columns


def _columns_by_people(report: RankingReport, options: argparse.Namespace) -> dict[str, Any]:
    """Return the numbers of a report that people's judgments correct, each by score."""
    from ranking_scores.significance import confidence_interval  # loads scipy.stats

    found = confidence_interval(report, confidence_level=options.confidence or 0.95)
    assert found.human is not None
    names = ("mean", "low", "high", "standard_error", "n_undefined")
    columns = {name: getattr(found, name) for name in names} | {"n_human": found.human.n_queries}
    human_names = ("worth", "weight", "correlation", "bias", "bias_low", "bias_high")
    columns |= {name: getattr(found.human, name) for name in human_names}
    return {name: _by_score(report, values) for name, values in columns.items()}


_UNJUDGED = {"judged": "judged", "lowest": "low", "highest": "high", "condensed": "condensed"}
"""The attributes of reports about unjudged items, by the names of their columns here, where `low`
and `high` are the limits of a confidence interval."""


def _records_of_queries(
    run: str,
    report: RankingReport,
    ordered: RankingReport | None,
    data: RankingData | None,
    options: argparse.Namespace,
) -> list[Record]:
    """Return the records of each query, and behind them those of all queries."""
    columns = _columns(report, ordered, options)
    of_no_query = {score: np.full(report.n_queries, np.nan) for score in report}
    limits = [name for name in ("low", "high") if name in columns]
    by_query: dict[str, Any] = {
        "mean": report.per_query,
        **dict.fromkeys([*limits, "standard_error"], of_no_query),
        "n_undefined": {
            score: of_query.astype(int) for score, of_query in undefined_by_query(report).items()
        },
    }
    if ordered is not None:
        assert data is not None
        by_query |= {**_extremes(data, options), "as_ordered": ordered.per_query}
    if options.unjudged:
        assert data is not None
        by_query |= _unjudged_by_query(data, options)
    lists = {
        key: {score: values.tolist() for score, values in of_score.items()}
        for key, of_score in by_query.items()
    }
    assert report.query_ids is not None
    queries = _as_plain(report.query_ids)
    return [
        {"run": run, "query": queries[number], "score": score}
        | {key: of_score[score][number] for key, of_score in lists.items()}
        for number in _in_natural_order(queries)
        for score in report
    ] + [{"run": run, "query": None, "score": score} | _row(columns, score) for score in report]


def _in_natural_order(queries: list[Any]) -> list[int]:
    """Return the order of queries in which the numbers in text count: q2 comes before q10."""
    numbers = range(len(queries))
    if not all(isinstance(query, str) for query in queries):
        return list(numbers)
    parts = [re.split("([0-9]+)", query) for query in queries]
    for of_query in parts:  # every second part has the digits
        of_query[1::2] = map(int, of_query[1::2])
    return sorted(numbers, key=parts.__getitem__)


def _in_order_of_text(data: RankingData) -> tuple[csr_array, csr_array]:
    """Return labels and scores with the items in the order of their ids as text.

    trec_eval compares ids as text, so 9 comes after 10.
    """
    texts = list(map(str, _as_plain(data.item_ids)))
    order = sorted(range(len(texts)), key=texts.__getitem__)
    if order == list(range(len(texts))):
        return data.y_true, data.y_score
    y_true, y_score = data.y_true[:, order], data.y_score[:, order]
    y_true.sort_indices()
    y_score.sort_indices()
    return y_true, y_score


def _row(columns: dict[str, Any], score: str) -> Record:
    """Return the numbers of one score."""
    return {key: of_score[score] for key, of_score in columns.items()}


def _extremes(data: RankingData, options: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """Return the scores of each query in the worst and in the best order of ties."""
    extremes: dict[str, dict[str, Any]] = {"worst": {}, "best": {}}
    for score in options.scores:
        params = params_for(find(score), options)
        report = tie_report(data.y_true, data.y_score, score=score, average=None, **params)
        extremes["worst"][score], extremes["best"][score] = report.worst, report.best
    return extremes


def _unjudged_by_query(
    data: RankingData, options: argparse.Namespace
) -> dict[str, dict[str, Any]]:
    """Return what unjudged items could do to the scores of each query."""
    found: dict[str, dict[str, Any]] = {name: {} for name in _UNJUDGED}
    grade = _highest_grade(data, options)
    for score in options.scores:
        named = find(score)
        params = params_for(named, options) | {"max_grade": grade}
        bounds = score_bounds(data, score=score, average=None, **params)
        found["lowest"][score], found["highest"][score] = bounds.low, bounds.high
        found["condensed"][score] = bounds.condensed
        found["judged"][score] = judged_at_k_score(
            data.y_true,
            data.y_score,
            k=named.options.get("k"),
            denominator="retrieved",
            average=None,
        )
    return found


def score_agreement(options: argparse.Namespace) -> CommandScores:
    """Return the records of the agreement of two runs, with facts about them."""
    from ranking_scores.agreement import agreement_report  # loads scipy.stats

    files = InputFiles(options)
    [new] = options.runs
    with warnings_said(new):
        paired = _pair(files, options)
        groups = {}
        if options.query_table:
            assert paired.query_ids is not None
            groups = groups_of(paired.query_ids, files.queries())
        report = agreement_report(paired, scores=options.scores, by=groups or None)
        records = records_of(new, report, None, options, groups)
    seen = paired.queries_seen.lines(names=(options.old, new))
    agreement = f"agreement of {new} with {options.old}, without judgments"
    counts = [count_queries(paired.n_queries), *seen]
    run = ScoredRun(new, None, report, seen)
    return CommandScores(records, counts, [agreement], {new: list(paired.notes)}, run, None)


def _pair(files: InputFiles, options: argparse.Namespace) -> PairedRankings:
    """Return both runs, joined by the ids of queries and items."""
    try:
        old, new = (files.run(*options.sources[run]) for run in (options.old, *options.runs))
    except InputError as error:
        raise InputError(str(error).replace(SWAPPED_FILES, _TWO_RUNS)) from error
    check_ids(old, new, options)
    tables = {"a": old, "b": new}
    runs, read = [], []
    try:
        for name, table in tables.items():
            side = source_of(table, name)
            given = JoinInput(
                NO_JUDGMENTS, side, split=options.split, scores_in=scores_in(options)
            )
            given, answers = as_predicted(given, table, options)
            runs.append(run_of_given(given, answers.notes))
            read += answers.said()
        joined = join_runs(runs[0], runs[1], options.duplicates)
        return pair_joined(joined, tuple(dict.fromkeys(read)), (options.old, *options.runs))
    except InvalidParameterError as error:
        expected = _LIKE_A.sub(f", like {options.old}", error.expected)
        raise error_of_files(with_parts(error, expected=expected), tables) from error


_TWO_RUNS = "--agreement takes two runs, and no judgments."
_LIKE_A = re.compile(r", like (column .* of )?a$", re.DOTALL)
"""The kind of ids that the first run has, at the end of an error about the second one."""
