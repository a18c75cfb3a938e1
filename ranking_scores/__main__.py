"""The command line: reads files of judgments and runs, and prints the table of `ranking_report`.

``python -m ranking_scores`` and the console script ``ranking-scores`` are the same. If the input
is wrong, the command prints one line on stderr, and its exit status is 2. Each number equals that
of the function to the last bit, and the formats for programs print all of its digits.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import importlib
import io
import json
import math
import os
import re
import sys
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Any, NamedTuple, NoReturn, cast

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.exceptions import UndefinedMetricWarning

from ranking_scores._base import (
    as_cell,
    as_text,
    as_title,
    count_queries,
    import_extra,
    problem_of,
)
from ranking_scores._metrics import SCORES, NamedScore, find_score, parameters_of
from ranking_scores._statistics import describe_test
from ranking_scores._tables import QRELS, RUN, opened
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.report import RankingReport, ranking_report, undefined_by_query
from ranking_scores.significance import compare_all, confidence_interval
from ranking_scores.tables import RankingData, from_tables
from ranking_scores.ties import tie_report
from ranking_scores.trec import read_qrels, read_run

_NAME = "ranking-scores"
_MEASURES = ["ndcg@10", "map", "mrr@10", "precision@10", "recall@100", "hit_rate@10"]
_OF_ALL_ITEMS = ("auc", "pairwise_accuracy")
"""The metrics that need a score for every item. A run has scores of retrieved items only."""
_NAMES_OF_SCORES = [name for name in SCORES if name not in _OF_ALL_ITEMS]
_PARAMS = ("gain", "relevance_threshold", "max_grade")
"""The options that are parameters of scores."""
_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_LONG = 10_000_000
"""Files of at least this many bytes are announced on a terminal while they are read."""
_HIGHEST_LEVEL = 0.9998
"""The highest confidence level for which `compare_all` has enough resamples."""
_ORDER = "JUDGMENTS comes first, then each RUN."
_OF_OTHERS = {"label": {"score", "rank"}, "score": {"label"}, "rank": {"label"}}
"""For each kind of column, the default names of columns that belong in the other file."""
_BLOCK = 500
"""The number of rows of a text table that are converted at once. It is small enough that Python's
garbage collector does not start."""
_STDIN = "-"
_OPTION = re.compile(r"`(query|item|label|score|rank)`|\b(queries)='(\w+)'")
"""The names that advice to a programmer has for options."""
_A_COLUMN = re.compile(r"must be a table whose column '\w+' has")
"""The beginning of an error about a column. Columns have no names in TREC's formats."""
_SENTENCE_END = re.compile(r"(?<=[.?]) ")
_CODE = re.compile(r"[`=(]|\w_\w")
"""The mark of advice that is meant for programmers only."""
_BREAK = re.compile("\r\n|\r|\n")
"""The end of a line. A quoted field may contain some."""

Record = dict[str, Any]
"""The numbers of one score, for a run or for one of its queries."""


class _InputError(Exception):
    """An error in the input, in the words of the command rather than of the code."""


class _Table(NamedTuple):
    """The content of a file, and the names of its columns."""

    path: str
    columns: Any
    query: str
    item: str
    value: str | None
    """The column of labels, scores or ranks. None means that each row is relevant."""
    kind: str
    """The kind of this column: "label", "score" or "rank"."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    Parameters
    ----------
    argv : sequence of str, default=None
        The arguments. None means the arguments of the program.

    Returns
    -------
    status : int
        0 for success, even if the reader of the output closed it. 2 for bad input and for output
        that cannot be written. 130 if the user interrupted the program.
    """
    try:
        if sys.stdout is None:
            raise _InputError("the standard output is closed")
        with suppress(SystemExit):  # raised by --help and --version
            sys.stdout.write(_run(argv))
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except _InputError as error:
        return _say(f"error: {error}")
    except UnicodeEncodeError as error:
        cure = "PYTHONIOENCODING=utf-8:surrogateescape"
        return _say(f"error: {error}. Set the environment variable {cure}.")
    except OSError as error:
        _drop(sys.stdout)
        if not isinstance(error, BrokenPipeError):
            return _say(f"error: the output cannot be written: {error.strerror}")
    return 0


