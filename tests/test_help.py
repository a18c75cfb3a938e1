"""What people see of the package in a terminal, in a notebook and in an editor."""

from __future__ import annotations

import importlib
import inspect
import pickle
import pydoc
import re
import sys
import typing
from functools import partial, wraps

import pytest

import ranking_scores
from ranking_scores import StreamingScore, ndcg_score

MODULES = [ranking_scores] + [
    importlib.import_module(f"ranking_scores.{name}")
    for name in dir(ranking_scores)
    if name not in ranking_scores.__all__
]
PUBLIC = {each for module in MODULES for each in map(vars(module).get, module.__all__)}
FUNCTIONS = {each for each in PUBLIC if inspect.isfunction(each)}
ERRORS = {each for each in PUBLIC - FUNCTIONS if issubclass(each, Exception)}
SCORES = {each for each in FUNCTIONS if typing.get_overloads(each)}
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
TYPES = re.compile(
    r"\b(ArrayLike|Floats|ForwardRef|NDArray|SeveralCutoffs|SingleCutoff|\w+Params)\b"
)
BY_PYTHON = re.compile(r" \|  __\w+__ = ")  # what it shows of every dataclass
SIGNATURE = re.compile(r"[ |]*(class )?\w+\(.*\)( from builtins.type)?$")
WIDTH = 100
# Before Python 3.13 pydoc writes a signature in one line, which is left to the terminal to wrap.
WIDTH_OF_SIGNATURE = WIDTH if sys.version_info >= (3, 13) else 260


@each_of(PUBLIC | METHODS)
def test_help_reads_well_as_plain_text(public):
    text = pydoc.plain(pydoc.render_doc(public))
    own = text.partition(" |  set_fit_request(")[0]  # from there on it is scikit-learn's
    title, *lines = own.splitlines()
    assert public.__name__ in title
    for line in lines:
        if not BY_PYTHON.match(line):
            assert not MARKUP.search(line), line
            assert not TYPES.search(line), line
            assert len(line) <= (WIDTH_OF_SIGNATURE if SIGNATURE.match(line) else WIDTH), line


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_modules_say_in_plain_text_what_they_are(module):
    assert not MARKUP.search(module.__doc__)


@each_of((PUBLIC - ERRORS) | METHODS)
def test_signatures_show_names_and_defaults_but_no_types(public):
    signature = inspect.signature(public)
    assert signature.return_annotation is signature.empty
    for name, parameter in signature.parameters.items():
        assert parameter.annotation is parameter.empty
        assert name[0] != "_"


def test_a_signature_is_as_short_as_that_of_scikit_learn():
    assert str(inspect.signature(ndcg_score)) == (
        "(y_true, y_score, *, k=None, sample_weight=None, ignore_ties=False, gain='linear', "
        "discount='log', relevance_threshold=None, item_weight=None, where=None, qid=None, "
        "labels=None, replace_undefined_by=0.0, average='samples')"
    )
    assert str(inspect.signature(StreamingScore)) == "(scores, *, check_qid=True, **params)"
    stream = StreamingScore("ndcg")
    assert str(inspect.signature(stream.update)) == "(y_true, y_score=None, **arrays)"


@each_of(FUNCTIONS | METHODS)
def test_types_are_where_they_are_looked_for(public):
    parameters = {*inspect.signature(public).parameters} - {"self"}
    assert {*typing.get_type_hints(public)} == parameters | {"return"}


@each_of(SCORES)
def test_editors_show_overloads_without_private_names(public):
    for overload in typing.get_overloads(public):
        shown = " ".join(overload.__annotations__.values())
        assert not re.search(r"\b(_\w+|Floats)\b", shown), shown


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

    assert str(inspect.signature(NDCGStream)) == "(k)"
    assert str(inspect.signature(NDCGStream(3).merge)) == "(other)"
