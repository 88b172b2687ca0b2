"""The table of the Breakdown page: a row a group, and the choice of the column above it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from dashboard.answers.breakdown import Breakdown
from dashboard.answers.group_table import MOST_ROWS, GroupRows
from dashboard.drawing.blocks.markup import Lead, pieces_of, style_of
from dashboard.drawing.blocks.templates import Template, percent, tone
from dashboard.drawing.drawing import Drawing
from dashboard.drawing.figures.heatmap import limit_of
from dashboard.drawing.figures.text import short_names
from dashboard.drawing.theme import RunStyle
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


@dataclass(frozen=True)
class _Mark:
    """A run's mean on the scale of means."""

    style: RunStyle
    value: float
    at: str


@dataclass(frozen=True)
class _Row:
    """A group, or all queries; lengths are CSS."""

    group: str
    name: str
    link: str
    hint: str
    queries: int
    means: list[_Mark]
    between: tuple[str, str]
    difference: float
    low: float
    high: float
    interval: tuple[str, str, str] | None
    untested: bool
    point: str
    tone: str
    adds: float
    bar: tuple[str, str]
    kind: str
    room: list[tuple[str, str, float]]


@dataclass(frozen=True)
class _Head:
    """A head that the rows can be ranked by: `sorted` is what ARIA calls the order, "" for none;
    `hint` says what `about` has no room for."""

    key: str
    text: str
    about: str
    link: str
    sorted: str
    hint: str


@dataclass(frozen=True)
class _Scales:
    """The scales that all rows share, whether an interval runs `beyond` that of differences, how
    many queries there are in all, and whether anything is `tested`: else the head says that
    nothing is."""

    means: Ticks
    gaps: Ticks
    beyond: bool
    steps: tuple[float, float]
    room: float
    queries: int
    tested: bool

    def step(self, value: float) -> float:
        """Where a sum of parts stands."""
        low, high = self.steps
        return (value - low) / ((high - low) or 1.0)


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
    starts = [0.0, *listed.rows["adds"].cumsum().tolist()]
    rest = (starts[-1], starts[-1] + listed.hidden_adds)
    scales = _scales(listed, shown, drawing, [*starts, rest[1]])
    parts = _room_parts(shown)
    names = short_names(listed.rows["group"], _SHORT_GROUP)
    rows = [
        _row({**record, "name": names[record["group"]]}, start, scales, drawing, parts, lead)
        for record, start in zip(listed.rows.to_dict("records"), starts, strict=False)
    ]
    whole = {**shown.whole.to_dict(), "printed": shown.whole["adds"], "name": "All"}
    return _drawn(
        "group_table",
        heads=_heads(listed, shown, drawing, scales, column, ranked, bool(parts)),
        rows=rows,
        whole=_row(whole, 0.0, scales, drawing, parts, lambda _: ""),
        rest=_bar(*rest, scales),
        rest_kind=_kind(listed.hidden_adds, False, drawing, scales.queries),
        listed=listed,
        more=more,
        zero=percent(scales.gaps.share(0.0)),
        alone=drawing.alone,
        legend=_pieces(drawing) if parts else [],
        style=style_of(drawing.styles, drawing.focus),
        label=f"{drawing.name} by {column}",
        # Of many groups a control above says how they are sorted.
        sorts=len(shown.groups) <= MOST_ROWS,
    )


def _room_parts(shown: Breakdown) -> list[str]:
    """The columns of the room for improvement; none where a score is below 0, which is no
    length."""
    parts = ["score", "order", "below", "missing"]
    if "score" not in shown.table or (shown.table["score"] < 0).any():
        return []
    return parts if float(shown.table[parts].sum(axis=1).max()) > 0 else []


