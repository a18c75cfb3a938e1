"""TREC: judgments and runs, in files and in the dicts of pytrec_eval, from arrays and back.

A *qrel* holds judgments, ``{query: {document: grade}}``, a *run* what a system retrieved,
``{query: {document: score}}``. As arrays they are the retrieved layout, one query per row and a
document a column, both in the order of their ids as strings: so `ignore_ties=True` ranks equal
documents as trec_eval does, which takes the last id first.

Files of TREC are read as tables, dicts of one array per column, and written from arrays.

Nothing here imports pytrec_eval, and nothing needs it.
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

from ranking_scores._queries import Data, Indexes, Need, check_queries, stored_entries
from ranking_scores._signatures import hide_types
from ranking_scores._trec_files import (
    QRELS,
    RUN,
    Columns,
    check_ids,
    check_path,
    check_tag,
    read_columns,
    write_lines,
)
from ranking_scores._validation import (
    WHOLE_LIST,
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
from ranking_scores.tables import RankingData

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
    """Make the dicts that pytrec_eval takes from labels and scores.

    Parameters
    ----------
    y_true : array-like of shape (n_queries, n_items) or (n_rows,), or sparse
        The label of each item, a whole number. 2-D it may be a SciPy sparse matrix or array; then
        only what it stores is judged. 1-D with `qid`. No class labels.

    y_score : array-like of shape (n_queries, n_items) or (n_rows[, 1]), or sparse
        The score that ranks each item, the highest first. Finite, and exact as float64. A SciPy
        sparse matrix or array stores the items that were retrieved, those with the score 0 too.

    qid : array-like of shape (n_rows,), default=None
        The query of each row. Numbers, strings, dates or other objects that sort, in any order;
        the rows of a query need not be next to one another.

    where : array-like of bool of the shape of a 2-D `y_score`, default=None
        True where an item takes part. Cells where it is False are ignored, even if they hold NaN.
        None: all items take part. With `qid` or list columns, leave out the items instead. With a
        sparse `y_score`, store no score for such items, and give them the label 0.

    query_ids : array-like of shape (n_queries,), default=None
        The whole name of each query, with `qid` in the order of ``np.unique(qid)``. None: a query
        is named by `q_prefix` and its row or its `qid`.

    item_ids : array-like of shape (n_items,), (n_queries, n_items) or (n_rows,), default=None
        The whole name of each item: one for each column, or one for each element of a dense
        `y_score`. With `qid`, one for each row. None: an item is named by `d_prefix` and its
        column; with `qid`, by its place among the rows of its query. Both count from 0.

    qid_offset : int, default=0
        What is added to the number of the row in the name of a query. Ignored with `qid`.

    q_prefix : str, default="q"
        What the name of a query begins with, unless `query_ids` gives it.

    d_prefix : str, default="d"
        What the name of an item begins with, unless `item_ids` gives it.

    Returns
    -------
    qrel : dict of str to dict of str to int
        The label of each item of each query. In it are all items that take part; of a sparse
        `y_true` those that are stored, zeros too.

    run : dict of str to dict of str to float
        The score of each item of each query, as a float64 and not rounded. In it are all items
        that take part; of a sparse `y_score` those that are stored.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here; if a label is not whole, which trec_eval would
        cut off; or if two queries, or two items of a query, have the same name. Names are
        compared as strings: 1 and "1" are the same. One error that is both, as in scikit-learn.

    Warns
    -----
    UserWarning
        If scores of a query tie as float32, the precision in which pytrec_eval compares them. It
        then ranks by name, and this package by the mean over all orders.

    See Also
    --------
    from_pytrec_eval : The way back.
    ndcg_score : Scores the arrays themselves.

    Notes
    -----
    Names are compared as strings, where "d10" comes before "d2". With `ignore_ties=True` equal
    items are ranked by column here and by name there; for the same order give names that sort as
    the columns do, such as ``item_ids=[f"d{i:06d}" for i in range(n_items)]``.

    Every query is in both dicts, with an empty dict where it has nothing. pytrec_eval scores a
    query 0 that retrieved nothing, and leaves out one of which nothing was judged, which here
    counts what `replace_undefined_by` says. It gains nothing by labels below 0, and crashes
    (0.5.11) on a query that has only labels below -1.

    Examples
    --------
    >>> from ranking_scores.trec import to_pytrec_eval
    >>> qrel, run = to_pytrec_eval([[0, 2, 1]], [[0.3, 0.9, 0.1]], qid_offset=301, q_prefix="")
    >>> qrel
    {'301': {'d0': 0, 'd1': 2, 'd2': 1}}
    >>> run
    {'301': {'d0': 0.3, 'd1': 0.9, 'd2': 0.1}}

    In the ragged layout with names of the documents:

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
            f"Scores tie as float32, in which pytrec_eval compares them, in {n_tied} of "
            f"{len(queries)} queries. It ranks equal items by their names as strings, the last "
            "one first: 'd2' before 'd10' before 'd1'.",
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
    """Make arrays, in the retrieved layout, from the dicts that pytrec_eval takes.

    Any score of this package takes the result. A document that was retrieved and not judged has
    the label 0; one that was judged and not retrieved has no rank, and counts in the ideal and
    among those to be found.

    Parameters
    ----------
    qrel : dict of str to dict of str to int
        The grade of each document that was judged, by query: what pytrec_eval's ``parse_qrel``
        returns. A query with an empty dict is judged: nothing is relevant to it.

    run : dict of str to dict of str to float
        The score of each document that was retrieved, by query: what ``parse_run`` returns. A
        query with an empty dict retrieved nothing. An empty dict is a run that retrieved nothing
        for any query.

    queries : {"judged", "both", "all", "equal"}, default="judged"
        Which queries are scored. "judged": those of `qrel`; one that is not in `run` retrieved
        nothing, as ``trec_eval -c`` has it. "both": those that are in both, as pytrec_eval has it
        and trec_eval without ``-c``. "all": those of `run` that nobody judged, too, to which
        nothing is relevant. "equal": all, and both must have the same.

    missing : {"zero", "skip", "raise"}, default=None
        The old name of `queries`, which warns. "zero" is now "judged", "skip" is "both", and for
        "raise" there is "equal", which also refuses queries that only `run` has.

    Returns
    -------
    data : RankingData
        A named tuple of `y_true`, `y_score`, `query_ids` and `item_ids`, queries and documents
        sorted as strings. The documents are those of all queries together; the matrices are
        sparse, and need memory for what the dicts hold. The ids are arrays of str.

    Raises
    ------
    ValueError, TypeError
        If `qrel` and `run` are not as described here, if an id is no string, if `qrel` is empty,
        if a run that is not empty has no query in common with it, if none is left to be scored, or
        if the queries differ and must not. One error that is both, as in scikit-learn.

    Warns
    -----
    UserWarning
        If queries of `run` are not in `qrel` and so left out, with their number.
    FutureWarning
        If `missing` is passed, or `document_ids` is read from the result, the old name of
        `item_ids`. They will be removed.

    See Also
    --------
    to_pytrec_eval : The way there.
    read_qrels : Reads judgments from a file.
    read_run : Reads a run from a file.
    ndcg_score : Takes the result; with ``ignore_ties=True, relevance_threshold=0`` it is the
        ``ndcg`` and ``ndcg_cut`` of trec_eval.
    hit_rate_score : Takes the result; with ``ignore_ties=True, relevance_threshold=1`` it is the
        ``success`` of trec_eval.

    Notes
    -----
    trec_eval ranks equal documents by their ids, the last one first. So do all scores of this
    package with `ignore_ties=True`, since the columns are sorted; Python sorts strings as C does
    their UTF-8. The default is the mean over all orders.

    Which scores are equal depends on the program. The scores here are float64, as trec_eval 10
    compares them. pytrec_eval 0.5.11 and trec_eval 9 hold them in float32: to get the same ties,
    pass ``y_score.astype(np.float32)``.

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

    d1 and d2 tie for the first rank. trec_eval puts d2 there:

    >>> as_trec_eval = {"ignore_ties": True, "average": None}
    >>> ndcg_score(y_true, y_score, **as_trec_eval, relevance_threshold=0)
    array([0.        , 0.76018...])
    >>> hit_rate_score(y_true, y_score, k=1, **as_trec_eval, relevance_threshold=1)
    array([0., 1.])

    The mean over both orders:

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
        raise invalid("run", _FROM, "such that there is a document in it or in qrel", "none")
    column = {document: number for number, document in enumerate(documents)}

    name_judged, name_retrieved = (partial(_name_in, rows, each) for each in (judged, retrieved))
    grades = _as_grades(_as_numbers(judged, name_judged, "qrel"), name_judged, "qrel", _FROM)
    numbers = _as_numbers(retrieved, name_retrieved, "run")
    is_finite = np.isfinite(numbers)
    if not is_finite.all():
        first = int(np.argmin(is_finite))
        got = f"{numbers[first]} for {name_retrieved(first)}"
        advice = "Leave the document out if it was not retrieved."
        raise invalid("run", _FROM, "made of finite scores", got, advice)
    scores = _as_exact_floats(numbers, name_retrieved, "run", _FROM)
    return _TrecData(
        _as_csr(judged, grades, column),
        _as_csr(retrieved, scores, column),
        np.array(rows, dtype=object),
        np.array(documents, dtype=object),
    )


def read_qrels(path: str | os.PathLike[str]) -> dict[str, NDArray[Any]]:
    """Read judgments from a file of TREC.

    Each line has the query, a number that nobody reads, the document and its label, with blanks
    between them: ``301 0 FR-10 1``.

    Parameters
    ----------
    path : str or os.PathLike
        The file, in UTF-8, plain or of gzip. The content says which, not the name.

    Returns
    -------
    judgments : dict of str to ndarray of shape (n_lines,)
        A table: the ids of "query" and "item", as objects, each a str, and "label", as int64.
        Its rows are in the order of the lines. All ids are text: "007" stays "007".

    Raises
    ------
    ValueError, TypeError
        If a line is not as described here, with its number: it has not four fields, its label is
        no whole number, or its ids are not in UTF-8. One error that is both, as in scikit-learn.
    OSError
        If the file cannot be opened, as ``open`` has it.

    See Also
    --------
    read_run : Reads what was retrieved.
    from_pytrec_eval : Makes arrays of the dicts that pytrec_eval reads from the same file.

    Notes
    -----
    Blanks are spaces, tabs, vertical tabs, form feeds and the ends of lines, also those of
    Windows. All other characters may be in an id. A byte order mark at the begin of the file and
    blank lines at its end are skipped.

    A document twice for a query is read as two rows.

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
    return _as_table_of("label", read_columns(path, QRELS))


