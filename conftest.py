"""What all tests and examples need that draw something."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterator
from typing import Any

import pytest

os.environ["MPLBACKEND"] = "agg"  # which needs no screen
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # which the workers of Spark run


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, Any, Any]:
    """Let no test of an engine be skipped where .ci/run has said that all engines are there."""
    report = yield
    return _without_skips(report)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """Do the same for tests that are skipped one by one."""
    report = yield
    return _without_skips(report)


def _without_skips(report: Any) -> Any:
    """Return a report of which a skip is a failure, if it is of a test of an engine."""
    is_of_engine = "test_scale_" in report.nodeid and "RANKING_SCORES_ENGINES" in os.environ
    if is_of_engine and report.skipped:
        report.outcome = "failed"
    return report


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    """Close what a test or an example has drawn."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


LIBRARY_OF = {
    "_dask": "dask",
    "_parquet": "pyarrow",
    "_spark": "pyspark",
    "scale_dask": "dask",
}
"""By the name of a module of which the examples need a library, that library."""


@pytest.fixture(autouse=True)
def _library_of_a_module(request: pytest.FixtureRequest) -> None:
    """Skip the examples of a module whose library is not installed."""
    library = LIBRARY_OF.get(request.path.stem)
    if library is not None:
        pytest.importorskip(library, reason=f"{library} is in the extra engines")