def _scales(
    listed: GroupRows, shown: Breakdown, drawing: Drawing, ends: Sequence[float]
) -> _Scales:
    seen = pd.concat([listed.rows, shown.table.tail(1)], ignore_index=True)
    means = seen[["baseline_mean", "mean"]].to_numpy().ravel()
    low, high = (seen[end].to_numpy(dtype=float) for end in ("diff_low", "diff_high"))
    # NaN where no group has an interval: then that of all queries sets the scale.
    usual = (listed.rows["diff_high"] - listed.rows["diff_low"]).median()
    kept = ~(high - low > _WIDE * usual)
    gaps = covering_ticks(
        np.concatenate([seen["difference"].to_numpy(dtype=float), low[kept], high[kept]]), most=14
    )
    bounded = drawing.value_range if drawing.value_range == (0, 1) else (0.0, 0.0)
    parts = _room_parts(shown)
    return _Scales(
        means=score_ticks(means, bounded),
        gaps=gaps,
        beyond=any(
            "off" in interval[2]
            for pair in zip(low, high, strict=True)
            if (interval := _interval(*pair, gaps))
        ),
        steps=(min(0.0, *ends), max(0.0, *ends)),
        room=float(seen[parts].sum(axis=1).max()) if parts else 0.0,
        queries=int(shown.whole["queries"]),
        tested=bool(shown.table["diff_low"].notna().any()),
    )


def _heads(
    listed: GroupRows,
    shown: Breakdown,
    drawing: Drawing,
    scales: _Scales,
    column: str,
    ranked: Callable[[str], str],
    has_room: bool,
) -> list[_Head]:
    """Name, mean, difference, what it adds, and room, as far as they are there."""
    view = drawing.comparison
    every = max(shown.looked_at, len(shown.groups))
    for_all = f", corrected for {w.count(every)}" if every > 1 else " interval"
    low, high = (w.difference(end, _digits(scales.gaps)) for end in scales.gaps.span)
    mean_low, mean_high = (_tick(end) for end in scales.means.span)
    short = short_names([view.baseline, view.focus], _SHORT_RUN)
    who, pair = short[view.focus], f"{short[view.baseline]} → {short[view.focus]}"
    told = [
        ("mean", f"Mean {view.name}", f"{who if view.alone else pair}, {mean_low} to {mean_high}")
    ]
    if not view.alone:
        about = f"{w.share(view.method.level)}{for_all}, {low} to {high}"
        if shown.table["diff_low"].isna().all():
            about = f"{low} to {high}, not tested"
        elif scales.beyond:
            about = f"{about}, ▸ beyond"
        told += [
            ("difference", "Difference", about),
            ("adds", "Adds to the total", "share × difference, added downwards"),
        ]
    if has_room:
        told.append(("room", "Room for improvement", f"{who}, up to the ideal"))
    down = listed.ranked.startswith("-")
    hints = {
        "difference": f"{w.share(view.method.level)} intervals"
        + (f", corrected for {w.count(every)} groups" if every > 1 else ""),
        "adds": "The share of the queries times the difference: each bar begins where the one above"
        " it ends, to the right for more, and the last ends at the difference of all",
        "room": f"What {who} reached, and what it lacks to an ideal ranking",
    }

    def head(key: str, text: str, about: str) -> _Head:
        side = "descending" if down else "ascending"
        side = side if listed.ranked.removeprefix("-") == key else ""
        first = key if key == "group" else f"-{key}"
        other = f"-{key}" if first == key else key
        return _Head(
            key,
            text,
            about,
            ranked(other if listed.ranked == first else first),
            side,
            hints.get(key, ""),
        )

    named = head("group", column, "")
    return [named, head("queries", "Queries", ""), *(head(*one) for one in told)]


def _digits(ticks: Ticks) -> int:
    """The decimals of the ticks of a scale."""
    return max((len(text.partition(".")[2]) for text in ticks.texts), default=1)


def _tick(value: float) -> str:
    return f"{value:g}".replace("-", w.MINUS)


