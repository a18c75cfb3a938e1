"""Answers as the clients of search engines return them, and judgments as engines take them.

The answers have the fields of those that were recorded with the versions that the table of known
names has, or of those that the documentation of an engine shows.
"""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import polars as pl
import pytest
from raising import raises

from ranking_scores import from_lists, mean_reciprocal_rank_score, ndcg_score
from ranking_scores.__main__ import main
from ranking_scores._tables._answers import (
    answers_by_query,
    forms_of_dicts,
    forms_of_objects,
    judgments_in,
    wrappers,
)
from ranking_scores._tables._known_names import content
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.tables import from_tables

GOLD = [["b"], ["c", "b"]]
"""The relevant items of two queries, which find b second, and c first."""
MRR = (1 / 2 + 1) / 2
FOUND = ["ab", "cb"]
RISE = [[0.0, 0.4], [0.0, 0.8]]
FALL = [[1.0, 0.8], [1.0, 0.6]]


def hits(make, numbers):
    """Return the hits of both queries, each made of an id and a number."""
    pairs = zip(FOUND, numbers, strict=True)
    return [[make(*pair) for pair in zip(own, each, strict=True)] for own, each in pairs]


class Object(SimpleNamespace):
    """An object with some attributes, which is a list if it has hits."""

    def __len__(self):
        return len(self.hits) if hasattr(self, "hits") else 1

    def __getitem__(self, place):
        return self.hits[place]


def of_class(module, name, **fields):
    """Return an object of a class of that name."""
    return type(name, (Object,), {"__module__": f"{module}.some.where"})(**fields)


def milvus(item, number):
    return {"id": item, "distance": number, "entity": {"v": [1.0, 0.0]}}


def lance(score):
    return lambda item, number: {"id": item, "vector": [1.0], "text": "x", score: number}


def weaviate(name, *, is_text=False):
    def make(item, number):
        others = {"certainty": None, "distance": None, "score": None}
        number = str(number) if is_text else number
        return {"title": "x", "_additional": {"id": item} | others | {name: number}}

    return make


def typesense(item, number, name="text_match"):
    document = {"id": item, "title": "x"}
    numbers = {"text_match": 0, "vector_distance": number} if name != "text_match" else {}
    if name == "fused":
        numbers = {"text_match": 1, "vector_distance": 3.0}
        numbers["hybrid_search_info"] = {"rank_fusion_score": number}
    return {"document": document, "highlights": []} | (numbers or {"text_match": number})


def meili(item, number):
    return {"id": item, "title": "x", "_rankingScore": number}


def bedrock(item, number):
    location = {"type": "S3", "s3Location": {"uri": item}}
    return {"content": {"text": "x"}, "location": location, "score": number, "metadata": {}}


