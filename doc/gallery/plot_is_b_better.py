"""
Two models on the same queries
==============================

Two models rank the same 50 queries. One scores higher than the other. Could
that be chance?
"""

# %%
# The models are a ridge regression and a forest of trees. Both predict the
# grade of a document.
# The sample is in the repository, so run this script in ``doc/gallery`` of a
# clone.
import sys

sys.path.append("../../examples")
from learning_to_rank import load
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.linear_model import Ridge

X, y, _ = load("train")
X_test, y_test, qid_test = load("test")
model_a = Ridge(alpha=10).fit(X, y)
model_b = ExtraTreesRegressor(
    100, max_features=0.3, min_samples_leaf=5, random_state=0
).fit(X, y)

# %%
# ``average=None`` returns the score of each query instead of the mean.
import numpy as np
from ranking_scores import ndcg_score

params = {
    "k": 10,
    "qid": qid_test,
    "gain": "exponential",
    "replace_undefined_by": np.nan,
}
scores_a = ndcg_score(y_test, model_a.predict(X_test), average=None, **params)
scores_b = ndcg_score(y_test, model_b.predict(X_test), average=None, **params)
print(f"A {np.nanmean(scores_a):.4f}, B {np.nanmean(scores_b):.4f}")

# %%
# Both models are scored on the same queries, so the test is about the
# difference on each query. Whether a query is hard is in both scores, and
# cancels out.
from ranking_scores.significance import compare, queries_needed

comparison = compare(scores_a, scores_b)
# sphinx_gallery_start_ignore
assert round(comparison.difference, 3) == 0.062
assert [round(comparison.low, 2), round(comparison.high, 2)] == [0.03, 0.09]
assert comparison.pvalue < 0.001
assert (comparison.wins, comparison.losses) == (35, 15)
# sphinx_gallery_end_ignore
comparison

# %%
# Yes, B is better. Its nDCG at 10 is 0.062 higher, and somewhere from 0.03 to
# 0.09 higher on queries like these. If the models did not differ, a difference
# this large would come about in fewer than one in 1000 samples of queries.
#
# B is not better everywhere. It wins on 35 queries and loses on 15. The picture
# shows by how much, with the mean and its interval:
from ranking_scores.plotting import QueryDifferenceDisplay

display = QueryDifferenceDisplay(comparison).plot()
display.ax_.set_title("nDCG@10 of B minus that of A, on each query")

# %%
# How many queries would it take to find a difference of this size in four of
# five experiments?
needed = queries_needed(scores_a, scores_b)
# sphinx_gallery_start_ignore
assert 27 <= needed <= 31
# sphinx_gallery_end_ignore
print(needed)

# %%
# It takes about 30, so 50 queries were enough. A difference of half this size
# needs four times as many.
