"""The conventions of other programs, against the answers that they gave."""

from __future__ import annotations

import json
import math
import re
import tomllib
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cache
from math import log2
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from raising import raises
from scipy.sparse import csr_array
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import dcg_score as sklearn_dcg

from ranking_scores import dcg_score, from_lists, ranking_report
from ranking_scores._metrics import _programs
from ranking_scores._metrics._measure import Convention, default_convention
from ranking_scores._metrics._named import find_score
from ranking_scores._metrics._programs import ProgramScore, find_convention, find_program, programs
from ranking_scores._queries._data import DataByIds, ItemOrder, RetrievedColumns
from ranking_scores.conventions import like
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.explain._words import knob_in_words

DATA = Path(__file__).parents[1] / "data" / "programs"
CASES = json.loads((DATA / "cases.json").read_text())
MEASURES: dict[str, dict[str, Any]] = json.loads((DATA / "measures.json").read_text())
"""For each program and each recorded measure, the measure here, its options and the labels that
the program was given (as they are, if nothing is said), or why it is not here."""
SPECIAL = json.loads((DATA / "special.json").read_text())
"""Questions that the cases do not ask, with the answers of programs."""

FLOAT64, FLOAT32 = 1e-12, 3e-7
ROUNDED_5, ROUNDED_4 = 0.5001e-5, 0.5001e-4
TOLERANCE = {
    "BEIR": ROUNDED_5,
    "FlagEmbedding": ROUNDED_5,
    "LibRecommender": FLOAT32,
    "WarpRec": FLOAT32,
    "allRank": FLOAT32,
    "keras_rs": FLOAT32,
    "mteb": ROUNDED_5,
    "pytorch-ignite": FLOAT32,
    "pytorchltr": FLOAT32,
    "rax": FLOAT32,
    "tensorflow-ranking": FLOAT32,
    "torch-rechub": ROUNDED_4,
    "torcheval": FLOAT32,
    "torchmetrics": FLOAT32,
    "torchrec": FLOAT32,
    "trec_eval 10": ROUNDED_4,
}
"""The difference that is allowed, to values that are at most 1 or relative to those above 1. It is
the precision of the program, and 1e-12 for the programs that are not here."""


class Exempt(NamedTuple):
    """Answers that differ from ours, and why."""

    program: str
    measure: str
    """A regular expression for recorded measures."""
    cases: str
    """A regular expression for cases."""
    queries: str
    """Those that are "tied" (with equal scores), "absent" (NaN or nothing was the answer), those
    whose answer was an error, by its name, "unretrieved" (no relevant item was), the "mean", or
    "all" of these."""
    reason: str


