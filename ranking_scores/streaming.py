"""Streams: the scores of this package on data that comes in batches, or from several processes."""

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
from sklearn.exceptions import NotFittedError

from ranking_scores._evaluate import (
    ARRAY_PARAMETERS,
    Evaluation,
    Naming,
    as_it_is,
    only_zeros,
    run,
    try_plans,
    warn_of_undefined,
)
from ranking_scores._exact import Moments, Sums, standard_error
from ranking_scores._functions import UndecidedError, are_same
from ranking_scores._named import (
    NamedScore,
    bind_score,
    bind_scores,
    find_scores,
    is_several,
    name_results,
    parameters_of,
    with_arrays,
)
from ranking_scores._queries import is_list_column, n_axes
from ranking_scores._signatures import hide_types
from ranking_scores._validation import advise_on_sizes, check_bool, describe, invalid
from ranking_scores._whole_queries import (
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
    "If you know that every query comes whole and once, and only the ids repeat, check_qid=False "
    "says so."
)
_WHOLE_IN_UPDATE = (
    "A query must be whole within one update. If a batch cuts it, carry it over: `whole_queries` "
    f"of ranking_scores.streaming does that. {_ONLY_IDS}"
)
_WHOLE_IN_STREAM = (
    f"A query must be whole within one stream: give all its rows to one of them. {_ONLY_IDS}"
)
_ONCE = (
    "They would count twice: merge each stream once, leave out its copies, and `reset` it after "
    "the merge if it goes on."
)


_LOCK = threading.Lock()
"""Held while the state of a stream is read and replaced, which threads may do at one time."""


