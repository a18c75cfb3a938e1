"""The option --agreement: how far two runs agree, without judgments."""

from __future__ import annotations

import argparse
import re

from ranking_scores._agreement import PairedRankings, pair_joined
from ranking_scores._base import count_queries, with_parts
from ranking_scores._command._files import ORDER, Files
from ranking_scores._command._numbers import (
    Run,
    Scored,
    as_predicted,
    check_ids,
    error_of_files,
    groups_of,
    records_of,
    scores_in,
    source_of,
)
from ranking_scores._command._words import InputError, warnings_said
from ranking_scores._tables import NO_JUDGMENTS, Given, join_runs, run_of_given
from ranking_scores.exceptions import InvalidParameterError


def score_agreement(options: argparse.Namespace) -> Scored:
    """Return the records of the agreement of two runs, with facts about them."""
    from ranking_scores.agreement import agreement_report  # loads scipy.stats

    files = Files(options)
    [new] = options.runs
    with warnings_said(new):
        paired = _pair(files, options)
        groups = {}
        if options.query_table:
            assert paired.query_ids is not None
            groups = groups_of(paired.query_ids, files.queries())
        report = agreement_report(paired, scores=options.scores, by=groups or None)
        records = records_of(new, report, None, options, groups)
    seen = paired.queries_seen.lines(names=(options.old, new))
    agreement = f"agreement of {new} with {options.old}, without judgments"
    counts = [count_queries(paired.n_queries), *seen]
    run = Run(new, None, report, seen)
    return Scored(records, counts, [agreement], {new: list(paired.notes)}, run, None)


def _pair(files: Files, options: argparse.Namespace) -> PairedRankings:
    """Return both runs, joined by the ids of queries and items."""
    try:
        old, new = (files.run(*options.sources[run]) for run in (options.old, *options.runs))
    except InputError as error:
        raise InputError(str(error).replace(ORDER, _TWO_RUNS)) from error
    check_ids(old, new, options)
    tables = {"a": old, "b": new}
    runs, read = [], []
    try:
        for name, table in tables.items():
            side = source_of(table, name)
            given = Given(NO_JUDGMENTS, side, split=options.split, scores_in=scores_in(options))
            given, answers = as_predicted(given, table, options)
            runs.append(run_of_given(given, answers.notes))
            read += answers.said()
        joined = join_runs(runs[0], runs[1], options.duplicates)
        return pair_joined(joined, tuple(dict.fromkeys(read)), (options.old, *options.runs))
    except InvalidParameterError as error:
        expected = _LIKE_A.sub(f", like {options.old}", error.expected)
        raise error_of_files(with_parts(error, expected=expected), tables) from error


_TWO_RUNS = "--agreement takes two runs, and no judgments."
_LIKE_A = re.compile(r", like (column .* of )?a$", re.DOTALL)
"""The kind of ids that the first run has, at the end of an error about the second one."""
