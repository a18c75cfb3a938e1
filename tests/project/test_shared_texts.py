"""The script that writes what functions share into their docstrings, and the stubs."""

from __future__ import annotations

import re
import runpy
import shutil
from pathlib import Path

import pytest

DOC = Path(__file__).parents[2] / "doc"
PACKAGE = DOC.parent / "ranking_scores"
script = runpy.run_path(str(DOC / "shared_texts.py"))
main, Sharing = script["main"], script["Sharing"]


def test_the_package_has_the_texts_and_stubs_of_their_owners(capsys):
    status = main(["--check"])
    assert status == 0, capsys.readouterr().out


@pytest.fixture
def change(tmp_path):
    """Return a function that changes a copy of the package, and the copy."""
    shutil.copytree(PACKAGE, tmp_path / "copy")

    def change(file, old, new):
        path = tmp_path / "copy" / "_metrics" / file
        source = path.read_text(encoding="utf-8")
        assert old in source
        path.write_text(source.replace(old, new, 1), encoding="utf-8")
        return tmp_path / "copy"

    return change


def sources(package):
    paths = [*package.rglob("*.py"), *package.rglob("*.pyi")]
    return {path.relative_to(package): path.read_bytes() for path in paths}


QID = """
    qid : array-like of shape (n_rows,), default=None
        The id of the query of each row, in any order. Ids are numbers, strings, dates or other
        objects that sort.
"""


@pytest.mark.parametrize(
    ("file", "old", "new", "what"),
    [
        ("_first_hit.py", "Ids are numbers", "They are", "the text of `qid` in hit_rate_score"),
        ("_first_hit.py", QID, "\n", "the text of `qid` in hit_rate_score"),
        (
            "_first_hit.py",
            QID,
            QID + QID.replace("qid", "k").strip("\n") + "\n",
            "the text of `k` in hit_rate_score",
        ),
        (
            "_precision.py",
            "    If a para",
            "    A para",
            "the text of `ValueError, TypeError` in ",
        ),
        ("../__init__.pyi", "k: int | ", "k: float | ", "the stub __init__.pyi"),
        ("../agreement/__init__.pyi", '    "Swap",\n', "", "the stub agreement/__init__.pyi"),
    ],
)
def test_what_differs_is_told_and_written(change, capsys, file, old, new, what):
    copy = change(file, old, new)
    changed = sources(copy)
    assert main(["--check", str(copy)]) == 1
    printed = capsys.readouterr().out
    assert printed.startswith(f"Differs: {what}")
    assert "run: python doc/shared_texts.py --write\n" in printed
    assert sources(copy) == changed
    assert main(["--write", str(copy)]) == 0
    assert capsys.readouterr().out.startswith(f"Written: {what}")
    assert sources(copy) == sources(PACKAGE)


END_OF_RBP = """    replace_undefined_by: float = 0.0,
    average: Literal["samples"] | None = "samples",
) -> float | NDArray[np.float64]:
"""


def test_the_type_of_a_parameter_has_the_options_that_its_text_lists(change, capsys):
    copy = change("../significance/_changes.py", '"betting"', '"toss"')
    assert main(["--write", str(copy)]) == 0
    assert "the type of `test` in changes" in capsys.readouterr().out
    written = (copy / "significance" / "_changes.py").read_text(encoding="utf-8")
    assert 'test: Literal["auto", "t", ' in written
    assert '"toss"' not in written
    assert main(["--check", str(copy)]) == 0


def test_overloads_follow_from_a_changed_signature(change):
    copy = change("_position.py", END_OF_RBP, END_OF_RBP.replace("0.0", "0.5"))
    assert main(["--write", str(copy)]) == 0
    stub = (copy / "__init__.pyi").read_text(encoding="utf-8")
    assert stub.count("replace_undefined_by: float = 0.5,") == 3


NEW_SCORE = '''
def coverage_score(
    y_true: ArrayLike,
    y_score: ArrayLike,
    *,
    k: int | Sequence[int | None] | None = None,
    width: int = 3,
    qid: ArrayLike | None = None,
    average: Literal["samples"] | None = "samples",
) -> float | NDArray[np.float64]:
    """Coverage.

    Parameters
    ----------
    width : int, default=3
        The width.

    Returns
    -------
    coverage : float or ndarray of float64

    Raises
    ------

    Warns
    -----
    """
'''
FIRST = "\n\n@advises_on_keywords"


