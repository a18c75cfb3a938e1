"""Other programs: the table of their conventions, and their measures as scores.

`programs.toml` has a row for each program and each of its measures. A row gives the knobs that
differ from the defaults of `Convention`.
"""

from __future__ import annotations

import difflib
import math
import re
import tomllib
from ast import literal_eval
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranking_scores._base._errors import invalid, warn_caller, with_parts
from ranking_scores._base._results import with_types
from ranking_scores._base._validation import (
    WHOLE_LIST,
    check_cutoffs,
    check_log_base,
    check_real,
    check_real_array,
    describe,
)
from ranking_scores._metrics._evaluate import (
    Plan,
    RankedBlock,
    ScoreCall,
    ScoreEvaluation,
    as_it_is,
    begin,
    evaluate,
    run,
)
from ranking_scores._metrics._measure import (
    LEFT_OUT,
    Convention,
    ConventionBlock,
    ItemKeys,
    aggregate_mean,
    default_convention,
    gain_of,
    needs_order,
)
from ranking_scores._metrics._tie_ranges import (
    TieRange,
    has_undefined_orders,
    range_of_block,
    range_of_mean,
)
from ranking_scores._queries._blocks import CheckedQueries
from ranking_scores._queries._data import CallData, DataNeeds
from ranking_scores.exceptions import InvalidParameterError

Floats = NDArray[np.float64]

_KNOBS = tuple(field.name for field in fields(Convention))
_TEXT = {"true": True, "false": False}
"""What CatBoost prints for the values of options that Python has otherwise."""
WORDS_OF_MEAN = {"geometric": "geometric mean", "sum": "sum"}


class ProgramMeasure(NamedTuple):
    """A measure of a program, as the table has it."""

    name: str
    metric: str
    cutoff: str
    """Whether it takes a cutoff: "optional", "required" or "none"."""
    knobs: Mapping[str, Any]
    options: Mapping[str, Any]
    """For each option of the measure, the knob that it sets, or the knobs for each value, or
    "above" if labels above its value are relevant, "divides" if it divides the values, or
    "square of beta"."""
    at_k: Mapping[str, Any] = {}
    """The knobs that differ if there is a cutoff."""
    other_names: tuple[str, ...] = ()


@with_types
class Program(NamedTuple):
    """A program, as the table has it."""

    name: str
    other_names: tuple[str, ...]
    version: str
    how: Literal["run", "read"]
    """Whether the program was run, or only its source was read."""
    source: str
    about: str
    measures: Mapping[str, ProgramMeasure]
    bugs: Mapping[str, str]
    """The measures that no convention gives, with the reason."""
    shuffles_ties: bool = False
    """Whether the order of equal scores is random, for which its mean over all orders is taken."""


@cache
def programs() -> Mapping[str, Program]:
    """Return the table of programs, by name."""
    text = files("ranking_scores._metrics").joinpath("programs.toml").read_text("utf-8")
    return {row["name"]: _program_of(row) for row in tomllib.loads(text)["program"]}


def _program_of(row: dict[str, Any]) -> Program:
    shared = {name: value for name, value in row.items() if name in _KNOBS}
    measures = {}
    for each in row["measure"]:
        own = {name: None if value == "as others" else value for name, value in each.items()}
        knobs = shared | {name: value for name, value in own.items() if name in _KNOBS}
        metric = knobs.pop("metric")
        measures[each["name"]] = ProgramMeasure(
            each["name"],
            metric,
            each.get("cutoff", "optional"),
            knobs,
            row.get("options", {}) | each.get("options", {}),
            each.get("at_k", {}),
            tuple(each.get("other_names", ())),
        )
    return Program(
        row["name"],
        tuple(row.get("other_names", ())),
        row["version"],
        row["how"],
        row["source"],
        row.get("about", ""),
        measures,
        {each["name"]: each["reason"] for each in row.get("bug", ())},
        row.get("shuffles_ties", False),
    )


