"""Files of TREC: what is read of them, of any size, text and form, line by line and by pyarrow."""

from __future__ import annotations

import gzip
import os
import sys
import tracemalloc
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from raising import raises
from trec_readers import (
    ANY_ID,
    ANY_QUERY,
    KINDS,
    ON_A_FOLDER,
    QRELS,
    READERS,
    RUN,
    as_dicts,
    as_lists,
    read_both,
    way,  # noqa: F401
)

from ranking_scores import mean_reciprocal_rank_score
from ranking_scores._files import _trec_files
from ranking_scores._files._trec_files import read_packed
from ranking_scores.tables import from_tables
from ranking_scores.trec import from_pytrec_eval, read_qrels, read_run

DATA = Path(__file__).parents[1] / "data" / "trec"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "file"


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
def test_pyarrow_reads_the_numbers_of_python(path, reader, content, is_packed, monkeypatch):
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


def test_blank_lines_at_the_end_are_not_kept(path, monkeypatch):
    monkeypatch.setattr(_trec_files, "_BLOCK_BYTES", 2**17)
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
@given(rows=st.lists(st.tuples(ANY_QUERY, ANY_ID, st.integers(-(2**63), 10**6))))
def test_any_judgments_are_read(path, rows):
    path.write_bytes(
        "".join(f"{query} 0 {item} {label}\n" for query, item, label in rows).encode()
    )
    for table in (read_qrels(path), read_packed(path, KINDS[read_qrels])):
        assert list(zip(*as_lists(table).values(), strict=True)) == rows


# Forms of lines.


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
    path.write_text("7\t12\t1\n7\t13\t20\n9\t12\t1\n")
    predictions = read_both(read_run, path)
    assert as_lists(predictions) == {
        "query": ["7", "7", "9"],
        "item": ["12", "13", "12"],
        "rank": [1, 20, 1],
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
    assert {f"predictions: {note}" for note in read_run(run).notes} <= {*data.notes}


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
    path.write_text("3#1 # #a 1\n3#1 # b#2 0\n")
    judgments = read_both(read_qrels, path)
    assert judgments["query"].tolist() == ["3#1", "3#1"]
    assert judgments["item"].tolist() == ["#a", "b#2"]
    assert judgments.notes == ()


def test_comments_between_blocks_are_found(path, monkeypatch):
    path.write_text("301 0 a 1\n#\n302 0 #b 1\n")
    for size in range(1, 12):
        monkeypatch.setattr(_trec_files, "_BLOCK_BYTES", size)
        assert read_qrels(path)["item"].tolist() == ["a", "#b"]


@pytest.mark.parametrize("length", [1, 7, 8, 9, 16, 17, 64, 65])
def test_ids_that_differ_in_one_character_are_different_queries(path, length):
    ids = ["x" * n + own + "x" * (length - n - 1) for n in range(length) for own in "ab"]
    path.write_text("".join(f"{own} 0 d1 1\n{own} 0 d2 0\n" for own in ids))
    table = read_both(read_qrels, path)
    assert table["query"].tolist() == [own for own in ids for _ in range(2)]
    assert table["label"].tolist() == [1, 0] * len(ids)


def test_whole_labels_may_have_a_point(path):
    path.write_text("301 0 a 1.0\n301 0 b 0.\n301 0 c -2.00\n301 0 d -9223372036854775807.0\n")
    labels = read_both(read_qrels, path)["label"]
    assert labels.dtype == np.int64
    assert labels.tolist() == [1, 0, -2, 1 - 2**63]
