"""Simulate how often intervals cover, tests are wrong, and plans keep what they promise.

python benchmarks/significance.py
python benchmarks/significance.py --only coverage families
python benchmarks/significance.py --fast
python benchmarks/significance.py --write

Each table is printed, and with ``--write`` also written to ``doc/simulations``, from where the
guide takes some of them. Set ``PYTHONPATH=.`` for this, so that the package of this checkout is
imported. All tables take half an hour. ``--fast`` takes a minute, with so few data sets that the
rates are rough.
"""

from __future__ import annotations

import argparse
import csv
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

import ranking_scores
from ranking_scores import StreamingScore, ndcg_score, ranking_report
from ranking_scores.gates import GateResult, check
from ranking_scores.significance import (
    compare,
    compare_all,
    confidence_interval,
    power_curve,
    queries_needed,
)

Floats = NDArray[np.float64]
Row = list[Any]
Draw = Callable[[np.random.Generator, tuple[int, ...]], Floats]
"""Returns random numbers of a shape, whose mean is 0."""

FOLDER = Path(__file__).parents[1] / "doc" / "simulations"


def centred_beta(a: float, b: float) -> Draw:
    """Return a function that draws from a beta distribution minus its mean."""
    return lambda rng, shape: rng.beta(a, b, shape) - a / (a + b)


def mostly_draws(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Return differences of which four of five are 0."""
    return np.where(rng.random(shape) < 0.8, 0, rng.normal(size=shape))


def rare_losses(rng: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Return small gains on most queries, and a loss of 10 on one in a hundred."""
    gains = rng.normal(10 / 99, 0.2, shape)
    return np.where(rng.random(shape) < 0.01, -10, gains)


SCORES: dict[str, Draw] = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "uniform": lambda rng, shape: rng.random(shape) - 0.5,
    "nDCG of a good system": centred_beta(5, 1),
    "nDCG of a poor system": centred_beta(0.3, 1.2),
    "exponential": lambda rng, shape: rng.exponential(size=shape) - 1,
}
DIFFERENCES: dict[str, Draw] = {
    "normal": SCORES["normal"],
    "heavy tails": lambda rng, shape: rng.standard_t(3, shape),
    "mostly draws": mostly_draws,
    "skewed": SCORES["exponential"],
}


def coverage(n_sets: int) -> Iterator[Row]:
    """The share of 95 % intervals of a mean that contain it."""
    methods = ["t", "bca", "percentile", "studentized", "auto"]
    yield ["scores", "queries", *methods]
    rng = np.random.default_rng(0)
    for name, draw in SCORES.items():
        for n in (5, 10, 20, 50, 100, 400):
            values = draw(rng, (n, n_sets))
            row: Row = [name, n]
            for method in methods:
                params = {"n_resamples": 999, "random_state": 0, "method": method}
                found = confidence_interval(values, **params)
                row.append(np.mean((found.low <= 0) & (found.high >= 0)))
            yield row


def hits(n_sets: int) -> Iterator[Row]:
    """The share of 95 % intervals of a hit rate that contain it."""
    methods = ["t", "wilson", "exact", "auto"]
    yield ["hit rate", "queries", *methods]
    rng = np.random.default_rng(1)
    for rate in (0.5, 0.95):
        for n in (5, 10, 20, 50, 100):
            values = rng.random((n, 4 * n_sets)) < rate
            row: Row = [rate, n]
            for method in methods:
                found = confidence_interval(values, method=method)
                row.append(np.mean((found.low <= rate) & (found.high >= rate)))
            yield row


