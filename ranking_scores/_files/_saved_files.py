"""Files of results: JSON with a line for each row, and a seal that a cut or an edit breaks.

They are there as a whole or not at all: what fails leaves what was there. Where the system can, a
file has no name until it is complete, so nothing is left of a process that is killed. Elsewhere it
has a name that begins with a dot, and the next call that writes to the same place removes what a
process left that is no longer there.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import stat
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeVar
from uuid import uuid4

from ranking_scores._base._errors import invalid, show_text
from ranking_scores._base._version import __version__
from ranking_scores._files._json_values import (
    REFUSALS,
    NotSavableError,
    count_from_json,
    text_from_json,
)
from ranking_scores.exceptions import InvalidParameterError

Content = TypeVar("Content")

_SEAL = '\n"sha256": "'
"""What begins the last line, which has the digest of all text before it."""
_CHANGED = "which was cut or edited after it was written"
_AGAIN = "Save it again, and do not edit or reformat it."


class FileFormat(NamedTuple):
    """A kind of files."""

    name: str
    """The name in the file, such as "ranking_scores report"."""
    version: int
    """The version of the form. Files of later versions are refused."""
    writer: str
    """The method that writes such files, for errors."""


def save(
    format_: FileFormat,
    content: Mapping[str, Any],
    path: str | os.PathLike[str] | None,
    function: str,
) -> str | None:
    """Write JSON into a file, which is there as a whole or not at all, or return it as text."""
    head = {
        "format": format_.name,
        "format_version": format_.version,
        "package_version": __version__,
    }
    whole = {**head, **content}
    lines = [f"{json.dumps(key)}: {_in_lines(value)}" for key, value in whole.items()]
    body = "{\n" + ",\n".join(lines) + ","
    text = f'{body}{_SEAL}{_digest(body)}"\n}}\n'
    if path is None:
        return text
    expected = "None or a path that ends in .json or .json.gz"
    if not isinstance(path, (str, os.PathLike)):
        raise invalid("path", function, expected, f"an object of type {type(path).__name__}")
    name = str(os.fspath(path))
    if not name.lower().endswith((".json", ".json.gz")):
        raise invalid("path", function, expected, repr(name))
    encoded = text.encode()
    if name.lower().endswith(".gz"):
        # Without the time and the name, so that the same text has the same bytes.
        encoded = gzip.compress(encoded, mtime=0)
    with atomic_write(path) as file:
        file.write(encoded)
    return None


def _in_lines(value: Any) -> str:
    """Return JSON with each element of a list on a line of its own."""
    if not isinstance(value, list) or not value:
        return _as_text(value)
    lines = ",\n".join(map(_PLAIN.encode, value))
    if not _has_lines(lines, len(value)):
        lines = ",\n".join(map(_as_text, value))
    return f"[\n{lines}\n]"


_PLAIN = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


def _as_text(value: Any) -> str:
    """Return JSON on one line. Text that UTF-8 cannot hold, or that ends a line, has escapes."""
    text = _PLAIN.encode(value)
    return text if _has_lines(text, 1) else json.dumps(value, allow_nan=False)


def _has_lines(text: str, n_lines: int) -> bool:
    """Return whether UTF-8 can hold a text, and whether it has so many lines."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return text.isascii() or len(text.splitlines()) == n_lines


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def load(
    format_: FileFormat,
    path: Any,
    read: Callable[[dict[str, Any]], Content],
    function: str,
    parameter: str = "path",
) -> Content:
    """Return what `read` makes of the content of a file. Raise one clear error about a bad file.

    Reading runs nothing that the file has. Everybody can compute the digest of a file, so it finds
    damage and no forgery: `read` raises one of the `REFUSALS` about content that `save` has not
    written.
    """
    expected = f"the path of a file that {format_.writer} has written"
    if not isinstance(path, (str, os.PathLike)):
        raise invalid(parameter, function, expected, f"an object of type {type(path).__name__}")

    def error(got: str, advice: str = "") -> InvalidParameterError:
        return invalid(parameter, function, expected, f"{str(path)!r}, {got},", advice)

    encoded = Path(path).read_bytes()
    try:
        if encoded[:2] == b"\x1f\x8b":
            encoded = gzip.decompress(encoded)
        text = encoded.decode().replace("\r\n", "\n")
    except (EOFError, OSError, zlib.error, UnicodeDecodeError) as cause:
        raise error("which was cut or is no text", _AGAIN) from cause
    body, seal, last = text.rpartition(_SEAL)
    if not seal or not body.startswith("{\n"):
        has_begin = text.startswith(_begin(format_))
        raise error(_CHANGED, _AGAIN) if has_begin else error("which is none")
    if last != f'{_digest(body)}"\n}}\n':
        raise error(_CHANGED, _AGAIN)
    try:
        content = json.loads(text, parse_constant=_refuse_constant)
        name = text_from_json(content["format"])
        version = count_from_json(content["format_version"])
    except REFUSALS as cause:
        raise error("which is none") from cause
    if name != format_.name:
        raise error(f"a file of the format {show_text(name)}")
    if version != format_.version:
        newer = f"Its format is version {version}, and this release reads {format_.version}."
        raise error("which a newer release of this package wrote", newer)
    try:
        return read(content)
    except REFUSALS as cause:
        raise error("whose content is not that of such a file") from cause


