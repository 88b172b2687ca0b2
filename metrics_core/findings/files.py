"""What is loaded, and does it fit? The Data page."""

from __future__ import annotations

from metrics_core.base import wording as w
from metrics_core.findings.sentence import Sentence, muted, strong


def files_finding(loaded: int, refused: int, *, fits: bool, missing: str = "") -> Sentence:
    """How many files are loaded, whether they fit together, and how many could not be read.

    `missing` says what is needed before runs can be compared ("judgments"), or is empty.
    """
    if not loaded and not refused:
        return strong("Nothing is loaded yet; ") + muted("add judgments and runs.")
    files = f"{w.sentence_case(w.number(loaded))} {w.plural(loaded, 'file')}"
    are = f"{files} {w.plural(loaded, 'is', 'are')} loaded"
    if missing:
        head = strong(f"{are}; ") + muted(f"{missing} still missing")
    elif fits:
        head = strong(f"{are} and fit together" if loaded > 1 else are)
    else:
        head = strong(f"{are}; ") + muted("they do not fit in every point")
    if not refused:
        return head + strong(".")
    return head + strong("; ") + muted(f"{w.number(refused)} could not be read.")
