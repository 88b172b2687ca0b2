"""Blocks of the Measures page: the list of measures, and the details of one measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from markupsafe import Markup

from dashboard.drawing.blocks.markup import Href
from dashboard.drawing.blocks.templates import Template
from metrics_core.base import wording as w
from metrics_core.measures.declaring.description import RULES_OF_ALL, Description
from metrics_core.measures.declaring.worked_example import COLUMNS, GRADES, LISTED, SUBTOPICS

_TREATED = {"unjudged": "Unjudged documents", "missing": "Missing queries", "ties": "Ties"}

_render = Template("measures")


def draw_catalogue(
    groups: Mapping[str, Sequence[Description]],
    questions: Mapping[str, str],
    href: Href,
    use_links: Mapping[str, tuple[str, str]],
    family: str = "",
) -> Markup:
    """Draw the measures of each group with their names, their titles, and the questions that they
    answer. All groups are folded except the first one and `family`. `use_links` maps the name of a
    measure to its name with the cutoff, and the link that selects it. For the measure in use, the
    link is "", and the name is replaced by a remark."""
    return _render(
        "catalogue", groups=groups, questions=questions, href=href, use=use_links, family=family
    )


def draw_no_match_message(search_text: str, similar_names: Sequence[str], href: Href) -> Markup:
    """Draw a message that no measure matches the search, with links to measures with similar
    names."""
    links = [(name, href("measures", measure=name)) for name in similar_names]
    return _render("no_measure", find=search_text, near=links)


def draw_measure_heading(
    description: Description, back_link: str, use_link: str, unsupported_reason: str
) -> Markup:
    """Draw the name, the title, the family and the meaning of a measure, and the link that selects
    the measure."""
    return _render(
        "head", description=description, back=back_link, use=use_link, why_not=unsupported_reason
    )


def draw_parameters(description: Description) -> Markup:
    """Draw the parameters of a measure and their allowed values."""
    return _render("parameters", parameters=description.parameters)


def draw_facts(description: Description) -> Markup:
    """Draw facts about a measure: its range, how it treats special cases such as unjudged
    documents, its names in other packages, its source, and how it differs from other packages."""
    return _render("facts", description=description, treated=_TREATED, as_usual=RULES_OF_ALL)


def draw_worked_example(description: Description) -> Markup:
    """Draw the example list that all measures share, as squares, and the values of a measure for
    this list."""
    return _render(
        "worked",
        squares=[_make_square(rank, doc) for rank, doc in enumerate(LISTED, 1)],
        not_listed=[f"grade {GRADES[doc]}" for doc in GRADES if doc not in LISTED],
        judged=_subtopic_lines() if description.by_subtopic else [],
        columns=_document_lines() if description.of_documents else [],
        examples=description.worked,
    )


def _subtopic_lines() -> list[str]:
    """Return one line per subtopic of the example list: the judged documents with their ranks and
    grades."""
    lines = []
    for name, grades in SUBTOPICS.items():
        places = [f"{_rank_text(doc)} grade {g}".replace("-", w.MINUS) for doc, g in grades.items()]
        lines.append(f"Subtopic {name}: {w.join_words(places)}")
    return lines


def _document_lines() -> list[str]:
    """Return one line for each column of data about the documents of the example list. The line has
    the values of the documents in list order, then the values of documents that are not listed."""
    lines = []
    for name, values in COLUMNS.items():
        values_text = ", ".join(str(values[doc]) for doc in LISTED)
        rest = w.join_words(str(value) for doc, value in values.items() if doc not in LISTED)
        lines.append(f"{w.sentence_case(name)}: {values_text}; not listed: {rest}")
    return lines


def _rank_text(doc: str) -> str:
    return f"rank {LISTED.index(doc) + 1}" if doc in LISTED else "not listed"


class _Square(NamedTuple):
    rank: int
    tint: str
    digit: str
    spoken: str


def _make_square(rank: int, doc: str) -> _Square:
    grade = GRADES.get(doc)
    if grade is None:
        return _Square(rank, "gx", "?", "unjudged")
    spoken = f"grade {grade}".replace("-", w.MINUS)
    return _Square(rank, *(("gx", "?") if grade < 0 else (f"g{min(grade, 3)}", f"{grade}")), spoken)
