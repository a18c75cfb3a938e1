"""Clusters of queries in reports and streams, and values that are matched by ids of queries."""

from __future__ import annotations

import copy
import math
import pickle
import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from raising import raises
from scipy import stats
from scipy.special import stdtrit

from ranking_scores import StreamingScore, ranking_report
from ranking_scores.significance import compare, compare_all, confidence_interval, queries_needed

INF, NAN = math.inf, math.nan


def data_in_clusters(seed=0, n=40):
    rng = np.random.default_rng(seed)
    y_true, old, new = rng.integers(0, 3, (3, n, 6))
    y_true[5] = 0
    cluster = rng.integers(0, 14, n)
    weight = np.where(rng.random(n) < 0.1, 0, rng.random(n))
    return y_true, old, new, cluster, weight


def clustered_error_of(values, cluster, weight):
    """Return the standard error by its formula, in fractions."""
    weight = [Fraction(float(w)) for w in weight]
    rows = [
        (w, Fraction(float(w) * float(v)), c)
        for w, v, c in zip(weight, values, cluster, strict=True)
        if w and not np.isnan(v)
    ]
    total = sum(w for w, _, _ in rows)
    mean = sum(wv for _, wv, _ in rows) / total
    names = {c for _, _, c in rows}
    square = sum(sum(wv - mean * w for w, wv, own in rows if own == c) ** 2 for c in names)
    return math.sqrt(square * len(names) / (len(names) - 1) / total**2)


@pytest.mark.parametrize("has_weight", [False, True])
@pytest.mark.parametrize("undefined", [0, NAN])
def test_the_standard_errors_of_reports_and_streams_know_clusters(has_weight, undefined):
    y_true, y_score, _, cluster, weight = data_in_clusters()
    weights = {"sample_weight": weight} if has_weight else {}
    scores = {"scores": ["ndcg@3", "mrr"], "replace_undefined_by": undefined}
    report = ranking_report(y_true, y_score, k=None, clusters=cluster, **scores, **weights)
    one = weight if has_weight else np.ones(len(weight))
    for name, values in report.per_query.items():
        expected = clustered_error_of(values, cluster, one)
        assert report.standard_error[name] == pytest.approx(expected, rel=1e-15)
    found = confidence_interval(report)
    np.testing.assert_allclose(
        found.standard_error, list(report.standard_error.values()), rtol=1e-12
    )
    assert "40 queries, 14 clusters" in repr(report)
    assert report.clusters.tolist() == cluster.tolist()
    streams = [StreamingScore(**scores) for _ in range(3)]
    order = np.random.default_rng(1).permutation(len(cluster))
    for number, rows in enumerate(np.array_split(order, 7)):
        own = {name: each[rows] for name, each in weights.items()}
        streams[number % 3].update(y_true[rows], y_score[rows], clusters=cluster[rows], **own)
    joined = pickle.loads(pickle.dumps(sum(streams[1:], streams[0])))
    assert joined.standard_error == dict(report.standard_error)
    assert joined.compute() == dict(report.mean)
    before = streams[0].standard_error
    copied = copy.deepcopy(streams[0])
    copied.merge(streams[1])
    assert streams[0].standard_error == before != copied.standard_error
    copied.reset()
    copied.update(y_true, y_score, **weights)  # without clusters again
    plain = ranking_report(y_true, y_score, k=None, **scores, **weights)
    assert copied.standard_error == dict(plain.standard_error) != dict(report.standard_error)


def test_one_query_per_cluster_changes_no_standard_error():
    y_true, y_score, _, _, weight = data_in_clusters()
    for weights in ({}, {"sample_weight": weight}):
        plain = ranking_report(y_true, y_score, scores="mrr", k=None, **weights)
        own = ranking_report(
            y_true, y_score, scores="mrr", k=None, clusters=np.arange(40), **weights
        )
        assert own.standard_error["mrr"] == pytest.approx(plain.standard_error["mrr"], rel=1e-15)


def test_clusters_of_reports_come_by_row_by_id_and_by_group():
    y_true, y_score, _, cluster, _ = data_in_clusters()
    order = np.random.default_rng(2).permutation(y_true.size)
    qid = np.repeat(np.arange(40), 6)[order]
    arrays = y_true.ravel()[order], y_score.ravel()[order]
    params = {"scores": "ndcg", "k": None}
    expected = ranking_report(y_true, y_score, clusters=cluster, **params).standard_error
    of_id = dict(enumerate(cluster.tolist()))
    for clusters in (
        cluster[qid],
        of_id,
        pd.Series(of_id).sample(frac=1),
        [f"u{c}" for c in cluster[qid]],
    ):
        found = ranking_report(*arrays, qid=qid, clusters=clusters, **params)
        assert found.standard_error == expected
        stream = StreamingScore(["ndcg"])
        stream.update(*arrays, qid=qid, clusters=clusters)
        assert stream.standard_error == dict(expected)
    parity = np.arange(40) % 2
    by_group = ranking_report(y_true, y_score, by=parity, clusters=cluster, **params).by_group
    own = parity == 1
    alone = ranking_report(y_true[own], y_score[own], clusters=cluster[own], **params)
    assert by_group["group"][1].standard_error == alone.standard_error
    one = ranking_report(y_true, y_score, clusters=["a"] * 40, **params)
    assert np.isnan(one.standard_error["ndcg"])
    options = {"replace_undefined_by": INF}
    stream = StreamingScore(["mrr"], **options)
    stream.update(y_true, y_score, clusters=cluster)
    report = ranking_report(y_true, y_score, scores="mrr", k=None, clusters=cluster, **options)
    assert report["mrr"] == INF
    assert np.isnan([stream.standard_error["mrr"], report.standard_error["mrr"]]).all()


