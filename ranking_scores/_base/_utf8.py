"""Text that is not UTF-8, in columns of libraries that store bytes and do not look at them.

Arrow, and so Parquet, calls bytes text without a look at them. They become an error of that
library, which names no row and no parameter, wherever they are made strings of Python. So columns
are looked at where they come in, which takes a small part of the time in which they are read.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import Any

from ranking_scores._base._errors import Place, show_id, show_text
from ranking_scores._base._ids import library_of
from ranking_scores.exceptions import InvalidParameterError

Refuse = Callable[..., InvalidParameterError]
"""Makes the error about some values, of what is expected, what came, and the further parts."""
_Wrong = tuple[int, bytes]
"""The row and the bytes of a text that is not UTF-8."""


def check_utf8(values: Any, refuse: Refuse, path: str | None = None) -> None:
    """Raise unless all text is UTF-8 in a column of pyarrow, pandas or polars.

    In a table of pyarrow, this is so for the names of the columns and for each column. `path` is
    the file that has the column.
    """
    if library_of(values) == "pyarrow" and hasattr(type(values), "columns"):
        for name, column in zip(names_in(values.schema, refuse), values.columns, strict=True):
            check_utf8(column, partial(_refuse_column, refuse, name), path)
        return
    look = _LOOK.get(library_of(values))
    wrong = None if look is None else look(values)
    if wrong is None:
        return
    row, text = wrong
    place = Place(row=row, path=path)
    code = f"Ids may also be bytes: `{_AS_BYTES[library_of(values)]}`."
    raise refuse(TEXT_IN_UTF8, show_text(text), _ADVICE, code=code, place=place)


def _refuse_column(
    refuse: Refuse, name: str, expected: str, got: str, advice: str, *, code: str, place: Place
) -> InvalidParameterError:
    """Return the error about a column of a table."""
    return refuse(expected, got, advice, code=code, place=place._replace(column=name))


TEXT_IN_UTF8 = "text in UTF-8"
"""What is expected of a column, by which other modules know the error."""
_ADVICE = "Decode it with its own encoding, and store it again in UTF-8."
_AS_BYTES = {
    "pyarrow": '.cast("binary")',
    "pandas": '.astype("binary[pyarrow]")',
    "polars": ".cast(polars.String).cast(polars.Binary)",
}


def names_in(schema: Any, refuse: Refuse) -> list[str]:
    """Return the names of the columns in a schema of pyarrow. Raise if one is not UTF-8."""
    try:
        return list(schema.names)
    except UnicodeDecodeError as error:
        raise wrong_name(error, refuse) from error


def wrong_name(error: UnicodeDecodeError, refuse: Refuse) -> InvalidParameterError:
    """Return the error about the name of a column that pyarrow could not read."""
    expected = "a table whose names of columns are in UTF-8"
    return refuse(expected, show_text(error.object), "Rename the column.")


def not_encodable(error: UnicodeEncodeError, refuse: Refuse) -> InvalidParameterError:
    """Return the error about text of Python that no file and no column of Arrow can hold."""
    expected = "text that UTF-8 can encode"
    return refuse(expected, show_id(error.object), LONE_SURROGATE, code=WITH_ESCAPES)


def has_surrogates(text: str) -> bool:
    """Return whether a text has halves of characters, which UTF-8 cannot encode."""
    return re.search("[\ud800-\udfff]", text) is not None


LONE_SURROGATE = "UTF-8 cannot encode half of a character, such as '\\ud800'."
WITH_ESCAPES = 'Put an escape in its place: `text.encode(errors="backslashreplace").decode()`.'
"""The advice about text of Python that UTF-8 cannot encode."""


def errors_of_arrays() -> tuple[type[Exception], ...]:
    """Return the errors that libraries raise if values cannot be an array of NumPy."""
    errors = ValueError, TypeError, RuntimeError  # the last one of PyTorch
    pyarrow = sys.modules.get("pyarrow")
    return errors if pyarrow is None else (*errors, pyarrow.ArrowException)


def _look_in_arrow(values: Any) -> _Wrong | None:
    """Return the first text of a column of pyarrow that is not UTF-8, also in lists and codes."""
    if not hasattr(values, "validate") or "string" not in str(getattr(values, "type", "")):
        return None
    n_before = 0
    for chunk in getattr(values, "chunks", [values]):
        try:
            chunk.validate(full=True)
        except ValueError:
            for row, each in enumerate(chunk, start=n_before):
                try:
                    each.as_py()
                except UnicodeDecodeError as error:
                    return row, error.object
        n_before += len(chunk)
    return None


def _look_in_pandas(values: Any) -> _Wrong | None:
    """Return the same of a series, an index or an array of pandas that Arrow stores.

    The index of a series counts, too: without its names, pandas knows no attribute of the series.
    """
    if hasattr(type(values), "index"):
        wrong = _look_in_pandas(values.index)
        if wrong is not None:
            return wrong
    dtype = values.dtype if hasattr(type(values), "dtype") else None
    if not hasattr(dtype, "pyarrow_dtype") and getattr(dtype, "storage", "") != "pyarrow":
        return None
    return _look_in_arrow(getattr(values, "array", values).__arrow_array__())


def _look_in_polars(values: Any) -> _Wrong | None:
    """Return the same of a series of polars."""
    dtype = str(getattr(values, "dtype", ""))
    if dtype in ("String", "Utf8"):
        polars = import_module("polars")
        stored = values.cast(polars.Binary)
        try:
            stored.cast(polars.String)
        except polars.exceptions.ComputeError:
            texts = enumerate(stored.to_list())
            return next((row, each) for row, each in texts if each and not _is_utf8(each))
        return None
    # Without pyarrow, nothing brings such text into polars, which checks what it reads itself.
    is_other = "String" in dtype or dtype.startswith(("Categorical", "Enum"))
    return _look_in_arrow(values.to_arrow()) if is_other and "pyarrow" in sys.modules else None


def _is_utf8(text: bytes) -> bool:
    """Return whether bytes are UTF-8."""
    return text.decode(errors="ignore").encode() == text


_LOOK = {"pyarrow": _look_in_arrow, "pandas": _look_in_pandas, "polars": _look_in_polars}
