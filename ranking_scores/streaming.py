"""Streams: the scores of this package on data that comes in batches or from several processes."""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable, Collection, Iterable, Iterator
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranking_scores._base import (
    Moments,
    Sums,
    UndecidedError,
    advise_on_sizes,
    are_same,
    check_bool,
    describe,
    invalid,
    standard_error,
)
from ranking_scores._metrics import (
    ARRAY_PARAMETERS,
    Evaluation,
    NamedScore,
    Naming,
    as_it_is,
    bind_score,
    bind_scores,
    find_scores,
    is_several,
    name_results,
    only_zeros,
    parameters_of,
    run,
    try_plans,
    warn_of_undefined,
    with_arrays,
)
from ranking_scores._queries import is_list_column, n_axes
from ranking_scores._tables import (
    SeenIds,
    as_set,
    check_batches,
    cut_copy,
    ids_as_objects,
    join,
    name_id,
    read_batches,
    whole_pieces,
)

__all__ = ["StreamingScore", "whole_queries"]


def __dir__() -> list[str]:
    return __all__


_ONLY_IDS = (
    "If every query comes whole and only once, and only the ids repeat, pass check_qid=False."
)
_WHOLE_IN_UPDATE = (
    "All rows of a query must come in one update. If a batch cuts a query, "
    "`ranking_scores.streaming.whole_queries` carries its rows over to the next batch. "
    f"{_ONLY_IDS}"
)
_WHOLE_IN_STREAM = f"All rows of a query must go to one stream. {_ONLY_IDS}"
_ONCE = (
    "They would count twice. Merge each stream once, without its copies, and `reset` it after the "
    "merge if you go on using it."
)


_LOCK = threading.Lock()
"""Held while a stream's state is read and replaced, since several threads may do so at once."""


