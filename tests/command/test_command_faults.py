"""The command under attack: faults, damaged files, outputs that take only a part, odd values."""

from __future__ import annotations

import io
import json
import os
import random
import runpy
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import ModuleType

import pytest

from ranking_scores import StreamingScore, __main__, streaming
from ranking_scores.__main__ import main

QRELS = "301 0 a 1\n301 0 b 0\n302 0 a 1\n302 0 b 2\n"
RUN = "301 Q0 a 1 2 x\n301 Q0 b 2 1 x\n302 Q0 b 1 2 x\n302 Q0 a 2 1 x\n"
FILES = ["qrels", "run", "-m", "ndcg@10"]


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in (("qrels", QRELS), ("run", RUN), ("other", RUN.replace(" 2 x", " 0 x"))):
        (tmp_path / name).write_text(text)


@pytest.mark.parametrize("form", ["json", "csv", "table", "markdown"])
def test_a_gate_writes_a_page_beside_each_format(form, tmp_path, capsys):
    argv = ["qrels", "other", "-m", "ndcg@10", "--baseline", "run", "--at-least", "ndcg@10=0.9"]
    assert main([*argv, "--format", form]) == 1
    alone = capsys.readouterr()
    assert main([*argv, "--format", form, "--html", "page.html"]) == 1
    assert capsys.readouterr() == alone
    assert "failed" in (tmp_path / "page.html").read_text()
    if form == "json":
        [record] = json.loads(alone.out)
        assert record["verdict"] == "failed"
        assert record["before"] > record["mean"]


def test_faults_have_one_line_and_a_status_of_their_own(monkeypatch, capsys):
    def fail(_):
        return 1 / 0

    monkeypatch.setattr(__main__, "score_runs", fail)
    assert main(FILES) == 3
    output, errors = capsys.readouterr()
    assert output == ""
    assert "a fault of ranking-scores, please report it: ZeroDivisionError" in errors
    assert len(errors.splitlines()) == 1
    assert main([*FILES, "--debug"]) == 3
    assert "Traceback (most recent call last)" in capsys.readouterr().err
    monkeypatch.setattr(sys, "argv", ["ranking-scores", *FILES, "--debug"])
    assert main() == 3
    assert "Traceback (most recent call last)" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["split", "item", "query", "by"])
def test_two_hyphens_are_a_value(option, capsys):
    status = main([*FILES, f"--{option}=--"])
    errors = capsys.readouterr().err
    assert (status, "--" in errors) == (2, True)


class Slow(io.RawIOBase):
    """A file that takes a few bytes at once, and then perhaps no more."""

    def __init__(self, limit):
        self.taken, self._limit = b"", limit

    def writable(self):
        return True

    def write(self, data):
        if len(self.taken) >= self._limit:
            return None
        self.taken += bytes(data[:7])
        return len(data[:7])


def test_all_bytes_are_written_or_there_is_an_error(monkeypatch, capsys):
    assert main(FILES) == 0
    whole = capsys.readouterr().out
    slow = Slow(10**6)
    monkeypatch.setattr(
        sys, "stdout", io.TextIOWrapper(slow, encoding="utf-8", write_through=True)
    )
    assert main(FILES) == 0
    assert slow.taken.decode() == whole
    blocked = io.TextIOWrapper(Slow(20), encoding="utf-8", write_through=True)
    monkeypatch.setattr(sys, "stdout", blocked)
    monkeypatch.setattr(__main__, "drop", lambda stream: None)
    assert main(FILES) == 2
    assert "the output cannot be written" in capsys.readouterr().err


