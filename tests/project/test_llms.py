"""The text for coding assistants: it has all pages and names, and its examples run."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import sklearn
from _pytest.doctest import _get_checker, get_optionflags
from needs import needs_of_lines

import ranking_scores

ROOT = Path(__file__).parents[2]
DOC = ROOT / "doc"
AT_MOST = 4 * 120_000
"""Bytes, about four to a token, which leave room in the window of a model."""

IN_TREE = r"^   (?:\w.* <)?([\w/]+)>?$"
PAGES = re.findall(IN_TREE, (DOC / "index.rst").read_text("utf-8"), flags=re.MULTILINE)
LEFT_OUT = ["auto_examples/index", "ties", "changelog"]
LEFT_OUT += ["try_it", "clusters", "contributing", "extending", "check_a_metric"]
KEPT = [page for page in PAGES if page not in LEFT_OUT]
LIBRARY_OF = {"scale": "pyarrow"}
COMMENT = ".. not in llms-full.txt"
SOURCES = {page: (DOC / f"{page}.rst").read_text("utf-8") for page in KEPT}
IS_CUT = [page for page in KEPT if COMMENT in SOURCES[page]]
RUNS_CUT = [page for page in IS_CUT if ">>> " in SOURCES[page]]


@pytest.fixture(scope="module")
def llms():
    """Return the package that writes the text, which is beside the pages."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(DOC))
        yield importlib.import_module("llms")


@pytest.fixture(scope="module")
def pages(llms):
    """Return the text of each page, by its title, and under "ranking_scores" that above them."""
    return dict(split(llms.full_text(), "# "))


def split(text, mark):
    """Yield the titles that follow a mark, and the lines below each, of text without its code."""
    title, below, is_code = "", [], False
    for line in text.splitlines(keepends=True):
        is_code ^= line.lstrip().startswith("```")
        if line.startswith(mark) and not is_code:
            yield title, "".join(below)
            title, below = line.removeprefix(mark).strip(), []
        else:
            below.append(line)
    yield title, "".join(below)


def title_of(page):
    """Return the title of a page."""
    return re.search(r"^(.+)\n={3,}$", (DOC / f"{page}.rst").read_text("utf-8"), re.MULTILINE)[1]


def lines_of(page):
    """Return the lines of a page, and whether each of them belongs into the text."""
    text = (DOC / f"{page}.rst").read_text("utf-8")
    needs = needs_of_lines(text.replace(COMMENT, ".. needs: nothing"))
    return text.splitlines(), ["nothing" not in each for each in needs]


def examples_in(text):
    """Return the examples of a text."""
    return doctest.DocTestParser().get_examples(text)


def essence(examples):
    """Return the sources and the outputs of examples."""
    return [(example.source, example.want) for example in examples]


# --- llms.txt -----------------------------------------------------------------------------------


def test_the_index_has_the_form_of_llmstxt_org(llms):
    title, summary, about, *sections = llms.index_text().removesuffix("\n").split("\n\n")
    assert title == "# ranking_scores"
    assert re.fullmatch(r"> .+\.", summary)
    assert "[llms-full.txt](llms-full.txt)" in about
    captions = re.findall(r":caption: (.+)", (DOC / "index.rst").read_text("utf-8"))
    assert [caption.removeprefix("## ") for caption in sections[::2]] == captions
    links = re.compile(r"- \[(.+?)\]\((\S+)\): ([A-Z].+\.)")
    found = [
        links.fullmatch(line).groups() for links_ in sections[1::2] for line in links_.split("\n")
    ]
    assert [address for _, address, _ in found] == [f"{page}.html" for page in PAGES]
    assert len({description for _, _, description in found}) == len(PAGES)
    for page, (title, _, _) in zip(PAGES, found, strict=True):
        if page not in LEFT_OUT:
            assert title == title_of(page)


