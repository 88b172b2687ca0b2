"""The tables of the History page as they are drawn."""

from __future__ import annotations

import math

import pandas as pd

from dashboard.drawing.blocks import history
from dashboard.drawing.theme import run_styles
from tests.dashboard.drawing.blocks.test_blocks import EVIL, Page
from tests.dashboard.drawings import drawing_of

VERSIONS = ("v1", f"v2 {EVIL}")


def test_slices_name_the_version_since_which_they_are_worse() -> None:
    rows = [
        {"group": group, "run": run, "queries": 12, "mean": mean, "low": 0.1, "high": math.nan}
        for group in ("A", EVIL)
        for run, mean in zip(VERSIONS, (0.5, math.nan), strict=True)
    ]
    bad = {EVIL: VERSIONS[1]}
    page = Page(
        history.draw_slice_table(
            pd.DataFrame(rows), ["A", EVIL], VERSIONS, bad, lambda g: f"?by={g}"
        )
    )
    assert "A120.500––" in page.text and page.text.count(EVIL) == 1
    assert page.text.endswith(f"–{page.text.partition('v1')[2].partition('Worse')[0]}")
    assert [own["class"] for own in page.having("worse")] == ["number worse", "worse"]
    assert [own["href"] for tag, own in page.found if tag == "a"] == ["?by=A", f"?by={EVIL}"]


def test_a_query_has_a_mark_for_each_version_and_says_them() -> None:
    row = {"query_id": "q1", "text": EVIL, "states": "+-", "broke": VERSIONS[1], "fixed": "",
           "first_bad": VERSIONS[1], "flickers": True}  # fmt: skip
    page = Page(history.draw_query_table(pd.DataFrame([row]), VERSIONS, lambda q: f"?q={q}"))
    assert [own["class"] for tag, own in page.found if tag == "i"] == ["fine", "not"]
    assert "v1 good and v2" in page.text and "went back and forth" in page.text
    assert [own["href"] for tag, own in page.found if tag == "a"] == ["?q=q1"]


def test_versions_say_what_they_rest_on_and_by_whom_they_were_judged() -> None:
    rows = [
        {"run": EVIL, "collection": "old", "judged_by": EVIL, "queries": 6, "mean": 0.5,
         "low": 0.4, "high": 0.6, "judged": 0.9, "date": "2025-01", "unknown": False,
         "answered": 5, "change": math.nan, "outcome": math.nan},
        {"run": "v1", "collection": "", "judged_by": "", "queries": 12, "mean": math.nan,
         "low": math.nan, "high": math.nan, "judged": 0.2, "date": "", "unknown": True,
         "answered": 12, "change": -0.25, "outcome": "worse"},
    ]  # fmt: skip
    frame = pd.DataFrame(rows)
    styles = run_styles(["b"], {"b": 0}, focus="b", baseline="b")
    drawing = drawing_of(styles, measure="AP", cutoff=5)
    page = Page(history.draw_version_table(frame, drawing, lambda c: f"?set={c}"))
    assert (
        f"{EVIL}AP 0.500[0.400, 0.600]change –queries with results 5 of 6top 5 judged"
        f" 90%2025-01judgments of {EVIL}" in page.text
    )
    assert (
        "v1AP ––change −0.250queries with results 12 of 12top 5 judged 20%–judgments of"
        " the open collection" in page.text
    )
    assert [own["href"] for tag, own in page.found if tag == "a"] == ["?set=old"]
    assert [own["class"] for own in page.having("worse")] == ["number worse"]
    assert [own["class"] for own in page.having("warning")] == ["number warning loud"]
    alike = frame.assign(date="2025-01", collection="")
    plain = Page(history.draw_version_table(alike, drawing, lambda c: ""))
    assert "Judged by" not in plain.text and "Date" not in plain.text
    assert EVIL in Page(history.draw_version_remarks([EVIL])).text
