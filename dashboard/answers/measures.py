"""Measures: what does this one say, and which one answers my question?"""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.address.measure_key import measure_choices, reason_not_drawn
from dashboard.study.study import Study
from metrics_core.base.errors import RanklensError, UnknownMeasureError
from metrics_core.measures import Declaration, declarations, parse_measure
from metrics_core.measures.declaring.description import Description, describe_measure
from metrics_core.measures.declaring.families import group_by_family
from metrics_core.measures.declaring.names import find_declaration

USED_MOST = ("nDCG", "P", "R", "AP", "RR", "Success", "Judged", "bpref")
# What most papers, benchmarks and teams report; bpref rather than RBP, for trec_eval prints it
# unasked and it is what one asks where many documents are unjudged.
_FIRST, _FIRST_ASKS = "Used most", "With a cutoff in the name: nDCG@10, P@10, R@100, RR@10."


@dataclass(frozen=True)
class MeasureList:
    """The measures that a search and a family leave: the ones of each family, or, where something
    is searched for, the nearest first under one head. `similar` holds names like what was
    sought."""

    groups: dict[str, list[Description]]
    questions: dict[str, str]
    families: list[str]
    total: int
    similar: tuple[str, ...] = ()


@dataclass(frozen=True)
class MeasureDetail:
    """All about one measure; `key` chooses it in the address, `why_not` says why that is not
    possible."""

    description: Description
    key: str
    why_not: str


def measure_list(find: str, family: str) -> MeasureList:
    """The list of measures: those that are used most on top, where neither a family nor words are
    asked for, and each below its family."""
    declared_measures = declarations()
    families = group_by_family(declared_measures)
    questions = {f.title: f.question for f in families}
    groups = {
        f.title: [describe_measure(d) for d in ds]
        for f, ds in families.items()
        if family not in questions or f.title == family
    }
    if not find.strip() and family not in questions:
        groups = {
            _FIRST: [describe_measure(find_declaration(name)) for name in USED_MOST],
            **groups,
        }
    near: tuple[str, ...] = ()
    if find.strip():
        everything = [
            description for descriptions in groups.values() for description in descriptions
        ]
        ranked = sorted(
            (r, i) for i, t in enumerate(everything) if (r := _match_rank(t, find)) is not None
        )
        groups = {"Found": [everything[i] for _, i in ranked]} if ranked else {}
        near = () if ranked else _similar_names(find)
    group_questions = {**questions, _FIRST: _FIRST_ASKS}
    return MeasureList(groups, group_questions, list(questions), len(declared_measures), near)


def _match_rank(description: Description, find: str) -> int | None:
    """How well a measure fits what is searched for, 0 best; None where it does not."""
    words = find.casefold().split()
    names = [description.name, *description.other_names, description.title]
    plain = " ".join(words)
    if any(plain == name.casefold() for name in names):
        return 0
    levels = (
        [description.name],
        names,
        [*names, description.answer, description.family.title],
        [
            *names,
            description.answer,
            description.more,
            description.family.title,
            description.family.question,
        ],
    )
    for rank, texts in enumerate(levels, 1):
        text = " ".join(texts).casefold()
        if all(word in text for word in words):
            return rank
    return None


def _similar_names(find: str) -> tuple[str, ...]:
    try:
        find_declaration(find)
    except UnknownMeasureError as error:
        return error.nearest
    except RanklensError:
        pass
    return ()


def measure_detail(name: str, study: Study | None) -> MeasureDetail:
    """All about the measure of that name, whichever of its names it is; raises
    UnknownMeasureError."""
    declaration = find_declaration(name)
    choice = next((c for c in measure_choices() if c.declaration is declaration), None)
    return MeasureDetail(
        description=describe_measure(declaration),
        key=choice.key if choice else "",
        why_not=reason_not_drawn(declaration) or _missing_in_files(declaration, study),
    )


def _missing_in_files(declaration: Declaration, study: Study | None) -> str:
    """What the open files lack for a measure, "" where they have it or none are open."""
    if study is None or not study.names or not declaration.needs:
        return ""
    example = parse_measure(next(iter(declaration.worked)))
    missing = example.lacks(study.judged[study.names[0]])
    return f"The open files lack the data that it needs. {missing.hint}" if missing else ""
