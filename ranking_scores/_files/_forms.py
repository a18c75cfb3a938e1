"""The forms of files. Each is a row, which says what readers, messages and help need to know."""

from __future__ import annotations

import os

from ranking_scores._files._compressed import SUFFIXES
from ranking_scores._files._delimited import is_header, read_delimited
from ranking_scores._files._json_forms import read_json
from ranking_scores._files._parquet import read_parquet
from ranking_scores._files._svmlight import is_svmlight, read_svmlight
from ranking_scores._files._table import FileForm
from ranking_scores._files._trec_files import is_without_header, read_trec

CSV = FileForm("CSV", read_delimited, (".csv",), separator=",")
TSV = FileForm(
    "TSV",
    read_delimited,
    (".tsv",),
    is_first_line=lambda line: b"\t" in line and is_header(line),
    may_be_other=True,
    separator="\t",
)
PARQUET = FileForm(
    "Parquet",
    read_parquet,
    (".parquet", ".parq"),
    is_typed=True,
    is_text=False,
    may_be_piped=False,
    may_be_packed=False,
)
JSON = FileForm("JSON", read_json, (".json", ".jsonl", ".ndjson"), is_typed=True, is_text=False)
RECBOLE = FileForm("RecBole", read_delimited, (".inter",), separator="\t")
MOVIELENS = FileForm(
    "MovieLens' ratings",
    read_delimited,
    files=("u.data", "u[1-5ab].base", "u[1-5ab].test", "ratings.dat"),
    columns=("user", "item", "rating", "time"),
)
SVMLIGHT = FileForm(
    "svmlight",
    read_svmlight,
    (".svmlight", ".svm", ".libsvm", ".letor"),
    is_first_line=is_svmlight,
    is_text=False,
    has_names=False,
)
HEADED = FileForm(
    "text with a header",
    read_delimited,
    is_first_line=lambda line: b"\t" not in line and is_header(line),
    separator=" ",
)
"""Columns that blanks separate, below their names, in a file of any suffix."""
TREC = FileForm(
    "TREC's formats",
    read_trec,
    is_first_line=is_without_header,
    may_be_other=True,
    has_names=False,
)
FORMS = (CSV, TSV, PARQUET, JSON, RECBOLE, MOVIELENS, SVMLIGHT, HEADED, TREC)
"""All forms. The last one is that of files with other suffixes."""
NAMED = FileForm("columns as named", read_delimited)
"""Text of any suffix whose columns the caller names."""


def form_of(path: str) -> FileForm:
    """Return the form of a file, from its name."""
    name = os.path.basename(path.lower())
    packed, suffix = os.path.splitext(name)
    name = packed if suffix in SUFFIXES else name
    return next((form for form in FORMS if form.has(name)), TREC)


def form_of_line(line: bytes, form: FileForm, *, has_names: bool) -> FileForm:
    """Return the form of a file with some first line, or else the form that its name says.

    `has_names` says whether the caller names one of its columns, which files of TREC do not have.
    """
    if not form.may_be_other:
        return form
    forms = [each for each in FORMS if each is not TREC or not has_names]
    fits = (each for each in forms if each.is_first_line and each.is_first_line(line))
    return next(fits, form)


def in_words_of_forms(forms: tuple[FileForm, ...]) -> str:
    """Return what files of some forms are called, and how their names end."""
    forms = tuple(form for form in forms if form.suffixes)
    *others, last = (form.words for form in forms)
    names = " and ".join(filter(None, [", ".join(others), last]))
    packed, plain = (
        ", ".join(
            suffix for form in forms if form.may_be_packed is may_be for suffix in form.suffixes
        )
        for may_be in (True, False)
    )
    suffixes = " or ".join(filter(None, [f"{packed} (also with .gz)", plain]))
    return f"{names} files, which end in {suffixes}"
