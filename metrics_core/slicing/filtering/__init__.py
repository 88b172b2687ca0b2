"""The filter language, such as `category == "billing" and difference < -0.1`, and its parser."""

from metrics_core.slicing.filtering.completion import describe_column, make_completion_data
from metrics_core.slicing.filtering.conditions import FilterColumns
from metrics_core.slicing.filtering.parser import Filter, parse_filter, split_line
from metrics_core.slicing.filtering.words import quote_name, quote_text

__all__ = [
    "Filter",
    "FilterColumns",
    "describe_column",
    "make_completion_data",
    "parse_filter",
    "quote_name",
    "quote_text",
    "split_line",
]
