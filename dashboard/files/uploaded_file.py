"""A file that a reader gave: in memory, a long one on the disk; what it is, and its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from dashboard.files.long_runs import SMALLEST
from dashboard.files.query_zip import is_carried, is_cut
from dashboard.files.remembered import Answers, choices_before, read_as_before
from dashboard.workspace.disk.scratch import ScratchFile
from dashboard.workspace.taken_out import in_page
from dashboard.workspace.taken_out.packing import is_packed
from metrics_core import formats
from metrics_core.base.errors import RanklensError
from metrics_core.checks.stored_scores import with_stored_compared
from metrics_core.formats import Loaded
from metrics_core.formats.parsing.ranks_parts import is_beside_parts
from metrics_core.formats.source.unpacking import Origin, opened_plain
from metrics_core.tables import Qrels

_START = 512
_NO_ANSWERS: Answers = MappingProxyType({})

Way = Literal["packed", "cut", "carried over", "long", "plain"]
"""A packed collection, or a report that carries one; a zip of some queries; notes or layers that
were taken out; a table so long that it may hold a run which stays on the disk; any other table."""


@dataclass(frozen=True)
class UploadedFile:
    """A file, and what the reader calls it. What is on the disk is there as long as somebody holds
    this."""

    name: str
    content: bytes | ScratchFile

    @property
    def origin(self) -> Origin:
        """Its bytes, or where they are."""
        return self.content if isinstance(self.content, bytes) else self.content.path

    def __len__(self) -> int:
        return len(self.content) if isinstance(self.content, bytes) else self.content.size

    @property
    def start(self) -> bytes:
        """Its first bytes; none where it cannot be read, and reading it says why."""
        with suppress(OSError), opened_plain(self.origin) as file:
            return file.read(_START)
        return b""

    def whole(self) -> bytes:
        """All of its bytes."""
        with opened_plain(self.origin) as file:
            return file.read()


@dataclass(frozen=True)
class UploadedTable(Loaded):
    """A table, with the file that it came from and the choices by which that was read, so that it
    may be read another way; None where the file is a set of tables."""

    given: UploadedFile | None = None
    choices: Mapping[str, Any] = field(default_factory=dict)


def way_of(given: UploadedFile) -> Way:
    """What a file is, by its first bytes and its size."""
    if is_packed(given.origin) or _is_report(given):
        return "packed"
    if is_carried(given.start):
        return "carried over"
    if is_cut(given.origin):
        return "cut"
    return "long" if len(given) >= SMALLEST else "plain"


def packed_in(given: UploadedFile) -> Origin:
    """The packed collection that a file is, or that a report carries."""
    return in_page.packed_in(given.origin) if _is_report(given) else given.origin


def _is_report(given: UploadedFile) -> bool:
    with suppress(OSError):  # reading it says why
        return in_page.carries(given.origin)
    return False


def tables_of(
    given: UploadedFile,
    *,
    judgments: Sequence[Qrels] = (),
    answers: Answers = _NO_ANSWERS,
    **choices: Any,
) -> list[Loaded]:
    """A file's tables, or those of a set in a zip; by the `answers` about files of its shape, else
    by the `judgments` that are there already, where nothing else says what it is. Raises
    RanklensError."""
    if is_beside_parts(given.name):
        raise RanklensError(
            f"{given.name} is a helper file that Spark or Hadoop writes; it contains no table.",
            "Give the data files beside it: part-00000… and the others.",
        )
    if "kind" not in choices and formats.is_set(given.origin):
        return with_stored_compared(formats.read_set(given.origin, name=given.name, **choices))
    before = {} if choices else choices_before(given.origin, given.name, answers)
    if before:
        with suppress(RanklensError):  # then it is not like the file before
            return [read_as_before(one, before) for one in tables_of(given, **before)]
    each = formats.read_each(given.origin, name=given.name, judgments=judgments, **choices)
    return [UploadedTable(**vars(loaded), given=given, choices=choices) for loaded in each]
