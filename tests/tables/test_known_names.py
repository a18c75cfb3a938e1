"""Columns that are found by the names of other projects: which, when not, and what is said."""

from __future__ import annotations

import json
from collections import namedtuple
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from raising import raises

from ranking_scores import mean_reciprocal_rank_score, ndcg_score, ranking_report
from ranking_scores.__main__ import main
from ranking_scores._tables._known_names import ROLES, UnclearError, find_columns, projects
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.tables import from_lists, from_table, from_tables, read_json

OURS, *OTHERS = projects()
JUDGMENTS = {
    "query": ["q1", "q1", "q1", "q2", "q2"],
    "item": ["a", "b", "c", "a", "d"],
    "label": [2, 1, 0, 3, 1],
}
PREDICTIONS = {
    "query": ["q1", "q1", "q1", "q2", "q2", "q2"],
    "item": ["b", "x", "a", "d", "c", "a"],
    "score": [3.0, 2.0, 2.0, 5.0, 4.0, 1.0],
}
RANKED = PREDICTIONS | {"score": [-1.0, -2.0, -2.0, -1.0, -2.0, -3.0]}


def renamed(table, project, **others):
    """Return a table with the names of a project, without the columns that it does not have."""
    names = {role: project.name_of(role) for role in table} | others
    return {name: table[role] for role, name in names.items() if name}


def expected(judgments=JUDGMENTS, predictions=PREDICTIONS):
    """Return the data of two tables whose columns are named."""
    label = "label" if "label" in judgments else None
    names = {"query": "query", "item": "item", "label": label, "score": "score"}
    return from_tables(judgments, predictions, **names)


def check(data, other):
    """Check that two data are the same."""
    for one, two in zip(data, other, strict=True):
        one, two = (each.toarray() if hasattr(each, "toarray") else each for each in (one, two))
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("project", projects(), ids=lambda each: each.name)
def test_the_tables_of_each_project_need_no_names(project):
    judgments = renamed(JUDGMENTS, project)
    data = from_tables(judgments, renamed(PREDICTIONS, project))
    plain = JUDGMENTS
    if not project.label:
        plain = {name: each for name, each in JUDGMENTS.items() if name != "label"}
    check(data, expected(plain))
    if project is OURS:
        assert data.notes == ("judgments: query, item, label", "predictions: query, item, score")
        return
    label = project.label or "each row as relevant"
    as_label = " as label" * (project.label not in ("", "label"))
    as_score = " as score" * (project.score != "score")
    ids = f"{project.query}, {project.item}"
    first, second = data.notes
    assert first.startswith(f"judgments: {ids}, {label}{as_label}: ")
    assert second.startswith(f"predictions: {ids}, {project.score}{as_score}: ")
    for note in data.notes:
        assert f"{project.name}'" in note
        assert note.endswith(" names")
        assert note in str(data)
    assert ndcg_score(data, k=2) == ndcg_score(expected(plain), k=2)


@pytest.mark.parametrize("project", [each for each in projects() if each.rank])
def test_ranks_are_found_where_there_are_no_scores(project):
    ranks = {**PREDICTIONS, "rank": [1, 2, 2, 1, 2, 3]}
    del ranks["score"]
    found = from_tables(JUDGMENTS, renamed(ranks, project))
    check(found, expected(predictions=RANKED))


@pytest.mark.parametrize("project", [each for each in projects() if each.rank])
def test_scores_go_before_ranks_unless_a_project_says_otherwise(project):
    both = renamed({**PREDICTIONS, "rank": [1, 2, 2, 1, 2, 3]}, project)
    data = from_tables(JUDGMENTS, both)
    has_ranks = project.query == "user_id"  # that of RecTools, too
    check(data, expected(predictions=RANKED if has_ranks else PREDICTIONS))
    unread = f"{project.score if has_ranks else project.rank} does not count"
    assert project is OURS or unread in data.notes[1]


def test_each_name_belongs_to_one_role_of_ids():
    """Otherwise a name could be taken for the wrong column."""
    assert not {each.query for each in projects()} & {each.item for each in projects()}
    for project in projects():
        assert project.query
        assert project.item
        assert project.first in ("score", "rank")
        is_plain = project in (OURS, OTHERS[-1])  # words that no project owns
        assert is_plain != project.source.startswith("https://")
    assert all(OURS.name_of(role) == role for role in ROLES)


