"""A run's file judged while it is read: what is not judged is looked at once and let go.

    pieces of whole queries ──► rows ──► ranks of the judged rows        (several pieces at a time)

The meaning is that of `formats.trec.read_trec` and `judging.judge`, to the last bit, with the same
notes and errors. Where a file needs another look, the answer is None, and they decide.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from metrics_core.formats.blocks import line_notes, refuse_problems
from metrics_core.formats.lines import Stretch
from metrics_core.formats.ranks import contradiction_notes, fraction_notes
from metrics_core.formats.reading import recognised
from metrics_core.formats.registry import run_name
from metrics_core.formats.source import Source
from metrics_core.formats.trec import tag_notes
from metrics_core.formats.trec_lines import Parsed
from metrics_core.judging.judged import Places, assembled
from metrics_core.judging.ranking import tie_notes
from metrics_core.notes import Note
from metrics_core.onepass.apart import Bucket, buckets_for, dealt
from metrics_core.onepass.judged_file import JudgedFile
from metrics_core.onepass.judgments import Judgments
from metrics_core.onepass.machine import compiled
from metrics_core.onepass.rows import Piece, Rows, rows_of, texts_at, whole_queries
from metrics_core.onepass.signatures import (
    NEAR_PAIRS,
    PAIRS,
    REPEATED,
    ROOM,
    TIED_PAIRS,
    TIED_ROWS,
)
from metrics_core.parallel import in_order
from metrics_core.tables.arrays import column_of

Ints = npt.NDArray[np.int64]

_NO_TABLE = pa.table({})
_USUAL_MEMORY = 400 << 20
_BUCKETS_IN_MEMORY, _SMALLEST_BUCKET = 50, 1 << 20
"""Several buckets are judged at once, and their rows take some five times their bytes."""
_HELD = 32 << 20
"""Bytes of a file whose queries stand apart that are sorted in memory."""


@dataclass(frozen=True)
class _Judged:
    """What is kept of s stretches of rows, each of one query: its id, its place among the judged
    queries (-1: none), how many rows, a hash of them, whether its ranks contradict its scores.
    `ranks` int64[m, 5] and `counts` are what `rank_rows` gives, `fractions` how many ranks are no
    whole number, `tags` the run names."""

    query_ids: pa.StringArray
    place: Ints
    sizes: Ints
    rows_hash: npt.NDArray[np.uint64]
    contradicting: npt.NDArray[np.bool_]
    ranks: Ints
    counts: Ints
    fractions: int
    tags: tuple[str, ...]

    @property
    def in_sequence(self) -> bool:
        """Whether each query's rows stand together."""
        return len(self.query_ids.unique()) == len(self.query_ids)

    @classmethod
    def all(cls, parts: Sequence[_Judged], order: Ints | None = None) -> _Judged:
        """The stretches of all parts, in another order if one is given."""
        ids = pa.concat_arrays([part.query_ids for part in parts])
        columns = ("place", "sizes", "rows_hash", "contradicting")
        joined = {name: np.concatenate([getattr(p, name) for p in parts]) for name in columns}
        if order is not None:
            ids = ids.take(column_of(order))
            joined = {name: column[order] for name, column in joined.items()}
        return cls(
            query_ids=ids,
            ranks=np.concatenate([part.ranks for part in parts]),
            counts=np.sum([part.counts for part in parts], axis=0),
            fractions=sum(part.fractions for part in parts),
            tags=tuple(dict.fromkeys(tag for part in parts for tag in part.tags)),
            **joined,
        )


def judged_run(
    source: Source,
    judgments: Judgments,
    *,
    memory: int = _USUAL_MEMORY,
    progress: Callable[[int], None] | None = None,
) -> JudgedFile | None:
    """The judged ranks of a TREC run, under the name of its file, in about so many bytes of memory
    beside those that its judged rows take; `progress` is told the bytes read so far. None where the
    file is of another format, a document stands twice in a query, an id is not plain ASCII, no
    query is judged, or queries stand apart among lines that are not regular. Raises
    FileFormatError."""
    if not judgments.plain or recognised(source, "run") != "trec":
        return None
    told: list[Parsed] = []
    parts: list[_Judged] = []
    for parsed, part in in_order(
        lambda piece: _piece(piece, source, judgments), whole_queries(source, progress)
    ):
        if part is None:
            return None
        told.append(parsed)
        parts.append(part)
        if not part.in_sequence:
            return _apart(source, judgments, memory)
    refuse_problems(source, told)
    found = _Judged.all(parts)
    if not found.in_sequence:
        return _apart(source, judgments, memory)
    return _file(source, judgments, found, told)


