"""What a column of the Queries page is: by itself, for each page knows what was noted."""

from __future__ import annotations

from dataclasses import dataclass

from metrics_core.slicing.derived import MARK


@dataclass(frozen=True)
class Column:
    """A column of the table: what it holds ("text", "difference", "score", "number" or "group"),
    its `key` in the order and among the chosen ones, and the frame's column. `name` is that of the
    run or of the grouping; a filter knows the column by it."""

    kind: str
    key: str
    source: str
    name: str = ""

    @property
    def named(self) -> str:
        """What a filter and the list of columns call it."""
        return (self.name or self.key).removesuffix(MARK)
