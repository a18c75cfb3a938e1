"""What all tests need: few examples in short, no screen or network, fits without threads."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator, Iterator
from typing import Any

import pytest
from hypothesis import settings

os.environ["MPLBACKEND"] = "agg"  # which needs no screen
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # which the workers of Spark run
for library in ("OMP", "OPENBLAS"):
    # Fits of a few rows take longer on several threads, most of all where other tests run too.
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

for switch in ("HF_HUB_OFFLINE", "MLFLOW_DISABLE_TELEMETRY"):
    os.environ.setdefault(switch, "true")  # no test asks another machine

settings.register_profile("short", max_examples=settings().max_examples // 4)


def pytest_configure(config: pytest.Config) -> None:
    """Draw a quarter of the examples where tests that are slow are not run either."""
    if config.option.markexpr == "not slow":
        settings.load_profile("short")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish() -> None:
    """Save what is covered, since a process of pytest-xdist that ends too slowly is killed."""
    coverage = sys.modules.get("coverage")
    measured = None if coverage is None else coverage.Coverage.current()
    if measured is not None:
        measured.save()


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


LIBRARY_OF = {"scale": "dask"}
"""By the name of a module and page of which the examples need the engines, one of them."""


@pytest.fixture(autouse=True)
def _library_of_a_module(request: pytest.FixtureRequest) -> None:
    """Skip examples whose library is not installed."""
    library = LIBRARY_OF.get(request.path.stem)
    if library is not None:
        pytest.importorskip(library, reason=f"{library} is in the extra engines")
