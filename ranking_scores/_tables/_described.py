"""What is in judgments and predictions, in words and numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ranking_scores._base import as_text, in_html, visible
from ranking_scores._queries import (
    Aspects,
    InColumns,
    groups_of_lengths,
    have_ties,
    judgments_of_aspects,
)
from ranking_scores._tables._columns import Positions
from ranking_scores._tables._which_queries import QueriesSeen

_MANY_LABELS = 8
"""So many different labels are shown one by one."""


class Description(NamedTuple):
    """What is in judgments and predictions."""

    title: str
    rows: list[tuple[str, str]]
    """Pairs of a name and of what it names."""
    notes: list[str]

    def __str__(self) -> str:
        table = as_text(self.rows[0], self.rows[1:], n_names=2)
        return "\n".join([visible(self.title), table, *map(visible, self.notes)])

    def in_html(self) -> str:
        """Return the same as a table in HTML."""
        rows = "".join(
            f"<tr><th>{in_html(name)}</th><td>{in_html(text)}</td></tr>"
            for name, text in self.rows
        )
        notes = "".join(f"<p>{in_html(note)}</p>" for note in self.notes)
        return (
            f"<table><caption>{in_html(self.title)}</caption><tbody>{rows}</tbody></table>{notes}"
        )


def described(
    columns: InColumns,
    seen: QueriesSeen | None,
    came_from: str,
    notes: tuple[str, ...],
    aspects: Aspects | None = None,
) -> Description:
    """Return what is in judgments and predictions that came from somewhere, after some notes."""
    judged, predicted = csr_array(columns.y_true), csr_array(columns.y_score)
    n_judged = np.diff(judged.indptr)
    is_item = predicted.indices < columns.order.n_items  # others only fill ranks
    query = np.repeat(np.arange(predicted.shape[0]), np.diff(predicted.indptr))
    n_predicted = np.bincount(query[is_item], minlength=predicted.shape[0])
    labels, of_aspects = judged.data, []
    if aspects is not None:
        *_, labels = judgments_of_aspects(
            aspects, np.repeat(np.arange(n_judged.size), n_judged), labels
        )
        of_aspects = [("aspects", _per_query(aspects.n_named()))]
    rows = [
        ("queries", _queries(seen, n_judged > 0, n_predicted > 0)),
        *of_aspects,
        ("judged items", _per_query(n_judged)),
        ("predicted items", _per_query(n_predicted)),
        ("judged among these", _share(judged, predicted, int(n_predicted.sum()))),
        ("labels", _labels(labels)),
        ("ties", _ties(predicted.data[is_item], n_predicted)),
    ]
    of_queries = [] if seen is None else seen.lines()
    return Description(f"RankingData from {came_from}", rows, [*notes, *of_queries])


def _queries(
    seen: QueriesSeen | None, are_judged: NDArray[np.bool_], are_predicted: NDArray[np.bool_]
) -> str:
    """Return the number of queries that are judged, predicted or both, in words."""
    counts = [
        int(np.count_nonzero(each))
        for each in (are_judged, are_predicted, are_judged & are_predicted)
    ]
    if seen is not None:  # which also knows those without items, and those that are left out
        counts = [seen.judged.count, seen.predicted.count, seen.n_both]
    judged, predicted, both = counts
    return f"{judged:,} judged, {predicted:,} predicted, {both:,} both"


def _per_query(n_items: Positions) -> str:
    """Return the number of items, in all and per query, in words."""
    if not n_items.size:
        return "0"
    least, most = int(n_items.min()), int(n_items.max())
    per_query = f"{least:,}"
    if least < most:
        per_query += f" to {most:,}, median {np.median(n_items):,.10g}"
    return f"{n_items.sum():,}; per query {per_query}"


def _share(judged: csr_array, predicted: csr_array, n_predicted: int) -> str:
    """Return the share of the predicted items that were judged, in words."""
    if not n_predicted:
        return "none was predicted"
    patterns = (
        csr_array((np.ones(each.nnz), each.indices, each.indptr), shape=each.shape)
        for each in (judged, predicted)
    )
    one, other = patterns
    return f"{100 * one.multiply(other).nnz / n_predicted:.1f} %"


def _labels(labels: NDArray[Any]) -> str:
    """Return the labels and how often each occurs, in words."""
    labels = labels + 0  # as 0 may be negative, or False
    unique, count = np.unique(labels, return_counts=True)
    if unique.size > _MANY_LABELS:
        return f"{unique.size:,} different ones from {_label(unique[0])} to {_label(unique[-1])}"
    pairs = zip(map(_label, unique), count.tolist(), strict=True)
    times = (f"{label} ({'once' if n == 1 else f'{n:,} times'})" for label, n in pairs)
    return ", ".join(times) or "none"


def _label(label: Any) -> str:
    """Return a label as text, which no other label has."""
    is_whole = abs(float(label)) < 2**53 and label % 1 == 0
    return f"{label:,.0f}" if is_whole else str(label)


def _ties(scores: NDArray[Any], n_items: Positions) -> str:
    """Return how many queries have equal scores, in words."""
    n_tied = 0
    if scores.size:
        groups = groups_of_lengths(n_items)
        n_tied = int(np.count_nonzero(have_ties(scores, groups)))
    return f"in {n_tied:,} of {n_items.size:,} queries" if n_tied else "none"
