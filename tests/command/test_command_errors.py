"""The command line on wrong input: one line, in the words of files and options."""

from __future__ import annotations

import gzip
import shlex
from pathlib import Path

import pytest
from command_data import FOUND, JUDGED, NAMES, ORDER, QRELS, RUN, below_forms

from ranking_scores._base._errors import invalid
from ranking_scores._command import _words
from ranking_scores._files import _trec_files
from ranking_scores._metrics._named import METRICS, SCORES as SCORES_BY_NAME, parameters_of

pytestmark = pytest.mark.usefixtures("folder")


WHOLE = "must be a whole number from 1 on."
HELP = "See ranking-scores --help."
SCORES_WITH_GAIN = [
    name for name, score in SCORES_BY_NAME.items() if "gain" in parameters_of(score)
]
NAMES_OF_SCORES = ", ".join(metric.name for metric in METRICS if metric.takes_retrieved)
GAINS = (
    "--gain must be a table of gains that are finite and at least 0 for ndcg. Got -1.0 for the "
    "label 1 instead."
)
KNOWN = "ranking-scores --help-columns lists the names that are known."
FILES = "pass a file of judgments and at least one run. "
SUFFIXES = (
    "is for CSV, TSV, Parquet, JSON and RecBole files, which end in .csv, .tsv, .json, .jsonl, "
    ".ndjson, .inter (also with .gz) or .parquet, .parq. "
    "All other files are in TREC's formats."
)


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("", FILES + HELP),
        ("qrels", FILES + HELP),
        ("-m map ndcg qrels", FILES + HELP),
        ("qrels run -m", f"argument -m/--scores: expected one argument. {HELP}"),
        (
            "-m foo qrels run",
            f"--scores must be one of {NAMES_OF_SCORES}, alone or as in 'ndcg@10'. Got 'foo' "
            "instead.",
        ),
        ("qrels run -m map ndgc", "ndgc: No such file or directory"),
        ("qrels run nDCG@10", "nDCG@10: No such file. Scores come after -m: -m nDCG@10."),
        (
            "judged.csv found.csv --score ''",
            "--score must be the name of a column. Got an empty name.",
        ),
        (
            "qrels found.csv --query ''",
            "--query must be the name of a column. Got an empty name.",
        ),
        (
            "qrels run --qeury user",
            f"unrecognized arguments: --qeury user. Did you mean --query? {HELP}",
        ),
        ("qrels run --tie", f"unrecognized arguments: --tie. Did you mean --ties? {HELP}"),
        ("qrels run --xyz", f"unrecognized arguments: --xyz. {HELP}"),
        *(
            (f"qrels run {option}", f"unrecognized arguments: {option}. {cure} {HELP}")
            for option, cure in (
                ("-k 5", "Cutoffs are parts of scores: -m ndcg@10."),
                ("--metrics=map", "It is called -m here."),
                ("-q", "It is called --by-query here."),
                ("--qid=user", "It is called --query here."),
                ("--markdown", "It is called --format markdown here."),
                ("--latex", "In Python, `report.summary_frame().to_latex()` has LaTeX."),
                ("--csv", "It is called --format csv here."),
                ("--output x.csv", "It prints to a file with > FILE. --save keeps a report."),
                ("--alpha 0.1", "It is called --confidence here: 0.95 for an alpha of 0.05."),
                ("-c", "Judged queries that RUN lacks count 0 anyway."),
                ("--cutoff 5", "Cutoffs are parts of scores: -m ndcg@10."),
                ("--provider ranx", "Name the program in the score: -m ranx:ndcg@10."),
            )
        ),
        ("qrels run --jobs 0", f"argument --jobs: {WHOLE} Got '0'. {HELP}"),
        ("qrels run --jobs 1.5", f"argument --jobs: {WHOLE} Got '1.5'. {HELP}"),
        ("qrels run --gain 1,x", f"argument --gain: 'x' is not a number. {HELP}"),
        ("qrels run --gain exp", f"argument --gain: 'exp' is not a number. {HELP}"),
        (
            "judged.csv found.csv --score a --rank b",
            f"argument --rank: not allowed with argument --score. {HELP}",
        ),
        ("qrels run --score place", f"--score {SUFFIXES}"),
        ("qrels run --score ndcg", f"--score {SUFFIXES} The scores to compute are --scores."),
        ("qrels run --item doc", f"--item {SUFFIXES}"),
        ("qrels found.csv --no-label", f"--no-label {SUFFIXES}"),
        ("judged.csv run --rank place", f"--rank {SUFFIXES}"),
        (
            "none none -m ndgc",
            f"--scores must be one of {NAMES_OF_SCORES}, alone or as in 'ndcg@10'. Got 'ndgc' "
            "instead. Did you mean 'ndcg' or 'dcg'?",
        ),
        (
            "none none -m map auc",
            "auc needs the score of every item, and a run has only scores of retrieved items. "
            f"The scores are {NAMES_OF_SCORES}.",
        ),
        (
            "none none -m ndcg@99999999999999999999",
            "--scores must be a name whose cutoff is an int of at least 1 and at most 18 "
            "digits, as in 'ndcg@10'. Got 'ndcg@99999999999999999999' instead.",
        ),
        ("none none -m map precision", "precision needs a cutoff, such as precision@10"),
        ("none none -m hit_rate", "hit_rate needs a cutoff, such as hit_rate@10"),
        ("none none -m ,", f"-m has no score. {HELP}"),
        (
            "none none -m map --gain linear",
            f"--gain is for {' and '.join(SCORES_WITH_GAIN)}. The scores are map.",
        ),
        ("none none --gain 0,-1 -m dcg,ndcg", GAINS),
        (
            "none none -m ndcg --relevance-threshold nan",
            f"argument --relevance-threshold: 'nan' is not a finite number. {HELP}",
        ),
        (
            "none none -m err@10",
            "err needs the highest label of the scale. Pass it with --max-grade.",
        ),
        (
            "none none -m map err --max-grade 1.5",
            "--max-grade must be an int from 1 to 1000 for err. Got 1.5 instead.",
        ),
        (
            "none none -m map mrr --max-grade 2",
            "--max-grade is for err. The scores are map, mrr.",
        ),
        ("qrels run found.csv run", "run is given twice. Pass each run once."),
        ("qrels run ./run", "run is given twice. Pass each run once."),
        ("- run -", "- is given twice. Pass each run once."),
        (
            "run qrels",
            "run must be a file whose lines are 'query iteration document label' or 'query "
            f"document'. Got 6 fields in line 1 of run instead. {ORDER}",
        ),
        (
            "qrels qrels",
            "qrels must be a file whose lines are 'query Q0 document rank score tag' or 'query "
            f"document rank'. Got 4 fields in line 1 of qrels instead. {ORDER}",
        ),
        (
            "found.csv run --query user --item product",
            "found.csv: there is no column 'label' among 'place', 'product', 'user', 'score'. "
            f"{ORDER}",
        ),
        ("qrels none", "none: No such file or directory"),
        ("qrels .", ".: Is a directory"),
        (
            "judged.csv run --query user",
            "judged.csv: there is no column 'item' among 'user', 'product', 'grade'. Name the "
            f"column with --item. {KNOWN}",
        ),
        (
            "stars.csv run --query user --item product",
            "stars.csv: there is no column 'label' among 'user', 'product', 'thumbs'. Name the "
            f"column with --label, or pass --no-label if each row is relevant. {KNOWN}",
        ),
        (
            "qrels found.csv --query user --item product --score s",
            "found.csv: there is no column 's' among 'place', 'product', 'user', 'score'. Name "
            "the column with --score, or a column of ranks with --rank.",
        ),
    ],
)
def test_errors_are_one_line(refuse, line, error):
    assert refuse(line) == error


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (
            "",
            "bad.csv: the line with the names of the columns is missing",
        ),
        (
            "query,item,score,item\n",
            "bad.csv: there is more than one column 'item' among 'query', 'item', 'score', "
            "'item'. Name the column with --item.",
        ),
        (
            "\nquery,item,score\nq,a,1\n",
            "bad.csv, line 1: the line is blank, and should have the names of the columns",
        ),
        ("query,item,score\nq,a,1\n \n", "bad.csv, line 3: the line is blank. Delete it"),
        (
            "\ufeffquery,item,score\nq,a,1\n\ufeffquery,item,score\nq,b,1\n",
            "bad.csv, line 3: the line begins with a byte-order mark, as a file does. Join files "
            "without the marks and the headers of later ones",
        ),
        (
            f"query,item,score\nq,a,{600 * chr(0)}\n",
            "bad.csv, line 2: the score '"
            + 80 * r"\x00"
            + "'… (600 characters) in 'score' is not a finite number",
        ),
        (
            "query,item,score\nq,a,1\n\nq,b\n",
            "bad.csv, line 4: 2 fields in place of 3",
        ),
        (
            'query,item,score\nq,a,1\n"q\n1",b,c,d\n',
            "bad.csv, line 4: 4 fields in place of 3",
        ),
        (
            "query,item,score\nq,a,1\nq,b,\n",
            "bad.csv, line 3: the score '' in 'score' is not a finite number",
        ),
        (
            "query,item,score\nq,a,nan\n",
            "bad.csv, line 2: the score 'nan' in 'score' is not a finite number",
        ),
        (
            "query,item,score\nq,a,1_0\n",
            "bad.csv, line 2: the score '1_0' in 'score' is not a finite number",
        ),
        ('query,item,score\n"q"1,a,1\n', "bad.csv, line 2: ',' expected after '\"'"),
        (
            "query,item,score\nq,\udce4,1\n",
            "bad.csv, line 2: the text is not UTF-8. Save the file as UTF-8.",
        ),
        (
            'query,item,score\n"q\n1","\n",x\n',
            "bad.csv, line 4: the score 'x' in 'score' is not a finite number",
        ),
        ("query,item,score\nq,a,1\n,b,x\n", "bad.csv, line 3: the query id in 'query' is empty"),
        (
            'query,item,score\n"q\n",a,1\n"q\r\n1",,2\n',
            "bad.csv, line 5: the item id in 'item' is empty",
        ),
        (
            'query,item,score\n"q",a,1\n"q,b,1\n',
            "bad.csv, line 3: unexpected end of data. Is there an unclosed quote?",
        ),
        (
            f"query,item,score\nq,a,1\nq,{132_000 * 'a'},1\n",
            "bad.csv, line 3: field larger than field limit (131072). Is there an unclosed quote?",
        ),
    ],
)
def test_errors_in_a_table_of_text(refuse, text, error):
    Path("bad.csv").write_bytes(text.encode(errors="surrogateescape"))
    assert refuse("qrels bad.csv") == error


