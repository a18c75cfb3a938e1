"""The command line on files of every kind: tables, TREC, MS MARCO, compressed, and Parquet."""

from __future__ import annotations

import gzip
import json
import os
import shlex
import sys
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from command_data import (
    FORMS,
    FOUND,
    JUDGED,
    NAMES,
    ORDER,
    QRELS,
    RUN,
    below_forms,
    records_of,
    standard_input,
    write_parquet,
)
from project.test_project import project

from ranking_scores import ranking_report
from ranking_scores._base import _packed_text
from ranking_scores._command import _files
from ranking_scores._files import _delimited
from ranking_scores._files._trec_files import is_without_header
from ranking_scores.tables import from_tables

pytestmark = pytest.mark.usefixtures("folder")


# The files.


def test_tables_of_text(call):
    expected = call("qrels run -m map ndcg --format json")[1].replace('"run": "run"', "")
    unjudged = "1 query was predicted but not judged, and is left out: '304'"
    assert f'"notes": ["{FORMS}", "{unjudged}", ' in expected
    expected = expected.replace(f' "{unjudged}",', "")  # the table has no such query
    columns = "user as query, product as item"
    line = "-m map ndcg --format json --label grade"
    for suffix, delimiter in ((".csv", ","), (".tsv", "\t"), (".CSV.gz", ",")):
        write = gzip.open if suffix.endswith("gz") else open
        for name, text in (("judged", JUDGED), ("found", FOUND)):
            with write(f"{name}{suffix}", "wt", encoding="utf-8-sig", newline="") as file:
                file.write(text.replace(",", delimiter).replace("\n", "\r\n") + "\r\n")
        status, output, _ = call(f"judged{suffix} found{suffix} {line}", *NAMES)
        assert status == 0
        table = f"{suffix[1:4].upper()}: {columns}"
        forms = f"judged{suffix}: {table}, grade as label; found{suffix}: {table}, score"
        output = output.replace(f'"run": "found{suffix}"', "")
        assert output.replace(forms, FORMS) == expected


def test_a_table_beside_a_file_of_trec(call):
    expected = call("qrels run -m map ndcg --format csv")[1]
    for line in ("judged.csv run --label grade", "qrels found.csv"):
        output = call(f"{line} -m map ndcg --format csv", *NAMES)[1]
        assert output.replace("found.csv", "run") == expected


def test_a_run_that_is_the_file_of_the_judgments(call, refuse):
    same = "the same file for both, with the same items. Pass the file of the run"
    Path("both.json").write_text('{"q": {"a": 1, "b": 0}}', encoding="utf-8")
    fields = ", or name the fields of both with --relevant and --retrieved."
    assert refuse("both.json both.json -m ndcg") == f"both.json: {same}{fields}"
    Path("both.csv").write_text("query,item,label,score\nq,a,1,.2\nq,b,0,.3\n", encoding="utf-8")
    assert call("both.csv both.csv -m ndcg")[0] == 0
    line = "both.csv both.csv -m ndcg --label score --score score"
    assert refuse(line) == f"both.csv: {same}."


def test_ids_in_files_of_trec_are_cut_before_the_first_ranks_are_read(call):
    found = [("b#1", 9), ("c#1", 8), ("a#2", 7), ("a", 6)]  # `a` alone is found without a cut
    found += [(f"z{place}", 1 - place / 10) for place in range(8)]
    rows = (f"1 Q0 {item} {rank} {score} t\n" for rank, (item, score) in enumerate(found, 1))
    Path("passages").write_text("".join(rows), encoding="utf-8")
    Path("pages").write_text("1 0 a 1\n", encoding="utf-8")
    line = "pages passages --split # --duplicates best -m mrr@4 --format csv"
    assert call(line)[1].splitlines()[1].split(",")[2] == str(1 / 3)


@pytest.mark.parametrize("reader", [0, 10**9])
def test_blanks_after_commas_are_no_part_of_ids(call, refuse, monkeypatch, reader):
    monkeypatch.setattr(_delimited, "PYARROW_BYTES", reader)
    text = "query, item, score\n301, a, .5\n301, b, .4\n"
    Path("blanks.csv").write_text(text, encoding="utf-8")
    assert refuse("qrels blanks.csv") == (
        "blanks.csv: the ids in the column ' item' begin with a blank, as its name does. Delete "
        "the blanks between the columns."
    )
    judged = text.replace("score", "label").replace(".", "")
    Path("blanks.csv").write_text(judged, encoding="utf-8")
    assert "Delete the blanks between the columns." in refuse("blanks.csv run")
    Path("blanks.csv").write_text(text.replace("301, ", "301,"), encoding="utf-8")
    assert call("qrels blanks.csv")[0] == 0