def find_program(name: Any, function: str, parameter: str = "program") -> Program:
    """Return a program by any of its names, in upper or lower case."""
    known = _by_plain_name()
    if isinstance(name, str) and _plain(name) in known:
        return known[_plain(name)]
    near = difflib.get_close_matches(_plain(str(name)), known, n=2, cutoff=0.5)
    names = dict.fromkeys(repr(known[each].name) for each in near)
    advice = f"Did you mean {' or '.join(names)}?" if near else ""
    expected = f"one of {', '.join(programs())}"
    raise invalid(parameter, function, expected, describe(name), advice)


def is_of_program(text: str) -> bool:
    """Return whether a text begins with the name of a program, as in "ranx:ndcg@5"."""
    name, sign, _ = text.partition(":")
    return bool(sign) and _plain(name) in _by_plain_name()


@cache
def _by_plain_name() -> Mapping[str, Program]:
    """Return the programs by all their names, in the form in which these are compared."""
    return {
        _plain(name): program
        for program in programs().values()
        for name in (program.name, *program.other_names)
    }


def _plain(name: str) -> str:
    """Return the name of a program in the form in which names are compared."""
    return name.lower().replace("-", "_").replace(" ", "_")


def find_convention(
    program: Program,
    measure: Any,
    options: Mapping[str, Any],
    function: str,
    parameter: str = "measure",
) -> tuple[str, Convention]:
    """Return the full name of a measure of a program, and its convention."""
    if not isinstance(measure, str):
        raise invalid(
            parameter, function, f"the name of a measure of {program.name}", describe(measure)
        )
    spelled, in_name = _without_options(measure, program)
    name, k = _split(spelled, program)
    if name not in program.measures:
        near = [name] if name in program.bugs else _similar_measures(name, program)
        if near and near[0] in program.bugs:
            expected = f"a measure of {program.name} that a convention gives"
            raise invalid(parameter, function, expected, repr(measure), program.bugs[near[0]])
        advice = f"Did you mean {' or '.join(map(repr, near))}?" if near else ""
        listed = ", ".join(program.measures or program.bugs)
        expected = f"a measure of {program.name}: {listed}, alone or as in 'name@10'"
        raise invalid(parameter, function, expected, repr(measure), advice)
    found, options = program.measures[name], dict(options)
    for option in in_name.keys() & options.keys():
        raise invalid(option, function, f"left out beside {measure!r}", describe(options[option]))
    options = in_name | options
    for option in options.keys() & program.bugs.keys():
        raise invalid(
            option, function, "left out", describe(options[option]), program.bugs[option]
        )
    if k is not None and "k" in options:
        raise invalid("k", function, f"left out beside {measure!r}", describe(options["k"]))
    is_in_name, k = k is not None, options.pop("k", k)
    if k is not None:
        if found.cutoff == "none":
            alike = [each for each in program.measures.values() if each.metric == found.metric]
            near = [repr(f"{each.name}@{k}") for each in alike if each.cutoff != "none"]
            advice = f"Did you mean {' or '.join(near)}?" if near else ""
            expected, got = f"left out for {name!r}, which has no cutoff", describe(k)
            if is_in_name:
                expected, got = f"without a cutoff for {name!r}, which has none", repr(measure)
            raise invalid(parameter if is_in_name else "k", function, expected, got, advice)
        cutoffs = check_cutoffs(k, function, allow_none=False)
        if not cutoffs.is_single:
            raise invalid("k", function, "one int", describe(k))
        [k] = cutoffs.ranks.tolist()
    elif found.cutoff == "required":
        if parameter != "measure":  # it is a part of a name
            expected = f"a name with a cutoff, such as '{program.name}:{name}@10'"
            raise invalid(parameter, function, expected, repr(measure))
        code = f"Write '{name}@10', or pass k=10."
        raise invalid("k", function, f"given for {name!r}, which needs it", "", code=code)
    convention = convention_of(found, k, options, function)
    return name_of_measure(program, found, k, options), convention


