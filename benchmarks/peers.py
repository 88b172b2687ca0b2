"""From files to scores, beside the peers: medians of alternating processes, ratios, peak memory.

    python -m benchmarks.peers [--shapes robust,msmarco,deep,wide] [--rounds 3] [--folder DIR]
    python -m benchmarks.peers --against CHECKOUT [--cases 'NAME;NAME'] [--rounds 7]

Each contender reads the same run and judgments with its own readers and gives eight measures. A
peer that is not installed is left out; the slow ones run once. The last lines are runs of other
looks (ties, unsorted, apart, tabbed, gzipped), five runs at once, all measures, and a small run,
and what other shapes do not show: pooled judgments, 40 runs, small files, dictionaries.

With `--against` no peer is timed: each case runs here and in the other checkout in turn, and the
ratio of their processor time is printed, which other processes of the machine change least.
"""

from __future__ import annotations

import argparse
import gzip
import pickle
import shutil
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from benchmarks.held import FORMS, SIZES, held
from benchmarks.made import POOLED, SHAPES, SMALL, make_files
from benchmarks.processes import Timed, alternating, machine

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
HELD = """
import pickle, statistics, sys, time
from metrics_core import evaluate
with open(sys.argv[1], "rb") as f: run, qrels = pickle.load(f)
seconds = []
for _ in range(6):
    start = time.process_time()
    evaluate(run, qrels, ["P@10", "AP", "nDCG@10"])
    seconds.append(time.process_time() - start)
print(statistics.median(seconds[1:]))
"""
"""Processor seconds of scoring what Python holds, without its start."""
PEERS = {"pytrec_eval": PYTREC_EVAL, "ir_measures": IR_MEASURES, "ranx": RANX}
SLOW = ("ir_measures", "ranx")
LOOKS = {**SHAPES, "pooled": POOLED, "small": SMALL}
ROOT = Path(__file__).resolve().parents[1]


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
    parser.add_argument("--against", type=Path, help="another checkout of Ranklens")
    parser.add_argument(
        "--cases", default="", help="of --against: those that are timed, between semicolons"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = (options.folder or Path(scratch)).resolve()
        print(machine())
        if options.against:
            _beside_checkout(options.against, options.cases, folder, options.rounds)
            return 0
        for name in options.shapes.split(","):
            _beside_peers(name, folder, options.rounds, options.without.split(","))
        _print_looks(folder, options.rounds)
        _print_blind_cases(folder, options.rounds)
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


def _other_looks(folder: Path) -> dict[str, list[str]]:
    """Runs of other looks, each as the command that scores it."""
    run, qrels = make_files(folder / "msmarco", SHAPES["msmarco"])
    small, small_qrels = make_files(folder / "robust", SHAPES["robust"])
    looks = {"plain": [str(run)], **_looks(run), "five runs": _several("msmarco", folder, 5)}
    commands = {name: ours(str(qrels), *files, "-m", MEASURES) for name, files in looks.items()}
    commands["250,000 rows"] = ours(str(small_qrels), str(small), "-m", MEASURES)
    commands["all measures"] = ours(str(qrels), str(run), "-m", _every_measure())
    return commands


def _blind_cases(folder: Path) -> dict[str, list[str]]:
    """What the other shapes do not show: runs that retrieve a third of the judged documents, many
    of them, files so small that only the start counts, and what Python holds."""
    commands = {}
    for name, shape, runs in (
        ("pooled", "pooled", 1),
        ("pooled, 5 runs", "pooled", 5),
        ("pooled, 40 runs", "pooled", 40),
        ("small files", "small", 1),
    ):
        files = _several(shape, folder, runs)
        commands[name] = ours(str(folder / shape / "made.qrels"), *files, "-m", MEASURES)
    for queries, depth in SIZES:
        for form in FORMS:
            path = folder / f"{form}-{queries}.pickle"
            path.write_bytes(pickle.dumps(held(form, queries, depth)))
            commands[f"{form}, {queries:,} × {depth:,}"] = [sys.executable, "-c", HELD, str(path)]
    return commands


def _print_looks(folder: Path, rounds: int) -> None:
    found = alternating(_other_looks(folder), rounds)
    print("\n## msmarco in other looks\n")
    print("| | seconds | of plain | peak memory |\n| --- | ---: | ---: | ---: |")
    for name, each in found.items():
        share = each.seconds / found["plain"].seconds
        print(f"| {name} | {each.seconds:.2f} | {share:.2f} | {each.memory:,.0f} MB |")


def _print_blind_cases(folder: Path, rounds: int) -> None:
    print("\n## Pooled judgments, small files, and what Python holds\n")
    print("| | processor, s | peak memory |\n| --- | ---: | ---: |")
    for name, each in alternating(_blind_cases(folder), rounds).items():
        print(f"| {name} | {_processor(each):.3f} | {each.memory:,.0f} MB |")


def _beside_checkout(other: Path, cases: str, folder: Path, rounds: int) -> None:
    """Print the processor time of each case here and in another checkout, and their ratio."""
    print("\n| | here, s | there, s | ratio |\n| --- | ---: | ---: | ---: |")
    named = [name for name in cases.split(";") if name]
    commands = _blind_cases(folder)
    if not named or not {*named} <= commands.keys():
        commands |= _shapes(folder) | _other_looks(folder)
    folders = {"here": ROOT, "there": other.resolve()}
    for name in named or commands:
        both = dict.fromkeys(folders, commands[name])
        here, there = map(_processor, alternating(both, rounds, folders).values())
        print(f"| {name} | {here:.3f} | {there:.3f} | {here / there:.3f} |", flush=True)


def _shapes(folder: Path) -> dict[str, list[str]]:
    """Each shape, as the command that scores its run."""
    made = {name: make_files(folder / name, shape) for name, shape in SHAPES.items()}
    return {name: ours(str(qrels), str(run), "-m", MEASURES) for name, (run, qrels) in made.items()}


def _processor(each: Timed) -> float:
    """The seconds of a whole process, or those that it printed as the time of what counts."""
    try:
        return float(each.output)
    except ValueError:
        return each.processor


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


def _several(name: str, folder: Path, number: int) -> list[str]:
    """So many runs of a shape."""
    made = [make_files(folder / name, LOOKS[name], seed=seed)[0] for seed in range(number)]
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
