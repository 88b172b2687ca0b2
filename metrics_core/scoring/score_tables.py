"""Reading a table of scores: column names are normalised, and one row per measure is pivoted to one
row per query."""

from __future__ import annotations

from typing import Any

from metrics_core.base import frames as pd
from metrics_core.base.errors import RanklensError
from metrics_core.formats.in_memory import convert_to_frame
from metrics_core.formats.parsing.columns import NAMES, find_position


def read_scores_frame(table: Any) -> pd.DataFrame:
    """Return a table of scores as a frame with the columns run, query_id and one per measure."""
    frame = convert_to_frame(table)
    names = [str(c) for c in frame.columns]
    for key, role in (("run", "tag"), ("query_id", "query_id")):
        index = find_position(names, NAMES[role])
        if key not in names and index >= 0:
            names[index] = key
    if "run" not in names and {"name", "measure"} <= set(names):
        names[names.index("name")] = "run"
    frame = frame.set_axis(names, axis=1)
    has_measure_rows = {"run", "query_id", "measure", "value"} <= set(names)
    return _pivot_measures(frame) if has_measure_rows else frame


def _pivot_measures(frame: pd.DataFrame) -> pd.DataFrame:
    """Pivot a table with one row per measure, such as PyTerrier's perquery.csv, to one column per
    measure. Raises RanklensError if a measure of a run is given twice for a query."""
    keys = ["run", "query_id"]
    is_duplicate = frame.duplicated([*keys, "measure"])
    if is_duplicate.any():
        run, query_id, measure = frame.loc[is_duplicate, [*keys, "measure"]].iloc[0]
        raise RanklensError(
            f"{measure} of run {run!r} for query {query_id!r} is given twice.", "Keep one of them."
        )
    order = list(dict.fromkeys(frame["measure"]))
    wide = frame.pivot(index=keys, columns="measure", values="value")
    rows = pd.MultiIndex.from_frame(frame[keys].drop_duplicates())
    return wide.loc[rows, order].rename_axis(columns=None).reset_index()
