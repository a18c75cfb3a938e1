"""Other programs: the table of their conventions, and their measures as scores.

`programs.toml` has a row for each program and each of its measures. A row gives the knobs that
differ from the defaults of `Convention`.
"""

from __future__ import annotations

import difflib
import math
import tomllib
from ast import literal_eval
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranking_scores._base import (
    WHOLE_LIST,
    check_cutoffs,
    check_real,
    describe,
    invalid,
    with_parts,
)
from ranking_scores._metrics._conventions import (
    Convention,
    ConventionBlock,
    ItemKeys,
    default_convention,
    end_mean,
    gain_of,
    needs_order,
)
from ranking_scores._metrics._evaluate import Call, Plan, RankedBlock, begin, evaluate
from ranking_scores._queries import Data, Need, Queries
from ranking_scores.exceptions import InvalidParameterError

Floats = NDArray[np.float64]

_KNOBS = tuple(field.name for field in fields(Convention))
_TEXT = {"true": True, "false": False}
WORDS_OF_MEAN = {"geometric": "geometric mean", "sum": "sum"}


class Measure(NamedTuple):
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


class Program(NamedTuple):
    """A program, as the table has it."""

    name: str
    other_names: tuple[str, ...]
    version: str
    how: Literal["run", "read"]
    """Whether the program was run, or only its source was read."""
    source: str
    about: str
    measures: Mapping[str, Measure]
    bugs: Mapping[str, str]
    """The measures that no convention gives, with the reason."""
    shuffles_ties: bool = False
    """Whether the order of equal scores is random, for which its mean over all orders is taken."""


@cache
def programs() -> Mapping[str, Program]:
    """Return the table of programs, by name."""
    text = files("ranking_scores._metrics").joinpath("programs.toml").read_text("utf-8")
    return {each["name"]: _program_of(each) for each in tomllib.loads(text)["program"]}