def _piece(piece: Piece, source: Source, judgments: Judgments) -> tuple[Parsed, _Judged | None]:
    """What the lines of a piece are, and its judged rows."""
    rows = rows_of(piece, source)
    n = len(rows)
    parsed = rows.parsed or Parsed(_NO_TABLE, Stretch(n, n))
    stretch = replace(parsed.stretch, numbers=None)
    told = replace(parsed, table=_NO_TABLE, stretch=stretch)
    return told, _judged(rows, judgments)


def _judged(rows: Rows, judgments: Judgments) -> _Judged | None:
    """The judged rows; None where a document stands twice in a query, or an id is odd."""
    if not rows.plain:
        return None
    n, segments = len(rows), rows.segments
    place, ranks = np.empty(len(segments), np.int64), np.empty((n, 5), np.int64)
    contradicting, rows_hash = np.empty(len(segments), np.bool_), np.empty(len(segments), np.uint64)
    counts = np.zeros(4, np.int64)
    sizes = np.diff(segments[:, 0], append=n)
    longest = int(sizes.max(initial=0)) + 1
    m = compiled().rank_rows(
        *(rows.data, rows.doc_start, rows.doc_size, rows.doc_hash, rows.score, rows.rank),
        *(segments, n, *judgments.given),
        *(np.empty((ROOM, longest), np.int64), np.empty(longest), np.empty(longest)),
        *(np.empty(4 * longest, np.int32), place, contradicting, rows_hash, ranks, counts),
    )
    if m == REPEATED:
        return None
    return _Judged(
        query_ids=texts_at(rows.data, segments[:, 1], segments[:, 2]),
        place=place,
        sizes=sizes,
        rows_hash=rows_hash,
        contradicting=contradicting,
        ranks=ranks[:m].copy(),
        counts=counts,
        tags=rows.tags,
        fractions=0 if rows.parsed is None else int((rows.rank != np.floor(rows.rank)).sum()),
    )


def _apart(source: Source, judgments: Judgments, memory: int) -> JudgedFile | None:
    """The judged ranks of a file whose queries stand apart. None where a line is not regular, or
    they have several run names."""
    most = max(memory // _BUCKETS_IN_MEMORY, _SMALLEST_BUCKET)
    made = dealt(source, buckets=buckets_for(source.size(), most), on_disk=source.size() > _HELD)
    if made is None:
        return None
    parts, numbers = [], []
    for part in in_order(lambda bucket: _bucket(bucket, judgments), _emptied(made.buckets)):
        if part is None:
            return None
        parts.append(part[0])
        numbers.append(part[1])
    found = _Judged.all(parts, np.argsort(np.concatenate(numbers)))
    if len(found.tags) > 1:
        return None
    n = int(found.sizes.sum())
    return _file(source, judgments, found, [Parsed(_NO_TABLE, Stretch(n, n))], made.order_hash)


def _emptied(buckets: list[Bucket]) -> Iterable[Bucket]:
    """The buckets one after the other, none of them kept."""
    while buckets:
        yield buckets.pop()


def _bucket(bucket: Bucket, judgments: Judgments) -> tuple[_Judged, Ints] | None:
    grouped = bucket.rows()
    if grouped is None:
        return None
    rows, numbers = grouped
    part = _judged(rows, judgments)
    return None if part is None else (part, numbers)


def _file(
    source: Source,
    judgments: Judgments,
    found: _Judged,
    told: Sequence[Parsed],
    order_hash: bytes = b"",
) -> JudgedFile | None:
    """All stretches together, sorted by query and rank; None where no query is judged."""
    retrieved = np.zeros(len(judgments.queries.start), dtype=np.int64)
    known = found.place >= 0
    if not known.any():
        return None
    retrieved[found.place[known]] = found.sizes[known]
    query, row, rank, tied_from, tied = found.ranks.T
    order = np.lexsort((rank, query))
    n_rows = int(found.sizes.sum())
    on_ties = tie_notes(
        in_ties=int(found.counts[TIED_ROWS]),
        n_rows=n_rows,
        all_tied=bool(found.counts[TIED_PAIRS] == found.counts[PAIRS]),
        near=int(found.counts[NEAR_PAIRS]),
    )
    ranks = assembled(
        run_name(source.name),
        judgments.qrels,
        Places(query[order], rank[order], row[order], retrieved, on_ties),
        unjudged=sorted(found.query_ids.filter(column_of(~known)).to_pylist()),
        named=found.place,
    )
    return JudgedFile(
        ranks,
        tuple(_file_notes(told, found)),
        n_rows=n_rows,
        rows_hash=order_hash + found.rows_hash.tobytes(),
        tied_from=tied_from[order],
        tied=tied[order],
    )


def _file_notes(told: Sequence[Parsed], found: _Judged) -> list[Note]:
    """What reading says, in the order in which `read_trec` says it."""
    notes = [*line_notes(told), *tag_notes(found.tags)]
    if found.fractions:
        return [*notes, *fraction_notes(found.fractions)]
    return [*notes, *contradiction_notes(found.query_ids, np.flatnonzero(found.contradicting))]
