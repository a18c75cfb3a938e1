"""Data by id is read as deep as a score asks, and its scores have the bits of the arrays."""

from __future__ import annotations

import pickle
import random
import re
import uuid
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
import reference
from hypothesis import assume, given, settings, strategies as st
from raising import raises

from ranking_scores import (
    StreamingScore,
    expected_reciprocal_rank_score,
    grouped_auc_score,
    hit_rate_score,
    mean_average_precision_score,
    mean_reciprocal_rank_score,
    ndcg_score,
    ranking_report,
    recall_at_k_score,
)
from ranking_scores._base._packed_text import packed_objects
from ranking_scores._queries._data import CallData, DataNeeds
from ranking_scores._queries._layouts import check_queries
from ranking_scores._tables import _sources
from ranking_scores._tables._sources import TwoSources
from ranking_scores.conventions import like
from ranking_scores.tables import RankingData, from_lists, from_table, from_tables
from ranking_scores.ties import tie_report
from ranking_scores.trec import from_pytrec_eval

GOLD = [["a", "b"], ["c"], []]
FOUND = [["x", "a", "y"], ["c", "y", "b"], ["a"]]
NAMES = {"query": "query", "item": "item"}
SCORES = [
    "ndcg",
    "dcg",
    "map",
    "mrr",
    "precision",
    "recall",
    "f1",
    "hit_rate",
    "err",
    "rbp",
]
ALL_SCORES = [*SCORES, "r_precision", "bpref", "judged"]
"""Also those that read all ranks or arrays, and with them the others."""
OPTIONS = {"max_grade": 3}

quietly = pytest.mark.filterwarnings(
    "ignore:No (relevant|judged) item",
    "ignore:.*share only",
    "ignore:The scores of from_lists rise",
)

IDS = {
    "text": lambda number: f"doc {number}",
    "wide text": lambda number: "é" * (number % 5) + f"\0{number}",
    "ints": lambda number: number * 7 - 12,
    "uuids": lambda number: uuid.UUID(int=number),
    "floats": lambda number: number / 4,
    "mixed": lambda number: str(number) if number % 2 else number,
    "dates": lambda number: pd.Timestamp("2026-01-01") + pd.Timedelta(days=number),
}


@st.composite
def evaluations(draw):
    """Return judgments and predictions of a few queries, by query and by item, with few scores."""
    kind = draw(st.sampled_from(sorted(IDS)))
    rng = random.Random(draw(st.integers(0, 2**32)))
    n_queries, n_items = rng.randint(1, 5), rng.choice([2, 5, 12, 30])
    items = [IDS[kind](number) for number in range(n_items)]
    n_scores = rng.choice([1, 2, 4, 1000])
    gold, found = {}, {}
    for query in range(n_queries):
        judged = rng.sample(items, rng.randint(0, min(n_items, 6)))
        predicted = rng.sample(items, rng.randint(0, n_items))
        gold[f"q{query}"] = {item: rng.choice([0, 1, 2, 3]) for item in judged}
        found[f"q{query}"] = {item: float(rng.randint(0, n_scores)) for item in predicted}
    gold["q0"][items[0]], found["q0"][items[0]] = 1, 0.5
    if rng.random() < 0.3:
        gold["only judged"] = {items[1]: 2}
    if rng.random() < 0.3:
        found["only predicted"] = {items[1]: 1.0}
    return gold, found


def as_rows(dicts, value):
    """Return dicts by query as the columns of a table."""
    rows = [(query, item, number) for query, row in dicts.items() for item, number in row.items()]
    columns = [list(column) for column in zip(*rows, strict=True)] or [[], [], []]
    return dict(zip(("query", "item", value), columns, strict=True))


def as_one_table(gold, found):
    """Return a row for each item of a query that is in one of two dicts, or in both."""
    both = (gold, found)
    pairs = dict.fromkeys((query, item) for each in both for query in each for item in each[query])
    query, item = map(list, zip(*pairs, strict=True))
    label, score = ([each.get(query, {}).get(item) for query, item in pairs] for each in both)
    return {"query": query, "item": item, "label": label, "score": score}


def shuffled(columns, rng):
    order = rng.permutation(len(columns["query"])).tolist()
    return {name: [column[place] for place in order] for name, column in columns.items()}


