"""What the recorders of record.py share: the cases, and how a program is described and asked."""

from __future__ import annotations

import json
import math
import random
import re
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
CUTOFFS = [1, 3, 5, 10]


@dataclass(frozen=True)
class Case:
    """Judgments and predictions, in the order of cases.json."""

    qrels: dict[str, dict[str, int]]
    run: dict[str, list[tuple[str, float]]]

    @property
    def queries(self) -> list[str]:
        """All queries, first those with judgments."""
        return list(self.qrels | self.run)

    def only(self, query: str) -> Case:
        """Return the case with one query."""
        return Case(
            {q: row for q, row in self.qrels.items() if q == query},
            {q: row for q, row in self.run.items() if q == query},
        )

    def scores(self) -> dict[str, dict[str, float]]:
        """Return the run as dicts, in its order."""
        return {query: dict(row) for query, row in self.run.items()}

    def best_first(self, query: str) -> list[str]:
        """Return the documents by decreasing score, the earlier of equals first."""
        return [doc for doc, _ in sorted(self.run.get(query, []), key=lambda pair: -pair[1])]

    def relevant(self, query: str) -> list[str]:
        """Return the documents with a grade above zero."""
        return [doc for doc, grade in self.qrels.get(query, {}).items() if grade > 0]

    def grades(self, query: str) -> list[int]:
        """Return the grades of the documents in the run's list, and 0 if they are not judged."""
        judged = self.qrels.get(query, {})
        return [judged.get(doc, 0) for doc, _ in self.run.get(query, [])]

    def numbers(self) -> dict[str, int]:
        """Return the place of each document in the sorted set of all."""
        docs = {doc for row in self.qrels.values() for doc in row}
        docs |= {doc for row in self.run.values() for doc, _ in row}
        return {doc: place for place, doc in enumerate(sorted(docs))}

    def query_numbers(self) -> dict[str, int]:
        """Return a number for each query: q7 is 7."""
        return {query: int(query[1:]) for query in self.queries}


@dataclass(frozen=True)
class Answer:
    """The mean that a program gives, and what it gives for each query."""

    mean: Any
    per_query: dict[str, Any] | None = None
    draws: list[dict[str, Any]] = field(default_factory=list)


Measure = Callable[[Case], Answer]


@dataclass(frozen=True)
class Program:
    """A program: its name, its distribution, what is to be known of it, and its measures.

    `lists` says that it takes lists of documents, so that one may occur twice.
    """

    name: str
    distribution: str
    module: str
    measures: Callable[[], dict[str, Measure]]
    source: str
    about: str
    lists: bool = False
    version: str = ""  # where no distribution is installed


@dataclass(frozen=True)
class Reading:
    """A program that was read, not run."""

    name: str
    version: str
    source: str
    about: str
    conventions: dict[str, str]


def plain(value: Any) -> float | str | None:
    """Return a float, and None for NaN or where there is none."""
    if value is None or isinstance(value, str):
        return value
    number = float(value)
    if math.isnan(number):
        return None
    return number if math.isfinite(number) else repr(number)


def attempt(ask: Callable[[], Any]) -> Any:
    """Return the answer, or in words the exception."""
    try:
        return ask()
    except Exception as error:
        text = re.sub(r"\s+", " ", re.sub(r"(?<!\w)/[\w./+-]+/", "", str(error))).strip()
        return f"error: {type(error).__name__}: {text}"[:160].rstrip()


def one_by_one(ask: Callable[[Case], Any], of_run: bool = False) -> Measure:
    """Return a measure that asks for the mean of all queries, and for each query alone.

    With `of_run`, queries without predictions are not asked alone, as there is nothing to ask.
    """

    def measure(case: Case) -> Answer:
        queries = case.run if of_run else case.queries
        per_query = {query: attempt(lambda q=query: ask(case.only(q))) for query in queries}
        return Answer(attempt(lambda: ask(case)), per_query)

    return measure


def mean_and_each(ask: Callable[[Case], tuple[Any, dict[str, Any] | None]]) -> Measure:
    """Return a measure of a function that returns the mean and the queries' values."""

    def measure(case: Case) -> Answer:
        answer = attempt(lambda: ask(case))
        if not isinstance(answer, str):
            return Answer(*answer)
        per_query: dict[str, Any] = {}
        for query in case.queries:
            alone = attempt(lambda q=query: ask(case.only(q)))
            if isinstance(alone, str):
                per_query[query] = alone
            elif alone[1]:
                per_query |= alone[1]
        return Answer(answer, per_query or None)

    return measure


def several_draws(ask: Callable[[Case, int], Any], seeds: Iterable[int] = range(4)) -> Measure:
    """Return a measure of a program that draws an order of ties: one answer for each seed."""

    def measure(case: Case) -> Answer:
        draws = []
        for seed in seeds:
            random.seed(seed)
            answer = attempt(lambda seed=seed: ask(case, seed))
            if isinstance(answer, str):
                return Answer(answer)
            mean, per_query = answer
            draws.append({"seed": seed, "mean": plain(mean), "per_query": rows(per_query)})
        return Answer(draws[0]["mean"], draws[0]["per_query"], draws)

    return measure


def rows(per_query: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the queries' values as they are written."""
    return per_query and {query: plain(value) for query, value in per_query.items()}


def load_cases() -> dict[str, Case]:
    """Return the cases."""
    written = json.loads((HERE / "cases.json").read_text(encoding="utf-8"))
    return {
        name: Case(
            case["qrels"], {q: [tuple(pair) for pair in row] for q, row in case["run"].items()}
        )
        for name, case in written.items()
    }


def answers(program: Program) -> dict[str, dict[str, dict[str, Any]]]:
    """Return what a program answers, by measure and case."""
    written: dict[str, dict[str, dict[str, Any]]] = {}
    cases = load_cases()
    if not program.lists:
        del cases["duplicates"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, measure in program.measures().items():
            written[name] = {}
            for case_name, case in cases.items():
                answer = measure(case)
                entry: dict[str, Any] = {"mean": plain(answer.mean)}
                if answer.draws:
                    entry = {"draws": answer.draws}
                elif answer.per_query:
                    entry["per_query"] = rows(answer.per_query)
                written[name][case_name] = entry
    return written


def dumped(entry: dict[str, Any]) -> str:
    """Return the text of a file, one case of one measure per line."""

    def line(value: Any) -> str:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)

    head = "".join(f' "{key}": {line(entry[key])},\n' for key in entry if key != "measures")
    parts = []
    for name, by_case in entry["measures"].items():
        if isinstance(by_case, str):
            parts.append(f"  {line(name)}: {line({'convention': by_case})}")
            continue
        body = ",\n".join(f'   "{case}": {line(answer)}' for case, answer in by_case.items())
        parts.append(f"  {line(name)}: {{\n{body}\n  }}")
    return "{\n" + head + ' "measures": {\n' + ",\n".join(parts) + "\n }\n}\n"


def write(name: str, entry: dict[str, Any]) -> None:
    """Write a program's file."""
    path = HERE / "answers" / f"{name}.json"
    path.write_text(dumped(entry), encoding="utf-8")
