"""Build tables from named columns of texts. This module is used by all formats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.arrays import Floats
from metrics_core.base.errors import (
    FileFormatError,
    content_error,
    did_you_mean,
)
from metrics_core.base.notes import Note, note_on_cases
from metrics_core.base.wording import list_first
from metrics_core.formats.parsing.checking import ProblemTexts, build_qrels_table, refuse_rows
from metrics_core.formats.parsing.chosen_columns import (
    find_absent_columns,
    is_constant_value,
    is_score_negated,
    rename_header,
)
from metrics_core.formats.parsing.columns import (
    DISTANCES,
    NAMES,
    HeaderRoles,
    find_position,
    fold_name,
    infer_header_roles,
)
from metrics_core.formats.parsing.systems import FormatDetails, load_runs
from metrics_core.formats.registry import Kind, Loaded, Request
from metrics_core.formats.source.lines import (
    RowLines,
    SelectedLines,
    convert_table_errors,
    line_error,
)
from metrics_core.formats.source.source import Source
from metrics_core.formats.values import A_SCORE, explain_bad_number, parse_scores
from metrics_core.tables import Documents, Queries, Table
from metrics_core.tables.arrays import as_array
from metrics_core.tables.columns import ID, encode_ids
from metrics_core.tables.repeats import find_repeated_rows

_NEEDED: dict[Kind, str] = {
    "run": "query_id, doc_id and score (or rank)",
    "qrels": "query_id, doc_id and relevance",
    "queries": "query_id and text",
    "documents": "doc_id and title or text",
    "scores": "query_id, run, and a column of numbers for each measure",
}


_ESCI = {"E": 3.0, "S": 2.0, "C": 1.0, "I": 0.0}
_ESCI |= {"Exact": 3.0, "Substitute": 2.0, "Complement": 1.0, "Irrelevant": 0.0}
_ESCI |= {word.lower(): grade for word, grade in _ESCI.items() if len(word) > 1}
"""Grades for the labels of Amazon's shopping queries (ESCI), preserving their order."""


@dataclass
class NamedColumns:
    """Columns of equal length by name. A column has strings (null if missing) or float64
    numbers.

    names    all column names of the file
    columns  at least the columns that the table uses
    index    physical line of each row, None if the file has no lines
    notes    notes about the columns
    header   physical line of the header, None if there is none"""

    names: list[str]
    columns: dict[str, pa.ChunkedArray]
    index: RowLines | None
    notes: list[Note] = field(default_factory=list)
    header: int | None = 1

    def column(self, index: int) -> pa.ChunkedArray:
        """Return the column at this index in the header."""
        return self.columns[self.names[index]]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()))) if self.columns else 0

    def add_note(self, kind: str, message: str) -> None:
        """Add a note that counts all rows."""
        self.notes.append(Note(kind, message, len(self)))


def check_rows_exist(source: Source, named: NamedColumns) -> None:
    """Raise FileFormatError for a file without rows."""
    if not len(named):
        raise content_error(
            source.name, "only a header", "at least one row", "Is the file complete?"
        )


def check_header(source: Source, names: Sequence[str], line: int | None) -> None:
    """Raise FileFormatError for a repeated column name."""
    repeated_names = sorted(name for name, times in Counter(names).items() if name and times > 1)
    if repeated_names:
        name_list = ", ".join(f"`{name}`" for name in repeated_names)
        raise line_error(
            source,
            line,
            f"{name_list} more than once",
            "each column name once",
            "Rename or delete one of the columns.",
        )


def check_columns(
    source: Source, names: Sequence[str], request: Request, line: int | None
) -> HeaderRoles:
    """Return the roles that the columns have in the requested kind of table.

    Raises FileFormatError if a required or assigned column is missing."""
    name_list = list_first([f"`{name}`" for name in names], 12)
    absent_names = find_absent_columns(names, request.columns)
    if absent_names:
        raise line_error(
            source,
            line,
            f"no column `{absent_names[0]}` among {name_list}",
            "the specified columns",
            did_you_mean(absent_names[0], names),
        )
    header_roles = infer_header_roles(rename_header(names, request.columns), request.kind)
    if is_constant_value(request.columns.get("relevance", "")) and header_roles.missing == [
        "relevance"
    ]:
        return replace(header_roles, missing=())
    if not header_roles.missing:
        return header_roles
    actual = f"no column for {' and '.join(header_roles.missing)} among {name_list}"
    hint = "Use these names, or a recognised alternative, in the first line."
    hint = hint if line else hint.replace(", in the first line", "")
    if request.kind in ("run", "qrels"):
        number = "score" if request.kind == "run" else "grade"
        hint += f" Or assign the columns: columns query=…,doc=…,{number}=…."
    distance_index = find_position(names, DISTANCES)
    if "score" in header_roles.missing and distance_index >= 0:
        hint = (
            f"`{names[distance_index]}` is a distance (smallest is best), but the best document"
            f" must have the highest score. Invert it with columns score=-{names[distance_index]}."
        )
    raise line_error(source, line, actual, _NEEDED[request.kind], hint)


