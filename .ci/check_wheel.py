"""Check what a wheel holds, and that installing it brought no more than it must."""

import re
import sys
import zipfile
from importlib.metadata import distribution, distributions
from pathlib import Path


def required(name: str) -> set[str]:
    """Return a distribution and all that it requires without extras."""
    found = {name}
    for requirement in distribution(name).requires or []:
        if "extra ==" not in requirement:
            found |= required(canonical(requirement))
    return found


def canonical(requirement: str) -> str:
    """Return the name in a requirement, in its canonical spelling."""
    [name] = re.findall(r"^[\w.-]+", requirement)
    return re.sub(r"[-_.]+", "-", name).lower()


def main() -> None:
    """Exit with a message if something is amiss."""
    files = {name.partition("/")[0] for name in zipfile.ZipFile(sys.argv[1]).namelist()}
    belong = {"ranking_scores", "pytest_ranking_scores.py"}
    if {name for name in files if not name.endswith(".dist-info")} != belong:
        sys.exit(f"the wheel holds {files}")
    root = Path(__file__).parents[1]
    types = {each.relative_to(root).as_posix() for each in root.glob("ranking_scores/**/*.pyi")}
    lacks = {"ranking_scores/py.typed", *types}.difference(zipfile.ZipFile(sys.argv[1]).namelist())
    if lacks:
        sys.exit(f"the wheel lacks {lacks}")
    installed = {canonical(found.metadata["Name"]) for found in distributions()}
    allowed = {"ranking-scores", "pip", "setuptools"} | required("scikit-learn")
    if not installed <= allowed:
        sys.exit(f"installing the wheel brought {installed - allowed}")
    print("the wheel brought", ", ".join(sorted(installed)))


if __name__ == "__main__":
    main()
