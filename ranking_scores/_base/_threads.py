"""Work that several threads share, and values that are computed once.

joblib's `parallel_config` or `n_jobs` sets the number of threads. NumPy lets other threads run
while it works on an array. So blocks of queries can be scored at the same time. One thread does
all steps of a block, so the bits of a score do not depend on threads.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar, copy_context
from itertools import chain, islice
from threading import Lock, RLock, Thread
from typing import Any, Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

_NOTHING = nullcontext()
_turn: ContextVar[AbstractContextManager[Any]] = ContextVar("_turn", default=_NOTHING)
"""Held while a function of the caller's runs. In threads that share work it is a lock."""


def callers_turn() -> AbstractContextManager[Any]:
    """Return the lock for functions of the caller's, which need not be safe for threads."""
    return _turn.get()


def n_threads_of(n_jobs: int | None) -> int:
    """Return the number of threads for `n_jobs`.

    None is 1, unless a `parallel_config` of joblib around the call says otherwise, with any
    backend. In a worker it is 1. There are never more threads than cores, even if a backend is a
    cluster.
    """
    if n_jobs is None and "joblib" not in sys.modules:  # so there is no `parallel_config`
        return 1
    from joblib import cpu_count, effective_n_jobs

    n_workers = int(effective_n_jobs(n_jobs))
    return n_workers if n_workers == 1 else min(n_workers, int(cpu_count()))


def share(
    work: Callable[[Item], Result],
    keep: Callable[[Result], None],
    items: Iterator[Item],
    n_jobs: int | None = None,
) -> None:
    """Work on each item and keep its result, with `n_jobs` threads.

    Several threads call `work` at a time. Only one thread at a time calls `keep`, in any order of
    the items. If several items raise an error, the error of the first item is raised, as with a
    single thread.
    """
    n_threads = 1
    first = list(islice(items, 2))
    if len(first) > 1:  # else there is nothing to share
        n_threads = n_threads_of(n_jobs)
        first += islice(items, max(n_threads - 2, 0))
    all_items = chain(first, items)
    if n_threads > 1:
        _ThreadPool(work, keep, all_items).run(min(n_threads, len(first)))
    else:
        for item in all_items:
            keep(work(item))


class _ThreadPool(Generic[Item, Result]):
    """Threads that share some work. Each takes the next item when it is done with one."""

    def __init__(
        self, work: Callable[[Item], Result], keep: Callable[[Result], None], items: Iterator[Item]
    ) -> None:
        self._work, self._keep, self._items = work, keep, enumerate(items)
        self._lock = Lock()
        self._is_over = False
        self._errors: list[tuple[int, BaseException]] = []

    def run(self, n_threads: int) -> None:
        """Work on all items in this thread and in others, all of which end before it returns."""
        from sklearn import get_config

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
            self._work_on_items()
            _join(helpers)
        finally:  # an interrupt of this thread ends the others, too
            self._is_over = True
            _turn.set(before)
            _join(helpers)
        if self._errors:
            raise self._first_error()

    def _help(self, config: dict[str, Any]) -> None:
        """Work like the calling thread, with its settings of scikit-learn."""
        from sklearn import config_context

        with config_context(**config):
            self._work_on_items()

    def _work_on_items(self) -> None:
        """Work on one item after the other, until none is left or one has an error."""
        from joblib import parallel_config

        number = 0
        try:
            with parallel_config(backend="sequential"):  # for functions of the caller's
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
        errors, self._errors = self._errors, []  # to break a reference cycle
        interrupts = [error for error in errors if isinstance(error[1], KeyboardInterrupt)]
        return min(interrupts or errors, key=lambda each: each[0])[1]


def _join(threads: list[Thread]) -> None:
    """Wait until all threads that have started have ended."""
    for thread in threads:
        if thread.is_alive():
            thread.join()


Value = TypeVar("Value")


class once(Generic[Value]):  # noqa: N801, as it is used like `property`
    """A property that is computed once for each object, which keeps the value.

    `functools.cached_property` does the same. Until Python 3.12 it holds a lock meanwhile, which
    takes longer than most values here, and which a process that is forked may find locked.
    """

    def __init__(self, function: Callable[[Any], Value]) -> None:
        self.func = function
        self._name = function.__name__
        self.__doc__ = function.__doc__

    def __get__(self, instance: object, owner: type) -> Value:
        if instance is None:  # the class was asked, as by `help`
            return self  # type: ignore[return-value]
        value = self.func(instance)
        vars(instance)[self._name] = value  # which is found before this is
        return value
