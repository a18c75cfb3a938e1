"""Tensors of PyTorch on any device, with gradients, in narrow floats or sparse, score as arrays.

The tests in which a stand-in for a tensor is on a GPU need no PyTorch. It refuses what PyTorch
refuses there, and counts the copies to the host.
"""

from __future__ import annotations

from functools import partial

import ml_dtypes
import numpy as np
import pytest
import scipy.sparse as sp
from raising import raises
from sklearn.exceptions import UndefinedMetricWarning

from ranking_scores import (
    StreamingScore,
    dcg_score,
    from_table,
    hit_rate_score,
    ndcg_score,
    ranking_report,
    recall_at_k_score,
    retrieved_from_ids,
)
from ranking_scores._base._validation import check_real_array
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.explain import explain_difference, explain_query
from ranking_scores.ties import chance_level, tie_report
from ranking_scores.unanswerable import answer_curve
from ranking_scores.unjudged import items_to_judge, score_bounds

NARROW = ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float16"]
SHALLOW = "A sparse tensor must be 2-D and store single values. Use `.to_dense()`."


@pytest.fixture
def torch():
    """Return PyTorch, or skip the test: it is not among what the tests need."""
    return pytest.importorskip("torch", reason="tensors of PyTorch are tested where it is")


class Tensor:
    """Looks to us as a tensor of PyTorch that is on a GPU and requires grad does."""

    n_copies = 0
    is_coalesced = False

    def __init__(self, values, device="cuda", requires_grad=True):
        self.values_, self.device, self.requires_grad = values, device, requires_grad
        self.shape, self.ndim = values.shape, values.ndim
        self.dtype = f"torch.{values.dtype.name}"
        layout = values.format if sp.issparse(values) else ""
        self.layout = f"torch.sparse_{layout}" if layout else "torch.strided"

    def __len__(self):
        return self.shape[0]

    def size(self):
        return self.shape

    def detach(self):
        return type(self)(self.values_, self.device, requires_grad=False)

    def cpu(self):
        Tensor.n_copies += self.device != "cpu"
        return type(self)(self.values_, "cpu", self.requires_grad)

    def float(self):
        return Tensor(self.values_.astype(np.float32), self.device, self.requires_grad)

    def numpy(self, *, force=False):
        self._check_readable()
        assert self.dtype.removeprefix("torch.") in np.sctypeDict
        return self.values_

    def __array__(self, dtype=None, copy=None):
        raise TypeError("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu().")

    def coalesce(self):
        self._check_readable(is_sparse=True)
        summed = self.values_.copy()
        summed.sum_duplicates()
        tensor = Tensor(summed, "cpu", requires_grad=False)
        tensor.is_coalesced = True
        return tensor

    def indices(self):
        assert self.is_coalesced
        return self._part(np.stack(self.values_.coords))

    def values(self):
        assert self.is_coalesced or self.layout != "torch.sparse_coo"
        return self._part(self.values_.data)

    def col_indices(self):
        assert self.layout == "torch.sparse_csr"
        return self._part(self.values_.indices)

    def row_indices(self):
        assert self.layout == "torch.sparse_csc"
        return self._part(self.values_.indices)

    def crow_indices(self):
        return self._part(self.values_.indptr)

    ccol_indices = crow_indices

    def _part(self, values):
        return Tensor(values, self.device, self.requires_grad)

    def _check_readable(self, *, is_sparse=False):
        assert self.device == "cpu"
        assert not self.requires_grad
        assert sp.issparse(self.values_) == is_sparse


Tensor.__module__ = "torch"


@pytest.fixture(autouse=True)
def _no_copies_yet():
    Tensor.n_copies = 0


def on_gpu(values):
    """Return a stand-in for a tensor of an array, a sparse one too, or of a list."""
    return Tensor(values if sp.issparse(values) else np.asarray(values))


class LikeTensor:
    """Looks to NumPy and to us as a tensor of another library does, whose sizes are methods."""

    def __init__(self, array):
        self.array = np.asarray(array)
        self.ndim, self.shape, self.dtype = self.array.ndim, self.array.shape, self.array.dtype

    def size(self):
        return self.shape

    def __len__(self):
        return len(self.array)

    def __array__(self, dtype=None, copy=None):
        return self.array if dtype is None else self.array.astype(dtype)


