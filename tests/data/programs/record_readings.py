"""What was read in programs that could not be run, and the addresses where it was read."""

from __future__ import annotations

from asked import Reading

SEARCH_ENGINE = (
    "The order is that of the search engine. It was not read there, but Lucene's scores are "
    "float32, and its equal scores are in the order of the index. Queries without hits count 0, "
    "and the mean runs over all requests that have an answer."
)
RATED = "Ratings of relevant_rating_threshold, by default 1, and above are relevant. "
RANK_EVAL = {
    "precision, k, relevant_rating_threshold, ignore_unlabeled=false": RATED
    + "Relevant hits divided by the number of hits, which is at most k. 0 without hits.",
    "precision, ignore_unlabeled=true": RATED
    + "Relevant hits divided by the rated hits. 0 if none is rated.",
    "recall, k, relevant_rating_threshold": RATED
    + "Relevant hits divided by all relevant rated documents. 0 if there are none.",
    "mean_reciprocal_rank, k, relevant_rating_threshold": RATED
    + "The reciprocal rank of the first relevant hit among the first k, and 0 if there is none.",
    "dcg, k, normalize=false": "The sum of (2^rating - 1) / log2(1 + rank). Hits without a rating "
    "count nothing but take a rank, unless unknown_doc_rating gives them a rating.",
    "dcg, k, normalize=true": "DCG divided by the DCG of the rated documents in decreasing order, "
    "as many as there are hits: the ideal of a short list is short. 0 if that is 0.",
    "expected_reciprocal_rank, k, maximum_relevance": "The probability of a hit is "
    "(2^rating - 1) / 2^maximum_relevance. Hits without a rating are passed over but take a rank, "
    "unless unknown_doc_rating gives them a rating.",
}

