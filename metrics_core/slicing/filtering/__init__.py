"""The filter line: `category == "billing" and difference < -0.1`, read by a parser of our own."""

from metrics_core.slicing.filtering.completing import holding, vocabulary
from metrics_core.slicing.filtering.line import Filter, parse_filter
from metrics_core.slicing.filtering.truth import Columns
from metrics_core.slicing.filtering.words import quoted_name

__all__ = ["Columns", "Filter", "holding", "parse_filter", "quoted_name", "vocabulary"]
