"""Checks and ways on both sides of the line that they draw, and imports across floors."""

from __future__ import annotations

import ast
import functools
import io
import tokenize
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from warned import nothing_to_rank

import ranking_scores
from ranking_scores import dcg_score, hit_rate_score, ndcg_score
from ranking_scores._base import _exact, _index, _sorting
from ranking_scores._base._errors import list_some
from ranking_scores._base._sorting import order_in_rows
from ranking_scores._metrics import _evaluate
from ranking_scores._metrics._evaluate import as_it_is, plan_of
from ranking_scores._queries import _blocks, _ragged, _retrieved, _top_k_candidates
from ranking_scores._queries._query_ids import cut_into_runs
from ranking_scores._queries._top_k_candidates import nonzero_cells, top_k_candidates
from ranking_scores.exceptions import InvalidParameterError

Y_TRUE, Y_SCORE = np.array([[0, 1, 2], [1, 0, 0]]), np.array([[0.3, 0.2, 0.1], [0.1, 0.2, 0.3]])


def message_of(score, *args, **params):
    """Return the message of the error that a call raises."""
    with pytest.raises(InvalidParameterError) as caught:
        score(*args, **params)
    return str(caught.value)


# --- what is refused --------------------------------------------------------------------------


@pytest.mark.parametrize("rank", [1, 2, 3, 4])
def test_the_first_rank_with_a_bad_discount_is_named(rank):
    def discount(ranks):
        return np.where(ranks >= rank, np.nan, 1.0)

    message = message_of(ndcg_score, [[1, 0, 0, 0]], [[4, 3, 2, 1]], discount=discount)
    assert f"Got nan at rank {rank} instead" in message


@pytest.mark.parametrize("label", [2, 3, 7, -1, 0.5, 1e30])
def test_a_label_that_is_no_index_of_the_gains_is_refused(label):
    message = message_of(dcg_score, [[0, label]], [[2, 1]], gain=[0, 1])
    assert f"Got the label {label} in query 0 instead" in message


@pytest.mark.parametrize("n_lists", [1, 3])
def test_columns_of_more_or_fewer_lists_are_refused(n_lists):
    y_true, y_score = pl.Series([[0, 1]] * 2), pl.Series([[0.1, 0.2]] * n_lists)
    got = f"Got {n_lists} list{'s' * (n_lists > 1)}"
    message = message_of(ndcg_score, y_true, y_score)
    assert "must be a column of 2 lists, like y_true" in message
    assert got in message


@pytest.mark.parametrize("n_classes", [2, 4])
def test_more_or_fewer_classes_than_columns_are_refused(n_classes):
    y_true, y_score = np.arange(4) % n_classes, np.zeros((4, 3))
    got = f"Got {n_classes} classes instead"
    assert got in message_of(hit_rate_score, y_true, y_score, k=1)
    assert got in message_of(hit_rate_score, y_true, y_score, k=1, labels=np.arange(n_classes))


def test_as_many_classes_as_columns_are_taken_however_many():
    y_true = np.arange(300)
    assert hit_rate_score(y_true, np.eye(300), k=1) == 1
    assert hit_rate_score(y_true, np.eye(300), k=1, labels=y_true) == 1


@pytest.mark.parametrize("row", [0, 1, 2])
@pytest.mark.parametrize("label", [-1, 5, 0.5])
def test_a_class_that_is_not_among_the_labels_is_refused(label, row):
    y_true = np.array([0, 1, 2, 1]).astype(type(label))
    y_true[row:] = label
    message = message_of(hit_rate_score, y_true, np.zeros((4, 3)), k=1, labels=[0, 1, 2])
    assert f"Got {label!r} in row {row} instead" in message


@pytest.mark.parametrize("n_rows", [2, 4])
def test_more_or_fewer_classes_than_rows_are_refused(n_rows):
    message = message_of(hit_rate_score, np.zeros(n_rows), np.zeros((3, 2)), k=1)
    assert f"Got shape ({n_rows},) with y_score of shape (3, 2) instead" in message


@pytest.mark.parametrize("n_rows", [1, 2, 3])
def test_only_a_single_row_may_be_one_query(n_rows):
    message = message_of(hit_rate_score, [1, 0, 1, 0], np.zeros((n_rows, 2)), k=1)
    assert ("For one query pass" in message) == (n_rows == 1)


