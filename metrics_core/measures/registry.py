"""Declaring measures, and finding them again by any of their names.

A measure is one decorated function. Its signature gives the parameters and their defaults, its
docstring the explanation, the decorator everything else; parser, pickers, labels, help pages and
the tests every measure must pass come from that one place.
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt

from metrics_core.errors import ParameterError, UnknownMeasureError
from metrics_core.judging import JudgedRanks

Scores = npt.NDArray[np.float64]
Aggregation = Literal["mean", "sum"]


@dataclass(frozen=True)
class Parameter:
    """One parameter of a measure, read from the function's signature."""

    name: str
    kind: type
    default: Any
    required: bool
    optional: bool
    choices: tuple[str, ...] = ()

    def check(self, measure: str, value: Any) -> Any:
        """The value in its own type; raises ParameterError that says the range."""
        if value is None and self.optional:
            return None
        if self.choices:
            if value not in self.choices:
                listing = ", ".join(repr(c) for c in self.choices)
                raise self._refusal(measure, value, f"one of {listing}")
            return value
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self._refusal(measure, value, "a number")
        if self.kind is int:
            return self._whole(measure, value)
        if not 0 <= value <= sys.float_info.max:
            raise self._refusal(measure, value, "a finite number from 0")
        return float(value)

    def _whole(self, measure: str, value: float) -> int:
        if not 1 <= value <= 2**31 or value != int(value):
            raise self._refusal(measure, value, "a whole number from 1")
        return int(value)

    def _refusal(self, measure: str, value: Any, wanted: str) -> ParameterError:
        return ParameterError(f"{measure}: {self.name} must be {wanted}, not {value!r}.")


@dataclass(frozen=True)
class Declaration:
    """All that is known of a measure. `kernel(ranks, **parameters)` gives float64[Q], and
    float64[Q, K] where its cutoff is an array of K."""

    name: str
    kernel: Callable[..., Scores]
    title: str
    gloss: str
    explanation: str
    formula: str
    reference: str
    parameters: tuple[Parameter, ...]
    aliases: tuple[str, ...] = ()
    trec_eval: tuple[str, ...] = ()
    aggregation: Aggregation = "mean"
    range: tuple[float, float] = (0.0, 1.0)
    higher_is_better: bool = True

    @property
    def cutoff(self) -> Parameter | None:
        """The cutoff parameter, if the measure has one."""
        return next((p for p in self.parameters if p.name == "cutoff"), None)

    def __call__(self, **values: Any) -> Measure:
        """The measure with these parameter values; raises ParameterError."""
        known = {p.name: p for p in self.parameters}
        for name in values:
            if name not in known:
                there = ", ".join(known) or "none"
                raise ParameterError(f"{self.name} has no parameter {name!r}.", f"It has: {there}.")
        full = []
        for p in self.parameters:
            if p.name not in values and p.required:
                raise ParameterError(
                    f"{self.name} needs a cutoff.", f"Write {self.name}@10, for example."
                )
            full.append((p.name, p.check(self.name, values.get(p.name, p.default))))
        return Measure(self, tuple(full))


@dataclass(frozen=True)
class Measure:
    """A declared measure with its parameter values. `str()` is its canonical name."""

    declaration: Declaration = field(repr=False)
    values: tuple[tuple[str, Any], ...]

    @property
    def cutoff(self) -> int | None:
        """The cutoff, or None where the whole list counts."""
        return dict(self.values).get("cutoff")

    def at(self, cutoff: int | None) -> Measure:
        """The same measure at another cutoff; unchanged where it has no cutoff."""
        if self.declaration.cutoff is None:
            return self
        return self.declaration(**{**dict(self.values), "cutoff": cutoff})

    def score(self, ranks: JudgedRanks) -> Scores:
        """Per-query scores, float64[Q], in the order of `ranks.query_ids`."""
        return self.declaration.kernel(ranks, **dict(self.values))

    def curve(self, ranks: JudgedRanks, cutoffs: npt.NDArray[np.int64]) -> Scores:
        """Per-query scores at each cutoff, float64[Q, K]; raises ParameterError without cutoff."""
        if self.declaration.cutoff is None:
            raise ParameterError(f"{self} has no cutoff, so it has no curve.")
        return self.declaration.kernel(ranks, **{**dict(self.values), "cutoff": cutoffs})

    def __str__(self) -> str:
        defaults = {p.name: p.default for p in self.declaration.parameters}
        inside = ",".join(
            f"{name}={value!r}"
            for name, value in self.values
            if name != "cutoff" and value != defaults[name]
        )
        name = f"{self.declaration.name}({inside})" if inside else self.declaration.name
        return name if self.cutoff is None else f"{name}@{self.cutoff}"


_REGISTRY: dict[str, Declaration] = {}


