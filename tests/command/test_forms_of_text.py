"""The command line on files of text of other projects: the right number, or one line why not."""

from __future__ import annotations

import json

import numpy as np
import pytest
from command_data import standard_input, write

from ranking_scores._files import _delimited, _trec_files
from ranking_scores.trec import read_qrels, read_run

pytestmark = pytest.mark.usefixtures("folder")

RATINGS = """\
196\t242\t3\t881250949
196\t3\t5\t881250955
186\t302\t3\t891717742
186\t5\t1\t891717743
"""
FOUND = """\
userId,movieId,score
196,242,.9
196,3,.8
196,5,.7
186,302,.9
186,5,.8
186,1,.2
"""
COLUMNS = "--columns user,item,rating,time"
LOG = np.log2(np.arange(2, 5))
NDCG = ((3 / LOG[0] + 5 / LOG[1]) / (5 / LOG[0] + 3 / LOG[1]) + 1) / 2
"""The right nDCG at 3 of these ratings: the second user has them in the best order."""
READERS = pytest.mark.parametrize("worth", [0, 10**9], ids=["pyarrow", "lines"])


def by_reader(monkeypatch, worth):
    """Have files of at least so many bytes be read by pyarrow."""
    monkeypatch.setattr(_trec_files, "WORTH_PYARROW", worth)
    monkeypatch.setattr(_delimited, "PYARROW_BYTES", worth)


# --- lines without the names of columns ---------------------------------------------------------


@pytest.mark.parametrize("name", ["ratings.txt", "ratings.tsv", "ratings", "u.data.bak"])
@READERS
def test_ratings_with_times_are_not_judgments_of_trec(refuse, monkeypatch, name, worth):
    by_reader(monkeypatch, worth)
    write("top.csv", FOUND)
    write(name, RATINGS)
    error = refuse(f"{name} top.csv")
    assert "whose labels are at most 1000000. Got 881250949 (a time?) in line 1" in error
    assert error.endswith(f"pass them, such as {COLUMNS}.")


@pytest.mark.parametrize(
    ("name", "separator", "more"),
    [
        ("u.data", "\t", ""),
        ("U.DATA", "\t", ""),
        ("u1.base", "\t", ""),
        ("ratings.dat", "::", ""),
        ("u.data", "\t", "--columns who,what,stars,time --query who --item what --label stars"),
        *[
            (f"a{suffix}", separator, COLUMNS)
            for suffix in ("", ".txt", ".dat", ".csv", ".tsv")
            for separator in ("\t", ",", ";", " ", "   ", "::")
        ],
    ],
)
def test_ratings_without_names_of_columns_are_read(means, name, separator, more):
    names = "who,what" if "--query" in more else "userId,movieId"
    write("top.csv", FOUND.replace("userId,movieId", names))
    write(name, RATINGS.replace("\t", separator))
    assert means(f"{name} top.csv {more} -m ndcg@3 mrr") == {
        "ndcg@3": pytest.approx(NDCG, abs=1e-15),
        "mrr": 1,
    }
    assert pytest.approx(0.9465, abs=5e-5) == NDCG


@pytest.mark.parametrize(
    ("text", "options", "error"),
    [
        (RATINGS, "--columns user,item,rating", "3 columns are named, and the first line has 4"),
        ("user\titem\n1\t2\n", "--columns user,item --no-label", "line 1: the line has the names"),
        (
            "user:token\titem:token\n1\t2\n",
            "--columns user,item --no-label",
            "Leave out --columns",
        ),
        ("1::2\n1::2::3\n", "--columns user,item --no-label", "line 2: 3 fields in place of 2"),
        ("1::2::x\n", "--columns user,item,rating", "the label 'x' in 'rating' is not a finite"),
        (RATINGS, "--columns a,b,c,d", "there is no column 'query' among 'a', 'b', 'c', 'd'"),
        (RATINGS, "--columns user,item,time,label", "Are they times?"),
        ("1::2::3::4\n", "", f"pass them, such as {COLUMNS}."),
        ("", COLUMNS, "4 columns are named, and the first line has 1"),
    ],
)
def test_columns_that_do_not_fit_are_refused(refuse, text, options, error):
    write("top.csv", FOUND)
    write("a.txt", text)
    assert error in refuse(f"a.txt top.csv {options}")


def test_ratings_are_no_run(refuse):
    write("u.data", RATINGS)
    for judgments in ("qrels", "u.data"):
        error = refuse(f"{judgments} u.data")
        assert error.startswith(
            "u.data: MovieLens' ratings have no scores. Did you swap two files?"
        )


