"""How a list of queries stands in an address: that of the Queries page, and the one that a query
was opened from, which goes with the query and leaves the page's own as it was."""

from __future__ import annotations

from typing import Any

from dashboard.address.address import Address, Field

OWN = (
    Field("show"),
    Field("s"),
    Field("order"),
    Field("filter"),
    Field("pick", "several"),
    Field("p"),
)
"""Of the Queries page: list, search, order, filter line, what was picked in a chart, page."""

CAME_FROM = (
    Field("list"),
    Field("search"),
    Field("sort"),
    Field("line"),
    Field("among", "several"),
)
"""Of the Query page: the same of the list that the reader came from, in the same order."""

PLAIN: dict[str, Any] = {field.name: field.empty for field in OWN}
"""A list of queries as such: every query, its own order, its first page."""
NO_LIST: dict[str, Any] = {field.name: field.empty for field in CAME_FROM}
"""A query that was opened from no list."""


def opened_from(address: Address) -> dict[str, Any]:
    """The list that stands in an address of the Queries page, as a query takes it along."""
    return {came.name: address[own.name] for came, own in zip(CAME_FROM, OWN, strict=False)}


def back_to_list(address: Address) -> dict[str, Any]:
    """The list that a query was opened from, as the Queries page takes it back."""
    return {own.name: address[came.name] for came, own in zip(CAME_FROM, OWN, strict=False)}


def whole_list(show: str) -> dict[str, Any]:
    """A list of queries by its key, with nothing searched for in it."""
    return PLAIN | {"show": show}