class StreamingScore:
    """Compute a score of data that comes in batches, without keeping the data.

    A stream keeps only a few numbers, and the ids of the queries unless ``check_qid=False``.
    `compute` returns bit-for-bit the same number as one call of the score on all the data. It
    does not depend on how the queries are split into batches, on their order, or on the order in
    which the streams of several processes are merged.

    Parameters
    ----------
    score_func : callable, str, sequence of these or dict
        A score of this package, its name, such as "ndcg@10", or a `functools.partial` of a score.
        A list or a dict of these computes several scores, as `scores` of `ranking_report` does,
        and reads the data only once.

    check_qid : bool, default=True
        Whether to raise an error if an id in `qid` was in an earlier update, or if both sides of
        a merge have it. This check keeps one id per query. Pass False if you know that every
        query comes whole and only once. Then no ids are kept, nothing is checked, and a query
        whose rows come in two batches counts as two queries.

    **params
        The parameters of `score_func`, such as ``k=10``. If `y_true` is to hold class labels,
        `labels` is one of them and has all classes. Arrays with a value for each row of the data
        go to `update` instead: `qid`, `sample_weight`, `item_weight` and `where`. If there are
        several scores, each gets the parameters that it has.

    Attributes
    ----------
    n_queries : int
        The number of queries seen, including queries of weight 0.

    n_undefined : int, ndarray of int of shape (n_k,) or dict of str to int
        The number of these queries on which the metric is undefined. It is an array with one
        number per cutoff for a list of cutoffs, and a dict for several scores. The keys of the
        dict are the names of the results, such as "ndcg@10".

    standard_error : float, ndarray of float64 of shape (n_k,) or dict of str to float
        The standard error of the mean, in the same form. The notes define it. It does not tell
        which of two systems is better on the same queries.

    Raises
    ------
    ValueError, TypeError
        If `score_func` is not a score of this package, if it refuses `params`, if
        ``average=None``, or if `params` has a parameter with one value per row. The error is of
        both types, as in scikit-learn.

    See Also
    --------
    ranking_report : Computes several scores of data that is in memory.
    whole_queries : Makes batches that do not cut a query.
    make_ranking_scorer : Uses the scores of this package in scikit-learn's model selection.

    Notes
    -----
    The mean counts the queries q of positive weight ``w(q)`` whose value ``v(q)`` is not NaN::

        mean = (sum over q of w(q) * v(q)) / (sum over q of w(q))

    Each ``w(q) * v(q)`` is rounded once, the sums are kept exactly, as integers, and the quotient
    is rounded. With `item_weight`, a query without gain has the mean weight of the others. Such
    queries are summed separately until `compute` knows that mean.

    The standard error, for n such queries, is::

        sqrt(sum over q of (w(q) * (v(q) - mean))**2) / (sum over q of w(q)) * sqrt(n / (n - 1))

    and NaN for ``n < 2``. Only the result is rounded, so it does not depend on the order or
    on the batches either, and is 0 if all values are equal. Without weights it is the standard
    deviation of the values, with ``n - 1``, over ``sqrt(n)``.

    To compare two systems on the same queries, use the differences of their values per query, not
    their standard errors. Some queries are hard for both systems, and the difference removes that
    part. The score returns the values per query with ``average=None``, and
    `scipy.stats.ttest_rel` compares them.

    No update counts twice. A merge raises an error if both streams hold some of the same updates,
    for instance if one stream is a copy of the other, or if they were merged before.

    Several threads may update one stream. A stream can be copied. It can be pickled if its
    parameters can be:

    - `pickle` supports functions of modules only.
    - `cloudpickle`, which Dask, Spark and joblib use, also supports lambdas. An unpickled lambda
      is a new function.

    `merge` takes two functions for the same if their code, their defaults, and all values that
    the code uses are the same. These values include variables of the enclosing functions and of
    the module, and those of the functions that it calls. If `merge` cannot decide, for instance
    because a value cannot be pickled, it raises an error. It can always decide for a function of
    a module.

    Examples
    --------
    >>> from ranking_scores import StreamingScore, ndcg_score
    >>> ndcg = StreamingScore(ndcg_score, k=[1, 3])
    >>> ndcg.update([[0, 1, 2], [0, 0, 3]], [[0.1, 0.2, 0.3], [0.7, 0.7, 0.1]])
    >>> ndcg.update([[1, 0]], [[0.1, 0.2]])
    >>> ndcg
    <StreamingScore(ndcg_score, k=[1, 3]): n_queries=3>
    >>> ndcg.compute()
    array([0.333..., 0.710...])
    >>> ndcg.standard_error
    array([0.333..., 0.149...])

    Two processes can score one part of the queries each:

    >>> one, two = StreamingScore(ndcg_score), StreamingScore(ndcg_score)
    >>> one.update([0, 1, 2], [0.1, 0.3, 0.2], qid=["b", "a", "a"])
    >>> two.update([0, 1], [0.2, 0.1], qid=["c", "c"])
    >>> one.merge(two).compute()
    0.496...
    >>> ndcg_score([0, 1, 2, 0, 1], [0.1, 0.3, 0.2, 0.2, 0.1], qid=["b", "a", "a", "c", "c"])
    0.496...

    `merge` changed the left side. ``+`` and `sum` make a new stream:

    >>> three = StreamingScore(ndcg_score)
    >>> three.update([0, 1], [0.2, 0.1], qid=["d", "d"])
    >>> two + three
    <StreamingScore(ndcg_score): n_queries=2>
    >>> sum([one, three])
    <StreamingScore(ndcg_score): n_queries=4>
    >>> one, two, three
    (<StreamingScore(ndcg_score): n_queries=3>, <StreamingScore(ndcg_score): n_queries=1>,
    <StreamingScore(ndcg_score): n_queries=1>)

    No update counts twice:

    >>> one.merge(two)
    Traceback (most recent call last):
    ...
    ranking_scores.exceptions.InvalidParameterError: The 'other' parameter of StreamingScore.merge
    must be a stream of other updates. Got updates of one stream on both sides instead. They would
    count twice. Merge each stream once, without its copies, and `reset` it after the merge if you
    go on using it.

    A stream of several scores reads each batch once:

    >>> scores = StreamingScore(["ndcg@3", "map"])
    >>> scores.update([[0, 1, 2], [0, 0, 3]], [[0.1, 0.2, 0.3], [0.7, 0.7, 0.1]])
    >>> scores.compute()
    {'ndcg@3': 0.75, 'map': 0.666...}

    For two systems on the same queries, compute the mean and the standard error of their
    difference:

    >>> y_true = [[0, 1, 2], [0, 0, 3], [1, 0, 0], [2, 0, 1]]
    >>> old = [[0.1, 0.2, 0.3], [0.7, 0.7, 0.1], [0.2, 0.3, 0.1], [0.5, 0.6, 0.1]]
    >>> new = [[0.1, 0.2, 0.3], [0.7, 0.6, 0.6], [0.3, 0.3, 0.1], [0.5, 0.4, 0.2]]
    >>> values_of_old = ndcg_score(y_true, old, average=None)
    >>> values_of_new = ndcg_score(y_true, new, average=None)
    >>> differences = values_of_new - values_of_old
    >>> float(differences.mean()), float(differences.std(ddof=1) / len(differences) ** 0.5)
    (0.132..., 0.062...)
    >>> from scipy.stats import ttest_rel
    >>> float(ttest_rel(values_of_new, values_of_old).pvalue)
    0.123...

    All rows of a query must come in one update:

    >>> one.update([2], [0.3], qid=["b"])
    Traceback (most recent call last):
    ...
    ranking_scores.exceptions.InvalidParameterError: The 'qid' parameter of StreamingScore.update
    must be ids of queries that are new to the stream. Got the query with qid 'b' again instead.
    All rows of a query must come in one update. If a batch cuts a query,
    `ranking_scores.streaming.whole_queries` carries its rows over to the next batch. If every
    query comes whole and only once, and only the ids repeat, pass check_qid=False.
    """

    _totals: _Totals
    _ids: set[Any]
    """The ids of the queries seen."""
    _origins: set[int]
    """The ids of the streams that first took in the updates seen."""

    def __init__(
        self,
        score_func: Callable[..., Any] | str | Collection[Any],
        *,
        check_qid: bool = True,
        **params: Any,
    ) -> None:
        function = "StreamingScore"
        self._check_qid = check_bool(check_qid, "check_qid", function)
        # Copied, so that a list that the caller changes later stays the same here.
        self._params = {
            name: value if callable(value) else copy(value) for name, value in params.items()
        }
        self._scores: list[NamedScore]
        self._results: list[str] | None = None
        """The names of the results of several scores, or None for a single score."""
        if is_several(score_func):
            self._results = []
            found = find_scores(score_func, function, "score_func")
            self._scores = bind_scores(found, self._params, function, self._naming())
        else:
            self._scores = [bind_score(score_func, self._params, function)]
        for score in self._scores:
            _check_no_arrays(score.options)
        plans = [score.plan(None, None, self._naming()) for score in self._scores]
        try_plans(plans)
        for plan in plans:
            if plan.call.average is None:
                expected = "'samples', since a stream does not keep the values of single queries"
                raise invalid("average", function, expected, "None")
        if self._results is not None:
            self._results = list(name_results(self._scores, plans, function, "score_func"))
        self._is_single = plans[0].call.cutoffs.is_single
        self._n_cutoffs = sum(plan.call.cutoffs.ranks.size for plan in plans)
        self.reset()

    def _naming(self) -> Naming:
        """Return a function that maps the name of a score to its name in errors."""
        return str if self._results is None else "StreamingScore, for {},".format

    def update(self, y_true: ArrayLike, y_score: ArrayLike, **arrays: ArrayLike | None) -> None:
        """Add a batch of queries. If this raises an error, the stream is unchanged.

        Parameters
        ----------
        y_true, y_score : array-like
            The labels and the scores of the batch, in any layout that the score takes. A batch
            may be empty: 2-D arrays without rows, or 1-D arrays without rows if `qid` is given.

        **arrays : array-like
            The other parameters with one value per row of the batch: `qid`, `sample_weight`,
            `item_weight` and `where`, as in `score_func`. Pass `item_weight` with every batch or
            with none.

        Raises
        ------
        ValueError, TypeError
            If the score refuses the batch, if a query in `qid` was in an earlier batch, or if
            another parameter is passed.
        """
        for name, value in arrays.items():
            if name not in ARRAY_PARAMETERS:
                expected = "passed to the constructor, since it does not have one value per row"
                advice = advise_on_sizes(name)
                if advice:
                    expected = "left out, since no score has it"
                raise invalid(name, "StreamingScore.update", expected, describe(value), advice)
        self._take_batch(y_true, y_score, arrays)

    def _take_batch(
        self, y_true: ArrayLike, y_score: ArrayLike, arrays: dict[str, ArrayLike | None]
    ) -> list[Evaluation]:
        """Add a batch, and return the evaluation of each score, or nothing if it is empty."""
        if _has_no_query(y_true, y_score, arrays):
            return []
        evaluations = self._evaluate(y_true, y_score, arrays)
        has_class_labels = arrays.get("qid") is None and n_axes(y_true) == 1
        if has_class_labels and self._params.get("labels") is None:
            expected = "passed to the constructor if y_true holds class labels"
            advice = "Otherwise a batch that lacks a class would mix up the columns."
            raise invalid("labels", "StreamingScore.update", expected, "None", advice)
        of_batch = _totals_of(evaluations)
        with _LOCK:
            ids = self._new_ids(evaluations[0].ids)
            totals = self._totals + of_batch
            if totals.is_partly_weighed_by_items():
                was = "left out, as it was in earlier updates"
                is_given = of_batch.n_weighed_by_items > 0
                expected = was if is_given else "given, as it was in earlier updates"
                got = describe(arrays.get("item_weight"))
                raise invalid("item_weight", "StreamingScore.update", expected, got)
            # Only an empty stream takes an id. So every stream that holds an id holds its first
            # update, every stream that holds an update holds the ids of the stream that took it
            # in, and two streams share an id if and only if they share an update. A copy that is
            # updated further needs no id of its own. Neither a fork nor a seed repeats an id.
            origins = set() if self._origins else {uuid4().int}
            self._add(totals, ids, origins)
        return evaluations

    def _add(self, totals: _Totals, ids: set[Any], origins: set[int]) -> None:
        """Take new totals, and more ids. The caller holds the lock."""
        # All of it or nothing: a set makes room for new elements before it takes the first, and
        # Python lets Ctrl-C in at calls only, of which there is none between these lines.
        self._ids |= ids
        self._origins |= origins
        self._totals = totals

    def _names_of_results(self) -> list[str]:
        """Return the names of the results, such as "ndcg@10", even for a single score."""
        if self._results is not None:
            return self._results
        plan = self._scores[0].plan(None, None)
        return list(name_results(self._scores, [plan], "StreamingScore", "score_func"))

    def merge(self, other: StreamingScore) -> StreamingScore:
        """Add the queries of another stream to this one. ``+`` makes a new stream instead.

        Parameters
        ----------
        other : StreamingScore
            A stream of the same score and parameters, which has seen other queries. It does not
            change. To update it further and merge it again, `reset` it first.

        Returns
        -------
        self : StreamingScore
            This stream.

        Raises
        ------
        ValueError, TypeError
            If the score or a parameter differs, if both streams hold some of the same updates,
            if both have seen a query of the same id, or if only one of them has item weights.
            Both streams are unchanged then.
        """
        function = "StreamingScore.merge"
        if not isinstance(other, StreamingScore):
            raise invalid("other", function, "a StreamingScore", describe(other))
        self._take_in(other, function)
        return self

    def __add__(self, other: StreamingScore) -> StreamingScore:
        """Return a new stream that has seen the queries of both. Neither of the two changes.

        ``sum(streams)`` returns a new stream, too.

        Parameters
        ----------
        other : StreamingScore
            A stream of the same score and parameters, as in `merge`.

        Returns
        -------
        both : StreamingScore
            A new stream.

        Raises
        ------
        ValueError, TypeError
            If `merge` raises an error, or if `other` is not a stream.
        """
        if not isinstance(other, StreamingScore):
            return NotImplemented
        both = copy(self)
        both._take_in(other, "StreamingScore.__add__")
        return both

    def __radd__(self, other: int) -> StreamingScore:
        """Return a copy of this stream, since `sum` begins with 0."""
        return copy(self) if isinstance(other, int) and other == 0 else NotImplemented

    def _take_in(self, other: StreamingScore, function: str) -> None:
        """Add the queries of another stream, or raise in the name of a function."""
        differences, advice = _differences(self._settings(), other._settings())
        if differences:
            expected = "a stream of the same score and parameters"
            raise invalid("other", function, expected, differences, advice)
        with _LOCK:
            if not self._origins.isdisjoint(other._origins):
                got = "updates of one stream on both sides"
                raise invalid("other", function, "a stream of other updates", got, _ONCE)
            shared = self._ids & other._ids
            if shared:
                got = f"the query with qid {name_id(min(shared, key=repr))} on both sides"
                expected = "a stream of other queries"
                raise invalid("other", function, expected, got, _WHOLE_IN_STREAM)
            totals = self._totals + other._totals
            if totals.is_partly_weighed_by_items():
                expected = "a stream with item weights if and only if this stream has them"
                got = f"one {'with' if other._totals.n_weighed_by_items else 'without'} them"
                raise invalid("other", function, expected, got)
            self._add(totals, other._ids, other._origins)

    def compute(self) -> Any:
        """Return the score of all queries seen.

        Returns
        -------
        score : float, ndarray of float64 or dict of str to float
            A float for one score, an array of shape (n_k,) for a list of cutoffs, and a dict for
            several scores. The keys of the dict are the names of the results, such as "ndcg@10".

        Raises
        ------
        sklearn.exceptions.NotFittedError
            If the stream has seen no query. This error is also a ``ValueError``.
        ValueError, TypeError
            If all sample weights seen are 0.

        Warns
        -----
        sklearn.exceptions.UndefinedMetricWarning
            If the mean is NaN. The score itself issues the same warning.
        """
        totals = self._totals  # which another thread may replace
        if not totals.n_queries:
            from sklearn.exceptions import NotFittedError

            raise NotFittedError("This StreamingScore has seen no query. Call `update` first.")
        name = self._scores[0].function.__name__ if self._results is None else "StreamingScore"
        if not totals.n_weighted:
            raise only_zeros(name)
        means = [of_cutoff.sums.mean() for of_cutoff in totals.at_cutoff]
        warn_of_undefined(means, name, self._results)
        return self._named(means)

    def reset(self) -> None:
        """Forget all queries and their ids. Later updates can be merged again."""
        nothing = _AtCutoff(0, Sums(), Moments(), Moments())
        totals = _Totals(0, 0, 0, (nothing,) * self._n_cutoffs)
        with _LOCK:
            self._totals, self._ids, self._origins = totals, set(), set()

    @property
    def n_queries(self) -> int:
        """The number of queries seen."""
        return self._totals.n_queries

    @property
    def n_undefined(self) -> Any:
        """The number of queries seen on which the metric is undefined, at each cutoff."""
        return self._named([of_cutoff.n_undefined for of_cutoff in self._totals.at_cutoff])

    @property
    def standard_error(self) -> Any:
        """The standard error of the mean, at each cutoff. NaN for fewer than two queries.

        It does not tell which of two systems is better on the same queries. To compare systems,
        compute the values per query with ``average=None``, and use `scipy.stats.ttest_rel`.
        """
        return self._named([each.standard_error() for each in self._totals.at_cutoff])

    def _named(self, values: list[Any]) -> Any:
        """Return values, one per cutoff, in the form in which the caller gets them."""
        if self._results is not None:
            return dict(zip(self._results, values, strict=True))
        return values[0] if self._is_single else np.array(values)

    def __repr__(self) -> str:
        check = "" if self._check_qid else ", check_qid=False"
        given = f"[{', '.join(self._results or ())}]"
        if self._results is None:
            options = self._scores[0].options.items()
            named = "".join(f", {name}={_show(value)}" for name, value in options)
            given = self._scores[0].function.__name__ + named
        return f"<StreamingScore({given}{check}): n_queries={self.n_queries}>"

    def __copy__(self) -> StreamingScore:
        copied = object.__new__(type(self))
        with _LOCK:
            vars(copied).update(vars(self))
            copied._ids = set(self._ids)
            copied._origins = set(self._origins)
        return copied

    def __getstate__(self) -> dict[str, Any]:
        return vars(copy(self))

    def __deepcopy__(self, memo: dict[int, Any]) -> StreamingScore:
        return copy(self)  # apart from the ids, nothing in a stream is changed in place

    def _settings(self) -> dict[str, Any]:
        """Return the scores and all their parameters, including those at their defaults."""
        settings: dict[str, Any] = {"check_qid": self._check_qid}
        if self._results is not None:
            settings["scores"] = self._results
        names = [score.name for score in self._scores]
        for number, score in enumerate(self._scores):
            which = score.name if names.count(score.name) == 1 else f"{score.name} ({number})"
            of_score = "" if self._results is None else f" of {which}"
            settings[f"score_func{of_score}"] = score.function
            for name, parameter in parameters_of(score.function).items():
                is_cutoff = name == "k" and self._results is not None  # it is in the name
                is_known = parameter.default is not parameter.empty or name in score.options
                if is_known and not is_cutoff:
                    settings[name + of_score] = score.options.get(name, parameter.default)
        return settings

    def _evaluate(
        self, y_true: ArrayLike, y_score: ArrayLike, arrays: dict[str, ArrayLike | None]
    ) -> list[Evaluation]:
        """Return the scores of a batch, before the mean is taken."""
        function = "StreamingScore.update"
        scores = with_arrays(self._scores, arrays, function)
        if self._results is None:
            plan = scores[0].plan(y_true, y_score)
            return run([(plan, as_it_is)], plan.data)
        plans = [score.plan(y_true, y_score, self._naming()) for score in scores]
        data = replace(plans[0].data, function=function)
        return run([(plan, as_it_is) for plan in plans], data)

    def _new_ids(self, ids: NDArray[Any] | None) -> set[Any]:
        """Return the ids of a batch to keep. Raise if the stream knows one of them."""
        if ids is None or not self._check_qid:
            return set()
        of_batch = ids_as_objects(ids)
        new = as_set(of_batch, "StreamingScore.update", ids)
        known = new & self._ids
        if known:
            first = next(each for each in of_batch if each in known)
            got = f"the query with qid {name_id(first)} again"
            expected = "ids of queries that are new to the stream"
            raise invalid("qid", "StreamingScore.update", expected, got, _WHOLE_IN_UPDATE)
        return new


