"""The command line: reads files of judgments and runs, and prints the table of `ranking_report`.

``python -m ranking_scores`` and the console script ``ranking-scores`` are the same. If the input
is wrong, the command prints one line on stderr, and its exit status is 2. Each number equals that
of the function to the last bit, and the formats for programs print all of its digits.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress

try:
    from ranking_scores._command._arguments import parse
    from ranking_scores._command._numbers import score_agreement, score_runs
    from ranking_scores._command._outcome import audited, judge
    from ranking_scores._command._output import FORMATS, history_of, write_files
    from ranking_scores._command._words import InputError, drop, say, write_all
    from ranking_scores._files._table import NAME
except KeyboardInterrupt:
    sys.exit(130)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status.

    Parameters
    ----------
    argv : sequence of str, default=None
        The arguments. None means the arguments of the program.

    Returns
    -------
    status : int
        0 for success, even if the reader of the output closed it. 1 if a condition of
        ``--at-least`` or ``--max-drop`` failed. 2 for bad input, too little memory, and output
        that cannot be written. 3 for an error that this program does not expect, with the
        traceback if the arguments have ``--debug``. 130 if the user interrupted the program.
    """
    status = 0
    try:
        if sys.stdout is None:
            raise InputError("the standard output is closed")
        words = sys.argv[1:] if argv is None else argv
        alone = audited(words) or history_of(words)
        if alone is not None:
            write_all(alone)
            sys.stdout.flush()
            return status
        with suppress(SystemExit):  # raised by --help and --version
            options = parse(argv)
            scored = score_agreement(options) if options.agreement else score_runs(options)
            outcome = judge(scored, options)
            status = outcome.status
            write_files(scored, outcome, options)
            is_for_programs = options.format in ("csv", "json")
            text = FORMATS[options.format](outcome.beside(scored) if is_for_programs else scored)
            write_all(outcome.text(options.format, text))
        sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except InputError as error:
        return say(f"error: {error}")
    except MemoryError:
        return say("error: the memory is too small for these files")
    except UnicodeEncodeError as error:
        # The former keeps the bytes of file names, and the latter has escapes for all surrogates.
        handler = "surrogateescape" if _are_bytes(error.object) else "backslashreplace"
        variable = f"PYTHONIOENCODING=utf-8:{handler}"
        return say(f"error: {error}. Set the environment variable {variable}.")
    except OSError as error:
        drop(sys.stdout)
        if not isinstance(error, BrokenPipeError):
            return say(f"error: the output cannot be written: {error.strerror}")
    except Exception as error:
        if "--debug" in (sys.argv[1:] if argv is None else argv):
            traceback.print_exc()
        kind = f"{type(error).__name__}: {' '.join(str(error).split())}"
        say(f"error: this is a fault of {NAME}, please report it: {kind}. --debug shows where.")
        return 3
    return status


def _are_bytes(text: str) -> bool:
    """Return whether each surrogate of a text stands for a byte, as in the names of files."""
    try:
        return bool(text.encode(errors="surrogateescape"))
    except UnicodeEncodeError:
        return False


if __name__ == "__main__":
    sys.exit(main())
