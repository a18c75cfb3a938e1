"""Files of TREC: what is read of each line, what is refused, and what is written."""

from __future__ import annotations

import gzip
import os
import sys
import tracemalloc
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from raising import raises

from ranking_scores import (
    bpref_score,
    judged_at_k_score,
    mean_average_precision_score,
    mean_reciprocal_rank_score,
    ndcg_score,
)
from ranking_scores._tables import QRELS as OF_JUDGMENTS
from ranking_scores._tables import RUN as OF_RUNS
from ranking_scores._tables import _trec_files, read_packed
from ranking_scores._tables._known_names import count_contradicted
from ranking_scores.tables import from_tables
from ranking_scores.trec import from_pytrec_eval, read_qrels, read_run, write_run

DATA = Path(__file__).parents[1] / "data" / "trec"
BLANKS = " \t\n\v\f\r"
ANY_ID = st.text(st.characters(exclude_characters=BLANKS, exclude_categories=["Cs"]), min_size=1)
ANY_QUERY = ANY_ID.filter(lambda text: not text.startswith(("#", "\ufeff")))
FINITE = {"allow_nan": False, "allow_infinity": False}
ON_A_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
QRELS = "301 0 FR-10 1\n301 0 FR-20 0\n302 0 FR-10 -2\n"
RUN = "301 Q0 FR-10 1 7.5 tag\n301 Q0 FR-99 2 -2e-3 tag\n302 Q0 FR-10 1 1 tag\n"
READERS = {read_qrels: QRELS, read_run: RUN}
KINDS = {read_qrels: OF_JUDGMENTS, read_run: OF_RUNS}


@pytest.fixture(autouse=True, params=["lines", "pyarrow"])
def way(request, monkeypatch):
    """Read each file line by line, and by pyarrow if it is plain."""
    if request.param == "pyarrow":
        pytest.importorskip("pyarrow", reason="it reads plain files")
        monkeypatch.setattr(_trec_files, "WORTH_PYARROW", 0)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "file"


def as_lists(table):
    return {name: column.tolist() for name, column in table.items()}


def as_dicts(table):
    """Return the dicts of pytrec_eval."""
    dicts = {}
    for query, item, number in zip(*as_lists(table).values(), strict=True):
        dicts.setdefault(query, {})[item] = number
    return dicts


# Files that are plain, and files that are not.

ODD = [
    "301 Q0 a 1 2.5 x\n\n301 Q0 b 2 1.5 x\n",
    "301 Q0 a 1 2.5 x\n \n",
    "301 Q0 a 1 2.5 x\n301 Q0 b 2 1.5 x\n\n\n",
    "\n301 Q0 a 1 2.5 x\n",
    "301  Q0 a 1 2.5 x\n",
    " 301 Q0 a 1 2.5\n",
    "301  a 1 2.5 x\n",
    "301 Q0  1 2.5 x\n",
    "301 Q0 a  2.5 x\n",
    "301 Q0 a 1  x\n",
    "301 Q0 a 1 2.5 \n",
    " 301 0 a\n",
    "301  a 1\n",
    "301\tQ0\ta\t1\t2.5\tx\n",
    "301 Q0\ta 1 2.5 x\n",
    "301 Q0 a 1 2.5 x\r\n302 Q0 a 1 2.5 x\r\n",
    "301 Q0 a 1 2.5 x\r302 Q0 a 1 2.5 x\n",
    '301 Q0 "a 1 2.5 x\n302 Q0 b" 1 2.5 x\n',
    '301 Q0 "a" 1 2.5 x\n',
    "301 Q0 NA 1 2.5 x\nnull Q0 nan 1 2.5 x\n",
    "301 Q0 a 1 nan x\n",
    "301 Q0 a 1 NaN x\n",
    "301 Q0 a 1 inf x\n",
    "301 Q0 a 1 NA x\n",
    "301 Q0 a 1 1_0 x\n",
    "301 Q0 a 1 +1 x\n",
    "301 Q0 a 1 0x10 x\n",
    "301 Q0 a 1 1e400 x\n",
    "301 Q0 a 1 1e-400 x\n",
    "301 Q0 a 1 .5 x\n301 Q0 b 1 5. x\n",
    "301 Q0 a 1 true x\n",
    "301 Q0 a 1 1,5 x\n",
    "301 Q0 a 1 2.5\n",
    "301 Q0 a 1 2.5 x y\n",
    "301 Q0 a 1 2.5 x\n301 Q0 b 1 2.5\n",
    "301 0 a 1\n",
    "301 0 a 0x1\n301 0 b 1\n",
    "301 0 a 1.0\n",
    "301 0 a +1\n301 0 b 007\n301 0 c -1\n",
    "301 0 a 9223372036854775807\n",
    "301 0 a 9223372036854775808\n",
    "301 0 a 1_0\n",
    "301 0 a \n",
    "\ufeff301 0 a 1\n",
    "\ufeff\ufeff301 0 a 1\n",
    "301 0 \ufeffa\u00a0b 1\n301 0 \x1c\x85 1\n",
    "301 0 a\0b 1\n",
    "# 0 a 1\n",
    "#\n",
    "# a\n\n",
    "# a\n301 0 a 1\n",
    "301 0 a 1\n#2 0 b 1\n# of  two\n302 0 c 1\n# the end",
    "301 0 a 1\n  #2 0 b 1\n302 0 #c 1\n",
    "\t#\n301 0 a 1\n",
    "301 0 a 1\n\n# a\n",
    "301 0 a 1\n# a\n\n",
    "301 0 a 1\n# a\n\n# b\n",
    "# a\r\n301 Q0 a 1 2.5 x\r\n",
    "301 Q0 a 1 2.5 x\r# b\n302 Q0 a 1 2.5 x\n",
    "\ufeff# a\n301 0 a 1\n",
    "301 0 a#1 1\n3#1 # #a 1\n",
    "301 a\n",
    "301\ta\n302\tb\n",
    "301 a\n302 0 b 1\n",
    "301 0 a 1\n302 b\n",
    "301\ta\t1\n301\tb\t2\n",
    "301 a 0\n",
    "301 a 1.0\n",
    "301 a 1.5\n",
    "301 a -1\n",
    "301 a x\n",
    "301 a 1\n301 Q0 b 2 1.5 x\n",
    "301 Q0 a 1 2.5\n301 Q0 b 2 1.5\n",
    "301 Q0 a x 2.5\n",
    "301 Q0 a 1 2.5 x\n301 Q0 b x 2.5\n",
    "301 Q0 a 1 2.5 my own x\n301 Q0 b 2 1.5\n301 Q0 c 3 1.5 x\n",
    "301 Q0 my 7 1 2.5 x\n",
    "301 Q0 a 1 2.5 x\n301 Q0 my 7 1 2.5 x\n",
    "301 Q0 a 2 2.5 x\n301 Q0 b 1 1.5 x\n",
    "301 Q0 a +2 2.5 x\n301 Q0 b +1 1.5 x\n",
    "301 Q0 a - 2.5 x\n301 Q0 b 1 1.5 x\n",
    "301 Q0 a 0x3 2.5 x\n301 Q0 b 0x1 1.5 x\n",
    "301 Q0 a nan 2.5 x\n301 Q0 b 1 1.5 x\n301 Q0 c 2 1.75 x\n",
    "301 Q0 a 2 2.5 x\n302 Q0 b 1 1.5 x\n301 Q0 b 1 1.5 x\n",
    "301 0 a 1.\n301 0 b -2.000\n",
    "301 0 a 1.5\n",
    "301 0 a .0\n",
    "301 0 a 9223372036854775807.0\n",
    "301 0 a 9223372036854775808.0\n",
    "301 0 a 1_0.0\n",
    " 301 0 a 1\n",
    "301 0 a 1",
    "",
    "\n",
]


