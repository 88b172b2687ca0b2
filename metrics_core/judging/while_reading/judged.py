"""A run's file judged while it is read: what is not judged is looked at once and let go.

    pieces of whole queries ──► rows ──► ranks of the judged rows        (several pieces at a time)

The meaning is that of `formats.trec.read_trec` and `judging.judge`, to the last bit, with the same
notes and errors. Where a file needs another look, the answer is None, and they decide.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from metrics_core.base.notes import Note
from metrics_core.base.parallel import in_order
from metrics_core.formats.parsing.blocks import line_notes, refuse_problems
from metrics_core.formats.parsing.checking import MOST_TEXT
from metrics_core.formats.parsing.rank_notes import contradiction_notes, fraction_notes
from metrics_core.formats.parsing.trec_lines import Parsed
from metrics_core.formats.reading import recognised
from metrics_core.formats.registry import Kind, run_name
from metrics_core.formats.source.lines import Stretch
from metrics_core.formats.source.source import Source
from metrics_core.formats.trec import tag_notes
from metrics_core.judging.judged import assembled
from metrics_core.judging.while_reading.apart import dealing
from metrics_core.judging.while_reading.judged_file import JudgedFile, KeptFile
from metrics_core.judging.while_reading.judgments import Judgments
from metrics_core.judging.while_reading.rows import Piece, rows_of, whole_queries
from metrics_core.judging.while_reading.stretches import Stretches, in_sequence, judged_stretches
from metrics_core.judging.while_reading.together import brought_together
from metrics_core.tables.arrays import column_of

Ints = npt.NDArray[np.int64]

Keep = Callable[[pa.Table], Callable[[], None]]
"""Is given the rows of each piece, several at a time; what it returns is called in their order."""

_NO_TABLE = pa.table({})
_MANY_STRETCHES = 50_000
"""Where queries stand apart each row may be a stretch: from so many on, and whenever they have
doubled, it is asked whether a query has come back."""
_USUAL_MEMORY = 400 << 20


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
    if not judgments.plain or recognised(source, "run") != ("trec", "run"):
        return None
    read = _read(source, judgments, progress)
    if read is None:
        return None
    told, found = read
    if found.in_sequence:
        return _file(source, judgments, found, told)
    # What is known of them goes before they are sorted: each row may have been a stretch.
    del read, told, found
    return _apart(source, judgments, memory, progress)


def kept_run(
    source: Source,
    judgments: Judgments,
    keep: Keep,
    *,
    kind: Kind | None = None,
    progress: Callable[[int], None] | None = None,
) -> KeptFile | None:
    """What `judged_run` finds of a TREC run, whose rows are given to `keep` on the way; the file is
    read as this kind, or as what it seems to be. None where `judged_run` would need more than one
    look, or the file is something else; then what was kept is to be dropped. Raises
    FileFormatError."""
    if not judgments.plain or recognised(source, kind) != ("trec", "run"):
        return None
    read = _read(source, judgments, progress, keep)
    if read is None:
        return None
    told, found = read
    if not found.in_sequence:
        return None
    notes = tuple(_file_notes(told, found))
    return KeptFile(run_name(source.name), notes, found.places(judgments))


def kept_apart(
    source: Source,
    judgments: Judgments,
    keep: Keep,
    *,
    kind: Kind | None = None,
    progress: Callable[[int], None] | None = None,
) -> KeptFile | None:
    """What `kept_run` finds, of a file whose queries stand apart: its lines are sorted on disk
    first, and `keep` is given the rows of each query together, in the order in which the queries
    come first. None as `judged_run`. Raises FileFormatError."""
    if not judgments.plain or recognised(source, kind) != ("trec", "run"):
        return None
    memory = dealing(source.size(), _USUAL_MEMORY)
    brought = brought_together(source, judgments, memory, with_rows=True, progress=progress)
    if brought is None:
        return None
    found = brought.found
    for kept in in_order(keep, brought.tables()):
        kept()
    notes = tuple(_file_notes(_all_regular(found), found))
    return KeptFile(run_name(source.name), notes, found.places(judgments))


def _read(
    source: Source,
    judgments: Judgments,
    progress: Callable[[int], None] | None,
    keep: Keep | None = None,
) -> tuple[list[Parsed], Stretches] | None:
    """What the lines of a file are, and its judged rows, up to where it is seen that those of a
    query stand apart. None where they cannot be judged so. Raises FileFormatError."""
    told: list[Parsed] = []
    parts: list[Stretches] = []
    text, stretches, asked_from = 0, 0, _MANY_STRETCHES
    for piece in in_order(
        lambda piece: _piece(piece, source, judgments, keep), whole_queries(source, progress)
    ):
        text += piece.text
        if piece.part is None or text > MOST_TEXT:
            return None
        told.append(piece.parsed)
        parts.append(piece.part)
        if not piece.part.in_sequence:
            break
        stretches += len(piece.part.sizes)
        if stretches >= asked_from:
            asked_from = 2 * stretches
            if not in_sequence(parts):
                break
        if piece.kept is not None:
            piece.kept()
    else:
        refuse_problems(source, told)
    return told, Stretches.all(parts)


@dataclass(frozen=True)
class _ReadPiece:
    """What the lines of a piece are, its judged rows, and what is left to do to keep all; `text`
    are the bytes of document ids that are kept."""

    parsed: Parsed
    part: Stretches | None
    kept: Callable[[], None] | None = None
    text: int = 0


def _piece(piece: Piece, source: Source, judgments: Judgments, keep: Keep | None) -> _ReadPiece:
    rows = rows_of(piece, source)
    n = len(rows)
    parsed = rows.parsed or Parsed(_NO_TABLE, Stretch(n, n))
    stretch = replace(parsed.stretch, numbers=None)
    told = replace(parsed, table=_NO_TABLE, stretch=stretch)
    part = judged_stretches(rows, judgments)
    if keep is None or part is None or not part.in_sequence or not n:
        return _ReadPiece(told, part)
    text = int(rows.doc_size.sum(dtype=np.int64))
    if text > MOST_TEXT:
        return _ReadPiece(told, None)
    return _ReadPiece(told, part, keep(rows.table()), text)


def _apart(
    source: Source,
    judgments: Judgments,
    memory: int,
    progress: Callable[[int], None] | None,
) -> JudgedFile | None:
    """The judged ranks of a file whose queries stand apart. None where a line is not regular, or
    they have several run names."""
    brought = brought_together(source, judgments, dealing(source.size(), memory), progress=progress)
    if brought is None:
        return None
    found = brought.found
    return _file(source, judgments, found, _all_regular(found), brought.order_hash)


def _all_regular(found: Stretches) -> list[Parsed]:
    """What lines are that were brought together."""
    n = int(found.sizes.sum())
    return [Parsed(_NO_TABLE, Stretch(n, n))]


def _file(
    source: Source,
    judgments: Judgments,
    found: Stretches,
    told: Sequence[Parsed],
    order_hash: bytes = b"",
) -> JudgedFile | None:
    """All stretches together, sorted by query and rank; None where no query is judged."""
    places = found.places(judgments)
    if places is None:
        return None
    ranks = assembled(
        run_name(source.name),
        judgments.qrels,
        places,
        unjudged=sorted(found.query_ids.filter(column_of(found.place < 0)).to_pylist()),
        named=found.place,
    )
    return JudgedFile(
        ranks,
        tuple(_file_notes(told, found)),
        n_rows=int(found.sizes.sum()),
        rows_hash=order_hash + found.rows_hash.tobytes(),
    )


def _file_notes(told: Sequence[Parsed], found: Stretches) -> list[Note]:
    """What reading says, in the order in which `read_trec` says it."""
    notes = [*line_notes(told), *tag_notes(found.tags)]
    if found.fractions:
        return [*notes, *fraction_notes(found.fractions)]
    return [*notes, *contradiction_notes(found.query_ids, np.flatnonzero(found.contradicting))]
