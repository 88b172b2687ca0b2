"""The table of the Breakdown page: a row a group, and the choice of the column above it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from dashboard.answers.breakdown import Breakdown
from dashboard.answers.group_table import GroupRows
from dashboard.drawing.blocks.markup import Lead, pieces_of, style_of
from dashboard.drawing.blocks.table import Column, sort_order
from dashboard.drawing.blocks.templates import Template, tone
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.heatmap import limit_of
from dashboard.drawing.figures.text import short_names
from dashboard.drawing.ticks import Ticks, covering_ticks, score_ticks
from metrics_core.base import wording as w
from metrics_core.comparing.verdicts import FEWEST_QUERIES

_drawn = Template("groups")

_SHORT_RUN, _SHORT_GROUP = 16, 28
_ROUNDING = 1e-9
_WIDE = 2.0
"""An interval so many times as wide as the usual one sets no scale, but runs off it."""


@dataclass(frozen=True)
class Choice:
    """A column, or two that cross, to break down by; of the `kind` "own", "crossed" or
    "computed"."""

    text: str
    link: str
    kind: str
    chosen: bool = False


def column_choice(choices: Sequence[Choice], *, most: Mapping[str, int]) -> Markup:
    """The columns as pills: so many of each kind, and the one that is chosen; the others fold into
    "n more"."""
    counted = dict.fromkeys(most, 0)
    seen: list[Choice] = []
    more: list[Choice] = []
    for choice in choices:
        counted[choice.kind] += 1
        fits = counted[choice.kind] <= most[choice.kind]
        (seen if fits or choice.chosen else more).append(choice)
    order = list(most)
    seen.sort(key=lambda choice: order.index(choice.kind))
    return _drawn("column_choice", seen=seen, more=more)


def group_table(
    listed: GroupRows,
    shown: Breakdown,
    drawing: Drawing,
    *,
    column: str,
    lead: Lead,
    ranked: Callable[[str], str],
    more: str,
) -> Markup:
    """The groups listed and all queries; `column` is what they are groups of. `lead` gives where a
    group leads, `ranked` where a head does, `more` opens what is hidden, "" where nothing does."""
    ends = [0.0, *listed.rows["adds"].cumsum()]
    rest = {"start": ends[-1], "adds": listed.hidden_adds, "clear": False}
    names = short_names(listed.rows["group"], _SHORT_GROUP)
    rows = listed.rows.assign(name=listed.rows["group"].map(names), start=ends[:-1])
    whole = shown.table.tail(1).assign(name="All", start=0.0, printed=shown.whole["adds"])
    seen = pd.concat([rows, whole], ignore_index=True)
    ends = [0.0, *ends, ends[-1] + listed.hidden_adds]
    bounded = drawing.value_range if drawing.value_range == (0, 1) else (0.0, 0.0)
    means = score_ticks(seen[["baseline_mean", "mean"]].to_numpy().ravel(), bounded)
    gaps, parts = _scale_of_differences(seen), _room_parts(shown, drawing)
    queries = int(shown.whole["queries"])
    return _drawn(
        "group_table",
        heads=_heads(listed, shown, seen, drawing, means, gaps, column, ranked, bool(parts)),
        rows=[
            row
            | {"hint": _hint(row, drawing, parts, queries), "kind": _kind(row, drawing, queries)}
            for row in seen.to_dict("records")
        ],
        rest=rest | {"kind": _kind(rest, drawing, queries), "printed": listed.hidden_printed},
        listed=listed,
        lead=lead,
        more=more,
        means=means,
        gaps=gaps,
        steps=Ticks([], [], (min(ends), max(ends) if any(ends) else 1.0)),
        tested=bool(shown.table["diff_low"].notna().any()),
        styles=[style_of(drawing.styles, run) for run in (drawing.baseline, drawing.focus)],
        alone=drawing.alone,
        parts=parts,
        room=float(seen[list(parts)].sum(axis=1).max()),
        less=not drawing.comparison.measure.declaration.higher_is_better,
        label=f"{drawing.name} by {column}",
    )


def _room_parts(shown: Breakdown, drawing: Drawing) -> dict[str, str]:
    """The parts of the room for improvement in words, by their columns; none where a score is below
    0, which is no length."""
    k = w.count(drawing.cutoff)
    parts = {
        "score": "achieved",
        "order": f"wrong order in the top {k}",
        "below": f"ranked below {k}",
        "missing": "never retrieved",
    }
    if "score" not in shown.table or (shown.table["score"] < 0).any():
        return {}
    return parts if float(shown.table[list(parts)].sum(axis=1).max()) > 0 else {}


def _scale_of_differences(seen: pd.DataFrame) -> Ticks:
    """The scale of all differences and of their intervals, but for those far wider than usual."""
    width = seen["diff_high"] - seen["diff_low"]
    # NaN where no group has an interval: then that of all queries sets the scale.
    kept = seen[~(width > _WIDE * width[:-1].median())]
    values = [seen["difference"], kept["diff_low"], kept["diff_high"]]
    return covering_ticks(np.concatenate(values), most=14)


def _heads(
    listed: GroupRows,
    shown: Breakdown,
    seen: pd.DataFrame,
    drawing: Drawing,
    means: Ticks,
    gaps: Ticks,
    column: str,
    ranked: Callable[[str], str],
    has_room: bool,
) -> list[Column]:
    """Name, queries, mean, difference, what it adds, and room, as far as they are there."""
    view = drawing.comparison
    every = max(shown.looked_at, len(shown.groups))
    for_all = f" CI, corrected for {w.count(every)} groups" if every > 1 else " interval"
    low, high = (w.difference(end, _digits(gaps)) for end in gaps.span)
    short = short_names([view.baseline, view.focus], _SHORT_RUN)
    who, pair = short[view.focus], f"{short[view.baseline]} → {short[view.focus]}"

    def head(key: str, name: str, *about: str, kind: str = "", hint: str = "") -> Column:
        first = key if key == "group" else f"-{key}"
        other = f"-{key}" if first == key else key
        link = ranked(other if listed.ranked == first else first)
        return Column(name, kind or key, link, sort_order(listed.ranked, key), about, hint)

    reach = " to ".join(f"{end:g}".replace("-", w.MINUS) for end in means.span)
    heads = [
        head("group", column, kind="who"),
        head("queries", "Queries", kind="number"),
        head("mean", f"Mean {view.name}", f"{who if view.alone else pair}, {reach}"),
    ]
    if not view.alone:
        about = f"{w.share(view.method.level)}{for_all} (axis {low} to {high})"
        if shown.table["diff_low"].isna().all():
            about = f"not tested (axis {low} to {high})"
        elif _runs_off(seen, gaps):
            about = f"{about}; ▸ beyond it"
        hint = f"{w.share(view.method.level)} intervals"
        if every > 1:
            hint += f", corrected for {w.count(every)} groups"
        heads += [
            head("difference", "Difference", about, hint=hint),
            head(
                "adds",
                "Contribution",
                "share of queries × difference, cumulative",
                hint="Share of queries times difference. Each bar starts where the one above it"
                " ends, to the right for an increase; the last ends at the overall difference",
            ),
        ]
    if has_room:
        hint = f"Score of {who}, and what an ideal ranking would add"
        heads.append(head("room", "Headroom", f"{who}, up to the ideal ranking", hint=hint))
    return heads


def _runs_off(seen: pd.DataFrame, gaps: Ticks) -> bool:
    """Whether an interval goes on beyond the scale."""
    ends = gaps.share(seen["diff_low"].min()), gaps.share(seen["diff_high"].max())
    return ends[0] < -_ROUNDING or ends[1] > 1 + _ROUNDING


def _digits(ticks: Ticks) -> int:
    """The decimals of the ticks of a scale."""
    return max((len(text.partition(".")[2]) for text in ticks.texts), default=1)


def _hint(
    record: Mapping[str, Any], drawing: Drawing, parts: Mapping[str, str], queries: int
) -> str:
    """What the pointer over a row says: the whole name, the interval, how the part comes about, and
    the parts of the room."""
    told = str(record["group"]) or "All"
    gap = record["difference"]
    if not drawing.alone and gap == gap:
        of = f"{w.count(record['queries'])}/{w.count(queries)} × {w.difference(gap)}"
        interval = w.with_interval(gap, record["diff_low"], record["diff_high"])
        told += f": {interval}; adds {of} = {w.difference(record['printed'])}"
    room = ", ".join(
        f"{words} {w.score(record[part])}" for part, words in parts.items() if record[part] > 0
    )
    return f"{told}\n{w.sentence_case(room)}" if room else told


def _kind(row: Mapping[str, Any], drawing: Drawing, queries: int) -> str:
    """The classes of the bar of what a row adds: a difference that is not clear is pale, and of too
    few queries in all grey."""
    less = not drawing.comparison.measure.declaration.higher_is_better
    side = tone(-row["adds"] if less else row["adds"], 9) or "level"
    side = "level" if queries < FEWEST_QUERIES else side
    return side if row["clear"] else f"{side} pale"


def below_groups(shown: Breakdown, drawing: Drawing, note: str) -> Markup:
    """What stands below the table: a note, and what the difference owes to other queries."""
    return _drawn(
        "below_groups",
        note=note,
        mixed=pieces_of(shown.mixed, drawing.styles),
    )


def more_link(text: str, link: str) -> Markup:
    """A line that opens what is folded, or closes it."""
    return _drawn("more_link", text=text, link=link)


def cells_scale(cells: pd.DataFrame, drawing: Drawing, about: str) -> Markup:
    """What the colours of the cells say."""
    ends = ["worse", "better"]
    if not drawing.comparison.measure.declaration.higher_is_better:
        ends.reverse()
    return _drawn("cells_scale", limit=w.score(limit_of(cells), 2), ends=ends, about=about)
