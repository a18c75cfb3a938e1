"""The numbers of the command: files are joined and scored, and runs are compared."""

from __future__ import annotations

import argparse
import math
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ranking_scores._base import count_queries, with_parts
from ranking_scores._command._arguments import find, params_for
from ranking_scores._command._files import Table, read
from ranking_scores._command._words import InputError, in_words, warnings_said
from ranking_scores._tables import UNEQUAL, RankingData
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.report import RankingReport, ranking_report, undefined_by_query
from ranking_scores.tables import from_tables
from ranking_scores.ties import tie_report

Record = dict[str, Any]
"""The numbers of one score, for a run or for one of its queries."""


def score_runs(options: argparse.Namespace) -> tuple[list[Record], list[str]]:
    """Return the records of all runs, and lines with facts about them."""
    judgments = read(options.judgments, options)
    records: list[Record] = []
    n_queries: dict[str, int] = {}
    seen: dict[str, Any] = {}
    reports: dict[str, RankingReport] = {}
    ids: list[list[Any]] = []
    for run in options.runs:
        predictions = read(run, options, is_run=True)
        with warnings_said(run):
            data = _join(judgments, predictions, options)
            try:
                report = _report(data, options)
                records += _records(run, report, data, options)
            except InvalidParameterError as error:
                raise _explain(error, run, data, options) from error
        n_queries[run] = len(data.query_ids)
        seen[run] = data.queries_seen
        if options.compare:
            reports[run] = report
            ids.append(_as_plain(data.query_ids))
            if ids[-1] != ids[0]:
                message = (
                    f"{run} and {options.runs[0]} have different queries and cannot be compared"
                )
                raise InputError(f"{message}. Use --queries judged.")
    notes = [*_counts(n_queries), *_lines_by_run(seen)]
    if options.compare:
        notes += _add_comparisons(records, reports, options)
    if not options.by_query:  # group the runs by score
        records.sort(key=lambda record: options.scores.index(record["score"]))
    return records, notes


def _counts(n_queries: dict[str, int]) -> list[str]:
    """Return the numbers of queries of the runs, in words."""
    counts = sorted(set(n_queries.values()))
    of_runs = {"": counts[0]} if len(counts) == 1 else n_queries
    return [f"{run}{': ' * bool(run)}{count_queries(n)}" for run, n in of_runs.items()]


def _lines_by_run(seen: dict[str, Any]) -> list[str]:
    """Return the queries that only the judgments or only a run has, in words."""
    lines = {run: each.lines() for run, each in seen.items()}
    common = [
        line for line in next(iter(lines.values())) if all(line in of for of in lines.values())
    ]
    own = [f"{run}: {line}" for run, of in lines.items() for line in of if line not in common]
    return [*common, *own]


def _join(judgments: Table, predictions: Table, options: argparse.Namespace) -> RankingData:
    """Return judgments and predictions as arrays."""
    for role in ("query", "item"):
        _check_kinds(judgments, predictions, role)
    value: Any = {predictions.kind: predictions.value}
    try:
        data = from_tables(
            judgments.columns,
            predictions.columns,
            query=(judgments.query, predictions.query),
            item=(judgments.item, predictions.item),
            label=judgments.value,
            queries=options.queries,
            **value,
        )
    except InvalidParameterError as error:
        words = str(in_words(error, judgments=judgments.path, predictions=predictions.path))
        if error.code == UNEQUAL:
            words += " With --queries judged, such queries are no error."
        raise InputError(words) from error
    for role, ids in (("query", data.query_ids), ("item", data.item_ids)):
        if ids[:1].tolist() in ([""], [b""]):  # they are sorted
            files = f"{judgments.path} with {predictions.path}"
            raise InputError(f"{files}: a {role} id is empty. Drop such rows, or give them an id.")
    return data