def read_or_refused(read, path):
    """Return the columns of a file and the notes about it, or the text of the error."""
    try:
        table = read(path)
    except ValueError as error:
        return str(error)
    return {name: np.asarray(column).tolist() for name, column in table.items()}, table.notes


@pytest.mark.parametrize("content", ODD)
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("is_packed", [False, True])
def test_pyarrow_reads_what_the_lines_say(path, reader, content, is_packed, monkeypatch):
    pytest.importorskip("pyarrow")
    path.write_bytes(content.encode())
    read = partial(read_packed, kind=KINDS[reader]) if is_packed else reader
    found = []
    for least in (0, 10**9):
        monkeypatch.setattr(_trec_files, "WORTH_PYARROW", least)
        found.append(read_or_refused(read, path))
    assert found[0] == found[1]


@given(
    text=st.lists(
        st.sampled_from([*' \t\n\n\r\0"#', "1", "-2.5", "x", "é", "\ufeff", "1e3", "Q0"]),
        max_size=40,
    ).map("".join)
)
@ON_A_FOLDER
def test_so_it_does_of_any_text(path, text):
    pytest.importorskip("pyarrow")
    content = text + "\n1 Q0 d 1 2 tag\n1 0 d 1"
    path.write_bytes(content.encode())
    with pytest.MonkeyPatch.context() as patch:
        for read in (read_run, read_qrels):
            found = []
            for least in (0, 10**9):
                patch.setattr(_trec_files, "WORTH_PYARROW", least)
                found.append(read_or_refused(read, path))
            assert found[0] == found[1]


LINES = (
    "1 0 a 1",
    "2 0 #b -1",
    "1 a",
    "1 a 2",
    "2 b 1",
    "1 Q0 a 1 2 x",
    "1 Q0 b 2 1 x",
    "1 Q0 c 1 1 x",
    "2 Q0 c 3 3 x y",
    "2 Q0 d 2 3",
    "2 Q0 d - 3 x",
    "2 Q0 a 5 1 2 x",
    "#",
    "# 1 0 a 1",
    " #",
    "",
)


@given(lines=st.lists(st.sampled_from(LINES), max_size=6), first=st.sampled_from(LINES))
@ON_A_FOLDER
def test_so_it_does_of_lines_of_any_form(path, lines, first):
    pytest.importorskip("pyarrow")
    n_like_first = len(first.split())
    lines = [each for each in lines if len(each.split()) in (n_like_first, 5, 7) or "#" in each]
    path.write_text("\n".join([first, *lines, ""]))
    for read in (read_run, read_qrels):
        found = []
        for least in (0, 10**9):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(_trec_files, "WORTH_PYARROW", least)
                found.append(read_or_refused(read, path))
        assert found[0] == found[1]


