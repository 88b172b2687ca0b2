"""Build a run or judgments from records and mappings: columns of ids and numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import repeat

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.arrays import Floats, Ints, Mask
from metrics_core.base.errors import FileFormatError
from metrics_core.base.notes import Note
from metrics_core.base.wording import format_with_noun
from metrics_core.formats.mapping.axes import MappingError, Records
from metrics_core.formats.mapping.paths import RecordPath, RolePaths
from metrics_core.formats.mapping.presets import Remark
from metrics_core.formats.mapping.rows import (
    DOC,
    EXPECTED_IDS,
    MappedRows,
    align_column,
    align_ids,
    axis_depth,
    build_rows,
    valid_ids,
    wrong_value_error,
)
from metrics_core.formats.parsing.checking import (
    ProblemTexts,
    build_qrels_table,
    check_ids,
    refuse_rows,
)
from metrics_core.formats.parsing.columns import are_whole_grades
from metrics_core.formats.parsing.systems import (
    FormatDetails,
    load_runs,
    load_systems,
    split_by_tag,
)
from metrics_core.formats.registry import Loaded, Request, missing_kind_error
from metrics_core.formats.source.lines import LineIndex, line_error
from metrics_core.formats.source.source import Source, shorten_line
from metrics_core.formats.values import A_SCORE, Grades, explain_bad_number, find_grade_problem
from metrics_core.tables.arrays import as_array, as_column
from metrics_core.tables.columns import ID, encode_ids, reencode_ids

Mappings = Sequence[RolePaths]
_SEVERAL_RUNS = "Does the file contain several runs? Use one file per run."
_EMPTY = Remark(("run", "qrels"), "empty", "{n:,} {things} with an empty list")


@dataclass(frozen=True)
class ToolRules:
    """Rules of a tool. If `has_one_list` is true, each query may have at most one list; in a run,
    at most one list per system."""

    title: str
    has_one_list: bool = False
    empty_remark: Remark = _EMPTY


@dataclass
class _RowBlocks:
    """The rows of all blocks of a file. `lines` has the line numbers of each block, int64[row], or
    None if they are unknown. `lists` maps each list, identified by system and query, to whether it
    contains a document."""

    tables: list[pa.Table] = field(default_factory=list)
    lines: list[Ints | None] = field(default_factory=list)
    lists: dict[tuple[str, str], bool] = field(default_factory=dict)

    @property
    def index(self) -> LineIndex | None:
        """Physical lines of all rows; None if the lines of any block are unknown."""
        lines = [block_lines for block_lines in self.lines if block_lines is not None]
        are_complete = lines and len(lines) == len(self.lines)
        return LineIndex.from_numbers(np.concatenate(lines)) if are_complete else None


def load_mapped_table(
    source: Source,
    request: Request,
    blocks: Iterable[Records],
    find_mappings: Callable[[Records], Iterable[RolePaths]],
    describe_format: Callable[[], FormatDetails],
    *,
    hint: str = "",
    rules: ToolRules | None = None,
) -> Loaded:
    """Read a run or judgments. If several mappings apply to a block of records, their rows are
    combined. `describe_format` is called after all blocks are read. `hint` is added to errors.
    Raises FileFormatError with the problem's position, and MissingKindError if there is no row."""
    row_blocks = _RowBlocks()
    for records in blocks:
        try:
            checked_paths = set[tuple[RecordPath | None, RecordPath | None]]()
            for mapping in find_mappings(records):
                rows = build_rows(records, mapping, may_lack_lists=rules is None)
                if rules is not None and DOC not in rows.paths:
                    continue
                path_pair = rows.paths.get("query"), rows.paths.get("system")
                has_one_list = (
                    rules is not None and rules.has_one_list and path_pair not in checked_paths
                )
                is_judged = _add_rows(row_blocks, source, request, rows)
                by_system = rules is not None
                _add_lists(
                    row_blocks, rows, is_judged, by_system=by_system, has_one_list=has_one_list
                )
                checked_paths.add(path_pair)
        except MappingError as error:
            raise to_file_error(source, records, error, hint) from error
    if not any(map(len, row_blocks.tables)):
        actual = (
            "no document in any list" if rules is None else f"none in this file ({rules.title})"
        )
        hint_start = "" if rules is None else "Is the file complete? "
        raise missing_kind_error(source, request.kind, actual, hint_start + hint)
    table = pa.concat_tables(row_blocks.tables, promote_options="default")
    empty_queries = [
        query for (_, query), has_documents in row_blocks.lists.items() if not has_documents
    ]
    empty_queries = list(dict.fromkeys(empty_queries))
    notes = list[Note]()
    if empty_queries:
        notes.append((_EMPTY if rules is None else rules.empty_remark).note(empty_queries))
    queries = encode_ids(table["query_id"])
    if not np.bincount(as_array(queries.indices), minlength=len(queries.dictionary)).all():
        # A query without documents must not stay in the dictionary: it would count as a query.
        table = table.set_column(0, "query_id", reencode_ids(queries))
    if request.kind == "run":
        is_certain = rules is not None
        return _load_run(
            source,
            request,
            table,
            row_blocks.index,
            describe_format(),
            notes,
            is_certain=is_certain,
        )
    table = _resolve_grades(source, table, row_blocks.index, notes)
    qrels = build_qrels_table(source, request, table, row_blocks.index)
    read_as = describe_format()
    return Loaded(qrels.with_notes(*notes), read_as.format, read_as.title, source.name)


