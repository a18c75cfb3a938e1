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
from collections.abc import Mapping
from numbers import Integral
from typing import Any, Literal

from numpy.typing import ArrayLike

from ranking_scores._base._errors import invalid
from ranking_scores._base._validation import advises_on_keywords, check_bool, describe
from ranking_scores._files._trec_arrays import (
    arrays_of_dicts,
    dicts_of,
    names_of_queries,
    numbered_queries,
    table_of,
    write_scores,
)
from ranking_scores._files._trec_files import QRELS, QRELS_OF_ASPECTS, RUN, read_table
from ranking_scores._tables._ranking_data import RankingData

__all__ = ["from_pytrec_eval", "read_qrels", "read_run", "to_pytrec_eval", "write_run"]


def __dir__() -> list[str]:
    return __all__


_TO = "to_pytrec_eval"


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
) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
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
        The id of the query of each row, in any order. Ids are numbers, strings, dates or other
        objects that sort.

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
    table = table_of(_TO, y_true, y_score, qid, where)
    if query_ids is None:
        queries = numbered_queries(table, int(qid_offset), q_prefix)
    else:
        queries = names_of_queries(table, query_ids)
    return dicts_of(table, queries, item_ids, d_prefix)


@advises_on_keywords
def from_pytrec_eval(
    qrel: Mapping[str, Mapping[str, int]],
    run: Mapping[str, Mapping[str, float]],
    *,
    queries: Literal["judged", "both", "all", "equal"] = "judged",
    drop_self: bool = False,
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

    drop_self : bool, default=False
        Whether documents of `run` that have the id of their query are dropped, as BEIR does by
        default. The documents below them move up, as if they had not been retrieved. If they were
        judged, they still count as relevant. `data.notes` says how many were dropped.

    Returns
    -------
    data : RankingData
        The data, which scores take in place of `y_true` and `y_score`. It is also a tuple of
        `y_true`, `y_score`, `query_ids` and `item_ids`, made when they are first used. Queries and
        documents are sorted as strings. The columns are the documents of all queries. The matrices
        are sparse, so their memory is proportional to the size of the dicts. The ids are arrays of
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
    return arrays_of_dicts(qrel, run, queries, drop_self)


@advises_on_keywords
def read_qrels(path: str | os.PathLike[str], *, aspects: bool | None = None) -> dict[str, Any]:
    """Read judgments from a file in TREC's format, or in the shorter one of MS MARCO.

    Each line has the query, a number, the document and its label, separated by blanks:
    ``301 0 FR-10 1``. The number is unused, or the aspect of the query, such as its subtopic. In
    files of MS MARCO, a line may have the query and a relevant document alone.

    Parameters
    ----------
    path : str or os.PathLike
        The file, in UTF-8, plain or compressed by gzip, bzip2, xz or zstd. Before Python 3.14,
        zstd needs pyarrow. The content decides how it is read, and the name of the file does not
        matter.

    aspects : bool, default=None
        Whether the second field of each line is the aspect of the query, as in the qrels of TREC's
        diversity tasks. The table then has the column "aspect", which `from_tables` takes with
        ``aspect="aspect"``. False: the field does not count. None: nor does it then, and it is an
        error if it varies within a query.

    Returns
    -------
    judgments : dict of str to ndarray of shape (n_lines,)
        A table with the columns "query", "item" and "label". The ids are arrays of objects, each
        a str, so "007" stays "007". The labels are int64, as the file has them, or 1 if lines have
        two fields. The rows are in the order of the lines. The attribute ``notes`` has a line for
        each thing that is not as usual: lines of two fields, and comments.

    Raises
    ------
    ValueError, TypeError
        If a line has neither four nor two fields, or not as many as the first one, if its label is
        not a whole number or above 1 000 000, as times are, or if its ids are not in UTF-8. If the
        second field varies within a query, unless `aspects` is passed. If the first of lines of
        two fields has the names of columns. The message has the number of the line. The error is
        of both types, as in scikit-learn.
    OSError
        If the file cannot be opened. ``open`` raises the same error.

    See Also
    --------
    read_run : Reads the documents that a system retrieved.
    from_tables : Joins the table with that of a run.
    from_pytrec_eval : Converts the dicts that pytrec_eval reads from the same file to arrays.

    Notes
    -----
    Blanks are spaces, tabs, vertical tabs, form feeds and the ends of lines, including those of
    Windows. An id may have any other characters. Lines that begin with #, a byte order mark at the
    start of the file, and blank lines at its end are skipped. Such a mark at the start of a later
    line is an error. Whole labels may have a point, as in
    ``1.0``.

    TREC marks spam by -2, and sometimes documents that nobody judged by -1. The labels here are
    those of the file. If the table goes to `from_tables` as it is, labels below 0 count as 0, and
    the ``notes`` of the data say how many there are: such a document is judged, gains nothing and
    is not relevant. If -1 means that nobody judged it, drop these rows first. A copy, such as a
    frame of pandas, is a table like any other, in which most scores refuse labels below 0.

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
    has_aspects = aspects is not None and check_bool(aspects, "aspects", "read_qrels")
    kind = QRELS_OF_ASPECTS if has_aspects else QRELS
    return read_table(path, kind, may_vary=aspects is not None)


@advises_on_keywords
def read_run(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a run, the documents that a system retrieved, from a file of TREC or MS MARCO.

    Each line has the query, ``Q0``, the document, its rank, its score and the name of the run,
    separated by blanks: ``301 Q0 FR-10 1 7.5 example``. The name may have blanks, or be left out.
    The scores rank the documents, as in trec_eval, whatever the ranks are. In files of MS MARCO,
    each line has the query, the document and its rank, which is then read.

    Parameters
    ----------
    path : str or os.PathLike
        The file, in UTF-8, plain or compressed by gzip, bzip2, xz or zstd. Before Python 3.14,
        zstd needs pyarrow. The content decides how it is read, and the name of the file does not
        matter.

    Returns
    -------
    predictions : dict of str to ndarray of shape (n_lines,)
        A table with the columns "query", "item" and "score", or "rank" if lines have three fields.
        The ids are arrays of objects, each a str, so "007" stays "007". The scores are float64,
        and ranks are int64. The rows are in the order of the lines. An empty file is a run that
        retrieved nothing. The attribute ``notes`` has a line for each thing that is not as usual:
        lines of three fields, comments, several tags, and ranks that contradict the scores.

    Raises
    ------
    ValueError, TypeError
        If a line has other fields, or has ranks alone and the first line has scores or the other
        way round, if its score is not a finite number or its rank alone not a whole number from 1
        on, or if its ids are not in UTF-8. If ranks alone do not begin at 1 in a query, are there
        twice, or fall from line to line in each query, since they are rather scores. The message
        has the number of the line. The error is of both types, as in scikit-learn.
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
    Windows. An id may have any other characters. Lines that begin with #, a byte order mark at the
    start of the file, and blank lines at its end are skipped. Such a mark at the start of a later
    line is an error.

    Ranks contradict the scores of a query if a document has a higher score than another one and a
    later rank, as where distances were written as scores. The ranks of all lines are compared if
    all are numbers.

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
    return read_table(path, RUN)


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
        contain blanks, nor begin with # or a byte-order mark: readers skip the one, and take the
        other for a sign that files were joined.

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
    write_scores(path, y_score, query_ids, item_ids, tag)
