"""Families of measures. Each has a title and the question that its measures answer.

A new module of measures is added to a family here, or as a new family."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from metrics_core.measures.declaring.registry import Declaration


@dataclass(frozen=True)
class Family:
    """A group of measures that answer the same question. `modules` are the modules that declare
    them."""

    title: str
    question: str
    modules: tuple[str, ...]


FAMILIES = (
    Family("Precision and recall", "Are relevant documents found early?", ("precision_recall",)),
    Family("Graded relevance", "Do the best documents come first?", ("gain", "normalized_gain")),
    Family(
        "User models",
        "How much does a reader gain before stopping?",
        ("browsing", "readers", "nerr"),
    ),
    Family(
        "Precision along recall",
        "Does precision stay high as recall grows?",
        ("interpolated", "relative_precision"),
    ),
    Family("Subtopics", "Are all aspects of the query covered?", ("diversity", "intents")),
    Family(
        "Recommendations",
        "Are recommendations chosen and varied?",
        ("recommending", "catalogue"),
    ),
    Family("Retrieval for generation", "Does the context contain what an answer needs?", ("rag",)),
    Family(
        "Gaps in the judgments",
        "What if many documents are unjudged?",
        ("preference", "inferred", "unjudged"),
    ),
    Family("Hard queries", "Does the run do well on difficult queries?", ("logarithmic",)),
    Family("Agreement", "Does the order match the judgments?", ("agreement",)),
    Family(
        "Whole lists and counts",
        "How much was found, and how much is judged?",
        ("sets", "counts"),
    ),
)
"""All families of measures, in display order."""


def find_family(declaration: Declaration) -> Family:
    """Return the family of a measure. A module that is in no family forms its own family, and so
    does the package of a plug-in."""
    name = declaration.family
    if declaration.added_by:
        return Family(f"Added by {declaration.added_by}", "", ())
    family = next((f for f in FAMILIES if name in f.modules), None)
    return family or Family(name.replace("_", " ").capitalize(), "", (name,))


def group_by_family(measures: Sequence[Declaration]) -> dict[Family, list[Declaration]]:
    """Group measures by family. Families are in display order, and the measures of a family are in
    the order of its `modules`."""
    family_order = {f: i for i, f in enumerate(FAMILIES)}
    families: dict[Family, list[Declaration]] = {}
    for d in measures:
        families.setdefault(find_family(d), []).append(d)
    for family, members in families.items():
        if family.modules:
            members.sort(key=lambda d: family.modules.index(d.family))
    return dict(
        sorted(families.items(), key=lambda item: family_order.get(item[0], len(family_order)))
    )