def in_torch(values, torch):
    """Return a tensor of PyTorch that requires grad if it may, in the layout of the values."""
    if not sp.issparse(values):
        tensor = torch.tensor(values)
        return tensor.requires_grad_() if tensor.is_floating_point() else tensor
    made = {
        "coo": lambda: torch.sparse_coo_tensor(np.stack(values.coords), values.data, values.shape),
        "csr": lambda: torch.sparse_csr_tensor(
            values.indptr, values.indices, values.data, values.shape
        ),
        "csc": lambda: torch.sparse_csc_tensor(
            values.indptr, values.indices, values.data, values.shape
        ),
    }
    return made[values.format]().requires_grad_()


def streamed(*data, **of):
    """Return the score of a stream of one batch."""
    stream = StreamingScore("ndcg@2")
    stream.update(*data, **of)
    return stream.compute()


CALLS = {
    "ndcg_score": partial(ndcg_score, k=2),
    "a table of gains": lambda *data, **of: ndcg_score(*data, **of, gain=LikeTensor([0, 3])),
    "ranking_report": lambda *data, **of: ranking_report(*data, **of, chance=True).to_dict(),
    "ties": lambda *data, **of: ranking_report(*data, **of, ties=True).to_frame(),
    "unjudged": lambda *data, **of: ranking_report(*data, **of, scores="mrr", unjudged=True),
    "tie_report": partial(tie_report, score="ndcg@2"),
    "chance_level": lambda y_true, _, **of: chance_level(y_true, **of, score="ndcg@2"),
    "explain_query": partial(explain_query, score="ndcg@2", query=1),
    "explain_difference": partial(explain_difference, value=0.5, score="ndcg@2"),
    "score_bounds": partial(score_bounds, score="mrr"),
    "items_to_judge": partial(items_to_judge, score="mrr"),
    "StreamingScore": streamed,
}
LABELS, PREDICTIONS = [[0.0, 1, 1], [1, 0, 0]], [[3.0, 2, 2], [1, 5, 4]]
SHAPES = {
    "dense": {"y_true": LABELS, "y_score": PREDICTIONS},
    "weighted": {"y_true": LABELS, "y_score": PREDICTIONS, "sample_weight": [1.0, 2]},
    "ragged": {"y_true": [0, 1, 1, 1, 0], "y_score": [3, 2, 2, 1, 5], "qid": [0, 0, 0, 1, 1]},
    "classes": {"y_true": [0, 2], "y_score": PREDICTIONS, "labels": [0, 1, 2]},
    "sparse": {"y_true": sp.csr_array(LABELS), "y_score": PREDICTIONS},
    "retrieved": {"y_true": LABELS, "y_score": sp.coo_array(np.triu(PREDICTIONS))},
    "both": {"y_true": sp.csc_array(LABELS), "y_score": sp.csr_array(np.tril(PREDICTIONS))},
}


@pytest.mark.parametrize("made_by", [LikeTensor, on_gpu, "torch"])
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("layout", SHAPES)
@pytest.mark.filterwarnings(
    "ignore:.*of the labels", "ignore:No item is unjudged", "ignore:Sparse:UserWarning"
)
def test_tensors_are_scored_as_arrays(layout, name, made_by, request):
    if made_by == "torch":
        made_by = partial(in_torch, torch=request.getfixturevalue("torch"))
    data, call = SHAPES[layout], CALLS[name]
    if made_by is LikeTensor and any(map(sp.issparse, data.values())):
        pytest.skip("only PyTorch has sparse tensors")
    try:
        expected = scored(call, data)
    except InvalidParameterError:
        pytest.skip("there is no such call of this layout")
    tensors = {parameter: made_by(values) for parameter, values in data.items()}
    assert repr(scored(call, tensors)) == repr(expected)


def scored(call, data):
    """Return the result of a call on labels, scores and other arrays."""
    others = {name: data[name] for name in data.keys() - {"y_true", "y_score"}}
    return call(data["y_true"], data["y_score"], **others)


ON_GPU = {name: on_gpu(values) for name, values in SHAPES["weighted"].items()}


@pytest.mark.parametrize(
    "call",
    [
        ndcg_score,
        lambda *data, **of: ranking_report(*data, **of, scores=["ndcg", "mrr", "map"], ties=True),
        lambda *data, **of: StreamingScore(["ndcg", "mrr", "map"]).update(*data, **of),
    ],
    ids=["score", "report", "stream"],
)
def test_each_tensor_is_copied_once(call):
    scored(call, ON_GPU)
    assert Tensor.n_copies == len(ON_GPU)


