"""pytrec_eval's dicts: made from every layout, read back, and scored as pytrec_eval does."""

from __future__ import annotations

import tracemalloc
import warnings
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import pytrec_eval
import read_at_once
import scipy.sparse as sp

from ranking_scores import (
    bpref_score,
    dcg_score,
    f1_at_k_score,
    hit_rate_score,
    judged_at_k_score,
    mean_average_precision_score,
    mean_reciprocal_rank_score,
    ndcg_score,
    precision_at_k_score,
    r_precision_score,
    ranking_report,
    recall_at_k_score,
)
from ranking_scores.tables import RankingData
from ranking_scores.trec import from_pytrec_eval, read_qrels, read_run, to_pytrec_eval

DATA = Path(__file__).parents[1] / "data" / "trec"
CUTOFFS = [1, 2, 3, 5, 10, 40]  # the last one is beyond the end of all random lists
PEER_TOLERANCE = 1e-6  # pytrec_eval adds in another order
PRINTED_TOLERANCE = 0.5e-4 + 1e-12  # half of the last digit that trec_eval prints
ANY_GAIN, RELEVANT = {"relevance_threshold": 0}, {"relevance_threshold": 1}
OF_THE_WHOLE_LIST = {
    "ndcg": (ndcg_score, ANY_GAIN),
    "map": (mean_average_precision_score, RELEVANT),
    "Rprec": (r_precision_score, RELEVANT),
    "recip_rank": (mean_reciprocal_rank_score, RELEVANT),
    "set_P": (precision_at_k_score, RELEVANT | {"k": None, "denominator": "retrieved"}),
    "set_recall": (recall_at_k_score, RELEVANT),
    "set_F": (f1_at_k_score, RELEVANT | {"k": None}),
}
AT_K = {
    "ndcg_cut": (ndcg_score, ANY_GAIN),
    "success": (hit_rate_score, RELEVANT),
    "P": (precision_at_k_score, RELEVANT),
    "recall": (recall_at_k_score, RELEVANT),
    "map_cut": (mean_average_precision_score, RELEVANT),
}
PRINTED_CUTOFFS = {name: [5, 10, 15, 20, 30, 100, 200, 500, 1000] for name in AT_K}
PRINTED_CUTOFFS["success"] = [1, 5, 10]
PRINTED = OF_THE_WHOLE_LIST | {
    f"{name}_{k}": (score, params | {"k": k})
    for name, (score, params) in AT_K.items()
    for k in PRINTED_CUTOFFS[name]
}
NAN, INF = np.nan, np.inf
Y_TRUE = [[0, 2, 1], [1, 0, 0]]
Y_SCORE = [[0.3, 0.2, 0.1], [0.1, 0.2, 0.3]]
QREL = {"q0": {"d0": 0, "d1": 2, "d2": 1}, "q1": {"d0": 1, "d1": 0, "d2": 0}}
RUN = {"q0": {"d0": 0.3, "d1": 0.2, "d2": 0.1}, "q1": {"d0": 0.1, "d1": 0.2, "d2": 0.3}}


def scores_of(data):
    """Return what trec_eval calls the scores of each query, by their names, from arrays."""
    shared = {"ignore_ties": True, "average": None}
    scores = {
        name: score(*data[:2], **params, **shared)
        for name, (score, params) in OF_THE_WHOLE_LIST.items()
    }
    for name, (score, params) in AT_K.items():
        curves = score(*data[:2], **params, **shared, k=CUTOFFS)
        scores |= {f"{name}_{k}": of_k for k, of_k in zip(CUTOFFS, curves.T, strict=True)}
    return scores


def as_float32(data):
    """Return the data with the scores as pytrec_eval holds them."""
    return data._replace(y_score=data.y_score.astype(np.float32))


def pytrec_eval_of(qrel, run):
    """Return what pytrec_eval makes of dicts: the scores of each query that it scores."""
    cutoffs = ",".join(map(str, CUTOFFS))
    measures = {*OF_THE_WHOLE_LIST, *(f"{name}.{cutoffs}" for name in AT_K)}
    return pytrec_eval.RelevanceEvaluator(qrel, measures).evaluate(run)


def assert_scored_as_by_pytrec_eval(data, qrel, run, n_queries):
    theirs, ours = pytrec_eval_of(qrel, run), scores_of(data)
    assert len(theirs) == n_queries
    for row, query in enumerate(data.query_ids):
        # It leaves out a query that is not in the run.
        for name, value in theirs.get(query, dict.fromkeys(ours, 0.0)).items():
            assert ours[name][row] == pytest.approx(value, abs=PEER_TOLERANCE), (query, name)


def random_dicts(seed):
    """Return judgments and a run, with unjudged and unretrieved documents, ties where even."""
    rng = np.random.default_rng(seed)
    documents = [f"d{n}" for n in range(30)] + ["é", "z", "\uffff", "\U0001f600", "D", ""]
    queries = [f"q{n}" for n in rng.permutation(12)]
    qrel, run = {}, {}
    for query in queries:
        judged = rng.choice(documents, rng.integers(1, 15), replace=False).tolist()
        found = rng.choice(documents, rng.integers(1, 25), replace=False).tolist()
        grades = rng.choice([-1, 0, 0, 1, 2, 3], len(judged)).tolist()
        if max(grades) < 0:
            grades[0] = 0
        few = seed % 2 == 0
        scores = rng.integers(-2, 3, len(found)) / 2 if few else rng.normal(size=len(found))
        qrel[query] = dict(zip(judged, grades, strict=True))
        run[query] = dict(zip(found, scores.tolist(), strict=True))
    return qrel, run


