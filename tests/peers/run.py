"""Run the tests of other packages against this one.

    python tests/peers/run.py                      # all suites of suites.toml
    python tests/peers/run.py scikit-learn ranx    # some of them

For each suite, it makes an environment with the other package, and fetches the tests, which are
never part of this repository. A shim puts our functions in the place of theirs. The outcomes are
compared with ``suites.toml``, which has the tests that differ, each with the reason. A test that
calls none of these functions is about something else, and left out.

It ends with 1 if a test differs that is not listed, if a listed one holds, or if another number of
tests holds. It needs git, and a connection to PyPI and to GitHub.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SUITES = HERE / "suites.toml"


class Outcome(NamedTuple):
    """What the tests of a suite have shown."""

    holds: list[str]
    lacking: dict[str, str]
    """By test, what it asks for that we lack, which the other package has answered."""
    differs: dict[str, str]
    """By test that fails, the lines that say why."""
    n_left_out: int
    """The number of tests that are about something else."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the suites, print a table of them, and return 1 if a result is not the listed one."""
    suites = read_suites()
    args = parse(argv, [*suites])
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(args.folder or temporary).resolve()
        outcomes = {name: run(name, suites[name], folder, args) for name in args.names or suites}
    print(table(outcomes))
    problems = [line for name in outcomes for line in compare(name, suites[name], outcomes[name])]
    print("\n".join(problems) or "Every other test holds.")
    return 1 if problems else 0


