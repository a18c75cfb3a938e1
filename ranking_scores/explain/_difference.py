"""The explanation of a number that another program computed."""

from __future__ import annotations

import html
import re
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._by_id import by_id, match_ids
from ranking_scores._base._errors import import_extra, invalid, show_id, show_some, visible
from ranking_scores._base._results import ComparableResult, with_types
from ranking_scores._base._validation import check_real, describe
from ranking_scores._metrics._measure import LEFT_OUT, Convention, default_convention
from ranking_scores._metrics._named import SCORES, NamedScore, is_several, name_of
from ranking_scores._metrics._programs import ProgramScore, programs
from ranking_scores._queries._data import CallData
from ranking_scores.explain._search import (
    ConventionSearch,
    FoundConvention,
    Possible,
    SearchResult,
    Target,
)
from ranking_scores.explain._words import changed_knobs, knob_in_words

Floats = NDArray[np.float64]

_SAME = 1e-12
"""How far the same mean can be from itself if it is computed in two ways."""
_ROUNDING_OF_FLOAT32 = 3e-7
"""How exact the numbers of programs are that compute in float32, relative to 1."""
_ROUNDING_OF_STEPS = 1e-6
"""How far a multiple may be from a whole one, since floats are rounded."""
_MOST_PRINTED_DIGITS = 6
"""A float with up to this number of digits is taken for a number that was printed."""
_LISTED = 5
"""The number of explanations that are printed."""
_SECONDS_UNTIL_PROGRESS = 5
"""A progress bar is shown if the search takes longer."""


@with_types
class Step(NamedTuple):
    """One difference between two programs, and what it does to the mean."""

    words: str
    """The knob and its value, such as "ties by id as text, the greatest first"."""
    change: float
    """The change of the mean if the differences before it are made already."""
    knob: str
    """The name of the knob in `Convention`."""


@dataclass(frozen=True)
class Match:
    """A convention that gives the number.

    Attributes
    ----------
    programs : tuple of str
        The measures of programs that give the same value for each query of the data, such as
        "ranx:ndcg@5". They are scores: pass one to `ranking_report`.

    steps : tuple of Step
        The differences from the score here, and what each adds to the mean. Together they lead
        from `ours` to `value`.

    value : float
        The mean of this convention, with all digits.

    others : int
        The number of other conventions that cannot be told apart from this one on these data.

    query : object
        The query on which this convention differs most from the first match, or None for the
        first match itself.

    convention : Convention
        The convention, with all its knobs.

    score : ProgramScore
        The convention as a score: call it with data, or pass it to `ranking_report`.
    """

    programs: tuple[str, ...]
    steps: tuple[Step, ...]
    value: float
    others: int
    query: Any
    convention: Convention

    @property
    def score(self) -> ProgramScore:
        if self.programs:
            return ProgramScore(self.programs[0], self.convention)
        name = self.convention.metric + (f"@{self.convention.k}" if self.convention.k else "")
        words = [name, *(step.words for step in self.steps)]
        return ProgramScore(", ".join(words), self.convention)


