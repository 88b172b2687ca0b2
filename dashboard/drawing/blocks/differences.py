"""Differences from the baseline, in two forms. A chart shows the difference of the run in focus
relative to zero; a table shows all runs with their intervals, their numbers, and the queries lost
and won."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd
from markupsafe import Markup

from dashboard.address.view import Comparison
from dashboard.drawing.blocks.markup import LinkMaker, draw_empty_state, run_style
from dashboard.drawing.blocks.templates import Template, percent, tone
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.text import short_names
from dashboard.drawing.ticks import Ticks, difference_ticks, signed_ticks
from metrics_core.base import wording as w
from metrics_core.comparing.method import NO_CORRECTION
from metrics_core.comparing.tested_quantities import NOT_TESTED, SIGN, TYPICAL_RATIO
from metrics_core.comparing.verdicts import CLEAR
from metrics_core.scoring.intervals import LEVEL

_render = Template("differences")

_MOST_TICKS = 5
_ROOM = 0.08
_SHORT_NAME = 16


_EDGE = 0.2
"""Minimum distance of a tick from each end of the axis, as a share of the length of the axis. This
leaves space for the labels "worse" and "better" at the ends. A label that has no space is
omitted."""
_AT_ZERO, _LABEL = 12, 0.14
"""Maximum number of characters of the baseline's name at the zero line, and half the width of this
label as a share of the chart's width."""
_SHORT_OF_ALL, _OWN_ROOM = 0.16, 0.3
_OTHER_SIDE, _BEYOND = 0.28, 0.08
"""Lengths on the axis, as shares of the largest difference of any run. `_OTHER_SIDE` is the minimum
length of the axis on the side of zero on which the difference is not; `_BEYOND` is the margin
beyond an end of an interval."""


def draw_difference_interval(
    row: Mapping[str, Any],
    interval: tuple[float, float, float],
    all_rows: pd.DataFrame,
    drawing: Drawing,
) -> Markup:
    """Draw the difference of the run in focus relative to zero, with its `interval` (low, high,
    level).

    `row` is the row of this run in the frame of `compare`; `all_rows` are the rows of all loaded
    runs. If the test compares the typical ratio, the ratio is drawn as a change in percent. The
    result is empty if only the sign is tested, or if nothing is tested."""
    if row.get("tested") in (SIGN, NOT_TESTED):
        return Markup()
    comparison = drawing.comparison
    low, high, level = interval
    gap, unit = row["difference"], ""
    if row.get("tested") == TYPICAL_RATIO:
        unit = "%"
        all_rows = all_rows.assign(
            difference=_percent_change(all_rows["ratio"]),
            low=_percent_change(all_rows["ratio_low"]),
            high=_percent_change(all_rows["ratio_high"]),
        )
        gap, low, high = (_percent_change(row[c]) for c in ("ratio", "ratio_low", "ratio_high"))
    # A percentage needs two decimals fewer than its ratio.
    digits = (
        w.interval_decimals(low / 100, high / 100) - 2 if unit else w.interval_decimals(low, high)
    )
    axis = _difference_axis(all_rows, low, high, gap)
    less = not comparison.measure.declaration.higher_is_better
    side = tone(-gap if less else gap, digits) if row["verdict"] in CLEAR else ""
    spoken = f"{drawing.focus} minus {drawing.baseline} on {drawing.name}: "
    return _render(
        "against_zero",
        style=drawing.focus_style,
        said=spoken + w.format_with_interval(gap, low, high),
        zero=(
            percent(min(max(axis.share(0), _LABEL), 1 - _LABEL)),
            short_names(drawing.styles, _AT_ZERO)[drawing.baseline],
        ),
        numbers=(
            w.format_difference(gap, digits) + unit,
            w.format_interval(low, high, digits) if low < high else "",
        ),
        axis=axis,
        found=(low, gap, high),
        tone=side,
        edge=_EDGE,
        sides=_side_labels(axis.share(0), lower_is_better=less),
        hint=interval_note(all_rows, comparison, level),
    )


def _percent_change(ratio: Any) -> Any:
    """Convert a ratio, or a series of ratios, to a change in percent."""
    return 100 * (ratio - 1)