def as_dicts(table):
    """Return a qrel or a run from what was read of a file."""
    dicts = {}
    for query, item, number in zip(*map(np.ndarray.tolist, table.values()), strict=True):
        dicts.setdefault(query, {})[item] = number
    return dicts


def dicts_of_trec_eval():
    """Return the judgments and the run that come with trec_eval."""
    return as_dicts(read_qrels(DATA / "qrels.test")), as_dicts(read_run(DATA / "results.test"))


# Against trec_eval and pytrec_eval.


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_trec_eval_printed_the_same(dtype):
    qrel, run = dicts_of_trec_eval()
    y_true, y_score, queries, _ = from_pytrec_eval(qrel, run)
    y_score = y_score.astype(dtype)
    n_compared = 0
    for line in (DATA / "out.test.aq").read_text(encoding="utf-8").splitlines():
        name, query, printed = line.split()[:3]
        if name in PRINTED:
            score, params = PRINTED[name]
            ours = score(y_true, y_score, **params, ignore_ties=True, average=None)
            value = ours.mean() if query == "all" else ours[queries.tolist().index(query)]
            assert value == pytest.approx(float(printed), abs=PRINTED_TOLERANCE), line
            n_compared += 1
    assert n_compared == 4 * len(PRINTED)  # three topics and their mean


def test_the_real_run_needs_the_order_of_ties():
    qrel, run = dicts_of_trec_eval()
    data = from_pytrec_eval(qrel, run)
    assert_scored_as_by_pytrec_eval(as_float32(data), qrel, run, 3)
    ignoring, averaging = (ndcg_score(*data[:2], ignore_ties=flag) for flag in (True, False))
    assert ignoring != averaging


@pytest.mark.parametrize("seed", range(20))
def test_pytrec_eval_scores_the_same(seed):
    qrel, run = random_dicts(seed)
    data = as_float32(from_pytrec_eval(qrel, run))
    assert data.query_ids.tolist() == sorted(qrel)
    assert data.query_ids[2] == "q10"
    assert_scored_as_by_pytrec_eval(data, qrel, run, 12)


@pytest.mark.parametrize("x", [0.25, 2.0, 4.0])
def test_the_parameter_of_set_f_is_the_square_of_beta(x):
    qrel, run = random_dicts(0)
    theirs = pytrec_eval.RelevanceEvaluator(qrel, {f"set_F.{x}"}).evaluate(run)
    data = from_pytrec_eval(qrel, run)
    ours = f1_at_k_score(*data[:2], **RELEVANT, k=None, beta=x**0.5, average=None)
    assert (ours > 0).sum() >= 5
    for query, value in zip(data.query_ids, ours, strict=True):
        assert value == pytest.approx(theirs[query]["set_F"], abs=PEER_TOLERANCE)


def test_pytrec_eval_compares_scores_as_float32():
    qrel, run = {"q": {"a": 1, "b": 0}}, {"q": {"a": 1 + 1e-9, "b": 1.0}}
    data = from_pytrec_eval(qrel, run)
    assert scores_of(data)["success_1"] == [1]  # as trec_eval 10, which compares doubles
    assert data.y_score.dtype == np.float64
    assert scores_of(as_float32(data))["success_1"] == [0]
    assert pytrec_eval_of(qrel, run)["q"]["success_1"] == 0


def test_queries_of_one_dict_only_and_empty_ones():
    qrel = {"judged": {"a": 1}, "both": {"a": 1}, "nothing found": {"a": 1}, "no grade": {}}
    run = {"both": {"a": 1.0}, "nothing found": {}, "no grade": {"a": 1.0}}
    data = from_pytrec_eval(qrel, run)
    assert data.query_ids.tolist() == ["both", "judged", "no grade", "nothing found"]
    assert scores_of(data)["ndcg"].tolist() == [1, 0, 0, 0]
    theirs = {query: scores["ndcg"] for query, scores in pytrec_eval_of(qrel, run).items()}
    assert theirs == {"both": 1, "nothing found": 0}
    skipped = from_pytrec_eval(qrel, run, queries="both")
    assert skipped.query_ids.tolist() == ["both", "no grade", "nothing found"]


@pytest.mark.parametrize("queries", ["judged", "both"])
def test_queries_that_nobody_judged_are_left_out_with_a_warning(queries):
    run = {"both": {"a": 1.0}, "z": {}, "no grade": {"a": 1.0}}
    with pytest.warns(UserWarning, match=r"^2 of 3 queries of run are left out, since") as caught:
        left_out = from_pytrec_eval({"both": {"a": 1}}, run, queries=queries)
    assert str(caught[0].message).endswith("not in qrel, such as 'no grade'.")
    assert [warning.filename for warning in caught] == [__file__]
    assert left_out.query_ids.tolist() == ["both"]


