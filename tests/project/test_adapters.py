"""The adapters in `examples/adapters`, which a loop of another library takes instead of its own.

Each is compared with what it replaces where nothing ties, and with the package under ties.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ranking_scores import StreamingScore, from_lists, ndcg_score, ranking_report
from ranking_scores.trec import from_pytrec_eval

ROOT = Path(__file__).parents[2]
ADAPTERS = ROOT / "examples" / "adapters"
ROUNDED = 1e-12
"""How far numbers are off if each step is rounded, and not only the result."""
SINGLE = 1e-6
"""How far numbers are off in float32."""

FIVE_DIGITS = 5.1e-6
"""How far means are off that MTEB rounds to five digits."""

LIBRARIES = {
    "ignite_metric": ["torch", "ignite"],
    "keras_metric": ["torch", "keras", "keras_rs"],
    "mlflow_metric": ["mlflow", "alembic"],
    "mteb_results": ["mteb"],
    "sentence_transformers_evaluator": ["sentence_transformers"],
    "torchmetrics_metric": ["torch", "torchmetrics"],
}
"""What each adapter and its tests need. All of it is in the extra engines."""


def adapter(name):
    """Return the module of an adapter, or skip the test if its library is not installed."""
    for library in LIBRARIES[name]:
        pytest.importorskip(library, reason=f"{library} is in the extra engines")
    spec = importlib.util.spec_from_file_location(name, ADAPTERS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_adapter_is_tested():
    assert {path.stem for path in ADAPTERS.glob("*.py")} == LIBRARIES.keys()


@pytest.mark.parametrize("name", LIBRARIES)
def test_an_adapter_is_short_and_says_how_it_is_used(name):
    text = (ADAPTERS / f"{name}.py").read_text(encoding="utf-8")
    _, docstring, _ = text.split('"""', maxsplit=2)
    assert "::\n\n    " in docstring
    assert len(text.splitlines()) <= 125


# Keras 3.15 has tensors that do not take a parameter of NumPy 2.
in_keras = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")


# --- metrics of a loop ------------------------------------------------------------------------


@pytest.fixture(params=["without ties", "with ties"])
def data(request):
    """Return labels and scores of 30 queries."""
    rng = np.random.default_rng(0)
    labels, scores = rng.integers(0, 4, (30, 12)).astype(float), rng.random((30, 12))
    return labels, np.floor(4 * scores) if request.param == "with ties" else scores


def in_batches(*arrays):
    """Yield the queries in batches, of which the last is smaller."""
    for start in range(0, 30, 8):
        yield [each[start : start + 8] for each in arrays]


def in_rows(labels, scores):
    """Return flat labels and scores, and the query of each row."""
    return labels.ravel(), scores.ravel(), np.arange(30).repeat(12)


def as_tensors(*arrays):
    """Return tensors of PyTorch, and of the second one its gradient is wanted."""
    from torch import from_numpy

    tensors = [from_numpy(each) for each in arrays]
    tensors[1].requires_grad_()
    return tensors


def test_a_metric_of_torchmetrics(data):
    module = adapter("torchmetrics_metric")
    metric = module.RankingMetric(StreamingScore("ndcg@10"))
    for labels, scores in in_batches(*as_tensors(*data)):
        assert metric(scores, labels).item() == ndcg_score(labels, scores, k=10)
    expected = ndcg_score(*data, k=10)
    assert metric.compute().item() == metric.clone().compute().item() == expected
    metric.reset()
    assert not metric.update_called
    labels, scores, query = as_tensors(*in_rows(*data))
    metric.update(scores, labels, indexes=query)
    assert metric.compute().item() == expected


def test_a_metric_of_torchmetrics_equals_the_one_it_replaces_without_ties(data):
    module = adapter("torchmetrics_metric")
    from torchmetrics.retrieval import RetrievalNormalizedDCG

    labels, scores, query = as_tensors(*in_rows(*data))
    ours = module.RankingMetric(StreamingScore("ndcg@10", gain="exponential"))
    theirs = RetrievalNormalizedDCG(top_k=10)
    ours.update(scores, labels, query)
    theirs.update(scores, labels.long(), query)
    expected = ndcg_score(*data, k=10, gain="exponential")
    assert ours.compute().item() == expected
    linear = module.RankingMetric(StreamingScore("ndcg@10"))
    linear.update(scores, labels, query)
    assert theirs.compute().item() == pytest.approx(linear.compute().item(), abs=SINGLE)


