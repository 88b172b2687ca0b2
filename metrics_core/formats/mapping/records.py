"""Read the records of a file in blocks: a JSON list, one JSON object, JSON Lines or Parquet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa

from metrics_core.formats.mapping.axes import PythonValues, Records
from metrics_core.formats.mapping.list_cells import first_records
from metrics_core.formats.parquet import convert_arrow_errors, has_nested_columns, open_parquet
from metrics_core.formats.parsing.json_beginning import parse_json_prefix
from metrics_core.formats.parsing.json_text import (
    is_incomplete_json,
    numbered_lines,
    parse_file,
    parse_first_object,
    parse_json_lines,
)
from metrics_core.formats.registry import Sample, is_json
from metrics_core.formats.source.limits import TREE_FACTOR
from metrics_core.formats.source.parquet_size import check_table_size
from metrics_core.formats.source.source import Source, is_parquet

_RECORDS_AT_ONCE = 20_000
_CHARACTERS_AT_ONCE, _ROWS_AT_ONCE = 500_000, 2_000
"""Maximum size of a block: characters of JSON Lines, and rows of Parquet."""
_SAMPLED_ROWS, _SAMPLED_LINES = 50, 20
"""Number of Parquet rows, and number of lines, that are read to recognise a file."""


_CACHE = WeakKeyDictionary[Sample, tuple[list[Any], bool]]()
"""The first records of a sample, and whether they are truncated. They are cached because many
formats examine the same sample."""


def read_first_records(sample: Sample) -> tuple[list[Any], bool]:
    """Return the first records of JSON or nested Parquet, and whether they are truncated.

    Records are truncated if the sample ends within the only record.
    """
    if sample not in _CACHE:
        _CACHE[sample] = _parse_first_records(sample)
    return _CACHE[sample]


def _parse_first_records(sample: Sample) -> tuple[list[Any], bool]:
    if is_parquet(sample.source):
        return read_first_rows(sample.source), False
    if not is_json(sample):
        return [*first_records(sample)], False
    value, is_complete = sample.json, sample.has_first_record
    first_record = value[0] if isinstance(value, list) and value else value
    if (
        not is_complete
        and isinstance(first_record, dict)
        and any(type(field_value) is list for field_value in first_record.values())
    ):
        value, is_complete = parse_json_prefix(sample.text, len(sample.text))
        is_complete = is_complete or (isinstance(value, list) and len(value) > 1)
    if isinstance(value, list):
        return value, not is_complete
    if not is_complete or not sample.lines or is_incomplete_json(sample.lines[0]):
        return [value], not is_complete
    return [
        parse_first_object(line) or parse_json_prefix(line).value
        for line in sample.lines[:_SAMPLED_LINES]
    ], False


def read_first_rows(source: Source) -> list[Any]:
    """Return the first rows of a Parquet file.

    Raises FileFormatError if the file cannot be read."""
    file = open_parquet(source)
    if not has_nested_columns(source, file):
        return []
    with convert_arrow_errors(source):
        names = file.schema_arrow.names
        if len({*names}) < len(names):
            return []
        check_table_size(source, file, names, n_rows=_SAMPLED_ROWS, allow_lists=True)
        batch = next(file.iter_batches(_SAMPLED_ROWS), None)
        return [] if batch is None else batch.to_pylist()


def read_blocks(
    source: Source, column_filter: Callable[[str], bool], *, in_one_block: bool = False
) -> Iterator[Records]:
    """Yield the records of a file in blocks. If `in_one_block` is true, all records are in one
    block.

    `column_filter` selects Parquet columns by name. Raises FileFormatError if the file cannot be
    read."""
    if is_parquet(source):
        yield from _read_parquet(source, column_filter, in_one_block)
        return
    lines_by_number = _number_lines(source)
    if lines_by_number is None:
        content = parse_file(source)
        records = content if isinstance(content, list) else [content]
        step = len(records) if in_one_block else _RECORDS_AT_ONCE
        for start in range(0, max(len(records), 1), max(step, 1)):
            yield Records(PythonValues(records[start : start + step]))
        return
    size = 0

    def iterate_lines() -> Iterator[tuple[int, str]]:
        nonlocal size
        for number, line in lines_by_number:
            size += len(line)
            yield number, line

    lines, values = list[int](), list[Any]()
    for number, value in parse_json_lines(source, iterate_lines()):
        lines.append(number)
        values.append(value)
        is_full = len(values) == _RECORDS_AT_ONCE or size > _CHARACTERS_AT_ONCE
        if is_full and not in_one_block:
            yield Records(PythonValues(values), np.array(lines))
            lines, values, size = [], [], 0
    if values:
        yield Records(PythonValues(values), np.array(lines))


def _number_lines(source: Source) -> Iterable[tuple[int, str]] | None:
    """Return the lines of JSON Lines with their numbers; None for a file with a single JSON
    value."""
    head = source.head.lstrip()
    if head.startswith(b"["):
        return None
    if b"\n" in head:
        is_one = is_incomplete_json(head.partition(b"\n")[0].decode())
        return None if is_one else enumerate(source.text_lines(), 1)
    text = source.content(TREE_FACTOR)
    return None if is_incomplete_json(text.lstrip().partition("\n")[0]) else numbered_lines(text)


def _read_parquet(
    source: Source, column_filter: Callable[[str], bool], in_one_block: bool
) -> Iterator[Records]:
    file = open_parquet(source)
    names = [name for name in file.schema_arrow.names if column_filter(name)]
    size, batches = 0, list[pa.RecordBatch]()
    with convert_arrow_errors(source):
        check_table_size(source, file, names, allow_lists=True)
        for batch in file.iter_batches(_ROWS_AT_ONCE, columns=names):
            size += batch.nbytes
            source.limit.check_size(source.name, size)
            batch.validate(full=True)
            batches.append(batch)
            if not in_one_block:
                yield Records.from_table(pa.Table.from_batches(batches))
                batches.clear()
    if in_one_block:
        yield Records.from_table(pa.Table.from_batches(batches) if batches else pa.table({}))
