"""Parse trec_eval's command line like GNU getopt_long, resolve the requested measures, and print
the help.

A measure's parameters follow the dot of `-m name.…`. Options may be bundled (`-qc`) and may follow
the files. A value may be in the same word as its option or in the next word (`-mP.5`, `-m P.5`).
Long options may be abbreviated as long as they are unambiguous."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from metrics_core.compatible.trec_eval.c_program import ARGUMENTS, FILES, ProgramExit, atof, atol
from metrics_core.compatible.trec_eval.table import (
    FAMILIES,
    MeasureRow,
    Version,
    resolve_measures,
    rows_of_version,
)
from metrics_core.measures import declarations

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
_LONG_WITH_VALUE = _WITH_VALUE | {"as", "o"}  # -o takes no value, its long form takes one
_SHORT = frozenset("hvqmclnDJNMRToZ")

USAGE = (
    "Usage: trec_eval [-h] [-q] [-m measure[.parameters]] … rel_info_file results_file",
    "  -q  print the scores of each query too  -m  a measure or a family of measures",
    "  -h  list all options, and explain the measures given with -m",
)

UNLIMITED = 2**63 - 1


@dataclass
class TrecEvalOptions:
    """The parsed command line. `parameters` has the parameters of each measure that has any. If the
    parameters of a measure are given several times, the first are kept."""

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


def parse_arguments(arguments: Sequence[str]) -> TrecEvalOptions:
    """Parse a command line. Raises ProgramExit if trec_eval would exit before it reads a file."""
    options = TrecEvalOptions()
    words = list(_split_words(arguments))
    versions = [value for name, value in words if name == "as"]
    for value in versions:
        if value not in ("10.0", "9.0.8"):
            raise ProgramExit(ARGUMENTS, f"--as takes 10.0 or 9.0.8, not {value!r}", *USAGE)
        options.version = "10.0" if value == "10.0" else "9.0.8"
    for name, value in words:
        _apply_option(options, name, value)
    return options


def _apply_option(options: TrecEvalOptions, name: str, value: str) -> None:
    match name:
        case "?":
            raise ProgramExit(ARGUMENTS, f"trec_eval: {value}", *USAGE)
        case "v":
            raise ProgramExit(0, f"trec_eval version {options.version}")
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
            _request_measure(options, value)
        case "file":
            options.files.append(value)


def _request_measure(options: TrecEvalOptions, text: str) -> None:
    """Add a measure or a family of measures to the options. In `text`, parameters follow the first
    dot."""
    name, dot, parameters = text.partition(".")
    if dot and not parameters:
        raise ProgramExit(
            ARGUMENTS,
            f"trec_eval: improper measure in parameter '{name}'",
            *_illegal_measure_error(name),
        )
    if dot:
        options.parameters.setdefault(name, parameters)
    measures = resolve_measures(name, options.version)
    if not measures:
        raise ProgramExit(ARGUMENTS, *_illegal_measure_error(name))
    options.measures |= measures


def _illegal_measure_error(name: str) -> tuple[str]:
    return (f"trec_eval: illegal measure '{name}'",)


Word = tuple[str, str]
"""A parsed word of the command line, as a pair. The first element is an option's letter, `file`, or
`?` for a problem. The second is the option's value, the path, or a description of the problem."""


def _split_words(arguments: Sequence[str]) -> Iterator[Word]:
    remaining = list(arguments)
    while remaining:
        word = remaining.pop(0)
        if word == "--":
            yield from (("file", w) for w in remaining)
            return
        if word.startswith("--"):
            yield _match_long_option(word[2:], remaining)
        elif len(word) > 1 and word.startswith("-"):
            yield from _split_bundle(word[1:], remaining)
        else:
            yield "file", word
            if "POSIXLY_CORRECT" in os.environ:
                yield from (("file", w) for w in remaining)
                return


def _split_bundle(letters: str, remaining: list[str]) -> Iterator[Word]:
    while letters:
        letter, letters = letters[0], letters[1:]
        if letter not in _SHORT:
            yield "?", f"invalid option -- '{letter}'"
        elif letter not in _WITH_VALUE:
            yield letter, ""
        elif letters or remaining:
            yield letter, letters or remaining.pop(0)
            return
        else:
            yield "?", f"option requires an argument -- '{letter}'"