def _row(
    record: Mapping[str, Any],
    start: float,
    scales: _Scales,
    drawing: Drawing,
    parts: Sequence[str],
    lead: Lead,
) -> _Row:
    queries, gap, clear = int(record["queries"]), record["difference"], bool(record["clear"])
    runs = [(drawing.focus, record["mean"])]
    if not drawing.alone:
        runs.insert(0, (drawing.baseline, record["baseline_mean"]))
    means = [
        _Mark(style_of(drawing.styles, run), value, percent(scales.means.share(value)))
        for run, value in runs
    ]
    ends = sorted(scales.means.share(value) for _, value in runs)
    low, high = record["diff_low"], record["diff_high"]
    printed = w.difference(record["printed"])
    room = [
        (kind, words, amount)
        for (kind, words), amount in zip(
            _pieces(drawing), (record[part] for part in parts), strict=False
        )
        if amount == amount and amount > 0
    ]
    return _Row(
        group=record["group"],
        name=record["name"],
        link=lead(record["group"]),
        hint=_hint(record, printed, drawing, scales.queries) + _room_told(room),
        queries=queries,
        means=means if record["mean"] == record["mean"] else [],
        between=(percent(ends[0]), percent(ends[-1] - ends[0])),
        difference=gap,
        low=low,
        high=high,
        interval=_interval(low, high, scales.gaps),
        untested=scales.tested and gap == gap and low != low,
        point=percent(scales.gaps.share(gap)) if gap == gap else "",
        tone=_tone(gap, drawing) if clear else "",
        adds=record["printed"],
        bar=_bar(start, start + record["adds"], scales),
        kind=_kind(record["adds"], clear, drawing, scales.queries),
        room=[(kind, percent(amount / scales.room), amount) for kind, _, amount in room],
    )


def _interval(low: float, high: float, ticks: Ticks) -> tuple[str, str, str] | None:
    """Where an interval begins, how long it is, and the classes of the ends that are off the
    scale; None for NaN."""
    if low != low:
        return None
    begun, ended = ticks.share(low), ticks.share(high)
    off = {"off-left": begun < -_ROUNDING, "off-right": ended > 1 + _ROUNDING}
    begun, ended = max(0.0, begun), min(1.0, ended)
    kind = " ".join(["interval", *(side for side, is_off in off.items() if is_off)])
    return percent(begun), percent(ended - begun), kind


def _hint(record: Mapping[str, Any], printed: str, drawing: Drawing, queries: int) -> str:
    """What the pointer over a row says: the whole name, the interval, and how the part comes
    about."""
    if drawing.alone or record["difference"] != record["difference"]:
        return str(record["group"]) or "All"
    gap, of = record["difference"], f"{w.count(record['queries'])}/{w.count(queries)}"
    told = w.with_interval(gap, record["diff_low"], record["diff_high"])
    return f"{record['group'] or 'All'}: {told}; adds {of} × {w.difference(gap)} = {printed}"


def _room_told(room: Sequence[tuple[str, str, float]]) -> str:
    """The parts of the room in words, on a line of their own."""
    told = ", ".join(f"{words} {w.score(amount)}" for _, words, amount in room)
    return f"\n{w.sentence_case(told)}" if told else ""


def _bar(start: float, end: float, scales: _Scales) -> tuple[str, str]:
    left, right = sorted((scales.step(start), scales.step(end)))
    return percent(left), percent(right - left)


def _tone(value: float, drawing: Drawing, digits: int = 3) -> str:
    """ "better" or "worse" by what the measure wants more of."""
    shown = tone(value, digits)
    if drawing.comparison.measure.declaration.higher_is_better or not shown:
        return shown
    return "worse" if shown == "better" else "better"


def _kind(adds: float, clear: bool, drawing: Drawing, queries: int) -> str:
    """The classes of a bar: a difference that is not clear is pale, and of too few queries in all
    grey."""
    side = "level" if queries < FEWEST_QUERIES else _tone(adds, drawing, 9) or "level"
    return side if clear else f"{side} pale"


def _pieces(drawing: Drawing) -> list[tuple[str, str]]:
    """The parts of the room: class and words."""
    k = w.count(drawing.cutoff)
    return [
        ("reached", "reached"),
        ("order", f"wrong order in the top {k}"),
        ("below", f"ranked below {k}"),
        ("missing", "never retrieved"),
    ]


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