def test_text_and_numbers_are_different_classes():
    for y_true, labels in (([0, 1], ["0", "1"]), (["0", "1"], [0, 1])):
        message = message_of(hit_rate_score, y_true, np.zeros((2, 2)), k=1, labels=labels)
        assert "'labels' parameter of hit_rate_score must be of one sortable type" in message


def test_scores_without_columns_are_not_of_classes():
    message = message_of(dcg_score, [1, 0], np.zeros((2, 0)))
    assert "'y_true' parameter" in message
    assert "class" not in message


@pytest.mark.parametrize("name", ["LOG", "lo", "logs", "zzz"])
def test_other_names_of_discounts_are_refused(name):
    assert f"Got {name!r} instead" in message_of(ndcg_score, Y_TRUE, Y_SCORE, discount=name)


@pytest.mark.parametrize("log_base", [1.5, 2.5])
def test_a_base_goes_with_no_function(log_base):
    params = {"discount": lambda rank: 1 / rank, "log_base": log_base}
    assert f"Got {log_base} instead" in message_of(dcg_score, Y_TRUE, Y_SCORE, **params)


@pytest.mark.parametrize("shape", [(), (1, 2, 3), (0, 3), (0, 0)])
def test_labels_of_another_shape_than_one_query_per_row_are_refused(shape):
    message = message_of(dcg_score, np.zeros(shape), np.zeros(shape))
    assert "'y_true' parameter" in message
    assert f"Got shape {shape} instead" in message


@pytest.mark.parametrize("shape", [(2, 2), (2, 4), (1, 3), (3, 3), (2,), (2, 3, 1)])
def test_weights_of_another_shape_are_refused(shape):
    message = message_of(dcg_score, Y_TRUE, Y_SCORE, item_weight=np.ones(shape))
    assert "'item_weight' parameter" in message
    assert f"{shape}" in message


def test_a_single_number_is_no_column():
    message = message_of(dcg_score, 1, [1.0], qid=[1])
    assert "Got shape () instead" in message
    assert "2-D" not in message
    message = message_of(dcg_score, [1, 0], 1.0, qid=[1, 1])
    assert "'y_score' parameter" in message
    assert "classifier" not in message


def test_labels_of_rows_are_no_classes_of_scores_with_three_axes():
    assert "'y_true' parameter" in message_of(dcg_score, [1, 0], np.zeros((2, 3, 1)))


@pytest.mark.parametrize("row", [0, 2, 3, 5, 6])
def test_the_query_of_a_bad_weight_is_named_in_any_block(monkeypatch, row):
    monkeypatch.setattr(_retrieved, "queries_per_block", lambda _: 3)
    weight = np.ones((7, 2))
    weight[row, 1] = -1
    y_true, y_score = sp.csr_array(np.ones((7, 2))), sp.csr_array(np.ones((7, 2)))
    message = message_of(dcg_score, y_true, y_score, item_weight=weight)
    assert f"query {row}" in message


@pytest.mark.parametrize("row", [0, 2, 3, 5, 6])
def test_the_query_of_a_bad_weight_in_rows_is_named_in_any_block(monkeypatch, row):
    monkeypatch.setattr(_top_k_candidates, "_CHUNK", 3 * 2 * 8)
    weight = np.ones((7, 2))
    weight[row, 1] = -1
    for where in (None, np.tile([False, True], (7, 1))):
        params = {"item_weight": weight, "where": where}
        assert f"query {row}" in message_of(dcg_score, np.ones((7, 2)), np.ones((7, 2)), **params)


@pytest.mark.parametrize("n_weights", [1, 3, 300])
def test_more_or_fewer_weights_than_queries_are_refused(n_weights):
    message = message_of(dcg_score, Y_TRUE, Y_SCORE, sample_weight=np.ones(n_weights))
    assert f"Got shape ({n_weights},) instead" in message


@nothing_to_rank
def test_as_many_weights_as_queries_are_taken_however_many():
    labels = np.ones((300, 1))
    assert dcg_score(labels, labels, sample_weight=np.ones(300)) == 1


@pytest.mark.parametrize("change", [{"y_score": [[]] * 2}, {"y_score": [1.0]}, {"qid": [1, 1, 2]}])
def test_rows_that_do_not_fit_are_refused_by_name(change):
    rows = {"y_true": [1, 0], "y_score": [0.5, 0.25], "qid": [1, 1]} | change
    [name] = change
    assert f"'{name}' parameter" in message_of(dcg_score, **rows)


