"""What the command writes: tables, Markdown, CSV or JSON, a saved report, and a page of HTML."""

from __future__ import annotations

import argparse
import csv
import io
import json
import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import visible
from ranking_scores._base._results import (
    as_cell,
    as_code,
    as_html,
    as_markdown,
    as_text,
    as_title,
    count_queries,
    in_html,
    in_markdown,
)
from ranking_scores._command._arguments import find, params_for, split_names
from ranking_scores._command._files import errors_of
from ranking_scores._command._numbers import (
    CommandScores,
    Record,
    ScoredRun,
    group_of,
    line_of_forms,
)
from ranking_scores._command._outcome import CommandOutcome, small_parser
from ranking_scores._command._words import InputError, in_words, say
from ranking_scores._files._saved_files import atomic_write
from ranking_scores._metrics._named import TITLES, name_of, parameters_of
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.report import ranking_report

if TYPE_CHECKING:
    from ranking_scores.significance import History

_ALL = "all queries"
"""The label of the rows of all queries. It has a blank, so it is never an id of TREC."""


def _table(scored: CommandScores) -> str:
    """Return records as tables in aligned columns, one for each group, with notes around them."""
    tables = [*map(visible, scored.read), ""] if scored.read else []
    for title, head, body, n_names in tables_of(scored.records):
        tables += [visible(title)] * bool(title) + [as_text(head, body, n_names), ""]
    return "\n".join([*tables, *map(visible, scored.notes), ""])


def tables_of(
    records: list[Record], name_group: Callable[[str], str] = str
) -> Iterator[tuple[str, list[str], list[list[str]], int]]:
    """Yield the title, the head and the rows of the table of each group, as text for people.

    The last number is that of the columns with names, which come first. All queries have no title.
    `name_group` changes the name of a group in a title.
    """
    for (grouping, group), members in groupby(records, group_of):
        rows = list(members)
        title = ""
        if grouping is not None:
            name = "macro" if group is None else group
            title = f"{name_group(f'{grouping} {name}')}, {count_queries(rows[0]['n_queries'])}"
        keys = [key for key in rows[0] if key not in ("grouping", "group", "n_queries")]
        n_names = len({*keys} & {"run", "query", "score"})
        body = []
        for row in rows:
            values = [row[key] for key in keys]
            names = [_ALL if name is None else str(name) for name in values[:n_names]]
            body.append([*names, *map(as_cell, values[n_names:])])
        yield title, list(map(as_title, keys)), body, n_names


def _markdown(scored: CommandScores) -> str:
    """Return records as tables in Markdown, one for each group, between notes.

    The names of runs, queries, groups and scores are code, as in `to_markdown` of results.
    """
    tables = [f"{in_markdown(line)}\n" for line in scored.read]
    for title, head, body, n_names in tables_of(scored.records, as_code):
        rows = f"{as_markdown(head, body, n_names)}\n"
        tables.append(f"**{title}**\n\n{rows}" if title else rows)
    tables += [f"{in_markdown(line)}\n" for line in scored.notes]
    return "\n".join(tables)


def _csv(scored: CommandScores) -> str:
    """Return records as CSV with all digits. The query of the mean over all is empty.

    It has no place for notes, which go to stderr.
    """
    for line in [*scored.read, *scored.of_aspects]:
        say(f"note: {line}")
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(scored.records[0])
    rows.writerows(record.values() for record in scored.records)
    return text.getvalue()


def _json(scored: CommandScores) -> str:
    """Return records as JSON with all digits, one record per line.

    NaN and infinity, which JSON lacks, are null. The records of a run have all that there is to
    say about its files and its queries as "notes".
    """
    lines, notes_of = [], {}
    for run in scored.runs:
        notes_of[run.name] = [line_of_forms(run.forms), *run.read, *run.seen, *run.of_scores]
        notes_of[run.name] += scored.of_aspects
    for record in scored.records:
        finite = {
            key: None if isinstance(value, float) and not math.isfinite(value) else value
            for key, value in record.items()
        }
        lines.append(json.dumps(finite | {"notes": notes_of[record["run"]]}, default=str))
    return "[\n" + ",\n".join(lines) + "\n]\n"


