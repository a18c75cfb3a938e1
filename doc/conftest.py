"""What the examples in these pages need to run as tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import sklearn

# They belong to Sphinx, which runs the gallery, and to a browser, which the tests do not need.
collect_ignore = [
    "auto_examples",
    "browser.py",
    "check_pages.py",
    "conf.py",
    "gallery",
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


@pytest.fixture(autouse=True)
def _library_of_a_page(request: pytest.FixtureRequest) -> None:
    """Skip the page about a ranker whose library is not installed."""
    if request.path.stem in {"xgboost", "lightgbm", "catboost"}:
        library = request.path.stem
        pytest.importorskip(library, reason=f"{library} is in the extra rankers")