def convention_of(
    measure: ProgramMeasure, k: int | None, options: Mapping[str, Any], function: str
) -> Convention:
    """Return the convention of a measure at a cutoff, with some of its options."""
    knobs = {**measure.knobs}
    if k is not None:  # of which the knob k is the default
        knobs |= {**measure.at_k, "k": k}
    for option, value in options.items():
        knobs |= _knobs_of(measure, option, value, function)
    return replace(default_convention(measure.metric, k), **knobs)


def name_of_measure(
    program: Program, measure: ProgramMeasure, k: int | None, options: Mapping[str, Any]
) -> str:
    """Return the full name of a measure, such as "CatBoost:NDCG@5;type=Exp"."""
    given = "".join(_option_in_name(option, value) for option, value in options.items())
    return f"{program.name}:{measure.name}{'' if k is None else f'@{k}'}{given}"


def _option_in_name(option: str, value: Any) -> str:
    if option == "gains":
        return "." + ",".join(f"{level}={gain}" for level, gain in value.items())
    return f";{option}={value.tolist() if isinstance(value, np.ndarray) else value}"


_WITH_GAINS = re.compile(r"([^.]+)\.([0-9]+=.+)")
_IN_PARENTHESES = re.compile(r"([^()@]+)\(([^()]*)\)(@[0-9]+)?")
_WITH_LEVEL = re.compile(r"(.+)-l([0-9]+)")
_WITH_MINUS = re.compile(r"(.+)(@[0-9]+)-")


def _without_options(measure: str, program: Program) -> tuple[str, dict[str, Any]]:
    """Return a measure without the options that its program writes into the name, and these.

    ir_measures writes P(rel=2)@5, ranx map@10-l2, trec_eval ndcg.1=0,2=0.5, and CatBoost
    NDCG:top=10;type=Exp. XGBoost has the minus of a name behind the cutoff, as in ndcg@5-.
    """
    if measure in program.measures or measure in program.bugs:
        return measure, {}
    given: list[str] = []
    if found := _WITH_GAINS.fullmatch(measure):
        pairs = [each.partition("=") for each in found[2].split(",")]
        gains = {_read_option(level): _read_option(gain) for level, _, gain in pairs}
        return found[1], {"gains": gains if len(gains) == len(pairs) else found[2]}
    if found := _IN_PARENTHESES.fullmatch(measure):
        measure, given = found[1] + (found[3] or ""), found[2].split(",")
    elif ":" in measure:
        measure, _, text = measure.partition(":")
        text = re.sub("top=-1(;|$)", "", text, count=1)  # the whole list
        given = text.replace("top=", "k=", 1).split(";")
    elif (found := _WITH_LEVEL.fullmatch(measure)) and any(
        "rel_lvl" in each.options for each in program.measures.values()
    ):
        return found[1], {"rel_lvl": int(found[2])}
    elif (found := _WITH_MINUS.fullmatch(measure)) and f"{found[1]}-" in program.measures:
        return f"{found[1]}-{found[2]}", {}
    parts = (each.partition("=") for each in given if each.strip())
    return measure, {option.strip(): _read_option(value.strip()) for option, _, value in parts}


def _split(measure: str, program: Program) -> tuple[str, int | None]:
    """Return the name of a measure and its cutoff, which may be behind any of these signs."""
    names = {each: each for each in (*program.measures, *program.bugs)}
    for each in program.measures.values():
        names |= dict.fromkeys(each.other_names, each.name)
    if measure in names:
        return names[measure], None
    head = measure.rstrip("0123456789")
    digits = measure[len(head) :]
    if digits and digits.isascii() and int(digits) > 0:
        for sign in ("@", "_", ".", "_at_"):
            name = head.removesuffix(sign)
            # Names such as ndcg_at_k have the number in the place of the k.
            for spelled in (name, f"{name}_at_k" if sign == "_at_" else name):
                if name != head and spelled in names:
                    return names[spelled], int(digits)
    return measure, None


