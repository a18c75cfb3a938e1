"""The files and objects in which people have judgments and what a system found: the forms.

A form makes a `Table` or `Lists` of values. These are what defects change, and they become the
content of a file, or what a function of Python takes.
"""

from __future__ import annotations

import csv
import importlib.util
import io
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from ranking_scores._tables._known_names import content

from .truth import Values

HAS_PYARROW = importlib.util.find_spec("pyarrow") is not None
HAS_POLARS = importlib.util.find_spec("polars") is not None
MISSING: Any = object()
"""The value of a field that a record does not have."""


class UnfitError(Exception):
    """A defect makes no sense for a form."""


@dataclass
class Table:
    """A table with a row for each item of a query, written in any format."""

    style: str
    """The format."""
    roles: list[str]
    """What each column is for."""
    rows: list[list[Any]]
    names: list[str] | None = None
    """The names of the columns; None: the format has none."""

    def place(self, role: str) -> int:
        """Return the position of the column with a role. Raise if there is none."""
        if role not in self.roles:
            raise UnfitError
        return self.roles.index(role)

    def records(self) -> list[dict[str, Any]]:
        """Return the rows as dicts, which lack what is missing."""
        pairs = (zip(self.names or [], row, strict=True) for row in self.rows)
        return [{name: cell for name, cell in row if cell is not MISSING} for row in pairs]

    def columns(self) -> dict[str, list[Any]]:
        """Return the columns as lists."""
        return {
            name: [None if row[place] is MISSING else row[place] for row in self.rows]
            for place, name in enumerate(self.names or [])
        }

    def as_bytes(self) -> bytes:
        """Return the content of a file."""
        lines = [self.names, *self.rows] if self.names else self.rows
        if self.style in SEPARATORS:
            text = io.StringIO()
            separator = SEPARATORS[self.style]
            csv.writer(text, delimiter=separator, lineterminator="\n").writerows(
                [["" if cell in (None, MISSING) else cell for cell in row] for row in lines]
            )
            return text.getvalue().encode()
        if self.style in JOINTS:
            joint = JOINTS[self.style]
            return "".join(f"{joint.join(map(str, row))}\n" for row in lines).encode()
        if self.style == "svmlight":
            return "".join(map(self._as_features, self.rows)).encode()
        if self.style == "Parquet":
            buffer = io.BytesIO()
            frame = pd.DataFrame(self.columns())
            index = [name for name in frame if name.startswith("__index")]
            frame.set_index(index).to_parquet(buffer, engine="pyarrow") if index else (
                frame.to_parquet(buffer, engine="pyarrow", index=False)
            )
            return buffer.getvalue()
        return as_json(self.as_object(), is_lines=self.style == "JSONL rows")

    def _as_features(self, row: list[Any]) -> str:
        """Return a line of svmlight, whose columns may be any."""
        cells = dict(zip(self.roles, row, strict=True))
        query = f"qid:{cells['query']} " if "query" in cells else ""
        item = f" # docid = {cells['item']} inc = 1" if "item" in cells else ""
        return f"{cells.get('label', '')} {query}1:0.5 2:1.25{item}\n"

    def as_object(self) -> Any:
        """Return what a function of Python takes, or the content of a file of JSON."""
        if self.style in ("dict of columns", "JSON columns of lists"):
            return self.columns()
        if self.style == "dict of arrays":
            return {name: np.array(column) for name, column in self.columns().items()}
        if self.style in ("records", "JSON rows", "JSONL rows"):
            return self.records()
        if self.style in ORIENTS:
            return json.loads(pd.DataFrame(self.columns()).to_json(orient=ORIENTS[self.style]))
        if self.style == "pandas":
            return pd.DataFrame(self.columns())
        library = importlib.import_module(self.style)
        make = library.table if self.style == "pyarrow" else library.DataFrame
        return make(self.columns())


