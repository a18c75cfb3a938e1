#!/usr/bin/env bash
# ndeval: ERR-IA is divided by a number that grows with the cutoff
#
# Version:  pyndeval 0.0.8, which is ndeval for Python
# Expected: ERR-IA@k is the mean of the aspects' expected reciprocal ranks. Nothing relevant is
#           found below rank 3, so that it is the same for k = 5, 10 and 20: (1/2 + 1/6 + 0) /
#           3.
# Does:     The mean is divided by 0.5/1 + 0.25/2 + ... + 0.5^k/k, the value of k documents that
#           are all relevant to the aspect.
# Seen:     2026-11-29: 0.2222 by hand, and 0.322743, 0.320637 and 0.320599 from the program.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --only-binary :all: \
    pyndeval==0.0.8
cd "$folder"
export HOME="$folder"  # programs may write there
"$folder/venv/bin/python" >"$folder/seen" <<'END'
import pyndeval

relevant = [("1", "d1"), ("1", "d2"), ("2", "d2"), ("2", "d3"), ("3", "d9")]
qrels = [("query", aspect, document, 1) for aspect, document in relevant]
run = [("query", "d1", 3.0), ("query", "d4", 2.0), ("query", "d3", 1.0)]
measures = ["ERR-IA@5", "ERR-IA@10", "ERR-IA@20"]
[values] = pyndeval.ndeval(qrels, run, measures=measures).values()
by_hand = (1 / 2 / 1 + 1 / 2 / 3 + 0) / 3
print("by hand", round(by_hand, 6))
for measure in measures:
    k = int(measure.rpartition("@")[2])
    best = sum(0.5**rank / rank for rank in range(1, k + 1))
    print(measure, round(values[measure], 6), "by hand, divided", round(by_hand / best, 6))
END
cat "$folder/seen"
diff "$folder/seen" - <<'END'
by hand 0.222222
ERR-IA@5 0.322743 by hand, divided 0.322743
ERR-IA@10 0.320637 by hand, divided 0.320637
ERR-IA@20 0.320599 by hand, divided 0.320599
END
