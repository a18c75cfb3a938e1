"""What the examples in these pages need to run as tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import sklearn

# They belong to Sphinx, which runs the gallery, and to a browser, which the tests do not need.
collect_ignore = ["auto_examples", "browser.py", "check_pages.py", "conf.py", "gallery", "pictures"]


@pytest.fixture(autouse=True)
def _settings_of_a_page() -> Iterator[None]:
    """Print arrays with few digits, and let a page enable metadata routing for itself alone."""
    with np.printoptions(precision=3), sklearn.config_context():
        yield


@pytest.fixture(autouse=True)
def _examples_of_the_checkout(
    doctest_namespace: dict[str, object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Give the pages the path of ``examples/``, and let them import from it, wherever it lies."""
    examples = Path(__file__).parents[1] / "examples"
    doctest_namespace["examples"] = examples
    monkeypatch.syspath_prepend(str(examples))


@pytest.fixture(autouse=True)
def _library_of_a_page(request: pytest.FixtureRequest) -> None:
    """Skip the page about a ranker whose library is not installed."""
    if request.path.stem in {"xgboost", "lightgbm", "catboost"}:
        library = request.path.stem
        pytest.importorskip(library, reason=f"{library} is in the extra rankers")
