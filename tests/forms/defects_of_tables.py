"""What is wrong or unusual about a table: its rows, its columns and their names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ranking_scores._tables._known_names import projects

from .cases import AGREEMENT, LABELS, ON_ONE_SIDE, RUN, Case, defect, need
from .truth import Truth, renamed, with_digits
from .writers import SEPARATORS, Table

TEXT = {*SEPARATORS}
"""The formats in which a cell may be empty."""


@defect("content", "right or refused")
def a_row_twice(case: Case) -> None:
    rows = case.table().rows
    rows.insert(2, list(rows[0]))


@defect("content", "refused")
def an_item_twice_with_another_value(case: Case) -> None:
    table = case.table()
    place = _place_of_value(case)
    row = list(table.rows[0])
    row[place] = 3
    table.rows.append(row)


def _place_of_value(case: Case) -> int:
    """Return the column with the labels, scores or ranks, unless there is none."""
    table = case.table()
    found = [role for role in (case.form.kind, "rank") if role in table.roles]
    need(found)
    return table.place(found[0])


def _named(case: Case) -> Table:
    """Return the table, if it has names of columns."""
    table = case.table()
    need(table.names)
    return table


@defect("content", "right or refused")
def no_header(case: Case) -> None:
    table = _named(case)
    need(table.style in TEXT or table.style == "RecBole")
    table.names = None


@defect("content", "right")
def columns_passed(case: Case) -> None:
    """A file has no names of columns, and the caller passes them."""
    need(case.door == "command" and case.which == LABELS and case.form.holds == "numbers")
    table = case.table()
    need(table.style in TEXT or table.style in ("tabs", "MovieLens"))
    table.names = None
    case.options += ["--columns", ",".join(table.roles)]


@defect("content", "right or refused")
def a_header(case: Case) -> None:
    """A file of a form without names of columns has them."""
    table = case.table()
    need(table.names is None)
    known = {"query": "query_id", "item": "item_id", "label": "relevance"}
    table.names = [known.get(role, role) for role in table.roles]


@defect("content", "right or refused")
def a_header_of_another_project(case: Case) -> None:
    table = case.table()
    need(table.names is None)
    known = {"query": "qid", "item": "pid", "label": "rel", "0": "iter", "Q0": "iter"}
    table.names = [known.get(role, role) for role in table.roles]


@defect("content", "right")
def an_index_column(case: Case) -> None:
    """A table has the numbers of its rows, as pandas writes them."""
    table = _named(case)
    need(table.style != "RecBole")
    name = {"Parquet": "__index_level_0__"}.get(table.style, "")
    _add_column(table, "index", name, list(range(len(table.rows))), at=0)


@defect("content", "right or refused")
def numbers_of_lines(case: Case) -> None:
    table = case.table()
    need(table.names is None)
    _add_column(table, "index", "", list(range(len(table.rows))), at=0)


def _add_column(table: Table, role: str, name: str, cells: list[Any], at: int) -> None:
    for row, cell in zip(table.rows, cells, strict=True):
        row.insert(at, cell)
    table.roles.insert(at, role)
    if table.names is not None:
        table.names.insert(at, f"{name}:float" if table.style == "RecBole" else name)


@defect("content", "right")
def columns_in_another_order(case: Case) -> None:
    table = _named(case)
    order = list(range(len(table.roles)))[::-1]
    table.roles = [table.roles[place] for place in order]
    table.names = [table.names[place] for place in order] if table.names else None
    table.rows = [[row[place] for place in order] for row in table.rows]


def _swap(table: Table, first: int, second: int) -> None:
    for row in table.rows:
        row[first], row[second] = row[second], row[first]


@defect("content", "refused")
def queries_and_items_swapped(case: Case) -> None:
    table = case.table()
    _swap(table, table.place("query"), table.place("item"))


@defect("content", "refused")
def items_and_values_swapped(case: Case) -> None:
    table = case.table()
    _swap(table, table.place("item"), _place_of_value(case))
    case.define(replace(case.written, found={}), "no |none|0 of")


@defect("content", "right")
def a_time_column(case: Case) -> None:
    table = _named(case)
    need("time" not in table.roles)
    _add_times(table)


@defect("content", "right or refused")
def a_time_at_the_end_of_lines(case: Case) -> None:
    table = case.table()
    need(table.names is None and "time" not in table.roles)
    _add_times(table)


@defect("content", "right")
def titles_with_quotes(case: Case) -> None:
    """A column that is not read has quotes, which may never close."""
    table = _named(case)
    need(table.style != "RecBole")
    titles = [*TITLES] * len(table.rows)
    _add_column(table, "title", "title", titles[: len(table.rows)], at=1)


TITLES = ["Heat", '"Heat', 'The "Heat"', '"The Matrix" poster', "", '"']


@defect("content", "right")
def quotes_without_quoting(case: Case) -> None:
    """The same in TSV whose quotes are not doubled."""
    need(case.table().style == "TSV")
    titles_with_quotes(case)
    case.table().style = "tabs"


def _add_times(table: Table) -> None:
    times = [881250949 + 1000 * number for number in range(len(table.rows))]
    _add_column(table, "time", "timestamp", times, at=len(table.roles))


@defect("content", "right or refused")
def a_time_in_place_of_the_label(case: Case) -> None:
    table = case.table()
    need("label" in table.roles and "time" not in table.roles)
    place = table.place("label")
    if table.names is not None:
        table.names[place] = "timestamp"
        case.define(case.written.all_relevant(), "each row|relevant")
    for number, row in enumerate(table.rows):
        row[place] = 881250949 + 1000 * number
    case.has_right = False


@defect("content", "refused")
def no_column_of_queries(case: Case) -> None:
    _drop(case, "query")


@defect("content", "refused")
def no_column_of_items(case: Case) -> None:
    _drop(case, "item")
    if case.table().style == "svmlight":  # whose lines have numbers
        case.has_right = case.forms[RUN].name == "scores of lines"
        case.define(replace(case.written, found={}), "No judged item")


@defect("content", "refused")
def no_column_of_values(case: Case) -> None:
    _place_of_value(case)
    need(len(case.table().roles) > 1)
    role = case.form.kind if case.form.kind in case.table().roles else "rank"
    _drop(case, role)
    case.define(case.written.all_relevant(), "each row|relevant")


def _drop(case: Case, role: str) -> None:
    table = case.table()
    place = table.place(role)
    for row in table.rows:
        del row[place]
    del table.roles[place]
    if table.names is not None:
        del table.names[place]


@defect("content", "right or refused")
def unknown_name_of_queries(case: Case) -> None:
    _rename(case, "query", "question_nr")


@defect("content", "right or refused")
def unknown_name_of_items(case: Case) -> None:
    _rename(case, "item", "thing")


def _rename(case: Case, role: str, name: str) -> None:
    table = _named(case)
    need(role in table.roles)
    assert table.names is not None
    table.names[table.place(role)] = name


@defect("content", "right or refused")
def unknown_name_of_labels(case: Case) -> None:
    _rename(case, "label", case.rng.choice(["grade_llm", "target", "judgment", "points"]))
    case.define(case.written.all_relevant(), "each row|relevant")


@defect("truth", "right or refused")
def unknown_name_of_labels_without_0(case: Case) -> None:
    need(case.which == LABELS and case.form.holds == "numbers")
    need(isinstance(case.form.build(case.written.judged), Table))
    case.meant = case.written = case.written.relabelled(lambda label: label or None)
    case.later = unknown_name_of_labels


@defect("content", "right or refused")
def unknown_name_of_scores(case: Case) -> None:
    need(case.form.kind == "score")
    _rename(case, "score", "points")


@defect("content", "right")
def names_passed(case: Case) -> None:
    """All columns have other names, which the caller passes."""
    _named(case)
    unknown = {"query": "question_nr", "item": "thing", "label": "worth", "score": "points"}
    for content in case.contents:
        need(isinstance(content, Table) and content.names)
        need(content.style != "RecBole" or len(content.roles) > 2)
        for role, name in {**unknown, "rank": "place"}.items():
            if role in content.roles:
                content.names[content.place(role)] = name
                case.named[role] = name
    need(not {"score", "rank"} <= case.named.keys())


@defect("content", "right")
def known_names_passed(case: Case) -> None:
    """The caller passes the names that would be found, too."""
    for content in case.contents:
        need(isinstance(content, Table) and content.names)
        for role in ("query", "item", "label", "score", "rank"):
            if role in content.roles:
                name = content.names[content.place(role)]
                need(case.named.setdefault(role, name) == name)
    need(not {"score", "rank"} <= case.named.keys())


@defect("content", "right")
def names_of_a_project(case: Case) -> None:
    table = _named(case)
    need(table.style != "RecBole")
    project = case.rng.choice(projects())
    for place, role in enumerate(table.roles):
        if role in ("query", "item", "label", "score", "rank"):
            need(project.name_of(role))
            assert table.names is not None
            table.names[place] = project.name_of(role)


@defect("content", "refused")
def a_name_passed_that_is_nowhere(case: Case) -> None:
    need(all(isinstance(content, Table) for content in case.contents))
    _named(case)
    need(case.contents[1 - case.which].names)
    role = case.rng.choice(["query", "item"])
    case.named[role] = "nowhere"


@defect("content", "right")
def distances_that_are_named(case: Case) -> None:
    """A column of distances is named so, and passed as the score."""
    need(case.which == RUN and case.door != AGREEMENT)
    table = _named(case)
    need("score" in table.roles and table.style != "RecBole")
    place = table.place("score")
    for row in table.rows:
        row[place] = 1 - row[place]
    assert table.names is not None
    table.names[place] = case.named["score"] = "distance"


@defect("content", "right")
def ranks_beside_the_scores(case: Case) -> None:
    need(case.which == RUN)
    table = _named(case)
    need(table.style != "RecBole")
    need("score" in table.roles)
    _add_column(table, "rank", "rank", _ranks_of_rows(table), at=2)


@defect("content", "right or refused")
def ranks_that_contradict_the_scores(case: Case) -> None:
    need(case.which == RUN)
    table = _named(case)
    need(table.style != "RecBole")
    need("score" in table.roles)
    ranks = [9 - rank for rank in _ranks_of_rows(table)]
    _add_column(table, "rank", "rank", ranks, at=2)
    case.has_right = False
    case.define(case.written, "rank")


def _ranks_of_rows(table: Table) -> list[int]:
    """Return the number of each row among those of its query."""
    seen: dict[Any, int] = {}
    ranks = []
    for row in table.rows:
        query = row[table.place("query")]
        seen[query] = seen.get(query, 0) + 1
        ranks.append(seen[query])
    return ranks


@defect("content", "right or refused")
def ranks_from_0(case: Case) -> None:
    _change_ranks(case, lambda rank: rank - 1)


@defect("content", "right or refused")
def ranks_from_2(case: Case) -> None:
    _change_ranks(case, lambda rank: rank + 1)
    case.define(_one_rank_lower(case.written), "rank")


def _one_rank_lower(truth: Truth) -> Truth:
    """Return a truth in which something that is not judged is above all lists."""
    found = {query: {"x": 9, **items} for query, items in truth.found.items()}
    return replace(truth, found=found)


@defect("content", "refused")
def iterations_that_vary(case: Case) -> None:
    """The second field of TREC's judgments has aspects, which nobody has asked for."""
    table = case.table()
    need("0" in table.roles)
    for number, row in enumerate(table.rows):
        row[table.place("0")] = number % 2