def test_several_scores_of_torchmetrics_in_a_collection(data):
    module = adapter("torchmetrics_metric")
    from torchmetrics import MetricCollection

    labels, scores = as_tensors(*data)
    several = module.RankingMetric(StreamingScore(["mrr", "map"]))
    metrics = MetricCollection(
        {"several": several, "ndcg": module.RankingMetric(StreamingScore("ndcg"))}
    )
    for batch_labels, batch_scores in in_batches(labels, scores):
        metrics.update(batch_scores, batch_labels)
    report = ranking_report(*data, scores=["mrr", "map", "ndcg"], k=None)
    assert {name: value.item() for name, value in metrics.compute().items()} == dict(report)


def test_states_of_torchmetrics_are_merged(data):
    module = adapter("torchmetrics_metric")
    labels, scores = data
    parts = [module.RankingMetric(StreamingScore("ndcg@10")) for _ in range(2)]
    for part, rows in zip(parts, (slice(0, 13), slice(13, 30)), strict=True):
        part.update(scores[rows], labels[rows])
        part.compute()
    parts[0].merge_state(parts[1])
    assert parts[0].compute().item() == ndcg_score(labels, scores, k=10)
    assert parts[1].compute().item() == ndcg_score(labels[13:], scores[13:], k=10)


def test_a_metric_of_torchmetrics_is_synced_once():
    module = adapter("torchmetrics_metric")
    from torchmetrics.utilities.exceptions import TorchMetricsUserError

    metric = module.RankingMetric(StreamingScore("ndcg@10"))
    metric.sync()  # does nothing in one process
    with pytest.raises(TorchMetricsUserError, match="already been un-synced"):
        metric.unsync()
    metric._is_synced = True
    with pytest.raises(TorchMetricsUserError, match="already been synced"):
        metric.sync(distributed_available=lambda: True)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ("ndcg@10", True),
        ("arp", False),
        (["ndcg", "mrr"], True),
        (["ndcg", "arp"], None),
    ],
)
def test_which_direction_of_torchmetrics_is_better(scores, expected):
    metric = adapter("torchmetrics_metric").RankingMetric(StreamingScore(scores))
    assert metric.higher_is_better is expected


@pytest.mark.parametrize("scores", ["ndcg@10", ["mrr", "ndcg@5"]])
def test_a_checkpoint_of_torchmetrics_in_mid_epoch_has_the_sums(data, scores, tmp_path):
    module = adapter("torchmetrics_metric")
    import torch

    labels, values, query = in_rows(*data)
    first, rest = slice(0, 13 * 12), slice(13 * 12, None)
    metric = torch.nn.ModuleDict({"val": module.RankingMetric(StreamingScore(scores))})
    metric["val"].update(values[first], labels[first], query[first])
    torch.save(metric.state_dict(), tmp_path / "checkpoint.pt")
    resumed = torch.nn.ModuleDict({"val": module.RankingMetric(StreamingScore(scores))})
    resumed["val"].update(values[rest], labels[rest], query[rest])  # which is forgotten
    resumed.load_state_dict(torch.load(tmp_path / "checkpoint.pt", weights_only=True))
    for each in (metric["val"], resumed["val"]):
        each.update(values[rest], labels[rest], query[rest])
    assert resumed["val"].compute() == metric["val"].compute()
    other = module.RankingMetric(StreamingScore("mrr"))
    with pytest.raises(ValueError, match="a stream of the same score"):
        other.set_extra_state(metric["val"].get_extra_state())


def the_line_of(name):
    """Return the stream that the docstring of an adapter makes."""
    text = adapter(name).__doc__
    lines = text[text.index("    ndcg = ") :].partition("(ndcg")[0].splitlines()[:-1]
    namespace = {"StreamingScore": StreamingScore}
    exec("\n".join(lines).replace("    ndcg", "ndcg", 1), namespace)
    return namespace["ndcg"]


