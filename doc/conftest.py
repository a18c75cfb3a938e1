"""What the examples in these pages need to run as tests."""

from __future__ import annotations

import doctest
import re
from collections.abc import Iterator
from importlib.util import find_spec
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
def _library_of_a_section(request: pytest.FixtureRequest) -> None:
    """Skip a section with the comment ``.. needs: library`` if the library is not installed.

    The other sections of the page run, so they may use nothing of that section.
    """
    if request.path.suffix != ".rst":
        return
    library: str | None = None
    library_by_line = []
    for line in request.node.dtest.docstring.splitlines():
        comment = re.fullmatch(r"\.\. needs: (\w+)", line)
        if comment or re.fullmatch("-{3,}", line):  # below the title of a section
            library = comment and comment[1]
        library_by_line.append(library)
    for example in request.node.dtest.examples:
        library = library_by_line[example.lineno]
        if library is not None and find_spec(library) is None:
            example.options[doctest.SKIP] = True
