"""The package: its layers, public names, docstrings, and what an import costs."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect
import pickle
import re
import subprocess
import sys
import tomllib
import traceback
import typing
from importlib.metadata import requires, version
from pathlib import Path

import pytest
import sklearn.metrics
import typing_cases
from importlinter.cli import lint_imports
from numpydoc_sections import parameters_of, sections_of
from scipy.sparse import csr_array

import ranking_scores
from ranking_scores import (
    agreement,
    conventions,
    explain,
    gates,
    plotting,
    rankers,
    scale,
    significance,
    streaming,
    tables,
    testing,
    ties,
    trec,
    unanswerable,
)
from ranking_scores._base._threads import once
from ranking_scores.exceptions import InvalidParameterError

PACKAGE = Path(ranking_scores.__file__).parent
ROOT = Path(__file__).parents[2]
RUN_TIME = {"joblib", "numpy", "scipy", "sklearn"}
OPTIONAL = {  # imported when they are asked for
    "_base._results": {"pandas"},
    "plotting._layout": {"matplotlib"},
}
RESULTS = [
    ranking_scores.RankingReport,
    agreement.JudgeAgreement,
    agreement.LabelAgreement,
    agreement.SystemAgreement,
    conventions.ProgramScore,
    explain.DifferenceExplanation,
    explain.QueryExplanation,
    explain.QueryExplanations,
    gates.Condition,
    gates.GateResult,
    significance.Changes,
    significance.Comparison,
    significance.Comparisons,
    significance.ConfidenceInterval,
    significance.History,
    significance.HumanLabels,
    significance.ScoreChange,
    ties.TieReport,
    unanswerable.AnswerCurve,
]
PUBLIC = [getattr(ranking_scores, name) for name in ranking_scores.__all__]
PUBLIC = [each for each in PUBLIC if each not in RESULTS]
SCORES = [each for each in PUBLIC if inspect.signature(each).parameters.keys() >= {"average"}]
PUBLIC += [
    tables.from_lists,
    tables.from_table,
    tables.from_tables,
    tables.read_json,
    ties.chance_level,
    ties.tie_report,
]
PUBLIC += map(vars(trec).get, trec.__all__)
PUBLIC += [testing.check_score, testing.expected, testing.values_of_orders]
PUBLIC += [rankers.QueryRanker, streaming.read_stream, streaming.whole_queries]
PUBLIC += [ranking_scores.report.read_report]
PUBLIC += [getattr(scale, name) for name in scale.__all__]
PUBLIC += [conventions.like, explain.explain_difference]
PUBLIC += [explain.explain_query, gates.check]
PUBLIC += [significance.changes, significance.compare, significance.compare_all]
PUBLIC += [unanswerable.answer_curve]
PUBLIC += [agreement.agreement_report, agreement.kendall_tau, agreement.tau_ap]
PUBLIC += [agreement.system_agreement, agreement.overlap_at_k, agreement.average_overlap]
PUBLIC += [agreement.rank_biased_overlap, agreement.pair_rankings]
PUBLIC += [significance.confidence_interval, significance.queries_needed, significance.power_curve]
DISPLAYS = [getattr(plotting, name) for name in plotting.__all__]
WITHOUT_REFERENCES = {
    *plotting.__all__,
    "QueryRanker",
    "agreement_report",
    "StreamingScore",
    "chance_level",
    "check_score",
    "expected",
    "explain_difference",
    "from_pytrec_eval",
    "from_exact_search",
    "from_lists",
    "from_table",
    "from_tables",
    "like",
    "make_ranking_scorer",
    "pair_rankings",
    "per_query",
    "qid_from_sizes",
    "ranking_report",
    "read_json",
    "read_report",
    "read_stream",
    "read_qrels",
    "read_run",
    "retrieved_from_ids",
    "weighted_labels",
    "report",
    "report_tables",
    "sizes_from_qid",
    "system_agreement",
    "tie_report",
    "to_pytrec_eval",
    "values_of_orders",
    "whole_queries",
    "write_run",
}


def module_of(path):
    """Return the name of a module in the package."""
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts).removesuffix(".__init__")


MODULES = {module_of(path): path for path in PACKAGE.rglob("*.py")}
SUBMODULES = {
    name: importlib.import_module(f"ranking_scores.{name}").__all__
    for name in sorted(module for module in MODULES if module[0] != "_" and "." not in module)
}


def imports_of(path):
    """Return the modules that a file imports, the package's own by their names in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"relative import in {path.name}"
            _, _, module = node.module.partition(".")
            names = {f"{module}.{alias.name}".removeprefix(".") for alias in node.names}
            modules = names & set(MODULES) if node.module.startswith("ranking_scores") else set()
            yield from (f"ranking_scores.{name}" for name in sorted(modules))
            if names - modules:
                yield node.module


