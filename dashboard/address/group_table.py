"""Address fields of the table of groups on the Breakdown page."""

from __future__ import annotations

from typing import Any

from dashboard.address.address import Field

GROUP_TABLE = (
    Field("by"),
    Field("across"),
    Field("ranked"),
    Field("within", lasting=False),
    Field("least", lasting=False),
    Field("every", lasting=False),
    Field("charts"),
)
"""Address fields of the table of groups.

In this order: the column of the groups; the column that it is crossed with; the sort key; a text
that group names must contain; the minimum number of queries; whether all rows are shown; and
whether charts replace the table. The last is "1" or "0", and its default depends on the number of
runs."""

CLEARED_FIELDS: dict[str, Any] = {"across": "", "ranked": "", "within": "", "every": ""}
"""Fields that are cleared when another column is chosen."""
