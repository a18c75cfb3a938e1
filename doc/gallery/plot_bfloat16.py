"""
Scores in bfloat16
==================

Rerankers often run in bfloat16, a float with 8 significant bits. Near 1 its
numbers are so far apart that scores become equal. This example shows what that
does to the mean reciprocal rank.
"""

# %%
# The scores are simulated. Each of 500 queries has 100 candidates, one of which
# is relevant. The logits go through a sigmoid, as in many rerankers. The
# package ``ml_dtypes`` brings bfloat16 to NumPy.
import numpy as np
from ml_dtypes import bfloat16

rng = np.random.default_rng(0)
logit = rng.normal(1, 2.5, (500, 100))
is_relevant = np.zeros((500, 100))
place = rng.integers(100, size=500)
is_relevant[np.arange(500), place] = 1
logit[np.arange(500), place] = rng.normal(7.5, 1.5, 500)
score = (1 / (1 + np.exp(-logit))).astype(np.float32)

print(np.float32([0.99, 0.9973, 0.9981]).astype(bfloat16).astype(np.float32))

# %%
# Every score of the package takes arrays of bfloat16. The report has the range
# of all orders that equal scores allow.
from ranking_scores import mean_reciprocal_rank_score
from ranking_scores.ties import tie_report

variants = {
    "float32": score,
    "bfloat16": score.astype(bfloat16),
    "logits in bfloat16": logit.astype(bfloat16),
}
reports = {
    name: tie_report(
        is_relevant, y_score, score=mean_reciprocal_rank_score, k=10
    )
    for name, y_score in variants.items()
}
# sphinx_gallery_start_ignore
found = [
    (report.worst, report.expected, report.best) for report in reports.values()
]
assert np.round(found, 3).tolist() == [
    [0.711, 0.711, 0.711],
    [0.410, 0.602, 0.880],
    [0.707, 0.710, 0.713],
]
# sphinx_gallery_end_ignore
for name, report in reports.items():
    low, high = report.worst, report.best
    print(f"{name:18}  {low:.3f}  {report.expected:.3f}  {high:.3f}")

# %%
# The columns are the worst order, the expected value and the best order. In
# float32 nothing ties. In bfloat16 the expected MRR falls from 0.711 to 0.602:
# the order of the candidates near 1 is lost, and no metric can bring it back. A
# program that takes one order may report anything from 0.410 to 0.880.
import matplotlib.pyplot as plt

figure, ax = plt.subplots(figsize=(7, 3))
for row, report in enumerate(reports.values()):
    ax.barh(
        row,
        report.best - report.worst,
        left=report.worst,
        height=0.4,
        color="#56b4e9",
    )
    ax.plot(report.expected, row, "o", color="#0072b2", markersize=9)
ax.set_yticks(range(len(reports)), reports)
ax.set_ylim(len(reports) - 0.5, -0.5)
ax.set_xlim(0.35, 0.95)
ax.set_xlabel("MRR@10")
ax.set_title("The expected MRR (dot) and what a sort could have reported (bar)")

# %%
# The logits keep nearly all of it, as they are not crowded together. So rank by
# the logits, or turn them into float32 before the sigmoid.
