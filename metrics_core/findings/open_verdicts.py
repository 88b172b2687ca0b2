"""No run is clearly ahead: what would settle it, one by one, for the Overview.

What `verdict_risks` says of the same evidence speaks of a lead, and there is none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from metrics_core.base import wording as w
from metrics_core.comparing.crossings import Crossings
from metrics_core.comparing.verdicts import AHEAD, BEHIND
from metrics_core.findings.firmness import ComparedPair, WayToTurn
from metrics_core.findings.phrases import NOT_CLEAR_AT_ANY_K
from metrics_core.findings.testing import rounded, size_of
from metrics_core.findings.verdict_risks import at_cutoffs

_NAMED = 3


def _entry(part: str, title: str, brief: str, *, warns: bool = False) -> WayToTurn:
    return WayToTurn(part, title, "", "not firm" if warns else "", "", brief)


def sample_size(difference: float, queries: float) -> WayToTurn | None:
    """How many queries it would take, as of `comparing.power.queries_needed`; None where nobody
    knows."""
    if not difference or math.isnan(difference) or math.isnan(queries):
        return None
    size = size_of(abs(difference))
    if math.isinf(queries):
        return _entry("size", "Sample size", f"no number of queries confirms {size}")
    return _entry(
        "size", "Sample size", f"about {w.count(rounded(queries))} queries to confirm {size}"
    )


def detectable(smallest: float) -> WayToTurn | None:
    """What these queries could detect, as of `comparing.power.smallest_shown`."""
    if not math.isfinite(smallest) or not smallest:
        return None
    brief = f"{size_of(smallest)} or more (80{w.NO_BREAK}% power)"
    return _entry("detectable", "Detectable now", brief)


def unjudged(share: float, depth: int) -> WayToTurn | None:
    """How much of both runs' top `depth` nobody has judged; None where that is nothing."""
    if not share > 0:
        return None
    brief = f"{w.share(share)} of the top {w.count(depth)} is unjudged"
    return _entry("unjudged", "Unjudged", brief)


def cutoff(found: Crossings | None, chosen: int | None) -> WayToTurn | None:
    """At which k one of the two is clearly ahead, and that this is of the pair alone where the
    `chosen` one is among them, at which the verdict finds nothing; None of a measure without
    cutoff."""
    if found is None:
        return None
    spans = sorted([*found.spans(1), *found.spans(-1)])
    if not spans:
        return _entry("cutoff", "Cutoff", NOT_CLEAR_AT_ANY_K)
    where = at_cutoffs(found, spans) if len(spans) < _NAMED else "at some cutoffs"
    at = min(chosen or found.depth, found.depth)
    alone = ", for this pair alone" if any(low <= at <= high for low, high in spans) else ""
    return _entry("cutoff", "Cutoff", f"significant {where}{alone}", warns=True)


def other_measures(verdicts: Mapping[str, str], pair: ComparedPair) -> WayToTurn | None:
    """On which other measures one of the two is clearly ahead: a reason to choose the measure
    before looking. `verdicts` are those of the table of runs, by measure; None without others."""
    others = {name: word for name, word in verdicts.items() if name != pair.measure}
    if not others:
        return None
    told = []
    for words, name in ((AHEAD, pair.run), (BEHIND, pair.baseline)):
        clear = [measure for measure, word in others.items() if word in words]
        if clear:
            told.append(f"{w.named(clear, all_of=_NAMED)}: significant for {name}")
    brief = "; ".join(told) or f"none of {len(others)} is significant"
    return _entry("measures", "Other measures", brief, warns=bool(told))


def ties(entry: WayToTurn | None) -> WayToTurn | None:
    """The entry of `file_risks` on equal scores, of a difference that may be chance."""
    if entry is None:
        return None
    verb = entry.word.partition(" ")[0]
    brief = f"{verb} change the direction" if verb in ("cannot", "could") else entry.brief
    return _entry("ties", "Ties", brief)


def lacking_queries(entry: WayToTurn | None) -> WayToTurn | None:
    """The entry of `file_risks` on queries that a run does not list."""
    return None if entry is None else _entry("missing", "Missing", entry.brief.partition("; ")[0])
