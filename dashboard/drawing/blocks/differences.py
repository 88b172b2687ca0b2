"""Differences to the baseline: that of the run in focus against zero, and the rows of all runs with
interval, numbers, queries lost and won."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
from markupsafe import Markup

from dashboard.address.view import Comparison
from dashboard.drawing.blocks.markup import Lead, nothing, style_of
from dashboard.drawing.blocks.templates import Template, percent, tone
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.text import short_names
from dashboard.drawing.theme import RunStyle
from dashboard.drawing.ticks import Ticks, difference_ticks, signed_ticks
from metrics_core.base import wording as w
from metrics_core.comparing.method import NO_CORRECTION
from metrics_core.comparing.pairs import BETTER, LEVEL_WITH, WORSE
from metrics_core.comparing.verdicts import CLEAR, FEWEST_QUERIES
from metrics_core.scoring.intervals import LEVEL

_drawn = Template("differences")

_MOST_TICKS = 5
_ROOM = 0.08
_SHORT_NAME = 16


_EDGE, _TICK_EDGE = 0.2, 0.24
"""Where the ends of the axis say which side is better: zero, and other ticks, that are nearer to an
end leave no room for it, or have none."""
_LABEL = 0.09
"""Half the width of a number, as a share of the drawing."""
_SHORT_OF_ALL, _OWN_ROOM = 0.16, 0.3
_OTHER_SIDE, _BEYOND = 0.28, 0.08
"""Of the largest difference of any run: what is seen of the side on which the interval is not, and
what is left beyond an end."""
_NARROW = 0.26
"""Of a narrower interval the numbers of its ends stand outwards, or they would touch."""


@dataclass(frozen=True)
class _Label:
    """A text, and where its middle stands as CSS."""

    at: str
    text: str


def against_zero(
    row: Mapping[str, Any],
    tested: tuple[float, float, float],
    every: pd.DataFrame,
    drawing: Drawing,
) -> Markup:
    """The difference of the run in focus and the interval that was `tested` (low, high, level),
    drawn against zero. `row` and the rows of `every` loaded run are of `compare`."""
    comparison = drawing.comparison
    low, high, level = tested
    digits, gap = w.decimals(low, high), row["difference"]
    axis = _axis(every, low, high, gap)
    less = not comparison.measure.declaration.higher_is_better
    side = tone(-gap if less else gap, digits) if row["verdict"] in CLEAR else ""
    said = f"{drawing.focus} minus {drawing.baseline} on {drawing.name}: "
    return _drawn(
        "against_zero",
        style=drawing.focus_style,
        said=said + w.with_interval(gap, low, high),
        zero=_Label(_held(axis.share(0)), short_names(drawing.styles)[drawing.baseline]),
        line=percent(axis.share(0)),
        value=_Label(_held(axis.share(gap)), w.difference(gap, digits)),
        point=percent(axis.share(gap)),
        tone=side,
        interval=None
        if low != low
        else (percent(axis.share(low)), percent(axis.share(high) - axis.share(low))),
        ends=[] if not low < high else _ends_of(axis, low, high, digits),
        ticks=[t for t in _ticks(axis) if t.is_zero or _TICK_EDGE < t.share < 1 - _TICK_EDGE],
        sides=_sides(axis.share(0), less=less),
        told=f"{w.share(level)} interval" + _corrected(every, comparison),
    )


def _axis(every: pd.DataFrame, low: float, high: float, gap: float) -> Ticks:
    """A unit is as long for every loaded run, so that the scale stays while measure and baseline
    do; most of it is the side of zero on which the difference lies. Where the interval would be
    too short to read on it, one of its own."""
    values = pd.Series([*every["low"], *every["high"], *every["difference"], low, high, gap])
    reach = float(values.abs().max())
    side, beyond = (-1 if gap < 0 else 1), _BEYOND * reach
    known = (low, high) if low == low else (gap, gap)
    near, far = sorted(end * side for end in known)
    begin = min(-_OTHER_SIDE * reach, near - beyond)
    whole = max((1 + _OTHER_SIDE) * reach + beyond, far + beyond - begin)
    if reach > 0 and gap == gap and not 0 < far - near < _SHORT_OF_ALL * whole:
        left, right = sorted((begin * side, (begin + whole) * side))
        return signed_ticks(left, right, most=_MOST_TICKS + 1, fewest_digits=2)
    return difference_ticks([low, high, gap], most=_MOST_TICKS, room=_OWN_ROOM, fewest_digits=2)


def _corrected(every: pd.DataFrame, comparison: Comparison) -> str:
    n = int(every["p_corrected"].notna().sum())
    if n < 2 or comparison.method.corrected_by == NO_CORRECTION:
        return ""
    return f", corrected for {w.number(n)} comparisons"


def _sides(zero: float, *, less: bool) -> tuple[str, str]:
    """What the ends of the axis say; nothing where zero itself stands."""
    left, right = ("better", "worse") if less else ("worse", "better")
    return left if zero > _EDGE else "", right if zero < 1 - _EDGE else ""


def _held(share: float) -> str:
    """The middle of a number there, kept within the drawing."""
    return percent(min(max(share, _LABEL), 1 - _LABEL))


def _ends_of(axis: Ticks, low: float, high: float, digits: int) -> list[_Label]:
    ends = axis.share(low), axis.share(high)
    if ends[1] - ends[0] < _NARROW:
        middle = min(max(sum(ends) / 2, _NARROW / 2 + _LABEL), 1 - _NARROW / 2 - _LABEL)
        ends = middle - _NARROW / 2, middle + _NARROW / 2
    texts = w.difference(low, digits), w.difference(high, digits)
    return [_Label(_held(at), text) for at, text in zip(ends, texts, strict=True)]


@dataclass(frozen=True)
class _Row:
    """A run against the baseline; the parts are shares of the largest count of lost or won."""

    style: RunStyle
    in_focus: bool
    link: str
    lists: Mapping[str, str]
    difference: float
    low: float
    high: float
    clear: bool
    p: float
    p_corrected: float
    effect: float
    effect_low: float
    effect_high: float
    too_few: bool
    lost: int
    won: int
    same: int
    lost_part: str
    won_part: str
    less: bool


def difference_rows(
    compared: pd.DataFrame,
    drawing: Drawing,
    *,
    lead: Lead,
    listed: Callable[[str, str], str],
    level: float = LEVEL,
) -> Markup:
    """Every run against the baseline, best first; `compared` is the frame of `compare`, made at
    `level`. `lead`
    gives where a run's name leads, `listed(run, outcome)` where its queries of an outcome are
    listed, all of them for ""."""
    baseline = drawing.baseline
    others = compared[compared["run"] != baseline]
    if others.empty:
        text = f"Load a second run, and its difference to {baseline} stands here."
        return nothing("Nothing to compare yet", text)
    ordered = others.sort_values("difference", ascending=False, na_position="last", kind="stable")
    values = [*others["low"], *others["high"], *others["difference"]]
    axis = difference_ticks(values, most=_MOST_TICKS, room=_ROOM, fewest_digits=2)
    most = max(1, int(others[["won", "lost"]].to_numpy().max()))
    short = short_names(drawing.styles)[baseline]
    return _drawn(
        "difference_rows",
        rows=[_row(record, drawing, most, lead, listed) for record in ordered.to_dict("records")],
        axis=axis,
        ticks=_ticks(axis),
        zero_label=_zero_label(axis, short),
        baseline=baseline,
        short=short,
        mean=float(compared.loc[compared["run"] == baseline, "mean"].iloc[0]),
        level=level,
        digits=w.column_decimals(others["low"], others["high"]),
        label=f"Difference to {baseline} on {drawing.name}",
        less=not drawing.comparison.measure.declaration.higher_is_better,
    )


@dataclass(frozen=True)
class _Tick:
    """A tick's place as CSS and its label; every second one counted from zero gives way where there
    is little room."""

    share: float
    at: str
    label: str
    is_zero: bool
    is_odd: bool


def _ticks(axis: Ticks) -> list[_Tick]:
    zero = axis.values.index(0)
    return [
        _Tick(share, percent(share), text, value == 0, bool((place - zero) % 2))
        for place, (value, text) in enumerate(zip(axis.values, axis.texts, strict=True))
        for share in [axis.share(value)]
    ]


def _zero_label(axis: Ticks, baseline: str) -> str:
    """Where the zero line's label stands, as CSS."""
    zero = axis.share(0)
    # In the middle of its line, unless it would leave the drawing.
    centred = 0.15 < zero < 0.85 and len(baseline) <= _SHORT_NAME
    return f"left:{percent(zero)};transform:translateX(-{percent(0.5 if centred else zero)})"


def _row(
    record: dict[str, Any],
    drawing: Drawing,
    most: int,
    lead: Lead,
    listed: Callable[[str, str], str],
) -> _Row:
    run, won, lost = record["run"], int(record["won"]), int(record["lost"])
    return _Row(
        style=style_of(drawing.styles, run),
        in_focus=run == drawing.focus,
        link=lead(run),
        lists={
            outcome: listed(run, outcome) if n else ""
            for outcome, n in (("", 1), (BETTER, won), (WORSE, lost), (LEVEL_WITH, record["same"]))
        },
        difference=record["difference"],
        low=record["low"],
        high=record["high"],
        clear=record["verdict"] in CLEAR,
        p=record["p"],
        p_corrected=record["p_corrected"],
        effect=record["effect"],
        effect_low=record["effect_low"],
        effect_high=record["effect_high"],
        too_few=record["queries"] < FEWEST_QUERIES,
        lost=lost,
        won=won,
        same=record["same"],
        lost_part=f"{lost / most:.4f}",
        won_part=f"{won / most:.4f}",
        less=not drawing.comparison.measure.declaration.higher_is_better,
    )
