"""Files that are there as a whole or not at all: what fails leaves what was there.

Where the system can, a file has no name until it is complete, so nothing is left of a process that
is killed. Elsewhere it has a name that begins with a dot, and the next call that writes to the
same place removes what a process left that is no longer there.
"""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

_LONGEST = 50
"""The characters of a name that a name beside it has, too: file systems take 255 bytes."""
_ABANDONED_AFTER = 60
"""Seconds after its last change that a file may be one that a process left."""


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file of bytes to be written, which is moved to its place when all is written.

    If anything raises before that, the place is as it was. A device or a pipe is written as it is.
    """
    if _is_written_as_it_is(path):
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


def _is_written_as_it_is(path: str | os.PathLike[str]) -> bool:
    """Return whether nothing can be moved to a path: that of a device, a pipe or an open file."""
    folder = os.path.realpath(os.path.dirname(os.path.abspath(path)))
    is_open = re.match(r"/(dev|proc/.*)$", folder) is not None
    return is_open or (os.path.exists(path) and not os.path.isfile(path))
