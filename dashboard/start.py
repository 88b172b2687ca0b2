"""The command `ranklens`: start the dashboard on this computer only, and say where it is."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

APP = Path(__file__).with_name("app.py")
DATA_VARIABLE = "RANKLENS_DATA"
WORKSPACE_VARIABLE = "RANKLENS_WORKSPACE"


def main(arguments: Sequence[str] | None = None) -> int:
    """Start Streamlit's server in this process; returns its exit status."""
    options = _parser().parse_args(arguments)
    if options.data:
        folder = Path(options.data).expanduser().resolve()
        if not folder.is_dir():
            print(f"{options.data} is no folder; DATA= takes a folder of files.", file=sys.stderr)
            return 2
        os.environ[DATA_VARIABLE] = str(folder)
    if options.workspace:
        os.environ[WORKSPACE_VARIABLE] = str(Path(options.workspace).expanduser().resolve())
    # The program is imported as a package, wherever the command was called.
    root = str(APP.parent.parent)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
    print(f"Ranklens: http://127.0.0.1:{options.port}", flush=True)
    command = [sys.executable, "-m", "streamlit", "run", str(APP)]
    return subprocess.call([*command, "--server.port", str(options.port)])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ranklens", description="Compare retrieval runs in a browser."
    )
    parser.add_argument("--port", type=int, default=8501, help="port on 127.0.0.1 (8501)")
    parser.add_argument("--data", help="open this folder's files instead of the samples")
    parser.add_argument("--workspace", help="folder that remembers files between visits")
    return parser


if __name__ == "__main__":
    sys.exit(main())
