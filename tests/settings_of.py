"""Parameter values at which the tests try every measure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random
from typing import Any

from metrics_core.measures import Declaration, Measure, Parameter

SAMPLES: dict[str, list[Any]] = {
    "cutoff": [1, 3, 10, 500],
    "rel": [1, 2],
    "beta": [1.0, 2.5, 0.5],
    "gains": [((0, 0.5), (1, 3), (2, 9)), ((1, 7), (3, -2)), ((7, 2),)],
    "recall": [0.5, 0.0, 0.1, 0.3, 0.55, 1.0],
    "factor": [1.0, 0.2, 0.6, 1.4, 2.0],
    "points": [tuple(level / 10 for level in range(11)), (0.2, 0.5, 0.8)],
    "p": [0.9, 0.5],
    "p1": [1.0, 3.5],
    "p2": [-1.0, 0.0],
    "p3": [0.0, -0.5],
    "p4": [0.0, 0.25],
    "documents": [0, 1000],
    "T": [1.0, 2.5],
    "min_rel": [0, 1],
    "max_rel": [2, 4],
    "alpha": [0.5, 0.3],
    "users": [1.0, 3.5],
}
"""By name of the parameter; a parameter with choices is tried at each of them."""


def samples_of(parameter: Parameter) -> list[Any]:
    """The samples of its name that it may be. A column means something else to each measure, so it
    is left at the measure's own."""
    if parameter.name == "column":
        return [parameter.default]
    samples = SAMPLES[parameter.name]
    if parameter.kind not in (int, float):
        return samples
    return [value for value in samples if parameter.bounds.hold(value)]


MOST = 24
"""A measure with many parameters is tried at this many of their combinations."""


def settings_of(declaration: Declaration) -> Iterator[dict[str, Any]]:
    """Combinations of a few values of each parameter, always the same ones; judged_only is left at
    its default, because the registry and no kernel knows it."""
    names, choices = [], []
    for p in declaration.parameters:
        if p.name == "judged_only":
            continue
        values = list(p.choices) or ([False, True] if p.kind is bool else samples_of(p))
        names.append(p.name)
        choices.append([*values, None] if p.optional else values)
    combinations = list(product(*choices))
    if len(combinations) > MOST:
        combinations = Random(declaration.name).sample(combinations, MOST)
    for combination in combinations:
        yield dict(zip(names, combination, strict=True))


def at(declaration: Declaration, cutoff: int = 5, **values: Any) -> Measure:
    """The measure at a cutoff, if it takes one; what else it needs at its first sample."""
    needed = {p.name: samples_of(p)[0] for p in declaration.parameters if p.required}
    if declaration.cutoff is not None:
        needed["cutoff"] = cutoff
    return declaration(**needed, **values)
