"""pytrec_eval's interface, so that code that imports it runs on the scores of this package.

Import this module in its place::

    import ranking_scores.compat.pytrec_eval as pytrec_eval

Its numbers are those of trec_eval, with its order of ties. With ``ties="average"`` they are the
exact means over all orders. It neither imports nor needs pytrec_eval.
"""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, compress, repeat
from numbers import Integral, Real
from operator import attrgetter
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import invalid, warn_caller
from ranking_scores._base._ids import as_objects
from ranking_scores._base._packed_text import packed_objects
from ranking_scores._base._validation import as_csr, check_option, describe
from ranking_scores._base._version import __version__ as __version__
from ranking_scores._metrics._evaluate import Plan, as_it_is, begin, plan_of, run
from ranking_scores._metrics._measure import Convention, default_convention
from ranking_scores._metrics._named import SCORES, parameters_of
from ranking_scores._metrics._programs import convention_plan, find_convention, programs
from ranking_scores._queries._blocks import spread
from ranking_scores._queries._data import CallData
from ranking_scores._tables._ranking_data import NO_QUERIES, RankingData, ReadItems
from ranking_scores._tables._sources import ItemsOfQueries, as_read
from ranking_scores.trec import from_pytrec_eval

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]


def __dir__() -> list[str]:
    return __all__


_NAME = "RelevanceEvaluator"
_EVALUATE = f"{_NAME}.evaluate"
_PROGRAM = programs()["trec_eval"]
_COUNTS: dict[str, Callable[[Mapping[str, int], Mapping[str, float], int], int]] = {
    "runid": lambda judged, found, level: 0,
    "num_q": lambda judged, found, level: 1,
    "num_ret": lambda judged, found, level: len(found),
    "num_rel": lambda judged, found, level: sum(grade >= level for grade in judged.values()),
}
"""What trec_eval returns beside measures. pytrec_eval has no name of the run, and returns 0."""
_TAKE_CUTOFFS = [name for name, row in _PROGRAM.measures.items() if row.cutoff == "required"]
_CUTOFFS: Sequence[float] = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
_DEFAULTS = dict.fromkeys(_TAKE_CUTOFFS, _CUTOFFS)
_DEFAULTS |= {"success": (1, 5, 10), "Rprec_mult": tuple(n / 5 for n in range(1, 11))}
"""The numbers of measures that are named without one, by all measures that have a number."""
_WITH_NUMBERS = re.compile(r"(.+?)[._]([0-9]+(?:\.[0-9]+)?(?:,[0-9]+(?:\.[0-9]+)?)*)")

supported_measures = {*_COUNTS, *_PROGRAM.measures}
"""The measures that `RelevanceEvaluator` computes."""
_SETS = [name for name in _PROGRAM.measures if name.startswith("set_")]
supported_nicknames = {
    "set": [*_COUNTS, "num_rel_ret", "utility", *_SETS],
    "official": [*_COUNTS, "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank", "P"],
    "all_trec": [*_COUNTS, *_PROGRAM.measures],
}
"""Names for several measures."""
_LACKING = {
    "official": "iprec_at_recall",
    "all_trec": "11pt_avg, G, infAP, iprec_at_recall, ndcg_rel, Rndcg and relstring",
}
"""What these names have in trec_eval besides."""

Dict = dict[str, Any]
Keys = NDArray[np.uint64]
Positions = NDArray[np.intp]


