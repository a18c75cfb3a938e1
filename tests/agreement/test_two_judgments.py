"""Two sets of judgments: do they put systems in the same order?"""

from __future__ import annotations

import pickle
from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from raising import raises
from scipy.stats import kendalltau
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import cohen_kappa_score

from ranking_scores import from_lists, ranking_report
from ranking_scores.agreement import system_agreement
from ranking_scores.significance import compare_all
from ranking_scores.tables import RankingData

RNG = np.random.default_rng(0)
N_QUERIES = 40
OF_QUERY = RNG.random(N_QUERIES)
SYSTEMS_A = {
    name: OF_QUERY + gain + RNG.normal(0, 0.05, N_QUERIES)
    for name, gain in {"bm25": 0.0, "dense": 0.2, "hybrid": 0.22, "tuned": 0.5}.items()
}
SYSTEMS_B = {
    name: values + shift + RNG.normal(0, 0.05, N_QUERIES)
    for (name, values), shift in zip(SYSTEMS_A.items(), [0, 0.1, 0, -0.6], strict=True)
}

PEOPLE = {"q1": {"a": 2, "b": 1, "c": 0}, "q2": {"d": 1, "e": 0}, "q3": {"f": 1, "g": 0}}
MODEL = {"q3": {"g": 1, "f": 0, "h": 1}, "q1": {"c": 0, "b": 2, "a": 1}, "q2": {"d": 1}}
RUNS = {
    "old": {"q1": ["b", "a"], "q2": ["e", "d"], "q3": ["g", "f"]},
    "new": {"q1": ["a", "b"], "q2": ["d", "e"], "q3": ["f", "g"]},
}


def data_of(judgments):
    return {name: from_lists(judgments, run) for name, run in RUNS.items()}


def reports_of(judgments, scores="ndcg", **params):
    data = data_of(judgments)
    return {
        name: ranking_report(each, scores=scores, k=2, **params) for name, each in data.items()
    }


def agreement_of(systems_a=SYSTEMS_A, systems_b=SYSTEMS_B, **params):
    return system_agreement(
        systems_a, systems_b, **{"n_resamples": 199, "random_state": 0} | params
    )


def means_of(systems, queries=slice(None)):
    return np.array([each[queries].mean() for each in systems.values()])


def ap_of(reference, means):
    """Return the AP correlation of two orders without ties, one item after the other."""
    order = np.argsort(-means)
    shares = [
        np.mean(reference[order[:place]] > reference[order[place]])
        for place in range(1, len(order))
    ]
    return 2 * np.mean(shares) - 1


def test_the_order_of_the_means_is_compared():
    result = agreement_of()
    mean_a, mean_b = means_of(SYSTEMS_A), means_of(SYSTEMS_B)
    assert result.systems == ("tuned", "hybrid", "dense", "bm25")
    assert result.mean_a == pytest.approx(mean_a[::-1], rel=1e-12)
    assert result.mean_b == pytest.approx(mean_b[::-1], rel=1e-12)
    assert result.rank_a.tolist() == [1, 2, 3, 4]
    assert result.rank_b.tolist() == [4, 2, 1, 3]
    assert result.tau == pytest.approx(kendalltau(mean_a, mean_b).statistic)
    assert result.tau_ap == pytest.approx(ap_of(mean_a, mean_b))
    assert (result.metric, result.n_queries, result.n_pairs) == (None, N_QUERIES, 6)
    swapped = agreement_of(SYSTEMS_B, SYSTEMS_A)
    assert swapped.tau == result.tau
    assert swapped.tau_ap == pytest.approx(ap_of(mean_b, mean_a)) != result.tau_ap


