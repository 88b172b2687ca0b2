"""What could judge a large run while reading it: each engine as a process of its own.

    python -m benchmarks.engines [--rounds 3] [--folder DIR]

pyarrow, polars and duckdb, where they are installed, read three columns and keep the rows of judged
documents, which is a part of the work: no ranks, no repeated documents, no odd lines. Ranklens does
the whole of it, scores included.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from benchmarks.made import SHAPES, make_files
from benchmarks.processes import alternating, machine

PYARROW = """
import sys, pyarrow as pa, pyarrow.csv as csv
def read(path, names, kept):
    columns = {"q": pa.string(), "d": pa.string(), "s": pa.float64()}
    return csv.read_csv(path, csv.ReadOptions(column_names=list(names), block_size=1 << 23),
        csv.ParseOptions(delimiter=" ", quote_char=False),
        csv.ConvertOptions(column_types=columns, include_columns=list(kept)))
run, qrels = read(sys.argv[2], "qzdrst", "qds"), read(sys.argv[1], "qzdg", "qdg")
print(run.join(qrels, ["q", "d"], join_type="inner").num_rows)
"""
POLARS = """
import sys, polars as pl
def scan(path, names, kept):
    types = {name: pl.Float64 if name == "s" else pl.String for name in names}
    read = pl.scan_csv(path, has_header=False, separator=" ", quote_char=None, schema=types)
    return read.select(*kept)
run, qrels = scan(sys.argv[2], "qzdrst", "qds"), scan(sys.argv[1], "qzdg", "qdg")
print(run.join(qrels, on=["q", "d"]).collect(engine="streaming").height)
"""
DUCKDB = """
import sys, duckdb
def read(path, names):
    types = ",".join(f"'{n}':'{'double' if n == 's' else 'varchar'}'" for n in names)
    return (f"read_csv('{path}', delim=' ', header=false, quote='', escape='', auto_detect=false,"
            f" columns={{{types}}})")
run, qrels = read(sys.argv[2], "qzdrst"), read(sys.argv[1], "qzdg")
print(len(duckdb.sql(f"select r.q, r.d, s, g from {run} r join {qrels} j using (q, d)").fetchall()))
"""
ENGINES = {"pyarrow": PYARROW, "polars": POLARS, "duckdb": DUCKDB}


def main() -> int:
    """Print a table: medians of seconds, peak memory."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = (options.folder or Path(scratch)) / "msmarco"
        run, qrels = map(str, make_files(folder, SHAPES["msmarco"]))
        contenders = {
            name: [sys.executable, "-c", code, qrels, run]
            for name, code in ENGINES.items()
            if find_spec(name)
        }
        contenders["Ranklens, all of it"] = [
            *(sys.executable, "-m", "metrics_core", "evaluate", qrels, run)
        ]
        print(machine())
        print("\n| | seconds | peak memory |\n| --- | ---: | ---: |")
        for name, each in alternating(contenders, options.rounds).items():
            print(f"| {name} | {each.seconds:.2f} | {each.memory:,.0f} MB |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
