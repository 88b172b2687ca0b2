"""How long a collection of long runs takes to open, and how much memory it then needs.

    python -m benchmarks.opened_runs FOLDER [--checkout OTHER] [--repeat 3]

FOLDER holds judgments and runs. A server's process opens it as DATA= in an empty workspace
(`first`) and again in the same one (`again`), shows the Overview and then every page; seconds from
the start of the process, those in which a processor worked for it, and the megabytes that are
resident. The top of the Overview is what a reader sees before the rest follows. Streamlit's AppTest
runs the pages, so the browser's time is not in it.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time, time

HERE = Path(__file__).resolve().parents[1]
PAGES = ("curves", "breakdown", "pairs", "queries", "query", "firm", "history", "data", "measures")


def measure(app_file: Path, begun: float) -> dict[str, float]:
    """Seconds and megabytes by name; run in a process of its own, which began at that time."""
    from streamlit.testing.v1 import AppTest

    from dashboard import session

    gc.disable()
    found = {"imports": time() - begun}
    rest = session.draw_what_follows

    def following() -> None:
        found.setdefault("top of overview", time() - begun)
        rest()

    session.draw_what_follows = following
    app = AppTest.from_file(str(app_file), default_timeout=600)
    app.run()
    found |= {"overview": time() - begun, "overview, processor": process_time()}
    found |= {"MB at overview": resident(), "MB peak": peak()}
    for page in PAGES:
        start = perf_counter()
        app.switch_page(f"app_pages/{page}.py").run()
        if app.exception:
            raise RuntimeError(app.exception[0].value)
        found[page] = perf_counter() - start
    return found | {"MB at the end": resident(), "MB peak at the end": peak()}


def resident() -> float:
    """Megabytes of this process that are in memory."""
    return _status("VmRSS")


def peak() -> float:
    """The most that it ever was."""
    return _status("VmHWM")


def _status(name: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1000 for line in lines if line.startswith(name))


def measured(checkout: Path, data: Path, workspace: Path) -> dict[str, float]:
    """One start of the server's process with this workspace."""
    # As the server has it, and with what Python keeps of modules, as on every other start.
    environment = os.environ | {
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "",
        "RANKLENS_WORKSPACE": str(workspace),
        "RANKLENS_DATA": str(data),
        "PYTHONPATH": str(checkout),
    }
    worker = [sys.executable, str(Path(__file__).resolve()), "--worker", str(checkout), str(time())]
    done = subprocess.run(
        worker, cwd=checkout, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    """Print the best of the repeats."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--checkout", type=Path, default=HERE, help="another checkout")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--worker", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        checkout, begun = options.worker
        print(json.dumps(measure(Path(checkout) / "dashboard" / "app.py", float(begun))))
        return
    starts: dict[str, list[dict[str, float]]] = {"first": [], "again": []}
    for _ in range(options.repeat):
        with tempfile.TemporaryDirectory() as workspace:
            for found in starts.values():
                found.append(measured(options.checkout, options.folder.resolve(), Path(workspace)))
    print(f"{'best of ' + str(options.repeat):20} {'first':>10} {'again':>10}")
    for name in starts["first"][0]:
        best = (min(found[name] for found in starts[kind]) for kind in starts)
        print(f"{name:20} " + " ".join(f"{value:10.2f}" for value in best))


if __name__ == "__main__":
    main()
