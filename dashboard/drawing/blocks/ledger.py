"""The explanation of one query's scores: the contribution of each document to the difference, and
the headroom of a run."""

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
from dashboard.drawing.blocks.markup import run_style
from dashboard.drawing.blocks.query import document_column, first_words
from dashboard.drawing.blocks.templates import Template
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.ticks import Ticks
from metrics_core.base import wording as w
from metrics_core.explaining.headroom import Headroom

_WRITTEN_OUT = 5
"""Maximum number of terms for which a sum is written out."""

_ON_THE_CARD = 3
"""Number of contributions that the card of a ledger shows, largest first. If only one more
contribution would be hidden, it is shown too."""

_ALIKE = 1e-9

_render = Template("ledger")


def draw_ledger_rows(
    steps: pd.DataFrame,
    score_pair: tuple[float, float],
    drawing: Drawing,
    documents: pd.DataFrame,
    grades: Grades,
    *,
    document_link: Callable[[str], str],
) -> Markup:
    """Draw documents as bars that lead from the baseline's score to the score of the run in focus.
    Each bar starts at the end of the previous one. `steps` has doc_id, grade, rank, baseline_rank,
    part and documents (number of documents in the bar); `score_pair` are the two scores."""
    scores = [score_pair[0], *(score_pair[0] + steps["part"].cumsum()).tolist()]
    low, high = min(0.0, *scores), max(scores)
    # Include zero only if it is near, because otherwise the bars would be too narrow.
    if low == 0 and min(scores) > (high - min(scores)):
        low = min(scores) - (high - min(scores)) / 8
    higher = drawing.comparison.measure.declaration.higher_is_better
    printed = _round_contributions(steps, score_pair)
    rows = []
    for row, part, span in zip(steps.to_dict("records"), printed, pairwise(scores), strict=True):
        doc_id, one = row["doc_id"], row["documents"] == 1
        document = {
            "title": document_column(documents, doc_id, "title").strip(),
            "beginning": first_words(documents, doc_id),
            "link": document_link(doc_id) if one else "",
            "chip": grades.chip(row["grade"]) if one else "",
            "moved": _describe_movement(row, drawing.cutoff, is_single_run=drawing.is_single_run),
            "printed": part,
            "kind": "better" if (row["part"] > 0) == higher else "worse",
            "place": span,
        }
        rows.append(row | document)
    return _render(
        "ledger_rows",
        rows=rows,
        baseline=None if drawing.is_single_run else run_style(drawing.styles, drawing.baseline),
        focus=run_style(drawing.styles, drawing.focus),
        ends=score_pair,
        scale=Ticks([], [], (low, high if high > low else low + 1)),
        total="" if drawing.is_single_run else _format_sum(score_pair, printed),
        label=f"{drawing.focus}’s score, document by document"
        if drawing.is_single_run
        else f"From {drawing.baseline}’s score to {drawing.focus}’s, document by document",
    )


def _round_contributions(steps: pd.DataFrame, score_pair: tuple[float, float]) -> list[float]:
    """Return the contributions as strings. They are rounded so that they sum to the printed
    difference."""
    return w.round_parts(score_pair[1] - score_pair[0], steps["part"].tolist())


def _format_sum(score_pair: tuple[float, float], contributions: list[float]) -> str:
    """Return the sum of contributions as a string such as "= 0.744 − 0.195 + 0.065".

    The result is "" if the text would be too long, or if the printed numbers do not add up. The
    contributions sum to the rounded difference. The difference of the rounded scores may differ
    from it in the last digit."""
    before, after = (round(end, 3) for end in score_pair)
    if len(contributions) > _WRITTEN_OUT or round(before + math.fsum(contributions), 3) != after:
        return ""
    return f"= {w.format_score(score_pair[0])} " + " ".join(
        f"{w.MINUS if part < 0 else '+'} {w.format_score(abs(part))}" for part in contributions
    )


def _describe_movement(
    row: Mapping[str, Any], cutoff: int, *, is_single_run: bool
) -> tuple[str, str, str]:
    """Return how a document moved from its position in the baseline's list: a text, its colouring
    ("better", "worse" or none) and an arrow."""
    if row["documents"] != 1:
        return "", "", ""
    before, after = row["baseline_rank"], row["rank"]
    if is_single_run:
        return w.format_count(after), "rank", ""
    if np.isnan(before):
        return f"new at rank {w.format_count(after)}", "", "▲"
    if np.isnan(after):
        return f"rank {w.format_count(before)}, no longer listed", "", "▼"
    if before == after:
        return f"stays at rank {w.format_count(after)}", "", ""
    arrow = "▼" if after > before else "▲"
    words = f"from {w.format_count(before)} to {w.format_count(after)}"
    if before <= cutoff < after:
        words += f", out of the top {w.format_count(cutoff)}"
    elif after <= cutoff < before:
        words += f", into the top {w.format_count(cutoff)}"
    return words, "rank", arrow