def test_queries_that_nobody_judged_have_nothing_relevant():
    qrel, run = {"b": {"d2": 1}, "a": {"d1": 1}}, {"c": {"d3": 1.0, "d1": 2.0}, "b": {"d2": 1.0}}
    data = from_pytrec_eval(qrel, run, queries="all")
    assert data.query_ids.tolist() == ["a", "b", "c"]
    assert data.item_ids.tolist() == ["d1", "d2", "d3"]
    assert data.y_true.toarray().tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 0]]
    assert data.y_score.toarray().tolist() == [[0, 0, 0], [0, 1, 0], [2, 0, 1]]
    per_query = ndcg_score(*data[:2], average=None, replace_undefined_by=NAN)
    np.testing.assert_array_equal(per_query, [0, 1, NAN])


@pytest.mark.parametrize("run", [RUN, {"q1": {}, "q0": {"d9": 1.0}}])
def test_equal_queries_may_be_in_any_order(run):
    data = from_pytrec_eval(QREL, run, queries="equal")
    assert data.query_ids.tolist() == ["q0", "q1"]


@pytest.mark.parametrize("run", [{}, {"b": {}}, {"a": {}, "b": {}}, pytrec_eval.parse_run([])])
def test_an_empty_run_retrieved_nothing(run):
    qrel = {"b": {"d1": 1, "d0": 0}, "a": {"d2": 2}, "none relevant": {"d0": 0}}
    data = from_pytrec_eval(qrel, run)
    assert data.query_ids.tolist() == ["a", "b", "none relevant"]
    assert data.item_ids.tolist() == ["d0", "d1", "d2"]
    assert data.y_true.toarray().tolist() == [[0, 0, 2], [0, 1, 0], [0, 0, 0]]
    assert (data.y_score.shape, data.y_score.nnz) == ((3, 3), 0)
    assert data.y_score.dtype == np.float64
    for name, values in scores_of(as_float32(data)).items():
        assert values.tolist() == [0, 0, 0], name
    for score in (ndcg_score, mean_average_precision_score, partial(f1_at_k_score, k=None)):
        per_query = score(*data[:2], average=None, replace_undefined_by=np.nan)
        np.testing.assert_array_equal(per_query, [0, 0, np.nan])
        assert score(*data[:2], replace_undefined_by=1) == pytest.approx(1 / 3)
    assert pytrec_eval_of(qrel, {query: {} for query in qrel}).keys() == qrel.keys()


# What from_pytrec_eval returns.


def test_rows_columns_and_what_is_stored():
    qrel = {"q2": {"d2": 0, "d10": True}, "q10": {"d3": np.int8(2), "d1": -1}}
    run = {"q10": {"d1": 0, "d4": -1.5}, "q2": {"d10": np.float32(0.1)}}
    data = from_pytrec_eval(qrel, run)
    assert isinstance(data, RankingData)
    y_true, y_score, *ids = data
    assert [each.tolist() for each in ids] == [["q10", "q2"], ["d1", "d10", "d2", "d3", "d4"]]
    assert {each.dtype for each in ids} == {np.dtype(object)}
    assert {type(each) for each in (*ids[0], *ids[1])} == {str}
    assert y_true.toarray().tolist() == [[-1, 0, 0, 2, 0], [0, 1, 0, 0, 0]]
    assert y_score.toarray().tolist() == [[0, 0, 0, 0, -1.5], [0, float(np.float32(0.1)), 0, 0, 0]]
    assert (y_true.nnz, y_score.nnz) == (4, 3)
    for array, dtype in ((y_true, np.int64), (y_score, np.float64)):
        assert isinstance(array, sp.csr_array)
        assert array.dtype == dtype
        assert array.has_canonical_format


def test_the_dicts_of_the_caller_stay_as_they_are():
    qrel = pytrec_eval.parse_qrel(["q1 0 d1 1", "q2 0 d1 1"])
    run = pytrec_eval.parse_run(["q1 Q0 d1 1 0.5 name"])
    from_pytrec_eval(qrel, run)
    assert qrel == {"q1": {"d1": 1}, "q2": {"d1": 1}}
    assert run == {"q1": {"d1": 0.5}}


def test_memory_is_that_of_what_is_stored():
    n_queries, n_documents = 400, 100
    run = {
        f"q{q}": {f"d{q * n_documents + d}": float(d) for d in range(n_documents)}
        for q in range(n_queries)
    }
    qrel = {query: dict.fromkeys(documents, 1) for query, documents in run.items()}
    tracemalloc.start()
    data = from_pytrec_eval(qrel, run)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert data.y_score.shape == (n_queries, n_queries * n_documents)
    assert peak < 300 * n_queries * n_documents  # bytes; dense it is 3200 an item


# What to_pytrec_eval returns.


def test_names_and_types():
    assert to_pytrec_eval(Y_TRUE, Y_SCORE) == (QREL, RUN)
    whole = np.array(Y_TRUE, dtype=np.float32)
    names = {"qid_offset": np.int64(9), "q_prefix": "", "d_prefix": ""}
    qrel, run = to_pytrec_eval(whole, Y_SCORE, **names)
    assert list(qrel) == list(run) == ["9", "10"]
    assert list(qrel["9"]) == ["0", "1", "2"]
    for dicts, kind in ((qrel, int), (run, float)):
        for query, of_query in dicts.items():
            assert type(query) is str
            assert {type(name) for name in of_query} == {str}
            assert {type(value) for value in of_query.values()} == {kind}


