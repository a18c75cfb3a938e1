"""
Streaming and merging
=====================

Predictions come in batches, from several processes, and are too many to keep.
:class:`~ranking_scores.StreamingScore` keeps a few numbers of each batch.
Merged, they give the mean of one call on all data, to the last bit.
"""

# %%
# The data is simulated: 6000 queries with 5 to 40 items each, of which four
# workers get a part each.
import numpy as np

rng = np.random.default_rng(0)
sizes = rng.integers(5, 41, size=6000)
qid = np.repeat(np.arange(6000), sizes)
relevance = rng.choice([0, 1, 2, 3], p=[0.7, 0.15, 0.1, 0.05], size=qid.size)
prediction = np.round(relevance + 2 * rng.normal(size=qid.size), 1)
worker = qid % 4

# %%
# Each worker has a stream, and takes its queries in batches of 100.
from ranking_scores import StreamingScore

streams = []
for number in range(4):
    stream = StreamingScore(["ndcg@10", "map"])
    of_worker = np.unique(qid[worker == number])
    for batch in np.array_split(of_worker, 15):
        rows = np.isin(qid, batch)
        stream.update(relevance[rows], prediction[rows], qid=qid[rows])
    streams.append(stream)
    print(f"worker {number}: {stream.compute()['ndcg@10']:.6f}")

# %%
# Streams add up. They can be sent to another process by pickle: a stream holds
# a few sums, and the ids of the queries, by which it refuses a query that comes
# twice.
import pickle

total = sum(streams)
print(total)
print(total.compute())
print(f"{len(pickle.dumps(total)) / 1000:.0f} kB for {qid.size} rows")

# %%
# One call on all data gives the same bits:
from ranking_scores import ndcg_score

at_once = ndcg_score(relevance, prediction, qid=qid, k=10)
# sphinx_gallery_start_ignore
assert total.compute()["ndcg@10"] == at_once
assert len(pickle.dumps(total)) < 50_000
# sphinx_gallery_end_ignore
print(at_once, total.compute()["ndcg@10"] == at_once)

# %%
# The mean of the batch means is another number if batches differ in size:
batches = np.split(np.arange(6000), [100, 2000, 2300])
naive = np.mean(
    [
        ndcg_score(relevance[rows], prediction[rows], qid=qid[rows], k=10)
        for rows in (np.isin(qid, batch) for batch in batches)
    ]
)
# sphinx_gallery_start_ignore
assert 1e-4 < at_once - naive < 2e-4
# sphinx_gallery_end_ignore
print(f"{naive:.6f} instead of {at_once:.6f}")

# %%
# The stream knows its standard error at any time, so it can say when enough was
# read.
import matplotlib.pyplot as plt

stream = StreamingScore("ndcg@10")
n_queries, means, errors = [], [], []
for batch in np.array_split(np.arange(6000), 60):
    rows = np.isin(qid, batch)
    stream.update(relevance[rows], prediction[rows], qid=qid[rows])
    n_queries.append(stream.n_queries)
    means.append(stream.compute())
    errors.append(stream.standard_error)
means, errors = np.array(means), np.array(errors)
# sphinx_gallery_start_ignore
assert [round(each, 3) for each in 1.96 * errors[[9, 59]]] == [0.013, 0.005]
# sphinx_gallery_end_ignore
figure, ax = plt.subplots()
ax.fill_between(
    n_queries, means - 1.96 * errors, means + 1.96 * errors, alpha=0.3
)
ax.plot(n_queries, means)
ax.axhline(at_once, linestyle=":", color="black")
ax.set_xlabel("queries read")
ax.set_ylabel("nDCG@10")
ax.set_title("The mean of a stream, and its 95 % interval, as batches come in")

# %%
# The dotted line is the mean of all 6000 queries. The interval narrows with the
# square root of the number of queries: it reaches 0.013 to either side after
# 1000 queries, and 0.005 after all of them.
