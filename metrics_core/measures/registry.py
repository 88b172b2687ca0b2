"""Declaring measures.

A measure is one decorated function. Its signature gives the parameters and their defaults, its
docstring the explanation, the decorator everything else; parser, pickers, labels, help pages and
the tests every measure must pass come from that one place.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt

from metrics_core.errors import ParameterError
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
