"""Runs that are written: lines by query and rank, which are read as they were written."""

from __future__ import annotations

import gzip
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st
from raising import raises
from trec_readers import (
    ANY_ID,
    ANY_QUERY,
    ON_A_FOLDER,
    as_dicts,
    as_lists,
    way,  # noqa: F401
)

from ranking_scores.trec import read_run, write_run

FINITE = {"allow_nan": False, "allow_infinity": False}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "file"


def test_lines_by_query_and_rank(path):
    y_score = sp.csr_array(
        ([0.0, 2.5, 2.5, -0.0, 1e300, 0.1], ([1, 1, 1, 1, 0, 0], [2, 0, 1, 3, 2, 1])),
        shape=(3, 4),
    )
    write_run(path, y_score, ["z", "a", "none"], ["d1", "d10", "d2", "é"], tag="mine")
    assert path.read_bytes().decode() == (
        "z Q0 d2 1 1e+300 mine\n"
        "z Q0 d10 2 0.1 mine\n"
        "a Q0 d10 1 2.5 mine\n"
        "a Q0 d1 2 2.5 mine\n"
        "a Q0 é 3 -0.0 mine\n"
        "a Q0 d2 4 0.0 mine\n"
    )


def test_of_dense_scores_all_items_were_retrieved(path):
    write_run(str(path), [[0, 2], [1, 0]], np.array([7, 8]), ["a", 1.5])
    assert path.read_text() == (
        "7 Q0 1.5 1 2.0 ranking_scores\n"
        "7 Q0 a 2 0.0 ranking_scores\n"
        "8 Q0 a 1 1.0 ranking_scores\n"
        "8 Q0 1.5 2 0.0 ranking_scores\n"
    )


@pytest.mark.parametrize(
    ("as_scores", "dtype"),
    [
        *((np.asarray, dtype) for dtype in ("?", "i1", "f2", "f4", ">f8", np.longdouble)),
        *((kind, "f4") for kind in (sp.csr_array, sp.csc_matrix, sp.coo_array, sp.lil_array)),
    ],
)
def test_scores_of_any_format_and_dtype(path, as_scores, dtype):
    write_run(path, as_scores(np.array([[1, 0, 1]], dtype=dtype)), ["q"], ["a", "b", "c"])
    run = as_dicts(read_run(path))["q"]
    assert {item: score for item, score in run.items() if score} == {"a": 1, "c": 1}


def test_a_run_that_retrieved_nothing_is_an_empty_file(path):
    path.write_text("something")
    write_run(path, sp.csr_array((2, 3)), ["a", "b"], ["d", "e", "f"])
    assert path.read_bytes() == b""


def test_the_name_says_whether_gzip_writes(tmp_path):
    path = tmp_path / "run.gz"
    write_run(path, [[1]], ["q"], ["d"])
    assert gzip.decompress(path.read_bytes()) == b"q Q0 d 1 1.0 ranking_scores\n"
    assert as_dicts(read_run(path)) == {"q": {"d": 1}}


def test_an_id_that_begins_as_a_byte_order_mark_is_read_back(path):
    write_run(path, [[1]], ["q\ufeff"], ["\ufeff"])
    assert as_dicts(read_run(path)) == {"q\ufeff": {"\ufeff": 1}}


@st.composite
def runs(draw):
    """Return sparse scores with the names of their rows and columns."""
    queries = draw(st.lists(ANY_QUERY, min_size=1, max_size=5, unique=True))
    items = draw(st.lists(ANY_ID, min_size=1, max_size=8, unique=True))
    width = draw(st.sampled_from([32, 64]))
    number = st.one_of(st.sampled_from([0.0, -0.0, 1.0]), st.floats(width=width, **FINITE))
    cell = st.tuples(st.integers(0, len(queries) - 1), st.integers(0, len(items) - 1))
    scores = draw(st.dictionaries(cell, number))
    rows, columns = np.array(list(scores), dtype=int).reshape(-1, 2).T
    values = np.array(list(scores.values()), dtype=f"f{width // 8}")
    return sp.csr_array((values, (rows, columns)), (len(queries), len(items))), queries, items


@ON_A_FOLDER
@given(run=runs(), tag=ANY_ID)
def test_a_run_is_read_as_it_was_written(path, run, tag):
    y_score, queries, items = run
    write_run(path, y_score, queries, items, tag=tag)
    stored = y_score.tocoo()
    expected = {
        (queries[row], items[column]): float(value)
        for row, column, value in zip(stored.row, stored.col, stored.data, strict=True)
    }
    table = as_lists(read_run(path))
    pairs = list(zip(table["query"], table["item"], strict=True))
    back = dict(zip(pairs, table["score"], strict=True))
    assert len(pairs) == len(expected)
    assert {key: value.hex() for key, value in back.items()} == {
        key: value.hex() for key, value in expected.items()
    }
    # The order of trec_eval: query by query, by score, the last id first.
    by_item = sorted(pairs, key=lambda pair: pair[1].encode(), reverse=True)
    by_score = sorted(by_item, key=lambda pair: -expected[pair])
    assert pairs == sorted(by_score, key=lambda pair: queries.index(pair[0]))
    n_of_query = Counter()
    for line in path.read_bytes().decode("utf-8-sig").rstrip("\n").split("\n"):
        if line:
            query, q0, _, rank, _, name = line.split(" ")
            n_of_query[query] += 1
            assert (q0, int(rank), name) == ("Q0", n_of_query[query], tag)


