"""How long the server works on each page, on the sample and on a large collection.

    python -m benchmarks.page_times                     this checkout
    python -m benchmarks.page_times --against OTHER     also another checkout, in turns

The first view of a page after the files are judged, a view with another k, and the same again, as
medians over the repeats. Streamlit's AppTest runs the pages, so the browser's time is not in it.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

import numpy as np

HERE = Path(__file__).resolve().parents[1]
PAGES = (
    "overview",
    "curves",
    "breakdown",
    "pairs",
    "queries",
    "query",
    "history",
    "data",
    "measures",
)
VIEWS = ("first", "other k", "again")
LARGE_QUERIES, LARGE_DEPTH, LARGE_RUNS = 7_000, 100, 5


def write_collection(
    folder: Path, *, queries: int = LARGE_QUERIES, depth: int = LARGE_DEPTH, runs: int = LARGE_RUNS
) -> None:
    """A made collection: qrels with 25 grades a query, runs that find some of them, queries with
    two groupings."""
    generator = np.random.default_rng(3)
    ids = [f"q{i:05}" for i in range(queries)]
    with (folder / "qrels.txt").open("w") as out:
        for q in ids:
            out.writelines(f"{q} 0 d{d} {generator.integers(0, 4)}\n" for d in range(25))
    for number in range(runs):
        with (folder / f"run{number}.run").open("w") as out:
            for q in ids:
                docs = generator.choice(400, depth, replace=False)
                # Better runs find more of the judged documents early.
                keys = docs / 400 + generator.normal(0, 1 + 0.1 * number, depth)
                for rank, place in enumerate(np.argsort(keys)):
                    out.write(f"{q} Q0 d{docs[place]} {rank + 1} {depth - rank} run{number}\n")
    with (folder / "queries.csv").open("w") as out:
        out.write("query_id,text,category,difficulty\n")
        for i, q in enumerate(ids):
            out.write(f"{q},query number {i},group {i % 8},{('easy', 'medium', 'hard')[i % 3]}\n")


def measure(app_file: Path) -> dict[str, list[float]]:
    """Seconds of each page's views; run in a process of its own, in the checkout to be measured."""
    import streamlit as st
    from streamlit.testing.v1 import AppTest

    found = {}
    st.cache_resource.clear()
    app = AppTest.from_file(str(app_file), default_timeout=600)
    start = perf_counter()
    app.run()
    found["opening"] = [perf_counter() - start]
    for page in PAGES:
        times = []
        for k in ("10", "5", "5"):
            if page != "overview":
                app.switch_page(f"app_pages/{page}.py")
            app.query_params["k"] = k
            start = perf_counter()
            app.run()
            times.append(perf_counter() - start)
            if app.exception:
                raise RuntimeError(app.exception[0].value)
        found[page] = times
    return found


def _measured(checkout: Path, data: Path | None) -> dict[str, list[float]]:
    with tempfile.TemporaryDirectory() as workspace:
        environment = os.environ | {"RANKLENS_WORKSPACE": workspace, "PYTHONPATH": str(checkout)}
        environment.pop("RANKLENS_DATA", None)
        if data is not None:
            environment["RANKLENS_DATA"] = str(data)
        worker = [sys.executable, str(Path(__file__).resolve()), "--worker", str(checkout)]
        done = subprocess.run(
            worker, cwd=checkout, env=environment, capture_output=True, text=True, check=True
        )
    return dict(json.loads(done.stdout.splitlines()[-1]))


def compare(checkouts: Sequence[Path], data: Path | None, repeats: int) -> str:
    """A table of medians in milliseconds, the checkouts in turns."""
    rounds = [[_measured(c, data) for c in checkouts] for _ in range(repeats)]
    lines = []
    for name in rounds[0][0]:
        for view in range(len(rounds[0][0][name])):
            medians = [
                1000 * statistics.median(r[i][name][view] for r in rounds)
                for i in range(len(checkouts))
            ]
            shown = "  ".join(f"{m:8.0f}" for m in medians)
            what = name if name == "opening" else f"{name}, {VIEWS[view]}"
            lines.append(f"{what:24} {shown}")
    return "\n".join(lines)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--against", type=Path, help="another checkout")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--worker", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        print(json.dumps(measure(options.worker / "dashboard" / "app.py")))
        return
    checkouts = [HERE, *([options.against.resolve()] if options.against else [])]
    print("milliseconds on the server; columns:", ", ".join(c.name for c in checkouts))
    print("the sample")
    print(compare(checkouts, None, options.repeat))
    with tempfile.TemporaryDirectory() as folder:
        write_collection(Path(folder))
        print(f"{LARGE_QUERIES:,} queries, {LARGE_RUNS} runs")
        print(compare(checkouts, Path(folder), options.repeat))


if __name__ == "__main__":
    main()