ANSWERS: dict[str, Any] = {
    "Milvus, L2": hits(milvus, RISE),
    "Milvus, COSINE": hits(milvus, FALL),
    "Milvus, REST": [{"code": 0, "cost": 0, "data": own} for own in hits(milvus, FALL)],
    "LanceDB": hits(lance("_distance"), RISE),
    "LanceDB, full text": hits(lance("_score"), FALL),
    "LanceDB, hybrid": hits(lance("_relevance_score"), FALL),
    "LanceDB, pandas": [pd.DataFrame(own) for own in hits(lance("_distance"), RISE)],
    "LanceDB, polars": [pl.DataFrame(own) for own in hits(lance("_distance"), RISE)],
    "frames": [
        pd.DataFrame(own) for own in hits(lambda item, number: {"id": item, "score": number}, FALL)
    ],
    "Weaviate, distance": [
        {"data": {"Get": {"Article": own}}} for own in hits(weaviate("distance"), RISE)
    ],
    "Weaviate, certainty": [
        {"data": {"Get": {"Article": own}}} for own in hits(weaviate("certainty"), FALL)
    ],
    "Weaviate, score": [
        {"data": {"Get": {"Article": own}}} for own in hits(weaviate("score", is_text=True), FALL)
    ],
    "Typesense": [{"found": 2, "hits": own} for own in hits(typesense, FALL)],
    "Typesense, vectors": [
        {"found": 2, "hits": own}
        for own in hits(lambda *hit: typesense(*hit, "vector_distance"), RISE)
    ],
    "Typesense, hybrid": {
        "results": [
            {"found": 2, "hits": own} for own in hits(lambda *hit: typesense(*hit, "fused"), FALL)
        ]
    },
    "Meilisearch": [
        {"hits": own, "query": "x", "processingTimeMs": 1} for own in hits(meili, FALL)
    ],
    "Meilisearch, several": {
        "results": [
            {"hits": own, "indexUid": "x", "processingTimeMs": 1} for own in hits(meili, FALL)
        ]
    },
    "Meilisearch, hits": hits(meili, FALL),
    "Algolia": [
        {"hits": [{"objectID": item, "id": 7, "name": "x"} for item in own], "nbHits": 2}
        for own in FOUND
    ],
    "Algolia, several": {
        "results": [{"hits": [{"objectID": item} for item in own], "nbHits": 2} for own in FOUND]
    },
    "Azure AI Search": [
        {"@odata.context": "x", "value": own}
        for own in hits(lambda item, number: {"@search.score": number, "id": item}, FALL)
    ],
    "Azure AI Search, reranked": hits(
        lambda item, number: {"@search.score": 1, "@search.reranker_score": number, "id": item},
        FALL,
    ),
    "Bedrock": [{"retrievalResults": own} for own in hits(bedrock, FALL)],
    "Milvus, objects": hits(
        lambda item, number: of_class("pymilvus", "Hit", id=item, distance=number), RISE
    ),
    "Weaviate, objects": [
        of_class("weaviate", "QueryReturn", objects=own)
        for own in hits(
            lambda item, number: SimpleNamespace(
                uuid=item, metadata=SimpleNamespace(distance=number, score=None)
            ),
            RISE,
        )
    ],
    "usearch": [
        of_class("usearch", "Matches", hits=own)
        for own in hits(
            lambda item, number: of_class("usearch", "Match", key=item, distance=number), RISE
        )
    ],
    "Algolia, objects": of_class(
        "algoliasearch",
        "SearchResponses",
        to_dict=lambda: {"results": [{"hits": [{"objectID": item} for item in o]} for o in FOUND]},
    ),
    "rank_eval": [
        {"metric_score": 0.5, "unrated_docs": [], "hits": own}
        for own in hits(
            lambda item, number: {
                "hit": {"_index": "x", "_id": item, "_score": number},
                "rating": None,
            },
            FALL,
        )
    ],
}


@pytest.mark.parametrize("name", ANSWERS)
def test_answers_of_engines(name):
    data = from_lists(GOLD, ANSWERS[name])
    assert mean_reciprocal_rank_score(data) == MRR
    if name != "frames":
        assert data.notes
        known = {"Milvus, L2", "Milvus, COSINE", "rank_eval"}
        assert name in known or name.partition(",")[0] in data.notes[0]


@pytest.mark.parametrize("name", ["Typesense", "Algolia", "Weaviate, score", "Azure AI Search"])
def test_answers_without_hits(name):
    """They do not say which form the others have."""
    first, second = ANSWERS[name]
    text = json.dumps(first)
    start = text.index("[{")
    empty = json.loads(f"{text[:start]}[]{text[text.rindex('}]') + 2 :]}")
    for answers in ([empty, second], [None, second]):
        assert mean_reciprocal_rank_score(from_lists(GOLD, answers)) == 1 / 2
    assert from_lists(GOLD, [empty, empty]).y_score.nnz == 0


