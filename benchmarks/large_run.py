"""A 7-million-row run: metrics_core's command line against pytrec_eval, as ratios in one run.

    python -m benchmarks.large_run [--rows 7000000] [--repeat 3] [--engines]

Makes the run and its judgments once in a temporary folder, 250 MB. Each contender is a process of
its own, so that start, imports and memory count. `--engines` also times reading three columns and
finding repeated pairs with pyarrow, polars and duckdb, where they are installed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

PER_QUERY = 1_000
JUDGED = 25

OURS = "import sys; from metrics_core.__main__ import main; sys.exit(main(sys.argv[1:]))"
PYTREC_EVAL = """
import sys, pytrec_eval
qrels_path, run_path = sys.argv[1:]
with open(qrels_path) as f: qrels = pytrec_eval.parse_qrel(f)
with open(run_path) as f: run = pytrec_eval.parse_run(f)
scores = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut_10", "P_5", "map"}).evaluate(run)
print(sum(s["ndcg_cut_10"] for s in scores.values()) / len(scores))
"""
READERS = {
    "pyarrow": """
import sys, pyarrow as pa, pyarrow.csv as csv
pa.set_memory_pool(pa.system_memory_pool())
columns = {"q": pa.dictionary(pa.int32(), pa.string()), "d": pa.string(), "s": pa.float64()}
csv.read_csv(sys.argv[1], csv.ReadOptions(column_names=list("qzdrst"), block_size=1 << 23),
    csv.ParseOptions(delimiter=" ", quote_char=False),
    csv.ConvertOptions(column_types=columns, include_columns=list("qds")))
""",
    "polars": """
import sys, polars as pl
types = {name: pl.Float64 if name == "s" else pl.String for name in "qzdrst"}
pl.scan_csv(sys.argv[1], has_header=False, separator=" ", quote_char=None, schema=types).select(
    "q", "d", "s").collect()
""",
    "duckdb": """
import sys, duckdb
types = "{'q':'varchar','z':'varchar','d':'varchar','r':'varchar','s':'double','t':'varchar'}"
duckdb.sql(f"select q, d, s from read_csv('{sys.argv[1]}', delim=' ', header=false, quote='', "
    f"escape='', auto_detect=false, columns={types})").to_arrow_table()
""",
}


def make_files(folder: Path, rows: int) -> tuple[Path, Path]:
    """A run of `rows` rows, 1,000 a query, and 25 judgments a query, 15 of them retrieved."""
    generator = np.random.default_rng(0)
    run, qrels = folder / "large.run", folder / "large.qrels"
    collection = 8_800_000
    with run.open("w") as run_file, qrels.open("w") as qrels_file:
        for number in range(rows // PER_QUERY):
            query_id = 1_000_000 + 3 * number
            docs = generator.choice(collection // 1000, PER_QUERY, replace=False) * 1000
            docs = docs + generator.integers(0, 1000, PER_QUERY)
            scores = np.sort(generator.random(PER_QUERY) * 30)[::-1]
            listed = zip(docs.tolist(), scores.tolist(), strict=True)
            run_file.writelines(
                f"{query_id} Q0 {doc} {rank} {score:.6f} bm25\n"
                for rank, (doc, score) in enumerate(listed, 1)
            )
            found = generator.choice(docs, 15, replace=False)
            judged = [*found.tolist(), *(collection + generator.integers(0, 10**6, 10)).tolist()]
            grades = generator.integers(0, 4, JUDGED).tolist()
            pairs = dict(zip(judged, grades, strict=True))
            qrels_file.writelines(f"{query_id} 0 {doc} {g}\n" for doc, g in pairs.items())
    return run, qrels


def measured(code: str, *arguments: str) -> tuple[float, float, str]:
    """Wall seconds, peak memory in MB and output of a Python process."""
    wrapped = (
        "import resource, runpy, sys\ntry:\n    exec(compile(open(sys.argv.pop(1)).read(), 'x',"
        " 'exec'))\nfinally:\n    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,"
        " file=sys.stderr)"
    )
    with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        script.write(code)
        script.flush()
        start = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-c", wrapped, script.name, *arguments],
            capture_output=True,
            text=True,
            check=False,
        )
        seconds = time.perf_counter() - start
    memory = done.stderr.strip().rsplit("\n", 1)[-1]
    if not memory.isdigit() or (done.returncode and "Error" in done.stderr):
        return float("nan"), float("nan"), done.stderr[-300:]
    return seconds, int(memory) / 1024, done.stdout


def main() -> int:
    """Print one line a contender, best of the repeats, and the ratios."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rows", type=int, default=7_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--engines", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run, qrels = make_files(Path(folder), options.rows)
        size = run.stat().st_size / 2**20
        print(f"{options.rows:,} rows, {size:.0f} MB, best of {options.repeat}")
        asked = ("-m", "nDCG@10", "-m", "P@5", "-m", "AP")
        contenders = {
            "metrics_core": (OURS, "evaluate", str(qrels), str(run), *asked),
            "pytrec_eval": (PYTREC_EVAL, str(qrels), str(run)),
        }
        if options.engines:
            contenders |= {f"read {n}": (code, str(run)) for n, code in READERS.items()}
        best = {}
        for name, call in contenders.items():
            tries = [measured(*call) for _ in range(options.repeat)]
            best[name] = min(tries)
            seconds, memory, output = best[name]
            print(f"{name:14} {seconds:6.2f} s {memory:7.0f} MB  {memory / size:4.1f} x the file")
            if seconds != seconds:
                print(f"    {output}")
        ratio = best["metrics_core"][0] / best["pytrec_eval"][0]
        print(f"metrics_core takes {ratio:.2f} of pytrec_eval's time")
    return 0


if __name__ == "__main__":
    sys.exit(main())
