"""The command line: files of judgments and of runs, and the table of `ranking_report`.

``python -m ranking_scores`` and the console script ``ranking-scores`` are the same. What is wrong
with the input is one line on stderr and exit status 2. Each number is that of the function, to
the last bit: the formats for programs print all of its digits.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import importlib
import io
import json
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

from ranking_scores._named import find_score, find_scores, parameters_of
from ranking_scores._trec_files import opened
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.report import as_cell, as_text, as_title, ranking_report, undefined_by_query
from ranking_scores.tables import RankingData, from_tables
from ranking_scores.ties import tie_report
from ranking_scores.trec import read_qrels, read_run

_NAME = "ranking-scores"
_MEASURES = ["ndcg@10", "map", "mrr@10", "precision@10", "recall@100", "hit_rate@10"]
_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_LONG = 10_000_000
"""Files of this many bytes are announced on a terminal while they are read."""
_BLOCK = 500
"""So many rows of a table of text become columns at once: so few that Python does not look for
garbage among them."""
_BREAK = re.compile("\r\n|\r|\n")
"""The end of a line, of which there may be some in a quoted field."""

Record = dict[str, Any]
"""The numbers of one score: of a run, or of one of its queries."""


class _InputError(Exception):
    """What is wrong with the input, for a reader who knows the command and not the code."""


class _Table(NamedTuple):
    """What was read from a file, and the names of its columns."""

    columns: Any
    query: str
    item: str
    value: str | None
    """The column of labels, scores or ranks; None: each row is relevant."""
    kind: str
    """Which of these: "label", "score" or "rank"."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    Parameters
    ----------
    argv : sequence of str, default=None
        The arguments; None takes those that the program was called with.

    Returns
    -------
    status : int
        0, also where the reader of the output closed it; 2 for bad input; 130 where the user
        interrupted it.
    """
    try:
        with suppress(SystemExit):  # with which --help and --version end
            sys.stdout.write(_run(argv))
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes stdout once more when it ends. Nobody reads that.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        return 130
    except (_InputError, InvalidParameterError) as error:
        return _say(f"error: {error}")
    except UnicodeEncodeError as error:
        return _say(f"error: {error}. The environment variable PYTHONIOENCODING=utf-8 helps.")
    return 0


def _run(argv: Sequence[str] | None) -> str:
    """Return what the command prints."""
    options = _parse(argv)
    judgments = _read(options.judgments, options)
    records: list[Record] = []
    n_queries = {}
    for run in options.runs:
        predictions = _read(run, options, is_run=True)
        data = None
        try:
            with _warnings_said(run):
                data = _join(judgments, predictions, options.queries)
                records += _records(run, data, options)
        except InvalidParameterError as error:
            message = _explain(error, data, options)
            raise _InputError(f"{options.judgments} with {run}: {message}") from error
        n_queries[run] = len(data.query_ids)
    if not options.by_query:  # the runs one below the other
        scores = [record["score"] for record in records]
        records.sort(key=lambda record: scores.index(record["score"]))
    return _FORMATS[options.format](records, n_queries)


def _say(message: str) -> int:
    """Print one line on stderr and return the exit status of bad input."""
    print(f"{_NAME}: {' '.join(message.split())}", file=sys.stderr)
    return 2


@contextmanager
def _warnings_said(run: str) -> Iterator[None]:
    """Print the warnings of this package, each as one line; those of others are for developers."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        yield
    for message in dict.fromkeys(str(warning.message) for warning in caught):
        _say(f"warning: {run}: {message}")


# The arguments.

