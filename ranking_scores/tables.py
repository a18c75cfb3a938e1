"""Judgments and predictions as tables or as lists, joined by the ids of queries and items.

Most people have two tables, or two lists of ids for each query. One says which items are relevant
to the query, the other says which items were predicted or retrieved for it. Scores take the result
in place of two arrays, and read it as deep as they need. An item that was judged and not predicted
has no rank, but still counts as relevant.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from ranking_scores._base._errors import invalid
from ranking_scores._base._validation import (
    advises_on_keywords,
    check_bool,
    check_option,
    check_real,
    describe,
    renamed,
)
from ranking_scores._files._json_files import read_file
from ranking_scores._files._json_forms import content_of
from ranking_scores._tables._aspects_given import (
    aspects_of_alternatives,
    aspects_of_columns,
    aspects_of_lists,
)
from ranking_scores._tables._columns import (
    as_table_of_records,
    check_gains,
    columns_with_gains,
    groupings_of as groupings_of,
    notes_of,
    read_columns,
    read_ids,
    with_labels_from_0,
)
from ranking_scores._tables._cut_ids import check_split
from ranking_scores._tables._exact_search import data_of_searches
from ranking_scores._tables._join import DUPLICATES, JUDGES, check_duplicates, side_of
from ranking_scores._tables._known_names import (
    LEFT_OUT,
    check_names_of_columns,
    check_one_of,
    check_unlabelled,
    checked_scores,
    is_distance,
    names_of_columns,
    rank_beside,
    seek_in_one,
    seek_in_two,
)
from ranking_scores._tables._lists_of_ids import (
    JoinInput,
    ListsByQuery,
    check_like,
    columns_without_self,
    lists_given,
    lists_of,
    note_of_dropped,
    without_excluded,
    without_self,
)
from ranking_scores._tables._ranking_data import QUERIES, QueriesSeen, RankingData
from ranking_scores._tables._sources import OneTable, TwoSources, data_by_judge, data_of

__all__ = [
    "QueriesSeen",
    "RankingData",
    "from_exact_search",
    "from_lists",
    "from_table",
    "from_tables",
    "read_json",
]


def __dir__() -> list[str]:
    return __all__


@advises_on_keywords
def from_lists(
    relevant: Any,
    retrieved: Any,
    *,
    item_scores: Any = None,
    queries: Literal["judged", "both", "all", "equal"] = "judged",
    duplicates: Literal["error", "best", "hold", "mean", "median", "majority"] = "error",
    split: str | Mapping[Any, Any] | Callable[[Any], Any] | None = None,
    split_at: Literal["last", "first"] = "last",
    split_relevant: bool = False,
    exclude: Any = None,
    labels: Any = None,
    drop_self: bool = False,
    aspects: bool | Literal["alternatives"] = False,
    aspect_weight: Any = None,
    scores: Any = None,
) -> RankingData:
    """Join lists of relevant ids and lists of retrieved ids, one of each per query.

    This is the form of most evaluations of search and of retrieval for language models: for each
    question, the ids that are right, and the ids that were found, the best first. The scores take
    the result, except grouped AUC and pairwise accuracy.

    Parameters
    ----------
    relevant : sequence or dict
        The relevant items of each query: a list or a set of ids, one id as text, a list of dicts
        with `id` and `grade` (or `label`), or a dict of ids and grades. None and an empty list
        mean that nothing is relevant. Ids may be text, numbers, UUIDs, tuples or other objects
        that hash. The judgments of Elasticsearch and OpenSearch may be passed as they are.
        The queries come in one of two forms, the same for all parameters:

        - A sequence: a list, an array of objects, a 2-D array, or a column of lists of pandas,
          polars or pyarrow. Queries are numbered from 0.
        - A dict of query ids.

    retrieved : sequence or dict
        The items that were retrieved for each query, in one of these forms. None and an empty list
        mean that nothing was retrieved.

        - A list of ids, the best first.
        - A list of pairs (id, score), or of dicts with `id` and `score`. The highest score is the
          best, and equal scores tie, whatever their order. A `distance` in place of the score is
          turned round if it rises from the best item on.
        - A dict of ids and scores.
        - The answer of a search engine, a vector database or a library, such as the dict that
          Elasticsearch returns or a list of LangChain's documents. `data.notes` says what it was
          taken for, and whether distances were turned round. The guide lists the answers that are
          known. One answer to all queries, such as Chroma's, may be passed by itself if `relevant`
          is a sequence.

        Each query is ranked by its own form: `data.notes` says so if some lists have scores and
        others have none. If only some entries of a list have a score, its order is the ranking,
        and the scores must not rise. If ids are tuples, a pair is an entry whose first element is
        a tuple.

    item_scores : sequence or dict, default=None
        A list of scores for each query, if `retrieved` has lists of ids: one score for each of
        them, as vector indexes return them. Finite numbers; the highest score is the best.

    queries : {"judged", "both", "all", "equal"}, default="judged"
        Which queries the result has, as in `from_tables`. Only dicts can have different queries. A
        query whose list is empty is there.

    duplicates : {"error", "best", "hold", "mean", "median", "majority"}, default="error"
        What happens if an item is in a list of `retrieved` twice:

        - "error": an error, if a score reads both places.
        - "best": the item counts once, at its best place. Its other places vanish, and the items
          below them move up. If you pass the document of each passage as its id, this ranks
          documents by their best passages.
        - "hold": the item counts once, in one of its places with the highest score. Its other
          places stay and are not relevant. This scores the list that a user saw.

        - "mean", "median", "majority": an error, as with "error". But an item that several people
          judged, so that `relevant` has it several times for a query, has the mean or the median
          of its grades, or the most frequent one, of equally frequent ones the lowest.

        An item that `relevant` has twice for a query is an error with "error". With "best" and
        "hold" it counts once, with its highest grade.

    split : str, dict or callable, default=None
        A text such as "#" at which the ids of `retrieved` are cut: the passage "guide#4" becomes
        the document "guide". Ids without it stay whole, and at least one has it. Or a dict or a
        function that has the document of each id. Documents have several passages, so this goes
        with `duplicates`.

    split_at : {"last", "first"}, default="last"
        The place at which ids are cut that have the text more than once.

    split_relevant : bool, default=False
        Whether the ids of `relevant` are those of passages, too, and are cut. Two ids that the
        text of `split` makes one are an error. If they are not cut, an id that has the text is.

    exclude : sequence or dict, default=None
        The items to leave out for each query, in the form of `relevant`, such as those that a user
        has seen. They count as not retrieved, and the items below them move up, as with
        `drop_self`. If they are judged, they still count as relevant, so leave them out of
        `relevant`, too. They are compared after any `split`. `data.notes` says how many
        predictions were left out, and how many of the items are judged.

    labels : dict, default=None
        The gain of each label, if the grades of `relevant` are text, such as those of Amazon's
        shopping queries: ``{"E": 1, "S": 0.1, "C": 0.01, "I": 0}``. A label that the dict does not
        have is an error. None: grades are numbers.

    drop_self : bool, default=False
        Whether predictions whose item has the id of their query are dropped, as BEIR does by
        default: in some collections, such as those of ArguAna and CQADupStack, the queries are
        documents, too. The items below them move up, as if they had not been retrieved, and free
        ranks stay free. If they were judged, they still count as relevant. Queries and items must
        have ids, which are compared after any `split` and are all read at once. `data.notes` says
        how many were dropped.

    aspects : bool or "alternatives", default=False
        Whether each query of `relevant` has a dict of aspects, such as the facts that its answer
        needs. Each aspect has its own relevant items, in one of the forms above. The score of a
        query is then the mean over its aspects, all of which see the same ranking. See the notes.
        "alternatives": each query has a list of lists, ``[["a", "b"], ["c"]]``. Each inner list
        is an aspect, numbered from 0, and has the ids of which any one is enough, as
        ``hit_rate_score`` and ``mean_reciprocal_rank_score`` count them.

    aspect_weight : sequence or dict, default=None
        The weight of each aspect in the mean of its query, in the form of `relevant`, with a
        number from 0 to 1e300 for each aspect: ``{"q1": {"who": 1, "when": 0.5}}``. An aspect
        that weighs nothing is left out. None: all aspects of a query weigh the same.

    scores : sequence or dict, default=None
        The old name of `item_scores`, until version 0.4.

    Returns
    -------
    data : RankingData
        The data, which scores take in place of `y_true` and `y_score`, as `from_tables` returns
        it. Its `y_true` has the grades, or 1 for each relevant item. Without scores, the first
        item of a list has the score -1, the second -2, and so on.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here; if one parameter is a dict and another is a
        sequence; if sequences have different lengths; if an id or a score is missing; if a grade
        or a score is not a finite number; if a list has an item twice and
        ``duplicates="error"``; or if no query of two dicts is in both. The message names the
        parameter, the query and the place in its list. The error is of both types, as in
        scikit-learn.

    Warns
    -----
    UserWarning
        If no relevant item is among the retrieved items, or if less than half of the queries of
        each dict are in the other one. If the scores rise from the first item to the last in every
        list, as distances do, and that can hardly be chance.

    See Also
    --------
    from_tables : Takes tables with one row per item.
    ranking_scores.retrieved_from_ids : Takes an array of ints, with -1 for places without an item.
    ranking_scores.trec.from_pytrec_eval : Takes dicts of dicts.

    Notes
    -----
    Text is never read as a number: "7" is not 7.

    A score reads the places that it needs, and an id is checked when it is read. So errors about
    ids, and the warning that nothing is found, come with the first score that reads them. The
    lists are not copied: do not change them before the last score is computed. A score that reads
    them later raises an error if the length of a list has changed, or what is in the lists. If
    these have more than some thousand entries, only a sample of the lists is compared.

    With aspects, an item may be relevant to several of them, with other grades. An aspect without
    relevant items is undefined, and `replace_undefined_by` of a score replaces its value. NaN
    leaves it out of the mean of the query. A query is undefined if all its aspects are. Scores and
    `ranking_report` take such data, and comparisons take their reports. Functions that take no
    account of aspects refuse it.

    An array of ints with -1 for places without an item, as vector indexes return it, is what
    `retrieved_from_ids` takes. In an array of ints, -1 is an error. In a list it is an id like any
    other.

    Examples
    --------
    >>> from ranking_scores import ndcg_score, ranking_report
    >>> from ranking_scores.tables import from_lists
    >>> gold = [["d1", "d7"], ["d2"], []]
    >>> found = [["d7", "d3", "d1"], ["d4", "d5"], ["d1"]]
    >>> data = from_lists(gold, found)
    >>> ndcg_score(data, k=3, average=None)
    array([0.91972079, 0.        , 0.        ])

    The third question has no right answer, so its score is undefined and replaced by 0. To leave
    it out:

    >>> options = {"scores": ["recall", "mrr"], "k": 3, "replace_undefined_by": float("nan")}
    >>> ranking_report(data, **options)
                mean  standard error  undefined
    recall@3  0.5000          0.5000          1
    mrr@3     0.5000          0.5000          1
    <BLANKLINE>
    3 queries

    Passages of the same document. Their best places count:

    >>> gold = {"q1": {"guide": 2, "faq": 1}}
    >>> found = {"q1": [("faq#2", 0.9), ("faq#1", 0.8), ("guide#4", 0.7)]}
    >>> data = from_lists(gold, found, split="#", duplicates="best")
    >>> data.y_score.toarray()
    array([[0.9, 0.7]])

    A question that needs two facts. One of them is among the first two passages:

    >>> from ranking_scores import hit_rate_score
    >>> gold = {"q1": {"who": ["d1", "d7"], "when": ["d9"]}}
    >>> data = from_lists(gold, {"q1": ["d7", "d3", "d9"]}, aspects=True)
    >>> hit_rate_score(data, k=2), hit_rate_score(data, k=3)
    (0.5, 1.0)
    """
    function = "from_lists"
    check_option(queries, "queries", function, QUERIES)
    check_duplicates(duplicates, function, has_aspects=bool(aspects))
    given_aspects, cut = None, check_split(split, split_at, split_relevant, function)
    if isinstance(aspects, str):
        if aspects != "alternatives":
            expected = "True, False or 'alternatives'"
            raise invalid("aspects", function, expected, describe(aspects))
        relevant = aspects_of_alternatives(relevant, function)
        aspects = True
    if check_bool(aspects, "aspects", function):
        relevant, given_aspects = aspects_of_lists(
            relevant, aspect_weight, cut, duplicates, function
        )
        cut = cut and cut.without_judged()
    elif aspect_weight is not None:
        expected = "None unless aspects=True"
        raise invalid("aspect_weight", function, expected, describe(aspect_weight))
    read = {"relevant": notes_of(relevant), "retrieved": notes_of(retrieved)}
    item_scores = renamed("scores", scores, "item_scores", item_scores, function)
    given = lists_given(relevant, retrieved, item_scores, cut, function)
    if check_gains(labels, function) is not None:
        if given_aspects is not None:
            raise invalid("labels", function, "None if queries have aspects", describe(labels))
        given = given._replace(grades_in=given.grades_in._replace(gains=labels))
    read["retrieved"] += (*filter(None, [given.form]), *given.notes)
    if isinstance(given.judged, ListsByQuery) and given.judged.note:
        read["relevant"] += (given.judged.note,)
    notes = [f"{parameter}: {note}" for parameter, own in read.items() for note in own]
    if exclude is not None:
        excluded_lists = lists_of(exclude, "relevant", "exclude", function)
        if isinstance(given.judged, ListsByQuery):
            check_like(given.judged, excluded_lists, {"relevant": relevant, "exclude": exclude})
        given, note = without_excluded(given, excluded_lists)
        notes.append(f"exclude: {note}")
    if check_bool(drop_self, "drop_self", function):
        given, n_dropped = without_self(given)
        notes.append(f"retrieved: {note_of_dropped(n_dropped)}")
    return data_of(TwoSources(given, queries, duplicates), notes, given_aspects)


@advises_on_keywords
def from_exact_search(
    exact_ids: Any,
    exact_distances: Any,
    found_ids: Any,
    found_distances: Any = None,
    *,
    k: int | None = None,
    tolerance: float = 0.0,
) -> RankingData:
    """Compare the results of a vector index with those of exact search.

    The `k` nearest points of exact search are the relevant items, and the points that the index
    found are the ranking, in their order. So ``recall_at_k_score(data, k=k)`` is the recall of the
    index. A point counts as found if it is at most as far as the k-th nearest one: of points that
    tie at that distance, exact search returns any, and the others are as good.

    Parameters
    ----------
    exact_ids : array of int of shape (n_queries, n_places), sequence or dict
        The ids that exact search found for each query, the nearest first. It comes in one of
        these forms, the same for all parameters:

        - An array of ints, as FAISS and hnswlib return it. -1 means that there is no result. It
          comes after the ids of a row, and what the distances have in its place does not count.
        - A sequence of lists or arrays, or a column of lists of pandas, polars or pyarrow. The
          lists may have different lengths. Ids may be text, ints, UUIDs or other objects that
          hash.
        - A dict of such lists by query ids.

    exact_distances : array of shape (n_queries, n_places), sequence or dict
        The distance of each of these points from the query. The smallest is the nearest, so pass
        ``-scores`` if exact search returns inner products or similarities.

    found_ids : array of int of shape (n_queries, n_found), sequence or dict
        The ids that the index found, in its order, each of them once.

    found_distances : array of shape (n_queries, n_found), sequence or dict, default=None
        The distances of these points. They tell whether a point that is not in `exact_ids` is as
        near as the k-th one. They have to be the same distances as those of exact search, not
        those of compressed vectors, for which you compute them from the vectors or leave them
        out. A point that is in `exact_ids` counts by its distance there.

    k : int, default=None
        The number of nearest points to be found, at most the number of places of `exact_ids`.
        None: the number of places of `found_ids`, or of `exact_ids` if that is smaller.

    tolerance : float, default=0.0
        A point counts if it is at most this much farther than the k-th nearest one. ann-benchmarks
        takes 0.001.

    Returns
    -------
    data : RankingData
        The data, which scores take in place of `y_true` and `y_score`. Each query has `k` relevant
        items with the label 1, or as many as exact search found if these are fewer. They are the
        first `k` points of the index that count as found. If these are fewer than `k`, the nearest
        points that are not among them come in addition. `data.notes` says how many points count.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here; if the parameters have different queries, or lists
        of different lengths; if a distance is missing or not finite; if a list has a point twice,
        or exact search has a point that is nearer than the one before; or if an array has -1
        before an id. The message names the parameter and the query. The error is of both types, as
        in scikit-learn.

    Warns
    -----
    UserWarning
        If no point of exact search was found. If `found_distances` contradicts exact search: if a
        point has another distance there, or is nearer than the last point there and not among its
        points.

    See Also
    --------
    from_lists : Takes lists of relevant ids.
    ranking_scores.retrieved_from_ids : Takes the results of an index, for other judgments.

    Notes
    -----
    If one kind of distance is float32 and the other float64, points that are in one of the lists
    only are compared in float32.

    Without `found_distances`, a point that is not in `exact_ids` counts as wrong, even if it is as
    near as the last one there. `data.notes` says in how many queries there is such a point.

    Examples
    --------
    Exact search found the points 7, 3 and 5. The points 5 and 8 are equally far, and the index
    found 8:

    >>> from ranking_scores import from_exact_search, recall_at_k_score
    >>> exact = [[7, 3, 5]], [[0.1, 0.4, 0.5]]
    >>> found = [[7, 8, 3]], [[0.1, 0.5, 0.4]]
    >>> recall_at_k_score(from_exact_search(*exact, *found), k=3)
    1.0
    >>> data = from_exact_search(*exact, found[0])
    >>> recall_at_k_score(data, k=[1, 2, 3])
    array([0.33333333, 0.33333333, 0.66666667])
    """
    function = "from_exact_search"
    expected = "a finite number of at least 0"
    allowed = check_real(tolerance, "tolerance", function, expected)
    if not 0 <= allowed < float("inf"):
        raise invalid("tolerance", function, expected, describe(tolerance))
    exact = {"exact_ids": exact_ids, "exact_distances": exact_distances}
    found = {"found_ids": found_ids, "found_distances": found_distances}
    return data_of_searches(exact | found, k, allowed, function)


@advises_on_keywords
def from_tables(
    judgments: Any,
    predictions: Any,
    *,
    query: Any = None,
    item: Any = None,
    label: Any = LEFT_OUT,
    score: Any = None,
    rank: Any = None,
    queries: Literal["judged", "both", "all", "equal"] = "judged",
    duplicates: Literal["error", "best", "hold", "mean", "median", "majority"] = "error",
    exclude: Any = None,
    labels: Any = None,
    drop_self: bool = False,
    aspect: Any = None,
    aspect_weight: Any = None,
    judge: Any = None,
) -> RankingData:
    """Join a table of judgments and a table of predictions.

    The scores take the result, except grouped AUC and pairwise accuracy. An item that was
    predicted and not judged has the label 0. An item that was judged and not predicted has no
    rank, but it counts in the ideal ranking and in the number of relevant items.

    Parameters
    ----------
    judgments : table
        The relevance of items, with one row per judged item of a query. The table is one of:

        - a pandas DataFrame, or a polars DataFrame or LazyFrame;
        - a pyarrow table or record batch;
        - any other table that narwhals reads;
        - a list or another iterable of records, one for each row, which is read once. All of them
          are dicts, or all are named tuples, such as the judgments of a catalogue, or all are
          dataclasses. A field that a record lacks is missing;
        - a dict of columns. All pandas columns of a dict must have the same index.

        Only the columns that are named or found are read.

    predictions : table
        The predictions, with one row per predicted item of a query. The table may come from
        another library than `judgments`. A table without rows means that nothing was predicted.

    query : column name, or pair of them, default=None
        The column of query ids, such as users. None: it is found by its name, such as "query",
        "qid" or "query-id", if no other column is named for a query. The guide lists the names
        that are known, and `data.notes` says what was taken. A pair if the tables have different
        names for it: first that of `judgments`, then that of `predictions`. Ids may be text,
        numbers, dates or other objects that hash, also as categories. They must be of the same
        kind in both tables: "1" is not 1, and dates with a time zone are not dates without one. A
        name that is itself a tuple, as of a frame with several levels of columns, goes into a
        pair, too.

    item : column name, or pair of them, default=None
        The column of item ids, as for `query`. None: it is found like that of `query`. An item is
        in each table once for a query, unless `duplicates` says otherwise.

    label : column name or None, optional
        The column of `judgments` that says how relevant an item is. None: each row of `judgments`
        is a relevant item, with the label 1. If it is left out, it is found like that of `query`,
        provided that another column is found in this way. If there is none, each row is a relevant
        item, and a column of other numbers is an error, since it may have the labels.

    score : column name, default=None
        The column of `predictions` that ranks items, the highest first. Finite numbers. If both
        `score` and `rank` are None, one of them is found like the column of `query`. If it is
        called distance, distances or dist and the numbers rise from the best item of each query
        on, each score is minus the distance. If they fall, they are similarities.

    rank : column name, default=None
        The column of `predictions` that has the ranks of items, if there is no `score`. Whole
        numbers from 1 on; equal ones tie. Ranks that are left out stay free: see the notes.

    queries : {"judged", "both", "all", "equal"}, default="judged"
        Which queries the result has. "judged": those with a row in `judgments`; if they have none
        in `predictions`, nothing was predicted for them. "both": those with a row in both tables.
        "all": those with a row in either; if they have none in `judgments`, nothing is relevant
        to them. "equal": both tables must have the same queries.

    duplicates : {"error", "best", "hold", "mean", "median", "majority"}, default="error"
        What happens if `predictions` has an item twice for a query:

        - "error": an error.
        - "best": the item counts once, at its best place: its highest score or its lowest rank.
          Its other rows vanish, and the items below them move up. If `item` is the document of a
          passage, this ranks documents by their best passages.
        - "hold": the item counts once, in one of its rows with the highest score. Its other rows
          keep their ranks and are not relevant.

        - "mean", "median", "majority": an error, as with "error". But an item that several people
          judged, so that it is judged several times for a query, has the mean or the median of its
          labels, or the most frequent one, of equally frequent ones the lowest.

        An item that is judged twice for a query is an error with "error". With "best" and "hold"
        its highest label counts.

    exclude : table, default=None
        The items to leave out for each query, such as those that a user has seen: a table with the
        columns of queries and items that `judgments` has. They count as not retrieved, and the
        items below them move up, as with `drop_self`. If they are judged, they still count as
        relevant, so leave them out of `judgments`, too. `data.notes` says how many predictions
        were left out, and how many of the items are judged.

    labels : dict, default=None
        The gain of each label, if labels are text, such as those of Amazon's shopping queries:
        ``{"E": 1, "S": 0.1, "C": 0.01, "I": 0}``. A label that the dict does not have is an error.
        None: labels are numbers.

    drop_self : bool, default=False
        Whether predictions whose item has the id of their query are dropped, as BEIR does by
        default: in some collections, such as those of ArguAna and CQADupStack, the queries are
        documents, too. The items below them move up, as if they had not been retrieved, and free
        ranks stay free. If they were judged, they still count as relevant. Queries and items must
        have ids, which are compared after any `split` and are all read at once. `data.notes` says
        how many were dropped.

    aspect : column name, default=None
        The column of `judgments` with the aspects of queries, such as subtopics, nuggets or the
        facts that an answer needs. A row then says how relevant an item is for one aspect of a
        query. The score of a query is the mean over its aspects, all of which see the same
        ranking. See the notes of `from_lists`. None: queries have no aspects.

    aspect_weight : column name, default=None
        The column of `judgments` with the weight of each aspect in the mean of its query, which is
        the same in all rows of an aspect: finite numbers that are not negative. None: all aspects
        of a query weigh the same.

    judge : column name, default=None
        The column of `judgments` that says who gave the label, if several people judged the same
        items. `duplicates` must then say how their labels become one, and `by_judge` of the result
        has the data of each judge, for `ranking_scores.agreement.judge_agreement`. It cannot be
        combined with `aspect`.

    Returns
    -------
    data : RankingData
        The data, which scores take in place of `y_true` and `y_score`. It is also a tuple of
        `y_true`, `y_score`, `query_ids` and `item_ids`, made when they are first used. Queries and
        items are sorted by value. `y_true` and `y_score` are sparse, so their memory is
        proportional to the number of rows of the tables. The result does not depend on the order
        of the rows. Its attribute `queries_seen` says which queries are in both tables, and which
        in one only.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here; if a table lacks a column; if a column that was
        not named is not found, or several could be it; if an id, a label, a score or a rank is
        missing; if a label, a score or a rank is not a finite number; if an item is in a table
        twice for a query and ``duplicates="error"``; or if no query is in both tables, unless
        `predictions` has no rows. The message names the table, the column and the query. The error
        is of both types, as in scikit-learn.

    Warns
    -----
    UserWarning
        If no judged item is among the predicted items, or if less than half of the queries of each
        table are in the other one. If a column of ranks beside the scores contradicts them in
        every query with several items.

    See Also
    --------
    from_lists : Takes lists of ids.
    from_table : Takes one table in which judgments and predictions are already joined.
    ranking_scores.retrieved_from_ids : Takes lists of item ids that are columns of `y_true`.
    ranking_scores.trec.from_pytrec_eval : Takes dicts of dicts.

    Notes
    -----
    A score reads the rows that it needs, and the id of an item is checked when it is read. So
    errors about items, and the warning that none is found, come with the first score that reads
    them. Labels, scores, ranks and the ids of queries are checked at once. Do not change arrays
    before the last score is computed: a score that finds another sum of numbers of 64 bits, or
    another sample of values, raises an error. Other columns are copied.

    The type of the ids determines the dtype of `query_ids` and `item_ids`:

    - text: object
    - whole numbers: int64. If int64 does not hold the ids of both tables, uint64, and if uint64
      does not either, object. All ids count, including those of queries that are left out.
    - dates: datetime64, in UTC if they have a time zone. Dates of different units are joined in
      the finest unit that holds all of them.
    - durations: timedelta64

    Ids that Python cannot sort are sorted by type and `repr`.

    An item of rank r is at position r, unless the items above it take up r or more positions.
    In that case it comes directly after them. Items with the same rank tie for the positions from
    there on. So the ranks 1, 1, 2, 6 put two items at 1 and 2, one item at 3, and one at 6.

    The free positions, 4 and 5 in this example, are filled with items that are not judged. These
    have columns of their own at the end, for which `item_ids` is None. Queries share the columns,
    so there are as many as the query with the most gaps needs. The score of an item is minus its
    position. Items with the same rank have the position of the first of them.

    A query may have 16 free positions per row of `predictions`. All queries together may have the
    same number, or 2**23 if that is more. This bounds the memory of the result. A table with the
    rank of one held-out item per user may exceed the limit. In this case, drop the rows whose rank
    is beyond the last cutoff that you use, and keep ``queries="judged"``. At that cutoff, the item
    counts as not found either way. The error message names the last rank to keep. Only scores that
    count the retrieved items change, such as ``precision_at_k_score`` with
    ``denominator="retrieved"``.

    For tables of pandas, polars or pyarrow, the library itself turns columns of text into codes.
    Columns of categories already have codes, which is even faster.

    Examples
    --------
    >>> from ranking_scores import mean_average_precision_score
    >>> from ranking_scores.tables import from_tables
    >>> judgments = {
    ...     "user": ["ann", "ann", "ann", "bob"],
    ...     "film": ["Alien", "Brazil", "Casino", "Alien"],
    ...     "stars": [5, 3, 0, 4],
    ... }
    >>> predictions = {
    ...     "user": ["ann", "ann", "bob", "bob"],
    ...     "film": ["Alien", "Casino", "Brazil", "Alien"],
    ...     "score": [0.9, 0.2, 0.7, 0.7],
    ... }
    >>> data = from_tables(
    ...     judgments, predictions, query="user", item="film", label="stars", score="score"
    ... )
    >>> data.item_ids
    array(['Alien', 'Brazil', 'Casino'], dtype=object)
    >>> data.y_true.toarray()
    array([[5, 3, 0],
           [4, 0, 0]])

    ann likes two films, and one of them was predicted, at the first rank. For bob, two films tie,
    and he likes one of them:

    >>> scores = mean_average_precision_score(data, average=None)
    >>> dict(zip(data.query_ids, scores.tolist()))
    {'ann': 0.5, 'bob': 0.75}

    Names that a known project uses need not be passed:

    >>> qrels = {"query-id": ["q1", "q1"], "corpus-id": ["d1", "d2"], "score": [2, 1]}
    >>> run = {"qid": ["q1", "q1"], "docno": ["d3", "d1"], "score": [7.1, 6.5], "rank": [1, 2]}
    >>> data = from_tables(qrels, run)
    >>> for note in data.notes:
    ...     print(note)
    judgments: query-id, corpus-id, score as label: BEIR's names
    predictions: qid, docno, score (rank does not count): PyTerrier's names
    """
    function = "from_tables"
    check_option(queries, "queries", function, QUERIES)
    check_duplicates(duplicates, function, has_aspects=aspect is not None)
    names = names_of_columns(function, query, item, label, score, rank, may_be_sought=True)
    check_names_of_columns(function, aspect=aspect, aspect_weight=aspect_weight, judge=judge)
    if judge is not None and duplicates not in JUDGES:
        expected = "'mean', 'median' or 'majority' if `judge` names a column"
        raise invalid("duplicates", function, expected, repr(duplicates))
    if aspect is None and aspect_weight is not None:
        expected = "None unless `aspect` names a column"
        raise invalid("aspect_weight", function, expected, describe(aspect_weight))
    judgments = as_table_of_records(judgments, "judgments", function)
    predictions = as_table_of_records(predictions, "predictions", function)
    judgments = with_labels_from_0(judgments)
    names, notes = seek_in_two(judgments, predictions, names, label, function)
    of_order = names.predicted["score"] or names.predicted["rank"]
    if judgments is predictions and names.judged["label"] == of_order:
        got = "the judgments, with the same numbers"
        raise invalid("predictions", function, "another table than the judgments", got)
    names.judged.update(aspect=aspect, aspect_weight=aspect_weight)
    if label is LEFT_OUT and names.judged["label"] is None:
        check_unlabelled(judgments, names, function)
    of_judge = {} if judge is None else {"judge": judge}
    judged = read_columns(judgments, of_judge | names.judged, "judgments", function)
    judge = judged.pop("judge", None)
    judged = columns_with_gains(judged, labels, function)
    ranks = rank_beside(predictions, names.predicted)
    predicted = read_columns(predictions, ranks | names.predicted, "predictions", function)
    predicted_side = side_of(predicted)
    kept, rank_notes = checked_scores(predicted, predicted_side.query)
    notes += [f"predictions: {note}" for note in rank_notes]
    side, given_aspects = (
        (side_of(judged), None) if aspect is None else aspects_of_columns(judged, duplicates)
    )
    given = JoinInput(side, predicted_side._replace(columns=kept))
    if exclude is not None:
        in_both = {name: names.judged[name] for name in ("query", "item")}
        exclude = as_table_of_records(exclude, "exclude", function)
        excluded = side_of(read_columns(exclude, in_both, "exclude", function))
        given, note = without_excluded(given, excluded)
        notes.append(f"exclude: {note}")
    if check_bool(drop_self, "drop_self", function):
        given, n_dropped = without_self(given)
        notes.append(f"predictions: {note_of_dropped(n_dropped)}")
    data = data_of(TwoSources(given, queries, duplicates), notes, given_aspects)
    if judge is not None:
        data.by_judge = data_by_judge(given, judge, queries, function)
    return data


@advises_on_keywords
def from_table(
    table: Any,
    *,
    query: Any = None,
    label: Any = None,
    score: Any = None,
    rank: Any = None,
    item: Any = None,
    queries: Literal["judged", "both", "all", "equal"] = "all",
    duplicates: Literal["error", "best", "hold"] = "error",
    labels: Any = None,
    drop_self: bool = False,
) -> RankingData:
    """Convert one table that has both judgments and predictions, such as an outer join.

    The scores take the result, except grouped AUC and pairwise accuracy.

    - A row without a score is an item that was judged and not predicted. It has no rank, but it
      counts in the ideal ranking and in the number of relevant items. Dropping such rows would
      make the scores too high.
    - A row without a label is an item that was predicted and not judged. It has the label 0.

    Parameters
    ----------
    table : table
        The table, with one row per item of a query: a pandas DataFrame, a polars DataFrame or
        LazyFrame, a pyarrow table, any other table that narwhals reads, an iterable of records as
        in `from_tables`, or a dict of columns. Only the columns that are named or found are read.

    query : column name, default=None
        The column of query ids, such as users. None: it is found by its name, as in `from_tables`.
        Ids may be text, numbers, dates or other hashable
        objects, and the column may be categorical.

    label : column name, default=None
        The column with the relevance of items. None: it is found by its name. Null or NaN means
        that the item was not judged.

    score : column name, default=None
        The column with the scores of items. The highest score ranks first. Null or NaN means that
        the item was not predicted. If both `score` and `rank` are None, one of them is found by
        its name. Distances are as in `from_tables`.

    rank : column name, default=None
        The column with the ranks of items, if there is no `score`. Ranks are whole numbers from 1
        on. Equal ranks tie, and missing ranks stay free, as in `from_tables`. Null or NaN means
        that the item was not predicted.

    item : column name, default=None
        The column of item ids. A query may have each item only once, unless `duplicates` says
        otherwise. None means that each row is an item of its own, whose id is the number of the
        row, from 0. If `query` is None, too, the column is found by its name, if it is there.

    queries : {"judged", "both", "all", "equal"}, default="all"
        The queries of the result:

        - "judged": those with a label.
        - "both": those with a label and a score, in the same row or in different rows.
        - "all": all queries of the table.
        - "equal": all queries, and each of them must have both.

    duplicates : {"error", "best", "hold"}, default="error"
        What happens if an item is in several rows of a query:

        - "error": an error.
        - "best": the item counts once, at its best place: its highest score or its lowest rank.
          Its other rows vanish, and the items below them move up. If `item` is the document of a
          passage, this ranks documents by their best passages.
        - "hold": the item counts once, in one of its rows with the highest score. Its other rows
          keep their ranks and are not relevant. Their columns come last, and their id is None.

        Except with "error", the highest label of an item counts, whichever row it is in.

    labels : dict, default=None
        The gain of each label, if labels are text, such as those of Amazon's shopping queries:
        ``{"E": 1, "S": 0.1, "C": 0.01, "I": 0}``. A label that the dict does not have is an error.
        None: labels are numbers.

    drop_self : bool, default=False
        Whether predictions whose item has the id of their query are dropped, as BEIR does by
        default: in some collections, such as those of ArguAna and CQADupStack, the queries are
        documents, too. The items below them move up, as if they had not been retrieved, and free
        ranks stay free. If they were judged, they still count as relevant. Queries and items must
        have ids, which are compared after any `split` and are all read at once. `data.notes` says
        how many were dropped.

    Returns
    -------
    data : RankingData
        The data, which scores take in place of `y_true` and `y_score`, as `from_tables` returns
        it. Its arrays are sparse, so their memory is proportional to the number of rows of the
        table.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here; if a column is missing, or is not named and not
        found; if an id is missing; if a
        label, a score or a rank is infinite or not a number; if a query has an item twice and
        ``duplicates="error"``; or if no query has both a label and a score, unless no query has a
        score. The message names the column and the query. The error is of both types, as in
        scikit-learn.

    Warns
    -----
    UserWarning
        If no judged item is among the predicted items. If a column of ranks beside the scores
        contradicts them in every query with several items.

    See Also
    --------
    from_tables : Joins two tables.
    from_lists : Takes lists of ids.

    Notes
    -----
    If every row has a label and a score, you do not need this function. Pass the columns to a
    score, with the query column as `qid`: the ragged layout gives the same result. In both
    layouts each query has only its own items.

    With `item`, the result does not depend on the order of the rows. Without it, the rows are the
    items, in their order, as in the ragged layout. ``ignore_ties=True`` then ranks the later of
    two equal rows first, and sums over equal rows may differ in the last bits.

    Examples
    --------
    >>> import pandas as pd
    >>> from ranking_scores import recall_at_k_score
    >>> from ranking_scores.tables import from_table
    >>> judgments = pd.DataFrame({"topic": [1, 1, 2], "page": ["a", "b", "c"], "grade": [1, 2, 1]})
    >>> run = pd.DataFrame({"topic": [1, 1, 2], "page": ["b", "z", "c"], "score": [8.1, 9.2, 4.0]})
    >>> joined = judgments.merge(run, how="outer")
    >>> joined
       topic page  grade  score
    0      1    a    1.0    NaN
    1      1    b    2.0    8.1
    2      1    z    NaN    9.2
    3      2    c    1.0    4.0
    >>> data = from_table(joined, query="topic", item="page", label="grade", score="score")
    >>> recall_at_k_score(data, k=2, average=None)
    array([0.5, 1. ])
    """
    function = "from_table"
    check_option(queries, "queries", function, QUERIES)
    check_option(duplicates, "duplicates", function, DUPLICATES)
    names = {"query": query, "item": item, "label": label, "score": score, "rank": rank}
    check_names_of_columns(function, **names)
    check_one_of(score, rank, function, may_be_sought=True)
    table = as_table_of_records(table, "table", function)
    names, notes = seek_in_one(table, names, function)
    ranks = rank_beside(table, names)
    columns = read_columns(table, ranks | names, "table", function)
    columns = columns_with_gains(columns, labels, function)
    if ranks or is_distance(names["score"]):
        columns, of_scores = checked_scores(columns, read_ids(columns["query"]))
        notes += [f"table: {note}" for note in of_scores]
    if check_bool(drop_self, "drop_self", function):
        columns, n_dropped = columns_without_self(columns)
        notes.append(f"table: {note_of_dropped(n_dropped)}")
    return data_of(OneTable(columns, queries, duplicates), notes)


def read_json(path: Any, *, query: str | None = None, item: str | None = None) -> dict[Any, Any]:
    """Read relevant or retrieved items from a file of JSON, in any of the usual forms.

    Parameters
    ----------
    path : str or os.PathLike
        The file, in UTF-8, plain or compressed by gzip, bzip2, xz or zstd. Before Python 3.14,
        zstd needs pyarrow. The name of the file does not matter. The content must fit exactly one
        of these forms:

        - One object that has a list or a dict of items, or the id of a single one, for each
          query, as pytrec_eval, BEIR and ranx write them: ``{"q1": {"d1": 2}}`` or
          ``{"q1": ["d3", "d1"]}``. MTEB's predictions are such objects inside of another one.
        - One record per query, each on a line of its own (JSON Lines), or all in one list:
          ``{"query": "q1", "relevant": ["d1"], "retrieved": ["d3", "d1"], "category": "faq"}``.
        - One record per item of a query: ``{"query": "q1", "item": "d1", "label": 2}``. The first
          record has a field `item`, or one that is known as an item and no lists.
        - Records in a field of one object: ``{"queries": [{"id": "q1", "relevant": ["d1"]}]}``.
        - A table as pandas writes it, in any of its orients.
        - One answer of a search engine or a vector database per query, in place of a list of items
          in the first two forms, or as a record that has the field of the query, too. Answers
          without the ids of their queries are an error. The guide lists the programs.

        An object whose keys are names of columns or fields, passed or known, is no object by
        query.

    query : str, default=None
        The field with the id of the query. A name with dots reaches into records, such as
        "metadata.id". "none" numbers the queries from 0, if no record has a field of this name:
        for one file that has both sides, or for files whose records are in the same order. None:
        it is found by its name, which is "query" or another known name, as in `from_tables`, or
        "id" in records per query.

    item : str, default=None
        The field with the id of the item, in records per item. It may have dots, too. If records
        have no such field, they are refused. None: it is found by its name, which is "item" or
        another known name.

    Returns
    -------
    content : dict
        What `from_lists` or `from_tables` takes:

        - For an object by query, the object: `from_lists` takes it.
        - For records that are answers, a dict of them by query: `from_lists` takes it.
        - For records per query, a dict of the fields. Each field is a dict by query, of the
          queries that have it: `from_lists` takes two of them.
        - For records per item, a dict of columns: `from_tables` and `from_table` take it.

    Raises
    ------
    ValueError, TypeError
        If the file is not JSON, is not in UTF-8, ends too early, or has none of these forms, or
        several; if an object has a name twice; if a field that is named is nowhere; or if a query
        has several records, or a record has no query or no item. The message names the file, the
        line and the field. The error is of both types, as in scikit-learn.
    OSError
        If the file cannot be read.

    See Also
    --------
    from_lists : Joins relevant and retrieved items.
    ranking_scores.trec.read_qrels : Reads judgments in TREC's format.

    Notes
    -----
    The file is read as a whole. Names and text are taken as they are: "7" is not 7, and no value
    is parsed as a date.

    Examples
    --------
    >>> import json
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from ranking_scores import ranking_report
    >>> from ranking_scores.tables import from_lists, read_json
    >>> records = [
    ...     {"query": "q1", "relevant": ["d1"], "retrieved": ["d3", "d1"], "category": "faq"},
    ...     {"query": "q2", "relevant": ["d2"], "retrieved": ["d2", "d4"], "category": "how-to"},
    ... ]
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "evaluation.json")
    ...     _ = path.write_text(json.dumps(records))
    ...     content = read_json(path)
    >>> content["category"]
    {'q1': 'faq', 'q2': 'how-to'}
    >>> data = from_lists(content["relevant"], content["retrieved"])
    >>> ranking_report(data, scores="mrr", k=10, by={"category": content["category"]})
              mean  standard error  undefined
    mrr@10  0.7500          0.2500          0
    <BLANKLINE>
    category   macro     faq  how-to
    queries                1       1
    mrr@10    0.7500  0.5000  1.0000
    <BLANKLINE>
    2 queries; mean ± standard error of each group, and macro: over groups
    worst group of category: faq (mrr@10)
    no error of macro over category: a group has too few queries
    """
    return content_of(read_file(path, "read_json"), query, item)