def test_whole_names():
    ids = {"query_ids": np.array(["tea", "milk"]), "item_ids": [7, "x", 1.5]}
    qrel, run = to_pytrec_eval(Y_TRUE, Y_SCORE, **ids, q_prefix="-", d_prefix="-", qid_offset=3)
    assert qrel == {"tea": {"7": 0, "x": 2, "1.5": 1}, "milk": {"7": 1, "x": 0, "1.5": 0}}
    assert run["tea"] == {"7": 0.3, "x": 0.2, "1.5": 0.1}
    assert {type(name) for name in (*qrel, *qrel["tea"])} == {str}
    of_each = np.array([["a", "b", "c"], ["b", "c", ""]], dtype=object)
    where = [[True, True, True], [True, True, False]]
    of_each[1, 2] = None  # which takes no part
    qrel, run = to_pytrec_eval(Y_TRUE, Y_SCORE, item_ids=of_each, where=where)
    assert qrel["q1"] == {"b": 1, "c": 0}
    assert run["q1"] == {"b": 0.1, "c": 0.2}


@pytest.mark.parametrize(
    ("ids", "names"),
    [
        (np.array([7, 8], dtype=np.uint8), ["7", "8"]),
        (np.array(["a", "b"], dtype=object), ["a", "b"]),
        (np.array([np.str_("a"), "b"], dtype=object), ["a", "b"]),
        (np.array(["2026-01-02", "2026-01-03"], dtype="M8[ns]"), None),
        (pd.Series(["a", "b"]), ["a", "b"]),
        (pd.Index([7, 8]), ["7", "8"]),
        ((2**63, -1), [str(2**63), "-1"]),
    ],
)
def test_ids_of_any_type(ids, names):
    names = names or ["2026-01-02T00:00:00.000000000", "2026-01-03T00:00:00.000000000"]
    qrel, _ = to_pytrec_eval([[1, 0], [0, 1]], [[1, 2], [2, 1]], query_ids=ids, item_ids=ids)
    assert list(qrel) == list(qrel[names[0]]) == names
    assert {type(name) for name in qrel} == {str}


def test_the_ragged_layout():
    rows = {"y_true": [0, 5, 1, 2], "y_score": [0.1, 0.2, 0.3, 0.4], "qid": [10, 9, 10, 10]}
    qrel, run = to_pytrec_eval(**rows, qid_offset=100)
    assert list(qrel.items()) == [("q9", {"d0": 5}), ("q10", {"d0": 0, "d1": 1, "d2": 2})]
    assert run == {"q9": {"d0": 0.2}, "q10": {"d0": 0.1, "d1": 0.3, "d2": 0.4}}
    assert to_pytrec_eval(rows["y_true"], np.c_[rows["y_score"]], qid=rows["qid"]) == (qrel, run)
    ids = {"query_ids": ["nine", "ten"], "item_ids": ["a", "a", "b", "c"]}
    qrel, _ = to_pytrec_eval(**rows, **ids)
    assert qrel == {"nine": {"a": 5}, "ten": {"a": 0, "b": 1, "c": 2}}


def test_rows_are_numbered_in_the_order_in_which_they_stand():
    qid, scores = np.arange(300) % 3, np.arange(300.0)
    _, run = to_pytrec_eval(np.zeros(300), scores, qid=qid)
    for query in range(3):
        assert list(run[f"q{query}"]) == [f"d{place}" for place in range(100)]
        assert list(run[f"q{query}"].values()) == scores[qid == query].tolist()


def test_a_mask_and_a_query_without_items():
    where = np.array([[True, False, True], [False, False, False]])
    labels = np.where(where, Y_TRUE, NAN)
    scores = np.where(where, Y_SCORE, [[0, NAN, 0], [INF, 1e300, 2]])
    for y_true in (labels, sp.csr_array(np.where(where, Y_TRUE, -9))):
        qrel, run = to_pytrec_eval(y_true, scores, where=where)
        if not sp.issparse(y_true):
            assert qrel == {"q0": {"d0": 0, "d2": 1}, "q1": {}}
        else:
            assert qrel == {"q0": {"d2": 1}, "q1": {}}
        assert run == {"q0": {"d0": 0.3, "d2": 0.1}, "q1": {}}
        assert list(pytrec_eval_of(qrel, run)) == ["q0"]
        assert ndcg_score(*from_pytrec_eval(qrel, run)[:2]) == ndcg_score(
            labels, scores, where=where
        )


def test_sparse_labels_are_judged_where_they_are_stored():
    stored = [2, 1, 0, 3], ([0, 0, 0, 1], [1, 1, 2, 0])
    labels = sp.coo_array(stored, shape=(2, 3))
    qrel, run = to_pytrec_eval(labels, Y_SCORE)
    assert qrel == {"q0": {"d1": 3, "d2": 0}, "q1": {"d0": 3}}
    assert run == RUN
    twice = sp.csr_array((np.array([1, 2]), np.array([1, 1]), np.array([0, 2, 2])), shape=(2, 3))
    assert to_pytrec_eval(twice, Y_SCORE)[0] == {"q0": {"d1": 3}, "q1": {}}
    assert twice.data.tolist() == [1, 2]


