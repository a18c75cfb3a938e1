"""The arguments of the command, with all checks that do not need the files."""

from __future__ import annotations

import argparse
import difflib
import math
import os
import re
import sys
import warnings
from collections.abc import Sequence
from functools import partial
from typing import Any, NoReturn

from ranking_scores._agreement._measures import (
    DEFAULT_MEASURES,
    MEASURES,
    find_measure,
    is_agreement,
)
from ranking_scores._base._errors import import_extra
from ranking_scores._base._query_values import MACRO
from ranking_scores._base._validation import check_max_grade, foreign_words
from ranking_scores._base._version import __version__
from ranking_scores._command._files import saved_report
from ranking_scores._command._help import DESCRIPTION, EPILOG, USAGE, Help, HelpColumns
from ranking_scores._command._words import STDIN, InputError, as_option, in_words
from ranking_scores._files._forms import CSV, FORMS, JSON, TREC, form_of, in_words_of_forms
from ranking_scores._files._table import NAME
from ranking_scores._metrics._bounds import check_grades
from ranking_scores._metrics._named import (
    DEFAULT_SCORES,
    METRICS,
    SCORES,
    NamedScore,
    find_score,
    parameters_of,
    split_name,
)
from ranking_scores._metrics._programs import is_measure, is_of_program
from ranking_scores._tables._join import DUPLICATES, JUDGES
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.report import RankingReport, name_score

_NAMES = [metric.name for metric in METRICS if metric.takes_retrieved]
"""The metrics but those that need a score for every item. A run has those of retrieved ones."""
_THRESHOLD = "relevance_threshold"
_SCORE_PARAMETERS = ("gain", _THRESHOLD, "max_grade")
"""The options that are parameters of scores."""
_HIGHEST_LEVEL = 0.9998
"""The highest confidence level for which `compare_all` has enough resamples."""
_MEASURES = ", ".join(measure.spelled for measure in MEASURES)


def _scores_with(parameter: str) -> str:
    """Return the names of the scores whose functions have a parameter, in words."""
    return " and ".join(name for name in _NAMES if parameter in parameters_of(SCORES[name]))


def _limit_from(text: str) -> tuple[str | None, float]:
    """Return a score and a number, or None and a number for all scores."""
    name, sign, number = text.rpartition("=")
    if not sign or text.endswith(")"):
        if _are_scores(text):
            raise argparse.ArgumentTypeError(f"{text!r} has no number, as {text}=0.5 has")
        return None, number_from(text)
    macro = MACRO * name.startswith(MACRO)
    name = name.removeprefix(macro)
    found = _measure_name(name) if is_agreement(name) else _name_of(find(name))
    return f"{macro}{found}", number_from(number)


def number_from(text: str) -> int | float:
    """Return an argument as a number."""
    try:
        number = float(text)
    except ValueError as error:
        files_first = ". Files come before the options" * os.path.exists(text)
        raise argparse.ArgumentTypeError(f"{text!r} is not a number{files_first}") from error
    if not math.isfinite(number):
        raise argparse.ArgumentTypeError(f"{text!r} is not a finite number")
    if text.isdecimal():  # a float may not have all digits
        return int(text)
    return int(number) if number.is_integer() else number


def _count_from(text: str) -> int:
    """Return a number of processes."""
    number = number_from(text)
    if number < 1 or not isinstance(number, int):
        raise argparse.ArgumentTypeError(f"must be a whole number from 1 on. Got {text!r}")
    return number


def level_from(text: str) -> float:
    """Return a confidence level."""
    level = float(number_from(text))
    if not 0 < level < 1:
        expected = "must be a number between 0 and 1, such as 0.95"
        raise argparse.ArgumentTypeError(f"{expected}. Got {text!r}")
    return level


def _labels_from(text: str) -> str | dict[str, float]:
    """Return the numbers of labels that are text, or "number"."""
    if text == "number":
        return text
    numbers = {}
    for part in text.split(","):
        label, is_there, number = part.strip().rpartition("=")
        if label in numbers:
            raise argparse.ArgumentTypeError(f"must be different labels. Got {label!r} twice")
        try:
            numbers[label] = float(number)
        except ValueError:
            is_there = ""
        if not (label and is_there and math.isfinite(numbers[label])):
            message = f"must be number, or labels with numbers as in E=1,S=.1,I=0. Got {text!r}"
            raise argparse.ArgumentTypeError(message)
    return numbers


def _gain_from(text: str) -> str | list[int | float]:
    """Return the name of a gain, or a table of gains."""
    if text in ("linear", "exponential"):
        return text
    return [number_from(each) for each in text.split(",")]


def _names_from(text: str) -> list[str]:
    """Return the names of columns, which commas separate."""
    names = text.split(",")
    if len(names) < 2 or len({*names}) < len(names) or "" in names:
        raise argparse.ArgumentTypeError(f"must be different names with commas. Got {text!r}")
    return names


