"""The table of scores that another tool computed: one number per query, run, measure and repeat."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from metrics_core.base import frames as pd
from metrics_core.base.arrays import Floats
from metrics_core.base.errors import RowProblem
from metrics_core.base.notes import HasNotes, Note
from metrics_core.tables.arrays import as_array
from metrics_core.tables.columns import raise_row_problems, reencode_ids, refuse_missing_ids

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_COST = re.compile("latency|latencies|times?|ms|seconds|costs?|prices?|tokens")
_HARM = re.compile("errors?|hallucinations?|toxicity|perplexity|loss|losses|wer|cer|rmse|mae|mse")


def split_column_name(name: str) -> list[str]:
    """Return the words of a column name in lower case. For example, latencyMs and latency_ms
    consist of the same words."""
    return [word.lower() for word in _WORD.findall(name)]


def has_unclear_direction(name: str) -> bool:
    """Return whether a word of the name, such as latency, makes it unclear whether higher or lower
    is better."""
    return has_cost_name(name) or any(map(_HARM.fullmatch, split_column_name(name)))


def has_cost_name(name: str) -> bool:
    """Return whether a word of the name, such as latency, says that the values are costs, times or
    counts."""
    return any(map(_COST.fullmatch, split_column_name(name)))


@dataclass(frozen=True)
class GivenScores(HasNotes):
    """Scores of runs that were computed by another tool.

    table    columns query_id, run and measure (dictionary-encoded text), value (float64, null if
             there is no score), and repeat (text) if the scores of a query are repeated
    details  texts that belong to the scores, such as answers: query_id, run, repeat if the table
             has it, and a column for each kind of text; None if there are no texts"""

    table: pa.Table
    notes: tuple[Note, ...] = field(default=(), compare=False)
    details: pa.Table | None = field(default=None, compare=False)

    def __len__(self) -> int:
        return len(self.table)

    @classmethod
    def from_columns(
        cls,
        query_id: Any,
        run: Any,
        measure: Any,
        value: Floats,
        repeat: Any = None,
        *,
        details: pa.Table | None = None,
    ) -> GivenScores:
        """Build and check scores from columns of equal length. A missing value is NaN.

        Raises TableError for a missing id, and for two scores of the same query, run, measure and
        repeat."""
        columns = {"query_id": query_id, "run": run, "measure": measure}
        if repeat is not None:
            columns["repeat"] = repeat
        encoded = {name: reencode_ids(column) for name, column in columns.items()}
        key = np.zeros(len(value), dtype=np.int64)
        for name, ids in encoded.items():
            refuse_missing_ids(name, pa.chunked_array([ids]))
            codes = as_array(ids.indices).astype(np.int64)
            key = pd.factorize(key * len(ids.dictionary) + codes)[0]

        def describe_repeat(row: int) -> RowProblem:
            names = {name: ids[row].as_py() for name, ids in encoded.items()}
            text = f"{names['measure']} of query {names['query_id']} and run {names['run']}"
            return RowProblem(row, f"{text} a second time", "one score each")

        raise_row_problems(
            "Each query of a run may have only one score per measure.",
            np.flatnonzero(pd.Series(key).duplicated().to_numpy()),
            describe_repeat,
            hint="Assign the column that numbers the repeats: columns repeat=NAME. If each"
            " additional row is a repeat, write columns repeat=-.",
        )
        repeats = encoded.pop("repeat", None)
        table = pa.table(encoded).append_column(
            "value", pa.array(value, pa.float64(), from_pandas=True)
        )
        if repeats is not None:
            table = table.append_column("repeat", repeats)
        return cls(table, details=details)

    @property
    def run_names(self) -> list[str]:
        """The names of the runs, in order of first appearance."""
        return self.distinct_values("run")

    @property
    def query_ids(self) -> list[str]:
        """The ids of the queries, in order of first appearance."""
        return self.distinct_values("query_id")

    @property
    def measure_names(self) -> list[str]:
        """The names of the measures as in the file, in order of first appearance."""
        return self.distinct_values("measure")

    @property
    def values(self) -> Floats:
        """The scores, float64[row], NaN if missing."""
        return np.array(self.table["value"].to_numpy(), dtype=np.float64)

    def distinct_values(self, column: str) -> list[str]:
        """Return the distinct values of a text column, in order of first appearance."""
        names: list[str] = self.table[column].combine_chunks().dictionary.to_pylist()
        return names
