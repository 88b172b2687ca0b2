"""What a cell of a notebook costs: `show` of the sample and its HTML, in processes of their own.

    python -m benchmarks.notebook_cell [--rounds 5]

Seconds to import, then to the first cell, whose files nobody has read before, and to a further
one; kilobytes of a cell, and what twenty cells add to a notebook. The medians of the rounds.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys

from benchmarks.processes import machine

_CELL = """
import json
from time import perf_counter
start = perf_counter()
from dashboard.notebook import show
from dashboard.files.files import SAMPLE_FOLDER as sample
imported = perf_counter()
runs = [sample / f"{name}.run" for name in ("bm25", "dense", "hybrid", "titles-only")]
def cell(run):
    return show(runs, sample / "qrels.txt", sample / "queries.csv", run=run)._repr_html_()
first = cell(None)
once = perf_counter()
cell("hybrid")
print(json.dumps([imported - start, once - imported, perf_counter() - once, len(first.encode())]))
"""


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    command = [sys.executable, "-c", _CELL]
    found = [json.loads(subprocess.check_output(command, text=True)) for _ in range(rounds)]
    imported, first, further, size = map(statistics.median, zip(*found, strict=True))
    print(machine())
    print("\n| import, s | first cell, s | a further one, s | kB | twenty cells, MB |")
    print("| ---: | ---: | ---: | ---: | ---: |")
    sizes = f"{size / 1e3:.0f} | {20 * size / 1e6:.2f}"
    print(f"| {imported:.2f} | {first:.2f} | {further:.2f} | {sizes} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
