"""What fails in the middle leaves streams, files, inputs and settings as they were.

A function of the caller's, a table, a file, a disk or a process fails; Ctrl-C comes at any moment.
Workers of Dask and of Spark that die are in `test_scale_dask` and `test_scale_spark`, threads that
fail in `test_threads`, and the output of the command in `test_command_line`.
"""

from __future__ import annotations

import errno
import gc
import inspect
import io
import os
import pickle
import signal
import stat
import subprocess
import sys
import threading
import time
import warnings
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from copy import copy
from functools import partial
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
import scipy.sparse as sp
from fault_workers import dies_on, plain_gain
from joblib import Parallel, delayed, parallel_config
from matplotlib.figure import Figure
from sklearn import config_context, get_config
from sklearn.base import BaseEstimator, RegressorMixin

from ranking_scores import (
    StreamingScore,
    dcg_score,
    make_ranking_scorer,
    ndcg_score,
    ranking_report,
    scale,
    streaming,
)
from ranking_scores.__main__ import main
from ranking_scores._files import _compressed, _saved_files, _trec_files
from ranking_scores._metrics import _evaluate, _named, _sums_of_scores
from ranking_scores._queries import _blocks
from ranking_scores.plotting import RankingCurveDisplay
from ranking_scores.rankers import QueryRanker
from ranking_scores.significance import compare, confidence_interval
from ranking_scores.streaming import whole_queries
from ranking_scores.tables import from_table
from ranking_scores.ties import chance_level, tie_report
from ranking_scores.trec import read_qrels, read_run, write_run

PACKAGE = Path(_saved_files.__file__).parents[1]
RNG = np.random.default_rng(0)
Y_TRUE = RNG.integers(0, 4, (60, 6)).astype(float)
Y_SCORE = RNG.integers(0, 9, (60, 6)) / 2
QID = np.repeat(np.arange(60), 6)
NO_SPACE = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Let there be many blocks, so that the caller's functions can fail at a later one."""
    monkeypatch.setattr(_blocks, "_BLOCK_CELLS", 64)


# --- functions of the caller's ----------------------------------------------------------------


class FailsAt:
    """A gain, or a discount, of which one call fails."""

    def __init__(self, error, number):
        self._error, self._left = error, number

    def __call__(self, values):
        self._left -= 1
        if self._left == 0:
            raise self._error
        return values / 2 + 1


class Model(RegressorMixin, BaseEstimator):
    """A model that predicts the first feature, and may fail."""

    def fit(self, X, y, fails=plain_gain):
        fails(np.asarray(y))
        self.n_features_in_ = 1
        return self

    def predict(self, X):
        return np.asarray(X)[:, 0]


def score_rows(gain, y_true, y_score, qid):
    return ndcg_score(y_true.reshape(60, 6), y_score.reshape(60, 6), gain=gain, average=None)


def score_threads(gain, y_true, y_score, qid):
    with parallel_config(n_jobs=2):
        return dcg_score(y_true, y_score, qid=qid, gain=gain, average=None)


def score_discounted(discount, y_true, y_score, qid):
    return dcg_score(y_true, y_score, qid=qid, discount=discount, average=None)


def score_sparse(gain, y_true, y_score, qid):
    rows, columns = qid[::-1], np.tile(np.arange(6), 60)  # in no order, which SciPy might mend
    labels, found = (
        sp.coo_array((each[::-1], (rows, columns)), (60, 6)) for each in (y_true, y_score)
    )
    before = [each.data.tobytes() + each.coords[0].tobytes() for each in (labels, found)]
    try:
        return ndcg_score(labels, found, gain=gain, average=None)
    finally:
        after = [each.data.tobytes() + each.coords[0].tobytes() for each in (labels, found)]
        assert after == before


