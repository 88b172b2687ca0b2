"""Cache of charts and markup, so that a page that is shown again need not be drawn again.

In cache keys, tables and results are compared by identity, because they are cached and never
changed; everything else is compared by value. The cache does not keep the data of a chart in
memory. This module does not import Streamlit."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, TypeVar
from weakref import ref

from metrics_core.base.memo import Memo
from metrics_core.base.memory_size import estimate_size

CACHE_BYTES = 60_000_000
"""Maximum number of bytes of cached charts and markup. If it is exceeded, the least recently used
ones are dropped. It is enough for twenty users, each at a different cutoff."""

Drawn = TypeVar("Drawn")


_cache = Memo(CACHE_BYTES, estimate_size)


@dataclass(frozen=True, eq=False)
class _Identity:
    """The identity of an object, regardless of the object's content. `find` returns the object as
    long as it is in memory. A later object at the same memory address is not equal to it."""

    find: Callable[[], Any]
    address: int

    @classmethod
    def from_value(cls, value: Any) -> _Identity:
        try:
            return cls(ref(value), id(value))
        except TypeError:  # such as a list, which then lives as long as the cached drawing
            return cls(lambda: value, id(value))

    def __hash__(self) -> int:
        return self.address

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Identity):
            return False
        value = self.find()
        return value is not None and other.find() is value


def draw_figure_cached(figure: Callable[..., Drawn], *arguments: Any, **options: Any) -> Drawn:
    """Return the result of `figure(*arguments, **options)`, using the cache."""
    options_key = tuple((name, _make_hashable(value)) for name, value in sorted(options.items()))
    return draw_cached((figure, *arguments, options_key), lambda: figure(*arguments, **options))


def draw_cached(key: tuple[Any, ...], draw: Callable[[], Drawn]) -> Drawn:
    """Return the result of `draw`. If it is in the cache, `draw` is not called. `key` must contain
    everything that the result depends on."""
    return _cache(tuple(map(_make_hashable, key)), draw)


def _make_hashable(value: Any) -> Hashable:
    try:
        hash(value)
    except TypeError:
        return _Identity.from_value(value)
    return value