def _similar_measures(name: str, program: Program) -> list[str]:
    """Return the measures of a program that a name of none of them may mean.

    A name that other programs have means the measures of the same metric, however they are
    spelled: "mrr" is recip_rank in trec_eval, and not Rprec. It may be none. With a cutoff, those
    that take one come first.
    """
    alone, cutoff = _without_cutoff(name), _CUTOFF.fullmatch(name)
    refused = {_plain(measure): measure for measure in program.bugs}
    measures = sorted(
        program.measures.values(), key=lambda each: bool(cutoff) and each.cutoff == "none"
    )
    plain = {_plain(name): each for each in reversed(measures) for name in _names_of(each)}
    metrics = metrics_called(name)
    if (of_rbp := RBP_WITH_PERSISTENCE.fullmatch(name)) and "rbp" in program.measures:
        return [f"rbp(p={of_rbp[1]})"]
    if alone in refused and alone not in plain:
        return [refused[alone]]
    if alone in plain and not (cutoff and plain[alone].cutoff == "none"):
        near = [plain[alone]]
    elif metrics is not None:
        same_metric = (each for each in measures if each.metric in metrics)
        near = [each for each in same_metric if "discount" not in each.knobs][:2]
    else:
        close = difflib.get_close_matches(_plain(name), plain, n=2, cutoff=0.5)
        near = [plain[each] for each in close]
    return [
        f"{each.name}@{cutoff[1]}" if cutoff and each.cutoff != "none" else each.name
        for each in near
    ]


def reason_against(name: str) -> str:
    """Return why no program's measure of a name can be had, or nothing."""
    alone = _without_cutoff(name)
    for program in programs().values():
        for each, reason in program.bugs.items():
            if _plain(each) == alone:
                return f"{each} of {program.name}: {reason}"
    return ""


def only_measure_called(name: str) -> str:
    """Return the full name of a measure if it is of one program alone, or nothing."""
    alone = _without_cutoff(name)
    found = [
        program.name
        for program in programs().values()
        if any(alone in map(_plain, _names_of(each)) for each in program.measures.values())
    ]
    return f"{found[0]}:{name}" if len(found) == 1 else ""


RBP_WITH_PERSISTENCE = re.compile(r"rbp(?:@|\(p=)?(0?\.[0-9]+)\)?", re.IGNORECASE)
_CUTOFF = re.compile(r".*[@_.]([1-9][0-9]*)")


def _names_of(measure: ProgramMeasure) -> tuple[str, ...]:
    return measure.name, *measure.other_names


def metrics_called(name: str) -> set[str] | None:
    """Return the metrics that a name means in all programs; None: no program has it."""
    return _metrics_by_name().get(_without_cutoff(name))


def is_measure(name: str) -> bool:
    """Return whether a name, perhaps with a cutoff, is that of a measure of a program."""
    return metrics_called(name) is not None


def _without_cutoff(name: str) -> str:
    """Return the name of a measure, in the form in which names are compared."""
    return re.sub(r"(\([^()]*\))?(_at|_cut)?([@_.][0-9.]*)?$", "", _plain(name))


_OFTEN = {
    "accuracy": "hit_rate",
    "average_precision": "map",
    "f": "f1",
    "rall": "all_relevant",
    "rbp": "rbp",
    "recall": "recall",
    "recall_any": "hit_rate",
}
"""What is most often meant by a name of no program, or of several metrics."""


@cache
def _metrics_by_name() -> Mapping[str, set[str]]:
    """Return the metrics that measures of a name have in all programs, none if it has no row."""
    found = {name: {metric} for name, metric in _OFTEN.items()}
    for program in programs().values():
        for measure in program.measures.values():
            for name in _names_of(measure):
                if _plain(name) not in _OFTEN:
                    found.setdefault(_plain(name), set()).add(measure.metric)
        for name in program.bugs:
            found.setdefault(_plain(name), set())
    return found