def read_run(path: str | os.PathLike[str]) -> dict[str, NDArray[Any]]:
    """Read what a system retrieved from a file of TREC, a run.

    Each line has the query, ``Q0``, the document, its rank, its score and the name of the run,
    with blanks between them: ``301 Q0 FR-10 1 7.5 example``. The scores rank the documents; the
    rank is not read, as in trec_eval.

    Parameters
    ----------
    path : str or os.PathLike
        The file, in UTF-8, plain or of gzip. The content says which, not the name.

    Returns
    -------
    predictions : dict of str to ndarray of shape (n_lines,)
        A table: the ids of "query" and "item", as objects, each a str, and "score", as float64.
        Its rows are in the order of the lines. All ids are text: "007" stays "007". An empty file
        is a run that retrieved nothing.

    Raises
    ------
    ValueError, TypeError
        If a line is not as described here, with its number: it has not six fields, its score is
        no finite number, or its ids are not in UTF-8. One error that is both, as in scikit-learn.
    OSError
        If the file cannot be opened, as ``open`` has it.

    See Also
    --------
    write_run : The way back.
    read_qrels : Reads judgments.
    from_pytrec_eval : Makes arrays of the dicts that pytrec_eval reads from the same file.

    Notes
    -----
    Blanks are spaces, tabs, vertical tabs, form feeds and the ends of lines, also those of
    Windows. All other characters may be in an id. A byte order mark at the begin of the file and
    blank lines at its end are skipped.

    A document twice for a query is read as two rows.

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
    return _as_table_of("score", read_columns(path, RUN))


def write_run(
    path: str | os.PathLike[str],
    y_score: ArrayLike,
    query_ids: ArrayLike,
    item_ids: ArrayLike,
    *,
    tag: str = "ranking_scores",
) -> None:
    """Write what a system retrieved into a file of TREC, a run.

    Parameters
    ----------
    path : str or os.PathLike
        The file, which is replaced if it is there, when all of it has been written: if anything
        raises, what was there stays. It is written by gzip if its name ends with ".gz".

    y_score : array-like of shape (n_queries, n_items), or sparse
        The score of each item, the highest first. Finite, and exact as float64. A SciPy sparse
        matrix or array stores the items that were retrieved, those with the score 0 too. Of a
        dense array all items were.

    query_ids : array-like of shape (n_queries,)
        The name of each query, a string or what `str` names. It has no blanks.

    item_ids : array-like of shape (n_items,)
        The name of each item, a string or what `str` names. It has no blanks. If `y_score` is a
        frame with these names as its columns, they must be in the same order, and so must
        `query_ids` and the index of a frame of pandas.

    tag : str, default="ranking_scores"
        The name of the run, which ends each line. It has no blanks.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here, or if two queries or two items have the same
        name as strings. No file is written then. One error that is both, as in scikit-learn.
    OSError
        If the file cannot be written, as ``open`` has it.

    See Also
    --------
    read_run : The way back, with the same ids and scores.
    to_pytrec_eval : Makes the dicts that pytrec_eval takes.

    Notes
    -----
    The queries are in the order of their rows, the items of a query in that of their ranks from 1
    on. Equal items are ranked by their names as strings, the last one first, as trec_eval ranks
    them, so that the ranks are those that it finds. trec_eval 9 and pytrec_eval 0.5.11 read scores
    as float32, in which others may be equal, too.

    Each score is written as the shortest decimal that is the same float64. A query that retrieved
    nothing has no lines.

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
    """Raise if the scores are a frame that has the same names in another order."""
    of_frame = getattr(y_score, axis, ())
    others = [] if type(of_frame).__name__ == "RangeIndex" else list(map(str, of_frame))
    if names != others and sorted(names) == sorted(others):
        place = next(i for i, name in enumerate(names) if name != others[i])
        raise invalid(
            parameter,
            _WRITE,
            f"in the order of the {axis} of y_score",
            f"{names[place]!r} at position {place}, where y_score has {others[place]!r},",
            f"Pass `y_score.{axis}`.",
        )


