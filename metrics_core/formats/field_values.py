"""Read the fields of a file with their first values.

This module is imported only if the user must choose the kind of a file, because the reader of
records is slow to load."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Unpack

from metrics_core.formats.fields import FileField, FileFields
from metrics_core.formats.file_kinds import read_sample
from metrics_core.formats.mapping.axes import MappingError, PythonValues, Records
from metrics_core.formats.mapping.documents import SAMPLE_SIZE, collect_values, is_nested
from metrics_core.formats.mapping.infer import infer_mappings
from metrics_core.formats.mapping.paths import RecordPath
from metrics_core.formats.mapping.records import read_first_records
from metrics_core.formats.parsing.chosen_columns import WORD_OF
from metrics_core.formats.parsing.columns import infer_header_roles
from metrics_core.formats.parsing.json_text import parse_first_object
from metrics_core.formats.read_as import KindChoices, ReadAs
from metrics_core.formats.reading import read_sample_rows
from metrics_core.formats.registry import KINDS, FirstRows, Kind, Sample
from metrics_core.formats.source.source import is_parquet
from metrics_core.formats.source.unpacking import PathOrBytes


def read_fields(
    source: PathOrBytes, *, name: str | None = None, **choices: Unpack[KindChoices]
) -> FileFields | None:
    """Return the fields of a file with their first values.

    Returns None if the file has neither named nor tab-separated columns. Raises FileFormatError if
    the file is empty or cannot be opened.
    """
    sample = read_sample(ReadAs(**choices).open_file(source, name))
    first_rows = read_sample_rows(sample)
    if first_rows is None and not is_parquet(sample.source):
        return None
    records, is_truncated = _read_first_records(sample)
    if not records:
        return None if first_rows is None else _table_fields(first_rows)
    values = Records(PythonValues(records))
    paths = [path for path in collect_values(records) if path.steps]
    if all(len(path.steps) == 1 for path in paths):
        fields = {path.steps[0].name: _field_at(values, path) for path in paths}
        return FileFields(fields, len(records), _infer_by_names(list(fields), fields))
    inferred: dict[Kind, dict[str, str]] = {}
    for kind, mappings in infer_mappings(records, is_truncated=is_truncated).mappings.items():
        paths_by_role = {
            role: entries[0] for role, entries in mappings[0].items() if entries[0].constant is None
        }
        inferred[kind] = {role: str(path) for role, path in paths_by_role.items()}
        paths = list(dict.fromkeys((*paths_by_role.values(), *paths)))
    fields = {str(path): _field_at(values, path) for path in paths}
    fields = {path: field for path, field in fields.items() if field.values}
    last_names = [path.steps[-1].name for path in paths if str(path) in fields]
    listed_fields = {
        k: {w: p for w, p in entries.items() if p in fields} for k, entries in inferred.items()
    }
    return FileFields(
        fields, len(records), {**_infer_by_names(last_names, fields), **listed_fields}
    )


def _read_first_records(sample: Sample) -> tuple[list[Any], bool]:
    """Return the first records of JSON or nested Parquet, and whether they are truncated."""
    records, is_truncated = read_first_records(sample)
    if records and sample.text.lstrip().startswith("{"):
        lines = list(map(parse_first_object, sample.lines))
        if lines and lines[0]:
            records = [record for record in lines if record]
    return records[:SAMPLE_SIZE], is_truncated


def _table_fields(first_rows: FirstRows) -> FileFields:
    columns: dict[str, list[str]] = {name: [] for name in first_rows.names}
    for row in first_rows.rows:
        for name, value in zip(first_rows.names, row, strict=False):
            columns[name].append(value)
    fields = {name: FileField(values, range(len(values))) for name, values in columns.items()}
    return FileFields(
        fields, len(first_rows.rows), _infer_by_names(first_rows.names, first_rows.names)
    )


def _infer_by_names(names: Sequence[str], fields: Iterable[str]) -> dict[Kind, Mapping[str, str]]:
    """Return, for each kind of table, a dictionary from each role that a field name indicates to
    the field. `fields` are in the order of `names`."""
    field_names = list(fields)
    roles_by_kind = {kind: infer_header_roles(names, kind).roles for kind in KINDS}
    words = {**WORD_OF, "tag": "system"}
    return {
        kind: {words.get(role, role): field_names[index] for role, index in roles.items()}
        for kind, roles in roles_by_kind.items()
    }


def _field_at(records: Records, path: RecordPath) -> FileField:
    """Return the values at a path that are not lists or objects, as a FileField. It is empty if the
    path cannot be read."""
    with suppress(MappingError):
        axis, values = records.values_at(path.steps)
        lists = range(axis.count) if axis.parent_axis is None else axis.parents.tolist()
        pairs = [
            (str(value), list_number)
            for value, list_number in zip(values.to_list(), lists, strict=True)
            if value is not None and not is_nested(value)
        ]
        if pairs:
            texts, list_numbers = zip(*pairs, strict=True)
            return FileField(texts, list_numbers)
    return FileField((), ())
