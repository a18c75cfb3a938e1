"""Tables of predictions in which something says that the scores are not scores.

The item with the highest score ranks first. A column of ranks beside the scores may contradict
them, and the column of scores may be named as that of distances.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ranking_scores._base import count_queries, warn_caller
from ranking_scores._tables._columns import Column, Ids, read_numbers
from ranking_scores._tables._join import read_values
from ranking_scores._tables._known_names import distance_names, names_of_role
from ranking_scores._tables._no_label import columns_of_numbers
from ranking_scores._tables._trec_contradictions import count_contradicted
from ranking_scores.exceptions import InvalidParameterError

BESIDE = "rank beside"
"""The role of a column of ranks that do not count, since there are scores."""


def rank_beside(table: Any, names: Mapping[str, Any]) -> dict[str, Any]:
    """Return the column of ranks beside the scores of a table by its role, if there is one."""
    has_scores = names.get("score") is not None
    return named_like_ranks(columns_of_numbers(table, names)) if has_scores else {}


def named_like_ranks(there: Iterable[Any]) -> dict[str, Any]:
    """Return the one column that is named as that of ranks by its role, if there is one."""
    found = [name for name in there if str(name).casefold() in names_of_role("rank")]
    return {BESIDE: found[0]} if len(found) == 1 else {}


def without_ranks(columns: dict[str, Column], query: Ids) -> tuple[dict[str, Column], list[str]]:
    """Return the columns without the ranks beside scores, and a note if these contradict them.

    If they do so in every query with several items, there is a warning.
    """
    columns = dict(columns)
    beside = columns.pop(BESIDE, None)
    if beside is None:
        return columns, []
    try:
        ranks = read_numbers(beside)
    except InvalidParameterError:  # no numbers, and nobody asked for them
        return columns, []
    scores = read_values(columns, query)
    n_rows = query.code.size
    have_both = np.ones(n_rows, dtype=bool)
    of_row = {}
    for role, numbers in (("rank", ranks), ("score", scores)):
        of_row[role] = np.full(n_rows, np.nan)
        of_row[role][slice(None) if numbers.row is None else numbers.row] = numbers.values
        have_both &= np.isfinite(of_row[role])
    code = query.code[have_both].astype(np.int32)
    n_wrong = count_contradicted(code, of_row["score"][have_both], of_row["rank"][have_both])
    if not n_wrong:
        return columns, []
    n_items = np.bincount(code)
    of_all = f"{n_wrong} of {count_queries(int(np.count_nonzero(n_items)))}"
    score = columns["score"]
    facts = f"{beside.name!r} contradicts {score.name!r} in {of_all}"
    if n_wrong == np.count_nonzero(n_items > 1):
        warn_caller(
            f"In {score.table}, {facts}. The item with the highest score ranks first. If the "
            f"scores are distances, pass them with a minus. If the ranks are right, pass "
            f"rank={beside.name!r}.",
            UserWarning,
        )
    return columns, [f"{facts}; the scores count"]


def warn_if_distance(column: Column | None) -> None:
    """Warn if scores are in a column that is named as that of distances."""
    if column is not None and str(column.name).casefold() in distance_names():
        warn_caller(
            f"The scores of {column.table} are in the column {column.name!r}. The item with the "
            "highest score ranks first, so the most distant item would. Pass the distances with "
            "a minus, in a column with another name.",
            UserWarning,
        )