class StreamingScore:
    """A score of data that comes in batches: a few numbers are kept, and none of the data.

    What `compute` returns is, to the last bit, what one call of the score on all the data
    returns, however the queries are split into batches, in whatever order they come, and in
    whatever tree the streams of several processes are merged.

    Parameters
    ----------
    score_func : callable, str, sequence of these or dict
        A score of this package, a `functools.partial` of one, or its name, such as
        "ndcg@10". A list or a dict of these is several scores, as `scores` of
        `ranking_report`: the data is read once for all of them.

    check_qid : bool, default=True
        Whether an id in `qid` that an earlier update had, or that both sides of a merge have, is
        an error. This keeps one id per query. False is your word that every query comes whole and
        once: no id is kept, nothing is checked, and a query of which the rows come in two batches
        counts as two queries.

    **params
        The parameters of `score_func`, such as ``k=10``, and `labels`, all the classes, if
        `y_true` is to hold class labels. What has a value for each row of the data, `qid`,
        `sample_weight`, `item_weight` and `where`, is given to `update`. Of several scores,
        each gets the parameters that it has.

    Attributes
    ----------
    n_queries : int
        The number of queries seen, also those of weight 0.

    n_undefined : int, ndarray of int of shape (n_k,) or dict of str to int
        The number of them on which the metric is undefined; with a list of cutoffs, at each. With
        several scores a dict, by the names of the results, such as "ndcg@10".

    standard_error : float, ndarray of float64 of shape (n_k,) or dict of str to float
        The standard error of the mean, as in the notes, in the same form. It does not compare two
        systems on the same queries.

    Raises
    ------
    ValueError, TypeError
        If `score_func` is no score of this package, if it refuses `params`, if ``average=None``,
        or if a parameter that has a value for each row is among `params`. One error that is both,
        as in scikit-learn.

    See Also
    --------
    ranking_report : Several scores of data that is all there.
    whole_queries : Batches that cut no query.
    make_ranking_scorer : The scores of this package in scikit-learn's model selection.

    Notes
    -----
    The mean counts the queries q of positive weight ``w(q)`` whose value ``v(q)`` is not NaN::

        mean = (sum over q of w(q) * v(q)) / (sum over q of w(q))

    Each ``w(q) * v(q)`` is rounded, each on its own, their sums are kept as integers, and the
    quotient is rounded. A query without gain, to which `item_weight` gives the mean weight of the
    others, is summed apart until `compute` knows that mean.

    With n the number of those queries, the standard error is::

        sqrt(sum over q of (w(q) * (v(q) - mean))**2) / (sum over q of w(q)) * sqrt(n / (n - 1))

    and NaN for ``n < 2``. Only the result is rounded, so it does not depend on the order or
    on the batches either, and is 0 where all values are equal. Without weights it is the standard
    deviation of the values, with ``n - 1``, over ``sqrt(n)``.

    Two systems on the same queries are compared by the differences of their values per query, not
    by their standard errors: some queries are hard for both, and that part cancels. The score
    returns these values with ``average=None``, and `scipy.stats.ttest_rel` compares them.

    No update counts twice: a merge with a stream that holds some of the same updates is an error,
    as with one that was merged before, or with a copy.

    Threads may update one stream. A stream can be copied, and pickled if its parameters can be:
    `pickle` takes functions of modules only, `cloudpickle`, as Dask, Spark and joblib use it, also
    a lambda. The lambda comes back as another function. Two functions are the same here if their
    code is the same, and so are their defaults and all values that the code uses, of the functions
    around it and of the module, also in the functions that it calls. If that cannot be told, as of
    a value that does not pickle, `merge` raises: a function of a module is always known.

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

    Two processes, each with its part of the queries:

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
    count twice: merge each stream once, leave out its copies, and `reset` it after the merge if it
    goes on.

    Several scores, in one pass over each batch:

    >>> scores = StreamingScore(["ndcg@3", "map"])
    >>> scores.update([[0, 1, 2], [0, 0, 3]], [[0.1, 0.2, 0.3], [0.7, 0.7, 0.1]])
    >>> scores.compute()
    {'ndcg@3': 0.75, 'map': 0.666...}

    Two systems on the same queries, and the mean and the standard error of their difference:

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

    A query must be whole within one update:

    >>> one.update([2], [0.3], qid=["b"])
    Traceback (most recent call last):
    ...
    ranking_scores.exceptions.InvalidParameterError: The 'qid' parameter of StreamingScore.update
    must be of queries that are new to the stream. Got the query with qid 'b' again instead. A
    query must be whole within one update. If a batch cuts it, carry it over: `whole_queries` of
    ranking_scores.streaming does that. If you know that every query comes whole and once, and only
    the ids repeat, check_qid=False says so.
    """

    _totals: _Totals
    _ids: set[Any]
    """The ids of the queries seen."""
    _origins: set[int]
    """The ids of the streams in which the updates seen began."""

    def __init__(
        self,
        score_func: Callable[..., Any] | str | Collection[Any],
        *,
        check_qid: bool = True,
        **params: Any,
    ) -> None:
        function = "StreamingScore"
        self._check_qid = check_bool(check_qid, "check_qid", function)
        # Copied, so that a list that the caller goes on to change stays what it was here.
        self._params = {
            name: value if callable(value) else copy(value) for name, value in params.items()
        }
        self._scores: list[NamedScore]
        self._results: list[str] | None = None
        """The names of the results of several scores; None: there is one."""
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
                expected = "'samples', since a stream keeps no values of single queries"
                raise invalid("average", function, expected, "None")
        if self._results is not None:
            self._results = list(name_results(self._scores, plans, function, "score_func"))
        self._is_single = plans[0].call.cutoffs.is_single
        self._n_cutoffs = sum(plan.call.cutoffs.ranks.size for plan in plans)
        self.reset()

    def _naming(self) -> Naming:
        """Return what makes of the name of a score what errors call it."""
        return str if self._results is None else "StreamingScore, for {},".format

    def update(self, y_true: ArrayLike, y_score: ArrayLike, **arrays: ArrayLike | None) -> None:
        """Take in a batch of queries. If it raises, nothing has changed.

        Parameters
        ----------
        y_true, y_score : array-like
            The labels and the scores of the batch, in any layout that the score takes. A batch
            may have no query: 2-D arrays without rows, or with `qid` 1-D arrays without rows.

        **arrays : array-like
            What else has a value for each row of the batch: `qid`, `sample_weight`, `item_weight`
            and `where`, as in `score_func`. `item_weight` comes with every batch, or with none.

        Raises
        ------
        ValueError, TypeError
            If the score refuses the batch, if a query in `qid` was in an earlier batch, or if
            something is given that has no value for each row.
        """
        for name, value in arrays.items():
            if name not in ARRAY_PARAMETERS:
                expected = "left to the constructor, since it has no value for each row of a batch"
                advice = advise_on_sizes(name)
                if advice:
                    expected = "left out, since no score has it"
                raise invalid(name, "StreamingScore.update", expected, describe(value), advice)
        self._take_batch(y_true, y_score, arrays)

    def _take_batch(
        self, y_true: ArrayLike, y_score: ArrayLike, arrays: dict[str, ArrayLike | None]
    ) -> list[Evaluation]:
        """Take in a batch, and return what each score of it is; nothing if it has no query."""
        if _has_no_query(y_true, y_score, arrays):
            return []
        evaluations = self._evaluate(y_true, y_score, arrays)
        has_class_labels = arrays.get("qid") is None and n_axes(y_true) == 1
        if has_class_labels and self._params.get("labels") is None:
            expected = "given to the constructor where y_true holds class labels"
            advice = "Else a batch that misses a class would take the columns for others."
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
            # Only now, so that what raises above changes nothing.
            self._totals = totals
            self._ids |= ids
            # Only an empty stream takes an id: so all that hold an id hold its first update, all
            # that hold an update hold the ids that its stream had, and two streams share an id if
            # and only if they share an update. A copy that goes on needs no id of its own.
            if not self._origins:
                self._origins.add(uuid4().int)  # no fork and no seed repeats it
        return evaluations

    def _names_of_results(self) -> list[str]:
        """Return the names of the results, such as "ndcg@10", also those of a single score."""
        if self._results is not None:
            return self._results
        plan = self._scores[0].plan(None, None)
        return list(name_results(self._scores, [plan], "StreamingScore", "score_func"))

    def merge(self, other: StreamingScore) -> StreamingScore:
        """Take in what another stream has seen. This changes this stream; ``+`` makes a new one.

        Parameters
        ----------
        other : StreamingScore
            A stream of the same score and parameters, which has seen other queries. It stays as
            it is. If it goes on and is to be merged again, `reset` it first.

        Returns
        -------
        self : StreamingScore
            This stream.

        Raises
        ------
        ValueError, TypeError
            If the score or a parameter differs, if both streams hold some of the same updates,
            if both have seen a query of the same id, or if only one of them has item weights.
            Nothing has changed then.
        """
        function = "StreamingScore.merge"
        if not isinstance(other, StreamingScore):
            raise invalid("other", function, "a StreamingScore", describe(other))
        self._take_in(other, function)
        return self

    def __add__(self, other: StreamingScore) -> StreamingScore:
        """Return a new stream that has seen what both have seen. Neither of the two changes.

        ``sum(streams)`` is a new stream, too.

        Parameters
        ----------
        other : StreamingScore
            As in `merge`.

        Returns
        -------
        both : StreamingScore
            A new stream.

        Raises
        ------
        ValueError, TypeError
            Where `merge` raises, and if `other` is no stream.
        """
        if not isinstance(other, StreamingScore):
            return NotImplemented
        both = copy(self)
        both._take_in(other, "StreamingScore.__add__")
        return both

    def __radd__(self, other: int) -> StreamingScore:
        """Return a copy of this stream: `sum` begins with 0."""
        return copy(self) if isinstance(other, int) and other == 0 else NotImplemented

    def _take_in(self, other: StreamingScore, function: str) -> None:
        """Add what another stream has seen, or raise in the name of a function."""
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
                expected = "a stream with item weights if this one has them, and only then"
                got = f"{'one' if other._totals.n_weighed_by_items else 'none'} with item weights"
                raise invalid("other", function, expected, got)
            self._totals = totals
            self._ids |= other._ids
            self._origins |= other._origins

    def compute(self) -> Any:
        """Return the score of all queries seen.

        Returns
        -------
        score : float, ndarray of float64 or dict of str to float
            A float; with a list of cutoffs an array of shape (n_k,); with several scores a dict,
            by the names of the results, such as "ndcg@10".

        Raises
        ------
        sklearn.exceptions.NotFittedError
            If no query has been seen. A ``ValueError``, too.
        ValueError, TypeError
            If all sample weights seen are 0.

        Warns
        -----
        sklearn.exceptions.UndefinedMetricWarning
            If the mean is NaN, as the score itself warns.
        """
        if not self._totals.n_queries:
            raise NotFittedError("This StreamingScore has seen no query. Call `update` first.")
        name = self._scores[0].function.__name__ if self._results is None else "StreamingScore"
        if not self._totals.n_weighted:
            raise only_zeros(name)
        means = [of_cutoff.sums.mean() for of_cutoff in self._totals.at_cutoff]
        warn_of_undefined(means, name, self._results)
        return self._named(means)

    def reset(self) -> None:
        """Forget all queries, and their ids. What comes after may be merged again."""
        nothing = _AtCutoff(0, Sums(), Moments(), Moments())
        with _LOCK:
            self._totals = _Totals(0, 0, 0, (nothing,) * self._n_cutoffs)
            self._ids = set()
            self._origins = set()

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
        """The standard error of the mean, at each cutoff; NaN for less than two queries.

        It does not compare two systems on the same queries. Compare their values of each query,
        which the score returns with ``average=None``, by `scipy.stats.ttest_rel`.
        """
        return self._named([each.standard_error() for each in self._totals.at_cutoff])

    def _named(self, values: list[Any]) -> Any:
        """Return one value for each cutoff as the caller of the stream gets them."""
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
        return copy(self)  # but for the ids, nothing in a stream is ever changed

    def _settings(self) -> dict[str, Any]:
        """Return the scores and all their parameters, also those left at their defaults."""
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
        """Return what the scores of a batch are, before the mean is taken."""
        function = "StreamingScore.update"
        scores = with_arrays(self._scores, arrays, function)
        if self._results is None:
            plan = scores[0].plan(y_true, y_score)
            return run([(plan, as_it_is)], plan.data)
        plans = [score.plan(y_true, y_score, self._naming()) for score in scores]
        data = replace(plans[0].data, function=function)
        return run([(plan, as_it_is) for plan in plans], data)

    def _new_ids(self, ids: NDArray[Any] | None) -> set[Any]:
        """Return the ids of a batch to be kept, none of which may be known."""
        if ids is None or not self._check_qid:
            return set()
        of_batch = ids_as_objects(ids)
        new = as_set(of_batch, "StreamingScore.update", ids)
        known = new & self._ids
        if known:
            first = next(each for each in of_batch if each in known)
            got = f"the query with qid {name_id(first)} again"
            expected = "of queries that are new to the stream"
            raise invalid("qid", "StreamingScore.update", expected, got, _WHOLE_IN_UPDATE)
        return new


