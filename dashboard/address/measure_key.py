"""The measures that the pages can show, and how the chosen measure is written in the address.

The address has the measure's canonical name, such as `AP`. If the measure follows the cutoff
control, the name ends in "@k", as in `nDCG@k` or `P(rel=2)@k`. This module does not use
Streamlit."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from metrics_core.base.errors import ParameterError, RanklensError
from metrics_core.measures import Declaration, Measure, declarations, parse_measure
from metrics_core.measures.declaring.description import describe_measure
from metrics_core.measures.declaring.families import group_by_family
from metrics_core.measures.declaring.given_measures import PREFIX
from metrics_core.measures.declaring.names import find_declaration, parse_value
from metrics_core.measures.declaring.parameters import Parameter
from metrics_core.measures.declaring.registry import fold_name

DEFAULT_MEASURE = "nDCG@k"
_DEFAULTS = ("nDCG", "P", "R", "RR", "AP")
_ANY_K = 10
_BETWEEN = " · "
"""Separator between the names in the label of a picker entry. The script of the picker uses the
same separator."""
_RELEVANCE_PARAMETER = "rel"
"""The parameter that many measures have for the lowest relevant grade."""


@dataclass(frozen=True)
class MeasureChoice:
    """An entry of the measure picker. `key` is its form in the address; `label` contains all names
    by which a user may search for it."""

    key: str
    label: str
    declaration: Declaration

    @property
    def name(self) -> str:
        """The measure's name without parameters."""
        return self.declaration.name


@dataclass(frozen=True)
class ChosenMeasure:
    """The measure of a page. If it differs from the measure that the address requests, `refused` is
    the error that says why."""

    measure: Measure
    key: str
    refused: RanklensError | None = field(default=None, compare=False)

    @property
    def takes_k(self) -> bool:
        """Whether the measure follows the cutoff control."""
        return self.key.endswith("@k")


def explain_unsupported(declaration: Declaration) -> str:
    """Return the reason why the pages cannot show a measure. They can show only measures that are
    compared by their arithmetic means over queries. Returns "" if they can show the measure."""
    if declaration.aggregation == "sum":
        return (
            f"The pages compare means over queries, but {declaration.name} is a sum over queries."
        )
    if declaration.aggregation == "geometric":
        return (
            f"The pages compare arithmetic means over queries, but {declaration.name} is a"
            " geometric mean."
        )
    return ""


@lru_cache(maxsize=4)
def _make_choices(names: tuple[str, ...]) -> list[MeasureChoice]:
    drawable = [d for d in declarations() if not explain_unsupported(d)]
    ordered = [d for ds in group_by_family(drawable).values() for d in ds]
    positions = {name: i for i, name in enumerate(_DEFAULTS)}
    ordered.sort(key=lambda d: positions.get(d.name, len(positions)))
    return [MeasureChoice(_default_key(d), _choice_label(d), d) for d in ordered]


def measure_choices() -> list[MeasureChoice]:
    """Return the entries of the measure picker: the default measures first, then all others by
    family."""
    return _make_choices(tuple(d.name for d in declarations()))


def _choice_label(declaration: Declaration) -> str:
    """Return the label of a picker entry: name and title, then the names in other packages, so that
    the user can search for these too."""
    names = [declaration.name]
    if fold_name(declaration.title) != fold_name(declaration.name):
        names.append(declaration.title)
    folded_names = {fold_name(name) for name in names}
    other_names = []
    description = describe_measure(declaration)
    for package, package_names in description.names:
        for name in package_names:
            # The name in another package may be followed by a remark.
            name = re.split(r"[ ,(]", name)[0] if package else name
            plain_name = re.sub(r"([_@](k|<\w+>)|\.\d+)$", "", name)
            if plain_name and fold_name(plain_name) not in folded_names:
                folded_names.add(fold_name(plain_name))
                other_names.append(plain_name)
    return _BETWEEN.join([*names, *other_names])


def _default_key(declaration: Declaration) -> str:
    """Return the key of a measure that is picked by its name alone. The measure follows the cutoff
    control if it requires a cutoff or if its short description mentions k. The values of the other
    required parameters are taken from the declaration's first worked example."""
    needed = {p.name for p in declaration.parameters if p.required and p.name != "cutoff"}
    example = parse_measure(next(iter(declaration.worked)))
    values = {name: value for name, value in example.values if name in needed}
    cutoff = declaration.cutoff
    at_k = cutoff is not None and (cutoff.required or "{k}" in declaration.gloss)
    if at_k:
        values["cutoff"] = _ANY_K
    return measure_key(declaration(**values), takes_k=at_k)


