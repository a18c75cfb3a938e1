"""Twice the data, twice the time: of every way in and out of the package.

python benchmarks/growth.py
python benchmarks/growth.py --fast
python benchmarks/growth.py --only "explain a query" "TREC, blank lines"

Each row doubles one thing, such as the queries, the items of one query, or the length of an id,
until a call takes some time, and once more. It fails if the last doubling takes more than 2.6
times as long, and so do the next two. So nothing here may grow with the square of the data,
however small its part of the time is at first, while a step at the end of a cache may.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import io
import json
import sys
import warnings
from collections.abc import Callable
from copy import copy
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from scaling import seconds
from scipy.sparse import csr_array
from suite import data
from suite.cost import NEEDED, SCORES
from threadpoolctl import threadpool_limits

import ranking_scores
from ranking_scores import from_lists, from_table, from_tables, ranking_report
from ranking_scores.__main__ import main as command
from ranking_scores.conventions import like
from ranking_scores.explain import explain_difference, explain_query
from ranking_scores.gates import check
from ranking_scores.report import read_report
from ranking_scores.significance import changes, compare, compare_all, confidence_interval
from ranking_scores.streaming import StreamingScore, read_stream, whole_queries
from ranking_scores.tables import read_json
from ranking_scores.ties import chance_level, tie_report
from ranking_scores.trec import from_pytrec_eval, read_qrels, read_run, to_pytrec_eval, write_run
from ranking_scores.unjudged import items_to_judge, score_bounds

Call = Callable[[], object]
MOST = 2.6
"""How many times as long twice the data may take."""
IN_A_ROW = 3
"""The number of doublings that have to take longer."""
GROWS = 1.5
"""From this factor on, a call is not only what each call takes, whatever its data."""
REPEAT = 5
BUILD = 30
"""Data that take so many times as long to make as a call has to take are not doubled again."""


class Row(NamedTuple):
    """Work that is doubled."""

    build: Callable[[int, Path], Call]
    """Returns a call on data of some size. Its files go into a folder."""
    first: int
    """The smallest size."""


ROWS: dict[str, Row] = {}


def row(name: str, first: int = 500) -> Callable[[Callable[..., Call]], Callable[..., Call]]:
    """Add a function that builds calls to the table."""

    def add(build: Callable[..., Call]) -> Callable[..., Call]:
        ROWS[name] = Row(build, first)
        return build

    return add


# --- scores of arrays --------------------------------------------------------------------------


def add_scores() -> None:
    """Add the scores in all layouts, of which the queries double, and then the items of one."""

    def dense(n_queries: int, n_items: int, score: Any, options: Any) -> Call:
        labels, scores = data.graded(n_queries, n_items)
        labels = labels > 0 if score is ranking_scores.bpref_score else labels
        return partial(score, labels, scores.round(2), **options)

    for name, parameters in SCORES.items():
        score = getattr(ranking_scores, name)
        options = NEEDED.get(name, {})
        at_10 = options | ({"k": 10} if "k" in parameters else {})
        ROWS[f"{name}, queries"] = Row(partial(of_size, dense, 20, score, at_10), 4000)
        # All ranks, if the score has them. Ties of the stops of ERR take longer than their number.
        if name != "expected_reciprocal_rank_score":
            ROWS[f"{name}, items of one query"] = Row(
                partial(one_query, dense, score, at_10), 32_000
            )


def of_size(build: Any, n_items: int, score: Any, options: Any, n: int, _: Path) -> Call:
    """Return a call on queries of some length."""
    return build(n, n_items, score, options)


def one_query(build: Any, score: Any, options: Any, n: int, _: Path) -> Call:
    """Return a call on one query, at a cutoff of half of its items."""
    return build(1, n, score, options | ({"k": n // 2} if "k" in options else {}))


add_scores()


@row("ragged, queries", 4_000)
def _(n: int, _: Path) -> Call:
    labels, scores, qid = data.ragged([20] * n)
    order = np.random.default_rng(0).permutation(qid.size)
    return partial(ranking_scores.ndcg_score, labels[order], scores[order], qid=qid[order])


@row("ragged, ids of text", 4_000)
def _(n: int, _: Path) -> Call:
    labels, scores, qid = data.ragged([5] * n)
    text = np.array([f"query {each}" for each in qid], dtype=object)
    return partial(ranking_scores.ndcg_score, labels, scores, qid=text)


@row("ragged, one long id", 320_000)
def _(n: int, _: Path) -> Call:
    qid = ["a" * n + end for end in "xyxyz"]
    return partial(ranking_scores.ndcg_score, [1, 0, 1, 0, 1], [5, 4, 3, 2, 1], qid=qid)


@row("ragged, a query longer than the others", 16_000)
def _(n: int, _: Path) -> Call:
    labels, scores, qid = data.ragged([n, *[3] * n])
    return partial(ranking_scores.ndcg_score, labels, scores, qid=qid, k=10)


@row("sparse labels, queries", 400)
def _(n: int, _: Path) -> Call:
    labels, scores = data.sparse_labels(n, 2000, 10)
    return partial(ranking_scores.ndcg_score, labels, scores, k=10)


@row("class labels, samples", 8_000)
def _(n: int, _: Path) -> Call:
    return partial(ranking_scores.hit_rate_score, *data.class_labels(max(n, 50), 50), k=5)


@row("class labels, classes", 51_200)
def _(n: int, _: Path) -> Call:
    scores = np.random.default_rng(4).random((50, n))
    classes = np.arange(n)
    return partial(ranking_scores.hit_rate_score, classes[:50], scores, k=5, labels=classes)


@row("retrieved, queries", 800)
def _(n: int, _: Path) -> Call:
    labels, ids, scores = data.retrieved_ids(n, 10_000)

    def call() -> object:
        found = ranking_scores.retrieved_from_ids(ids, scores, n_items=10_000)
        return ranking_scores.ndcg_score(labels, found, k=10)

    return call


@row("sizes of queries", 128_000)
def _(n: int, _: Path) -> Call:
    sizes = np.full(n, 7)
    return lambda: ranking_scores.sizes_from_qid(ranking_scores.qid_from_sizes(sizes))


@row("a measure of another program", 2_000)
def _(n: int, _: Path) -> Call:
    labels, scores = data.graded(n, 20)
    return partial(like("trec_eval", "ndcg_cut_10"), labels, scores.round(1))


# --- judgments and predictions by id -----------------------------------------------------------


def dicts(n_queries: int, n_items: int = 10) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the grades and the scores of items by query."""
    items = {q: [f"d{q}-{i}" for i in range(n_items)] for q in range(n_queries)}
    relevant = {f"q{q}": dict.fromkeys(items[q][::3], 2) for q in items}
    scores = {
        f"q{q}": {item: -float(7 * i % n_items) for i, item in enumerate(items[q])} for q in items
    }
    return relevant, scores