def test_clusters_of_reports_and_streams_are_refused_with_a_reason():
    y_true, y_score, _, cluster, _ = data_in_clusters()
    weight = np.ones(y_true.shape)
    with raises("clusters", "None if there are item weights", function="ranking_report"):
        ranking_report(y_true, y_score, scores="ndcg", item_weight=weight, clusters=cluster)
    with raises("clusters", "of shape (40,), one cluster per query"):
        ranking_report(y_true, y_score, clusters=cluster[1:])
    stream, plain = StreamingScore("ndcg"), StreamingScore("ndcg")
    stream.update(y_true, y_score, clusters=cluster)
    plain.update(y_true, y_score)
    with raises("clusters", "given, as it was in earlier updates"):
        stream.update(y_true, y_score)
    with raises("clusters", "left out, as it was in earlier updates"):
        plain.update(y_true, y_score, clusters=cluster)
    with raises("other", "a stream with clusters if and only if", got="one without them"):
        stream.merge(plain)
    with raises("other", "a stream with clusters if and only if", got="one with them"):
        plain.merge(stream)
    assert stream.merge(StreamingScore("ndcg")).n_queries == 40
    assert StreamingScore("ndcg").merge(stream).standard_error == stream.standard_error


def test_reports_bring_their_clusters():
    y_true, old, new, cluster, weight = data_in_clusters(n=60)
    params = {"scores": "mrr", "k": None, "query_ids": range(60)}
    a, b = (
        ranking_report(y_true, each, clusters=cluster, sample_weight=weight, **params)
        for each in (old, new)
    )
    values = [each.per_query["mrr"] for each in (a, b)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few clusters
        expected = compare(*values, clusters=cluster, sample_weight=weight)
        assert compare(a, b).pvalue == expected.pvalue
        order = np.random.default_rng(3).permutation(60)
        shuffled = ranking_report(
            y_true[order],
            new[order],
            clusters=cluster[order],
            sample_weight=weight[order],
            **params | {"query_ids": order},
        )
        assert compare(a, shuffled).pvalue == pytest.approx(expected.pvalue, rel=1e-12)
        assert compare(shuffled, b).query_ids.tolist() == order.tolist()
    plain = ranking_report(y_true, new, sample_weight=weight, **params)
    with raises("system_b", "a report with the same `clusters` as system_a", got="one without"):
        compare(a, plain)
    with raises("clusters", "None, since system_a is a report with clusters"):
        compare(a, b, clusters=cluster)
    with raises("system_a", "a report without `sample_weight` and `clusters`"):
        queries_needed(plain, plain)


def test_weights_clusters_and_groups_are_matched_by_id():
    rng = np.random.default_rng(0)
    ids = [f"q{number}" for number in range(30)]
    a, b = pd.Series(rng.random(30), ids), pd.Series(rng.random(30), ids)
    weight, cluster = pd.Series(rng.random(30), ids), pd.Series(np.arange(30) // 2, ids)
    group = pd.Series(np.where(np.arange(30) % 4 < 2, "x", "y"), ids)
    order = rng.permutation(30)
    expected = compare(a, b, sample_weight=weight.to_numpy(), clusters=cluster.to_numpy())
    for shuffled in (weight.iloc[order], weight.to_dict()):
        for others in (cluster.iloc[order], cluster.to_dict()):
            found = compare(a, b, sample_weight=shuffled, clusters=others)
            assert found.pvalue == expected.pvalue
    by = compare_all({"a": a, "b": b}, by=group.to_numpy(), correction=None)
    frame = pd.DataFrame({"id": group.index, "device": group.to_numpy()})
    for groups in (group.iloc[order], group.to_dict(), frame, pl.DataFrame(frame.to_dict("list"))):
        assert compare_all({"a": a, "b": b}, by=groups, correction=None) == by
    two = pd.DataFrame({"id": ids, "x": 1, "y": 2})
    with raises("by", "a single grouping of the queries", got="2 (x, y)"):
        compare_all({"a": a, "b": b}, by=two)
    with raises("clusters", "Series with the ids", advice="`clusters.loc[system_a.index]`"):
        compare(a, b, clusters=pd.concat([cluster, pd.Series([1], ["q99"])]))
    with raises("sample_weight", "in the order of the queries, since they have no ids"):
        compare(a.to_numpy(), b.to_numpy(), sample_weight=weight.to_dict())
    numbered = pd.Series(weight.to_numpy())
    assert compare(a.to_numpy(), b.to_numpy(), sample_weight=numbered).n_effective < 30


def test_t_has_the_degrees_of_freedom_of_the_effective_clusters():
    users = np.repeat([0, 1, 2, 3], [1, 1, 2, 12])
    d = np.random.default_rng(0).normal(1, 1, users.size)
    n_effective = 16**2 / (1 + 1 + 4 + 144)
    with pytest.warns(UserWarning, match=r"only 1\.7 effective clusters\. .* permutation test"):
        found = compare(0 * d, d, clusters=users)
    cure = r"Add clusters of about equal size until 10 are effective\. The interval may be"
    with pytest.warns(UserWarning, match=rf"1\.7 effective clusters\. {cure} too short"):
        interval = confidence_interval(d, clusters=users, method="t")
    share, means = np.array([1, 1, 2, 12]) / 16, [d[0], d[1], d[2:4].mean(), d[4:].mean()]
    left = 1 - 2 * share + (share**2).sum()  # of the variance of a cluster, in its residual
    error = np.sqrt((share**2 * (means - d.mean()) ** 2 / left).sum())
    assert error > interval.standard_error
    pvalue = 2 * stats.t.sf(found.difference / error, n_effective - 1)
    width = stats.t.ppf(0.975, n_effective - 1) * error
    np.testing.assert_allclose(found.pvalue, pvalue)
    np.testing.assert_allclose([found.high - d.mean(), interval.high - d.mean()], width)
    assert found.detectable_difference > width
    permuted = compare(0 * d, d, clusters=users, test="permutation")
    assert permuted.n_effective == n_effective
    with_equal = compare(0 * d[:12], d[:12], clusters=np.repeat(range(6), 2))
    means = d[:12].reshape(6, 2).mean(axis=1)
    np.testing.assert_allclose(with_equal.pvalue, stats.ttest_1samp(means, 0).pvalue)


@pytest.mark.parametrize("weight", [[1, 1, 2, 12], [1e-9, 2e-9, 1, 1e-9], [1, 3]])
def test_the_error_of_t_has_no_bias(weight):
    """The squares for all unit vectors add up to the mean square for values of variance 1."""
    share = np.array(weight) / np.sum(weight)
    with pytest.warns(UserWarning, match="effective queries"):
        found = confidence_interval(np.eye(share.size), sample_weight=weight, method="t")
    error = (found.high - found.mean) / stdtrit(max(found.n_effective[0] - 1, 0.1), 0.975)
    np.testing.assert_allclose((error**2).sum(), (share**2).sum(), rtol=1e-7)


def test_equal_weights_change_no_bit_of_t():
    d = np.random.default_rng(0).normal(size=(12, 3))
    for params in ({"sample_weight": np.full(12, 0.1)}, {"clusters": np.arange(12) // 4}):
        found = confidence_interval(d, method="t", **params)
        width = stdtrit(found.n_effective[0] - 1, 0.975) * found.standard_error
        np.testing.assert_allclose(found.high, found.mean + width, rtol=0, atol=1e-17)


def test_t_finds_no_more_than_it_says_if_units_are_unequal():
    """With the usual error and all units, it finds a difference in every fourth data set."""
    weight = np.exp(2 * stats.norm.ppf((np.arange(20) + 0.5) / 20))
    d = np.random.default_rng(0).normal(size=(20, 500))  # no data set has a difference
    with pytest.warns(UserWarning, match=r"only 3\.5 effective queries"):
        found = compare_all({"a": 0 * d, "b": d}, sample_weight=weight, test="t", correction=None)
    error = ((weight[:, np.newaxis] * (d - found.difference)) ** 2).sum(axis=0) ** 0.5
    usual = np.abs(found.difference) / error * weight.sum() * np.sqrt(19 / 20)
    assert 0.03 < (found.pvalue <= 0.05).mean() < 0.06
    assert (usual >= stats.t.isf(0.025, 19)).mean() > 0.2


def test_one_query_with_nearly_all_of_the_weight_has_an_endless_interval():
    with pytest.warns(UserWarning, match=r"only 1\.0 effective queries"):
        found = compare([0.1, 0.2, 0.3], [0.5, 0.4, 0.3], sample_weight=[1e9, 1, 1])
    assert found.high - found.low > 1
    assert found.pvalue > 0.1
    with pytest.warns(UserWarning, match=r"only 1\.0 effective queries"):
        found = confidence_interval([0.1, 0.2, 0.4], sample_weight=[1, 1, 1e300], method="t")
    assert found.low <= 0.4 <= found.high