def _drop(stream: Any) -> None:
    """Discard the rest of a stream, since Python flushes it once more at the end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def _run(argv: Sequence[str] | None) -> str:
    """Return the output of the command."""
    options = _parse(argv)
    judgments = _read(options.judgments, options)
    records: list[Record] = []
    n_queries = {}
    reports: dict[str, RankingReport] = {}
    ids: list[list[Any]] = []
    for run in options.runs:
        predictions = _read(run, options, is_run=True)
        with _warnings_said(run):
            data = _join(judgments, predictions, options)
            try:
                report = _report(data, options)
                records += _records(run, report, data, options)
            except InvalidParameterError as error:
                raise _explain(error, run, data, options) from error
        n_queries[run] = len(data.query_ids)
        if options.compare:
            reports[run] = report
            ids.append(_as_plain(data.query_ids))
            if ids[-1] != ids[0]:
                message = (
                    f"{run} and {options.runs[0]} have different queries and cannot be compared"
                )
                raise _InputError(f"{message}. Use --queries judged.")
    notes = _counts(n_queries)
    if options.compare:
        notes += _add_comparisons(records, reports, options)
    if not options.by_query:  # group the runs by score
        scores = [record["score"] for record in records]
        records.sort(key=lambda record: scores.index(record["score"]))
    return _FORMATS[options.format](records, notes)


def _say(message: str) -> int:
    """Print one line on stderr and return the exit status of bad input."""
    if sys.stderr is not None:  # otherwise `print` would use stdout
        try:
            print(f"{_NAME}: {' '.join(message.split())}", file=sys.stderr, flush=True)
        except OSError:
            _drop(sys.stderr)
    return 2


@contextmanager
def _warnings_said(run: str) -> Iterator[None]:
    """Print the warnings of this package, one per line. Ignore warnings for developers."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        warnings.simplefilter("ignore", UndefinedMetricWarning)  # `_records` has other words
        yield
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        _say(f"warning: {run}: {message}")


def _in_words(error: InvalidParameterError, **files: str) -> _InputError:
    """Return an error about a parameter as an error about a file or an option.

    `files` maps parameters that came from files to their paths. All others become options.
    Sentences of the advice that contain code are left out.
    """
    problem = problem_of(error)
    subject = files.get(problem.parameter) or _as_option(problem.parameter)
    advice = _SENTENCE_END.split(_OPTION.sub(_name_option, problem.advice))
    expected = _OPTION.sub(_name_option, problem.expected)
    sentences = [each for each in advice if each and not _CODE.search(each)]
    for name, score in SCORES.items():
        if problem.function.endswith(f"for {score.__name__},"):
            expected += f" for {name}"
    message = f"{subject} must be {expected}. Got {problem.got} instead."
    return _InputError(" ".join([message, *sentences]))


def _as_option(parameter: str) -> str:
    """Return the option for a parameter of the functions."""
    return f"--{parameter.replace('_', '-')}"


def _name_option(match: re.Match[str]) -> str:
    """Return the option for a parameter in advice, such as `rank` or queries='equal'."""
    name, value = match[1] or match[2], match[3]
    return f"{_as_option(name)} {value}" if value else _as_option(name)


# The arguments.

_DESCRIPTION = """\
Score rankings against judgments: nDCG, MAP, MRR, recall and more.

JUDGMENTS says which items are relevant to each query. Each RUN says which
items a system retrieved for it. Items with equal scores have no order, so each
number is the mean over all possible orders. Relevant items that were not
retrieved lower the scores. Items that were retrieved but not judged keep their
rank and count as not relevant.
"""
_EPILOG = """\
examples:
  score a run with the default scores (both files are in TREC's formats):
    ranking-scores qrels.txt bm25.run.gz

  compare two runs, with scores of your choice:
    ranking-scores qrels.txt bm25.run dense.run -m ndcg@10 map recall@1000

  test whether the second run is better than the first:
    ranking-scores qrels.txt bm25.run dense.run -m ndcg@10 --compare

  see how much ties matter, with the numbers of trec_eval:
    ranking-scores qrels.txt bm25.run --ties

  read tables with other column names, and with clicks instead of labels:
    ranking-scores clicks.csv top.parquet --query user --item product \\
        --no-label --rank position

  print the scores of each query, for another program:
    ranking-scores qrels.txt bm25.run --by-query --format json

The exit status is 0 on success. If the input is wrong, the command prints one
line on stderr that says why, and the exit status is 2.
"""


class _Parser(argparse.ArgumentParser):
    """A parser with errors of one line, and without colours in any version of Python."""

    color: bool

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print the help or the version. Python's own method hides errors of writing."""
        sys.stdout.write(message)

    def error(self, message: str) -> NoReturn:
        raise _InputError(f"{message}. See {_NAME} --help.")


def _parser() -> argparse.ArgumentParser:
    """Return the parser of the arguments."""
    parser = _Parser(
        prog=_NAME,
        usage=f"{_NAME} [options] JUDGMENTS RUN [RUN ...]",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
        allow_abbrev=False,
    )
    parser.color = False
    _add_files(parser.add_argument_group("files"))
    _add_scores(parser.add_argument_group("scores"))
    _add_columns(parser.add_argument_group("columns of CSV, TSV and Parquet files"))
    output = parser.add_argument_group("output")
    output.add_argument(
        "--by-query", action="store_true", help="also print the scores of each query"
    )
    output.add_argument(
        "--format",
        choices=["table", "csv", "json", "markdown"],
        default="table",
        help="the format of the scores: table and markdown round them, csv and json have all "
        "digits (default: table)",
    )
    output.add_argument("-h", "--help", action="help", help="show this page")
    version = importlib.import_module("ranking_scores").__version__
    output.add_argument(
        "--version", action="version", version=f"{_NAME} {version}", help="show the version"
    )
    return parser