def load_named(
    source: Source, request: Request, named: NamedColumns, format: str, title: str
) -> Loaded:
    """Build the table from named columns, check it, and add notes on unused columns.

    Raises FileFormatError for a missing column or an invalid value."""
    header_roles = check_columns(source, named.names, request, named.header)
    check_rows_exist(source, named)
    used_names = ", ".join(_used_names(named, request.kind, header_roles))
    if request.kind == "run":
        rows = _build_run_rows(source, request, named, header_roles)
        has_scores = "score" in header_roles.roles
        details = FormatDetails(format, f"{title}: {used_names}", has_scores=has_scores)
        try:
            return load_runs(source, request, rows, named.index, details, named.notes)
        except FileFormatError as error:
            raise _system_hint_error(named, header_roles, rows, error) from error
    if request.kind == "qrels":
        table: Table = _build_qrels(source, request, named, header_roles)
    elif request.kind == "queries":
        table = _build_queries(source, named, header_roles)
    else:
        table = _build_documents(source, named, header_roles)
    return Loaded(table.with_notes(*named.notes), format, f"{title}: {used_names}", source.name)


def _system_hint_error(
    named: NamedColumns, header_roles: HeaderRoles, rows: pa.Table, error: FileFormatError
) -> FileFormatError:
    """Return `error`. If documents are repeated and the file has unused columns, a hint is added:
    one of these columns may identify the system of each row."""
    others = [named.names[index] for index in header_roles.others]
    codes = as_array(encode_ids(rows["query_id"]).indices)
    if (
        not others
        or "tag" in header_roles.roles
        or not len(find_repeated_rows(codes, rows["doc_id"])[0])
    ):
        return error
    hint = (
        f"If a column identifies the system of each row, such as `{others[0]}`, read the file with"
        f" columns system={others[0]}. {error.hint}"
    )
    return FileFormatError(error.file, error.problems, hint=hint, count=error.count)


def _used_names(named: NamedColumns, kind: Kind, header_roles: HeaderRoles) -> list[str]:
    """Return the names of the columns that the table uses, in the order of the file."""
    used_indexes = set(header_roles.roles.values()) - {header_roles.roles.get("tag", -1)}
    if kind == "qrels" or (kind == "run" and "score" in header_roles.roles):
        used_indexes.discard(header_roles.roles.get("rank", -1))
        used_indexes.discard(header_roles.roles.get("iteration", -1))
    if kind in ("queries", "documents"):
        used_indexes |= set(header_roles.others)
    return [name for index, name in enumerate(named.names) if index in used_indexes]


def _build_run_rows(
    source: Source, request: Request, named: NamedColumns, header_roles: HeaderRoles
) -> pa.Table:
    """Return the columns query_id, doc_id and score (float64); also rank (float32) and tag if the
    file has them."""
    roles = header_roles.roles
    rows: dict[str, Any] = _id_columns(named, header_roles, "query_id", "doc_id")
    if "score" in roles:
        rows["score"] = _read_scores(source, named, roles["score"])
        if is_score_negated(named.names, request.columns):
            rows["score"] = -rows["score"]
            message = f"`{named.names[roles['score']]}` is inverted: smallest values first"
            named.add_note("columns", message)
        if "rank" in roles:
            rows["rank"] = _parse_ranks(named.column(roles["rank"]))
    else:
        rows["score"] = -_read_scores(source, named, roles["rank"])
        message = "no scores in the file, so documents are ordered by rank"
        named.add_note("rank", message)
    if "tag" in roles:
        rows["tag"] = named.column(roles["tag"])
    _add_unused_columns_note(named, header_roles)
    return pa.table(rows)


def _parse_ranks(column: pa.ChunkedArray) -> npt.NDArray[np.float32]:
    """Parse ranks by the rules of TREC runs, float32[row]; NaN if a rank is not a number."""
    if pa.types.is_floating(column.type):
        return np.array(column.to_numpy(), dtype=np.float32)
    texts = encode_ids(column)
    numbers = np.append(parse_scores(texts.dictionary), np.nan)
    return numbers[as_array(pc.fill_null(texts.indices, len(numbers) - 1))].astype(np.float32)