def _check_kinds(judgments: Table, predictions: Table, role: str) -> None:
    """Raise if ids are text in only one of two files."""
    text, other = [], []
    for table in (judgments, predictions):
        name = getattr(table, role)
        column = table.columns[name]
        of_arrow = str(getattr(column, "type", "string"))
        if len(column) and "string" in of_arrow:
            text.append(table.path)
        elif len(column):
            other.append((table.path, f"{name!r} of {table.path} are of type {of_arrow}"))
    if text and other:
        [(path, ids)] = other
        raise InputError(
            f"the {role} ids in {ids}, and those of {text[0]} are text, so they are never equal. "
            f"Write them to {path} as text."
        )


def _wrong_label(data: RankingData, options: argparse.Namespace) -> str:
    """Return the error about the first label that the options do not allow, or ''."""
    labels = data.y_true.tocoo()
    values, gain, max_grade = labels.data, options.gain, options.max_grade
    if options.relevance_threshold is not None:
        values = np.where(values < options.relevance_threshold, 0, values)
    # The scores advise a threshold of 0. With it, the label 0 would be relevant for MAP.
    advice = "With --relevance-threshold 1, labels below 1 gain nothing and are not relevant."
    wrong = [(values < 0, f"is negative. {advice}")]
    if isinstance(gain, list):
        reason = f"has no gain. The list of --gain is for the labels 0 to {len(gain) - 1}."
        wrong.append((~np.isin(values, np.arange(len(gain))), reason))
    if max_grade is not None:
        reason = f"is not a whole number from 0 to {max_grade}, the value of --max-grade."
        wrong.append((~np.isin(values, np.arange(max_grade + 1)), reason))
    for is_wrong, reason in wrong:
        if is_wrong.any():
            first = int(np.argmax(is_wrong))
            query = _as_plain(data.query_ids)[labels.row[first]]
            return f"the label {labels.data[first]} of query {query} {reason}"
    return ""


def _explain(
    error: InvalidParameterError, run: str, data: RankingData, options: argparse.Namespace
) -> InputError:
    """Return an error of the scores, in the words of the command."""
    reason = _wrong_label(data, options)
    if reason:
        return InputError(f"{options.judgments}: {reason}")
    queries = dict(enumerate(_as_plain(data.query_ids)))  # the scores number them
    error = with_parts(error, place=error.place._replace(query=queries.get(error.place.query)))
    return in_words(error, y_true=options.judgments, y_score=run)


def _as_plain(ids: NDArray[Any]) -> list[Any]:
    """Return ids as they are printed: dates in ISO format, and bytes as text."""
    ids = ids.astype(str) if ids.dtype.kind in "mM" else ids
    return [
        each.decode(errors="backslashreplace") if isinstance(each, bytes) else each
        for each in ids.tolist()
    ]


def _report(data: RankingData, options: argparse.Namespace) -> RankingReport:
    """Return the report of a run."""
    params = {"scores": options.scores, "k": None, **options.params}
    return ranking_report(data.y_true, data.y_score, ties=options.ties, **params)


def _limits(report: RankingReport, options: argparse.Namespace) -> dict[str, dict[str, float]]:
    """Return the limits of the means by score, if they are requested."""
    if options.confidence is None:
        return {}
    from ranking_scores.significance import confidence_interval  # loads scipy.stats

    interval = confidence_interval(report, confidence_level=options.confidence, method="t")
    limits = {"low": interval.low, "high": interval.high}
    return {
        key: dict(zip(report, np.ravel(each).tolist(), strict=True))
        for key, each in limits.items()
    }