ANY_NAMES = (["q7", "q8"], ["x", "y"])
FRAME = pd.DataFrame([[0.1, 0.7], [0.4, 0.2]], index=["q2", "q1"], columns=["d2", "d1"])


@pytest.mark.parametrize(
    ("frame", "names"),
    [
        (FRAME, (FRAME.index, FRAME.columns)),
        (FRAME, ANY_NAMES),
        (FRAME, (["q2", "q1"], ["d2", "x"])),
        (pl.DataFrame(FRAME), (["a", "b"], ["d2", "d1"])),
        (pd.DataFrame(FRAME.to_numpy()), ([1, 0], [1, 0])),  # numbers of rows are no names
    ],
)
def test_names_of_a_frame_are_those_that_are_given_or_others(path, frame, names):
    write_run(path, frame, *names)
    written = path.read_bytes()
    write_run(path, FRAME.to_numpy(), *names)
    assert path.read_bytes() == written


@pytest.mark.parametrize(
    ("frame", "names", "parameter", "got"),
    [
        (
            FRAME,
            (["q2", "q1"], ["d1", "d2"]),
            "item_ids",
            "'d1' at position 0, where y_score has 'd2',",
        ),
        (
            FRAME.set_axis([7, 3]),
            (np.array([3, 7]), ["d2", "d1"]),
            "query_ids",
            "'3' at position 0, where y_score has '7',",
        ),
        (
            pl.DataFrame([[1.0], [2.0], [3.0]], schema=["a", "b", "c"]),
            (["q"], ["a", "c", "b"]),
            "item_ids",
            "'c' at position 1, where y_score has 'b',",
        ),
    ],
)
def test_names_of_a_frame_in_another_order_are_refused(path, frame, names, parameter, got):
    with raises(parameter, "of y_score", function="write_run", got=got, advice="`y_score."):
        write_run(path, frame, *names)
    assert not path.exists()


SPARSE = sp.csr_array([[1.0, 2.0]])
TWICE = sp.csr_array((np.array([1.0, 2.0]), np.array([1, 1]), np.array([0, 2])), shape=(1, 2))


@pytest.mark.parametrize(
    ("arguments", "parameter", "key", "got"),
    [
        ({"tag": ""}, "tag", "without blanks", "''"),
        ({"tag": "my run"}, "tag", "without blanks", "'my run'"),
        ({"tag": None}, "tag", "without blanks", "None"),
        ({"query_ids": ["a b"]}, "query_ids", "non-empty ids", "'a b'"),
        ({"query_ids": [""]}, "query_ids", "non-empty ids", "''"),
        ({"query_ids": ["#q"]}, "query_ids", "ids that do not begin with #", "'#q'"),
        ({"query_ids": ["\ufeffq"]}, "query_ids", "begin with a byte-order mark", r"'\ufeffq'"),
        ({"item_ids": ["a", "b\n"]}, "item_ids", "non-empty ids", "'b\\n'"),
        ({"item_ids": ["a", "\ud800"]}, "item_ids", "non-empty ids", "'\\ud800'"),
        ({"item_ids": ["a", "a"]}, "item_ids", "unique as strings", "'a' more than once"),
        ({"item_ids": ["a", None]}, "item_ids", "without missing values", "None at position 1"),
        ({"item_ids": ["a"]}, "item_ids", "of shape (2,)", "shape (1,)"),
        ({"item_ids": None}, "item_ids", "of shape (2,)", "shape ()"),
        ({"query_ids": None}, "query_ids", "one name per query", "shape ()"),
        ({"query_ids": [b"q"]}, "query_ids", "made of strings", "bytes"),
        ({"y_score": [1, 2]}, "y_score", "of shape (n_queries, n_items)", "shape (2,)"),
        ({"y_score": [[[1, 2]]]}, "y_score", "of shape (n_queries, n_items)", "shape (1, 1, 2)"),
        (
            {"y_score": [[1, np.nan]]},
            "y_score",
            "finite",
            "NaN or infinity in 1 of 1 queries, the first of them query 0,",
        ),
        (
            {"y_score": [[1, 2**53]]},
            "y_score",
            "exact as float64",
            "9007199254740992 for document 'b' of query 'q'",
        ),
        ({"y_score": TWICE}, "y_score", "each item once", "item 1 more than once in query 0"),
    ],
)
def test_write_run_refuses_by_name_and_writes_nothing(path, arguments, parameter, key, got):
    with raises(parameter, key, function="write_run", got=got):
        write_run(
            path, **{"y_score": SPARSE, "query_ids": ["q"], "item_ids": ["a", "b"]} | arguments
        )
    assert not path.exists()
