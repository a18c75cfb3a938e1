"""What becomes an array: narrow floats as they are, tensors of PyTorch, and what is refused."""

from __future__ import annotations

from functools import partial

import ml_dtypes
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from raising import raises

from ranking_scores import (
    StreamingScore,
    dcg_score,
    hit_rate_score,
    ndcg_score,
    ranking_report,
    retrieved_from_ids,
)
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.explain import explain_difference, explain_query
from ranking_scores.tables import from_lists
from ranking_scores.ties import chance_level, tie_report
from ranking_scores.trec import from_pytrec_eval
from ranking_scores.unjudged import items_to_judge, score_bounds

NARROW = ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz"]
NOT_AN_ARRAY = "must be array-like."
IN_TORCH = (
    "In PyTorch, use `.detach().cpu()`, `.to_dense()` for a sparse tensor, and `.float()` for a "
    "dtype that NumPy does not have."
)


@pytest.fixture
def torch():
    """Return PyTorch, or skip the test: it is not among what the tests need."""
    return pytest.importorskip("torch", reason="tensors of PyTorch are tested where it is")


def numbers(seed):
    """Return some numbers of 16 queries, scores or labels, with ties in few bits."""
    return np.random.default_rng(seed).uniform(0, 4, (16, 9))


@pytest.mark.parametrize("name", NARROW)
def test_narrow_floats_are_read_as_they_are(name):
    labels, scores, weights = (numbers(seed).astype(getattr(ml_dtypes, name)) for seed in range(3))
    wide = [each.astype(np.float64) for each in (labels, scores, weights)]
    for score in (dcg_score, ndcg_score):
        narrow = score(labels, scores, item_weight=weights, sample_weight=weights[:, 0])
        expected = score(*wide[:2], item_weight=wide[2], sample_weight=wide[2][:, 0])
        assert narrow == expected
    rows = ndcg_score(labels.ravel(), scores.ravel(), qid=np.repeat(np.arange(16), 9))
    assert rows == ndcg_score(*wide[:2])
    found = retrieved_from_ids(np.argsort(wide[1])[:, :3], scores[:, :3], n_items=9)
    assert found.dtype == np.float32
    assert (
        found.data.tolist()
        == np.take_along_axis(wide[1][:, :3], np.argsort(np.argsort(wide[1])[:, :3]), 1)
        .ravel()
        .tolist()
    )


def test_ints_of_a_list_are_not_rounded():
    wide = [[2**64 - 1, 2**64 - 2, 5]]
    second = 1 / np.log2(3)
    assert np.asarray(wide).dtype == np.float64
    assert ndcg_score([[0, 1, 0]], wide) == second
    assert ndcg_score([[0, 1, 0]], tuple(wide)) == second
    assert ndcg_score([[0, 1, 0]], np.array(wide, dtype=np.uint64)) == second


@pytest.mark.parametrize("scores", [[2.0**64, 2**63, 5], [2**63, -5, 2], [float(2**63), 0, -1]])
def test_other_lists_become_what_numpy_makes_of_them(scores):
    assert ndcg_score([[1, 0, 2]], [scores]) == ndcg_score([[1, 0, 2]], np.asarray([scores]))


def test_a_wider_float_would_be_told_apart():
    scores = np.array([[1, 1 + 2**-7]])  # neighbours in bfloat16
    narrow = scores.astype(ml_dtypes.bfloat16)
    assert hit_rate_score([[1, 0]], narrow, k=1) == 0
    assert hit_rate_score([[1, 0]], narrow.astype(ml_dtypes.float8_e5m2), k=1) == 0.5


def test_a_score_that_is_not_finite_is_refused_in_narrow_floats():
    scores = np.array([[1, np.nan]]).astype(ml_dtypes.bfloat16)
    with pytest.raises(ValueError, match="must be finite"):
        ndcg_score([[1, 0]], scores)


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float16"])
def test_tensors_of_narrow_floats_are_read_as_they_are(torch, name):
    labels, scores = (
        torch.from_numpy(numbers(seed)).to(getattr(torch, name)) for seed in range(2)
    )
    assert ndcg_score(labels, scores) == ndcg_score(labels.double(), scores.double())
    weights = labels[:, 0]
    expected = ndcg_score(labels.double(), scores.double(), sample_weight=weights.double())
    assert ndcg_score(labels, scores, sample_weight=weights) == expected