@pytest.mark.parametrize("reader", READERS)
def test_ids_that_are_not_in_utf_8_are_left_to_the_lines(path, reader, monkeypatch):
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(_trec_files, "WORTH_PYARROW", 0)
    for place in (0, 2):
        fields = READERS[reader].split("\n")[0].split()
        fields[place] = "\udce9"
        path.write_bytes(" ".join(fields).encode(errors="surrogateescape"))
        with raises("path", "a file in UTF-8"):
            reader(path)


def test_without_pyarrow_long_files_are_read_line_by_line(path, monkeypatch):
    monkeypatch.setattr(_trec_files, "WORTH_PYARROW", 0)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    path.write_text(RUN)
    assert as_lists(read_run(path))["score"] == [7.5, -2e-3, 1]


# What is read.


def test_columns_and_their_types(path):
    path.write_text(QRELS)
    judgments = read_qrels(path)
    assert as_lists(judgments) == {
        "query": ["301", "301", "302"],
        "item": ["FR-10", "FR-20", "FR-10"],
        "label": [1, 0, -2],
    }
    path.write_text(RUN)
    predictions = read_run(path)
    assert as_lists(predictions) == {
        "query": ["301", "301", "302"],
        "item": ["FR-10", "FR-99", "FR-10"],
        "score": [7.5, -0.002, 1.0],
    }
    for table, dtype in ((judgments, np.int64), (predictions, np.float64)):
        assert [column.dtype for column in table.values()] == [object, object, dtype]
        assert {type(each) for name in ("query", "item") for each in table[name]} == {str}


def test_ids_are_text(path):
    ids = [
        "NA",
        "007",
        "1E5",
        "7",
        "nan",
        "None",
        "1_0",
        "a\xa0b",
        "\u2028",
        "\x1c",
        "\x00",
        "\x85",
    ]
    path.write_bytes("".join(f"{each} 0 {each} 1\n" for each in ids).encode())
    judgments = read_qrels(path)
    assert judgments["query"].tolist() == judgments["item"].tolist() == ids


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace(" ", "\t"),
        lambda text: text.replace(" ", " \v\f\t  ").replace("\n", " \n "),
        lambda text: "\ufeff" + text,
        lambda text: text + "\n",
        lambda text: text + "\r\n  \n\t\n ",
        lambda text: text.rstrip(),
    ],
)
@pytest.mark.parametrize("is_zipped", [False, True])
def test_what_makes_no_difference(path, reader, change, is_zipped):
    text = READERS[reader]
    path.write_text(text)
    expected = as_lists(reader(path))
    assert len(expected["item"]) == 3
    content = change(text).encode()
    path.write_bytes(gzip.compress(content) if is_zipped else content)
    assert as_lists(reader(path)) == as_lists(read_packed(path, KINDS[reader])) == expected


@pytest.mark.parametrize("reader", READERS)
def test_gzip_in_several_parts(path, reader):
    path.write_bytes(b"".join(gzip.compress(line.encode()) for line in READERS[reader]))
    assert reader(path)["query"].tolist() == ["301", "301", "302"]


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    "content", [b"", b"\n", b" \r\n\n", b"\xef\xbb\xbf", gzip.compress(b"", mtime=0)]
)
def test_an_empty_file_has_no_rows(path, reader, content):
    path.write_bytes(content)
    for table in (reader(path), read_packed(path, KINDS[reader])):
        columns = list(table.values())
        assert [column.shape for column in columns] == [(0,)] * 3
        assert columns[0].dtype == columns[1].dtype == object
        assert columns[2].dtype == (np.int64 if reader is read_qrels else np.float64)


def test_an_empty_file_is_a_run_that_retrieved_nothing(path):
    path.touch()
    data = from_pytrec_eval({"q": {"d": 1}}, as_dicts(read_run(path)))
    assert data.y_score.nnz == 0


def test_paths_of_either_kind(path):
    path.write_text(RUN)
    assert as_lists(read_run(str(path))) == as_lists(read_run(path))

    class Named(os.PathLike):
        def __fspath__(self):
            return os.fsencode(path)

    assert as_lists(read_run(Named())) == as_lists(read_run(path))
    with pytest.raises(FileNotFoundError):
        read_run(path.with_name("nothing"))


@pytest.mark.parametrize("size", [1, 7, 23, 60, 1000])
def test_blocks_of_any_size_are_read_alike(path, size, monkeypatch):
    content = "\ufeff" + "".join(f"q{n // 3}\t0 d{n:03d}  {n}\r\n" for n in range(50)) + "\n \n\n"
    path.write_bytes(content.encode())
    expected = as_lists(read_qrels(path))
    assert expected["label"] == list(range(50))
    monkeypatch.setattr(_trec_files, "_BLOCK_BYTES", size)
    assert as_lists(read_qrels(path)) == as_lists(read_packed(path, KINDS[read_qrels])) == expected
    for number in (1, 17, 50):
        lines = content.split("\n")
        lines.insert(number, " ")
        path.write_text("\n".join(lines), newline="")
        if number < 50:
            with pytest.raises(ValueError, match=rf"Got a blank line in line {number + 1} of "):
                read_qrels(path)
        else:
            assert as_lists(read_qrels(path)) == expected


