"""Describe public functions and classes in short, from their signatures and docstrings."""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from textwrap import indent
from typing import Any

from docstrings import first_example, headings

from llms.markdown import Translator, end_of_indented, end_of_paragraph

SHARED_BY = 3
"""How many functions share the text of a parameter that is written once for all of them."""

Entry = tuple[str, tuple[str, ...]]
"""The type of a parameter, and the lines of its text."""

writer = Translator()


def describe(module: str, names: list[str]) -> str:
    """Return the descriptions of some names of a module, as Markdown."""
    objects = {name: getattr(import_module(module), name) for name in names}
    parameters = {name: entries_of(each, "Parameters") for name, each in objects.items()}
    shared = shared_entries(parameters.values())
    blocks = []
    if shared:
        blocks += ["Unless a function below says otherwise, its parameters are:", in_full(shared)]
    for name, each in objects.items():
        blocks += described(each, f"{module}.{name}", parameters[name], shared)
    return "\n\n".join(blocks)


def shared_entries(parameters: Iterable[dict[str, Entry]]) -> dict[str, Entry]:
    """Return the entry of each parameter that most functions share, if several do."""
    counts = Counter(pair for entries in parameters for pair in entries.items())
    often = dict(pair for pair, count in reversed(counts.most_common()) if count >= SHARED_BY)
    return {name: often[name] for name, _ in counts if name in often}


def described(
    public: Any, name: str, parameters: dict[str, Entry], shared: dict[str, Entry]
) -> Iterator[str]:
    """Yield the description of a function or class."""
    lines = docstring(public)
    yield f"### `{name}{signature(public) if parameters else ''}`"
    yield writer.inline("\n".join(lines[: end_of_paragraph(lines, 0)]))
    items = []
    for parameter, (kind, text) in parameters.items():
        if shared.get(parameter) != (kind, text):
            short = in_short(text)
            is_same = parameter in shared and in_short(shared[parameter][1]) == short
            items.append(item(parameter, kind, first_paragraph(text) if is_same else short))
    for title in ("Returns", "Yields"):
        for result, (kind, text) in entries_of(public, title).items():
            items.append(f"- returns{item(result, kind, in_short(text))[1:]}")
    if attributes := entries_of(public, "Attributes"):
        each_one = [f"`{each}` ({writer.inline(kind)})" for each, (kind, _) in attributes.items()]
        items.append(f"- attributes: {', '.join(each_one)}")
    items += [
        item(f"{method.__name__}{signature(method)}", "", summary(method))
        for method in methods_of(public)
    ]
    if items:
        yield "\n".join(items)
    if example := lines[first_example(lines)]:
        yield writer.markdown("\n".join(example))


def docstring(public: Any) -> list[str]:
    """Return the lines of a docstring."""
    return (inspect.getdoc(public) or "").splitlines()


def summary(public: Any) -> str:
    """Return the first sentence of a docstring."""
    lines = docstring(public)
    return first_sentence(lines[: end_of_paragraph(lines, 0)])


def signature(public: Any) -> str:
    """Return the names and defaults of the parameters."""
    found = inspect.signature(public)
    parameters = [
        each.replace(annotation=each.empty)
        for name, each in found.parameters.items()
        if name != "self"
    ]
    text = str(found.replace(parameters=parameters, return_annotation=found.empty))
    return re.sub(r"=nan\b", "=np.nan", text)


def methods_of(public: Any) -> Iterator[Any]:
    """Yield the public methods of a class that this package defines."""
    if not inspect.isclass(public):
        return
    for name, method in inspect.getmembers(public, callable):
        module = getattr(method, "__module__", None) or ""
        if not name.startswith("_") and module.startswith("ranking_scores"):
            yield method


def entries_of(public: Any, title: str) -> dict[str, Entry]:
    """Return the entries of a section of a docstring, such as the parameters."""
    lines = docstring(public)
    titles = headings(lines)
    if title not in titles:
        return {}
    start = titles[title] + 2
    end = min((each for each in titles.values() if each > start), default=len(lines))
    found = {}
    while start < end:
        following = end_of_indented(lines[:end], start + 1)
        name, _, kind = lines[start].partition(" : ")
        if name:
            text = inspect.cleandoc("\n".join(lines[start + 1 : following]))
            found[name] = kind.partition(", default=")[0], tuple(text.splitlines())
        start = following
    return found


def item(name: str, kind: str, text: str) -> str:
    """Return an item of a list."""
    shown = f" ({writer.inline(kind)})" if kind else ""
    return f"- `{name}`{shown}: {writer.inline(text)}"


def in_full(entries: dict[str, Entry]) -> str:
    """Return a list with the whole texts of some parameters."""
    items = []
    for name, (kind, text) in entries.items():
        blocks = indent("\n\n".join(writer.blocks([*text])), "  ")
        items.append(f"{item(name, kind, '')}{blocks.lstrip()}")
    return "\n".join(items)


def in_short(text: Sequence[str]) -> str:
    """Return the first sentence of a text, with the list that it ends with."""
    end = end_of_paragraph(text, 0)
    short = first_sentence(text[:end])
    if not short.endswith(":"):
        return short
    items = re.split(r"^(?:- |\d\. )", "\n".join(text[end:]), flags=re.MULTILINE)[1:]
    texts = [first_sentence(each.partition("\n\n")[0].splitlines()) for each in items]
    return f"{short} {'; '.join(each.rstrip('.;') for each in texts)}."


def first_paragraph(text: Sequence[str]) -> str:
    """Return the first paragraph of a text, without a sentence that introduces a list."""
    paragraph = " ".join(text[: end_of_paragraph(text, 0)])
    return re.sub(r"(?<=[.?!]) [^.?!]*:$", "", paragraph)


def first_sentence(lines: Sequence[str]) -> str:
    """Return the first sentence of a paragraph."""
    text = " ".join(" ".join(lines).split())
    return re.split(r"(?<=[.?!])[ ](?=[A-Z`\"(])", text, maxsplit=1)[0]