_CUTOFFS = {
    *("top", "topk", "top_k", "topn", "top_n", "n", "K", "ks", "k_values", "depth", "ats"),
    *("at", "eval_at", "ndcg_eval_at", "cutoff", "cutoffs"),
}
"""What programs call the cutoff, which is `k` here."""


def _knobs_of(measure: ProgramMeasure, option: str, value: Any, function: str) -> dict[str, Any]:
    """Return the knobs that an option of a measure sets."""
    if option in _CUTOFFS - measure.options.keys():
        code = f"Pass k={value}." if isinstance(value, int) else "Pass k=10 for a cutoff of 10."
        expected = "left out, since `k` is the cutoff of all programs here"
        raise invalid(option, function, expected, describe(value), code=code)
    if option not in measure.options:
        known = ", ".join(measure.options) or "none"
        expected = f"left out for {measure.name!r}, whose options are: {known}"
        raise invalid(option, function, expected, describe(value))
    sets = measure.options[option]
    if isinstance(sets, str):  # the knob that takes the value
        number = check_real(value, option, function, "a number")
        if not (0 <= number <= 1 if sets == "persistence" else math.isfinite(number)):
            expected = "a number from 0 to 1" if sets == "persistence" else "a finite number"
            raise invalid(option, function, expected, describe(value))
        if sets == "square of beta":
            if not number >= 0:
                raise invalid(option, function, "a number of at least 0", describe(value))
            return {"beta": math.sqrt(number)}
        if sets == "divides":  # the values
            if not number > 0:
                raise invalid(option, function, "a number above 0", describe(value))
            return {"scale": 1 / number}
        if sets == "above":  # a threshold that must be exceeded, not reached
            sets, number = "threshold", math.nextafter(number, math.inf)
        if sets == "threshold" and not number > 0:
            advice = "Otherwise items without a judgment would be relevant here, unlike there."
            raise invalid(
                option, function, "such that a label of 0 is not relevant", describe(value), advice
            )
        return {sets: int(number) if sets == "max_grade" else number}
    if option in _OF_ANY_VALUE and not (sets and isinstance(value, str)):
        return _OF_ANY_VALUE[option](option, value, measure, function)
    if str(value) not in sets:
        expected = f"one of {', '.join(sets)}"
        raise invalid(option, function, expected, describe(value))
    return dict(sets[str(value)])


def _table_of_gains(
    option: str, value: Any, measure: ProgramMeasure, function: str
) -> dict[str, Any]:
    """Return the knobs of a table with the gains of the labels 0, 1, 2, ...

    The ideal of LightGBM is in the order of the labels, which is that of gains that do not fall.
    """
    gains = check_real_array(value, option, function)
    is_table = gains.ndim == 1 and gains.size > 0
    if not is_table or not (np.isfinite(gains) & (np.diff(gains, prepend=0) >= 0)).all():
        expected = "a list of finite gains, one for each label from 0 on, that do not fall"
        raise invalid(option, function, expected, str(value))
    return {"gain": tuple(gains.tolist())}


def _gains_of_levels(
    option: str, value: Any, measure: ProgramMeasure, function: str
) -> dict[str, Any]:
    """Return the knobs of the gains of some labels.

    trec_eval sorts the labels by the whole part of the difference of their gains, first those that
    are named. So it may miss the best order of gains that are less than 1 apart.
    """
    pairs = tuple(value.items()) if isinstance(value, Mapping) else ()
    are_right = bool(pairs)
    for level, gain in pairs:
        are_numbers = isinstance(level, int) and isinstance(gain, int | float)
        are_right = are_right and are_numbers and level >= 0 and 0 <= gain < math.inf
    if not are_right or value.get(0):
        expected = "gains of at least 0 of labels above 0, each once: {1: 0, 2: 0.5}"
        advice = "A label of 0 gains nothing here."
        raise invalid(option, function, expected, describe(value), advice)
    named_first = {**value} | {n: n for n in range(max(value) + 1) if n not in value}
    gains = np.array([*named_first.values()], np.float64)
    apart = np.diff(np.sort(gains))
    if (np.diff(gains) < 0).any() and ((apart > 0) & (apart < 1)).any():
        rising = sorted(named_first.items(), key=lambda pair: (pair[1], pair[0]))
        names = ",".join(f"{level}={gain}" for level, gain in rising)
        warn_caller(
            "trec_eval takes gains that are less than 1 apart for equal in the ideal of nDCG, "
            "which may be too low there. It is the best possible one here. trec_eval has it, too, "
            f"if the labels from 0 on are named by rising gain: ndcg.{names}",
            UserWarning,
        )
    return {"gain": pairs}


