"""The families of measures, each with a title and the question that its measures answer.

A family is a module of measures; a new one adds one line here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metrics_core.measures.registry import Declaration


@dataclass(frozen=True)
class Family:
    """Measures of one module; `name` is the module's."""

    name: str
    title: str
    question: str


FAMILIES = (
    Family("gain", "Graded relevance", "Do the best documents come first?"),
    Family("precision_recall", "Precision and recall", "Is the first page any good?"),
    Family("sets", "Whole lists and counts", "How much was found, and what do the scores rest on?"),
)
"""In the order in which a reader meets them."""


def family_of(declaration: Declaration) -> Family:
    """The family of a measure; one that is not listed is titled by its module's name."""
    name = declaration.family
    listed = next((f for f in FAMILIES if f.name == name), None)
    return listed or Family(name, name.replace("_", " ").capitalize(), "")


def by_family(declared: Sequence[Declaration]) -> dict[Family, list[Declaration]]:
    """The measures of each family, families in their order, measures in that of their module."""
    known = {f: i for i, f in enumerate(FAMILIES)}
    found: dict[Family, list[Declaration]] = {}
    for d in declared:
        found.setdefault(family_of(d), []).append(d)
    return dict(sorted(found.items(), key=lambda item: known.get(item[0], len(known))))
