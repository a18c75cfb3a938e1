"""Record what SciPy and statsmodels answer about comparisons, in significance_numbers.json.

Run by hand, never by a test: the tests read the numbers, so that they need no statsmodels. On
Python 3.11, after ``pip install statsmodels==0.15.0 scipy==1.17.1 numpy==2.4.6``, run
``python tests/data/make_significance_numbers.py``.

The file holds the inputs of each case beside its answers.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

PATH = Path(__file__).with_name("significance_numbers.json")
LEVEL = 0.9
"""The confidence level of intervals."""


def systems() -> dict[str, Any]:
    """Return scores of systems on 48 queries, with weights, clusters and groups of the queries."""
    rng = np.random.default_rng(28)
    of_query = rng.beta(2, 2, size=48)
    scores = [np.clip(of_query + rng.normal(gain, 0.15, 48), 0, 1) for gain in (0, 0.05, 0.1)]
    return {
        "scores": [each.round(3).tolist() for each in scores],
        "weight": rng.lognormal(size=48).round(3).tolist(),
        "cluster": rng.integers(24, size=48).tolist(),
        "group": rng.integers(3, size=48).tolist(),
    }


def main() -> None:
    """Ask both libraries, and write the file."""
    import statsmodels.api as sm
    from scipy import stats
    from statsmodels.stats.contingency_tables import mcnemar
    from statsmodels.stats.multitest import multipletests
    from statsmodels.stats.oneway import anova_oneway
    from statsmodels.stats.power import TTestPower
    from statsmodels.stats.proportion import proportion_confint
    from statsmodels.stats.weightstats import ttost_paired

    given = systems()
    a, b, c = map(np.array, given["scores"])
    weight, cluster, group = (np.array(given[key]) for key in ("weight", "cluster", "group"))
    differences, one = b - a, np.ones(48)
    by_weight = sm.WLS(differences, one, weights=weight).fit(cov_type="HC1", use_t=True)
    options = {"groups": cluster}
    by_cluster = sm.OLS(differences, one).fit(cov_type="cluster", cov_kwds=options, use_t=True)
    by_both = sm.WLS(differences, one, weights=weight).fit(
        cov_type="cluster", cov_kwds=options, use_t=True
    )
    pairs = [(a, b), (a, c), (b, c)]
    pvalues = [stats.ttest_rel(y, x).pvalue for x, y in pairs]
    hits_a, hits_b = a > 0.5, c > 0.45
    table = [[(x & y).sum() for y in (hits_b, ~hits_b)] for x in (hits_a, ~hits_a)]
    equivalent, upper, lower = ttost_paired(b, a, -0.05, 0.05)
    powers = {
        f"{n} {effect} {side}": TTestPower().power(effect, n, 0.05, alternative=side)
        for n in (5, 20, 100)
        for effect in (0.2, 0.8)
        for side in ("two-sided", "larger")
    }
    found = {
        "regressions": {
            name: [fit.params[0], fit.bse[0], fit.pvalues[0], *fit.conf_int(1 - LEVEL)[0]]
            for name, fit in {
                "weight": by_weight,
                "cluster": by_cluster,
                "weight, cluster": by_both,
            }.items()
        },
        "pvalues": {
            "none": pvalues,
            "holm": multipletests(pvalues, method="holm")[1].tolist(),
            "bh": multipletests(pvalues, method="fdr_bh")[1].tolist(),
        },
        "wilcoxon": stats.wilcoxon(b, a, method="approx", correction=False).pvalue,
        "mcnemar": mcnemar(np.array(table), exact=True).pvalue,
        "margin": {"noninferior": upper[1], "not superior": lower[1], "equivalent": equivalent},
        "interaction": anova_oneway(
            [differences[group == each] for each in range(3)], use_var="unequal"
        ).pvalue,
        "shares": {
            f"{hits} of {n}": {
                "wilson": proportion_confint(hits, n, 1 - LEVEL, "wilson"),
                "exact": proportion_confint(hits, n, 1 - LEVEL, "beta"),
            }
            for hits, n in ((0, 6), (5, 6), (17, 48), (48, 48))
        },
        "powers": powers,
        "tukey": {
            str(k): float(stats.studentized_range.isf(0.05, k, 1e7) / np.sqrt(2))
            for k in (3, 5, 12)
        },
    }
    content = {
        "versions": {name: version(name) for name in ("statsmodels", "scipy", "numpy")},
        "level": LEVEL,
        "given": given,
        "found": found,
    }
    PATH.write_text(json.dumps(content, indent=2, default=float) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
