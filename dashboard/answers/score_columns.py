"""The columns of a file of given scores, for its card on the Files page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from dashboard.study.cached_answers import cache_answer
from dashboard.study.study import Study
from metrics_core.base import wording as w

_IDS = {"query_id": ("Query", "id"), "run": ("Run", "name"), "repeat": ("Repeat", "repeat")}
"""Roles of the columns with ids, and words for their values."""
_FIRST_ROWS = 5


@dataclass(frozen=True)
class ScoreColumn:
    """A column of a file of scores.

    role     what the column contains: Query, Run, Repeat, Score or Text
    cells    the first cells, as text
    summary  the values of all rows, in a few words"""

    name: str
    role: str
    cells: Sequence[str]
    summary: str


@cache_answer
def score_columns(study: Study, number: int) -> list[ScoreColumn]:
    """Return the columns of a file of scores: ids, measures and texts. `number` is the position of
    the file in the study's list of such files."""
    table = study.given_tables[number]
    rows = table.table.to_pandas()
    keys = [name for name in _IDS if name in rows]
    wide = rows.astype({"measure": object}).set_index([*keys, "measure"])["value"]
    frame = wide.unstack(sort=False).reset_index()
    if table.details is not None:
        details = table.details.to_pandas().drop_duplicates(keys)
        frame = frame.merge(details.astype(dict.fromkeys(keys, object)), how="left", on=keys)
    return [_describe_column(str(name), frame[name]) for name in frame]


def _describe_column(name: str, values: pd.Series[Any]) -> ScoreColumn:
    first, n, different = values.head(_FIRST_ROWS), values.count(), values.nunique()
    if values.dtype != np.float64:
        cells = [w.DASH if value is None or value != value else str(value) for value in first]
        role, word = _IDS.get(name, ("Text", "text"))
        n = different if name in _IDS else n
        return ScoreColumn(name, role, cells, f"{n:,} {w.plural(n, word)}")
    low, high = (w.format_plain_number(end) for end in (values.min(), values.max()))
    span = low if low == high else f"{low} {'and' if different == 2 else 'to'} {high}"
    empty = f"; {len(values) - n:,} empty" * bool(len(values) - n)
    return ScoreColumn(name, "Score", [w.format_plain_number(v) for v in first], span + empty)
