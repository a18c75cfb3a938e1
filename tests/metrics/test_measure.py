"""The conventions of other programs: their values, and their measures as scores."""

import pickle
import warnings
from dataclasses import fields, replace
from functools import cache
from itertools import product

import numpy as np
import pytest
from by_convention import value
from defined import takes
from hypothesis import given, settings, strategies as st
from laws import assert_same_bits
from raising import raises
from sklearn import config_context
from sklearn.linear_model import LinearRegression

import ranking_scores as rs
from ranking_scores import (
    StreamingScore,
    from_lists,
    from_tables,
    make_ranking_scorer,
    ranking_report,
)
from ranking_scores.__main__ import main
from ranking_scores._base._validation import WHOLE_LIST
from ranking_scores._metrics._evaluate import RankedBlock
from ranking_scores._metrics._measure import (
    Convention,
    ConventionBlock,
    ItemKeys,
    default_convention,
)
from ranking_scores._metrics._named import find_score
from ranking_scores._metrics._programs import ProgramScore
from ranking_scores._queries._data import CallData, DataNeeds
from ranking_scores._queries._layouts import check_queries
from ranking_scores.conventions import like, programs
from ranking_scores.explain import explain_difference
from ranking_scores.explain._words import KNOBS as KNOBS_IN_ORDER, knob_in_words
from ranking_scores.gates import check
from ranking_scores.report import read_report
from ranking_scores.streaming import read_stream
from ranking_scores.tables import RankingData
from ranking_scores.ties import chance_level, tie_report
from ranking_scores.trec import from_pytrec_eval

METRICS = {
    "ndcg": rs.ndcg_score,
    "dcg": rs.dcg_score,
    "map": rs.mean_average_precision_score,
    "mrr": rs.mean_reciprocal_rank_score,
    "precision": rs.precision_at_k_score,
    "recall": rs.recall_at_k_score,
    "f1": rs.f1_at_k_score,
    "hit_rate": rs.hit_rate_score,
    "r_precision": rs.r_precision_score,
    "err": rs.expected_reciprocal_rank_score,
    "rbp": rs.rank_biased_precision_score,
    "auc": rs.grouped_auc_score,
    "pairwise_accuracy": rs.pairwise_accuracy_score,
    "arp": rs.average_relevant_position,
    "judged": rs.judged_at_k_score,
    "bpref": rs.bpref_score,
}
SAME = 1e-12
"""Sums of the same terms in different orders differ by less."""

KNOBS = {
    "k": [None, 1, 2, 3, 9],
    "ties": ["average", "earlier", "later", "id ascending", "id descending", "best", "worst"],
    "scores": ["float64", "float32", "none"],
    "first_ties": [False, True],
    "judged_only": [False, True],
    "of_irrelevant": [False, True],
    "last_only": [False, True],
    "multiple": [1.0, 0.5],
    "are_positive": [False, True],
    "known": ["judged", "retrieved"],
    "threshold": [None, 2.0],
    "gain": ["linear", "exponential", "binary"],
    "discount": [None, "log of rank", "one rank later", "log", "rank", "decay", "square", "none"],
    "ideal": ["k", "all", "retrieved", "sorted", "ones"],
    "divisor": ["relevant", "achievable", "k", "retrieved", "hits", "least", "one"],
    "beta": [1.0, 2.0],
    "persistence": [0.8, 0.5],
    "max_grade": [4, 3],
    "no_relevant": [0.0, 1.0, "left out", None],
    "no_irrelevant": [None, 0.5, "left out"],
    "no_predictions": [None, 0.0, "left out"],
    "not_judged": [None, 0.0, "left out"],
    "no_hit": [None, 0.0, "left out"],
    "scale": [1.0, 100.0],
    "digits": [None, 2],
}
OTHER_KNOBS = {
    "ties": [*KNOBS["ties"], "later column", "joined", "middle"],
    "gain": [*KNOBS["gain"], "one more", "signed", "whole", "whole exponential"],
    "no_predictions": [*KNOBS["no_predictions"], "left out unless listed"],
    "duplicates": ["once", "twice", "apart", "set"],
    "all_judged": [False, True],
    "neither": [None, 1.0],
    "drops_self": [False, True],
    "filtered": [False, True],
    "mean": ["arithmetic", "geometric", "sum"],
    "chance": ["grade", "label"],
    "swapped": [False, True],
    "weight": ["queries", "divisor", "mean gain", "ignored", "one"],
    "none_relevant": [None, 0.0],
    "is_loss": [False, True],
    "halves_up": [False, True],
    "digits_of_mean": [None, 5],
    "mean_of_none": [None, 0.0],
}
"""Values of knobs that only the recorded answers of programs prove."""
ENDS = (
    *("swapped", "no_relevant", "none_relevant", "no_irrelevant", "no_predictions"),
    *("not_judged", "no_hit", "neither"),
    *("weight", "mean", "scale", "is_loss", "digits", "halves_up"),
    *("digits_of_mean", "mean_of_none"),
)
"""Knobs that turn a numerator and a divisor into a value."""
ITEMS = ["7", "70", "a", "B", "é", "d10"]
SCORES = [1.0, 1.0 + 1e-9, 0.5, 0.0, -1.0]


