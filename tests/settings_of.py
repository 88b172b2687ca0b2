"""Parameter values at which the tests try every measure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from metrics_core.measures import Declaration, Measure, Parameter

SAMPLES: dict[str, list[Any]] = {
    "cutoff": [1, 3, 10, 500],
    "rel": [1, 2],
    "beta": [1.0, 2.5],
    "users": [1.0, 3.5],
    "gains": [((0, 0.5), (1, 3), (2, 9)), ((1, 7), (3, -2))],
}
"""By name of the parameter; a parameter with choices is tried at each of them."""


def settings_of(declaration: Declaration) -> Iterator[dict[str, Any]]:
    """Every combination of a few values of each parameter, the defaults included; judged_only is
    left at its default, because the registry and no kernel knows it."""
    names, choices = [], []
    for p in declaration.parameters:
        if p.name == "judged_only":
            continue
        values = list(p.choices) or _samples(p)
        names.append(p.name)
        choices.append([*values, None] if p.optional else values)
    for combination in product(*choices):
        yield dict(zip(names, combination, strict=True))


def _samples(p: Parameter) -> list[Any]:
    """A column means something else to each measure, so it is left at the measure's own."""
    if p.name == "column":
        return [p.default]
    return [False, True] if p.kind is bool else list(SAMPLES[p.name])


def at(declaration: Declaration, cutoff: int = 5, **values: Any) -> Measure:
    """The measure at a cutoff, if it takes one; what else it needs at its first sample."""
    needed = {p.name: SAMPLES[p.name][0] for p in declaration.parameters if p.required}
    if declaration.cutoff is not None:
        needed["cutoff"] = cutoff
    return declaration(**needed, **values)
