"""The command line on files of JSON, passages, and groups of queries."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from command_data import write_parquet

from ranking_scores import ranking_report
from ranking_scores.tables import from_lists

pytestmark = pytest.mark.usefixtures("folder")


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
def _json_files(folder):
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
    for name, macro in report.macro["kind.name"].items():
        expected["retrieved", None, f"macro:{name}"] = macro.mean
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
        means = means_in(call(f"{line} -m map --duplicates best --format json")[1])
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
    forms, of_ties = expected[0]["notes"]
    assert forms == "gold.json: one record per query: query, relevant, bm25 as retrieved"
    for record in expected:
        record["notes"] = [f"{forms}; kinds.csv: CSV: query", of_ties]
    assert json.loads(call(f"{line} kinds.csv")[1]) == expected
    two = json.loads(call(f"{line} kinds.csv --by lang")[1])
    assert [*two[:3], two[-2]] == expected
    assert (two[3]["grouping"], two[3]["group"], two[3]["n_queries"]) == ("lang", "de", 3)
    rows = json.loads(call("rows.jsonl run.json --item doc.id -m map --by kind --format json")[1])
    assert [each["group"] for each in rows] == [None, "faq", "how to", None]
    write_parquet("kinds.parquet", query=[*KINDS], kind=[*KINDS.values()])
    found = call(f"{line} kinds.parquet")[1]
    assert json.loads(found.replace("kinds.parquet: Parquet", "kinds.csv: CSV")) == expected
    ties = json.loads(
        call("gold.json --retrieved bm25 -m mrr --by kind.name --ties --format json")[1]
    )
    faq = next(each for each in ties if each["group"] == "faq")
    assert (faq["worst"], faq["mean"], faq["best"], faq["as_ordered"]) == (0.5, 0.75, 1, 0.5)


def test_the_items_of_each_query_have_fields_that_the_options_name(call):
    """A list of them is no list of records that a field of the file has."""
    gold = {"q1": [{"thing": "a", "worth": 2}, {"thing": "b", "worth": 0}]}
    found = {"q1": [{"thing": "b", "points": 0.9}, {"thing": "a", "points": 0.5}]}
    line = "gold.json run.json --item thing --label worth --score points -m mrr --format json"
    for more in ({}, {"q2": [{"thing": "c", "worth": 1, "points": 0.1}]}):
        Path("gold.json").write_text(json.dumps(gold | more), encoding="utf-8")
        Path("run.json").write_text(json.dumps(found | more), encoding="utf-8")
        [record] = json.loads(call(line)[1])
        assert record["mean"] == (0.75 if more else 0.5)
        assert record["notes"] == ["gold.json, run.json: items by query"]


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
def _by_question(folder):
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
        ("found.json found.jsonl", "found.jsonl", "no record has 'query'"),
        ("found.json found.jsonl --relevant x", "found.json", "Got no field 'x', since it has"),
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
            "'question-id'. Got records with 'question_id', 'relevant', 'lang' in gold.jsonl "
            "instead. Name the field with --query. --query none numbers the records from 0.",
        ),
        (
            "both.jsonl --query id --by tongue --query-table ids.jsonl",
            "both.jsonl",
            "have the id of their query in 'id'. Got records with 'relevant', 'lang',",
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
def _types(folder):
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
        assert [each["group"] for each in json.loads(call(line)[1])] == [None, "en", None]


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
        ("words.json found --labels number", "has bools, ints or floats. Got '1_0' instead"),
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
        ("gold.json --by size --retrieved bm25", "whose records have 'size'. Got"),
        ("gold.json --retrieved dense", "whose records have 'dense'. Got"),
        ("gold.json --relevant right", "whose records have 'right'. Got"),
        ("gold.json run.json --rank place", "--rank is for files with one row per item"),
        ("run.json --by kind", "Got no field 'kind', since it has the items of queries"),
        ("qrels run --by kind", "--by is for CSV, TSV, Parquet, JSON and RecBole files"),
        ("gold.json --by kind --query-table run", "--by is for CSV"),
        (
            "gold.json --query-table kinds.csv",
            "--query-table has the columns of --by and --clusters",
        ),
        ("gold.json --by kind.name --by-query", "--by prints no values of queries"),
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
