"""Scores of Dask DataFrames: Dask brings queries together, and streams score them.

Only the streams come back from the workers, and each takes a few kB. Dask's shuffles lose the
order of rows. The order of tied items can change the last bit of a sum, or with
``ignore_ties=True`` the score. So rows are shuffled in packs, within which they keep their order.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from decimal import Decimal
from importlib import import_module
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base import (
    UnusableError,
    check_bool,
    describe,
    factorize,
    import_extra,
    invalid,
    start_runs,
)
from ranking_scores._scale._shard_tables import ShardTables, TablesSeen
from ranking_scores._scale._shards import Names, ShardScore, by_parameter
from ranking_scores._tables import (
    Column,
    ColumnNames,
    Queries,
    alike,
    as_datetime64,
    as_timedelta64,
    check_names,
    check_no_null,
    names_of_columns,
    read_ids,
    show_id,
)

_ADDED_AT_ONCE = 8
"""The number of parts that one task adds."""

Items = tuple[frozenset[Any], frozenset[Any]]
"""The ids of items that are judged, and of those that are predicted."""


def score_dask(
    frame: Any,
    score_func: Any,
    *,
    y_true: Any,
    y_score: Any,
    qid: Any,
    sample_weight: Any = None,
    item_weight: Any = None,
    compute: bool = True,
    **params: Any,
) -> Any:
    """Score a Dask DataFrame, whose partitions may cut queries.

    The result equals that of one call on all rows, to the last bit. Dask shuffles the rows by
    query, the workers score whole queries, and only a few sums come back.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
        One row per item, with the id of its query, in any order. Only the columns named here are
        read.

    score_func : callable, str, sequence of these or dict
        A score of this package, its name, such as "ndcg@10", or a `functools.partial` of a score.
        A list or a dict of these computes several scores, as `scores` of `ranking_report` does,
        and reads the data only once.

    y_true : column name
        The column of labels.

    y_score : column name
        The column of scores. The highest score is ranked first.

    qid : column name
        The column with the id of the query of each row: numbers, text, dates, categories or other
        ids that sort. It may also be the name of the index. If Dask knows the divisions of the
        index, nothing is shuffled, unless they are categories.

    sample_weight : column name, default=None
        The column with the weight of the query, the same in all rows of a query.

    item_weight : column name, default=None
        The column of the weights of items, for scores that take them.

    compute : bool, default=True
        Whether to compute the score now. If False, return a `dask.delayed.Delayed`, which can be
        computed together with others, and more than once. Make it while the client that will
        compute it is the default one, because Dask chooses how to shuffle when it is made.

    **params
        The parameters of `score_func`, such as ``k=10``. Of several scores, each gets the
        parameters that it has. Functions may be lambdas.

    Returns
    -------
    score : float, ndarray of float64 of shape (n_k,), dict of str to float or Delayed
        The result of one call of the score. With several scores a dict, by the names of the
        results, such as "ndcg@10".

    Raises
    ------
    ValueError, TypeError
        If `frame` is not a Dask DataFrame, if a column does not exist or has a missing value, if
        the divisions of the index are wrong, or if the score refuses the data. One error that is
        both, as in scikit-learn.
    ImportError
        If Dask is not installed. It is in the extra ``dask``.

    Warns
    -----
    sklearn.exceptions.UndefinedMetricWarning
        If the mean is NaN, as the score itself warns. A `Delayed` warns when it is computed.

    See Also
    --------
    score_each_dask : The values of single queries.
    score_tables_dask : Judgments and predictions as two DataFrames.
    ranking_scores.StreamingScore : The streams of the workers.

    Notes
    -----
    A query must fit in the memory of one worker, because all its rows go to one worker. The rows
    of a query keep their order, which decides between tied items if ``ignore_ties=True``.

    Parquet files that are sorted by query need no shuffle. Call ``dask.dataframe.read_parquet``
    with the column as ``index=`` and with ``calculate_divisions=True``. If a query begins at the
    end of one partition and goes on in the next, its rows are put together.

    A task may run twice, or be lost with its worker and run again. One result of each task goes
    into the sum, and no task changes its inputs.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import pandas as pd
    >>> from ranking_scores import ndcg_score
    >>> from ranking_scores.scale import score_dask
    >>> data = pd.DataFrame(
    ...     {
    ...         "user": ["ann", "bob", "ann", "bob", "ann"],
    ...         "stars": [2, 0, 0, 1, 1],
    ...         "score": [0.3, 0.2, 0.9, 0.2, 0.3],
    ...     }
    ... )
    >>> frame = dd.from_pandas(data, npartitions=2)
    >>> score_dask(frame, ndcg_score, y_true="stars", y_score="score", qid="user", k=[1, 3])
    array([0.25      , 0.73012695])
    >>> ndcg_score(data["stars"], data["score"], qid=data["user"], k=[1, 3])
    array([0.25      , 0.73012695])

    Several scores, later:

    >>> later = score_dask(
    ...     frame, ["ndcg@3", "mrr"], y_true="stars", y_score="score", qid="user", compute=False
    ... )
    >>> later.compute()
    {'ndcg@3': 0.73..., 'mrr': 0.62...}
    """
    function = "score_dask"
    compute = check_bool(compute, "compute", function)
    columns = by_parameter(y_true, y_score, qid, sample_weight, item_weight)
    shard = _check(frame, score_func, params, columns, function)
    delayed = import_extra("dask", "dask", function).delayed
    in_tasks = delayed(shard, traverse=False)
    seen = [delayed(_seen_in)(part, in_tasks) for part in _whole_queries(frame, shard)]
    total = _added(seen, in_tasks, _add_states)
    # The last step is taken here, so that its warnings are seen here.
    if compute:
        return _result_of(total.compute(), shard)
    return delayed(_result_of)(total, in_tasks)


def score_each_dask(
    frame: Any,
    score_func: Any,
    *,
    y_true: Any,
    y_score: Any,
    qid: Any,
    sample_weight: Any = None,
    item_weight: Any = None,
    **params: Any,
) -> Any:
    """Score each query of a Dask DataFrame, and return the values as another DataFrame.

    The values equal those that the score returns with ``average=None``, to the last bit.

    Parameters
    ----------
    frame : dask.dataframe.DataFrame
        One row per item, with the id of its query, in any order. Only the columns named here are
        read.

    score_func : callable, str, sequence of these or dict
        A score of this package, its name, such as "ndcg@10", or a `functools.partial` of a score.
        A list or a dict of these computes several scores, as `scores` of `ranking_report` does,
        and reads the data only once.

    y_true : column name
        The column of labels.

    y_score : column name
        The column of scores. The highest score is ranked first.

    qid : column name
        The column with the id of the query of each row: numbers, text, dates, categories or other
        ids that sort. It may also be the name of the index. If Dask knows the divisions of the
        index, nothing is shuffled, unless they are categories.

    sample_weight : column name, default=None
        The column with the weight of the query, the same in all rows of a query.

    item_weight : column name, default=None
        The column of the weights of items, for scores that take them.

    **params
        The parameters of `score_func`, such as ``k=10``. Of several scores, each gets the
        parameters that it has. Functions may be lambdas.

    Returns
    -------
    values : dask.dataframe.DataFrame
        One row per query, in any order. The column of the id has the name that it has in `frame`.
        Each score and cutoff has a column, such as "ndcg@10". A query on which a metric is
        undefined has the value of `replace_undefined_by`.

    Raises
    ------
    ValueError, TypeError
        As in `score_dask`, and if the column of ids has the name of a result. Errors about values
        in the columns come when the result is computed.
    ImportError
        If Dask is not installed. It is in the extra ``dask``.

    See Also
    --------
    score_dask : The mean over all queries.
    ranking_scores.significance.compare : Compares two systems by such values.

    Notes
    -----
    Make the result while the client that will compute it is the default one, because Dask chooses
    how to shuffle when it is made. The weights of queries change no value. Those of items do.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import pandas as pd
    >>> from ranking_scores.scale import score_each_dask
    >>> data = pd.DataFrame(
    ...     {
    ...         "user": ["ann", "bob", "ann", "bob", "ann"],
    ...         "stars": [2, 0, 0, 1, 1],
    ...         "score": [0.3, 0.2, 0.9, 0.2, 0.3],
    ...     }
    ... )
    >>> frame = dd.from_pandas(data, npartitions=2)
    >>> values = score_each_dask(
    ...     frame, ["ndcg@1", "mrr"], y_true="stars", y_score="score", qid="user"
    ... )
    >>> values.compute().sort_values("user").set_index("user")
          ndcg@1   mrr
    user
    ann      0.0  0.50
    bob      0.5  0.75
    """
    function = "score_each_dask"
    columns = by_parameter(y_true, y_score, qid, sample_weight, item_weight)
    shard = _check(frame, score_func, params, columns, function)
    shard.check_results()
    dask = import_extra("dask", "dask", function)
    in_tasks = dask.delayed(shard, traverse=False)
    parts = _whole_queries(frame, shard)
    meta = _values_of(_chosen(frame._meta, _names_of(shard)), shard)
    has_categories = str(meta.dtypes.iloc[0]) == "category"
    return import_module("dask.dataframe").from_delayed(
        [dask.delayed(_values_of)(part, in_tasks, has_categories) for part in parts],
        meta=meta,
        prefix=function,
        verify_meta=False,
    )


def score_tables_dask(
    judgments: Any,
    predictions: Any,
    score_func: Any,
    *,
    query: Any,
    item: Any,
    label: Any = None,
    score: Any = None,
    rank: Any = None,
    queries: Queries = "judged",
    **params: Any,
) -> Any:
    """Join judgments and predictions, which are two Dask DataFrames, and score them.

    The result equals that of `from_tables` and one call of the score on all rows, to the last bit.
    An item that was judged but not predicted has no rank. It counts in the ideal and among the
    items to be found.

    Parameters
    ----------
    judgments : dask.dataframe.DataFrame
        The judgments: one row per query and judged item.

    predictions : dask.dataframe.DataFrame
        The predictions: one row per query and predicted item.

    score_func : callable, str, sequence of these or dict
        A score of this package, its name, such as "ndcg@10", or a `functools.partial` of a score.
        A list or a dict of these computes several scores, as `scores` of `ranking_report` does,
        and reads the data only once.

    query : column name, or pair of them
        The column of query ids, such as users. A pair if the tables have different names for it:
        first that of `judgments`, then that of `predictions`. Ids may be text, numbers, dates or
        other objects that hash, also as categories. They must be of the same kind in both tables:
        "1" is not 1, and dates with a time zone are not dates without one. A name that is itself a
        tuple, as of a frame with several levels of columns, goes into a pair, too.

    item : column name, or pair of them
        The column of item ids, as for `query`. An item is in each table once for a query.

    label : column name, default=None
        The column of `judgments` that says how relevant an item is. None: each row of `judgments`
        is a relevant item, with the label 1.

    score : column name, default=None
        The column of `predictions` that ranks items, the highest first. Finite numbers.

    rank : column name, default=None
        The column of `predictions` that has the ranks of items, if there is no `score`. Whole
        numbers from 1 on; equal ones tie. Ranks that are left out stay free: see the notes.

    queries : {"judged", "both", "all", "equal"}, default="judged"
        Which queries the result has. "judged": those with a row in `judgments`; if they have none
        in `predictions`, nothing was predicted for them. "both": those with a row in both tables.
        "all": those with a row in either; if they have none in `judgments`, nothing is relevant
        to them. "equal": both tables must have the same queries.

    **params
        The parameters of `score_func`, such as ``k=10``. Of several scores, each gets the
        parameters that it has. Functions may be lambdas.

    Returns
    -------
    score : float, ndarray of float64 of shape (n_k,) or dict of str to float
        The result of one call of the score. With several scores a dict, by the names of the
        results, such as "ndcg@10".

    Raises
    ------
    ValueError, TypeError
        If a table is not a Dask DataFrame, or if `from_tables` or the score raises. One error that
        is both, as in scikit-learn.
    ImportError
        If Dask is not installed. It is in the extra ``dask``.

    Warns
    -----
    UserWarning
        If none of the items that were judged is among those that were predicted.

    See Also
    --------
    ranking_scores.tables.from_tables : The same for tables that fit in memory.
    score_dask : One DataFrame that has labels and scores in each row.

    Notes
    -----
    Both tables are shuffled by a number that is made from the id of the query. Equal ids have
    equal numbers, such as 1 in a column of ints and 1.0 in a column of floats, or text and a
    category. So all rows of a query meet in one task.

    Free ranks are limited as in `from_tables`. A task may always have 2**23 of them, however few
    rows it has.

    If no task finds an item that was both judged and predicted, the tables are read and shuffled
    again, to look for one in all of the data. If there is none, this warns.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import pandas as pd
    >>> from ranking_scores.scale import score_tables_dask
    >>> judgments = pd.DataFrame(
    ...     {
    ...         "user": ["ann", "ann", "ann", "bob"],
    ...         "film": ["Alien", "Brazil", "Casino", "Alien"],
    ...         "stars": [5, 3, 0, 4],
    ...     }
    ... )
    >>> predictions = pd.DataFrame(
    ...     {
    ...         "user": ["ann", "ann", "bob", "bob"],
    ...         "film": ["Alien", "Casino", "Brazil", "Alien"],
    ...         "score": [0.9, 0.2, 0.7, 0.7],
    ...     }
    ... )
    >>> score_tables_dask(
    ...     dd.from_pandas(judgments, npartitions=2),
    ...     dd.from_pandas(predictions, npartitions=3),
    ...     "map",
    ...     query="user",
    ...     item="film",
    ...     label="stars",
    ...     score="score",
    ... )
    0.625
    """
    function = "score_tables_dask"
    delayed = import_extra("dask", "dask", function).delayed
    names = names_of_columns(function, query, item, label, score, rank)
    shard = ShardTables(score_func, params, names, function, queries)
    tables = {"judgments": judgments, "predictions": predictions}
    for (parameter, frame), of_frame in zip(tables.items(), names, strict=True):
        _check_frame(frame, parameter, function)
        given = {keyword: name for keyword, name in of_frame.items() if name is not None}
        check_names(given, _names_in(frame, of_frame["query"]), parameter, function)
    _check_kinds(judgments, predictions, names, function)
    n_parts = max(judgments.npartitions, predictions.npartitions)
    judged, predicted = (
        _shuffled(
            frame,
            list(dict.fromkeys(name for name in of_frame.values() if name is not None)),
            _Ids(of_frame["query"], Names(function, parameter)),
            n_parts,
        )
        for (parameter, frame), of_frame in zip(tables.items(), names, strict=True)
    )
    in_tasks = delayed(shard, traverse=False)
    parts = list(zip(judged, predicted, strict=True))
    each = [delayed(_seen_in_tables)(*part, in_tasks) for part in parts]
    state, seen = _added(each, in_tasks, _add_seen).compute()
    shard.check(seen)
    has_found = seen.has_found
    if seen.n_rows and not has_found:  # in one part, so an item may be in two
        items = [delayed(_items_in_tables)(*part, in_tasks) for part in parts]
        of_judgments, of_predictions = _added(items, in_tasks, _add_items).compute()
        has_found = not of_judgments.isdisjoint(of_predictions)
    return shard.compute(shard.score.with_state(state), seen, has_found)


def _check(
    frame: Any, score_func: Any, params: dict[str, Any], columns: dict[str, Any], function: str
) -> ShardScore:
    """Return the scores, checked, and their columns, which the frame must have."""
    _check_frame(frame, "frame", function)
    shard = ShardScore(score_func, params, columns, Names(function, "frame"))
    qid = columns["qid"]
    if qid is None:
        raise invalid("qid", function, "the name of a column, or of the index", "None")
    shard.check_columns(_names_in(frame, qid))
    return shard


def _check_frame(frame: Any, parameter: str, function: str) -> None:
    """Raise unless a table is a frame of Dask."""
    dataframe = import_extra("dask.dataframe", "dask", function)
    if not isinstance(frame, dataframe.DataFrame):
        advice = "`dask.dataframe.from_pandas` makes one of a frame of pandas."
        raise invalid(parameter, function, "a Dask DataFrame", describe(frame), advice)


def _names_in(frame: Any, of_index: Any) -> list[Any]:
    """Return the names of the columns of a frame, and that of the index if it is asked for."""
    names = list(frame.columns)
    return names if of_index in names or frame.index.name != of_index else [*names, of_index]


def _check_kinds(judgments: Any, predictions: Any, names: ColumnNames, function: str) -> None:
    """Raise if the ids of two frames can never be equal, as far as their dtypes tell."""
    for keyword in ("query", "item"):
        columns = [
            Column(
                _chosen(frame._meta_nonempty, [of_frame[keyword]]).iloc[:, 0].dropna(),
                of_frame[keyword],
                parameter,
                function,
            )
            for parameter, frame, of_frame in (
                ("judgments", judgments, names.judged),
                ("predictions", predictions, names.predicted),
            )
        ]
        if not any(str(column.values.dtype) in ("object", "category") for column in columns):
            alike(columns[0], columns[1], read_ids(columns[0]), read_ids(columns[1]))


def _names_of(shard: ShardScore) -> list[Any]:
    """Return the names of the columns that are read, each once."""
    return list(dict.fromkeys(shard.columns.values()))


# --- partitions with whole queries ------------------------------------------------------------


def _whole_queries(frame: Any, shard: ShardScore) -> list[Any]:
    """Return tables in which no query is cut, each of them delayed."""
    qid, names = shard.columns["qid"], _names_of(shard)
    # Divisions that are categories are in the order of these, which partitions need not share.
    is_coded = str(frame.index.dtype) == "category"
    if qid not in list(frame.columns) and frame.known_divisions and not is_coded:
        # Dask may read several partitions as one where few columns are left.
        sorted_frame = frame[[name for name in names if name != qid]].optimize()
        if sorted_frame.known_divisions:
            return _mended(sorted_frame, names, shard)
    column = _Ids(qid, shard.names)
    return _shuffled(frame, names, column, frame.npartitions)


class _Ids(NamedTuple):
    """A column of ids of queries, for errors about it."""

    name: Any
    names: Names

    def of(self, values: Any) -> Column:
        """Return the column with the values of a partition, none of which is missing."""
        column = Column(values, self.name, self.names.parameter, self.names.function)
        check_no_null(column)
        return column


def _shuffled(frame: Any, names: list[Any], ids: _Ids, n_parts: int) -> list[Any]:
    """Return columns of a frame as delayed tables, with all rows of a query in one.

    Two frames whose ids are equal have a query in tables of the same number, whatever types their
    columns have, if they are to have the same number of tables.
    """
    delayed = import_module("dask").delayed
    packs = frame.map_partitions(
        _packs_of_part, names, ids, n_parts, meta=_frame_of_packs([], 0, []), clear_divisions=True
    )
    parts = packs.shuffle(on="group", npartitions=n_parts).to_delayed()
    empty = _chosen(frame._meta, names)
    return [delayed(_unpacked)(part, empty) for part in parts]


def _chosen(part: Any, names: list[Any]) -> Any:
    """Return columns of a partition, one of which may be its index."""
    return (part if set(names) <= set(part.columns) else part.reset_index())[names]


def _packs_of_part(
    part: Any, names: list[Any], ids: _Ids, n_parts: int, partition_info: dict[str, Any]
) -> Any:
    """Return the rows of a partition in packs, one for each table that rows go to.

    So the engine moves some packs instead of many rows, and the order of the rows needs no column.
    """
    chosen = _chosen(part, names)
    place = names.index(ids.name)
    group = import_module("pandas").util.hash_array(_keys_of(chosen, place, ids)) % n_parts
    # NumPy sorts such short ints in linear time.
    group = group.astype(np.uint16 if n_parts <= 2**16 else np.int64)
    order = np.argsort(group, kind="stable")
    start = np.flatnonzero(start_runs(group[order]))
    columns = [_values_in(chosen.iloc[:, number]) for number in range(len(names))]
    packs = [_pack(columns, rows) for rows in np.split(order, start[1:]) if rows.size]
    labels = _labels(n_parts)[group[order[start]]]
    return _frame_of_packs(labels, partition_info["number"], packs)


def _values_in(series: Any) -> Any:
    """Return the values of a column: an array of NumPy, or one of pandas."""
    return series.to_numpy() if isinstance(series.dtype, np.dtype) else series.array


def _pack(columns: list[Any], rows: NDArray[np.intp]) -> bytes:
    """Return some rows as bytes, with no more categories than they have."""
    taken = [values.take(rows) for values in columns]
    taken = [
        each.remove_unused_categories() if str(each.dtype) == "category" else each
        for each in taken
    ]
    return pickle.dumps(taken, protocol=5)


def _frame_of_packs(labels: Any, number: int, packs: list[bytes]) -> Any:
    """Return the packs of a partition as the rows of a frame."""
    pandas, arrow = import_module("pandas"), import_module("pyarrow")
    rows = pandas.array(packs, dtype=pandas.ArrowDtype(arrow.large_binary()))
    labels = np.asarray(labels, np.float64)
    return pandas.DataFrame({"group": labels, "place": np.int64(number), "rows": rows})


def _labels(n_parts: int) -> NDArray[np.float64]:
    """Return a number for each table, which Dask's shuffle takes there.

    If it took them elsewhere, some tables would be empty, and others have more rows.
    """
    pandas = import_module("pandas")
    labels = np.arange(32.0 * n_parts)  # Dask makes floats of ints
    hashes = pandas.util.hash_pandas_object(pandas.DataFrame({"group": labels}), index=False)
    _, first = np.unique(hashes.to_numpy() % n_parts, return_index=True)
    return np.resize(labels[first], n_parts)


def _unpacked(part: Any, empty: Any) -> Any:
    """Return the rows of some packs as they are in the data."""
    pandas = import_module("pandas")
    packs = [pickle.loads(pack) for pack in part.sort_values("place")["rows"]]
    if not packs:
        return empty
    columns = [
        pandas.concat(list(map(pandas.Series, column)), ignore_index=True)
        for column in zip(*packs, strict=True)
    ]
    rows = pandas.concat(columns, axis="columns")
    return rows.set_axis(empty.columns, axis="columns")


def _keys_of(part: Any, place: int, ids: _Ids) -> NDArray[np.float64]:
    """Return a number for each row, which is the same for the same ids in any column."""
    values = part.iloc[:, place]
    column = ids.of(values)
    if values.dtype.kind in "biuf":
        numbers: NDArray[np.float64] = values.to_numpy(dtype=np.float64)
        return numbers + 0.0  # -0.0 is 0.0
    try:
        # As an array, since pandas before 3 does not tell all text apart.
        is_coded = str(values.dtype) == "category"
        code, unique = factorize(values if is_coded else np.asarray(values))
    except UnusableError as error:
        raise column.invalid("ids that can be told apart", str(error)) from error
    return _keys_of_ids(unique)[code]


def _keys_of_ids(ids: NDArray[Any]) -> NDArray[np.float64]:
    """Return a number for each id."""
    if ids.dtype.kind in "biuf":
        return ids.astype(np.float64) + 0.0
    if ids.dtype.kind in "mM":
        unit = ids.dtype.kind + "8[s]"
        return ids.astype(unit).astype(np.int64).astype(np.float64)
    return np.array(list(map(_key_of_object, ids.tolist())), dtype=np.float64)


def _key_of_object(value: Any) -> float:
    """Return a number that is the same for equal ids, in any process. Other ids may have it, too.

    Python's own `hash` of text changes from process to process.
    """
    if isinstance(value, (str, bytes)):
        return crc32(value.encode(errors="surrogatepass") if isinstance(value, str) else value)
    if isinstance(value, (bool, np.bool_, int, np.integer, float, np.floating, Decimal)):
        is_huge = bool(abs(value) > _HUGE)  # of ints, which float does not take
        return 0.0 if is_huge else float(value) + 0.0
    if isinstance(value, date):
        return float(_keys_of_ids(np.array([as_datetime64(value)]))[0])
    if isinstance(value, timedelta):
        return float(_keys_of_ids(np.array([as_timedelta64(value)]))[0])
    return 0.0


_HUGE: Any = 10**300


class _Bounds(NamedTuple):
    """Between which ids a partition of a sorted frame is."""

    low: Any
    high: Any
    is_last: bool


def _mended(frame: Any, names: list[Any], shard: ShardScore) -> list[Any]:
    """Return the partitions of a frame that is sorted by query, each with whole queries.

    The rows of the id with which the next partition begins move to it. There should be none, but
    divisions that Dask takes from the statistics of Parquet files cut queries.
    """
    delayed = import_module("dask").delayed
    ids = _Ids(shard.columns["qid"], shard.names)
    parts, edges, before, mended = (
        frame.to_delayed(optimize_graph=False),
        frame.divisions,
        None,
        [],
    )
    for number, part in enumerate(parts):
        bounds = _Bounds(edges[number], edges[number + 1], number + 1 == len(parts))
        mended.append(delayed(_mended_part)(part, before, bounds, names, ids))
        before = delayed(_rest_of)(part, before if bounds.low == bounds.high else None, bounds)
    return mended


def _mended_part(part: Any, before: Any, bounds: _Bounds, names: list[Any], ids: _Ids) -> Any:
    """Return the rows that the last partition left over and those of a partition.

    The rows that belong to the next partition are not among them.
    """
    column = ids.of(part.index)
    is_outside = np.asarray((column.values < bounds.low) | (column.values > bounds.high), bool)
    if is_outside.any():
        expected = f"a frame of which each partition is between its divisions in {ids.name!r}"
        first, low, high = map(show_id, (column.values[is_outside][0], bounds.low, bounds.high))
        got = f"{first} between {low} and {high}"
        advice = "Pass `frame.clear_divisions()`, whose rows are shuffled."
        raise invalid(ids.names.parameter, ids.names.function, expected, got, advice)
    part = _behind(before, part)
    if not bounds.is_last:
        part = part[np.asarray(part.index != bounds.high, dtype=bool)]
    return part.reset_index()[names]


def _rest_of(part: Any, before: Any, bounds: _Bounds) -> Any:
    """Return the rows of a partition that belong to the next one."""
    part = _behind(before, part)
    return part[np.asarray(part.index == bounds.high, dtype=bool)]


def _behind(before: Any, part: Any) -> Any:
    """Return rows that may be None before the rows of a partition."""
    return (
        part
        if before is None or not len(before)
        else import_module("pandas").concat([before, part])
    )


# --- what is done to them -----------------------------------------------------------------------


def _seen_in(part: Any, shard: ShardScore) -> Any:
    """Return what a stream has seen that has seen a part."""
    return shard.state_of(shard.totals_of(part))


def _add_states(states: Sequence[Any], shard: ShardScore) -> Any:
    """Return what a stream has seen that has seen several parts."""
    return shard.state_of(sum(map(shard.with_state, states), shard.empty))


def _result_of(state: Any, shard: ShardScore) -> Any:
    """Return the score of all parts."""
    return shard.result_of(shard.with_state(state))


def _values_of(part: Any, shard: ShardScore, has_categories: bool = False) -> Any:
    """Return the values of each query of a part, as a frame of pandas.

    A shuffle by the disk loses categories that Dask does not know, so ids are made some again.
    """
    values = import_module("pandas").DataFrame(shard.values_of(part)).reset_index(drop=True)
    return values.astype({shard.columns["qid"]: "category"}) if has_categories else values


def _seen_in_tables(
    judgments: Any, predictions: Any, shard: ShardTables
) -> tuple[Any, TablesSeen]:
    """Return what a stream has seen that has seen a part of both tables, and what is there."""
    stream, seen = shard.totals_of(judgments, predictions)
    return shard.score.state_of(stream), seen


def _add_seen(
    parts: Sequence[tuple[Any, TablesSeen]], shard: ShardTables
) -> tuple[Any, TablesSeen]:
    """Return the same of several parts."""
    states, seen = zip(*parts, strict=True)
    return _add_states(states, shard.score), sum(seen, TablesSeen())


def _items_in_tables(judgments: Any, predictions: Any, shard: ShardTables) -> Items:
    """Return which items are judged in a part of both tables, and which are predicted."""
    return shard.items_of(judgments, predictions)


def _add_items(parts: Sequence[Items], shard: ShardTables) -> Items:
    """Return the same of several parts."""
    judged, predicted = zip(*parts, strict=True)
    return frozenset().union(*judged), frozenset().union(*predicted)


def _added(parts: Sequence[Any], shard: Any, add: Callable[[list[Any], Any], Any]) -> Any:
    """Return the sum of some delayed parts, delayed too, a few of them at once.

    No task changes what it adds, since another may take the same parts again.
    """
    add_delayed = import_module("dask").delayed(add)
    starts = range(0, len(parts), _ADDED_AT_ONCE)
    added = [add_delayed(list(parts[start : start + _ADDED_AT_ONCE]), shard) for start in starts]
    return added[0] if len(added) == 1 else _added(added, shard, add)