@pytest.mark.parametrize("rank", ["0", "1.5", "-1", "x", "inf"])
def test_ranks_in_text_are_refused_by_their_line(refuse, rank):
    Path("found.csv").write_text(f"query,item,rank\n\nq,a,1\nq,b,{rank}\n", encoding="utf-8")
    error = f"found.csv, line 4: the rank '{rank}' in 'rank' is not a whole number from 1 on"
    assert refuse("qrels found.csv --rank rank") == error


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_text_of_windows_is_refused(refuse, encoding):
    Path("judged.csv").write_text(JUDGED, encoding=encoding)
    expected = "judged.csv, line 1: the text is not UTF-8. Save the file as UTF-8."
    assert refuse("judged.csv run") == expected
    Path("qrels").write_text(QRELS, encoding=encoding)
    error = refuse("qrels run")
    assert error.startswith("qrels must be a file in UTF-8. Got b'")
    assert error.endswith("in line 1 of qrels instead. Save the file as UTF-8.")


def test_text_that_is_not_utf_8_is_refused_by_its_line(refuse):
    Path("latin.csv.gz").write_bytes(gzip.compress(FOUND.replace("x", "ä").encode("latin-1")))
    expected = "latin.csv.gz, line 4: the text is not UTF-8. Save the file as UTF-8."
    assert refuse(f"qrels latin.csv.gz {shlex.join(NAMES)}") == expected


