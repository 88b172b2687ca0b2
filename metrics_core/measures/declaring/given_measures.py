"""Measures of which only the scores are known, because another tool computed them: latency,
faithfulness, cost.

This is the one module that derives direction, scale, range and canonical name from a name and its
values."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from metrics_core.base.arrays import Floats
from metrics_core.base.errors import ParameterError, RanklensError, UnknownMeasureError
from metrics_core.judging import JudgedRanks
from metrics_core.measures.declaring.names import parse_measure
from metrics_core.measures.declaring.registry import Declaration, Measure, Scale
from metrics_core.tables.given_scores import has_cost_name, has_unclear_direction

PREFIX = "given:"
"""Prefix of the name of a given measure. It is used if a computed measure has the same name."""


def make_given_measure(
    name: str, values: Floats, *, higher_is_better: bool | None = None
) -> Measure:
    """Return the measure of scores that were computed elsewhere. `values` has any shape, NaN if
    missing.

    The measure is called `given:NAME` if a computed measure is also called `name`. Its range is 0
    to 1 if all values are in this range and the name is not a cost name (`has_cost_name`). If
    `higher_is_better` is None, the direction is 0 for a name with an unclear direction
    (`has_unclear_direction`), and higher is better for any other name. The scale is "cost" if lower
    is better, no value is below 0, and either some values are above 1 or the name is a cost
    name."""
    defined = values[~np.isnan(values)]
    low, high = (defined.min(), defined.max()) if defined.size else (0.0, 1.0)
    is_share = low >= 0 and high <= 1 and not has_cost_name(name)
    is_cost = higher_is_better is False and low >= 0 and not is_share
    if higher_is_better is None and not has_unclear_direction(name):
        higher_is_better = True
    return make_score_only_measure(
        PREFIX + name if is_computed_name(name) else name,
        higher_is_better=higher_is_better,
        range=(0.0, 1.0) if is_share else (-np.inf, np.inf),
        scale="cost" if is_cost else "",
    )


def find_measure(name: str) -> Measure:
    """Return the computed measure with this name. If there is none, return a measure of given
    scores (scores from another tool) whose values are unknown."""
    try:
        return parse_measure(name)
    except RanklensError:
        return make_given_measure(name.removeprefix(PREFIX), np.full(1, np.nan))


@lru_cache(maxsize=1024)
def is_computed_name(name: str) -> bool:
    """Return whether a computed measure has this name, even if a parameter is missing
    (`recall`)."""
    try:
        parse_measure(name)
    except UnknownMeasureError:
        return False
    except RanklensError:
        return True
    return True


def is_given_measure(measure: Measure) -> bool:
    """Return whether only the scores of a measure are known, so that it cannot be computed here."""
    return str(measure).startswith(PREFIX) or not is_computed_name(str(measure))


@lru_cache(maxsize=1024)
def make_score_only_measure(
    name: str,
    *,
    higher_is_better: bool | None = True,
    range: tuple[float, float] = (-np.inf, np.inf),
    scale: Scale = "",
) -> Measure:
    """Return a measure that is known only by its scores. The scores can be averaged, but not
    computed.

    `higher_is_better` is None if the direction of the measure is not declared."""

    def kernel(ranks: JudgedRanks) -> Floats:
        raise ParameterError(
            f"{name} cannot be computed here, because only the scores of this measure are known."
        )

    declaration = Declaration(
        name=name,
        kernel=kernel,
        title=name,
        gloss="",
        explanation="",
        formula="",
        reference="",
        parameters=(),
        worked={},
        range=range,
        higher_is_better=higher_is_better is not False,
        direction_declared=higher_is_better is not None,
        scale=scale,
    )
    return Measure(declaration, ())
