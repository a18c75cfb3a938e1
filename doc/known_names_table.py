"""Write the tables of the columns, answers and judgments of other projects, for the guide.

The owner of the names is ``ranking_scores/_tables/known_names.toml``. As an extension of Sphinx,
this module writes the files of `TABLES` to ``_tables`` before the pages are read.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ranking_scores._tables._answers import (
    forms_of_dicts,
    forms_of_objects,
    wrappers,
)
from ranking_scores._tables._known_names import ROLES, content, projects

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def columns() -> str:
    """Return the table of the names of columns."""
    rows = [["files and frames of", *ROLES]]
    for project in projects():
        title = linked(", ".join(project.names()), project.source)
        rows.append([title, *(literal(project.name_of(role)) for role in ROLES)])
    return as_table(rows)


def answers() -> str:
    """Return the table of answers."""
    rows = [["answer of", "what was found", "id", "score", "several queries", "checked"]]
    for form in (*forms_of_dicts(), *forms_of_objects()):
        title = linked(", ".join([form.name, *form.others]), form.source)
        hits = literal(f"{form.hits}[]" if form.hits and not form.module else form.hits)
        if form.module:
            hits = f"{hits} of a " * bool(form.hits) + literal(form.type)
        scores = [
            literal(path.lstrip("-")) + ", smaller is better" * path.startswith("-")
            for path in form.scores
        ]
        score = "second of a pair" if form.may_be_paired else " or ".join(scores)
        if form.may_be_distance:
            score += ", or a distance"
        own_id = " or ".join(map(literal, form.ids))
        several = "a list for each" if form.are_columns else literal(form.batch)
        rows.append([title, hits, own_id, score, several, form.checked])
    for wrapper in wrappers():
        title = linked(wrapper.name, wrapper.source)
        body = literal(wrapper.body) or "a list"
        rows.append([title, f"{body} of a ``{wrapper.type}``", "", "", "", wrapper.checked])
    return as_table(rows)


def judgments() -> str:
    """Return the table of the judgments of search engines."""
    rows = [["judgments of", "queries", "judged items", "id of a query", "id", "label", "checked"]]
    for form in content()["judgments"]:
        lists = [literal(f"{form[name]}[]") for name in ("queries", "ratings")]
        names = [literal(form[name]) for name in ("query", "id", "label")]
        rows.append([linked(form["name"], form["source"]), *lists, *names, form["checked"]])
    return as_table(rows)


def names_of_answers() -> str:
    """Return the names of those whose answers are known, instead of the table."""
    forms = (*forms_of_dicts(), *forms_of_objects())
    names = dict.fromkeys(name for form in forms for name in (form.name, *form.others))
    return f"{', '.join(names)}.\n"


TABLES = {
    "known_names.inc": columns,
    "known_answers.inc": answers,
    "known_judgments.inc": judgments,
}


def linked(text: str, address: str) -> str:
    """Return a text as a link, if there is an address."""
    return f"`{text} <{address}>`__" if address else text


def literal(name: str) -> str:
    """Return a name as code, or nothing."""
    return f"``{name}``" if name else ""


def as_table(rows: list[list[str]]) -> str:
    """Return rows as a table of which the first row is the head."""
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for cells in rows:
        lines += [f"   {'*' if not number else ' '} - {cell}" for number, cell in enumerate(cells)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def write(app: Sphinx) -> None:
    """Write the tables that are not there yet, or have changed."""
    folder = Path(app.srcdir, "_tables")
    folder.mkdir(exist_ok=True)
    for name, text in TABLES.items():
        path, new = folder / name, text()
        if not path.exists() or path.read_text(encoding="utf-8") != new:
            path.write_text(new, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Write when a build begins."""
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True}