def test_columns_beside_those_of_a_project_are_not_taken():
    run = renamed(PREDICTIONS, OTHERS[2])  # PyTerrier's results have the text of the queries
    run |= {"query": ["how to"] * 6, "docid": [7, 5, 3, 2, 1, 0], "text": [""] * 6}
    data = from_tables(renamed(JUDGMENTS, OTHERS[2]), run)
    check(data, expected())


def test_names_of_the_caller_go_first():
    judgments = JUDGMENTS | {"qid": [1, 1, 1, 2, 2], "grade": JUDGMENTS["label"]}
    predictions = PREDICTIONS | {"qid": [1, 1, 1, 2, 2, 2], "rank": [1, 2, 3, 1, 2, 3]}
    data = from_tables(judgments, predictions, query="qid", label="grade", rank="rank")
    names = {"query": "qid", "item": "item", "label": "grade", "rank": "rank"}
    check(data, from_tables(judgments, predictions, **names))
    assert data.notes == (
        "judgments: qid as query, item, grade as label",
        "predictions: qid as query, item, rank",
    )


def test_labels_are_sought_only_if_something_else_is():
    judgments = {**JUDGMENTS, "grade": JUDGMENTS["label"]}
    del judgments["label"]
    found = from_tables(judgments, PREDICTIONS)
    check(found, expected())
    assert found.notes[0] == "judgments: query, item, grade as label"
    each_row = from_tables(judgments, PREDICTIONS, label=None)
    assert each_row.y_true.data.tolist() == [1] * 5
    assert each_row.notes[0] == "judgments: query, item, each row as relevant"
    with raises("label", "the name of a column of judgments", advice="label='grade'"):
        from_tables(judgments, PREDICTIONS, query="query", item="item", score="score")


def test_a_table_without_labels_says_that_each_row_is_relevant():
    judgments = {name: JUDGMENTS[name] for name in ("query", "item")}
    data = from_tables(judgments, PREDICTIONS)
    assert data.notes[0] == "judgments: query, item, each row as relevant"
    with raises("label", "the name of a column of judgments", advice="label='score'"):
        from_tables(PREDICTIONS, PREDICTIONS)  # the wrong way round


Qrel = namedtuple("Qrel", ["query_id", "doc_id", "relevance", "iteration"])


@pytest.mark.parametrize(
    "form",
    [
        pd.DataFrame,
        pl.DataFrame,
        lambda table: pl.DataFrame(table).lazy(),
        lambda table: [
            dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)
        ],
        lambda table: iter([Qrel(*row, "0") for row in zip(*table.values(), strict=True)]),
    ],
)
def test_tables_of_all_kinds(form):
    judgments = form(renamed(JUDGMENTS, OTHERS[1]))
    data = from_tables(judgments, PREDICTIONS)
    check(data, expected())
    assert data.notes[0] == "judgments: query_id, doc_id, relevance as label: ir_measures' names"


def test_a_reader_of_arrow_is_read_once():
    pyarrow = pytest.importorskip("pyarrow")
    reader = pyarrow.table(renamed(JUDGMENTS, OTHERS[0])).to_reader()
    check(from_tables(reader, PREDICTIONS), expected())


def test_no_rows():
    data = from_tables(JUDGMENTS, [])
    assert data.queries_seen.predicted.count == 0
    assert data.notes == ("judgments: query, item, label", "predictions: query, item, score")


UNCLEAR = [
    ({"qid": "query"}, {}, "query", "'query_id' and 'qid'"),
    ({"docno": "item"}, {}, "item", "'doc_id' and 'docno'"),
    ({"rating": "label", "grade": "label"}, {"label": ""}, "label", "'rating' and 'grade'"),
]


@pytest.mark.parametrize(("more", "others", "role", "got"), UNCLEAR)
def test_two_columns_that_fit_are_an_error(more, others, role, got):
    judgments = renamed(JUDGMENTS, OTHERS[1], **others)
    judgments |= {name: JUDGMENTS[of] for name, of in more.items()}
    with pytest.raises(InvalidParameterError) as caught:
        from_tables(judgments, PREDICTIONS)
    assert str(caught.value) == (
        "The 'judgments' parameter of from_tables must be a table with one column whose name is "
        f"known as that of the {role}. Got {got} instead. Name it with `{role}=`."
    )


