"""`metrics_core measures` and `metrics_core formats`: what there is, as text for a terminal."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from metrics_core.base import wording as w
from metrics_core.commands import CommandOptions, command
from metrics_core.formats import formats
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
_EXPLAIN = (
    "`python -m metrics_core measures NAME` says all about one, whichever name you know it by."
)


@dataclass(frozen=True, kw_only=True)
class MeasuresOptions(CommandOptions):
    """Which measures `measures` is to explain; it lists all where none is named."""

    names: Sequence[str]


def _names(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "names", metavar="NAME", nargs="*", help="all about these, such as nDCG or ndcg_cut_10"
    )


@command("measures", MeasuresOptions, help="list the measures, or explain one", arguments=_names)
def measures(options: MeasuresOptions) -> str:
    """Every measure in a sentence, or all about the named ones."""
    if not options.names:
        return _listed()
    return "\n".join(_measure_text(declared(name)) for name in options.names)


@command("formats", CommandOptions, help="list the file formats")
def listing(options: CommandOptions) -> str:
    """Every file format with its explanation."""
    lines = []
    for f in formats():
        lines.append(f"{f.name} ({', '.join(f.kinds)}): {f.title}")
        lines.append(f"    {f.explanation}")
    return "\n".join(lines) + "\n"


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
        *([_fact("as usual", f"{m.as_usual} (see below)")] if m.as_usual else []),
        *(_fact(package or "also", ", ".join(names)) for package, names in m.names),
        _fact("formula", f"{m.formula} (LaTeX)"),
        _fact("source", m.reference),
        *(_fact("example", _worked(x)) for x in m.worked),
        *(_fact("elsewhere", f"{d.package}: {d.what} {d.why}") for d in m.differences),
    ]
    if m.as_usual:
        parts += ["\nAs usual:\n", *(_wrapped(s, "  - ", "    ") for s in FOR_ALL)]
    return "".join(parts)


_LABEL = 16


def _fact(label: str, text: str) -> str:
    return _wrapped(text, f"  {label:<{_LABEL}}", " " * (_LABEL + 2))


def _worked(x: Worked) -> str:
    return " = ".join([x.name, *([] if x.is_value else [x.arithmetic]), x.written])


def _parameter(p: ParameterText) -> str:
    return _fact(p.place, f"{w.sentence_case(p.meaning)}: {p.allowed}; {p.default}.")