def tables(n_queries: int, n_items: int = 10) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the same as two tables, whose rows are in no order."""
    found = []
    for name, by_query in zip(("label", "score"), dicts(n_queries, n_items), strict=True):
        rows = [(q, item, value) for q, of in by_query.items() for item, value in of.items()]
        np.random.default_rng(0).shuffle(rows)
        found.append(
            dict(zip(("query", "item", name), map(list, zip(*rows, strict=True)), strict=True))
        )
    return found[0], found[1]


def scored(build: Callable[[], Any]) -> Call:
    """Return a call that joins data and computes a score, and one that needs all columns."""

    def call() -> object:
        joined = build()
        return ranking_scores.ndcg_score(joined, k=10), joined.item_ids

    return call


for name, shape in {"queries": lambda n: (n, 10), "items": lambda n: (2, n)}.items():

    @row(f"from_lists, {name}", 200)
    def _(n: int, _: Path, shape: Any = shape) -> Call:
        return scored(partial(from_lists, *dicts(*shape(n))))

    @row(f"from_tables, {name}", 200)
    def _(n: int, _: Path, shape: Any = shape) -> Call:
        return scored(partial(from_tables, *tables(*shape(n))))

    @row(f"from_table, {name}", 200)
    def _(n: int, _: Path, shape: Any = shape) -> Call:
        table = tables(*shape(n))[1]
        table["label"] = [n % 3 for n in range(len(table["query"]))]
        return scored(partial(from_table, table))

    @row(f"from_pytrec_eval, {name}", 200)
    def _(n: int, _: Path, shape: Any = shape) -> Call:
        return scored(partial(from_pytrec_eval, *dicts(*shape(n))))

    @row(f"to_pytrec_eval, {name}", 800)
    def _(n: int, _: Path, shape: Any = shape) -> Call:
        return partial(to_pytrec_eval, *data.graded(*shape(n)))

    @row(f"the best of duplicates, {name}", 100)
    def _(n: int, _: Path, shape: Any = shape) -> Call:
        relevant, scores = dicts(*shape(n))
        twice = {q: [*of.items(), *of.items()] for q, of in scores.items()}
        return scored(partial(from_lists, relevant, twice, duplicates="best"))


@row("from_tables, ranks with gaps", 200)
def _(n: int, _: Path) -> Call:
    judgments, predictions = tables(n)
    rank = [int(-2 * score) + 1 for score in predictions.pop("score")]
    return scored(partial(from_tables, judgments, predictions | {"rank": rank}))


for name, k in {"at 10": 10, "all ranks": None}.items():

    @row(f"aspects of one query, {name}", 1_000)
    def _(n: int, _: Path, k: Any = k) -> Call:
        rng = np.random.default_rng(0)
        gold = [{aspect: rng.integers(0, n, 2).tolist() for aspect in range(n)}]
        found = [rng.permutation(n).tolist()]
        scores = ["alpha_ndcg", "ndcg", "recall" if k else "map"]

        def call() -> object:
            joined = from_lists(gold, found, aspects=True, duplicates="best")
            return ranking_report(joined, scores=scores, k=k), str(joined)

        return call


@row("from_lists, one long id on both sides", 640_000)
def _(n: int, _: Path) -> Call:
    return scored(partial(from_lists, [["a" * n, "b"]], [["c", "a" * n]]))


@row("from_tables, ids of one long beginning", 8_000)
def _(n: int, _: Path) -> Call:
    ids = ["a" * n + str(each) for each in range(100)]
    table = {"query": ["q"] * 100, "item": ids}
    return scored(partial(from_tables, table, table | {"score": list(range(100))}))


@row("items of another order of ids", 4_000)
def _(n: int, _: Path) -> Call:
    joined = from_lists(*dicts(n))
    return partial(ranking_scores.ndcg_score, joined, ignore_ties=True)


# --- files -------------------------------------------------------------------------------------


def written(folder: Path, name: str, text: str) -> Path:
    """Return the path of a new file."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@row("TREC, judgments", 8_000)
