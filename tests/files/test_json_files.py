"""Files of JSON: their forms, and what is wrong with a file."""

from __future__ import annotations

import gzip
import json

import pytest
from queries.test_duplicates import assert_same
from raising import raises

from ranking_scores import from_lists, from_tables
from ranking_scores.tables import read_json

RECORDS = [
    {"query": "q1", "relevant": ["d1"], "retrieved": ["d3", "d1"], "category": "faq"},
    {"query": "q2", "relevant": {"d2": 2}, "retrieved": [{"id": "d2", "score": 0.5}], "n": 1},
]
ROWS = [
    {"query": "q1", "item": "d1", "label": 2, "meta": {"doc": "x", "lang": {"code": "en"}}},
    {"query": "q1", "item": "d2", "label": 0, "score": 0.5, "meta": {"doc": "y"}},
]


@pytest.fixture
def write(tmp_path):
    def path_of(content, name="file.json"):
        path = tmp_path / name
        if isinstance(content, list) and name.endswith("jsonl"):
            content = "\n".join(map(json.dumps, content))
        elif not isinstance(content, (str, bytes)):
            content = json.dumps(content)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return path_of


@pytest.mark.parametrize(
    "text",
    [
        "\n".join(map(json.dumps, RECORDS)),
        "\n\n".join(map(json.dumps, RECORDS)) + "\n\n",
        "\r\n".join(map(json.dumps, RECORDS)),
        json.dumps(RECORDS),
        json.dumps(RECORDS, indent=2),
        "\n".join(json.dumps(each, indent=2) for each in RECORDS),
        "\ufeff" + json.dumps(RECORDS),
    ],
)
def test_records_of_queries(write, text):
    content = read_json(write(text))
    assert content == {
        "relevant": {"q1": ["d1"], "q2": {"d2": 2}},
        "retrieved": {"q1": ["d3", "d1"], "q2": [{"id": "d2", "score": 0.5}]},
        "category": {"q1": "faq"},
        "n": {"q2": 1},
    }
    assert content == read_json(write(gzip.compress(text.encode())))


def test_objects_by_query(write):
    for content in ({"q1": {"d1": 2}, "q2": {}}, {"q1": ["d1"], "q2": None}, {}):
        assert read_json(write(content)) == content
    one = {"query": "q1", "relevant": ["d1"]}
    assert read_json(write(one)) == {"relevant": {"q1": ["d1"]}}


def test_rows_of_items(write):
    content = read_json(write(ROWS, "rows.jsonl"))
    assert content == {
        "query": ["q1", "q1"],
        "item": ["d1", "d2"],
        "label": [2, 0],
        "meta": [{"doc": "x", "lang": {"code": "en"}}, {"doc": "y"}],
        "score": [None, 0.5],
    }
    by_doc = read_json(write(ROWS), item="meta.doc")
    assert by_doc["meta.doc"] == ["x", "y"]
    names = {"query": "query", "item": "item", "label": "label", "score": "score"}
    predictions = {"query": ["q1"], "item": ["d1"], "score": [1]}
    expected = {"query": ["q1", "q1"], "item": ["d1", "d2"], "label": [2, 0]}
    own = from_tables(content, predictions, **names)
    assert_same(own, from_tables(expected, predictions, **names))


def test_names_with_dots(write):
    records = [{"meta": {"id": number}, "a.b": [number], "relevant": []} for number in (5, 3)]
    assert read_json(write(records), query="meta.id") == {
        "meta": {5: {"id": 5}, 3: {"id": 3}},
        "a.b": {5: [5], 3: [3]},
        "relevant": {5: [], 3: []},
    }
    rows = [{"q": {"id": 1}, "item": 5, "item.id": 7}]
    content = read_json(write(rows), query="q.id", item="item.id")
    assert (content["q.id"], content["item.id"]) == ([1], [7])


def test_queries_without_ids_are_numbered_if_the_caller_says_so(write):
    content = read_json(write([{"relevant": ["a"]}, {"relevant": ["b"]}]), query="none")
    assert content == {"relevant": {0: ["a"], 1: ["b"]}}
    assert_same(
        from_lists(content["relevant"], {0: ["a"], 1: []}), from_lists([["a"], ["b"]], [["a"], []])
    )


