"""Tables of judgments and predictions, joined by ids of any kind from any library."""

from __future__ import annotations

import datetime
import re
import sys
import uuid
import warnings
from decimal import Decimal
from fractions import Fraction
from importlib.util import find_spec

import narwhals
import numpy as np
import pandas as pd
import polars as pl
import pytest
import pytrec_eval
import reference
from hypothesis import given, settings
from hypothesis import strategies as st
from read_at_once import from_table, from_tables

import ranking_scores
from ranking_scores import (
    StreamingScore,
    hit_rate_score,
    mean_average_precision_score,
    mean_reciprocal_rank_score,
    ndcg_score,
    precision_at_k_score,
    ranking_report,
    recall_at_k_score,
)
from ranking_scores._tables import _join
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.tables import RankingData
from ranking_scores.ties import tie_report

TOLERANCE = 1e-12  # as in test_reference: the same terms in float64, in another order

JUDGMENTS = {"q": ["a", "a", "b"], "i": ["x", "y", "x"], "g": [1, 2, 0]}
PREDICTIONS = {"q": ["a", "b", "b"], "i": ["x", "z", "x"], "s": [0.5, 0.2, 0.3]}
NAMES = {"query": "q", "item": "i", "label": "g", "score": "s"}
NOTHING = {"q": [], "i": [], "s": []}
HIGHEST_LABEL = "With duplicates='best' or 'hold', the highest label of an item counts."
ONE_OF_AN_ASPECT = (
    "If queries have aspects, such as subtopics, name their column with `aspect`, so that an item "
    "may be there once for each of them."
)
BEST_OR_HOLD = (
    "With duplicates='best', each item counts once, at its best place. With duplicates='hold', "
    "its other places stay, too, and are not relevant."
)


@pytest.fixture
def arrow():
    return pytest.importorskip("pyarrow", reason="tables of pyarrow are tested where it is")


def by_id(data):
    """Return the labels and the scores by the ids of their query and their item."""
    return [
        {
            (data.query_ids[row], data.item_ids[column]): value
            for row, column, value in zip(*array.tocoo().coords, array.data, strict=True)
        }
        for array in (data.y_true, data.y_score)
    ]


def as_bits(data):
    """Return all that is in the arrays."""
    arrays = [
        (array.data.dtype, array.data.tobytes(), array.indices.tolist(), array.indptr.tolist())
        for array in (data.y_true, data.y_score)
    ]
    return arrays, data.query_ids.tolist(), data.item_ids.tolist()


# Libraries: from a dict of columns.


def as_categories(columns):
    """Return a pandas frame whose ids are categories: some unused, not sorted."""
    frame = pd.DataFrame(columns)
    for name in ("q", "i"):
        categories = list(dict.fromkeys(columns[name]))[::-1]
        more = pd.Series([*OTHER_IDS.get(type(categories[0]), []), *categories]).drop_duplicates()
        frame[name] = pd.Categorical(frame[name], categories=more)
    return frame


OTHER_IDS = {str: ["unused"], int: [-99]}


def as_polars_categories(columns):
    frame = pl.DataFrame(columns)
    texts = [name for name in ("q", "i") if frame[name].dtype == pl.String]
    return frame.with_columns(pl.col(texts).cast(pl.Categorical)) if texts else frame


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

DAY = datetime.date(2024, 2, 27)
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


def joined_quietly(*args, **params):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "No judged item")
        return from_tables(*args, **params)


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


# Ids


@pytest.mark.parametrize(
    ("judged", "predicted", "expected", "dtype"),
    [
        (["b", "a"], ["c", "b"], ["a", "b", "c"], object),
        ([2, 1], [3, 2], [1, 2, 3], np.int64),
        (np.array([2, 1], np.uint8), np.array([3, 2], np.int16), [1, 2, 3], np.int64),
        (np.array([2, 1], np.uint64), [3, 2], [1, 2, 3], np.int64),
        (np.array([2**63, 1], np.uint64), [3, 2**63], [1, 3, 2**63], np.uint64),
        (np.array([2**63, 1], np.uint64), [-1, 2**63], [-1, 1, 2**63], object),
        ([2**70, 1], [3, 2**70], [1, 3, 2**70], object),
        ([2.0, 1.0], [3, 2], [1, 2, 3], np.int64),
        (np.array([2.5, 1.0]), np.array([3, 1]), [1, 2.5, 3], np.float64),
        ([2.5, 1.0], np.array([2.5, 3]), [1, 2.5, 3], np.float64),
        ([2.5, 1.0], [2**60 + 1, 1], [1, 2.5, 2**60 + 1], object),
        ([Decimal(2), Decimal("1.00")], [3, 2], [1, 2, 3], np.int64),
        ([Decimal("0.5"), 1], [0.5, 3], [0.5, 1, 3], np.float64),
        ([Decimal("1.1"), 1], [1.1, 1], [1, Decimal("1.1"), 1.1], object),
        ([Decimal("1E+40"), 1], [10**40, 2], [1, 2, 10**40], object),
        ([Decimal("inf"), 1], [np.inf, 2], [1, 2, np.inf], np.float64),
        (pl.Series([2**100, 1], dtype=pl.Int128), [3, 2**100], [1, 3, 2**100], object),
        (pl.Series([2, 1], dtype=pl.Int128), [3, 2], [1, 2, 3], np.int64),
        ([True, False], np.array([True, False]), [False, True], bool),
        ([b"b", b"a"], np.array([b"c", b"b"]), [b"a", b"b", b"c"], object),
        ([(2, "b"), (1, "a")], [(1, "a"), (0, "z")], [(0, "z"), (1, "a"), (2, "b")], object),
        (
            [uuid.UUID(int=2), uuid.UUID(int=1)],
            [uuid.UUID(int=2)] * 1 + [uuid.UUID(int=3)],
            [uuid.UUID(int=each) for each in (1, 2, 3)],
            object,
        ),
        ([2, "b"], ["b", (1,)], [2, "b", (1,)], object),  # int, str, tuple
        (
            [frozenset("ab"), frozenset("a")],
            [frozenset("a"), frozenset("c")],
            sorted([frozenset("ab"), frozenset("a"), frozenset("c")], key=repr),
            object,
        ),
    ],
)
def test_ids_of_any_type_are_sorted_by_value(judged, predicted, expected, dtype):
    judgments = {"q": ["a", "a"], "i": judged}
    data = from_tables(
        judgments, {"q": ["a", "a"], "i": predicted, "s": [1, 2]}, query="q", item="i", score="s"
    )
    assert data.item_ids.tolist() == expected
    assert data.item_ids.dtype == dtype
    back = from_tables(
        {"q": judgments["i"], "i": ["a", "a"]},
        {"q": predicted, "i": ["a", "a"], "s": [1, 2]},
        query="q",
        item="i",
        score="s",
        queries="all",
    )
    assert back.query_ids.tolist() == expected


