"""Files that are compressed in any way are read, or named in an error."""

from __future__ import annotations

import bz2
import gzip
import importlib.util
import io
import lzma
import os
import subprocess
import sys
import tarfile
import types
from pathlib import Path

import numpy as np
import pytest

import ranking_scores
from ranking_scores.__main__ import main
from ranking_scores._files import _delimited, _json_forms
from ranking_scores._files._compressed import UnpackError, opened
from ranking_scores.tables import read_json
from ranking_scores.trec import read_qrels

HAS_PYARROW = importlib.util.find_spec("pyarrow") is not None
TEXT = "".join(f"q{number // 10} 0 d{number} {number % 3}\n" for number in range(30_000)).encode()


def zstd(content):
    arrow = pytest.importorskip("pyarrow", reason="it is in the extra parquet")
    sink = arrow.BufferOutputStream()
    with arrow.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(content)
    return sink.getvalue().to_pybytes()


FORMS = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress, "zstd": zstd}


@pytest.mark.parametrize("form", FORMS)
def test_the_content_says_how_a_file_is_compressed(tmp_path, form):
    path = tmp_path / "any name"
    path.write_bytes(FORMS[form](b"\xef\xbb\xbf" + TEXT))
    with opened(str(path), "a test") as file:
        assert file.read() == TEXT
    found = read_qrels(path)
    assert found["item"].tolist() == [f"d{number}" for number in range(30_000)]
    np.testing.assert_array_equal(found["label"], np.arange(30_000) % 3)
    path.write_bytes(FORMS[form](b'{"q": ["a", "b"]}'))
    assert read_json(path) == {"q": ["a", "b"]}


