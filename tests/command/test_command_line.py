"""The command line: what it prints, and what it says of input that is wrong."""

from __future__ import annotations

import csv
import gc
import gzip
import io
import json
import os
import pickle
import re
import runpy
import shlex
import subprocess
import sys
import weakref
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from project.test_project import project

import ranking_scores
from ranking_scores import ranking_report
from ranking_scores.__main__ import main
from ranking_scores._base import _packed_text, invalid
from ranking_scores._command import _arguments, _files, _numbers, _words
from ranking_scores._metrics._named import SCORES as SCORES_BY_NAME
from ranking_scores._metrics._named import parameters_of
from ranking_scores._tables import is_without_header
from ranking_scores.significance import compare, compare_all, confidence_interval
from ranking_scores.tables import RankingData, from_lists, from_tables
from ranking_scores.ties import tie_report
from ranking_scores.trec import read_qrels, read_run

ROOT = Path(__file__).parents[2]
PACKAGE = Path(ranking_scores.__file__).parent
DATA = ROOT / "tests" / "data" / "trec"
QRELS = """\
301 0 a 1
301 0 b 0
301 0 c 2
302 0 a 0
302 0 d 1
303 0 e 0
"""
RUN = """\
301 Q0 a 1 7.5 tag
301 Q0 b 2 7.5 tag
301 Q0 x 3 2 tag
302 Q0 d 1 0.30000000000000004 tag
302 Q0 a 2 0.3 tag
304 Q0 a 1 1 tag
"""
JUDGED = "user,product,grade\n301,a,1\n301,b,0\n301,c,2\n302,a,0\n302,d,1\n303,e,0\n"
FOUND = "place,product,user,score\n1,a,301,7.5\n1,b,301,7.5\n3,x,301,2\n1,d,302,9\n2,a,302,8\n"
NAMES = ["--query", "user", "--item", "product"]
SCORES = ["ndcg@10", "map", "mrr@10", "precision@10", "recall@100", "hit_rate@10"]


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    """Work in a folder with judgments and runs."""
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "qrels": QRELS,
        "run": RUN,
        "judged.csv": JUDGED,
        "stars.csv": JUDGED.replace("grade", "thumbs"),
        "found.csv": FOUND,
    }.items():
        Path(name).write_text(text, encoding="utf-8")


@pytest.fixture
def call(capsys):
    """Return a function from a command line to its status, its output and its errors."""

    def call(line, *more):
        status = main([*shlex.split(line), *more])
        return status, *capsys.readouterr()

    return call


@pytest.fixture
def refuse(call):
    """Return a function from a command line to the one line that it ends with."""

    def refuse(line):
        status, output, errors = call(line)
        assert (status, output) == (2, "")
        [error] = errors.splitlines()
        assert error.startswith("ranking-scores: error: ")
        return error.removeprefix("ranking-scores: error: ")

    return refuse


def data_of(judgments="qrels", run="run", **params):
    judgments, predictions = read_qrels(judgments), read_run(run)
    names = {"query": "query", "item": "item", "label": "label", "score": "score"}
    return from_tables(judgments, predictions, **names, **params)


def records_of(output):
    return {(each["run"], each.get("query"), each["score"]): each for each in json.loads(output)}


def without_nan(value):
    return None if np.isnan(value) else value


# What it prints.


def test_a_table_of_a_run(call):
    status, output, errors = call("qrels run")
    assert (status, errors) == (0, "")
    assert (
        output
        == """\
run  score           mean  standard error  undefined
run  ndcg@10       0.4367          0.2955          1
run  map           0.4583          0.2917          1
run  mrr@10        0.5833          0.3005          1
run  precision@10  0.0667          0.0333          1
run  recall@100    0.5000          0.2887          1
run  hit_rate@10   0.6667          0.3333          1

3 queries
1 query was predicted but not judged, and is left out: '304'
1 query was judged but not predicted, and counts 0: '303'
"""
    )


def test_the_numbers_are_those_of_the_report_to_the_last_bit(call):
    data = data_of()
    report = ranking_report(data.y_true, data.y_score, scores=SCORES, k=None)
    records = json.loads(call("qrels run --format json")[1])
    assert [list(record) for record in records] == 6 * [
        ["run", "score", "mean", "standard_error", "n_undefined"]
    ]
    for record in records:
        name = record["score"]
        assert record["run"] == "run"
        assert record["mean"] == report[name]
        assert record["standard_error"] == report.standard_error[name]
        assert record["n_undefined"] == report.n_undefined[name]
    assert [record["score"] for record in records] == SCORES


def test_options_reach_the_scores_that_have_them(call):
    line = "qrels run --format json -m ndcg@2,dcg map@010 --gain {} --relevance-threshold 2"
    data = data_of()
    for text, gain in (("exponential", "exponential"), ("0,0.5,3", [0, 0.5, 3])):
        params = {"gain": gain, "relevance_threshold": 2}
        scores = ["ndcg@2", "dcg", "map@10"]
        report = ranking_report(data.y_true, data.y_score, scores=scores, k=None, **params)
        records = json.loads(call(line.format(text))[1])
        assert {each["score"]: each["mean"] for each in records} == dict(report.mean)
    threshold = "qrels run --format json -m ndcg --relevance-threshold 1.5"
    [record] = json.loads(call(threshold)[1])
    expected = ranking_report(
        data.y_true, data.y_score, scores="ndcg", k=None, relevance_threshold=1.5
    )
    assert record["mean"] == expected["ndcg"]


def test_numbers_that_are_whole_are_ints(call):
    expected = call("qrels run -m err --max-grade 3")
    for number in ("3.0", "3.", "3e0", "03"):
        assert call(f"qrels run -m err --max-grade {number}") == expected
    assert expected[0] == 0
    assert _arguments.number_from("9007199254740993") == 2**53 + 1


def test_the_highest_grade_reaches_err_alone(call):
    line = "qrels run --format json --by-query --ties -m err@3 err map --max-grade 3"
    data = data_of()
    scores = ["err@3", "err", "map"]
    report = ranking_report(data.y_true, data.y_score, scores=scores, k=None, max_grade=3)
    records = records_of(call(line)[1])
    assert {score: records["run", None, score]["mean"] for score in scores} == report.mean
    ties = tie_report(data.y_true, data.y_score, score="err", max_grade=3, average=None)
    assert records["run", "301", "err"]["worst"] == ties.worst[0] < ties.best[0]


def test_scores_that_are_named_twice_are_there_once(call):
    output = call("qrels run --format json -m map ndcg,map ndcg@5 -m map ndcg@05")[1]
    assert [each["score"] for each in json.loads(output)] == ["map", "ndcg", "ndcg@5"]


def test_scores_before_the_files(call):
    expected = call("qrels run -m map ndcg@2 mrr")
    for line in (
        "-m map,ndcg@2,mrr qrels run",
        "-m map ndcg@2 mrr qrels run",
        "--scores map, ndcg@2 ,mrr qrels run",
        "-m map ndcg@2 -m mrr qrels run",
        "--scores=map,ndcg@2,mrr qrels run",
        "qrels -m map ndcg@2,mrr run",
        "-m map ndcg@2 mrr -- qrels run",
    ):
        assert call(line) == expected
    with standard_input("run"):
        assert call("-m map qrels -")[0] == 0
    Path("map").write_text(RUN, encoding="utf-8")
    assert "\nmap  mrr" in call("-m mrr -- qrels map")[1]
    assert "\n./map  mrr" in call("-m mrr qrels ./map")[1]


def test_cutoffs_beyond_all_lists_are_the_whole_list(call):
    output = call("qrels run --format json --ties -m ndcg ndcg@999999999999999999")[1]
    whole, deep = ([*record.values()][2:] for record in json.loads(output))
    assert whole == deep


def test_judgments_and_runs_of_all_kinds_meet(call):
    judged = {"301": {"a": 1, "b": 0, "c": 2}, "302": {"a": 0, "d": 1}, "303": {"e": 0}}
    found = {"301": {"a": 7.5, "b": 7.5, "x": 2}, "302": {"d": 3, "a": 0.3}, "304": {"a": 1}}
    for name, lists in (("judged.json", judged), ("found.json", found)):
        Path(name).write_text(json.dumps(lists), encoding="utf-8")
    for cutoff in (1, 2, 100):
        line = f"-m map@{cutoff} ndcg@{cutoff} --queries all --format json"
        means = [
            [record["mean"] for record in json.loads(call(f"{qrels} {run} {line}")[1])]
            for qrels in ("qrels", "judged.json")
            for run in ("run", "found.json")
        ]
        assert means == [means[0]] * 4


@pytest.mark.parametrize("queries", ["judged", "both", "all"])
def test_which_queries_count(call, queries):
    data = data_of(queries=queries)
    report = ranking_report(data.y_true, data.y_score, scores="map", k=None)
    _, output, _ = call(f"qrels run -m map --format json --queries {queries}")
    assert json.loads(output)[0]["mean"] == report["map"]
    assert f"\n{len(data.query_ids)} quer" in call(f"qrels run --queries {queries}")[1]