def test_a_table_whose_names_are_not_known():
    with pytest.raises(InvalidParameterError) as caught:
        from_tables(JUDGMENTS, {"question": ["q1"], "item": ["a"], "score": [1.0]})
    assert str(caught.value) == (
        "The 'predictions' parameter of from_tables must be a table with one column whose name is "
        "known as that of the query. Got the columns 'question', 'item', 'score' instead. Name it "
        "with `query=`."
    )
    with pytest.raises(InvalidParameterError, match=r"with `score=` or `rank=`\.$"):
        from_tables(JUDGMENTS, {"query": ["q1"], "item": ["a"], "scores": [1.0]})
    with pytest.raises(InvalidParameterError, match="'judgments' parameter of from_tables must"):
        from_tables([("q1", "a", 1)], PREDICTIONS)


def test_one_table():
    joined = pd.DataFrame(renamed(JUDGMENTS, OTHERS[2])).merge(
        pd.DataFrame(renamed(PREDICTIONS, OTHERS[2])), how="outer"
    )
    data = from_table(joined)
    names = {"query": "qid", "item": "docno", "label": "label", "score": "score"}
    check(data, from_table(joined, **names))
    assert data.notes == ("table: qid, docno, label, score: PyTerrier's names",)
    rows = from_table(joined, query="qid")  # without items, each row is one
    check(rows, from_table(joined, query="qid", label="label", score="score"))
    assert rows.notes == ("table: qid as query, label, score",)
    check(from_table(joined.drop(columns="docno")), rows)
    with pytest.raises(InvalidParameterError, match="known as that of the label"):
        from_table(joined.drop(columns="label"))


@pytest.mark.parametrize("query", [None, "query_id"])
def test_rows_of_json(tmp_path, query):
    table = renamed(JUDGMENTS, OTHERS[1])
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    path = tmp_path / "judgments.json"
    path.write_text(json.dumps(rows))
    check(from_tables(read_json(path, query=query), PREDICTIONS), expected())
    for row in rows:
        row["docno"] = "x"
    path.write_text(json.dumps(rows))
    with pytest.raises(InvalidParameterError, match=r"'doc_id' and 'docno' in .* `item=`\.$"):
        read_json(path)
    lists = [{"qid": "q1", "relevant": ["a"], "docid": 3}, {"qid": "q2", "relevant": []}]
    path.write_text(json.dumps(lists))
    assert read_json(path) == {"relevant": {"q1": ["a"], "q2": []}, "docid": {"q1": 3}}


# The command.


def write(path, table):
    """Write a table as text or as Parquet, and return the name of the file."""
    frame = pd.DataFrame(table)
    if path.suffix == ".parquet":
        frame.to_parquet(path)
    elif path.suffix == ".jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, sep="," if path.suffix == ".csv" else "\t", index=False)
    return str(path)


SUFFIXES = [".csv", ".tsv", ".jsonl", ".parquet"]

FORMS = {".jsonl": "one record per item", ".parquet": "Parquet"}
"""What the command calls files with a suffix, if it is not the suffix in capitals."""


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("project", projects(), ids=lambda each: each.name)
def test_the_command_takes_the_files_of_each_project(project, suffix, tmp_path, capsys):
    if suffix == ".parquet":
        pytest.importorskip("pyarrow")
    judged = write(tmp_path / f"judged{suffix}", renamed(JUDGMENTS, project))
    found = write(tmp_path / f"found{suffix}", renamed(PREDICTIONS, project))
    assert main([judged, found, "-m", "ndcg@2", "--format", "json"]) == 0
    output, errors = capsys.readouterr()
    [record] = json.loads(output)
    data = from_tables(renamed(JUDGMENTS, project), renamed(PREDICTIONS, project))
    assert record["mean"] == ranking_report(data, scores="ndcg@2", k=None)["ndcg@2"]
    form = FORMS.get(suffix, suffix[1:].upper())
    own = ("judgments: query, item, label", "predictions: query, item, score")
    judgments, predictions = data.notes or own
    said = (
        f"{judged}: {form}{judgments.removeprefix('judgments')}; "
        f"{found}: {form}{predictions.removeprefix('predictions')}"
    )
    assert record["notes"][0] == said
    assert errors == ""
    assert main([judged, found, "-m", "ndcg@2"]) == 0
    output, _ = capsys.readouterr()
    assert output.startswith(f"{said}\n\n")
    assert main([judged, found, "-m", "ndcg@2", "--format", "csv"]) == 0
    _, errors = capsys.readouterr()
    assert errors == f"ranking-scores: note: {said}\n"
    assert main([judged, found, "-m", "ndcg@2", "--format", "markdown"]) == 0
    output, _ = capsys.readouterr()
    assert output.startswith(f"{said}\n\n")


