"""Tables of judgments and predictions, from any library and in any order, are joined by ids."""

from __future__ import annotations

import datetime
import sys
import warnings
from importlib.util import find_spec

import narwhals
import numpy as np
import pandas as pd
import polars as pl
import pytest
import pytrec_eval
import reference
from hypothesis import given, settings, strategies as st
from joined_tables import (
    DAY,
    JUDGMENTS,
    NAMES,
    PREDICTIONS,
    TOLERANCE,
    as_bits,
    as_polars_categories,
    by_id,
    check_message,
    joined_quietly,
)
from read_at_once import from_table, from_tables

from ranking_scores import (
    StreamingScore,
    mean_average_precision_score,
    ndcg_score,
    precision_at_k_score,
    ranking_report,
    recall_at_k_score,
)
from ranking_scores._tables import _join
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.tables import RankingData
from ranking_scores.ties import tie_report


def as_categories(columns):
    """Return a pandas frame whose ids are categories: some unused, not sorted."""
    frame = pd.DataFrame(columns)
    for name in ("q", "i"):
        categories = list(dict.fromkeys(columns[name]))[::-1]
        more = pd.Series([*OTHER_IDS.get(type(categories[0]), []), *categories]).drop_duplicates()
        frame[name] = pd.Categorical(frame[name], categories=more)
    return frame


OTHER_IDS = {str: ["unused"], int: [-99]}


def as_polars_enum(columns):
    frame = pl.DataFrame(columns)
    for name in ("q", "i"):
        if frame[name].dtype == pl.String:
            enum = pl.Enum(["unused", *sorted(set(columns[name]), reverse=True)])
            frame = frame.with_columns(pl.col(name).cast(enum))
    return frame


def as_arrow(columns):
    return sys.modules["pyarrow"].table(columns)


def as_arrow_chunks(columns):
    arrow = sys.modules["pyarrow"]
    tables = [
        arrow.table({name: each[row : row + 2] for name, each in columns.items()})
        for row in range(0, len(columns["q"]), 2)
    ]
    encoded = [
        arrow.table(
            {
                name: table[name].dictionary_encode() if name in ("q", "i") else table[name]
                for name in table.column_names
            }
        )
        for table in tables
    ]
    return arrow.concat_tables(encoded) if encoded else as_arrow(columns)


LIBRARIES = {
    "lists": dict,
    "arrays": lambda columns: {name: np.array(each) for name, each in columns.items()},
    "objects": lambda columns: {
        name: np.array(each, dtype=object) if name in ("q", "i") else each
        for name, each in columns.items()
    },
    "pandas": pd.DataFrame,
    "pandas objects": lambda columns: pd.DataFrame(columns).astype({"q": object, "i": object}),
    "pandas nullable": lambda columns: pd.DataFrame(columns).convert_dtypes(),
    "pandas categories": as_categories,
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "polars categories": as_polars_categories,
    "polars enum": as_polars_enum,
    "columns of polars": lambda columns: {n: pl.Series(each) for n, each in columns.items()},
}
if "pyarrow" in sys.modules or find_spec("pyarrow"):
    import pyarrow  # noqa: F401

    LIBRARIES |= {
        "pyarrow": as_arrow,
        "pyarrow dictionaries": as_arrow_chunks,
        "pandas of pyarrow": lambda columns: pd.DataFrame(columns).convert_dtypes(
            dtype_backend="pyarrow"
        ),
    }
KINDS = {
    "text": [*"aBcé", "007", "7"],
    "ints": [3, -1, 10**12, 0, 12, 2],
    "wide ints": [2**63 - 1, -(2**63), 2**53, 2**53 + 1, 0, 1],
    "dates": [DAY + datetime.timedelta(days=each) for each in range(6)],
}


@st.composite
def tables(draw, kinds=tuple(KINDS), values=(-1.5, 0.0, 2.0)):
    """Judgments and predictions of up to three queries and four items, as columns."""
    kind = draw(st.sampled_from(kinds))
    ids = KINDS[kind]

    def columns(name, values):
        cells = st.tuples(st.sampled_from(ids[:3]), st.sampled_from(ids[2:]))
        rows = draw(st.dictionaries(cells, st.sampled_from(values), min_size=1, max_size=9))
        return {
            "q": [query for query, _ in rows],
            "i": [item for _, item in rows],
            name: list(rows.values()),
        }

    return columns("g", (0, 1, 3)), columns("s", values)


def cells_of(columns, name):
    return dict(zip(zip(columns["q"], columns["i"], strict=True), columns[name], strict=True))