@defect("content", "right or refused")
def ranks_that_fall(case: Case) -> None:
    """What is taken for ranks are whole-number scores, the highest first."""
    _change_ranks(case, lambda rank: 10 - rank)
    case.define(_ranked_below_9(case.written), "rank", has_ranks=True)


def _ranked_below_9(truth: Truth) -> Truth:
    """Return a truth whose lists end at rank 9, backwards, below items that are not judged."""
    found = {}
    for query, items in truth.found.items():
        others = {f"x{number}": 9 for number in range(9 - len(items))}
        found[query] = others | {item: rank - 10 for rank, item in enumerate(items, 1)}
    return replace(truth, found=found)


@defect("content", "right or refused")
def ranks_that_all_tie(case: Case) -> None:
    _change_ranks(case, lambda rank: 1)
    case.has_right = False
    case.define(case.written.rescored(lambda _: 1), "rank|tie", has_ranks=True)


def _change_ranks(case: Case, new_rank: Callable[[int], int]) -> None:
    table = case.table()
    need(case.form.holds == "order" and "rank" in table.roles)
    place = table.place("rank")
    for row in table.rows:
        row[place] = new_rank(row[place])


@defect("content", "refused")
def no_id_in_a_row(case: Case) -> None:
    table = case.table()
    need(table.style in TEXT or case.form.has_types)
    place = table.place(case.rng.choice(["query", "item"]))
    table.rows[1][place] = None if case.form.has_types else ""


