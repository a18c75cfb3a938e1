"""TREC: converters between arrays, the dicts of pytrec_eval, and TREC's files.

A *qrel* holds the judgments, ``{query: {document: grade}}``. A *run* holds the documents that a
system retrieved, ``{query: {document: score}}``. As arrays, both have the retrieved layout: one
query per row and one document per column. Rows and columns are sorted by their ids as strings.
So `ignore_ties=True` ranks equal documents as trec_eval does, which takes the last id first.

TREC's files are read as tables, which are dicts of one array per column, and written from arrays.

This module neither imports nor needs pytrec_eval.
"""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import chain, islice, repeat
from numbers import Integral, Real
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse

from ranking_scores._base import (
    WHOLE_LIST,
    Indexes,
    as_ndarray,
    check_identifiers,
    check_option,
    check_real_array,
    check_sparse,
    check_stored,
    describe,
    invalid,
    supported_by_scipy,
)
from ranking_scores._queries import Data, Need, check_queries, stored_entries
from ranking_scores._tables import (
    QRELS,
    RUN,
    Columns,
    RankingData,
    check_ids,
    check_path,
    check_tag,
    read_fields,
    write_lines,
)

__all__ = ["from_pytrec_eval", "read_qrels", "read_run", "to_pytrec_eval", "write_run"]


def __dir__() -> list[str]:
    return __all__


_TO, _FROM, _WRITE = "to_pytrec_eval", "from_pytrec_eval", "write_run"

Floats = NDArray[np.float64]
Positions = NDArray[np.intp]
Qrel = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]


class _TrecData(RankingData):
    """The result of `from_pytrec_eval`, with the old name of its last field."""

    __slots__ = ()

    @property
    def document_ids(self) -> list[str]:
        """The ids of the columns, as a list."""
        text = "`document_ids` of the result of from_pytrec_eval is now `item_ids`, an array."
        warnings.warn(text, FutureWarning, stacklevel=2)
        return list(self.item_ids.tolist())


