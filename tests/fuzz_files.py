"""Random files for the command, each of which must give the numbers of the same data as arrays.

The data are drawn first, and then two files that have them: their formats, the names of their
fields, the types of their ids and the order of their rows. One call in three has a defect. Without
a defect, the numbers must be equal. With one, they must be equal too, or the command must print
one line that says what is wrong, with status 2. No other number may come out.
"""

from __future__ import annotations

import csv
import gzip
import importlib.util
import io
import json
import random
import warnings
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from sklearn.exceptions import UndefinedMetricWarning

from ranking_scores import ranking_report
from ranking_scores.__main__ import main

TOLERANCE = 1e-12
SHARE_DEFECT = 1 / 3
TITLES = ["Heat", '"Heat', 'The "Heat"', '"The Matrix" poster', "", '"']
"""What is in a column that is not read."""
SCORES = ["mrr", "ndcg@3", "recall@2", "map"]
NAMED = ["csv", "semicolons", "tsv", "json rows", "jsonl rows"]
"""The formats of tables with names of columns."""
TABLES = [*NAMED, "trec"]
LISTS = ["by query", "json records", "jsonl records"]
if importlib.util.find_spec("pyarrow"):
    NAMED.append("parquet")
    TABLES.append("parquet")
TYPED = {"json rows", "jsonl rows", "parquet", *LISTS}
"""The formats in which ids and labels have types."""
SUFFIX = {"csv": ".csv", "semicolons": ".csv", "tsv": ".tsv", "parquet": ".parquet", "trec": ""}
UNKNOWN = {"query": "question", "item": "thing", "label": "worth", "score": "points"}
PYTERRIER = {"query": "qid", "item": "docno", "label": "label", "score": "score"}
Values = dict[str, dict[str, Any]]
"""Of each query its items, with a label or a score."""


class FailureError(Exception):
    """What a call did that it must not do."""


@dataclass
class Side:
    """A file with the judgments or the predictions."""

    kind: str
    """Whether its numbers are a "label" or a "score"."""
    form: str
    values: Values
    names: dict[str, str]
    plain: set[str] = field(default_factory=set)
    """The queries whose lists have no scores, so that the order counts."""
    has_int_ids: bool = False
    has_text_labels: bool = False
    path: str = ""
    content: bytes = b""


@dataclass
class FileCase:
    """A call of the command."""

    rng: random.Random
    sides: list[Side]
    judged: Values
    predicted: Values
    options: list[str] = field(default_factory=list)
    defect: str = ""
    is_one_file: bool = False
    """Whether one file has both sides, perhaps without ids of queries."""

    def __str__(self) -> str:
        forms = (" in one of " if self.is_one_file else " beside ").join(
            side.form for side in self.sides
        )
        defect = f", {self.defect}" if self.defect else ""
        return f"files: {forms}, {' '.join(self.options)}{defect}"


# --- what is drawn ----------------------------------------------------------------------------


def draw(seed: int, index: int) -> FileCase:
    """Return one call, the same for the same numbers in every process."""
    rng = random.Random(f"files, {seed}, {index}")
    digits = rng.random() < 0.4
    odd = ["a,b", "c;d", 'e"f', "é", "#9", "a.b", "Q0"]
    queries = [str(number) if digits else f"q{number}" for number in range(1, 7)]
    items = [str(10 * number) for number in range(1, 8)] if digits else [*odd]
    queries = rng.sample(queries, rng.randint(2, 5))
    judged: Values = {}
    for query in queries:
        some = rng.sample(items, rng.randint(1, 4))
        judged[query] = {item: rng.choice([0, 1, 1, 2]) for item in some}
    predicted: Values = {}
    for query in queries:
        if rng.random() < 0.9:
            some = rng.sample(items, rng.randint(1, 6))
            predicted[query] = {item: rng.choice([0.5, 1.5, 2.5]) for item in some}
    if not predicted:
        predicted[queries[0]] = {items[0]: 1.5}
    defect = rng.choice(sorted(DEFECTS)) if rng.random() < SHARE_DEFECT else ""
    forms = [rng.choice(TABLES + LISTS) for _ in range(2)]
    if defect == "leave_out_queries":
        forms = [rng.choice(LISTS[1:]) for _ in range(2)]
    names = dict(rng.choice([{}, {}, UNKNOWN, PYTERRIER]))
    sides = [
        Side(kind, form, values, names)
        for kind, form, values in zip(("label", "score"), forms, (judged, predicted), strict=True)
    ]
    case = FileCase(rng, sides, judged, predicted, defect=defect)
    if forms[0] in LISTS[1:] and rng.random() < 0.3:
        case.is_one_file, sides[1].form = True, forms[0]
    draw_lists(case)
    draw_types(case, digits=digits)
    write(case)
    return case