_ALONE = "The mean counts it as we do, and only when it is asked alone the answer is another one."
_RANDOM = "The order of equal scores is random."
_UNDEFINED = (
    "The order of equal scores is undefined, and changes with the other queries of a call."
)
_SHORT = "A list that is shorter than the cutoff is an error."
_GRADED = "graded|ties|empty|short|signs_graded|ids|float32|mixed"
_TIED = "ties.*|mixed.*|ids|float32"
EXEMPT = [
    Exempt("CatBoost", "(PFound|ERR)[^,]*", _GRADED, "all", "Grades above 1 are no chances."),
    Exempt("CrossEncoderRerankingEvaluator", ".*", ".*", "ValueError", "So is a list of one."),
    Exempt("CrossEncoderRerankingEvaluator", "mrr.*", ".*", "tied", _UNDEFINED),
    Exempt("Spark", ".*", ".*", "PySparkValueError", _ALONE),
    Exempt("XGBoost", ".*grades", ".*", "XGBoostError", "Grades above 1 are refused."),
    Exempt("WarpRec", ".*", ".*", "tied", _UNDEFINED),
    Exempt("allRank", "mrr.*", _GRADED, "all", "It finds the first of the highest grade."),
    Exempt("evidently", ".*", ".*", "KeyError", "The table of ranks ends before k."),
    Exempt("evidently", ".*", ".*", "tied", "Equal scores share a rank."),
    Exempt("implicit", ".*", ".*", "ZeroDivisionError", "Its AUC needs an irrelevant document."),
    Exempt("keras_rs", ".*", ".*", "tied", _RANDOM),
    Exempt("pytorch-ignite", "HitRate.*", ".*", "RuntimeError", _SHORT),
    Exempt("pytorch-ignite", "HitRate.*", ".*", "tied", _UNDEFINED),
    Exempt("pytorchltr", ".*", ".*", "tied", _RANDOM),
    Exempt("pyvespa", "ndcg.*grades.*", ".*", "all", "Grades of 0 make a query that counts 0."),
    Exempt("ranking-metrics-torch", ".*", ".*", "RuntimeError", _SHORT),
    Exempt("ranking-metrics-torch", ".*", ".*", "tied", _UNDEFINED),
    Exempt("ranx", "[^,]*", ".*", "ValueError", "Without make_comparable it is an error."),
    Exempt("recommenders", "ndcg_at_k.*", "duplicates", "all", "An item twice counts four times."),
    Exempt("recommenders", ".*", ".*", "unretrieved", _ALONE),
    Exempt("recpack", ".*", ".*", "tied", _UNDEFINED),
    Exempt("scikit-learn", ".*ignore_ties=True", ".*", "tied", _UNDEFINED),
    Exempt("scikit-learn", ".*dcg_score.*", ".*", "ValueError", "One document is an error."),
    Exempt("scikit-learn", "(label_ranking_l|cov|top).*", ".*", "ValueError", "So it is there."),
    Exempt("tensorflow-ranking", ".*", ".*", "tied", _RANDOM),
    Exempt("torch-rechub", ".*", ".*", "IndexError", _SHORT),
    Exempt("torcheval", "(retrieval_p|RetrievalP).*", ".*", "tied", _UNDEFINED),
    Exempt("torchmetrics", "Retrieval(MAP|MRR|Precision).*", ".*", "tied", _UNDEFINED),
    Exempt("torchmetrics", "Retrieval(Rec|Hit|RP).*", _TIED, "mean", _UNDEFINED),
    Exempt("torchmetrics", "RetrievalAUROC, top_k=[0-9]+", ".*", "tied", _UNDEFINED),
    Exempt("torchmetrics", "RetrievalFallOut, .*", _TIED, "mean", _UNDEFINED),
    Exempt("torchmetrics", "RetrievalFallOut.*skip'", "empty|short|mixed.*", "all", _ALONE),
    Exempt("torchmetrics", ".*skip'", ".*", "unretrieved", _ALONE),
    Exempt("torchrec", ".*", _TIED, "mean", _UNDEFINED),
    Exempt("trec_eval 10", "rbp.*", _GRADED, "all", "Grades are divided by the highest one."),
    Exempt("trectools", ".*", ".*", "absent", "It counts, but is not in the table of queries."),
]


@dataclass
class Given(DataByIds):
    """What `ProgramScore` takes from joined judgments and predictions."""

    queries: list[str]
    y_true: csr_array
    y_score: csr_array
    order: ItemOrder
    query_ids: Any = None

    def first_items(self, depth: int) -> None:
        """Return nothing, since only columns are there."""

    def in_columns(self) -> RetrievedColumns:
        """Return the arguments as the scores take them."""
        return RetrievedColumns(self.y_true, self.y_score, self.order)


def first_relevant(case: dict[str, Any], query: str) -> dict[str, float]:
    """Return the first relevant document of a list, or the first one if none is, with label 1."""
    judged, listed = case["qrels"].get(query, {}), [doc for doc, _ in case["run"].get(query, [])]
    relevant = [doc for doc in listed if judged.get(doc, 0) > 0]
    return dict.fromkeys((relevant or listed)[:1], 1.0)


LABELS = {
    "as they are": lambda case, query: case["qrels"].get(query, {}),
    "0 and 1": lambda case, query: {
        doc: float(grade > 0) for doc, grade in case["qrels"].get(query, {}).items()
    },
    "relevant alone": lambda case, query: {
        doc: grade for doc, grade in case["qrels"].get(query, {}).items() if grade > 0
    },
    "divided by 4": lambda case, query: {
        doc: grade / 4 for doc, grade in case["qrels"].get(query, {}).items()
    },
    "first relevant": first_relevant,
}


@cache
def given(name: str, labels: str) -> Given:
    """Return a case, with all queries and items, both in the order of their names."""
    case = CASES[name]
    if name == "duplicates":  # of lists, in which all scores differ
        judged = {query: LABELS[labels](case, query) for query in case["qrels"]}
        lists = {query: [doc for doc, _ in row] for query, row in case["run"].items()}
        joined = from_lists(judged, lists, queries="all", duplicates="hold")
        return Given([*joined.query_ids], *joined.in_columns())
    queries = sorted(case["qrels"].keys() | case["run"].keys())
    predicted = {doc for row in case["run"].values() for doc, _ in row}
    items = sorted(predicted | {doc for row in case["qrels"].values() for doc in row})
    column = {item: place for place, item in enumerate(items)}
    judged = [
        sorted((column[d], g, 0) for d, g in LABELS[labels](case, q).items()) for q in queries
    ]
    ranked = [
        sorted((column[d], s, place) for place, (d, s) in enumerate(case["run"].get(q, [])))
        for q in queries
    ]

    def sparse(rows: list[list[tuple[int, float, int]]]) -> csr_array:
        start = np.cumsum([0, *map(len, rows)])
        values = np.array([value for row in rows for _, value, _ in row], dtype=np.float64)
        columns = np.array([column for row in rows for column, _, _ in row])
        return csr_array((values, columns, start), shape=(len(rows), len(items)))

    place = np.array([place for row in ranked for _, _, place in row])
    order = ItemOrder(np.array(items, dtype=object), place, None)
    return Given(queries, sparse(judged), sparse(ranked), order)


