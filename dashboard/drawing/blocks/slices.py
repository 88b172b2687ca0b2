"""Rows for the slices of queries in which the mean difference differs from that of all other
queries."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from markupsafe import Markup

from dashboard.answers.slices import UnlikeSlice
from dashboard.drawing.blocks.templates import Template

_render = Template("slices")


def draw_slice_rows(
    slices: Sequence[UnlikeSlice], *, make_slice_link: Callable[[UnlikeSlice], str]
) -> Markup:
    """Draw the slices in which the mean difference differs from that of all other queries.
    `make_slice_link` returns the link of a slice."""
    return _render(
        "slice_rows", rows=[(found_slice, make_slice_link(found_slice)) for found_slice in slices]
    )
