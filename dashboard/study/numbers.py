"""Numbers in place of ids, for reports that must not contain ids."""

from __future__ import annotations

from collections.abc import Iterable


class NumberedIds(dict[str, str]):
    """A mapping from ids to "query 1", "query 2" and so on. The given `ids` are numbered first; any
    other id is numbered when it is first looked up."""

    def __init__(self, noun: str, ids: Iterable[str] = ()) -> None:
        """Assign a number to each of these ids. `noun` is the word before each number."""
        super().__init__()
        self._noun = noun
        for each in ids:
            self[each]

    def __missing__(self, key: str) -> str:
        number = self[key] = f"{self._noun} {len(self) + 1}"
        return number
