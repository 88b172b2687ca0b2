"""Parameter values at which the tests try every measure."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random
from typing import Any

from metrics_core.measures import Declaration, Measure, Parameter


def samples_of(parameter: Parameter) -> list[Any]:
    """The values that its annotation names, its choices, or what follows from its kind; a name, as
    of a column, is left at the measure's own."""
    if parameter.samples:
        return list(parameter.samples)
    if parameter.choices:
        return list(parameter.choices)
    if parameter.kind is bool:
        return [False, True]
    return [parameter.default] if not parameter.required else [max(parameter.bounds.low, 1)]


MOST = 24
"""A measure with many parameters is tried at this many of their combinations."""


def settings_of(declaration: Declaration) -> Iterator[dict[str, Any]]:
    """Combinations of a few values of each parameter, always the same ones; judged_only is left at
    its default, because the registry and no kernel knows it."""
    names, choices = [], []
    for p in declaration.parameters:
        if p.name == "judged_only":
            continue
        values = samples_of(p)
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