def _refuse_constant(name: str) -> float:
    """Raise about NaN or an infinity, which JSON does not have, although Python reads them."""
    raise ValueError(name)


def has_format(format_: FileFormat, path: str | os.PathLike[str]) -> bool:
    """Return whether a file begins as those of a format do, whether compressed or not.

    One that is damaged at its beginning is of no format.
    """
    begin = _begin(format_).encode()
    with open(path, "rb") as file:
        is_compressed = file.read(2) == b"\x1f\x8b"
    try:
        with gzip.open(path, "rb") if is_compressed else open(path, "rb") as file:
            return file.read(len(begin) + 1).replace(b"\r\n", b"\n").startswith(begin)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        return False


def _begin(format_: FileFormat) -> str:
    """Return what files of a format begin with."""
    return f'{{\n"format": {json.dumps(format_.name)}'


def not_savable(error: NotSavableError, parameter: str, function: str) -> InvalidParameterError:
    """Return the error about a value that files cannot hold."""
    expected = "text, numbers, dates, UUIDs, bytes or tuples of these, which a file can hold"
    return invalid(parameter, function, expected, str(error))


_LONGEST = 50
"""The characters of a name that a name beside it has, too: file systems take 255 bytes."""
_ABANDONED_AFTER = 60
"""Seconds after its last change that a file may be one that a process left."""


@contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file of bytes to be written, which is moved to its place when all is written.

    If anything raises before that, the place is as it was. A device or a pipe is written as it is.
    """
    # Nothing can be moved to the path of a device, of a pipe or of an open file.
    folder = os.path.realpath(os.path.dirname(os.path.abspath(path)))
    is_open = re.match(r"/(dev|proc/.*)$", folder) is not None
    if is_open or (os.path.exists(path) and not os.path.isfile(path)):
        with open(path, "wb") as file:
            yield file
        return
    target = Path(os.path.realpath(path))  # so that a link stays a link
    beside = f".{target.name[:_LONGEST]}."
    part = target.with_name(beside + uuid4().hex)
    _remove_abandoned(target.parent, beside)
    try:
        with ExitStack() as stack:
            number = _without_name(target.parent, stack)
            try:
                # Whoever writes the file may close it. A file without a name is gone then.
                file = open(part, "xb") if number is None else open(os.dup(number), "wb")  # noqa: SIM115
            except OSError as error:  # which is about the place
                raise OSError(error.errno, error.strerror, os.fspath(path)) from None
            with file:
                _lock(file)
                yield file
            if number is not None:
                # With a folder, though it is not used, Python follows the link to the file.
                os.link(f"/proc/self/fd/{number}", part, src_dir_fd=number)
        if target.exists():
            part.chmod(stat.S_IMODE(target.stat().st_mode))
        os.replace(part, target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _without_name(folder: Path, stack: ExitStack) -> int | None:
    """Open a file that has no name and goes with the process, and return its number.

    None: the system has no such files there.
    """
    flag = getattr(os, "O_TMPFILE", None)
    if flag is None or not os.path.exists("/proc/self/fd"):
        return None
    try:
        number = os.open(folder, flag | os.O_WRONLY, 0o666)
    except OSError:  # which an attempt with a name explains, if that fails, too
        return None
    stack.callback(os.close, number)
    return number


def _lock(file: BinaryIO) -> None:
    """Show others that the file is being written, where they could not tell otherwise."""
    with suppress(ImportError, OSError):
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _remove_abandoned(folder: Path, beginning: str) -> None:
    """Remove the files of processes that were killed before a file was complete."""
    with suppress(OSError):  # of a folder that cannot be listed
        for name in os.listdir(folder):
            if re.fullmatch(rf"{re.escape(beginning)}[0-9a-f]{{32}}", name):
                with suppress(OSError):  # of a file that another process writes or has removed
                    _remove_if_abandoned(folder / name)


def _remove_if_abandoned(part: Path) -> None:
    """Remove a file that nobody writes. If somebody does, raise or do nothing."""
    if time.time() - part.stat().st_mtime < _ABANDONED_AFTER:
        return
    with open(part, "rb") as file:
        try:
            import fcntl
        except ImportError:  # Windows removes no open file
            file.close()
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        part.unlink()
