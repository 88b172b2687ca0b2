"""`metrics_core measures` and `metrics_core formats`: what there is, as text for a terminal."""

from __future__ import annotations

import argparse
import shlex
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from metrics_core.base import wording as w
from metrics_core.base.errors import FileFormatError
from metrics_core.commands import CommandOptions, command
from metrics_core.formats import at_a_glance, formats, read_each
from metrics_core.formats.field_values import fields_of
from metrics_core.formats.fields import FileFields, some
from metrics_core.formats.kinds import Recognised
from metrics_core.formats.registry import KIND_TITLES, Kind
from metrics_core.measures import Declaration, declarations
from metrics_core.measures.declaring.description import (
    FOR_ALL,
    Description,
    ParameterText,
    Worked,
    described,
)
from metrics_core.measures.declaring.families import by_family
from metrics_core.measures.declaring.names import declared

_WIDTH = 96
_EXPLAIN = "`python -m metrics_core measures NAME` explains one measure, by any of its names."


@dataclass(frozen=True, kw_only=True)
class MeasuresOptions(CommandOptions):
    """Which measures `measures` is to explain; it lists all where none is named."""

    names: Sequence[str]


def _names(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "names", metavar="NAME", nargs="*", help="measures to explain, such as nDCG or ndcg_cut_10"
    )


@command("measures", MeasuresOptions, help="list the measures, or explain one", arguments=_names)
def measures(options: MeasuresOptions) -> str:
    """Every measure in a sentence, or all about the named ones."""
    if not options.names:
        return _listed()
    return "\n".join(_measure_text(declared(name)) for name in options.names)


@dataclass(frozen=True, kw_only=True)
class FormatsOptions(CommandOptions):
    """The file that `formats` is to explain; it lists all formats without one."""

    of: str | None = None


def _file(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--of", metavar="FILE", help="show how this file is read and what its fields mean"
    )


@command("formats", FormatsOptions, help="list the formats, or explain a file", arguments=_file)
def listing(options: FormatsOptions) -> str:
    """Every file format with its explanation, or what a file is read as."""
    if options.of is not None:
        return _file_text(options.of)
    lines = []
    for f in formats():
        lines.append(f"{f.name} ({', '.join(f.kinds)}): {f.title}")
        lines.append(f"    {f.explanation}")
    return "\n".join(lines) + "\n"


def _file_text(file: str) -> str:
    """What a file is read as, its fields with their meanings, and where that has to be asked the
    columns that would answer it."""
    found, fields = at_a_glance(file), fields_of(file)
    why = _why_asked(file, found, fields)
    said = f"file type not recognised: {why}" if why else ""
    if found is not None and not why:
        said = f"{KIND_TITLES[found.kind]}, {found.format.title}"
    lines = [f"{file}: {said}"]
    if fields is None:
        return f"{lines[0]}\n"
    kind = "run" if found is None else found.kind
    meanings, other = fields.meanings(kind, {}), "not used" if kind in _AS_KIND else "column"
    words = {name: word for word, name in meanings.items()}
    rows = [(words.get(name, other), name, own.samples) for name, own in fields.fields.items()]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines += [
        f"  {word:<{widths[0]}}  {name:<{widths[1]}}  {w.visible(values)[:_WIDTH]}".rstrip()
        for word, name, values in rows
    ]
    if why:
        lines += ["", *(_as_kind(fields, own) for own in _AS_KIND)]
    return "\n".join(lines) + "\n"


def _why_asked(file: str, found: Recognised | None, fields: FileFields | None) -> str:
    """Why the reader has to say what a file is; "" if it can be read. Raises FileFormatError for
    one that has no fields to choose from."""
    try:
        read_each(file)
    except FileFormatError as error:
        if fields is None:
            raise
        first = error.problems[0]
        return f"expected {first.expected}, found {first.found}"
    guessed = found is not None and found.evidence == "guess"
    return "a run or judgments; neither the columns nor the file name show which" if guessed else ""


def _as_kind(fields: FileFields, kind: Kind) -> str:
    """How a file is read as a kind of table, with the first of its rows then."""
    meanings = fields.meanings(kind, {})
    if kind == "qrels" and "grade" not in meanings:
        meanings["grade"] = "'1'"
    score = meanings.get("score", "")
    if score and fields.is_smallest_best(score, meanings.get("query", "")):
        meanings["score"] = f"-{score}"
    columns = ",".join(f"{word}={name}" for word, name in meanings.items())
    quoted = f'"{columns}"' if "'" in columns and '"' not in columns else shlex.quote(columns)
    shown = ""
    if fields.fields.keys() >= {query := meanings.get("query", ""), doc := meanings.get("doc", "")}:
        shown = f"   {fields.fields[query].values[0]}: {some(fields.by_list(doc, query)[0])}"
    return f"  {_AS_KIND[kind]:<12}  --columns {quoted}{w.visible(shown)}"


_AS_KIND: Mapping[Kind, str] = {"run": "as a run", "qrels": "as judgments"}


def _listed() -> str:
    """Every measure in two lines, family by family: its name and title, what it answers."""
    parts = []
    for family, own in by_family(declarations()).items():
        head = f"{family.title}: {family.question}" if family.question else family.title
        parts.append(f"{head}\n{'-' * len(head)}\n")
        parts += [_short(described(d)) for d in own]
        parts.append("\n")
    return f"{''.join(parts)}{_EXPLAIN}\n"


def _short(m: Description) -> str:
    title = f"  {m.title}" if m.title != m.name else ""
    return f"{m.signature}{title}\n{_wrapped(m.answer)}"


def _wrapped(text: str, first: str = "    ", rest: str = "    ") -> str:
    return textwrap.fill(text, _WIDTH, initial_indent=first, subsequent_indent=rest) + "\n"


def _measure_text(declaration: Declaration) -> str:
    """All about one measure."""
    m = described(declaration)
    parts = [
        f"{m.signature}: {m.title}\n\n",
        _wrapped(f"{m.answer} {m.more}".strip(), "", ""),
        "\n",
        *(_parameter(p) for p in m.parameters),
        _fact("range", f"{m.range}; {m.together}" if m.together else m.range),
        *([_fact("needs", m.needs)] if m.needs else []),
        *(_fact(what, sentence) for what, sentence in m.unlike),
        *([_fact("defaults", f"{m.as_usual} (see below)")] if m.as_usual else []),
        *(_fact(package or "also", ", ".join(names)) for package, names in m.names),
        _fact("formula", f"{m.formula} (LaTeX)"),
        _fact("source", m.reference),
        *(_fact("example", _worked(x)) for x in m.worked),
        *(_fact("elsewhere", f"{d.package}: {d.what} {d.why}") for d in m.differences),
    ]
    if m.as_usual:
        parts += ["\nDefaults:\n", *(_wrapped(s, "  - ", "    ") for s in FOR_ALL)]
    return "".join(parts)


_LABEL = 16


def _fact(label: str, text: str) -> str:
    return _wrapped(text, f"  {label:<{_LABEL}}", " " * (_LABEL + 2))


def _worked(x: Worked) -> str:
    return " = ".join([x.name, *([] if x.is_value else [x.arithmetic]), x.written])


def _parameter(p: ParameterText) -> str:
    return _fact(p.place, f"{w.sentence_case(p.meaning)}: {p.allowed}; {p.default}.")
