"""Notes and tags on queries, as lists and columns of the Queries page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from dashboard.answers.table_column import TableColumn
from metrics_core.base.arrays import Mask, Objects

_TAGGED = "tag:"
STAR = "starred"
"""The tag that the star sets. It marks a query that the user wants to come back to."""
STARRED = f"{_TAGGED}{STAR}"
"""The key of the list of starred queries."""
COLUMNS = (
    TableColumn("group", "noted:tags", "noted: tags", "tags"),
    TableColumn("group", "noted:notes", "noted: notes", "notes"),
)
"""The columns that are available if any query has notes or tags."""


@dataclass(frozen=True)
class Remarks:
    """The notes and tags on queries. `rows` has (query_id, tags, notes) for each query that has
    any."""

    rows: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = ()

    @property
    def columns(self) -> tuple[TableColumn, ...]:
        """The columns of tags and notes. There are none if no query has tags or notes."""
        return COLUMNS if self.rows else ()

    @property
    def starred_query_ids(self) -> frozenset[str]:
        """The query_ids of the queries that have a star."""
        return frozenset(query_id for query_id, tags, _ in self.rows if STAR in tags)

    def tag_masks(self, query_ids: Iterable[str]) -> dict[str, Mask]:
        """Return a mask, bool[query], for each tag: which of these queries have the tag. The masks
        are keyed by the keys of the tags' lists."""
        if not self.rows:
            return {}
        ids = np.array(list(query_ids), dtype=object)
        tags = sorted({tag for _, query_tags, _ in self.rows for tag in query_tags})
        return {
            f"{_TAGGED}{tag}": np.isin(
                ids, [q for q, query_tags, _ in self.rows if tag in query_tags]
            )
            for tag in tags
        }

    def column_values(self, column: TableColumn, query_ids: Iterable[str]) -> Objects:
        """Return the values of a column for these queries, object[query]: their tags or their
        notes, "" if a query has none."""
        tagged = column == COLUMNS[0]
        texts = {q: ", ".join(tags) if tagged else " · ".join(n) for q, tags, n in self.rows}
        return np.array([texts.get(query_id, "") for query_id in query_ids], dtype=object)


def tag_name(key: str) -> str:
    """Return the tag whose list of queries has this key. Returns "" for the key of any other
    list."""
    return key.removeprefix(_TAGGED) if key.startswith(_TAGGED) else ""


NOTHING_NOTED = Remarks()
