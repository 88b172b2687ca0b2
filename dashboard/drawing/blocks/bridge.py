"""The parts of the Breakdown that are drawn as rows: the bridge, and the slices that differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pandas as pd
from markupsafe import Markup

from dashboard.answers.slices import Slice
from dashboard.drawing.blocks.markup import Lead, style_of
from dashboard.drawing.blocks.templates import Template, percent
from dashboard.drawing.drawing import Drawing
from metrics_core.base import wording as w

_drawn = Template("bridge")


@dataclass(frozen=True)
class _Step:
    """A bar from where the last one ended, as CSS lengths; `end` is where the next one begins."""

    group: str
    link: str
    queries: int
    difference: float
    part: float
    kind: str
    clear: bool
    left: str
    width: str
    right: str
    end: str


def bridge_rows(
    steps: pd.DataFrame, drawing: Drawing, *, lead: Lead, coloured: bool = True
) -> Markup:
    """Groups as bars that add up to the difference over all queries, each beginning where the last
    one ended. `steps` has group, queries, difference, part, clear and groups (1, or how many are
    one step); `lead` gives where a group leads; `coloured` unless there are too few queries to tell
    anything."""
    ends = steps["part"].cumsum().tolist()
    whole = ends[-1]
    low, high = min(0.0, *ends), max(0.0, *ends)
    span = high - low or 1.0

    def share(value: float) -> float:
        return (value - low) / span

    higher = drawing.comparison.measure.declaration.higher_is_better

    def kind(part: float) -> str:
        if not coloured or part == 0:
            return "level"
        return "better" if (part > 0) == higher else "worse"

    rows = []
    printed = w.parts_of(whole, steps["part"].tolist())
    places = zip([0.0, *ends[:-1]], ends, strict=True)
    for row, part, (start, end) in zip(steps.to_dict("records"), printed, places, strict=True):
        left, right = sorted((share(start), share(end)))
        rows.append(
            _Step(
                group=row["group"],
                link=lead(row["group"]) if row["groups"] == 1 else "",
                queries=row["queries"],
                difference=row["difference"],
                part=part,
                kind=kind(row["part"]),
                clear=row["clear"],
                left=percent(left),
                width=percent(right - left),
                right=percent(right),
                end=percent(share(end)),
            )
        )
    left, right = sorted((share(0.0), share(whole)))
    return _drawn(
        "bridge_rows",
        rows=rows,
        zero=percent(share(0.0)),
        total=int(steps["queries"].sum()),
        whole=whole,
        bar=(percent(left), percent(right - left), percent(right)),
        style=style_of(drawing.styles, drawing.focus),
        label=f"From groups to the difference between {drawing.focus} and {drawing.baseline}",
    )


def slice_rows(slices: Sequence[Slice], *, lead: Callable[[Slice], str]) -> Markup:
    """The slices in which the difference is unlike elsewhere; `lead` gives where one leads."""
    return _drawn("slice_rows", rows=[(found, lead(found)) for found in slices])