def test_each_row_says_how_it_was_checked():
    judgments = [SimpleNamespace(**row) for row in content()["judgments"]]
    rows = [*forms_of_dicts(), *forms_of_objects(), *wrappers(), *judgments]
    for row in rows:
        assert row.source.startswith("https://")
        assert row.checked.startswith(("run ", "read"))
    for name in ("Milvus", "LanceDB", "usearch", "Chroma", "Qdrant"):
        assert any(row.name == name and row.checked.startswith("run ") for row in rows)


def test_an_id_that_users_name():
    records = hits(lance("_distance"), RISE)
    for own in records:
        for hit in own:
            hit["doc"] = hit.pop("id")
    with raises(
        "retrieved",
        "hits with an id",
        got="a dict with 'vector', 'text', '_distance', 'doc' for query 0",
    ):
        from_lists(GOLD, records)


def test_uuids_and_text():
    uuids = {item: UUID(int=ord(item)) for item in "abc"}

    def answers(gold):
        objects = [
            of_class("weaviate", "Object", uuid=uuids[item], metadata=None) for item in FOUND[0]
        ]
        return from_lists([gold], [objects])

    as_text = answers([str(uuids["b"])])
    assert mean_reciprocal_rank_score(as_text) == 1 / 2
    assert as_text.notes[0].endswith("; the UUIDs are read as text")
    assert mean_reciprocal_rank_score(answers([uuids["b"]])) == 1 / 2


# --- whole ids of Vespa -------------------------------------------------------------------------


def of_vespa(*ids):
    """Return an answer of Vespa."""
    children = [{"id": own, "relevance": 1 - n / 4} for n, own in enumerate(ids)]
    return {"root": {"id": "toplevel", "fields": {"totalCount": 2}, "children": children}}


def test_whole_ids_of_vespa():
    """Users know the last part, which may have colons."""
    long = [[f"id:shop:doc:n=1:{item}" for item in own] for own in FOUND]
    answers = [of_vespa(*own) for own in long]
    data = from_lists(GOLD, answers)
    assert mean_reciprocal_rank_score(data) == MRR
    assert data.notes[0].endswith("; of ids such as 'id:shop:doc:n=1:a' the part 'a' counts")
    by_query = dict(zip(("q1", "q2"), answers, strict=True))
    graded = from_lists({"q1": {"b": 2}, "q2": {"c": 1}}, by_query)
    assert mean_reciprocal_rank_score(graded) == MRR
    as_is = from_lists([[long[0][1]], [long[1][0]]], answers)
    assert mean_reciprocal_rank_score(as_is) == MRR
    assert "counts" not in as_is.notes[0]
    urls = from_lists([["http://x"]], [of_vespa("id:a:b::y", "id:a:b::http://x", "index:c/0/1")])
    assert mean_reciprocal_rank_score(urls) == 1 / 2
    arrays = from_lists([np.array(["b"], object), np.array(["c", "b"])], answers)
    assert mean_reciprocal_rank_score(arrays) == MRR
    with raises("relevant", "a list of ids"):
        from_lists([3, 4], answers)
    with raises("retrieved", "last parts differ", got="'id:a:b::x' and 'id:a:c::x'"):
        from_lists([["x"]], [of_vespa("id:a:b::x", "id:a:c::x")])


def test_whole_ids_of_vespa_in_files(tmp_path, capsys):
    found = tmp_path / "found.json"
    answers = [of_vespa(*(f"id:shop:doc::{item}" for item in own)) for own in FOUND]
    found.write_text(json.dumps(dict(zip(("1", "2"), answers, strict=True))))
    qrels = tmp_path / "gold.qrels"
    qrels.write_text("1 0 b 1\n2 0 c 1\n2 0 b 1\n")
    assert main([str(qrels), str(found), "-m", "mrr", "--format", "json"]) == 0
    [record] = json.loads(capsys.readouterr().out)
    assert record["mean"] == MRR
    assert "the part 'a' counts" in " ".join(record["notes"])
    qrels.write_text("1 0 id:shop:doc::b 1\n2 0 id:shop:doc::c 1\n")
    assert main([str(qrels), str(found), "-m", "mrr", "--format", "json"]) == 0
    [record] = json.loads(capsys.readouterr().out)
    assert record["mean"] == MRR


