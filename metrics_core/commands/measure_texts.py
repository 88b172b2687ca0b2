"""The list of measures, and all about one, as text for a terminal."""

from __future__ import annotations

import textwrap

from metrics_core.base import wording as w
from metrics_core.measures import Declaration, declarations
from metrics_core.measures.declaring.description import (
    FOR_ALL,
    Description,
    ParameterText,
    Worked,
    described,
)
from metrics_core.measures.declaring.families import by_family

_WIDTH = 96
_EXPLAIN = (
    "`python -m metrics_core measures NAME` says all about one, whichever name you know it by."
)


def listed_measures() -> str:
    """Every measure in two lines, family by family: its name and title, what it answers."""
    parts = []
    for family, declared in by_family(declarations()).items():
        head = f"{family.title}: {family.question}" if family.question else family.title
        parts.append(f"{head}\n{'-' * len(head)}\n")
        parts += [_short(described(d)) for d in declared]
        parts.append("\n")
    return f"{''.join(parts)}{_EXPLAIN}\n"


def _short(m: Description) -> str:
    title = f"  {m.title}" if m.title != m.name else ""
    return f"{m.signature}{title}\n{_wrapped(m.answer)}"


def _wrapped(text: str, first: str = "    ", rest: str = "    ") -> str:
    return textwrap.fill(text, _WIDTH, initial_indent=first, subsequent_indent=rest) + "\n"


def measure_text(declaration: Declaration) -> str:
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
