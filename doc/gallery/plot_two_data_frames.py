"""
From two DataFrames to a report
===============================

One table says which films users have rated, another one what a model predicted
for them. :func:`~ranking_scores.tables.from_tables` joins the two, and
:func:`~ranking_scores.ranking_report` scores the predictions.
"""

# %%
# The data is simulated: 300 users, 500 films, and a taste of four dimensions.
# Each user has rated 40 films with one to five stars.
import numpy as np
import pandas as pd

rng = np.random.default_rng(0)
n_users, n_films = 300, 500
taste, style = rng.normal(size=(n_users, 4)), rng.normal(size=(n_films, 4))
liking = taste @ style.T / 2

user = np.repeat(np.arange(n_users), 40)
film = np.concatenate(
    [rng.choice(n_films, 40, replace=False) for _ in range(n_users)]
)
stars = np.clip(
    np.round(3 + liking[user, film] + rng.normal(size=user.size)), 1, 5
)
ratings = pd.DataFrame({"user": user, "film": film, "stars": stars.astype(int)})
ratings.head()

# %%
# The model predicts a rating for every film, rounded to half stars, and the
# predictions table has the 100 best films of each user. Rounding to half stars
# makes many films equal. The rows are shuffled, as they may come in any order.
predicted = (
    np.round(2 * (3 + liking + rng.normal(scale=0.7, size=liking.shape))) / 2
)
best = np.argsort(-predicted, axis=1)[:, :100]
predictions = pd.DataFrame(
    {"user": np.repeat(np.arange(n_users), 100), "film": best.ravel()}
)
predictions["score"] = predicted[predictions["user"], predictions["film"]]
predictions = predictions.sample(frac=1, random_state=0)
predictions.head()

# %%
# Name the columns, and the two tables become two sparse arrays with one row per
# user. A film that was rated but not predicted has no rank. It still counts
# among the films to be found.
from ranking_scores import ranking_report
from ranking_scores.tables import from_tables

data = from_tables(
    ratings,
    predictions,
    query="user",
    item="film",
    label="stars",
    score="score",
)
data.y_true.shape

# %%
# A film is relevant if its user gave it four or five stars:
# ``relevance_threshold=4``. With ``ties=True``, the report also says how far
# the order of equal predictions could move each mean.
report = ranking_report(
    data,
    scores=["ndcg", "recall", "hit_rate"],
    k=[10, 100],
    relevance_threshold=4,
    ties=True,
)
# sphinx_gallery_start_ignore
of_hits = [
    each["hit_rate@10"] for each in (report.worst, report.mean, report.best)
]
width = report.best["ndcg@10"] - report.worst["ndcg@10"]
assert 0.9 < width / report["ndcg@10"] < 1
assert [round(each, 2) for each in of_hits] == [0.37, 0.51, 0.68]
# sphinx_gallery_end_ignore
report

# %%
# About half of the users have a film that they like among their first ten: the
# hit rate is 0.51. The order of films with equal predictions could have moved
# it anywhere from 0.37 to 0.68. At 100 the ties change nothing in recall
# and hit rate, since all 100 films of a user are counted.
#
# The values of each user are in the report, too. They say whom the model serves
# worst:
worst = np.argsort(report.per_query["ndcg@100"])[:3]
# sphinx_gallery_start_ignore
assert report.per_query["ndcg@100"][worst[0]] == 0
# sphinx_gallery_end_ignore
for row in worst:
    user = report.query_ids[row]
    n_liked = (ratings.loc[ratings["user"] == user, "stars"] >= 4).sum()
    value = report.per_query["ndcg@100"][row]
    print(f"user {user}: nDCG {value:.3f}, {n_liked} films with 4 or 5 stars")

# %%
# None of the films that the first of them liked is among the 100 that the model
# predicted.
#
# The picture shows the nDCG of all users at each cutoff up to 100.
from ranking_scores.plotting import RankingCurveDisplay

display = RankingCurveDisplay.from_predictions(
    data,
    k=range(1, 101),
    relevance_threshold=4,
    name="model",
)
display.ax_.set_title(
    "nDCG of the predicted films, and the range that ties leave open"
)

# %%
# The wide band is the range from the worst to the best order of equal
# predictions. At cutoff 10 it is nearly as wide as the nDCG itself. Predictions
# that are not rounded would close it.
