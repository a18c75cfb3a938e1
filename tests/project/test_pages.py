"""The pages that are copied from: each recipe runs alone, each script prints what is beside it."""

from __future__ import annotations

import ast
import csv
import doctest
import importlib
import inspect
import re
import subprocess
import sys
from functools import partial
from itertools import pairwise, takewhile
from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace

import numpy as np
import pytest
import sklearn
from _pytest.doctest import _get_checker, get_optionflags
from needs import needs_of_lines
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold, cross_val_score

import ranking_scores
from ranking_scores import make_ranking_scorer
from ranking_scores._tables._answers import forms_of_dicts, forms_of_objects, wrappers
from ranking_scores._tables._known_names import content

ROOT = Path(__file__).parents[2]
DOC = ROOT / "doc"
NEEDS = {"scale": "pyarrow"}
ALL_RECIPES = ("how_to", "troubleshooting", "integrations")


def recipes():
    """Yield the sections that have a program of their own.

    They are all sections of some pages, and in others those with a label such as how-to-parquet.
    """
    for path in sorted(DOC.glob("*.rst")):
        page = path.stem
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        is_rule = [re.fullmatch(r"([-=~])\1{2,}\n", line) is not None for line in lines]
        starts = [line - 1 for line, is_one in enumerate(is_rule) if is_one]
        for start, end in pairwise([*starts, len(lines)]):
            text = "".join(lines[start:end])
            labels = takewhile(re.compile(r"\n|\.\. _").match, reversed(lines[:start]))
            is_recipe = page in ALL_RECIPES or any("_how-to-" in label for label in labels)
            if is_recipe and ">>> " in text:
                yield pytest.param(page, text, id=f"{page}-{lines[start].strip()}")


def test_every_page_of_recipes_has_some():
    assert {recipe.values[0] for recipe in recipes()} == {*ALL_RECIPES, *NEEDS}


@pytest.mark.parametrize(("page", "text"), list(recipes()))
def test_a_recipe_runs_when_it_is_copied_alone(page, text, request):
    if page in NEEDS:
        pytest.importorskip(NEEDS[page], reason="it is in the extra engines")
    for library in {library for needs in needs_of_lines(text) for library in needs}:
        pytest.importorskip(library, reason="its recipe is tested where it is installed")
    test = doctest.DocTestParser().get_doctest(text, {}, request.node.name, page, 0)
    flags = get_optionflags(request.config)
    runner = doctest.DocTestRunner(_get_checker(), verbose=False, optionflags=flags)
    failures = []
    with np.printoptions(precision=3):
        runner.run(test, out=failures.append)
    assert not failures, "".join(failures)


def test_what_a_section_needs_holds_to_its_end():
    titles = "Page\n====\n", ">>> 0\n.. needs: a\nOne\n---\n.. needs: b, c\n"
    page = "\n".join([*titles, ">>> 1\nInside\n~~~~~~\n>>> 2\n", "Two\n---\n>>> 3"])
    needs = dict(zip(page.splitlines(), needs_of_lines(page), strict=True))
    assert [needs[f">>> {number}"] for number in range(4)] == [[], list("abc"), list("abc"), ["a"]]


def scripts():
    """Yield the scripts of the page of training loops, with what their last lines print.

    The other blocks of code on that page are parts of programs.
    """
    text = (DOC / "streaming.rst").read_text(encoding="utf-8")
    for block in re.findall(r"^\.\. code-block:: python\n\n((?:   .*\n|\n)+)", text, flags=re.M):
        script = dedent(block).rstrip()
        _, is_script, printed = script.splitlines()[-1].rpartition("  # ")
        if not is_script:
            continue
        libraries = re.findall(r"^(?:from|import) (keras|lightning|torch)\b", script, flags=re.M)
        start = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
        start = start if "torch.distributed" in script else []
        name = ["torchrun"] if start else [*dict.fromkeys(libraries)]
        yield pytest.param(script, printed, libraries, start, id="-".join(name))


def test_every_training_loop_is_a_script():
    assert [script.id for script in scripts()] == ["torch", "torch-lightning", "keras", "torchrun"]


@pytest.mark.slow
@pytest.mark.parametrize(("script", "printed", "libraries", "start"), list(scripts()))
def test_a_script_prints_what_the_page_says(script, printed, libraries, start, tmp_path):
    for library in {*libraries, *(["torch"] if "keras" in libraries else [])}:
        pytest.importorskip(library, reason="training loops are tested where their library is")
    path = tmp_path / "script.py"
    path.write_text(script, encoding="utf-8")
    output = subprocess.run(
        [sys.executable, *start, path], capture_output=True, text=True, check=True, timeout=300
    ).stdout
    assert output.splitlines()[-1] == printed


def test_the_addresses_of_old_pages_lead_to_pages():
    """The build of the documentation checks the sections, and writes the pages that lead there."""
    [old_pages] = re.findall(
        r"^OLD_PAGES = (\{.*?^\})", (DOC / "conf.py").read_text(encoding="utf-8"), re.M | re.S
    )
    for old, new in ast.literal_eval(old_pages).items():
        assert not source_of(old).exists(), old
        assert source_of(new.partition("#")[0]).exists(), new


