"""The arguments of the command, with all checks that do not need the files."""

from __future__ import annotations

import argparse
import importlib
import math
import os
import re
import sys
import warnings
from collections.abc import Sequence
from typing import Any, NoReturn

from scipy.sparse import csr_array

from ranking_scores._agreement import DEFAULT_MEASURES, MEASURES, find_measure, is_agreement
from ranking_scores._command._help import (
    DESCRIPTION,
    EPILOG,
    SHELLS,
    USAGE,
    Completion,
    Help,
    HelpColumns,
)
from ranking_scores._command._words import NAME, InputError, as_option, in_words, kind_of
from ranking_scores._metrics import (
    SCORES,
    NamedScore,
    find_score,
    is_measure,
    is_of_program,
    parameters_of,
    split_name,
)
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.report import ranking_report

STDIN = "-"
_DEFAULT_SCORES = ["ndcg@10", "map", "mrr@10", "precision@10", "recall@100", "hit_rate@10"]
OF_ALL_ITEMS = ("auc", "pairwise_accuracy")
"""The metrics that need a score for every item. A run has scores of retrieved items only."""
_NAMES = [name for name in SCORES if name not in OF_ALL_ITEMS]
_THRESHOLD = "relevance_threshold"
_SCORE_PARAMETERS = ("gain", _THRESHOLD, "max_grade")
"""The options that are parameters of scores."""
_HIGHEST_LEVEL = 0.9998
"""The highest confidence level for which `compare_all` has enough resamples."""
_MEASURES = ", ".join(measure.spelled for measure in MEASURES)


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
        raise InputError(f"{message}. See {NAME} --help.")


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
    _add_files(parser.add_argument_group("files"))
    _add_scores(parser.add_argument_group("scores"))
    _add_columns(
        parser.add_argument_group("columns of CSV, TSV and Parquet files, fields of JSON")
    )
    _add_gate(parser.add_argument_group("baseline and gate"))
    output = parser.add_argument_group("output")
    output.add_argument(
        "--by-query", action="store_true", help="also print the scores of each query"
    )
    output.add_argument(
        "--by",
        nargs="+",
        action="extend",
        default=[],
        metavar="NAME",
        help="also print the scores of each group of queries, such as a category: the column or "
        "field that has it, in JUDGMENTS or in the file of --query-table",
    )
    output.add_argument(
        "--query-table",
        metavar="FILE",
        help="a table of queries with the groups of --by: CSV, TSV, Parquet or JSON",
    )
    output.add_argument(
        "--format",
        choices=["table", "csv", "json", "markdown"],
        default="table",
        help="the format of the scores: table and markdown round them, csv and json have all "
        "digits (default: table)",
    )
    output.add_argument(
        "--save",
        metavar="FILE",
        help="save the report of RUN, with the scores of each query, as a baseline for later: a "
        "name that ends in .json or .json.gz",
    )
    output.add_argument(
        "--html",
        metavar="FILE",
        help="write a page with the scores, the curves over the cutoffs and, with --baseline, "
        "what changed: one file without scripts",
    )
    output.add_argument(
        "-h", "--help", action=Help, nargs=0, help="show the options that most need, on one screen"
    )
    output.add_argument("--help-all", action="help", help="show all options, and more examples")
    output.add_argument(
        "--help-columns",
        action=HelpColumns,
        nargs=0,
        help="show the names of columns that are known, so that no option has to name them",
    )
    output.add_argument(
        "--completion",
        action=Completion,
        choices=SHELLS,
        make_parser=make_parser,
        scores=_NAMES,
        help="print a script for a shell, which completes options and files after Tab",
    )
    output.add_argument(
        "--debug", action="store_true", help="show the traceback of an error that is a fault here"
    )
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
        help="the relevance of items: TREC's qrels, with lines such as '301 0 FR-10 1', a table "
        "if the name ends in .csv, .tsv or .parquet, or JSON if it ends in .json or .jsonl, all "
        "but .parquet also with .gz",
    )
    group.add_argument(
        "runs",
        metavar="RUN",
        nargs="*",
        help="the items that a system retrieved: a TREC run, with lines such as "
        "'301 Q0 FR-10 1 7.5 bm25', a table or JSON. JUDGMENTS in JSON may have them, too, and "
        "then there is no RUN. One of the files may be -, which is the standard input in TREC's "
        "format",
    )
    group.add_argument(
        "--agreement",
        action="store_true",
        help="there are no judgments: the two files are an old and a new run. Print how far they "
        f"agree, by the measures {_MEASURES} in -m (default: {' '.join(DEFAULT_MEASURES)}), and "
        "which queries changed most. The options that need judgments do not go with it",
    )
    group.add_argument(
        "--human",
        metavar="FILE",
        help="judgments by people of a random part of the queries, in the form of JUDGMENTS, if a "
        "model wrote JUDGMENTS: each mean is corrected by them, and has its confidence interval",
    )
    group.add_argument(
        "--jobs",
        type=_count_from,
        default=1,
        metavar="NUMBER",
        help="the number of processes that read and score several runs (default: 1). It changes "
        "no result. If one of the files is a pipe, a single process reads them",
    )
    group.add_argument(
        "--queries",
        choices=["judged", "both", "all", "equal"],
        help="the queries that count: those in JUDGMENTS (judged), those in both files (both), or "
        "those in either file (all). With equal, different queries in the two files are an error "
        "(default: judged)",
    )
    group.add_argument(
        "--duplicates",
        choices=["error", "best", "hold"],
        default="error",
        help="what happens if an item is there twice for a query: an error, it counts once at its "
        "best place and the items below move up (best), or its other places stay and are not "
        "relevant (hold) (default: error)",
    )
    group.add_argument(
        "--aspects",
        action="store_true",
        help="the judgments are of the aspects of queries, such as subtopics, nuggets or facts, "
        "and the score of a query is over its aspects. The aspect is the second field of TREC's "
        "qrels, the column 'aspect' of a table, or the key of each list if JSON has a dict of "
        "lists for each query",
    )
    group.add_argument(
        "--split",
        metavar="TEXT",
        help="cut the ids of items where TEXT begins, so that the passage guide#4 becomes the "
        "document guide. It goes with --duplicates best",
    )
    group.add_argument(
        "--drop-self",
        action="store_true",
        help="drop items of RUN that have the id of their query, as BEIR does. The items below "
        "them move up. A line above the scores says how many were dropped",
    )


