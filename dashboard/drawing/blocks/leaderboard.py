"""The leaderboard: all loaded runs on the usual measures, each with the places it may have."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
from markupsafe import Markup

from dashboard.drawing.blocks.markup import Lead, style_of
from dashboard.drawing.blocks.overview import best_first, columns_of, measure_heads
from dashboard.drawing.blocks.pairs import place
from dashboard.drawing.blocks.templates import Template
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.text import short_names
from dashboard.drawing.ticks import Ticks
from metrics_core.base import wording as w
from metrics_core.comparing.all_pairs.all_pairs import AllPairs

SHOWN = 17
"""Runs shown at first; the others stand in a fold below."""
MOST = 40
"""Runs drawn at most: of more the others are found by name, and stand on the Ranking page."""
_NAMED = 3
_NAME = 20
"""Characters of a run's name that have room."""

_drawn = Template("leaderboard")


def leaderboard(
    table: pd.DataFrame,
    drawing: Drawing,
    measures: Sequence[tuple[str, str, str]],
    judged: dict[str, float],
    lead: Lead,
    *,
    pairs: str,
    places: AllPairs | None = None,
    named: str = "",
) -> Markup:
    """All runs of the long `table` (see `overview.columns_of`), best mean first, those beyond
    `SHOWN` folded but for the two compared; of those that are `named` by a part of their name all.
    `places` are those of all pairs, to which the link `pairs` leads; None while they are worked
    out."""
    order = best_first(table, drawing)
    short = short_names(order, _NAME)
    wanted = named.strip().lower()
    kept = [(rank, run) for rank, run in enumerate(order) if wanted in run.lower()]
    first = MOST if wanted else SHOWN if len(kept) > SHOWN + 1 else len(kept)
    pair = (drawing.focus, drawing.baseline)
    seen = [*kept[:first], *(one for one in kept[first:] if one[1] in pair)]
    rest = [one for one in kept[first:] if one[1] not in pair]
    columns = columns_of(table, drawing, measures)
    found = {}
    if places is not None:
        found = dict(zip(places.runs, zip(places.first, places.last, strict=True), strict=True))
    return _drawn(
        "leaderboard",
        columns=columns,
        heads=measure_heads(columns, drawing.name),
        styles={run: style_of(drawing.styles, run) for run in order},
        short=short,
        judged=judged,
        lead=lead,
        places=found,
        best={run for run, (best, _) in found.items() if best == 1},
        place=place,
        rows=seen,
        rest=rest if len(kept) <= MOST else [],
        more=len(rest),
        told="" if wanted else _told([(rank, short[run]) for rank, run in rest]),
        chosen=drawing.name,
        cutoff=drawing.cutoff,
        scale=Ticks([], [], (0, len(order))),
        asked=named.strip(),
        pairs=pairs,
    )


def _told(rest: Sequence[tuple[int, str]]) -> str:
    """Which runs the others are, of their ranks by mean from 0."""
    if not rest:
        return ""
    low, high = (w.count(rank + 1) for rank, _ in (rest[0], rest[-1]))
    ranks = low if low == high else f"{low} to {high}"
    return f"(by mean {ranks}: {w.named([name for _, name in rest], all_of=_NAMED)})"
