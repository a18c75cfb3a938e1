"""How most tests of TREC files read them: with numbers by Python, and by pyarrow."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, settings, strategies as st

from ranking_scores._files import _trec_files
from ranking_scores._files._trec_files import QRELS as OF_JUDGMENTS, RUN as OF_RUNS, read_packed
from ranking_scores.trec import read_qrels, read_run

BLANKS = " \t\n\v\f\r"
ANY_ID = st.text(st.characters(exclude_characters=BLANKS, exclude_categories=["Cs"]), min_size=1)
ANY_QUERY = ANY_ID.filter(lambda text: not text.startswith(("#", "\ufeff")))
ON_A_FOLDER = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
QRELS = "301 0 FR-10 1\n301 0 FR-20 0\n302 0 FR-10 -2\n"
RUN = "301 Q0 FR-10 1 7.5 tag\n301 Q0 FR-99 2 -2e-3 tag\n302 Q0 FR-10 1 1 tag\n"
READERS = {read_qrels: QRELS, read_run: RUN}
KINDS = {read_qrels: OF_JUDGMENTS, read_run: OF_RUNS}


@pytest.fixture(autouse=True, params=["python", "pyarrow"])
def way(request, monkeypatch):
    """Have Python convert numbers, and pyarrow."""
    if request.param == "pyarrow":
        pytest.importorskip("pyarrow", reason="it converts numbers")
        monkeypatch.setattr(_trec_files, "WORTH_PYARROW", 0)


def as_lists(table):
    return {name: column.tolist() for name, column in table.items()}


def as_dicts(table):
    """Return the dicts of pytrec_eval."""
    dicts = {}
    for query, item, number in zip(*as_lists(table).values(), strict=True):
        dicts.setdefault(query, {})[item] = number
    return dicts


def read_both(reader, path):
    """Return what both readers of a kind return, which is the same."""
    table, packed = reader(path), read_packed(path, KINDS[reader])
    assert as_lists(table) == {name: np.asarray(each).tolist() for name, each in packed.items()}
    assert table.notes == packed.notes
    return table
