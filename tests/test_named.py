"""The scores by their names, where one of them is expected."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import defined
import pytest
import reference
from laws import SCORES
from raising import raises
from scipy.sparse import csr_array

import ranking_scores
from ranking_scores import (
    StreamingScore,
    make_ranking_scorer,
    mean_average_precision_score,
    mean_reciprocal_rank_score,
    ndcg_score,
    ranking_report,
    testing,
)
from ranking_scores._metrics._named import METRICS, find_score
from ranking_scores.conventions import programs
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.ties import chance_level, tie_report

ROOT = Path(__file__).parents[1]
NAME_OF = {metric.function.__name__: metric.name for metric in METRICS}
TABLES = {
    "METRICS of ranking_scores/_metrics/_named.py": (
        NAME_OF,
        "a row with its name, the function, and its title in plots",
    ),
    "the imports and __all__ of ranking_scores/__init__.py": (
        ranking_scores.__all__,
        "the name of the function",
    ),
    "DEFINITIONS of ranking_scores/testing.py": (
        [name for name, short in NAME_OF.items() if short in testing.DEFINITIONS],
        "the definition for one order, under the name in METRICS",
    ),
    "DEFINITIONS of tests/reference.py": (
        reference.DEFINITIONS,
        "the expected value in floats, of tie groups",
    ),
}
"""By table, the names of the functions in it, and what the row of a new score has."""
TEXTS = {
    "tests/metrics/test_known_values.py": (
        "{function}(",
        "a value computed by hand or elsewhere",
    ),
    "doc/reference.rst": ("   {function}\n", "its name by python doc/scores_table.py"),
    "doc/metrics.rst": (
        ':func:`~ranking_scores.{function}`\n     - ``"{name}"``\n     - {k}\n',
        "a row in the table of all metrics, which begins with a link to a section",
    ),
    "CHANGELOG.rst": ("``{function}``", "an entry that says what it is for"),
}
"""By file, what it must contain for each score, and what that is."""


@pytest.mark.parametrize("table", TABLES)
def test_every_score_has_a_row_in(table):
    names, content = TABLES[table]
    missing = [name for name in defined.SCORES if name not in names]
    assert not missing, f"{table} must have {', '.join(missing)}. Write {content}."


@pytest.mark.parametrize("file", TEXTS)
def test_every_score_is_in(file):
    text = (ROOT / file).read_text(encoding="utf-8")
    form, content = TEXTS[file]
    for function, score in defined.SCORES.items():
        k = "needed" if "k" in defined.needed(score) else "optional"
        k = k if defined.takes(score, "k") else "none"
        name = NAME_OF.get(function, "the name in METRICS")
        line = form.format(name=name, function=function, k=k)
        is_there = re.search(rf"(?<!\w){re.escape(line)}", text) is not None
        assert is_there, f"{file} must contain {line!r} for {function}. Write {content}."


def test_every_score_has_a_section_with_its_formula():
    text = (ROOT / "doc" / "metrics.rst").read_text(encoding="utf-8")
    rows = text.split("\n   * - ")
    for function in defined.SCORES:
        labels = [
            re.match(r":ref:`[^`<]+<([\w-]+)>`", row)
            for row in rows
            if f"~ranking_scores.{function}`" in row.partition("\n\n")[0]
        ]
        assert all(labels), f"the row of {function} in doc/metrics.rst must begin with :ref:`"
        for label in labels:
            _, found, section = text.partition(f"\n.. _{label[1]}:\n")
            wrong = f"doc/metrics.rst must have a section with the label {label[1]} for {function}"
            assert found, wrong
            assert ">>> " in section.partition("\n.. _")[0], f"{wrong} and with an example"


@pytest.mark.parametrize(
    ("field", "arguments"),
    [
        ("is_k_optional", {"y_score": [[0, 1]], "k": None}),
        ("takes_retrieved", {"y_score": csr_array([[0.5, 1.0]]), "k": 1}),
    ],
)
def test_the_laws_know_what_a_score_takes(field, arguments):
    for name, score in SCORES.items():
        if field == "is_k_optional" and not score.takes_k:
            continue
        given = {each: value for each, value in arguments.items() if each in score.parameters}
        try:
            score.func(y_true=[[0, 1]], **given)
            is_taken = True
        except InvalidParameterError:
            is_taken = False
        table = "METRICS" if field == "takes_retrieved" else "SCORES of tests/laws.py"
        wrong = f"the row of {name} in {table} must have {field}={is_taken}"
        assert getattr(score, field) == is_taken, wrong


def test_the_counts_of_the_readme_are_true():
    text = " ".join((ROOT / "README.rst").read_text(encoding="utf-8").split())
    [lowest] = re.findall(r"for more than (\d+) metrics", text)
    assert int(lowest) < len(METRICS), "README.rst must count fewer metrics than there are"
    [named] = re.findall(
        r"Only the two pairwise metrics, (.*?), need a score for every item", text
    )
    every = {metric.title.lower() for metric in METRICS if not metric.takes_retrieved}
    assert set(named.lower().split(" and ")) == every, "README.rst must name what needs all items"


def test_every_score_at_the_top_is_in_the_table_of_metrics():
    known = {metric.function for metric in METRICS}
    for name in ranking_scores.__all__:
        public = getattr(ranking_scores, name)
        is_score = "average" in inspect.signature(public).parameters
        assert (public in known) == is_score, f"METRICS in _metrics/_named.py lacks {name}"


def test_each_name_and_title_of_a_metric_is_its_own():
    names = [metric.name for metric in METRICS]
    names += [other for metric in METRICS for other in metric.other_names]
    for several in (names, [metric.title for metric in METRICS]):
        assert len(set(several)) == len(several)
    assert {metric.family for metric in METRICS} == {
        "cumulative_gain",
        "first_hit",
        "judged",
        "position",
        "precision",
    }


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
        ("average_precision", "map"),
        ("mean_reciprocal_rank", "mrr"),
        ("cosine_ndcg@10", "ndcg@10"),
        ("recall_any@5", "hit_rate@5"),
        ("Rall@5", "all_relevant@5"),
        ("accuracy@1", "hit_rate@1"),
        ("F@5", "f1@5"),
        ("Rprec_mult@5", "r_precision"),
        ("mean_average_precision_score", "map"),
        ("f1_at_k_score", "f1"),
        ("mrrr", "mrr"),
    ],
)
def test_other_names_lead_to_the_name_here(name, score):
    with pytest.raises(ValueError, match=f"Did you mean '{score}'"):
        find_score(name, "StreamingScore")


@pytest.mark.parametrize(
    ("name", "score", "k"),
    [
        ("nDCG@10", "ndcg", 10),
        ("NDCG", "ndcg", None),
        ("ndcg_cut_10", "ndcg", 10),
        ("ndcg_at_10", "ndcg", 10),
        ("P_5", "precision", 5),
        ("P@5", "precision", 5),
        ("Recall@100", "recall", 100),
        ("R@100", "recall", 100),
        ("recall_1000", "recall", 1000),
        ("AP", "map", None),
        ("map_cut_100", "map", 100),
        ("RR@10", "mrr", 10),
        ("hit@5", "hit_rate", 5),
        ("hits@5", "hit_rate", 5),
        ("HR@10", "hit_rate", 10),
        ("Hit-Rate@10", "hit_rate", 10),
        ("Rprec", "r_precision", None),
        ("R-Precision", "r_precision", None),
        ("success_5", "hit_rate", 5),
        ("Success@1", "hit_rate", 1),
        ("recip_rank", "mrr", None),
    ],
)
def test_names_of_other_programs_that_mean_the_same(name, score, k):
    found = find_score(name, "caller")
    assert (found.name, found.options) == (score, {} if k is None else {"k": k})


@pytest.mark.parametrize(
    ("name", "score", "options"),
    [
        ("AP(rel=2)", "map(rel=2)", {"relevance_threshold": 2}),
        ("RR(rel=2)@10", "mrr(rel=2)", {"relevance_threshold": 2, "k": 10}),
        ("ndcg( rel = 1.50 )@5", "ndcg(rel=1.5)", {"relevance_threshold": 1.5, "k": 5}),
        ("map(rel=2.0)", "map(rel=2)", {"relevance_threshold": 2}),
    ],
)
def test_a_name_may_have_a_threshold(name, score, options):
    found = find_score(name, "caller")
    assert (found.name, found.options) == (score, options)
    assert list(map(type, found.options.values())) == list(map(type, options.values()))
    again = find_score("@".join([score, *map(str, list(options.values())[1:])]), "caller")
    assert again == found


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("AP(rel=x)", "a name with the lowest relevant label, as in 'map(rel=2)'"),
        ("AP(rel=inf)", "the lowest relevant label"),
        ("AP()", "the lowest relevant label"),
        ("P(rel=2,judged_only=True)@5", "as in 'precision(rel=2)'"),
        ("nDCG(dcg='exp-log2')@5", "as in 'ndcg(rel=2)'"),
        ("judged(rel=1)@5", "without a threshold for 'judged'"),
        ("infAP(rel=2)", "one of ndcg"),
        ("RR(rel=2)@0", "a name whose cutoff"),
        ("Rprec(rel=2)@5", "without a cutoff"),
    ],
)
def test_what_is_no_threshold_in_a_name(name, expected):
    with raises("score", expected, got=repr(name)):
        find_score(name, "caller")


GRADES, FOUND = [[2, 1, 0, 3], [0, 1, 2, 0]], [[1, 4, 3, 2], [1, 4, 2, 2]]


def test_each_score_of_a_report_has_its_own_threshold():
    """The measures of the Deep Learning tracks: grade 1 counts in nDCG, and not in AP and RR."""
    names = ["ndcg@10", "AP(rel=2)", "RR(rel=2)@10", "map"]
    report = ranking_report(GRADES, FOUND, scores=names)
    of_2 = {"relevance_threshold": 2}
    assert report.mean == {
        "ndcg@10": ndcg_score(GRADES, FOUND, k=10),
        "map(rel=2)": mean_average_precision_score(GRADES, FOUND, **of_2),
        "mrr(rel=2)@10": mean_reciprocal_rank_score(GRADES, FOUND, k=10, **of_2),
        "map": mean_average_precision_score(GRADES, FOUND),
    }
    # The relevant items are at the ranks 3 and 4, and at 2 or 3.
    precisions = (1 / 3 + 2 / 4) / 2, (1 / 2 + 1 / 3) / 2
    assert report["map(rel=2)"] == pytest.approx(sum(precisions) / 2, abs=1e-15)
    others = ranking_report(GRADES, FOUND, scores=names, relevance_threshold=1)
    assert others.mean == report.mean
    assert others.options["map(rel=2)"]["relevance_threshold"] == "2"


def test_a_threshold_beside_a_name_that_has_one():
    with raises("relevance_threshold", "left out beside the name 'AP(rel=2)'", got="1"):
        tie_report(GRADES, FOUND, score="AP(rel=2)", relevance_threshold=1)
    expected = mean_average_precision_score(GRADES, FOUND, relevance_threshold=2)
    assert tie_report(GRADES, FOUND, score="AP(rel=2)").expected == expected


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("ERR_IA@20", "With aspects, 'err@20' is a mean over the aspects of a query."),
        ("STREC@5", "With aspects, 'hit_rate@5' is a mean over the aspects of a query."),
        ("StRecall@5", "With aspects, 'hit_rate@5' is a mean over the aspects of a query."),
        ("MAP-IA", "With aspects, 'map' is a mean over the aspects of a query."),
        ("P_IA@5", "With aspects, 'precision@5' is a mean over the aspects of a query."),
        ("AP_IA", "With aspects, 'map' is a mean over the aspects of a query."),
        ("rbp@0.8", "Pass `partial(rank_biased_precision_score, persistence=0.8)`."),
        ("RBP(p=0.8)", "Pass `partial(rank_biased_precision_score, persistence=0.8)`."),
        (
            "macro:rbp",
            "A report with groups of queries has the mean over groups beside each score.",
        ),
        ("MAR@5", f"MAR of WarpRec: {programs()['WarpRec'].bugs['MAR']}"),
    ],
)
def test_names_of_something_else_say_what_it_is(name, advice):
    with pytest.raises(ValueError, match="caller must be") as caught:
        find_score(name, "caller")
    assert str(caught.value).partition("instead.")[2].strip() == advice


def test_cutoffs_of_trec_eval_may_follow_a_point():
    assert find_score("ndcg_cut.10", "caller").options == {"k": 10}
    assert find_score("map_cut.10", "caller").name == "map"


def test_parts_of_names_are_no_cutoffs():
    for name in ("ndcg_10_x", "foo_10", "ndcg_cut", "10", "P_", "_5"):
        with raises("score", "one of ndcg"):
            find_score(name, "caller")
    with raises("score", "a name whose cutoff"):
        find_score("P_0", "caller")
    with raises("score", "without a cutoff for 'r_precision'"):
        find_score("Rprec@5", "caller")


def test_a_function_may_take_some_of_the_names():
    assert find_score("mrr@5", "caller", names=["map", "mrr"]).options == {"k": 5}
    for name, advice in (
        ("mr", "Did you mean 'mrr'?"),
        ("hr", ""),
        ("maap", "Did you mean 'map'?"),
    ):
        with pytest.raises(ValueError, match="one of map, mrr, alone") as caught:
            find_score(name, "caller", names=["map", "mrr"])
        assert str(caught.value).partition("instead.")[2].strip() == advice
