"""Runs of which only judged ranks are known: where the judged documents stand, and how many there
are. Which documents stand between them nobody knows, nor with which scores.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base import wording as w
from metrics_core.base.arrays import Floats, Ints, Mask
from metrics_core.base.errors import RanklensError, RowProblem
from metrics_core.tables.arrays import column_of, values_of
from metrics_core.tables.columns import coded, refuse, refuse_without_ids, text_column
from metrics_core.tables.repeats import repeated_rows
from metrics_core.tables.run import Run

ONCE = "each document and each rank once for a query"

_LONGEST = 1 << 40
"""No list is longer; of lists up to there, millions can be counted together."""


def nameless(runs: Iterable[Run]) -> list[str]:
    """The names of those runs that came as judged ranks: the documents that nobody judged have no
    name there."""
    return [run.name for run in runs if not run.complete]


def as_judged_ranks(names: Iterable[str]) -> str:
    """The beginning of a sentence: that these runs came as judged ranks."""
    return f"{w.listing(names)} came as judged ranks"


@dataclass(frozen=True)
class RankedRun(Run):
    """A run whose rows are its judged documents: query_id, retrieved (how many documents the run
    lists for the query), judged (how many documents are judged for it), doc_id, rank (int64, from
    1), sorted by query_id and rank. A query of which none is listed has one row, without a doc_id.

    What needs the other documents, or any score, raises RanklensError: `complete` is False.
    """

    @classmethod
    def from_ranks(
        cls, name: str, query_id: Any, doc_id: Any, rank: Ints, retrieved: Ints, judged: Ints
    ) -> RankedRun:
        """Build and check a run from rows in any order; those without a doc_id (null) only say how
        long a list is. Raises TableError for a missing query_id, an empty doc_id, a rank outside of
        the list, lengths that differ within a query, a document or a rank twice in a query, and for
        more documents than are judged."""
        query_ids, doc_ids = coded(query_id), text_column(doc_id)
        refuse_without_ids("query_id", query_ids)
        by_id = pc.sort_indices(query_ids.dictionary)
        place = np.empty(len(by_id), dtype=np.int32)
        place[values_of(by_id)] = np.arange(len(by_id))
        codes = place[values_of(query_ids.indices)]
        known = values_of(pc.is_valid(doc_ids))
        _check_ranks(doc_ids, rank, retrieved, judged)
        _check_lists(codes, doc_ids, known, rank, np.stack([retrieved, judged]))
        order = np.lexsort((rank, ~known, codes))
        first = np.diff(codes[order], prepend=-1) != 0
        rows = order[known[order] | first]
        table = {
            "query_id": pa.DictionaryArray.from_arrays(
                column_of(codes[rows]), query_ids.dictionary.take(by_id)
            ),
            "retrieved": column_of(retrieved[rows]),
            "judged": column_of(judged[rows]),
            "doc_id": doc_ids.take(column_of(rows)).combine_chunks(),
            "rank": column_of(np.where(known, rank, 1)[rows]),
        }
        return cls(table=pa.table(table), name=name)

    @property
    def complete(self) -> bool:
        """False: only judged documents are known."""
        return False

    @property
    def given_ranks(self) -> None:
        """None: not every row is a document."""
        return

    @property
    def scores(self) -> Floats:
        """There are none. Raises RanklensError."""
        raise RanklensError(
            f"{as_judged_ranks([self.name])}, without scores and without the ids of unjudged"
            " documents.",
            "Load the run itself.",
        )

    def length(self, query_id: str) -> int:
        """How many documents the run lists for a query."""
        query_ids = self.query_ids
        if query_id not in query_ids:
            return 0
        return int(self.lengths[query_ids.index(query_id)])

    @property
    def lengths(self) -> Ints:
        """How many documents the run lists for each of `query_ids`, int64[q]."""
        starts = np.flatnonzero(np.diff(self.query_codes, prepend=-1))
        return values_of(self.table["retrieved"])[starts]

    def joined(self, others: list[RankedRun]) -> RankedRun | None:
        """This run and further parts of it as one; None where two parts list the same query."""
        parts = [self, *others]
        names = [query_id for part in parts for query_id in part.query_ids]
        if len(set(names)) < len(names):
            return None
        rows = pa.concat_tables([part.table for part in parts], promote_options="permissive")
        return RankedRun.from_ranks(
            self.name,
            rows["query_id"],
            rows["doc_id"],
            *(values_of(rows[column]) for column in ("rank", "retrieved", "judged")),
        )


def _check_ranks(doc_ids: pa.ChunkedArray, rank: Ints, retrieved: Ints, judged: Ints) -> None:
    empty = pc.fill_null(pc.equal(doc_ids, ""), False)
    refuse(
        "Every document needs an id.",
        np.flatnonzero(values_of(empty)),
        lambda row: RowProblem(row, "an empty doc_id", "an id, or null if no document is judged"),
    )
    refuse(
        "Every list needs a length, and ranks no greater than that.",
        np.flatnonzero((rank < 1) | (rank > retrieved) | (judged < 0) | (retrieved > _LONGEST)),
        lambda row: RowProblem(
            row,
            f"rank {rank[row]} of {retrieved[row]} retrieved, {judged[row]} judged",
            f"a rank from 1 to retrieved, at most {_LONGEST:,}, and no negative count",
        ),
    )


def _check_lists(
    codes: npt.NDArray[np.int32],
    doc_ids: pa.ChunkedArray,
    known: Mask,
    rank: Ints,
    counts: Ints,
) -> None:
    """Refuse lists that contradict themselves; `counts` int64[2, n] are retrieved and judged."""
    _, first = np.unique(codes, return_index=True)
    refuse(
        "All rows of a query must have the same lengths.",
        np.flatnonzero((counts != counts[:, first][:, codes]).any(axis=0)),
        lambda row: RowProblem(
            row,
            f"{counts[0, row]} retrieved and {counts[1, row]} judged, unlike an earlier row",
            "the same numbers in all rows of a query",
        ),
        hint="Are there two runs of the same name, or rows made with different judgments?",
    )
    rows = np.flatnonzero(known)
    again, _ = repeated_rows(codes[rows], doc_ids.take(column_of(rows)))
    order = rows[np.lexsort((rank[rows], codes[rows]))]
    same = (np.diff(codes[order]) == 0) & (np.diff(rank[order]) == 0)
    twice = np.unique(np.concatenate([rows[again], order[1:][same]]))
    refuse(
        "A list may contain each document and each rank only once.",
        twice,
        lambda row: RowProblem(row, f"{doc_ids[row].as_py()} at rank {rank[row]} again", ONCE),
        hint="Was a part loaded twice?",
    )
    listed = np.bincount(codes[rows], minlength=len(first))
    refuse(
        "A list cannot have more judged documents than the judgments.",
        first[listed > counts[1, first]],
        lambda row: RowProblem(
            row,
            f"{listed[codes[row]]} documents for {counts[1, row]} judged",
            "at most as many documents as the query has judgments",
        ),
    )
