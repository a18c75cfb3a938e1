"""The names of the scores, and all ways in which a caller may give a score.

The report, the streams and the scorers share one table. A new score is one line in it.
"""

from __future__ import annotations

import difflib
import inspect
import math
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial, wraps
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np

from ranking_scores._base._errors import invalid
from ranking_scores._base._query_values import MACRO
from ranking_scores._base._validation import (
    WHOLE_LIST,
    Cutoffs,
    advises_on_keywords,
    check_cutoffs,
    describe,
    foreign_words,
    unknown_parameter,
)
from ranking_scores._metrics._cumulative_gain import alpha_ndcg_score, dcg_score, ndcg_score
from ranking_scores._metrics._evaluate import (
    ARRAY_PARAMETERS,
    BlockScores,
    Naming,
    Plan,
    RankedBlock,
    ScoreEvaluation,
    begin,
    plan_of,
)
from ranking_scores._metrics._first_hit import (
    expected_reciprocal_rank_score,
    hit_rate_score,
    mean_reciprocal_rank_score,
)
from ranking_scores._metrics._judged import bpref_score, judged_at_k_score
from ranking_scores._metrics._position import (
    average_relevant_position,
    grouped_auc_score,
    pairwise_accuracy_score,
    rank_biased_precision_score,
)
from ranking_scores._metrics._precision import (
    all_relevant_at_k_score,
    f1_at_k_score,
    mean_average_precision_score,
    precision_at_k_score,
    r_precision_score,
    recall_at_k_score,
)
from ranking_scores._metrics._programs import (
    RBP_WITH_PERSISTENCE,
    ProgramScore,
    find_program_score,
    metrics_called,
    only_measure_called,
    reason_against,
)
from ranking_scores._queries._data import CallData, DataNeeds, ItemOrder
from ranking_scores._queries._relevance import check_relevance
from ranking_scores.exceptions import InvalidParameterError

ScoreFunction = Callable[..., Any]
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


Range = tuple[float, float]


class Metric(NamedTuple):
    """A row of the table of metrics."""

    name: str
    function: ScoreFunction
    title: str
    """What plots call it."""
    other_names: tuple[str, ...] = ()
    """Its names in other libraries, where they mean the same. They are names here, too."""
    range: Range = (0, 1)
    """The lowest and the highest value that a query can have. Negative labels may make a sum
    negative. What replaces undefined values may be beyond."""
    takes_retrieved: bool = True
    """Whether items without a score are accepted, as in lists of retrieved items."""
    without_parts: str = ""
    """Why no single item has a part of it; empty: it adds up what items gain at their ranks."""

    @property
    def family(self) -> str:
        """The module of the family, such as "cumulative_gain"."""
        return self.function.__module__.rpartition("._")[2]


_OF_PAIRS = "It compares pairs of items"

METRICS = (
    Metric("ndcg", ndcg_score, "nDCG"),
    Metric("dcg", dcg_score, "DCG", range=(-math.inf, math.inf)),
    Metric("map", mean_average_precision_score, "MAP", ("ap",)),
    Metric("mrr", mean_reciprocal_rank_score, "MRR", ("rr", "recip_rank")),
    Metric("precision", precision_at_k_score, "precision", ("p",)),
    Metric("recall", recall_at_k_score, "recall", ("r",)),
    Metric("f1", f1_at_k_score, "F1"),
    Metric("hit_rate", hit_rate_score, "hit rate", ("hit", "hits", "hr", "success")),
    Metric("err", expected_reciprocal_rank_score, "ERR"),
    Metric("rbp", rank_biased_precision_score, "RBP"),
    Metric("r_precision", r_precision_score, "R-precision", ("rprec",)),
    Metric(
        "auc", grouped_auc_score, "AUC", ("gauc",), takes_retrieved=False, without_parts=_OF_PAIRS
    ),
    Metric(
        "pairwise_accuracy",
        pairwise_accuracy_score,
        "pairwise accuracy",
        takes_retrieved=False,
        without_parts=_OF_PAIRS,
    ),
    Metric("arp", average_relevant_position, "ARP", range=(1, math.inf)),
    Metric("judged", judged_at_k_score, "judged"),
    Metric("bpref", bpref_score, "bpref", without_parts=_OF_PAIRS),
    # The best order may be better than the greedy one, but never more than e / (e - 1) times.
    Metric("alpha_ndcg", alpha_ndcg_score, "alpha-nDCG", range=(0, math.e / (math.e - 1))),
    Metric(
        "all_relevant",
        all_relevant_at_k_score,
        "all relevant",
        ("recall_all",),
        without_parts="It asks for all relevant items together",
    ),
)
"""The table of metrics. Their names are listed in this order."""

