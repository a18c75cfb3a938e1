"""What can rot around the code: the workflow, the linters before a commit, the version.

Nobody has run the tests on Windows. What would be different there and can be imitated is tested at
the end, or beside the code that it is about: line ends of files in `test_trec_files`,
`test_json_files`, `test_command_files`, `test_saved` and `test_value_files`, files without locks
in `test_faults`, and processes that are not forks in `test_streaming`.
"""

from __future__ import annotations

import importlib
import inspect
import os
import re
import runpy
import tomllib
from fnmatch import fnmatch
from itertools import product
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
import yaml
from laws import SCORES
from sklearn.linear_model import Ridge

import ranking_scores
from ranking_scores import compare, ndcg_score, retrieved_from_ids

ROOT = Path(__file__).parents[2]
JOBS = ("checks", "tests")


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


def project():
    """Return what the package says of itself."""
    return tomllib.loads(text_of("pyproject.toml"))["project"]


def commands_of(job):
    """Return what the steps of a job of the workflow run."""
    steps = yaml.safe_load(text_of(".github/workflows/tests.yml"))["jobs"][job]["steps"]
    return [step["run"] for step in steps if "run" in step]


# --- versions of Python -------------------------------------------------------------------------


def test_every_version_of_python_is_tested_everywhere():
    classifiers = "\n".join(project()["classifiers"])
    versions = re.findall(r"Python :: (3\.\d+)$", classifiers, flags=re.MULTILINE)
    workflow = yaml.safe_load(text_of(".github/workflows/tests.yml"))
    matrix = workflow["jobs"]["tests"]["strategy"]["matrix"]
    assert matrix["python-version"] == versions
    assert matrix["os"] == ["ubuntu-latest", "macos-latest", "windows-latest"]
    assert project()["requires-python"] == f">={versions[0]}"
    tools = tomllib.loads(text_of("pyproject.toml"))["tool"]
    assert tools["mypy"]["python_version"] == versions[0]
    assert tools["ruff"]["target-version"] == f"py{versions[0].replace('.', '')}"
    for name in ("README.rst", "CONTRIBUTING.rst", "doc/index.rst"):
        assert set(re.findall(r"Python (3\.\d+) or", text_of(name))) == {versions[0]}


# --- the workflow, and the linters before a commit ----------------------------------------------


def test_the_workflow_runs_what_the_guide_says():
    assert commands_of("checks") == [".ci/run"]
    assert os.name != "posix" or os.access(ROOT / ".ci" / "run", os.X_OK)
    readme = re.findall(r"^    (python -m pip .* && .*)$", text_of("README.rst"), re.MULTILINE)
    assert commands_of("tests")[-1] == readme[1]


def test_the_workflow_may_only_read():
    workflow = yaml.safe_load(text_of(".github/workflows/tests.yml"))
    assert workflow["permissions"] == {"contents": "read"}
    assert sorted(workflow["jobs"]) == sorted(JOBS)
    for job in JOBS:
        assert "permissions" not in workflow["jobs"][job]
        for step in workflow["jobs"][job]["steps"]:
            assert re.fullmatch(r"actions/[\w-]+@v\d+", step.get("uses", "actions/none@v0"))


def test_the_linters_before_a_commit_are_those_of_all_checks():
    hooks = yaml.safe_load(text_of(".pre-commit-config.yaml"))["repos"]
    assert [repository["repo"] for repository in hooks] == ["local"]
    entries = [hook["entry"] for hook in hooks[0]["hooks"]]
    parts = re.split(r'^ *step "(.*)"$', text_of(".ci/run"), flags=re.MULTILINE)
    steps = dict(zip(parts[1::2], parts[2::2], strict=True))
    linters = [*steps["Lint"].splitlines(), *steps["Types"].splitlines()]
    linters = [line.strip() for line in linters if line.strip()]
    assert entries == [*linters, "python doc/shared_texts.py --check"]
    assert all(hook["language"] == "system" for hook in hooks[0]["hooks"])  # needs no network
    assert not any(hook["pass_filenames"] for hook in hooks[0]["hooks"])