def _(n: int, folder: Path) -> Call:
    lines = "".join(f"q{i // 10} 0 d{i} {i % 3}\n" for i in range(n))
    return partial(read_qrels, written(folder, f"{n}.qrels", lines))


@row("TREC, a run", 2_000)
def _(n: int, folder: Path) -> Call:
    lines = "".join(f"q{i // 10} Q0 d{i} {i % 10 + 1} {-i / 7} tag{i}\n" for i in range(n))
    return partial(read_run, written(folder, f"{n}.run", lines))


@row("TREC, tags with blanks", 1_000)
def _(n: int, folder: Path) -> Call:
    lines = "".join(f"q{i // 10} Q0 d{i} {i % 10 + 1} {-i / 7} my tag\n" for i in range(n))
    return partial(read_run, written(folder, f"{n}.run", lines))


@row("TREC, blank lines at the end", 524_288)
def _(n: int, folder: Path) -> Call:
    return partial(read_qrels, written(folder, f"{n}.qrels", "q 0 d 1\n" + "\n \n" * n))


@row("TREC, comments", 32_000)
def _(n: int, folder: Path) -> Call:
    return partial(read_qrels, written(folder, f"{n}.qrels", "#\nq 0 d 1\n" + " # no\n" * n))


@row("TREC, one long line", 1_600_000)
def _(n: int, folder: Path) -> Call:
    return partial(read_qrels, written(folder, f"{n}.qrels", f"q 0 {'d' * n} 1\n"))


