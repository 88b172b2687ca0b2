"""The parser of a command: where a collection is named, that stands in the place of QRELS."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

_OPTION = "--collection"


class CommandParser(argparse.ArgumentParser):
    """A parser whose first argument, the judgments, an option may stand for."""

    _takes_collection = False

    def add_collection(self) -> None:
        """The option, and from then on its value as the first argument."""
        self._takes_collection = True
        self.add_argument(
            _OPTION,
            metavar="NAME",
            help="use a collection of ir_datasets instead of QRELS, such as beir/scifact/test; its"
            " judgments are downloaded, and its queries and documents if they are needed",
        )

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        """As argparse does."""
        arguments = list(args or ())
        if not self._takes_collection:
            return super().parse_known_args(args, namespace)
        return super().parse_known_args([*_find_collection(arguments), *arguments], namespace)


def _find_collection(arguments: Sequence[str]) -> list[str]:
    """The collection that is named, in a list; none where there is none."""
    finder = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    finder.add_argument(_OPTION)
    try:
        name = finder.parse_known_args(list(arguments))[0].collection
    except argparse.ArgumentError:
        return []  # the parser itself says what is wrong
    return [] if name is None else [name]
