"""The option --audit: what printed means allow to say. It reads no files."""

from __future__ import annotations

import argparse
import json
import math
import os
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from ranking_scores._command._arguments import Parser, level_of, number_of
from ranking_scores._command._words import InputError, in_words
from ranking_scores.exceptions import InvalidParameterError


def audited(argv: Sequence[str]) -> str | None:
    """Return the text of --audit with its numbers, or None if the arguments lack it."""
    if not any(word.partition("=")[0] == "--audit" for word in argv):
        return None
    parser = Parser(add_help=False, allow_abbrev=False)
    parser.add_argument("--audit", type=_number_of, nargs="+")
    parser.add_argument("--confidence", type=level_of, default=0.95)
    parser.add_argument("--format", choices=["table", "json", "markdown"], default="table")
    parser.add_argument("--debug", action="store_true")
    options, others = parser.parse_known_args(argv)
    if others:
        expected = "no files, and of the options --confidence and --format alone"
        raise InputError(f"--audit takes {expected}. Got {' '.join(others)}.")
    if not 2 <= len(options.audit) <= 3:
        expected = "a mean, the mean of a baseline if there is one, and a number of queries"
        raise InputError(f"--audit takes {expected}. Got {' '.join(map(str, options.audit))}.")
    return _text(options)


def _number_of(text: str) -> int | float:
    """Return an argument as a number. Raise with the advice to leave out files."""
    if os.path.exists(text):
        raise argparse.ArgumentTypeError(f"takes no files, only numbers. Got {text!r}")
    return number_of(text)


_NAMES = {"mean": "the mean", "baseline": "the baseline", "n_queries": "the number of queries"}


def _text(options: argparse.Namespace) -> str:
    """Return the result as text in the format that was asked for."""
    from ranking_scores.significance import audit  # loads scipy.stats

    mean, *baseline, n_queries = options.audit
    try:
        result = audit(mean, n_queries, *baseline, confidence_level=options.confidence)
    except InvalidParameterError as error:
        raise in_words(error, **_NAMES) from error
    if options.format == "json":
        return json.dumps(_finite(asdict(result))) + "\n"
    return f"{result.to_markdown() if options.format == 'markdown' else repr(result)}\n"


def _finite(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record with None in the place of infinity, which JSON lacks."""
    return {
        key: _finite(value) if isinstance(value, dict) else None if value == math.inf else value
        for key, value in record.items()
    }