def chosen(judged, predicted, queries):
    """Return the queries that are scored, by definition."""
    judged, predicted = ({query for query, _ in each} for each in (judged, predicted))
    if not judged & predicted or (queries == "equal" and judged != predicted):
        return None
    return sorted({"both": judged & predicted, "all": judged | predicted}.get(queries, judged))


@pytest.mark.parametrize("library", LIBRARIES)
@settings(deadline=None, max_examples=settings().max_examples // 2)
@given(
    columns=tables(),
    queries=st.sampled_from(["judged", "both", "all", "equal"]),
    random=st.randoms(use_true_random=False),
    other=st.sampled_from(sorted(LIBRARIES)),
)
def test_any_table_in_any_order_is_joined(library, columns, queries, random, other):
    judgments, predictions = columns
    judged, predicted = cells_of(judgments, "g"), cells_of(predictions, "s")
    scored = chosen(judged, predicted, queries)
    if scored is None:
        with pytest.raises(InvalidParameterError):
            from_tables(judgments, predictions, **NAMES, queries=queries)
        return
    first = joined_quietly(judgments, predictions, **NAMES, queries=queries)
    shuffled = []
    for table in columns:
        row = list(range(len(table["q"])))
        random.shuffle(row)
        shuffled.append({name: [each[r] for r in row] for name, each in table.items()})
    data = joined_quietly(
        LIBRARIES[library](shuffled[0]),
        LIBRARIES[other](shuffled[1]),
        **NAMES,
        queries=queries,
    )
    assert isinstance(data, RankingData)
    assert as_bits(data)[1:] == as_bits(first)[1:]
    for array, of_first in zip(data[:2], first[:2], strict=True):
        assert array.toarray().tobytes() == of_first.toarray().astype(array.dtype).tobytes()
        assert array.has_canonical_format
    items = sorted({item for query, item in [*judged, *predicted] if query in scored})
    assert [*data.query_ids.tolist()] == scored
    assert [*data.item_ids.tolist()] == items
    for score, textbook in (
        (ndcg_score, reference.ndcg),
        (mean_average_precision_score, reference.average_precision),
    ):
        values = score(data.y_true, data.y_score, average=None)
        for query, value in zip(scored, values, strict=True):
            labels = [judged.get((query, item), 0) for item in items]
            scores = [predicted.get((query, item)) for item in items]
            expected = float(textbook(labels, scores, k=None) or 0)
            assert value == pytest.approx(expected, rel=TOLERANCE, abs=0)


@settings(deadline=None)
@given(columns=tables(values=(1, 2, 3, 5)))
def test_ranks_with_gaps_and_ties(columns):
    judgments, predictions = columns
    judged, predicted = cells_of(judgments, "g"), cells_of(predictions, "s")
    scored = chosen(judged, predicted, "judged")
    if scored is None:
        return
    names = NAMES | {"score": None, "rank": "s"}
    data = joined_quietly(judgments, predictions, **names)
    values = recall_at_k_score(data.y_true, data.y_score, k=[1, 2, 4], average=None)
    items = np.array([item for item in data.item_ids if item is not None]).tolist()
    n_gaps = []
    for row, query in enumerate(scored):
        of_query = {item: rank for (each, item), rank in predicted.items() if each == query}
        positions = reference.positions_of(list(of_query.values()))
        last = max(positions, default=1)
        n_gaps.append(max(last - 1 - sum(each < last for each in positions), 0))
        labels = [judged.get((query, item), 0) for item in items] + [0] * n_gaps[-1]
        scores = dict(zip(of_query, (-each for each in positions), strict=True))
        taken = {
            place for each in set(positions) for place in range(each, each + positions.count(each))
        }
        free = [-place for place in range(1, last) if place not in taken]
        scores = [*(scores.get(item) for item in items), *free]
        stored = [value for value in scores if value is not None]
        assert sorted(data.y_score[[row]].data.tolist()) == sorted(stored)
        for column, k in enumerate([1, 2, 4]):
            expected = float(reference.recall_at_k(labels, scores, k=k) or 0)
            assert values[row, column] == pytest.approx(expected, rel=TOLERANCE, abs=0)
    assert data.item_ids.size == len(items) + max(n_gaps)
    assert all(each is None for each in data.item_ids[len(items) :])


@pytest.mark.parametrize(
    ("ranks", "is_complete"),
    [
        ({"b": [2, 3, 1], "a": [1], "c": [4, 2, 1, 3]}, True),
        ({"a": [1]}, True),
        ({"a": []}, True),
        ({"a": [1, 3], "b": [1]}, False),  # rank 3 of the first query is past the second query
        ({"a": [1, 3], "b": [1, 2, 3]}, False),
        ({"a": [1, 1, 2], "b": [1]}, False),
        ({"a": [2]}, False),
    ],
)
@pytest.mark.parametrize("duplicates", ["error", "hold"])
@pytest.mark.parametrize("are_of_many_blocks", [False, True])
def test_ranks_without_gaps_are_recognised_and_make_the_same_arrays(
    ranks, is_complete, duplicates, are_of_many_blocks, monkeypatch
):
    items = [1, 4, 3, 1 if duplicates == "hold" else 2]
    predictions = {
        "q": [query for query, all_of in ranks.items() for _ in all_of],
        "i": [item for all_of in ranks.values() for item in items[: len(all_of)]],
        "r": [rank for all_of in ranks.values() for rank in all_of],
    }
    judgments = {"q": [*ranks], "i": [1] * len(ranks)}
    if are_of_many_blocks:
        monkeypatch.setattr("ranking_scores._base._sorting._BLOCK_CELLS", 2)

    def join():
        names = {"query": "q", "item": "i", "rank": "r", "duplicates": duplicates}
        data = from_tables(judgments, predictions, **names)
        order = data.prediction_order
        return as_bits(data), None if order is None else (order.dtype, order.tolist())

    found, are_complete = [], _join._are_complete
    monkeypatch.setattr(
        _join, "_are_complete", lambda *args: found.append(are_complete(*args)) or found[-1]
    )
    fast = join()
    monkeypatch.setattr(_join, "_are_complete", lambda *args: False)
    assert join() == fast
    assert found == [is_complete]


@settings(deadline=None)
@given(columns=tables(kinds=["text"]))
def test_equals_pytrec_eval(columns):
    judgments, predictions = columns
    judged, predicted = cells_of(judgments, "g"), cells_of(predictions, "s")
    scored = chosen(judged, predicted, "both")
    if scored is None:
        return
    qrel, run = (
        {
            query: {item: value for (each, item), value in cells.items() if each == query}
            for query in scored
        }
        for cells in (judged, predicted)
    )
    measures = {"map": mean_average_precision_score, "ndcg": ndcg_score}
    theirs = pytrec_eval.RelevanceEvaluator(qrel, {*measures, "P.2"}).evaluate(run)
    data = joined_quietly(judgments, predictions, **NAMES, queries="both")
    for measure, score in measures.items():
        ours = score(data.y_true, data.y_score, ignore_ties=True, average=None)
        assert ours == pytest.approx([theirs[each][measure] for each in scored], rel=TOLERANCE)
    ours = precision_at_k_score(data.y_true, data.y_score, k=2, ignore_ties=True, average=None)
    assert ours.tolist() == [theirs[each]["P_2"] for each in scored]


@settings(deadline=None)
@given(columns=tables(), queries=st.sampled_from(["judged", "both", "all", "equal"]))
def test_one_table_that_is_joined_says_the_same(columns, queries):
    judgments, predictions = columns
    scored = chosen(cells_of(judgments, "g"), cells_of(predictions, "s"), queries)
    joined = pd.DataFrame(judgments).merge(pd.DataFrame(predictions), how="outer")
    joined = joined.sample(frac=1, random_state=0)
    if scored is None:
        with pytest.raises(InvalidParameterError):
            from_table(joined, **NAMES, queries=queries)
        return
    two = joined_quietly(judgments, predictions, **NAMES, queries=queries)
    as_dict = {name: joined[name].tolist() for name in joined}
    for table in (joined, pl.DataFrame(as_dict), as_dict):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "No judged item")
            one = from_table(table, **NAMES, queries=queries)
        assert as_bits(one)[1:] == as_bits(two)[1:]
        for array, other in zip(one[:2], two[:2], strict=True):
            assert array.indices.tolist() == other.indices.tolist()
            assert array.indptr.tolist() == other.indptr.tolist()
            assert array.data.tolist() == other.data.tolist()