@st.composite
def conventions(draw):
    metric = draw(st.sampled_from(list(METRICS)))
    knobs = {name: draw(st.sampled_from(values)) for name, values in KNOBS.items()}
    if metric in ("ndcg", "dcg", "err", "arp", "pairwise_accuracy"):
        knobs["are_positive"] = False
    if knobs["are_positive"] and knobs["ties"] in ("best", "worst"):
        knobs["ties"] = "average"  # such an order is by gain, whatever the scores are
    if metric == "judged":
        knobs |= {
            "divisor": draw(st.sampled_from(["k", "retrieved", "one"])),
            "are_positive": False,
        }
    if metric in ("judged", "pairwise_accuracy") and knobs["ties"] in ("best", "worst"):
        knobs["ties"] = "average"  # such an order is by gain, and these see more than gains
    if metric in ("arp", "pairwise_accuracy") or (metric == "auc" and knobs["ties"] == "average"):
        knobs["k"] = None
    if metric == "bpref" and knobs["divisor"] == "achievable" and knobs["ties"] == "average":
        knobs["divisor"] = "relevant"  # the first hits of an expected list have no meaning
    if knobs["ideal"] == "sorted" and knobs["ties"] == "average":
        knobs["ideal"] = "k"  # the ideal of an expected list has no meaning
    return Convention(metric=metric, **knobs)


@st.composite
def rankings(draw):
    """Judgments and predictions of some queries, of which some lack one or the other."""
    queries = {"q9": ({"a": 1}, [("a", 1.0)])}  # so that neither table is empty
    for number in range(draw(st.integers(1, 3))):
        judged = draw(st.dictionaries(st.sampled_from(ITEMS), st.integers(0, 3), max_size=5))
        items = draw(st.lists(st.sampled_from(ITEMS), unique=True, max_size=4))
        if judged or items:
            scores = [draw(st.sampled_from(SCORES)) for _ in items]
            queries[f"q{number}"] = judged, list(zip(items, scores, strict=True))
    return queries


def as_data(queries):
    """Return the result of `from_tables`, with all queries."""
    judgments, predictions = {"q": [], "i": [], "v": []}, {"q": [], "i": [], "v": []}
    for query, (judged, predicted) in queries.items():
        for table, rows in ((judgments, judged.items()), (predictions, predicted)):
            for item, number in rows:
                for column, each in zip("qiv", (query, item, number), strict=True):
                    table[column].append(each)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="from_tables", category=UserWarning)
        names = {"query": "q", "item": "i", "label": "v", "score": "v"}
        return from_tables(judgments, predictions, **names, queries="all")


