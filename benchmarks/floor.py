"""The least that judging a run while it is read can take: read the bytes, find the columns, one
probe a row. No scores are parsed, nothing is checked, nothing ranked.

    python -m benchmarks.floor RUN QRELS [--rounds 5]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from numba import njit

from metrics_core.formats import read_qrels
from metrics_core.formats.source.opening import open_source
from metrics_core.judging.while_reading.judged import judge_run_file
from metrics_core.judging.while_reading.judgments import make_judgment_tables

_PIECE = 4 << 20
_SLOTS = 1 << 19


@njit(nogil=True, boundscheck=False)
def _look(data, table):  # type: ignore[no-untyped-def]
    column, value, found = 0, np.uint64(0), 0
    for i in range(len(data)):
        byte = data[i]
        if byte == 32:
            if column == 2:
                found += table[value & np.uint64(_SLOTS - 1)] == value
            column += 1
            value = np.uint64(0)
        elif byte == 10:
            column = 0
            value = np.uint64(0)
        elif column == 2:
            value = (value ^ np.uint64(byte)) * np.uint64(0x9E3779B97F4A7C15)
    return found


def _piece(path: Path, begin: int, table: np.ndarray) -> int:
    with path.open("rb", buffering=0) as file:
        file.seek(begin)
        return int(_look(np.frombuffer(file.read(_PIECE), dtype=np.uint8), table))


def main() -> int:
    """Print the floor and what judging takes, in one process, and their ratio."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("run", type=Path)
    parser.add_argument("qrels", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    table = np.zeros(_SLOTS, dtype=np.uint64)
    judgments = make_judgment_tables(read_qrels(options.qrels))
    source = open_source(options.run)
    _piece(options.run, 0, table)
    begins = range(0, options.run.stat().st_size, _PIECE)
    floors, own = [], []
    for _ in range(options.rounds):
        start = time.perf_counter()
        with ThreadPoolExecutor(2) as pool:
            sum(pool.map(lambda begin: _piece(options.run, begin, table), begins))
        middle = time.perf_counter()
        judge_run_file(source, judgments)
        floors.append(middle - start)
        own.append(time.perf_counter() - middle)
    floor, ours = statistics.median(floors), statistics.median(own)
    print(f"floor {floor:.3f} s, judging {ours:.3f} s: {ours / floor:.2f} times the floor")
    return 0


if __name__ == "__main__":
    sys.exit(main())
