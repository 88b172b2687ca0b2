"""Open the files of a set, which is a folder or a zip of one."""

from __future__ import annotations

import io
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from metrics_core.base.errors import content_error
from metrics_core.formats.source.limits import MAX_FILES, Limit
from metrics_core.formats.source.unpacking import (
    PathOrBytes,
    check_unpacked,
    escapes_target_folder,
    is_zip,
    list_zip_members,
    open_zip,
    read_member,
    stored_size,
)


@dataclass(frozen=True)
class SetMembers:
    """The files of a set: their names, and a function that returns the content of the file with a
    given name."""

    names: Collection[str]
    content: Callable[[str], Path | bytes]


@contextmanager
def open_members(
    source: PathOrBytes,
    source_name: str,
    limit: Limit,
    expected: tuple[str, str],
) -> Iterator[SetMembers]:
    """Open a folder, a zip file, or the bytes of a zip file. `source_name` is its name in messages.

    The unpacked files of a zip together have the same limit as a single file. If the source is
    neither a folder nor a zip, the error says what is `expected`: a description and a hint."""
    if not isinstance(source, bytes):
        source = Path(source)
        if source.is_dir():
            paths = sorted(p for p in source.rglob("*") if p.is_file())
            files = {path.relative_to(source).as_posix(): path for path in paths}
            yield SetMembers(files.keys(), files.__getitem__)
            return
    if not is_zip(source):
        raise content_error(source_name, "neither a folder nor a zip file", *expected)
    archive = open_zip(source_name, source if isinstance(source, Path) else io.BytesIO(source))
    with archive:
        names = list_zip_members(archive)
        check_file_count(source_name, len(names))
        bad_name = next((n for n in names if escapes_target_folder(n)), None)
        if bad_name is not None:
            actual = f"the path `{bad_name}`, which points outside the archive"
            raise content_error(source_name, actual, *expected)
        max_size, total_size = limit.max_unpacked_size(stored_size(source)), 0

        def content(member: str) -> bytes:
            nonlocal total_size
            total_size += archive.getinfo(member).file_size
            check_unpacked(source_name, total_size, max_size, limit)
            return read_member(source_name, archive, member, limit)

        yield SetMembers(names, content)


def check_file_count(source_name: str, n_files: int) -> None:
    """Raise FileFormatError if a set has too many files."""
    if n_files > MAX_FILES:
        raise content_error(
            source_name,
            f"{n_files:,}",
            f"at most {MAX_FILES:,} files in a set",
            "Split the runs into several sets.",
        )