def test_runs_are_beside_each_other_by_score(call):
    Path("other.run").write_text("301 Q0 c 1 1 tag\n", encoding="utf-8")
    _, output, _ = call("qrels run other.run -m map ndcg@1")
    assert (
        output
        == """\
run        score     mean  standard error  undefined
run        map     0.4583          0.2917          1
other.run  map     0.1667          0.1667          1
run        ndcg@1  0.4167          0.3005          1
other.run  ndcg@1  0.3333          0.3333          1

3 queries
run: 1 query was predicted but not judged, and is left out: '304'
run: 1 query was judged but not predicted, and counts 0: '303'
other.run: 2 queries were judged but not predicted, and count 0: '302', '303'
"""
    )
    assert call("qrels -m map ndcg@1 -- run other.run")[1] == output
    assert call("qrels run --format table other.run -m map,ndcg@1")[1] == output
    _, output, _ = call("qrels run other.run --queries both -m map")
    assert "\n\nrun: 2 queries\nother.run: 1 query\nrun: 1 query was predicted" in output


def test_ties(call):
    data = data_of()
    _, output, _ = call("qrels run -m map ndcg@1 --ties --format json")
    for record in json.loads(output):
        report = tie_report(data.y_true, data.y_score, score=record["score"])
        assert record["worst"] == report.worst < record["mean"] == report.expected < report.best
        assert record["best"] == report.best
        assert record["as_ordered"] == report.as_ordered
    assert (
        call("qrels run -m map --ties")[1]
        == """\
run  score    mean  standard error  undefined   worst    best  as ordered
run  map    0.4583          0.2917          1  0.4167  0.5000      0.4167

3 queries
1 query was predicted but not judged, and is left out: '304'
1 query was judged but not predicted, and counts 0: '303'
"""
    )


def test_scores_of_each_query(call):
    data = data_of()
    report = ranking_report(data.y_true, data.y_score, scores=["map", "dcg@010"], k=None)
    _, output, errors = call(
        "qrels run -m map dcg@010 --by-query --format json --gain exponential"
    )
    records = records_of(output)
    assert errors == ""
    assert list(records) == [
        ("run", query, score)
        for query in ("301", "302", "303", None)
        for score in ("map", "dcg@10")
    ]
    for number, query in enumerate(data.query_ids):
        record = records["run", query, "map"]
        assert list(record) == ["run", "query", "score", "mean", "standard_error", "n_undefined"]
        assert record["mean"] == report.per_query["map"][number]
        assert record["standard_error"] is None
        assert record["n_undefined"] == (query == "303")
        assert records["run", query, "dcg@10"]["n_undefined"] == 0
    assert records["run", None, "map"]["mean"] == report["map"]


def test_ties_of_each_query(call):
    data = data_of()
    _, output, _ = call(
        "qrels run -m map dcg@02 --by-query --ties --gain exponential --format json"
    )
    records = records_of(output)
    for score, params in (("map", {}), ("dcg@2", {"gain": "exponential"})):
        report = tie_report(data.y_true, data.y_score, score=score, average=None, **params)
        for number, query in enumerate(data.query_ids):
            record = records["run", query, score]
            numbers = [record[key] for key in ("mean", "worst", "best", "as_ordered")]
            of_report = [report.expected, report.worst, report.best, report.as_ordered]
            assert numbers == [values[number] for values in of_report]


def test_the_numbers_of_trec_eval(call):
    names = {"map": "map", "ndcg": "ndcg", "Rprec": "r_precision", "recip_rank": "mrr"}
    for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000):
        names |= {f"P_{k}": f"precision@{k}", f"recall_{k}": f"recall@{k}"}
        names |= {f"ndcg_cut_{k}": f"ndcg@{k}", f"map_cut_{k}": f"map@{k}"}
    names |= {f"success_{k}": f"hit_rate@{k}" for k in (1, 5, 10)}
    line = f"{DATA}/qrels.test {DATA}/results.test --ties --by-query --format json -m"
    theirs = (DATA / "out.test.aq").read_text(encoding="utf-8")
    fields = [line.split() for line in theirs.splitlines()]
    expected = {(names[name], query): value for name, query, value in fields if name in names}
    assert len(expected) == (4 + 4 * 9 + 3) * 4
    records = {
        (record["score"], record["query"] or "all"): f"{record['as_ordered']:.4f}"
        for record in json.loads(call(line, *names.values())[1])
    }
    assert records == expected


def test_a_table_of_each_query_ends_with_all_of_them(call):
    assert (
        call("qrels run -m mrr@2 --by-query")[1]
        == """\
run  query        score    mean  standard error  undefined
run  301          mrr@2  0.7500             nan          0
run  302          mrr@2  1.0000             nan          0
run  303          mrr@2  0.0000             nan          1
run  all queries  mrr@2  0.5833          0.3005          1

3 queries
1 query was predicted but not judged, and is left out: '304'
1 query was judged but not predicted, and counts 0: '303'
"""
    )


def test_a_query_may_be_called_all(call):
    for name in ("qrels", "run"):
        Path(name).write_text(Path(name).read_text().replace("301", "all"), encoding="utf-8")
    line = "qrels run -m mrr@2 --by-query --format"
    queries = [row.split("  ")[1].strip() for row in call(f"{line} table")[1].splitlines()[1:5]]
    assert queries == ["302", "303", "all", "all queries"]
    assert [row["query"] for row in json.loads(call(f"{line} json")[1])] == [
        *("302", "303", "all"),
        None,
    ]
    rows = csv.DictReader(io.StringIO(call(f"{line} csv")[1]))
    assert [row["query"] for row in rows] == ["302", "303", "all", ""]
    assert "| `run` | `all queries` | `mrr@2` | 0.5833 |" in call(f"{line} markdown")[1]


def test_numbers_that_are_undefined_in_each_format(call):
    Path("found").write_text("301 Q0 a 1 2 t\n301 Q0 c 1 1 t\n302 Q0 d 1 1 t\n", encoding="utf-8")
    line = "qrels found -m arp --by-query --format"
    *_, undefined, mean = json.loads(call(f"{line} json")[1])
    numbers = {"mean": None, "standard_error": None, "n_undefined": 1}
    assert undefined == {"run": "found", "query": "303", "score": "arp"} | numbers
    assert mean["mean"] == ((1 * 1 + 2 * 2) / 3 + 1) / 2
    assert call(f"{line} csv")[1].splitlines()[3] == "found,303,arp,nan,nan,1"
    assert re.search(r"\nfound  303 +arp +nan +nan +1\n", call(f"{line} table")[1])
    assert "| `found` | `303` | `arp` | nan | nan | 1 |" in call(f"{line} markdown")[1]


def test_csv_has_all_digits(call):
    _, output, _ = call("qrels run -m map mrr@1 --by-query --format csv")
    report = ranking_report(*data_of()[:2], scores=["map", "mrr@1"], k=None)
    rows = list(csv.DictReader(io.StringIO(output)))
    assert output.startswith("run,query,score,mean,standard_error,n_undefined\n")
    mean = repr(float(report.per_query["map"][0]))
    assert list(rows[0].values()) == ["run", "301", "map", mean, "nan", "0"]
    assert rows[-2]["query"] == ""
    assert float(rows[-2]["mean"]) == report["map"]
    assert float(rows[-2]["standard_error"]) == report.standard_error["map"]


def test_markdown(call):
    Path("a|b.run").write_text(RUN, encoding="utf-8")
    assert (
        call("qrels 'a|b.run' -m map --format markdown")[1]
        == """\
| run | score | mean | standard error | undefined |
| --- | --- | ---: | ---: | ---: |
| `a\\|b.run` | `map` | 0.4583 | 0.2917 | 1 |
"""
    )


def test_no_name_is_markup_in_markdown(call):
    """The names of runs, queries and groups are code, as in `to_markdown` of results."""
    groups = "query,kind\n301,<b>a|b</b>\n302,*x* `y`\n303,<b>a|b</b>\n"
    Path("groups.csv").write_text(groups, encoding="utf-8")
    Path("<i>a.run").write_text(RUN, encoding="utf-8")
    line = "qrels '<i>a.run' -m map --by kind --query-table groups.csv --format markdown"
    _, text, _ = call(line)
    assert "| `<i>a.run` | `map` | 0.4583 |" in text
    assert "**`kind <b>a\\|b</b>`, 2 queries**" in text
    assert "**<code>kind &#42;x&#42; &#96;y&#96;</code>, 1 query**" in text
    for name, number in (("judged.csv", "label"), ("<found>.csv", "score")):
        Path(name).write_text(f"query,item,{number}\n<q|1>,a,1\n", encoding="utf-8")
    _, text, _ = call("judged.csv '<found>.csv' -m map --by-query --format markdown")
    assert "| `<found>.csv` | `<q\\|1>` | `map` | 1.0000 |" in text


def test_notes_are_escaped_in_markdown(call):
    Path("a&<b>.csv").write_text("qid,docno,score\n301,a,1\n", encoding="utf-8")
    _, text, _ = call("qrels 'a&<b>.csv' -m map --format markdown")
    assert text.startswith("a&amp;&lt;b&gt;.csv: ")


def test_csv_has_names_as_they_are(call):
    """A spreadsheet reads such a cell as a formula, which the guide says. A program does not."""
    Path("judged.csv").write_text("query,item,label\n=1+1,a,1\n@q,a,1\n+q,b,1\n", encoding="utf-8")
    Path("found.csv").write_text("query,item,score\n=1+1,a,1\n@q,a,1\n", encoding="utf-8")
    _, text, _ = call("judged.csv found.csv -m map --by-query --format csv")
    queries = [row["query"] for row in csv.DictReader(io.StringIO(text))]
    assert sorted(queries) == ["", "+q", "=1+1", "@q"]


def test_names_of_other_programs_are_names_in_any_place(call):
    line = "qrels run --format json -m"
    expected = {"mrr@10", "hit_rate@10", "map"}
    for words in ("RR@10 Success@10 AP", "AP Success@10,RR@10", "AP success_10 recip_rank"):
        status, output, errors = call(f"{line} {words}")
        assert (status, errors) == (0, "")
        names = {"mrr@10" if name == "mrr" else name for _, _, name in records_of(output)}
        assert names == expected