SCORES = {metric.name: metric.function for metric in METRICS}
TITLES = {metric.name: metric.title for metric in METRICS}
_FUNCTIONS = {metric.function.__name__: metric.function for metric in METRICS}
_NAMES = {other: metric.name for metric in METRICS for other in (metric.name, *metric.other_names)}
"""The names here by all names that find a score, in lower case."""
_SUGGESTED = {
    name: metric.name
    for metric in METRICS
    for name in (metric.function.__name__, metric.function.__name__.removesuffix("_score"))
}
"""Names that find no score, and the names to suggest instead. They come before similar ones."""
_OF_ASPECTS = {"err_ia": "err", "p_ia": "precision", "ap_ia": "map", "map_ia": "map"}
_OF_ASPECTS |= dict.fromkeys(("strec", "strecall"), "hit_rate")
"""What ndeval calls the means of scores over the aspects of a query."""
_WITH_CUTOFF_OF_TREC = re.compile(r"(?i)(?P<name>.+?)((_cut|_at)?_|_cut\.)(?P<cutoff>[0-9]+)")
_CUTOFF_AT_END = re.compile(r"(?i)(.+?)(?:(?:_at|_cut)?[@_.]|:top=)([1-9][0-9]*)(?:;.*)?")
_WITH_OPTIONS = re.compile(r"([^()@]+)\(([^()]*)\)(?:@(.*))?")


NO_ANSWER = "no_answer"
"""The name of what reports say about queries without a relevant item. It is no score by itself."""

DEFAULT_SCORES = ("ndcg@10", "map", "mrr@10", "precision@10", "recall@100", "hit_rate@10")
"""The scores of reports and of the command if the caller names none, recognised by identity."""
DEFAULT_CUTOFFS = (1, 5, 10)
"""The cutoffs of several scores if the caller passes none. It is recognised by identity."""


class NamedScore(NamedTuple):
    """A score of the package, its name, and the options that a caller bound to it."""

    name: str
    function: ScoreFunction
    options: dict[str, Any]

    def plan(
        self,
        y_true: Any,
        y_score: Any,
        naming: Naming = str,
        query_ids: Any = None,
        order: ItemOrder | None = None,
    ) -> Plan:
        """Return the plan of the score for some data. Only some callers know ids and order."""
        plan = plan_of(self.function, y_true, y_score, self.options, naming)
        return plan._replace(data=replace(plan.data, query_ids=query_ids, order=order))


@cache
def parameters_of(function: ScoreFunction) -> Mapping[str, inspect.Parameter]:
    """Return the parameters of a score by name."""
    return inspect.signature(function).parameters


class SpelledName(NamedTuple):
    """The parts of the name of a score, such as "AP(rel=2)@100"."""

    name: str
    """The name here if it is known, such as "map"."""
    cutoff: str | None
    threshold: float | str | None = None
    """The lowest relevant label; None: the name has none. A text is not understood."""


_WITH_CUTOFF = ", alone or as in 'ndcg@10'"


def find_score(
    score: Any,
    caller: str,
    parameter: str = "score",
    names: Collection[str] = SCORES,
    form: str = _WITH_CUTOFF,
) -> NamedScore:
    """Return a score of the package from a function, a `partial` or a name.

    `names` are the accepted names, and `form` is the text about their form in error messages.
    """
    if isinstance(score, str):
        if score.startswith(MACRO):
            advice = "A report with groups of queries has the mean over groups beside each score."
            raise invalid(parameter, caller, "the name of a score", describe(score), advice)
        if ":" in score and _spelled(score.partition(":")[0]) not in _NAMES:
            score = find_program_score(score, caller, parameter)
            return NamedScore(score.name, score, {})
        return _find_name(score, caller, parameter, names, form)
    function, options = score, {}
    if isinstance(score, partial) and not score.args:
        function, options = score.func, score.keywords
    if isinstance(function, ProgramScore):
        return NamedScore(function.name, function, dict(options))
    for name, ours in SCORES.items():
        if function is ours:  # a function that only calls a score may change its value
            return NamedScore(name, ours, dict(options))
    raise invalid(
        parameter, caller, "a score of ranking_scores, or the name of one", describe(score)
    )


