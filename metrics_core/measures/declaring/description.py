"""All that a reader is told of a measure, as data: for the list of measures on paper, on the
command line and on screen."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache

from metrics_core.measures.declaring.families import Family, family_of
from metrics_core.measures.declaring.other_packages import Difference
from metrics_core.measures.declaring.parameters import Parameter, written
from metrics_core.measures.declaring.registry import MISSING, TIES, UNJUDGED, Declaration
from metrics_core.measures.declaring.worked_example import value_of

FOR_ALL = (
    "Results are ranked by score, highest first. The rank column of a file is ignored.",
    TIES + " trec_eval does the same.",
    "A document is relevant if its grade is at least `rel`, by default 1.",
    UNJUDGED + " So does a document with a negative grade.",
    MISSING,
    "A judged query without any relevant document counts, and most measures give it 0. A query"
    " without judgments is excluded.",
    "The score of a run is the mean over its judged queries.",
    "A duplicate document in a list of a file is an error, or counts once with its best score or"
    " its first row, depending on `duplicates`. In plain lists (`metrics_core.lists`) 'first'"
    " counts it at its first rank and closes the gap, 'each' counts every rank and 'error' rejects"
    " the list. For [a, a, b] with a expected, P@2 is 1/2 with 'first' and 2/2 with 'each'.",
)
"""What holds for every measure of which nothing else is said."""

_AS_USUAL = {"unjudged": UNJUDGED, "missing": MISSING, "ties": TIES}
_NEEDS = {
    "subtopics": "judgments by subtopic (query_id subtopic doc_id relevance)",
    "documents": "a documents table with the column it uses",
}
_TOGETHER = {
    "mean": "",
    "sum": "the score of a run is the sum over its queries",
    "geometric": "the score of a run is the geometric mean over its queries, with scores below"
    " 0.00001 raised to that value",
}


@dataclass(frozen=True)
class Worked:
    """A measure worked out by hand on the shared example."""

    name: str
    arithmetic: str
    value: float

    @property
    def written(self) -> str:
        """The value in six significant digits, the only place that says so."""
        return f"{self.value:.6g}"

    @property
    def is_value(self) -> bool:
        """Whether there is nothing to work out: the arithmetic is the value itself."""
        return self.arithmetic.strip().replace(".", "").isdecimal()


@dataclass(frozen=True)
class ParameterText:
    """A parameter in words; `place` is how it stands in a name (`rel=2`, `@10`)."""

    name: str
    meaning: str
    allowed: str
    default: str
    place: str


@dataclass(frozen=True)
class Description:
    """What a reader is told of a measure. `together` says how the scores of queries become one
    where that is not their mean; `unlike` holds what it does with unjudged, missing or
    tied documents where that is not as usual; `names` its names by package, "" for everyday
    ones."""

    name: str
    signature: str
    title: str
    family: Family
    answer: str
    more: str
    formula: str
    parameters: tuple[ParameterText, ...]
    range: str
    together: str
    needs: str
    by_subtopic: bool
    of_documents: bool
    unlike: tuple[tuple[str, str], ...]
    as_usual: str
    names: tuple[tuple[str, tuple[str, ...]], ...]
    reference: str
    worked: tuple[Worked, ...]
    differences: tuple[Difference, ...]

    @property
    def other_names(self) -> list[str]:
        """Every name by which it is called, its own left out."""
        return list(dict.fromkeys(n for _, names in self.names for n in names if n != self.name))


@lru_cache(maxsize=1024)
def described(declaration: Declaration) -> Description:
    """A measure's description."""
    answer, more = _first_sentence(declaration.explanation)
    unlike = tuple(
        (what, str(getattr(declaration, what)))
        for what, usual in _AS_USUAL.items()
        if getattr(declaration, what) != usual
    )
    return Description(
        name=declaration.name,
        signature=signature(declaration),
        title=declaration.title,
        family=family_of(declaration),
        answer=answer,
        more=more,
        formula=declaration.formula,
        parameters=tuple(_parameter_text(declaration, p) for p in declaration.parameters),
        range=_range(declaration),
        together=_TOGETHER[declaration.aggregation],
        needs=" and ".join(_NEEDS[need] for need in declaration.needs),
        by_subtopic="subtopics" in declaration.needs,
        of_documents="documents" in declaration.needs,
        unlike=unlike,
        as_usual=_as_usual({what for what, _ in unlike}),
        names=_names(declaration),
        reference=declaration.reference,
        worked=tuple(
            Worked(name, arithmetic, value_of(arithmetic))
            for name, arithmetic in declaration.worked.items()
        ),
        differences=declaration.differences,
    )


def signature(declaration: Declaration) -> str:
    """A measure's name with the names of its parameters: `P(rel)@k`, `nDCG(dcg)[@k]`. judged_only,
    which nearly every measure has, is left out."""
    at = declaration.parameter(declaration.at)
    inside = [p.name for p in declaration.parameters if p.name not in (declaration.at, _EVERYWHERE)]
    name = f"{declaration.name}({', '.join(inside)})" if inside else declaration.name
    if at is None:
        return name
    place = "@k" if at.name == "cutoff" else f"@{at.name}"
    return f"{name}{place if at.required else f'[{place}]'}"


_EVERYWHERE = "judged_only"


def _first_sentence(text: str) -> tuple[str, str]:
    """The first sentence of an explanation, and the rest."""
    match = re.match(r"(.+?[.!?])\s+(?=[A-Z0-9`(\[|\"'])(.+)", text)
    return (match[1], match[2]) if match else (text, "")


def _parameter_text(declaration: Declaration, p: Parameter) -> ParameterText:
    at = p.name == declaration.at
    if p.required:
        default = "required"
    elif p.default is None:
        default = "default: the whole list" if p.name == "cutoff" else "not set"
    else:
        default = f"default: {written(p.default)}"
    short = "k" if p.name == "cutoff" else p.name
    return ParameterText(
        name=p.name,
        meaning=p.meaning,
        allowed=p.allowed(),
        default=default,
        place=f"@{short}" if at else f"{p.name}=",
    )


def _range(declaration: Declaration) -> str:
    low, high = declaration.range
    if math.isinf(low) and math.isinf(high):
        said = "any number"
    elif math.isinf(high):
        said = f"{low:g} or more"
    elif math.isinf(low):
        said = f"{high:g} or less"
    else:
        said = f"{low:g} to {high:g}"
    return said if declaration.higher_is_better else f"{said}; lower is better"


def _as_usual(unlike: set[str]) -> str:
    """Which of unjudged, missing and tied documents are treated as everywhere: "" for none."""
    words = {"unjudged": "unjudged documents", "missing": "missing queries", "ties": "ties"}
    usual = [word for what, word in words.items() if what not in unlike]
    return f"{', '.join(usual[:-1])} and {usual[-1]}" if len(usual) > 1 else "".join(usual)


_TREC_PARAMETER = re.compile(r"\{(\w+)\}")


def _placeholder(match: re.Match[str]) -> str:
    return "k" if match[1] == "cutoff" else f"<{match[1]}>"


def _names(declaration: Declaration) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Names by package; "" for the everyday ones."""
    trec_eval = [_TREC_PARAMETER.sub(_placeholder, n) for n in declaration.trec_eval]
    names: dict[str, tuple[str, ...]] = {
        "": declaration.aliases,
        "trec_eval": tuple(trec_eval),
        "ir_measures": () if declaration.ir_measures is None else (declaration.name,),
    }
    for package, name in declaration.elsewhere.items():
        names[package] = (name,)
    return tuple((package, said) for package, said in names.items() if any(said))