def test_intervals_are_percentiles_over_samples_of_the_queries():
    """The samples are drawn as by the bootstrap of `confidence_interval`."""
    result = agreement_of()
    counts = np.random.default_rng(np.random.RandomState(0).randint(2**32, dtype=np.uint64))
    drawn = counts.integers(N_QUERIES, size=(199, N_QUERIES))
    orders = [(means_of(SYSTEMS_A, each), means_of(SYSTEMS_B, each)) for each in drawn]
    taus = [kendalltau(*each).statistic for each in orders]
    of_ap = [ap_of(*each) for each in orders]
    tails = [0.025, 0.975]
    assert [result.tau_low, result.tau_high] == pytest.approx(np.quantile(taus, tails))
    assert [result.tau_ap_low, result.tau_ap_high] == pytest.approx(np.quantile(of_ap, tails))
    with_itself = [kendalltau(means_of(SYSTEMS_A), a).statistic for a, _ in orders]
    assert result.tau_resampled == pytest.approx(np.mean(with_itself))
    for swap in result.swaps:
        one, other = (list(SYSTEMS_A).index(name) for name in (swap.better_a, swap.better_b))
        share = np.mean([(a[one] - a[other]) * (b[one] - b[other]) < 0 for a, b in orders])
        assert swap.share == pytest.approx(share)


def test_pairs_that_change_places_are_named_with_their_tests():
    result = agreement_of()
    mean_a, mean_b = (
        dict(zip(each, means_of(each), strict=True)) for each in (SYSTEMS_A, SYSTEMS_B)
    )
    expected = {
        (one, other)
        for pair in combinations(SYSTEMS_A, 2)
        for one, other in (pair, pair[::-1])
        if mean_a[one] > mean_a[other] and mean_b[one] < mean_b[other]
    }
    assert {(each.better_a, each.better_b) for each in result.swaps} == expected
    gaps = [each.difference_a for each in result.swaps]
    assert gaps == sorted(gaps, reverse=True)
    tested = [compare_all(each, correction="holm") for each in (SYSTEMS_A, SYSTEMS_B)]
    for each in result.swaps:
        assert each.difference_a == pytest.approx(mean_a[each.better_a] - mean_a[each.better_b])
        assert each.difference_b == pytest.approx(mean_b[each.better_b] - mean_b[each.better_a])
        names = sorted((each.better_a, each.better_b), key=list(SYSTEMS_A).index)
        [row] = [
            row
            for row, pair in enumerate(zip(tested[0].systems_a, tested[0].systems_b, strict=True))
            if list(pair) == names
        ]
        assert [each.pvalue_a, each.pvalue_b] == [of_set.pvalue[row] for of_set in tested]
    signs = [of_set.direction * of_set.is_significant for of_set in tested]
    counts = [np.count_nonzero(each) for each in signs]
    assert [result.n_significant_a, result.n_significant_b] == counts
    assert result.n_same_verdict == (signs[0] * signs[1] > 0).sum() > 0
    assert result.n_opposite_verdict == (signs[0] * signs[1] < 0).sum() > 0


def test_systems_are_data_reports_or_arrays():
    people, model = data_of(PEOPLE), data_of(MODEL)
    of_data = agreement_of(people, model, score="ndcg@2")
    assert of_data.metric == "ndcg@2"
    of_reports = agreement_of(reports_of(PEOPLE), reports_of(MODEL), judgments=(PEOPLE, MODEL))
    assert of_reports == of_data
    several = [reports_of(each, ["mrr", "ndcg"]) for each in (PEOPLE, MODEL)]
    pair = people["old"], model["old"]
    assert agreement_of(*several, score="ndcg@2", judgments=pair) == of_data
    values = [
        {name: each.per_query["ndcg@2"] for name, each in reports_of(of).items()}
        for of in (PEOPLE, MODEL)
    ]
    of_arrays = agreement_of(*values)
    assert of_arrays.labels is None
    assert of_arrays.swaps == of_data.swaps


def test_saved_reports_are_read(tmp_path):
    paths = [{}, {}]
    for number, judgments in enumerate((PEOPLE, MODEL)):
        for name, report in reports_of(judgments, ["mrr", "ndcg"]).items():
            paths[number][name] = tmp_path / f"{name}{number}.json"
            report.to_json(paths[number][name])
    found = agreement_of(*paths, score="ndcg@2")
    expected = agreement_of(reports_of(PEOPLE), reports_of(MODEL))
    assert found == expected


