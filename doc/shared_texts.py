"""Write what public functions share: texts of docstrings, and the stubs with the types of scores.

Editors read docstrings and stubs from files, so both are there in full. This script copies them
from their one owner::

    python doc/shared_texts.py --check  # prints what differs, and exits with 1 if anything does
    python doc/shared_texts.py --write  # writes it

The owner of a text is ``shared_texts.toml``. It has a table for each parameter that two functions
document, and for the errors and warnings of the scores. An entry is written as it stands in a
docstring, and the options that it lists are written into the type of the parameter, if that is a
``Literal``. The entry under ``"*"`` is that of most functions. Functions in which a parameter
means something else have an entry under their names, or are listed in ``own_words`` and left
alone. In an entry, ``{layouts}`` stands for the lines of that name in the table ``[parts]``.

A stub is what type checkers and editors read in place of a module. The modules that have scores in
``__all__`` have one beside them. It has the overloads of each score, which say when it returns a
float, and all other public names. All of it follows from the signatures and the imports.
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
from pkgutil import iter_modules

HERE = Path(__file__).parent
OWNER = "doc/shared_texts.toml"
MODULES = "**/*.py"  # those of the package that are read
ARRAY = "NDArray[np.float64]"
WIDTH = 99  # of a line of a signature in a stub
SOURCES_OF_TYPES = {
    "Any": "typing",
    "ArrayLike": "numpy.typing",
    "Callable": "collections.abc",
    "Literal": "typing",
    "NDArray": "numpy.typing",
    "Protocol": "typing",
    "RankingData": "ranking_scores.tables",
    "Sequence": "collections.abc",
    "overload": "typing",
}
"""Where the types in the signatures of scores come from."""
ANY_ARRAY = "Sequence[float] | NDArray[Any]"
"""What readers see for a list of numbers. Type checkers also take a Series or a tensor."""
SUPPORTS_ARRAY = """
class _SupportsArray(Protocol):
    def __array__(self) -> NDArray[Any]: ...
