"""Write into the source what public functions share: texts of docstrings, overloads of scores.

Editors and `help` read docstrings and overloads from the source, so both stand there in full. This
script copies them from their one owner::

    python doc/shared_texts.py --check  # prints what differs, and exits with 1 if anything does
    python doc/shared_texts.py --write  # writes it into the source

The owner of a text is ``shared_texts.toml``. It has a table for each parameter that two functions
document, and for the errors and warnings of the scores. An entry is written as it stands in a
docstring. The entry under ``"*"`` is that of most functions. Functions in which a parameter means
something else have an entry under their names, or are listed in ``own_words`` and left alone. In
an entry, ``{layouts}`` stands for the lines of that name in the table ``[parts]``.

The overloads of a score say when it returns a float. They follow from its signature.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

HERE = Path(__file__).parent
OWNER = "doc/shared_texts.toml"
MODULES = "**/*.py"  # those of the package that are read
ARRAY = "NDArray[np.float64]"
WIDTH = 99  # of a line of overloads, which are packed
OVERLOADS_START, OVERLOADS_END = "# fmt: off", "# fmt: on"
OF_SCORES = {
    "Raises": ["ValueError, TypeError"],
    "Warns": ["sklearn.exceptions.UndefinedMetricWarning", "UserWarning"],
}
"""The entries that these sections of a score have."""
ADVICE = f"""
To copy texts and overloads into the source, run: python doc/shared_texts.py --write
To change a text, change it in {OWNER}, and run that.
To give one function another text, add an entry under its name there, or list it in own_words.
"""

Entries = dict[str, list[str]]
"""The lines of each entry in a section of a docstring, by the name that the entry begins with."""


class Sharing:
    """The texts that functions share, and what was found in the source."""

    def __init__(self, path: Path) -> None:
        self.texts: dict[str, dict[str, list[str] | None]] = {}
        """For each name, its entry by function, or "*" for all others. None for its own words."""
        self.functions: dict[str, list[str]] = {}
        """For each name, the functions that document it."""
        self.differ: list[str] = []
        """What was not as its owner has it, and has been replaced."""
        self.missing: list[str] = []
        """What only a person can write."""
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
        parts = tables.pop("parts")
        for name, table in tables.items():
            self.texts[name] = dict.fromkeys(table.pop("own_words", []))
            for functions, text in table.items():
                for part, lines in parts.items():
                    text = text.replace(f"{{{part}}}\n", lines)
                self.texts[name] |= dict.fromkeys(functions.split(", "), text.splitlines())

    def text(self, name: str, function: str) -> list[str] | None:
        """Return the shared entry of a name in a function, if there is one."""
        texts = self.texts.get(name, {})
        return texts.get(function, texts.get("*"))

    def share(self, entries: Entries, function: str, *, apart: bool) -> Iterator[str]:
        """Yield the lines of a section, with the shared entries, apart by blank lines or not."""
        for name, entry in entries.items():
            self.functions.setdefault(name, []).append(function)
            shared = self.text(name, function) or entry
            if shared != entry:
                self.differ.append(f"the text of `{name}` in {function}")
            yield from [*shared, ""] if apart else shared

    def problems(self) -> Iterator[str]:
        """Yield what --write cannot do."""
        yield from self.missing
        for name, functions in self.functions.items():
            texts = self.texts.get(name, {})
            without = [function for function in functions if function not in texts]
            if "*" not in texts and len(without) > (name not in self.texts):
                yield f"{OWNER} has no text of `{name}` for {', '.join(without)}"
        for name, texts in self.texts.items():
            functions = {*self.functions.get(name, [])}
            unused = sorted({*texts} - {"*"} - functions)
            unused += ["*"] if "*" in texts and functions <= {*texts} else []
            if unused:
                yield f"{OWNER} has a text of `{name}` that is not needed: {', '.join(unused)}"


@cache
def parsed(source: str) -> ast.Module:
    """Return the syntax tree of a file, which nobody may change."""
    return ast.parse(source)


def share_texts(source: str, sharing: Sharing) -> str:
    """Return a module with the shared texts in its docstrings."""
    lines = source.splitlines()
    for node in reversed(parsed(source).body):  # from the end: lines above keep their numbers
        if not isinstance(node, ast.FunctionDef | ast.ClassDef) or not ast.get_docstring(node):
            continue
        indent = " " * node.body[0].col_offset
        titles = ("Warns", "Raises", "Parameters") if is_score(node) else ("Parameters",)
        for title in titles:
            section = section_of(lines, node.body[0], title)
            entries = entries_in([line.removeprefix(indent) for line in lines[section]])
            if is_score(node):
                if not section.start:
                    sharing.missing.append(f"the docstring of {node.name} has no `{title}`")
                    continue
                needed = [name for name in OF_SCORES.get(title, ()) if name not in entries]
                entries |= {name: [] for name in needed if sharing.text(name, node.name)}
            if title == "Parameters" and section.start and isinstance(node, ast.FunctionDef):
                entries = with_all_parameters(entries, node, sharing)
            apart = not is_score(node)
            shared = sharing.share(entries, node.name, apart=apart)
            new = [(indent + line).rstrip() for line in shared]
            lines[section] = new[:-1] if apart else new
    return "\n".join(lines) + "\n"


def section_of(lines: list[str], docstring: ast.stmt, title: str) -> slice:
    """Return which lines are the entries of a section; none at 0 if there is no such section."""
    start, end = docstring.lineno - 1, docstring.end_lineno - 1
    headings = [at for at in range(start, end) if re.fullmatch(r" *-{3,}", lines[at + 1])]
    for at, following in pairwise([*headings, end]):
        if lines[at].strip() == title:
            while not lines[following - 1].strip():
                following -= 1
            return slice(at + 2, following)
    return slice(0, 0)


def entries_in(lines: list[str]) -> Entries:
    """Return the entries of a section, whose lines have no indent."""
    entries = re.split(r"^(?=\S)", "\n".join(lines), flags=re.MULTILINE)
    return {
        re.split(r" : |\n", entry, maxsplit=1)[0]: entry.rstrip().split("\n")
        for entry in entries
        if entry
    }


def with_all_parameters(entries: Entries, function: ast.FunctionDef, sharing: Sharing) -> Entries:
    """Return the entries of all parameters of a function in their order, then any others.

    What is written is right even where something else is left to a person.
    """
    names, given = names_of(function), function.args
    names += [f"**{given.kwarg.arg}"] if given.kwarg else []
    complete: Entries = {}
    for name in names:
        shared = sharing.text(name, function.name)
        if name in entries or shared is not None:
            complete[name] = entries.get(name, [])
        else:
            sharing.missing.append(f"{function.name} does not document `{name}`")
        spoken_of = re.findall(r"(?<!`)`(\w+)`(?!`)", "\n".join(shared or []))
        sharing.missing += [
            f"the text of `{name}` speaks of `{other}`, which {function.name} does not take"
            for other in spoken_of
            if other in sharing.texts and other not in names and given.kwarg is None
        ]
    sharing.missing += [
        f"{function.name} does not take `{name}`, but documents it"
        for name in entries
        if name not in names
    ]
    return complete | {name: entries[name] for name in entries if name not in complete}


def is_score(node: ast.FunctionDef | ast.ClassDef) -> bool:
    """Return whether a function is a score, by what it returns."""
    returned = getattr(node, "returns", None)
    return returned is not None and ast.unparse(returned) == f"float | {ARRAY}"


def names_of(function: ast.FunctionDef) -> list[str]:
    """Return the names of the parameters of a function."""
    return [each.arg for each in (*function.args.args, *function.args.kwonlyargs)]


def share_overloads(source: str, sharing: Sharing) -> str:
    """Return a module with the overloads of its scores in full."""
    lines = source.splitlines()
    functions = [node for node in parsed(source).body if isinstance(node, ast.FunctionDef)]
    for score in reversed(functions):
        if not is_score(score):
            continue
        first = next(each for each in functions if each.name == score.name)
        start = first.lineno - len(first.decorator_list) - 1
        start -= lines[start - 1] == OVERLOADS_START
        place = slice(start, min(node.lineno for node in [score, *score.decorator_list]) - 1)
        overloads = [OVERLOADS_START, *overloads_of(score), OVERLOADS_END]
        if lines[place] != overloads:
            sharing.differ.append(f"the overloads of {score.name}")
        lines[place] = overloads
    return "\n".join(lines) + "\n"


def overloads_of(score: ast.FunctionDef) -> Iterator[str]:
    """Yield the lines of the overloads: the mean at one cutoff is a float, all else an array."""
    given, hints = score.args, {}
    n_required = len(given.args) - len(given.defaults)
    defaults = [None] * n_required + given.defaults + given.kw_defaults
    for each, default in zip([*given.args, *given.kwonlyargs], defaults, strict=True):
        hint = ast.unparse(each.annotation) + (f" = {ast.unparse(default)}" if default else "")
        hints[each.arg] = hint.replace("'", '"')
    mean = hints["average"].replace(" | None", "")
    kinds = [({"average": mean}, "float"), ({"average": "None"}, ARRAY)]
    if "k" in hints:
        parts = re.fullmatch(r"(.+) \| (Several\w+)(.*)", hints["k"])
        if parts is None:
            sys.exit(
                f"`k` of {score.name} must have the type `SingleCutoff | SeveralCutoffs | None`."
            )
        one, several, end = parts.groups()
        for kind, _ in kinds:
            kind["k"] = one + end
        kinds.insert(1, ({"k": several}, ARRAY))
    for kind, returned in kinds:
        of_kind = hints | kind
        parameters = [f"{name}: {hint}," for name, hint in of_kind.items()]
        have_default = [" = " in of_kind[each.arg] for each in given.args]
        n_positional = len(given.args)
        if have_default != sorted(have_default):  # one without a default, which has to be named
            n_positional = have_default.index(True) + 1
        parameters.insert(n_positional, "*,")
        line = "   "
        yield from ["@overload", f"def {score.name}("]
        for each in parameters:
            if len(line) + len(each) >= WIDTH:
                yield line
                line = "   "
            line += f" {each}"
        yield from [line, f") -> {returned}: ..."]


def main(argv: list[str] | None = None) -> int:
    """Check the modules of the package or write them, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    task = parser.add_mutually_exclusive_group(required=True)
    task.add_argument("--check", action="store_true", help="print what differs")
    task.add_argument("--write", action="store_true", help="write what differs")
    parser.add_argument("package", nargs="?", type=Path, default=HERE.parent / "ranking_scores")
    given = parser.parse_args(argv)
    sharing = Sharing(HERE / "shared_texts.toml")
    for path in sorted(given.package.glob(MODULES)):
        source = path.read_text(encoding="utf-8")
        shared = share_overloads(share_texts(source, sharing), sharing)
        if given.write and shared != source:
            path.write_text(shared, encoding="utf-8")
    problems = [*sharing.problems()]
    for each in sharing.differ:
        print(f"{'Written' if given.write else 'Differs'}: {each}.")
    for each in problems:
        print(f"Write it yourself: {each}.")
    is_wrong = bool(problems or (given.check and sharing.differ))
    if is_wrong:
        print(ADVICE)
    return int(is_wrong)


if __name__ == "__main__":
    sys.exit(main())