@cache
def kinds(name: str) -> dict[str, NDArray[np.bool_]]:
    """Return which queries of a case are tied, and of which no relevant item was retrieved."""
    case, queries = CASES[name], given(name, "as they are").queries
    rows = [case["run"].get(query, []) for query in queries]
    judged = [case["qrels"].get(query, {}) for query in queries]
    found = zip(judged, rows, strict=True)
    return {
        "tied": np.array([len({np.float32(s) for _, s in row}) < len(row) for row in rows]),
        "unretrieved": np.array(
            [not any(labels.get(doc, 0) > 0 for doc, _ in row) for labels, row in found]
        ),
        "all": np.ones(len(queries), dtype=bool),
    }


@cache
def answers(program: str) -> dict[str, Any]:
    """Return what was recorded of a program."""
    return json.loads((DATA / "answers" / f"{program}.json").read_text())


@dataclass(frozen=True)
class Difference:
    """An answer that is not our value."""

    program: str
    measure: str
    case: str
    query: str
    theirs: Any
    ours: float
    kinds: frozenset[str]


def number(answer: Any) -> float:
    """Return an answer as a float, NaN if there is none."""
    if isinstance(answer, str) and answer in ("inf", "-inf"):
        return float(answer)
    return float(answer) if isinstance(answer, int | float) else float("nan")


def convention_of(program: str, here: list[Any]) -> ProgramScore:
    """Return the score for a measure as measures.json has it."""
    return ProgramScore(*find_convention(find_program(program, "f"), here[0], here[1], "f"))


@cache
def differences(program: str, measure: str, case: str) -> tuple[Difference, ...]:
    """Return the answers of a measure of a program to a case that differ from our values."""
    here = MEASURES[program][measure]
    if isinstance(here, str):
        return ()
    answer = answers(program)["measures"][measure][case]
    # Programs with random ties have drawn several times; without ties all are the same.
    draws = answer.get("draws") or [answer]
    tolerance = TOLERANCE.get(program, FLOAT64)
    if measure.startswith("ndcg_float_at"):  # each answer is rounded
        tolerance = ROUNDED_5
    score = convention_of(program, here)
    return tuple(compare(program, measure, case, score, here, draws[0], tolerance))


@cache
def values_and_mean(
    convention: Convention, case: str, labels: str
) -> tuple[NDArray[np.float64], float] | InvalidParameterError:
    """Return our values of a case and their mean, or the error. Programs share conventions."""
    score, data = ProgramScore("a program", convention), given(case, labels)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)  # all queries are left out
            warnings.filterwarnings("ignore", ".* does not define the order of equal scores")
            return score(data, average=None), float(score(data))
    except InvalidParameterError as error:
        return error


def compare(
    program: str,
    measure: str,
    case: str,
    score: ProgramScore,
    here: list[Any],
    answer: dict[str, Any],
    tolerance: float,
) -> Iterator[Difference]:
    """Yield the values of the queries of a case that differ, and the mean."""
    labels = here[2] if len(here) > 2 else "as they are"
    found_here = values_and_mean(score.convention, case, labels)
    if isinstance(found_here, InvalidParameterError):
        yield Difference(program, measure, case, "", str(found_here), np.nan, frozenset({"all"}))
        return
    (ours, mean), data, of_kind = found_here, given(case, labels), kinds(case)
    recorded = answer.get("per_query", {})  # all queries may be left out
    theirs = np.array([number(recorded.get(query)) for query in data.queries])
    allowed = tolerance * np.maximum(1, np.abs(np.nan_to_num(theirs)))
    is_same = (np.abs(theirs - ours) <= allowed) | (np.isnan(theirs) & np.isnan(ours))
    for place in np.flatnonzero(~is_same):
        query = data.queries[place]
        found = {kind for kind, holds in of_kind.items() if holds[place]}
        if np.isnan(theirs[place]):
            error = re.match(r"error: (\w+)", str(recorded.get(query)))
            found.add(error[1] if error else "absent")
        yield Difference(
            program, measure, case, query, recorded.get(query), ours[place], frozenset(found)
        )
    their_mean = number(answer.get("mean"))
    if np.isnan(their_mean):  # it is an error, or the program has none
        return
    if score.convention.digits_of_mean is not None:
        tolerance = FLOAT64  # both are rounded
    if not abs(their_mean - mean) <= tolerance * max(1, abs(their_mean)):
        found = {"mean", "all"} | ({"tied"} if of_kind["tied"].any() else set())
        yield Difference(program, measure, case, "mean", their_mean, mean, frozenset(found))


