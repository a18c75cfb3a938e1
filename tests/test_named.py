"""The scores by their names, where one of them is expected."""

from __future__ import annotations

import pytest
from test_laws import SCORES

from ranking_scores import StreamingScore, make_ranking_scorer, ndcg_score
from ranking_scores._metrics._named import SCORES as NAMED
from ranking_scores._metrics._named import find_score
from ranking_scores.ties import chance_level, tie_report


def test_the_table_of_names_has_every_score():
    names = {score.__name__ for score in NAMED.values()}
    assert names == {name.partition(",")[0] for name in SCORES}
    assert len(NAMED) == 14


def test_a_name_and_a_cutoff_beside_it_are_refused_where_there_is_one_score():
    with pytest.raises(ValueError, match=r"'k' parameter .* left out beside the name 'ndcg@10'"):
        make_ranking_scorer("ndcg@10", k=5)
    with pytest.raises(ValueError, match=r"'k' parameter .* must be given for hit_rate_score"):
        StreamingScore("hit_rate")
    assert repr(make_ranking_scorer("ndcg@10")) == repr(make_ranking_scorer(ndcg_score, k=10))


def test_a_name_stands_for_its_score():
    data = [[0, 2, 1, 0]], [[1, 1, 2, 1]]
    assert tie_report(*data, score="ndcg@2").expected == ndcg_score(*data, k=2)
    assert chance_level([[0, 2, 1, 0]], score="ndcg") == ndcg_score([[0, 2, 1, 0]], [[1, 1, 1, 1]])
    stream = StreamingScore("ndcg@2")
    stream.update(*data)
    assert stream.compute() == ndcg_score(*data, k=2)
    assert repr(stream) == "<StreamingScore(ndcg_score, k=2): n_queries=1>"


@pytest.mark.parametrize(
    ("name", "score"),
    [
        ("P@5", "precision"),
        ("recip_rank", "mrr"),
        ("hr@10", "hit_rate"),
        ("success@1", "hit_rate"),
        ("mean_average_precision_score", "map"),
        ("f1_at_k_score", "f1"),
        ("mrrr", "mrr"),
    ],
)
def test_other_names_lead_to_the_name_here(name, score):
    with pytest.raises(ValueError, match=f"Did you mean '{score}'"):
        find_score(name, "StreamingScore")


def test_a_door_may_take_some_of_the_names():
    assert find_score("mrr@5", "door", names=["map", "mrr"]).options == {"k": 5}
    for name, advice in (
        ("rr", "Did you mean 'mrr'?"),
        ("hr", ""),
        ("maap", "Did you mean 'map'?"),
    ):
        with pytest.raises(ValueError, match="one of map, mrr, alone") as caught:
            find_score(name, "door", names=["map", "mrr"])
        assert str(caught.value).partition("instead.")[2].strip() == advice