def test_a_damaged_baseline_is_an_error_of_one_line(capsys, tmp_path):
    assert main([*FILES, "--save", "saved.json.gz"]) == 0
    whole = (tmp_path / "saved.json.gz").read_bytes()
    capsys.readouterr()
    rng = random.Random(0)
    for _ in range(60):
        damaged = bytearray(whole)
        if rng.random() < 0.5:
            # The last bits before the checksum and the length, of 8 bytes, may be of no use.
            place = rng.choice([*range(10, len(whole) - 9), *range(len(whole) - 8, len(whole))])
            damaged[place] ^= 1 << rng.randrange(8)
        else:
            del damaged[rng.randrange(10, len(whole)) :]
        (tmp_path / "damaged.json.gz").write_bytes(damaged)
        status = main([*FILES, "--baseline", "damaged.json.gz", "--max-drop", "0.1"])
        errors = capsys.readouterr().err
        assert status == 2
        assert "damaged.json.gz" in errors
        assert len(errors.splitlines()) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_stream_works_in_a_process_that_was_forked_while_it_was_locked():
    with streaming._LOCK:
        child = os.fork()
        if not child:  # the lock of the parent is held for ever here
            stream = StreamingScore("ndcg", k=2)
            stream.update([[1, 0]], [[0.2, 0.1]])
            os._exit(0 if stream.compute() == 1 else 1)
        _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


@pytest.mark.parametrize(
    ("command", "status"),
    [
        (["-m", "ranking_scores", "qrels", "run"], 130),
        (["ranking-scores", "qrels", "run"], 130),
        (["other", "qrels", "run"], None),  # a program of the user's, which has its own way to end
    ],
)
def test_an_interrupt_while_the_package_is_imported_ends_the_command(command, status, tmp_path):
    for name in ("ranking-scores", "other"):
        (tmp_path / name).write_text("from ranking_scores.__main__ import main\n")
    (tmp_path / "numpy.py").write_text("import signal\nsignal.raise_signal(signal.SIGINT)\n")
    paths = [str(tmp_path), str(Path(__main__.__file__).parents[1])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    # A job in the background of a shell ignores interrupts, and so would the command.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        found = subprocess.run(
            [sys.executable, *command], env=environment, capture_output=True, text=True
        )
    finally:
        signal.signal(signal.SIGINT, before)
    if status is None:
        assert "KeyboardInterrupt" in found.stderr
    else:
        assert (found.returncode, found.stdout, found.stderr) == (status, "", "")


def test_an_interrupt_while_the_command_is_imported_ends_it(monkeypatch, capsys):
    class Interrupted(ModuleType):
        def __getattr__(self, name):
            raise KeyboardInterrupt

    name = "ranking_scores._command._arguments"
    monkeypatch.setitem(sys.modules, name, Interrupted(name))
    with pytest.raises(SystemExit) as caught:
        runpy.run_path(__main__.__file__)
    assert caught.value.code == 130


def fill(pipe, text):
    """Make a pipe, into which a thread writes a text once somebody reads it."""
    os.mkfifo(pipe)
    thread = threading.Thread(target=lambda: Path(pipe).write_text(text), daemon=True)
    thread.start()
    return thread


needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no FIFOs")


@needs_pipes
@pytest.mark.parametrize(
    ("argv", "text"),
    [
        ("pipe run", QRELS),
        ("qrels pipe", RUN),
        ("qrels run --baseline pipe", RUN),
        ("qrels run --by lang --query-table pipe.csv", "query,lang\n301,de\n302,en\n"),
        ("pipe.json run", '{"301": ["a"], "302": ["b"]}'),
    ],
)
def test_a_pipe_is_read_once(argv, text, capsys):
    words = argv.split()
    thread = fill(next(each for each in words if each.startswith("pipe")), text)
    assert main([*words, "-m", "ndcg@10"]) == 0
    thread.join()
    assert "2 queries" in capsys.readouterr().out


