"""Numbers in place of ids, for what is shared without them."""

from __future__ import annotations

from collections.abc import Iterable


class NumberedIds(dict[str, str]):
    """id -> "query 1", "query 2", …, in the order in which ids are asked for; `ids` are first."""

    def __init__(self, noun: str, ids: Iterable[str] = ()) -> None:
        """Number these ids."""
        super().__init__()
        self._noun = noun
        for each in ids:
            self[each]

    def __missing__(self, key: str) -> str:
        number = self[key] = f"{self._noun} {len(self) + 1}"
        return number
