"""Ids of any type in tables are joined by their values, exactly or not at all."""

from __future__ import annotations

import datetime
import re
import uuid
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings, strategies as st
from joined_tables import (
    DAY,
    EXPLODE,
    JUDGMENTS,
    NAMES,
    NO_ID,
    PAIR,
    PREDICTIONS,
    as_bits,
    as_polars_categories,
    by_id,
    check_message,
    joined_quietly,
)
from read_at_once import from_table, from_tables

from ranking_scores.exceptions import InvalidParameterError


@pytest.fixture
def arrow():
    return pytest.importorskip("pyarrow", reason="tables of pyarrow are tested where it is")


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


def test_ids_of_several_kinds_name_the_first_one_that_differs():
    for column, name in (("q", "query"), ("i", "item")):
        names = NAMES | {name: ("text", column)}
        judged = JUDGMENTS | {"text": ["a", "b", "c"]}
        text = f"whose column '{column}' has text alone, like the other ids. Got 1 in row 1"
        with pytest.raises(InvalidParameterError, match=text) as caught:
            from_tables(judged, PREDICTIONS | {column: ["a", 1, (2,)]}, **names)
        assert "such as by `list(map(str, ...))`" in str(caught.value)


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
