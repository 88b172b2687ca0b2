"""A table of scores as it is given: its columns by their names, a row for each query or for each
measure of it."""

from __future__ import annotations

from typing import Any

from metrics_core.base import frames as pd
from metrics_core.base.errors import RanklensError
from metrics_core.formats.in_memory import frame_from
from metrics_core.formats.parsing.columns import NAMES, position


def scores_frame(given: Any) -> pd.DataFrame:
    """A table of scores as a frame, its keys named run and query_id."""
    frame = frame_from(given)
    names = [str(c) for c in frame.columns]
    for key, role in (("run", "tag"), ("query_id", "query_id")):
        at = position(names, NAMES[role])
        if key not in names and at >= 0:
            names[at] = key
    if "run" not in names and {"name", "measure"} <= set(names):
        names[names.index("name")] = "run"
    frame = frame.set_axis(names, axis=1)
    long = {"run", "query_id", "measure", "value"} <= set(names)
    return _one_row_a_query(frame) if long else frame


def _one_row_a_query(frame: pd.DataFrame) -> pd.DataFrame:
    """A table of a row for each measure, as PyTerrier's perquery.csv, with a column for each."""
    keys = ["run", "query_id"]
    twice = frame.duplicated([*keys, "measure"])
    if twice.any():
        run, query_id, measure = frame.loc[twice, [*keys, "measure"]].iloc[0]
        raise RanklensError(
            f"{measure} of run {run!r} for query {query_id!r} is given twice.", "Keep one of them."
        )
    order = list(dict.fromkeys(frame["measure"]))
    wide = frame.pivot(index=keys, columns="measure", values="value")
    rows = pd.MultiIndex.from_frame(frame[keys].drop_duplicates())
    return wide.loc[rows, order].rename_axis(columns=None).reset_index()
