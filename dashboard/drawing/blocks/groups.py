"""Blocks of the Breakdown page: the table with one row per group, and the choice of the column."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from dashboard.answers.breakdown import Breakdown
from dashboard.answers.group_names import column_title
from dashboard.answers.group_table import GroupRows
from dashboard.drawing.blocks.markup import LinkMaker, run_style, sentence_pieces
from dashboard.drawing.blocks.table import Column, aria_sort
from dashboard.drawing.blocks.templates import Template, tone
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.heatmap import FEWEST_COLOURED, color_limit
from dashboard.drawing.figures.text import short_names
from dashboard.drawing.ticks import Ticks, difference_ticks, score_ticks
from metrics_core.base import wording as w
from metrics_core.findings.sentence import Sentence

_render, _render_axis = Template("groups"), Template("table")

_SHORT_RUN, _SHORT_GROUP = 16, 28
_ROUNDING = 1e-9
_NUMBER = 0.25
"""Space for the number beside a bar of the waterfall chart, as a share of the width of all bars."""
_WIDE = 2.0
"""Intervals wider than this multiple of the median width do not affect the scale of the
differences. They may extend beyond the scale."""


@dataclass(frozen=True)
class Choice:
    """A column, or a pair of crossed columns, that the user can choose for a breakdown. `kind` is
    "own" (a column of the files), "crossed" (a pair) or "computed" (a derived column)."""

    text: str
    link: str
    kind: str
    is_chosen: bool = False


def draw_column_choice(choices: Sequence[Choice], *, max_visible: Mapping[str, int]) -> Markup:
    """Draw the columns to choose from as pills. `max_visible` is the maximum number of visible
    pills of each kind. The chosen column is always visible; the remaining columns are behind "n
    more" at the end."""
    shown_counts = dict.fromkeys(max_visible, 0)
    shown_choices: list[Choice] = []
    more: list[Choice] = []
    for choice in choices:
        shown_counts[choice.kind] += 1
        fits = shown_counts[choice.kind] <= max_visible[choice.kind]
        (shown_choices if fits or choice.is_chosen else more).append(choice)
    order = list(max_visible)
    shown_choices.sort(key=lambda choice: order.index(choice.kind))
    return _render("column_choice", seen=shown_choices, more=more)


def draw_group_table(
    group_rows: GroupRows,
    breakdown: Breakdown,
    drawing: Drawing,
    *,
    make_group_link: LinkMaker,
    sort_link: Callable[[str], str],
    more: str,
) -> Markup:
    """Draw the table of the shown groups, with a row for all queries.

    `make_group_link` returns the link of a group; `sort_link` returns the link of a column heading,
    which sorts the table. `more` is the link that shows hidden groups, "" if no group is hidden."""
    column = column_title(breakdown.by, drawing.cutoff)
    ends = [0.0, *group_rows.rows["adds"].cumsum()]
    rest = {"start": ends[-1], "adds": group_rows.hidden_adds, "clear": False}
    names = short_names(group_rows.rows["group"], _SHORT_GROUP)
    rows = group_rows.rows.assign(name=group_rows.rows["group"].map(names), start=ends[:-1])
    total_row = breakdown.table.tail(1).assign(
        name="All", start=0.0, printed=breakdown.total_row["adds"]
    )
    all_rows = pd.concat([rows, total_row], ignore_index=True)
    ends = [0.0, *ends, ends[-1] + group_rows.hidden_adds]
    bounded = drawing.value_range if drawing.value_range == (0, 1) else (0.0, 0.0)
    means = score_ticks(all_rows["mean"].to_numpy(), bounded)
    gaps, parts = _difference_scale(all_rows), _headroom_parts(breakdown, drawing)
    queries = int(breakdown.total_row["queries"])
    return _render(
        "group_table",
        heads=_header_cells(
            group_rows, breakdown, all_rows, drawing, means, gaps, column, sort_link, bool(parts)
        ),
        rows=[
            row
            | {
                "hint": _row_hint(row, drawing, parts, queries),
                "kind": _bar_class(row, drawing),
            }
            for row in all_rows.to_dict("records")
        ],
        rest=rest | {"kind": _bar_class(rest, drawing), "printed": group_rows.hidden_printed},
        listed=group_rows,
        lead=make_group_link,
        more=more,
        means=means,
        gaps=gaps,
        steps=Ticks([], [], (min(ends), max(ends) if any(ends) else 1.0)),
        tested=bool(breakdown.table["diff_low"].notna().any()),
        styles=[run_style(drawing.styles, run) for run in (drawing.baseline, drawing.focus)],
        short=short_names(drawing.comparison.pair, _SHORT_RUN),
        alone=drawing.is_single_run,
        parts=parts,
        room=float(all_rows[list(parts)].sum(axis=1).max()),
        less=not drawing.comparison.measure.declaration.higher_is_better,
        label=f"{drawing.name} by {column}",
    )