def test_the_line_of_ignite_has_its_numbers(data):
    from_docstring = the_line_of("ignite_metric")
    from ignite.metrics.rec_sys import NDCG

    labels, scores = as_tensors(*data)
    labels[0], labels[1] = 0, labels[1] / 2
    theirs = NDCG([10])
    theirs.update((scores, labels))
    by_name = StreamingScore("ignite:NDCG@10")
    for stream in (from_docstring, by_name):
        stream.update(labels, scores)
    assert by_name.compute() == pytest.approx(theirs.compute()[0], abs=SINGLE)
    is_same = from_docstring.compute() == pytest.approx(theirs.compute()[0], abs=SINGLE)
    assert is_same == (np.unique(data[1]).size > 4)


@in_keras
def test_the_line_of_keras_has_its_numbers(data):
    ours = the_line_of("keras_metric")
    import keras_rs

    labels, scores = data
    labels[0] = 0
    ours.update(labels, scores)
    numbers = []
    for seed in range(20):
        theirs = keras_rs.metrics.NDCG(k=10, seed=seed)
        theirs.update_state(labels, scores)
        numbers.append(float(theirs.result()))
    assert np.mean(numbers) == pytest.approx(ours.compute(), abs=0.01)
    if np.unique(scores).size > 4:
        assert numbers == pytest.approx([ours.compute()] * 20, abs=SINGLE)


def test_a_metric_of_ignite(data):
    module = adapter("ignite_metric")
    from ignite.engine import Engine

    engine = Engine(lambda _, batch: batch)
    module.RankingMetric(StreamingScore("ndcg@10")).attach(engine, "ndcg")
    several = module.RankingMetric(
        StreamingScore(["mrr", "map"]), output_transform=lambda output: output[:2]
    )
    several.attach(engine, "several")
    loader = [(scores, labels) for labels, scores in in_batches(*as_tensors(*data))]
    metrics = engine.run(loader).metrics
    assert metrics["ndcg"] == ndcg_score(*data, k=10)
    assert metrics["several"] == dict(ranking_report(*data, scores=["mrr", "map"], k=None))
    scores, labels = loader[0]
    metrics = engine.run([(list(scores), list(labels))]).metrics
    assert metrics["ndcg"] == ndcg_score(labels, scores, k=10)


def test_flat_batches_of_ignite_and_none(data):
    module = adapter("ignite_metric")
    from ignite.exceptions import NotComputableError

    metric = module.RankingMetric(StreamingScore("ndcg@10"))
    with pytest.raises(NotComputableError):
        metric.compute()
    labels, scores, query = as_tensors(*in_rows(*data))
    metric.update((scores, labels, {"qid": query}))
    assert metric.compute() == ndcg_score(*data, k=10)


def test_a_metric_of_ignite_equals_the_one_it_replaces_without_ties(data):
    module = adapter("ignite_metric")
    from ignite.metrics.rec_sys import NDCG

    labels, scores = as_tensors(*data)
    ours, theirs = module.RankingMetric(StreamingScore("ndcg@10", gain="exponential")), NDCG([10])
    for metric in (ours, theirs):
        metric.update((scores, labels))
    is_same = ours.compute() == pytest.approx(theirs.compute()[0], abs=SINGLE)
    assert is_same == (np.unique(data[1]).size > 4)


@pytest.mark.slow
def test_two_processes_of_gloo_give_the_number_of_one():
    for name in ("ignite_metric", "torchmetrics_metric"):
        adapter(name)
    two = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"]
    worker = [ROOT / "tests" / "gloo_worker.py", ADAPTERS]
    alone, together = (
        json.loads(
            subprocess.run(
                [sys.executable, *start, *worker],
                capture_output=True,
                text=True,
                check=True,
                timeout=300,
            ).stdout
        )
        for start in ([], two)
    )
    rng = np.random.default_rng(0)
    labels, scores = (rng.integers(0, 4, (31, 12)) for _ in range(2))
    expected = ndcg_score(labels, scores, k=10)
    assert [alone.pop("n_own"), together.pop("n_own")] == [31, 16]
    batch = alone.pop("batch"), together.pop("batch")  # the last one of the first process
    of_batch = range(6, 31), range(12, 31, 2)
    assert batch == tuple(ndcg_score(labels[rows], scores[rows], k=10) for rows in of_batch)
    more = alone.pop("more"), together.pop("more")
    twice = [[*range(31), 0], [*range(31), 0, 1]]  # each process adds a query
    assert more == tuple(ndcg_score(labels[rows], scores[rows], k=10) for rows in twice)
    assert alone == together == dict.fromkeys(("all", "reset", "ignite"), expected)


