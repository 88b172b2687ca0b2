"""Records of separated fields, each with the physical line on which it starts."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import pyarrow as pa

from metrics_core.base.errors import MOST_PROBLEMS_SHOWN, LineProblem
from metrics_core.base.notes import Note
from metrics_core.base.parallel import in_order
from metrics_core.formats.parsing.chosen_columns import by_number, numbered, read_as
from metrics_core.formats.parsing.columns import Understood, understand
from metrics_core.formats.parsing.named import NamedColumns, check_columns, check_header
from metrics_core.formats.parsing.regular import read_regular
from metrics_core.formats.registry import Kind, Request
from metrics_core.formats.source.lines import LineIndex, Stretch, counted, refuse
from metrics_core.formats.source.source import LONGEST_LINE, Source
from metrics_core.tables.columns import CODED_ID, ID

Record = tuple[int, int, list[str]]
"""First and last physical line, and the fields; no fields for a blank line."""

csv.field_size_limit(LONGEST_LINE)

_QUOTED = re.compile(r'"((?:[^"]|"")*+)"(?=\t|\Z)')


def csv_fields(line: str, separator: str) -> list[str]:
    """The fields of one line of CSV; none where its quotes do not close."""
    try:
        return next(csv.reader([line], delimiter=separator, strict=True), [])
    except csv.Error:
        return []


def tsv_fields(line: str) -> list[str]:
    """The fields of a line between tabs; a field is unquoted if its quotes close in the line."""
    if '"' not in line:
        return line.split("\t")
    fields: list[str] = []
    at = 0
    while at <= len(line):
        quoted = _QUOTED.match(line, at)
        end = quoted.end() if quoted else line.find("\t", at)
        end = len(line) if end < 0 else end
        fields.append(quoted[1].replace('""', '"') if quoted else line[at:end])
        at = end + 1
    return fields


def csv_records(source: Source, separator: str) -> Iterator[Record]:
    """The records of a CSV file; raises FileFormatError where a quote does not close."""
    rows = csv.reader(source.text_lines(), delimiter=separator, strict=True)
    while True:
        first = rows.line_num + 1
        try:
            fields = next(rows, None)
        except csv.Error as error:
            problem = LineProblem(first, f"a malformed quoted field ({error})", "closed quotes")
            raise refuse(
                source, [problem], hint='Double a quote inside a quoted field: "".'
            ) from error
        if fields is None:
            return
        yield (
            first,
            rows.line_num,
            [] if len(fields) < 2 and not "".join(fields).strip() else fields,
        )


def tsv_records(source: Source) -> Iterator[Record]:
    """The records of a TSV file, one a line."""
    for number, line in enumerate(source.text_lines(), start=1):
        text = line.rstrip("\r\n")
        yield number, number, tsv_fields(text) if text.strip() else []


def named_from(
    source: Source, request: Request, records: Iterable[Record], names: Sequence[str] | None = None
) -> NamedColumns:
    """Named columns of records; without `names` the first record names them."""
    header = None
    problems: list[LineProblem] = []
    columns: list[list[str]] = [[] for _ in names or ()]
    lines: list[int] = []
    blanks = comments = bad = 0
    for first, last, fields in records:
        if fields and names is None and by_number(request.columns):
            names = numbered(fields)
            columns = [[] for _ in names]
        if not fields:
            blanks += 1
        elif names is None and fields[0].startswith("#"):
            comments += 1
        elif names is None:
            header, names = first, _column_names(fields)
            source.check_cells(1, len(names), header)
            check_header(source, names, header)
            check_columns(source, names, request, header)
            columns = [[] for _ in names]
        elif len(fields) != len(names) or (last > first and request.kind in ("run", "qrels")):
            bad += 1
            if len(problems) < MOST_PROBLEMS_SHOWN:
                problems.append(_misfit(first, last, fields, names))
        else:
            lines.append(first)
            if not len(lines) % _ROWS_BETWEEN_CHECKS:
                source.check_cells(len(lines), len(names))
            for column, value in zip(columns, fields, strict=True):
                column.append(value)
    if problems:
        raise refuse(source, problems, count=bad)
    arrays = {
        name: pa.chunked_array([pa.array(column, ID)])
        for name, column in zip(names or (), columns, strict=True)
    }
    return NamedColumns(list(arrays), arrays, LineIndex.of(lines), _notes(blanks, comments), header)


def _misfit(first: int, last: int, fields: Sequence[str], names: Sequence[str]) -> LineProblem:
    hint = f"Columns: {', '.join(names[:12])}."
    if last > first:
        found = f"{len(fields)}, over {last - first + 1} lines"
        return LineProblem(
            first, found, f"{len(names)} columns", hint="Is a closing quote missing?"
        )
    if len(fields) > len(names):
        hint += " A separator inside a value needs quotes around the value."
    return LineProblem(first, str(len(fields)), f"{len(names)} columns", hint=hint)


def _notes(blanks: int, comments: int) -> list[Note]:
    notes = []
    if comments:
        notes.append(Note("comment", f"{counted(comments, 'comment line')} (#), skipped", comments))
    if blanks:
        notes.append(Note("blank", f"{counted(blanks, 'blank line')}, skipped", blanks))
    return notes


def quickly_named(source: Source, request: Request, separator: str) -> NamedColumns | None:
    """Named columns by Arrow, for a file without quotes, blank lines and misfits; else None.

    It gives what `named_from` gives, except that scores are numbers already.
    """
    first, _, _ = source.head.partition(b"\n")
    names = _column_names(first.decode().split(separator))
    understood = understand(read_as(names, request.columns), request.kind)
    if (
        first.startswith(b"#")
        or by_number(request.columns)
        or understood.missing
        or len(set(names)) < len(names)
    ):
        return None
    types = _types(names, understood, request.kind)
    required = [names[understood.roles[role]] for role in _REQUIRED & understood.roles.keys()]
    return quick_columns(source, separator, names, types, required)


def quick_columns(
    source: Source,
    separator: str,
    names: Sequence[str],
    types: Mapping[str, pa.DataType],
    required: Sequence[str],
    *,
    header: bool = True,
) -> NamedColumns | None:
    """The columns of these types, below a line of names where there is a `header`; None for a file
    with quotes, blank lines or misfits."""

    def read(numbered: tuple[int, bytes]) -> pa.Table | None:
        number, block = numbered
        rows = block.partition(b"\n")[2] if number == 0 and header else block
        if b'"' in rows:
            return None
        return read_regular(rows or b"\n", separator, names, types, required)

    tables: list[pa.Table] = []
    for table in in_order(read, enumerate(source.blocks())):
        if table is None:
            return None
        tables.append(table)
        source.check_cells(sum(map(len, tables)), len(types))
    whole = pa.concat_tables(tables).unify_dictionaries()
    columns = {name: whole[name] for name in types}
    index = LineIndex((Stretch(len(whole), len(whole)),), first=2 if header else 1)
    return NamedColumns(list(names), columns, index)


_ROWS_BETWEEN_CHECKS = 1_000
_REQUIRED = {"query_id", "doc_id", "relevance"}


def _types(names: Sequence[str], understood: Understood, kind: Kind) -> dict[str, pa.DataType]:
    """Arrow types of the columns that a table of this kind uses."""
    scored = "score" in understood.roles
    numbers = {"score": pa.float64()} | ({} if scored else {"rank": pa.float64()})
    coded = dict.fromkeys(("query_id", "relevance", "tag", "rank"), CODED_ID)
    types = {
        names[at]: numbers.get(role) or coded.get(role) or ID
        for role, at in understood.roles.items()
        if not (kind == "qrels" and role == "rank")
    }
    if kind in ("queries", "documents"):
        types |= {names[at]: ID for at in understood.others}
    return types


def _column_names(fields: Iterable[str]) -> list[str]:
    """The names in a header; one without a name is called by its number."""
    stripped = (field.strip() for field in fields)
    return [name or f"column_{number}" for number, name in enumerate(stripped, start=1)]