def _difference_axis(all_rows: pd.DataFrame, low: float, high: float, gap: float) -> Ticks:
    """Return an axis that covers the differences of all loaded runs, so that its scale does not
    depend on which run is in focus.

    Most of the axis is on the same side of zero as the difference. If the interval would be too
    short to read, the axis covers only this interval."""
    values = pd.Series(
        [*all_rows["low"], *all_rows["high"], *all_rows["difference"], low, high, gap]
    )
    reach = float(values.abs().max())
    side, beyond = (-1 if gap < 0 else 1), _BEYOND * reach
    ends = (low, high) if low == low else (gap, gap)
    near, far = sorted(end * side for end in ends)
    begin = min(-_OTHER_SIDE * reach, near - beyond)
    length = max((1 + _OTHER_SIDE) * reach + beyond, far + beyond - begin)
    if reach > 0 and gap == gap and not 0 < far - near < _SHORT_OF_ALL * length:
        left, right = sorted((begin * side, (begin + length) * side))
        return signed_ticks(left, right, max_ticks=_MOST_TICKS + 1, min_digits=2)
    return difference_ticks(
        [low, high, gap], max_ticks=_MOST_TICKS, padding=_OWN_ROOM, min_digits=2
    )


def interval_note(all_rows: pd.DataFrame, comparison: Comparison, level: float) -> str:
    """Describe the intervals of `all_rows`, the rows of all loaded runs: "simultaneous 95%
    interval, three comparisons"."""
    text = f"{w.format_share(level)} interval"
    n = int(all_rows["p_corrected"].notna().sum())
    if n < 2 or comparison.method.effective_correction == NO_CORRECTION:
        return text
    return f"simultaneous {text}, {w.number_word(n)} comparisons"


def _side_labels(zero: float, *, lower_is_better: bool) -> tuple[str, str]:
    """Return the labels at the left and right end of the axis. The end nearer to zero has none,
    because the label at zero is there."""
    left, right = ("← better", "worse →") if lower_is_better else ("← worse", "better →")
    return ("", right) if zero < 0.5 else (left, "")


def draw_difference_rows(
    frame: pd.DataFrame,
    drawing: Drawing,
    *,
    make_link: LinkMaker,
    list_link: Callable[[str, str], str],
    level: float = LEVEL,
) -> Markup:
    """Draw a table with the difference of every run from the baseline, best run first. `frame` is
    the result of `compare` at this `level`. `make_link` returns the link of a run's name;
    `list_link(run, outcome)` returns the link to the run's queries with an outcome ("" for all
    queries)."""
    baseline = drawing.baseline
    others = frame[frame["run"] != baseline]
    if others.empty:
        text = f"Add a second run to see its difference from {baseline}."
        return draw_empty_state("Nothing to compare yet", text)
    ordered = others.sort_values("difference", ascending=False, na_position="last", kind="stable")
    values = [*others["low"], *others["high"], *others["difference"]]
    axis = difference_ticks(values, max_ticks=_MOST_TICKS, padding=_ROOM, min_digits=2)
    short = short_names(drawing.styles)
    return _render(
        "difference_rows",
        rows=[
            (row, run_style(drawing.styles, row["run"]), row["verdict"] in CLEAR)
            for row in ordered.to_dict("records")
        ],
        lead=make_link,
        listed=list_link,
        most=max(1, int(others[["won", "lost"]].to_numpy().max())),
        axis=axis,
        zero_label=_zero_label(axis, short[baseline]),
        baseline=baseline,
        short=short,
        mean=float(frame.loc[frame["run"] == baseline, "mean"].iloc[0]),
        level=level,
        digits=w.column_decimals(others["low"], others["high"]),
        label=f"Difference from {baseline} on {drawing.name}",
        less=not drawing.comparison.measure.declaration.higher_is_better,
    )


def _zero_label(axis: Ticks, baseline: str) -> str:
    """Return the position of the label at the zero line, as CSS."""
    zero = axis.share(0)
    # Centred on its line, unless it would leave the drawing.
    centred = 0.15 < zero < 0.85 and len(baseline) <= _SHORT_NAME
    return f"left:{percent(zero)};transform:translateX(-{percent(0.5 if centred else zero)})"