# --- distances in records -----------------------------------------------------------------------


def test_records_with_distances():
    """Their order tells whether a distance is one."""
    for numbers, note in ((RISE, "rises"), (FALL, "falls")):
        records = hits(lambda item, number: {"id": item, "distance": number}, numbers)
        data = from_lists(GOLD, records)
        assert mean_reciprocal_rank_score(data) == MRR
        assert f"retrieved: id, distance; 'distance' {note} from the best item on" in data.notes[0]
    mixed = hits(lambda item, number: {"id": item, "dist": number}, [RISE[0], FALL[1]])
    with raises("retrieved", "answers with distances that rise", advice="Ids alone"):
        from_lists(GOLD, mixed)
    both = [
        [{"id": "a", "distance": 0.5, "score": 2.0}, {"id": "b", "distance": 0.25, "score": 3}]
    ]
    assert from_lists([["b"]], both).y_score.toarray().tolist() == [[2, 3]]


@pytest.fixture
def write(tmp_path):
    """Return a function that writes an object of JSON, and returns the path."""

    def written(name, content):
        path = tmp_path / name
        path.write_text(json.dumps(content))
        return str(path)

    return written


def score_of(capsys, *argv):
    """Return the score of the command, and its notes."""
    assert main([*argv, "-m", "mrr", "--format", "json"]) == 0
    [record] = json.loads(capsys.readouterr().out)
    return record["mean"], " ".join(record.get("notes", []))


def test_the_command_takes_records_with_distances(write, capsys):
    gold = write("gold.json", {"q1": ["b"], "q2": ["c", "b"]})
    for numbers in (RISE, FALL):
        lists = hits(lambda item, number: {"id": item, "distance": number}, numbers)
        found = write("found.json", dict(zip(("q1", "q2"), lists, strict=True)))
        for named in ([], ["--score", "distance"], ["--score", "distance", "--item", "id"]):
            mean, notes = score_of(capsys, gold, found, *named)
            assert mean == MRR
            assert "from the best item on" in notes


# --- other fields of ids ------------------------------------------------------------------------


def of_elastic(make=None):
    """Return an answer of Elasticsearch for each query, with ids in other fields, too."""
    by_query = {}
    for name, own in zip(("q1", "q2"), FOUND, strict=True):
        entries = [
            {
                "_id": f"{number}",
                "_score": 1 - number / 4,
                "_source": {"doc_id": item, "rank": -number},
                "fields": {"doc_id": [item]},
            }
            for number, item in enumerate(own)
        ]
        by_query[name] = {"hits": {"hits": entries}}
    return by_query


@pytest.mark.parametrize("item", ["_source.doc_id", "fields.doc_id"])
def test_another_field_of_ids_in_hits(item, write, capsys):
    gold = write("gold.json", {"q1": ["b"], "q2": ["c", "b"]})
    found = write("found.json", of_elastic())
    mean, notes = score_of(capsys, gold, found, "--item", item)
    assert mean == MRR
    assert f"hits.hits[].{item}, _score: Elasticsearch's and OpenSearch's answer" in notes
    mean, notes = score_of(capsys, gold, found, "--item", item, "--score", "_source.rank")
    assert mean == MRR
    assert "_source.rank" in notes
    hits_alone = {name: own["hits"]["hits"] for name, own in of_elastic().items()}
    mean, _ = score_of(capsys, gold, write("hits.json", hits_alone), "--item", item)
    assert mean == MRR or item.startswith("fields")
    assert main([gold, found, "--item", "_source.no"]) == 2
    error = capsys.readouterr().err
    assert "hits with an id, hits.hits[]._source.no" in error
    assert "'_id', '_score', '_source', 'fields'" in error


