"""How Sphinx builds these pages: ``python -m sphinx -W --keep-going -b html doc doc/_build/html``.

Nothing is fetched, neither by the build nor by the pages. The addresses of other projects' pages
are listed in ``inventories/``, and formulas become MathML, which browsers draw themselves. If a
reader asks the page "Try it on your files" for scores, it loads Python from ``pyodide_url``.
"""

from __future__ import annotations

import posixpath
import re
import sys
import zlib
from functools import partial
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.ext.intersphinx import missing_reference
from sphinx.util import logging

import ranking_scores

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parent / "examples"

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
    "sphinx.ext.intersphinx",
    "sphinx.ext.viewcode",
]
exclude_patterns = ["_build", "_templates", "inventories"]
templates_path = ["_templates"]
extlinks = {"doi": ("https://doi.org/%s", "doi:%s")}

# `name` links to what is documented under that name, and is shown as code if nothing is: in a
# terminal docstrings have to be readable too, so they have no roles.
default_role = "py:obj"
# A literal block is a formula, or for a shell. Doctests are coloured all the same, and so is the
# source of the package, unless this were "none".
highlight_language = "text"
autosummary_generate = True
numpydoc_show_inherited_class_members = {"ranking_scores.tables.RankingData": False}  # of tuple
# Types of parameters link to what they are; words that are no types are left alone.
numpydoc_xref_param_type = True
numpydoc_xref_ignore = "all"
numpydoc_xref_aliases = {  # beside those of numpydoc, such as int and ndarray
    "None": "None",  # no link, since it is nearly everywhere
    "Generator": "numpy.random.Generator",
    "array-like": ":term:`sklearn:array-like`",
    "estimator": ":term:`sklearn:estimator`",
    "iterator": ":term:`python:iterator`",
    "os.PathLike": ":class:`os.PathLike`",
    "scipy.sparse.csr_array": ":class:`scipy.sparse.csr_array`",
    "sparse": ":doc:`sparse </layouts>`",
    "table": ":doc:`table </tables>`",
    "tables": ":doc:`tables </tables>`",
    "RankingReport": "ranking_scores.RankingReport",
    "StreamingScore": "ranking_scores.StreamingScore",
    "Convention": "Convention",
    "Program": "ranking_scores.conventions.Program",
    "ProgramScore": "ranking_scores.conventions.ProgramScore",
    "QueryRanker": "ranking_scores.rankers.QueryRanker",
    "Condition": "ranking_scores.gates.Condition",
    "GateResult": "ranking_scores.gates.GateResult",
    "ItemToJudge": "ranking_scores.unjudged.ItemToJudge",
    "ScoreBounds": "ranking_scores.unjudged.ScoreBounds",
    "AnswerCurve": "ranking_scores.unanswerable.AnswerCurve",
    **{
        name: f"ranking_scores.agreement.{name}"
        for name in [
            "AgreementReport",
            "LabelAgreement",
            "QueryAgreement",
            "Swap",
            "SystemAgreement",
        ]
    },
    "QueriesSeen": "ranking_scores.tables.QueriesSeen",
    "RankingData": "ranking_scores.tables.RankingData",
    "Agreement": "ranking_scores.testing.Agreement",
    "TieReport": "ranking_scores.ties.TieReport",
    **{
        name: f"ranking_scores.significance.{name}"
        for name in [
            "Changes",
            "Comparison",
            "Comparisons",
            "ConfidenceInterval",
            "HumanLabels",
            "ListChange",
            "MovedItem",
            "QueryChange",
            "ScoreChange",
        ]
    },
    **{
        name: f"ranking_scores.explain.{name}"
        for name in [
            "DifferenceExplanation",
            "ItemMove",
            "ItemPart",
            "Match",
            "QueryExplanation",
            "QueryExplanations",
            "Step",
        ]
    },
    **{
        name: f"ranking_scores.plotting.{name}"
        for name in [
            "AnswerCurveDisplay",
            "ComparisonDisplay",
            "QueryDifferenceDisplay",
            "RankingCurveDisplay",
            "RankingDisplay",
            "RanksDisplay",
        ]
    },
}
# "none", or each score would be shown with the signatures of all its overloads.
autodoc_typehints = "none"
python_maximum_signature_line_length = 60  # a longer one has a line for each parameter
python_trailing_comma_in_multi_line_signatures = False

# The class is documented with its methods; a list of them beside that would link to nothing.
numpydoc_show_class_members = False

# Pictures are drawn by the examples in the pages, without a background: dark pages invert them.
plot_formats = ["svg"]
plot_html_show_formats = False
plot_html_show_source_link = False
plot_pre_code = ""  # so that the pages run when they are copied
plot_working_directory = str(EXAMPLES)  # some pages import from there
plot_rcparams = {"axes.facecolor": "none", "savefig.facecolor": "none", "svg.hashsalt": project}
plot_apply_rcparams = True

