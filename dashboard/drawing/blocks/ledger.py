"""One query's scores taken apart: the difference by document, and what a run could still gain."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from dashboard.drawing.blocks.grades import Grades
from dashboard.drawing.blocks.markup import style_of
from dashboard.drawing.blocks.query import beginning_of, column_of
from dashboard.drawing.blocks.templates import Template
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.ticks import Ticks
from metrics_core.base import wording as w
from metrics_core.explaining.headroom import Headroom

_WRITTEN_OUT = 5
"""Parts that a sum still spells out; of more it says how many there are."""

_ON_THE_CARD = 3
"""Parts of a ledger that its card shows, the largest; one more is no fold."""

_ALIKE = 1e-9

_drawn = Template("ledger")


def ledger_rows(
    steps: pd.DataFrame,
    ends: tuple[float, float],
    drawing: Drawing,
    documents: pd.DataFrame,
    grades: Grades,
    *,
    opened: Callable[[str], str],
) -> Markup:
    """Documents as bars that lead from the baseline's score to that of the run in focus, each
    beginning where the last one ended. `steps` has doc_id, grade, rank, baseline_rank, part and
    documents (1, or how many are one step); `ends` are the two scores."""
    reached = [ends[0], *(ends[0] + steps["part"].cumsum()).tolist()]
    low, high = min(0.0, *reached), max(reached)
    # Zero is in sight where it is not far: else the bars would be slivers.
    if low == 0 and min(reached) > (high - min(reached)):
        low = min(reached) - (high - min(reached)) / 8
    higher = drawing.comparison.measure.declaration.higher_is_better
    printed = _printed_parts(steps, ends)
    rows = []
    for row, part, place in zip(steps.to_dict("records"), printed, pairwise(reached), strict=True):
        doc_id, one = row["doc_id"], row["documents"] == 1
        document = {
            "title": column_of(documents, doc_id, "title").strip(),
            "beginning": beginning_of(documents, doc_id),
            "link": opened(doc_id) if one else "",
            "chip": grades.chip(row["grade"]) if one else "",
            "moved": _moved(row, drawing.cutoff, alone=drawing.alone),
            "printed": part,
            "kind": "better" if (row["part"] > 0) == higher else "worse",
            "place": place,
        }
        rows.append(row | document)
    return _drawn(
        "ledger_rows",
        rows=rows,
        baseline=None if drawing.alone else style_of(drawing.styles, drawing.baseline),
        focus=style_of(drawing.styles, drawing.focus),
        ends=ends,
        scale=Ticks([], [], (low, high if high > low else low + 1)),
        total="" if drawing.alone else _written_out(ends, printed),
        label=f"{drawing.focus}’s score, document by document"
        if drawing.alone
        else f"From {drawing.baseline}’s score to {drawing.focus}’s, document by document",
    )


def _printed_parts(steps: pd.DataFrame, ends: tuple[float, float]) -> list[float]:
    """The parts as card, ledger and report print them: they add up to the difference as printed."""
    return w.parts_of(ends[1] - ends[0], steps["part"].tolist())


def _written_out(ends: tuple[float, float], parts: list[float]) -> str:
    """ "= 0.744 − 0.195 + 0.065", where there is room for it and it holds as printed: the parts add
    up to the difference, which may be one last digit off that of the two rounded scores."""
    before, after = (round(end, 3) for end in ends)
    if len(parts) > _WRITTEN_OUT or round(before + math.fsum(parts), 3) != after:
        return ""
    return f"= {w.score(ends[0])} " + " ".join(
        f"{w.MINUS if part < 0 else '+'} {w.score(abs(part))}" for part in parts
    )


def _moved(row: Mapping[str, Any], cutoff: int, *, alone: bool) -> tuple[str, str, str]:
    """How a document moved from the baseline's list, in words, as a tone and as an arrow."""
    if row["documents"] != 1:
        return "", "", ""
    before, after = row["baseline_rank"], row["rank"]
    if alone:
        return w.count(after), "rank", ""
    if np.isnan(before):
        return f"new at rank {w.count(after)}", "", "▲"
    if np.isnan(after):
        return f"rank {w.count(before)}, no longer listed", "", "▼"
    if before == after:
        return f"stays at rank {w.count(after)}", "", ""
    arrow = "▼" if after > before else "▲"
    words = f"{w.count(before)} to {w.count(after)}"
    if before <= cutoff < after:
        words += f", out of the top {w.count(cutoff)}"
    elif after <= cutoff < before:
        words += f", into the top {w.count(cutoff)}"
    return words, "rank", arrow


