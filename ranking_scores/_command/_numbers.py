"""The numbers of the command: files are joined and scored, and runs are compared."""

from __future__ import annotations

import argparse
import io
import math
import os
import re
import signal
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import redirect_stderr
from importlib import import_module
from multiprocessing import get_context
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._agreement._pairing import PairedRankings, pair_joined
from ranking_scores._base._errors import list_some, show_id, with_parts
from ranking_scores._base._exact import error_over_groups, limit_over_groups, mean_over_groups
from ranking_scores._base._ids import as_objects, without_view
from ranking_scores._base._query_values import MACRO
from ranking_scores._base._results import ReadOnlyDict, as_percent, count_queries
from ranking_scores._base._validation import csr_array
from ranking_scores._base._version import __version__
from ranking_scores._command._arguments import find, params_for
from ranking_scores._command._files import InputFiles, as_list, as_number, id_as_text
from ranking_scores._command._words import InputError, in_words, print_errors, warnings_said
from ranking_scores._files._json_files import BY_PLACE
from ranking_scores._files._table import NAME, SWAPPED_FILES, FileTable
from ranking_scores._metrics._judged import judged_at_k_score
from ranking_scores._metrics._named import parameters_of
from ranking_scores._tables._aspects_given import (
    GivenAspects,
    aspects_of_alternatives,
    aspects_of_columns,
    aspects_of_lists,
)
from ranking_scores._tables._columns import (
    ADD_LABEL,
    NUMBERS_FIRST,
    columns_with_gains,
    read_columns,
)
from ranking_scores._tables._cut_ids import LONGER_TEXT, IdCut
from ranking_scores._tables._join import (
    BEST_OR_HOLD,
    HIGHEST_LABEL,
    OF_JUDGED,
    OF_UNJUDGED,
    ONE_KIND,
    ONE_OF_AN_ASPECT,
    SEVERAL_JUDGES,
    JoinSide,
    side_of,
)
from ranking_scores._tables._known_names import checked_scores
from ranking_scores._tables._lists_of_ids import (
    DICTS_OF_ASPECTS,
    GRADE,
    NAME_THE_GRADE,
    NAME_THE_NUMBER,
    SCORE,
    JoinInput,
    ListsByQuery,
    RecordFields,
    lists_of,
    note_of_dropped,
    without_excluded,
    without_self,
)
from ranking_scores._tables._ranking_data import UNEQUAL, RankingData
from ranking_scores._tables._sources import TwoSources, data_by_judge, data_of
from ranking_scores._tables._two_runs import NO_JUDGMENTS, join_runs, run_of_given
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.report import RankingReport, ranking_report
from ranking_scores.report._report import OVER_ASPECTS, undefined_by_query, without_judgments
from ranking_scores.report._saved_reports import INPUTS
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
    report: RankingReport
    records: Sequence[Record] = ()
    queries: Sequence[Any] = ()
    """The ids of its queries, as they are printed."""
    forms: Sequence[tuple[str, str]] = ()
    """Its files, and what each was taken for."""
    read: Sequence[str] = ()
    """Lines about what is not as usual in its files, and what was skipped."""
    seen: Sequence[str] = ()
    """Lines about the queries that only one of the files has."""
    of_groups: Sequence[str] = ()
    """Lines about the means over the groups of queries."""
    of_scores: Sequence[str] = ()
    """Lines about what the scores cannot tell."""
    data: RankingData | None = None
    """None: there are no judgments, or several runs, whose data would fill the memory."""


class CommandScores(NamedTuple):
    """The numbers of a call."""

    records: list[Record]
    counts: list[str]
    """Lines with the numbers of queries."""
    about: list[str]
    """Lines about what the numbers mean."""
    runs: list[ScoredRun]
    baseline: ScoredRun | None = None
    """A saved report, without data, or another run."""

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
        runs = self.runs if self.baseline is None else [*self.runs, self.baseline]
        forms = line_of_forms(form for run in runs for form in run.forms)
        return list(dict.fromkeys([forms, *(line for run in runs for line in run.read)]))

    def only_run(self) -> ScoredRun:
        """Return the run of a call that has a single one."""
        [run] = self.runs
        return run


