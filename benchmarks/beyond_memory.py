"""Runs larger than memory: seconds and peak memory of `evaluate --memory` by rows.

    python -m benchmarks.beyond_memory [--rows 25000000,50000000,100000000] [--depth 1000]
        [--judged 25] [--memory 1GB] [--folder DIR]

Each run is made twice: with whole queries in sequence, and rank by rank, so that each query's lines
stand apart and are sorted on disk first. Both must give the same means, to the last bit. The disk
holds both files of a size and, while the second is sorted, as much again.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.made import Shape, make_orders
from benchmarks.peers import MEASURES, ours
from benchmarks.processes import machine, timed


def main() -> int:
    """Print a table, a line for each order of each size; 1 where the two orders differ."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rows", default="25000000,50000000,100000000")
    parser.add_argument("--depth", type=int, default=1_000)
    parser.add_argument("--judged", type=int, default=25, help="documents a query (25)")
    parser.add_argument("--memory", default="1GB")
    parser.add_argument("--folder", type=Path, help="one with room, else that of temporary files")
    options = parser.parse_args()
    print(
        f"{machine()}; --memory {options.memory}, {options.depth:,} rows and"
        f" {options.judged} judgments a query\n"
    )
    print("| rows | lines | MB | seconds | seconds for a million | peak memory |")
    print("| ---: | --- | ---: | ---: | ---: | ---: |")
    alike = True
    for rows in (int(name) for name in options.rows.split(",")):
        scratch = Path(tempfile.mkdtemp(dir=options.folder))
        try:
            shape = Shape(rows // options.depth, options.depth, options.judged)
            *runs, qrels = make_orders(scratch, shape)
            told = set()
            for run in runs:
                asked = ["--memory", options.memory, "-m", MEASURES, "--format", "csv"]
                found = timed(ours(str(qrels), str(run), *asked))
                if np.isnan(found.seconds):
                    raise RuntimeError(found.output)
                told.add(found.output.replace(run.stem, ""))
                print(
                    f"| {rows:,} | {run.stem} | {run.stat().st_size / 1e6:,.0f}"
                    f" | {found.seconds:.1f} | {found.seconds / rows * 1e6:.3f}"
                    f" | {found.memory:,.0f} MB |",
                    flush=True,
                )
            alike = alike and len(told) == 1
        finally:
            shutil.rmtree(scratch)
    print("\nThe means of both are the same." if alike else f"\nThe means differ: {told}")
    return 0 if alike else 1


if __name__ == "__main__":
    sys.exit(main())
