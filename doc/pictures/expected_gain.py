"""How an expected gain comes about: every rank of a tie group has the mean gain of the group."""

from __future__ import annotations

from itertools import groupby
from math import log2

from pictures.svg import Picture

GAIN, SCORE = [0, 2, 1, 0, 0, 3], [5, 5, 5, 2, 2, 1]
FILLS = ["pale-blue", "pale-orange", "blank"]


def draw() -> Picture:
    """Draw the items in their groups, the expected gain at each rank, and the sum to rank 3."""
    picture = Picture(640, 372)
    left, width, gap, size = 150, 62, 6, 13

    def column(rank: float) -> float:
        return left + (rank - 1) * (width + gap)

    for y, words in [
        (40, "score"),
        (74, "gain of the item"),
        (196, "expected gain"),
        (230, "discount"),
        (264, "product"),
    ]:
        picture.text(12, y, words, fill="quiet")
    groups = [list(group) for _, group in groupby(range(6), key=SCORE.__getitem__)]
    picture.text(left, 14, "six items in three tie groups, the best score first", size=size)
    total = 0.0
    for group, fill in zip(groups, FILLS, strict=True):
        gains = [GAIN[item] for item in group]
        mean = sum(gains) / len(gains)
        start, end = column(group[0] + 1), column(group[-1] + 1) + width
        picture.rectangle(start - 3, 20, end - start + 6, 66, fill)
        for item in group:
            middle = column(item + 1) + width / 2
            picture.text(middle, 42, SCORE[item], anchor="middle")
            picture.text(middle, 76, GAIN[item], anchor="middle", bold=True)
        picture.line([(start, 94), (start, 100), (end, 100), (end, 94)], "quiet")
        middle = (start + end) / 2
        sum_of_gains = " + ".join(map(str, gains))
        if len(gains) > 1:
            text = f"({sum_of_gains}) / {len(gains)} = {mean:g}"
            picture.text(middle, 120, text, anchor="middle", size=size)
        else:
            picture.text(middle, 120, sum_of_gains, anchor="middle", size=size)
        for item in group:
            rank = item + 1
            x = column(rank)
            picture.line([(middle, 128), (x + width / 2, 150)], "quiet", arrow=True)
            picture.text(
                x + width / 2, 168, f"rank {rank}", anchor="middle", size=12, fill="quiet"
            )
            picture.cell(x, 176, width, 30, f"{mean:g}", fill, bold=True)
            if rank <= 3:
                product = mean / log2(1 + rank)
                total += product
                middle_of_cell = x + width / 2
                picture.text(middle_of_cell, 230, f"{1 / log2(1 + rank):.4f}", anchor="middle")
                picture.text(middle_of_cell, 264, f"{product:.4f}", anchor="middle", bold=True)
    cut = column(4) - gap / 2
    picture.line([(cut, 158), (cut, 276)], "orange", width=2, dashes="5 4")
    picture.text(cut + 8, 264, "cutoff k = 3", fill="orange")
    start, end = column(1), column(3) + width
    picture.line([(start, 280), (start, 286), (end, 286), (end, 280)], "quiet")
    middle = (start + end) / 2
    text = f"expected DCG@3 = {total:.4f}"
    picture.text(middle, 312, text, anchor="middle", bold=True)
    ideal = 3 + 2 / log2(3) + 1 / 2
    text = f"expected nDCG@3 = {total:.4f} / {ideal:.4f} = {total / ideal:.4f}"
    picture.text(middle, 338, text, anchor="middle", bold=True)
    picture.text(
        middle,
        358,
        "after division by the best DCG, of the gains 3, 2, 1",
        anchor="middle",
        size=12,
        fill="quiet",
    )
    return picture
