"""What the HTML pages have beside their text: bars, descriptions, roles for screen readers.

They set formulas and tables that are plain text in the sources, and a page is for wrong addresses.
Everything else about their looks is in ``_static`` and ``_templates``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from html import escape
from pathlib import Path
from textwrap import shorten
from typing import Any

from docutils import nodes
from formulas import NotAFormulaError, as_latex
from printed_tables import parts_of
from sphinx import addnodes
from sphinx.application import Sphinx

LONGEST = 160  # letters of a description, as search engines show them
COLUMNS, NARROW = 4, 13  # those of a table with narrow ones, and letters too many for such a one
NOT_FOUND = "404"

# The parts of the site in the bar above each page, and the page that each begins with.
PARTS = {
    "Guide": "getting_started",
    "API": "reference",
    "Gallery": "auto_examples/index",
    "Changes": "changelog",
}


def description_of(doctree: nodes.document) -> str:
    """Return the first sentences of a page: of its text, or of what it documents."""
    for paragraph in doctree.findall(nodes.paragraph):
        text = " ".join(paragraph.astext().split())
        is_text = isinstance(paragraph.parent, (nodes.section, addnodes.desc_content))
        if is_text and not text.startswith("In the guide: "):
            sentences = re.match(rf".{{40,{LONGEST - 1}}}[.?!](?= |$)", text)
            return sentences[0] if sentences else shorten(text, LONGEST, placeholder=" …")
    return ""


# What axe-core finds wrong with the roles that Sphinx, docutils and furo write.
ROLES = [
    ('<p class="caption" role="heading">', '<p class="caption" role="heading" aria-level="2">'),
    ('<div role="list" class="citation-list">', '<div class="citation-list">'),
    (' role="doc-biblioentry"', ""),
]


# Sphinx writes the lines of a long signature as a list of definitions without terms.
LINES = [("<dl>", '<span class="sig-lines">'), ("</dl>", "</span>")]
LINES += [("<dd>", "<span>"), ("</dd>", "</span>")]


def replace_all(html: str, replaced: list[tuple[str, str]]) -> str:
    """Return HTML in which each of some texts is replaced by another."""
    for old, new in replaced:
        html = html.replace(old, new)
    return html


def improve_roles(html: str) -> str:
    """Return HTML with roles that browsers and screen readers know."""
    html = replace_all(html, ROLES)
    signature = r'<dt class="sig .*?</dt>'
    return re.sub(signature, lambda each: replace_all(each[0], LINES), html, flags=re.DOTALL)


def break_code_in_tables(html: str) -> str:
    """Return HTML in which long names break between their words, in tables of many columns.

    Code of several words breaks at its spaces.
    """

    def with_breaks(code: re.Match[str]) -> str:
        text = re.sub(r"([_=(.](?=\w)|[a-z](?=[A-Z]))", r"\1<wbr>", code[2])
        return f"{code[1]}{text}{code[3]}"

    def in_table(table: re.Match[str]) -> str:
        if len(re.findall("</t[dh]>", table[0].partition("</tr>")[0])) < COLUMNS:
            return table[0]
        one_word = rf'(<code [^>]*><span class="pre">)([^<]{{{NARROW},}})(</span></code>)'
        return re.sub(one_word, with_breaks, table[0])

    return re.sub(r"<table.*?</table>", in_table, html, flags=re.DOTALL)


def titles_of_parts(doctree: nodes.document) -> Iterator[nodes.Element]:
    """Yield the titles of the parts of a docstring: Parameters, Returns, Notes and so on."""
    for content in doctree.findall(addnodes.desc_content):
        for child in content.children:
            if isinstance(child, nodes.field_list):
                yield from child.findall(nodes.field_name)
            elif isinstance(child, nodes.rubric):
                yield child


def documents_function(doctree: nodes.document) -> bool:
    """Whether a page documents a single function."""
    return [each["objtype"] for each in doctree.findall(addnodes.desc)] == ["function"]


def name_parts(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Give the parts of the docstring of a function addresses."""
    if documents_function(doctree):
        for part in titles_of_parts(doctree):
            part["ids"].append(nodes.make_id(part.astext()))


