"""
A classifier with 50 classes
============================

With many classes, a classifier is often scored by whether the right class is
among its first five. Its scores tie if it counts neighbours or leaves, and
then the answer depends on the names of the classes.
"""

# %%
# The data is simulated: 50 classes, each a cloud of points in ten dimensions.
import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.neighbors import KNeighborsClassifier

rng = np.random.default_rng(0)
centers = rng.normal(size=(50, 10))
label = rng.integers(50, size=6000)
X = centers[label] + rng.normal(size=(6000, 10))
X_train, X_test, y_train, y_test = train_test_split(X, label, random_state=0)

# %%
# Five nearest neighbours vote, so a probability is a multiple of 1/5, and most
# classes get 0.
classifier = KNeighborsClassifier(5).fit(X_train, y_train)
probability = classifier.predict_proba(X_test)
print(np.unique(probability))
n_without = (probability == 0).sum(axis=1)
print(f"classes without a vote, of 50: {n_without.mean():.1f}")

# %%
# The hit rate at 5 is the top-5 accuracy. A class that ties for the fifth rank
# counts by its chance to be among the first five.
from ranking_scores import hit_rate_score

hit_rate_score(y_test, probability, k=5, labels=classifier.classes_)

# %%
# scikit-learn's top-5 accuracy takes one order of the classes that tie: that of
# their columns. If the classes get other names, and so other columns, the
# number changes:
from sklearn.metrics import top_k_accuracy_score

by_names = []
for _ in range(200):
    # The class that was number i is now number column[i].
    column = rng.permutation(50)
    renamed = np.empty_like(probability)
    renamed[:, column] = probability
    by_names.append(
        top_k_accuracy_score(column[y_test], renamed, k=5, labels=np.arange(50))
    )
expected = hit_rate_score(column[y_test], renamed, k=5, labels=np.arange(50))
# sphinx_gallery_start_ignore
assert [round(min(by_names), 2), round(max(by_names), 2)] == [0.76, 0.78]
assert round(expected, 3) == 0.768
# sphinx_gallery_end_ignore
print(f"top_k_accuracy_score: {min(by_names):.4f} to {max(by_names):.4f}")
print(f"hit_rate_score: {expected:.4f}, under every name")

# %%
import matplotlib.pyplot as plt

figure, ax = plt.subplots()
ax.hist(by_names, bins=25)
ax.axvline(expected, color="#d55e00", linewidth=2, label="hit_rate_score")
ax.set_xlabel("top-5 accuracy by scikit-learn")
ax.set_ylabel("ways of naming the classes")
ax.set_title("The same predictions under 200 ways of naming the classes")
ax.legend()

# %%
# Nothing about the classifier has changed from one naming to the next, and its
# top-5 accuracy by scikit-learn goes from 0.76 to 0.78. The line is the
# expected value, 0.768. It is the same under every name.
#
# Here are other cutoffs and the mean reciprocal rank, with the range that ties
# leave open:
from ranking_scores import ranking_report

report = ranking_report(
    y_test,
    probability,
    scores=["hit_rate", "mrr"],
    k=[1, 5, 10],
    labels=classifier.classes_,
    ties=True,
)
# sphinx_gallery_start_ignore
assert round(report["hit_rate@10"], 2) == 0.79
assert [round(report.worst["hit_rate@10"], 2), report.best["hit_rate@10"]] == [
    0.76,
    1,
]
# sphinx_gallery_end_ignore
report

# %%
# The hit rate at 10 is 0.79. An implementation that happens to put the right
# class first among those without a vote would have reported 1, and one that
# puts it last 0.76.
