"""Judgments and predictions of queries that need several things."""

from __future__ import annotations

GOLD = {
    "q1": {"who": ["d1", "d7"], "when": ["d9"]},
    "q2": {"who": ["d3"], "why": []},
    "q3": {},
}
FOUND = {"q1": ["d7", "d2", "d9"], "q2": ["d4", "d3"], "q3": ["d1"]}
TABLE = {
    "topic": ["q1", "q1", "q2", "q1", "q2", "q2"],
    "fact": ["who", "when", "who", "who", "why", "why"],
    "doc": ["d1", "d9", "d3", "d7", "d3", "d8"],
    "grade": [1, 1, 2, 1, 1, 0],
    "weight": [3.0, 1, 1, 3, 0.5, 0.5],
}
NAMES = {"query": "topic", "item": "doc", "rank": "rank", "label": "grade", "aspect": "fact"}
AS_LISTS = {
    "q1": {"who": {"d1": 1, "d7": 1}, "when": {"d9": 1}},
    "q2": {"who": {"d3": 2}, "why": {"d3": 1, "d8": 0}},
}
