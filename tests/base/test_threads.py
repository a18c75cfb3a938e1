"""Threads that share the blocks of queries: as many as joblib says, and the results of one."""

from __future__ import annotations

import copy
import gc
import pickle
import signal
import sys
import threading
import time
import tracemalloc
import weakref
from _thread import interrupt_main
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from contextvars import ContextVar
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from joblib import Parallel, cpu_count, delayed, parallel_backend, parallel_config
from raising import raises
from sklearn import config_context, get_config
from sklearn.exceptions import NotFittedError

from ranking_scores import (
    StreamingScore,
    dcg_score,
    hit_rate_score,
    mean_average_precision_score,
    ndcg_score,
    pairwise_accuracy_score,
    ranking_report,
)
from ranking_scores._base import _threads
from ranking_scores._base._threads import callers_turn, n_threads_of, share
from ranking_scores._metrics import _evaluate
from ranking_scores._queries import _blocks
from ranking_scores.ties import chance_level, tie_report

RNG = np.random.default_rng(0)
Y_TRUE = RNG.integers(0, 4, (200, 12)) * (RNG.random((200, 12)) < 0.4)
Y_SCORE = RNG.integers(0, 9, (200, 12)) / 2
N_THREADS = 4
PARTS = [range(start, start + 40) for start in range(0, 200, 40)]
two_threads = partial(parallel_config, backend="threading", n_jobs=2)


@pytest.fixture(autouse=True)
def cores_and_small_blocks(monkeypatch):
    """Let there be four cores, and many blocks; and look for threads that are left behind."""
    monkeypatch.setattr("joblib.cpu_count", lambda: N_THREADS)
    monkeypatch.setattr(_blocks, "_BLOCK_CELLS", 64)
    monkeypatch.setattr(_blocks, "_WIDE_BLOCK_ROWS", 2)
    yield
    assert "ranking_scores" not in {thread.name for thread in threading.enumerate()}


@pytest.fixture
def started(monkeypatch):
    """Return a list of the threads that start beside the one that calls."""
    threads = []

    class Recorded(threading.Thread):
        def start(self):
            threads.append(self)
            super().start()

    monkeypatch.setattr(_threads, "Thread", Recorded)
    return threads


class Together:
    """A function whose first calls wait for one another, so that each is in another thread."""

    def __init__(self, n_threads):
        self._barrier = threading.Barrier(n_threads, timeout=30)
        self._left = iter(range(n_threads))
        self.threads = set()

    def __call__(self, item):
        if next(self._left, None) is not None:
            self._barrier.wait()
        self.threads.add(threading.current_thread())
        return item


# --- how many ---------------------------------------------------------------------------------


def test_outside_of_joblibs_context_one_thread_scores(started):
    together = Together(1)
    kept = []
    share(together, kept.append, iter(range(9)))
    assert kept == list(range(9))
    assert together.threads == {threading.current_thread()}
    ndcg_score(Y_TRUE, Y_SCORE)
    assert started == []


@pytest.mark.parametrize("n_threads", [2, 3, N_THREADS])
def test_as_many_threads_work_as_the_context_says(n_threads):
    together = Together(n_threads)
    kept = []
    with parallel_config(n_jobs=n_threads):
        share(together, kept.append, iter(range(50)))
    assert sorted(kept) == list(range(50))
    assert len(together.threads) == n_threads
    assert threading.current_thread() in together.threads


def test_what_comes_of_the_work_is_kept_by_one_thread_at_a_time():
    lock, kept = threading.Lock(), []

    def keep(item):
        assert lock.acquire(blocking=False)
        time.sleep(0.001)
        kept.append(item)
        lock.release()

    share(Together(3), keep, iter(range(50)), n_jobs=3)
    assert sorted(kept) == list(range(50))


def test_there_are_no_more_threads_than_items(started):
    kept = []
    share(str, kept.append, iter(range(3)), n_jobs=N_THREADS)
    assert len(started) == 2
    share(str, kept.append, iter([3]), n_jobs=N_THREADS)
    assert len(started) == 2
    share(str, kept.append, iter(range(4, 6)), n_jobs=2)
    assert len(started) == 3
    assert sorted(kept) == list("012345")


