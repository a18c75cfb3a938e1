"""A plugin of pytest, which replaces functions of another package by those of a shim.

``run.py`` loads it in the environment of the other package. It notes the outcome of each test, and
how many calls of it a shim has answered.
"""

from __future__ import annotations

import functools
import importlib
import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from shims import LeftToThePeer, calls_left, leave

MANY_CASES = 50
_n_calls: Counter[str] = Counter()


def pytest_configure() -> None:
    """Replace what the shim replaces, before the modules of the tests import it."""
    shim = importlib.import_module("shims." + os.environ["PEER_SHIM"])
    for name, ours in shim.REPLACED.items():
        replace(name, ours)


def replace(name: str, ours: Callable[..., Any]) -> None:
    """Put a function in the place of one of another package, in all modules that have it.

    Parameters
    ----------
    name : str
        The place in the other package, such as "sklearn.metrics.ndcg_score". It may be a method:
        "torchmetrics.retrieval.RetrievalMRR.compute".

    ours : callable
        It takes the same arguments. If it raises `LeftToThePeer`, the other function is called.
    """
    owner, _, last = name.rpartition(".")
    holder = find(owner)
    theirs = getattr(holder, last)

    @functools.wraps(theirs)
    def answer(*args: Any, **kwargs: Any) -> Any:
        try:
            result = ours(*args, **kwargs)
        except LeftToThePeer as left:
            if str(left):
                leave(str(left))
            return theirs(*args, **kwargs)
        except Exception:
            _n_calls[name] += 1
            raise
        _n_calls[name] += 1
        return result

    setattr(holder, last, answer)
    top = name.partition(".")[0]
    for module in [each for key, each in sys.modules.items() if key.partition(".")[0] == top]:
        for attribute, value in list(vars(module).items()):
            if value is theirs:
                setattr(module, attribute, answer)


def find(path: str) -> Any:
    """Return the module or the class with this path."""
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError:
        owner, _, last = path.rpartition(".")
        return getattr(find(owner), last)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Take a sample of the cases of each test that has many."""
    step, cases_by_test = int(os.environ["PEER_STEP"]), defaultdict(list)
    for each in items:
        cases_by_test[each.nodeid.partition("[")[0]].append(each)
    kept = []
    for cases in cases_by_test.values():
        kept += cases[:: step if len(cases) > MANY_CASES else 1]
    config.hook.pytest_deselected(items=[each for each in items if each not in kept])
    items[:] = kept


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """Note the outcome of a test, and whether the shim has answered a call."""
    report = yield
    if report.when == "setup":
        _n_calls.clear()
        calls_left.clear()
    if report.when == "call":
        noted = {
            "test": f"{item.path.name}::{item.nodeid.partition('::')[2]}",
            "outcome": report.outcome,
            "calls": _n_calls.total(),
            "left": sorted({*calls_left}),
            "message": "\n".join(wrong_lines(report.longreprtext)),
        }
        with Path(os.environ["PEER_OUTCOMES"]).open("a", encoding="utf-8") as file:
            file.write(json.dumps(noted) + "\n")
    return report


def wrong_lines(text: str) -> list[str]:
    """Return the lines of a report that say what was wrong."""
    return [line for line in text.splitlines() if line.startswith(("E ", ">"))]