@dataclass(frozen=True)
class LedgerEntry:
    """A document's part of a ledger, in a word or two."""

    name: str
    link: str
    moved: str
    part: float
    kind: str
    grade: float


def ledger_card(
    steps: pd.DataFrame,
    ends: tuple[float, float],
    drawing: Drawing,
    documents: pd.DataFrame,
    *,
    opened: Callable[[str], str],
) -> Markup:
    """The largest parts of a ledger by document; the others are one line with their sum, and folded
    below it. All that is printed adds up to the difference as printed. As of `ledger_rows`."""
    entries, most, rest = ledger_parts(steps, ends, drawing, documents, opened=opened)
    return _drawn("ledger_card", shown=entries[:most], folded=entries[most:], rest=rest)


def ledger_parts(
    steps: pd.DataFrame,
    ends: tuple[float, float],
    drawing: Drawing,
    documents: pd.DataFrame,
    *,
    opened: Callable[[str], str],
) -> tuple[list[LedgerEntry], int, float]:
    """The parts of a ledger by document, the largest first, how many of them are told by
    themselves, and the sum of the others; as of `ledger_card`."""
    steps = steps.assign(printed=_printed_parts(steps, ends))
    steps = steps.sort_values("part", key=abs, ascending=False, kind="stable")
    most = len(steps) if len(steps) <= _ON_THE_CARD + 1 else _ON_THE_CARD
    higher = drawing.comparison.measure.declaration.higher_is_better
    entries = [
        LedgerEntry(
            name=column_of(documents, row["doc_id"], "title").strip()
            or beginning_of(documents, row["doc_id"])
            or row["doc_id"],
            link=opened(row["doc_id"]) if row["documents"] == 1 else "",
            moved=_shortly_moved(row, alone=drawing.alone),
            part=row["printed"],
            kind="better" if (row["part"] > 0) == higher else "worse",
            grade=row["grade"] if row["documents"] == 1 else math.nan,
        )
        for row in steps.to_dict("records")
    ]
    return entries, most, math.fsum(steps["printed"].iloc[most:])


def _shortly_moved(row: Mapping[str, Any], *, alone: bool) -> str:
    """How a document moved, in a word or two."""
    before, after = row["baseline_rank"], row["rank"]
    if row["documents"] != 1:
        return ""
    if alone:
        return f"rank {w.count(after)}"
    if np.isnan(before):
        return f"new at {w.count(after)}"
    if np.isnan(after):
        return f"{w.count(before)}, not listed"
    return f"{w.count(before)} → {w.count(after)}"


def headroom_bar(found: Headroom, drawing: Drawing, difference: float = math.nan) -> Markup:
    """One query's, or a mean's, score and what it could still gain, as one bar to the best that can
    be reached. `found` holds one value of each; what could be gained adds up as printed, and a part
    that is all of the `difference` to the baseline is printed as that is. Nothing where there is no
    best above 0, or where the score is below 0, which is no length."""
    best = float(found.best[0])
    if not best > 0 or found.score[0] < 0:
        return Markup()
    score = float(found.score[0])
    gains = [float(part[0]) for part in (found.order, found.below, found.missing)]
    shown = _pieces([score, *_printed(best - score, gains, abs(difference))], drawing.cutoff)
    return _drawn("headroom_bar", pieces=shown, best=best)


def _printed(whole: float, gains: list[float], elsewhere: float) -> list[float]:
    """What could be gained as it is printed; what stands elsewhere in the view as it does there."""
    same = [abs(gain - elsewhere) < _ALIKE for gain in gains]
    if True not in same:
        return w.parts_of(whole, gains)
    at = same.index(True)
    kept = float(f"{elsewhere:.3f}")
    rest = w.parts_of(float(f"{whole:.3f}") - kept, [*gains[:at], *gains[at + 1 :]])
    return [*rest[:at], kept, *rest[at:]]


def _pieces(parts: list[float], cutoff: int) -> list[tuple[str, float, str]]:
    """Score, order, below and missing: class, amount and words; what is nothing is left out."""
    k = w.count(cutoff)
    kinds = ("reached", "order", "below", "missing")
    words = ("achieved", f"wrong order in the top {k}", f"ranked below {k}", "never retrieved")
    return [
        (kind, part, told)
        for kind, part, told in zip(kinds, parts, words, strict=True)
        if w.score(part) != w.score(0.0) or kind == "reached"
    ]
