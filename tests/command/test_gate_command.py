"""The command with a baseline: what it saves, what changed, the gate, and the page."""

from __future__ import annotations

import csv
import io
import json
import re
import warnings
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from ranking_scores import __version__, from_tables, ranking_report
from ranking_scores.gates import check
from ranking_scores.report import read_report
from ranking_scores.significance import changes
from ranking_scores.trec import read_qrels, read_run

N_QUERIES = 30
OF_GATE = "-m ndcg@3 recall@5"
OTHER_RUN = "baseline old on qrels: same judgments, other run, same version"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Write judgments, two runs and a table of queries into a directory of its own."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, (N_QUERIES, 8))
    lines = {"qrels": [], "old": [], "new": [], "crashed": [], "groups.csv": ["query,kind"]}
    for query in range(N_QUERIES):
        lines["groups.csv"].append(f"q{query},{'odd' if query % 2 else 'e|ven'}")
        for name, quality in (("old", 0.8), ("new", 0.2)):
            scores = np.round(labels[query] * quality + rng.normal(size=8), 1)
            run = [f"q{query} Q0 d{item} 0 {score} x" for item, score in enumerate(scores)]
            lines[name] += run
            lines["crashed"] += run if name == "new" and query > 2 else []
        lines["qrels"] += [f"q{query} 0 d{item} {each}" for item, each in enumerate(labels[query])]
    lines["same"] = lines["new"]
    for name, each in lines.items():
        (tmp_path / name).write_text("\n".join([*each, ""]))
    return tmp_path


@pytest.fixture
def refuse(call):
    def refuse(line):
        status, output, errors = call(line)
        assert (status, output) == (2, "")
        *warnings, error = errors.splitlines()
        assert all(each.startswith("ranking-scores: warning: ") for each in warnings)
        return error.removeprefix("ranking-scores: error: ")

    return refuse


def data_of(run):
    names = {"query": "query", "item": "item", "label": "label", "score": "score"}
    return from_tables(read_qrels("qrels"), read_run(run), **names)


def report_of(run, **params):
    return ranking_report(data_of(run), **{"scores": ["ndcg@3", "recall@5"], "k": None} | params)


@pytest.fixture
def saved(call):
    assert call(f"qrels old {OF_GATE} --save old.json")[0] == 0
    return "old.json"


def test_a_saved_report_is_that_of_the_run(call, saved):
    assert read_report(saved) == report_of("old")
    status, output, _ = call(f"qrels old {OF_GATE}")
    assert (status, output) == call(f"qrels old {OF_GATE} --save again.json.gz")[:2]
    assert read_report("again.json.gz") == read_report(saved)


@pytest.mark.parametrize("baseline", ["old.json", "old"])
def test_what_changed_and_the_gate_are_printed_below_the_scores(call, saved, baseline):
    line = f"qrels new {OF_GATE} --baseline {baseline} --max-drop .01 --at-least ndcg@3=.1"
    status, output, errors = call(line)
    plain = call(f"qrels new {OF_GATE}")[1]
    if baseline == "old":
        plain = plain.replace("; new: TREC's run\n", "; new, old: TREC's run\n")
    data = {"data_new": data_of("new"), "data_old": data_of("old") if baseline == "old" else None}
    new, old = report_of("new"), report_of("old")
    changed = changes(new, old, random_state=0, **data)
    gate = check(new, old, max_drop=0.01, at_least={"ndcg@3": 0.1})
    inputs = f"{OTHER_RUN}\n" * (baseline != "old")
    assert output == f"{plain}\n{changed!r}\n\n{gate!r}\n{inputs}"
    assert (status, errors) == (1, "")
    assert ("left the first 3 or came in" in output) is (baseline == "old")
    assert ("that are not among the first 3" in output) is (baseline != "old")