def _check_no_arrays(options: dict[str, Any]) -> None:
    """Raise if a stream is given a parameter that belongs to the batches."""
    for parameter in ARRAY_PARAMETERS:
        if parameter in options:
            expected = "left to update, since it has one value per row of the data"
            advice = f"Pass `{parameter}` to `update`, with each batch."
            got = describe(options[parameter])
            raise invalid(parameter, "StreamingScore", expected, got, advice)


@dataclass(frozen=True)
class _AtCutoff:
    """The totals of a stream at one cutoff, to which those of other queries can be added."""

    n_undefined: int
    sums: Sums
    known: Moments
    """The moments of the queries whose weight is known."""
    without_gain: Moments
    """The moments of the others, weighted by the sample weights. See `Sums.mean_weight`."""

    def __add__(self, other: _AtCutoff) -> _AtCutoff:
        return _AtCutoff(*map(operator.add, vars(self).values(), vars(other).values()))

    def standard_error(self) -> float:
        """Return the standard error of the mean at this cutoff."""
        return standard_error(self.sums, self.known, self.without_gain)


@dataclass(frozen=True)
class _Totals:
    """The totals of a stream, to which those of other queries can be added."""

    n_queries: int
    n_weighted: int
    """How many of them have a positive sample weight."""
    n_weighed_by_items: int
    """How many of them came with item weights."""
    at_cutoff: tuple[_AtCutoff, ...]

    def __add__(self, other: _Totals) -> _Totals:
        return _Totals(
            self.n_queries + other.n_queries,
            self.n_weighted + other.n_weighted,
            self.n_weighed_by_items + other.n_weighed_by_items,
            tuple(map(operator.add, self.at_cutoff, other.at_cutoff)),
        )

    def is_partly_weighed_by_items(self) -> bool:
        """Return whether only some of the queries came with item weights."""
        return 0 < self.n_weighed_by_items < self.n_queries


