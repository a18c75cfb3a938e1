"""
A recommender with seen items
=============================

A recommender should not be scored on what its users have already seen. A mask
leaves these items out. If the recommendations are a table, they are joined
with the table of what users chose.
"""

# %%
# The data is simulated: 400 users, 600 items, and a taste of eight dimensions.
# Each user has chosen 50 items. Ten of them are hidden for the test, and the
# model is fitted on the other 40.
import numpy as np

rng = np.random.default_rng(0)
n_users, n_items = 400, 600
utility = rng.normal(size=(n_users, 8)) @ rng.normal(size=(n_items, 8)).T
utility += 1.5 * rng.gumbel(size=utility.shape) + rng.normal(size=n_items)
chosen = np.argsort(-utility, axis=1)[:, :50]
chosen = rng.permuted(chosen, axis=1)
rows = np.arange(n_users)[:, None]
is_seen, is_hidden = np.zeros((2, n_users, n_items), dtype=bool)
is_seen[rows, chosen[:, :40]] = True
is_hidden[rows, chosen[:, 40:]] = True

# %%
# There are two models. One is the popularity of an item, which is the same for
# all users. The other is a matrix factorization of the items that users have
# seen.
popularity = np.broadcast_to(is_seen.sum(axis=0), is_seen.shape)
users, strengths, items = np.linalg.svd(
    is_seen.astype(float), full_matrices=False
)
factorization = users[:, :8] * strengths[:8] @ items[:8]

# %%
# A mask for seen items
# ---------------------
#
# A model gives its highest scores to items that it has seen a user choose.
# These items cannot be hits, and they take the first ranks. ``where=~is_seen``
# leaves them out.
from ranking_scores import ndcg_score, ranking_report

for name, y_score in {
    "popularity": popularity,
    "factorization": factorization,
}.items():
    naive = ndcg_score(is_hidden, y_score, k=10)
    masked = ndcg_score(is_hidden, y_score, k=10, where=~is_seen)
    print(f"{name:14} nDCG@10 {naive:.4f}, without seen items {masked:.4f}")

# %%
# The masked nDCG of the factorization is 0.27, more than twice the naive one.
# Two thirds of its first ten items were seen already. The mask also changes how
# far the models are apart, so it is not only a matter of scale.
#
# The report has the level of chance beside each score. The mask holds for all
# of them:
report = ranking_report(
    is_hidden,
    factorization,
    scores=["ndcg", "recall", "hit_rate"],
    k=[1, 10],
    where=~is_seen,
    chance=True,
)
# sphinx_gallery_start_ignore
ratio = report["ndcg@10"] / ndcg_score(is_hidden, factorization, k=10)
assert 2.2 < ratio < 2.4
assert round(report["ndcg@10"], 2) == 0.27
first_ten = np.argsort(-factorization, axis=1)[:, :10]
assert 0.6 < is_seen[rows, first_ten].mean() < 0.7
assert [
    round(report["hit_rate@10"], 2),
    round(report.chance["hit_rate@10"], 2),
] == [0.91, 0.17]
# sphinx_gallery_end_ignore
report

# %%
# Nine of ten users find a hidden item among the first ten recommendations. At
# random it would be one of six.
from ranking_scores.plotting import RankingCurveDisplay

display = RankingCurveDisplay.from_predictions(
    is_hidden,
    {"factorization": factorization, "popularity": popularity},
    score="recall",
    k=range(1, 51),
    where=~is_seen,
)
display.ax_.set_title("Recall of the ten hidden items")

# %%
# The factorization finds half of the hidden items in 50 recommendations, and
# popularity a quarter of them. Popularity is a count, so nearly all items tie
# with another one. The hatched band around its curve says what that can do to
# the score. It is narrow, since few of these ties reach across a cutoff.
#
# Recommendations in a table
# --------------------------
#
# A recommender often writes the best items of each user into a table, without
# the seen ones. Here it writes 100, with scores of one decimal, and the rows
# come in any order.
import pandas as pd

best = np.argsort(-np.where(is_seen, -np.inf, factorization), axis=1)[:, :100]
predictions = pd.DataFrame(
    {"user": np.repeat(np.arange(n_users), 100), "item": best.ravel()}
)
predictions["score"] = np.round(
    factorization[predictions["user"], predictions["item"]], 1
)
predictions = predictions.sample(frac=1, random_state=0)
predictions.head()

# %%
# :func:`~ranking_scores.tables.from_tables` joins it with the table of hidden
# items. An item that was hidden but not recommended has no rank. It still
# counts among the items to be found. Columns of stars or other grades would be
# named by ``label``.
from ranking_scores.tables import from_tables

user, item = np.nonzero(is_hidden)
hidden = pd.DataFrame({"user": user, "item": item})
data = from_tables(
    hidden, predictions, query="user", item="item", score="score"
)
report = ranking_report(data, scores=["ndcg", "recall"], k=[10, 100], ties=True)
# sphinx_gallery_start_ignore
of_ndcg = [each["ndcg@10"] for each in (report.worst, report.mean, report.best)]
assert [round(each, 2) for each in of_ndcg] == [0.19, 0.25, 0.37]
# sphinx_gallery_end_ignore
report

# %%
# The one decimal makes many items equal. The order of equal items could have
# moved the nDCG at 10 anywhere from 0.19 to 0.37, with 0.25 as the mean over
# all orders. At 100 the ties change nothing in recall, since all 100 items of a
# user are counted. So write scores with all their digits.
#
# The values of each user are in the report, too. They say whom the model serves
# worst:
frame = report.to_frame()
# sphinx_gallery_start_ignore
assert (frame["recall@100"].sort_values()[:3] < 0.25).all()
# sphinx_gallery_end_ignore
frame.sort_values("recall@100").head(3)