def test_the_score_alone_may_be_named(write, capsys):
    gold = write("gold.json", {"q1": ["1"], "q2": ["1"]})
    mean, notes = score_of(capsys, gold, write("found.json", of_elastic()), "--score", "_score")
    assert mean == 1 / 2
    assert "hits.hits[]._id, _score" in notes


def test_two_fields_of_ids(write, tmp_path, capsys):
    gold = write("gold.json", {"q1": [{"title": "b"}], "q2": [{"title": "c"}, {"title": "b"}]})
    found = write("found.json", of_elastic())
    mean, _ = score_of(capsys, gold, found, "--item", "title=_source.doc_id")
    assert mean == MRR
    records = {"q1": [{"text": "a"}, {"text": "b"}], "q2": [{"text": "c"}]}
    mean, _ = score_of(capsys, gold, write("records.json", records), "--item", "title=text")
    assert mean == MRR
    (tmp_path / "gold.csv").write_text("query,title,label\nq1,b,1\nq2,c,1\n")
    (tmp_path / "run.csv").write_text("query,text,score\nq1,a,2\nq1,b,1\nq2,c,1\n")
    files = str(tmp_path / "gold.csv"), str(tmp_path / "run.csv")
    mean, _ = score_of(capsys, *files, "--item", "title=text")
    assert mean == MRR
    for wrong in ("title=", "=text"):
        assert main([*files, "--item", wrong]) == 2
        assert "--item takes a name, or those in JUDGMENTS and in RUN" in capsys.readouterr().err
    assert main(["--agreement", *files, "--item", "title=text"]) == 2
    assert "--item takes one name with --agreement" in capsys.readouterr().err


# --- rank_eval and judgments --------------------------------------------------------------------


RATINGS = {
    "requests": [
        {
            "id": "q1",
            "request": {"query": {"match": {"text": "x"}}},
            "ratings": [
                {"_index": "x", "_id": "b", "rating": 2},
                {"_index": "x", "_id": "a", "rating": 0},
            ],
        },
        {"id": "q2", "ratings": [{"_index": "x", "_id": "c", "rating": 1}]},
    ],
    "metric": {"dcg": {"k": 10}},
}
LABELS = {"q1": {"b": 2, "a": 0}, "q2": {"c": 1}}
RESPONSE = {
    "metric_score": 0.75,
    "details": dict(zip(("q1", "q2"), ANSWERS["rank_eval"], strict=True)),
    "failures": {},
}
OF_OPENSEARCH = {
    "name": "Imported Judgments",
    "type": "IMPORT_JUDGMENT",
    "judgmentRatings": [
        {
            "query": query,
            "ratings": [{"docId": item, "rating": f"{grade}.000"} for item, grade in own.items()],
        }
        for query, own in LABELS.items()
    ],
}
SAVED = {"took": 3, "hits": {"hits": [{"_id": "x", "_score": 1, "_source": OF_OPENSEARCH}]}}


def test_rank_eval():
    data = from_lists(RATINGS, RESPONSE)
    assert mean_reciprocal_rank_score(data) == MRR
    note = "relevant: requests[].ratings[]._id, rating: Elasticsearch's judgments"
    assert data.notes[0] == note
    assert data.notes[1].startswith("retrieved: hits[].hit._id, hit._score: Elasticsearch's")
    assert ndcg_score(data) == ndcg_score(from_lists(LABELS, RESPONSE))
    assert answers_by_query(RESPONSE) == RESPONSE["details"]
    assert answers_by_query({"details": {"q1": ["a"]}}) is None
    assert answers_by_query([RESPONSE]) is None
    wrapped = of_class("elastic_transport", "ObjectApiResponse", body=RESPONSE)
    assert mean_reciprocal_rank_score(from_lists(LABELS, wrapped)) == MRR
    [first, _] = RESPONSE["details"].items()
    failed = RESPONSE | {"details": dict([first]), "failures": {"q2": {"error": "no index"}}}
    with raises("retrieved", "answers of one form", got="a dict with 'error' for query 'q2'"):
        from_lists(LABELS, failed)


