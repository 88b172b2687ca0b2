"""Which measures the pages draw, and how a chosen one stands in the address.

The address holds a measure's canonical name, with "@k" where it follows the control of the cutoff:
`nDCG@k`, `P(rel=2)@k`, `AP`. No Streamlit here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from metrics_core.base.errors import ParameterError, RanklensError
from metrics_core.measures import Declaration, Measure, declarations, parse_measure
from metrics_core.measures.declaring.description import described
from metrics_core.measures.declaring.families import by_family
from metrics_core.measures.declaring.names import declared, parse_value
from metrics_core.measures.declaring.parameters import Parameter

DEFAULT_MEASURE = "nDCG@k"
_USUAL = ("nDCG", "P", "R", "RR", "AP")
_ANY_K = 10
_BETWEEN = " · "
"""Between the names of an entry; the script of the picker knows it as well."""
_LIMIT = "rel"
"""The parameter of many measures that says from which grade a document is relevant."""


@dataclass(frozen=True)
class MeasureChoice:
    """An entry of the measure picker. `key` stands in the address when it is picked, `label` holds
    every name by which a reader may look for it."""

    key: str
    label: str
    declaration: Declaration

    @property
    def name(self) -> str:
        """The measure's name without parameters."""
        return self.declaration.name


@dataclass(frozen=True)
class Chosen:
    """A measure from the address; `refused` says why it is not the one that was asked for."""

    measure: Measure
    key: str
    refused: RanklensError | None = field(default=None, compare=False)

    @property
    def takes_k(self) -> bool:
        """Whether the measure follows the control of the cutoff."""
        return self.key.endswith("@k")


def why_not_drawn(declaration: Declaration) -> str:
    """Why the pages cannot show a measure, as a sentence; "" where they can. They speak of means
    over queries, of which the higher is the better."""
    if declaration.aggregation == "sum":
        return f"{declaration.name} is summed over queries, not averaged; the pages compare means."
    if declaration.aggregation == "geometric":
        return (
            f"{declaration.name} takes the geometric mean over queries; the pages compare"
            " arithmetic means."
        )
    if not declaration.higher_is_better:
        return (
            f"On {declaration.name} lower is better; the pages read every score as higher is"
            " better."
        )
    return ""


@lru_cache(maxsize=4)
def _choices(names: tuple[str, ...]) -> list[MeasureChoice]:
    drawn = [d for d in declarations() if not why_not_drawn(d)]
    ordered = [d for ds in by_family(drawn).values() for d in ds]
    place = {name: i for i, name in enumerate(_USUAL)}
    ordered.sort(key=lambda d: place.get(d.name, len(place)))
    return [MeasureChoice(_usual_key(d), _label(d), d) for d in ordered]


def measure_choices() -> list[MeasureChoice]:
    """What the measure picker offers: the usual ones first, then family by family."""
    return _choices(tuple(d.name for d in declarations()))


def _label(declaration: Declaration) -> str:
    """Name and title, then the names elsewhere, so that a search in the picker finds those too."""
    own = [declaration.name]
    if _folded(declaration.title) != _folded(declaration.name):
        own.append(declaration.title)
    known = {_folded(name) for name in own}
    others = []
    told = described(declaration)
    for name in [n for package, ns in told.names for n in (ns if not package else map(_word, ns))]:
        plain = _without_parameter(name)
        if plain and _folded(plain) not in known:
            known.add(_folded(plain))
            others.append(plain)
    return _BETWEEN.join([*own, *others])


def _word(name: str) -> str:
    """A name in another package without the remark behind it."""
    return re.split(r"[ ,(]", name)[0]


def _without_parameter(name: str) -> str:
    return re.sub(r"([_@](k|<\w+>)|\.\d+)$", "", name)


def _folded(name: str) -> str:
    return re.sub(r"[\s_\-]", "", name).lower()


def _usual_key(declaration: Declaration) -> str:
    """The form in which a measure is picked: at k where its gloss speaks of the top k; a parameter
    that must be given is as in its first worked example."""
    needed = {p.name for p in declaration.parameters if p.required and p.name != "cutoff"}
    example = parse_measure(next(iter(declaration.worked)))
    values = {name: value for name, value in example.values if name in needed}
    cutoff = declaration.cutoff
    at_k = cutoff is not None and (cutoff.required or "{k}" in declaration.gloss)
    if at_k:
        values["cutoff"] = _ANY_K
    return key_of(declaration(**values), takes_k=at_k)


def key_of(measure: Measure, *, takes_k: bool) -> str:
    """How a measure stands in the address. One whose cutoff is not written behind the @ keeps it
    as a parameter."""
    name = str(measure)
    if not takes_k or measure.cutoff is None or measure.declaration.at != "cutoff":
        return name
    return f"{name.rpartition('@')[0]}@k"


def at_k(measure: Measure) -> str:
    """The key of a measure that follows the control of the cutoff wherever it can."""
    return key_of(measure, takes_k=True)


