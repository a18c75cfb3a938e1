"""A few labels by people beside many by a model: formulas by hand, forms, warnings, errors."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from raising import raises
from scipy import sparse, stats
from sklearn.exceptions import UndefinedMetricWarning

from ranking_scores import from_tables, ranking_report
from ranking_scores.gates import check
from ranking_scores.report import read_report
from ranking_scores.significance import (
    changes,
    compare,
    compare_all,
    confidence_interval,
    queries_needed,
)

CLOSE = 1e-12  # a few roundings of numbers near 1
NAN = np.nan
RNG = np.random.default_rng(0)
N, N_HUMAN = 300, 40
TRUTH = RNG.beta(4, 2, N)
MODEL = np.clip(TRUTH + RNG.normal(0.05, 0.1, N), 0, 1)
TRUTH_B = np.clip(TRUTH + RNG.normal(0.04, 0.1, N), 0, 1)
MODEL_B = np.clip(TRUTH_B + RNG.normal(0.08, 0.1, N), 0, 1)
IDS = np.array([f"q{each}" for each in range(N)])
CHOSEN = RNG.choice(N, N_HUMAN, replace=False)


def same(found, expected, tolerance=CLOSE):
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


def at_chosen(values, chosen=CHOSEN):
    """Return values with NaN where people did not judge."""
    human = np.full(len(values), NAN)
    human[chosen] = values[chosen]
    return human


HUMAN, HUMAN_B = at_chosen(TRUTH), at_chosen(TRUTH_B)


def by_hand(model, human):
    """Return mean, standard error, weight, degrees of freedom: the formulas of the module."""
    is_human = ~np.isnan(human)
    y, f, others = human[is_human], model[is_human], model[~is_human]
    n, n_others = len(y), len(others)
    weight = np.cov(y, f)[0, 1] / (f.var(ddof=1) * (1 + n / n_others))
    weight = np.clip(weight, 0, 1)
    mean = (y - weight * f).mean() + weight * others.mean()
    square = (y - weight * f).var(ddof=1) / n + weight**2 * others.var(ddof=1) / n_others
    return mean, np.sqrt(square), weight, n - 2


# The numbers.


@pytest.mark.parametrize("level", [0.95, 0.5])
@pytest.mark.parametrize("n_human", [3, 20, 298])
@pytest.mark.filterwarnings("ignore:.*only 3 queries were judged")
def test_interval_is_that_of_the_formulas(n_human, level):
    human = at_chosen(TRUTH, np.arange(n_human))
    found = confidence_interval(MODEL, human=human, confidence_level=level)
    mean, error, weight, degrees = by_hand(MODEL, human)
    same([found.mean, found.standard_error, found.human.weight], [mean, error, weight])
    same([found.low, found.high], stats.t.interval(level, degrees, mean, error))
    y, f = TRUTH[:n_human], MODEL[:n_human]
    same(found.human.correlation, np.corrcoef(y, f)[0, 1])
    same(found.human.worth, y.var(ddof=1) / error**2)
    bias = stats.ttest_rel(f, y)
    same(found.human.bias, (f - y).mean())
    same([found.human.bias_low, found.human.bias_high], bias.confidence_interval(level))
    same(found.human.pvalue, stats.ttest_ind(f, MODEL[n_human:], equal_var=False).pvalue)
    assert (found.n_queries, found.human.n_queries, found.method) == (N, n_human, "ppi")


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_comparison_is_the_interval_of_the_differences(alternative):
    found = compare(MODEL, MODEL_B, human=(HUMAN, HUMAN_B), alternative=alternative)
    mean, error, weight, degrees = by_hand(MODEL_B - MODEL, HUMAN_B - HUMAN)
    t = stats.t(degrees)
    pvalue = {
        "two-sided": 2 * t.sf(abs(mean / error)),
        "greater": t.sf(mean / error),
        "less": t.cdf(mean / error),
    }
    same([found.difference, found.human.weight], [mean, weight])
    same(found.pvalue, pvalue[alternative])
    half = {"two-sided": t.ppf(0.975)}.get(alternative, t.ppf(0.95)) * error
    low = -np.inf if alternative == "less" else mean - half
    high = np.inf if alternative == "greater" else mean + half
    same([found.low, found.high], [low, high])
    d = (TRUTH_B - TRUTH)[CHOSEN]
    same(found.effect_size, mean / d.std(ddof=1))
    assert (found.wins, found.draws, found.losses) == ((d > 0).sum(), 0, (d < 0).sum())
    assert (found.test, found.n_queries, found.n_dropped) == ("ppi", N, 0)
    same(found.difference_per_query, MODEL_B - MODEL)


def test_margin_agrees_with_the_limit():
    one_sided = compare(MODEL, MODEL_B, human=(HUMAN, HUMAN_B), alternative="greater")
    other = compare(MODEL, MODEL_B, human=(HUMAN, HUMAN_B), alternative="less")
    margin = 0.1
    found = compare(MODEL, MODEL_B, human=(HUMAN, HUMAN_B), margin=margin)
    mean, error, _, degrees = by_hand(MODEL_B - MODEL, HUMAN_B - HUMAN)
    below, above = stats.t(degrees).sf((margin + np.array([mean, -mean])) / error)
    same([found.pvalue_noninferior, found.pvalue_equivalent], [below, max(below, above)])
    assert one_sided.low > -margin
    assert (found.pvalue_equivalent <= 0.05) == (other.high < margin)


def test_worse_labels_of_the_model_count_less():
    noise = np.random.default_rng(1).normal(size=N)
    against = confidence_interval(1 - TRUTH, human=HUMAN)
    found = confidence_interval(noise, human=HUMAN)
    alone = confidence_interval(TRUTH[CHOSEN], method="t")
    assert against.human.weight == 0
    same([against.mean, against.standard_error], [alone.mean, alone.standard_error])
    same(against.human.worth, N_HUMAN)
    assert 0 <= found.human.weight < 0.1
    assert found.high - found.low < 1.1 * (alone.high - alone.low)


def test_weight_is_at_most_1():
    found = confidence_interval(MODEL / 3, human=HUMAN)
    assert found.human.weight == 1
    same([found.mean, found.standard_error], by_hand(MODEL / 3, HUMAN)[:2])


@pytest.mark.parametrize(
    ("model", "human"),
    [
        (TRUTH, TRUTH),
        (MODEL, at_chosen(TRUTH, np.arange(N - 1))),
        (np.full(N, 0.5), HUMAN),
    ],
    ids=["people judged all", "all but one", "the model gives all the same"],
)
def test_people_alone_if_there_is_no_weight_to_fit(model, human):
    found = confidence_interval(model, human=human)
    alone = confidence_interval(human[~np.isnan(human)], method="t")
    same(
        [found.mean, found.low, found.high, found.human.weight],
        [alone.mean, alone.low, alone.high, 0],
    )


@pytest.mark.filterwarnings("ignore:.*judged by people")
def test_two_queries_are_people_alone_and_one_says_nothing():
    found = confidence_interval(MODEL, human=at_chosen(TRUTH, [3, 8]))
    same(
        [found.low, found.high],
        stats.t.interval(0.95, 1, TRUTH[[3, 8]].mean(), found.standard_error),
    )
    with pytest.warns(
        UndefinedMetricWarning, match="fewer than two queries have a score by people"
    ):
        found = confidence_interval(MODEL, human=at_chosen(TRUTH, [3]))
    assert found.mean == TRUTH[3]
    is_judged = np.isin(np.arange(N), [3, 8])
    with pytest.warns(UndefinedMetricWarning, match="fewer than two clusters have a score by"):
        confidence_interval(MODEL, human=at_chosen(TRUTH, [3, 8]), clusters=is_judged)
    assert np.isnan([found.low, found.high, found.standard_error, found.human.worth]).all()


@pytest.mark.filterwarnings("ignore:.*judged by people")
def test_column_that_people_did_not_judge():
    model, human = np.column_stack([MODEL, MODEL_B]), np.column_stack([HUMAN, np.full(N, NAN)])
    with pytest.warns(UndefinedMetricWarning, match=r"\(column 1\) is undefined"):
        found = confidence_interval(model, human=human)
    assert found.low[0] == confidence_interval(MODEL, human=HUMAN).low
    assert np.isnan([found.mean[1], found.low[1], found.human.bias_low[1]]).all()
    assert (found.human.n_queries[1], found.n_queries[1]) == (0, N)


def test_equal_scores_have_an_interval_without_width():
    with pytest.warns(UserWarning, match="people's scores are all equal, so the interval"):
        found = confidence_interval(MODEL, human=at_chosen(np.full(N, 0.25)))
    assert [found.mean, found.low, found.high, found.human.weight] == [0.25, 0.25, 0.25, 0]
    assert np.isnan([found.human.worth, found.human.correlation]).all()


def test_scores_of_any_size():
    plain = confidence_interval(MODEL, human=HUMAN)
    for factor in (2.0**900, 2.0**-900):
        found = confidence_interval(factor * MODEL, human=factor * HUMAN)
        assert [found.low, found.high] == [factor * plain.low, factor * plain.high]
        assert found.human.bias_low == factor * plain.human.bias_low
        assert found.human.worth == plain.human.worth


def test_undefined_scores_are_left_out():
    model, human = MODEL.copy(), HUMAN.copy()
    model[[CHOSEN[0], CHOSEN[1]]] = NAN
    other = np.setdiff1d(np.arange(N), CHOSEN)[0]
    model[other] = NAN
    found = confidence_interval(model, human=human)
    is_there = ~np.isnan(model)
    expected = confidence_interval(model[is_there], human=human[is_there])
    assert (found.mean, found.low, found.human) == (expected.mean, expected.low, expected.human)
    assert (found.n_undefined, found.human.n_queries) == (3, N_HUMAN - 2)


def test_columns_are_those_alone():
    frame = pd.DataFrame({"x": MODEL, "y": MODEL_B})
    human = pd.DataFrame({"y": TRUTH_B[CHOSEN], "x": TRUTH[CHOSEN]}, index=CHOSEN)
    found = confidence_interval(frame, human=human)
    for place, (model, own) in enumerate([(MODEL, HUMAN), (MODEL_B, HUMAN_B)]):
        alone = confidence_interval(model, human=own)
        assert (found.low[place], found.high[place]) == (alone.low, alone.high)
        assert found.human.worth[place] == alone.human.worth
    assert found.method == ("ppi", "ppi")


# Weights and clusters.


def test_weights_are_those_of_a_ratio():
    weight = np.random.default_rng(2).integers(1, 4, N).astype(float)
    found = confidence_interval(MODEL, human=HUMAN, sample_weight=weight)
    is_human = ~np.isnan(HUMAN)
    w, v = weight[is_human], weight[~is_human]
    y, f, others = HUMAN[is_human], MODEL[is_human], MODEL[~is_human]
    n, n_others = w.sum() ** 2 / (w**2).sum(), v.sum() ** 2 / (v**2).sum()

    def covariance(x, z, w):
        terms = w**2 * (x - np.average(x, weights=w)) * (z - np.average(z, weights=w))
        return len(w) / (len(w) - 1) * terms.sum() / w.sum() ** 2

    lam = covariance(y, f, w) / covariance(f, f, w) / (1 + n / n_others)
    mean = np.average(y - lam * f, weights=w) + lam * np.average(others, weights=v)
    r = y - lam * f
    error = np.sqrt(covariance(r, r, w) + lam**2 * covariance(others, others, v))
    same([found.mean, found.human.weight], [mean, lam])
    same([found.low, found.high], stats.t.interval(0.95, n - 2, mean, error))
    same(found.n_effective, n + n_others)


def test_equal_weights_are_none_and_weight_0_is_absence():
    plain = confidence_interval(MODEL, human=HUMAN)
    equal = confidence_interval(MODEL, human=HUMAN, sample_weight=np.full(N, 3.0))
    same([equal.mean, equal.low, equal.high], [plain.mean, plain.low, plain.high])
    weight = np.ones(N)
    weight[[CHOSEN[0], 0]] = 0
    left_out = confidence_interval(MODEL, human=HUMAN, sample_weight=weight)
    rest = confidence_interval(MODEL[weight > 0], human=HUMAN[weight > 0])
    same([left_out.low, left_out.high], [rest.low, rest.high])


def test_clusters_of_equal_sizes_are_their_means():
    clusters = np.arange(N) // 3
    chosen = np.flatnonzero(clusters < 30)
    human = at_chosen(TRUTH, chosen)
    found = confidence_interval(MODEL, human=human, clusters=clusters)
    means = confidence_interval(
        MODEL.reshape(-1, 3).mean(axis=1), human=human.reshape(-1, 3).mean(axis=1)
    )
    same([found.mean, found.low, found.high], [means.mean, means.low, means.high])
    same(found.human.worth, 3 * means.human.worth)
    assert (found.n_clusters, found.human.n_queries) == (N // 3, 90)


def test_cluster_that_people_judged_in_part_is_refused():
    with raises("clusters", "all queries or none", got="one with 1 of 3 judged", advice="whole"):
        confidence_interval(MODEL, human=at_chosen(TRUTH, [4]), clusters=np.arange(N) // 3)


# Forms.


def test_all_forms_give_the_same():
    expected = confidence_interval(MODEL, human=HUMAN)
    model, human = pd.Series(MODEL, IDS), pd.Series(TRUTH[CHOSEN], IDS[CHOSEN])
    numbered = pd.Series(MODEL), pd.Series(TRUTH[CHOSEN], CHOSEN)
    by_id = dict(zip(IDS, MODEL, strict=True)), dict(zip(IDS[CHOSEN], TRUTH[CHOSEN], strict=True))
    with_nan = pd.Series(HUMAN, IDS).sample(frac=1, random_state=0)
    for values, own in [(model, human), numbered, by_id, (model, with_nan), (model, by_id[1])]:
        assert confidence_interval(values, human=own) == expected
    assert confidence_interval(model, human=HUMAN) == expected  # in the order of the queries


LABELS = RNG.integers(0, 4, (60, 8))
BY_PEOPLE = np.clip(LABELS + RNG.integers(-1, 2, LABELS.shape), 0, 3)
RANKINGS = RNG.random((60, 8)), RNG.random((60, 8))
JUDGED = np.sort(RNG.choice(60, 25, replace=False))
NAMES = IDS[:60]


def reports_of(place, scores=("ndcg@5", "mrr@5"), **params):
    """Return the reports of a system by the model's labels and by people's."""
    score = RANKINGS[place]
    model = ranking_report(LABELS, score, query_ids=NAMES, scores=scores, **params)
    people = ranking_report(
        BY_PEOPLE[JUDGED], score[JUDGED], query_ids=NAMES[JUDGED], scores=scores, **params
    )
    return model, people


def test_reports_are_matched_by_ids_and_names():
    model, people = reports_of(0)
    found = confidence_interval(model, human=people)
    for place, name in enumerate(model):
        alone = confidence_interval(
            pd.Series(model.per_query[name], NAMES),
            human=pd.Series(people.per_query[name], NAMES[JUDGED]),
        )
        assert (found.low[place], found.high[place]) == (alone.low, alone.high)


def test_pair_of_reports():
    (a, human_a), (b, human_b) = (reports_of(place, "ndcg@5") for place in (0, 1))
    found = compare(a, b, human=(human_a, human_b))
    values = [each.per_query["ndcg@5"] for each in (a, b, human_a, human_b)]
    model, human = values[1] - values[0], np.full(60, NAN)
    human[JUDGED] = values[3] - values[2]
    same(found.difference, by_hand(model, human)[0])
    assert found.metric == "ndcg@5"
    assert found.query_ids.tolist() == NAMES.tolist()


def test_pair_of_ranking_data(tmp_path):
    frames = [
        pd.DataFrame(
            {"query": np.repeat(NAMES, 8), "item": np.tile(range(8), 60), name: each.ravel()}
        )
        for name, each in [
            ("label", LABELS),
            ("label", BY_PEOPLE),
            ("score", RANKINGS[0]),
            ("score", RANKINGS[1]),
        ]
    ]
    model, people, *runs = frames
    people = people[people["query"].isin(NAMES[JUDGED])]
    data = [from_tables(model, run) for run in runs]
    human = [from_tables(people, run) for run in runs]
    found = compare(*data, score="ndcg@5", human=human)
    reports = [ranking_report(each, scores="ndcg@5") for each in (*data, *human)]
    assert found == compare(*reports[:2], human=tuple(reports[2:]))
    paths = [tmp_path / f"{place}.json" for place in range(2)]
    for path, report in zip(paths, reports[2:], strict=True):
        report.to_json(path)
    assert found == compare(*reports[:2], human=paths)


# Reports that hold both.


def frames_of(**columns):
    """Return tables of labels or scores, one row per query and item."""
    keys = {"query": np.repeat(NAMES, 8), "item": np.tile(range(8), 60)}
    return [pd.DataFrame(keys | {name: each.ravel()}) for name, each in columns.items()]


def with_people(place, **params):
    """Return the report of a system by both kinds of labels."""
    human = np.where(np.isin(np.arange(60), JUDGED)[:, np.newaxis], BY_PEOPLE, NAN)
    params = {"query_ids": NAMES, "scores": ["ndcg@5", "mrr@5"], "human": human} | params
    return ranking_report(LABELS, RANKINGS[place], **params)


def test_report_holds_the_scores_by_people():
    found, (model, people) = with_people(0), reports_of(0)
    for name, values in found.human.items():
        assert np.array_equal(np.flatnonzero(~np.isnan(values)), JUDGED)
        assert values[JUDGED].tolist() == people.per_query[name].tolist()
    assert confidence_interval(found) == confidence_interval(model, human=people)
    assert "people judged 25 queries, too: `confidence_interval`" in repr(found)
    assert model.human is None


def test_report_of_rows_of_sparse_scores_and_with_a_mask():
    human = np.where(np.isin(np.arange(60), JUDGED)[:, np.newaxis], BY_PEOPLE, NAN)
    expected, qid = with_people(0), np.repeat(np.arange(60), 8)
    rows = ranking_report(
        LABELS.ravel(),
        RANKINGS[0].ravel(),
        qid=qid,
        scores=["ndcg@5", "mrr@5"],
        human=human.ravel(),
        sample_weight=np.ones(480),
    )
    scores = sparse.csr_array(RANKINGS[0])
    stored = ranking_report(
        sparse.csr_array(LABELS), scores, scores=["ndcg@5", "mrr@5"], human=human
    )
    where = np.ones(LABELS.shape, bool)
    where[:, 7] = False
    human[:, 7] = NAN
    masked = with_people(0, where=where, human=human)
    cut = ranking_report(
        LABELS[:, :7], RANKINGS[0][:, :7], scores=["ndcg@5", "mrr@5"], human=human[:, :7]
    )
    for name, values in expected.human.items():
        np.testing.assert_array_equal(rows.human[name], values)
        np.testing.assert_array_equal(stored.human[name], values)
        np.testing.assert_array_equal(masked.human[name], cut.human[name])


def test_report_of_ranking_data():
    model, people, run = (
        frames_of(label=LABELS)[0],
        frames_of(label=BY_PEOPLE)[0],
        frames_of(score=RANKINGS[0])[0],
    )
    people = people[people["query"].isin(NAMES[JUDGED])]
    data = from_tables(model, run)
    found = ranking_report(data, scores="ndcg@5", human=from_tables(people, run))
    expected = dict(zip(NAMES, with_people(0).human["ndcg@5"], strict=True))
    same(found.human["ndcg@5"], [expected[each] for each in found.query_ids])
    with raises("human", "RankingData, as `y_true` is", function="ranking_report"):
        ranking_report(data, scores="ndcg@5", human=BY_PEOPLE)
    others = from_tables(people.replace(NAMES[JUDGED[0]], "x"), run.replace(NAMES[JUDGED[0]], "x"))
    with raises("human", "some of the queries that the model judged", got="also 'x'"):
        ranking_report(data, scores="ndcg@5", human=others)


def test_groups_have_their_part_and_files_keep_all(tmp_path):
    by = np.where(np.arange(60) % 2, "odd", "even")
    found = with_people(0, by=by)
    even = found.by_group["group"]["even"]
    for name, values in found.human.items():
        np.testing.assert_array_equal(even.human[name], values[by == "even"])
    found.to_json(tmp_path / "report.json")
    read = read_report(tmp_path / "report.json")
    assert read == found
    assert read.by_group["group"]["odd"] == found.by_group["group"]["odd"]
    with_no_values = found.to_json(per_query=False)
    (tmp_path / "means.json").write_text(with_no_values)
    assert read_report(tmp_path / "means.json").human is None
    assert read_report(tmp_path / "means.json").by_group["group"]["odd"].human is None


def test_pair_of_reports_that_hold_both():
    a, b = with_people(0, scores="ndcg@5"), with_people(1, scores="ndcg@5")
    (model_a, human_a), (model_b, human_b) = (reports_of(place, "ndcg@5") for place in (0, 1))
    expected = compare(model_a, model_b, human=(human_a, human_b))
    assert compare(a, b) == expected
    order = np.random.default_rng(5).permutation(60)
    human = np.where(np.isin(np.arange(60), JUDGED)[:, np.newaxis], BY_PEOPLE, NAN)
    shuffled = ranking_report(
        LABELS[order],
        RANKINGS[1][order],
        query_ids=NAMES[order],
        scores="ndcg@5",
        human=human[order],
    )
    same(compare(a, shuffled).low, expected.low)
    with raises("system_b", "a report with people's labels, like system_a"):
        compare(a, model_b)
    with raises("human[0]", "None, since system_a is a report that has people's labels"):
        compare(a, b, human=(human_a, human_b))
    with raises("systems", "reports without people's labels", advice="`compare` takes them"):
        compare_all({"a": a, "b": b})
    with raises("system_a", "reports without people's labels"):
        queries_needed(a, b)
    assert "left out: people's labels, which `compare` takes in" in changes(a, b).notes
    assert "left out: people's labels, which `compare` takes in" in changes(model_a, b).notes


@pytest.mark.parametrize(
    ("change", "expected", "got"),
    [
        ({"human": BY_PEOPLE[:5]}, "of the shape of `y_true`, (60, 8)", "shape (5, 8)"),
        ({"human": np.full((60, 8), NAN)}, "labels of at least one query", "only NaN"),
        ({"human": np.where(np.eye(60, 8), 1, NAN)}, "all items of a query", "some of query 0"),
        (
            {"item_weight": np.ones((60, 8)), "scores": "ndcg"},
            "None if there is `item_weight`",
            None,
        ),
    ],
)
def test_bad_labels_by_people_are_refused(change, expected, got):
    with raises("human", expected, function="ranking_report", got=got):
        with_people(0, **change)


def test_bad_rows_by_people_are_refused():
    labels, scores = LABELS.ravel(), RANKINGS[0].ravel()
    human = np.where(np.arange(480) < 11, 1, NAN)
    with raises("human", "all items of a query", got="some of query 'q1'"):
        ranking_report(labels, scores, qid=np.repeat(NAMES, 8), scores="ndcg", human=human)
    with raises("human", "None for class labels"):
        ranking_report(LABELS[:, 0] % 3, RANKINGS[0][:, :3], scores="mrr", human=LABELS[:, 0])


# Gates.


def test_gate_decides_on_the_corrected_interval():
    a, b = with_people(0), with_people(1)
    asked = {"at_least": {"mrr@5": 0.9}, "max_drop": 0.01, "rule": "surely not worse"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = check(b, a, **asked)
    for condition in found:
        values = [each.per_query[condition.metric] for each in (a, b)]
        human = [each.human[condition.metric] for each in (a, b)]
        mean = confidence_interval(values[1], human=human[1])
        same(condition.mean, mean.mean)
        if condition.baseline_mean is None:
            same((condition.low, condition.high), (mean.low, mean.high))
            assert condition.verdict == "undecided"
            assert f"{condition.n_queries_needed} judged by people would do" in condition.reason
        else:
            expected = compare(*values, human=human)
            same(condition.difference, expected.difference)
            # By people, one more query changes by the whole range, and by the model, not at all.
            more = [np.append(each, 0) for each in values]
            worst = compare(*more, human=[np.append(human[0], 1), np.append(human[1], 0)])
            best = compare(*more, human=[np.append(human[0], 0), np.append(human[1], 1)])
            same((condition.low, condition.high), (worst.low, best.high))
            assert condition.human == expected.human
            same(condition.baseline_mean, confidence_interval(values[0], human=human[0]).mean)
            deviation = (expected.high - expected.low) / 2 / stats.t.ppf(0.975, 23) * 5
            assert condition.verdict == "undecided"
            plan = {"alternative": "greater", "confidence_level": 0.975}
            needed = queries_needed(
                difference=abs(0.01 + expected.difference), standard_deviation=deviation, **plan
            )
            assert condition.n_queries_needed == needed
            assert f"{condition.n_queries_needed} judged by people would do" in condition.reason
    text = repr(found)
    assert "corrected by people's labels of 25 queries, each by itself" in text
    assert "skewness" not in text


def test_a_drop_too_rare_for_the_queries_of_people_is_not_ruled_out():
    found, judged = ranking_report(np.eye(60), np.eye(60), scores="mrr", k=None), np.arange(60) < 3
    human = np.where(judged[:, None], np.eye(60), NAN)
    same_report = ranking_report(np.eye(60), np.eye(60), scores="mrr", k=None, human=human)
    assert compare(found, found, margin=0.02).pvalue_noninferior > 0.025
    with pytest.warns(UserWarning, match="only 3 queries|no width"):
        compared = compare(same_report, same_report, margin=0.02)
    assert compared.pvalue_noninferior > 0.025
    assert compared.pvalue_equivalent > 0.025
    [condition] = check(same_report, same_report, max_drop=0.02, rule="surely not worse")
    assert condition.verdict == "undecided"
    assert condition.low < -0.02 < 0.02 < condition.high


def test_gate_takes_reports_by_people(tmp_path):
    a, b = with_people(0), with_people(1)
    (model_a, human_a), (model_b, human_b) = (reports_of(place) for place in (0, 1))
    expected = check(b, a, max_drop=0.05)
    assert check(model_b, model_a, max_drop=0.05, human=(human_b, human_a)) == expected
    paths = [tmp_path / f"{name}.json" for name in "ab"]
    for path, report in zip(paths, (human_b, human_a), strict=True):
        report.to_json(path)
    assert check(model_b, model_a, max_drop=0.05, human=paths) == expected
    alone = check(model_b, at_least=0.4, human=human_b)
    assert alone == check(b, at_least=0.4)
    assert alone[0].mean == confidence_interval(b).mean[0]
    with raises("human", "a pair", function="check"):
        check(model_b, model_a, max_drop=0.05, human=human_b)
    with raises("baseline", "a report with people's labels, like report"):
        check(b, model_a, max_drop=0.05)
    model_a.to_json(tmp_path / "means.json", per_query=False)
    with raises("baseline", "people's labels", got="one without the values of each query"):
        check(b, tmp_path / "means.json", max_drop=0.05)


def test_gate_notes_what_is_odd():
    human = np.where(np.arange(60)[:, np.newaxis] < 9, BY_PEOPLE, NAN)
    a, b = (with_people(place, human=human, by=np.arange(60) // 30) for place in (0, 1))
    found = check(b, a, max_drop=1, by="group")
    few = "only 9 queries were judged by people, at least 20 are better"
    assert f"ndcg@5: {few}" in found.notes
    assert f"mrr@5, group=0: {few}" in found.notes
    of_empty = next(each for each in found if each.group == 1)
    assert of_empty.verdict == "failed"
    assert np.isnan(of_empty.mean)


# Warnings and what is printed.


def test_few_queries_warn():
    with pytest.warns(UserWarning, match="only 19 queries were judged by people, at least 20"):
        confidence_interval(MODEL, human=at_chosen(TRUTH, CHOSEN[:19]))
    with pytest.warns() as caught:
        confidence_interval(MODEL, human=at_chosen(TRUTH, CHOSEN[:1]))
    assert "only 1 query was judged by people" in str(caught[1].message)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        confidence_interval(MODEL, human=at_chosen(TRUTH, CHOSEN[:20]))


def test_queries_that_are_no_random_part_warn():
    chosen = np.argsort(-MODEL)[:50]
    frame = pd.DataFrame({"x": MODEL, "y": np.random.default_rng(3).random(N)})
    human = pd.DataFrame({"x": TRUTH[chosen], "y": TRUTH[chosen]}, index=chosen)
    with pytest.warns(
        UserWarning, match=r"x: by the model's labels, .* differ .* \(p = "
    ) as caught:
        found = confidence_interval(frame, human=human)
    assert len(caught) == 1
    assert found.human.pvalue[0] < 0.01 <= found.human.pvalue[1]


def test_a_warning_says_no_random_part_from_p_of_1_percent_on():
    is_human, noise = np.arange(N) < 100, np.random.default_rng(7).normal(size=N)
    noise -= np.where(is_human, noise[is_human].mean(), noise[~is_human].mean())
    warned = []
    for shift in (0.25, 0.28, 0.3, 0.34):
        model = noise + shift * is_human
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            confidence_interval(model, human=np.where(is_human, TRUTH, NAN))
        pvalue = stats.ttest_ind(model[is_human], model[~is_human], equal_var=False).pvalue
        assert 0.001 < pvalue < 0.05
        assert len(caught) == (pvalue < 0.01)
        warned.append(len(caught))
    assert {*warned} == {0, 1}


def test_models_that_give_each_part_one_value_are_no_random_part():
    model = np.where(np.isnan(HUMAN), 0.5, 0.25)
    with pytest.warns(UserWarning, match=r"differ from the others \(p = 0.0000\)"):
        assert confidence_interval(model, human=HUMAN).human.pvalue == 0


def test_what_is_printed():
    found = confidence_interval(
        pd.DataFrame({"x": MODEL, "y": MODEL_B}), human=np.column_stack([HUMAN, HUMAN_B])
    )
    text = repr(found)
    assert "95 % intervals: prediction-powered, Student's t" in text
    for place, name in enumerate("xy"):
        human = found.human
        worth = f"as precise as {human.worth[place]:.0f} queries judged by people; 40 were"
        assert f"{name}: {worth}" in text
        assert f"{human.bias[place]:.4f} ({human.bias_low[place]:.4f} to" in text
    frame = found.to_frame()
    assert frame["human_worth"].tolist() == human.worth.tolist()
    assert frame["human_queries"].tolist() == [40, 40]
    assert human.to_frame()["weight"].tolist() == human.weight.tolist()
    assert "worth: as many queries judged by people alone" in repr(human)
    compared = compare(MODEL, MODEL_B, human=(HUMAN, HUMAN_B))
    assert "prediction-powered t test; 95 % interval" in repr(compared)
    assert f"weight of the model's labels {compared.human.weight:.4f}, correlation" in repr(
        compared
    )
    assert compared.to_frame()["human_weight"].tolist() == [compared.human.weight]
    for each in (found, compared, human):
        assert pickle.loads(pickle.dumps(each)) == each
        assert copy.deepcopy(each) == each


def test_intervals_cover():
    rng = np.random.default_rng(4)
    n, n_human, n_sets = 200, 30, 300
    truth = rng.beta(0.5, 1.5, (n, n_sets)) - 0.25
    model = 0.7 * truth + rng.normal(0.3, 0.15, truth.shape)
    human = np.where(np.arange(n)[:, np.newaxis] < n_human, truth, NAN)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*no random part")
        found = confidence_interval(model, human=human)
    covered = np.mean((found.low <= 0) & (found.high >= 0))
    assert 0.91 <= covered <= 0.98
    alone = stats.t.ppf(0.975, n_human - 1) * stats.sem(truth[:n_human])
    assert np.median((found.high - found.low) / 2 / alone) < 0.85
    by_model = confidence_interval(model, method="t")
    assert np.mean((by_model.low <= 0) & (by_model.high >= 0)) < 0.01


def test_many_systems_are_compared_without_people():
    assert (compare_all({"a": MODEL, "b": MODEL_B})[0].human) is None
    assert confidence_interval(MODEL).human is None
    assert compare(MODEL, MODEL_B).human is None


# Errors.


def test_bad_human_labels_are_refused():
    model, people = reports_of(0)
    by_id = pd.Series(MODEL, IDS)
    with raises("human", "length 300, with NaN", got="length 40", advice="values has no ids"):
        confidence_interval(MODEL, human=TRUTH[CHOSEN])
    with raises("human", "by the ids of values, or of length 300", got="length 40"):
        confidence_interval(by_id, human=TRUTH[CHOSEN])
    with raises("human", "some of the queries of values, by their ids", got="also 'x'"):
        confidence_interval(by_id, human={"q0": 1, "q1": 0, "x": 1})
    with raises("human", "one score per query", got="'q1' twice"):
        confidence_interval(by_id, human=pd.Series([0, 1, 1], ["q0", "q1", "q1"]))
    twice = pd.Series(MODEL, IDS[np.arange(N) // 2])
    with raises("human", "without ids, since those of values are not unique"):
        confidence_interval(twice, human=pd.Series([1.0], ["q0"]), clusters=twice.index)
    with raises("human", "at least one of the queries", got="none"):
        confidence_interval(MODEL, human=np.full(N, NAN))
    with raises("human", "with the scores of values, which has 'ndcg@5'", got="mrr@5"):
        confidence_interval(model, human=reports_of(0, "mrr@5")[1])
    with raises("human", "with 1 column of scores", got="2"):
        confidence_interval(MODEL, human=np.column_stack([HUMAN, HUMAN]))
    with raises("human", "with 2 columns of scores", got="1"):
        confidence_interval(model, human=people.per_query["ndcg@5"])
    with raises("human", "the same options as values, which has gain='linear'"):
        confidence_interval(model, human=reports_of(0, gain="exponential")[1])
    weighted = ranking_report(
        BY_PEOPLE[JUDGED],
        RANKINGS[0][JUDGED],
        query_ids=NAMES[JUDGED],
        scores=["ndcg@5", "mrr@5"],
        sample_weight=np.arange(1, 26),
    )
    with raises("human", "without `sample_weight`, since values has none"):
        confidence_interval(model, human=weighted)
    with raises("method", "'auto' or 't'", got="'bca'"):
        confidence_interval(MODEL, human=HUMAN, method="bca")


def test_bad_pairs_are_refused():
    for human in (HUMAN, (HUMAN,), [HUMAN] * 3, 1):
        with raises("human", "a pair", function="compare"):
            compare(MODEL, MODEL_B, human=human)
    with raises(
        "human",
        "two sets of scores of the same queries",
        got="query at position 0 in only one of them",
    ):
        compare(MODEL, MODEL_B, human=(HUMAN, at_chosen(TRUTH_B, [0, *CHOSEN])))
    by_id = [pd.Series(each, IDS) for each in (MODEL, MODEL_B)]
    people = [pd.Series(each[:n], IDS[:n]) for each, n in ((TRUTH, 30), (TRUTH_B, 29))]
    with raises("human", "two sets of scores", got="query 'q29' in only one of them"):
        compare(*by_id, human=people)
    with raises("human[1]", "since system_b has ids of queries", got="scores without ids"):
        compare(*by_id, human=(HUMAN, HUMAN_B))
    order = np.random.default_rng(6).permutation(N)
    people = [pd.Series(each[:30], IDS[:30]) for each in (TRUTH, TRUTH_B)]
    expected = compare(*by_id, human=people)
    assert compare(by_id[0], by_id[1].iloc[order], human=people) == expected
    with raises("human[1]", "of length 300"):
        compare(MODEL, MODEL_B, human=(HUMAN, HUMAN_B[:30]))
    with raises("test", "'auto' or 't'", got="'permutation'"):
        compare(MODEL, MODEL_B, human=(HUMAN, HUMAN_B), test="permutation")