class Scorer:
    """Scores the runs of a call, one by one, with its judgments."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self.files = InputFiles(options)
        self._judgments = self.files.judgments()
        self._queries = self.files.queries() if options.query_table else self._judgments
        self._people = self.files.human()
        self._excluded = self.files.excluded()
        self._known_items = self.files.known_items()
        _check_numbered(self._judgments, self._queries, options)

    def score(self, name: str) -> ScoredRun:
        """Return a run that is scored on the judgments."""
        return self._score(name, *self._options.sources[name])

    def score_alone(self, name: str) -> ScoredRun:
        """Return the same without its data, and without the judgments in its report."""
        run = self.score(name)
        return run._replace(report=without_judgments(run.report), data=None)

    def baseline(self) -> ScoredRun:
        """Return the baseline: a saved report, or a run that is scored on the same judgments."""
        name, saved = self._options.baseline, self._options.saved_baseline
        source = self._options.baseline_source
        return ScoredRun(name, saved) if saved else self._score(name, *source, is_baseline=True)

    def _score(self, name: str, path: str, field: str, *, is_baseline: bool = False) -> ScoredRun:
        """Return the run in a file, scored. A baseline has no records."""
        options = self._options
        with warnings_said(name):
            predictions = self.files.run(path, field)
            data = _join(self._judgments, predictions, options, self._excluded)
            groups, clusters = groups_of(data.query_ids, self._queries, options)
            params = {"scores": options.scores, "k": None, "ties": options.ties, **options.params}
            params |= {"clusters": clusters, "known_items": self._known_items}
            read = list(data.notes[1:])
            try:
                if options.unjudged and not is_baseline:
                    params |= {"unjudged": True, "max_grade": _highest_grade(data, options)}
                if self._people is not None:
                    queries = "both" if options.queries == "both" else "judged"
                    own = argparse.Namespace(**vars(options) | {"queries": queries})
                    params["human"] = _join(self._people, predictions, own, self._excluded)
                    read += params["human"].notes[1:]
                report = ranking_report(data, by=groups or None, **params)
                records = [] if is_baseline else records_of(name, report, data, options, groups)
                if options.save or (options.saved_baseline and options.max_drop is not None):
                    digests = getattr(report.judgments, "digest", None), data.digest_of_run()
                    texts = f"{name} on {options.judgments}", *digests, __version__
                    inputs = ReadOnlyDict(zip(INPUTS, texts, strict=True))
                    report = RankingReport._of(vars(report), inputs=inputs)
            except InvalidParameterError as error:
                tables = {"judgments": self._judgments, "predictions": predictions}
                if error.parameter in (*tables, "split"):
                    raise error_of_files(error, tables) from error
                raise _error_of_scores(error, name, data, options) from error
        seen = data.queries_seen.lines() if data.queries_seen is not None else []
        notes = "" if is_baseline else "\n".join(report._lines_on_data())
        notes = notes.replace("`drop_self`", "--drop-self").replace("`ties=True`", "--ties")
        others = filter(None, (self._people, self._queries, self._excluded))
        forms = dict.fromkeys(_forms_of(self._judgments, predictions, *others))
        ids, read = _as_plain(data.query_ids), list(dict.fromkeys(read))
        # The lines are about the model's judgments, and with --human the table is about both.
        of_groups = [] if self._people is not None else report._lines_about_groups()
        lines = seen, of_groups, notes.splitlines()
        return ScoredRun(name, report, records, ids, [*forms], read, *lines, data)


_scorer_of_process: Scorer
"""The scorer of the runs in a process that was started for it."""


def _score_in_processes(options: argparse.Namespace, n_jobs: int) -> Iterator[ScoredRun]:
    """Yield each run, in their order, with the warnings of one after the other.

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
            for said, run in pool.map(_score_in_process, options.runs):
                print_errors(said)
                yield run
        except BrokenProcessPool as error:
            message = "a process of --jobs has ended, maybe since the memory is too small"
            raise InputError(f"{message}. Pass a lower number.") from error


