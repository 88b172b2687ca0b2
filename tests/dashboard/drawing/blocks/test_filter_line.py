"""What stands under the filter line."""

from __future__ import annotations

import numpy as np
import pytest

from dashboard.drawing.blocks import filter_line
from metrics_core.base.errors import FilterLineError
from metrics_core.slicing.filtering import parse_filter
from tests.dashboard.drawing.blocks.test_blocks import EVIL, Page

COLUMNS = {"words": np.array([1.0])}


def wrong(line: str) -> Page:
    with pytest.raises(FilterLineError) as caught:
        parse_filter(line, COLUMNS)
    return Page(filter_line.draw_line_error(caught.value))


def test_the_place_is_marked_and_a_gap_at_the_end_shown() -> None:
    assert wrong("wordz > 5").text.startswith("wordz > 5Not filtered: expected a column")
    assert "words >‸" in wrong("words >").text
    assert "found the end of the line" in wrong("words >").text


def test_no_typed_text_becomes_markup_and_long_lines_are_cut() -> None:
    assert EVIL[:20] in wrong(f'words > "{EVIL}"').text
    page = wrong("words > 5 and " * 400 + "wordz")
    assert len(page.text) < 400 and "…" in page.text