def test_labels_are_matched_by_the_ids_of_queries_and_items():
    labels = agreement_of(data_of(PEOPLE), data_of(MODEL), score="ndcg@2").labels
    one, other = [2, 1, 0, 1, 1, 0], [1, 2, 0, 1, 0, 1]  # a to d, f and g
    assert labels.kappa == cohen_kappa_score(one, other)
    assert labels.grades.tolist() == [0, 1, 2]
    assert labels.kappa_by_grade.tolist() == [
        cohen_kappa_score(np.equal(one, grade), np.equal(other, grade)) for grade in range(3)
    ]
    assert labels.counts.tolist() == [[1, 1, 0], [1, 1, 1], [0, 1, 0]]
    assert (labels.n_items, labels.n_only_a, labels.n_only_b) == (6, 1, 1)
    for weights in ("linear", "quadratic"):
        judgments = {"judgments": (PEOPLE, MODEL), "kappa_weights": weights}
        weighed = agreement_of(reports_of(PEOPLE), reports_of(MODEL), **judgments).labels
        assert weighed.kappa == cohen_kappa_score(one, other, weights=weights)
        assert weighed.weights == weights
        assert f"labels: {weights} kappa" in repr(weighed)


def test_an_item_has_a_label_for_each_query():
    one = {"q1": {"a": 2, "b": 0}, "q2": {"a": 0, "b": 1}, "q3": {"b": 1}}
    other = {"q3": {"b": 0}, "q2": {"b": 1, "a": 1}, "q1": {"b": 0, "a": 2}}
    labels = agreement_of(judgments=(one, other)).labels
    assert labels.counts.tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 1]]
    arrays = [np.array([[2, 0], [0, 1], [0, 1]]), np.array([[2, 0], [1, 1], [1, 0]])]
    data = [RankingData(sp.csr_array(each), each, np.arange(3), np.arange(2)) for each in arrays]
    stored = agreement_of(judgments=data).labels  # zeros that are not stored have no label
    assert stored.counts.tolist() == [[1, 0], [0, 1]]
    assert (stored.grades.tolist(), stored.n_only_a, stored.n_only_b) == ([1, 2], 1, 2)


def test_equal_labels_have_no_kappa():
    relevant = {"q1": ["a", "b"], "q2": ["d"]}
    labels = agreement_of(judgments=(relevant, {"q1": ["b"]})).labels
    assert np.isnan([labels.kappa, *labels.kappa_by_grade]).all()
    assert (labels.n_items, labels.n_only_a, labels.n_only_b) == (1, 2, 0)


def test_data_over_aspects_have_no_kappa():
    gold = {"q1": {"facts": ["a"], "dates": ["b"]}, "q2": {"facts": ["d"]}}
    data = {
        name: from_lists(gold, run, aspects=True, queries="judged") for name, run in RUNS.items()
    }
    assert agreement_of(data, data, score="ndcg@2").labels is None
    with raises("judgments[0]", "without aspects"):
        agreement_of(judgments=(data["old"], PEOPLE))


def test_a_lower_mean_is_better_where_a_report_says_so():
    y_score = {"old": [[1, 2, 3], [3, 1, 2]], "new": [[3, 2, 1], [1, 2, 3]]}
    of_a, of_b = (
        {name: ranking_report(labels, each, scores="arp") for name, each in y_score.items()}
        for labels in ([[1, 0, 0], [0, 0, 1]], [[0, 0, 1], [1, 0, 0]])
    )
    with pytest.warns(UserWarning, match="system_agreement .* all differences are equal"):
        result = agreement_of(of_a, of_b)
    assert result.systems == ("new", "old")
    assert result.mean_a.tolist() == [1, 2.5]
    assert result.rank_b.tolist() == [2, 1]


