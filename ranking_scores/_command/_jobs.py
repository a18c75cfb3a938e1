"""Runs that are scored by several processes.

They are processes rather than threads, since the readers of text hold Python's lock most of the
time, and since Python cannot catch the warnings of one thread alone. Each process reads the
judgments once.
"""

from __future__ import annotations

import argparse
import io
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import redirect_stderr
from multiprocessing import get_context
from typing import Any

from ranking_scores._command._words import InputError, print_errors

_scorer: Any = None
"""What scores the runs in a process that was started for it."""


def in_processes(
    make_scorer: Callable[[argparse.Namespace], Any], options: argparse.Namespace, n_jobs: int
) -> Iterator[Any]:
    """Yield what is known of each run, in their order, with the warnings of one after the other.

    The first error in this order is raised, as with a single process.
    """
    pool = ProcessPoolExecutor(
        n_jobs,
        mp_context=get_context("spawn"),  # a fork would copy the locks of threads
        initializer=_start,
        initargs=(make_scorer, options),
    )
    with pool:
        try:
            for said, part in pool.map(_score, options.runs):
                print_errors(said)
                yield part
        except BrokenProcessPool as error:
            message = "a process of --jobs has ended, maybe since the memory is too small"
            raise InputError(f"{message}. Pass a lower number.") from error


def _start(make_scorer: Callable[[argparse.Namespace], Any], options: argparse.Namespace) -> None:
    """Read the judgments. An interrupt is left to the process that waits for this one."""
    global _scorer
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _scorer = make_scorer(options)


def _score(run: str) -> tuple[str, Any]:
    """Return the warnings about a run, as text, and what is known of it."""
    with redirect_stderr(io.StringIO()) as said:
        part = _scorer.score(run)
    return said.getvalue(), part