@pytest.mark.parametrize("form", FORMS)
def test_what_is_broken_is_an_error(tmp_path, form):
    path = tmp_path / "qrels"
    content = bytearray(FORMS[form](TEXT))
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match=rf"'path'.*a complete {form} file.*{form} reports: "):
        read_qrels(path)
    content[len(content) // 2 : len(content) // 2 + 9] = b"\xff" * 9
    path.write_bytes(content)
    with pytest.raises(UnpackError), opened(str(path), "a test") as file:
        file.read()


@pytest.mark.parametrize(
    ("content", "form"),
    [(b"PK\x03\x04", "zip"), (b"\x04\x22\x4d\x18", "lz4"), (b"7z\xbc\xaf\x27\x1c", "7-Zip")],
)
def test_other_forms_are_named(tmp_path, monkeypatch, capsys, content, form):
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_bytes(content + bytes(20))
    with pytest.raises(ValueError, match=rf"one of gzip, bzip2, xz, zstd.*it is a {form} file"):
        read_qrels("qrels")
    assert main(["qrels", "qrels"]) == 2
    assert f"it is a {form} file" in capsys.readouterr().err


def tar(content):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        member = tarfile.TarInfo("qrels")
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("content", "got"),
    [
        (gzip.compress(gzip.compress(TEXT)), "it is gzip in gzip"),
        (bz2.compress(lzma.compress(TEXT)), "it is xz in bzip2"),
        (gzip.compress(b"PK\x03\x04"), "it is zip in gzip"),
        (tar(TEXT[:100]), "it is a tar file"),
        (gzip.compress(tar(TEXT)), "it is tar in gzip"),
    ],
    ids=["gzip in gzip", "xz in bzip2", "zip in gzip", "tar", "tar in gzip"],
)
@pytest.mark.parametrize("suffix", ["", ".csv", ".tsv", ".json"])
def test_files_in_files_are_named(tmp_path, capsys, content, got, suffix):
    path = tmp_path / f"qrels{suffix}"
    path.write_bytes(content)
    assert main([str(path), str(path)]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert "must be a plain file, or one of gzip, bzip2, xz, zstd" in line
    assert got in line
    assert len(line) < 300


@pytest.mark.parametrize(
    "name", ["zeros", "zeros.csv", "zeros.tsv", "zeros.json", "zeros.parquet"]
)
@pytest.mark.parametrize(
    "start", [b"", b"q 0 ", b"query,item,label\nq,", b"query\titem\tlabel\nq\t", b'{"q": ["']
)
@pytest.mark.parametrize("end", [b"", b" 1\n", b"\n", b",1\n", b"\t1\nq\ta", b'"]}', b",x\n"])
def test_messages_are_short(tmp_path, monkeypatch, capsys, name, start, end):
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(start + bytes(600) + end)
    assert main([name, name]) == 2
    [line] = capsys.readouterr().err.splitlines()
    assert line.count("x00") <= 80  # of an id
    assert len(line) < 500


LIMITED = """
import resource, sys
from ranking_scores.__main__ import main
with open("/proc/self/statm") as file:
    used = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 2**28, resource.RLIM_INFINITY))
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.long
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it is about limits of Linux")
@pytest.mark.parametrize("name", ["bomb.json", "bomb.csv", "bomb"])
def test_a_file_that_needs_more_than_the_memory(tmp_path, name):
    start = b"query,item,label\n" if name.endswith("csv") else b""
    (tmp_path / name).write_bytes(gzip.compress(start) + 80 * gzip.compress(b"x" * 2**24))
    (tmp_path / "run").write_text("q Q0 a 1 1 t\n")
    result = subprocess.run(
        [sys.executable, "-c", LIMITED, name, "run"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(Path(ranking_scores.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 2
    assert result.stderr == (
        f"ranking-scores: error: {name}: the memory is too small for what the file has\n"
    )


def too_large(*_):
    raise MemoryError


def test_no_memory_for_a_whole_file_or_for_its_numbers(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("q 0 a 1\n")
    Path("run").write_text("q Q0 a 1 1 t\n")
    Path("run.csv").write_text("query,item,score\nq,a,1\n")
    monkeypatch.setattr(_delimited, "PYARROW_BYTES", 0)
    monkeypatch.setattr(_delimited, "_is_readable", too_large)
    for run in ("run", "run.csv"):  # which Python's reader reads in blocks
        assert main(["qrels", run, "-m", "mrr"]) == 0
    capsys.readouterr()
    monkeypatch.setattr("ranking_scores.__main__.judge", too_large)
    assert main(["qrels", "run", "-m", "mrr"]) == 2
    expected = "ranking-scores: error: the memory is too small for these files\n"
    assert capsys.readouterr().err == expected
    Path("gold.json").write_text("{}")
    monkeypatch.setattr(_json_forms, "read_file", too_large)
    assert main(["gold.json", "run"]) == 2
    assert "gold.json: the memory is too small for what the file has" in capsys.readouterr().err


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="Python itself reads it there")
def test_zstd_needs_a_library(tmp_path, monkeypatch, capsys):
    path = tmp_path / "qrels"
    path.write_bytes(b"\x28\xb5\x2f\xfd" + bytes(20))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"^read_qrels, for a file compressed by zstd, needs"):
        read_qrels(path)
    assert main([str(path), str(path)]) == 2
    assert "needs pyarrow" in capsys.readouterr().err


def test_python_reads_zstd_where_it_can(tmp_path, monkeypatch):
    path = tmp_path / "qrels"
    path.write_bytes(b"\x28\xb5\x2f\xfd")
    of_python = types.SimpleNamespace(ZstdFile=lambda _: types.SimpleNamespace(read=lambda n: b""))
    monkeypatch.setattr(sys, "version_info", (3, 14))
    monkeypatch.setitem(sys.modules, "compression", types.ModuleType("compression"))
    monkeypatch.setitem(sys.modules, "compression.zstd", of_python)
    assert read_qrels(path)["item"].size == 0


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz", ".zst"])
def test_names_of_tables_may_end_in_the_form(tmp_path, monkeypatch, capsys, suffix):
    forms = dict(zip((".gz", ".bz2", ".xz", ".zst"), FORMS.values(), strict=True))
    monkeypatch.chdir(tmp_path)
    Path(f"judged.csv{suffix}").write_bytes(forms[suffix](b"query,item,label\n1,a,1\n1,b,0\n"))
    Path(f"run.tsv{suffix}").write_bytes(
        forms[suffix](b"query\titem\tscore\n1\ta\t.5\n1\tb\t.2\n")
    )
    assert main([f"judged.csv{suffix}", f"run.tsv{suffix}", "-m", "mrr"]) == 0
    assert "1.0000" in capsys.readouterr().out