def read_measure(key: str, cutoff: int) -> Chosen:
    """The measure an address names. Where it names none that the pages draw, the default one, and
    why."""
    if not key:
        return Chosen(_at(DEFAULT_MEASURE, cutoff), DEFAULT_MEASURE)
    try:
        measure = _at(key, cutoff)
        _refuse(measure.declaration)
    except RanklensError as error:
        return Chosen(_at(DEFAULT_MEASURE, cutoff), DEFAULT_MEASURE, error)
    return Chosen(measure, key_of(measure, takes_k=key.endswith("@k")))


def _at(key: str, cutoff: int) -> Measure:
    return parse_measure(re.sub(r"@k$", f"@{cutoff}", key))


def _refuse(declaration: Declaration) -> None:
    why = why_not_drawn(declaration)
    if why:
        raise RanklensError(why, "The command line prints it.")


def picked(text: str, cutoff: int) -> dict[str, str]:
    """What changes in the address when a measure is picked or its name is typed. Raises
    RanklensError where the name means nothing, or nothing that the pages draw."""
    choice = next((c for c in measure_choices() if text in (c.name, c.label)), None)
    if choice is not None:
        return {"m": choice.key}
    try:
        measure = _typed(text.strip(), cutoff)
    except RanklensError:
        choice = _choice_of(text)
        if choice is None:
            raise
        return {"m": choice.key}
    _refuse(measure.declaration)
    if str(measure) == measure.declaration.name:
        # A name alone, in whatever spelling, is the entry of that name.
        return {"m": _usual_key(measure.declaration)}
    if measure.cutoff is None or measure.declaration.at != "cutoff":
        return {"m": str(measure)}
    return {"m": key_of(measure, takes_k=True), "k": str(measure.cutoff)}


def _choice_of(text: str) -> MeasureChoice | None:
    """The entry of the picker that lists this name, in whatever spelling."""
    name = _folded(text)
    listing = (c for c in measure_choices() if name in map(_folded, c.label.split(_BETWEEN)))
    return next(listing, None)


def presets() -> dict[str, str]:
    """Names that mean a measure with other parameters than its entry has: {"rbp": "RBP(p=0.9)"}."""
    own = [(d, known) for d in declarations() for known in d.in_trec_eval if known.values]
    return {known.name: str(d(**known.values)) for d, known in own}


def understood(text: str, measure: Measure) -> str:
    """What a typed name was read as, where the measure that it stands for does not say so itself:
    one of another spelling alone needs no word. Empty for an entry of the picker."""
    names = {name for choice in measure_choices() for name in (choice.name, choice.label)}
    text = text.strip()
    if (
        not text
        or text in names
        or _folded(text) in (_folded(str(measure)), _folded(at_k(measure)))
    ):
        return ""
    own = measure.declaration
    theirs = any(text == known.name for known in own.in_trec_eval)
    said = f"`{text}`{' is trec_eval’s name and' if theirs else ''} was read as {measure}."
    alike = _folded(text) == _folded(own.name)
    return f"{said} {own.name} itself is {_defaults(own)}." if alike else said


def _defaults(declaration: Declaration) -> str:
    """What a measure has that is asked for by its name alone: "RBP(p=0.8)"."""
    told = [f"{p.name}={p.default:g}" for p in declaration.parameters if type(p.default) is float]
    return f"{declaration.name}({', '.join(told)})"


def _typed(text: str, cutoff: int) -> Measure:
    """The measure of a typed name; one that needs a cutoff and has none takes the chosen one."""
    if text.endswith("@k"):
        return _at(text, cutoff)
    found = declared(text)
    if "@" not in text and found.cutoff is not None and found.cutoff.required:
        try:
            return parse_measure(text)
        except ParameterError:
            return parse_measure(f"{text}@{cutoff}")
    return parse_measure(text)


def with_value(chosen: Chosen, name: str, value: Any) -> str:
    """The key with another value of a parameter; raises ParameterError."""
    values = dict(chosen.measure.values) | {name: value}
    return key_of(chosen.measure.declaration(**values), takes_k=chosen.takes_k)


def with_text(chosen: Chosen, name: str, text: str) -> str:
    """As `with_value`, the value as it is typed in a measure's name; empty is not set."""
    return with_value(chosen, name, parse_value(text) if text.strip() else None)


def limit_of(chosen: Chosen) -> float | None:
    """From which grade a document is relevant to the measure; None where it has no such limit."""
    has_one = any(p.name == _LIMIT for p in chosen.measure.declaration.parameters)
    return float(chosen.measure.value(_LIMIT)) if has_one else None


def with_limit(chosen: Chosen, grade: float) -> str:
    """The key of the measure to which documents from this grade on are relevant."""
    return with_value(chosen, _LIMIT, int(grade) if float(grade).is_integer() else float(grade))


def whole_list(chosen: Chosen, cutoff: int, *, whole: bool) -> str:
    """The key of the measure over the whole list, or at k."""
    return key_of(chosen.measure.at(None if whole else cutoff), takes_k=not whole)


def options_of(chosen: Chosen) -> list[Parameter]:
    """The parameters that the picker offers beside the control of the cutoff."""
    declaration = chosen.measure.declaration
    controlled = "cutoff" if declaration.at == "cutoff" else ""
    return [p for p in declaration.parameters if p.name != controlled]
