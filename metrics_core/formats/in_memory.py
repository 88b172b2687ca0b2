"""Runs and judgments from Python objects. A run can be given as:

    a Run                           used as it is
    a path                          read; a folder of run files gives several runs
    a table                         with columns query_id, doc_id and score, or other recognised
                                    names; a column of run names gives several runs. Tables are:
        pandas, and objects with __arrow_c_stream__ or to_pandas (polars, pyarrow, duckdb,
        Hugging Face), a LazyFrame of polars
        record arrays of numpy, and arrays with three columns
        a list or iterator of dictionaries, named tuples, objects with these attributes (for
        example from ir_measures), or (query_id, doc_id, score)
        records with nested lists or objects, also as frames, read like a file of such records
        (formats.mapping), for example [{"qid": "q1", "hits": [{"docid": "d2", "score": 9.0}]}]
    {query_id: {doc_id: score}}     also objects whose to_dict returns this (ranx)
    {query_id: [doc_id, …]}         best first
    {query_id: [(doc_id, score)]}
    {query_id: [result, …]}         objects (pyserini, LlamaIndex, LangChain, Haystack) that
                                    have docid, doc_id, node_id or id themselves, on their node
                                    or in their metadata; best first if they have no score

Judgments are given in the same ways with relevance in place of score; {query_id: [doc_id, …]},
or a set in place of the list, gives each document grade 1. Several runs are a list of runs, or
a dictionary by name."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from metrics_core.base import frames as pd
from metrics_core.base.errors import RanklensError, RowProblem, TableError
from metrics_core.base.wording import shorten_value
from metrics_core.formats.beir import read_set_qrels
from metrics_core.formats.pairs import read_pairs, to_pairs
from metrics_core.formats.parsing.checking import add_subtopics_note, find_subtopics
from metrics_core.formats.parsing.columns import infer_header_roles
from metrics_core.formats.parsing.systems import SystemRows, split_systems
from metrics_core.formats.python_tables import (
    VALUE_COLUMNS,
    PythonTable,
    find_id,
    is_document_iterable,
    is_document_value_pair,
    is_row,
    is_whole_number,
    make_table_function,
    not_a_table_error,
    to_any_table,
    to_list,
    to_table,
)
from metrics_core.formats.reading import read_documents, read_qrels, read_queries, read_runs
from metrics_core.formats.registry import Kind
from metrics_core.formats.run_folders import has_runs, read_folder_runs
from metrics_core.tables import Documents, Qrels, Queries, Run
from metrics_core.tables.arrays import as_column, as_text_column, is_coded, is_text_type
from metrics_core.tables.columns import (
    ID,
    WRITE_TEXTS,
    encode_ids,
    is_missing,
    raise_row_problems,
    refuse_missing_ids,
    to_id_text,
    to_text_column,
)
from metrics_core.tables.finite_numbers import to_finite_numbers
from metrics_core.tables.judgable import format_pair
from metrics_core.tables.run_names import add_folder_names, find_free_name

RunsLike = Any
"""A run, or several runs as a list or a dictionary by name. The module's docstring lists the
accepted forms of a run."""
QrelsLike = Any
"""Judgments in one of the forms that the module's docstring lists."""
QueriesLike = Any
"""Queries with their columns, as Queries, a path, a table, or {query_id: {column: value}}."""
DocumentsLike = Any
"""Documents with their columns, as Documents, a path, a table, or {doc_id: {column: value}}."""
PairsLike = Any
"""Pairs of a query and a document, as a path, a table with query_id and doc_id, {query_id: [doc_id,
…]}, a Run, or Qrels."""

_DEFAULT_NAME = "run"