@pytest.mark.parametrize(
    ("conditions", "status"),
    [
        ("--at-least ndcg@3=.1", 0),
        ("--at-least 1", 1),
        ("--at-least .69 --rule 'surely worse'", 0),
        ("--at-least ndcg@3=.1 --at-least recall@5=.99", 1),
        ("--baseline old.json", 0),
        ("--baseline old.json --max-drop .5", 0),
        ("--baseline old.json --max-drop ndcg@3=.01", 1),
        ("--baseline same --max-drop 0", 0),
        ("--baseline old.json --max-drop .2 --rule 'surely worse'", 0),
        ("--baseline old.json --max-drop .2 --rule 'surely worse' --undecided fail", 1),
        ("--baseline old.json --max-drop .2 --rule 'surely not worse'", 1),
        ("--baseline old.json --max-drop .2 --rule 'surely worse' --confidence .5 --runs 30", 0),
        ("--baseline old.json --max-drop .5 --rule 'surely not worse'", 0),
        ("--baseline old.json --max-drop 0 --rule 'surely worse' --confidence .5", 1),
    ],
)
def test_the_exit_status(call, saved, conditions, status):
    assert call(f"qrels new {OF_GATE} {conditions}")[0] == status


def test_numbers_for_programs_are_in_the_records(call, saved):
    line = f"qrels new {OF_GATE} --baseline old.json --max-drop ndcg@3=.01 --format"
    status, output, _ = call(f"{line} json")
    assert status == 1
    found = changes(report_of("new"), report_of("old"))
    for record in json.loads(output):
        change = found.scores[record["score"]]
        assert record["before"] == change.before
        assert (record["difference_low"], record["difference_high"]) == (change.low, change.high)
        assert (record["difference"], record["pvalue"]) == (change.difference, change.pvalue)
        assert record["verdict"] == ("failed" if record["score"] == "ndcg@3" else None)
    rows = list(csv.DictReader(io.StringIO(call(f"{line} csv")[1])))
    assert [row["verdict"] for row in rows] == ["failed", ""]
    records = json.loads(call(f"qrels new {OF_GATE} --baseline old.json --format json")[1])
    assert "verdict" not in records[0]
    records = json.loads(call(f"qrels new {OF_GATE} --at-least 0 --format json")[1])
    assert [each["verdict"] for each in records] == ["passed", "passed"]
    assert "before" not in records[0]


def test_groups(call):
    by = "--query-table groups.csv --by kind"
    assert call(f"qrels old {OF_GATE} {by} --save old.json")[0] == 0
    groups = {"by": {"kind": ["odd" if int(each[1:]) % 2 else "e|ven" for each in
                              data_of("new").query_ids]}}  # fmt: skip
    new, old = report_of("new", **groups), report_of("old", **groups)
    line = f"qrels new {OF_GATE} {by} --baseline old.json --max-drop .05"
    status, output, _ = call(line)
    gate = check(new, old, max_drop=0.05, by="kind")
    assert output.endswith(f"{gate!r}\n{OTHER_RUN}\n")
    assert status == 1
    records = json.loads(call(f"{line} --format json")[1])
    found = changes(new, old)
    for record in records:
        of = found.scores
        if record["group"] is not None:
            of = found.by_group["kind"][record["group"]]
        if record["grouping"] is None or record["group"] is not None:
            assert record["difference"] == of[record["score"]].difference
            assert record["verdict"] in {"failed", "passed"}
        else:  # no limit is about the mean over groups
            macro = new.macro["kind"][record["score"].removeprefix("macro:")]
            assert (record["mean"], record["standard_error"]) == macro[:2]
            assert (record["difference"], record["verdict"]) == (None, None)
    line = line.replace(" --max-drop .05", " -m mrr --max-drop ndcg@3=.05")
    of_mrr = [
        each for each in json.loads(call(f"{line} --format json")[1]) if each["score"] == "mrr"
    ]
    assert {(each["before"], each["verdict"]) for each in of_mrr} == {(None, None)}