@needs_pipes
@pytest.mark.parametrize(
    ("argv", "text"),
    [
        ("pipe run --baseline pipe", QRELS),
        ("pipe.parquet run", None),
        ("qrels run --baseline pipe.json", None),
        ("qrels run --baseline pipe.json.gz", None),
    ],
)
def test_a_pipe_that_would_be_read_twice_is_refused(argv, text, capsys):
    words = argv.split()
    pipe = next(each for each in words if each.startswith("pipe"))
    if text is None:
        os.mkfifo(pipe)  # which nobody writes to, so that opening it would hang
    else:
        fill(pipe, text)
    assert main([*words, "-m", "ndcg@10"]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith(f"ranking-scores: error: {pipe} is a pipe")


ODD = "a\x1b[31m\x07\u202e\u2028b"
SHOWN = r"a\x1b[31m\x07\u202e\u2028b"


@pytest.mark.parametrize("form", ["table", "markdown", "csv", "json"])
def test_people_see_escapes_and_programs_see_ids(form, tmp_path, capsys):
    (tmp_path / f"{ODD}.csv").write_text(f"query,item,score\n{ODD},d,1\n{ODD},e,2\n")
    (tmp_path / "judged.csv").write_text(f"query,item,label,lang\n{ODD},d,1,{ODD}\n")
    files = ["judged.csv", f"{ODD}.csv", "-m", "mrr", "--format", form]
    for more, n_macro in ((["--by-query"], (0, 0)), (["--by", "lang"], (1, 1))):
        assert main([*files, *more]) == 0
        output = capsys.readouterr().out
        if form == "json":
            record = json.loads(output)[0 if more == ["--by-query"] else 1]
            assert (record["run"], record[more[0][5:] or "group"]) == (f"{ODD}.csv", ODD)
        elif form == "csv":
            assert output.count(ODD) == 3 + n_macro[0]
        else:
            assert not set(ODD) & set(output) - set("a[31mb")
            shown = output.replace("&#92;", "\\").replace("&#91;", "[")
            assert shown.count(SHOWN) == 5 + n_macro[1]


def test_file_names_are_shown_as_escapes(tmp_path, capsys):
    for name in (f"{ODD}\r", f"{ODD}.csv", f"{ODD}.json", f"{ODD}.parquet"):
        assert main(["qrels", name, "-m", "mrr"]) == 2
        (tmp_path / name).write_text("1\x1b 2\n")
        assert main(["qrels", name, "-m", "mrr"]) == 2
        for line in capsys.readouterr().err.splitlines():
            assert line.startswith(f"ranking-scores: error: {SHOWN}")
            assert line.isprintable()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("run", f"301 Q0 a 1 {100_000 * 'x'} t\n"),
        ("run", f"301 {100_000 * 'x'}\n"),
        ("run.csv", f"query,item,score\n301,a,{100_000 * 'x'}\n"),
        ("run.csv", f"{','.join(map(str, range(50_000)))}\n301\n"),
        ("run.json", f'{{"{1_000_000 * "x"}": 1, "{1_000_000 * "x"}": 2}}'),
        ("run.json", f'{{"{1_000_000 * "x"}": 1}}'),
        ("run.jsonl", f'{{"id": 1, "{1_000_000 * "x"}": [1]}}\n'),
    ],
)
def test_errors_about_endless_text_are_short(name, text, tmp_path, capsys):
    (tmp_path / name).write_text(text)
    assert main(["qrels", name, "-m", "mrr"]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert name in line
    assert len(line) < 1000
    assert main(["qrels", "run", 500_000 * "x"]) == 2
    assert len(capsys.readouterr().err) < 2100


@pytest.mark.parametrize(
    ("text", "handler"), [("\ud800", "backslashreplace"), ("\udcff", "surrogateescape")]
)
def test_the_advice_about_what_no_output_holds_helps(text, handler, tmp_path, monkeypatch, capsys):
    records = json.dumps([{"query": text, "relevant": ["a"], "retrieved": ["a"]}])
    (tmp_path / "both.json").write_text(records)
    argv = ["both.json", "-m", "mrr", "--by-query", "--format", "csv"]
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
    assert main(argv) == 2
    assert f"PYTHONIOENCODING=utf-8:{handler}." in capsys.readouterr().err
    output = io.BytesIO()
    wrapper = io.TextIOWrapper(output, encoding="utf-8", errors=handler)
    monkeypatch.setattr(sys, "stdout", wrapper)
    assert main(argv) == 0
    assert text.encode(errors=handler) in output.getvalue()