def name_of(function: ScoreFunction) -> str:
    """Return the name of a score, or of a measure of a program."""
    if isinstance(function, ProgramScore):
        return function.name
    return next(name for name, ours in SCORES.items() if ours is function)


def function_of(name: str) -> ScoreFunction:
    """Return a score by its name or by that of its function, or a measure of a program."""
    if ":" in name:
        return find_program_score(name, "function_of", "name")
    return SCORES.get(name) or _FUNCTIONS[name]


def range_of(name: str) -> Range | None:
    """Return the lowest and the highest value of a query by a score, or None for other names.

    The score has any of its names here, with a cutoff or without one, or that of its function.
    """
    if ":" in name:
        try:
            to = find_program_score(name, "range_of", "name").convention
        except InvalidParameterError:
            return None
        return None if to.is_loss or to.scale != 1 else range_of(to.metric)
    if name == NO_ANSWER:
        return 0, 1
    known = split_name(name).name
    return next((row.range for row in METRICS if known in (row.name, row.function.__name__)), None)


def _find_name(
    text: str, caller: str, parameter: str, names: Collection[str], form: str
) -> NamedScore:
    """Return the score of a name such as "ndcg", "ndcg@10" or "ndcg_cut_10"."""
    name, cutoff, threshold = split_name(text)
    if of_rbp := RBP_WITH_PERSISTENCE.fullmatch(text):
        code = f"Pass `partial(rank_biased_precision_score, persistence={of_rbp[1]})`."
        raise invalid(parameter, caller, "a name without a persistence", repr(text), code=code)
    if name not in names:
        known = f"one of {', '.join(names)}{form}"
        raise invalid(parameter, caller, known, repr(text), _advise_on_name(text, names))
    function = SCORES[name]
    options: dict[str, Any] = {}
    if threshold is not None:
        if isinstance(threshold, str):
            expected = f"a name with the lowest relevant label, as in '{name}(rel=2)'"
            raise invalid(parameter, caller, expected, repr(text))
        if "relevance_threshold" not in parameters_of(function):
            expected = f"without a threshold for {name!r}, which has none"
            raise invalid(parameter, caller, expected, repr(text))
        options["relevance_threshold"] = threshold
        name += f"(rel={threshold!r})"
    if cutoff is None:
        return NamedScore(name, function, options)
    is_int = cutoff.isascii() and cutoff.isdigit() and len(cutoff) < 19
    if not is_int or int(cutoff) < 1:
        cutoffs = "an int of at least 1 and at most 18 digits"
        expected = f"a name whose cutoff is {cutoffs}, as in 'ndcg@10'"
        parts = map(str.strip, cutoff.strip("[]()").split(","))
        several = [repr(each if each[:1].isalpha() else f"{name}@{each}") for each in parts]
        advice = f"Write {', '.join(several)}." if several[1:] else ""
        raise invalid(parameter, caller, expected, repr(text), advice)
    if "k" not in parameters_of(function):
        raise invalid(
            parameter, caller, f"without a cutoff for {name!r}, which has none", repr(text)
        )
    return NamedScore(name, function, {**options, "k": int(cutoff)})


def split_name(text: str) -> SpelledName:
    """Return the parts of the name of a score, in any spelling that other programs have.

    A threshold is written as in ir_measures.
    """
    threshold = None
    if with_options := _WITH_OPTIONS.fullmatch(text):
        name, options, cutoff = with_options.groups()
        threshold = _read_threshold(options)
    else:
        name, at, cutoff = text.partition("@")
        match = None if at else _WITH_CUTOFF_OF_TREC.fullmatch(text)
        if match and _spelled(match["name"]) in _NAMES:
            name, at, cutoff = match["name"], "@", match["cutoff"]
        cutoff = cutoff if at else None
    return SpelledName(_NAMES.get(_spelled(name), name), cutoff, threshold)


