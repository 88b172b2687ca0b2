"""Numbers in place of ids, for reports without ids."""

from __future__ import annotations

from collections.abc import Iterable


class NumberedIds(dict[str, str]):
    """id -> "query 1", "query 2", …, in order of first use; the given `ids` come first."""

    def __init__(self, noun: str, ids: Iterable[str] = ()) -> None:
        """Number these ids."""
        super().__init__()
        self._noun = noun
        for each in ids:
            self[each]

    def __missing__(self, key: str) -> str:
        number = self[key] = f"{self._noun} {len(self) + 1}"
        return number