def test_tensors_of_every_parameter_are_read():
    where, weights = [[True, False, True], [True, True, True]], [[1.0, 2, 1], [0, 1, 1]]
    expected = dcg_score(LABELS, PREDICTIONS, where=where, item_weight=weights)
    of = {"where": on_gpu(where), "item_weight": on_gpu(weights)}
    assert dcg_score(on_gpu(LABELS), on_gpu(PREDICTIONS), **of) == expected
    ids = on_gpu([7, 3])
    report = ranking_report(on_gpu(LABELS), on_gpu(PREDICTIONS), query_ids=ids, by={"of": ids})
    assert report.query_ids.tolist() == [7, 3]
    assert list(report.by_group["of"]) == [3, 7]
    stream = StreamingScore("ndcg")
    stream.update(on_gpu(LABELS), on_gpu(PREDICTIONS), clusters=ids)
    assert stream.compute() == ndcg_score(LABELS, PREDICTIONS)


def test_a_list_of_tensors_is_a_list_of_rows():
    rows = [on_gpu(row) for row in PREDICTIONS]
    assert ndcg_score(LABELS, rows) == ndcg_score(LABELS, PREDICTIONS)
    assert ndcg_score(LABELS, [rows[0], PREDICTIONS[1]]) == ndcg_score(LABELS, PREDICTIONS)
    values = [on_gpu(each) for each in PREDICTIONS[0]]
    expected = ndcg_score(LABELS[0], PREDICTIONS[0], qid=[0, 0, 0])
    assert ndcg_score(LABELS[0], values, qid=[0, 0, 0]) == expected


@pytest.mark.parametrize("name", NARROW)
def test_tensors_of_narrow_floats_on_a_gpu_are_read_as_they_are(name):
    scores = np.random.default_rng(0).uniform(0, 4, (16, 9))
    narrow = scores.astype(getattr(ml_dtypes, name, np.float16))
    labels = scores > 2
    assert ndcg_score(labels, on_gpu(narrow)) == ndcg_score(labels, narrow.astype(np.float64))


@pytest.mark.parametrize("name", NARROW)
def test_tensors_of_narrow_floats_are_read_as_they_are(torch, name):
    labels, scores = (
        torch.from_numpy(np.random.default_rng(seed).uniform(0, 4, (16, 9)))
        .to(getattr(torch, name))
        .requires_grad_()
        for seed in range(2)
    )
    assert ndcg_score(labels, scores) == ndcg_score(labels.double(), scores.double())
    weights = labels[:, 0]
    expected = ndcg_score(labels.double(), scores.double(), sample_weight=weights.double())
    assert ndcg_score(labels, scores, sample_weight=weights) == expected


@pytest.mark.parametrize("name", ["bfloat16", "float16"])
def test_sparse_tensors_of_narrow_floats_are_read_as_they_are(torch, name):
    scores = torch.tensor(np.triu(PREDICTIONS)).to(getattr(torch, name)).to_sparse()
    expected = ndcg_score(LABELS, sp.csr_array(np.triu(PREDICTIONS)))
    assert ndcg_score(LABELS, scores) == expected


THRESHOLDS = [0.1, 0.3, 0.7, 0.9, 1.1]
"""Some of which become smaller in each narrow dtype, and some greater."""


def recalled(labels, threshold, **of):
    """Return the recall of two queries, in each of which one item has the threshold as label."""
    scores = [[3, 2, 1], [1, 3, 2]]
    options = {"k": 1, "relevance_threshold": threshold}
    if labels.ndim == 1:
        scores, options["qid"] = np.ravel(scores), [0, 0, 0, 1, 1, 1]
    return recall_at_k_score(labels, scores, **options, **of)


@pytest.mark.parametrize("threshold", THRESHOLDS)
@pytest.mark.parametrize("name", [*NARROW, "float8_e4m3b11fnuz", "float8_e5m2fnuz", "float32"])
def test_a_threshold_is_compared_in_the_dtype_of_the_labels(name, threshold):
    dtype = np.dtype(getattr(ml_dtypes, name, name))
    labels = np.array([[threshold, 0, 0], [0, threshold, 0]]).astype(dtype)
    below = labels.copy()
    below[0, 0] = np.nextafter(labels[0, 0], dtype.type(0), dtype=dtype)
    of_tables = {"query": [0, 1], "item": [0, 1], "score": [1.5, 2.5]}
    for given, expected in ((labels, 1.0), (below, 0.5)):
        for tensor in (given, on_gpu(given), given.ravel(), on_gpu(given.ravel())):
            assert recalled(tensor, threshold, replace_undefined_by=0) == expected
        first = on_gpu(given[[0, 1], [0, 1]])
        by_id = from_table({**of_tables, "label": first})
        score = f"recall(rel={threshold})@1"
        report = ranking_report(by_id, scores=score, replace_undefined_by=0)
        assert report.to_dict() == {score: expected}
        curve = answer_curve([1, 1, 0], on_gpu(given[[0, 1, 1], [0, 1, 0]]), threshold=threshold)
        assert curve.refused.tolist() == [1 - expected]


