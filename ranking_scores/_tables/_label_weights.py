"""Labels that count by how rarely they are known, for classifiers with very many classes.

A rare label is often missing where it would be right. The share that is known is its propensity. A
label that is divided by it has, on average, the value that complete labels would have.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ranking_scores._base._errors import NOWHERE, Place, invalid, show_id, with_parts
from ranking_scores._base._index import column_names
from ranking_scores._base._validation import (
    as_csr,
    check_real,
    check_real_array,
    check_sparse,
    csr_array,
    describe,
    is_sparse,
)
from ranking_scores._queries._data import DataByIds, refuse_aspects
from ranking_scores._tables._ranking_data import RankingData
from ranking_scores.exceptions import InvalidParameterError

Floats = NDArray[np.float64]

_OF_LISTS = (
    "For lists of ids, make a column for each id: `MultiLabelBinarizer(sparse_output=True)` of "
    "scikit-learn does so with `fit_transform(lists)`, and has the ids in `classes_`."
)


def inverse_propensity(
    y_train: ArrayLike, *, a: float = 0.55, b: float = 1.5
) -> NDArray[np.float64]:
    """Estimate how rarely each label of the training data is known: 1 over its propensity.

    The propensity of a label is the probability that it is known where it is right. Labels of few
    samples have a low one. `weighted_labels` multiplies the labels of a test set by the result.

    Parameters
    ----------
    y_train : array-like or sparse of shape (n_samples, n_items)
        The labels of the training data, not those of the test set. A label above 0 counts once.
        All labels are finite.
        Lists of ids become such an array by ``MultiLabelBinarizer(sparse_output=True)`` of
        scikit-learn, whose ``classes_`` are the ids of the result.

    a : float, default=0.55
        The exponent of the model, above 0. The paper has 0.5 for Wikipedia and 0.6 for Amazon, and
        the default for all other data.

    b : float, default=1.5
        The number of samples that is added, above 0. The paper has 0.4 for Wikipedia, 2.6 for
        Amazon, and the default for all other data.

    Returns
    -------
    inverse : ndarray of shape (n_items,)
        One number for each column, at least 1.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here, or if there are less than three samples. The error
        is of both types, as in scikit-learn.

    See Also
    --------
    weighted_labels : Multiplies labels by it.

    Notes
    -----
    For N samples, of which n have the label [1]_::

        1 / propensity = 1 + (log(N) - 1) * (b + 1)**a * (n + b)**(-a)

    References
    ----------
    .. [1] Jain, H., Prabhu, Y. and Varma, M. (2016). "Extreme multi-label loss functions for
           recommendation, tagging, ranking and other missing label applications." KDD 2016,
           935-944. :doi:`10.1145/2939672.2939756`

    Examples
    --------
    The first label is common, the second rare:

    >>> from ranking_scores import inverse_propensity
    >>> inverse_propensity([[1, 0], [1, 0], [1, 1], [1, 0]])
    array([1.25037208, 1.38629436])
    """
    function = "inverse_propensity"
    for name, value in (("a", a), ("b", b)):
        number = check_real(value, name, function, "a finite number above 0")
        if not 0 < number < np.inf:
            raise invalid(name, function, "a finite number above 0", describe(value))
    labels = _two_dimensional(y_train, "y_train", function)
    n_samples = labels.shape[0]
    if n_samples < 3:  # the logarithm of 2 is below 1, so rare labels would weigh less
        raise invalid("y_train", function, "at least three samples", f"{n_samples}")
    stored = labels.data if is_sparse(labels) else labels
    if not np.isfinite(stored).all():
        raise invalid("y_train", function, "finite", str(stored[~np.isfinite(stored)][0]))
    if is_sparse(labels):
        if not labels.has_canonical_format:  # values of the same cell add up
            labels = labels.copy()
            labels.sum_duplicates()
        count = np.bincount(labels.indices[labels.data > 0], minlength=labels.shape[1])
    else:
        count = np.count_nonzero(labels > 0, axis=0)
    return np.asarray(1 + (np.log(n_samples) - 1) * (b + 1) ** a * (count + b) ** -a)


def weighted_labels(y_true: Any, weight: Any) -> Any:
    """Multiply the labels by one weight for each column, such as the inverse propensity.

    Scores take the result in place of `y_true`. Their items then gain label times weight:

    - ``ndcg_score(labels, y_score, k=5)`` is propensity-scored nDCG.
    - ``ndcg_score(labels, y_score, k=5, discount=np.ones_like)`` is propensity-scored precision:
      the sum over the first k, divided by the largest possible one.
    - ``like("pyxclib", "psprecision@5")`` and ``"psndcg@5"`` of them have another mean, see the
      notes.

    Parameters
    ----------
    y_true : array-like or sparse of shape (n_queries, n_items), or RankingData
        The labels, or the result of `from_lists`, `from_tables` or their like, whose labels are
        multiplied. Class labels have to be turned into one column for each class first, and rows
        with `qid` are multiplied by the weights of their items without this function.

    weight : array-like of shape (n_items,) or dict
        The weight of each column: finite and above 0. The index of a Series of pandas is
        the columns of a frame, or 0, 1, and so on for an array. For data by ids, a dict or a
        Series from the id of each judged item to its weight, which may have more ids.

    Returns
    -------
    labels : ndarray, csr_array, DataFrame or RankingData
        The labels times the weights, dense if `y_true` is, and RankingData of RankingData. Sparse
        labels stay sparse, so that 100000 columns need no more memory than before.

    Raises
    ------
    ValueError, TypeError
        If a parameter is not as described here, or if a judged item has no weight. The error is of
        both types, as in scikit-learn.

    See Also
    --------
    inverse_propensity : Computes the weights of rare labels.
    ndcg_score : Takes the result as `y_true`.

    Notes
    -----
    There are two means of the queries, so say which one it is:

    - The mean of the ratios: each query is divided by its own best value. `ndcg_score` has it.
    - The ratio of the means: the mean of the sums, divided by the mean of the best sums. pyxclib
      prints it, and ``like("pyxclib", "psprecision@5")`` gives it. Queries with many or rare
      labels weigh more there, and those without a label nothing. ``"psndcg@5"`` first divides both
      sums of each query by the best sum of its labels without weights.

    With ``average=None`` both give the ratio of each query. All of them are expected values over
    the orders of items with equal scores.

    Examples
    --------
    The classifier finds the common label of the first query, and the rare one of the second:

    >>> import numpy as np
    >>> from ranking_scores import ndcg_score, weighted_labels
    >>> from ranking_scores.conventions import like
    >>> y_true, y_score = [[1, 1, 0], [0, 1, 1]], [[.9, .1, .5], [.2, .8, .4]]
    >>> labels = weighted_labels(y_true, [1.25, 4.0, 1.0])
    >>> ndcg_score(labels, y_score, k=1, discount=np.ones_like, average=None)
    array([0.3125, 1.    ])
    >>> ndcg_score(labels, y_score, k=1, discount=np.ones_like)
    0.65625
    >>> like("pyxclib", "psprecision@1")(labels, y_score)
    0.65625

    With k = 2, the best possible sums of the two queries differ, and so do the two means:

    >>> ndcg_score(labels, y_score, k=2, discount=np.ones_like)
    0.6190...
    >>> like("pyxclib", "psprecision@2")(labels, y_score)
    0.6097...
    """
    function = "weighted_labels"
    refuse_aspects(y_true, "y_true", function)
    if isinstance(y_true, RankingData):
        columns = y_true.in_columns()
        labels = as_csr(columns.y_true)
        weights = _weights_of_ids(weight, columns.order.item_ids, labels, function)
        return y_true.with_labels(_times(labels, weights))
    if isinstance(weight, Mapping):
        expected = "an array unless y_true is data by ids"
        code = "Pass an array with one weight for each column."
        raise invalid("weight", function, expected, "a dict", code=code)
    labels = _two_dimensional(y_true, "y_true", function)
    weights = _weights(weight, labels.shape[1], function)
    if hasattr(weight, "iloc"):
        names = column_names(y_true)
        if weight.index.tolist() != list(range(weights.size) if names is None else names):
            code = "Use `.reindex` with these, or `.to_numpy()` if columns match by position."
            expected = "a Series whose index is the columns of y_true, or 0, 1, and so on"
            raise invalid("weight", function, expected, "another index", code=code)
    if is_sparse(labels):
        return _times(labels, weights)
    return (y_true if hasattr(y_true, "iloc") else labels) * weights


def _two_dimensional(values: Any, parameter: str, function: str) -> Any:
    """Return labels with one column for each item, dense or as CSR."""
    if isinstance(values, DataByIds):
        expected = "an array of shape (n_samples, n_items)"
        raise invalid(parameter, function, expected, "data by ids", code="Pass `data.y_true`.")
    if is_sparse(values):
        return check_sparse(values, parameter, function, keep_zeros=True)
    try:
        labels = check_real_array(values, parameter, function)
    except InvalidParameterError as error:
        if not isinstance(values, (list, tuple)):
            raise
        raise with_parts(error, code=_OF_LISTS) from None
    if labels.ndim != 2:
        code = "For class labels, pass one column for each class, 1 where the label is the class."
        expected = "of two dimensions, with one column for each item"
        raise invalid(parameter, function, expected, f"shape {labels.shape}", code=code)
    return labels


def _weights(weight: Any, n_items: int, function: str, ids: list[Any] | None = None) -> Floats:
    """Return one weight for each column, of which the items perhaps have ids."""
    weights = check_real_array(weight, "weight", function).astype(np.float64)
    if weights.shape != (n_items,):
        expected = f"of shape ({n_items},), one weight for each column of y_true"
        raise invalid("weight", function, expected, f"shape {weights.shape}")
    is_right = (weights > 0) & (weights < np.inf)
    if not is_right.all():
        column = int(np.argmin(is_right))
        got, place = str(weights[column]), Place(position=column)
        if ids is not None:
            got, place = f"{got} for {show_id(ids[column])}", NOWHERE
        raise invalid("weight", function, "finite and above 0", got, place=place)
    return weights


def _weights_of_ids(
    weight: Any, item_ids: NDArray[Any], labels: csr_array, function: str
) -> Floats:
    """Return one weight for each column, by its id, and 1 if no query has a label for it."""
    by_id = weight
    if hasattr(weight, "iloc") and weight.ndim == 1:
        if not weight.index.is_unique:
            got = f"{show_id(weight.index[weight.index.duplicated()][0])} more than once"
            raise invalid("weight", function, "a Series that has each id once", got)
        by_id = weight.to_dict()
    if not isinstance(by_id, Mapping):
        expected = "a dict or a Series by the ids of items, since y_true is data by ids"
        raise invalid("weight", function, expected, describe(weight))
    weights = np.ones(item_ids.size)
    judged = np.unique(labels.indices)
    ids = item_ids[judged].tolist()
    missing = next((item for item in ids if item not in by_id), None)
    if missing is not None:
        got = f"none for {show_id(missing)}"
        raise invalid("weight", function, "a weight for the id of each judged item", got)
    weights[judged] = _weights([by_id[item] for item in ids], judged.size, function, ids)
    return weights


def _times(labels: csr_array, weights: Floats) -> csr_array:
    """Return sparse labels times the weights of their columns, with the same stored values."""
    data = labels.data * weights[labels.indices]
    return as_csr((data, labels.indices, labels.indptr), shape=labels.shape)