"""
"""NumPy's `ArrayLike` would take any text, such as a misspelled name."""
OF_SCORES = {
    "Raises": ["ValueError, TypeError"],
    "Warns": ["sklearn.exceptions.UndefinedMetricWarning", "UserWarning"],
}
"""The entries that these sections of a score have."""
CONSTANTS = ("__all__", "_FIRST_USED")
"""What a stub takes from the constants of its module."""
STUB_TITLE = "# Written by doc/shared_texts.py: the types of the module of this name."
ADVICE = f"""
To write texts and stubs, run: python doc/shared_texts.py --write
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
                if [*entries_in(text.splitlines())] != [name]:  # it would change another's text
                    sys.exit(
                        f"The text of `{name}` in {OWNER} must begin with a line for it, such as "
                        f"`{name} : int`, and have an indent in all other lines."
                    )
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
        if isinstance(node, ast.FunctionDef):
            name_options(lines, node, sharing)
    return "\n".join(lines) + "\n"


def name_options(lines: list[str], function: ast.FunctionDef, sharing: Sharing) -> None:
    """Write the options that the text of a parameter lists into its type, if it is a `Literal`."""
    for given in reversed([*function.args.args, *function.args.kwonlyargs]):
        text = "\n".join(sharing.text(given.arg, function.name) or [])
        listed = re.findall(r'^ +- ("[\w-]+"): ', text, flags=re.MULTILINE)
        hint = given.annotation
        is_literal = isinstance(hint, ast.Subscript) and ast.unparse(hint.value) == "Literal"
        new = f"Literal[{', '.join(listed)}]"
        if listed and is_literal and ast.unparse(hint) != ast.unparse(ast.parse(new)):
            first, last = hint.lineno - 1, hint.end_lineno - 1
            before, after = lines[first][: hint.col_offset], lines[last][hint.end_col_offset :]
            lines[first : last + 1] = [before + new + after]
            sharing.differ.append(f"the type of `{given.arg}` in {function.name}")


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
    is_public = not node.name.startswith("_")
    return is_public and returned is not None and ast.unparse(returned) == f"float | {ARRAY}"


def names_of(function: ast.FunctionDef) -> list[str]:
    """Return the names of the parameters of a function."""
    return [each.arg for each in (*function.args.args, *function.args.kwonlyargs)]


def stub_of(source: str, scores: dict[str, ast.FunctionDef]) -> str | None:
    """Return the stub of a module, or None if it has no scores."""
    body = parsed(source).body
    constants = {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in CONSTANTS
    }
    public = constants.get("__all__", ())
    if scores.keys().isdisjoint(public):
        return None
    functions = {node.name: node for node in body if isinstance(node, ast.FunctionDef)} | scores
    origins = {
        alias.name: node.module
        for node in ast.walk(parsed(source))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    lazy = constants.get("_FIRST_USED", {})
    origins |= {name: f"ranking_scores.{module}" for name, module in lazy.items()}
    public_modules = [
        name
        for _, name, _ in iter_modules([str(HERE.parent / "ranking_scores")])
        if not name.startswith("_")
    ]
    submodules = public_modules if lazy else []
    origins |= dict.fromkeys(submodules, "ranking_scores")
    lines: list[str] = []
    for name in public:
        if name in scores:
            lines += overloads_of(scores[name])
        elif name in functions:
            returned = ast.unparse(functions[name].returns)
            lines += signature_of(functions[name], hints_of(functions[name]), returned)
    types = "\n".join(lines)
    if "_SupportsArray" in types:
        types = SUPPORTS_ARRAY + types
    needed = {node.id for node in ast.walk(ast.parse(types)) if isinstance(node, ast.Name)}
    imports = [
        f"from {origin} import {name}"
        for name, origin in (origins | SOURCES_OF_TYPES).items()
        if name in needed - {*public}
    ]
    handed_on = [
        alias.name
        for node in body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname == alias.name
    ]
    imports += [
        f"from {origins[name]} import {name} as {name}"
        for name in [*submodules, *handed_on, *public]
        if name in origins and name not in scores
    ]
    head = [STUB_TITLE, "import numpy as np", *sorted(imports), ""]
    head += ["__all__ = [", *(f'    "{name}",' for name in public), "]"]
    return "\n".join([*head, "", "def __dir__() -> list[str]: ...", types, ""])


def overloads_of(score: ast.FunctionDef) -> Iterator[str]:
    """Yield the lines of the overloads: the mean at one cutoff is a float, all else an array."""
    hints = hints_of(score)
    mean = hints["average"].replace(" | None", "")
    kinds = [({"average": mean}, "float"), ({"average": "None"}, ARRAY)]
    if "k" in hints:
        parts = re.fullmatch(r"int \| (Sequence\[int.*?\])( \| None)?( = .+)?", hints["k"])
        if parts is None:
            sys.exit(
                f"`k` of {score.name} must have the type `int | Sequence[int | None] | None`."
            )
        several, *end = parts.groups(default="")
        for kind, _ in kinds:
            kind["k"] = "".join(["int | np.integer[Any]", *end])
        kinds.insert(1, ({"k": f"{several} | NDArray[np.integer[Any]]"}, ARRAY))
    for kind, returned in kinds:
        yield "@overload"
        yield from signature_of(score, hints | kind, returned)


def signature_of(function: ast.FunctionDef, hints: dict[str, str], returned: str) -> Iterator[str]:
    """Yield the lines of a signature in a stub."""
    parameters = [f"{name}: {hint}," for name, hint in hints.items()]
    have_default = [" = " in hints[each.arg] for each in function.args.args]
    n_positional = len(have_default)
    if have_default != sorted(have_default):  # one without a default, which has to be named
        n_positional = have_default.index(True) + 1
    parameters.insert(n_positional, "*,")
    yield f"def {function.name}("
    line = "   "
    for each in parameters:
        if len(line) + len(each) >= WIDTH:
            yield line
            line = "   "
        line += f" {each}"
    yield from [line, f") -> {returned}: ..."]


def hints_of(function: ast.FunctionDef) -> dict[str, str]:
    """Return the types and defaults of the parameters, as type checkers shall see them."""
    given = function.args
    n_required = len(given.args) - len(given.defaults)
    defaults = [None] * n_required + given.defaults + given.kw_defaults
    hints = {}
    for each, default in zip([*given.args, *given.kwonlyargs], defaults, strict=True):
        hint = ast.unparse(each.annotation) + (f" = {ast.unparse(default)}" if default else "")
        hint = hint.replace(ANY_ARRAY, "Sequence[float] | _SupportsArray")
        hints[each.arg] = hint.replace("'", '"')
    return hints


def main(argv: list[str] | None = None) -> int:
    """Check the modules of the package or write them, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    task = parser.add_mutually_exclusive_group(required=True)
    task.add_argument("--check", action="store_true", help="print what differs")
    task.add_argument("--write", action="store_true", help="write what differs")
    parser.add_argument("package", nargs="?", type=Path, default=HERE.parent / "ranking_scores")
    given = parser.parse_args(argv)
    sharing = Sharing(HERE / "shared_texts.toml")
    paths = sorted(given.package.glob(MODULES))
    sources = {path: path.read_text(encoding="utf-8") for path in paths}
    scores = {
        node.name: node
        for source in sources.values()
        for node in parsed(source).body
        if isinstance(node, ast.FunctionDef) and is_score(node)
    }
    for path, source in sources.items():
        shared = share_texts(source, sharing)
        if given.write and shared != source:
            path.write_text(shared, encoding="utf-8")
        stub, stub_path = stub_of(source, scores), path.with_suffix(".pyi")
        if stub and not (stub_path.exists() and stub_path.read_text(encoding="utf-8") == stub):
            sharing.differ.append(f"the stub {stub_path.relative_to(given.package).as_posix()}")
            if given.write:
                stub_path.write_text(stub, encoding="utf-8")
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