@pytest.mark.parametrize("name", ["alpha_DCG@10", "R_cap@10", "infAP(rel=2)", "NDCGAt"])
def test_a_word_that_looks_like_a_score_is_no_file(call, refuse, name):
    expected = f"--scores must be one of {', '.join(SCORES_BY_NAME)}"[:40]
    for line in (f"qrels run -m map '{name}'", f"qrels run -m '{name}' map"):
        error = refuse(line)
        assert error.startswith(expected)
        assert f"Got '{name}' instead." in error
    Path(name).write_text(RUN, encoding="utf-8")
    assert records_of(call(f"qrels -m map '{name}' --format json")[1]).keys() == {
        (name, None, "map")
    }


def test_each_score_has_its_own_threshold(call, refuse):
    """As in NIST's Deep Learning tracks: the label 1 counts in nDCG, and not in AP and RR."""
    Path("qrels").write_text(
        QRELS.replace("b 0", "b 2").replace("301 0 c 2", "301 0 x 2"), encoding="utf-8"
    )
    names = ["ndcg@10", "AP(rel=2)", "RR(rel=2)@10"]
    report = ranking_report(data_of(), scores=names)
    line = "qrels run --format json -m ndcg@10 'AP(rel=2)' 'RR(rel=2)@10'"
    for more in ("", " --relevance-threshold 1", " --ties", " --unjudged"):
        assert means_in_records(call(line + more)[1]) == report.mean
    assert report["ndcg@10"] != report["map(rel=2)"] != report["mrr(rel=2)@10"]
    line = "qrels run -m 'ndcg@10,AP(rel=2),RR(rel=2)@10' --html page.html --save saved.json"
    assert call(f"{line} --at-least 'AP(rel=2)=0.9' 'RR( rel=2 )@10=0.1'")[0] == 1
    assert "MRR from label 2 on at each cutoff" in Path("page.html").read_text(encoding="utf-8")
    gate = "--baseline saved.json --max-drop 'AP(rel=2)=0'"
    assert call(f"qrels run -m ndcg@10 'AP(rel=2)' {gate}")[0] == 0
    assert "'AP(rel=2)' has no number" in refuse(f"{line} --at-least 'AP(rel=2)'")
    assert refuse("qrels run -m 'AP(rel=0)'").startswith("rel in map(rel=0) must be above 0")
    assert "as in 'precision(rel=2)'" in refuse("qrels run -m map 'P(rel=2,judged_only=True)@5'")
    message = refuse("qrels run -m 'AP(rel=2)' --relevance-threshold 1")
    assert message.startswith("--relevance-threshold is for ndcg")


def means_in_records(output):
    return {name: record["mean"] for (_, _, name), record in records_of(output).items()}


def test_nan_is_null_in_json(call):
    Path("one").write_text("301 0 a 1\n301 0 b 0\n", encoding="utf-8")
    [record] = json.loads(call("one run -m map --format json")[1])
    assert record["standard_error"] is None


def test_ids_of_any_kind_are_printed(call):
    Path("judged.csv").write_text('query,item,label\n"two\nlines",a,1\n', encoding="utf-8")
    Path("found.csv").write_text('query,item,score\n"two\nlines",a,1\n', encoding="utf-8")
    _, output, _ = call("judged.csv found.csv -m map --by-query")
    assert output.splitlines()[1].startswith(r"found.csv  two\nlines   map  ")
    [record, _] = json.loads(call("judged.csv found.csv -m map --by-query --format json")[1])
    assert record["query"] == "two\nlines"


def test_warnings_are_a_line_each(call):
    Path("one").write_text("301 0 z 1\n", encoding="utf-8")
    status, output, errors = call("one run -m map --ties --format json")
    assert status == 0
    assert json.loads(output)[0]["mean"] == 0
    [line] = errors.splitlines()
    assert line.startswith("ranking-scores: warning: run: ")


def test_a_warning_is_there_once(call):
    Path("one").write_text("301 0 a 0\n", encoding="utf-8")
    status, output, errors = call("one run -m arp --ties --format json")
    assert (status, json.loads(output)[0]["mean"]) == (0, None)
    [line] = errors.splitlines()
    assert line == "ranking-scores: warning: run: undefined for all queries: arp"


def test_help_is_a_page(call):
    status, output, errors = call("--help-all")
    assert (status, errors) == (0, "")
    assert output.startswith("usage: ranking-scores [options] JUDGMENTS [RUN ...]\n")
    assert "\x1b" not in output
    assert _arguments.make_parser().color is False  # which Python has from 3.14 on
    assert max(map(len, output.splitlines())) < 80
    for text in ("examples:", "--no-label", "--ties", "ranking-scores qrels.txt bm25.run.gz"):
        assert text in output


def test_the_short_help_is_one_screen_of_options_that_there_are(call):
    status, output, errors = call("--help")
    assert (status, errors) == (0, "")
    lines = output.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) < 80
    page = call("--help-all")[1]
    assert output.partition("JUDGMENTS says")[0] == page.partition("JUDGMENTS says")[0]
    options = {*re.findall(r"(?<!\w)--?[a-z][\w-]*", output)}
    assert "--help-all" in options
    assert options <= {*_arguments.make_parser()._option_string_actions}
    assert call("-h") == (status, output, errors)


def test_help_and_errors_name_the_scores_that_there_are(call, refuse):
    text = " ".join(call("--help-all")[1].split())
    [names] = re.findall(r"--scores .*? (ndcg, .*?), alone or with a cutoff", text)
    assert f"must be one of {names}, alone or as in 'ndcg@10'." in refuse("none none -m foo")
    of_lists = [name for name in SCORES_BY_NAME if name not in _arguments.OF_ALL_ITEMS]
    assert names.split(", ") == of_lists


def test_the_version(call):
    assert call("--version") == (0, f"ranking-scores {ranking_scores.__version__}\n", "")


HEAVY = {"joblib", "matplotlib", "pandas", "sklearn", "scipy.special", "scipy.stats"}


@pytest.mark.long
@pytest.mark.parametrize(
    ("line", "does_infer"),
    [
        ("--version", False),
        ("--help", False),
        ("qrels run -m map ndcg --by-query --ties", False),
        ("qrels run -m map --confidence 0.9", True),
        ("qrels run other -m map --compare", True),
    ],
)
def test_a_run_loads_only_what_it_needs(line, does_infer):
    Path("other").write_text(RUN, encoding="utf-8")
    code = "import sys; from ranking_scores.__main__ import main; assert main(sys.argv[1:]) == 0"
    command = [sys.executable, "-c", f"{code}; print(*sys.modules)", *line.split()]
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, check=True)
    modules = {*done.stdout.splitlines()[-1].split()}
    assert ("ranking_scores.significance" in modules) is does_infer
    assert does_infer or not modules & HEAVY