class Parser(argparse.ArgumentParser):
    """A parser with errors of one line, and without colours in any version of Python."""

    color: bool

    def _print_message(self, message: str, file: Any = None) -> None:
        """Print the help or the version. Python's own method hides errors of writing."""
        sys.stdout.write(message)

    def _get_values(self, action: argparse.Action, arg_strings: list[str]) -> Any:
        """Return the value of an option. Until Python 3.13, argparse drops the value "--"."""
        if action.option_strings and arg_strings == ["--"]:
            value = self._get_value(action, "--")
            self._check_value(action, value)
            return value if action.nargs is None else [value]
        return super()._get_values(action, arg_strings)

    def error(self, message: str) -> NoReturn:
        before, _, unknown = message.partition("unrecognized arguments: ")
        advice = "" if before else self._advise_on(unknown.partition(" ")[0].partition("=")[0])
        raise InputError(f"{message}. {advice}See {NAME} --help.")

    def _advise_on(self, option: str) -> str:
        """Return the advice about an option that the command lacks."""
        words = foreign_words()["options"].items()
        cures = (cure for cure, others in words if option in others)
        known = (name for name in self._option_string_actions if name.startswith("--"))
        near = difflib.get_close_matches(option, known, n=1, cutoff=0.7)
        return next((f"{cure} " for cure in cures), f"Did you mean {near[0]}? " if near else "")


class Completion(argparse.Action):
    """Print the script of a shell, which completes options, files and the names of scores."""

    def __call__(self, _: argparse.ArgumentParser, __: Any, shell: Any, *___: Any) -> NoReturn:
        try:
            shtab = import_extra("shtab", "completion", "--completion")
        except ImportError as error:
            raise InputError(str(error)) from error
        parser = make_parser()  # since the one at work ignores the files for now
        for action in parser._actions:
            if action.metavar in _FILES:
                action.complete = shtab.FILE  # type: ignore[attr-defined]
            names = _COMPLETED.get(action.dest, action.choices or ())
            if any(" " in name for name in names):  # which the scripts would take for several
                names = ()
            action.choices = names or None
            action.help = _END_OF_CLAUSE.split(action.help or "")[0]
        sys.stdout.write(shtab.complete(parser, shell))
        raise SystemExit


_FILES = ("JUDGMENTS", "RUN", "FILE")
"""What the help calls arguments that are files."""
_COMPLETED = {"scores": _NAMES, "gain": ["linear", "exponential"]}
"""The words of options that have no choices."""
_END_OF_CLAUSE = re.compile(r"[.:;] | \(")
"""The first clause of the help of an option is a line beside its name, as shells show it."""


def _option(text: str, **settings: Any) -> dict[str, Any]:
    """Return what argparse takes for an argument, of which `text` is the help."""
    return {"help": text, **settings}


_flag = partial(_option, action="store_true")
_file, _name = partial(_option, metavar="FILE"), partial(_option, metavar="NAME")
_label = partial(_option, type=number_from, metavar="LABEL")
_limits = partial(_option, nargs="+", action="extend", type=_limit_from, metavar="SCORE=NUMBER")


