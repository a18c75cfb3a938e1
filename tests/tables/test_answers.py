"""Answers of search engines and of libraries, against the lists that are in them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from ranking_scores import from_lists, ndcg_score
from ranking_scores.__main__ import main
from ranking_scores._tables._answers import forms_of_dicts, forms_of_objects, is_answer, wrappers
from ranking_scores._tables._known_names import possessive
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.tables import read_json

GOLD = [["a", "d"], ["b"], ["c"]]
FOUND = [[("b", 2.0), ("a", 1.0), ("d", 1.0)], [], [("x", 0.5), ("c", 0.25)]]


def put(path: str, value: Any, beside: dict[str, Any]) -> Any:
    """Return a dict that has a value at a path, with other fields at the top."""
    for name in reversed([path] if path.startswith("@") else path.split(".")):
        value = {name.replace("*", "Article"): value}
    return beside | value


def hit_of(form, item, score):
    """Return a hit of a form."""
    score = -score if form.is_distance and score is not None else score
    score = str(score) if form.are_texts and score is not None else score
    hit = put(form.id, item, {"other": {"score": "x"}})
    for path in [form.score] * bool(form.score):
        if path.partition(".")[0] in hit:
            head, _, name = path.partition(".")
            hit[head][name] = score
        else:
            hit = put(path, score, hit)
    return hit


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
    entries = [hit_of(form, item, score if has_scores else None) for item, score in hits]
    beside = {"took": 3, "status": "ok"} | ({form.beside: 1} if form.beside else {})
    return put(form.hits, entries, beside) if form.hits else entries


def check(data, expected):
    """Check that two data are the same."""
    for one, two in zip(data, expected, strict=True):
        one, two = (each.toarray() if hasattr(each, "toarray") else each for each in (one, two))
        np.testing.assert_array_equal(one, two)


SCORED = [form for form in forms_of_dicts() if form.scores]
ids = [f"{form.name} {form.hits}" for form in SCORED]


@pytest.mark.parametrize("form", SCORED, ids=ids)
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


@pytest.mark.parametrize("form", SCORED, ids=ids)
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
    assert data.notes == ("retrieved: ids with scores",)
    dicts = from_lists([["a"]], [{"a": 0.5, "hits": 0.25}])
    assert dicts.notes == ("retrieved: dicts of ids and scores",)
    with pytest.raises(InvalidParameterError, match="records with 'id'"):
        ndcg_score(from_lists([["a"]], [[{"name": "a", "score": 2.0}]]))


def made(form):
    """Return a class that looks like that of a form."""
    names = [form.id, *[form.score] * bool(form.score)]
    if form.hits:
        names = [form.hits.partition(".")[0]]
    kind = dataclass(type(form.type, (), {"__annotations__": dict.fromkeys(names, Any)}))
    kind.__module__ = f"{form.module}.some.where"
    return kind


OBJECTS = {f"{form.name} {form.type}": form for form in forms_of_objects()}


@pytest.mark.parametrize(
    "name", [name for name, form in OBJECTS.items() if form.score in ("score", "distance")]
)
def test_objects(name):
    form = OBJECTS[name]
    if form.hits:
        hit = dataclass(type("Hit", (), {"__annotations__": dict.fromkeys([form.id, form.score])}))
        _, _, rest = form.hits.partition(".")
        hits = [[hit(item, score) for item, score in each] for each in FOUND]
        answers = [made(form)(put(rest, each, {}) if rest else each) for each in hits]
    else:
        sign = -1 if form.is_distance else 1
        answers = [[made(form)(item, sign * score) for item, score in each] for each in FOUND]
    data = from_lists(GOLD, answers)
    check(data, from_lists(GOLD, FOUND))
    assert f"{possessive(form.name)} {form.type}" in data.notes[0]


def test_objects_without_scores():
    node = made(OBJECTS["LlamaIndex BaseNode"])
    derived = type("TextNode", (node,), {"__module__": "llama_index.core.schema"})
    lists = [[item for item, _ in hits] for hits in FOUND]
    data = from_lists(GOLD, [[derived(item) for item in own] for own in lists])
    check(data, from_lists(GOLD, lists))
    assert data.notes == ("retrieved: node_id: LlamaIndex's BaseNode",)


def test_an_object_of_the_name_without_hits():
    """Two classes of Qdrant's client are named so."""
    kind = made(OBJECTS["Qdrant QueryResponse"])
    other = type("QueryResponse", (), {"__module__": "qdrant_client.fastembed_common"})
    for answers in ([other()], [kind([]), other()]):
        with pytest.raises(InvalidParameterError, match="answers of one form"):
            from_lists(GOLD[: len(answers)], answers)


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
        InvalidParameterError, match="distances that rise from the best item of each query on"
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
    node = made(OBJECTS["LlamaIndex BaseNode"])("b")
    node.id = "b"
    with pytest.raises(InvalidParameterError, match="hits with an id, id: LangChain's Document"):
        from_lists(GOLD, [[document("a"), node], None, None])
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


