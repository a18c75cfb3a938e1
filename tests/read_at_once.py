"""The functions that join ids, with all items read at once, so that errors about any come at once.

The data itself is the same as without this: scores read as much of it as they need.
"""

from __future__ import annotations

from typing import Any

from ranking_scores import tables, trec
from ranking_scores.tables import RankingData


def from_lists(*args: Any, **params: Any) -> RankingData:
    return _read(tables.from_lists(*args, **params))


def from_tables(*args: Any, **params: Any) -> RankingData:
    return _read(tables.from_tables(*args, **params))


def from_table(*args: Any, **params: Any) -> RankingData:
    return _read(tables.from_table(*args, **params))


def from_pytrec_eval(*args: Any, **params: Any) -> RankingData:
    return _read(trec.from_pytrec_eval(*args, **params))


def _read(data: RankingData) -> RankingData:
    data.in_columns()
    return data
