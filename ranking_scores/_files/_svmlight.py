"""Reads the lines of svmlight and LETOR, and files with a score for each of these lines.

A line has a label, the query as ``qid:``, features, and a comment behind #, which may have the id
of the document as ``docid =``. Only the features are skipped. Lines that name no query come with a
file of the number of lines of each query.
"""

from __future__ import annotations

import math
import os
import re
import sys
from array import array
from collections.abc import Iterator
from typing import Any

import numpy as np

from ranking_scores._base._errors import show_text
from ranking_scores._files._compressed import SUFFIXES, opened
from ranking_scores._files._table import NAME, FileError, FileRequest, FileTable

_LINE = re.compile(rb"\s*[+-]?[0-9.]+\s+(qid:\S+(\s|$)|[0-9]+:\S+\s+[0-9]+:)")
_DOCUMENT = re.compile(rb"docid\s*=\s*(\S+)")
_OF_GROUPS = (".group", ".query")
"""The ends of the names of files with the sizes of groups, as XGBoost and LightGBM call them."""


def is_svmlight(line: bytes) -> bool:
    """Return whether a line has a label and features."""
    return _LINE.match(line) is not None


def read_svmlight(request: FileRequest) -> FileTable:
    """Return the judgments in a file: the label of each line, its query and its document.

    Lines without the id of a document are numbered, from 1 on.
    """
    path = request.table.path
    if request.table.kind != "label" or request.table.aspect is not None:
        raise FileError(f"{path}: svmlight has labels, and neither scores nor aspects")
    labels = array("d")
    queries: list[bytes] = []
    items: list[bytes] = []
    for number, line in _lines(path):
        content, _, comment = line.partition(b"#")
        fields = content.split(None, 2)
        if not fields:  # a comment alone
            continue
        labels.append(_number(fields[0], path, number))
        has_query = len(fields) > 1 and fields[1].startswith(b"qid:")
        document = _DOCUMENT.search(comment)
        for values, value, what in (
            (queries, fields[1][4:] if has_query else b"", "qid:"),
            (items, document[1] if document else b"", "docid"),
        ):
            if values and bool(values[-1]) != bool(value):
                has = "has" if value else "has no"
                raise FileError(f"{path}, line {number}: it {has} {what}, unlike the lines above")
            values.append(value)
    note = ""
    if queries and not queries[0]:
        queries, note = _queries_of_groups(path, len(queries))
    try:
        query_ids = [sys.intern(query.decode()) for query in queries]
        documents = [item.decode() or str(place) for place, item in enumerate(items, 1)]
    except UnicodeDecodeError as error:
        raise FileError(f"{path}: the ids are not UTF-8. Save the file as UTF-8.") from error
    columns: dict[str, Any] = {
        "query": np.array(query_ids, object),
        "item": np.array(documents, object),
        "label": np.array(labels),
    }
    table = FileTable(path, "query", "item", "label", "label", columns=columns, has_names=False)
    item = "docid" if items and items[0] else "the number of the line"
    table = table._replace(form=f"{note or 'qid as query'}, {item} as item, label")
    return table.in_form(request.form.words)


def _lines(path: str) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file that are not blank, with their numbers."""
    with opened(path, NAME) as file:
        for number, line in enumerate(file, 1):
            if not line.isspace():
                yield number, line


def _number(text: bytes, path: str, line: int) -> float:
    """Return a label or a score."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or b"_" in text:
        shown = show_text(text.decode(errors="backslashreplace"))
        raise FileError(f"{path}, line {line}: {shown} is not a finite number")
    return number


def _queries_of_groups(path: str, n_lines: int) -> tuple[list[bytes], str]:
    """Return the number of the group of each line, from 1 on, and which file has their sizes."""
    plain, packed = os.path.splitext(path)
    stems = [path, plain] if packed in SUFFIXES else [path]
    names = [stem + end for stem in stems for end in _OF_GROUPS]
    beside = next(filter(os.path.isfile, names), None)
    if beside is None:
        advice = f"Write qid: behind each label, or the sizes of the queries to {names[-1]}."
        raise FileError(f"{path}: the lines name no query with qid:. {advice}")
    sizes = [int(_number(text, beside, n)) for n, line in _lines(beside) for text in line.split()]
    if sum(sizes) != n_lines or min(sizes) < 1:
        message = f"the sizes of its groups are {sum(sizes)} together"
        raise FileError(f"{beside}: {message}, and {path} has {n_lines} lines")
    numbers = np.repeat(np.arange(1, len(sizes) + 1), sizes).tolist()
    return [b"%d" % number for number in numbers], f"the groups in {beside} as query"


_SCORE = re.compile(rb"[-+]?[0-9.]+(e[-+]?[0-9]+)?", re.IGNORECASE)


def are_scores_of_lines(line: bytes, judged: FileTable) -> bool:
    """Return whether a first line is that of a file with a score for each line of judgments.

    Programs write the score alone, RankLib writes the query and the place in it before the score,
    and CatBoost names its columns above them.
    """
    fields = line.split()
    if b"RawFormulaVal" in fields or (len(fields) == 1 and _SCORE.fullmatch(line.strip())):
        return True
    return len(fields) == 3 and fields[1] == b"0" and "0" not in judged.columns["item"]


def read_scores_of_lines(path: str, judged: FileTable) -> FileTable:
    """Return a run with a score for each line of judgments, in their order."""
    rows = [(number, line.split()) for number, line in _lines(path)]
    names = rows[0][1]
    n_fields, of_score, of_number = len(names), -1, None
    if b"RawFormulaVal" in names:
        of_score = names.index(b"RawFormulaVal")
        of_number = next(
            (names.index(name) for name in (b"SampleId", b"DocId") if name in names), None
        )
        rows = rows[1:]
    is_ranklib = of_score < 0 and n_fields == 3
    queries = judged.columns["query"].tolist()
    if len(rows) != len(queries):
        raise FileError(
            f"{path}: it has {len(rows)} scores for the {len(queries)} lines of {judged.path}"
        )
    scores = array("d")
    place_in: dict[str, int] = {}
    for (number, fields), query in zip(rows, queries, strict=True):
        place = place_in[query] = place_in.get(query, -1) + 1
        expected = [query.encode(), b"%d" % place] if is_ranklib else []
        if len(fields) != n_fields or fields[: len(expected)] != expected:
            message = f"it is not of line {len(scores) + 1} of {judged.path}"
            raise FileError(f"{path}, line {number}: {message}, or has other fields")
        if of_number is not None and fields[of_number] != b"%d" % len(scores):
            raise FileError(f"{path}, line {number}: the samples are not in their order")
        scores.append(_number(fields[of_score], path, number))
    columns = {name: judged.columns[name] for name in ("query", "item")}
    return FileTable(
        path,
        "query",
        "item",
        "score",
        "score",
        columns=columns | {"score": np.array(scores)},
        has_names=False,
        form=f"the scores of the lines of {judged.path}, in their order",
    )