@dataclass(frozen=True)
class LedgerEntry:
    """The contribution of one or several documents to a difference, in a few words."""

    name: str
    link: str
    moved: str
    part: float
    kind: str
    grade: float


def ledger_contributions(
    steps: pd.DataFrame,
    score_pair: tuple[float, float],
    drawing: Drawing,
    documents: pd.DataFrame,
    *,
    document_link: Callable[[str], str],
) -> tuple[list[LedgerEntry], int, float]:
    """Return the contributions of documents, largest first. Also return how many of them to show
    separately, and the sum of the remaining ones. The arguments are the same as for
    `draw_ledger_rows`."""
    steps = steps.assign(printed=_round_contributions(steps, score_pair))
    steps = steps.sort_values("part", key=abs, ascending=False, kind="stable")
    most = len(steps) if len(steps) <= _ON_THE_CARD + 1 else _ON_THE_CARD
    higher = drawing.comparison.measure.declaration.higher_is_better
    entries = [
        LedgerEntry(
            name=document_column(documents, row["doc_id"], "title").strip()
            or first_words(documents, row["doc_id"])
            or row["doc_id"],
            link=document_link(row["doc_id"]) if row["documents"] == 1 else "",
            moved=_describe_movement_briefly(row, is_single_run=drawing.is_single_run),
            part=row["printed"],
            kind="better" if (row["part"] > 0) == higher else "worse",
            grade=row["grade"] if row["documents"] == 1 else math.nan,
        )
        for row in steps.to_dict("records")
    ]
    return entries, most, math.fsum(steps["printed"].iloc[most:])


def _describe_movement_briefly(row: Mapping[str, Any], *, is_single_run: bool) -> str:
    """Return in a few words how a document moved from its position in the baseline's list."""
    before, after = row["baseline_rank"], row["rank"]
    if row["documents"] != 1:
        return ""
    if is_single_run:
        return f"rank {w.format_count(after)}"
    if np.isnan(before):
        return f"new at {w.format_count(after)}"
    if np.isnan(after):
        return f"{w.format_count(before)}, not listed"
    return f"{w.format_count(before)} → {w.format_count(after)}"


def draw_headroom_bar(headroom: Headroom, drawing: Drawing, difference: float = math.nan) -> Markup:
    """Draw one bar for a score and its headroom, up to the best possible score. The score is either
    a query's score or a mean.

    Each array of `headroom` has one value. The printed gains sum to the printed headroom; a gain
    equal to the `difference` from the baseline is printed with the same digits. The result is empty
    if the best possible score is not above 0, or if the score is negative and so cannot be drawn as
    a length."""
    best = float(headroom.best_score[0])
    if not best > 0 or headroom.score[0] < 0:
        return Markup()
    score = float(headroom.score[0])
    gains = [float(part[0]) for part in (headroom.order, headroom.below, headroom.missing)]
    pieces = _headroom_segments(
        [score, *_round_gains(best - score, gains, abs(difference))], drawing.cutoff
    )
    return _render("headroom_bar", pieces=pieces, best=best)


def _round_gains(total: float, gains: list[float], shown_difference: float) -> list[float]:
    """Return the gains, rounded so that they sum to the rounded total. A gain that equals the
    difference shown elsewhere is rounded in the same way as that difference."""
    same = [abs(gain - shown_difference) < _ALIKE for gain in gains]
    if True not in same:
        return w.round_parts(total, gains)
    index = same.index(True)
    rounded = float(f"{shown_difference:.3f}")
    rest = w.round_parts(float(f"{total:.3f}") - rounded, [*gains[:index], *gains[index + 1 :]])
    return [*rest[:index], rounded, *rest[index:]]


def _headroom_segments(amounts: list[float], cutoff: int) -> list[tuple[str, float, str]]:
    """Return the segments of a headroom bar (score, order, below and missing) as (class, amount,
    words). Gains that would be printed as 0 are omitted."""
    k = w.format_count(cutoff)
    kinds = ("reached", "order", "below", "missing")
    words = ("achieved", f"wrong order in the top {k}", f"ranked below {k}", "never retrieved")
    return [
        (kind, part, label)
        for kind, part, label in zip(kinds, amounts, words, strict=True)
        if w.format_score(part) != w.format_score(0.0) or kind == "reached"
    ]
