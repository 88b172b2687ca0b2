"""Build queries or documents from records and mappings: an id, a text and further columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.arrays import Ints, Mask
from metrics_core.base.notes import Note, note_on_cases
from metrics_core.base.wording import format_with_noun
from metrics_core.formats.mapping.axes import MappingError, Records
from metrics_core.formats.mapping.paths import RolePaths
from metrics_core.formats.mapping.rows import MappedRows, align_ids, build_rows, wrong_value_error
from metrics_core.formats.mapping.tables import to_file_error
from metrics_core.formats.parsing.columns import (
    DOCUMENT_IDS,
    DOCUMENT_TEXTS,
    fold_name,
    name_document_columns,
)
from metrics_core.formats.parsing.records import to_json_text
from metrics_core.formats.registry import Request, missing_kind_error
from metrics_core.formats.source.lines import convert_table_errors
from metrics_core.formats.source.source import Source, shorten_line
from metrics_core.tables import Documents, Queries
from metrics_core.tables.arrays import as_array, as_column
from metrics_core.tables.columns import ID

_TEXTS = ("segment", *DOCUMENT_TEXTS, "page_content")
"""Keys of a document's text. The first is the key that castorini uses; the keys of other tools
follow."""

_IDS = {"queries": "query", "documents": "doc"}
TextColumns = dict[str, list[str | None]]
DocumentValues = Mapping[str, str | None]
"""The values of one document, by the column names of Ranklens."""


def load_queries_or_documents(
    source: Source,
    request: Request,
    blocks: Iterable[Records],
    find_mappings: Callable[[Records], Iterable[RolePaths]],
    *,
    title: str,
    not_details: Sequence[str] | None = None,
    hint: str = "",
) -> Queries | Documents:
    """Read queries or documents.

    If an id occurs several times, the first values are used, and a note reports later values that
    differ.

    In a mapping for documents, the role `body` is a text or an object that contains a text, and the
    role `fields` is an object. Unmapped values of a record become columns of queries, except the
    values named in `not_details`. If `not_details` is None, unmapped values are not read. `title`
    is the title of the format. Raises FileFormatError with the position of the problem, and
    MissingKindError if there is no row."""
    id_role = _IDS[request.kind]
    ids, parts, unused = list[pa.Array](), list[pa.Table](), dict[str, None]()
    for records in blocks:
        try:
            for mapping in find_mappings(records):
                rows = build_rows(records, mapping)
                has_no_text = id_role == "doc" and not {"body", "fields"} & rows.columns.keys()
                if has_no_text or id_role not in rows.columns or not rows.axis.count:
                    continue
                columns = _mapped_columns(source, rows, id_role, unused)
                if not_details is not None:
                    columns |= _detail_columns(source, rows, {id_role, *not_details})
                has_values = as_column(_has_values(rows))
                ids.append(align_ids(rows, id_role, rows.axis).filter(has_values))
                parts.append(_build_texts_table(columns, rows.axis.count).filter(has_values))
                source.check_cells(sum(map(len, parts)), 1 + parts[-1].num_columns)
        except MappingError as error:
            raise to_file_error(source, records, error, hint) from error
    if not sum(map(len, ids)):
        actual = f"none in this file ({title})"
        raise missing_kind_error(source, request.kind, actual, f"Is the file complete? {hint}")
    coded = pa.chunked_array(ids).combine_chunks().dictionary_encode()
    first_values, changed_ids = _pick_first_values(
        coded, pa.concat_tables(parts, promote_options="default")
    )
    with convert_table_errors(source, None):
        table = _build_table(id_role, coded.dictionary, first_values)
    return table.with_notes(*_text_notes(id_role, [*unused], changed_ids))


def _build_table(
    id_role: str, ids: pa.Array, first_values: Mapping[str, pa.Array]
) -> Queries | Documents:
    if id_role == "doc":
        return Documents.from_columns({"doc_id": ids} | dict(first_values))
    lists = {name: column.to_pylist() for name, column in first_values.items()}
    return Queries.from_columns({"query_id": ids.to_pylist()} | lists)


def _text_notes(id_role: str, unused: list[str], changed_ids: list[str]) -> Iterator[Note]:
    if unused:
        message = (
            "document fields not used, because they contain lists or objects:"
            f" {shorten_line(', '.join(unused))}"
        )
        yield note_on_cases("columns", message, unused)
    if changed_ids:
        nouns = ("query", "queries") if id_role == "query" else ("document", "documents")
        subject = format_with_noun(len(changed_ids), *nouns)
        message = f"{subject} repeated with different texts; the first text is kept"
        yield note_on_cases("other_texts", message, changed_ids)


def _has_values(rows: MappedRows) -> Mask:
    """Return which rows have values, bool[row]. A row for a document has no values if its text (or,
    without a column of texts, its fields) is missing. All other rows have values."""
    column = rows.columns.get("body") or rows.columns.get("fields")
    if column is None:
        return np.ones(rows.axis.count, np.bool_)
    is_filled = ~column.values.is_missing()
    return is_filled if column.indexes is None else is_filled[column.indexes]


def _build_texts_table(columns: Mapping[str, Sequence[str | None]], count: int) -> pa.Table:
    arrays = {name: pa.array(values, ID) for name, values in columns.items()}
    return pa.table(arrays or {"text": pa.nulls(count, ID)})


def _mapped_columns(
    source: Source, rows: MappedRows, id_role: str, unused: dict[str, None]
) -> TextColumns:
    """Return the mapped columns except the id, as a dictionary from Ranklens column name to
    values."""
    columns: TextColumns = {}
    for role, column in rows.columns.items():
        if role in ("body", "fields"):
            columns |= _document_texts(source, rows, role, unused)
        elif role != id_role:
            columns[_distinct_name(role, id_role)] = [*map(to_json_text, column.to_list())]
    return columns


def _distinct_name(name: str, id_role: str) -> str:
    """Return the name of a column. This is `name`, or `name` with the prefix "record." if the id
    column already has that name."""
    return f"record.{name}" if name == f"{id_role}_id" else name


def _document_texts(
    source: Source, rows: MappedRows, role: str, unused: dict[str, None]
) -> TextColumns:
    """Return the texts and other values of documents as columns. In the file, each document is a
    text, or an object with a text and other values."""
    ids, values = align_ids(rows, "doc", rows.axis).to_pylist(), rows.columns[role].to_list()
    columns: TextColumns = {"text": []} if role == "body" else {}
    for row, (doc_id, value) in enumerate(zip(ids, values, strict=True)):
        if isinstance(value, str) and role == "body":
            entries: DocumentValues = {"text": value}
        elif isinstance(value, dict):
            entries = (_object_values if role == "body" else _field_values)(doc_id, value, unused)
        elif value is None:
            continue
        else:
            text_expected = "a text, or an object that contains one"
            indexes = rows.columns[role].indexes
            index = row if indexes is None else int(indexes[row])
            expected = (
                text_expected if role == "body" else "an object of fields, directly or as JSON text"
            )
            raise wrong_value_error(rows, role, index, expected)
        if entries.keys() - columns.keys():
            source.check_cells(row + 1, len(columns.keys() | entries.keys()))
        for name, text in entries.items():
            column = columns.setdefault(name, [])
            column += [None] * (row - len(column))
            column.append(text)
    source.check_cells(len(ids), len(columns))
    return {name: entries + [None] * (len(ids) - len(entries)) for name, entries in columns.items()}


def _object_values(
    doc_id: str, value: Mapping[str, Any], unused: dict[str, None]
) -> DocumentValues:
    """Return the values of a document object that are neither lists nor objects. The id is left
    out."""
    text = next((name for name in _TEXTS if isinstance(value.get(name), str)), None)
    object_values: dict[str, str | None] = {"text": value[text]} if text is not None else {}
    for name, item in value.items():
        is_document_id = fold_name(name) in DOCUMENT_IDS and item == doc_id
        if isinstance(item, (dict, list)):
            unused[name] = None
        elif name != text and item is not None and not is_document_id:
            object_values["record.text" if name == "text" else _distinct_name(name, "doc")] = (
                to_json_text(item)
            )
    return object_values


def _field_values(
    _doc_id: str, value: Mapping[str, Any], _unused: dict[str, None]
) -> DocumentValues:
    """Return the fields of a document as a dictionary from Ranklens column name, such as title or
    text, to value."""
    names = name_document_columns(list(value))
    return dict(
        zip(
            names,
            [to_json_text(field_value) or None for field_value in value.values()],
            strict=True,
        )
    )


def _detail_columns(source: Source, rows: MappedRows, excluded_names: set[str]) -> TextColumns:
    """Return the unmapped values in the record of each row, as columns of strings."""
    mapped = {path.steps[-1].name for path in rows.paths.values() if path.steps}
    parent_steps = next(
        path for role, path in rows.paths.items() if role in ("query", "doc")
    ).steps[:-1]
    objects = rows.records.values_at(parent_steps)[1].to_list()
    names = dict.fromkeys(name for record in objects if isinstance(record, dict) for name in record)
    source.check_cells(len(objects), len(names))
    id_role = "query" if "query" in rows.columns else "doc"
    return {
        _distinct_name(name, id_role): [to_json_text(record.get(name)) for record in objects]
        for name in names
        if name not in mapped and name not in excluded_names
    }


def _pick_first_values(
    encoded_ids: pa.DictionaryArray, table: pa.Table
) -> tuple[dict[str, pa.Array], list[str]]:
    """Return the first value of each id in each column, and the ids that have several different
    values in a column."""
    codes = as_array(encoded_ids.indices).astype(np.int64)
    id_count = len(encoded_ids.dictionary)
    is_changed = np.zeros(id_count, dtype=np.bool_)
    columns: dict[str, pa.Array] = {}
    for name in table.column_names:
        values = table[name].combine_chunks()
        filled_rows = np.flatnonzero(as_array(values.is_valid()))
        if not len(filled_rows):
            continue
        id_codes, first_rows = np.unique(codes[filled_rows], return_index=True)
        value_rows: Ints = np.full(id_count, -1)
        value_rows[id_codes] = filled_rows[first_rows]
        first_values = values.take(pa.array(value_rows, mask=value_rows < 0))
        is_other = pc.not_equal(values, first_values.take(as_column(codes)))
        is_changed[codes[as_array(pc.fill_null(is_other, False))]] = True
        columns[name] = (
            pc.fill_null(first_values, "") if name in ("text", "title") else first_values
        )
    changed_ids = encoded_ids.dictionary.filter(pa.array(is_changed)).to_pylist()
    return columns, changed_ids
