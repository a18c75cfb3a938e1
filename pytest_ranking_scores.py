"""A plugin of pytest: the fixture `ranking_gate` fails a test whose scores are below a baseline.

A conftest.py turns it on: ``pytest_plugins = ["pytest_ranking_scores"]``. It is no entry point:
pytest would then rewrite the assertions of the whole package in everybody's tests. It imports
nothing of the package until a test uses the fixture.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ranking_scores import RankingReport
    from ranking_scores.gates import GateResult

__all__ = ["RankingGate"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the two options."""
    group = parser.getgroup("ranking_scores", "gates of ranking scores")
    group.addoption(
        "--ranking-baseline",
        metavar="FOLDER",
        default="ranking_baselines",
        help="the folder of the baselines of ranking_gate, below the root directory of pytest "
        "unless it is absolute (default: ranking_baselines)",
    )
    group.addoption(
        "--ranking-update",
        action="store_true",
        help="let ranking_gate write the reports of the tests as the new baselines",
    )


_WRITERS = pytest.StashKey[dict[Path, str]]()
"""By baseline, the test of this run that has written it."""


def pytest_configure(config: pytest.Config) -> None:
    """Begin without a baseline that was written."""
    config.stash[_WRITERS] = {}


_PLAIN = re.compile(r"\w+(\[[a-z0-9_.]+(-[a-z0-9_.]+)*\])?", re.ASCII)
"""A test whose parameters are the same in the name of a file, where upper case may not count."""
_LONGEST = 100
"""The most characters of a name, of which systems take 255 bytes."""


class RankingGate:
    """The fixture `ranking_gate`: call it with a report, and with what the gate asks for."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._test = request.node
        self._folder: Path = request.config.rootpath / request.config.getoption("ranking_baseline")
        self._writes = request.config.getoption("ranking_update")
        self._writers = request.config.stash[_WRITERS]
        self._used: set[Path] = set()

    def __call__(
        self, report: RankingReport, *, name: str | None = None, **conditions: Any
    ) -> GateResult | None:
        """Fail the test with the table of the gate unless the report passes.

        Parameters
        ----------
        report : RankingReport
            The report to check.

        name : str, default=None
            The name of the baseline, without ".json", in the folder of the baselines. None is the
            name of the test, in a folder that is named after its file. If its parameters have
            other characters than lower-case letters, digits, "_", "-" and ".", it has a hash. A
            test that checks several reports has to name them.

        **conditions
            The parameters of `ranking_scores.gates.check` except for the first two, such as
            ``max_drop=0.01`` or ``at_least={"ndcg@10": 0.4}``.

        Returns
        -------
        result : GateResult or None
            The conditions and their verdicts. None if ``--ranking-update`` has written the
            baseline and nothing else is asked than how the scores compare with it.
        """
        __tracebackhide__ = True
        from ranking_scores.gates import check

        path = self._path(name)
        if path in self._used:
            raise ValueError(
                "The 'name' of ranking_gate must be another one for each report of a test. Got "
                f"{path.stem!r} twice."
            )
        self._used.add(path)
        if self._writes:
            if self._writers.setdefault(path, self._test.nodeid) != self._test.nodeid:
                pytest.fail(
                    f"{self._writers[path]} has written the baseline {path} before: give another "
                    "name to ranking_gate",
                    pytrace=False,
                )
            path.parent.mkdir(parents=True, exist_ok=True)
            report.to_json(path)
            if conditions.get("at_least") is None:
                return None
        needs_baseline = conditions.get("max_drop") is not None
        if needs_baseline and not path.exists():
            pytest.fail(
                f"there is no baseline {path}: run pytest with --ranking-update once, and commit "
                "the file",
                pytrace=False,
            )
        result = check(report, path if needs_baseline else None, **conditions)
        self._test.add_report_section("call", "ranking gate", repr(result))
        if not result.passed:
            pytest.fail(f"the ranking gate failed\n\n{result!r}", pytrace=False)
        return result

    def _path(self, name: str | None) -> Path:
        """Return the file of a baseline, which no other test has, on any system.

        The names of tests have characters that files cannot. So a name that another test could
        come to has a hash.
        """
        if name is None:
            # pytest-xdist adds the group of a test to its node id.
            file = self._test.nodeid.partition("::")[0]
            names = [node.name for node in self._test.listchain() if "::" in node.nodeid]
            name = re.sub(r"[^\w.-]+", "-", "-".join(names)).strip("-")
            if not _PLAIN.fullmatch(names[-1]) or len(name) > _LONGEST:
                digest = hashlib.sha256("::".join(names).encode(errors="surrogatepass"))
                name = f"{name[:_LONGEST]}-{digest.hexdigest()[:8]}"
            return self._folder / Path(file).with_suffix("") / f"{name}.json"
        if re.search(r"[^\w.-]", name) or not name.strip("."):
            expected = "letters, digits, '_', '-' and '.'"
            raise ValueError(f"The 'name' of ranking_gate must be {expected}. Got {name!r}.")
        return self._folder / f"{name}.json"


@pytest.fixture
def ranking_gate(request: pytest.FixtureRequest) -> RankingGate:
    """Return a function that fails the test unless a report passes a gate."""
    return RankingGate(request)
