"""Streams that are merged: each query counts once, and no update comes in twice."""

from __future__ import annotations

import copy
import operator
import pickle
import random
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from stream_outcomes import NAN, empty_batches, what_it_says
from stream_workers import shallow, steep, updated
from warned import nothing_to_rank

from ranking_scores import StreamingScore, dcg_score, ndcg_score

# --- merges -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ({}, {"k": None, "gain": "linear", "replace_undefined_by": 0}),
        ({"k": [1, 2]}, {"k": np.array([1, 2], dtype=np.uint8)}),
        ({"k": np.int64(3)}, {"k": 3}),
        ({"replace_undefined_by": NAN}, {"replace_undefined_by": float("nan")}),
        ({"gain": [0, 1]}, {"gain": (0.0, 1.0)}),
        ({"gain": steep}, {"gain": steep}),
        ({"discount": partial(shallow, power=2)}, {"discount": partial(shallow, power=2.0)}),
        ({"labels": ["a", "b"]}, {"labels": np.array(["a", "b"], dtype=object)}),
    ],
)
def test_parameters_that_mean_the_same_are_merged(ours, theirs):
    for left, right in ((ours, theirs), (theirs, ours)):
        stream = StreamingScore(ndcg_score, **left)
        assert stream.merge(StreamingScore(ndcg_score, **right)) is stream


@pytest.mark.parametrize(
    ("other", "got"),
    [
        (StreamingScore(ndcg_score, k=5), "k=5 where this stream has k=10"),
        (StreamingScore(ndcg_score), "k=None where this stream has k=10"),
        (StreamingScore(ndcg_score, k=[10]), "k=[10] where this stream has k=10"),
        (
            StreamingScore(ndcg_score, k=10, check_qid=False),
            "check_qid=False where this stream has check_qid=True",
        ),
        (
            StreamingScore(ndcg_score, k=3, gain=steep, replace_undefined_by=NAN),
            "k=3, gain=steep, replace_undefined_by=nan where this stream has k=10, "
            "gain='linear', replace_undefined_by=0.0",
        ),
        (
            StreamingScore(ndcg_score, k=10, gain=np.arange(3.0)),
            "gain=an array of shape (3,) and dtype float64 where this stream has gain='linear'",
        ),
        (
            StreamingScore(dcg_score, k=10),
            "scores=dcg_score where this stream has scores=ndcg_score",
        ),
        (
            StreamingScore(ndcg_score, k=10, labels=["a", "b"]),
            "labels=['a', 'b'] where this stream has labels=None",
        ),
    ],
)
def test_streams_of_other_parameters_are_not_merged(other, got):
    with pytest.raises(ValueError, match="other") as caught:
        StreamingScore(ndcg_score, k=10).merge(other)
    assert str(caught.value) == (
        "The 'other' parameter of StreamingScore.merge must be a stream of the same score and "
        f"parameters. Got {got} instead."
    )


def test_only_a_stream_is_merged():
    with pytest.raises(TypeError, match="other") as caught:
        StreamingScore(ndcg_score).merge(0.5)
    assert str(caught.value) == (
        "The 'other' parameter of StreamingScore.merge must be a StreamingScore. Got 0.5 instead."
    )


# --- no update twice ----------------------------------------------------------------------------

BATCH = {"y_true": [[0, 1]], "y_score": [[2, 1]]}


def pickled(stream):
    """Return what another process gets of a stream."""
    return pickle.loads(pickle.dumps(stream))


COPIES = [copy.copy, copy.deepcopy, pickled]


def seen(n_queries):
    """Return a stream that has seen queries without ids."""
    return updated(StreamingScore(ndcg_score), [BATCH] * n_queries)


def assert_refused(call, function="merge"):
    """Check that updates that both sides have are named."""
    with pytest.raises(ValueError, match="other") as caught:
        call()
    assert str(caught.value) == (
        f"The 'other' parameter of StreamingScore.{function} must be a stream of other updates. "
        "Got updates of one stream on both sides instead. They would count twice. Merge each "
        "stream once, without its copies, and `reset` it after the merge if you go on using it."
    )


def test_a_stream_is_merged_once():
    left, right = seen(2), seen(3)
    left.merge(right)
    said = what_it_says(left)
    assert_refused(lambda: left.merge(right))
    assert_refused(lambda: right.merge(left))
    assert_refused(lambda: left.merge(left))
    assert_refused(lambda: left + right, "__add__")
    assert_refused(lambda: left + left, "__add__")
    assert_refused(lambda: sum([right, left]), "__add__")
    right.update(**BATCH)
    assert_refused(lambda: left.merge(right))
    assert what_it_says(left) == said
    assert right.n_queries == 4
    assert_refused(lambda: (seen(1) + right).merge(seen(1) + left))
    right.reset()
    assert left.merge(right).n_queries == 5
    right.update(**BATCH)
    assert left.merge(right).n_queries == 6


def test_streams_are_told_apart_before_their_queries():
    stream = StreamingScore(ndcg_score)
    stream.update([0, 1], [2, 1], qid=["a", "a"])
    assert_refused(lambda: stream.merge(copy.copy(stream)))


