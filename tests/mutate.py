"""Mutation testing: each module is broken in thousands of ways, which its tests must notice.

::

    python -m pip install -e ".[test,mutation]"
    python tests/mutate.py                      # every module of `TESTS`
    python tests/mutate.py _base._sorting _base._exact
    python tests/mutate.py --changed --at-most 200 --seed 1

A *mutant* is a module in which cosmic-ray has put something else for one operator, number or
condition. The tests *kill* it if one of them fails. No result tells some mutants from the module:
they change how fast it is, or what nothing depends on. `SURVIVORS` has their number for each
module. If more survive, in all of a module or in a sample of it, that is an error.

A process for each mutant would take a day. So all tests are imported once, and each mutant is a
fork in which the code of one function is replaced. It runs the tests that come through the lines
of the change, those first that have killed most mutants so far. What is outside of all functions
is not mutated: it is declarations, and constants that the benchmarks have chosen. Forks need Linux
or macOS.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import difflib
import gc
import importlib
import itertools
import math
import os
import pickle
import random
import re
import secrets
import signal
import subprocess
import sys
import tempfile
import time
import types
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "ranking_scores"

MODULES = {
    "_base._exact": (
        140,  # most of them in what tells whether the sums of a file are possible
        "choices boundaries exact item_weight streaming stream_merges standard_errors_of_streams "
        "clusters macro_gates groups_and_tables forged",
    ),
    "_queries._counting": (160, "counting laws"),  # most of them change only the way taken
    "_queries._top_k_candidates": (11, "choices boundaries top_k_candidates queries laws"),
    "_base._sorting": (45, "choices boundaries sorting laws top_k_candidates ids"),
    "_metrics._profiles": (
        26,
        "choices boundaries profiles reference laws relevance_scores unjudged items_to_judge "
        "unjudged_in_results",
    ),
    "_metrics._rank_sums": (10, "explain explained_queries laws relevance_scores reference"),
    "_metrics._completions": (160, "unjudged items_to_judge unjudged_in_results"),
    "_metrics._shared_labels": (50, "unjudged items_to_judge unjudged_in_results"),
    "_metrics._bounds": (3, "unjudged items_to_judge unjudged_in_results"),
    "_queries._relevance": (
        13,
        "boundaries known_values errors errors_of_data errors_of_scorers_and_streams "
        "relevance_scores laws",
    ),
    "_metrics._evaluate": (
        12,
        "choices boundaries evaluate report groups_and_tables report_errors relevance_scores "
        "item_weight streaming stream_merges standard_errors_of_streams laws slips clusters notes "
        "unjudged items_to_judge unjudged_in_results",
    ),
    "_queries._blocks": (
        9,
        "choices boundaries queries top_k_candidates lists pairs item_weight laws errors "
        "errors_of_data errors_of_scorers_and_streams explain explained_queries unjudged "
        "items_to_judge unjudged_in_results",
    ),
    "_queries._data": (
        39,
        "boundaries queries errors errors_of_data errors_of_scorers_and_streams retrieved laws "
        "index class_labels slips by_id lists",
    ),
    "_base._index": (
        3,
        "boundaries index errors errors_of_data errors_of_scorers_and_streams class_labels",
    ),
    "_queries._lists": (
        14,
        "boundaries lists errors errors_of_data errors_of_scorers_and_streams laws explain "
        "explained_queries unjudged items_to_judge unjudged_in_results",
    ),
    "_queries._ragged": (
        6,
        "boundaries queries laws errors errors_of_data errors_of_scorers_and_streams query_ids "
        "explain explained_queries",
    ),
    "_queries._retrieved": (
        7,
        "choices boundaries retrieved item_weight laws errors errors_of_data "
        "errors_of_scorers_and_streams explain explained_queries unjudged items_to_judge "
        "unjudged_in_results",
    ),
    "_queries._rows": (
        12,
        "boundaries queries laws errors errors_of_data errors_of_scorers_and_streams item_weight "
        "explain explained_queries choices class_labels index retrieved unjudged items_to_judge "
        "unjudged_in_results",
    ),
}
"""By module, how many mutants survive because no result can tell them from the module, and the
test files that must kill all others."""
SURVIVORS = {module: n_survivors for module, (n_survivors, _) in MODULES.items()}
TESTS = {module: names.split() for module, (_, names) in MODULES.items()}


def test_file(name: str) -> Path:
    """Return the test file of a name in `TESTS`, in whatever folder it is."""
    [path] = (ROOT / "tests").rglob(f"test_{name}.py")
    return path


UNSEEN = ("copy=", "strict=")
"""Arguments that no result depends on: the one saves time, the other finds errors made here."""

KILLED, SURVIVED, INVALID = "killed", "survived", "invalid"
_SECONDS, _TIMES_AS_LONG = 5, 10
"""A test may take so many seconds of processor time, and so many times as long as without a
change."""
_CASES = 10
"""So many cases of each test are run first, of those that come through the lines of a mutant."""
_MEMORY = 4 * 2**30
"""The bytes that a mutant may take beside what the tests have taken before."""


# --- the mutants ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Mutant:
    """A module with one change."""

    module: str
    function: str
    """The outermost function with the change in its body."""
    line: int
    before: str
    """The line that is changed, without its indent."""
    after: str
    start: int
    stop: int
    """From where to where the source is replaced."""
    text: str
    """What by."""
    operator: str

    def source(self) -> str:
        """Return the source of the mutant."""
        source = source_of(self.module)
        return source[: self.start] + self.text + source[self.stop :]

    def __str__(self) -> str:
        where = f"{path_of(self.module).relative_to(ROOT)}:{self.line} {self.function}"
        return f"{where}\n    - {self.before}\n    + {self.after}"


def path_of(module: str) -> Path:
    """Return the file of a module."""
    return PACKAGE.joinpath(*module.split(".")).with_suffix(".py")


def source_of(module: str) -> str:
    """Return the source of a module."""
    return path_of(module).read_text(encoding="utf-8")


def mutants_of(module: str) -> list[Mutant]:
    """Return all mutants of a module."""
    import parso
    from cosmic_ray.ast import ast_nodes
    from cosmic_ray.plugins import get_operator, operator_names

    source = source_of(module)
    nodes = list(ast_nodes(parso.parse(source)))
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    places = _Places(source)
    found: dict[str, Mutant] = {}  # several operators may make the same of a module
    for name in sorted(operator_names()):
        if name.startswith("core/Variable"):  # must be told of variables
            continue
        operator = get_operator(name)()
        for node in nodes:
            for index, ((line, column), _) in enumerate(operator.mutation_positions(node)):
                if places.is_never_run(line, column) or _is_unseen(source, starts, line, column):
                    continue
                statement = _statement_of(node)
                old, new = _mutated(statement, node, operator, index)
                start = starts[statement.start_pos[0] - 1] + statement.start_pos[1]
                stop = start + len(old)
                before, after = _changed_line(old, new)
                function = places.function_at(line, column)
                if not function:
                    continue
                mutant = Mutant(module, function, line, before, after, start, stop, new, name[5:])
                found.setdefault(mutant.source(), mutant)
    found.pop(source, None)
    return sorted(found.values(), key=lambda mutant: (mutant.line, mutant.operator))


def _is_unseen(source: str, starts: list[int], line: int, column: int) -> bool:
    """Return whether there is the value of an argument that no result depends on."""
    return source[: starts[line - 1] + column].endswith(UNSEEN)


def _statement_of(node: Any) -> Any:
    """Return the statement that a node of parso is in."""
    while node.parent is not None and node.parent.type not in ("file_input", "suite"):
        node = node.parent
    return node


def _mutated(statement: Any, node: Any, operator: Any, index: int) -> tuple[str, str]:
    """Return the code of a statement before and after an operator has changed a node in it."""
    old = statement.get_code(include_prefix=False)
    parent = node.parent
    siblings, children = list(parent.children), list(getattr(node, "children", ()))
    value = getattr(node, "value", None)
    new_node = operator.mutate(node, index)
    if new_node is not node:
        place = next(i for i, each in enumerate(siblings) if each is node)
        parent.children[place : place + 1] = [] if new_node is None else [new_node]
    new = statement.get_code(include_prefix=False)
    parent.children = siblings
    if children:
        node.children = children
    elif value is not None:
        node.value = value
    return old, new


def _changed_line(old: str, new: str) -> tuple[str, str]:
    """Return what differs of two statements, without indent."""
    lines = old.splitlines(), new.splitlines()
    matcher = difflib.SequenceMatcher(None, *lines, autojunk=False)
    changes = [change for change in matcher.get_opcodes() if change[0] != "equal"]
    (_, start, _, new_start, _), (_, _, stop, _, new_stop) = changes[0], changes[-1]
    return _in_one_line(lines[0][start:stop]), _in_one_line(lines[1][new_start:new_stop])


def _in_one_line(lines: Iterable[str]) -> str:
    return re.sub(r"\s+", " ", " ".join(lines)).strip()


class _Places:
    """What is where in a source."""

    def __init__(self, source: str) -> None:
        tree = ast.parse(source)
        self._never_run = [_extent(part, part) for node in ast.walk(tree) for part in _types(node)]
        self._bodies: list[Any] = []
        self._add_functions(tree, "")

    def _add_functions(self, parent: Any, prefix: str) -> None:
        for node in parent.body:
            if isinstance(node, ast.ClassDef) and "Protocol" in map(ast.unparse, node.bases):
                self._never_run.append(_extent(node.body[0].value, node.body[-1]))
            elif isinstance(node, ast.ClassDef):
                self._add_functions(node, f"{prefix}{node.name}.")
            elif isinstance(node, ast.FunctionDef):
                self._bodies.append((*_extent(node.body[0], node.body[-1]), prefix + node.name))
                self._add_marker(node)

    def _add_marker(self, function: ast.FunctionDef) -> None:
        """Note where the `*` before arguments by name may be, which is no operator."""
        arguments = function.args
        if arguments.kwonlyargs:
            last = [*arguments.posonlyargs, *arguments.args][-1:]
            start = _extent(last[0], last[0])[1] if last else (function.lineno, 0)
            first = arguments.kwonlyargs[0]
            self._never_run.append((start, (first.lineno, first.col_offset)))

    def is_never_run(self, line: int, column: int) -> bool:
        """Return whether nothing ever runs what is there."""
        return any(start <= (line, column) < stop for start, stop in self._never_run)

    def function_at(self, line: int, column: int) -> str:
        """Return the name of the outermost function that is there, or ""."""
        names = (name for start, stop, name in self._bodies if start <= (line, column) < stop)
        return next(names, "")


def _types(node: Any) -> list[Any]:
    """Return the annotations of a node."""
    found = (getattr(node, name, None) for name in ("annotation", "returns"))
    return [each for each in found if each is not None]


def _extent(first: Any, last: Any) -> tuple[tuple[int, int], tuple[int, int]]:
    return (first.lineno, first.col_offset), (last.end_lineno, last.end_col_offset)


# --- one mutant -------------------------------------------------------------------------------


def graft(mutant: Mutant, source: str) -> None:
    """Replace the code of the function that a mutant has changed, whoever has the function."""
    module = _module_of(mutant)
    file = str(path_of(mutant.module))
    code = _code_of(compile(source, file, "exec", dont_inherit=True), mutant.function)
    found: Any = module
    for name in mutant.function.split("."):
        found = vars(found)[name]
    for wrapped in ("fget", "func", "__func__"):  # property, cached_property, class method
        found = getattr(found, wrapped, found)
    assert isinstance(found, types.FunctionType), mutant
    found.__code__ = code


def _module_of(mutant: Mutant) -> types.ModuleType:
    module = importlib.import_module(f"ranking_scores.{mutant.module}")
    assert module.__file__ == str(path_of(mutant.module)), module.__file__
    return module


def _code_of(code: types.CodeType, name: str) -> types.CodeType:
    """Return the code of a function, of those in the code of a module."""
    for each in _codes_in(code):
        if each.co_qualname == name:
            return each
    raise LookupError(name)


def _codes_in(code: types.CodeType) -> Iterator[types.CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield constant
            yield from _codes_in(constant)


def _pytest_arguments(modules: Sequence[str]) -> list[str]:
    names = dict.fromkeys(name for module in modules for name in TESTS[module])
    files = [str(test_file(name)) for name in names]
    options = ["-q", "-s", "--every-case", "-p", "no:cacheprovider", "-p", "no:xdist"]
    return [*options, "-c", str(ROOT / "pyproject.toml"), f"--rootdir={ROOT}", *files]


class _Profile:
    """A plugin that lets Hypothesis draw the same few examples in every process."""

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self) -> None:
        from hypothesis import HealthCheck, Phase, settings

        settings.register_profile(
            "mutation",
            max_examples=settings().max_examples,
            derandomize=True,
            database=None,
            deadline=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
            report_multiple_bugs=False,
        )
        settings.load_profile("mutation")


# --- many mutants -----------------------------------------------------------------------------


class Run(_Profile):
    """A plugin that runs the tests of many mutants in place of the tests that were collected."""

    def __init__(
        self,
        mutants: Sequence[Mutant],
        n_jobs: int,
        *,
        is_control: bool,
        seconds: float = math.inf,
    ) -> None:
        self.mutants, self.n_jobs, self.is_control = mutants, n_jobs, is_control
        self.seconds = seconds
        self.outcome: dict[Mutant, str] = {}
        self.killer: dict[Mutant, str] = {}
        self._n_killed_by: Counter[int] = Counter()

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run all tests once, and then those of each mutant."""
        if session.testsfailed or not session.items:
            sys.exit("The tests cannot be collected.")
        self._items = session.items
        self._items_of_file = defaultdict(list)
        for index, item in enumerate(session.items):
            self._items_of_file[item.path.stem.removeprefix("test_")].append(index)
        self._run_unchanged()
        gc.freeze()  # so that the forks share what is there
        started = time.monotonic()
        in_time = itertools.takewhile(
            lambda _: time.monotonic() < started + self.seconds, self.mutants
        )
        for number, (mutant, status, result) in enumerate(
            self._in_forks(in_time, self._run_mutant), start=1
        ):
            self._note(mutant, status, result)
            if number % 100 == 0:
                n_survived = sum(each == SURVIVED for each in self.outcome.values())
                seconds = f"{time.monotonic() - started:.0f} s"
                _say(f"{number} mutants of {len(self.mutants)}, {n_survived} alive, {seconds}")
        return True

    def _note(self, mutant: Mutant, status: int, result: Any) -> None:
        if os.WIFSIGNALED(status):
            self.outcome[mutant] = KILLED
            self.killer[mutant] = signal.Signals(os.WTERMSIG(status)).name
        elif result is None:  # the tests came to an end with it
            self.outcome[mutant] = KILLED
            self.killer[mutant] = f"exit status {os.waitstatus_to_exitcode(status)}"
        else:
            self.outcome[mutant], index = result
            if index is not None:
                self._n_killed_by[index] += 1
                self.killer[mutant] = self._items[index].nodeid

    def _in_forks(self, tasks: Iterable[Any], work: Any) -> Iterator[tuple[Any, int, Any]]:
        """Yield each task, the status of its fork, and what `work` returned there."""
        running: dict[int, tuple[Any, Path]] = {}
        left = iter(tasks)
        with tempfile.TemporaryDirectory() as folder:
            while True:
                while len(running) < self.n_jobs and (task := next(left, None)) is not None:
                    result = Path(folder, secrets.token_hex(8))
                    process = os.fork()
                    if process == 0:
                        _work_in_child(work, task, result)
                    running[process] = task, result
                if not running:
                    return
                process, status = os.wait()
                _kill_group(process)
                task, result = running.pop(process)
                yield task, status, pickle.loads(result.read_bytes()) if result.exists() else None

    def _run_unchanged(self) -> None:
        """Find out how long each test takes, and through which lines it comes."""
        shards = [range(start, len(self._items), self.n_jobs) for start in range(self.n_jobs)]
        self._seconds = {}
        self._items_by_line = defaultdict(lambda: defaultdict(list))
        for _, status, result in self._in_forks(shards, self._measure):
            if result is None:
                sys.exit(f"The tests end with status {status} although nothing is changed.")
            seconds, lines, failed = result
            if failed:
                sys.exit("Without a change, a test fails: " + ", ".join(failed))
            self._seconds.update(seconds)
            for module, items_by_line in lines.items():
                for line, items in items_by_line.items():
                    self._items_by_line[module][line] += items
        _say(f"{len(self._items)} tests pass in {sum(self._seconds.values()):.0f} s")

    def _measure(self, indexes: range) -> Any:
        """Return the seconds of some tests, the lines they come through, and which fail."""
        os.environ["COVERAGE_CORE"] = "ctrace"
        import coverage

        file_of = {module: str(path_of(module)) for module in TESTS}
        recorder = coverage.Coverage(
            data_file=None, config_file=False, include=list(file_of.values())
        )
        recorder.start()
        seconds, failed = {}, []
        for index in indexes:
            recorder.switch_context(str(index))
            started = time.perf_counter()
            if self._fails(index):
                failed.append(self._items[index].nodeid)
            seconds[index] = time.perf_counter() - started
        recorder.stop()
        data = recorder.get_data()
        lines = {
            module: {
                line: [int(index) for index in contexts if index]
                for line, contexts in data.contexts_by_lineno(file).items()
            }
            for module, file in file_of.items()
        }
        return seconds, lines, failed

    def _fails(self, index: int) -> bool:
        """Return whether a test fails, run on its own."""
        self._has_failed = False
        item = self._items[index]
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        return self._has_failed

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the failure of a test, or of what it needs."""
        self._has_failed |= report.failed

    def _run_mutant(self, mutant: Mutant) -> tuple[str, int | None] | None:
        """Return what becomes of a mutant, and the test that kills it."""
        source = source_of(mutant.module) if self.is_control else mutant.source()
        try:
            compile(source, "", "exec", dont_inherit=True)
        except (SyntaxError, SyntaxWarning):
            return INVALID, None  # as cosmic-ray makes of a few statements
        items = self._items_for(mutant)
        _limit_memory()
        try:
            graft(mutant, source)
        except Exception as error:
            return f"cannot be made: {error!r}", None
        for index in items:
            _limit_time(_SECONDS + _TIMES_AS_LONG * self._seconds[index])
            if self._fails(index):
                return KILLED, index
        return SURVIVED, None

    def _items_for(self, mutant: Mutant) -> list[int]:
        """Return the tests that come through a mutant, in the order in which they are run."""
        items = {index for name in TESTS[mutant.module] for index in self._items_of_file[name]}
        items &= self._items_through(mutant)
        first = self._some_cases(items)
        return [*self._likely_first(first), *self._likely_first(items - first)]

    def _likely_first(self, items: set[int]) -> list[int]:
        """Return tests in an order in which those come first that kill many, and take no time."""
        return sorted(items, key=lambda index: (-self._n_killed_by[index], self._seconds[index]))

    def _some_cases(self, items: set[int]) -> set[int]:
        """Return the tests, but only some of the cases of each that has many."""
        cases = defaultdict(list)
        for index in sorted(items):
            cases[self._items[index].nodeid.partition("[")[0]].append(index)
        return {i for each in cases.values() for i in each[:: -(-len(each) // _CASES)]}

    def _items_through(self, mutant: Mutant) -> set[int]:
        """Return the tests that come through the statement of a mutant."""
        first = source_of(mutant.module).count("\n", 0, mutant.start) + 1
        # Of a statement of several lines, as of a loop, what matters is whether it starts.
        by_line = self._items_by_line[mutant.module]
        return set(by_line.get(first, ())) | set(by_line.get(mutant.line, ()))


def _work_in_child(work: Any, task: Any, result: Path) -> None:
    """Write what a function returns, and end this process."""
    try:
        os.setsid()  # so that all that it starts can be ended with it
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nothing, stream)
        returned = pickle.dumps(work(task))
        result.with_suffix(".part").write_bytes(returned)
        result.with_suffix(".part").rename(result)
        os._exit(0)
    except BaseException:  # such as an error of a test that the mutant has broken altogether
        os._exit(3)


def _kill_group(process: int) -> None:
    """End what a process has left behind."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process, signal.SIGKILL)


