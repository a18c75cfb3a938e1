"""Queries with unknown labels, and the values that a score has for each labelling of them."""

import itertools
from functools import partial

import defined
import numpy as np
import scipy.sparse as sp

from ranking_scores._metrics._named import SCORES
from ranking_scores.unjudged import score_bounds

NAN = float("nan")
DENSE_ALONE = ("auc", "pairwise_accuracy", "arp")


class Case:
    """A few queries with unknown labels, ranked by one system or two, and all their labellings."""

    def __init__(self, rng, name, *, n_systems=1):
        self.max_grade = rng.choice([1, 1, 2, 3])
        n_items = rng.randint(1, 6 if self.max_grade == 1 else 4)
        shape = rng.randint(1, 3), n_items
        grades = [NAN, NAN, 0, 1, self.max_grade]

        def draw(values):
            return np.array(
                [[rng.choice(values) for _ in range(shape[1])] for _ in range(shape[0])]
            )

        self.labels = draw(grades).astype(float)
        self.scores = [draw([1, 2, 3, 4]).astype(float) for _ in range(n_systems)]
        self.is_found = [np.ones(shape, dtype=bool)] * n_systems
        self.is_sparse = name not in DENSE_ALONE and rng.random() < 0.5
        if self.is_sparse:
            self.is_found = [draw([True, True, False]) for _ in range(n_systems)]
        self.options = {"average": None}
        if defined.takes(SCORES[name], "ignore_ties"):
            self.options["ignore_ties"] = rng.random() < 0.3
        if not defined.is_always_defined(SCORES[name]):
            self.options["replace_undefined_by"] = rng.choice([0.0, 0.5, 1.0, NAN])

    @property
    def y_true(self):
        if not self.is_sparse:
            return self.labels
        row, column = np.nonzero(~np.isnan(self.labels))
        return sp.csr_array((self.labels[row, column], (row, column)), shape=self.labels.shape)

    def y_score(self, system, rows=slice(None), n=1):
        """Return the scores of some queries, each of them n times."""
        scores = np.repeat(self.scores[system][rows], n, axis=0)
        if not self.is_sparse:
            return scores
        row, column = np.nonzero(np.repeat(self.is_found[system][rows], n, axis=0))
        return sp.csr_array((scores[row, column], (row, column)), shape=scores.shape)

    def values(self, query, name, options):
        """Return the score, or the difference, of each labelling of a query."""
        labels = self.labels[query]
        unknown = np.flatnonzero(np.isnan(labels) & np.logical_or.reduce(self.is_found)[query])
        grades = range(self.max_grade + 1)
        given = [*itertools.product(grades, repeat=unknown.size)]
        completed = np.tile(labels if name == "bpref" else np.nan_to_num(labels), (len(given), 1))
        completed[:, unknown] = given
        values = [
            SCORES[name](
                completed,
                self.y_score(system, slice(query, query + 1), len(given)),
                **options,
                **self.options,
            ).reshape(len(given), -1)
            for system in range(len(self.scores))
        ]
        return values[0] if len(values) == 1 else values[1] - values[0]

    def bounds(self, name, options):
        """Return the bounds of the score, or of the difference."""
        score = SCORES[name]
        if name == "err":  # the scale may be longer than the labels that unjudged items have
            score = partial(score, max_grade=3)
        other = {} if len(self.scores) == 1 else {"other": self.y_score(1)}
        return score_bounds(
            self.y_true,
            self.y_score(0),
            score=score,
            max_grade=self.max_grade,
            **other,
            **options,
            **self.options,
        )


JUDGMENTS = {"a": {"x": 1, "y": 0}, "b": {"z": 2}}
ONE = {"a": ["u", "x", "v"], "b": ["w", "z"]}
TWO = {"a": ["x", "y", "u"], "b": ["z", "t"]}