@pytest.mark.parametrize("judged", [RATINGS, OF_OPENSEARCH, SAVED])
def test_judgments_of_engines(judged):
    known = judgments_in(judged)
    assert known is not None
    assert known.by_query == LABELS
    assert mean_reciprocal_rank_score(from_lists(judged, RESPONSE)) == MRR


@pytest.mark.parametrize(
    "judged",
    [
        [RATINGS],
        {"q1": ["a"]},
        {"requests": []},
        {"requests": ["a"]},
        {"requests": [{"id": "q1", "ratings": ["a"]}]},
        {"hits": {"hits": [3]}},
        3,
    ],
)
def test_other_judgments(judged):
    assert judgments_in(judged) is None


WRONG_JUDGMENTS = [
    ([{"id": "q", "ratings": []}] * 2, "each id once in 'id'", "'q' more than once"),
    ([{"ratings": []}], "each id once in 'id'", "a dict with 'ratings'"),
    ([{"id": ["q"], "ratings": []}], "each id once in 'id'", "a dict with 'id', 'ratings'"),
    ([{"id": "q", "ratings": [{"_id": "a"}]}], "each id once in '_id'", "a dict with '_id'"),
    ([{"id": "q", "ratings": [{"rating": 1}]}], "each id once in '_id'", "a dict with 'rating'"),
    (
        [{"id": "q", "ratings": 2 * [{"_id": "a", "rating": 1}]}],
        "each id once in",
        "'a' more than once",
    ),
]


@pytest.mark.parametrize(("queries", "expected", "got"), WRONG_JUDGMENTS)
def test_wrong_judgments(queries, expected, got):
    with raises("relevant", expected, got=got):
        from_lists({"requests": queries}, {"q": ["a"]})


# --- tables -------------------------------------------------------------------------------------


def test_tables_of_lancedb():
    """A search for several vectors is one table."""
    rows = [
        hit | {"query": number}
        for number, own in enumerate(hits(lance("_distance"), RISE))
        for hit in own
    ]
    gold = {"query": [0, 1, 1], "id": ["b", "c", "b"]}
    data = from_tables(gold, pd.DataFrame(rows), query="query", item="id", score="_distance")
    assert mean_reciprocal_rank_score(data) == MRR
    assert "'_distance' rises from the best item on" in data.notes[-1]


# --- what is no list and no answer --------------------------------------------------------------


FAULTY = [
    ({"q1": ["d1"]}, {"q1": [["d1", 0.9], 1]}, "Got 1 at position 1 of query 'q1'"),
    ({"q1": ["d1", 3]}, {"q1": ["d1"]}, "Got 3 at position 1 of query 'q1'"),
    ({"q1": ["d1"]}, {"q1": [True, "d1"]}, "Got True at position 0 of query 'q1'"),
    ({"q1": ["a"]}, {"q1": {"a": 0.5, "b": [1]}}, "Got [1] at position 1 of query 'q1'"),
    ({"q1": ["a"]}, {"q1": {"a": 0.5, "b": "x"}}, "Got 'x' at position 1 of query 'q1'"),
    ({"q1": ["a"]}, {"q1": [["a", [1]]]}, "Got [1] at position 0 of query 'q1'"),
    (
        {"q1": ["a"]},
        {"q1": {"ids": ["a", "b"], "distances": [0.1, 0.2]}},
        "Got ['a', 'b'] at position 0 of query 'q1'",
    ),
    (
        {"q1": ["a"], "q2": ["b"]},
        {"q1": {"ids": [["a"]], "distances": [0.1]}, "q2": None},
        "a list of distances as long as its ids. Got 0.1 beside ['a'] for query 'q1'",
    ),
]
"""Judgments, predictions, and what the error says, of `from_lists` and of the command."""