def test_more_rows_than_are_sorted_at_once():
    rng = np.random.default_rng(0)
    user, film = (each.ravel() for each in np.indices((700, 200)))
    table = pd.DataFrame({"q": user, "i": film, "g": rng.integers(0, 9, user.size)})
    table["s"] = rng.random(user.size)
    judgments = table.sample(frac=0.1, random_state=0)
    data = from_tables(judgments, table.sample(frac=1, random_state=1), **NAMES)
    assert data.y_score.toarray().tolist() == table["s"].to_numpy().reshape(700, 200).tolist()
    labels = np.where(table.index.isin(judgments.index), table["g"], 0)
    assert data.y_true.toarray().tolist() == labels.reshape(700, 200).tolist()


def test_stored_zeros_are_kept():
    data = from_tables(JUDGMENTS, PREDICTIONS | {"s": [0, 0, 1]}, **NAMES)
    assert by_id(data) == [
        {("a", "x"): 1, ("a", "y"): 2, ("b", "x"): 0},
        {("a", "x"): 0, ("b", "z"): 0, ("b", "x"): 1},
    ]


def test_the_result_is_what_every_function_takes():
    data = from_tables(JUDGMENTS, PREDICTIONS, **NAMES)
    mean = ndcg_score(data.y_true, data.y_score)
    stream = StreamingScore(ndcg_score)
    stream.update(data.y_true, data.y_score)
    assert stream.compute() == mean
    assert ranking_report(data.y_true, data.y_score, scores=["ndcg"], k=None)["ndcg"] == mean
    assert tie_report(data.y_true, data.y_score, score=ndcg_score).expected == mean