def to_pytrec_eval(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    qid: ArrayLike | None = None,
    where: ArrayLike | None = None,
    query_ids: ArrayLike | None = None,
    item_ids: ArrayLike | None = None,
    qid_offset: int = 0,
    q_prefix: str = "q",
    d_prefix: str = "d",
) -> tuple[Qrel, Run]:
    """Convert labels and scores to the dicts that pytrec_eval takes.

    Parameters
    ----------
    y_true : array-like of shape (n_queries, n_items) or (n_rows,), or sparse
        The label of each item, a whole number. It is 1-D with `qid`, and 2-D otherwise. A 2-D
        `y_true` may be a SciPy sparse matrix or array, in which only stored items are judged.
        Class labels are not supported.

    y_score : array-like of shape (n_queries, n_items) or (n_rows[, 1]), or sparse
        The score of each item. The highest score ranks first. Scores must be finite, and exact as
        float64. A SciPy sparse matrix or array stores the items that were retrieved, including
        those with the score 0.

    qid : array-like of shape (n_rows,), default=None
        The id of the query of each row. Ids are numbers, strings, dates or other objects that
        sort. They may come in any order, and the rows of a query need not be next to each other.

    where : array-like of bool of the shape of a 2-D `y_score`, default=None
        True for each item that takes part. Cells where it is False are ignored, even if they hold
        NaN. None: all items take part. With `qid`, leave the rows out of the data instead. With a
        sparse `y_score`, do not store the scores of these items, and give them the label 0.

    query_ids : array-like of shape (n_queries,), default=None
        The full name of each query. With `qid`, the names are in the order of ``np.unique(qid)``.
        None means that the name is `q_prefix` followed by the number of the row, or by the `qid`.

    item_ids : array-like of shape (n_items,), (n_queries, n_items) or (n_rows,), default=None
        The full name of each item: one name per column, or one per element of a dense `y_score`.
        With `qid`, one name per row. None means that the name is `d_prefix` followed by the
        number of the column, or with `qid` by the item's number within its query. Both numbers
        start at 0.

    qid_offset : int, default=0
        The number that is added to the row's number in the name of a query. Ignored with `qid`.

    q_prefix : str, default="q"
        The prefix of the names of queries. Ignored with `query_ids`.

    d_prefix : str, default="d"
        The prefix of the names of items. Ignored with `item_ids`.

    Returns
    -------
    qrel : dict of str to dict of str to int
        The label of each item of each query. It contains all items that take part, and for a
        sparse `y_true` all items that are stored, including zeros.

    run : dict of str to dict of str to float
        The score of each item of each query, as an unrounded float64. It contains all items that
        take part, and for a sparse `y_score` all items that are stored.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here; if a label is not a whole number, since trec_eval
        would truncate it; or if two queries, or two items of a query, have the same name. Names
        are compared as strings: 1 and "1" are the same. The error is of both types, as in
        scikit-learn.

    Warns
    -----
    UserWarning
        If scores of a query tie as float32, the precision in which pytrec_eval compares them.
        pytrec_eval ranks tied items by name. This package takes the mean over all orders.

    See Also
    --------
    from_pytrec_eval : Converts in the other direction.
    ndcg_score : Scores the arrays themselves.

    Notes
    -----
    pytrec_eval compares names as strings, so "d10" comes before "d2". With `ignore_ties=True`,
    this package ranks equal items by column, and pytrec_eval ranks them by name. To get the same
    order, use names that sort like the columns, such as
    ``item_ids=[f"d{i:06d}" for i in range(n_items)]``.

    Every query is in both dicts. Its dict is empty if it has no items. pytrec_eval differs from
    this package in three points:

    - A query that retrieved nothing has the score 0.
    - A query without judgments is left out. In this package it counts as `replace_undefined_by`.
    - Labels below 0 gain nothing. Version 0.5.11 crashes on a query with only labels below -1.

    Examples
    --------
    >>> from ranking_scores.trec import to_pytrec_eval
    >>> qrel, run = to_pytrec_eval([[0, 2, 1]], [[0.3, 0.9, 0.1]], qid_offset=301, q_prefix="")
    >>> qrel
    {'301': {'d0': 0, 'd1': 2, 'd2': 1}}
    >>> run
    {'301': {'d0': 0.3, 'd1': 0.9, 'd2': 0.1}}

    The ragged layout, with names of the documents:

    >>> _, run = to_pytrec_eval(
    ...     [1, 0, 2], [0.3, 0.5, 0.8], qid=["tea", "milk", "tea"], q_prefix="",
    ...     item_ids=["doc-7", "doc-7", "doc-9"],
    ... )
    >>> run
    {'milk': {'doc-7': 0.5}, 'tea': {'doc-7': 0.3, 'doc-9': 0.8}}
    """
    if not isinstance(qid_offset, Integral) or isinstance(qid_offset, bool):
        raise invalid("qid_offset", _TO, "an int", describe(qid_offset))
    for parameter, prefix in (("q_prefix", q_prefix), ("d_prefix", d_prefix)):
        if not isinstance(prefix, str):
            raise invalid(parameter, _TO, "a str", describe(prefix))
    table = _as_table(y_true, y_score, qid, where)
    if query_ids is None:
        queries = _numbered_queries(table, int(qid_offset), q_prefix)
    else:
        queries = _names_of_queries(table, query_ids)
    judged, retrieved = (
        _name_items(cells, table, item_ids, d_prefix) for cells in (table.judged, table.retrieved)
    )

    def name_judged(index: int) -> str:
        return _name(judged[index], queries[table.judged.query[index]])

    def name_retrieved(index: int) -> str:
        return _name(retrieved[index], queries[table.retrieved.query[index]])

    grades = _as_grades(table.judged.values, name_judged, "y_true", _TO)
    scores = _as_exact_floats(table.retrieved.values, name_retrieved, "y_score", _TO)
    qrel = _as_dicts(queries, table.judged.query, judged, grades.tolist())
    run = _as_dicts(queries, table.retrieved.query, retrieved, scores.tolist())
    n_tied = _count_tied_as_float32(table.retrieved.query, scores)
    if n_tied:
        warnings.warn(
            f"Scores tie as float32 in {n_tied} of {len(queries)} queries. pytrec_eval compares "
            "scores as float32, and ranks tied items by their names as strings, the last one "
            "first: 'd2' before 'd10' before 'd1'.",
            stacklevel=2,
        )
    return qrel, run


