"""The results of a retrieval task of MTEB with numbers that are exact under ties.

MTEB puts documents with equal scores in the order of their ids. Let it save its predictions, and
pass the result on::

    results = mteb.evaluate(model, task, prediction_folder="predictions")
    exact = exact_result(results.task_results[0], task, "predictions")
    exact.to_disk(path)

The result is another `TaskResult`, whose numbers are the means over all orders, not rounded. The
tables of MTEB take it like the first one.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mteb.abstasks import AbsTaskRetrieval
from mteb.results import TaskResult

from ranking_scores import ranking_report
from ranking_scores.trec import from_pytrec_eval

SCORES = ("ndcg", "map", "recall", "precision", "mrr", "hit_rate")
"""What MTEB and this package call the scores."""

NOT_NUMBERS = ("hf_subset", "languages", "mteb_version")


def exact_result(result: TaskResult, task: AbsTaskRetrieval, prediction_folder: Any) -> TaskResult:
    """Return a result with exact numbers, and without those that MTEB alone computes.

    MTEB saves as many documents as its largest cutoff, 1000. If more of them tie there, the
    numbers at that cutoff depend on the ones that were saved.
    """
    if task.skip_first_result:
        raise ValueError(f"{task.metadata.name} skips the first result, which ties may change.")
    if task.metadata.main_score.partition("_at_")[0] not in SCORES:
        raise ValueError(f"The score {task.metadata.main_score} is computed by MTEB alone.")
    if not task.data_loaded:
        task.load_data()
    path = Path(prediction_folder) / task.prediction_file_name
    predictions = json.loads(path.read_text(encoding="utf-8"))
    scores = {
        split: [
            exact_scores(
                numbers,
                task.dataset[numbers["hf_subset"]][split]["relevant_docs"],
                predictions[numbers["hf_subset"]][split],
                task,
            )
            for numbers in of_subsets
        ]
        for split, of_subsets in result.scores.items()
    }
    return result.model_copy(update={"scores": scores})


def exact_scores(
    numbers: dict[str, Any],
    relevant: dict[str, dict[str, int]],
    run: dict[str, dict[str, float]],
    task: AbsTaskRetrieval,
) -> dict[str, Any]:
    """Return the exact numbers of one subset, under the names of MTEB."""
    data = from_pytrec_eval(relevant, run, queries="both", drop_self=task.ignore_identical_ids)
    cutoffs = [
        int(name.removeprefix("ndcg_at_")) for name in numbers if name.startswith("ndcg_at_")
    ]
    exact = ranking_report(data, scores=list(SCORES), k=cutoffs).to_dict(separator="_at_")
    return {
        **{name: numbers[name] for name in NOT_NUMBERS if name in numbers},
        **exact,
        "main_score": exact[task.metadata.main_score],
    }