def computed(convention, data):
    """Return the value of each query by our code, None if it is left out."""
    values = ProgramScore("some:measure", convention)(data, average=None)
    listed = zip(data.query_ids.tolist(), values.tolist(), strict=True)
    return {query: None if each != each else each for query, each in listed}


OPTIONS = {
    "ndcg": [({}, {}), ({"gain": "exponential"}, {"gain": "exponential"})],
    "dcg": [({}, {}), ({"gain": "exponential"}, {"gain": "exponential"})],
    "map": [({}, {}), ({"denominator": "achievable"}, {"divisor": "achievable"})],
    "precision": [({}, {}), ({"denominator": "retrieved"}, {"divisor": "retrieved"})],
    "recall": [({}, {}), ({"denominator": "achievable"}, {"divisor": "achievable"})],
    "f1": [({"beta": beta}, {"beta": beta}) for beta in (1.0, 0.0, 0.3, 3.0)],
    "err": [({"max_grade": grade}, {"max_grade": grade}) for grade in (4, 6)],
    "rbp": [({}, {}), ({"persistence": 0.37}, {"persistence": 0.37})],
    "judged": [({}, {}), ({"denominator": "retrieved"}, {"divisor": "retrieved"})],
}
"""Options of scores here, and the knobs of conventions that say the same."""


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("labels", ["whole", "fractions"])
@pytest.mark.parametrize("n_queries", [1, 30])
@pytest.mark.parametrize("n_items", [1, 3, 12, 120])
def test_the_convention_of_a_score_has_its_bits(metric, labels, n_queries, n_items):
    random, score = np.random.default_rng([n_queries, n_items]), METRICS[metric]
    y_score = random.integers(0, max(n_items // 2, 2), (n_queries, n_items)).astype(float)
    y_true = random.integers(0, 5, (n_queries, n_items)) * random.integers(0, 2, y_score.shape)
    if labels == "fractions" and metric != "err":  # which takes grades
        y_true = y_true * random.random(y_true.shape)
    cutoffs = {"k": [1, 2, 5, 200, None]} if takes(score, "k") else {"k": [None]}
    thresholds = [None, 2.0] if takes(score, "relevance_threshold") else [None]
    orders = ["average", "later column"] if takes(score, "ignore_ties") else ["average"]
    for (options, knobs), k, threshold, ties in product(
        OPTIONS.get(metric, [({}, {})]), cutoffs["k"], thresholds, orders
    ):
        if k is None and metric in ("precision", "f1", "hit_rate", "judged"):
            continue
        given = {
            "k": k,
            "relevance_threshold": threshold,
            "ignore_ties": ties == "later column",
            **options,
        }
        given = {name: each for name, each in given.items() if takes(score, name)}
        expected = score(y_true, y_score, average=None, **given)
        knobs = {**knobs, "threshold": threshold, "ties": ties}
        convention = replace(default_convention(metric, k), **knobs)
        found = ProgramScore("some:measure", convention)(y_true, y_score, average=None)
        assert_same_bits(found, expected)


@pytest.mark.parametrize(
    ("discount", "expected"), [(None, 1.75), ("none", 1), ("one rank later", 2.75)]
)
def test_a_mean_position_takes_the_discount_of_a_convention(discount, expected):
    convention = replace(default_convention("arp"), discount=discount)
    found = ProgramScore("some:measure", convention)([[1, 0, 1]], [[3, 2, 2]], average=None)
    np.testing.assert_allclose(found, [expected], rtol=1e-12)


@settings(deadline=None)
@given(rankings(), conventions())
def test_each_convention_is_what_its_knobs_say(queries, convention):
    knobs = {field.name: getattr(convention, field.name) for field in fields(Convention)}
    expected = {query: value(knobs, *of_query) for query, of_query in queries.items()}
    found = computed(convention, as_data(queries))
    assert found.keys() == expected.keys()
    for query, number in expected.items():
        if number is None or found[query] is None:
            assert found[query] is number
        elif knobs["digits"] is None:
            assert found[query] == pytest.approx(number, abs=SAME * knobs["scale"])
        else:  # half a digit may be rounded up or down
            assert found[query] == pytest.approx(number, abs=0.0101)


@pytest.mark.long
@pytest.mark.parametrize("metric", METRICS)
def test_conventions_that_are_computed_together_are_as_alone(metric):
    """They share the parts that they have in common, and no others."""
    knobs = {name: KNOBS[name] for name in KNOBS if name not in ENDS} | {
        name: OTHER_KNOBS[name] for name in OTHER_KNOBS if name not in ENDS
    }
    changes = [{name: value} for name, values in knobs.items() for value in values]
    plain = default_convention(metric, 2)
    for change in changes:
        every = {
            replace(plain, **change, **other) for other in changes if not change.keys() & other
        }
        every = sorted(filter(can_be_computed, every), key=str)
        together = values_of_conventions(every) if every else []
        for convention, values in zip(every, together, strict=True):
            [alone] = values_of_conventions([convention])
            assert np.array_equal(values, alone, equal_nan=True), convention


def values_of_conventions(every):
    """Return the values of conventions that are computed on the same block."""
    data, blocks = blocks_of_repeats(1 if every[0].metric == "err" else 3)
    seen = [ConventionBlock(RankedBlock(each, WHOLE_LIST), ItemKeys(data), "f") for each in blocks]
    return [np.concatenate([block.values(each) for block in seen]) for each in every]


@cache
def blocks_of_repeats(top):
    """Return data with grades up to `top`, and their blocks.

    They have ties, items that come twice, and queries that lack relevant items, predictions or
    judgments. ERR may take labels as chances, and so needs labels up to 1.
    """
    truth = {
        "x": {"x": top, "y": 1, "u": 1},
        "b": {"z": 1, "v": top},
        "c": {"x": 1},
        "d": {"x": 0},
    }
    lists = {"x": ["w", "x", "y", "x", "t"], "b": ["z", "z", "q"], "c": [], "d": ["x"], "e": ["y"]}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="from_lists", category=UserWarning)
        joined = from_lists(truth, lists, duplicates="hold", queries="all")
    y_true, y_score, order = joined.in_columns()
    y_score.data = y_score.data // 2 - 0.5
    data = CallData("f", y_true, y_score, order=order)
    return data, list(check_queries(data, DataNeeds(WHOLE_LIST)).blocks())


def can_be_computed(convention):
    """Return whether a metric has the knobs of a convention, and these fit together."""
    metric = convention.metric
    if convention.filtered and metric not in ("mrr", "hit_rate", "arp"):
        return False
    if convention.ties == "joined" and metric != "map":
        return False
    if convention.ties == "middle" and not convention.filtered:
        return False
    if convention.discount == "decay" and metric not in ("ndcg", "dcg", "err", "arp"):
        return False
    if convention.gain == "signed" and metric != "dcg":
        return False
    is_expected = convention.ties in ("average", "joined", "middle")
    return not (convention.ideal == "sorted" and is_expected)


def test_each_knob_has_words():
    of_values = {field.name for field in fields(Convention)} - {"metric", "ordered_to"}
    assert set(KNOBS_IN_ORDER) == of_values
    for name, values in {**KNOBS, **OTHER_KNOBS}.items():
        texts = {
            knob_in_words(name, Convention(**{"metric": "map", name: each})) for each in values
        }
        assert len(texts) == len(values)


DATA = as_data(
    {
        "q1": ({"a": 1, "B": 2}, [("a", 0.5), ("7", 0.5), ("B", 0.5)]),
        "q2": ({"a": 3}, [("d10", 1.0), ("a", 0.5)]),
    }
)


def test_measures_of_programs_stand_beside_ours_in_a_report(tmp_path):
    names = ["ndcg@2", "trec_eval:ndcg_cut_2", "CatBoost:NDCG@2;type=Exp", "Spark:precisionAt@2"]
    report = ranking_report(DATA, scores=names, k=None)
    assert list(report) == ["ndcg@2", "trec_eval:ndcg_cut@2", *names[2:]]
    score = like("CatBoost", "NDCG", k=2, type="Exp")
    assert report["CatBoost:NDCG@2;type=Exp"] == score(DATA)
    report.to_json(tmp_path / "report.json")
    assert read_report(tmp_path / "report.json") == report


def test_measures_of_programs_are_scores_of_streams(tmp_path):
    names = ["map", "ranx:map"]
    stream = StreamingScore(names)
    stream.update(DATA)
    expected = ranking_report(DATA, scores=names, k=None)
    assert stream.compute() == dict(expected.mean)
    stream.to_json(tmp_path / "stream.json", name="part")
    assert read_stream(tmp_path / "stream.json").compute() == dict(expected.mean)


def test_measures_of_programs_are_scores_of_scorers():
    X, y_true = np.array([[0.1], [0.9], [0.5]]), np.array([0, 1, 2])
    model = LinearRegression().fit(X, y_true)
    scorer = make_ranking_scorer(like("LightGBM", "ndcg@2"))
    assert "LightGBM:ndcg@2" in repr(scorer)
    expected = like("LightGBM", "ndcg@2")(y_true, model.predict(X), qid=[1, 1, 1])
    with config_context(enable_metadata_routing=True):
        scorer = scorer.set_score_request(qid=True)
        assert scorer(model, X, y_true, qid=[1, 1, 1]) == expected


def test_measures_of_programs_are_scores_of_gates():
    report = ranking_report(DATA, scores=["ranx:map"], k=None)
    assert check(report, at_least={"ranx:map": 0.0}).passed
    report = ranking_report(DATA, scores=["trec_eval:ndcg_cut_2"], k=None)
    for name in ("trec_eval:ndcg_cut@2", "trec_eval:ndcg_cut_2", "pytrec_eval:ndcg_cut.2"):
        assert check(report, at_least={name: 0.0}).passed
    with raises("at_least", "about results of the report"):
        check(report, at_least={"trec_eval:ndcg_cut_3": 0.0})


def test_measures_of_programs_are_scores_of_the_command(tmp_path, capsys):
    (tmp_path / "qrels").write_text("q 0 a 1\nq 0 b 0\n")
    (tmp_path / "run").write_text("q Q0 a 1 0.5 x\nq Q0 b 2 0.5 x\n")
    files = [str(tmp_path / "qrels"), str(tmp_path / "run")]
    main([*files, "-m", "ndcg@2", "trec_eval:ndcg_cut_2", "ranx:ndcg@2"])
    printed = capsys.readouterr().out
    assert "trec_eval:ndcg_cut@2" in printed
    assert "0.6309" in printed
    main([*files, "-m", "trec_eval:ndcg_cut_2", "--ties"])
    assert "0.6309" in capsys.readouterr().out


def test_a_measure_keeps_its_name_and_can_be_pickled():
    score = like("trec_eval", "P_5", relevance_level=2)
    assert score.name == score.__name__ == "trec_eval:P@5;relevance_level=2"
    assert pickle.loads(pickle.dumps(score)) == score
    assert find_score(score.name, "f").function == score


def test_a_loss_is_better_if_it_is_lower():
    loss = like("torchrec", "NDCG@2")
    report = ranking_report(DATA, scores=[loss, "ranx:ndcg@2"], k=None)
    assert not report.greater_is_better("torchrec:NDCG@2")
    assert report.greater_is_better("ranx:ndcg@2")
    assert make_ranking_scorer(loss)._sign == -1


def test_negative_labels_gain_nothing_in_trec_eval():
    truth, lists = {"q": {"a": -2, "b": 2, "c": 1}}, {"q": {"a": 3, "b": 2, "c": 1}}
    relevant = {"q": {"a": 0, "b": 2, "c": 1}}
    for name in ("ndcg", "ndcg_cut_2", "map", "P_2", "recip_rank"):
        score = like("trec_eval", name)
        assert score(from_lists(truth, lists)) == score(from_lists(relevant, lists))


def test_the_orders_of_ties_are_those_that_a_program_in_float32_sees():
    found = tie_report([[1, 0]], [[1, 1 + 1e-12]], score="XGBoost:ndcg@1")
    assert (found.worst, found.expected, found.best) == (0, 1, 1)
    found = tie_report([[1, 0]], [[1, 1 + 1e-12]], score="LightGBM:ndcg@1")
    assert (found.worst, found.expected, found.best) == (0, 0, 0)


def test_chance_is_a_mean_over_all_orders():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 3, (20, 5)), rng.random((20, 5))
    ours = chance_level(y_true, score="ndcg@2")
    for name in ("trec_eval:ndcg_cut_2", "CatBoost:NDCG@2", "ranx:ndcg@2"):
        assert chance_level(y_true, score=name) == pytest.approx(ours)
    report = ranking_report(
        y_true, y_score, scores=["ndcg@2", "CatBoost:NDCG@2"], k=None, chance=True
    )
    assert [*report.chance.values()] == pytest.approx([ours, ours])
    precision = chance_level(y_true, score="precision@2")
    name = "implicit:precision@2"  # weighs queries by their divisors
    divisors = np.minimum((y_true > 0).sum(axis=1), 2)
    assert chance_level(y_true, score=name) == pytest.approx(
        precision * 2 * 20 / divisors.sum(), rel=1e-9
    )
    with raises("score", "its divisor depends on the order"):
        chance_level(y_true, score="LibRecommender:ndcg_at_k@2")