def test_names_may_be_passed_with_the_types_of_recbole(call):
    write("gold.inter", "user_id:token\titem_id:token\n1\t2\n")
    write("run.inter", "user_id:token\titem_id:token\tscore:float\n1\t2\t.5\n")
    assert "mrr    1.0000" in call("gold.inter run.inter -m mrr --query user_id:token")[1]


def test_interactions_are_no_run_of_themselves(refuse):
    write("a.inter", "user_id:token\titem_id:token\tscore:float\n1\t2\t.5\n")
    assert refuse("a.inter a.inter").startswith("a.inter: there is no column 'label' among")
    assert refuse("a.inter a.inter --no-label").startswith("a.inter: the same file for both")


@pytest.mark.parametrize("names", ["a", "a,a", "a,,b", ""])
def test_names_of_columns_are_several(refuse, names):
    assert "must be different names with commas" in refuse(f"qrels run --columns '{names}'")


@pytest.mark.parametrize("name", ["a.json", "a.parquet", "a.svm"])
def test_columns_with_names_need_no_others(refuse, name):
    write(name, "")
    assert refuse(f"{name} run {COLUMNS}").startswith(
        "--columns is for judgments in lines of columns."
    )


def test_two_runs_take_no_names_of_columns(refuse):
    assert refuse(f"--agreement run run2 {COLUMNS}").endswith("Leave out --columns.")


def test_lines_of_csv_without_names_are_refused_with_the_cure(refuse):
    write("a.csv", RATINGS.replace("\t", ","))
    assert f"pass them, such as {COLUMNS}." in refuse("a.csv run")


def test_columns_go_with_groups_aspects_and_judgments_of_people(means):
    write("a.txt", "301::c::1::x\n301::a::1::x\n301::b::1::x\n302::d::1::y\n")
    line = "a.txt run --columns query,item,label,kind -m mrr"
    assert means(line) == {"mrr": 1}
    assert means(f"{line} --by kind") == {"mrr": 1, "macro:mrr": 1}
    assert means(f"{line} --columns query,item,label,aspect --aspects") == {"mrr": 1}
    write("people.txt", "301::b::0::x\n301::a::0::x\n301::c::0::x\n302::d::1::y\n")
    assert means(f"{line} --human people.txt")["mrr"] < 1


# --- labels that look like times ----------------------------------------------------------------


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_labels_that_look_like_times_are_refused(refuse, suffix):
    name = f"a{suffix}"
    rows = [("301", "a", 881250949), ("302", "d", 881250950)]
    if suffix == ".parquet":
        pyarrow = pytest.importorskip("pyarrow")
        columns = dict(
            zip(("query", "item", "label"), map(list, zip(*rows, strict=True)), strict=True)
        )
        pytest.importorskip("pyarrow.parquet").write_table(pyarrow.table(columns), name)
    elif suffix == ".jsonl":
        names = ("query", "item", "label")
        write(name, "\n".join(json.dumps(dict(zip(names, row, strict=True))) for row in rows))
    else:
        comma = "," if suffix == ".csv" else "\t"
        lines = [("query", "item", "label"), *rows]
        write(name, "".join(f"{comma.join(map(str, line))}\n" for line in lines))
    error = refuse(f"{name} run")
    assert "has labels of up to 1000000. Got 881250949" in error
    assert "Are they times?" in error


# --- lines with the names of columns ------------------------------------------------------------


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("query item", "a.txt"),
        ("query\titem", "a"),
        ("qid\tpid", "a.dev"),
        ("user_id:token\titem_id:token", "a.txt"),
        ("user_id:token item_id:token", "a"),
        ("user_id:token\titem_id:token", "a.inter"),
    ],
)
def test_a_header_of_two_columns_is_no_query(means, head, name):
    separator = "\t" if "\t" in head else " "
    write(name, f"{head}\n301{separator}b\n302{separator}d\n")
    write("found", "301 Q0 x 1 3 t\n301 Q0 b 2 2 t\n302 Q0 d 1 1 t\n")
    assert means(f"{name} found -m mrr") == {"mrr": 0.75}


@READERS
def test_a_header_of_other_words_is_refused(refuse, call, monkeypatch, worth):
    by_reader(monkeypatch, worth)
    write("a.txt", "question answer\n301 a1\n302 d2\n")
    error = refuse("a.txt run")
    assert "must be a file without a header. Got 'question' in line 1 of a.txt" in error
    assert error.endswith("Delete the line with the names of the columns.")
    for words in (
        "q1 a\n301 a1\n",
        "question answer\nen de\n",
        "q a\nq b1\nr2 c1\n",
        "one two\n",
    ):
        write("a.txt", words)
        assert len(read_qrels("a.txt")["query"]) == words.count("\n")
    write("a.txt", "query\titem\n301\tb\n")
    with standard_input("a.txt"):
        assert "must be a file without a header" in refuse("- run")
    with pytest.raises(ValueError, match="without a header"):
        read_qrels("a.txt")


