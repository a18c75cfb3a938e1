"""The arguments of the command, with all checks that do not need the files."""

from __future__ import annotations

import argparse
import importlib
import math
import sys
import warnings
from collections.abc import Sequence
from typing import Any, NoReturn

from scipy.sparse import csr_array

from ranking_scores._command._words import NAME, InputError, as_option, in_words, kind_of
from ranking_scores._metrics import SCORES, NamedScore, find_score, parameters_of
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.report import ranking_report

STDIN = "-"
_SCORES = ["ndcg@10", "map", "mrr@10", "precision@10", "recall@100", "hit_rate@10"]
OF_ALL_ITEMS = ("auc", "pairwise_accuracy")
"""The metrics that need a score for every item. A run has scores of retrieved items only."""
_NAMES = [name for name in SCORES if name not in OF_ALL_ITEMS]
_PARAMS = ("gain", "relevance_threshold", "max_grade")
"""The options that are parameters of scores."""
_HIGHEST_LEVEL = 0.9998
"""The highest confidence level for which `compare_all` has enough resamples."""
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
        raise InputError(f"{message}. See {NAME} --help.")


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the arguments."""
    parser = _Parser(
        prog=NAME,
        usage=f"{NAME} [options] JUDGMENTS RUN [RUN ...]",
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
        "--version", action="version", version=f"{NAME} {version}", help="show the version"
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
        "--scores",
        metavar="SCORE [SCORE ...]",
        action="append",
        help=f"{', '.join(_NAMES)}, alone or with a cutoff as in ndcg@10 (default: "
        f"{' '.join(_SCORES)}). Separate them by blanks or commas. The first word that is not "
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


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the arguments, after all checks that do not need the files."""
    parser = make_parser()
    try:
        options = parser.parse_intermixed_args(
            _join_scores(sys.argv[1:] if argv is None else argv)
        )
    except InputError as error:
        if "are required" not in str(error):
            raise
        message = f"pass a file of judgments and at least one run. See {NAME} --help."
        raise InputError(message) from error
    _check_files(options)
    threshold = options.relevance_threshold
    if threshold is not None and threshold <= 0:
        message = "must be above 0, since otherwise items without a judgment would be relevant"
        raise InputError(f"--relevance-threshold {message}. Got {threshold:g}.")
    words = [each for word in options.scores or _SCORES for each in word.split(",") if each]
    if not words:
        raise InputError(f"-m has no score. See {NAME} --help.")
    scores = [find(word) for word in words]
    options.scores = list(dict.fromkeys(map(_name_of, scores)))
    _check_params(scores, options)
    return options


def _join_scores(argv: Sequence[str]) -> list[str]:
    """Return the arguments, with the scores after each -m joined by commas into one word.

    Otherwise argparse would take all words after -m, including files.
    """
    joined: list[str] = []
    is_behind = False
    for number, word in enumerate(argv):
        if word == "--":
            return [*joined, *argv[number:]]
        if word.partition("=")[0] == "--measures":
            raise InputError(f"--measures is now called --scores. See {NAME} --help.")
        if is_behind and _are_scores(word):
            joined[-1] += f",{word}"
        else:
            is_behind = joined[-1:] in (["-m"], ["--scores"])
            joined.append(word)
    return joined


def _are_scores(word: str) -> bool:
    """Return whether one of some words, separated by commas, is the name of a score."""
    return any(each.partition("@")[0] in SCORES for each in word.split(","))


def find(word: str) -> NamedScore:
    """Return the score of a name, with its cutoff."""
    name = word.partition("@")[0]
    if name in OF_ALL_ITEMS:
        reason = "needs the score of every item, and a run has only scores of retrieved items"
        raise InputError(f"{name} {reason}. The scores are {', '.join(_NAMES)}.")
    try:
        return find_score(word, NAME, "scores", _NAMES)
    except InvalidParameterError as error:
        raise in_words(error) from error


def _name_of(score: NamedScore) -> str:
    """Return the canonical name of a score and its cutoff."""
    return "@".join(map(str, [score.name, *score.options.values()]))


def params_for(score: NamedScore, options: argparse.Namespace) -> dict[str, Any]:
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
            raise InputError(f"{score.name} {message}.")
        params = params_for(score, options)
        options.params |= params
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                one = csr_array(([1.0], ([0], [0])), shape=(1, 1))
                ranking_report(one, one, scores=_name_of(score), k=None, **params)
        except InvalidParameterError as error:
            if error.parameter == "y_true":  # the labels of the files may do
                continue
            if error.parameter == "k":
                message = f"{score.name} needs a cutoff, such as {score.name}@10"
                raise InputError(message) from error
            raise in_words(error) from error
    for name in _PARAMS:
        if getattr(options, name) is not None and name not in options.params:
            who = [each for each in _NAMES if name in parameters_of(SCORES[each])]
            message = f"{as_option(name)} is for {' and '.join(who)}"
            raise InputError(f"{message}. The scores are {', '.join(options.scores)}.")


def _check_files(options: argparse.Namespace) -> None:
    """Raise if a file is given twice, or if a column is named and no file has columns."""
    for run in options.runs:
        if options.runs.count(run) > 1 or run == options.judgments == STDIN:
            raise InputError(f"{run} is given twice. Pass each run once.")
    if options.compare and len(options.runs) < 2:
        raise InputError("--compare needs at least two runs")
    if options.compare and options.by_query:
        raise InputError("--compare has no results per query. Leave out --by-query.")
    if options.compare and len(options.runs) > 2 and (options.confidence or 0) > _HIGHEST_LEVEL:
        message = f"--confidence must be at most {_HIGHEST_LEVEL} to compare more than two runs"
        raise InputError(f"{message}. Got {options.confidence} instead.")
    _check_columns_asked(options)


def _check_columns_asked(options: argparse.Namespace) -> None:
    """Raise if a column is named and no file has columns."""
    is_table = kind_of(options.judgments) != "trec"
    is_any_run = any(kind_of(run) != "trec" for run in options.runs)
    for name, has_table in (
        ("query", is_table or is_any_run),
        ("item", is_table or is_any_run),
        ("label", is_table),
        ("no_label", is_table),
        ("score", is_any_run),
        ("rank", is_any_run),
    ):
        option, value = as_option(name), getattr(options, name)
        if value == "":
            raise InputError(f"{option} must be the name of a column. Got an empty name.")
        if value and not has_table:
            message = f"{option} is for CSV, TSV and Parquet files, which end in .csv (.csv.gz), "
            message += ".tsv (.tsv.gz) or .parquet. All other files are in TREC's formats."
            if name == "score" and _are_scores(value):
                message += " The scores to compute are --scores."
            raise InputError(message)
