"""What was drawn is drawn again only where something else was asked."""

from __future__ import annotations

import gc
from dataclasses import replace
from weakref import ref

import numpy as np
import pandas as pd
import pytest

from dashboard.drawing import drawn_once
from dashboard.drawing.drawn_once import at_hand, drawn
from dashboard.drawing.figures.chart import Chart, scatter
from dashboard.drawing.theme import DARK, run_styles
from metrics_core.base.memo import Memo
from metrics_core.base.weighing import weight
from tests.dashboard.drawings import drawing_of

STYLES = run_styles(["bm25", "dense"], {"bm25": 0, "dense": 1}, focus="dense", baseline="bm25")
DRAWING = drawing_of(STYLES)
DARK_DRAWING = drawing_of(STYLES, DARK)


@pytest.fixture
def calls() -> list[tuple[object, ...]]:
    return []


def test_the_same_table_and_drawing_are_drawn_once(calls: list[tuple[object, ...]]) -> None:
    def figure(*given: object, **options: object) -> Chart:
        calls.append(given)
        return Chart([], {})

    frame = pd.DataFrame({"k": [1]})
    first = drawn(figure, frame, DRAWING, title="a")
    assert drawn(figure, frame, replace(DRAWING), title="a") is first
    assert len(calls) == 1
    # An equal table is another one, for nobody looked into it.
    drawn(figure, frame.copy(), DRAWING, title="a")
    drawn(figure, frame, DARK_DRAWING, title="a")
    drawn(figure, frame, DRAWING, title="b")
    drawn(figure, frame, DRAWING, titled="a")
    drawn(figure, frame, replace(DRAWING, styles={}), title="a")
    assert len(calls) == 6


def test_a_chart_is_sent_as_it_is_and_checked_where_one_looks() -> None:
    chart = Chart([scatter(x=np.array([1.0, np.nan]), y=[1, 2])], {"height": 50})
    assert chart.to_dict()["data"][0]["type"] == "scatter"
    assert chart.layout.height == 50
    assert chart.with_layout(meta={"a": 1}).layout.meta == {"a": 1}
    assert "meta" not in chart.to_dict()["layout"]
    with pytest.raises(ValueError, match="wide"):
        _ = Chart([scatter(wide=1)], {}).data


def test_what_is_kept_does_not_keep_alive_what_it_was_drawn_from() -> None:
    class Answer:
        __hash__ = None  # type: ignore[assignment]

    answer = Answer()
    asked = ("part", "?k=5", answer)
    assert at_hand(asked, lambda: "first") == "first" == at_hand(asked, lambda: "again")
    assert at_hand(("part", "?k=6", answer), lambda: "elsewhere") == "elsewhere"
    alive = ref(answer)
    del asked, answer
    gc.collect()
    assert alive() is None, "nobody else holds it"
    # One that is gone is no other, wherever that other stands in memory.
    gone = drawn_once._This(lambda: None, 7)
    assert gone != drawn_once._This(lambda: None, 7)
    assert at_hand(("part", "?k=5", Answer()), lambda: "new") == "new"


def test_charts_cost_what_they_weigh(monkeypatch: pytest.MonkeyPatch) -> None:
    room = Memo(20_000, weight)
    monkeypatch.setattr(drawn_once, "_kept", room)

    def figure(points: int, number: int) -> Chart:
        return Chart([scatter(x=np.zeros(points))], {})

    for number in range(30):
        drawn(figure, 10, number)
    assert len(room) == 30
    drawn(figure, 10_000, 0)
    assert len(room) == 1
