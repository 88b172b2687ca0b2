"""Scores of what is loaded already, in one process: each library on objects of its own, warm; and
of dictionaries and lists, beside pytrec_eval with the construction of its evaluator.

    python -m benchmarks.in_memory [--rounds 3] [--folder DIR]

Dictionaries are {query_id: {doc_id: score}} with scores as floats or whole numbers, and lists
{query_id: [doc_id, …]}.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.held import FORMS, SIZES, held
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


_DICTS = ["P@10", "AP", "nDCG@10"]
_DICTS_OF_PYTREC_EVAL = {"P_10", "map", "ndcg_cut_10"}


def dicts(form: str, queries: int, depth: int) -> dict[str, Callable[[], Any]]:
    """What each library does with such a run; lists, which pytrec_eval does not read, by Ranklens
    alone."""
    run, qrels = held(form, queries, depth)
    scored: dict[str, Callable[[], Any]] = {"Ranklens": lambda: evaluate(run, qrels, _DICTS)}
    if form != "lists" and find_spec("pytrec_eval"):
        import pytrec_eval

        scored["pytrec_eval"] = lambda: pytrec_eval.RelevanceEvaluator(
            qrels, _DICTS_OF_PYTREC_EVAL
        ).evaluate(run)
    return scored


def medians(scored: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Median processor seconds of each in turn, after one round that does not count."""
    seconds: dict[str, list[float]] = {name: [] for name in scored}
    for _ in range(rounds + 1):
        for name, call in scored.items():
            start = time.process_time()
            call()
            seconds[name].append(time.process_time() - start)
    return {name: statistics.median(own[1:]) for name, own in seconds.items()}


def _print_dicts(rounds: int) -> None:
    print("\n| | Ranklens, s | pytrec_eval, s | Ranklens takes |\n| --- | ---: | ---: | ---: |")
    for queries, depth in SIZES:
        for form in FORMS:
            found = medians(dicts(form, queries, depth), rounds)
            own, peer = found["Ranklens"], found.get("pytrec_eval")
            beside = "| |" if peer is None else f"{peer:.3f} | {own / peer:.2f} of it |"
            print(f"| {queries:,} × {depth:,}, {form} | {own:.3f} | {beside}", flush=True)


LIBRARIES = {"Ranklens": _ours, "pytrec_eval": _pytrec_eval, "ranx": _ranx}


def main() -> int:
    """Print a line a library: the median of its rounds, after one that does not count."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    print(machine())
    _print_dicts(options.rounds)
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