def test_the_command_finds_ranks(tmp_path, capsys):
    ranks = {name: PREDICTIONS[name] for name in ("query", "item")} | {"rank": [1, 2, 2, 1, 2, 3]}
    judged = write(tmp_path / "judged.csv", renamed(JUDGMENTS, OTHERS[2]))
    found = write(tmp_path / "found.csv", renamed(ranks, OTHERS[2]))
    assert main([judged, found, "-m", "ndcg@2", "--format", "json"]) == 0
    [record] = json.loads(capsys.readouterr().out)
    assert record["mean"] == ndcg_score(expected(predictions=RANKED), k=2)
    forms, _ = record["notes"]
    assert forms.endswith(f"; {found}: CSV: qid, docno, rank: PyTerrier's names")


def test_options_go_before_known_names(tmp_path, capsys):
    judged = write(tmp_path / "judged.csv", JUDGMENTS | {"qid": [1, 1, 1, 2, 2]})
    found = write(tmp_path / "found.csv", PREDICTIONS | {"qid": [1, 1, 1, 2, 2, 2]})
    argv = [judged, found, "-m", "map", "--query", "qid", "--by-query", "--format", "json"]
    assert main(argv) == 0
    records = json.loads(capsys.readouterr().out)
    assert [record["query"] for record in records] == ["1", "2", None]
    assert records[0]["notes"][0] == (
        f"{judged}: CSV: qid as query, item, label; {found}: CSV: qid as query, item, score"
    )


def test_the_command_refuses_two_columns_that_fit(tmp_path, capsys):
    judged = write(tmp_path / "judged.csv", renamed(JUDGMENTS, OTHERS[1]) | {"qid": [1] * 5})
    assert main([judged, "run"]) == 2
    assert capsys.readouterr().err == (
        f"ranking-scores: error: {judged}: each of the columns 'query_id' and 'qid' could be the "
        "query. Name it with --query.\n"
    )


def test_a_table_of_queries_and_a_page(tmp_path, capsys):
    judged = write(tmp_path / "judged.csv", renamed(JUDGMENTS, OTHERS[2]))
    found = write(tmp_path / "found.csv", renamed(PREDICTIONS, OTHERS[2]))
    kinds = write(
        tmp_path / "kinds.csv", {"qid": ["q1", "q2"], "query": ["a b", "c"], "kind": ["x", "y"]}
    )
    page = tmp_path / "page.html"
    argv = [judged, found, "-m", "map", "--by", "kind", "--query-table", kinds]
    assert main([*argv, "--html", str(page)]) == 0
    assert "kind x, 1 query" in capsys.readouterr().out
    assert "PyTerrier&#x27;s names" in page.read_text()


