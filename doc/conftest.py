"""What the examples in these pages need to run as tests."""

from __future__ import annotations

import doctest
import os
from collections.abc import Generator, Iterator
from pathlib import Path

import numpy as np
import pytest
import sklearn
from needs import missing_of_lines

# They belong to Sphinx, which runs the gallery, and to a browser, which the tests do not need.
collect_ignore = [
    "auto_examples",
    "browser.py",
    "check_pages.py",
    "conf.py",
    "gallery",
    "html_pages.py",
    "llms",
    "pictures",
]


@pytest.fixture(autouse=True)
def _settings_of_a_page() -> Iterator[None]:
    """Print arrays with few digits, and let a page enable metadata routing for itself alone."""
    with np.printoptions(precision=3), sklearn.config_context():
        yield


@pytest.fixture(autouse=True)
def _page_runs_when_copied(
    doctest_namespace: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Give a page no names, and let it import as Python does that is run in ``examples/``."""
    assert not doctest_namespace, "a reader does not have these names"
    monkeypatch.syspath_prepend(str(Path(__file__).parents[1] / "examples"))


IN_NO_EXTRA = {"ray"}
"""The libraries of recipes that were run by hand, since they are too large for an extra."""


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Leave out the examples of which a library is missing, and report each such library."""
    report = yield
    if collector.path.suffix == ".rst" and report.passed:
        missing = missing_of_lines(collector.path.read_text(encoding="utf-8"))
        for page in list(report.result):
            examples = page.dtest.examples
            left_out = [example for example in examples if missing[example.lineno]]
            for example in left_out:
                example.options[doctest.SKIP] = True
            if left_out == examples:
                report.result.remove(page)
            for library in sorted({name for each in left_out for name in missing[each.lineno]}):
                report.result.append(LeftOut.from_parent(collector, name=library))
    return report


class LeftOut(pytest.Item):
    """The examples of a page that need a library that is not installed."""

    def runtest(self) -> None:
        """Skip them, but not where .ci/run has said that all engines are there."""
        if "RANKING_SCORES_ENGINES" in os.environ and self.name not in IN_NO_EXTRA:
            pytest.fail(f"{self.name} is missing from the extra engines")
        pytest.skip(f"examples of {self.path.name} need {self.name}, which is not installed")

    def reportinfo(self) -> tuple[Path, None, str]:
        """Name the examples in the summary."""
        return self.path, None, f"examples that need {self.name}"
