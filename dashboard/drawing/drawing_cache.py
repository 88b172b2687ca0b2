"""What was drawn is kept: a page that is seen again draws nothing anew.

The same thing is asked for where the same is given: tables and answers by being the very same
object (they are kept, and nobody changes them), all else by value. What is kept here does not keep
alive what it was drawn from. No Streamlit here.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, TypeVar
from weakref import ref

from metrics_core.base.memo import Memo
from metrics_core.base.memory_size import estimate_size

CACHE_BYTES = 60_000_000
"""Bytes of charts and markup that are kept, those asked for last: those of twenty readers, each at
a cutoff of their own."""

Drawn = TypeVar("Drawn")


_cache = Memo(CACHE_BYTES, estimate_size)


@dataclass(frozen=True, eq=False)
class _Identity:
    """One object, whatever is in it; `find` finds it as long as it lives. Another that takes its
    place in memory is not the same."""

    find: Callable[[], Any]
    address: int

    @classmethod
    def from_value(cls, value: Any) -> _Identity:
        try:
            return cls(ref(value), id(value))
        except TypeError:  # such as a list, which then lives as long as what was drawn from it
            return cls(lambda: value, id(value))

    def __hash__(self) -> int:
        return self.address

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Identity):
            return False
        value = self.find()
        return value is not None and other.find() is value


def draw_once(figure: Callable[..., Drawn], *arguments: Any, **options: Any) -> Drawn:
    """`figure(*given, **options)`, worked out once while it is kept."""
    options_key = tuple((name, _hashable(value)) for name, value in sorted(options.items()))
    return draw_cached((figure, *arguments, options_key), lambda: figure(*arguments, **options))


def draw_cached(key: tuple[Any, ...], draw: Callable[[], Drawn]) -> Drawn:
    """What `draw` gives, once for what is `key` while it is kept: all that it depends on."""
    return _cache(tuple(map(_hashable, key)), draw)


def _hashable(value: Any) -> Hashable:
    try:
        hash(value)
    except TypeError:
        return _Identity.from_value(value)
    return value