def test_limits_of_the_mean_over_groups(call, refuse):
    by = "--query-table groups.csv --by kind"
    assert call(f"qrels old {OF_GATE} {by} --save old.json")[0] == 0
    limits = "--at-least macro:nDCG@3=.99 --max-drop macro:ndcg@3=.9 recall@5=.9"
    line = f"qrels new {OF_GATE} {by} --baseline old.json {limits} --confidence .9"
    status, output, _ = call(line)
    assert status == 1
    assert "\nworst group of kind: " in output
    assert "\nkind macro, 30 queries\n" in output
    assert re.search(r"\nmacro:ndcg@3, kind: [0-9.]+ is below 0.99\n", output)
    records = {
        (each["grouping"], each["group"], each["score"]): each
        for each in json.loads(call(f"{line} --format json")[1])
    }
    macro = records["kind", None, "macro:ndcg@3"]
    assert macro["verdict"] == "failed"
    assert records["kind", "odd", "ndcg@3"]["verdict"] is None
    assert records["kind", "odd", "recall@5"]["verdict"] == "passed"
    assert records["kind", None, "macro:recall@5"]["verdict"] is None
    assert macro["n_queries"] == 30
    groups = [records["kind", group, "ndcg@3"] for group in ("odd", "e|ven")]
    for key in ("mean", "standard_error", "low", "high"):
        of_groups = [each[key] for each in groups]
        if key == "mean":
            assert macro[key] == pytest.approx(sum(of_groups) / 2)
        elif key == "standard_error":
            assert macro[key] == pytest.approx(np.hypot(*of_groups) / 2)
        else:
            distances = [each["mean"] - each[key] for each in groups]
            assert abs(macro["mean"] - macro[key]) == pytest.approx(np.hypot(*distances) / 2)
    error = "--at-least: macro:ndcg@3 is over groups of queries. Name them by --by."
    assert refuse(f"qrels new {OF_GATE} --at-least macro:ndcg@3=.5") == error
    assert refuse(f"qrels new {OF_GATE} {by} --at-least macro:map=.5").startswith(
        "--at-least: map is not among the scores"
    )


def test_groups_that_share_clusters_have_no_error_of_the_mean_over_them(call):
    rows = [f"q{query},u{query // 5},{query % 2}" for query in range(N_QUERIES)]
    Path("users.csv").write_text("\n".join(["query,user,kind", *rows, ""]))
    line = f"qrels new {OF_GATE} --query-table users.csv --by kind --clusters user --confidence .9"
    for record in json.loads(call(f"{line} --format json")[1]):
        numbers = {record[key] for key in ("standard_error", "low", "high")}
        assert (numbers == {None}) == (record["grouping"] == "kind" and record["group"] is None)


@pytest.mark.parametrize("by", ["", " --by kind"])
def test_clusters(call, by):
    users = {f"q{query}": f"u{query % 6}" for query in range(N_QUERIES)}
    rows = [f"{query},{user},{user > 'u2'}" for query, user in users.items()]
    Path("users.csv").write_text("\n".join(["query,user,kind", *rows, ""]))
    Path("sure").write_text("".join(f"{query} 0 d0 1\n" for query in users))
    line = f"sure new -m hit_rate@8 mrr --clusters user --query-table users.csv{by} --format json"
    data = from_tables(read_qrels("sure"), read_run("new"), query="query", item="item",
                       label="label", score="score")  # fmt: skip
    expected = ranking_report(data, scores=["hit_rate@8", "mrr"], k=None, clusters=users)
    rule = "--at-least .01 --rule 'surely not worse'"
    status, output, errors = call(f"{line} {rule} --save new.json")
    assert output, errors
    records = json.loads(output)[:2]
    assert (status, [each["verdict"] for each in records]) == (1, ["undecided", "passed"]), errors
    assert [each["standard_error"] for each in records] == [*expected.standard_error.values()]
    assert call(f"{line.replace('--clusters user', '')} {rule}" + " --by user" * (not by))[0] == (
        0 if by else 1
    )
    saved = read_report("new.json")
    assert saved.clusters.tolist() == expected.clusters.tolist()
    assert [*saved.by_group] == by.split()[1:]
    assert call(f"{line} --baseline new.json --max-drop 0")[0] == 0
    both = json.loads(call(f"{line} --by user")[1])
    assert {each["grouping"] for each in both} == {None, "user", *by.split()[1:]}