def test_imports_keep_to_the_layers(monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(sys, "path", [*sys.path])  # to which the linter adds this folder
    assert lint_imports(config_filename="pyproject.toml", no_cache=True) == 0


@pytest.mark.parametrize(
    "room", sorted(path.parent.name for path in PACKAGE.glob("_*/__init__.py"))
)
def test_a_private_room_hands_on_nothing(room):
    """A name is imported from the file that defines it, and loads only what that file needs."""
    [docstring] = ast.parse((PACKAGE / room / "__init__.py").read_text(encoding="utf-8")).body
    assert isinstance(docstring, ast.Expr)


@pytest.mark.parametrize("module", MODULES)
def test_imports_are_of_nothing_optional(module):
    for imported in imports_of(MODULES[module]):
        top = imported.partition(".")[0]
        allowed = RUN_TIME | {"ranking_scores"} | sys.stdlib_module_names
        assert top in allowed | OPTIONAL.get(module, set())


@pytest.mark.parametrize("score", SCORES, ids=lambda score: score.__name__)
def test_overloads_are_those_of_the_signature(score):
    stub = ast.parse((PACKAGE / "__init__.pyi").read_text(encoding="utf-8")).body
    overloads = [node for node in stub if getattr(node, "name", None) == score.__name__]
    signature = inspect.signature(score).parameters
    assert len(overloads) == (3 if "k" in signature else 2)
    for overload in overloads:
        types = {
            each.arg: ast.unparse(each.annotation)
            for each in [*overload.args.args, *overload.args.kwonlyargs]
        }
        assert [*types] == [*signature]
        for name in signature.keys() - {"k", "gain", "average"}:
            assert types[name] == signature[name].annotation


def test_the_rooms_in_the_guide_for_contributors_are_these():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    layers = settings["contracts"][0]["layers"]
    text = (ROOT / "CONTRIBUTING.rst").read_text(encoding="utf-8")
    table = text[text.index("Code\n----") :]
    documented = re.findall(r"^``(\w+)/?``  ", table, flags=re.MULTILINE)
    assert documented == [name for layer in layers for name in layer.split(" | ")]


def test_the_files_in_the_guide_for_contributors_are_there():
    text = (ROOT / "CONTRIBUTING.rst").read_text(encoding="utf-8")
    section = text[text.index("What to read first\n----") : text.index("Tests\n-----")]
    named = re.findall(r"``([\w/]+\.(?:py|toml))``", section)
    files = [path.relative_to(PACKAGE.parent).as_posix() for path in PACKAGE.rglob("*.*")]
    assert [
        name for name in named if not any(f"/{each}".endswith(f"/{name}") for each in files)
    ] == []
    assert len(named) > 40


def run_python(code):
    """Return what a fresh interpreter prints that runs some code."""
    command = [sys.executable, "-c", code]
    return subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=PACKAGE.parent
    ).stdout


SCORE_OF_EACH_LAYOUT = """
import sys, numpy, ranking_scores
many = numpy.ones((5000, 200))
assert ranking_scores.ndcg_score(many, many, k=10) == 1  # several blocks, which threads can share
ranking_scores.ndcg_score([[0, 1, 2], [1, 0, 0]], [[0.3, 0.1, 0.2], [0.1, 0.1, 0.1]], k=[1, 2])
ranking_scores.ndcg_score([0, 1, 2], [0.3, 0.1, 0.2], qid=["a", "a", "b"])
print(*{name.partition(".")[0] for name in sys.modules}, *sys.modules)
"""


