"""A call with two forms of one truth, perhaps with a defect, and what must come of it.

The right number must come, or one clear refusal, or the number that is defined for such data with
words that say so. No other number may come, and no other error.
"""

from __future__ import annotations

import io
import json
import random
import re
import warnings
from collections.abc import Callable
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from tempfile import TemporaryDirectory
from typing import Any

from ranking_scores import ranking_report
from ranking_scores.__main__ import main
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.tables import from_lists, from_tables, read_json
from ranking_scores.trec import read_qrels, read_run

from .truth import AGREEMENTS, SCORES, Truth, Values
from .writers import FORMS, Content, Form, Lists, Table, UnfitError

TOLERANCE = 1e-12
Means = dict[str, float]
AGREEMENT = "agreement"
"""The door of the command without judgments, with two runs."""


class FailureError(Exception):
    """What a call did that it must not do."""


@dataclass
class Case:
    """A call, and what may come of it."""

    rng: random.Random
    door: str
    forms: tuple[Form, Form]
    """The form of the judgments, and that of what was found."""
    which: int
    """The side with the defect."""
    defect: str
    meant: Truth
    """What is true."""
    written: Truth
    """What the files say."""
    contents: list[Content] = field(default_factory=list)
    named: dict[str, str] = field(default_factory=dict)
    """The names of columns or fields that the caller passes, by their roles."""
    options: list[str] = field(default_factory=list)
    """Other options of the command."""
    files: dict[str, bytes] = field(default_factory=dict)
    arguments: list[str] = field(default_factory=list)
    """The paths that are passed to the command."""
    has_right: bool = True
    """Whether the right number may come."""
    may_refuse: bool = False
    defined: list[tuple[Means, str]] = field(default_factory=list)
    """Other numbers that may come with words, as a regular expression."""
    later: Callable[[Case], None] | None = None
    """What is still to be changed, when there are contents."""

    @property
    def is_command(self) -> bool:
        """Whether the call is one of the command."""
        return self.door in ("command", AGREEMENT)

    @property
    def form(self) -> Form:
        """The form of the side with the defect."""
        return self.forms[self.which]

    @property
    def content(self) -> Any:
        """The content of this side."""
        return self.contents[self.which]

    def table(self) -> Table:
        """Return this content, if it is a table."""
        if not isinstance(self.content, Table):
            raise UnfitError
        return self.content

    def lists(self) -> Lists:
        """Return this content, if it has lists."""
        if not isinstance(self.content, Lists):
            raise UnfitError
        return self.content

    def path(self, side: int | None = None) -> str:
        """Return the path of a side, by default of that with the defect."""
        return self.arguments[self.which if side is None else side]

    def values(self) -> Values:
        """Return what the side with the defect says."""
        return self.written.found if self.which else self.written.judged

    def write(self, values: Values) -> None:
        """Let this side say something else than what is meant."""
        self.written = replace(self.written, **{"found" if self.which else "judged": values})

    def mean(self, values: Values) -> None:
        """Let this side say something else, which is meant."""
        self.write(values)
        self.meant = self.written

    def define(self, truth: Truth, words: str, *, has_ranks: bool = False) -> None:
        """Let the number of another truth come, too, if something says so.

        With `has_ranks`, its scores count although the form has only ranks. Two runs have no such
        numbers.
        """
        need(self.door != AGREEMENT)
        self.defined.append((self.means(truth, has_ranks=has_ranks), words))

    def means(self, truth: Truth, *, has_ranks: bool = False) -> Means:
        """Return the right numbers of what the forms can say of a truth."""
        judged, found = self.forms
        if judged.holds != "numbers":
            truth = truth.as_relevant()
        if judged.holds == "relevant rows":
            judged_rows = {query: items for query, items in truth.judged.items() if items}
            truth = replace(truth, judged=judged_rows)
        is_order = found.holds == "order" and not has_ranks
        return (truth.in_order() if is_order else truth).means()

    def __str__(self) -> str:
        defect = f"{self.defect} of the {('judgments', 'run')[self.which]}"
        return f"forms: {self.door}: {self.forms[0].name} | {self.forms[1].name} | {defect}"


@dataclass
class Outcome:
    """What came of a call."""

    means: Means | None = None
    words: str = ""
    """All that was said."""
    refusal: str = ""
    fault: str = ""
    """What must never come."""


# --- the doors --------------------------------------------------------------------------------


def call_command(case: Case) -> Outcome:
    """Return what the command does with the files."""
    named = [part for role, name in case.named.items() for part in (f"--{role}", name)]
    options = [*case.forms[0].options, *case.forms[1].options, *case.options, *named]
    output, errors = io.StringIO(), io.StringIO()
    scores = list(AGREEMENTS) if case.door == AGREEMENT else SCORES
    options += ["--agreement"] * (case.door == AGREEMENT)
    arguments = [*case.arguments, *options, "-m", *scores, "--format", "json"]
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        with redirect_stdout(output), redirect_stderr(errors):
            try:
                status = main(arguments)
            except Exception as error:  # every other error is a fault
                return Outcome(fault=f"{type(error).__name__}: {error}")
    said = errors.getvalue()
    if status == 0:
        records = json.loads(output.getvalue())
        notes = [note for record in records for note in record.get("notes", [])]
        words = said + "\n".join(dict.fromkeys(notes))
        found = {record["score"]: record["mean"] for record in records}
        return Outcome({name: found[name] for name in scores}, words)
    lines = said.splitlines()
    n_errors = sum(line.startswith("ranking-scores: error: ") for line in lines)
    is_said = n_errors == 1 and all(line.startswith("ranking-scores: ") for line in lines)
    if status != 2 or output.getvalue() or not is_said or max(map(len, lines)) > 1000:
        return Outcome(fault=f"status {status}: {said!r}")
    return Outcome(refusal=lines[-1].removeprefix("ranking-scores: error: "))


