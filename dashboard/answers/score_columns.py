"""The columns of a file of given scores, for its card on the Files page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

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


def score_columns(study: Study, number: int) -> list[ScoreColumn]:
    """Return the columns of a file of scores: ids, measures and texts. `number` is the position of
    the file among those of the study."""
    return study.cached_answer(_score_columns, number)


def _score_columns(study: Study, number: int) -> list[ScoreColumn]:
    table = study.given_tables[number]
    rows = table.table.to_pandas()
    keys = [name for name in _IDS if name in rows]
    first_keys = pd.MultiIndex.from_frame(rows[keys].drop_duplicates().head(_FIRST_ROWS))
    columns = []
    for name in keys:
        (role, word), n = _IDS[name], rows[name].nunique()
        cells = first_keys.get_level_values(name).tolist()
        columns.append(ScoreColumn(name, role, cells, f"{n:,} {w.plural(n, word)}"))
    for name, scores in rows.groupby("measure", sort=False, observed=True):
        first = scores.set_index(keys)["value"].reindex(first_keys)
        columns.append(
            ScoreColumn(
                str(name),
                "Score",
                [w.format_plain_number(value) for value in first],
                _describe_range(scores["value"]),
            )
        )
    if table.details is not None:
        texts = table.details.to_pandas().set_index(keys)
        first_texts = texts[~texts.index.duplicated()].reindex(first_keys)
        columns += [
            ScoreColumn(
                name,
                "Text",
                first_texts[name].fillna(w.DASH).astype(str).tolist(),
                f"{texts[name].count():,} texts",
            )
            for name in texts
        ]
    return columns


def _describe_range(values: pd.Series[float]) -> str:
    low, high = (w.format_plain_number(end) for end in (values.min(), values.max()))
    empty = int(values.isna().sum())
    between = "and" if values.nunique() == 2 else "to"
    span = low if low == high else f"{low} {between} {high}"
    return span + f"; {empty:,} empty" * bool(empty)
