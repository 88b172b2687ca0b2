"""The parts of the Collections page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from dashboard.drawing.blocks.templates import Template
from dashboard.drawing.figures.text import short_names
from dashboard.drawing.theme import SLOTS, RunStyle
from dashboard.files.collections import Preview

_NAME = 40
"""Characters of a run's name in a row."""


@dataclass(frozen=True)
class Told:
    """A collection as its row tells of it; `lacking` says why no result is shown, `tested` what
    the test says of the one that is."""

    name: str
    link: str
    holds: str
    is_open: bool
    opened: str
    lacking: str
    found: Preview | None
    tested: str


_drawn = Template("collections")


def heads() -> Markup:
    """What stands under what."""
    return _drawn("heads")


def kept(folder: str, put_aside: Sequence[object] = ()) -> Markup:
    """Which collection comes first, and where all are kept; the `folder` only to who asks. Damaged
    databases that were `put_aside` are listed."""
    return _drawn("kept", folder=folder, put_aside=[str(path) for path in put_aside])


def row(told: Told) -> Markup:
    """One collection: its name, which opens it, what it holds, and its result."""
    found = told.found
    if found is None or told.lacking:
        return _drawn("row", told=told, pair=[], best=None, short={})
    own = RunStyle(found.run, found.slot, "focus"), found.mean
    other = RunStyle(found.baseline, SLOTS, "baseline"), found.baseline_mean
    pair = [own] if found.run == found.baseline else [other, own]
    names = [style.name for style, _ in pair]
    best = max(pair, key=lambda one: one[1])
    return _drawn("row", told=told, pair=pair, best=best, short=short_names(names, _NAME))
