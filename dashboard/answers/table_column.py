"""A column of the Queries page. It has a module of its own because every page reads the notes on
queries."""

from __future__ import annotations

from dataclasses import dataclass

from metrics_core.base import wording as w
from metrics_core.slicing.derived_groups import MARK


@dataclass(frozen=True)
class TableColumn:
    """A column of the table on the Queries page.

    `kind` is "text", "difference", "score", "number" or "group". `key` identifies the column in the
    sort order and among the chosen columns. `source` is the name of the column in the frame. `name`
    is the run or the grouping that the column shows; a filter uses the same name."""

    kind: str
    key: str
    source: str
    name: str = ""

    @property
    def label(self) -> str:
        """The column's name in a filter line and in the list of columns."""
        return (self.name or self.key).removesuffix(MARK)

    @property
    def title(self) -> str:
        """The title in the table's header or a menu. Names from files are unchanged, other names
        are in sentence case."""
        of_files = self.kind == "score" or self.key.startswith("by:")
        if of_files and not self.name.endswith(MARK):
            return self.name
        return w.sentence_case(self.label.replace("_", " "))