@pytest.mark.parametrize("parameter", ["y_score", "sample_weight", "item_weight"])
def test_rows_are_of_the_shape_of_the_labels_if_there_are_ids(parameter):
    rows = {"y_true": [1, 0], "y_score": [0.5, 0.25], "qid": [1, 1]} | {parameter: np.ones(3)}
    expected = (
        f"'{parameter}' parameter of dcg_score must be of the shape of y_true, (2,), if `qid`"
    )
    assert expected in message_of(dcg_score, **rows)


@pytest.mark.parametrize("shape", [(2, 1, 1), (2, 1, 3), (1, 2)])
def test_the_shape_of_scores_of_rows_is_named_as_it_is(shape):
    message = message_of(dcg_score, [1, 0], np.zeros(shape), qid=[1, 1])
    assert f"Got shape {shape} instead" in message


def test_no_rows_are_no_queries_of_two_axes():
    message = message_of(dcg_score, [], [], qid=[])
    assert "Got shape (0,) instead" in message
    assert "2-D" not in message


@pytest.mark.parametrize("shape", [(1, 3), (7,), (0,)])
def test_a_gain_returns_one_number_per_label(shape):
    message = message_of(dcg_score, [[0, 1, 2]], [[1, 2, 3]], gain=lambda _: np.zeros(shape))
    assert "'gain' parameter" in message
    assert f"{shape}" in message


def test_the_labels_in_a_table_are_counted():
    message = message_of(dcg_score, [[0, 9]], [[1, 2]], gain=[0, 1, 3, 7, 15])
    assert "whole numbers from 0 to 4" in message


def test_names_in_another_order_are_those_of_equal_sets():
    one, two = pd.Index([1, 2, 3]), pd.Index([1, 3, 2])
    assert _index.first_out_of_order(one, two) == 1
    for subset in ([1, 2], [1, 1, 2]):
        assert _index.first_out_of_order(one, pd.Index(subset)) is None
        assert _index.first_out_of_order(pd.Index(subset), one) is None


def test_shapes_fit_if_their_common_axes_do():
    assert _index._fits((2, 3), (2,))
    assert _index._fits((int("300"),), (int("300"),))
    assert not _index._fits((3,), (2, 3))
    assert not _index._fits((2,), (3, 3))


@pytest.mark.parametrize(("n_names", "n_more"), [(5, 0), (6, 1), (10, 5), (12, 7)])
def test_the_names_that_are_not_listed_are_counted(n_names, n_more):
    names = [f"name {number}" for number in range(n_names)]
    more = f" and {n_more} more" if n_more else ""
    assert list_some(names) == ", ".join(names[:5]) + more


# --- what is found ----------------------------------------------------------------------------


def test_all_queries_with_a_weight_and_a_score_count():
    y_true = [[1, 0], [1, 0], [0, 1], [0, 0]]
    data = {"item_weight": np.ones((4, 2)), "replace_undefined_by": 0}
    plan = plan_of(ndcg_score, y_true, [[2, 1]] * 4, data)
    [evaluation] = _evaluate.run([(plan, as_it_is)], plan.data)
    [(_, count)] = evaluation.errors()
    assert count == 4


@pytest.mark.parametrize(
    ("dtype", "is_masked", "found"),
    [
        ("f2", False, "f4"),
        ("f4", False, "f4"),
        (">f8", False, "f8"),
        ("i2", False, "i2"),
        ("i2", True, "f8"),
        ("?", False, "?"),
        ("?", True, "f8"),
        ("f4", True, "f4"),
    ],
)
def test_the_best_of_a_group_is_compared_in_a_dtype_that_is_fast(dtype, is_masked, found):
    values = np.zeros((2, 6), dtype)
    values[0, 3] = 1
    is_item = np.ones(values.shape, dtype=bool) if is_masked else None
    best = _top_k_candidates._best_of_groups(values, 3, 2, is_item)
    assert best.dtype == np.dtype(found)
    assert best.tolist() == [[1, 0, 0], [0, 0, 0]]
    assert top_k_candidates(np.zeros((1, 600), dtype), 1, None) is None  # all tie


@pytest.mark.parametrize("order", ["C", "F"])
def test_values_below_0_are_not_0(order):
    values = np.zeros((4, 9), order=order)
    values[[0, 2], [3, 8]] = [-1, -0.5]
    assert nonzero_cells(values).tolist() == [3, 26]


