"""Record what other programs answer about long lists with ties, in long_lists.json.

repeated_lists.json has their answers to lists in which items come again, of users of whom one has
no relevant item.

Run by hand, as record.py is: ``python tests/data/programs/long_lists.py`` asks the programs that
it finds installed, and keeps the answers of the others. The lists have 10, 100 and 1000 documents,
which are computed and not written down, since an unstable sort depends on the length. A row of the
file has the answers of a measure to the queries q1 to q6.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
from asked import Case, plain

PATH = Path(__file__).with_name("long_lists.json")
MEASURES = Path(__file__).with_name("measures.json")
LENGTHS = {"q1": 10, "q2": 10, "q3": 100, "q4": 100, "q5": 1000, "q6": 1000}
GRADES = [0, 0, 0, 1, 0, 2, 0, 3]
N_MISSED = 3
"""The number of documents of each query that are judged and not retrieved."""
MODULES = ["record_retrieval", "record_tensors", "record_boosting"]


def case() -> Case:
    """Return the lists. Their scores are 0.25, 0.5, 0.75 and 1."""
    qrels, run = {}, {}
    for number, (query, length) in enumerate(LENGTHS.items(), 1):
        documents = [f"d{(place * 7919 + number) % length:04}" for place in range(length)]
        scores = [(1 + (place * place + place // 3 + number) % 4) / 4 for place in range(length)]
        run[query] = list(zip(documents, scores, strict=True))
        judged = [*documents, *(f"m{place}" for place in range(N_MISSED))]
        qrels[query] = {
            document: GRADES[(place * 5 + place // 7 + number) % 8]
            for place, document in enumerate(judged)
        }
    return Case(qrels, run)


def repeated_case() -> Case:
    """Return lists in which a quarter of the places repeat an item. q2 has no relevant item."""
    plain = case()
    run = {
        query: [(row[place % (3 * len(row) // 4)][0], score) for place, (_, score) in pairs]
        for query, row in plain.run.items()
        for pairs in [[*enumerate(row)]]
    }
    return Case(plain.qrels | {"q2": dict.fromkeys(plain.qrels["q2"], 0)}, run)


FILES = {
    PATH: (case, MODULES),
    PATH.with_name("repeated_lists.json"): (repeated_case, ["record_recommenders"]),
}


def is_asked(here: Any) -> bool:
    """Return whether a measure has a convention, and no cutoff or the cutoff 5."""
    if isinstance(here, str):
        return False
    name, options = here[:2]
    k = options.get("k", 5)
    return k == 5 and not any(name.endswith(f"{sign}{k}") for sign in "@._" for k in (1, 3, 10))


def main() -> None:
    """Write the files that are named, or all."""
    for path, (make, modules) in FILES.items():
        if path.name in (sys.argv[1:] or [path.name]):
            ask(path, make(), modules)


def ask(path: Path, asked: Case, modules: list[str]) -> None:
    """Ask the programs that are installed."""
    measures = json.loads(MEASURES.read_text())
    written = json.loads(path.read_text()) if path.exists() else {}
    for module in modules:
        for program in importlib.import_module(module).PROGRAMS:
            is_found = importlib.util.find_spec(program.module) is not None
            if not is_found or not (path == PATH or program.lists):
                continue
            try:
                version = program.version or importlib.metadata.version(program.distribution)
            except importlib.metadata.PackageNotFoundError:  # a folder of another distribution
                continue
            print(program.name, flush=True)
            answers = {}
            for name, measure in program.measures().items():
                if name in measures[program.name] and is_asked(measures[program.name][name]):
                    found = measure(asked).per_query or {}
                    row = [plain(found.get(query)) for query in LENGTHS]
                    if not any(isinstance(value, str) for value in row):  # grades are refused
                        answers[name] = row
            written[program.name] = {"version": version, "measures": answers}
    programs = []
    for program, entry in sorted(written.items()):
        rows = [
            f"   {json.dumps(name)}: {json.dumps(row)}" for name, row in entry["measures"].items()
        ]
        head = f' {json.dumps(program)}: {{\n  "version": {json.dumps(entry["version"])},\n'
        programs.append(head + '  "measures": {\n' + ",\n".join(rows) + "\n  }\n }")
    path.write_text("{\n" + ",\n".join(programs) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