@pytest.mark.parametrize("as_scores", [sp.csr_array, sp.csc_matrix, sp.coo_array])
def test_the_retrieved_layout(as_scores):
    scores = as_scores(([0.0, -1.0, 0.5], ([0, 0, 1], [2, 0, 1])), shape=(3, 3))
    labels = [*Y_TRUE, [0, 0, 1]]
    dense, run = to_pytrec_eval(labels, scores, item_ids=["a", "b", "c"])
    assert run == {"q0": {"c": 0.0, "a": -1.0}, "q1": {"b": 0.5}, "q2": {}}
    assert dense["q2"] == {"a": 0, "b": 0, "c": 1}
    sparse, same_run = to_pytrec_eval(sp.csr_array(labels), scores, item_ids=["a", "b", "c"])
    assert sparse == {"q0": {"b": 2, "c": 1}, "q1": {"a": 1}, "q2": {"c": 1}}
    assert same_run == run
    for qrel in (dense, sparse):
        data = from_pytrec_eval(qrel, run)
        assert (data.y_true.toarray() == labels).all()
        assert data.y_score.nnz == 3
        assert (data.y_score.toarray() == scores.toarray()).all()
        assert_scored_as_by_pytrec_eval(data, qrel, run, 3)


def test_scores_are_not_rounded():
    exact = [0.1, np.nextafter(0.1, 1), 1e300, -5e-324]
    with pytest.warns(UserWarning, match="tie as float32"):
        _, run = to_pytrec_eval([[0] * 4], [exact])
    assert list(run["q0"].values()) == exact
    ints = [2**53 - 1, -(2**53) + 1, 0, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        _, run = to_pytrec_eval([[0] * 4], np.array([ints]))
    assert list(run["q0"].values()) == ints


@pytest.mark.parametrize(
    "dtype", [np.bool_, np.int8, np.uint64, np.float16, np.float32, np.longdouble]
)
def test_labels_and_scores_of_any_dtype(dtype):
    values = np.array([[1, 0]], dtype=dtype)
    assert to_pytrec_eval(values, values) == ({"q0": {"d0": 1, "d1": 0}},) * 2


@pytest.mark.parametrize(
    ("scores", "n_tied"),
    [
        ([[1, 2, 3], [1, 2, 3]], 0),
        ([[1, 2, 1], [1, 2, 3]], 1),
        ([[1, 1, 1], [2, 0, 2]], 2),
        ([[0.0, -0.0, 1], [1, 2, 3]], 1),
        ([[1, 1 + 1e-9, 2], [1, 2, 3]], 1),
        ([[1e300, 2e300, 0], [1e-300, 2e-300, -1]], 2),
        ([[-1e300, 1e300, 0], [3, 1, 2]], 0),
    ],
)
def test_ties_as_float32_are_counted(scores, n_tied):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        to_pytrec_eval(Y_TRUE, scores)
    expected = (
        f"Scores tie as float32 in {n_tied} of 2 queries. pytrec_eval compares scores as float32, "
        "and ranks tied items by their names as strings, the last one first: 'd2' before 'd10' "
        "before 'd1'."
    )
    assert [str(warning.message) for warning in caught] == [expected] * (n_tied > 0)
    assert all(warning.filename == __file__ for warning in caught)


# There and back.


def layouts_of(y_true, y_score):
    """Return the arguments of to_pytrec_eval in each layout, and those of a score."""
    where = np.random.default_rng(0).random(y_true.shape) < 0.7
    query, _ = np.nonzero(where)
    mixed = np.random.default_rng(1).permutation(query.size)
    ragged = [y_true[where][mixed], y_score[where][mixed]]
    return {
        "dense": ([y_true, y_score], {}),
        "where": ([y_true, y_score], {"where": where}),
        "sparse labels": ([sp.csr_array(y_true), y_score], {}),
        "sparse labels, where": ([sp.csc_matrix(y_true), y_score], {"where": where}),
        "ragged": (ragged, {"qid": query[mixed] - 5}),
        "retrieved": ([sp.csr_array(y_true), sp.csr_array(y_score * where)], {}),
        "retrieved, dense labels": ([y_true, sp.csr_array(y_score * where)], {}),
    }


LAYOUTS = list(layouts_of(np.zeros((2, 2)), np.zeros((2, 2))))


@pytest.mark.filterwarnings("ignore:Scores tie as float32:UserWarning")
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_round_trip_scores_the_same(layout):
    rng = np.random.default_rng(2)
    y_true, y_score = rng.integers(0, 4, (15, 12)), rng.integers(-2, 3, (15, 12)) / 2
    y_true[4] = 0
    arguments, options = layouts_of(y_true, y_score)[layout]
    data = from_pytrec_eval(*to_pytrec_eval(*arguments, **options))
    for score in (dcg_score, *(score for score, _ in AT_K.values())):
        for k in (1, 3, 20):
            there, back = score(*arguments, **options, k=k), score(*data[:2], k=k)
            assert back == pytest.approx(there, rel=1e-12)  # the columns change places


@pytest.mark.filterwarnings("ignore:Scores tie as float32:UserWarning")
@pytest.mark.parametrize("layout", LAYOUTS)
def test_names_that_sort_as_the_items_do_make_pytrec_eval_agree(layout):
    rng = np.random.default_rng(3)
    y_true, y_score = rng.integers(0, 4, (15, 12)), rng.integers(-2, 3, (15, 12)) / 2
    arguments, options = layouts_of(y_true, y_score)[layout]
    n_ids = arguments[0].size if layout == "ragged" else 12
    ids = [f"d{n:06d}" for n in range(n_ids)]
    qrel, run = to_pytrec_eval(*arguments, **options, item_ids=ids)
    theirs = pytrec_eval_of(qrel, run)
    assert list(theirs) == list(qrel)
    for name, (score, params) in OF_THE_WHOLE_LIST.items():
        ours = score(*arguments, **options, **params, ignore_ties=True, average=None)
        assert ours == pytest.approx([of[name] for of in theirs.values()], abs=PEER_TOLERANCE)


# Bad input.

EXACT = "must be exact as float64, such as ints below 2**53."
RANKS = "`scipy.stats.rankdata(y_score, method='dense')` keeps their order."
WHOLE = "must be made of 32-bit whole numbers, since trec_eval reads grades as such."
CUT_OFF = "It would truncate them. Round or scale them first."
CLASSES = "Pass `y_true[:, None] == classes`, with the class of each column of y_score."


@pytest.mark.parametrize(
    ("arguments", "parameter", "text"),
    [
        ({"qid_offset": 1.0}, "qid_offset", "must be an int. Got 1.0 instead."),
        ({"qid_offset": True}, "qid_offset", "must be an int. Got True instead."),
        ({"q_prefix": None}, "q_prefix", "must be a str. Got None instead."),
        ({"d_prefix": 1}, "d_prefix", "must be a str. Got 1 instead."),
        (
            {"y_true": ["a", "b"]},
            "y_true",
            "must be 2-D, with one label per element of y_score, or 1-D with `qid`. Got shape "
            f"(2,) with y_score of shape (2, 3), as with class labels, instead. {CLASSES}",
        ),
        (
            {"y_true": [[0, 1.5, 1], [1, 0, 0]]},
            "y_true",
            f"{WHOLE} Got 1.5 for document 'd1' of query 'q0' instead. {CUT_OFF}",
        ),
        (
            {"y_true": sp.csr_array([[0, 0, 1], [0, 0.5, 0]])},
            "y_true",
            f"{WHOLE} Got 0.5 for document 'd1' of query 'q1' instead. {CUT_OFF}",
        ),
        (
            {"y_true": [[0, 2**31, 1], [1, 0, 0]]},
            "y_true",
            f"{WHOLE} Got 2147483648 for document 'd1' of query 'q0' instead. {CUT_OFF}",
        ),
        (
            {"y_true": [[0, NAN, 1], [1, 0, 0]]},
            "y_true",
            "must be finite. Got NaN or infinity in 1 of 2 queries, the first of them query 0, "
            "instead. Use `where` to leave out the items that take no part. Do not leave out "
            "items that were ranked but not judged: give them the label 0, and see "
            '"Unjudged documents" in the guide.',
        ),
        (
            {"y_score": [[1, 2, 3], [1, INF, 3]]},
            "y_score",
            "must be finite. Got NaN or infinity in 1 of 2 queries, the first of them query 1, "
            "instead. Use `where` to leave out the items that take no part. Do not leave out "
            "items that were judged but not retrieved: the ideal needs them, too. "
            "A sparse y_score stores only the items that were retrieved.",
        ),
        (
            {"y_score": [[1, 2, 3], [1, 2**53, 3]]},
            "y_score",
            f"{EXACT} Got 9007199254740992 for document 'd1' of query 'q1' instead. {RANKS}",
        ),
        (
            {"y_score": [[1, 2, 3]]},
            "y_score",
            "must be of the shape of y_true, (2, 3). Got shape (1, 3) instead.",
        ),
        (
            {"y_score": sp.csr_array(Y_SCORE), "where": np.ones((2, 3), dtype=bool)},
            "where",
            "must be None if y_score is sparse. Got an array of shape (2, 3) and dtype bool "
            "instead. Store no score for the items that take no part, and give them the label 0.",
        ),
        (
            {"query_ids": ["a", "b", "c"]},
            "query_ids",
            "must be of shape (2,), one name per query. Got shape (3,) instead.",
        ),
        (
            {"query_ids": ["1", 1]},
            "query_ids",
            "must be unique as strings. Got '1' more than once instead.",
        ),
        (
            {"query_ids": [1, None]},
            "query_ids",
            "must be without missing values. Got None at position 1 instead.",
        ),
        (
            {"query_ids": np.array([b"a", b"b"])},
            "query_ids",
            "must be made of strings, or of objects that `str` converts. Got bytes instead. "
            "Decode them: `np.char.decode(ids)`.",
        ),
        (
            {"item_ids": [1, 2, "1"]},
            "item_ids",
            "must be unique as strings. Got '1' more than once instead.",
        ),
        (
            {"item_ids": [[1, 2, 3], [1, 2, 2]]},
            "item_ids",
            "must be unique as strings within a query. Got '2' more than once in query 'q1' "
            "instead.",
        ),
        (
            {"item_ids": ["a", "b"]},
            "item_ids",
            "must be of shape (3,) or (2, 3). Got shape (2,) instead.",
        ),
        (
            {"y_score": sp.csr_array(Y_SCORE), "item_ids": [["a", "b", "c"]] * 2},
            "item_ids",
            "must be of shape (3,). Got shape (2, 3) instead.",
        ),
        (
            {"y_true": [0, 1], "y_score": [1, 2], "qid": [0, 0], "item_ids": ["a", "a"]},
            "item_ids",
            "must be unique as strings within a query. Got 'a' more than once in query 'q0' "
            "instead.",
        ),
        (
            {"y_true": [0, 1], "y_score": [1, 2], "qid": [0, 0], "item_ids": ["a"]},
            "item_ids",
            "must be of shape (2,). Got shape (1,) instead.",
        ),
        (
            {"y_true": [0, 1], "y_score": [1, 2], "qid": [Fraction(1, 2), None]},
            "qid",
            "must be without missing values. Got None at position 1 instead. "
            "Drop the rows without an id, or give them one.",
        ),
    ],
)
def test_to_pytrec_eval_refuses_by_name(arguments, parameter, text):
    with pytest.raises((ValueError, TypeError)) as caught:
        to_pytrec_eval(**{"y_true": Y_TRUE, "y_score": Y_SCORE} | arguments)
    assert str(caught.value) == f"The '{parameter}' parameter of to_pytrec_eval {text}"


def test_ids_of_queries_that_str_makes_the_same_are_refused():
    class Named(int):
        def __str__(self):
            return "same"

    qid = np.array([Named(1), Named(2)], dtype=object)
    with pytest.raises(ValueError, match=r"'qid' .* as strings. Got 'qsame' more than once"):
        to_pytrec_eval([0, 1], [1, 2], qid=qid)


@pytest.mark.skipif(
    np.finfo(np.longdouble).nmant == np.finfo(np.float64).nmant,
    reason="long double is double on this platform",
)
def test_long_doubles_are_exact_or_refused():
    tiny = np.finfo(np.longdouble).eps
    with pytest.raises(ValueError, match=r"Got 1\.0{10,}1\d* for document 'd1'"):
        to_pytrec_eval([[0, 1]], np.array([[2, 1 + tiny]]))
    with pytest.raises(ValueError, match=r"whole .* Got 1\.0{10,}1\d* for document 'd1'"):
        to_pytrec_eval(np.array([[2, 1 + tiny]]), [[0, 1]])
    with pytest.raises(ValueError, match=r"exact .* Got 1.*e\+4932 for document 'd0'"):
        to_pytrec_eval([[0, 1]], np.array([[np.finfo(np.longdouble).max, 1]]))


OF_GRADES = "must be a dict of dicts, {query: {document: grade}}."
OF_SCORES = "must be a dict of dicts, {query: {document: score}}."
WORDS = "must be 'judged', 'both', 'all' or 'equal'."
EQUAL = "must be a dict with the queries of qrel, and no others, if queries='equal'."
NUMBERS = "must be made of bools, ints or floats."


@pytest.mark.parametrize(
    ("arguments", "parameter", "text"),
    [
        ({"queries": "some"}, "queries", f"{WORDS} Got 'some' instead."),
        ({"queries": None}, "queries", f"{WORDS} Got None instead."),
        ({"qrel": None}, "qrel", f"{OF_GRADES} Got None instead."),
        ({"qrel": {"q0": 1}}, "qrel", f"{OF_GRADES} Got {{'q0': 1}} instead."),
        ({"run": [RUN]}, "run", f"{OF_SCORES} Got a list instead."),
        ({"run": {"q0": ["d0"]}}, "run", f"{OF_SCORES} Got {{'q0': ['d0']}} instead."),
        (
            {"run": {f"t{n}": {"d0": 1.0} for n in range(5)}},
            "run",
            "must be a dict with a query in common with qrel. Got ['q0', 'q1'] in qrel and "
            "['t0', 't1', 't2'] in run instead.",
        ),
        ({"qrel": {}}, "qrel", "must be a dict with at least one query. Got {} instead."),
        (
            {"qrel": {}, "run": {}},
            "qrel",
            "must be a dict with at least one query. Got {} instead.",
        ),
        (
            {"run": {}, "queries": "both"},
            "run",
            "must be a dict with a query in common with qrel. Got ['q0', 'q1'] in qrel and [] in "
            "run instead. With queries='judged', an empty run has retrieved nothing.",
        ),
        (
            {"run": {}, "queries": "equal"},
            "run",
            f"{EQUAL} Got a run without 2 of 2 queries, such as 'q0', instead.",
        ),
        (
            {"run": {"t0": {}}},
            "run",
            "must be a dict with a query in common with qrel. Got ['q0', 'q1'] in qrel and "
            "['t0'] in run instead.",
        ),
        (
            {"run": {"q0": {}} | {n: {"d0": 1.0} for n in range(5)}},
            "run",
            "must be a dict of dicts whose query ids are strings. "
            "Got ['q0', 'q1'] in qrel and [0, 1, 2] in run instead.",
        ),
        (
            {"qrel": {"q0": {7: 1}}},
            "qrel",
            "must be a dict of dicts whose document ids are strings. "
            "Got [7] in qrel and ['d0', 'd1', 'd2'] in run instead.",
        ),
        (
            {"run": {"q0": {"d0": 1.0}, "q7": {}}, "queries": "equal"},
            "run",
            f"{EQUAL} Got a run without 1 of 2 queries, such as 'q1', instead.",
        ),
        (
            {"run": RUN | {"q9": {}, "q7": {}}, "queries": "equal"},
            "run",
            f"{EQUAL} Got 2 of 4 queries that are not in qrel, such as 'q7', instead.",
        ),
        (
            {"run": {"t0": {"d0": 1.0}}, "queries": "all"},
            "run",
            "must be a dict with a query in common with qrel. Got ['q0', 'q1'] in qrel and "
            "['t0'] in run instead.",
        ),
        (
            {"qrel": QREL | {"q1": {"d0": 1, "d7": 0.5}}},
            "qrel",
            f"{WHOLE} Got 0.5 for document 'd7' of query 'q1' instead. {CUT_OFF}",
        ),
        (
            {"qrel": {"q0": {"d0": NAN}}, "run": {"q0": {}}},
            "qrel",
            f"{WHOLE} Got nan for document 'd0' of query 'q0' instead. Leave out documents that "
            "were not judged.",
        ),
        (
            {"qrel": {"q0": {"d0": "1"}}, "run": {"q0": {}}},
            "qrel",
            f"{NUMBERS} Got '1' for document 'd0' of query 'q0' instead.",
        ),
        (
            {"run": RUN | {"q1": {"d0": 1.0, "d1": None}}},
            "run",
            f"{NUMBERS} Got None for document 'd1' of query 'q1' instead.",
        ),
        (
            {"run": RUN | {"q1": {"d0": 1.0, "d1": Fraction(1, 2)}}},
            "run",
            f"{NUMBERS} Got Fraction(1, 2) for document 'd1' of query 'q1' instead.",
        ),
        *(
            (
                {"run": RUN | {"q1": {"d0": 1.0, "d1": score}}},
                "run",
                f"must be made of finite scores. Got {score} for document 'd1' of query 'q1' "
                "instead. Leave out documents that were not retrieved.",
            )
            for score in (-INF, NAN)
        ),
    ],
)
def test_from_pytrec_eval_refuses_by_name(arguments, parameter, text):
    with pytest.raises((ValueError, TypeError)) as caught:
        read_at_once.from_pytrec_eval(**{"qrel": QREL, "run": RUN} | arguments)
    assert str(caught.value) == f"The '{parameter}' parameter of from_pytrec_eval {text}"


# --- judged documents ---------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_bpref_is_that_of_trec_eval_if_nothing_ties(seed):
    rng = np.random.default_rng(seed)
    documents = [f"d{number}" for number in range(15)]
    qrel = {
        f"q{query}": {doc: int(rng.integers(0, 3)) for doc in rng.choice(documents, 8, False)}
        for query in range(4)
    }
    run = {
        f"q{query}": dict(
            zip(rng.choice(documents, 9, False).tolist(), map(float, range(9)), strict=True)
        )
        for query in range(4)
    }
    theirs = pytrec_eval.RelevanceEvaluator(qrel, {"bpref"}).evaluate(run)
    data = from_pytrec_eval(qrel, run)
    ours = bpref_score(data.y_true, data.y_score, average=None)
    expected = [theirs[query]["bpref"] for query in data.query_ids]
    assert ours == pytest.approx(expected, rel=1e-12)
    for query, value in zip(data.query_ids, judged_of(data, k=5), strict=True):
        best = sorted(run[query], key=run[query].get, reverse=True)[:5]
        assert value == pytest.approx(sum(doc in qrel[query] for doc in best) / 5)


def judged_of(data, k):
    return judged_at_k_score(data.y_true, data.y_score, k=k, average=None)


def test_judged_documents_in_a_report_beside_others():
    data = from_pytrec_eval(
        {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"a": 0}},
        {"q1": {"x": 4.0, "a": 3.0, "b": 2.0, "y": 1.0}, "q2": {"a": 2.0, "z": 1.0}},
    )
    report = ranking_report(data, scores=["ndcg@2", "judged@2", "bpref", "map"], k=None)
    assert report.per_query["judged@2"].tolist() == [0.5, 0.5]
    assert report.per_query["bpref"].tolist() == [0.5, 0]
    alone = ranking_report(data, scores=["ndcg@2", "map"], k=None)
    for name in alone:
        assert report.per_query[name].tolist() == alone.per_query[name].tolist()


def test_labels_that_are_nan_are_an_error_if_one_score_refuses_them():
    y_true, y_score = [[1, np.nan]], [[2, 1]]
    report = ranking_report(y_true, y_score, scores=["judged@2", "bpref"], k=None)
    assert [*report.mean.values()] == [0.5, 1]
    with pytest.raises(ValueError, match=r"'y_true' .* must be finite. Got NaN"):
        ranking_report(y_true, y_score, scores=["judged@2", "map"], k=None)