def test_errors_far_down_name_their_line(refuse):
    error = "bad.csv, line 9: the score 'x' in 'score' is not a finite number"
    rows = ["query,item,score", '"q\r\n1\r2",a,1', "q,a,1", "", "q,b,1", "q,c,1", "q,d,x"]
    Path("bad.csv").write_text("\n".join(rows), encoding="utf-8", newline="")
    assert refuse("qrels bad.csv") == error
    Path("bad.csv").write_text("query,item\nq,a\nq\n", encoding="utf-8")
    assert refuse("bad.csv run --no-label") == "bad.csv, line 3: 1 field in place of 2"
    for end in ("\n", "\r\n", "\r"):  # more than Python reads at once
        text = end.join(["query,item,score", *5000 * ["q\u00fc,item,1.5"], "q,\udcff,1"])
        Path("bad.csv").write_bytes(text.encode(errors="surrogateescape"))
        assert refuse("qrels bad.csv").startswith("bad.csv, line 5002: the text is not UTF-8.")


def test_many_columns_are_not_all_shown(refuse):
    Path("wide.csv").write_text(",".join(map(str, range(11))), encoding="utf-8")
    assert refuse("qrels wide.csv").startswith(
        "wide.csv: there is no column 'query' among '0', '1', '2', '3', '4', '5', '6', '7', '8', "
        "'9' and 1 more. Name the column with --query. A file in TREC's format"
    )


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda packed: packed[:-9], "Compressed file ended before the end-of-stream marker"),
        (lambda packed: packed[:-8] + b"CRC!" + packed[-4:], "CRC check failed"),
        (lambda packed: packed[:10] + 9 * b"\xff" + packed[19:], "invalid block type"),
    ],
)
def test_gzip_that_is_broken(refuse, damage, reason):
    for name, text in (("run.gz", RUN), ("run.csv.gz", FOUND)):
        Path(name).write_bytes(damage(gzip.compress(text.encode())))
        error = refuse(f"qrels {name} {shlex.join(NAMES) if text is FOUND else ''}")
        assert name in error
        assert "gzip" in error
        assert reason in error


