"""A run's file judged while it is read: what is not judged is looked at once and let go.

    pieces of whole queries ──► rows ──► ranks of the judged rows        (several pieces at a time)

The meaning is that of `formats.trec.read_trec` and `judging.judge`, to the last bit, with the same
notes and errors. Where a file needs another look, the answer is None, and they decide.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from metrics_core.base.notes import Note
from metrics_core.base.parallel import in_order
from metrics_core.formats.parsing.blocks import line_notes, refuse_problems
from metrics_core.formats.parsing.checking import MOST_TEXT
from metrics_core.formats.parsing.order_notes import contradiction_notes, fraction_notes
from metrics_core.formats.parsing.trec_lines import RUN, Parsed
from metrics_core.formats.reading import recognised
from metrics_core.formats.registry import Kind, run_name
from metrics_core.formats.source.lines import Stretch
from metrics_core.formats.source.source import Source
from metrics_core.formats.trec import may_hold_blanks
from metrics_core.judging.judged import JudgedRanks, Places, assembled
from metrics_core.judging.while_reading.judgments import JudgmentTables
from metrics_core.judging.while_reading.rows import TextPiece, rows_of, whole_queries
from metrics_core.judging.while_reading.segments import (
    JudgedSegments,
    in_sequence,
    judged_segments,
)
from metrics_core.tables.arrays import column_of

Keep = Callable[[pa.Table], Callable[[], None]]
"""Is given the rows of each piece, several at a time; what it returns is called in their order."""

_NO_TABLE = pa.table({})
_MANY_SEGMENTS = 50_000
"""Where queries stand apart each row may be a segment: from so many on, and whenever they have
doubled, it is asked whether a query has come back."""


@dataclass(frozen=True)
class JudgedFile:
    """A run as it was judged while it was read: `ranks` under the run's name, `notes` on its file,
    `n_rows`, and `rows_hash`, which differs where the rows of two runs do."""

    ranks: JudgedRanks
    notes: tuple[Note, ...]
    n_rows: int
    rows_hash: bytes

    @property
    def name(self) -> str:
        """The name that tells the run apart."""
        return self.ranks.run_name

    def renamed(self, name: str) -> JudgedFile:
        """The same run under another name."""
        return replace(self, ranks=replace(self.ranks, run_name=name))

    def has_rows_of(self, other: JudgedFile) -> bool:
        """Whether two files hold the same rows in the same order."""
        return self.n_rows == other.n_rows and self.rows_hash == other.rows_hash


@dataclass(frozen=True)
class KeptFile:
    """What is known of a run whose rows were kept while it was read: its name, the notes on its
    file, and where its judged documents stand; None where no query is judged."""

    name: str
    notes: tuple[Note, ...]
    places: Places | None


def judged_run(
    source: Source,
    judgments: JudgmentTables,
    *,
    progress: Callable[[int], None] | None = None,
) -> JudgedFile | None:
    """The judged ranks of a TREC run, under the name of its file; `progress` is told the bytes read
    so far. None where the file is of another format, the lines of a query stand apart, a document
    stands twice in a query, an id is not plain ASCII, there are several run names, or no query is
    judged. Raises FileFormatError."""
    if not _can_be_read(source, judgments, "run"):
        return None
    read = _as_it_comes(source, judgments, progress)
    places = None if read is None else read.found.places(judgments)
    if read is None or places is None:
        return None
    found = read.found
    ranks = assembled(
        run_name(source.name),
        judgments.qrels,
        places,
        unjudged=sorted(found.query_ids.filter(column_of(found.place < 0)).to_pylist()),
        named=found.place,
    )
    rows_hash = found.rows_hash.tobytes()
    return JudgedFile(ranks, read.notes, n_rows=int(found.sizes.sum()), rows_hash=rows_hash)


def kept_run(
    source: Source,
    judgments: JudgmentTables,
    keep: Keep,
    *,
    kind: Kind | None = None,
    progress: Callable[[int], None] | None = None,
) -> KeptFile | None:
    """What `judged_run` finds of a TREC run, whose rows are given to `keep` on the way; the file is
    read as this kind, or as what it seems to be. None where `judged_run` says so, or the file is
    something else; then what was kept is to be dropped. Raises FileFormatError."""
    if not _can_be_read(source, judgments, kind):
        return None
    read = _as_it_comes(source, judgments, progress, keep)
    if read is None:
        return None
    return KeptFile(run_name(source.name), read.notes, read.found.places(judgments))


def _can_be_read(source: Source, judgments: JudgmentTables, kind: Kind | None) -> bool:
    return judgments.plain and recognised(source, kind) == ("trec", "run")


@dataclass(frozen=True)
class _Read:
    """What the lines of a file are, and its judged rows."""

    told: Sequence[Parsed]
    found: JudgedSegments

    @property
    def notes(self) -> tuple[Note, ...]:
        """What reading says, in the order in which `read_trec` says it."""
        found = self.found
        notes = line_notes(self.told)
        if found.fractions:
            return (*notes, *fraction_notes(found.fractions))
        against = np.flatnonzero(found.contradicting)
        return (*notes, *contradiction_notes(found.query_ids, against))


def _as_it_comes(
    source: Source,
    judgments: JudgmentTables,
    progress: Callable[[int], None] | None,
    keep: Keep | None = None,
) -> _Read | None:
    """A file in the order of its lines. None where those of a query stand apart, or they cannot be
    judged so. Raises FileFormatError."""
    told: list[Parsed] = []
    parts: list[JudgedSegments] = []
    text, segments, asked_from = 0, 0, _MANY_SEGMENTS
    for piece in in_order(
        lambda piece: _piece(piece, source, judgments, keep), whole_queries(source, progress)
    ):
        text += piece.text
        if piece.part is None or text > MOST_TEXT:
            return None
        told.append(piece.parsed)
        parts.append(piece.part)
        if not piece.part.in_sequence:
            return None
        segments += len(piece.part.sizes)
        if segments >= asked_from:
            asked_from = 2 * segments
            if not in_sequence(parts):
                return None
        if piece.kept is not None:
            piece.kept()
    if may_hold_blanks(source, RUN, told):
        return None
    refuse_problems(source, told)
    found = JudgedSegments.all(parts)
    return _Read(told, found) if len(found.tags) <= 1 and found.in_sequence else None


@dataclass(frozen=True)
class _ReadPiece:
    """What the lines of a piece are, its judged rows, and what is left to do to keep all; `text`
    are the bytes of document ids that are kept."""

    parsed: Parsed
    part: JudgedSegments | None
    kept: Callable[[], None] | None = None
    text: int = 0


def _piece(
    piece: TextPiece, source: Source, judgments: JudgmentTables, keep: Keep | None
) -> _ReadPiece:
    rows = rows_of(piece, source)
    n = len(rows)
    parsed = rows.parsed or Parsed(_NO_TABLE, Stretch(n, n))
    stretch = replace(parsed.stretch, numbers=None)
    told = replace(parsed, table=_NO_TABLE, stretch=stretch)
    part = judged_segments(rows, judgments)
    if keep is None or part is None or not part.in_sequence or not n:
        return _ReadPiece(told, part)
    text = int(rows.doc_size.sum(dtype=np.int64))
    if text > MOST_TEXT:
        return _ReadPiece(told, None)
    return _ReadPiece(told, part, keep(rows.table()), text)