def _start_process(options: argparse.Namespace) -> None:
    """Read the judgments. An interrupt is left to the process that waits for this one."""
    global _scorer_of_process
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _scorer_of_process = Scorer(options)


def _score_in_process(name: str) -> tuple[str, ScoredRun]:
    """Return the warnings about a run, as text, and the run."""
    with redirect_stderr(io.StringIO()) as said:
        run = _scorer_of_process.score_alone(name)
    return said.getvalue(), run


def score_runs(options: argparse.Namespace) -> CommandScores:
    """Return the records of all runs, with facts about them."""
    scorer = Scorer(options)
    n_jobs = 1 if scorer.files.have_pipe() else min(options.jobs, len(options.runs))
    if n_jobs > 1:
        scored = _score_in_processes(options, n_jobs)
    else:
        scored = map(scorer.score_alone if len(options.runs) > 1 else scorer.score, options.runs)
    runs: list[ScoredRun] = []
    for run in scored:
        runs.append(run)
        if (options.compare or options.ranks) and run.queries != runs[0].queries:
            message = "have different queries and cannot be compared. Use --queries judged."
            raise InputError(f"{run.name} and {runs[0].name} {message}")
    records = [record for run in runs for record in run.records]
    reports = {run.name: run.report for run in runs}
    about = [OVER_ASPECTS] * bool(options.aspects)
    about += [f"{run.name}: " * (len(runs) > 1) + line for run in runs for line in run.of_groups]
    if options.human is not None:
        about += [_CORRECTED_BY_PEOPLE.format(as_percent(options.confidence or 0.95))]
    if options.compare:
        about += _add_comparisons(records, reports, options)
    if options.ranks:
        records, of_ranks = _with_ranks(records, reports, options)
        about += of_ranks
    if not options.by_query:  # group the runs by score, in each group of queries
        groups, scores = list(dict.fromkeys(map(group_of, records))), options.scores
        scores = [*scores, *(f"{MACRO}{score}" for score in scores)]
        records.sort(key=lambda row: (groups.index(group_of(row)), scores.index(row["score"])))
    baseline = None if options.baseline is None else scorer.baseline()
    counts = [count_queries(len(run.queries)) for run in runs]
    named = [f"{run.name}: {count}" for run, count in zip(runs, counts, strict=True)]
    counts = counts[:1] if len({*counts}) == 1 else named
    lines_of = {run.name: [*run.seen, *run.of_scores] for run in runs}
    common = [line for line in lines_of[runs[0].name] if all(line in o for o in lines_of.values())]
    own = [f"{name}: {line}" for name, o in lines_of.items() for line in o if line not in common]
    return CommandScores(records, [*counts, *common, *own], about, runs, baseline)


_CORRECTED_BY_PEOPLE = (
    "mean, low and high: prediction-powered, {} intervals; human: queries judged by people; "
    "worth: as many judged by people alone; bias: the model's judgments minus people's"
)
"""The line about the numbers that people's judgments correct."""


