"""Read records of separated fields, each with the physical line on which it starts."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import pyarrow as pa

from metrics_core.base.errors import MOST_PROBLEMS_SHOWN, LineProblem
from metrics_core.base.parallel import map_in_order
from metrics_core.formats.parsing.blocks import skipped_line_notes
from metrics_core.formats.parsing.chosen_columns import (
    are_columns_numbered,
    column_numbers,
    rename_header,
)
from metrics_core.formats.parsing.columns import HeaderRoles, infer_header_roles
from metrics_core.formats.parsing.named import NamedColumns, check_columns, check_header
from metrics_core.formats.parsing.regular import read_regular
from metrics_core.formats.registry import Kind, Request
from metrics_core.formats.source.lines import (
    LineIndex,
    LineRange,
    file_error,
    line_error,
)
from metrics_core.formats.source.source import MAX_LINE_BYTES, Source
from metrics_core.tables.columns import CODED_ID, ID

Record = tuple[int, int, list[str]]
"""A record: its first and last physical line, and its fields. A blank line is a record without
fields."""

csv.field_size_limit(MAX_LINE_BYTES)

_QUOTED = re.compile(r'"((?:[^"]|"")*+)"(?=\t|\Z)')


def _collapse_blanks(line: str, separator: str) -> str:
    """Return the line. If the separator is a blank, consecutive blanks are replaced by a single
    blank."""
    return " ".join(line.split()) if separator == " " else line


def split_csv(line: str, separator: str) -> list[str]:
    """Return the fields of one line of CSV. The list is empty if a quoted field is not closed."""
    try:
        return next(
            csv.reader([_collapse_blanks(line, separator)], delimiter=separator, strict=True), []
        )
    except csv.Error:
        return []


def split_tsv(line: str) -> list[str]:
    """Return the tab-separated fields of a line.

    Quotes around a field are removed only if the closing quote is on the same line."""
    if '"' not in line:
        return line.split("\t")
    fields: list[str] = []
    start = 0
    while start <= len(line):
        match = _QUOTED.match(line, start)
        end = match.end() if match else line.find("\t", start)
        end = len(line) if end < 0 else end
        fields.append(match[1].replace('""', '"') if match else line[start:end])
        start = end + 1
    return fields


def find_separator(line: str) -> str:
    """Return the separator that a header uses: a tab or a comma."""
    return "\t" if "\t" in line else ","


def read_csv_records(source: Source, separator: str) -> Iterator[Record]:
    """Yield the records of a CSV file. Raises FileFormatError if a quoted field is not closed."""
    lines = (_collapse_blanks(line, separator) for line in source.text_lines())
    rows = csv.reader(lines, delimiter=separator, strict=True)
    while True:
        first = rows.line_num + 1
        try:
            fields = next(rows, None)
        except csv.Error as error:
            raise line_error(
                source,
                first,
                f"a malformed quoted field ({error})",
                "closed quotes",
                'Double a quote inside a quoted field: "".',
            ) from error
        if fields is None:
            return
        yield (
            first,
            rows.line_num,
            [] if len(fields) < 2 and not "".join(fields).strip() else fields,
        )


def read_tsv_records(source: Source) -> Iterator[Record]:
    """Yield the records of a TSV file, one per line."""
    for number, line in enumerate(source.text_lines(), start=1):
        text = line.rstrip("\r\n")
        yield number, number, split_tsv(text) if text.strip() else []


def read_records(source: Source, separator: str) -> Iterator[Record]:
    """Yield the records of a file: of TSV if the separator is a tab, otherwise of CSV."""
    return read_tsv_records(source) if separator == "\t" else read_csv_records(source, separator)


def read_table(source: Source, request: Request, separator: str) -> NamedColumns:
    """Return the columns of a table with a header, quickly if the file is regular. Raises the
    errors of `read_named_columns`."""
    named = read_named_columns_with_arrow(source, request, separator)
    if named is None:
        named = read_named_columns(source, request, read_records(source, separator))
    return named


def read_named_columns(
    source: Source, request: Request, records: Iterable[Record], names: Sequence[str] | None = None
) -> NamedColumns:
    """Return the columns of records by name. If `names` is None, the first record is the header.

    Raises FileFormatError for a malformed header, and for records with a different number of fields
    than the header."""
    header = None
    problems: list[LineProblem] = []
    columns: list[list[str]] = [[] for _ in names or ()]
    lines: list[int] = []
    blanks = comments = bad_count = 0
    for first, last, fields in records:
        if fields and names is None and are_columns_numbered(request.columns):
            names = column_numbers(fields)
            columns = [[] for _ in names]
        if not fields:
            blanks += 1
        elif names is None and fields[0].startswith("#"):
            comments += 1
        elif names is None:
            header, names = first, _make_column_names(fields)
            source.check_cells(1, len(names), header)
            check_header(source, names, header)
            check_columns(source, names, request, header)
            columns = [[] for _ in names]
        elif len(fields) != len(names) or (last > first and request.kind in ("run", "qrels")):
            bad_count += 1
            if len(problems) < MOST_PROBLEMS_SHOWN:
                problems.append(_misfit_problem(first, last, fields, names))
        else:
            lines.append(first)
            if not len(lines) % _ROWS_BETWEEN_CHECKS:
                source.check_cells(len(lines), len(names))
            for column, value in zip(columns, fields, strict=True):
                column.append(value)
    if problems:
        raise file_error(source, problems, count=bad_count)
    arrays = {
        name: pa.chunked_array([pa.array(column, ID)])
        for name, column in zip(names or (), columns, strict=True)
    }
    return NamedColumns(
        list(arrays),
        arrays,
        LineIndex.from_numbers(lines),
        skipped_line_notes(blanks, comments),
        header,
    )


def _misfit_problem(
    first_line: int, last_line: int, fields: Sequence[str], names: Sequence[str]
) -> LineProblem:
    hint = f"Columns: {', '.join(names[:12])}."
    if last_line > first_line:
        actual = f"{len(fields)}, spread over {last_line - first_line + 1} lines"
        return LineProblem(
            first_line, actual, f"{len(names)} columns", hint="Is a closing quote missing?"
        )
    if len(fields) > len(names):
        hint += " A separator inside a value needs quotes around the value."
    return LineProblem(first_line, str(len(fields)), f"{len(names)} columns", hint=hint)


def read_named_columns_with_arrow(
    source: Source, request: Request, separator: str
) -> NamedColumns | None:
    """Read named columns with Arrow; None if the file is not regular.

    A regular file has no quotes, blank lines or malformed lines. The result is the same as with
    `read_named_columns`, except that scores are already numbers."""
    first_line, _, _ = source.head.partition(b"\n")
    names = _make_column_names(first_line.decode().split(separator))
    header_roles = infer_header_roles(rename_header(names, request.columns), request.kind)
    if (
        first_line.startswith(b"#")
        or are_columns_numbered(request.columns)
        or header_roles.missing
        or len(set(names)) < len(names)
    ):
        return None
    types = _column_types(names, header_roles, request.kind)
    required = [names[header_roles.roles[role]] for role in _REQUIRED & header_roles.roles.keys()]
    return read_columns_with_arrow(source, separator, names, types, required)


def read_columns_with_arrow(
    source: Source,
    separator: str,
    names: Sequence[str],
    types: Mapping[str, pa.DataType],
    required: Sequence[str],
    *,
    has_header: bool = True,
) -> NamedColumns | None:
    """Read columns of these types with Arrow; None if the file is not regular.

    A regular file has no quotes, blank lines or malformed lines. If `has_header` is true, the first
    line is skipped."""

    def read_block(numbered_block: tuple[int, bytes]) -> pa.Table | None:
        number, block = numbered_block
        rows = block.partition(b"\n")[2] if number == 0 and has_header else block
        if b'"' in rows:
            return None
        return read_regular(rows or b"\n", separator, names, types, required)

    tables: list[pa.Table] = []
    for table in map_in_order(read_block, enumerate(source.blocks())):
        if table is None:
            return None
        tables.append(table)
        source.check_cells(sum(map(len, tables)), len(types))
    all_rows = pa.concat_tables(tables).unify_dictionaries()
    columns = {name: all_rows[name] for name in types}
    index = LineIndex((LineRange(len(all_rows), len(all_rows)),), first=2 if has_header else 1)
    return NamedColumns(list(names), columns, index)


_ROWS_BETWEEN_CHECKS = 1_000
_REQUIRED = {"query_id", "doc_id", "relevance"}


def _column_types(
    names: Sequence[str], header_roles: HeaderRoles, kind: Kind
) -> dict[str, pa.DataType]:
    """Return a dictionary from the name of each column that a table of this kind uses to the Arrow
    type of the column."""
    has_scores = "score" in header_roles.roles
    numbers = {"score": pa.float64()} | ({} if has_scores else {"rank": pa.float64()})
    coded_types = dict.fromkeys(("query_id", "relevance", "tag", "rank"), CODED_ID)
    types = {
        names[index]: numbers.get(role) or coded_types.get(role) or ID
        for role, index in header_roles.roles.items()
        if not (kind == "qrels" and role == "rank")
    }
    if kind in ("queries", "documents", "scores"):
        types |= {names[index]: ID for index in header_roles.others}
    return types


def _make_column_names(fields: Iterable[str]) -> list[str]:
    """Return the column names of a header. A column without a name is named by its number."""
    stripped = (field.strip() for field in fields)
    return [name or f"column_{number}" for number, name in enumerate(stripped, start=1)]
