"""The Python part of the page "Try it on your files", which runs in a reader's browser.

The script of the page, ``_static/try_it.js``, sends what is in the form to `answer` and shows what
comes back. Everything is computed by the command ``ranking-scores``.
"""

from __future__ import annotations

import base64
import io
import json
import shlex
import tempfile
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

from ranking_scores.__main__ import main

FILES = {"judgments": "Judgments", "run": "Run", "baseline": "Baseline"}
"""The fields of the form that take a file or a pasted text, and their titles in the page."""
TITLES = FILES | {
    "scores": "Scores",
    "at_least": "Each score must be at least",
    "max_drop": "and may drop by at most",
    "options": "Other options",
}
OPTIONS = {"at_least": "--at-least", "max_drop": "--max-drop"}
"""The fields whose words are the values of an option of the command."""
PAGE, REPORT = "page.html", "report.json"
"""The files that the command writes for the page."""


class FormError(Exception):
    """A form that does not say which command to run."""


def answer(form: str) -> str:
    """Return the answer to a form, both as JSON.

    Parameters
    ----------
    form : str
        A dict of the fields of the form. Each of `FILES` is a dict of ``name`` and ``data`` of the
        chosen file, whose bytes are in base64, and of the pasted ``text``. The name and the text
        may be empty. ``scores``, ``at_least``, ``max_drop`` and ``options`` are texts.

    Returns
    -------
    answer : str
        A dict. ``command`` is the command line that does the same in a terminal, ``status`` is its
        exit status, ``printed`` and ``said`` are what it printed on stdout and on stderr. ``page``
        is the HTML page that it wrote, and ``report`` is the report that it saved. Both are None
        if the input is wrong.
    """
    fields = json.loads(form)
    result: dict[str, Any] = {"command": "", "status": 2, "printed": "", "said": ""}
    result |= {"page": None, "report": None}
    try:
        for field, given in fields.items():
            _check_text(field, given)
        files = {field: file for field in FILES if (file := _file_of(fields, field)) is not None}
        words = _words_of(fields, files)
    except FormError as error:
        return json.dumps(result | {"said": f"{error}\n"})
    result["command"] = shlex.join(["ranking-scores", *words])
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder, "files")
        here.mkdir()
        for name, data in files.values():
            (here / name).write_bytes(data)
        # The files have the same names as in a terminal. What is written is beside their folder.
        written = ["--html", f"../{PAGE}", "--save", f"../{REPORT}"]
        with (
            chdir(here),
            redirect_stdout(io.StringIO()) as printed,
            redirect_stderr(io.StringIO()) as said,
        ):
            result["status"] = main([*words, *written])
        result |= {"printed": printed.getvalue(), "said": said.getvalue()}
        for key, name in (("page", PAGE), ("report", REPORT)):
            path = Path(folder, name)
            result[key] = path.read_text(encoding="utf-8") if path.exists() else None
    return json.dumps(result)


def _check_text(field: str, given: Any) -> None:
    """Raise if a text has half of a character, as of one that was cut, which no file can hold."""
    try:
        json.dumps(given, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        half = ascii(error.object[error.start]).strip("'")
        raise FormError(f"{TITLES[field]}: {half} is half of a character. Delete it.") from error


def _file_of(fields: dict[str, Any], field: str) -> tuple[str, bytes] | None:
    """Return the name and the content of a file, or of the text that was pasted instead of it."""
    given = fields[field]
    if given["name"] and given["text"].strip():
        raise FormError(f"{FILES[field]}: choose a file or paste JSON, not both.")
    if given["name"]:
        return given["name"], base64.b64decode(given["data"])
    return (f"{field}.json", given["text"].encode()) if given["text"].strip() else None


def _words_of(fields: dict[str, Any], files: dict[str, tuple[str, bytes]]) -> list[str]:
    """Return the arguments of the command."""
    if "judgments" not in files:
        raise FormError(f"{FILES['judgments']}: choose a file or paste JSON.")
    names = [name for name, _ in files.values()]
    for name in names:
        if names.count(name) > 1:
            raise FormError(f"Two of the files are called {name}. Rename one of them.")
        if name.startswith("-"):
            raise FormError(f"The name {name} looks like an option. Rename the file.")
    words = [files[field][0] for field in ("judgments", "run") if field in files]
    if fields["scores"].strip():
        words += ["-m", ",".join(fields["scores"].replace(",", " ").split())]
    if "baseline" in files:
        words += ["--baseline", files["baseline"][0]]
    for field, option in OPTIONS.items():
        if fields[field].strip():
            words += [option, *fields[field].split()]
    try:
        words += shlex.split(fields["options"])
    except ValueError as error:
        raise FormError(f"{TITLES['options']}: {error}.") from error
    return words
