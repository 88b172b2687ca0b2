"""The command `ranklens`: start the dashboard on this computer only, and say where it is."""

from __future__ import annotations

import argparse
import os
import runpy
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

SERVER = Path(__file__).with_name("server.py")
ADDRESS = "127.0.0.1"
DATA_VARIABLE = "RANKLENS_DATA"
WORKSPACE_VARIABLE = "RANKLENS_WORKSPACE"
_INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve the dashboard in this process until it is ended; returns the exit status.

    There is no second process, so whatever ends this one (Ctrl-C, SIGTERM) ends the server.
    """
    options = _parser().parse_args(arguments)
    if options.data:
        folder = Path(options.data).expanduser().resolve()
        if not folder.is_dir():
            print(f"{options.data} is no folder; DATA= takes a folder of files.", file=sys.stderr)
            return 2
        os.environ[DATA_VARIABLE] = str(folder)
    if options.workspace:
        os.environ[WORKSPACE_VARIABLE] = str(Path(options.workspace).expanduser().resolve())
    refused = _refused(options.port)
    if refused:
        print(refused, file=sys.stderr)
        return 2
    print(f"Ranklens: http://{ADDRESS}:{options.port}", flush=True)
    try:
        return _serve(options.port)
    except KeyboardInterrupt:
        # Streamlit takes over Ctrl-C once it listens; this is the second before.
        return _INTERRUPTED


def _serve(port: int) -> int:
    """Run `streamlit run` here: its own command line, without a process of its own."""
    # The program is imported as a package, wherever the command was called.
    sys.path.insert(0, str(SERVER.parent.parent))
    # Said here, because a .streamlit folder where the command was called could say otherwise.
    here = ["--server.address", ADDRESS, "--server.port", str(port), "--server.headless", "true"]
    sys.argv = ["streamlit", "run", str(SERVER), *here]
    try:
        runpy.run_module("streamlit", run_name="__main__")
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else int(bool(ended.code))
    return 0


def _refused(port: int) -> str:
    """Why this port cannot be served, in a sentence; empty where it can."""
    if not 0 < port < 2**16:
        return f"{port} is no port; a port is a number from 1 to 65535."
    with socket.socket() as tried:
        # As the server itself will: a port that was left a moment ago is free.
        if os.name == "posix":
            tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((ADDRESS, port))
        except PermissionError:
            return f"Port {port} may not be used by this account; take one from 1024 on."
        except OSError:
            return (
                f"Port {port} is taken, by another program or an earlier Ranklens."
                f" Choose another one: make run PORT={_other(port)}, or --port {_other(port)}."
            )
    return ""


def _other(port: int) -> int:
    return port + 1 if port + 1 < 2**16 else port - 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ranklens", description="Compare retrieval runs in a browser."
    )
    parser.add_argument("--port", type=int, default=8501, help=f"port on {ADDRESS} (8501)")
    parser.add_argument("--data", help="open this folder's files instead of the samples")
    parser.add_argument("--workspace", help="folder that remembers files between visits")
    return parser


if __name__ == "__main__":
    sys.exit(main())