def test_records_with_lists_by_another_name_of_the_query(tmp_path, capsys):
    path = tmp_path / "lists.jsonl"
    records = [
        {"qid": "q7", "relevant": ["a"], "retrieved": ["b", "a"]},
        {"qid": "q8", "relevant": ["b"], "retrieved": ["b"]},
    ]
    path.write_text("\n".join(map(json.dumps, records)))
    assert main([str(path), "-m", "mrr@5", "--by-query", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [record["query"] for record in found] == ["q7", "q8", None]
    assert found[0]["notes"] == [
        f"{path}: one record per query: qid as query, relevant, retrieved"
    ]


def test_the_names_are_shown(capsys):
    assert main(["--help-columns"]) == 0
    output, _ = capsys.readouterr()
    lines = output.splitlines()
    assert lines[0].split() == ["files", "of", *ROLES]
    for project, line in zip(projects(), lines[1:], strict=False):
        assert line.startswith(" and ".join(project.names()))
        assert all(project.name_of(role) in line for role in ROLES)


def test_names_that_are_no_text_are_never_taken():
    found = find_columns([0, ("query", "a"), "query", "item", "label"], {}, ["query", "item"])
    assert found.names == {"query": "query", "item": "item"}
    with pytest.raises(UnclearError):
        find_columns(["qid", "q_id"], {}, ["query"])


LINES = {
    "judgments": ["301 0 FR-10 1\n", "1048585 7187158\n"],
    "run": ["301 Q0 FR-10 1 7.5 bm25\n", "301 Q0 FR-10 1 7.5\n", "1048585 7187157 1\n"],
}


@pytest.mark.parametrize("separator", [" ", "\t"])
@pytest.mark.parametrize(("judged", "found"), [(0, 0), (0, 1), (1, 2)])
def test_the_lines_that_the_guide_shows(judged, found, separator, tmp_path, capsys):
    page = (Path(__file__).parents[2] / "doc" / "your_files.rst").read_text(encoding="utf-8")
    for lines in LINES.values():
        for line in lines:
            assert f"``{line.rstrip()}" in page
    paths = [str(tmp_path / name) for name in ("judged.tsv", "found.tsv")]
    texts = LINES["judgments"][judged], LINES["run"][found]
    for path, text in zip(paths, texts, strict=True):
        Path(path).write_text(text.replace(" ", separator))
    assert main([*paths, "-m", "mrr", "--format", "json"]) == 0
    output, _ = capsys.readouterr()
    [record] = json.loads(output)
    assert record["mean"] == (0 if judged else 1)


def test_a_dataset_of_hugging_face():
    datasets = pytest.importorskip("datasets", reason="datasets is in the extra engines")
    qrels = datasets.Dataset.from_dict(renamed(JUDGMENTS, OTHERS[0]))
    data = from_tables(qrels, PREDICTIONS)
    check(data, expected())
    assert data.notes[0] == "judgments: query-id, corpus-id, score as label: BEIR's names"


@pytest.mark.parametrize(
    ("names", "taken"),
    [
        (["Query_ID", "Doc_ID", "Score"], ["Query_ID", "Doc_ID", "Score"]),
        (["QueryId", "docId", "score"], ["QueryId", "docId", "score"]),
        (["USER ID", "item.id", "RANK"], ["USER ID", "item.id", None]),
        (["Query_ID", "queryid", "doc_id", "score"], [None, "doc_id", "score"]),
        (["query_id", "Query_ID", "doc_id", "score"], ["query_id", "doc_id", "score"]),
    ],
)
def test_ids_in_another_case_are_found_where_that_is_clear(names, taken):
    found = find_columns(names, {}, ["query", "item", "score"])
    assert [found.names[role] for role in ("query", "item", "score")] == taken
    if "RANK" in names:
        assert found.names["rank"] == "RANK"
        assert found.note == "USER ID, item.id, RANK as rank"
    one = {"Query_ID": ["q", "q"], "Doc_ID": ["b", "a"], "score": [2, 1]}
    judged = {"QueryId": ["q"], "docID": ["b"], "Relevance": [1]}
    data = from_tables(judged, one)
    assert mean_reciprocal_rank_score(data) == 1
    assert data.notes == (
        "judgments: QueryId, docID, Relevance as label",
        "predictions: Query_ID, Doc_ID, score",
    )


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        (
            "a.csv",
            'query,item,score\nq,a,"1,5"\n',
            "is not a finite number. Write decimals with a ",
        ),
        ("a.csv", "1::10::4\n", "If :: separates the columns, as in MovieLens 1M, write commas"),
        ("a.dat", "1::10::4\n", "If :: separates the columns, as in MovieLens 1M, write blanks"),
        (
            "a.txt",
            "query Q0 document rank score tag\n",
            "Delete the line with the names of the columns",
        ),
        ("a.csv", "user_id,item_id,Relevance\nq,a,1\n", "Did you swap two files?"),
    ],
)
def test_what_strangers_stumble_over(name, content, said, tmp_path, capsys):
    (tmp_path / name).write_text(content, encoding="utf-8")
    (tmp_path / "gold").write_text("q 0 a 1\n", encoding="utf-8")
    assert main([str(tmp_path / "gold"), str(tmp_path / name), "-m", "mrr"]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("facts", "path"),
    [({"timed_out": True}, "timed_out"), ({"_shards": {"failed": 1}}, "_shards.failed")],
)
def test_answers_that_say_that_hits_may_be_missing(facts, path):
    for scored in ({"_score": 1.0}, {}):
        hits = {"hits": {"hits": [{"_id": "a", **scored}]}}
        whole = hits | {"timed_out": False, "_shards": {"failed": 0}}
        said = f"in 1 query hits may be missing, as {path} says"
        with pytest.warns(UserWarning, match=said):
            data = from_lists({"q": ["a"], "p": ["a"]}, {"q": whole, "p": hits | facts})
        assert data.notes[0].endswith(f"; {said}")
        assert "missing" not in from_lists({"q": ["a"]}, {"q": whole}).notes[0]


def test_a_column_alone_is_no_table():
    for one in (pd.Series([1]), pd.Index([1])):
        for tables in (
            (one, {"query": [1], "item": [2], "score": [1]}),
            ({"query": [1], "item": [2]}, one),
        ):
            with pytest.raises(InvalidParameterError, match="must be a table, such as a frame"):
                from_tables(*tables)