def _check_no_arrays(options: dict[str, Any]) -> None:
    """Raise if a stream is given what comes with each batch."""
    for parameter in ARRAY_PARAMETERS:
        if parameter in options:
            expected = "left to update, since it has a value for each row of the data"
            advice = f"Pass `{parameter}` to `update`, with each batch."
            got = describe(options[parameter])
            raise invalid(parameter, "StreamingScore", expected, got, advice)


@dataclass(frozen=True)
class _AtCutoff:
    """What a stream knows of its queries at one cutoff; that of other queries is added."""

    n_undefined: int
    sums: Sums
    known: Moments
    """Of the queries whose weight is known."""
    without_gain: Moments
    """Of the others, with the sample weights for weights: see `Sums.mean_weight`."""

    def __add__(self, other: _AtCutoff) -> _AtCutoff:
        return _AtCutoff(*map(operator.add, vars(self).values(), vars(other).values()))

    def standard_error(self) -> float:
        """Return the standard error of the mean at this cutoff."""
        return standard_error(self.sums, self.known, self.without_gain)


@dataclass(frozen=True)
class _Totals:
    """What a stream knows of its queries; that of other queries is added."""

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
        """Whether some queries came with item weights, others without."""
        return 0 < self.n_weighed_by_items < self.n_queries