def is_exempt(difference: Difference, exempt: Exempt) -> bool:
    """Return whether a difference is one of those in the table."""
    return (
        exempt.program == difference.program
        and exempt.queries in difference.kinds
        and re.fullmatch(exempt.measure, difference.measure) is not None
        and re.fullmatch(exempt.cases, difference.case) is not None
    )


def found_differences(program: str) -> list[Difference]:
    """Return all answers of a program that differ from our values."""
    measures = answers(program)["measures"]
    return [
        each
        for measure, by_case in measures.items()
        for case in by_case
        for each in differences(program, measure, case)
    ]


ANSWERED = [path.stem for path in sorted((DATA / "answers").glob("*.json"))]
RUN = [name for name in ANSWERED if answers(name)["how"] == "run"]
OF_NDEVAL = {"ERR_IA", "nERR_IA", "P_IA", "AP_IA", "StRecall", "alpha_nDCG", "alpha_DCG"}
OF_OTHERS = {"ERR", "MAP_IA", "NumRelRet"}
NOT_RECORDED = {"nAUC", "AdjustedArithmeticMeanRank", "NRBP", "nNRBP", *OF_NDEVAL, *OF_OTHERS}
"""The measures without a convention that no program was asked for."""
WHY_NOT = {"no convention", "sum", "set", "geometric mean", "bug", "error"}
"""The reasons for which a recorded measure is not here."""


@pytest.mark.parametrize("program", RUN)
def test_values_are_those_of_the_program(program: str) -> None:
    table = [each for each in EXEMPT if each.program == program]
    assert not [
        each
        for each in found_differences(program)
        if not any(is_exempt(each, exempt) for exempt in table)
    ]


@pytest.mark.long
@pytest.mark.parametrize("exempt", EXEMPT, ids=lambda each: f"{each.program} {each.queries}")
def test_exemptions_are_needed(exempt: Exempt) -> None:
    assert any(is_exempt(each, exempt) for each in found_differences(exempt.program))


def test_tolerances_are_of_programs() -> None:
    assert TOLERANCE.keys() <= set(RUN)


def test_every_recorded_measure_is_known() -> None:
    assert list(MEASURES) == sorted(ANSWERED)
    for program, measures in MEASURES.items():
        assert list(measures) == list(answers(program)["measures"]), program
        assert {each for each in measures.values() if isinstance(each, str)} <= WHY_NOT, program


def has_bug(name: str, bug: str) -> bool:
    """Return whether a recorded measure begins with the name of a bug, or has it as an option."""
    return name.startswith(bug) or f"({bug}=" in name


def test_bugs_are_those_of_recorded_measures() -> None:
    for recorded, measures in MEASURES.items():
        with_bug = [name for name, here in measures.items() if here == "bug"]
        program = find_program(recorded, "f")
        found = {bug for name in with_bug for bug in program.bugs if has_bug(name, bug)}
        assert found == program.bugs.keys() - NOT_RECORDED, recorded
        for name in with_bug:
            assert any(has_bug(name, bug) for bug in program.bugs), recorded


def test_every_measure_and_option_was_asked() -> None:
    """Each measure was asked, and each option of a program in at least one measure."""
    asked: dict[str, set[Any]] = {program: set() for program in programs()}
    for recorded, measures in MEASURES.items():
        for here in measures.values():
            if not isinstance(here, str):
                of_program = asked[find_program(recorded, "f").name]
                of_program.add(here[0])
                of_program.update((option, str(value)) for option, value in here[1].items())
                of_program.update((option, None) for option in here[1])
    for name, program in SPECIAL.items():
        for each in program["asked"]:
            asked[name].update((option, str(value)) for option, value in each["options"].items())
    for program in programs().values():
        if program.how == "read":
            continue
        for measure in program.measures.values():
            options = {
                # An option that takes any value was asked with one; a value that sets nothing is
                # the default, and was asked without the option.
                (option, value)
                for option, sets in measure.options.items()
                for value in ([None] if isinstance(sets, str) else [v for v in sets if sets[v]])
            }
            assert not {measure.name, *options} - asked[program.name], program.name


