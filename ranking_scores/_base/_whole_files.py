"""Files that are there as a whole or not at all: what fails leaves what was there."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

_LONGEST = 50
"""The characters of a name that a name beside it has, too: file systems take 255 bytes."""


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
    part = target.with_name(f".{target.name[:_LONGEST]}.{uuid4().hex}")
    try:
        try:
            file = open(part, "xb")  # noqa: SIM115
        except OSError as error:  # which is about the place
            raise OSError(error.errno, error.strerror, os.fspath(path)) from None
        with file:
            yield file
        if target.exists():
            part.chmod(stat.S_IMODE(target.stat().st_mode))
        os.replace(part, target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _is_written_as_it_is(path: str | os.PathLike[str]) -> bool:
    """Return whether nothing can be moved to a path: that of a device, a pipe or an open file."""
    folder = os.path.realpath(os.path.dirname(os.path.abspath(path)))
    is_open = re.match(r"/(dev|proc/.*)$", folder) is not None
    return is_open or (os.path.exists(path) and not os.path.isfile(path))