def _limit_time(seconds: float) -> None:
    """End this process after some time of the processor, or ten times as much on the clock."""
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, 10 * seconds)


def _limit_memory() -> None:
    """Let this process have only so much more memory."""
    import resource  # which Windows lacks

    statm = Path("/proc/self/statm")
    if statm.exists():
        pages = int(statm.read_text().split()[0])
        most = pages * resource.getpagesize() + _MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


# --- the command ------------------------------------------------------------------------------


def changed_modules(seed: int) -> list[str]:
    """Return the modules that differ from what this commit goes back to.

    It is where the branch leaves that of the origin, or the first parent. A shallow clone may have
    neither. Then any three modules are returned.
    """
    for base in ("origin/HEAD", "HEAD^"):
        command = ["git", "-C", str(ROOT), "diff", "--name-only", "--merge-base", base]
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
        changed = answer.stdout.split()
        if answer.returncode == 0 and (changed or base == "HEAD^"):
            return [m for m in TESTS if str(path_of(m).relative_to(ROOT)) in changed]
    return random.Random(seed).sample(list(TESTS), 3)


def report(mutants: Sequence[Mutant], run: Run) -> int:
    """Print what became of mutants, and return the exit status of the command."""
    outcome = run.outcome
    left = [mutant for mutant in mutants if outcome.get(mutant) == SURVIVED]
    for mutant in left:
        _say(str(mutant))
    counts = Counter(outcome.values())
    n_mutants = counts[KILLED] + counts[SURVIVED]
    late = sum(run.killer.get(mutant, "").startswith("SIG") for mutant in outcome)
    if n_mutants:
        _say(
            f"{counts[KILLED]} of {n_mutants} mutants were killed "
            f"({counts[KILLED] / n_mutants:.1%}), {late} of them for their time"
        )
    survivors = Counter(mutant.module for mutant in left)
    many = {name: count for name, count in survivors.items() if count > SURVIVORS[name]}
    for name, count in many.items():
        _say(f"{count} mutants of {name} survive, more than the {SURVIVORS[name]} of `SURVIVORS`")
    lost = [m for m in outcome if outcome[m] not in (KILLED, SURVIVED, INVALID)]
    if lost:
        _say(f"{len(lost)} mutants could not be run, such as {lost[0]} {outcome[lost[0]]}")
    if n_late := len(mutants) - len(outcome):
        _say(f"{n_late} mutants were not run, since the time was over")
    return 1 if many or lost else 0


def _say(line: str) -> None:
    print(line, flush=True)


def main() -> None:
    """Print the mutants that survive, and exit with 1 if they are too many."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("modules", nargs="*", help="such as _sorting or _queries._rows; all")
    parser.add_argument("--changed", action="store_true", help="modules that git says are changed")
    parser.add_argument("--at-most", type=int, default=10**9, help="mutants, chosen by --seed")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6))
    parser.add_argument("--seconds", type=float, default=math.inf, help="run none after so many")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--control", action="store_true", help="change nothing: all must survive")
    arguments = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    modules = (
        changed_modules(arguments.seed) if arguments.changed else arguments.modules or list(TESTS)
    )
    mutants = [mutant for module in modules for mutant in mutants_of(module)]
    random.Random(arguments.seed).shuffle(mutants)
    _say(f"{len(mutants)} mutants of {', '.join(modules) or 'no module'}, seed {arguments.seed}")
    mutants = mutants[: arguments.at_most]
    if mutants:
        run = Run(mutants, arguments.jobs, is_control=arguments.control, seconds=arguments.seconds)
        pytest.main(_pytest_arguments(modules), plugins=[run])
        sys.exit(report(mutants, run))


if __name__ == "__main__":
    main()
