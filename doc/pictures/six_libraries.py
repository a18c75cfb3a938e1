"""Six libraries score the same six items, three of which tie: a dot or a range for each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pictures.svg import Picture

RECORDED = Path(__file__).resolve().parents[2] / "tests" / "data" / "peer_numbers.json"
LIBRARIES = ["scikit-learn", "pytrec_eval", "ranx", "ignite", "keras_rs", "pytorchltr"]
ORDERS = {
    "averaged": "averages over all orders",
    "later_first": "by document id",
    "earlier_first": "as they came",
    "random": "at random",
}


def answers() -> list[dict[str, Any]]:
    """Return what each library says of the six items: nDCG@3, where the gain is the label."""
    peers = json.loads(RECORDED.read_text(encoding="utf-8"))["peers"]
    found = []
    for name in LIBRARIES:
        # Where a library has an option about ties, the first run recorded is that of the default.
        run = next(
            run
            for run in peers[name]["results"]["six_items"]["runs"]
            if (run["metric"], run["k"], run["gain"]) == ("ndcg", 3, "linear")
        )
        low, high = (run.get(end) or run["mean"] for end in ("min", "max"))
        found.append(run | {"name": name, "version": peers[name]["version"], "range": (low, high)})
    return found


def draw() -> Picture:
    """Draw the answers over one scale, and ours as a line through all of them."""
    found = answers()
    expected = found[0]["range"][0]
    top, step, left, right = 64, 36, 220, 540
    bottom = top + step * len(found)
    picture = Picture(640, bottom + 56)

    def place(score: float) -> float:
        return left + (right - left) * (score - 0.3) / 0.3

    for tick in (0.3, 0.4, 0.5, 0.6):
        picture.line([(place(tick), top - 8), (place(tick), bottom)], "rule")
        picture.text(place(tick), bottom + 18, f"{tick:.1f}", fill="quiet", anchor="middle")
    picture.text((left + right) / 2, bottom + 42, "nDCG@3 of the same six items", anchor="middle")
    picture.line([(place(expected), top - 18), (place(expected), bottom)], "orange", width=3)
    ours = f"ranking_scores: {expected:.4f}"
    picture.text(place(expected), top - 28, ours, fill="orange", anchor="middle", bold=True)
    for row, each in enumerate(found):
        y = top + step * row + step / 2
        picture.text(12, y - 1, f"{each['name']} {each['version']}")
        picture.text(12, y + 14, ORDERS[each["tie_order"]], fill="quiet", size=12)
        low, high = map(place, each["range"])
        if low == high:
            picture.circle(low, y, 7, "blue")
            text, x = f"{each['range'][0]:.4f}", low
        else:
            picture.rectangle(low, y - 7, high - low, 14, "blue")
            text, x = f"{each['range'][0]:.4f} to {each['range'][1]:.4f}", high
        is_left = x < place(expected)
        picture.text(
            x - 12 if is_left else x + 12,
            y + 5,
            text,
            size=12,
            anchor="end" if is_left else "start",
        )
    return picture