def test_ranks(call):
    line = "judged.csv found.csv --label grade --rank place -m map ndcg --ties --format csv"
    by_rank = call(line, *NAMES)[1]
    assert by_rank == call(line.replace("--rank place", ""), *NAMES)[1]


def test_each_row_of_the_judgments_is_relevant(call):
    Path("judged.csv").write_text("query,item\n301,b\n301,x\n", encoding="utf-8")
    [record] = json.loads(call("judged.csv run --no-label -m precision@2 --format json")[1])
    assert record["mean"] == 0.5


def test_ids_in_text_are_as_they_stand(call):
    Path("judged.csv").write_text(
        'query,item,label\n007,NA,1\n7, x,1\n7,"1,5",1\n', encoding="utf-8"
    )
    Path("found.csv").write_text(
        "query,item,score\n007,NA,1\n007, x,2\n7,1E5,1\n", encoding="utf-8"
    )
    _, output, _ = call("judged.csv found.csv -m hit_rate@1,recall --format json --by-query")
    means = {key[1:]: record["mean"] for key, record in records_of(output).items()}
    assert means["007", "recall"] == 1
    assert means["007", "hit_rate@1"] == 0
    assert means["7", "recall"] == 0


def test_the_standard_input(call, refuse):
    expected = call("qrels run -m map")[1]
    with standard_input("run"):
        output = call("qrels - -m map")[1]
        assert output == expected.replace("; run:", "; -:").replace("\nrun  map", "\n-    map")
    Path("packed").write_bytes(gzip.compress(QRELS.encode()))
    with standard_input("packed"):
        assert call("- run -m map")[1] == expected.replace("qrels:", "-:")
    with standard_input("qrels"):
        assert refuse("qrels -").startswith("- must be a file whose lines are ")


def test_an_empty_run_retrieved_nothing(call):
    Path("found.csv").write_text("query,item,score\n", encoding="utf-8")
    Path("empty").write_text("", encoding="utf-8")
    for run in ("found.csv", "empty"):
        [record] = json.loads(call(f"qrels {run} -m map --format json")[1])
        assert (record["mean"], record["n_undefined"]) == (0, 1)


def test_parquet(call):
    pytest.importorskip("narwhals")
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    judged = {
        "user": ["1", "1", "2"],
        "item": ["a", "b", "a"],
        "label": [1, 0, 2],
        "more": 3 * [{"key": 1}],
    }
    found = {"user": ["1", "1", "2"], "item": ["a", "b", "c"], "score": [1.5, 1.5, 2]}
    parquet.write_table(pyarrow.table(judged), "judged.parquet")
    parquet.write_table(pyarrow.table(found), "found.PARQUET")
    names = {"query": "user", "item": "item", "label": "label", "score": "score"}
    data = from_tables(judged, found, **names)
    report = ranking_report(data.y_true, data.y_score, scores="ndcg", k=None)
    line = "judged.parquet found.PARQUET --query user -m ndcg --format json"
    [record] = json.loads(call(line)[1])
    assert record["mean"] == report["ndcg"]
    assert call("judged.parquet found.PARQUET --query user --no-label")[0] == 0


def test_ties_of_numbers_are_in_the_order_of_trec_eval(call):
    ids = {"query": [1, 1, 1, 2], "item": [9, 10, 11, 10]}
    write_parquet("judged.parquet", **ids, label=[2, 0, 1, 1])
    write_parquet("found.parquet", **ids, score=[1.0, 1.0, 1.0, 0.0])
    text = {name: [str(each) for each in column] for name, column in ids.items()}
    write_parquet("judged_text.parquet", **text, label=[2, 0, 1, 1])
    write_parquet("found_text.parquet", **text, score=[1.0, 1.0, 1.0, 0.0])
    options = "-m ndcg mrr --ties --by-query --format json"
    numbers = json.loads(call(f"judged.parquet found.parquet {options}")[1])
    texts = json.loads(call(f"judged_text.parquet found_text.parquet {options}")[1])
    assert numbers[0]["as_ordered"] == (2 + 1 / np.log2(3)) / (2 + 1 / np.log2(3)) == 1
    for one, other in zip(numbers, texts, strict=True):
        for key in ("score", "mean", "worst", "best", "as_ordered"):
            assert one[key] == other[key]