def _totals_of(evaluations: list[Evaluation]) -> _Totals:
    """Return what a stream keeps of a batch."""
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
    """Whether a batch is 2-D arrays without rows, or with `qid` 1-D arrays without rows.

    The scores themselves refuse data without a query.
    """
    given = (y_true, y_score, *(array for array in arrays.values() if array is not None))
    if any(_shape(array)[:1] != (0,) for array in given):
        return False
    return arrays.get("qid") is not None or len(_shape(y_score)) == 2 or is_list_column(y_score)


def _shape(array: Any) -> tuple[int, ...]:
    """Return the shape of an array, and of a list only its length, which is quick to find."""
    has_length_only = isinstance(array, (list, tuple)) or is_list_column(array)
    return (len(array),) if has_length_only else tuple(np.shape(array))


def _differences(ours: dict[str, Any], theirs: dict[str, Any]) -> tuple[str, str]:
    """Return in what another stream differs from this one, as an error says it, and the cure."""
    if ("scores" in ours) != ("scores" in theirs):
        one, several = "a stream of one score", "a stream of several scores"
        return f"{one} beside {several}" if "scores" in ours else f"{several} beside {one}", ""
    advice = {
        name: "" if name not in theirs else _difference(ours[name], theirs[name]) for name in ours
    }
    names = [name for name, of_name in advice.items() if of_name is not None]
    if not names and ours.keys() == theirs.keys():
        return "", ""
    # Of two scores or lists of scores, what each of them is given says nothing more.
    whole = [name for name in ("scores", "score_func") if ours.get(name) != theirs.get(name)]
    names = whole[:1] or names
    of_theirs, of_ours = (
        ", ".join(f"{name}={_show(settings.get(name))}" for name in names)
        for settings in (theirs, ours)
    )
    got = f"{of_theirs} where this stream has {of_ours}"
    return got, next(filter(None, map(advice.get, names)), "")