def as_lists(found):
    """Return the ids of each query from the highest score down."""
    return {query: sorted(row, key=row.get, reverse=True) for query, row in found.items()}


FORMS = {
    "dicts": lambda gold, found, _, **more: from_lists(gold, found, **more),
    "dicts, both": lambda gold, found, _, **more: from_lists(gold, found, queries="both", **more),
    "dicts, all": lambda gold, found, _, **more: from_lists(gold, found, queries="all", **more),
    "lists": lambda gold, found, _, **more: from_lists(gold, as_lists(found), **more),
    "sets and lists": lambda gold, found, _, **more: from_lists(
        {query: set(row) for query, row in gold.items()}, as_lists(found), **more
    ),
    "pairs": lambda gold, found, _, **more: from_lists(
        gold, {query: list(row.items()) for query, row in found.items()}, **more
    ),
    "lists and scores": lambda gold, found, _, **more: from_lists(
        gold,
        {query: list(row) for query, row in found.items()},
        item_scores={query: list(row.values()) for query, row in found.items()},
        **more,
    ),
    "records": lambda gold, found, _, **more: from_lists(
        gold,
        {
            query: [{"id": item, "score": score} for item, score in row.items()]
            for query, row in found.items()
        },
        **more,
    ),
    "tables": lambda gold, found, rng, **more: from_tables(
        shuffled(as_rows(gold, "label"), rng),
        shuffled(as_rows(found, "score"), rng),
        **NAMES,
        label="label",
        score="score",
        **more,
    ),
    "tables with ranks": lambda gold, found, rng, **more: from_tables(
        as_rows(gold, "label"),
        shuffled(
            as_rows({q: {i: s + 1 for i, s in row.items()} for q, row in found.items()}, "rank"),
            rng,
        ),
        **NAMES,
        label="label",
        rank="rank",
        **more,
    ),
    "one table": lambda gold, found, rng, **more: from_table(
        shuffled(as_one_table(gold, found), rng), **NAMES, label="label", score="score", **more
    ),
}


def whole_ranks(found):
    """Return scores as whole numbers from 0 to 10, for ranks that leave few places free."""
    return {q: {i: float(min(int(s), 10)) for i, s in row.items()} for q, row in found.items()}


def types_in(dicts):
    return {type(item) for row in dicts.values() for item in row}