def test_programs_that_were_read_have_conventions() -> None:
    for program in set(ANSWERED) - set(RUN):
        for here in MEASURES[program].values():
            if not isinstance(here, str):
                assert convention_of(program, here).convention.metric, here


def test_rows_repeat_no_default() -> None:
    text = (Path(_programs.__file__).parent / "programs.toml").read_text("utf-8")
    knobs = {each.name for each in fields(Convention)}
    for program in tomllib.loads(text)["program"]:
        shared = {name: value for name, value in program.items() if name in knobs}
        for measure in program["measure"]:
            default = default_convention(measure["metric"])
            assert all(
                measure[name] != getattr(replace(default, **shared), name)
                for name in measure.keys() & knobs - {"metric"}
            ), (program["name"], measure)


def test_names_are_of_one_program() -> None:
    names = [name for each in programs().values() for name in (each.name, *each.other_names)]
    plain = [_programs._plain(name) for name in names]
    assert len({*plain}) == len(plain)


def test_every_program_says_what_a_reader_must_know() -> None:
    for program in programs().values():
        assert program.about.endswith("."), program.name
        assert program.source.startswith("https://"), program.name
        assert program.version, program.name


def refused(program: Any, measure: Any, **options: Any) -> str:
    """Return the message of the error about a program or its measure."""
    with pytest.raises(InvalidParameterError) as error:
        find_convention(find_program(program, "f"), measure, options, "f")
    return str(error.value)


def test_names_are_read_in_any_case() -> None:
    assert find_program("PyTrec_Eval", "f").name == "trec_eval"
    assert find_program("sentence transformers", "f").name == "sentence-transformers"


def test_unknown_program_is_refused_with_a_suggestion() -> None:
    assert "Did you mean 'LightGBM'?" in refused("lightgmb", "ndcg@5")
    assert "must be one of" in refused(None, "ndcg@5")


def test_unknown_measure_is_refused_with_a_suggestion() -> None:
    assert "Did you mean 'ndcg_cut@5'" in refused("trec_eval", "ndcg_cuts@5")
    assert "the name of a measure of trec_eval" in refused("trec_eval", 5)


def test_bug_is_refused_with_its_reason() -> None:
    assert "4/3" in refused("Evidently", "PrecisionTopK@3")
    assert "the order of the queries" in refused("ranx", "bpref")


def test_cutoffs_are_checked() -> None:
    assert "'ndcg_cut@10'" in refused("trec_eval", "ndcg_cut")
    assert "'measure' parameter of f must be without a cutoff for 'map', which has none" in (
        refused("trec_eval", "map@5")
    )
    assert "Did you mean 'map_cut@5'?" in refused("trec_eval", "map", k=5)
    assert refused("trec_eval", "recip_rank", k=5).endswith("which has no cutoff. Got 5 instead.")
    assert "left out beside 'P@5'" in refused("trec_eval", "P@5", k=5)
    assert "one int" in refused("trec_eval", "P", k=[5, 10])
    assert "given for 'P', which needs it" in refused("trec_eval", "P", k=None)


@pytest.mark.parametrize("measure", ["P@5", "P_5", "P.5", "P_at_5"])
def test_cutoffs_are_behind_any_sign(measure: str) -> None:
    name, convention = find_convention(find_program("trec_eval", "f"), measure, {}, "f")
    assert (name, convention.k) == ("trec_eval:P@5", 5)


def test_digits_alone_are_no_cutoff() -> None:
    assert "a measure of trec_eval: ndcg, ndcg_cut" in refused("trec_eval", "ndcg5")


def test_capitals_are_corrected() -> None:
    assert "Did you mean 'ndcg@5'" in refused("ranx", "NDCG@5")


def test_a_label_of_0_is_never_relevant() -> None:
    for value in (0, -1, float("nan")):
        assert "relevance_level" in refused("trec_eval", "map", relevance_level=value)
    assert "a label of 0 is not relevant" in refused("trec_eval", "map", relevance_level=0)
    assert "a label of 0 is not relevant" in refused("CatBoost", "MAP", border=-0.5)


def test_options_check_their_numbers() -> None:
    assert "a number from 0 to 1" in refused("CatBoost", "PFound", decay=1.5)
    assert "a finite number" in refused("RecTools", "F1Beta@5", beta=float("inf"))
    assert "a number" in refused("RecTools", "F1Beta@5", beta="2")


def test_options_that_divide_are_above_0() -> None:
    assert "a number above 0" in refused("ir_measures", "SDCG@5", max_rel=0)
    assert "a number of at least 0" in refused("ir_measures", "SetF", beta=-1)


