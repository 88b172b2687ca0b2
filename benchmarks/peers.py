"""From files to scores, beside the peers: medians of alternating processes, ratios, peak memory.

    python -m benchmarks.peers [--shapes robust,msmarco,deep,wide] [--rounds 3] [--folder DIR]

Each contender reads the same run and judgments with its own readers and gives eight measures. A
peer that is not installed is left out; the slow ones run once. The last lines are runs of other
looks (ties, unsorted, apart, tabbed, gzipped), five runs at once, all measures, and a small run.
"""

from __future__ import annotations

import argparse
import gzip
import shutil
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from benchmarks.made import SHAPES, make_files
from benchmarks.processes import alternating, machine

MEASURES = "nDCG@10,nDCG,AP,RR,P@5,P@10,R@100,Success@10"
PYTREC_EVAL = """
import sys, pytrec_eval
qrels_path, run_path = sys.argv[1:]
with open(qrels_path) as f: qrels = pytrec_eval.parse_qrel(f)
with open(run_path) as f: run = pytrec_eval.parse_run(f)
asked = {"ndcg_cut_10", "ndcg", "map", "recip_rank", "P_5", "P_10", "recall_100", "success_10"}
scores = pytrec_eval.RelevanceEvaluator(qrels, asked).evaluate(run)
for name in sorted(asked): print(name, sum(s[name] for s in scores.values()) / len(scores))
"""
IR_MEASURES = """
import sys, ir_measures
qrels, run = ir_measures.read_trec_qrels(sys.argv[1]), ir_measures.read_trec_run(sys.argv[2])
asked = "nDCG@10 nDCG AP RR P@5 P@10 R@100 Success@10".split()
print(ir_measures.calc_aggregate([ir_measures.parse_measure(m) for m in asked], qrels, run))
"""
RANX = """
import sys
from ranx import Qrels, Run, evaluate
qrels = Qrels.from_file(sys.argv[1], kind="trec")
run = Run.from_file(sys.argv[2], kind="trec")
asked = "ndcg@10 ndcg map mrr precision@5 precision@10 recall@100 hit_rate@10".split()
print(evaluate(qrels, run, asked, make_comparable=True))
"""
PEERS = {"pytrec_eval": PYTREC_EVAL, "ir_measures": IR_MEASURES, "ranx": RANX}
SLOW = ("ir_measures", "ranx")


def ours(*arguments: str) -> list[str]:
    """Our command line, as a user calls it."""
    return [sys.executable, "-m", "metrics_core", "evaluate", *arguments]


def main() -> int:
    """Print a table a shape, then the other looks."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--without", default="", help="peers that are left out")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.folder or Path(scratch)
        print(machine())
        for name in options.shapes.split(","):
            _beside_peers(name, folder, options.rounds, options.without.split(","))
        _other_looks(folder, options.rounds)
    return 0


def _beside_peers(name: str, folder: Path, rounds: int, without: list[str]) -> None:
    shape = SHAPES[name]
    run, qrels = make_files(folder / name, shape)
    size = run.stat().st_size / 1e6
    files = (str(qrels), str(run))
    contenders = {"Ranklens": ours(*files, "-m", MEASURES)}
    contenders |= {
        peer: [sys.executable, "-c", code, *files]
        for peer, code in PEERS.items()
        if find_spec(peer) and peer not in without
    }
    if shutil.which("trec_eval"):
        contenders["trec_eval"] = ["trec_eval", "-m", "official", *files]
    quick = {n: c for n, c in contenders.items() if n not in SLOW}
    found = alternating(quick, rounds)
    found |= alternating({n: c for n, c in contenders.items() if n in SLOW}, 1)
    print(f"\n## {name}: {shape.queries:,} × {shape.depth:,} rows, {size:,.0f} MB\n")
    print("| | seconds | Ranklens takes | peak memory |\n| --- | ---: | ---: | ---: |")
    own = found["Ranklens"].seconds
    for peer, each in found.items():
        share = "" if peer == "Ranklens" else f"{own / each.seconds:.3f} of it"
        print(f"| {peer} | {each.seconds:.2f} | {share} | {each.memory:,.0f} MB |")


def _other_looks(folder: Path, rounds: int) -> None:
    run, qrels = make_files(folder / "msmarco", SHAPES["msmarco"])
    small, small_qrels = make_files(folder / "robust", SHAPES["robust"])
    looks = {"plain": [str(run)], **_looks(run), "five runs": _five(folder)}
    contenders = {name: ours(str(qrels), *files, "-m", MEASURES) for name, files in looks.items()}
    contenders["250,000 rows"] = ours(str(small_qrels), str(small), "-m", MEASURES)
    contenders["all measures"] = ours(str(qrels), str(run), "-m", _every_measure())
    found = alternating(contenders, rounds)
    print("\n## msmarco in other looks\n")
    print("| | seconds | of plain | peak memory |\n| --- | ---: | ---: | ---: |")
    for name, each in found.items():
        share = each.seconds / found["plain"].seconds
        print(f"| {name} | {each.seconds:.2f} | {share:.2f} | {each.memory:,.0f} MB |")


def _looks(run: Path) -> dict[str, list[str]]:
    """The same rows in other looks, each a file beside the run."""
    made = {n: run.with_name(f"{n}.run") for n in ("tabbed", "ties", "unsorted", "apart")}
    packed = run.with_name("packed.run.gz")
    if not packed.exists():
        lines = run.read_bytes().splitlines(keepends=True)
        made["tabbed"].write_bytes(b"".join(line.replace(b" ", b"\t") for line in lines))
        cut = (line.rsplit(b" ", 2) for line in lines)
        with made["ties"].open("wb") as file:
            file.writelines(b"%s %s %s" % (head, s.split(b".")[0], tag) for head, s, tag in cut)
        generator = np.random.default_rng(2)
        # Each query's own lines in another order, and all lines in another order.
        depth = SHAPES["msmarco"].depth
        with made["unsorted"].open("wb") as file:
            for first in range(0, len(lines), depth):
                order = generator.permutation(min(depth, len(lines) - first))
                file.writelines(lines[first + i] for i in order.tolist())
        with made["apart"].open("wb") as file:
            file.writelines(lines[i] for i in generator.permutation(len(lines)).tolist())
        with run.open("rb") as plain, gzip.open(packed, "wb", compresslevel=1) as file:
            shutil.copyfileobj(plain, file)
    return {**{name: [str(path)] for name, path in made.items()}, "gzipped": [str(packed)]}


def _five(folder: Path) -> list[str]:
    made = [make_files(folder / "msmarco", SHAPES["msmarco"], seed=seed)[0] for seed in range(5)]
    return [str(path) for path in made]


def _every_measure() -> str:
    """Every measure that takes nothing but grades, at its defaults and ten."""
    from benchmarks.all_measures import measures_of
    from metrics_core.measures import declarations

    return ",".join(
        str(measure)
        for declaration in declarations()
        if not declaration.needs
        for measure in measures_of(declaration)[:1]
    )


if __name__ == "__main__":
    sys.exit(main())