@pytest.mark.parametrize("make", COPIES, ids=lambda make: make.__name__)
def test_a_copy_is_not_merged_with_what_it_copied(make):
    stream = seen(1)
    copied = make(stream)
    for left, right in ((stream, copied), (copied, stream)):
        assert_refused(partial(left.merge, right))
        assert_refused(partial(left.merge, seen(1) + right))
        right.update(**BATCH)  # what is new does not make the rest so
        assert_refused(partial(left.merge, right))
    copied.reset()
    copied.update(**BATCH)
    assert stream.merge(copied).n_queries == 3


@pytest.mark.parametrize("make", COPIES, ids=lambda make: make.__name__)
def test_copies_of_an_empty_stream_are_streams_of_their_own(make):
    template = StreamingScore(ndcg_score)
    template.update(**empty_batches()[0])
    with pytest.raises(ValueError, match="parameter of ndcg_score must be"):
        template.update([[1, 0]], [[1, NAN]])
    parts = []
    for _ in range(3):
        random.seed(0)  # as in processes that were forked
        parts.append(updated(make(template), [BATCH]))
    assert template.merge(template).n_queries == 0
    template.merge(copy.copy(template)).update(**BATCH)
    assert sum([*parts, template]).n_queries == 4


def test_adding_changes_neither_side():
    left, right = seen(2), StreamingScore(ndcg_score)
    right.update([1, 0, 1], [1, 2, 3], qid=["a", "a", "b"])
    before = [what_it_says(each) for each in (left, right)]
    both = left + right
    assert what_it_says(both) == what_it_says(sum([right, left]))
    both.update([1], [1], qid=["c"])
    assert [what_it_says(each) for each in (left, right)] == before
    right.update([1], [1], qid=["c"])
    with pytest.raises(ValueError, match="the query with qid 'a' again"):
        both.update([1], [1], qid=["a"])
    alone = sum([left])
    assert alone is not left
    assert what_it_says(alone) == before[0]
    total = left
    total += right
    assert (total.n_queries, left.n_queries) == (5, 2)
    assert what_it_says(sum([left, right], start=StreamingScore(ndcg_score))) == what_it_says(
        total
    )


def test_what_cannot_be_added():
    stream = seen(1)
    for call in (
        lambda: stream + 0,
        lambda: 1 + stream,
        lambda: 0.0 + stream,
        lambda: stream + "",
        lambda: stream + dcg_score,
    ):
        with pytest.raises(TypeError, match=r"unsupported operand type\(s\) for \+|concatenate"):
            call()
    with pytest.raises(ValueError, match="other") as caught:
        stream + StreamingScore(ndcg_score, k=5)
    assert str(caught.value) == (
        "The 'other' parameter of StreamingScore.__add__ must be a stream of the same score and "
        "parameters. Got k=5 where this stream has k=None instead."
    )


STEPS = ["update", "update", "failed update", "copy", "reset", "merge", "merge", "add", "sum"]


@nothing_to_rank
@settings(deadline=None, max_examples=2 * settings().max_examples)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(STEPS), st.integers(0, 3), st.integers(0, 3), st.sampled_from(COPIES)
        ),
        max_size=40,
    )
)
def test_streams_merge_if_and_only_if_they_have_no_update_in_common(steps):
    streams = [StreamingScore(dcg_score) for _ in range(4)]
    updates = [frozenset()] * 4
    for number, (step, one, two, make) in enumerate(steps, start=1):
        said = list(map(what_it_says, streams))
        if step == "update":
            streams[one].update([[number]], [[1]])
            updates[one] |= {number}
        elif step == "failed update":
            with pytest.raises(ValueError, match="y_score"):
                streams[one].update([[number]], [[NAN]])
        elif step == "copy":
            streams[two], updates[two] = make(streams[one]), updates[one]
        elif step == "reset":
            streams[one].reset()
            updates[one] = frozenset()
        else:
            function = "merge" if step == "merge" else "__add__"
            call = {
                "merge": partial(streams[one].merge, streams[two]),
                "add": partial(operator.add, streams[one], streams[two]),
                "sum": partial(sum, [streams[one], streams[two]]),
            }[step]
            if updates[one] & updates[two]:
                assert_refused(call, function)
                assert list(map(what_it_says, streams)) == said
                continue
            result = call()
            if step != "merge":
                assert list(map(what_it_says, streams)) == said
            streams[one] = result
            updates[one] |= updates[two]
        for stream, known in zip(streams, updates, strict=True):
            labels = [[number] for number in sorted(known)]
            assert stream.n_queries == len(known)
            assert not known or stream.compute() == dcg_score(labels, np.ones((len(known), 1)))


def test_a_stream_that_goes_on_as_a_copy_does_not_grow():
    stream = seen(1)
    size = len(pickle.dumps(stream))
    for make in COPIES * 20:
        stream = updated(make(stream), [BATCH])
    assert stream.n_queries == 61
    assert len(pickle.dumps(stream)) <= size + 100
