"""The command line on several runs: comparisons, ranks, intervals, and processes."""

from __future__ import annotations

import gc
import json
import pickle
import weakref
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from command_data import below_forms, data_of, records_of, standard_input

from ranking_scores import ranking_report
from ranking_scores._command import _arguments, _numbers
from ranking_scores.significance import compare, compare_all, confidence_interval
from ranking_scores.tables import RankingData

pytestmark = pytest.mark.usefixtures("folder")


def write_runs(*names):
    """Write runs of 20 queries, and judgments of them as "judged"; return their reports."""
    rng = np.random.default_rng(0)
    queries, items = range(20), range(5)
    lines = [f"q{query} 0 d{item} {rng.integers(2)}" for query in queries for item in items]
    Path("judged").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name in names:
        lines = [
            f"q{query} Q0 d{item} 1 {rng.integers(4)} tag" for query in queries for item in items
        ]
        Path(name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    data = {name: data_of("judged", name) for name in names}
    return {
        name: ranking_report(each.y_true, each.y_score, scores=["ndcg", "map"], k=None)
        for name, each in data.items()
    }


def test_two_runs_are_compared_by_the_paired_t_test(call):
    reports = write_runs("a", "b")
    records = records_of(call("judged a b -m ndcg map --compare --format json")[1])
    for score in ("ndcg", "map"):
        expected = compare(*(report.per_query[score] for report in reports.values()))
        found = records["b", None, score]
        assert found["difference"] == expected.difference
        assert found["difference_low"] == expected.low
        assert found["difference_high"] == expected.high
        assert found["pvalue"] == expected.pvalue
        first = records["a", None, score]
        for key in ("difference", "difference_low", "difference_high", "pvalue"):
            assert first[key] is None
        assert first["mean"] == reports["a"][score]
    output = below_forms(call("judged a b -m map --compare")[1])
    head, first, second, *notes = output.splitlines()
    assert [line.partition(" ")[0] for line in notes[2:]] == ["a:", "b:", "difference"]
    assert notes[-1] == "difference to a: paired t test; 95 % intervals"
    assert head.endswith("undefined  difference  difference low  difference high  p-value")
    assert first.split()[-4:] == ["nan"] * 4
    assert second.split()[-1] == f"{expected.pvalue:.4f}"


def test_more_runs_are_compared_with_the_first_by_max_t(call):
    reports = write_runs("a", "b", "c")
    line = "judged a b c -m ndcg map --compare --confidence 0.8 --format json"
    records = records_of(call(line)[1])
    assert call(line) == call(line)
    expected = compare_all(reports, baseline="a", confidence_level=0.8, random_state=0)
    assert len(expected) == 4
    for row in expected:
        found = records[row.system_b, None, row.metric]
        assert found["pvalue"] == row.pvalue
        assert (found["difference_low"], found["difference_high"]) == (row.low, row.high)
    assert call("judged a b c -m ndcg --compare --confidence 0.8")[1].splitlines()[-3:] == [
        "difference to a: p-values corrected by max-T; simultaneous 80 % intervals",
        "p-values: sign-flip permutation test; exact if systems are exchangeable on each query",
        "intervals: flips of centred differences, asymptotic",
    ]
    interval = confidence_interval(reports["c"], confidence_level=0.8)
    assert records["c", None, "map"]["low"] == interval.low[1]
    assert records["c", None, "map"]["high"] == interval.high[1]


def test_runs_are_sorted_with_the_ranks_that_they_can_have(call):
    reports = write_runs("a", "b", "c")
    right = Path("judged").read_text(encoding="utf-8").replace(" 0 d", " Q0 d")
    lines = [line.rsplit(" ", 1) for line in right.splitlines()]
    text = "".join(f"{line} 1 {label} tag\n" for line, label in lines)
    Path("best").write_text(text, encoding="utf-8")
    data = data_of("judged", "best")
    reports["best"] = ranking_report(data, scores=["ndcg", "map"], k=None)
    expected = compare_all(reports, confidence_level=0.8, random_state=0).ranks
    line = "judged a b c best -m ndcg map --ranks --confidence 0.8"
    records = json.loads(call(f"{line} --format json")[1])
    found = {key: [record[key] for record in records] for key in records[0]}
    assert found["run"] == list(expected.systems)
    assert found["score"] == ["ndcg"] * 4 + ["map"] * 4
    assert found["best_rank"] == expected.best.tolist() == [1, 2, 2, 2] * 2
    assert found["worst_rank"] == expected.worst.tolist()
    assert found["tier"] == expected.tier.tolist()
    of_records = zip(found["run"], found["score"], strict=True)
    assert found["mean"] == [reports[run][score] for run, score in of_records]
    head, *_, of_ranks, of_ndcg, _ = below_forms(call(line)[1]).splitlines()
    assert head.endswith("undefined  best rank  worst rank  tier")
    assert of_ranks == (
        "best and worst rank: the ranks that the runs can have, by max-T over all pairs, all of "
        "them at 80 % for each score"
    )
    assert of_ndcg == "ndcg: the best is best, and all others are significantly worse"
    first, *others = (run for run in found["run"][4:] if run != "best")
    assert call("judged a b c -m map --ranks")[1].splitlines()[-1] == (
        f"map: the best is {first}, and 2 runs cannot be separated from it: {', '.join(others)}"
    )
    assert "and 1 run cannot" in call("judged a b -m map --ranks")[1]
    lines = call("judged a best -m map --ranks --compare")[1].splitlines()
    rows = [line.split()[0] for line in lines if line.startswith(("a ", "best "))]
    assert rows[:2] == ["best", "a"]  # and the differences are to the other one
    assert "difference to a: paired t test; 95 % intervals" in lines
    assert lines[-1] == "map: the best is best, and all others are significantly worse"


class Pool:
    """A pool of one process, which is this one. What goes between processes is pickled."""

    def __init__(self, n_jobs, *, mp_context, initializer, initargs):
        assert n_jobs == 2
        assert mp_context.get_start_method() == "spawn"
        initializer(*pickle.loads(pickle.dumps(initargs)))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def map(self, work, items):
        return (pickle.loads(pickle.dumps(work(each))) for each in items)


@pytest.fixture
def _one_process(monkeypatch):
    monkeypatch.setattr(_numbers, "ProcessPoolExecutor", Pool)
    monkeypatch.setattr(_numbers.signal, "signal", lambda *_: None)


def write_odd_runs():
    """Write two runs, one with a note and a warning, and one in JSON."""
    write_runs("a", "b")
    Path("c.csv").write_text("query;item;rank\nq1;new;1\n", encoding="utf-8")
    Path("d.json").write_text('{"q1": ["x"], "q2": ["d1"]}', encoding="utf-8")


LINES_OF_JOBS = [
    "judged a b c.csv d.json",
    "judged a b d.json --ranks --format json",
    "judged a b --human judged --compare",
    "judged a c.csv b --compare --queries both",
    "judged c.csv none a",
    "judged c.csv a judged b",
]


@pytest.mark.usefixtures("_one_process")
@pytest.mark.parametrize("line", LINES_OF_JOBS)
def test_more_processes_say_the_same(call, line):
    write_odd_runs()
    with pytest.MonkeyPatch.context() as context:
        context.setattr(_numbers, "ProcessPoolExecutor", None)
        expected = call(f"{line} -m map mrr")
    assert call(f"{line} -m map mrr --jobs 2") == expected
    assert expected[1] or expected[2]


@pytest.mark.slow
def test_processes_are_started(call):
    write_odd_runs()
    line = LINES_OF_JOBS[0]
    assert call(f"{line} --jobs 2") == call(line)


@pytest.mark.usefixtures("_one_process")
def test_a_process_that_has_ended_is_an_error(refuse, monkeypatch):
    monkeypatch.setattr(Pool, "map", Mock(side_effect=BrokenProcessPool))
    assert refuse("qrels run run2 --jobs 3") == (
        "a process of --jobs has ended, maybe since the memory is too small. Pass a lower number."
    )


def test_one_process_reads_a_pipe(call, monkeypatch):
    monkeypatch.setattr(_numbers, "ProcessPoolExecutor", None)
    with standard_input("run"):
        assert call("qrels run - -m map --jobs 2")[0] == 0


@pytest.mark.long
def test_the_data_of_several_runs_are_not_kept(monkeypatch):
    write_runs("a", "b")
    made, n_kept = [], []

    def judged_items(data):
        gc.collect()
        n_kept.append(sum(each() is not None for each in made))
        judged = judged_items_of(data)
        made.append(weakref.ref(judged.labels))
        return judged

    judged_items_of = RankingData.judged_items
    monkeypatch.setattr(RankingData, "judged_items", judged_items)
    scored = _numbers.score_runs(_arguments.parse(["judged", "a", "b", "--ranks"]))
    assert n_kept == [0, 1, 0, 1]  # the second of each run is for its line about ties
    assert [run.data for run in scored.runs] == [None, None]


def test_intervals_of_means(call):
    line = "qrels run -m map ndcg --confidence 0.9 --by-query --format json"
    records = records_of(call(line)[1])
    data = data_of()
    report = ranking_report(data.y_true, data.y_score, scores=["map", "ndcg"], k=None)
    expected = confidence_interval(report, confidence_level=0.9)
    assert records["run", None, "ndcg"]["low"] == expected.low[1]
    assert records["run", None, "map"]["high"] == expected.high[0]
    assert records["run", "301", "map"]["low"] is None
    assert list(records["run", "301", "map"])[3:7] == ["mean", "low", "high", "standard_error"]


def test_differences_that_are_all_equal_are_warned_of(call):
    Path("two").write_text("301 0 a 1\n302 0 a 1\n", encoding="utf-8")
    Path("one").write_text("301 Q0 a 1 1 tag\n302 Q0 a 1 1 tag\n", encoding="utf-8")
    behind = "".join(f"{query} Q0 b 1 2 tag\n{query} Q0 a 1 1 tag\n" for query in (301, 302))
    Path("other").write_text(behind, encoding="utf-8")
    status, output, errors = call("two one other -m map --compare")
    assert status == 0
    assert below_forms(output).splitlines()[2].split()[-1] == "0.5000"
    assert errors == (
        "ranking-scores: warning: --compare: compare_all (other - one, map): all differences are "
        "equal, so the t test cannot estimate their spread. The permutation test does not need "
        "it.\n"
    )


def test_too_few_queries_to_compare(call):
    Path("one").write_text("301 0 a 1\n301 0 b 0\n", encoding="utf-8")
    Path("other").write_text("301 Q0 b 1 1 tag\n", encoding="utf-8")
    status, output, errors = call("one run other -m map --compare --confidence 0.9")
    assert (status, errors) == (0, "")
    assert below_forms(output).splitlines()[2].split()[-4:] == ["-0.7500", "nan", "nan", "nan"]
    Path("third").write_text("301 Q0 a 1 1 tag\n", encoding="utf-8")
    records = records_of(call("qrels run third other -m map --compare --format json")[1])
    assert records["other", None, "map"]["difference_low"] is None  # of 3 queries, it is -inf
    assert call("qrels run third other -m map --compare")[1].splitlines()[-5:] == [
        "difference to run: p-values corrected by max-T; simultaneous 95 % intervals",
        "p-values: sign-flip permutation test; exact if systems are exchangeable on each query",
        "intervals: flips of centred differences, asymptotic",
        "With 3 queries, no permutation test can give p < 0.25",
        "an infinite limit means that the queries are too few, or too much alike, to find one",
    ]
    csv_of = call("qrels run third other -m map --compare --format csv")[1].splitlines()
    assert csv_of[-1].split(",")[-3:-1] == ["-inf", "inf"]


def test_what_cannot_be_compared(refuse):
    assert refuse("qrels run --compare") == "--compare needs at least two runs"
    assert refuse("qrels run --ranks") == "--ranks needs at least two runs"
    message = (
        "--confidence must be at most 0.9998 to compare more than two runs. Got 0.9999 instead."
    )
    assert refuse("qrels run other third --compare --confidence 0.9999") == message
    assert refuse("qrels run other --ranks --confidence 0.9999") == (
        "--confidence must be at most 0.9998 for --ranks. Got 0.9999 instead."
    )
    assert refuse("qrels run other --compare --by-query") == (
        "--compare prints no values of queries. Leave out --by-query."
    )
    Path("other").write_text("302 Q0 a 1 1 tag\n", encoding="utf-8")
    assert refuse("qrels run other --compare --queries both") == (
        "other and run have different queries and cannot be compared. Use --queries judged."
    )
    for level in ("95", "1", "0", "-0.5"):
        assert refuse(f"qrels run --confidence={level}") == (
            "argument --confidence: must be a number between 0 and 1, such as 0.95. Got "
            f"'{level}'. See ranking-scores --help."
        )