def test_a_narrow_int_is_compared_as_it_is():
    labels = np.array([[3, 0, 0], [0, 2, 0]]).astype(ml_dtypes.int4)
    assert recalled(labels, 2.5, replace_undefined_by=0) == 0.5
    with pytest.warns(UndefinedMetricWarning):
        assert recalled(labels > 0, 2**70) == 0


@pytest.mark.parametrize("threshold", THRESHOLDS)
@pytest.mark.parametrize("form", ["coo", "csr", "csc"])
def test_sparse_labels_of_a_narrow_dtype_agree_with_dense_ones(form, threshold):
    labels = sp.csr_array(np.array([[threshold, 0, 0], [0, threshold, 0]])).asformat(form)
    assert recalled(HalfTensor(labels), threshold) == 1


@pytest.mark.filterwarnings("ignore:Sparse:UserWarning")
@pytest.mark.parametrize("threshold", THRESHOLDS)
@pytest.mark.parametrize("name", NARROW)
def test_a_threshold_is_compared_in_the_dtype_of_tensors(torch, name, threshold):
    values = [[threshold, 0, 0], [0, threshold, 0]]
    labels = torch.tensor(values, dtype=getattr(torch, name))
    assert recalled(labels, threshold) == 1
    if name.startswith("float8"):  # PyTorch makes no sparse ones
        return
    for sparse in (labels.to_sparse(), labels.to_sparse_csr(), labels.to_sparse_csc()):
        assert recalled(sparse, threshold) == 1


def test_lists_of_tensors_of_any_depth(torch):
    rows = [[torch.tensor(float(each), requires_grad=True) for each in row] for row in PREDICTIONS]
    assert ndcg_score(LABELS, rows) == ndcg_score(LABELS, PREDICTIONS)
    assert ndcg_score(LABELS[0], [3.0, *rows[0][1:]], qid=[0] * 3) == ndcg_score(
        LABELS[:1], PREDICTIONS[:1]
    )
    narrow = [[each.bfloat16() for each in row] for row in rows]
    assert ndcg_score(LABELS, narrow) == ndcg_score(LABELS, PREDICTIONS)
    scores = {"a": narrow[0][0], "b": narrow[0][1]}
    assert answer_curve({"a": 1, "b": 0}, scores, threshold=3).refused == 0
    with raises("gain", "a 1-D table of gains", got="a list"):
        ndcg_score(LABELS, PREDICTIONS, gain=rows[0])


def test_lists_of_tensors_on_a_gpu():
    rows = [[on_gpu(each) for each in row] for row in PREDICTIONS]
    assert ndcg_score(LABELS, rows) == ndcg_score(LABELS, PREDICTIONS)
    with raises("gain", "a 1-D table of gains", got="a list"):
        ndcg_score(LABELS, PREDICTIONS, gain=rows[0])


def test_a_nested_tensor_is_refused_by_name():
    nested = on_gpu(np.ones(2))
    nested.is_nested = True
    with raises("y_true", "array-like", got="a nested tensor", advice="rows with `qid`"):
        ndcg_score(nested, nested)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@pytest.mark.parametrize("layout", ["strided", "jagged"])
def test_nested_tensors_are_refused_by_name(torch, layout):
    rows = [torch.ones(2), torch.ones(3)]
    nested = torch.nested.nested_tensor(rows, layout=getattr(torch, layout))
    with raises("y_score", "array-like", got="a nested tensor", advice="rows with `qid`"):
        ndcg_score([[0, 1]], nested)


class HalfTensor(Tensor):
    """A sparse tensor of a dtype that SciPy's sparse arrays do not have."""

    def values(self):
        return Tensor(self.values_.data.astype(np.float16), self.device, self.requires_grad)


