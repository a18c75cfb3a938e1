"""What all tests need: few cases in short, no screen or network, fits without threads."""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from collections.abc import Generator, Iterator
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import Any

import pytest
from few_cases import few_of
from hypothesis import settings

os.environ["MPLBACKEND"] = "agg"  # which needs no screen
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # which the workers of Spark run
for library in ("OMP", "OPENBLAS"):
    # Fits of a few rows take longer on several threads, most of all where other tests run too.
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

for switch in ("HF_HUB_OFFLINE", "MLFLOW_DISABLE_TELEMETRY"):
    os.environ.setdefault(switch, "true")  # no test asks another machine
os.environ.setdefault("KERAS_BACKEND", "torch")  # the one that the extra engines has

# The assertions of these modules show what differs, as those of test files do.
pytest.register_assert_rewrite("exact_errors", "explained_parts", "laws")

settings.register_profile("short", max_examples=settings().max_examples // 4)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let .ci/run install engines, and run only the tests that did not pass without them."""
    parser.addoption(
        "--every-case", action="store_true", help="run all cases of each test, and long tests"
    )
    parser.addoption("--note-passed", metavar="FILE", help="write the tests that pass to a file")
    parser.addoption("--but-passed", metavar="FILE", help="leave out the tests in such a file")


def pytest_configure(config: pytest.Config) -> None:
    """Draw a quarter of the examples where tests that are slow are not run either."""
    if config.option.markexpr == "not slow":
        settings.load_profile("short")
    if config.option.note_passed:
        config.pluginmanager.register(Missed())
        if not hasattr(config, "workerinput"):
            config.pluginmanager.register(Passed(Path(config.option.note_passed)))


@pytest.hookimpl(trylast=True)  # a few cases of those that -k and -m choose
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that have passed before, long ones, and most cases of the others."""
    kept = {each.nodeid for each in items}
    if config.option.but_passed:
        kept -= {*Path(config.option.but_passed).read_text(encoding="utf-8").splitlines()}
    if not config.option.every_case and not any("::" in each for each in config.args):
        cases_by_test = defaultdict(list)
        for each in items:
            if each.get_closest_marker("long") is None or config.option.markexpr != "not slow":
                cases_by_test[each.nodeid.partition("[")[0]].append(each)
        kept &= {each.nodeid for cases in cases_by_test.values() for each in few_of(cases)}
    config.hook.pytest_deselected(items=[each for each in items if each.nodeid not in kept])
    items[:] = [each for each in items if each.nodeid in kept]


class Missed(MetaPathFinder):
    """Notes which tests look for a library that is not installed, and so may do less than all."""

    def __init__(self) -> None:
        self._names: list[str] = []

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> None:
        """Note a library that no other finder has found."""
        if path is None:
            self._names.append(name)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """Look for missing libraries while a test runs."""
        sys.meta_path.append(self)
        try:
            return (yield)
        finally:
            sys.meta_path.remove(self)
            self._names.clear()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, Any, Any]:
        """Tell the process that notes what passes."""
        report = yield
        report.user_properties += [("missed", name) for name in self._names]
        return report


class Passed:
    """Notes which tests pass. A page does not if it is skipped in part.

    A test that looks for a library that is not installed is none of them.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._passed: list[str] = []
        self._parts_skipped: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a test that has passed, and the file of one that is skipped."""
        if report.skipped:
            self._parts_skipped.add(_file_of(report.nodeid))
        elif report.when == "call" and report.passed and not report.user_properties:
            self._passed.append(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Write the tests to the file."""
        pages = {each for each in self._parts_skipped if each.endswith(".rst")}
        kept = (each for each in self._passed if _file_of(each) not in pages)
        self._file.write_text("".join(f"{each}\n" for each in kept), encoding="utf-8")


def _file_of(nodeid: str) -> str:
    return nodeid.partition("::")[0]


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
    is_of_engine = "test_scale_" in report.nodeid or "test_adapters" in report.nodeid
    if is_of_engine and report.skipped and "RANKING_SCORES_ENGINES" in os.environ:
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
    path = request.path
    library = LIBRARY_OF.get(path.parent.name if path.stem == "__init__" else path.stem)
    if library is not None:
        pytest.importorskip(library, reason=f"{library} is in the extra engines")