class RelevanceEvaluator:
    """Evaluate runs by judgments, as pytrec_eval's class of this name does.

    Parameters
    ----------
    query_relevance : dict of str to dict of str to int
        The grade of each judged document, by query. Queries without a document are left out.

    measures : iterable of str
        The names of measures, such as "map", "ndcg_cut_10", "P.5,10", or "recall" at the nine
        cutoffs of trec_eval. ``supported_measures`` has them. "official", "all_trec" and "set"
        are several, of which the first two leave out what no convention of this package gives.

    relevance_level : int, default=1
        The lowest grade that is relevant. nDCG does not depend on it.

    judged_docs_only_flag : bool, default=False
        Whether documents without a grade, or with one below 0, are taken out of the run.

    ties : {"trec_eval", "average"}, default="trec_eval"
        The order of equal scores:

        - "trec_eval": by the ids of the documents as text, the greatest first. Scores are
          compared as float32.
        - "average": the exact mean over all orders. Scores are compared as float64.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here, or if no convention of this package gives a
        measure, such as "infAP" and "iprec_at_recall". The error is of both types, as in
        scikit-learn.

    Warns
    -----
    UserWarning
        If `measures` has "official" or "all_trec". It names the measures that are left out.

    See Also
    --------
    ranking_scores.trec.from_pytrec_eval : Converts the same dicts for all scores.
    ranking_scores.conventions.like : Returns one of the measures as a score.

    Examples
    --------
    >>> import ranking_scores.compat.pytrec_eval as pytrec_eval
    >>> qrel, run = {"tea": {"d1": 1}}, {"tea": {"d1": 0.5, "d2": 0.5}}
    >>> pytrec_eval.RelevanceEvaluator(qrel, {"recip_rank", "P_5"}).evaluate(run)
    {'tea': {'recip_rank': 0.5, 'P_5': 0.2}}
    >>> exact = pytrec_eval.RelevanceEvaluator(qrel, {"recip_rank"}, ties="average")
    >>> exact.evaluate(run)
    {'tea': {'recip_rank': 0.75}}
    """

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
        *,
        ties: Literal["trec_eval", "average"] = "trec_eval",
    ) -> None:
        level: Any = relevance_level  # NumPy's ints are no int
        if not isinstance(level, Integral) or level < 1:
            raise invalid("relevance_level", _NAME, "an int of at least 1", describe(level))
        self._is_average = check_option(ties, "ties", _NAME, ("trec_eval", "average")) == "average"
        self._level, self._judged_only = int(level), bool(judged_docs_only_flag)
        self._conventions = dict(_find_measures(measures))
        _check_dicts(query_relevance, "query_relevance", _NAME)
        self._judged = {query: dict(own) for query, own in query_relevance.items() if own}
        grades = _numbers(self._judged.values(), Integral, "query_relevance", _NAME)
        if grades.min(initial=0) < 0:  # which is no judgment
            for query, own in self._judged.items():
                self._judged[query] = {d: grade for d, grade in own.items() if grade >= 0}

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """Return the measures of each query that is both judged and in a run.

        Parameters
        ----------
        scores : dict of str to dict of str to float
            The score of each retrieved document, by query. A query with an empty dict retrieved
            nothing, and counts 0.

        Returns
        -------
        values : dict of str to dict of str to float
            The value of each measure, by query, under pytrec_eval's names, such as "ndcg_cut_10".
        """
        _check_dicts(scores, "scores", _EVALUATE)
        judged = {query: self._judged[query] for query in scores if query in self._judged}
        found: dict[str, Any] = {query: scores[query] for query in judged}
        if not judged:
            return {}
        if self._judged_only:
            for query, own in judged.items():
                found[query] = {d: s for d, s in found[query].items() if d in own}
        if self._is_average:
            data = from_pytrec_eval(judged, found, queries="both")
        else:
            source = _RankedRun([*found.values()], [*judged.values()])
            query_ids, are_listed = np.array([*judged], dtype=object), np.ones(len(judged), bool)
            data = RankingData.from_source(source, query_ids, NO_QUERIES, are_listed)
        ids, asked = data.query_ids.tolist(), self._conventions
        plans = {name: _plan(each, self._level, data) for name, each in asked.items() if each}
        tasks = [(plan, as_it_is) for plan in plans.values()]
        evaluations = run(tasks, tasks[0][0].data) if tasks else []
        columns = {
            name: each.values[:, 0].tolist() for name, each in zip(plans, evaluations, strict=True)
        }
        for name in filter(asked.__contains__, _COUNTS):
            columns[name] = [float(_COUNTS[name](judged[q], found[q], self._level)) for q in ids]
        rows = map(dict, map(zip, repeat([*columns]), zip(*columns.values(), strict=True)))
        values: dict[str, dict[str, float]] = {query: {} for query in ids}
        return values | dict(zip(ids, rows, strict=False))


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Return the judgments in the lines of a qrels file, as pytrec_eval's function does.

    Parameters
    ----------
    f_qrel : iterable of str
        The lines, such as an open file: ``301 0 FR-10 1``.

    Returns
    -------
    qrel : dict of str to dict of str to int
        The grade of each judged document, by query.

    Raises
    ------
    ValueError, TypeError
        If a line is not as described here, or if a document is there twice for a query. The error
        is of both types, as in scikit-learn.

    See Also
    --------
    ranking_scores.trec.read_qrels : Reads files of more forms, as a table.
    """
    return _parse(f_qrel, "query 0 document grade", 3, int, ("f_qrel", "parse_qrel"))


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Return the scores in the lines of a run, as pytrec_eval's function does.

    Parameters
    ----------
    f_run : iterable of str
        The lines, such as an open file: ``301 Q0 FR-10 1 7.5 example``.

    Returns
    -------
    run : dict of str to dict of str to float
        The score of each retrieved document, by query.

    Raises
    ------
    ValueError, TypeError
        If a line is not as described here, or if a document is there twice for a query. The error
        is of both types, as in scikit-learn.

    See Also
    --------
    ranking_scores.trec.read_run : Reads files of more forms, as a table.
    """
    return _parse(f_run, "query Q0 document rank score name", 4, float, ("f_run", "parse_run"))


