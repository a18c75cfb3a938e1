"""How Sphinx builds these pages: ``python -m sphinx -W --keep-going -b html doc doc/_build/html``.

Nothing is fetched, neither by the build nor by the pages: links to other projects are plain
addresses, and formulas become MathML, which browsers draw themselves.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util import logging

import ranking_scores

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"

project = "ranking_scores"
author = "The ranking_scores developers"
project_copyright = f"2026, {author}"
version = release = ranking_scores.__version__

extensions = [
    "matplotlib.sphinxext.plot_directive",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.extlinks",
]
exclude_patterns = ["_build"]
extlinks = {"doi": ("https://doi.org/%s", "doi:%s")}

# `name` links to what is documented under that name, and is shown as code if nothing is: in a
# terminal docstrings have to be readable too, so they have no roles.
default_role = "py:obj"
# A literal block is a formula, or for a shell. Doctests are coloured all the same.
highlight_language = "none"
autosummary_generate = True
numpydoc_show_inherited_class_members = {"ranking_scores.tables.RankingData": False}  # of tuple
# "none", or the signatures shown would be the overloads, which leave out most parameters.
autodoc_typehints = "none"

# The class is documented with its methods; a list of them beside that would link to nothing.
numpydoc_show_class_members = False

# Pictures are drawn by the examples in the pages, white behind them also on dark pages.
plot_formats = ["svg"]
plot_html_show_formats = False
plot_html_show_source_link = False
plot_pre_code = ""  # so that the pages run when they are copied
plot_working_directory = str(EXAMPLES)  # some pages import from there
plot_rcparams = {"savefig.facecolor": "white", "svg.hashsalt": project}
plot_apply_rcparams = True

html_theme = "furo"
html_title = f"ranking_scores {version}"
html_math_renderer = "mathml"
html_static_path = ["_static"]
html_css_files = ["formulas.css"]
html_copy_source = False


def draw_formula(translator: Any, node: nodes.math | nodes.math_block, *, as_block: bool) -> None:
    """Write a formula as MathML; one that cannot be read is a warning, so fails the build."""
    try:
        formula = tex2mathml(node.astext(), as_block=as_block)
    except MathError as error:
        logging.getLogger(__name__).warning("formula: %s", error, location=node)
    else:
        translator.body.append(f'<div class="math">{formula}</div>' if as_block else formula)
    raise nodes.SkipNode


def link_to_package(
    app: Sphinx, env: BuildEnvironment, node: nodes.Element, text: nodes.Element
) -> nodes.Element | None:
    """Link a name of the package where the docstring of one of its modules has it."""
    name = node["reftarget"]
    if name not in ranking_scores.__all__:
        return None
    python, in_package = env.get_domain("py"), f"ranking_scores.{name}"
    return python.resolve_xref(env, node["refdoc"], app.builder, "obj", in_package, node, text)


def unlink_scores(app: Sphinx, document: nodes.document) -> None:
    """Make text again of scores at a cutoff, as in nDCG@10, which are no addresses of mail."""
    for link in [*document.findall(nodes.reference)]:
        address = link.get("refuri", "")
        if address.startswith("mailto:") and "." not in address:
            link.replace_self(nodes.Text(link.astext()))


def setup(app: Sphinx) -> dict[str, bool]:
    """Make MathML known to Sphinx as a way to draw formulas, and find names of the package."""
    app.connect("missing-reference", link_to_package)
    app.connect("doctree-read", unlink_scores)
    app.add_html_math_renderer(
        "mathml",
        inline_renderers=(partial(draw_formula, as_block=False), None),
        block_renderers=(partial(draw_formula, as_block=True), None),
    )
    return {"parallel_read_safe": True}
