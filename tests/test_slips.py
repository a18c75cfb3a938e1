"""Calls that give a number which is not what the caller wants: each of them warns."""

from __future__ import annotations

import inspect
import sys
import warnings
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from raising import raises
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator
from sklearn.exceptions import UndefinedMetricWarning

from ranking_scores import (
    StreamingScore,
    dcg_score,
    hit_rate_score,
    make_ranking_scorer,
    mean_reciprocal_rank_score,
    ndcg_score,
    ranking_report,
    scale,
)
from ranking_scores.__main__ import main
from ranking_scores._metrics._named import SCORES as SCORES_BY_NAME
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.significance import compare, confidence_interval
from ranking_scores.streaming import whole_queries
from ranking_scores.tables import from_tables
from ranking_scores.ties import chance_level, tie_report

QID = np.repeat(np.arange(10), 6)
SCORES = np.random.default_rng(0).random(60)
WHOLE = np.random.default_rng(1).integers(0, 3, 60)
NO_SCORE = "no query has a defined score"


def stream_of(y_true, y_score, **params):
    stream = StreamingScore("ndcg", k=3)
    for query in range(10):
        of_query = query == QID
        stream.update(y_true[of_query], y_score[of_query], qid=QID[of_query])
    return stream.compute()


def table_of(y_true, y_score):
    columns = {"query": "qid", "label": "y_true", "score": "y_score"}
    batches = [{"qid": QID, "y_true": y_true, "y_score": y_score}]
    return scale.report(batches, **columns, scores="ndcg@3")["ndcg@3"]


def by_scorer(y_true, y_score):
    class Model(BaseEstimator):
        def predict(self, X):
            return X[:, 0]

    with sklearn.config_context(enable_metadata_routing=True):
        scorer = make_ranking_scorer("ndcg@3").set_score_request(qid=True)
        return scorer(Model(), y_score[:, None], y_true, qid=QID)


CALLS = [
    lambda y_true, y_score: ndcg_score(y_true, y_score, qid=QID, k=3),
    lambda y_true, y_score: ndcg_score(y_true.reshape(10, 6), y_score.reshape(10, 6), k=3),
    lambda y_true, y_score: ndcg_score(
        csr_array(y_true.reshape(10, 6)), csr_array(y_score.reshape(10, 6)), k=3
    ),
    lambda y_true, y_score: ndcg_score(
        *(pl.Series(each.reshape(10, 6).tolist()) for each in (y_true, y_score)), k=3
    ),
    lambda y_true, y_score: ranking_report(y_true, y_score, qid=QID, scores="ndcg@3")["ndcg@3"],
    stream_of,
    table_of,
]


@pytest.mark.parametrize("call", CALLS)
def test_a_mean_of_replaced_values_warns(call):
    with pytest.warns(UndefinedMetricWarning, match=f"{NO_SCORE}.*`replace_undefined_by`, 0"):
        assert call(np.zeros(60), SCORES) == 0
    labels = np.zeros(60)
    labels[0] = 1
    assert call(labels, SCORES) > 0


def test_a_scorer_warns_of_a_mean_of_replaced_values():
    with pytest.warns(UndefinedMetricWarning, match=NO_SCORE):
        assert by_scorer(np.zeros(60), SCORES) == 0


def test_a_query_whose_items_are_all_masked_is_undefined():
    where = np.zeros((2, 3), dtype=bool)
    with pytest.warns(UndefinedMetricWarning, match=NO_SCORE):
        hit_rate_score([[1, 0, 1]] * 2, [[1, 2, 3]] * 2, k=1, where=where)


def test_only_the_undefined_results_are_named():
    gains, labels = [0, 0, 5], [[0, 1, 1]]
    scores = {"relevant": "map", "gain": "ndcg", "position": "arp"}
    with pytest.warns(UndefinedMetricWarning) as caught:
        ranking_report(labels, [[1, 2, 3]], scores=scores, gain=gains, k=None)
    [message] = [str(each.message) for each in caught]
    assert message.startswith("ranking_report (gain) is undefined")
    with pytest.warns(UndefinedMetricWarning) as caught:
        ranking_report(np.zeros((1, 3)), [[1, 2, 3]], scores=scores, k=None)
    assert [str(each.message).partition(" und")[0] for each in caught] == [
        "ranking_report (position) is",
        "ranking_report (relevant, gain) are",
    ]


