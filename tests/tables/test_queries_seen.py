"""Queries that only one of two tables has: counted in the result, and said in print."""

from __future__ import annotations

import copy
import pickle
import unicodedata

import pandas as pd
import pytest
from warned import nothing_to_rank

from ranking_scores import from_tables, ranking_report, scale
from ranking_scores.__main__ import main
from ranking_scores.tables import from_table
from ranking_scores.trec import from_pytrec_eval

COLUMNS = {"query": "query", "item": "item", "score": "score"}
JUDGED = pd.DataFrame({"query": ["q1", "q2", "q3", "q4"], "item": list("abcd"), "label": 1})
PREDICTED = pd.DataFrame(
    {"query": ["q1", "q2", "q3", "q8", "q9"], "item": list("abzab"), "score": [5, 4, 3, 2, 1]}
)
LEFT_OUT = "2 queries were predicted but not judged, and are left out: 'q8', 'q9'"
NO_PREDICTION = "1 query was judged but not predicted, and counts 0: 'q4'"


def join(judged=JUDGED, predicted=PREDICTED, **params):
    return from_tables(judged, predicted, **COLUMNS | {"label": "label"} | params)


@pytest.mark.parametrize(
    ("queries", "lines"),
    [
        ("judged", [LEFT_OUT, NO_PREDICTION]),
        (
            "both",
            [LEFT_OUT, "1 query was judged but not predicted, and is left out: 'q4'"],
        ),
        (
            "all",
            [
                "2 queries were predicted but not judged, and count as queries without relevant "
                "items: 'q8', 'q9'",
                NO_PREDICTION,
            ],
        ),
    ],
)
def test_what_is_left_out_or_added_is_said(queries, lines):
    data = join(queries=queries)
    seen = data.queries_seen
    assert str(seen) == "\n".join(lines)
    assert (seen.n_queries, seen.n_both) == (6, 3)
    assert (seen.judged.count, seen.predicted.count) == (4, 5)
    assert (seen.only_judged.count, seen.only_judged.first) == (1, ("q4",))
    assert (seen.not_judged.count, seen.not_judged.first) == (2, ("q8", "q9"))
    report = ranking_report(data, scores="ndcg", k=None)
    assert report.queries_seen == seen
    n_queries = len(data.query_ids)
    assert repr(report).endswith("\n".join(["", "", f"{n_queries} queries", *lines]))
    assert all(
        f"<p>{line.replace(chr(39), '&#x27;')}</p>" in report._repr_html_() for line in lines
    )


def test_one_query_of_each_kind():
    seen = join(predicted=PREDICTED[:4], queries="all").queries_seen
    assert "1 query was predicted but not judged, and counts as a query without rel" in str(seen)


def test_nothing_is_said_of_equal_queries():
    for queries in ("judged", "equal"):
        data = join(JUDGED[:3], PREDICTED[:3], queries=queries)
        assert str(data.queries_seen) == ""
        assert repr(ranking_report(data, scores="map", k=None)).endswith("3 queries")


def test_the_result_is_still_four_arrays():
    data = join()
    y_true, y_score, query_ids, item_ids = data
    assert (y_true is data.y_true, len(data)) == (True, 4)
    for other in (pickle.loads(pickle.dumps(data)), copy.copy(data), copy.deepcopy(data)):
        assert other.queries_seen == data.queries_seen
    assert data._replace(item_ids=item_ids).queries_seen is None
    assert ranking_report(y_true, y_score, query_ids=query_ids).queries_seen is None


def test_one_table_and_dicts_of_dicts():
    joined = JUDGED.merge(PREDICTED, how="outer")
    one = from_table(joined, **COLUMNS, label="label", queries="judged")
    assert one.queries_seen == join().queries_seen
    judged = {
        query: {item: 1} for query, item in zip(JUDGED["query"], JUDGED["item"], strict=True)
    }
    run = {query: {item: float(score)} for query, item, score in PREDICTED.itertuples(index=False)}
    with pytest.warns(UserWarning, match="2 of 5 queries of run are left out"):
        assert from_pytrec_eval(judged, run).queries_seen == join().queries_seen


@nothing_to_rank
def test_reports_of_parts_say_the_same():
    pytest.importorskip("dask")
    import dask.dataframe as dd

    frames = (dd.from_pandas(each, npartitions=2) for each in (JUDGED, PREDICTED))
    report = scale.report_tables(*frames, **COLUMNS, label="label", scores="ndcg")
    assert report.queries_seen == join().queries_seen
    assert repr(report).endswith(f"{LEFT_OUT}\n{NO_PREDICTION}")


def test_the_command_says_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    JUDGED.rename(columns={"item": "product"}).to_csv("judged.csv", index=False)
    for name, frame in (("a.csv", PREDICTED), ("b.csv", PREDICTED[:4])):
        frame.rename(columns={"item": "product"}).to_csv(name, index=False)
    names = ["--query", "query", "--item", "product", "--label", "label", "--score", "score"]
    assert main(["judged.csv", "a.csv", "b.csv", *names]) == 0
    assert capsys.readouterr().out.splitlines()[-5:] == [
        "4 queries",
        NO_PREDICTION,
        "no query has more than one relevant item, so recall is hit rate",
        f"a.csv: {LEFT_OUT}",
        "b.csv: 1 query was predicted but not judged, and is left out: 'q8'",
    ]


def renamed(frame, names):
    return frame.assign(query=frame["query"].replace(names))


@pytest.mark.parametrize(
    ("ids", "others"),
    [
        (["007", "0012", "3"], ["7", "12", "3"]),
        (["q1 ", "q2 ", "q3"], ["q1", "q2", "q3"]),
        (["Q1", "Q2", "q3"], ["q1", "q2", "q3"]),
        (
            [unicodedata.normalize("NFC", each) for each in ("é", "è", "e")],
            [unicodedata.normalize("NFD", each) for each in ("é", "è", "e")],
        ),
    ],
)
def test_ids_that_are_written_in_two_ways(ids, others):
    judged = renamed(JUDGED[:3], dict(zip(["q1", "q2", "q3"], ids, strict=True)))
    predicted = renamed(PREDICTED[:3], dict(zip(["q1", "q2", "q3"], others, strict=True)))
    predicted["item"] = judged["item"]
    with pytest.warns(UserWarning, match="share only 1 of 3 judged and 3 predicted") as caught:
        join(judged, predicted)
    first = min(set(ids) - set(others))
    [message] = [str(each.message) for each in caught if "share only" in str(each.message)]
    assert f"The ids {first!a} and " in message
    assert message.endswith("may mean the same query.")


def test_tables_that_share_few_queries_and_others():
    judged = renamed(JUDGED, {"q2": 2, "q3": "x", "q4": "y"})
    with pytest.warns(UserWarning, match=r"only predicted are 'q2', 'q3', 'q8', …\.$"):
        join(judged.astype({"query": str}), PREDICTED)
    join(JUDGED[:1], PREDICTED)  # all that are judged were predicted
    join(JUDGED, PREDICTED[:1])
    join(JUDGED[:2].assign(query=["q1", "x"]), PREDICTED)  # half of them