def test_a_geometric_mean_and_a_sum_are_no_means_of_queries():
    each = like("trec_eval", "map")(DATA, average=None)
    geometric = like("trec_eval", "gm_map")
    assert geometric(DATA) == pytest.approx(float(np.exp(np.mean(np.log(each)))))
    assert geometric(DATA, average=None) == pytest.approx(np.log(each))
    found = like("trec_eval", "num_rel_ret")
    assert found(DATA) == found(DATA, average=None).sum() == 3
    with raises("sample_weight", "a sum over the queries"):
        found(DATA, sample_weight=[1, 2])
    for name, words in (("gm_map", "geometric mean"), ("num_rel_ret", "sum")):
        with raises("score", f"not their {words}"):
            ranking_report(DATA, scores=[f"trec_eval:{name}"], k=None)


def test_values_of_the_first_k_need_an_order():
    labels = [[1, 0, 1]]
    for name in ("RecTools:PAP@2", "RePlay:RocAuc@2"):
        with raises("score", "its divisor depends on the order"):
            chance_level(labels, score=name)
    assert chance_level(labels, score="scikit-learn:roc_auc_score") == 0.5
    assert chance_level(labels, score="scikit-learn:coverage_error") == pytest.approx(8 / 3)


def test_an_area_depends_on_all_pairs_of_the_first_k():
    y_true, y_score = [[0, 1, 0, 1]], [[4, 3, 2, 1]]
    assert like("RePlay", "RocAuc@2")(y_true, y_score) == 0
    assert like("RePlay", "RocAuc@3")(y_true, y_score) == 1 / 2
    assert like("RePlay", "RocAuc@4")(y_true, y_score) == 1 / 4