# --- the version --------------------------------------------------------------------------------


def test_the_version_is_in_one_place():
    assert project()["dynamic"] == ["version"]
    assert 'version = { attr = "ranking_scores._base._version.__version__" }' in text_of(
        "pyproject.toml"
    )
    version = re.escape(ranking_scores.__version__)
    for name in ("setup.cfg", "pyproject.toml", "CITATION.cff", "doc/conf.py", "doc/about.rst"):
        assert not re.findall(rf"\b{version}\b", text_of(name))
        assert not re.findall(r"^version *[:=] *\d", text_of(name), flags=re.MULTILINE)
    init = text_of("ranking_scores/_base/_version.py")
    assert re.findall(r"^__version__ = (.+)$", init, flags=re.MULTILINE) == [
        f'"{ranking_scores.__version__}"'
    ]


def test_pages_name_this_version():
    for name in ("action.yml", "doc/gates.rst", ".ci/releasing.rst"):
        named = re.findall(r"(?:@v|-a v|origin v|scores |==)(\d+\.\d+\.\d+)", text_of(name))
        assert {*named} <= {ranking_scores.__version__}, f"{name} names another version"
    assert f"@v{ranking_scores.__version__}" in text_of("doc/gates.rst")


def test_the_readme_of_a_distribution_leads_to_the_repository():
    build = runpy.run_path(str(ROOT / ".ci" / "build.py"))
    readme = text_of("README.rst")
    text = build["with_addresses"](readme, "https://example.org/it")
    links = re.findall(r"(?:image:: |<)(\S+\.(?:rst|svg))", text)
    assert len(links) == len(re.findall(r"\S+\.(?:rst>|svg)", readme))
    for link in links:
        path = re.sub(r"^https://example\.org/it/(raw|blob)/HEAD/", "", link)
        assert path != link
        assert (ROOT / path).exists()


KNOWN_ROLES = {"sub", "sup"}
KNOWN_DIRECTIVES = {"code-block", "image", "index", "list-table", "meta"}
"""Those of docutils, which a code host shows, and one that it leaves out, which says nothing."""


def test_what_the_readme_links_to_can_be_read_on_a_code_host():
    links = re.findall(r"<([\w./]+\.rst)>", text_of("README.rst"))
    assert {"doc/getting_started.rst", "doc/rag.rst", "CHANGELOG.rst"} <= {*links}
    for name in ("README.rst", *links):
        text = text_of(name)
        assert {*re.findall(r"(?<!`):([a-z]+):`", text)} <= KNOWN_ROLES, name
        assert {*re.findall(r"^ *\.\. ([\w-]+)::", text, re.MULTILINE)} <= KNOWN_DIRECTIVES, name
        for file, label in re.findall(r"<([\w./]+\.(?:py|rst))(?:#([\w-]+))?>`_", text):
            page = (ROOT / name).parent / file
            assert page.exists(), f"{name} links to {file}"
            assert not label or f"\n.. _{label}:\n" in page.read_text("utf-8"), label


def test_the_main_example_begins_at_once_and_ends_with_the_comparison(monkeypatch, capsys):
    """The README promises both. Another model takes the place of the slow search for one."""
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    example = importlib.import_module("learning_to_rank")

    def tune(train):
        assert capsys.readouterr().out.startswith("300 features\n"), "it shows that it runs"
        model = Ridge().fit(train.features, train.label)
        model.best_params_, model.best_score_ = {}, 0.0
        return model

    monkeypatch.setattr(example, "tune", tune)
    example.main()
    _, comparison = capsys.readouterr().out.split("Is the model better than the feature?")
    test = example.load("test")
    model = Ridge().fit(*example.load("train")[:2])
    feature = test.features[:, example.best_feature(example.load("train"))]
    values = [
        ndcg_score(test.label, score, k=10, qid=test.query, average=None, **example.NDCG)
        for score in (feature, model.predict(test.features))
    ]
    expected = compare(*values)
    for number in (expected.difference, expected.low, expected.high):
        assert f" {number:.4f} " in comparison


