"""Measures: one decorated function each, over JudgedRanks.

Importing a family's module registers its measures; a new family adds one line here.
"""

from metrics_core.measures import catalogue, gain, precision_recall, rag, recommending, sets
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
    "catalogue",
    "declarations",
    "gain",
    "measure",
    "parse_measure",
    "precision_recall",
    "rag",
    "recommending",
    "sets",
]
