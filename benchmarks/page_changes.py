"""How long the server works when a reader changes something: every page, first view and second.

    python -m benchmarks.page_changes                       7,000 queries of 5 runs
    python -m benchmarks.page_changes --collection runs     100 queries of 200 runs; also: queries
    python -m benchmarks.page_changes --pages pairs,curves --profile 25

Each page is opened with a cutoff that no other page had, then with another measure, another
baseline, another run in focus and a filter, so that nothing of what it shows is at hand; each is
then viewed again. Streamlit's AppTest runs the pages in this process; what it spends on reading
their messages is left out, and the browser's time is not in it. The heap is kept and the garbage
collector rests, as in the server that `dashboard.start` starts.
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import os
import pstats
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from dashboard.app_pages import menu
from metrics_core.base import heap

HERE = Path(__file__).resolve().parents[1]
PAGES = tuple(page.name for page in menu.PAGES)
CHANGES = ("cutoff", "measure", "baseline", "focus", "filter")


@dataclass(frozen=True)
class Collection:
    """A made collection: so many queries, runs of a depth, judged documents a query."""

    queries: int
    runs: int
    depth: int
    judged: int


COLLECTIONS = {
    "usual": Collection(7_000, 5, 100, 25),
    "runs": Collection(100, 200, 100, 25),
    "queries": Collection(200_000, 2, 10, 5),
}


def write(folder: Path, made: Collection) -> None:
    """The files: qrels with grades from 0 to 3, runs that find some of them, queries with two
    groupings. A pool of documents four times as deep as the runs stands for each query."""
    generator = np.random.default_rng(3)
    ids = [f"q{i:06}" for i in range(made.queries)]
    pool = 4 * made.depth
    grades = generator.integers(0, 4, (made.queries, made.judged))
    with (folder / "qrels.txt").open("w") as out:
        for q, row in zip(ids, grades.tolist(), strict=True):
            out.write("".join(f"{q} 0 d{d} {grade}\n" for d, grade in enumerate(row)))
    # Judged documents of high grades seem better than the rest of the pool to every run.
    worth = np.zeros((made.queries, pool))
    worth[:, : made.judged] = 0.5 + grades
    hard = generator.normal(0, 0.5, (made.queries, 1))
    for number in range(made.runs):
        noise = generator.normal(0, 1, worth.shape) * (2 + 0.02 * number + np.exp(hard))
        best = np.argsort(-(worth + noise), axis=1)[:, : made.depth].tolist()
        name = f"run{number:03}"
        with (folder / f"{name}.run").open("w") as out:
            for q, row in zip(ids, best, strict=True):
                lines = (
                    f"{q} Q0 d{d} {rank} {made.depth - rank} {name}\n" for rank, d in enumerate(row)
                )
                out.write("".join(lines))
    with (folder / "queries.csv").open("w") as out:
        out.write("query_id,text,category,difficulty\n")
        for i, q in enumerate(ids):
            out.write(f"{q},query number {i},group {i % 8},{('easy', 'medium', 'hard')[i % 3]}\n")


@dataclass
class Views:
    """Seconds of a page's views, one for each change: `top` until what a reader sees first is sent,
    `first` and `second` until all is; `worked` are seconds of all cores in the first; `kilobytes`
    of messages to the browser."""

    top: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    second: list[float] = field(default_factory=list)
    worked: list[float] = field(default_factory=list)
    kilobytes: list[float] = field(default_factory=list)


def steps(number: int, names: list[str]) -> Iterator[tuple[str, dict[str, str]]]:
    """The changes, each on top of those before; the cutoffs of pages differ, by their number."""
    asked: dict[str, str] = {"k": str(2 + number)}
    yield "cutoff", dict(asked)
    asked["m"] = "P@k"
    yield "measure", dict(asked)
    asked["base"] = names[1]
    yield "baseline", dict(asked)
    asked["run"] = names[-1] if len(names) > 2 else names[0]
    yield "focus", dict(asked)
    asked["where"] = "category=group 3"
    yield "filter", dict(asked)


class Reader:
    """One reader's session in this process."""

    def __init__(self) -> None:
        from streamlit import config
        from streamlit.runtime.scriptrunner.script_cache import ScriptCache
        from streamlit.testing.v1 import AppTest, app_test, local_script_runner

        from dashboard.session import deferred_drawing

        # A server compiles a page once, and so does this.
        config.set_option("runner.magicEnabled", False)
        config.set_option("browser.gatherUsageStats", False)
        compiled = ScriptCache()
        for module in (app_test, local_script_runner):
            vars(module)["ScriptCache"] = lambda: compiled
        self._parsing = 0.0
        self.sent = 0
        self.stood = 0.0
        rest = deferred_drawing.draw_deferred

        def at_the_end() -> None:
            self.stood = perf_counter()
            rest()

        deferred_drawing.draw_deferred = at_the_end
        parse = local_script_runner.parse_tree_from_messages

        def timed(messages: list[Any]) -> Any:
            begun = perf_counter()
            self.sent = sum(message.ByteSize() for message in messages)
            tree = parse(messages)
            self._parsing += perf_counter() - begun
            return tree

        local_script_runner.parse_tree_from_messages = timed
        self._app = AppTest.from_file(str(HERE / "dashboard" / "app.py"), default_timeout=600)

    def view(self, page: str, asked: dict[str, str]) -> tuple[float, float]:
        """Open a page; the seconds that passed, and those that all cores worked. `top` is how many
        passed until only what follows the page was left."""
        self._parsing = self.stood = 0.0
        if page != "overview" or asked:
            self._app.switch_page(f"app_pages/{page}.py")
        self._app.query_params.clear()
        for name, value in asked.items():
            self._app.query_params[name] = value
        begun, worked = perf_counter(), process_time()
        self._app.run()
        took = perf_counter() - begun - self._parsing, process_time() - worked - self._parsing
        self.top = self.stood - begun if self.stood else took[0]
        if self._app.exception:
            raise RuntimeError(f"{page} {asked}: {self._app.exception[0].value}")
        return took


