"""What is loaded, and does it fit? The Data page."""

from __future__ import annotations

from metrics_core.base import wording as w
from metrics_core.findings.sentence import Sentence, muted, strong


def files_finding(
    loaded: int, refused: int, *, fits: bool, unjudged: int = 0, missing: str = ""
) -> Sentence:
    """How many files are loaded, how many could not be read, and whether the ids of the runs match
    those of the judgments.

    `unjudged` counts queries of the runs that have no judgments; `missing` says what is needed
    before runs can be compared ("judgments are"), or is empty.
    """
    if not loaded and not refused:
        return strong("Nothing is loaded yet. ") + muted("Add judgments and runs.")
    files = f"{w.sentence_case(w.number(loaded))} {w.plural(loaded, 'file')}"
    are = f"{files} {w.plural(loaded, 'is', 'are')} loaded"
    lost = f"{w.sentence_case(w.number(refused))} could not be read. " if refused else ""
    if missing:
        said = f"{w.sentence_case(missing)} still missing."
    elif not fits:
        said = "Not every id in the runs matches the judgments."
    elif unjudged:
        queries = f"{w.count(unjudged)} {w.plural(unjudged, 'query', 'queries')}"
        said = f"{queries} of the runs {w.plural(unjudged, 'has', 'have')} no judgments."
    else:
        said = "Every query id in the runs matches the judgments."
    return strong(f"{are}. ") + muted(lost + said)