def test_cells_of_columns_are_counted_on_from_part_to_part(monkeypatch):
    """Goes with _top_k_candidates._CHUNK_OF_COLUMNS."""
    values = np.zeros((9, 13), order="F")
    values[[0, 3, 5, 8], [1, 12, 0, 7]] = 1
    expected = np.flatnonzero(values).tolist()
    for n_rows in (1, 3, 5, 9):
        monkeypatch.setattr(_top_k_candidates, "_CHUNK_OF_COLUMNS", n_rows * 13 * 8)
        assert nonzero_cells(values).tolist() == expected


def test_bools_become_0_and_1():
    assert _sorting.as_sortable(np.array([True])).tolist() == [1]
    assert _sorting.as_sortable(np.array([False])).tolist() == [0]


def test_cells_that_are_in_order_are_not_sorted():
    """Goes with the case of cells in order in _sorting.order_in_rows."""
    row = np.array([4, 4, 9, 9])
    assert order_in_rows(row, np.array([0, 5, 0, 5]), 6) is None
    assert order_in_rows(row, np.array([1, 1, 0, 0]), 6) is None
    assert order_in_rows(row, np.array([1, 0, 2, 3]), 6).tolist() == [1, 0, 2, 3]


def test_rows_that_their_keys_put_in_order_are_not_sorted_again(monkeypatch):
    """Goes with the second sort in _sorting.sort_rows."""
    monkeypatch.setattr(np, "argsort", None)
    values = np.array([[3.0, 1, 2, 1], [0, 0, -4, 5]])
    cell, in_order = _sorting.sort_rows(values, 4, reverse_ties=False)
    assert cell.tolist() == [[1, 3, 2, 0], [6, 4, 5, 7]]
    assert in_order.tolist() == np.sort(values, axis=1).tolist()


def test_a_product_has_as_many_limbs_as_its_factors():
    """Goes with _exact._times."""
    two = _exact._split(np.array([3.0, -0.1]))
    four = _exact._times(two, two)
    assert four.limbs.shape == (4, 2)
    assert _exact._times(four, two).limbs.shape == (6, 2)
    assert _exact._times(two, four).limbs.shape == (6, 2)


def test_rows_of_one_length_need_no_mask():
    """Goes with the case of equal lengths in _blocks.padding."""
    assert _blocks.padding(np.array([2, 2])) == (None, (2, 2))
    is_item, shape = _blocks.padding(np.array([1, 2]))
    assert (is_item.tolist(), shape) == ([[True, False], [True, True]], (2, 2))


def test_many_rows_that_follow_one_another_are_a_slice():
    """Goes with the slice in _blocks.rows_of."""
    assert _blocks.rows_of(np.arange(1000, 2000)) == slice(1000, 2000)
    for few in ([4], [4, 5]):
        assert _blocks.rows_of(np.array(few)) == slice(few[0], few[-1] + 1)
    for others in ([5, 4], [4, 6], [4, 9, 6]):
        assert _blocks.rows_of(np.array(others)).tolist() == others


@pytest.mark.parametrize("n_queries", [1, 2, 600])
def test_rows_that_are_sorted_by_query_are_read_as_they_are(n_queries):
    """Goes with the case of sorted rows in _ragged.groups_of."""
    qid = np.repeat(np.arange(n_queries), 2)
    groups = _ragged.groups_of(cut_into_runs(qid, "f"))
    assert groups.row is None
    assert groups.first.tolist() == list(range(0, 2 * n_queries, 2))
    qid = np.tile(np.arange(n_queries), 2)
    groups = _ragged.groups_of(cut_into_runs(qid, "f"))
    assert (groups.row is None) == (n_queries == 1)


# --- imports that point upward ----------------------------------------------------------------

ROOT = Path(__file__).parents[1]
PACKAGE = Path(ranking_scores.__file__).parent
UPWARD = {
    ("significance._readers", ""): "systems are reports, data to score, or the paths of files",
}
"""Each import inside a function of a module that is not below its own, with the reason for it.

So is the import of the package itself, whose submodules are imported when they are used.
A module has its name in the package, and the package itself has the name "".
"""


MOST_UPWARD = 1
"""Their greatest number: what is here may go, and nothing may be added."""