_DESCRIPTION = """\
Score rankings against judgments: nDCG, MAP, MRR, recall and more.

Each score is the mean over all orders of the items with equal scores.
An item that was judged and not retrieved counts in the ideal and in the
recall. An item that was retrieved and not judged is not relevant, and keeps
its rank.
"""
_EPILOG = """\
examples:
  files of TREC, plain or gzipped, and the default scores:
    ranking-scores qrels.txt bm25.run.gz

  two runs, and scores of your choice:
    ranking-scores qrels.txt bm25.run dense.run -m ndcg@10 map recall@1000

  how far ties can move the scores, and the numbers of trec_eval:
    ranking-scores qrels.txt bm25.run --ties

  tables whose columns have other names, and clicks in place of labels:
    ranking-scores clicks.csv top.parquet --query user --item product \\
        --no-label --rank position

  a record for each query, for another program:
    ranking-scores qrels.txt bm25.run --by-query --format json

The exit status is 0, or 2 after one line on stderr if the input is wrong.
"""


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, and whose help has no colours in any Python."""

    color: bool

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
    output.add_argument("--by-query", action="store_true", help="add the scores of each query")
    output.add_argument(
        "--format",
        choices=["table", "csv", "json", "markdown"],
        default="table",
        help="table and markdown round the numbers, csv and json do not (default: table)",
    )
    output.add_argument("-h", "--help", action="help", help="show this page")
    version = importlib.import_module("ranking_scores").__version__
    output.add_argument(
        "--version", action="version", version=f"{_NAME} {version}", help="show the version"
    )
    return parser


def _add_files(group: Any) -> None:
    """Add the arguments that say what is read, and which queries of it count."""
    group.add_argument(
        "judgments",
        metavar="JUDGMENTS",
        help="what is relevant: the qrels of TREC, or a table (.csv, .tsv, .parquet; .csv.gz and "
        ".tsv.gz)",
    )
    group.add_argument(
        "runs",
        metavar="RUN",
        nargs="+",
        help="what a system retrieved: a run of TREC, or a table",
    )
    group.add_argument(
        "--queries",
        choices=["judged", "both", "all", "equal"],
        default="judged",
        help="the queries that count: those that are judged, those in both files, those in any "
        "of them; or equal, an error unless both files have the same (default: judged)",
    )


def _add_scores(group: Any) -> None:
    """Add the arguments that say which scores are computed, and how."""
    group.add_argument(
        "-m",
        "--measures",
        metavar="SCORE",
        nargs="+",
        action="extend",
        help="ndcg, dcg, map, mrr, precision, recall, f1, hit_rate, rbp, r_precision, arp; "
        f"with a cutoff as in ndcg@10 (default: {' '.join(_MEASURES)}). Write this option after "
        "the files, or join the scores with commas",
    )
    group.add_argument(
        "--ties",
        action="store_true",
        help="add the worst and the best order of items with equal scores, and that of trec_eval "
        "(the greater id first)",
    )
    group.add_argument(
        "--gain",
        type=_gain,
        metavar="GAIN",
        help="what a label gains in ndcg and dcg: linear, exponential (2**label - 1), or a table "
        "such as 0,1,3,7, which begins with the gain of label 0 (default: linear)",
    )
    group.add_argument(
        "--relevance-threshold",
        type=_number,
        metavar="LABEL",
        help="the lowest label that is relevant (default: all above 0 are). Lower ones gain "
        "nothing. Negative labels, as TREC has for spam, need this: 1",
    )


def _add_columns(group: Any) -> None:
    """Add the arguments that name columns."""
    for role in ("query", "item"):
        of_role = f"the column of {role} ids, which are text in CSV and TSV (default: {role})"
        group.add_argument(f"--{role}", metavar="NAME", help=of_role)
    label, value = group.add_mutually_exclusive_group(), group.add_mutually_exclusive_group()
    label.add_argument(
        "--label", metavar="NAME", help="the column of labels in JUDGMENTS (default: label)"
    )
    label.add_argument(
        "--no-label", action="store_true", help="each row of JUDGMENTS is relevant, as a click is"
    )
    value.add_argument(
        "--score", metavar="NAME", help="the column of scores in RUN (default: score)"
    )
    value.add_argument(
        "--rank", metavar="NAME", help="the column of ranks, from 1, in place of scores"
    )


def _number(text: str) -> int | float:
    """Return a number that stands among the arguments."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from error


