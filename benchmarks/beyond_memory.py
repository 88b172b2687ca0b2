"""Runs larger than memory: seconds and peak memory of `evaluate --memory` by rows.

python -m benchmarks.beyond_memory [--rows 25000000,50000000,100000000] [--depth 1000]
    [--judged 25] [--memory 1GB] [--folder DIR]
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.made import Shape, make_files
from benchmarks.peers import MEASURES, ours
from benchmarks.processes import machine, timed


def main() -> int:
    """Print a table, a line for each size."""
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
    print("| rows | MB | seconds | seconds for a million | peak memory |")
    print("| ---: | ---: | ---: | ---: | ---: |")
    for rows in (int(name) for name in options.rows.split(",")):
        scratch = Path(tempfile.mkdtemp(dir=options.folder))
        try:
            shape = Shape(rows // options.depth, options.depth, options.judged)
            run, qrels = make_files(scratch, shape)
            asked = ["--memory", options.memory, "-m", MEASURES, "--format", "csv"]
            found = timed(ours(str(qrels), str(run), *asked))
            if np.isnan(found.seconds):
                raise RuntimeError(found.output)
            print(
                f"| {rows:,} | {run.stat().st_size / 1e6:,.0f} | {found.seconds:.1f}"
                f" | {found.seconds / rows * 1e6:.3f} | {found.memory:,.0f} MB |",
                flush=True,
            )
        finally:
            shutil.rmtree(scratch)
    return 0


if __name__ == "__main__":
    sys.exit(main())
