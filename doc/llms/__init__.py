"""Write the guide for programs that write code: ``llms.txt`` and ``llms-full.txt``.

``llms.txt`` lists the pages, in the form that https://llmstxt.org describes. ``llms-full.txt`` has
the text of the pages and a short description of each public name. Both come from the sources and
not from Sphinx, so that the tests can write them too. As an extension of Sphinx this package
writes them beside the pages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

import known_names_table
import scores_table

import ranking_scores
from llms.markdown import Translator
from llms.pages import (
    DOC,
    all_pages,
    description_of,
    labels_of,
    sections_of,
    source_of,
    title_of,
    toctrees,
    without_left_out,
)
from llms.reference import describe
from ranking_scores.conventions import programs

if TYPE_CHECKING:
    from sphinx.application import Sphinx

ABOUT_THE_TEXT = """\
This is the guide of the Python package ranking_scores {version} as one text, for programs that
write code. Its pages are in the order of the guide. The page "{reference}" describes each public
function and class in short: the signature, the summary, the parameters, the results and the first
example. `help` shows the rest.

{left_out} The end of a page names the sections that are left out of it. The file llms.txt has the
addresses of all pages.

Install the package from a clone of the repository: `python -m pip install .`

The examples of a page run in one session, from the first to the last, so that a name may come from
an example above. Those of the reference run alone. A line such as "Needs: optuna" names what the
examples of a section import beside the package. `learning_to_rank` is a module in the folder
`examples` of the repository. In the output, `...` is any text, `<BLANKLINE>` is an empty line, and
numbers may have fewer digits than Python prints.
"""


def measures_of_programs() -> str:
    """Return the measures of other programs, without what is special about each."""
    lines = ["The tables are left out here. These are the programs and their measures:", ""]
    for program in sorted(programs().values(), key=lambda each: each.name.lower()):
        measures = ", ".join(f"``{name}``" for name in program.measures)
        lines.append(f"- {program.name}: {measures}")
    return "\n".join(lines)


INCLUDED: dict[str, Callable[[], str]] = {
    "_tables/known_names.inc": known_names_table.columns,
    "_tables/known_answers.inc": known_names_table.names_of_answers,
    "_tables/known_judgments.inc": known_names_table.judgments,
    "_tables/scores.inc": scores_table.text,
    "programs.inc": measures_of_programs,
}
"""The text of each file that a page includes, or a shorter one."""


def index_text(base: str = "") -> str:
    """Return the list of the pages, ``llms.txt``. Their addresses begin with that of the guide."""
    home = source_of("index")
    blocks = [
        f"# {title_of(home)}",
        f"> {description_of(home)}",
        f"The guide is also one file of text, without proofs and measurements: "
        f"[llms-full.txt]({base}llms-full.txt)",
    ]
    for caption, pages in toctrees().items():
        links = []
        for page in pages:
            text = source_of(page)
            links.append(f"- [{title_of(text)}]({base}{page}.html): {description_of(text)}")
        blocks += [f"## {caption}", "\n".join(links)]
    return "\n\n".join(blocks) + "\n"


def full_text() -> str:
    """Return the guide as one text, ``llms-full.txt``."""
    translator = translator_of_pages()
    blocks, left_out = [], []
    for pages in toctrees().values():
        for page in pages:
            text = [*page_text(page, translator)]
            blocks += text
            left_out += [] if text else [f'"{title_of(source_of(page))}"']
    about = ABOUT_THE_TEXT.format(
        version=ranking_scores.__version__,
        reference=title_of(source_of("reference")),
        left_out=fill(f"These pages are left out: {', '.join(left_out)}.", 99),
    )
    return "\n\n".join(["# ranking_scores", about.rstrip(), *blocks]) + "\n"


def translator_of_pages() -> Translator:
    """Return a translator that knows the titles of all pages."""
    titles = {}
    for page in all_pages():
        text = source_of(page)
        titles |= {page: title_of(text), **dict(labels_of(text))}
    return Translator(
        titles,
        substitutions={"release": ranking_scores.__version__},
        folder=DOC,
        include=lambda name: INCLUDED[name](),
        describe=describe,
    )


def page_text(page: str, translator: Translator) -> Iterator[str]:
    """Yield the blocks of a page, nothing if it is left out."""
    sections, left_out = without_left_out(sections_of(source_of(page)))
    for section in sections:
        if section.title:
            yield f"{'#' * (section.level + 1)} {translator.inline(section.title)}"
        yield from translator.blocks(section.lines)
    if sections and left_out:
        yield f"Left out here: {'; '.join(map(translator.inline, left_out))}."


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write both files beside the pages."""
    if exception is None and app.builder.name == "html":
        base = app.config.html_baseurl
        base = f"{base.rstrip('/')}/" if base else ""
        texts = {"llms.txt": index_text(base), "llms-full.txt": full_text()}
        for name, text in texts.items():
            Path(app.outdir, name).write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Write when a build ends."""
    app.connect("build-finished", write)
    return {"parallel_read_safe": True}
