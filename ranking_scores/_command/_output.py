"""The output of the command: records as a table, as Markdown, as CSV or as JSON."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterator
from itertools import groupby

from ranking_scores._base import (
    as_cell,
    as_code,
    as_markdown,
    as_text,
    as_title,
    count_queries,
    in_markdown,
    visible,
)
from ranking_scores._command._numbers import CommandScores, Record, group_of
from ranking_scores._command._words import say

_NAMES = ("run", "query", "grouping", "group", "score")
"""The keys of a record that are not numbers."""
_ALL = "all queries"
"""The label of the rows of all queries. It has a blank, so it is never an id of TREC."""


def _table(scored: CommandScores) -> str:
    """Return records as tables in aligned columns, one for each group, with notes around them."""
    tables = [*map(visible, scored.read), ""] if scored.read else []
    for title, head, body in tables_of(scored.records):
        tables += [visible(title)] * bool(title) + [as_text(head, body, _count_names(head)), ""]
    return "\n".join([*tables, *map(visible, scored.notes), ""])


def _count_names(head: list[str]) -> int:
    """Return the number of columns that have names. They come first."""
    return sum(key in _NAMES for key in head)


def tables_of(
    records: list[Record], name_group: Callable[[str], str] = str
) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """Yield the title, the head and the rows of the table of each group, as text for people.

    All queries have no title. `name_group` changes the name of a group in a title.
    """
    for (grouping, group), members in groupby(records, group_of):
        rows = list(members)
        title = ""
        if grouping is not None:
            title = f"{name_group(f'{grouping} {group}')}, {count_queries(rows[0]['n_queries'])}"
        keys = [key for key in rows[0] if key not in ("grouping", "group", "n_queries")]
        body = [
            [
                (_ALL if row[key] is None else str(row[key]))
                if key in _NAMES
                else as_cell(row[key])
                for key in keys
            ]
            for row in rows
        ]
        yield title, [key if key in _NAMES else as_title(key) for key in keys], body


def _markdown(scored: CommandScores) -> str:
    """Return records as tables in Markdown, one for each group, between notes.

    The names of runs, queries, groups and scores are code, as in `to_markdown` of results.
    """
    tables = [f"{in_markdown(line)}\n" for line in scored.read]
    for title, head, body in tables_of(scored.records, as_code):
        rows = f"{as_markdown(head, body, _count_names(head))}\n"
        tables.append(f"**{title}**\n\n{rows}" if title else rows)
    tables += [f"{in_markdown(line)}\n" for line in scored.about]
    return "\n".join(tables)


def _csv(scored: CommandScores) -> str:
    """Return records as CSV with all digits. The query of the mean over all is empty.

    It has no place for notes, which go to stderr.
    """
    for line in [*scored.read, *scored.of_aspects]:
        say(f"note: {line}")
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(scored.records[0])
    rows.writerows(record.values() for record in scored.records)
    return text.getvalue()


def _json(scored: CommandScores) -> str:
    """Return records as JSON with all digits, one record per line.

    NaN and infinity, which JSON lacks, are null. If there is something to say about what was read
    for a run, its records have it as "notes".
    """
    lines = []
    for record in scored.records:
        finite = {
            key: None if isinstance(value, float) and not math.isfinite(value) else value
            for key, value in record.items()
        }
        notes = [*scored.read_of.get(record["run"], ()), *scored.of_aspects]
        lines.append(json.dumps(finite | ({"notes": notes} if notes else {}), default=str))
    return "[\n" + ",\n".join(lines) + "\n]\n"


FORMATS = {"table": _table, "csv": _csv, "json": _json, "markdown": _markdown}