def test_addresses_begin_with_that_of_the_guide_if_it_has_one(llms, tmp_path):
    config = SimpleNamespace(html_baseurl="https://example.org/guide")
    app = SimpleNamespace(outdir=tmp_path, builder=SimpleNamespace(name="html"), config=config)
    llms.write(app, None)
    text = (tmp_path / "llms.txt").read_text("utf-8")
    assert text.count("](https://example.org/guide/") == text.count("](") == len(PAGES) + 1


def test_the_files_are_beside_the_page_that_links_to_them(llms, tmp_path):
    config = SimpleNamespace(html_baseurl="")
    app = SimpleNamespace(outdir=tmp_path, builder=SimpleNamespace(name="latex"), config=config)
    llms.write(app, None)
    app.builder.name = "html"
    llms.write(app, ValueError())
    assert [*tmp_path.iterdir()] == []
    llms.write(app, None)
    written = {path.name: path.read_text("utf-8") for path in tmp_path.iterdir()}
    assert written == {"llms.txt": llms.index_text(), "llms-full.txt": llms.full_text()}
    links = re.findall(r"`\S+\s<(\S+)>`_", (DOC / "assistants.rst").read_text("utf-8"))
    assert sorted(links) == sorted(written)


# --- llms-full.txt ------------------------------------------------------------------------------


def test_the_text_has_all_pages_and_says_which_are_left_out(pages):
    titles = [title_of(page) for page in KEPT]
    assert [*pages] == ["", "ranking_scores", *titles]
    assert pages["API reference"].count("\n### `") > 80
    about = " ".join(pages["ranking_scores"].split())
    assert about.count('", "') + 1 == len(LEFT_OUT)
    for page in LEFT_OUT[1:]:
        file = DOC / f"{page}.rst"
        assert COMMENT in file.read_text("utf-8")
    assert f'"{title_of("ties")}"' in about
    assert '"Gallery"' in about


def test_a_model_can_read_the_text_at_once(llms):
    n_bytes = len(llms.full_text().encode())
    advice = f"leave out sections by the comment '{COMMENT}' below their titles"
    assert 0.5 * AT_MOST < n_bytes < AT_MOST, advice


@pytest.mark.parametrize("page", KEPT)
def test_a_page_has_all_lines_without_markup_of_its_sections(page, pages):
    text = pages[title_of(page)]
    lines, is_kept = lines_of(page)
    plain = re.compile(r"(?!([-=~])\1+$|.*  )[\w(\"][\w ,.;?!'\"()%+-]+")
    found = {*text.splitlines()}
    n_plain = 0
    for at, line in enumerate(lines[:-3]):
        if not is_kept[at] or not plain.fullmatch(line) or lines[at + 1].startswith(("   ", "==")):
            continue
        n_plain += 1
        if re.fullmatch(r"([-~])\1{2,}", lines[at + 1]):
            assert {f"## {line}", f"### {line}"} & found or lines[at + 3] == COMMENT
        else:
            assert line in found
    assert n_plain > 5


@pytest.mark.parametrize("page", KEPT)
def test_a_page_names_the_sections_that_are_left_out(page, pages):
    lines, _ = lines_of(page)
    titles = [lines[at - 3] for at, line in enumerate(lines) if line == COMMENT]
    named = re.findall(r"^Left out here: (.+)\.$", pages[title_of(page)], flags=re.MULTILINE)
    assert named == (["; ".join(titles)] if titles else [])
    assert bool(titles) == (page in IS_CUT)


@pytest.mark.parametrize("page", KEPT)
def test_no_markup_of_sphinx_is_left(page, pages):
    text = re.sub(r"^ *```.*?^ *```$", "", pages[title_of(page)], flags=re.DOTALL | re.MULTILINE)
    assert "```" not in text
    text = re.sub(r"`[^`\n]+`|`` .+? ``", "", text)
    assert not re.findall(r"^ *\.\. .*|::|:\w+:`|``|`_|\|release\|", text, flags=re.MULTILINE)


