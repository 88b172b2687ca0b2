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
from metrics_core.base.weighing import weight

ROOM_FOR_DRAWN = 60_000_000
"""Bytes of charts and markup that are kept, those asked for last: those of twenty readers, each at
a cutoff of their own."""

Drawn = TypeVar("Drawn")


_kept = Memo(ROOM_FOR_DRAWN, weight)


@dataclass(frozen=True, eq=False)
class _This:
    """One object, whatever is in it; `given` finds it as long as it lives. Another that takes its
    place in memory is not the same."""

    given: Callable[[], Any]
    place: int

    @classmethod
    def of(cls, given: Any) -> _This:
        try:
            return cls(ref(given), id(given))
        except TypeError:  # such as a list, which then lives as long as what was drawn from it
            return cls(lambda: given, id(given))

    def __hash__(self) -> int:
        return self.place

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _This):
            return False
        given = self.given()
        return given is not None and other.given() is given


def drawn(figure: Callable[..., Drawn], *given: Any, **options: Any) -> Drawn:
    """`figure(*given, **options)`, worked out once while it is kept."""
    named = tuple((name, _told(value)) for name, value in sorted(options.items()))
    return at_hand((figure, *given, named), lambda: figure(*given, **options))


def at_hand(asked: tuple[Any, ...], draw: Callable[[], Drawn]) -> Drawn:
    """What `draw` gives, once for what is `asked` while it is kept: all that it depends on."""
    return _kept(tuple(map(_told, asked)), draw)


def _told(given: Any) -> Hashable:
    try:
        hash(given)
    except TypeError:
        return _This.of(given)
    return given
