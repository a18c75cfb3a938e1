"""The columns of tables that a caller did not name, found among the names of known projects."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ranking_scores._base import invalid, show_names
from ranking_scores._tables._join import ColumnNames
from ranking_scores._tables._kinds import notes_of
from ranking_scores._tables._known_names import Found, UnclearError, find_columns
from ranking_scores._tables._no_label import LEFT_OUT, types_in
from ranking_scores.exceptions import InvalidParameterError


def seek_in_two(
    judgments: Any, predictions: Any, names: ColumnNames, label: Any, function: str
) -> tuple[ColumnNames, list[str]]:
    """Return the columns of two tables, and what there is to say about the tables.

    Names that are None are sought. Labels are sought if anything is and `label` is left out.
    """
    judged, predicted = names
    ids = [role for role in ("query", "item") if judged[role] is None]
    order = ["score"] if predicted["score"] is None and predicted["rank"] is None else []
    labels = ["label"] if label is LEFT_OUT and (ids or order) else []
    found, notes = [], []
    for table, parameter, given, sought in (
        (judgments, "judgments", judged, [*ids, *labels]),
        (predictions, "predictions", predicted, [*ids, *order]),
    ):
        seen = seek(table, given, sought, parameter, function)
        found.append(seen.names)
        notes += [f"{parameter}: {note}" for note in (*notes_of(table), seen.note) if note]
    return ColumnNames(*found), notes


def seek_in_one(
    table: Any, names: dict[str, Any], function: str
) -> tuple[dict[str, Any], list[str]]:
    """Return the columns of one table, and what there is to say about it.

    Names that are None are sought. The items are sought only if the query is, since without them
    each row is an item of its own.
    """
    sought = [role for role in ("query", "label") if names[role] is None]
    sought += ["item"] if names["query"] is None and names["item"] is None else []
    sought += ["score"] if names["score"] is None and names["rank"] is None else []
    found = seek(table, names, sought, "table", function, needed=("query", "label", "score"))
    return found.names, [f"table: {note}" for note in (*notes_of(table), found.note) if note]


def seek(
    table: Any,
    given: dict[str, Any],
    sought: Collection[str],
    parameter: str,
    function: str,
    *,
    needed: Collection[str] = ("query", "item", "score"),
) -> Found:
    """Return the columns of a table, of which some are sought.

    Raise if several columns could have a role, or none has a role that is needed.
    """
    there = [name for name, _ in types_in(table)] if sought else []
    if not there:  # what has no columns is refused, or is empty, where columns are read
        return Found({**given, **{role: role for role in sought if role != "label"}})

    def unclear(role: str, got: str) -> InvalidParameterError:
        what, keyword = role, f"`{role}=`"
        if role == "score":
            what, keyword = "score or the rank", "`score=` or `rank=`"
        expected = f"a table with one column whose name is known as that of the {what}"
        return invalid(parameter, function, expected, got, code=f"Name it with {keyword}.")

    try:
        found = find_columns(there, given, sought)
    except UnclearError as error:
        raise unclear(error.role, " and ".join(map(repr, error.fitting))) from error
    for role in needed:
        roles = ("score", "rank") if role == "score" else (role,)
        if role in sought and all(found.names[each] is None for each in roles):
            raise unclear(role, f"the columns {show_names(there)}")
    return found
