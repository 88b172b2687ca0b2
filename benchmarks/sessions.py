"""Many readers at once: how long a click takes, and whether memory stays flat.

    python -m benchmarks.sessions ADDRESS            the address that a started Ranklens printed
    python -m benchmarks.sessions ADDRESS --sessions 20 --every 3 --clicks 20
    python -m benchmarks.sessions ADDRESS --sessions 1 --every 0 --clicks 2000 --pid 4711

Each session is a websocket as a browser opens it, through the door. A click opens another page or
another cutoff; it takes from its sending until the page is drawn whole.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import itertools
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect

from dashboard.app_pages import menu

PAGES = ("", *(page.name for page in menu.PAGES[1:]))
_SMALL = 200
"""Bytes: the message that a page is drawn whole is shorter."""
_WHOLE = ForwardMsg.ScriptFinishedStatus.FINISHED_SUCCESSFULLY


@dataclass(frozen=True)
class Opened:
    """What a printed address leads to: where the websocket is, and what the browser sends."""

    websocket: str
    origin: str
    cookie: str


def open_address(printed: str) -> Opened:
    """Follow the printed address as a browser does."""
    parts = urlsplit(printed)
    connection = http.client.HTTPConnection(parts.netloc, timeout=60)
    connection.request("GET", f"{parts.path or '/'}?{parts.query}")
    answer = connection.getresponse()
    base = urlsplit(answer.headers["Location"] or "/").path.rstrip("/")
    cookie = (answer.headers["Set-Cookie"] or "").partition(";")[0]
    return Opened(f"ws://{parts.netloc}{base}/_stcore/stream", f"http://{parts.netloc}", cookie)


@dataclass
class Session:
    """One reader: the websocket, and the seconds that each click took."""

    websocket: Any
    took: list[float] = field(default_factory=list)

    async def click(self, page: str, query: str = "") -> None:
        """Open a page at a query string; returns once it is drawn whole."""
        asked = BackMsg()
        asked.rerun_script.page_name = page
        asked.rerun_script.query_string = query
        begun = time.perf_counter()
        await self.websocket.send(asked.SerializeToString())
        async for raw in self.websocket:
            # What draws a page is not read: these cores are the server's as well.
            if len(raw) > _SMALL:
                continue
            said = ForwardMsg.FromString(raw)
            if said.WhichOneof("type") == "script_finished" and said.script_finished == _WHOLE:
                self.took.append(time.perf_counter() - begun)
                return
        raise ConnectionError("the server closed the websocket")


def connected(opened: Opened) -> connect:
    """The websocket of a page, to be entered."""
    return connect(
        opened.websocket, origin=opened.origin, additional_headers={"Cookie": opened.cookie},
        subprotocols=["streamlit"], max_size=None, compression=None,
    )  # fmt: skip


async def read(opened: Opened, number: int, clicks: int, every: float) -> list[float]:
    """One session that clicks every so many seconds; the seconds each click took."""
    async with connected(opened) as websocket:
        session = Session(websocket)
        # Not all in the same moment: readers come one by one.
        await asyncio.sleep(number * every / 3)
        for click, page in zip(range(clicks), itertools.cycle(PAGES), strict=False):
            wait = asyncio.create_task(asyncio.sleep(every))
            await session.click(page, f"k={1 + (click + number) % 20}")
            await wait
        return session.took


async def measure(opened: Opened, sessions: int, clicks: int, every: float) -> np.ndarray:
    """Seconds of every click, sessions × clicks; the first of each opens the session."""
    each = (read(opened, number, clicks, every) for number in range(sessions))
    return np.array(await asyncio.gather(*each))


def megabytes(pid: int) -> float:
    """Resident memory of a process."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def main() -> None:
    """Measure, and print the distribution."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("address", help="as Ranklens printed it")
    parser.add_argument("--sessions", type=int, default=20)
    parser.add_argument("--clicks", type=int, default=20, help="of each session (20)")
    parser.add_argument("--every", type=float, default=3, help="seconds between clicks (3)")
    parser.add_argument("--pid", type=int, help="the server, to measure its memory")
    options = parser.parse_args()
    opened = open_address(options.address)
    rounds = 4 if options.pid else 1
    for number in range(rounds):
        clicks = options.clicks // rounds
        took = asyncio.run(measure(opened, options.sessions, clicks, options.every))
        # The first opens the session: it is no click.
        opening, took = took[:, 0], took[:, 1:]
        p50, p95 = np.percentile(took, [50, 95])
        server = f"; {megabytes(options.pid):.0f} MB" if options.pid else ""
        print(
            f"round {number + 1}: {took.size} clicks of {options.sessions} sessions:"
            f" half within {p50:.2f} s, 95% within {p95:.2f} s, all in {took.max():.2f} s"
            f" (opened in {opening.max():.2f} s){server}",
            flush=True,
        )


if __name__ == "__main__":
    main()
