"""One locked cache for everything that is worked out once and asked for again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock, RLock
from typing import Any, TypeVar

Made = TypeVar("Made")


class Memo:
    """Keeps what was made for the `most` keys that were asked for last; safe for many threads.

    What two threads ask for at once is made once: the second waits for the first.
    """

    def __init__(self, most: int) -> None:
        """`most` is how many values are kept, at least 1."""
        if most < 1:
            raise ValueError("a memo keeps at least one value")
        self._most = most
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()
        self._making: dict[Hashable, RLock] = {}
        self._lock = Lock()

    def __call__(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What `make` gives, worked out once for this key while it is kept. Where `make` raises,
        nothing is kept."""
        with self._lock:
            if key in self._kept:
                return self._found(key)
            gate = self._making.setdefault(key, RLock())
        with gate:
            with self._lock:
                if key in self._kept:
                    return self._found(key)
            try:
                made = make()
                with self._lock:
                    self._kept[key] = made
                    while len(self._kept) > self._most:
                        self._kept.popitem(last=False)
            finally:
                with self._lock:
                    self._making.pop(key, None)
        return made

    def __contains__(self, key: Hashable) -> bool:
        """Whether there is a value for this key now."""
        return key in self._kept

    def __len__(self) -> int:
        """How many values are kept now."""
        return len(self._kept)

    def _found(self, key: Hashable) -> Any:
        self._kept.move_to_end(key)
        return self._kept[key]
