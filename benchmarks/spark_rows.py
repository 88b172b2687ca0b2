"""Rows a second and core on Apache Spark, at 1 and 2 cores and four sizes, and what follows.

    python -m benchmarks.spark_rows [--rows 500000,1000000,2000000,4000000] [--cores 1,2]

Needs PySpark and Java. Makes Parquet files of runs (1,000 rows a query, 25 judgments a query, 15 of
them retrieved) in a temporary folder. Each number of cores is a process of its own with a Spark of
as many threads and partitions, warmed by the largest run. A measurement is `evaluate` by eight
measures with every score computed, the survey of the runs included; the better of two. The slope
is that of a straight line through the sizes, so that what does not grow with the rows is not in it.
Last comes a run of the largest size that is the list of a single query, measured once. Where other
programs take the cores, times are too long, which the load in the first line shows.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

PER_QUERY = 1_000
LISTED, JUDGED = 15, 25
COLLECTION = 8_800_000
MEASURES = ["nDCG@10", "P@10", "R@1000", "AP", "RR", "RBP(p=0.8)", "bpref", "Judged@10"]
LARGE = (10**9, 10**11)
CLUSTERS = (64, 256, 1024)
MEMORY = "4g"
SKEWED = "one query"


def make_files(folder: Path, rows: int, *, name: str, queries: int) -> None:
    """A run of so many rows and its judgments, as Parquet under this name."""
    random = np.random.default_rng(rows)
    depth = rows // queries
    query = np.repeat(np.arange(queries), depth)
    docs = random.integers(0, 1 + COLLECTION // depth, (queries, depth)) * depth + np.arange(depth)
    random.permuted(docs, axis=1, out=docs)
    table = {"query_id": query, "doc_id": docs.ravel(), "score": random.random(rows) * 30}
    ids = {name: pa.array(table[name]).cast(pa.string()) for name in ("query_id", "doc_id")}
    pq.write_table(pa.table({**ids, "score": table["score"]}), folder / f"run-{name}.parquet")
    never = 3 * COLLECTION + np.arange(queries * (JUDGED - LISTED)).reshape(queries, -1)
    judged = np.concatenate([docs[:, :LISTED], never], axis=1).ravel()
    qrels = {
        "query_id": pa.array(np.repeat(np.arange(queries), JUDGED)).cast(pa.string()),
        "doc_id": pa.array(judged).cast(pa.string()),
        "relevance": random.integers(0, 4, len(judged)),
    }
    pq.write_table(pa.table(qrels), folder / f"qrels-{name}.parquet")


def seconds(folder: Path, names: list[str], cores: int) -> list[float]:
    """The time each run takes on so many cores, in this process."""
    from metrics_core.scoring.spark import evaluate, session

    settings = {"spark.sql.shuffle.partitions": str(cores), "spark.driver.memory": MEMORY}
    spark = session(f"local[{cores}]", settings)
    taken = []
    # The first is not measured: Java compiles while it runs.
    for name in [names[-2], *names[:-1], *names]:
        start = time.perf_counter()
        runs = spark.read.parquet(str(folder / f"run-{name}.parquet"))
        qrels = spark.read.parquet(str(folder / f"qrels-{name}.parquet"))
        evaluate(runs, qrels, MEASURES).write.format("noop").mode("overwrite").save()
        taken.append(time.perf_counter() - start)
    spark.stop()
    once, again = taken[1 : len(names)], taken[len(names) :]
    return [*map(min, once, again), again[-1]]


def measured(folder: Path, names: list[str], cores: int) -> list[float]:
    """The same in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.spark_rows", "--only", str(folder)]
    command += ["--rows", ",".join(names), "--cores", str(cores)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.strip().rsplit("\n", 1)[-1])


def machine() -> str:
    """The machine and what runs on it, in a line."""
    import pyspark

    names = [
        line for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line
    ]
    cpu = names[0].partition(":")[2].strip() if names else platform.processor()
    load = f"load {os.getloadavg()[0]:.1f} when it began"
    versions = f"Python {platform.python_version()}, PySpark {pyspark.__version__}"
    return f"{cpu}, {os.cpu_count()} cores, {MEMORY} for Spark; {versions}; {load}"


def in_words(hours: float) -> str:
    """A time as people say it."""
    return f"{hours:,.1f} h" if hours >= 1 else f"{hours * 60:,.1f} min"


def report(sizes: list[int], taken: dict[int, list[float]]) -> str:
    """The measurements, those of the skewed run last, and what follows from them, as Markdown."""
    lines = [
        "",
        "| Rows | Cores | Seconds | Rows a second and core |",
        "|" + " ---: |" * 4,
    ]
    for cores, own in taken.items():
        for rows, time_taken in zip(sizes, own[:-1], strict=True):
            each = rows / time_taken / cores
            lines.append(f"| {rows:,} | {cores} | {time_taken:.1f} | {each:,.0f} |")
        # One list is one task, whatever the cores.
        each = sizes[-1] / own[-1]
        lines.append(f"| {sizes[-1]:,} of {SKEWED} | {cores} | {own[-1]:.1f} | {each:,.0f} |")
    lines += ["", "| Cores measured | Core seconds for a million more rows |", "| ---: | ---: |"]
    slopes = {c: float(np.polyfit(sizes, own[:-1], 1)[0]) * c for c, own in taken.items()}
    lines += [f"| {cores} | {slope * 1e6:.2f} |" for cores, slope in slopes.items()]
    slowest = max(slopes.values())
    if min(slopes.values()) <= 0:
        return "\n".join([*lines, "", "Too noisy for a slope: measure again on a quiet machine."])
    lines += ["", "| Rows | Core hours | " + " | ".join(f"{n:,} cores" for n in CLUSTERS) + " |"]
    lines.append("|" + " ---: |" * (2 + len(CLUSTERS)))
    for rows in LARGE:
        hours = rows * slowest / 3600
        on = " | ".join(in_words(hours / n) for n in CLUSTERS)
        lines.append(f"| {rows:,} | {hours:,.1f} | {on} |")
    return "\n".join(lines)


def main() -> int:
    """Print the report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rows", default="500000,1000000,2000000,4000000")
    parser.add_argument("--cores", default="1,2")
    parser.add_argument("--only", help=argparse.SUPPRESS)
    options = parser.parse_args()
    names = options.rows.split(",")
    cores = [int(n) for n in options.cores.split(",")]
    if options.only:
        print(json.dumps(seconds(Path(options.only), names, cores[0])))
        return 0
    sizes = sorted(int(name) for name in names)
    names = [*map(str, sizes), SKEWED]
    before = machine()
    with tempfile.TemporaryDirectory() as folder:
        for rows in sizes:
            make_files(Path(folder), rows, name=str(rows), queries=rows // PER_QUERY)
        make_files(Path(folder), sizes[-1], name=SKEWED, queries=1)
        print(before, report(sizes, {n: measured(Path(folder), names, n) for n in cores}), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