SEPARATORS = {"CSV": ",", "CSV with semicolons": ";", "CSV with bars": "|", "TSV": "\t"}
JOINTS = {
    "TREC": " ",
    "TREC with tabs": "\t",
    "tabs": "\t",
    "MovieLens": "::",
    "RecBole": "\t",
    "scores": " ",
}
"""What is between the fields of text without quotes."""
ORIENTS = {
    "JSON columns": "columns",
    "JSON by index": "index",
    "JSON split": "split",
    "JSON table": "table",
}
"""The forms of JSON that pandas writes."""


@dataclass
class Lists:
    """The items of each query in one value."""

    shape: str
    """How the queries are put together."""
    entries: list[tuple[Any, Any]]
    """The queries, and of each what is in place of its items."""
    name: str
    """The field of records with the items."""
    query: str = "query"
    """The field with the id of the query."""
    more: dict[str, list[tuple[Any, Any]]] = field(default_factory=dict)
    """Other fields of the same records, by query."""
    beside: dict[str, Any] = field(default_factory=dict)
    """What is beside the list of records in the object that has it."""
    wrapper: str = "queries"
    """The field of this object."""

    def records(self) -> list[dict[str, Any]]:
        """Return a record for each query."""
        others = {name: dict(entries) for name, entries in self.more.items()}
        records = [
            {self.query: query, self.name: entry}
            | {name: of_query.get(query, MISSING) for name, of_query in others.items()}
            for query, entry in self.entries
        ]
        return [
            {name: value for name, value in record.items() if value is not MISSING}
            for record in records
        ]

    def as_object(self) -> Any:
        """Return the value of all queries."""
        if self.shape == "sequence":
            return [entry for _, entry in self.entries]
        if self.shape in ("by query", "dict"):
            return {query: entry for query, entry in self.entries if entry is not MISSING}
        if self.shape == "ratings":
            return self._as_ratings(self.beside)
        if self.shape == "batch":
            batch: dict[str, Any] = {}
            put(batch, self.wrapper, [entry for _, entry in self.entries])
            return batch
        if self.shape == "MTEB":
            of_split = {"test": dict(self.entries)}
            return {"mteb_model_meta": {"model_name": "m", "revision": "1"}, "default": of_split}
        records = self.records()
        if self.shape == "one record":
            return records[0]
        if self.shape in ("wrapped", "wrapped by query"):
            inner = records if self.shape == "wrapped" else dict(self.entries)
            return {**self.beside, self.wrapper: inner}
        if self.shape in ORIENTS:
            return json.loads(pd.DataFrame(records).to_json(orient=ORIENTS[self.shape]))
        return records

    def _as_ratings(self, row: dict[str, Any]) -> Any:
        """Return the judgments that a search engine takes or returns."""
        whole: Any = [
            {row["query"]: query, row["ratings"]: entry} for query, entry in self.entries
        ]
        for name in reversed(row["queries"].split(".")):
            whole = [whole] if name == "*" else {name: whole}
        return whole

    def as_bytes(self) -> bytes:
        """Return the content of a file, in which a query may be twice."""
        if self.shape == "by query":
            pairs = [
                f"{json.dumps(str(query))}: {json.dumps(entry)}"
                for query, entry in self.entries
                if entry is not MISSING
            ]
            return ("{" + ",\n".join(pairs) + "}").encode()
        return as_json(self.as_object(), is_lines=self.shape == "lines")


def as_json(value: Any, *, is_lines: bool = False) -> bytes:
    """Return a value as JSON, or each value of a list on a line."""
    if is_lines:
        return "".join(f"{json.dumps(each)}\n" for each in value).encode()
    if isinstance(value, list):
        return ("[" + ",\n".join(map(json.dumps, value)) + "]").encode()
    return json.dumps(value).encode()


Content = Table | Lists


