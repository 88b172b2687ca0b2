"""Measures: what does this one say, and which one answers my question?"""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.address.measure_key import measure_choices, why_not_drawn
from dashboard.study.study import Study
from metrics_core.base.errors import RanklensError, UnknownMeasureError
from metrics_core.measures import Declaration, declarations, parse_measure
from metrics_core.measures.declaring.description import Description, described
from metrics_core.measures.declaring.families import by_family
from metrics_core.measures.declaring.names import declared

USED_MOST = ("nDCG", "P", "R", "AP", "RR", "Success", "Judged", "bpref")
# What most papers, benchmarks and teams report; bpref rather than RBP, for trec_eval prints it
# unasked and it is what one asks where many documents are unjudged.
_FIRST, _FIRST_ASKS = "Used most", "With a cutoff in the name: nDCG@10, P@10, R@100, RR@10."


@dataclass(frozen=True)
class MeasureList:
    """The measures that a search and a family leave: the ones of each family, or, where something
    is searched for, the nearest first under one head. `near` holds names like what was sought."""

    groups: dict[str, list[Description]]
    questions: dict[str, str]
    families: list[str]
    total: int
    near: tuple[str, ...] = ()


@dataclass(frozen=True)
class MeasureDetail:
    """All about one measure; `key` chooses it in the address, `why_not` says why that is not
    possible."""

    told: Description
    key: str
    why_not: str


def measure_list(find: str, family: str) -> MeasureList:
    """The list of measures: those that are used most on top, where neither a family nor words are
    asked for, and each below its family."""
    known = declarations()
    families = by_family(known)
    questions = {f.title: f.question for f in families}
    groups = {
        f.title: [described(d) for d in ds]
        for f, ds in families.items()
        if family not in questions or f.title == family
    }
    if not find.strip() and family not in questions:
        groups = {_FIRST: [described(declared(name)) for name in USED_MOST], **groups}
    near: tuple[str, ...] = ()
    if find.strip():
        everything = [told for tolds in groups.values() for told in tolds]
        found = sorted(
            (r, i) for i, t in enumerate(everything) if (r := _rank(t, find)) is not None
        )
        groups = {"Found": [everything[i] for _, i in found]} if found else {}
        near = () if found else _near(find)
    asked = {**questions, _FIRST: _FIRST_ASKS}
    return MeasureList(groups, asked, list(questions), len(known), near)


def _rank(told: Description, find: str) -> int | None:
    """How well a measure fits what is searched for, 0 best; None where it does not."""
    wanted = find.casefold().split()
    names = [told.name, *told.other_names, told.title]
    plain = " ".join(wanted)
    if any(plain == name.casefold() for name in names):
        return 0
    places = (
        [told.name],
        names,
        [*names, told.answer, told.family.title],
        [*names, told.answer, told.more, told.family.title, told.family.question],
    )
    for rank, place in enumerate(places, 1):
        text = " ".join(place).casefold()
        if all(word in text for word in wanted):
            return rank
    return None


def _near(find: str) -> tuple[str, ...]:
    try:
        declared(find)
    except UnknownMeasureError as error:
        return error.nearest
    except RanklensError:
        pass
    return ()


def measure_detail(name: str, study: Study | None) -> MeasureDetail:
    """All about the measure of that name, whichever of its names it is; raises
    UnknownMeasureError."""
    declaration = declared(name)
    choice = next((c for c in measure_choices() if c.declaration is declaration), None)
    return MeasureDetail(
        told=described(declaration),
        key=choice.key if choice else "",
        why_not=why_not_drawn(declaration) or _lacking(declaration, study),
    )


def _lacking(declaration: Declaration, study: Study | None) -> str:
    """What the open files lack for a measure, "" where they have it or none are open."""
    if study is None or not study.names or not declaration.needs:
        return ""
    example = parse_measure(next(iter(declaration.worked)))
    lacking = example.lacks(study.judged[study.names[0]])
    return f"The open files lack the data that it needs. {lacking.hint}" if lacking else ""
