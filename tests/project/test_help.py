"""What people see of the package in a terminal, in a notebook and in an editor."""

from __future__ import annotations

import ast
import builtins
import collections.abc
import fractions
import importlib
import inspect
import pathlib
import pickle
import pydoc
import re
import typing
from functools import partial, wraps

import jedi
import numpy.typing
import pytest
import scipy.sparse

import ranking_scores
from ranking_scores import StreamingScore, ndcg_score

MODULES = [ranking_scores] + [
    importlib.import_module(f"ranking_scores.{name}")
    for name in dir(ranking_scores)
    if name not in ranking_scores.__all__
]
PUBLIC = {
    each for module in MODULES for each in [getattr(module, name) for name in module.__all__]
}
FUNCTIONS = {each for each in PUBLIC if inspect.isfunction(each)}
ERRORS = {each for each in PUBLIC - FUNCTIONS if issubclass(each, Exception)}
SCORES = {
    each
    for each in FUNCTIONS
    if inspect.signature(each).return_annotation == "float | NDArray[np.float64]"
}
METHODS = {
    method
    for cls in PUBLIC - FUNCTIONS
    for name in vars(cls)
    for method in [getattr(cls, name)]  # also what `available_if` makes
    if inspect.isfunction(method) and (name[0] != "_" or name == "__init__")
    if not method.__module__.startswith("sklearn")  # as what requests metadata
}


def each_of(objects):
    """Return the marker that runs a test on each of some objects, by their names."""
    ordered = sorted(objects, key=lambda each: (each.__module__, each.__qualname__))
    return pytest.mark.parametrize("public", ordered, ids=lambda each: each.__qualname__)


MARKUP = re.compile(r"\\|:(?!doi:)\w+:`|\.\. [a-z]+::")
BY_PYTHON = re.compile(r" \|  (__\w+__ = |    Create new instance of )")
"""What it shows of every dataclass, and of every named tuple."""
SIGNATURE = re.compile(
    r"[ |]*(class )?\w+\(.*\)( -> .+)?( from [\w.]+)?$"
    r"|[ |]+\w+: \"Literal\[.*\" = .+,$"
)
"""A signature, or one of its parameters, which have a line each from Python 3.13 on."""
WIDTH = 100


@each_of(PUBLIC | METHODS)
def test_help_reads_well_as_plain_text(public):
    text = pydoc.plain(pydoc.render_doc(public))
    own = text.partition(" |  set_fit_request(")[0]  # from there on it is scikit-learn's
    title, *lines = own.splitlines()
    assert public.__name__ in title
    assert "ForwardRef" not in own
    for line in lines:
        if not BY_PYTHON.match(line):
            assert not MARKUP.search(line), line
            # Before Python 3.13 pydoc writes a signature in one line, which terminals wrap.
            assert len(line) <= WIDTH or SIGNATURE.match(line), line


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_modules_say_in_plain_text_what_they_are(module):
    assert not MARKUP.search(module.__doc__)


@each_of((PUBLIC - ERRORS) | METHODS)
def test_signatures_have_no_private_parameters(public):
    assert not [name for name in inspect.signature(public).parameters if name[0] == "_"]


@each_of(FUNCTIONS | METHODS)
def test_types_are_where_they_are_looked_for(public):
    parameters = {*inspect.signature(public).parameters} - {"self"}
    assert {*typing.get_type_hints(public)} == parameters | {"return"}


KNOWN_MODULES = [builtins, collections.abc, fractions, numpy.typing, pathlib, scipy.sparse, typing]
"""The modules whose names readers of a signature know."""
KNOWN_NAMES = {"np", "os"}.union(*map(dir, KNOWN_MODULES), *(module.__all__ for module in MODULES))
HELD = {"Convention", "Possible", "ProgramMeasure", "SomeQueries"}
"""Classes of values that results hold, in the signatures of results that the package makes."""
FOR_THE_PACKAGE = {
    "QueriesSeen.check",
    "RankingData.first_items",
    "RankingData.in_columns",
    "RankingData.in_rows_of_aspects",
    "RankingData.judged_items",
    "RankingData.over_aspects",
}
"""Methods that no page documents."""


@each_of(
    {each for each in (PUBLIC - ERRORS) | METHODS if each.__qualname__ not in FOR_THE_PACKAGE}
)
def test_signatures_have_types_that_readers_know(public):
    signature = inspect.signature(public)
    types = [each.annotation for each in signature.parameters.values()]
    names = {
        node.id
        for shown in [*types, signature.return_annotation]
        if isinstance(shown, str)
        for node in ast.walk(ast.parse(shown))
        if isinstance(node, ast.Name)
    }
    is_result = inspect.isclass(public) or public.__name__ == "__init__"
    assert names <= KNOWN_NAMES | (HELD if is_result else set())
    assert len(str(signature)) < 720  # ndcg_score has the longest


def completed(code):
    """Return what an editor offers to complete some code with."""
    script = jedi.Script(code, environment=jedi.InterpreterEnvironment())
    return {each.name for each in script.complete()}


@pytest.mark.parametrize(
    ("begun", "option"), [("rel", "relevance_threshold="), ("ga", "gain="), ("q", "qid=")]
)
def test_editors_complete_the_options_of_a_score(begun, option):
    assert option in completed(f"import ranking_scores\nranking_scores.ndcg_score(y, s, {begun}")


@each_of(SCORES)
def test_editors_know_all_options_of_each_score(public):
    module = next(each.__name__ for each in MODULES if public.__name__ in each.__all__)
    call = f"import {module}\n{module}.{public.__name__}(y, s, "
    options = [*inspect.signature(public).parameters][2:]
    assert {f"{name}=" for name in options} <= completed(call)
    script = jedi.Script(call, environment=jedi.InterpreterEnvironment())
    overloads = script.get_signatures()
    assert len(overloads) == (3 if "k" in inspect.signature(public).parameters else 2)
    for overload in overloads:
        assert inspect.getdoc(public) in overload.docstring()
        assert [each.name for each in overload.params if each.name != "*"][2:] == options


def test_what_is_made_of_a_function_shows_its_own_signature():
    with_cutoff = inspect.signature(partial(ndcg_score, k=3)).parameters
    assert with_cutoff["k"].default == 3
    assert with_cutoff.keys() == inspect.signature(ndcg_score).parameters.keys()

    @wraps(ndcg_score)
    def wrapper(*args, **params):
        return ndcg_score(*args, **params)

    assert inspect.signature(wrapper) == inspect.signature(ndcg_score)
    assert pickle.loads(pickle.dumps(ndcg_score)) is ndcg_score

    class NDCGStream(StreamingScore):
        def __init__(self, k):
            super().__init__(ndcg_score, k=k)

    assert [*inspect.signature(NDCGStream).parameters] == ["k"]
    assert [*inspect.signature(NDCGStream(3).merge).parameters] == ["other"]