def test_a_score_of_arrays_loads_numpy_only():
    loaded = {*run_python(SCORE_OF_EACH_LAYOUT).split()}
    assert {"numpy", "ranking_scores"} <= loaded
    assert not loaded & {"joblib", "matplotlib", "pandas", "scipy", "sklearn"}


def test_all_names_exactly_what_is_defined():
    assert ranking_scores.__all__ == sorted(ranking_scores.__all__)
    public = {name for name in vars(ranking_scores) if not name.startswith("_")}
    assert public - {*SUBMODULES} <= set(ranking_scores.__all__)
    assert all(hasattr(ranking_scores, name) for name in ranking_scores.__all__)
    assert SUBMODULES == {
        "agreement": [
            "AgreementReport",
            "JudgeAgreement",
            "LabelAgreement",
            "MovedItem",
            "PairedRankings",
            "Places",
            "QueryAgreement",
            "Swap",
            "SystemAgreement",
            "agreement_report",
            "average_overlap",
            "judge_agreement",
            "kendall_tau",
            "overlap_at_k",
            "pair_rankings",
            "rank_biased_overlap",
            "system_agreement",
            "tau_ap",
        ],
        "compat": [],
        "conventions": ["Program", "ProgramScore", "like", "programs"],
        "exceptions": ["InvalidParameterError"],
        "explain": [
            "DifferenceExplanation",
            "ItemMove",
            "ItemPart",
            "Match",
            "QueryExplanation",
            "QueryExplanations",
            "Step",
            "explain_difference",
            "explain_query",
        ],
        "gates": ["Condition", "GateResult", "check"],
        "plotting": [
            "AnswerCurveDisplay",
            "ComparisonDisplay",
            "HistoryDisplay",
            "QueryDifferenceDisplay",
            "RankingCurveDisplay",
            "RankingDisplay",
            "RanksDisplay",
        ],
        "rankers": ["QueryRanker"],
        "report": ["Judgments", "RankingReport", "ranking_report", "read_report"],
        "scale": ["per_query", "report", "report_tables"],
        "scorers": ["make_ranking_scorer"],
        "significance": [
            "Audit",
            "Changes",
            "Comparison",
            "Comparisons",
            "ConfidenceInterval",
            "History",
            "HumanLabels",
            "ListChange",
            "MovedItem",
            "QueryChange",
            "Ranks",
            "ScoreChange",
            "Spread",
            "audit",
            "changes",
            "compare",
            "compare_all",
            "confidence_interval",
            "history",
            "power_curve",
            "queries_needed",
        ],
        "streaming": ["StreamingScore", "read_stream", "whole_queries"],
        "tables": [
            "QueriesSeen",
            "RankingData",
            "from_exact_search",
            "from_lists",
            "from_table",
            "from_tables",
            "read_json",
        ],
        "testing": ["Agreement", "check_score", "expected", "values_of_orders"],
        "ties": ["TieReport", "chance_level", "tie_report"],
        "unanswerable": ["AnswerCurve", "answer_curve"],
        "unjudged": ["ItemToJudge", "ScoreBounds", "items_to_judge", "score_bounds"],
        "trec": ["from_pytrec_eval", "read_qrels", "read_run", "to_pytrec_eval", "write_run"],
    }


def test_what_is_listed_is_what_is_public():
    assert dir(ranking_scores) == sorted([*ranking_scores.__all__, *SUBMODULES])
    for name, names in SUBMODULES.items():
        assert dir(getattr(ranking_scores, name)) == names