def measure_key(measure: Measure, *, takes_k: bool) -> str:
    """Format a measure for an address. If `takes_k` is true and the measure's name ends in "@" and
    the cutoff, this ending is replaced by "@k". Otherwise, the name is unchanged."""
    name = str(measure)
    if not takes_k or measure.cutoff is None or measure.declaration.at != "cutoff":
        return name
    return f"{name.rpartition('@')[0]}@k"


def key_at_k(measure: Measure) -> str:
    """Return the key of the measure without its cutoff, so that the cutoff control sets the cutoff.
    If the control cannot set it, return the measure's ordinary key."""
    return measure_key(measure, takes_k=True)


def find_given_measure(key: str, given_measures: Sequence[Measure]) -> Measure | None:
    """Return the given measure (with scores from another tool) that `key` names. Returns None if
    there is no such measure. The key may omit the prefix of given measures unless a computed
    measure has the same name."""
    names = {key, key.removeprefix(PREFIX)}
    return next((measure for measure in given_measures if str(measure) in names), None)


def read_measure(
    key: str, cutoff: int, given_measures: Sequence[Measure] = (), *, has_lists: bool = True
) -> ChosenMeasure:
    """Parse the measure in an address. If the pages cannot show it, return the default measure,
    with the reason in `refused`.

    Given measures take precedence. Without result lists, only given measures can be shown, and the
    first of them is the default."""
    measure = find_given_measure(key, given_measures)
    if measure is not None:
        return ChosenMeasure(measure, str(measure))
    default = (
        ChosenMeasure(_parse_key_at_cutoff(DEFAULT_MEASURE, cutoff), DEFAULT_MEASURE)
        if has_lists or not given_measures
        else ChosenMeasure(given_measures[0], str(given_measures[0]))
    )
    if not key:
        return default
    try:
        measure = _parse_key_at_cutoff(key, cutoff)
        _refuse_unsupported(measure.declaration)
        if default.measure in given_measures:
            raise RanklensError(f"{measure} needs runs and judgments, but only scores are loaded.")
    except RanklensError as error:
        return replace(default, refused=error)
    return ChosenMeasure(measure, measure_key(measure, takes_k=key.endswith("@k")))


def _parse_key_at_cutoff(key: str, cutoff: int) -> Measure:
    return parse_measure(re.sub(r"@k$", f"@{cutoff}", key))


def _refuse_unsupported(declaration: Declaration) -> None:
    reason = explain_unsupported(declaration)
    if reason:
        raise RanklensError(reason, "Use the command line for this measure.")


def pick_measure(text: str, cutoff: int, given_measures: Sequence[Measure] = ()) -> dict[str, str]:
    """Return the changes to the address that select the measure the user picked or typed. Raises
    RanklensError if the name is unknown or if the pages cannot show the measure."""
    given_measure = find_given_measure(text.strip(), given_measures)
    if given_measure is not None:
        return {"m": str(given_measure)}
    choice = next((c for c in measure_choices() if text in (c.name, c.label)), None)
    if choice is not None:
        return {"m": choice.key}
    try:
        measure = _parse_typed_name(text.strip(), cutoff)
    except RanklensError:
        choice = _find_choice(text)
        if choice is None:
            raise
        return {"m": choice.key}
    _refuse_unsupported(measure.declaration)
    if str(measure) == measure.declaration.name:
        # A bare name, in any spelling, is the entry of that name.
        return {"m": _default_key(measure.declaration)}
    if measure.cutoff is None or measure.declaration.at != "cutoff":
        return {"m": str(measure)}
    return {"m": measure_key(measure, takes_k=True), "k": str(measure.cutoff)}


def _find_choice(text: str) -> MeasureChoice | None:
    """Return the entry of the picker that has this name. Case, spaces, underscores and hyphens are
    ignored."""
    name = fold_name(text)
    listing = (c for c in measure_choices() if name in map(fold_name, c.label.split(_BETWEEN)))
    return next(listing, None)


