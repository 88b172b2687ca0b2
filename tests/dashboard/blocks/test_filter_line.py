"""What stands under the filter line."""

from __future__ import annotations

import numpy as np
import pytest

from dashboard.blocks import filter_line
from metrics_core.errors import FilterLineError
from metrics_core.slicing.filtering import parse_filter
from tests.dashboard.blocks.test_blocks import EVIL, Page

COLUMNS = {"words": np.array([1.0])}


def wrong(line: str, offered: list[tuple[str, str]] | None = None) -> Page:
    with pytest.raises(FilterLineError) as caught:
        parse_filter(line, COLUMNS)
    return Page(filter_line.wrong(caught.value, offered or []))


def test_the_place_is_marked_and_a_gap_at_the_end_shown() -> None:
    assert wrong("wordz > 5").text.startswith("wordz > 5Not filtered: expected a column")
    assert "words >‸" in wrong("words >").text
    assert "found the end of the line" in wrong("words >").text


def test_no_typed_text_becomes_markup_and_long_lines_are_cut() -> None:
    assert EVIL[:20] in wrong(f'words > "{EVIL}"').text
    page = wrong("words > 5 and " * 400 + "wordz")
    assert len(page.text) < 400 and "…" in page.text


def test_offers_are_links_and_more_are_counted() -> None:
    page = wrong("words ", [(f"o{i}", f"?{i}") for i in range(15)])
    links = [own["href"] for tag, own in page.found if tag == "a"]
    assert links == [f"?{i}" for i in range(12)] and "and 3 more" in page.text