def test_the_source_distribution_has_all_files_of_the_repository():
    """`.ci/run` builds it and runs the tests in it, which tells the rest."""
    manifest = text_of("MANIFEST.in")
    listed = {name for line in manifest.splitlines() for name in line.split()[1:]}
    always = {"LICENSE", "MANIFEST.in", "README.rst", "pyproject.toml", "setup.cfg"}
    ignored = {name.strip("/") for name in text_of(".gitignore").splitlines()}
    names = {path.name for path in ROOT.iterdir()}
    in_git = {name for name in names if not any(fnmatch(name, each) for each in ignored)}
    assert (
        in_git - always - {".git", "ranking_scores", "pytest_ranking_scores.py", "PKG-INFO"}
        <= listed
    )


def test_the_recipe_for_conda_needs_what_the_package_needs():
    recipe = text_of(".ci/conda/recipe.yaml")
    needed = yaml.safe_load(recipe)["requirements"]["run"]
    assert yaml.safe_load(recipe)["context"]["version"] == ranking_scores.__version__
    python, *libraries = (name.replace(" ", "") for name in needed)
    assert libraries == project()["dependencies"]
    assert python == "python>=${{python_min}}"
    [oldest] = re.findall(r'^  python_min: "(.+)"$', recipe, re.MULTILINE)
    assert project()["requires-python"] == f">={oldest}"


def test_the_last_release_in_the_change_log_is_this_version():
    releases = re.findall(r"^(\d\S*) \(\d{4}-\d\d-\d\d\)$", text_of("CHANGELOG.rst"), re.MULTILINE)
    assert releases[0] == ranking_scores.__version__


def test_the_last_release_has_its_changes_by_what_they_are():
    text = text_of("CHANGELOG.rst")
    _, release, *_ = re.split(r"^\d\S* \(\d{4}-\d\d-\d\d\)\n-+\n", text, flags=re.MULTILINE)
    assert re.findall(r"^(.+)\n~+$", release, flags=re.MULTILINE) == [
        "Changed: what a user of 0.1 must change",
        "New",
        "Fixed",
        "Documentation",
    ]
    pages = re.findall(r"`[^`]+ <(.+?)>`__", release)
    assert len(pages) > 20
    assert not [page for page in pages if not (ROOT / page).exists()]


# --- as on Windows ------------------------------------------------------------------------------


def test_no_test_file_is_too_long_to_read():
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text("utf-8").splitlines())
        for path in (ROOT / "tests").rglob("*.py")
    }
    assert {path: length for path, length in lengths.items() if length > 900} == {}


def with_indices(matrix, dtype):
    """Return a sparse array with indices of a dtype, which SciPy may not choose; others as is."""
    if not sp.issparse(matrix):
        return matrix
    copy = matrix.copy()
    copy.indices, copy.indptr = copy.indices.astype(dtype), copy.indptr.astype(dtype)
    assert copy.indices.dtype == copy.indptr.dtype == dtype
    return copy


@pytest.mark.parametrize("name", SCORES)
def test_the_width_of_sparse_indices_changes_no_bit(name):
    rng = np.random.default_rng(0)
    score = SCORES[name]
    options = score.options[0] | {"average": None}
    if "k" in inspect.signature(score.func).parameters:
        options["k"] = 5
    ids = rng.permuted(np.tile(np.arange(30), (40, 1)), axis=1)[:, :12]
    retrieved = retrieved_from_ids(ids, rng.integers(0, 4, ids.shape), n_items=30)
    labels = np.zeros((40, 30), int)
    np.put_along_axis(labels, ids, rng.integers(0, 3, ids.shape), axis=1)  # all are retrieved
    y_true = sp.csr_array(labels)
    for y_score in [retrieved.toarray()] + [retrieved] * score.takes_retrieved:
        bits = set()
        for of_labels, of_scores in product((np.int32, np.int64), repeat=2):
            arguments = [with_indices(y_true, of_labels), with_indices(y_score, of_scores)]
            bits.add(score.func(*arguments, **options).tobytes())
        assert len(bits) == 1
