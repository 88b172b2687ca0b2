"""Subcommands of `ranklens`, for example `ranklens report …`. Without a subcommand, `ranklens`
starts the dashboard."""

from __future__ import annotations

import sys
from importlib import import_module

from metrics_core.base import wording as w
from metrics_core.base.errors import RanklensError

COMMANDS = {
    "report": "a comparison as one HTML or PDF file",
    "figure": "a chart for a paper, as SVG or PDF",
    "backup": "a workspace as one zip file, even while Ranklens is running",
}
"""The commands with their descriptions. Each command has a module of the same name with a function
`execute(arguments)`, which runs the command and returns a message about the result."""


def run_command(name: str, arguments: list[str]) -> int:
    """Run a command and return the exit status."""
    try:
        message = import_module(f"dashboard.commands.{name}").execute(arguments)
    except RanklensError as error:
        print(w.escape_controls_in_lines(str(error)), file=sys.stderr)
        return 2
    except OSError as error:
        print(w.escape_controls(f"{error.filename}: {error.strerror}"), file=sys.stderr)
        return 2
    print(w.escape_controls_in_lines(message))
    return 0