def _totals_of(evaluations: list[Evaluation]) -> _Totals:
    """Return the totals of a batch."""
    n_queries = evaluations[0].values.shape[0]
    sample_weight = evaluations[0].sample_weight
    at_cutoff = []
    for evaluation in evaluations:
        n_undefined = (~evaluation.is_defined).sum(axis=0).tolist()
        each = zip(n_undefined, evaluation.sums(), evaluation.moments(), strict=True)
        at_cutoff += [_AtCutoff(count, sums, *moments) for count, sums, moments in each]
    return _Totals(
        n_queries,
        n_queries if sample_weight is None else int(np.count_nonzero(sample_weight)),
        0 if evaluations[0].weight_by_items is None else n_queries,
        tuple(at_cutoff),
    )


def _has_no_query(y_true: Any, y_score: Any, arrays: dict[str, Any]) -> bool:
    """Return whether a batch is empty: 2-D arrays without rows, or with `qid` 1-D ones.

    The scores themselves refuse data without a query.
    """
    given = (y_true, y_score, *(array for array in arrays.values() if array is not None))
    if any(_shape(array)[:1] != (0,) for array in given):
        return False
    return arrays.get("qid") is not None or len(_shape(y_score)) == 2 or is_list_column(y_score)


def _shape(array: Any) -> tuple[int, ...]:
    """Return the shape of an array. For a list, return only its length, which is cheap."""
    has_length_only = isinstance(array, (list, tuple)) or is_list_column(array)
    return (len(array),) if has_length_only else tuple(np.shape(array))