@dataclass(frozen=True)
class Form:
    """A form of judgments or of what a system found."""

    name: str
    kind: str
    """Whether its numbers are a "label" or a "score"."""
    build: Callable[[Values], Content]
    doors: tuple[str, ...] = ("command",)
    """The ways into the package."""
    suffix: str = ""
    """How the name of the file ends."""
    holds: str = "numbers"
    """What is left of the numbers: all of them, or "relevant" items, or their "order"."""
    has_types: bool = False
    """Whether ids may be numbers."""
    options: tuple[str, ...] = ()
    """What the command must be told."""
    file: str = ""
    """The name of the file, if its end is not enough."""
    partners: str = ""
    """How the names of the forms begin that go with it; empty: those of all others."""
    answer: dict[str, Any] | None = None
    """The row of the package's table of answers that it is of."""

    def path(self, stem: str) -> str:
        """Return the name of its file."""
        return self.file or f"{stem}{self.suffix}"

    def all_doors(self) -> list[str]:
        """Return the ways into the package, with that of two runs."""
        is_run = self.kind == "score" and "command" in self.doors and not self.partners
        return [*self.doors, *["agreement"] * is_run]

    @property
    def is_lists(self) -> bool:
        """Whether it has one value for each query."""
        return self.name.startswith(("lists", "answers"))


# --- tables -----------------------------------------------------------------------------------


def in_rows(values: Values, *roles: str, kind: str) -> list[list[Any]]:
    """Return a row of each item, with some columns."""
    rows = []
    for query, items in values.items():
        ranks = dict(zip(items, ranks_of(items), strict=True)) if kind == "score" else {}
        for item, value in items.items():
            cells = {"query": query, "item": item, kind: value, "rank": ranks.get(item)}
            cells |= {"Q0": "Q0", "0": 0, "tag": "bm25", "time": 881250949 + 86_400 * len(rows)}
            rows.append([cells[role] for role in roles])
    return rows


def ranks_of(items: dict[Any, Any]) -> list[int]:
    """Return the rank of each item, by its place in the list."""
    return list(range(1, len(items) + 1))


def table(
    values: Values, *, style: str, roles: Iterable[str], names: Iterable[str] | None = None
) -> Table:
    """Return values as a table."""
    roles = list(roles)
    kind = "label" if "label" in roles or not {"score", "rank"} & {*roles} else "score"
    if "label" not in roles and kind == "label":  # each row is relevant
        values = {
            query: {item: label for item, label in items.items() if label > 0}
            for query, items in values.items()
        }
    return Table(style, roles, in_rows(values, *roles, kind=kind), names and list(names))


def table_form(name: str, kind: str, style: str, roles: str, **options: Any) -> Form:
    """Return the form of a table, whose columns have the names of their roles unless given."""
    names = options.pop("names", roles.split())
    build = partial(table, style=style, roles=roles.split(), names=names)
    return Form(name, kind, build, **options)


def named_tables() -> list[Form]:
    """Return the forms of tables whose columns have names."""
    forms = []
    of_files = {
        "CSV": (".csv", False),
        "CSV with semicolons": (".csv", False),
        "CSV with bars": (".csv", False),
        "TSV": (".tsv", False),
        "Parquet": (".parquet", True),
        "JSON rows": (".json", True),
        "JSONL rows": (".jsonl", True),
        "JSON columns": (".json", True),
        "JSON columns of lists": (".json", True),
        "JSON by index": (".json", True),
        "JSON split": (".json", True),
        "JSON table": (".json", True),
    }
    if not HAS_PYARROW:
        del of_files["Parquet"]
    for style, (suffix, has_types) in of_files.items():
        doors = ("command", "read_json") if "JSON" in style else ("command",)
        own = {"suffix": suffix, "doors": doors, "has_types": has_types}
        forms += [
            table_form(f"{style}, labels", "label", style, "query item label", **own),
            table_form(f"{style}, scores", "score", style, "query item score", **own),
        ]
        if style in ("CSV", "JSON rows", "Parquet"):
            ranked = {**own, "holds": "order"}
            unlabelled = {**own, "holds": "relevant rows", "options": ("--no-label",)}
            unlabelled["doors"] = ("command",)
            forms += [
                table_form(f"{style}, ranks", "score", style, "query item rank", **ranked),
                table_form(f"{style}, no labels", "label", style, "query item", **unlabelled),
            ]
    in_python = ["dict of columns", "dict of arrays", "records", "pandas"]
    in_python += ["pyarrow"] * HAS_PYARROW + ["polars"] * HAS_POLARS
    for style in in_python:
        own = {"doors": ("from_tables",), "has_types": True}
        forms += [
            table_form(f"{style}, labels", "label", style, "query item label", **own),
            table_form(f"{style}, scores", "score", style, "query item score", **own),
        ]
    return forms


