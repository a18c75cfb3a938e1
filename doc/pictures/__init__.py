"""The drawings of the guide, each by a module with a function ``draw``.

As an extension of Sphinx this package draws all of them into ``doc/_pictures`` before the pages
are read. The README needs two of them without a build, so those are kept in the repository:
``python -m pictures``, run in the folder ``doc``, draws them anew.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx

    from pictures.svg import Picture

NAMES = ["benchmarks", "expected_gain", "layouts", "six_libraries"]
OF_README = {
    name: Path(__file__).with_name(f"{name}.svg") for name in ("benchmarks", "six_libraries")
}


def draw(name: str) -> Picture:
    """Return the drawing of a module."""
    picture: Picture = import_module(f"pictures.{name}").draw()
    return picture


def for_readme(name: str) -> str:
    """Return what the README shows, in the colours that the reader's system asks for."""
    return draw(name).to_svg(follows_system=True)


def draw_all(app: Sphinx) -> None:
    """Write each drawing that is not there yet, or has changed."""
    folder = Path(app.srcdir) / "_pictures"
    folder.mkdir(exist_ok=True)
    for name in NAMES:
        path, text = folder / f"{name}.svg", draw(name).to_svg()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Draw when a build begins."""
    app.connect("builder-inited", draw_all)
    return {"parallel_read_safe": True}