@in_keras
def test_a_metric_of_keras(data):
    module = adapter("keras_metric")
    import keras_rs

    ours = module.RankingMetric(StreamingScore("ndcg@10", gain="exponential"), name="ndcg")
    assert np.isnan(ours.result())
    for _ in range(2):  # epochs
        for labels, scores in in_batches(*as_tensors(*data)):
            ours.update_state(labels, scores)
        assert ours.result() == ndcg_score(*data, k=10, gain="exponential")
        ours.reset_state()
    ours.update_state(*data)
    numbers = []
    for seed in range(20):
        theirs = keras_rs.metrics.NDCG(k=10, seed=seed)
        theirs.update_state(*data)
        numbers.append(float(theirs.result()))
    if np.unique(data[1]).size > 4:
        assert numbers == pytest.approx([ours.result()] * 20, abs=SINGLE)
    else:
        assert min(numbers) < ours.result() < max(numbers)
        assert np.mean(numbers) == pytest.approx(ours.result(), abs=0.01)


@in_keras
def test_padding_masks_and_weights_of_keras(data):
    module = adapter("keras_metric")
    labels, scores = data
    is_padding = np.random.default_rng(1).random(labels.shape) < 0.2
    weights = np.arange(30) % 3
    metric = module.RankingMetric(StreamingScore("ndcg@10"))
    where = ~is_padding & (np.arange(12) < 10)
    padded = {"labels": np.where(is_padding, -1, labels), "mask": np.arange(12) < 10 + 0 * labels}
    metric.update_state(padded, scores, sample_weight=weights)
    expected = ndcg_score(labels, scores, k=10, where=where, sample_weight=weights)
    assert metric.result() == expected


@in_keras
def test_a_model_of_keras_is_watched(data, tmp_path):
    module = adapter("keras_metric")
    import keras

    keras.utils.set_random_seed(0)
    labels, _ = data
    features = np.random.default_rng(1).normal(size=(30, 12, 3))
    model = keras.Sequential([keras.layers.Dense(1), keras.layers.Reshape((12,))])
    metric = module.RankingMetric(StreamingScore("ndcg@10"), name="ndcg")
    model.compile(keras.optimizers.SGD(0.05), loss="mse", metrics=[metric])
    watched = {"validation_data": (features, labels), "batch_size": 8, "verbose": 0}
    history = model.fit(features, labels, epochs=2, **watched).history
    predicted = model.predict(features, verbose=0)
    assert history["val_ndcg"][-1] == ndcg_score(labels, predicted, k=10)
    model.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras", compile=False)
    assert (again.predict(features, verbose=0) == predicted).all()


# --- evaluations ------------------------------------------------------------------------------


@pytest.mark.filterwarnings(
    "ignore::DeprecationWarning",  # MLflow uses what pandas drops
    "ignore::ImportWarning",
    "ignore:.*Any type hint is inferred:UserWarning",  # of a class of MLflow
)
def test_a_metric_of_mlflow(data, tmp_path):
    module = adapter("mlflow_metric")
    import mlflow
    import pandas as pd

    labels, scores, query = in_rows(*data)
    frame = pd.DataFrame({"label": labels, "score": scores, "query": query.astype(str)})
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/mlflow.db")
    with mlflow.start_run():
        found = mlflow.models.evaluate(
            data=frame,
            targets="label",
            predictions="score",
            extra_metrics=[
                module.ranking_metric("ndcg", k=10),
                module.ranking_metric("mrr", relevance_threshold=2),
            ],
            evaluator_config={"col_mapping": {"qid": "query"}},
        )
    assert module.ranking_metric("ndcg", k=10).greater_is_better
    assert not module.ranking_metric("arp").greater_is_better
    ndcg = ranking_report(*data, scores="ndcg", k=10)
    mrr = ranking_report(*data, scores="mrr", k=None, relevance_threshold=2)
    assert found.metrics == {
        "ndcg_at_10/mean": ndcg["ndcg@10"],
        "ndcg_at_10/standard_error": ndcg.standard_error["ndcg@10"],
        "mrr/mean": mrr["mrr"],
        "mrr/standard_error": mrr.standard_error["mrr"],
    }