def draw_lists(case: FileCase) -> None:
    """Draw which lists have no scores."""
    run, rng = case.sides[1], case.rng
    if run.form in LISTS and rng.random() < 0.5:
        run.plain = {query for query in case.predicted if rng.random() < 0.5}
    for query in run.plain:
        ids = list(case.predicted[query])
        rng.shuffle(ids)
        case.predicted[query] = {item: -float(rank) for rank, item in enumerate(ids)}


def draw_types(case: FileCase, *, digits: bool) -> None:
    """Draw ids that are numbers and labels that are text, with the options that read them."""
    rng, judgments = case.rng, case.sides[0]
    for side in case.sides:
        side.has_int_ids = digits and side.form in TYPED and rng.random() < 0.4
    if any(side.has_int_ids for side in case.sides):
        case.options += ["--ids", "text"]
    if judgments.form in TYPED and rng.random() < 0.2:
        judgments.has_text_labels = True
        case.options += ["--labels", "number"]


# --- the files --------------------------------------------------------------------------------


def write(case: FileCase) -> None:
    """Make the content of both files, perhaps with the defect."""
    rng = case.rng
    if case.sides[0].names == UNKNOWN:
        add_names(case)
    for number, side in enumerate(case.sides):
        suffix = SUFFIX.get(side.form) or (".jsonl" if "jsonl" in side.form else ".json")
        side.path = f"{'gold' if number == 0 else 'found'}{'' if side.form == 'trec' else suffix}"
    broken = 0 if case.is_one_file else rng.randrange(2)
    tables = []
    for number, side in enumerate(case.sides):
        is_broken = number == broken or case.defect == "leave_out_queries"
        defect = DEFECTS.get(case.defect) if is_broken else None
        rows = rows_of(side, rng)
        if defect is not None and case.defect in OF_ROWS:
            defect(rows, side, rng)
        tables.append(rows)
        side.content = content_of(rows, side, rng)
        if defect is not None and case.defect not in OF_ROWS:
            side.content = defect(side.content, side, rng)
    if case.is_one_file and (not case.defect or case.defect in OF_ROWS):
        has_ids = bool(case.defect) or rng.random() < 0.5
        case.sides[0].content = merged(tables, case.sides[0], has_ids=has_ids).encode()


def add_names(case: FileCase) -> None:
    """Add the options for names that are not known, as far as a file has them."""
    for side in case.sides:
        if side.form in NAMED or side.form in LISTS:
            roles = ["query", "item", side.kind]
            if side.plain == side.values.keys():
                roles.remove(side.kind)
            if side.form == "by query":
                roles.remove("query")
            for role in roles:
                option = [f"--{role}", UNKNOWN[role]]
                if f"--{role}" not in case.options:
                    case.options += option


def rows_of(side: Side, rng: random.Random) -> list[list[Any]]:
    """Return the rows of a table in any order, or a row for each query with its list."""

    def as_id(text: str) -> Any:
        return int(text) if side.has_int_ids else text

    def as_value(value: Any) -> Any:
        return str(value) if side.has_text_labels else value

    rows: list[list[Any]] = []
    for query, values in side.values.items():
        entries = [[as_id(item), as_value(value)] for item, value in values.items()]
        if side.form not in LISTS:
            rows += [[as_id(query), *entry] for entry in entries]
            continue
        if query in side.plain:
            rows.append([as_id(query), [item for item, _ in entries]])
            continue
        rng.shuffle(entries)
        in_records: list[Any] = [
            {name_of(side, "item", "id"): item, name_of(side, side.kind): value}
            for item, value in entries
        ]
        in_dict = {str(item): value for item, value in entries}
        forms: list[Any] = [in_records, entries, in_dict]
        one = in_records if side.names == UNKNOWN else rng.choice(forms[:2])
        rows.append([as_id(query), one])
        if side.names != UNKNOWN and not side.plain and not side.has_int_ids:
            rows[-1][1] = in_dict if side.form == "by query" else one
    rng.shuffle(rows)
    return rows


def name_of(side: Side, role: str, default: str = "") -> str:
    """Return the name of a field. In lists only the names that options give are found."""
    if side.form in LISTS and side.names != UNKNOWN and role != "query":
        return default or role
    return side.names.get(role, default or role)


