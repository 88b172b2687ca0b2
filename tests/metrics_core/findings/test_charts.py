"""What a chart shows, in a sentence."""

from __future__ import annotations

import numpy as np
import pandas as pd

from metrics_core.findings.charts import (
    best_runs_by_group_finding,
    extreme_cells_finding,
    precision_at_half_recall_finding,
)
from metrics_core.slicing.breakdowns import ALL


def groups_of(means: dict[tuple[str, str], float]) -> pd.DataFrame:
    rows = [(run, group, mean) for (run, group), mean in means.items()]
    return pd.DataFrame(rows, columns=["run", "group", "mean"])


def test_who_scores_best_where() -> None:
    frame = groups_of(
        {("a", "easy"): 0.5, ("b", "easy"): 0.4, ("a", "hard"): 0.2, ("b", "hard"): 0.3,
         ("a", "odd"): 0.2, ("b", "odd"): 0.2, ("a", "mid"): 0.9, ("b", "mid"): np.nan}
    )  # fmt: skip
    order = ["mid", "easy", "hard", "odd"]
    assert best_runs_by_group_finding(frame, ["a", "b"], order) == (
        "a scores best in mid and easy; b scores best in hard;"
        " several runs share the best score in odd."
    )
    assert best_runs_by_group_finding(frame, ["b"], order).startswith("b scores best in easy, hard")
    assert best_runs_by_group_finding(frame.assign(mean=np.nan), ["a"], order) == (
        "No group has a score."
    )


def test_many_groups_are_counted() -> None:
    frame = groups_of({("a", f"g{i}"): 0.5 for i in range(40)})
    order = [f"g{i}" for i in range(40)]
    assert best_runs_by_group_finding(frame, ["a"], order) == (
        "a scores best in g0, g1, g2 and 37 more."
    )


def test_the_extreme_cells_have_enough_queries() -> None:
    cells = pd.DataFrame(
        [("A", "x", 0.9, 2), ("A", "y", 0.3, 18), ("B", "x", -0.2, 10), ("B", "y", np.nan, 9),
         (ALL, "x", 2.0, 50)],
        columns=["row", "column", "difference", "queries"],
    )  # fmt: skip
    assert extreme_cells_finding(cells, "new", "old") == (
        "new is furthest ahead of old in A, y: +0.300 over 18 queries;"
        " furthest behind old in B, x: −0.200 over 10 queries."
    )
    few = extreme_cells_finding(cells.assign(queries=2), "new", "old")
    assert few == "Every cell has fewer than ten queries, so the cells are examples, not results."
    same = extreme_cells_finding(cells.assign(difference=0.0), "new", "old")
    assert same == "new scores the same as old in each cell."


def test_precision_at_half_the_recall() -> None:
    recall = [round(0.1 * i, 1) for i in range(11)]
    frame = pd.concat(
        pd.DataFrame({"run": run, "recall": recall, "precision": level})
        for run, level in (("a", 0.25), ("b", 0.5), ("hidden", 0.9))
    )
    assert precision_at_half_recall_finding(frame, ["a", "b"]) == (
        "Precision at 50% recall: b 0.500 and a 0.250."
    )
    assert "No run" in precision_at_half_recall_finding(frame.assign(precision=np.nan), ["a"])
