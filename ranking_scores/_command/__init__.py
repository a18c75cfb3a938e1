"""The parts of the command line: arguments, help, files, numbers, output, and the words of errors.

`ranking_scores.__main__` takes them one after the other.
"""

from __future__ import annotations

from ranking_scores._command._arguments import parse
from ranking_scores._command._numbers import score_agreement, score_runs
from ranking_scores._command._outcome import audited, judge
from ranking_scores._command._output import FORMATS
from ranking_scores._command._page import write_files
from ranking_scores._command._words import NAME, InputError, drop, say, write_all