class _Cells(NamedTuple):
    """Some items of each query, with their labels or their scores, query after query."""

    query: Positions
    item: Positions
    """The number of the item: its column, or its place in its query."""
    place: tuple[Positions, ...]
    """Where the items stand in the data, as an index."""
    values: NDArray[Any]


class _Table(NamedTuple):
    """The data of a call, with what is judged and what is retrieved."""

    function: str
    judged: _Cells
    retrieved: _Cells
    n_queries: int
    ids: NDArray[Any] | None
    """The ids of the queries; None: they have none."""
    shapes_of_ids: list[tuple[int, ...]]
    """The shapes that ids of the items may have."""
    indexes: Indexes
    """The index of the data, if it is of pandas."""


def _as_table_of(number: str, columns: Columns) -> dict[str, NDArray[Any]]:
    """Return what a file has as a table of named columns."""
    queries, items = (np.array(ids, dtype=object) for ids in (columns.queries, columns.items))
    return {"query": queries, "item": items, number: columns.numbers}


def _as_table_of_scores(y_score: ArrayLike) -> _Table:
    """Return what was retrieved, where nothing is judged."""
    if issparse(y_score):
        scores = check_stored(y_score, "y_score", _WRITE)
    else:
        dense = check_real_array(y_score, "y_score", _WRITE)
        if dense.ndim != 2:
            expected = "of shape (n_queries, n_items)"
            advice = "For one query pass `[y_score]`." if dense.ndim == 1 else ""
            raise invalid("y_score", _WRITE, expected, f"shape {dense.shape}", advice)
        scores = _all_stored(dense)
    nothing = csr_array(scores.shape)
    _check_finite(Data(_WRITE, nothing, scores, None))
    judged, retrieved = _cells(nothing, None), _cells(scores, None)
    indexes = Data(_WRITE, None, y_score).indexes
    return _Table(_WRITE, judged, retrieved, scores.shape[0], None, [scores.shape[1:]], indexes)