@pytest.mark.parametrize("options", ["", "--query-table users.csv --clusters user"])
def test_a_mean_has_one_interval(call, options):
    """Scores of 0 and 1 have one of shares, in the table of scores and in the gate's."""
    rows = [f"q{query},u{query // 2}" for query in range(N_QUERIES)]
    Path("users.csv").write_text("\n".join(["query,user", *rows, ""]))
    pairs = [(query, item) for query in range(N_QUERIES) for item in range(8)]
    run = [f"q{query} Q0 d{item} 0 {(query + item) * 3 % 8} x" for query, item in pairs]
    Path("untied").write_text("\n".join([*run, ""]))
    line = "qrels untied -m hit_rate@1 mrr --confidence .9 --at-least .01"
    printed = call(f"{line} --rule 'surely not worse' {options}")[1].splitlines()
    for name in ("hit_rate@1", "mrr"):
        in_table, in_gate = (row.split() for row in printed if f"{name} " in f"{row} "[:20])
        assert in_table[2:5] == in_gate[1:4]
        mean, low, high = map(float, in_table[2:5])
        assert (abs(high + low - 2 * mean) > 0.01) == (name == "hit_rate@1")


def test_clusters_are_named_in_errors(call, refuse, folder):
    (folder / "gold.csv").write_text("query,item,label\nq0,d0,1\nq1,d0,1\n")
    assert "'label'. Name the column with --clusters." in refuse("gold.csv new --clusters user")
    assert refuse("qrels new --clusters user").startswith("--clusters is for CSV")
    assert "must be the name of a column" in refuse("gold.csv new --clusters ''")
    error = refuse("--agreement old new -m overlap@2 --clusters kind")
    assert error == "--clusters needs a table of queries with --agreement. Pass --query-table."
    line = "--agreement old new -m overlap@2 --format json --query-table groups.csv"
    [alone] = json.loads(call(f"{line} --by kind")[1])[:1]
    [pairs] = json.loads(call(f"{line} --clusters kind")[1])
    assert pairs["mean"] == alone["mean"]
    assert pairs["standard_error"] != alone["standard_error"]
    error = refuse("qrels new --query-table groups.csv")
    assert error == "--query-table has the columns of --by and --clusters. Name them."


def test_markdown(call, saved):
    status, output, _ = call(
        f"qrels new {OF_GATE} --baseline old.json --max-drop .01 --format markdown"
    )
    gate = check(report_of("new"), report_of("old"), max_drop=0.01)
    assert output.startswith(f"{gate.to_markdown()}\n- {OTHER_RUN}\n\n")
    found = changes(report_of("new"), report_of("old"), data_new=data_of("new"))
    assert found.to_markdown() in output
    assert status == 1


def test_a_field_of_json_is_the_baseline(call, refuse, folder):
    records = [
        {"query": f"q{each}", "relevant": ["a"], "old": ["a", "b"], "new": ["b", "a"][each % 2 :]}
        for each in range(9)
    ]
    (folder / "gold.jsonl").write_text("\n".join(map(json.dumps, records)))
    line = "gold.jsonl --retrieved new -m mrr --baseline gold.jsonl"
    status, output, _ = call(f"{line}:old --format json")
    assert (status, json.loads(output)[0]["before"]) == (0, 1)
    message = "--baseline gold.jsonl is the run itself. Name another field: --baseline gold.jsonl:"
    assert refuse(line) == f"{message}FIELD."
    assert refuse("qrels new -m mrr --baseline new") == "--baseline new is the run itself."


def test_a_baseline_whose_values_are_elsewhere_is_refused(refuse, folder):
    report = report_of("old")
    vars(report)["_values_path"] = folder.parent / "values.csv"
    report.to_json("elsewhere.json", per_query=False)
    error = refuse(f"qrels new {OF_GATE} --baseline elsewhere.json --max-drop .01")
    assert error.startswith("elsewhere.json must be the path of a report whose values of each ")
    assert "which names the file '../values.csv'" in error
    assert "`read_report(path, values_from=...)` of Python reads it" in error


def test_a_run_that_lacks_queries_says_so(call, saved):
    status, _, errors = call(f"qrels crashed {OF_GATE} --baseline old.json --max-drop .01")
    assert status == 1
    line = (
        "warning: crashed: 3 queries were judged but not predicted, and count 0: 'q0', 'q1', 'q2'"
    )
    assert errors == f"ranking-scores: {line}\n"
    assert call(f"qrels crashed {OF_GATE}")[2] == ""


