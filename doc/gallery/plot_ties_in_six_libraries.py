"""
What ties do to six libraries
=============================

Three of six items share the best score. Six libraries score these items, and
most of them take one order of the equal ones. This example shows their
numbers and reproduces each of them.
"""

# %%
# The numbers were recorded when the libraries were run, with their versions.
# They are in a file of the repository, so run this script in ``doc/gallery`` of
# a clone. The gain of an item is its label in all
# six, so only the order of equal scores differs.
import json

with open("../../tests/data/peer_numbers.json", encoding="utf-8") as file:
    recorded = json.load(file)

y_true, y_score = (
    recorded["cases"]["six_items"][name] for name in ("y_true", "y_score")
)
print("y_true ", y_true)
print("y_score", y_score)

answers = {}
for library in [
    "scikit-learn",
    "pytrec_eval",
    "ranx",
    "ignite",
    "keras_rs",
    "pytorchltr",
]:
    peer = recorded["peers"][library]
    for run in peer["results"]["six_items"]["runs"]:
        if (run["metric"], run["k"], run["gain"]) == ("ndcg", 3, "linear"):
            low, high = (
                (run["mean"],) * 2
                if run["deterministic"]
                else (run["min"], run["max"])
            )
            answers[f"{library} {peer['version']}"] = low, high
            break
for library, (low, high) in answers.items():
    print(f"{library:20} {low:.4f}" + (f" to {high:.4f}" if high > low else ""))

# %%
# The last two libraries shuffle equal items, so their number changes from call
# to call.
#
# ``ranking_scores`` returns the expected value over all orders that the scores
# allow. scikit-learn does the same by default. The report says how far apart
# the orders are:
from ranking_scores import ndcg_score
from ranking_scores.ties import tie_report

report = tie_report(y_true, y_score, score=ndcg_score, k=3)
# sphinx_gallery_start_ignore


def is_near(a, b):
    return abs(a - b) < 1e-6


for found, expected in zip(
    answers.values(),
    [(report.expected,) * 2, (report.as_ordered,) * 2, None, None]
    + [(report.worst, report.best)] * 2,
):
    assert expected is None or all(map(is_near, found, expected))
# sphinx_gallery_end_ignore
report

# %%
# The worst order and the best one are the two ends of the libraries that
# shuffle. One order of the equal items gives the number of each other library.
# pytrec_eval orders them by document id, the largest first. That is the later
# item first if ids ascend, which is ``ignore_ties=True``. ranx and ignite keep
# the order of the data in a list as short as this. Reverse the items to put the
# earlier one first:
y_true_reversed, y_score_reversed = [y_true[0][::-1]], [y_score[0][::-1]]
later_first = ndcg_score(y_true, y_score, k=3, ignore_ties=True)
earlier_first = ndcg_score(
    y_true_reversed, y_score_reversed, k=3, ignore_ties=True
)
# sphinx_gallery_start_ignore
assert is_near(later_first, answers["pytrec_eval 0.5.11"][0])
assert is_near(earlier_first, answers["ranx 0.3.21"][0])
assert is_near(earlier_first, answers["ignite 0.5.5"][0])
assert round(report.expected, 4) == 0.4475
# sphinx_gallery_end_ignore
print(f"later first {later_first:.4f}, earlier first {earlier_first:.4f}")

# %%
# The picture has one row per library. A dot is a number, and a bar is a range.
import matplotlib.pyplot as plt

figure, ax = plt.subplots()
for row, (low, high) in enumerate(answers.values()):
    if low == high:
        ax.plot(low, row, "o", color="#0072b2", markersize=10)
    else:
        ax.barh(row, high - low, left=low, height=0.35, color="#0072b2")
ax.axvline(report.expected, color="#d55e00", linewidth=2.5)
ax.annotate(
    "ranking_scores",
    (report.expected, -0.8),
    (6, 0),
    textcoords="offset points",
    color="#d55e00",
)
ax.set_yticks(range(len(answers)), answers)
ax.set_xlim(0.3, 0.6)
ax.set_ylim(len(answers) - 0.5, -1.2)
ax.set_xlabel("nDCG@3 of the same six items")
ax.set_title("Six libraries score the same six items")

# %%
# The line at 0.4475 is the expected value. It does not depend on the order of
# the data, on the ids of documents or on a seed. The numbers of five libraries
# do.
#
# By default ignite, keras_rs and pytorchltr have another gain, 2\ :sup:`label`
# - 1. Their numbers with it, and the libraries' answers on other cases, are in
# the same file.