def test_without_narwhals_dicts_are_tables(monkeypatch):
    monkeypatch.setitem(sys.modules, "narwhals", None)
    columns = {name: pd.Series(each) for name, each in PREDICTIONS.items()}
    assert by_id(from_tables(JUDGMENTS, columns, **NAMES))
    message = (
        "must be a dict of columns if narwhals is not installed. Got a pandas DataFrame instead. "
        "Install narwhals, or pass a dict of columns."
    )
    frame = pd.DataFrame(PREDICTIONS)
    check_message("predictions", message, from_tables, JUDGMENTS, frame, **NAMES)


def test_which_queries_are_scored():
    judgments = {"q": [1, 2], "i": [5, 5]}
    predictions = {"q": [2, 3], "i": [5, 6], "s": [1, 2]}
    names = {"query": "q", "item": "i", "score": "s"}
    for queries, query_ids, items in (
        ("judged", [1, 2], [5]),
        ("both", [2], [5]),
        ("all", [1, 2, 3], [5, 6]),
    ):
        data = from_tables(judgments, predictions, **names, queries=queries)
        assert (data.query_ids.tolist(), data.item_ids.tolist()) == (query_ids, items)
        assert data.y_true.dtype == np.int8
    for queries in ("judged", "all"):
        nothing = {"q": [], "i": [], "s": []}
        data = from_tables(judgments, nothing, **names, queries=queries)
        assert (data.query_ids.tolist(), data.y_score.nnz) == ([1, 2], 0)
        ranked = names | {"score": None, "rank": "s"}
        assert (
            as_bits(from_tables(judgments, pd.DataFrame(nothing), **ranked))[1:]
            == (as_bits(data)[1:])
        )


def test_without_items_each_row_is_one():
    table = {"q": ["b", "a", "b"], "g": [1, 0, None], "s": [None, 0.5, 0.2]}
    data = from_table(table, query="q", label="g", score="s", queries="all")
    assert by_id(data) == [{("b", 0): 1, ("a", 1): 0}, {("a", 1): 0.5, ("b", 2): 0.2}]
    assert data.item_ids.tolist() == [0, 1, 2]
    ranked = from_table(table | {"s": [None, 1, 2]}, query="q", label="g", rank="s")
    assert by_id(ranked)[1] == {("a", 1): -1, ("b", 2): -2, ("b", None): -1}


def test_without_items_the_later_of_equal_rows_is_the_later_item():
    table = {"q": [1, 1], "g": [0, 1], "s": [0.5, 0.5]}
    for step, expected in ((1, 1), (-1, 0)):
        columns = {name: each[::step] for name, each in table.items()}
        data = from_table(columns, query="q", label="g", score="s")
        assert precision_at_k_score(data.y_true, data.y_score, k=1, ignore_ties=True) == expected
        assert precision_at_k_score(data.y_true, data.y_score, k=1) == 0.5


def test_a_row_without_label_and_score_only_says_that_the_query_is_there():
    table = {"q": [1, 1, 2], "i": [5, 6, 5], "g": [1, 0, None], "s": [0.5, None, None]}
    data = from_table(table, **NAMES)
    assert (data.query_ids.tolist(), data.y_true.nnz, data.y_score.nnz) == ([1, 2], 2, 1)
    assert from_table(table, **NAMES, queries="judged").query_ids.tolist() == [1]


def test_a_frame_of_narwhals_that_wraps_a_table_of_pyarrow_is_that_table():
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is in the extra engines")
    table = pyarrow.table({"query": [1, 1], "item": [7, 8], "label": [0, 1], "score": [0.2, 0.1]})
    names = {name: name for name in table.column_names}
    data = from_table(narwhals.from_native(table), **names)
    assert data.y_true.toarray().tolist() == from_table(table, **names).y_true.toarray().tolist()
    assert data.y_score.toarray().tolist() == [[0.2, 0.1]]
    with pytest.raises(ValueError, match="a table with the column 'other'"):
        from_table(narwhals.from_native(table), **names | {"score": "other"})