def to_file_error(
    source: Source, records: Records, error: MappingError, hint: str
) -> FileFormatError:
    """Convert a record's error to an error of the file, with the record's line or number."""
    line, actual = records.find_line(error.axis, error.row), error.found
    if line is None:
        row = int(error.axis.record_rows(np.array([error.row]))[0])
        actual = f"{actual} (record {row + 1:,})"
    return line_error(source, line, actual, error.expected, error.hint or hint, error.offer)


def _add_rows(row_blocks: _RowBlocks, source: Source, request: Request, rows: MappedRows) -> Mask:
    """Add the rows of one mapping to `row_blocks`. Returns which rows are judged, bool[row]; all of
    them in a run."""
    is_judged = np.ones(rows.axis.count, np.bool_)
    if DOC in rows.columns:
        source.check_cells(rows.axis.count, len(rows.columns))
        columns = {"query_id": _encoded_ids(rows, "query"), "doc_id": _encoded_ids(rows, DOC)}
        columns |= (
            _ranking_columns(rows) if request.kind == "run" else _grade_columns(rows, request)
        )
        table = pa.table(columns)
        if request.kind == "qrels" and _may_lack_grade(rows):
            is_judged = as_array(table["relevance"].is_valid())
            table = table.filter(as_column(is_judged))
        row_blocks.tables.append(table)
        lines, judged_rows = rows.records.lines, np.flatnonzero(is_judged)
        row_blocks.lines.append(
            None if lines is None else lines[rows.axis.record_rows(judged_rows)]
        )
    return is_judged


def _may_lack_grade(rows: MappedRows) -> bool:
    path = rows.paths.get("grade")
    return path is not None and bool(path.steps) and path.steps[-1].optional


def _add_lists(
    row_blocks: _RowBlocks,
    rows: MappedRows,
    is_judged: Mask,
    *,
    by_system: bool,
    has_one_list: bool,
) -> None:
    """Store which lists the rows contain. If `has_one_list` is true, raises MappingError for a
    second list of a query."""
    if "query" not in rows.paths:
        return
    system = rows.paths.get("system") if by_system else None
    parts = () if system is None else system.joined or (system,)
    system_axes = [rows.records.values_at(path.steps)[0] for path in parts if path.constant is None]
    query = rows.columns["query"]
    axis = max([query.axis, *system_axes], key=axis_depth)
    has_documents = DOC in rows.columns
    list_rows = None
    if has_documents:
        list_rows = query.indexes if axis is query.axis else axis.align_rows(rows.axis)
    if has_documents and (axis is rows.axis or list_rows is None):
        return  # each row has its own query: there are no lists
    ids = align_ids(rows, "query", axis).to_pylist()
    names = repeat("") if system is None else align_column(rows.records, system, axis).to_list()
    counts = np.bincount(
        np.zeros(0, np.int64) if list_rows is None else list_rows[is_judged], minlength=len(ids)
    )
    for row, (name, query_id, count) in enumerate(zip(names, ids, counts.tolist(), strict=False)):
        key = str(name or ""), query_id
        if has_one_list and key in row_blocks.lists:
            run_text = f" of run {shorten_line(key[0])}" if key[0] else ""
            actual = f"query {shorten_line(query_id)}{run_text} a second time"
            hint = "" if "grade" in rows.paths else _SEVERAL_RUNS
            raise MappingError(axis, row, actual, "each query once", hint)
        row_blocks.lists[key] = row_blocks.lists.get(key, False) or count > 0