def test_blank_lines_at_the_end_are_not_kept(path):
    path.write_bytes(b"q 0 d 1\n" + b" \n" * 2**20)
    tracemalloc.start()
    try:
        blocks = list(_trec_files._blocks(str(path), "read_qrels"))
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()
    assert blocks == [(1, b"q 0 d 1\n")]
    with path.open("ab") as file:
        file.write(b"q 0 e 1\n")
    with pytest.raises(ValueError, match="Got a blank line in line 2 of "):
        read_qrels(path)


def test_a_query_is_one_string_in_memory(path):
    path.write_text("".join(f"query-{n % 2} 0 d{n} 1\n" for n in range(100)))
    assert len(set(map(id, read_qrels(path)["query"]))) == 2


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        (b"q 0 \xc3 1\nq 0 \xa9 1\n", r"b'\\xc3'"),  # together one character
        (b"\xc3 0 d 1\n\xa9 0 d 1\n", r"b'\\xc3'"),
        (b"q 0 d 1\nq 0 \xa9 1\n", r"b'\\xa9'"),
    ],
)
def test_each_id_must_be_in_utf_8(path, content, shown):
    path.write_bytes(content)
    for read in (read_qrels, partial(read_packed, kind=KINDS[read_qrels])):
        with pytest.raises(ValueError, match=rf"UTF-8. Got {shown} in line "):
            read(path)


def test_the_files_of_trec_eval_are_read_as_a_split_of_each_line_has_them():
    for name, reader, place in (("qrels.test", read_qrels, 3), ("results.test", read_run, 4)):
        lines = [line.split() for line in (DATA / name).read_text().splitlines()]
        query, item, number = as_lists(reader(DATA / name)).values()
        assert [[*each] for each in zip(query, item, number, strict=True)] == [
            [fields[0], fields[2], float(fields[place])] for fields in lines
        ]


@ON_A_FOLDER
@given(rows=st.lists(st.tuples(ANY_QUERY, ANY_ID, st.integers(-(2**63), 2**63 - 1))))
def test_any_judgments_are_read(path, rows):
    path.write_bytes(
        "".join(f"{query} 0 {item} {label}\n" for query, item, label in rows).encode()
    )
    for table in (read_qrels(path), read_packed(path, KINDS[read_qrels])):
        assert list(zip(*as_lists(table).values(), strict=True)) == rows


# Forms of lines.


def read_both(reader, path):
    """Return what both readers of a kind return, which is the same."""
    table, packed = reader(path), read_packed(path, KINDS[reader])
    assert as_lists(table) == {name: np.asarray(each).tolist() for name, each in packed.items()}
    assert table.notes == packed.notes
    return table


def test_judgments_of_two_columns_are_relevant(path):
    path.write_text("7\t12\n7\t13\n9\t12\n")
    judgments = read_both(read_qrels, path)
    assert as_lists(judgments) == {
        "query": ["7", "7", "9"],
        "item": ["12", "13", "12"],
        "label": [1, 1, 1],
    }
    assert judgments["label"].dtype == np.int64
    assert judgments.notes == (
        "two fields per line, a query and a relevant document, as in files of MS MARCO",
    )


def test_a_run_of_three_columns_has_ranks(path):
    path.write_text("7\t12\t1\n7\t13\t2\n9\t12\t10\n")
    predictions = read_both(read_run, path)
    assert as_lists(predictions) == {
        "query": ["7", "7", "9"],
        "item": ["12", "13", "12"],
        "rank": [1, 2, 10],
    }
    assert predictions["rank"].dtype == np.int64
    assert predictions.notes == (
        "three fields per line, a query, a document and its rank, as in files of MS MARCO",
    )


def test_files_of_ms_marco_give_its_mrr(tmp_path):
    qrels, run = tmp_path / "qrels.dev.small.tsv", tmp_path / "run.dev.small.tsv"
    qrels.write_text("7\t0\t12\t1\n9\t0\t14\t1\n")
    run.write_text("7\t11\t1\n7\t12\t2\n9\t12\t1\n9\t14\t4\n")
    data = from_tables(
        read_qrels(qrels), read_run(run), query="query", item="item", label="label", rank="rank"
    )
    assert mean_reciprocal_rank_score(data, k=10, average=None).tolist() == [1 / 2, 1 / 4]
    assert data.notes == tuple(f"predictions: {note}" for note in read_run(run).notes)