@pytest.mark.filterwarnings("ignore:The scores of from_lists rise:UserWarning")
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
    st.sampled_from(SCORED),
    st.sampled_from([1, 3, None]),
)
def test_numbers_have_the_bits_of_the_lists(found, form, k):
    gold = [["a", "found"], *GOLD[1:]]
    found = [[*found[0], ("found", 0.5)], *found[1:]]  # otherwise there is a warning
    if form.may_be_distance:  # they come in the order of their scores
        found = [sorted(hits, key=lambda hit: -hit[1]) for hits in found]
    answers = from_lists(gold, [answer(form, hits) for hits in found])
    assert ndcg_score(answers, k=k) == ndcg_score(from_lists(gold, found), k=k)


FORMS = {(form.name, form.hits): form for form in forms_of_dicts()}
ELASTIC, VESPA = FORMS["Elasticsearch", "hits.hits"], FORMS["Vespa", "root.children"]
UNCLEAR = [form for form in (*forms_of_dicts(), *OBJECTS.values()) if form.may_be_distance]


def turned(form, scored):
    """Return answers of a form, to whose scores the sign is added by the caller."""
    if not form.module:
        return [answer(form, hits) for hits in scored]
    lists = [[made(form)(*hit) for hit in hits] for hits in scored] if form.score else None
    document = made(form)
    return lists or [[(document(item), score) for item, score in hits] for hits in scored]


@pytest.mark.parametrize(
    "form", [form for form in UNCLEAR if not (form.module and form.hits)], ids=str
)
def test_numbers_that_rise_from_the_best_hit_on_are_distances(form):
    """Qdrant and Pinecone call the Euclidean distance a score."""
    distances = [[(item, -score) for item, score in hits] for hits in FOUND]
    data = from_lists(GOLD, turned(form, distances))
    check(data, from_lists(GOLD, FOUND))
    said = "rises from the best item on, so each score is minus the distance"
    assert data.notes[0].endswith(f"; '{form.score or 'score'}' {said}")
    assert "minus" not in from_lists(GOLD, turned(form, FOUND)).notes[0]
    equal = [[("a", 1.0), ("b", 1.0)], [], []]
    if form.score != "distance":
        check(from_lists(GOLD, turned(form, equal)), from_lists(GOLD, equal))
    with pytest.raises(InvalidParameterError, match="Ids alone have no numbers") as caught:
        from_lists(GOLD, turned(form, [FOUND[0], [], distances[2]]))
    assert "for query 2" in str(caught.value)


def test_an_order_that_contradicts_the_scores_is_said():
    """As with `sort` and `track_scores`."""
    found = [[("a", 1.0), ("d", 2.0)], [("b", 1.0), ("x", 1.0)], [("x", 1.0), ("c", 3.0)]]
    data = from_lists(GOLD, [answer(ELASTIC, hits) for hits in found])
    check(data, from_lists(GOLD, found))
    said = "in 2 queries hits are not in the order of their scores, and the scores count"
    assert data.notes[0].endswith(f"answer; {said}")