READINGS = [
    Reading(
        "Elasticsearch",
        "the commit d04e400, and earlier ones of some files",
        "https://github.com/elastic/elasticsearch/tree/main/modules/rank-eval/src/main/java/org/"
        "elasticsearch/index/rankeval",
        "The API _rank_eval. " + SEARCH_ENGINE,
        RANK_EVAL,
    ),
    Reading(
        "OpenSearch",
        "the commit cb402cb",
        "https://github.com/opensearch-project/OpenSearch/tree/main/modules/rank-eval/src/main/"
        "java/org/opensearch/index/rankeval",
        "The API _rank_eval, with the code that Elasticsearch had at the fork: of it DCG was "
        "read, and the others in Elasticsearch. " + SEARCH_ENGINE,
        RANK_EVAL,
    ),
    Reading(
        "Search Relevance Workbench",
        "the commit d8be5d1",
        "https://github.com/opensearch-project/search-relevance/blob/main/src/main/java/org/"
        "opensearch/searchrelevance/metrics/calculator/Evaluation.java",
        "The plugin of OpenSearch. The order is that of the search engine, as with OpenSearch. "
        "Each value of a query is rounded to two decimals by Math.round, which rounds halves up.",
        {
            "Precision@10": "Hits with a judgment above 0 divided by min(k, number of hits).",
            "MAP@10": "Precision at the relevant ranks up to k, divided by all relevant ones.",
            "NDCG@10": "The gain is 2^judgment - 1, the discount log2(1 + rank). The ideal is "
            "that of the k best of all judgments. Earlier commits cut it at the number of hits.",
            "Coverage@10": "The judged share of ALL hits, not only of the first k.",
        },
    ),
    Reading(
        "ann-benchmarks",
        "the commit f402b2c",
        "https://github.com/erikbern/ann-benchmarks/blob/main/ann_benchmarks/plotting/metrics.py",
        "It compares distances and no ids: a neighbour counts if it is not farther than the k-th "
        "nearest one, so that all neighbours at that distance count.",
        {
            "k-nn, count=10": "Neighbours among the first k that are at most 0.001 farther than "
            "the k-th nearest one, divided by k, also if fewer were returned.",
            "epsilon, largeepsilon": "The same, with 1 or 10 percent of the distance added.",
            "rel": "The sum of all returned distances divided by that of the true ones.",
        },
    ),
    Reading(
        "Quepid",
        "commit f80322f",
        "https://github.com/o19s/quepid/tree/main/db/scorers",
        "Scorers of the documents that a search engine returned, in its order. Documents without "
        "a rating count 0. The cutoff is a constant in each scorer.",
        {
            "nDCG@10": "The gain is 2^rating - 1, the discount log2(1 + rank). The ideal is that "
            "of ALL rated documents, also if there are more than 10: it is not cut, so that a "
            "perfect list scores less than 1. 0 if the ideal is 0.",
            "DCG@10": "The sum of (2^rating - 1) / log2(1 + rank).",
            "AP@10": "Precision at the relevant ranks, divided by all relevant rated documents. "
            "Without any it is NaN, as 0 is divided by 0.",
            "P@10": "Relevant documents divided by the number of returned ones, at most 10. 0 "
            "if nothing is returned.",
            "RR@10": "The reciprocal rank of the first relevant document, or 0.",
            "ERR@10": "The probability is (2^rating - 1) / 2^max, where max is the greatest "
            "rating of the scorer's scale.",
        },
    ),
    Reading(
        "Elliot",
        "0.3.1, commit fc27efe",
        "https://github.com/sisinflab/elliot/tree/master/elliot/evaluation/metrics/accuracy",
        "Recommendations are lists in the order of the model. Relevant are items whose rating in "
        "the test set reaches the threshold. The mean runs over the users that have "
        "recommendations and a relevant item: without recommendations a user is left out.",
        {
            "nDCG": "The gain is 2^(rating - threshold + 1) - 1, the discount log2(1 + rank), "
            "the ideal all relevant items cut at k.",
            "nDCGRendle2020": "As nDCG, with gains of 1.",
            "MAP": "The mean of precision at each of the ranks 1 to k, relevant or not, with "
            "each precision divided by its rank: that is not average precision.",
            "MRR": "The reciprocal rank of the first relevant item among k, or 0.",
            "Precision": "Hits divided by k.",
            "Recall": "Hits divided by all relevant items.",
        },
    ),
    Reading(
        "WarpRec",
        "commit e00f8cc; release 2.2.8 needs Python 3.12",
        "https://github.com/sisinflab/warprec/tree/main/warprec/evaluation/metrics/accuracy",
        "Dense rows of scores for all items, sorted by torch.topk, which does not define the "
        "order of equal scores. float32. Users without relevant items are NaN, and left out.",
        {
            "nDCG": "The gain is 2^(rating + 1) - 1 if the rating is above 0, the ideal all "
            "relevant items cut at k.",
            "nDCGRendle2020": "As nDCG, with gains of 1.",
            "MAP": "Precision at the relevant ranks, divided by min(k, relevant items).",
            "MRR": "The reciprocal rank of the first relevant item among k, or 0.",
            "Precision": "Hits divided by k.",
            "Recall": "Hits divided by all relevant items.",
        },
    ),
    Reading(
        "pyxclib",
        "commit 5d13086",
        "https://github.com/kunaldahiya/pyxclib/blob/master/xclib/evaluation/xc_metrics.py",
        "Rows of scores for all labels. Dense rows are sorted by numpy.argpartition and argsort, "
        "which do not define the order of equal scores. The mean runs over all rows, and those "
        "without relevant labels count 0. Answers are of the cutoffs 1 to k, and nDCG is float32.",
        {
            "precision": "Hits divided by k.",
            "ndcg": "Binary gains, log2(1 + rank), the ideal min(k, relevant labels).",
            "recall": "Hits divided by the relevant labels, or by 1 without any.",
            "psprecision": "Hits weighted by inverse propensity, the mean of all rows divided by "
            "the mean of the best possible: a ratio of means, not a mean of ratios.",
            "psndcg": "The same of discounted hits, each row divided by the ideal of binary gains "
            "before the means are taken.",
        },
    ),
    Reading(
        "deepeval",
        "the commit 4868fb5",
        "https://github.com/confident-ai/deepeval/blob/main/deepeval/metrics/"
        "contextual_precision/contextual_precision.py",
        "A language model says of each retrieved text whether it is relevant, so that there are "
        "no judgments and no documents that were not retrieved.",
        {
            "ContextualPrecisionMetric": "Precision at the relevant ranks, divided by the "
            "relevant ones that were RETRIEVED. 0 if there are none, or no verdicts. With "
            "strict_mode a score below the threshold becomes 0.",
        },
    ),
]
