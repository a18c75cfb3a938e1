"""What a file of JSON holds: each form is a row of `FORMS`, and exactly one of them must fit.

A form fits if the file has all that it needs, whatever the other forms are. The names that the
caller passed, and those that are known, tell ids from fields: an object with such a name among its
keys has fields. Each form leads to one of three: the items of each query, one record per query, or
one record per item.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

from ranking_scores._base._errors import show_id, show_names
from ranking_scores._base._validation import describe
from ranking_scores._files._json_files import BY_PLACE, JsonFile, Record, read_file
from ranking_scores._files._table import (
    NAME,
    FileError,
    FileRequest,
    FileTable,
    roles_in_words,
    unclear,
    with_columns,
)
from ranking_scores._tables._answers import (
    WrongAnswerError,
    answers_by_query,
    is_answer,
    judgments_in,
)
from ranking_scores._tables._columns import noted
from ranking_scores._tables._known_names import (
    ROLES,
    UnclearError,
    find_columns,
    names_of_role,
)
from ranking_scores.exceptions import InvalidParameterError

LISTS = ("relevant", "retrieved")
"""The names of the fields of records with the items of a query, unless the caller names others."""
_IDS = ("id", "_id")
"""The fields that have the id of a query in records per query, if no other is known for it."""


class JsonNames(NamedTuple):
    """The names of fields that are sought in a file of JSON."""

    query: str | None = None
    item: str | None = None
    """None: the caller named no field for the ids of queries, or of items."""
    lists: tuple[str, str] | None = None
    """The field with the items of a query, and the option that names it; None: any field."""
    are_lists_named: bool = False
    others: Mapping[str, str] = {}
    """Other fields that the caller named, and the options that name them."""
    may_be_answers: bool = False
    """Whether records may be answers of search engines, or have them in a field of any name."""
    needs_items: bool = True
    """Whether queries must have items, as they need not in a table of queries."""

    def named(self) -> set[str]:
        """Return the names that the caller passed."""
        own = {self.query, self.item, *self.others}
        if self.lists is not None and self.are_lists_named:
            own.add(self.lists[0])
        return {name for name in own if name is not None} - {BY_PLACE}

    def below(self, wrapper: str) -> JsonNames:
        """Return the names as records have them that are in a field of an object."""
        start = f"{wrapper}."
        query, item = (
            None if name is None else name.removeprefix(start) for name in (self.query, self.item)
        )
        others = {name.removeprefix(start): option for name, option in self.others.items()}
        lists = self.lists and (self.lists[0].removeprefix(start), self.lists[1])
        return self._replace(query=query, item=item, lists=lists, others=others)


class Lack(NamedTuple):
    """What a file lacks of a form of which it has all else."""

    expected: str
    got: str
    code: str = ""
    """The advice in terms of Python."""


Found = JsonFile | Lack | None
"""The content in one of the three forms, or what it lacks. None: it is nothing like the form."""


class JsonForm(NamedTuple):
    """A form of the content of a file."""

    name: str
    """What notes and errors call it."""
    example: str
    read: Callable[[JsonFile, JsonNames], Found]


def in_form(file: JsonFile, names: JsonNames) -> JsonFile:
    """Return the content in the one form that fits. Raise if none fits, or more than one."""
    found = [(form, form.read(file, names)) for form in FORMS]
    fitting = [
        own._replace(form=form.name + own.form) for form, own in found if isinstance(own, JsonFile)
    ]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        got = " and as ".join(own.form for own in fitting)
        advice = "Write the file in one form, or name a field that only one of them has."
        raise file.invalid(
            "a file that can be read in one way", f"one that reads as {got}", advice=advice
        )
    raise _none_fits(file, [own for _, own in found if isinstance(own, Lack)])


def _none_fits(file: JsonFile, lacks: Sequence[Lack]) -> InvalidParameterError:
    """Return the error about a file that has no form, with what the nearest ones lack."""
    if not lacks:
        forms = [form.name for form in FORMS]
        expected = f"a file with {', '.join(forms[:-1])} or {forms[-1]}"
        return file.invalid(expected, f"an object with {show_names(file.fields()) or 'nothing'}")
    expected = ", or ".join(dict.fromkeys(lack.expected for lack in lacks))
    got = " and ".join(dict.fromkeys(lack.got for lack in lacks))
    code = " ".join(dict.fromkeys(lack.code for lack in lacks))
    return file.invalid(f"a file {expected}", got, code=code)


# --- the items of each query --------------------------------------------------------------------


def _by_query(file: JsonFile, names: JsonNames) -> Found:
    """Return an object that has a list or a dict of items, or one id, for each query."""
    if not file.is_one:
        return None
    content = file.records[0].fields
    if is_answer(content) or content.keys() & {*LISTS, *names.named()}:
        return None
    if any(form.read(file, names) is not None for form in _WITH_NAMES):
        return None
    for query, items in content.items():
        if query in _IDS and isinstance(items, str):  # of a record
            return None
        if not isinstance(items, (list, dict, str)) and items is not None:
            got = f"{describe(items)} at {show_id(query)}"
            return Lack("that has a list or a dict of items at each query", got)
    named = next(iter(names.others), None)
    if names.lists is None:  # no other file can have them
        named = next(iter(names.named()), None)
    elif names.are_lists_named:
        named = names.lists[0]
    if named is not None or not names.needs_items:
        what = "no fields" if named is None else f"no field {show_id(named)}"
        ids = show_names(content)
        got = f"{what}, since it has the items of queries at their ids, {ids},"
        return Lack("that has records", got)
    return file._replace(by_query=content)


_OF_MTEB = "mteb_model_meta"
"""A field of files of MTEB, beside the predictions by the name of a subset and of a split."""


def _of_mteb(file: JsonFile, _: JsonNames) -> Found:
    """Return the predictions in a file of MTEB, which has those of one subset and one split."""
    content = file.records[0].fields if file.is_one else {}
    if _OF_MTEB not in content:
        return None
    found = {
        f"{subset}/{split}": predictions
        for subset, splits in content.items()
        if subset != _OF_MTEB and isinstance(splits, dict)
        for split, predictions in splits.items()
    }
    if len(found) != 1:
        got = " and ".join(found) or "none"
        return Lack("of MTEB with the predictions of one subset and one split", got)
    [(names, by_query)] = found.items()
    return file._replace(by_query=by_query, form=f" of {names.replace('/', ', ')}")


def _of_engine(file: JsonFile, names: JsonNames) -> Found:
    """Return the judgments of a search engine, or its answers by the ids of queries."""
    content = file.records[0].fields if file.is_one else {}
    try:
        judged = judgments_in(content)
    except WrongAnswerError as error:
        return Lack(f"that is {error.expected}", error.got)
    if judged is not None:
        if names.lists is not None and names.lists[1] == "retrieved":
            return Lack("with what was retrieved", judged.note)
        return file._replace(by_query=judged.by_query, form=f": {judged.note}")
    answers = answers_by_query(content)
    return None if answers is None else file._replace(by_query=dict(answers))


# --- records ------------------------------------------------------------------------------------


def query_of(file: JsonFile, names: JsonNames) -> str | None:
    """Return the field with the id of the query in records per query; None: it is not found."""
    if names.query is not None:
        return names.query
    known = find_columns(file.fields(), {}, ["query"]).names["query"]
    if known is not None:
        return str(known)
    return next((name for name in _IDS if _are_ids(file.column(name))), None)


def _are_ids(values: Sequence[Any]) -> bool:
    """Return whether each record has another id."""
    are_scalars = set(map(type, values)) <= {str, int}
    return are_scalars and len(set(values)) == len(values)


def _per_query(file: JsonFile, names: JsonNames) -> Found:
    """Return records that have the items of a query in a field, or a single such record."""
    if _are_items(file, names):
        return None
    if _of_engine(file, names) is not None:
        return None
    wanted = {**names.others}
    if names.lists is not None and not (names.may_be_answers and _have_answers(file)):
        wanted |= dict([names.lists])
    for name, option in wanted.items():
        if not file.has(name):
            is_alike = not file.is_one or any(map(file.has, {*LISTS, *wanted}))
            got = f"records with {show_names(file.fields()) or 'no field'}"
            code = f"Name the field with `{option}=`."
            return Lack(f"whose records have {show_id(name)}", got, code) if is_alike else None
    if file.is_one and not wanted and not _are_records(file, names):
        return None
    query = names.query
    if names.lists is None and names.needs_items:  # nothing else can tell the queries
        query = _known_query(file, names) or "query"
    if query in (None, BY_PLACE) or file.has(str(query)):
        return file
    file.check_queries(str(query))
    got = f"records with {show_names(file.fields()) or 'no field'}"
    code = f"Name the field with `query=`. `query={BY_PLACE!r}` numbers the records from 0."
    return Lack(f"whose records have the id of their query in {show_id(query)}", got, code)


def _known_query(file: JsonFile, names: JsonNames) -> str | None:
    """Return the field with the ids of queries. The first one counts if there are several."""
    try:
        return query_of(file, names)
    except UnclearError as error:
        return error.fitting[0]


def _are_records(file: JsonFile, names: JsonNames) -> bool:
    """Return whether an object has fields whose names tell that it is a record."""
    if names.query == BY_PLACE or any(map(file.has, LISTS)) or file.are_answers():
        return True
    try:
        query = names.query or find_columns(file.fields(), {}, ["query"]).names["query"]
    except UnclearError:
        return True
    ids = file.given(query or "")
    return bool(ids) and not any(isinstance(each, (list, dict)) for each in ids)


def _are_items(file: JsonFile, names: JsonNames) -> bool:
    """Return whether each record is an item of a query, and none has a list of items."""
    return names.needs_items and file.are_rows(names.item) and not _have_lists(file, names)


def _have_lists(file: JsonFile, names: JsonNames) -> bool:
    """Return whether records have lists or dicts in the field for the items of a query."""
    fields = LISTS if names.lists is None else names.lists[:1]
    return any(isinstance(value, (list, dict)) for name in fields for value in file.column(name))


def _have_answers(file: JsonFile) -> bool:
    """Return whether records are answers of search engines, or have them in one field."""
    return file.are_answers() or len(file.fields_of_answers()) == 1


def _per_item(file: JsonFile, names: JsonNames) -> Found:
    """Return records of which each is an item of a query."""
    return file._replace(has_rows=True) if _are_items(file, names) else None


def _wrapped(file: JsonFile, names: JsonNames) -> Found:
    """Return the records in a field of an object, which has no other list of records."""
    content, fitting = file.records[0].fields if file.is_one else {}, {}
    is_of_engine = is_answer(content) or _of_engine(file, names) is not None
    for key, value in {} if is_of_engine else content.items():
        if isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
            inner = file._replace(records=[Record(each, None) for each in value], is_one=False)
            own = names.below(key)
            is_named = bool(own.named() - {own.item}) and all(map(inner.has, own.named()))
            if is_named or _are_records(inner, own):
                fitting[key] = _per_query(inner, own) or _per_item(inner, own)
    if len(fitting) > 1:
        named = [
            key for key in fitting if any(name.startswith(f"{key}.") for name in names.named())
        ]
        if len(named) != 1:
            got = f"records in {show_names(fitting)}"
            return Lack(
                "with one list of records", got, "Write each of them to a file of its own."
            )
        fitting = {key: fitting[key] for key in named}
    for key, found in fitting.items():
        if isinstance(found, JsonFile):
            return found._replace(form=f" in {show_id(key)}", wrapper=key)
        return found
    return None


# --- tables as pandas writes them ---------------------------------------------------------------


def _columns(file: JsonFile, names: JsonNames) -> Found:
    """Return the rows of columns by their names, in each of which the rows have numbers."""
    content = file.records[0].fields if file.is_one else {}
    columns = list(content.values())
    if not columns or not names.needs_items:
        return None
    if all(isinstance(column, dict) for column in columns):
        rows = list(columns[0])
        if any(list(column) != rows for column in columns) or not _are_numbers(rows):
            return None
        columns = [list(column.values()) for column in columns]
    elif not all(isinstance(column, list) for column in columns):
        return None
    if len(set(map(len, columns))) > 1 or any(
        isinstance(value, (list, dict)) for column in columns for value in column
    ):
        return None
    return _as_rows(file, list(content), list(zip(*columns, strict=True)), names)


def _rows_by_index(file: JsonFile, names: JsonNames) -> Found:
    """Return rows by their numbers, each of which has its values by the names of columns."""
    content = file.records[0].fields if file.is_one else {}
    rows = list(content.values())
    if not rows or not names.needs_items or not all(isinstance(row, dict) for row in rows):
        return None
    columns = list(rows[0])
    if any(list(row) != columns for row in rows):
        return None
    return _as_rows(file, columns, [tuple(row.values()) for row in rows], names)


def _rows_beside_columns(file: JsonFile, names: JsonNames) -> Found:
    """Return the rows of a list of lists, beside which there are the names of the columns."""
    content = file.records[0].fields if file.is_one else {}
    columns, rows = content.get("columns"), content.get("data")
    if not isinstance(columns, list) or not isinstance(rows, list):
        return None
    if not all(isinstance(row, list) and len(row) == len(columns) for row in rows):
        return None
    return _as_rows(file, columns, rows, names)


def _are_numbers(keys: Collection[str]) -> bool:
    """Return whether keys are the numbers that pandas gives to rows."""
    return list(keys) == [str(number) for number in range(len(keys))]


def _as_rows(
    file: JsonFile, columns: Sequence[Any], rows: Sequence[Sequence[Any]], names: JsonNames
) -> Found:
    """Return rows as records, if the names of their columns are those of ids."""
    given = {"query": names.query, "item": names.item}
    try:
        sought = [role for role, name in given.items() if name is None]
        ids = find_columns(columns, given, sought).names
        have_ids = {ids["query"], ids["item"]} <= {*columns}
    except UnclearError:
        have_ids = True
    if not have_ids:
        known = {str(name).casefold() for name in columns} & _known_names()
        if not known and not {*columns} & names.named():
            return None
        got = f"what looks like columns, {show_names(columns)},"
        code = "Name those of the ids with `query=` and `item=`."
        return Lack("that has records, or the items of queries", got, code)
    records = [Record(dict(zip(columns, row, strict=True)), None) for row in rows]
    return file._replace(records=records, has_rows=True)


def _known_names() -> frozenset[str]:
    """Return the names of columns that are known, in lower case."""
    return frozenset().union(*map(names_of_role, ROLES))


_WITH_NAMES = (
    JsonForm("one record per query", '{"query": "q1", "relevant": ["d1"]}', _per_query),
    JsonForm("one record per item", '{"query": "q1", "item": "d1", "label": 2}', _per_item),
    JsonForm("records", '{"queries": [{"id": "q1", "relevant": ["d1"]}]}', _wrapped),
    JsonForm("columns", '{"query": {"0": "q1"}, "item": {"0": "d1"}}', _columns),
    JsonForm("rows by number", '{"0": {"query": "q1", "item": "d1"}}', _rows_by_index),
    JsonForm("rows beside columns", '{"columns": [...], "data": [[...]]}', _rows_beside_columns),
    JsonForm("MTEB's predictions", '{"mteb_model_meta": ..., "default": {"test": ...}}', _of_mteb),
    JsonForm(
        "a search engine's queries", '{"requests": [{"id": "q1", "ratings": [...]}]}', _of_engine
    ),
)
"""The forms in which fields or columns have names."""
FORMS = (
    JsonForm("items by query", '{"q1": ["d1"]} or {"q1": {"d1": 2}}', _by_query),
    *_WITH_NAMES,
)
"""All forms. The order does not matter."""


# --- what functions take ------------------------------------------------------------------------


def content_of(file: JsonFile, query: str | None, item: str | None) -> dict[Any, Any]:
    """Return the content of a file as `from_lists` or `from_tables` takes it.

    A field that is None is found by its name.
    """
    names = JsonNames(query, item)
    file = in_form(file, names)
    if file.by_query is not None:
        return noted(file.by_query, file.form)
    names = names.below(file.wrapper)
    try:
        ids = _ids_of_rows(file, names) if file.has_rows else [query_of(file, names) or "query"]
    except UnclearError as error:
        expected = f"a file with one field that is known as that of the {error.role}"
        got = " and ".join(map(repr, error.fitting))
        raise file.invalid(expected, got, code=f"Name it with `{error.role}=`.") from error
    fields: dict[str, Any] = dict.fromkeys(file.fields())
    if file.has_rows:
        fields |= {name: file.column(name, is_needed=True) for name in ids}
        fields |= {name: file.column(name) for name in fields if name not in ids}
        return noted(fields, file.form)
    if names.item is not None:
        expected = f"a file whose records have the id of an item in {show_id(names.item)}"
        got = f"records with {show_names(fields)}"
        raise file.invalid(expected, got, code="Name it with `item=`.")
    queries = file.queries(ids[0])
    is_named = ids[0] != BY_PLACE
    note = f"{file.form}: {roles_in_words({ids[0]: 'query'})}" if is_named else file.form
    if file.are_answers():
        whole = (record.fields for record in file.records)
        return noted(dict(zip(queries, whole, strict=True)), note)
    others = [name for name in fields if name not in ids]
    by_id = {name: noted(file.by_id(name, queries), f"{note}, {name}") for name in others}
    return noted(by_id, note)


def _ids_of_rows(file: JsonFile, names: JsonNames) -> list[str]:
    """Return the fields with the ids of records per item."""
    given = {"query": names.query, "item": names.item}
    sought = [role for role, name in given.items() if name is None]
    found = find_columns(file.fields(), given, sought).names
    return [found["query"] or "query", found["item"] or "item"]


# --- what the command takes ---------------------------------------------------------------------


def read_json(request: FileRequest) -> FileTable:
    """Return a table with the rows of a file of JSON, or with its lists, which are in a field."""
    table, names, known = request.table, request.in_json, request.known
    if table.path not in known:
        known[table.path] = read_file(table.path, NAME)
    file = in_form(known[table.path], names)
    names = names.below(file.wrapper)
    table = table._replace(
        query=names.query or table.query,
        item=names.item or table.item,
        by=names.others,
        form=file.form,
    )
    if file.has_rows:
        return _with_rows(table, file)
    if table.kind == "rank":
        raise FileError(f"{table.path}: --rank is for files with one row per item")
    if file.by_query is not None:
        return table._replace(lists=file.by_query, has_names=False)
    field = "" if names.lists is None else names.lists[0]
    if names.lists is not None and not file.has(field):
        [field] = [""] if file.are_answers() else file.fields_of_answers()
    try:
        query = query_of(file, names) or table.query
    except UnclearError as error:
        raise unclear(table, error) from error
    is_numbered = not file.has(query)
    if not field and is_numbered and query != BY_PLACE:
        file.check_queries(query)
    queries = file.places() if is_numbered else file.queries(query)
    lists, taken = None, dict.fromkeys([query] * (not is_numbered), "query")
    if names.needs_items and names.lists is not None:
        n_without = len(queries) - len(file.given(field)) if field else 0
        if n_without:
            they = "record has" if n_without == 1 else "records have"
            table = table.noted(f"{n_without} {they} no {show_id(field)}")
        whole = (record.fields for record in file.records)
        lists = file.by_id(field, queries) if field else dict(zip(queries, whole, strict=True))
        taken |= dict.fromkeys([field] * bool(field), LISTS[table.kind != "label"])
    return table._replace(
        query=query,
        lists=lists,
        field=field,
        fields=show_names(file.fields()) if is_numbered else "",
        lines=dict(zip(queries, (record.line for record in file.records), strict=True)),
        groups={name: file.by_id(name, queries) for name in table.by},
        form=": ".join(filter(None, (file.form, roles_in_words(taken)))),
    )


def _with_rows(table: FileTable, file: JsonFile) -> FileTable:
    """Return a table with the rows of a file of JSON."""
    nested = [name for name in table.names.values() if file.has(name)]
    table = with_columns(list(dict.fromkeys([*file.fields(), *nested])), table)
    is_id = {table.query, table.item}
    columns = {name: file.column(name, is_needed=name in is_id) for name in table.names.values()}
    lines = dict(enumerate(record.line for record in file.records))
    return table._replace(columns=columns, lines=lines).in_form(file.form)