def _add_scores(group: Any) -> None:
    """Add the arguments for the scores and their options."""
    group.add_argument(
        "-m",
        "--scores",
        metavar="SCORE [SCORE ...]",
        action="append",
        help=f"the scores: {', '.join(_NAMES)}, alone or with a cutoff as in ndcg@10 (default: "
        f"{' '.join(_DEFAULT_SCORES)}). Separate them by blanks or commas. The first word that is "
        "not the name of a score is read as a file. A name may have the lowest relevant label of "
        "its own, as in 'AP(rel=2)' and 'RR(rel=2)@10'",
    )
    group.add_argument(
        "--ties",
        action="store_true",
        help="also print the scores for the worst and for the best order of items with equal "
        "scores, and for the order of trec_eval (the greater id first, as text: 9 before 10)",
    )
    group.add_argument(
        "--unjudged",
        action="store_true",
        help="also print the share of the first items that was judged, the lowest and the highest "
        "score that labels of the others could give, and the score without them. They could have "
        "any label up to --max-grade (default: the highest one in JUDGMENTS)",
    )
    group.add_argument(
        "--compare",
        action="store_true",
        help="also compare each RUN with the first one: print the mean difference over the "
        "queries, its confidence interval, and the p-value of a paired t test. With more than two "
        "runs, the interval and the p-value are corrected for the number of runs, by max-T",
    )
    group.add_argument(
        "--ranks",
        action="store_true",
        help="sort the runs by each score, the best one first, and print the best and the worst "
        "rank that each can have, and its tier: all runs of tier 1 cannot be separated from the "
        "first. All pairs of runs are compared, corrected for their number by max-T",
    )
    group.add_argument(
        "--confidence",
        type=level_from,
        metavar="LEVEL",
        help="also print the confidence interval of each mean, at this level, such as 0.95 for "
        "95 %%. --compare and --ranks use the same level (default there: 0.95)",
    )
    group.add_argument(
        "--gain",
        type=_gain_from,
        metavar="GAIN",
        help=f"the gain of a label in {_scores_with('gain')}: linear (the label), exponential "
        "(2**label - 1), or a list of gains for the labels 0, 1, 2, ..., such as 0,1,3,7 "
        "(default: linear)",
    )
    group.add_argument(
        "--max-grade",
        type=number_from,
        metavar="LABEL",
        help="the highest label of the scale, which err needs. --unjudged uses it, too",
    )
    group.add_argument(
        "--relevance-threshold",
        type=number_from,
        metavar="LABEL",
        help="the lowest relevant label. Lower labels gain nothing (default: all labels above 0 "
        "are relevant). Use 1 if there are negative labels, such as TREC's labels of spam",
    )


