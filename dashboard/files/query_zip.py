"""A zip of some queries of a collection, as the Queries page gives it, taken apart again."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.workspace.disk.lines import Line
from dashboard.workspace.taken_out.carried import (
    LAYERS_FILE,
    NOTES_FILE,
    is_layers,
    is_notes,
    read_layers,
    read_notes,
)
from metrics_core.base.errors import FileFormatError, RanklensError
from metrics_core.formats.source.limits import MOST_FILES, USUAL_LIMIT
from metrics_core.formats.source.unpacking import (
    Origin,
    check_unpacked,
    is_zip,
    member_bytes,
    opened_plain,
    opened_zip,
    size_of,
    zip_members,
)

ABOUT, CUT_FROM = "readme.txt", "cut from a collection by Ranklens"
"""The text in such a zip, and the words in it that tell the zip from others."""


@dataclass(frozen=True)
class Carried:
    """What comes with files and is no table: lines of notes and tags, and those of each layer."""

    notes: tuple[Line, ...] = ()
    layers: tuple[tuple[Line, ...], ...] = ()


@dataclass(frozen=True)
class Cut:
    """Such a zip: its files by name, and what comes with them."""

    files: dict[str, bytes]
    carried: Carried


def is_cut(origin: Origin) -> bool:
    """Whether a file is such a zip."""
    if not is_zip(origin):
        return False
    try:
        with opened_plain(origin) as file, opened_zip(ABOUT, file) as packed:
            if ABOUT not in zip_members(packed):
                return False
            return CUT_FROM.encode() in member_bytes(ABOUT, packed, ABOUT, USUAL_LIMIT)
    except FileFormatError:
        return False


def opened_cut(origin: Origin, name: str) -> Cut:
    """The files of such a zip, altogether no larger than one file may be. Raises RanklensError."""
    with opened_plain(origin) as file, opened_zip(name, file) as packed:
        members = [member for member in zip_members(packed) if member != ABOUT]
        if len(members) > MOST_FILES:
            raise RanklensError(f"{name} contains more than {MOST_FILES:,} files.")
        size, most = sum(packed.getinfo(m).file_size for m in members), size_of(origin)
        check_unpacked(name, size, USUAL_LIMIT.unpacked(most), USUAL_LIMIT)
        files = {m: member_bytes(name, packed, m, USUAL_LIMIT) for m in members}
    came = [read_carried(files.pop(m)) for m in (NOTES_FILE, LAYERS_FILE) if m in files]
    return Cut(
        files,
        Carried(
            tuple(line for one in came for line in one.notes),
            tuple(lines for one in came for lines in one.layers),
        ),
    )


def is_carried(start: bytes) -> bool:
    """Whether a file that begins so comes with others and is no table."""
    return is_notes(start) or is_layers(start)


def read_carried(content: bytes) -> Carried:
    """What a file of notes or layers holds. Raises RanklensError."""
    if is_layers(content):
        return Carried(layers=tuple(tuple(lines) for lines in read_layers(content)))
    return Carried(tuple(read_notes(content)))