def test_hits_of_vespa():
    """It leaves out the list if it is empty, and groups stand among the hits."""

    def of_vespa(*hits, **more):
        children = {"children": [*hits]} if hits else {}
        return {
            "root": {"id": "toplevel", "relevance": 1, "fields": {"totalCount": 1}}
            | children
            | more
        }

    hit = {"id": "a", "relevance": 0.5}
    group = {"id": "group:root:0", "relevance": 1.0, "children": [{"id": "d", "relevance": 1.0}]}
    expected = from_lists(GOLD, [[], [("a", 0.5)], []])
    check(from_lists(GOLD, [of_vespa(), of_vespa(group, hit), of_vespa(group)]), expected)
    check(from_lists(GOLD, [[], [hit, group], []]), expected)  # without what is around them
    with pytest.raises(InvalidParameterError, match=r"an answer without root\.errors") as caught:
        from_lists(GOLD, [of_vespa(hit), of_vespa(errors=[{"code": 12}]), of_vespa()])
    assert "for query 1" in str(caught.value)
    with pytest.raises(InvalidParameterError, match="answers of one form"):
        from_lists(GOLD, [of_vespa(hit), {"root": {"id": "toplevel"}}, of_vespa()])


def test_only_hits_at_the_top_count():
    """Not those of `inner_hits` and of aggregations, nor the total."""
    hits = answer(ELASTIC, FOUND[0])
    inner = answer(ELASTIC, [("c", 99.0)])
    for each in hits["hits"]["hits"]:
        each["inner_hits"] = {"passages": inner}
    hits["aggregations"] = {"best": inner}
    hits["hits"]["total"] = {"value": 1000, "relation": "gte"}
    check(from_lists(GOLD[:1], [hits]), from_lists(GOLD[:1], FOUND[:1]))


def test_an_answer_of_two_forms_is_refused():
    both = answer(ELASTIC, FOUND[0]) | answer(FORMS["Pinecone", "matches"], FOUND[0])
    with pytest.raises(InvalidParameterError, match="of only one form that is known") as caught:
        from_lists(GOLD, [None, both, both])
    message = str(caught.value)
    assert "Elasticsearch's and OpenSearch's answer and matches[].id, score: Pinecone" in message
    assert "for query 1" in message


def test_both_forms_are_named():
    answers = [answer(ELASTIC, FOUND[0]), None, answer(VESPA, FOUND[2])]
    with pytest.raises(InvalidParameterError) as caught:
        from_lists(GOLD, answers)
    for form in (ELASTIC, VESPA):
        assert str(form) in str(caught.value)


def test_one_answer_in_place_of_all():
    single = answer(ELASTIC, FOUND[0])
    check(from_lists(GOLD[:1], single), from_lists(GOLD[:1], FOUND[:1]))
    with pytest.raises(InvalidParameterError, match="of 3 queries, like relevant"):
        from_lists(GOLD, single)
    by_query = {"q": GOLD[0]}
    with pytest.raises(InvalidParameterError) as caught:
        from_lists(by_query, single)
    assert "one answer, to 1 query" in str(caught.value)
    assert "`list(relevant.values())`" in str(caught.value)


def test_queries_whose_ids_are_names_of_fields():
    """The ids of queries that are in both dicts are no fields of an answer."""
    data = from_lists({"matches": ["a"]}, {"matches": [{"id": "a", "score": 1.0}]})
    assert data.notes == ("retrieved: ids with scores",)
    assert data.query_ids.tolist() == ["matches"]