def _encoded_ids(rows: MappedRows, role: str) -> pa.Array:
    """Return the ids of a role, dictionary-encoded if they repeat. Raises MappingError."""
    if role not in rows.columns:
        if not rows.axis.count:
            return pa.nulls(0, ID)
        raise MappingError(rows.axis, 0, "nothing", EXPECTED_IDS[role])
    texts, indexes = valid_ids(rows, role), rows.columns[role].indexes
    if indexes is None:
        return texts
    encoded = texts.dictionary_encode()
    codes = as_column(as_array(encoded.indices)[indexes])
    return pa.DictionaryArray.from_arrays(codes, encoded.dictionary)


def _ranking_columns(rows: MappedRows) -> dict[str, pa.Array]:
    """Return the columns that the run has, by name: score, rank, place (float64), tag (ids)."""
    columns = {
        role: as_column(_read_numbers(rows, role))
        for role in ("score", "rank")
        if role in rows.columns
    }
    parents = rows.axis.parents
    if rows.axis.parent_axis is not None:
        positions = np.arange(rows.axis.count) - np.searchsorted(parents, parents) + 1.0
        columns["place"] = as_column(positions)
    if "system" in rows.columns:
        columns["tag"] = _encoded_ids(rows, "system")
    return columns


def _read_numbers(rows: MappedRows, role: str) -> Floats:
    """Return a role's numbers, float64[row], NaN if missing. Raises MappingError if invalid."""
    column = rows.columns[role]
    numbers = column.values.numbers()
    is_wrong = np.isnan(numbers) & ~column.values.is_missing()
    if is_wrong.any():
        row = int(np.argmax(is_wrong))
        actual = column.values.describe(row)
        hint = explain_bad_number(actual.strip("`")) if actual.startswith("`") else ""
        raise wrong_value_error(rows, role, row, f"a finite number as the {role}", hint)
    if rows.paths[role].reversed:
        numbers = -numbers
    return numbers if column.indexes is None else numbers[column.indexes]


def _grade_columns(rows: MappedRows, request: Request) -> dict[str, pa.Array]:
    """Return the column `relevance` as strings. If all documents have the same grade above 0, the
    column of their scores is returned too."""
    constant = rows.paths["grade"].constant if "grade" in rows.paths else "1"
    if constant is None:
        _check_grades(rows, request.grades)
        return {"relevance": _read_texts(rows, "grade")}
    count = rows.axis.count
    columns = {"relevance": pa.repeat(pa.scalar(constant, ID), count)}
    if constant != "0":
        scores = _read_texts(rows, "score") if "score" in rows.columns else pa.nulls(count, ID)
        columns["score"] = scores
    return columns


def _check_grades(rows: MappedRows, grades: Grades) -> None:
    """Raise MappingError for the first value that is not a grade."""
    path = rows.paths["grade"]
    axis, values = rows.records.values_at(path.steps)
    texts = [None if value is None else str(value) for value in values.to_list()]
    for text in dict.fromkeys(texts):
        problem = None if text is None else find_grade_problem(text, grades)
        if text is not None and problem is not None:
            row, key = texts.index(text), RecordPath(path.steps).plain_text.removeprefix(axis.path)
            actual, offer = values.describe(row), problem.offer
            raise MappingError(axis, row, actual, problem.expected, problem.hint, key, offer)


