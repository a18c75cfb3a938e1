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
    """Draw the answers over one scale, and ours as a line through all of them.

    A phone shows the picture at three quarters of its size, and its text must be readable there.
    """
    found = answers()
    expected = found[0]["range"][0]
    top, step, left, right = 48, 44, 176, 416
    bottom = top + step * len(found)
    picture = Picture(440, bottom + 52)

    def place(score: float) -> float:
        return left + (right - left) * (score - 0.3) / 0.3

    for tick in (0.3, 0.4, 0.5, 0.6):
        picture.line([(place(tick), top - 6), (place(tick), bottom)], "blank")
        picture.text(place(tick), bottom + 20, f"{tick:.1f}", fill="quiet", anchor="middle")
    picture.text((left + right) / 2, bottom + 42, "nDCG@3 of the same six items", anchor="middle")
    picture.line([(place(expected), top - 14), (place(expected), bottom)], "orange", width=3)
    ours = f"ranking_scores: {expected:.4f}"
    picture.text(place(expected), top - 24, ours, fill="orange", anchor="middle", bold=True)
    for row, each in enumerate(found):
        y = top + step * row + step / 2
        picture.text(4, y - 2, f"{each['name']} {each['version']}")
        picture.text(4, y + 16, ORDERS[each["tie_order"]], fill="quiet", size=13)
        low, high = map(place, each["range"])
        if low == high:
            picture.circle(low, y, 7, "blue")
            is_left = low < place(expected)
            x, anchor = (low - 12, "end") if is_left else (low + 12, "start")
            picture.text(x, y + 5, f"{each['range'][0]:.4f}", anchor=anchor)
        else:
            picture.rectangle(low, y - 12, high - low, 24, "blue")
            text = f"{each['range'][0]:.4f} to {each['range'][1]:.4f}"
            picture.text((low + high) / 2, y + 5, text, fill="on-blue", anchor="middle")
    return picture
