"""What a run is worth beside a baseline: changes, the gate, the exit status; and --audit."""

from __future__ import annotations

import argparse
import copy
import json
import math
import os
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from ranking_scores._command._arguments import Parser, level_from, number_from
from ranking_scores._command._numbers import DIFFERENCE, CommandScores, Record, ScoredRun, group_of
from ranking_scores._command._words import InputError, in_words, say, warnings_said
from ranking_scores.exceptions import InvalidParameterError

if TYPE_CHECKING:
    from ranking_scores.agreement import AgreementReport, JudgeAgreement
    from ranking_scores.gates import GateResult
    from ranking_scores.significance import Changes


class CommandOutcome(NamedTuple):
    """What was asked for beside the scores: changes since a baseline, and the verdict of the gate.

    Of two runs without judgments it has the queries that changed most.
    """

    changes: Changes | None = None
    gate: GateResult | None = None
    agreement: AgreementReport | None = None
    judges: JudgeAgreement | None = None

    @property
    def status(self) -> int:
        """The exit status."""
        return 0 if self.gate is None or self.gate.passed else 1

    def text(self, form: str, scores: str) -> str:
        """Return the text of the scores with the tables beside it, which programs need not read.

        In Markdown, such as a comment on a pull request, the verdict comes first.
        """
        if form not in ("table", "markdown"):
            return scores
        parts = [scores.removesuffix("\n")]
        if self.agreement is not None:
            parts += self.agreement.changed_as("text" if form == "table" else "markdown")
        if self.judges is not None:
            parts.append(repr(self.judges) if form == "table" else self.judges.to_markdown())
        if self.changes is not None:
            parts.append(repr(self.changes) if form == "table" else self.changes.to_markdown())
        if self.gate is not None and form == "table":
            parts.append(repr(self.gate))
        elif self.gate is not None:
            parts.insert(0, self.gate.to_markdown())
        return "\n".join(f"{part}\n" for part in parts)

    def beside(self, scored: CommandScores) -> CommandScores:
        """Return the numbers of a call with those of the outcome, for formats for programs."""
        records = [record | _numbers_of(record, self) for record in scored.records]
        return scored._replace(records=records)


def judge(scored: CommandScores, options: argparse.Namespace) -> CommandOutcome:
    """Return what changed since the baseline, and whether the run passes."""
    is_gate = options.at_least is not None or options.max_drop is not None
    agreement = cast("AgreementReport", scored.only_run().report) if options.agreement else None
    judges = _judges(scored.only_run(), options) if options.judge else None
    if not (is_gate or options.baseline):
        return CommandOutcome(agreement=agreement, judges=judges)
    run = scored.only_run()
    for line in run.seen:
        say(f"warning: {run.name}: {line}")
    baseline = scored.baseline
    try:
        with warnings_said(run.name):
            changes = None if baseline is None else _changes(run, baseline, options)
            gate = _gate(run, baseline, options) if is_gate else None
    except OSError as error:
        raise InputError(f"{options.baseline}: {error.strerror or error}") from error
    except InvalidParameterError as error:
        baseline_names = dict.fromkeys(("old", "data_old", "baseline"), options.baseline)
        names = dict.fromkeys(("new", "data_new", "report"), run.name) | {"n_runs": "--runs"}
        said = in_words(error, **names, **baseline_names)
        if "queries='both'" in error.code:
            said = InputError(f"{said} {_COMPARE_BOTH}")
        raise said from error
    for note in gate.notes if gate is not None and options.format in ("csv", "json") else ():
        say(f"note: {note}")
    return CommandOutcome(changes, gate, agreement, judges)


def _judges(run: ScoredRun, options: argparse.Namespace) -> JudgeAgreement:
    """Return how far the judges agree."""
    from ranking_scores.agreement import judge_agreement  # loads scipy.stats

    assert run.data is not None
    try:
        with warnings_said("--judge"):
            return judge_agreement(run.data, scores=options.scores, **options.params)
    except InvalidParameterError as error:
        raise in_words(error, judgments=options.judgments) from error


_COMPARE_BOTH = "To compare the queries that both have, pass --baseline-queries both."