def test_a_file_that_may_not_be_read(refuse, monkeypatch):
    def denied(path, kind):
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(_trec_files, "read_packed", denied)
    assert refuse("qrels run") == "qrels: Permission denied"


def test_an_error_of_no_file_names_it(refuse, monkeypatch):
    def fail(path, kind):
        raise OSError("the disk is gone")

    monkeypatch.setattr(_trec_files, "read_packed", fail)
    assert refuse("qrels run") == "qrels: the disk is gone"


def test_malformed_lines_of_trec_name_the_file_and_the_line(refuse):
    Path("run").write_text("301 Q0 a 1 1 tag\n301 Q0 b 2 x tag\n", encoding="utf-8")
    error = refuse("qrels run")
    assert "'x' in line 2 of run" in error


def test_what_the_join_refuses_is_about_files_and_options(refuse):
    assert refuse("qrels run --queries equal") == (
        "run must be a file that has only queries that are both judged and predicted, and all of "
        "them. Got 1 of 4 queries that are judged and not predicted, such as '303', instead. With "
        "--queries judged, such queries are no error."
    )
    Path("run").write_text(RUN + RUN, encoding="utf-8")
    words = refuse("qrels run")
    assert words.startswith("run must be a file that has each item only once per query. Got item ")
    Path("run").write_text("q Q0 a 1 1 tag\n", encoding="utf-8")
    assert refuse("qrels run").startswith("run must be a file that has a query that is both ")
    Path("run").write_text("301 Q0 a 1 1 tag\n", encoding="utf-8")
    Path("qrels").write_text("", encoding="utf-8")
    expected = "qrels must be a table with at least one row. Got no rows instead."
    assert refuse("qrels run") == expected