def test_dates_are_text(call):
    pytest.importorskip("narwhals")
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    day = pyarrow.array([10**18], pyarrow.timestamp("ns"))
    columns = {"query": day, "item": ["a"], "label": [1], "score": [1]}
    parquet.write_table(pyarrow.table(columns), "both.parquet")
    _, output, _ = call("both.parquet both.parquet -m map --by-query --format json")
    assert json.loads(output)[0]["query"].startswith("2001-09-09T01:46:40")


def test_bytes_are_printed_as_text(call):
    columns = {"query": [b"q", b"\xff"], "item": ["a", "b"], "label": [1, 0], "score": [1, 2]}
    write_parquet("both.parquet", **columns)
    line = "both.parquet both.parquet -m map --by-query --format"
    assert [each["query"] for each in json.loads(call(f"{line} json")[1])] == ["\\xff", "q", None]
    assert call(f"{line} csv")[1].splitlines()[1] == "both.parquet,\\xff,map,0.0,nan,1"


def test_ids_that_are_text_in_one_file_alone(call, refuse):
    write_parquet("found.parquet", query=[301], item=["a"], score=[1.0])
    expected = (
        "the query ids in 'query' of found.parquet are of type int64, and those of qrels are "
        "text, so they are never equal. Write them to found.parquet as text, or pass --ids text."
    )
    assert refuse("qrels found.parquet") == expected
    write_parquet("judged.parquet", key=["301"], query=["301"], item=[b"a"], label=[1])
    expected = (
        "the item ids in 'item' of judged.parquet are of type binary, and those of run are text, "
        "so they are never equal. Write them to judged.parquet as text, or pass --ids text."
    )
    assert refuse("judged.parquet run") == expected
    Path("judged").write_text("301 0 a 1\n", encoding="utf-8")
    expected = below_forms(call("judged run -m map")[1])
    assert below_forms(call("judged.parquet run -m map --ids text")[1]) == expected
    write_parquet("dates.parquet", query=["301"], item=[date(2026, 1, 1)], label=[1])
    assert refuse("dates.parquet run") == (
        "the item ids in 'item' of dates.parquet are of type date32[day], and those of run are "
        "text, so they are never equal. Write them to dates.parquet as text."
    )
    write_parquet("empty.parquet", query=[], item=[], score=[])
    assert call("qrels empty.parquet")[0] == 0
    write_parquet("judged.parquet", query=[301], item=[b"a"], label=[1])
    Path("run").write_text("", encoding="utf-8")
    assert call("judged.parquet run")[0] == 0


def test_empty_ids_in_parquet_are_refused(refuse):
    expected = "qrels with found.parquet: the id of {} is empty. Drop such rows, or give it an id."
    write_parquet("found.parquet", query=["301", "301"], item=["a", ""], score=[1.0, 2.0])
    assert refuse("qrels found.parquet") == expected.format("an item")
    write_parquet("found.parquet", query=["301", ""], item=["a", "a"], score=[1.0, 2.0])
    assert refuse("qrels found.parquet --queries all") == expected.format("a query")


def test_parquet_that_is_none(refuse):
    pytest.importorskip("pyarrow")
    Path("found.parquet").write_text(FOUND, encoding="utf-8")
    assert refuse("qrels found.parquet").startswith("found.parquet: Parquet magic bytes")
    assert refuse("qrels none.parquet") == "none.parquet: No such file or directory"


