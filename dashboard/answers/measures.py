"""The Measures page: a description of each measure, and a search for the measure that fits a
question."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.address.measure_key import explain_unsupported, measure_choices
from dashboard.study.study import Study
from metrics_core.base.errors import RanklensError, UnknownMeasureError
from metrics_core.measures import Declaration, declarations, parse_measure
from metrics_core.measures.declaring.description import Description, describe_measure
from metrics_core.measures.declaring.families import group_by_family
from metrics_core.measures.declaring.names import find_declaration

USED_MOST = ("nDCG", "P", "R", "AP", "RR", "Success", "Judged", "bpref")
# What most papers, benchmarks and teams report; bpref rather than RBP because trec_eval prints it
# by default and it is used when many documents are unjudged.
_FIRST, _FIRST_ASKS = "Most used", "k is the cutoff: the number of top results that count."


@dataclass(frozen=True)
class MeasureList:
    """The measures that match a search, grouped by heading. Without a search, the headings in
    `groups` are the family titles, after a group of the most used measures. With a search, there is
    only one heading, under which the best match comes first. `questions` maps each heading to the
    question that its measures answer. If nothing matches the search, `similar` has the names of
    similar measures."""

    groups: dict[str, list[Description]]
    questions: dict[str, str]
    total: int
    similar: tuple[str, ...] = ()


@dataclass(frozen=True)
class MeasureDetail:
    """The description of a measure. `why_not` says why the measure cannot be selected, and is "" if
    it can."""

    description: Description
    why_not: str


def find_measures(search_text: str) -> MeasureList:
    """Return the measures that match the search, best match first. Without a search, return all
    measures by family, after a group of the most used ones."""
    declared_measures = declarations()
    families = group_by_family(declared_measures)
    questions = {_FIRST: _FIRST_ASKS, **{f.title: f.question for f in families}}
    groups = {f.title: [describe_measure(d) for d in ds] for f, ds in families.items()}
    near: tuple[str, ...] = ()
    if search_text.strip():
        everything = [
            description for descriptions in groups.values() for description in descriptions
        ]
        ranked = sorted(
            (r, i)
            for i, t in enumerate(everything)
            if (r := _search_sort_key(t, search_text)) is not None
        )
        groups = {"Matches": [everything[i] for _, i in ranked]} if ranked else {}
        near = () if ranked else _similar_names(search_text)
    else:
        most_used = [describe_measure(find_declaration(name)) for name in USED_MOST]
        groups = {_FIRST: most_used, **groups}
    return MeasureList(groups, questions, len(declared_measures), near)


def _search_sort_key(description: Description, search_text: str) -> int | None:
    """Return how well a measure matches a search, as a sort key: 0 is the best match.
    Returns None if it does not match."""
    words = search_text.casefold().split()
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


def _similar_names(search_text: str) -> tuple[str, ...]:
    try:
        find_declaration(search_text)
    except UnknownMeasureError as error:
        return error.nearest
    except RanklensError:
        pass
    return ()


def measure_detail(name: str, study: Study | None) -> MeasureDetail:
    """Return the description of a measure. `name` may also be one of the measure's other names.
    Raises UnknownMeasureError."""
    declaration = find_declaration(name)
    return MeasureDetail(
        description=describe_measure(declaration),
        why_not=explain_unsupported(declaration) or _find_missing_inputs(declaration, study),
    )


def selectable_keys(study: Study | None) -> dict[str, str]:
    """Map the names of the measures that can be computed from the open files to their keys in the
    address. If no files are open, the result is empty."""
    if study is None:
        return {}
    choices = measure_choices()
    return {c.name: c.key for c in choices if not _find_missing_inputs(c.declaration, study)}


def _find_missing_inputs(declaration: Declaration, study: Study | None) -> str:
    """Return a sentence that names the data that a measure needs and the open files lack. It is ""
    if nothing is missing or no files are open."""
    if study is None or not study.judged or not declaration.needs:
        return ""
    example = parse_measure(next(iter(declaration.worked)))
    missing = example.find_missing_data(study.judged[study.names[0]])
    return (
        f"The open files lack the data that this measure needs. {missing.hint}" if missing else ""
    )