def hits_in_clusters(n_sets: int) -> Iterator[Row]:
    """The share of 95 % intervals of a hit rate in clusters that contain it, or are above it."""
    columns = [f"{method}, {what}" for method in ("t", "auto") for what in ("covers", "passes")]
    yield ["clusters", "sizes", "correlation", "effective", *columns]
    rng = np.random.default_rng(17)
    for n in (10, 30, 60, 100):
        for spread in (0, 1):
            for correlation in (0, 0.3):
                found = []
                for _ in range(max(n_sets // 20, 1)):
                    sizes = np.rint(10 * np.exp(spread * rng.normal(size=n))).clip(1)
                    found.append(_of_hits(sizes.astype(int), correlation, 80, rng))
                which = f"spread {spread}" if spread else "equal"
                n_effective, *rates = np.mean(found, axis=0)
                yield [n, which, correlation, f"{n_effective:.0f}", *rates]


def _of_hits(
    sizes: NDArray[np.int64], correlation: float, n_sets: int, rng: np.random.Generator
) -> list[float]:
    """Return the effective number of clusters, and the rates of each method, on some data sets.

    The rates of the clusters have a beta distribution.
    """
    rate, of_query = 0.9, np.repeat(np.arange(sizes.size), sizes)
    rates = np.full((sizes.size, n_sets), rate)
    if correlation:
        total = 1 / correlation - 1
        rates = rng.beta(rate * total, (1 - rate) * total, rates.shape)
    values = rng.random((of_query.size, n_sets)) < rates[of_query]
    row = []
    for method in ("t", "auto"):
        found = confidence_interval(values, clusters=of_query, method=method)
        n_effective = found.n_effective[0]
        # A gate that asks for this rate passes, unless there are too few clusters.
        passes = (found.low > rate) & (n_effective > 9.99)
        row += [np.mean((found.low <= rate) & (found.high >= rate)), np.mean(passes)]
    return [n_effective, *row]


def errors(n_sets: int) -> Iterator[Row]:
    """The share of two-sided tests with p <= 0.05 where the mean difference is 0."""
    tests = ["t", "permutation", "bootstrap", "wilcoxon"]
    yield ["differences", "queries", *tests]
    rng = np.random.default_rng(2)
    for name, draw in DIFFERENCES.items():
        for n in (10, 20, 50, 1000):
            differences = draw(rng, (n, n_sets))
            row: Row = [name, n]
            for test in tests:
                params = {"n_resamples": 399, "random_state": 0, "correction": None, "test": test}
                found = compare_all({"a": 0 * differences, "b": differences}, **params)
                row.append(np.mean(found.pvalue <= 0.05))
            yield row


def families(n_sets: int) -> Iterator[Row]:
    """The share of families of 15 systems with equal means in which a difference is found."""
    ways = {
        "max-T, flips": {"correction": "max-t"},
        "max-T, bootstrap": {"correction": "max-t", "test": "bootstrap"},
        "Holm, t": {"correction": "holm"},
    }
    yield ["scores", "spread", "queries", *ways]
    rng = np.random.default_rng(3)
    cases: list[tuple[str, Draw, float]] = [
        ("normal", SCORES["normal"], 1),
        ("exponential", SCORES["exponential"], 5),
        ("lognormal", lambda rng, shape: rng.lognormal(size=shape) - np.exp(0.5), 5),
    ]
    for name, draw, widest in cases:
        spreads = np.linspace(1, widest, 15)
        for n in (10, 30, 50):
            # Each data set is a metric, and a family.
            systems = {
                f"s{place}": draw(rng, (n, n_sets)) * each for place, each in enumerate(spreads)
            }
            row: Row = [name, "equal" if widest == 1 else f"1 to {widest}", n]
            for params in ways.values():
                found = compare_all(systems, n_resamples=399, random_state=0, **params)
                row.append(np.mean(found.is_significant.reshape(n_sets, -1).any(axis=1)))
            yield row


def simultaneous(n_sets: int) -> Iterator[Row]:
    """The share of families in which all of the simultaneous 95 % intervals are right."""
    ways = {"flips": {}, "bootstrap": {"test": "bootstrap"}}
    yield ["effect size", "queries", *ways]
    rng = np.random.default_rng(4)
    for effect in (0, 1, 2, 3):
        for n in (20, 50):
            means = effect * np.arange(10).clip(0, 1)
            scores = rng.normal(size=(10, n, n_sets)) / np.sqrt(2) + means[:, None, None]
            systems = {f"s{place}": each for place, each in enumerate(scores)}
            row: Row = [effect, n]
            for params in ways.values():
                found = compare_all(
                    systems, baseline="s0", n_resamples=399, random_state=0, **params
                )
                covers = (found.low <= effect) & (effect <= found.high)
                row.append(np.mean(covers.reshape(n_sets, -1).all(axis=1)))
            yield row


def units(n_sets: int) -> Iterator[Row]:
    """The share of 95 % intervals that contain the mean, with weights and with clusters."""
    yield ["data", "queries", "effective", "t", "bca", "studentized"]
    rng = np.random.default_rng(5)
    for name, per_unit in (("lognormal weights", 1), ("users of 10 queries", 10)):
        for n in (20, 50, 200):
            yield [name, n * per_unit, *_of_units(n, per_unit, n_sets, rng)]


def _of_units(n: int, per_unit: int, n_sets: int, rng: np.random.Generator) -> Row:
    """Return the mean effective number of units, and the coverage of each method."""
    covers, n_effective = [], []
    users = np.repeat(np.arange(n), per_unit)
    for _ in range(n_sets):
        values = rng.beta(0.5, 0.5, users.size)
        params: dict[str, Any] = {"sample_weight": rng.lognormal(size=n)}
        if per_unit > 1:
            params = {"clusters": users}
            values = np.where(rng.random(users.size) < 0.5, values, rng.beta(0.5, 0.5, n)[users])
        found = [
            confidence_interval(values, n_resamples=399, random_state=0, method=method, **params)
            for method in ("t", "bca", "studentized")
        ]
        covers.append([each.low <= 0.5 <= each.high for each in found])
        n_effective.append(found[0].n_effective)
    return [f"{np.mean(n_effective):.0f}", *np.mean(covers, axis=0)]


def unequal_units(n_sets: int) -> Iterator[Row]:
    """The share of two-sided tests with p <= 0.05, with weights or clusters of unequal sizes."""
    tests = ["t, all units", "t", "permutation"]
    yield ["units", "sizes", "queries", "effective", *tests]
    rng = np.random.default_rng(12)
    cases: dict[str, tuple[int, Callable[[Floats], Floats]]] = {
        "10 clusters of Pareto sizes": (10, pareto),
        "50 clusters of Pareto sizes": (50, pareto),
        "20 lognormal weights, spread 2": (20, lambda u: np.exp(2 * stats.norm.ppf(u))),
    }
    for name, (n, quantile) in cases.items():
        for sizes in ("drawn", "same in all data sets"):
            found = []
            for _ in range(n_sets):
                share = rng.random(n) if sizes == "drawn" else (np.arange(n) + 0.5) / n
                found.append(_of_unequal_units(quantile(share), name, rng))
            n_effective, n_queries, *pvalues = np.array(found).T
            counts = f"{np.median(n_queries):.0f}", f"{np.median(n_effective):.1f}"
            yield [name, sizes, *counts, *(np.mean(each <= 0.05) for each in pvalues)]


def pareto(share: Floats) -> Floats:
    """Return the sizes of clusters below which shares of them are: from 4 to 2000 queries."""
    return np.minimum(np.ceil(3 * (1 - share) ** (-1 / 1.2)), 2000)


def _of_unequal_units(size: Floats, name: str, rng: np.random.Generator) -> list[float]:
    """Return the effective number of units, that of queries, and the p-value of each test."""
    n = size.size
    if "clusters" in name:
        of_query = np.repeat(np.arange(n), size.astype(int))
        differences = rng.normal(size=n)[of_query] + rng.normal(size=of_query.size)
        params: dict[str, Any] = {"clusters": of_query}
    else:
        differences, params = rng.normal(size=n), {"sample_weight": size}
    found = compare(0 * differences, differences, **params)
    permuted = compare(
        0 * differences, differences, test="permutation", n_resamples=399, random_state=0, **params
    )
    error = confidence_interval(differences, method="t", **params).standard_error
    return [
        found.n_effective,
        differences.size,
        2 * stats.t.sf(abs(found.difference) / error, n - 1),
        found.pvalue,
        permuted.pvalue,
    ]


def item_weights(n_sets: int) -> Iterator[Row]:
    """The coverage of nDCG with item weights, where half of the queries have no gain."""
    from ranking_scores import ndcg_score

    yield ["queries", "mean +- 1.96 standard errors"]
    rng = np.random.default_rng(6)

    def draw(n: int) -> StreamingScore:
        labels = rng.integers(1, 3, (n, 4)) * (rng.random((n, 1)) < 0.5)
        weight = np.repeat(rng.lognormal(size=(n, 1)), 4, axis=1)
        stream = StreamingScore(ndcg_score, k=1)
        stream.update(labels, rng.random((n, 4)), item_weight=weight)
        return stream

    truth = draw(400_000).compute()
    for n in (50, 200):
        streams = [draw(n) for _ in range(n_sets)]
        z = [(each.compute() - truth) / each.standard_error for each in streams]
        yield [n, np.mean(np.abs(z) <= 1.96)]


def plans(n_sets: int) -> Iterator[Row]:
    """The true power of a plan for 80 %, where the standard deviation comes from a pilot."""
    yield ["pilot", "pilot=", "mean power", "share with 0.8"]
    rng = np.random.default_rng(7)
    for n in (10, 20, 50):
        for pilot in (False, True):
            powers = []
            for _ in range(n_sets // 2):
                differences = rng.normal(0.5, 1, n)
                needed = queries_needed(0 * differences, differences, difference=0.5, pilot=pilot)
                powers += power_curve(int(needed), difference=0.5, standard_deviation=1).tolist()
            yield [n, pilot, np.mean(powers), np.mean(np.array(powers) >= 0.8)]


def of_scores(differences: Floats) -> dict[str, Any]:
    """Return scores between 0 and 1 of two systems with a tenth of some columns of differences.

    The columns have names of scores, of which the range is known.
    """
    from pandas import DataFrame

    tenth = np.clip(differences / 10, -1, 1)
    names = [f"ndcg@{k}" for k in range(1, tenth.shape[1] + 1)]
    return {
        "a": DataFrame(np.maximum(-tenth, 0), columns=names),
        "b": DataFrame(np.maximum(tenth, 0), columns=names),
    }


def looks(n_sets: int) -> Iterator[Row]:
    """The share of comparisons of equal systems that are significant in one of 100 looks."""
    yield ["differences", "queries per look", "t", "sequential", "betting"]
    rng = np.random.default_rng(8)
    draws = DIFFERENCES | {"rare large losses": rare_losses}
    for name in ("normal", "heavy tails", "mostly draws", "skewed", "rare large losses"):
        for step in (10, 50):
            alarms = []
            for _ in range(n_sets // 4):
                differences = draws[name](rng, (100 * step,))
                # Each look is a metric, whose later queries are undefined.
                ends = step * np.arange(1, 101)
                values = np.where(
                    np.arange(100 * step)[:, None] < ends, differences[:, None], np.nan
                )
                found = [
                    compare_all({"a": 0 * values, "b": values}, correction=None, test=test)
                    for test in ("t", "sequential")
                ]
                # The last p-value of the bets is the lowest one.
                systems = of_scores(differences[:, None])
                found.append(compare_all(systems, correction=None, test="betting"))
                alarms.append([each.pvalue.min() <= 0.05 for each in found])
            yield [name, step, *np.mean(alarms, axis=0)]


def finds(n_sets: int) -> Iterator[Row]:
    """The share of true differences that are found on up to so many queries."""
    yield ["standard deviation", "mean difference", "queries", "t", "sequential", "betting"]
    rng = np.random.default_rng(16)
    for deviation, mean in ((0.1, 0.02), (0.3, 0.06), (0.3, 0.03)):
        for n in (100, 300, 1000):
            systems = of_scores(10 * rng.normal(mean, deviation, (n, n_sets)))
            shares = [
                np.mean(compare_all(systems, correction=None, test=test).pvalue <= 0.05)
                for test in ("t", "sequential", "betting")
            ]
            yield [deviation, mean, n, *shares]


def margins(n_sets: int) -> Iterator[Row]:
    """The share of claims that B is not worse by 0.1, where it is worse by exactly that."""
    tests = ["t", "permutation", "bootstrap"]
    yield ["differences", "queries", *tests]
    rng = np.random.default_rng(9)
    for name in ("normal", "skewed"):
        for n in (20, 100):
            counts = np.zeros(len(tests))
            for _ in range(n_sets // 2):
                differences = DIFFERENCES[name](rng, (n,)) / 4 - 0.1
                for place, test in enumerate(tests):
                    params = {"test": test, "n_resamples": 199, "random_state": 0}
                    found = compare(0 * differences, differences, margin=0.1, **params)
                    counts[place] += found.pvalue_noninferior <= 0.05
            yield [name, n, *counts / (n_sets // 2)]


def mean_of_hits(rng: np.random.Generator, n: int, drop: float) -> tuple[Floats, Floats]:
    """Return hits of two systems, of which each changes one query in five, and one is lower."""
    change = rng.choice([-1, 0, 1], p=[0.1 + drop / 2, 0.8, 0.1 - drop / 2], size=n)
    old = np.where(change, change < 0, rng.random(n) < 0.7).astype(float)
    return old, old + change


def gates(n_sets: int) -> Iterator[Row]:
    """The share of gates that fail a system with equal means, and pass one that is too bad."""
    yield [
        "differences",
        "conditions",
        "queries",
        "surely worse, fails",
        "surely not worse, passes",
    ]
    rng = np.random.default_rng(10)
    signs = {"normal": ("normal", 1), "few large rises": ("skewed", 1)}
    signs |= {"few large drops": ("skewed", -1), "mostly draws": ("mostly draws", 1)}
    for name in [*signs, "0 and 1"]:
        for n_groups, n in ((0, 10), (0, 30), (0, 100), (0, 1000), (4, 100)):
            found = []
            for _ in range(n_sets):
                outcome = []
                for rule, drop in (("surely worse", 0), ("surely not worse", 0.1)):
                    old, new = mean_of_hits(rng, n, drop)
                    if name in signs:
                        draw, sign = signs[name]
                        old = rng.random(n)
                        change = sign * DIFFERENCES[draw](rng, (n,)) / 4
                        share = 0.2 if draw == "mostly draws" else 1  # the rest stays as it is
                        new = old + np.where(change, change - drop / share, 0)
                    found_gate = gate(old, new, n_groups, rule, drop)
                    outcome.append(found_gate.passed == (drop > 0))
                found.append(outcome)
            yield [name, n_groups + 1, n, *np.mean(found, axis=0)]


def gate(old: Floats, new: Floats, n_groups: int, rule: str, drop: float) -> GateResult:
    """Return the verdict on a system with some scores, over all queries and groups of these."""
    by = {"group": np.arange(old.size) % n_groups} if n_groups else None
    order = np.broadcast_to([0.9, 0.6], (old.size, 2))
    name = "precision@1" if np.isin([old, new], [0, 1]).all() else "dcg@1"
    baseline, report = (
        ranking_report(np.c_[scores, 0 * scores], order, scores=name, by=by)
        for scores in (old, new)
    )
    return check(report, baseline, max_drop=drop, rule=rule, by="group" if by else None)


def crashes(n_sets: int) -> Iterator[Row]:
    """The share of gates that pass a version which is worse by just the margin, on few queries."""
    yield ["drops", "margin", "queries", "range unknown", "range known"]
    rng = np.random.default_rng(12)
    for drop in (1.0, 0.5):
        for margin in (0.02, 0.05):
            for n in (20, 50, 100, 300):
                passed = []
                for _ in range(n_sets):
                    new = 1 - drop * (rng.random(n) < margin / drop)
                    passed.append([_passes(new, name, margin) for name in ("dcg", "ndcg")])
                yield [f"by {drop:g}", margin, n, *np.mean(passed, axis=0)]


def _passes(new: Floats, name: str, margin: float) -> np.bool_:
    """Return whether a gate passes scores of 1 that became others, of a result with a name."""
    order = np.zeros((new.size, 1))
    reports = [ranking_report(order + 1, order, scores=name, k=None) for _ in range(2)]
    vars(reports[1])["per_query"] = {next(iter(reports[1].metrics)): new}
    vars(reports[1])["metrics"] = {next(iter(reports[1].metrics)): float(new.mean())}
    return np.bool_(check(*reports[::-1], max_drop=margin, rule="surely not worse").passed)


def months(n_sets: int) -> Iterator[Row]:
    """The share of months in which a gate fails a version that is as good as the baseline.

    Each of the 30 nights has a version of its own. If all are compared with the same baseline on
    the same queries, their differences from it have a correlation of 0.5.
    """
    rules = ["difference of 0.01", "surely worse", "two nights running", "n_runs=30"]
    yield ["queries", "correlation", *rules]
    rng, n_nights = np.random.default_rng(11), 30
    for n in (100, 500):
        for correlation in (0.0, 0.5):
            alarms = []
            for _ in range(n_sets):
                baseline = np.sqrt(correlation) * rng.normal(size=(n, 1))
                own = np.sqrt(1 - correlation) * rng.normal(size=(n, n_nights))
                values = 0.15 * (own - baseline)
                plain, stricter = (
                    compare_all(
                        {"a": 0 * values, "b": values},
                        correction=None,
                        test="t",
                        confidence_level=1 - 0.05 / n_gates,
                    ).high
                    < 0
                    for n_gates in (1, n_nights)
                )
                is_lower = values.mean(axis=0) < -0.01
                running = plain[1:] & plain[:-1]
                alarms.append([each.any() for each in (is_lower, plain, running, stricter)])
            yield [n, correlation, *np.mean(alarms, axis=0)]


def human(n_sets: int) -> Iterator[Row]:
    """The share of 95 % intervals by a model's and people's labels that contain the truth."""
    yield [
        "judge",
        "queries",
        "by people",
        "model alone",
        "both",
        "width",
        "both, difference",
        "width, difference",
    ]
    rng = np.random.default_rng(11)
    n_queries, n_items = 20000, 20  # from which samples are drawn
    truth = rng.choice(4, (n_queries, n_items), p=[0.6, 0.2, 0.12, 0.08])
    shared = truth + rng.normal(scale=1.5, size=truth.shape)
    system_a, system_b = (shared + rng.normal(scale=scale, size=truth.shape) for scale in (1, 0.8))
    of_people = _scores_of_both(truth, system_a, system_b)
    for name, labels in _judges(truth, system_b, rng).items():
        by_model = _scores_of_both(labels, system_a, system_b)
        for n_model in (500, 2000):
            for n_human in (20, 50, 100):
                sample = rng.integers(n_queries, size=(n_model, n_sets))
                row: Row = [name, n_model, n_human]
                for y, f in zip(of_people, by_model, strict=True):
                    values, people = f[sample], y[sample]
                    people[n_human:] = np.nan
                    both = confidence_interval(values, human=people)
                    alone = confidence_interval(people[:n_human], method="t")
                    if len(row) == 3:
                        model = confidence_interval(values, method="t")
                        row.append(np.mean((model.low <= y.mean()) & (model.high >= y.mean())))
                    row.append(np.mean((both.low <= y.mean()) & (both.high >= y.mean())))
                    row.append(np.mean(both.high - both.low) / np.mean(alone.high - alone.low))
                yield row


def rare_errors(n_sets: int) -> Iterator[Row]:
    """Scores of 0 and 1 by a judge that calls too many a success: coverage and false findings."""
    yield [
        "queries",
        "by people",
        "errors",
        "both",
        "width",
        "width, difference",
        "found, difference",
    ]
    rng = np.random.default_rng(12)
    cells = [(2000, n_human, 0.03) for n_human in (20, 50, 100, 200)] + [(10_000, 100, 0.01)]
    for n, n_human, share in cells:
        found = []
        for _ in range(n_sets):
            # Each system wins on 5 % of the queries, and the judge errs on the second one.
            level = rng.random(n)
            a = level < 0.7
            b = a ^ (level < 0.05) ^ (level > 0.95)
            by_model = b | (rng.random(n) < share / 0.3)
            a, b, by_model = (each.astype(np.float64) for each in (a, b, by_model))
            people = [np.where(np.arange(n) < n_human, each, np.nan) for each in (a, b)]
            both = confidence_interval(by_model, human=people[1])
            alone = confidence_interval(people[1][:n_human])
            compared = compare(a, by_model, human=people)
            compared_alone = compare(*(each[:n_human] for each in people))
            widths = [each.high - each.low for each in (both, alone, compared, compared_alone)]
            found.append([both.low <= 0.7 <= both.high, *widths, compared.pvalue <= 0.05])
        covered, width, of_people, wide, of_people_wide, rejected = np.mean(found, axis=0)
        yield [n, n_human, share, covered, width / of_people, wide / of_people_wide, rejected]


def _scores_of_both(labels: Floats, system_a: Floats, system_b: Floats) -> tuple[Floats, Floats]:
    """Return the nDCG@5 of system B on each query, and the difference from that of system A."""
    a, b = (ndcg_score(labels, each, k=5, average=None) for each in (system_a, system_b))
    return b, b - a


def _judges(truth: Any, system_b: Floats, rng: np.random.Generator) -> dict[str, Any]:
    """Return the labels of each judge: a grade off now and then, or more than that."""
    step = rng.choice([-1, 1], truth.shape)
    at_random = rng.choice(4, truth.shape, p=[0.6, 0.2, 0.12, 0.08])
    draw = rng.random(truth.shape)
    is_high = system_b >= np.sort(system_b, axis=1)[:, -5:-4]
    return {
        "good: 1 of 10 labels is a grade off": np.clip(truth + step * (draw < 0.1), 0, 3),
        "lenient: 3 of 10 are a grade too high": np.clip(truth + (draw < 0.3), 0, 3),
        "careless: 3 of 10 are at random": np.where(draw < 0.3, at_random, truth),
        "fond of B: half of its first 5 a grade up": np.clip(
            truth + (is_high & (draw < 0.5)), 0, 3
        ),
        "useless: all are at random": at_random,
    }


def ranks(n_sets: int) -> Iterator[Row]:
    """How often all ranks are right, and how many ranks a system can have, of 50 queries."""
    ways = ("max-T", "max-T, step-down", "Holm")
    yield ["systems", "means", "scores", *(f"right: {way}" for way in ways), *ways]
    rng = np.random.default_rng(15)
    n = 50
    for n_systems in (5, 20):
        half = n_systems // 2
        for means_are, means in {
            "equal": np.zeros(n_systems),
            "two groups": np.repeat([0, 1.5], [half, n_systems - half]),
            "0 to 2": np.linspace(0, 2, n_systems),
            "0 to 5": np.linspace(0, 5, n_systems),
        }.items():
            for name in ("normal", "exponential"):
                noise = SCORES[name](rng, (n_systems, n, n_sets))
                # Each data set is a metric.
                systems = {
                    f"s{place}": each for place, each in enumerate(noise + means[:, None, None])
                }
                found = {
                    "max-T": compare_all(systems, n_resamples=399, random_state=0),
                    "Holm": compare_all(systems, correction="holm", test="t"),
                }
                is_found = {way: each.is_significant for way, each in found.items()}
                families = found["max-T"]._families
                is_found["max-T, step-down"] = families.found_stepwise(found["max-T"].pvalue)
                a, b = (
                    np.array([int(each[1:]) for each in names])
                    for names in (found["Holm"].systems_a, found["Holm"].systems_b)
                )
                is_wrong = np.sign(found["Holm"].difference) != np.sign(means[b] - means[a])
                rows = [is_found[way] for way in ways]
                rates = [
                    1 - np.mean((row & is_wrong).reshape(n_sets, -1).any(axis=1)) for row in rows
                ]
                # A difference that is found takes one rank from each of its two systems.
                widths = [n_systems - 2 * row.sum() / n_systems / n_sets for row in rows]
                yield [n_systems, means_are, name, *rates, *widths]


TABLES: dict[str, tuple[Callable[[int], Iterator[Row]], int]] = {
    "coverage": (coverage, 2000),
    "hits": (hits, 2000),
    "hits_in_clusters": (hits_in_clusters, 1000),
    "errors": (errors, 2000),
    "families": (families, 500),
    "simultaneous": (simultaneous, 1000),
    "units": (units, 1000),
    "unequal_units": (unequal_units, 2000),
    "item_weights": (item_weights, 1000),
    "plans": (plans, 1000),
    "looks": (looks, 1000),
    "finds": (finds, 250),
    "margins": (margins, 2000),
    "gates": (gates, 2000),
    "crashes": (crashes, 1000),
    "months": (months, 2000),
    "human": (human, 1000),
    "rare_errors": (rare_errors, 500),
    "ranks": (ranks, 500),
}
"""The tables, each with its number of data sets."""


def main() -> None:
    """Print the tables, and write them if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=TABLES, default=[*TABLES])
    parser.add_argument("--fast", action="store_true", help="few data sets")
    parser.add_argument("--write", action="store_true", help=f"write to {FOLDER}")
    options = parser.parse_args()
    package = Path(ranking_scores.__file__).parent
    if options.write and package.parent != FOLDER.parents[1]:
        parser.error(f"--write needs the package of this checkout on PYTHONPATH, not {package}")
    warnings.simplefilter("ignore", UserWarning)  # of few queries and of no spread
    for name in options.only:
        simulate, n_sets = TABLES[name]
        rows = [_as_cells(row) for row in simulate(20 if options.fast else n_sets)]
        print(f"{name}: {simulate.__doc__}")
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerows(rows)
        print(flush=True)
        if options.write:
            FOLDER.mkdir(exist_ok=True)
            with (FOLDER / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
                csv.writer(file, lineterminator="\n").writerows(rows)


def _as_cells(row: Row) -> list[str]:
    """Return a row with its rates as text."""
    return [f"{each:.3f}" if isinstance(each, np.floating) else str(each) for each in row]


if __name__ == "__main__":
    main()