@pytest.mark.parametrize("backend", ["threading", "loky", "multiprocessing", "sequential"])
def test_threads_are_taken_with_any_backend(backend):
    with parallel_config(backend=backend, n_jobs=2):
        assert n_threads_of(None) == (1 if backend == "sequential" else 2)
        assert n_threads_of(1) == 1
        assert n_threads_of(3) == (1 if backend == "sequential" else 3)
    with parallel_config(backend=backend):  # which says nothing of the number
        assert n_threads_of(None) == 1
    assert n_threads_of(None) == 1
    assert n_threads_of(2) == 2


def test_there_are_no_more_threads_than_cores():
    with parallel_config(n_jobs=1000):
        assert n_threads_of(None) == N_THREADS
    with parallel_backend("threading"):  # the older way, which means all cores
        assert n_threads_of(None) <= N_THREADS
    assert n_threads_of(1000) == N_THREADS


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_a_worker_of_a_search_scores_by_one_thread(backend):
    with parallel_config(backend=backend, n_jobs=2):
        assert Parallel()(delayed(n_threads_of)(None) for _ in range(4)) == [1] * 4
        # What does not run in parallel leaves the threads to the scores.
        assert Parallel(n_jobs=1)(delayed(n_threads_of)(None) for _ in range(4)) == [2] * 4


def test_a_score_that_a_function_of_the_caller_calls_has_one_thread(started):
    inner = []

    def gain(labels):
        inner.append((n_threads_of(None), n_threads_of(2)))
        return labels * ndcg_score(Y_TRUE, Y_TRUE, gain=lambda labels: labels + 1)

    with two_threads():
        value = ndcg_score(Y_TRUE, Y_SCORE, gain=gain)
        assert n_threads_of(None) == 2
    assert len(started) == 1
    assert value == ndcg_score(Y_TRUE, Y_SCORE)
    assert set(inner[1:]) == {(1, 1)}  # the first is asked before there are blocks


# --- the same results -------------------------------------------------------------------------


def layouts():
    """Return the same queries, or some of their items, in several layouts."""
    qid = np.repeat(RNG.permutation(200), 12)
    shuffled = RNG.permutation(qid.size)
    ragged = Y_TRUE.ravel()[shuffled], Y_SCORE.ravel()[shuffled]
    is_found = RNG.random(Y_SCORE.shape) < 0.5
    row, column = np.nonzero(is_found)
    start = np.searchsorted(row, np.arange(201))
    found = sp.csr_array((Y_SCORE[row, column], column, start), Y_SCORE.shape)
    return [
        ((Y_TRUE, Y_SCORE), {}),
        ((Y_TRUE, Y_SCORE), {"where": is_found}),
        ((sp.csr_array(Y_TRUE), Y_SCORE), {}),
        (ragged, {"qid": qid[shuffled]}),
        ((sp.coo_array(Y_TRUE), found), {}),
        ((RNG.integers(0, 12, 200), Y_SCORE), {"labels": np.arange(12)}),
    ]


def test_many_threads_on_the_same_data_do_not_disturb_one_another(monkeypatch):
    scores = [
        partial(ndcg_score, k=3),
        partial(ndcg_score, gain="exponential", discount=lambda rank: rank % 3),
        partial(mean_average_precision_score, k=[2, 5]),
        partial(hit_rate_score, k=4, ignore_ties=True),
    ]
    calls = [
        partial(score, *data, **more, average=None) for score in scores for data, more in layouts()
    ]
    calls.append(partial(pairwise_accuracy_score, Y_TRUE, Y_SCORE, average=None))
    expected = [call().tobytes() for call in calls]

    def in_threads(number):
        with two_threads():
            return calls[number]().tobytes() == expected[number]

    interval = sys.getswitchinterval()
    try:
        sys.setswitchinterval(1e-6)
        with ThreadPoolExecutor(6) as pool:
            assert all(pool.map(in_threads, RNG.integers(0, len(calls), 60).tolist()))
    finally:
        sys.setswitchinterval(interval)


