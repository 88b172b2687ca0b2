"""An uploaded file: its kind and its tables. The file is in memory or, if it is long, on disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from dashboard.files.long_runs import SMALLEST
from dashboard.files.query_zip import is_notes_or_layers, is_query_zip
from dashboard.files.shape_choices import Answers, add_remembered_choices_note, find_choices
from dashboard.workspace.disk.scratch import ScratchFile
from dashboard.workspace.exports import report_data
from dashboard.workspace.exports.packing import is_packed_collection
from metrics_core import formats
from metrics_core.base.errors import RanklensError
from metrics_core.checks.stored_scores import compare_stored_scores
from metrics_core.formats import Loaded
from metrics_core.formats.parsing.ranks_parts import is_marker_file
from metrics_core.formats.source.unpacking import Origin, open_raw
from metrics_core.tables import Qrels

_START = 512
_NO_ANSWERS: Answers = MappingProxyType({})

UploadKind = Literal["packed", "cut", "carried over", "long", "plain"]
"""The kinds of uploaded file.

packed        a packed collection, or a report that contains one
cut           a zip of some queries
carried over  exported notes or layers
long          a table that may be a long run
plain         any other table"""


@dataclass(frozen=True)
class UploadedFile:
    """A file with its name. A file on disk exists as long as this object exists."""

    name: str
    content: bytes | ScratchFile

    @property
    def origin(self) -> Origin:
        """The bytes of the file, or its path if the file is on disk."""
        return self.content if isinstance(self.content, bytes) else self.content.path

    def __len__(self) -> int:
        return len(self.content) if isinstance(self.content, bytes) else self.content.size

    @property
    def first_bytes(self) -> bytes:
        """The first bytes of the file. They are empty if the file cannot be read; the error is then
        reported when its tables are read."""
        with suppress(OSError), open_raw(self.origin) as file:
            return file.read(_START)
        return b""

    def read_all(self) -> bytes:
        """Return all bytes of the file."""
        with open_raw(self.origin) as file:
            return file.read()


@dataclass(frozen=True)
class UploadedTable(Loaded):
    """A table with its file and the choices with which it was read, so that the file can be read
    again with other choices. `uploaded_file` is None if the file contains a set of tables."""

    uploaded_file: UploadedFile | None = None
    choices: Mapping[str, Any] = field(default_factory=dict)


def detect_upload_kind(uploaded_file: UploadedFile) -> UploadKind:
    """Return the kind of a file, recognised by its first bytes and its size."""
    if is_packed_collection(uploaded_file.origin) or _is_report(uploaded_file):
        return "packed"
    if is_notes_or_layers(uploaded_file.first_bytes):
        return "carried over"
    if is_query_zip(uploaded_file.origin):
        return "cut"
    return "long" if len(uploaded_file) >= SMALLEST else "plain"


def find_packed_collection(uploaded_file: UploadedFile) -> Origin:
    """Return the packed collection in a file. The file is either the packed collection itself, or a
    report that contains it."""
    return (
        report_data.extract_packed_collection(uploaded_file.origin)
        if _is_report(uploaded_file)
        else uploaded_file.origin
    )


def _is_report(uploaded_file: UploadedFile) -> bool:
    with suppress(OSError):  # reading it reports the error
        return report_data.is_page_with_data(uploaded_file.origin)
    return False


def read_tables(
    uploaded_file: UploadedFile,
    *,
    judgments: Sequence[Qrels] = (),
    choices_by_shape: Answers = _NO_ANSWERS,
    **choices: Any,
) -> list[Loaded]:
    """Read the tables of a file. If the file is a zip with a set of tables, read all of them.
    Raises RanklensError.

    If the user's `choices_by_shape` for an earlier file with the same fields are remembered, the
    file is read in the same way. If there are no such answers and the kind of the file is unclear,
    it is recognised with the help of the `judgments` that are already available."""
    if is_marker_file(uploaded_file.name):
        raise RanklensError(
            f"{uploaded_file.name} is a helper file of Spark or Hadoop and contains no table.",
            "Instead, add the data files of the same folder: part-00000… and the others.",
        )
    if "kind" not in choices and formats.is_set(uploaded_file.origin):
        return compare_stored_scores(
            formats.read_set(uploaded_file.origin, name=uploaded_file.name, **choices)
        )
    earlier_choices = (
        {} if choices else find_choices(uploaded_file.origin, uploaded_file.name, choices_by_shape)
    )
    if earlier_choices:
        with suppress(RanklensError):  # then it is unlike the earlier file
            return [
                add_remembered_choices_note(loaded_table, earlier_choices)
                for loaded_table in read_tables(uploaded_file, **earlier_choices)
            ]
    loaded_tables = formats.read_all_tables(
        uploaded_file.origin, name=uploaded_file.name, judgments=judgments, **choices
    )
    return [
        UploadedTable(**vars(loaded), uploaded_file=uploaded_file, choices=choices)
        for loaded in loaded_tables
    ]
