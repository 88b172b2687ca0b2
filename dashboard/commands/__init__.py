"""What `ranklens` does besides serving: `ranklens report …`."""

from __future__ import annotations

from importlib import import_module

COMMANDS = {"report": "one HTML file of a comparison"}
"""A module of the same name each, with `main(arguments)`."""


def run(name: str, arguments: list[str]) -> int:
    """Run one of the commands; returns the exit status."""
    status: int = import_module(f"dashboard.commands.{name}").main(arguments)
    return status
