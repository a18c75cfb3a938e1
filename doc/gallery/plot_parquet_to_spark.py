"""
From a Parquet file to Spark
============================

The same call scores a Parquet file that does not fit in memory, and a
DataFrame of Spark. All give the same mean, to the last bit.
"""

# %%
# This writes a small file: 2000 users with 50 items each, one row per item. The
# rows of a user stand together.
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

rng = np.random.default_rng(0)
user = np.repeat(np.arange(2000), 50)
click = rng.random(user.size) < 0.1
model = np.round(click + rng.normal(size=user.size), 2)
folder = tempfile.TemporaryDirectory()
path = Path(folder.name) / "clicks.parquet"
pq.write_table(
    pa.table({"user": user, "click": click, "model": model}),
    path,
    row_group_size=10_000,
)

# %%
# :func:`ranking_scores.scale.per_query` reads a part at a time, and never cuts
# a user in two. It takes the names of the columns, writes the scores of each
# user to a second file, and returns a report.
from ranking_scores import scale

columns = {"y_true": "click", "y_score": "model", "qid": "user"}
values = Path(folder.name) / "values.parquet"
scores = ["ndcg@10", "map"]
report = scale.per_query(path, **columns, scores=scores, path=values)
report

# %%
# One call in memory returns the same number:
from ranking_scores import ndcg_score

in_memory = ndcg_score(click, model, qid=user, k=10)
# sphinx_gallery_start_ignore
assert in_memory == report["ndcg@10"]
# sphinx_gallery_end_ignore
print(in_memory, in_memory == report["ndcg@10"])

# %%
# Here is how the scores of the users are distributed:
import matplotlib.pyplot as plt

per_user = pq.read_table(values)
# sphinx_gallery_start_ignore
assert round(report["ndcg@10"], 3) == 0.447
assert 0.05 < (per_user["ndcg@10"].to_numpy() == 0).mean() < 0.06
# sphinx_gallery_end_ignore
figure, ax = plt.subplots()
ax.hist(per_user["ndcg@10"].to_numpy(), bins=40)
ax.axvline(report["ndcg@10"], color="#d55e00", linewidth=2)
ax.set_xlabel("nDCG@10 of a user")
ax.set_ylabel("users")
ax.set_title("nDCG@10 of 2000 users, and their mean")

# %%
# The mean is 0.447. One of 18 users gets 0: none of their clicks is among the
# first ten.
#
# On a cluster, :func:`ranking_scores.scale.report` takes a DataFrame of Spark
# and the same columns. Spark is large, so this part runs only where PySpark is
# installed:
from importlib.util import find_spec


def score_with_spark():
    """Return the same report, found by the workers of Spark."""
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.master("local[2]").getOrCreate()
    frame = spark.read.parquet(str(path))
    spark_report = scale.report(frame, **columns, scores=scores)
    spark.stop()
    return spark_report


if find_spec("pyspark"):
    print(score_with_spark().mean == report.mean)
folder.cleanup()
