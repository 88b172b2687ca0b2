"""What a chart shows, in a sentence, for those who do not see it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.slicing.breakdowns import ALL

_FEW = 5
_HALF = 0.5


def best_by_group(groups: pd.DataFrame, runs: Sequence[str], order: Sequence[str]) -> str:
    """Which of these runs has the best mean score in which groups, in at most so many words as
    five groups need.

    `groups` is the frame of `slicing.breakdowns.breakdown`.
    """
    leaders: dict[str, list[str]] = {}
    best: dict[str, float] = {}
    columns = (groups[name].tolist() for name in ("group", "run", "mean"))
    for group, run, mean in zip(*columns, strict=True):
        if run in runs and mean >= best.get(group, -np.inf):
            leaders[group] = [*(leaders[group] if mean == best.get(group) else ()), run]
            best[group] = mean
    place = {group: i for i, group in enumerate(order)}
    by_place = sorted(leaders, key=lambda g: place.get(g, len(g)))
    led = {run: [g for g in by_place if leaders[g] == [run]] for run in runs}
    parts = [
        f"{run} scores best in {w.named(led[run], all_of=_FEW)}"
        for run in sorted(runs, key=lambda run: -len(led[run]))
        if led[run]
    ]
    several = [g for g in by_place if len(leaders[g]) > 1]
    if several:
        parts.append(f"several runs share the best score in {w.named(several, all_of=_FEW)}")
    return f"{'; '.join(parts)}." if parts else "No group has a score."


def extreme_cells(cells: pd.DataFrame, focus: str, baseline: str) -> str:
    """The cells of two groupings with the greatest gain and the greatest loss, among those with
    enough queries. `cells` is the frame of `slicing.crossed.cross_breakdown`."""
    inner = cells[(cells["row"] != ALL) & (cells["column"] != ALL)]
    enough = inner[(inner["queries"] >= FEWEST_QUERIES) & inner["difference"].notna()]
    if enough.empty:
        return (
            f"No cell has {w.number(FEWEST_QUERIES)} queries, so each is an example, not a result."
        )
    said = []
    for word, at, sign in (("ahead of", "idxmax", 1), ("behind", "idxmin", -1)):
        cell = enough.loc[getattr(enough["difference"], at)()]
        if cell["difference"] * sign > 0:
            n = f"{w.count(cell['queries'])} {w.plural(cell['queries'], 'query', 'queries')}"
            said.append(
                f"most {word} {baseline} in {cell['row']}, {cell['column']}:"
                f" {w.difference(cell['difference'])} over {n}"
            )
    return f"{focus} is {'; '.join(said)}." if said else f"{focus} equals {baseline} in each cell."


def precision_at_half_recall(points: pd.DataFrame, runs: Sequence[str]) -> str:
    """The precision of each of these runs when half of the relevant documents are found, best
    first. `points` is the frame of `scoring.curves.precision_recall`."""
    half = points[np.isclose(points["recall"], _HALF) & points["run"].isin(list(runs))]
    ranked = half.dropna(subset=["precision"]).sort_values("precision", ascending=False)
    if ranked.empty:
        return "No run finds half of the relevant documents."
    each = [
        f"{name} {w.score(value)}"
        for name, value in ranked[["run", "precision"]].itertuples(index=False)
    ]
    return f"Precision at {w.share(_HALF)} recall: {w.listing(each)}."
