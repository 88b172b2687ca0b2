"""What was drawn is drawn again only where something else was asked."""

from __future__ import annotations

import gc
from dataclasses import replace
from weakref import ref

import numpy as np
import pandas as pd
import pytest

from dashboard.drawing import drawing_cache
from dashboard.drawing.drawing_cache import draw_cached, draw_figure_cached
from dashboard.drawing.figures.chart import Chart, make_scatter_trace
from dashboard.drawing.theme import DARK, run_styles
from metrics_core.base.memo import Memo
from metrics_core.base.memory_size import estimate_size
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
    first = draw_figure_cached(figure, frame, DRAWING, title="a")
    assert draw_figure_cached(figure, frame, replace(DRAWING), title="a") is first
    assert len(calls) == 1
    # An equal table is another one, for nobody looked into it.
    draw_figure_cached(figure, frame.copy(), DRAWING, title="a")
    draw_figure_cached(figure, frame, DARK_DRAWING, title="a")
    draw_figure_cached(figure, frame, DRAWING, title="b")
    draw_figure_cached(figure, frame, DRAWING, titled="a")
    draw_figure_cached(figure, frame, replace(DRAWING, styles={}), title="a")
    assert len(calls) == 6


def test_a_chart_is_sent_as_it_is_and_checked_where_one_looks() -> None:
    chart = Chart([make_scatter_trace(x=np.array([1.0, np.nan]), y=[1, 2])], {"height": 50})
    assert chart.to_dict()["data"][0]["type"] == "scatter"
    assert chart.layout.height == 50
    assert chart.with_layout(meta={"a": 1}).layout.meta == {"a": 1}
    assert "meta" not in chart.to_dict()["layout"]
    with pytest.raises(ValueError, match="wide"):
        _ = Chart([make_scatter_trace(wide=1)], {}).data


def test_what_is_kept_does_not_keep_alive_what_it_was_drawn_from() -> None:
    class Answer:
        __hash__ = None  # type: ignore[assignment]

    answer = Answer()
    asked = ("part", "?k=5", answer)
    assert draw_cached(asked, lambda: "first") == "first" == draw_cached(asked, lambda: "again")
    assert draw_cached(("part", "?k=6", answer), lambda: "elsewhere") == "elsewhere"
    alive = ref(answer)
    del asked, answer
    gc.collect()
    assert alive() is None, "nobody else holds it"
    # One that is gone is no other, wherever that other stands in memory.
    gone = drawing_cache._Identity(lambda: None, 7)
    assert gone != drawing_cache._Identity(lambda: None, 7)
    assert draw_cached(("part", "?k=5", Answer()), lambda: "new") == "new"


def test_charts_cost_what_they_weigh(monkeypatch: pytest.MonkeyPatch) -> None:
    room = Memo(20_000, estimate_size)
    monkeypatch.setattr(drawing_cache, "_cache", room)

    def figure(points: int, number: int) -> Chart:
        return Chart([make_scatter_trace(x=np.zeros(points))], {})

    for number in range(30):
        draw_figure_cached(figure, 10, number)
    assert len(room) == 30
    draw_figure_cached(figure, 10_000, 0)
    assert len(room) == 1