@defect("content", "refused")
def no_value_in_a_row(case: Case) -> None:
    place = _place_of_value(case)
    table = case.table()
    need(table.style in TEXT or case.form.has_types)
    table.rows[1][place] = None if case.form.has_types else ""


@defect("content", "refused")
def a_list_in_a_row(case: Case) -> None:
    table = case.table()
    need(case.form.has_types and table.style != "dict of arrays")
    place = table.place("item")
    for row in table.rows:
        row[place] = [row[place]]


@defect("content", "right or refused")
def values_as_text(case: Case) -> None:
    table = case.table()
    need(case.form.has_types)
    place = _place_of_value(case)
    for row in table.rows:
        row[place] = str(row[place])


@defect("content", "refused")
def labels_as_words(case: Case) -> None:
    need(case.which == LABELS)
    table = case.table()
    for row in table.rows:
        row[_place_of_value(case)] = "relevant" if row[_place_of_value(case)] else "not"


@defect("truth", "right or refused")
def floats_as_ids(case: Case) -> None:
    """Whole numbers became floats, as they do in a column that lacks some."""
    need(case.form.has_types)
    case.meant = case.written = with_digits(case.written)
    case.write(renamed(case.values(), str, float))
    case.define(replace(case.written, found={}), "no |none|0 of")


@defect("content", "refused")
def no_rows(case: Case) -> None:
    case.table().rows.clear()
    if case.which == RUN:
        case.define(replace(case.written, found={}), ON_ONE_SIDE)
