"""The table of a run, which contains the results of a system."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from metrics_core.base import frames as pd
from metrics_core.base.arrays import Floats, Ints
from metrics_core.base.errors import RowProblem
from metrics_core.base.memo import Memo
from metrics_core.base.notes import Note
from metrics_core.tables.arrays import as_array, as_column, block_starts
from metrics_core.tables.columns import (
    drop_rows,
    encode_ids,
    find_lower_scored_rows,
    is_printable,
    raise_row_problems,
    refuse_missing_ids,
    to_text_column,
)
from metrics_core.tables.damaged_ids import MERGED, explain_damaged_id
from metrics_core.tables.finite_numbers import to_finite_numbers
from metrics_core.tables.judgable import Judgable, format_pair
from metrics_core.tables.repeats import find_repeated_rows
from metrics_core.tables.score_order import order_by_score

Duplicates = Literal["error", "best", "first"]

_LISTED = 20_000
"""Maximum number of rows in the cache of a run's lists."""


def new_list_cache() -> Memo:
    """Return an empty cache for the lists of a run's queries."""
    return Memo(_LISTED, len)


@dataclass(frozen=True)
class Run(Judgable):
    """The results of one system: query_id, doc_id, score (float64, finite), one row per document.

    Rows are in any order. `judging` derives ranks from scores, unless the table has a column `rank`
    (int64, from 1, distinct within a query). The ranks are then taken from this column, for example
    if they were read from a file of ranks with gaps. `name` identifies the run.

    The rows of a run need not be in memory: a subclass may read `table` on each access. If you need
    rows more than once, use `read_whole`, or `select_queries` for the rows of some queries."""

    name: str = "run"
    # A page about one query needs its list a dozen times.
    _lists: Memo = field(default_factory=new_list_cache, init=False, repr=False, compare=False)

    @classmethod
    def from_columns(
        cls,
        name: str,
        query_id: Any,
        doc_id: Any,
        score: Any,
        *,
        rank: Ints | None = None,
        duplicates: Duplicates = "error",
        distinct: bool = False,
    ) -> Run:
        """Build and check a run.

        `rank` int64[row] are ranks that are kept; they must not contradict the scores. If
        `duplicates` is "best", the highest score of a repeated document is kept; if it is "first",
        its first row. If `distinct` is true, rows are known to be distinct and are not searched for
        repetitions. Raises TableError for a missing or empty id, for a score that is not a finite
        number and, if `duplicates` is "error", for a repeated document in a query."""
        query_ids, doc_ids = encode_ids(query_id), to_text_column(doc_id)
        refuse_missing_ids("query_id", query_ids)
        refuse_missing_ids("doc_id", doc_ids)
        scores = to_finite_numbers(score, "score", partial(format_pair, query_ids, doc_ids))
        scores = np.ascontiguousarray(scores, dtype=np.float64)
        columns = {"query_id": query_ids, "doc_id": doc_ids, "score": as_column(scores)}
        if rank is not None:
            columns["rank"] = as_column(rank)
        run = cls(table=pa.table(columns), name=name)
        return run if distinct else run._drop_duplicates(duplicates)

    def _drop_duplicates(self, duplicates: Duplicates) -> Run:
        repeated, first = find_repeated_rows(self.query_codes, self.doc_ids)
        if not len(repeated):
            return self
        if duplicates == "error":
            hint = explain_damaged_id([self.doc_ids[int(repeated[0])].as_py()], MERGED)
            raise_row_problems(
                "A run may list a document only once per query.",
                repeated,
                lambda row: RowProblem(
                    row, f"{self.pair(row)} a second time", "each document once for a query"
                ),
                hint=hint
                or "Keep one of the rows, or read the run with duplicates=best (keeps the"
                " highest score) or duplicates=first.",
                suggestion="duplicates=best",
            )
        dropped_rows = repeated
        if duplicates == "best":
            dropped_rows = find_lower_scored_rows(repeated, first, self.scores)
        rule_text = "the highest score" if duplicates == "best" else "the first row"
        note = Note(
            "duplicates",
            f"repeated documents: {len(repeated):,}; only {rule_text} of each is used",
            count=len(repeated),
            examples=tuple(self.pair(int(row)) for row in repeated[:3]),
            loud=True,
        )
        return replace(self, table=drop_rows(self.table, dropped_rows)).with_notes(note)

    @property
    def complete(self) -> bool:
        """Whether all documents in the lists are known. If false, only the judged documents are
        known (see `RankedRun`)."""
        return True

    @property
    def scores(self) -> Floats:
        """Score of each row, float64[row], read-only.

        Raises RanklensError if only ranks are known."""
        return as_array(self.table["score"])

    @property
    def given_ranks(self) -> Ints | None:
        """Rank of each row as given in the file, int64[row], read-only.

        It is None if ranks are derived from scores."""
        table = self.table
        return as_array(table["rank"]) if "rank" in table.column_names else None

    def length(self, query_id: str) -> int:
        """Return the number of documents in the run's list for a query."""
        query_ids = self.query_ids
        if query_id not in query_ids:
            return 0
        return int(np.count_nonzero(self.query_codes == query_ids.index(query_id)))

    def cached_list(self, query_id: str, make: Callable[[], pd.DataFrame]) -> pd.DataFrame:
        """Return the list of a query from the cache. If the cache does not contain the list, the
        function `make` is called to build it.

        The columns are the same as in the result of `make`. A list that is too long for the cache
        is built each time."""
        if self.length(query_id) > _LISTED:
            return make()
        return self._lists(query_id, make).copy()

    def read_whole(self) -> Run:
        """Return the run with all rows in memory."""
        return self

    def select_queries(self, query_ids: Collection[str]) -> Run:
        """Return a run in memory that has all rows of these queries. It may also have rows of other
        queries."""
        return self

    def select_top(self, depth: int) -> Run:
        """Return a run in memory that has at least the first `depth` ranks of all queries."""
        return self

    def first_ties(self) -> Ints:
        """Return the first tied rank of each query in `query_ids`, int64[query].

        A rank is tied if the next rank has the same score. The result is 0 if the query has no
        ties."""
        codes, scores = self.query_codes, self.scores
        order = order_by_score(codes, scores)
        if order is not None:
            codes, scores = codes[order], scores[order]
        tied_rows = np.flatnonzero((codes[1:] == codes[:-1]) & (scores[1:] == scores[:-1]))
        starts = block_starts(codes)
        rank = tied_rows - starts[np.searchsorted(starts, tied_rows, "right") - 1] + 1
        first_ranks = np.zeros(len(self.query_ids), dtype=np.int64)
        # The last assignment for a query wins; in reversed order this is its first tie.
        first_ranks[codes[tied_rows[::-1]]] = rank[::-1]
        return first_ranks

    def has_same_rows(self, other: Run) -> bool:
        """Return whether two runs have the same rows in the same order."""
        return len(self) == len(other) and bool(self.table.equals(other.table))

    @property
    def plain(self) -> bool:
        """Whether all doc_ids are known to be printable ASCII without blanks. False does not mean
        that they are not."""
        return is_printable(self.doc_ids)

    def renamed(self, name: str) -> Run:
        """Return the same run with another name."""
        return replace(self, name=name)