@pytest.mark.parametrize("page", KEPT)
def test_the_examples_are_those_of_the_page(page, pages):
    lines, is_kept = lines_of(page)
    examples = [each for each in examples_in("\n".join(lines)) if is_kept[each.lineno]]
    found, expected = essence(examples_in(pages[title_of(page)])), essence(examples)
    if page == "reference":  # which also has those of the docstrings
        assert all(each in found for each in expected)
    else:
        assert found == expected


def test_the_head_of_a_printed_table_is_above_its_columns(llms):
    """Doctest ignores blanks, so an example runs even if they are lost."""
    n_tables = 0
    for example in examples_in(llms.full_text()):
        for head, row in pairwise(example.want.split("\n")):
            titles, cells = places_in(head), places_in(row)
            if len(cells) >= len(titles) > 2:
                starts, ends = ({cell[side] for cell in cells} for side in (0, 1))
                is_above = [
                    start in starts or not ends.isdisjoint([end - 1, end, end + 1])  # "0.01*"
                    for start, end in titles
                ]
                assert sum(is_above) >= len(titles) / 2, f"{head}\n{row}"
                n_tables += 1
    assert n_tables > 50


def places_in(line):
    """Return where the cells of a line begin and end, which have two blanks between them."""
    return [found.span() for found in re.finditer(r"\S+(?: \S+)*", line)]


def test_what_a_section_needs_is_in_the_text(pages):
    for page in KEPT:
        needs = [
            line.removeprefix(".. needs: ")
            for line, is_kept in zip(*lines_of(page), strict=True)
            if is_kept and line.startswith(".. needs: ")
        ]
        found = re.findall(r"^Needs: (.+)$", pages[title_of(page)], flags=re.MULTILINE)
        assert found == needs


@pytest.mark.slow
@pytest.mark.parametrize("page", RUNS_CUT)
def test_a_page_of_which_sections_are_left_out_still_runs(page, pages, request, monkeypatch):
    """The other pages are run as they are in the guide."""
    if page in LIBRARY_OF:
        pytest.importorskip(LIBRARY_OF[page], reason="it is in the extra engines")
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    text = pages[title_of(page)]
    test = doctest.DocTestParser().get_doctest(text, {}, page, f"llms-full.txt/{page}", 0)
    needs = needs_of_lines(re.sub(r"\n(##+ .+\n)|(Needs: )", as_in_rst, text))
    for example in test.examples:
        if any(find_spec(library) is None for library in needs[example.lineno]):
            example.options[doctest.SKIP] = True
    if all(doctest.SKIP in example.options for example in test.examples):
        pytest.skip(f"the libraries of {page} are not installed")
    flags = get_optionflags(request.config)
    runner = doctest.DocTestRunner(_get_checker(), verbose=False, optionflags=flags)
    failures = []
    with np.printoptions(precision=3), sklearn.config_context():
        runner.run(test, out=failures.append)
    assert not failures, "".join(failures)


def as_in_rst(found):
    """Return a heading or what a section needs, as `needs_of_lines` reads it."""
    heading, _ = found.groups()
    if heading is None:
        return ".. needs: "
    return f"title\n{'~~~' if heading.startswith('###') else '---'}\n"


# --- the reference ------------------------------------------------------------------------------


MODULES = [ranking_scores] + [
    importlib.import_module(f"ranking_scores.{name}")
    for name in dir(ranking_scores)
    if name not in ranking_scores.__all__
]
MODULES += [
    importlib.import_module(f"ranking_scores.compat.{path.stem}")
    for path in Path(ranking_scores.compat.__file__).parent.glob("[a-z]*.py")
]


@pytest.fixture(scope="module")
def described(pages):
    """Yield each public object, its heading, what is below it, and what its section shares."""
    found = []
    for _, section in split(pages["API reference"], "## "):
        entries = split(section, "### ")
        shared = next(entries)[1]
        for heading, text in entries:
            name = re.match(r"`([\w.]+)", heading)[1]
            module, _, name = name.rpartition(".")
            found.append((getattr(importlib.import_module(module), name), heading, text, shared))
    return found


def test_each_public_name_is_described(described):
    public = [getattr(module, name) for module in MODULES for name in module.__all__]
    assert {each for each, *_ in described} == {*filter(callable, public)}