def draw_waterfall(group_rows: GroupRows, breakdown: Breakdown, drawing: Drawing) -> Markup:
    """Draw a waterfall chart: the contributions of the shown groups to the difference, the
    contribution of all other groups together, and the sum. Each bar starts at the end of the bar
    above it."""
    total, names = breakdown.total_row, short_names(group_rows.rows["group"], _SHORT_GROUP)
    rows = group_rows.rows.assign(name=group_rows.rows["group"].map(names)).to_dict("records")
    if group_rows.hidden:
        columns = ["name", "queries", "adds", "printed", "clear", "difference", "diff_low"]
        name = w.format_with_noun(group_rows.hidden, "other")
        other = group_rows.hidden_queries, group_rows.hidden_adds, group_rows.hidden_printed
        rows.append(dict(zip(columns, (name, *other, False, np.nan, np.nan), strict=True)))
    ends = np.cumsum([0.0, *(row["adds"] for row in rows)]).tolist()
    low, high = min(ends), max(ends)
    return _render(
        "waterfall",
        rows=[
            row | {"start": start, "kind": _bar_class(row, drawing)}
            for row, start in zip(rows, ends, strict=False)
        ],
        total=total.to_dict() | {"kind": _bar_class(total, drawing)},
        # The number is to the right of its bar.
        scale=Ticks([], [], (low, high + _NUMBER * (high - low) if high > low else low + 1)),
        style=drawing.focus_style,
        column=column_title(breakdown.by, drawing.cutoff),
        level=w.format_share(drawing.comparison.method.level),
        less=not drawing.comparison.measure.declaration.higher_is_better,
    )


def waterfall_caption(group_rows: GroupRows) -> str:
    """Return the caption of a waterfall chart. It defines the contributions, and explains the grey
    and the hatched bars if there are any."""
    untested = group_rows.rows["diff_low"].isna()
    notes = {
        "Contribution: share of the queries × mean difference.": True,
        "Grey: not significant on its own.": (~group_rows.rows["clear"] & ~untested).any(),
        "Hatched: not tested.": untested.any() or group_rows.hidden,
    }
    return " ".join(note for note, is_shown in notes.items() if is_shown)


def _headroom_parts(breakdown: Breakdown, drawing: Drawing) -> dict[str, str]:
    """Return the descriptions of the components of headroom, by column. The result is empty if
    there is no headroom, or if a score is negative and so cannot be drawn as a length."""
    parts = {
        "score": "achieved",
        "order": "wrong order",
        "below": f"ranked below {w.format_count(drawing.cutoff)}",
        "missing": "never retrieved",
    }
    if "score" not in breakdown.table or (breakdown.table["score"] < 0).any():
        return {}
    return parts if float(breakdown.table[list(parts)].sum(axis=1).max()) > 0 else {}


def headroom_note(breakdown: Breakdown, drawing: Drawing) -> str:
    """Explain why score and headroom do not add up to 1. The note is "" if they do."""
    parts = _headroom_parts(breakdown, drawing)
    ideal = breakdown.table[list(parts)].sum(axis=1)
    if not parts or drawing.value_range != (0, 1) or (ideal > 1 - _ROUNDING).all():
        return ""
    return "Score and headroom add up to the ideal mean; some queries cannot reach 1."


def _difference_scale(rows: pd.DataFrame) -> Ticks:
    """Return a scale that covers all differences and their intervals, except for unusually wide
    intervals."""
    width = rows["diff_high"] - rows["diff_low"]
    # The median is NaN if no group has an interval; then the row of all queries sets the scale.
    narrow = rows[~(width > _WIDE * width[:-1].median())]
    values = [rows["difference"], narrow["diff_low"], narrow["diff_high"]]
    return difference_ticks(np.concatenate(values), max_ticks=5)