def _scores_with(parameter: str) -> str:
    """Return the names of the scores whose functions have a parameter, in words."""
    return " and ".join(name for name in _NAMES if parameter in parameters_of(SCORES[name]))


def _add_gate(group: Any) -> None:
    """Add the arguments about a baseline, and about what RUN must reach."""
    group.add_argument(
        "--audit",
        nargs="+",
        metavar="NUMBER",
        help="instead of all else, print what means in a paper allow to say: MEAN [BASELINE] "
        "QUERIES, as in --audit 0.43 0.41 50, for scores from 0 to 1. It takes no files",
    )
    group.add_argument(
        "--baseline",
        metavar="FILE",
        help="also print what changed since FILE, which --save has written, or which is another "
        "run on the same judgments. FILE:FIELD is a field of JSON",
    )
    group.add_argument(
        "--at-least",
        nargs="+",
        action="extend",
        type=_limit_from,
        metavar="SCORE=NUMBER",
        help="fail, with exit status 1, if a score is lower, as in recall@10=0.9. A number alone "
        "is for all scores",
    )
    group.add_argument(
        "--max-drop",
        nargs="+",
        action="extend",
        type=_limit_from,
        metavar="SCORE=NUMBER",
        help="fail if a score is lower than in the baseline by more than this, as in "
        "ndcg@10=0.01. A number alone is for all scores",
    )
    group.add_argument(
        "--rule",
        choices=["difference", "surely worse", "surely not worse"],
        help="when a drop fails: if the means differ by more than --max-drop (difference), only "
        "if the whole confidence interval is a larger drop (surely worse), or unless the whole "
        "interval is a smaller one (surely not worse). The interval of a mean is compared with "
        "--at-least in the same way (default: difference)",
    )
    group.add_argument(
        "--runs",
        dest="runs_of_gate",
        type=int,
        metavar="NUMBER",
        help="the number of gates that have the level of --confidence together, as 30 for one a "
        "night in a month, for the two rules about intervals (default: 1)",
    )
    group.add_argument(
        "--undecided",
        choices=["pass", "fail"],
        help="what too few queries to tell are (default: pass for surely worse, fail for surely "
        "not worse)",
    )


def _limit_from(text: str) -> tuple[str | None, float]:
    """Return a score and a number, or None and a number for all scores."""
    name, sign, number = text.rpartition("=")
    if not sign or text.endswith(")"):
        if _are_scores(text):
            raise argparse.ArgumentTypeError(f"{text!r} has no number, as {text}=0.5 has")
        return None, number_from(text)
    if is_agreement(name):
        return _measure_name(name), number_from(number)
    return _name_of(find(name)), number_from(number)


def _add_columns(group: Any) -> None:
    """Add the arguments that name columns."""
    more_by_role = {
        "query": "'none' numbers the records of JSON, which are in the same order in all files",
        "item": "In lists of JSON, the field of records (default: id). A name with dots reaches "
        "into records: metadata.doc_id",
    }
    for role, more in more_by_role.items():
        text = f"the column of {role} ids (default: {role}, or another name that is known). {more}"
        group.add_argument(f"--{role}", metavar="NAME", help=text)
    label, value = group.add_mutually_exclusive_group(), group.add_mutually_exclusive_group()
    label.add_argument(
        "--label",
        metavar="NAME",
        help="the column of labels in JUDGMENTS (default: label, or another name that is known)",
    )
    label.add_argument(
        "--no-label",
        action="store_true",
        help="there are no labels: each row of JUDGMENTS is a relevant item, such as a click",
    )
    value.add_argument(
        "--score",
        metavar="NAME",
        help="the column of scores in RUN (default: score, or another name that is known)",
    )
    value.add_argument(
        "--rank", metavar="NAME", help="the column of ranks, from 1 on, if RUN has no scores"
    )
    group.add_argument(
        "--ids",
        choices=["text"],
        help="ids in JSON and Parquet that are whole numbers or bytes are text, as they are in "
        "other files",
    )
    group.add_argument(
        "--labels",
        choices=["number"],
        help="labels in JSON and Parquet that are text are read as numbers",
    )
    group.add_argument(
        "--relevant",
        metavar="NAME",
        help="the field of JSON with the relevant items of a query (default: relevant)",
    )
    group.add_argument(
        "--retrieved",
        nargs="+",
        action="extend",
        metavar="NAME",
        help="the field of JSON with the retrieved items of a query; several fields are several "
        "runs (default: retrieved)",
    )


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