def _program_of(row: dict[str, Any]) -> Program:
    shared = {name: value for name, value in row.items() if name in _KNOBS}
    measures = {}
    for each in row["measure"]:
        own = {name: None if value == "as others" else value for name, value in each.items()}
        knobs = shared | {name: value for name, value in own.items() if name in _KNOBS}
        metric = knobs.pop("metric")
        measures[each["name"]] = Measure(
            each["name"],
            metric,
            each.get("cutoff", "optional"),
            knobs,
            row.get("options", {}) | each.get("options", {}),
            each.get("at_k", {}),
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
    name, k = _split(measure, program)
    if name in program.bugs:
        expected = f"a measure of {program.name} that a convention gives"
        raise invalid(parameter, function, expected, repr(measure), program.bugs[name])
    if name not in program.measures:
        plain = {_plain(each): each for each in program.measures}
        near = difflib.get_close_matches(_plain(name), plain, n=2, cutoff=0.5)
        advice = f"Did you mean {' or '.join(repr(plain[each]) for each in near)}?" if near else ""
        listed = ", ".join(program.measures)
        expected = f"a measure of {program.name}: {listed}, alone or as in 'name@10'"
        raise invalid(parameter, function, expected, repr(measure), advice)
    found, options = program.measures[name], dict(options)
    if k is not None and "k" in options:
        raise invalid("k", function, f"left out beside {measure!r}", describe(options["k"]))
    k = options.pop("k", k)
    if k is not None:
        if found.cutoff == "none":
            raise invalid(
                "k", function, f"left out for {name!r}, which has no cutoff", describe(k)
            )
        cutoffs = check_cutoffs(k, function, allow_none=False)
        if not cutoffs.is_single:
            raise invalid("k", function, "one int", describe(k))
        [k] = cutoffs.ranks.tolist()
    elif found.cutoff == "required":
        if parameter != "measure":  # it is a part of a name
            expected = f"a name with a cutoff, such as '{program.name}:{name}@10'"
            raise invalid(parameter, function, expected, repr(measure))
        code = f"Write '{name}@10', or pass k=10."
        raise invalid("k", function, f"given for {name!r}, which needs it", "nothing", code=code)
    full = name_of_measure(program, found, k, options)
    return full, convention_of(found, k, options, function)


def convention_of(
    measure: Measure, k: int | None, options: Mapping[str, Any], function: str
) -> Convention:
    """Return the convention of a measure at a cutoff, with some of its options."""
    knobs = {**measure.knobs, **({} if k is None else measure.at_k)}
    for option, value in options.items():
        knobs |= _knobs_of(measure, option, value, function)
    return replace(default_convention(measure.metric, k), **knobs)


def name_of_measure(
    program: Program, measure: Measure, k: int | None, options: Mapping[str, Any]
) -> str:
    """Return the full name of a measure, such as "CatBoost:NDCG@5;type=Exp"."""
    given = "".join(f";{option}={value}" for option, value in options.items())
    return f"{program.name}:{measure.name}{'' if k is None else f'@{k}'}{given}"


def _split(measure: str, program: Program) -> tuple[str, int | None]:
    """Return the name of a measure and its cutoff, which may be behind any of these signs."""
    if measure in program.measures or measure in program.bugs:
        return measure, None
    head = measure.rstrip("0123456789")
    digits = measure[len(head) :]
    if digits and digits.isascii() and int(digits) > 0:
        for sign in ("@", "_", ".", "_at_"):
            name = head.removesuffix(sign)
            if name != head and (name in program.measures or name in program.bugs):
                return name, int(digits)
    return measure, None


def _knobs_of(measure: Measure, option: str, value: Any, function: str) -> dict[str, Any]:
    """Return the knobs that an option of a measure sets."""
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
    if str(value) not in sets:
        expected = f"one of {', '.join(sets)}"
        raise invalid(option, function, expected, describe(value))
    return dict(sets[str(value)])


@dataclass(frozen=True)
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
        data = Data(call.function, y_true, y_score, qid, labels, where, sample_weight)
        to = self.convention
        if to.mean != "arithmetic" and call.is_plan_wanted:
            expected = (
                f"one whose number is a mean of its queries, not their {WORDS_OF_MEAN[to.mean]}"
            )
            advice = f"Call `like({self.name.partition(':')[0]!r}, ...)` by itself."
            raise invalid("score", call.function, expected, repr(self.name), advice)
        if to.mean == "sum" and average is not None and sample_weight is not None:
            expected = "None, since the number is a sum over the queries"
            raise invalid("sample_weight", call.function, expected, describe(sample_weight))
        if to.mean == "sum":
            call = call._replace(average=None)
        result = evaluate(convention_plan(to, call, data))
        if call.is_plan_wanted or average is None:
            return result
        return end_mean(np.nansum(result) if to.mean == "sum" else float(result), to)


def convention_plan(convention: Convention, call: Call, data: Data) -> Plan:
    """Return the plan of a score with the convention of another program."""

    def values(
        keys: ItemKeys, ranked: RankedBlock, to: Convention = convention
    ) -> tuple[Floats, Floats | None]:
        seen = ranked.once("conventions", lambda: ConventionBlock(ranked, keys, call.function))
        weight = seen.divisor(to) if to.weight == "divisor" else None
        return seen.values(to)[:, None], weight

    def by_chance(keys: ItemKeys, ranked: RankedBlock) -> tuple[Floats, Floats | None]:
        if needs_order(convention):
            expected = "left out, since its divisor depends on the order of the list"
            raise invalid("score", call.function, expected, "a random order")
        return values(keys, ranked, replace(convention, ties="average"))

    gain = gain_of(convention, call.function)
    need = Need(WHOLE_LIST, (gain,), in_columns=True)
    is_loss = convention.is_loss
    return Plan(
        call,
        data,
        need,
        values,
        gain,
        _keys_of,
        greater_is_better=not is_loss,
        score_block_by_chance=by_chance,
    )


def _keys_of(queries: Queries, data: Data) -> ItemKeys:
    return ItemKeys(data.in_columns())


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
        return literal_eval(text)
    except (ValueError, SyntaxError):
        return text
