"""The commands of `metrics-core`: one module per topic, one decorated function per command.

A command's function has the command's options as its argument and returns the text to print.
Importing a module registers its commands. `MODULES` lists the commands of each module, so that only
the module of the requested command is loaded; a new command must be added there."""

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
    "prepare": ("prepare",),
}


def add_no_arguments(parser: argparse.ArgumentParser) -> None:
    """Add no arguments, for a command without options."""


@dataclass(frozen=True)
class CommandOptions:
    """Parsed options of a command. Each command has a subclass whose fields are named like the
    command's arguments. `format` is the output format."""

    format: str = ""


@dataclass(frozen=True)
class CommandResult:
    """The printed text and the exit status of a command whose status depends on its result."""

    text: str
    status: int


@dataclass(frozen=True)
class Command:
    """A command of the program.

    name       name on the command line
    help       line in the help text
    arguments  function that adds the command's arguments to a parser
    options    class of its options
    output     function that returns its output"""

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
    add_arguments: Callable[[argparse.ArgumentParser], None] = add_no_arguments,
) -> Callable[[Callable[[Own], Printed]], Callable[[Own], Printed]]:
    """Return a decorator that registers a function as a command.

    `add_arguments` is a function that adds the command's arguments to a parser. The arguments have
    the same names as the fields of `options`."""

    def register(function: Callable[[Own], Printed]) -> Callable[[Own], Printed]:
        COMMANDS.append(Command(name, help, add_arguments, options, function))
        return function

    return register


def load_commands(arguments: Sequence[str]) -> list[Command]:
    """Load the module of the requested command, and return the registered commands.

    If no command is requested, all modules are loaded."""
    modules = [module for module, names in MODULES.items() if set(arguments[:1]) & set(names)]
    for module in modules or MODULES:
        import_module(f"metrics_core.commands.{module}")
    order = [name for names in MODULES.values() for name in names]
    return sorted(COMMANDS, key=lambda command: order.index(command.name))