def _gain_from(text: str) -> str | list[int | float]:
    """Return the name of a gain, or a table of gains."""
    if text in ("linear", "exponential"):
        return text
    return [number_from(each) for each in text.split(",")]


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
        _set_two_runs(options)
    else:
        options.queries = options.queries or "judged"
        _name_runs(options)
    _check_files(options)
    defaults = DEFAULT_MEASURES if options.agreement else _DEFAULT_SCORES
    words = [name for word in options.scores or defaults for name in _split_names(word) if name]
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
        if word.partition("=")[0] == "--measures":
            raise InputError(f"--measures is now called --scores. See {NAME} --help.")
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
        for name in _split_names(word)
    )


_LIKE_A_SCORE = re.compile(r"\w[\w-]*(\([^()]*\)(@[0-9]+)?|@[0-9]+)")
"""A word with options or with a cutoff, as in infAP(rel=2) and alpha_DCG@10"""


def _split_names(word: str) -> list[str]:
    """Return what commas separate, except those of the options of a name."""
    return re.split(r",(?![^(\[]*[)\]])", word)


def find(word: str) -> NamedScore:
    """Return the score of a name, with its cutoff."""
    name = split_name(word).name
    if is_agreement(word):
        message = f"{word} is the agreement of two runs, without judgments"
        raise InputError(f"{message}. Write {NAME} --agreement OLD_RUN NEW_RUN -m {word}.")
    if name in OF_ALL_ITEMS:
        reason = "needs the score of every item, and a run has only scores of retrieved items"
        raise InputError(f"{name} {reason}. The scores are {', '.join(_NAMES)}.")
    try:
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
    given = {
        name: getattr(options, name) for name in _SCORE_PARAMETERS if name not in score.options
    }
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
                given = {**params, "unjudged": options.unjudged}
                if options.unjudged and options.max_grade is not None:
                    given["max_grade"] = options.max_grade
                ranking_report(one, one, scores=_name_of(score), k=None, **given)
        except InvalidParameterError as error:
            if error.parameter == "y_true":  # the labels of the files may do
                continue
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


_MISSING_RUN = f"pass a file of judgments and at least one run. See {NAME} --help."


def _name_runs(options: argparse.Namespace) -> None:
    """Set `sources`: of each run, by the name that is printed, its file and its field of JSON."""
    for name in ("by", "retrieved"):  # commas separate names, too
        words = getattr(options, name) or []
        setattr(options, name, [part for word in words for part in word.split(",") if part])
    fields = options.retrieved or ["retrieved"]
    if not options.runs:
        if kind_of(options.judgments) != "json":
            raise InputError(_MISSING_RUN)
        runs = [(field, options.judgments, field) for field in fields]
    else:
        runs = []
        for path in options.runs:
            is_several = kind_of(path) == "json" and len(fields) > 1
            prefix = f"{path}:" if len(options.runs) > 1 else ""
            runs += [
                (f"{prefix}{field}" if is_several else path, path, field)
                for field in (fields if is_several else fields[:1])
            ]
    names = [name for name, _, _ in runs]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{name} is given twice. Pass each run once.")
    options.sources = {name: (path, field) for name, path, field in runs}
    options.runs = names


_LEFT_OUT_WITHOUT_JUDGMENTS = {
    "human": None,
    "queries": None,
    "aspects": False,
    "ties": False,
    "unjudged": False,
    "compare": False,
    "ranks": False,
    "gain": None,
    "max_grade": None,
    "relevance_threshold": None,
    "baseline": None,
    "max_drop": None,
    "label": None,
    "no_label": False,
    "labels": None,
    "relevant": None,
}
"""The options that do not go with --agreement, and their values if they are left out."""


