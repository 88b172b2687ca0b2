"""Queries or documents from the records of a file and mappings: an id, a text, further columns."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.arrays import Ints, Mask
from metrics_core.base.errors import LineProblem, TableError
from metrics_core.base.notes import Note
from metrics_core.base.wording import plural
from metrics_core.formats.mapping.axes import MappingError, Records
from metrics_core.formats.mapping.paths import Alternatives
from metrics_core.formats.mapping.rows import Rows, rows_of
from metrics_core.formats.mapping.tables import ids_on, refused_mapping, wrong_value
from metrics_core.formats.parsing.columns import (
    DOCUMENT_IDS,
    DOCUMENT_TEXTS,
    document_columns,
    fold,
)
from metrics_core.formats.registry import KIND_TITLES, NothingOfKindError, Request
from metrics_core.formats.source.lines import refuse_rows
from metrics_core.formats.source.source import Source, shortened
from metrics_core.tables import Documents, Queries
from metrics_core.tables.arrays import column_of, values_of
from metrics_core.tables.columns import ID

_TEXTS = ("segment", *DOCUMENT_TEXTS, "page_content")
"""Keys of a document's text: castorini's, then what it is called elsewhere."""

_IDS = {"queries": "query", "documents": "doc"}
TextColumns = dict[str, list[str | None]]
DocumentValues = Mapping[str, str | None]
"""The values of one document, by our names."""


def load_texts(
    source: Source,
    request: Request,
    blocks: Iterable[Records],
    mappings_of: Callable[[Records], Iterable[Mapping[str, Alternatives]]],
    *,
    title: str,
    not_details: Sequence[str] | None = None,
    hint: str = "",
) -> Queries | Documents:
    """Read queries or documents; what is said first of an id counts, other texts are noted. Of
    documents the role `body` is a text or an object with one, `fields` an object. The values of a
    record that are not mapped and have another name than `not_details` are columns of queries,
    unless that is None. `title` is the format's. Raises FileFormatError, NothingOfKindError for no
    row at all."""
    own_id = _IDS[request.kind]
    ids, parts, unused = list[pa.Array](), list[pa.Table](), dict[str, None]()
    for records in blocks:
        try:
            for mapping in mappings_of(records):
                rows = rows_of(records, mapping)
                nothing = own_id == "doc" and not {"body", "fields"} & rows.columns.keys()
                if nothing or own_id not in rows.columns or not rows.axis.count:
                    continue
                columns = _columns(source, rows, own_id, unused)
                if not_details is not None:
                    columns |= _details(source, rows, {own_id, *not_details})
                there = column_of(_rows_with_values(rows))
                ids.append(ids_on(rows, own_id, rows.axis).filter(there))
                parts.append(_texts_table(columns, rows.axis.count).filter(there))
                source.check_cells(sum(map(len, parts)), 1 + parts[-1].num_columns)
        except MappingError as error:
            raise refused_mapping(source, records, error, hint) from error
    if not sum(map(len, ids)):
        found = f"none in this file ({title})"
        problem = LineProblem(None, found, KIND_TITLES[request.kind])
        raise NothingOfKindError(source.name, [problem], hint=f"Is the file complete? {hint}")
    coded = pa.chunked_array(ids).combine_chunks().dictionary_encode()
    said, differing = _first_values(coded, pa.concat_tables(parts, promote_options="default"))
    try:
        table = _table(own_id, coded.dictionary, said)
    except TableError as error:
        raise refuse_rows(source, error, None) from error
    return table.noting(*_notes(own_id, [*unused], differing))


def _table(own_id: str, ids: pa.Array, said: Mapping[str, pa.Array]) -> Queries | Documents:
    if own_id == "doc":
        return Documents.from_columns({"doc_id": ids} | dict(said))
    listed = {name: column.to_pylist() for name, column in said.items()}
    return Queries.from_columns({"query_id": ids.to_pylist()} | listed)


def _notes(own_id: str, unused: list[str], differing: list[str]) -> Iterator[Note]:
    if unused:
        message = f"lists and objects of documents not used: {shortened(', '.join(unused))}"
        yield Note("columns", message, len(unused), tuple(unused[:3]))
    if differing:
        many = ("query", "queries") if own_id == "query" else ("document", "documents")
        what = f"{len(differing):,} {plural(len(differing), *many)}"
        message = f"{what} repeated with different texts; the first text is kept"
        yield Note("other_texts", message, len(differing), tuple(differing[:3]))


def _rows_with_values(rows: Rows) -> Mask:
    """Return which rows have values, of documents those with a text or fields; bool[row]."""
    said = rows.columns.get("body") or rows.columns.get("fields")
    if said is None:
        return np.ones(rows.axis.count, np.bool_)
    there = ~said.values.missing()
    return there if said.places is None else there[said.places]


def _texts_table(columns: Mapping[str, Sequence[str | None]], count: int) -> pa.Table:
    arrays = {name: pa.array(values, ID) for name, values in columns.items()}
    return pa.table(arrays or {"text": pa.nulls(count, ID)})


def _columns(source: Source, rows: Rows, own_id: str, unused: dict[str, None]) -> TextColumns:
    """Return the mapped columns beside the id, by our names."""
    columns: TextColumns = {}
    for role, column in rows.columns.items():
        if role in ("body", "fields"):
            columns |= _of_documents(source, rows, role, unused)
        elif role != own_id:
            columns[_distinct_name(role, own_id)] = [*map(_text, column.listed())]
    return columns


def _distinct_name(name: str, own_id: str) -> str:
    """Return the name of a column, another one if it is that of our ids."""
    return f"record.{name}" if name == f"{own_id}_id" else name


def _of_documents(source: Source, rows: Rows, role: str, unused: dict[str, None]) -> TextColumns:
    """The columns of documents that are texts, or objects with one and other values."""
    ids, values = ids_on(rows, "doc", rows.axis).to_pylist(), rows.columns[role].listed()
    columns: TextColumns = {"text": []} if role == "body" else {}
    for row, (doc_id, value) in enumerate(zip(ids, values, strict=True)):
        if isinstance(value, str) and role == "body":
            own: DocumentValues = {"text": value}
        elif isinstance(value, dict):
            own = (_values_in_object if role == "body" else _fields)(doc_id, value, unused)
        elif value is None:
            continue
        else:
            wanted = "a text, or an object with one"
            place = rows.columns[role].places
            at = row if place is None else int(place[row])
            expected = wanted if role == "body" else "an object of fields, or its JSON"
            raise wrong_value(rows, role, at, expected)
        if own.keys() - columns.keys():
            source.check_cells(row + 1, len(columns.keys() | own.keys()))
        for name, text in own.items():
            column = columns.setdefault(name, [])
            column += [None] * (row - len(column))
            column.append(text)
    source.check_cells(len(ids), len(columns))
    return {name: own + [None] * (len(ids) - len(own)) for name, own in columns.items()}


def _values_in_object(
    doc_id: str, value: Mapping[str, Any], unused: dict[str, None]
) -> DocumentValues:
    """Return the values in the object of a document, without lists, objects and the id itself."""
    text = next((name for name in _TEXTS if isinstance(value.get(name), str)), None)
    own: dict[str, str | None] = {"text": value[text]} if text is not None else {}
    for name, inside in value.items():
        is_own_id = fold(name) in DOCUMENT_IDS and inside == doc_id
        if isinstance(inside, (dict, list)):
            unused[name] = None
        elif name != text and inside is not None and not is_own_id:
            own["record.text" if name == "text" else _distinct_name(name, "doc")] = _text(inside)
    return own


def _fields(_doc_id: str, value: Mapping[str, Any], _unused: dict[str, None]) -> DocumentValues:
    """The fields of a document, of which one is the title and one the text."""
    names = document_columns(list(value))
    return dict(zip(names, [_text(own) or None for own in value.values()], strict=True))


def _details(source: Source, rows: Rows, known: set[str]) -> TextColumns:
    """The values of each row's record that are not mapped, as texts."""
    mapped = {path.steps[-1].name for path in rows.paths.values() if path.steps}
    depth = next(path for role, path in rows.paths.items() if role in ("query", "doc")).steps[:-1]
    objects = rows.records.values_at(depth)[1].listed()
    names = dict.fromkeys(name for own in objects if isinstance(own, dict) for name in own)
    source.check_cells(len(objects), len(names))
    own_id = "query" if "query" in rows.columns else "doc"
    return {
        _distinct_name(name, own_id): [_text(own.get(name)) for own in objects]
        for name in names
        if name not in mapped and name not in known
    }


def _text(value: Any) -> str | None:
    """A value as text: as it stands, or as JSON if it is nested."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _first_values(
    coded: pa.DictionaryArray, table: pa.Table
) -> tuple[dict[str, pa.Array], list[str]]:
    """Return the first value of each id in each column, and the ids with other values later."""
    codes = values_of(coded.indices).astype(np.int64)
    known = len(coded.dictionary)
    differing = np.zeros(known, dtype=np.bool_)
    columns: dict[str, pa.Array] = {}
    for name in table.column_names:
        values = table[name].combine_chunks()
        said = np.flatnonzero(values_of(values.is_valid()))
        if not len(said):
            continue
        own, first = np.unique(codes[said], return_index=True)
        places: Ints = np.full(known, -1)
        places[own] = said[first]
        taken = values.take(pa.array(places, mask=places < 0))
        others = pc.not_equal(values, taken.take(column_of(codes)))
        differing[codes[values_of(pc.fill_null(others, False))]] = True
        columns[name] = pc.fill_null(taken, "") if name in ("text", "title") else taken
    shown = coded.dictionary.filter(pa.array(differing)).to_pylist()
    return columns, shown