@dataclass(frozen=True, eq=False)
class DifferenceExplanation(ComparableResult):
    """The result of `explain_difference`.

    It prints as text, and as a table in a notebook.

    Attributes
    ----------
    score : str
        The score, such as "ndcg@10".

    ours : float
        Its mean here.

    value : float or ndarray
        The number to be explained, or that of each query.

    matches : tuple of Match
        The conventions that give it: those of programs first, then those with the fewest
        differences from the score here. Conventions with the same value on each query are one
        match. Empty: none of those that were tried gives the number.

    nearest : Match
        The convention whose mean is nearest, or whose values of the queries are.

    possible : tuple of Possible
        The measures of other programs that can give it, since their order of equal scores is not
        defined on these data: their names in `programs`, and the `lowest` and the `highest` mean
        over all orders.

    n_compared : int or None
        The number of queries that were compared, if a dict or a Series has only some of them.
        Those that it lacks count as left out, and are ignored if no convention leaves them out.
        None: all queries were compared.

    n_conventions : int
        The number of conventions that were tried.

    chance : float
        The share of all possible numbers of as many digits, between the lowest and the highest
        mean of a convention, that some convention gives. A number made of nothing matches this
        often. If the score counts hits, such as precision, and can be the number, only numbers
        that it can be are possible: in four queries, precision at 5 is a multiple of 1/20.

    other_metrics : tuple of str
        The names of scores of other metrics that give the number: those of this package, then
        measures of programs with their default options. They are looked for at the cutoff of the
        score and without one, unless the first match is the score here or a program.
    """

    score: str
    ours: float
    value: Any
    matches: tuple[Match, ...]
    nearest: Match
    possible: tuple[Possible, ...]
    n_compared: int | None
    n_conventions: int
    chance: float
    other_metrics: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return "\n".join(map(visible, _lines(self)))

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(repr(self))}</pre>"

    def to_frame(self) -> Any:
        """Return a pandas DataFrame with one row for each step of each match.

        Returns
        -------
        frame : pandas.DataFrame
            The columns are "match" (from 1 on), "programs", "step" and "change".

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        pandas = import_extra("pandas", "pandas", "DifferenceExplanation.to_frame")
        rows = [
            (number, ", ".join(match.programs), step.words, step.change)
            for number, match in enumerate(self.matches, start=1)
            for step in match.steps or (Step("as here", 0.0, ""),)
        ]
        return pandas.DataFrame(rows, columns=["match", "programs", "step", "change"])


def _lines(found: DifferenceExplanation) -> list[str]:
    """Return the lines of an explanation."""
    shown = f"{found.value:g}" if np.ndim(found.value) == 0 else "the values of the queries"
    tried = f"{found.n_conventions} conventions were tried."
    if found.n_compared is not None:
        tried += f" Only the {found.n_compared} queries with a value were compared."
    possible = _possible_lines(found.possible)
    others = _other_metric_lines(found.other_metrics)
    if not found.matches:
        none = f"No convention of {found.score} gives {shown}. {tried}"
        if possible:
            return [none, *possible, *others]
        nearest = _match_lines(found.nearest, found.ours, found.score)
        if others:
            return [none, *others, f"The nearest convention of {found.score} is:", *nearest]
        return [f"{none} The nearest is:", *nearest]
    n_more, lines, head = len(found.matches) - _LISTED, [], []
    if n_more > 1 - _LISTED and np.ndim(found.value) == 0 and found.value == round(found.value, 1):
        head = [f"{len(found.matches)} conventions fit {shown}. The first ones:"]
    for match in found.matches[:_LISTED]:
        if not match.steps:
            lines.append(f"This is {found.score} here.")
        if match.programs:
            away = _distance_in_digits(match.value, found.value)
            lines += _name_programs(match.programs, away, also=bool(lines))
        elif match.steps:
            lines.append(f"{'Also this' if lines else 'This'} convention gives it:")
        if match.steps:
            lines += _match_lines(match, found.ours, found.score)
        if match.query is not None:
            query = show_id(match.query)
            lines.append(f"  it differs most from the first convention in query {query}")
    if n_more > 0:
        lines.append(f"{n_more} more {'matches' if n_more == 1 else 'match'}.")
    if np.ndim(found.value) == 0:
        share = f"{float(f'{100 * found.chance:.2g}'):g} %"  # 100, and not 1e+02
        tried += f" Of all possible numbers of as many digits, {share} match one of them."
    return [*head, *lines, *possible, *others, tried]


def _other_metric_lines(names: tuple[str, ...]) -> list[str]:
    """Return lines with the scores of other metrics, each program with the first measure."""
    if not names:
        return []
    ours = [f"{name} here" for name in names if ":" not in name]
    programs_too = _said_of_programs(tuple(name for name in names if ":" in name))
    return ["Other metrics give it:", *_listed([*ours, *programs_too])]


def _listed(items: Sequence[str]) -> list[str]:
    """Return a line for each of the first items, and one with the number of the others."""
    n_more = len(items) - _LISTED
    more = [f"- and {n_more} more"] if n_more > 0 else []
    return [*(f"- {item}" for item in items[:_LISTED]), *more]


def _possible_lines(possible: tuple[Possible, ...]) -> list[str]:
    """Return lines with the programs that give the number in some order of ties."""
    rows = {each.programs[0].partition(":")[0]: each for each in reversed(possible)}
    if not rows:
        return []
    ranges = [
        f"{name} {programs()[name].version} ({each.programs[0].partition(':')[2]}), "
        f"from {each.lowest:.6f} to {each.highest:.6f}"
        for name, each in reversed(rows.items())
    ]
    return ["Possible, since the order of ties is not defined there:", *_listed(ranges)]


def _not_matched(possible: list[Possible], matches: list[Match]) -> Iterator[Possible]:
    """Yield those of the possible measures whose program has no match."""
    matched = {name.partition(":")[0] for match in matches for name in match.programs}
    for each in possible:
        names = tuple(name for name in each.programs if name.partition(":")[0] not in matched)
        if names:
            yield each._replace(programs=names)


def _distance_in_digits(mean: float, value: Any) -> float:
    """Return how far a mean is from a number if its digits tell them apart, else 0."""
    if np.ndim(value):
        return 0.0
    distance, digits = abs(mean - value), len(repr(value).partition(".")[2])
    return float(distance) if distance > max(0.501 * 10.0**-digits, _SAME) else 0.0


def _name_programs(names: tuple[str, ...], away: float, *, also: bool) -> list[str]:
    """Return lines with the names and versions of programs, each with the first measure.

    `away` is how far their mean is from the number.
    """
    this = "It is also" if also else "This is"
    if away:
        this += f" within {away:.1g} of"
    reporting = _said_of_programs(names)
    if len(reporting) == 1:
        return [f"{this} what {reporting[0]} reports."]
    return [f"{this} what these report:", *_listed(reporting)]


def _said_of_programs(names: tuple[str, ...]) -> list[str]:
    """Return the programs of some measures with their versions, each with the first measure."""
    shown: dict[str, str] = {}
    for name in names:
        program, measure = name.split(":", 1)
        shown.setdefault(program, f"{program} {programs()[program].version} ({measure})")
    return [*shown.values()]


def _match_lines(match: Match, ours: float, score: str) -> list[str]:
    """Return the way from our number to that of a match."""
    rows = [(f"{score} here", f"{ours:.6f}")]
    rows += [(step.words, f"{step.change:+.6f}") for step in match.steps]
    rows.append(("this convention", f"{match.value:.6f}"))
    width = max(len(words) for words, _ in rows)
    lines = [f"  {words:<{width}}  {number:>9}" for words, number in rows]
    if match.others:
        others = "another convention gives"
        if match.others > 1:
            others = f"{match.others} other conventions give"
        lines.append(f"  {others} the same value on every query here")
    return lines


def explain_number(
    data: CallData, score: NamedScore, value: Any, digits: Any, function: str
) -> DifferenceExplanation:
    """Return the conventions that give a number."""
    ours = our_convention(score, function)
    search = ConventionSearch(data, ours, function)
    ids = search.ids if data.query_ids is None else data.ids_of_rows(search.n_queries)
    our_mean = search.mean(ours)
    targets = read_targets(value, digits, search.n_queries, ids, function)
    target, tried = _first_that_explains(search, targets)
    matches = _group(search, tried.found, our_mean, ids)
    is_named = bool(matches) and (not matches[0].steps or bool(matches[0].programs))
    others = () if is_named else search.other_metrics(target, _other_scores(ours))
    is_plain = ours.k is None or isinstance(score.function, ProgramScore)
    return DifferenceExplanation(
        score=score.name if is_plain else f"{score.name}@{ours.k}",
        ours=our_mean,
        value=float(target.values[0]) if target.is_mean else target.values,
        possible=tuple(_not_matched(search.possible(target), matches)),
        n_compared=None if target.is_open is None else int((~target.is_open).sum()),
        matches=tuple(matches),
        nearest=_match(search, tried.nearest, (), our_mean, 0),
        n_conventions=tried.n_conventions,
        chance=_chance(tried, target, search.step()),
        other_metrics=others,
    )


def _first_that_explains(
    search: ConventionSearch, targets: list[Target]
) -> tuple[Target, SearchResult]:
    """Return the first target that a score or a program gives without rounding, and by which.

    If there is none, it is the first that any convention gives. One that rounds gives each number
    of its digits, so that the number may as well be a rounded one of another program.
    """
    first = None
    for target in targets:
        if first and target.is_open is not first[0].is_open:
            break  # no query is open if a convention gives all of them
        tried = search.try_all(target, _Progress())
        if any(_is_named(each, search.ours) for each in tried.found):
            return target, tried
        if first is None and tried.found:
            first = target, tried
    return first or (target, tried)


def _is_named(found: FoundConvention, ours: Convention) -> bool:
    """Return whether a convention that does not round is ours, or that of a program."""
    rounds = found.convention.digits is not None or found.convention.digits_of_mean is not None
    return not rounds and (bool(found.programs) or found.convention == ours)


def _other_scores(ours: Convention) -> dict[str, Convention]:
    """Return the conventions of our scores of other metrics, at a cutoff and without one."""
    names = [name for name in SCORES if name not in (*_UNSEARCHED, ours.metric)]
    with_k = {
        f"{name}@{ours.k}": default_convention(name, ours.k)
        for name in names
        if ours.k is not None and name != "r_precision"
    }
    whole = {name: default_convention(name) for name in names if name not in _WITH_CUTOFF}
    return with_k | whole


def our_convention(score: NamedScore, function: str) -> Convention:
    """Return the convention of a score with its options."""
    name = name_of(score.function)
    of_program = score.function.convention if isinstance(score.function, ProgramScore) else None
    if (of_program.metric if of_program else name) in _UNSEARCHED:
        others = ", ".join(_UNSEARCHED)
        expected = f"a score whose conventions are searched: none of {others}"
        raise invalid("score", function, expected, repr(name))
    knobs: dict[str, Any] = {}
    for option, given in score.options.items():
        if option == "k":
            if np.ndim(given) != 0:
                raise invalid("k", function, "one cutoff, not a list", describe(given))
            knobs["k"] = None if given is None else int(given)
        elif option == "ignore_ties":
            knobs["ties"] = "later column" if given else "average"
        elif option in ("qid", "where", "labels"):
            continue
        elif option == "replace_undefined_by":
            knobs["no_relevant"] = LEFT_OUT if np.isnan(given) else given
        elif option in _KNOB_OF_OPTION and not callable(given) and np.ndim(given) == 0:
            knobs[_KNOB_OF_OPTION[option]] = given
        else:
            expected = "left out, since conventions do not know it"
            raise invalid(option, function, expected, describe(given))
    if of_program:
        return replace(of_program, **knobs)
    if name == "f1" and knobs.get("k") is None:
        knobs["divisor"] = "retrieved"
    return replace(default_convention(name), **knobs)


_UNSEARCHED = ("auc", "pairwise_accuracy", "arp", "judged", "bpref", "alpha_ndcg", "all_relevant")
"""The scores whose conventions are only those of programs, each on its own."""
_WITH_CUTOFF = ("precision", "recall", "f1", "hit_rate")
"""The scores that need a cutoff."""
_KNOB_OF_OPTION = {
    "relevance_threshold": "threshold",
    "denominator": "divisor",
    **{name: name for name in ("gain", "beta", "persistence", "max_grade")},
}
"""The knobs that options of our scores turn."""


def read_targets(value: Any, digits: Any, n_queries: int, ids: Any, function: str) -> list[Target]:
    """Return the number, or the numbers of the queries, that are to be explained.

    There are several targets if that can mean several things: floats of a few digits may be exact
    or rounded, and queries that a dict lacks may be left out or not told.
    """
    is_int = isinstance(digits, (int, np.integer)) and not isinstance(digits, bool)
    if digits is not None and not (is_int and digits >= 0):
        expected = "an int of at least 0, or None for the digits that `value` has"
        raise invalid("digits", function, expected, describe(digits))
    value = value.item() if isinstance(value, np.ndarray) and value.ndim == 0 else value
    is_mean = not is_several(value)
    given, is_open = (
        ([value], None) if is_mean else _numbers_of_queries(value, n_queries, ids, function)
    )
    numbers = [_read_number(each, function, is_mean=is_mean) for each in given]
    values = np.array([number.value for number in numbers])
    if not np.isfinite(values[~np.isnan(values)]).all() or np.isnan(values).all():
        raise invalid("value", function, "a finite number, or one for each query", describe(value))
    known = max(number.digits for number in numbers) if digits is None else digits
    least = _ROUNDING_OF_FLOAT32 * max(1.0, float(np.nanmax(np.abs(values))))
    are_floats = digits is None and not any(number.is_text for number in numbers)
    tolerances = [least] if are_floats else []
    if not are_floats or known <= _MOST_PRINTED_DIGITS:
        tolerances.append(max(0.5 * 10.0**-known, least))
    # Queries without a number were left out, or their numbers were not given.
    may_be_open = [None] if is_open is None or not is_open.any() else [None, is_open]
    return [
        Target(values, tolerance, is_mean, known, open_or_not)
        for open_or_not in may_be_open
        for tolerance in tolerances
    ]


class _Number(NamedTuple):
    """A number as a caller wrote it."""

    value: float
    digits: int
    """The number of digits behind the point."""
    is_text: bool


def _numbers_of_queries(
    value: Any, n_queries: int, ids: Any, function: str
) -> tuple[list[Any], NDArray[np.bool_] | None]:
    """Return the number of each query, NaN for queries that have none, and which a dict lacks."""
    otherwise = "If its values are in the order of the queries, pass `.to_numpy()`."
    given = by_id(value, "value", function, "query_ids", otherwise)
    if given is None or given.is_numbered:
        numbers = list(value)
        if len(numbers) != n_queries or any(np.ndim(each) for each in numbers if is_several(each)):
            expected = f"one number, or one for each of the {n_queries} queries"
            got = f"{len(numbers)} values" if len(numbers) != n_queries else describe(value)
            raise invalid("value", function, expected, got)
        return numbers, None
    if ids is None:
        expected = "an array with one number per query, since the data have no ids of queries"
        raise invalid("value", function, expected, describe(value))
    places, missing, *_ = match_ids(np.asarray(ids), given.ids)
    got = f"a number for {show_some(missing)}" if missing.size else ""
    if not got and np.unique(places).size < places.size:
        got = "several numbers for one of them"
    if got:
        raise invalid("value", function, "one number for each of some queries of the data", got)
    numbers, is_open = [np.nan] * n_queries, np.ones(n_queries, dtype=bool)
    for place, number in zip(places.tolist(), given.values, strict=True):
        numbers[place], is_open[place] = number, False
    return numbers, is_open


_NUMBER = re.compile(r"\s*([-+]?(?:[0-9]+\.?([0-9]*)|\.([0-9]+))(?:[eE]([-+]?[0-9]+))?)\s*(%?)\s*")


def _read_number(value: Any, function: str, *, is_mean: bool) -> _Number:
    """Return a number and how many digits it has behind the point."""
    if not is_mean and (value is None or value is getattr(sys.modules.get("pandas"), "NA", None)):
        return _Number(np.nan, 0, False)
    if isinstance(value, (str, Decimal)):
        match = _NUMBER.fullmatch(str(value))
        if not match:
            raise invalid("value", function, "a number, such as '0.2076'", describe(value))
        digits = len(match[2] or match[3] or "") - int(match[4] or 0)
        share = float(match[1]) / (100 if match[5] else 1)
        return _Number(share, max(digits + 2 * bool(match[5]), 0), True)
    expected = "a number, a text such as '0.2076', or one of these for each query"
    number = check_real(value, "value", function, expected)
    text = repr(number)
    digits = len(text.partition(".")[2]) if "e" not in text else _MOST_PRINTED_DIGITS + 1
    return _Number(number, 0 if np.isnan(number) else digits, False)


def _group(
    search: ConventionSearch, found: list[FoundConvention], ours: float, ids: Any
) -> list[Match]:
    """Return matches, with the conventions together that cannot be told apart."""
    groups: dict[Any, list[FoundConvention]] = {}
    for member in found:
        values = np.round(search.values(member.convention), 9) + 0.0
        key = values.tobytes(), round(search.mean(member.convention), 9)
        groups.setdefault(key, []).append(member)
    matches = []
    for members in groups.values():
        found_names = dict.fromkeys(name for each in members for name in each.programs)
        names = tuple(sorted(found_names, key=lambda name: ("@" not in name, name.count(";"))))
        own = [each for each in members if each.programs] or members
        least = min(
            own, key=lambda each: len(changed_knobs(search.plain(each.convention), search.ours))
        )
        n_others = len({each.convention for each in members}) - 1
        matches.append(_match(search, least.convention, names, ours, n_others))
    matches.sort(key=_order_of)
    return matches[:1] + [_told_apart(search, match, matches[0], ids) for match in matches[1:]]


def _order_of(match: Match) -> tuple[Any, ...]:
    """Return what matches are sorted by: ours, programs, and few differences first."""
    n_options = min((name.count(";") for name in match.programs), default=0)
    return bool(match.steps), not match.programs, len(match.steps), n_options


def _told_apart(search: ConventionSearch, match: Match, first: Match, ids: Any) -> Match:
    """Return a match with the query on which it differs most from the first one."""
    values, others = search.values(match.convention), search.values(first.convention)
    distance = np.where(np.isnan(values) & np.isnan(others), 0, np.abs(values - others))
    distance = np.where(np.isnan(distance), np.inf, distance)
    if not distance.any():  # only the means differ
        return match
    query = int(np.argmax(distance))
    return replace(match, query=query if ids is None else np.asarray(ids)[query])


def _match(
    search: ConventionSearch,
    convention: Convention,
    names: tuple[str, ...],
    ours: float,
    n_others: int,
) -> Match:
    """Return a convention with the way that leads to it."""
    now, mean, steps = search.ours, ours, []
    values = search.values(now)
    for name in changed_knobs(convention, search.ours):
        now = replace(now, **{name: getattr(convention, name)})
        new, new_values = search.mean(now), search.values(now)
        if new != mean or not np.array_equal(values, new_values, equal_nan=True):
            steps.append(Step(knob_in_words(name, convention), new - mean, name))
        mean, values = new, new_values
    return Match(names, tuple(steps), mean, n_others, None, convention)


def _chance(tried: SearchResult, target: Target, step: float) -> float:
    """Return how likely a number made of nothing matches some convention.

    If the score can only be a multiple of `step`, and can be the target, only these numbers count.
    """
    numbers = tried.numbers
    if not target.is_mean or numbers.size < 2:
        return 0.0
    width = 2 * target.tolerance
    if step > width and target.is_near(step * np.round(target.values / step)).all():
        first = np.ceil(numbers[0] / step - _ROUNDING_OF_STEPS)
        last = np.floor(numbers[-1] / step + _ROUNDING_OF_STEPS)
        possible = step * np.arange(first, last + 1)
        after = np.searchsorted(numbers, possible).clip(1, numbers.size - 1)
        sides = np.abs(possible - numbers[after - 1]), np.abs(possible - numbers[after])
        return float((np.minimum(*sides) <= target.tolerance).mean())
    places = np.unique(np.floor(numbers / width))
    return float(min(1.0, places.size / (np.floor((numbers[-1] - numbers[0]) / width) + 1)))


class _Progress:
    """Shows on a terminal how far a long search is."""

    def __init__(self) -> None:
        self._start = time.monotonic()

    def __call__(self, done: int, n: int) -> None:
        """Show that some of `n` steps are done."""
        if sys.stderr.isatty() and time.monotonic() > self._start + _SECONDS_UNTIL_PROGRESS:
            end = "\n" if done + 1 == n else ""
            sys.stderr.write(f"\rexplain_difference: {100 * (done + 1) // n} %{end}")
            sys.stderr.flush()
