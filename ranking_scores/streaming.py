"""Streams: the scores of this package on data that comes in batches or from several processes."""

from __future__ import annotations

import operator
import os
import threading
from collections.abc import Callable, Collection
from copy import copy
from pathlib import Path
from typing import Any, NoReturn
from uuid import uuid4

from numpy.typing import ArrayLike, NDArray

from ranking_scores._base._errors import invalid, list_some, visible, warn_caller
from ranking_scores._base._exact import clustered_error
from ranking_scores._base._ids import ids_as_objects
from ranking_scores._base._validation import (
    advise_on_keyword,
    advises_on_keywords,
    check_bool,
    describe,
)
from ranking_scores._files._saved_files import load, save
from ranking_scores._metrics._evaluate import ARRAY_PARAMETERS
from ranking_scores._metrics._sums_of_scores import (
    BoundScores,
    ScoreSums,
    SumsOfClusters,
    differences,
    sums_of_clusters,
)
from ranking_scores._tables._ranking_data import RankingData
from ranking_scores._tables._whole_queries import as_set, name_id, whole_queries
from ranking_scores.report._saved_streams import STREAM, content_of_stream, state_of_stream

__all__ = ["StreamingScore", "read_stream", "whole_queries"]


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
# Otherwise a process that is forked may find it locked. Windows has no fork.
getattr(os, "register_at_fork", dict)(after_in_child=getattr(_LOCK, "_at_fork_reinit"))  # noqa: B009