def test_measures_without_a_convention_are_refused_with_the_reason() -> None:
    assert "any later rank" in refused("trec_eval", "iprec_at_recall")
    assert "the other queries" in refused("BEIR", "Hole@5")
    assert "equal labels" in refused("XGBoost", "auc")


def test_options_without_a_convention_are_refused_with_the_reason() -> None:
    assert "(1 + 1/3) / 2" in refused("LlamaIndex", "MRR", use_granular_mrr=True)
    assert "(1 + 1/3) / 2" in refused("LlamaIndex", "MRR(use_granular_mrr=True)")


def test_options_are_checked() -> None:
    assert "whose options are: judged_docs_only_flag" in refused("trec_eval", "ndcg", rel=1)
    assert "one of Base, Exp" in refused("CatBoost", "NDCG", type="Log")
    assert "'border' parameter of f must be a number" in refused("CatBoost", "MAP", border="1")


def test_options_are_in_the_name() -> None:
    program = find_program("CatBoost", "f")
    name, convention = find_convention(program, "NDCG@5", {"type": "Exp"}, "f")
    assert name == "CatBoost:NDCG@5;type=Exp"
    assert convention.gain == "exponential"


def test_label_at_the_border_is_not_above_it() -> None:
    program = find_program("CatBoost", "f")
    _, convention = find_convention(program, "PrecisionAt@5", {"border": 1.5}, "f")
    assert convention.threshold == np.nextafter(1.5, 2)


def test_some_knobs_depend_on_whether_there_is_a_cutoff() -> None:
    program = find_program("ir_measures", "f")
    assert find_convention(program, "RR", {}, "f")[1].ties == "id descending"
    assert find_convention(program, "RR@10", {}, "f")[1].ties == "id ascending"


def test_chances_must_be_probabilities() -> None:
    score = convention_of("CatBoost", ["PFound", {}])
    with pytest.raises(InvalidParameterError, match=r"probabilities from 0 to 1. Got the label 2"):
        score([[0, 2]], [[1.0, 2.0]])