def test_what_has_no_mean_or_is_always_defined_does_not_warn():
    assert not ndcg_score(np.zeros(60), SCORES, qid=QID, average=None).any()
    assert dcg_score(np.zeros(60), SCORES, qid=QID) == 0


@pytest.mark.parametrize(
    "call",
    [
        lambda n: ndcg_score(np.ones(n), SCORES[:n], qid=np.arange(n)),
        lambda n: ndcg_score(np.ones((n, 1)), SCORES[:n, None]),
        lambda n: ndcg_score(pl.Series([[1]] * n), pl.Series(SCORES[:n, None].tolist())),
        lambda n: ranking_report(np.ones(n), SCORES[:n], qid=np.arange(n), scores="ndcg@1")[
            "ndcg@1"
        ],
    ],
)
def test_queries_of_one_item_warn(call):
    with pytest.warns(UserWarning, match="5 queries of one item each.*same id in"):
        assert call(5) == 1
    assert call(1) == 1


def test_a_stream_warns_if_all_of_its_queries_have_one_item():
    stream = StreamingScore("ndcg")
    stream.update([1, 1], [0.5, 0.5], qid=[1, 2])
    with pytest.warns(UserWarning, match="2 queries of one item each"):
        assert stream.compute() == 1
    other = StreamingScore("ndcg")
    other.update([1, 1], [0.5, 0.5], qid=[3, 3])
    stream.merge(other)
    assert stream.compute() == 1


def test_one_retrieved_item_per_query_does_not_warn():
    assert ndcg_score(csr_array([[1], [1]]), csr_array([[0.5], [0.2]])) == 1


@pytest.mark.parametrize("call", [*CALLS[:2], *CALLS[3:5], table_of])
def test_swapped_labels_and_scores_warn(call):
    with pytest.warns(UserWarning, match="swapped"):
        call(SCORES, WHOLE)


def test_a_stream_warns_of_swapped_labels_and_scores():
    with pytest.warns(UserWarning, match="StreamingScore.update got labels .* swapped"):
        StreamingScore(["ndcg"]).update(SCORES, WHOLE, qid=QID)


@pytest.mark.parametrize(
    ("y_true", "y_score"),
    [
        (WHOLE, SCORES),  # the right order
        (SCORES, SCORES[::-1]),  # soft labels beside real scores
        (SCORES, np.ones(60)),  # a constant model
        (np.round(SCORES * 5) / 5, WHOLE),  # labels with few levels
        (SCORES * 9, WHOLE),  # prices, ratings, times
        (WHOLE.astype(float), WHOLE),
        (SCORES, np.arange(60)),  # ranks
    ],
)
def test_other_labels_and_scores_do_not(y_true, y_score):
    assert 0 < ndcg_score(y_true, y_score, qid=QID) <= 1


@pytest.mark.parametrize(
    ("n_labels", "n_items", "n_scores", "lowest", "highest", "is_swapped"),
    [
        (11, 20, 5, 0, 1, True),
        (11, 20, 2, 0, 1, True),
        (24, 40, 10, 0, 1, True),
        (1000, 1500, 10, 0, 1, True),
        (19, 19, 5, 0, 1, False),  # too few items
        (10, 20, 5, 0, 1, False),  # half of the labels are different
        (8, 20, 3, 0, 1, False),
        (200, 1500, 5, 0, 1, False),
        (11, 20, 1, 0, 1, False),  # a constant score
        (11, 20, 6, 0, 1, False),  # as many scores as half of the labels
        (24, 40, 11, 0, 1, False),
        (11, 20, 5, -0.1, 1, False),
        (11, 20, 5, 0, 1.5, False),
    ],
)
def test_how_many_values_look_swapped(n_labels, n_items, n_scores, lowest, highest, is_swapped):
    place = np.random.default_rng(3).permutation(n_items)
    labels = np.linspace(lowest, highest, n_labels)[place % n_labels]
    scores = (place % n_scores).astype(float)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        mean_reciprocal_rank_score(labels, scores, qid=place * 0, relevance_threshold=0.5)
    assert len(caught) == is_swapped


def test_values_that_are_masked_may_be_any_bits():
    labels = np.ones((2, 20))
    labels.view(np.uint64)[:, 3] = 0x7FF0000000000001  # a signalling NaN
    where = np.isfinite(labels)
    assert ndcg_score(labels, np.arange(40).reshape(2, 20), where=where) == 1