def content_of(rows: list[list[Any]], side: Side, rng: random.Random) -> bytes:
    """Return a file with rows."""
    form, kind = side.form, side.kind
    if form in LISTS:
        return lists_of(rows, side).encode()
    if form == "trec":
        return "".join(line_of(row, kind, rng) for row in rows).encode()
    names = [name_of(side, role) for role in ("query", "item", kind)]
    text_column = rng.random() < 0.5
    columns = [*names, "title"] if text_column else names
    places = list(range(len(columns)))
    rng.shuffle(places)
    titles = rng.choices(
        ["Heat", '"Heat', 'The "Heat"', '"The Matrix" poster', "", '"'], k=len(rows)
    )
    full = [[*row, title] for row, title in zip(rows, titles, strict=True)]
    table = [[columns[each] for each in places], *([row[each] for each in places] for row in full)]
    if form == "parquet":
        frame = pd.DataFrame(
            {name: [row[n] for row in table[1:]] for n, name in enumerate(table[0])}
        )
        buffer = io.BytesIO()
        frame.to_parquet(buffer, engine="pyarrow")
        return buffer.getvalue()
    if "rows" in form:
        records = [dict(zip(table[0], row, strict=True)) for row in table[1:]]
        return in_json(records, is_lines="jsonl" in form).encode()
    if form == "tsv" and rng.random() < 0.5:  # without quotes
        return "".join("\t".join(map(str, row)) + "\n" for row in table).encode()
    buffer_of_text = io.StringIO()
    separator = {"csv": ",", "semicolons": ";", "tsv": "\t"}[form]
    csv.writer(buffer_of_text, delimiter=separator, lineterminator="\n").writerows(table)
    return buffer_of_text.getvalue().encode()


def lists_of(rows: list[list[Any]], side: Side) -> str:
    """Return JSON with a list for each query."""
    if side.form == "by query":
        pairs = [f"{json.dumps(str(query))}: {json.dumps(each)}" for query, each in rows]
        return "{" + ",\n".join(pairs) + "}"
    name = "relevant" if side.kind == "label" else "retrieved"
    records = [{name_of(side, "query"): query, name: each} for query, each in rows]
    return in_json(records, is_lines="jsonl" in side.form)


def merged(tables: list[list[list[Any]]], side: Side, *, has_ids: bool) -> str:
    """Return JSON with the judgments and the predictions of each query in one record."""
    retrieved = {str(query): each for query, each in tables[1]}
    name = name_of(side, "query") if has_ids or side.names == UNKNOWN else "about"
    records = [
        {name: query, "relevant": each}
        | ({"retrieved": retrieved[str(query)]} if str(query) in retrieved else {})
        for query, each in tables[0]
    ]
    return in_json(records, is_lines="jsonl" in side.form)


def in_json(records: list[Any], *, is_lines: bool) -> str:
    """Return records as JSON."""
    lines = map(json.dumps, records)
    return "\n".join(lines) + "\n" if is_lines else "[" + ",\n".join(lines) + "]"


def line_of(row: list[Any], kind: str, rng: random.Random) -> str:
    """Return a line of a file of TREC."""
    query, item, value = row
    if kind == "label":
        return f"{query} 0 {item} {value}\n"
    return f"{query} Q0 {item} {rng.randint(1, 9)} {value} {rng.choice(['bm25', 'bm25', 'x'])}\n"


# --- defects ----------------------------------------------------------------------------------


def double_a_row(rows: list[list[Any]], side: Side, rng: random.Random) -> None:
    rows.insert(rng.randrange(len(rows) + 1), list(rng.choice(rows)))


def rename_a_field(rows: list[list[Any]], side: Side, rng: random.Random) -> None:
    roles = ["query", "item", side.kind]
    side.names = {role: side.names.get(role, role) for role in roles}
    side.names[rng.choice(roles)] = "zzz"


def spoil_a_value(rows: list[list[Any]], side: Side, rng: random.Random) -> None:
    if side.form not in LISTS:
        rng.choice(rows)[2] = rng.choice(["x", "1_0", ""]) if side.form != "parquet" else None


def empty_an_id(rows: list[list[Any]], side: Side, rng: random.Random) -> None:
    if not (side.form == "parquet" and side.has_int_ids):
        rng.choice(rows)[0 if side.form in LISTS else rng.randrange(2)] = ""


def leave_out_queries(rows: list[list[Any]], side: Side, rng: random.Random) -> None:
    """Leave out the ids of queries in both files, which have them in any order."""
    side.names = {**side.names, "query": "zzz"}


def mark_a_line(content: bytes, side: Side, rng: random.Random) -> bytes:
    return put_in_a_line(content, side, rng, b"\xef\xbb\xbf")


