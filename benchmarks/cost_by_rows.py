"""What a run costs by its rows: seconds and peak memory of whole processes, as a table and a chart.

    python -m benchmarks.cost_by_rows [--rows 10000,…] [--rounds 3] [--folder DIR]
        [--figure FILE.svg]

Runs of 1,000 rows and 25 judgments a query, eight measures, in turns. Ranklens reads each as it
is, and within `--memory 1GB`; pytrec_eval reads those of up to 7 million rows, for it holds a run
whole. The last lines say what a million rows more cost: the slope between the two largest runs.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from benchmarks.made import Shape, make_files
from benchmarks.peers import MEASURES, PYTREC_EVAL, ours
from benchmarks.processes import Timed, alternating, machine

ROWS = (10_000, 100_000, 1_000_000, 2_500_000, 7_000_000, 25_000_000)
DEPTH, JUDGED = 1_000, 25
OURS, WITHIN, PEER = "Ranklens", "Ranklens, --memory 1GB", "pytrec_eval"
_MOST_OF_PEER = 7_000_000
_COLOURS = {OURS: "#0072B2", WITHIN: "#009E73", PEER: "#D55E00"}
_MARKS = {OURS: "o", WITHIN: "s", PEER: "D"}

Found = dict[int, dict[str, Timed]]


def main() -> None:
    """Print the table, and draw it where a file is named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--rows", default=",".join(map(str, ROWS)), help=f"sizes, in multiples of {DEPTH:,}"
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="one with room, else that of temporary files")
    parser.add_argument("--figure", type=Path, help="where the chart is drawn, as SVG")
    options = parser.parse_args()
    print(f"{machine()}; {DEPTH:,} rows and {JUDGED} judgments a query\n")
    found: Found = {}
    print("| rows | MB | | seconds | peak memory |\n| ---: | ---: | --- | ---: | ---: |")
    for rows in (int(number) for number in options.rows.split(",")):
        scratch = Path(tempfile.mkdtemp(dir=options.folder))
        try:
            run, qrels = make_files(scratch, Shape(rows // DEPTH, DEPTH, JUDGED))
            found[rows] = alternating(_contenders(str(qrels), str(run), rows), options.rounds)
            size = run.stat().st_size / 1e6
        finally:
            shutil.rmtree(scratch)
        for name, each in found[rows].items():
            print(
                f"| {rows:,} | {size:,.1f} | {name} | {each.seconds:.2f} | {each.memory:,.0f} MB |",
                flush=True,
            )
    print(f"\n{_slopes(found)}")
    if options.figure:
        _draw(found, options.figure)


def _contenders(qrels: str, run: str, rows: int) -> dict[str, list[str]]:
    asked = [qrels, run, "-m", MEASURES]
    contenders = {OURS: ours(*asked), WITHIN: ours("--memory", "1GB", *asked)}
    if rows <= _MOST_OF_PEER:
        contenders[PEER] = [sys.executable, "-c", PYTREC_EVAL, qrels, run]
    return contenders


def _slopes(found: Found) -> str:
    """What a million rows more cost each, between the two largest runs that it read."""
    lines = []
    for name in _COLOURS:
        sizes = sorted(rows for rows, each in found.items() if name in each)[-2:]
        if len(sizes) < 2:
            continue
        one, other = (found[rows][name] for rows in sizes)
        millions = (sizes[1] - sizes[0]) / 1e6
        lines.append(
            f"{name}: {(other.seconds - one.seconds) / millions:.3f} s and"
            f" {(other.memory - one.memory) / millions:.1f} MB for a million rows more,"
            f" from {sizes[0]:,} to {sizes[1]:,}"
        )
    return "\n".join(lines)


def _draw(found: Found, file: Path) -> None:
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot as plt
    from matplotlib.ticker import LogLocator, NullFormatter

    # The same bytes for the same figures; text stays text.
    plt.rcParams.update({"svg.hashsalt": "ranklens", "svg.fonttype": "none", "font.size": 10})
    figure, axes = plt.subplots(1, 2, figsize=(9.2, 3.6), layout="constrained")
    figure.patch.set_facecolor("white")
    for axis, (title, of) in zip(
        axes,
        {"Seconds": lambda t: t.seconds, "Peak memory, MB": lambda t: t.memory}.items(),
        strict=True,
    ):
        for name, colour in _COLOURS.items():
            at = {rows: of(each[name]) for rows, each in sorted(found.items()) if name in each}
            if at:
                axis.plot(*zip(*at.items(), strict=True), _MARKS[name], ls="-", ms=4, c=colour,
                          label=name)  # fmt: skip
        axis.set(
            xscale="log", yscale="log", xlabel="Rows of the run (both scales log)", title=title
        )
        axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axis.yaxis.set_major_formatter(lambda value, _: f"{value:,g}")
        axis.xaxis.set_major_formatter(
            lambda rows, _: f"{rows / 1e6:g} million" if rows >= 1e6 else f"{rows:,.0f}"
        )
        axis.yaxis.set_minor_formatter(NullFormatter())
        axis.grid(visible=True, which="major", color="#dddddd", linewidth=0.6)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0].legend(frameon=False)
    figure.savefig(file, metadata={"Date": None, "Creator": None})


if __name__ == "__main__":
    main()
