"""All runs by their places, and every pair as a cell: how far apart two are, and if it is clear."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from markupsafe import Markup

from dashboard.answers.ranking import RankedMeasure, Ranking
from dashboard.drawing.blocks.markup import Lead, Styles, style_of
from dashboard.drawing.blocks.overview import brief
from dashboard.drawing.blocks.table import Column
from dashboard.drawing.blocks.templates import Template, percent
from dashboard.drawing.figures.text import short_names
from dashboard.drawing.ticks import Ticks, nice_ticks
from metrics_core.base import wording as w
from metrics_core.comparing.all_pairs.all_pairs import AllPairs
from metrics_core.comparing.verdicts import BETTER_RUN, CANNOT_TELL, FEWEST_QUERIES, WORSE_RUN
from metrics_core.scoring.intervals import LEVEL

PairLink = Callable[[str, str], str]
"""The address that compares a run with a baseline."""

ROOMY = 6
"""Runs whose pairs have room for numbers, and which stand in a table of all measures."""
_LEAST_COLOUR = 0.3
_NAME_LENGTH, _LONGEST_NAME = 18, 24

_drawn = Template("pairs")


def ranking_table(
    shown: Ranking, runs: Sequence[str], found: AllPairs, styles: Styles, against: str,
    chosen: str, compared: PairLink, by_measure: Lead,
) -> Markup:  # fmt: skip
    """These of all runs on all measures: mean, places and interval. `by_measure` gives where a head
    leads that is not `chosen`; a name compares its run with the one `against`. The intervals of a
    few stand on 0 to 1, those of many would not be told apart there."""
    roomy = len(found.runs) <= ROOMY
    scales = [Ticks([], [], (0, 1)) if roomy else _scale_of(c) for c in shown.columns]
    heads = [
        Column(
            str(c.measure),
            "chosen" * own,
            "" if own else by_measure(c.key),
            about=(brief(str(c.measure), c.gloss), *([] if roomy else [_reach(scale)])),
        )
        for c, scale in zip(shown.columns, scales, strict=True)
        for own in [str(c.measure) == chosen]
    ]
    return _drawn(
        "ranking_table",
        heads=heads,
        columns=[*zip(shown.columns, scales, strict=True)],
        rows=_rows(shown, runs, found, styles, against, compared),
        place=place,
        label="Runs and measures",
    )


def beside(
    shown: Ranking, runs: Sequence[str], found: AllPairs, styles: Styles, against: str,
    chosen: str, compared: PairLink, pairs: Markup,
) -> Markup:  # fmt: skip
    """These of all runs on the chosen measure, and the table of their pairs beside them."""
    column = next(c for c in shown.columns if str(c.measure) == chosen)
    scale = _scale_of(column)
    whose = [f"each run’s {w.share(LEVEL)} CI"] if found.draws else []
    return _drawn(
        "beside",
        heads=[
            Column("place", "place"),
            Column("Run", "who"),
            Column("mean", "number"),
            Column(_reach(scale), "span", about=whose),
        ],
        column=column,
        rows=_rows(shown, runs, found, styles, against, compared),
        scale=scale,
        place=place,
        pairs=pairs,
        label=f"Places on {chosen}",
    )


def _scale_of(column: RankedMeasure) -> Ticks:
    """From below the least to above the greatest end of all runs' intervals."""
    ends = np.concatenate([column.low, column.mean, column.high])
    ends = ends[np.isfinite(ends)]
    return nice_ticks(ends.min(), ends.max(), most=8) if len(ends) else Ticks([], [], (0, 1))


def _reach(scale: Ticks) -> str:
    return "{:g} to {:g}".format(*scale.span).replace("-", w.MINUS)


def place(first: int, last: int) -> str:
    """A range of places: "1–4", or "3" where it is clear."""
    return w.count(first) if first == last else f"{w.count(first)}{w.DASH}{w.count(last)}"