def trec_eval_presets() -> dict[str, str]:
    """Map each trec_eval name that implies parameter values to the measure that it means: {"rbp":
    "RBP(p=0.9)"}."""
    pairs = [
        (d, trec_eval_measure)
        for d in declarations()
        for trec_eval_measure in d.in_trec_eval
        if trec_eval_measure.values
    ]
    return {
        trec_eval_measure.name: str(d(**trec_eval_measure.values)) for d, trec_eval_measure in pairs
    }


def explain_typed_name(text: str, measure: Measure) -> str:
    """Explain how a typed name was interpreted. Returns "" if no explanation is needed: the typed
    name is the name of a picker entry, or another spelling of the measure's name."""
    names = {name for choice in measure_choices() for name in (choice.name, choice.label)}
    text = text.strip()
    if (
        not text
        or text in names
        or fold_name(text) in (fold_name(str(measure)), fold_name(key_at_k(measure)))
    ):
        return ""
    declaration = measure.declaration
    is_trec_eval_name = any(
        text == trec_eval_measure.name for trec_eval_measure in declaration.in_trec_eval
    )
    sentence = (
        f"`{text}`{' is trec_eval’s name and' if is_trec_eval_name else ''} was read as {measure}."
    )
    alike = fold_name(text) == fold_name(declaration.name)
    return (
        f"{sentence} {declaration.name} itself is {_format_defaults(declaration)}."
        if alike
        else sentence
    )


def _format_defaults(declaration: Declaration) -> str:
    """Return the name of a measure with its default parameters: "RBP(p=0.8)"."""
    parameters = [
        f"{p.name}={p.default:g}" for p in declaration.parameters if type(p.default) is float
    ]
    return f"{declaration.name}({', '.join(parameters)})"


def _parse_typed_name(text: str, cutoff: int) -> Measure:
    """Parse a typed name. If the measure needs a cutoff and the name has none, `cutoff` is used."""
    if text.endswith("@k"):
        return _parse_key_at_cutoff(text, cutoff)
    declaration = find_declaration(text)
    if "@" not in text and declaration.cutoff is not None and declaration.cutoff.required:
        try:
            return parse_measure(text)
        except ParameterError:
            return parse_measure(f"{text}@{cutoff}")
    return parse_measure(text)


def key_with_value(chosen_measure: ChosenMeasure, name: str, value: Any) -> str:
    """Return the key of the measure with another value of a parameter. Raises ParameterError for an
    invalid value."""
    values = dict(chosen_measure.measure.values) | {name: value}
    return measure_key(chosen_measure.measure.declaration(**values), takes_k=chosen_measure.takes_k)


def key_with_typed_value(chosen_measure: ChosenMeasure, name: str, text: str) -> str:
    """Return the key of the measure with a parameter value that the user typed. If `text` is empty,
    the parameter is removed. Raises ParameterError for an invalid value."""
    return key_with_value(chosen_measure, name, parse_value(text) if text.strip() else None)


def lowest_relevant_grade(chosen_measure: ChosenMeasure) -> float | None:
    """Return the lowest grade that the measure counts as relevant. Returns None if the measure has
    no parameter for this grade."""
    has_one = any(
        p.name == _RELEVANCE_PARAMETER for p in chosen_measure.measure.declaration.parameters
    )
    return float(chosen_measure.measure.value(_RELEVANCE_PARAMETER)) if has_one else None


def key_with_lowest_relevant_grade(chosen_measure: ChosenMeasure, grade: float) -> str:
    """Return the key of the measure with `grade` as its lowest relevant grade."""
    return key_with_value(
        chosen_measure,
        _RELEVANCE_PARAMETER,
        int(grade) if float(grade).is_integer() else float(grade),
    )


def key_for_whole_list(chosen_measure: ChosenMeasure, cutoff: int, *, is_whole: bool) -> str:
    """Return the key of the measure for the whole list (without a cutoff) if `is_whole` is true.
    Otherwise, return the key of the measure at the cutoff that the cutoff control sets."""
    return measure_key(
        chosen_measure.measure.at(None if is_whole else cutoff), takes_k=not is_whole
    )


def picker_parameters(chosen_measure: ChosenMeasure) -> list[Parameter]:
    """Return the parameters that the picker offers besides the cutoff control."""
    declaration = chosen_measure.measure.declaration
    controlled = "cutoff" if declaration.at == "cutoff" else ""
    return [p for p in declaration.parameters if p.name != controlled]