@contextmanager
def profiled(lines: int, title: str) -> Iterator[None]:
    """Print where the time of all threads went, if asked for lines."""
    if not lines:
        yield
        return
    import threading

    profile = cProfile.Profile()
    threading.setprofile(lambda *_: profile.enable())
    try:
        yield
    finally:
        threading.setprofile(None)
        profile.disable()
    print(f"\n== {title}")
    pstats.Stats(profile).sort_stats("cumulative").print_stats("metrics_core|dashboard", lines)


def measure(pages: list[str], names: list[str], lines: int, only: str) -> dict[str, Views]:
    """The views of each page over runs of these names."""
    reader = Reader()
    begun = perf_counter()
    reader.view("overview", {})
    print(f"opening, with reading and judging: {perf_counter() - begun:.1f} s", flush=True)
    # Counts are drawn while the first page stands.
    for page in PAGES:
        reader.view(page, {})
    found = {}
    for page in pages:
        views = found[page] = Views()
        for change, asked in steps(PAGES.index(page), names):
            gc.collect()
            with profiled(lines if only in ("", change) else 0, f"{page}, {change}"):
                took, worked = reader.view(page, asked)
            views.first.append(took)
            views.top.append(reader.top)
            views.worked.append(worked)
            views.kilobytes.append(reader.sent / 1024)
            views.second.append(reader.view(page, asked)[0])
    return found


def told(found: dict[str, Views]) -> str:
    """The table, in milliseconds: until the top is sent / until all is."""
    head = f"{'page':12}" + "".join(f"{c:>12}" for c in CHANGES)
    rows = [f"{head}{'cpu':>8}{'again':>8}{'KB':>8}"]
    for page, views in found.items():
        times = zip(views.top, views.first, strict=True)
        cells = "".join(f"{f'{1000 * top:.0f} / {1000 * all_:.0f}':>12}" for top, all_ in times)
        worked, again = np.median(views.worked), np.median(views.second)
        rows.append(
            f"{page:12}{cells}{1000 * worked:8.0f}{1000 * again:8.0f}{max(views.kilobytes):8.0f}"
        )
    for name in ("top", "first", "second"):
        every = 1000 * np.concatenate([getattr(v, name) for v in found.values()])
        half, most = np.percentile(every, [50, 95])
        rows.append(
            f"{name}, {len(every)} views: median {half:.0f} ms, 95% within {most:.0f} ms,"
            f" worst {every.max():.0f} ms"
        )
    return "\n".join(rows)


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--collection", choices=COLLECTIONS, default="usual")
    parser.add_argument("--pages", default=",".join(PAGES), help="some pages only, after commas")
    parser.add_argument("--profile", type=int, default=0, help="lines of a profile of each view")
    parser.add_argument("--change", default="", help="profile this change only")
    parser.add_argument("--data", type=Path, help="where a collection is, or shall be kept")
    parser.add_argument("--workspace", type=Path, help="one that knows its long runs already")
    options = parser.parse_args()
    if os.environ.get("OPENBLAS_NUM_THREADS") != "1":  # as the server has it, before numpy loads
        alike = [sys.executable, "-m", "benchmarks.page_changes", *sys.argv[1:]]
        os.execve(sys.executable, alike, os.environ | {"OPENBLAS_NUM_THREADS": "1"})
    made = COLLECTIONS[options.collection]
    with tempfile.TemporaryDirectory() as scratch:
        data = options.data or Path(scratch) / "data"
        data.mkdir(parents=True, exist_ok=True)
        if not any(data.iterdir()):
            write(data, made)
        os.environ["RANKLENS_DATA"] = str(data)
        os.environ["RANKLENS_WORKSPACE"] = str(options.workspace or Path(scratch) / "workspace")
        names = sorted(path.stem for path in data.glob("*.run"))
        heap.keep_freed_memory(use_one_heap=True)
        gc.disable()
        of = str(data) if options.data else f"{made.queries:,} queries, {made.depth} results each"
        print(f"{of}: {len(names)} runs")
        print(told(measure(options.pages.split(","), names, options.profile, options.change)))


if __name__ == "__main__":
    main()
