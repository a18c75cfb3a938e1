"""
Curves of three models
======================

A score at one cutoff hides where two rankings differ. Curves over all cutoffs
show it.
"""

# %%
# Three models of different kinds predict the grades of the documents in a
# learning-to-rank sample.
# The sample is in the repository, so run this script in ``doc/gallery`` of a
# clone.
import sys

sys.path.append("../../examples")
from learning_to_rank import load
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeRegressor

X, y, _ = load("train")
X_test, y_test, qid_test = load("test")
models = {
    "100 trees": ExtraTreesRegressor(
        100, max_features=0.3, min_samples_leaf=5, random_state=0
    ),
    "ridge regression": Ridge(alpha=1000),
    "one tree": DecisionTreeRegressor(max_leaf_nodes=8, random_state=0),
}
predictions = {
    name: model.fit(X, y).predict(X_test) for name, model in models.items()
}

# %%
# A dict of predictions draws one curve per model. The dotted line is the level
# of chance: what a random order of the same documents scores on average. The
# score may be any of the package.
import matplotlib.pyplot as plt
from ranking_scores.plotting import RankingCurveDisplay

figure, axes = plt.subplots(1, 2, figsize=(10, 4.2))
for ax, score in zip(axes, ["ndcg", "recall"]):
    RankingCurveDisplay.from_predictions(
        y_test,
        predictions,
        score=score,
        k=range(1, 21),
        qid=qid_test,
        ties=False,
        confidence_level=None,
        ax=ax,
    )
figure.suptitle("nDCG and recall of three models")

# %%
# The 100 trees are above the others nearly everywhere. nDCG tells the models
# apart from the first rank on. Recall tells them apart only in the middle:
# nearly all documents of a query are among the first 20, whoever ranks them, so
# all curves end near the level of chance.
#
# A tree with eight leaves predicts at most eight values, so most documents tie.
# One curve alone shows the range that ties leave open, and the confidence
# interval of the mean:
display = RankingCurveDisplay.from_predictions(
    y_test,
    predictions["one tree"],
    k=range(1, 21),
    qid=qid_test,
    name="one tree",
)
display.ax_.set_title("nDCG of one tree with eight leaves")

# %%
# The wide band is the range of all orders that the tree allows. At the cutoff
# 3:
from ranking_scores import ndcg_score
from ranking_scores.ties import tie_report

report = tie_report(
    y_test, predictions["one tree"], score=ndcg_score, k=3, qid=qid_test
)
# sphinx_gallery_start_ignore
assert [
    round(report.worst, 2),
    round(report.expected, 2),
    round(report.best, 2),
] == [
    0.45,
    0.62,
    0.81,
]
# sphinx_gallery_end_ignore
report

# %%
# The expected nDCG at 3 of the tree is 0.62. A program that takes one order of
# equal scores could have reported anything from 0.45 to 0.81, which is more
# than the distance between the three models.
