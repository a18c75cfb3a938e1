"""What is wrong or unusual about a file, and what may come of it.

Each defect is a function that changes a case, at one of three times: what is true or what is
written of it, before there are files; the content of one side; the bytes of the files and how they
are passed. Here are those of any form. `defects_of_tables` and `defects_of_lists` have the others.
"""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from . import defects_of_lists as defects_of_lists, defects_of_tables as defects_of_tables
from .cases import AGREEMENT, DEFECTS, LABELS, ON_ONE_SIDE, RUN, Case, defect, need, partner_of
from .truth import OTHER_RUN, TRUTH, Truth, TwoRuns, random_truth, renamed, with_digits
from .writers import FORMS, SEPARATORS, Form, Lists, Table, UnfitError

# --- what is true, and what is written of it --------------------------------------------------


@defect("truth", "right")
def nothing(case: Case) -> None:
    """All is as it should be."""


@defect("truth", "right")
def one_query(case: Case) -> None:
    case.meant = case.written = case.written.one_query()


@defect("truth", "right")
def one_query_with_one_item(case: Case) -> None:
    need(not any("MS MARCO" in form.name for form in case.forms) and case.door != AGREEMENT)
    case.meant = case.written = replace(
        case.written, judged={"q1": {"a": 1}}, found={"q1": {"a": 0.5}}
    )


@defect("truth", "right")
def labels_all_equal(case: Case) -> None:
    need(case.which == LABELS)
    case.meant = case.written = case.written.relabelled(lambda _: 1)


@defect("truth", "right")
def labels_without_0(case: Case) -> None:
    need(case.which == LABELS)
    case.meant = case.written = case.written.relabelled(lambda label: label or None)


@defect("truth", "right")
def five_stars(case: Case) -> None:
    need(case.which == LABELS)
    case.meant = case.written = case.written.relabelled(lambda label: label + 2)


@defect("truth", "right or refused")
def half_labels(case: Case) -> None:
    need(case.which == LABELS)
    case.meant = case.written = case.written.relabelled(lambda label: label / 2)


@defect("truth", "right or refused")
def true_and_false_as_labels(case: Case) -> None:
    need(case.which == LABELS and case.form.has_types)
    case.meant = case.written.relabelled(lambda label: int(label > 0))
    case.written = case.written.relabelled(lambda label: label > 0)


@defect("truth", "right or refused")
def label_minus_1(case: Case) -> None:
    need(case.which == LABELS)
    case.written = case.written.relabelled(lambda label: label or -1)


@defect("truth", "refused")
def times_as_labels(case: Case) -> None:
    need(case.which == LABELS and case.form.holds == "numbers")
    case.written = case.written.relabelled(lambda label: 881250949 + 1000 * label)
    if case.forms[LABELS].name.startswith("lists"):
        case.define(case.written, "time")


@defect("truth", "refused")
def nan_as_a_value(case: Case) -> None:
    need(case.form.holds == "numbers")
    values = {query: dict(items) for query, items in case.values().items()}
    values["q1"][next(iter(values["q1"]))] = float("nan")
    case.write(values)


@defect("truth", "right")
def whole_number_scores(case: Case) -> None:
    need(case.which == RUN)
    case.meant = case.written = case.written.rescored(lambda score: int(8 * score))


@defect("truth", "right")
def scores_all_equal(case: Case) -> None:
    need(case.which == RUN and case.form.holds == "numbers")
    case.meant = case.written = case.written.rescored(lambda _: 0.5)


@defect("truth", "right or refused")
def distances(case: Case) -> None:
    """The scores rise along every list, and nobody says that they are distances."""
    need(case.which == RUN and case.form.holds == "numbers")
    need(all(len({*items.values()}) > 1 for items in case.written.found.values()))
    case.written = case.written.rescored(lambda score: 1 - score)
    case.define(case.written, "distance|rise|contradict|order")


@defect("truth", "right or refused")
def a_query_that_is_not_found(case: Case) -> None:
    need(case.which == RUN and "sequence" not in case.form.name)
    case.write({query: items for query, items in case.values().items() if query != "q2"})
    case.has_right = False
    case.define(case.written, ON_ONE_SIDE)


@defect("truth", "right or refused")
def a_query_that_is_not_judged(case: Case) -> None:
    need(case.which == LABELS and "sequence" not in case.form.name)
    case.write({query: items for query, items in case.values().items() if query != "q2"})
    case.has_right = False
    case.define(case.written, ON_ONE_SIDE)


@defect("truth", "refused")
def no_query_on_both_sides(case: Case) -> None:
    need("sequence" not in case.form.name and case.form.name != "scores of lines")
    case.write(renamed(case.values(), lambda query: f"x{query}", str))


def _no_item_on_both_sides(case: Case, new_item: Callable[[str], Any]) -> None:
    case.write(renamed(case.values(), str, new_item))
    case.define(case.written, "no |none|0 of")


@defect("truth", "right or refused")
def items_with_a_prefix(case: Case) -> None:
    _no_item_on_both_sides(case, lambda item: f"doc:{item}")


