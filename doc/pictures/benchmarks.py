"""How many times as long other libraries take: the summary of the benchmarks."""

from __future__ import annotations

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


def draw() -> Picture:
    """Draw a bar for each row, its length by the logarithm of the factor."""
    shown = rows()
    top, step, left, right = 20, 46, 12, 560
    bottom = top + step * len(shown)
    picture = Picture(640, bottom + 56)

    def place(factor: float) -> float:
        return left + (right - left) * log10(factor / LOWEST) / log10(HIGHEST / LOWEST)

    for tick in (1, 3, 10, 30, 100):
        ink = "rule" if tick == 1 else "blank"
        picture.line([(place(tick), top - 8), (place(tick), bottom)], ink)
        picture.text(place(tick), bottom + 18, f"{tick}x", fill="quiet", anchor="middle")
    label = "times as long as ranking_scores, logarithmic"
    picture.text((left + right) / 2, bottom + 42, label, anchor="middle")
    for number, row in enumerate(shown):
        y = top + step * number
        low, high = sorted((place(1), place(row.factor)))
        picture.text(left + 6, y + 14, row.task, size=13)
        picture.rectangle(low, y + 20, high - low, 16, "blue" if row.factor > 1 else "orange")
        text = f"{row.library} {row.factor:g}x"
        picture.text(high + 6, y + 33, text, size=13, bold=True)
    return picture
