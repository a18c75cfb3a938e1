"""What becomes an array: narrow floats as they are, wide ints, and what is refused."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from raising import raises

from ranking_scores import dcg_score, hit_rate_score, ndcg_score, retrieved_from_ids
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.tables import from_lists
from ranking_scores.trec import from_pytrec_eval

NARROW = ["bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz"]


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


def test_ids_and_scores_that_are_swapped():
    with pytest.raises(ValueError, match=r"Got dtype float64 instead. Are ids and scores swapped"):
        retrieved_from_ids([[9.2, 5.3]], [[3, 1]], n_items=10)


class OnAnotherDevice:
    """Looks to NumPy as an array of another library on a GPU does."""

    ndim, shape, dtype = 2, (1, 2), np.dtype(float)

    def __array__(self, dtype=None, copy=None):
        raise TypeError("Implicit conversion is not allowed. Use `.get()`.\nMore words.")


@pytest.mark.parametrize("parameter", ["y_true", "y_score", "where"])
def test_the_words_of_the_library_that_has_the_array(parameter):
    data = {"y_true": [[0, 1]], "y_score": [[1, 2]]}
    other = OnAnotherDevice()
    words = "Implicit conversion is not allowed. Use `.get()`."
    with raises(parameter, "array-like", got="an OnAnotherDevice", advice=words) as caught:
        ndcg_score(**(data | {parameter: other}))
    assert isinstance(caught.value.__cause__, TypeError)


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


@pytest.mark.parametrize(("value", "kind"), [(2**62, "int"), (2**70, "float")])
def test_the_advice_about_objects_can_be_followed(value, kind):
    scores = np.array([[value, 1]], dtype=object)
    with pytest.raises(InvalidParameterError, match=rf"astype\({kind}\)"):
        ndcg_score([[0, 1]], scores)
    assert ndcg_score([[0, 1]], scores.astype(kind)) < 1
