"""Recognise ids that another program changed when it exported them, and explain how to restore
them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

SHORTENED = r"^[1-9](?:\.\d+)?[Ee]\+\d+$"
"""Pattern of a long number that a spreadsheet or a float shortened, so that its last digits are
lost."""
EXPORT_AGAIN = (
    "Export the ids again as text; do not pass them through a spreadsheet or a float column."
)

MERGED = {
    SHORTENED: "was shortened by a spreadsheet or by conversion to a float, so different ids may"
    f" have become identical. {EXPORT_AGAIN}",
}
"""Changes that may make different ids identical. The keys are patterns of changed ids, and the
values explain the change."""
_DAMAGED = {
    **MERGED,
    r"^b(['\"]).*\1$": "is a printed Python bytes object: read ids with 'quotes'"
    " (--map-docs, --map-queries), or decode them before you write them.",
    r"%[0-9A-Fa-f]{2}": "is percent-encoded: read ids with 'percent'"
    " (--map-docs, --map-queries), or write them the same way in both files.",
}


def explain_damaged_id(ids: Iterable[str], causes: Mapping[str, str] = _DAMAGED) -> str:
    """Return a description of the first id that looks changed: how it was changed, and how to fix
    it. Returns "" if no id looks changed."""
    for text in ids:
        for pattern, explanation in causes.items():
            if re.search(pattern, text):
                return f"{text} {explanation}"
    return ""
