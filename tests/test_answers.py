"""Answers of search engines and of libraries, against the lists that are in them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking_scores import from_lists, ndcg_score
from ranking_scores.__main__ import main
from ranking_scores._tables._answers import forms_of_dicts, forms_of_objects, is_answer
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.tables import read_json

GOLD = [["a", "d"], ["b"], ["c"]]
FOUND = [[("b", 2.0), ("a", 1.0), ("d", 1.0)], [], [("x", 0.5), ("c", 0.25)]]


def put(path: str, value: Any, beside: dict[str, Any]) -> Any:
    """Return a dict that has a value at a path, with other fields at the top."""
    for name in reversed(path.split(".")):
        value = {name: value}
    return beside | value


def answer(form, hits, *, has_scores=True):
    """Return the answer of a form that has some hits."""
    if form.are_columns:
        numbers = (
            [-score for _, score in hits] if form.is_distance else [score for _, score in hits]
        )
        return {
            form.id: [[item for item, _ in hits]],
            form.score: [numbers] if has_scores else None,
        }
    entries = [{form.id: item, form.score: score, "other": {"score": "x"}} for item, score in hits]
    if not has_scores:
        entries = [{form.id: each[form.id], form.score: None} for each in entries]
    return put(form.hits, entries, {"took": 3, "status": "ok"})


def check(data, expected):
    """Check that two data are the same."""
    for one, two in zip(data, expected, strict=True):
        one, two = (each.toarray() if hasattr(each, "toarray") else each for each in (one, two))
        np.testing.assert_array_equal(one, two)


ids = [f"{form.name} {form.hits}" for form in forms_of_dicts()]


@pytest.mark.parametrize("form", forms_of_dicts(), ids=ids)
def test_answers_are_the_lists_that_they_have(form):
    answers = [answer(form, hits) for hits in FOUND]
    data = from_lists(GOLD, answers)
    check(data, from_lists(GOLD, FOUND))
    assert data.notes[0].startswith(f"retrieved: {form.hits and f'{form.hits}[].'}{form.id}, ")
    assert f"{form.name}'" in data.notes[0]
    assert " answer" in data.notes[0]
    assert data.notes[0] in str(data)
    assert form.is_distance == ("each score is minus the distance" in data.notes[0])
    by_query = {f"q{number}": each for number, each in enumerate(answers)}
    gold = {f"q{number}": each for number, each in enumerate(GOLD)}
    check(from_lists(gold, by_query)[:2], data[:2])
    assert ndcg_score(from_lists(gold, by_query), k=1) == ndcg_score(data, k=1)


@pytest.mark.parametrize("form", forms_of_dicts(), ids=ids)
def test_without_scores_the_order_counts(form):
    answers = [answer(form, hits, has_scores=False) for hits in FOUND]
    lists = [[item for item, _ in hits] for hits in FOUND]
    check(from_lists(GOLD, answers), from_lists(GOLD, lists))
    some = [answer(form, FOUND[0]), None, answers[2]]
    check(from_lists(GOLD, some)[:1], from_lists(GOLD, [FOUND[0], None, lists[2]])[:1])
    assert from_lists(GOLD, some).y_score.toarray()[2].tolist() == [0, 0, -1, 0, 0]
    note = "with scores in 1 of 2 answers; the order of the others counts"
    assert note in from_lists(GOLD, some).notes[0]
    mixed = answer(form, [("a", 1.0), ("b", None)]) if not form.are_columns else {}
    if form.are_columns:
        mixed = {form.id: [["a", "b"]], form.score: [[1.0, None]]}
    with pytest.raises(InvalidParameterError) as caught:
        from_lists(GOLD, [mixed, None, None])
    assert "a score in each hit, or in none" in str(caught.value)
    assert "for query 0" in str(caught.value)


def batches():
    """Yield answers to several queries at once, each with its name."""
    forms = {(form.name, form.hits): form for form in forms_of_dicts()}
    elastic = forms["Elasticsearch", "hits.hits"]
    yield "msearch", {"took": 1, "responses": [answer(elastic, hits) for hits in FOUND]}
    qdrant = [[{"id": item, "score": score} for item, score in hits] for hits in FOUND]
    yield "search batch", {"result": qdrant, "status": "ok"}
    yield "query batch", {"result": [{"points": each} for each in qdrant], "status": "ok"}
    columns = {
        "ids": [[item for item, _ in hits] for hits in FOUND],
        "distances": [[-score for _, score in hits] for hits in FOUND],
        "documents": None,
    }
    yield "Chroma", columns


BATCHES = dict(batches())


@pytest.mark.parametrize("name", BATCHES)
def test_one_answer_to_several_queries(name):
    batch = BATCHES[name]
    check(from_lists(GOLD, batch), from_lists(GOLD, FOUND))
    with pytest.raises(InvalidParameterError, match="of 2 queries, like relevant"):
        from_lists(GOLD[:2], batch)
    by_query = dict(enumerate(GOLD))
    with pytest.raises(InvalidParameterError):  # which is which query is not known
        from_lists(by_query, batch)


def test_chroma_without_distances():
    batch = {"ids": [["b", "a"], []], "distances": None}
    check(from_lists(GOLD[:2], batch), from_lists(GOLD[:2], batch["ids"]))


HITS = [
    ({"_id": "a", "_score": 1.0}, "Elasticsearch's"),
    ({"corpus_id": "a", "score": 1.0, "text": ""}, "sentence-transformers'"),
    ({"doc_id": "a", "score": 1.0}, "ir_measures'"),
    ({"docno": "a", "score": 1.0, "rank": 0}, "PyTerrier's"),
    ({"id": "a", "relevance": 1.0}, "Vespa's"),
]


@pytest.mark.parametrize(("hit", "name"), HITS)
def test_the_hits_of_answers_alone(hit, name):
    [id_field, *_] = hit
    data = from_lists([["a"], ["b"]], [[hit, hit | {id_field: "b"}], []])
    assert data.y_score.toarray().tolist() == [[1, 1], [0, 0]]
    assert name in data.notes[0]


def test_records_with_our_names_are_read_as_before():
    data = from_lists([["a"]], [[{"id": "a", "score": 2.0, "relevance": 1.0}]])
    assert data.y_score.data.tolist() == [2]
    assert data.notes == ()
    assert from_lists([["a"]], [{"a": 0.5, "hits": 0.25}]).notes == ()
    with pytest.raises(InvalidParameterError, match="records with 'id'"):
        ndcg_score(from_lists([["a"]], [[{"name": "a", "score": 2.0}]]))


def made(form):
    """Return a class that looks like that of a form."""
    names = [form.id, *[form.score] * bool(form.score)]
    if form.hits:
        names = [form.hits]
    kind = dataclass(type(form.type, (), {"__annotations__": dict.fromkeys(names, Any)}))
    kind.__module__ = f"{form.module}.some.where"
    return kind


OBJECTS = {f"{form.name} {form.type}": form for form in forms_of_objects()}


@pytest.mark.parametrize("name", [name for name, form in OBJECTS.items() if form.score])
def test_objects(name):
    form = OBJECTS[name]
    if form.hits:
        [inner] = [each for each in OBJECTS.values() if each.name == form.name and not each.hits]
        hits = [[made(inner)(item, score) for item, score in each] for each in FOUND]
        answers = [made(form)(each) for each in hits]
    else:
        answers = [[made(form)(item, score) for item, score in each] for each in FOUND]
    data = from_lists(GOLD, answers)
    check(data, from_lists(GOLD, FOUND))
    assert data.notes[0].endswith(f"{form.name}'s {form.type}")


def test_documents_of_langchain():
    form = OBJECTS["LangChain Document"]
    document = made(form)
    derived = type("Own", (document,), {"__module__": "mine"})
    documents = [[derived(item) for item, _ in hits] for hits in FOUND]
    check(
        from_lists(GOLD, documents),
        from_lists(GOLD, [[item for item, _ in hits] for hits in FOUND]),
    )
    pairs = [[(document(item), score) for item, score in hits] for hits in FOUND]
    data = from_lists(GOLD, pairs)
    check(data, from_lists(GOLD, FOUND))
    assert "distance" not in data.notes[0]
    distances = [[(each, -score) for each, score in own] for own in pairs]
    turned = from_lists(GOLD, distances)
    check(turned, data)
    assert "each score is minus the distance" in turned.notes[0]
    with pytest.raises(
        InvalidParameterError, match="that fall from the best item on, or with dist"
    ):
        from_lists(GOLD, [distances[0], [], pairs[2]])
    with pytest.raises(InvalidParameterError, match="hits with an id") as caught:
        from_lists(GOLD, [[document("a"), document(None)], [], []])
    assert "for query 0" in str(caught.value)


def test_answers_of_several_forms_are_refused():
    elastic, vespa = forms_of_dicts()[:2]
    answers = [answer(elastic, FOUND[0]), None, answer(vespa, FOUND[2])]
    with pytest.raises(InvalidParameterError) as caught:
        from_lists(GOLD, answers)
    assert "answers of one form, hits.hits[]._id, _score" in str(caught.value)
    assert "for query 2" in str(caught.value)
    with pytest.raises(InvalidParameterError, match="hits with an id"):
        from_lists(GOLD, [answer(elastic, FOUND[0]), None, put("hits.hits", [{"x": 1}], {})])
    with pytest.raises(InvalidParameterError, match="hits with an id"):
        from_lists(GOLD, [answer(elastic, FOUND[0]), None, put("hits.hits", [3], {})])
    document = made(OBJECTS["LangChain Document"])
    with pytest.raises(InvalidParameterError, match="hits with an id"):
        from_lists(GOLD, [[document("a"), "b"], None, None])
    with pytest.raises(InvalidParameterError, match="answers of one form"):
        from_lists(
            GOLD,
            [
                made(OBJECTS["Qdrant QueryResponse"])(
                    [made(OBJECTS["Qdrant ScoredPoint"])("a", 1)]
                ),
                None,
                3,
            ],
        )


def test_wrong_scores_and_repeats_name_the_place():
    elastic = forms_of_dicts()[0]
    bad = [answer(elastic, FOUND[0]), None, answer(elastic, [("x", 1.0), ("c", float("nan"))])]
    with pytest.raises(InvalidParameterError) as caught:
        ndcg_score(from_lists(GOLD, bad))
    assert "'retrieved' parameter of from_lists" in str(caught.value)
    assert "position 1" in str(caught.value)
    twice = [answer(elastic, [("a", 1.0), ("a", 0.5)]), None, None]
    with pytest.raises(InvalidParameterError, match="more than once"):
        ndcg_score(from_lists(GOLD, twice))
    best = from_lists(GOLD, twice, duplicates="best")
    assert best.y_score.data.tolist() == [1]


@given(
    st.lists(
        st.lists(
            st.tuples(st.sampled_from("abcdefgh"), st.sampled_from([0.0, 0.5, 2.0])),
            max_size=8,
            unique_by=lambda pair: pair[0],
        ),
        min_size=3,
        max_size=3,
    ),
    st.sampled_from(forms_of_dicts()),
    st.sampled_from([1, 3, None]),
)
def test_numbers_have_the_bits_of_the_lists(found, form, k):
    gold = [["a", "found"], *GOLD[1:]]
    found = [[*found[0], ("found", 0.5)], *found[1:]]  # otherwise there is a warning
    answers = from_lists(gold, [answer(form, hits) for hits in found])
    assert ndcg_score(answers, k=k) == ndcg_score(from_lists(gold, found), k=k)


# Files.


@pytest.mark.parametrize("form", forms_of_dicts(), ids=ids)
def test_a_dict_of_answers_in_a_file(form, tmp_path, capsys):
    gold = {f"q{number}": each for number, each in enumerate(GOLD)}
    answers = {f"q{number}": answer(form, hits) for number, hits in enumerate(FOUND)}
    paths = tmp_path / "gold.json", tmp_path / "found.json"
    for path, content in zip(paths, (gold, answers), strict=True):
        path.write_text(json.dumps(content))
    data = from_lists(*map(read_json, paths))
    check(data[:2], from_lists(GOLD, FOUND)[:2])
    argv = [*map(str, paths), "-m", "ndcg@2", "--format", "json"]
    assert main(argv) == 0
    [record] = json.loads(capsys.readouterr().out)
    assert record["mean"] == ndcg_score(data, k=2)
    assert record["notes"] == [data.notes[0].replace("retrieved", str(paths[1]), 1)]


def test_one_record_with_an_answer_per_query(tmp_path, capsys):
    elastic = forms_of_dicts()[0]
    path = tmp_path / "found.jsonl"
    records = [
        {"query": f"q{number}", "relevant": own, "retrieved": answer(elastic, hits)}
        for number, (own, hits) in enumerate(zip(GOLD, FOUND, strict=True))
    ]
    path.write_text("\n".join(map(json.dumps, records)))
    assert main([str(path), "-m", "ndcg@2", "--format", "json"]) == 0
    [record] = json.loads(capsys.readouterr().out)
    assert record["mean"] == ndcg_score(from_lists(GOLD, FOUND), k=2)
    content = read_json(path)
    check(from_lists(content["relevant"], content["retrieved"])[:2], from_lists(GOLD, FOUND)[:2])


def test_a_record_that_is_an_answer_has_the_id_of_its_query(tmp_path, capsys):
    """As sentence-transformers writes its predictions."""
    form = next(each for each in forms_of_dicts() if each.name == "sentence-transformers")
    gold, path = tmp_path / "gold.json", tmp_path / "found.jsonl"
    gold.write_text(json.dumps({f"q{number}": each for number, each in enumerate(GOLD)}))
    records = [
        {"query_id": f"q{number}", "query": "how to"} | answer(form, hits)
        for number, hits in enumerate(FOUND)
    ]
    path.write_text("\n".join(map(json.dumps, records)))
    assert main([str(gold), str(path), "-m", "ndcg@2", "--format", "json"]) == 0
    [record] = json.loads(capsys.readouterr().out)
    assert record["mean"] == ndcg_score(from_lists(GOLD, FOUND), k=2)
    assert record["notes"] == [
        f"{path}: query_id: ir_measures' names",
        f"{path}: results[].corpus_id, score: sentence-transformers' answer",
    ]
    path.write_text(json.dumps(answer(form, FOUND[0])))
    assert main([str(gold), str(path), "-m", "ndcg@2"]) == 2
    error = capsys.readouterr().err
    assert "no record has the id of its query" in error
    assert '{"q1": ..., "q2": ...}' in error


def test_predictions_of_mteb(tmp_path, capsys):
    gold, path = tmp_path / "gold.json", tmp_path / "Task_predictions.json"
    gold.write_text(json.dumps({f"q{number}": each for number, each in enumerate(GOLD)}))
    found = {f"q{number}": dict(hits) for number, hits in enumerate(FOUND)}
    content = {"mteb_model_meta": {"model_name": "m"}, "default": {"test": found}}
    path.write_text(json.dumps(content))
    assert main([str(gold), str(path), "-m", "ndcg@2", "--format", "json"]) == 0
    [record] = json.loads(capsys.readouterr().out)
    assert record["mean"] == ndcg_score(from_lists(GOLD, FOUND), k=2)
    assert record["notes"] == [f"{path}: default, test: MTEB's predictions"]
    assert read_json(path) == found
    content["default"]["dev"] = found
    path.write_text(json.dumps(content))
    with pytest.raises(InvalidParameterError) as caught:
        read_json(path)
    assert "predictions of one subset and one split. Got default/test and default/dev" in str(
        caught.value
    )


def test_only_answers_are_answers():
    elastic = forms_of_dicts()[0]
    assert is_answer(answer(elastic, FOUND[0]))
    assert is_answer(answer(elastic, []))
    assert not is_answer({"hits": {"hits": 3}})
    assert not is_answer({"a": 0.5})
    assert not is_answer([1])