def from_pytrec_eval(
    qrel: Mapping[str, Mapping[str, int]],
    run: Mapping[str, Mapping[str, float]],
    *,
    queries: Literal["judged", "both", "all", "equal"] = "judged",
    missing: Literal["zero", "skip", "raise"] | None = None,
) -> RankingData:
    """Convert the dicts that pytrec_eval takes to arrays in the retrieved layout.

    The scores take the result, except grouped AUC and pairwise accuracy. A document that was
    retrieved and not judged has the label 0. A document that was judged and not retrieved has no
    rank, but it counts in the ideal ranking and in the number of relevant documents.

    Parameters
    ----------
    qrel : dict of str to dict of str to int
        The grade of each judged document, by query, as pytrec_eval's ``parse_qrel`` returns it. A
        query with an empty dict is judged, and no document is relevant to it.

    run : dict of str to dict of str to float
        The score of each retrieved document, by query, as ``parse_run`` returns it. A query with
        an empty dict retrieved nothing. If `run` itself is empty, no query retrieved anything.

    queries : {"judged", "both", "all", "equal"}, default="judged"
        The queries that are scored:

        - "judged": the queries of `qrel`, like ``trec_eval -c``. A query that is not in `run`
          retrieved nothing.
        - "both": the queries that are in both, like pytrec_eval and like trec_eval without
          ``-c``.
        - "all": the queries of both. No document is relevant to a query that is only in `run`.
        - "equal": all queries. Both dicts must have the same queries.

    missing : {"zero", "skip", "raise"}, default=None
        The old name of `queries`. It issues a warning. "zero" is now "judged", "skip" is now
        "both", and the replacement of "raise" is "equal", which also refuses queries that are
        only in `run`.

    Returns
    -------
    data : RankingData
        A named tuple of `y_true`, `y_score`, `query_ids` and `item_ids`. Queries and documents
        are sorted as strings. The columns are the documents of all queries. The matrices are
        sparse, so their memory is proportional to the size of the dicts. The ids are arrays of
        str.

    Raises
    ------
    ValueError, TypeError
        If `qrel` and `run` are not as described here, if an id is not a string, if `qrel` is
        empty, if a run that is not empty has no query in common with it, if no query is left to
        score, or if the queries differ with ``queries="equal"``. The error is of both types, as in
        scikit-learn.

    Warns
    -----
    UserWarning
        If queries of `run` are left out since they are not in `qrel`. The warning has their
        number.
    FutureWarning
        If `missing` is passed, or if `document_ids`, the old name of `item_ids`, is read from the
        result. Both will be removed.

    See Also
    --------
    to_pytrec_eval : Converts in the other direction.
    read_qrels : Reads judgments from a file.
    read_run : Reads a run from a file.
    ndcg_score : Takes the result. With ``ignore_ties=True, relevance_threshold=0`` it equals
        ``ndcg`` and ``ndcg_cut`` of trec_eval.
    hit_rate_score : Takes the result. With ``ignore_ties=True, relevance_threshold=1`` it equals
        ``success`` of trec_eval.

    Notes
    -----
    trec_eval ranks equal documents by their ids, the last one first. All scores of this package
    do the same with `ignore_ties=True`, since the columns are sorted, and since Python sorts
    strings in the same order as C sorts their UTF-8. By default, the scores of this package are
    the mean over all orders.

    Which scores are equal depends on the program. This function returns scores as float64, and
    trec_eval 10 compares them as float64. pytrec_eval 0.5.11 and trec_eval 9 use float32. To get
    the same ties as these, pass ``y_score.astype(np.float32)``.

    Examples
    --------
    >>> from ranking_scores import hit_rate_score, ndcg_score
    >>> from ranking_scores.trec import from_pytrec_eval
    >>> qrel = {"tea": {"d1": 0, "d2": 2, "d7": 1}, "milk": {"d2": 1}}
    >>> run = {"tea": {"d1": 0.5, "d2": 0.5, "d3": 0.1}}
    >>> y_true, y_score, queries, documents = from_pytrec_eval(qrel, run)
    >>> queries
    array(['milk', 'tea'], dtype=object)
    >>> documents
    array(['d1', 'd2', 'd3', 'd7'], dtype=object)
    >>> y_true.toarray()
    array([[0, 1, 0, 0],
           [0, 2, 0, 1]])

    d1 and d2 tie for the first rank. trec_eval puts d2 first:

    >>> as_trec_eval = {"ignore_ties": True, "average": None}
    >>> ndcg_score(y_true, y_score, **as_trec_eval, relevance_threshold=0)
    array([0.        , 0.76018...])
    >>> hit_rate_score(y_true, y_score, k=1, **as_trec_eval, relevance_threshold=1)
    array([0., 1.])

    By default, the score is the mean over both orders:

    >>> hit_rate_score(y_true, y_score, k=1, average=None)
    array([0. , 0.5])
    """
    if missing is not None:
        queries = _replace_missing(missing, queries)
    check_option(queries, "queries", _FROM, ("judged", "both", "all", "equal"))
    _check_dicts(qrel, run)
    rows = _queries_of(qrel, run, queries, may_leave_out=missing == "raise")
    judged = [qrel.get(query, {}) for query in rows]
    retrieved = [run.get(query, {}) for query in rows]
    documents = sorted(set().union(*judged, *retrieved))
    if not documents:
        expected = "a dict with at least one document, unless qrel has one"
        raise invalid("run", _FROM, expected, "no document in either")
    column = {document: number for number, document in enumerate(documents)}

    name_judged, name_retrieved = (partial(_name_in, rows, each) for each in (judged, retrieved))
    grades = _as_grades(_as_numbers(judged, name_judged, "qrel"), name_judged, "qrel", _FROM)
    numbers = _as_numbers(retrieved, name_retrieved, "run")
    is_finite = np.isfinite(numbers)
    if not is_finite.all():
        first = int(np.argmin(is_finite))
        got = f"{numbers[first]} for {name_retrieved(first)}"
        advice = "Leave out documents that were not retrieved."
        raise invalid("run", _FROM, "made of finite scores", got, advice)
    scores = _as_exact_floats(numbers, name_retrieved, "run", _FROM)
    return _TrecData(
        _as_csr(judged, grades, column),
        _as_csr(retrieved, scores, column),
        np.array(rows, dtype=object),
        np.array(documents, dtype=object),
    )