@pytest.mark.parametrize("separator", [" ", "\t"])
@pytest.mark.parametrize("worth", [0, 10**6])
def test_several_tags_are_said(path, monkeypatch, separator, worth):
    monkeypatch.setattr(_trec_files, "WORTH_PYARROW", worth)

    def notes(*tags):
        lines = [f"{n} Q0 d {n} 1 {tag}".rstrip() for n, tag in enumerate(tags, 1)]
        path.write_text("\n".join(lines).replace(" ", separator))
        return read_run(path).notes

    assert notes("a", "a", "a") == notes("xa", "xa") == notes("", "") == notes("", "a", "a") == ()
    assert notes("b", "a", "b") == ("2 tags in the file, a, b, which is read as one run",)
    assert notes("a", "xa", "") == ("2 tags in the file, a, xa, which is read as one run",)
    assert notes(*"edcba") == ("5 tags in the file, a, b, c, ..., which is read as one run",)
    assert notes("a x", "a y") == ("2 tags in the file, a x, a y, which is read as one run",)
    path.write_bytes(b"1 Q0 d 1 1 \xff\n2 Q0 d 1 1 a\n".replace(b" ", separator.encode()))
    assert read_run(path).notes == (r"2 tags in the file, a, \xff, which is read as one run",)
    path.write_text("1 0 d 1\n2 1 d 1\n")
    assert read_qrels(path).notes == ()


@pytest.mark.parametrize("tag", ["", " x", " my own x", " bm25 2", "\tx\t"])
def test_a_tag_may_be_missing_or_have_blanks(path, tag):
    path.write_text(f"301 Q0 a 1 2.5{tag}\n301 Q0 b 2 1.5{tag}\n")
    predictions = read_both(read_run, path)
    assert as_lists(predictions) == {
        "query": ["301", "301"],
        "item": ["a", "b"],
        "score": [2.5, 1.5],
    }
    assert predictions.notes == ()


@pytest.mark.parametrize("reader", READERS)
def test_lines_that_begin_with_a_number_sign_are_skipped(path, reader):
    lines = READERS[reader].splitlines(keepends=True)
    path.write_text("".join(lines))
    expected = as_lists(reader(path))
    path.write_text(f"# a  file\n{lines[0]}#{lines[1]}{lines[1]}#\n #{lines[0]}{lines[2]}#")
    table = read_both(reader, path)
    assert as_lists(table) == expected
    assert table.notes == ("5 lines that begin with # are skipped",)
    path.write_text("#\n" + "".join(lines))
    assert read_both(reader, path).notes == ("1 line that begins with # is skipped",)
    path.write_text("# nothing\n")
    assert read_both(reader, path)["item"].size == 0


def test_comments_are_counted_in_all_blocks(path, monkeypatch):
    monkeypatch.setattr(_trec_files, "_BLOCK_BYTES", 8)
    path.write_text("# a longer comment\n" + "301 0 a 1\n#\n" * 20 + "x\n")
    with raises("path", "lines are", got=f"1 field in line 42 of {path}"):
        read_qrels(path)
    path.write_text("# a longer comment\n" + "301 0 a 1\n#\n" * 20)
    table = read_both(read_qrels, path)
    assert table["item"].tolist() == 20 * ["a"]
    assert table.notes == ("21 lines that begin with # are skipped",)


def test_a_number_sign_inside_a_line_is_part_of_an_id(path):
    path.write_text("3#1 0 #a 1\n3#1 # b#2 0\n")
    judgments = read_both(read_qrels, path)
    assert judgments["query"].tolist() == ["3#1", "3#1"]
    assert judgments["item"].tolist() == ["#a", "b#2"]
    assert judgments.notes == ()


def test_comments_between_pieces_are_found(path, monkeypatch):
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(_trec_files, "WORTH_PYARROW", 0)
    monkeypatch.setattr(_trec_files, "_read_lines", None)
    path.write_text("301 0 a 1\n#\n302 0 #b 1\n")
    for size in range(1, 12):
        monkeypatch.setattr(_trec_files, "_PIECE_BYTES", size)
        assert read_qrels(path)["item"].tolist() == ["a", "#b"]


def test_whole_labels_may_have_a_point(path):
    path.write_text("301 0 a 1.0\n301 0 b 0.\n301 0 c -2.00\n301 0 d 9223372036854775807.0\n")
    labels = read_both(read_qrels, path)["label"]
    assert labels.dtype == np.int64
    assert labels.tolist() == [1, 0, -2, 2**63 - 1]


# Ranks beside scores.


def is_contradicted(scores, ranks):
    """Return whether an item has a higher score than another, and a later rank."""
    items = list(zip(scores, ranks, strict=True))
    return any(
        score > other and rank > its_rank for score, rank in items for other, its_rank in items
    )


@given(
    rows=st.lists(
        st.tuples(st.integers(0, 2), st.integers(-1, 2), st.sampled_from([0, 1, 2, 0.5]))
    )
)
def test_queries_whose_ranks_contradict_their_scores_are_counted(rows):
    queries, scores, ranks = np.array(rows, dtype=float).reshape(-1, 3).T
    expected = sum(
        is_contradicted(scores[queries == each].tolist(), ranks[queries == each].tolist())
        for each in np.unique(queries)
    )
    number = np.unique(queries, return_inverse=True)[1].astype(np.int32)
    for far in (1, 2**40):  # these are not counted as whole numbers
        assert count_contradicted(number, scores, far * ranks) == expected