def _join(
    judgments: FileTable,
    predictions: FileTable,
    options: argparse.Namespace,
    excluded: FileTable | None = None,
) -> RankingData:
    """Return judgments and predictions as arrays, without items that are left out."""
    tables = {"judgments": judgments, "predictions": predictions}
    if excluded is not None:
        tables["exclude"] = excluded
    check_ids(judgments, predictions, options)
    grades_in = _fields(options, options.item, options.label, GRADE)
    if judgments.gains:
        grades_in = grades_in._replace(gains=judgments.gains)
    elif options.labels == "number":
        grades_in = grades_in._replace(number_of=as_number)
    try:
        cut = _cut_of(options)
        judged, of_aspects = _judged(judgments, cut, options)
        given = JoinInput(
            judged,
            source_of(predictions, "predictions"),
            split=cut and cut.without_judged() if of_aspects else cut,
            grades_in=grades_in,
            scores_in=_fields(options, options.item_of_run, options.score, SCORE),
        )
        given, answers = as_predicted(given, predictions, options)
        if excluded is not None:
            given, note = without_excluded(given, source_of(excluded, "exclude"))
            answers = answers.noted(note)
        source = TwoSources(given, options.queries, options.duplicates)
        path = answers.path
        source.notes = [note.replace("predictions", path, 1) for note in source.notes]
        source.may_be_packed = True
        if isinstance(judged, ListsByQuery) and judged.note:
            judgments = judgments.noted(judged.note)
        forms = line_of_forms(_forms_of(judgments, predictions))
        notes = dict.fromkeys([forms, *judgments.said(), *answers.said()])
        data = data_of(source, notes, of_aspects)
        if options.judge in judgments.by:
            data.by_judge = _by_judge(given, judgments, options)
    except InvalidParameterError as error:
        raise error_of_files(error, tables) from error
    return data


def _by_judge(
    given: JoinInput, table: FileTable, options: argparse.Namespace
) -> dict[Any, RankingData]:
    """Return the data by the labels of each judge alone."""
    if not isinstance(given.judged, JoinSide):
        message = "--judge is for a table that has a row for each label"
        raise InputError(f"{table.path}: {message}.")
    [judge] = read_columns(table.columns, {"judge": options.judge}, "judgments", NAME).values()
    judge = judge if table.judged is None else judge.at(table.judged)
    return data_by_judge(given, judge, options.queries, NAME)


def _forms_of(*tables: FileTable) -> list[tuple[str, str]]:
    """Return files and what each was taken for."""
    return [(table.path, table.form) for table in tables]


def line_of_forms(forms: Iterable[tuple[str, str]]) -> str:
    """Return a line that says what each of some files was taken for.

    A file that is read for several things is named once, with the fields of all of them.
    """
    fields_of: dict[tuple[str, str], dict[str, None]] = {}
    for path, form in forms:
        words, _, fields = form.partition(": ")
        fields_of.setdefault((path, words), {}).update(dict.fromkeys(fields.split(", ")))
    paths_of: dict[str, list[str]] = {}
    for (path, words), own in fields_of.items():
        form = ": ".join(filter(None, [words, ", ".join(own)]))
        paths_of.setdefault(form, []).append(path)
    return "; ".join(f"{list_some(paths)}: {form}" for form, paths in paths_of.items())


def as_predicted(
    given: JoinInput, table: FileTable, options: argparse.Namespace
) -> tuple[JoinInput, FileTable]:
    """Return predictions as the options say, and their file with what there is to say about it."""
    given = given.with_answers_unpacked(options.item_of_run, options.score).with_forms_noted()
    notes = [*table.notes, *given.notes]
    if isinstance(given.predicted, JoinSide):
        side = given.predicted
        columns, of_ranks = checked_scores(side.columns, side.query)
        given = given._replace(predicted=side._replace(columns=columns))
        notes += of_ranks
    if options.drop_self:
        given, n_dropped = without_self(given)
        notes.append(note_of_dropped(n_dropped))
    return given, table._replace(notes=tuple(notes))


