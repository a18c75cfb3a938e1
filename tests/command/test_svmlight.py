"""The command line on lines of svmlight and LETOR, with scores in the order of the lines."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import numpy as np
import pytest
from command_data import write
from sklearn.datasets import load_svmlight_file
from test_metrics_of_rankers import DATA

from ranking_scores import ndcg_score

pytestmark = pytest.mark.usefixtures("folder")

LETOR = """\
2 qid:10 1:0.5 2:0.1 #docid = GX1-a inc = 1 prob = 0.1
0 qid:10 1:0.4 2:0.2 #docid = GX1-b inc = 1 prob = 0.2
# a comment

1 qid:11 1:0.1 2:0.3 # 7 docid=GX2-a
"""
SCORES = "0.5\n1.5\n0.25\n"
MRR = (1 / 2 + 1) / 2


@pytest.mark.parametrize("name", ["a.svmlight", "a.svm", "a.libsvm", "a.letor", "a.txt", "a.test"])
@pytest.mark.parametrize(
    "scores",
    [
        SCORES,
        SCORES.replace("\n", "\r\n"),
        "10\t0\t0.5\n10\t1\t1.5\n11\t0\t0.25\n",
        "SampleId\tRawFormulaVal\n0\t0.5\n1\t1.5\n2\t0.25\n",
        "RawFormulaVal\tDocId\n0.5\t0\n1.5\t1\n0.25\t2\n",
        "RawFormulaVal\n.5\n1.5\n25e-2\n",
    ],
)
def test_scores_of_each_program_are_in_the_order_of_the_lines(means, name, scores):
    write(name, LETOR)
    for run in ("pred.txt", "pred.csv", "pred"):
        write(run, scores)
        assert means(f"{name} {run} -m mrr") == {"mrr": MRR}


def test_documents_have_the_ids_of_the_comments(means):
    write("a.letor", LETOR)
    write("found", "10 Q0 GX1-b 1 2.5 x\n10 Q0 GX1-a 2 1.5 x\n11 Q0 GX2-a 1 1 x\n")
    assert means("a.letor found -m mrr") == {"mrr": MRR}


def test_lines_without_documents_are_numbered(means):
    write("a.letor", "".join(line.partition("#")[0] + "\n" for line in LETOR.splitlines()))
    write("found", "10 Q0 2 1 2.5 x\n10 Q0 1 2 1.5 x\n11 Q0 3 1 1 x\n")
    assert means("a.letor found -m mrr") == {"mrr": MRR}


@pytest.mark.parametrize("beside", ["a.txt.query", "a.txt.group", "a.txt.gz.group"])
@pytest.mark.parametrize("is_packed", [False, True])
def test_groups_beside_the_file_are_queries(call, means, refuse, beside, is_packed):
    name = "a.txt.gz" if is_packed else "a.txt"
    text = "2 1:0.5 2:0.1\n0 1:0.4 3:1\n1 1:0.1 2:0.3\n"
    with (gzip.open if is_packed else open)(name, "wt", encoding="utf-8") as file:
        file.write(text)
    write("pred", SCORES)
    error = (
        f"{name}: the lines name no query with qid:. Write qid: behind each label, or the sizes"
    )
    assert refuse(f"{name} pred").startswith(error)
    if beside.startswith(f"{name}.gz"):
        return
    write(beside, "2\n1\n")
    assert means(f"{name} pred -m mrr") == {"mrr": MRR}
    read = f"{name}: svmlight: the groups in {beside} as query, the number of the line as item"
    assert f"{read}, label; " in call(f"{name} pred -m mrr")[1]
    for sizes in ("2\n", "2\n2\n", "3\n0\n"):
        write(beside, sizes)
        assert f"{beside}: the sizes of its groups are " in refuse(f"{name} pred")
    write(beside, "two\n1\n")
    assert refuse(f"{name} pred") == f"{beside}, line 1: 'two' is not a finite number"


def test_the_files_of_lightgbm_are_read_as_scikit_learn_reads_them(means):
    for name in ("rank.test.gz", "rank.test.query"):
        shutil.copy(DATA / name, name)
    _, labels = load_svmlight_file("rank.test.gz")
    sizes = np.loadtxt("rank.test.query", dtype=int)
    scores = np.random.default_rng(0).normal(size=labels.size).round(1)
    np.savetxt("pred.txt", scores)
    expected = ndcg_score(labels, scores, k=10, qid=np.repeat(np.arange(sizes.size), sizes))
    assert means("rank.test.gz pred.txt -m ndcg@10") == {"ndcg@10": expected}


def test_several_runs_and_judgments_by_people(call, means):
    write("a.letor", LETOR)
    write("pred", SCORES)
    write("other", "3\n2\n1\n")
    write("people", LETOR.replace("2 qid", "1 qid"))
    for line in ("--compare", "--jobs 2", "--baseline other"):
        runs = "pred" if "baseline" in line else "pred other"
        assert call(f"a.letor {runs} -m mrr {line}")[0] == 0
    assert "human" in call("a.letor pred -m mrr --human people --format csv")[1]
    assert means("a.letor other -m mrr") == {"mrr": 1}


@pytest.mark.parametrize(
    ("judged", "found", "error"),
    [
        (LETOR, "1\n2\n", "pred: it has 2 scores for the 3 lines of a.letor"),
        (LETOR, "1\nx\n2\n", "pred, line 2: 'x' is not a finite number"),
        (LETOR, "1\nnan\n2\n", "pred, line 2: 'nan' is not a finite number"),
        (LETOR, "1\n2 3\n2\n", "pred, line 2: it is not of line 2 of a.letor, or has other"),
        (LETOR, "10\t0\t1\n11\t1\t1\n11\t0\t1\n", "pred, line 2: it is not of line 2"),
        (LETOR, "10\t0\t1\n10\t2\t1\n11\t0\t1\n", "pred, line 2: it is not of line 2"),
        (
            LETOR,
            "SampleId\tRawFormulaVal\n0\t1\n2\t1\n1\t3\n",
            "pred, line 3: the samples are not in their order",
        ),
        (LETOR, LETOR, "pred: svmlight has labels, and neither scores nor aspects"),
        (f"{LETOR}0 1:1 2:2\n", SCORES, "a.letor, line 6: it has no qid:, unlike the lines above"),
        (f"{LETOR}0 qid:3 1:1\n", SCORES, "a.letor, line 6: it has no docid, unlike the lines"),
        (f"{LETOR}x qid:3 1:1\n", SCORES, "a.letor, line 6: 'x' is not a finite number"),
        ("1_0 qid:3 1:1\n", SCORES, "a.letor, line 1: '1_0' is not a finite number"),
    ],
)
def test_what_does_not_fit_is_one_line(refuse, judged, found, error):
    write("a.letor", judged)
    write("pred", found)
    assert refuse("a.letor pred").startswith(error)


def test_lines_of_svmlight_have_no_aspects_and_no_names(refuse):
    write("a.letor", LETOR)
    write("pred", SCORES)
    assert refuse("a.letor pred --aspects") == (
        "a.letor: svmlight has labels, and neither scores nor aspects"
    )
    assert refuse("a.letor pred --query q").startswith("--query is for CSV")
    Path("a.letor").write_bytes(b"1 qid:\xff 1:1\n")
    assert refuse("a.letor pred") == "a.letor: the ids are not UTF-8. Save the file as UTF-8."


def test_one_number_per_line_needs_lines_to_belong_to(refuse):
    write("pred", SCORES)
    assert "Got 1 field in line 1 of pred" in refuse("qrels pred")