def _scale_of_base(
    option: str, value: Any, measure: ProgramMeasure, function: str
) -> dict[str, Any]:
    """Return the knobs of the base of a logarithm, which cancels in nDCG."""
    base = check_log_base(value, function)
    return {"scale": math.log2(base)} if measure.metric == "dcg" else {}


def _highest_label(
    option: str, value: Any, measure: ProgramMeasure, function: str
) -> dict[str, Any]:
    """Return the knobs of the highest label that is allowed, on which no value depends."""
    check_real(value, option, function, "a number")
    return {}


_OF_ANY_VALUE = {
    "label_gain": _table_of_gains,
    "gains": _gains_of_levels,
    "log_base": _scale_of_base,
    "ground_truth_label_max": _highest_label,
    "hints": lambda *given: {},
}
"""The options that take more values than those in the table, which explanations try."""


@dataclass(frozen=True, repr=False)
class ProgramScore:
    """A measure of another program as a score of this package.

    It is called like the other scores, without `k`, which belongs to the measure.

    Attributes
    ----------
    name : str
        The program and its measure, such as "trec_eval:ndcg_cut@10".
    convention : Convention
        What the program does.
    """

    name: str
    convention: Convention

    def __repr__(self) -> str:
        """Return the name, and the first sentence about the program."""
        program = programs()[self.name.partition(":")[0]]
        return f"{self.name} ({program.about.partition('. ')[0].rstrip('.')})"

    @property
    def __name__(self) -> str:
        return self.name

    def __call__(
        self,
        y_true: Any,
        y_score: ArrayLike | None = None,
        *,
        sample_weight: ArrayLike | None = None,
        where: ArrayLike | None = None,
        qid: ArrayLike | None = None,
        labels: ArrayLike | None = None,
        average: Literal["samples"] | None = "samples",
    ) -> float | Floats:
        call = begin(self.name, None, average)
        data = CallData(call.function, y_true, y_score, qid, labels, where, sample_weight)
        convention = self.convention
        if convention.mean != "arithmetic" and call.is_plan_wanted:
            mean = WORDS_OF_MEAN[convention.mean]
            expected = f"one whose number is a mean of its queries, not their {mean}"
            advice = f"Call `like({self.name.partition(':')[0]!r}, ...)` by itself."
            raise invalid("score", call.function, expected, repr(self.name), advice)
        if convention.mean == "sum" and average is not None and sample_weight is not None:
            expected = "None, since the number is a sum over the queries"
            raise invalid("sample_weight", call.function, expected, describe(sample_weight))
        if convention.mean == "sum":
            call = call._replace(average=None)
        plan = convention_plan(convention, call, data)
        if call.is_plan_wanted:
            return evaluate(plan)
        if convention.none_relevant is not None:
            others = replace(convention, no_relevant=LEFT_OUT)
            [found] = run([(convention_plan(others, call, data), as_it_is)], plan.data)
            if np.isnan(found.values).all():
                convention = replace(convention, no_relevant=convention.none_relevant)
                plan = convention_plan(convention, call, data)
        if has_undefined_orders(convention):
            evaluation = evaluation_with_ties(plan, self.name, convention)
        else:
            [evaluation] = run([(plan, as_it_is)], plan.data)
        if average is None:
            return evaluation.result()
        if convention.mean_of_none is not None and np.isnan(evaluation.values).all():
            return convention.mean_of_none
        result = evaluation.result()
        return aggregate_mean(
            np.nansum(result) if convention.mean == "sum" else float(result), convention
        )


