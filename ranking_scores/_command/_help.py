"""The pages that the command prints about itself."""

from __future__ import annotations

import argparse
import sys
from typing import Any, NoReturn

from ranking_scores._base._results import as_text
from ranking_scores._files._table import NAME
from ranking_scores._tables._known_names import ROLES, projects

USAGE = f"""\
{NAME} [options] JUDGMENTS [RUN ...]
       {NAME} [options] --agreement OLD_RUN NEW_RUN"""
DESCRIPTION = """\
Score rankings against judgments: nDCG, MAP, MRR, recall and more.

JUDGMENTS says which items are relevant to each query. Each RUN says which
items a system retrieved for it. Items with equal scores have no order, so each
number is the mean over all possible orders. Relevant items that were not
retrieved lower the scores. Items that were retrieved but not judged keep their
rank and count as not relevant.
"""
_SCREEN = f"""\
usage: {USAGE}

Score rankings against judgments: nDCG, MAP, MRR, recall and more.

JUDGMENTS says which items are relevant to each query, and each RUN says which
items a system retrieved for it. They are files of TREC, or by their suffixes
tables and JSON: .csv, .tsv, .parquet, .json, .jsonl. Items with equal scores
have no order, so each number is the mean over all possible orders.

options that many calls need:
  -m SCORE [SCORE ...]  the scores, as in -m ndcg@10 map recall@100
  --gain GAIN           linear, exponential, or the gains of labels: 0,1,3,7
  --query NAME          the column of query ids. --item, --label and --score
                        name the others
  --by-query            also print the scores of each query
  --by NAME [NAME ...]  also print the scores of each group of queries
  --compare             also compare each RUN with the first one, by a t test
  --confidence LEVEL    also print the confidence interval of each mean
  --ties                also print the worst and the best order of ties
  --unjudged            also print what unjudged items could do to a score
  --format FORMAT       table, csv, json or markdown
  --save FILE           save the report of RUN, for a later --baseline FILE
  --at-least LIMIT      fail if a score is lower, as in ndcg@10=0.3. --max-drop
                        is for the drop since the baseline

examples:
  {NAME} qrels.txt bm25.run dense.run -m ndcg@10 map --compare
  {NAME} gold.json found.json -m recall@10 --at-least recall@10=0.9

more:
  --help-all            all options, and more examples
  --help-columns        the names of columns that are known
  --completion SHELL    a script that completes options in bash, zsh or fish
  --version             the version
"""
EPILOG = """\
examples:
  score a run with the default scores (both files are in TREC's formats):
    ranking-scores qrels.txt bm25.run.gz

  compare two runs, with scores of your choice:
    ranking-scores qrels.txt bm25.run dense.run -m ndcg@10 map recall@1000

  test whether the second run is better than the first:
    ranking-scores qrels.txt bm25.run dense.run -m ndcg@10 --compare

  sort many runs, with the ranks that each of them can have:
    ranking-scores qrels.txt runs/*.run -m ndcg@10 --ranks

  see how much ties matter, with the numbers of trec_eval:
    ranking-scores qrels.txt bm25.run --ties

  see what the unjudged documents could do to a score:
    ranking-scores qrels.txt dense.run -m ndcg@10 --unjudged

  correct a language model's judgments by those of people for some queries:
    ranking-scores llm_qrels.txt dense.run -m ndcg@10 --human our_qrels.txt

  score a file of JSON that has the relevant and the retrieved ids of each
  query, with passage ids such as guide#4, for each category:
    ranking-scores evaluation.jsonl --split '#' --duplicates best --by category

  read tables with other column names, and with clicks instead of labels:
    ranking-scores clicks.csv top.parquet --query user --item product \\
        --no-label --rank position

  keep a baseline, and fail if a later run is worse:
    ranking-scores qrels.txt monday.run -m ndcg@10 --save baseline.json
    ranking-scores qrels.txt tuesday.run -m ndcg@10 --baseline baseline.json \\
        --max-drop 0.01 --at-least ndcg@10=0.3 --html changes.html

  see how far two runs differ, and for which queries, without judgments:
    ranking-scores --agreement old.run new.run
    ranking-scores --agreement old.run new.run -m overlap@10 rbo@0.9 \\
        --at-least overlap@10=0.8

  print the scores of each query, for another program:
    ranking-scores qrels.txt bm25.run --by-query --format json

The exit status is 0 on success, and 1 if a condition of --at-least or
--max-drop failed. If the input is wrong, the command prints one line on stderr
that says why, and the exit status is 2. It is 3 for a fault of the command.
"""


class Help(argparse.Action):
    """Show what most calls need, on one screen."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        sys.stdout.write(_SCREEN)
        raise SystemExit


class HelpColumns(argparse.Action):
    """Show the names of columns that are known."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        head = ["files of", *ROLES]
        rows = [
            [" and ".join(project.names()), *map(project.name_of, ROLES)] for project in projects()
        ]
        sys.stdout.write(f"{as_text(head, rows, n_names=len(head))}\n\n{_ABOUT_COLUMNS}")
        raise SystemExit


_ABOUT_COLUMNS = """\
A column is taken only if no other column of the file has a known name of its
role. Without a label, each row of RecTools' interactions is relevant. With a
score and a rank, the score counts, except for RecTools. A line above the
scores says which columns were taken. The options --query, --item, --label,
--no-label, --score and --rank go before all known names.
"""
