"""What all tests and examples need that draw something."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import pytest

os.environ["MPLBACKEND"] = "agg"  # which needs no screen


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    """Close what a test or an example has drawn."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


LIBRARY_OF = {"_parquet": "pyarrow"}
"""By the name of a module of which the examples need a library, that library."""


@pytest.fixture(autouse=True)
def _library_of_a_module(request: pytest.FixtureRequest) -> None:
    """Skip the examples of a module whose library is not installed."""
    library = LIBRARY_OF.get(request.path.stem)
    if library is not None:
        pytest.importorskip(library, reason=f"{library} is in the extra engines")