UTC = datetime.UTC
PARIS = datetime.timezone(datetime.timedelta(hours=1))
NOON = datetime.datetime(2024, 2, 27, 12)


@pytest.mark.parametrize(
    ("judged", "predicted"),
    [
        ([NOON], np.array(["2024-02-27T12"], "M8[ns]")),
        ([NOON], [np.datetime64("2024-02-27T12")]),
        ([NOON], pd.Series([NOON])),
        ([NOON], pl.Series([NOON])),
        ([NOON.replace(tzinfo=UTC)], [NOON.replace(hour=13, tzinfo=PARIS)]),
        ([NOON.replace(tzinfo=UTC)], pd.Series([NOON.replace(hour=13, tzinfo=PARIS)])),
        ([NOON.replace(tzinfo=UTC)], pl.Series([NOON.replace(tzinfo=UTC)])),
        ([pd.Timestamp(NOON)], pd.DatetimeIndex([NOON])),
    ],
)
def test_dates_are_equal_whatever_their_type(judged, predicted):
    data = from_tables(
        {"q": judged, "i": [1]},
        {"q": predicted, "i": [1], "s": [1]},
        query="q",
        item="i",
        score="s",
        queries="equal",
    )
    assert data.query_ids.tolist() in ([NOON], [1709035200 * 10**9])
    assert data.query_ids.dtype.kind == "M"


IN_ZONE = "dates with a time zone"


def dates_in(library, date):
    """Return a column of one date."""
    if library == "list":
        return [date]
    if library == "polars":
        return pl.Series([date])
    if library.startswith("arrow"):
        array = pytest.importorskip("pyarrow").array([date])
        return array if library == "arrow" else array.dictionary_encode()
    series = pd.Series([date])
    return series if library == "pandas" else series.astype(library)


LIBRARIES_OF_DATES = ["list", "pandas", "object", "category", "polars", "arrow", "arrow codes"]


@pytest.mark.parametrize("library", LIBRARIES_OF_DATES)
@pytest.mark.parametrize("has_zone", [True, False])
def test_dates_with_a_time_zone_are_no_dates_without_one(library, has_zone):
    with_zone, without = NOON.replace(tzinfo=UTC), NOON
    date, other = (with_zone, without) if has_zone else (without, with_zone)
    kinds = (IN_ZONE, "dates") if has_zone else ("dates", IN_ZONE)
    judgments = {"q": dates_in(library, date), "i": [1]}
    message = (
        f"must be a table whose column 'q' has {kinds[0]}, like column 'q' of judgments. Got "
        f"{kinds[1]} instead. Ids of different kinds are never equal. Convert them to one kind, "
        "with a time zone in both tables or in neither."
    )
    names = {"query": "q", "item": "i", "score": "i"}
    check_message(
        "predictions", message, from_tables, judgments, {"q": [other], "i": [1]}, **names
    )
    data = from_tables(judgments, {"q": [date], "i": [1]}, **names)
    assert data.query_ids.tolist() in ([NOON], [1709035200 * 10**9])


def test_dates_of_which_some_have_a_time_zone_are_refused():
    table = {"q": [NOON, NOON.replace(tzinfo=UTC)], "s": [1, 2]}
    message = (
        f"must be a table whose column 'q' has ids that can be told apart. Got {IN_ZONE} beside "
        "dates without one instead."
    )
    check_message("table", message, from_table, table, query="q", label="s", score="s")


@pytest.mark.filterwarnings("error")
def test_ids_of_few_bits_are_numbers():
    few = np.array([1, 2, 2048], np.float16)
    predictions = {"q": few, "i": few, "s": [1, 2, 3]}
    data = from_tables(predictions, predictions, query="q", item="i", score="s")
    assert data.query_ids.tolist() == [1, 2, 2048]
    assert data.query_ids.dtype == np.int64


def test_ids_of_queries_that_are_left_out_count_for_the_dtype():
    judgments = {"q": np.array([2**63], np.uint64), "i": [1]}
    predictions = {"q": [2**63, -1], "i": [1, 1], "s": [1, 2]}
    data = from_tables(judgments, predictions, query="q", item="i", score="s")
    assert data.query_ids.tolist() == [2**63]
    assert data.query_ids.dtype == object


def test_uuids_of_pyarrow_are_those_of_python():
    pyarrow = pytest.importorskip("pyarrow")
    if not hasattr(pyarrow, "uuid"):
        pytest.skip("this version of pyarrow has no UUIDs")
    ids = [uuid.UUID(int=number) for number in (7, 5)]
    column = pyarrow.array([each.bytes for each in ids], pyarrow.binary(16)).cast(pyarrow.uuid())
    for of_arrow in (column, pyarrow.chunked_array([column])):
        data = from_tables(
            {"q": of_arrow, "i": [1, 1]}, {"q": ids, "i": [1, 1]}, query="q", item="i", score="i"
        )
        assert data.query_ids.tolist() == ids[::-1]


LAST_DAY = datetime.date(9999, 12, 31)


ONE_DAY = datetime.timedelta(1)


@pytest.mark.parametrize(
    ("judged", "predicted", "expected", "dtype", "places"),
    [
        (
            [LAST_DAY, DAY],
            np.array([DAY], "M8[ns]"),
            [DAY, LAST_DAY],
            "M8[us]",
            ([1, 0], [0]),
        ),
        (
            [LAST_DAY],
            [LAST_DAY, pd.Timestamp(DAY).as_unit("ns")],
            [DAY, LAST_DAY],
            "M8[us]",
            ([1], [1, 0]),
        ),
        # 9999-12-31 in nanoseconds, wrapped around:
        (
            [LAST_DAY, DAY],
            np.array(["1816-03-29T05:56:08.066277", DAY], "M8[ns]"),
            ["1816-03-29T05:56:08.066277", DAY, LAST_DAY],
            "M8[us]",
            ([2, 1], [0, 1]),
        ),
        (
            np.array(["300000", "2024"], "M8[Y]"),
            np.array(["2024-01-01"], "M8[ns]"),
            ["2024-01-01", "300000-01-01"],
            "M8[ms]",
            ([1, 0], [0]),
        ),
        (
            [ONE_DAY, pd.Timedelta(5, "ns")],
            np.array([1], "m8[D]"),
            [np.timedelta64(5, "ns"), ONE_DAY],
            "m8[ns]",
            ([1, 0], [1]),
        ),
        (
            [200_000 * ONE_DAY, ONE_DAY],
            [np.timedelta64(86400 * 10**9, "ns")],
            [ONE_DAY, 200_000 * ONE_DAY],
            "m8[us]",
            ([1, 0], [0]),
        ),
        ([np.timedelta64(3, "Y")], np.array([36], "m8[M]"), [36], "m8[M]", ([0], [0])),
    ],
)
def test_dates_and_durations_are_exact_in_one_unit(judged, predicted, expected, dtype, places):
    judgments, predictions = ({"q": each, "i": [1] * len(each)} for each in (judged, predicted))
    names = {"query": "q", "item": "i", "queries": "all"}
    for swapped in (False, True):
        tables = (predictions, judgments) if swapped else (judgments, predictions)
        data = from_tables(*tables, **names, score="i")
        assert data.query_ids.dtype == dtype
        assert data.query_ids.tolist() == np.array(expected, dtype).tolist()
        arrays = data[1::-1] if swapped else data[:2]
        for array, place in zip(arrays, places, strict=True):
            assert array.tocoo().coords[0].tolist() == sorted(place)
    assert from_tables(judgments, judgments, **names, score="i").query_ids.size == len(judged)


