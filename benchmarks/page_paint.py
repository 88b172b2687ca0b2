"""How long a reader waits in a real browser after a change: every page, first view and second.

    python -m benchmarks.page_paint                        7,000 queries of 5 runs
    python -m benchmarks.page_paint --collection runs      100 queries of 200 runs; also: queries
    python -m benchmarks.page_paint --pages curves,firm --data FOLDER

The changes are those of `page_changes`. A link of the page is clicked; `top` is the time until
something within the window changed for the last time, `whole` until the last of the page did, both
with a frame to paint. Then another page is opened, and this one again by the same link: what it
shows is at hand on the server, so that what the first view takes longer is the working out of it.
Needs the browser of the tests.
"""

from __future__ import annotations

import argparse
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
from playwright.sync_api import Page, sync_playwright

from benchmarks.page_changes import CHANGES, COLLECTIONS, HERE, PAGES, steps, write
from tests.browser.install import installed_browser

VIEWS = ("top", "whole", "top again", "whole again")
WINDOW = {"width": 1440, "height": 900}
_CLICKED = """(href) => new Promise((done) => {
  const link = document.createElement('a');
  link.className = 'lens';
  link.href = href;
  document.querySelector('[data-testid=stMain]').append(link);
  const app = document.querySelector('[data-testid=stApp]');
  const begun = performance.now();
  let top = begun, whole = begun;
  const box = (node) => (node.nodeType === 1 ? node : node.parentElement)?.getBoundingClientRect();
  const shows = (node) => node.isConnected && box(node)?.top < innerHeight && box(node).bottom > 0;
  // What is taken away moves what stands behind it, or leaves room below what stands before; the
  // parent may reach far below the window.
  const left = ({ previousSibling: before, nextSibling: behind }) => {
    const edge = behind?.isConnected ? box(behind)?.top
      : before?.isConnected ? box(before)?.bottom : NaN;
    return edge < innerHeight && edge >= 0;
  };
  const changed = (change) => change.type === 'childList'
    ? [...change.addedNodes].some(shows) || (change.removedNodes.length > 0 && left(change))
    : shows(change.target);
  const seen = new MutationObserver((changes) => {
    whole = performance.now();
    if (changes.some(changed)) top = whole;
  });
  seen.observe(app, { subtree: true, childList: true, characterData: true });
  const wait = () => {
    const still = app.dataset.testScriptState === 'notRunning';
    if (!still || performance.now() - whole < 400) return requestAnimationFrame(wait);
    seen.disconnect();
    link.remove();
    done([top - begun, whole - begun]);
  };
  link.click();
  requestAnimationFrame(wait);
})"""
_FRAME = 16.0


@dataclass(frozen=True)
class Served:
    """A dashboard: the address that it prints, and its process."""

    address: str
    pid: int


@contextmanager
def served(data: Path | None, workspace: Path, checkout: Path = HERE) -> Iterator[Served]:
    """A dashboard on this folder of data, or on its workspace alone."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    command = [sys.executable, "-m", "dashboard", "--port", port]
    log = workspace.with_suffix(".log")
    with log.open("w") as out:
        server = subprocess.Popen(
            [*command, *(["--data", str(data)] if data else []), "--workspace", str(workspace)],
            cwd=checkout, stdout=out, stderr=out,
        )  # fmt: skip
    try:
        while not (found := re.search(r"^Ranklens: (\S+)$", log.read_text(), re.MULTILINE)):
            if server.poll() is not None:
                raise RuntimeError(log.read_text())
            time.sleep(0.01)
        yield Served(found[1], server.pid)
    finally:
        server.terminate()
        server.wait()


def view(page: Page, name: str, asked: dict[str, str]) -> tuple[float, float]:
    """Open a page by a link; milliseconds until its top and all of it are painted."""
    path = "./" if name == PAGES[0] else f"./{name}"
    top, whole = page.evaluate(_CLICKED, f"{path}?{urlencode(asked)}")
    return top + _FRAME, whole + _FRAME


def measure(page: Page, pages: list[str], names: list[str]) -> dict[str, np.ndarray]:
    """Page -> milliseconds, float64[changes, VIEWS]."""
    found = {}
    for name in pages:
        rows = []
        other = "collections" if name != "collections" else "measures"
        for change, asked in steps(PAGES.index(name), names):
            view(page, other, asked)
            first = view(page, name, asked)
            view(page, other, asked)
            rows.append([*first, *view(page, name, asked)])
            print(f"  {name}, {change}: {', '.join(f'{ms:.0f}' for ms in rows[-1])}", flush=True)
        found[name] = np.array(rows)
    return found


def told(found: dict[str, np.ndarray]) -> str:
    """The table: medians over the changes, then all views together."""
    rows = [f"{'page':12}" + "".join(f"{name:>13}" for name in VIEWS)]
    for name, times in found.items():
        rows.append(f"{name:12}" + "".join(f"{ms:13.0f}" for ms in np.median(times, axis=0)))
    every = np.concatenate(list(found.values()))
    for place, name in enumerate(VIEWS):
        half, most = np.percentile(every[:, place], [50, 95])
        rows.append(f"{name}, {len(every)} views: median {half:.0f} ms, 95% within {most:.0f} ms")
    for name, more in (("top", every[:, 0] - every[:, 2]), ("whole", every[:, 1] - every[:, 3])):
        half, most = np.percentile(more, [50, 95])
        rows.append(f"{name}, first above second: median {half:.0f} ms, 95% within {most:.0f} ms")
    return "\n".join(rows)


def started(playwright: Any) -> Any:
    """The browser that BROWSER names in the environment, else that of the tests."""
    path = os.environ.get("BROWSER") or installed_browser()
    return playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])


def opened(browser: Any, address: str) -> Page:
    """The first page, drawn whole; every page was seen once, so the browser has its scripts."""
    page: Page = browser.new_context(viewport=WINDOW).new_page()
    page.set_default_timeout(600_000)
    page.goto(address)
    page.wait_for_selector("[data-testid=stMain] h1")
    for name in PAGES:
        view(page, name, {})
    return page


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--collection", choices=COLLECTIONS, default="usual")
    parser.add_argument("--pages", default=",".join(PAGES), help="some pages only, after commas")
    parser.add_argument("--data", type=Path, help="where such a collection is kept, else made")
    options = parser.parse_args()
    made = COLLECTIONS[options.collection]
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        data = options.data or Path(scratch) / "data"
        if not (data / "queries.csv").exists():
            data.mkdir(parents=True, exist_ok=True)
            write(data, made)
        browser = started(playwright)
        print(f"{made.queries:,} queries, {made.runs} runs; changes: {', '.join(CHANGES)}")
        with served(data, Path(scratch) / "workspace") as server:
            page = opened(browser, server.address)
            names = [f"run{number:03}" for number in range(made.runs)]
            print(told(measure(page, options.pages.split(","), names)))
        browser.close()


if __name__ == "__main__":
    main()