def compute_aggregated_measure(measure: str, values: Sequence[float]) -> float:
    """Return the number of a measure for all queries, as pytrec_eval's function does.

    Parameters
    ----------
    measure : str
        The name of the measure, such as "map".

    values : sequence of float
        The value of each query.

    Returns
    -------
    value : float
        The sum if the name begins with ``num_``, the geometric mean if it begins with ``gm_``,
        since the values are logarithms then, and the mean otherwise.
    """
    if measure.startswith("num_"):
        return float(np.sum(values))
    return float(np.exp(np.mean(values)) if measure.startswith("gm_") else np.mean(values))


def _parse(
    lines: Iterable[str], form: str, at: int, read: Callable[[str], Any], names: tuple[str, str]
) -> dict[str, dict[str, Any]]:
    """Return the numbers at a field of all lines, by query and document."""
    parsed: dict[str, dict[str, Any]] = defaultdict(dict)
    for number, line in enumerate(lines, 1):
        fields = line.split()
        try:
            if len(fields) != len(form.split()) or fields[2] in parsed[fields[0]]:
                raise ValueError
            parsed[fields[0]][fields[2]] = read(fields[at])
        except ValueError:
            expected = f"lines of the form {form!r}, with each document once for a query"
            raise invalid(*names, expected, f"{describe(line)} in line {number}") from None
    return parsed


