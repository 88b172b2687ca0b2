"""The tables of the History page as they are drawn."""

from __future__ import annotations

import math

import pandas as pd

from dashboard.blocks import history
from tests.dashboard.blocks.test_blocks import EVIL, Page

VERSIONS = ("v1", f"v2 {EVIL}")


def test_slices_name_the_version_since_which_they_are_worse() -> None:
    rows = [
        {"group": group, "run": run, "queries": 12, "mean": mean, "low": 0.1, "high": math.nan}
        for group in ("A", EVIL)
        for run, mean in zip(VERSIONS, (0.5, math.nan), strict=True)
    ]
    bad = {EVIL: VERSIONS[1]}
    page = Page(
        history.slice_table(pd.DataFrame(rows), ["A", EVIL], VERSIONS, bad, lambda g: f"?by={g}")
    )
    assert "A120.500––" in page.text and page.text.count(EVIL) == 2
    assert [own["class"] for own in page.having("worse")] == ["number worse", "worse"]
    assert [own["href"] for tag, own in page.found if tag == "a"] == ["?by=A", f"?by={EVIL}"]


def test_a_query_has_a_mark_for_each_version_and_says_them() -> None:
    row = {"query_id": "q1", "text": EVIL, "states": "+-", "broke": VERSIONS[1], "fixed": "",
           "first_bad": VERSIONS[1], "flickers": True}  # fmt: skip
    page = Page(history.query_table(pd.DataFrame([row]), VERSIONS, lambda q: f"?q={q}"))
    assert [own["class"] for tag, own in page.found if tag == "i"] == ["fine", "not"]
    assert "v1 fine and v2" in page.text and "flickers" in page.text
    assert [own["href"] for tag, own in page.found if tag == "a"] == ["?q=q1"]
