"""Scores of what is loaded already, in one process: each library on objects of its own, warm.

python -m benchmarks.in_memory [--rounds 3] [--folder DIR]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.made import SHAPES, make_files
from benchmarks.peers import MEASURES
from benchmarks.processes import machine
from metrics_core import evaluate, read_qrels, read_run

_OF_RANX = [
    "ndcg@10",
    "ndcg",
    "map",
    "mrr",
    "precision@5",
    "precision@10",
    "recall@100",
    "hit_rate@10",
]
_OF_PYTREC_EVAL = {
    *("ndcg_cut_10", "ndcg", "map", "recip_rank", "P_5", "P_10", "recall_100", "success_10")
}


def _ours(run: Path, qrels: Path) -> Callable[[], Any]:
    loaded, judgments = read_run(run), read_qrels(qrels)
    return lambda: evaluate(loaded, judgments, MEASURES.split(","))


def _ranx(run: Path, qrels: Path) -> Callable[[], Any]:
    import ranx

    loaded = ranx.Run.from_file(str(run), kind="trec")
    judgments = ranx.Qrels.from_file(str(qrels), kind="trec")
    return lambda: ranx.evaluate(judgments, loaded, _OF_RANX, make_comparable=True)


def _pytrec_eval(run: Path, qrels: Path) -> Callable[[], Any]:
    import pytrec_eval

    with run.open() as file:
        loaded = pytrec_eval.parse_run(file)
    with qrels.open() as file:
        judgments = pytrec_eval.parse_qrel(file)
    evaluator = pytrec_eval.RelevanceEvaluator(judgments, _OF_PYTREC_EVAL)
    return lambda: evaluator.evaluate(loaded)


LIBRARIES = {"Ranklens": _ours, "pytrec_eval": _pytrec_eval, "ranx": _ranx}


def main() -> int:
    """Print a line a library: the median of its rounds, after one that does not count."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    print(machine())
    print("\n| | seconds |\n| --- | ---: |")
    with tempfile.TemporaryDirectory() as scratch:
        folder = (options.folder or Path(scratch)) / "msmarco"
        run, qrels = make_files(folder, SHAPES["msmarco"])
        for name, load in LIBRARIES.items():
            if name != "Ranklens" and not find_spec(name):
                continue
            scored, seconds = load(run, qrels), []
            for _ in range(options.rounds + 1):
                start = time.perf_counter()
                scored()
                seconds.append(time.perf_counter() - start)
            print(f"| {name} | {statistics.median(seconds[1:]):.2f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
