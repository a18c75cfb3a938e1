"""Scorers: the scores of this package in scikit-learn's model selection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sklearn.metrics import make_scorer

from ranking_scores._evaluate import evaluation_of
from ranking_scores._validation import describe, invalid

__all__ = ["make_ranking_scorer"]

_ONE_VALUE_PER_ROW = ("qid", "sample_weight")


def make_ranking_scorer(
    score_func: Callable[..., Any],
    *,
    response_method: str | Sequence[str] = ("decision_function", "predict_proba", "predict"),
    **params: Any,
) -> Any:
    """Make a scorer from a score of this package, for any `scoring` parameter of scikit-learn.

    A thin wrapper of :func:`sklearn.metrics.make_scorer` that knows which direction of each
    score is the better one, and checks the parameters now rather than in every fold.

    Parameters
    ----------
    score_func : callable
        A score of this package, or a function that returns the value of one.

    response_method : str or sequence of str, \
            default=("decision_function", "predict_proba", "predict")
        The methods of the estimator that may give `y_score`; the first one that it has does.

    **params
        The parameters of `score_func`, such as ``k=10``. What has a value for each row of the
        data, `qid` and `sample_weight`, is left to metadata routing instead.

    Returns
    -------
    scorer : callable
        A scorer with the signature ``scorer(estimator, X, y_true, **metadata)`` that returns a
        float, greater being better.

    Raises
    ------
    ValueError, TypeError
        If `score_func` is no score of this package, if it refuses `params`, if they make more
        than one number (a list of cutoffs, ``average=None``), or if `qid` or `sample_weight` is
        among them. One error that is both, as in scikit-learn.

    See Also
    --------
    sklearn.metrics.make_scorer : Makes scorers from any function.

    Notes
    -----
    A regressor or a pointwise classifier sees one item a row, so its scorer needs to know which
    rows make a query: call ``.set_score_request(qid=True)`` on it, with metadata routing
    enabled, and pass `qid` where you fit the search. Without it the scorer raises; it never
    takes all rows for one query. As scikit-learn reports an error in a scorer as a warning and
    a score of NaN unless told otherwise, ``error_score="raise"`` is a good idea.

    Examples
    --------
    >>> import numpy as np
    >>> import sklearn
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.model_selection import GridSearchCV, GroupKFold
    >>> from ranking_scores import make_ranking_scorer, ndcg_score
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 3))
    >>> y = rng.integers(0, 4, size=60)
    >>> qid = np.repeat(np.arange(12), 5)
    >>> with sklearn.config_context(enable_metadata_routing=True):
    ...     scorer = make_ranking_scorer(ndcg_score, k=3).set_score_request(qid=True)
    ...     search = GridSearchCV(
    ...         Ridge(),
    ...         {"alpha": [1, 100]},
    ...         scoring=scorer,
    ...         cv=GroupKFold(3),
    ...         error_score="raise",
    ...     ).fit(X, y, qid=qid, groups=qid)
    >>> round(float(search.best_score_), 3)
    0.681
    """
    for parameter in _ONE_VALUE_PER_ROW:
        if parameter in params:
            raise invalid(
                parameter,
                "make_ranking_scorer",
                "left to metadata routing, since it has a value for each row of the data",
                describe(params[parameter]),
                f"Call `.set_score_request({parameter}=True)` on the scorer and pass "
                f"`{parameter}` to the function that fits or validates.",
            )
    # Two items that gain nothing: every score has an opinion on its parameters about them.
    evaluation = evaluation_of(
        "make_ranking_scorer", score_func, [[0.0, 0.0]], [[1.0, 0.0]], **params
    )
    for parameter, is_one_number in (
        ("k", evaluation.is_single),
        ("average", evaluation.average is not None),
    ):
        if not is_one_number:
            raise invalid(
                parameter,
                "make_ranking_scorer",
                "such that the score is one number",
                describe(params.get(parameter)),
                "Make a scorer for each cutoff: several go into one dict `scoring=`."
                if parameter == "k"
                else "",
            )
    return make_scorer(
        score_func,
        response_method=response_method,
        greater_is_better=evaluation.greater_is_better,
        **params,
    )
