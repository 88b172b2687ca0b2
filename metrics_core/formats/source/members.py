"""The files of a folder or of a zip of one, which together are one set."""

from __future__ import annotations

import io
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from metrics_core.base.errors import FileFormatError, LineProblem
from metrics_core.formats.source.limits import MOST_FILES, Limit
from metrics_core.formats.source.unpacking import (
    check_unpacked,
    is_zip,
    leads_out,
    member_bytes,
    opened_zip,
    size_of,
    zip_members,
)


@dataclass(frozen=True)
class SetMembers:
    """The files of a set: their names inside it, and how to get at one."""

    names: Collection[str]
    content: Callable[[str], Path | bytes]


@contextmanager
def members_of(
    source: str | Path | bytes, shown: str, limit: Limit, refuse: Callable[[str], FileFormatError]
) -> Iterator[SetMembers]:
    """The files of a folder, of a zip, or of its bytes, which the user knows as `shown`; a zip may
    unpack to the limit altogether. `refuse` gives the error for what was found instead."""
    if not isinstance(source, bytes):
        source = Path(source)
        if source.is_dir():
            paths = sorted(p for p in source.rglob("*") if p.is_file())
            files = {path.relative_to(source).as_posix(): path for path in paths}
            yield SetMembers(files.keys(), files.__getitem__)
            return
    if not is_zip(source):
        raise refuse("neither a folder nor a zip file")
    archive = opened_zip(shown, source if isinstance(source, Path) else io.BytesIO(source))
    with archive:
        names = zip_members(archive)
        check_count(shown, len(names))
        bad = next((n for n in names if leads_out(n)), None)
        if bad is not None:
            raise refuse(f"the path `{bad}`, which points outside the archive")
        most, taken = limit.unpacked(size_of(source)), 0

        def content(member: str) -> bytes:
            nonlocal taken
            taken += archive.getinfo(member).file_size
            check_unpacked(shown, taken, most, limit)
            return member_bytes(shown, archive, member, limit)

        yield SetMembers(names, content)


def check_count(shown: str, files: int) -> None:
    """Refuse a set of very many files."""
    if files > MOST_FILES:
        problem = LineProblem(None, f"{files:,}", f"at most {MOST_FILES:,} files in a set")
        raise FileFormatError(shown, [problem], hint="Split the runs into several sets.")