def read_qrels(path: str | os.PathLike[str]) -> dict[str, NDArray[Any]]:
    """Read judgments from a file in TREC's format.

    Each line has the query, an unused number, the document and its label, separated by blanks:
    ``301 0 FR-10 1``.

    Parameters
    ----------
    path : str or os.PathLike
        The file, in UTF-8, plain or compressed by gzip. The content decides which of the two it
        is. The name of the file does not matter.

    Returns
    -------
    judgments : dict of str to ndarray of shape (n_lines,)
        A table with the columns "query", "item" and "label". The ids are arrays of objects, each
        a str, so "007" stays "007". The labels are int64. The rows are in the order of the lines.

    Raises
    ------
    ValueError, TypeError
        If a line does not have four fields, if its label is not a whole number, or if its ids are
        not in UTF-8. The message has the number of the line. The error is of both types, as in
        scikit-learn.
    OSError
        If the file cannot be opened. ``open`` raises the same error.

    See Also
    --------
    read_run : Reads the documents that a system retrieved.
    from_pytrec_eval : Converts the dicts that pytrec_eval reads from the same file to arrays.

    Notes
    -----
    Blanks are spaces, tabs, vertical tabs, form feeds and the ends of lines, including those of
    Windows. An id may have any other characters. A byte order mark at the start of the file and
    blank lines at its end are skipped.

    If a document is in the file twice for a query, both lines are read.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from ranking_scores.trec import read_qrels
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "qrels.txt")
    ...     with path.open("w") as file:
    ...         print("301 0 FR-10 1", file=file)
    ...         print("301 0 FR-20 0", file=file)
    ...     judgments = read_qrels(path)
    >>> judgments["query"]
    array(['301', '301'], dtype=object)
    >>> judgments["item"]
    array(['FR-10', 'FR-20'], dtype=object)
    >>> judgments["label"]
    array([1, 0])
    """
    return _as_table_of("label", read_fields(path, QRELS))


def read_run(path: str | os.PathLike[str]) -> dict[str, NDArray[Any]]:
    """Read a run, the documents that a system retrieved, from a file in TREC's format.

    Each line has the query, ``Q0``, the document, its rank, its score and the name of the run,
    separated by blanks: ``301 Q0 FR-10 1 7.5 example``. The scores rank the documents. The rank
    is ignored, as in trec_eval.

    Parameters
    ----------
    path : str or os.PathLike
        The file, in UTF-8, plain or compressed by gzip. The content decides which of the two it
        is. The name of the file does not matter.

    Returns
    -------
    predictions : dict of str to ndarray of shape (n_lines,)
        A table with the columns "query", "item" and "score". The ids are arrays of objects, each
        a str, so "007" stays "007". The scores are float64. The rows are in the order of the
        lines. An empty file is a run that retrieved nothing.

    Raises
    ------
    ValueError, TypeError
        If a line does not have six fields, if its score is not a finite number, or if its ids are
        not in UTF-8. The message has the number of the line. The error is of both types, as in
        scikit-learn.
    OSError
        If the file cannot be opened. ``open`` raises the same error.

    See Also
    --------
    write_run : Writes a run.
    read_qrels : Reads judgments.
    from_pytrec_eval : Converts the dicts that pytrec_eval reads from the same file to arrays.

    Notes
    -----
    Blanks are spaces, tabs, vertical tabs, form feeds and the ends of lines, including those of
    Windows. An id may have any other characters. A byte order mark at the start of the file and
    blank lines at its end are skipped.

    If a document is in the file twice for a query, both lines are read.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from ranking_scores.trec import read_run
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "run.txt")
    ...     with path.open("w") as file:
    ...         print("301 Q0 FR-10 1 7.5 example", file=file)
    ...         print("301 Q0 FR-99 2 2.0 example", file=file)
    ...     predictions = read_run(path)
    >>> predictions["item"]
    array(['FR-10', 'FR-99'], dtype=object)
    >>> predictions["score"]
    array([7.5, 2. ])
    """
    return _as_table_of("score", read_fields(path, RUN))


def write_run(
    path: str | os.PathLike[str],
    y_score: ArrayLike,
    query_ids: ArrayLike,
    item_ids: ArrayLike,
    *,
    tag: str = "ranking_scores",
) -> None:
    """Write a run, the documents that a system retrieved, to a file in TREC's format.

    Parameters
    ----------
    path : str or os.PathLike
        The file. If the name ends with ".gz", the file is compressed by gzip. An existing file is
        replaced when all of the new one has been written, and stays as it was if anything fails.

    y_score : array-like of shape (n_queries, n_items), or sparse
        The score of each item. The highest score ranks first. Scores must be finite, and exact as
        float64. A SciPy sparse matrix or array stores the items that were retrieved, including
        those with the score 0. In a dense array, all items were retrieved.

    query_ids : array-like of shape (n_queries,)
        The name of each query. Names that are not strings are converted by `str`. A name must not
        contain blanks.

    item_ids : array-like of shape (n_items,)
        The name of each item. Names that are not strings are converted by `str`. A name must not
        contain blanks. If `y_score` is a frame whose columns have these names, they must be in
        the same order. The same holds for `query_ids` and the index of a pandas DataFrame.

    tag : str, default="ranking_scores"
        The name of the run, at the end of each line. It must not contain blanks.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here, or if two queries or two items have the same
        name as strings. No file is written then. The error is of both types, as in scikit-learn.
    OSError
        If the file cannot be written. ``open`` raises the same error.

    See Also
    --------
    read_run : Reads the file, with the same ids and scores.
    to_pytrec_eval : Converts arrays to the dicts that pytrec_eval takes.

    Notes
    -----
    Queries are written in the order of their rows, and the items of a query in the order of their
    ranks, which start at 1. Equal items are ranked by their names as strings, the last one first.
    trec_eval ranks them in the same order, so it finds the same ranks. trec_eval 9 and pytrec_eval
    0.5.11 read scores as float32, so more of them may be equal.

    Each score is written as the shortest decimal number that is read as the same float64. A query
    that retrieved nothing has no lines.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from ranking_scores.trec import write_run
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "run.txt")
    ...     write_run(path, [[0.1, 0.7, 0.7]], ["tea"], ["d1", "d2", "d3"], tag="mine")
    ...     print(path.read_text(), end="")
    tea Q0 d3 1 0.7 mine
    tea Q0 d2 2 0.7 mine
    tea Q0 d1 3 0.1 mine
    """
    name = check_path(path, _WRITE)
    tag = check_tag(tag, _WRITE)
    table = _as_table_of_scores(y_score)
    queries = _names_of_queries(table, query_ids)
    check_ids(queries, "query_ids", _WRITE)
    name_of_column = _names_of_columns(_check_shape(item_ids, table), _WRITE)
    check_ids(name_of_column.tolist(), "item_ids", _WRITE)
    _check_order("item_ids", name_of_column.tolist(), y_score, "columns")
    if hasattr(y_score, "iloc"):  # a list has an index, too
        _check_order("query_ids", queries, y_score, "index")
    cells = table.retrieved
    items = name_of_column[cells.item]

    def name_retrieved(index: int) -> str:
        return _name(items[index], queries[cells.query[index]])

    scores = _as_exact_floats(cells.values, name_retrieved, "y_score", _WRITE)
    order, rank = _ranked(cells, name_of_column, scores)
    of_query = np.array(queries, dtype=object)[cells.query]
    columns = (of_query, items[order], rank, scores[order])
    lines = map("{} Q0 {} {} {!r} {}\n".format, *(each.tolist() for each in columns), repeat(tag))
    write_lines(name, lines)