def test_contradicted_scores_count_and_are_said(path):
    path.write_text(
        "301 Q0 a 2 2.5 x\n301 Q0 b 1 1.5 x\n302 Q0 a 1 2.5 x\n302 Q0 b 2 1.5 x\n"
        "303 Q0 a 0 2.5 x\n303 Q0 b 0 1.5 x\n304 Q0 b 9 1.5 x\n304 Q0 a 1 1.5 x\n"
    )
    predictions = read_both(read_run, path)
    assert predictions["score"].tolist() == [2.5, 1.5, 2.5, 1.5, 2.5, 1.5, 1.5, 1.5]
    assert predictions.notes == (
        "the ranks contradict the scores in 1 of 4 queries; the scores count",
    )


@pytest.mark.parametrize("rank", ["-", "0x9", "rank", "", "1e999x"])
def test_ranks_that_are_no_numbers_contradict_nothing(path, rank):
    path.write_text(f"301 Q0 a 9 2.5 x\n301 Q0 b 1 1.5 x\n301 Q0 c {rank or '-'} 0.5 x\n")
    assert read_both(read_run, path).notes == ()


def test_ranks_in_one_block_that_are_no_numbers_contradict_nothing(path, monkeypatch):
    monkeypatch.setattr(_trec_files, "_BLOCK_BYTES", 8)
    lines = ["301 Q0 a 9 2.5 x", "301 Q0 b 1 1.5 x", "301 Q0 c - 0.5 x", "301 Q0 d 2 0.2 x"]
    path.write_text("\n".join(lines))
    assert read_both(read_run, path).notes == ()
    path.write_text("\n".join(lines[:2]))
    assert len(read_both(read_run, path).notes) == 1


# Labels below 0.

BELOW = "301 0 a -2\n301 0 b 1\n301 0 c -1\n301 0 d 2\n302 0 a -1\n302 0 b 1\n303 0 a -1\n"
FOUND = (
    "301 Q0 a 1 4 x\n301 Q0 b 2 3 x\n301 Q0 c 3 2 x\n301 Q0 e 4 1 x\n"
    "302 Q0 a 1 2 x\n302 Q0 b 2 1 x\n303 Q0 a 1 1 x\n"
)
NAMED = {"query": "query", "item": "item", "label": "label", "score": "score"}


@pytest.fixture
def below(tmp_path):
    """Return judgments with labels below 0, and predictions."""
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text(BELOW)
    run.write_text(FOUND)
    return read_qrels(qrels), read_run(run)


def test_labels_below_0_count_as_0_and_are_said(below):
    judgments, predictions = below
    assert judgments["label"].tolist() == [-2, 1, -1, 2, -1, 1, -1]
    data = from_tables(judgments, predictions, **NAMED)
    note = "judgments: 4 labels below 0 count as 0: judged, and not relevant"
    assert data.notes == (note,)
    assert data.notes[0] in str(data)
    assert data.y_true.toarray().tolist() == [[0, 1, 0, 2, 0], [0, 1, 0, 0, 0], [0, 0, 0, 0, 0]]
    assert data.y_true.nnz == 7  # all of them are judged
    assert judgments["label"].tolist() == [-2, 1, -1, 2, -1, 1, -1]
    assert judgments.notes == ()


def test_one_label_below_0_is_said(path):
    path.write_text("# of one\n301 0 a -1\n301 0 b 1\n")
    predictions = {"query": ["301"], "item": ["a"], "score": [1.0]}
    assert from_tables(read_qrels(path), predictions, **NAMED).notes == (
        "judgments: 1 line that begins with # is skipped",
        "judgments: 1 label below 0 counts as 0: judged, and not relevant",
    )


def test_labels_below_0_score_as_in_pytrec_eval(below):
    pytrec_eval = pytest.importorskip("pytrec_eval")
    judgments, predictions = below
    names = {
        "ndcg": ndcg_score,
        "map": mean_average_precision_score,
        "recip_rank": mean_reciprocal_rank_score,
    }
    # The version that is compared crashes if all labels of a query are below -1.
    evaluator = pytrec_eval.RelevanceEvaluator(as_dicts(judgments), set(names))
    theirs = evaluator.evaluate(as_dicts(predictions))
    data = from_tables(judgments, predictions, **NAMED)
    for name, score in names.items():
        expected = [theirs[query][name] for query in data.query_ids]
        np.testing.assert_allclose(score(data, average=None), expected, rtol=1e-12)


def test_labels_below_0_are_judged_for_bpref(below):
    data = from_tables(*below, **NAMED)
    as_0 = from_tables({**below[0], "label": np.maximum(below[0]["label"], 0)}, below[1], **NAMED)
    assert bpref_score(data, average=None).tolist() == bpref_score(as_0, average=None).tolist()
    assert judged_at_k_score(data, k=1) == 1


def test_labels_of_a_callers_own_are_not_changed(below):
    judgments, predictions = below
    data = from_tables(dict(judgments), predictions, **NAMED)
    assert data.y_true.min() == -2
    assert data.notes == ()
    judgments["label"] = judgments["label"].astype(str)
    with raises("judgments", "bools, ints or floats"):
        from_tables(judgments, predictions, **NAMED)
    del judgments["label"]
    assert from_tables(judgments, predictions, **NAMED | {"label": None}).y_true.sum() == 7


