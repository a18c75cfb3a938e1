"""The same two queries in three layouts: which cell is what."""

from __future__ import annotations

from pictures.svg import Picture

QUERIES = ["tea", "jam"]
FILLS = ["pale-blue", "pale-orange"]
LABELS = [[2, 0, 1, 0], [0, 1, 0]]
SCORES = [[0.9, 0.4, 0.4, 0.1], [0.2, 0.7, 0.1]]
# Of six items of a catalogue: what is relevant, and what was retrieved with which score.
RELEVANT = [[2, 0, 0, 1, 0, 0], [0, 0, 1, 0, 0, 1]]
RETRIEVED = [[0.9, None, 0.4, 0.4, None, None], [None, 0.2, 0.7, None, 0.1, None]]
CELL, HEIGHT = 38, 26


def draw() -> Picture:
    """Draw one layout below the other."""
    picture = Picture(640, 610)
    draw_dense(picture, 0)
    draw_ragged(picture, 150)
    draw_retrieved(picture, 424)
    return picture


def heading(picture: Picture, y: float, words: str, more: str) -> None:
    """Write the name of a layout and what is special about it."""
    picture.text(12, y + 20, words, bold=True, size=15)
    picture.text(12, y + 40, more, fill="quiet", size=13)


def names_of_rows(picture: Picture, x: float, y: float) -> None:
    """Write the names of the queries beside the rows of a grid."""
    for row, query in enumerate(QUERIES):
        picture.text(x - 8, y + row * HEIGHT + 18, query, anchor="end", size=13, fill="quiet")


def draw_dense(picture: Picture, y: float) -> None:
    """Draw two grids, a row for each query and a column for each item."""
    heading(picture, y, "Dense", "One query per row, one item per column.")
    y += 70
    for x, name, values in ((70, "y_true", LABELS), (300, "y_score", SCORES)):
        picture.text(x, y - 8, name, code=True, size=13)
        for row, (fill, of_query) in enumerate(zip(FILLS, values, strict=True)):
            for column, value in enumerate(of_query):
                place = (x + column * CELL, y + row * HEIGHT)
                picture.cell(*place, CELL, HEIGHT, value, fill, size=13)
        place = (x + 3 * CELL, y + HEIGHT)
        picture.rectangle(*place, CELL, HEIGHT, "none", stroke="quiet")
        picture.line([place, (place[0] + CELL, place[1] + HEIGHT)], "quiet")
    names_of_rows(picture, 70, y)
    x = 300 + 4 * CELL
    picture.line([(x + 24, y + 1.5 * HEIGHT), (x + 5, y + 1.5 * HEIGHT)], "quiet", arrow=True)
    picture.text(x + 30, y + HEIGHT + 10, "no item: padding", size=12)
    picture.text(x + 30, y + HEIGHT + 26, "where=False there", size=12, code=True)


def draw_ragged(picture: Picture, y: float) -> None:
    """Draw three columns, a row for each item."""
    heading(picture, y, "Ragged", "One item per row, and the id of its query in qid.")
    y += 70
    rows = [
        (query, label, score, fill)
        for query, fill, labels, scores in zip(QUERIES, FILLS, LABELS, SCORES, strict=True)
        for label, score in zip(labels, scores, strict=True)
    ]
    for x, name, which in ((70, "qid", 0), (150, "y_true", 1), (230, "y_score", 2)):
        picture.text(x, y - 8, name, code=True, size=13)
        for row, values in enumerate(rows):
            place = (x, y + row * HEIGHT)
            picture.cell(*place, 66, HEIGHT, values[which], values[3], size=13)
    for first, last, words in ((0, 3, "the first query, 4 items"), (4, 6, "the second, 3 items")):
        top, bottom = y + first * HEIGHT + 3, y + (last + 1) * HEIGHT - 3
        picture.line([(304, top), (310, top), (310, bottom), (304, bottom)], "quiet")
        picture.text(320, (top + bottom) / 2 + 4, words, size=12)
    picture.text(320, y + 5.5 * HEIGHT + 24, "No padding, and rows in any order.", size=12)


def draw_retrieved(picture: Picture, y: float) -> None:
    """Draw labels of a whole catalogue, and scores of which only some are stored."""
    heading(
        picture,
        y,
        "Retrieved",
        "One query per row, one column per item of the catalogue; y_score is sparse.",
    )
    y += 70
    for x, name, values in ((70, "y_true", RELEVANT), (345, "y_score", RETRIEVED)):
        picture.text(x, y - 8, name, code=True, size=13)
        for row, (fill, of_query) in enumerate(zip(FILLS, values, strict=True)):
            for column, value in enumerate(of_query):
                place = (x + column * CELL, y + row * HEIGHT)
                is_missed = RELEVANT[row][column] > 0 and RETRIEVED[row][column] is None
                if value is None:
                    picture.rectangle(*place, CELL, HEIGHT, "none", stroke="rule")
                else:
                    picture.cell(*place, CELL, HEIGHT, value, fill, size=13)
                if is_missed:
                    missed = place
        picture.line(
            [
                missed,
                (missed[0] + CELL, missed[1]),
                (missed[0] + CELL, missed[1] + HEIGHT),
                (missed[0], missed[1] + HEIGHT),
                missed,
            ],
            "orange",
            width=2.5,
        )
    names_of_rows(picture, 70, y)
    y += 2 * HEIGHT
    picture.text(70, y + 24, "orange frame: relevant, counts in the ideal", size=12)
    picture.text(345, y + 24, "empty: not stored, not retrieved, no rank", size=12)
    picture.text(345, y + 42, "A stored 0 is a score like any other.", size=12)
