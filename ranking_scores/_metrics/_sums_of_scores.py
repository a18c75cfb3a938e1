"""The sums over queries from which the means of scores and their standard errors are computed.

Sums of different queries can be added, in any order, without a change of a bit. Streams add those
of batches, and data larger than memory is scored in parts whose sums are added.
"""

from __future__ import annotations

import inspect
import math
import operator
from ast import literal_eval
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from types import CellType, CodeType, FunctionType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ranking_scores._base._errors import invalid
from ranking_scores._base._exact import ClusterSum, Moments, Sums, standard_error
from ranking_scores._base._ids import ids_as_objects
from ranking_scores._base._query_values import NO_LITERAL, OVER
from ranking_scores._base._results import ReadOnlyDict
from ranking_scores._base._validation import (
    WHOLE_LIST,
    Cutoffs,
    check_bool,
    check_tensors,
    describe,
)
from ranking_scores._metrics._evaluate import (
    ARRAY_PARAMETERS,
    Naming,
    Plan,
    ScoreEvaluation,
    as_it_is,
    need_of,
    only_zeros,
    run_on,
    try_plans,
    warn_of_means,
    warn_of_single_items,
    with_clusters,
)
from ranking_scores._metrics._judged import UNJUDGED
from ranking_scores._metrics._named import (
    NamedScore,
    bind_score,
    bind_scores,
    find_scores,
    function_of,
    is_several,
    name_results,
    parameters_of,
    with_arrays,
)
from ranking_scores._queries._data import (
    DataByIds,
    ItemOrder,
    is_list_column,
    n_axes,
    refuse_aspects,
)
from ranking_scores._queries._layouts import check_queries


@dataclass(frozen=True)
class SumsAtCutoff:
    """The sums of one score at one cutoff. ``+`` adds those of other queries."""

    n_undefined: int
    sums: Sums
    known: Moments
    """The moments of the queries whose weight is known."""
    without_gain: Moments
    """The moments of the others, weighted by the sample weights. See `Sums.mean_weight`."""

    def __add__(self, other: SumsAtCutoff) -> SumsAtCutoff:
        return SumsAtCutoff(*map(operator.add, vars(self).values(), vars(other).values()))

    def standard_error(self) -> float:
        """Return the standard error of the mean at this cutoff."""
        return standard_error(self.sums, self.known, self.without_gain)

    def is_possible(self) -> bool:
        """Return whether there are queries with such sums, so that all numbers exist."""
        pairs = (self.known, self.sums.known), (self.without_gain, self.sums.without_gain)
        return self.sums.are_possible() and all(
            moments.are_possible() and moments.weight == of_mean.weight
            for moments, of_mean in pairs
        )


@dataclass(frozen=True)
class ScoreSums:
    """The sums of several scores over some queries. ``+`` adds those of other queries."""

    n_queries: int
    n_weighted: int
    """How many of them have a positive sample weight."""
    n_weighed_by_items: int
    """How many of them came with item weights."""
    are_single: bool
    """Whether each of them has one item."""
    at_cutoff: tuple[SumsAtCutoff, ...]
    """The sums at the cutoffs of the first score, then those of the next one."""
    beside: tuple[tuple[SumsAtCutoff, ...], ...] = ()
    """The same of each name in `UNJUDGED`, or nothing."""

    def __add__(self, other: ScoreSums) -> ScoreSums:
        return ScoreSums(
            self.n_queries + other.n_queries,
            self.n_weighted + other.n_weighted,
            self.n_weighed_by_items + other.n_weighed_by_items,
            self.are_single and other.are_single,
            tuple(map(operator.add, self.at_cutoff, other.at_cutoff)),
            tuple(
                tuple(map(operator.add, ours, theirs))
                for ours, theirs in zip(self.beside, other.beside, strict=True)
            ),
        )

    def means_beside(self) -> dict[str, list[float]]:
        """Return the means of what stands beside the scores, by its name."""
        return {
            name: [each.sums.mean() for each in sums]
            for name, sums in zip(UNJUDGED, self.beside, strict=False)
        }

    def warn(self, means: list[float], function: str, names: list[str] | None) -> None:
        """Warn of means that no query has a defined score for, and of queries of one item."""
        are_defined = [each.n_undefined < self.n_queries for each in self.at_cutoff]
        warn_of_means(means, are_defined, function, names)
        if self.are_single:
            warn_of_single_items(self.n_queries, function)

    def is_partly_weighed_by_items(self) -> bool:
        """Return whether only some of the queries came with item weights."""
        return 0 < self.n_weighed_by_items < self.n_queries


