"""Read and write Parquet with Arrow. The unpacked size is checked before a file is unpacked."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.errors import content_error
from metrics_core.base.notes import Note
from metrics_core.formats.output_tables import to_arrow
from metrics_core.formats.parsing.checking import ProblemTexts, refuse_rows
from metrics_core.formats.parsing.chosen_columns import recognise_assigned_columns
from metrics_core.formats.parsing.columns import JUDGED_RANKS_COLUMNS, find_position
from metrics_core.formats.parsing.list_names import QUERY_KEYS, kind_of_list
from metrics_core.formats.parsing.named import NamedColumns, check_columns, check_header, load_named
from metrics_core.formats.registry import (
    ALL_KINDS,
    KINDS,
    UNCLEAR,
    FirstRows,
    Loaded,
    Request,
    Sample,
    Sureness,
    reader,
)
from metrics_core.formats.source.source import PARQUET_MAGIC, Source, is_parquet, shorten_line
from metrics_core.tables import Table
from metrics_core.tables.arrays import is_coded
from metrics_core.tables.columns import ID

if TYPE_CHECKING:
    import pyarrow.parquet as pq

_WHOLE_FLOATS_END = float(2**53)
_PANDAS_INDEX = "__index_level_"
_SAMPLED_ROWS = 50
"""Number of rows that are read to recognise columns."""


def recognise_parquet(sample: Sample) -> Sureness:
    """Recognise a Parquet file by its first bytes, and the kind of its table by the column
    names."""
    if not is_parquet(sample.source):
        return {}
    file = open_parquet(sample.source)
    if has_nested_columns(sample.source, file):
        return {} if is_autorag_corpus(file) else UNCLEAR
    return recognise_assigned_columns(_table_rows(sample.source, file), sample.columns)


def has_nested_columns(source: Source, file: pq.ParquetFile) -> bool:
    """Return whether any column of the file contains lists or objects."""
    with convert_arrow_errors(source):
        return any(pa.types.is_nested(column.type) for column in file.schema_arrow)


def read_parquet_rows(sample: Sample) -> FirstRows | None:
    """Return the column names and first rows of a Parquet file. Returns None if a column is nested
    or the file is not Parquet."""
    if not is_parquet(sample.source):
        return None
    file = open_parquet(sample.source)
    is_nested = has_nested_columns(sample.source, file)
    return None if is_nested else _table_rows(sample.source, file)


def _table_rows(source: Source, file: pq.ParquetFile) -> FirstRows | None:
    """Return the column names of a table and its first rows.

    Returns None for a table of judged ranks (the ranks of judged documents without the rest of the
    run)."""
    names = read_column_names(source, file)
    if set(JUDGED_RANKS_COLUMNS) <= set(names):
        return None
    from metrics_core.formats.source.parquet_size import check_table_size

    with convert_arrow_errors(source):
        check_table_size(source, file, names, n_rows=_SAMPLED_ROWS)
        # The footer may declare rows that do not exist.
        batch = next(file.iter_batches(_SAMPLED_ROWS, columns=names), None)
        rows = [] if batch is None else batch.to_pylist()
    return FirstRows(names, [[str(row[name]) for name in names] for row in rows])


def write_parquet(table: Table, file: BinaryIO) -> None:
    """Write a table as Parquet, compressed with Zstandard."""
    import pyarrow.parquet as pq  # slow to load

    pq.write_table(to_arrow(table), file, compression="zstd")


@reader(
    "parquet",
    title="Parquet",
    kinds=KINDS,
    endings=(".parquet", ".parq"),
    explanation="Named columns, as written by pandas, polars, duckdb and Arrow. Lists of document"
    " ids per query are read as in JSON.",
    example="(binary) columns query_id, doc_id, score",
    recognise=recognise_parquet,
    write=dict.fromkeys(ALL_KINDS, write_parquet),
    magic=PARQUET_MAGIC,
    first_rows=read_parquet_rows,
)
def read_parquet(source: Source, request: Request) -> Loaded:
    """Read a Parquet file. Ids that are stored as numbers are converted to strings of decimal
    digits."""
    file = open_parquet(source)
    names = read_column_names(source, file)
    if set(JUDGED_RANKS_COLUMNS) <= set(names):
        raise content_error(
            source.name,
            "ranks of judged documents",
            "a table with one row per document",
            "Omit the format option, because the columns identify the format.",
        )
    header_roles = check_columns(source, names, request, None)
    used_columns = set(header_roles.roles.values())
    if request.kind in ("queries", "documents"):
        used_columns |= set(header_roles.others)
    used_names = [names[index] for index in sorted(used_columns)]
    from metrics_core.formats.source.parquet_size import CELL_BYTES, OBJECT_CELL_BYTES

    a_cell = OBJECT_CELL_BYTES if request.kind == "queries" else CELL_BYTES
    notes: list[Note] = []
    columns = {}
    with convert_arrow_errors(source):
        table = read_columns(source, file, used_names, a_cell)
        for name in used_names:
            roles = {role for role, index in header_roles.roles.items() if names[index] == name}
            column = decode_column(table[name])
            if roles & {"score", "rank"}:
                columns[name] = _to_numbers(column)
            elif roles & {"query_id", "doc_id"} and pa.types.is_floating(column.type):
                columns[name] = _convert_float_ids_to_text(source, column, name, notes)
            else:
                columns[name] = column.cast(ID)
    named = NamedColumns(names, columns, None, notes, header=None)
    return load_named(source, request, named, "parquet", "Parquet")


def read_batches(source: Source, file: pq.ParquetFile, names: list[str]) -> list[pa.RecordBatch]:
    """Yield the rows of these columns in batches.

    Raises FileFormatError if the rows exceed the size limit."""
    batches, size = [], 0
    for batch in file.iter_batches(columns=names):
        batches.append(batch)
        size += batch.nbytes
        source.limit.check_size(source.name, size)
    return batches


def read_columns(
    source: Source, file: pq.ParquetFile, names: list[str], bytes_per_cell: int
) -> pa.Table:
    """Return these columns as a table. Raises FileFormatError if they exceed the size limit or have
    no rows."""
    from metrics_core.formats.source.parquet_size import check_table_size

    check_table_size(source, file, names, bytes_per_cell=bytes_per_cell)
    batches = read_batches(source, file, names)
    if not batches:
        raise content_error(source.name, "only a header", "at least one row")
    return pa.Table.from_batches(batches)


def open_parquet(source: Source) -> pq.ParquetFile:
    """Open a Parquet file and read its footer.

    Raises FileFormatError if the file is damaged or has too many columns.
    """
    import pyarrow.parquet as pq

    from metrics_core.formats.source.parquet_size import check_footer

    packed_file = source.packed()
    check_footer(source, packed_file)
    with convert_arrow_errors(source):
        file = pq.ParquetFile(packed_file)
    source.limit.check_cells(source.name, 1, file.metadata.num_columns)
    return file


def is_autorag_corpus(file: pq.ParquetFile) -> bool:
    """Return whether a file is a corpus of AutoRAG: documents whose metadata column is a struct."""
    try:
        kinds = {field.name: field.type for field in file.schema_arrow}
    except (pa.ArrowException, UnicodeDecodeError):
        return False  # reported when it is read
    return {"doc_id", "contents", "metadata"} <= kinds.keys() and pa.types.is_struct(
        kinds["metadata"]
    )


def read_column_names(source: Source, file: pq.ParquetFile) -> list[str]:
    """Return the column names without the index column that pandas adds.

    Raises FileFormatError for a nested column and for a repeated column name."""
    with convert_arrow_errors(source):
        fields = [(field.name, field.type) for field in file.schema_arrow]
    fields = [(name, kind) for name, kind in fields if not name.startswith(_PANDAS_INDEX)]
    nested_names = [name for name, kind in fields if pa.types.is_nested(kind)]
    if nested_names:
        actual = f"lists or structs in `{nested_names[0]}`"
        hint = "Drop the column, or put each value into a column of its own."
        plain_names = [name for name, kind in fields if not pa.types.is_nested(kind)]
        if any(map(kind_of_list, nested_names)) and find_position(plain_names, QUERY_KEYS) < 0:
            hint = (
                "No column identifies the query of each list. AutoRAG's best_*.parquet has a qid"
                " column; its numbered files do not."
            )
        raise content_error(source.name, actual, "one value in each cell", hint)
    names = [name for name, _ in fields]
    check_header(source, names, None)
    return names


def decode_column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the column without dictionary encoding. Its strings are checked, for example for
    invalid UTF-8."""
    if is_coded(column):
        column = column.cast(column.type.value_type)
    column.validate(full=True)
    return column


