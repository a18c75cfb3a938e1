"""Lists of lists of ids, of which any id of an inner list is enough, as aspects."""

from __future__ import annotations

import pytest
from raising import raises

from ranking_scores import hit_rate_score, mean_reciprocal_rank_score
from ranking_scores.tables import from_lists

GOLD = {"q1": [["a", "b"], ["c"]], "q2": [["x"]], "q3": []}
FOUND = {"q1": ["b", "z", "c"], "q2": ["z", "x"], "q3": ["a"]}


@pytest.mark.parametrize("form", [dict, lambda own: list(own.values())])
def test_each_inner_list_is_an_aspect(form):
    data = from_lists(form(GOLD), form(FOUND), aspects="alternatives")
    assert hit_rate_score(data, k=1, average=None).tolist() == [1 / 2, 0, 0]
    assert hit_rate_score(data, k=3, average=None).tolist() == [1, 1, 0]
    values = mean_reciprocal_rank_score(data, average=None).tolist()
    assert values == [(1 + 1 / 3) / 2, 1 / 2, 0]
    named = {q: dict(enumerate(rows)) for q, rows in GOLD.items()}
    same = from_lists(form(named), form(FOUND), aspects=True)
    assert mean_reciprocal_rank_score(same, average=None).tolist() == values


def test_weights_and_sets():
    gold, found = [[{"a", "b"}, {"c"}]], [["b", "z", "z2"]]
    options = {"aspects": "alternatives", "aspect_weight": [{0: 3, 1: 1}]}
    assert hit_rate_score(from_lists(gold, found, **options), k=1) == 3 / 4


@pytest.mark.parametrize("wrong", [["a", "b"], [["a"], "b"], {"x": ["a"]}, [("a", "b")]])
def test_other_forms_are_refused(wrong):
    with raises("relevant", "a list of lists of ids for each query", function="from_lists"):
        from_lists({"q": wrong}, {"q": ["a"]}, aspects="alternatives")
    with raises("aspects", "True, False or 'alternatives'", got="'other'"):
        from_lists({"q": [["a"]]}, {"q": ["a"]}, aspects="other")