SECONDS_IN = {
    "ns": Fraction(1, 10**9),
    "us": Fraction(1, 10**6),
    "ms": Fraction(1, 1000),
    "s": Fraction(1),
    "m": Fraction(60),
    "h": Fraction(3600),
    "D": Fraction(86400),
}
TIMES = st.tuples(
    st.sampled_from(sorted(SECONDS_IN)),
    st.one_of(st.integers(-3, 3), st.integers(-(2**62), 2**62)),
    st.sampled_from([1, 1000, 3600, 10**6, 86400, 10**9]),
)


@settings(deadline=None)
@given(judged=TIMES, predicted=TIMES, kind=st.sampled_from("mM"))
def test_times_of_two_units_are_exact_or_refused(judged, predicted, kind):
    times, columns = [], []
    for unit, number, step in (judged, predicted):
        number -= number % step  # so that a coarser unit may hold it, too
        times.append(number * SECONDS_IN[unit])
        columns.append({"q": [1], "i": np.array([number], f"{kind}8[{unit}]"), "s": [1]})
    names = {"query": "q", "item": "i", "score": "s"}
    is_held = any(
        all((time / unit).denominator == 1 and abs(time / unit) < 2**63 for time in times)
        for unit in SECONDS_IN.values()
    )
    if is_held:
        ids = joined_quietly(*columns, **names).item_ids
        unit = SECONDS_IN[np.datetime_data(ids.dtype)[0]]
        assert [each * unit for each in ids.astype(np.int64).tolist()] == sorted({*times})
    else:
        with pytest.raises(InvalidParameterError, match="of which no unit holds all values"):
            from_tables(*columns, **names)


@pytest.mark.parametrize(
    ("judged", "predicted", "message"),
    [
        (
            [LAST_DAY],
            np.array([5], "M8[ns]"),
            "dates that fit into one unit with those of judgments. Got datetime64[D] and "
            "datetime64[ns], of which no unit holds all values, instead. Round them first, such "
            "as by `.astype('datetime64[us]')`.",
        ),
        (
            np.array([1], "m8[Y]"),
            np.array([365], "m8[D]"),
            "durations that fit into one unit with those of judgments. Got timedelta64[D] and "
            "timedelta64[Y], of which no unit holds all values, instead. Round them first, such "
            "as by `.astype('timedelta64[us]')`.",
        ),
        (
            [DAY],
            [LAST_DAY, pd.Timestamp(5)],
            "ids that can be told apart. Got datetime64[D] and datetime64[ns], of which no unit "
            "holds all values, instead.",
        ),
    ],
)
def test_dates_that_no_unit_holds_are_refused(judged, predicted, message):
    judgments, predictions = ({"q": each, "i": [1] * len(each)} for each in (judged, predicted))
    names = {"query": "q", "item": "i", "score": "i"}
    message = f"must be a table whose column 'q' has {message}"
    check_message("predictions", message, from_tables, judgments, predictions, **names)


def test_a_duration_that_is_too_long_for_numpy_is_refused():
    columns = {"q": [datetime.timedelta.max], "i": [1]}
    text = "'q' has ids that can be told apart. Got .* which 64 bits do not hold,"
    with pytest.raises(InvalidParameterError, match=text):
        from_tables(columns, columns, query="q", item="i", score="i")


def test_an_error_shows_a_duration():
    columns = {"q": np.array([3, 3], "m8[ns]"), "i": [1, 1], "s": [1, 2]}
    with pytest.raises(InvalidParameterError, match="once for query 3 nanoseconds instead"):
        from_tables(columns, columns, query="q", item="i", score="s")


@pytest.mark.parametrize(
    ("ids", "kind"),
    [
        ([1, 2, 3], "numbers"),
        ([1.5, 2.0, 3.0], "numbers"),
        ([True, False, True], "bools"),
        ([b"a", b"b", b"c"], "bytes"),
        ([DAY, DAY, DAY], "dates"),
        (np.array([1, 2, 3], "m8[s]"), "durations"),
        ([datetime.timedelta(1)] * 3, "durations"),
        ([Decimal(1), Decimal(2), 3], "numbers"),
        ([1, "a", (2,)], "objects"),
    ],
)
def test_ids_of_different_kinds_are_refused(ids, kind):
    advice = ".astype(str)" if isinstance(ids, np.ndarray) else "list(map(str, ...))"
    advice = "bytes.decode" if kind == "bytes" else advice
    for column, name in (("q", "query"), ("i", "item")):
        text = (
            f"^The 'predictions' parameter of from_tables must be a table whose column '{column}' "
            f"has text, like column 'text' of judgments. Got {kind} instead. Ids of different "
            "kinds "
            rf"are never equal. Convert them to one kind, such as by `{re.escape(advice)}`"
        )
        names = NAMES | {name: ("text", column)}
        with pytest.raises(InvalidParameterError, match=text):
            from_tables(
                JUDGMENTS | {"text": ["a", "b", "c"]}, PREDICTIONS | {column: ids}, **names
            )


@pytest.mark.parametrize(
    ("read", "advice", "cast"),
    [
        (list, "list(map(str, ...))", lambda ids: list(map(str, ids))),
        (np.array, ".astype(str)", lambda ids: ids.astype(str)),
        (pd.Series, ".astype(str)", lambda ids: ids.astype(str)),
        (pl.Series, ".cast(str)", lambda ids: ids.cast(str)),
        ("arrow", '.cast("string")', lambda ids: ids.cast("string")),
    ],
)
def test_the_cure_for_ids_that_are_no_text(read, advice, cast, request):
    ids = (request.getfixturevalue("arrow").array if read == "arrow" else read)([1, 2, 2])
    text, numbers = PREDICTIONS | {"q": ["1", "2", "2"]}, PREDICTIONS | {"q": ids}
    names = NAMES | {"label": None}
    for judgments, predictions in ((text, numbers), (numbers, text)):
        with pytest.raises(InvalidParameterError) as error:
            from_tables(judgments, predictions, **names)
        assert str(error.value).endswith(f" Convert them to one kind, such as by `{advice}`.")
    assert from_tables(text, numbers | {"q": cast(ids)}, **names).y_score.nnz == 3