@pytest.mark.filterwarnings("ignore:Sparse")
def test_tensors_that_numpy_cannot_read_are_refused_in_the_words_of_their_library(torch):
    scores = torch.tensor([[1.0, 2.0]])
    for tensor, words in (
        (scores.clone().requires_grad_(), "Can't call numpy() on Tensor that requires grad. "),
        (scores.to("meta"), "can't convert meta device type tensor to numpy. "),
        (scores.bfloat16().to("meta"), "can't convert meta device type tensor to numpy. "),
        (scores.to_sparse(), "can't convert Sparse layout tensor to numpy. "),
        (scores.to_sparse_csr(), "can't convert SparseCsr layout tensor to numpy. "),
        ([scores[0].requires_grad_()], "Can't call numpy() on Tensor that requires grad. "),
    ):
        with pytest.raises(InvalidParameterError) as caught:
            ndcg_score([[0, 1]], tensor)
        assert type(caught.value.__cause__) in (TypeError, RuntimeError)
        message = str(caught.value)
        assert message.startswith(f"The 'y_score' parameter of ndcg_score {NOT_AN_ARRAY} Got ")
        assert f" instead. {words}" in message
        assert message.endswith(IN_TORCH)


def test_a_cutoff_that_is_a_tensor_is_refused_by_name(torch):
    for k in (torch.tensor([1.0]).requires_grad_(), torch.tensor([1]).to("meta")):
        with pytest.raises(InvalidParameterError, match="'k' parameter of ndcg_score must be"):
            ndcg_score([[0, 1]], [[1, 2]], k=k)


@pytest.mark.parametrize("dtype", ["Int64", "UInt64"])
def test_nullable_frames_are_not_rounded(dtype):
    scores = [[2**53, 2**53 + 1, 1]]
    frame = pd.DataFrame(scores, dtype=dtype)
    assert ndcg_score([[0, 1, 0]], frame) == ndcg_score([[0, 1, 0]], np.array(scores)) == 1
    mixed = pd.DataFrame({"a": [2**53], "b": [True], "c": [2**53 + 1]})
    assert hit_rate_score([[0, 0, 1]], mixed, k=1) == 1
    with pytest.raises(ValueError, match="must be finite"):
        ndcg_score([[0, 1]], pd.DataFrame([[1, None]], dtype=dtype))


def test_labels_that_are_stored_twice_do_not_wrap_around():
    stored = (np.array([100, 100], dtype=np.int8), ([0, 0], [0, 0]))
    for labels in (
        sp.coo_array(stored, shape=(1, 3)),
        sp.csr_array((stored[0], np.array([0, 0]), np.array([0, 2])), shape=(1, 3)),
    ):
        assert hit_rate_score(labels, [[3, 2, 1]], k=1) == 1
        assert dcg_score(labels, [[3, 2, 1]]) == 200


def test_the_lowest_narrow_float_was_not_retrieved(torch):
    scores = torch.tensor([[0.5, 0.9, 0.1]]).bfloat16()
    scores[0, 1] = torch.finfo(torch.bfloat16).min
    assert retrieved_from_ids([[0, 1, 2]], scores, n_items=4).indices.tolist() == [0, 2]


def test_ids_and_scores_that_are_swapped():
    with pytest.raises(ValueError, match=r"Got dtype float64 instead. Are ids and scores swapped"):
        retrieved_from_ids([[9.2, 5.3]], [[3, 1]], n_items=10)


class LikeTensor:
    """Looks to NumPy and to us as a tensor of PyTorch does, whose sizes are methods."""

    def __init__(self, array):
        self.array = np.asarray(array)
        self.ndim, self.shape, self.dtype = self.array.ndim, self.array.shape, self.array.dtype

    def size(self):
        return self.shape

    def __len__(self):
        return len(self.array)

    def __array__(self, dtype=None, copy=None):
        return self.array if dtype is None else self.array.astype(dtype)


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
SHAPES = {
    "dense": {"y_true": [[0.0, 1, 1], [1, 0, 0]], "y_score": [[3, 2, 2], [1, 5, 4]]},
    "ragged": {"y_true": [0, 1, 1, 1, 0], "y_score": [3, 2, 2, 1, 5], "qid": [0, 0, 0, 1, 1]},
    "classes": {"y_true": [0, 2], "y_score": [[3, 2, 2], [1, 5, 4]], "labels": [0, 1, 2]},
}


@pytest.mark.parametrize("as_tensor", [LikeTensor, "torch"])
@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("layout", SHAPES)
@pytest.mark.filterwarnings("ignore:.*of the labels", "ignore:No item is unjudged")
def test_tensors_are_scored_as_arrays(layout, name, as_tensor, request):
    if as_tensor == "torch":
        as_tensor = request.getfixturevalue("torch").tensor
    data, call = dict(SHAPES[layout]), CALLS[name]
    try:
        expected = call(data.pop("y_true"), data.pop("y_score"), **data)
    except InvalidParameterError:
        pytest.skip("there is no such call of this layout")
    tensors = {key: as_tensor(values) for key, values in SHAPES[layout].items()}
    found = call(tensors.pop("y_true"), tensors.pop("y_score"), **tensors)
    assert repr(found) == repr(expected)