def _gain(text: str) -> str | list[int | float]:
    """Return the name of a gain, or a table of gains."""
    return (
        text if text in ("linear", "exponential") else [_number(each) for each in text.split(",")]
    )


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the arguments, checked as far as that goes without the files."""
    parser = _parser()
    try:
        options = parser.parse_intermixed_args(argv)
    except _InputError as error:
        if "are required" not in str(error):
            raise
        given = sys.argv[1:] if argv is None else argv
        is_swallowed = any(each in ("-m", "--measures") for each in given)
        advice = "Write -m after the files, or join the scores with commas. " * is_swallowed
        message = f"give a file of judgments and at least one run. {advice}See {_NAME} --help."
        raise _InputError(message) from error
    words = [each for word in options.measures or _MEASURES for each in word.split(",") if each]
    options.measures = list(dict.fromkeys(words))
    for score in find_scores(options.measures, _NAME, "--measures"):
        if "max_grade" in parameters_of(score.function):
            raise _InputError(f"{score.name} needs the highest grade, which has no option here")
    _check_columns_asked(options)
    threshold = options.relevance_threshold
    if threshold is not None and threshold <= 0:
        message = "must be above 0, or what nobody judged would be relevant"
        raise _InputError(f"--relevance-threshold {message}. Got {threshold:g}.")
    options.params = {
        name: value
        for name, value in (
            ("gain", options.gain),
            ("relevance_threshold", options.relevance_threshold),
        )
        if value is not None
    }
    # One query with one item: what the scores refuse, they refuse before a long file is read.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one = csr_array(([0.0], ([0], [0])), shape=(1, 1))
        ranking_report(one, one, scores=options.measures, k=None, **options.params)
    return options


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
        if getattr(options, name) and not has_table:
            option = f"--{name.replace('_', '-')}"
            message = f"{option} is for CSV, TSV and Parquet files, which end in .csv (.csv.gz), "
            raise _InputError(f"{message}.tsv (.tsv.gz) or .parquet. All others are TREC's.")


# The files.


def _kind_of(path: str) -> str:
    """Return the format of a file, which its name says."""
    suffix = os.path.splitext(path.lower().removesuffix(".gz"))[1]
    return suffix if suffix in (".csv", ".tsv", ".parquet") else "trec"


def _read(path: str, options: argparse.Namespace, *, is_run: bool = False) -> _Table:
    """Return a file of judgments, or a run."""
    kind = "score" if is_run else "label"
    of_file = _kind_of(path)
    with _announced(path), _errors_of(path):
        if of_file == "trec":
            return _Table((read_run if is_run else read_qrels)(path), "query", "item", kind, kind)
        value = getattr(options, kind) or kind
        if is_run and options.rank:
            kind, value = "rank", options.rank
        table = _Table(
            None,
            options.query or "query",
            options.item or "item",
            None if kind == "label" and options.no_label else value,
            kind,
        )
        columns = (
            _read_parquet(path, table)
            if of_file == ".parquet"
            else _read_text(path, table, _DELIMITERS[of_file])
        )
        return table._replace(columns=columns)


@contextmanager
def _errors_of(path: str) -> Iterator[None]:
    """Make one line of what can be wrong with a file."""
    try:
        yield
    except InvalidParameterError as error:
        raise _InputError(str(error)) from error
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise _InputError(f"{path}: the gzip file is broken ({error})") from error
    except UnicodeDecodeError as error:
        raise _InputError(f"{path}: the text is not UTF-8 ({error.reason})") from error
    except OSError as error:
        raise _InputError(f"{path}: {error.strerror or error}") from error


@contextmanager
def _announced(path: str) -> Iterator[None]:
    """Say on a terminal that a long file is read, for as long as that takes."""
    size = os.path.getsize(path) if os.path.isfile(path) else 0
    if size < _LONG or not sys.stderr.isatty():
        yield
        return
    message = f"reading {os.path.basename(path)[-40:]}, {size / 1e6:.0f} MB ..."
    print(message, end="", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        print(f"\r{' ' * len(message)}\r", end="", file=sys.stderr, flush=True)


def _check_columns(path: str, names: list[str], table: _Table) -> None:
    """Raise unless a table has the columns that are asked for, each once."""
    if not names:
        raise _InputError(f"{path}: there is no line with the names of the columns")
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
            cure += ", or one of ranks with --rank"
        if not {*names} & {*wanted.values()}:
            cure += ". A file in TREC's format has another suffix"
        raise _InputError(f"{path}: there is {number} {name!r} among {shown}. {cure}.")


def _read_parquet(path: str, table: _Table) -> Any:
    """Return the columns of a Parquet file as a table of pyarrow."""
    try:
        import pyarrow  # type: ignore[import-untyped,unused-ignore]
        import pyarrow.parquet  # type: ignore[import-untyped,unused-ignore]
    except ImportError as error:
        message = f'{path}: Parquet needs pyarrow: python -m pip install "ranking-scores[parquet]"'
        raise _InputError(message) from error
    try:
        with open(path, "rb") as file, pyarrow.parquet.ParquetFile(file) as parquet:
            _check_columns(path, parquet.schema_arrow.names, table)
            names = [table.query, table.item, table.value]
            return parquet.read(columns=[name for name in names if name is not None])
    except pyarrow.ArrowException as error:
        raise _InputError(f"{path}: {error}") from error


class _Sheet(NamedTuple):
    """A file of CSV or TSV, and where its columns are."""

    path: str
    width: int
    query: int
    item: int
    value: int | None
    names: _Table


def _read_text(path: str, table: _Table, delimiter: str) -> dict[str, Any]:
    """Return the columns of a CSV or TSV file: ids as they stand, and numbers."""
    with opened(path) as file:
        lines = io.TextIOWrapper(cast(Any, file), encoding="utf-8", newline="")
        rows = csv.reader(lines, delimiter=delimiter, strict=True)
        try:
            names = next(rows, [])
            _check_columns(path, names, table)
            value = None if table.value is None else names.index(table.value)
            query, item = names.index(table.query), names.index(table.item)
            sheet = _Sheet(path, len(names), query, item, value, table)
            queries, items, values = _read_rows(rows, sheet)
        except csv.Error as error:
            raise _InputError(f"{path}, line {rows.line_num}: {error}") from error
    columns = {
        table.query: np.array(queries, dtype=object),
        table.item: np.array(items, dtype=object),
    }
    return columns if table.value is None else columns | {table.value: values}


def _read_rows(rows: Any, sheet: _Sheet) -> tuple[list[str], list[str], NDArray[np.float64]]:
    """Return the queries, the items and the numbers of all rows, block by block."""
    queries: list[str] = []
    items: list[str] = []
    values = [np.empty(0)]
    known: dict[str, str] = {}  # so that there is one string of each id
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
    if not np.isfinite(values).all() or "_" in "".join(texts):  # Python takes 1_000
        raise ValueError
    return [row[sheet.query] for row in rows], [row[sheet.item] for row in rows], values


def _is_good(row: list[str], sheet: _Sheet) -> bool:
    try:
        _as_columns([row], sheet)
    except ValueError:
        return False
    return True


def _first_error(rows: list[list[str]], first: int, sheet: _Sheet) -> _InputError:
    """Return the error about the first of some rows, from a line on, that is none."""
    number = next(number for number, row in enumerate(rows) if not _is_good(row, sheet))
    row = rows[number]
    n_breaks = sum(len(_BREAK.findall(field)) for each in rows[: number + 1] for field in each)
    line = first + number + n_breaks
    where = f"{sheet.path}, line {line}"
    if len(row) != sheet.width or sheet.value is None:
        return _InputError(f"{where}: {len(row)} fields where the header has {sheet.width}")
    text, kind, name = row[sheet.value], sheet.names.kind, sheet.names.value
    return _InputError(f"{where}: the {kind} {text!r} in {name!r} is no finite number")


# The numbers.


def _join(judgments: _Table, predictions: _Table, queries: Any) -> RankingData:
    """Return judgments and predictions as arrays."""
    value: Any = {predictions.kind: predictions.value}
    return from_tables(
        judgments.columns,
        predictions.columns,
        query=(judgments.query, predictions.query),
        item=(judgments.item, predictions.item),
        label=judgments.value,
        queries=queries,
        **value,
    )


def _explain(
    error: InvalidParameterError, data: RankingData | None, options: argparse.Namespace
) -> str:
    """Return an error of the functions in words of the command line."""
    if data is None:
        return str(error)
    labels = data.y_true.tocoo()
    is_negative = labels.data < 0
    if options.relevance_threshold is None and is_negative.any():
        # The scores advise a threshold of 0, with which MAP would take the label 0 for relevant.
        first = int(np.argmax(is_negative))
        query = data.query_ids[labels.row[first]]
        return (
            f"the label {labels.data[first]} of query {query} is negative. With "
            "--relevance-threshold 1, labels below 1 gain nothing and are not relevant."
        )
    # The scores know the queries by their rows.
    return re.sub(
        r"\bquery (\d+)\b", lambda row: f"query {data.query_ids[int(row[1])]}", str(error)
    )


def _records(run: str, data: RankingData, options: argparse.Namespace) -> list[Record]:
    """Return the records of a run: those of its queries, if asked for, and those of them all."""
    params = {"scores": options.measures, "k": None, **options.params}
    report = ranking_report(data.y_true, data.y_score, ties=options.ties, **params)
    columns: dict[str, Any] = {
        "mean": report.mean,
        "standard_error": report.standard_error,
        "n_undefined": report.n_undefined,
    }
    by_query: dict[str, Any] = {
        "mean": report.per_query,
        "standard_error": {score: np.full(report.n_queries, np.nan) for score in report},
        "n_undefined": {
            score: of_query.astype(int) for score, of_query in undefined_by_query(report).items()
        },
    }
    if options.ties:
        ordered = ranking_report(data.y_true, data.y_score, ignore_ties=True, **params)
        columns |= {"worst": report.worst, "best": report.best, "as_ordered": ordered.mean}
        by_query |= {**_extremes(data, report, options), "as_ordered": ordered.per_query}
    if not options.by_query:
        return [{"run": run, "score": score} | _row(columns, score) for score in report]
    ids = np.asarray(data.query_ids)
    ids = ids.astype(str) if ids.dtype.kind in "mM" else ids
    lists = {
        key: {score: values.tolist() for score, values in of_score.items()}
        for key, of_score in by_query.items()
    }
    return [
        {"run": run, "query": query, "score": score}
        | {key: of_score[score][number] for key, of_score in lists.items()}
        for number, query in enumerate(ids.tolist())
        for score in report
    ] + [{"run": run, "query": None, "score": score} | _row(columns, score) for score in report]


def _row(columns: dict[str, Any], score: str) -> Record:
    """Return the numbers of one score."""
    return {key: of_score[score] for key, of_score in columns.items()}


def _extremes(
    data: RankingData, results: Iterable[str], options: argparse.Namespace
) -> dict[str, dict[str, Any]]:
    """Return the scores of each query in the worst and in the best order of ties."""
    extremes: dict[str, dict[str, Any]] = {"worst": {}, "best": {}}
    if options.by_query:
        for result, score in zip(results, options.measures, strict=True):
            known = parameters_of(find_score(score, _NAME).function)
            params = {name: value for name, value in options.params.items() if name in known}
            report = tie_report(score, data.y_true, data.y_score, average=None, **params)
            extremes["worst"][result], extremes["best"][result] = report.worst, report.best
    return extremes


# The output.

_NAMES = ("run", "query", "score")
"""The keys of a record that are no numbers."""


def _as_cells(records: list[Record], change: Callable[[str], str] = str) -> list[list[str]]:
    """Return records as rows of text for people, the head first."""
    head = [key if key in _NAMES else as_title(key) for key in records[0]]
    body = [
        [
            change("all" if value is None else " ".join(str(value).split()))
            if key in _NAMES
            else as_cell(value)
            for key, value in record.items()
        ]
        for record in records
    ]
    return [head, *body]


def _table(records: list[Record], n_queries: dict[str, int]) -> str:
    """Return records as a table in aligned columns, with the number of queries."""
    head, *body = _as_cells(records)
    n_names = sum(key in _NAMES for key in records[0])
    counts = sorted(set(n_queries.values()))
    of_runs = {"": counts[0]} if len(counts) == 1 else n_queries
    lines = [
        f"{run}{': ' * bool(run)}{count} quer{'y' if count == 1 else 'ies'}\n"
        for run, count in of_runs.items()
    ]
    return f"{as_text(head, body, n_names)}\n\n{''.join(lines)}"


def _markdown(records: list[Record], n_queries: dict[str, int]) -> str:
    """Return records as a table in Markdown."""
    head, *body = _as_cells(records, lambda name: name.replace("|", "\\|"))
    rule = ["---" if key in _NAMES else "---:" for key in records[0]]
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, rule, *body))


def _csv(records: list[Record], n_queries: dict[str, int]) -> str:
    """Return records as CSV with all digits; the query of the mean over all is empty."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(records[0])
    rows.writerows(record.values() for record in records)
    return text.getvalue()


def _json(records: list[Record], n_queries: dict[str, int]) -> str:
    """Return records as JSON, one on a line, with all digits; NaN, which JSON lacks, is null."""
    lines = (json.dumps(_without_nan(record.items()), default=str) for record in records)
    return "[\n" + ",\n".join(lines) + "\n]\n"


def _without_nan(items: Iterable[tuple[str, Any]]) -> Record:
    """Return a record with None in place of each NaN."""
    return {key: None if value != value else value for key, value in items}


_FORMATS = {"table": _table, "csv": _csv, "json": _json, "markdown": _markdown}

if __name__ == "__main__":
    sys.exit(main())