def blank_a_line(content: bytes, side: Side, rng: random.Random) -> bytes:
    return put_in_a_line(content, side, rng, rng.choice([b"\n", b" \n"]))


def put_in_a_line(content: bytes, side: Side, rng: random.Random, what: bytes) -> bytes:
    """Return a text with something at the beginning of one of its lines."""
    lines = content.split(b"\n")
    place = rng.randrange(len(lines))
    if side.form == "parquet" or not lines[place]:
        return content
    lines[place] = what + lines[place]
    return b"\n".join(lines)


def end_lines_as_windows(content: bytes, side: Side, rng: random.Random) -> bytes:
    return content if side.form == "parquet" else content.replace(b"\n", b"\r\n")


def compress(content: bytes, side: Side, rng: random.Random) -> bytes:
    return gzip.compress(content)


def compress_twice(content: bytes, side: Side, rng: random.Random) -> bytes:
    return gzip.compress(gzip.compress(content))


def cut_compressed(content: bytes, side: Side, rng: random.Random) -> bytes:
    packed = gzip.compress(content)
    return packed[: rng.randrange(3, len(packed))]


def cut_the_last_field(content: bytes, side: Side, rng: random.Random) -> bytes:
    separator = {"csv": b",", "semicolons": b";", "tsv": b"\t", "trec": b" "}.get(side.form)
    if separator is None:
        return content[:-2]
    lines = content.rstrip(b"\n").split(b"\n")
    if side.form != "csv":  # where a separator may be in quotes
        place = rng.randrange(len(lines))
        lines[place] = lines[place].rpartition(separator)[0]
    return b"\n".join(lines)


DEFECTS: dict[str, Any] = {
    each.__name__: each
    for each in (
        double_a_row,
        rename_a_field,
        spoil_a_value,
        empty_an_id,
        leave_out_queries,
        mark_a_line,
        blank_a_line,
        end_lines_as_windows,
        compress,
        compress_twice,
        cut_compressed,
        cut_the_last_field,
    )
}
OF_ROWS = {
    "double_a_row",
    "rename_a_field",
    "spoil_a_value",
    "empty_an_id",
    "leave_out_queries",
}


# --- one call ---------------------------------------------------------------------------------


def expected_means(case: FileCase) -> dict[str, float]:
    """Return the means of the same data as arrays."""
    queries = sorted(case.judged)
    items = sorted(
        {item for of in (case.judged, case.predicted) for row in of.values() for item in row}
    )

    def as_array(values: Values) -> csr_array:
        cells = [
            (queries.index(query), items.index(item), value)
            for query in queries
            for item, value in values.get(query, {}).items()
        ]
        row, column, value = zip(*cells, strict=True)
        shape = len(queries), len(items)
        return csr_array((np.array(value, float), (row, column)), shape=shape)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        report = ranking_report(
            as_array(case.judged), as_array(case.predicted), scores=SCORES, k=None
        )
    return {name: report.mean[name] for name in SCORES}


def run(seed: int, index: int) -> FileCase:
    """Draw a call, make it, and raise `FailureError` if it is not as it must be."""
    case = draw(seed, index)
    files = case.sides[: 1 if case.is_one_file else 2]
    arguments = [*(side.path for side in files), *case.options, "-m", *SCORES]
    output, errors = io.StringIO(), io.StringIO()
    with TemporaryDirectory() as folder, chdir(folder):
        for side in files:
            with open(side.path, "wb") as file:
                file.write(side.content)
        with redirect_stdout(output), redirect_stderr(errors):
            try:
                status = main([*arguments, "--format", "json"])
            except Exception as error:
                text = f"{type(error).__name__}: {error}".replace("\n", " ")
                raise FailureError(f"{case}: {text}") from error
    check(case, status, output.getvalue(), errors.getvalue())
    return case


def check(case: FileCase, status: int, output: str, errors: str) -> None:
    """Raise unless the numbers are those of the arrays, or one line says what is wrong."""
    if status == 0:
        found = {record["score"]: record["mean"] for record in json.loads(output)}
        for name, expected in expected_means(case).items():
            if not abs(found[name] - expected) <= TOLERANCE:
                raise FailureError(f"{case}: {name} is {found[name]}, not {expected}")
        return
    lines = errors.splitlines()
    is_said = len([each for each in lines if each.startswith("ranking-scores: error: ")]) == 1
    is_said = is_said and all(each.startswith("ranking-scores: ") for each in lines)
    if status != 2 or output or not is_said or max(map(len, lines)) > 1000:
        raise FailureError(f"{case}: status {status}, {errors!r}")
    if not case.defect:
        raise FailureError(f"{case}: {lines[-1]}")
