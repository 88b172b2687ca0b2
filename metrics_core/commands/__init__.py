"""The commands of `python -m metrics_core`, one module an idea: one decorated function each, from
its options to what is printed.

Importing a module registers its commands. A new one adds one line here: the commands of a module,
so that only the module of the one that is asked for need be loaded.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeVar

MODULES = {
    "evaluate": ("evaluate",),
    "compare": ("compare",),
    "snapshot": ("snapshot",),
    "all_pairs": ("all-pairs",),
    "explain": ("explain",),
    "residuals": ("residuals",),
    "listings": ("measures", "formats"),
}


def no_arguments(parser: argparse.ArgumentParser) -> None:
    """What a command without options adds to its parser."""


@dataclass(frozen=True)
class CommandOptions:
    """What a command line asks for; a command adds its own fields, by the names of its arguments.
    `format` is that of the output."""

    format: str = ""


@dataclass(frozen=True)
class CommandResult:
    """What is printed, and an exit status that says more than that it is."""

    text: str
    status: int


@dataclass(frozen=True)
class Command:
    """A command: its name, its line in the help, what adds its arguments to a parser, the options
    that they give, and what it prints for them."""

    name: str
    help: str
    arguments: Callable[[argparse.ArgumentParser], None]
    options: type[CommandOptions]
    output: Callable[[Any], str | CommandResult]


COMMANDS: list[Command] = []
Own = TypeVar("Own", bound=CommandOptions)
Printed = TypeVar("Printed", str, CommandResult, str | CommandResult)


def command(
    name: str,
    options: type[Own],
    *,
    help: str,
    arguments: Callable[[argparse.ArgumentParser], None] = no_arguments,
) -> Callable[[Callable[[Own], Printed]], Callable[[Own], Printed]]:
    """Register a command; `arguments` adds those that its options are made of to its parser."""

    def register(output: Callable[[Own], Printed]) -> Callable[[Own], Printed]:
        COMMANDS.append(Command(name, help, arguments, options, output))
        return output

    return register


def commands_for(arguments: Sequence[str]) -> list[Command]:
    """The command that these arguments ask for; all of them where they ask for none."""
    modules = [module for module, names in MODULES.items() if set(arguments[:1]) & set(names)]
    for module in modules or MODULES:
        import_module(f"metrics_core.commands.{module}")
    order = [name for names in MODULES.values() for name in names]
    return sorted(COMMANDS, key=lambda command: order.index(command.name))