def _rows(
    shown: Ranking, runs: Sequence[str], found: AllPairs, styles: Styles, against: str,
    compared: PairLink,
) -> list[dict[str, Any]]:  # fmt: skip
    """Each run: its row in `shown`, where its name leads and what is said when it is pointed at,
    whether it may be the best, and what its place says of the others."""
    short = short_names(found.runs, _LONGEST_NAME)
    several, total = len(found.possible_bests) > 1, len(found.runs)
    rows = []
    for run in runs:
        i = found.runs.index(run)
        first, last, own = int(found.first[i]), int(found.last[i]), run == against
        rows.append(
            {
                "at": shown.runs.index(run),
                "style": style_of(styles, run),
                "short": short[run],
                "link": "" if own else compared(run, against),
                "told": run if own else _told(found, i, found.runs.index(against)),
                "best": bool(found.draws) and first == 1 and several,
                "places": ""
                if not found.draws
                else f"significantly behind {w.count(first - 1)}, significantly ahead of"
                f" {w.count(total - last)}, not significant against {w.count(last - first)}",
            }
        )
    return rows


def pair_table(found: AllPairs, styles: Styles, compared: PairLink, *, label: str) -> Markup:
    """All pairs of these runs as the upper triangle, row minus column, best mean first; `compared`
    gives where a pair leads."""
    short = short_names(found.runs, _NAME_LENGTH)
    many = range(len(found.runs))
    digits = w.column_decimals(found.low.ravel(), found.high.ravel())
    return _drawn(
        "pair_table",
        runs=[(style_of(styles, run), short[run]) for run in found.runs],
        rows=[[_cell(found, i, j, compared, digits) for j in many[i + 1 :]] for i in many[:-1]],
        roomy=len(found.runs) <= ROOMY,
        scale=_scale(found),
        label=label,
    )


def _scale(found: AllPairs) -> str:
    """From the least to the greatest difference that is clear."""
    sizes = abs(found.difference[found.clear])
    if not len(sizes):
        return ""
    return f"{w.difference(float(sizes.min()))} to {w.difference(float(sizes.max()))}"


def _cell(
    found: AllPairs, row: int, column: int, compared: PairLink, digits: int
) -> dict[str, str]:
    """A pair: its link, difference, interval, word, what is said when it is pointed at, and as CSS
    how full its colour is, "" for none."""
    low, high = float(found.low[row, column]), float(found.high[row, column])
    value, kind = float(found.difference[row, column]), found.verdict[row, column]
    return {
        "link": compared(found.runs[row], found.runs[column]),
        "difference": w.difference(value, digits),
        "interval": "" if math.isnan(low) else w.interval(low, high, digits),
        "word": _word(found, row, column),
        "told": _told(found, row, column),
        "tone": {BETTER_RUN: "ahead", WORSE_RUN: "behind"}.get(kind, "unclear"),
        "part": "" if kind == CANNOT_TELL else percent(_fullness(found, value)),
    }


def _word(found: AllPairs, row: int, column: int) -> str:
    if int(found.queries[row, column]) < FEWEST_QUERIES:
        return "too few queries"
    return "not significant" if found.verdict[row, column] == CANNOT_TELL else "significant"


def _told(found: AllPairs, row: int, column: int) -> str:
    """All about a pair: difference, interval, p-value, on how many queries, what the test says."""
    low, high = float(found.low[row, column]), float(found.high[row, column])
    digits = w.decimals(low, high)
    value = w.difference(float(found.difference[row, column]), digits)
    told = f"{found.runs[row]} minus {found.runs[column]}: {value}"
    if not math.isnan(low):
        p = w.score(float(found.p_corrected[row, column]), 4)
        told += f" {w.interval(low, high, digits)}, p = {p}"
    shared = int(found.queries[row, column])
    told += f"; {w.count(shared)} {w.plural(shared, 'query', 'queries')}"
    return f"{told}; {_word(found, row, column)}"


def _fullness(found: AllPairs, value: float) -> float:
    """How full the colour of a difference is: full for the largest that is clear."""
    most = max(abs(found.difference[found.clear]).max(), 1e-12)
    return _LEAST_COLOUR + (1 - _LEAST_COLOUR) * abs(value) / most


def note(text: str, hint: str = "") -> Markup:
    """How the table is read, below it; the `hint` is for those who point at it."""
    return _drawn("note", text=text, hint=hint)