class BatchEvaluations(NamedTuple):
    """The evaluations of several scores on the same queries. Empty: there are no queries."""

    of_scores: list[ScoreEvaluation]
    beside: list[list[ScoreEvaluation]]
    """For each name in `UNJUDGED` what stands beside the scores, or nothing."""

    def of_queries(self, queries: NDArray[Any]) -> BatchEvaluations:
        """Return the evaluations of some of the queries."""
        of_scores, *beside = (
            [each.of_queries(queries) for each in of] for of in (self.of_scores, *self.beside)
        )
        return BatchEvaluations(of_scores, beside)

    def sums(self) -> ScoreSums:
        """Return the sums over the queries."""
        n_queries = self.of_scores[0].values.shape[0]
        sample_weight = self.of_scores[0].sample_weight
        return ScoreSums(
            n_queries,
            n_queries if sample_weight is None else int(np.count_nonzero(sample_weight)),
            n_queries
            if any(scored.weight_by_items is not None for scored in self.of_scores)
            else 0,
            self.of_scores[0].are_single,
            _at_cutoffs(self.of_scores),
            tuple(map(_at_cutoffs, self.beside)),
        )


def _at_cutoffs(evaluations: list[ScoreEvaluation]) -> tuple[SumsAtCutoff, ...]:
    """Return the sums of some evaluations at each cutoff."""
    at_cutoff: list[SumsAtCutoff] = []
    for evaluation in evaluations:
        n_undefined = (~evaluation.is_defined).sum(axis=0).tolist()
        each = zip(n_undefined, evaluation.sums(), evaluation.moments(), strict=True)
        at_cutoff += [SumsAtCutoff(count, sums, *moments) for count, sums, moments in each]
    return tuple(at_cutoff)


SumsOfClusters = dict[Any, tuple[ClusterSum, ...]]
"""The sums over the queries of each cluster, at the cutoffs of each score in turn."""


def sums_of_clusters(evaluations: list[ScoreEvaluation]) -> SumsOfClusters:
    """Return the sums over the clusters of some evaluations. Empty: they have no clusters."""
    if evaluations[0].cluster is None:
        return {}
    found = [evaluation.cluster_sums() for evaluation in evaluations]
    names, at_cutoff = found[0][0], [sums for _, of_score in found for sums in of_score]
    return dict(zip(ids_as_objects(names), zip(*at_cutoff, strict=True), strict=True))