def test_few_items_or_none_do_not_look_swapped():
    assert mean_reciprocal_rank_score([[0.2, 0.3, 0.4]], [[0, 1, 1]]) == 1
    assert 0 < chance_level(SCORES.reshape(10, 6), score="ndcg") < 1
    empty = pl.Series([[]], dtype=pl.List(pl.Float64))
    assert np.isnan(ndcg_score(empty, empty, average=None, replace_undefined_by=np.nan))


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize(
    "empty",
    [
        pl.DataFrame({"user": [], "label": []}),
        pl.DataFrame({"user": [], "label": []}, schema={"user": pl.Object, "label": pl.Object}),
        pl.DataFrame({"user": [], "label": []}, schema={"user": pl.String, "label": pl.Float32}),
    ],
)
def test_a_batch_without_rows_sets_no_types(empty, place):
    rows = pl.DataFrame({"user": ["a", "b", "b"], "label": [1, 2, 3]})
    batches = [rows[:2], rows[2:]]
    batches.insert(place, empty)
    whole = [*whole_queries(batches, qid="user")]
    assert pl.concat(whole).equals(rows)


def test_batches_of_a_shuffled_loader_are_told_of_shuffle():
    batches = [{"user": np.array([1, 2])}, {"user": np.array([1])}]
    with pytest.raises(ValueError, match="pass shuffle=False"):
        [*whole_queries(batches, qid="user")]


JUDGED = {"user": ["a", "a", "b"], "film": ["x", "y", "x"]}
PREDICTED = {"user": ["a", "b", "b"], "film": ["x", "x", "z"], "score": [1, 2, 3]}
NAMES = {"query": "user", "item": "film", "score": "score"}
TABLES = {
    "dict": dict,
    "rows": lambda columns: pd.DataFrame(columns, dtype=object).to_dict("records"),
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "lazy polars": lambda columns: pl.DataFrame(columns).lazy(),
    "pyarrow": lambda columns: pytest.importorskip("pyarrow").table(columns),
    "reader": lambda columns: pytest.importorskip("pyarrow").table(columns).to_reader(),
}


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("Label", [1, 2, 3]),
        ("grade", [0.5, 2.0, 1.0]),
        ("relevance", [True, True, True]),
        ("stars", [1, None, 3]),
        ("score", [1, 2, 3]),
        ("grade_llm", [3, 1, 2]),
        ("target", [1, 1, 1]),
        ("judgment", [2, 1, 2]),
        ("points", [5, 4, 4]),
    ],
)
def test_numbers_that_may_be_labels_must_be_named(kind, name, values):
    """Else a label of a name that nobody knows would be dropped, and each row be relevant."""

    def table():
        return TABLES[kind](JUDGED | {name: values, "Timestamp": [881250949] * 3, "rank": [1] * 3})

    advice = f"Pass label={name!r} or label=None."
    got = f"neither, and the numbers in {name!r} may be the labels,"
    for function in (from_tables, scale.report_tables):
        with raises("label", "or None if each row is relevant", got=got, advice=advice):
            function(table(), PREDICTED, **NAMES)
    assert from_tables(table(), PREDICTED, **NAMES, label=None).y_true.data.tolist() == [1, 1, 1]


def test_all_numbers_that_may_be_labels_are_shown():
    with raises("label", "None", got="neither, and the numbers in 'a' and 'b' may be the labels,"):
        from_tables(JUDGED | {"a": [1] * 3, "b": [2] * 3}, PREDICTED, **NAMES)


@pytest.mark.parametrize("kind", TABLES)
def test_what_cannot_be_labels_need_not_be_named(kind):
    others = {"stars": ["*", "**", "-"], "date": [1979, 1985, 1995], "docid": [3, 1, 2]}
    data = from_tables(TABLES[kind](JUDGED | others), PREDICTED, **NAMES)
    assert data.y_true.data.tolist() == [1, 1, 1]
    ids = {"rating": [0, 0, 1], "label": [0, 1, 0]}
    names = {"query": ("rating", "user"), "item": ("label", "film"), "score": "score"}
    predicted = {"user": [0, 1, 1], "film": [0, 1, 0], "score": [1, 2, 3]}
    assert from_tables(TABLES[kind](ids), predicted, **names).query_ids.tolist() == [0, 1]