def _changes(run: ScoredRun, baseline: ScoredRun, options: argparse.Namespace) -> Changes:
    """Return what changed, with the items that moved if the baseline is a run.

    Of a saved report, it is known which items are missed now, but not which were. Over aspects,
    neither is.
    """
    from ranking_scores.significance import changes  # loads scipy.stats

    data: dict[str, Any] = {}
    if not options.aspects and baseline.report.query_ids is not None:
        data = {"data_new": run.data, "data_old": baseline.data}
    data["queries"] = options.baseline_queries
    level = options.confidence or 0.95
    return changes(run.report, baseline.report, confidence_level=level, random_state=0, **data)


def _gate(run: ScoredRun, baseline: ScoredRun | None, options: argparse.Namespace) -> GateResult:
    """Return the verdict of the gate."""
    from ranking_scores.gates import check

    report = run.report
    if options.agreement:  # the queries of one run are said above, with the names of the files
        report = copy.copy(report)
        vars(report).update(queries_seen=None)
    old = None if baseline is None or options.max_drop is None else baseline.report
    return check(
        report,
        options.baseline_source[0] if options.update_if_better else old,
        at_least=options.at_least,
        max_drop=options.max_drop,
        rule=options.rule or "difference",
        queries="equal" if options.max_drop is None else options.baseline_queries,
        by=options.by or None,
        undecided=options.undecided,
        confidence_level=options.confidence or 0.95,
        n_runs=1 if options.runs_of_gate is None else options.runs_of_gate,
        update_if_better=options.update_if_better,
    )


def _numbers_of(record: Record, outcome: CommandOutcome) -> Record:
    """Return what is known about the score of a record beside its own numbers."""
    numbers: Record = {}
    grouping, group = group_of(record)
    if outcome.changes is not None:
        changes = outcome.changes.scores
        if grouping is not None:
            changes = outcome.changes.by_group.get(grouping, {}).get(group, {})
        change = changes.get(record["score"])
        numbers = {
            key: math.nan if change is None else getattr(change, name)
            for key, name in {"before": "before", **DIFFERENCE}.items()
        }
    if outcome.gate is not None:
        verdicts = {
            row.verdict
            for row in outcome.gate
            if (row.metric, row.grouping, row.group) == (record["score"], grouping, group)
        }
        worst_first = ("failed", "undecided", "passed")
        numbers["verdict"] = next((name for name in worst_first if name in verdicts), None)
    return numbers


# --- the option --audit, which reads no files ---------------------------------------------------


def audited(argv: Sequence[str]) -> str | None:
    """Return the text of --audit with its numbers, or None if the arguments lack it."""
    if not any(word.partition("=")[0] == "--audit" for word in argv):
        return None
    from ranking_scores.significance import audit  # loads scipy.stats

    parser = small_parser()
    parser.add_argument("--audit", type=_audit_number, nargs="+")
    options, others = parser.parse_known_args(argv)
    if others:
        expected = "no files, and of the options --confidence and --format alone"
        raise InputError(f"--audit takes {expected}. Got {' '.join(others)}.")
    if not 2 <= len(options.audit) <= 3:
        expected = "a mean, the mean of a baseline if there is one, and a number of queries"
        raise InputError(f"--audit takes {expected}. Got {' '.join(map(str, options.audit))}.")
    mean, *baseline, n_queries = options.audit
    try:
        result = audit(mean, n_queries, *baseline, confidence_level=options.confidence)
    except InvalidParameterError as error:
        raise in_words(error, **_IN_WORDS) from error
    if options.format == "json":
        return json.dumps(_without_infinity(asdict(result))) + "\n"
    return f"{result.to_markdown() if options.format == 'markdown' else repr(result)}\n"


def small_parser() -> Parser:
    """Return a parser of the options that those without files have, too."""
    parser = Parser(add_help=False, allow_abbrev=False)
    parser.add_argument("--confidence", type=level_from, default=0.95)
    parser.add_argument("--format", choices=["table", "json", "markdown"], default="table")
    parser.add_argument("--debug", action="store_true")
    return parser


def _audit_number(text: str) -> int | float:
    """Return an argument as a number. Raise with the advice to leave out files."""
    if os.path.exists(text):
        raise argparse.ArgumentTypeError(f"takes no files, only numbers. Got {text!r}")
    return number_from(text)


_IN_WORDS = {"mean": "the mean", "baseline": "the baseline", "n_queries": "the number of queries"}
"""What errors call the parameters of `audit`."""


def _without_infinity(value: Any) -> Any:
    """Return a value, or a dict of such, with None in the place of infinity, which JSON lacks."""
    if isinstance(value, dict):
        return {key: _without_infinity(each) for key, each in value.items()}
    return None if value == math.inf else value