class BoundScores:
    """Some scores with their checked parameters, of which any queries can be evaluated.

    Nothing changes it, and it can be pickled if the parameters of the scores can be.
    """

    def __init__(
        self,
        scores: Any,
        params: dict[str, Any],
        function: str,
        own: Collection[str] = (),
        *,
        unjudged: Any = False,
    ) -> None:
        """Check the scores and their parameters. `own` are the parameters of the function."""
        self._function = function
        self.highest_grade: int | None = None
        """The highest label of unjudged items; None: nothing stands beside the scores."""
        # Copied, so that a list that the caller changes later stays the same here.
        params = {
            name: value if callable(value) else copy(value) for name, value in params.items()
        }
        self._has_labels = params.get("labels") is not None
        if check_bool(unjudged, "unjudged", function):
            found = find_scores(scores, function)
            grade = params.get("max_grade", 1)
            params, self.highest_grade = _bounds().with_max_grade(found, params, grade, function)
        self.scores: list[NamedScore]
        self.results: list[str] | None = None
        """The names of the results of several scores, or None for a single score."""
        if is_several(scores):
            self.results = []
            found = find_scores(scores, function)
            self.scores = bind_scores(found, params, function, self._naming(), own=own)
        else:
            self.scores = [bind_score(scores, params, function, "scores")]
        self._set_results()
        self._check(self.scores)

    def _check(self, scores: list[NamedScore]) -> None:
        """Raise unless a stream can have these scores and their options."""
        function = self._function
        for score in scores:
            for parameter in ARRAY_PARAMETERS:
                if parameter in score.options:
                    expected = "left to update, since it has one value per row of the data"
                    advice = f"Pass `{parameter}` to `update`, with each batch."
                    got = describe(score.options[parameter])
                    raise invalid(parameter, function, expected, got, advice)
        if self.highest_grade is not None:
            _bounds().check_grades(scores, self.highest_grade, function)
        plans = [score.plan(None, None, self._naming()) for score in scores]
        try_plans(plans)
        for score, plan in zip(scores, plans, strict=True):
            may_be_undefined = "replace_undefined_by" in parameters_of(score.function)
            is_left_out = may_be_undefined and math.isnan(plan.call.replacement)
            if self.highest_grade is not None and is_left_out:
                expected = "a number if unjudged=True, since a stream does not know which queries"
                expected += " count for all labels of unjudged items"
                raise invalid("replace_undefined_by", plan.call.function, expected, "np.nan")
            if plan.call.average is None:
                expected = "'samples', since a stream does not keep the values of single queries"
                raise invalid("average", function, expected, "None")

    @classmethod
    def of_saved(
        cls,
        scores: list[NamedScore],
        function: str,
        highest_grade: int | None,
        *,
        are_several: bool,
    ) -> BoundScores:
        """Return scores that were bound before, whose functions may be known only by name."""
        bound = object.__new__(cls)
        bound.highest_grade = highest_grade
        bound._function, bound.scores = function, scores
        bound.results = [] if are_several else None
        bound._has_labels = any(score.options.get("labels") is not None for score in scores)
        bound._set_results()
        bound._check([_without_functions(score) for score in scores])
        return bound

    def _set_results(self) -> None:
        """Set what follows from the scores."""
        plans = [score.plan(None, None, self._naming()) for score in self.scores]
        self.facts: dict[str, ResultFacts] = {}
        """The facts about each of several results."""
        if self.results is not None:
            results = name_results(self.scores, plans, self._function)
            self.results = list(results)
            self.facts = facts_of_results(self.scores, plans, results)
        self._is_single = plans[0].call.cutoffs.is_single
        nothing = SumsAtCutoff(0, Sums(), Moments(), Moments())
        n_cutoffs = sum(plan.call.cutoffs.ranks.size for plan in plans)
        at_cutoff, n_beside = (nothing,) * n_cutoffs, 0
        if self.highest_grade is not None:
            n_beside = len(UNJUDGED)
        self.nothing = ScoreSums(0, 0, 0, True, at_cutoff, (at_cutoff,) * n_beside)
        """The sums over no query."""
        self.are_gains = [one.greater_is_better for one in plans for _ in one.call.cutoffs.ranks]
        """Whether a higher value is better, of each score at each cutoff."""
        self.cutoffs = [_as_given(plan.call.cutoffs) for plan in plans]
        """The cutoffs of each score, as a caller would write them."""

    def _naming(self) -> Naming:
        """Return a function that maps the name of a score to its name in errors."""
        return str if self.results is None else f"{self._function}, for {{}},".format

    def evaluate(
        self,
        y_true: Any,
        y_score: Any,
        arrays: dict[str, Any],
        function: str,
        query_ids: Any = None,
        clusters: Any = None,
        order: ItemOrder | None = None,
    ) -> BatchEvaluations:
        """Return the evaluation of each score on some queries, or nothing if there are none.

        `function` takes the data, for errors about it.
        """
        arrays = check_tensors({"y_true": y_true, "y_score": y_score, **arrays}, function)
        y_true, y_score = arrays.pop("y_true"), arrays.pop("y_score")
        refuse_aspects(y_true, "y_true", function)
        if _has_no_query(y_true, y_score, arrays):
            return BatchEvaluations([], [])
        scores = with_arrays(self.scores, arrays, function)
        if self.highest_grade is not None:
            _bounds().check_grades(scores, self.highest_grade, function)
        naming = self._naming()
        plans = [score.plan(y_true, y_score, naming, query_ids, order) for score in scores]
        data = plans[0].data
        if self.results is not None:
            data = replace(data, function=function)
        made: list[list[Plan]] = []
        labels: list[Plan] = []
        if self.highest_grade is not None:
            plans, labels = [*map(_bounds().for_unknown, plans)], [_bounds().of_labels(plans[0])]
            made = [*_bounds().plans_beside(plans, self.highest_grade).values()]
        tasks = [(plan, as_it_is) for each in (plans, *made, labels) for plan in each]
        queries = check_queries(data, need_of(tasks))
        ids = queries.ids if query_ids is None else data.ids_of_rows(queries.n_queries)
        found = with_clusters(run_on(queries, tasks), clusters, ids, queries, data)
        if self.highest_grade is not None:
            labels_found = found.pop().values[:, 1]
            _bounds().warn_of_labels(labels_found, self.highest_grade, function, plans)
        n_plans = len(plans)
        starts = range(n_plans, len(found), n_plans)
        evaluations = BatchEvaluations(
            found[:n_plans], [found[start : start + n_plans] for start in starts]
        )
        has_item_ids = isinstance(y_true, DataByIds)
        has_class_labels = arrays.get("qid") is None and not has_item_ids and n_axes(y_true) == 1
        if has_class_labels and not self._has_labels:
            expected = "passed to the constructor if y_true holds class labels"
            advice = "Otherwise a batch that lacks a class would mix up the columns."
            raise invalid("labels", function, expected, "None", advice)
        return evaluations

    def sums_of(self, evaluations: BatchEvaluations) -> ScoreSums:
        """Return the sums of what `evaluate` returned."""
        return evaluations.sums() if evaluations.of_scores else self.nothing

    def means(self, sums: ScoreSums) -> list[float]:
        """Return the mean of each result. Warn of means that are NaN."""
        name = self.scores[0].function.__name__ if self.results is None else self._function
        if not sums.n_weighted:
            raise only_zeros(name)
        means = [each.sums.mean() for each in sums.at_cutoff]
        sums.warn(means, name, self.results)
        return means

    def in_form(self, values: list[Any]) -> Any:
        """Return values, one per result, in the form in which the caller gets them."""
        if self.results is not None:
            return dict(zip(self.results, values, strict=True))
        return values[0] if self._is_single else np.array(values)

    def __str__(self) -> str:
        """Return the scores as the arguments of a call."""
        if self.results is not None:
            return f"[{', '.join(self.results)}]"
        [score] = self.scores
        named = "".join(f", {name}={_show(value)}" for name, value in score.options.items())
        return score.function.__name__ + named

    def settings(self) -> dict[str, Any]:
        """Return the scores and all their parameters, including those at their defaults."""
        is_one = self.results is None
        settings: dict[str, Any] = {"scores": self.scores[0].function if is_one else self.results}
        settings["unjudged"] = self.highest_grade is not None
        if self.highest_grade is not None:
            settings["max_grade"] = self.highest_grade
        names = [score.name for score in self.scores]
        for number, score in enumerate(self.scores):
            which = score.name if names.count(score.name) == 1 else f"{score.name} ({number})"
            suffix = "" if is_one else f" of {which}"
            if not is_one:
                settings[f"score{suffix}"] = score.function
            for name, parameter in parameters_of(score.function).items():
                is_cutoff = name == "k" and not is_one  # it is in the name
                is_known = parameter.default is not parameter.empty or name in score.options
                if is_known and not is_cutoff:
                    settings[name + suffix] = score.options.get(name, parameter.default)
        return settings