def check_ids(one: FileTable, other: FileTable, options: argparse.Namespace) -> None:
    """Raise if the ids in two files cannot be matched, or if both are the same."""
    is_one_file = os.path.realpath(one.path) == os.path.realpath(other.path)
    has_lists = one.lists is not None
    are_same = one.field == other.field if has_lists else one.value in (None, other.value)
    if is_one_file and are_same:
        paths = " and ".join(dict.fromkeys([one.path, other.path]))
        message = "the same file for both, with the same items"
        fields = ", or name the fields of both with --relevant and --retrieved" * has_lists
        raise InputError(f"{paths}: {message}. Pass the file of the run{fields}.")
    if options.query not in (None, BY_PLACE) and not (one.has_names or other.has_names):
        files = f"{one.path}: {one.form}, and {other.path}: {other.form}"
        raise InputError(f"--query {options.query}: no file has such a field. {files}.")
    _check_numbered(one, other, options)
    if options.drop_self and other.fields:
        message = f"no record has the id of its query in {other.query!r}, so --drop-self"
        raise InputError(f"{other.path}: {message} has nothing to compare. Name it by --query.")
    for role in ("query", "item"):
        _check_kinds(one, other, role)
        if any(_has_empty(table, role, _item_in(table, options)) for table in (one, other)):
            files = f"{one.path} with {other.path}"
            what = "an item" if role == "item" else "a query"
            raise InputError(
                f"{files}: the id of {what} is empty. Drop such rows, or give it an id."
            )


def _item_in(table: FileTable, options: argparse.Namespace) -> str:
    """Return the field of records in lists that has the id."""
    return (options.item if table.kind == "label" else options.item_of_run) or "id"


def _fields(
    options: argparse.Namespace, item: str | None, asked: str | None, names: tuple[str, ...]
) -> RecordFields:
    """Return the fields of records in lists, of which options may name the id and the number."""
    fields = RecordFields(item or "id", (asked,) if asked else names, is_asked=bool(asked))
    return fields._replace(id_of=id_as_text) if options.ids else fields


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
    if not re.match("(large_)?(string|binary)|dict", kind):
        return False
    text = column.cast(column.type.value_type) if kind.startswith("dict") else column
    compute = import_module("pyarrow.compute")
    return bool(compute.min(compute.binary_length(without_view(text))).as_py() == 0)


def _ids_in(row: Any, field: str) -> Any:
    """Return the ids of a list, whose entries may be ids, pairs or records, or of a dict."""
    if not isinstance(row, list) or {list, dict}.isdisjoint(map(type, row)):
        return row if isinstance(row, (list, dict)) else [row]
    pairs = ((each or [None])[0] if isinstance(each, list) else each for each in row)
    return [each.get(field) if isinstance(each, dict) else each for each in pairs]


def groups_of(
    query_ids: NDArray[Any], table: FileTable, options: argparse.Namespace
) -> tuple[dict[str, Any], Any]:
    """Return the groups of the queries for each grouping, and their clusters, if they have any."""
    found = {}
    for name in [*options.by, *([options.clusters] if options.clusters else [])]:
        given = table.groups[name]
        if isinstance(given, Mapping):
            pairs = list(given.items())
        else:
            pairs = list(zip(*map(as_list, given), strict=True))
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
    return {name: found[name] for name in options.by}, found.get(options.clusters)


def _judged(
    table: FileTable, cut: IdCut | None, options: argparse.Namespace
) -> tuple[ListsByQuery | JoinSide, GivenAspects | None]:
    """Return the lists or the columns of judgments, and the aspects of the queries, if any."""
    if table.aspect is None:
        source = source_of(table, "judgments")
        if isinstance(source, JoinSide) and isinstance(options.labels, dict):
            columns = columns_with_gains(source.columns, table.gains or None, NAME)
            label = columns["label"]._replace(are_gains=True)  # if a reader took the gains, too
            source = source._replace(columns={**columns, "label": label})
        return source, None
    if table.lists is not None:
        lists = table.lists
        if options.aspects == "alternatives":
            lists = aspects_of_alternatives(lists, NAME, "judgments")
        lists, of_aspects = aspects_of_lists(
            lists, None, cut, options.duplicates, NAME, "judgments"
        )
        return lists_of(lists, "relevant", "judgments", NAME), of_aspects
    if options.split_judgments or options.aspects == "alternatives":
        split = options.split_judgments
        option = "--split-judgments with --aspects" if split else "--alternatives"
        raise InputError(f"{table.path}: {option} is for files of JSON that have lists.")
    columns = read_columns(table.columns, table.names, "judgments", NAME)
    return aspects_of_columns(columns, options.duplicates)