@pytest.mark.parametrize(
    ("program", "question"),
    [(name, each) for name, program in SPECIAL.items() for each in program["asked"]],
    ids=[
        f"{name}-{each['measure']}-{each['about']}-{number}"
        for name, program in SPECIAL.items()
        for number, each in enumerate(program["asked"])
    ],
)
def test_special_data_are_read_as_by_the_program(program: str, question: dict[str, Any]) -> None:
    qrels, run = question["qrels"], question["run"]
    if question["about"] == "ids that are numbers":
        qrels, run = (
            {
                query: {int(item): value for item, value in row.items()}
                for query, row in each.items()
            }
            for each in (qrels, run)
        )
    score = like(program, question["measure"], **question["options"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedMetricWarning)
        mean = score(from_lists(qrels, run))
    recorded = find_program(program, "f").version
    assert SPECIAL[program]["version"] in recorded
    assert mean == pytest.approx(question["answer"], abs=FLOAT32)


@pytest.mark.parametrize(
    ("program", "spelled", "measure", "options"),
    [
        ("XGBoost", "ndcg@5-", "ndcg-", {"k": 5}),
        ("XGBoost", "map@3-", "map-", {"k": 3}),
        ("ranx", "map@10-l2", "map", {"k": 10, "rel_lvl": 2}),
        ("ranx", "mrr-l2", "mrr", {"rel_lvl": 2}),
        ("ir_measures", "P(rel=2)@5", "P", {"k": 5, "rel": 2}),
        ("ir_measures", "nDCG(dcg='exp-log2')@5", "nDCG@5", {"dcg": "exp-log2"}),
        ("CatBoost", "NDCG:top=10;type=Exp", "NDCG", {"k": 10, "type": "Exp"}),
        ("CatBoost", "MAP:border=1.5", "MAP", {"border": 1.5}),
        ("CatBoost", "MAP:use_weights=false", "MAP", {"use_weights": False}),
        ("CatBoost", "DCG:top=3;use_weights=true", "DCG", {"k": 3, "use_weights": True}),
        ("mteb", "ndcg_at_10", "NDCG", {"k": 10}),
        ("mteb", "precision_at_5", "P", {"k": 5}),
        ("MLflow", "ndcg_at_10", "ndcg_at_k", {"k": 10}),
        ("sentence-transformers", "ndcg_at_10", "ndcg", {"k": 10}),
        ("sentence-transformers", "cosine_ndcg@10", "ndcg", {"k": 10}),
    ],
)
def test_programs_own_spellings_are_read(
    program: str, spelled: str, measure: str, options: dict[str, Any]
) -> None:
    score = like(program, spelled)
    assert score == like(program, measure, **options)
    assert find_score(f"{program}:{spelled}", "f").function.convention == score.convention


def test_spellings_of_other_programs_are_refused() -> None:
    assert "a measure of LightGBM" in refused("LightGBM", "ndcg@5-")
    assert "a measure of trec_eval" in refused("trec_eval", "map-l2")
    assert "'gain' parameter of f must be left out" in refused("ranx", "ndcg(gain=2)@5")


@pytest.mark.parametrize(
    ("program", "measure", "reason"),
    [
        ("BEIR", "hole@10", "depends on the other queries"),
        ("trec_eval", "rndcg", "nDCG is cut at the number of documents"),
        ("ndeval", "ERR_IA@20", "Over aspects it is expected_reciprocal_rank_score"),
        ("ir_measures", "strecall@5", "It is of the aspects of queries"),
        ("ir_measures", "IPrec@0.5", "Interpolated precision is the highest at any later rank"),
        ("ir_measures", "ERR@20", "`like('gdeval', 'ERR@20')`"),
        ("trec_eval", "NDCG_cut_0", "Did you mean 'ndcg'?"),  # and not ndcg_cut@0
    ],
)
def test_the_reason_against_a_measure_is_known_in_any_spelling(
    program: str, measure: str, reason: str
) -> None:
    assert reason in refused(program, measure)


GRADES, FOUND = [3, 4, 0, 1], [4, 3, 2, 2]


def test_lightgbm_takes_any_table_of_gains() -> None:
    """The numbers are those of LightGBM 4.7.0."""
    gains = [0, 1, 2, 3, 4], [0, 0, 1, 5, 9], [1, 2, 3, 4, 8], [0, 0.5, 1.5, 2, 2]
    for table in gains:
        at = [table[label] for label in GRADES]
        dcg = at[0] + at[1] / log2(3) + at[2] / 2
        ideal = at[1] + at[0] / log2(3) + at[3] / 2
        for given in (table, tuple(table), np.array(table)):
            score = like("LightGBM", "ndcg@3", label_gain=given)
            assert score([GRADES], [FOUND]) == pytest.approx(dcg / ideal, abs=1e-15)
            [again] = ranking_report([GRADES], [FOUND], scores=[score.name], k=None).values()
            assert again == score([GRADES], [FOUND])
    # A query counts 1 if nothing gains. The label 0 may gain, too.
    one = [[1, 0, 1]], [[3, 2, 1]]
    assert like("LightGBM", "ndcg@3", label_gain=[0, 0, 1])(*one) == 1
    nothing = [[0, 0, 0]], [[3, 2, 1]]
    assert like("LightGBM", "ndcg@3", label_gain=[0, 1])(*nothing) == 1
    assert like("LightGBM", "ndcg@1", label_gain=[2, 3])(*one) == 1
    with raises("y_true", "whole numbers from 0 to 3, the labels in the table"):
        like("LightGBM", "ndcg@3", label_gain=[0, 1, 2, 3])([GRADES], [FOUND])


def test_the_ties_of_lightgbm_with_a_table_of_gains() -> None:
    lgb = pytest.importorskip("lightgbm")
    rng = np.random.default_rng(0)
    for table in ([0, 1, 2, 3, 4], [0, 0, 1, 5, 9], [1, 2, 3, 4, 8]):
        labels, scores = rng.integers(0, 5, 7), rng.integers(0, 4, 7).astype(float)
        given = {"objective": "lambdarank", "metric": "ndcg", "eval_at": [3], "verbose": -1}
        given |= {"num_threads": 1, "min_data_in_bin": 1, "min_data_in_leaf": 1}
        given |= {"label_gain": table, "feature_pre_filter": False}
        data = lgb.Dataset(rng.random((7, 1)), labels, group=[7], init_score=scores, params=given)
        [(_, _, expected, _)] = lgb.Booster(given, data).eval_train()
        value = like("LightGBM", "ndcg@3", label_gain=table)([labels], [scores])
        assert value == pytest.approx(expected, abs=1e-12)


def test_options_that_take_any_value_are_not_compared_with_those_recorded() -> None:
    dcg = like("scikit-learn", "dcg_score", log_base=3)([GRADES], [FOUND])
    assert dcg == pytest.approx(dcg_score([GRADES], [FOUND], log_base=3), rel=1e-15)
    assert dcg == pytest.approx(sklearn_dcg([GRADES], [FOUND], log_base=3), rel=1e-15)
    ndcg = like("RecTools", "NDCG@3")([GRADES], [FOUND])
    assert like("RecTools", "NDCG@3", log_base=7)([GRADES], [FOUND]) == ndcg
    azure = like("Azure AI Evaluation", "xdcg@3")([GRADES], [FOUND])
    highest = {"ground_truth_label_max": 10}
    assert like("Azure AI Evaluation", "xdcg@3", **highest)([GRADES], [FOUND]) == azure


@pytest.mark.parametrize(
    ("program", "measure", "option", "expected"),
    [
        ("LightGBM", "ndcg@5", {"label_gain": [0, 2, 1]}, "one for each label from 0 on"),
        ("LightGBM", "ndcg@5", {"label_gain": [-1, 2]}, "that do not fall. Got [-1, 2]"),
        ("LightGBM", "ndcg@5", {"label_gain": [0, math.inf]}, "a list of finite gains"),
        ("LightGBM", "ndcg@5", {"label_gain": []}, "a list of finite gains"),
        ("LightGBM", "ndcg@5", {"label_gain": 3}, "a list of finite gains"),
        ("LightGBM", "ndcg@5", {"label_gain": [0, "a"]}, "'label_gain' parameter of f must be"),
        ("LightGBM", "ndcg@5", {"label_gain": "linear"}, "one of [0, 1, 2, 3]"),
        ("RecTools", "NDCG@5", {"log_base": 1}, "a finite number greater than 1. Got 1"),
        ("Azure AI Evaluation", "xdcg@3", {"ground_truth_label_max": None}, "a number. Got None"),
    ],
)
def test_values_of_options_that_no_program_takes(
    program: str, measure: str, option: dict[str, Any], expected: str
) -> None:
    assert expected in refused(program, measure, **option)


def test_a_repeat_behind_the_cutoff_is_in_no_ideal_of_mlflow() -> None:
    """The numbers are those of MLflow 3.17.2."""
    data = from_lists({"q": ["a"]}, {"q": ["b", "x", "a", "a"]}, duplicates="hold")
    assert like("MLflow", "ndcg_at_k@3")(data) == pytest.approx(0.5, abs=1e-15)
    both = (1 / 2 + 1 / log2(5)) / (1 + 1 / log2(3))
    assert like("MLflow", "ndcg_at_k@4")(data) == pytest.approx(both, abs=1e-15)


def test_a_table_of_gains_in_words() -> None:
    convention = like("LightGBM", "ndcg@3", label_gain=[0, 1, 2.5]).convention
    assert knob_in_words("gain", convention) == "gains 0, 1, 2.5 of the labels from 0 on"


def test_options_are_not_given_twice() -> None:
    assert "left out beside 'P(rel=2)@5'. Got 3" in refused("ir_measures", "P(rel=2)@5", rel=3)


@pytest.mark.parametrize(
    ("program", "measure", "option", "advice"),
    [
        ("torchmetrics", "RetrievalMAP", {"top_k": 10}, "Pass k=10."),
        ("LightGBM", "ndcg", {"eval_at": [5, 10]}, "Pass k=10 for a cutoff of 10."),
        ("Evidently", "MRR", {"n": 3}, "Pass k=3."),
    ],
)
def test_a_cutoff_in_other_words_is_told_to_be_k(
    program: str, measure: str, option: dict[str, Any], advice: str
) -> None:
    found = find_program(program, "f")
    k = {"k": 5} if found.measures[measure].cutoff == "required" else {}
    message = refused(program, measure, **k, **option)
    assert advice in message
    assert "`k` is the cutoff" in message


@pytest.mark.parametrize(
    ("program", "measure", "advice"),
    [
        ("trec_eval", "mrr", "Did you mean 'recip_rank'?"),
        ("trec_eval", "mrr@10", "Did you mean 'recip_rank'?"),
        ("trec_eval", "NDCG@3", "Did you mean 'ndcg_cut@3' or 'ndcg'?"),
        ("ranx", "NDCG@3", "Did you mean 'ndcg@3'?"),
        ("ranx", "mean_reciprocal_rank", "Did you mean 'mrr'?"),
        ("ranx", "F@5", "Did you mean 'f1@5'?"),
        ("ranx", "Rall@5", ""),
        ("mteb", "recall_any@5", "Did you mean 'HitRate@5'?"),
        ("trec_eval 10", "rbp@0.8", "Did you mean 'rbp(p=0.8)'?"),
        ("LensKit", "map_at_10", "Did you mean 'AveragePrecision@10'?"),
        ("ir_measures", "ERR@10", ""),
        ("LightGBM", "bpref", ""),
        ("ranx", "precison", "Did you mean 'precision'"),
    ],
)
def test_suggestions_are_of_the_same_metric(program: str, measure: str, advice: str) -> None:
    message = refused(program, measure)
    assert advice in message
    assert ("Did you mean" in message) == bool(advice)