def _read_threshold(options: str) -> float | str:
    """Return the threshold in the options of a name, or the options if they have no other."""
    option, _, value = options.partition("=")
    try:
        threshold = float(value) if option.strip() == "rel" else math.nan
    except ValueError:
        return options
    if not math.isfinite(threshold):
        return options
    return int(threshold) if threshold.is_integer() else threshold


def _spelled(name: str) -> str:
    return name.lower().replace("-", "_")


def _metrics_called(name: str) -> set[str]:
    """Return the metrics that a name in lower case means here, or else in other programs."""
    own = _NAMES.get(name) or _SUGGESTED.get(name)
    return {own} if own else metrics_called(name) or set()


def _advise_on_name(text: str, names: Collection[str]) -> str:
    """Return the advice about a name that finds no score."""
    bare, cutoff, _ = split_name(text)
    if cutoff is None and (match := _CUTOFF_AT_END.fullmatch(text)):
        bare, cutoff = match.groups()
    lower, at_k = _spelled(bare).replace(" ", "_"), f"@{cutoff}" if cutoff else ""
    of_aspect = _OF_ASPECTS.get(lower)
    if of_aspect in names:
        return f"With aspects, '{of_aspect}{at_k}' is a mean over the aspects of a query."
    if not _metrics_called(lower) and (reason := reason_against(text)):
        return reason
    ends = (lower[place:] for place, sign in enumerate(f"_{lower}"[:99]) if sign == "_")
    found = (sorted(_metrics_called(end) & {*names}) for end in ends)  # "ndcg" of "valid_0_ndcg"
    near = next(filter(None, found), [])
    if metrics_called(lower) is None and not near:
        near = difflib.get_close_matches(lower, names, cutoff=0.5)
    takes_k = [each for each in near if "k" in parameters_of(SCORES[each])] if at_k else []
    shown = [repr(f"{each}{at_k}") for each in takes_k] or [repr(each) for each in near]
    measure = only_measure_called(text) if near else ""
    exact = f" {measure!r} gives the numbers of {measure.partition(':')[0]}." if measure else ""
    return (f"Did you mean {' or '.join(shown)}?" if near else "") + exact


def name_of_function(foreign: str) -> str:
    """Return the name here of a function of another library, or nothing for unknown ones."""
    if own := foreign_words()["functions"].get(foreign):
        return str(own)
    name = split_name(foreign.removesuffix("_score")).name
    called = sorted(_metrics_called(name) or _metrics_called(foreign))
    return next((SCORES[each].__name__ for each in called if each in SCORES), "")


def is_several(scores: Any) -> bool:
    """Return whether a caller wrote a list or a dict of scores, instead of one score."""
    return isinstance(scores, Collection) and not isinstance(scores, (str, bytes))


def scores_at(scores: Any, k: Any) -> Any:
    """Return the scores of a caller, of which the default ones have the cutoffs that it passes."""
    is_asked = scores is DEFAULT_SCORES and k is not DEFAULT_CUTOFFS
    return [split_name(name).name for name in scores] if is_asked else scores


def find_scores(scores: Any, caller: str, parameter: str = "scores") -> list[NamedScore]:
    """Return the scores of a list, or of a dict from names to scores."""
    if isinstance(scores, Mapping):
        for name in scores:
            if not isinstance(name, str) or not name:
                got = f"the key {describe(name)}"
                raise invalid(parameter, caller, "a dict whose keys are names", got)
        found = [
            find_score(score, caller, parameter)._replace(name=name)
            for name, score in scores.items()
        ]
    else:
        several = scores if is_several(scores) else [scores]
        found = [find_score(score, caller, parameter) for score in several]
    if not found:
        raise invalid(parameter, caller, "at least one score", describe(scores))
    return found


