"""
Which retriever finds the right page?
=====================================

A retriever for a chatbot returns passages, and the gold set names documents.
This example searches the docstrings of this package for the answers to 24
questions, with two kinds of TF-IDF, and compares them: as documents and as the
list of passages that a language model would read.
"""

# %%
# The documents are the public functions and classes, and each paragraph of a
# docstring is a passage. The id of a passage is the name of its document, a
# number sign, and its place.
import inspect
from importlib import import_module

modules = ["", ".report", ".scorers", ".significance", ".streaming"]
modules += [".tables", ".ties", ".trec"]
passages = {}
for module in modules:
    module = import_module(f"ranking_scores{module}")
    for name in module.__all__:
        text = inspect.getdoc(getattr(module, name)) or ""
        text = text.partition("\nExamples\n---")[0]
        for place, paragraph in enumerate(text.split("\n\n")):
            passages[f"{name}#{place}"] = paragraph

print(len(passages), "passages")
# sphinx_gallery_start_ignore
assert len(passages) > 500
# sphinx_gallery_end_ignore

# %%
# The gold set has the documents that answer each question, and its kind. A real
# one comes from people who know the documents, or from logs.
gold = {
    "which metric uses graded relevance": ("ndcg_score", "metric"),
    "is one relevant item among the first k": ("hit_rate_score", "metric"),
    "reciprocal of the rank of the first relevant item": (
        "mean_reciprocal_rank_score",
        "metric",
    ),
    "share of the relevant items that were retrieved": (
        "recall_at_k_score",
        "metric",
    ),
    "a user who stops with a constant persistence": (
        "rank_biased_precision_score",
        "metric",
    ),
    "a cascade of users who stop when satisfied": (
        "expected_reciprocal_rank_score",
        "metric",
    ),
    "harmonic mean of precision and recall": ("f1_at_k_score", "metric"),
    "area under the curve per user": ("grouped_auc_score", "metric"),
    "probability that a pair of items is in the right order": (
        "pairwise_accuracy_score",
        "metric",
    ),
    "scorer for a grid search": ("make_ranking_scorer", "task"),
    "score data that comes in batches": ("StreamingScore", "task"),
    "many metrics in one table with standard errors": (
        "ranking_report",
        "task",
    ),
    "join a data frame of judgments with predictions": ("from_tables", "task"),
    "lists of ids retrieved for each question": ("from_lists", "task"),
    "read a file of JSON lines": ("read_json", "task"),
    "write a run file for trec_eval": ("write_run", "task"),
    "read qrels": ("read_qrels", "task"),
    "batches that do not cut a query": ("whole_queries", "task"),
    "test whether one system is better": ("compare", "statistics"),
    "several systems, corrected for multiple comparisons": (
        "compare_all",
        "statistics",
    ),
    "how many queries are needed for a given power": (
        "queries_needed",
        "statistics",
    ),
    "confidence interval of a mean score": (
        "confidence_interval",
        "statistics",
    ),
    "how much do tied scores matter": ("tie_report", "statistics"),
    "expected score of a random ranking": ("chance_level", "statistics"),
}
relevant = {question: [document] for question, (document, _) in gold.items()}
kind = {question: kind for question, (_, kind) in gold.items()}

# %%
# The first retriever compares words. The second compares pieces of words, which
# finds "scores" with "scoring".
from sklearn.feature_extraction.text import TfidfVectorizer

retrievers = {
    "words": TfidfVectorizer(sublinear_tf=True, stop_words="english"),
    "pieces": TfidfVectorizer(
        sublinear_tf=True, analyzer="char_wb", ngram_range=(3, 5)
    ),
}
ids = list(passages)
found = {}
for name, vectorizer in retrievers.items():
    vectors = vectorizer.fit_transform(passages.values())
    similarity = (vectorizer.transform(gold) @ vectors.T).toarray()
    best = (-similarity).argsort(axis=1, kind="stable")[:, :20]
    found[name] = {
        question: [(ids[place], row[place]) for place in places]
        for question, row, places in zip(gold, similarity, best)
    }

# %%
# Cut at the number sign, the ids of passages become those of documents. With
# ``duplicates="best"``, a document counts once, at its best passage.
from ranking_scores import ranking_report
from ranking_scores.tables import from_lists

joined = {
    name: from_lists(relevant, lists, split="#", duplicates="best")
    for name, lists in found.items()
}
reports = {
    name: ranking_report(
        data, scores=["hit_rate@1", "hit_rate@5", "mrr@10"], k=None, by=kind
    )
    for name, data in joined.items()
}
# sphinx_gallery_start_ignore
assert 0.3 < reports["words"]["mrr@10"] < 0.95
assert sum(reports["words"].by_group["group"]["task"].per_query["mrr@10"]) > 1
# sphinx_gallery_end_ignore
reports["words"]

# %%
# The curves show the share of the questions whose answer is among the first k
# documents:
from ranking_scores.plotting import RankingCurveDisplay

display = RankingCurveDisplay.from_predictions(
    joined, score="hit_rate", k=range(1, 11), confidence_level=None
)
display.ax_.set_title("Hit rate of two retrievers on 24 questions")

# %%
# Is one retriever better? With 24 questions, only a large difference shows.
from ranking_scores.significance import compare_all

compare_all(reports, random_state=0)

# %%
# A language model reads passages, also several of one document, so its context
# is the list as it is. With ``duplicates="hold"``, the further passages of a
# document keep their places, and are not relevant again.
for name, lists in found.items():
    data = from_lists(relevant, lists, split="#", duplicates="hold")
    held = ranking_report(data, scores=["precision@5", "mrr@10"], k=None)
    print(name, {metric: round(mean, 3) for metric, mean in held.items()})