FORMATS = {"table": _table, "csv": _csv, "json": _json, "markdown": _markdown}


# --- the files beside the output -----------------------------------------------------------------

_WIDTH, _HEIGHT = 640, 240
"""The size of a picture in units of SVG."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, _WIDTH - 8, 8, _HEIGHT - 24
"""The edges of the axes. Beyond them is the space for labels."""
_GAP, _FONT_SIZE, _ABOVE_BASELINE, _BELOW_BASELINE = 4, 12, 8, 6
"""Of labels: the space beside the y axis, their size, how far the baseline of the highest one is
below the top of the axes, and how far that of the cutoffs is above the edge of the picture."""
_LEAST_RANGE = 1e-9
"""The least range of the y axis, so that values that are all 0 can be drawn."""
_COLORS = ("#0072b2", "#d55e00")
"""The colours of the run and of its baseline, which differ for people who see no red or green."""
_LAST_CUTOFF = 100
"""The last cutoff of curves, unless a score has a higher one."""
_STYLE = """\
body { font: 16px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 64em; padding: 0 1em }
table { border-collapse: collapse; margin: 1em 0; font-variant-numeric: tabular-nums;
  display: block; overflow-x: auto }
th, td { border-bottom: 1px solid #ccc; padding: .2em .7em; text-align: right }
th:first-child { text-align: left } figure { margin: 1em 0 } svg { max-width: 100%; height: auto }
figcaption, p { color: #333 }
"""


def write_files(
    scored: CommandScores, outcome: CommandOutcome, options: argparse.Namespace
) -> None:
    """Write the files that the options name, each as a whole or not at all."""
    if options.save is not None:
        with errors_of(options.save):
            scored.only_run().report.to_json(options.save)
    if options.html is not None:
        _write_page(options.html, _page(scored, outcome, options))


def _write_page(path: str, page: str) -> None:
    """Write a page of HTML."""
    with errors_of(path), atomic_write(path) as file:
        file.write(page.encode(errors="xmlcharrefreplace"))


def _page(scored: CommandScores, outcome: CommandOutcome, options: argparse.Namespace) -> str:
    """Return the page: one file, without anything from elsewhere."""
    run = scored.only_run()
    beside = f"and {options.old}" if options.agreement else f"on {options.judgments}"
    title = in_html(f"{run.name} {beside}")
    parts = [f"<h1>{title}</h1>"]
    if outcome.gate is not None:
        sign = "&#10003; passed" if outcome.gate.passed else "&#10007; failed"
        parts += [f"<h2>Gate: {sign}</h2>", outcome.gate._repr_html_()]
    parts.append("<h2>Scores</h2>")
    parts += [f"<p>{in_html(line)}</p>" for line in scored.read]
    for name, head, body, _ in tables_of(scored.records):
        parts += [f"<h3>{in_html(name)}</h3>"] * bool(name) + [as_html(head, body)]
    parts += [f"<p>{in_html(note)}</p>" for note in scored.notes]
    if outcome.agreement is not None:
        parts += outcome.agreement.changed_as("html")
    if outcome.judges is not None:
        parts += ["<h2>Judges</h2>", outcome.judges._repr_html_()]
    runs = [run] if scored.baseline is None else [run, scored.baseline]
    curves = [] if options.agreement else list(_curves(runs, options))
    parts += ["<h2>Curves</h2>", *curves] if curves else []
    if outcome.changes is not None:
        parts += [f"<h2>Changes since {in_html(options.baseline)}</h2>"]
        is_other = bool(outcome.changes.only_old.size + outcome.changes.only_new.size)
        parts += [outcome.changes._repr_html_(), *_sorted_differences(scored, is_other)]
    if scored.baseline is not None and scored.baseline.report.history:
        past = run.report._with_history(scored.baseline.report).history
        dates = [each.date or "earlier" for each in past]
        means = {name: [each.mean.get(name, math.nan) for each in past] for name in run.report}
        parts += ["<h2>Means of the baseline, and now</h2>", *_history(dates, means)]
    return _as_page(title, parts)


def _as_page(title: str, parts: Sequence[str]) -> str:
    """Return a whole page of HTML."""
    lines = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
        f"<title>{title}</title><style>\n{_STYLE}</style></head><body>",
        *parts,
        "</body></html>\n",
    ]
    return "\n".join(lines)


def _curves(runs: Sequence[ScoredRun], options: argparse.Namespace) -> Iterator[str]:
    """Yield a picture for each score that has cutoffs: its mean at each of them."""
    scores = [find(name) for name in options.scores]
    highest = max([_LAST_CUTOFF, *(score.options.get("k", 1) for score in scores)])
    data_of = {run.name: run.data for run in runs if run.data is not None}
    longest = max(int(np.diff(data.y_score.indptr).max(initial=1)) for data in data_of.values())
    cutoffs = np.arange(1, min(highest, longest) + 1)
    for score in {score.name: score for score in scores}.values():
        if "k" not in parameters_of(score.function) or cutoffs.size < 2:
            continue
        params = params_for(score, options) | {"scores": score.name, "k": cutoffs}
        reports = {name: ranking_report(data, **params) for name, data in data_of.items()}
        lines = {name: list(report.values()) for name, report in reports.items()}
        title = TITLES[name_of(score.function)]
        threshold = score.options.get("relevance_threshold")
        title += f" from label {threshold} on" * (threshold is not None)
        yield _figure(f"{title} at each cutoff", cutoffs.tolist(), lines, ("cutoff", "mean"))


def _sorted_differences(scored: CommandScores, is_other: bool) -> Iterator[str]:
    """Yield a picture for each score: the difference of each query, the highest first.

    `is_other` is whether only one report has some queries.
    """
    from ranking_scores.significance import compare_all  # loads scipy.stats
    from ranking_scores.significance._readers import reports_of_both

    run, old = scored.only_run(), cast(ScoredRun, scored.baseline).report
    if not old.has_values() or list(old) != list(run.report):
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what there is to warn of, the changes have said
        by_model = {"baseline": old._with_human({}), "run": run.report._with_human({})}
        if is_other:
            both, *_ = reports_of_both(by_model, list(old), "changes")
            by_model = dict(zip(by_model, both, strict=True))
        comparisons = compare_all(by_model, correction=None)
    for row in comparisons:
        values = row.difference_per_query
        values = np.sort(values[~np.isnan(values)])[::-1]
        if values.size > 1:
            caption = f"{row.metric}: the difference of each query, {count_queries(values.size)}"
            axes = "queries, the highest difference first", "difference"
            yield _figure(caption, list(range(1, values.size + 1)), {"": values.tolist()}, axes)


def history_of(argv: Sequence[str]) -> str | None:
    """Return the text of --history with its folder, or None if the arguments lack it."""
    if not any(word.partition("=")[0] == "--history" for word in argv):
        return None
    from ranking_scores.significance import history  # loads scipy.stats

    parser = small_parser()
    parser.add_argument("--history")
    parser.add_argument("-m", "--scores", nargs="+")
    parser.add_argument("--html")
    options, others = parser.parse_known_args(argv)
    if others:
        expected = "a folder, and of the options -m, --confidence, --format and --html alone"
        raise InputError(f"--history takes {expected}. Got {' '.join(others)}.")
    scores = options.scores and [name for word in options.scores for name in split_names(word)]
    with errors_of(options.history):
        try:
            found = history(options.history, scores=scores, confidence_level=options.confidence)
        except InvalidParameterError as error:
            raise in_words(error, reports=options.history, scores="-m") from error
    if options.html is not None:
        _write_page(options.html, _page_of_history(found, options.history))
    if options.format == "json":
        rows = (row | {"notes": found.notes} for row in found._records())
        finite = [{key: None if own != own else own for key, own in row.items()} for row in rows]
        return json.dumps(finite) + "\n"
    return f"{found.to_markdown() if options.format == 'markdown' else repr(found)}\n"


def _page_of_history(found: History, folder: str) -> str:
    """Return the page about reports over time: the table, and a picture for each score."""
    columns = zip(found.metrics, found.mean.T.tolist(), strict=True)
    limits = np.stack([found.low, found.high]).transpose(2, 0, 1)
    bands = dict(zip(found.metrics, limits, strict=True))
    title = in_html(f"history of {folder}")
    figures = _history(found.reports, dict(columns), bands)
    return _as_page(title, [f"<h1>{title}</h1>", found._repr_html_(), *figures])


def _history(
    dates: Sequence[str],
    means: Mapping[str, Sequence[float]],
    bands: Mapping[str, NDArray[np.float64]] | None = None,
) -> Iterator[str]:
    """Yield a picture for each score: its mean at each date, one after the other.

    It is as high as the means differ, so that a slow fall is seen. `bands` have the lower and the
    upper limits of the means.
    """
    for name, values in means.items():
        there = [place for place, value in enumerate(values) if math.isfinite(value)]
        if len(there) > 1:
            mean, ends = [values[place] for place in there], (dates[there[0]], dates[there[-1]])
            band = None if bands is None else bands[name][:, there]
            yield _figure(f"{name} over time", there, {"": mean}, ("date", "mean"), ends, band)


def _figure(
    caption: str,
    x: list[int],
    lines: dict[str, list[float]],
    axes: tuple[str, str],
    ends: tuple[str, str] | None = None,
    band: NDArray[np.float64] | None = None,
) -> str:
    """Return a picture of lines as SVG, with its caption, the names of the lines and the axes.

    `ends` are the texts at the ends of the x axis, if these are no numbers. Then the y axis need
    not begin at 0. Between the two rows of `band` there is a band.
    """
    y = np.array(list(lines.values()) if band is None else [*lines.values(), *band])
    base, n_digits = (0.0, 3) if ends is None else (np.nanmin(y), 4)
    low, high = min(base, np.nanmin(y, initial=base)), np.nanmax(y, initial=base)
    high = max(high, low + _LEAST_RANGE)
    across = np.interp(x, (x[0], x[-1]), (_LEFT, _RIGHT))
    down = np.interp(y, (low, high), (_BOTTOM, _TOP))
    zero = np.interp(base, (low, high), (_BOTTOM, _TOP))
    label = in_html(caption)
    first, last = map(in_html, ends or map(str, (x[0], x[-1])))
    parts = [
        f'<svg role="img" aria-label="{label}" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}">',
        f'<path d="M{_LEFT} {_TOP}V{_BOTTOM}" stroke="#888"/>',
        f'<path d="M{_LEFT} {zero:.1f}H{_RIGHT}" stroke="#888"/>',
    ]
    if band is not None:
        rows = zip([*across, *across[::-1]], [*down[-2], *down[-1][::-1]], strict=True)
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in rows if math.isfinite(b))
        parts.append(f'<polygon points="{points}" fill="{_COLORS[0]}" fill-opacity="0.2"/>')
    for color, row in zip(_COLORS, down[: len(lines)], strict=False):
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(across, row, strict=True))
        style = f'fill="none" stroke="{color}" stroke-width="2"'
        parts.append(f'<polyline points="{points}" {style}/>')
    for at_x, at_y, anchor, text in (
        (_LEFT - _GAP, _TOP + _ABOVE_BASELINE, "end", f"{high:.{n_digits}g}"),
        (_LEFT - _GAP, _BOTTOM, "end", f"{low:.{n_digits}g}"),
        (_LEFT, _HEIGHT - _BELOW_BASELINE, "start", first),
        (_RIGHT, _HEIGHT - _BELOW_BASELINE, "end", last),
        ((_LEFT + _RIGHT) / 2, _HEIGHT - _BELOW_BASELINE, "middle", axes[0]),
        (_LEFT + _GAP, _TOP + _ABOVE_BASELINE, "start", axes[1]),
    ):
        at = f'x="{at_x}" y="{at_y}" font-size="{_FONT_SIZE}" text-anchor="{anchor}"'
        parts.append(f"<text {at}>{text}</text>")
    parts.append("</svg>")
    keys = [
        f'<span style="color: {color}">&#9632;</span> {in_html(name)}'
        for color, name in zip(_COLORS, lines, strict=False)
        if name
    ]
    text = "; ".join([label, *keys])
    return f"<figure>{''.join(parts)}<figcaption>{text}</figcaption></figure>"
