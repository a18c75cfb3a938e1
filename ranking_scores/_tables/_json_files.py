"""Files of JSON: queries with lists or dicts of items, or one row per item.

The content of a file says which of its forms it has, and the file is checked as it is read: no
name is twice in an object, and no query is twice in the file.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from types import NoneType
from typing import Any, NamedTuple

from ranking_scores._base import Place, UnpackError, describe, invalid, opened, show_id, show_names
from ranking_scores._tables._answers import MISSING, at, is_answer
from ranking_scores._tables._known_names import UnclearError, find_columns, item_names
from ranking_scores._tables._trec_files import check_path
from ranking_scores.exceptions import InvalidParameterError

_QUERY, _ITEM = "query", "item"
"""The names of fields that are not named and not found."""
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
    by_query: dict[str, Any] | None
    """Of each query its items, if the file is a dict of them."""
    records: list[Record]
    """All records, if it is not."""
    note: str = ""
    """What the content was taken for, if that is not what it looks like."""

    def invalid(
        self,
        expected: str,
        got: str,
        line: int | None = None,
        advice: str = "",
        *,
        code: str = "",
    ) -> InvalidParameterError:
        """Return the error about the file, or about one of its lines."""
        place = Place(line=line, path=self.path) if line else Place()
        subject = "" if line else f" in {self.path}"
        got = got + subject
        return invalid("path", self.function, expected, got, advice, code=code, place=place)

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
        if self.by_query is not None:
            return False
        if item is not None:
            return self.has(item)
        fields = self.records[0].fields
        are_lists = any(isinstance(field, (list, dict)) for field in fields.values())
        return _ITEM in fields or (not are_lists and bool(item_names() & fields.keys()))

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
                    raise self.invalid(
                        f"a file with {show_id(name)} in each record", got, record.line
                    )
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
    file = JsonFile(check_path(path, function), function, None, [])
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
    values = list(_values_in(text, file))
    records: list[tuple[Any, int | None]] = [*values]
    if len(values) == 1 and isinstance(values[0][0], dict) and _OF_MTEB in values[0][0]:
        return _predictions_of_mteb(values[0][0], file)
    if len(values) == 1 and isinstance(values[0][0], list):
        records = [(value, None) for value in values[0][0]]
    elif len(values) == 1 and _is_by_query(values[0][0]):
        return file._replace(by_query=values[0][0])
    if not records:
        raise file.invalid(_RECORDS, "nothing")
    for value, line_or_none in records:
        if not isinstance(value, dict):
            raise file.invalid(_RECORDS, describe(value), line_or_none)
    return file._replace(records=[Record(*pair) for pair in records])


_OF_MTEB = "mteb_model_meta"
"""A field of files of MTEB, beside the predictions by the name of a subset and of a split."""


def _predictions_of_mteb(content: dict[str, Any], file: JsonFile) -> JsonFile:
    """Return the predictions in a file of MTEB, which has those of one subset and one split."""
    found = {
        (subset, split): predictions
        for subset, splits in content.items()
        if subset != _OF_MTEB and isinstance(splits, dict)
        for split, predictions in splits.items()
    }
    if len(found) != 1:
        got = " and ".join(map("/".join, found)) or "none"
        raise file.invalid("a file of MTEB with the predictions of one subset and one split", got)
    [(names, by_query)] = found.items()
    return file._replace(by_query=by_query, note=f"{', '.join(names)}: MTEB's predictions")


def _is_by_query(value: Any) -> bool:
    """Return whether an object has a list or a dict of items for each query, by its id."""
    if not isinstance(value, dict) or {"relevant", "retrieved"} & value.keys():
        return False
    if is_answer(value):
        return False
    return all(isinstance(items, (dict, list, NoneType)) for items in value.values())


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
            raise file.invalid(
                "a file of JSON", "too many objects in one another", line
            ) from error
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


def content_of(file: JsonFile, query: str | None, item: str | None) -> dict[Any, Any]:
    """Return the content of a file as `from_lists` or `from_tables` takes it.

    A field that is None is found by its name.
    """
    if file.by_query is not None:
        return file.by_query
    are_rows = file.are_rows(item)
    given = {"query": query, "item": item}
    sought = [role for role in ("query", "item")[: 1 + are_rows] if given[role] is None]
    try:
        found = find_columns(file.fields(), given, sought).names
    except UnclearError as error:
        expected = f"a file with one field that is known as that of the {error.role}"
        got = " and ".join(map(repr, error.fitting))
        code = f"Name it with `{error.role}=`."
        raise file.invalid(expected, got, code=code) from error
    query, item = found["query"] or _QUERY, found["item"] or _ITEM
    names: dict[str, Any] = dict.fromkeys(file.fields())
    if are_rows:
        for name in (query, item):
            names[name] = file.column(name, is_needed=True)
        return names | {name: file.column(name) for name in names if name not in (query, item)}
    if given["item"] is not None:
        names_there = show_names(file.fields())
        expected = f"a file whose records have the id of an item in {show_id(item)}"
        raise file.invalid(expected, f"records with {names_there}", code="Name it with `item=`.")
    if query != BY_PLACE and not file.has(query):
        file.check_queries(query)
        expected = f"a file whose records have the id of their query in {show_id(query)}"
        got = f"records with {show_names(file.fields()) or 'no field'}"
        code = f"Name the field with `query=`. `query={BY_PLACE!r}` numbers the records from 0."
        raise file.invalid(expected, got, code=code)
    queries = file.queries(query)
    if file.are_answers():
        answers = [record.fields for record in file.records]
        return dict(zip(queries, answers, strict=True))
    return {name: file.by_id(name, queries) for name in names if name != query}