html_theme = "furo"
html_title = f"ranking_scores {version}"
html_math_renderer = "mathml"
intersphinx_mapping: dict[str, tuple[str, str]] = {}  # filled by write_inventories
html_static_path = ["_static"]
html_baseurl = ""  # the address of the published pages: -D html_baseurl=https://example.org/docs
# The folder with Pyodide and the libraries of its pyodide-lock.json. -D pyodide_url=... names
# another copy, such as one on the same server.
pyodide_url = "https://cdn.jsdelivr.net/pyodide/v314.0.7/full/"
html_css_files = ["formulas.css", "layout.css"]
html_js_files = ["pages.js"]
pygments_dark_style = "github-dark"  # furo's default underlines the names of modules
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


# --- the reference ------------------------------------------------------------------------------

# Which methods and attributes a page of a class has. It has those of its results, not those that
# it inherits from a tuple or from scikit-learn.
MEMBERS = {
    "RankingReport": "to_frame, summary_frame",
    "StreamingScore": "update, merge, __add__, compute, reset",
    "ProgramScore": "",
    "QueryRanker": "fit, predict, predict_proba, decision_function",
    "TieReport": "",
    "Condition": "",
    "GateResult": "require, to_frame, to_markdown",
    "Comparison": "",
    "Comparisons": "to_frame",
    "ConfidenceInterval": "",
    "HumanLabels": "",
    "RelevanceEvaluator": "evaluate",
    "RankingCurveDisplay": "from_predictions, from_estimator, from_cv_results, plot",
    "ComparisonDisplay": "plot",
    "QueryDifferenceDisplay": "plot",
    "RankingDisplay": "from_predictions, from_explanation, plot",
    "RanksDisplay": "plot",
    "AnswerCurveDisplay": "plot",
    "AnswerCurve": "to_frame, to_markdown",
    "QueryExplanation": "to_frame, moves_frame",
    "QueryExplanations": "to_frame, moves_frame",
}


def sections_of_scores() -> dict[str, str]:
    """Return the section about each score, from the table of all metrics."""
    row = r":ref:`[^`<]+<([\w-]+)>`.*?:func:`~ranking_scores\.(\w+)`"
    rows = (HERE / "metrics.rst").read_text(encoding="utf-8").split("\n   * - ")
    found = [match for each in rows if (match := re.match(row, each, re.DOTALL))]
    return {match[2]: f":ref:`{match[1]}`" for match in found}


# Where the guide shows what a page of the reference describes: the section of a score, or the
# page of a module.
GUIDE = {
    **sections_of_scores(),
    "RankingReport": ":doc:`/report`",
    "StreamingScore": ":doc:`/streaming`",
    "make_ranking_scorer": ":doc:`/model_selection`",
    "qid_from_sizes": ":doc:`/getting_started`",
    "ranking_report": ":doc:`/report`",
    "from_exact_search": ":doc:`/vector_index`",
    "from_lists": ":doc:`/lists_of_ids`",
    "inverse_propensity": ":doc:`/classifiers`",
    "retrieved_from_ids": ":doc:`/layouts`",
    "sizes_from_qid": ":doc:`/getting_started`",
    "weighted_labels": ":doc:`/classifiers`",
    "ranking_scores.conventions": ":doc:`/conventions`",
    "ranking_scores.agreement": ":doc:`/agreement`",
    "ranking_scores.compat.ir_measures": ":doc:`/moving`",
    "ranking_scores.compat.pytrec_eval": ":doc:`/moving`",
    "ranking_scores.compat.ranx": ":doc:`/moving`",
    "ranking_scores.exceptions": ":ref:`errors`",
    "ranking_scores.explain": ":doc:`/explain`",
    "ranking_scores.gates": ":doc:`/gates`",
    "ranking_scores.unanswerable": ":ref:`questions-without-an-answer`",
    "ranking_scores.unjudged": ":doc:`/unjudged`",
    "ranking_scores.plotting": ":ref:`pictures`",
    "ranking_scores.rankers": ":doc:`/rankers`",
    "ranking_scores.report": ":doc:`/report`",
    "ranking_scores.scale": ":doc:`/scale`",
    "ranking_scores.significance": ":doc:`/significance`",
    "ranking_scores.streaming": ":doc:`/streaming`",
    "ranking_scores.tables": ":doc:`/tables`",
    "ranking_scores.testing": ":doc:`/check_a_metric`",
    "ranking_scores.ties": ":doc:`/tie_report`",
    "ranking_scores.trec": ":doc:`/trec`",
}

autosummary_context = {
    "guide": GUIDE,
    "members_of": MEMBERS,
    "only_returned": ["Judgments", "RankingReport"],
}


