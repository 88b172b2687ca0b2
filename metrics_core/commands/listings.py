"""`metrics_core measures` and `metrics_core formats`: list the available measures and formats as
text for a terminal."""

from __future__ import annotations

import argparse
import shlex
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metrics_core.base import wording as w
from metrics_core.base.errors import FileFormatError
from metrics_core.commands import CommandOptions, command
from metrics_core.formats import formats, guess_file_kind, read_all_tables
from metrics_core.formats.field_values import read_fields
from metrics_core.formats.fields import FileFields
from metrics_core.formats.file_kinds import Recognition
from metrics_core.formats.registry import KIND_TITLES, Kind
from metrics_core.measures import Declaration, declarations
from metrics_core.measures.declaring.description import (
    RULES_OF_ALL,
    Description,
    ParameterText,
    WorkedValue,
    describe_measure,
)
from metrics_core.measures.declaring.families import group_by_family
from metrics_core.measures.declaring.names import find_declaration

_WIDTH = 96
_EXPLAIN = "`metrics-core measures NAME` explains one measure; NAME can be any of its names."


@dataclass(frozen=True, kw_only=True)
class MeasuresOptions(CommandOptions):
    """Options of the command `measures`. `names` are the measures to describe; if it is empty, all
    measures are listed."""

    names: Sequence[str]


def _add_names_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "names", metavar="NAME", nargs="*", help="measures to explain, such as nDCG or ndcg_cut_10"
    )


@command(
    "measures",
    MeasuresOptions,
    help="list the measures, or explain one of them",
    add_arguments=_add_names_argument,
)
def list_measures(options: MeasuresOptions) -> str:
    """Describe every measure in a sentence. If measures are named, describe only these, in full."""
    if not options.names:
        return _describe_all_measures()
    return "\n".join(_describe_measure(find_declaration(name)) for name in options.names)


@dataclass(frozen=True, kw_only=True)
class FormatsOptions(CommandOptions):
    """Options of `formats`: the file to describe. If no file is named, all formats are listed."""

    of: str | None = None


def _add_file_argument(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--of", metavar="FILE", help="show how this file is read and what its fields mean"
    )


@command(
    "formats",
    FormatsOptions,
    help="list the formats, or explain how a file is read",
    add_arguments=_add_file_argument,
)
def list_formats(options: FormatsOptions) -> str:
    """Describe every file format. If a file is named, describe how this file is read."""
    if options.of is not None:
        return _describe_file(options.of)
    lines = []
    for f in formats():
        lines.append(f"{f.name} ({', '.join(f.kinds)}): {f.title}")
        lines.append(f"    {f.explanation}")
    return "\n".join(lines) + "\n"


