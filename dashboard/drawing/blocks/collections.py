"""Blocks of the Collections page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from dashboard.drawing.blocks.templates import Template
from dashboard.drawing.figures.text import short_names
from dashboard.drawing.theme import SLOTS, RunStyle
from dashboard.files.collections import Preview

_NAME = 40
"""Maximum number of characters of a run's name in the row of a collection."""


@dataclass(frozen=True)
class CollectionRow:
    """The contents of a collection's row. `missing_reason` is the reason why no result is shown.
    `test_text` is the result of the significance test in words."""

    name: str
    link: str
    contents: str
    is_open: bool
    opened_text: str
    missing_reason: str
    preview: Preview | None
    test_text: str


_render = Template("collections")


def draw_column_headings() -> Markup:
    """Draw the column headings above the collections."""
    return _render("heads")


def draw_storage_note(folder: str, damaged_databases: Sequence[object] = ()) -> Markup:
    """Draw a note on how to share a collection, and where collections are stored.
    The path of the `folder` is hidden until the user opens it. Damaged databases that were moved
    aside are listed."""
    return _render("kept", folder=folder, put_aside=[str(path) for path in damaged_databases])


def draw_collection_row(entry: CollectionRow) -> Markup:
    """Draw one collection: its name as a link, its contents, and its result."""
    preview = entry.preview
    if preview is None or entry.missing_reason:
        return _render("row", entry=entry, pair=[], best=None, short={})
    focus = RunStyle(preview.run, preview.slot, "focus"), preview.mean
    baseline = RunStyle(preview.baseline, SLOTS, "baseline"), preview.baseline_mean
    pair = [focus] if preview.run == preview.baseline else [baseline, focus]
    names = [style.name for style, _ in pair]
    best = max(pair, key=lambda one: one[1])
    return _render("row", entry=entry, pair=pair, best=best, short=short_names(names, _NAME))
