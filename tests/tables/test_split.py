"""Ids of passages that become those of their documents."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from raising import raises
from read_at_once import from_lists

from ranking_scores import mean_reciprocal_rank_score, ranking_report, recall_at_k_score, tables
from ranking_scores.__main__ import main

DOCUMENTS = {"q0": ["doc_0"], "q1": ["doc_1"]}
CHUNKS = {
    "q0": ["doc_1_chunk_0", "doc_0_chunk_2", "doc_0_chunk_1"],
    "q1": ["doc_0_chunk_0", "doc_2_chunk_0"],
}
OPTIONS = {"duplicates": "best"}


def test_the_right_text_finds_documents():
    for split in ("_chunk_", "_chunk"):
        for at in ("last", "first"):
            data = from_lists(DOCUMENTS, CHUNKS, split=split, split_at=at, **OPTIONS)
            assert mean_reciprocal_rank_score(data) == 0.25


def test_a_text_that_documents_have_is_refused():
    """At the first "_" all documents would be one, and recall@1 would be 1."""
    got = "'_', which 'doc_0' has: it would be compared with 'doc_1_chunk' of 'doc_1_chunk_0',"
    with raises("split", "a text that no judged id has", got=got, advice="split_relevant=True"):
        from_lists(DOCUMENTS, CHUNKS, split="_", **OPTIONS)
    both = "'_', by which 'doc_0' and 'doc_1' become 'doc',"
    for at in ("last", "first"):
        cut = {"split": "_", "split_at": at, "split_relevant": True}
        with raises("split", "judged ids stay different", got=both, advice="a dict or a function"):
            from_lists(DOCUMENTS, CHUNKS, **cut, **OPTIONS)


def test_ids_are_cut_at_the_last_place_unless_the_first_is_named():
    found = {"q0": ["b/x#1#2", "a/x#1#1", "a/x"]}
    for at, gold in (("last", ["a/x#1"]), ("first", ["a/x"])):
        judged = {"q0": [f"{each}#7" for each in gold]}
        options = {"split": "#", "split_at": at, **OPTIONS}
        with raises("split", "a text that no judged id has"):
            from_lists(judged, found, **options)
        cut = from_lists({"q0": ["a/x#1#7"]}, found, split_relevant=True, **options)
        assert mean_reciprocal_rank_score(cut) == 0.5
        if at == "first":
            assert mean_reciprocal_rank_score(from_lists({"q0": gold}, found, **options)) == 0.5


@pytest.mark.parametrize("make", [dict, lambda pairs: dict(pairs).__getitem__])
def test_a_dict_or_a_function_says_the_document(make):
    pairs = {each: each[: each.index("_chunk")] for row in CHUNKS.values() for each in row}
    data = from_lists(DOCUMENTS, CHUNKS, split=make(pairs), **OPTIONS)
    assert mean_reciprocal_rank_score(data) == 0.25
    numbers = {each: int(document[4:]) for each, document in pairs.items()}
    data = from_lists({"q0": [0], "q1": [1]}, CHUNKS, split=make(numbers), **OPTIONS)
    assert mean_reciprocal_rank_score(data) == 0.25
    some = numbers | {"doc_1_chunk_0": "x"}
    with raises("retrieved", "numbers, like relevant", got="objects"):
        from_lists({"q0": [0], "q1": [1]}, CHUNKS, split=make(some), **OPTIONS)
    of_numbers = from_lists([[7]], [[30, 12, 10]], split=lambda each: each // 10 + 6, **OPTIONS)
    assert mean_reciprocal_rank_score(of_numbers) == 0.5
    whole = {each: each for row in DOCUMENTS.values() for each in row} | pairs
    both = from_lists(DOCUMENTS, CHUNKS, split=make(whole), split_relevant=True, **OPTIONS)
    assert mean_reciprocal_rank_score(both) == 0.25


def test_a_dict_that_lacks_an_id_is_refused():
    pairs = {each: "x" for row in CHUNKS.values() for each in row[1:]}
    for split in (pairs, pairs.get):
        with raises("split", "a document for each id", got="none for 'doc_1_chunk_0'"):
            from_lists(DOCUMENTS, CHUNKS, split=split, **OPTIONS)


@pytest.mark.parametrize("split", ["::", "chunk-"])
def test_a_text_that_no_retrieved_id_has_is_refused(split):
    got = f"{split!r}, which 'doc_1_chunk_0' and the others lack,"
    data = tables.from_lists(DOCUMENTS, CHUNKS, split=split)
    for k in (1, 2, None):
        with raises("split", "a text that retrieved ids have", got=got):
            recall_at_k_score(data, k=k or 9)


def test_judged_ids_alone_may_have_the_text():
    with raises(
        "split", "a text that retrieved ids have", got="'#', which 'b' and the others lack,"
    ):
        from_lists([["a#1"]], [["b", "c"]], split="#")


@pytest.mark.parametrize("options", [{}, {"exclude": {"q": ["a#7"]}}])
def test_judged_ids_are_cut_where_the_first_ids_lack_the_text(options):
    found = {"q": ["a"] * bool(options) + ["b", "c#1", "d#1", "e#1", "f#1"]}
    data = tables.from_lists({"q": ["b#2"]}, found, split="#", split_relevant=True, **options)
    assert mean_reciprocal_rank_score(data, k=1) == 1
    assert mean_reciprocal_rank_score(data, k=[1, 2, 5]).tolist() == [1, 1, 1]


def test_the_first_ids_may_lack_the_text():
    found = {query: ["guide", "faq", *row] for query, row in CHUNKS.items()}
    gold = {"q0": ["faq"], "q1": ["doc_0"]}
    data = tables.from_lists(gold, found, split="_chunk_", duplicates="hold")
    assert recall_at_k_score(data, k=[1, 2, 3]).tolist() == [0.0, 0.5, 1.0]


def test_what_cannot_be_cut_is_refused():
    with raises(
        "retrieved", "each item only once", got="item 'doc_0' more than once for query 'q0'"
    ):
        from_lists(DOCUMENTS, CHUNKS, split="_chunk_")
    with raises("retrieved", "text, which can be cut at '#'", got="numbers"):
        from_lists([[1]], [[1]], split="#")
    with raises("relevant", "text, which can be cut at '#'", got="numbers"):
        from_lists([[1]], [["a#1"]], split="#", split_relevant=True)
    assert from_lists([[]], [[]], split="#").y_true.shape == (1, 0)
    for split in ("", 3, ["#"]):
        with raises("split", "a text that is not empty, a dict or a function"):
            from_lists(DOCUMENTS, CHUNKS, split=split)
    with raises("split_at", "'last' or 'first'"):
        from_lists(DOCUMENTS, CHUNKS, split="#", split_at=1)
    for split in (None, {}):
        with raises("split_at", "left out unless `split` is a text", got="'first'"):
            from_lists(DOCUMENTS, CHUNKS, split=split, split_at="first")
    with raises("split_relevant", "False unless `split` is given", got="True"):
        from_lists(DOCUMENTS, CHUNKS, split_relevant=True)


def test_ids_of_many_queries_are_cut():
    """Ids of long lists are packed, and read as deep as a score asks."""
    rng = np.random.default_rng(0)
    found = [
        [f"d{number}#{place}" for place, number in enumerate(row)]
        for row in rng.permuted(np.tile(np.arange(300), (60, 1)), axis=1)
    ]
    gold = [[f"d{number}" for number in row] for row in rng.integers(0, 300, (60, 1))]
    cut = [[each.partition("#")[0] for each in row] for row in found]
    expected = mean_reciprocal_rank_score(tables.from_lists(gold, cut), k=[5, 300])
    data = tables.from_lists(gold, found, split="#")
    assert (mean_reciprocal_rank_score(data, k=[5, 300]) == expected).all()


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("gold.json").write_text(json.dumps(DOCUMENTS))
    Path("run.json").write_text(json.dumps(CHUNKS))
    lines = [
        f"{query} Q0 {each} 0 {-place} x"
        for query in CHUNKS
        for place, each in enumerate(CHUNKS[query])
    ]
    Path("run").write_text("\n".join(lines))

    def run(line):
        status = main([*line.split(), "-m", "mrr", "--duplicates", "best"])
        return status, *capsys.readouterr()

    return run


@pytest.mark.parametrize("run", ["run.json", "run"])
def test_the_command_cuts_ids(call, run):
    for options in ("--split _chunk_", "--split _chunk_ --split-at first"):
        assert "0.2500" in call(f"gold.json {run} {options}")[1]
    wrong = {
        "--split _": "--split must be a text that no judged id has, since these are not cut",
        "--split _ --split-judgments": "'_', by which 'doc_0' and 'doc_1' become 'doc'",
        "--split :": "--split must be a text that retrieved ids have",
        "--split-at last": "--split-at and --split-judgments are for ids that --split cuts",
        "--split-judgments": "--split-at and --split-judgments are for ids that --split cuts",
    }
    for options, message in wrong.items():
        status, out, err = call(f"gold.json {run} {options}")
        assert (status, out, err.count("\n")) == (2, "", 1)
        assert message in err
    assert "--split-judgments if judgments are of passages" in call("gold.json run --split _")[2]


def test_the_command_cuts_judgments(call):
    Path("gold.json").write_text('{"q0": ["doc_0_chunk_9"], "q1": ["doc_1_chunk_0"]}')
    for run in ("run", "run.json"):
        line = f"gold.json {run} --split _chunk_ --split-judgments"
        assert "0.2500" in call(line)[1]
    report = ranking_report(
        tables.from_lists(DOCUMENTS, CHUNKS, split="_chunk_", **OPTIONS), scores="mrr", k=None
    )
    assert report["mrr"] == 0.25