def measure(
    name: str,
    *,
    title: str,
    gloss: str,
    formula: str,
    reference: str,
    aliases: Iterable[str] = (),
    trec_eval: str | Iterable[str] = (),
    aggregation: Aggregation = "mean",
    range: tuple[float, float] = (0.0, 1.0),
    higher_is_better: bool = True,
) -> Callable[[Callable[..., Scores]], Callable[..., Scores]]:
    """Declare a measure. `gloss` is its meaning in a few words for a table head, with `{k}` for
    the cutoff; `trec_eval` names may hold `{cutoff}`; `formula` is LaTeX."""

    def declare(kernel: Callable[..., Scores]) -> Callable[..., Scores]:
        _REGISTRY[name] = Declaration(
            name=name,
            kernel=kernel,
            title=title,
            gloss=gloss,
            explanation=" ".join((inspect.getdoc(kernel) or "").split()),
            formula=formula,
            reference=reference,
            parameters=_parameters(kernel),
            aliases=tuple(aliases),
            trec_eval=(trec_eval,) if isinstance(trec_eval, str) else tuple(trec_eval),
            aggregation=aggregation,
            range=range,
            higher_is_better=higher_is_better,
        )
        return kernel

    return declare


def _parameters(kernel: Callable[..., Scores]) -> tuple[Parameter, ...]:
    hints = get_type_hints(kernel)
    found = []
    for p in inspect.signature(kernel).parameters.values():
        if p.kind is not inspect.Parameter.KEYWORD_ONLY:
            continue
        hint = hints[p.name]
        union = get_origin(hint) in (Union, UnionType)
        members = get_args(hint) if union else (hint,)
        literal = get_origin(members[0]) is Literal
        found.append(
            Parameter(
                name=p.name,
                kind=str if literal else members[0],
                default=None if p.default is inspect.Parameter.empty else p.default,
                required=p.default is inspect.Parameter.empty,
                optional=type(None) in members and p.default is None,
                choices=get_args(members[0]) if literal else (),
            )
        )
    return tuple(found)


def declarations() -> list[Declaration]:
    """All declared measures, in the order of their declaration."""
    return list(_REGISTRY.values())


def _fold(name: str) -> str:
    return re.sub(r"[\s_\-]", "", name).lower()


_NAME = re.compile(r"^\s*(?P<name>[^@()]+?)\s*(\((?P<inside>.*)\))?\s*(@\s*(?P<cutoff>\S+))?\s*$")


def parse_measure(text: str | Measure) -> Measure:
    """The measure a name means: `nDCG@10`, `P(rel=2)@5`, trec_eval's `ndcg_cut_10`, or everyday
    names such as `precision@5`, `mrr`, in any case. Raises UnknownMeasureError, ParameterError."""
    if isinstance(text, Measure):
        return text
    from_trec_eval = _trec_eval_name(text.strip())
    if from_trec_eval is not None:
        return from_trec_eval
    match = _NAME.match(text)
    if match is None:
        raise UnknownMeasureError(text, _names())
    declaration = _find(match["name"])
    if declaration is None:
        raise UnknownMeasureError(match["name"], _names())
    values = _arguments(text, match["inside"] or "")
    if match["cutoff"] is not None:
        if declaration.cutoff is None:
            raise ParameterError(f"{declaration.name} takes no cutoff, so not {text!r}.")
        if "cutoff" in values:
            raise ParameterError(f"{text}: the cutoff is given twice.")
        values["cutoff"] = _literal(match["cutoff"])
    return declaration(**values)


def _names() -> dict[str, str]:
    """Every name by which a measure can be called, with the measure's own name."""
    return {
        name: d.name for d in declarations() for name in (*_plain_trec_names(d), *d.aliases, d.name)
    }


def _plain_trec_names(declaration: Declaration) -> list[str]:
    return [name.replace("_{cutoff}", "") for name in declaration.trec_eval]


def _find(name: str) -> Declaration | None:
    exact = _REGISTRY.get(name)
    if exact is not None:
        return exact
    wanted = _fold(name)
    for d in declarations():
        if wanted in {_fold(n) for n in (d.name, *d.aliases, *_plain_trec_names(d))}:
            return d
    return None


def _trec_eval_name(text: str) -> Measure | None:
    for d in declarations():
        for pattern in d.trec_eval:
            regex = re.escape(pattern).replace(r"\{cutoff\}", r"(?P<cutoff>\d+)")
            match = re.fullmatch(regex, text, re.IGNORECASE)
            if match:
                cutoff = match.groupdict().get("cutoff")
                return d(**({} if cutoff is None else {"cutoff": int(cutoff)}))
    return None


def _literal(text: str) -> Any:
    text = text.strip()
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            continue
    return text.strip("'\"")


def _arguments(text: str, inside: str) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for part in filter(None, (p.strip() for p in inside.split(","))):
        name, equals, value = part.partition("=")
        if not equals:
            raise ParameterError(
                f"{text}: {part!r} has no name.", "Name each parameter: P(rel=2)@5."
            )
        if name.strip() in values:
            raise ParameterError(f"{text}: {name.strip()} is given twice.")
        values[name.strip()] = _literal(value)
    return values
