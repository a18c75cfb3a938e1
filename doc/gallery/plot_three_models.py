"""
Three models on the same queries
================================

Three models rank the documents of the same 50 queries. Is one of them better,
or could the difference be chance? On which queries? And what do the equal
predictions of one of them do to its score?
"""

# %%
# The models are of different kinds. All of them predict the grades of the
# documents in a learning-to-rank sample. The sample is in the repository, so
# run this script in ``doc/gallery`` of a clone.
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
# of chance: what a random order of the same documents scores on average.
import numpy as np
from ranking_scores.plotting import RankingCurveDisplay

params = {"gain": "exponential", "replace_undefined_by": np.nan}
display = RankingCurveDisplay.from_predictions(
    y_test,
    predictions,
    k=range(1, 21),
    qid=qid_test,
    ties=False,
    confidence_level=None,
    **params,
)
display.ax_.set_title("nDCG of three models")

# %%
# The 100 trees are above the others at every cutoff.
#
# Is that more than chance?
# -------------------------
#
# All models are scored on the same queries, so the test is about the difference
# on each query. Whether a query is hard is in both scores, and cancels out.
# Three comparisons are three chances to find a difference where there is none,
# so the p-values are corrected for their number.
from ranking_scores import ranking_report
from ranking_scores.significance import compare_all, queries_needed

reports = {
    name: ranking_report(
        y_test, y_score, scores="ndcg@10", qid=qid_test, **params
    )
    for name, y_score in predictions.items()
}
comparisons = compare_all(reports, random_state=0)
# sphinx_gallery_start_ignore
assert np.round(comparisons.difference, 3).tolist() == [-0.045, -0.084, -0.039]
assert comparisons.is_significant.tolist() == [False, True, False]
assert 0.07 < comparisons.pvalue[0] < 0.08
assert (comparisons[0].wins, comparisons[0].losses) == (16, 34)
# sphinx_gallery_end_ignore
comparisons

# %%
# One tree is worse than 100 trees, by 0.084. The other two differences may be
# chance. Ridge regression scores 0.045 less than the trees. It wins on 16
# queries and loses on 34. The picture shows by how much, with the mean and its
# interval:
from ranking_scores.plotting import QueryDifferenceDisplay

display = QueryDifferenceDisplay(comparisons[0]).plot()

# %%
# How many queries would it take to find a difference of this size in four of
# five experiments?
needed = queries_needed(reports["ridge regression"], reports["100 trees"])
# sphinx_gallery_start_ignore
assert 78 <= needed <= 84
# sphinx_gallery_end_ignore
print(needed)

# %%
# It takes about 80, even for a single comparison, and there are 50. A
# difference of half this size needs four times as many.
#
# What equal predictions do
# -------------------------
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
    **params,
)
display.ax_.set_title("nDCG of one tree with eight leaves")

# %%
# The wide band is the range of all orders that the tree allows. At the cutoff
# 10:
from ranking_scores.ties import tie_report

report = tie_report(
    y_test, predictions["one tree"], score="ndcg@10", qid=qid_test, **params
)
# sphinx_gallery_start_ignore
found = [report.worst, report.expected, report.best]
assert np.round(found, 2).tolist() == [0.56, 0.69, 0.84]
# sphinx_gallery_end_ignore
report

# %%
# The expected nDCG of the tree is 0.69. A program that takes one order of equal
# scores could have reported anything from 0.56 to 0.84, which is more than the
# distance between the three models.