def test_a_report_says_that_programs_may_leave_queries_out():
    data = from_lists({"a": ["x"], "b": ["y"]}, {"a": ["x"]})
    assert "may leave such queries out" in repr(ranking_report(data, scores=["ranx:mrr"], k=None))
    assert "may leave" not in repr(ranking_report(data, scores=["mrr"], k=None))


def test_errors_in_names_are_about_the_names():
    for name, expected in [
        ("trec_eval:ndcg_cut", "a name with a cutoff, such as 'trec_eval:ndcg_cut@10'"),
        ("CatBoost:NDCG@2;type=Foo", "a name whose 'type' is one of Base, Exp"),
        ("trec_eval:nothing", "a measure of trec_eval: ndcg, "),
    ]:
        with raises("scores", expected, function="ranking_report"):
            ranking_report(DATA, scores=[name], k=None)
    with raises("scores", "one of", advice="Did you mean 'trec_eval'?"):
        ranking_report(DATA, scores=["treceval:map"])


def test_items_of_arrays_are_all_judged():
    y_true, y_score = [[1, 0, 2]], [[3, 2, 1]]
    score = like("ir_measures", "nDCG@2", judged_only=True)
    assert score(y_true, y_score) == like("ir_measures", "nDCG@2")(y_true, y_score)


