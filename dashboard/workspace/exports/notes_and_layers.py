"""Notes, tags and layers as CSV files. They are exported for some queries of a collection, with
authors and times, and can be imported into another collection.

If a spreadsheet program would run a text as a formula, an apostrophe is put before it. The same is
done for a text that begins with an apostrophe, so that every text is the same after it is read
again."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from dashboard.workspace.disk.journal_lines import Line
from dashboard.workspace.layers import Layer
from dashboard.workspace.notes import QueryNotes
from metrics_core.base.errors import RanklensError

NOTES_FILE, LAYERS_FILE = "notes.csv", "layers.csv"
_NOTES = ("query_id", "tag", "note", "by", "when", "id")
_LAYERS = ("layer", "begun", "judged_here", "query_id", "doc_id", "grade", "by", "when")
_BOM = b"\xef\xbb\xbf"
_GUARDED = ("=", "+", "-", "@", "\t", "\r", "\n", "'")


def is_notes_file(first_bytes: bytes) -> bool:
    """Return whether a file contains notes and tags, according to its first bytes."""
    return _has_header(first_bytes, _NOTES)


def is_layers_file(first_bytes: bytes) -> bool:
    """Return whether a file contains layers, according to its first bytes. Such a file has grades
    with their graders, unlike ordinary judgments."""
    return _has_header(first_bytes, _LAYERS)


def _has_header(first_bytes: bytes, header: Sequence[str]) -> bool:
    first = first_bytes[:200].removeprefix(_BOM).partition(b"\n")[0].rstrip(b"\r")
    return first == ",".join(header).encode()


def notes_csv(notes_by_query: Mapping[str, QueryNotes], query_ids: Collection[str]) -> bytes:
    """Return the notes and tags of these queries as CSV, one per row. The result is empty if there
    are none."""
    noted_queries = [
        (query_id, notes_by_query[query_id]) for query_id in query_ids if query_id in notes_by_query
    ]
    return _write_csv(_NOTES, _note_rows(noted_queries))


def _note_rows(noted_queries: Iterable[tuple[str, QueryNotes]]) -> Iterator[Sequence[str]]:
    for query_id, query_notes in noted_queries:
        yield from ((query_id, tag.name, "", tag.author, tag.time, "") for tag in query_notes.marks)
        yield from (
            (query_id, "", note.text, note.author, note.time, note.id) for note in query_notes.notes
        )


def read_notes(content: bytes) -> list[Line]:
    """Read the notes and tags in a file, as lines of a journal. Raises RanklensError if the file is
    invalid."""
    lines: list[Line] = []
    for query_id, tag, note, author, time, identity in _read_csv(NOTES_FILE, _NOTES, content):
        common_fields = {"query_id": query_id, "by": author, "at": time}
        if query_id and note:
            lines.append({**common_fields, "note": identity, "text": note})
        elif query_id and tag:
            lines.append({**common_fields, "tag": tag, "on": True})
    return lines


def layers_csv(layers: Sequence[Layer], query_ids: Collection[str]) -> bytes:
    """Return the grades in layers for documents of these queries as CSV, one per row. The result is
    empty if there are none."""
    query_set = set(query_ids)
    return _write_csv(
        _LAYERS,
        (
            (
                v.name,
                v.begun,
                "yes" if v.judged else "no",
                *pair,
                repr(record.grade),
                record.grader,
                record.time,
            )
            for v in layers
            for pair, record in v.grade_records.items()
            if pair[0] in query_set
        ),
    )


def read_layers(content: bytes) -> list[list[Line]]:
    """Read the layers in a file, each as lines of a journal. The first line of a layer has its name
    and other facts. Raises RanklensError if the file is invalid."""
    layers: dict[tuple[str, ...], list[Line]] = {}
    for name, begun, judged, query_id, doc_id, written, grader, time in _read_csv(
        LAYERS_FILE, _LAYERS, content
    ):
        head: Line = {"name": name, "begun": begun, "judged": judged == "yes"}
        grade = _parse_grade(written)
        if grade is not None and query_id and doc_id:
            lines = layers.setdefault((name, begun, judged), [head])
            lines.append(
                {"query_id": query_id, "grades": [[doc_id, grade]], "by": grader, "at": time}
            )
    return list(layers.values())


def _parse_grade(text: str) -> float | None:
    try:
        grade = float(text)
    except ValueError:
        return None
    return grade if math.isfinite(grade) else None


def _write_csv(header: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    guarded_rows = [
        [f"'{text}" if text.startswith(_GUARDED) else text for text in row] for row in rows
    ]
    if not guarded_rows:
        return b""
    out = io.StringIO(newline="")
    csv.writer(out).writerows([header, *guarded_rows])
    return out.getvalue().encode("utf-8-sig")


def _read_csv(file: str, header: Sequence[str], content: bytes) -> list[list[str]]:
    try:
        rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise RanklensError(f"{file} cannot be read: {error}.") from error
    if not rows or tuple(rows[0]) != tuple(header) or any(len(row) != len(header) for row in rows):
        raise RanklensError(f"{file} has the wrong columns; expected {', '.join(header)}.")
    return [[text.removeprefix("'") for text in row] for row in rows[1:]]
