"""The form in which the ``fit`` of a ranker takes the queries and the weights."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from ranking_scores._base import Runs, check_finite_weights, invalid
from ranking_scores._queries import by_qid, is_shared, value_of_query

Floats = NDArray[np.float64]

FIT = "QueryRanker.fit"


class Wanted(NamedTuple):
    """The form in which the ``fit`` of an estimator takes the queries."""

    names: frozenset[str]
    """The parameters among `qid`, `group` and `group_id` that it takes. Empty if no ranker."""
    prefix: str
    """The prefix of the names of parameters: the steps of pipelines."""
    by: str
    """The name of its class. For a pipeline, the class of the last step."""
    parameters: frozenset[str]
    """The names of all parameters that it takes by name."""

    @property
    def is_xgboost(self) -> bool:
        """Whether it takes ids, and one weight per query, as XGBoost does."""
        return self.names >= {"qid", "group"}

    @property
    def is_catboost(self) -> bool:
        """Whether it takes ids of groups, and validation sets as pools, as CatBoost does."""
        return self.names == {"group_id"}


def wanted_by(estimator: Any) -> Wanted:
    """Return the form that the ``fit`` of an estimator, or of a pipeline's last step, takes."""
    prefix = ""
    while isinstance(estimator, Pipeline):
        name, estimator = estimator.steps[-1]
        prefix += f"{name}__"
    names: frozenset[str] = frozenset()
    parameters: frozenset[str] = frozenset()
    for cls in type(estimator).__mro__:
        if "fit" in vars(cls):
            known = inspect.signature(vars(cls)["fit"]).parameters
            parameters = frozenset(known)
            names = parameters & {"qid", "group", "group_id"}
            kinds = {each.kind for each in known.values()}
            if names or inspect.Parameter.VAR_KEYWORD not in kinds:
                break  # otherwise it passes its arguments on to the class above
    return Wanted(names, prefix, type(estimator).__name__, parameters)


def last_of(name: str) -> str:
    """Return the name of a parameter without its prefix of pipeline steps."""
    return name.rpartition("__")[2]


def make_params(
    wanted: Wanted, runs: Runs, weight: Floats | None, parameter: str = "sample_weight"
) -> dict[str, Any]:
    """Return the parameters that tell a ranker the queries and the weights of sorted rows.

    `parameter` is the name under which the caller gave the weights.
    """
    made: dict[str, Any] = {"group": runs.sizes}
    if wanted.names != {"group"}:
        query = np.repeat(np.arange(runs.ids.size), runs.sizes)
        made = {"qid" if "qid" in wanted.names else "group_id": query}
    if weight is None:
        return made
    if wanted.is_xgboost:  # it weighs queries
        return made | {"sample_weight": value_of_query(runs, weight, parameter, FIT)}
    # YetiRank, the default loss of CatBoost, does not support weights of rows.
    are_of_queries = wanted.is_catboost and is_shared(runs, weight)
    return made | {"group_weight" if are_of_queries else "sample_weight": weight}


def in_rows(values: Any, runs: Runs, parameter: str) -> Any:
    """Return the weight of each row if weights came with the ids of the queries."""
    given = by_qid(values, parameter, FIT, runs.n_rows)
    if given is None:
        return values
    weight = check_finite_weights(given.values, parameter, FIT)
    return weight[given.places_of(runs.ids, parameter, FIT)][runs.which_of_row]


def check_weight(values: Any, runs: Runs, parameter: str) -> Floats:
    """Return the weight of each row."""
    weight = check_finite_weights(values, parameter, FIT)
    if weight.size != runs.n_rows:
        expected = f"of shape ({runs.n_rows},), one weight per row"
        code = _REPEAT_WEIGHTS.format(parameter) if weight.size == runs.ids.size else ""
        raise invalid(parameter, FIT, expected, f"shape {weight.shape}", code=code)
    return weight


_REPEAT_WEIGHTS = (
    "Repeat the weight of each query for its rows: `np.repeat({0}, sizes)` if the rows of each "
    "query are adjacent, otherwise `np.asarray({0})[query]` with the number of the query of each "
    "row."
)