def _differences(ours: dict[str, Any], theirs: dict[str, Any]) -> tuple[str, str]:
    """Return how another stream differs from this one, for an error message, and the cure."""
    if ("scores" in ours) != ("scores" in theirs):
        one, several = "a stream of one score", "a stream of several scores"
        return f"{one} beside {several}" if "scores" in ours else f"{several} beside {one}", ""
    advice = {
        name: "" if name not in theirs else _difference(ours[name], theirs[name]) for name in ours
    }
    names = [name for name, of_name in advice.items() if of_name is not None]
    if not names and ours.keys() == theirs.keys():
        return "", ""
    # If the scores differ, their parameters add nothing.
    whole = [name for name in ("scores", "score_func") if ours.get(name) != theirs.get(name)]
    names = whole[:1] or names
    of_theirs, of_ours = (
        ", ".join(f"{name}={_show(settings.get(name))}" for name in names)
        for settings in (theirs, ours)
    )
    got = f"{of_theirs} where this stream has {of_ours}"
    return got, next(filter(None, map(advice.get, names)), "")


def _difference(left: Any, right: Any) -> str | None:
    """Return a remark on two values of a parameter that differ, or None if they are the same."""
    try:
        if _is_same(left, right):
            return None
    except UndecidedError as error:
        return (
            f"It is not known whether the two functions are the same ({error}). Use a function "
            "of a module, which is identified by its name."
        )
    is_one_name = callable(left) and callable(right) and _show(left) == _show(right)
    return "The two functions differ in their code or in a value that it uses." * is_one_name