@row("TREC, a bad line at the end", 500)
def _(n: int, folder: Path) -> Call:
    lines = "".join(f"q{i // 10} 0 d{i} {i % 3}\n" for i in range(n)) + "q 0 d x\n"
    return refused(partial(read_qrels, written(folder, f"{n}.qrels", lines)))


@row("TREC, write a run", 200)
def _(n: int, folder: Path) -> Call:
    scores = csr_array(data.graded(n, 10)[1])
    queries, items = [f"q{i}" for i in range(n)], [f"d{i}" for i in range(10)]
    return partial(write_run, folder / f"{n}.run", scores, queries, items)


def refused(call: Call) -> Call:
    """Return a call that must end with an error."""

    def fail() -> None:
        try:
            call()
        except ValueError:
            return
        raise AssertionError("no error")

    return fail


@row("JSON, by query", 1_000)
def _(n: int, folder: Path) -> Call:
    return partial(read_json, written(folder, f"{n}.json", json.dumps(dicts(n)[1])))


@row("JSON, one query", 8_000)
def _(n: int, folder: Path) -> Call:
    return partial(read_json, written(folder, f"{n}.json", json.dumps(dicts(1, n)[1])))


@row("JSON, one record per line", 500)
def _(n: int, folder: Path) -> Call:
    found = dicts(n)[1]
    lines = [json.dumps({"query": q, "retrieved": [*of], "extra": q}) for q, of in found.items()]
    return partial(read_json, written(folder, f"{n}.jsonl", "\n\n".join(lines)))


@row("JSON, one record per item", 250)
def _(n: int, folder: Path) -> Call:
    table = tables(n)[1]
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    return partial(read_json, written(folder, f"{n}.json", json.dumps(rows)))


@row("JSON, a name twice in an object", 8_000)
def _(n: int, folder: Path) -> Call:
    names = "".join(f'"q{i}": [], ' for i in range(n))
    path = written(folder, f"{n}.json", "{" + names + f'"q{n - 1}": []' + "}")
    return refused(partial(read_json, path))


@row("JSON, a query in two records", 1_000)
def _(n: int, folder: Path) -> Call:
    lines = "".join(f'{{"query": "q{i}", "relevant": []}}\n' for i in [*range(n), n - 1])
    path = written(folder, f"{n}.jsonl", lines)
    return refused(partial(read_json, path))


def commanded(*arguments: Any) -> Call:
    """Return a call of the command, without its output."""

    def call() -> None:
        with contextlib.redirect_stdout(io.StringIO()):
            status = command([*map(str, arguments)])
        assert status == 0, arguments

    return call


@row("the command, TREC", 250)
def _(n: int, folder: Path) -> Call:
    relevant, scores = dicts(n)
    qrels = "".join(f"{q} 0 {item} {g}\n" for q, of in relevant.items() for item, g in of.items())
    run = "".join(f"{q} Q0 {item} 1 {s} t\n" for q, of in scores.items() for item, s in of.items())
    files = written(folder, f"{n}.qrels", qrels), written(folder, f"{n}.run", run)
    return commanded(*files, "--by-query", "--format", "csv")


for kind, separator in {"csv": ",", "tsv": "\t"}.items():

    @row(f"the command, {kind.upper()}", 250)
    def _(n: int, folder: Path, kind: str = kind, separator: str = separator) -> Call:
        files = []
        for side in tables(n):
            lines = [[*side], *zip(*side.values(), strict=True)]
            text = "".join(separator.join(map(str, line)) + "\n" for line in lines)
            files.append(written(folder, f"{n}-{len(files)}.{kind}", text))
        return commanded(*files, "--ties", "--unjudged")


@row("the command, quotes in CSV", 2_000)
def _(n: int, folder: Path) -> Call:
    rows = "".join(f'q{i // 10},"d,""{i}""",{i % 3}\n' for i in range(n))
    judged = written(folder, f"{n}.csv", "query,item,label\n" + rows)
    found = written(folder, f"{n}-found.csv", "query,item,score\n" + rows)
    return commanded(judged, found)