PAGES_IN_DOCSTRINGS = {"Data formats and masks": "layouts", "Choosing a metric": "metrics"}
"""The pages that docstrings name by their titles in quotation marks."""


def link_to_pages(
    app: Sphinx, what: str, name: str, obj: object, options: object, lines: list[str]
) -> None:
    """Link list columns, which numpydoc takes for the word list, and the pages of the guide."""
    for number, line in enumerate(lines):
        lines[number] = re.sub(
            r"^(\w+ : .*)\blist column\b", r"\1:doc:`list column </layouts>`", line
        )
    text = "\n".join(lines)
    for title, page in PAGES_IN_DOCSTRINGS.items():
        pattern = title.replace(" ", r"\s+")
        text = re.sub(f'"({pattern})"', rf":doc:`\1 </{page}>`", text)
    lines[:] = text.split("\n")


def link_change_log(app: Sphinx, path: Path, docname: str, content: list[str]) -> None:
    """Link the pages of the guide in the change log, whose links are for its readers on GitHub."""
    if path.name == "CHANGELOG.rst":
        content[0] = re.sub(r"(`[^`<]+ )<doc/(\w+)\.rst>`__", r":doc:\1</\2>`", content[0])


PAGES_OF_README = re.findall(r"<doc/(\w+)\.rst>", (HERE.parent / "README.rst").read_text("utf-8"))
"""The pages to which the README links."""


def documented() -> dict[str, str]:
    """Return the whole name of each name of the reference, but for those of other programs."""
    text = (HERE / "reference.rst").read_text(encoding="utf-8")
    _, *parts = re.split(r"^\.\. currentmodule:: (.+)$", text, flags=re.MULTILINE)
    return {
        name: f"{module}.{name}"
        for module, listed in zip(parts[::2], parts[1::2], strict=True)
        for name in re.findall(r"^   (\w+)$", listed, re.MULTILINE)
        if ".compat" not in module
    }


def link_pages_of_readme(app: Sphinx, page: str, content: list[str]) -> None:
    """Link the pages that the README names, which have no roles of Sphinx.

    A code host shows their source, and would show the roles, too. Their links are those of its
    files, and names of the package are literals.
    """
    if page not in PAGES_OF_README:
        return
    names = documented()
    text = re.sub(r"(`[^`<]+)<gallery/(\w+)\.py>`__", r":doc:\1</auto_examples/\2>`", content[0])
    text = re.sub(r"(`[^`<]+)<(\w+)\.rst>`__", r":doc:\1</\2>`", text)
    text = re.sub(r"(`[^`<]+)<\w+\.rst#([\w-]+)>`__", r":ref:\1<\2>`", text)
    content[0] = re.sub(
        r"``((?:\w+\.)?(\w+))``",
        lambda name: f":obj:`{name[1]} <{names[name[2]]}>`" if name[2] in names else name[0],
        text,
    )


# --- links to other projects --------------------------------------------------------------------


def write_inventories(app: Sphinx, config: Config) -> None:
    """Pack the lists of addresses as intersphinx reads them: from files, never from the network.

    The first line of ``inventories/name.txt`` is the address of the project's pages.
    """
    folder = Path(app.doctreedir) / "inventories"
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted((HERE / "inventories").glob("*.txt")):
        address, _, names = path.read_text(encoding="utf-8").partition("\n")
        header = f"# Sphinx inventory version 2\n# Project: {path.stem}\n# Version: \n"
        header += "# The remainder of this file is compressed using zlib.\n"
        packed = folder / f"{path.stem}.inv"
        packed.write_bytes(header.encode() + zlib.compress(names.encode()))
        config.intersphinx_mapping[path.stem] = (address, str(packed))


def warn_of_unknown(
    app: Sphinx, env: BuildEnvironment, node: nodes.Element, text: nodes.Element
) -> None:
    """Warn of a name of another project whose address is not listed, which fails the build."""
    if missing_reference(app, env, node, text) is not None:
        return
    name = node.get("reftarget", "")
    listed = {path.stem for path in (HERE / "inventories").glob("*.txt")}
    if name.partition(".")[0] in listed and "." in name:
        logger = logging.getLogger(__name__)
        logger.warning("add %s to doc/inventories", name, location=node)


def unlink_cutoffs(app: Sphinx, doctree: nodes.document) -> None:
    """Leave scores such as ndcg@10 as they are: docutils takes them for addresses of mail."""
    for node in list(doctree.findall(nodes.reference)):
        if node.get("refuri", "").startswith("mailto:"):
            node.replace_self(nodes.Text(node.astext()))


# --- pages that are gone ------------------------------------------------------------------------

