"""Notes about irregularities in an input that was nevertheless usable."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import Field, dataclass, replace
from typing import Any, ClassVar, Self

RUN_RESULTS_ONLY = "hits_alone"
"""Kind of the note on judgments that only cover documents retrieved by a run. Other judgments are
preferable to them."""


@dataclass(frozen=True)
class Note:
    """An irregularity in an input. The input is used nevertheless.

    kind      stable short key ("duplicates", "ties", …)
    message   sentence without a full stop at its end
    count     number of cases
    examples  the first cases
    loud      whether it may change the meaning of the scores"""

    kind: str
    message: str
    count: int = 0
    examples: tuple[str, ...] = ()
    loud: bool = False


def note_on_cases(kind: str, message: str, cases: Sequence[str], *, loud: bool = False) -> Note:
    """Return a note that counts these cases, with the first three as examples."""
    return Note(kind, message, len(cases), tuple(cases[:3]), loud)


class HasNotes:
    """Base class of dataclasses with a field `notes`."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    notes: tuple[Note, ...]

    def with_notes(self, *notes: Note) -> Self:
        """Return the same table with additional notes."""
        return replace(self, notes=(*self.notes, *notes))