@pytest.mark.long
def test_a_submodule_is_there_when_it_is_asked_for(monkeypatch):
    monkeypatch.delattr(ranking_scores, "trec")
    assert ranking_scores.trec is trec
    loaded = (
        "print(*[name for name in dir(ranking_scores) if f'ranking_scores.{name}' in modules])"
    )
    output = run_python(
        f"from sys import modules; import ranking_scores; {loaded}; "
        f"print(ranking_scores.trec.from_pytrec_eval.__name__); {loaded}"
    )
    at_import, then = "exceptions", "exceptions trec"
    assert output.splitlines() == [at_import, "from_pytrec_eval", then]
    output = run_python(f"""
import importlib, sys
for name in {list(SUBMODULES)}:
    for loaded in [each for each in sys.modules if each.startswith("ranking_scores")]:
        del sys.modules[loaded]
    print(getattr(importlib.import_module("ranking_scores"), name).__name__)
""")
    assert output.split() == [f"ranking_scores.{name}" for name in SUBMODULES]


def test_a_star_imports_no_submodule():
    names = "print(*sorted(name for name in globals() if name[0] != '_'))"
    output = run_python(f"from ranking_scores import *; {names}; import sys; print(*sys.modules)")
    imported, loaded = output.splitlines()
    assert imported.split() == ranking_scores.__all__
    assert "ranking_scores.trec" not in loaded.split()


def test_an_unknown_name_is_an_ordinary_error():
    text = "module 'ranking_scores' has no attribute 'ndgc_score'"
    with pytest.raises(AttributeError, match=f"^{text}$") as caught:
        ranking_scores.ndgc_score  # noqa: B018
    assert (caught.value.name, caught.value.obj) == ("ndgc_score", ranking_scores)
    assert not hasattr(ranking_scores, "_nothing")
    with pytest.raises(ImportError, match="cannot import name 'nothing' from 'ranking_scores'"):
        from ranking_scores import nothing  # noqa: F401


def test_the_class_of_errors_is_public_and_so_is_its_name():
    error = InvalidParameterError("what")
    assert isinstance(error, ValueError)
    assert isinstance(error, TypeError)
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy)) == (InvalidParameterError, "what")
    last_line = traceback.format_exception_only(error)[-1]
    assert last_line == "ranking_scores.exceptions.InvalidParameterError: what\n"


def test_the_version_has_one_source():
    assert version("ranking-scores") == ranking_scores.__version__


def test_run_time_dependencies():
    unconditional = [line for line in requires("ranking-scores") if "extra ==" not in line]
    names = {line.split(">")[0].split("!")[0].strip() for line in unconditional}
    assert names == {"joblib", "numpy", "scipy", "scikit-learn"}


def test_types_are_shipped_and_hold_at_run_time_too():
    assert (PACKAGE / "py.typed").exists()
    for function in PUBLIC:
        typing.get_type_hints(function)
    with pytest.raises(ValueError, match="'k' parameter"):
        typing_cases.check_results()
    with pytest.raises(ValueError, match="'gain' parameter"):
        typing_cases.check_names()


@pytest.mark.parametrize("function", [*PUBLIC, *DISPLAYS], ids=lambda function: function.__name__)
def test_docstrings_are_complete(function):
    sections = sections_of(function)
    expected = ["Parameters", "Returns", "Raises", "See Also", "Notes", "Examples"]
    if function.__name__ not in WITHOUT_REFERENCES:
        expected.insert(-1, "References")
    if inspect.isclass(function):  # what it is asked for is documented with its methods
        expected[expected.index("Returns")] = "Attributes"
    elif typing.get_type_hints(function)["return"] is type(None):
        expected.remove("Returns")
    found = [name for name in sections if name != "Warns"]
    assert found == expected, f"the docstring of {function.__name__} needs {expected}"
    assert ">>> " in sections["Examples"]
    documented = parameters_of(function)
    signature = inspect.signature(function).parameters
    assert list(documented) == [
        f"**{name}" if parameter.kind is parameter.VAR_KEYWORD else name
        for name, parameter in signature.items()
    ]
    for name, parameter in signature.items():
        if parameter.default is not parameter.empty and not isinstance(parameter.default, tuple):
            default = f"default={parameter.default!r}".replace("'", '"')
            stated = "optional" if default == "default=<left out>" else default
            assert stated in documented[name].splitlines()[0]
    if "References" in sections:
        assert ":doi:" in sections["References"]


