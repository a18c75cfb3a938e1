"""How many times as long other libraries take: the summary of the benchmarks."""

from __future__ import annotations

from itertools import groupby
from math import log10
from pathlib import Path
from typing import NamedTuple

from pictures.svg import Picture

MEASURED = Path(__file__).resolve().parents[2] / "benchmarks" / "README.rst"


class Row(NamedTuple):
    """A line of the summary."""

    task: str
    ours: str
    library: str
    theirs: str
    factor: float


def rows() -> list[Row]:
    """Return the table under "In short" of the benchmarks."""
    text = MEASURED.read_text(encoding="utf-8")
    rule, table = text.split("In short\n--------\n\n")[1].split("\n", 1)
    ends = [i + 1 for i in range(len(rule)) if rule[i] == "=" and rule[i + 1 : i + 2] in (" ", "")]
    starts = [0, *(end + 1 for end in ends[:-1])]
    lines = table.split(f"\n{rule}\n")[1].splitlines()
    cells = [
        [line[i:j].strip() for i, j in zip(starts, [*starts[1:], None], strict=True)]
        for line in lines
    ]
    return [Row(*each[:4], float(each[4].removesuffix("x"))) for each in cells]


LOWEST, HIGHEST = 0.3, 100
TICKS = (1, 3, 10, 30, 100)
FITS_INSIDE = 10
"""A longer bar has room for its words, and may have none beside it."""


def draw() -> Picture:
    """Draw a bar for each row, its length by the logarithm of the factor.

    Rows of one task are below each other. A phone shows the picture at three quarters of its size,
    and its text must be readable there.
    """
    tasks = [(task, list(of_task)) for task, of_task in groupby(rows(), key=lambda row: row.task)]
    top, heading, step, left, right = 10, 46, 30, 4, 430
    bottom = top + sum(heading + step * len(of_task) for _, of_task in tasks)
    picture = Picture(440, bottom + 52)

    def place(factor: float) -> float:
        return left + (right - left) * log10(factor / LOWEST) / log10(HIGHEST / LOWEST)

    for tick in TICKS:
        anchor = "end" if tick == HIGHEST else "middle"
        picture.text(place(tick), bottom + 20, f"{tick}x", fill="quiet", anchor=anchor)
    label = "times as long as ranking_scores, logarithmic"
    picture.text((left + right) / 2, bottom + 42, label, anchor="middle")
    y = top
    for task, of_task in tasks:
        what, _, of_what = task.partition(", ")
        picture.text(left, y + 18, what)
        picture.text(left, y + 36, of_what, fill="quiet", size=13)
        y += heading
        for tick in TICKS:
            ink = "rule" if tick == 1 else "blank"
            picture.line([(place(tick), y - 3), (place(tick), y + step * len(of_task) - 3)], ink)
        for row in of_task:
            low, high = sorted((place(1), place(row.factor)))
            picture.rectangle(low, y, high - low, 24, "blue" if row.factor > 1 else "orange")
            text = f"{row.library} {row.factor:g}x"
            if row.factor > FITS_INSIDE:
                picture.text(high - 8, y + 17, text, fill="on-blue", anchor="end", bold=True)
            else:
                picture.text(high + 8, y + 17, text, bold=True)
            y += step
    return picture