def _read_texts(rows: MappedRows, role: str) -> pa.Array:
    """Return the scalar values of a role as strings, string[row], null if missing."""
    column = rows.columns[role]
    values = column.values.to_list()
    texts = [None if value is None else str(value) for value in values]
    for row, value in enumerate(values):
        if isinstance(value, (list, dict, bool)):
            raise wrong_value_error(rows, role, row, f"a {role}")
    array = pa.array(texts, ID)
    return array if column.indexes is None else array.take(as_column(column.indexes))


def _resolve_grades(
    source: Source, table: pa.Table, index: LineIndex | None, notes: list[Note]
) -> pa.Table:
    """Return the rows with their final grades. If the scores of all relevant documents are whole
    numbers, the scores are used as grades. Raises FileFormatError if only some rows have a
    grade."""

    def describe_missing(row: int) -> ProblemTexts:
        query_id, doc_id = (table[name][row].as_py() for name in ("query_id", "doc_id"))
        actual = f"no grade for document {doc_id} of query {query_id}"
        return actual, "a grade", "Give a grade to all documents or to none."

    missing_rows = np.flatnonzero(as_array(table["relevance"].is_null()))
    refuse_rows(source, index, missing_rows, describe_missing)
    if "score" not in table.column_names:
        return table
    grades, scores = table["relevance"].cast(ID), table["score"]
    is_positive = pc.equal(grades, "1")
    positive_scores = scores.filter(is_positive)
    if not positive_scores.null_count and are_whole_grades(positive_scores.unique().to_pylist()):
        grades = pc.if_else(is_positive, scores, grades)
    elif unused := len(positive_scores) - positive_scores.null_count:
        message = (
            f"{format_with_noun(unused, 'score')} not used as grades, because some are not whole"
            " numbers; listed documents get grade 1 (in a list of non-relevant documents, grade 0)"
        )
        notes.append(Note("scores", message, unused, loud=True))
    column_index = table.column_names.index("relevance")
    return table.set_column(column_index, "relevance", grades).drop_columns(["score"])


def _load_run(
    source: Source,
    request: Request,
    table: pa.Table,
    index: LineIndex | None,
    details: FormatDetails,
    notes: list[Note],
    *,
    is_certain: bool,
) -> Loaded:
    """Return the run or runs of the rows. Documents are ordered by score; if there are no scores,
    by rank; if there are no ranks either, by their position in the list."""
    numbers = {name: _read_number_column(table, name) for name in ("score", "rank", "place")}
    ranking_column = next(
        name for name, values in numbers.items() if name == "place" or not np.isnan(values).all()
    )
    missing_rows = np.flatnonzero(np.isnan(numbers[ranking_column]))
    expected = {"score": A_SCORE, "rank": "a rank", "place": "a score or a rank"}[ranking_column]
    problem = ("nothing", expected, f"Give a {ranking_column} to all documents or to none.")
    refuse_rows(source, index, missing_rows, lambda row: problem)
    if ranking_column != "score":
        message = {
            "rank": "no scores in the file, so documents are ordered by rank",
            "place": "no scores in the file, so the order of each list is the ranking",
        }[ranking_column]
        notes.append(Note("rank", message, len(table)))
    id_columns = [name for name in ("query_id", "doc_id", "tag") if name in table.column_names]
    scores = numbers[ranking_column] if ranking_column == "score" else -numbers[ranking_column]
    rows = table.select(id_columns).append_column("score", as_column(scores))
    if ranking_column == "score" and not np.isnan(numbers["rank"]).all():
        rows = rows.append_column("rank", as_column(numbers["rank"].astype(np.float32)))
    run_details = FormatDetails(details.format, details.title, has_scores=ranking_column == "score")
    if not is_certain:
        return load_runs(source, request, rows, index, run_details, notes)
    check_ids(source, rows, index)
    systems = split_by_tag(rows, source)
    return load_systems(source, request, systems, index, run_details, notes)


def _read_number_column(table: pa.Table, name: str) -> Floats:
    """Return a column of numbers, float64[row]; all NaN if the table lacks the column."""
    if name not in table.column_names:
        return np.full(len(table), np.nan)
    numbers: Floats = as_array(table[name].cast(pa.float64()))
    return numbers
