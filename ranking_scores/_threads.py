"""Work that threads share: as many of them as joblib says, by `parallel_config` or `n_jobs`.

NumPy lets other threads run while it works on an array. So blocks of queries can be scored at the
same time, each by one thread from its first step to its last, which leaves no bit to chance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar, copy_context
from itertools import chain, islice
from threading import Lock, RLock, Thread
from typing import Any, Generic, TypeVar

from joblib import cpu_count, effective_n_jobs, parallel_config
from sklearn import config_context, get_config

Item = TypeVar("Item")
Result = TypeVar("Result")

_NOTHING = nullcontext()
_turn: ContextVar[AbstractContextManager[Any]] = ContextVar("_turn", default=_NOTHING)
"""Held while a function of the caller's runs. It is a lock in the threads that share some work."""


def callers_turn() -> AbstractContextManager[Any]:
    """Return what to hold while a function of the caller's runs: it need not know of threads."""
    return _turn.get()


def n_threads_of(n_jobs: int | None) -> int:
    """Return how many threads `n_jobs` stands for here.

    None is 1, or what the `parallel_config` of joblib says around the call, with any backend: it
    is 1 in a worker. There are never more threads than cores, which a cluster may have many of.
    """
    n_workers = int(effective_n_jobs(n_jobs))
    return n_workers if n_workers == 1 else min(n_workers, int(cpu_count()))


def share(
    work: Callable[[Item], Result],
    keep: Callable[[Result], None],
    items: Iterator[Item],
    n_jobs: int | None = None,
) -> None:
    """Work on each item, and keep what comes of it, by as many threads as `n_jobs` stands for.

    `work` is called by several threads at a time, `keep` by one, in any order of the items. The
    error that is raised is that of the first item that has one, as by a single thread.
    """
    n_threads = 1
    first = list(islice(items, 2))
    if len(first) > 1:  # else there is nothing to share
        n_threads = n_threads_of(n_jobs)
        first += islice(items, max(n_threads - 2, 0))
    all_items = chain(first, items)
    if n_threads > 1:
        _Crew(work, keep, all_items).run(min(n_threads, len(first)))
    else:
        for item in all_items:
            keep(work(item))


class _Crew(Generic[Item, Result]):
    """Threads that share some work: each takes the next item when it is done with one."""

    def __init__(
        self,
        work: Callable[[Item], Result],
        keep: Callable[[Result], None],
        items: Iterator[Item],
    ) -> None:
        self._work, self._keep, self._items = work, keep, enumerate(items)
        self._lock = Lock()
        self._is_over = False
        self._errors: list[tuple[int, BaseException]] = []

    def run(self, n_threads: int) -> None:
        """Work on all items in this thread and in others, of which none is left in the end."""
        before = _turn.get()
        helpers: list[Thread] = []
        try:
            _turn.set(RLock())
            for _ in range(n_threads - 1):
                # Settings of NumPy are in the context, those of scikit-learn in the thread.
                in_context, work = copy_context().run, (self._help, get_config())
                helper = Thread(target=in_context, args=work, name="ranking_scores")
                helpers.append(helper)
                helper.start()
            self._toil()
            _join(helpers)
        finally:  # whatever interrupts this thread ends the others
            self._is_over = True
            _turn.set(before)
            _join(helpers)
        if self._errors:
            raise self._first_error()

    def _help(self, config: dict[str, Any]) -> None:
        """Do the same as the thread that called, with its settings of scikit-learn."""
        with config_context(**config):
            self._toil()

    def _toil(self) -> None:
        """Work on one item after the other, until none is left or one has an error."""
        number = 0
        try:
            with parallel_config(backend="sequential"):  # for what the caller's functions call
                while (numbered := self._next()) is not None:
                    number, item = numbered
                    result = self._work(item)
                    with self._lock:
                        self._keep(result)
        except BaseException as error:
            self._errors.append((number, error))
            self._is_over = True

    def _next(self) -> tuple[int, Item] | None:
        """Return the next item and its number; None: there is nothing more to do."""
        with self._lock:
            return None if self._is_over else next(self._items, None)

    def _first_error(self) -> BaseException:
        """Return the interrupt of Ctrl-C, or else the error of the first item with one."""
        # Items are taken in order, so all before one with an error have been worked on.
        errors, self._errors = self._errors, []  # else they would hold what holds them
        interrupts = [each for each in errors if isinstance(each[1], KeyboardInterrupt)]
        return min(interrupts or errors, key=lambda each: each[0])[1]


def _join(threads: list[Thread]) -> None:
    """Wait until threads have ended, those that have started."""
    for thread in threads:
        if thread.is_alive():
            thread.join()
