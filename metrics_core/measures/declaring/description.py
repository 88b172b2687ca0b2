"""The documentation of measures as data, from which the docs, commands and pages list them."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache

from metrics_core.base.wording import join_words
from metrics_core.measures.declaring.families import Family, find_family
from metrics_core.measures.declaring.other_packages import Difference
from metrics_core.measures.declaring.parameters import Parameter, format_parameter
from metrics_core.measures.declaring.registry import (
    MISSING,
    TIES,
    UNJUDGED,
    Declaration,
    Measure,
)
from metrics_core.measures.declaring.worked_example import evaluate_arithmetic

RULES_OF_ALL = (
    "Results are ranked by score, highest first. The rank column of a file is ignored.",
    TIES + " trec_eval breaks ties in the same way.",
    "A document is relevant if its grade is at least `rel`, by default 1.",
    UNJUDGED + " A document with a negative grade also counts as not relevant.",
    MISSING,
    "A judged query without any relevant document counts, and most measures give it 0. A query"
    " without judgments is excluded.",
    "The score of a run is the mean over its judged queries.",
    "The option `duplicates` applies to a document that occurs twice in a list of a file: 'error'"
    " rejects the file, 'best' uses the best score and 'first' uses the first row. In plain lists"
    " (`metrics_core.lists`) 'first' counts it at its first rank and closes the gap, 'each' counts"
    " every rank and 'error' rejects the list. If a is expected and [a, a, b] is retrieved, P@2 is"
    " 1/2 with 'first' and 2/2 with 'each'.",
)
"""Rules that apply to every measure, unless its description says otherwise."""

_DEFAULTS = {"unjudged": UNJUDGED, "missing": MISSING, "ties": TIES}
_CASES = {"unjudged": "unjudged documents", "missing": "missing queries", "ties": "ties"}
_NEEDS = {
    "subtopics": "judgments by subtopic (query_id subtopic doc_id relevance)",
    "documents": "a documents table with the column that the measure uses",
}
_AGGREGATIONS = {
    "mean": "",
    "sum": "the score of a run is the sum over its queries",
    "geometric": "the score of a run is the geometric mean over its queries; scores below 0.00001"
    " count as 0.00001",
}


@dataclass(frozen=True)
class WorkedValue:
    """The value of a measure on the worked example, computed by hand."""

    name: str
    arithmetic: str
    value: float

    @property
    def value_text(self) -> str:
        """The value as text with six significant digits. No other code defines this format."""
        return f"{self.value:.6g}"

    @property
    def is_plain_value(self) -> bool:
        """Whether the arithmetic consists of the value alone, so that there is nothing to
        compute."""
        return self.arithmetic.strip().replace(".", "").isdecimal()


@dataclass(frozen=True)
class ParameterText:
    """Description of a parameter. `notation` is the form of the parameter in a measure's name
    (`rel=2`, `@10`)."""

    name: str
    meaning: str
    allowed: str
    default: str
    notation: str


@dataclass(frozen=True)
class Description:
    """The description of a measure.

    `aggregation` says how the scores of queries are combined; "" means the mean. `exceptions`
    describes how unjudged documents, missing queries or ties are treated if the default rules do
    not apply. `names` has the names of the measure by package; the key "" has the common names."""

    name: str
    signature: str
    title: str
    family: Family
    answer: str
    more: str
    formula: str
    parameters: tuple[ParameterText, ...]
    range: str
    aggregation: str
    needs: str
    by_subtopic: bool
    of_documents: bool
    exceptions: tuple[tuple[str, str], ...]
    defaults: str
    names: tuple[tuple[str, tuple[str, ...]], ...]
    reference: str
    worked: tuple[WorkedValue, ...]
    differences: tuple[Difference, ...]

    @property
    def other_names(self) -> list[str]:
        """All names of the measure except its canonical name."""
        return list(dict.fromkeys(n for _, names in self.names for n in names if n != self.name))


def _mark_words_as_text(formula: str) -> str:
    """Mark the words in a LaTeX formula as text, because LaTeX would otherwise set each word as a
    product of its letters."""
    return _WORD.sub(lambda match: rf"\text{{{match[1]}}}" if match[1] else match[0], formula)


def formula_with_values(measure: Measure) -> str:
    """Return the LaTeX formula of a measure with its cutoff and its relevance threshold in place of
    `k` and `rel`. For a measure without a cutoff, the conditions on `k` are removed."""
    formula = describe_measure(measure.declaration).formula
    formula = formula.replace(r"\ge \text{rel}", rf"\ge {measure.relevant_from:g}")
    if measure.cutoff is None:
        return re.sub(r" \\le k\b", "", formula)
    return re.sub(r"\bk\b", str(measure.cutoff), formula)


@lru_cache(maxsize=1024)
def describe_measure(declaration: Declaration) -> Description:
    """Return the description of a measure."""
    answer, more = _first_sentence(declaration.explanation)
    exceptions = tuple(
        (what, str(getattr(declaration, what)))
        for what, default in _DEFAULTS.items()
        if getattr(declaration, what) != default
    )
    return Description(
        name=declaration.name,
        signature=format_signature(declaration),
        title=declaration.title,
        family=find_family(declaration),
        answer=answer,
        more=more,
        formula=_mark_words_as_text(declaration.formula),
        parameters=tuple(_parameter_text(declaration, p) for p in declaration.parameters),
        range=_range_text(declaration),
        aggregation=_AGGREGATIONS[declaration.aggregation],
        needs=" and ".join(_NEEDS[need] for need in declaration.needs),
        by_subtopic="subtopics" in declaration.needs,
        of_documents="documents" in declaration.needs,
        exceptions=exceptions,
        defaults=join_words(w for what, w in _CASES.items() if what not in dict(exceptions)),
        names=_names_by_package(declaration),
        reference=declaration.reference,
        worked=tuple(
            WorkedValue(name, arithmetic, evaluate_arithmetic(arithmetic))
            for name, arithmetic in declaration.worked.items()
        ),
        differences=declaration.differences,
    )


def format_signature(declaration: Declaration) -> str:
    """Return a measure's name with its parameter names: `P(rel)@k`, `nDCG(dcg)[@k]`.

    `judged_only` is omitted, because almost every measure has this parameter."""
    at_parameter = declaration.parameter(declaration.at)
    names = [
        p.name for p in declaration.parameters if p.name not in (declaration.at, _COMMON_PARAMETER)
    ]
    name = f"{declaration.name}({', '.join(names)})" if names else declaration.name
    if at_parameter is None:
        return name
    suffix = "@k" if at_parameter.name == "cutoff" else f"@{at_parameter.name}"
    return f"{name}{suffix if at_parameter.required else f'[{suffix}]'}"


_COMMON_PARAMETER = "judged_only"


def _first_sentence(text: str) -> tuple[str, str]:
    """Return the first sentence of an explanation, and the remaining text."""
    match = re.match(r"(.+?[.!?])\s+(?=[A-Z0-9`(\[|\"'])(.+)", text)
    return (match[1], match[2]) if match else (text, "")


def _parameter_text(declaration: Declaration, parameter: Parameter) -> ParameterText:
    is_at = parameter.name == declaration.at
    if parameter.required:
        default = "required"
    elif parameter.default is None:
        default = "default: the whole list" if parameter.name == "cutoff" else "not set"
    else:
        default = f"default: {format_parameter(parameter.default)}"
    short = "k" if parameter.name == "cutoff" else parameter.name
    return ParameterText(
        name=parameter.name,
        meaning=parameter.meaning,
        allowed=parameter.describe_allowed_values(),
        default=default,
        notation=f"@{short}" if is_at else f"{parameter.name}=",
    )


def _range_text(declaration: Declaration) -> str:
    low, high = declaration.range
    if math.isinf(low) and math.isinf(high):
        text = "any number"
    elif math.isinf(high):
        text = f"{low:g} or more"
    elif math.isinf(low):
        text = f"{high:g} or less"
    else:
        text = f"{low:g} to {high:g}"
    return text if declaration.higher_is_better else f"{text}; lower is better"


_WORD = re.compile(r"\\(?:text|mathrm)\{[^}]*\}|\\[A-Za-z]+|([A-Za-z]{2,})")
"""A word in LaTeX that is no command and is not marked as text."""
_TREC_PARAMETER = re.compile(r"\{(\w+)\}")


def _format_placeholder(match: re.Match[str]) -> str:
    return "k" if match[1] == "cutoff" else f"<{match[1]}>"


def _names_by_package(declaration: Declaration) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the names of a measure by package. The key "" has the common names."""
    trec_eval = [_TREC_PARAMETER.sub(_format_placeholder, n) for n in declaration.trec_eval]
    names: dict[str, tuple[str, ...]] = {
        "": declaration.aliases,
        "trec_eval": tuple(trec_eval),
        "ir_measures": () if declaration.ir_measures is None else (declaration.name,),
    }
    for package, name in declaration.elsewhere.items():
        names[package] = (name,)
    return tuple((package, aliases) for package, aliases in names.items() if any(aliases))