def test_columns_that_cannot_be_read_are_not_taken_for_labels(monkeypatch):
    mixed = {"both": ["x", 0, 2], "none": [None] * 3}
    assert from_tables(JUDGED | mixed, PREDICTED, **NAMES).y_true.nnz == 3
    twice = pd.DataFrame([["a", "x", 0, 1]], columns=["user", "film", "n", "n"])
    assert from_tables(twice, PREDICTED, **NAMES).y_true.nnz == 1
    with pytest.raises(ValueError, match="Got the columns 'film'"):
        from_tables({"film": ["x"]}, PREDICTED, **NAMES)
    monkeypatch.setitem(sys.modules, "narwhals", None)
    with pytest.raises(ValueError, match="if narwhals is not installed"):
        from_tables(pl.DataFrame(JUDGED), PREDICTED, **NAMES)
    with pytest.raises(ValueError, match="if narwhals is not installed"):
        from_tables(None, PREDICTED, **NAMES)


def test_a_label_that_is_left_out_says_so_in_the_signature():
    for function in (from_tables, scale.report_tables):
        assert "label: 'Any' = <left out>" in str(inspect.signature(function))


JOINED = from_tables(
    {"q": [1, 1, 2], "i": [1, 2, 1], "label": [1, 0, 1]},
    {"q": [1, 1, 2], "i": [1, 2, 1], "s": [1, 2, 3]},
    query="q",
    item="i",
    label="label",
    score="s",
)


def test_joined_tables_in_the_place_of_an_array_are_told_how_to_be_passed():
    with raises("y_score", "left out, since y_true is RankingData", got="a csr_array"):
        ndcg_score(JOINED, JOINED.y_score)
    with raises("y_score", "an array", advice="Pass it alone, without `y_score`"):
        ndcg_score(JOINED.y_true, JOINED)


def test_lists_in_the_place_of_numbers_are_refused():
    columns = {"q": [1, 1], "i": [1, 2]}
    with raises("judgments", "bools, ints or floats", got="[1, 2] in row 0"):
        from_tables(
            columns | {"l": [[1, 2], [3, 4]]},
            columns | {"s": [1, 2]},
            query="q",
            item="i",
            label="l",
            score="s",
        )
    table = columns | {"l": ([1, 2], [3, 4])}
    with raises("judgments", "bools, ints or floats", got="lists, of shape (2, 2)"):
        from_tables(table, columns | {"s": [1, 2]}, query="q", item="i", label="l", score="s")
    for gain in ([[1], [1, 2]], [0, [1, 2]]):
        with raises("gain", "1-D table"):
            ndcg_score([[1, 0]], [[1, 2]], gain=gain)


@pytest.mark.parametrize("method", [[], ["foo"], ["predict", 5], 3, "transform"])
def test_a_scorer_refuses_other_methods_at_once(method):
    with raises("response_method", "'predict'", function="make_ranking_scorer"):
        make_ranking_scorer("ndcg", response_method=method)


@pytest.mark.parametrize("replacement", [np.inf, -np.inf, 1e301])
def test_reports_of_values_that_cannot_be_summed_are_not_compared(replacement):
    labels = [[0, 0], [0, 1], [1, 0]]
    one, other = (
        ranking_report(labels, scores, scores="ndcg", k=1, replace_undefined_by=replacement)
        for scores in ([[1, 2], [2, 1], [1, 2]], [[1, 2], [1, 2], [3, 2]])
    )
    for call in (lambda: compare(one, other), lambda: confidence_interval(one)):
        with pytest.raises(InvalidParameterError, match=r"finite or NaN|from -1e"):
            call()


def test_a_tie_report_warns_once():
    with pytest.warns(UndefinedMetricWarning) as caught:
        tie_report(np.zeros((2, 3)), SCORES[:6].reshape(2, 3), score="ndcg")
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("y_pred", "It is called `y_score` here."),
        ("preds", "It is called `y_score` here."),
        ("mask", "It is called `where` here."),
        ("groups", "use `qid=ranking_scores.qid_from_sizes(groups)`"),
        ("sample_weigth", "Did you mean 'sample_weight'?"),
    ],
)
def test_keywords_of_other_programs_are_explained(name, advice):
    data = [[1, 0]], [[2, 1]]
    calls = [
        *(partial(function, *data) for function in SCORES_BY_NAME.values()),
        lambda **params: ranking_report(*data, **params),
        lambda **params: tie_report(*data, score="ndcg", **params),
        lambda **params: StreamingScore("ndcg", **params),
        lambda **params: make_ranking_scorer("ndcg", **params),
    ]
    if not advice.startswith("Did"):
        calls.append(lambda **params: StreamingScore("ndcg").update(*data, **params))
    for call in calls:
        with pytest.raises(InvalidParameterError, match=" has no parameter '") as caught:
            call(**{name: [1]})
        assert advice in f"{caught.value.advice} {caught.value.code}"