def test_a_file_with_a_header_is_a_table_whatever_its_suffix(means):
    write("a.txt", "qid docno label\n301 x 1\n301 a 0\n302 d 2\n")
    write("found.res", "docno\tqid\tscore\nx\t301\t1\na\t301\t2\nd\t302\t1\n")
    assert means("a.txt found.res -m mrr") == {"mrr": 0.75}


@READERS
def test_recbole_has_types_in_the_names_of_columns(means, monkeypatch, worth):
    by_reader(monkeypatch, worth)
    head = "user_id:token\titem_id:token\trating:float\ttimestamp:float\n"
    write("ml.inter", head + RATINGS)
    write("top.csv", FOUND)
    assert means("ml.inter top.csv -m ndcg@3 mrr")["ndcg@3"] == pytest.approx(NDCG, abs=1e-15)
    line = "ml.inter top.csv --columns user,item,rating,time"
    write("ml.inter", RATINGS)
    assert means(f"{line} -m ndcg@3")["ndcg@3"] == pytest.approx(NDCG, abs=1e-15)


# --- fields that are not what their place says --------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "got"),
    [
        ("1 a 40\n1 b 30\n1 c 20\n1 d 10\n", "Got 40 (a score?) in line 1"),
        ("1 a 4\n1 b 3\n1 c 2\n1 d 1\n", "Got 4 (a score?) in line 1"),
        ("1 a 1\n1 b 2\n2 a 2\n2 b 3\n", "Got 2 (a score?) in line 3"),
        ("1 a 1\n1 b 1\n", "Got 1 (a score?) in line 1"),
        ("2 a 1\n1 a 1\n1 b 1\n", "Got 1 (a score?) in line 2"),
        ("# x\n1 a 2\n", "Got 2 (a score?) in row 0"),
    ],
)
@READERS
def test_whole_scores_are_no_ranks(refuse, monkeypatch, lines, got, worth):
    by_reader(monkeypatch, worth)
    write("found.txt", lines)
    error = refuse("qrels found.txt")
    assert f"whose third fields are ranks, from 1 on in each query, each once. {got}" in error
    with pytest.raises(ValueError, match="a score"):
        read_run("found.txt")


@pytest.mark.parametrize(
    "lines",
    [
        "1 a 1\n1 b 2\n2 a 1\n",
        "1 a 1\n2 a 1\n1 b 2\n",
        "1 b 2\n1 a 1\n1 c 3\n",
        "1 b 2\n1 a 1\n2 a 1\n2 b 2\n",
        "1 a 1\n1 b 5\n1 c 9\n",
        "1 a 1\n2 a 1\n",
        "",
    ],
)
@READERS
def test_ranks_are_read_in_any_order(monkeypatch, lines, worth):
    by_reader(monkeypatch, worth)
    write("found.txt", lines)
    found = read_run("found.txt")
    assert [*found.values()][-1].tolist() == [float(line[4:]) for line in lines.splitlines()]


@READERS
def test_a_second_field_that_varies_within_a_query_is_refused(
    call, refuse, means, monkeypatch, worth
):
    by_reader(monkeypatch, worth)
    write("a.txt", "301 0.5 a 1\n301 1 b 1\n302 2 d 1\n")
    error = refuse("a.txt run -m map")
    assert "whose second field is the same in all lines of a query. Got '1' in line 2" in error
    assert "Pass --aspects if they are aspects" in error
    assert call("a.txt run -m map --aspects")[0] == 0
    expected = {"mrr": 1}
    assert means("a.txt run -m mrr --columns query,iteration,item,label") == expected
    with pytest.raises(ValueError, match="aspects=False"):
        read_qrels("a.txt")
    assert list(read_qrels("a.txt", aspects=False)) == ["query", "item", "label"]
    assert list(read_qrels("a.txt", aspects=True)) == ["query", "item", "aspect", "label"]


@pytest.mark.parametrize("second", ["0 0 0", "Q0 Q0 Q0", "1 1 2"])
@READERS
def test_a_second_field_may_vary_from_query_to_query(monkeypatch, second, worth):
    by_reader(monkeypatch, worth)
    one, two, three = second.split()
    write("a.txt", f"301 {one} a 1\n301 {two} b 0\n302 {three} 0 0\n")
    assert read_qrels("a.txt")["label"].tolist() == [1, 0, 0]
    assert "aspect" not in read_qrels("a.txt")
