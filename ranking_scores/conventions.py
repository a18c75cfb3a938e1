"""The numbers of other programs, from your data.

Programs disagree about the same ranking: over the order of equal scores, the gain, the ideal, the
divisor, and the queries that count. `like` computes what another program reports, as a score that
everything here takes. `programs` lists what is known of each program.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ranking_scores._base._validation import advises_on_keywords
from ranking_scores._metrics import _programs
from ranking_scores._metrics._programs import Program, ProgramScore, find_convention, find_program

__all__ = ["Program", "ProgramScore", "like", "programs"]


def __dir__() -> list[str]:
    return __all__


@advises_on_keywords
def like(program: str, measure: str, **options: Any) -> ProgramScore:
    """Return the measure of another program as a score of this package.

    The score gives the numbers of that program, with its order of ties, its ideal, its divisor and
    its treatment of queries without relevant items or predictions. Use it wherever a score is
    accepted: in reports, streams, scorers and gates. The name of the score, such as
    "trec_eval:ndcg_cut@10", is accepted there too, and by the command.

    Parameters
    ----------
    program : str
        The name of the program, such as "trec_eval", "ranx" or "LightGBM", in upper or lower case.
        `programs` lists them.

    measure : str
        The name of the measure in that program, such as "ndcg" or "map". A cutoff may follow, as
        in "ndcg@10" or "ndcg_cut_10". Names with options are read as the program writes them:
        "map@10-l2" of ranx, "P(rel=2)@5" of ir_measures, "ndcg@5-" of XGBoost,
        "NDCG:top=10;type=Exp" of CatBoost, and "ndcg.1=0,2=9" of trec_eval, with the gains of
        some labels.

    **options
        `k`, the cutoff, unless `measure` has it, and the program's own options of the measure,
        such as ``type="Exp"`` for CatBoost, ``relevance_level=2`` for trec_eval, or
        ``label_gain=[0, 1, 3, 7]`` for LightGBM.

    Returns
    -------
    score : ProgramScore
        Call it with the result of `ranking_scores.from_tables`, or with `y_true` and `y_score` and
        the parameters `sample_weight`, `where`, `qid`, `labels` and `average` of the other scores.

    Raises
    ------
    ValueError, TypeError
        If the program, the measure or an option is not known, or if the program computes the
        measure in a way that no convention describes. The message then says what it does. The
        error is of both types, as in scikit-learn.

    See Also
    --------
    ranking_scores.explain.explain_difference : Finds the conventions behind a number.

    Notes
    -----
    Programs break ties by the order in which predictions come, by the ids of the items as text, or
    by the labels. Both orders are known for the results of `ranking_scores.from_tables` and its
    like. In arrays, the items of a query count as sorted by id, and the predictions as made in
    that order.

    A program may also compare scores in float32, so that close ones tie, and give negative labels
    no gain. trec_eval does both, and leaves out queries that were judged and are not in the run. A
    query with an empty list counts 0 there, if predictions came as lists or dicts. BEIR takes
    documents with the id of their query out of the list, if the data has ids.

    Some programs do not define the order of equal scores, or only in short lists. A call then
    takes the order that `about` of the program names. If another order would change the result,
    it warns and says between which numbers the mean of the program can be.

    A query that the program leaves out is NaN with ``average=None``, and is left out of the mean.
    If the program rounds its mean, so does a direct call, and if it has a mean of no query, a
    direct call returns that. A report holds means that are not rounded, and NaN for no query.

    If queries have a `sample_weight`, XGBoost and LightGBM add 1 to the sum of nDCG for one
    without a relevant row, and not its weight. Its value here is then 1 over its weight. Some
    measures of CatBoost ignore weights. Where a query counts whatever its weight is, a weight of
    0 is refused.

    The tests compare these scores with the recorded answers of the programs. The guide lists the
    version of each, and which of them were only read and not run.

    Examples
    --------
    Three documents have the same score. trec_eval ranks the one with the greatest id first, and
    ranx the one that comes first in the run:

    >>> from ranking_scores import from_tables, ndcg_score, ranking_report
    >>> from ranking_scores.conventions import like
    >>> judgments = {"query": ["q1", "q1"], "item": ["d1", "d3"], "label": [1, 2]}
    >>> predictions = {
    ...     "query": ["q1", "q1", "q1"], "item": ["d1", "d2", "d3"], "score": [.5, .5, .5]
    ... }
    >>> names = {"query": "query", "item": "item", "label": "label", "score": "score"}
    >>> data = from_tables(judgments, predictions, **names)
    >>> like("trec_eval", "ndcg_cut_10")(data)
    0.9502344167898356
    >>> like("ranx", "ndcg@10")(data)
    0.7601...

    Side by side with our own score, which is the mean over all orders of the documents:

    >>> print(ranking_report(data, scores=["ndcg@10", "trec_eval:ndcg_cut@10", "ranx:ndcg@10"]))
                             mean  standard error  undefined
    ...
    """
    found = find_program(program, "like")
    return ProgramScore(*find_convention(found, measure, options, "like"))


def programs() -> Mapping[str, Program]:
    """Return what is known of other programs, by their names.

    Returns
    -------
    programs : mapping of str to Program
        For each program its version, whether it was run or only read, the address of its source,
        the measures that `like` knows, and those that no convention describes.

    Examples
    --------
    >>> from ranking_scores.conventions import programs
    >>> programs()["LightGBM"].how
    'run'
    >>> list(programs()["LightGBM"].measures)
    ['ndcg', 'map']
    """
    return _programs.programs()