class OnAnotherDevice:
    """Looks to NumPy as an array of another library on a GPU does."""

    ndim, shape, dtype = 2, (1, 2), np.dtype(float)

    def __array__(self, dtype=None, copy=None):
        raise TypeError("Implicit conversion is not allowed. Use `.get()`.\nMore words.")


class Tensor(OnAnotherDevice):
    """Looks to us as a tensor of PyTorch on a GPU does."""

    def __init__(self, device, dtype):
        self.device = type("device", (), {"type": device})
        self.dtype = dtype

    def __array__(self, dtype=None, copy=None):
        raise TypeError("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu().")

    def float(self):
        return np.array([[1.0, 2.0]], np.float32)


Tensor.__module__ = "torch"


@pytest.mark.parametrize("parameter", ["y_true", "y_score", "where"])
def test_the_words_of_the_library_that_has_the_array(parameter):
    data = {"y_true": [[0, 1]], "y_score": [[1, 2]]}
    other = OnAnotherDevice()
    words = "Implicit conversion is not allowed. Use `.get()`."
    with raises(parameter, "array-like", got="an OnAnotherDevice", advice=words) as caught:
        ndcg_score(**(data | {parameter: other}))
    assert isinstance(caught.value.__cause__, TypeError)


def test_a_tensor_on_another_device():
    for value in (Tensor("cuda", "torch.bfloat16"), [Tensor("cuda", "torch.float32")]):
        with pytest.raises(InvalidParameterError) as caught:
            ndcg_score([[0, 1]], value)
        assert str(caught.value).endswith(
            " instead. can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu(). "
            f"{IN_TORCH}"
        )


@pytest.mark.parametrize("dtype", ["torch.bfloat16", "torch.float8_e4m3fnuz"])
def test_a_tensor_of_a_dtype_that_numpy_does_not_have(dtype):
    assert ndcg_score([[0, 1]], Tensor("cpu", dtype)) == 1


def test_ids_that_hold_arrays_are_refused_by_name():
    ids = np.empty(2, dtype=object)
    ids[:] = [np.arange(2), np.arange(2)]
    with pytest.raises(InvalidParameterError, match=r"'qid' .* must be of one sortable type"):
        ndcg_score([0, 1], [1, 2], qid=ids)


MIXED = [[[2**53 + 1, float(2**53)]], [[-(2**60) - 1, 0.5]], [(2**63 + 1, 0.5)]]


@pytest.mark.parametrize("scores", MIXED)
def test_ints_beside_floats_that_could_tie_are_refused(scores):
    for y_true, y_score in (([[1, 0]], scores), (scores, [[1, 0]])):
        with pytest.raises(InvalidParameterError) as caught:
            ndcg_score(y_true, y_score)
        assert "made of ints alone, or of numbers that float64 holds" in str(caught.value)
    found = [list(zip("ab", scores[0], strict=True))]
    with pytest.raises(InvalidParameterError, match="ints alone"):
        ndcg_score(from_lists([["a"]], found))
    apart = [[("a", scores[0][0])], [("b", scores[0][1])]]
    with pytest.raises(InvalidParameterError, match="ints alone"):
        ndcg_score(from_lists([["a"], ["b"]], apart))
    dicts = {"q": dict(zip("ab", scores[0], strict=True))}
    with pytest.raises(InvalidParameterError, match="ints alone"):
        ndcg_score(from_pytrec_eval({"q": {"a": 1}}, dicts))


def test_large_numbers_that_differ_still_do():
    assert ndcg_score([[0, 1]], [[2**53 + 1, 2**53]]) < 1
    assert ndcg_score([[1, 0]], [[2**53 + 1, 2**53]]) == 1
    assert ndcg_score([[1, 0]], [[2**54, 0.5]]) == 1
    assert ndcg_score([[1, 0]], [[1e300, 1]]) == 1
    assert ndcg_score([[1, 0]], [[2**64 - 1, 2**64 - 2]]) == 1


def test_masked_arrays_in_lists_are_refused():
    rows = [np.ma.array([1, 0, 2], mask=[0, 0, 1]), np.ma.array([1, 0, 2], mask=[1, 0, 0])]
    with pytest.raises(InvalidParameterError, match="Got 2 masked elements"):
        ndcg_score(rows, [[1, 2, 3], [1, 2, 3]])
    whole = [np.ma.array([1, 0, 2]), [1, 0, 2]]
    assert ndcg_score(whole, [[1, 0, 2]] * 2) == 1