@pytest.fixture
def often_switched():
    """Let threads take turns as often as Python can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def report_of(part):
    """Return two scores of some queries."""
    return ranking_report(Y_TRUE[part], Y_SCORE[part], scores=["ndcg", "map"], k=3).mean


@pytest.mark.usefixtures("often_switched")
def test_threads_score_stream_and_merge_at_once():
    # Each thread has a stream of its own, updates one that all share, and merges into another;
    # meanwhile others copy, pickle and sum what grows.
    scores = ["ndcg@3", "map@3"]
    shared, merged = StreamingScore(scores), StreamingScore(scores)
    qid = np.repeat(np.arange(200), 12).reshape(200, 12)
    begin = threading.Barrier(len(PARTS), timeout=60)
    expected = {part: report_of(part) for part in PARTS}

    def work(part):
        begin.wait()
        own = StreamingScore(scores)
        for row in part:
            batch = {"y_true": Y_TRUE[row], "y_score": Y_SCORE[row], "qid": qid[row]}
            own.update(**batch)
            shared.update(**batch)
            if row % 8 == 0:
                now = copy.copy(shared) + StreamingScore(scores)
                assert 0 < now.n_queries <= pickle.loads(pickle.dumps(shared)).n_queries
                assert report_of(part) == expected[part]
        assert own.compute() == expected[part]
        merged.merge(own)

    with ThreadPoolExecutor(len(PARTS)) as pool:
        list(pool.map(work, PARTS))
    for stream in (shared, merged):
        assert stream.n_queries == 200
        assert stream.compute() == report_of(range(200))


class Emptied(StreamingScore):
    """A stream that is reset, as by another thread, as soon as its state has been read."""

    def __getattribute__(self, name):
        value = super().__getattribute__(name)
        if name == "_totals" and value.n_queries:
            self.reset()
        return value


def test_a_stream_that_another_thread_resets_is_computed_as_a_whole():
    stream = Emptied(ndcg_score)
    stream.update(Y_TRUE, Y_SCORE)
    assert stream.compute() == ndcg_score(Y_TRUE, Y_SCORE)
    with pytest.raises(NotFittedError):
        stream.compute()


@pytest.mark.usefixtures("often_switched")
def test_threads_that_merge_the_same_stream_merge_it_once():
    part = StreamingScore(ndcg_score)
    part.update(Y_TRUE, Y_SCORE)
    into = StreamingScore(ndcg_score)
    refused = []

    def work(_):
        try:
            into.merge(part)
        except ValueError as error:
            refused.append(str(error))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(40)))
    assert into.n_queries == 200
    assert len(refused) == 39
    assert {each.partition(" Got ")[0] for each in refused} == {
        "The 'other' parameter of StreamingScore.merge must be a stream of other updates."
    }


@pytest.mark.usefixtures("often_switched")
def test_threads_read_the_first_results_of_one_report():
    # What is worked out when it is asked for, is worked out by several threads at once.
    report = ranking_report(Y_TRUE, Y_SCORE, scores="ndcg")
    expected = ranking_report(Y_TRUE, Y_SCORE, scores="ndcg")
    with ThreadPoolExecutor(8) as pool:
        shown = set(pool.map(lambda _: (str(report), *report.standard_error.values()), range(40)))
    assert shown == {(str(expected), *expected.standard_error.values())}


def test_weights_of_items_weigh_queries_alike():
    weight = RNG.choice([0, 1, 2.5], Y_TRUE.shape)
    call = partial(ndcg_score, Y_TRUE, Y_SCORE, item_weight=weight, sample_weight=Y_TRUE[:, 0] + 1)
    with two_threads():
        in_threads = call()
    assert in_threads == call()


def test_every_caller_scores_by_threads(started):
    def stream():
        scores = StreamingScore(ndcg_score)
        scores.update(Y_TRUE, Y_SCORE)
        return scores.compute()

    callers = [
        stream,
        lambda: repr(tie_report(Y_TRUE, Y_SCORE, score=ndcg_score)),
        lambda: chance_level(Y_TRUE, score=ndcg_score),
        lambda: repr(ranking_report(Y_TRUE, Y_SCORE, ties=True, chance=True)),
    ]
    for caller in callers:
        expected = caller()
        n_started = len(started)
        with two_threads():
            assert caller() == expected
        assert len(started) > n_started


def test_a_report_has_jobs_of_its_own(started):
    def report(n_jobs):
        options = {"by": np.arange(200) % 3, "ties": True, "chance": True}
        made = ranking_report(Y_TRUE, Y_SCORE, n_jobs=n_jobs, **options)
        return repr(made), [values.tobytes() for values in made.per_query.values()]

    expected = report(None)
    assert started == []
    assert report(2) == expected
    assert len(started) == 2  # one for the data, one for what chance scores
    assert report(np.int64(-1)) == expected
    n_started = 2 + 2 * (min(cpu_count(), N_THREADS) - 1)
    assert len(started) == n_started
    with two_threads():
        assert report(1) == expected
        assert len(started) == n_started
        assert report(None) == expected
    assert len(started) == n_started + 2


@pytest.mark.parametrize(
    ("n_jobs", "got"), [(0, "0"), (True, "True"), (1.5, "1.5"), ("all", "'all'")]
)
def test_n_jobs_are_none_or_some(n_jobs, got):
    with raises("n_jobs", "other than 0", function="ranking_report", got=got):
        ranking_report(Y_TRUE, Y_SCORE, n_jobs=n_jobs)


# --- what runs around the blocks --------------------------------------------------------------


def test_a_function_of_the_caller_is_called_by_one_thread_at_a_time():
    lock, threads = threading.Lock(), set()

    def gain(labels):
        assert lock.acquire(blocking=False)
        threads.add(threading.current_thread())
        time.sleep(0.001)
        lock.release()
        return labels + 1.0

    scores = {"ndcg": ndcg_score, "dcg": dcg_score}
    report = ranking_report(Y_TRUE, Y_SCORE, scores=scores, k=5, gain=gain, n_jobs=4)
    assert len(threads) > 1
    assert report["dcg@5"] == dcg_score(Y_TRUE, Y_SCORE, k=5, gain=gain)
    assert isinstance(callers_turn(), nullcontext)  # nobody waits for his turn any more


def test_settings_of_the_thread_that_calls_hold_in_the_others():
    setting = ContextVar("setting", default="none")
    seen = {}

    def gain(labels):
        settings = np.geterr()["divide"], get_config()["working_memory"], setting.get()
        seen[threading.current_thread()] = settings
        time.sleep(0.001)
        return labels

    setting.set("mine")
    with np.errstate(divide="raise"), config_context(working_memory=77), two_threads():
        ndcg_score(Y_TRUE, Y_SCORE, gain=gain)
    assert len(seen) == 2
    assert set(seen.values()) == {("raise", 77, "mine")}
    assert get_config()["working_memory"] != 77


def test_what_is_no_error_in_one_thread_is_none_in_others():
    # Sums of gains that underflow, and queries without a relevant item: 0 / 0.
    weight = np.full(Y_TRUE.shape, 1e-10 / 3)
    call = partial(ndcg_score, Y_TRUE * 1e-300, Y_SCORE, item_weight=weight)
    with np.errstate(all="raise"):
        expected = call(), mean_average_precision_score(Y_TRUE, Y_SCORE)
        with two_threads():
            assert (call(), mean_average_precision_score(Y_TRUE, Y_SCORE)) == expected


def test_memory_grows_by_a_block_for_each_thread(monkeypatch):
    monkeypatch.undo()  # blocks of the usual size
    monkeypatch.setattr("joblib.cpu_count", lambda: 2)
    monkeypatch.setattr(_evaluate, "_LARGER_THAN_BLOCKS", 1)
    y_score = RNG.random((20_000, 128))
    y_true = np.round(y_score * RNG.random((20_000, 128)) * 4)
    peaks = []
    for n_jobs in (1, 2):
        with parallel_config(n_jobs=n_jobs):
            tracemalloc.start()
            ndcg_score(y_true, y_score)
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    block = 8 * _blocks._BLOCK_CELLS
    assert peaks[1] < 2 * peaks[0] < 2 * 16 * block < y_score.nbytes


# --- errors -----------------------------------------------------------------------------------


def test_the_error_is_that_of_the_first_item():
    def work(item):
        if item in (7, 8, 9):
            time.sleep((9 - item) / 50)
            raise ValueError(item)
        return item

    for _ in range(5):
        kept = []
        with pytest.raises(ValueError, match=r"^7$"):
            share(work, kept.append, iter(range(100)), n_jobs=3)
        assert set(range(7)) <= set(kept)


def test_an_error_ends_the_work_of_the_others():
    def work(item):
        if item == 7:
            raise ValueError(item)
        time.sleep(0.002)
        return item

    kept = []
    with pytest.raises(ValueError, match=r"^7$"):
        share(work, kept.append, iter(range(300)), n_jobs=3)
    assert len(kept) < 100


@pytest.mark.parametrize(
    "spoil",
    [
        lambda y_true, y_score: y_score.__setitem__((slice(90, None, 7), 3), np.nan),
        lambda y_true, y_score: y_true.__setitem__((slice(90, None, 7), 3), -1),
    ],
)
def test_errors_about_data_are_those_of_one_thread(spoil):
    y_true, y_score = Y_TRUE.astype(float), Y_SCORE.copy()
    spoil(y_true, y_score)
    with pytest.raises(ValueError, match="query 90") as expected:
        ndcg_score(y_true, y_score)
    for _ in range(5):
        with two_threads(), pytest.raises(ValueError, match="query 90") as caught:
            ndcg_score(y_true, y_score)
        assert str(caught.value) == str(expected.value)
        assert type(caught.value) is type(expected.value)


def test_an_error_holds_nothing_once_it_is_handled():
    class Gain:
        def __call__(self, labels):
            if labels.max() == 3:
                raise RuntimeError("enough")
            return labels

    gain = Gain()
    left = weakref.ref(gain)
    gc.collect()
    gc.disable()
    try:
        with two_threads(), pytest.raises(RuntimeError, match="enough") as caught:
            ndcg_score(Y_TRUE, Y_SCORE, gain=gain)
        del caught, gain
        assert left() is None
    finally:
        gc.enable()


@pytest.fixture
def interruptible():
    """Let the main thread be interrupted, as it cannot be in a process of pytest-xdist."""
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, handler)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_of_the_thread_that_calls_ends_the_others():
    began, interrupted = [], []

    def work(item):
        if threading.current_thread() is not threading.main_thread() and not interrupted:
            interrupted.append(item)
            interrupt_main()
        began.append(item)
        time.sleep(0.01)
        return item

    with pytest.raises(KeyboardInterrupt):
        share(work, len, map(list, map(str, range(300))), n_jobs=2)
    assert len(began) < 100


def test_an_interrupt_while_it_waits_for_the_others_ends_them(monkeypatch):
    joined = []

    def interrupted(threads):
        joined.append([thread.is_alive() for thread in threads])
        if len(joined) == 1:
            raise KeyboardInterrupt
        for thread in threads:
            thread.join()

    def work(item):
        time.sleep(0.1 * (threading.current_thread() is not threading.main_thread()))
        return item

    monkeypatch.setattr(_threads, "_join", interrupted)
    with pytest.raises(KeyboardInterrupt):
        share(work, str, iter(range(9)), n_jobs=2)
    assert len(joined) == 2


@pytest.mark.parametrize(
    ("later", "raised"),
    [
        (KeyboardInterrupt, KeyboardInterrupt),
        (SystemExit, ValueError),
        (GeneratorExit, ValueError),
        (TypeError, ValueError),
    ],
)
def test_an_interrupt_comes_before_any_error_and_an_earlier_error_before_the_rest(later, raised):
    def work(item):
        if item == 1:
            raise later
        if item == 0:
            time.sleep(0.05)
            raise ValueError(item)
        return item

    with pytest.raises(raised):
        share(work, str, iter(range(9)), n_jobs=2)


def test_a_thread_that_does_not_start_leaves_none_behind(monkeypatch):
    class Refused(threading.Thread):
        n_started = 0

        def start(self):
            Refused.n_started += 1
            if Refused.n_started == 3:
                raise RuntimeError("can't start new thread")
            super().start()

    monkeypatch.setattr(_threads, "Thread", Refused)
    with pytest.raises(RuntimeError, match="can't start"):
        share(str, len, iter(range(99)), n_jobs=4)
    assert Refused.n_started == 3


def test_a_second_interrupt_leaves_nobody_waiting_for_a_turn(monkeypatch):
    def interrupted(threads):
        raise KeyboardInterrupt

    monkeypatch.setattr(_threads, "_join", interrupted)
    with pytest.raises(KeyboardInterrupt):
        share(str, len, iter(range(9)), n_jobs=2)
    assert isinstance(callers_turn(), nullcontext)
    for thread in threading.enumerate():
        if thread.name == "ranking_scores":
            thread.join()
