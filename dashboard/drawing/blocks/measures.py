"""The parts of the Measures page: the list, and all about one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from dashboard.drawing.blocks.markup import Href, section
from dashboard.drawing.blocks.templates import Template
from metrics_core.base import wording as w
from metrics_core.measures.declaring.description import FOR_ALL, Description
from metrics_core.measures.declaring.worked_example import COLUMNS, GRADES, LISTED, SUBTOPICS

_TREATED = {"unjudged": "Unjudged documents", "missing": "Missing queries", "ties": "Ties"}

_drawn = Template("measures")


def catalogue(
    groups: Mapping[str, Sequence[Description]], questions: Mapping[str, str], href: Href
) -> Markup:
    """The measures of each group: name, title and what each answers."""
    headed = [(section(name, questions.get(name, "")), told) for name, told in groups.items()]
    return _drawn("catalogue", groups=headed, href=href)


def no_measure(find: str, near: Sequence[str], href: Href) -> Markup:
    """What stands where no measure fits a search."""
    links = [(name, href("measures", measure=name)) for name in near]
    return _drawn("no_measure", find=find, near=links)


def head(told: Description, back: str, use: str, why_not: str) -> Markup:
    """Name, title and family, what the measure answers, and the link that chooses it."""
    return _drawn("head", told=told, back=back, use=use, why_not=why_not)


def parameters(told: Description) -> Markup:
    """What may be set, and to what."""
    return _drawn("parameters", parameters=told.parameters)


def facts(told: Description) -> Markup:
    """Range, what is done with odd documents, names elsewhere, source, differences."""
    return _drawn("facts", told=told, treated=_TREATED, as_usual=FOR_ALL)


def worked(told: Description) -> Markup:
    """The shared example as squares, and the measure worked out on it."""
    return _drawn(
        "worked",
        squares=[_square(rank, doc) for rank, doc in enumerate(LISTED, 1)],
        not_listed=[f"grade {GRADES[doc]}" for doc in GRADES if doc not in LISTED],
        judged=_by_subtopic() if told.by_subtopic else [],
        columns=_of_documents() if told.of_documents else [],
        examples=told.worked,
    )


def _by_subtopic() -> list[str]:
    """The example's judgments by subtopic, with the rank of each document."""
    said = []
    for name, grades in SUBTOPICS.items():
        places = [f"{_place(doc)} grade {g}".replace("-", w.MINUS) for doc, g in grades.items()]
        said.append(f"Subtopic {name}: {w.listing(places)}")
    return said


def _of_documents() -> list[str]:
    """The columns of the example's documents, in the order of the list."""
    said = []
    for name, values in COLUMNS.items():
        listed = ", ".join(str(values[doc]) for doc in LISTED)
        rest = w.listing(str(value) for doc, value in values.items() if doc not in LISTED)
        said.append(f"{w.sentence_case(name)}: {listed}; not listed: {rest}")
    return said


def _place(doc: str) -> str:
    return f"rank {LISTED.index(doc) + 1}" if doc in LISTED else "not listed"


class _Square(NamedTuple):
    """A listed document of the example."""

    rank: int
    tint: str
    shown: str
    said: str


def _square(rank: int, doc: str) -> _Square:
    grade = GRADES.get(doc)
    if grade is None:
        return _Square(rank, "gx", "?", "unjudged")
    said = f"grade {grade}".replace("-", w.MINUS)
    return _Square(rank, *(("gx", "?") if grade < 0 else (f"g{min(grade, 3)}", f"{grade}")), said)
