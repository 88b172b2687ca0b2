"""trec_eval's command line, read as GNU getopt_long reads it.

Options may be bundled (`-qc`), stand behind the files, carry their value in the same word or the
next (`-mP.5`, `-m P.5`), and long ones may be cut short while only one fits.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from metrics_core.compatible.trec_eval.ending import ARGUMENTS, Ended
from metrics_core.compatible.trec_eval.numbers import atol
from metrics_core.compatible.trec_eval.table import Version, measures_called

LONG = {
    "help": "h",
    "version": "v",
    "query_eval_wanted": "q",
    "measure": "m",
    "complete_rel_info_wanted": "c",
    "level_for_rel": "l",
    "nosummary": "n",
    "Debug_level": "D",
    "Judged_docs_only": "J",
    "Number_docs_in_coll": "N",
    "Max_retrieved_per_topic": "M",
    "Rel_info_format": "R",
    "Results_format": "T",
    "Output_old_results_format": "o",
    "Zscore": "Z",
    "as": "as",
}
_WITH_VALUE = frozenset("mlDNMRTZ")
_LONG_WITH_VALUE = _WITH_VALUE | {"as", "o"}  # -o takes none, its long form one
_SHORT = frozenset("hvqmclnDJNMRToZ")

USAGE = (
    "Usage: trec_eval [-h] [-q] [-m measure[.parameters]] … rel_info_file results_file",
    "  -q  also the scores of each query      -m  a measure or a family of measures",
    "  -h  all options, and what the measures given with -m mean",
)

UNLIMITED = 2**63 - 1


@dataclass
class Options:
    """What the command line asks for. `parameters` holds the first list given for a measure."""

    version: Version = "10.0"
    per_query: bool = False
    summary: bool = True
    complete: bool = False
    judged_only: bool = False
    level: int = 1
    documents: int = 0
    most_retrieved: int = UNLIMITED
    rel_format: str = "qrels"
    results_format: str = "trec_results"
    zscores: str | None = None
    only_query: str | None = None
    help: bool = False
    measures: set[str] = field(default_factory=set)
    parameters: dict[str, str] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)


def parse(arguments: Sequence[str]) -> Options:
    """The options of a command line; ends where trec_eval ends before it reads a file."""
    options = Options()
    given = list(_words(arguments))
    versions = [value for name, value in given if name == "as"]
    for value in versions:
        if value not in ("10.0", "9.0.8"):
            raise Ended(ARGUMENTS, f"--as takes 10.0 or 9.0.8, not {value!r}", *USAGE)
        options.version = "10.0" if value == "10.0" else "9.0.8"
    for name, value in given:
        _take(options, name, value)
    return options


def _take(options: Options, name: str, value: str) -> None:
    match name:
        case "?":
            raise Ended(ARGUMENTS, f"trec_eval: {value}", *USAGE)
        case "v":
            raise Ended(0, f"trec_eval version {options.version}")
        case "h":
            options.help = True
        case "q":
            options.per_query = True
        case "c":
            options.complete = True
        case "n":
            options.summary = False
        case "J":
            options.judged_only = True
        case "l":
            options.level = atol(value)
        case "N":
            options.documents = atol(value)
        case "M":
            options.most_retrieved = atol(value)
        case "R":
            options.rel_format = value
        case "T":
            options.results_format = value
        case "Z":
            options.zscores = value
        case "D":
            _, dot, query = value.partition(".")
            options.only_query = query if dot else options.only_query
        case "m":
            _mark(options, value)
        case "file":
            options.files.append(value)


def _mark(options: Options, text: str) -> None:
    """Ask for a measure or a family; behind the first point stand its parameters."""
    name, dot, parameters = text.partition(".")
    if dot and not parameters:
        raise Ended(
            ARGUMENTS, f"trec_eval: improper measure in parameter '{name}'", *_illegal(name)
        )
    if dot:
        options.parameters.setdefault(name, parameters)
    called = measures_called(name, options.version)
    if not called:
        raise Ended(ARGUMENTS, *_illegal(name))
    options.measures |= called


def _illegal(name: str) -> tuple[str]:
    return (f"trec_eval: illegal measure '{name}'",)


Word = tuple[str, str]
"""An option's letter and its value; `file` and a file; `?` and what is wrong."""


def _words(arguments: Sequence[str]) -> Iterator[Word]:
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word == "--":
            yield from (("file", w) for w in rest)
            return
        if word.startswith("--"):
            yield _long(word[2:], rest)
        elif len(word) > 1 and word.startswith("-"):
            yield from _bundle(word[1:], rest)
        else:
            yield "file", word
            if "POSIXLY_CORRECT" in os.environ:
                yield from (("file", w) for w in rest)
                return


def _bundle(letters: str, rest: list[str]) -> Iterator[Word]:
    while letters:
        letter, letters = letters[0], letters[1:]
        if letter not in _SHORT:
            yield "?", f"invalid option -- '{letter}'"
        elif letter not in _WITH_VALUE:
            yield letter, ""
        elif letters or rest:
            yield letter, letters or rest.pop(0)
            return
        else:
            yield "?", f"option requires an argument -- '{letter}'"


def _long(word: str, rest: list[str]) -> Word:
    name, equals, value = word.partition("=")
    fitting = [name] if name in LONG else [n for n in LONG if n.startswith(name)]
    if len(fitting) != 1:
        found: Literal["unrecognized", "ambiguous"] = "ambiguous" if fitting else "unrecognized"
        return "?", f"option '--{name}' is {found}"
    letter = LONG[fitting[0]]
    if letter not in _LONG_WITH_VALUE:
        return ("?", f"option '--{fitting[0]}' takes no argument") if equals else (letter, "")
    if equals or rest:
        return letter, value if equals else rest.pop(0)
    return "?", f"option '--{fitting[0]}' requires an argument"