def _all_stored(values: NDArray[Any]) -> csr_array:
    """Return a matrix as a sparse one that stores all of it, zeros too."""
    n_rows, n_columns = values.shape
    values = values.astype(supported_by_scipy(values.dtype), copy=False)
    columns = np.tile(np.arange(n_columns), n_rows)
    start = np.arange(n_rows + 1) * n_columns
    return csr_array((values.ravel(), columns, start), shape=values.shape)


def _ranked(
    cells: _Cells, name_of_column: NDArray[Any], scores: Floats
) -> tuple[Positions, Positions]:
    """Return the order of items by query and rank, and the ranks, as trec_eval ranks them."""
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
    """Return the items of each query, in whatever layout they come."""
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
            "2-D, a label for each element of y_score, or 1-D with `qid`",
            f"shape {truth.shape} with y_score of shape {scores.shape}, as class labels have it,",
            "Pass `y_true[:, None] == classes`, with the class of each column of y_score.",
        )
    # Scores of pandas go on as they came, since their index counts.
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
    """Raise unless the data has a layout, and what takes part in it is finite."""
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
    """Return the items of a matrix that take part; of a sparse one those that are stored."""
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
    """Return the names of queries by their rows, or by the ids in `qid`."""
    if table.ids is None:
        return [f"{prefix}{row + offset}" for row in range(table.n_queries)]
    names = [prefix + name for name in _as_strings(table.ids, "qid", _TO)]
    _check_unique(names, "qid", _TO)
    return names