def text_tables() -> list[Form]:
    """Return the forms of text without names of columns, or with those of one project."""
    form = partial(table_form, names=None)
    qrels, run = "query 0 item label", "query Q0 item rank score tag"
    in_trec = {"doors": ("command", "read_trec")}
    ids = ["user_id:token", "item_id:token"]
    rated, scored = [*ids, "rating:float"], [*ids, "score:float"]
    relevant = {"holds": "relevant rows"}
    of_movies = "query item label time"
    recbole = partial(table_form, style="RecBole", suffix=".inter")
    return [
        form("TREC qrels", "label", "TREC", qrels, **in_trec),
        form("TREC qrels with tabs", "label", "TREC with tabs", qrels, **in_trec, suffix=".tsv"),
        form("TREC run", "score", "TREC", run, **in_trec),
        form("TREC run with tabs", "score", "TREC with tabs", run, **in_trec, suffix=".tsv"),
        form("MS MARCO judgments", "label", "tabs", "query item", **relevant),
        form("MS MARCO run", "score", "tabs", "query item rank", suffix=".tsv", holds="order"),
        recbole("RecBole ratings", "label", roles="query item label", names=rated),
        recbole(
            "RecBole ratings and times",
            "label",
            roles=of_movies,
            names=[*rated, "timestamp:float"],
        ),
        recbole("RecBole interactions", "label", roles="query item", names=ids, **relevant),
        recbole("RecBole scores", "score", roles="query item score", names=scored),
        form("MovieLens 1M", "label", "MovieLens", of_movies, file="ratings.dat"),
        form("MovieLens 100K", "label", "tabs", of_movies, file="u.data"),
        form(
            "svmlight judgments",
            "label",
            "svmlight",
            "query item label",
            suffix=".svm",
        ),
        form("scores of lines", "score", "scores", "score", partners="svmlight"),
    ]


# --- lists ------------------------------------------------------------------------------------


def ids_of(items: dict[Any, Any], kind: str) -> Any:
    """Return the ids: those that are relevant, or all in their order."""
    return [item for item, value in items.items() if kind == "score" or value > 0]


def by_id(items: dict[Any, Any], kind: str) -> Any:
    """Return a dict of numbers."""
    return {str(item): value for item, value in items.items()}


def pairs_of(items: dict[Any, Any], kind: str) -> Any:
    """Return pairs of ids and numbers."""
    return [[item, value] for item, value in items.items()]


def tuples_of(items: dict[Any, Any], kind: str) -> Any:
    """Return the same as tuples."""
    return list(items.items())


def objects_of(items: dict[Any, Any], kind: str) -> Any:
    """Return a dict of each item."""
    return [{"id": item, kind: value} for item, value in items.items()]