# What is refused.

OF_QRELS = "lines are 'query iteration document label'"
OF_RUN = "lines are 'query Q0 document rank score tag'"
BETWEEN = "Blanks separate the fields"
MARK = "a byte-order mark at the beginning of a line"
NULL = r"\x00"
LABELS, SCORES = "labels are whole numbers", "scores are finite"
UTF8 = "a file in UTF-8"
GOOD = {read_qrels: b"q 0 d 1\n", read_run: b"q Q0 d 1 0.5 t\n"}


@pytest.mark.parametrize(
    ("reader", "line", "expected", "got", "advice"),
    [
        (read_qrels, b"q 0 d", OF_QRELS, "3 fields", BETWEEN),
        (read_qrels, b"q d 1", OF_QRELS, "3 fields", "Read a run with `read_run`."),
        (read_qrels, b"q Q0 d 1 .5", OF_QRELS, "5 fields", "Read a run with `read_run`."),
        (read_qrels, b"q Q0 d 1 .5 t t", OF_QRELS, "7 fields", "Read a run with `read_run`."),
        (read_qrels, b"q 0 d 1.5", LABELS, "'1.5'", ""),
        (read_qrels, b"q 0 d 9223372036854775808.0", LABELS, "'9223372036854775808.0'", ""),
        (read_qrels, b"q", OF_QRELS, "1 field", BETWEEN),
        (read_qrels, b"", OF_QRELS, "a blank line", "Delete the line."),
        (read_run, b" \t", OF_RUN, "a blank line", "Delete the line."),
        (
            read_run,
            b"\xef\xbb\xbf\xef\xbb\xbfq Q0 d 1 1 t",
            "mark at most once",
            MARK,
            "Join files without",
        ),
        (
            read_qrels,
            b"\xef\xbb\xbf\xef\xbb\xbfq 0 d 1",
            "mark at most once",
            MARK,
            "Join files without",
        ),
        (
            read_qrels,
            b"q 0 d " + bytes(600),
            UTF8,
            rf"b'{80 * NULL}'… (600 bytes)",
            "Save the file",
        ),
        (read_qrels, b"q 0 d " + b"x" * 600, LABELS, f"'{80 * 'x'}'… (600 characters)", ""),
        (read_qrels, b"q 0 d d 1", OF_QRELS, "5 fields", BETWEEN),
        (read_qrels, b"q Q0 d 1 .5 t", OF_QRELS, "6 fields", "Read a run with `read_run`."),
        (read_run, b"q Q0 d x 0.5", OF_RUN, "5 fields", BETWEEN),
        (read_run, b"q Q0 my 7 1 0.5 t", OF_RUN, "7 fields", BETWEEN),
        (read_run, b"q Q0 my doc 1 0.5 t", OF_RUN, "7 fields", BETWEEN),
        (read_run, b"q d", OF_RUN, "2 fields", BETWEEN),
        (read_run, b"q 0 d 1", OF_RUN, "4 fields", "Read judgments with `read_qrels`."),
        (read_qrels, b"q 0 d x", LABELS, "'x'", ""),
        (read_qrels, b"q 0 d 1_0", LABELS, "'1_0'", ""),
        (read_qrels, b"q 0 d nan", LABELS, "'nan'", ""),
        (read_qrels, b"q 0 d 9223372036854775808", LABELS, "'9223372036854775808'", ""),
        (read_qrels, "q 0 d \u0661".encode(), LABELS, "'\u0661'", ""),
        (read_run, b"q Q0 d 1 high t", SCORES, "'high'", ""),
        (read_run, b"q Q0 d 1 NaN t", SCORES, "'NaN'", ""),
        (read_run, b"q Q0 d 1 -inf t", SCORES, "'-inf'", ""),
        (read_run, b"q Q0 d 1 1e999 t", SCORES, "'1e999'", ""),
        (read_run, b"q Q0 d 1 1_0.5 t", SCORES, "'1_0.5'", ""),
        (read_run, b"q Q0 d 1 0,5 t", SCORES, "'0,5'", ""),
        (read_run, b"q Q0 d 1 \xff t", SCORES, r"'\\xff'", ""),
        (read_run, b"caf\xe9 Q0 d 1 1 t", UTF8, r"b'caf\xe9'", "Save the file as UTF-8."),
        (read_qrels, b"q 0 \xff 1", UTF8, r"b'\xff'", "Save the file as UTF-8."),
    ],
)
@pytest.mark.parametrize(
    ("n_before", "is_zipped"),
    [
        (0, False),
        (0, True),
        (2, False),
        (2, True),
        (70_000, False),  # which is in the second block
        pytest.param(70_000, True, marks=pytest.mark.slow),
    ],
)
def test_a_malformed_line_is_named(path, reader, line, expected, got, advice, n_before, is_zipped):
    content = n_before * GOOD[reader] + line + b"\r\n" + GOOD[reader] + b"bad\n"
    if line == b"q 0 d" and n_before:
        content = content.replace(b"\n", b"\n# q 0 d\n", 1)  # it is a line, too
        n_before += 1
    path.write_bytes(gzip.compress(content, 1) if is_zipped else content)
    got = f"{got} in line {n_before + 1} of {path}"
    function = reader.__name__
    for read in (reader, partial(read_packed, kind=KINDS[reader])):
        with raises("path", expected, function=function, got=got, advice=advice) as caught:
            read(path)
        assert caught.value.__suppress_context__