def _names_of_queries(table: _Table, query_ids: ArrayLike) -> list[str]:
    """Return the names of queries that the caller gave."""
    ids = _as_ids(query_ids, "query_ids", table.function)
    if ids.shape != (table.n_queries,):
        expected = f"of shape ({table.n_queries},), a name for each query"
        raise invalid("query_ids", table.function, expected, f"shape {ids.shape}")
    if table.ids is None:  # else they are in the order of the ids
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
        # A column has one string, however many queries it is in.
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
    """Return the ids of items as an array of a shape that they may have."""
    ids = _as_ids(item_ids, "item_ids", table.function)
    if ids.shape not in table.shapes_of_ids:
        expected = f"of shape {' or '.join(map(str, table.shapes_of_ids))}"
        raise invalid("item_ids", table.function, expected, f"shape {ids.shape}")
    return ids


def _names_of_columns(ids: NDArray[Any], function: str) -> NDArray[Any]:
    """Return the names of the columns as an array of strings, all of them different."""
    names = _as_strings(ids, "item_ids", function)
    _check_unique(names, "item_ids", function)
    return np.array(names, dtype=object)


def _as_ids(values: ArrayLike, parameter: str, function: str) -> NDArray[Any]:
    """Return ids as an array, those that come as a list each as it was."""
    if not hasattr(values, "dtype"):
        values = np.asarray(values, dtype=object)
    return as_ndarray(values, parameter, function)


def _as_strings(ids: Any, parameter: str, function: str) -> list[str]:
    """Return 1-D ids as strings."""
    ids = check_identifiers(ids, parameter, function)
    if ids.dtype.kind in "mM":  # which .tolist() makes ints in some units
        ids = ids.astype(str)
    values = ids.tolist()
    if bytes in set(map(type, values)):
        advice = "Decode them: `np.char.decode(ids)`."
        raise invalid(parameter, function, "of strings, or what `str` names", "bytes", advice)
    return list(map(str, values))


def _check_unique(names: list[str], parameter: str, function: str, query: str = "") -> None:
    if len(set(names)) < len(names):
        twice = next(name for name, count in Counter(names).items() if count > 1)
        expected = "unique as strings" + (" within a query" if query else "")
        got = f"{twice!r} more than once" + (f" in query {query!r}" if query else "")
        raise invalid(parameter, function, expected, got)


def _name(item: str, query: str) -> str:
    """Return what an error message calls a document of a query."""
    return f"document {item!r} of query {query!r}"


def _as_dicts(
    queries: list[str], query: Positions, names: list[str], values: list[Any]
) -> dict[str, dict[str, Any]]:
    """Return the value of each item by its name, by the name of its query."""
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
"""The grades that trec_eval can read wherever it runs: those of a C long of 32 bits."""


def _as_grades(
    values: NDArray[Any], name: Callable[[int], str], parameter: str, function: str
) -> NDArray[np.int64]:
    """Return labels as ints; `name` says what to call the document at an index."""
    if values.dtype.kind == "f":
        values = values.astype(np.result_type(values, np.float64), copy=False)
    is_grade = (values >= _LEAST_GRADE) & (values <= _GREATEST_GRADE)
    if values.dtype.kind == "f":
        is_grade &= np.floor(values) == values
    if not is_grade.all():
        first = int(np.argmin(is_grade))
        advice = "It would cut them off: round or scale them as you mean it."
        if np.isnan(values[first]):
            advice = "Leave the document out if it was not judged."
        raise invalid(
            parameter,
            function,
            "made of whole numbers of 32 bits, as trec_eval reads grades",
            f"{values[first]!s} for {name(first)}",
            advice,
        )
    return values.astype(np.int64)


