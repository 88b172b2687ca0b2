"""Declaring commands: one decorated function each, from parsed options to what is printed."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass

Output = Callable[[argparse.Namespace], str]


def _nothing(parser: argparse.ArgumentParser) -> None:
    """A command without options."""


@dataclass(frozen=True)
class Command:
    """A command: its name, its line in the help, its options, and what it prints."""

    name: str
    help: str
    options: Callable[[argparse.ArgumentParser], None]
    output: Output


COMMANDS: list[Command] = []


def command(
    name: str, *, help: str, options: Callable[[argparse.ArgumentParser], None] = _nothing
) -> Callable[[Output], Output]:
    """Register a command; `options` adds its arguments to its parser."""

    def register(output: Output) -> Output:
        COMMANDS.append(Command(name, help, options, output))
        return output

    return register