def write_runs(*names):
    """Write runs of 20 queries, and judgments of them as "judged"; return their reports."""
    rng = np.random.default_rng(0)
    queries, items = range(20), range(5)
    lines = [f"q{query} 0 d{item} {rng.integers(2)}" for query in queries for item in items]
    Path("judged").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name in names:
        lines = [
            f"q{query} Q0 d{item} 1 {rng.integers(4)} tag" for query in queries for item in items
        ]
        Path(name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    data = {name: data_of("judged", name) for name in names}
    return {
        name: ranking_report(each.y_true, each.y_score, scores=["ndcg", "map"], k=None)
        for name, each in data.items()
    }


def test_two_runs_are_compared_by_the_paired_t_test(call):
    reports = write_runs("a", "b")
    records = records_of(call("judged a b -m ndcg map --compare --format json")[1])
    for score in ("ndcg", "map"):
        expected = compare(*(report.per_query[score] for report in reports.values()))
        found = records["b", None, score]
        assert found["difference"] == expected.difference
        assert found["difference_low"] == expected.low
        assert found["difference_high"] == expected.high
        assert found["pvalue"] == expected.pvalue
        first = records["a", None, score]
        for key in ("difference", "difference_low", "difference_high", "pvalue"):
            assert first[key] is None
        assert first["mean"] == reports["a"][score]
    head, first, second, *notes = call("judged a b -m map --compare")[1].splitlines()
    assert notes[2:] == ["difference: paired t test; 95 % intervals"]
    assert head.endswith("undefined  difference  difference low  difference high  p-value")
    assert first.split()[-4:] == ["nan"] * 4
    assert second.split()[-1] == f"{expected.pvalue:.4f}"


def test_more_runs_are_compared_with_the_first_by_max_t(call):
    reports = write_runs("a", "b", "c")
    line = "judged a b c -m ndcg map --compare --confidence 0.8 --format json"
    records = records_of(call(line)[1])
    assert call(line) == call(line)
    expected = compare_all(reports, baseline="a", confidence_level=0.8, random_state=0)
    assert len(expected) == 4
    for row in expected:
        found = records[row.system_b, None, row.metric]
        assert found["pvalue"] == row.pvalue
        assert (found["difference_low"], found["difference_high"]) == (row.low, row.high)
    assert call("judged a b c -m ndcg --compare --confidence 0.8")[1].splitlines()[-3:] == [
        "difference: p-values corrected by max-T; simultaneous 80 % intervals",
        "p-values: flips of signs, exact if the systems could change places on each query",
        "intervals: flips of centred differences, asymptotic",
    ]
    interval = confidence_interval(reports["c"], confidence_level=0.8, method="t")
    assert records["c", None, "map"]["low"] == interval.low[1]
    assert records["c", None, "map"]["high"] == interval.high[1]


def test_runs_are_sorted_with_the_ranks_that_they_can_have(call):
    reports = write_runs("a", "b", "c")
    right = Path("judged").read_text(encoding="utf-8").replace(" 0 d", " Q0 d")
    lines = [line.rsplit(" ", 1) for line in right.splitlines()]
    text = "".join(f"{line} 1 {label} tag\n" for line, label in lines)
    Path("best").write_text(text, encoding="utf-8")
    data = data_of("judged", "best")
    reports["best"] = ranking_report(data, scores=["ndcg", "map"], k=None)
    expected = compare_all(reports, confidence_level=0.8, random_state=0).ranks
    line = "judged a b c best -m ndcg map --ranks --confidence 0.8"
    records = json.loads(call(f"{line} --format json")[1])
    found = {key: [record[key] for record in records] for key in records[0]}
    assert found["run"] == list(expected.systems)
    assert found["score"] == ["ndcg"] * 4 + ["map"] * 4
    assert found["best_rank"] == expected.best.tolist() == [1, 2, 2, 2] * 2
    assert found["worst_rank"] == expected.worst.tolist()
    assert found["tier"] == expected.tier.tolist()
    of_records = zip(found["run"], found["score"], strict=True)
    assert found["mean"] == [reports[run][score] for run, score in of_records]
    head, *_, of_ranks, of_ndcg, _ = call(line)[1].splitlines()
    assert head.endswith("undefined  best rank  worst rank  tier")
    assert of_ranks == (
        "best and worst rank: the ranks that the runs can have, all of them at 80 % for each score"
    )
    assert of_ndcg == "ndcg: the first is best, and all others are significantly worse"
    first, *others = (run for run in found["run"][4:] if run != "best")
    assert call("judged a b c -m map --ranks")[1].splitlines()[-1] == (
        f"map: the first is {first}, and 2 runs cannot be separated from it: {', '.join(others)}"
    )
    assert "and 1 run cannot" in call("judged a b -m map --ranks")[1]


class Pool:
    """A pool of one process, which is this one. What goes between processes is pickled."""

    def __init__(self, n_jobs, *, mp_context, initializer, initargs):
        assert n_jobs == 2
        assert mp_context.get_start_method() == "spawn"
        initializer(*pickle.loads(pickle.dumps(initargs)))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def map(self, work, items):
        return (pickle.loads(pickle.dumps(work(each))) for each in items)


@pytest.fixture
def _one_process(monkeypatch):
    monkeypatch.setattr(_numbers, "ProcessPoolExecutor", Pool)
    monkeypatch.setattr(_numbers.signal, "signal", lambda *_: None)


def write_odd_runs():
    """Write two runs, one with a note and a warning, and one in JSON."""
    write_runs("a", "b")
    Path("c.csv").write_text("query;item;rank\nq1;new;1\n", encoding="utf-8")
    Path("d.json").write_text('{"q1": ["x"], "q2": ["d1"]}', encoding="utf-8")


LINES_OF_JOBS = [
    "judged a b c.csv d.json",
    "judged a b d.json --ranks --format json",
    "judged a b --human judged --compare",
    "judged a c.csv b --compare --queries both",
    "judged c.csv none a",
    "judged c.csv a judged b",
]


@pytest.mark.usefixtures("_one_process")
@pytest.mark.parametrize("line", LINES_OF_JOBS)
def test_more_processes_say_the_same(call, line):
    write_odd_runs()
    with pytest.MonkeyPatch.context() as context:
        context.setattr(_numbers, "ProcessPoolExecutor", None)
        expected = call(f"{line} -m map mrr")
    assert call(f"{line} -m map mrr --jobs 2") == expected
    assert expected[1] or expected[2]


@pytest.mark.slow
def test_processes_are_started(call):
    write_odd_runs()
    line = LINES_OF_JOBS[0]
    assert call(f"{line} --jobs 2") == call(line)


@pytest.mark.usefixtures("_one_process")
def test_a_process_that_has_ended_is_an_error(refuse, monkeypatch):
    monkeypatch.setattr(Pool, "map", Mock(side_effect=BrokenProcessPool))
    assert refuse("qrels run run2 --jobs 3") == (
        "a process of --jobs has ended, maybe since the memory is too small. Pass a lower number."
    )


def test_one_process_reads_a_pipe(call, monkeypatch):
    monkeypatch.setattr(_numbers, "ProcessPoolExecutor", None)
    with standard_input("run"):
        assert call("qrels run - -m map --jobs 2")[0] == 0


@pytest.mark.long
def test_the_data_of_several_runs_are_not_kept(monkeypatch):
    write_runs("a", "b")
    made, n_kept = [], []

    def judged_items(data):
        gc.collect()
        n_kept.append(sum(each() is not None for each in made))
        judged = judged_items_of(data)
        made.append(weakref.ref(judged.labels))
        return judged

    judged_items_of = RankingData.judged_items
    monkeypatch.setattr(RankingData, "judged_items", judged_items)
    scored = _numbers.score_runs(_arguments.parse(["judged", "a", "b", "--ranks"]))
    assert n_kept == [0, 0]
    assert scored.run is None


def test_intervals_of_means(call):
    line = "qrels run -m map ndcg --confidence 0.9 --by-query --format json"
    records = records_of(call(line)[1])
    data = data_of()
    report = ranking_report(data.y_true, data.y_score, scores=["map", "ndcg"], k=None)
    expected = confidence_interval(report, confidence_level=0.9, method="t")
    assert records["run", None, "ndcg"]["low"] == expected.low[1]
    assert records["run", None, "map"]["high"] == expected.high[0]
    assert records["run", "301", "map"]["low"] is None
    assert list(records["run", "301", "map"])[3:7] == ["mean", "low", "high", "standard_error"]


def test_differences_that_are_all_equal_are_warned_of(call):
    Path("two").write_text("301 0 a 1\n302 0 a 1\n", encoding="utf-8")
    Path("one").write_text("301 Q0 a 1 1 tag\n302 Q0 a 1 1 tag\n", encoding="utf-8")
    behind = "".join(f"{query} Q0 b 1 2 tag\n{query} Q0 a 1 1 tag\n" for query in (301, 302))
    Path("other").write_text(behind, encoding="utf-8")
    status, output, errors = call("two one other -m map --compare")
    assert status == 0
    assert output.splitlines()[2].split()[-1] == "0.0000"
    assert errors == (
        "ranking-scores: warning: --compare: compare_all (other - one, map): all differences are "
        "equal, so the t test cannot estimate their spread. The permutation test does not need "
        "it.\n"
    )


def test_too_few_queries_to_compare(call):
    Path("one").write_text("301 0 a 1\n301 0 b 0\n", encoding="utf-8")
    Path("other").write_text("301 Q0 b 1 1 tag\n", encoding="utf-8")
    status, output, errors = call("one run other -m map --compare --confidence 0.9")
    assert (status, errors) == (0, "")
    assert output.splitlines()[2].split()[-4:] == ["-0.7500", "nan", "nan", "nan"]
    Path("third").write_text("301 Q0 a 1 1 tag\n", encoding="utf-8")
    records = records_of(call("qrels run third other -m map --compare --format json")[1])
    assert records["other", None, "map"]["difference_low"] is None  # of 3 queries, it is -inf
    assert call("qrels run third other -m map --compare")[1].splitlines()[-5:] == [
        "difference: p-values corrected by max-T; simultaneous 95 % intervals",
        "p-values: flips of signs, exact if the systems could change places on each query",
        "intervals: flips of centred differences, asymptotic",
        "3 queries cannot be significant by sign flips, which are exact: p is at least 0.25",
        "an infinite limit means that the queries are too few, or too much alike, to find one",
    ]
    csv_of = call("qrels run third other -m map --compare --format csv")[1].splitlines()
    assert csv_of[-1].split(",")[-3:-1] == ["-inf", "inf"]


# The files.


def test_tables_of_text(call):
    expected = call("qrels run -m map ndcg --format json")[1].replace('"run": "run"', "")
    line = "-m map ndcg --format json --label grade"
    for suffix, delimiter in ((".csv", ","), (".tsv", "\t"), (".CSV.gz", ",")):
        write = gzip.open if suffix.endswith("gz") else open
        for name, text in (("judged", JUDGED), ("found", FOUND)):
            with write(f"{name}{suffix}", "wt", encoding="utf-8-sig", newline="") as file:
                file.write(text.replace(",", delimiter).replace("\n", "\r\n") + "\r\n")
        status, output, _ = call(f"judged{suffix} found{suffix} {line}", *NAMES)
        assert status == 0
        assert output.replace(f'"run": "found{suffix}"', "") == expected


def test_a_table_beside_a_file_of_trec(call):
    expected = call("qrels run -m map ndcg --format csv")[1]
    for line in ("judged.csv run --label grade", "qrels found.csv"):
        output = call(f"{line} -m map ndcg --format csv", *NAMES)[1]
        assert output.replace("found.csv", "run") == expected


def test_a_run_that_is_the_file_of_the_judgments(call, refuse):
    same = "the run is the file of the judgments, with the same numbers. Pass the file of the run."
    Path("both.json").write_text('{"q": {"a": 1, "b": 0}}', encoding="utf-8")
    assert refuse("both.json both.json -m ndcg") == f"both.json: {same}"
    Path("both.csv").write_text("query,item,label,score\nq,a,1,.2\nq,b,0,.3\n", encoding="utf-8")
    assert call("both.csv both.csv -m ndcg")[0] == 0
    line = "both.csv both.csv -m ndcg --label score --score score"
    assert refuse(line) == f"both.csv: {same}"


@pytest.mark.parametrize("reader", [0, 10**9])
def test_blanks_after_commas_are_no_part_of_ids(call, refuse, monkeypatch, reader):
    monkeypatch.setattr(_files, "_PYARROW_BYTES", reader)
    text = "query, item, score\n301, a, .5\n301, b, .4\n"
    Path("blanks.csv").write_text(text, encoding="utf-8")
    assert refuse("qrels blanks.csv") == (
        "blanks.csv: the ids in the column ' item' begin with a blank, as its name does. Delete "
        "the blanks between the columns."
    )
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


@contextmanager
def standard_input(path):
    """Have a file as the standard input."""
    before = os.dup(0)
    with open(path, "rb") as file:
        os.dup2(file.fileno(), 0)
    try:
        yield
    finally:
        os.dup2(before, 0)
        os.close(before)


def test_the_standard_input(call, refuse):
    expected = call("qrels run -m map")[1]
    with standard_input("run"):
        assert call("qrels - -m map")[1] == expected.replace("\nrun", "\n-  ")
    Path("packed").write_bytes(gzip.compress(QRELS.encode()))
    with standard_input("packed"):
        assert call("- run -m map")[1] == expected
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


def write_parquet(name, **columns):
    """Write a Parquet file, or skip where nothing can."""
    pytest.importorskip("narwhals")
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.parquet").write_table(pyarrow.table(columns), name)


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
    assert call("judged.parquet run -m map --ids text")[1] == call("judged run -m map")[1]
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
    expected = "qrels with found.parquet: a {} id is empty. Drop such rows, or give them an id."
    write_parquet("found.parquet", query=["301", "301"], item=["a", ""], score=[1.0, 2.0])
    assert refuse("qrels found.parquet") == expected.format("item")
    write_parquet("found.parquet", query=["301", ""], item=["a", "a"], score=[1.0, 2.0])
    assert refuse("qrels found.parquet --queries all") == expected.format("query")


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


# What is wrong with the input.

WHOLE = "must be a whole number from 1 on."
HELP = "See ranking-scores --help."
SCORES_WITH_GAIN = [
    name for name, score in SCORES_BY_NAME.items() if "gain" in parameters_of(score)
]
NAMES_OF_SCORES = ", ".join(each for each in SCORES_BY_NAME if each not in _arguments.OF_ALL_ITEMS)
GAINS = (
    "--gain must be a table of gains that are finite and at least 0 for ndcg. Got -1.0 for the "
    "label 1 instead."
)
ORDER = "Did you swap two files? JUDGMENTS comes first, then each RUN."
KNOWN = "ranking-scores --help-columns lists the names that are known."
FILES = "pass a file of judgments and at least one run. "
SUFFIXES = (
    "is for CSV, TSV, Parquet and JSON files, which end in .csv, .tsv, .json, .jsonl (also with "
    ".gz) or .parquet. "
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
        (
            "judged.csv found.csv --score ''",
            "--score must be the name of a column. Got an empty name.",
        ),
        (
            "qrels found.csv --query ''",
            "--query must be the name of a column. Got an empty name.",
        ),
        ("qrels run --qeury user", f"unrecognized arguments: --qeury user. {HELP}"),
        ("qrels run --tie", f"unrecognized arguments: --tie. {HELP}"),
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
        ("qrels run --measures map", f"--measures is now called --scores. {HELP}"),
        ("--measures=map qrels run", f"--measures is now called --scores. {HELP}"),
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
        ("query,item,score\nq,a,1\n\nq,b\n", "bad.csv, line 4: 2 fields where the header has 3"),
        (
            'query,item,score\nq,a,1\n"q\n1",b,c,d\n',
            "bad.csv, line 4: 4 fields where the header has 3",
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
    assert refuse("bad.csv run --no-label") == "bad.csv, line 3: 1 field where the header has 2"
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


def test_the_content_says_whether_it_is_gzip(call):
    Path("plain.csv.gz").write_text(FOUND, encoding="utf-8")
    Path("packed.csv").write_bytes(gzip.compress(FOUND.encode()))
    for name in ("plain.csv.gz", "packed.csv"):
        assert call(f"qrels {name}", *NAMES)[1].splitlines()[1].startswith(f"{name}  ndcg@10  ")


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
    notes = record.get("notes", [])
    by_tabs = ["gold.csv: the columns are separated by tabs"] * (suffix == ".csv")
    assert notes[:1] == by_tabs


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
    monkeypatch.setattr(_files, "_PYARROW_BYTES", worth)
    Path("gold.tsv").write_text(QUOTED.format(field), encoding="utf-8")
    Path("found.json").write_text(json.dumps({"q1": ["b", item], "q2": []}), encoding="utf-8")
    status, output, _ = call("gold.tsv found.json -m mrr --format json")
    assert (status, json.loads(output)[0]["mean"]) == (0, 0.25)


@pytest.mark.parametrize(
    ("field", "error"),
    [
        ('"a\nb"', "bad.tsv, line 2: 2 fields where the header has 3. Line breaks and tabs end"),
        ('"a\tb"', "bad.tsv, line 2: 4 fields where the header has 3. Line breaks and tabs end"),
        ("a\tb", "bad.tsv, line 2: 4 fields where the header has 3"),
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
        (JUDGED, "gold.tsv", ["the columns are separated by commas"]),
        ("a;b;c;d," + JUDGED.replace("\n", "\n-,").removesuffix("-,"), "gold.csv", []),
    ],
)
def test_the_header_shows_what_separates_the_columns(call, monkeypatch, judged, path, note, worth):
    monkeypatch.setattr(_files, "_PYARROW_BYTES", worth)
    Path(path).write_text(judged, encoding="utf-8")
    expected = json.loads(
        call(f"judged.csv run {shlex.join(NAMES)} --label grade --format json")[1]
    )
    line = f"{path} run {shlex.join(NAMES)} --label grade"
    records = json.loads(call(f"{line} --format json")[1])
    of_run = [each for each in expected[0].get("notes", []) if "judged.csv" not in each]
    assert [record["mean"] for record in records] == [record["mean"] for record in expected]
    notes = [each for each in records[0].get("notes", []) if each not in of_run]
    assert notes[: len(note)] == [f"{path}: {each}" for each in note]


def test_a_table_without_its_columns_lists_those_by_the_best_separator(refuse):
    Path("wrong.csv").write_text("a;b;c\n1;2;3\n", encoding="utf-8")
    assert "among 'a', 'b', 'c'." in refuse("wrong.csv run")


def read_plain(content, name="long.csv", *, delimiter=",", kind="score"):
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    table = _files.FileTable(name, "user", "item", kind, kind)
    return table, _files._read_plain_text(table, delimiter)


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
    found, by_python = found.columns, _files._read_text(table, delimiter).columns
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
    monkeypatch.setattr(_files, "_PYARROW_BYTES", size + spare)
    monkeypatch.setattr(_files, "_read_plain_text", lambda table, _: read.append(table.path))
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
    monkeypatch.setattr(_files, "_PYARROW_BYTES", 1)
    assert call(line) == expected


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


def test_a_file_that_may_not_be_read(refuse, monkeypatch):
    def denied(path, kind):
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(_files, "read_packed", denied)
    assert refuse("qrels run") == "qrels: Permission denied"


def test_an_error_of_no_file_names_it(refuse, monkeypatch):
    def fail(path, kind):
        raise OSError("the disk is gone")

    monkeypatch.setattr(_files, "read_packed", fail)
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


def test_what_the_join_refuses_in_files_of_trec(refuse):
    Path("twice").write_text("301 Q0 a 1 2 x\n301 Q0 a 2 1 x\n", encoding="utf-8")
    assert refuse("qrels twice") == (
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
    assert output == call("qrels run")[1]
    assert call(f"spam.csv run {names} -m map")[0] == 0
    for threshold in ("-3", "0"):
        assert refuse(f"spam.csv run {names} --relevance-threshold {threshold}") == (
            "--relevance-threshold must be above 0, since otherwise items without a judgment "
            f"would be relevant. Got {threshold}."
        )


# Files of TREC and MS MARCO as they are.


def test_labels_below_0_in_files_of_trec(call):
    Path("spam").write_text(QRELS + "302 0 x -2\n304 0 a -1\n", encoding="utf-8")
    Path("clean").write_text(QRELS + "302 0 x 0\n304 0 a 0\n", encoding="utf-8")
    note = "spam: 2 labels below 0 count as 0: judged, and not relevant\n\n"
    for options in ("", "-m ndcg dcg map bpref", "--relevance-threshold 1", "--by-query"):
        status, output, errors = call(f"spam run {options}")
        assert (status, errors) == (0, "")
        assert output == note + call(f"clean run {options}")[1]


def test_the_label_minus_1_is_unjudged_if_these_are_asked_about(call):
    Path("some").write_text(QRELS + "301 0 x -1\n302 0 x -2\n304 0 a -1\n", encoding="utf-8")
    Path("clean").write_text(QRELS + "302 0 x 0\n304 0 none 0\n", encoding="utf-8")
    output = call("some run --unjudged -m ndcg@3 bpref judged@2")[1]
    notes = "some: 2 labels -1 count as not judged\nsome: 1 label below 0 counts as 0: "
    expected = call("clean run --unjudged -m ndcg@3 bpref judged@2")[1]
    assert output == f"{notes}judged, and not relevant\n\n{expected}"
    assert "4 queries" in output  # 304 is one, although it has no judgment left
    one = QRELS + "301 0 x -1\n"
    Path("some").write_text(one, encoding="utf-8")
    assert call("some run --unjudged")[1].startswith("some: 1 label -1 counts as not judged\n\n")
    assert call("qrels run --unjudged")[1].startswith("run ")


def test_comments_and_ranks_that_contradict_scores_are_said(call):
    expected = call("qrels run")[1]
    Path("judged").write_text("# of 2026\n" + QRELS, encoding="utf-8")
    Path("turned").write_text(RUN.replace(" a 1 7.5", " a 9 7.6"), encoding="utf-8")
    Path("run").write_text("#\n#\n" + RUN, encoding="utf-8")
    output = call("judged run")[1]
    comments = "judged: 1 line that begins with # is skipped\n"
    assert output == f"{comments}run: 2 lines that begin with # are skipped\n\n{expected}"
    output = call("judged turned")[1]
    turned = "turned: the ranks contradict the scores in 1 of 3 queries; the scores count"
    assert output.startswith(f"{comments}{turned}\n\n")
    [record, *_] = json.loads(call("judged turned --format json")[1])
    assert record["notes"] == (comments + turned).splitlines()


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
    assert notes == f"pairs{suffix}: {OF_PAIRS}\nranks{suffix}: {OF_RANKS}"
    assert "0.3750" in table
    notes, same = call(f"fours{suffix} ranks{suffix} -m mrr@10")[1].split("\n\n", 1)
    assert notes == f"ranks{suffix}: {OF_RANKS}"
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
    assert output.startswith("run ")


def test_what_is_no_file_is_not_looked_into():
    assert not _files._lacks_header(".")  # a pipe could not be read again


def test_what_cannot_be_compared(refuse):
    assert refuse("qrels run --compare") == "--compare needs at least two runs"
    assert refuse("qrels run --ranks") == "--ranks needs at least two runs"
    message = (
        "--confidence must be at most 0.9998 to compare more than two runs. Got 0.9999 instead."
    )
    assert refuse("qrels run other third --compare --confidence 0.9999") == message
    assert refuse("qrels run other --ranks --confidence 0.9999") == (
        "--confidence must be at most 0.9998 for --ranks. Got 0.9999 instead."
    )
    assert refuse("qrels run other --compare --by-query") == (
        "--compare has no results per query. Leave out --by-query."
    )
    Path("other").write_text("302 Q0 a 1 1 tag\n", encoding="utf-8")
    assert refuse("qrels run other --compare --queries both") == (
        "other and run have different queries and cannot be compared. Use --queries judged."
    )
    for level in ("95", "1", "0", "-0.5"):
        assert refuse(f"qrels run --confidence={level}") == (
            "argument --confidence: must be a number between 0 and 1, such as 0.95. Got "
            f"'{level}'. See ranking-scores --help."
        )


# The terminal and the pipe.


class Terminal(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self):
        return True


def test_long_reads_are_announced_on_a_terminal(call, monkeypatch):
    monkeypatch.setattr(_files, "_ANNOUNCED_BYTES", 100)
    assert call("qrels run")[2] == ""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    call("qrels run")
    message = "reading run, 0 MB ..."
    assert terminal.getvalue() == f"{message}\r{' ' * len(message)}\r"
    assert call("qrels run")[0] == 0


def test_short_reads_are_not(call, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    call("qrels run")
    assert terminal.getvalue() == ""


def test_what_the_output_cannot_encode(monkeypatch, capsys):
    Path("lauf-ä").write_text(RUN, encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    assert main(["qrels", "lauf-ä"]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith("ranking-scores: error: 'ascii' codec can't encode character '\\xe4'")
    assert line.endswith("PYTHONIOENCODING=utf-8:surrogateescape.")


def test_a_closed_pipe_ends_it_quietly_in_the_same_process(monkeypatch, capsys):
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as closed:
        monkeypatch.setattr(sys, "stdout", closed)
        for argv in (["qrels", "run"], ["--help"]):
            assert main(argv) == 0
    assert capsys.readouterr().err == ""


class Full(io.StringIO):
    """A stream to a file on a full disk."""

    def __init__(self, file):
        super().__init__()
        self.fileno = file.fileno

    def flush(self):
        raise OSError(28, "No space left on device")


def test_a_full_disk_in_the_same_process(call, monkeypatch):
    with open("full", "wb") as file, monkeypatch.context() as patch:
        patch.setattr(sys, "stdout", Full(file))
        status, _, errors = call("qrels run")
    reason = "No space left on device"
    assert errors == f"ranking-scores: error: the output cannot be written: {reason}\n"
    assert status == 2
    with open("full", "wb") as file, monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", Full(file))
        assert call("qrels none")[:2] == (2, "")


def test_streams_that_are_closed_in_the_same_process(call, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", None)
        assert call("qrels none") == (2, "", "")
        patch.setattr(_files, "_ANNOUNCED_BYTES", 1)
        assert call("qrels run")[0] == 0
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdin", None)
        expected = "ranking-scores: error: -: the standard input is closed\n"
        assert call("qrels -") == (2, "", expected)
    monkeypatch.setattr(sys, "stdout", None)
    assert call("--help") == (2, "", "ranking-scores: error: the standard output is closed\n")


def test_an_interrupt_ends_it_quietly(call, monkeypatch):
    def interrupt(path, kind):
        raise KeyboardInterrupt

    monkeypatch.setattr(_files, "read_packed", interrupt)
    assert call("qrels run") == (130, "", "")


COMMAND = [sys.executable, "-m", "ranking_scores"]
ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join([str(PACKAGE.parent), *sys.path])}


# Each of these starts the command anew. What they prove is also proven above, in this process.


def start(*argv, **options):
    command = [*COMMAND, *argv]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT, **options)


def run_in_shell(line):
    """Return the status and the output of a command line with redirections."""
    command = f"{shlex.join(COMMAND)} {line}"
    process = subprocess.run(
        command, shell=True, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True, check=False
    )
    return process.returncode, process.stdout


@pytest.mark.slow
def test_a_pipe_that_is_closed_early():
    read, write = os.pipe()
    os.close(read)
    try:
        process = start("qrels", "run", stdout=write)
        assert process.communicate()[1] == ""
        assert process.returncode == 0
    finally:
        os.close(write)


NEEDS_FULL = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")


@pytest.mark.slow
@NEEDS_FULL
def test_output_that_cannot_be_written():
    reason = "No space left on device"
    expected = f"ranking-scores: error: the output cannot be written: {reason}\n"
    for line in ("qrels run", "--help", "--version"):
        assert run_in_shell(f"{line} 2>&1 >/dev/full") == (2, expected)


@pytest.mark.slow
@NEEDS_FULL
def test_errors_that_cannot_be_written():
    assert run_in_shell("none none 2>/dev/full") == (2, "")


@pytest.mark.slow
def test_streams_that_are_closed():
    status, errors = run_in_shell("qrels - 2>&1 <&-")
    assert (status, errors) == (2, "ranking-scores: error: -: the standard input is closed\n")
    for line in ("qrels run", "--help"):
        expected = "ranking-scores: error: the standard output is closed\n"
        assert run_in_shell(f"{line} 2>&1 >&-") == (2, expected)


@pytest.mark.slow
def test_a_closed_stderr():
    command = f"{shlex.quote(sys.executable)} -c 'import sklearn' 2>&-"
    if subprocess.run(command, shell=True, check=False).returncode:
        pytest.skip("this version of NumPy cannot be imported without stderr")
    status, output = run_in_shell("qrels run -m map <&- 2>&-")
    assert (status, output[:16]) == (0, "run  score    me")
    assert run_in_shell("qrels none 2>&-") == (2, "")


def test_the_status_of_the_process():
    process = start("qrels", "none", stdout=subprocess.PIPE)
    output, errors = process.communicate()
    assert (process.returncode, output) == (2, "")
    assert errors == "ranking-scores: error: none: No such file or directory\n"


def test_the_package_can_be_run(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["ranking-scores", "qrels", "run", "-m", "map"])
    monkeypatch.delitem(sys.modules, "ranking_scores.__main__")
    with pytest.raises(SystemExit) as stop:
        runpy.run_module("ranking_scores", run_name="__main__", alter_sys=False)
    assert stop.value.code == 0
    assert "run  map    0.4583" in capsys.readouterr().out


def test_the_console_script_is_this():
    assert project()["scripts"] == {"ranking-scores": "ranking_scores.__main__:main"}


# The page in the guide.


def sessions_of(page):
    """Yield the commands on a page, each with what it prints there."""
    blocks = re.findall(r"code-block:: console\n\n((?: {4}.*\n|\n)+)", page)
    for block in blocks:
        lines = "".join(line.removeprefix("    ") for line in block.splitlines(keepends=True))
        for session in re.split(r"^\$ ", lines, flags=re.MULTILINE)[1:]:
            command, _, output = session.replace("\\\n", "").partition("\n")
            yield shlex.split(command), output.rstrip("\n")


@pytest.mark.parametrize(
    ("name", "least"), [("command_line", 10), ("your_files", 1), ("agreement", 1)]
)
def test_the_pages_of_the_guide_show_what_is_printed(name, least, capsys):
    n_calls = 0
    page = (ROOT / "doc" / f"{name}.rst").read_text(encoding="utf-8")
    for (command, *argv), expected in sessions_of(page):
        path = os.devnull
        if "<" in argv:
            *argv, _, path = argv
        if command == "cat":
            Path(argv[0]).write_text(f"{expected}\n", encoding="utf-8")
            continue
        assert command == "ranking-scores"
        with standard_input(path):
            main(argv)
        output, errors = capsys.readouterr()
        assert (output + errors).rstrip("\n") == expected
        n_calls += 1
    assert n_calls >= least


def test_a_list_of_gains_is_for_the_labels_that_are_there(call, refuse):
    Path("zeros").write_text("301 0 a 0\n301 0 b 0\n", encoding="utf-8")
    status, output, errors = call("zeros run -m ndcg --gain 5 --format json --queries both")
    assert (status, errors) == (0, "")
    data = data_of("zeros", queries="both")
    [record] = json.loads(output)
    assert record["mean"] == ranking_report(data, scores="ndcg", k=None, gain=[5.0])["ndcg"] > 0
    assert "has no gain" in refuse("qrels run -m ndcg --gain 5")


# --- files of JSON, passages and groups of queries --------------------------------------------

RECORDS = [
    {
        "query": "q1",
        "relevant": ["guide"],
        "retrieved": ["faq#2", {"id": "guide#1"}, "faq#1"],
        "bm25": [["guide", 0.3], ["x", 0.3]],
        "kind": {"name": "faq"},
        "lang": "de",
    },
    {"query": "q10", "relevant": [], "retrieved": None, "bm25": [], "kind": {"name": "how to"}},
    {
        "query": "q2",
        "relevant": ["a", "b"],
        "retrieved": ["b#1", "a"],
        "bm25": [["a", 2]],
        "kind": {"name": "how to"},
    },
]
LISTS = {name: {each["query"]: each[name] for each in RECORDS} for name in ("relevant", "bm25")}
FOUND_IN_LISTS = {each["query"]: each["retrieved"] for each in RECORDS}
KINDS = {each["query"]: each["kind"]["name"] for each in RECORDS}


@pytest.fixture
def _json_files():
    lines = "\n".join(map(json.dumps, RECORDS))
    Path("gold.jsonl").write_text(lines, encoding="utf-8")
    Path("gold.json").write_text(json.dumps(RECORDS), encoding="utf-8")
    with gzip.open("gold.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(lines)
    Path("run.json").write_text(json.dumps(LISTS["bm25"]), encoding="utf-8")
    Path("kinds.csv").write_text(
        "query,kind,lang\nq77,x,fi\n" + "".join(f"{each},{KINDS[each]},de\n" for each in KINDS),
        encoding="utf-8",
    )
    rows = [
        {"query": each["query"], "doc": {"id": item}, "label": 1, "kind": each["kind"]["name"]}
        for each in RECORDS
        for item in each["relevant"]
    ]
    Path("rows.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


def means_in(output):
    return {
        (each["run"], each.get("group"), each["score"]): each["mean"]
        for each in json.loads(output)
    }


@pytest.mark.usefixtures("_json_files")
@pytest.mark.parametrize("path", ["gold.jsonl", "gold.json", "gold.jsonl.gz"])
@pytest.mark.parametrize("duplicates", ["best", "hold"])
def test_one_file_of_json_has_gold_sets_and_results(call, path, duplicates):
    data = from_lists(LISTS["relevant"], FOUND_IN_LISTS, split="#", duplicates=duplicates)
    report = ranking_report(data, scores=["recall@2", "mrr"], k=None, by={"kind.name": KINDS})
    line = f"{path} --split # --duplicates {duplicates} -m Recall@2 RR --by kind.name"
    status, output, errors = call(f"{line} --format json")
    assert (status, errors) == (0, "")
    expected = {("retrieved", None, name): mean for name, mean in report.mean.items()}
    for group, of_group in report.by_group["kind.name"].items():
        expected |= {("retrieved", group, name): mean for name, mean in of_group.mean.items()}
    assert means_in(output) == expected
    [record, *_] = [each for each in json.loads(output) if each["group"] == "how to"]
    of_group = report.by_group["kind.name"]["how to"]
    assert record["standard_error"] == of_group.standard_error["recall@2"]
    assert (record["n_queries"], record["grouping"]) == (2, "kind.name")
    _, text, _ = call(line)
    assert "\nkind.name how to, 2 queries\nrun " in text
    _, text, _ = call(f"{line} --format markdown")
    assert "**`kind.name faq`, 1 query**\n\n| run |" in text
    _, text, _ = call(f"{line} --format csv")
    assert text.splitlines()[3].startswith("retrieved,kind.name,faq,recall@2,1,")


@pytest.mark.usefixtures("_json_files")
def test_several_lists_of_json_are_several_runs(call):
    data = from_lists(LISTS["relevant"], LISTS["bm25"])
    own = ranking_report(data, scores="map", k=None)["map"]
    for line in (
        "gold.json --retrieved retrieved,bm25",
        "gold.json gold.jsonl --retrieved retrieved bm25",
        "gold.json gold.jsonl.gz gold.jsonl --retrieved retrieved bm25",
    ):
        means = means_in(call(f"{line} -m map --duplicates best --split @ --format json")[1])
        names = list(dict.fromkeys(run for run, *_ in means))
        assert len(names) == 2 * max(line.count("gold") - 1, 1)
        assert names[1] in ("bm25", "gold.jsonl:bm25", "gold.jsonl.gz:bm25")
        assert means[names[1], None, "map"] == own
    with_run = means_in(call("gold.json run.json -m map --format json")[1])
    assert with_run == {("run.json", None, "map"): own}
    _, output, _ = call("rows.jsonl run.json --item doc.id -m map --no-label --format json")
    of_rows = from_lists({q: r for q, r in LISTS["relevant"].items() if r}, LISTS["bm25"])
    expected = ranking_report(of_rows, scores="map", k=None)["map"]
    assert means_in(output) == {("run.json", None, "map"): expected}


@pytest.mark.usefixtures("_json_files")
def test_groups_of_queries_come_from_the_judgments_or_from_a_table(call):
    expected = call("gold.json --retrieved bm25 -m map --by kind.name --format json")[1]
    expected = json.loads(expected.replace('"kind.name"', '"kind"'))
    line = "gold.json --retrieved bm25 -m map --format json --by kind --query-table"
    assert json.loads(call(f"{line} kinds.csv")[1]) == expected
    two = json.loads(call(f"{line} kinds.csv --by lang")[1])
    assert two[:3] == expected
    assert (two[3]["grouping"], two[3]["group"], two[3]["n_queries"]) == ("lang", "de", 3)
    rows = json.loads(call("rows.jsonl run.json --item doc.id -m map --by kind --format json")[1])
    assert [each["group"] for each in rows] == [None, "faq", "how to"]
    write_parquet("kinds.parquet", query=[*KINDS], kind=[*KINDS.values()])
    assert json.loads(call(f"{line} kinds.parquet")[1]) == expected
    ties = json.loads(
        call("gold.json --retrieved bm25 -m mrr --by kind.name --ties --format json")[1]
    )
    faq = next(each for each in ties if each["group"] == "faq")
    assert (faq["worst"], faq["mean"], faq["best"], faq["as_ordered"]) == (0.5, 0.75, 1, 0.5)


GOLD = [
    {"question_id": f"q{number}", "relevant": [f"d{number}"], "lang": "de" if number else "en"}
    for number in range(3)
]
"""The query of each record is in a field whose name is not known."""
FOUND_BY_QUESTION = [
    {"question_id": "q2", "retrieved": ["d2", "x"], "old": ["x", "d2"]},
    {"question_id": "q0", "retrieved": ["x", "d0"], "old": ["d0"]},
    {"question_id": "q1", "retrieved": ["x", "y", "d1"], "old": ["d1"]},
]
MRR_OF_FOUND = (1 + 1 / 2 + 1 / 3) / 3


@pytest.fixture
def _by_question():
    for name, records in {
        "gold.jsonl": GOLD,
        "found.jsonl": FOUND_BY_QUESTION,
        "fewer.jsonl": FOUND_BY_QUESTION[1:],
        "ordered.jsonl": sorted(FOUND_BY_QUESTION, key=lambda each: each["question_id"]),
        "both.jsonl": [
            {key: record[key] for record in pair for key in record if key != "question_id"}
            for pair in zip(GOLD, [*FOUND_BY_QUESTION[1:], FOUND_BY_QUESTION[0]], strict=True)
        ],
        "langs.jsonl": [{"question_id": each["question_id"], "tongue": "de"} for each in GOLD],
        "ids.jsonl": [{"qid": each["question_id"], "tongue": "de"} for each in GOLD],
    }.items():
        Path(name).write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    Path("found.run").write_text("q0 Q0 d0 1 1 t\n", encoding="utf-8")
    Path("found.json").write_text(json.dumps({"q0": ["d0"]}), encoding="utf-8")


@pytest.mark.usefixtures("_by_question")
@pytest.mark.parametrize(
    ("line", "mean"),
    [
        ("gold.jsonl found.jsonl --query question_id", MRR_OF_FOUND),
        ("gold.jsonl ordered.jsonl --query none", MRR_OF_FOUND),
        ("both.jsonl", MRR_OF_FOUND),
        ("both.jsonl --query none", MRR_OF_FOUND),
        ("both.jsonl both.jsonl --retrieved old", 5 / 6),
        ("both.jsonl --by lang", MRR_OF_FOUND),
        ("both.jsonl --query none --by tongue --query-table langs.jsonl", MRR_OF_FOUND),
    ],
)
def test_records_are_joined_by_the_field_of_the_query(call, line, mean):
    status, output, errors = call(f"{line} -m mrr --format json")
    assert (status, json.loads(output)[0]["mean"]) == (0, pytest.approx(mean, abs=1e-15))
    assert errors == ""


@pytest.mark.usefixtures("_by_question")
@pytest.mark.parametrize(
    ("line", "path", "error"),
    [
        ("gold.jsonl found.jsonl", "gold.jsonl", "no record has 'query', the id of its query,"),
        ("gold.jsonl found.run", "gold.jsonl", "no record has 'query', the id of its query,"),
        ("found.json found.jsonl --relevant x", "found.jsonl", "no record has 'query'"),
        (
            "both.jsonl --retrieved retrieved --baseline found.jsonl:old",
            "both.jsonl",
            "no record has 'query', the id of its query,",
        ),
        ("both.jsonl --by tongue --query-table langs.jsonl", "both.jsonl", "no record has"),
        ("both.jsonl --by tongue --query-table ids.jsonl", "both.jsonl", "no record has 'query'"),
        (
            "gold.jsonl found.jsonl --query question-id",
            "gold.jsonl",
            "no record has the field 'question-id' among 'question_id', 'relevant', 'lang'. Name",
        ),
        (
            "both.jsonl --query id --by tongue --query-table ids.jsonl",
            "both.jsonl",
            "no record has the field 'id' among 'relevant', 'lang', 'retrieved', 'old'. Name",
        ),
        (
            "gold.jsonl fewer.jsonl --query none",
            "--query none is for files with equally many records",
            "gold.jsonl and fewer.jsonl have 3 and 2",
        ),
        (
            "gold.jsonl found.json --query none",
            "--query none numbers the records of JSON files",
            "found.json has ids of queries",
        ),
    ],
)
def test_places_of_two_files_are_no_ids(refuse, line, path, error):
    message = refuse(f"{line} -m mrr")
    assert message.startswith(path)
    assert error in message


@pytest.fixture
def _types():
    """Queries 1 and 2 find their items 10 and 20 in the second and in the first place."""
    for name, content in {
        "records.json": [{"query": 1, "relevant": [10]}, {"query": 2, "relevant": [20.0]}],
        "graded.json": [
            {"query": number, "relevant": [{"id": 10 * number, "grade": "1"}], "lang": "en"}
            for number in (1, 2)
        ],
        "rows.json": [
            {"query": number, "item": 10 * number, "label": "1", "lang": "en"} for number in (1, 2)
        ],
        "labels.json": {"1": {"10": "1"}, "2": {"20": "1", "30": "0"}},
        "ids.json": {"1": [7, 10], "2": [20]},
        "langs.json": [{"query": number, "lang": "en"} for number in (1, 2)],
    }.items():
        Path(name).write_text(json.dumps(content), encoding="utf-8")
    Path("found").write_text("1 Q0 7 1 2 t\n1 Q0 10 2 1 t\n2 Q0 20 1 1 t\n", encoding="utf-8")
    Path("found.csv").write_text("query,item,rank\n1,7,1\n1,10,2\n2,20,1\n", encoding="utf-8")
    Path("gold").write_text("1 0 10 1\n2 0 20 1\n", encoding="utf-8")


@pytest.mark.usefixtures("_types")
@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("records.json found", "--ids text"),
        ("records.json found.csv", "--ids text"),
        ("graded.json found", "--ids text"),
        ("rows.json found", "--ids text"),
        ("labels.json found", "--labels number"),
        ("labels.json ids.json", "--ids text"),
        ("gold ids.json", "--ids text"),
    ],
)
def test_ids_and_labels_of_another_type_are_read_by_options(call, refuse, line, advice):
    assert advice in refuse(f"{line} -m mrr")
    options = "--ids text --labels number" if line.split()[0] != "gold" else "--ids text"
    for more in ("", " -m mrr --by lang --query-table langs.json"):
        status, output, _ = call(f"{line} -m mrr {options} --format json{more}")
        assert (status, {each["mean"] for each in json.loads(output)}) == (0, {0.75})


@pytest.mark.usefixtures("_types")
def test_groups_of_judgments_have_ids_of_text(call):
    for path in ("graded.json", "rows.json"):
        line = f"{path} found -m mrr --ids text --labels number --by lang --format json"
        assert [each["group"] for each in json.loads(call(line)[1])] == [None, "en"]


@pytest.mark.usefixtures("_types")
def test_columns_of_parquet_have_types_too(call, refuse):
    write_parquet("gold.parquet", query=[1, 2], item=[10, 20], label=["1", "1"])
    assert "or pass --ids text" in refuse("gold.parquet found")
    assert "--labels number" in refuse("gold.parquet found --ids text")
    for found in ("found", "found.csv", "ids.json"):
        line = f"gold.parquet {found} -m mrr --ids text --labels number --format json"
        assert json.loads(call(line)[1])[0]["mean"] == 0.75


@pytest.mark.usefixtures("_types")
def test_scores_that_are_text_have_no_option(refuse):
    error = refuse("gold labels.json -m mrr")
    assert (
        error
        == "labels.json must be lists that have bools, ints or floats. Got dtype <U1 instead."
    )


@pytest.mark.usefixtures("_types")
@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("twice.json found --ids text", "twice.json: query '1' is there as text and as a number"),
        ("gold found --ids text", "--ids is for files of JSON and Parquet. In all others, ids"),
        ("gold ids.json --labels number", "--labels is for files of JSON and Parquet."),
        ("graded.json found --ids text", "With --labels number, text is read as numbers."),
        ("words.json found --labels number", "has bools, ints or floats. Got dtype <U"),
        ("found.json --score points", "must be records with 'points'. Got ids alone, such as 'x'"),
        ("found.json --label grade", "must be records with 'grade'. Got ids alone, such as 'a'"),
        ("half.json found --ids text", "Ids of different kinds are never equal"),
    ],
)
def test_types_that_do_not_fit(refuse, line, error):
    records = [{"query": each, "relevant": ["10"]} for each in ("1", 1)]
    Path("twice.json").write_text(json.dumps(records), encoding="utf-8")
    both = {"query": "q", "relevant": ["a"], "retrieved": ["x", "a"]}
    Path("found.json").write_text(json.dumps([both]), encoding="utf-8")
    rows = [{"query": "1", "item": "1", "label": each} for each in ("1", 1, "1_0", "inf", "good")]
    Path("words.json").write_text(json.dumps(rows), encoding="utf-8")
    Path("half.json").write_text(json.dumps({"1": [0.5]}), encoding="utf-8")
    assert error in refuse(f"{line} -m mrr")


@pytest.mark.usefixtures("_json_files")
@pytest.mark.parametrize(
    ("line", "error"),
    [
        (
            "gold.json --split #",
            "'retrieved' in gold.json must be lists that have each item only once",
        ),
        ("gold.json --by lang --retrieved bm25", "gold.json: query 'q10' has no group in 'lang'"),
        ("gold.json --by size --retrieved bm25", "no record has the field 'size' among"),
        ("gold.json --retrieved dense", "no record has the field 'dense' among"),
        ("gold.json --relevant right", "no record has the field 'right' among"),
        ("gold.json run.json --rank place", "--rank is for files with one row per item"),
        ("run.json --by kind", "it has no field 'kind', since it is a dict by query"),
        ("qrels run --by kind", "--by is for CSV, TSV, Parquet and JSON files"),
        ("gold.json --by kind --query-table run", "--by is for CSV"),
        ("gold.json --query-table kinds.csv", "--query-table has the groups of --by"),
        ("gold.json --by kind.name --by-query", "--by has no results per query"),
        ("gold.json --retrieved bm25 lang --by kind --compare", "--compare compares all queries"),
        ("gold.json --retrieved bm25 lang --by kind --ranks", "--ranks compares all queries"),
        ("gold.json --split ''", "--split must be a text. Got an empty one."),
        (
            "grades.json --label stars",
            "must be records with 'stars'. Got records with 'id', 'label'",
        ),
        ("grades.json --score points", "must be records with 'points'. Got records with 'id'"),
        (
            "gold.json --retrieved bm25 --by kind --query-table others.csv",
            "group in 'kind': others.csv has '7' and others, and the runs have 'q1' and others",
        ),
        ("qrels run --retrieved bm25", "--retrieved is for"),
        ("qrels", "pass a file of judgments and at least one run"),
        ("bad.jsonl", "in line 2 of bad.jsonl"),
        ("latin.json", "must be a file in UTF-8"),
        ("cut.json.gz", "must be a complete gzip file"),
        (
            "gold.json --retrieved bm25 --by kind --query-table kinds2.csv",
            "has groups 'a' and 'b' in",
        ),
        ("ids.jsonl", "in line 2 of ids.jsonl"),
        ("gold.json run.json --duplicates worst", "--duplicates"),
    ],
)
def test_what_is_wrong_with_files_of_json_and_groups(refuse, line, error):
    Path("bad.jsonl").write_text(json.dumps(RECORDS[1]) + '\n{"query": 1,}', encoding="utf-8")
    graded = {"relevant": [{"id": "a", "label": 2}], "retrieved": [{"id": "a"}]}
    Path("grades.json").write_text(json.dumps([graded]), encoding="utf-8")
    Path("others.csv").write_text("query,kind\n7,a\n", encoding="utf-8")
    Path("latin.json").write_text('{"é": []}', encoding="latin-1")
    Path("cut.json.gz").write_bytes(gzip.compress(b'{"q": []}')[:-4])
    Path("kinds2.csv").write_text("query,kind\nq1,a\nq1,b\n", encoding="utf-8")
    Path("ids.jsonl").write_text(f"{json.dumps(RECORDS[0])}\n" * 2, encoding="utf-8")
    assert error in refuse(line)