def test_categories_that_no_row_has_are_not_items():
    judgments = pd.DataFrame(JUDGMENTS).astype({"i": pd.CategoricalDtype(["z", "y", "w", "x"])})
    numbers = pd.Categorical([3, 1, 3], categories=[3, 2, 1])
    data = from_tables(judgments, PREDICTIONS, **NAMES)
    assert data.item_ids.tolist() == ["x", "y", "z"]
    data = from_tables(JUDGMENTS | {"i": numbers}, PREDICTIONS | {"i": [1, 1, 3]}, **NAMES)
    assert (data.item_ids.tolist(), data.item_ids.dtype) == ([1, 3], np.int64)


def test_columns_of_pyarrow_in_a_dict(arrow):
    text = arrow.array(["a", "b", "b"]).dictionary_encode()
    scores = arrow.chunked_array([[0.5, None], [0.3]])
    predictions = {"q": text, "i": arrow.array(["x", "z", "x"]), "s": scores.fill_null(0.2)}
    expected = as_bits(from_tables(JUDGMENTS, PREDICTIONS, **NAMES))
    assert as_bits(from_tables(JUDGMENTS, predictions, **NAMES)) == expected
    unsigned = text.cast(arrow.dictionary(arrow.uint8(), arrow.string()))
    columns = predictions | {"q": unsigned}
    assert as_bits(from_tables(JUDGMENTS, columns, **NAMES)) == expected
    nothing = arrow.chunked_array([], type=text.type)
    predictions = {"q": nothing, "i": nothing, "s": []}
    assert from_tables(JUDGMENTS, predictions, **NAMES).y_score.nnz == 0
    joined = {"q": text, "i": ["x", "z", "x"], "g": [1, 0, 2], "s": scores}
    assert by_id(from_table(joined, **NAMES))[1] == {("a", "x"): 0.5, ("b", "x"): 0.3}
    for ids in (
        arrow.array(["a", None, "b"]),
        arrow.array(["a", None, "b"]).dictionary_encode(),
        arrow.DictionaryArray.from_arrays([0, 1, 0], ["a", None]),
        arrow.array([1, None, 2]),
    ):
        message = (
            "must be a table whose column 'q' has an id in each row. Got null in row 1 instead. "
        )
        columns = PREDICTIONS | {"q": ids}
        check_message("predictions", message + NO_ID, from_tables, JUDGMENTS, columns, **NAMES)


def test_dictionaries_of_chunks_with_small_indices(arrow):
    n_values = 120
    values = [[f"{chunk}-{each}" for each in range(n_values)] for chunk in range(3)]
    for index in (arrow.int8(), arrow.uint8()):
        chunks = [
            arrow.DictionaryArray.from_arrays(arrow.array([0, n_values - 1], index), each)
            for each in values
        ]
        # All chunks together have more values than the indices of one can tell apart.
        ids = arrow.chunked_array(chunks)
        columns = {"q": ids, "i": [1] * 6, "s": range(6)}
        data = from_tables(columns, columns, query="q", item="i", score="s")
        expected = sorted(each for of_chunk in values for each in (of_chunk[0], of_chunk[-1]))
        assert data.query_ids.tolist() == expected
        chunks[1] = arrow.DictionaryArray.from_arrays(arrow.array([0, None], index), values[1])
        columns |= {"q": arrow.chunked_array(chunks)}
        message = (
            "must be a table whose column 'q' has an id in each row. Got null in row 3 instead. "
        )
        check_message("table", message + NO_ID, from_table, columns, **NAMES | {"label": "s"})


def test_columns_of_lists_and_records_of_pyarrow_are_refused(arrow):
    for values, dtype, advice in (
        ([[1], [2], [3]], "list<item: int64>", EXPLODE),
        (
            [{"a": 1}] * 3,
            "struct<a: int64>",
            "Make a column of one of its fields first.",
        ),
    ):
        columns = (
            {"i": arrow.array(values)},
            {"s": pd.array(values, pd.ArrowDtype(arrow.array(values).type))},
        )
        for each, name, more in zip(columns, "is", ("", "[pyarrow]"), strict=True):
            message = (
                f"must be a table whose column '{name}' has one value for each row. Got dtype "
                f"{dtype}{more} instead. {advice}"
            )
            check_message(
                "predictions", message, from_tables, JUDGMENTS, PREDICTIONS | each, **NAMES
            )
    message = (
        "must be a table whose column 's' has bools, ints or floats. Got Decimal('2.5') in row 1 "
        'instead. Convert it to numbers first, for example with `.cast("float64")`.'
    )
    scores = arrow.array([None, Decimal("2.5"), Decimal("3.0")])
    columns = PREDICTIONS | {"s": scores}
    check_message("predictions", message, from_tables, JUDGMENTS, columns, **NAMES)


def test_a_batch_of_pyarrow_is_a_table(arrow):
    data = from_tables(arrow.record_batch(JUDGMENTS), arrow.record_batch(PREDICTIONS), **NAMES)
    assert as_bits(data) == as_bits(from_tables(JUDGMENTS, PREDICTIONS, **NAMES))


@pytest.mark.parametrize("columns", [pd.MultiIndex, pd.Index])
def test_names_of_columns_that_are_tuples(columns):
    names = [("a", "q"), ("a", "i"), ("b", "g")]
    is_flat = {} if columns is pd.MultiIndex else {"tupleize_cols": False}
    make = getattr(columns, "from_tuples", columns)
    frame = pd.DataFrame(JUDGMENTS).set_axis(make(names, **is_flat), axis=1)
    expected = as_bits(from_tables(JUDGMENTS, PREDICTIONS, **NAMES))
    pairs = {"query": (names[0], "q"), "item": (names[1], "i"), "label": names[2]}
    assert as_bits(from_tables(frame, PREDICTIONS, **NAMES | pairs)) == expected
    data = from_table(frame, query=names[0], item=names[1], label=names[2], score=names[2])
    assert data.query_ids.tolist() == ["a", "b"]
    message = (
        "must be a table with the column 'a'. Got the columns ('a', 'q'), ('a', 'i'), ('b', 'g') "
        f"instead. {PAIR.format('query')} A name that is a tuple must be in a pair, too."
    )
    query = {"query": names[0]}
    check_message("judgments", message, from_tables, frame, PREDICTIONS, **NAMES | query)


