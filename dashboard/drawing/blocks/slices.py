"""The slices of queries in which the difference is unlike elsewhere, as rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from markupsafe import Markup

from dashboard.answers.slices import UnlikeSlice
from dashboard.drawing.blocks.templates import Template

_render = Template("slices")


def slice_rows(slices: Sequence[UnlikeSlice], *, lead: Callable[[UnlikeSlice], str]) -> Markup:
    """The slices in which the difference is unlike elsewhere; `lead` gives where one leads."""
    return _render("slice_rows", rows=[(found_slice, lead(found_slice)) for found_slice in slices])
