"""The filter line: `category == "billing" and difference < -0.1`, read by a parser of our own."""

from metrics_core.slicing.filtering.completing import Completions, completions
from metrics_core.slicing.filtering.line import Filter, parse_filter
from metrics_core.slicing.filtering.truth import Columns

__all__ = ["Columns", "Completions", "Filter", "completions", "parse_filter"]
