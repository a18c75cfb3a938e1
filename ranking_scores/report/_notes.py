"""What the scores of a report cannot tell, as lines below its tables."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

from ranking_scores._base._errors import invalid, list_some, show_id, show_some
from ranking_scores._base._ids import ids_as_objects
from ranking_scores._base._results import as_cell, count_queries
from ranking_scores._base._validation import WHOLE_LIST, Cutoffs, describe
from ranking_scores._metrics._evaluate import BlockScores, Plan, RankedBlock
from ranking_scores._queries._relevance import Relevance
from ranking_scores._tables._ranking_data import RankingData

Report = Any
"""A `RankingReport`, whose module imports this one."""


class ListFacts(NamedTuple):
    """What some scores know of the lists of all queries."""

    longest: float
    """The number of ranks of the longest list, or more than all cutoffs."""
    most_relevant: float
    """The number of relevant items of the query that has most; 0: no score counted them."""
    has_irrelevant: float
    """Whether an item at a rank that counts is not relevant."""
    has_judged_irrelevant: float
    """Whether a judged item is not relevant, or no score tells judged items from others."""
    has_ties: float
    """Whether items with equal scores may change a score."""


def plan_of_facts(plans: Sequence[Plan], *, tells_known: bool) -> Plan:
    """Return a plan whose values are `ListFacts`, to run after others on the same blocks."""
    thresholds = {plan.gain for plan in plans if isinstance(plan.gain, Relevance)}
    relevance = thresholds.pop() if len(thresholds) == 1 else None  # or items are relevant to some

    def score_block(ranked: RankedBlock) -> BlockScores:
        block, n_ranked = ranked.block, ranked.block.n_ranked
        facts = ListFacts(n_ranked.max(), 0, True, True, ranked.has_ties())
        if relevance is not None:
            labels = block.ranked.labels
            are_all = labels.size == n_ranked.sum() and relevance.is_relevant(labels).all()
            facts = facts._replace(
                most_relevant=ranked.most_relevant(relevance),
                has_irrelevant=not are_all,
                has_judged_irrelevant=not (
                    tells_known and not block.judged.judged_as(relevance)[1].any()
                ),
            )
        return BlockScores(np.tile(np.array(facts, np.float64), (n_ranked.size, 1)))

    cutoffs = Cutoffs(np.full(len(ListFacts._fields), WHOLE_LIST), is_single=False)
    call = plans[0].call._replace(cutoffs=cutoffs)
    return plans[0]._replace(call=call, score_block=score_block, prepare=None)


def lines_on_scores(report: Report, lists: ListFacts | None) -> list[str]:
    """Return lines about scores that tell little, of a report with the values of each query."""
    lines = [] if lists is None else _lines_on_lists(report, lists)
    for value in (1, 0):
        names = [
            name
            for name, values in report.per_query.items()
            if report.mean[name] == value
            and report.n_undefined[name] < report.n_queries > 1
            and (values == value).all()
        ]
        lines += [f"every query scores {value} in {list_some(names)}"] if names else []
    return lines


def _lines_on_lists(report: Report, lists: ListFacts) -> list[str]:
    """Return lines about scores that are equal or the same for all, as the lists are."""
    first_of: dict[Any, str] = {}
    equal: dict[str, list[str]] = {}
    cutoffs = {name: options.get("k", "0") for name, options in report.options.items()}
    cutoff = {name: int(k) if k.isdecimal() else math.inf for name, k in cutoffs.items()}
    for name in sorted(report, key=lambda each: cutoff[each]):
        if cutoff[name] >= lists.longest > 0:
            options = report.options[name] | {"k": ""}
            first = first_of.setdefault(frozenset(options.items()), name)
            values = report.per_query[first], report.per_query[name]
            if cutoffs[first] != cutoffs[name] and np.array_equal(*values, equal_nan=True):
                equal.setdefault(cutoffs[first], []).append(name)
    items = "1 item" if lists.longest == 1 else f"{lists.longest:g} items"
    lines = [
        f"no list has more than {items}, so these equal those at {k}: {list_some(names)}"
        for k, names in equal.items()
    ]
    if not lists.has_irrelevant and lists.longest:
        lines.append("all items at ranks that count are relevant")
    if not lists.has_judged_irrelevant:
        lines.append("all judged items are relevant, so unjudged ones are the only wrong ones")
    recalls = {options["score"] for options in report.options.values()} & {"recall_at_k_score"}
    if lists.most_relevant == 1 and recalls and report.n_queries > 1:
        lines.append("no query has more than one relevant item, so recall is hit rate")
    return lines


def line_on_own_items(data: RankingData) -> list[str]:
    """Return a line about queries that are among their own items.

    Numbers may count queries and, on their own, items. So most queries have to be there if their
    ids are digits, and there is no line if they are numbers.
    """
    ids = np.asarray(data.query_ids).tolist()
    n_own = 0 if isinstance(ids[0], (int, float)) else data.n_own()
    if not n_own or (2 * n_own <= len(ids) and all(str(each).isdigit() for each in ids)):
        return []
    have = "has an item with its" if n_own == 1 else "have an item with their"
    return [f"{count_queries(n_own)} {have} own id: see `drop_self`"]


def line_on_known_items(
    data: Any, known: Any, relevance: Relevance, parameter: str, function: str
) -> list[str]:
    """Return a line about relevant items that are not among the known ones."""
    if not isinstance(data, RankingData):
        expected = "None unless y_true is RankingData, whose items have ids"
        raise invalid(parameter, function, expected, describe(known))
    ids = ids_as_objects(np.atleast_1d(known)) if hasattr(known, "__array__") else known
    are_several = isinstance(ids, Collection) and not isinstance(ids, (str, bytes))
    try:
        known_ids = set(ids) if are_several else set()
    except TypeError:  # The rows of a table with several columns are no ids.
        known_ids = set()
    if not known_ids:
        raise invalid(parameter, function, "the ids of all items", describe(known))
    judged = data.judged_items()
    items = np.unique(judged.item[relevance.is_relevant(judged.labels)])
    relevant = dict.fromkeys(ids_as_objects(np.asarray(judged.item_ids[items])))
    gone = [each for each in relevant if each not in known_ids]
    if len(gone) == len(relevant) and {*map(type, gone)}.isdisjoint(map(type, ids)) and gone:
        expected = f"ids of the type of those of relevant items, such as {show_id(gone[0])}"
        raise invalid(parameter, function, expected, show_some(list(ids)))
    if not gone:
        return []
    share = f"{len(gone)} of {len(relevant)} relevant items ({len(gone) / len(relevant):.1%})"
    are = "is" if len(gone) == 1 else "are"
    return [f"{share} {are} not among the known items: {show_some(gone)}"]


def line_on_ties(report: Report) -> list[str]:
    """Return a line about the score that ties can change most, of a report that has `ties`."""
    ends = np.sort([[*report.worst.values()], [*report.best.values()]], axis=0)
    with np.errstate(invalid="ignore"):  # NaN and infinity may replace what is undefined
        widest = int(np.argmax(np.nan_to_num(ends[1] - ends[0], nan=0)))
    name, (low, high) = report.metrics[widest], map(as_cell, ends[:, widest].tolist())
    mean = as_cell(report.mean[name])
    line = f"ties matter most to {name}: lowest {low}, expected {mean}, highest {high}"
    return [line] if low != high else []