def test_an_answer_that_failed_among_several():
    failed = {"error": {"type": "index_not_found_exception"}, "status": 404}
    batch = {"responses": [answer(ELASTIC, FOUND[0]), failed, answer(ELASTIC, FOUND[2])]}
    with pytest.raises(InvalidParameterError, match="answers of one form") as caught:
        from_lists(GOLD, batch)
    assert "Got a dict with 'error', 'status' for query 1" in str(caught.value)


WRONG_CHROMA = [
    ([{"ids": [["a"], ["b"]], "distances": [[1.0], [2.0]]}], "Got one to 2 queries for query 0"),
    ([{"ids": [["a"]], "distances": None}, {"ids": ["b"]}], "Got a dict with 'ids' for query 1"),
    ({"ids": [["a"], ["b"]], "distances": [[1.0]]}, "with a list of distances each"),
    ({"ids": [["a"]], "distances": [["far"]]}, "must be lists that have bools, ints or floats"),
]


@pytest.mark.parametrize(("answers", "message"), WRONG_CHROMA)
def test_wrong_answers_of_chroma(answers, message):
    with pytest.raises(InvalidParameterError) as caught:
        ndcg_score(
            from_lists(GOLD[: len(answers)] if isinstance(answers, list) else GOLD[:1], answers)
        )
    assert message in str(caught.value)


WRAPPERS = [each for each in wrappers() if each.name not in ("Algolia", "usearch")]


@pytest.mark.parametrize("wrapper", WRAPPERS, ids=lambda wrapper: wrapper.name)
def test_objects_that_have_an_answer(wrapper):
    form = next(form for form in forms_of_dicts() if form.name == wrapper.name)
    kind = dataclass(type(wrapper.type, (), {"__annotations__": {wrapper.body: Any}}))
    kind.__module__ = wrapper.module
    data = from_lists(GOLD, [kind(answer(form, hits)) for hits in FOUND])
    check(data, from_lists(GOLD, FOUND))
    assert f"{wrapper.name}'" in data.notes[0]
    if form.batch:
        batch = kind({form.batch: [answer(form, hits) for hits in FOUND]})
        check(from_lists(GOLD, batch), from_lists(GOLD, FOUND))


def test_documents_with_their_ids_in_the_metadata():
    kind = type("Document", (), {"__module__": "langchain_core.documents.base"})

    def document(own_id, metadata):
        each = kind()
        each.id, each.metadata = own_id, metadata
        return each

    lists = [[document(None, {"id": item}) for item, _ in hits] for hits in FOUND]
    data = from_lists(GOLD, lists)
    check(data, from_lists(GOLD, [[item for item, _ in hits] for hits in FOUND]))
    assert data.notes == ("retrieved: metadata.id: LangChain's Document",)
    for wrong in (document("x", {}), document("x", None)):  # one id of each kind is no choice
        with pytest.raises(InvalidParameterError, match=r"hits with an id, metadata\.id"):
            from_lists(GOLD, [lists[0], None, [wrong]])
    with pytest.raises(InvalidParameterError, match="hits with an id, id"):
        from_lists(GOLD, [[document(None, {"source": "a"})], None, None])


# Files.


@pytest.mark.parametrize("form", SCORED, ids=ids)
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
    form = "items by query"
    assert data.notes[:2] == (f"relevant: {form}", f"retrieved: {form}")
    [note] = data.notes[2:]
    said = f"{paths[0]}, {paths[1]}: {form}"
    assert record["notes"] == [said, note.replace("retrieved", str(paths[1]), 1)]


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
        f"{gold}: items by query; {path}: one record per query: query_id as query",
        f"{path}: results[].corpus_id, score: sentence-transformers' answer",
    ]
    content = read_json(path)
    assert content["q1"] == records[1]
    gold = {f"q{number}": each for number, each in enumerate(GOLD)}
    check(from_lists(gold, content)[:2], from_lists(GOLD, FOUND)[:2])