_COMPARE_SAVED = "In Python, ranking_scores.gates.check compares the reports that --save wrote."
_ADVICE_FOR_AGREEMENT = {
    "queries": "It takes the queries that both runs have.",
    "baseline": _COMPARE_SAVED,
    "max_drop": _COMPARE_SAVED,
}
"""What there is in place of some of these options."""


def _set_two_runs(options: argparse.Namespace) -> None:
    """Set the old run and the new one, which are all files of --agreement."""
    for option, left_out in _LEFT_OUT_WITHOUT_JUDGMENTS.items():
        if getattr(options, option) != left_out:
            message = "compares two runs without judgments"
            message += f". Leave out {as_option(option)}. {_ADVICE_FOR_AGREEMENT.get(option, '')}"
            raise InputError(f"--agreement {message.rstrip()}")
    if options.jobs != 1:
        raise InputError("--agreement reads two files in one process. Leave out --jobs.")
    if options.by and not options.query_table:
        raise InputError("--by needs a table of queries with --agreement. Pass --query-table.")
    options.runs = [options.judgments, *options.runs]
    _name_runs(options)
    if len(options.runs) != 2:
        raise InputError(f"--agreement takes two runs. Got {len(options.runs)}.")
    options.old, new = options.runs
    options.judgments, _ = options.sources[options.old]
    options.runs = [new]


def _check_files(options: argparse.Namespace) -> None:
    """Raise if a file is given twice, or if a column is named and no file has columns."""
    if STDIN in options.runs and options.judgments == STDIN:
        raise InputError(f"{STDIN} is given twice. Pass each run once.")
    for option in ("compare", "ranks", "by", "baseline"):
        if getattr(options, option) and options.by_query:
            raise InputError(f"--{option} prints no values of queries. Leave out --by-query.")
    for option in ("human", "ties", "unjudged"):
        if options.aspects and getattr(options, option):
            raise InputError(f"--{option} takes no account of aspects. Leave out --aspects.")
    if options.human is not None:
        _check_human(options)
    for option in ("compare", "ranks"):
        if not getattr(options, option):
            continue
        if len(options.runs) < 2:
            raise InputError(f"--{option} needs at least two runs")
        if options.by:
            raise InputError(f"--{option} compares all queries. Leave out --by.")
    is_by_max_t = options.ranks or (options.compare and len(options.runs) > 2)
    if is_by_max_t and (options.confidence or 0) > _HIGHEST_LEVEL:
        what = "for --ranks" if options.ranks else "to compare more than two runs"
        message = f"--confidence must be at most {_HIGHEST_LEVEL} {what}"
        raise InputError(f"{message}. Got {options.confidence} instead.")
    _check_columns(options)


def _check_human(options: argparse.Namespace) -> None:
    """Raise if options do not go with judgments by people."""
    if STDIN in (options.human, options.judgments) and options.human == options.judgments:
        raise InputError(f"{STDIN} is given twice. Pass each file once.")
    for option in ("ties", "unjudged", "by_query", "ranks"):
        if getattr(options, option):
            message = "corrects the mean of each score by people's judgments"
            raise InputError(f"--human {message}. Leave out {as_option(option)}.")
    if options.compare and len(options.runs) > 2:
        raise InputError(f"--human compares two runs. Got {len(options.runs)}.")


def _check_gate(options: argparse.Namespace) -> None:
    """Set the limits of the gate by score. Raise if options about a baseline do not fit."""
    for name in ("at_least", "max_drop"):
        given = getattr(options, name)
        if given is not None:
            setattr(options, name, _limits_by_score(given, as_option(name), options.scores))
    if options.max_drop is not None and options.baseline is None:
        raise InputError("--max-drop needs a baseline. Pass --baseline.")
    if options.rule is not None and options.max_drop is None and options.at_least is None:
        raise InputError("--rule needs --max-drop or --at-least")
    for option, value in (("undecided", options.undecided), ("runs", options.runs_of_gate)):
        if value is not None and options.rule in (None, "difference"):
            raise InputError(f"--{option} is for --rule 'surely worse' and 'surely not worse'")
    one_run = [name for name in _FOR_ONE_RUN if getattr(options, name) is not None]
    if one_run and len(options.runs) > 1:
        raise InputError(f"{as_option(one_run[0])} takes one RUN. Got {len(options.runs)}.")
    if options.baseline is not None:
        _find_baseline(options)
    if options.save is not None and not options.save.lower().endswith((".json", ".json.gz")):
        raise InputError(f"--save must be a name in .json or .json.gz. Got {options.save!r}.")
    written = [name for name in ("save", "html") if getattr(options, name) is not None]
    for name in written:
        path = os.path.realpath(getattr(options, name))
        others = [options.judgments, options.human, *(run for run, _ in options.sources.values())]
        others += [options.baseline_source[0]] if options.baseline is not None else []
        others += [options.html] if name == "save" else []
        if any(os.path.realpath(other) == path for other in others if other is not None):
            message = f"{as_option(name)} must be a file of its own"
            raise InputError(f"{message}. Got {getattr(options, name)!r}, which is given twice.")


