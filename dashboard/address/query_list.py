"""Address fields of two lists of queries: the list on the Queries page, and the list from which the
user opened a query on the Query page.

The second list stays with the opened query and does not change the list on the Queries page."""

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
"""Pairs of fields, one on the Queries page and the corresponding one on the Query page: list,
search, order, filter line and picked queries."""

QUERIES_FIELDS = (*(queries_field for queries_field, _ in _PAIRS), Field("p"))
"""The address fields of the Queries page, including the page number of its list."""

QUERY_FIELDS = tuple(query_field for _, query_field in _PAIRS)
"""The fields of the Query page that describe the list from which the query was opened."""

DEFAULT_LIST: dict[str, Any] = {field.name: field.empty_value for field in QUERIES_FIELDS}
"""Field values for the list of all queries in default order, at its first page."""
NO_LIST: dict[str, Any] = {field.name: field.empty_value for field in QUERY_FIELDS}
"""Values of the list fields for a query that was not opened from a list."""


def fields_for_query_page(address: Address) -> dict[str, Any]:
    """Convert address fields of the Queries page to fields of the Query page. The fields describe
    the list of queries."""
    return {query_field.name: address[queries_field.name] for queries_field, query_field in _PAIRS}


def fields_for_queries_page(address: Address) -> dict[str, Any]:
    """Convert address fields of the Query page to fields of the Queries page. The fields describe
    the list from which the query was opened."""
    return {queries_field.name: address[query_field.name] for queries_field, query_field in _PAIRS}


def fields_of_list(list_key: str) -> dict[str, Any]:
    """Return the fields that select the list with the key `list_key`. The search is cleared."""
    return DEFAULT_LIST | {"show": list_key}