def test_weights_and_clusters_count():
    weight = np.arange(N_QUERIES) % 3
    repeated = [
        {name: np.repeat(each, weight) for name, each in of.items()}
        for of in (SYSTEMS_A, SYSTEMS_B)
    ]
    clusters = np.repeat(np.arange(N_QUERIES), weight)
    result = agreement_of(sample_weight=weight)
    again = agreement_of(*repeated, clusters=clusters)
    assert result.mean_b == pytest.approx(again.mean_b, rel=1e-12)
    assert result.tau_resampled == pytest.approx(again.tau_resampled, abs=0.02)
    assert [each.pvalue_a for each in again.swaps] == pytest.approx(
        [each.pvalue_a for each in result.swaps]
    )


def test_undefined_scores_are_left_out_of_the_means():
    systems_a = {"x": [1, np.nan, 0, 1], "y": [0.5, 0.75, np.nan, 0.25]}
    result = agreement_of(systems_a, {"x": [0, 0, 1, 0], "y": [1, 1, 0, 0.5]})
    assert result.mean_a == pytest.approx([2 / 3, 0.5])
    assert (result.tau, result.tau_high) == (-1, 1)
    assert result.n_queries == 4


def test_a_system_without_a_mean_has_no_place():
    unknown = np.full(N_QUERIES, np.nan)
    with raises("systems_b['dense']", "a score on at least one query", got="NaN for all of them"):
        agreement_of(SYSTEMS_A, SYSTEMS_B | {"dense": unknown})
    one_known = unknown.copy()
    one_known[0] = 0.5
    with raises("systems_a['dense']", "a score on at least one query"):
        agreement_of(SYSTEMS_A | {"dense": one_known}, sample_weight=np.arange(N_QUERIES))
    scattered = {f"s{n}": np.where(np.arange(N_QUERIES) == n, n, np.nan) for n in range(N_QUERIES)}
    with raises("systems_a", "a resample has one of each", got="no such resample"):
        agreement_of(scattered, scattered)


def test_samples_on_which_a_system_has_no_mean_are_left_out():
    is_known = np.arange(N_QUERIES) < 3
    systems = {"x": np.where(is_known, 1, np.nan), "y": OF_QUERY / 2, "z": OF_QUERY / 4}
    result = agreement_of(systems, systems)
    assert (result.tau, result.tau_low, result.tau_resampled) == (1, 1, 1)


def test_means_that_are_equal_except_for_rounding_tie():
    systems = {"x": [0.1, 0.2, 0.3], "y": [0.3, 0.2, 0.1], "z": [0.0, 0.3, 0.1]}
    result = agreement_of(systems, systems)
    assert result.rank_a.tolist() == [1, 1, 3]
    assert result.tau == pytest.approx(2 / 3)
    assert result.swaps == ()


def test_a_result_prints_and_is_a_frame():
    model = {"q1": {"a": 0, "b": 2}, "q2": {"d": 0, "e": 1}, "q3": {"f": 1}}
    result = agreement_of(data_of(PEOPLE), data_of(model), score="ndcg@2")
    assert repr(result).splitlines() == [
        "     mean a  mean b  rank a  rank b",
        "new  1.0000  0.7540       1       2",
        "old  0.7072  0.8770       2       1",
        "",
        "Kendall's tau: -1.0000 (-1.0000 to 1.0000)",
        "AP correlation: -1.0000 (-1.0000 to 1.0000)",
        "95 % intervals by resampling 3 queries",
        "a and a on resampled queries: tau 1.0000 on average",
        "1 of 1 pair of systems changes places",
        "new leads old by 0.2928 in a (p = 0.2500) and is behind by 0.1230 in b (p = 0.6667)",
        "significant differences: 0 in a, 0 in b, 0 in both, 0 in opposite directions",
        "labels: kappa -0.2500 of 5 items that both judged; 2 are only in a, 0 only in b",
    ]
    assert result.to_markdown().startswith("|  | mean a |")
    assert "<td>1.0000</td>" in result._repr_html_()
    frame = result.to_frame()
    assert frame.index.tolist() == ["new", "old"]
    assert frame["rank_b"].tolist() == [2, 1]
    assert repr(result.labels).splitlines() == [
        "        0 in b  1 in b  2 in b    kappa",
        "0 in a       0       1       0  -0.3636",
        "1 in a       1       1       1  -0.1538",
        "2 in a       1       0       0  -0.2500",
        "",
        "labels: kappa -0.2500 of 5 items that both judged; 2 are only in a, 0 only in b",
    ]
    assert pickle.loads(pickle.dumps(result)) == result
    assert result != agreement_of(data_of(PEOPLE), data_of(model), score="ndcg@2", n_resamples=99)