def source_of(page):
    """Return the file that a page is written in, or the script of a page of the gallery."""
    folder, _, name = page.rpartition("/")
    return DOC / (f"gallery/{name}.py" if folder == "auto_examples" else f"{page}.rst")


def test_the_tests_of_the_promises_exist():
    with (DOC / "promises.csv").open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)
    injected = " ".join(row[0] for row in rows)
    for kind in ("killed", "full", "short", "fork", "threads", "processors", "programs"):
        assert kind in injected
    for _, promised, tests in rows:
        assert promised.endswith(".")
        names = re.findall(r"``(\S+)::(test_\w+)``", tests)
        assert len(names) == tests.count("``") / 2 > 0
        for path, name in names:
            assert f"\ndef {name}(" in (ROOT / "tests" / path).read_text(encoding="utf-8"), name


def test_the_guide_has_at_most_60_000_words():
    n_words = {page.name: len(page.read_text("utf-8").split()) for page in DOC.glob("*.rst")}
    longest = sorted(n_words, key=n_words.get)[:-4:-1]
    total = sum(n_words.values())
    assert total <= 60_000, f"doc/*.rst has {total} words, most of them in {', '.join(longest)}"


def test_no_score_at_a_cutoff_in_the_readme_is_an_address_of_mail():
    text = (ROOT / "README.rst").read_text(encoding="utf-8")
    text = re.sub(r"``.+?``|^>>> .+?\n\n", "", text, flags=re.DOTALL | re.MULTILINE)
    assert not re.findall(r"[\w.]+@\w+", text), "write nDCG\\@10, or it is a link"


def test_the_messages_of_scikit_learn_are_those_of_the_page():
    page = (DOC / "troubleshooting.rst").read_text(encoding="utf-8")
    rng = np.random.default_rng(0)
    X, y, qid = rng.normal(size=(60, 3)), np.arange(60) % 4, np.repeat(np.arange(6), 10)
    scorer = make_ranking_scorer("ndcg@5")
    validate = partial(cross_val_score, Ridge(), X, y, error_score="raise", params={"qid": qid})
    with pytest.raises(RuntimeError) as not_enabled:
        scorer.set_score_request(qid=True)
    with sklearn.config_context(enable_metadata_routing=True):
        with pytest.raises((TypeError, ValueError), match="qid") as not_requested:
            validate(scoring=scorer)
        with pytest.raises(ValueError, match="groups") as without_groups:
            validate(scoring=scorer.set_score_request(qid=True), cv=GroupKFold(3))
    quoted = re.findall(r"^``(.+)``$", page, flags=re.M)
    before = "got unexpected argument(s) {'qid'}"  # in scikit-learn 1.6
    assert before in page
    for caught, text in zip((not_enabled, not_requested, without_groups), quoted, strict=True):
        assert text in str(caught.value) or before in str(caught.value)


def test_the_table_of_scores_has_what_they_take(monkeypatch):
    monkeypatch.syspath_prepend(str(DOC))
    import scores_table

    rows = {name: scores_table.row(name) for name in scores_table.NAMES}
    assert all(f":func:`~ranking_scores.{name}`" in scores_table.text() for name in rows)
    assert {name for name, row in rows.items() if row[3] != "all"} == {
        "grouped_auc_score",
        "pairwise_accuracy_score",
    }
    assert rows["grouped_auc_score"][3] == "all but retrieved"
    assert rows["dcg_score"][1:3] == [
        "optional",
        "``log_base``, ``gain``, ``discount``, ``item_weight``",
    ]
    assert rows["precision_at_k_score"][1] == "needed"
    assert [rows[name][4] for name in ("dcg_score", "ndcg_score", "grouped_auc_score")] == [
        "never",
        "counts 0",
        "left out",
    ]


FORMULAS = {
    "P@k = 1/k * sum over r = 1, ..., k of rel(r)": (
        r"\text{P@k} = \frac{1}{k} \, \sum_{r = 1}^{k} \text{rel}\left( r \right)"
    ),
    "sum over r = 1, ..., k of h(r) * product over q < r of (1 - h(q))": (
        r"\sum_{r = 1}^{k} h\left( r \right) \, "
        r"\prod_{q < r} \left( 1 - h\left( q \right) \right)"
    ),
    "a b / (c + d)": r"\frac{a \, b}{c + d}",
    "(a + b) / (c + d)": r"\frac{a + b}{c + d}",
    "sum(w x) / sum(w)^2": r"\frac{\sum w \, x}{\left( \sum w \right)^{2}}",
    "sum(p**(d - 1) for d = 1, 2, ...)": r"\sum_{d = 1}^{\infty} p^{d - 1}",
    "P[s[i] > s[j]] + 1/2": r"P\left[ s_{i} > s_{j} \right] + \frac{1}{2}",
    "P[an item is relevant] = p": r"P\left[ \text{an item is relevant} \right] = p",
    "d = score of b - score of a, from 0 to 1": (
        r"d = \text{score of b} - \text{score of a}, \quad \text{from 0 to 1}"
    ),
    "sqrt(pairs that tie * pairs that do not)": (
        r"\sqrt{\text{pairs that tie} \cdot \text{pairs that do not}}"
    ),
    "x = a\n  = b\n  + c": r"x &= a \\  &= b + c",
    "t(a) = |{q in N: s(q) >= a}| / |N|": (
        r"t\left( a \right) = \frac{\left| \left\{ q \in N: s\left( q \right) \ge a "
        r"\right\} \right|}{\left| N \right|}"
    ),
}


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_of_a_docstring_is_set_as_mathematics(text, monkeypatch):
    monkeypatch.syspath_prepend(str(DOC))
    from formulas import as_latex

    assert as_latex(text) == FORMULAS[text]