def _check_order(parameter: str, names: list[str], y_score: Any, axis: str) -> None:
    """Raise if the scores are a frame with the same names in another order."""
    of_frame = getattr(y_score, axis, ())
    others = [] if type(of_frame).__name__ == "RangeIndex" else list(map(str, of_frame))
    if names != others and sorted(names) == sorted(others):
        place = next(i for i, name in enumerate(names) if name != others[i])
        raise invalid(
            parameter,
            _WRITE,
            f"in the order of the {axis} of y_score",
            f"{names[place]!r} at position {place}, where y_score has {others[place]!r},",
            code=f"Pass `y_score.{axis}`.",
        )


class _Cells(NamedTuple):
    """Some items of each query, with their labels or scores, sorted by query."""

    query: Positions
    item: Positions
    """The number of the item: its column, or its place in its query."""
    place: tuple[Positions, ...]
    """The positions of the items in the data, as an index."""
    values: NDArray[Any]


class _Table(NamedTuple):
    """The judged and the retrieved items of a call."""

    function: str
    judged: _Cells
    retrieved: _Cells
    n_queries: int
    ids: NDArray[Any] | None
    """The ids of the queries, or None if they have no ids."""
    shapes_of_ids: list[tuple[int, ...]]
    """The allowed shapes of the ids of the items."""
    indexes: Indexes
    """The index of the data, if it comes from pandas."""


def _as_table_of(number: str, columns: Columns) -> dict[str, NDArray[Any]]:
    """Return the content of a file as a table of named columns."""
    queries, items = (np.array(ids, dtype=object) for ids in (columns.queries, columns.items))
    return {"query": queries, "item": items, number: columns.numbers}


def _as_table_of_scores(y_score: ArrayLike) -> _Table:
    """Return the retrieved items, without judgments."""
    if issparse(y_score):
        scores = check_stored(y_score, "y_score", _WRITE)
    else:
        dense = check_real_array(y_score, "y_score", _WRITE)
        if dense.ndim != 2:
            expected = "of shape (n_queries, n_items)"
            code = "For one query pass `[y_score]`." if dense.ndim == 1 else ""
            raise invalid("y_score", _WRITE, expected, f"shape {dense.shape}", code=code)
        scores = _all_stored(dense)
    nothing = csr_array(scores.shape)
    _check_finite(Data(_WRITE, nothing, scores, None))
    judged, retrieved = _cells(nothing, None), _cells(scores, None)
    indexes = Data(_WRITE, None, y_score).indexes
    return _Table(_WRITE, judged, retrieved, scores.shape[0], None, [scores.shape[1:]], indexes)


def _all_stored(values: NDArray[Any]) -> csr_array:
    """Return a dense matrix as a sparse one that stores every cell, including zeros."""
    n_rows, n_columns = values.shape
    values = values.astype(supported_by_scipy(values.dtype), copy=False)
    columns = np.tile(np.arange(n_columns), n_rows)
    start = np.arange(n_rows + 1) * n_columns
    return csr_array((values.ravel(), columns, start), shape=values.shape)


def _ranked(
    cells: _Cells, name_of_column: NDArray[Any], scores: Floats
) -> tuple[Positions, Positions]:
    """Return the order of items by query and rank, and the ranks that trec_eval gives them."""
    place_of_column = np.empty(name_of_column.size, dtype=np.intp)
    place_of_column[np.argsort(name_of_column, kind="stable")] = np.arange(name_of_column.size)
    order = np.lexsort((-place_of_column[cells.item], -scores, cells.query))
    return order, np.arange(1, order.size + 1) - np.searchsorted(cells.query, cells.query)