def _difference(left: Any, right: Any) -> str | None:
    """Return what to say of two values of a parameter that are not the same; None: they are."""
    try:
        if _is_same(left, right):
            return None
    except UndecidedError as error:
        return (
            f"Nobody can tell whether the two functions do the same ({error}): take a function "
            "of a module, which travels by its name."
        )
    is_one_name = callable(left) and callable(right) and _show(left) == _show(right)
    return "The two functions differ in their code or in a value that it uses." * is_one_name


def _is_same(left: Any, right: Any) -> bool:
    """Whether two values of a parameter mean the same to a score, or raise `UndecidedError`."""
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
    return bool(left == right or (left != left and right != right))  # NaN is itself here


def _are_equal(left: Any, right: Any) -> bool:
    """Whether two values say that they are equal."""
    try:
        return bool(left == right)
    except Exception:  # an array of booleans, or the code of a caller
        return False


def _show(value: Any) -> str:
    """Return what a parameter looks like in a call: a function by its name."""
    return str(getattr(value, "__qualname__", None) or describe(value))


def whole_queries(batches: Iterable[Any], *, qid: Any, check_qid: bool = True) -> Iterator[Any]:
    """Cut batches of rows anew, between queries: the last query of each batch is carried over.

    What reads a file in batches of so many rows cuts queries in two, and each half would be scored
    as a query of its own. The batches that come out have whole queries only, and all rows in their
    order.

    Parameters
    ----------
    batches : iterable of tables
        Frames of pandas or polars, for which narwhals is needed, tables or record batches of
        pyarrow, or dicts of arrays: rows with the ids of their queries. The rows of a query are
        together. All batches have the columns of the first one, of the same types. Each is taken
        when it is needed.

    qid : str
        The name of the column that has the ids of the queries.

    check_qid : bool, default=True
        Whether an id that comes back after other queries is an error. While ids ascend, only the
        last one is kept for this, beside the first 65536; otherwise one id per query. If they
        ascend for longer than that and then cease to, that is an error, too. False is your word
        that every query comes once, its rows together: nothing is kept.

    Returns
    -------
    whole : iterator of tables
        Tables as they came: record batches as tables, and dicts as dicts of NumPy arrays. One has
        the rows of a batch, but for those of its last query, after the rows that were carried
        over.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here, or later, when a batch is read that is no table,
        has no column `qid` or not the columns of the first one, that lacks an id, or in which a
        query comes back. One error that is both, as in scikit-learn.

    See Also
    --------
    StreamingScore : The scores of data that comes in batches.
    ranking_scores.scale.score_parquet : Does all of this for Parquet files.

    Notes
    -----
    The time is linear in the number of rows, also if a query takes a thousand batches, whose rows
    are put together once. The memory is that of two batches and of the longest query. The rows
    that are carried over are copied, so a reader may fill the same arrays again and again. The
    others are not: use them before the next batch is taken, or copy them.

    A stream that gets these batches need not check their ids again: ``check_qid=False`` spares it
    one id per query. The other way round, if the ids ascend in each of several parts and not
    beyond them, pass ``check_qid=False`` here and leave it True in the stream, which finds a query
    that comes back by all ids.

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
    "If every query comes whole and once, check_qid=False says so; left True in StreamingScore, "
    "that finds a query that comes back by all ids."
)

hide_types(globals())