# Where their content is now: a page, or a section of one. Their addresses lead there.
OLD_PAGES = {
    "add_a_layout": "extending#what-a-layout-is",
    "add_a_metric": "extending",
    "auto_examples/plot_bfloat16": "tie_report",
    "auto_examples/plot_is_b_better": "significance",
    "auto_examples/plot_parquet_to_spark": "clusters",
    "auto_examples/plot_streaming": "streaming",
    "auto_examples/plot_ties_in_six_libraries": "conventions",
    "auto_examples/plot_two_data_frames": "tables",
    "auto_examples/plot_vector_index": "layouts",
    "catboost": "rankers#catboost",
    "changes": "gates#what-changed-since-yesterday",
    "citing": "about#how-to-cite",
    "hit_rate": "metrics#hit-rate",
    "how_to_large": "scale",
    "item_weights": "metrics#item-weights",
    "lightgbm": "rankers#lightgbm",
    "plotting": "report#pictures",
    "scale_dask": "clusters#dask",
    "scale_spark": "clusters#spark",
    "scikit_learn": "rankers#scikit-learn-s-regressors",
    "scope": "about#what-is-out-of-scope",
    "sklearn_differences": "moving#differences-from-scikit-learn",
    "stability": "about#what-will-not-change",
    "threads": "scale#several-cores",
    "training_loops": "streaming",
    "traps": "troubleshooting#mistakes-that-raise-no-error",
    "xgboost": "rankers",
}

REDIRECT = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>This page has moved</title>
<meta http-equiv="refresh" content="0; url={address}"><link rel="canonical" href="{canonical}">
</head><body><p>This page is now <a href="{address}">here</a>.</p></body></html>
"""


def redirect_old_pages(app: Sphinx, exception: Exception | None) -> None:
    """Write a page at each old address that leads to the new one, which has to exist."""
    if exception is not None or app.builder.name != "html":
        return
    for old, new in OLD_PAGES.items():
        page, _, section = new.partition("#")
        path = Path(app.outdir, f"{page}.html")
        is_there = path.is_file() and page in app.env.found_docs
        if is_there and section:
            is_there = f'id="{section}"' in path.read_text(encoding="utf-8")
        if not is_there or old in app.env.found_docs:
            raise ExtensionError(f"OLD_PAGES of conf.py leads from {old} to {new}")
        address = app.builder.get_relative_uri(old, page)
        if section:
            address += f"#{section}"
        path = Path(app.outdir, f"{old}.html")
        path.parent.mkdir(parents=True, exist_ok=True)
        site = app.config.html_baseurl
        canonical = posixpath.join(site, f"{page}.html") if site else address
        html = REDIRECT.format(address=address, canonical=canonical)
        path.write_text(html, encoding="utf-8")


# --- the layout of a page -----------------------------------------------------------------------


def list_sections(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """List the sections of a long page below its title, shown if there is no room beside it."""
    contents = context.get("toc", "")
    if doctree is None or contents.count("<li>") < 5:
        return
    title, end, rest = context["body"].partition("</h1>")
    listed = f'<details class="page-contents"><summary>On this page</summary>{contents}</details>'
    context["body"] = f"{title}{end}{listed if end else ''}{rest}"


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect all of this to Sphinx, and make MathML known to it as a way to draw formulas."""
    app.connect("config-inited", write_inventories, priority=700)
    app.connect("autodoc-process-docstring", link_to_pages, priority=400)  # before numpydoc
    app.connect("include-read", link_change_log)
    app.connect("source-read", link_pages_of_readme)
    app.connect("missing-reference", link_to_package)
    app.connect("missing-reference", warn_of_unknown, priority=900)
    app.connect("doctree-read", unlink_cutoffs)
    app.connect("html-page-context", list_sections)
    app.connect("build-finished", redirect_old_pages)
    app.add_html_math_renderer(
        "mathml",
        inline_renderers=(partial(draw_formula, as_block=False), None),
        block_renderers=(partial(draw_formula, as_block=True), None),
    )
    return {"parallel_read_safe": True}


# Drawings, the logo, the gallery, and what coding assistants read.

sys.path.insert(0, str(Path(__file__).parent))  # where the package `pictures` is
extensions += [
    "docstrings",
    "known_names_table",
    "llms",
    "pictures",
    "run_in_browser",
    "scores_table",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns += ["gallery"]  # its pages are those in auto_examples
html_logo = html_favicon = "_static/logo.svg"
html_css_files += ["pictures.css"]
extensions += ["html_pages"]
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "auto_examples",
    "within_subsection_order": "pictures.gallery.InOrder",
    "abort_on_example_error": True,
    "image_scrapers": ("pictures.gallery.save_svg",),
    "reset_modules": ("matplotlib", "pictures.gallery.set_up"),
    "reset_modules_order": "both",
    "ignore_repr_types": r"matplotlib\.",
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_signature": False,
    "write_computation_times": False,
}
