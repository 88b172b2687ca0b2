"""The fields of a file as they are read from its beginning: loaded only for files that are asked
about, as what reads records takes long to load."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path as FilePath
from typing import Any, Unpack

from metrics_core.formats.fields import FileField, FileFields
from metrics_core.formats.kinds import sample_of
from metrics_core.formats.mapping.axes import MappingError, PythonValues, Records
from metrics_core.formats.mapping.documents import LOOKED_AT, is_nested, values_by_path
from metrics_core.formats.mapping.infer import infer
from metrics_core.formats.mapping.paths import Path
from metrics_core.formats.mapping.records import first_records
from metrics_core.formats.parquet import MAGIC
from metrics_core.formats.parsing.chosen_columns import WORD_OF
from metrics_core.formats.parsing.columns import understand
from metrics_core.formats.parsing.json_text import first_object
from metrics_core.formats.read_as import ChoicesOfKind, ReadAs
from metrics_core.formats.reading import rows_of_sample
from metrics_core.formats.registry import KINDS, FirstRows, Kind, Sample


def fields_of(
    source: str | FilePath | bytes, *, name: str | None = None, **choices: Unpack[ChoicesOfKind]
) -> FileFields | None:
    """Return the fields of a file with their first values; None if its format has none by name or
    between tabs. Raises FileFormatError."""
    sample = sample_of(ReadAs(**choices).opened(source, name))
    found = rows_of_sample(sample)
    if found is None and not sample.source.magic.startswith(MAGIC):
        return None
    records, cut = _records(sample)
    if not records:
        return None if found is None else _of_rows(found)
    values = Records(PythonValues(records))
    paths = [path for path in values_by_path(records) if path.steps]
    if all(len(path.steps) == 1 for path in paths):
        fields = {path.steps[0].name: _at(values, path) for path in paths}
        return FileFields(fields, len(records), _by_names(list(fields), fields))
    inferred: dict[Kind, dict[str, str]] = {}
    for kind, mappings in infer(records, cut=cut).mappings.items():
        given = {role: own[0] for role, own in mappings[0].items() if own[0].constant is None}
        inferred[kind] = {role: str(path) for role, path in given.items()}
        paths = list(dict.fromkeys((*given.values(), *paths)))
    fields = {str(path): _at(values, path) for path in paths}
    fields = {path: field for path, field in fields.items() if field.values}
    last = [path.steps[-1].name for path in paths if str(path) in fields]
    found_in = {k: {w: p for w, p in own.items() if p in fields} for k, own in inferred.items()}
    return FileFields(fields, len(records), {**_by_names(last, fields), **found_in})


def _records(sample: Sample) -> tuple[list[Any], bool]:
    """The first records of JSON or of Parquet with lists, and whether the only one is cut off."""
    records, cut = first_records(sample)
    if records and sample.text.lstrip().startswith("{"):
        lines = list(map(first_object, sample.lines))
        if lines and lines[0]:
            records = [own for own in lines if own]
    return records[:LOOKED_AT], cut


def _of_rows(found: FirstRows) -> FileFields:
    columns: dict[str, list[str]] = {name: [] for name in found.names}
    for row in found.rows:
        for name, value in zip(found.names, row, strict=False):
            columns[name].append(value)
    fields = {name: FileField(own, range(len(own))) for name, own in columns.items()}
    return FileFields(fields, len(found.rows), _by_names(found.names, found.names))


def _by_names(names: Sequence[str], fields: Iterable[str]) -> dict[Kind, Mapping[str, str]]:
    """What these names say, for fields in the same order."""
    own, understood = list(fields), {kind: understand(names, kind).roles for kind in KINDS}
    words = {**WORD_OF, "tag": "system"}
    return {
        kind: {words.get(role, role): own[at] for role, at in roles.items()}
        for kind, roles in understood.items()
    }


def _at(records: Records, path: Path) -> FileField:
    """The single values at a path; none if they are of several kinds."""
    with suppress(MappingError):
        axis, values = records.values_at(path.steps)
        lists = range(axis.count) if axis.above is None else axis.parents.tolist()
        pairs = [
            (str(value), place)
            for value, place in zip(values.listed(), lists, strict=True)
            if value is not None and not is_nested(value)
        ]
        if pairs:
            texts, places = zip(*pairs, strict=True)
            return FileField(texts, places)
    return FileField((), ())
