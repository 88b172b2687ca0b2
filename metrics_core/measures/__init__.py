"""Measures: one decorated function each, over JudgedRanks.

Importing a family's module registers its measures; a new family adds one line here.
"""

from metrics_core.measures import gain, precision_recall, recommending, sets
from metrics_core.measures.names import parse_measure
from metrics_core.measures.parameters import Parameter
from metrics_core.measures.registry import (
    Declaration,
    Measure,
    declarations,
    measure,
)

__all__ = [
    "Declaration",
    "Measure",
    "Parameter",
    "declarations",
    "gain",
    "measure",
    "parse_measure",
    "precision_recall",
    "recommending",
    "sets",
]