def test_names_of_columns_that_are_numbers():
    frame = pd.DataFrame([[1, 5, 2], [1, 6, 1]])
    columns = frame.columns.to_numpy()
    for query, item, value in ((0, 1, 2), columns):
        data = from_table(frame, query=query, item=item, label=value, score=value)
        assert data.y_true.toarray().tolist() == [[2, 1]]


def test_categories_of_another_column_of_polars_are_not_items():
    pl.Series(["k", "l", "m"], dtype=pl.Categorical)
    judgments = as_polars_categories(JUDGMENTS)
    data = from_tables(judgments, as_polars_categories(PREDICTIONS)[::-1], **NAMES)
    assert data.item_ids.tolist() == ["x", "y", "z"]


def test_only_the_named_columns_are_read():
    class Columns(dict):
        def __getitem__(self, name):
            assert name in ("q", "i", "s")
            return super().__getitem__(name)

    from_tables(JUDGMENTS, Columns(PREDICTIONS | {"huge": None}), **NAMES)
    lazy = pl.LazyFrame(PREDICTIONS | {"text": ["1", "x", "y"]})
    lazy = lazy.with_columns(pl.col("text").cast(int))  # an error when it is read
    assert as_bits(from_tables(JUDGMENTS, lazy, **NAMES)) == as_bits(
        from_tables(JUDGMENTS, PREDICTIONS, **NAMES)
    )


def test_columns_that_are_not_named_may_have_the_same_name(arrow):
    expected = as_bits(from_tables(JUDGMENTS, PREDICTIONS, **NAMES))
    frame = pd.DataFrame(PREDICTIONS).assign(a=1, b=2).set_axis(["q", "i", "s", "x", "x"], axis=1)
    table = arrow.table([*PREDICTIONS.values(), [1, 1, 1], [2, 2, 2]], names=list(frame))
    for predictions in (frame, table, table.to_batches()[0]):
        assert as_bits(from_tables(JUDGMENTS, predictions, **NAMES)) == expected


# Errors

NO_ID = "Drop such rows, or give them an id."
NOT_PREDICTED = "Drop the rows of items that were not predicted."
ONE_TABLE = "If the two tables are already joined, use `from_table`."
PAIR = (
    "If the two tables have different names for it, pass a pair: "
    "`{}=(in judgments, in predictions)`."
)
NUMBERS = "has bools, ints or floats. Got dtype {} instead."
EXPLODE = "Make one row of each value first, for example with `.explode`."
AS_NUMBERS = "Convert it to numbers first, for example with `.astype(float)`."
SCORE = "must be the name of a column, or None if `rank` is passed."
ONE_OF = "Pass either `score` or `rank`."
A_NAME = "must be the name of a column, or a pair of names, in judgments and in predictions."
RANKS = "must be a table whose column 's' has whole numbers from 1 on."
NOT_RANKS = (
    "Add 1 to ranks that begin with 0, and drop the rows of items that were not predicted. If "
    "the numbers are not ranks, they may be scores."
)
A_TABLE = "must be a table, such as a frame of pandas or polars, or a dict of columns."
MATCH = "has a query that is both judged and predicted."
EQUAL = "has only queries that are both judged and predicted, and all of them."
ACCEPTED = "With queries='judged', such queries are no error."
RANKED = {"score": None, "rank": "s"}

