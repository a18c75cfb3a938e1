"""The text of callers reaches people as escapes if a terminal obeys it, and has a length."""

from __future__ import annotations

import html
import re

import numpy as np
import pytest

from ranking_scores import StreamingScore, from_lists, ndcg_score, ranking_report
from ranking_scores._base._errors import show_id, show_names, visible
from ranking_scores.exceptions import InvalidParameterError
from ranking_scores.explain import explain_query
from ranking_scores.gates import check
from ranking_scores.significance import changes, compare_all
from ranking_scores.streaming import whole_queries
from ranking_scores.tables import from_tables
from ranking_scores.trec import read_qrels

HOSTILE = "a\x1b[31m\x07\u202e\r\n\u2028b"
OBEYED = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e]")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\0\t\n\x7f\x85", r"\x00\t\n\x7f\x85"),
        ("\u200e\u200f\u061c\u202a\u2066", r"\u200e\u200f\u061c\u202a\u2066"),
        ("a\u200bb\u2060\ufeff\xad", r"a\u200bb\u2060\ufeff\xad"),
        ("a\u200cb \u200d", r"a\u200cb \u200d"),
        ("\ud800\udcff\U000e0041", r"\ud800\udcff\U000e0041"),
        ("ä ñ 日本\u3000語 \xa0 عربي", "ä ñ 日本\u3000語 \xa0 عربي"),
        ("\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"),  # Persian
        ("👩\u200d💻 葛\U000e0100", "👩\u200d💻 葛\U000e0100"),
        (r"a\x1b", r"a\x1b"),
    ],
)
def test_only_what_is_obeyed_or_hidden_has_escapes(text, shown):
    assert visible(text) == shown


def test_long_values_are_cut():
    assert show_id(200 * "x") == repr(200 * "x")
    assert show_id(201 * "x") == f"'{80 * 'x'}'… (201 characters)"
    assert show_id(b"x" * 300) == f"b'{80 * 'x'}'… (300 bytes)"
    assert show_id((1,) * 100) == f"{repr((1,) * 100)[:80]}… (300 characters)"
    assert show_id(np.str_("a\n")) == r"'a\n'"
    assert show_names(range(11)) == "0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 1 more"


def results():
    """Yield results with names, groups and ids that a terminal would obey."""
    y_true, y_score = [[1, 0, 0], [0, 0, 1]], [[3, 2, 1], [3, 2, 1]]
    ids, items = np.array([HOSTILE, "q"]), np.array(["d", HOSTILE, "e"])
    reports = [
        ranking_report(
            each,
            y_score,
            scores={HOSTILE: "ndcg@2", "mrr": "mrr"},
            by={HOSTILE: [HOSTILE, "g"]},
            query_ids=ids,
        )
        for each in (y_true, y_true[::-1])
    ]
    yield reports[0]
    yield reports[0].by_group[HOSTILE][HOSTILE]
    yield changes(reports[1], reports[0])
    yield check(reports[1], reports[0], at_least=0.9, max_drop=0.1, by=HOSTILE)
    yield compare_all({HOSTILE: reports[0], "b": reports[1]})
    options = {"score": "ndcg", "query_ids": ids, "item_ids": items}
    yield explain_query(y_true, y_score, query=HOSTILE, **options)
    yield explain_query(y_true, y_score, worst=2, **options)
    yield from_lists({"q": ["d"]}, {"q": ["d"], HOSTILE: ["d"]})
    stream = StreamingScore("ndcg")
    stream.update([[1, 0]], [[1, 0]])
    stream._parts = frozenset([HOSTILE])
    yield stream


@pytest.mark.filterwarnings("ignore")
def test_results_show_it_as_escapes():
    for result in results():
        for show in ("__repr__", "__str__", "_repr_html_", "to_markdown"):
            if hasattr(result, show):
                text = getattr(result, show)()
                assert r"\x1b[31m" in html.unescape(text), (type(result), show)
                assert not OBEYED.search(text), (type(result), show)


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (ndcg_score, ([[1, 0]], [[1, 0]], HOSTILE)),
        (from_lists, ({HOSTILE: 3}, {HOSTILE: ["d"]})),
        (from_tables, ({HOSTILE: [1]}, {HOSTILE: [1]})),
        (read_qrels, (HOSTILE,)),
    ],
)
def test_errors_show_it_as_escapes(function, arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / HOSTILE).write_text("q 0 d\n")
    with pytest.raises((InvalidParameterError, OSError, TypeError)) as caught:
        function(*arguments)
    assert not OBEYED.search(str(caught.value))


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (from_tables, ({f"c{n}": [1] for n in range(20_000)}, {"query": [1]})),
        (from_tables, ({100_000 * "c": [1]}, {"query": [1]})),
        (from_lists, ({100_000 * "q": 3}, {100_000 * "q": ["d"]})),
        (ndcg_score, ([[1, 0]], [[1, 0]], 100_000 * "k")),
        (ranking_report, ([[1, 0]], [[1, 0]])),
    ],
)
def test_errors_have_a_length(function, arguments):
    options = {"scores": 100_000 * "s"} if function is ranking_report else {}
    with pytest.raises((InvalidParameterError, TypeError)) as caught:
        function(*arguments, **options)
    assert len(str(caught.value)) < 4500


def test_batches_with_many_columns_show_where_they_differ():
    first = {"q": [1], **{f"c{n}": [1] for n in range(20)}, "last": [1]}
    batches = [first, {**{name: [2] for name in first if name != "last"}, "other": [2]}]
    with pytest.raises(InvalidParameterError) as caught:
        list(whole_queries(batches, qid="q"))
    assert "the columns" in caught.value.got
    assert "'other'" in caught.value.got
    assert len(caught.value.got) < 300