def test_a_new_score_gets_what_it_shares(change):
    change("../__init__.py", '    "dcg_score",\n', '    "coverage_score",\n    "dcg_score",\n')
    copy = change("_precision.py", FIRST, NEW_SCORE + FIRST)
    assert main(["--write", str(copy)]) == 0
    source = (copy / "_metrics" / "_precision.py").read_text(encoding="utf-8")
    new = source[: source.index("def precision_at_k_score")]
    stub = (copy / "__init__.pyi").read_text(encoding="utf-8")
    assert stub.count("@overload\ndef coverage_score(\n") == 3
    assert stub.count(" width: int = 3,") == 3
    own = stub[stub.index("def coverage_score") : stub.index("def dcg_score")]
    assert own.count(" k: Sequence[int | None] | NDArray[np.integer[Any]],") == 1
    names = re.findall(r"^    (\w+) : ", new, flags=re.MULTILINE)
    assert names == ["y_true", "y_score", "k", "width", "qid", "average", "coverage"]
    for entry in ("ValueError, TypeError", "sklearn.exceptions.UndefinedMetricWarning"):
        assert f"\n    {entry}\n        If " in new


@pytest.mark.parametrize("title", ["Parameters", "Raises", "Warns"])
def test_a_section_that_a_score_lacks_is_told(change, capsys, title):
    without = NEW_SCORE.replace(f"    {title}\n    {'-' * len(title)}\n", "")
    copy = change("_precision.py", FIRST, without + FIRST)
    assert main(["--write", str(copy)]) == 1
    expected = f"Write it yourself: the docstring of coverage_score has no `{title}`.\n"
    assert expected in capsys.readouterr().out


def test_cutoffs_without_their_type_are_told(change):
    change("../__init__.py", '    "dcg_score",\n', '    "coverage_score",\n    "dcg_score",\n')
    copy = change("_precision.py", FIRST, NEW_SCORE.replace("Sequence[int | None]", "Ints"))
    with pytest.raises(SystemExit, match="`k` of coverage_score must have the type"):
        main(["--write", str(copy)])


BETA = """
    beta : float, default=1.0
        How many times as much recall counts as precision, at least 0. With 1 both count the same.
        0 gives precision alone, and ``np.inf`` gives recall alone.
"""
ALPHA = BETA.replace("beta", "alpha").lstrip("\n")
AVERAGE = """    average : {"samples", None}, default="samples"
        "samples" gives the weighted mean over the queries. None gives one value per query.
"""


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (BETA, "\n", "f1_at_k_score does not document `beta`"),
        (
            AVERAGE,
            AVERAGE + ALPHA,
            "precision_at_k_score does not take `alpha`, but documents it",
        ),
    ],
)
def test_what_only_a_person_can_write_is_told(change, capsys, old, new, problem):
    copy = change("_precision.py", old, new)
    changed = sources(copy)
    for task in ("--check", "--write"):
        assert main([task, str(copy)]) == 1
        assert f"Write it yourself: {problem}.\n" in capsys.readouterr().out
    assert sources(copy) == changed


@pytest.mark.parametrize("left_to_a_person", [(BETA, "\n"), (AVERAGE, AVERAGE + ALPHA)])
def test_what_a_person_must_write_keeps_nothing_else_from_being_written(change, left_to_a_person):
    changed = sources(change("_precision.py", *left_to_a_person))
    copy = change("_precision.py", "    sample_weight : array-like", "    sample_weight : list")
    assert main(["--write", str(copy)]) == 1
    assert sources(copy) == changed


def test_a_text_of_what_the_function_lacks_is_told(change, capsys):
    without = NEW_SCORE.replace("    qid: ArrayLike | None = None,\n", "")
    copy = change("_precision.py", FIRST, without + FIRST)
    assert main(["--check", str(copy)]) == 1
    expected = "the text of `y_true` speaks of `qid`, which coverage_score does not take"
    assert expected in capsys.readouterr().out


@pytest.mark.parametrize(
    ("file", "old", "new", "problem"),
    [
        (
            "_precision.py",
            "beta",
            "persistence",
            "has no text of `persistence` for rank_biased_precision_score, f1_at_k_score",
        ),
        (
            "_first_hit.py",
            "max_grade",
            "discount",
            "has no text of `discount` for expected_reciprocal_rank_score",
        ),
        (
            "_precision.py",
            "denominator",
            "divisor",
            "has a text of `denominator` that is not needed: precision_at_k_score, *",
        ),
    ],
)
def test_a_text_that_its_owner_lacks_or_does_not_need_is_told(
    change, capsys, file, old, new, problem
):
    copy = change(file, old, new)
    path = copy / "_metrics" / file
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    assert main(["--write", str(copy)]) == 1
    assert f"Write it yourself: doc/shared_texts.toml {problem}.\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    "text",
    [
        "    The width.",  # a docstring would have it as the end of the parameter above
        "height : int\n    The height.",
        "width : int\n    The width.\nheight : int\n    The height.",
    ],
)
def test_a_text_without_the_line_that_names_it_alone_is_refused(tmp_path, text):
    owner = tmp_path / "shared_texts.toml"
    owner.write_text(f'[parts]\n[width]\n"*" = """\n{text}\n"""\n', encoding="utf-8")
    with pytest.raises(SystemExit, match=r"The text of `width` in .* must begin with a line"):
        Sharing(owner)