# What differs from PREDICTIONS, or what stands for it, what differs from NAMES, and the message.
BAD_PREDICTIONS = [
    (
        {"q": ["a", None, "b"]},
        {},
        f"'q' has an id in each row. Got null in row 1 instead. {NO_ID}",
    ),
    (
        {"i": np.array([1.0, np.nan, 2.0])},
        {},
        f"'i' has an id in each row. Got null in row 1, of query 'b', instead. {NO_ID}",
    ),
    *(
        (
            {"i": each},
            {},
            f"'i' has an id in each row. Got null in row 1, of query 'b', instead. {NO_ID}",
        )
        for each in (
            ["x", pd.NA, "y"],
            pd.Series(["x", None, "y"]),
            pd.Series(["x", None, "y"], dtype=object),
            pd.Series([1, None, 2], dtype="Int64"),
            pd.Categorical(["x", None, "y"], categories=["y", "x"]),
            pl.Series(["x", None, "y"]),
            pl.Series(["x", None, "y"], dtype=pl.Categorical),
            pl.Series([1, None, 2]),
            np.array(["2024-01-01", "NaT", "2024-01-02"], "M8[D]"),
        )
    ),
    *(
        (
            {"s": each},
            {},
            "'s' has a score in each row. Got null or NaN in row 1, of query 'b', instead. "
            f"{NOT_PREDICTED} {ONE_TABLE}",
        )
        for each in (
            [1, None, 2],
            [1, np.nan, 2],
            np.array([1, np.nan, 2], np.float16),
            np.array([1, None, 2], dtype=object),
            pd.Series([1, None, 2], dtype="Int64"),
            pl.Series([1, None, 2]),
            pl.Series([1.0, np.nan, 2]),
        )
    ),
    (
        {"s": [1, 2, -np.inf]},
        {},
        f"'s' has a finite score in each row. Got -inf in row 2, of query 'b', instead. "
        f"{NOT_PREDICTED}",
    ),
    ({"s": np.array(["1", "2", "3"])}, {}, f"'s' {NUMBERS.format('<U1')} {AS_NUMBERS}"),
    *(
        (
            {name: pd.MultiIndex.from_product([[1], [4, 5, 6]])},
            {},
            f"'{name}' has one value for each row. Got a MultiIndex of 2 levels instead. Select "
            f"one level first, for example with `.get_level_values(0)`.",
        )
        for name in ("q", "s")
    ),
    *(
        ({"s": each}, {}, f"'s' {NUMBERS.replace('dtype {}', got)}{more}")
        for each, got, more in (
            (
                [Decimal("1.5")] * 3,
                "Decimal('1.5') in row 0",
                " Convert it to numbers first, for example with `list(map(float, ...))`.",
            ),
            (
                pl.Series([None, Decimal("1.5"), Decimal(2)]),
                "Decimal('1.5') in row 1",
                " Convert it to numbers first, for example with `.cast(float)`.",
            ),
            (pd.Series([1, None, "7"], dtype=object), "'7' in row 2", f" {AS_NUMBERS}"),
            ([datetime.timedelta(1)] * 3, "datetime.timedelta(days=1) in row 0", ""),
            (np.ones(3, "m8[s]"), "dtype timedelta64[s]", ""),
            (pd.Series([[1], [2], [3]]), "[1] in row 0", ""),
            (pd.Series([2**70, 1, 2]), "dtype object", f" {AS_NUMBERS}"),
        )
    ),
    *(
        (
            {name: each},
            {},
            f"'{name}' has one value for each row. Got dtype {dtype} instead. {advice}",
        )
        for each, dtype, advice in (
            (pl.Series([[1], [2], [3]]), "List(Int64)", EXPLODE),
            (
                pl.Series([[1], [2], [3]], dtype=pl.Array(int, 1)),
                "Array(Int64, shape=(1,))",
                EXPLODE,
            ),
            (
                pl.Series([{"a": [1]}] * 3),
                "Struct({'a': List(Int64)})",
                "Make a column of one of its fields first.",
            ),
        )
        for name in ("i", "s")
    ),
    *(
        (
            {name: each},
            {},
            f"'{name}' has one value for each row. Got {got} instead. Pass a list or an array.",
        )
        for each, got in (
            ({1}, "{1}"),
            ("xyz", "'xyz'"),
            (b"xyz", "b'xyz'"),
            ({"x": 1}.keys(), "dict_keys(['x'])"),
            ({"x": 1}.values(), "dict_values([1])"),
            ({"x": 1}, "{'x': 1}"),
        )
        for name in ("i", "s")
    ),
    ({"s": np.ones(3, "M8[D]")}, {}, f"'s' {NUMBERS.format('datetime64[D]')}"),
    (
        {"q": ["b", "b", "b"], "i": ["x", "y", "x"]},
        {},
        "'i' has each item only once per query. Got item 'x' more than once for query 'b' "
        "instead. Keep one row of each, such as the one with the highest score. "
        f"{BEST_OR_HOLD}",
    ),
    (
        {"q": ["c", "d", "e"]},
        {},
        f"'q' {MATCH} Got 'a', 'b' judged and 'c', 'd', 'e' predicted instead.",
    ),
    (
        {"q": list("cdefg"), "i": list("cdefg"), "s": range(5)},
        {},
        f"'q' {MATCH} Got 'a', 'b' judged and 'c', 'd', 'e', … predicted instead.",
    ),
    (NOTHING, {"queries": "both"}, f"'q' {MATCH} Got 'a', 'b' judged and none predicted instead."),
    (
        NOTHING,
        {"queries": "equal"},
        f"'q' {EQUAL} Got 2 of 2 queries that are judged and not predicted, such as 'a', instead. "
        f"{ACCEPTED}",
    ),
    (
        {"q": ["a", "b", "c"]},
        {"queries": "equal"},
        f"'q' {EQUAL} Got 1 of 3 queries that are not judged, such as 'c', instead. {ACCEPTED}",
    ),
    (
        {"i": [True, 1, 2]},
        {},
        "'i' has ids that can be told apart. Got bools beside numbers instead.",
    ),
    (
        {"i": np.ones(3, complex)},
        {},
        "'i' has ids that are text, numbers or dates. Got dtype complex128 instead.",
    ),
    ({"i": np.ones((3, 1))}, {}, "'i' has one value for each row. Got shape (3, 1) instead."),
    ({"s": 3}, {}, "'s' has one value for each row. Got 3 instead."),
]
BAD_RANKS = [
    ([0, 1, 2], f"{RANKS} Got 0 in row 0, of query 'a', instead. {NOT_RANKS}"),
    ([1, 2.5, 2], f"{RANKS} Got 2.5 in row 1, of query 'b', instead. {NOT_RANKS}"),
    ([1, np.inf, 2], f"{RANKS} Got inf in row 1, of query 'b', instead. {NOT_RANKS}"),
    ([True, True, True], f"{RANKS} Got dtype bool instead."),
    *(
        (
            [1, 2, rank],
            "must be a table whose column 's' has ranks that leave at most 48 positions free in "
            f"a query, 16 per row, and {2**23} in all. Got rank {rank} for query 'b' instead. "
            f"Drop the rows with ranks beyond {rank - 1}. With queries='judged', no score at a "
            f"cutoff of at most {rank - 1} changes.",
        )
        for rank in (51, 2**63)
    ),
]


def check_message(parameter, message, function, *args, **params):
    with pytest.raises(InvalidParameterError) as caught:
        function(*args, **params)
    expected = f"The '{parameter}' parameter of {function.__name__} {message}"
    assert str(caught.value) == expected


@pytest.mark.parametrize(("columns", "names", "message"), BAD_PREDICTIONS)
def test_bad_predictions(columns, names, message):
    message = f"must be a table whose column {message}"
    predictions = PREDICTIONS | columns
    check_message("predictions", message, from_tables, JUDGMENTS, predictions, **NAMES | names)


@pytest.mark.parametrize(("ranks", "message"), BAD_RANKS)
def test_bad_ranks(ranks, message):
    wide = np.uint64 if 2**63 in ranks else None
    predictions = PREDICTIONS | {"s": np.array(ranks, dtype=wide)}
    check_message("predictions", message, from_tables, JUDGMENTS, predictions, **NAMES | RANKED)


def test_the_highest_rank_that_is_filled():
    data = from_tables(JUDGMENTS, PREDICTIONS | {"s": [1, 2, 50]}, **NAMES | RANKED)
    assert data.y_score.shape == (2, 3 + 48)
    assert sorted(data.y_score[[1]].data) == list(range(-50, 0))