def _cut_of(options: argparse.Namespace) -> IdCut | None:
    """Return how ids are cut; None: they are whole."""
    if options.split is None:
        return None
    return IdCut(options.split, options.split_at or "last", options.split_judgments, NAME)


def source_of(table: FileTable, parameter: str) -> ListsByQuery | JoinSide:
    """Return the lists or the columns of a file."""
    if table.lists is not None:
        role = "relevant" if parameter in ("judgments", "exclude") else "retrieved"
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
    LONGER_TEXT: "Pass a longer text, or --split-judgments if judgments are of passages, too.",
    UNEQUAL: "With --queries judged, such queries are no error.",
    BEST_OR_HOLD + OF_JUDGED: f"{_BEST_OR_HOLD}{OF_JUDGED}",
    BEST_OR_HOLD + OF_UNJUDGED: f"{_BEST_OR_HOLD}{OF_UNJUDGED}",
    ONE_KIND: "With --ids text, whole numbers and bytes are text in all files.",
    NUMBERS_FIRST: "With --labels number, text is read as numbers.",
    HIGHEST_LABEL: "With --duplicates best or hold, the highest label of an item counts.",
    SEVERAL_JUDGES: "With --duplicates mean, median or majority, all its labels count.",
    ONE_OF_AN_ASPECT: "With --aspects, queries have aspects, such as subtopics, and an item may "
    "be there once for each of them.",
    ADD_LABEL: "Add each to --labels.",
    NAME_THE_GRADE: "Name the field with --label.",
    NAME_THE_NUMBER: "Name the field with --score.",
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


def _error_of_scores(
    error: InvalidParameterError, run: str, data: RankingData, options: argparse.Namespace
) -> InputError:
    """Return an error of the scores in the words of the command."""
    reason = _wrong_label(data, options)
    if reason:
        return InputError(f"{options.judgments}: {reason}")
    queries = dict(enumerate(_as_plain(data.query_ids)))  # the scores number them
    error = with_parts(error, place=error.place._replace(query=queries.get(error.place.query)))
    others = {"human": options.human, "known_items": options.items}
    return in_words(error, y_true=options.judgments, y_score=run, **others)


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


def _add_comparisons(
    records: list[Record], reports: dict[str, RankingReport], options: argparse.Namespace
) -> list[str]:
    """Add to each record the difference of its run from the first run, whose own is NaN.

    Return the lines that describe p-values and intervals.
    """
    from ranking_scores.significance import compare, compare_all
    from ranking_scores.significance._comparisons import describe_test  # loads scipy.stats

    level = options.confidence or 0.95
    if options.human is not None:
        first, second = reports.values()
        found: dict[tuple[Any, Any], Any] = {}
        for score in first:
            values, human = (
                [getattr(report, name)[score] for report in (first, second)]
                for name in ("per_query", "human")
            )
            with warnings_said(f"--compare: {score}"):
                corrected = compare(*values, human=human, confidence_level=level)
            found[options.runs[1], score] = corrected
        described = [*{row.test: row for row in found.values()}.values()]
    else:
        with warnings_said("--compare"):
            compared = compare_all(
                reports,
                baseline=options.runs[0],
                correction="max-t" if len(reports) > 2 else None,
                confidence_level=level,
                random_state=0,
            )
        described, found = [compared], {(row.system_b, row.metric): row for row in compared}
    for record in records:
        result = found.get((record["run"], record["score"]))
        for key, name in DIFFERENCE.items():
            record[key] = math.nan if result is None else getattr(result, name)
    texts = [describe_test(each, "intervals") for each in described]
    head = f"difference to {options.runs[0]}"
    return [*dict.fromkeys(line for how, *more in texts for line in (f"{head}: {how}", *more))]


