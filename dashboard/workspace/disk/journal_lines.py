"""Grades, notes and tags as lines of JSON. This is the form in packed collections and in folders
with the layout of an earlier version.

There is one journal for each layer and one for notes and tags, with one line for each change. Lines
may come from anybody, so invalid ones are skipped."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from dashboard.workspace.disk.contents import NO_CONTENTS, Contents
from dashboard.workspace.disk.database import Row, format_damaged_row
from dashboard.workspace.disk.json_values import add_checksum, check_values, read_checked_line

Line = dict[str, Any]

NOTES, _LAYER = "notes", "layer-"
_NAME = re.compile(r"layer-[a-z0-9]{1,40}")
_HEAD = {"name": str, "begun": str, "judged": bool, "removed": bool, "place": int}
NO_CHECKSUM = -1
"""A checksum that does not match any row. A damaged line gets it, so that the line is still
recognised as damaged."""


def is_journal_name(text: str) -> bool:
    """Return whether a string is a valid name of a journal."""
    return text == NOTES or bool(_NAME.fullmatch(text))


def line_with_checksum(change: Line) -> bytes:
    """Return the bytes of a line with its checksum."""
    return add_checksum("change", change)


def read_line(content: bytes) -> Line | None:
    """Parse a line, given without its line end. Returns None if the line is damaged."""
    try:
        change = read_checked_line("change", content + b"\n")
        check_values(change)
    except ValueError:
        return None
    return change if isinstance(change, dict) else None


# From lines


def read_layer_facts(lines: Iterable[Line]) -> dict[str, Any]:
    """Return the facts about a layer that its lines contain: name, begun, judged, removed,
    place."""
    head: dict[str, Any] = {}
    for line in lines:
        if "grades" not in line:
            head |= {name: v for name, v in line.items() if type(v) is _HEAD.get(name)}
    return head


def read_grades(lines: Iterable[Line]) -> Iterator[Row]:
    """Yield the grades in the lines: query_id, doc_id, grade, grader and time."""
    for line in lines:
        query_id, grader, time = (line.get(name) for name in ("query_id", "by", "at"))
        grades = line.get("grades")
        texts = all(isinstance(text, str) for text in (query_id, grader, time))
        for row in grades if texts and query_id and isinstance(grades, list) else ():
            if isinstance(row, list | tuple) and len(row) == 2 and _is_grade(*row):
                yield query_id, *row, grader, time


def _is_grade(doc_id: object, grade: object) -> bool:
    number = type(grade) in (int, float) and math.isfinite(grade)  # type: ignore[arg-type]
    return isinstance(doc_id, str) and bool(doc_id) and (grade is None or number)


def read_notes(lines: Iterable[Line]) -> Iterator[Row]:
    """Yield the notes in the lines: query_id, id, text, author and time."""
    yield from _read_texts(lines, ("note", str), ("text", str))


def read_tags(lines: Iterable[Line]) -> Iterator[Row]:
    """Yield the tags in the lines: query_id, tag, whether it is set, author and time."""
    for query_id, tag, is_set, author, time in _read_texts(lines, ("tag", str), ("on", object)):
        if tag:
            yield query_id, tag, int(is_set is True), author, time


def _read_texts(lines: Iterable[Line], *text_fields: tuple[str, type]) -> Iterator[Row]:
    kinds = [("query_id", str), *text_fields, ("by", str), ("at", str)]
    for line in lines:
        values = [line.get(name) for name, _ in kinds]
        if all(isinstance(v, kind) for v, (_, kind) in zip(values, kinds, strict=True)):
            yield tuple(values)


def parse_journals(journals: Mapping[str, bytes]) -> Contents:
    """Return the rows in these journals. `journals` maps the name of each journal to its bytes.

    Damaged lines become damaged rows. Text after the last line end is used only if it is a valid
    line, because an incomplete line belongs to a change that was never confirmed."""
    intact: dict[str, list[Row]] = {"layers": [], "grades": [], "notes": [], "tags": []}
    damaged: dict[str, list[Row]] = {"grades": [], "notes": []}
    for name, content in journals.items():
        *parts, last = content.split(b"\n")
        parsed_lines = [read_line(part) for part in parts]
        lines = [line for line in [*parsed_lines, read_line(last)] if line is not None]
        damaged_texts = [
            part.decode(errors="backslashreplace")
            for part, line in zip(parts, parsed_lines, strict=True)
            if line is None
        ]
        if name == NOTES:
            _append_numbered_rows(intact["notes"], read_notes(lines))
            _append_numbered_rows(intact["tags"], read_tags(lines))
            damaged["notes"] += [("", "", text, "", "", NO_CHECKSUM) for text in damaged_texts]
            continue
        layer, head = name.removeprefix(_LAYER), read_layer_facts(lines)
        layer_name, begun = head.get("name", f"Unnamed layer {layer}"), head.get("begun", "")
        flags = (int(head.get("judged", False)), head.get("place", 0), head.get("removed", False))
        _append_numbered_rows(
            intact["layers"], [(layer, layer_name, begun, *flags[:2], int(flags[2]))]
        )
        _append_numbered_rows(
            intact["grades"], ((layer, *grade_row) for grade_row in read_grades(lines))
        )
        damaged["grades"] += [
            (layer, text, "", None, "", "", NO_CHECKSUM) for text in damaged_texts
        ]
    numbered = {
        table: [(n, *row) for n, row in enumerate(rows, start=len(intact[table]) + 1)]
        for table, rows in damaged.items()
    }
    return Contents({**NO_CONTENTS.intact, **intact}, {**NO_CONTENTS.damaged, **numbered})


def _append_numbered_rows(rows: list[Row], new_rows: Iterable[Row]) -> None:
    rows += [(n, *row) for n, row in enumerate(new_rows, start=len(rows) + 1)]


# To lines


def write_journals(contents: Contents) -> dict[str, bytes]:
    """Convert the contents of a collection to journals, and return the journals by name: one for
    each layer, and one for notes and tags if there are any.

    A damaged row becomes a damaged line."""
    journals = {}
    for _, layer, name, begun, judged, position, removed in contents.layers():
        head: Line = {"name": name, "begun": begun, "judged": bool(judged), "place": position}
        head |= {"removed": True} if removed else {}
        rows = [row[2:] for row in contents.intact["grades"] if row[1] == layer]
        lines = [head, *_grade_lines(rows)]
        journals[f"{_LAYER}{layer}"] = _join_lines(
            lines, _damaged_row_texts(contents, "grades", layer)
        )
    lines = [
        *(
            {"query_id": query_id, "note": note, "text": text, "by": author, "at": time}
            for _, query_id, note, text, author, time in contents.intact["notes"]
        ),
        *(
            {"query_id": query_id, "tag": tag, "on": bool(is_set), "by": author, "at": time}
            for _, query_id, tag, is_set, author, time in contents.intact["tags"]
        ),
    ]
    damaged_texts = [*_damaged_row_texts(contents, "notes"), *_damaged_row_texts(contents, "tags")]
    return journals | ({NOTES: _join_lines(lines, damaged_texts)} if lines or damaged_texts else {})


def _grade_lines(rows: Sequence[Row]) -> Iterator[Line]:
    """Yield one line for each group of consecutive rows that have the same query, grader and
    time."""
    for (query_id, grader, time), group_rows in groupby(rows, lambda row: (row[0], row[3], row[4])):
        grades = [[doc_id, grade] for _, doc_id, grade, _, _ in group_rows]
        yield {"query_id": query_id, "grades": grades, "by": grader, "at": time}


def _join_lines(lines: Iterable[Line], damaged_texts: Iterable[str]) -> bytes:
    return b"".join(
        [*map(line_with_checksum, lines), *(f"{text}\n".encode() for text in damaged_texts)]
    )


def _damaged_row_texts(contents: Contents, table: str, layer_id: str = "") -> Iterator[str]:
    for row in contents.damaged[table]:
        if not layer_id or row[1] == layer_id:
            yield format_damaged_row(row)