def _describe_file(file: str) -> str:
    """Describe how a file is read and what its fields mean.

    If the user must choose how the file is read, list the `--columns` options to choose from."""
    recognised, fields = guess_file_kind(file), read_fields(file)
    reason = _explain_ambiguity(file, recognised, fields)
    description = f"file type not recognised: {reason}" if reason else ""
    if recognised is not None and not reason:
        description = f"{KIND_TITLES[recognised.kind]}, {recognised.format.title}"
    lines = [f"{file}: {description}"]
    if fields is None:
        return f"{lines[0]}\n"
    kind = "run" if recognised is None else recognised.kind
    meanings = fields.assign_meanings(kind, {})
    other_word = "not used" if kind in _AS_KIND else "column"
    words = {name: word for word, name in meanings.items()}
    rows = [
        (words.get(name, other_word), name, entry.samples) for name, entry in fields.fields.items()
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines += [
        f"  {word:<{widths[0]}}  {name:<{widths[1]}}  {w.escape_controls(values)[:_WIDTH]}".rstrip()
        for word, name, values in rows
    ]
    if reason:
        lines += ["", *(_suggest_columns_option(fields, entry) for entry in _AS_KIND)]
    return "\n".join(lines) + "\n"


def _explain_ambiguity(file: str, recognised: Recognition | None, fields: FileFields | None) -> str:
    """Explain why the user must choose how the file is read. Returns "" if no choice is necessary.

    Raises FileFormatError for a file that is invalid and has no fields to choose from."""
    try:
        read_all_tables(file)
    except FileFormatError as error:
        if fields is None:
            raise
        first = error.problems[0]
        return f"expected {first.expected}, found {first.found}"
    guessed = recognised is not None and recognised.evidence == "guess"
    return (
        ("a run or judgments; neither the columns nor the file name shows which") if guessed else ""
    )


def _suggest_columns_option(fields: FileFields, kind: Kind) -> str:
    """Return the `--columns` option that reads the file as this kind of table, followed by values
    of the first query as an example."""
    meanings = fields.assign_meanings(kind, {})
    if kind == "qrels" and "grade" not in meanings:
        meanings["grade"] = "'1'"
    score = meanings.get("score", "")
    if score and fields.is_lower_better(score, meanings.get("query", "")):
        meanings["score"] = f"-{score}"
    columns = ",".join(f"{word}={name}" for word, name in meanings.items())
    quoted = f'"{columns}"' if "'" in columns and '"' not in columns else shlex.quote(columns)
    example = ""
    if fields.fields.keys() >= {query := meanings.get("query", ""), doc := meanings.get("doc", "")}:
        example = (
            f"   {fields.fields[query].values[0]}:"
            f" {w.list_first(fields.values_by_list(doc, query)[0], 3)}"
        )
    return f"  {_AS_KIND[kind]:<12}  --columns {quoted}{w.escape_controls(example)}"


_AS_KIND: Mapping[Kind, str] = {"run": "as a run", "qrels": "as judgments"}


def _describe_all_measures() -> str:
    """List all measures by family, each in two lines: the signature and title, and the question
    that the measure answers."""
    parts = []
    for family, members in group_by_family(declarations()).items():
        head = f"{family.title}: {family.question}" if family.question else family.title
        parts.append(f"{head}\n{'-' * len(head)}\n")
        parts += [_short_description(describe_measure(d)) for d in members]
        parts.append("\n")
    return f"{''.join(parts)}{_EXPLAIN}\n"


def _short_description(declaration: Description) -> str:
    title = f"  {declaration.title}" if declaration.title != declaration.name else ""
    return f"{declaration.signature}{title}\n{_wrap(declaration.answer)}"


def _wrap(text: str, first_indent: str = "    ", next_indent: str = "    ") -> str:
    return (
        textwrap.fill(text, _WIDTH, initial_indent=first_indent, subsequent_indent=next_indent)
        + "\n"
    )


def _describe_measure(declaration: Declaration) -> str:
    """Return the full description of a measure."""
    m = describe_measure(declaration)
    parts = [
        f"{m.signature}: {m.title}\n\n",
        _wrap(f"{m.answer} {m.more}".strip(), "", ""),
        "\n",
        *(_format_parameter(p) for p in m.parameters),
        _format_fact("range", f"{m.range}; {m.aggregation}" if m.aggregation else m.range),
        *([_format_fact("needs", m.needs)] if m.needs else []),
        *(_format_fact(label, sentence) for label, sentence in m.exceptions),
        *([_format_fact("defaults", f"{m.defaults} (see below)")] if m.defaults else []),
        *(_format_fact(package or "also", ", ".join(names)) for package, names in m.names),
        _format_fact("formula", f"{m.formula} (LaTeX)"),
        _format_fact("source", m.reference),
        *(_format_fact("example", _format_example(x)) for x in m.worked),
        *(_format_fact("elsewhere", f"{d.package}: {d.what} {d.why}") for d in m.differences),
    ]
    if m.defaults:
        parts += ["\nDefaults:\n", *(_wrap(s, "  - ", "    ") for s in RULES_OF_ALL)]
    return "".join(parts)


_LABEL = 16


def _format_fact(label: str, text: str) -> str:
    return _wrap(text, f"  {label:<{_LABEL}}", " " * (_LABEL + 2))


def _format_example(example: WorkedValue) -> str:
    arithmetic = "" if example.is_plain_value else f" = {example.arithmetic}"
    return f"{example.name}{arithmetic} = {example.value_text}"


def _format_parameter(parameter: ParameterText) -> str:
    return _format_fact(
        parameter.notation,
        f"{w.sentence_case(parameter.meaning)}: {parameter.allowed}; {parameter.default}.",
    )
