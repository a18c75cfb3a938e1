"""Reports over time: which one changed a score, what cannot be compared, and the plot."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from raising import raises
from scipy import stats

from ranking_scores import from_tables, ranking_report
from ranking_scores.significance import compare, confidence_interval, history

RNG = np.random.default_rng(6)
N_QUERIES = 40
LABELS = RNG.integers(0, 3, (N_QUERIES, 9))
GOOD, BAD = LABELS + RNG.normal(size=(2, *LABELS.shape)) * np.array([0.5, 4])[:, None, None]
SCORES = ["ndcg@3", "arp", "hit_rate@1"]


def report_of(y_score, y_true=LABELS, **params):
    ids = [f"q{number}" for number in range(len(y_true))]
    params = {"query_ids": ids, "scores": SCORES} | params
    return ranking_report(y_true, y_score, **params)


NIGHTS = {
    "mon": report_of(GOOD),
    "tue": report_of(GOOD + RNG.normal(scale=0.01, size=GOOD.shape)),
    "wed": report_of(BAD),
    "thu": report_of(BAD + RNG.normal(scale=0.01, size=GOOD.shape)),
}


def test_the_night_that_changed_the_scores_is_found():
    found = history(NIGHTS)
    assert found.reports == ("mon", "tue", "wed", "thu")
    assert found.metrics == tuple(SCORES)
    assert found.change.tolist() == [[""] * 3, [""] * 3, ["worse"] * 3, [""] * 3]
    back = history(dict(reversed(NIGHTS.items())))
    assert back.change.tolist() == [[""] * 3, [""] * 3, ["better"] * 3, [""] * 3]
    assert "reports: 4; changed: wed\n" in repr(found)
    assert "reports: 3; changed: none\n" in repr(history([*NIGHTS.values()][:1] * 3))


@pytest.mark.parametrize("weighed", [False, True])
def test_differences_are_those_of_compare_at_the_corrected_level(weighed):
    more = {}
    if weighed:
        more = {"sample_weight": RNG.integers(1, 4, N_QUERIES).astype(float)}
    nights = [report_of(each, **more) for each in (GOOD, BAD, GOOD)]
    found = history(nights)
    assert found.level_of_each == pytest.approx(0.975)
    for column, name in enumerate(SCORES):
        for night in (1, 2):
            old, new = (nights[each].per_query[name] for each in (night - 1, night))
            alone = compare(old, new, confidence_level=0.975, **more)
            assert found.difference[night, column] == pytest.approx(alone.difference)
            assert found.difference_low[night, column] == pytest.approx(alone.low)
            assert found.difference_high[night, column] == pytest.approx(alone.high)
        assert np.isnan(found.difference[0, column])
        assert found.mean[:, column].tolist() == [night[name] for night in nights]


def test_the_intervals_of_means_are_those_of_t():
    found = history(NIGHTS, scores=["ndcg@3"], confidence_level=0.9)
    alone = confidence_interval(NIGHTS["wed"].per_query["ndcg@3"], confidence_level=0.9)
    assert (found.low[2, 0], found.high[2, 0]) == pytest.approx((alone.low, alone.high))
    clusters = np.arange(N_QUERIES) // 4
    clustered = report_of(GOOD, clusters=clusters)
    found = history([clustered, clustered], scores="ndcg@3")
    reach = stats.t.ppf(0.975, 9) * clustered.standard_error["ndcg@3"]
    assert found.high[0, 0] - found.mean[0, 0] == pytest.approx(reach)
    one = ranking_report(LABELS[:1], GOOD[:1], scores="ndcg@3")
    assert np.isnan(history([one, one]).low).all()


def test_the_intervals_of_means_are_those_of_confidence_interval(tmp_path):
    labels = LABELS * (np.arange(N_QUERIES) % 8 == 0)[:, None]  # 35 queries are undefined
    weight = np.where(np.arange(N_QUERIES) < 2, 1.0, 1e-3)
    for undefined in (0.0, np.nan):
        params = {"scores": ["ndcg@3", "hit_rate@1"], "replace_undefined_by": undefined}
        for more in ({}, {"sample_weight": weight}):
            night = report_of(BAD, labels, **params, **more)
            found = history([night, night])
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # few effective queries
                alone = confidence_interval(night)
            np.testing.assert_array_equal([found.low[0], found.high[0]], [alone.low, alone.high])
        night = report_of(BAD, labels, **params)
        night.to_json(tmp_path / "sums.json", per_query=False)
        found = history([tmp_path / "sums.json", night], scores="ndcg@3")
        reach = stats.t.ppf(0.975, 39 if undefined == 0 else 4) * night.standard_error["ndcg@3"]
        assert found.high[0, 0] - found.mean[0, 0] == pytest.approx(reach)
        assert found.mean[0, 0] - found.low[0, 0] == pytest.approx(reach)


def test_nothing_that_happens_by_chance_is_a_change_in_95_of_100_histories():
    rng, n_wrong = np.random.default_rng(0), 0
    for _ in range(60):
        nights = [report_of(LABELS + rng.normal(size=LABELS.shape)) for _ in range(5)]
        n_wrong += bool((history(nights, scores="ndcg@3").change != "").any())
    assert n_wrong <= 8  # 3 are expected, and 9 or more have a probability of 0.004


def test_what_cannot_be_compared_is_said_and_the_rest_is_compared(tmp_path):
    nights = NIGHTS | {
        "more": report_of(GOOD[:30], LABELS[:30]),
        "again": report_of(BAD[:30], LABELS[:30]),
        "weights": report_of(BAD[:30], LABELS[:30], sample_weight=np.arange(30) + 1.0),
        "gain": report_of(GOOD, gain="exponential"),
    }
    nights["gain"].to_json(tmp_path / "sums.json", per_query=False)
    nights["sums"] = tmp_path / "sums.json"
    nights |= {"mon again": NIGHTS["mon"], "last": NIGHTS["wed"]}
    found = history(nights)
    is_known = dict(zip(found.reports, np.isfinite(found.difference[:, 0]).tolist(), strict=True))
    assert [name for name, known in is_known.items() if known] == [
        *("tue", "wed", "thu", "again", "last")
    ]
    assert found.level_of_each == pytest.approx(1 - 0.05 / 5)
    assert found.change[:, 0].tolist().count("worse") == 3
    notes = "\n".join(found.notes)
    assert (
        "more is not compared with the one before: it must be of the same 40 queries as mon"
        in notes
    )
    assert "weights is not compared with the one before: it must be a report with" in notes
    assert "gain is not compared with the one before: it must be " in notes
    assert (
        "sums is not compared with the ones beside it: it must be a report with the values"
        in notes
    )
    assert not np.isnan(found.mean).any()
    many = {str(n): report_of(GOOD[:n], LABELS[:n]) for n in range(20, 30)}
    assert history(many).notes[-1] == "and 4 more are not compared"


def test_other_judgments_are_said():
    names = dict.fromkeys(("query", "item", "label", "score")) | {"label": "label"}
    names = {name: name for name in names}

    def of(label):
        judged = {"query": [1, 1, 2], "item": [1, 2, 1], "label": [1, 0, label]}
        run = {"query": [1, 1, 2], "item": [1, 2, 1], "score": [0.1, 0.2, 0.3]}
        return ranking_report(from_tables(judged, run, **names), scores="ndcg@3")

    found = history({"a": of(1), "b": of(1), "c": of(2)})
    assert found.notes[-1] == "other judgments than before: c"
    assert "other judgments" not in repr(history([of(1), of(1)]))


def test_a_folder_is_read_in_the_order_of_names_and_other_files_are_named(tmp_path):
    for name, night in zip(("b", "a", "d", "c"), NIGHTS.values(), strict=True):
        night.to_json(tmp_path / f"{name}.json{'.gz' * (name == 'd')}")
    for name in ("README", ".hidden", "other.json"):
        (tmp_path / name).write_text("{}")
    (tmp_path / "old").mkdir()
    found = history(tmp_path)
    assert found.reports == ("a.json", "b.json", "c.json", "d.json.gz")
    assert found.notes == (
        "ordered by the names of the files",
        "no reports: README, old, other.json",
    )
    given = history([tmp_path / "a.json", str(tmp_path / "b.json")])
    assert given.reports == (str(tmp_path / "a.json"), str(tmp_path / "b.json"))
    assert given.notes == ("ordered as given",)
    np.testing.assert_array_equal(given.mean, found.mean[:2])
    text = (tmp_path / "a.json").read_text()
    (tmp_path / "a.json").write_text(text.replace("0.", "0.1", 1))
    with raises("reports", "the path of a file that `RankingReport.to_json` has written") as error:
        history(tmp_path)
    assert "a.json', which was cut or edited" in error.value.got


def test_what_is_no_history_is_refused(tmp_path):
    for wrong in (3, None, NIGHTS["mon"], [NIGHTS["mon"]], {"mon": NIGHTS["mon"]}, []):
        with raises("reports", "at least two different reports"):
            history(wrong)
    with raises("reports", "at least two different reports"):
        history([tmp_path / "a.json"] * 2)
    with raises("reports", "a dict whose keys are different texts", got="'1', '1'"):
        history({1: NIGHTS["mon"], "1": NIGHTS["wed"]})
    with raises("reports", "a folder with at least two saved reports", got="none"):
        history(tmp_path)
    with raises("reports", "a RankingReport or the path", got="3"):
        history([NIGHTS["mon"], 3])
    with raises("scores", "names of results that all reports have: 'ndcg@3'", got="'map'"):
        history(NIGHTS, scores=["ndcg@3", "map"])
    with raises("scores", "None, the name of a result, or names of results", got="5"):
        history(NIGHTS, scores=5)
    with raises("scores", "names of results that all reports have: none", got="none"):
        history([NIGHTS["mon"], report_of(GOOD, scores="map@3")])
    human = np.where(np.arange(N_QUERIES)[:, None] % 2, np.nan, LABELS)
    judged = report_of(GOOD, human=human)
    with raises("reports", "reports without `human`", got="it in 2"):
        history([NIGHTS["mon"], judged])
    with raises("confidence_level", "between 0 and 1"):
        history(NIGHTS, confidence_level=1)


def test_a_history_in_print_and_as_a_frame():
    found = history(NIGHTS)
    lines = repr(found).splitlines()
    assert [line.split()[1] for line in lines[1:10]] == ["mon", "wed", "thu"] * 3
    assert lines[1].split()[2:] == [
        f"{each[0, 0]:.4f}" for each in (found.mean, found.low, found.high)
    ]
    assert lines[2].endswith("worse")
    frame = found.to_frame()
    assert frame["report"].tolist() == [*NIGHTS] * 3
    assert frame["metric"].tolist() == np.repeat(SCORES, 4).tolist()
    np.testing.assert_array_equal(frame["difference"], found.difference.T.ravel())
    assert frame["change"].tolist() == found.change.T.ravel().tolist()
    assert "| `ndcg@3` | `wed` |" in found.to_markdown()
    assert found == history(NIGHTS)
    assert found != history(NIGHTS, confidence_level=0.9)