def _is_same(left: Any, right: Any) -> bool:
    """Return whether a score treats two values alike. Raise `UndecidedError` if unknown."""
    if isinstance(left, partial) and isinstance(right, partial):
        return (
            are_same(left.func, right.func)
            and len(left.args) == len(right.args)
            and left.keywords.keys() == right.keywords.keys()
            and all(map(_is_same, left.args, right.args))
            and all(_is_same(left.keywords[name], right.keywords[name]) for name in left.keywords)
        )
    if callable(left) or callable(right):
        return _are_equal(left, right) or are_same(left, right)
    left, right = np.asarray(left).tolist(), np.asarray(right).tolist()
    return bool(left == right or (left != left and right != right))  # NaN equals NaN here


def _are_equal(left: Any, right: Any) -> bool:
    """Return whether two values compare equal."""
    try:
        return bool(left == right)
    except Exception:  # an array of booleans, or the code of a caller
        return False


def _show(value: Any) -> str:
    """Return a parameter as text, as in a call. A function is shown by its name."""
    return str(getattr(value, "__qualname__", None) or describe(value))


def whole_queries(batches: Iterable[Any], *, qid: Any, check_qid: bool = True) -> Iterator[Any]:
    """Regroup batches of rows so that no batch cuts a query.

    A reader that returns a fixed number of rows per batch cuts queries in two, and each half
    would be scored as a query of its own. `whole_queries` carries the last query of each batch
    over to the next one. The resulting batches have only whole queries, and all rows in order.

    Parameters
    ----------
    batches : iterable of tables
        The batches, each with a column of query ids. A batch is one of:

        - a pandas or polars DataFrame, which needs narwhals;
        - a pyarrow table or record batch;
        - a dict of arrays.

        The rows of a query must be adjacent. All batches must have the same columns, of the same
        types. Batches are read one at a time, when they are needed.

    qid : str
        The name of the column of query ids.

    check_qid : bool, default=True
        Whether to raise an error if an id comes back after other queries. The first 65536 ids are
        kept. As long as ids ascend, only the last one is kept beside them, otherwise all of them.
        Ids that ascend beyond the first 65536 and then stop ascending are an error, too. Pass
        False if you know that every query comes once, with its rows adjacent. Then no ids are
        kept.

    Returns
    -------
    whole : iterator of tables
        The regrouped batches, of the same type as the input. Record batches become tables, and
        the arrays of dicts become NumPy arrays. Each has the rows that were carried over, then
        the rows of one batch without those of its last query.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here. Errors in a batch are raised when it is read: if
        it is not a table, if it has no column `qid` or other columns than the first batch, if an
        id is missing, or if a query comes back. The error is of both types, as in scikit-learn.

    See Also
    --------
    StreamingScore : Computes the scores of data that comes in batches.
    ranking_scores.scale.score_parquet : Does all of this for Parquet files.

    Notes
    -----
    The time is linear in the number of rows, even if a query takes a thousand batches, since its
    rows are concatenated once. The memory is that of two batches and of the longest query. The
    rows that are carried over are copied, so a reader may reuse its arrays. The other rows are
    not copied: use them before the next batch is read, or copy them.

    A stream of these batches need not check the ids again, so pass ``check_qid=False`` to it. The
    stream then does not keep one id per query. If the ids ascend only within each of several
    parts, do the opposite: pass ``check_qid=False`` here, and leave it True in the stream, which
    keeps all ids.

    Examples
    --------
    >>> from ranking_scores import StreamingScore, ndcg_score
    >>> from ranking_scores.streaming import whole_queries
    >>> batches = [
    ...     {"y_true": [0, 1, 1], "y_score": [0.1, 0.3, 0.2], "qid": ["a", "a", "b"]},
    ...     {"y_true": [0, 2], "y_score": [0.4, 0.1], "qid": ["b", "c"]},
    ... ]
    >>> ndcg = StreamingScore(ndcg_score, check_qid=False)
    >>> for batch in whole_queries(batches, qid="qid"):
    ...     print(batch["qid"])
    ...     ndcg.update(**batch)
    ['a' 'a']
    ['b' 'b']
    ['c']
    >>> ndcg.compute()
    0.876...
    """
    function = "whole_queries"
    check_batches(batches, qid, "batches", function)
    seen = SeenIds(_LEFT_TO_STREAM, None) if check_bool(check_qid, "check_qid", function) else None
    read = read_batches(batches, qid, "batches", function)
    pieces = whole_pieces(read, None if seen is None else seen.check, cut_end=cut_copy)
    return (join(each, qid) for each in pieces)


_LEFT_TO_STREAM = (
    "If every query comes whole and only once, pass check_qid=False. With check_qid=True, "
    "StreamingScore still finds a query that comes back, since it keeps all ids."
)
