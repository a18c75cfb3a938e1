"""Build the source distribution and, from it, the wheel: the same bytes wherever they are built.

    python .ci/build.py dist --repository https://github.com/somebody/ranking_scores

The files are those that git knows or does not ignore. All times in them are that of the last
commit, or ``SOURCE_DATE_EPOCH``. The repository is the address in the metadata and of the pictures
and files in the README. Without it, an address that leads nowhere stays there. Needs the package
`build`.
"""

import argparse
import gzip
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
PLACEHOLDER = "https://repository.invalid"
"""The address of the repository in pyproject.toml and in the recipe for conda."""


def git(*command: str) -> str:
    """Return what git prints."""
    process = ["git", "-C", str(ROOT), *command]
    return subprocess.run(process, check=True, capture_output=True, text=True).stdout


def with_addresses(readme: str, repository: str) -> str:
    """Return the README with the addresses of its pictures and files, as other sites need it."""
    readme = re.sub(r"(image:: )(doc/)", rf"\1{repository}/raw/HEAD/\2", readme)
    return re.sub(r"<(?!https?:)([\w./-]+\.rst)>", rf"<{repository}/blob/HEAD/\1>", readme)


def copy_to(tree: Path, repository: str) -> None:
    """Copy the files that belong to the repository, with its address."""
    for name in git("ls-files", "-coz", "--exclude-standard").split("\0")[:-1]:
        if (ROOT / name).exists():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tree / name)
    pyproject, readme = tree / "pyproject.toml", tree / "README.rst"
    pyproject.write_text(pyproject.read_text("utf-8").replace(PLACEHOLDER, repository), "utf-8")
    if repository != PLACEHOLDER:
        readme.write_text(with_addresses(readme.read_text("utf-8"), repository), "utf-8")


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
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--repository", default=PLACEHOLDER, help="its address")
    given = parser.parse_args()
    if given.folder.exists() and any(given.folder.iterdir()):
        sys.exit(f"{given.folder} is not empty")
    seconds = os.environ.get("SOURCE_DATE_EPOCH") or git("log", "-1", "--format=%ct").strip()
    os.environ["SOURCE_DATE_EPOCH"] = seconds  # which the build of the wheel reads
    build = [sys.executable, "-m", "build", "--outdir", str(given.folder)]
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, "tree")
        copy_to(tree, given.repository)
        subprocess.run([*build, "--sdist", str(tree)], check=True)
        [source] = given.folder.glob("*.tar.gz")
        normalise(source, int(seconds))
        with tarfile.open(source) as archive:
            archive.extractall(Path(folder, "unpacked"), filter="data")
        [unpacked] = Path(folder, "unpacked").iterdir()
        subprocess.run([*build, "--wheel", str(unpacked)], check=True)


if __name__ == "__main__":
    main()
