"""Read and write judged ranks: the ranks of a run's judged documents, stored in place of the run.

Judged ranks are a Parquet file, a folder of such files, or a zip of a folder. They are written if a
run is too large for one machine (`scoring.spark.write_judged_ranks`).

run, query_id  text   name of the run, id of the query
retrieved      int64  number of documents in the list
judged         int64  number of judged documents of the query; 0 if the query is not judged
doc_id         text   a judged document; null in a row that only states the length of the list
rank           int64  rank of this document, from 1"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePath, PurePosixPath
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base import wording as w
from metrics_core.base.arrays import Ints
from metrics_core.base.errors import FileFormatError, TableError, content_error
from metrics_core.base.notes import Note
from metrics_core.formats.parquet import (
    convert_arrow_errors,
    decode_column,
    open_parquet,
    read_batches,
    read_column_names,
)
from metrics_core.formats.parsing.columns import JUDGED_RANKS_COLUMNS as COLUMNS
from metrics_core.formats.parsing.ranks_parts import is_part_file, judged_ranks_note
from metrics_core.formats.registry import SPECIFIC, Loaded, Request, Sample, Sureness, reader
from metrics_core.formats.source.limits import Limit, Size
from metrics_core.formats.source.lines import file_error, row_problem
from metrics_core.formats.source.members import open_members
from metrics_core.formats.source.opening import (
    convert_memory_errors,
    name_source,
    open_source,
)
from metrics_core.formats.source.source import PARQUET_MAGIC, Source, is_parquet
from metrics_core.formats.source.unpacking import PathOrBytes, is_zip
from metrics_core.tables import RankedRun
from metrics_core.tables.arrays import as_array, as_column, is_text_type
from metrics_core.tables.columns import ID, encode_ids

_TEXTS, _NUMBERS = ("run", "query_id", "doc_id"), ("retrieved", "judged", "rank")
_NAME, _FORMAT, _ENDING = "judged-ranks", "Ranks of judged documents", ".parquet"
_HINT = (
    "Ranks of judged documents are written by `evaluate --spark … --judged-ranks`, as Parquet with"
    f" the columns {', '.join(COLUMNS)}."
)
_EXPECTED = "ranks of judged documents", _HINT
_SAMPLED_PARTS = 3


def has_judged_ranks(source: PathOrBytes) -> bool:
    """Return whether a file, a folder, a zip file or bytes contain judged ranks. Only the first
    files are examined."""
    try:
        with _open_parts(source, "", None) as parts:
            # The first may be damaged, which is reported when it is read.
            return any(_has_columns(part) for part in parts[:_SAMPLED_PARTS])
    except (FileFormatError, OSError):
        return False


def read_judged_ranks(
    source: PathOrBytes, *, name: str | None = None, limit: Size | None = None
) -> list[RankedRun]:
    """Return the runs of judged ranks in a file, a folder or a zip of a folder. The file or zip can
    also be passed as bytes.

    Runs are in the byte order of their names. `join_judgments` combines them with the judgments
    from which they were made. Raises FileFormatError if the source does not contain judged
    ranks."""
    loaded = read_ranks_set(source, name=name, limit=limit)
    return [cast(RankedRun, ranked_run.table) for ranked_run in loaded]


def read_ranks_set(
    source: PathOrBytes, *, name: str | None = None, limit: Size | None = None
) -> list[Loaded]:
    """Read judged ranks in the same way as `read_judged_ranks`. The file name of each run is
    SOURCE/RUN."""
    source_name = name_source(source, name)
    with _open_parts(source, source_name, limit) as parts:
        if not parts:
            raise content_error(source_name, "other files, or no files", *_EXPECTED)
        part_tables, size = [], 0
        for part in parts:
            part_source = part()
            part_tables.append((part_source, _read_rows(part_source)))
            size += part_tables[-1][1].nbytes
            Limit.from_size(limit).check_size(source_name, size)
    one_of_several = len(parts) == 1 and is_part_file(PurePath(source_name).name)
    runs = _split_runs(source_name, part_tables)
    return [_load_run(run, f"{source_name}/{run.name}", one_of_several) for run in runs]


def _load_run(run: RankedRun, file: str, one_of_several: bool) -> Loaded:
    notes = [judged_ranks_note(run)]
    if one_of_several:
        message = "only one part of a folder, so queries in the other parts count as missing"
        notes.append(Note("part", message, 1, loud=True))
    return Loaded(
        run.with_notes(*notes), _NAME, f"{_FORMAT}: {', '.join(COLUMNS)}", file, tag=run.name
    )


def recognise_ranks(sample: Sample) -> Sureness:
    """Recognise judged ranks by their column names."""
    return {"run": SPECIFIC} if _has_columns(lambda: sample.source) else {}


@reader(
    _NAME,
    title=_FORMAT,
    kinds=("run",),
    endings=(_ENDING,),
    explanation="The ranks of the judged documents, a few rows per query, as written by Ranklens on"
    " Apache Spark: a Parquet file, a folder of them, or a zip of that folder. Contains"
    " one run per name.",
    example=f"(binary) columns {', '.join(COLUMNS)}",
    recognise=recognise_ranks,
    magic=PARQUET_MAGIC,
)
def read_ranks(source: Source, request: Request) -> Loaded:
    """Read a file of judged ranks that contains one run. Raises FileFormatError if it contains
    several runs."""
    runs = _split_runs(source.name, [(source, _read_rows(source))])
    if len(runs) > 1:
        actual = (
            f"ranks of judged documents from {len(runs):,} runs:"
            f" {w.join_words([run.name for run in runs[:3]])}"
        )
        hint = "`read_judged_ranks` and `read_set` read all of them."
        raise content_error(source.name, actual, "the ranks of one run", hint)
    return replace(
        _load_run(runs[0], source.name, is_part_file(PurePath(source.name).name)), file=source.name
    )


@contextmanager
def _open_parts(
    source: PathOrBytes, source_name: str, limit: Size | None
) -> Iterator[list[Callable[[], Source]]]:
    """Yield a list of functions, each of which opens one file of judged ranks. The list is empty if
    the source does not contain judged ranks.

    The files are the source itself, or the Parquet files in a folder or zip. The folder or zip must
    not contain any other files except files written by Hadoop."""
    origin = source if isinstance(source, bytes) else Path(source)
    is_folder = isinstance(origin, Path) and origin.is_dir()
    if not is_folder and not is_zip(origin):
        is_readable = isinstance(origin, bytes) or origin.is_file()
        yield (
            [partial(open_source, source, source_name or None, None, limit)] if is_readable else []
        )
        return
    with open_members(source, source_name, Limit.from_size(limit), _EXPECTED) as members:
        names = [n for n in members.names if not PurePosixPath(n).name.startswith(("_", "."))]
        are_parquet = all(n.endswith(_ENDING) for n in names)
        is_one_folder = len({PurePosixPath(n).parent for n in names}) == 1

        def open_member(member: str) -> Source:
            return open_source(members.content(member), f"{source_name}/{member}", None, limit)

        yield (
            [partial(open_member, name) for name in sorted(names)]
            if are_parquet and is_one_folder
            else []
        )


def _has_columns(open_part: Callable[[], Source]) -> bool:
    try:
        source = open_part()
        if not is_parquet(source):
            return False
        with convert_arrow_errors(source):
            names = open_parquet(source).schema_arrow.names
    except FileFormatError:
        return False
    return set(COLUMNS) <= set(names)


def _read_rows(source: Source) -> pa.Table:
    """Return the rows of one Parquet file, with text columns as strings and numbers as int64."""
    if not is_parquet(source):
        raise content_error(
            source.name, "not Parquet", "ranks of judged documents, as Parquet", _HINT
        )
    file = open_parquet(source)
    names = read_column_names(source, file)
    missing_names = [name for name in COLUMNS if name not in names]
    if missing_names:
        actual = f"no column {' and '.join(missing_names)} among {', '.join(names[:12])}"
        raise content_error(source.name, actual, *_EXPECTED)
    columns = list(COLUMNS)
    from metrics_core.formats.source.parquet_size import check_table_size

    with convert_arrow_errors(source):
        check_table_size(source, file, columns)
        batches = read_batches(source, file, columns)
    schema = pa.schema([(n, ID if n in _TEXTS else pa.int64()) for n in COLUMNS])
    if not batches:
        return schema.empty_table()
    table = pa.Table.from_batches(batches)
    return pa.table(
        {name: _check_column(source, name, table[name]) for name in COLUMNS}, schema=schema
    )


def _check_column(source: Source, name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    with convert_arrow_errors(source):
        column = decode_column(column)
    is_integer = pa.types.is_integer(column.type)
    is_text = is_text_type(column.type)
    is_text |= name == "doc_id" and pa.types.is_null(column.type)  # no judged document is listed
    if not is_integer and (name in _NUMBERS or not is_text):
        expected = "whole numbers" if name in _NUMBERS else "text"
        actual = f"`{name}` of the type {column.type}"
        raise content_error(source.name, actual, f"{expected} as {name}", _HINT)
    if name != "doc_id" and pc.any(_missing_values(column)).as_py():
        row = int(np.flatnonzero(as_array(_missing_values(column)))[0])
        problem = row_problem(None, row, "nothing", f"a {name} in every row")
        raise file_error(source, [problem], hint=_HINT)
    with convert_arrow_errors(source):
        return column.cast(ID if name in _TEXTS else pa.int64())


def _missing_values(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_integer(column.type):
        return column.is_null()
    return pc.equal(pc.fill_null(column, ""), "")


@dataclass(frozen=True)
class _Parts:
    """All parts of judged ranks as one table.

    `sources` are the files of the parts. `edges` are the indexes of the parts' first rows in the
    table."""

    sources: Sequence[Source]
    edges: Sequence[int]

    def part_error(self, error: TableError, rows: Sequence[int]) -> FileFormatError:
        """Return the error for the part that contains the first problem.

        `rows` are the indexes of the run's rows in the table of all parts.
        """
        positions = [rows[p.row] for p in error.problems]
        part = int(np.searchsorted(self.edges, positions[0], "right")) - 1
        problems = [
            row_problem(None, row - self.edges[part], p.found, p.expected, p.hint)
            for p, row in zip(error.problems, positions, strict=True)
            if int(np.searchsorted(self.edges, row, "right")) - 1 == part
        ]
        hint = error.hint or error.message
        return file_error(self.sources[part], problems, count=len(problems), hint=hint)


def _split_runs(
    source_name: str, part_tables: Sequence[tuple[Source, pa.Table]]
) -> list[RankedRun]:
    """Return the runs of all parts, in the byte order of their names. Raises FileFormatError."""
    sources, tables = zip(*part_tables, strict=True)
    lengths = [len(table) for table in tables]
    all_parts = _Parts(sources, np.cumsum([0, *lengths[:-1]]).tolist())
    with convert_memory_errors(sources[0]):
        table = pa.concat_tables(tables)
        if not len(table):
            raise content_error(source_name, "no rows", "at least one", "Is the file complete?")
        names = encode_ids(table["run"])
        codes = as_array(names.indices)
        run_names = names.dictionary.to_pylist()
        ordered_codes = sorted(range(len(run_names)), key=lambda code: run_names[code].encode())
        return [
            _build_run(run_names[code], table, np.flatnonzero(codes == code), all_parts)
            for code in ordered_codes
        ]


def _build_run(name: str, table: pa.Table, rows: Ints, all_parts: _Parts) -> RankedRun:
    part = table.take(as_column(rows))
    numbers = [as_array(part[column]) for column in ("rank", "retrieved", "judged")]
    try:
        return RankedRun.from_ranks(name, part["query_id"], part["doc_id"], *numbers)
    except TableError as error:
        raise all_parts.part_error(error, rows.tolist()) from error
