"""The records of a file in blocks: a list of JSON, one object, JSON Lines, Parquet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa

from metrics_core.formats.mapping.axes import PythonValues, Records
from metrics_core.formats.parquet import MAGIC, guarded, has_nested, opened_parquet
from metrics_core.formats.parsing.json_beginning import beginning
from metrics_core.formats.parsing.json_text import (
    first_object,
    is_incomplete,
    json_lines,
    lines_of,
    parse_file,
)
from metrics_core.formats.registry import Sample
from metrics_core.formats.source.limits import TREE
from metrics_core.formats.source.source import Source

if TYPE_CHECKING:
    import pyarrow.parquet as pq

_RECORDS_AT_ONCE = 20_000
_CHARACTERS_AT_ONCE, _ROWS_AT_ONCE = 500_000, 2_000
"""The most of JSON Lines, and the rows of Parquet, that are one block."""
_LOOKED_AT, _LINES = 50, 20
"""Rows of Parquet, and lines, that tell what a file holds."""


_KNOWN = WeakKeyDictionary[Sample, tuple[list[Any], bool]]()
"""Many formats look at the first records of one file."""


def first_records(sample: Sample) -> tuple[list[Any], bool]:
    """The first records of JSON, or of Parquet with nested columns, and whether the only one is
    cut off."""
    if sample not in _KNOWN:
        _KNOWN[sample] = _first_records(sample)
    return _KNOWN[sample]


def _first_records(sample: Sample) -> tuple[list[Any], bool]:
    if sample.source.magic.startswith(MAGIC):
        return first_rows(sample.source), False
    if not sample.text.lstrip().startswith(("{", "[")):
        return [], False
    value, whole = sample.json, sample.has_first_record
    first = value[0] if isinstance(value, list) and value else value
    if not whole and isinstance(first, dict) and any(type(own) is list for own in first.values()):
        value, whole = beginning(sample.text, len(sample.text))
        whole = whole or (isinstance(value, list) and len(value) > 1)
    if isinstance(value, list):
        return value, not whole
    if not whole or not sample.lines or is_incomplete(sample.lines[0]):
        return [value], not whole
    return [first_object(line) or beginning(line).value for line in sample.lines[:_LINES]], False


def first_rows(source: Source) -> list[Any]:
    """The first rows of Parquet that has lists or objects in columns; none of other Parquet. Raises
    FileFormatError."""
    file = opened_parquet(source)
    batch = guarded(source, partial(_first_batch, source, file))
    rows: list[Any] = [] if batch is None else guarded(source, batch.to_pylist)
    return rows


def _first_batch(source: Source, file: pq.ParquetFile) -> pa.RecordBatch | None:
    from metrics_core.formats.source.parquet_size import check_size

    names = file.schema_arrow.names
    if not has_nested(file) or len({*names}) < len(names):
        return None
    check_size(source, file, names, first=_LOOKED_AT, lists=True)
    return next(file.iter_batches(_LOOKED_AT), None)


def blocks_of(
    source: Source, wanted: Callable[[str], bool], *, at_once: bool = False
) -> Iterator[Records]:
    """The records of a file, many at a time or all; of Parquet only the wanted columns. Raises
    FileFormatError."""
    if source.magic.startswith(MAGIC):
        yield from _of_parquet(source, wanted)
        return
    numbered = _numbered(source)
    if numbered is None:
        content = parse_file(source)
        records = content if isinstance(content, list) else [content]
        step = len(records) if at_once else _RECORDS_AT_ONCE
        for start in range(0, max(len(records), 1), max(step, 1)):
            yield Records(PythonValues(records[start : start + step]))
        return
    size = 0

    def measured() -> Iterator[tuple[int, str]]:
        nonlocal size
        for number, line in numbered:
            size += len(line)
            yield number, line

    lines, values = list[int](), list[Any]()
    for number, value in json_lines(source, measured()):
        lines.append(number)
        values.append(value)
        is_full = len(values) == _RECORDS_AT_ONCE or size > _CHARACTERS_AT_ONCE
        if is_full and not at_once:
            yield Records(PythonValues(values), np.array(lines))
            lines, values, size = [], [], 0
    if values:
        yield Records(PythonValues(values), np.array(lines))


def _numbered(source: Source) -> Iterable[tuple[int, str]] | None:
    """The lines of JSON Lines by their numbers; None for a file of one value."""
    head = source.head.lstrip()
    if head.startswith(b"["):
        return None
    if b"\n" in head:
        is_one = is_incomplete(head.partition(b"\n")[0].decode())
        return None if is_one else enumerate(source.text_lines(), 1)
    text = source.content(TREE)
    return None if is_incomplete(text.lstrip().partition("\n")[0]) else lines_of(text)


def _of_parquet(source: Source, wanted: Callable[[str], bool]) -> Iterator[Records]:
    from metrics_core.formats.source.parquet_size import check_size

    file = opened_parquet(source)
    names = [name for name in file.schema_arrow.names if wanted(name)]
    guarded(source, partial(check_size, source, file, names, lists=True))
    size, batches = 0, file.iter_batches(_ROWS_AT_ONCE, columns=names)
    while (batch := guarded(source, partial(next, batches, None))) is not None:
        size += batch.nbytes
        source.limit.check_size(source.name, size)
        guarded(source, partial(batch.validate, full=True))
        yield Records.of_table(pa.Table.from_batches([batch]))
