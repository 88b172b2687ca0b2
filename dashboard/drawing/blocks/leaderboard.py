"""The leaderboard: all loaded runs on the usual measures, each with the places it may have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pandas as pd
from markupsafe import Markup

from dashboard.drawing.blocks.markup import Lead, style_of
from dashboard.drawing.blocks.overview import best_first, columns_of
from dashboard.drawing.blocks.pairs import place
from dashboard.drawing.blocks.templates import Template, percent
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.text import short_names
from dashboard.drawing.theme import RunStyle
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


@dataclass(frozen=True)
class _Row:
    """A run's row; `place` is "" as long as the places are being worked out, and `start`, `width`
    and `at` are CSS. `may_be_best` draws the bracket, `apart` says that runs between this row and
    the one above it are folded."""

    run: str
    short: str
    style: RunStyle
    link: str
    is_baseline: bool
    in_focus: bool
    judged: str
    place: str = ""
    start: str = ""
    width: str = ""
    at: str = ""
    may_be_best: bool = False
    apart: bool = False


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
    found = {} if places is None else {run: i for i, run in enumerate(places.runs)}

    def row(rank: int, run: str) -> _Row:
        plain = _Row(
            run,
            short[run],
            style_of(drawing.styles, run),
            lead(run),
            run == drawing.baseline,
            run == drawing.focus,
            w.share(judged.get(run)),
        )
        if places is None or run not in found:
            return plain
        first, last = int(places.first[found[run]]), int(places.last[found[run]])
        n = len(order)
        return replace(
            plain,
            place=place(first, last),
            start=percent((first - 1) / n),
            width=percent((last - first + 1) / n),
            at=percent((rank + 0.5) / n),
            may_be_best=first == 1,
        )

    wanted = named.strip().lower()
    kept = [(rank, run) for rank, run in enumerate(order) if wanted in run.lower()]
    first = MOST if wanted else SHOWN if len(kept) > SHOWN + 1 else len(kept)
    pair = (drawing.focus, drawing.baseline)
    seen = [*kept[:first], *(one for one in kept[first:] if one[1] in pair)]
    rest = [one for one in kept[first:] if one[1] not in pair]
    rows = [row(rank, run) for rank, run in seen]
    return _drawn(
        "leaderboard",
        columns=columns_of(table, drawing, measures),
        rows=[
            replace(own, apart=not wanted and rank > above + 1)
            for own, (rank, _), (above, _) in zip(rows, seen, [(-1, ""), *seen], strict=False)
        ],
        rest=[row(rank, run) for rank, run in rest] if len(kept) <= MOST else [],
        more=len(rest),
        told="" if wanted else _told([(rank, short[run]) for rank, run in rest]),
        chosen=drawing.name,
        cutoff=drawing.cutoff,
        total=len(order),
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