def convention_plan(convention: Convention, call: ScoreCall, data: CallData) -> Plan:
    """Return the plan of a score with the convention of another program."""

    def values(
        keys: ItemKeys, ranked: RankedBlock, convention: Convention = convention
    ) -> tuple[Floats, Floats | None]:
        seen = ranked.once("conventions", lambda: ConventionBlock(ranked, keys, call.function))
        return seen.values(convention)[:, None], seen.query_weight(convention)

    def by_chance(keys: ItemKeys, ranked: RankedBlock) -> tuple[Floats, Floats | None]:
        if needs_order(convention):
            expected = "left out, since its divisor depends on the order of the list"
            raise invalid("score", call.function, expected, "a random order")
        return values(keys, ranked, replace(convention, ties="average"))

    gain = gain_of(convention, call.function)
    need = DataNeeds(WHOLE_LIST, (gain,), in_columns=True)
    greater_is_better, chance = not convention.is_loss, by_chance
    return Plan(call, data, need, values, gain, _keys_of, greater_is_better, chance)


def evaluation_with_ties(plan: Plan, name: str, convention: Convention) -> ScoreEvaluation:
    """Return the evaluation of a plan.

    Warn if ties whose order is not defined can change it.
    """

    def part(number: int) -> Plan:
        def values(keys: ItemKeys, ranked: RankedBlock) -> tuple[Floats, None]:
            seen = ranked.once(
                "conventions", lambda: ConventionBlock(ranked, keys, plan.call.function)
            )
            ties = ranked.once(
                ("range of ties", convention), lambda: range_of_block(seen, convention)
            )
            return ties[number].astype(np.float64)[:, None], None

        return plan._replace(score_block=values)

    parts = [plan, *(part(number) for number in range(len(TieRange._fields)))]
    ours, *others = run([(each, as_it_is) for each in parts], plan.data)
    lowest, highest, may_be_left_out = (other.values[:, 0] for other in others)
    ties = TieRange(lowest, highest, may_be_left_out > 0)
    n_wide = int(ties.is_wide().sum())
    if n_wide:
        least, greatest = range_of_mean(ties, ours.sample_weight, convention)
        which_lists = (
            f" in lists of more than {convention.ordered_to} predictions"
            if convention.ordered_to
            else ""
        )
        queries = "1 query" if n_wide == 1 else f"{n_wide} queries"
        warn_caller(
            f"{name}: {name.partition(':')[0]} does not define the order of equal scores"
            f"{which_lists}, and it makes a difference in {queries}. The mean can be from "
            f"{least:.6g} to {greatest:.6g}.",
            UserWarning,
        )
    return ours


def _keys_of(queries: CheckedQueries, data: CallData) -> ItemKeys:
    return ItemKeys(data.in_columns(), queries.weight)


def find_program_score(text: str, function: str, parameter: str) -> ProgramScore:
    """Return a measure of a program by its full name, such as "CatBoost:NDCG@5;type=Exp"."""
    name, _, measure = text.partition(":")
    measure, *given = measure.split(";")
    options = {}
    for each in given:
        option, sign, value = each.partition("=")
        if not sign:
            expected = "a name whose options are written as in 'CatBoost:NDCG@5;type=Exp'"
            raise invalid(parameter, function, expected, repr(text))
        options[option] = _read_option(value)
    program = find_program(name, function, parameter)
    try:
        return ProgramScore(*find_convention(program, measure, options, function, parameter))
    except InvalidParameterError as error:
        if error.parameter == parameter:
            raise
        expected = f"a name whose {error.parameter!r} is {error.expected}"
        raise with_parts(error, parameter=parameter, expected=expected, code="") from None


def _read_option(text: str) -> Any:
    """Return the value of an option that is written in a name."""
    try:
        return _TEXT[text] if text in _TEXT else literal_eval(text)
    except (ValueError, SyntaxError):
        return text