def _add_files(group: Any) -> None:
    """Add the arguments for the files and for the queries that count."""
    group.add_argument(
        "judgments",
        metavar="JUDGMENTS",
        help="the relevance of items: TREC's qrels, with lines such as '301 0 FR-10 1', or a "
        "table if the name ends in .csv, .tsv, .csv.gz, .tsv.gz or .parquet",
    )
    group.add_argument(
        "runs",
        metavar="RUN",
        nargs="+",
        help="the items that a system retrieved: a TREC run, with lines such as "
        "'301 Q0 FR-10 1 7.5 bm25', or a table. One of the files may be -, which is the standard "
        "input in TREC's format",
    )
    group.add_argument(
        "--queries",
        choices=["judged", "both", "all", "equal"],
        default="judged",
        help="the queries that count: those in JUDGMENTS (judged), those in both files (both), or "
        "those in either file (all). With equal, different queries in the two files are an error "
        "(default: judged)",
    )


def _add_scores(group: Any) -> None:
    """Add the arguments for the scores and their options."""
    group.add_argument(
        "-m",
        "--measures",
        metavar="SCORE [SCORE ...]",
        action="append",
        help=f"{', '.join(_NAMES_OF_SCORES)}, alone or with a cutoff as in ndcg@10 (default: "
        f"{' '.join(_MEASURES)}). Separate them by blanks or commas. The first word that is not "
        "the name of a score is read as a file",
    )
    group.add_argument(
        "--ties",
        action="store_true",
        help="also print the scores for the worst and for the best order of items with equal "
        "scores, and for the order of trec_eval (the greater id first, as text: 9 before 10)",
    )
    group.add_argument(
        "--compare",
        action="store_true",
        help="also compare each RUN with the first one: print the mean difference over the "
        "queries, its confidence interval, and the p-value of a paired t test. With more than two "
        "runs, the interval and the p-value are corrected for the number of runs, by max-T",
    )
    group.add_argument(
        "--confidence",
        type=_level,
        metavar="LEVEL",
        help="also print the confidence interval of each mean, at this level, such as 0.95 for "
        "95 %%. --compare uses the same level (default there: 0.95)",
    )
    group.add_argument(
        "--gain",
        type=_gain,
        metavar="GAIN",
        help="the gain of a label in ndcg and dcg: linear (the label), exponential (2**label - "
        "1), or a list of gains for the labels 0, 1, 2, ..., such as 0,1,3,7 (default: linear)",
    )
    group.add_argument(
        "--max-grade",
        type=_number,
        metavar="LABEL",
        help="the highest label of the scale, which err needs",
    )
    group.add_argument(
        "--relevance-threshold",
        type=_number,
        metavar="LABEL",
        help="the lowest relevant label. Lower labels gain nothing (default: all labels above 0 "
        "are relevant). Use 1 if there are negative labels, such as TREC's labels of spam",
    )


def _add_columns(group: Any) -> None:
    """Add the arguments that name columns."""
    for role in ("query", "item"):
        of_role = f"the column of {role} ids (default: {role})"
        group.add_argument(f"--{role}", metavar="NAME", help=of_role)
    label, value = group.add_mutually_exclusive_group(), group.add_mutually_exclusive_group()
    label.add_argument(
        "--label", metavar="NAME", help="the column of labels in JUDGMENTS (default: label)"
    )
    label.add_argument(
        "--no-label",
        action="store_true",
        help="there are no labels: each row of JUDGMENTS is a relevant item, such as a click",
    )
    value.add_argument(
        "--score", metavar="NAME", help="the column of scores in RUN (default: score)"
    )
    value.add_argument(
        "--rank", metavar="NAME", help="the column of ranks, from 1 on, if RUN has no scores"
    )


def _number(text: str) -> int | float:
    """Return an argument as a number."""
    try:
        number = float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from error
    if not math.isfinite(number):
        raise argparse.ArgumentTypeError(f"{text!r} is not a finite number")
    if text.isdecimal():  # a float may not have all digits
        return int(text)
    return int(number) if number.is_integer() else number


def _level(text: str) -> float:
    """Return a confidence level."""
    level = float(_number(text))
    if not 0 < level < 1:
        expected = "must be a number between 0 and 1, such as 0.95"
        raise argparse.ArgumentTypeError(f"{expected}. Got {text!r}")
    return level