@pytest.mark.parametrize(
    "text",
    [
        "ndcg_score",
        'search = GridSearchCV(QueryRanker(), {"k": [1]})',
        "ids, scores = model.recommend(users)  # implicit",
        "DCG, nDCG     w(r) * gain / divisor     w: the discount",
        "x = (a",
        "x = a +",
        "x = a)",
        "sum over r",
        "sum over r = 1, 2",
    ],
)
def test_other_text_of_a_docstring_is_no_formula(text, monkeypatch):
    monkeypatch.syspath_prepend(str(DOC))
    from formulas import NotAFormulaError, as_latex

    with pytest.raises(NotAFormulaError):
        as_latex(text)


def test_the_first_formula_of_each_score_is_set_as_mathematics(monkeypatch):
    monkeypatch.syspath_prepend(str(DOC))
    import scores_table
    from formulas import as_latex

    for name in scores_table.NAMES:
        text = inspect.getdoc(getattr(ranking_scores, name))
        formula = re.search(r"::\n\n((?:    .+\n|\n)+)", text)
        assert as_latex(dedent(formula[1]).strip()), name


def test_a_report_that_an_example_prints_is_a_table(monkeypatch):
    monkeypatch.syspath_prepend(str(DOC))
    from printed_tables import parts_of

    y_true, y_score, scores = [[0, 2, 1], [1, 0, 0]], [[3, 2, 1], [3, 3, 1]], ["ndcg", "mrr"]
    report = ranking_scores.ranking_report(y_true, y_score, scores=scores, k=2, by=["a<b", "c"])
    [(code, html), (rest, nothing)] = parts_of(f">>> report\n{report}\n>>> 1\n1")
    assert (code, rest, nothing) == (">>> report", ">>> 1\n1", None)
    rows = re.findall("<tr>.*?</tr>", html)
    cells = [re.findall("<t[hd].*?>(.*?)</t[hd]>", row) for row in rows]
    frame = report.summary_frame().map("{:.4f}".format)
    assert cells[0][1:3] == ["mean", "standard error"]
    assert [row[:2] for row in cells[1:3]] == [
        [f"{name}@2", frame["mean"].iloc[at]] for at, name in enumerate(scores)
    ]
    assert cells[3][1:] == ["macro", "a&lt;b", "c"]
    assert "<p>2 queries" in html


@pytest.mark.parametrize(
    "output",
    [
        "0.5",
        "array([0.5  , 0.51 , 0.736])",
        "   user item  score\n1     1    b    0.7",  # columns that one space parts
        "       ndcg@2  mrr@2\nquery\nann     0.863    1.0",  # a title between the titles and rows
        "ndcg@10 here  0.4776\nthis one      0.8046",  # no titles
        "Traceback (most recent call last):\n  a  b\n  c  d",
    ],
)
def test_other_output_of_an_example_stays_as_it_is(output, monkeypatch):
    monkeypatch.syspath_prepend(str(DOC))
    from printed_tables import parts_of

    example = f">>> show()\n{output}"
    assert list(parts_of(example)) == [(example, None)]


def test_a_line_that_was_broken_for_printing_is_one_line_of_its_table(monkeypatch):
    monkeypatch.syspath_prepend(str(DOC))
    from printed_tables import html_of_lines

    first = "a" * 90
    assert html_of_lines([first, "longer words", "end"]) == f"<p>{first} longer words<br>end</p>"
    assert html_of_lines([first, "short words"]) == f"<p>{first}<br>short words</p>"


def test_the_guide_shows_how_each_known_answer_was_checked(monkeypatch):
    monkeypatch.syspath_prepend(str(DOC))
    tables = importlib.import_module("known_names_table")
    text = tables.answers() + tables.judgments()
    judgments = [SimpleNamespace(**row) for row in content()["judgments"]]
    for row in (*forms_of_dicts(), *forms_of_objects(), *wrappers(), *judgments):
        _, _, after = text.partition(f"{row.source}>`__")
        assert f"     - {row.checked}\n" in after
    for path in ("hit._id", "_distance``, smaller is better", "hits.hits.*._source.judgment"):
        assert f"``{path}" in text
    page = (DOC / "your_files.rst").read_text("utf-8")
    for name in tables.TABLES:
        assert f".. include:: _tables/{name}" in page
