"""Files that may be compressed. Their first bytes, and not their names, say how."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, BinaryIO, NamedTuple, cast

from ranking_scores._base._errors import import_extra

_READ_AT_ONCE = 2**16


class UnpackError(Exception):
    """A compressed file is not complete, is damaged, or is of a form that is not read here."""

    def __init__(self, expected: str, got: str) -> None:
        super().__init__(got)
        self.expected, self.got = expected, got


class _Compression(NamedTuple):
    """A way to compress files."""

    name: str
    first_bytes: bytes
    unpack: Callable[[BinaryIO, str], Any] | None
    """Returns a file of what is in a file; `user` names what reads it. None: it is not read."""
    start: int = 0
    """Where these bytes are."""


def _unpack_zstd(file: BinaryIO, user: str) -> Any:
    if sys.version_info >= (3, 14):
        return import_module("compression.zstd").ZstdFile(file)
    arrow = import_extra("pyarrow", "parquet", f"{user}, for a file compressed by zstd,")
    return arrow.CompressedInputStream(arrow.PythonFile(file, mode="r"), "zstd")


_FORMS = (
    _Compression("gzip", b"\x1f\x8b", lambda file, _: gzip.GzipFile(fileobj=file)),
    _Compression("bzip2", b"BZh", lambda file, _: import_module("bz2").BZ2File(file)),
    _Compression("xz", b"\xfd7zXZ\0", lambda file, _: import_module("lzma").LZMAFile(file)),
    _Compression("zstd", b"\x28\xb5\x2f\xfd", _unpack_zstd),
    _Compression("zip", b"PK\x03\x04", None),
    _Compression("lz4", b"\x04\x22\x4d\x18", None),
    _Compression("7-Zip", b"7z\xbc\xaf\x27\x1c", None),
    _Compression("tar", b"ustar", None, 257),
)
_END_OF_TAR = 262
"""Where the last of the bytes is that tell a form."""
_EXPECTED = "a plain file, or one of " + ", ".join(
    each.name for each in _FORMS if each.unpack is not None
)
SUFFIXES = (".gz", ".bz2", ".xz", ".zst")
"""The usual ends of the names of files that are read here."""


def _form_of(file: BinaryIO) -> _Compression | None:
    """Return the form of a file that is not plain, by its first bytes."""
    found = cast(Any, file).peek(_END_OF_TAR)
    return next((form for form in _FORMS if found.startswith(form.first_bytes, form.start)), None)


@contextmanager
def opened(path: str, user: str) -> Iterator[BinaryIO]:
    """Open a file, plain or compressed, and skip its BOM. `user` names what reads it.

    Reading raises an `UnpackError` if the file is not complete or is damaged.
    """
    with open(path, "rb") as raw:
        form = _form_of(raw)
        file = raw
        if form is not None:
            if form.unpack is None:
                raise UnpackError(_EXPECTED, f"it is a {form.name} file")
            unpacked = _Unpacked(form.unpack(raw, user), form.name)
            file = io.BufferedReader(cast(Any, unpacked), _READ_AT_ONCE)
            inner = _form_of(file)
            if inner is not None:
                raise UnpackError(_EXPECTED, f"it is {inner.name} in {form.name}")
        if file.peek(3)[:3] == codecs.BOM_UTF8:
            file.read(3)
        if file is raw and os.path.isfile(path):
            start = raw.tell()
            with open(path, "rb") as file:  # whose buffer is empty, so all is read without a copy
                file.seek(start)
                yield file
            return
        yield file


class _Unpacked(io.RawIOBase):
    """The content of a compressed file, whose errors are all of one class."""

    def __init__(self, file: Any, form: str) -> None:
        self._file, self._form = file, form

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read bytes into a buffer, and return how many these are."""
        errors: list[type[Exception]] = [EOFError, zlib.error, OSError, ValueError]
        if lzma := sys.modules.get("lzma"):  # else no file of xz has been read
            errors.append(lzma.LZMAError)
        try:
            found = self._file.read(len(buffer))
        except tuple(errors) as error:
            if getattr(error, "errno", None) is not None:  # of the disk, not of what is on it
                raise
            reason = f"{self._form} reports: {str(error).rstrip('.')}"
            raise UnpackError(f"a complete {self._form} file", reason) from error
        buffer[: len(found)] = found
        return len(found)