def _find_baseline(options: argparse.Namespace) -> None:
    """Set the file of the baseline, and the field of JSON that has it if it is a run."""
    path, field = options.baseline, next(field for _, field in options.sources.values())
    before, colon, after = path.rpartition(":")
    if colon and kind_of(before) == "json" and not os.path.exists(path):
        path, field = before, after
    options.baseline_source = path, field
    if options.baseline_source in options.sources.values():
        other = f". Name another field: --baseline {path}:FIELD" * (kind_of(path) == "json")
        raise InputError(f"--baseline {options.baseline} is the run itself{other}.")


_FOR_ONE_RUN = ("save", "baseline", "at_least", "max_drop", "html")
"""The options that are about a single run."""


def _limits_by_score(
    given: list[tuple[str | None, float]], option: str, scores: list[str]
) -> float | dict[str, float]:
    """Return the numbers by score, or the one for all scores."""
    limits: dict[str, float] = {}
    for name, number in given:
        if name is None and len(given) == 1:
            return number
        if None in dict(given):
            raise InputError(f"{option} takes one number for all scores, or one for each.")
        if name not in scores:
            message = f"{option}: {name} is not among the scores, which are {', '.join(scores)}"
            raise InputError(f"{message}. Name it in -m.")
        if name in limits:
            raise InputError(f"{option}: {name} is given twice")
        limits[str(name)] = number
    return limits


def _check_columns(options: argparse.Namespace) -> None:
    """Raise if a column or a field is named and no file has any."""
    of_judgments = kind_of(options.judgments)
    judged = {of_judgments} | ({kind_of(options.human)} if options.human else set())
    of_runs = {kind_of(path) for path, _ in options.sources.values()}
    of_queries = {kind_of(options.query_table)} if options.query_table else {of_judgments}
    tables, typed = {"json", ".csv", ".tsv", ".parquet"}, {"json", ".parquet"}
    kinds = {
        "query": (tables, judged | of_runs),
        "item": (tables, judged | of_runs),
        "label": (tables, judged),
        "no_label": (tables, judged),
        "score": (tables, of_runs),
        "rank": (tables, of_runs),
        "relevant": ({"json"}, judged),
        "retrieved": ({"json"}, of_runs),
        "by": (tables, of_queries),
        "ids": (typed, judged | of_runs | of_queries),
        "labels": (typed, judged),
    }
    for name, (allowed, there) in kinds.items():
        option, value = as_option(name), getattr(options, name)
        if value == "":
            raise InputError(f"{option} must be the name of a column. Got an empty name.")
        if value and not allowed & there:
            names = (
                _TABLE_FILES
                if allowed is tables
                else _TYPED_FILES
                if allowed is typed
                else _JSON_FILES
            )
            message = f"{option} is for {names}"
            if name == "score" and _are_scores(value):
                message += " The scores to compute are --scores."
            if name == "by" and not options.query_table:
                message += " --query-table takes such a file."
            raise InputError(message)
    if options.query_table and not options.by:
        raise InputError("--query-table has the groups of --by. Name them.")
    if options.split == "":
        raise InputError("--split must be a text. Got an empty one.")


_JSON_FILES = "files of JSON, which end in .json or .jsonl (also with .gz)."
_TYPED_FILES = "files of JSON and Parquet. In all others, ids are text and labels are numbers."
_TABLE_FILES = (
    "CSV, TSV, Parquet and JSON files, which end in .csv, .tsv, .json, .jsonl (also with .gz) or "
    ".parquet. All other files are in TREC's formats."
)
