"""Every measure at once on a 7-million-row run: what that adds to reading and judging it.

    python -m benchmarks.all_measures [--rows 7000000] [--slowest 10]

Each declared measure counts once, and those with a cutoff at trec_eval's nine cutoffs, which is
more than `trec_eval -m all_trec` prints. Measures that need subtopics or documents' columns are
left out: this run has none.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from benchmarks.made import Shape, make_files
from metrics_core.formats import read_qrels, read_run
from metrics_core.judging import join_judgments
from metrics_core.measures import Declaration, Measure, declarations
from metrics_core.measures.declaring.other_packages import CUTOFFS


def measures_of(declaration: Declaration) -> list[Measure]:
    """The measure at its defaults, at every cutoff if it takes one."""
    must = [p for p in declaration.parameters if p.required and p.name != "cutoff"]
    needed = {p.name: p.samples[0] for p in must}
    if declaration.cutoff is None:
        return [declaration(**needed)]
    return [declaration(**needed, cutoff=cutoff) for cutoff in CUTOFFS]


def main() -> int:
    """Print how long reading, judging and all measures take, and the slowest of them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--rows", type=int, default=7_000_000)
    parser.add_argument("--slowest", type=int, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run_file, qrels_file = make_files(Path(folder), Shape(options.rows // 1_000, 1_000, 25))
        start = time.perf_counter()
        run, qrels = read_run(run_file), read_qrels(qrels_file)
        read = time.perf_counter()
        ranks = join_judgments(run, qrels)
        judged = time.perf_counter()
    spent: dict[str, float] = {}
    asked = [m for d in declarations() if not d.needs for m in measures_of(d)]
    for measure in asked:
        before = time.perf_counter()
        measure.score(ranks)
        spent[str(measure)] = time.perf_counter() - before
    total = sum(spent.values())
    print(f"{options.rows:,} rows, {ranks.n_queries:,} queries, {len(ranks.query):,} judged rows")
    print(f"reading  {read - start:6.2f} s")
    print(f"judging  {judged - read:6.2f} s")
    print(f"measures {total:6.2f} s for {len(spent)} measures")
    for name in sorted(spent, key=lambda n: -spent[n])[: options.slowest]:
        print(f"    {spent[name] * 1000:7.1f} ms  {name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