@row("the command, JSON", 250)
def _(n: int, folder: Path) -> Call:
    files = [
        written(folder, f"{n}-{place}.json", json.dumps(of)) for place, of in enumerate(dicts(n))
    ]
    return commanded(*files, "--html", folder / "page.html")


# --- reports and what is made of them ----------------------------------------------------------


def report(n_queries: int, seed: int = 0, **options: Any) -> ranking_scores.RankingReport:
    """Return a report of queries of 10 items with ids."""
    labels, scores = data.graded(n_queries, 10)
    scores = scores + 0.3 * np.random.default_rng(seed).random(scores.shape)
    ids = np.array([f"q{n}" for n in range(n_queries)], dtype=object)
    common = {"scores": ["ndcg", "mrr"], "k": [5, 10], "query_ids": ids}
    return ranking_report(labels, scores, **common | options)


@row("report, queries", 4_000)
def _(n: int, _: Path) -> Call:
    return partial(report, n)


@row("report, many cutoffs", 200)
def _(n: int, _: Path) -> Call:
    labels, scores = data.graded(1, 2 * n)
    return partial(ranking_report, labels, scores, scores=["ndcg"], k=list(range(1, n + 1)))


@row("report, groups", 250)
def _(n: int, _: Path) -> Call:
    groups = {"group": np.arange(n) // 2}
    return lambda: report(n, by=groups).to_frame()


@row("report, clusters", 250)
def _(n: int, _: Path) -> Call:
    return lambda: report(n, clusters=np.arange(n) // 2).standard_error


@row("report, unjudged items", 1_600)
def _(n: int, _: Path) -> Call:
    joined = from_lists(*dicts(n))
    return partial(ranking_report, joined, scores=["ndcg", "recall"], k=5, unjudged=True)


VIEWS: dict[str, Callable[[Any], Any]] = {
    "print": str,
    "HTML": lambda made: made._repr_html_(),
    "dict": lambda made: made.to_dict(),
    "frame": lambda made: made.to_frame(),
    "values": lambda made: made.values,
    "errors": lambda made: made.standard_error,
}
for name, view in VIEWS.items():

    @row(f"report, {name}", 200)
    def _(n: int, _: Path, view: Any = view) -> Call:
        made = report(n, by={"group": np.arange(n) // 10})
        return lambda: view(copy(made))  # a copy has not kept what was computed once


@row("report, save and read", 250)
def _(n: int, folder: Path) -> Call:
    made, path = report(n, by={"group": np.arange(n) // 2}), folder / f"{n}.json"

    def call() -> object:
        made.to_json(path)
        return read_report(path)

    return call


@row("gates", 2_000)
def _(n: int, _: Path) -> Call:
    groups = {"group": np.arange(n) // (n // 10)}
    new, old = report(n, 1, by=groups), report(n, 2, by=groups)
    return lambda: str(check(new, old, max_drop=0.01, by="group"))


def pair(n_queries: int) -> list[ranking_scores.RankingReport]:
    """Return two reports of one score."""
    return [report(n_queries, seed, scores=["ndcg"], k=5) for seed in (1, 2)]


@row("compare, t test", 16_000)
def _(n: int, _: Path) -> Call:
    return partial(compare, *pair(n))


@row("compare, permutations", 8_000)
def _(n: int, _: Path) -> Call:
    return partial(compare, *pair(n), test="permutation", n_resamples=99)


@row("compare_all, queries", 1_000)
def _(n: int, _: Path) -> Call:
    systems = {f"run {seed}": report(n, seed) for seed in range(4)}
    return partial(compare_all, systems, n_resamples=99)


@row("compare_all, print and frame", 16)
def _(n: int, _: Path) -> Call:
    # All pairs of systems are compared with one baseline, so the systems double.
    systems = {f"run {seed}": report(20, seed) for seed in range(n)}
    return lambda: str(compare_all(systems, baseline="run 0", n_resamples=99).to_frame())


@row("confidence_interval", 4_000)
def _(n: int, _: Path) -> Call:
    values = np.random.default_rng(0).random(n)
    return partial(confidence_interval, values, method="percentile", n_resamples=99)


@row("changes", 8_000)
def _(n: int, _: Path) -> Call:
    new, old = report(n, 1), report(n, 2)
    return lambda: str(changes(new, old))


@row("changes, items of the queries", 800)
def _(n: int, _: Path) -> Call:
    relevant, scores = dicts(n)
    back = {q: {item: -score for item, score in of.items()} for q, of in scores.items()}
    sides = from_lists(relevant, scores), from_lists(relevant, back)
    new, old = (ranking_report(side, scores=["ndcg"], k=5) for side in sides)
    return lambda: str(changes(new, old, data_new=sides[0], data_old=sides[1]))


# --- explanations, ties and unjudged items -----------------------------------------------------

OF_ONE_QUERY: dict[str, dict[str, Any]] = {
    "ndcg": {},
    "map": {},
    "mrr": {},
    "rbp": {},
    "arp": {},
    "err": {"max_grade": 4},
    "ndcg@10": {},
    "precision@10": {},
}
for name, options in OF_ONE_QUERY.items():
    for is_tied in (False, True):

        @row(f"explain_query, {name}{', ties' * is_tied}", 10)
        def _(
            n: int, _: Path, name: str = name, options: Any = options, is_tied: bool = is_tied
        ) -> Call:
            labels, scores = data.graded(1, n)
            scores = np.argsort(scores) // 20 if is_tied else scores
            return partial(explain_query, labels, scores, score=name, **options)


@row("explain_query, gains that all differ", 800)
def _(n: int, _: Path) -> Call:
    return partial(explain_query, *data.times(1, n), score="ndcg")


@row("explain_query, one score for all", 800)
def _(n: int, _: Path) -> Call:
    labels, scores = data.times(1, n)
    return partial(explain_query, labels, np.zeros_like(scores), score="ndcg")


@row("explain_query, with another ranking", 200)
def _(n: int, _: Path) -> Call:
    labels, scores = data.graded(1, n)
    return lambda: str(explain_query(labels, scores, score="ndcg", other=scores[:, ::-1]))


@row("explain_query, ids", 800)
def _(n: int, _: Path) -> Call:
    return lambda: str(explain_query(from_lists(*dicts(1, n)), score="ndcg"))


@row("explain_query, the worst of many", 12_800)
def _(n: int, _: Path) -> Call:
    return partial(explain_query, *data.graded(n, 10), score="ndcg@5", worst=10)


@row("explain_query, all queries", 10)
def _(n: int, _: Path) -> Call:
    return partial(explain_query, *data.graded(n, 10), score="ndcg@5", worst=n)


@row("explain_difference", 1000)
def _(n: int, _: Path) -> Call:
    labels, scores = data.graded(n, 10)
    value = like("ranx", "ndcg@5")(labels, scores, average=None)
    return partial(explain_difference, labels, scores, value=value, score="ndcg@5")


@row("tie_report", 500)
def _(n: int, _: Path) -> Call:
    labels, scores = data.graded(n, 20)
    return lambda: str(tie_report(labels, scores.round(1), score="ndcg@5"))


@row("chance_level", 4_000)
def _(n: int, _: Path) -> Call:
    return partial(chance_level, data.graded(n, 20)[0], score="ndcg@5")


def unjudged(n: int, _: Path) -> tuple[Any, Any]:
    """Return labels of which some are unknown, and scores."""
    labels, scores = data.graded(n, 10)
    return np.where(scores < 0.3, np.nan, labels > 2), scores


@row("score_bounds", 1_000)
def _(n: int, folder: Path) -> Call:
    return partial(score_bounds, *unjudged(n, folder), score="ndcg@5")


@row("score_bounds, of a difference", 640)
def _(n: int, folder: Path) -> Call:
    labels, scores = unjudged(n, folder)
    return partial(score_bounds, labels, scores, score="ndcg@5", other=scores[:, ::-1])


@row("items_to_judge", 400)
def _(n: int, _: Path) -> Call:
    return partial(items_to_judge, from_lists(*dicts(n)), score="ndcg@5")


# --- streams -----------------------------------------------------------------------------------


@row("stream, batches", 10)
def _(n: int, _: Path) -> Call:
    batches = [data.ragged([10] * 5) for _ in range(n)]

    def call() -> object:
        stream = StreamingScore("ndcg@5")
        for place, (labels, scores, qid) in enumerate(batches):
            stream.update(labels, scores, qid=qid + 5 * place)
        return stream.compute()

    return call


@row("stream, merge, save and read", 1_600)
def _(n: int, folder: Path) -> Call:
    streams, path = [], folder / f"{n}.json"
    for place in range(2):
        stream = StreamingScore(["ndcg", "mrr"], k=[5, 10])
        labels, scores, qid = data.ragged([10] * n)
        stream.update(labels, scores, qid=[f"{place}-{each}" for each in qid])
        streams.append(stream)

    def call() -> object:
        streams[0].to_json(path)
        both = read_stream(path)
        both.merge(streams[1])
        return both.compute()

    return call


@row("whole_queries", 200)
def _(n: int, _: Path) -> Call:
    labels, scores, qid = data.ragged([10] * n)
    starts = range(0, qid.size, 64)
    batches = [
        {"y_true": labels[i : i + 64], "y_score": scores[i : i + 64], "qid": qid[i : i + 64]}
        for i in starts
    ]
    return lambda: [*whole_queries(batches, qid="qid")]


@row("whole_queries, one query", 20)
def _(n: int, _: Path) -> Call:
    batch = {"y_true": np.zeros(64), "y_score": np.zeros(64), "qid": np.zeros(64)}
    return lambda: [*whole_queries([batch] * n, qid="qid")]


# --- the measurement ---------------------------------------------------------------------------


class Growth(NamedTuple):
    """The growth of the time of a row."""

    size: int
    """The smaller of the two sizes."""
    time: float
    """The seconds at this size."""
    factor: float
    """The time at twice this size, divided by it."""


def growth_of(row: Row, folder: Path, least: float) -> Growth:
    """Return the growth at the first size at which a call takes `least` seconds and grows.

    The times are the best of some calls, by turns. They end as soon as the growth is small enough.
    """
    size = row.first
    call = row.build(size, folder)
    call()  # what is only made once, such as an import, is there
    while True:
        start = process_time()
        twice, best = row.build(2 * size, folder), (np.inf, np.inf)
        twice()
        is_largest = process_time() - start > BUILD * least
        for _ in range(REPEAT):
            best = min(best[0], seconds(call)), min(best[1], seconds(twice))
            if best[0] < least or best[1] <= MOST * best[0]:
                break
        found = Growth(size, best[0], best[1] / best[0])
        is_long = best[0] >= least and (found.factor >= GROWS or best[0] >= 4 * least)
        if is_long or is_largest:
            return found
        size, call = 2 * size, twice


def main() -> None:
    """Measure all rows, and exit with an error if one grows too fast."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", metavar="WORDS", help="rows with these words")
    parser.add_argument("--fast", action="store_true", help="calls of 5 ms instead of 50")
    options = parser.parse_args()
    least = 0.005 if options.fast else 0.05
    names = [
        name for name in ROWS if not options.only or any(each in name for each in options.only)
    ]
    width, failed = max(map(len, names)), []
    with threadpool_limits(limits=1), warnings.catch_warnings(), TemporaryDirectory() as name:
        warnings.simplefilter("ignore")
        gc.disable()  # it goes through all objects of the process, at times of its own
        for each in names:
            gc.collect()
            measured, found = ROWS[each], Growth(0, 0, np.inf)
            for _ in range(IN_A_ROW):
                if found.factor > MOST:  # at first, or because of other programs or a full cache
                    found = growth_of(measured, Path(name), least)
                    measured = measured._replace(first=2 * found.size)
            if found.factor > MOST:
                failed.append(each)
            mark = "  TOO FAST" * (each in failed)
            time = f"{1e3 * found.time:7.1f} ms"
            print(
                f"{each:{width}}  {found.size:9}  {time}  {found.factor:5.2f}x{mark}", flush=True
            )
    if failed:
        sys.exit(f"{len(failed)} of {len(names)} grow by more than {MOST}x: {', '.join(failed)}")


if __name__ == "__main__":
    main()