_OPTIONS: dict[str, dict[str, dict[str, Any]]] = {
    "files": {
        "judgments": _option(
            "the relevance of items: TREC's qrels, with lines such as '301 0 FR-10 1', "
            f"{in_words_of_forms(FORMS)}, or lines of svmlight, also with another name. "
            "MovieLens' u.data and ratings.dat are known by their names",
            metavar="JUDGMENTS",
        ),
        "runs": _option(
            "the items that a system retrieved: a TREC run, with lines such as '301 Q0 FR-10 1 "
            "7.5 bm25', a table or JSON, or a score on each line in the order of JUDGMENTS in "
            "svmlight. JUDGMENTS in JSON may have them, too, and then there is "
            "no RUN. One of the files may be -, which is the standard input in TREC's format",
            metavar="RUN",
            nargs="*",
        ),
        "--agreement": _flag(
            "there are no judgments: the two files are an old and a new run. Print how far they "
            f"agree, by the measures {_MEASURES} in -m (default: {' '.join(DEFAULT_MEASURES)}), "
            "and which queries changed most. The options that need judgments do not go with it"
        ),
        "--human": _file(
            "judgments by people of a random part of the queries, in the form of JUDGMENTS, if a "
            "model wrote JUDGMENTS: each mean is corrected by them, and has its confidence "
            "interval"
        ),
        "--jobs": _option(
            "the number of processes that read and score several runs (default: 1). It changes no "
            "result. If one of the files is a pipe, a single process reads them",
            type=_count_from,
            default=1,
            metavar="NUMBER",
        ),
        "--queries": _option(
            "the queries that count: those in JUDGMENTS (judged), those in both files (both), or "
            "those in either file (all). With equal, different queries in the two files are an "
            "error (default: judged)",
            choices=["judged", "both", "all", "equal"],
        ),
        "--duplicates": _option(
            "what happens if an item is there twice for a query: an error, it counts once at its "
            "best place and the items below move up (best), or its other places stay and are not "
            "relevant (hold); or an item that several people judged has the mean, the median or "
            "the most frequent of its labels (majority) (default: error)",
            choices=[*DUPLICATES, *JUDGES],
            default="error",
        ),
        "--aspects": _flag(
            "the judgments are of the aspects of queries, such as subtopics, nuggets or facts, "
            "and the score of a query is over its aspects. The aspect is the second field of "
            "TREC's qrels, the column 'aspect' of a table, or the key of each list if JSON has a "
            "dict of lists for each query"
        ),
        "--alternatives": _option(
            "the aspects are those of JSON with a list of lists for each query, as in "
            "[['a', 'b'], ['c']]. Any id of an inner list is enough",
            action="store_const",
            dest="aspects",
            const="alternatives",
        ),
        "--split": _option(
            "cut the ids that RUN has at TEXT, so that the passage guide#4 becomes the document "
            "guide. It goes with --duplicates best",
            metavar="TEXT",
        ),
        "--split-at": _option(
            "the place of TEXT where ids are cut that have it more than once (default: last)",
            choices=["last", "first"],
        ),
        "--split-judgments": _flag("cut the ids of JUDGMENTS at TEXT, too"),
        "--exclude": _file(
            "items to leave out for each query, such as those that a user has seen, in any form "
            "that JUDGMENTS may have; records of JSON have them in excluded_ids. The items below "
            "them move up. A line above the scores says how many were left out"
        ),
        "--items": _file(
            "the ids of all items that there are, such as those of an index, one on each line or "
            "in a column of a table (--item, or 'item'). A line below the scores says how many "
            "relevant items are not among them"
        ),
        "--drop-self": _flag(
            "drop items of RUN that have the id of their query, as BEIR does. The items below "
            "them move up. A line above the scores says how many were dropped"
        ),
    },
    "scores": {
        "-m --scores": _option(
            f"the scores: {', '.join(_NAMES)}, alone or with a cutoff as in ndcg@10 (default: "
            f"those of a saved --baseline, or {' '.join(DEFAULT_SCORES)}). Separate them by "
            "blanks or commas. The first word that is not the name of a score is read as a file. "
            "A name may have the lowest relevant label of its own, as in 'AP(rel=2)' and "
            "'RR(rel=2)@10'",
            metavar="SCORE [SCORE ...]",
            action="append",
        ),
        "--ties": _flag(
            "also print the scores for the worst and for the best order of items with equal "
            "scores, and for the order of trec_eval (the greater id first, as text: 9 before 10)"
        ),
        "--unjudged": _flag(
            "also print the share of the first items that was judged, the lowest and the highest "
            "score that labels of the others could give, and the score without them. They could "
            "have any label up to --max-grade (default: the highest one in JUDGMENTS)"
        ),
        "--compare": _flag(
            "also compare each RUN with the one that is given first: print the mean difference "
            "over the queries, its confidence interval, and the p-value of a paired t test. With "
            "more than two runs, the interval and the p-value are corrected for the number of "
            "runs, by max-T"
        ),
        "--ranks": _flag(
            "sort the runs by each score, the best one first, and print the best and the worst "
            "rank that each can have, and its tier: all runs of tier 1 cannot be separated from "
            "the best. All pairs of runs are compared, corrected for their number by max-T"
        ),
        "--confidence": _option(
            "also print the confidence interval of each mean, at this level, such as 0.95 for 95 "
            "%%. --compare and --ranks use the same level (default there: 0.95)",
            type=level_from,
            metavar="LEVEL",
        ),
        "--gain": _option(
            f"the gain of a label in {_scores_with('gain')}: linear (the label), exponential "
            "(2**label - 1), or a list of gains for the labels 0, 1, 2, ..., such as 0,1,3,7 "
            "(default: linear)",
            type=_gain_from,
            metavar="GAIN",
        ),
        "--max-grade": _label(
            "the highest label of the scale, which err needs. --unjudged uses it, too"
        ),
        "--relevance-threshold": _label(
            "the lowest relevant label. Lower labels gain nothing (default: all labels above 0 "
            "are relevant). Use 1 if there are negative labels, such as TREC's labels of spam"
        ),
    },
    "columns of CSV, TSV and Parquet files, fields of JSON": {
        "--query": _name(
            "the column of query ids (default: query, or another name that is known). 'none' "
            "numbers the records of JSON, which are in the same order in all files"
        ),
        "--item": _name(
            "the column of item ids (default: item, or another name that is known). In lists of "
            "JSON, the field of records (default: id) or of hits. A name with dots reaches into "
            "records: _source.doc_id. title=text is title in JUDGMENTS and text in RUN"
        ),
        "--label": _name(
            "the column of labels in JUDGMENTS (default: label, or another name that is known)"
        ),
        "--judge": _name(
            "the column of JUDGMENTS that says who gave each label, if several people judged the "
            "same items. --duplicates says how their labels become one. Tables, Markdown and "
            "--html also have how far they agree, and the scores by the labels of each"
        ),
        "--columns": _option(
            "the names of the columns of JUDGMENTS in their order, as in --columns "
            "user,item,rating,time, if the file has no line with them. Tabs, commas, semicolons, "
            "blanks or :: separate the columns",
            type=_names_from,
            metavar="NAME,NAME[,NAME ...]",
        ),
        "--no-label": _flag(
            "there are no labels: each row of JUDGMENTS is a relevant item, such as a click"
        ),
        "--score": _name(
            "the column of scores in RUN (default: score, or another name that is known)"
        ),
        "--rank": _name("the column of ranks, from 1 on, if RUN has no scores"),
        "--ids": _option(
            "ids in JSON and Parquet that are whole numbers or bytes are text, as they are in "
            "other files",
            choices=["text"],
        ),
        "--labels": _option(
            "the number of each label that is text, as in E=1,S=.1,C=.01,I=0; or number: labels "
            "in JSON and Parquet that are text are read as numbers",
            type=_labels_from,
            metavar="LABELS",
        ),
        "--relevant": _name(
            "the field of JSON with the relevant items of a query (default: relevant)"
        ),
        "--retrieved": _option(
            "the field of JSON with the retrieved items of a query; several fields are several "
            "runs (default: retrieved)",
            nargs="+",
            action="extend",
            metavar="NAME",
        ),
    },
    "baseline and gate": {
        "--history": _option(
            "instead of all else, print the means in the saved reports of a folder, in the order "
            "of their names, and which of them changed a score. It takes -m, --confidence, "
            "--format and --html",
            metavar="FOLDER",
        ),
        "--audit": _option(
            "instead of all else, print what means in a paper allow to say: MEAN [BASELINE] "
            "QUERIES, as in --audit 0.43 0.41 50, for scores from 0 to 1. It takes no files",
            nargs="+",
            metavar="NUMBER",
        ),
        "--baseline": _file(
            "also print what changed since FILE, which --save has written, or which is another "
            "run on the same judgments. FILE:FIELD is a field of JSON"
        ),
        "--baseline-queries": _option(
            "the queries whose changes since the baseline count, if the judgments have grown: "
            "those that both have (both). With equal, other queries are an error (default: equal)",
            choices=["equal", "both"],
            default="equal",
        ),
        "--at-least": _limits(
            "fail, with exit status 1, if a score is lower, as in recall@10=0.9. A number alone "
            "is for all scores. With --by, macro:recall@10 is the mean of the groups' means"
        ),
        "--max-drop": _limits(
            "fail if a score is lower than in the baseline by more than this, as in ndcg@10=0.01. "
            "A number alone is for all scores"
        ),
        "--update-if-better": _flag(
            "write the report of RUN into the file of --baseline, if it passes and no score of it "
            "fell by more than --max-drop. The file keeps the last 100 means, which the page of "
            "--html draws"
        ),
        "--rule": _option(
            "when a drop fails: if the means differ by more than --max-drop (difference), only if "
            "the whole confidence interval is a larger drop (surely worse), or unless the whole "
            "interval is a smaller one (surely not worse). The interval of a mean is compared "
            "with --at-least in the same way (default: difference)",
            choices=["difference", "surely worse", "surely not worse"],
        ),
        "--runs": _option(
            "the number of gates that have the level of --confidence together, as 30 for one a "
            "night in a month, for the two rules about intervals (default: 1)",
            dest="runs_of_gate",
            type=int,
            metavar="NUMBER",
        ),
        "--undecided": _option(
            "what too few queries to tell are (default: pass for surely worse, fail for surely "
            "not worse)",
            choices=["pass", "fail"],
        ),
    },
    "output": {
        "--by-query": _flag("also print the scores of each query"),
        "--by": _option(
            "also print the scores of each group of queries, such as a category, and the means "
            "over the groups (macro): the column or field that has it, in JUDGMENTS or in the "
            "file of --query-table",
            nargs="+",
            action="extend",
            default=[],
            metavar="NAME",
        ),
        "--clusters": _option(
            "queries of one user, topic or session depend on each other: the column or field that "
            "has it, as for --by. Errors, intervals, tests and gates respect it",
            metavar="NAME",
        ),
        "--query-table": _file(
            "a table of queries with the columns of --by and --clusters: CSV, TSV, Parquet or JSON"
        ),
        "--format": _option(
            "the format of the scores: table and markdown round them, csv and json have all "
            "digits (default: table)",
            choices=["table", "csv", "json", "markdown"],
            default="table",
        ),
        "--save": _file(
            "save the report of RUN, with the scores of each query, as a baseline for later: a "
            "name that ends in .json or .json.gz"
        ),
        "--html": _file(
            "write a page with the scores, the curves over the cutoffs and, with --baseline, what "
            "changed: one file without scripts"
        ),
        "-h --help": _option(
            "show the options that most need, on one screen", action=Help, nargs=0
        ),
        "--help-all": _option("show all options, and more examples", action="help"),
        "--help-columns": _option(
            "show the names of columns that are known, so that no option has to name them",
            action=HelpColumns,
            nargs=0,
        ),
        "--completion": _option(
            "print a script for a shell, which completes options and files after Tab",
            action=Completion,
            choices=["bash", "zsh", "fish"],
        ),
        "--debug": _flag("show the traceback of an error that is a fault here"),
    },
}
"""The settings of each argument by its names, in groups, as the help shows them."""
_EITHER = {
    "--label": "labels",
    "--no-label": "labels",
    "--score": "places",
    "--rank": "places",
    "--aspects": "aspects",
    "--alternatives": "aspects",
}
"""The options of which only one may be given, and what they are about."""


