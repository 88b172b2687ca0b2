"""How a list of queries stands in an address: that of the Queries page, and the one that a query
was opened from, which goes with the query and leaves the page's own as it was."""

from __future__ import annotations

from typing import Any

from dashboard.address.address import Address, Field

_PAIRS = (
    (Field("show"), Field("list")),
    (Field("s"), Field("search")),
    (Field("order"), Field("sort")),
    (Field("filter"), Field("line")),
    (Field("pick", "several"), Field("among", "several")),
)
"""List, search, order, filter line, what was picked in a chart: as the Queries page has each, and
as a query takes it along."""

QUERIES_FIELDS = (*(queries_field for queries_field, _ in _PAIRS), Field("p"))
"""Of the Queries page: these, and the page of the list."""

QUERY_FIELDS = tuple(query_field for _, query_field in _PAIRS)
"""Of the Query page: the same of the list that the reader came from."""

DEFAULT_LIST: dict[str, Any] = {field.name: field.empty for field in QUERIES_FIELDS}
"""A list of queries as such: every query, its own order, its first page."""
NO_LIST: dict[str, Any] = {field.name: field.empty for field in QUERY_FIELDS}
"""A query that was opened from no list."""


def list_for_query(address: Address) -> dict[str, Any]:
    """The list that stands in an address of the Queries page, as a query takes it along."""
    return {query_field.name: address[queries_field.name] for queries_field, query_field in _PAIRS}


def list_for_queries_page(address: Address) -> dict[str, Any]:
    """The list that a query was opened from, as the Queries page takes it back."""
    return {queries_field.name: address[query_field.name] for queries_field, query_field in _PAIRS}


def select_list(show: str) -> dict[str, Any]:
    """A list of queries by its key, with nothing searched for in it."""
    return DEFAULT_LIST | {"show": show}