@pytest.mark.parametrize(
    ("reader", "lines", "form", "got"),
    [
        (read_qrels, b"q d\nq 0 d 1\n", "'query document'", "4 fields in line 2"),
        (read_qrels, b"q d\nq d 1\n", "'query document'", "3 fields in line 2"),
        (read_qrels, b"q 0 d 1\nq d\n", "'query iteration document label'", "2 fields in line 2"),
        (read_run, b"q d 1\nq d\n", "'query document rank'", "2 fields in line 2"),
        (
            read_run,
            b"q Q0 d 1 5 x\nq d 1\n",
            "'query Q0 document rank score tag'",
            "3 fields in line 2",
        ),
    ],
)
def test_all_lines_have_the_form_of_the_first(path, reader, lines, form, got):
    path.write_bytes(lines)
    with raises("path", f"a file whose lines are {form}", got=f"{got} of {path}") as caught:
        reader(path)
    assert caught.value.expected == f"a file whose lines are {form}"


def test_a_file_of_no_form_says_all_that_are_read(path):
    path.write_text("q\n")
    forms = {
        read_qrels: "'query iteration document label' or 'query document'",
        read_run: "'query Q0 document rank score tag' or 'query document rank'",
    }
    for reader, lines in forms.items():
        with raises("path", lines, got=f"1 field in line 1 of {path}"):
            reader(path)


@pytest.mark.parametrize("line", ["q Q0 my 7 1 0.5 t", "q Q0 d x 0.5", "q Q0 d 1.0 0.5 t t"])
def test_a_line_of_more_or_fewer_fields_is_read_only_if_all_else_fits(path, line):
    path.write_text(f"q Q0 d 1 0.5 t\n{line}\nq Q0 e 2 0.4 t\n")
    with raises("path", OF_RUN, got=f"{len(line.split())} fields in line 2 of {path}"):
        read_run(path)


@pytest.mark.parametrize("rank", ["0", "-1", "1.5", "x", "9223372036854775808"])
def test_ranks_alone_are_numbers_from_1_on(path, rank):
    path.write_text(f"q d 1\nq e {rank}\n")
    with raises("path", "ranks are whole numbers from 1 on", got=f"'{rank}' in line 2 of {path}"):
        read_run(path)


def test_lines_of_wrong_lengths_that_fit_together_are_refused(path):
    path.write_text("q 0 d1 1\nq 0 d2\n1 q 0 d3 1\n")
    with pytest.raises(ValueError, match=r"Got 3 fields in line 2 of"):
        read_qrels(path)


def test_the_last_line_needs_no_end_but_all_its_fields(path):
    path.write_text("q 0 d1 1\nq 0 d2 1")
    assert as_dicts(read_qrels(path)) == {"q": {"d1": 1, "d2": 1}}
    for last, n_fields in (("q 0 d2 1 q 0 d3 1", 8), ("q 0 d2 ", 3)):
        path.write_text(f"q 0 d1 1\n{last}")
        with pytest.raises(ValueError, match=rf"Got {n_fields} fields in line 2 of"):
            read_qrels(path)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_a_file_of_windows_in_utf_16_is_refused(path, encoding):
    for text in (QRELS, "q\n" + QRELS):
        path.write_text(text, encoding=encoding)
        with pytest.raises(ValueError, match=r"a file in UTF-8. .* in line 1 .* Save the file as"):
            read_qrels(path)


def test_an_id_may_have_a_null_character(path):
    path.write_text("q\0 0 d 1\n")
    assert as_dicts(read_qrels(path)) == {"q\0": {"d": 1}}
    path.write_text("q\0 0 d 1\nq 0 d x\n")
    with pytest.raises(ValueError, match=r"whole numbers of 64 bits. Got 'x' in line 2 of"):
        read_qrels(path)


@pytest.mark.parametrize("reader", READERS)
def test_a_damaged_gzip_file_is_refused(path, reader):
    content = gzip.compress(READERS[reader].encode())
    for damaged, reason in (
        (content[:-9], "Compressed file ended before the end-of-stream marker was reached"),
        (content[:-8] + b"\0" * 8, "CRC check failed 0x0 != 0x"),
        (content[:10] + b"\xff" * 99, "Error -3 while decompressing data: "),
    ):
        path.write_bytes(damaged)
        with raises("path", "a complete gzip file", function=reader.__name__) as caught:
            reader(path)
        assert caught.value.got.startswith(f"{path}, and gzip reports: {reason}")


@pytest.mark.parametrize("given", [None, 3, ["file"]])
def test_what_is_no_path_is_refused(given):
    for name, function in (
        ("read_qrels", read_qrels),
        ("read_run", read_run),
        ("write_run", lambda path: write_run(path, [[1]], ["q"], ["d"])),
    ):
        with raises("path", "a str or an os.PathLike", function=name, got=repr(given)):
            function(given)


# What is written.


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