class Page(HTMLParser):
    """The elements of a page, and what it takes from elsewhere."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.links = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name in ("src", "href")]


@pytest.mark.parametrize("baseline", ["", "--baseline old.json", "--baseline old"])
def test_the_page_stands_alone(call, saved, folder, baseline):
    by = "--query-table groups.csv --by kind"
    line = f"qrels new {OF_GATE} map {by} {baseline} --at-least .1 --html page.html"
    if baseline:
        call(f"qrels old {OF_GATE} map {by} --save old.json")
    assert call(line)[0] == 0
    text = (folder / "page.html").read_text()
    page = Page(text)
    assert page.links == []
    assert not {"script", "link", "img", "iframe"} & {*page.tags}
    assert "url(" not in text
    assert "@import" not in text
    n_curves = 3  # ndcg, recall and map
    n_differences = 3 if baseline else 0
    assert page.tags.count("svg") == n_curves + n_differences
    pictures = re.findall("<svg.*?</svg>", text)
    n_lines = [len(ElementTree.fromstring(each).findall("polyline")) for each in pictures]
    assert n_lines == [2 if baseline == "--baseline old" else 1] * 3 + [1] * n_differences
    for words in (
        "Gate: &#10003; passed",
        ">cutoff<",
        ">mean<",
        "Scores",
        "kind odd, 15 queries",
        "nDCG at each cutoff",
    ):
        assert words in text
    assert ("lost most in ndcg@3" in text) is bool(baseline)
    assert ("left the first 3 or came in" in text) is (baseline == "--baseline old")
    assert ("that are not among the first 3" in text) is (baseline == "--baseline old.json")


def test_the_numbers_of_the_curves(call, folder):
    call("qrels new -m recall@5 --html page.html")
    text = (folder / "page.html").read_text()
    [points] = re.findall('<polyline points="(.*?)"', text)
    y = [float(each.split(",")[1]) for each in points.split()]
    values = list(ranking_report(data_of("new"), scores="recall", k=range(1, 9)).values())
    expected = np.interp(values, (0, max(values)), (216, 8))
    np.testing.assert_allclose(y, expected, atol=0.051)


def test_names_in_the_page_are_escaped(call, folder):
    (folder / "<b>&.run").write_text((folder / "new").read_text())
    call("qrels '<b>&.run' -m mrr --html page.html")
    text = (folder / "page.html").read_text()
    assert "<b>" not in text.replace("<b>lost", "")
    assert "&lt;b&gt;&amp;.run" in text


def test_scores_without_cutoffs_and_lists_of_one_item_have_no_curves(call, folder):
    (folder / "short").write_text("q0 Q0 d1 0 1 x\nq1 Q0 d1 0 1 x\n")
    line = "qrels short -m ndcg@3 r_precision --html page.html"
    assert call(line)[0] == 0
    assert "<svg" not in (folder / "page.html").read_text()
    assert call(f"{line} --baseline new")[0] == 0
    text = (folder / "page.html").read_text()
    assert text.count("at each cutoff") == 2  # of nDCG, in the picture and below it


def test_one_query_has_no_picture_of_differences(call, folder):
    (folder / "one").write_text("q0 0 d1 1\n")
    call("one new -m mrr --baseline old --html page.html")
    text = (folder / "page.html").read_text()
    assert "at each cutoff" in text
    assert "the difference of each query" not in text


def test_a_page_beside_a_baseline_of_other_scores(call, saved, folder):
    assert call("qrels new -m ndcg@3 --baseline old.json --html page.html")[0] == 0
    text = (folder / "page.html").read_text()
    assert "the difference of each query" not in text
    assert "recall@5, which only old has" in text


def test_what_is_written_is_there_as_a_whole_or_not_at_all(refuse, saved, folder):
    (folder / "page.html").write_text("before")
    message = refuse(f"qrels new {OF_GATE} --baseline old.json --html none/page.html")
    assert message == "none/page.html: No such file or directory"
    assert refuse(f"qrels new {OF_GATE} --save none/a.json").startswith("none/a.json: No such")
    before = (folder / "old.json").read_text()
    (folder / "old.json").write_text(before[:-40])
    message = refuse(f"qrels new {OF_GATE} --baseline old.json --html page.html")
    assert "old.json', which was cut or edited after it was written" in message
    assert (folder / "page.html").read_text() == "before"
    (folder / "old.json").write_text(before.replace("0.5", "0.6", 1))
    assert "which was cut or edited" in refuse(f"qrels new {OF_GATE} --baseline old.json")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("new --max-drop .1", "--max-drop needs a baseline. Pass --baseline."),
        ("new --baseline old --rule difference", "--rule needs --max-drop or --at-least"),
        ("new --at-least x=1", "x"),
        ("new --at-least ndcg@3=x", "'x' is not a number"),
        ("new --at-least x", "'x' is not a number"),
        ("--at-least .1 new", "'new' is not a number. Files come before the options"),
        ("new --at-least ndcg@3", "'ndcg@3' has no number, as ndcg@3=0.5 has"),
        ("new --at-least ndcg@3=inf", "'inf' is not a finite number"),
        ("new --at-least ndcg@5=.1", "ndcg@5 is not among the scores, which are ndcg@3, recall@5"),
        ("new --at-least .1 .2", "--at-least takes one number for all scores, or one for each"),
        ("new --at-least ndcg@3=.1 ndcg@3=.2", "--at-least: ndcg@3 is given twice"),
        ("new --baseline old --max-drop .1 --undecided fail", "--undecided is for --rule 'surely"),
        ("new --baseline old --max-drop .1 --runs 30", "--runs is for --rule 'surely worse' and"),
        (
            "new --baseline old --max-drop .1 --rule 'surely worse' --runs 0",
            "--runs must be an int of at least 1. Got 0",
        ),
        ("new --baseline old --max-drop=-.1", "--max-drop must be a finite number of at least 0"),
        ("new old --save a.json", "--save takes one RUN. Got 2."),
        ("new old --baseline old", "--baseline takes one RUN. Got 2."),
        ("new --save a.txt", "--save must be a name in .json or .json.gz. Got 'a.txt'."),
        ("new --save a.json --html a.json", "Got 'a.json', which is given twice."),
        ("new --baseline odd.json --save odd.json", "--save must be a file of its own"),
        ("new --html new", "--html must be a file of its own"),
        ("new --baseline old --by-query", "--baseline prints no values of queries"),
        ("new --baseline none", "none: No such file or directory"),
        ("new --baseline bad", "bad"),
        ("new --baseline odd.json", "odd.json"),
    ],
)
def test_bad_options_are_refused(refuse, folder, line, message):
    (folder / "bad").write_text("q1 Q0 d1\n")
    (folder / "odd.json").write_text("[1]")
    assert message in refuse(f"qrels {line} {OF_GATE}")


def test_a_baseline_with_other_options_or_queries_is_refused(call, refuse, saved, folder):
    error = refuse(f"qrels new {OF_GATE} --baseline old.json --gain exponential")
    assert error.startswith("new must be of the same options as old, which has gain='linear' in")
    lines = (folder / "qrels").read_text().splitlines()
    (folder / "fewer").write_text("\n".join(lines[8:]) + "\n")
    error = refuse(f"fewer new {OF_GATE} --baseline old.json --max-drop .1")
    assert error.startswith(
        "new must be of the same 30 queries as the old report, by their ids. Got 1 query"
    )
    rows = [line.replace(" 0 ", ",").replace(" ", ",") for line in lines[1:]]
    table = "\n".join(["query,item,label", "q0,d0,-1", *rows, ""])
    (folder / "negative.csv").write_text(table)
    assert "is negative" in refuse("negative.csv new -m ndcg --baseline old")
    message = "crashed must be a matrix that stores a score for every relevant item for arp"
    assert refuse("qrels new -m arp --baseline crashed").startswith(message)


@pytest.mark.parametrize("rule", ["difference", "surely worse"])
def test_one_page_has_one_interval_of_a_difference_or_says_why_not(call, saved, folder, rule):
    line = f"qrels new {OF_GATE} --baseline old.json --max-drop .01 --html page.html"
    call(f"{line} --rule '{rule}'")
    gate, _, changed = (folder / "page.html").read_text().partition("<h2>Scores</h2>")
    rows = [
        re.findall(r"<tr><th>(ndcg@3|recall@5)</th>(.*?)</tr>", part) for part in (gate, changed)
    ]
    intervals = [
        {name: re.findall(">([^<]+)</td>", cells)[2:5] for name, cells in reversed(found)}
        for found in rows
    ]
    assert len(intervals[0]["ndcg@3"]) == 3
    assert (intervals[0] == intervals[1]) is (rule == "difference")
    assert ("wider than those of `compare`" in gate) is (rule != "difference")


@pytest.mark.parametrize("scores", ["ndcg@3 recall@5", "'RR(rel=2)@4' map", "err@2 --max-grade 2"])
def test_without_scores_those_of_the_baseline_count(call, scores):
    assert call(f"qrels old -m {scores} --save old.json")[0] == 0
    options = "--max-grade 2" if "grade" in scores else ""
    gate = f"--baseline old.json --max-drop .05 --at-least .1 {options}"
    found = call(f"qrels new {gate}")
    assert found == call(f"qrels new -m {scores} {gate}")
    assert found[0] == 1


def test_without_scores_a_run_as_the_baseline_has_the_usual_ones(call):
    scores = [line.split()[:2] for line in call("qrels new")[1].splitlines()]
    output = call("qrels new --baseline old --at-least 0")[1]
    assert [line.split()[:2] for line in output.splitlines()][2:9] == scores[2:9]


def test_a_new_baseline_is_not_the_advice_where_scores_differ(call, refuse, saved):
    error = refuse("qrels new -m ndcg@3,map --baseline old.json --max-drop .1")
    assert error.endswith("Limit the drops of the results that both have, by their names.")
    line = "qrels new -m ndcg@3,map --baseline old.json --max-drop ndcg@3=.1"
    assert call(line)[0] == 1
    error = refuse(
        f"qrels new {OF_GATE} --baseline old.json --max-drop .1 --by kind --query-table groups.csv"
    )
    assert error.endswith("Evaluate both with the same groups, or check all queries together.")


def test_a_saved_report_says_what_it_is_of(call, saved, folder):
    inputs = read_report(saved).inputs
    assert (inputs["files"], inputs["version"]) == ("old on qrels", __version__)
    assert inputs["judgments"] == report_of("old").judgments.digest
    assert repr(read_report(saved)).endswith(f"old on qrels, by version {__version__}")
    for name in ("qrels", "old"):
        lines = (folder / name).read_text().splitlines()
        (folder / f"{name}2").write_text("\n".join([*lines[::-1], ""]))
    call(f"qrels2 old2 {OF_GATE} --save again.json")
    assert read_report("again.json").inputs == inputs | {"files": "old2 on qrels2"}
    assert report_of("old").inputs == {}


def test_a_gate_says_which_inputs_are_others(call, saved, folder):
    text = (folder / "qrels").read_text()
    label = text.splitlines()[0][-1]
    (folder / "others").write_text(text.replace(f"q0 0 d0 {label}", f"q0 0 d0 {int(label) + 1}"))
    for files, line in {
        "qrels new": OTHER_RUN,
        "others old": "baseline old on qrels: other judgments, same run, same version",
        "others new": "baseline old on qrels: other judgments, other run, same version",
    }.items():
        output = call(f"{files} --baseline old.json --max-drop .5")[1]
        assert line in output.splitlines()
        call(f"{files} {OF_GATE} --save new.json")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert line in check("new.json", saved, max_drop=0.5).notes
        assert "baseline old" not in repr(check("new.json", at_least=0))


def test_reports_that_do_not_say_what_they_are_of_are_compared(call, saved):
    earlier = report_of("old").to_json("earlier.json") or read_report("earlier.json")
    assert earlier == read_report(saved)
    output = call(f"qrels new {OF_GATE} --baseline earlier.json --max-drop .5")[1]
    assert "baseline old" not in output
    assert "by version" not in repr(earlier)


def test_other_judgments_are_warned_of(call, saved, folder):
    text = (folder / "qrels").read_text()
    label = text.splitlines()[0][-1]
    (folder / "qrels").write_text(text.replace(f"q0 0 d0 {label}", f"q0 0 d0 {int(label) + 1}"))
    status, output, errors = call(f"qrels new {OF_GATE} --baseline old.json --max-drop .5")
    assert status == 0
    assert "the judgments of 1 query changed" in errors
    assert "different judgments" in output