def test_narrow_values_of_a_sparse_tensor_on_a_gpu():
    scores = sp.csr_array(np.triu(PREDICTIONS))
    assert ndcg_score(LABELS, HalfTensor(scores)) == ndcg_score(LABELS, scores)


def test_a_sparse_tensor_that_is_1d_is_refused():
    with raises("y_score", "array-like", function="ndcg_score", advice=SHALLOW):
        ndcg_score([0, 1], on_gpu(sp.coo_array([1.0, 0])), qid=[0, 0])


def test_values_that_a_sparse_tensor_stores_twice_are_summed(torch):
    cells = torch.tensor([[0, 0, 0], [1, 1, 2]])
    scores = torch.sparse_coo_tensor(cells, torch.tensor([1.0, 2.0, 2.5]), (1, 3))
    assert not scores.is_coalesced()
    assert hit_rate_score([[0, 1, 0]], scores, k=1) == 1
    # The first item was not retrieved, so it is behind the one with a negative score.
    assert hit_rate_score([[1, 0, 0]], -scores, k=2) == 0


def test_a_negative_that_is_only_marked_as_such(torch):
    scores = torch.complex(torch.zeros(1, 3), torch.tensor([[1.0, 2.0, 3.0]])).conj().imag
    assert scores.is_neg()
    assert hit_rate_score([[1, 0, 0]], scores, k=1) == 1


def test_the_lowest_narrow_float_was_not_retrieved(torch):
    scores = torch.tensor([[0.5, 0.9, 0.1]]).bfloat16()
    scores[0, 1] = torch.finfo(torch.bfloat16).min
    assert retrieved_from_ids([[0, 1, 2]], scores, n_items=4).indices.tolist() == [0, 2]


def test_a_tensor_that_is_scored_keeps_its_graph_and_shares_its_memory(torch):
    scores = torch.tensor(PREDICTIONS).requires_grad_()
    losses = (scores * 2).sum()
    ndcg_score(LABELS, scores)
    losses.backward()
    assert scores.grad.tolist() == [[2] * 3] * 2
    array = check_real_array(scores, "y_score", "here")
    assert np.shares_memory(array, scores.detach().numpy())


@pytest.mark.filterwarnings("ignore:Sparse:UserWarning")
def test_tensors_without_an_array_are_refused_in_the_words_of_their_library(torch):
    scores = torch.ones(2, 4)
    blocks = scores.to_sparse_bsr((1, 2))
    for tensor, words in (
        (scores.to("meta"), "Cannot copy out of meta tensor; no data!."),
        (scores.bfloat16().to("meta"), "Cannot copy out of meta tensor; no data!."),
        ([scores[0].to("meta")], "Cannot copy out of meta tensor; no data!."),
        (blocks, "can't convert SparseBsr layout tensor to numpy. "),
        (scores[0].to_sparse(), SHALLOW),
        (scores.to_sparse(1), SHALLOW),
    ):
        with raises("y_score", "array-like", function="ndcg_score", advice=words) as caught:
            ndcg_score([[0, 0, 0, 1]] * 2, tensor)
        assert type(caught.value.__cause__) in (TypeError, RuntimeError, NotImplementedError)


@pytest.mark.parametrize("parameter", ["where", "item_weight", "sample_weight"])
def test_only_labels_and_scores_may_be_sparse(parameter):
    values = on_gpu(sp.coo_array(np.ones((2, 3), dtype=bool)))
    for call in (dcg_score, StreamingScore("dcg").update):
        with raises(parameter, "dense", got="a sparse Tensor", advice="Use `.to_dense()`."):
            call(LABELS, PREDICTIONS, **{parameter: values})
    with raises("ids", "dense", got="a sparse Tensor", advice="Use `.to_dense()`."):
        retrieved_from_ids(values, n_items=3)


def test_a_cutoff_that_is_a_tensor_is_refused_by_name(torch):
    for k in (torch.tensor([1.0]).requires_grad_(), torch.tensor([1]).to("meta")):
        with raises("k", "an int of at least 1", function="ndcg_score"):
            ndcg_score([[0, 1]], [[1, 2]], k=k)


def test_a_class_of_another_name_in_pytorch_is_no_tensor(torch):
    with raises("y_score", "bools, ints or floats"):
        ndcg_score([[0, 1]], torch.nn.Linear(2, 1))
    weights = torch.nn.Parameter(torch.tensor([[2.0, 1.0]]))
    assert ndcg_score([[1, 0]], weights) == 1
