"""The ranks that systems can have: against a search through all orders that are possible."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from raising import raises

from ranking_scores import average_relevant_position, mean_reciprocal_rank_score, ranking_report
from ranking_scores.significance import compare_all
from ranking_scores.significance._results import ranked

RNG = np.random.default_rng(0)
EASE = RNG.normal(size=60)
SYSTEMS = {
    name: 0.5 + mean + 0.1 * EASE + 0.05 * RNG.normal(size=60)
    for name, mean in {"low": 0, "middle": 0.1, "near": 0.11, "high": 0.3}.items()
}


@given(st.integers(2, 5), st.data())
@settings(max_examples=60)
def test_ranks_are_those_of_all_orders_that_the_findings_allow(n, data):
    means = np.array(data.draw(st.lists(st.integers(0, 9), min_size=n, max_size=n, unique=True)))
    is_better = np.zeros((n, n), dtype=bool)
    level = data.draw(st.integers(0, 9))
    for one, other in itertools.permutations(range(n), 2):
        is_better[one, other] = means[one] - means[other] > level  # a finding for all larger ones
    found = ranked(means, is_better)
    orders = [
        order
        for order in itertools.permutations(range(n))
        if not any(is_better[b, a] for a, b in itertools.combinations(order, 2))
    ]
    for place, system in enumerate(found.order.tolist()):
        possible = [order.index(system) + 1 for order in orders]
        assert (min(possible), max(possible)) == (found.best[place], found.worst[place])
    assert found.order.tolist() == np.argsort(-means).tolist()


def found_by_all_flips(systems):
    """Return which pairs step-down max-T finds, by each of the flips of few queries."""
    values = np.array(list(systems.values()))
    a, b = np.triu_indices(len(values), 1)
    differences, n = values[b] - values[a], values.shape[1]
    signs = np.array(list(itertools.product([1, -1], repeat=n)))
    mean = signs @ differences.T / n
    t = np.abs(mean) / np.sqrt((differences**2).mean(axis=1) - mean**2)
    is_found = np.zeros(len(a), dtype=bool)
    while True:
        largest = t[:, ~is_found].max(axis=1)
        is_new = ~is_found & ((largest[:, None] >= t[0] * (1 - 1e-9)).mean(axis=0) <= 0.05)
        if not is_new.any() or (is_found | is_new).all():
            return is_found | is_new
        is_found |= is_new


@pytest.mark.parametrize("seed", [5, 7])
def test_ranks_go_on_among_the_pairs_that_were_not_found(seed):
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(2, 5, 10))
    of_metrics = noise + np.linspace(0, 5, 5)[:, None] * np.array([1, 0.4])[:, None, None]
    found = compare_all({f"s{n}": each.T for n, each in enumerate(np.swapaxes(of_metrics, 0, 1))})
    n_found = []
    for number, scores in enumerate(of_metrics):
        by_all = found_by_all_flips({f"s{n}": each for n, each in enumerate(scores)})
        own = np.array(found.ranks.metrics) == f"column {number}"
        assert (found.ranks.worst - found.ranks.best)[own].sum() == 20 - 2 * by_all.sum()
        n_found.append(by_all.sum())
    assert sum(n_found) > found.is_significant.sum()  # else this would not be seen


@given(st.integers(1, 6), st.data())
@settings(max_examples=60)
def test_systems_share_a_letter_unless_they_are_apart(n, data):
    is_better = np.zeros((n, n), dtype=bool)
    for one, other in itertools.combinations(range(n), 2):
        is_better[one, other] = data.draw(st.booleans())
    found = ranked(-np.arange(n), is_better)
    for one, other in itertools.combinations(range(n), 2):
        share = set(found.letters[one]) & set(found.letters[other])
        assert bool(share) != is_better[one, other]
    assert all(found.letters)
    sets = [frozenset(np.flatnonzero([a in text for text in found.letters])) for a in "abcdef"]
    for one, other in itertools.permutations(filter(None, sets), 2):
        assert not one <= other  # no letter says what another one says
    firsts = [found.tier[place] for place in range(n)]
    assert firsts[0] == 1
    for tier in range(1, max(firsts) + 1):
        members = [place for place in range(n) if firsts[place] == tier]
        assert not is_better[members[0], members].any()
        later = [place for place in range(members[0], n) if firsts[place] > tier]
        assert is_better[members[0], later].all()


def test_the_ranks_of_a_comparison():
    ranks = compare_all(SYSTEMS, random_state=0).ranks
    assert ranks.systems == ("high", "near", "middle", "low")
    assert ranks.best.tolist() == [1, 2, 2, 4]
    assert ranks.worst.tolist() == [1, 3, 3, 4]
    assert ranks.tier.tolist() == [1, 2, 2, 3]
    assert ranks.letters == ("a", "b", "b", "c")
    np.testing.assert_allclose(ranks.mean, [SYSTEMS[name].mean() for name in ranks.systems])
    assert (ranks.metrics, ranks.groups, len(ranks)) == (None, None, 4)
    lines = repr(ranks).splitlines()
    assert lines[0].split() == ["mean", "best", "worst", "tier", "letters"]
    assert lines[-3:] == [
        "best and worst: the ranks that the systems can have, all of them at 95 %",
        "tier 1: the systems that cannot be separated from the first",
        "systems that share a letter cannot be separated",
    ]
    assert ranks.to_markdown().startswith("|  | mean | best | worst | tier | letters |")
    assert ranks.to_frame()["best"].tolist() == [1, 2, 2, 4]
    assert ranks == compare_all(SYSTEMS, random_state=0).ranks


@pytest.mark.parametrize("correction", ["max-t", "holm"])
def test_groups_and_metrics_have_ranks_of_their_own(correction):
    group = np.arange(60) % 2
    systems = {name: np.c_[values, -values] for name, values in SYSTEMS.items()}
    found = compare_all(systems, by=group, correction=correction, random_state=0)
    ranks = found.ranks
    frame = ranks.to_frame()
    for number in (0, 1):
        own = frame[frame.group == number]
        rising = own[own.metric == "column 0"]
        assert rising.system.iloc[0] == "high"
        assert own[own.metric == "column 1"].system.iloc[0] == "low"
        expected = [SYSTEMS[name][group == number].mean() for name in rising.system]
        np.testing.assert_allclose(rising["mean"], expected)


def test_the_mean_has_the_weights_and_leaves_out_undefined_scores():
    weight = np.linspace(1, 3, 60)
    systems = {name: np.where(np.arange(60) < 5, np.nan, each) for name, each in SYSTEMS.items()}
    ranks = compare_all(systems, sample_weight=weight, random_state=0).ranks
    expected = [np.average(SYSTEMS[name][5:], weights=weight[5:]) for name in ranks.systems]
    np.testing.assert_allclose(ranks.mean, expected)


def test_tasks_take_the_place_of_queries_and_may_be_translations():
    rng = np.random.default_rng(0)
    data = np.arange(20) // 4  # five data sets in four languages each
    table = pd.DataFrame({"a": rng.random(20)}, index=[f"task {number}" for number in range(20)])
    table["b"] = table["a"] + rng.uniform(0.1, 0.2, 20)
    alone = compare_all({"a": table["a"], "b": table["b"][::-1]}, random_state=0).ranks
    assert (alone.systems, alone.tier.tolist()) == (("b", "a"), [1, 2])
    np.testing.assert_allclose(alone.mean, table.mean()[["b", "a"]])
    together = compare_all(dict(table.items()), clusters=data, random_state=0).ranks
    assert (together.systems, together.tier.tolist()) == (("b", "a"), [1, 1])


def test_a_lower_mean_is_better_in_reports_of_such_a_score():
    labels = np.eye(4)[[0] * 20]
    scores = {"early": [4, 3, 2, 1], "late": [1, 2, 3, 4], "tied": [0, 0, 0, 0]}
    reports = {
        name: ranking_report(
            labels,
            np.tile(row, (20, 1)),
            scores={"p": average_relevant_position, "rr": mean_reciprocal_rank_score},
            k=None,
        )
        for name, row in scores.items()
    }
    with pytest.warns(UserWarning, match="all differences are equal"):
        ranks = compare_all(reports, random_state=0).ranks
    assert ranks.systems == ("early", "tied", "late") * 2
    assert ranks.best.tolist() == [1, 2, 3] * 2


def test_many_systems_have_no_letters():
    systems = {f"s{number}": EASE + number for number in range(53)}
    with pytest.warns(UserWarning, match="all differences are equal"):
        ranks = compare_all(systems, n_resamples=99, random_state=0).ranks
    assert ranks.letters is None
    assert "letter" not in repr(ranks)
    assert "letters" not in ranks.to_frame()


@pytest.mark.parametrize(
    ("name", "value", "key"),
    [
        ("baseline", "low", "None for `ranks`, which hold for all systems at once"),
        ("correction", None, "'max-t' or 'holm'"),
        ("correction", "bh", "'max-t' or 'holm'"),
        ("alternative", "greater", "'two-sided'"),
    ],
)
def test_ranks_need_all_pairs_and_a_level_for_all_of_them(name, value, key):
    found = compare_all(SYSTEMS, **{name: value}, random_state=0)
    with raises(name, key, function="compare_all", got=repr(value)):
        _ = found.ranks