def answer_of(items: dict[Any, Any], kind: str, row: dict[str, Any]) -> Any:
    """Return the answer of a search engine, as a row of the package's table has it."""
    own_id, score = row["ids"][0], next(iter(row.get("scores", [])), "")
    is_distance, score = score.startswith("-"), score.removeprefix("-")
    numbers = {
        item: (str if row.get("are_texts") else float)(1 - number if is_distance else number)
        for item, number in items.items()
    }
    answer: dict[str, Any] = {}
    if row.get("are_columns"):
        put(answer, own_id, [list(numbers)])
        put(answer, score, [list(numbers.values())])
        return answer
    hits = []
    for item, number in numbers.items():
        hit: dict[str, Any] = {}
        put(hit, own_id, item)
        if score:
            put(hit, score, number)
        hits.append(hit)
    if not row.get("hits"):
        return hits
    put(answer, row["hits"].replace("*", "Docs"), hits)
    if row.get("beside"):
        put(answer, row["beside"], 0)
    return answer


def put(record: dict[str, Any], path: str, value: Any) -> None:
    """Set what is at a path of names with dots. Names that begin with @ have dots themselves."""
    *first, last = [path] if path.startswith("@") else path.split(".")
    for name in first:
        record = record.setdefault(name, {})
    record[last] = value


FIELD = {"label": "relevant", "score": "retrieved"}


def lists(values: Values, *, kind: str, shape: str, entry_of: Callable[..., Any]) -> Lists:
    """Return values as lists."""
    entries = [(query, entry_of(items, kind)) for query, items in values.items()]
    return Lists(shape, entries, FIELD[kind])


SHAPES = {
    "by query": (".json", ("command", "read_json")),
    "records": (".json", ("command", "read_json")),
    "lines": (".jsonl", ("command", "read_json")),
    "dict": ("", ("from_lists",)),
    "sequence": ("", ("from_lists",)),
}
"""How queries are put together, with the suffix and the doors."""


def list_forms() -> list[Form]:
    """Return the forms with a value for each query."""
    inner = {"ids": ids_of, "numbers by id": by_id, "pairs": pairs_of, "objects": objects_of}
    forms = []
    for shape, (suffix, doors) in SHAPES.items():
        for kind in FIELD:
            for name, entry_of in inner.items():
                is_python = doors == ("from_lists",)
                if name == "pairs" and kind == "label":
                    continue
                if name == "pairs" and is_python:
                    entry_of = tuples_of
                holds = {"label": "relevant", "score": "order"}[kind] if name == "ids" else ""
                forms.append(
                    Form(
                        f"lists of {name}, {shape}, {kind}s",
                        kind,
                        partial(lists, kind=kind, shape=shape, entry_of=entry_of),
                        doors,
                        suffix,
                        holds or "numbers",
                        name != "numbers by id",
                    )
                )
    of_mteb = partial(lists, kind="score", shape="MTEB", entry_of=by_id)
    return [*forms, Form("lists of MTEB", "score", of_mteb, ("command", "read_json"), ".json")]


def answer_forms() -> list[Form]:
    """Return the answers of search engines, of each row of the package's table, and judgments."""
    forms = []
    for number, row in enumerate(content()["answer"]):
        entry_of = partial(answer_of, row=row)
        holds = "numbers" if row.get("scores") else "order"
        for shape in ("by query", "records", "dict", "sequence"):
            suffix, doors = SHAPES[shape]
            build = partial(lists, kind="score", shape=shape, entry_of=entry_of)
            name = f"answers of {row['name']} ({number}), {shape}"
            forms.append(Form(name, "score", build, doors, suffix, holds, answer=row))
    for number, row in enumerate(content()["judgments"]):
        name = f"lists of {row['name']}'s ratings ({number})"
        doors = ("command", "read_json")
        forms.append(Form(name, "label", partial(ratings, row=row), doors, ".json", answer=row))
    return forms


def ratings(values: Values, row: dict[str, Any]) -> Lists:
    """Return the judgments of a search engine."""
    entries = [
        (query, [{row["id"]: item, row["label"]: label} for item, label in items.items()])
        for query, items in values.items()
    ]
    return Lists("ratings", entries, "relevant", beside=row)


FORMS = {
    form.name: form for form in (*named_tables(), *text_tables(), *list_forms(), *answer_forms())
}
