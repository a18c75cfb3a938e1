"""Write the tables of other programs into the guide.

The owner of what they say is ``ranking_scores/_metrics/programs.toml``, and that of the words is
``ranking_scores/explain/_words.py``. This script writes ``programs.inc``, which
``conventions.rst`` includes, and which is committed::

    python doc/programs_table.py --check  # exits with 1 if the file is not current
    python doc/programs_table.py --write  # writes it

The first table has a row for each program, with what most of its measures do and the measures and
options that do otherwise. The next ones, one for each metric, list the measures by what they
compute. Options follow a measure as in the names of `like`: ``NDCG;type=Exp``.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from ranking_scores._metrics._measure import Convention, default_convention
from ranking_scores._metrics._named import SCORES
from ranking_scores._metrics._programs import Program, find_convention, programs
from ranking_scores.explain._words import (
    SHUFFLED_TIES,
    changed_knobs,
    knob_differs,
    knob_in_words,
    value_in_words,
)

PATH = Path(__file__).with_name("programs.inc")
ENDS = ("no_relevant", "no_predictions")
BESIDES = (
    "not_judged",
    "no_hit",
    "neither",
    "all_judged",
    "scores",
    "known",
    "judged_only",
    "drops_self",
    "threshold",
    "are_positive",
    "duplicates",
    "digits",
    "halves_up",
    "digits_of_mean",
    "mean_of_none",
)
"""The knobs of the last column of the first table."""
OF_PROGRAM = {"swapped", "k", "ties", *ENDS, *BESIDES}
"""The knobs that the tables of metrics leave to the first one."""
HEAD = [
    "program",
    "equal scores",
    "no relevant items",
    "no predictions",
    "besides",
]


class Variant(NamedTuple):
    """A measure of a program, at a cutoff or with an option if that makes a difference."""

    measure: str
    suffix: str
    convention: Convention

    @property
    def name(self) -> str:
        """The measure as it is written, without the program."""
        return f"``{self.measure}{self.suffix}``"


def variants_of(program: Program) -> Iterator[Variant]:
    """Yield the measures of a program, each followed by what changes it."""
    for name, measure in program.measures.items():
        k = {"k": 10} if measure.cutoff == "required" else {}
        usual = Variant(name, "", find_convention(program, name, k, "")[1])
        yield usual
        options = [
            (f";{option}={value}", {option: value, **k})
            for option, sets in measure.options.items()
            if not isinstance(sets, str)
            for value in sets
        ]
        at_k = [("@k", {"k": 10})] if measure.at_k else []
        for suffix, given in [*at_k, *options]:
            variant = Variant(name, suffix, find_convention(program, name, given, "")[1])
            if changed_knobs(variant.convention, usual.convention):
                yield variant


def rows_of_programs() -> Iterator[list[str]]:
    """Yield the cells of the first table."""
    yield HEAD
    for program in sorted(programs().values(), key=lambda each: each.name.lower()):
        variants = [*variants_of(program)]
        if not variants:  # `like` refuses all its measures
            continue
        how = "" if program.how == "run" else ", read"
        besides = [in_cell(variants, name) for name in BESIDES]
        yield [
            f"`{program.name} <{program.source}>`__ {program.version}{how}",
            order_of_ties(program, variants),
            *(in_cell(variants, name) for name in ENDS),
            "; ".join(filter(None, besides)),
        ]


def order_of_ties(program: Program, variants: list[Variant]) -> str:
    """Return the cell about equal scores. `like` takes the mean if a program shuffles them."""
    words = in_cell(variants, "ties")
    mean = value_in_words("ties", default_convention("ndcg"))
    return words.replace(mean, SHUFFLED_TIES) if program.shuffles_ties else words


def in_cell(variants: list[Variant], knob: str) -> str:
    """Return what most measures do, and which do something else."""
    usual_of = {each.measure: words_of(knob, each) for each in variants if not each.suffix}
    most = Counter(usual_of.values()).most_common(1)[0][0]
    others: dict[str, list[str]] = {}
    for each in variants:
        words = words_of(knob, each)
        if words == (usual_of[each.measure] if each.suffix else most):
            continue
        is_option = each.suffix.startswith(";")
        others.setdefault(words, []).append(f"``{each.suffix[1:]}``" if is_option else each.name)
    parts = [most] if most else []
    for words, names in others.items():
        listed = ", ".join(dict.fromkeys(names))
        if words:
            parts.append(f"{words}: {listed}")
        else:
            parts[0] += f" (not {listed})"
    return "; ".join(parts)


def words_of(knob: str, variant: Variant) -> str:
    """Return the value of a knob in words, none for that of this package in the last column."""
    to = variant.convention
    if knob in ENDS:
        return value_in_words(knob, to) if getattr(to, knob) is not None else "0"
    if knob in BESIDES:
        ours = default_convention(to.metric, to.k)
        return knob_in_words(knob, to) if knob_differs(knob, to, ours) else ""
    return value_in_words(knob, to)


def rows_of_metric(metric: str) -> Iterator[list[str]]:
    """Yield the cells of the table of a metric: what is computed, and where."""
    yield ["what differs", "measures"]
    where: dict[str, dict[str, list[str]]] = {}
    for program in sorted(programs().values(), key=lambda each: each.name.lower()):
        known = set()
        for each in variants_of(program):
            words = what_differs(each.convention)
            if each.convention.metric == metric and (each.measure, words) not in known:
                known.add((each.measure, words))
                where.setdefault(words, {}).setdefault(program.name, []).append(each.name)
    for words in sorted(where, key=lambda each: (each != "", -len(where[each]), each)):
        names = (f"{program} {', '.join(measures)}" for program, measures in where[words].items())
        yield [words or "nothing", "; ".join(names)]


def what_differs(to: Convention) -> str:
    """Return in words what a convention computes otherwise than the score of this package."""
    changed = changed_knobs(to, default_convention(to.metric, to.k))
    return "; ".join(knob_in_words(name, to) for name in changed if name not in OF_PROGRAM)


def rows_of_bugs() -> Iterator[list[str]]:
    """Yield the cells of the table of measures that no convention gives."""
    yield ["measure", "what it does"]
    for program in programs().values():
        for name, reason in program.bugs.items():
            yield [f"{program.name} ``{name}``", reason]


def table(rows: Iterable[list[str]], title: str, widths: str) -> Iterator[str]:
    """Yield the lines of a table, its first row being the head."""
    yield from [f".. list-table:: {title}".rstrip(), "   :header-rows: 1", f"   :widths: {widths}"]
    for row in rows:
        yield ""
        for number, cell in enumerate(row):
            yield f"   {' ' if number else '*'} - {cell}".rstrip()
    yield ""


def heading(title: str) -> list[str]:
    """Return the lines of a heading."""
    return [title, "-" * len(title), ""]


def text() -> str:
    """Return the tables."""
    lines = [".. Written by programs_table.py from programs.toml.", ""]
    lines += table(rows_of_programs(), "", "22 24 14 14 26")
    lines += heading("What each measure computes")
    lines += ["Each table begins with the measures that compute what our score does.", ""]
    for metric, function in SCORES.items():
        rows = [*rows_of_metric(metric)]
        if len(rows) > 1:
            lines += table(rows, f":func:`~ranking_scores.{function.__name__}`", "35 65")
    bugs = [*rows_of_bugs()]
    if len(bugs) > 1:
        lines += heading("Measures that no convention gives")
        lines += ["`like` refuses these, with the reason.", ""]
        lines += table(bugs, "", "30 70")
    return "\n".join(lines)


def main(argv: list[str] | None = None) -> int:
    """Check the file or write it, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    task = parser.add_mutually_exclusive_group(required=True)
    task.add_argument("--check", action="store_true", help="exit with 1 if the file differs")
    task.add_argument("--write", action="store_true", help="write the file")
    parser.add_argument("path", nargs="?", type=Path, default=PATH)
    given = parser.parse_args(argv)
    new = text()
    if given.write:
        given.path.write_text(new, encoding="utf-8")
    elif given.path.read_text(encoding="utf-8") != new:
        print(f"{given.path.name} is not current. Run: python doc/programs_table.py --write")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
