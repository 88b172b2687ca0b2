"""One locked cache for everything that is worked out once and asked for again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock, RLock
from typing import Any, TypeVar

Made = TypeVar("Made")


class Memo:
    """Keeps what was made for the keys that were asked for last, `most` of them, or as many as
    together cost no more; safe for many threads.

    What two threads ask for at once is made once: the second waits for the first.
    """

    def __init__(self, most: int, cost: Callable[[Any], int] | None = None) -> None:
        """`most` is how many values are kept, at least 1; or what all may cost that are kept, where
        `cost` tells what one does. The last one is kept whatever it costs."""
        if most < 1:
            raise ValueError("a memo keeps at least one value")
        self._most, self._cost = most, cost or (lambda value: 1)
        self._costs: dict[Hashable, int] = {}
        self._values: OrderedDict[Hashable, Any] = OrderedDict()
        self._making: dict[Hashable, RLock] = {}
        self._lock = Lock()

    def __call__(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What `make` gives, worked out once for this key while it is kept. Where `make` raises,
        nothing is kept."""
        with self._lock:
            if key in self._values:
                return self._recall(key)
            gate = self._making.setdefault(key, RLock())
        with gate:
            with self._lock:
                if key in self._values:
                    return self._recall(key)
            try:
                value = make()
                with self._lock:
                    self._values[key], self._costs[key] = value, self._cost(value)
                    while sum(self._costs.values()) > self._most and len(self._values) > 1:
                        del self._costs[self._values.popitem(last=False)[0]]
            finally:
                with self._lock:
                    self._making.pop(key, None)
        return value

    def __contains__(self, key: Hashable) -> bool:
        """Whether there is a value for this key now."""
        return key in self._values

    def __len__(self) -> int:
        """How many values are kept now."""
        return len(self._values)

    def _recall(self, key: Hashable) -> Any:
        self._values.move_to_end(key)
        return self._values[key]
