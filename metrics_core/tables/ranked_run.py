"""Runs loaded as judged ranks. Only the ranks of judged documents and the lengths of lists are
known.

The unjudged documents between them and all scores are unknown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base import wording as w
from metrics_core.base.arrays import Floats, Int32s, Ints, Mask
from metrics_core.base.errors import RanklensError, RowProblem
from metrics_core.tables.arrays import as_array, as_column, block_starts
from metrics_core.tables.columns import (
    encode_ids,
    raise_row_problems,
    refuse_missing_ids,
    to_text_column,
)
from metrics_core.tables.repeats import find_repeated_rows
from metrics_core.tables.run import Run

ONCE = "each document and each rank once for a query"

_MAX_LENGTH = 1 << 40
"""Maximum length of a list. Sums over millions of lists of this length still fit into int64."""


def ranked_run_names(runs: Iterable[Run]) -> list[str]:
    """Return the names of the runs loaded as judged ranks (the ranks of judged documents)."""
    return [run.name for run in runs if not run.complete]


def judged_ranks_clause(names: Iterable[str]) -> str:
    """Return the beginning of a sentence. It says that only the ranks of judged documents were
    loaded for these runs."""
    return f"Only the ranks of judged documents were loaded for {w.join_words(names)}"


@dataclass(frozen=True)
class RankedRun(Run):
    """A run that contains only its judged documents, sorted by query_id and rank.

    Columns: query_id, retrieved (number of documents in the run's list for the query), judged
    (number of judged documents of the query), doc_id, rank (int64, from 1). A query with no judged
    document in its list has one row with a null doc_id. Operations that need other documents or
    scores raise RanklensError. `complete` is False."""

    @classmethod
    def from_ranks(
        cls, name: str, query_id: Any, doc_id: Any, rank: Ints, retrieved: Ints, judged: Ints
    ) -> RankedRun:
        """Build and check a run from rows in any order.

        `rank`, `retrieved` and `judged` are int64[row]. A row with a null doc_id only states the
        length of a list. Raises TableError for a missing query_id, an empty doc_id, a rank outside
        the list, lengths that differ within a query, a repeated document or rank in a query, and
        more documents than are judged."""
        query_ids, doc_ids = encode_ids(query_id), to_text_column(doc_id)
        refuse_missing_ids("query_id", query_ids)
        id_order = pc.sort_indices(query_ids.dictionary)
        positions = np.empty(len(id_order), dtype=np.int32)
        positions[as_array(id_order)] = np.arange(len(id_order))
        codes = positions[as_array(query_ids.indices)]
        has_doc_id = as_array(pc.is_valid(doc_ids))
        _check_ranks(doc_ids, rank, retrieved, judged)
        _check_lists(codes, doc_ids, has_doc_id, rank, np.stack([retrieved, judged]))
        order = np.lexsort((rank, ~has_doc_id, codes))
        is_first = np.diff(codes[order], prepend=-1) != 0
        rows = order[has_doc_id[order] | is_first]
        table = {
            "query_id": pa.DictionaryArray.from_arrays(
                as_column(codes[rows]), query_ids.dictionary.take(id_order)
            ),
            "retrieved": as_column(retrieved[rows]),
            "judged": as_column(judged[rows]),
            "doc_id": doc_ids.take(as_column(rows)).combine_chunks(),
            "rank": as_column(np.where(has_doc_id, rank, 1)[rows]),
        }
        return cls(table=pa.table(table), name=name)

    @property
    def complete(self) -> bool:
        """Always False, because only judged documents are known."""
        return False

    @property
    def given_ranks(self) -> None:
        """Always None, because not every row is a document."""
        return

    @property
    def scores(self) -> Floats:
        """Always raises RanklensError, because there are no scores."""
        raise RanklensError(
            f"{judged_ranks_clause([self.name])}, without scores and without the ids of unjudged"
            " documents.",
            "Load the run itself.",
        )

    def length(self, query_id: str) -> int:
        """Return the number of documents in the run's list for a query."""
        query_ids = self.query_ids
        if query_id not in query_ids:
            return 0
        return int(self.lengths[query_ids.index(query_id)])

    @property
    def lengths(self) -> Ints:
        """Number of documents in the run's list for each query of `query_ids`, int64[query]."""
        starts = block_starts(self.query_codes)
        return as_array(self.table["retrieved"])[starts]

    def join(self, others: list[RankedRun]) -> RankedRun | None:
        """Return this run combined with the parts in `others`. Returns None if two parts contain
        the same query."""
        parts = [self, *others]
        names = [query_id for part in parts for query_id in part.query_ids]
        if len(set(names)) < len(names):
            return None
        rows = pa.concat_tables([part.table for part in parts], promote_options="permissive")
        return RankedRun.from_ranks(
            self.name,
            rows["query_id"],
            rows["doc_id"],
            *(as_array(rows[column]) for column in ("rank", "retrieved", "judged")),
        )


def _check_ranks(doc_ids: pa.ChunkedArray, rank: Ints, retrieved: Ints, judged: Ints) -> None:
    is_empty = pc.fill_null(pc.equal(doc_ids, ""), False)
    raise_row_problems(
        "Every document needs an id.",
        np.flatnonzero(as_array(is_empty)),
        lambda row: RowProblem(row, "an empty doc_id", "an id, or null if no document is judged"),
    )
    raise_row_problems(
        "Every list needs a length, and no rank may be greater than the length.",
        np.flatnonzero((rank < 1) | (rank > retrieved) | (judged < 0) | (retrieved > _MAX_LENGTH)),
        lambda row: RowProblem(
            row,
            f"rank {rank[row]} of {retrieved[row]} retrieved, {judged[row]} judged",
            f"1 ≤ rank ≤ retrieved ≤ {_MAX_LENGTH:,}, and judged ≥ 0",
        ),
    )


def _check_lists(
    codes: Int32s,
    doc_ids: pa.ChunkedArray,
    has_doc_id: Mask,
    rank: Ints,
    counts: Ints,
) -> None:
    """Raise TableError for lists that contradict themselves.

    `codes` is int32[row], `has_doc_id` bool[row], `rank` int64[row]. `counts` is int64[2, row]: the
    numbers of retrieved and of judged documents."""
    _, first_rows = np.unique(codes, return_index=True)
    raise_row_problems(
        "All rows of a query must have the same lengths.",
        np.flatnonzero((counts != counts[:, first_rows][:, codes]).any(axis=0)),
        lambda row: RowProblem(
            row,
            f"{counts[0, row]} retrieved and {counts[1, row]} judged, but"
            " an earlier row has other numbers",
            "the same numbers in all rows of a query",
        ),
        hint="Do two runs have the same name? Were the rows created with different judgments?",
    )
    rows = np.flatnonzero(has_doc_id)
    repeated, _ = find_repeated_rows(codes[rows], doc_ids.take(as_column(rows)))
    order = rows[np.lexsort((rank[rows], codes[rows]))]
    is_same = (np.diff(codes[order]) == 0) & (np.diff(rank[order]) == 0)
    wrong_rows = np.unique(np.concatenate([rows[repeated], order[1:][is_same]]))
    raise_row_problems(
        "A list may contain each document and each rank only once.",
        wrong_rows,
        lambda row: RowProblem(row, f"{doc_ids[row].as_py()} at rank {rank[row]} again", ONCE),
        hint="Was a part loaded twice?",
    )
    listed_counts = np.bincount(codes[rows], minlength=len(first_rows))
    raise_row_problems(
        "A list cannot have more judged documents than the judgments.",
        first_rows[listed_counts > counts[1, first_rows]],
        lambda row: RowProblem(
            row,
            f"{listed_counts[codes[row]]} documents, but {counts[1, row]} judged",
            "at most as many documents as the query has judgments",
        ),
    )