def report_of(*data, k, scores=SCORES, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ranking_report(*data, scores=scores, k=k, **OPTIONS, **options)


def assert_same_values(report, expected):
    assert list(report) == list(expected)
    for name, values in expected.per_query.items():
        assert report.per_query[name].tobytes() == values.tobytes(), name
    assert report.mean == pytest.approx(expected.mean, abs=0, rel=0, nan_ok=True)


@quietly
@pytest.mark.parametrize("form", FORMS)
@settings(deadline=None, max_examples=settings().max_examples // 2)
@given(
    evaluation=evaluations(),
    seed=st.integers(0, 2**32 - 1),
    k=st.sampled_from([1, 2, 3, 10, 100]),
    scores=st.sampled_from([SCORES, ALL_SCORES]),
    ignore_ties=st.booleans(),
)
def test_a_score_has_the_bits_that_the_arrays_give_it(
    form, evaluation, seed, k, scores, ignore_ties
):
    gold, found = evaluation
    options = {"scores": scores, "ignore_ties": ignore_ties}
    if form == "tables with ranks":
        found = whole_ranks(found)
    assume(types_in(gold) == types_in(found))  # else they are ids of different kinds
    data = FORMS[form](gold, found, np.random.default_rng(seed))
    expected = report_of(data.y_true, data.y_score, k=k, **options)
    data = FORMS[form](gold, found, np.random.default_rng(seed))
    report = report_of(data, k=k, **options)
    assert_same_values(report, expected)
    deeper = report_of(data, k=k + 3, **options)
    assert_same_values(report_of(data, k=k, **options), expected)
    again = report_of(data.y_true, data.y_score, k=k + 3, **options)
    assert_same_values(deeper, again)


def with_queries_as_items(gold, found):
    """Return the same evaluation, in which each query is one of the items, and judged."""
    items = list(
        dict.fromkeys(item for dicts in (gold, found) for q in dicts for item in dicts[q])
    )
    queries = list(gold | found)
    assume(len(queries) <= len(items))
    own = dict(zip(queries, items, strict=False))
    gold = {own[query]: {items[-1]: 1, **gold.get(query, {})} for query in queries}
    found = {own[query]: {own[query]: 1.0, **row} for query, row in found.items()}
    return gold, found


def moved_up(ranks, own):
    """Return the ranks of a query without an item: each is a place less below that item."""
    left, last, n_dropped = {}, 0, 0
    for rank in sorted(set(ranks.values())):
        several = [item for item in ranks if ranks[item] == rank]
        place = max(rank, last + 1)
        last = place + len(several) - 1
        left |= {item: place - n_dropped for item in several if item != own}
        n_dropped += own in several
    return left


@pytest.mark.long
@quietly
@pytest.mark.parametrize("form", FORMS)
@settings(deadline=None)
@given(
    evaluation=evaluations(),
    seed=st.integers(0, 2**32 - 1),
    k=st.sampled_from([1, 2, 3, 10, 100]),
)
def test_the_item_that_is_the_query_is_dropped_as_if_it_had_not_been_retrieved(
    form, evaluation, seed, k
):
    gold, found = with_queries_as_items(*evaluation)
    assume(len(types_in(gold) | types_in(found)) == 1)
    expected = {
        query: {item: score for item, score in row.items() if item != query}
        for query, row in found.items()
    }
    assume(any(expected.values()))
    if form == "tables with ranks":
        found = whole_ranks(found)
        ranks = {q: {i: s + 1 for i, s in row.items()} for q, row in found.items()}
        ranks = {query: moved_up(row, query) for query, row in ranks.items()}
        expected = {q: {i: rank - 1 for i, rank in row.items()} for q, row in ranks.items()}
    make = lambda: FORMS[form](gold, found, np.random.default_rng(seed), drop_self=True)  # noqa: E731
    whole = FORMS[form](gold, expected, np.random.default_rng(seed))
    of_arrays = report_of(whole.y_true, whole.y_score, k=k, scores=ALL_SCORES)
    data = make()
    assert_same_values(report_of(data, k=k), report_of(whole, k=k))
    assert_same_values(report_of(data, k=k, scores=ALL_SCORES), of_arrays)
    y_true, y_score = make()[:2]
    assert_same_values(report_of(y_true, y_score, k=k, scores=ALL_SCORES), of_arrays)
    n_dropped = sum(query in row for query, row in found.items())
    said = "\n".join(data.notes)
    assert re.search(rf": {n_dropped} predictions? ha[sv]e? the id of", said)


@quietly
@pytest.mark.parametrize("duplicates", ["best", "hold"])
@pytest.mark.parametrize("form", ["lists", "pairs", "tables", "ranks"])
@pytest.mark.parametrize("seed", range(10))
def test_so_have_items_that_are_there_twice(seed, form, duplicates):
    rng = random.Random(seed)
    gold = {f"q{query}": {f"d{n}": rng.choice([1, 2]) for n in range(3)} for query in range(4)}
    found = {
        query: [(f"d{rng.randrange(6)}", float(rng.randrange(4))) for _ in range(9)]
        for query in gold
    }
    if form == "lists":
        lists = {query: [item for item, _ in row] for query, row in found.items()}
        make = lambda: from_lists(gold, lists, duplicates=duplicates)  # noqa: E731
    elif form == "pairs":
        make = lambda: from_lists(gold, found, duplicates=duplicates)  # noqa: E731
    else:
        rows = [(query, *pair) for query, row in found.items() for pair in row]
        query, item, score = map(list, zip(*rows, strict=True))
        predictions = {"query": query, "item": item, "score": score}
        names = {**NAMES, "label": "label", "score": "score", "duplicates": duplicates}
        if form == "ranks":
            predictions["rank"] = [value + 1 for value in predictions.pop("score")]
            del names["score"]
            names["rank"] = "rank"
        make = lambda: from_tables(as_rows(gold, "label"), predictions, **names)  # noqa: E731
    whole = make()
    for k in (1, 2, 4, 20):
        for ignore_ties in (False, True):
            for scores in (SCORES, ALL_SCORES):
                options = {"k": k, "scores": scores, "ignore_ties": ignore_ties}
                expected = report_of(whole.y_true, whole.y_score, **options)
                assert_same_values(report_of(make(), **options), expected)


@pytest.mark.parametrize(
    "options",
    [
        {"gain": [0.5, 1, 2, 4]},
        {"gain": "exponential", "relevance_threshold": 2},
        {"discount": lambda rank: rank % 3},
        {"item_weight": "weights"},
        {"sample_weight": {"q0": 2.0, "q1": 0.5}},
        {"relevance_threshold": 0},
    ],
)
def test_options_that_need_all_items_read_all_items(options):
    gold = {"q0": {"a": 1, "b": 3}, "q1": {"c": 2}}
    found = {"q0": {"x": 3.0, "a": 2.0, "y": 1.0}, "q1": {"c": 0.5, "y": 0.5, "b": 0.1}}
    data = from_lists(gold, found)
    if options.get("item_weight"):
        options = {"item_weight": np.arange(10.0).reshape(2, 5)}
    of_arrays = options
    if "sample_weight" in options:
        of_arrays = {"sample_weight": [2.0, 0.5]}
    for k in (1, 2, None):
        expected = ndcg_score(data.y_true, data.y_score, k=k, average=None, **of_arrays)
        assert ndcg_score(data, k=k, average=None, **options).tolist() == expected.tolist()


def test_scores_take_data_by_id_in_the_first_place():
    data = from_lists(GOLD, FOUND)
    assert ndcg_score(data, k=10) == ndcg_score(data.y_true, data.y_score, k=10)
    assert hit_rate_score(data, k=1, average=None).tolist() == [0, 1, 0]
    expected = recall_at_k_score(data.y_true, data.y_score, k=[1, 2], average=None)
    assert recall_at_k_score(data, k=[1, 2], average=None).tolist() == expected.tolist()
    of_trec_eval = like("trec_eval", "ndcg_cut_10")
    assert of_trec_eval(data) == of_trec_eval(from_lists(GOLD, FOUND))
    assert tie_report(data, score="mrr").expected == mean_reciprocal_rank_score(data)
    stream = StreamingScore("ndcg@10")
    stream.update(data)
    assert stream.compute() == ndcg_score(data, k=10)
    with raises("y_score", "dense", got="a sparse csr_array"):
        grouped_auc_score(data)
    with raises("qid", "None if y_true is RankingData", advice="the data has its own queries"):
        ndcg_score(from_lists(GOLD, FOUND), qid=[1, 2, 3])


def test_a_brute_force_says_the_same():
    """Of scores that tie at the cutoff, over all orders, without anything of the package."""
    gold = {"q": {"a": 2, "d": 1}, "r": {"b": 3}}
    found = {"q": {"a": 1.0, "b": 2.0, "c": 1.0, "d": 1.0}, "r": {"b": 0.0, "a": 0.0}}
    expected = [
        reference.ndcg([2, 0, 0, 1], [1, 2, 1, 1], k=2),
        reference.ndcg([3, 0], [0, 0], k=2),
    ]
    values = ndcg_score(from_lists(gold, found), k=2, average=None)
    np.testing.assert_allclose(values, [float(each) for each in expected], rtol=1e-12)


# --- what is not read -------------------------------------------------------------------------


def test_places_beyond_the_cutoff_may_hold_anything():
    found = [["x", "a", None, None], ["c", "y", 7, "y"], ["a"]]
    expected = recall_at_k_score(from_lists(GOLD, FOUND), k=2)
    assert recall_at_k_score(from_lists(GOLD, found), k=2) == expected
    for deeper in (3, None):
        with raises("retrieved", "an id in each place", function="from_lists"):
            recall_at_k_score(from_lists(GOLD, found), k=deeper)
    data = from_lists(GOLD, found)
    with raises("retrieved", "an id in each place", got="null at position 2 of query 0"):
        _ = data.y_score


def test_an_item_twice_is_an_error_where_it_is_read():
    for found in (
        [["x", "a", "x"], ["c"], []],
        [["x", "a", "x"], ["c", "x", "a"], ["a", "b", "c"]],
    ):
        assert ndcg_score(from_lists(GOLD, found), k=2) > 0
        with raises("retrieved", "each item only once", function="from_lists"):
            ndcg_score(from_lists(GOLD, found), k=3)
    scores = [3.0, 2.0, 1.0, 0.5, 0.4, 0.3]
    table = {"query": [1] * 6, "item": [7, 8, 7, 1, 2, 3], "score": scores}
    judged = {"query": [1], "item": [7]}
    data = from_tables(judged, table, **NAMES, label=None, score="score")
    assert ndcg_score(data, k=2) == 1
    with raises("predictions", "each item only once", got="item 7 more than once for query 1"):
        ndcg_score(data, k=3)
    with raises("judgments", "each item only once"):
        ndcg_score(
            from_tables(
                {"query": [1, 1], "item": [7, 7]}, table, **NAMES, label=None, score="score"
            ),
            k=1,
        )


def test_scores_in_dicts_that_floats_would_round_are_compared_as_ints():
    gold = {"q": ["a"], "r": ["c"]}  # As a float, the score of "a" is lower than it is.
    found = {"q": {"a": 2**53 + 1, "b": 5}, "r": {"c": 2, "d": 1}}
    assert hit_rate_score(from_lists(gold, found), k=1) == 1


def test_queries_that_do_not_count_are_not_read():
    found = {"q": ["a"], "not judged": [None, None, "x", "x"]}
    assert recall_at_k_score(from_lists({"q": ["a"]}, found)) == 1
    scored = {"q": {"a": 1.0}, "not judged": {"x": float("nan")}}
    assert recall_at_k_score(from_lists({"q": ["a"]}, scored), k=1) == 1


@pytest.mark.parametrize("library", ["pandas", "polars", "arrow", "objects"])
def test_errors_of_some_rows_name_the_rows_of_the_table(library):
    """The rows that count are some of the rows, and not the first ones."""
    table = {
        "query": ["q"] * 6,
        "item": ["v", "w", "x", None, "a", "z"],
        "score": [0.1, 0.2, 0.3, 0.9, 0.8, 0.7],
    }
    if library == "pandas":
        predictions = pd.DataFrame(table)
    elif library == "polars":
        predictions = pl.DataFrame(table)
    elif library == "arrow":
        predictions = pytest.importorskip("pyarrow").table(table)
    else:
        predictions = table | {"item": np.array(table["item"], dtype=object)}
    judged = {"query": ["q"], "item": ["a"]}
    data = from_tables(judged, predictions, **NAMES, label=None, score="score")
    with raises("predictions", "an id in each row", got="null in row 3, of query 'q',"):
        ndcg_score(data, k=2)


def test_numbers_are_checked_at_once():
    judged = {"query": [1], "item": [7], "label": [np.nan]}
    found = {"query": [1, 1], "item": [7, 8], "score": [1.0, np.inf]}
    with raises("predictions", "a finite score"):
        from_tables(judged | {"label": [1]}, found, **NAMES, label="label", score="score")
    with raises("judgments", "a label in each row"):
        from_tables(judged, found, **NAMES, label="label", score="score")
    ranks = {"query": [1], "item": [7], "rank": [10**9]}
    with raises("predictions", "ranks that leave at most", got="rank 1000000000 for query 1"):
        from_tables(judged | {"label": [1]}, ranks, **NAMES, label="label", rank="rank")


def test_a_warning_that_nothing_was_found_comes_once_and_only_if_nothing_was():
    gold, found = [["a"], ["b"]], [["x", "a"], ["y", "z"]]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert hit_rate_score(from_lists(gold, found), k=1) == 0  # "a" comes later
    data = from_lists(gold, [["x"], ["y"]])
    with pytest.warns(UserWarning, match="No relevant item is among the retrieved") as caught:
        assert hit_rate_score(data, k=1) == 0
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert hit_rate_score(data, k=2) == 0
        _ = data.y_true


def test_a_question_without_anything_is_undefined_also_alone():
    data = from_lists([[]], [[]])
    assert ndcg_score(data, k=3, average=None).tolist() == [0]
    with pytest.warns(UserWarning, match="no query has a defined score"):
        assert ndcg_score(data, k=3) == 0


def test_what_was_read_deeper_serves_a_smaller_cutoff(monkeypatch):
    n_read = []
    read = TwoSources.read

    def counted(self, depth):
        n_read.append(depth)
        return read(self, depth)

    monkeypatch.setattr(TwoSources, "read", counted)
    data = from_lists(GOLD, FOUND)
    for k in (2, 1, 2, 3, 1):
        ndcg_score(data, k=k)
    assert n_read == [2, 3]


def test_a_digest_does_not_depend_on_what_was_read():
    make = [
        lambda: from_lists(GOLD, FOUND),
        lambda: from_lists(GOLD, FOUND, split=str),  # which is joined as a table is
    ]
    reports = [ranking_report(each(), k=2) for each in make]
    data = from_lists(GOLD, FOUND)
    _ = data.y_true
    reports += [ranking_report(RankingData(*data), k=2)]
    assert len({report.judgments for report in reports}) == 1
    assert reports[0].judgments.n_items == 3
    copy = pickle.loads(pickle.dumps(ranking_report(from_lists(GOLD, FOUND), k=2)))
    assert copy.judgments == reports[0].judgments
    assert not callable(vars(copy)["_judgments"])


def test_one_query_can_be_read_with_its_columns():
    data = from_lists(GOLD, FOUND)
    queries = check_queries(CallData("f", data, None), DataNeeds(2))
    one = queries.read_one(1)
    assert data.item_ids[one.ranked_at].tolist() == ["b", "c", "y"]
    assert one.scores.tolist() == [-3, -1, -2]


def test_data_is_a_tuple_of_four_arrays():
    data = from_lists(GOLD, FOUND)
    y_true, y_score, query_ids, item_ids = data
    assert len(data) == 4
    assert (data[0] is y_true, data[-1] is item_ids, data[2] is query_ids) == (True, True, True)
    assert data[:2] == (y_true, y_score)
    copy = RankingData(*data)
    assert copy.prediction_order is None
    assert copy._replace(query_ids=[1, 2, 3]).query_ids == [1, 2, 3]


# --- ids as numbers of 64 bits ------------------------------------------------------------------


@pytest.fixture
def colliding(monkeypatch):
    """Let all texts have one number, so that all items of a query seem to be the same."""
    from ranking_scores._base import _packed_text

    monkeypatch.setattr(
        _packed_text.PackedText, "hashes", lambda self: np.zeros(self.size, np.uint64)
    )


@pytest.mark.usefixtures("colliding")
def test_texts_with_the_same_number_are_told_apart():
    gold, found = [["a"], ["b"]], [["b"], ["b"]]
    values = hit_rate_score(from_lists(gold, found), k=1, average=None)
    assert values.tolist() == [0, 1]
    assert ndcg_score(from_lists(GOLD, FOUND), k=2) == ndcg_score(
        *from_lists(GOLD, FOUND)[:2], k=2
    )


@given(
    texts=st.lists(st.text(st.sampled_from("a\0é\ud800😀"), max_size=20), min_size=1, max_size=8)
)
def test_packed_text_tells_the_same_texts_by_their_numbers(texts):
    packed = packed_objects(np.array(texts, dtype=object))
    assert packed.tolist() == texts
    assert [*map(len, map(repr, packed.tolist()))] == [*map(len, map(repr, texts))]
    hashes = packed.hashes().tolist()
    by_text = dict(zip(texts, hashes, strict=True))
    assert [by_text[text] for text in texts] == hashes
    assert len(set(hashes)) == len(set(texts))
    other = packed_objects(np.array(texts[::-1], dtype=object))
    assert packed.equals(packed[np.arange(len(texts))])
    assert packed.equals(other) == (texts == texts[::-1])


def test_from_pytrec_eval_reads_as_much_as_a_score_asks():
    qrel = {"q1": {"a": 1, "b": 0}, "q2": {"c": 2}}
    run = {"q1": {"x": 0.5, "a": 0.4, "y": 0.3}, "q2": {"c": 1, "d": 2**60}}
    data = from_pytrec_eval(qrel, run | {"q2": {"c": 1.0, "d": 2.0}})
    assert mean_average_precision_score(data, k=2) == 0.5
    wide = {"q1": {"a": 1, "x": 2}, "q2": {"c": 2**53 + 1}}
    with raises("run", "exact as float64, such as ints below 2**53"):
        mean_average_precision_score(from_pytrec_eval(qrel, wide), k=2)
    with raises("run", "a dict of dicts whose document ids are strings"):
        _ = from_pytrec_eval(qrel, {"q1": {7: 0.5, "a": 0.4}}).y_true
    unknown = from_pytrec_eval({"q1": {"a": 1}}, {"q1": {"a": 0.5, 7: 0.4}})
    assert mean_average_precision_score(unknown, k=1) == 1
    assert Fraction(1, 2) == mean_average_precision_score(data, k=[1, 2])[1]


LISTS = [["a", "b"], ["c", "b"]]
FORMS_OF_LISTS = [
    ([["a"], ["b"]], np.array(LISTS), {}),
    ([["a"], ["b"]], [np.array(row) for row in LISTS], {}),
    ([np.array(["a"]), ["b"]], LISTS, {}),
    ([{"a"}, {"b"}], LISTS, {}),
    ([["a"], ["b"]], LISTS, {"item_scores": [np.array([1.0, 2.0]), [1, 2]]}),
    ([["a"], ["b"]], LISTS, {"item_scores": [[0.1, 0.2], [1, 2]]}),
    ([["a"], ["b"]], [[("a", 0.1), ("b", 0.2)], [("c", 0.3), ("b", 0.2)]], {}),
    ([["a"], ["b"]], [[("a", 0.1), ["b", 0.2]], [["c", 0.3], ("b", 0.2)]], {}),
    ([{"a": 1}, {"b": 2}], [{"a": 1.0, "b": 2.0}, {"c": 1.0, "b": 1.0}], {}),
    ([{"a": 1}, {"b": 2}], [{"a": 1.0, "b": 2.0}, {"c": 1.0, "b": 3.0}], {}),
    ([{1: 1}, {2: 2}], [{1: 1.0, 2: 2.0}, {3: 1.0, 2: 3.0}], {}),
    ([["a"], ["b"]], [{"a": 1.0, "b": 2.0}, {"c": 1.0, "b": 3.0}], {}),
    ([["a"], ["b"]], [{"a": 1.0, "b": 2.0}, None], {"queries": "judged"}),
    ([["a"], ["b"]], [[("a", 0.1), {"id": "b", "score": 0.2}], [("c", 0.3)]], {}),
    (pd.Series([["a"], ["b"]]), pl.Series([["a", "b"], ["c", "b"]]), {}),
    ([["a"], ["b"]], [pd.Series(row) for row in LISTS], {}),
    ([["a"], ["b"]], [pl.Series(row) for row in LISTS], {}),
]


@quietly
@pytest.mark.parametrize(("relevant", "retrieved", "options"), FORMS_OF_LISTS)
def test_lists_of_all_forms_are_read_as_deep_as_a_score_asks(relevant, retrieved, options):
    first = from_lists(relevant, retrieved, **options)
    whole = from_lists(relevant, retrieved, **options)
    for k in (1, 2):
        by_ids = recall_at_k_score(first, k=k, average=None)
        in_arrays = recall_at_k_score(whole.y_true, whole.y_score, k=k, average=None)
        assert by_ids.tobytes() == in_arrays.tobytes()


def test_an_error_of_a_label_names_its_query():
    data = from_lists([{"b": 1}, {"a": 5, "c": 0}], [["b", "d", "e"], ["a", "b", "x"]])
    with raises("y_true", "max_grade", got="the label 5 in query 1"):
        expected_reciprocal_rank_score(data, k=1, max_grade=3)


ITEM_COLUMNS = {
    "pandas text": lambda ids: pd.Series([f"d{n}" for n in ids]),
    "pandas objects": lambda ids: pd.Series([f"d{n}" for n in ids], dtype=object),
    "objects of NumPy": lambda ids: np.array([f"d{n}" for n in ids], dtype=object),
    "text of NumPy": lambda ids: np.array([f"d{n}" for n in ids]),
    "pandas category": lambda ids: pd.Series([f"d{n}" for n in ids], dtype="category"),
    "category of dates": lambda ids: pd.Series(
        pd.Timestamp("2026-01-01") + pd.to_timedelta(ids, "D"), dtype="category"
    ),
    "polars text": lambda ids: pl.Series([f"d{n}" for n in ids]),
    "polars categorical": lambda ids: pl.Series([f"d{n}" for n in ids], dtype=pl.Categorical),
    "polars ints": lambda ids: pl.Series(ids.tolist()),
    "int32": lambda ids: ids.astype(np.int32),
    "uint64": lambda ids: ids.astype(np.uint64) + np.uint64(2**63),
    "nullable ints": lambda ids: pd.Series(ids, dtype="Int64"),
    "floats": lambda ids: ids / 4,
    "list of text": lambda ids: [f"d{n}" for n in ids],
    "list of ints": lambda ids: ids.tolist(),
    "list of text and ints": lambda ids: [n if n % 2 else f"d{n}" for n in ids.tolist()],
}


def columns_of(n_queries, n_items, items_of, rng):
    """Return predictions of all items for each query, and judgments of one in ten of them."""
    query, item = (each.ravel() for each in np.indices((n_queries, n_items)))
    score, label = rng.integers(0, 30, query.size) / 4, rng.integers(0, 4, query.size)
    is_judged = rng.random(query.size) < 0.1
    judged = {"query": query[is_judged], "item": items_of(item[is_judged])}
    return (
        {**judged, "label": label[is_judged]},
        {"query": query, "item": items_of(item), "score": score},
        {
            "query": query,
            "item": items_of(item),
            "score": score,
            "label": np.where(is_judged, label, np.nan),
        },
    )


@pytest.mark.parametrize("items_of", ITEM_COLUMNS.values(), ids=ITEM_COLUMNS)
def test_columns_of_ids_of_all_types_are_read_as_deep_as_a_score_asks(items_of):
    names = {**NAMES, "label": "label", "score": "score"}
    for seed in range(5):
        judged, predicted, both = columns_of(7, 60, items_of, np.random.default_rng(seed))
        for make in (
            lambda: from_tables(judged, predicted, **names),  # noqa: B023
            lambda: from_table(both, **names),  # noqa: B023
            lambda: from_table(both, **{**names, "item": None}),  # noqa: B023
        ):
            whole = make()
            for k in (1, 5):
                expected = report_of(whole.y_true, whole.y_score, k=k)
                data = make()
                assert_same_values(report_of(data, k=k), expected)
                assert data._columns is None  # it was not read as arrays


def test_ids_of_two_kinds_meet_as_in_arrays():
    rng = np.random.default_rng(0)
    judged, predicted, _ = columns_of(7, 60, lambda ids: ids, rng)
    names = {**NAMES, "label": "label", "score": "score"}
    for items in (predicted["item"].astype(np.uint64), predicted["item"] / 1):
        other = {**predicted, "item": items}
        whole = from_tables(judged, other, **names)
        expected = report_of(whole.y_true, whole.y_score, k=5)
        assert_same_values(report_of(from_tables(judged, other, **names), k=5), expected)
        assert expected["ndcg@5"] > 0
    text = {**predicted, "item": predicted["item"].astype(str)}
    with raises("predictions", "numbers", function="from_tables"):
        ndcg_score(from_tables(judged, text, **names), k=5)


def test_queries_with_the_same_number_are_told_apart(monkeypatch):
    gold = [{"a": 1}, {"b": 1}, {"c": 2}]
    found = [{"a": 2.0, "b": 1.0}, {"c": 2.0, "b": 1.0}, {"c": 2.0, "a": 1.0}]
    whole = from_lists(gold, found)
    expected = ndcg_score(whole.y_true, whole.y_score, k=1, average=None)
    keys_of = _sources.keys_of
    monkeypatch.setattr(_sources, "keys_of", lambda ids, query: keys_of(ids, 0 * query))
    lists = from_lists(gold, [list(row) for row in found])
    for data in (from_lists(gold, found), lists):
        assert ndcg_score(data, k=1, average=None).tolist() == expected.tolist() == [1, 0, 1]


@pytest.mark.parametrize("other", [True, 1.0])
def test_what_equals_a_whole_number_is_told_from_it(other):
    make = lambda: from_lists([{1: 1}], [{5: 0.1, other: 0.9, 3: 0.3}])  # noqa: E731
    if other is True:
        with raises("retrieved", "told apart", got="bools beside numbers"):
            hit_rate_score(make(), k=1)
    else:
        whole = make()
        assert hit_rate_score(make(), k=1) == hit_rate_score(whole.y_true, whole.y_score, k=1)


def test_ids_of_other_kinds_are_refused_by_the_first_score():
    text, numbers = from_lists([["a"]], [[1, 2, 3]]), from_lists([{1: 1}], [{"a": 0.5, "b": 0.7}])
    for data, kind in ((text, "text"), (numbers, "numbers")):
        with raises("retrieved", f"have {kind}", function="from_lists"):
            recall_at_k_score(data, k=1)
