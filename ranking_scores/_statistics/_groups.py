"""Whether the difference of two systems depends on the group of queries."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc

from ranking_scores._statistics._differences import Summary, holm
from ranking_scores._statistics._rows import Rows
from ranking_scores._statistics._units import degrees_of

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def interactions(rows: Rows, summary: Summary, family: Ints) -> Floats:
    """Return the p-value of the interaction of each row's pair with the groups.

    All rows of a pair and a metric have the same one. They are corrected by Holm's method, in
    each family of rows. All are NaN if clusters have queries in several groups, since the analysis
    of variance is for independent groups.
    """
    pvalue = np.full(len(family), np.nan)
    if rows.groups is not None and rows.units.span(rows.groups.of_query):
        return pvalue
    for number in np.unique(family):
        own = np.flatnonzero(family == number)
        keys = np.array([rows.column[own], rows.a[own], rows.b[own]])
        _, which = np.unique(keys, axis=1, return_inverse=True)
        which = which.ravel()
        found = np.array(
            [_welch(summary.of_columns(own[which == pair])) for pair in range(which.max() + 1)]
        )
        is_known = ~np.isnan(found)
        found[is_known] = holm(found[is_known])
        pvalue[own] = found[which]
    return pvalue


def _welch(groups: Summary) -> float:
    """Return the p-value of Welch's analysis of variance: are all means the same?

    Groups of fewer than two units, or without spread, are left out. NaN if fewer than two are
    left.
    """
    is_there = groups.error_of_t > 0
    mean, error = groups.mean[is_there], groups.error_of_t[is_there]
    degrees, n_groups = degrees_of(groups.n_effective[is_there]), int(is_there.sum())
    if n_groups < 2:
        return np.nan
    weight = (error.min() / error) ** 2
    weight /= weight.sum()
    between = (((mean - weight @ mean) / error) ** 2).sum() / (n_groups - 1)
    lost = ((1 - weight) ** 2 / degrees).sum()
    f = between / (1 + 2 * (n_groups - 2) / (n_groups**2 - 1) * lost)
    return float(fdtrc(n_groups - 1, (n_groups**2 - 1) / (3 * lost), f))
