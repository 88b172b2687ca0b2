"""What the run in focus could still gain, by query and by group."""

from __future__ import annotations

import numpy as np
import pandas as pd

from dashboard.address.view import Comparison
from dashboard.study.study import Study
from metrics_core.explaining.headroom import Headroom, has_headroom, headroom
from metrics_core.measures import MEAN, Measure

PARTS = ("score", "order", "below", "missing")


def room(study: Study, shown: Comparison) -> Headroom | None:
    """The headroom of each query in view; None where a better order is not what raises the
    measure."""
    whole = whole_room(study, shown.focus, shown.measure, shown.cutoff)
    if whole is None:
        return None
    mask = study.in_view(shown)
    return Headroom(*(getattr(whole, part)[mask] for part in PARTS))


def whole_room(study: Study, run: str, measure: Measure, cutoff: int) -> Headroom | None:
    """The headroom of each judged query with a run; None as of `room`."""
    return study.kept(_room, run, measure, cutoff) if has_headroom(measure) else None


def _room(study: Study, run: str, measure: Measure, cutoff: int) -> Headroom:
    return headroom(study.judged[run], measure, cutoff)


def room_by_group(study: Study, shown: Comparison, by: str) -> pd.DataFrame:
    """Means of the parts by group, and over all queries: group ("" for all), queries, score, order,
    below, missing. No rows where the measure's scores are not
    averaged, or there is no headroom."""
    return study.kept(_by_group, shown, by)


def _by_group(study: Study, shown: Comparison, by: str) -> pd.DataFrame:
    found = room(study, shown)
    if found is None or shown.measure.declaration.combination != MEAN:
        return pd.DataFrame(columns=["group", "queries", *PARTS])
    groups = study.columns(shown)[by].to_numpy(dtype=object)[study.in_view(shown)]
    every = pd.DataFrame({part: getattr(found, part) for part in PARTS}).assign(group=groups)
    every = every[every["score"].notna()]
    means = every.groupby("group")[list(PARTS)].mean()
    means.insert(0, "queries", every.groupby("group").size())
    rows = means.dropna().rename_axis("group").reset_index()
    whole = {"group": "", "queries": len(every), **every[list(PARTS)].mean().to_dict()}
    return pd.concat([rows, pd.DataFrame([whole])], ignore_index=True) if len(every) else rows


def most_to_gain(rows: pd.DataFrame) -> str:
    """Where most is to be gained over all queries: "order", "below" or "missing"; "" for none, and
    where nothing is known of it."""
    whole = rows[rows["group"] == ""]
    if whole.empty or not set(PARTS) <= set(rows.columns):
        return ""
    if not (parts := whole[list(PARTS[1:])].iloc[0]).gt(np.finfo(float).eps).any():
        return ""
    return str(parts.astype(float).idxmax())