def _build_qrels(
    source: Source, request: Request, named: NamedColumns, header_roles: HeaderRoles
) -> Table:
    ids = _id_columns(named, header_roles, "query_id", "doc_id")
    if "relevance" not in header_roles.roles:
        _add_unused_columns_note(named, header_roles)
        constant = pa.array([request.columns["relevance"].strip("'")] * len(named), ID)
        return build_qrels_table(
            source, request, pa.table({**ids, "relevance": constant}), named.index
        )
    column_index = header_roles.roles["relevance"]
    column = named.column(column_index)
    grades = pc.utf8_trim(pc.fill_null(column.cast(ID), ""), " \t")
    name = named.names[column_index]
    if fold_name(name) in NAMES["score"] and "relevance" not in request.columns:
        number_text = "contains small integers and " if request.grades == "integer" else ""
        message = f"the column `{name}` {number_text}is read as grades"
        named.add_note("columns", message)
    if fold_name(name) == "escilabel" and request.grades == "integer":
        request = replace(request, grades=_ESCI)
        message = f"`{name}` as grades: E (exact) 3, S (substitute) 2, C (complement) 1, I 0"
        named.add_note("grades", message)
    _add_unused_columns_note(named, header_roles)
    rows = {**ids, "relevance": grades}
    for role in {"subtopic", "iteration"} & header_roles.roles.keys():
        rows[role] = pc.fill_null(named.column(header_roles.roles[role]).cast(ID), "")
    table, index = _drop_ungraded_rows(pa.table(rows), named)
    return build_qrels_table(source, request, table, index)


def _drop_ungraded_rows(rows: pa.Table, named: NamedColumns) -> tuple[pa.Table, RowLines | None]:
    """Return the rows that have a grade, and their physical lines. An empty grade means unjudged,
    never 0.

    If all grades are empty, the column does not contain grades. All rows are then returned, and
    building the table raises an error."""
    is_empty = pc.equal(rows["relevance"], "")
    count = pc.sum(is_empty).as_py() or 0
    if not count or count == len(rows):
        return rows, named.index
    message = (
        f"rows without a grade: {count:,}; they are excluded, so their documents stay unjudged"
    )
    named.notes.append(Note("ungraded", message, count, loud=True))
    has_grade = pc.invert(is_empty)
    row_numbers = np.flatnonzero(has_grade.to_numpy())
    return rows.filter(has_grade), None if named.index is None else SelectedLines(
        named.index, row_numbers
    )


def _build_queries(source: Source, named: NamedColumns, header_roles: HeaderRoles) -> Table:
    ids = _id_columns(named, header_roles, "query_id")
    columns = {"query_id": ids["query_id"].to_pylist()}
    if "text" in header_roles.roles:
        columns["text"] = pc.fill_null(named.column(header_roles.roles["text"]), "").to_pylist()
    else:
        message = "no text column found, so the queries have no text"
        named.add_note("columns", message)
    for index in header_roles.others:
        name = _make_free_name(named.names[index], ("query_id", "text"))
        columns[name] = [value or None for value in named.column(index).to_pylist()]
    with convert_table_errors(source, named.index):
        return Queries.from_columns(columns)


def _build_documents(source: Source, named: NamedColumns, header_roles: HeaderRoles) -> Table:
    columns = _id_columns(named, header_roles, "doc_id")
    for role in ("title", "text"):
        if role in header_roles.roles:
            columns[role] = pc.fill_null(named.column(header_roles.roles[role]), "")
    for index in header_roles.others:
        columns[_make_free_name(named.names[index], ("doc_id", "title", "text"))] = _nullify_empty(
            named.column(index)
        )
    with convert_table_errors(source, named.index):
        return Documents.from_columns(columns)


def _id_columns(
    named: NamedColumns, header_roles: HeaderRoles, *roles: str
) -> dict[str, pa.ChunkedArray]:
    """Return the id columns of these roles. Missing ids are refused later, when the table is
    built."""
    return {role: named.column(header_roles.roles[role]) for role in roles}


def _read_scores(source: Source, named: NamedColumns, index: int) -> Floats:
    column = named.column(index)
    if pa.types.is_floating(column.type):
        scores = np.array(column.to_numpy(), dtype=np.float64)
        texts = column
    else:
        texts = pc.utf8_trim(pc.fill_null(column, ""), " \t")
        scores = np.concatenate([parse_scores(chunk) for chunk in texts.chunks])

    def describe_problem(row: int) -> ProblemTexts:
        value = texts[row].as_py()
        text = "" if value is None else str(value)
        return (f"`{text}`" if text else "nothing", A_SCORE, explain_bad_number(text))

    refuse_rows(source, named.index, np.flatnonzero(~np.isfinite(scores)), describe_problem)
    return scores


def _add_unused_columns_note(named: NamedColumns, header_roles: HeaderRoles) -> None:
    names = tuple(named.names[index] for index in header_roles.others)
    if names:
        message = f"columns not used: {list_first(names, 5)}"
        named.notes.append(note_on_cases("columns", message, names))


def _nullify_empty(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a metadata column in which empty strings are null, because no format except JSON
    distinguishes empty strings from missing values."""
    return pc.if_else(pc.equal(column, ""), pa.scalar(None, ID), column)


def _make_free_name(name: str, reserved_names: Collection[str]) -> str:
    """Return a name for a metadata column: `name`, followed by as many underscores as are needed to
    differ from all `reserved_names`."""
    while name in reserved_names:
        name += "_"
    return name
