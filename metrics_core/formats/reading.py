"""Read a file as a table: recognise its format, read it, and refuse files that cannot be read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base import wording as w
from metrics_core.base.errors import FileFormatError, RanklensError
from metrics_core.formats.file_kinds import Recognition, read_sample, recognise_source
from metrics_core.formats.parsing.systems import get_only_run
from metrics_core.formats.read_as import (
    DEFAULT_CHOICES,
    FileInput,
    KindChoices,
    ReadAs,
    ReadingChoices,
)
from metrics_core.formats.registry import (
    FirstRows,
    Format,
    Kind,
    Loaded,
    Sample,
    add_notes,
    formats,
    run_name,
)
from metrics_core.formats.source.opening import convert_memory_errors
from metrics_core.formats.source.source import Source
from metrics_core.formats.source.unpacking import PathOrBytes
from metrics_core.tables import Documents, GivenScores, Qrels, Queries, Run
from metrics_core.tables.arrays import as_array
from metrics_core.tables.columns import ID, encode_ids

_MIN_QUERIES = 0.9
"""A file may be a run if at least this share of its queries is judged."""
_MAX_PAIRS = 0.5
"""A file may be a run if at most this share of its rows is judged. If the share is higher, the file
is probably another version of the judgments."""
_MIN_SCORES = 0.5
"""A file may be a run if the number of different scores within its queries is at least this share
of its rows. Grades have fewer different values."""


def explain_recognition_as_run(run: Run, judgments: Sequence[Qrels]) -> str:
    """Return the reason why a file is a run rather than judgments, based on judgments that are
    already loaded; "" if this is unclear."""
    for qrels in judgments:
        queries = run.query_ids
        judged_count = len(set(queries) & set(qrels.query_ids))
        known_count = int(
            np.sum(
                as_array(
                    pc.is_in(_join_pair_texts(run.table), value_set=_join_pair_texts(qrels.table))
                )
            )
        )
        if (
            judged_count >= _MIN_QUERIES * len(queries)
            and 0 < known_count <= _MAX_PAIRS * len(run)
            and _count_distinct_scores(run) >= _MIN_SCORES * len(run)
        ):
            return (
                f"the loaded judgments cover {w.format_count(judged_count)} of the run's"
                f" {w.format_query_count(len(queries))} and"
                f" {w.format_count(known_count)} of its {w.format_count(len(run))} documents"
            )
    return ""


def _join_pair_texts(rows: pa.Table) -> pa.Array:
    """Return the query id and the document id of each row, joined into one string, string[row]."""
    query_id, doc_id = (rows[name].cast(ID).combine_chunks() for name in ("query_id", "doc_id"))
    return pc.binary_join_element_wise(query_id, doc_id, "\n")


def _count_distinct_scores(run: Run) -> int:
    codes = as_array(encode_ids(run.table["query_id"]).indices)
    rows = np.stack([codes.astype(np.float64), run.scores], axis=1)
    return len(np.unique(rows, axis=0))


def read(source: FileInput, *, name: str | None = None, **choices: Unpack[KindChoices]) -> Loaded:
    """Read one file, compressed or not, and return its table, with details on how the file was
    interpreted.

    `source` is a path (`-` for standard input; pipes work too), the bytes of a file (then pass its
    `name`), or a list of dictionaries, which are read like the lines of JSON Lines. The choices are
    the fields of `ReadAs`; kind and format are detected from the content by default. Raises
    FileFormatError if the file cannot be read or contains several runs, and ParameterError for an
    invalid choice."""
    return get_only_run(*_open_and_read(source, name, ReadAs(**choices)))


def read_all_tables(
    source: FileInput,
    *,
    name: str | None = None,
    judgments: Sequence[Qrels] = (),
    **choices: Unpack[KindChoices],
) -> list[Loaded]:
    """Read one file and return its tables: several runs if it contains several systems, otherwise
    one table.

    The runs are named after the systems. Arguments and errors are the same as for `read`, except
    that several runs are allowed. If neither the columns nor the file name show whether the file is
    a run or judgments, it is compared with `judgments`, which are already loaded."""
    return _open_and_read(source, name, ReadAs(**choices), judgments)[1]


def _open_and_read(
    source: FileInput,
    name: str | None,
    read_as: ReadAs,
    judgments: Sequence[Qrels] = (),
) -> tuple[Source, list[Loaded]]:
    """Return the opened file and its tables."""
    if not isinstance(source, (str, Path, bytes)) and read_as.kind == "scores":
        source, name = _encode_records(source), name or "records"
    if not isinstance(source, (str, Path, bytes)):
        from metrics_core.formats.mapping import python_records

        return python_records.read_records(
            source, read_as.build_request(read_as.kind or "run", name or "run")
        )
    file_source = read_as.open_file(source, name)
    return file_source, read_source(
        file_source, read_as, force_kind=read_as.must_be_judgments, judgments=judgments
    )


def _encode_records(records: Sequence[Mapping[str, Any]]) -> bytes:
    """Return records as JSON Lines; undefined numbers are null."""
    rows = ({name: None if v != v else v for name, v in record.items()} for record in records)
    return "\n".join(json.dumps(row, default=str) for row in rows).encode()


def read_source(
    source: Source, read_as: ReadAs, *, force_kind: bool, judgments: Sequence[Qrels] = ()
) -> list[Loaded]:
    """Return the tables of an opened source, as `read_all_tables` does for a file.

    If `force_kind` is true, the file is read as the kind in `read_as` even if it looks more like a
    different kind."""
    request = read_as.build_request("run", run_name(source.name))

    def find_run_reason(file_format: Format) -> str:
        if not judgments:
            return ""
        with suppress(RanklensError):  # a file that cannot be read as a run is not one
            table = file_format.read(source, request).table
            return explain_recognition_as_run(table, judgments) if isinstance(table, Run) else ""
        return ""

    recognition = recognise_source(
        source,
        read_sample(source, request.columns),
        read_as.kind,
        read_as.format,
        force_kind=force_kind,
        run_reason=find_run_reason,
    )
    with convert_memory_errors(source):
        loaded = recognition.format.read(source, replace(request, kind=recognition.kind))
    notes = () if recognition.note is None else (recognition.note,)
    first = replace(add_notes(loaded, *notes), others=())
    return [
        replace(loaded_table, evidence=recognition.evidence)
        for loaded_table in (first, *loaded.others)
    ]


def read_run(
    source: FileInput, *, name: str | None = None, **choices: Unpack[ReadingChoices]
) -> Run:
    """Read a run. The arguments are the same as for `read`.

    Raises FileFormatError if the file is not a run or contains several runs (see `read_runs`)."""
    return cast(Run, read(source, name=name, kind="run", **choices).table)


def read_runs(
    source: FileInput, *, name: str | None = None, **choices: Unpack[ReadingChoices]
) -> list[Run]:
    """Read the runs of a file: several if it contains several systems, otherwise one.

    The runs of several systems are named after the systems. Arguments and errors are the same as
    for `read_run`."""
    loaded_runs = read_all_tables(source, name=name, kind="run", **choices)
    return [cast(Run, loaded.table) for loaded in loaded_runs]


def read_qrels(
    source: FileInput, *, name: str | None = None, **choices: Unpack[ReadingChoices]
) -> Qrels:
    """Read judgments. The arguments are the same as for `read`.

    Raises FileFormatError if the file does not contain judgments."""
    return cast(Qrels, read(source, name=name, kind="qrels", **choices).table)


def read_queries(
    source: PathOrBytes, *, name: str | None = None, **choices: Unpack[ReadingChoices]
) -> Queries:
    """Read queries. The arguments are the same as for `read`.

    Raises FileFormatError if the file does not contain queries."""
    return cast(Queries, read(source, name=name, kind="queries", **choices).table)


def read_documents(
    source: PathOrBytes, *, name: str | None = None, **choices: Unpack[ReadingChoices]
) -> Documents:
    """Read documents. The arguments are the same as for `read`.

    Raises FileFormatError if the file does not contain documents."""
    return cast(Documents, read(source, name=name, kind="documents", **choices).table)


def read_scores(
    source: FileInput, *, name: str | None = None, **choices: Unpack[ReadingChoices]
) -> GivenScores:
    """Read scores that another tool computed. The arguments are the same as for `read`.

    Raises FileFormatError if the file does not contain scores."""
    return cast(GivenScores, read(source, name=name, kind="scores", **choices).table)


def recognise_format(source: Source, kind: Kind | None) -> tuple[str, Kind]:
    """Return the format name and the kind of a source. If `kind` is None, the kind is detected.

    Raises FileFormatError if no format fits, or if the file is of a different kind than `kind`."""
    recognition = recognise_source(source, read_sample(source), kind, None)
    return recognition.format.name, recognition.kind


def guess_file_kind(source: PathOrBytes, name: str | None = None) -> Recognition | None:
    """Return the likely kind of a file, based on its beginning; None if the file cannot be
    recognised."""
    try:
        file_source = DEFAULT_CHOICES.open_file(source, name)
        return recognise_source(file_source, read_sample(file_source), None, None)
    except (RanklensError, OSError):
        return None


def read_first_rows(
    source: PathOrBytes, *, name: str | None = None, **choices: Unpack[KindChoices]
) -> FirstRows | None:
    """Return the column names and the first rows of a file, so that users can see which columns to
    assign.

    Returns None if the file has neither named nor tab-separated columns. Raises FileFormatError if
    it is empty or cannot be opened."""
    return read_sample_rows(read_sample(ReadAs(**choices).open_file(source, name)))


def read_sample_rows(sample: Sample) -> FirstRows | None:
    """Return the column names and the first rows of a sample, in the same way as `read_first_rows`
    for a file."""
    try:
        file_format = recognise_source(sample.source, sample, None, None).format
    except FileFormatError:
        file_format = None  # no column name is recognised
    has_tabs = sample.text.lstrip()[:1] not in "{[<" and "\t" in sample.first_line
    candidates = (
        [file_format]
        if file_format is not None and (file_format.first_rows or not has_tabs)
        else formats()
    )
    tables = (f.first_rows(sample) for f in candidates if f.first_rows is not None)
    return next((rows for rows in tables if rows is not None), None)
