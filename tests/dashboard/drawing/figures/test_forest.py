"""The forest plot: a row a run, its numbers below its name, no mark where nothing is known."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dashboard.drawing.figures.forest import forest
from dashboard.drawing.theme import run_styles
from tests.dashboard.drawings import drawing_of

NAMES = ["base", "worse", "few", "best"]
DRAWING = drawing_of(
    run_styles(NAMES, {n: i for i, n in enumerate(NAMES)}, focus="best", baseline="base")
)
NAN = np.nan
COMPARED = pd.DataFrame(
    {"run": NAMES, "difference": [NAN, -0.2, 0.01, 0.1], "low": [NAN, -0.3, NAN, 0.05],
     "high": [NAN, -0.1, NAN, 0.15]}
)  # fmt: skip


def test_the_best_first_each_with_its_interval() -> None:
    chart = forest(COMPARED, DRAWING)
    written = [note.text for note in chart.layout.annotations]
    labels = [text for text in written if "<br>" in text]
    assert [text.split("<br>")[0].count(run) for text, run in zip(
        labels, ("best", "few", "worse"), strict=True)] == [1, 1, 1]  # fmt: skip
    assert "+0.100 [0.050, 0.150]" in labels[0] and "[" not in labels[1]
    assert "base" in written
    points = [trace for trace in chart.data if trace.type == "scatter" and trace.mode == "markers"]
    assert [list(trace.x) for trace in points] == [[0.1], [0.01], [-0.2]]
    heights = [trace.y[0] for trace in points]
    assert heights == sorted(heights)


def test_a_run_without_a_difference_has_a_name_alone() -> None:
    chart = forest(
        COMPARED.assign(difference=[NAN, NAN, NAN, 0.1], low=[NAN, NAN, NAN, 0.05]), DRAWING
    )
    marks = [trace.x for trace in chart.data if trace.type == "scatter" and len(trace.x)]
    assert [list(x)[:1] for x in marks] == [[0.05], [0.1]]
    labels = [n.text for n in chart.layout.annotations if "<br>" in n.text]
    assert len(labels) == 3 and sum("–" in text for text in labels) == 2