def after_data(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Explain where the score belongs, if a caller passes it before the data, or not at all."""
    advised = advises_on_keywords(function)

    @wraps(function)
    def call(*args: Parameters.args, **params: Parameters.kwargs) -> Result:
        if args and (callable(args[0]) or isinstance(args[0], str)):
            caller, known = function.__name__, inspect.signature(function).parameters.values()
            data = [each.name for each in known if each.kind is each.POSITIONAL_OR_KEYWORD]
            code = f"The score follows the data: {caller}({', '.join(data)}, score=...)."
            raise invalid(data[0], caller, "the labels", describe(args[0]), code=code)
        return advised(*args, **params)

    return call


def bind_score(
    score: Any, params: dict[str, Any], caller: str, parameter: str = "score", *own: str
) -> NamedScore:
    """Return one score with the parameters that a caller gave for it.

    `own` are those of the caller's parameters that other programs call otherwise.
    """
    found = find_score(score, caller, parameter)
    if isinstance(score, str):
        for name in params.keys() & found.options.keys():
            expected = f"left out beside the name {score!r}"
            raise invalid(name, caller, expected, describe(params[name]))
    check_complete(found, params, caller)
    found = found._replace(options=found.options | params)
    _check_known(found, caller, parameter, *own)
    return found


def bind_scores(
    scores: Sequence[NamedScore],
    params: dict[str, Any],
    caller: str,
    naming: Naming,
    *,
    own: Collection[str] = (),
) -> list[NamedScore]:
    """Return several scores, each with its parameters from those given for all together.

    Parameters that are bound to a score already come first. `k` may hold None for the whole list.
    The default cutoffs hold only if no score has a cutoff of its own.
    `own` are the parameters of the caller itself.
    """
    if params.get("k") is DEFAULT_CUTOFFS and any("k" in each.options for each in scores):
        params = {name: value for name, value in params.items() if name != "k"}
    _check_shared(params, scores, caller, own)
    ranks: list[int] = []
    if "k" in params:
        ranks = check_cutoffs(params["k"], caller).ranks.tolist()
        for k in np.ravel(np.asarray(params["k"], dtype=object)):
            if k is not None and k >= WHOLE_LIST:  # which the names of results could not tell
                expected = f"below 2**{WHOLE_LIST.bit_length()} - 1, or None for the whole list"
                raise invalid("k", caller, expected, describe(k))
    bound = []
    for score in scores:
        known = parameters_of(score.function)
        options = {name: value for name, value in params.items() if name in known}
        check_complete(score, options, caller)
        if "k" in options and "k" not in score.options:
            if WHOLE_LIST in ranks:  # the score raises if it needs a cutoff
                whole = options | score.options | {"k": None}
                score._replace(options=whole).plan(None, None, naming)
            options["k"] = Cutoffs(np.array(ranks), is_single=False)
        bound.append(score._replace(options=options | score.options))
    return bound


def name_results(
    scores: Sequence[NamedScore], plans: Sequence[Plan], caller: str, parameter: str = "scores"
) -> dict[str, tuple[int, int]]:
    """Return the name of each result, such as "ndcg@10", with the indices of plan and cutoff."""
    results: dict[str, tuple[int, int]] = {}
    for number, (score, plan) in enumerate(zip(scores, plans, strict=True)):
        for place, k in enumerate(plan.call.cutoffs.ranks.tolist()):
            name = score.name if k == WHOLE_LIST else f"{score.name.removesuffix(f'@{k}')}@{k}"
            if results.get(name, (-1, 0))[0] == number:
                raise invalid("k", caller, "a list without repeated cutoffs", f"{name!r} twice")
            if name in results:
                expected = "such that each result has a name of its own"
                code = f"Give the scores names of your own: {parameter}={{'name': score, ...}}."
                raise invalid(parameter, caller, expected, f"{name!r} twice", code=code)
            results[name] = number, place
    return results


def _check_shared(
    params: dict[str, Any], scores: Sequence[NamedScore], caller: str, own: Collection[str]
) -> None:
    """Raise unless the scores accept the parameters that are given for all together."""
    if "average" in params:
        expected = "left out: the results are means"
        raise invalid("average", caller, expected, describe(params["average"]))
    own_data = (*ARRAY_PARAMETERS, "labels")
    for score in scores:
        for name in ("y_true", "y_score", "average", *own_data):
            if name in score.options:
                expected = "left out of the parameters bound to a score"
                got = describe(score.options[name])
                code = "" if name == "average" else f"Pass `{name}` for all scores together."
                raise invalid(name, caller, expected, f"{got} for {score.name}", code=code)
        _check_known(score, caller)
    for name, value in params.items():
        if name != "k" and not any(name in parameters_of(score.function) for score in scores):
            known = {each for score in scores for each in parameters_of(score.function)}
            raise _unknown(name, value, known | {*own}, scores, caller)
    check_taken({name: params.get(name) for name in own_data}, scores, caller)


def with_arrays(
    scores: Sequence[NamedScore], arrays: dict[str, Any], caller: str
) -> list[NamedScore]:
    """Return scores with the arrays of some data."""
    given = {name: value for name, value in arrays.items() if value is not None}
    check_taken(given, scores, caller)
    return [score._replace(options=score.options | given) for score in scores]


def check_taken(
    given: Mapping[str, Any],
    scores: Sequence[NamedScore],
    caller: str,
    describe: Callable[[Any], str] = describe,
) -> None:
    """Raise unless each of the scores accepts all arrays, or columns, that are not None."""
    for name, value in given.items():
        for score in scores:
            if value is not None and name not in parameters_of(score.function):
                who = score.function.__name__ if len(scores) == 1 else score.name
                expected = f"None, since {who} does not accept it"
                raise invalid(name, caller, expected, describe(value))


def _check_known(score: NamedScore, caller: str, *own: str) -> None:
    """Raise if a score has an option that is not one of its parameters."""
    known = parameters_of(score.function)
    for name, value in score.options.items():
        if name not in known:
            raise _unknown(name, value, {*known, *own}, [score], caller)


def _unknown(
    name: str, value: Any, known: set[str], scores: Sequence[NamedScore], caller: str
) -> InvalidParameterError:
    """Return the error about a parameter that no score has."""
    names = ", ".join(score.name for score in scores)
    owner = f"any of the scores ({names})" if len(scores) > 1 else names
    return unknown_parameter(name, value, known, owner, caller)


def check_complete(
    score: NamedScore, params: dict[str, Any], caller: str, parameter: str = ""
) -> None:
    """Raise if a required parameter of a score is missing.

    `parameter` is that of the score, if the caller has none for the parameters of scores.
    """
    for name, each in parameters_of(score.function).items():
        is_data = each.kind is each.POSITIONAL_OR_KEYWORD
        is_given = name in params or name in score.options
        if each.default is each.empty and not is_data and not is_given:
            function = score.function.__name__
            code = (
                f"Write '{score.name}@10'."
                if name == "k"
                else f"For example, {name}={foreign_words()['examples'][name]}."
            )
            if parameter:
                expected = f"a score with the `{name}` that {function} needs"
                code = f"Pass `partial({function}, {name}=...)`."
                raise invalid(parameter, caller, expected, repr(score.name), code=code)
            raise invalid(name, caller, f"given for {function}, which needs it", "", code=code)


def no_answer(
    y_true: Any, y_score: Any = None, *, relevance_threshold: float | None = None
) -> Plan:
    """Return the plan of a score of queries without a relevant item: whether the list is empty.

    It is undefined for all other queries. The data of the plan is that of the report.
    """
    call = begin(NO_ANSWER, None, "samples")._replace(depth=1)
    relevance = check_relevance(relevance_threshold, call.function)

    def is_empty(ranked: RankedBlock) -> BlockScores:
        relevant = ranked.relevance(relevance, call.depth, ignore_ties=False)
        has_none = ranked.block.ranked.lengths[:, np.newaxis] == 0
        return BlockScores(np.where(relevant.n_relevant > 0, np.nan, has_none))

    data = CallData(call.function, y_true, y_score)
    need = DataNeeds(call.depth, in_columns=relevance.includes_zero)
    return Plan(call, data, need, is_empty, relevance)


def score_of_no_answer(relevance_threshold: float | None) -> NamedScore:
    """Return the score `no_answer`, with the lowest relevant label of the report."""
    return NamedScore(NO_ANSWER, no_answer, {"relevance_threshold": relevance_threshold})


def only_with_answer(evaluations: Sequence[ScoreEvaluation]) -> list[ScoreEvaluation]:
    """Return evaluations without the queries that have no answer, which only the last one counts.

    The last one is that of `no_answer`.
    """
    *scores, last = evaluations
    has_answer = ~last.is_defined
    return [
        *(
            score._replace(
                values=np.where(has_answer, score.values, np.nan),
                is_defined=score.is_defined & has_answer,
            )
            for score in scores
        ),
        last,
    ]