def test_an_error_of_a_type_inside_a_score_is_not_taken_for_a_keyword():
    def gain(label):
        raise TypeError("of the caller")

    with pytest.raises(TypeError, match=r"^of the caller$"):
        ndcg_score([[1, 0]], [[2, 1]], gain=gain)


def test_a_table_of_one_gain_is_no_error_of_the_command(tmp_path, capsys):
    for name, text in (("qrels", "1 0 a 0\n1 0 b 0\n"), ("run", "1 Q0 a 1 3 t\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    files = [str(tmp_path / name) for name in ("qrels", "run")]
    assert main([*files, "--scores", "dcg@1", "--gain", "5"]) == 0
    assert "5.0000" in capsys.readouterr().out


ONE_ITEM = "For one item per row, use `np.asarray(y_true)[..., 0]` and pass `qid`."
ONE_CLASS = "For one class per row, use `np.asarray(y_true)[..., 0]`."
SWAP = "Are y_true and y_score swapped?"
OF_TABLE = (
    "If y_true is a table, pass its columns: one for y_true, one for y_score and one for `qid`."
)


@pytest.mark.parametrize(
    ("labels", "scores", "is_frame", "advice"),
    [
        ((3, 1), (3,), False, ONE_ITEM),
        ((3, 1), (4,), True, ONE_ITEM),
        ((3, 1), (3, 4), False, ONE_CLASS),
        ((3, 1), (2, 3), False, ONE_ITEM),
        ((3, 1), (4, 3), True, ONE_ITEM),
        ((1, 1), (2, 1), False, ONE_ITEM),
        ((3, 1), (3, 1, 1), False, ONE_ITEM),
        ((3, 2), (3,), False, SWAP),
        ((3, 2), (3,), True, OF_TABLE),
        ((1, 2), (3,), True, OF_TABLE),
        ((3, 2), (2,), True, OF_TABLE),
        ((3, 2), (3, 3), True, ""),
        ((3, 2), (2, 2), False, ""),
    ],
)
def test_shapes_that_differ_are_told_the_likely_reason(labels, scores, is_frame, advice):
    y_true = pd.DataFrame(np.ones(labels)) if is_frame else np.ones(labels)
    with pytest.raises(InvalidParameterError) as caught:
        mean_reciprocal_rank_score(y_true, np.ones(scores))
    error = caught.value
    assert error.expected.startswith("of the shape of y_true") or len(scores) > 2
    assert f"{error.advice} {error.code}".strip() == advice


@pytest.mark.parametrize(
    ("ids", "expected"),
    [([1, 2], "shape (3,)"), ([1, 2, 3, 4], "shape (3,)"), ([1, 2, 1], "unique")],
)
def test_ids_are_one_for_each_query(ids, expected):
    y = np.ones((3, 2))
    for given in (ids, np.array(ids)):
        with raises("query_ids", expected):
            ranking_report(y, y, query_ids=given, scores="hit_rate")
    with raises("query_ids", "unique", got="'a' more than once"):
        ranking_report(np.eye(4), np.eye(4), query_ids=list("abab"), scores="hit_rate")


@pytest.mark.parametrize("n", [2, 3, 4])
def test_weights_with_the_index_of_the_rows_are_in_their_order(n):
    ids = [5, 6, 7]
    y = pd.DataFrame(np.eye(3), index=range(3))
    weight = pd.Series([1.0, 2, 3, 4][:n], index=range(n))
    params = {"query_ids": ids, "scores": "hit_rate", "k": 1}
    if n == 3:
        report = ranking_report(y, np.ones((3, 3)), sample_weight=weight, **params)
        assert report.sample_weight.tolist() == [1, 2, 3]
        return
    with raises("sample_weight", "Series with the ids of the queries"):
        ranking_report(y, np.ones((3, 3)), sample_weight=weight, **params)