def test_parquet_needs_pyarrow(refuse, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    text = 'Parquet needs pyarrow: python -m pip install "ranking-scores[parquet]"'
    assert refuse("qrels found.parquet") == f"found.parquet: {text}"
    assert "pyarrow" in " ".join(project()["optional-dependencies"]["parquet"])


# Text with quotes, and as pyarrow and Python read it.


def test_the_content_says_whether_it_is_gzip(call):
    Path("plain.csv.gz").write_text(FOUND, encoding="utf-8")
    Path("packed.csv").write_bytes(gzip.compress(FOUND.encode()))
    for name in ("plain.csv.gz", "packed.csv"):
        assert f"\n{name}  ndcg@10  " in call(f"qrels {name}", *NAMES)[1]


ODD_NUMBERS = "-0.0 .5 1. 1E5 4.9e-324 1.7976931348623157e308 2.2250738585072011e-308"
LONG_CSV = "user,item,other,score\nNA,null,,1\n007,NaN,2,2\n" + "".join(
    f"q{n // 9},é{n} ,\u2028,{number}\n"
    for n, number in enumerate([*ODD_NUMBERS.split(), *np.random.default_rng(0).normal(size=99)])
)


# Five queries, the second and the fourth of which find their item in the first place. A reader of
# CSV takes the lines from the first quote to the second one for one field.
TITLES = ['"Crocodile" Dundee', '"Heat', "Heat", '5" floppy', '"The Matrix" poster']
GOLD_OF_TITLES = "query\titem\tlabel\ttitle\n" + "".join(
    f"q{number}\td{number}\t1\t{title}\n" for number, title in enumerate(TITLES)
)
FOUND_OF_TITLES = "query\titem\tscore\n" + "".join(
    f"q{number}\td{number if number % 2 else 'x'}\t1\n" for number in range(5)
)


@pytest.mark.parametrize("suffix", [".tsv", ".csv", ".tsv.gz"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_quote_in_a_text_of_tsv_may_never_close(call, suffix, end):
    gold, found = f"gold{suffix}", f"found{suffix}"
    for path, text in ((gold, GOLD_OF_TITLES), (found, FOUND_OF_TITLES)):
        content = text.replace("\n", end).encode()
        Path(path).write_bytes(gzip.compress(content) if path.endswith(".gz") else content)
    status, output, _ = call(f"{gold} {found} -m mrr --format json")
    [record] = json.loads(output)
    assert (status, record["mean"]) == (0, 0.4)
    form = suffix[1:4].upper()
    assert record["notes"] == [
        f"{gold}: {form}: query, item, label; {found}: {form}: query, item, score",
        *[f"{path}: the columns are separated by tabs" for path in (gold, found) if form == "CSV"],
    ]


QUOTED = "query\titem\tlabel\n" + "q1\t{}\t1\nq1\tb\t0\nq2\tx\t1\n"


@pytest.mark.parametrize(
    ("field", "item"),
    [
        ('"a"', "a"),
        ('"say ""a"""', 'say "a"'),
        ('"The Matrix" poster', '"The Matrix" poster'),
        ('a "b"', 'a "b"'),
        ('"', '"'),
        ('"""', '"""'),
        ('"a" and "b"', '"a" and "b"'),
    ],
)
@pytest.mark.parametrize("worth", [0, 10**6])
def test_a_field_of_tsv_has_quotes_if_it_begins_and_ends_with_one(
    call, monkeypatch, field, item, worth
):
    monkeypatch.setattr(_delimited, "PYARROW_BYTES", worth)
    Path("gold.tsv").write_text(QUOTED.format(field), encoding="utf-8")
    Path("found.json").write_text(json.dumps({"q1": ["b", item], "q2": []}), encoding="utf-8")
    status, output, _ = call("gold.tsv found.json -m mrr --format json")
    assert (status, json.loads(output)[0]["mean"]) == (0, 0.25)


@pytest.mark.parametrize(
    ("field", "error"),
    [
        (
            '"a\nb"',
            "bad.tsv, line 2: 2 fields in place of 3. Line breaks and tabs end",
        ),
        (
            '"a\tb"',
            "bad.tsv, line 2: 4 fields in place of 3. Line breaks and tabs end",
        ),
        ("a\tb", "bad.tsv, line 2: 4 fields in place of 3"),
        ('""', "bad.tsv, line 2: the item id in 'item' is empty"),
    ],
)
def test_a_field_of_tsv_has_no_line_breaks(refuse, call, field, error):
    Path("bad.tsv").write_text(QUOTED.format(field), encoding="utf-8")
    message = refuse("bad.tsv run")
    assert message.startswith(error)
    assert ("CSV may have them" in message) == ("end" in error)
    if "\n" in field:
        Path("good.csv").write_text(QUOTED.replace("\t", ",").format(field), encoding="utf-8")
        Path("found.json").write_text(json.dumps({"q1": ["b", "a\nb"]}), encoding="utf-8")
        assert json.loads(call("good.csv found.json -m mrr --format json")[1])[0]["mean"] == 0.25


@pytest.mark.parametrize("worth", [0, 10**6])
@pytest.mark.parametrize(
    ("judged", "path", "note"),
    [
        (JUDGED.replace(",", ";"), "gold.csv", ["the columns are separated by semicolons"]),
        (JUDGED.replace(",", "\t"), "gold.csv", ["the columns are separated by tabs"]),
        (JUDGED.replace(",", "|"), "gold.csv", ["the columns are separated by vertical bars"]),
        (JUDGED, "gold.tsv", ["the columns are separated by commas"]),
        ("a;b;c;d," + JUDGED.replace("\n", "\n-,").removesuffix("-,"), "gold.csv", []),
    ],
)
def test_the_header_shows_what_separates_the_columns(call, monkeypatch, judged, path, note, worth):
    monkeypatch.setattr(_delimited, "PYARROW_BYTES", worth)
    Path(path).write_text(judged, encoding="utf-8")
    expected = json.loads(
        call(f"judged.csv run {shlex.join(NAMES)} --label grade --format json")[1]
    )
    line = f"{path} run {shlex.join(NAMES)} --label grade"
    records = json.loads(call(f"{line} --format json")[1])
    assert [record["mean"] for record in records] == [record["mean"] for record in expected]
    forms, *others = expected[0]["notes"]
    forms = forms.replace("judged.csv: CSV", f"{path}: {path[-3:].upper()}")
    assert records[0]["notes"] == [forms, *(f"{path}: {each}" for each in note), *others]


def test_a_table_without_its_columns_lists_those_by_the_best_separator(refuse):
    Path("wrong.csv").write_text("a;b;c\n1;2;3\n", encoding="utf-8")
    assert "among 'a', 'b', 'c'." in refuse("wrong.csv run")


def test_other_files_in_the_place_of_csv(refuse):
    Path("excel.csv").write_text("sep=;\n" + JUDGED.replace(",", ";"), encoding="utf-8")
    expected = "excel.csv, line 1: the line tells Excel what separates the columns. Delete it"
    assert refuse("excel.csv run") == expected
    Path("table.csv").write_bytes(b"PAR1\x15\x04\xff\n")
    expected = "table.csv: the file is in Parquet. Give it a name that ends with .parquet."
    assert refuse("table.csv run") == expected


def read_plain(content, name="long.csv", *, delimiter=",", kind="score"):
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    table = _files.FileTable(name, "user", "item", kind, kind)
    return table, _delimited._read_plain_text(table, delimiter)


@pytest.mark.parametrize("delimiter", [",", "\t"])
@pytest.mark.parametrize(
    "change",
    [
        lambda content: content,
        lambda content: content.replace(b"\n", b"\r\n"),
        lambda content: content.replace(b"\n", b"\n\n")[:-2],
        lambda content: b"\xef\xbb\xbf" + content,
        gzip.compress,
    ],
)
def test_text_without_quotes_is_read_by_pyarrow_as_by_python(delimiter, change):
    pytest.importorskip("pyarrow")
    content = change(LONG_CSV.replace(",", delimiter).encode())
    table, found = read_plain(content, delimiter=delimiter)
    found, by_python = found.columns, _delimited._read_text(table, delimiter).columns
    assert {*found} == {*by_python}
    for name, column in by_python.items():
        assert np.asarray(found[name]).tolist() == column.tolist()
    bits = [np.asarray(each["score"]).view(np.int64).tolist() for each in (found, by_python)]
    assert bits[0] == bits[1]


@pytest.mark.parametrize("kind", ["score", "rank"])
@pytest.mark.parametrize(
    "content",
    [
        "",
        "user,item,score",
        "user,item,score\n",
        "\nuser,item,score\nu,i,1\n",
        "user,item,score\nu,i\n",
        "user,item,score\nu,i,1,2\n",
        "user,item,score\nu,i,1\n ",
        'user,item,score\nu,"i",1\n',
        "user,item,score\nu,i,1\ru,j,1\n",
        "user,item,score\nu,i\0,1\n",
        "user,item,score\n,i,1\n",
        "user,item,score\nu,,1\n",
        *(
            f"user,item,score\nu,i,1\nu,j,{each}\n"
            for each in ("", "x", "nan", "NA", "inf", "1_0")
        ),
        "user,item,other\nu,i,1\n",
        "user,item,score,score\nu,i,1,1\n",
        b"user,item,score,other\nu,i,1,\xe9\n",
        f"user,item,score,other\nu,i,1,{'x' * 200_000}\nu,j,1,\n",
        "user,item,score\nu,i,1\n\ufeffv,i,1\n",
    ],
)
def test_what_pyarrow_may_read_otherwise_is_read_by_python(content, kind):
    pytest.importorskip("pyarrow")
    if isinstance(content, str):
        content = content.replace("score", kind)
    assert read_plain(content, kind=kind)[1] is None


@pytest.mark.parametrize("rank", ["0", "1.5", "-1"])
def test_ranks_that_are_none_are_left_to_python(rank):
    pytest.importorskip("pyarrow")
    content = f"user,item,rank\nu,i,{rank}\n"
    assert read_plain(content, kind="rank")[1] is None
    assert read_plain(content.replace(rank, "2"), kind="rank")[1]


def test_text_is_read_by_python_if_there_is_no_pyarrow(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert read_plain(LONG_CSV)[1] is None


@pytest.mark.parametrize(("spare", "n_read"), [(0, 2), (1, 0)])
def test_files_that_are_long_together_are_read_by_pyarrow(call, monkeypatch, spare, n_read):
    Path("gold.csv").write_text("query,item,label\nq,i,1\n")
    Path("found.csv").write_text("query,item,score\nq,i,1\n")
    size = sum(os.path.getsize(path) for path in ("gold.csv", "found.csv"))
    read = []
    monkeypatch.setattr(_delimited, "PYARROW_BYTES", size + spare)
    monkeypatch.setattr(_delimited, "_read_plain_text", lambda table, _: read.append(table.path))
    assert call("gold.csv found.csv")[0] == 0
    assert len(read) == n_read


@pytest.mark.parametrize("option", ["", " --no-label"])
def test_the_command_prints_the_same_of_a_file_that_pyarrow_reads(call, option, monkeypatch):
    Path("gold.csv").write_text(
        "query,item,label,group\n" + "".join(f"{n % 9},i{n % 7},{n % 3},g\n" for n in range(63))
    )
    Path("found.csv").write_text(
        "query,item,score\n" + "".join(f"{n % 9},i{n},{n % 5}\n" for n in range(63))
    )
    line = f"gold.csv found.csv --by group --format csv{option}"
    expected = call(line)
    assert expected[0] == 0
    monkeypatch.setattr(_delimited, "PYARROW_BYTES", 1)
    assert call(line) == expected


@pytest.mark.parametrize("worth", [1, 10**9])
def test_the_column_of_the_queries_may_be_that_of_the_groups(call, worth, monkeypatch):
    monkeypatch.setattr(_delimited, "PYARROW_BYTES", worth)
    Path("gold.csv").write_text("user,item,label\nu1,a,1\nu2,b,1\n")
    Path("found.csv").write_text("user,item,score\nu1,a,2\nu1,b,1\nu2,a,2\nu2,b,1\n")
    status, text, _ = call("gold.csv found.csv -m mrr --query user --by user --format json")
    assert status == 0
    assert [record["mean"] for record in json.loads(text)] == [0.75, 1, 0.5, 0.75]


def test_documents_that_are_not_judged_never_become_strings(call, monkeypatch):
    """Goes with the ids that a score reads, and with may_be_packed in _numbers."""
    lines = [f"301 Q0 document-{n} 1 {n} tag\n" for n in range(1000)]
    Path("many").write_text("".join(lines), encoding="utf-8")
    Path("few").write_text("301 0 document-7 1\n301 0 document-999 2\n", encoding="utf-8")
    n_decoded = []

    def decoded(part, place, decode=_packed_text._TextPart.decoded):
        found = decode(part, place)
        n_decoded.append(found.size)
        return found

    monkeypatch.setattr(_packed_text._TextPart, "decoded", decoded)
    status, text, _ = call("few many")
    assert status == 0
    assert sum(n_decoded) < 20
    assert text == call("few many --duplicates best")[1]


# Files of TREC and MS MARCO as they are.


def test_labels_below_0_in_files_of_trec(call):
    Path("spam").write_text(QRELS + "302 0 x -2\n304 0 a -1\n", encoding="utf-8")
    Path("clean").write_text(QRELS + "302 0 x 0\n304 0 a 0\n", encoding="utf-8")
    notes = f"{FORMS.replace('qrels', 'spam')}\nspam: 2 labels below 0 count as 0: judged, and "
    for options in ("", "-m ndcg dcg map bpref", "--relevance-threshold 1", "--by-query"):
        status, output, errors = call(f"spam run {options}")
        assert (status, errors) == (0, "")
        expected = below_forms(call(f"clean run {options}")[1])
        assert output == f"{notes}not relevant\n\n{expected}"


def test_the_label_minus_1_is_unjudged_if_these_are_asked_about(call):
    Path("some").write_text(QRELS + "301 0 x -1\n302 0 x -2\n304 0 a -1\n", encoding="utf-8")
    Path("clean").write_text(QRELS + "302 0 x 0\n304 0 none 0\n", encoding="utf-8")
    output = call("some run --unjudged -m ndcg@3 bpref judged@2")[1]
    forms = FORMS.replace("qrels", "some")
    notes = f"{forms}\nsome: 2 labels -1 count as not judged\nsome: 1 label below 0 counts as 0: "
    expected = below_forms(call("clean run --unjudged -m ndcg@3 bpref judged@2")[1])
    assert output == f"{notes}judged, and not relevant\n\n{expected}"
    assert "4 queries" in output  # 304 is one, although it has no judgment left
    one = QRELS + "301 0 x -1\n"
    Path("some").write_text(one, encoding="utf-8")
    notes = f"{forms}\nsome: 1 label -1 counts as not judged\n\n"
    assert call("some run --unjudged")[1].startswith(notes)
    assert call("qrels run --unjudged")[1].startswith(f"{FORMS}\n\nrun ")


def test_comments_and_ranks_that_contradict_scores_are_said(call):
    expected = below_forms(call("qrels run")[1])
    Path("judged").write_text("# of 2026\n" + QRELS, encoding="utf-8")
    Path("turned").write_text(RUN.replace(" a 1 7.5", " a 9 7.6"), encoding="utf-8")
    Path("run").write_text("#\n#\n" + RUN, encoding="utf-8")
    output = call("judged run")[1]
    comments = f"{FORMS}\nqrels: 1 line that begins with # is skipped\n"
    comments = comments.replace("qrels", "judged")
    assert output == f"{comments}run: 2 lines that begin with # are skipped\n\n{expected}"
    output = call("judged turned")[1]
    turned = "turned: the ranks contradict the scores in 1 of 3 queries; the scores count"
    comments = comments.replace("run:", "turned:")
    assert output.startswith(f"{comments}{turned}\n\n")
    [record, *_] = json.loads(call("judged turned --format json")[1])
    assert record["notes"] == [*(comments + turned).splitlines(), *output.splitlines()[-2:]]


PAIRS = "7\t12\n9\t13\n"
RANKS = "7\t11\t1\n7\t12\t2\n9\t12\t1\n9\t13\t4\n"
OF_PAIRS = "two fields per line, a query and a relevant document, as in files of MS MARCO"
OF_RANKS = "three fields per line, a query, a document and its rank, as in files of MS MARCO"


@pytest.mark.parametrize("suffix", ["", ".tsv", ".TSV", ".tsv.gz"])
def test_files_of_ms_marco(call, suffix):
    def write(name, text):
        content = text.encode()
        Path(name + suffix).write_bytes(
            gzip.compress(content) if suffix.endswith(".gz") else content
        )

    write("pairs", PAIRS)
    write("fours", PAIRS.replace("\t", "\t0\t").replace("\n", "\t1\n"))
    write("ranks", RANKS)
    status, output, errors = call(f"pairs{suffix} ranks{suffix} -m mrr@10")
    assert (status, errors) == (0, "")
    notes, table = output.split("\n\n", 1)
    assert notes == f"pairs{suffix}: {OF_PAIRS}; ranks{suffix}: {OF_RANKS}"
    assert "0.3750" in table
    notes, same = call(f"fours{suffix} ranks{suffix} -m mrr@10")[1].split("\n\n", 1)
    assert notes == f"fours{suffix}: TREC's judgments; ranks{suffix}: {OF_RANKS}"
    assert same == table


def test_a_run_of_three_columns_as_judgments_asks_for_the_order(refuse):
    for suffix in ("", ".tsv"):
        Path(f"pairs{suffix}").write_text(PAIRS, encoding="utf-8")
        Path(f"ranks{suffix}").write_text(RANKS, encoding="utf-8")
        assert refuse(f"ranks{suffix} pairs{suffix}") == (
            f"ranks{suffix} must be a file whose lines are 'query iteration document label' or "
            f"'query document'. Got 3 fields in line 1 of ranks{suffix} instead. {ORDER}"
        )


def test_a_table_of_labels_as_a_run_asks_for_the_order(refuse):
    Path("a.csv").write_text("query,item,label\n301,a,1\n", encoding="utf-8")
    assert refuse("a.csv a.csv") == (
        f"a.csv: there is no column 'score' among 'query', 'item', 'label'. {ORDER}"
    )


def test_files_of_ms_marco_have_no_names_in_errors(refuse):
    Path("pairs.tsv").write_text(PAIRS, encoding="utf-8")
    Path("ranks.tsv").write_text(RANKS + "7\t11\t3\n", encoding="utf-8")
    assert refuse("pairs.tsv ranks.tsv").startswith(
        "ranks.tsv must be a file that has each item only once per query. Got item '11'"
    )


@pytest.mark.parametrize(
    ("line", "is_data"),
    [
        ("7\t12", True),
        ("7 12", True),
        ("7\tD12", True),
        ("0\t1", False),  # pandas' names of unnamed columns
        ("q7\td12", False),  # which may be names
        ("7\tpassage", False),
        ("query\titem", False),
        ("7\t12\t1", True),
        ("q7\td12\t1", True),
        ("ann\ttea\t1", False),
        ("0\t1\t2", False),
        ("7\t12\t0.5", False),
        ("query-id\tcorpus-id\tscore", False),
        ("query\titem\t2021", False),
        ("7\t0\t12\t1", True),
        ("q7\tQ0\td12\t-1", True),
        ("q7 0 d12 1.0", True),
        ("query\titem\tlabel\t2021", False),
        ("query\tQ0\tdocument\tlabel", False),
        ("q7\tQ0\td12\tnan", False),
        ("q7\tQ0\td12\t1\t0.5", True),
        ("q7 Q0 d12 1 0.5 tag", True),
        ("q7 Q0 d12 1 0.5 my own tag", True),
        ("q7\tQ0\td12\trank\t0.5\ttag", False),
        ("q7\tQ0\td12\t1\tscore\ttag", False),
        ("query\tQ0\titem\trank\tscore\ttag", False),
        ("query\titem\tlabel\tscore\trank", False),
        ("# a comment", False),
        ("7", False),
        ("", False),
    ],
)
def test_the_first_line_of_a_tsv_file_says_whether_it_has_names(line, is_data):
    assert is_without_header(line.encode() + b"\n") == is_data


@pytest.mark.parametrize("option", ["--query 7", "--item 12", "--label 1", "--no-label"])
def test_an_option_about_names_says_that_a_tsv_file_of_judgments_has_some(refuse, option):
    Path("a.tsv").write_text("7\t0\t12\t1\n", encoding="utf-8")
    Path("ranks.tsv").write_text(RANKS, encoding="utf-8")
    assert refuse(f"a.tsv ranks.tsv {option}").startswith("a.tsv: there is no column ")


@pytest.mark.parametrize("option", ["--score 1", "--rank 1"])
def test_an_option_about_names_says_that_a_tsv_file_of_a_run_has_some(refuse, option):
    Path("ranks.tsv").write_text(RANKS, encoding="utf-8")
    assert refuse(f"qrels ranks.tsv {option}").startswith("ranks.tsv: there is no column 'query'")


def test_a_tsv_file_with_groups_has_names(refuse):
    Path("a.tsv").write_text("7\t0\t12\t1\n", encoding="utf-8")
    assert refuse("a.tsv run --by 12").startswith("a.tsv: there is no column 'query' among '7'")
    Path("g.tsv").write_text("7\t0\t12\t1\n", encoding="utf-8")
    error = refuse("qrels run --by 12 --query-table g.tsv")
    assert error.startswith("g.tsv: there is no column 'query' among '7'")


def test_a_tsv_file_with_a_header_is_a_table(call):
    Path("a.tsv").write_text("query\titem\tlabel\n301\ta\t1\n", encoding="utf-8")
    status, output, _ = call("a.tsv run -m map")
    assert status == 0
    assert output.startswith("a.tsv: TSV: query, item, label; run: TREC's run\n\nrun ")


def test_what_is_no_file_is_not_looked_into():
    assert _files._first_line(".") == b""  # a pipe could not be read again


def test_interactions_with_another_column_may_have_labels(call, refuse):
    Path("clicks.csv").write_text("user_id,item_id,points\n301,a,5\n301,b,0\n", "utf-8")
    error = refuse("clicks.csv run -m mrr")
    assert "there is no column 'label' among 'user_id', 'item_id', 'points'." in error
    assert "or pass --no-label if each row is relevant" in error
    Path("timed.csv").write_text("user_id,item_id,timestamp\n301,a,5\n", "utf-8")
    for line in ("clicks.csv run --no-label", "clicks.csv run --label points", "timed.csv run"):
        assert call(f"{line} -m mrr")[0] == 0


def test_ids_with_blanks_around_them_are_said(call):
    Path("spaced.csv").write_text("query,item,label\n301,a,1\n301, c,2\n", "utf-8")
    notes = json.loads(call("spaced.csv run -m mrr --format json")[1])[0]["notes"]
    assert "spaced.csv: some ids in 'item' begin or end with a blank, which counts" in notes
    notes = json.loads(call("judged.csv run -m mrr --format json --query user --item product")[1])
    assert "blank" not in str(notes)
