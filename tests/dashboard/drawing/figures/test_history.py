"""The chart of the History page: who is joined by a line, who is hollow, which are named."""

from __future__ import annotations

from itertools import pairwise

import pandas as pd

from dashboard.drawing.figures.history import mean_by_version
from dashboard.drawing.theme import run_styles
from tests.dashboard.drawings import drawing_of

DRAWING = drawing_of(run_styles(["a", "b"], {"a": 0, "b": 1}, focus="a", baseline="b"))


def rows(collection: str, *names: str, unknown: str = "") -> pd.DataFrame:
    return pd.DataFrame(
        {
            "run": names,
            "collection": collection,
            "judged_by": f"<b>{collection}</b>" if collection else "",
            "queries": 9,
            "mean": 0.5,
            "low": 0.4,
            "high": 0.6,
            "judged": 0.8,
            "date": "2026-03" if collection else "",
            "unknown": [name == unknown for name in names],
        }
    )


def test_each_judgments_have_a_line_of_their_own_with_a_place_between() -> None:
    frame = pd.concat([rows("old", "v0", "v1"), rows("", "v1", "v2", "v3", unknown="v2")])
    figure = mean_by_version(frame, DRAWING)
    old, own = figure.data
    assert (list(old.x), list(own.x)) == ([0, 1], [3, 4, 5])
    page = DRAWING.palette.page
    assert list(old.marker.color) == [page, page] and {*old.marker.symbol} == {"diamond"}
    assert [color == page for color in own.marker.color] == [False, True, False]
    assert [shape.x0 for shape in figure.layout.shapes] == [2]
    assert list(own.customdata[1]) == [
        "v2", "v2", "0.500 [0.400, 0.600]  9 queries<br>80% of its top 10 judged", "",
    ]  # fmt: skip
    assert old.customdata[0][2].endswith("<br>2026-03<br>judgments of &lt;b&gt;old&lt;/b&gt;")
    texts = [note.text for note in figure.layout.annotations]
    assert texts == ["v0", "v1", "v1", "v2", "v3", "judgments of &lt;b&gt;old&lt;/b&gt;",
                     "judgments of the open collection"]  # fmt: skip


def test_alone_nothing_is_said_of_judgments_and_long_names_slant() -> None:
    few = mean_by_version(rows("", "v1", "v2"), DRAWING)
    # The axis ends near the intervals.
    assert [round(end, 6) for end in few.layout.yaxis.range] == [0.392, 0.608]
    assert [(n.text, n.textangle) for n in few.layout.annotations] == [("v1", None), ("v2", None)]
    many = mean_by_version(rows("", *(f"ranker-of-may-{i:02}" for i in range(40))), DRAWING)
    named = [note.x for note in many.layout.annotations]
    assert {note.textangle for note in many.layout.annotations} == {-45}
    assert len({b - a for a, b in pairwise(named)}) == 1 and len(named) > 10