class ModelOfTables:
    """Looks to an evaluator as a model does whose texts are places in a table of vectors."""

    similarity_fn_name = "dot"

    def __init__(self, tables):
        self._tables = tables
        self.on_its_card = []
        self.model_card_data = self

    def set_evaluation_metrics(self, evaluator, metrics, epoch, step):
        self.on_its_card.append(metrics)

    def encode_query(self, texts, **options):
        return self._tables[0][[int(each) for each in texts]]

    def encode_document(self, texts, **options):
        return self._tables[1][[int(each) for each in texts]]

    def similarity(self, queries, documents):
        return queries @ documents.T


@pytest.fixture(params=["without ties", "with ties"])
def retrieval(request):
    """Return a model, the arguments of an evaluator of it, and all scores."""
    torch = pytest.importorskip("torch", reason="torch is in the extra engines")
    rng = np.random.default_rng(0)
    tables = [rng.normal(size=(n, 3)) for n in (20, 50)]
    if request.param == "with ties":
        tables = [np.round(each) for each in tables]
    queries = {f"q{row}": str(row) for row in range(20)}
    documents = {f"d{row:02}": str(row) for row in range(50)}
    relevant = {
        query: {f"d{row:02}" for row in rng.choice(55, 1 + number % 4, replace=False)}
        for number, query in enumerate(queries)
    } | {"q7": set()}
    scores = tables[0] @ tables[1].T
    return (
        ModelOfTables([torch.from_numpy(each) for each in tables]),
        (queries, documents, relevant),
        scores,
    )


@pytest.mark.parametrize("chunk", [7, 1000])
def test_an_evaluator_of_sentence_transformers(retrieval, chunk, tmp_path):
    module = adapter("sentence_transformers_evaluator")
    from sentence_transformers.sentence_transformer.evaluation import (
        InformationRetrievalEvaluator,
    )

    model, arguments, scores = retrieval
    options = {"corpus_chunk_size": chunk, "map_at_k": [2, 12], "ndcg_at_k": [5, 10]}
    options |= {"name": "test", "write_predictions": True}
    theirs, ours = (
        each(*arguments, **options)
        for each in (
            InformationRetrievalEvaluator,
            module.ExactInformationRetrievalEvaluator,
        )
    )
    expected = theirs(model, str(tmp_path / "theirs"))
    for _ in range(2):  # as a training loop does
        found = ours(model, str(tmp_path / "ours"))
    assert found.keys() == expected.keys()
    assert model.on_its_card == [expected, found, found]
    assert ours.primary_metric == theirs.primary_metric
    assert ours.score_functions == theirs.score_functions
    files = [sorted(each.name for each in (tmp_path / of).iterdir()) for of in ("ours", "theirs")]
    assert files[0] == files[1]
    is_same = {name: found[name] == pytest.approx(expected[name], abs=ROUNDED) for name in found}
    has_ties = any(np.unique(row).size < row.size for row in scores)
    assert all(is_same.values()) != has_ties
    # In one call, all documents are ranked.
    queries, documents, relevant = arguments
    of_all = [list(zip(documents, row.tolist(), strict=True)) for row in scores]
    data = from_lists(
        {query: list(relevant[query]) for query in queries if relevant[query]},
        {query: of_all[int(text)] for query, text in queries.items() if relevant[query]},
    )
    exact = ranking_report(data, scores=["ndcg", "recall", "mrr"], k=[1, 5, 10])
    for name, of in {"ndcg@10": "ndcg@10", "recall@5": "recall@5", "mrr@10": "mrr@10"}.items():
        assert found[f"test_dot_{name}"] == exact[of]


