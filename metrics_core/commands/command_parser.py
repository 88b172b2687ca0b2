"""Argument parser in which a named collection can replace the QRELS argument."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

_OPTION = "--collection"


class CommandParser(argparse.ArgumentParser):
    """An ArgumentParser whose first argument, the judgments, can be given as an option instead."""

    _takes_collection = False

    def add_collection(self) -> None:
        """Add the option for a collection. From then on, its value is used as the first
        argument."""
        self._takes_collection = True
        self.add_argument(
            _OPTION,
            metavar="NAME",
            help="use an ir_datasets collection, such as beir/scifact/test, instead of QRELS; its"
            " judgments are downloaded, and so are its queries and documents if needed",
        )

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        """Parse as argparse does, with the collection's name as the first argument."""
        arguments = list(args or ())
        if not self._takes_collection:
            return super().parse_known_args(args, namespace)
        return super().parse_known_args([*_find_collection(arguments), *arguments], namespace)


def _find_collection(arguments: Sequence[str]) -> list[str]:
    """Return the collection named by the option, in a list; empty if there is none."""
    finder = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    finder.add_argument(_OPTION)
    try:
        name = finder.parse_known_args(list(arguments))[0].collection
    except argparse.ArgumentError:
        return []  # the parser itself reports the error
    return [] if name is None else [name]
