"""Measures: one decorated function each, over JudgedRanks.

Importing a family's module registers its measures; a new family adds one line here.
"""

from metrics_core.measures import (
    agreement,
    browsing,
    catalogue,
    diversity,
    gain,
    inferred,
    interpolated,
    logarithmic,
    nearly_err,
    normalized_gain,
    precision_recall,
    preference,
    rag,
    readers,
    recommending,
    relative,
    sets,
    unjudged,
)
from metrics_core.measures.declaring.aggregation import MEAN, Combination
from metrics_core.measures.declaring.names import GivenMeasure, measures_from, parse_measure
from metrics_core.measures.declaring.parameters import Parameter
from metrics_core.measures.declaring.registry import (
    Declaration,
    Measure,
    declarations,
    measure,
)

__all__ = [
    "MEAN",
    "Combination",
    "Declaration",
    "GivenMeasure",
    "Measure",
    "Parameter",
    "agreement",
    "browsing",
    "catalogue",
    "declarations",
    "diversity",
    "gain",
    "inferred",
    "interpolated",
    "logarithmic",
    "measure",
    "measures_from",
    "nearly_err",
    "normalized_gain",
    "parse_measure",
    "precision_recall",
    "preference",
    "rag",
    "readers",
    "recommending",
    "relative",
    "sets",
    "unjudged",
]