def _with_ranks(
    records: list[Record], reports: dict[str, RankingReport], options: argparse.Namespace
) -> tuple[list[Record], list[str]]:
    """Return the records with the ranks that runs can have, the best runs first, and notes."""
    from ranking_scores.significance import compare_all

    level = options.confidence or 0.95
    with warnings_said("--ranks"):
        found = compare_all(reports, confidence_level=level, random_state=0).ranks
    columns = {"best_rank": found.best, "worst_rank": found.worst, "tier": found.tier}
    record_of = {(record["run"], record["score"]): record for record in records}
    ranked = [
        record_of[row] | {key: column[place].item() for key, column in columns.items()}
        for place, row in enumerate(zip(found.systems, found.metrics or (), strict=True))
    ]
    notes = [
        "best and worst rank: the ranks that the runs can have, by max-T over all pairs, all of "
        f"them at {as_percent(level)} for each score"
    ]
    for score in options.scores:
        best, *tied = (
            record["run"] for record in ranked if record["score"] == score and record["tier"] == 1
        )
        others = "all others are significantly worse"
        if tied:
            runs = "1 run" if len(tied) == 1 else f"{len(tied)} runs"
            others = f"{runs} cannot be separated from it: {list_some(tied)}"
        notes.append(f"{score}: the best is {best}, and {others}")
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
    undefined = [score for score in report if report.n_undefined[score] == report.n_queries]
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
    of_groups = [(None, None, report, ordered)] + [
        (grouping, group, of_group, None if ordered is None else ordered.by_group[grouping][group])
        for grouping, reports in report.by_group.items()
        for group, of_group in reports.items()
    ]
    records: list[Record] = []
    for grouping, group, of_group, in_order in of_groups:
        about, columns = {}, _columns(of_group, in_order, options)
        if groups:
            about = {"grouping": grouping, "group": group}
            columns = {"n_queries": dict.fromkeys(report, of_group.n_queries)} | columns
        records += _rows({"run": run, **about}, columns, report)
    for grouping in report.by_group:
        is_known = not report._are_mixed(grouping)
        rows = [row for row in records if row.get("grouping") == grouping]
        for score in report:
            own = [row for row in rows if row["score"] == score]
            records.append(_over_groups(own, is_known=is_known))
    return records


def _over_groups(groups: list[Record], *, is_known: bool) -> Record:
    """Return the record of the mean over groups, from those of one score. Its group is None.

    `is_known` is whether its error is, since the groups do not depend on each other.
    """
    found: Record = groups[0] | {"group": None, "score": f"{MACRO}{groups[0]['score']}"}
    for key in found.keys() - {"run", "grouping", "group", "score"}:
        values = [row[key] for row in groups]
        if key.startswith("n_"):
            found[key] = sum(values)
        elif key in ("low", "high", "standard_error", *_OF_PEOPLE):
            found[key] = math.nan
        else:
            found[key] = mean_over_groups(values)
        if key in ("low", "high") and is_known:
            found[key] = limit_over_groups([row["mean"] for row in groups], values)
        elif key == "standard_error" and is_known:
            found[key] = error_over_groups(values)
    return found


def _rows(about: Record, columns: Mapping[str, Any], scores: Iterable[str]) -> list[Record]:
    """Return a record for each score, with its number of each column."""
    return [
        about | {"score": score} | {key: by_score[score] for key, by_score in columns.items()}
        for score in scores
    ]


def _columns(
    report: RankingReport, ordered: RankingReport | None, options: argparse.Namespace
) -> dict[str, Any]:
    """Return the numbers of a report, each by score."""
    if report.human is not None:
        return _columns_by_people(report, options)
    columns: dict[str, Any] = {"mean": report.mean}
    if options.confidence is not None:
        from ranking_scores.significance import confidence_interval  # loads scipy.stats

        interval = confidence_interval(report, confidence_level=options.confidence)
        columns |= {name: _by_score(report, getattr(interval, name)) for name in ("low", "high")}
    columns |= {"standard_error": report.standard_error, "n_undefined": report.n_undefined}
    if ordered is not None:
        columns |= {"worst": report.worst, "best": report.best, "as_ordered": ordered.mean}
    if report.judged is not None:
        columns |= {name: getattr(report, ours) for name, ours in _UNJUDGED.items()}
    return columns


