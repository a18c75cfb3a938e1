"""What is said if no judged item was predicted: an id of each side, and what makes them meet."""

from __future__ import annotations

import json

import pytest

from ranking_scores import from_lists, from_tables, mean_reciprocal_rank_score
from ranking_scores.__main__ import main
from ranking_scores._tables._ranking_data import split_between

GOLD = {"q0": ["doc_3"], "q1": ["doc_0"], "q2": ["doc_1", "doc_2"]}
FOUND = {"q1": ["doc_1_chunk_0", "doc_0_chunk_2"], "q2": ["doc_0_chunk_0", "doc_2_chunk_7"]}
HEAD = "No relevant item is among the retrieved ones. Check that both have the same ids."


def warned(call):
    with pytest.warns(UserWarning, match="No (relevant|judged) item is among") as caught:
        mean_reciprocal_rank_score(call(), k=1)
    [warning] = caught
    return str(warning.message)


@pytest.mark.filterwarnings("ignore:.*share only")
def test_an_id_of_each_side_is_shown():
    message = warned(lambda: from_lists({"q1": ["a"]}, {"q1": ["b", "c"]}))
    assert message == f"{HEAD} They have 'a' and 'b'."
    numbers = warned(lambda: from_lists([[], [7]], [[1], [8]]))
    assert numbers == f"{HEAD} They have 7 and 8."


def test_a_text_to_cut_at_is_named():
    message = warned(lambda: from_lists(GOLD, FOUND))
    how = "With split='_chunk_', 'doc_0_chunk_2' becomes 'doc_0'."
    assert message == f"{HEAD} They have 'doc_0' and 'doc_0_chunk_2'. {how}"
    data = from_lists(GOLD, FOUND, split="_chunk_")
    assert mean_reciprocal_rank_score(data) == 0.5 / 3 + 0.5 / 3
    rows = [[(query, each) for query in lists for each in lists[query]] for lists in (GOLD, FOUND)]
    tables = [dict(zip(("query", "item"), zip(*own, strict=True), strict=True)) for own in rows]
    tables[1]["score"] = [2, 1, 2, 1]
    assert " Cut at '_chunk_', 'doc_0_chunk_2' becomes 'doc_0'." in warned(
        lambda: from_tables(*tables, label=None)
    )


@pytest.mark.parametrize(
    ("documents", "passage", "split"),
    [
        (["guide", "faq"], "guide#4", "#"),
        (["guide"], "guide::4", "::"),
        (["my_guide"], "my_guide-4", "-"),
        (["my_guide"], "my_guide_4", None),  # the document has the text
        (["my_guide"], "my_guide_part_4", "_part_"),
        (["a.txt"], "a.txt#p1#2", None),  # cut at the last place it is no document
        (["guide"], "guides", None),
        ([7], "7#1", None),
        (["7"], 7, None),
    ],
)
def test_texts_to_cut_at(documents, passage, split):
    found = split_between(documents, ["other", passage])
    assert found == (None if split is None else (split, passage, passage.rsplit(split, 1)[0]))


def test_ids_that_are_written_in_another_way_are_named():
    for gold, found in (("A1", "a1"), ("007", "7"), ("7", "7.0"), ("x", " x")):
        message = warned(lambda gold=gold, found=found: from_lists([[gold]], [["z", found]]))
        assert message.endswith(f" The ids {gold!r} and {found!r} may mean the same item.")


def test_the_command_names_its_option(tmp_path, capsys):
    paths = [tmp_path / "gold.json", tmp_path / "run.json"]
    for path, content in zip(paths, (GOLD, FOUND), strict=True):
        path.write_text(json.dumps(content), encoding="utf-8")
    assert main([*map(str, paths), "-m", "mrr"]) == 0
    assert "With --split '_chunk_', 'doc_0_chunk_2' becomes 'doc_0'." in capsys.readouterr().err