def parse(argv: Sequence[str] | None, names: list[str]) -> argparse.Namespace:
    """Return the arguments of the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"a suite: {', '.join(names)}")
    parser.add_argument("--folder", help="keep environments and sources here, for the next run")
    parser.add_argument(
        "--mirror",
        type=Path,
        help="take repositories from MIRROR/owner+name/repo, which are bare, and not from GitHub",
    )
    parser.add_argument(
        "--here",
        action="store_true",
        help="use this Python, which has the packages, and make no environment",
    )
    parser.add_argument("--show", action="store_true", help="print why each test differs")
    args = parser.parse_args(argv)
    unknown = [each for each in args.names if each not in names]
    if unknown:
        parser.error(f"there is no suite {unknown[0]!r}, only {', '.join(names)}")
    return args


def read_suites() -> dict[str, dict[str, Any]]:
    """Return the suites by their names."""
    suites = tomllib.loads(SUITES.read_text(encoding="utf-8"))["suite"]
    return {each["name"]: each for each in suites}


def run(name: str, suite: Mapping[str, Any], folder: Path, args: argparse.Namespace) -> Outcome:
    """Return the outcome of the tests of a suite."""
    print(f"{name}: installs, fetches and runs its tests", flush=True)
    place = folder / name
    place.mkdir(parents=True, exist_ok=True)
    python = Path(sys.executable) if args.here else environment(suite, place)
    tests = fetch(suite, place, args.mirror) if "commit" in suite else place
    file = place / "outcomes.jsonl"
    file.write_text("", encoding="utf-8")
    command = [python, "-m", "pytest", "-q", "-p", "plugin", "-p", "no:cacheprovider"]
    command += suite.get("options", [])
    command += ["-c", os.devnull, "--rootdir", tests, "-W", "ignore"]
    command += ["-o", f"python_files={' '.join(suite.get('python_files', ['test_*.py']))}"]
    command += suite["files"] if "commit" in suite else ["--pyargs", *suite["files"]]
    variables = {
        "PEER_SHIM": suite["shim"],
        "PEER_OUTCOMES": str(file),
        "PEER_STEP": str(suite.get("step", 1)),
        "PYTHONPATH": os.pathsep.join(map(str, [HERE, ROOT, tests / suite.get("imports", "")])),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(
        command,
        cwd=tests,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 1):  # neither that all tests passed nor that some failed
        raise SystemExit(f"{name}: pytest could not run the tests.\n{done.stdout}\n{done.stderr}")
    outcome = read(file)
    if args.show:
        for test, message in (outcome.lacking | outcome.differs).items():
            print(f"--- {test}\n{message}")
    return outcome


def environment(suite: Mapping[str, Any], place: Path) -> Path:
    """Return the Python of an environment that has the package and what its tests need."""
    folder = place / "environment"
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    done = folder / "installed.txt"
    wanted = ["pytest", *suite.get("needs", [])]
    if not suite.get("from_source", False):
        wanted.append(f"{suite['package']}=={suite['version']}")
    wanted += tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "dependencies"
    ]
    if not done.exists() or done.read_text(encoding="utf-8").split("\n") != wanted:
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *wanted], check=True)
        done.write_text("\n".join(wanted), encoding="utf-8")
    return python


def fetch(suite: Mapping[str, Any], place: Path, mirror: Path | None) -> Path:
    """Return a folder with the tests of a repository at the commit of the suite."""
    folder = place / suite["commit"]
    if all((folder / each).exists() for each in suite["folders"]):
        return folder
    folder.mkdir(exist_ok=True)
    owner_and_name = suite["repository"].removeprefix("https://github.com/")
    git(folder, "init", "--quiet")
    git(folder, "config", "remote.origin.url", suite["repository"])
    if mirror is None:
        options = (
            "--quiet",
            "--depth=1",
            "--filter=blob:none",
        )  # without the files of other folders
        git(folder, "fetch", *options, "origin", suite["commit"])
    else:
        objects = mirror.resolve() / owner_and_name.replace("/", "+") / "repo" / "objects"
        (folder / ".git/objects/info/alternates").write_text(f"{objects}\n", encoding="utf-8")
    git(folder, "checkout", "--quiet", suite["commit"], "--", *suite["folders"])
    return folder


def git(folder: Path, *words: str) -> None:
    """Run a command of git in a folder."""
    subprocess.run(["git", *words], cwd=folder, check=True)


def read(file: Path) -> Outcome:
    """Return what the plugin has noted."""
    noted_by_test: dict[str, dict[str, Any]] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        each = json.loads(line)
        if noted_by_test.get(each["test"], {}).get("outcome") != "failed":
            noted_by_test[each["test"]] = each  # the last of its parts, or the first that fails
    noted = [*noted_by_test.values()]
    ours = [each for each in noted if each["outcome"] != "skipped"]
    ours = [each for each in ours if each["calls"] or each["left"]]
    passed = [each for each in ours if each["outcome"] == "passed"]
    return Outcome(
        [each["test"] for each in passed if not each["left"]],
        {each["test"]: "; ".join(each["left"]) for each in passed if each["left"]},
        {each["test"]: each["message"] for each in ours if each["outcome"] == "failed"},
        len(noted) - len(ours),
    )


def table(outcomes: Mapping[str, Outcome]) -> str:
    """Return a line with the numbers of each suite."""
    rows = [("suite", "holds", "lacking", "differs", "about something else")]
    for name, each in outcomes.items():
        numbers = len(each.holds), len(each.lacking), len(each.differs), each.n_left_out
        rows.append((name, *map(str, numbers)))
    return "\n".join(f"{row[0]:<14}{row[1]:>7}{row[2]:>9}{row[3]:>9}{row[4]:>22}" for row in rows)


def compare(name: str, suite: Mapping[str, Any], outcome: Outcome) -> list[str]:
    """Return a line for each way in which an outcome is not the listed one."""
    lines = []
    for kind, found in (("lacking", outcome.lacking), ("differs", outcome.differs)):
        words = "asks for what we lack" if kind == "lacking" else "differs"
        listed = [test for each in suite.get(kind, []) for test in each["tests"]]
        lines += [
            f"{name}: {test} {words} and is not listed so. {(why.splitlines() or [''])[-1]}"
            for test, why in found.items()
            if not any(is_case(test, each) for each in listed)
        ]
        lines += [
            f"{name}: {each} is listed, but none of its cases {words}."
            for each in listed
            if not any(is_case(test, each) for test in found)
        ]
        others = {*outcome.holds, *outcome.lacking, *outcome.differs} - {*found}
        lines += [
            f"{name}: {test} is listed, but no longer {words}."
            for test in sorted(others)
            if any(is_case(test, each) for each in listed)
        ]
    if len(outcome.holds) != suite["holds"]:
        lines.append(
            f"{name}: {len(outcome.holds)} tests hold, and {suite['holds']} are expected."
        )
    return lines


def is_case(test: str, listed: str) -> bool:
    """Return whether a test is the listed one, or a case of it. An asterisk is any text."""
    pattern = ".*".join(map(re.escape, listed.split("*")))
    return re.fullmatch(rf"{pattern}(\[.*\])?", test, re.DOTALL) is not None


if __name__ == "__main__":
    sys.exit(main())
