"""The result of joining rows with judgments: a few numbers per query, and the ranks of the judged
documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from metrics_core.base.arrays import Hashes, Ints, Mask
from metrics_core.base.compiled.machine import compiled_functions
from metrics_core.base.compiled.signatures import (
    MEMORY_ROWS,
    NEAR_PAIRS,
    PAIRS,
    REPEATED,
    TIED_PAIRS,
    TIED_ROWS,
    RankedSegments,
    WorkingMemory,
)
from metrics_core.formats.parsing.checking import MAX_ID_BYTES
from metrics_core.judging.judged import JudgedPlaces, TiedRanks
from metrics_core.judging.ranking import tie_notes
from metrics_core.judging.while_reading.judgments import JudgmentTables
from metrics_core.judging.while_reading.rows import RunRows, copy_texts
from metrics_core.tables.columns import ID


@dataclass(frozen=True)
class JudgedSegments:
    """Judged rows in segments; all rows of a segment belong to one query.

    query_ids      query id of each segment
    place          int64[segment], index of the query among the judged queries, -1 if not judged
    sizes          int64[segment], number of rows
    rows_hash      uint64[segment], hash of the rows
    contradicting  bool[segment], whether the ranks contradict the scores
    ranks, counts  output of `rank_rows`. Columns of `ranks` int64[judged row, 5]: query, row of the
                   judgments, rank, first rank with the same score, number of rows with this score
    fractions      number of ranks that are not whole numbers
    tags           run names"""

    query_ids: pa.StringArray
    place: Ints
    sizes: Ints
    rows_hash: Hashes
    contradicting: Mask
    ranks: Ints
    counts: Ints
    fractions: int
    tags: tuple[str, ...]

    @property
    def has_contiguous_queries(self) -> bool:
        """Whether the rows of each query are contiguous."""
        return are_queries_contiguous([self])

    @property
    def rank_order(self) -> Ints:
        """Indexes that sort `ranks` by query and rank, int64[judged row]."""
        return np.lexsort((self.ranks[:, 2], self.ranks[:, 0]))

    def judged_document_ranks(self, judgments: JudgmentTables) -> JudgedPlaces | None:
        """Return the ranks of the judged documents; None if no query is judged."""
        is_judged = self.place >= 0
        if not is_judged.any():
            return None
        retrieved = np.zeros(len(judgments.queries.start), dtype=np.int64)
        retrieved[self.place[is_judged]] = self.sizes[is_judged]
        query, row, rank, tied_from, tied = self.ranks[self.rank_order].T
        notes = tie_notes(
            n_tied=int(self.counts[TIED_ROWS]),
            n_rows=int(self.sizes.sum()),
            all_tied=bool(self.counts[TIED_PAIRS] == self.counts[PAIRS]),
            n_near=int(self.counts[NEAR_PAIRS]),
        )
        return JudgedPlaces(query, rank, row, retrieved, TiedRanks(tied_from, tied), notes)

    @classmethod
    def join(cls, parts: Sequence[JudgedSegments]) -> JudgedSegments:
        """Return the segments of all parts, concatenated."""
        columns = ("place", "sizes", "rows_hash", "contradicting")
        joined = {name: np.concatenate([getattr(p, name) for p in parts]) for name in columns}
        return cls(
            query_ids=pa.concat_arrays([part.query_ids for part in parts]),
            ranks=np.concatenate([part.ranks for part in parts]),
            counts=np.sum([part.counts for part in parts], axis=0),
            fractions=sum(part.fractions for part in parts),
            tags=tuple(dict.fromkeys(tag for part in parts for tag in part.tags)),
            **joined,
        )


def are_queries_contiguous(parts: Sequence[JudgedSegments]) -> bool:
    """Return whether the rows of each query are contiguous over all these parts."""
    ids = pa.chunked_array([part.query_ids for part in parts], ID)
    return len(ids.unique()) == len(ids)


def judge_segments(rows: RunRows, judgments: JudgmentTables) -> JudgedSegments | None:
    """Return the segments that result from joining the rows with judgments. Returns None if a
    document occurs twice in a query, or if an id is too long or not printable ASCII."""
    if not rows.has_plain_ids or rows.doc_size.max(initial=0) > MAX_ID_BYTES:
        return None
    n, segments = len(rows), rows.segments
    ranked = RankedSegments(
        place=np.empty(len(segments), np.int64),
        contradicting=np.empty(len(segments), np.bool_),
        rows_hash=np.empty(len(segments), np.uint64),
        judged=np.empty((n, 5), np.int64),
        counts=np.zeros(4, np.int64),
    )
    sizes = np.diff(segments[:, 0], append=n)
    longest = int(sizes.max(initial=0)) + 1
    workspace = WorkingMemory(
        numbers=np.empty((MEMORY_ROWS, longest), np.int64),
        keys=np.empty(longest),
        more_keys=np.empty(longest),
        slots=np.empty(4 * longest, np.int32),
    )
    m = compiled_functions("rows").rank_rows(
        rows.columns, segments, judgments.queries, judgments.documents, workspace, ranked
    )
    if m == REPEATED:
        return None
    return JudgedSegments(
        query_ids=copy_texts(rows.data, segments[:, 1], segments[:, 2]),
        place=ranked.place,
        sizes=sizes,
        rows_hash=ranked.rows_hash,
        contradicting=ranked.contradicting,
        ranks=ranked.judged[:m].copy(),
        counts=ranked.counts,
        tags=rows.tags,
        fractions=0 if rows.parsed is None else int((rows.rank != np.floor(rows.rank)).sum()),
    )
