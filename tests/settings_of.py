"""Parameter values at which the tests try every measure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from metrics_core.measures import Declaration, Measure, Parameter

SAMPLES: dict[str, list[Any]] = {
    "cutoff": [1, 3, 10, 500],
    "rel": [1, 2],
    "beta": [1.0, 2.5, 0.5],
    "p": [0.8, 0.5],
    "T": [1.0, 2.5],
    "min_rel": [0, 1],
    "max_rel": [2, 4],
    "alpha": [0.5, 0.3],
}
"""By name of the parameter; a parameter with choices is tried at each of them."""


def samples_of(parameter: Parameter) -> list[Any]:
    """The samples of its name that it may be."""
    samples = SAMPLES[parameter.name]
    return [v for v in samples if isinstance(v, tuple) or parameter.bounds.hold(v)]


def settings_of(declaration: Declaration) -> Iterator[dict[str, Any]]:
    """Every combination of a few values of each parameter, the defaults included; judged_only is
    left at its default, because the registry and no kernel knows it."""
    names, choices = [], []
    for p in declaration.parameters:
        if p.name == "judged_only":
            continue
        values = list(p.choices) or ([False, True] if p.kind is bool else samples_of(p))
        names.append(p.name)
        choices.append([*values, None] if p.optional else values)
    for combination in product(*choices):
        yield dict(zip(names, combination, strict=True))


def at(declaration: Declaration, cutoff: int = 5, **values: Any) -> Measure:
    """The measure at a cutoff, if it takes one; what else it needs at its first sample."""
    needed = {p.name: samples_of(p)[0] for p in declaration.parameters if p.required}
    if declaration.cutoff is not None:
        needed["cutoff"] = cutoff
    return declaration(**needed, **values)
