#!/usr/bin/env bash
# ragas: a similarity equal to the threshold is a match in context precision, and none in context
# recall
#
# Version:  ragas 0.4.3, rapidfuzz 3.14.6
# Expected: NonLLMContextPrecisionWithReference and NonLLMContextRecall have the same threshold,
#           0.5, and decide alike whether a retrieved context is the reference: one context and
#           one reference give 1 and 1, or 0 and 0.
# Does:     Precision takes similarities of at least the threshold, recall those above it. Where
#           the similarity is the threshold itself, precision is 1 and recall 0.
# Seen:     2026-11-29: the Levenshtein similarity of "milk" and "mint" is 0.5: precision 1,
#           recall 0.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --only-binary :all: \
    ragas==0.4.3 rapidfuzz==3.14.6 langchain-community==0.3.31 numpy==2.4.6
cd "$folder"
export HOME="$folder"  # programs may write there
"$folder/venv/bin/python" >"$folder/seen" <<'END'
import asyncio
import warnings

warnings.simplefilter("ignore")

from ragas import SingleTurnSample
from ragas.metrics import (
    NonLLMContextPrecisionWithReference,
    NonLLMContextRecall,
    NonLLMStringSimilarity,
)


def score(metric, sample):
    return round(float(asyncio.run(metric.single_turn_ascore(sample))), 4)


for reference in ("milk", "mild", "mint", "mate"):
    sample = SingleTurnSample(retrieved_contexts=["milk"], reference_contexts=[reference])
    pair = SingleTurnSample(response="milk", reference=reference)
    print(
        reference, "similarity", score(NonLLMStringSimilarity(), pair),
        "precision", score(NonLLMContextPrecisionWithReference(), sample),
        "recall", score(NonLLMContextRecall(), sample),
    )
END
cat "$folder/seen"
diff "$folder/seen" - <<'END'
milk similarity 1.0 precision 1.0 recall 1.0
mild similarity 0.75 precision 1.0 recall 1.0
mint similarity 0.5 precision 1.0 recall 0.0
mate similarity 0.25 precision 0.0 recall 0.0
END
