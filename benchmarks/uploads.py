"""Long runs uploaded in a real browser: memory, time to the first chart, clicks of others.

    python -m benchmarks.uploads [--visits 2] [--alone] [--folder DIR] [--checkout OTHER]

A server with an empty workspace is given judgments, then a run of 6,980,000 rows by each visit, all
at once. Megabytes are those that are resident in the server. `chart` is the time from the end of
the last transfer until every visit has curves painted; the command line's is the median of three
processes that evaluate all these files. Unless it is left `--alone`, another reader clicks through
the pages of the example meanwhile. Needs the browser of the tests.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
from playwright.sync_api import Page, sync_playwright

from benchmarks.made import SHAPES, make_files
from benchmarks.page_changes import HERE
from benchmarks.page_paint import WINDOW, Served, served, started
from benchmarks.peers import ours
from benchmarks.processes import machine, timed
from benchmarks.sessions import PAGES, Session, connected, megabytes, open_address

_CHART = "[data-testid=stMain] .js-plotly-plot .main-svg"
_WATCH = f"""() => {{
  window.painted = new Promise((done) => {{
    const look = () => {{
      const drawn = document.querySelector('{_CHART}')?.getBoundingClientRect().height;
      requestAnimationFrame(drawn ? () => done(Date.now()) : look);
    }};
    look();
  }});
}}"""
_EVERY = 0.3


@contextmanager
def watched(pid: int) -> Iterator[list[float]]:
    """Megabytes of a process now and then, the first at once."""
    seen, end = [megabytes(pid)], Event()

    def watch() -> None:
        while not end.wait(0.05):
            seen.append(megabytes(pid))

    thread = Thread(target=watch)
    thread.start()
    try:
        yield seen
    finally:
        end.set()
        thread.join()


@contextmanager
def another_reader(address: str) -> Iterator[list[float]]:
    """Seconds of each click of a reader who goes through the pages of the example meanwhile."""
    took: list[float] = []
    ready, end = Event(), Event()
    thread = Thread(target=lambda: asyncio.run(_click(address, took, ready, end)))
    thread.start()
    ready.wait()
    took.clear()
    try:
        yield took
    finally:
        end.set()
        thread.join()


async def _click(address: str, took: list[float], ready: Event, end: Event) -> None:
    async with connected(open_address(address)) as websocket:
        session = Session(websocket, took)
        for click, page in enumerate(itertools.cycle(PAGES)):
            if click == 2 * len(PAGES):  # every page was seen
                ready.set()
            if end.is_set():
                return
            await session.click(page, f"set=sample&k={1 + click % 20}")
            await asyncio.sleep(_EVERY)


def begin(browser: Any, address: str) -> Page:
    """A visit at the uploader of the collection that all of them share, by way of the example, so
    that the browser has the scripts of charts."""
    page: Page = browser.new_context(viewport=WINDOW).new_page()
    page.set_default_timeout(60_000)
    page.goto(address)
    page.wait_for_selector("[data-testid=stMain] h1")
    base = page.url.partition("?")[0]
    page.goto(f"{base}curves?set=sample")
    page.wait_for_selector(_CHART)
    page.goto(f"{base}curves?set=own")
    page.wait_for_selector("[data-testid=stFileUploader] input[type=file]", state="attached")
    return page


def upload(page: Page, file: Path) -> None:
    """Give a file to the uploader; returns while it is under way."""
    chosen = page.locator("[data-testid=stFileUploader] input[type=file]")
    chosen.set_input_files(file)


def measure(
    server: Served, qrels: Path, runs: Sequence[Path], reader: AbstractContextManager[list[float]]
) -> dict[str, float]:
    """What the uploads take, by name, while a `reader` clicks."""
    with sync_playwright() as playwright:
        browser = started(playwright)
        pages = [begin(browser, server.address) for _ in runs]
        with pages[0].expect_event("requestfinished", lambda request: request.method == "PUT"):
            upload(pages[0], qrels)
        # The uploader is drawn anew when it was read, and only then may be given more.
        pages[0].get_by_test_id("stFileChip").first.wait_for(state="detached")
        arrived: list[float] = []
        for page in pages:
            page.on("requestfinished", lambda r: r.method == "PUT" and arrived.append(time.time()))
        with reader as took, watched(server.pid) as seen:
            begun = time.time()
            for page, run in zip(pages, runs, strict=True):
                # By the browser's own clock: the test's hears of it late on busy cores.
                page.evaluate(_WATCH)
                upload(page, run)
            chart = max(page.evaluate("() => window.painted") for page in pages) / 1000
        time.sleep(1)
        after = megabytes(server.pid)
        browser.close()
    found = {
        "transfer, s": arrived[-1] - begun,
        "chart, s": chart - arrived[-1],
        "MB before": seen[0],
        "MB peak": max(seen),
        "MB after": after,
    }
    if not took:
        return found
    return found | {
        "clicks of another reader": float(len(took)),
        "half of them within, s": float(np.median(took)),
        "all of them within, s": max(took),
    }


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--visits", type=int, default=1, choices=(1, 2, 3))
    parser.add_argument("--alone", action="store_true", help="without another reader")
    parser.add_argument("--folder", type=Path, help="where the files are kept, else made")
    parser.add_argument("--checkout", type=Path, default=HERE, help="another checkout")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.folder or Path(scratch)
        made = [make_files(folder, SHAPES["msmarco"], seed=n) for n in range(options.visits)]
        runs, qrels = [run for run, _ in made], made[0][1]
        print(machine())
        print(", ".join(f"{run.name}: {run.stat().st_size / 1e6:.0f} MB" for run in runs))
        command = ours(str(qrels), *map(str, runs))
        evaluated = statistics.median(timed(command).seconds for _ in range(3))
        with served(None, Path(scratch) / "workspace", options.checkout) as server:
            reader = nullcontext([]) if options.alone else another_reader(server.address)
            found = measure(server, qrels, runs, reader)
        for name, value in ({"command line, s": evaluated} | found).items():
            print(f"{name:26}{value:10.2f}")


if __name__ == "__main__":
    main()