def test_an_evaluator_of_sentence_transformers_keeps_few_scores():
    module = adapter("sentence_transformers_evaluator")
    import torch

    best = module.BestOfEach(lambda _, documents: documents, n_best=2)
    for part in ([[3.0, 1, 4]], [[2.0, 3, 0]], [[1.0, 1, 1]]):
        best(None, torch.tensor(part))
    assert sorted(best.rows()) == [(0, 0, 3.0), (0, 2, 4.0), (0, 4, 3.0)]  # two of them tie


def test_results_of_mteb(retrieval, tmp_path):
    module = adapter("mteb_results")
    import mteb
    from datasets import Dataset
    from mteb.mocks.mock_tasks.retrieval import MockRetrievalTask

    _, (queries, documents, relevant), scores = retrieval
    rng = np.random.default_rng(0)
    grades = {
        query: {document: int(rng.integers(1, 4)) for document in sorted(relevant[query])}
        for query in queries
    } | {"q3": {"d04": 0}, "not asked": {"d04": 1}}
    run = {
        query: dict(zip(documents, scores[int(text)].astype(np.float32).tolist(), strict=True))
        for query, text in queries.items()
    }

    run["q5"]["q5"] = 99.0

    class Task(MockRetrievalTask):
        ignore_identical_ids = True
        metadata = MockRetrievalTask.metadata.model_copy(update={"eval_splits": ["test"]})

        def load_data(self, *args, **kwargs):
            split = {
                "queries": Dataset.from_dict({"id": list(queries), "text": list(queries)}),
                "corpus": Dataset.from_dict({"id": list(documents), "text": list(documents)}),
                "relevant_docs": grades,
                "top_ranked": None,
            }
            self.dataset, self.data_loaded = {"default": {"test": split}}, True

    class Search:
        mteb_model_meta = mteb.get_model_meta("mteb/baseline-random-encoder")

        def index(self, corpus, **options):
            assert list(corpus["id"]) == list(documents)

        def search(self, queries, **options):
            return {query: run[query] for query in queries["id"]}

    options = {"cache": None, "co2_tracker": False, "show_progress_bar": False}
    found = mteb.evaluate(Search(), Task(), prediction_folder=tmp_path, **options)
    [theirs] = found.task_results
    ours = module.exact_result(theirs, Task(), tmp_path)
    [ours_of_test], [theirs_of_test] = ours.scores["test"], theirs.scores["test"]
    assert "q5" not in run["q5"]  # since MTEB drops it
    judged = {query: grades[query] for query in queries if grades[query]}
    exact = from_pytrec_eval(judged, {query: run[query] for query in judged})
    report = ranking_report(exact, scores=["ndcg", "mrr"], k=[1, 10])
    assert ours.get_score() == ours_of_test["main_score"] == report["ndcg@10"]
    assert ours_of_test["mrr_at_10"] == report["mrr@10"]
    has_ties = any(np.unique(row).size < row.size for row in scores)
    is_same = {
        name: value == pytest.approx(theirs_of_test[name], abs=FIVE_DIGITS)
        for name, value in ours_of_test.items()
        if "_at_" in name
    }
    assert len(is_same) == 42
    assert all(is_same.values()) != has_ties
    assert ours_of_test.keys() < theirs_of_test.keys()
    ours.to_disk(tmp_path / "exact.json")
    in_file = ours.from_disk(tmp_path / "exact.json").get_score()
    assert in_file == pytest.approx(report["ndcg@10"], abs=SINGLE)  # MTEB rounds what it saves


def test_results_of_mteb_that_ties_alone_do_not_change(tmp_path):
    module = adapter("mteb_results")
    from mteb.mocks.mock_tasks.retrieval import MockRetrievalTask

    task = MockRetrievalTask()
    task.skip_first_result = True
    with pytest.raises(ValueError, match="MockRetrievalTask skips the first result"):
        module.exact_result(None, task, tmp_path)
    task.skip_first_result = False
    task.metadata = task.metadata.model_copy(update={"main_score": "accuracy"})
    with pytest.raises(ValueError, match="The score accuracy is computed by MTEB alone"):
        module.exact_result(None, task, tmp_path)