def _bounds() -> Any:
    """Return the module about unknown labels, which few streams need."""
    return import_module("ranking_scores._metrics._bounds")


def _as_given(cutoffs: Cutoffs) -> int | list[int | None] | None:
    """Return cutoffs as a caller writes them."""
    ranks = [None if rank == WHOLE_LIST else rank for rank in cutoffs.ranks.tolist()]
    return ranks[0] if cutoffs.is_single else ranks


def _has_no_query(y_true: Any, y_score: Any, arrays: dict[str, Any]) -> bool:
    """Return whether a batch is empty: 2-D arrays without rows, or with `qid` 1-D ones.

    The scores themselves refuse data without a query.
    """
    if isinstance(y_true, DataByIds):
        return not len(y_true.query_ids)
    given = (y_true, y_score, *(array for array in arrays.values() if array is not None))
    if any(_shape(array)[:1] != (0,) for array in given):
        return False
    return arrays.get("qid") is not None or len(_shape(y_score)) == 2 or is_list_column(y_score)


def _shape(array: Any) -> tuple[int, ...]:
    """Return the shape of an array. For a list or a dict, return only its length."""
    has_length_only = isinstance(array, (list, tuple, dict)) or is_list_column(array)
    return (len(array),) if has_length_only else tuple(np.shape(array))


