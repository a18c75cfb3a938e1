"""Ask the evaluators of retrieval: trec_eval's family, ranx and those that wrap them."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from asked import CUTOFFS, Case, Measure, Program, mean_and_each

Found = tuple[Any, dict[str, Any] | None]


def pytrec_eval() -> dict[str, Measure]:
    """Each measure, with the mean of compute_aggregated_measure."""
    import pytrec_eval

    def make(measure: str, **options: Any) -> Measure:
        def ask(case: Case) -> Found:
            evaluator = pytrec_eval.RelevanceEvaluator(case.qrels, {measure}, **options)
            found = evaluator.evaluate(case.scores())
            (key,) = {name for row in found.values() for name in row}
            values = {query: row[key] for query, row in found.items()}
            return pytrec_eval.compute_aggregated_measure(key, list(values.values())), values

        return mean_and_each(ask)

    plain = ["ndcg", "map", "recip_rank", "Rprec", "bpref", "gm_map", "gm_bpref", "infAP"]
    plain += [
        "set_P",
        "set_recall",
        "set_F",
        "set_map",
        "set_relative_P",
        "num_rel_ret",
        "num_ret",
    ]
    plain += ["num_rel", "num_q", "num_nonrel_judged_ret", "11pt_avg", "ndcg_rel", "Rndcg"]
    plain += ["binG", "G", "utility", "Rprec_mult.0.5", "iprec_at_recall.0.0"]
    plain += ["iprec_at_recall.0.5"]
    cut = ["ndcg_cut", "map_cut", "P", "recall", "success", "relative_P"]
    measures = {name: make(name) for name in plain}
    measures |= {f"{name}.{k}": make(f"{name}.{k}") for name in cut for k in CUTOFFS}
    for name in ("map", "recip_rank", "P.5", "recall.5", "ndcg_cut.5", "bpref", "Rprec"):
        measures[f"{name}, relevance_level=2"] = make(name, relevance_level=2)
        measures[f"{name}, judged_docs_only_flag=True"] = make(name, judged_docs_only_flag=True)
    return measures


def trec_eval_10() -> dict[str, Measure]:
    """The command trec_eval, which prints four decimals of each query and of the mean."""
    import subprocess
    import tempfile

    def make(measure: str, *options: str) -> Measure:
        def ask(case: Case) -> Found:
            with tempfile.TemporaryDirectory() as folder:
                files = write_trec_files(case, Path(folder))
                command = ["trec_eval", "-q", *options, "-m", measure, *map(str, files)]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
            rows = [line.split() for line in done.stdout.splitlines()]
            values = {query: float(value) for _, query, value in rows}
            return values.pop("all"), values

        return mean_and_each(ask)

    plain = ["ndcg", "map", "recip_rank", "Rprec", "rbp", "rbp.p=0.8"]
    cut = ["ndcg_cut", "map_cut", "P", "recall", "success", "relative_P", "unj"]
    names = plain + [f"{name}.{k}" for name in cut for k in CUTOFFS]
    measures = {name: make(name) for name in names}
    for name in ("map", "recip_rank", "P.5", "recall.5", "ndcg_cut.5", "Rprec"):
        for options in (("-l", "2"), ("-J",), ("-c",)):
            measures[f"{name}, {' '.join(options)}"] = make(name, *options)
    return measures


def write_trec_files(case: Case, folder: Path) -> tuple[Path, Path]:
    """Write judgments and predictions as files of TREC."""
    true, found = folder / "qrels", folder / "run"
    true.write_text(
        "".join(
            f"{query} 0 {doc} {grade}\n"
            for query, row in case.qrels.items()
            for doc, grade in row.items()
        ),
        encoding="utf-8",
    )
    found.write_text(
        "".join(
            f"{query} Q0 {doc} {rank} {score!r} x\n"
            for query, row in case.run.items()
            for rank, (doc, score) in enumerate(row, 1)
        ),
        encoding="utf-8",
    )
    return true, found


def tie_aware() -> dict[str, Measure]:
    """Each metric at each cutoff: the mean over orders, the extremes, and the given order."""
    from trm import evaluate

    def make(metric: str, k: int, value: str) -> Measure:
        def ask(case: Case) -> Found:
            values = {}
            for query, row in case.run.items():
                labels = [grade > 0 for grade in case.grades(query)]
                found = evaluate([[score for _, score in row]], [labels], [metric], [k])
                values[query] = getattr(found.metrics[metric][k], value)
            return sum(values.values()) / len(values), values

        return mean_and_each(ask)

    metrics = ["ndcg", "mrr", "map", "recall", "precision", "f1", "hits"]
    values = ["expected", "maximum", "minimum", "oblivious"]
    return {
        f"{metric}@{k}_{value}": make(metric, k, value)
        for metric in metrics
        for k in CUTOFFS
        for value in values
    }


def ir_measures_of(names: list[str], provider: str = "") -> dict[str, Measure]:
    """The measures as ir_measures names them, of its pipeline or of one provider."""
    import ir_measures

    pipeline = getattr(ir_measures, provider) if provider else ir_measures

    def make(name: str) -> Measure:
        def ask(case: Case) -> Found:
            numbers = case.query_numbers()  # gdeval's script takes numbers alone
            qrels = {str(numbers[query]): row for query, row in case.qrels.items()}
            run = {str(numbers[query]): row for query, row in case.scores().items()}
            measure = ir_measures.parse_measure(name)
            mean = pipeline.calc_aggregate([measure], qrels, run)[measure]
            found = pipeline.iter_calc([measure], qrels, run)
            return mean, {f"q{metric.query_id}": metric.value for metric in found}

        return mean_and_each(ask)

    return {name: make(name) for name in names}


def ir_measures() -> dict[str, Measure]:
    """The default provider of each measure, and two of them where they differ."""
    at = ["nDCG", "AP", "RR", "P", "R", "Judged", "Success", "Accuracy", "nDCG(judged_only=True)"]
    names = [f"{name}@{k}" for name in at for k in CUTOFFS]
    names += ["nDCG", "AP", "RR", "Rprec", "Bpref", "infAP", "SetP", "SetR", "SetF", "SetAP"]
    names += ["SetF(beta=2.0)", "NumRet", "NumRel", "NumQ", "NumRet(rel=1)", "IPrec@0.5", "Compat"]
    names += ["Compat(p=0.8)", "AP(rel=2)", "RR(rel=2)", "P(rel=2)@5", "R(rel=2)@5"]
    names += ["nDCG(gains={0:0,1:1,2:3,3:7})@5", "nDCG(dcg='exp-log2')@5", "RBP(p=0.8)"]
    names += ["Accuracy", "Judged", "Success(rel=2)@5"]
    names += ["RBP(p=0.8,rel=1)", "RBP(p=0.95,rel=2)", "SDCG(max_rel=3)@3", "SDCG(max_rel=3)@10"]
    names += ["INSQ(max_rel=3)", "NERR8(max_rel=3)@5", "NERR9(max_rel=3)@5", "NERR10(max_rel=3)"]
    names += ["NERR11(max_rel=3)", "INST(max_rel=3)", "BPM(max_rel=3)@5"]  # by cwl_eval
    names += ["SetRelP", "SetP(relative=True)", "SetRelP(rel=2)"]
    return ir_measures_of(names)


def gdeval() -> dict[str, Measure]:
    """The script gdeval.pl, by ir_measures."""
    names = [f"{name}@{k}" for name in ("ERR", "nDCG(dcg='exp-log2')") for k in CUTOFFS]
    return ir_measures_of(names, "gdeval")


def ranx() -> dict[str, Measure]:
    """Each metric, as it is and made comparable."""
    from ranx import Qrels, Run, evaluate

    def make(metric: str, comparable: bool) -> Measure:
        def ask(case: Case) -> Found:
            qrels, run = Qrels.from_dict(case.qrels), Run.from_dict(case.scores())
            options = {"make_comparable": True} if comparable else {}
            mean = evaluate(qrels, run, metric, save_results_in_run=True, **options)
            return mean, dict(run.scores[metric])

        return mean_and_each(ask)

    names = ["hits", "hit_rate", "precision", "recall", "f1", "r-precision", "bpref", "mrr", "map"]
    names += ["dcg", "dcg_burges", "ndcg", "ndcg_burges", "rbp.80", "rbp.95", "map-l2", "mrr-l2"]
    names += ["precision@5-l2", "recall@5-l2"]
    cut = ("hits", "hit_rate", "precision", "recall", "f1", "mrr", "map", "dcg", "dcg_burges")
    cut += ("ndcg", "ndcg_burges")
    names += [f"{name}@{k}" for name in cut for k in CUTOFFS]
    measures = {f"{name}, make_comparable=True": make(name, True) for name in names}
    return measures | {name: make(name, False) for name in ("ndcg@5", "map@5", "mrr@5", "map")}


def scikit_learn() -> dict[str, Measure]:
    """Rows of the predicted documents: each alone, and together where they are equally long.

    The cases' lists have different lengths. So the mean is ours, NumPy's of the queries' values.
    """
    import numpy as np
    from sklearn import metrics

    def each(score: Callable[[list[int], list[float]], float], mean: Any = np.mean) -> Measure:
        def ask(case: Case) -> Found:
            values = {}
            for query in case.run:
                scores = [value for _, value in case.run[query]]
                values[query] = float(score(case.grades(query), scores))
            return float(mean(list(values.values()))), values

        return mean_and_each(ask)

    def rows(name: str, **options: Any) -> Measure:
        return each(lambda y, s: getattr(metrics, name)([y], [s], **options))

    def binary(name: str) -> Measure:
        score = getattr(metrics, name)
        return each(lambda y, s: score([int(grade > 0) for grade in y], s))

    def labels(name: str) -> Measure:
        score = getattr(metrics, name)
        return each(lambda y, s: score([[int(grade > 0) for grade in y]], [s]))

    def classes(k: int, *, normalize: bool) -> Measure:
        def accuracy(y: list[int], s: list[float]) -> float:
            relevant = [place for place, grade in enumerate(y) if grade > 0]
            true, places = (relevant or [0])[:1], list(range(len(s)))
            return metrics.top_k_accuracy_score(true, [s], k=k, normalize=normalize, labels=places)

        return each(accuracy, np.mean if normalize else np.sum)

    measures = {}
    for k in (*CUTOFFS, None):
        for ignore in (False, True):
            options = {"k": k, "ignore_ties": ignore}
            text = f"k={k}, ignore_ties={ignore}"
            measures[f"ndcg_score, {text}"] = rows("ndcg_score", **options)
            measures[f"dcg_score, {text}"] = rows("dcg_score", **options)
    measures["dcg_score, log_base=10"] = rows("dcg_score", log_base=10)
    for name in ("average_precision_score", "roc_auc_score"):
        measures[name] = binary(name)
    for name in (
        "label_ranking_average_precision_score",
        "label_ranking_loss",
        "coverage_error",
    ):
        measures[name] = labels(name)
    for k in CUTOFFS:
        for normalize in (True, False):
            text = f"top_k_accuracy_score, k={k}, normalize={normalize}"
            measures[f"{text}, of the first relevant document"] = classes(k, normalize=normalize)
    return measures


def ml_metrics() -> dict[str, Measure]:
    """Its apk and mapk of lists, relevant documents first in the order of the judgments."""
    import ml_metrics

    def make(k: int) -> Measure:
        def ask(case: Case) -> Found:
            queries = list(case.qrels)
            actual = [case.relevant(query) for query in queries]
            predicted = [case.best_first(query) for query in queries]
            values = {
                query: ml_metrics.apk(*pair, k)
                for query, *pair in zip(queries, actual, predicted, strict=True)
            }
            return ml_metrics.mapk(actual, predicted, k), values

        return mean_and_each(ask)

    measures = {f"mapk, k={k}": make(k) for k in CUTOFFS}

    def auc(case: Case) -> Found:
        values = {}
        for query in case.run:
            scores = [value for _, value in case.run[query]]
            values[query] = ml_metrics.auc([int(g > 0) for g in case.grades(query)], scores)
        return math.nan, values

    return measures | {"auc": mean_and_each(auc)}


def trectools() -> dict[str, Measure]:
    """TrecEval of files, which is how it is given runs."""
    import tempfile

    from trectools import TrecEval, TrecQrel, TrecRun

    def make(name: str, **options: Any) -> Measure:
        def ask(case: Case) -> Found:
            with tempfile.TemporaryDirectory() as folder:
                true, found = write_trec_files(case, Path(folder))
                evaluator = TrecEval(TrecRun(str(found)), TrecQrel(str(true)))
            answer = getattr(evaluator, name)(**options)
            each = getattr(evaluator, name)(per_query=True, **options)
            if isinstance(answer, tuple):  # RBP has a residual
                answer, each = answer[0], each[0]
            return answer, dict(each.iloc[:, 0])

        return mean_and_each(ask)

    measures = {}
    for k in (*CUTOFFS, 1000):
        for name in ("ndcg", "map", "reciprocal_rank", "precision", "recall"):
            measures[f"get_{name}(depth={k})"] = make(f"get_{name}", depth=k)
        measures[f"get_ndcg(depth={k}, trec_eval=False)"] = make(
            "get_ndcg", depth=k, trec_eval=False
        )
    measures["get_rprec()"] = make("get_rprec")
    measures["get_bpref()"] = make("get_bpref")
    measures["get_rbp(p=0.8)"] = make("get_rbp", p=0.8)
    measures["get_rbp(p=0.8, average_ties=False)"] = make("get_rbp", p=0.8, average_ties=False)
    for name in ("map", "precision", "reciprocal_rank"):
        measures[f"get_{name}(depth=5, trec_eval=False)"] = make(
            f"get_{name}", depth=5, trec_eval=False
        )
    return measures


RELEVANT = "Relevant is a grade above 0."
PROGRAMS = [
    Program(
        "pytrec_eval-terrier",
        "pytrec_eval-terrier",
        "pytrec_eval",
        pytrec_eval,
        "https://github.com/terrierteam/pytrec_eval",
        "Equal scores: by document id as text, the greatest first. Scores are compared in "
        "float32. Queries that are not in both the judgments and the run are left out, and no "
        "mean counts them. num_* are sums, and gm_* geometric means of values that are "
        "logarithms.",
    ),
    Program(
        "trec_eval 10",
        "",
        "trec_eval",
        trec_eval_10,
        "https://github.com/usnistgov/trec_eval",
        "The command, from the commit f425365, compiled by gcc 12. It prints four decimals. Equal "
        "scores: by document id as text, the greatest first. Scores are compared in float64. "
        "Queries without judgments are left out. A judged query that is not in the run is an "
        "error, and counts 0 with -c. rbp divides grades by the highest one, which it looks for "
        "in a variable that is not set before.",
        version="10.0",
    ),
    Program(
        "tie-aware-retrieval-metrics",
        "tie-aware-retrieval-metrics",
        "trm",
        tie_aware,
        "https://github.com/KisuYang/tie-aware-retrieval-metrics",
        "Asked of the predicted documents of each query in the run, so that documents that were "
        "not predicted do not count. The mean is ours. hits is a number of documents.",
    ),
    Program(
        "ir_measures",
        "ir_measures",
        "ir_measures",
        ir_measures,
        "https://github.com/terrierteam/ir_measures",
        "The mean runs over the judged queries, and those without predictions count 0. RR@k is "
        "by the provider of MS MARCO, where equal scores are by document id as text, the least "
        "first. Most others are by pytrec_eval, where the greatest is first. Queries q7 were "
        "named 7.",
    ),
    Program(
        "gdeval",
        "ir_measures",
        "ir_measures",
        gdeval,
        "https://github.com/terrierteam/ir_measures/blob/main/ir_measures/bin/gdeval.pl",
        "gdeval.pl as ir_measures calls it, which prints five digits. Query q7 was named 7.",
    ),
    Program(
        "ranx",
        "ranx",
        "ranx",
        ranx,
        "https://github.com/AmenRa/ranx",
        "Equal scores stay in the order of the run. Without make_comparable the queries must be "
        "the same in both. With it, queries without judgments are left out, and those without "
        "predictions count 0. rbp weights by grade, so that it can exceed 1. In bpref, a query "
        "without relevant documents makes later queries 0.",
    ),
    Program(
        "scikit-learn",
        "scikit-learn",
        "sklearn",
        scikit_learn,
        "https://github.com/scikit-learn/scikit-learn/blob/main/sklearn/metrics/_ranking.py",
        "Asked of the predicted documents, those not judged with label 0, so that documents that "
        "were not predicted are in no ideal. The mean is NumPy's, over the queries in the run, "
        "and with normalize=False the sum. top_k_accuracy_score takes one relevant document per "
        "query: the first of the list, or its first document if none is. "
        + RELEVANT
        + " for all but ndcg_score and dcg_score.",
    ),
    Program(
        "ml_metrics",
        "ml_metrics",
        "ml_metrics",
        ml_metrics,
        "https://github.com/benhamner/Metrics/tree/master/Python",
        "Lists of documents, best first, and of the earlier one of equals. A document that occurs "
        "again is no hit, but takes a rank. " + RELEVANT + " The judged queries were given.",
        lists=True,
    ),
    Program(
        "trectools",
        "trectools",
        "trectools",
        trectools,
        "https://github.com/joaopalotti/trectools/blob/master/trectools/trec_eval.py",
        "Runs and judgments were files, whose rows it sorts itself. Equal scores: by document id "
        "as text, the greatest first, but in get_ndcg and get_rbp the least. Queries without a "
        "hit, or without predictions, are not in the table of queries. The mean is a sum divided "
        "by the number of queries in the run.",
    ),
]