def add_to_page(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Improve the HTML, and describe a page that does not describe itself."""
    for key in ("body", "furo_navigation_tree"):
        if key in context:
            context[key] = break_code_in_tables(improve_roles(context[key]))
    if page == NOT_FOUND:
        context["pageurl"] = None
        context["metatags"] += '<meta name="robots" content="noindex">'
    if doctree is None or 'name="description"' in context["metatags"]:
        return
    description = escape(description_of(doctree))
    context["metatags"] += f'<meta name="description" content="{description}">'


def list_parts(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """List the parts of the docstring of a function beside it, instead of its name alone."""
    if doctree is None or not documents_function(doctree):
        return
    items = "".join(
        f'<li><a class="reference internal" href="#{part["ids"][0]}">{part.astext()}</a></li>'
        for part in titles_of_parts(doctree)
    )
    title = escape(context["title"])
    context["toc"] = f'<ul><li><a class="reference internal" href="#">{title}</a><ul>{items}</ul>'
    context["toc"] += "</li></ul>"


def part_with(page: str, app: Sphinx) -> str | None:
    """Return the part of the site that a page belongs to, if it is one of the text."""
    if page == app.config.root_doc or page not in app.env.found_docs or page == NOT_FOUND:
        return None
    if page.startswith("generated/"):
        return "API"
    if page.startswith("auto_examples/"):
        return "Gallery"
    return next((part for part, first in PARTS.items() if page == first), "Guide")


@cache
def sections_of_reference(app: Sphinx) -> list[tuple[str, str, list[str]]]:
    """Return the title and the address of each section of the reference, and the pages of it."""
    doctree = app.env.get_doctree(PARTS["API"])
    return [
        (
            section.next_node(nodes.title).astext(),
            section["ids"][0],
            [
                page
                for listed in section.findall(addnodes.toctree)
                for _, page in listed["entries"]
            ],
        )
        for section in doctree.findall(nodes.section)
        if section.next_node(addnodes.toctree) is not None and section.parent is not doctree
    ]


def list_reference(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Name the part of the site, and list the sections of the reference beside its pages.

    The section with the page is open. Elsewhere the list has all pages of the guide.
    """
    context["parts"], context["part"] = PARTS.items(), part_with(page, app)
    if context["part"] != "API":
        return

    def item(title: str, target: str, *, level: int, is_current: bool, below: str = "") -> str:
        name = f"toctree-l{level}" + " current" * is_current
        text = escape(title).replace("_", "_<wbr>")
        link = f'<a class="reference internal" href="{target}">{text}</a>'
        return f'<li class="{name}">{link}{below}</li>'

    pathto, first = context["pathto"], PARTS["API"]
    titles = {name: title.astext() for name, title in app.env.titles.items()}
    items = [item(titles[first], pathto(first), level=1, is_current=page == first)]
    for title, anchor, names in sections_of_reference(app):
        entries = "".join(
            item(titles[name], pathto(name), level=2, is_current=page == name) for name in names
        )
        address, is_current = f"{pathto(first)}#{anchor}", page in names
        below = f"<ul>{entries}</ul>"
        items.append(item(title, address, level=1, is_current=is_current, below=below))
    tree = f"<ul>{''.join(items)}</ul>"
    context["toctree"] = lambda **options: tree


def set_formulas(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Set the formulas of a page of the reference. Other blocks of text stay as they are."""
    if app.builder.format != "html" or not page.startswith("generated/"):
        return
    for block in list(doctree.findall(nodes.literal_block)):
        try:
            latex = as_latex(block.astext())
        except NotAFormulaError:
            continue
        formula = nodes.math_block("", latex, number=None, label=None, nowrap=False)
        block.replace_self(nodes.container("", formula, classes=["math-wrapper"]))  # as furo does


def show_tables(app: Sphinx, doctree: nodes.document, page: str) -> None:
    """Part the examples of a page where they print tables."""
    if app.builder.format != "html":
        return
    for block in list(doctree.findall(nodes.doctest_block)):
        parts: list[nodes.Node] = []
        for code, table in parts_of(block.astext()):
            classes = [] if table is None else ["prints-table"]
            parts.append(nodes.doctest_block(code, code, language="pycon", classes=classes))
            parts += [] if table is None else [nodes.raw("", table, format="html")]
        if len(parts) > 1:
            block.replace_self(parts)


def place_not_found(app: Sphinx, exception: Exception | None) -> None:
    """Let the page of wrong addresses find the others, if the address of the site is known.

    A server shows this page under the address that was asked for, at any depth. All its links are
    relative to its base, also those to its own parts, which therefore name it.
    """
    if exception is not None or app.builder.format != "html":
        return
    path = Path(app.outdir, f"{NOT_FOUND}.html")
    html = re.sub(r'(<a [^>]*href=")#', rf"\g<1>{path.name}#", path.read_text(encoding="utf-8"))
    if app.config.html_baseurl:
        base = f'<base href="{escape(app.config.html_baseurl.rstrip("/"))}/">'
        html = html.replace("<head>", f"<head>{base}", 1)
    path.write_text(html, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect all of this to Sphinx."""
    app.connect("doctree-resolved", name_parts)
    app.connect("doctree-resolved", set_formulas)
    app.connect("doctree-resolved", show_tables)
    app.connect("html-page-context", list_parts, priority=400)  # before others read the list
    app.connect("html-page-context", list_reference, priority=400)  # before furo reads the tree
    app.connect("html-page-context", add_to_page, priority=900)  # after furo
    app.connect("build-finished", place_not_found)
    return {"parallel_read_safe": True}