def test_options_in_names_are_written_with_a_sign():
    with raises("scores", "options are written as in", function="ranking_report"):
        ranking_report(DATA, scores=["CatBoost:NDCG@2;Exp"])
    with raises("scores", "one of", function="ranking_report"):
        ranking_report(DATA, scores=["nobody:ndcg"])


def test_means_are_rounded_as_the_program_rounds_them():
    score = like("BEIR", "NDCG@2")
    assert score(DATA) == round(float(np.nanmean(score(DATA, average=None))), 5)


def test_ids_of_bytes_sort_as_text():
    columns = {"q": [b"1"] * 3, "i": [b"b", b"c", b"a"], "v": [0.5] * 3}
    judged = {"q": [b"1"], "i": [b"c"], "v": [1]}
    names = {"query": "q", "item": "i", "label": "v", "score": "v"}
    data = from_tables(judged, columns, **names)
    assert like("trec_eval", "recip_rank")(data) == 1


def test_without_repeated_items_all_count_once():
    twice = replace(default_convention("recall", 2), duplicates="twice")
    assert computed(twice, DATA) == computed(default_convention("recall", 2), DATA)


def test_an_empty_list_counts_0_where_programs_list_it():
    truth, lists = {"p": {"a": 1}, "q": {"a": 1}}, {"p": {"a": 1.0}, "q": {}}
    for data in (from_lists(truth, lists), from_pytrec_eval(truth, lists)):
        assert like("trec_eval", "map")(data) == 0.5
        assert like("trec_eval", "map")(data[0], data[1]) == 1
        assert like("trec_eval 10", "map")(data) == 1
    without = from_lists(truth, {"p": {"a": 1.0}})
    assert like("trec_eval", "map")(without) == 1