def _as_table(
    y_true: ArrayLike,
    y_score: ArrayLike,
    qid: ArrayLike | None,
    where: ArrayLike | None,
) -> _Table:
    """Return the items of each query, from any layout."""
    scores: Any = (
        check_stored(y_score, "y_score", _TO)
        if issparse(y_score)
        else check_real_array(y_score, "y_score", _TO)
    )
    truth: Any = y_true if hasattr(y_true, "ndim") else as_ndarray(y_true, "y_true", _TO)
    if qid is None and truth.ndim == 1 and scores.ndim == 2 and scores.shape[1] > 1:
        raise invalid(
            "y_true",
            _TO,
            "2-D, with one label per element of y_score, or 1-D with `qid`",
            f"shape {truth.shape} with y_score of shape {scores.shape}, as with class labels,",
            code="Pass `y_true[:, None] == classes`, with the class of each column of y_score.",
        )
    # Scores from pandas are passed on unchanged, since their index counts.
    as_given = issparse(y_score) or hasattr(y_score, "iloc")
    data = Data(_TO, truth, y_score if as_given else scores, qid, where=where)
    _check_finite(data)
    if qid is not None:
        return _ragged_table(data.true_labels, scores.ravel(), data)
    is_item = None if where is None else np.asarray(where)
    if issparse(truth):
        labels = check_sparse(truth, "y_true", _TO).copy()
        labels.sum_duplicates()
    else:
        labels = data.true_labels
    shapes = [scores.shape[1:]] if issparse(scores) else [scores.shape[1:], scores.shape]
    judged, retrieved = _cells(labels, is_item), _cells(scores, is_item)
    return _Table(_TO, judged, retrieved, scores.shape[0], None, shapes, data.indexes)


def _check_finite(data: Data) -> None:
    """Raise unless the data has a valid layout and all items that take part are finite."""
    for _ in check_queries(data, Need(WHOLE_LIST)).blocks():
        pass


def _ragged_table(labels: NDArray[Any], scores: NDArray[Any], data: Data) -> _Table:
    ids, query_of_row = np.unique(data.ids, return_inverse=True)
    row = np.argsort(query_of_row, kind="stable")
    query = query_of_row[row]
    item = np.arange(row.size) - np.searchsorted(query, query)
    judged, retrieved = (_Cells(query, item, (row,), values[row]) for values in (labels, scores))
    return _Table(_TO, judged, retrieved, ids.size, ids, [labels.shape], data.indexes)


def _cells(values: Any, is_item: NDArray[np.bool_] | None) -> _Cells:
    """Return the items of a matrix that take part. In a sparse matrix, only stored cells do."""
    if issparse(values):
        listed = stored_entries(values)
        if is_item is not None:
            listed = listed.where(is_item[listed.row, listed.column])
        query, item, of_items = listed
    else:
        query, item = np.nonzero(np.ones(values.shape, dtype=bool) if is_item is None else is_item)
        of_items = values[query, item]
    return _Cells(query, item, (query, item), of_items)


def _numbered_queries(table: _Table, offset: int, prefix: str) -> list[str]:
    """Return the names of queries, from their row numbers or from their ids in `qid`."""
    if table.ids is None:
        return [f"{prefix}{row + offset}" for row in range(table.n_queries)]
    names = [prefix + name for name in _as_strings(table.ids, "qid", _TO)]
    _check_unique(names, "qid", _TO)
    return names


def _names_of_queries(table: _Table, query_ids: ArrayLike) -> list[str]:
    """Return the names of queries that the caller gave."""
    ids = _as_ids(query_ids, "query_ids", table.function)
    if ids.shape != (table.n_queries,):
        expected = f"of shape ({table.n_queries},), one name per query"
        raise invalid("query_ids", table.function, expected, f"shape {ids.shape}")
    if table.ids is None:  # otherwise they are in the order of the ids
        table.indexes.check("query_ids", query_ids)
    names = _as_strings(ids, "query_ids", table.function)
    _check_unique(names, "query_ids", table.function)
    return names


def _name_items(
    cells: _Cells, table: _Table, item_ids: ArrayLike | None, prefix: str
) -> list[str]:
    """Return the names of some items."""
    if item_ids is None:
        number = np.flatnonzero(np.bincount(cells.item))
        names = [f"{prefix}{item}" for item in number.tolist()]
        # One string object per column, shared by all queries.
        name_of_column = np.empty(number.max(initial=-1) + 1, dtype=object)
        name_of_column[number] = names
    else:
        ids = _check_shape(item_ids, table)
        if ids.ndim == 2 or table.ids is not None:
            table.indexes.check("item_ids", item_ids)
            return _as_strings(ids[cells.place], "item_ids", table.function)
        name_of_column = _names_of_columns(ids, table.function)
    return list(name_of_column[cells.item].tolist())


