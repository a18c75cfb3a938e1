"""The command line: what it prints of a run, in which format, and where its output goes."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from command_data import FORMS, QRELS, RUN, below_forms, data_of, records_of, standard_input
from project.test_project import project

import ranking_scores
from ranking_scores import ranking_report
from ranking_scores.__main__ import main
from ranking_scores._command import _arguments, _files
from ranking_scores._files import _trec_files
from ranking_scores._metrics._named import METRICS, SCORES as SCORES_BY_NAME
from ranking_scores.ties import tie_report

pytestmark = pytest.mark.usefixtures("folder")


ROOT = Path(__file__).parents[2]
PACKAGE = Path(ranking_scores.__file__).parent
DATA = ROOT / "tests" / "data" / "trec"
SCORES = ["ndcg@10", "map", "mrr@10", "precision@10", "recall@100", "hit_rate@10"]


def without_nan(value):
    return None if np.isnan(value) else value


# What it prints.


def test_a_table_of_a_run(call):
    status, output, errors = call("qrels run")
    assert (status, errors) == (0, "")
    assert (
        output
        == f"""\
{FORMS}

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
ties matter most to mrr@10: lowest 0.5000, expected 0.5833, highest 0.6667
"""
    )


def test_the_numbers_are_those_of_the_report_to_the_last_bit(call):
    data = data_of()
    report = ranking_report(data.y_true, data.y_score, scores=SCORES, k=None)
    records = json.loads(call("qrels run --format json")[1])
    assert [list(record) for record in records] == 6 * [
        ["run", "score", "mean", "standard_error", "n_undefined", "notes"]
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
qrels: TREC's judgments; run, other.run: TREC's run

run        score     mean  standard error  undefined
run        map     0.4583          0.2917          1
other.run  map     0.1667          0.1667          1
run        ndcg@1  0.4167          0.3005          1
other.run  ndcg@1  0.3333          0.3333          1

3 queries
run: 1 query was predicted but not judged, and is left out: '304'
run: 1 query was judged but not predicted, and counts 0: '303'
run: ties matter most to ndcg@1: lowest 0.3333, expected 0.4167, highest 0.5000
other.run: 2 queries were judged but not predicted, and count 0: '302', '303'
other.run: all items at ranks that count are relevant
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
        == f"""\
{FORMS}

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
        assert list(record) == [
            *("run", "query", "score", "mean", "standard_error", "n_undefined", "notes")
        ]
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
        == f"""\
{FORMS}

run  query        score    mean  standard error  undefined
run  301          mrr@2  0.7500             nan          0
run  302          mrr@2  1.0000             nan          0
run  303          mrr@2  0.0000             nan          1
run  all queries  mrr@2  0.5833          0.3005          1

3 queries
1 query was predicted but not judged, and is left out: '304'
1 query was judged but not predicted, and counts 0: '303'
ties matter most to mrr@2: lowest 0.5000, expected 0.5833, highest 0.6667
"""
    )


def test_a_query_may_be_called_all(call):
    for name in ("qrels", "run"):
        Path(name).write_text(Path(name).read_text().replace("301", "all"), encoding="utf-8")
    line = "qrels run -m mrr@2 --by-query --format"
    rows = below_forms(call(f"{line} table")[1]).splitlines()[1:5]
    queries = [row.split("  ")[1].strip() for row in rows]
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
    numbers["notes"] = [
        "qrels: TREC's judgments; found: TREC's run",
        "1 query was judged but not predicted, and counts 0: '303'",
    ]
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
qrels: TREC's judgments; a\\|b.run: TREC's run

| run | score | mean | standard error | undefined |
| --- | --- | ---: | ---: | ---: |
| `a\\|b.run` | `map` | 0.4583 | 0.2917 | 1 |

3 queries

1 query was predicted but not judged, and is left out: '304'

1 query was judged but not predicted, and counts 0: '303'

ties matter most to map: lowest 0.4167, expected 0.4583, highest 0.5000
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
    assert text.startswith("qrels: TREC's judgments; a&amp;&lt;b&gt;.csv: CSV: qid, ")


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
    assert below_forms(output).splitlines()[1].startswith(r"found.csv  two\nlines   map  ")
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
    assert names.split(", ") == [each.name for each in METRICS if each.takes_retrieved]


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

    monkeypatch.setattr(_trec_files, "read_packed", interrupt)
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
    assert (status, output[:21]) == (0, "qrels: TREC's judgmen")
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


@pytest.mark.parametrize(("name", "least"), [("command_line", 10), ("your_files", 1)])
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
