#!/usr/bin/env bash
# continuous-eval: average precision is divided by what was found
#
# Version:  continuous-eval 0.3.14.post2
# Expected: A list that finds one of four relevant chunks, at rank 1, has average precision 1/4:
#           the relevant chunks that were not found count 0.
# Does:     The sum is divided by the number of relevant chunks in the list, so that it is 1. A
#           repeated chunk counts each time. nDCG of the same call is divided by all four.
# Seen:     2026-11-29: one of four, all of four, and the same one three times: average
#           precision is 1 in all of them.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --only-binary :all: \
    continuous-eval==0.3.14.post2
cd "$folder"
export HOME="$folder"  # programs may write there
"$folder/venv/bin/python" >"$folder/seen" <<'END'
from continuous_eval.metrics.retrieval import RankedRetrievalMetrics
from continuous_eval.metrics.retrieval.matching_strategy import ExactChunkMatch

metrics = RankedRetrievalMetrics(ExactChunkMatch())
for found in (["a", "x"], ["a", "b", "c", "d"], ["a", "a", "a"]):
    values = metrics.compute(retrieved_context=found, ground_truth_context=["a", "b", "c", "d"])
    print(found, {name: round(value, 4) for name, value in values.items()})
END
cat "$folder/seen"
diff "$folder/seen" - <<'END'
['a', 'x'] {'average_precision': 1.0, 'reciprocal_rank': 1.0, 'ndcg': 0.3904}
['a', 'b', 'c', 'd'] {'average_precision': 1.0, 'reciprocal_rank': 1.0, 'ndcg': 1.0}
['a', 'a', 'a'] {'average_precision': 1.0, 'reciprocal_rank': 1.0, 'ndcg': 0.3904}
END
