"""Streams: any batches, orders and merges give the bits of one call on all the data."""

from __future__ import annotations

import copy
import inspect
import multiprocessing
import pickle
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings, strategies as st
from laws import SCORES
from sklearn.exceptions import NotFittedError, UndefinedMetricWarning
from stream_outcomes import INF, NAN, empty_batches, outcome, what_it_says
from stream_workers import shallow, steep, updated

from ranking_scores import StreamingScore, dcg_score, from_tables, hit_rate_score, ndcg_score

# --- data, cut into batches -------------------------------------------------------------------


def dense(data, rows):
    """Return the arguments of some of the queries, a row each."""
    return {name: values[rows] for name, values in data.items()}


def sparse_labels(data, rows):
    """Return the same with sparse labels."""
    return dense(data, rows) | {"y_true": sp.csr_array(data["y_true"][rows])}


def class_labels(data, rows):
    """Return the arguments of queries of which one item, that of the class, is relevant."""
    batch = dense(data, rows) | {"y_true": data["y_true"][rows].argmax(axis=1)}
    batch.pop("item_weight", None)
    return batch


def ragged(data, rows):
    """Return the arguments of some of the queries, a row for each item, those last first."""
    rows = np.asarray(rows, dtype=np.intp)
    query, _ = np.nonzero(data["where"][rows])
    is_item = data["where"][rows]
    batch = {
        name: data[name][rows][is_item][::-1]
        for name in ("y_true", "y_score", "item_weight")
        if name in data
    }
    batch["qid"] = rows[query][::-1]
    if "sample_weight" in data:
        batch["sample_weight"] = data["sample_weight"][rows][query][::-1]
    return batch


LAYOUTS = [dense, sparse_labels, class_labels, ragged]
N_ITEMS = 5


