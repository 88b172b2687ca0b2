"""Queries: what people asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base.errors import RowProblem
from metrics_core.base.notes import Note
from metrics_core.tables.columns import refuse, refuse_without_ids, text_column

_MOST_GROUPS = 50


@dataclass(frozen=True)
class Queries:
    """What people asked: a pandas frame with query_id, text and any metadata columns, all text.

    A missing value is None in the frame; breakdowns show it as the slice "(none)".
    """

    frame: pd.DataFrame
    notes: tuple[Note, ...] = field(default=(), compare=False)

    def __len__(self) -> int:
        return len(self.frame)

    @classmethod
    def from_columns(cls, columns: Mapping[str, Any]) -> Queries:
        """Build and check queries from columns of equal length; query_id is required, text is
        added empty where absent. Raises TableError where a query_id stands twice or is missing."""
        frame = pd.DataFrame(
            {name: pd.Series(list(values), dtype="object") for name, values in columns.items()}
        )
        if "text" not in frame:
            frame.insert(1, "text", "")
        column = text_column(columns["query_id"])
        refuse_without_ids("query_id", column)
        ids = frame["query_id"] = pd.Series(column.to_pylist(), dtype="object")
        refuse(
            "Each query may occur only once.",
            np.flatnonzero(ids.duplicated().to_numpy()),
            lambda row: RowProblem(
                row, f"query {ids.iloc[row]} a second time", "each query_id once"
            ),
            hint="Keep one row per query; two categories of one query need two columns.",
        )
        first = ["query_id", "text"]
        return cls(frame[first + [c for c in frame.columns if c not in first]])

    @property
    def columns(self) -> list[str]:
        """The metadata columns: everything but query_id and text."""
        return [c for c in self.frame.columns if c not in ("query_id", "text")]

    @cached_property
    def numbers(self) -> Mapping[str, pd.Series]:
        """The metadata columns that hold nothing but numbers, as float64 indexed by query_id, NaN
        where there is no value."""
        found = {}
        for column in self.columns:
            values = self.frame.set_index("query_id")[column]
            numbers = _as_numbers(values.where(values.notna() & (values != "")))
            if numbers is not None:
                found[column] = numbers
        return found

    @property
    def groupings(self) -> list[str]:
        """The metadata columns fit for a breakdown: some value repeats and there are at most 50, or
        they are numbers, which make ranges. Whole numbers that never repeat only count the queries.
        """
        few = []
        for column in self.columns:
            distinct, known = self.frame[column].nunique(), self.frame[column].notna().sum()
            numbers = self.numbers.get(column)
            measured = numbers is not None and bool((numbers.dropna() % 1 != 0).any())
            repeats = distinct < known and (distinct <= _MOST_GROUPS or numbers is not None)
            if distinct and (repeats or (measured and distinct > 1)):
                few.append(column)
        return few

    def noting(self, *notes: Note) -> Queries:
        """The same table with further notes."""
        return replace(self, notes=(*self.notes, *notes))


def _as_numbers(values: pd.Series) -> pd.Series | None:
    """The values as numbers; None where one of them is no finite number, or there is none."""
    try:
        numbers = pd.to_numeric(values, errors="raise").astype("float64")
    except (ValueError, TypeError):
        return None
    known = numbers.dropna()
    return numbers if len(known) and bool(np.isfinite(known).all()) else None
