"""The cache for all results that are computed once and used again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock, RLock
from typing import Any, TypeVar

Made = TypeVar("Made")


class Memo:
    """Thread-safe cache of the most recently used results, limited by their number or total cost.

    If two threads request the same result, it is computed once: the second thread waits for the
    first."""

    def __init__(self, most: int, cost: Callable[[Any], int] | None = None) -> None:
        """Create an empty cache.

        `most` is the maximum number of values or, if `cost` is given, their maximum total cost.
        `cost` is a function that returns the cost of a value. The most recently added value is kept
        regardless of its cost. Raises ValueError if `most` is less than 1."""
        if most < 1:
            raise ValueError("the size of a memo must be at least 1")
        self._most, self._cost = most, cost or (lambda value: 1)
        self._costs: dict[Hashable, int] = {}
        self._values: OrderedDict[Hashable, Any] = OrderedDict()
        self._making: dict[Hashable, RLock] = {}
        self._lock = Lock()

    def __call__(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Return the cached value of `key`, or compute it with `make` and cache it.

        If `make` raises an error, nothing is cached.
        """
        with self._lock:
            if key in self._values:
                return self._get_cached_value(key)
            gate = self._making.setdefault(key, RLock())
        with gate:
            with self._lock:
                if key in self._values:
                    return self._get_cached_value(key)
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
        """Return whether the cache has a value for this key."""
        return key in self._values

    def __len__(self) -> int:
        """Return the number of cached values."""
        return len(self._values)

    def _get_cached_value(self, key: Hashable) -> Any:
        self._values.move_to_end(key)
        return self._values[key]
