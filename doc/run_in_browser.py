"""What the page "Try it on your files" needs to run: its script, and the package.

As an extension of Sphinx this module gives the page its script, with the address of Pyodide that
``pyodide_url`` in conf.py has, and writes the package beside it. The script loads both when a
reader asks for scores, and not before. A page that was opened from a disk may load scripts but no
other files, so the package is a script, too.
"""

from __future__ import annotations

import base64
import io
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ranking_scores

if TYPE_CHECKING:
    from docutils import nodes
    from sphinx.application import Sphinx

HERE = Path(__file__).resolve().parent
PAGE = "try_it"
SCRIPT, PYTHON_PART, PACKAGE = "try_it.js", "try_it_page.py", "try_it_package.js"
"""The script of the page, its part in Python, and the file that both are packed in."""
DATE = (1980, 1, 1, 0, 0, 0)
"""The date of each packed file, so that the same sources have the same bytes."""


def packed() -> bytes:
    """Return a zip of the package and of the Python part of the page."""
    package = Path(ranking_scores.__file__).parent
    files = {
        path.relative_to(package.parent).as_posix(): path
        for path in package.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    files[PYTHON_PART] = HERE / PYTHON_PART
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, path in sorted(files.items()):
            entry = zipfile.ZipInfo(name, DATE)
            archive.writestr(entry, path.read_bytes(), zipfile.ZIP_DEFLATED)
    return content.getvalue()


def as_script(archive: bytes) -> str:
    """Return a script that gives the page a zip."""
    return f'globalThis.packedForTryIt = "{base64.b64encode(archive).decode()}";\n'


def add_script(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Give the page its script, which reads the address of Pyodide from its own element."""
    if page == PAGE:
        url = app.config.pyodide_url.rstrip("/") + "/"
        app.add_js_file(SCRIPT, loading_method="defer", **{"data-pyodide": url})


def write_package(app: Sphinx, exception: Exception | None) -> None:
    """Write the package beside the script of the page."""
    if exception is None and app.builder.format == "html":
        path = Path(app.outdir, "_static", PACKAGE)
        path.write_text(as_script(packed()), encoding="ascii")


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect this to Sphinx, and make the address of Pyodide a setting of conf.py."""
    app.add_config_value("pyodide_url", "", "html", (str,))
    app.connect("html-page-context", add_script)
    app.connect("build-finished", write_package)
    return {"parallel_read_safe": True}