def test_advice_that_is_code_is_left_out():
    function = "ranking_report, for ndcg_score,"
    error = invalid("max_grade", function, "a number", "one", "Add 1.", code="Pass `k`.")
    assert str(_words.in_words(error)) == (
        "--max-grade must be a number for ndcg. Got one instead. Add 1."
    )


def test_what_the_scores_refuse_names_the_score_and_the_query(refuse):
    assert refuse("qrels run -m map arp") == (
        "run must be a matrix that stores a score for every relevant item for arp. Got a relevant "
        "item that "
        "was not retrieved in query 301 instead."
    )
    Path("qrels").write_text("a 0 a 1\n301 0 b 5000\n", encoding="utf-8")
    assert refuse("qrels run -m ndcg --gain exponential") == (
        "qrels must be an array of labels whose gain is finite and at least 0 for ndcg. Got the "
        "gain "
        "inf for the label 5000 in query 301 instead."
    )


@pytest.mark.parametrize("option", ["", " --unjudged"])
def test_what_the_join_refuses_in_files_of_trec(refuse, option):
    Path("twice").write_text("301 Q0 a 1 2 x\n301 Q0 a 2 1 x\n", encoding="utf-8")
    assert refuse(f"qrels twice{option}") == (
        "twice must be a file that has each item only once per query. Got item 'a' more than "
        "once for query '301' instead. Keep one row of each, such as the one with the highest "
        "score. With --duplicates best, each item counts once, at its best place. With "
        "--duplicates hold, its other places stay, too, and are not relevant."
    )


def test_what_the_join_refuses_in_tables_names_the_column(refuse):
    Path("twice.csv").write_text("query,doc,score\n301,a,2\n301,a,1\n", encoding="utf-8")
    Path("judged.csv").write_text("query,doc,label\n301,a,2\n", encoding="utf-8")
    start = "twice.csv must be a table whose column 'doc' has each item only once per query. Got "
    assert refuse("judged.csv twice.csv --item doc").startswith(start)


def test_labels_that_the_options_do_not_allow(call, refuse):
    assert refuse("qrels run -m map ndcg --gain 0,1") == (
        "qrels: the label 2 of query 301 has no gain. The list of --gain is for the labels 0 to 1."
    )
    assert refuse("qrels run -m map err --max-grade 1") == (
        "qrels: the label 2 of query 301 is not a whole number from 0 to 1, the value of "
        "--max-grade."
    )
    Path("half").write_text("300 0 x -2\n" + QRELS, encoding="utf-8")
    assert refuse("half run -m ndcg --gain 0,1 --relevance-threshold 1") == (
        "half: the label 2 of query 301 has no gain. The list of --gain is for the labels 0 to 1."
    )
    for options in ("-m ndcg --gain 0,1,3", "-m err --max-grade 2"):
        assert call(f"half run {options} --relevance-threshold 2")[0] == 0


def test_negative_labels(call, refuse):
    Path("spam.csv").write_text(JUDGED + "302,x,-2\n", encoding="utf-8")
    names = "--query user --item product --label grade"
    assert refuse(f"spam.csv run {names}") == (
        "spam.csv: the label -2.0 of query 302 is negative. With --relevance-threshold 1, "
        "labels below 1 gain nothing and are not relevant."
    )
    output = call(f"spam.csv run {names} --relevance-threshold 1")[1]
    assert below_forms(output) == below_forms(call("qrels run")[1])
    assert call(f"spam.csv run {names} -m map")[0] == 0
    for threshold in ("-3", "0"):
        assert refuse(f"spam.csv run {names} --relevance-threshold {threshold}") == (
            "--relevance-threshold must be above 0, since otherwise items without a judgment "
            f"would be relevant. Got {threshold}."
        )
