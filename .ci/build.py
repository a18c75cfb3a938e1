"""Build the source distribution and, from it, the wheel: the same bytes wherever they are built.

    python .ci/build.py dist

All times in them are that of the last commit, or ``SOURCE_DATE_EPOCH``. Needs the package `build`.
"""

import gzip
import io
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]


def time_of_commit() -> str:
    """Return the time of the last commit, in seconds."""
    command = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def normalise(path: Path, seconds: int) -> None:
    """Write a source distribution anew, without the times, owners and modes of its builder."""
    content = io.BytesIO()
    with tarfile.open(path) as old, tarfile.open(fileobj=content, mode="w") as new:
        for member in sorted(old.getmembers(), key=lambda member: member.name):
            member.mtime, member.pax_headers = seconds, {}
            member.uid, member.gid, member.uname, member.gname = 0, 0, "", ""
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            new.addfile(member, old.extractfile(member) if member.isfile() else None)
    path.write_bytes(gzip.compress(content.getvalue(), mtime=seconds))


def main() -> None:
    """Build into the folder that is named on the command line, which must be empty."""
    folder = Path(sys.argv[1]).resolve()
    if folder.exists() and any(folder.iterdir()):
        sys.exit(f"{folder} is not empty")
    seconds = os.environ.get("SOURCE_DATE_EPOCH") or time_of_commit()
    os.environ["SOURCE_DATE_EPOCH"] = seconds  # which the build reads
    build = [sys.executable, "-m", "build", "--outdir", str(folder)]
    subprocess.run([*build, "--sdist", str(ROOT)], check=True)
    [source] = folder.glob("*.tar.gz")
    normalise(source, int(seconds))
    with tarfile.open(source) as archive, tempfile.TemporaryDirectory() as unpacked:
        archive.extractall(unpacked, filter="data")
        [tree] = Path(unpacked).iterdir()
        subprocess.run([*build, "--wheel", str(tree)], check=True)


if __name__ == "__main__":
    main()
