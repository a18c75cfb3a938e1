"""Files of JSON as records, which are checked as they are read: no name is twice in an object.

`_json_forms` says what the records are.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from ranking_scores._base._errors import Place, invalid, show_id
from ranking_scores._base._validation import describe
from ranking_scores._files._compressed import UnpackError, opened
from ranking_scores._files._trec_files import check_path
from ranking_scores._tables._answers import MISSING, at, is_answer
from ranking_scores._tables._known_names import item_names
from ranking_scores.exceptions import InvalidParameterError

BY_PLACE = "none"
"""The name of the query's field that numbers the records, unless a record has such a field."""
_RECORDS = "a file with dicts by query, one record per query, or one record per item"


class Record(NamedTuple):
    """An object of JSON, and the line of the file that it is in."""

    fields: dict[str, Any]
    line: int | None
    """None: the file is one list, so it is not known."""

    def at(self, name: str) -> Any:
        """Return the value of a field, or `MISSING`."""
        return at(self.fields, name, MISSING)


class JsonFile(NamedTuple):
    """The content of a file of JSON."""

    path: str
    function: str
    records: list[Record]
    is_one: bool = False
    """Whether the file has a single object, which is then the only record."""
    by_query: dict[str, Any] | None = None
    """The items of each query, if this is the form of the file."""
    has_rows: bool = False
    """Whether each record is an item of a query, if the form is known."""
    wrapper: str = ""
    """The field of the single object that has the records. Empty: they are not in a field."""
    form: str = ""
    """The form of the file in words, if it is known."""

    def invalid(
        self, expected: str, got: str, line: int | None = None, advice: str = "", *, code: str = ""
    ) -> InvalidParameterError:
        """Return the error about the file, or about one of its lines."""
        place = Place(line=line, path=self.path) if line else Place()
        got = got if line else f"{got} in {self.path}"
        return invalid("path", self.function, expected, got, advice, code=code, place=place)

    def given(self, name: str) -> list[Any]:
        """Return a field of the records that have it."""
        values = (record.at(name) for record in self.records)
        return [value for value in values if value is not MISSING]

    def has(self, name: str) -> bool:
        """Return whether a record has a field."""
        return any(record.at(name) is not MISSING for record in self.records)

    def fields(self) -> list[str]:
        """Return the names of the fields of all records."""
        return list(dict.fromkeys(name for record in self.records for name in record.fields))

    def are_rows(self, item: str | None) -> bool:
        """Return whether the records are items of queries, which have a field for the item.

        None: the field has one of the names that are known, and the record has no lists.
        """
        if item is not None:
            return any(not isinstance(value, (list, dict)) for value in self.given(item))
        fields = self.records[0].fields
        values = {
            name: value for name, value in fields.items() if not isinstance(value, (list, dict))
        }
        has_lists = len(values) < len(fields)
        return "item" in values or (not has_lists and bool(item_names() & values.keys()))

    def are_answers(self) -> bool:
        """Return whether each record is an answer of a search engine."""
        return bool(self.records) and all(is_answer(record.fields) for record in self.records)

    def fields_of_answers(self) -> list[str]:
        """Return the fields that have an answer of a search engine in each record with them."""
        found: dict[str, bool] = {}
        for record in self.records:
            for name, value in record.fields.items():
                found[name] = found.get(name, True) and (value is None or is_answer(value))
        return [name for name in found if found[name] and any(self.column(name))]

    def check_queries(self, name: str) -> None:
        """Raise if the records are answers without a field for the query."""
        if self.are_answers() and not self.has(name):
            expected = f"a file with the id of the query in each answer, as {show_id(name)}"
            advice = 'Write the answers by these ids, as in {"q1": ..., "q2": ...}.'
            raise self.invalid(expected, "answers without it", advice=advice)

    def column(self, name: str, *, is_needed: bool = False) -> list[Any]:
        """Return a field of all records. A field that is missing is None, or an error."""
        values = [record.at(name) for record in self.records]
        if is_needed:
            for record, value in zip(self.records, values, strict=True):
                if value is MISSING or value is None or isinstance(value, (list, dict)):
                    got = "none" if value is MISSING else describe(value)
                    expected = f"a file with {show_id(name)} in each record"
                    raise self.invalid(expected, got, record.line)
        return [None if value is MISSING else value for value in values]

    def queries(self, name: str) -> list[Any]:
        """Return the query of each record. `BY_PLACE` numbers the records."""
        if name == BY_PLACE and not self.has(name):
            return self.places()
        queries = self.column(name, is_needed=True)
        seen: set[Any] = set()
        for record, query in zip(self.records, queries, strict=True):
            if query in seen:
                got = f"query {show_id(query)} more than once"
                raise self.invalid("a file with one record for each query", got, record.line)
            seen.add(query)
        return queries

    def places(self) -> list[int]:
        """Return the number of each record, from 0 on."""
        return list(range(len(self.records)))

    def by_id(self, name: str, queries: list[Any]) -> dict[Any, Any]:
        """Return a field by query, of the records that have it."""
        values = (record.at(name) for record in self.records)
        pairs = zip(queries, values, strict=True)
        return {query: value for query, value in pairs if value is not MISSING}


def read_file(path: Any, function: str) -> JsonFile:
    """Return the content of a file of JSON."""
    file = JsonFile(check_path(path, function), function, [])
    try:
        with opened(file.path, function) as stream:
            content = stream.read()
    except UnpackError as error:
        raise file.invalid(error.expected, f"an error: {error.got}") from error
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise file.invalid("a file in UTF-8", "another encoding", line) from error
    if "\0" in text:  # UTF-16 without a byte order mark may be valid UTF-8
        line = text.count("\n", 0, text.index("\0")) + 1
        raise file.invalid("a file in UTF-8", "a null character", line)
    values: list[tuple[Any, int | None]] = [*_values_in(text, file)]
    if len(values) == 1 and isinstance(values[0][0], list):
        values = [(value, None) for value in values[0][0]]
    if not values:
        raise file.invalid(_RECORDS, "nothing")
    for value, line_or_none in values:
        if not isinstance(value, dict):
            raise file.invalid(_RECORDS, describe(value), line_or_none)
    records = [Record(*pair) for pair in values]
    return file._replace(records=records, is_one=values[0][1] is not None and len(values) == 1)


def _values_in(text: str, file: JsonFile) -> Iterator[tuple[Any, int]]:
    """Yield the values in a text, each with the line that it begins in."""
    decode = json.JSONDecoder(object_pairs_hook=_as_dict).raw_decode
    line, stop = 1, 0
    while found := _NO_BLANK.search(text, stop):
        start = found.start()
        line += text.count("\n", stop, start)
        try:
            value, stop = decode(text, start)
        except json.JSONDecodeError as error:
            got, code = f"{error.msg!r}", ""
            if text.startswith("\ufeff", error.pos):
                got, code = "a byte-order mark", "Join files without the marks."
            raise file.invalid("a file of JSON", got, error.lineno, code) from error
        except RecursionError as error:
            got = "too many objects in one another"
            raise file.invalid("a file of JSON", got, line) from error
        except ValueError as error:  # A name is repeated, or a number is huge.
            raise file.invalid("a file of JSON", str(error), line) from error
        yield value, line
        line += text.count("\n", start, stop)


_NO_BLANK = re.compile(r"\S")


def _as_dict(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of JSON. Python would keep the last of equal names."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name, count in counts.items() if count > 1)
        raise ValueError(f"{show_id(twice)} more than once in an object")
    return fields