def _header_cells(
    group_rows: GroupRows,
    breakdown: Breakdown,
    all_rows: pd.DataFrame,
    drawing: Drawing,
    means: Ticks,
    gaps: Ticks,
    column: str,
    sort_link: Callable[[str], str],
    has_headroom: bool,
) -> list[Column]:
    """Return the header cells of the available columns: name, queries, mean, difference,
    contribution, headroom."""
    comparison = drawing.comparison
    short = short_names([comparison.baseline, comparison.focus], _SHORT_RUN)
    focus_name = short[comparison.focus]

    def make_header_cell(
        key: str, name: str, *about: str, kind: str = "", hint: str = ""
    ) -> Column:
        first = key if key == "group" else f"-{key}"
        other = f"-{key}" if first == key else key
        link = sort_link(other if group_rows.sort_key == first else first)
        return Column(name, kind or key, link, aria_sort(group_rows.sort_key, key), about, hint)

    reach = " to ".join(f"{end:g}".replace("-", w.MINUS) for end in means.span)
    heads = [
        make_header_cell("group", w.sentence_case(column), kind="who"),
        make_header_cell("queries", "Queries", kind="number"),
        make_header_cell(
            "mean",
            f"Mean {comparison.name}",
            f"{focus_name}, {reach}"
            if comparison.is_single_run
            else f"{short[comparison.baseline]} → {focus_name}",
        ),
    ]
    if not comparison.is_single_run:
        about = f"{w.format_share(comparison.method.level)} interval"
        if breakdown.table["diff_low"].isna().all():
            about = "not tested"
        elif _exceeds_scale(all_rows, gaps):
            about = f"{about}; ▸ beyond"
        heads += [
            make_header_cell("difference", "Difference", about, _render_axis("ticks", axis=gaps)),
            make_header_cell(
                "adds",
                "Contribution",
                "share of queries × difference",
                hint="Share of queries times difference. Each bar starts where the one above it"
                " ends. Bars to the right are increases. The last bar ends at the overall"
                " difference",
            ),
        ]
    if has_headroom:
        hint = (
            f"Score of {focus_name}, and what an ideal ranking would add. On queries without a"
            " relevant document, that is nothing"
        )
        heads.append(make_header_cell("room", "Headroom", "what an ideal ranking adds", hint=hint))
    return heads


def _exceeds_scale(rows: pd.DataFrame, gaps: Ticks) -> bool:
    ends = gaps.share(rows["diff_low"].min()), gaps.share(rows["diff_high"].max())
    return ends[0] < -_ROUNDING or ends[1] > 1 + _ROUNDING


def _row_hint(
    record: Mapping[str, Any], drawing: Drawing, parts: Mapping[str, str], n_queries: int
) -> str:
    """Return the hover text of a row: the full name of the group, the interval, how the
    contribution was computed, and the components of headroom."""
    text = str(record["group"]) or "All"
    gap = record["difference"]
    if not drawing.is_single_run and gap == gap:
        share_text = (
            f"{w.format_count(record['queries'])}/{w.format_count(n_queries)} ×"
            f" {w.format_difference(gap)}"
        )
        interval = w.format_with_interval(gap, record["diff_low"], record["diff_high"])
        text += f": {interval}; adds {share_text} = {w.format_difference(record['printed'])}"
    headroom_text = ", ".join(
        f"{words} {w.format_score(record[part])}"
        for part, words in parts.items()
        if record[part] > 0
    )
    return f"{text}\n{w.sentence_case(headroom_text)}" if headroom_text else text


def _bar_class(row: Mapping[str, Any], drawing: Drawing) -> str:
    """Return the CSS classes of a contribution's bar. The bar is grey if the difference in the
    group is not significant, and also hatched if the group is not tested."""
    less = not drawing.comparison.measure.declaration.higher_is_better
    if row["clear"]:
        return tone(-row["adds"] if less else row["adds"], 9) or "level"
    return "level untested" if np.isnan(row.get("diff_low", np.nan)) else "level"


def draw_note_below_groups(
    breakdown: Breakdown, drawing: Drawing, note: str, strongest: str | Sentence = ""
) -> Markup:
    """Draw a note below the table, the finding on the strongest other run, and a sentence on how
    much of the difference arises because the runs contain different queries."""
    findings = (strongest, breakdown.shared_difference)
    return _render(
        "below_groups",
        note=note,
        findings=[sentence_pieces(finding, drawing.styles) for finding in findings if finding],
    )


def draw_more_link(text: str, link: str) -> Markup:
    """Draw a link that shows hidden groups, or hides them again."""
    return _render("more_link", text=text, link=link)


def draw_cell_color_scale(cells: pd.DataFrame, drawing: Drawing) -> Markup:
    """Draw the colour scale of the table of crossed columns. `cells` is the frame of
    `cross_groups`."""
    ends = ["worse", "better"] if drawing.comparison.has_direction else ["lower", "higher"]
    if not drawing.comparison.measure.declaration.higher_is_better:
        ends.reverse()
    return _render(
        "cells_scale",
        limit=w.format_score(color_limit(cells), 2),
        ends=ends,
        fewest=FEWEST_COLOURED if (cells["queries"].between(1, FEWEST_COLOURED - 1)).any() else 0,
    )
