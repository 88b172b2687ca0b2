"""Grades, notes and tags as lines of JSON, which packed collections and folders of earlier layouts
hold them as: a journal for each layer and one for notes and tags, a line for each change.

Lines may come from anybody: what is no grade, note or tag is left out.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from dashboard.workspace.disk.contents import NOTHING, Contents
from dashboard.workspace.disk.database import Row, damaged_text
from dashboard.workspace.disk.decoded import check_values

Line = dict[str, Any]

NOTES, _LAYER = "notes", "layer-"
_NAME = re.compile(r"layer-[a-z0-9]{1,40}")
_HEAD = {"name": str, "begun": str, "judged": bool, "removed": bool, "place": int}
NO_CHECKSUM = -1
"""That of no row: a line that was damaged stays so."""


def is_name(text: str) -> bool:
    """Whether a text can be the name of a journal."""
    return text == NOTES or bool(_NAME.fullmatch(text))


def sealed(told: Line) -> bytes:
    """A line as it is written, with its check."""
    text = json.dumps(told, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    check = hashlib.sha256(text.encode()).hexdigest()
    return f'{{"check":"{check}","change":{text}}}\n'.encode()


def opened(content: bytes) -> Line | None:
    """What a line tells, without its end; None where it is not as it was written."""
    try:
        told = json.loads(content)["change"]
        check_values(told)
        return told if isinstance(told, dict) and sealed(told) == content + b"\n" else None
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


# From lines


def head_of(lines: Iterable[Line]) -> dict[str, Any]:
    """What lines say of their layer: name, begun, judged, removed, place."""
    told: dict[str, Any] = {}
    for line in lines:
        if "grades" not in line:
            told |= {name: v for name, v in line.items() if type(v) is _HEAD.get(name)}
    return told


def grades_in(lines: Iterable[Line]) -> Iterator[Row]:
    """The grades of lines: query_id, doc_id, grade, who gave it and when."""
    for line in lines:
        query_id, by, at = (line.get(name) for name in ("query_id", "by", "at"))
        given = line.get("grades")
        texts = all(isinstance(text, str) for text in (query_id, by, at))
        for row in given if texts and query_id and isinstance(given, list) else ():
            if isinstance(row, list | tuple) and len(row) == 2 and _is_grade(*row):
                yield query_id, *row, by, at


def _is_grade(doc_id: object, grade: object) -> bool:
    number = type(grade) in (int, float) and math.isfinite(grade)  # type: ignore[arg-type]
    return isinstance(doc_id, str) and bool(doc_id) and (grade is None or number)


def notes_in(lines: Iterable[Line]) -> Iterator[Row]:
    """The notes of lines: query_id, id, text, who wrote it and when."""
    yield from _said(lines, ("note", str), ("text", str))


def tags_in(lines: Iterable[Line]) -> Iterator[Row]:
    """The tags of lines: query_id, tag, whether it is set, by whom and when."""
    for query_id, tag, is_set, by, at in _said(lines, ("tag", str), ("on", object)):
        if tag:
            yield query_id, tag, int(is_set is True), by, at


def _said(lines: Iterable[Line], *own: tuple[str, type]) -> Iterator[Row]:
    kinds = [("query_id", str), *own, ("by", str), ("at", str)]
    for line in lines:
        values = [line.get(name) for name, _ in kinds]
        if all(isinstance(v, kind) for v, (_, kind) in zip(values, kinds, strict=True)):
            yield tuple(values)


def contents_of(journals: Mapping[str, bytes]) -> Contents:
    """Return the rows of journals by name. Lines that are not as they were written become damaged
    rows. Text after the last line end is used only if it is a whole line: it was never
    acknowledged."""
    whole: dict[str, list[Row]] = {"layers": [], "grades": [], "notes": [], "tags": []}
    damaged: dict[str, list[Row]] = {"grades": [], "notes": []}
    for name, content in journals.items():
        *parts, last = content.split(b"\n")
        told = [opened(part) for part in parts]
        lines = [line for line in [*told, opened(last)] if line is not None]
        lost = [
            part.decode(errors="backslashreplace")
            for part, line in zip(parts, told, strict=True)
            if line is None
        ]
        if name == NOTES:
            _number(whole["notes"], notes_in(lines))
            _number(whole["tags"], tags_in(lines))
            damaged["notes"] += [("", "", text, "", "", NO_CHECKSUM) for text in lost]
            continue
        layer, head = name.removeprefix(_LAYER), head_of(lines)
        called, begun = head.get("name", f"Unnamed layer {layer}"), head.get("begun", "")
        flags = (int(head.get("judged", False)), head.get("place", 0), head.get("removed", False))
        _number(whole["layers"], [(layer, called, begun, *flags[:2], int(flags[2]))])
        _number(whole["grades"], ((layer, *own) for own in grades_in(lines)))
        damaged["grades"] += [(layer, text, "", None, "", "", NO_CHECKSUM) for text in lost]
    numbered = {
        table: [(n, *row) for n, row in enumerate(rows, start=len(whole[table]) + 1)]
        for table, rows in damaged.items()
    }
    return Contents({**NOTHING.whole, **whole}, {**NOTHING.damaged, **numbered})


def _number(rows: list[Row], more: Iterable[Row]) -> None:
    rows += [(n, *row) for n, row in enumerate(more, start=len(rows) + 1)]


# To lines


def journals_of(contents: Contents) -> dict[str, bytes]:
    """Name -> journal of a collection's layers, and of its notes and tags where it has some. A row
    that is not as it was written comes along as a line that is not."""
    found = {}
    for _, layer, name, begun, judged, place, removed in contents.layers():
        head: Line = {"name": name, "begun": begun, "judged": bool(judged), "place": place}
        head |= {"removed": True} if removed else {}
        rows = [row[2:] for row in contents.whole["grades"] if row[1] == layer]
        lines = [head, *_grade_lines(rows)]
        found[f"{_LAYER}{layer}"] = _journal(lines, _lost(contents, "grades", layer))
    lines = [
        *(
            {"query_id": query_id, "note": note, "text": text, "by": by, "at": at}
            for _, query_id, note, text, by, at in contents.whole["notes"]
        ),
        *(
            {"query_id": query_id, "tag": tag, "on": bool(is_set), "by": by, "at": at}
            for _, query_id, tag, is_set, by, at in contents.whole["tags"]
        ),
    ]
    lost = [*_lost(contents, "notes"), *_lost(contents, "tags")]
    return found | ({NOTES: _journal(lines, lost)} if lines or lost else {})


def _grade_lines(rows: Sequence[Row]) -> Iterator[Line]:
    """A line for each query that was graded at once."""
    for (query_id, by, at), own in groupby(rows, lambda row: (row[0], row[3], row[4])):
        grades = [[doc_id, grade] for _, doc_id, grade, _, _ in own]
        yield {"query_id": query_id, "grades": grades, "by": by, "at": at}


def _journal(lines: Iterable[Line], lost: Iterable[str]) -> bytes:
    return b"".join([*map(sealed, lines), *(f"{text}\n".encode() for text in lost)])


def _lost(contents: Contents, table: str, layer: str = "") -> Iterator[str]:
    for row in contents.damaged[table]:
        if not layer or row[1] == layer:
            yield damaged_text(row)