def _by_score(report: RankingReport, values: Any) -> dict[str, float]:
    """Return one number for each score of a report."""
    return dict(zip(report, np.ravel(values).tolist(), strict=True))


_OF_PEOPLE = ("worth", "weight", "correlation", "bias", "bias_low", "bias_high")
"""The columns about people's judgments, which say nothing about several groups."""


def _columns_by_people(report: RankingReport, options: argparse.Namespace) -> dict[str, Any]:
    """Return the numbers of a report that people's judgments correct, each by score."""
    from ranking_scores.significance import confidence_interval  # loads scipy.stats

    found = confidence_interval(report, confidence_level=options.confidence or 0.95)
    assert found.human is not None
    names = ("mean", "low", "high", "standard_error", "n_undefined")
    columns = {name: getattr(found, name) for name in names} | {"n_human": found.human.n_queries}
    columns |= {name: getattr(found.human, name) for name in _OF_PEOPLE}
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
        by_query |= {"worst": {}, "best": {}, "as_ordered": ordered.per_query}
        for score in options.scores:
            params = params_for(find(score), options)
            of_ties = tie_report(data.y_true, data.y_score, score=score, average=None, **params)
            by_query["worst"][score], by_query["best"][score] = of_ties.worst, of_ties.best
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
    ] + _rows({"run": run, "query": None}, columns, report)


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
        k = named.options.get("k")
        found["judged"][score] = judged_at_k_score(
            data.y_true, data.y_score, k=k, denominator="retrieved", average=None
        )
    return found


def score_agreement(options: argparse.Namespace) -> CommandScores:
    """Return the records of the agreement of two runs, with facts about them."""
    from ranking_scores.agreement import agreement_report  # loads scipy.stats

    files = InputFiles(options)
    [new] = options.runs
    with warnings_said(new):
        paired, forms = _pair(files, options)
        groups: dict[str, Any] = {}
        clusters = None
        if options.query_table:
            assert paired.query_ids is not None
            queries = files.queries()
            groups, clusters = groups_of(paired.query_ids, queries, options)
            forms += _forms_of(queries)
        report = agreement_report(
            paired, scores=options.scores, by=groups or None, clusters=clusters
        )
        records = records_of(new, report, None, options, groups)
    seen = paired.queries_seen.lines(names=(options.old, new))
    agreement = f"agreement of {new} with {options.old}, without judgments"
    counts = [count_queries(paired.n_queries), *seen]
    of_groups = report._lines_about_groups()
    run = ScoredRun(new, report, records, (), forms, paired.notes, seen, of_groups)
    return CommandScores(records, counts, [agreement, *of_groups], [run])


def _pair(
    files: InputFiles, options: argparse.Namespace
) -> tuple[PairedRankings, list[tuple[str, str]]]:
    """Return both runs, joined by the ids of queries and items, and the forms of their files."""
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
                NO_JUDGMENTS,
                side,
                split=_cut_of(options),
                scores_in=_fields(options, options.item_of_run, options.score, SCORE),
            )
            given, answers = as_predicted(given, table, options)
            runs.append(run_of_given(given, answers.notes))
            read += [f"{table.path}: {note}" for note in runs[-1].notes]
        joined = join_runs(runs[0], runs[1], options.duplicates)
        paired = pair_joined(joined, tuple(dict.fromkeys(read)), (options.old, *options.runs))
        return paired, _forms_of(old, new)
    except InvalidParameterError as error:
        expected = _LIKE_A.sub(f", like {options.old}", error.expected)
        raise error_of_files(with_parts(error, expected=expected), tables) from error


_TWO_RUNS = "--agreement takes two runs, and no judgments."
_LIKE_A = re.compile(r", like (column .* of )?a$", re.DOTALL)
"""The kind of ids that the first run has, at the end of an error about the second one."""