MEASURES = [(each, name) for each, program in programs().items() for name in program.measures]


@pytest.mark.parametrize(("program", "measure"), MEASURES)
def test_nothing_retrieved_for_any_query_scores_as_little_as_for_one(program, measure):
    """Each query has the score that it has beside one with a list."""
    truth = {"a": {"x": 1, "y": 1}, "b": {"y": 1}, "c": {"x": 1, "y": 0}}
    try:
        score = like(program, measure)
    except ValueError:  # it needs a cutoff
        score = like(program, measure, k=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        alone = from_pytrec_eval({key: truth[key] for key in "ab"}, {"a": {}, "b": {}})
        beside = from_pytrec_eval(truth, {"a": {}, "b": {}, "c": {"x": 2.0, "y": 1.0}})
        found, expected = score(alone, average=None), score(beside, average=None)[:2]
    np.testing.assert_array_equal(found, expected)


def test_nothing_retrieved_for_any_query_counts_0_in_trec_eval():
    truth, lists = {"a": {"x": 1, "y": 2}, "b": {"y": 1}}, {"a": {}, "b": {}}
    for name in ("bpref", "set_map", "num_nonrel_judged_ret", "utility"):
        assert like("trec_eval", name)(from_pytrec_eval(truth, lists)) == 0


def test_a_number_with_an_empty_list_is_explained():
    data = from_lists({"p": ["a"], "q": ["a"]}, {"p": ["b", "a"], "q": []})
    assert like("trec_eval", "map")(data) == 0.25
    ours = explain_difference(data, value="0.25", score="trec_eval:map")
    assert ours.matches[0].steps == ()
    other = explain_difference(data, value="0.5", score="trec_eval:map")
    assert {step.knob for step in other.matches[0].steps} == {"no_predictions"}


def test_a_document_with_the_id_of_its_query_is_dropped():
    truth, lists = {"a": ["a", "b"], "7": ["x"]}, {"a": ["a", "b"], "7": ["7", "x"]}
    data = from_lists(truth, lists)
    assert like("BEIR", "P@1")(data) == 1
    assert like("BEIR", "P@2")(data) == 0.5
    assert like("BEIR", "P@2", ignore_identical_ids=False)(data) == 0.75
    found = explain_difference(data, value=0.5, score="BEIR:P@2;ignore_identical_ids=False")
    assert "items with the id of the query taken out of the list" in repr(found)
    renamed = RankingData(data.y_true, data.y_score, data.query_ids, data.item_ids)
    assert like("BEIR", "P@1")(renamed) == 1


def test_places_of_queries_and_columns_are_no_ids():
    """Query 0 and item 0 have nothing in common here."""
    for data in (from_lists([[0], [0]], [[0, 1], [0, 1]]), from_lists([[0]] * 2, [[0, 1]] * 2)):
        assert like("BEIR", "P@1")(data) == 1
        assert like("BEIR", "P@1")(data._replace()) == 1
        assert like("BEIR", "P@1")(data._replace(query_ids=np.array([0, 1]))) == 0.5
    assert like("BEIR", "P@1")([[1, 0], [1, 0]], [[2, 1], [2, 1]]) == 1


def test_halves_are_rounded_up_if_the_program_does():
    y_true, y_score = [[1, 0, 0, 0, 0, 0, 0, 0]], [[8, 7, 6, 5, 4, 3, 2, 1]]
    assert like("Search Relevance Workbench", "Precision@8")(y_true, y_score) == 0.13
    truth, lists = {"q": {"a": 1, "b": 3, "c": 2}}, {"q": ["a", "b"]}
    data = from_lists(truth, lists)
    ideal = 7 + 3 / np.log2(3) + 1 / 2
    ndcg = (1 + 7 / np.log2(3)) / ideal
    assert like("Search Relevance Workbench", "NDCG@10")(data) == round(ndcg, 2)
    assert like("Search Relevance Workbench", "MAP@10")(data) == 0.67


def test_neighbours_at_the_distance_of_the_last_one_count():
    truth, lists = {"q": ["a", "b", "c"]}, {"q": ["a", "c"]}  # b and c are equally near
    assert like("ann-benchmarks", "k-nn@2")(from_lists(truth, lists)) == 1


def test_the_mean_of_no_query_is_that_of_the_program():
    y_true, y_score = [[0, 0]], [[2, 1]]
    score = like("torchmetrics", "RetrievalMRR", empty_target_action="skip")
    assert score(y_true, y_score) == 0
    assert np.isnan(score(y_true, y_score, average=None)).all()
    assert score([[0, 1]], [[2, 1]]) == 0.5
    found = explain_difference(y_true, y_score, value=0.0, score=score)
    assert found.matches[0].steps == ()


@pytest.mark.parametrize("other", [{"c": -1}, {"f": -1}, {"c": -2, "f": -1}])
def test_a_label_below_0_is_no_judgment_in_bpref_of_trec_eval(other):
    qrel, run = {"q": {"a": 1, "b": 0, "e": 2}}, {"q": {"b": 5.0, "c": 4.0, "a": 3.0, "e": 2.0}}
    bpref = like("trec_eval", "bpref")
    others = {"q": qrel["q"] | other}
    assert bpref(from_pytrec_eval(others, run)) == bpref(from_pytrec_eval(qrel, run)) == 0


def test_all_items_of_arrays_are_judged_in_bpref():
    y_true, y_score = [[0, 1, 0, 1]], [[4, 3, 2, 1]]
    assert like("trec_eval", "bpref")(y_true, y_score) == rs.bpref_score(y_true, y_score) == 1 / 4