def _check_shape(item_ids: ArrayLike, table: _Table) -> NDArray[Any]:
    """Return the ids of items as an array. Raise if its shape is not allowed."""
    ids = _as_ids(item_ids, "item_ids", table.function)
    if ids.shape not in table.shapes_of_ids:
        expected = f"of shape {' or '.join(map(str, table.shapes_of_ids))}"
        raise invalid("item_ids", table.function, expected, f"shape {ids.shape}")
    return ids


def _names_of_columns(ids: NDArray[Any], function: str) -> NDArray[Any]:
    """Return the names of the columns as an array of unique strings."""
    names = _as_strings(ids, "item_ids", function)
    _check_unique(names, "item_ids", function)
    return np.array(names, dtype=object)


def _as_ids(values: ArrayLike, parameter: str, function: str) -> NDArray[Any]:
    """Return ids as an array. The ids of a list keep their types."""
    if not hasattr(values, "dtype"):
        values = np.asarray(values, dtype=object)
    return as_ndarray(values, parameter, function)


def _as_strings(ids: Any, parameter: str, function: str) -> list[str]:
    """Return 1-D ids as strings."""
    ids = check_identifiers(ids, parameter, function)
    if ids.dtype.kind in "mM":  # .tolist() returns ints for some units
        ids = ids.astype(str)
    values = ids.tolist()
    if bytes in set(map(type, values)):
        code = "Decode them: `np.char.decode(ids)`."
        expected = "made of strings, or of objects that `str` converts"
        raise invalid(parameter, function, expected, "bytes", code=code)
    return list(map(str, values))


def _check_unique(names: list[str], parameter: str, function: str, query: str = "") -> None:
    if len(set(names)) < len(names):
        twice = next(name for name, count in Counter(names).items() if count > 1)
        expected = "unique as strings" + (" within a query" if query else "")
        got = f"{twice!r} more than once" + (f" in query {query!r}" if query else "")
        raise invalid(parameter, function, expected, got)


def _name(item: str, query: str) -> str:
    """Return the name of a document of a query, for error messages."""
    return f"document {item!r} of query {query!r}"


def _as_dicts(
    queries: list[str], query: Positions, names: list[str], values: list[Any]
) -> dict[str, dict[str, Any]]:
    """Return, for each query, a dict from the names of its items to their values."""
    stops = np.cumsum(np.bincount(query, minlength=len(queries))).tolist()
    dicts = {}
    start = 0
    for name, stop in zip(queries, stops, strict=True):
        dicts[name] = dict(zip(names[start:stop], values[start:stop], strict=True))
        if len(dicts[name]) < stop - start:
            _check_unique(names[start:stop], "item_ids", _TO, name)
        start = stop
    return dicts


_LEAST_GRADE, _GREATEST_GRADE = -(2**31), 2**31 - 1
"""The grades that trec_eval can read on every platform: those of a 32-bit C long."""


def _as_grades(
    values: NDArray[Any], name: Callable[[int], str], parameter: str, function: str
) -> NDArray[np.int64]:
    """Return labels as ints. `name` returns the name of the document at an index."""
    if values.dtype.kind == "f":
        values = values.astype(np.result_type(values, np.float64), copy=False)
    is_grade = (values >= _LEAST_GRADE) & (values <= _GREATEST_GRADE)
    if values.dtype.kind == "f":
        is_grade &= np.floor(values) == values
    if not is_grade.all():
        first = int(np.argmin(is_grade))
        advice = "It would truncate them. Round or scale them first."
        if np.isnan(values[first]):
            advice = "Leave out documents that were not judged."
        raise invalid(
            parameter,
            function,
            "made of 32-bit whole numbers, since trec_eval reads grades as such",
            f"{values[first]!s} for {name(first)}",
            advice,
        )
    return values.astype(np.int64)


def _as_exact_floats(
    values: NDArray[Any], name: Callable[[int], str], parameter: str, function: str
) -> Floats:
    """Return scores as float64. Raise if a score is not exact as float64."""
    with np.errstate(over="ignore", under="ignore"):
        floats = values.astype(np.float64)
    is_exact = floats == values if values.dtype.kind == "f" else np.abs(floats) < 2**53
    if not is_exact.all():
        first = int(np.argmin(is_exact))
        got = f"{values[first]!s} for {name(first)}"
        expected = "exact as float64, such as ints below 2**53"
        code = "`scipy.stats.rankdata(y_score, method='dense')` keeps their order."
        raise invalid(parameter, function, expected, got, code=code)
    return floats


def _count_tied_as_float32(query: Positions, scores: Floats) -> int:
    """Return the number of queries in which some scores are equal as float32."""
    with np.errstate(over="ignore", under="ignore"):
        single = scores.astype(np.float32)
    order = np.lexsort((single, query))
    query, single = query[order], single[order]
    is_tied = (query[1:] == query[:-1]) & (single[1:] == single[:-1])
    return int(np.unique(query[1:][is_tied]).size)


def _replace_missing(missing: Any, queries: Any) -> Any:
    """Return the value of `queries` that is closest to a value of its old name."""
    check_option(missing, "missing", _FROM, ("zero", "skip", "raise"))
    if queries != "judged":
        expected = "None if `queries`, which replaces it, is passed"
        raise invalid("missing", _FROM, expected, describe(missing))
    queries = {"zero": "judged", "skip": "both", "raise": "equal"}[missing]
    more = " That also refuses queries that are only in run." if missing == "raise" else ""
    warnings.warn(
        f"The 'missing' parameter of from_pytrec_eval is now called 'queries'. Pass "
        f"queries={queries!r} instead of missing={missing!r}.{more}",
        FutureWarning,
        stacklevel=3,
    )
    return queries


