"""Several judges of the same items: how far they agree, and what it does to the scores."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from raising import raises
from sklearn.metrics import cohen_kappa_score

from ranking_scores import from_lists, from_tables, ranking_report
from ranking_scores.agreement import JudgeAgreement, judge_agreement

RNG = np.random.default_rng(4)
QUERIES, ITEMS, JUDGES = range(12), range(6), ("ann", "bob", "cy")
TRUTH = RNG.integers(0, 3, (12, 6))


def rows_of(judges=JUDGES, queries=QUERIES):
    rows = [
        (query, f"d{item}", judge, int(np.clip(TRUTH[query, item] + RNG.integers(-1, 2), 0, 2)))
        for query in queries
        for item in ITEMS
        for judge in judges
    ]
    table = pd.DataFrame(rows, columns=["query", "item", "rater", "label"])
    return table.sample(frac=1, random_state=0).reset_index(drop=True)


JUDGED = rows_of()
RUN = pd.DataFrame(
    [(query, f"d{item}", RNG.random()) for query in QUERIES for item in ITEMS],
    columns=["query", "item", "score"],
)
NAMES = {"query": "query", "item": "item", "label": "label", "score": "score"}
SCORES = ["ndcg@3", "mrr"]


def data_of(judged=JUDGED, duplicates="mean", **params):
    return from_tables(judged, RUN, **NAMES, judge="rater", duplicates=duplicates, **params)


def report_of(judged, **params):
    return ranking_report(from_tables(judged, RUN, **NAMES, **params), scores=SCORES, k=None)


@pytest.mark.parametrize("duplicates", ["mean", "median", "majority"])
def test_scores_are_those_of_each_judge_alone_and_of_the_merged_labels(duplicates):
    found = judge_agreement(data_of(duplicates=duplicates), scores=SCORES)
    assert found.judges == JUDGES
    assert found.metrics == tuple(SCORES)
    merged = report_of(JUDGED, duplicates=duplicates)
    assert found.merged.tolist() == [*merged.values()]
    for judge, mean in zip(JUDGES, found.mean.tolist(), strict=True):
        assert mean == [*report_of(JUDGED[JUDGED["rater"] == judge]).values()]
    np.testing.assert_allclose(found.spread, found.mean.std(axis=0, ddof=1))
    assert found.n_queries.tolist() == [12] * 3


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_kappa_is_that_of_scikit_learn_for_each_pair(weights):
    found = judge_agreement(data_of(), scores="mrr", kappa_weights=weights)
    wide = JUDGED.pivot(index=["query", "item"], columns="rater", values="label")
    assert [*found.labels] == [("ann", "bob"), ("ann", "cy"), ("bob", "cy")]
    for (one, other), labels in found.labels.items():
        expected = cohen_kappa_score(wide[one], wide[other], weights=weights)
        assert labels.kappa == pytest.approx(expected)
        for grade, kappa in zip(labels.grades, labels.kappa_by_grade, strict=True):
            alone = cohen_kappa_score(wide[one] == grade, wide[other] == grade)
            assert kappa == pytest.approx(alone)
        assert labels.n_items == 72


def test_a_judge_counts_on_the_queries_that_this_judge_has():
    half = pd.concat([rows_of(["ann"]), rows_of(["bob"], range(5)), rows_of(["cy"], range(5, 12))])
    for queries in ("judged", "both", "all", "equal"):
        found = judge_agreement(data_of(half, queries=queries), scores=SCORES)
        assert found.n_queries.tolist() == [12, 5, 7]
        assert found.mean[1].tolist() == [*report_of(half[half["rater"] == "bob"]).values()]
    assert [*found.labels] == [("ann", "bob"), ("ann", "cy")]
    one = judge_agreement(data_of(rows_of(["ann"])), scores="ndcg@3")
    assert np.isnan(one.spread).all()
    assert one.labels == {}


@pytest.mark.parametrize("queries", ["judged", "both"])
def test_a_judge_whose_queries_were_not_predicted_is_left_out(queries):
    others = pd.DataFrame([(99, "d1", "zed", 1)], columns=JUDGED.columns)
    with pytest.warns(UserWarning, match="No query of the judge 'zed' was predicted, so this"):
        data = data_of(pd.concat([JUDGED, others]), queries=queries)
    found = judge_agreement(data, scores=SCORES)
    assert found.judges == JUDGES
    assert found.mean.tolist() == judge_agreement(data_of(), scores=SCORES).mean.tolist()
    assert found.merged.tolist() == [*ranking_report(data, scores=SCORES, k=None).values()]


def test_in_print_and_as_a_frame():
    found = judge_agreement(data_of(), scores=SCORES, kappa_weights="quadratic")
    lines = repr(found).splitlines()
    assert lines[1].split() == ["ndcg@3", "ann", f"{found.mean[0, 0]:.4f}", "12"]
    low, high = found.mean[:, 1].min(), found.mean[:, 1].max()
    assert (
        f"mrr: {found.merged[1]:.4f} by all judges together, {low:.4f} to {high:.4f} by one, "
        f"spread {found.spread[1]:.4f}"
    ) in lines
    labels = found.labels["ann", "cy"]
    line = f"ann and cy: quadratic kappa {labels.kappa:.4f} of 72 items, by label "
    assert f"{line}{labels.kappa_by_grade[0]:.4f} of 0, " in repr(found)
    frame = found.to_frame()
    assert frame["judge"].tolist() == [*JUDGES] * 2
    assert frame["mean"].tolist() == found.mean.T.ravel().tolist()
    assert isinstance(found, JudgeAgreement)
    many = judge_agreement(data_of(rows_of([f"j{n}" for n in range(6)])), scores="mrr")
    assert repr(many).endswith("... and 5 more pairs of judges")
    grades = JUDGED.assign(label=np.arange(len(JUDGED)) / len(JUDGED))
    line = repr(judge_agreement(data_of(grades), scores="mrr")).splitlines()[-1]
    assert line.count(" of ") == 11
    assert line.endswith(", ...")
    single = JUDGED[(JUDGED["query"] == 0) & (JUDGED["item"] == "d0")]
    assert " of 1 item, by label " in repr(judge_agreement(data_of(single), scores="mrr"))


def test_what_has_no_judges_is_refused():
    with raises("data", "a result of from_tables with `judge`", got="one without"):
        judge_agreement(from_lists({"q": ["a"]}, {"q": ["a"]}))
    with raises("data", "a result of from_tables with `judge`", got="3"):
        judge_agreement(3)
    with raises("kappa_weights", "'linear' or 'quadratic'"):
        judge_agreement(data_of(), kappa_weights="cubic")
    for duplicates in ("error", "best", "hold"):
        with raises("duplicates", "if `judge` names a column", got=repr(duplicates)):
            data_of(duplicates=duplicates)
    with raises("duplicates", "if queries have aspects"):
        data_of(aspect="rater")
    with raises("judgments", "a table with the column 'who'"):
        from_tables(JUDGED, RUN, **NAMES, judge="who", duplicates="mean")
    nobody = JUDGED.assign(rater=[None, *JUDGED["rater"][1:]])
    with raises("judge", "without missing values"):
        data_of(nobody)
    twice = pd.concat([JUDGED, JUDGED[:1]])
    with raises("judgments", "only once per query"):
        judge_agreement(data_of(twice))
    assert data_of().by_judge.keys() == {*JUDGES}
    assert from_tables(JUDGED, RUN, **NAMES, duplicates="mean").by_judge is None
