"""Write the table of the names that other projects give to columns, for the guide.

The owner of the names is ``ranking_scores/_tables/known_names.toml``. As an extension of Sphinx,
this module writes ``_tables/known_names.inc`` before the pages are read.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ranking_scores._tables import ROLES, projects

if TYPE_CHECKING:
    from sphinx.application import Sphinx

HEAD = ["files and frames of", *ROLES]


def text() -> str:
    """Return the table."""
    rows = [HEAD]
    for project in projects():
        names = ", ".join(project.names())
        title = f"`{names} <{project.source}>`__" if project.source else names
        columns = [f"``{name}``" if name else "" for name in map(project.name_of, ROLES)]
        rows.append([title, *columns])
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for cells in rows:
        lines += [f"   {'*' if not number else ' '} - {cell}" for number, cell in enumerate(cells)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def write(app: Sphinx) -> None:
    """Write the table if it is not there yet, or has changed."""
    path, new = Path(app.srcdir, "_tables", "known_names.inc"), text()
    path.parent.mkdir(exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != new:
        path.write_text(new, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Write when a build begins."""
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True}