BARE = {
    "one": json.dumps(answer(ELASTIC, FOUND[0])),
    "nothing beside": json.dumps({"matches": [{"id": "a", "score": 1.0}]}),
    "lines": "\n".join(json.dumps(answer(ELASTIC, hits)) for hits in FOUND),
    "list": json.dumps([answer(VESPA, hits) for hits in FOUND]),
    "wrong Chroma": json.dumps({"ids": [["a"]], "distances": []}),
} | {name: json.dumps(batch) for name, batch in BATCHES.items()}


@pytest.mark.parametrize("name", BARE)
def test_answers_without_the_ids_of_queries_are_refused(name, tmp_path, capsys):
    """They could be joined only by position."""
    gold, path = tmp_path / "gold.json", tmp_path / "found.json"
    gold.write_text(json.dumps({f"q{number}": each for number, each in enumerate(GOLD)}))
    path.write_text(BARE[name])
    assert main([str(gold), str(path), "-m", "ndcg@2"]) == 2
    error = capsys.readouterr().err
    assert "a file with the id of the query in each answer, as 'query'" in error
    assert '{"q1": ..., "q2": ...}' in error
    with pytest.raises(
        InvalidParameterError, match="the id of the query in each answer, as 'qid'"
    ):
        read_json(path, query="qid")


def test_the_only_field_with_answers_has_what_was_retrieved(tmp_path, capsys):
    path = tmp_path / "answers.jsonl"
    records = [
        {"query": f"q{number}", "relevant": own, "response": answer(ELASTIC, hits)}
        for number, (own, hits) in enumerate(zip(GOLD, FOUND, strict=True))
    ]
    records[1]["response"] = None
    path.write_text("\n".join(map(json.dumps, records)))
    assert main([str(path), "-m", "ndcg@2", "--format", "json"]) == 0
    [record] = json.loads(capsys.readouterr().out)
    assert record["mean"] == ndcg_score(from_lists(GOLD, FOUND), k=2)
    said = ["one record per query: query, relevant, response as retrieved", f"{ELASTIC}"]
    assert record["notes"] == [f"{path}: {note}" for note in said]
    for each in records:
        each["other"] = each["response"]
    path.write_text("\n".join(map(json.dumps, records)))
    assert main([str(path), "-m", "ndcg@2"]) == 2
    error = capsys.readouterr().err
    assert "must be a file whose records have 'retrieved'. Got records with 'query'" in error
    assert "'relevant', 'response', 'other' in" in error
    assert error.endswith("instead. Name the field with --retrieved.\n")
    assert main([str(path), "-m", "ndcg@2", "--retrieved", "other", "--format", "json"]) == 0
    [record] = json.loads(capsys.readouterr().out)
    said[0] = "one record per query: query, relevant, other as retrieved"
    assert record["notes"] == [f"{path}: {note}" for note in said]


def test_predictions_of_mteb(tmp_path, capsys):
    gold, path = tmp_path / "gold.json", tmp_path / "Task_predictions.json"
    gold.write_text(json.dumps({f"q{number}": each for number, each in enumerate(GOLD)}))
    found = {f"q{number}": dict(hits) for number, hits in enumerate(FOUND)}
    content = {"mteb_model_meta": {"model_name": "m"}, "default": {"test": found}}
    path.write_text(json.dumps(content))
    assert main([str(gold), str(path), "-m", "ndcg@2", "--format", "json"]) == 0
    [record] = json.loads(capsys.readouterr().out)
    assert record["mean"] == ndcg_score(from_lists(GOLD, FOUND), k=2)
    said = f"{gold}: items by query; {path}: MTEB's predictions of default, test"
    assert record["notes"] == [said]
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
    assert not is_answer({"result": [["a", 0.5]]})
    assert is_answer({"ids": [["a"]], "distances": []})


def test_words_that_nobody_owns_are_no_answer():
    found = {"q": [{"doc": "a", "score": 0.5}, {"doc": "b", "score": 0.4}]}
    assert from_lists({"q": ["b"]}, found).notes == ("retrieved: ids with scores",)