def test_only_some_swaps_are_printed():
    ups, downs = np.arange(6.0), -np.arange(6.0)
    of_a, of_b = (
        {f"s{n}": value + OF_QUERY * (n + 1) for n, value in enumerate(each)}
        for each in (ups, downs)
    )
    lines = repr(agreement_of(of_a, of_b)).splitlines()
    assert "15 of 15 pairs of systems change places" in lines
    assert "... and 5 more pairs" in lines


@pytest.mark.parametrize(
    ("params", "parameter", "expected", "got"),
    [
        ({"systems_a": [1, 2]}, "systems_a", "a dict that maps", "[1, 2]"),
        ({"systems_b": {"x": [1, 2]}}, "systems_b", "a dict that maps", "one system, 'x',"),
        (
            {"systems_b": {"x": [1], "z": [2]}},
            "systems_b",
            "the same systems as systems_a",
            "without 'y'",
        ),
        (
            {"systems_b": {name: [1] for name in "xyz"}},
            "systems_b",
            "the same systems",
            "also 'z'",
        ),
        ({"systems_b": {"x": [1, 2], "y": [1]}}, "systems_b['y']", "the same 2 queries", "1 "),
        ({"score": "ndcg"}, "score", "left out", "'ndcg'"),
        ({"score": "no"}, "score", "", "'no'"),
        ({"judgments": PEOPLE}, "judgments", "a pair", "a dict"),
        ({"judgments": (PEOPLE, 3)}, "judgments[1]", "", "3"),
        ({"judgments": (PEOPLE, {"q1": {"z": 1}})}, "judgments", "both judged", "none"),
        ({"kappa_weights": "cubic"}, "kappa_weights", "'linear' or 'quadratic'", "'cubic'"),
        ({"n_resamples": 10}, "n_resamples", "at least 39", "10"),
        ({"confidence_level": 2}, "confidence_level", "between 0 and 1", "2"),
        ({"random_state": "x"}, "random_state", "an int", "'x'"),
    ],
)
def test_what_is_refused(params, parameter, expected, got):
    systems = {"systems_a": {"x": [1, 2], "y": [1, 0]}, "systems_b": {"x": [1, 2], "y": [0, 0]}}
    with raises(parameter, expected, function="system_agreement") as caught:
        agreement_of(**systems | params)
    assert got in caught.value.got


def test_what_is_refused_of_reports():
    several = reports_of(PEOPLE, ["mrr", "ndcg"])
    with raises("systems_a", "a single score", got="mrr@2, ndcg@2", advice="`score`"):
        agreement_of(several, several)
    with raises("systems_a['old']", "a report with 'map@2'", got="mrr@2, ndcg@2"):
        agreement_of(several, several, score="map@2")
    human = reports_of(MODEL, human=from_lists({"q1": PEOPLE["q1"]}, RUNS["old"]))
    with raises("systems_b", "without people's labels"):
        agreement_of(reports_of(PEOPLE), human)


def test_a_single_query_has_no_verdict():
    with pytest.warns(UndefinedMetricWarning, match="system_agreement .* fewer than two queries"):
        result = agreement_of({"x": [1], "y": [0]}, {"x": [0], "y": [1]})
    assert result.tau == -1
    assert np.isnan(result.swaps[0].pvalue_a)