def floors():
    """Return the floor of each room, from 0 on, below the package."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    names = {
        name: floor for floor, layer in enumerate(reversed(layers)) for name in layer.split(" | ")
    }
    return names | {"": len(layers)}


def modules_imported(node, modules):
    """Return the modules of the package that a statement or a call of `import_module` imports."""
    found = []
    if isinstance(node, ast.Import):
        found = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom):
        several = [f"{node.module}.{alias.name}" for alias in node.names]
        found = [name if name in modules else node.module for name in several]
    elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
        function = getattr(node.func, "id", getattr(node.func, "attr", ""))
        found = [node.args[0].value] if function == "import_module" else []
    return [name for name in found if name in modules]


@functools.cache
def read_imports():
    """Return what each module imports at its top, and what it imports inside functions."""
    files = {}
    for path in PACKAGE.rglob("*.py"):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        files[".".join(parts).removesuffix(".__init__")] = path
    at_top, inside = {}, {}
    for name, path in files.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        functions = [
            node
            for node in ast.walk(tree)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
        ]
        in_functions = {node for function in functions for node in ast.walk(function)}
        at_top[name], inside[name] = set(), set()
        for node in ast.walk(tree):
            target = inside if node in in_functions else at_top
            target[name].update(modules_imported(node, files))
    return at_top, inside


def upward_imports(at_top, inside, floor_of):
    """Yield the imports inside functions that could not be at the top of their modules.

    They are of a floor that is not below, or of a module that imports theirs, directly or not.
    The package itself is of no such floor, wherever it is imported.
    """
    for name, targets in inside.items():
        for target in targets | (at_top[name] & {name.partition(".")[0]}):
            room, other = (f"{each}.".split(".")[1] for each in (name, target))
            reached, waiting = set(), [target]
            while waiting:
                module = waiting.pop()
                waiting += at_top[module] - reached
                reached |= at_top[module]
            is_lower = room == other or floor_of[other] < floor_of[room]
            if not is_lower or name in reached:
                yield tuple(each.partition(".")[2] for each in (name, target))


def test_imports_that_point_upward_are_listed_with_their_reasons():
    assert sorted(upward_imports(*read_imports(), floors())) == sorted(UPWARD)
    assert len(UPWARD) <= MOST_UPWARD


def test_an_import_of_a_floor_that_is_not_below_is_upward():
    at_top = {f"p.{name}": set() for name in ("low", "high", "beside", "low._a", "low._b")}
    at_top["p.low._b"] = {"p.low._c"}
    at_top["p.low._c"] = {"p.low._a"}
    inside = {
        "p.high": {"p.low", "p.beside"},
        "p.low": {"p.high"},
        "p.low._a": {"p.low._b", "p.low._c"},
        "p.low._b": {"p.low._a"},
    }
    found = upward_imports(at_top, inside, {"low": 0, "high": 1, "beside": 1})
    assert sorted(found) == [
        ("high", "beside"),
        ("low", "high"),
        ("low._a", "low._b"),
        ("low._a", "low._c"),
    ]


def test_imports_inside_functions_are_told_from_others():
    modules = {"p", "p.a", "p.b"}
    code = "import p.a; from p import b, other; import_module('p.b'); m.import_module('p'); f('p')"
    found = [modules_imported(node, modules) for node in ast.walk(ast.parse(code))]
    assert [each for each in found if each] == [["p.a"], ["p.b", "p"], ["p.b"], ["p"]]


# --- what one must be able to read ---------------------------------------------------------------

NO_CODE = {
    tokenize.COMMENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
    tokenize.INDENT,
    tokenize.NEWLINE,
    tokenize.NL,
}


def count_code(path):
    """Return the number of lines of code of a file, without docstrings and imports."""
    source = path.read_text(encoding="utf-8")
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if is_text or isinstance(node, (ast.Import, ast.ImportFrom)):
            lines.difference_update(range(node.lineno, node.end_lineno + 1))
    return len(lines)


def reached_from(start, *imports):
    """Return the modules that those of a room import, directly or not, and these themselves."""
    reached = {name for name in imports[0] if f"{name}.".startswith(f"{start}.")}
    waiting = [*reached]
    while waiting:
        name = waiting.pop()
        new = set().union(*(of[name] for of in imports)) - reached - {"ranking_scores"}
        reached |= new
        waiting += new
    return reached


@pytest.mark.parametrize(
    ("start", "most"),
    [
        ("significance", 9000),
        ("gates", 9000),
        ("significance._tests", 3000),
        ("significance._units", 1000),
    ],
)
def test_what_compares_scores_is_read_without_what_makes_them(start, most):
    reached = reached_from(f"ranking_scores.{start}", *read_imports())
    files = [PACKAGE.parent.joinpath(*name.split(".")) for name in reached]
    found = [file / "__init__.py" if file.is_dir() else file.with_suffix(".py") for file in files]
    assert 0 < sum(map(count_code, found)) <= most