def convert_to_runs(data: RunsLike, judged_ids: Collection[str] = ()) -> list[Run]:
    """Convert data to one or several runs.

    Runs without a name are called run, run (2), … A dictionary {a: {b: [1, 2]}} is ambiguous: a may
    be the name of a run and b a query, or a may be a query and b a document. If a is in
    `judged_ids`, the ids of the judged queries, it is read as a query. Raises RanklensError if
    there is no run or the data cannot be read as a run, and FileFormatError if a file cannot be
    read."""
    if isinstance(data, Mapping) and any(map(_is_stream, data.values())):
        data = {key: list(item) if _is_stream(item) else item for key, item in data.items()}
    if isinstance(data, Mapping) and is_row(data, "run"):
        return _to_runs([data], _DEFAULT_NAME)
    if isinstance(data, Mapping) and _is_run_mapping(data, judged_ids):
        return [run for name, item in data.items() for run in _to_named_runs(item, str(name))]
    if isinstance(data, (Run, str, Path)) or make_table_function(data):
        return _to_runs(data, _DEFAULT_NAME)
    if not is_document_iterable(data):
        raise not_a_table_error(data, "run")
    items = list(data)
    if items and is_row(items[0], "run"):
        return _to_runs(items, _DEFAULT_NAME)
    runs: list[Run] = []
    files: list[str] = []
    for item in items:
        # Runs with equal names of their own are left for the caller to rename.
        new_runs = _to_runs(item, find_free_name(_DEFAULT_NAME, {run.name for run in runs}))
        runs += new_runs
        file = str(item) if isinstance(item, (str, Path)) else ""
        has_several = file and len(new_runs) > 1
        files += [f"{file}/{run.name}" if has_several else file for run in new_runs]
    if not runs:
        raise RanklensError(
            "No run was passed.", "Pass at least one: a Run, a path or a dictionary."
        )
    return add_folder_names(runs, files)


def convert_to_qrels(data: QrelsLike) -> Qrels:
    """Convert data to judgments. Raises the errors of `convert_to_runs`."""
    if isinstance(data, Qrels):
        return data
    if isinstance(data, (str, Path)):
        return read_set_qrels(data) or read_qrels(data)
    table = to_table(data, "qrels")
    columns = _extract_columns(table, "qrels")
    roles = infer_header_roles(table.names, "qrels").roles
    named = {"subtopic", "iteration"} & roles.keys()
    subtopics = None
    if named:
        texts = {role: _to_text_column(table.column(roles[role])) for role in named}
        subtopics = find_subtopics(pa.table({"query_id": encode_ids(columns[0]), **texts}))
    distinct = _has_distinct_documents(table, *columns)
    qrels = Qrels.from_columns(*columns, subtopics, distinct=distinct)
    return add_subtopics_note(qrels).with_notes(*table.notes)


def convert_to_pairs(data: PairsLike) -> Qrels:
    """Convert data to pairs of a query and a document, stored as judgments with grade 0. Raises the
    errors of `convert_to_runs`."""
    if isinstance(data, (str, Path)):
        return read_pairs(data)
    if isinstance(data, (Run, Qrels)):
        return to_pairs(data.read_whole().table if isinstance(data, Run) else data.table)
    if isinstance(data, Mapping):
        return to_pairs(convert_to_qrels(data).table)
    table = to_any_table(data)
    roles = {} if table is None else infer_header_roles(table.names, "run").roles
    if table is None or not {"query_id", "doc_id"} <= roles.keys():
        raise RanklensError(
            f"{shorten_value(data)} does not contain pairs of a query and a document.",
            "Give a path, a table with query_id and doc_id, or {query_id: [doc_id, …]}.",
        )
    query_ids, doc_ids = (_id_column(table.column(roles[role])) for role in ("query_id", "doc_id"))
    return to_pairs({"query_id": query_ids, "doc_id": doc_ids})


def convert_to_queries(data: QueriesLike) -> Queries:
    """Convert data to queries. Raises RanklensError if the data cannot be read as queries."""
    if isinstance(data, Queries):
        return data
    if isinstance(data, (str, Path)):
        return read_queries(data)
    return Queries.from_columns(_text_columns(data, "queries", "query_id"))


def convert_to_documents(data: DocumentsLike | None) -> Documents | None:
    """Convert data to documents; None stays None. Raises RanklensError if the data cannot be read
    as documents."""
    if data is None or isinstance(data, Documents):
        return data
    if isinstance(data, (str, Path)):
        return read_documents(data)
    return Documents.from_columns(_text_columns(data, "documents", "doc_id"))