@st.composite
def data_sets(draw, score):
    """Few queries of few distinct scores, some of them without gain; weights of any size."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = (draw(st.integers(1, 12)), N_ITEMS)
    share = draw(st.sampled_from([0, 0.1, 0.6]))
    data = {
        "y_true": rng.integers(1, 4, shape) * (rng.random(shape) < share),
        "y_score": rng.integers(0, draw(st.sampled_from([2, 1000])), shape),
        "where": rng.random(shape) < draw(st.sampled_from([0.5, 1])),
    }
    data["where"][:, 0] = True  # in rows, a query of which nothing is left would not be there
    if draw(st.booleans()):
        is_kept = rng.random(shape[0]) < draw(st.sampled_from([0, 0.3, 1, 1]))
        data["sample_weight"] = 10.0 ** rng.uniform(-8, 8, shape[0]) * is_kept
    if "item_weight" in inspect.signature(score).parameters and draw(st.booleans()):
        is_kept = rng.random(shape) < draw(st.sampled_from([0, 0.5, 1, 1]))
        data["item_weight"] = 10.0 ** rng.uniform(-8, 8, shape) * is_kept
    return data


@st.composite
def params_of(draw, score):
    """Options of the table of laws, one cutoff or a list, and what replaces the undefined."""
    params = dict(draw(st.sampled_from(score.options)))
    signature = inspect.signature(score.func).parameters
    if "replace_undefined_by" in signature:
        params["replace_undefined_by"] = draw(st.sampled_from([0.0, 0.5, NAN, INF, -INF]))
    if "k" in signature:
        params["k"] = draw(st.sampled_from([1, 2, [1, 3], [10, 1, 2]]))
    return params


@pytest.mark.parametrize("arrange", LAYOUTS, ids=lambda arrange: arrange.__name__)
@pytest.mark.parametrize("name", SCORES)
def test_batches_orders_and_merges_change_no_bit(name, arrange):
    score = SCORES[name]

    @settings(deadline=None, max_examples=settings().max_examples // 5)
    @given(data=data_sets(score.func), params=params_of(score), draw=st.data())
    def holds(data, params, draw):
        n_queries = len(data["y_true"])
        if arrange is class_labels:
            params["labels"] = np.arange(N_ITEMS)
        has_gain_of_lambda = any(callable(value) for value in params.values())
        in_one_call = outcome(lambda: score.func(**arrange(data, np.arange(n_queries)), **params))
        whole = StreamingScore(score.func, **params)
        whole.update(**arrange(data, np.arange(n_queries)))
        assert outcome(whole.compute) == in_one_call

        order = draw.draw(st.permutations(range(n_queries)))
        cuts = sorted(draw.draw(st.lists(st.integers(0, n_queries), max_size=6)))
        batches = [arrange(data, rows.astype(int)) for rows in np.split(np.array(order), cuts)]
        streams = [StreamingScore(score.func, **params) for _ in range(3)]
        for batch in batches:
            draw.draw(st.sampled_from(streams)).update(**batch)
        while len(streams) > 1:
            left = streams.pop(draw.draw(st.integers(0, len(streams) - 1)))
            right = streams.pop(draw.draw(st.integers(0, len(streams) - 1)))
            if draw.draw(st.booleans()) and not has_gain_of_lambda:
                right = pickle.loads(pickle.dumps(right))
            streams.append(left.merge(right))
        assert what_it_says(streams[0]) == what_it_says(whole)

    holds()


def test_batches_may_come_in_several_layouts_and_without_weights():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 3, (9, 4)), rng.random((9, 4))
    stream = StreamingScore(ndcg_score)
    stream.update(y_true[:3], y_score[:3])
    stream.update(sp.csc_array(y_true[3:5]), y_score[3:5], sample_weight=[1, 1])
    stream.update(
        y_true[5:].ravel(), y_score[5:].ravel(), qid=np.repeat(list("abcd"), 4), where=None
    )
    assert stream.compute() == ndcg_score(y_true, y_score)


class Tensor:
    """What a tensor of another library is to NumPy: something that gives an array."""

    def __init__(self, values):
        self.values = np.asarray(values)

    def __array__(self, dtype=None, copy=None):
        return self.values if dtype is None else self.values.astype(dtype)


def test_what_numpy_makes_an_array_of_is_taken():
    stream = StreamingScore(ndcg_score, k=2)
    stream.update(Tensor([[0, 1]]), Tensor([[2, 1]]), sample_weight=Tensor([2]))
    stream.update(Tensor(np.empty((0, 2))), Tensor(np.empty((0, 2))))
    assert stream.compute() == 1 / np.log2(3)
    assert stream.n_queries == 1


# --- other processes ----------------------------------------------------------------------------


def test_streams_of_other_processes():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 4, (60, 8)), rng.integers(0, 5, (60, 8))
    weights = 10.0 ** rng.uniform(-8, 8, 60)
    params = {"k": [1, 5], "gain": steep, "discount": partial(shallow, power=0.5)}
    batches = [
        {"y_true": y_true[rows], "y_score": y_score[rows], "sample_weight": weights[rows]}
        for rows in np.split(rng.permutation(60), [7, 7, 30, 45])
    ]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        template = StreamingScore(ndcg_score, **params)
        first, second = pool.map(updated, [template] * 2, [batches[:3], batches[3:]])
    expected = ndcg_score(y_true, y_score, sample_weight=weights, **params)
    whole = updated(StreamingScore(ndcg_score, **params), batches)
    for merged in (first + second, sum([second, first]), second.merge(first)):
        assert merged.compute().tolist() == expected.tolist()
        assert merged.standard_error.tolist() == whole.standard_error.tolist()
    assert not template.n_queries


# --- what there is before there is anything -----------------------------------------------------


@pytest.mark.parametrize("batch", empty_batches())
def test_empty_batches_are_taken_and_are_nothing(batch):
    stream = StreamingScore(ndcg_score)
    stream.update(**batch)
    assert stream.n_queries == 0
    stream.update([[0, 1]], [[2, 1]])
    said = what_it_says(stream)
    stream.update(**batch)
    assert what_it_says(stream) == said


@pytest.mark.parametrize(
    "batch",
    [
        {"y_true": [], "y_score": []},
        {"y_true": np.empty((0, 3)), "y_score": np.ones((1, 3))},
        {"y_true": np.empty((0, 3)), "y_score": np.empty((0, 3)), "sample_weight": [1]},
        {"y_true": 1, "y_score": 1},
        {"y_true": [[1, 2], [1]], "y_score": np.empty((0, 2))},
    ],
)
def test_what_only_looks_empty_is_refused(batch):
    with pytest.raises(ValueError, match="parameter of ndcg_score must be"):
        StreamingScore(ndcg_score).update(**batch)


def test_computing_before_any_query():
    stream = StreamingScore(ndcg_score, k=[1, 2])
    message = "^This StreamingScore has seen no query. Call `update` first.$"
    for prepare in (lambda: None, lambda: stream.update(**empty_batches()[0]), stream.reset):
        prepare()
        with pytest.raises(NotFittedError, match=message):
            stream.compute()
        assert stream.n_queries == 0
        assert stream.n_undefined.tolist() == [0, 0]
        if prepare != stream.reset:
            stream.update(**empty_batches()[3])
    stream.update([[0, 1]], [[2, 1]])
    stream.reset()
    with pytest.raises(NotFittedError, match=message):
        stream.compute()


def test_one_cutoff_gives_plain_numbers():
    stream = StreamingScore(ndcg_score)
    stream.update([[0, 1], [0, 0], [1, 0]], [[2, 1]] * 3)
    assert type(stream.n_queries) is type(stream.n_undefined) is int
    assert type(stream.compute()) is type(stream.standard_error) is float
    assert (stream.n_queries, stream.n_undefined) == (3, 1)


def test_all_undefined_is_nan_and_warns_where_it_was_computed():
    stream = StreamingScore(ndcg_score, k=[1, 2], replace_undefined_by=NAN)
    stream.update([[0, 0], [0, 0]], [[2, 1]] * 2)
    with pytest.warns(UndefinedMetricWarning, match="^ndcg_score is undefined: no") as caught:
        means = stream.compute()
    assert np.isnan(means).tolist() == [True, True]
    assert [warning.filename for warning in caught] == [__file__]
    assert stream.n_undefined.tolist() == [2, 2]


def test_sample_weights_of_a_batch_may_all_be_zero():
    stream = StreamingScore(ndcg_score)
    stream.update([[0, 1]], [[2, 1]], sample_weight=[0])
    with pytest.raises(ValueError, match="sample_weight") as caught:
        stream.compute()
    with pytest.raises(ValueError, match="sample_weight") as in_one_call:
        ndcg_score([[0, 1]], [[2, 1]], sample_weight=[0])
    assert str(caught.value) == str(in_one_call.value)
    stream.update([[1, 0]], [[2, 1]], sample_weight=[3])
    assert stream.compute() == 1.0
    assert stream.n_queries == 2


# --- ids ----------------------------------------------------------------------------------------


def test_a_query_in_two_batches_is_an_error_and_can_be_allowed():
    batches = [
        {"y_true": [0, 1, 1], "y_score": [3, 2, 1], "qid": ["b", "a", "b"]},
        {"y_true": [1, 1], "y_score": [3, 2], "qid": ["c", "b"]},
    ]
    stream = updated(StreamingScore(ndcg_score), batches[:1])
    said = what_it_says(stream)
    only_ids = (
        "If every query comes whole and only once, and only the ids repeat, pass check_qid=False."
    )
    with pytest.raises(ValueError, match="qid") as caught:
        stream.update(**batches[1])
    assert str(caught.value) == (
        "The 'qid' parameter of StreamingScore.update must be ids of queries that are new to the "
        "stream. Got the query with qid 'b' again instead. All rows of a query must come in one "
        "update. If a batch cuts a query, `ranking_scores.streaming.whole_queries` carries its "
        f"rows over to the next batch. {only_ids}"
    )
    other = updated(StreamingScore(ndcg_score), batches[1:])
    with pytest.raises(ValueError, match="qid") as caught:
        stream.merge(other)
    assert str(caught.value) == (
        "The 'other' parameter of StreamingScore.merge must be a stream of other queries. Got "
        "the query with qid 'b' on both sides instead. All rows of a query must go to one "
        f"stream. {only_ids}"
    )
    assert what_it_says(stream) == said
    stream.update([1], [1], qid=["c"])  # nothing of the batch that failed is known
    stream.reset()
    updated(stream, batches[:1])

    unchecked = [updated(StreamingScore(ndcg_score, check_qid=False), batches) for _ in range(2)]
    assert unchecked[0].n_queries == 4
    assert unchecked[0].merge(unchecked[1]).n_queries == 8


def test_merged_ids_are_known():
    stream, other = StreamingScore(ndcg_score), StreamingScore(ndcg_score)
    other.update([1, 0], [1, 2], qid=[7, 7])
    stream.merge(other)
    with pytest.raises(ValueError, match=r"the query with qid 7\.0 again"):
        stream.update([1], [1], qid=[7.0])
    stream.update([1], [1], qid=["7"])
    other.update([1], [1], qid=[8])
    stream.update([1], [1], qid=[8])  # what the other sees after the merge is its own


def test_ids_of_any_kind():
    stream = StreamingScore(ndcg_score)
    nanosecond = np.array([5], dtype="M8[ns]")
    for qid in (nanosecond, [5], [b"5"], np.array([5], dtype="m8[ns]"), [-(2**70)], [0.5]):
        stream.update([1], [1], qid=qid)
        with pytest.raises(ValueError, match="again"):
            stream.update([1], [1], qid=qid)
    date = r"1970-01-01T00:00:00\.000000005000000000"
    with pytest.raises(ValueError, match=f"qid {date} again"):
        stream.update([1], [1], qid=nanosecond)
    for unit in ("Y", "D", "s", "ns"):  # one date
        years = StreamingScore(ndcg_score)
        years.update([1], [1], qid=np.array(["2020"], dtype=f"M8[{unit}]"))
        with pytest.raises(ValueError, match="again"):
            years.update([1], [1], qid=np.array(["2020-01-01"], dtype="M8[ns]"))
    unhashable = np.empty(2, dtype=object)
    unhashable[:] = [[1], [2]]
    with pytest.raises(ValueError, match="qid") as caught:
        stream.update([1, 1], [1, 2], qid=unhashable)
    assert str(caught.value) == (
        "The 'qid' parameter of StreamingScore.update must be of ids that can be hashed. Got an "
        "array of shape (2,) and dtype object instead. Write them as strings or as numbers: "
        "unhashable type: 'list'."
    )
    unchecked = StreamingScore(ndcg_score, check_qid=False)
    unchecked.update([1, 1], [1, 2], qid=unhashable)
    assert unchecked.n_queries == 2


def test_ranking_data_comes_with_its_ids():
    judged = {"user": ["b", "a", "c"], "film": [1, 1, 2], "stars": [3, 1, 2]}
    predicted = {"user": ["a", "b", "c", "c"], "film": [1, 2, 2, 1], "score": [0.5, 0.1, 0.2, 0.9]}
    columns = {"query": "user", "item": "film", "label": "stars", "score": "score"}
    data = from_tables(judged, predicted, **columns)
    stream, other = StreamingScore(["ndcg", "map@2"]), StreamingScore(["ndcg", "map@2"])
    stream.update(data)
    other.update(data.y_true, data.y_score)
    assert (
        stream.compute()
        == other.compute()
        == StreamingScore(["ndcg", "map@2"]).merge(stream).compute()
    )
    with pytest.raises(ValueError, match="y_true") as caught:
        stream.update(data)
    assert str(caught.value).startswith(
        "The 'y_true' parameter of StreamingScore.update must be RankingData of queries that are "
        "new to the stream. Got the query with qid 'a' again instead. All rows of a query must"
    )
    with pytest.raises(
        ValueError, match=r"'y_score' parameter of StreamingScore\.update must be l"
    ):
        stream.update(data, data.y_score)
    with pytest.raises(
        ValueError, match=r"'y_score' parameter of StreamingScore\.update must be g"
    ):
        stream.update(data.y_true)
    unchecked = StreamingScore("ndcg", check_qid=False)
    assert unchecked.update(data) is unchecked.update(data)
    assert unchecked.n_queries == 6


def test_the_whole_list_among_the_cutoffs_of_one_score():
    stream = StreamingScore(ndcg_score, k=[1, None])
    stream.update([[0, 1, 2]], [[0.3, 0.2, 0.1]])
    expected = ndcg_score([[0, 1, 2]], [[0.3, 0.2, 0.1]], k=[1, None])
    assert stream.compute().tolist() == expected.tolist()
    assert stream.n_undefined.tolist() == [0, 0]
    assert repr(stream) == "<StreamingScore(ndcg_score, k=[1, None]): n_queries=1>"
    assert stream.merge(StreamingScore(ndcg_score, k=[1, None])).n_queries == 1
    with pytest.raises(ValueError, match=r"k=\[None, 1\] where this stream has k=\[1, None\]"):
        stream.merge(StreamingScore(ndcg_score, k=[None, 1]))


def test_the_old_keyword():
    with pytest.raises(TypeError, match="It is called `scores` here"):
        StreamingScore(score_func=ndcg_score)


# --- states -------------------------------------------------------------------------------------


def test_a_failing_update_changes_nothing():
    stream = StreamingScore(dcg_score, k=[1, 2])
    stream.update([[1, 0]], [[1, 2]], sample_weight=[1e300])
    before, said = pickle.dumps(stream), what_it_says(stream)
    for batch in (
        {"y_true": [[1, 0]], "y_score": [[1, NAN]]},
        {"y_true": [[9, 0]], "y_score": [[1, 2]], "sample_weight": [1e308]},
        {"y_true": [1], "y_score": [2], "qid": [3], "item_weight": [1]},
        {"y_true": [1], "y_score": [2], "qid": [3], "k": 3},
        {"y_true": [1e308, 1e308], "y_score": [2, 2], "qid": [3, 3]},
    ):
        with pytest.raises(ValueError, match="parameter of"):
            stream.update(**batch)
        assert pickle.dumps(stream) == before
        assert what_it_says(stream) == said
    stream.update([1], [1], qid=[3])


def test_item_weights_of_a_score_without_them():
    stream = StreamingScore("map")
    with pytest.raises(ValueError, match="parameter of") as caught:
        stream.update([[0, 1]], [[0.1, 0.2]], item_weight=[[1, 1]])
    assert str(caught.value) == (
        "The 'item_weight' parameter of StreamingScore.update must be None, since "
        "mean_average_precision_score does not accept it. Got [[1, 1]] instead."
    )
    stream.update([[0, 1]], [[0.1, 0.2]], item_weight=None)
    assert stream.compute() == 1


def test_item_weights_come_always_or_never():
    batch = {"y_true": [[1, 0]], "y_score": [[1, 2]]}
    weighted = updated(StreamingScore(ndcg_score), [batch | {"item_weight": [[1, 1]]}])
    plain = updated(StreamingScore(ndcg_score), [batch])
    texts = []
    for call in (
        lambda: weighted.update(**batch),
        lambda: plain.update(**batch, item_weight=[[1, 1]]),
        lambda: weighted.merge(plain),
        lambda: plain.merge(weighted),
    ):
        with pytest.raises(ValueError, match="must be") as caught:
            call()
        texts.append(str(caught.value))
    of_update = "The 'item_weight' parameter of StreamingScore.update must be"
    of_merge = (
        "The 'other' parameter of StreamingScore.merge must be a stream with item weights if and "
        "only if this stream has them. Got one"
    )
    assert texts == [
        f"{of_update} given, as it was in earlier updates. Got None instead.",
        f"{of_update} left out, as it was in earlier updates. Got [[1, 1]] instead.",
        f"{of_merge} without them instead.",
        f"{of_merge} with them instead.",
    ]
    assert weighted.n_queries == plain.n_queries == 1
    for stream in (weighted, plain):
        stream.update(**empty_batches()[0])
        assert stream.merge(StreamingScore(ndcg_score)).n_queries == 1
        assert StreamingScore(ndcg_score).merge(stream).n_queries == 1


def test_copies_are_independent():
    for make in (copy.copy, copy.deepcopy, lambda each: pickle.loads(pickle.dumps(each))):
        stream = StreamingScore(ndcg_score, k=[1, 2])
        stream.update([0, 1], [2, 1], qid=["a", "a"])
        copied = make(stream)
        assert what_it_says(copied) == what_it_says(stream)
        copied.update([1, 0], [2, 1], qid=["b", "b"])
        stream.update([1, 0], [2, 1], qid=["b", "b"])
        assert what_it_says(copied) == what_it_says(stream)
        copied.reset()
        assert stream.n_queries == 2
        with pytest.raises(ValueError, match="'a' again"):
            stream.update([1, 0], [2, 1], qid=["a", "a"])


def test_parameters_stay_what_they_were():
    cutoffs, table = [1, 2], np.array([0.0, 1, 3])
    stream = StreamingScore(ndcg_score, k=cutoffs, gain=table)
    cutoffs.append(3)
    table[:] = 1
    assert stream.merge(StreamingScore(ndcg_score, k=[1, 2], gain=[0, 1, 3])) is stream
    stream.update([[0, 1, 2]], [[1, 2, 3]])
    assert stream.compute().tolist() == [1, 1]


def test_the_state_does_not_grow_with_the_data():
    rng = np.random.default_rng(0)
    stream = StreamingScore(ndcg_score, k=[1, 5])
    sizes = []
    for _ in range(30):
        stream.update(
            rng.integers(0, 2, (200, 9)),
            rng.random((200, 9)),
            sample_weight=10.0 ** rng.uniform(-8, 8, 200),
            item_weight=10.0 ** rng.uniform(-8, 8, (200, 9)),
        )
        sizes.append(len(pickle.dumps(stream)))
    assert sizes[-1] <= sizes[0] + 100  # a sum of 30 times as much has a few more bits
    assert sizes[-1] < 20_000
    unchecked = StreamingScore(ndcg_score, check_qid=False)
    ids = StreamingScore(ndcg_score)
    for each in (unchecked, ids):
        each.update(np.ones(3000), rng.random(3000), qid=np.arange(3000))
    assert len(pickle.dumps(unchecked)) < 3500 < len(pickle.dumps(ids)) < 20_000


def test_a_lambda_does_not_pickle():
    stream = StreamingScore(ndcg_score, gain=lambda label: label)
    stream.update([[0, 1]], [[1, 2]])
    assert copy.deepcopy(stream).compute() == 1.0
    with pytest.raises((pickle.PicklingError, AttributeError)):
        pickle.dumps(stream)


def test_a_partial_of_a_score_is_taken_apart():
    stream = StreamingScore(partial(ndcg_score, k=2, gain="exponential"), k=1)
    assert repr(stream) == "<StreamingScore(ndcg_score, k=1, gain='exponential'): n_queries=0>"
    stream.merge(StreamingScore(ndcg_score, k=1, gain="exponential"))


def test_repr():
    stream = StreamingScore(
        ndcg_score, k=[1, 2], gain=steep, discount=partial(shallow, power=2), check_qid=False
    )
    stream.update([[0, 1]], [[1, 2]])
    assert repr(stream) == (
        "<StreamingScore(ndcg_score, k=[1, 2], gain=steep, discount=a partial, check_qid=False): "
        "n_queries=1>"
    )


def test_threads_lose_no_batch():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 3, (800, 5)), rng.integers(0, 3, (800, 5))
    stream = StreamingScore(ndcg_score, k=3)

    def update(start):
        for row in range(start, 800, 4):
            stream.update(y_true[row : row + 1], y_score[row : row + 1])

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(update, range(4)))
    finally:
        sys.setswitchinterval(interval)
    assert stream.n_queries == 800
    assert stream.compute() == ndcg_score(y_true, y_score, k=3)


def test_class_labels_need_all_classes_from_the_start():
    stream = StreamingScore(hit_rate_score, k=1)
    with pytest.raises(ValueError, match="labels") as caught:
        stream.update(["a", "b"], [[1, 0], [0, 1]])
    assert str(caught.value) == (
        "The 'labels' parameter of StreamingScore.update must be passed to the constructor if "
        "y_true holds class labels. Got None instead. Otherwise a batch that lacks a class would "
        "mix up the columns."
    )
    assert stream.n_queries == 0
    stream = StreamingScore(hit_rate_score, k=1, labels=["a", "b"])
    stream.update(["b", "b"], [[1, 0], [0, 1]])
    assert stream.compute() == 0.5


def test_a_date_seen_twice_is_named_as_a_date():
    stream = StreamingScore(ndcg_score)
    for qid, name in (
        (np.array(["2020-01-02"], dtype="M8[D]"), "2020-01-02T00:00:00"),
        (np.array([3], dtype="m8[h]"), "3"),
    ):
        stream.update([1], [1], qid=qid)
        with pytest.raises(ValueError, match=f"the query with qid {name}[.0]* again"):
            stream.update([1], [1], qid=qid)