def _gain(text: str) -> str | list[int | float]:
    """Return the name of a gain, or a table of gains."""
    return (
        text if text in ("linear", "exponential") else [_number(each) for each in text.split(",")]
    )


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the arguments, after all checks that do not need the files."""
    parser = _parser()
    try:
        options = parser.parse_intermixed_args(
            _join_measures(sys.argv[1:] if argv is None else argv)
        )
    except _InputError as error:
        if "are required" not in str(error):
            raise
        message = f"pass a file of judgments and at least one run. See {_NAME} --help."
        raise _InputError(message) from error
    _check_files(options)
    threshold = options.relevance_threshold
    if threshold is not None and threshold <= 0:
        message = "must be above 0, since otherwise items without a judgment would be relevant"
        raise _InputError(f"--relevance-threshold {message}. Got {threshold:g}.")
    words = [each for word in options.measures or _MEASURES for each in word.split(",") if each]
    if not words:
        raise _InputError(f"-m has no score. See {_NAME} --help.")
    scores = [_find_score(word) for word in words]
    options.measures = list(dict.fromkeys(map(_name_of, scores)))
    _check_params(scores, options)
    return options


def _join_measures(argv: Sequence[str]) -> list[str]:
    """Return the arguments, with the scores after each -m joined by commas into one word.

    Otherwise argparse would take all words after -m, including files.
    """
    joined: list[str] = []
    is_behind = False
    for number, word in enumerate(argv):
        if word == "--":
            return [*joined, *argv[number:]]
        if is_behind and _are_scores(word):
            joined[-1] += f",{word}"
        else:
            is_behind = joined[-1:] in (["-m"], ["--measures"])
            joined.append(word)
    return joined


def _are_scores(word: str) -> bool:
    """Return whether one of some words, separated by commas, is the name of a score."""
    return any(each.partition("@")[0] in SCORES for each in word.split(","))


def _find_score(word: str) -> NamedScore:
    """Return the score of a name, with its cutoff."""
    name = word.partition("@")[0]
    if name in _OF_ALL_ITEMS:
        reason = "needs the score of every item, and a run has only scores of retrieved items"
        raise _InputError(f"{name} {reason}. The scores are {', '.join(_NAMES_OF_SCORES)}.")
    try:
        return find_score(word, _NAME, "measures", _NAMES_OF_SCORES)
    except InvalidParameterError as error:
        raise _in_words(error) from error


def _name_of(score: NamedScore) -> str:
    """Return the canonical name of a score and its cutoff."""
    return "@".join(map(str, [score.name, *score.options.values()]))


def _params_for(score: NamedScore, options: argparse.Namespace) -> Record:
    """Return the given options that a score takes."""
    given = {name: getattr(options, name) for name in _PARAMS}
    known = parameters_of(score.function)
    return {name: value for name, value in given.items() if value is not None and name in known}


def _check_params(scores: list[NamedScore], options: argparse.Namespace) -> None:
    """Raise if the scores refuse the options, before a long file is read."""
    options.params = {}
    for score in scores:
        if "max_grade" in parameters_of(score.function) and options.max_grade is None:
            message = "needs the highest label of the scale. Pass it with --max-grade"
            raise _InputError(f"{score.name} {message}.")
        params = _params_for(score, options)
        options.params |= params
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                one = csr_array(([0.0], ([0], [0])), shape=(1, 1))
                ranking_report(one, one, scores=_name_of(score), k=None, **params)
        except InvalidParameterError as error:
            if problem_of(error).parameter == "k":
                message = f"{score.name} needs a cutoff, such as {score.name}@10"
                raise _InputError(message) from error
            raise _in_words(error) from error
    for name in _PARAMS:
        if getattr(options, name) is not None and name not in options.params:
            who = [each for each in _NAMES_OF_SCORES if name in parameters_of(SCORES[each])]
            message = f"{_as_option(name)} is for {' and '.join(who)}"
            raise _InputError(f"{message}. The scores are {', '.join(options.measures)}.")


def _check_files(options: argparse.Namespace) -> None:
    """Raise if a file is given twice, or if a column is named and no file has columns."""
    for run in options.runs:
        if options.runs.count(run) > 1 or run == options.judgments == _STDIN:
            raise _InputError(f"{run} is given twice. Pass each run once.")
    if options.compare and len(options.runs) < 2:
        raise _InputError("--compare needs at least two runs")
    if options.compare and options.by_query:
        raise _InputError("--compare has no results per query. Leave out --by-query.")
    if options.compare and len(options.runs) > 2 and (options.confidence or 0) > _HIGHEST_LEVEL:
        message = f"--confidence must be at most {_HIGHEST_LEVEL} to compare more than two runs"
        raise _InputError(f"{message}. Got {options.confidence} instead.")
    _check_columns_asked(options)


def _check_columns_asked(options: argparse.Namespace) -> None:
    """Raise if a column is named and no file has columns."""
    is_table = _kind_of(options.judgments) != "trec"
    is_any_run = any(_kind_of(run) != "trec" for run in options.runs)
    for name, has_table in (
        ("query", is_table or is_any_run),
        ("item", is_table or is_any_run),
        ("label", is_table),
        ("no_label", is_table),
        ("score", is_any_run),
        ("rank", is_any_run),
    ):
        option, value = _as_option(name), getattr(options, name)
        if value == "":
            raise _InputError(f"{option} must be the name of a column. Got an empty name.")
        if value and not has_table:
            message = f"{option} is for CSV, TSV and Parquet files, which end in .csv (.csv.gz), "
            message += ".tsv (.tsv.gz) or .parquet. All other files are in TREC's formats."
            raise _InputError(message)


# The files.


def _kind_of(path: str) -> str:
    """Return the format of a file, from its name."""
    suffix = os.path.splitext(path.lower().removesuffix(".gz"))[1]
    return suffix if suffix in (".csv", ".tsv", ".parquet") else "trec"


def _read(path: str, options: argparse.Namespace, *, is_run: bool = False) -> _Table:
    """Read a file of judgments or a run."""
    kind = "score" if is_run else "label"
    of_file = _kind_of(path)
    with _errors_of(path), _announced(path):
        if of_file == "trec":
            if path == _STDIN and sys.stdin is None:
                raise _InputError("-: the standard input is closed")
            name = "/dev/stdin" if path == _STDIN else path
            columns = (read_run if is_run else read_qrels)(name)
            return _Table(path, columns, "query", "item", kind, kind)
        value = getattr(options, kind) or kind
        if is_run and options.rank:
            kind, value = "rank", options.rank
        table = _Table(
            path,
            None,
            options.query or "query",
            options.item or "item",
            None if kind == "label" and options.no_label else value,
            kind,
        )
        columns = (
            _read_parquet(table)
            if of_file == ".parquet"
            else _read_text(table, _DELIMITERS[of_file])
        )
        return table._replace(columns=columns)


@contextmanager
def _errors_of(path: str) -> Iterator[None]:
    """Turn the errors that a file can cause into errors of one line."""
    try:
        yield
    except InvalidParameterError as error:
        is_other = problem_of(error).advice in (QRELS.advice, RUN.advice)
        order = f" {_ORDER}" * is_other
        raise _InputError(f"{_in_words(error, path=path)}{order}") from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise _InputError(f"{path}: the gzip file is broken ({error})") from error
    except OSError as error:
        raise _InputError(f"{path}: {error.strerror or error}") from error


@contextmanager
def _announced(path: str) -> Iterator[None]:
    """Show on a terminal that a long file is being read."""
    size = os.path.getsize(path) if os.path.isfile(path) else 0
    if size < _LONG or sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    message = f"reading {os.path.basename(path)[-40:]}, {size / 1e6:.0f} MB ..."
    print(message, end="", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        print(f"\r{' ' * len(message)}\r", end="", file=sys.stderr, flush=True)


def _check_columns(names: list[str], table: _Table) -> None:
    """Raise unless a table has each requested column exactly once."""
    if not names:
        raise _InputError(f"{table.path}: the line with the names of the columns is missing")
    roles = {"query": table.query, "item": table.item, table.kind: table.value}
    wanted = {role: name for role, name in roles.items() if name is not None}
    for role, name in wanted.items():
        if names.count(name) == 1:
            continue
        number = "more than one column" if name in names else "no column"
        shown = ", ".join(map(repr, names[:10])) + ", ..." * (len(names) > 10)
        cure = f"Name the column with --{role}"
        if role == "label":
            cure += ", or pass --no-label if each row is relevant"
        elif role == "score":
            cure += ", or a column of ranks with --rank"
        cure += "."
        if role not in ("query", "item") and {*names} & _OF_OTHERS[role]:
            cure = _ORDER
        elif not {*names} & {*wanted.values()}:
            cure += " A file in TREC's format must have another suffix."
        raise _InputError(f"{table.path}: there is {number} {name!r} among {shown}. {cure}")


def _read_parquet(table: _Table) -> Any:
    """Return the columns of a Parquet file as a pyarrow table."""
    path = table.path
    try:
        pyarrow = import_extra("pyarrow", "parquet", "Parquet")
        parquet_file = import_extra("pyarrow.parquet", "parquet", "Parquet").ParquetFile
    except ImportError as error:
        raise _InputError(f"{path}: {error}") from error
    try:
        with open(path, "rb") as file, parquet_file(file) as parquet:
            _check_columns(parquet.schema_arrow.names, table)
            names = [table.query, table.item, table.value]
            return parquet.read(columns=[name for name in names if name is not None])
    except pyarrow.ArrowException as error:
        raise _InputError(f"{path}: {error}") from error


class _Sheet(NamedTuple):
    """A CSV or TSV file, and the positions of its columns."""

    width: int
    query: int
    item: int
    value: int | None
    table: _Table


def _read_text(table: _Table, delimiter: str) -> dict[str, Any]:
    """Return the columns of a CSV or TSV file: the ids as text, and the numbers."""
    path = table.path
    with opened(path) as file:
        lines = io.TextIOWrapper(cast(Any, file), encoding="utf-8", newline="")
        rows = csv.reader(lines, delimiter=delimiter, strict=True)
        try:
            names = next(rows, [])
            if "\0" in "".join(names):  # UTF-16 without a byte order mark is valid UTF-8
                raise _not_utf8(path, 1)
            _check_columns(names, table)
            value = None if table.value is None else names.index(table.value)
            query, item = names.index(table.query), names.index(table.item)
            sheet = _Sheet(len(names), query, item, value, table)
            queries, items, values = _read_rows(rows, sheet)
        except UnicodeDecodeError as error:
            raise _not_utf8(path, _first_not_utf8(path)) from error
        except csv.Error as error:
            is_open = str(error).startswith(("unexpected end", "field larger"))
            cure = ". Is there an unclosed quote?" * is_open
            raise _InputError(f"{path}, line {rows.line_num}: {error}{cure}") from error
    columns = {
        table.query: np.array(queries, dtype=object),
        table.item: np.array(items, dtype=object),
    }
    return columns if table.value is None else columns | {table.value: values}


def _not_utf8(path: str, line: int) -> _InputError:
    """Return the error about text in another encoding."""
    return _InputError(f"{path}, line {line}: the text is not UTF-8. Save the file as UTF-8.")


def _first_not_utf8(path: str) -> int:
    """Return the number of the first line that is not UTF-8."""
    with opened(path) as file:
        return next(number for number, line in enumerate(file, 1) if not _is_utf8(line))


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _read_rows(rows: Any, sheet: _Sheet) -> tuple[list[str], list[str], NDArray[np.float64]]:
    """Return the queries, the items and the numbers of all rows, block by block."""
    queries: list[str] = []
    items: list[str] = []
    values = [np.empty(0)]
    known: dict[str, str] = {}  # so that each id is one string object
    first = rows.line_num + 1
    while block := list(islice(rows, _BLOCK)):
        try:
            of_query, of_item, of_value = _as_columns(block, sheet)
        except ValueError:
            raise _first_error(block, first, sheet) from None
        queries.extend(map(known.setdefault, of_query, of_query))
        items.extend(map(known.setdefault, of_item, of_item))
        values.append(of_value)
        first = rows.line_num + 1
    return queries, items, np.concatenate(values)


def _as_columns(
    rows: list[list[str]], sheet: _Sheet
) -> tuple[list[str], list[str], NDArray[np.float64]]:
    """Return the queries, the items and the numbers of some rows, or raise a ValueError."""
    if {*map(len, rows)} - {0, sheet.width}:  # an empty line is a row without fields
        raise ValueError
    rows = [row for row in rows if row]
    texts = [] if sheet.value is None else [row[sheet.value] for row in rows]
    values = np.array(list(map(float, texts)))
    if not np.isfinite(values).all() or "_" in "".join(texts):  # Python accepts 1_000
        raise ValueError
    if sheet.table.kind == "rank" and ((values < 1) | (values != np.floor(values))).any():
        raise ValueError
    queries, items = [row[sheet.query] for row in rows], [row[sheet.item] for row in rows]
    if "" in queries or "" in items:
        raise ValueError
    return queries, items, values


def _is_good(row: list[str], sheet: _Sheet) -> bool:
    try:
        _as_columns([row], sheet)
    except ValueError:
        return False
    return True


def _first_error(rows: list[list[str]], first: int, sheet: _Sheet) -> _InputError:
    """Return the error about the first bad row. The rows begin at line `first`."""
    number = next(number for number, row in enumerate(rows) if not _is_good(row, sheet))
    row, table = rows[number], sheet.table
    line = first + number + _count_breaks(field for each in rows[:number] for field in each)
    n_fields = len(row)
    if n_fields != sheet.width:
        fields = f"{n_fields} field{'s' * (n_fields != 1)} where the header has {sheet.width}"
        return _InputError(f"{table.path}, line {line}: {fields}")
    names = {"query": table.query, "item": table.item, table.kind: table.value}
    places = {"query": sheet.query, "item": sheet.item, table.kind: sheet.value or 0}
    role = next((role for role in ("query", "item") if not row[places[role]]), table.kind)
    place = places[role]
    message = f"the {role} id in {names[role]!r} is empty"
    if role == table.kind:
        must_be = "a whole number from 1 on" if role == "rank" else "a finite number"
        message = f"the {role} {row[place]!r} in {names[role]!r} is not {must_be}"
    return _InputError(f"{table.path}, line {line + _count_breaks(row[:place])}: {message}")


def _count_breaks(fields: Iterable[str]) -> int:
    """Return the number of line ends in fields."""
    return sum(len(_BREAK.findall(field)) for field in fields)


# The numbers.


def _join(judgments: _Table, predictions: _Table, options: argparse.Namespace) -> RankingData:
    """Return judgments and predictions as arrays."""
    for role in ("query", "item"):
        _check_kinds(judgments, predictions, role)
    value: Any = {predictions.kind: predictions.value}
    try:
        data = from_tables(
            judgments.columns,
            predictions.columns,
            query=(judgments.query, predictions.query),
            item=(judgments.item, predictions.item),
            label=judgments.value,
            queries=options.queries,
            **value,
        )
    except InvalidParameterError as error:
        paths = {"judgments": judgments.path, "predictions": predictions.path}
        message = str(_in_words(error, **paths))
        if _kind_of(paths.get(problem_of(error).parameter, "")) == "trec":
            message = _A_COLUMN.sub("must be a file that has", message, count=1)
        raise _InputError(message) from error
    for role, ids in (("query", data.query_ids), ("item", data.item_ids)):
        if ids[:1].tolist() in ([""], [b""]):  # they are sorted
            files = f"{judgments.path} with {predictions.path}"
            raise _InputError(
                f"{files}: a {role} id is empty. Drop such rows, or give them an id."
            )
    return data


def _check_kinds(judgments: _Table, predictions: _Table, role: str) -> None:
    """Raise if ids are text in only one of two files."""
    text, other = [], []
    for table in (judgments, predictions):
        name = getattr(table, role)
        column = table.columns[name]
        of_arrow = str(getattr(column, "type", "string"))
        if len(column) and "string" in of_arrow:
            text.append(table.path)
        elif len(column):
            other.append((table.path, f"{name!r} of {table.path} are of type {of_arrow}"))
    if text and other:
        [(path, ids)] = other
        raise _InputError(
            f"the {role} ids in {ids}, and those of {text[0]} are text, so they are never equal. "
            f"Write them to {path} as text."
        )


def _wrong_label(data: RankingData, options: argparse.Namespace) -> str:
    """Return the error about the first label that the options do not allow, or ''."""
    labels = data.y_true.tocoo()
    values, gain, max_grade = labels.data, options.gain, options.max_grade
    if options.relevance_threshold is not None:
        values = np.where(values < options.relevance_threshold, 0, values)
    # The scores advise a threshold of 0. With it, the label 0 would be relevant for MAP.
    cure = "With --relevance-threshold 1, labels below 1 gain nothing and are not relevant."
    wrong = [(values < 0, f"is negative. {cure}")]
    if isinstance(gain, list):
        reason = f"has no gain. The list of --gain is for the labels 0 to {len(gain) - 1}."
        wrong.append((~np.isin(values, np.arange(len(gain))), reason))
    if max_grade is not None:
        reason = f"is not a whole number from 0 to {max_grade}, the value of --max-grade."
        wrong.append((~np.isin(values, np.arange(max_grade + 1)), reason))
    for is_wrong, reason in wrong:
        if is_wrong.any():
            first = int(np.argmax(is_wrong))
            query = _as_plain(data.query_ids)[labels.row[first]]
            return f"the label {labels.data[first]} of query {query} {reason}"
    return ""


def _explain(
    error: InvalidParameterError, run: str, data: RankingData, options: argparse.Namespace
) -> _InputError:
    """Return an error of the scores, in the words of the command."""
    reason = _wrong_label(data, options)
    if reason:
        return _InputError(f"{options.judgments}: {reason}")
    message = str(_in_words(error, y_true=options.judgments, y_score=run))
    ids = _as_plain(data.query_ids)  # the scores name queries by their row
    return _InputError(
        re.sub(r"\bquery (\d+)\b", lambda row: f"query {ids[int(row[1])]}", message)
    )


def _as_plain(ids: NDArray[Any]) -> list[Any]:
    """Return ids as they are printed: dates in ISO format, and bytes as text."""
    ids = ids.astype(str) if ids.dtype.kind in "mM" else ids
    return [
        each.decode(errors="backslashreplace") if isinstance(each, bytes) else each
        for each in ids.tolist()
    ]


def _report(data: RankingData, options: argparse.Namespace) -> RankingReport:
    """Return the report of a run."""
    params = {"scores": options.measures, "k": None, **options.params}
    return ranking_report(data.y_true, data.y_score, ties=options.ties, **params)


def _limits(report: RankingReport, options: argparse.Namespace) -> dict[str, dict[str, float]]:
    """Return the limits of the means by score, if they are requested."""
    if options.confidence is None:
        return {}
    interval = confidence_interval(report, confidence_level=options.confidence, method="t")
    limits = {"low": interval.low, "high": interval.high}
    return {
        key: dict(zip(report, np.ravel(each).tolist(), strict=True))
        for key, each in limits.items()
    }


def _add_comparisons(
    records: list[Record], reports: dict[str, RankingReport], options: argparse.Namespace
) -> list[str]:
    """Add to each record the difference of its run from the first run, whose own is NaN.

    Return the lines that describe p-values and intervals.
    """
    first = options.runs[0]
    with _warnings_said("--compare"):
        comparisons = compare_all(
            reports,
            baseline=first,
            correction="max-t" if len(reports) > 2 else None,
            confidence_level=options.confidence or 0.95,
            random_state=0,
        )
    columns = {
        "difference": comparisons.difference,
        "difference_low": comparisons.low,
        "difference_high": comparisons.high,
        "pvalue": comparisons.pvalue,
    }
    pairs = list(zip(comparisons.systems_b, comparisons.metrics or (), strict=True))
    for record in records:
        row = None if record["run"] == first else pairs.index((record["run"], record["score"]))
        for key, values in columns.items():
            record[key] = math.nan if row is None else float(values[row])
    how, *more = describe_test(comparisons, "intervals")
    return [f"difference: {how}", *more]


def _records(
    run: str, report: RankingReport, data: RankingData, options: argparse.Namespace
) -> list[Record]:
    """Return the records of a run, and before them those of its queries if requested."""
    undefined = [score for score in report if math.isnan(report[score])]
    if undefined:
        warnings.warn(f"undefined for all queries: {', '.join(undefined)}", stacklevel=2)
    of_no_query = {score: np.full(report.n_queries, np.nan) for score in report}
    limits = _limits(report, options)
    columns: dict[str, Any] = {
        "mean": report.mean,
        **limits,
        "standard_error": report.standard_error,
        "n_undefined": report.n_undefined,
    }
    by_query: dict[str, Any] = {
        "mean": report.per_query,
        **dict.fromkeys([*limits, "standard_error"], of_no_query),
        "n_undefined": {
            score: of_query.astype(int) for score, of_query in undefined_by_query(report).items()
        },
    }
    if options.ties:
        y_true, y_score = _in_order_of_text(data)
        params = {"scores": options.measures, "k": None, **options.params}
        ordered = ranking_report(y_true, y_score, ignore_ties=True, **params)
        columns |= {"worst": report.worst, "best": report.best, "as_ordered": ordered.mean}
        by_query |= {**_extremes(data, options), "as_ordered": ordered.per_query}
    if not options.by_query:
        return [{"run": run, "score": score} | _row(columns, score) for score in report]
    lists = {
        key: {score: values.tolist() for score, values in of_score.items()}
        for key, of_score in by_query.items()
    }
    return [
        {"run": run, "query": query, "score": score}
        | {key: of_score[score][number] for key, of_score in lists.items()}
        for number, query in enumerate(_as_plain(data.query_ids))
        for score in report
    ] + [{"run": run, "query": None, "score": score} | _row(columns, score) for score in report]


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
    if options.by_query:
        for score in options.measures:
            params = _params_for(_find_score(score), options)
            report = tie_report(data.y_true, data.y_score, score=score, average=None, **params)
            extremes["worst"][score], extremes["best"][score] = report.worst, report.best
    return extremes


# The output.

_NAMES = ("run", "query", "score")
"""The keys of a record that are not numbers."""
_ALL = "all queries"
"""The label of the rows of all queries. It has a blank, so it is never an id of TREC."""


def _as_cells(records: list[Record], change: Callable[[str], str] = str) -> list[list[str]]:
    """Return records as rows of text for people, with the head first."""
    head = [key if key in _NAMES else as_title(key) for key in records[0]]
    body = [
        [
            change(_ALL if value is None else " ".join(str(value).split()))
            if key in _NAMES
            else as_cell(value)
            for key, value in record.items()
        ]
        for record in records
    ]
    return [head, *body]


def _counts(n_queries: dict[str, int]) -> list[str]:
    """Return the numbers of queries of the runs, in words."""
    counts = sorted(set(n_queries.values()))
    of_runs = {"": counts[0]} if len(counts) == 1 else n_queries
    return [f"{run}{': ' * bool(run)}{count_queries(n)}" for run, n in of_runs.items()]


def _table(records: list[Record], notes: list[str]) -> str:
    """Return records as a table in aligned columns, with notes below."""
    head, *body = _as_cells(records)
    n_names = sum(key in _NAMES for key in records[0])
    return "\n".join([as_text(head, body, n_names), "", *notes, ""])


def _markdown(records: list[Record], notes: list[str]) -> str:
    """Return records as a table in Markdown."""
    head, *body = _as_cells(records, lambda name: name.replace("|", "\\|"))
    rule = ["---" if key in _NAMES else "---:" for key in records[0]]
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, rule, *body))


def _csv(records: list[Record], notes: list[str]) -> str:
    """Return records as CSV with all digits. The query of the mean over all is empty."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(records[0])
    rows.writerows(record.values() for record in records)
    return text.getvalue()


def _json(records: list[Record], notes: list[str]) -> str:
    """Return records as JSON with all digits, one record per line.

    NaN and infinity, which JSON lacks, are null.
    """
    lines = (json.dumps(_as_finite(record.items()), default=str) for record in records)
    return "[\n" + ",\n".join(lines) + "\n]\n"


def _as_finite(items: Iterable[tuple[str, Any]]) -> Record:
    """Return a record with None instead of each NaN and each infinity."""
    return {
        key: None if isinstance(value, float) and not math.isfinite(value) else value
        for key, value in items
    }


_FORMATS = {"table": _table, "csv": _csv, "json": _json, "markdown": _markdown}

if __name__ == "__main__":
    sys.exit(main())
