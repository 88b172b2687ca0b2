"""Argument parser in which a named collection can replace the QRELS argument."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

_OPTION, _SCORES = "--collection", "--scores"


class CommandParser(argparse.ArgumentParser):
    """An ArgumentParser whose first argument, the judgments, can be replaced by an option."""

    _takes_collection = False
    _takes_scores = False

    def add_collection_option(self) -> None:
        """Add the option that names a collection. If the option is given, its value replaces the
        first argument, the judgments."""
        self._takes_collection = True
        self.add_argument(
            _OPTION,
            metavar="NAME",
            help="use an ir_datasets collection, such as beir/scifact/test, instead of QRELS; its"
            " judgments are downloaded, and also its queries and documents if they are needed",
        )

    def add_score_options(self) -> None:
        """Add the options for scores computed by another tool. With such scores, judgments and runs
        may be left out."""
        self._takes_scores = True
        self.add_argument(
            _SCORES,
            action="append",
            default=[],
            metavar="FILE",
            help="file of scores from another tool, with one row per score (query_id, run, measure,"
            " value) or one column of numbers per measure; repeatable. If QRELS and RUN are left"
            " out, only these scores are used",
        )
        for direction in ("lower", "higher"):
            self.add_argument(
                f"--{direction}",
                action="append",
                default=[],
                metavar="NAME",
                help=f"measure in --scores for which {direction} is better; repeatable",
            )

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Any, list[str]]:
        """Parse arguments like argparse. The name of a collection, if given, becomes the first
        argument."""
        arguments = list(args or ())
        if self._takes_scores and _find_option_values(_SCORES, arguments):
            for action in self._get_positional_actions():
                action.nargs, action.required = "*" if action.dest == "runs" else "?", False
                action.default = "" if action.dest == "qrels" else action.default
        if not self._takes_collection:
            return super().parse_known_args(args, namespace)
        return super().parse_known_args(
            [*_find_option_values(_OPTION, arguments), *arguments], namespace
        )


def _find_option_values(option: str, arguments: Sequence[str]) -> list[str]:
    """Return the values of an option in a list of arguments; empty if the option is not given."""
    finder = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    finder.add_argument(option, dest="value")
    try:
        value = finder.parse_known_args(list(arguments))[0].value
    except argparse.ArgumentError:
        return []  # the parser itself reports the error
    return [] if value is None else [value]