def _match_long_option(word: str, remaining: list[str]) -> Word:
    name, equals, value = word.partition("=")
    fitting = [name] if name in LONG else [n for n in LONG if n.startswith(name)]
    if len(fitting) != 1:
        problem: Literal["unrecognized", "ambiguous"] = "ambiguous" if fitting else "unrecognized"
        return "?", f"option '--{name}' is {problem}"
    letter = LONG[fitting[0]]
    if letter not in _LONG_WITH_VALUE:
        return ("?", f"option '--{fitting[0]}' takes no argument") if equals else (letter, "")
    if equals or remaining:
        return letter, value if equals else remaining.pop(0)
    return "?", f"option '--{fitting[0]}' requires an argument"


Pairs = tuple[tuple[str, float], ...]

_SHARED_GAINS = ("dcg", "ideal_dcg", "ndcg")
"""Measures for which trec_eval has a common table of gains: gains that the user defines for one of
them apply to all."""


@dataclass(frozen=True)
class RequestedMeasure:
    """A measure to calculate, with its parameters.

    row      the measure in the table of measures
    names    the names of its output lines
    numbers  its cutoffs, levels or other numbers
    pairs    its (name, number) pairs if its parameters are pairs"""

    row: MeasureRow
    names: tuple[str, ...]
    numbers: tuple[float, ...] = ()
    pairs: Pairs = ()


def requested_measures(options: TrecEvalOptions) -> list[RequestedMeasure]:
    """Return the measures to calculate, in the order of the table. Raises ProgramExit for invalid
    parameters."""
    requested: list[RequestedMeasure] = []
    shared: RequestedMeasure | None = None
    names = options.measures or resolve_measures("official", options.version)
    for row in rows_of_version(options.version):
        if row.name not in names:
            continue
        measure = _make_requested_measure(row, options.parameters.get(row.name))
        if row.name in _SHARED_GAINS:
            shared = measure if row.name in options.parameters else shared
            if shared is not None:
                suffix = shared.names[0].removeprefix(shared.row.name)
                measure = RequestedMeasure(row, (row.name + suffix,), pairs=shared.pairs)
        requested.append(measure)
    if shared is None:
        return requested
    gains = shared.pairs
    return [
        RequestedMeasure(a.row, a.names, pairs=gains) if a.row.name in _SHARED_GAINS else a
        for a in requested
    ]


def _make_requested_measure(row: MeasureRow, parameters: str | None) -> RequestedMeasure:
    def parse_numbers(parse: Callable[[str], float]) -> tuple[float, ...]:
        return tuple(map(parse, parameters.split(","))) if parameters else row.default

    match row.takes:
        case "cutoffs":
            cutoffs = _sort_distinct_numbers(row, parse_numbers(atol))
            if cutoffs[0] <= 0:
                raise _parameter_error(row, "negative cutoff detected")
            return RequestedMeasure(row, tuple(f"{row.name}_{int(k)}" for k in cutoffs), cutoffs)
        case "levels":
            levels = _sort_distinct_numbers(row, parse_numbers(atof))
            # trec_eval reserves eight characters for the number and truncates longer ones.
            names = tuple(f"{row.name}_{x:3.2f}"[: len(row.name) + 9] for x in levels)
            return RequestedMeasure(row, names, levels)
        case "numbers":
            return RequestedMeasure(row, (_line_name(row, parameters),), parse_numbers(atof))
        case "pairs":
            pairs = _parse_pairs(row, parameters) if parameters else ()
            return RequestedMeasure(row, (_line_name(row, parameters),), pairs=pairs)
        case "nothing":
            return RequestedMeasure(row, (row.name,))


def _line_name(row: MeasureRow, parameters: str | None) -> str:
    return f"{row.name}_{parameters}" if parameters else row.name