def test_records_whose_keys_are_no_text():
    with raises("retrieved", "records with 'id'"):
        ndcg_score(from_lists([["a"]], [[{1: 2}]]))


@pytest.mark.parametrize(("gold", "found", "message"), FAULTY)
def test_errors_name_the_place(gold, found, message, write, capsys):
    with pytest.raises(InvalidParameterError) as caught:
        ndcg_score(from_lists(gold, found))
    assert message in str(caught.value)
    assert main([write("gold.json", gold), write("found.json", found), "-m", "ndcg"]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("value", [3, 0.5, True, {"x": True}])
@pytest.mark.parametrize("field", ["relevant", "retrieved"])
@pytest.mark.parametrize("option", [[], ["--drop-self"], ["--ids", "text"], ["--item", "id"]])
def test_what_is_no_list_in_files(field, value, option, write, capsys):
    records = [{"query": f"q{n}", "relevant": ["a"], "retrieved": ["b", "a"]} for n in (1, 2)]
    records[1][field] = value
    path = write("all.json", records)
    status = main([path, "-m", "mrr", *option])
    error = capsys.readouterr().err
    if value == {"x": True}:
        assert status in (0, 2)
        return
    assert status == 2
    assert f"'{field}' in {path} must be a list of ids" in error
    assert f"Got {value} for query 'q2'" in error
    assert main([write("gold.json", {"q1": ["a"]}), write("true.json", value), "-m", "mrr"]) == 2


def test_lists_of_chroma_without_a_list_around_them():
    with raises("retrieved", "a list of distances each", got="[0.1, 0.2] beside 1 query"):
        from_lists([["a"]], {"ids": [["a", "b"]], "distances": [0.1, 0.2]})
    with raises("retrieved", "as long as its ids", got="0.1 beside ['a']"):
        from_lists([["a"], ["b"]], {"ids": [["a"], ["b"]], "distances": [0.1, 0.2]})


def test_the_command_says_what_judgments_were_taken_for(write, capsys):
    found = write("found.json", {"q1": ["x", "refunds"]})
    gold = write("gold.jsonl", [{"query": "q1", "relevant": "refunds"}])
    mean, notes = score_of(capsys, gold, found)
    assert (mean, notes.endswith(f"{gold}: one id as text in 1 of 1 queries")) == (1 / 2, True)
    judged = {"requests": [{"id": "q1", "ratings": [{"_id": "x", "rating": 1}]}]}
    mean, notes = score_of(capsys, write("gold.json", judged), found)
    assert mean == 1
    assert "requests[].ratings[]._id, rating: Elasticsearch's judgments" in notes


def test_an_empty_id_in_the_field_of_the_run(write, capsys):
    gold = write("gold.json", {"q1": [{"title": "a"}]})
    found = write("found.json", {"q1": [{"text": "a"}, {"text": ""}]})
    assert main([gold, found, "-m", "mrr", "--item", "title=text"]) == 2
    assert "the id of an item is empty" in capsys.readouterr().err


def test_numbers_beside_lists_name_the_place():
    with raises("retrieved", "bools, ints or floats", got="[1] at position 1 of query 0"):
        ndcg_score(from_lists([["a"]], [{"b": 0.5, "a": [1]}]))


def test_tensors_as_columns():
    torch = pytest.importorskip("torch", reason="tensors are tested where PyTorch is")
    judged = {"query": [1, 2], "item": torch.tensor([1, 3])}
    found = {"query": [1, 1, 1, 2, 2, 2], "item": torch.tensor([2, 1, 5, 3, 4, 6])}
    found["score"] = torch.tensor([3.0, 2.0, 1.0] * 2)
    data = from_tables(judged, found, label=None)
    assert mean_reciprocal_rank_score(data, k=2) == 3 / 4