def make_parser() -> argparse.ArgumentParser:
    """Return the parser of the arguments."""
    parser = Parser(
        prog=NAME,
        usage=USAGE,
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
        allow_abbrev=False,
    )
    parser.color = False
    for title, options in _OPTIONS.items():
        group = parser.add_argument_group(title)
        either: dict[str | None, Any] = {}
        for names, settings in options.items():
            role = _EITHER.get(names)
            if role is not None and role not in either:
                either[role] = group.add_mutually_exclusive_group()
            either.get(role, group).add_argument(*names.split(), **settings)
    group.add_argument(
        "--version", action="version", version=f"{NAME} {__version__}", help="show the version"
    )
    return parser


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
        raise InputError(_MISSING_RUN) from error
    if options.agreement:
        _set_two_runs(options, parser)
    else:
        options.queries = options.queries or "judged"
        _name_runs(options)
    _check_files(options)
    options.saved_baseline = None if options.baseline is None else _saved_baseline(options)
    defaults = DEFAULT_MEASURES if options.agreement else options.saved_baseline or DEFAULT_SCORES
    words = [name for word in options.scores or defaults for name in split_names(word) if name]
    if not words:
        raise InputError(f"-m has no score. See {NAME} --help.")
    if options.agreement:
        options.scores = list(dict.fromkeys(map(_measure_name, words)))
        _check_gate(options)
        return options
    scores = [find(word) for word in words]
    thresholds = {f"rel in {score.name}": score.options.get(_THRESHOLD) for score in scores}
    thresholds = {"--relevance-threshold": options.relevance_threshold} | thresholds
    for name, threshold in thresholds.items():
        if threshold is not None and threshold <= 0:
            message = "must be above 0, since otherwise items without a judgment would be relevant"
            raise InputError(f"{name} {message}. Got {threshold:g}.")
    options.scores = list(dict.fromkeys(map(_name_of, scores)))
    _check_params(scores, options)
    _check_gate(options)
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
        if is_behind and _are_scores(word):
            joined[-1] += f",{word}"
        else:
            is_behind = joined[-1:] in (["-m"], ["--scores"])
            joined.append(word)
    return joined


