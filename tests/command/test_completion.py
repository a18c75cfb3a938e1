"""The scripts of --completion, which complete the options of the command in a shell."""

from __future__ import annotations

import importlib.util
import re
import shlex
import shutil
import subprocess
import sys

import pytest
from project.test_project import project

from ranking_scores.__main__ import main
from ranking_scores._command._arguments import make_parser

needs_shtab = pytest.mark.skipif(
    importlib.util.find_spec("shtab") is None, reason="shtab is not installed"
)


def script_for(shell, capsys):
    """Return the script for a shell."""
    assert main(["--completion", shell]) == 0
    output, errors = capsys.readouterr()
    assert errors == ""
    return output


@needs_shtab
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_has_all_options(shell, capsys):
    script = script_for(shell, capsys)
    for option in make_parser()._option_string_actions:
        name = option.lstrip("-") if shell == "fish" else option
        assert re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", script), option


CASES = [
    ("--com", {"--compare", "--completion"}),
    ("go", {"gold.json"}),
    ("gold.json fo", {"found.json"}),
    ("gold.json found.json --tie", {"--ties"}),
    ("gold.json found.json -m nd", {"ndcg"}),
    ("gold.json found.json --gain e", {"exponential"}),
    ("gold.json found.json --rule s", set()),  # names with blanks would be several words
    ("gold.json found.json --baseline fo", {"found.json"}),
    ("--completion ", {"bash", "zsh", "fish"}),
]


def completed_by_bash(line, script, folder):
    """Return what bash offers for the last word of a line."""
    words = shlex.split(line) + [""] * line.endswith(" ")
    code = f"""
{script}
COMP_WORDS=(ranking-scores {shlex.join(words)})
COMP_CWORD={len(words)}
_shtab_ranking_scores
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
    return printed_by(["bash", "--norc", "-c", code], folder)


def completed_by_fish(line, script, folder):
    """Return what fish offers for the last word of a line."""
    code = f"{script}\ncomplete -C {shlex.quote(f'ranking-scores {line}')}"
    return {each.partition("\t")[0] for each in printed_by(["fish", "-c", code], folder)}


def printed_by(command, folder):
    """Return the lines that a command prints."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return {*done.stdout.splitlines()} - {""}


@needs_shtab
@pytest.mark.parametrize(("line", "offered"), CASES)
@pytest.mark.parametrize("complete", [completed_by_bash, completed_by_fish])
def test_options_names_and_files_are_completed(complete, line, offered, tmp_path, capsys):
    shell = complete.__name__.rpartition("_")[2]
    if shutil.which(shell) is None or sys.platform == "win32":
        pytest.skip(f"{shell} is not installed")
    for name in ("gold.json", "found.json"):
        (tmp_path / name).touch()
    assert complete(line, script_for(shell, capsys), tmp_path) == offered


def test_without_shtab_the_error_names_the_extra(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "shtab", None)
    assert main(["--completion", "bash"]) == 2
    text = '--completion needs shtab: python -m pip install "ranking-scores[completion]"'
    assert capsys.readouterr() == ("", f"ranking-scores: error: {text}\n")
    [shtab] = project()["optional-dependencies"]["completion"]
    assert shtab.startswith("shtab>=")
    assert shtab in project()["optional-dependencies"]["test"]


def test_a_shell_without_a_script_is_refused(capsys):
    assert main(["--completion", "tcsh"]) == 2
    error = capsys.readouterr().err
    assert "argument --completion: invalid choice: 'tcsh'" in error
    assert re.findall(r"bash|zsh|fish", error) == ["bash", "zsh", "fish"]