def differences(ours: dict[str, Any], theirs: dict[str, Any]) -> tuple[str, str]:
    """Return how the settings of another stream differ, for an error message, and the advice."""
    if callable(ours["scores"]) != callable(theirs["scores"]):
        one, several = "a stream of one score", "a stream of several scores"
        is_one = callable(theirs["scores"])
        return f"{one} beside {several}" if is_one else f"{several} beside {one}", ""
    names = [
        name
        for name, value in ours.items()
        if name not in theirs or not _are_same(value, theirs[name])
    ]
    if ours["scores"] != theirs["scores"]:  # their parameters add nothing
        names = ["scores"]
    if not names:
        return "", ""
    their_text, our_text = (
        ", ".join(f"{name}={_show(settings.get(name))}" for name in names)
        for settings in (theirs, ours)
    )
    pairs = [(ours[name], theirs.get(name)) for name in names]
    is_one_name = all(callable(own) and _name_of(own) == _name_of(other) for own, other in pairs)
    return f"{their_text} where this stream has {our_text}", _OF_ONE_NAME * is_one_name


class NamedFunction:
    """A function of which only the name is known, since a file cannot hold the function."""

    def __init__(self, name: str) -> None:
        self.__qualname__ = name

    def __call__(self, *args: Any) -> Any:
        """Raise, since there is no function to be called."""
        got = f"{self.__qualname__}, of which the file has only the name,"
        advice = "Make a stream with the function, and merge the one that was read into it."
        expected = "a file without functions if more queries are to be scored"
        raise invalid("path", "read_stream", expected, got, advice)


def _without_functions(score: NamedScore) -> NamedScore:
    """Return a score with the defaults for options of which only the names are known."""
    known = {
        name: value
        for name, value in score.options.items()
        if not isinstance(value, NamedFunction)
    }
    return score._replace(options=known)


class ResultFacts(NamedTuple):
    """What a result of several scores rests on, as text that can be saved and compared."""

    options: dict[str, str]
    """The score, its cutoff `k` and its other options, without what belongs to the data."""
    functions: tuple[str, ...]
    """Those of the options that are functions of the caller, of which the text is only a name."""
    greater_is_better: bool


def score_of(facts: ResultFacts) -> Callable[..., Any] | None:
    """Return the score that facts tell in text, with its options.

    None: an option is a function, or the text is not that of a score and of its options.
    """
    if facts.functions:
        return None
    try:
        function = function_of(facts.options["score"])
        options = {
            name: float(text) if text in ("nan", "inf", "-inf") else literal_eval(text)
            for name, text in facts.options.items()
            if name != "score"
        }
    except (KeyError, *NO_LITERAL):
        return None
    known = parameters_of(function)
    if any(name not in known or known[name].kind is not _KEYWORD_ONLY for name in options):
        return None
    return partial(function, **options)


def facts_of_results(
    scores: Sequence[NamedScore],
    plans: Sequence[Plan],
    results: Mapping[str, tuple[int, int]],
    *,
    over_aspects: bool = False,
) -> dict[str, ResultFacts]:
    """Return the facts about each result."""
    left_out = ("k", "average", "labels", *ARRAY_PARAMETERS)
    found = {}
    for name, (number, place) in results.items():
        score, plan = scores[number], plans[number]
        known = parameters_of(score.function)
        texts, functions = {"score": score.function.__name__}, []
        for option, parameter in known.items():
            if parameter.kind is _KEYWORD_ONLY and option not in left_out:
                value = score.options.get(option, parameter.default)
                texts[option] = text_of_option(value)
                if callable(value):
                    functions.append(option)
        if "k" in known:
            k = plan.call.cutoffs.ranks.tolist()[place]
            texts["k"] = str(None if k == WHOLE_LIST else k)
        if over_aspects:
            texts[OVER] = "aspects"
        found[name] = ResultFacts(ReadOnlyDict(texts), tuple(functions), plan.greater_is_better)
    return found