def _add_comparisons(
    records: list[Record], reports: dict[str, RankingReport], options: argparse.Namespace
) -> list[str]:
    """Add to each record the difference of its run from the first run, whose own is NaN.

    Return the lines that describe p-values and intervals.
    """
    from ranking_scores._statistics import describe_test  # loads scipy.stats
    from ranking_scores.significance import compare_all

    first = options.runs[0]
    with warnings_said("--compare"):
        comparisons = compare_all(
            reports,
            baseline=first,
            correction="max-t" if len(reports) > 2 else None,
            confidence_level=options.confidence or 0.95,
            random_state=0,
        )
    columns = {
        "difference": comparisons.difference,
        "difference_low": comparisons.low,
        "difference_high": comparisons.high,
        "pvalue": comparisons.pvalue,
    }
    pairs = list(zip(comparisons.systems_b, comparisons.metrics or (), strict=True))
    for record in records:
        row = None if record["run"] == first else pairs.index((record["run"], record["score"]))
        for key, values in columns.items():
            record[key] = math.nan if row is None else float(values[row])
    how, *more = describe_test(comparisons, "intervals")
    return [f"difference: {how}", *more]


def _records(
    run: str, report: RankingReport, data: RankingData, options: argparse.Namespace
) -> list[Record]:
    """Return the records of a run, and before them those of its queries if requested."""
    counts = report.n_undefined
    undefined = [score for score in report if counts[score] == report.n_queries]
    if undefined:
        warnings.warn(f"undefined for all queries: {', '.join(undefined)}", stacklevel=2)
    of_no_query = {score: np.full(report.n_queries, np.nan) for score in report}
    limits = _limits(report, options)
    columns: dict[str, Any] = {
        "mean": report.mean,
        **limits,
        "standard_error": report.standard_error,
        "n_undefined": report.n_undefined,
    }
    by_query: dict[str, Any] = {
        "mean": report.per_query,
        **dict.fromkeys([*limits, "standard_error"], of_no_query),
        "n_undefined": {
            score: of_query.astype(int) for score, of_query in undefined_by_query(report).items()
        },
    }
    if options.ties:
        y_true, y_score = _in_order_of_text(data)
        params = {"scores": options.scores, "k": None, **options.params}
        ordered = ranking_report(y_true, y_score, ignore_ties=True, **params)
        columns |= {"worst": report.worst, "best": report.best, "as_ordered": ordered.mean}
        by_query |= {**_extremes(data, options), "as_ordered": ordered.per_query}
    if not options.by_query:
        return [{"run": run, "score": score} | _row(columns, score) for score in report]
    lists = {
        key: {score: values.tolist() for score, values in of_score.items()}
        for key, of_score in by_query.items()
    }
    return [
        {"run": run, "query": query, "score": score}
        | {key: of_score[score][number] for key, of_score in lists.items()}
        for number, query in enumerate(_as_plain(data.query_ids))
        for score in report
    ] + [{"run": run, "query": None, "score": score} | _row(columns, score) for score in report]


def _in_order_of_text(data: RankingData) -> tuple[csr_array, csr_array]:
    """Return labels and scores with the items in the order of their ids as text.

    trec_eval compares ids as text, so 9 comes after 10.
    """
    texts = list(map(str, _as_plain(data.item_ids)))
    order = sorted(range(len(texts)), key=texts.__getitem__)
    if order == list(range(len(texts))):
        return data.y_true, data.y_score
    y_true, y_score = data.y_true[:, order], data.y_score[:, order]
    y_true.sort_indices()
    y_score.sort_indices()
    return y_true, y_score


def _row(columns: dict[str, Any], score: str) -> Record:
    """Return the numbers of one score."""
    return {key: of_score[score] for key, of_score in columns.items()}


def _extremes(data: RankingData, options: argparse.Namespace) -> dict[str, dict[str, Any]]:
    """Return the scores of each query in the worst and in the best order of ties."""
    extremes: dict[str, dict[str, Any]] = {"worst": {}, "best": {}}
    if options.by_query:
        for score in options.scores:
            params = params_for(find(score), options)
            report = tie_report(data.y_true, data.y_score, score=score, average=None, **params)
            extremes["worst"][score], extremes["best"][score] = report.worst, report.best
    return extremes
