"""What the HTML pages have beside their text: descriptions, roles for screen readers, a 404 page.

Everything else about their looks is in ``_static`` and ``_templates``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from textwrap import shorten
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

LONGEST = 160  # letters of a description, as search engines show them
COLUMNS, NARROW = 4, 13  # those of a table with narrow ones, and letters too many for such a one
NOT_FOUND = "404"


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


def improve_roles(html: str) -> str:
    """Return HTML with roles that browsers and screen readers know."""
    for old, new in ROLES:
        html = html.replace(old, new)
    return html


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


def parts_of(doctree: nodes.document) -> Iterator[nodes.Element]:
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
        for part in parts_of(doctree):
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
        for part in parts_of(doctree)
    )
    title = escape(context["title"])
    context["toc"] = f'<ul><li><a class="reference internal" href="#">{title}</a><ul>{items}</ul>'
    context["toc"] += "</li></ul>"


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
    app.connect("html-page-context", list_parts, priority=400)  # before others read the list
    app.connect("html-page-context", add_to_page, priority=900)  # after furo
    app.connect("build-finished", place_not_found)
    return {"parallel_read_safe": True}