@pytest.mark.parametrize(
    ("query", "expected"),
    [(None, "'query'"), ("question-id", "'question-id'"), ("q.id", "'q.id'")],
)
def test_a_query_that_no_record_has(write, query, expected):
    path = write([{"question_id": 2, "relevant": ["a"]}, {"question_id": 1, "relevant": ["b"]}])
    assert read_json(path, query="question_id") == {"relevant": {2: ["a"], 1: ["b"]}}
    with raises(
        "path",
        f"a file whose records have the id of their query in {expected}",
        got=f"records with 'question_id', 'relevant' in {path}",
    ) as caught:
        read_json(path, query=query)
    assert caught.value.code.endswith("`query='none'` numbers the records from 0.")
    with raises("path", "have the id of an item in 'product'", advice="Name it with `item=`."):
        read_json(path, query="question_id", item="product")
    named = [{"none": "b", "n": 1}, {"none": "a", "n": 2}]
    assert read_json(write(named), query="none") == {"n": {"b": 1, "a": 2}}
    path = write([{}, {}])
    with raises("path", "in 'query'", got=f"records with no field in {path}"):
        read_json(path)


LINES = "\n".join(map(json.dumps, RECORDS))


@pytest.mark.parametrize(
    ("content", "expected", "got"),
    [
        ("", "a file with dicts by query", "nothing in {path}"),
        ("\n \n", "a file with dicts by query", "nothing in {path}"),
        (f"{LINES}\n[1]", "a file with dicts by query", "[1] in line 3 of {path}"),
        ("[]", "a file with dicts by query", "nothing in {path}"),
        ("[1, 2]", "a file with dicts by query", "1 in {path}"),
        ('"text"', "a file with dicts by query", "'text' in line 1 of {path}"),
        (f"{LINES}\n{{'a': 1}}", "a file of JSON", None),
        (LINES[:-3], "a file of JSON", None),
        (f"{LINES}\n\ufeff{LINES}", "a file of JSON", "a byte-order mark in line 3 of {path}"),
        (f'{LINES}\n{{"query": "q3", "query": "q4"}}', "a file of JSON", None),
        ('[\n{"query": "q1"},\n{"query": "q1"}]', "one record for each query", None),
        (f"{LINES}\n{LINES}", "one record for each query", "query 'q1' more than once in line 3"),
        (f'{LINES}\n{{"relevant": []}}', "'query' in each record", "none in line 3 of {path}"),
        (f'{LINES}\n{{"query": null}}', "'query' in each record", "None in line 3 of {path}"),
        (f'{LINES}\n{{"query": ["a"]}}', "'query' in each record", "['a'] in line 3 of {path}"),
        ('{"item": 1, "query": 1}\n{"query": 1}', "'item' in each record", "none in line 2"),
        ('{"item": 1, "query": 1}\n\n{"item": 1}', "'query' in each record", "none in line 3"),
        ('{"item": 1, "n": 1}', "'query' in each record", "none in line 1"),
        (LINES.replace("faq", "caf\u00e9").encode("latin-1"), "a file in UTF-8", None),
        (LINES.encode("utf-16-le"), "a file in UTF-8", "a null character in line 1"),
        (LINES.encode("utf-16"), "a file in UTF-8", "another encoding in line 1"),
        (gzip.compress(LINES.encode())[:-9], "a complete gzip file", None),
    ],
)
def test_bad_files(write, content, expected, got):
    path = write(content)
    with raises("path", expected, function="read_json") as caught:
        read_json(path)
    message = f"{caught.value.got}{caught.value.place}"
    assert str(path) in message
    assert "\n" not in str(caught.value)
    assert message.startswith((got or "").format(path=path).removesuffix("}"))


def test_words_of_bad_json(write):
    path = write(f'{LINES}\n{{"a": 1, "b": 2, "b": 4, "a": 3}}')
    with raises(
        "path", "a file of JSON", got=f"'a' more than once in an object in line 3 of {path}"
    ):
        read_json(path)
    path = write('{"q1": {"d1": 1}')
    got = f"\"Expecting ',' delimiter\" in line 1 of {path}"
    with raises("path", "a file of JSON", got=got):
        read_json(path)
    with raises("path", "a str or an os.PathLike"):
        read_json(3)
    with pytest.raises(FileNotFoundError):
        read_json(path.with_name("none.json"))


def test_json_that_is_nested_too_deeply(write):
    with pytest.raises(ValueError, match="Got too many objects in one another"):
        read_json(write("[" * 100_000))
