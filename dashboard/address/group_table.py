"""How the table of groups of the Breakdown page stands in an address."""

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
"""Its column and the one that crosses it, what its rows are ranked by, what a name holds, the least
number of queries, whether all rows are shown, and whether charts stand in its
place: "1" or "0", by the number of runs where it says neither."""

CLEARED_FIELDS: dict[str, Any] = {"across": "", "ranked": "", "within": "", "every": ""}
"""What is empty when another column is chosen."""
