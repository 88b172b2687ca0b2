"""Reading of a zip file with some queries of a collection, as exported by the Queries page."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.workspace.disk.journal_lines import Line
from dashboard.workspace.exports.notes_and_layers import (
    LAYERS_FILE,
    NOTES_FILE,
    is_layers_file,
    is_notes_file,
    read_layers,
    read_notes,
)
from metrics_core.base.errors import FileFormatError, RanklensError
from metrics_core.formats.source.limits import DEFAULT_LIMIT, MAX_FILES
from metrics_core.formats.source.unpacking import (
    Origin,
    check_unpacked,
    is_zip,
    list_zip_members,
    open_raw,
    open_zip,
    read_member,
    stored_size,
)

ABOUT, CUT_FROM = "readme.txt", "cut from a collection by Ranklens"
"""The name of the text file in a zip of exported queries, and the words in that file which identify
the zip."""


@dataclass(frozen=True)
class NotesAndLayers:
    """Notes, tags and layers that come with files but are not tables. `notes` has the lines of the
    notes and tags, and `layers` has the lines of each layer."""

    notes: tuple[Line, ...] = ()
    layers: tuple[tuple[Line, ...], ...] = ()


@dataclass(frozen=True)
class QueryZip:
    """A zip of exported queries: its files by name, and the notes and layers in it."""

    files: dict[str, bytes]
    carried: NotesAndLayers


def is_query_zip(origin: Origin) -> bool:
    """Return whether a file is a zip of exported queries."""
    if not is_zip(origin):
        return False
    try:
        with open_raw(origin) as file, open_zip(ABOUT, file) as packed:
            if ABOUT not in list_zip_members(packed):
                return False
            return CUT_FROM.encode() in read_member(ABOUT, packed, ABOUT, DEFAULT_LIMIT)
    except FileFormatError:
        return False


def read_query_zip(origin: Origin, name: str) -> QueryZip:
    """Read a zip of exported queries. The content of the whole zip may not be larger than the limit
    for a single file. Raises RanklensError."""
    with open_raw(origin) as file, open_zip(name, file) as packed:
        members = [member for member in list_zip_members(packed) if member != ABOUT]
        if len(members) > MAX_FILES:
            raise RanklensError(f"{name} contains more than {MAX_FILES:,} files.")
        size, packed_size = sum(packed.getinfo(m).file_size for m in members), stored_size(origin)
        check_unpacked(name, size, DEFAULT_LIMIT.max_unpacked_size(packed_size), DEFAULT_LIMIT)
        files = {m: read_member(name, packed, m, DEFAULT_LIMIT) for m in members}
    carried = [read_notes_or_layers(files.pop(m)) for m in (NOTES_FILE, LAYERS_FILE) if m in files]
    return QueryZip(
        files,
        NotesAndLayers(
            tuple(line for part in carried for line in part.notes),
            tuple(lines for part in carried for lines in part.layers),
        ),
    )


def is_notes_or_layers(first_bytes: bytes) -> bool:
    """Return whether the start of a file looks like a file of notes or of layers."""
    return is_notes_file(first_bytes) or is_layers_file(first_bytes)


def read_notes_or_layers(content: bytes) -> NotesAndLayers:
    """Read a file of notes or layers. Raises RanklensError."""
    if is_layers_file(content):
        return NotesAndLayers(layers=tuple(tuple(lines) for lines in read_layers(content)))
    return NotesAndLayers(tuple(read_notes(content)))