def test_each_parameter_is_described_with_its_default(described):
    for public, heading, text, shared in described:
        if not inspect.isfunction(public):
            continue
        names = [*inspect.signature(public).parameters.values()]
        for parameter in names:
            assert re.search(rf"[(, *]{parameter.name}[,=)]", heading), heading
            stars = {parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
            assert f"- `{stars}{parameter.name}`" in shared + text, (heading, parameter.name)
            if isinstance(parameter.default, str | int | None.__class__):
                assert f"{parameter.name}={parameter.default!r}" in heading


def test_what_is_said_is_in_the_docstrings(described):
    for public, heading, text, _ in described:
        docstring = " ".join(inspect.getdoc(public).replace("``", "`").split())
        summary = text.strip().partition("\n\n")[0]
        assert " ".join(summary.split()) in docstring, heading
        for name, said in re.findall(r"^- (?:returns )?`(\S+)`[^:]*?: (.+)$", text, re.MULTILINE):
            if "(" not in name and "; " not in said:
                assert said in docstring, (heading, name)


def test_each_description_has_the_first_example_of_the_docstring(described):
    n_examples = 0
    for public, heading, text, _ in described:
        [first, *_] = re.findall(r"^```\n(>>> .*?)^```$", text, re.DOTALL | re.MULTILINE) or [""]
        found = essence(examples_in(first))
        expected = essence(examples_in(inspect.getdoc(public)))
        assert found == expected[: len(found)], heading
        assert bool(found) == bool(expected), heading
        n_examples += bool(found)
    assert n_examples > 40


# --- the markup ---------------------------------------------------------------------------------


RST = r"""
.. index:: word

.. _a-label:

Two words of ``code``, `a name`, :func:`~ranking_scores.ndcg_score`, :class:`scale.Report`,
:doc:`the page </page>`, :doc:`page`, :ref:`a-label`, `a link <https://example.org>`_, `A title`_,
10\ :sup:`-3`, :math:`x_1`, a citation [AB12]_, 4 \* 2 and |release|.

- one item,
  in two lines

  >>> 1 + 1
  2

- another::

      code | more

term
   Its text.

.. list-table::
   :header-rows: 1
   :widths: 10 20

   * - head
     - ``a | b``
   * - two
       lines
     - - one
       - two
   * -
     - empty

=====  =======
left   right
=====  =======
one    two
       lines
=====  =======

.. plot::
   :context:
   :alt: Words about a picture,
         in two lines.

   >>> print("one\n\ntwo")
   one
   <BLANKLINE>
   two

.. math:: a = b, \qquad
          c = d

.. code-block:: python

   def f():

       return 1

.. figure:: picture.svg
   :alt: Words about a picture.

   Words below it.
"""

MARKDOWN = r"""
Two words of `code`, `a name`, `ndcg_score`, `scale.Report`,
the page, "Page", "Label", a link, A title,
10^-3, $x_1$, a citation, 4 * 2 and 1.0.

- one item,
  in two lines

  ```
  >>> 1 + 1
  2

  ```
- another:

  ```
  code | more
  ```

term: Its text.

| head | `a \| b` |
| --- | --- |
| two lines | one; two |
|  | empty |

| left | right |
| --- | --- |
| one | two lines |

```
>>> print("one\n\ntwo")
one
<BLANKLINE>
two

```

$$a = b, \qquad
c = d$$

```python
def f():

    return 1
```
"""


def test_markup_becomes_markdown(llms):
    titles = {"page": "Page", "a-label": "Label"}
    translator = llms.markdown.Translator(titles, substitutions={"release": "1.0"})
    assert translator.markdown(RST) == MARKDOWN.strip()


@pytest.mark.parametrize("text", [".. raw:: html", "A :strange:`role`.", ".. include:: other.inc"])
def test_markup_that_is_not_known_is_an_error(text, llms):
    with pytest.raises(llms.markdown.UnknownMarkupError):
        llms.markdown.Translator().markdown(text)
