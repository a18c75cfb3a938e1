"""What the tests of Spark run in other processes: gains that fail, and scripts with a session.

Run as a script, it scores a frame while its tasks fail, or by Spark Connect, and prints numbers.
"""

from __future__ import annotations

import os
import signal
import sys
from functools import partial
from pathlib import Path

import numpy as np


def fails_once(label, path):
    """Return a gain, but for the first time anywhere, which raises."""
    _only_once(path, lambda: 1 / 0)
    return label**2


def dies_once(label, path):
    """Return a gain, but for the first time anywhere, which ends the process."""
    _only_once(path, lambda: os.kill(os.getpid(), signal.SIGKILL))
    return label**2


def _only_once(path, act):
    """Do something in a worker, if nobody has done it before."""
    if "pyspark.worker" not in sys.modules:
        return  # the driver tries each gain, too
    try:
        Path(path).touch(exist_ok=False)
    except FileExistsError:
        return
    act()


def rows(n_rows=3000, n_queries=400):
    """Return columns of rows of queries, in no order, with ties and grades that are floats."""
    rng = np.random.default_rng(0)
    return {
        "y_true": rng.random(n_rows).round(1),
        "y_score": rng.integers(0, 5, n_rows) / 7,
        "qid": rng.integers(0, n_queries, n_rows),
    }


NAMES = {"label": "y_true", "score": "y_score", "query": "qid"}
"""The columns of `rows`, by what they are."""


def main(master, folder):
    """Print scores of `rows` that workers score which fail, or that are not in this process."""
    import pandas as pd
    from pyspark.sql import SparkSession

    from ranking_scores import scale

    builder = SparkSession.builder.config("spark.sql.shuffle.partitions", "4")
    is_remote = master.startswith("remote ")
    if is_remote:
        session = builder.remote(master.removeprefix("remote ")).getOrCreate()
    else:
        session = builder.master(master).config("spark.ui.enabled", "false").getOrCreate()
        session.sparkContext.setLogLevel("OFF")
    frame = session.createDataFrame(pd.DataFrame(rows())).repartition(3)
    gains = [lambda label: label**2]
    if not is_remote:
        gains += [
            partial(each, path=f"{folder}/{each.__name__}") for each in (fails_once, dies_once)
        ]
    for gain in gains:
        report = scale.report(frame, scores="ndcg", gain=gain, k=[1, 10], **NAMES)
        print(*map(float.hex, report.mean.values()))
    session.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