def call_python(case: Case, read: Callable[[Case], Any]) -> Outcome:
    """Return what a function does, and the report of its data."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            data = read(case)
            report = ranking_report(data, scores=SCORES, k=None)
        except InvalidParameterError as error:
            return Outcome(refusal=str(error))
        except Exception as error:  # every other error is a fault
            return Outcome(fault=f"{type(error).__name__}: {error}")
    words = [str(each.message) for each in said] + [*data.notes, str(data.queries_seen)]
    means = {name: float(report.mean[name]) for name in SCORES}
    return Outcome(means, "\n".join(words))


def by_tables(case: Case, judged: Any, found: Any) -> Any:
    """Return the data of two tables."""
    options = dict(case.named)
    if case.forms[0].holds == "relevant rows":
        options["label"] = None  # type: ignore[assignment]
    return from_tables(judged, found, **options)


def by_from_tables(case: Case) -> Any:
    """Return the data of two objects with rows."""
    return by_tables(case, *(content.as_object() for content in case.contents))


def by_from_lists(case: Case) -> Any:
    """Return the data of two objects with lists."""
    return from_lists(*(content.as_object() for content in case.contents))


def by_read_json(case: Case) -> Any:
    """Return the data of two files of JSON."""
    names = {role: case.named[role] for role in ("query", "item") if role in case.named}
    contents = [read_json(path, **names) for path in case.arguments]
    if isinstance(case.contents[0], Table):
        return by_tables(case, *contents)
    for number, field_name in enumerate(("relevant", "retrieved")):
        name = case.named.get(field_name, field_name)
        content = contents[number % len(contents)]
        if name in content:
            contents[number : number + 1] = [content[name]]
    return from_lists(*contents)


def by_read_trec(case: Case) -> Any:
    """Return the data of two files of TREC."""
    return from_tables(read_qrels(case.path(0)), read_run(case.path(1)))


DOORS: dict[str, Callable[[Case], Any]] = {
    "from_tables": by_from_tables,
    "from_lists": by_from_lists,
    "read_json": by_read_json,
    "read_trec": by_read_trec,
}


def call(case: Case) -> Outcome:
    """Write the files of a case, and make the call."""
    with TemporaryDirectory() as folder, chdir(folder):
        for path, content in case.files.items():
            with open(path, "wb") as file:
                file.write(content)
        if case.is_command:
            return call_command(case)
        return call_python(case, DOORS[case.door])


# --- the law ----------------------------------------------------------------------------------


def are_close(some: Means, others: Means) -> bool:
    """Return whether all numbers are equal."""
    return all(abs(value - others[name]) <= TOLERANCE for name, value in some.items())


def broken(case: Case, outcome: Outcome) -> str:
    """Return how the outcome of a case breaks the law; empty: it keeps it."""
    if outcome.fault:
        return f"FAULT {outcome.fault}"
    if outcome.refusal:
        return "" if case.may_refuse else f"REFUSED {outcome.refusal}"
    assert outcome.means is not None
    if case.has_right and are_close(outcome.means, case.means(case.meant)):
        return ""
    said = ""
    for means, words in case.defined:
        if are_close(outcome.means, means):
            if re.search(words, outcome.words, re.IGNORECASE):
                return ""
            said = f", which is defined, without words like {words!r}"
    right = f"not {shown(case.means(case.meant))}" if case.has_right else "and none is right"
    return f"NUMBER {shown(outcome.means)}{said}, {right}; said: {outcome.words!r}"


def shown(means: Means) -> str:
    """Return the numbers in words."""
    return ", ".join(f"{name} {value:.4f}" for name, value in means.items())


def check(case: Case) -> None:
    """Make a call, and raise a `FailureError` if its outcome breaks the law."""
    failure = broken(case, call(case))
    if failure:
        raise FailureError(f"{case}: {failure}")


def partner_of(form: Form, door: str, rng: random.Random) -> Form:
    """Return a form of the other side for the same door."""
    if door == AGREEMENT:
        return FORMS["CSV, scores"]
    fitting = [
        other
        for other in FORMS.values()
        if other.kind != form.kind
        and door in other.doors
        and other.name.startswith(form.partners)
        and form.name.startswith(other.partners)
        and (door != "read_json" or other.is_lists == form.is_lists)
        and (door != "from_lists" or other.name.split(", ")[1] == form.name.split(", ")[1])
    ]
    return rng.choice(fitting)


# --- the table of defects ---------------------------------------------------------------------

LABELS, RUN = 0, 1
ON_ONE_SIDE = "not predicted|not judged|no |only in|left out|nothing|empty"
"""What is said of queries that are in one file only."""


@dataclass(frozen=True)
class Defect:
    """A defect, and what may come of it."""

    change: Callable[[Case], Any]
    time: str
    """When it is made: "truth", "content" or "files"."""
    result: str
    """Whether the number must be right, or may be "right or refused", or must be "refused"."""


DEFECTS: dict[str, Defect] = {}
"""All defects, by the names of their functions."""


def defect(time: str, result: str) -> Callable[[Any], Any]:
    """A decorator of defects."""

    def add(change: Callable[[Case], Any]) -> Callable[[Case], Any]:
        DEFECTS[change.__name__] = Defect(change, time, result)
        return change

    return add


def need(condition: Any) -> None:
    """Raise if a defect makes no sense for a form."""
    if not condition:
        raise UnfitError
