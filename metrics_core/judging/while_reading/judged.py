"""Join the file of a run with judgments while it is read; unjudged rows are read only once.

    pieces of whole queries ──► rows ──► ranks of the judged rows        (several pieces at a time)

The result is bitwise the same as from `formats.trec.read_trec` and `judging.join_judgments`, with
the same notes and errors. If a file needs a second pass the result is None, and these functions
are used instead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from metrics_core.base.notes import Note
from metrics_core.base.parallel import map_in_order
from metrics_core.formats.parsing.blocks import line_notes, raise_block_problems
from metrics_core.formats.parsing.checking import MAX_TEXT_BYTES
from metrics_core.formats.parsing.order_notes import contradiction_notes, fraction_notes
from metrics_core.formats.parsing.trec_lines import RUN, ParsedBlock
from metrics_core.formats.reading import recognise_format
from metrics_core.formats.registry import Kind, run_name
from metrics_core.formats.source.lines import LineRange
from metrics_core.formats.source.source import Source
from metrics_core.formats.trec import may_need_tab_splitting
from metrics_core.judging.judged import JudgedPlaces, JudgedRanks, assemble_ranks
from metrics_core.judging.while_reading.judgments import JudgmentTables
from metrics_core.judging.while_reading.rows import TextPiece, read_rows, split_by_query
from metrics_core.judging.while_reading.segments import (
    JudgedSegments,
    are_queries_contiguous,
    judge_segments,
)
from metrics_core.tables.arrays import as_column

RowKeeper = Callable[[pa.Table], Callable[[], None]]
"""A function that takes the rows of each piece; several pieces may be processed at the same time.
It returns functions, which are called in the order of the pieces."""

_NO_TABLE = pa.table({})
_MANY_SEGMENTS = 50_000
"""Number of segments from which `_judge_in_order` checks whether the rows of a query are
contiguous. The check is repeated whenever the number of segments has doubled. If the lines of a
query are not contiguous, each row may be a segment."""


@dataclass(frozen=True)
class JudgedFile:
    """A run that was joined with judgments while it was read. It has the `ranks` of the judged
    documents, the `notes` on the file and the number of rows `n_rows`. Runs with different rows
    have a different `rows_hash`."""

    ranks: JudgedRanks
    notes: tuple[Note, ...]
    n_rows: int
    rows_hash: bytes

    @property
    def name(self) -> str:
        """The unique name of the run."""
        return self.ranks.run_name

    def renamed(self, name: str) -> JudgedFile:
        """Return the same run under another name."""
        return replace(self, ranks=replace(self.ranks, run_name=name))

    def has_same_rows(self, other: JudgedFile) -> bool:
        """Return whether two files have the same rows in the same order."""
        return self.n_rows == other.n_rows and self.rows_hash == other.rows_hash


@dataclass(frozen=True)
class StoredFile:
    """A run whose rows were stored while it was read.

    It has the `name` of the run, the `notes` on its file, and `places`, the ranks of its judged
    documents. `places` is None if no query is judged."""

    name: str
    notes: tuple[Note, ...]
    places: JudgedPlaces | None


def judge_run_file(
    source: Source,
    judgments: JudgmentTables,
    *,
    progress: Callable[[int], None] | None = None,
) -> JudgedFile | None:
    """Return the judged ranks (the ranks of judged documents) of a TREC run. The run is named after
    its file.

    `progress` is called with the number of bytes read so far. Returns None if the file has another
    format, the lines of a query are not contiguous, a document occurs twice in a query, an id is
    not printable ASCII, there are several run names, or no query is judged. Raises
    FileFormatError."""
    if not _can_judge_while_reading(source, judgments, "run"):
        return None
    judged_lines = _judge_in_order(source, judgments, progress)
    places = (
        None if judged_lines is None else judged_lines.segments.judged_document_ranks(judgments)
    )
    if judged_lines is None or places is None:
        return None
    segments = judged_lines.segments
    ranks = assemble_ranks(
        run_name(source.name),
        judgments.qrels,
        places,
        unjudged_queries=sorted(
            segments.query_ids.filter(as_column(segments.place < 0)).to_pylist()
        ),
        judged_positions=segments.place,
    )
    rows_hash = segments.rows_hash.tobytes()
    return JudgedFile(
        ranks, judged_lines.notes, n_rows=int(segments.sizes.sum()), rows_hash=rows_hash
    )


def judge_and_keep_run(
    source: Source,
    judgments: JudgmentTables,
    row_keeper: RowKeeper,
    *,
    kind: Kind | None = None,
    progress: Callable[[int], None] | None = None,
) -> StoredFile | None:
    """Join a TREC run with judgments in the same way as `judge_run_file`, and pass its rows to
    `row_keeper`.

    The file is read as `kind`; if `kind` is None, the kind is detected. Returns None in the same
    cases as `judge_run_file`, except that a run without judged queries is accepted. If the result
    is None, the rows passed to `row_keeper` must be discarded. Raises FileFormatError."""
    if not _can_judge_while_reading(source, judgments, kind):
        return None
    judged_lines = _judge_in_order(source, judgments, progress, row_keeper)
    if judged_lines is None:
        return None
    return StoredFile(
        run_name(source.name),
        judged_lines.notes,
        judged_lines.segments.judged_document_ranks(judgments),
    )


def _can_judge_while_reading(source: Source, judgments: JudgmentTables, kind: Kind | None) -> bool:
    return judgments.has_plain_ids and recognise_format(source, kind) == ("trec", "run")


@dataclass(frozen=True)
class _JudgedLines:
    """The parsed lines of a file, in pieces, and the results of joining its rows with judgments."""

    pieces: Sequence[ParsedBlock]
    segments: JudgedSegments

    @property
    def notes(self) -> tuple[Note, ...]:
        """The notes from reading, in the same order as in the result of `read_trec`."""
        segments = self.segments
        notes = line_notes(self.pieces)
        if segments.fractions:
            return (*notes, *fraction_notes(segments.fractions))
        positions = np.flatnonzero(segments.contradicting)
        return (*notes, *contradiction_notes(segments.query_ids, positions))


def _judge_in_order(
    source: Source,
    judgments: JudgmentTables,
    progress: Callable[[int], None] | None,
    row_keeper: RowKeeper | None = None,
) -> _JudgedLines | None:
    """Join a run with the judgments while its lines are read in order.

    Returns None if the lines of a query are not contiguous, or if the file cannot be read in one
    pass. Raises FileFormatError."""
    parsed_pieces: list[ParsedBlock] = []
    parts: list[JudgedSegments] = []
    text, segments, check_from = 0, 0, _MANY_SEGMENTS
    for piece in map_in_order(
        lambda piece: _judge_piece(piece, source, judgments, row_keeper),
        split_by_query(source, progress),
    ):
        text += piece.text
        if piece.part is None or text > MAX_TEXT_BYTES:
            return None
        parsed_pieces.append(piece.parsed)
        parts.append(piece.part)
        if not piece.part.has_contiguous_queries:
            return None
        segments += len(piece.part.sizes)
        if segments >= check_from:
            check_from = 2 * segments
            if not are_queries_contiguous(parts):
                return None
        if piece.finish_keeping is not None:
            piece.finish_keeping()
    if may_need_tab_splitting(source, RUN, parsed_pieces):
        return None
    raise_block_problems(source, parsed_pieces)
    joined = JudgedSegments.join(parts)
    return (
        _JudgedLines(parsed_pieces, joined)
        if len(joined.tags) <= 1 and joined.has_contiguous_queries
        else None
    )


@dataclass(frozen=True)
class _JudgedPiece:
    """The parsed lines of a piece, the results of joining its rows, and a function that finishes
    storing the rows.

    `text` is the total size of the stored document ids in bytes."""

    parsed: ParsedBlock
    part: JudgedSegments | None
    finish_keeping: Callable[[], None] | None = None
    text: int = 0


def _judge_piece(
    piece: TextPiece, source: Source, judgments: JudgmentTables, row_keeper: RowKeeper | None
) -> _JudgedPiece:
    rows = read_rows(piece, source)
    n = len(rows)
    parsed = rows.parsed or ParsedBlock(_NO_TABLE, LineRange(n, n))
    stretch = replace(parsed.stretch, numbers=None)
    summary = replace(parsed, table=_NO_TABLE, stretch=stretch)
    part = judge_segments(rows, judgments)
    if row_keeper is None or part is None or not part.has_contiguous_queries or not n:
        return _JudgedPiece(summary, part)
    text = int(rows.doc_size.sum(dtype=np.int64))
    if text > MAX_TEXT_BYTES:
        return _JudgedPiece(summary, None)
    return _JudgedPiece(summary, part, row_keeper(rows.to_table()), text)
