"""Lines of files of TREC: labels, ranks and forms, and what is refused, with the line named."""

from __future__ import annotations

import gzip
from functools import partial

import numpy as np
import pytest
from hypothesis import given, strategies as st
from raising import raises
from trec_readers import (
    KINDS,
    QRELS,
    READERS,
    as_dicts,
    read_both,
    way,  # noqa: F401
)

from ranking_scores import (
    bpref_score,
    judged_at_k_score,
    mean_average_precision_score,
    mean_reciprocal_rank_score,
    ndcg_score,
)
from ranking_scores._files import _trec_files
from ranking_scores._files._trec_files import read_packed
from ranking_scores._tables._known_names import count_contradicted
from ranking_scores.tables import from_tables
from ranking_scores.trec import read_qrels, read_run, write_run


@pytest.fixture
def path(tmp_path):
    return tmp_path / "file"


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
    assert data.notes[0] == note
    assert data.notes[0] in str(data)
    assert data.y_true.toarray().tolist() == [[0, 1, 0, 2, 0], [0, 1, 0, 0, 0], [0, 0, 0, 0, 0]]
    assert data.y_true.nnz == 7  # all of them are judged
    assert judgments["label"].tolist() == [-2, 1, -1, 2, -1, 1, -1]
    assert judgments.notes == ()


def test_one_label_below_0_is_said(path):
    path.write_text("# of one\n301 0 a -1\n301 0 b 1\n")
    predictions = {"query": ["301"], "item": ["a"], "score": [1.0]}
    assert from_tables(read_qrels(path), predictions, **NAMED).notes[:-2] == (
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
    assert not any("below 0" in note for note in data.notes)
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


def test_a_table_prints_its_first_rows_and_their_number(tmp_path):
    path = tmp_path / "run"
    path.write_text("301 Q0 FR-10 1 7.5 x\n301 Q0 FR\u200b9 2 2.25 x\n", encoding="utf-8")
    assert repr(read_run(path)) == (
        "query  item         score\n'301'  'FR-10'      7.5\n'301'  'FR\\u200b9'  2.25\n\n2 rows"
    )
    path.write_text("".join(f"q{n} 0 d{n} {n % 2}\n" for n in range(12)), encoding="utf-8")
    table = read_qrels(path)
    lines = repr(table).splitlines()
    assert lines[0].split() == ["query", "item", "label"]
    assert [line.split()[0] for line in lines[1:11]] == [f"'q{n}'" for n in range(10)]
    assert lines[11:] == ["", "12 rows, of which the first 10 are shown"]
    # A dict that is no table of columns any more prints as a dict.
    table["more"] = np.arange(2)
    assert repr(table).startswith("{'query': array(['q0', 'q1',")
    del table["more"]
    table["number"] = 5
    assert repr(table).startswith("{'query': array(['q0', 'q1',")
    table.clear()
    assert repr(table) == "{}"
    table["more"] = np.zeros((1, 2))
    assert repr(table) == "{'more': array([[0., 0.]])}"


def test_a_table_of_many_rows_prints_at_once(tmp_path):
    path = tmp_path / "qrels"
    path.write_bytes(b"q 0 d 1\n")
    table = read_qrels(path)
    n_read = []

    class Counted(np.ndarray):
        def tolist(self):
            n_read.append(self.size)
            return super().tolist()

    for name, values in table.items():
        table[name] = np.repeat(values, 10**6).view(Counted)
    assert repr(table).endswith("1000000 rows, of which the first 10 are shown")
    assert n_read == [10] * 3
