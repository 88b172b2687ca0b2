"""Measures. Each is one decorated function of JudgedRanks.

Importing a module registers its measures; all modules of this folder are imported here."""

from importlib import import_module
from pkgutil import iter_modules

from metrics_core.measures.declaring.aggregation import MEAN, Combination
from metrics_core.measures.declaring.given_measures import (
    find_measure,
    make_given_measure,
    make_score_only_measure,
)
from metrics_core.measures.declaring.names import (
    ByMeasure,
    GivenMeasure,
    name_notes,
    parse_measure,
    parse_measures,
    parse_measures_by_name,
)
from metrics_core.measures.declaring.parameters import Parameter
from metrics_core.measures.declaring.registry import (
    Declaration,
    Measure,
    declarations,
)

__all__ = [
    "MEAN",
    "ByMeasure",
    "Combination",
    "Declaration",
    "GivenMeasure",
    "Measure",
    "Parameter",
    "declarations",
    "find_measure",
    "make_given_measure",
    "make_score_only_measure",
    "name_notes",
    "parse_measure",
    "parse_measures",
    "parse_measures_by_name",
]

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")
