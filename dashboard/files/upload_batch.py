"""Files that were uploaded together: the order in which they are read, and the content of each
file. This module does not import Streamlit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from dashboard.files.query_zip import NotesAndLayers, QueryZip, read_notes_or_layers, read_query_zip
from dashboard.files.shape_choices import Answers
from dashboard.files.uploaded_file import UploadedFile, UploadKind, detect_upload_kind, read_tables
from metrics_core.base.errors import RanklensError
from metrics_core.formats import Loaded, guess_file_kind
from metrics_core.formats.parsing.ranks_parts import is_marker_file
from metrics_core.tables import Qrels


@dataclass
class UploadBatch:
    """Files that were uploaded together, and what was read from them so far.

    `read` has the tables of each file by its index in `files`, and `refused` has the files that
    could not be read. `open_judgments` are the judgments of the open collection."""

    files: Sequence[UploadedFile]
    open_judgments: Sequence[Qrels] = ()
    read: dict[int, list[Loaded]] = field(default_factory=dict)
    refused: list[tuple[UploadedFile, RanklensError]] = field(default_factory=list)
    carried: list[NotesAndLayers] = field(default_factory=list)
    answers: Answers = field(default_factory=dict)
    """Remembered choices for reading files, by shape."""

    @cached_property
    def reading_order(self) -> list[tuple[int, UploadKind]]:
        """The index and the kind of each file, in reading order. Files that help to recognise other
        files come first.

        A run may be uploaded as files of judged ranks, which have only the ranks of judged
        documents. Spark and Hadoop write marker files beside them. Marker files are skipped unless
        there are no other files."""
        positions = [
            n
            for n, uploaded_file in enumerate(self.files)
            if not is_marker_file(uploaded_file.name)
        ]
        kinds = [
            (n, detect_upload_kind(self.files[n])) for n in positions or range(len(self.files))
        ]
        if len(kinds) < 2:
            return kinds
        return sorted(kinds, key=lambda one: _reading_priority(self.files[one[0]], one[1]))

    @property
    def all_tables(self) -> list[Loaded]:
        """Return all tables, in the order in which their files were uploaded."""
        return [loaded for number in sorted(self.read) for loaded in self.read[number]]

    def judgments(self, *, include_guessed: bool = True) -> list[Qrels]:
        """Return the judgments that are available so far. If `include_guessed` is true, files whose
        kind was only guessed are included."""
        return [
            *self.open_judgments,
            *(
                table
                for loaded in self.all_tables
                if isinstance(table := loaded.table, Qrels)
                and (include_guessed or loaded.evidence != "guess")
            ),
        ]

    def read_file(self, index: int, get_tables: Callable[[], list[Loaded]] | None = None) -> None:
        """Read a file of the batch. If `get_tables` is given, it is called to get the tables of a
        file that was read elsewhere."""
        uploaded_file = self.files[index]
        if get_tables is None:
            get_tables = partial(self._read_tables, uploaded_file, dict(self.reading_order)[index])
        self.read[index] = self._read_or_refuse(uploaded_file, get_tables)

    def _read_tables(self, uploaded_file: UploadedFile, kind: UploadKind) -> list[Loaded]:
        if kind not in ("cut", "carried over"):
            return read_tables(
                uploaded_file,
                judgments=self.judgments(include_guessed=False),
                choices_by_shape=self.answers,
            )
        if kind == "cut":
            query_zip = read_query_zip(uploaded_file.origin, uploaded_file.name)
        else:
            query_zip = QueryZip({}, read_notes_or_layers(uploaded_file.read_all()))
        self.carried.append(query_zip.carried)
        inner = [UploadedFile(file, content) for file, content in query_zip.files.items()]
        return [
            loaded
            for inner_file in inner
            for loaded in self._read_or_refuse(inner_file, partial(read_tables, inner_file))
        ]

    def _read_or_refuse(
        self, uploaded_file: UploadedFile, read_file_tables: Callable[[], list[Loaded]]
    ) -> list[Loaded]:
        try:
            return read_file_tables()
        except RanklensError as error:
            refused = error
        except Exception as error:  # an error in one file must not stop the others
            refused = RanklensError(
                f"{uploaded_file.name} could not be read: {type(error).__name__}.",
                "This is a bug in Ranklens; the other files are not affected.",
            )
        self.refused.append((uploaded_file, refused))
        return []


def read_single_file(uploaded_file: UploadedFile, **choices: Any) -> UploadBatch:
    """Read one file as a batch of its own. `choices` determine how the file is read."""
    batch = UploadBatch([uploaded_file])
    batch.read_file(0, partial(read_tables, uploaded_file, **choices))
    return batch


def _reading_priority(uploaded_file: UploadedFile, kind: UploadKind) -> int:
    """Return the priority of a file in reading order. Files with a smaller number are read first.

    The order is: collections, because they receive the other files; judgments; files whose kind is
    certain; files whose kind can be recognised with the help of judgments; long runs, because they
    are joined with judgments while they are read."""
    if kind not in ("plain", "long"):
        return 0 if kind == "packed" else 2
    recognised = guess_file_kind(uploaded_file.origin, uploaded_file.name)
    is_sure = recognised is not None and recognised.evidence != "guess"
    if is_sure and recognised is not None and recognised.kind == "qrels":
        return 1
    return 4 if kind == "long" else 2 if is_sure else 3