def _to_numbers(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column of numbers as float64, with NaN for missing values.

    A column of any other type is returned as text, and its values are checked later."""
    kind = column.type
    if pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_decimal(kind):
        return pc.fill_null(column.cast(pa.float64(), safe=False), float("nan"))
    return column.cast(ID)


def _convert_float_ids_to_text(
    source: Source, column: pa.ChunkedArray, name: str, notes: list[Note]
) -> pa.ChunkedArray:
    """Convert ids stored as floats to strings. For example, pandas stores whole-number ids as
    floats if one of them is missing.

    Raises FileFormatError for an id that is not a whole number or has lost digits."""
    values = column.to_numpy().astype(np.float64)
    lost_rows = np.flatnonzero(~(values == np.floor(values)) | (np.abs(values) > _WHOLE_FLOATS_END))

    def describe_problem(row: int) -> ProblemTexts:
        hint = "Write the ids as text, because some of their digits were lost in floating point."
        return f"`{column[row].as_py()}`", f"text or whole numbers as {name}", hint

    refuse_rows(source, None, lost_rows, describe_problem)
    message = f"`{name}` contains floating-point numbers; 1.0 is read as the id 1"
    notes.append(Note("columns", message, len(column)))
    return column.cast(pa.int64()).cast(ID)


@contextmanager
def convert_arrow_errors(source: Source) -> Iterator[None]:
    """Convert errors of Arrow raised in the `with` block to FileFormatError."""
    try:
        yield
    # Arrow's dates may be outside of Python's range: ValueError and OverflowError.
    except (pa.ArrowException, OSError, ValueError, OverflowError) as error:
        reason = str(error).split("\n")[0].rstrip(".")
        hint = "The file may be incomplete. Write it again, or write it as CSV."
        raise content_error(
            source.name, f"a damaged or unsupported file ({shorten_line(reason)})", "Parquet", hint
        ) from error
