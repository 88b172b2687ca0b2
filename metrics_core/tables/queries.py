"""The table of queries and their metadata."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base.errors import RowProblem
from metrics_core.base.notes import HasNotes, Note
from metrics_core.tables.columns import raise_row_problems, refuse_missing_ids, to_text_column

_MOST_GROUPS = 50


@dataclass(frozen=True)
class Queries(HasNotes):
    """Queries, as a pandas frame with query_id, text and any metadata columns. All values are text.

    A missing value is None; breakdowns show it as the group "(none)"."""

    frame: pd.DataFrame
    notes: tuple[Note, ...] = field(default=(), compare=False)

    def __len__(self) -> int:
        return len(self.frame)

    @classmethod
    def from_columns(cls, columns: Mapping[str, Any]) -> Queries:
        """Build and check queries from columns of equal length.

        query_id is required; a missing text column is added with empty strings. Raises TableError
        if a query_id is repeated, missing or empty."""
        frame = pd.DataFrame(
            {name: pd.Series(list(values), dtype="object") for name, values in columns.items()}
        )
        if "text" not in frame:
            frame.insert(1, "text", "")
        column = to_text_column(columns["query_id"])
        refuse_missing_ids("query_id", column)
        ids = frame["query_id"] = pd.Series(column.to_pylist(), dtype="object")
        raise_row_problems(
            "Each query may occur only once.",
            np.flatnonzero(ids.duplicated().to_numpy()),
            lambda row: RowProblem(
                row, f"query {ids.iloc[row]} a second time", "each query_id once"
            ),
            hint="Keep one row per query; two categories of one query need two columns.",
        )
        leading_names = ["query_id", "text"]
        return cls(frame[leading_names + [c for c in frame.columns if c not in leading_names]])

    @property
    def columns(self) -> list[str]:
        """Names of the metadata columns: all except query_id and text."""
        return [c for c in self.frame.columns if c not in ("query_id", "text")]

    @cached_property
    def numbers(self) -> Mapping[str, pd.Series]:
        """The metadata columns that contain only finite numbers, as a dictionary from name to
        column.

        Each column is a float64 Series indexed by query_id, NaN if missing."""
        numbers_by_column = {}
        for column in self.columns:
            values = self.frame.set_index("query_id")[column]
            numbers = _to_numbers(values.where(values.notna() & (values != "")))
            if numbers is not None:
                numbers_by_column[column] = numbers
        return numbers_by_column

    @property
    def groupings(self) -> list[str]:
        """The metadata columns that are suitable for a breakdown.

        A column is suitable if it has at most 50 different values and some of them repeat. A column
        of numbers is suitable too, because numbers are grouped into ranges. Whole numbers that
        never repeat are excluded, because they only number the queries."""
        names = []
        for column in self.columns:
            value_count = self.frame[column].nunique()
            filled_count = self.frame[column].notna().sum()
            numbers = self.numbers.get(column)
            is_measured = numbers is not None and bool((numbers.dropna() % 1 != 0).any())
            has_repeats = value_count < filled_count and (
                value_count <= _MOST_GROUPS or numbers is not None
            )
            if value_count and (has_repeats or (is_measured and value_count > 1)):
                names.append(column)
        return names


def _to_numbers(values: pd.Series) -> pd.Series | None:
    """Return the values as numbers. Returns None if a value is not a finite number, or if there are
    no values."""
    try:
        numbers = pd.to_numeric(values, errors="raise").astype("float64")
    except (ValueError, TypeError):
        return None
    filled = numbers.dropna()
    return numbers if len(filled) and bool(np.isfinite(filled).all()) else None
