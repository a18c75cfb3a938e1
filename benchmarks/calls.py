"""What one small call walks through: the files and the functions of the package that it enters.

python benchmarks/calls.py
python benchmarks/calls.py --list command

Each call is made once to warm up, so that imports and caches do not count, and once more under
``sys.setprofile``. A function is a code object that Python enters, however often. Besides
functions and methods, each lambda and generator expression is one, and until Python 3.11 each
comprehension. From Python 3.12 on, comprehensions are part of the function around them, so the
numbers are lower. Functions of other packages and of the standard library do not count.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FrameType
from typing import Any

import numpy as np

import ranking_scores
from ranking_scores import from_lists, ndcg_score, ranking_report
from ranking_scores.__main__ import main as command
from ranking_scores.significance import compare

PACKAGE = Path(ranking_scores.__file__).parent
QRELS = "q1 0 d1 3\nq1 0 d2 2\nq2 0 d3 0\nq2 0 d4 1\n"
RUN = "q1 Q0 d1 1 3.5 x\nq1 Q0 d2 2 3.5 x\nq2 Q0 d3 3 2.2 x\nq2 Q0 d4 4 1.5 x\n"


def ndcg() -> object:
    """Score one query of four items, two of which tie."""
    return ndcg_score(np.array([[3, 2, 0, 1]]), np.array([[0.1, 0.3, 0.3, 0.2]]))


def report_of_lists() -> object:
    """Report on one query with ids, by one score."""
    return ranking_report(from_lists([["a"]], [["a", "b", "c", "d"]]), scores="ndcg@10")


def compare_values() -> object:
    """Compare two arrays of four values."""
    return compare(np.array([0.1, 0.2, 0.5, 0.3]), np.array([0.2, 0.3, 0.3, 0.6]))


def run_command() -> object:
    """Score a run of two queries of two items, and print the table."""
    with TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        qrels, run = Path(folder, "qrels.txt"), Path(folder, "run.txt")
        qrels.write_text(QRELS)
        run.write_text(RUN)
        return command([str(qrels), str(run), "-m", "ndcg@10"])


CALLS: dict[str, Callable[[], object]] = {
    "ndcg": ndcg,
    "report": report_of_lists,
    "command": run_command,
    "compare": compare_values,
}


def functions_of(call: Callable[[], object]) -> Counter[CodeType]:
    """Return how often a call, once warm, enters each function of the package."""
    found: Counter[CodeType] = Counter()

    def count(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and PACKAGE in Path(frame.f_code.co_filename).parents:
            found[frame.f_code] += 1

    call()
    sys.setprofile(count)
    try:
        call()
    finally:
        sys.setprofile(None)
    return found


def main() -> None:
    """Print the table, or the functions of one call."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--list", choices=list(CALLS), help="list the functions of one call")
    options = parser.parse_args()
    if options.list:
        by_file: dict[str, list[str]] = {}
        for code, n_times in functions_of(CALLS[options.list]).items():
            place = Path(code.co_filename).relative_to(PACKAGE).as_posix()
            by_file.setdefault(place, []).append(f"{code.co_qualname} {n_times}x")
        for place, names in sorted(by_file.items(), key=lambda item: -len(item[1])):
            print(f"{place}: {len(names)}", *names, sep="\n    ")
        return
    print(f"{'call':10}{'files':>8}{'functions':>12}{'calls':>8}")
    for name, call in CALLS.items():
        found = functions_of(call)
        n_files = len({code.co_filename for code in found})
        print(f"{name:10}{n_files:8}{len(found):12}{found.total():8}")


if __name__ == "__main__":
    main()
