"""How long a collection of long runs takes to open, and how much memory it then needs.

    python -m benchmarks.opened_runs FOLDER [--checkout OTHER] [--repeat 3]

FOLDER holds judgments and runs. `ranklens` opens it as DATA= in an empty workspace (`first`) and
again in the same one (`again`); a websocket, as a browser opens it, asks for the Overview as soon
as the address is printed, and then for every page. Seconds from the start of the process, those in
which a processor worked for it, and the megabytes that are resident. The top of the Overview is
what a reader sees before the rest follows. The browser's own time is not in it.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.page_changes import HERE
from benchmarks.page_paint import Served, served
from benchmarks.sessions import Session, connected, open_address
from dashboard.app_pages import menu

PAGES = tuple(page.name for page in menu.PAGES[1:])
_LAST_OF_THE_TOP = '<div class="lens lists">'


async def measure(server: Served, since: Callable[[], float]) -> dict[str, float]:
    """Seconds and megabytes by name; `since` gives the seconds since the process began."""
    opened = open_address(server.address)
    found = {"first answer": since()}
    async with connected(opened) as websocket:
        asked = BackMsg()
        asked.rerun_script.page_name = ""
        await websocket.send(asked.SerializeToString())
        async for raw in websocket:
            said = ForwardMsg.FromString(raw)
            if _LAST_OF_THE_TOP in said.delta.new_element.html.body:
                found["top of overview"] = since()
            if said.delta.new_element.HasField("exception"):
                raise RuntimeError(said.delta.new_element.exception.message)
            if said.WhichOneof("type") == "script_finished":
                break
        found |= {"overview": since(), "overview, processor": processor(server.pid)}
        found |= {"MB at overview": resident(server.pid), "MB peak": peak(server.pid)}
        session = Session(websocket)
        for page in PAGES:
            await session.click(page)
            found[page] = session.took[-1]
    return found | {
        "MB at the end": resident(server.pid),
        "MB peak at the end": peak(server.pid),
    }


def processor(pid: int) -> float:
    """Seconds in which a processor worked for a process."""
    told = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, told[11:13])) / os.sysconf("SC_CLK_TCK")


def resident(pid: int) -> float:
    """Megabytes of a process that are in memory."""
    return _status(pid, "VmRSS")


def peak(pid: int) -> float:
    """The most that it ever was."""
    return _status(pid, "VmHWM")


def _status(pid: int, name: str) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1000 for line in lines if line.startswith(name))


def measured(checkout: Path, data: Path, workspace: Path) -> dict[str, float]:
    """One start of the server with this workspace."""
    begun = perf_counter()
    with served(data, workspace, checkout) as server:
        return asyncio.run(measure(server, lambda: perf_counter() - begun))


def main() -> None:
    """Print the median and the worst of the repeats."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--checkout", type=Path, default=HERE, help="another checkout")
    parser.add_argument("--workspace", type=Path, help="one that is kept, else an empty one")
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    # With what Python keeps of modules, as on every other start.
    os.environ["PYTHONDONTWRITEBYTECODE"] = ""
    starts: dict[str, list[dict[str, float]]] = {"first": [], "again": []}
    for _ in range(options.repeat):
        with tempfile.TemporaryDirectory() as scratch:
            workspace = options.workspace or Path(scratch) / "workspace"
            for found in starts.values():
                found.append(measured(options.checkout, options.folder.resolve(), workspace))
    heads = ("first", "worst", "again", "worst")
    print(f"{f'{options.repeat} starts of each':20} " + " ".join(f"{head:>10}" for head in heads))
    for name in starts["first"][0]:
        each = ([found[name] for found in own] for own in starts.values())
        told = (value for own in each for value in (median(own), max(own)))
        print(f"{name:20} " + " ".join(f"{value:10.2f}" for value in told))


if __name__ == "__main__":
    main()