@pytest.mark.parametrize(
    ("n_users", "deepest"),
    [(1, 18), (1, 60), (40, 60), (40, 10_000), (40, 2**40), (2000, 5000)],
)
def test_the_cure_for_deep_ranks_changes_no_score_up_to_its_cutoff(n_users, deepest, monkeypatch):
    monkeypatch.setattr("ranking_scores._tables._join._FILLERS", 0)
    rng = np.random.default_rng(0)
    # Each user has one item that was held out, and its rank among all items.
    rank = np.minimum((rng.pareto(0.5, n_users) * 3).astype(np.int64) + 1, deepest)
    rank[n_users // 2 :] = deepest
    users = np.arange(n_users)
    judgments = {"user": users, "item": users % 7}
    predictions = judgments | {"rank": rank}
    names = {"query": "user", "item": "item", "rank": "rank"}
    query = int(np.argmax(rank))
    text = f"Got rank {deepest} for query {query} instead. Drop the rows with ranks beyond "
    with pytest.raises(InvalidParameterError, match=text) as caught:
        from_tables(judgments, predictions, **names)
    last = int(re.search("cutoff of at most ([0-9]+)", str(caught.value))[1])
    fitting = [k for k in [*rank, 0] if (rank[rank <= k] - 1).sum() <= 16 * (rank <= k).sum()]
    assert last == rank[rank > max(fitting)].min() - 1 >= 17
    is_kept = rank <= last
    kept = {name: each[is_kept] for name, each in predictions.items()}
    if is_kept.any():
        data = from_tables(judgments, kept, **names)
    else:
        data = from_tables(judgments, {"user": [], "item": [], "rank": []}, **names)
    assert data.y_score.nnz <= 17 * is_kept.sum()
    for k in (1, 10, last):
        found = rank <= k
        gain = np.where(found, 1 / np.log2(1 + rank), 0)
        assert hit_rate_score(data.y_true, data.y_score, k=k, average=None).tolist() == [*found]
        values = ndcg_score(data.y_true, data.y_score, k=k, average=None)
        assert values == pytest.approx(gain, rel=TOLERANCE, abs=0)
    joined = judgments | {"label": np.ones(n_users), "rank": np.where(is_kept, rank, np.nan)}
    one = from_table(joined, **names, label="label")
    assert as_bits(one)[0][1] == as_bits(data)[0][1]


def test_the_rank_of_one_held_out_item_for_each_user_may_be_deep():
    rank = np.random.default_rng(0).integers(1, 10_000, 1000)
    columns = {"q": np.arange(1000), "i": np.arange(1000), "r": rank}
    data = from_tables(columns, columns, query="q", item="i", rank="r")
    values = mean_reciprocal_rank_score(data.y_true, data.y_score, average=None)
    assert values.tolist() == (1 / rank).tolist()
    assert data.item_ids.tolist()[1000:] == [None] * (rank.max() - 1)


def test_fillers_of_all_queries_need_no_more_memory_than_the_rows():
    n_users = 3000
    users = np.arange(n_users)
    columns = {"q": users, "i": users, "r": np.full(n_users, 17)}
    names = {"query": "q", "item": "i", "rank": "r"}
    data = from_tables(columns, columns, **names)
    assert data.y_score.nnz == 17 * n_users
    columns["r"] = np.full(n_users, 16 * n_users)  # each of which is less than 16 for each row
    message = (
        "must be a table whose column 'r' has ranks that leave at most 48000 positions free in a "
        f"query, 16 per row, and {2**23} in all. Got rank 48000 for query 0 instead. Drop the "
        "rows with ranks beyond 47999. With queries='judged', no score at a cutoff of at most "
        "47999 changes."
    )
    check_message("predictions", message, from_tables, columns, columns, **names)


@pytest.mark.parametrize(
    ("judgments", "message"),
    [
        (3, f"{A_TABLE} Got 3 instead."),
        (np.ones((2, 2)), f"{A_TABLE} Got an array of shape (2, 2) and dtype float64 instead."),
        (pl.Series([1]), f"{A_TABLE} Got a Series instead."),
        (
            pd.DataFrame([[1, 2, 3]], columns=list("qii")),
            "must be a table with one column 'i'. Got 2 of that name instead.",
        ),
        (
            pd.DataFrame({"q": [1], "g": [2]}),
            "must be a table with the column 'i'. Got the columns 'q', 'g' instead. "
            f"{PAIR.format('item')}",
        ),
        (
            {"q": [1], "i": [2]},
            "must be a table with the column 'g'. Got the columns 'q', 'i' instead. `label=` "
            "takes the name of the column in the table.",
        ),
        (
            {},
            f"must be a table with the column 'q'. Got no columns instead. {PAIR.format('query')}",
        ),
        (
            JUDGMENTS | {"g": [1]},
            "must be a table whose columns have the same length. Got 3 in 'q', 3 in 'i', 1 in 'g' "
            "instead.",
        ),
        (
            JUDGMENTS | {"g": [1, np.inf, 2]},
            "must be a table whose column 'g' has a finite label in each row. Got inf in row 1, "
            "of query 'a', instead. Drop such rows, or give them a label.",
        ),
        (
            JUDGMENTS | {"g": [1, 0, None]},
            "must be a table whose column 'g' has a label in each row. Got null or NaN in row 2, "
            "of query 'b', instead. Drop the rows of items that were not judged. " + ONE_TABLE,
        ),
        (
            JUDGMENTS | {"i": np.fromiter([[1], [2], [3]], dtype=object)},
            "must be a table whose column 'i' has ids that can be told apart. Got unhashable "
            "type: 'list' instead.",
        ),
        (
            {name: [] for name in JUDGMENTS},
            "must be a table with at least one row. Got no rows instead.",
        ),
    ],
)
def test_bad_judgments(judgments, message):
    check_message("judgments", message, from_tables, judgments, PREDICTIONS, **NAMES)


class Expression:
    """What compares as a column of polars does, of which the result is no bool."""

    __hash__ = object.__hash__

    def __eq__(self, other):
        return Expression()

    def __repr__(self):
        return "an expression"


@pytest.mark.parametrize(
    ("names", "parameter", "message"),
    [
        ({"rank": "r"}, "score", f"{SCORE} Got 's' and rank='r' instead. {ONE_OF}"),
        ({"query": (None, "q")}, "query", f"{A_NAME} Got (None, 'q') instead."),
        *(
            (names, name, f"{expected} Got {got} instead.")
            for given, got in (
                (np.ones(3), "an array of shape (3,) and dtype float64"),
                (pd.Series(range(9)), "a Series"),
                (pl.Series(range(9)), "a Series"),
                ({"s"}, "{'s'}"),
                (Expression(), "an expression"),
            )
            for names, name, expected in (
                ({"label": given}, "label", "must be the name of a column."),
                ({"score": given}, "score", "must be the name of a column."),
                ({"score": None, "rank": given}, "rank", "must be the name of a column."),
                ({"query": given}, "query", A_NAME),
                ({"item": given}, "item", A_NAME),
            )
        ),
        ({"item": ("a", {"b"})}, "item", f"{A_NAME} Got ('a', {{'b'}}) instead."),
        ({"score": ["s"]}, "score", "must be the name of a column. Got ['s'] instead."),
        ({"item": ("a", "b", "c")}, "item", f"{A_NAME} Got ('a', 'b', 'c') instead."),
        (
            {"queries": "any"},
            "queries",
            "must be 'judged', 'both', 'all' or 'equal'. Got 'any' instead.",
        ),
    ],
)
def test_bad_names(names, parameter, message):
    check_message(parameter, message, from_tables, JUDGMENTS, PREDICTIONS, **NAMES | names)


def test_bad_names_in_one_table():
    table = {"q": [1], "g": [1], "s": [1]}
    for name in ("query", "label"):
        names = {"query": "q", "label": "g", "score": "s"} | {name: None}
        message = (
            f"must be a table with one column whose name is known as that of the {name}. Got the "
            f"columns 'q', 'g', 's' instead. Name it with `{name}=`."
        )
        check_message("table", message, from_table, table, **names)
    for name in ("query", "item", "label", "score"):
        names = {"query": "q", "label": "g", "score": "s"} | {name: table["s"]}
        message = "must be the name of a column. Got [1] instead."
        check_message(name, message, from_table, table, **names)
    message = (
        "must be a table with the column 'x'. Got the columns 'q', 'g', 's' instead. `query=` "
        "takes the name of the column in the table."
    )
    check_message("table", message, from_table, table, query="x", label="g", score="s")


TWICE = (
    "must be a table whose column 'i' has each item only once per query. Got item 7 more than "
    "once for query 1 instead. "
)


@pytest.mark.parametrize(
    ("columns", "advice"),
    [
        (
            {"g": [1, None], "s": [None, 0.5]},
            "One row has the label and another the score. Merge the two tables instead of "
            "concatenating them.",
        ),
        (
            {"g": [None, 1], "r": [1, None]},
            "One row has the label and another the rank. Merge the two tables instead of "
            "concatenating them.",
        ),
        ({"g": [1, 1], "s": [None, 0.5]}, f"Keep one row of each. {BEST_OR_HOLD}"),
        ({"g": [1, None], "s": [None, None]}, f"Keep one row of each. {BEST_OR_HOLD}"),
        ({"g": [1, 0], "s": [2, 0.5]}, f"Keep one row of each. {BEST_OR_HOLD}"),
    ],
)
def test_an_item_twice_in_one_table(columns, advice):
    table = {"q": [0, 1, 1], "i": [7, 7, 7]} | {name: [1, *columns[name]] for name in columns}
    names = NAMES if "s" in columns else NAMES | {"score": None, "rank": "r"}
    check_message("table", TWICE + advice, from_table, table, **names)


@pytest.mark.parametrize(
    ("parameter", "names", "advice"),
    [
        (
            "judgments",
            {"label": "v"},
            f", such as the one with the highest label. {HIGHEST_LABEL} {ONE_OF_AN_ASPECT}",
        ),
        ("judgments", {}, f". {HIGHEST_LABEL} {ONE_OF_AN_ASPECT}"),
        (
            "predictions",
            {"score": "v"},
            f", such as the one with the highest score. {BEST_OR_HOLD}",
        ),
        ("predictions", {"rank": "v"}, f", such as the one with the lowest rank. {BEST_OR_HOLD}"),
    ],
)
def test_an_item_twice_for_a_query(parameter, names, advice):
    tables = {each: {"q": [1], "i": [7], "v": [1]} for each in ("judgments", "predictions")}
    tables[parameter] = {"q": [1, 1], "i": [7, 7], "v": [1, 2]}
    names = {"query": "q", "item": "i", "score": None if "rank" in names else "v"} | names
    message = f"{TWICE}Keep one row of each{advice}"
    check_message(parameter, message, from_tables, *tables.values(), **names)


@pytest.mark.parametrize(
    ("columns", "names", "message"),
    [
        (
            {"s": [1, -np.inf, None]},
            {},
            "'s' has a finite score in each row. Got -inf in row 1, of query 'a', instead. Set "
            "it to null if the item was not predicted.",
        ),
        (
            {"g": [1, None, np.inf]},
            {},
            "'g' has a finite label in each row. Got inf in row 2, of query 'b', instead. Set it "
            "to null if the item was not judged.",
        ),
        (
            {"s": [1, None, -1]},
            RANKED,
            "'s' has whole numbers from 1 on. Got -1 in row 2, of query 'b', instead. Add 1 to "
            "ranks that begin with 0, and set those of items that were not predicted to null. If "
            "the numbers are not ranks, they may be scores.",
        ),
        (
            {"s": [1, None, 40]},
            RANKED,
            "'s' has ranks that leave at most 32 positions free in a query, 16 per row, and "
            "8388608 in all. Got rank 40 for query 'b' instead. Set ranks beyond 39 to null. "
            "With queries='judged' or 'all', no score at a cutoff of at most 39 changes.",
        ),
        (
            {"g": [None] * 3},
            {},
            "'g' has a label in at least one row. Got null or NaN in each instead.",
        ),
    ],
)
def test_bad_columns_of_one_table(columns, names, message):
    table = {"q": ["a", "a", "b"], "i": ["x", "y", "x"], "g": [1, 2, 0], "s": [1, 2, 3]} | columns
    message = f"must be a table whose column {message}"
    check_message("table", message, from_table, table, **NAMES | names)


def test_one_table_without_rows():
    table = {"q": [], "i": [], "g": [], "s": []}
    message = "must be a table with at least one row. Got no rows instead."
    check_message("table", message, from_table, table, **NAMES)


def test_columns_of_a_dict_are_indexed_alike():
    columns = {name: pd.Series(each, index=[5, 7, 9]) for name, each in PREDICTIONS.items()}
    expected = as_bits(from_tables(JUDGMENTS, PREDICTIONS, **NAMES))
    assert as_bits(from_tables(JUDGMENTS, columns, **NAMES)) == expected
    assert as_bits(from_tables(JUDGMENTS, columns | {"i": ["x", "z", "x"]}, **NAMES)) == expected
    columns |= {"i": columns["i"][::-1]}
    text = (
        "The \"predictions['i']\" parameter of from_tables must be indexed like predictions['q']. "
        "Got an index with 9 in row 0, where predictions['q'] has 5, instead. Sort them "
        "alike, or pass `.to_numpy()` if rows match by position."
    )
    with pytest.raises(InvalidParameterError) as caught:
        from_tables(JUDGMENTS, columns, **NAMES)
    assert str(caught.value) == text


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


def test_no_judged_item_among_the_predictions_is_a_warning():
    text = "No judged item is among the predictions"
    data = ranking_scores.from_tables(JUDGMENTS, PREDICTIONS | {"i": ["u", "v", "w"]}, **NAMES)
    with pytest.warns(UserWarning, match=text) as caught:
        ndcg_score(data, k=1)
    assert ndcg_score(data, k=3) == 0  # without a second warning
    assert str(caught[0].message) == f"{text}. Check that both tables use the same item ids."
    assert caught[0].filename == __file__
    table = {"q": [1, 1], "g": [1, None], "s": [None, 1]}
    data = ranking_scores.from_table(table, query="q", label="g", score="s")
    with pytest.warns(UserWarning, match=text) as caught:
        ndcg_score(data, k=5)
    assert str(caught[0].message) == (
        f"{text}: no row has both a label and a score. If two tables were concatenated, merge "
        "them by the ids of queries and items."
    )
    assert caught[0].filename == __file__


# Queries


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
