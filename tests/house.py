"""Counts what a reader of the package has to read: lines of code, and the reach of a file.

The reach of a file or folder is every file of the package that it imports, directly or not, also
inside functions and for type checkers alone. Who changes it may have to read all of that. The
package's own file, which imports everything, is left out of it.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

_LAYOUT = {
    tokenize.NEWLINE,
    tokenize.NL,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
    tokenize.COMMENT,
}
_SHOWN = 8
"""The number of files that the message about a reach names."""


class Lines(NamedTuple):
    """The numbers of lines of a file, by what is on them."""

    code: int
    imports: int
    overloads: int


class Module(NamedTuple):
    """A file of the package."""

    lines: Lines
    imported: frozenset[str]
    """The other modules of the package that it imports, by their names in the package."""


def count_lines(source: str) -> Lines:
    """Count the lines of a file, except for comments, docstrings and blank lines."""
    written = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _LAYOUT:
            written.update(range(token.start[0], token.end[0] + 1))
    texts, imports, overloads = set(), set(), set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            imports |= _lines_of(node)
        elif isinstance(node, ast.Expr) and _is_text(node.value):
            texts |= _lines_of(node)
        elif isinstance(node, ast.FunctionDef) and _is_overload(node):
            overloads |= _lines_of(node.decorator_list[0]) | _lines_of(node)
    code = written - texts - imports - overloads
    return Lines(len(code), len(imports), len(overloads - texts))


def _lines_of(node: ast.stmt | ast.expr) -> set[int]:
    """Return the lines of a node of the syntax tree."""
    return set(range(node.lineno, (node.end_lineno or node.lineno) + 1))


def _is_text(node: ast.expr) -> bool:
    """Return whether an expression is a text, which as a statement documents what is above it."""
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _is_overload(function: ast.FunctionDef) -> bool:
    """Return whether a function only tells type checkers a signature of another one."""
    return "overload" in map(ast.unparse, function.decorator_list)


def read_modules(package: Path) -> dict[str, Module]:
    """Return the modules of a package by their names in it. The package itself is ""."""
    sources = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        sources[name] = path.read_text(encoding="utf-8")
    return {
        name: Module(count_lines(source), _imports_of(name, source, package.name, sources))
        for name, source in sources.items()
    }


def _imports_of(name: str, source: str, package: str, modules: Collection[str]) -> frozenset[str]:
    """Return the modules of the package that a module imports, by absolute imports."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
    inside = {each.removeprefix(f"{package}.") for each in found if _is_in(each, package)}
    return frozenset(inside & {*modules} - {name})


def _is_in(module: str, package: str) -> bool:
    """Return whether a module is a package, or in it."""
    return f"{module}.".startswith(f"{package}.")


def reach(modules: Mapping[str, Module], place: str, without: str = "") -> dict[str, str]:
    """Return the modules that a file or folder reaches, with the first importer of each.

    The modules of the place itself have "" for it. What only `without` imports is not reached.
    """
    importers = {name: "" for name in modules if _is_in(name, place)}
    waiting = [*importers]
    for name in waiting:
        for other in sorted(modules[name].imported - {without}):
            if other not in importers:
                importers[other] = name
                waiting.append(other)
    return importers


def lines_reached(modules: Mapping[str, Module], names: Collection[str]) -> int:
    """Return the number of lines of code of some modules."""
    return sum(modules[name].lines.code for name in names)


def describe_reach(modules: Mapping[str, Module], place: str, limit: int) -> str:
    """Return what makes the reach of a place long: the files without which it is much shorter."""
    importers = reach(modules, place)
    n_lines = lines_reached(modules, importers)
    saved = {
        name: n_lines - lines_reached(modules, reach(modules, place, without=name))
        for name, importer in importers.items()
        if importer
    }
    longest = sorted(saved, key=lambda name: (-saved[name], name))[:_SHOWN]
    ways = [f"{saved[name]:6d}  {' <- '.join(_way_to(name, importers))}" for name in longest]
    first = (
        f"{place} reaches {n_lines} lines of code in {len(importers)} files, of at most {limit}. "
        "Without one of these, it would reach so many fewer:"
    )
    return "\n".join([first, *ways])


def _way_to(name: str, importers: Mapping[str, str]) -> list[str]:
    """Return a module and those through which it is reached, up to the place itself."""
    way = [name]
    while importers[way[-1]]:
        way.append(importers[way[-1]])
    return way