def _text_columns(data: Any, kind: Kind, id_name: str) -> dict[str, Any]:
    """Return the columns of a table, or of {id: {column: value}}, as a dictionary from column name
    to the values as strings."""
    if isinstance(data, Mapping) and all(isinstance(record, Mapping) for record in data.values()):
        data = [{id_name: key} | dict(record) for key, record in data.items()]
    table = None if isinstance(data, Mapping) else to_any_table(data)
    hint = (
        f"Give {kind.capitalize()}, a path, a DataFrame, or a dictionary"
        f" {{{id_name}: {{column: value}}}}."
    )
    if table is None:
        raise RanklensError(f"{shorten_value(data)} does not contain {kind}.", hint)
    roles = infer_header_roles(table.names, kind).roles
    if id_name not in roles:
        column_names = ", ".join(table.names)
        raise RanklensError(
            f"The {kind} have no column {id_name}; their columns: {column_names}.", hint
        )
    names = list(table.names)
    for role in roles.keys() & {"text", "title"}:
        names[roles[role]] = role
    columns = {n: _to_texts(table.column(i)) for i, n in enumerate(names) if i != roles[id_name]}
    return {id_name: _id_column(table.column(roles[id_name]))} | columns


def convert_to_frame(data: Any) -> pd.DataFrame:
    """Convert a table with any columns to a pandas frame. Raises RanklensError if the data are not
    a table."""
    if isinstance(data, pd.DataFrame):
        return data
    table = None if isinstance(data, (Mapping, str, Path)) else to_any_table(data)
    if table is None:
        raise RanklensError(f"{shorten_value(data)} is not a table.", "Give a DataFrame.")
    columns = [table.column(i) for i in range(len(table.names))]
    values = [c.to_pandas() if isinstance(c, pa.ChunkedArray) else c for c in columns]
    return pd.DataFrame(dict(zip(table.names, values, strict=True)))


# One run, or several


def _to_named_runs(data: Any, name: str) -> list[Run]:
    """Return the run in `data`, named `name`. If there are several runs, their names begin with
    `name/`."""
    runs = _to_runs(data, name)
    if len(runs) == 1:
        return [runs[0].renamed(name)]
    return [run.renamed(f"{name}/{run.name}") for run in runs]


def _to_runs(data: Any, name: str) -> list[Run]:
    """Return the runs in `data`: several if a column has run names, otherwise one. A run without a
    name is called `name`."""
    if isinstance(data, Run):
        return [data]
    if isinstance(data, (str, Path)):
        return read_folder_runs(data) if has_runs(data) else read_runs(data)
    table = to_table(data, "run")
    columns = query_ids, doc_ids, scores = _extract_columns(table, "run")
    tag_index = infer_header_roles(table.names, "run").roles.get("tag", -1)
    if tag_index < 0:
        is_distinct = _has_distinct_documents(table, *columns)
        run = Run.from_columns(table.called or name, *columns, distinct=is_distinct)
        return [run.with_notes(*table.notes)]
    # All runs are checked together, so that an error gives row numbers of the whole table.
    queries = encode_ids(query_ids)
    docs = to_text_column(doc_ids)
    tags = encode_ids(_id_column(table.column(tag_index)))
    for column, ids in (("query_id", queries), ("doc_id", docs), (table.names[tag_index], tags)):
        refuse_missing_ids(column, ids)
    numbers = to_finite_numbers(scores, "score", partial(format_pair, queries, docs))
    rows = {"query_id": queries, "doc_id": docs, "score": as_column(numbers), "tag": tags}
    systems, notes = split_systems(pa.table(rows))
    default_name = tags.dictionary[0].as_py() if len(tags.dictionary) == 1 else name
    runs = [_build_run(system, system.name or default_name) for system in systems]
    return [runs[0].with_notes(*table.notes, *notes), *runs[1:]]


def _build_run(system: SystemRows, name: str) -> Run:
    """Return a run from some rows of a table. Errors refer to the row numbers in the whole
    table."""
    try:
        return Run.from_columns(name, *(system.rows[c] for c in ("query_id", "doc_id", "score")))
    except TableError as error:
        if system.file_rows is None:
            raise
        rows = [
            replace(problem, row=int(system.file_rows[problem.row])) for problem in error.problems
        ]
        raise TableError(error.message, rows, error.count, error.hint, error.offer) from error


def _is_run_mapping(data: Mapping[Any, Any], judged_ids: Collection[str]) -> bool:
    """Return whether the keys of a dictionary are run names rather than query ids."""
    first_item = _first_nonempty(data.values())
    if isinstance(first_item, Mapping):
        value = _first_nonempty(first_item.values())
        if is_document_iterable(value) and not isinstance(value, Iterator):
            first = next(iter(value), None)
            if is_whole_number(first):
                return not {str(key) for key in data} & set(judged_ids)
            is_result = isinstance(first, Mapping) or find_id(first) is not None
            return is_result or is_document_value_pair(first) or is_row(first, "run")
        return isinstance(value, Mapping)
    if isinstance(first_item, (Run, str, Path)) or make_table_function(first_item):
        return True
    return isinstance(first_item, Sequence) and len(first_item) > 0 and is_row(first_item[0], "run")


