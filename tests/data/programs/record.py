"""Record what other programs answer, in answers/: one file for each program.

Run by hand, never in CI and by no test: the tests read the numbers, so that they need none of the
programs. ``python tests/data/programs/record.py`` asks the programs that it finds installed, and
``python tests/data/programs/record.py ranx gdeval`` only those. The files of the others stay as
they are. Each of these environments is for some of them, on Python 3.11:

- ``pip install torch==2.13.0 pytrec_eval-terrier==0.5.11 ir_measures==0.4.3 cwl-eval==1.0.12
  ranx==0.3.21
  scikit-learn==1.9.1 torchmetrics==1.9.0 pytorch-ignite==0.5.5 torcheval==0.0.7 rax==0.4.0
  jax==0.10.2 keras==3.15.1 keras-rs==0.4.0 xgboost-cpu==3.2.0 lightgbm==4.7.0 catboost==1.2.10
  pyspark==4.3.0``, with Java and Perl. ml_metrics needs ``pip install "setuptools<58" wheel`` and
  ``pip install --no-build-isolation ml_metrics==0.1.4``. pytorchltr (the tag v0.2.1 of
  https://github.com/rjagerman/pytorchltr) and allRank (the commit c884756 of
  https://github.com/allegro/allRank) do not install on Python 3.11: put their checkouts on
  ``PYTHONPATH``.
- ``pip install torch==2.13.0 fbgemm-gpu-cpu==1.8.0 tensordict pyre-extensions iopath`` and
  ``pip install --no-deps torchrec==1.9.2 torchmetrics==1.0.3``
- ``pip install tensorflow-cpu==2.15.1 tensorflow-ranking==0.5.5``
- ``pip install RecTools==0.19.0 implicit==0.7.3 replay-rec==0.22.0 recommenders==1.2.1
  evidently==0.7.23 scikit-learn==1.8.0 pandas==2.3.3``
- ``pip install torch==2.13.0 beir==2.2.0 sentence-transformers==6.2.0 mteb==2.26.24``
- on Python 3.13 ``pip install torch==2.13.0 torchmetrics lenskit==2026.4.0`` and ``pip install
  --no-deps warprec==2.2.8``
- ``pip install recpack==0.3.6``, and alone ``pip install cornac==3.0.1 "scipy<1.17"``
- ``pip install torch==2.13.0 pykeen==1.11.1 loguru absl-py``, and ``pip install --no-deps
  recbole==1.2.1 colorlog tabulate texttable thop tensorboard LibRecommender==1.5.2
  torch-rechub==0.9.0``
- ``pip install llama-index-core==0.14.25 haystack-ai==3.4.0 trulens-core trulens-feedback==2.16.0
  ragas==0.4.3 "langchain-community<0.4" mlflow==3.17.2 azure-ai-evaluation==1.18.10
  pyvespa==1.2.9``
- ``pip install torch==2.13.0 pandas==2.3.3 "polars<2" polars_ds==0.13.0 unitxt==1.26.10
  rs-metrics==0.6.0 lxml sarge`` and ``pip install --no-deps trectools==0.0.50 rexmex==0.1.3
  ranking-metrics-torch==0.3.0``
- ``pip install torch==2.13.0 pytrec_eval-terrier==0.5.11 emoji tiktoken llama-index`` and
  ``pip install --no-deps AutoRAG==0.3.27 FlagEmbedding==1.4.2 arize-phoenix==20.26.1``

rcp-ndcg is not released: put the folders of its packages on ``PYTHONPATH``.
tie-aware-retrieval-metrics==0.1.1 installs anywhere. trec_eval 10 is a command: ``make`` in commit
f425365 of https://github.com/usnistgov/trec_eval, put it on ``PATH``, and name it: ``python
tests/data/programs/record.py "trec_eval 10"``. record_special.py asks what the cases do not.

What could not be run was read, and record_readings.py has what was found:
``python tests/data/programs/record.py readings`` writes its files. long_lists.py asks
about long lists with ties.
"""

from __future__ import annotations

import datetime
import importlib
import importlib.metadata
import importlib.util
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from asked import Program, Reading, answers, write
from record_readings import READINGS

MODULES = [
    "record_retrieval",
    "record_tensors",
    "record_boosting",
    "record_recommenders",
    "record_embedding",
    "record_padded",
    "record_rag",
    "record_matrices",
    "record_modules",
]


def record(program: Program) -> None:
    """Ask a program, and write its file."""
    entry = {
        "program": program.name,
        "version": program.version or importlib.metadata.version(program.distribution),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "how": "run",
        "source": program.source,
        "about": program.about,
        "measures": answers(program),
    }
    write(program.name, entry)


def write_down(reading: Reading) -> None:
    """Write the file of a program that was read."""
    entry = {
        "program": reading.name,
        "version": reading.version,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "how": "read",
        "source": reading.source,
        "about": reading.about,
        "measures": reading.conventions,
    }
    write(reading.name, entry)


def main() -> None:
    """Ask the programs that are named, or all that are installed, or write the readings."""
    names = sys.argv[1:]
    if names == ["readings"]:
        for reading in READINGS:
            write_down(reading)
        return
    for module in MODULES:
        for program in importlib.import_module(module).PROGRAMS:
            found = importlib.util.find_spec(program.module) is not None
            if program.name in names or (not names and found):
                print(program.name, flush=True)
                record(program)


if __name__ == "__main__":
    main()
