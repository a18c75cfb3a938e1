"""Every form of judgments and runs, with every defect that makes sense for it, in every door.

The law: the right number, or one clear refusal, or the number that is defined with words that say
so. Never another number without a word, and never a status or an exception that is a fault.
"""

from __future__ import annotations

import csv
import importlib.util
import random
import re

import pytest
from forms import cases
from forms.cases import DEFECTS, FailureError, Outcome, broken, call, check
from forms.defects import draw, make_case
from forms.truth import SCORES, TRUTH, Truth
from forms.writers import FORMS, UnfitError, answer_of

from ranking_scores._command import _numbers
from ranking_scores._files import _delimited, _forms, _json_forms, _trec_files
from ranking_scores._tables import _lists_of_ids
from ranking_scores._tables._answers import forms_of_dicts
from ranking_scores._tables._known_names import content
from ranking_scores.testing import expected

SEED = 20_261_129


def cases_of(defect, seed=SEED):
    """Yield a case of each form and door for which a defect makes sense."""
    for form in FORMS.values():
        for door in form.all_doors():
            rng = random.Random(f"{seed}, {defect}, {form.name}, {door}")
            try:
                yield make_case(defect, form, door, rng)
            except UnfitError:
                continue


def failures(some):
    """Return what breaks the law, in lines."""
    found = [(case, broken(case, call(case))) for case in some]
    return "\n".join(f"{case}: {failure}" for case, failure in found if failure)


@pytest.mark.parametrize("defect", DEFECTS)
def test_each_form_keeps_the_law(defect):
    made = list(cases_of(defect))
    assert made, "no form has this defect"
    assert failures(made) == ""


def test_other_truths_keep_the_law():
    drawn = [draw(SEED, index) for index in range(200)]
    assert len({case.defect for case in drawn}) > 50
    assert failures(drawn) == ""


# --- the tables of forms ------------------------------------------------------------------------


def test_each_row_of_files_has_a_writer():
    written = {
        _forms.form_of(form.path("gold")) for form in FORMS.values() if "command" in form.doors
    }
    unwritten = {_forms.HEADED}  # which any name may have
    if importlib.util.find_spec("pyarrow") is None:
        unwritten.add(_forms.PARQUET)
    assert written == {*_forms.FORMS} - unwritten


def test_each_row_of_json_has_a_writer_and_what_was_read_is_always_said():
    said = []
    for case in cases_of("nothing"):
        if case.door == "command":
            words = call(case).words
            assert all(path in words for path in case.arguments), f"{case}: {words!r}"
            said.append(words)
    wrapped = [call(case).words for case in cases_of("wrapped") if case.door == "command"]
    everything = "\n".join(said + wrapped)
    for row in _json_forms.FORMS:
        assert row.name in everything


@pytest.mark.parametrize("row", content()["answer"], ids=lambda row: row["name"])
def test_each_row_of_answers_has_a_writer(row):
    answer = answer_of({"a": 1.0}, "score", row)
    known = [form for form in forms_of_dicts() if form.source == row["source"]]
    assert any(form.fits(answer) for form in known) or isinstance(answer, list)
    assert any(form.answer is row for form in FORMS.values())


# --- the proof itself ---------------------------------------------------------------------------


def test_the_right_numbers_are_those_of_the_definitions():
    for query, labels in TRUTH.judged.items():
        scores = TRUTH.found[query]
        items = list(dict.fromkeys([*scores, *labels]))
        own = Truth({query: labels}, {query: scores}).means()
        for name in SCORES:
            score, _, k = name.partition("@")
            value = expected(
                score,
                [labels.get(item, 0) for item in items],
                [scores.get(item) for item in items],
                **({"k": int(k)} if k else {}),
            )
            assert own[name] == pytest.approx(float(value), abs=1e-15)


RIGHT = TRUTH.means()
WRONG = {name: value / 2 for name, value in RIGHT.items()}


@pytest.mark.parametrize(
    ("outcome", "failure"),
    [
        (Outcome(RIGHT), ""),
        (Outcome(WRONG), "^NUMBER .*, not mrr"),
        (Outcome(WRONG, "some words"), "^NUMBER .*, not mrr"),
        (Outcome(refusal="no"), "^REFUSED no"),
        (Outcome(fault="status 3"), "^FAULT status 3"),
    ],
)
def test_what_breaks_the_law_is_found(outcome, failure):
    form = FORMS["CSV, labels"]
    case = make_case("nothing", form, "command", random.Random(0))
    case.forms = form, FORMS["CSV, scores"]
    assert re.search(failure or "^$", broken(case, outcome))


def test_a_defined_number_needs_words():
    case = make_case("nothing", FORMS["CSV, scores"], "command", random.Random(0))
    case.has_right = False
    case.forms = FORMS["CSV, labels"], FORMS["CSV, scores"]
    case.define(TRUTH, "left out")
    assert broken(case, Outcome(RIGHT, "q1 was left out")) == ""
    assert "without words like 'left out'" in broken(case, Outcome(RIGHT, "nothing"))


def read_as_csv(lines, separator):
    """Return the rows of TSV with the quotes of CSV."""
    return csv.reader(lines, delimiter=separator)


@pytest.mark.parametrize(
    ("defect", "module", "name", "planted"),
    [
        ("quotes_without_quoting", _delimited, "_rows_in", read_as_csv),
        ("no_ids_of_queries_in_either_file", _numbers, "_check_numbered", lambda *_: None),
        (
            "some_lists_without_scores",
            _lists_of_ids,
            "_by_own_form",
            lambda score, position, _: position.tolist(),
        ),
        ("a_mark_inside", _trec_files, "has_mark", lambda _: False),
    ],
)
def test_a_planted_fault_is_found(monkeypatch, defect, module, name, planted):
    assert failures(cases_of(defect)) == ""
    monkeypatch.setattr(module, name, planted)
    assert "NUMBER" in failures(cases_of(defect))


@pytest.mark.parametrize("planted", [lambda _: 1 / 0, lambda _: 2, lambda _: 1])
def test_a_fault_of_the_command_is_found(monkeypatch, planted):
    monkeypatch.setattr(cases, "main", planted)
    case = make_case("no_run", FORMS["CSV, scores"], "command", random.Random(0))
    with pytest.raises(FailureError, match="FAULT"):
        check(case)


def test_a_draw_is_the_same_alone():
    of_many = [str(draw(SEED, index)) for index in range(20)]
    assert str(draw(SEED, 13)) == of_many[13]