def _is_stream(data: Any) -> bool:
    """Return whether the data can be iterated only once."""
    return isinstance(data, Iterator) and not make_table_function(data)


def _first_nonempty(values: Iterable[Any]) -> Any:
    """Return the first value that is not an empty container; None if there is no such value."""
    for value in values:
        is_container = isinstance(value, Mapping) or (
            is_document_iterable(value) and hasattr(value, "__len__")
        )
        if not (is_container and len(value) == 0):
            return value
    return None


# Columns


def _extract_columns(table: PythonTable, kind: Kind) -> tuple[Any, Any, Any]:
    """Return the columns of query ids, document ids, and scores or grades."""
    value = VALUE_COLUMNS[kind]
    header_roles = infer_header_roles(table.names, kind)
    if header_roles.missing:
        column_names = ", ".join(table.names)
        raise RanklensError(
            f"The frame of the {'run' if kind == 'run' else 'judgments'} has no column for"
            f" {' and '.join(header_roles.missing)}; its columns: {column_names}.",
            f"Name them query_id, doc_id and {value}, or use one of the recognised alternatives."
            f"{'' if kind == 'run' else ' If every row is relevant, add a column relevance = 1.'}",
        )
    roles = header_roles.roles
    by_rank = value not in roles
    query_ids, doc_ids = (_id_column(table.column(roles[role])) for role in ("query_id", "doc_id"))
    doc_ids = _convert_doc_ids(query_ids, doc_ids)
    values = table.column(roles["rank" if by_rank else value])
    values = values.to_numpy() if isinstance(values, pd.Series) else values
    if by_rank:
        # Without a score, the rank gives the order.
        pair = partial(format_pair, encode_ids(query_ids), to_text_column(doc_ids))
        values = -to_finite_numbers(values, "rank", pair).astype(np.float64)
    return query_ids, doc_ids, values


def _has_distinct_documents(table: PythonTable, query_ids: Any, doc_ids: Any, _: Any) -> bool:
    """Return whether the rows of a table are known to have distinct documents in each query,
    because the documents were keys of a dictionary."""
    return table.is_keyed and isinstance(query_ids, pa.Array) and isinstance(doc_ids, pa.Array)


def _convert_doc_ids(query_ids: Any, doc_ids: Any) -> Any:
    """Convert document ids from Python strings to an Arrow column.

    Raises TableError for a value that is not an id; the error names the query."""
    if not isinstance(doc_ids, list):
        return doc_ids
    with suppress(TypeError, UnicodeEncodeError):  # not all are valid texts
        return as_text_column(doc_ids)
    if set(map(type, doc_ids)) <= {str, int}:
        return doc_ids
    raise_row_problems(
        "An id must be text or a whole number.",
        np.flatnonzero([to_id_text(doc) is None for doc in doc_ids]),
        lambda row: RowProblem(
            row, f"{shorten_value(doc_ids[row])} for query {query_ids[row]}", "a document's id"
        ),
        hint=WRITE_TEXTS,
    )
    return doc_ids


def _id_column(column: Any) -> Any:
    """Return a column of ids. Arrow strings and integers are unchanged; other values become Python
    objects."""
    if isinstance(column, (pa.Array, pa.ChunkedArray)):
        kind = column.type.value_type if is_coded(column) else column.type
        is_text = is_text_type(kind) or pa.types.is_string_view(kind)
        if pa.types.is_integer(kind) or is_text:
            return column
        return column.to_pylist()
    return column.tolist() if hasattr(column, "tolist") else column


def _to_text_column(column: Any) -> pa.Array:
    """Return the values of a column as Arrow strings. A missing value becomes ""."""
    values = column.to_pandas() if hasattr(column, "to_pandas") else column
    return pa.array(pd.Series(values).astype("string").fillna(""), ID)


def _to_texts(column: Any) -> list[str | None]:
    """Return the values of a query column as strings. A missing value becomes None."""
    return [None if is_missing(value) else str(value) for value in to_list(column)]
