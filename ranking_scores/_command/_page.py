"""The files that the command writes beside its output: a saved report, and a page of HTML."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator, Sequence

import numpy as np

from ranking_scores._base import as_html, count_queries, in_html, whole_file
from ranking_scores._command._arguments import find, params_for
from ranking_scores._command._files import errors_of
from ranking_scores._command._numbers import Run, Scored
from ranking_scores._command._outcome import Outcome
from ranking_scores._command._output import tables_of
from ranking_scores._metrics import TITLES, name_of, parameters_of
from ranking_scores._reports import with_human
from ranking_scores.report import RankingReport, ranking_report

_WIDTH, _HEIGHT, _EDGE = 640, 240, 44
"""The size of a picture in units of SVG, and the space for the labels of its axes."""
_COLORS = ("#0072b2", "#d55e00")
"""The colours of the run and of its baseline, which differ for people who see no red or green."""
_LAST_CUTOFF = 100
"""The last cutoff of curves, unless a score has a higher one."""
_STYLE = """\
body { font: 16px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 64em; padding: 0 1em }
table { border-collapse: collapse; margin: 1em 0; font-variant-numeric: tabular-nums }
th, td { border-bottom: 1px solid #ccc; padding: .2em .7em; text-align: right }
th:first-child { text-align: left } figure { margin: 1em 0 } svg { max-width: 100%; height: auto }
figcaption, p { color: #333 }
"""


def write_files(scored: Scored, outcome: Outcome, options: argparse.Namespace) -> None:
    """Write the files that the options name, each as a whole or not at all."""
    if options.save is not None:
        with errors_of(options.save):
            scored.only_run().report.to_json(options.save)
    if options.html is not None:
        page = _page(scored, outcome, options)
        with errors_of(options.html), whole_file(options.html) as file:
            file.write(page.encode(errors="xmlcharrefreplace"))


def _page(scored: Scored, outcome: Outcome, options: argparse.Namespace) -> str:
    """Return the page: one file, without anything from elsewhere."""
    run = scored.only_run()
    beside = f"and {options.old}" if options.agreement else f"on {options.judgments}"
    title = in_html(f"{run.name} {beside}")
    parts = [f"<h1>{title}</h1>"]
    if outcome.gate is not None:
        parts += ["<h2>Gate</h2>", outcome.gate._repr_html_()]
    parts.append("<h2>Scores</h2>")
    parts += [f"<p>{in_html(line)}</p>" for line in scored.read]
    for name, head, body in tables_of(scored.records):
        parts += [f"<h3>{in_html(name)}</h3>"] * bool(name) + [as_html(head, body)]
    parts += [f"<p>{in_html(note)}</p>" for note in scored.notes]
    if outcome.agreement is not None:
        parts += outcome.agreement.changed_as("html")
    runs = [run, *([scored.baseline] if isinstance(scored.baseline, Run) else [])]
    curves = [] if options.agreement else list(_curves(runs, options))
    parts += ["<h2>Curves</h2>", *curves] if curves else []
    if outcome.changes is not None:
        parts += [f"<h2>Changes since {in_html(options.baseline)}</h2>"]
        parts += [outcome.changes._repr_html_(), *_sorted_differences(scored)]
    lines = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">',
        f"<title>{title}</title><style>\n{_STYLE}</style></head><body>",
        *parts,
        "</body></html>\n",
    ]
    return "\n".join(lines)


def _curves(runs: Sequence[Run], options: argparse.Namespace) -> Iterator[str]:
    """Yield a picture for each score that has cutoffs: its mean at each of them."""
    found = [find(score) for score in options.scores]
    highest = max([_LAST_CUTOFF, *(score.options.get("k", 1) for score in found)])
    data_of = {run.name: run.data for run in runs if run.data is not None}
    longest = max(int(np.diff(data.y_score.indptr).max(initial=1)) for data in data_of.values())
    cutoffs = np.arange(1, min(highest, longest) + 1)
    for score in {each.name: each for each in found}.values():
        if "k" not in parameters_of(score.function) or cutoffs.size < 2:
            continue
        lines = {}
        for name, data in data_of.items():
            params = params_for(score, options)
            report = ranking_report(data, scores=score.name, k=cutoffs, **params)
            lines[name] = list(report.values())
        title = TITLES[name_of(score.function)]
        threshold = score.options.get("relevance_threshold")
        title += f" from label {threshold} on" * (threshold is not None)
        yield _figure(f"{title} at each cutoff", cutoffs.tolist(), lines)


def _sorted_differences(scored: Scored) -> Iterator[str]:
    """Yield a picture for each score: the difference of each query, the highest first."""
    from ranking_scores.significance import compare_all  # loads scipy.stats

    run, baseline = scored.only_run(), scored.baseline
    old = baseline.report if isinstance(baseline, Run) else baseline
    if not isinstance(old, RankingReport) or not old.has_values() or list(old) != list(run.report):
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what there is to warn of, the changes have said
        by_model = {"baseline": with_human(old, {}), "run": with_human(run.report, {})}
        comparisons = compare_all(by_model, correction=None)
    for row in comparisons:
        values = row.difference_per_query
        values = np.sort(values[~np.isnan(values)])[::-1]
        if values.size > 1:
            caption = f"{row.metric}: the difference of each query, {count_queries(values.size)}"
            yield _figure(caption, list(range(1, values.size + 1)), {"": values.tolist()})


def _figure(caption: str, x: list[int], lines: dict[str, list[float]]) -> str:
    """Return a picture of lines as SVG, with its caption and the names of the lines."""
    y = np.array(list(lines.values()))
    low, high = min(0.0, np.nanmin(y, initial=0)), max(np.nanmax(y, initial=0), 1e-9)
    places = np.interp(x, (x[0], x[-1]), (_EDGE, _WIDTH - 8))
    heights = np.interp(y, (low, high), (_HEIGHT - 24, 8))
    zero = np.interp(0, (low, high), (_HEIGHT - 24, 8))
    label = in_html(caption)
    parts = [
        f'<svg role="img" aria-label="{label}" viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}">',
        f'<path d="M{_EDGE} 8V{_HEIGHT - 24}" stroke="#888"/>',
        f'<path d="M{_EDGE} {zero:.1f}H{_WIDTH - 8}" stroke="#888"/>',
    ]
    for number, row in enumerate(heights):
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(places, row, strict=True))
        style = f'fill="none" stroke="{_COLORS[number]}" stroke-width="2"'
        parts.append(f'<polyline points="{points}" {style}/>')
    at = 'font-size="12" text-anchor'
    parts += [
        f'<text x="{_EDGE - 4}" y="16" {at}="end">{high:.3g}</text>',
        f'<text x="{_EDGE - 4}" y="{_HEIGHT - 24}" {at}="end">{low:.3g}</text>',
        f'<text x="{_EDGE}" y="{_HEIGHT - 6}" {at}="start">{x[0]}</text>',
        f'<text x="{_WIDTH - 8}" y="{_HEIGHT - 6}" {at}="end">{x[-1]}</text>',
        "</svg>",
    ]
    keys = [
        f'<span style="color: {color}">&#9632;</span> {in_html(name)}'
        for color, name in zip(_COLORS, lines, strict=False)
        if name
    ]
    text = "; ".join([label, *keys])
    return f"<figure>{''.join(parts)}<figcaption>{text}</figcaption></figure>"