def methods_of(cls):
    public = [getattr(cls, name) for name in vars(cls) if name[0] != "_"]
    return [
        method
        for method in public
        if callable(method) and not method.__module__.startswith("sklearn")
    ]


@pytest.mark.parametrize(
    "method",
    [
        method
        for cls in [*PUBLIC, *RESULTS, *DISPLAYS]
        if inspect.isclass(cls)
        for method in methods_of(cls)
    ],
    ids=lambda method: method.__qualname__,
)
def test_docstrings_of_methods_are_complete(method):
    sections = sections_of(method)
    hints = typing.get_type_hints(method)
    assert ("Returns" in sections) == (hints["return"] is not type(None))
    names = [
        f"**{name}" if parameter.kind is parameter.VAR_KEYWORD else name
        for name, parameter in inspect.signature(method).parameters.items()
        if name != "self"
    ]
    documented = ", ".join(parameters_of(method)) if names else ""
    assert documented == ", ".join(names)


def test_attributes_are_documented():
    for cls in filter(inspect.isclass, PUBLIC):
        properties = [name for name, each in vars(cls).items() if isinstance(each, property)]
        documented = re.findall(r"^(\w+) : ", sections_of(cls)["Attributes"], flags=re.MULTILINE)
        assert set(properties) <= set(documented)
        # What an estimator has once it is fitted ends in an underscore, as scikit-learn has it.
        assert all(name in properties or name[-1] == "_" for name in documented)
        assert all(inspect.getdoc(getattr(cls, name)) for name in properties)


@pytest.mark.parametrize("cls", RESULTS, ids=lambda cls: cls.__name__)
def test_results_document_what_is_in_them(cls):
    documented = re.findall(r"^(\w+) : ", sections_of(cls)["Attributes"], flags=re.MULTILINE)
    public = [field.name for field in dataclasses.fields(cls) if field.name[0] != "_"]
    kinds = (property, once)
    properties = [name for name, each in vars(cls).items() if isinstance(each, kinds)]
    properties = [name for name in properties if name != "__name__"]  # as functions have
    assert documented == [*public, *properties]


@pytest.mark.parametrize("score", SCORES, ids=lambda score: score.__name__)
def test_the_docstring_of_a_score_has_at_most_110_lines(score):
    assert len(inspect.getdoc(score).splitlines()) <= 110


@pytest.mark.parametrize("score", SCORES, ids=lambda score: score.__name__)
def test_shared_parameters_speak_of_nothing_that_the_function_lacks(score):
    signature = inspect.signature(score).parameters
    parameters = parameters_of(score)
    names = re.findall(r"(?<!`)`(\w+)`(?!`)", "\n".join(parameters.values()))
    assert set(names) <= {*signature, *ranking_scores.__all__}
    required = {"k": 1, "max_grade": 1}
    required = {name: value for name, value in required.items() if name in signature}
    try:
        score([[0, 1]], csr_array([[0.5, 1.0]]), **required)
    except InvalidParameterError:
        assert "sparse" not in parameters["y_score"] + parameters["where"]
    else:
        assert "sparse" in parameters["y_score"]
    for metric in ("DCG", "nDCG"):  # which other scores must not speak of
        assert "gain" in signature or metric not in "\n".join(parameters.values())


def test_our_scores_are_not_scikit_learns():
    for name in ("dcg_score", "ndcg_score"):
        assert getattr(ranking_scores, name) is not getattr(sklearn.metrics, name)


def test_the_citation_names_the_paper_of_the_metric():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    page = (ROOT / "doc" / "about.rst").read_text(encoding="utf-8")
    [doi] = re.findall(r"^ +doi: (.+)$", citation, flags=re.MULTILINE)
    for text in (page, inspect.getdoc(ranking_scores.ndcg_score)):
        assert doi in text
