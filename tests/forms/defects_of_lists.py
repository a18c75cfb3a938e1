"""What is wrong or unusual about lists of items: how they are put together, and what they have."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from .cases import LABELS, ON_ONE_SIDE, RUN, Case, defect, need
from .writers import FIELD, MISSING, Lists, answer_of


def _in_records(case: Case) -> Lists:
    """Return the lists, if they are in records."""
    lists = case.lists()
    need(lists.shape in ("records", "lines"))
    return lists


@defect("content", "right")
def wrapped(case: Case) -> None:
    _in_records(case).shape = "wrapped"


@defect("content", "right")
def both_wrapped(case: Case) -> None:
    for content in case.contents:
        need(isinstance(content, Lists) and content.shape in ("records", "lines"))
        content.shape = "wrapped"


@defect("content", "right")
def wrapped_beside_other_fields(case: Case) -> None:
    lists = _in_records(case)
    lists.shape, lists.wrapper = "wrapped", case.rng.choice(["data", "results", "examples"])
    lists.beside = {"version": 2, "name": "x", "settings": {"k": 10}, "tags": ["a", "b"]}


@defect("content", "right or refused")
def wrapped_beside_other_records(case: Case) -> None:
    lists = _in_records(case)
    lists.shape = "wrapped"
    lists.beside = {"authors": [{"name": "x"}]}


@defect("content", "right or refused")
def wrapped_by_query(case: Case) -> None:
    lists = case.lists()
    need(lists.shape == "by query")
    lists.shape, lists.wrapper = "wrapped by query", case.rng.choice(["data", "qrels", "relevant"])


@defect("content", "right or refused")
def as_columns_of_pandas(case: Case) -> None:
    _in_records(case).shape = case.rng.choice(["JSON columns", "JSON by index", "JSON split"])


@defect("truth", "right")
def one_bare_record(case: Case) -> None:
    need(case.form.name.split(", ")[1:2] in (["records"], ["lines"]))
    case.meant = case.written = case.written.one_query()
    case.later = _unwrap


def _unwrap(case: Case) -> None:
    _in_records(case).shape = "one record"


@defect("content", "right")
def fields_passed(case: Case) -> None:
    """The fields have other names, which the caller passes."""
    names = {"label": "gold", "score": "pred"}
    for content, form in zip(case.contents, case.forms, strict=True):
        need(isinstance(content, Lists) and content.shape in ("records", "lines"))
        content.name, content.query = names[form.kind], "question_nr"
        case.named |= {FIELD[form.kind]: names[form.kind], "query": "question_nr"}


@defect("truth", "right")
def one_bare_record_with_fields_passed(case: Case) -> None:
    one_bare_record(case)

    def later(case: Case) -> None:
        fields_passed(case)
        for content in case.contents:
            content.shape = "one record"

    case.later = later


@defect("content", "right or refused")
def a_field_renamed(case: Case) -> None:
    _in_records(case).name = "stuff"


@defect("content", "refused")
def a_field_passed_that_is_nowhere(case: Case) -> None:
    _in_records(case)
    need(case.is_command)
    case.named[FIELD[case.form.kind]] = "nowhere"


@defect("content", "right or refused")
def the_field_of_queries_renamed(case: Case) -> None:
    _in_records(case).query = "stuff"


@defect("content", "right")
def the_field_of_queries_is_id(case: Case) -> None:
    _in_records(case).query = "id"


@defect("content", "right or refused")
def a_field_missing_in_a_record(case: Case) -> None:
    lists = _in_records(case)
    query, _ = lists.entries[1]
    lists.entries[1] = query, MISSING
    without = {q: items for q, items in case.values().items() if q != query}
    case.write(without)
    case.has_right = False
    case.define(case.written, f"{ON_ONE_SIDE}|lack|without|missing")


@defect("content", "refused")
def a_query_missing_in_a_record(case: Case) -> None:
    lists = _in_records(case)
    lists.entries[1] = case.rng.choice([MISSING, None]), lists.entries[1][1]


@defect("content", "right or refused")
def no_ids_of_queries_in_either_file(case: Case) -> None:
    """The records of both files are in another order."""
    for content in case.contents:
        need(isinstance(content, Lists) and content.shape in ("records", "lines"))
        content.query = "about"
    case.lists().entries.reverse()


@defect("content", "right")
def some_lists_without_scores(case: Case) -> None:
    """The order of such a list counts."""
    need(case.which == RUN and case.form.holds == "numbers")
    need(case.form.name.startswith(("lists of pairs", "lists of objects")))
    query, entry = case.lists().entries[0]
    ids = [each["id"] if isinstance(each, dict) else each[0] for each in entry]
    case.lists().entries[0] = query, ids
    found = {**case.written.found, query: {item: -rank for rank, item in enumerate(ids)}}
    case.meant = replace(case.meant, found=found)


@defect("content", "refused")
def a_query_twice(case: Case) -> None:
    lists = case.lists()
    need(lists.shape in ("records", "lines") or (lists.shape == "by query"))
    lists.entries.append(lists.entries[0])


def _entry(case: Case, change: Callable[[Any], Any], query: int = 1) -> None:
    """Change what a query has in place of its items."""
    entries = case.lists().entries
    entries[query] = entries[query][0], change(entries[query][1])


@defect("content", "right")
def an_id_in_place_of_the_list_of_judgments(case: Case) -> None:
    need(case.which == LABELS and case.form.name.startswith("lists of ids"))
    need(len(case.lists().entries[1][1]) == 1)
    _entry(case, lambda entry: entry[0])


@defect("content", "refused")
def an_id_in_place_of_a_list_that_was_found(case: Case) -> None:
    need(case.which == RUN)
    lists = case.lists()
    _entry(case, lambda _: "b")
    found = {**case.written.found, lists.entries[1][0]: {"b": 1.0}}
    case.define(replace(case.written, found=found), "")


@defect("content", "refused")
def a_number_in_place_of_a_list(case: Case) -> None:
    _entry(case, lambda _: case.rng.choice([3, 0, 2.5]))


@defect("content", "refused")
def true_in_place_of_a_list(case: Case) -> None:
    _entry(case, lambda _: True)


@defect("content", "refused")
def numbers_in_place_of_all_lists(case: Case) -> None:
    lists = case.lists()
    lists.entries = [(query, number) for number, (query, _) in enumerate(lists.entries)]


@defect("content", "right or refused")
def null_in_place_of_a_list(case: Case) -> None:
    query, _ = case.lists().entries[1]
    _entry(case, lambda _: None)
    case.mean({**case.values(), query: {}})


@defect("content", "refused")
def a_number_among_the_entries(case: Case) -> None:
    need(not case.form.name.startswith("answers"))
    need("numbers by id" not in case.form.name and case.form.name != "lists of MTEB")
    _entry(case, lambda entry: [*entry, 7])
    if "lists of ids" in case.form.name:  # an id that is a number
        case.define(case.written, "")


@defect("content", "refused")
def null_among_the_entries(case: Case) -> None:
    need(isinstance(case.lists().entries[1][1], list))
    _entry(case, lambda entry: [*entry, None])


@defect("content", "refused")
def lists_in_lists(case: Case) -> None:
    need(case.form.name.startswith("lists of ids"))
    lists = case.lists()
    lists.entries = [(query, [entry]) for query, entry in lists.entries]


@defect("content", "refused")
def alternatives_in_lists(case: Case) -> None:
    need(case.form.name.startswith("lists of ids"))
    lists = case.lists()
    lists.entries = [(query, [[each] for each in entry]) for query, entry in lists.entries]


@defect("content", "refused")
def aspects_of_queries(case: Case) -> None:
    """Each query has lists of several aspects, which nobody has asked for."""
    need(case.form.name.startswith("lists of ids"))
    lists = case.lists()
    lists.entries = [(query, {"who": entry, "when": entry[:1]}) for query, entry in lists.entries]


@defect("content", "right or refused")
def an_item_twice_in_a_list(case: Case) -> None:
    entry = case.lists().entries[1][1]
    need(isinstance(entry, list) and entry)
    _entry(case, lambda entry: [*entry, entry[0]])


@defect("content", "right or refused")
def lists_in_the_order_of_something_else(case: Case) -> None:
    """Items with scores are in another order than their scores."""
    need(case.which == RUN and case.form.holds == "numbers")
    for _, entry in case.lists().entries:
        need(isinstance(entry, list))
        entry.reverse()
    case.has_right = False
    case.define(case.written, "order|rise")


@defect("content", "right or refused")
def objects_with_distances(case: Case) -> None:
    """The field of scores has another name, which is passed and known for distances."""
    need(case.which == RUN and case.form.name.startswith("lists of objects"))
    need(case.is_command)
    for _, entry in case.lists().entries:
        for each in entry:
            each["distance"] = 1 - each.pop("score")
    case.named["score"] = "distance"


@defect("content", "right or refused")
def objects_with_distances_not_passed(case: Case) -> None:
    need(case.which == RUN and case.form.name.startswith("lists of objects"))
    for _, entry in case.lists().entries:
        for each in entry:
            each["distance"] = 1 - each.pop("score")
    case.define(case.written.in_order(), "order")


@defect("content", "refused")
def objects_without_ids(case: Case) -> None:
    need(case.form.name.startswith("lists of objects"))
    for _, entry in case.lists().entries:
        for each in entry:
            each["thing"] = each.pop("id")


@defect("content", "right or refused")
def objects_without_numbers(case: Case) -> None:
    need(case.form.name.startswith("lists of objects"))
    for _, entry in case.lists().entries:
        for each in entry:
            del each[case.form.kind]
    case.has_right = False
    if case.which == LABELS:
        case.define(case.written.all_relevant(), "")
    else:
        case.define(case.written.in_order(), "")


@defect("content", "right or refused")
def objects_with_texts(case: Case) -> None:
    need(case.form.name.startswith("lists of objects"))
    for _, entry in case.lists().entries:
        for each in entry:
            each |= {"text": "some words", "metadata": {"source": "x"}}


@defect("content", "refused")
def numbers_as_words(case: Case) -> None:
    need("numbers by id" in case.form.name)
    _entry(case, lambda entry: dict.fromkeys(entry, "high"))


@defect("content", "refused")
def an_answer_that_failed(case: Case) -> None:
    need(
        case.form.name.startswith("answers") and case.form.answer and case.form.answer.get("hits")
    )
    _entry(case, lambda _: {"error": {"message": "timeout"}, "status": 500})


def _row_of_answer(case: Case) -> dict[str, Any]:
    """Return the row of the table of answers that the form is of."""
    need(case.form.name.startswith("answers") and case.form.answer)
    assert case.form.answer is not None
    return case.form.answer


@defect("content", "refused")
def an_answer_without_ids(case: Case) -> None:
    row = _row_of_answer(case)
    names = {name.rpartition(".")[2] for name in row["ids"]}
    lists = case.lists()

    def without_ids(value: Any) -> Any:
        if isinstance(value, dict):
            kept = value.keys() - names
            return {name: without_ids(each) for name, each in value.items() if name in kept}
        return [*map(without_ids, value)] if isinstance(value, list) else value

    lists.entries = [(query, without_ids(entry)) for query, entry in lists.entries]


@defect("content", "right")
def another_field_of_an_answer(case: Case) -> None:
    """Hits have another of the fields that are known for ids and scores."""
    row = _row_of_answer(case)
    need(len(row["ids"]) + len(row.get("scores", [])) > 2)
    ids, scores = case.rng.choice(row["ids"]), row.get("scores", [])
    other = {**row, "ids": [ids], "scores": [case.rng.choice(scores)] if scores else []}
    lists = case.lists()
    entries = case.values().items()
    lists.entries = [(query, answer_of(items, "score", other)) for query, items in entries]


@defect("content", "right")
def answers_in_a_batch(case: Case) -> None:
    lists, row = case.lists(), _row_of_answer(case)
    need(lists.shape == "sequence" and row.get("batch"))
    lists.shape, lists.wrapper = "batch", row["batch"]
    if row["batch"] == row.get("hits"):  # each of the batch is a list of hits
        lists.entries = [(query, entry[row["batch"]]) for query, entry in lists.entries]


@defect("content", "right or refused")
def flat_lists_in_an_answer(case: Case) -> None:
    need(_row_of_answer(case).get("are_columns"))
    for _, entry in case.lists().entries:
        name = case.rng.choice(["ids", "distances"])
        [entry[name]] = entry[name]
