"""Record what other programs answer, in answers/: one file for each program.

Run by hand, never in CI and by no test: the tests read the numbers, so that they need none of the
programs. ``python tests/data/programs/record.py`` asks the programs that it finds installed, and
``python tests/data/programs/record.py ranx gdeval`` only those. The files of the others stay as
they are. Each of these environments is for some of them, on Python 3.11:

ENVIRONMENTS

What could not be run was read, and record_readings.py has what was found.
"""

from __future__ import annotations

import datetime
import importlib
import importlib.metadata
import importlib.util
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from asked import Program, answers, write

MODULES = [
    "record_retrieval",
    "record_tensors",
    "record_boosting",
    "record_recommenders",
    "record_embedding",
    "record_padded",
    "record_rag",
]


def record(program: Program) -> None:
    """Ask a program, and write its file."""
    entry = {
        "program": program.name,
        "version": program.version or importlib.metadata.version(program.distribution),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "how": "run",
        "source": program.source,
        "about": program.about,
        "measures": answers(program),
    }
    write(program.name, entry)


def main() -> None:
    """Ask the programs that are named, or all that are installed."""
    names = sys.argv[1:]
    for module in MODULES:
        for program in importlib.import_module(module).PROGRAMS:
            found = importlib.util.find_spec(program.module) is not None
            if program.name in names or (not names and found):
                print(program.name, flush=True)
                record(program)


if __name__ == "__main__":
    main()