def _sort_distinct_numbers(measure_row: MeasureRow, numbers: Iterable[float]) -> tuple[float, ...]:
    ascending = sorted(numbers)
    if len(set(ascending)) < len(ascending):
        raise _parameter_error(measure_row, "duplicate cutoffs detected")
    return tuple(ascending)


def _parse_pairs(row: MeasureRow, parameters: str) -> Pairs:
    """Parse parameters of the form name=number,name=number. Every item must contain exactly one
    =."""
    parts = [part.split("=") for part in parameters.split(",")]
    if any(len(part) != 2 for part in parts):
        raise _parameter_error(row, f"malformed pair parameters in '{parameters}'")
    return tuple((name, atof(value)) for name, value in parts)


def _parameter_error(row: MeasureRow, problem: str) -> ProgramExit:
    return ProgramExit(
        FILES, f"trec_eval: {problem}", f"trec_eval: Cannot initialize measure '{row.name}'"
    )


_OPTIONS = (
    ("-q, --query_eval_wanted", "print the scores of each query as well"),
    ("-n, --nosummary", "omit the summary over all queries"),
    ("-c, --complete_rel_info_wanted", "average over all judged queries"),
    ("-m, --measure NAME[.PARAMETERS]", "a measure or a family; may be given several times"),
    ("-l, --level_for_rel N", "lowest grade that counts as relevant (1)"),
    ("-M, --Max_retrieved_per_topic N", "only the best N documents of each query"),
    ("-J, --Judged_docs_only", "ignore unjudged documents"),
    ("-N, --Number_docs_in_coll N", "size of the collection, for utility (0)"),
    ("-R, --Rel_info_format FORMAT", "qrels, qrels_jg, prefs or qrels_prefs (qrels)"),
    ("-T, --Results_format FORMAT", "trec_results (the only format)"),
    ("-Z, --Zscore FILE", "print z-scores; lines of FILE: query measure mean deviation"),
    ("-D, --Debug_level N[.QUERY]", "score only this query; no debug output is printed"),
    ("--as VERSION", "print in the format of version 10.0 (the default) or 9.0.8"),
    ("-h, --help   -v, --version", ""),
)


_WITHOUT_MEASURE = {
    "runid": "The run name in the last line of the results.",
    "relstring": "The grades at the top of the ranking, one character each: - if a document was"
    " not pooled, . if it was pooled but not judged, > for a grade above 9.",
    "prefs_num_prefs_poss": "Number of preferences.",
    "prefs_num_prefs_ful": "Number of preferences that the ranking fulfils.",
    "prefs_num_prefs_ful_ret": "Number of fulfilled preferences between two listed documents.",
}


def _explain_trec_eval_measure(name: str) -> str:
    """Return the explanation of a measure that only trec_eval has. Most of these measures compare a
    ranking with the preferences of judges."""
    if name in _WITHOUT_MEASURE:
        return _WITHOUT_MEASURE[name]
    scope_text = {"simp": "", "pair": ", counting each pair of documents once"}.get(
        name.split("_")[1], ""
    )
    if "avgjg" in name:
        scope_text = ", averaged over judges"
    if "Rnonrel" in name:
        scope_text += ", as if each judge had found as many relevant as non-relevant documents"
    listing_text = {
        "ret": " (only pairs with both documents listed)",
        "imp": " (only pairs with at least one document listed)",
    }.get(name.split("_")[-1], "")
    return f"Share of the preferences that the ranking fulfils{scope_text}{listing_text}."


def help_text(options: TrecEvalOptions) -> str:
    """Return the help text, with a line for each measure named by -m."""
    lines = [
        *USAGE,
        "",
        *(f"  {name:<34}{description}".rstrip() for name, description in _OPTIONS),
        "",
    ]
    lines += [f"Families of measures: {', '.join(FAMILIES)}", ""]
    explained = {d.name: d.explanation for d in declarations()}
    for row in rows_of_version(options.version):
        if row.name in options.measures:
            lines += [
                row.name,
                f"    {explained.get(row.ours) or _explain_trec_eval_measure(row.name)}",
            ]
    if not options.measures:
        lines.append("Add -m to see what a measure means.")
    return "\n".join(lines) + "\n"