def report(gain, y_true, y_score, qid):
    scores = {"a": partial(ndcg_score, gain=gain), "b": partial(dcg_score, gain=gain)}
    found = ranking_report(y_true, y_score, qid=qid, scores=scores, by={"half": qid // 30})
    return found.per_query["b@10"] if "b@10" in found.per_query else found.per_query["b"]


def ties(gain, y_true, y_score, qid):
    return tie_report(y_true, y_score, score=partial(ndcg_score, gain=gain), qid=qid).expected


def chance(gain, y_true, y_score, qid):
    return chance_level(y_true, score=partial(ndcg_score, gain=gain), qid=qid)


def both_systems(gain, y_true, y_score, qid):
    reports = [
        ranking_report(y_true, each, qid=qid, k=5, scores=partial(dcg_score, gain=gain))
        for each in (y_score, -y_score)
    ]
    interval = confidence_interval(reports[0], random_state=0)
    return np.append(interval.low, compare(*reports, random_state=0).pvalue)


def stream_updated(gain, y_true, y_score, qid):
    stream = StreamingScore(dcg_score, gain=gain)
    stream.update(y_true, y_score, qid=qid)
    return stream.compute()


def scorer(gain, y_true, y_score, qid):
    with config_context(enable_metadata_routing=True):
        of_rows = make_ranking_scorer(dcg_score, gain=gain).set_score_request(qid=True)
        return of_rows(Model().fit(y_score[:, None], y_true), y_score[:, None], y_true, qid=qid)


def ranker(gain, y_true, y_score, qid):
    model = QueryRanker(Model()).fit(y_score[:, None], y_true, qid=qid[::-1], fails=gain)
    return model.predict(y_score[:, None])


def curve(gain, y_true, y_score, qid):
    ax = Figure().subplots()
    try:
        RankingCurveDisplay.from_predictions(
            y_true, y_score, score=dcg_score, k=[1, 2], qid=qid, gain=gain, ax=ax
        )
    except BaseException:
        assert not ax.lines
        assert not ax.get_xlabel()
        raise
    return ax.lines[0].get_ydata()


CALLERS = [
    score_rows,
    score_threads,
    score_discounted,
    score_sparse,
    report,
    ties,
    chance,
    both_systems,
    stream_updated,
    scorer,
    ranker,
    curve,
]


def settings_of_the_process():
    """Return what a call must leave as it was."""
    names = {thread.name for thread in threading.enumerate()}
    return np.geterr(), get_config(), warnings.filters[:], names, random_state_of_numpy()


def random_state_of_numpy():
    return pickle.dumps(np.random.get_state())  # noqa: NPY002


@pytest.mark.parametrize("caller", CALLERS, ids=lambda caller: caller.__name__)
def test_a_function_that_fails_changes_nothing(caller):
    arrays = [Y_TRUE.ravel().copy(), Y_SCORE.ravel().copy(), QID.copy()]
    before = [each.tobytes() for each in arrays]
    expected = np.asarray(caller(FailsAt(None, 0), *arrays)).tobytes()
    settings = settings_of_the_process()
    n_failed = 0
    for error in (ZeroDivisionError(), KeyboardInterrupt(), MemoryError(), SystemExit()):
        for number in (1, 2, 5):
            failing = FailsAt(error, number)
            with suppress(type(error)):
                caller(failing, *arrays)
            n_failed += failing._left <= 0
            assert [each.tobytes() for each in arrays] == before
            assert all(each.flags.writeable for each in arrays)
            assert settings_of_the_process() == settings
    assert n_failed >= 4
    assert np.asarray(caller(FailsAt(None, 0), *arrays)).tobytes() == expected


class Fails:
    """An array-like that fails when it is read."""

    def __init__(self, error):
        self._error = error

    def __array__(self, dtype=None, copy=None):
        raise self._error

    def __len__(self):
        raise self._error


@pytest.mark.parametrize("error", [ZeroDivisionError(), KeyboardInterrupt(), NO_SPACE])
def test_data_that_fails_is_read_again(error):
    stream = StreamingScore(ndcg_score)
    columns = {"y_true": Y_TRUE.ravel(), "y_score": Y_SCORE.ravel(), "qid": QID}
    for name in columns:
        before = pickle.dumps(stream)
        failing = columns | {name: Fails(error)}
        for call in (partial(ndcg_score, **failing), partial(stream.update, **failing)):
            with pytest.raises(type(error)):
                call()
        assert pickle.dumps(stream) == before
        with pytest.raises(type(error)):
            from_table(failing, query="qid", label="y_true", score="y_score")
    stream.update(**columns)
    assert stream.compute() == ndcg_score(**columns)


# --- streams ----------------------------------------------------------------------------------


def of_queries(start, stop):
    """Return a batch of the arguments of some queries."""
    rows = slice(6 * start, 6 * stop)
    return {"y_true": Y_TRUE.ravel()[rows], "y_score": Y_SCORE.ravel()[rows], "qid": QID[rows]}


def stream_of(start, stop, **params):
    stream = StreamingScore(["ndcg", "dcg@3"], **params)
    stream.update(**of_queries(start, stop))
    return stream


def state_of(stream):
    """Return what a stream knows, in an order of its own."""
    return stream._totals, sorted(stream._ids), sorted(stream._origins), repr(stream)


def knows(stream):
    """Return the same without the marks of updates, which are by chance."""
    totals, ids, origins, shown = state_of(stream)
    return totals, ids, len(origins), shown


STEPS = {
    "update": lambda stream, _: stream.update(**of_queries(20, 40)),
    "first update": lambda stream, _: (stream.reset(), stream.update(**of_queries(20, 40))),
    "merge": lambda stream, other: stream.merge(other),
    "reset": lambda stream, _: stream.reset(),
    "add": lambda stream, other: stream + other,
    "copy": lambda stream, _: pickle.loads(pickle.dumps(stream)),
}


@contextmanager
def interrupted_at(moment):
    """Raise KeyboardInterrupt where a call of some modules begins, or one of C ends there.

    Those are the moments at which Python handles a Ctrl-C. They are numbered from 1.
    """
    n_moments, files = (
        0,
        {each.__file__ for each in (streaming, _evaluate, _named, _sums_of_scores)},
    )

    def profile(frame, event, argument):
        nonlocal n_moments
        frames = (frame, frame.f_back) if event == "call" else (frame,)
        is_ours = any(each.f_code.co_filename in files for each in frames)
        is_generator = frame.f_code.co_flags & inspect.CO_GENERATOR  # which has an end, too
        if is_ours and not is_generator and event in ("call", "c_return"):
            n_moments += 1
            if n_moments == moment:
                sys.setprofile(None)
                raise KeyboardInterrupt

    sys.setprofile(profile)
    try:
        yield lambda: n_moments
    finally:
        sys.setprofile(None)


@pytest.mark.parametrize("name", STEPS)
def test_an_interrupt_at_any_call_leaves_a_stream_before_or_after(name):
    began, other = stream_of(0, 20), stream_of(40, 60)
    of_other = state_of(other)
    ended = copy(began)
    with interrupted_at(0) as count_moments:  # at none
        STEPS[name](ended, other)
    states = [knows(began), knows(StreamingScore(["ndcg", "dcg@3"])), knows(ended)]
    n_moments = count_moments()
    # Not all moments at which parameters are compared: the first, the last and some between.
    last = range(n_moments - 30, n_moments + 1)
    between = np.linspace(1, n_moments, 60).astype(int).tolist()
    for moment in sorted({*range(1, n_moments + 1)} & {*range(10), *between, *last}):
        stream = copy(began)
        with pytest.raises(KeyboardInterrupt), interrupted_at(moment):
            STEPS[name](stream, other)
        assert knows(stream) in states
        assert dcg_score([[1, 0]], [[2, 1]]) == 1  # and no plan, as streams make
        assert moment > 9 or knows(stream) == states[0] or name in ("first update", "reset")
        assert state_of(other) == of_other
    assert not streaming._LOCK.locked()


@pytest.fixture
def alarm():
    """Return what interrupts this thread after a number of seconds, as Ctrl-C would."""
    if not hasattr(signal, "setitimer"):
        pytest.skip("there is no timer")

    def interrupt(*_):
        raise KeyboardInterrupt

    # Neither what measures the coverage, which has locks of its own, nor what Hypothesis lets the
    # collection of garbage call, which no error can leave, is interrupted.
    tracer = sys.gettrace()
    sys.settrace(None)
    gc.disable()
    before = signal.signal(signal.SIGALRM, interrupt)
    yield partial(signal.setitimer, signal.ITIMER_REAL)
    signal.signal(signal.SIGALRM, signal.SIG_IGN)  # also one that has come and not been handled
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)
    gc.enable()
    sys.settrace(tracer)


@pytest.mark.parametrize("name", ["update", "first update", "merge"])
def test_an_interrupt_at_any_time_leaves_a_stream_before_or_after(name, alarm):
    other = stream_of(40, 60)
    began = stream_of(0, 20)
    durations = []
    for _ in range(5):
        ended = copy(began)
        start = time.perf_counter()
        STEPS[name](ended, other)
        durations.append(time.perf_counter() - start)
    states = [knows(began), knows(StreamingScore(["ndcg", "dcg@3"])), knows(ended)]
    n_interrupted = 0
    for delay in np.linspace(1e-6, min(durations), 100).tolist():
        stream = copy(began)
        try:
            alarm(delay)
            STEPS[name](stream, other)
            alarm(0)
        except KeyboardInterrupt:
            n_interrupted += 1
        assert knows(stream) in states
    assert n_interrupted > 0
    assert not streaming._LOCK.locked()


class Id:
    """An id that can be compared until it fails."""

    n_left = 10**9

    def __init__(self, name):
        self.name = name

    def __hash__(self):
        return ord(self.name)

    def __eq__(self, other):
        Id.n_left -= 1
        if Id.n_left == 0:
            raise ZeroDivisionError
        return self.name == getattr(other, "name", None)

    def __lt__(self, other):
        return self.name < other.name

    def __repr__(self):
        return self.name


def test_ids_that_fail_leave_a_stream_as_it_was(monkeypatch):
    def batch(names):
        qid = np.array([Id(name) for name in names], dtype=object)
        return {"y_true": [1] * len(names), "y_score": [1] * len(names), "qid": qid}

    def stream_of_ids(names):
        stream = StreamingScore(ndcg_score)
        stream.update(**batch(names))
        return stream

    for step in (
        lambda stream: stream.update(**batch("xyz")),
        lambda stream: stream.update(**batch("xyc")),
        lambda stream: stream.merge(stream_of_ids("cde")),
    ):
        n_failed = 0
        for number in range(1, 40):
            stream = stream_of_ids("abc")
            before = stream._totals, {*map(id, stream._ids)}, {*stream._origins}
            monkeypatch.setattr(Id, "n_left", number)
            with suppress(ZeroDivisionError, ValueError):
                step(stream)
            n_failed += Id.n_left <= 0
            monkeypatch.setattr(Id, "n_left", 10**9)
            after = stream._totals, {*map(id, stream._ids)}, {*stream._origins}
            assert after == before or stream.n_queries == len(stream._ids) == 6
        assert n_failed


@pytest.mark.parametrize("error", [ZeroDivisionError(), KeyboardInterrupt(), NO_SPACE])
def test_batches_that_fail_leave_a_stream_with_those_before(error):
    def batches():
        for start in range(0, 200, 50):  # cuts queries of 6 rows
            rows = slice(start, start + 50)
            yield {name: each[rows] for name, each in of_queries(0, 60).items()}
        raise error

    def update():
        for batch in whole:
            stream.update(**batch)

    stream = StreamingScore(dcg_score)
    whole = whole_queries(batches(), qid="qid")
    with pytest.raises(type(error)):
        update()
    n_queries = 200 // 6  # the rows of the last one are not whole
    assert stream.n_queries == n_queries
    assert stream.compute() == dcg_score(Y_TRUE[:n_queries], Y_SCORE[:n_queries])
    assert list(whole) == []
    rest = {name: each[6 * n_queries :] for name, each in of_queries(0, 60).items()}
    stream.update(**rest)
    assert stream.compute() == dcg_score(Y_TRUE, Y_SCORE)


# --- processes --------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_worker_that_is_killed_leaves_the_stream_of_the_caller():
    stream = StreamingScore(dcg_score, gain=plain_gain)
    stream.update(Y_TRUE[:20], Y_SCORE[:20])
    before = pickle.dumps(stream)

    def streams(dying):
        parts = [(slice(20, 40), False), (slice(40, 60), dying)]
        work = (delayed(dies_on)(Y_TRUE[part], Y_SCORE[part], dies=dies) for part, dies in parts)
        return Parallel(n_jobs=2)(work)

    with pytest.raises(BrokenProcessPool):
        stream.merge(sum(streams(dying=True)))
    assert pickle.dumps(stream) == before
    stream.merge(sum(streams(dying=False)))
    assert stream.compute() == dcg_score(Y_TRUE, Y_SCORE, gain=plain_gain)


# --- files that are written -------------------------------------------------------------------


SCORES = RNG.random((200, 40))
IDS = [f"query-{number}" for number in range(200)], [f"item-{number}" for number in range(40)]


@contextmanager
def full_disk(n_bytes):
    """Let no file of this process be longer: what is beyond cannot be written."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def contents_of(folder):
    return {each.name: each.read_bytes() for each in folder.iterdir()}


def parquet_of(path, n_queries=2000):
    """Write a Parquet file of some queries, and return its path."""
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    qid = np.repeat(np.arange(n_queries), 6)
    columns = {"user": qid, "label": RNG.integers(0, 3, qid.size), "score": RNG.random(qid.size)}
    parquet.write_table(pa.table(columns), path)
    return path


def write_values(path, source, gain="linear", n_jobs=1):
    options = {"batch_rows": 600, "path": path, "gain": gain, "n_jobs": n_jobs}
    columns = {"label": "label", "score": "score", "query": "user"}
    scale.per_query(source, **columns, scores="dcg", **options)


def write_rows(path, source):
    write_run(path, SCORES, *IDS)


WRITERS = {
    "run.txt": write_rows,
    "run.txt.gz": write_rows,
    "out.parquet": write_values,
    "out.csv": write_values,
}


@pytest.mark.parametrize("before", [None, b"what was there"])
@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_leaves_the_files_that_were_there(tmp_path, name, before):
    source = None
    if WRITERS[name] is write_values:
        source = parquet_of(tmp_path / "in.parquet")
    if before is not None:
        (tmp_path / name).write_bytes(before)
    contents = contents_of(tmp_path)
    for n_bytes in (0, 100, 5000, 9000):
        with full_disk(n_bytes), pytest.raises(OSError, match="too large") as caught:
            WRITERS[name](tmp_path / name, source)
        assert caught.value.errno == errno.EFBIG
        assert contents_of(tmp_path) == contents
    WRITERS[name](tmp_path / name, source)
    assert (tmp_path / name).stat().st_size > 9000
    assert contents_of(tmp_path).keys() == contents.keys() | {name}


@pytest.mark.parametrize("error", [ZeroDivisionError(), KeyboardInterrupt(), NO_SPACE])
@pytest.mark.parametrize("name", WRITERS)
def test_a_failure_in_the_middle_leaves_the_files_that_were_there(
    tmp_path, name, error, monkeypatch
):
    if WRITERS[name] is write_values:
        fails = partial(write_values, source=parquet_of(tmp_path / "in.parquet"))
        fails.keywords["gain"] = FailsAt(error, 7)
    else:

        def lines():
            for number in range(10_000):
                yield f"{number}\n"
            raise error

        def fails(path):
            _trec_files.write_lines(str(path), lines())

    (tmp_path / name).write_bytes(b"what was there")
    contents = contents_of(tmp_path)
    with pytest.raises(type(error)) as caught:
        fails(tmp_path / name)
    assert caught.value is error
    assert contents_of(tmp_path) == contents
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", FailsAt(error, 1))
        with pytest.raises((type(error), TypeError)):
            WRITERS[name](tmp_path / name, tmp_path / "in.parquet")
    assert contents_of(tmp_path) == contents


@pytest.mark.long
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no such signal")
@pytest.mark.parametrize("number", ["SIGTERM", "SIGKILL"])
@pytest.mark.parametrize("has_no_name", [True, False])
def test_a_killed_process_leaves_the_file_that_was_there(tmp_path, number, has_no_name):
    if has_no_name and not hasattr(os, "O_TMPFILE"):
        pytest.skip("the system has no files without a name")
    path = tmp_path / "run.txt"
    path.write_bytes(b"what was there")
    code = f"""
import os, signal
if not {has_no_name}:
    vars(os).pop("O_TMPFILE", None)
from ranking_scores._files._trec_files import write_lines
def lines():
    for number in range(100_000):
        yield f"{{number}}\\n"
    os.kill(os.getpid(), signal.{number})
write_lines({str(path)!r}, lines())
"""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(PACKAGE.parent), *sys.path])}
    status = subprocess.run([sys.executable, "-c", code], env=environment, check=False).returncode
    assert status == -getattr(signal, number)
    assert path.read_bytes() == b"what was there"
    parts = list(tmp_path.glob(".run.txt.*"))
    if has_no_name:
        assert not parts
    else:
        [part] = parts
        assert part.stat().st_size > 100_000
        write_run(path, [[1]], ["q"], ["d"])
        assert part.exists()  # since it may be that of a process that goes on
        os.utime(part, times=(0, 0))
    write_run(path, [[1]], ["q"], ["d"])
    assert path.read_text() == "q Q0 d 1 1.0 ranking_scores\n"
    assert [each.name for each in tmp_path.iterdir()] == ["run.txt"]


def test_a_file_that_is_being_written_is_not_removed(tmp_path, monkeypatch):
    monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    path = tmp_path / "run.txt"
    with _saved_files.atomic_write(path) as file:
        [part] = tmp_path.glob(".run.txt.*")
        os.utime(part, times=(0, 0))
        write_run(path, [[1]], ["q"], ["d"])
        assert part.exists()
        file.write(b"later")
    assert path.read_bytes() == b"later"


def test_files_are_written_where_none_is_without_a_name(tmp_path, monkeypatch):
    def fails(*_):
        raise OSError(errno.EOPNOTSUPP, "not here")

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", fails)
        write_run(tmp_path / "run.txt", [[1]], ["q"], ["d"])
    assert (tmp_path / "run.txt").read_text() == "q Q0 d 1 1.0 ranking_scores\n"


def test_abandoned_files_go_without_locks(tmp_path, monkeypatch):
    part = tmp_path / (".run.txt." + "0" * 32)
    part.write_bytes(b"left")
    os.utime(part, times=(0, 0))
    monkeypatch.setitem(sys.modules, "fcntl", None)  # as on Windows
    write_run(tmp_path / "run.txt", [[1]], ["q"], ["d"])
    assert not part.exists()


@pytest.mark.skipif(os.name != "posix", reason="modes and links are others there")
def test_a_file_that_is_replaced_stays_what_it_is(tmp_path):
    path, link = tmp_path / "run.txt", tmp_path / "link"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_run(link, [[1]], ["q"], ["d"])
    assert link.is_symlink()
    assert path.read_text() == "q Q0 d 1 1.0 ranking_scores\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    longest = tmp_path / ("é" * 120)  # of 240 bytes
    write_run(longest, [[1]], ["q"], ["d"])
    assert longest.read_text() == path.read_text()


@pytest.mark.skipif(os.name != "posix", reason="there are no such files")
def test_what_is_no_file_is_written_as_it_is(tmp_path, capfd):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    read = []
    reader = threading.Thread(target=lambda: read.append(fifo.read_text()))
    reader.start()
    write_run(fifo, [[1]], ["q"], ["d"])
    reader.join(30)
    assert read == ["q Q0 d 1 1.0 ranking_scores\n"]
    assert stat.S_ISFIFO(fifo.stat().st_mode)
    write_run("/dev/stdout", [[1]], ["q"], ["d"])
    assert capfd.readouterr().out == read[0]
    write_run(os.devnull, [[1]], ["q"], ["d"])
    assert not os.path.isfile(os.devnull)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_device_that_is_full():
    with pytest.raises(OSError, match="No space left"):
        write_run("/dev/full", SCORES, *IDS)


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    for path, error in (
        (tmp_path / "nowhere" / "run.txt", FileNotFoundError),
        (tmp_path, IsADirectoryError),
        (tmp_path / ("x" * 300), OSError),
    ):
        with pytest.raises(error) as caught:
            write_run(path, [[1]], ["q"], ["d"])
        assert caught.value.filename == str(path)
    assert not contents_of(tmp_path)


# --- files that are read ----------------------------------------------------------------------


class Breaks(io.FileIO):
    """A file on a disk that breaks behind some bytes."""

    opened: ClassVar[list[Breaks]] = []
    error = OSError(errno.EIO, os.strerror(errno.EIO))
    n_bytes = 3000

    def readinto(self, buffer):
        if self.tell() >= self.n_bytes:
            raise self.error
        return super().readinto(memoryview(buffer)[:500])


@pytest.fixture
def breaking(monkeypatch):
    """Let files of TREC break, and return those that were opened."""

    def opens(path, mode):
        Breaks.opened.append(Breaks(path, mode))
        return io.BufferedReader(Breaks.opened[-1], 500)

    monkeypatch.setattr(Breaks, "opened", [])
    monkeypatch.setattr(_compressed, "open", opens, raising=False)
    monkeypatch.setattr(_trec_files, "_BLOCK_BYTES", 1000)
    return Breaks.opened


@pytest.mark.parametrize("error", [Breaks.error, KeyboardInterrupt(), MemoryError()])
@pytest.mark.parametrize("name", ["run.txt", "run.txt.gz"])
def test_a_run_that_breaks_is_read_again(tmp_path, name, error, breaking, monkeypatch):
    path = tmp_path / name
    write_run(path, SCORES, *IDS)
    content = path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(Breaks, "error", error)
        for reader in (read_run, read_qrels):
            with pytest.raises((type(error), ValueError)) as caught:
                reader(path)
        assert isinstance(caught.value, (type(error), ValueError))
        with pytest.raises(type(error)) as caught:
            read_run(path)
    assert caught.value is error
    assert len(breaking) == (6 if name == "run.txt" else 3)  # of which one looks at the form
    del caught
    assert all(each.closed for each in breaking)
    monkeypatch.setattr(Breaks, "n_bytes", 10**9)
    assert read_run(path)["query"].size == SCORES.size
    assert path.read_bytes() == content


@pytest.mark.usefixtures("breaking")
def test_a_command_whose_input_breaks_prints_no_result(tmp_path, capsys):
    write_run(tmp_path / "run", SCORES, *IDS)
    (tmp_path / "qrels").write_text("query-1 0 item-1 1\n")
    assert main([str(tmp_path / "qrels"), str(tmp_path / "run")]) == 2
    output, errors = capsys.readouterr()
    assert output == ""
    assert errors == f"ranking-scores: error: {tmp_path / 'run'}: Input/output error\n"


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_parquet_file_that_is_damaged_leaves_the_values_that_were_there(tmp_path, n_jobs):
    source = parquet_of(tmp_path / "in.parquet", n_queries=8000)
    out = tmp_path / "out.parquet"
    write_values(out, source, n_jobs=n_jobs)
    contents = contents_of(tmp_path)
    content = contents["in.parquet"]
    middle = len(content) // 2
    damaged = content[:middle] + bytes(len(content) // 3)
    source.write_bytes(damaged + content[len(damaged) :])
    n_open = count_open_files()
    with pytest.raises(OSError, match=r"."):
        write_values(out, source, n_jobs=n_jobs)
    assert count_open_files() == n_open
    source.write_bytes(content)
    assert contents_of(tmp_path) == contents


def count_open_files():
    """Return how many files this process has open; 0 where nobody can tell."""
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.exists() else 0
