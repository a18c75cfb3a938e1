"""Name the programs that have a later release than the one whose answers are recorded.

Run by hand, before a release: ``python tests/data/programs/newer_versions.py`` asks PyPI, through
pip, for each distribution in record.py, and ``python tests/data/programs/newer_versions.py ranx``
only for that program. Then run record.py with the later one, and compare: a changed answer is a
change of the row in programs.toml, and otherwise only its version is.
"""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from packaging.version import Version

sys.path.insert(0, str(Path(__file__).parent))
from asked import HERE, Program
from record import MODULES


def released() -> list[Program]:
    """Return the programs that were recorded from a release."""
    every = [each for name in MODULES for each in importlib.import_module(name).PROGRAMS]
    return [program for program in every if not program.version]


def recorded_version(program: Program) -> str:
    """Return the version whose answers are recorded."""
    path = HERE / "answers" / f"{program.name}.json"
    return str(json.loads(path.read_text(encoding="utf-8"))["version"])


def newest_release(distribution: str) -> str | None:
    """Return the newest release that pip finds, None if it finds none."""
    command = [sys.executable, "-m", "pip", "index", "versions", distribution]
    printed = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    found = re.match(r"\S+ \((\S+)\)", printed)
    return found and found[1]


def lines(programs: Iterable[Program], newest: Callable[[str], str | None]) -> Iterator[str]:
    """Yield a line for each program with a later release, or of which none is found."""
    for program in programs:
        recorded, found = recorded_version(program), newest(program.distribution)
        if found is None:
            yield f"{program.name}: no release of {program.distribution} is found"
        elif Version(found) > Version(recorded):
            yield f"{program.name}: recorded at {recorded}, and {found} is released"


def main() -> int:
    """Print the lines, and return 1 if there are any."""
    names = sys.argv[1:]
    asked = [each for each in released() if not names or each.name in names]
    found = list(lines(asked, newest_release))
    print("\n".join(found) or "No program has a later release.")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
