"""What a column of the Queries page is: by itself, for each page knows what was noted."""

from __future__ import annotations

from dataclasses import dataclass

from metrics_core.base import wording as w
from metrics_core.slicing.derived_groups import MARK


@dataclass(frozen=True)
class TableColumn:
    """A column of the table: what it holds ("text", "difference", "score", "number" or "group"),
    its `key` in the order and among the chosen ones, and the frame's column. `name` is that of the
    run or of the grouping; a filter knows the column by it."""

    kind: str
    key: str
    source: str
    name: str = ""

    @property
    def label(self) -> str:
        """What a filter and the list of columns call it."""
        return (self.name or self.key).removesuffix(MARK)

    @property
    def title(self) -> str:
        """What a head or a menu calls it: names of the files as they are, our own as titles."""
        of_files = self.kind == "score" or self.key.startswith("by:")
        if of_files and not self.name.endswith(MARK):
            return self.name
        return w.sentence_case(self.label.replace("_", " "))
