"""Rows per second and memory on data that need not fit in memory: one call, files, engines.

python benchmarks/scale.py
python benchmarks/scale.py --rows 1e6 1e7 1e8 --only one parquet
python benchmarks/scale.py --shuffled --rows 2e7 --only any duckdb
python benchmarks/scale.py --growth
python benchmarks/scale.py --today

Each way runs in a process of its own, on the same file, and must find the same number. An engine
that is not installed is left out.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

COLUMNS = {"label": "label", "score": "score", "query": "qid"}
PARAMETERS = {"label": "y_true", "score": "y_score", "query": "qid"}
NAMES = list(COLUMNS.values())
STEP = 1_000_000
"""Rows of a row group."""
SIX = ["ndcg", "map", "mrr", "precision", "recall", "hit_rate"]
ENGINES = {
    "one": "pyarrow",
    "parquet": "pyarrow",
    "any": "pyarrow",
    "duckdb": "duckdb",
    "dask": "dask.dataframe",
    "spark": "pyspark",
}


def write(path: Path, n_rows: int, n_items: int, is_shuffled: bool = False) -> None:
    """Write rows that are sorted by query, or in no order, with about `n_items` rows each.

    Row groups cut some of the queries.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    schema = pa.schema([("qid", pa.int64()), ("label", pa.int8()), ("score", pa.float64())])
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, n_rows, STEP):
            row = np.arange(start, min(start + STEP, n_rows))
            if is_shuffled:
                row = rng.integers(0, n_rows, row.size)
            labels = rng.integers(0, 5, row.size).astype(np.int8)
            columns = [row // n_items, labels, rng.random(row.size)]
            writer.write_table(pa.table(columns, schema=schema))


Work = Callable[[], Any]


def one(path: str, score: Any, k: Any) -> tuple[Work, Work | None]:
    """Return one call on all rows, which are in memory, and the reading of them."""
    import pyarrow.parquet as pq

    from ranking_scores import StreamingScore

    def call() -> Any:
        table = pq.read_table(path, columns=NAMES)
        arrays = {PARAMETERS[name]: table[of].to_numpy() for name, of in COLUMNS.items()}
        stream = StreamingScore(score, k=k, check_qid=False)  # of one update: several scores, too
        stream.update(**arrays)
        return stream.compute()

    return call, lambda: pq.read_table(path, columns=NAMES)


def parquet(path: str, score: Any, k: Any) -> tuple[Work, Work | None]:
    """Return the scores of the file, and the reading of it in the same batches."""
    from ranking_scores import scale
    from ranking_scores._base._errors import ErrorNames
    from ranking_scores._files._parquet import FileSource

    def read() -> None:
        for _ in FileSource(path, None, ErrorNames("scale.report", "data")).batches(COLUMNS):
            pass

    return lambda: dict(scale.report(path, **COLUMNS, scores=score, k=k).mean), read


def any_order(path: str, score: Any, k: Any) -> tuple[Work, Work | None]:
    """Return the scores of rows in any order, on two threads, and the reading of them."""
    from ranking_scores import scale

    _, read = parquet(path, score, k)
    options = {"scores": score, "k": k, "order": "any", "n_jobs": 2}
    return lambda: dict(scale.report(path, **COLUMNS, **options).mean), read


def duckdb(path: str, score: Any, k: Any) -> tuple[Work, Work | None]:
    """Return nDCG in SQL on two threads, exact under ties, and the sum of a column."""
    import duckdb

    if (score, np.size(k)) != ("ndcg", 1):
        raise ValueError("the SQL is that of nDCG at one cutoff")
    connection = duckdb.connect()
    connection.execute("SET threads = 2")
    discount = (1 / np.log2(np.arange(k) + 2)).tolist()
    total = np.cumsum([0, *discount]).tolist()
    query = f"""
        WITH rows AS (
            SELECT qid, label,
                rank() OVER (PARTITION BY qid ORDER BY score DESC) AS first,
                count(*) OVER (PARTITION BY qid, score) AS n_tied,
                row_number() OVER (PARTITION BY qid ORDER BY label DESC) AS ideal_rank
            FROM '{path}'
        ), sums AS (
            SELECT
                sum(label * ({total}[least(first + n_tied - 1, {k}) + 1]
                             - {total}[least(first - 1, {k}) + 1]) / n_tied) AS dcg,
                sum(CASE WHEN ideal_rank <= {k} THEN label * {discount}[ideal_rank] ELSE 0 END)
                    AS ideal
            FROM rows GROUP BY qid
        )
        SELECT avg(CASE WHEN ideal > 0 THEN dcg / ideal ELSE 0 END) FROM sums
    """

    def run(text: str) -> Any:
        return connection.execute(text).fetchone()

    return lambda: run(query), lambda: run(f"SELECT sum(score) FROM '{path}'")


def dask(path: str, score: Any, k: Any) -> tuple[Work, Work | None]:
    """Return the scores by Dask's threads, and its shuffle alone."""
    import dask.dataframe

    from ranking_scores import scale

    frame = dask.dataframe.read_parquet(path, columns=NAMES, split_row_groups=1)

    def shuffle() -> Any:
        return frame.shuffle(on="qid").map_partitions(len).sum().compute()

    return lambda: dict(scale.report(frame, **COLUMNS, scores=score, k=k).mean), shuffle


def spark(path: str, score: Any, k: Any) -> tuple[Work, Work | None]:
    """Return the scores by Spark on two cores, and its shuffle and sort alone."""
    from ranking_scores import scale

    frame = _session().read.parquet(path).select(NAMES)

    def shuffle() -> None:
        rows = frame.repartition("qid").sortWithinPartitions("qid")
        rows.write.format("noop").mode("overwrite").save()

    return lambda: dict(scale.report(frame, **COLUMNS, scores=score, k=k).mean), shuffle


def _session() -> Any:
    """Return a session of Spark on two cores."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    return builder.config("spark.driver.memory", "4g").getOrCreate()


def pandas_groups(path: str) -> Work:
    """Return the mean over the groups of pandas of the score of scikit-learn."""
    import pandas as pd

    def call() -> Any:
        frame = pd.read_parquet(path, columns=NAMES)
        return frame.groupby("qid")[["label", "score"]].apply(_of_sklearn).mean()

    return call


def _of_sklearn(rows: Any) -> float:
    from sklearn.metrics import ndcg_score

    return float(ndcg_score([rows["label"]], [rows["score"]], k=10))


def spark_groups(path: str) -> Work:
    """Return the mean over the groups of Spark of the score of scikit-learn."""
    import pandas as pd

    frame = _session().read.parquet(path).select(NAMES)

    def of_query(rows: Any) -> Any:
        from sklearn.metrics import ndcg_score

        value = float(ndcg_score([rows["label"]], [rows["score"]], k=10))
        return pd.DataFrame({"value": [value]})

    def call() -> Any:
        values = frame.groupBy("qid").applyInPandas(of_query, "value double")
        return values.agg({"value": "mean"}).collect()[0][0]

    return call


def spark_metrics(path: str) -> Work:
    """Return the nDCG of Spark itself, at one cutoff, of labels that are relevant or not."""
    from pyspark.ml.evaluation import RankingEvaluator

    rows = (
        _session()
        .read.parquet(path)
        .selectExpr("qid", "label", "score", "double(monotonically_increasing_id()) AS item")
    )
    lists = rows.groupBy("qid").agg(
        *(
            _expression(text)
            for text in (
                "sort_array(collect_list(struct(score, item)), false).item AS prediction",
                "collect_list(if(label > 0, item, null)) AS label",
            )
        )
    )
    evaluator = RankingEvaluator(metricName="ndcgAtK", k=10)
    return lambda: evaluator.evaluate(lists)


def _expression(text: str) -> Any:
    from pyspark.sql.functions import expr

    return expr(text)


TODAY = {
    "groupby.apply of pandas": ("pandas", pandas_groups),
    "applyInPandas of Spark": ("pyspark", spark_groups),
    "RankingEvaluator of Spark": ("pyspark", spark_metrics),
}
WAYS = {
    "one": one,
    "parquet": parquet,
    "any": any_order,
    "duckdb": duckdb,
    "dask": dask,
    "spark": spark,
}
NEED_ORDER = ("parquet",)
"""The ways that need the rows of each query together."""


def measure(way: str, path: str, score: Any, k: Any, repeat: int) -> dict[str, Any]:
    """Return what a way found, its time and that of what it is compared with, and its memory."""
    work, alone = WAYS[way](path, score, k)
    clock = time.process_time if way in ("one", "parquet") else time.perf_counter
    best: list[float] = [np.inf, np.inf]
    found = None
    if clock is time.perf_counter and alone is not None:  # Engines start, and Java compiles.
        work()
        alone()
    for _ in range(repeat):
        for place, each in enumerate((work, alone)):
            start = clock()
            result = each() if each is not None else None
            best[place] = min(best[place], clock() - start)
            found = result if place == 0 else found
    found = np.ravel(list(found.values()) if isinstance(found, dict) else found).tolist()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024  # kilobytes on Linux
    return {"found": found, "seconds": best, "peak": peak}


def in_own_process(way: str, path: Path, score: Any, k: Any, repeat: int) -> dict[str, Any]:
    """Return what `measure` does, measured in a fresh process."""
    order = json.dumps([way, str(path), score, k, repeat])
    command = [sys.executable, __file__, "--measure", order]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    measured: dict[str, Any] = json.loads(output.splitlines()[-1])
    return measured


def is_there(library: str) -> bool:
    """Return whether a library is installed, with what it is in."""
    return find_spec(library.partition(".")[0]) is not None


def compare(
    sizes: list[int], n_items: int, ways: list[str], repeat: int, is_shuffled: bool
) -> None:
    """Print the ways at some numbers of rows."""
    ways = [way for way in ways if not (is_shuffled and way in NEED_ORDER)]
    print("rows       way           s  M rows/s  alone s  ratio    MB")
    for n_rows in sizes:
        with TemporaryDirectory() as folder:
            path = Path(folder, "rows.parquet")
            write(path, n_rows, n_items, is_shuffled)
            expected = None
            for way in ways:
                if not is_there(ENGINES[way]):
                    print(f"{n_rows:<10} {way}: {ENGINES[way]} is not installed", flush=True)
                    continue
                measured = in_own_process(way, path, "ndcg", 10, repeat)
                expected = expected or measured["found"]
                is_right = measured["found"] == expected
                if way == "duckdb" or ways[0] == "duckdb":  # whose sums are rounded
                    is_right = bool(np.allclose(measured["found"], expected, rtol=1e-9))
                assert is_right, (way, measured["found"], expected)
                seconds, alone = measured["seconds"]
                print(
                    f"{n_rows:<10} {way:8} {seconds:6.2f}  {n_rows / seconds / 1e6:8.1f}  "
                    f"{alone:7.2f}  {seconds / alone:5.2f}  {measured['peak'] / 1e6:4.0f}",
                    flush=True,
                )


def growth(n_rows: int, repeat: int) -> None:
    """Print how long Parquet files take by the length of queries, and by scores and cutoffs."""
    print("rows a query  scores  cutoffs      s  M rows/s")
    works: list[tuple[int, Any, Any]] = [
        *((n_items, "ndcg", 10) for n_items in (2, 10, 50, 500, 50_000)),
        (50, "ndcg", None),
        (50, "ndcg", [1, 5, 10]),
        (50, "ndcg", list(range(1, 51))),
        (50, SIX, [1, 5, 10]),
    ]
    for n_items, score, k in works:
        with TemporaryDirectory() as folder:
            path = Path(folder, "rows.parquet")
            write(path, n_rows, n_items)
            seconds, _ = in_own_process("parquet", path, score, k, repeat)["seconds"]
        n_scores, n_cutoffs = len(score) if score is SIX else 1, np.size(k)
        rate = n_rows / seconds / 1e6
        print(
            f"{n_items:12}  {n_scores:6}  {n_cutoffs if k else 'all':>7}  {seconds:5.2f}  "
            f"{rate:8.1f}",
            flush=True,
        )


def today(limit: float) -> None:
    """Print how fast the usual ways are, on as many rows as take them some seconds."""
    print("way                         rows      s  rows/s")
    for name, (library, way) in TODAY.items():
        n_rows, seconds = 50_000, 0.0
        while is_there(library) and seconds < limit / 3:
            n_rows *= 2
            with TemporaryDirectory() as folder:
                path = Path(folder, "rows.parquet")
                write(path, n_rows, 50)
                work = way(str(path))
                start = time.perf_counter()
                work()
                seconds = time.perf_counter() - start
        print(
            f"{name:25} {n_rows:7} {seconds:6.1f}  {n_rows / max(seconds, 1e-9):6.0f}", flush=True
        )


def main() -> None:
    """Read what to measure, and print it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rows", nargs="+", type=float, default=[1e6, 1e7], help="how many rows")
    parser.add_argument("--per-query", type=int, default=50, help="how many of them a query has")
    parser.add_argument("--only", nargs="+", choices=WAYS, default=list(WAYS), help="which ways")
    parser.add_argument("--repeat", type=int, default=3, help="the best of so many times")
    parser.add_argument(
        "--growth", action="store_true", help="how the time of Parquet files grows"
    )
    parser.add_argument(
        "--shuffled", action="store_true", help="whether rows are in no order, as in a log by time"
    )
    parser.add_argument(
        "--today", action="store_true", help="how fast what people use without this package is"
    )
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    given = parser.parse_args()
    sizes = [int(n_rows) for n_rows in given.rows]
    if given.measure:
        print(json.dumps(measure(*json.loads(given.measure))))
    elif given.today:
        today(60)
    elif given.growth:
        growth(sizes[-1], given.repeat)
    else:
        compare(sizes, given.per_query, given.only, given.repeat, given.shuffled)


if __name__ == "__main__":
    main()
