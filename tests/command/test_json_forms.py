"""What a file of JSON is taken for: exactly one form fits, or the file is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest
from raising import raises

from ranking_scores import from_lists, from_tables, mean_reciprocal_rank_score
from ranking_scores.__main__ import main
from ranking_scores._files._json_files import read_file
from ranking_scores._files._json_forms import FORMS, JsonNames, in_form
from ranking_scores.tables import read_json

pytestmark = pytest.mark.usefixtures("folder")

GOLD = [{"id": "q1", "relevant": ["a"]}, {"id": "q2", "relevant": ["b"]}]
RUN = [{"id": "q1", "retrieved": ["x"]}, {"id": "q2", "retrieved": ["y", "b"]}]
MRR = 0.25
"""The mean reciprocal rank of these."""
INTERACTIONS = pd.DataFrame(
    {"user_id": [1, 1, 2], "item_id": [10, 20, 10], "rating": [5, 0, 3], "extra": "x"}
)
RECOMMENDED = pd.DataFrame(
    {"user_id": [1, 1, 2], "item_id": [20, 10, 10], "score": [0.9, 0.8, 0.7]}
)
MRR_OF_USERS = 0.75
BY_NAME = ["--query", "user_id", "--item", "item_id", "--label", "rating", "--score", "score"]


def write(**contents):
    for name, content in contents.items():
        Path(f"{name}.json").write_text(json.dumps(content), encoding="utf-8")


def mrr_of(call, line, *more):
    status, output, errors = call(f"{line} -m mrr --format json", *more)
    assert (status, errors) == (0, "")
    [record] = json.loads(output)
    return record["mean"], record["notes"]


# --- wrapped records ---


@pytest.mark.parametrize(
    "options",
    [
        "",
        "--query id",
        "--query id --relevant relevant --retrieved retrieved",
        "--relevant queries.relevant --retrieved results.retrieved",
        "--query queries.id",
    ],
)
@pytest.mark.parametrize("beside", [{}, {"name": "gold", "n": 2, "tags": ["x"], "a": None}])
def test_a_wrapper_is_opened(call, options, beside):
    write(gold=beside | {"queries": GOLD}, run={"results": RUN} | beside)
    if options == "--query queries.id":
        write(run={"queries": RUN})
    mean, notes = mrr_of(call, f"gold.json run.json {options}")
    assert mean == MRR
    assert "in 'queries': id as query, relevant" in notes[0]
    content = [read_json(f"{name}.json") for name in ("gold", "run")]
    data = from_lists(content[0]["relevant"], content[1]["retrieved"])
    assert mean_reciprocal_rank_score(data) == MRR
    assert data.notes[0] == "relevant: records in 'queries': id as query, relevant"


def test_runs_without_judgments(call):
    write(old={"queries": RUN}, new={"queries": RUN[::-1]}, plain=RUN)
    for old, new in (("old", "new"), ("old", "plain"), ("plain", "new")):
        _, output, _ = call(f"--agreement {old}.json {new}.json -m overlap@2 --format json")
        assert [row["mean"] for row in json.loads(output)] == [1.0]
        assert "\n2 queries\n" in call(f"--agreement {old}.json {new}.json -m overlap@2")[1]


def test_a_wrapper_of_rows(call):
    frames = {"gold": INTERACTIONS, "run": RECOMMENDED}
    for name, frame in frames.items():
        Path(f"{name}.json").write_text(frame.to_json(orient="table"), encoding="utf-8")
    assert mrr_of(call, "gold.json run.json", *BY_NAME)[0] == MRR_OF_USERS


def test_two_lists_of_records(call, refuse):
    write(both={"queries": GOLD, "others": GOLD[:1]}, run=RUN)
    assert "with one list of records. Got records in 'queries', 'others'" in refuse(
        "both.json run.json -m mrr"
    )
    assert mrr_of(call, "both.json run.json --relevant queries.relevant")[0] == MRR
    write(both={"queries": GOLD, "others": [GOLD[0] | {"relevant": ["x"]}]})
    assert mrr_of(call, "both.json run.json --relevant others.relevant")[0] == 1


def test_lists_of_hits_are_no_wrapper(call):
    hits = {"q1": [{"id": "x", "score": 2.0}], "q2": [{"id": "y", "tags": ["t"]}, {"id": "b"}]}
    write(gold={"q1": ["a"], "q2": ["b"]}, run=hits)
    assert mrr_of(call, "gold.json run.json")[0] == MRR
    write(gold={"q2": ["b"]}, run={"q2": hits["q2"]})
    assert mrr_of(call, "gold.json run.json")[0] == 0.5


# --- one record ---


@pytest.mark.parametrize("beside", [{}, {"id": "q7"}, {"query": "q7", "n": 3}])
@pytest.mark.parametrize("fields", [("relevant", "retrieved"), ("gold", "pred")])
def test_one_record_is_one_query(call, fields, beside):
    write(one={fields[0]: ["a"], fields[1]: ["x", "a"]} | beside)
    line = f"one.json --relevant {fields[0]} --retrieved {fields[1]}"
    assert mrr_of(call, line)[0] == 0.5
    assert "\n1 query" in call(f"{line} -m mrr")[1]
    if fields[0] == "relevant":
        assert mrr_of(call, "one.json")[0] == 0.5


def test_a_record_without_its_fields(refuse):
    write(one={"id": "q1", "gold": ["a"]}, run={"id": "q1", "pred": ["a"]})
    assert refuse("one.json run.json -m mrr").startswith("one.json must be a file with ")


# --- tables of pandas ---


@pytest.mark.parametrize("orient", [None, "columns", "index", "split", "records", "table"])
@pytest.mark.parametrize("options", [BY_NAME, []])
def test_rows_are_read_as_pandas_wrote_them(call, orient, options):
    INTERACTIONS.to_json("gold.json", orient=orient)
    RECOMMENDED.to_json("run.json", orient=orient)
    assert mrr_of(call, "gold.json run.json", *options)[0] == MRR_OF_USERS
    names = {"query": "user_id", "item": "item_id"}
    data = from_tables(
        *(read_json(f"{name}.json", **names) for name in ("gold", "run")),
        **names,
        label="rating",
        score="score",
    )
    assert mean_reciprocal_rank_score(data) == MRR_OF_USERS


def test_columns_as_lists(call):
    for frame, name in ((INTERACTIONS, "gold"), (RECOMMENDED, "run")):
        write(**{name: frame.to_dict("list")})
    assert mrr_of(call, "gold.json run.json", *BY_NAME)[0] == MRR_OF_USERS


@pytest.mark.parametrize("orient", ["columns", "index"])
def test_columns_that_nobody_names(refuse, orient):
    names = {"user_id": "person", "item_id": "thing"}
    INTERACTIONS.rename(columns=names).to_json("gold.json", orient=orient)
    RECOMMENDED.rename(columns=names).to_json("run.json", orient=orient)
    assert "Got what looks like columns, 'person', 'thing'," in refuse("gold.json run.json")


def test_ids_that_are_numbers_are_ids(call):
    write(gold={"q1": {"0": 1, "1": 0}, "q2": {"0": 0, "1": 2}}, run={"q1": ["1", "0"]})
    assert mrr_of(call, "gold.json run.json")[0] == 0.25


# --- names that are passed ---


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("lists.json lists2.json --query user", "--query user: no file has such a field."),
        ("lists.json lists2.json --relevant gold", "Got no field 'gold', since it has the"),
        ("lists.json lists2.json --retrieved hits", "Got no field 'hits', since it has the"),
        ("lists.json --relevant gold", "Got no field 'gold'"),
        ("records.json records2.json --relevant x", "Got records with 'id', 'relevant' in"),
    ],
)
def test_a_named_field_that_is_nowhere(refuse, line, error):
    write(lists={"q1": ["a"]}, lists2={"q1": ["x", "a"]}, records=GOLD, records2=RUN)
    assert error in refuse(f"{line} -m mrr")


def test_names_of_python(tmp_path):
    write(lists={"q1": ["a"]})
    for names in ({"query": "user"}, {"item": "doc"}):
        [name] = names.values()
        with raises("path", "a file that has records") as caught:
            read_json("lists.json", **names)
        assert caught.value.got.startswith(f"no field {name!r}, since it has the items")


# --- the same file ---


@pytest.mark.parametrize("content", [{"q1": ["a"]}, {"q1": {"a": 1}}, {"q1": "a"}])
@pytest.mark.parametrize(
    "line", ["gold.json", "gold.json gold.json", "gold.json ./gold.json", "./gold.json"]
)
@pytest.mark.parametrize(
    "options", ["", "--at-least 0.5", "--save kept.json", "--baseline kept.json"]
)
def test_judgments_alone_have_no_score(call, refuse, content, line, options):
    write(gold=content, run={"q1": ["a"]})
    if "baseline" in options:
        assert call("gold.json run.json -m mrr --save kept.json")[0] == 0
    assert "Pass the file of the run" in refuse(f"{line} -m mrr {options}")


def test_one_run_is_not_compared_with_itself(refuse):
    write(run={"q1": ["a"]})
    assert "is given twice. Pass each run once." in refuse("--agreement run.json ./run.json")


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_the_examples_of_forms_are_in_their_forms(tmp_path, form):
    for number, example in enumerate(form.example.split(" or ")):
        path = tmp_path / f"{number}.json"
        path.write_text(example.replace("...", "1"), encoding="utf-8")
        if "..." not in example:
            found = in_form(read_file(path, "read_json"), JsonNames())
            assert found.form.startswith(form.name)


def test_a_field_that_is_not_there_is_named_with_those_that_are(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("one.json").write_text('{"gold": ["a"], "pred": ["x", "a"]}')
    assert main(["one.json", "--relevant", "gold", "--retrieved", "nope", "-m", "mrr"]) == 2
    message = "no field 'nope', since it has the items of queries at their ids, 'gold', 'pred',"
    assert message in capsys.readouterr().err


def test_the_form_of_a_file_is_named_once(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("one.json").write_text('{"gold": ["a"], "pred": ["x", "a"]}')
    assert main(["one.json", "--relevant", "gold", "--retrieved", "pred", "-m", "mrr"]) == 0
    form = "one.json: one record per query: gold as relevant, pred as retrieved\n"
    assert capsys.readouterr().out.startswith(form)


def test_notes_about_the_order_of_scores_have_the_name_of_the_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("gold.inter").write_text("user_id:token\titem_id:token\nq1\ta\n")
    Path("gold.txt").write_text("user_id:token\titem_id:token\nq1\ta\n")
    Path("run.csv").write_text("query,item,score\nq1,x,.1\nq1,a,.5\nq1,c,.9\n")
    for gold in ("gold.inter", "gold.txt"):
        assert main([gold, "run.csv", "-m", "mrr"]) == 0
        printed = capsys.readouterr().out
        assert "each row as relevant" in printed
        assert "\nrun.csv: 'score' rises from row to row in every query" in printed


# --- what fits twice, or nearly ---


@pytest.mark.parametrize(
    ("content", "expected", "got"),
    [
        (
            {"query": ["q1"], "item": ["d1"], "relevant": ["d1"]},
            "a file that can be read in one way",
            "one that reads as one record per query and as columns",
        ),
        (
            {"requests": [{"id": "q1", "ratings": [{"_id": "a", "rating": 1}]}] * 2},
            "that is judgments with each id once",
            "'q1' more than once",
        ),
        (
            [{"qid": "q", "query_id": "q", "relevant": ["a"]}],
            "known as that of the query",
            "'qid'",
        ),
        ({"qid": "q", "query_id": "q", "gold": ["a"]}, "known as that of the query", "'qid'"),
        (
            {"qid": ["q"], "query_id": ["q"], "docno": ["a"]},
            "a file that can be read in one way",
            "and as columns",
        ),
    ],
)
def test_what_fits_twice_or_nearly_is_refused(content, expected, got):
    write(own=content)
    with raises("path", expected) as caught:
        read_json("own.json")
    assert got in str(caught.value)


@pytest.mark.parametrize("options", [[], ["--retrieved", "ratings"]])
def test_judgments_of_a_search_engine_are_not_what_was_retrieved(options, capsys):
    engine = {"requests": [{"id": "q1", "ratings": [{"_id": "a", "rating": 1}]}]}
    write(found={"q1": {"a": 1}}, gold=engine)
    assert main(["found.json", "gold.json", *options]) == 2
    assert "gold.json must be a file with what was retrieved" in capsys.readouterr().err


def test_rows_of_other_lengths_than_the_columns_are_no_table():
    write(own={"columns": ["query", "item"], "data": [["q1"]]})
    assert read_json("own.json") == {"columns": ["query", "item"], "data": [["q1"]]}


def test_the_command_says_which_field_is_missing_or_unclear(call, refuse):
    records = [{"qid": "q", "query_id": "q", "relevant": ["a"]}]
    write(gold={"queries": GOLD}, unclear=records, run=RUN, fewer=[*RUN[1:], {"id": "q1"}])
    assert "whose records have 'kind'" in refuse("gold.json run.json --by kind -m mrr")
    assert "could be the query. Name it with --query." in refuse("unclear.json run.json")
    mean, notes = mrr_of(call, "gold.json fewer.json")
    assert (mean, "fewer.json: 1 record has no 'retrieved'" in notes) == (MRR, True)
    assert "does not go with --aspects" in refuse("gold.json run.json --aspects --labels a=1")
