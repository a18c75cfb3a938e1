"""Reports of other queries, options, judgments or forms: what is compared, said and refused."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from raising import raises
from two_reports import (
    DEVICE,
    IDS,
    N_ITEMS,
    N_QUERIES,
    NAN,
    NEW,
    OLD,
    RNG,
    SCORES,
    TOPIC,
    WEIGHT,
    Y_TRUE,
    random_data,
    report,
    report_of_values,
)

from ranking_scores import ndcg_score, ranking_report, scale
from ranking_scores.significance import changes
from ranking_scores.tables import from_lists

# Queries, scores and options that differ.


def test_queries_of_one_side_are_an_error_that_names_them():
    old, new = report(OLD), report(NEW)
    few = ranking_report(
        Y_TRUE[2:], NEW[2:], scores=SCORES, k=3, query_ids=["other", *IDS[3:]], by=DEVICE[2:]
    )
    missing = sorted(IDS[:3].tolist(), key=IDS.tolist().index)
    got = f"3 queries that only old has ({', '.join(map(repr, missing))}) and 1 query that only "
    with raises(
        "new",
        "of the same 66 queries as the old report, by their ids",
        function="changes",
        got=f"{got}new has ('other')",
        advice="`queries='both'`",
    ):
        changes(few, old)
    with raises(
        "new",
        "queries as the old report",
        got=f"2 queries that only new has ({missing[0]!r}, {missing[1]!r})",
    ):
        changes(new, ranking_report(Y_TRUE[2:], OLD[2:], scores=SCORES, k=3, query_ids=IDS[2:]))


def test_shared_queries_are_compared_and_the_others_are_told():
    old = report(OLD)
    order = RNG.permutation(np.arange(5, N_QUERIES))
    ids = ["x1", *IDS[order], "x2"]
    y_true, new = (np.vstack([each[:1], each[order], each[:1]]) for each in (Y_TRUE, NEW))
    devices = ["tv", *DEVICE[order], "tv"]
    more = ranking_report(y_true, new, scores=SCORES, k=3, query_ids=ids, by={"device": devices})
    found = changes(more, old, queries="both", n=3)
    params = {"scores": SCORES, "k": 3, "query_ids": IDS[5:], "by": {"device": DEVICE[5:]}}
    alone = [ranking_report(Y_TRUE[5:], each[5:], **params) for each in (NEW, OLD)]
    expected = changes(*alone, n=3)
    assert found.scores == expected.scores
    assert found.by_group == expected.by_group
    assert (found.lost, found.won) == (expected.lost, expected.won)
    assert found.only_old.tolist() == IDS[:5].tolist()
    assert found.only_new.tolist() == ["x1", "x2"]
    text = " ".join(str(found).split())
    assert "left out: 5 queries that only old has" in text
    assert "of another device" not in text
    assert "and 2 more) and 2 queries that only new has ('x1', 'x2')" in text
    assert expected.only_old.size == expected.only_new.size == 0
    assert "left out" not in str(expected)


def test_shared_queries_with_weights_and_clusters():
    params = {"scores": SCORES, "k": 3}
    sides = []
    for y_score, own in ((OLD, slice(0, 60)), (NEW, slice(6, 66))):
        sides.append(
            ranking_report(
                Y_TRUE[own],
                y_score[own],
                **params,
                query_ids=IDS[own],
                sample_weight=WEIGHT[own],
                clusters=TOPIC[own],
            )
        )
    both = slice(6, 60)
    of_both = {"query_ids": IDS[both], "sample_weight": WEIGHT[both], "clusters": TOPIC[both]}
    alone = [ranking_report(Y_TRUE[both], each[both], **params, **of_both) for each in (OLD, NEW)]
    found = changes(sides[1], sides[0], queries="both")
    assert found.scores == changes(alone[1], alone[0]).scores


def test_queries_in_another_order_are_matched_by_id():
    order = RNG.permutation(N_QUERIES)
    old, new = report(OLD), report(NEW)
    params = {"scores": SCORES, "k": 3, "by": {"device": DEVICE[order]}}
    other = ranking_report(Y_TRUE[order], NEW[order], query_ids=IDS[order], **params)
    assert changes(other, old) == changes(new, old)


def test_no_shared_query_is_an_error():
    old = report(OLD)
    new = report(NEW, query_ids=[f"other {each}" for each in IDS])
    for queries in ("equal", "both"):
        with raises(
            "new",
            "a report that has a query of the old report",
            got=f"only others, such as 'other {IDS[0]}',",
        ):
            changes(new, old, queries=queries)


@pytest.mark.parametrize("queries", ["equal", "both"])
def test_queries_without_ids_are_paired_by_position(queries):
    old, new = report_of_values([0.1, 0.2, 0.4]), report_of_values([0.3, 0.1, 0.9])
    found = changes(new, old, queries=queries)
    assert [each.query for each in found.won["ndcg"]] == [2, 0]
    assert "paired by position, since a report has no ids" in str(found)
    with raises(
        "new", "of as many queries as the old report, which has 3", got="2", advice="`query_ids`"
    ):
        changes(report_of_values([0.1, 0.2]), old, queries=queries)
    named = report_of_values([0.3, 0.1, 0.9], query_ids=["a", "b", "c"])
    assert [each.query for each in changes(named, old, queries=queries).won["ndcg"]] == ["c", "a"]


def test_other_options_are_refused_by_name():
    with raises("new", "of the same options as old, which has gain='linear' in ndcg@3"):
        changes(report(NEW, gain="exponential"), report(OLD))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"replace_undefined_by": 0}, {}),
        ({"relevance_threshold": 1}, {"relevance_threshold": 1.0}),
        ({"gain": [0, 1, 3]}, {"gain": (0.0, 1.0, 3.0)}),
    ],
)
def test_equal_options_may_have_other_types(one, other):
    old, new = report(OLD, "ndcg", **one), report(NEW, "ndcg", **other)
    assert changes(new, old).scores == changes(report(NEW, "ndcg", **one), old).scores


def test_ids_of_other_types_are_told():
    new, old = (
        report(NEW, query_ids=range(N_QUERIES)),
        report(OLD, query_ids=[*map(str, range(N_QUERIES))]),
    )
    with raises("new", "a query of the old report", advice="The same ids are text in one report"):
        changes(new, old)


def test_other_weights_are_refused():
    with raises("new", "a report with the same `sample_weight` as old"):
        changes(report(NEW, sample_weight=WEIGHT), report(OLD))


def test_scores_of_one_side_are_left_out_and_said():
    old = report(OLD, scores=["map", "mrr", "ndcg"])
    new = report(NEW, scores=["ndcg", "recall", "map"])
    found = changes(new, old)
    assert list(found.scores) == ["ndcg@3", "map@3"]
    assert found.scores_only_old == ("mrr@3",)
    assert found.scores_only_new == ("recall@3",)
    expected = changes(report(NEW, scores=["ndcg", "map"]), report(OLD, scores=["ndcg", "map"]))
    assert found.scores == expected.scores
    assert "left out: mrr@3, which only old has\nleft out: recall@3, which only new has" in str(
        found
    )
    with raises("new", "a report with a score of the old one: map@3, mrr@3, ndcg@3", got="f1@3"):
        changes(report(NEW, scores="f1"), old)


def test_queries_of_another_group_are_in_their_new_group():
    moved = DEVICE.copy()
    moved[:2] = "pc"  # of tv and phone
    found = changes(report(NEW, by={"device": moved}), report(OLD))
    expected = changes(report(NEW, by={"device": moved}), report(OLD, by={"device": moved}))
    assert found.by_group == expected.by_group
    assert "2 queries of another device in old: the groups are those of new" in str(found)
    assert "of another device" not in str(expected)


def test_groupings_of_either_report_are_told():
    found = changes(report(NEW, by={"half": TOPIC % 2}), report(OLD))
    assert list(found.by_group) == ["half", "device"]
    assert found.by_group["device"] == changes(report(NEW), report(OLD)).by_group["device"]


def test_queries_without_a_score_are_told():
    old, new = (report(each, replace_undefined_by=NAN) for each in (OLD, NEW))
    n_undefined = np.count_nonzero(~Y_TRUE.any(axis=1))
    note = f"left out of ndcg@3, hit_rate@3, map@3: {n_undefined} queries without the score"
    assert note in str(changes(new, old))


def half(labels):
    return labels / 2


def test_functions_are_compared_by_name_and_said():
    scores = {"half": partial(ndcg_score, gain=half)}
    found = changes(report(NEW, scores=scores), report(OLD, scores=scores))
    assert "`gain` of half@3 is a function, which was compared by its name" in str(found)
    assert "is a function" not in str(changes(report(NEW), report(OLD)))


# Judgments.


def judged_pair(n_left_out=0, *, is_other=False):
    """Return reports and data whose judgments of the shared queries may differ."""
    judged, lists, _ = random_data(1)
    _, lists_new, _ = random_data(2)
    other = {each: dict(of) for each, of in judged.items()}
    if is_other:
        [first] = list(other["q7"])[:1]
        other["q7"][first] += 1
    for each in range(n_left_out):
        del other[f"q{each}"], lists_new[f"q{each}"]
    data = from_lists(judged, lists), from_lists(other, lists_new)
    return data, [ranking_report(each, scores="ndcg", k=3) for each in data]


def test_a_change_of_judgments_is_a_warning_and_a_note():
    _, (old, new) = judged_pair(is_other=True)
    with pytest.warns(
        UserWarning, match="changes: the judgments of 1 query changed, .* told apart"
    ) as caught:
        found = changes(new, old)
    assert caught[0].filename == __file__
    assert found.judgments_changed is True
    assert "changes of the system and of the judgments cannot be told apart" in found.notes[-1]


def test_the_same_judgments_are_no_note():
    _, (old, new) = judged_pair()
    found = changes(new, old)
    assert found.judgments_changed is False
    assert "judgments" not in str(found)
    assert changes(report(NEW), report(OLD)).judgments_changed is None


@pytest.mark.parametrize("is_other", [True, False])
def test_reports_tell_how_many_queries_in_both_were_judged_anew(is_other, tmp_path):
    _, (old, new) = judged_pair(2, is_other=is_other)
    old.to_json(tmp_path / "old.json")
    for of_old in (old, tmp_path / "old.json"):
        if is_other:
            with pytest.warns(UserWarning, match="the judgments of 1 query changed"):
                found = changes(new, of_old, queries="both")
        else:
            found = changes(new, of_old, queries="both")
        assert found.judgments_changed is is_other
        assert ("no query in both was judged anew" in found.notes) is not is_other
        assert ("told apart" in found.notes[-1]) is is_other


def test_a_report_of_an_earlier_version_does_not_tell_which_queries_were_judged_anew(tmp_path):
    _, (old, new) = judged_pair(2, is_other=True)
    vars(old).update(_judgments=old.judgments, _digests=None)
    old.to_json(tmp_path / "old.json")
    found = changes(new, tmp_path / "old.json", queries="both")
    assert found.judgments_changed is None
    note = "the reports do not tell whether the judgments of queries in both changed"
    assert note in found.notes
    _, (same, other) = judged_pair(is_other=True)
    vars(same).update(_judgments=same.judgments, _digests=None)
    with pytest.warns(UserWarning, match="changes: the judgments changed, so"):
        assert changes(other, same).judgments_changed is True


# Files, and reports that have only means.


def test_reports_are_read_from_files(tmp_path):
    old, new = report(OLD), report(NEW)
    paths = [tmp_path / "old.json", str(tmp_path / "new.json.gz")]
    old.to_json(paths[0])
    new.to_json(paths[1])
    assert changes(paths[1], paths[0]) == changes(new, old)
    with raises("old", "a RankingReport or the path", function="changes", got="[1]"):
        changes(new, [1])


def means_only(tmp_path, *reports):
    """Return reports as they are saved without the values of queries."""
    found = []
    for number, each in enumerate(reports):
        each.to_json(tmp_path / f"{number}.json", per_query=False)
        found.append(tmp_path / f"{number}.json")
    return found


def test_reports_without_values_of_queries_have_means_alone(tmp_path):
    old, new = report(OLD), report(NEW)
    saved_new, saved_old = means_only(tmp_path, new, old)
    for of_new, of_old in ((new, saved_old), (saved_new, saved_old), (saved_new, old)):
        found = changes(of_new, of_old)
        for name, row in found.scores.items():
            assert (row.before, row.now) == (old[name], new[name])
            assert row.difference == new[name] - old[name]
            assert np.isnan([row.low, row.high, row.pvalue, row.pvalue_uncorrected]).all()
            assert row.wins is row.draws is row.losses is row.n_dropped is row.test is None
            assert row.n_queries == N_QUERIES
            assert row.verdict == "not tested"
            assert row.reason == "a report has no values of queries"
            assert "p-value" not in str(row)
        for group, of_group in found.by_group["device"].items():
            for name, row in of_group.items():
                assert row.before == old.by_group["device"][group][name]
                assert row.now == new.by_group["device"][group][name]
                assert row.n_queries == new.by_group["device"][group].n_queries
        assert found.lost == found.won == {}
        assert "means are compared, without a test" in str(found)
        assert "p-value" not in str(found)
        assert "p-value" not in found.to_markdown()
        assert found.to_frame().shape == (12, 15)
        assert found.queries_frame().empty
        assert list(found.queries_frame())[:3] == ["score", "side", "query"]


def test_a_difference_of_means_by_rounding_is_none(tmp_path):
    old, new = report_of_values([0.5] * 3), report_of_values([0.5] * 3)
    vars(old)["mean"], vars(new)["mean"] = {"ndcg": 0.1 + 0.2}, {"ndcg": 0.3}
    found = changes(*means_only(tmp_path, new, old))
    assert found.scores["ndcg"].difference == 0


def test_means_of_other_queries_are_refused(tmp_path):
    old = report(OLD)
    fewer = ranking_report(Y_TRUE[1:], NEW[1:], scores=SCORES, k=3)
    advice = "does not tell which of them are shared"
    with raises(
        "new",
        "of as many queries as the old report, which has 66",
        got="65 queries",
        advice=advice,
    ):
        changes(*means_only(tmp_path, fewer, old))
    moved = report(NEW, by={"device": np.where(np.arange(N_QUERIES) < 6, "tv", DEVICE)})
    with raises("new", "which has 22 in device=pc", got="20 queries"):
        changes(*means_only(tmp_path, moved, old))
    weighed = report(NEW, scores="ndcg", item_weight=np.ones(Y_TRUE.shape))
    paths = means_only(tmp_path, weighed, old)
    with raises("new", "a report without item weights, like the old one", got="one with them"):
        changes(*paths)


def test_groups_of_one_side_are_told_if_there_are_means_alone(tmp_path):
    by = {"device": np.where(DEVICE == "pc", "laptop", DEVICE), "half": TOPIC % 2}
    found = changes(*means_only(tmp_path, report(NEW, by=by), report(OLD)))
    assert list(found.by_group) == ["device"]
    assert list(found.by_group["device"]) == ["phone", "tv"]
    assert "left out: device=pc, which only old has" in str(found)
    assert "left out: device=laptop, half=0, half=1, which only new has" in str(found)


def test_values_in_a_file_are_compared_as_those_of_a_report(tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    qid = np.repeat(np.arange(N_QUERIES), N_ITEMS)
    saved = []
    for number, y_score in enumerate((OLD, NEW)):
        rows = pyarrow.table({"y": Y_TRUE.ravel(), "s": y_score.ravel(), "q": qid})
        path = tmp_path / f"{number}.parquet"
        columns = {"label": "y", "score": "s", "query": "q"}
        saved.append(scale.per_query([rows], **columns, scores=SCORES, k=3, path=path))
    of_ids = {"query_ids": np.arange(N_QUERIES)}
    expected = changes(report(NEW, **of_ids), report(OLD, **of_ids))
    found = changes(saved[1], saved[0])
    assert found.scores == expected.scores
    assert found.by_group == {}
    assert [each[0] for each in found.won["map@3"]] == [each[0] for each in expected.won["map@3"]]
    assert changes(saved[1], report(OLD, **of_ids)).by_group == expected.by_group


def test_a_report_with_item_weights_and_values_is_refused_as_in_compare_all():
    weights = np.ones(Y_TRUE.shape)
    old, new = (report(each, scores="ndcg", item_weight=weights) for each in (OLD, NEW))
    with raises("old", "the same weight in each score", function="changes"):
        changes(new, old)