def _are_scores(word: str) -> bool:
    """Return whether one of some words, separated by commas, is the name of a score.

    A word that looks like one is one, too, unless it is a file. So its error is about the name.
    """
    return any(
        split_name(name).name in SCORES
        or is_of_program(name)
        or is_agreement(name)
        or ((_LIKE_A_SCORE.fullmatch(name) or is_measure(name)) and not os.path.exists(name))
        for name in split_names(word)
    )


_LIKE_A_SCORE = re.compile(r"\w[\w-]*(\([^()]*\)(@[0-9]+)?|@[0-9]+)")
"""A word with options or with a cutoff, as in infAP(rel=2) and alpha_DCG@10"""


def split_names(word: str) -> list[str]:
    """Return what commas separate, except those of the options of a name."""
    return re.split(r",(?![^(\[]*[)\]]|[0-9]+=)", word)


def find(word: str) -> NamedScore:
    """Return the score of a name, with its cutoff."""
    name = split_name(word).name
    if name not in SCORES and is_agreement(word):
        message = f"{word} is the agreement of two runs, without judgments"
        raise InputError(f"{message}. Write {NAME} --agreement OLD_RUN NEW_RUN -m {word}.")
    if name in SCORES and name not in _NAMES:
        reason = "needs the score of every item, and a run has only scores of retrieved items"
        raise InputError(f"{name} {reason}. The scores are {', '.join(_NAMES)}.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # the report gives them
            return find_score(word, NAME, "scores", _NAMES)
    except InvalidParameterError as error:
        raise in_words(error) from error


def _measure_name(word: str) -> str:
    """Return the canonical name of a measure of agreement."""
    if split_name(word).name in SCORES or is_of_program(word):
        reason = "needs judgments, and --agreement has none"
        raise InputError(f"{word} {reason}. The measures are {_MEASURES}.")
    try:
        return find_measure(word, NAME).name
    except InvalidParameterError as error:
        raise in_words(error) from error


def _name_of(score: NamedScore) -> str:
    """Return the canonical name of a score and its cutoff."""
    return f"{score.name}@{score.options['k']}" if "k" in score.options else score.name


def params_for(score: NamedScore, options: argparse.Namespace) -> dict[str, Any]:
    """Return the given options that a score takes and that its name does not have."""
    known = set(parameters_of(score.function)) - score.options.keys()
    given = {name: getattr(options, name) for name in _SCORE_PARAMETERS if name in known}
    return {name: value for name, value in given.items() if value is not None}


def _check_params(scores: list[NamedScore], options: argparse.Namespace) -> None:
    """Raise if the scores refuse the options, before a long file is read."""
    options.params = {}
    for score in scores:
        if "max_grade" in parameters_of(score.function) and options.max_grade is None:
            message = "needs the highest label of the scale. Pass it with --max-grade"
            raise InputError(f"{score.name} {message}.")
        options.params |= params_for(score, options)
        try:
            _check_plan(score, options)
        except InvalidParameterError as error:
            if error.parameter == "k":
                message = f"{score.name} needs a cutoff, such as {score.name}@10"
                raise InputError(message) from error
            raise in_words(error) from error
    for name in _SCORE_PARAMETERS:
        if name == "max_grade" and options.unjudged:
            continue
        if getattr(options, name) is not None and name not in options.params:
            message = f"{as_option(name)} is for {_scores_with(name)}"
            raise InputError(f"{message}. The scores are {', '.join(options.scores)}.")


def _check_plan(score: NamedScore, options: argparse.Namespace) -> None:
    """Raise if a score, or the range that unjudged items give it, refuses the options."""
    if options.unjudged:
        grade = check_max_grade(1 if options.max_grade is None else options.max_grade, NAME)
    whole_list = {"k": None} if "k" in parameters_of(score.function) else {}
    score = score._replace(options=whole_list | params_for(score, options) | score.options)
    score.plan(None, None, name_score)
    if options.unjudged:
        check_grades([score], grade, NAME)


_MISSING_RUN = f"pass a file of judgments and at least one run. See {NAME} --help."


def _name_runs(options: argparse.Namespace) -> None:
    """Set `sources`: of each run, by the name that is printed, its file and its field of JSON."""
    for name in ("by", "retrieved"):  # commas separate names, too
        words = getattr(options, name) or []
        setattr(options, name, [part for word in words for part in word.split(",") if part])
    fields = options.retrieved or ["retrieved"]
    if not options.runs:
        if form_of(options.judgments) is not JSON:
            raise InputError(_MISSING_RUN)
        runs = [(field, options.judgments, field) for field in fields]
    else:
        runs = []
        for path in options.runs:
            is_several = form_of(path) is JSON and len(fields) > 1
            prefix = f"{path}:" if len(options.runs) > 1 else ""
            runs += [
                (f"{prefix}{field}" if is_several else path, path, field)
                for field in (fields if is_several else fields[:1])
            ]
    names = [name for name, _, _ in runs]
    places = [(os.path.realpath(path), field) for _, path, field in runs]
    for name, place in zip(names, places, strict=True):
        if places.count(place) > 1:
            raise InputError(f"{name} is given twice. Pass each run once.")
    options.sources = {name: (path, field) for name, path, field in runs}
    options.runs = names


_FOR_JUDGMENTS = (
    "human",
    "queries",
    "aspects",
    "ties",
    "unjudged",
    "compare",
    "ranks",
    "gain",
    "max_grade",
    "relevance_threshold",
    "baseline",
    "baseline_queries",
    "max_drop",
    "update_if_better",
    "label",
    "columns",
    "no_label",
    "judge",
    "labels",
    "relevant",
    "exclude",
    "items",
)
"""The options that do not go with --agreement."""
_COMPARE_SAVED = "In Python, ranking_scores.gates.check compares the reports that --save wrote."
_ADVICE_FOR_AGREEMENT = {
    "queries": "It takes the queries that both runs have.",
    "baseline": _COMPARE_SAVED,
    "max_drop": _COMPARE_SAVED,
}
"""What there is in place of some of these options."""


def _set_two_runs(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Set the old run and the new one, which are all files of --agreement."""
    for option in _FOR_JUDGMENTS:
        if getattr(options, option) != parser.get_default(option):
            message = f"compares two runs without judgments. Leave out {as_option(option)}"
            advice = _ADVICE_FOR_AGREEMENT.get(option, "")
            raise InputError(f"--agreement {message}. {advice}".rstrip())
    if options.duplicates in JUDGES:
        raise InputError(
            f"--agreement has no labels. Leave out --duplicates {options.duplicates}."
        )
    if options.jobs != 1:
        raise InputError("--agreement reads two files in one process. Leave out --jobs.")
    for option in ("by", "clusters"):
        if getattr(options, option) and not options.query_table:
            needed = "needs a table of queries with --agreement. Pass --query-table"
            raise InputError(f"--{option} {needed}.")
    options.runs = [options.judgments, *options.runs]
    _name_runs(options)
    if len(options.runs) != 2:
        raise InputError(f"--agreement takes two runs. Got {len(options.runs)}.")
    options.old, new = options.runs
    options.judgments, _ = options.sources[options.old]
    options.runs = [new]


def _check_files(options: argparse.Namespace) -> None:
    """Raise if a file is given twice, or if a column is named and no file has columns."""
    for run, _ in options.sources.values():
        if _are_scores(run) and not os.path.exists(run):
            raise InputError(f"{run}: No such file. Scores come after -m: -m {run}.")
    if STDIN in options.runs and options.judgments == STDIN:
        raise InputError(f"{STDIN} is given twice. Pass each run once.")
    for option in ("compare", "ranks", "by", "baseline"):
        if getattr(options, option) and options.by_query:
            raise InputError(f"--{option} prints no values of queries. Leave out --by-query.")
    for option in ("human", "ties", "unjudged"):
        if options.aspects and getattr(options, option):
            raise InputError(f"--{option} takes no account of aspects. Leave out --aspects.")
    if options.human is not None:
        if STDIN in (options.human, options.judgments) and options.human == options.judgments:
            raise InputError(f"{STDIN} is given twice. Pass each file once.")
        for option in ("ties", "unjudged", "by_query", "ranks"):
            if getattr(options, option):
                message = "corrects the mean of each score by people's judgments"
                raise InputError(f"--human {message}. Leave out {as_option(option)}.")
        if options.compare and len(options.runs) > 2:
            raise InputError(f"--human compares two runs. Got {len(options.runs)}.")
    for option in ("compare", "ranks"):
        if not getattr(options, option):
            continue
        if len(options.runs) < 2:
            raise InputError(f"--{option} needs at least two runs")
        if options.by:
            raise InputError(f"--{option} compares all queries. Leave out --by.")
    one_run = [name for name in _FOR_ONE_RUN if getattr(options, name) is not None]
    if one_run and len(options.runs) > 1:
        raise InputError(f"{as_option(one_run[0])} takes one RUN. Got {len(options.runs)}.")
    is_by_max_t = options.ranks or (options.compare and len(options.runs) > 2)
    if is_by_max_t and (options.confidence or 0) > _HIGHEST_LEVEL:
        what = "for --ranks" if options.ranks else "to compare more than two runs"
        message = f"--confidence must be at most {_HIGHEST_LEVEL} {what}"
        raise InputError(f"{message}. Got {options.confidence} instead.")
    _set_items(options)
    _check_columns(options)


def _saved_baseline(options: argparse.Namespace) -> RankingReport | None:
    """Return the saved report that is the baseline, or None for a run, and set where that is."""
    path, field = options.baseline, next(field for _, field in options.sources.values())
    before, colon, after = path.rpartition(":")
    if colon and form_of(before) is JSON and not os.path.exists(path):
        path, field = before, after
    options.baseline_source = path, field
    if options.baseline_source in options.sources.values():
        other = f". Name another field: --baseline {path}:FIELD" * (form_of(path) is JSON)
        raise InputError(f"--baseline {options.baseline} is the run itself{other}.")
    return saved_report(path)


def _check_gate(options: argparse.Namespace) -> None:
    """Set the limits of the gate by score. Raise if options about a baseline do not fit."""
    for name in ("at_least", "max_drop"):
        given = getattr(options, name)
        if given is not None:
            setattr(options, name, _limits_by_score(given, as_option(name), options))
    if options.max_drop is not None and options.baseline is None:
        raise InputError("--max-drop needs a baseline. Pass --baseline.")
    if options.baseline_queries != "equal" and options.baseline is None:
        raise InputError("--baseline-queries is for --baseline.")
    if options.rule is not None and options.max_drop is None and options.at_least is None:
        raise InputError("--rule needs --max-drop or --at-least")
    for option, value in (("undecided", options.undecided), ("runs", options.runs_of_gate)):
        if value is not None and options.rule in (None, "difference"):
            raise InputError(f"--{option} is for --rule 'surely worse' and 'surely not worse'")
    if options.update_if_better and (options.max_drop is None or options.saved_baseline is None):
        needed = "--max-drop, and a --baseline that --save has written"
        raise InputError(f"--update-if-better needs {needed}.")
    updated = options.baseline_source[0] if options.update_if_better else None
    for name, path in (("save", options.save), ("baseline", updated)):
        if path is not None and not path.lower().endswith((".json", ".json.gz")):
            raise InputError(f"--{name} must be a name in .json or .json.gz. Got {path!r}.")
    written = [name for name in ("save", "html") if getattr(options, name) is not None]
    for name in written:
        path = os.path.realpath(getattr(options, name))
        others = [options.judgments, options.human, options.exclude, options.items]
        others += [run for run, _ in options.sources.values()]
        others += [options.baseline_source[0]] if options.baseline is not None else []
        others += [options.html] if name == "save" else []
        if any(os.path.realpath(other) == path for other in others if other is not None):
            message = f"{as_option(name)} must be a file of its own"
            raise InputError(f"{message}. Got {getattr(options, name)!r}, which is given twice.")


_FOR_ONE_RUN = ("save", "baseline", "at_least", "max_drop", "html", "judge")
"""The options that are about a single run."""


def _limits_by_score(
    given: list[tuple[str | None, float]], option: str, options: argparse.Namespace
) -> float | dict[str, float]:
    """Return the numbers by score, or the one for all scores."""
    scores, by, limits = options.scores, options.by, {}
    for name, number in given:
        if name is None and len(given) == 1:
            return number
        if None in dict(given):
            raise InputError(f"{option} takes one number for all scores, or one for each.")
        if str(name).removeprefix(MACRO) not in scores:
            name = str(name).removeprefix(MACRO)
            message = f"{option}: {name} is not among the scores, which are {', '.join(scores)}"
            raise InputError(f"{message}. Name it in -m.")
        if name in limits:
            raise InputError(f"{option}: {name} is given twice")
        if str(name).startswith(MACRO) and not by:
            raise InputError(f"{option}: {name} is over groups of queries. Name them by --by.")
        limits[str(name)] = number
    return limits


def _set_items(options: argparse.Namespace) -> None:
    """Set the column of items of judgments and of runs, which may have two names."""
    options.item_of_run = options.item
    if options.item and "=" in options.item:
        options.item, _, options.item_of_run = options.item.partition("=")
        if not (options.item and options.item_of_run):
            raise InputError("--item takes a name, or those in JUDGMENTS and in RUN: title=text")
        if options.agreement:
            raise InputError("--item takes one name with --agreement, which has no judgments")


def _check_columns(options: argparse.Namespace) -> None:
    """Raise if a column or a field is named and no file has any."""
    of_judgments = form_of(options.judgments)
    of_columns = {of_judgments}
    if options.columns and of_judgments.is_text:  # then the columns have names
        of_judgments = CSV
    others = options.human, options.exclude, options.items
    judged = {of_judgments} | {form_of(path) for path in others if path}
    of_runs = {form_of(path) for path, _ in options.sources.values()}
    of_queries = {form_of(options.query_table)} if options.query_table else {of_judgments}
    kinds = {
        "query": (_TABLES, judged | of_runs),
        "item": (_TABLES, judged | of_runs),
        "label": (_TABLES, judged),
        "no_label": (_TABLES, judged),
        "judge": (_TABLES, {of_judgments}),
        "columns": (_TEXT, of_columns),
        "score": (_TABLES, of_runs),
        "rank": (_TABLES, of_runs),
        "relevant": (_JSON, judged),
        "retrieved": (_JSON, of_runs),
        "by": (_TABLES, of_queries),
        "clusters": (_TABLES, of_queries),
        "ids": (_TYPED, judged | of_runs | of_queries),
        "labels": (_TYPED if options.labels == "number" else _TABLES, judged),
    }
    for name, ((allowed, files), there) in kinds.items():
        option, value = as_option(name), getattr(options, name)
        if value == "":
            raise InputError(f"{option} must be the name of a column. Got an empty name.")
        if value and there.isdisjoint(allowed):
            message = f"{option} is for {files}"
            if name == "score" and _are_scores(value):
                message += " The scores to compute are --scores."
            if name in ("by", "clusters") and not options.query_table:
                message += " --query-table takes such a file."
            raise InputError(message)
    if options.query_table and not (options.by or options.clusters):
        raise InputError("--query-table has the columns of --by and --clusters. Name them.")
    if options.labels and options.no_label:
        raise InputError("--labels reads labels, and --no-label none. Leave out one of them.")
    if isinstance(options.labels, dict) and options.aspects:
        raise InputError("--labels with the numbers of labels does not go with --aspects.")
    if options.judge is not None and options.duplicates not in JUDGES:
        raise InputError("--judge needs --duplicates mean, median or majority.")
    if options.duplicates in JUDGES and options.aspects:
        raise InputError(f"--duplicates {options.duplicates} does not go with --aspects.")
    if options.split == "":
        raise InputError("--split must be a text. Got an empty one.")
    if options.split is None and (options.split_at or options.split_judgments):
        raise InputError("--split-at and --split-judgments are for ids that --split cuts.")


_NAMED = tuple(form for form in FORMS if form.has_names)
_JSON = (JSON,), f"{in_words_of_forms((JSON,))}."
_TEXT = (
    tuple(form for form in FORMS if form.is_text),
    "judgments in lines of columns. Other files name their columns, or have none.",
)
_TYPED = (
    tuple(form for form in FORMS if form.is_typed),
    "files of JSON and Parquet. In all others, ids are text and labels are numbers.",
)
_TABLES = (
    _NAMED,
    f"{in_words_of_forms(_NAMED)}. All other files are in {TREC.words}.",
)
"""Forms of files, and what errors call them."""
