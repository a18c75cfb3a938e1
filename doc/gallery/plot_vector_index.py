"""
Top k from a vector index
=========================

A vector index returns the ids of the nearest items and nothing about the others.
:func:`~ranking_scores.retrieved_from_ids` makes scores of such lists, and items that were not
found have no rank.
"""

# %%
# The data is simulated: 5000 documents and 200 queries are vectors of 32 dimensions. The documents
# were made in groups of ten. Those of the query's group are relevant.
import numpy as np

rng = np.random.default_rng(0)
n_documents, n_queries, n_dimensions = 5000, 200, 32
topics = rng.normal(size=(n_documents // 10, n_dimensions))
documents = np.repeat(topics, 10, axis=0) + 0.9 * rng.normal(size=(n_documents, n_dimensions))
documents /= np.linalg.norm(documents, axis=1, keepdims=True)
topic = rng.choice(len(topics), n_queries, replace=False)
queries = topics[topic] + 0.9 * rng.normal(size=(n_queries, n_dimensions))

# %%
# Relevant are the ten documents of the topic. A sparse matrix holds their labels.
from scipy.sparse import csr_array

columns = (10 * topic[:, None] + np.arange(10)).ravel()
indptr = 10 * np.arange(n_queries + 1)
y_true = csr_array((np.ones(columns.size), columns, indptr), shape=(n_queries, n_documents))

# %%
# The index is an inverted file: documents are put into 200 cells around the means of k-means, and
# a query searches only the cells nearest to it. It returns up to 20 ids, and -1 where it found
# fewer.
from sklearn.cluster import KMeans

cells = KMeans(200, n_init=1, max_iter=20, random_state=0).fit(documents)


def search(n_probes, k=20):
    """Return the ids of the nearest documents in the cells nearest to each query."""
    nearest = np.argsort(-queries @ cells.cluster_centers_.T, axis=1)[:, :n_probes]
    ids = np.full((n_queries, k), -1)
    for row, of_query in enumerate(nearest):
        found = np.flatnonzero(np.isin(cells.labels_, of_query))
        best = found[np.argsort(-documents[found] @ queries[row])][:k]
        ids[row, : best.size] = best
    return ids


search(n_probes=1)[:2]

# %%
# The ids are scored as they came. A relevant document that is not among them counts in the ideal
# of nDCG and among the documents that recall asks for.
from ranking_scores import ranking_report, retrieved_from_ids

probes = [1, 2, 4, 8, 16, 32, 64, 200]
reports = [
    ranking_report(
        y_true,
        retrieved_from_ids(search(n_probes), n_items=n_documents),
        scores=["ndcg", "recall"],
        k=[10, 20],
    )
    for n_probes in probes
]
for n_probes, report in zip(probes, reports):
    print(
        f"{n_probes:3} cells: nDCG@10 {report['ndcg@10']:.3f}, recall@20 {report['recall@20']:.3f}"
    )

# %%
import matplotlib.pyplot as plt

figure, ax = plt.subplots()
for name, style in {"recall@20": "o-", "ndcg@10": "s--"}.items():
    values = [report[name] for report in reports]
    errors = [1.96 * report.standard_error[name] for report in reports]
    ax.errorbar(probes, values, errors, fmt=style, label=name, capsize=3)
ax.set_xscale("log", base=2)
ax.set_xlabel("cells searched, of 200")
ax.set_title("What a vector index finds, by how many cells it searches")
ax.legend()

# %%
# TEXT