def _as_exact_floats(
    values: NDArray[Any], name: Callable[[int], str], parameter: str, function: str
) -> Floats:
    """Return scores as float64, in which none of them may be another one."""
    with np.errstate(over="ignore", under="ignore"):
        floats = values.astype(np.float64)
    is_exact = floats == values if values.dtype.kind == "f" else np.abs(floats) < 2**53
    if not is_exact.all():
        first = int(np.argmin(is_exact))
        got = f"{values[first]!s} for {name(first)}"
        advice = "Their order is kept by `scipy.stats.rankdata(y_score, method='dense')`."
        raise invalid(parameter, function, "exact as float64, ints below 2**53", got, advice)
    return floats


def _count_tied_as_float32(query: Positions, scores: Floats) -> int:
    """Return the number of queries in which scores are equal once they are float32."""
    with np.errstate(over="ignore", under="ignore"):
        single = scores.astype(np.float32)
    order = np.lexsort((single, query))
    query, single = query[order], single[order]
    is_tied = (query[1:] == query[:-1]) & (single[1:] == single[:-1])
    return int(np.unique(query[1:][is_tied]).size)


def _replace_missing(missing: Any, queries: Any) -> Any:
    """Return the value of `queries` that comes closest to one of its old name."""
    check_option(missing, "missing", _FROM, ("zero", "skip", "raise"))
    if queries != "judged":
        expected = "None where `queries` is passed, which replaces it"
        raise invalid("missing", _FROM, expected, describe(missing))
    queries = {"zero": "judged", "skip": "both", "raise": "equal"}[missing]
    more = " That also refuses queries that only run has." if missing == "raise" else ""
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
        raise invalid("qrel", _FROM, "such that there is a query in it", describe(qrel))
    common = qrel.keys() & run.keys()
    if not common and (run or queries == "both"):
        got = f"{_three(qrel)} in qrel and {_three(run)} in run"
        advice = "" if run else "With queries='judged' an empty run has retrieved nothing."
        raise invalid("run", _FROM, "such that it has a query in common with qrel", got, advice)
    absent, not_judged = qrel.keys() - common, run.keys() - common
    if queries == "equal" and (absent or (not_judged and not may_leave_out)):
        expected = "such that it has the queries of qrel, and no others, where queries='equal'"
        n_others = f"{len(not_judged)} of {len(run)} queries that are not in qrel"
        got = f"{n_others}, the first of them {min(not_judged, default='')!r},"
        if absent:
            n_absent = f"{len(absent)} of {len(qrel)} queries"
            got = f"a run without {n_absent}, the first of them {min(absent)!r},"
        raise invalid("run", _FROM, expected, got)
    if not_judged and queries != "all":
        warnings.warn(
            f"{len(not_judged)} of {len(run)} queries of run are not in qrel, and left out, the "
            f"first of them {min(not_judged)!r}.",
            stacklevel=3,
        )
    if queries == "all":
        return sorted(qrel.keys() | run.keys())
    return sorted(common if queries == "both" else qrel.keys())


def _name_in(queries: list[str], dicts: Sequence[Mapping[str, Any]], index: int) -> str:
    """Return what an error message calls the document at an index of all dicts."""
    pairs = (
        (document, query)
        for query, of_query in zip(queries, dicts, strict=True)
        for document in of_query
    )
    return _name(*next(islice(pairs, index, None)))


def _check_dicts(qrel: Any, run: Any) -> None:
    """Raise unless both are dicts of dicts by strings."""
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
    """Return what an error message shows of ids: three, those first that are no strings."""
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
    """Return the values of dicts, each in the row of its dict and the column of its key."""
    n_stored = [len(of_query) for of_query in dicts]
    keys = chain.from_iterable(dicts)
    columns = np.fromiter((column[key] for key in keys), np.intp, count=values.size)
    start = np.concatenate([[0], np.cumsum(n_stored)])
    array = csr_array((values, columns, start), shape=(len(dicts), len(column)))
    array.sort_indices()
    return array


hide_types(globals())
