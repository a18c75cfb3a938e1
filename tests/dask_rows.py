"""Rows of queries in frames of Dask, what one call says of them, and tasks in this thread."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scaled import means_of_tables

from ranking_scores import ndcg_score
from ranking_scores.tables import from_tables

pd = pytest.importorskip("pandas", reason="it is in the extra dask")
dask = pytest.importorskip("dask", reason="it is in the extra dask")
dd = pytest.importorskip("dask.dataframe", reason="it is in the extra dask")
distributed = pytest.importorskip("distributed", reason="it is in the extra dask")

COLUMNS = {"label": "label", "score": "score", "query": "user"}
WEIGHTS = {"sample_weight": "w", "item_weight": "of_item"}
N_ROWS, N_QUERIES = 2000, 150
NAMES = {"query": "user", "item": "film", "label": "stars", "score": "score"}


@pytest.fixture(autouse=True)
def _in_this_thread():
    """Run tasks one after the other unless a test says how."""
    with dask.config.set({"scheduler": "sync", "dataframe.shuffle.method": "tasks"}):
        yield


def rows(n_rows=N_ROWS, n_queries=N_QUERIES, seed=0):
    """Return rows of queries in no order, with labels whose sums are rounded, and many ties."""
    rng = np.random.default_rng(seed)
    user = rng.integers(0, n_queries, n_rows)
    return pd.DataFrame(
        {
            "more": "not read",
            "user": user,
            "label": rng.integers(0, 4, n_rows) * 0.1,
            "score": rng.integers(0, 3, n_rows),
            "w": (10.0 ** rng.uniform(-8, 8, n_queries))[user],
            "of_item": 10.0 ** rng.uniform(-8, 8, n_rows) * rng.integers(0, 3, n_rows),
        }
    )


def frame_of(data, n_parts):
    """Return a frame of Dask whose partitions are as the rows come."""
    return dd.from_pandas(data, npartitions=n_parts, sort=False)


def bits(result):
    if isinstance(result, dict):
        return {name: bits(each) for name, each in result.items()}
    return np.asarray(result, dtype=float).tobytes()


def outcome(function):
    """Return the bits of a result, or the error, and the words of the warnings.

    The ids of items that are not found are left out, since a part does not know those of others.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            result = bits(function())
        except ValueError as error:
            result = str(error).replace("scale.report_tables", "from_tables")
    said = [str(each.message) for each in caught if each.category is UserWarning]
    return result, [message.partition(" They have ")[0] for message in said]


def assert_refused(function, message):
    with pytest.raises(ValueError, match=r"parameter of") as caught:
        function()
    assert str(caught.value) == message


def tables(seed=0):
    """Return judgments and predictions, some of whose queries are in one of them only."""
    rng = np.random.default_rng(seed)
    judgments = pd.DataFrame({"user": rng.integers(0, 40, 300), "film": rng.integers(0, 30, 300)})
    predictions = pd.DataFrame(
        {"user": rng.integers(10, 50, 400), "film": rng.integers(0, 30, 400)}
    )
    judgments = judgments.drop_duplicates(ignore_index=True)
    predictions = predictions.drop_duplicates(ignore_index=True)
    judgments["stars"] = rng.integers(0, 4, len(judgments)) * 0.1
    predictions["score"] = rng.integers(0, 4, len(predictions))
    predictions["rank"] = rng.integers(1, 60, len(predictions))
    return judgments, predictions


def assert_as_from_tables(judgments, predictions, score_func=ndcg_score, names=NAMES, **params):
    """Compare the bits, errors and warnings with those of all data, and return them."""

    def whole():
        data = from_tables(judgments, predictions, **names)
        return score_func(data.y_true, data.y_score, **params)

    expected = outcome(whole)
    frames = frame_of(judgments, 3), frame_of(predictions, 5)
    assert outcome(lambda: means_of_tables(*frames, score_func, **names, **params)) == expected
    return expected