def _queries_of(
    qrel: Mapping[str, Mapping[str, int]],
    run: Mapping[str, Mapping[str, float]],
    queries: str,
    *,
    may_leave_out: bool,
) -> list[str]:
    """Return the queries that are scored, sorted."""
    if not qrel:
        raise invalid("qrel", _FROM, "a dict with at least one query", describe(qrel))
    common = qrel.keys() & run.keys()
    if not common and (run or queries == "both"):
        got = f"{_three(qrel)} in qrel and {_three(run)} in run"
        code = "" if run else "With queries='judged', an empty run has retrieved nothing."
        raise invalid("run", _FROM, "a dict with a query in common with qrel", got, code=code)
    absent, not_judged = qrel.keys() - common, run.keys() - common
    if queries == "equal" and (absent or (not_judged and not may_leave_out)):
        expected = "a dict with the queries of qrel, and no others, if queries='equal'"
        n_others = f"{len(not_judged)} of {len(run)} queries that are not in qrel"
        got = f"{n_others}, such as {min(not_judged, default='')!r},"
        if absent:
            n_absent = f"{len(absent)} of {len(qrel)} queries"
            got = f"a run without {n_absent}, such as {min(absent)!r},"
        raise invalid("run", _FROM, expected, got)
    if not_judged and queries != "all":
        warnings.warn(
            f"{len(not_judged)} of {len(run)} queries of run are left out, since they are not in "
            f"qrel, such as {min(not_judged)!r}.",
            stacklevel=3,
        )
    if queries == "all":
        return sorted(qrel.keys() | run.keys())
    return sorted(common if queries == "both" else qrel.keys())


def _name_in(queries: list[str], dicts: Sequence[Mapping[str, Any]], index: int) -> str:
    """Return the name of the document at an index of all dicts, for error messages."""
    pairs = (
        (document, query)
        for query, of_query in zip(queries, dicts, strict=True)
        for document in of_query
    )
    return _name(*next(islice(pairs, index, None)))


def _check_dicts(qrel: Any, run: Any) -> None:
    """Raise unless both are dicts of dicts with strings as keys."""
    contents = {"qrel": "grade", "run": "score"}
    for (parameter, value), dicts in zip(contents.items(), (qrel, run), strict=True):
        if not isinstance(dicts, Mapping) or not all(
            isinstance(of_query, Mapping) for of_query in dicts.values()
        ):
            expected = f"a dict of dicts, {{query: {{document: {value}}}}}"
            raise invalid(parameter, _FROM, expected, describe(dicts))
    for what, of_qrel, of_run in (
        ("query", qrel, run),
        ("document", _documents(qrel), _documents(run)),
    ):
        for parameter, ids in (("qrel", of_qrel), ("run", of_run)):
            if not all(issubclass(kind, str) for kind in set(map(type, ids))):
                in_qrel, in_run = (
                    _three(ids if what == "query" else _documents(ids)) for ids in (qrel, run)
                )
                expected = f"a dict of dicts whose {what} ids are strings"
                got = f"{in_qrel} in qrel and {in_run} in run"
                raise invalid(parameter, _FROM, expected, got)


def _documents(dicts: Mapping[Any, Mapping[Any, Any]]) -> Iterable[Any]:
    return chain.from_iterable(dicts.values())


def _three(ids: Iterable[Any]) -> str:
    """Return three of some ids, for error messages. Ids that are not strings come first."""
    ids = list(ids)
    ids.sort(key=lambda value: isinstance(value, str))
    return str(ids[:3])


def _as_numbers(
    dicts: Sequence[Mapping[str, Any]], name: Callable[[int], str], parameter: str
) -> NDArray[Any]:
    """Return the values of dicts as a 1-D array of bools, ints or floats."""
    values = [value for of_query in dicts for value in of_query.values()]
    if all(issubclass(kind, (Real, np.bool_)) for kind in set(map(type, values))):
        array = np.array(values)
        if array.dtype.kind in "biuf":
            return array
    is_number = [
        isinstance(value, (Real, np.bool_)) and np.asarray(value).dtype.kind in "biuf"
        for value in values
    ]
    first = is_number.index(False)
    got = f"{describe(values[first])} for {name(first)}"
    raise invalid(parameter, _FROM, "made of bools, ints or floats", got)


def _as_csr(
    dicts: Sequence[Mapping[str, Any]], values: NDArray[Any], column: dict[str, int]
) -> csr_array:
    """Return the values of dicts as a matrix with one row per dict and one column per key."""
    n_stored = [len(of_query) for of_query in dicts]
    keys = chain.from_iterable(dicts)
    columns = np.fromiter((column[key] for key in keys), np.intp, count=values.size)
    start = np.concatenate([[0], np.cumsum(n_stored)])
    array = csr_array((values, columns, start), shape=(len(dicts), len(column)))
    array.sort_indices()
    return array
