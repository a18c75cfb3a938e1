"""
Top k from a vector index
=========================

A vector index returns the ids of the nearest items and nothing about the
others. :func:`~ranking_scores.retrieved_from_ids` makes scores of such lists,
and items that were not found have no rank.
"""

# %%
# The data is simulated: 5000 documents and 200 queries are vectors of 32
# dimensions. The documents were made in groups of ten. Those of the query's
# group are relevant.
import numpy as np

rng = np.random.default_rng(0)
n_documents, n_queries, n_dimensions = 5000, 200, 32
topics = rng.normal(size=(n_documents // 10, n_dimensions))
documents = np.repeat(topics, 10, axis=0) + 0.9 * rng.normal(
    size=(n_documents, n_dimensions)
)
documents /= np.linalg.norm(documents, axis=1, keepdims=True)
topic = rng.choice(len(topics), n_queries, replace=False)
queries = topics[topic] + 0.9 * rng.normal(size=(n_queries, n_dimensions))

# %%
# The ten documents of the topic are relevant. A sparse matrix holds their
# labels.
from scipy.sparse import csr_array

columns = (10 * topic[:, None] + np.arange(10)).ravel()
indptr = 10 * np.arange(n_queries + 1)
y_true = csr_array(
    (np.ones(columns.size), columns, indptr), shape=(n_queries, n_documents)
)

# %%
# The index is an inverted file: documents are put into 200 cells around the
# means of k-means, and a query searches only the cells nearest to it. It
# returns up to 20 ids, and -1 where it found fewer.
from sklearn.cluster import KMeans

cells = KMeans(200, n_init=1, max_iter=20, random_state=0).fit(documents)


def search(n_probes, k=20):
    """Return ids of the nearest documents, of some of the cells."""
    similarity = queries @ cells.cluster_centers_.T
    nearest = np.argsort(-similarity, axis=1)[:, :n_probes]
    ids = np.full((n_queries, k), -1)
    for row, of_query in enumerate(nearest):
        found = np.flatnonzero(np.isin(cells.labels_, of_query))
        best = found[np.argsort(-documents[found] @ queries[row])][:k]
        ids[row, : best.size] = best
    return ids


# sphinx_gallery_start_ignore
assert round((search(n_probes=1) < 0).any(axis=1).mean(), 1) == 0.2
# sphinx_gallery_end_ignore
search(n_probes=1)[:2]

# %%
# Only one cell was searched here. It had fewer than 20 documents for one query
# in five.
#
# The ids are scored as they came. A relevant document that is not among them
# counts in the ideal of nDCG and among the documents that recall asks for.
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
# sphinx_gallery_start_ignore
recalls = dict(zip(probes, [round(each["recall@20"], 2) for each in reports]))
assert [recalls[n] for n in (1, 16, 32, 200)] == [0.52, 0.71, 0.74, 0.77]
# sphinx_gallery_end_ignore
for n_probes, report in zip(probes, reports):
    ndcg, recall = report["ndcg@10"], report["recall@20"]
    print(f"{n_probes:3} cells: nDCG@10 {ndcg:.3f}, recall@20 {recall:.3f}")

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
# One cell of 200 is enough for half of the relevant documents. 16 cells find 71
# of 100, and all cells find 77: no index can find more, as other documents are
# nearer than the missing ones. nDCG at 10 has nearly its last value from 32
# cells on. So an index that searches a sixth of the documents loses little
# here, and the report says how much, query by query, with standard errors.
