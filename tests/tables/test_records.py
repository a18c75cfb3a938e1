"""Records, one for each row, in the place of tables."""

from __future__ import annotations

import sys
from collections import namedtuple
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pytest
from raising import raises

from ranking_scores import ndcg_score
from ranking_scores._base._validation import describe
from ranking_scores._tables._known_names import LEFT_OUT
from ranking_scores.tables import from_table, from_tables


class Qrel(NamedTuple):
    """A judgment as catalogues have it."""

    query_id: str
    doc_id: str
    relevance: int
    iteration: str = "0"


@dataclass
class Hit:
    """What a search returns."""

    query_id: str
    doc_id: str
    score: float


QRELS = [Qrel("q1", "a", 2), Qrel("q1", "b", 0), Qrel("q2", "c", 1)]
HITS = [Hit("q1", "b", 0.5), Hit("q1", "a", 0.4), Hit("q2", "c", 0.1)]
NAMES: dict[str, Any] = {
    "query": "query_id",
    "item": "doc_id",
    "label": "relevance",
    "score": "score",
}
EXPECTED = ndcg_score([[2, 0, 0], [0, 0, 1]], [[0.4, 0.5, 0.0], [0.0, 0.0, 0.1]], k=3)

FORMS = {
    "records": lambda rows: rows,
    "tuple": tuple,
    "iterator": iter,
    "generator": lambda rows: (row for row in rows),
    "dicts": lambda rows: [vars(row) if isinstance(row, Hit) else row._asdict() for row in rows],
    "other named tuples": lambda rows: [
        namedtuple("Row", dir_of(row))(*dir_of(row).values()) for row in rows
    ],
    "iterable": lambda rows: Iterable(rows),
    "columns": lambda rows: {
        name: [dir_of(row)[name] for row in rows] for name in dir_of(rows[0])
    },
}


class Iterable:
    """An object that only iterates, and only once."""

    def __init__(self, rows):
        self._rows = rows

    def __iter__(self):
        rows, self._rows = self._rows, None
        return iter(rows)


def dir_of(row):
    return vars(row) if isinstance(row, Hit) else row._asdict()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("other", FORMS)
def test_records_are_rows(form, other):
    data = from_tables(FORMS[form](QRELS), FORMS[other](HITS), **NAMES)
    assert ndcg_score(data, k=3) == EXPECTED


@pytest.mark.parametrize("form", FORMS)
def test_records_whose_label_is_not_named_are_refused(form):
    names = {name: value for name, value in NAMES.items() if name != "label"}
    with raises("label", "the name of a column of judgments"):
        from_tables(FORMS[form](QRELS), HITS, **names)


def test_one_table_of_records():
    rows = [
        {"q": 1, "i": 7, "l": 1, "s": 0.5},
        {"q": 1, "i": 8, "s": 0.9},
        {"q": 1, "i": 9, "l": 2},
    ]
    data = from_table(iter(rows), query="q", item="i", label="l", score="s")
    assert data.y_true.toarray().tolist() == [[1, 0, 2]]
    assert data.y_score.toarray().tolist() == [[0.5, 0.9, 0]]


def test_no_records():
    for nothing in ([], iter([])):
        data = from_tables(QRELS, nothing, **NAMES)
        assert ndcg_score(data, k=3) == 0
    with raises("judgments", "a table with at least one row"):
        from_tables([], HITS, **NAMES)


OTHER_ROWS = {
    "tuples": ([("q1", "a", 1)], "('q1', 'a', 1) in row 0"),
    "strings": (["q1"], "'q1' in row 0"),
    "a tuple after records": ([*QRELS, ("q1", "z", 1)], "('q1', 'z', 1) in row 3"),
    "a dict after named tuples": ([*QRELS, {"query_id": 1}], "{'query_id': 1} in row 3"),
    "a named tuple after dicts": ([{}, QRELS[0]], f"{describe(QRELS[0])} in row 1"),
    "a dataclass after dicts": (
        [{}, HITS[0]],
        "Hit(query_id='q1', doc_id='b', score=0.5) in row 1",
    ),
    "classes": ([Hit], "the class Hit in row 0"),
    "None": ([None], "None in row 0"),
}


@pytest.mark.parametrize(("rows", "got"), OTHER_ROWS.values(), ids=OTHER_ROWS)
def test_other_rows_are_refused_and_the_first_of_them_is_named(rows, got):
    expected = "records of one kind: dicts, named tuples or dataclasses"
    for form in (list, iter):
        with raises("judgments", expected, function="from_tables", got=got):
            from_tables(form(rows), HITS, **NAMES)
        with raises("predictions", expected, got=got):
            from_tables(QRELS, form(rows), **NAMES)
        with raises("judgments", expected, got=got):
            from_tables(form(rows), HITS, **{**NAMES, "label": LEFT_OUT})
        with raises("table", expected, function="from_table", got=got):
            from_table(form(rows), **NAMES)


def test_other_rows_are_refused_without_narwhals(monkeypatch):
    monkeypatch.setitem(sys.modules, "narwhals", None)
    with raises("judgments", "records of one kind", got="'q1' in row 0"):
        from_tables(["q1"], HITS, **{**NAMES, "label": LEFT_OUT})


@pytest.mark.parametrize("table", [np.array([["q1", "a"]]), "q1", b"q1", 7])
def test_what_has_no_rows_is_refused(table):
    expected = "a table, such as a frame of pandas or polars, or a dict of columns"
    with raises("judgments", expected, got=describe(table)):
        from_tables(table, HITS, **NAMES)


def test_named_tuples_of_different_types_are_of_one_kind():
    shorter = namedtuple("shorter", ["query_id", "doc_id"])
    rows = [*QRELS, shorter("q2", "d")]
    with raises("judgments", "a label in each row", got="null or NaN in row 3, of query 'q2',"):
        from_tables(rows, HITS, **NAMES)
    data = from_tables(rows, HITS, **NAMES | {"label": None})
    assert data.item_ids.tolist() == ["a", "b", "c", "d"]


def test_a_field_that_a_dataclass_lacks_is_missing():
    @dataclass
    class Found:
        query_id: str
        doc_id: str
        relevance: int = 1
        score: float = field(init=False)

    rows = [Found("q1", "a"), Found("q1", "b")]
    rows[1].score = 0.5
    assert from_table(rows, **NAMES).y_score.toarray().tolist() == [[0, 0.5]]


def test_a_field_that_no_record_has_is_named():
    with raises("judgments", "the column 'grade'"):
        from_tables(QRELS, HITS, **NAMES | {"label": "grade"})
