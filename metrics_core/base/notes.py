"""Notes: what was odd but usable about an input."""

from __future__ import annotations

from dataclasses import dataclass

HITS_ONLY_KIND = "hits_alone"
"""The kind of the note that judgments are of what a run found alone: others are to be preferred."""


@dataclass(frozen=True)
class Note:
    """Something odd but usable about an input, with a count and the first examples.

    `kind` is a stable short key ("duplicates", "ties", …), `message` a sentence without a final
    stop, `loud` marks what may change the meaning of the scores.
    """

    kind: str
    message: str
    count: int = 0
    examples: tuple[str, ...] = ()
    loud: bool = False
