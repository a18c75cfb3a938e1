"""An evaluator of sentence-transformers whose numbers are exact under ties.

`InformationRetrievalEvaluator` puts documents with equal scores in the order of their ids. Replace
the class, and each number is the mean over all orders, also if the documents that tie at the last
cutoff do not all fit::

    evaluator = ExactInformationRetrievalEvaluator(queries, corpus, relevant_docs)

The arguments, the names of the results, the files and the model card stay the same, and so do the
numbers where nothing ties.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from sentence_transformers.sentence_transformer.evaluation import InformationRetrievalEvaluator

from ranking_scores import (
    from_lists,
    hit_rate_score,
    mean_average_precision_score,
    mean_reciprocal_rank_score,
    ndcg_score,
    precision_at_k_score,
    recall_at_k_score,
)

SCORES = {
    "accuracy@k": (hit_rate_score, "accuracy_at_k"),
    "precision@k": (precision_at_k_score, "precision_recall_at_k"),
    "recall@k": (recall_at_k_score, "precision_recall_at_k"),
    "ndcg@k": (ndcg_score, "ndcg_at_k"),
    "mrr@k": (mean_reciprocal_rank_score, "mrr_at_k"),
    "map@k": (partial(mean_average_precision_score, denominator="achievable"), "map_at_k"),
}
"""The score for each result, and the attribute of the evaluator with its cutoffs."""


class ExactInformationRetrievalEvaluator(InformationRetrievalEvaluator):
    """Takes the place of `InformationRetrievalEvaluator`. Equal scores are ties."""

    def compute_all_metrics(self, model: Any, *args: Any, **kwargs: Any) -> Any:
        """Retrieve as sentence-transformers does, and keep the documents that tie at the end."""
        n_best = max(max(getattr(self, cutoffs)) for _, cutoffs in SCORES.values())
        given = self.score_functions
        self.score_functions = {name: BestOfEach(each, n_best) for name, each in given.items()}
        self._best = iter(self.score_functions.values())
        try:
            return super().compute_all_metrics(model, *args, **kwargs)
        finally:
            self.score_functions = given

    def compute_metrics(self, queries_result_list: list[Any]) -> dict[str, dict[int, float]]:
        """Return the numbers of the next score function."""
        retrieved: dict[Any, list[Any]] = {query: [] for query in self.queries_ids}
        for query, document, score in next(self._best).rows():
            retrieved[self.queries_ids[query]].append((self.corpus_ids[document], score))
        relevant = {query: list(self.relevant_docs[query]) for query in self.queries_ids}
        data = from_lists(relevant, retrieved)
        numbers = {}
        for name, (score_of, attribute) in SCORES.items():
            cutoffs = list(getattr(self, attribute))
            numbers[name] = dict(zip(cutoffs, score_of(data, k=cutoffs).tolist(), strict=True))
        return numbers


class BestOfEach:
    """A score function that keeps the best documents of each query, and those that tie there."""

    def __init__(self, score_function: Callable[..., torch.Tensor], n_best: int) -> None:
        self._score_function, self._n_best = score_function, n_best
        self._best = None
        self._kept: list[tuple[torch.Tensor, ...]] = []
        self._n_documents = 0

    def __call__(self, queries: torch.Tensor, documents: torch.Tensor) -> torch.Tensor:
        """Return the scores of the next part of the corpus."""
        scores = self._score_function(queries, documents)
        best = scores if self._best is None else torch.cat([self._best, scores], dim=1)
        self._best = best.topk(min(self._n_best, best.shape[1])).values
        query, document = (scores >= self._best[:, -1:]).nonzero(as_tuple=True)
        self._kept.append((query, document + self._n_documents, scores[query, document]))
        self._n_documents += scores.shape[1]
        return scores

    def rows(self) -> Any:
        """Yield a query, a document and its score, for all that can be among the best."""
        columns = (torch.cat(parts).tolist() for parts in zip(*self._kept, strict=True))
        return zip(*columns, strict=True)
