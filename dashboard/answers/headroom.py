"""Headroom of the run in focus, by query and by group."""

from __future__ import annotations

import pandas as pd

from dashboard.address.view import Comparison
from dashboard.study.cached_answers import cache_answer
from dashboard.study.study import Study
from metrics_core.explaining.headroom import Headroom, has_headroom, headroom
from metrics_core.measures import MEAN, Measure

PARTS = ("score", "order", "below", "missing")


def query_headroom(study: Study, comparison: Comparison) -> Headroom | None:
    """Return the headroom of the run in focus for each query in view. Returns None if the order of
    documents does not affect the measure."""
    all_queries = run_headroom(study, comparison.focus, comparison.measure, comparison.cutoff)
    if all_queries is None:
        return None
    mask = study.view_mask(comparison)
    return Headroom(*(getattr(all_queries, part)[mask] for part in PARTS))


def run_headroom(study: Study, run: str, measure: Measure, cutoff: int) -> Headroom | None:
    """Return the headroom of each judged query for a run. Returns None if `has_headroom` is false
    for the measure, or if the scores of the measure come from another tool."""
    return (
        study.cached_answer(_run_headroom, run, measure, cutoff)
        if has_headroom(measure) and study.is_computed(measure)
        else None
    )


def _run_headroom(study: Study, run: str, measure: Measure, cutoff: int) -> Headroom:
    return headroom(study.judged[run], measure, cutoff)


@cache_answer
def headroom_by_group(study: Study, comparison: Comparison, by: str) -> pd.DataFrame:
    """Return the mean headroom of the run in focus by group and over all queries. The frame is
    empty if the measure is not an arithmetic mean or has no headroom.

    Columns: group ("" for all queries), queries, score, order, below, missing."""
    parts = query_headroom(study, comparison)
    if parts is None or comparison.measure.declaration.combination != MEAN:
        return pd.DataFrame(columns=["group", "queries", *PARTS])
    groups = study.columns(comparison)[by].to_numpy(dtype=object)[study.view_mask(comparison)]
    frame = pd.DataFrame({part: getattr(parts, part) for part in PARTS}).assign(group=groups)
    frame = frame[frame["score"].notna()]
    means = frame.groupby("group")[list(PARTS)].mean()
    means.insert(0, "queries", frame.groupby("group").size())
    rows = means.dropna().rename_axis("group").reset_index()
    total = {"group": "", "queries": len(frame), **frame[list(PARTS)].mean().to_dict()}
    return pd.concat([rows, pd.DataFrame([total])], ignore_index=True) if len(frame) else rows