class StreamingScore:
    """Compute a score of data that comes in batches, without keeping the data.

    A stream keeps only a few numbers, and the ids of the queries unless ``check_qid=False``.
    `compute` returns bit-for-bit the same number as one call of the score on all the data. It
    does not depend on how the queries are split into batches, on their order, or on the order in
    which the streams of several processes are merged.

    Parameters
    ----------
    scores : callable, str, sequence of these or dict
        A score of this package, its name, such as "ndcg@10", or a `functools.partial` of a score.
        A list or a dict of these computes several scores, as `scores` of `ranking_report` does,
        and reads the data only once.

    check_qid : bool, default=True
        Whether to raise an error if an id in `qid` was in an earlier update, or if both sides of
        a merge have it. This check keeps one id per query. Pass False if you know that every
        query comes whole and only once. Then no ids are kept, nothing is checked, and a query
        whose rows come in two batches counts as two queries.

    unjudged : bool, default=False
        Whether to compute what unjudged items could do to each score, as in `ranking_report`. The
        attribute `unjudged` then has the means.

    **params
        The parameters of the scores, such as ``k=10``. If `y_true` is to hold class labels,
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

    greater_is_better : bool, ndarray of bool of shape (n_k,) or dict of str to bool
        Whether a higher mean is better, in the same form.

    standard_error : float, ndarray of float64 of shape (n_k,) or dict of str to float
        The standard error of the mean, in the same form. The notes define it. It does not tell
        which of two systems is better on the same queries.

    unjudged : dict of str to float, ndarray or dict
        With ``unjudged=True``, the keys are "judged", "low", "high" and "condensed", and each
        value is a mean in the same form, see `ranking_scores.RankingReport`. Otherwise empty.

    parts : tuple of str
        The names under which the queries seen were saved, such as the days of a week. Queries
        that were not saved yet have no name.

    Raises
    ------
    ValueError, TypeError
        If `scores` is not a score of this package, if it refuses `params`, if
        ``average=None``, or if `params` has a parameter with one value per row. The error is of
        both types, as in scikit-learn.

    See Also
    --------
    ranking_report : Computes several scores of data that is in memory.
    read_stream : Reads a stream that was saved.
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

    If the queries come in clusters C, the standard error counts their sums, for c clusters::

        sqrt(sum over C of (sum over q in C of w(q) * (v(q) - mean))**2 * c / (c - 1))
            / (sum over q of w(q))

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

    `merge` takes two functions for the same if they are equal, or if their module, their name,
    their defaults and the variables that they use of outer functions are equal. Lambdas and
    functions inside of functions must also have the same code, and other objects that are called
    the same state. All else is refused, and a function of a module is the cure. The code of these
    is not compared, nor are global variables, so all streams must find the same ones.

    Examples
    --------
    >>> from ranking_scores import StreamingScore, ndcg_score
    >>> ndcg = StreamingScore("ndcg@3")
    >>> ndcg.update([[0, 1, 2], [0, 0, 3]], [[0.1, 0.2, 0.3], [0.7, 0.7, 0.1]])
    >>> ndcg.update([[1, 0]], [[0.1, 0.2]])
    >>> ndcg
    <StreamingScore(ndcg_score, k=3): n_queries=3>
    >>> ndcg.compute()
    0.710...
    >>> ndcg.standard_error
    0.149...

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

    _totals: ScoreSums
    """The sums over the queries seen."""
    _ids: set[Any]
    """The ids of the queries seen."""
    _origins: set[int]
    """The ids of the streams that first took in the updates seen."""
    _clusters: SumsOfClusters
    """The sums over each cluster of queries, at each cutoff."""
    _parts: set[str]
    """The names under which queries seen were saved."""
    _is_saved: bool
    """Whether all queries seen were saved under these names."""

    @advises_on_keywords
    def __init__(
        self,
        scores: Callable[..., Any] | str | Collection[Any],
        *,
        check_qid: bool = True,
        unjudged: bool = False,
        **params: Any,
    ) -> None:
        function = "StreamingScore"
        self._check_qid = check_bool(check_qid, "check_qid", function)
        self._scores = BoundScores(scores, params, function, unjudged=unjudged)
        self.reset()

    @advises_on_keywords
    def update(
        self,
        y_true: ArrayLike | RankingData,
        y_score: ArrayLike | None = None,
        *,
        clusters: Any = None,
        **arrays: ArrayLike | None,
    ) -> None:
        """Add a batch of queries. If this raises an error, the stream is unchanged.

        Parameters
        ----------
        y_true : array-like or RankingData
            The labels of the batch, in any layout that the score takes, or what `from_tables` or
            `from_table` returned, which has the scores, too. A batch may be empty: 2-D arrays
            without rows, or 1-D arrays without rows if `qid` is given.

        y_score : array-like, default=None
            The scores of the batch. Leave it out if `y_true` is a `RankingData`.

        clusters : array-like or dict, default=None
            The cluster of each query, such as its user, topic or session, given as `by` of
            `ranking_report`. Queries of one cluster may depend on each other, which the standard
            errors then count in. It cannot be combined with `item_weight`. None: all queries are
            independent. A cluster may have queries in several batches. Pass clusters with every
            batch or with none.

        **arrays : array-like
            The other parameters with one value per row of the batch: `qid`, `sample_weight`,
            `item_weight` and `where`, as in the score. Pass `item_weight` with every batch or
            with none.

        Raises
        ------
        ValueError, TypeError
            If the score refuses the batch, if a query in `qid` or in the `RankingData` was in an
            earlier batch, or if another parameter is passed.
        """
        function = "StreamingScore.update"
        for name, value in arrays.items():
            if name not in ARRAY_PARAMETERS:
                expected = "passed to the constructor, since it does not have one value per row"
                advice = advise_on_keyword(name, ("k", "y_score", *ARRAY_PARAMETERS))
                owner = "any score" if advice else ""
                raise invalid(name, function, expected, describe(value), advice, owner=owner)
        ids = y_true.query_ids if isinstance(y_true, RankingData) else None
        evaluations = self._scores.evaluate(y_true, y_score, arrays, function, ids, clusters)
        if not evaluations.of_scores:
            return
        parameter = "qid" if ids is None else "y_true"
        of_batch = self._scores.sums_of(evaluations)
        with _LOCK:
            new = self._new_ids(evaluations.of_scores[0].ids if ids is None else ids, parameter)
            totals = self._totals + of_batch
            if totals.is_partly_weighed_by_items():
                was = "left out, as it was in earlier updates"
                is_given = of_batch.n_weighed_by_items > 0
                expected = was if is_given else "given, as it was in earlier updates"
                got = describe(arrays.get("item_weight"))
                raise invalid("item_weight", function, expected, got)
            # Only an empty stream takes an id. So every stream that holds an id holds its first
            # update, every stream that holds an update holds the ids of the stream that took it
            # in, and two streams share an id if and only if they share an update. A copy that is
            # updated further needs no id of its own. Neither a fork nor a seed repeats an id.
            origins = set() if self._origins else {uuid4().int}
            of_clusters = sums_of_clusters(evaluations.of_scores)
            if self._is_partly_clustered(of_clusters):
                was = "left out, as it was in earlier updates"
                expected = was if of_clusters else "given, as it was in earlier updates"
                raise invalid("clusters", function, expected, describe(clusters))
            self._is_saved = False
            self._add(totals, new, origins, self._joined(of_clusters), set())

    def _is_partly_clustered(self, of_clusters: SumsOfClusters) -> bool:
        """Return whether the queries seen have clusters, and others have none, or vice versa."""
        return self.n_queries > 0 and bool(self._clusters) != bool(of_clusters)

    def _joined(self, of_clusters: SumsOfClusters) -> SumsOfClusters:
        """Return the sums of some clusters, together with those of their queries seen."""
        return {
            name: tuple(map(operator.add, self._clusters[name], sums))
            if name in self._clusters
            else sums
            for name, sums in of_clusters.items()
        }

    def _add(
        self,
        totals: ScoreSums,
        ids: set[Any],
        origins: set[int],
        clusters: SumsOfClusters,
        parts: set[str],
    ) -> None:
        """Take new totals, more ids and new sums of clusters. The caller holds the lock."""
        # All of it or nothing: a set makes room for new elements before it takes the first, and
        # Python lets Ctrl-C in at calls only, of which there is none between these lines.
        self._clusters |= clusters
        self._ids |= ids
        self._origins |= origins
        self._parts |= parts
        self._totals = totals

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

        Warns
        -----
        UserWarning
            If both streams have one of the `parts`, so that the same queries may count twice.
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
        got, advice = differences(self._settings(), other._settings())
        if got:
            expected = "a stream of the same score and parameters"
            raise invalid("other", function, expected, got, advice)
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
            if other.n_queries and self._is_partly_clustered(other._clusters):
                expected = "a stream with clusters if and only if this stream has them"
                got = f"one {'with' if other._clusters else 'without'} them"
                raise invalid("other", function, expected, got)
            of_clusters, twice = self._joined(other._clusters), self._parts & other._parts
            self._is_saved &= other._is_saved
            self._add(totals, other._ids, other._origins, of_clusters, other._parts)
        if twice:
            which = f"part{'s' if len(twice) > 1 else ''} {list_some(sorted(twice))}"
            warn_caller(
                f"{function}: both streams have the {which}. If these are the same queries, "
                "scored twice, they count twice.",
                UserWarning,
            )

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
        return self._scores.in_form(self._scores.means(totals))

    def reset(self) -> None:
        """Forget all queries and their ids. Later updates can be merged again."""
        with _LOCK:
            self._totals, self._ids, self._origins = self._scores.nothing, set(), set()
            self._clusters, self._parts, self._is_saved = {}, set(), True

    @property
    def n_queries(self) -> int:
        """The number of queries seen."""
        return self._totals.n_queries

    @property
    def n_undefined(self) -> Any:
        """The number of queries seen on which the metric is undefined, at each cutoff."""
        return self._scores.in_form([each.n_undefined for each in self._totals.at_cutoff])

    @property
    def greater_is_better(self) -> Any:
        """Whether a higher mean is better, at each cutoff."""
        return self._scores.in_form(self._scores.are_gains)

    @property
    def standard_error(self) -> Any:
        """The standard error of the mean, at each cutoff. NaN for fewer than two queries.

        It does not tell which of two systems is better on the same queries. To compare systems,
        compute the values per query with ``average=None``, and use `scipy.stats.ttest_rel`.
        """
        with _LOCK:
            at_cutoff, clusters = self._totals.at_cutoff, list(self._clusters.values())
        errors = [each.standard_error() for each in at_cutoff]
        if clusters:
            errors = [
                clustered_error(sums, each.sums.mean())
                for each, sums in zip(at_cutoff, zip(*clusters, strict=True), strict=True)
            ]
        return self._scores.in_form(errors)

    @property
    def unjudged(self) -> dict[str, Any]:
        """What unjudged items could do to each score. Empty without ``unjudged=True``."""
        means = self._totals.means_beside()
        return {name: self._scores.in_form(values) for name, values in means.items()}

    @property
    def parts(self) -> tuple[str, ...]:
        """The names under which the queries seen were saved."""
        return tuple(sorted(self._parts))

    def to_json(
        self, path: str | os.PathLike[str] | None = None, *, name: str | None = None
    ) -> str | None:
        """Save the stream as JSON, from which `read_stream` makes an equal stream.

        The file has the exact sums and the ids of the queries, so streams that were read can be
        merged and updated as before. Equal streams have the same bytes.

        Parameters
        ----------
        path : path, default=None
            A file to write, whose name ends in ".json" or ".json.gz". If the call raises, a file
            that was there stays as it was. None returns the text.

        name : str, default=None
            The name of the queries that were not saved before, such as the date of a day. It
            becomes one of the `parts`. None is the name of the file without its ending.

        Returns
        -------
        text : str or None
            The text, if there is no `path`.

        Raises
        ------
        ValueError, TypeError
            If a parameter is not as described here, if all queries have names already, or if an
            id, a cluster or an option is an object of a type that JSON cannot hold. The error is
            of both types, as in scikit-learn.

        Notes
        -----
        Of an option that is a function of your own, such as a `gain`, the file has only the name.
        Such a stream can be merged and computed. To score more queries, merge it into a stream
        that has the function.
        """
        function = "StreamingScore.to_json"
        if name is not None and (not isinstance(name, str) or not name):
            raise invalid("name", function, "None or a text", describe(name))
        stream = copy(self)  # which other threads do not change
        if stream._is_saved and name is not None:
            of_parts = f": {', '.join(stream.parts)}" if stream._parts else ""
            expected = f"None, since no query lacks a name{of_parts}"
            raise invalid("name", function, expected, describe(name))
        parts = set(stream._parts)
        if not stream._is_saved and (name is not None or path is not None):
            parts.add(name or Path(os.fspath(path or "")).name.partition(".json")[0])
        is_saved = stream._is_saved or len(parts) > len(stream._parts)
        content = content_of_stream(vars(stream) | {"_parts": parts, "_is_saved": is_saved})
        return save(STREAM, content, path, function)

    def __repr__(self) -> str:
        check = "" if self._check_qid else ", check_qid=False"
        check += ", unjudged=True" if self._scores.highest_grade is not None else ""
        parts = f", parts={list_some(self.parts)}" if self._parts else ""
        text = f"<StreamingScore({self._scores}{check}): n_queries={self.n_queries}{parts}>"
        return visible(text)

    def __copy__(self) -> StreamingScore:
        copied = object.__new__(type(self))
        with _LOCK:
            vars(copied).update(vars(self))
            copied._ids = set(self._ids)
            copied._origins = set(self._origins)
            copied._clusters = dict(self._clusters)
            copied._parts = set(self._parts)
        return copied

    def __getstate__(self) -> dict[str, Any]:
        return vars(copy(self))

    def __deepcopy__(self, memo: dict[int, Any]) -> StreamingScore:
        return copy(self)  # apart from ids and clusters, nothing in it is changed in place

    def _query_values(self, names: Any, parameter: str, function: str) -> NoReturn:
        """Raise the error about the values of queries, which a stream does not keep."""
        got, advice = "a StreamingScore", "It keeps only sums. Use `ranking_report`."
        raise invalid(parameter, function, "one score per query", got, advice)

    def _settings(self) -> dict[str, Any]:
        """Return the settings that two streams must share to be merged."""
        return {"check_qid": self._check_qid} | self._scores.settings()

    def _new_ids(self, ids: NDArray[Any] | None, parameter: str) -> set[Any]:
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
            if parameter != "qid":
                expected = "RankingData of queries that are new to the stream"
            raise invalid(parameter, "StreamingScore.update", expected, got, _WHOLE_IN_UPDATE)
        return new


def read_stream(path: str | os.PathLike[str]) -> StreamingScore:
    """Read a stream that `StreamingScore.to_json` has saved.

    Parameters
    ----------
    path : path
        The path of the file, which may be compressed.

    Returns
    -------
    stream : StreamingScore
        The stream, with all digits of its sums, and with the ids of its queries. It can be merged
        and updated, except that a stream with a function of yours can be updated only after it is
        merged into one that has the function.

    Raises
    ------
    ValueError, TypeError
        If the file is no saved stream, if it was cut or edited, or if a newer release wrote it.
        The error is of both types, as in scikit-learn.
    OSError
        If the file cannot be read.

    See Also
    --------
    StreamingScore.to_json : Saves a stream.

    Notes
    -----
    Reading runs no code that the file has. The digest in the file finds damage, not forgery, since
    anyone can compute it. So all content is checked, too: the file of somebody else may have other
    sums, but only those that some queries have.

    Examples
    --------
    A week is the merge of its days:

    >>> from tempfile import TemporaryDirectory
    >>> from ranking_scores import StreamingScore
    >>> from ranking_scores.streaming import read_stream
    >>> days = {"monday": [[0.3, 0.2, 0.1]], "tuesday": [[0.1, 0.3, 0.2], [0.2, 0.1, 0.3]]}
    >>> with TemporaryDirectory() as folder:
    ...     for day, y_score in days.items():
    ...         stream = StreamingScore("ndcg@3")
    ...         stream.update([[0, 1, 0]] * len(y_score), y_score)
    ...         stream.to_json(f"{folder}/{day}.json")
    ...     week = sum(read_stream(f"{folder}/{day}.json") for day in days)
    >>> week
    <StreamingScore(ndcg_score, k=3): n_queries=3, parts=monday, tuesday>
    >>> week.compute()
    0.710...
    """
    return load(STREAM, path, _stream_of, "read_stream")


def _stream_of(content: dict[str, Any]) -> StreamingScore:
    """Return the stream in a file."""
    stream = object.__new__(StreamingScore)
    vars(stream).update(state_of_stream(content))
    return stream