_KEYWORD_ONLY = inspect.Parameter.KEYWORD_ONLY


def text_of_option(value: Any) -> str:
    """Return a value as text. Functions of one name differ if their variables do."""
    if isinstance(value, NamedFunction):
        return value.__qualname__
    if isinstance(value, partial):
        parts = [value.func, *value.args, *value.keywords.values()]
        return f"partial({', '.join(map(text_of_option, parts))})"
    if callable(value):
        _, module, name = _name_of(value)
        bound = [each for each in _bound_to(value) if isinstance(each, (int, float, str))]
        return f"{module}.{name}{f' with {bound}' if bound else ''}"
    return repr(value if isinstance(value, str) else np.asarray(value).tolist())


_OF_ONE_NAME = (
    "The functions have one name, but differ in their code, in defaults, in variables of outer "
    "functions or in the state of an object. Use a function of a module."
)


def _are_same(left: Any, right: Any, above: frozenset[tuple[int, int]] = frozenset()) -> bool:
    """Return whether a score treats two values of a parameter alike, as far as one can tell.

    Pickle makes a new function of a lambda, with its code, its defaults and its variables of outer
    functions. Pairs of values `above` hold these: a function may use itself.
    """
    pair = id(left), id(right)
    if left is right or pair in above:
        return True
    are_same = partial(_are_same, above=above | {pair})
    if isinstance(left, NamedFunction) or isinstance(right, NamedFunction):
        return callable(left) and callable(right) and text_of_option(left) == text_of_option(right)
    if isinstance(left, partial) and isinstance(right, partial):
        left, right = ((each.func, each.args, each.keywords) for each in (left, right))
    try:
        if isinstance(left, dict) and isinstance(right, dict):
            left, right = (tuple(sorted(each.items())) for each in (left, right))
        if isinstance(left, tuple) and isinstance(right, tuple):
            return len(left) == len(right) and all(map(are_same, left, right))
        if callable(left) and callable(right):
            with suppress(Exception):  # the code of a caller, such as a dataclass with arrays
                if left == right:
                    return True
            return _name_of(left) == _name_of(right) and are_same(_parts(left), _parts(right))
        left, right = np.asarray(left).tolist(), np.asarray(right).tolist()
        return bool(left == right or (left != left and right != right))  # NaN equals NaN here
    except Exception:  # the code of a caller
        return False


def _name_of(function: Any) -> tuple[Any, ...]:
    """Return the type, the module and the name of a function, as far as it has them."""
    name = getattr(function, "__qualname__", None) or getattr(function, "__name__", None)
    is_of_numpy = getattr(np, str(name), None) is function  # old ufuncs do not tell
    module = "numpy" if is_of_numpy else getattr(function, "__module__", None)
    return type(function), module, name


def _parts(function: Any) -> Any:
    """Return what a function computes with, apart from what its name tells."""
    if not isinstance(function, FunctionType):  # an object with a state, or a method of one
        return function.__reduce_ex__(4)
    # Two functions of a module are one if their names are. Other names do not tell the code.
    is_named = "<" not in function.__qualname__
    return *_bound_to(function), "" if is_named else _text_of_code(function.__code__)


def _bound_to(function: Any) -> tuple[Any, ...]:
    """Return the defaults of a function and the variables that it uses of outer functions."""
    by_name = getattr(function, "__kwdefaults__", None) or {}
    cells = getattr(function, "__closure__", None) or ()
    return (
        *(getattr(function, "__defaults__", None) or ()),
        *by_name.values(),
        *(cell.cell_contents for cell in cells if cell != CellType()),
    )


def _text_of_code(code: CodeType) -> str:
    """Return code as a text, without the names of its variables and the lines where it stands."""
    constants = [_text_of_code(c) if isinstance(c, CodeType) else repr(c) for c in code.co_consts]
    return repr((code.co_code, code.co_names, constants))


def _show(value: Any) -> str:
    """Return a parameter as text, as in a call. A function is shown by its name."""
    return str((callable(value) and _name_of(value)[2]) or describe(value))