def _find_measures(measures: Iterable[str]) -> Iterator[tuple[str, Convention | None]]:
    """Yield the name of each measure with its convention, or with None if it is a count."""
    if isinstance(measures, str) or not isinstance(measures, Iterable):
        raise invalid("measures", _NAME, "a set or list of names", describe(measures))
    given: dict[Any, set[str]] = defaultdict(set)
    measures = [*measures]
    for nickname in filter(measures.__contains__, _LACKING):
        warn_caller(f"{nickname!r} is without {_LACKING[nickname]} here.", UserWarning)
    for name in chain.from_iterable(supported_nicknames.get(each, [each]) for each in measures):
        match = None if name in supported_measures else _WITH_NUMBERS.fullmatch(str(name))
        given[match[1] if match else name].update(match[2].split(",") if match else ())
    for base in sorted(given, key=[*_COUNTS, *_PROGRAM.measures, *given].index):
        numbers = sorted(map(float, given[base]))
        if base not in _DEFAULTS:
            convention = None if base in _COUNTS else _find(base)
            if numbers:
                expected = f"a set or list of names, without a number for {base!r}"
                raise invalid("measures", _NAME, expected, repr(f"{base}_{numbers[0]:g}"))
            yield base, convention
        for number in numbers or _DEFAULTS.get(base, ()):
            if base == "Rprec_mult":
                yield f"{base}_{number:.2f}", _find(base, multiple=number)
            elif number % 1 or number < 1:
                expected = "a set or list of names, whose cutoffs are whole numbers from 1 on"
                raise invalid("measures", _NAME, expected, repr(f"{base}_{number:g}"))
            else:
                yield f"{base}_{number:.0f}", _find(base, k=int(number))


def _find(measure: str, **options: Any) -> Convention:
    """Return the convention of a measure of trec_eval."""
    return find_convention(_PROGRAM, measure, options, _NAME, "measures")[1]


def over_all_orders(convention: Convention) -> Convention:
    """Return a convention with the mean over all orders of equal scores, not rounded."""
    if convention.scores == "none":  # It is about a set, which has no order.
        return convention
    return replace(convention, scores="float64", ties="average", digits=None)


def _plan(convention: Convention, level: int, data: RankingData) -> Plan:
    """Return the plan of a measure: that of a score of this package, if it has this convention."""
    if convention.metric != "ndcg":
        convention = replace(convention, threshold=level)
    # The data has no ties, or the mean over them is asked for.
    convention = replace(over_all_orders(convention), no_predictions=None, not_judged=None)
    if replace(convention, threshold=None) != default_convention(convention.metric, convention.k):
        return convention_plan(convention, begin(_NAME, None, None), CallData(_NAME, data, None))
    score, params = SCORES[convention.metric], {"relevance_threshold": convention.threshold}
    if "k" in parameters_of(score):
        params["k"] = convention.k
    return plan_of(score, data, None, {**params, "average": None}, lambda _: _NAME)


# --- runs in trec_eval's order -------------------------------------------------------------------

_GET = attrgetter("get")


def _check_dicts(dicts: Any, parameter: str, function: str) -> None:
    """Raise unless there are dicts by query, whose queries and first documents are str."""
    if not isinstance(dicts, Mapping) or not all(map(isinstance, dicts.values(), repeat(dict))):
        raise invalid(parameter, function, "a dict of dicts", describe(dicts))
    ids = chain(dicts, map(next, map(iter, filter(None, dicts.values()))))
    odd = [describe(name) for name in ids if not isinstance(name, str)]
    if odd:
        raise invalid(parameter, function, "a dict of dicts whose ids are str", odd[0])


def _numbers(dicts: Collection[Dict], kind: type, parameter: str, function: str) -> NDArray[Any]:
    """Return the values of dicts, which are ints or real numbers."""
    try:  # Unlike NumPy, an array of Python takes no text, and no float as an int.
        given = [*chain.from_iterable(map(dict.values, dicts))]
        numbers = np.asarray(array("q" if kind is Integral else "d", given))
        if not np.isnan(numbers).any():
            return numbers
    except (TypeError, ValueError, OverflowError):
        pass
    values = chain.from_iterable(map(dict.values, dicts))
    odd = [describe(value) for value in values if not isinstance(value, kind) or value != value]
    expected = f"a dict of dicts of {'ints' if kind is Integral else 'numbers that are not NaN'}"
    raise invalid(parameter, function, expected, odd[0] if odd else "a number that is too large")