@defect("truth", "right or refused")
def items_with_numbers_of_chunks(case: Case) -> None:
    need(case.which == RUN)
    _no_item_on_both_sides(case, lambda item: f"{item}_chunk_0")


@defect("truth", "right or refused")
def items_in_capitals(case: Case) -> None:
    _no_item_on_both_sides(case, str.upper)


@defect("truth", "right or refused")
def items_like_floats(case: Case) -> None:
    case.meant = case.written = with_digits(case.written)
    _no_item_on_both_sides(case, lambda item: f"{item}.0")


@defect("truth", "right")
def digits_as_ids(case: Case) -> None:
    case.meant = case.written = with_digits(case.written)


@defect("truth", "right or refused")
def whole_numbers_as_ids_of_one_side(case: Case) -> None:
    need(case.form.has_types)
    case.meant = case.written = with_digits(case.written)
    case.write(renamed(case.values(), int, int))
    case.define(replace(case.written, found={}), "no |none|0 of")


@defect("truth", "right")
def whole_numbers_as_ids(case: Case) -> None:
    need(all(form.has_types for form in case.forms))
    are_keys = ["by query" in form.name for form in case.forms]
    need(all(are_keys) or not any(are_keys) or case.door == "command")
    case.meant = case.written = with_digits(case.written).with_ids(int)
    if any(are_keys):
        need(all(are_keys) or case.door == "command")
        case.options += ["--ids", "text"]


@defect("truth", "right")
def whole_numbers_as_ids_read_as_text(case: Case) -> None:
    need(case.form.has_types and case.door == "command")
    case.meant = case.written = with_digits(case.written)
    case.write(renamed(case.values(), int, int))
    case.options += ["--ids", "text"]


@defect("truth", "right")
def an_empty_list(case: Case) -> None:
    need(case.form.is_lists and case.door != AGREEMENT)
    case.mean({**case.values(), "q2": {}})


@defect("content", "right")
def shuffled(case: Case) -> None:
    if isinstance(case.content, Table):
        need(case.forms[RUN].name != "scores of lines")
        case.rng.shuffle(case.content.rows)
    else:
        need(case.content.shape != "sequence")
        case.rng.shuffle(case.content.entries)


# --- files and calls --------------------------------------------------------------------------


def _command(case: Case) -> None:
    need(case.is_command)


@defect("files", "right")
def one_file(case: Case) -> None:
    """The judgments and what was found are in the same records."""
    first, second = case.contents
    need(isinstance(first, Lists) and isinstance(second, Lists))
    need({first.shape, second.shape} <= {"records", "lines"} and case.door == "command")
    need(all(form.name.startswith("lists") for form in case.forms))
    first.more = {second.name: second.entries}
    del case.arguments[1]
    case.files = {case.arguments[0]: first.as_bytes()}


@defect("files", "right")
def one_file_that_is_wrapped(case: Case) -> None:
    one_file(case)
    case.contents[0].shape = "wrapped"
    case.arguments = ["both.json"]
    case.files = {"both.json": case.contents[0].as_bytes()}


@defect("files", "right or refused")
def one_file_without_ids_of_queries(case: Case) -> None:
    one_file(case)
    case.contents[0].query = "about"
    case.files = {case.arguments[0]: case.contents[0].as_bytes()}


@defect("files", "refused")
def no_run(case: Case) -> None:
    _command(case)
    case.arguments = [case.path()]


@defect("files", "refused")
def the_same_file_twice(case: Case) -> None:
    _command(case)
    case.arguments = [case.path()] * 2


@defect("files", "refused")
def the_same_file_twice_by_two_paths(case: Case) -> None:
    _command(case)
    case.arguments = [case.path(), f"./{case.path()}"]


_NUMBERS_BY_ID = "lists of numbers by id", "lists of pairs", "lists of MTEB"
"""The forms of lists whose numbers may be labels as well as scores."""


@defect("files", "refused")
def swapped(case: Case) -> None:
    case.arguments.reverse()
    case.contents.reverse()
    need(case.which == LABELS)
    if case.door in ("from_lists", "read_json") or all(
        isinstance(content, Lists) for content in case.contents
    ):  # then only numbers tell labels from scores, if both have some and most scores differ
        need(all(form.name.startswith(_NUMBERS_BY_ID) for form in case.forms))
        numbers = [number for items in case.written.found.values() for number in items.values()]
        need(2 * len(set(numbers)) > len(numbers))


@defect("files", "right or refused")
def another_suffix(case: Case) -> None:
    _command(case)
    suffix = case.rng.choice([".txt", ".csv", ".tsv", ".json", ".jsonl", ".qrels", ""])
    path = f"other{suffix}"
    case.files[path] = case.files.pop(case.path())
    case.arguments[case.which] = path


@defect("files", "refused")
def ratings_in_a_file_of_another_name(case: Case) -> None:
    """Nothing tells that the last field of a line is a time."""
    need(case.form.name.startswith("MovieLens"))
    path = case.rng.choice(["ratings.txt", "u.data.bak", "ratings", "ratings.qrels", "r.tsv"])
    case.files[path] = case.files.pop(case.path())
    case.arguments[case.which] = path