def _places_in_ties(
    run: Sequence[Dict], keys: Keys, place: Positions, end: Positions, names: NDArray[Any]
) -> Positions:
    """Return the places of documents in groups of equal scores, the greatest id first.

    `place` and `end` are those of the group of each.
    """
    start, first, group = np.unique(place, return_index=True, return_inverse=True)
    size = end[first] - start
    row = np.argsort(keys)[spread(start, size)]
    texts = np.concatenate([as_objects(chain.from_iterable(run))[row], names])
    groups = np.concatenate([np.repeat(np.arange(size.size), size), group])
    by_group = np.argsort(groups, kind="stable")
    order, is_first = packed_objects(texts[by_group]).sorted_in_rows(groups[by_group])
    from_first = np.empty(texts.size, np.intp)
    from_first[by_group[order]] = np.cumsum(is_first)  # A document and its name are one text.
    return (start + np.cumsum(size))[group] - from_first[row.size :]


def _keys(query: Positions, scores: NDArray[np.float64]) -> Keys:
    """Return numbers that sort by query, and within it by falling score, which is a float32."""
    with np.errstate(over="ignore"):
        bits = (scores + 0.0).astype(np.float32).view(np.uint32)  # -0 becomes 0
    falling = np.where(bits < 2**31, np.uint32(2**31 - 1) - bits, bits)
    return (query.astype(np.uint64) << np.uint64(32)) | falling


class _RankedRun:
    """The judged documents of queries, and a run as trec_eval ranks it, so that it has no ties."""

    came_from = "dicts of pytrec_eval"

    def __init__(self, run: Sequence[Dict], judged: Sequence[Dict]) -> None:
        self._n_found, self._n_judged = (
            np.fromiter(map(len, each), np.intp) for each in (run, judged)
        )
        found, query = (np.repeat(np.arange(n.size), n) for n in (self._n_found, self._n_judged))
        keys = _keys(found, _numbers(run, Real, "scores", _EVALUATE))
        grades = chain.from_iterable(map(dict.values, judged))
        looked_up = chain.from_iterable(map(map, map(_GET, run), judged, repeat(repeat(np.nan))))
        self._grades = np.fromiter(grades, np.int64, query.size)
        score = np.array([*looked_up], dtype=float)
        self._is_found = ~np.isnan(score)
        own, in_order = _keys(query[self._is_found], score[self._is_found]), np.sort(keys)
        place = np.searchsorted(in_order, own)
        after = np.append(in_order, np.uint64(0))[place + 1]  # 0 would be the key of NaN
        tied = np.flatnonzero(after == own)
        if tied.size:
            names = as_objects([*compress(chain.from_iterable(judged), self._is_found)])[tied]
            end = np.searchsorted(in_order, own[tied], side="right")
            place[tied] = _places_in_ties(run, keys, place[tied], end, names)
        self._place = place
        """The places of the judged documents in the rankings, of which each follows another."""

    def read(self, depth: int) -> ReadItems:
        """Return all documents by their ranks, with their grades."""
        labels = np.zeros(self._n_found.sum(), np.int64)
        labels[self._place] = self._grades[self._is_found]
        items = ItemsOfQueries(np.arange(self._grades.size), self._n_judged, self._grades)
        return as_read(depth, items, self._n_found, -np.arange(labels.size, dtype=float), labels)

    def in_arrays(self) -> RankingData:
        """Return the same as arrays. A column is a rank, or a judged document behind all ranks."""
        first, first_judged = (np.cumsum(n) - n for n in (self._n_found, self._n_judged))
        query = np.repeat(np.arange(first.size), self._n_judged)
        column = np.arange(query.size) + (self._n_found - first_judged)[query]
        column[self._is_found] = self._place - first[query[self._is_found]]
        row, rank = (
            np.repeat(np.arange(first.size), self._n_found),
            spread(0 * first, self._n_found),
        )
        shape = first.size, int((self._n_found + self._n_judged).max())
        y_true = as_csr((self._grades, (query, column)), shape=shape)
        y_score = as_csr((-rank.astype(np.float64), (row, rank)), shape=shape)
        return RankingData(y_true, y_score, np.arange(shape[0]), np.arange(shape[1]))