@defect("files", "right")
def compressed(case: Case) -> None:
    need(case.form.suffix != ".parquet")
    _rewrite(case, gzip.compress, ".gz")


@defect("files", "right or refused")
def compressed_twice(case: Case) -> None:
    need(case.form.suffix != ".parquet")
    _rewrite(case, lambda content: gzip.compress(gzip.compress(content)), ".gz")


@defect("files", "refused")
def cut_where_it_is_compressed(case: Case) -> None:
    need(case.form.suffix != ".parquet")
    _rewrite(case, lambda content: gzip.compress(content)[:-9], ".gz")


@defect("files", "right")
def lines_of_windows(case: Case) -> None:
    need(case.form.suffix != ".parquet")
    _rewrite(case, lambda content: content.replace(b"\n", b"\r\n"))


@defect("files", "right")
def a_mark_at_the_beginning(case: Case) -> None:
    need(case.form.suffix != ".parquet")
    _rewrite(case, lambda content: b"\xef\xbb\xbf" + content)


@defect("files", "right or refused")
def a_mark_inside(case: Case) -> None:
    need(case.form.suffix != ".parquet")
    _rewrite(case, lambda content: content.replace(b"\n", b"\n\xef\xbb\xbf", 1))


@defect("files", "right or refused")
def blank_lines(case: Case) -> None:
    need(case.form.suffix != ".parquet")
    _rewrite(case, lambda content: content.replace(b"\n", b"\n\n") + b"\n")


@defect("files", "right or refused")
def another_encoding(case: Case) -> None:
    need(case.form.suffix != ".parquet")
    _rewrite(case, lambda content: content.decode().encode("utf-16"))


@defect("files", "right or refused")
def no_last_byte(case: Case) -> None:
    need(
        not case.form.name.startswith(
            ("TREC", "MS MARCO", "MovieLens", "RecBole", "scores of lines")
        )
    )
    need(case.table().style not in SEPARATORS)
    _rewrite(case, lambda content: content[:-2])


@defect("files", "refused")
def no_last_field(case: Case) -> None:
    table = case.table()
    need(table.style in SEPARATORS and len(table.roles) > 2)
    separator = SEPARATORS[table.style].encode()
    _rewrite(case, lambda content: content.rstrip().rpartition(separator)[0])


@defect("files", "refused")
def nothing_in_the_file(case: Case) -> None:
    _rewrite(case, lambda _: b"")
    if case.which == RUN:
        case.define(replace(case.written, found={}), ON_ONE_SIDE)


def _rewrite(case: Case, change: Callable[[bytes], bytes], suffix: str = "") -> None:
    """Change the content of the file with the defect."""
    need(case.files)
    path = case.path()
    case.files[path + suffix] = change(case.files.pop(path))
    case.arguments[case.which] = path + suffix


# --- cases ------------------------------------------------------------------------------------


def make_case(name: str, form: Form, door: str, rng: random.Random, truth: Truth = TRUTH) -> Case:
    """Return a call with a defect of one side. Raise if the defect makes no sense for its form."""
    partner = partner_of(form, door, rng)
    forms = (form, partner) if form.kind == "label" else (partner, form)
    if door == AGREEMENT:
        truth = TwoRuns(OTHER_RUN, TRUTH.found)
    which = LABELS if form.kind == "label" else RUN
    case = Case(rng, door, forms, which, name, truth, truth)
    if forms[RUN].name == "scores of lines":  # which has the items of the judgments
        found = {
            query: {item: truth.found[query].get(item, 0.0625) for item in items}
            for query, items in truth.judged.items()
        }
        case.meant = case.written = Truth(truth.judged, found)
    own = DEFECTS[name]
    case.has_right, case.may_refuse = own.result != "refused", own.result != "right"
    if own.time == "truth":
        own.change(case)
    values = (case.written.judged, case.written.found)
    case.contents = [each.build(own) for each, own in zip(forms, values, strict=True)]
    if own.time == "content":
        own.change(case)
    if case.later is not None:
        case.later(case)
    if door not in ("from_tables", "from_lists"):
        paths = [each.path(stem) for each, stem in zip(forms, ("gold", "found"), strict=True)]
        case.arguments = paths
        case.files = {
            path: content.as_bytes() for path, content in zip(paths, case.contents, strict=True)
        }
    if own.time == "files":
        own.change(case)
    return case


def draw(seed: int, index: int) -> Case:
    """Return a case of another truth, the same for the same numbers in every process."""
    rng = random.Random(f"forms, {seed}, {index}")
    truth = random_truth(rng)
    while True:
        form = rng.choice(list(FORMS.values()))
        door = rng.choice(form.all_doors())
        name = rng.choice(list(DEFECTS)) if rng.random() < SHARE_DEFECT else "nothing"
        try:
            return make_case(name, form, door, rng, truth)
        except UnfitError:
            continue


SHARE_DEFECT = 0.8
