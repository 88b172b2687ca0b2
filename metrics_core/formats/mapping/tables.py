"""A run or judgments from the records of a file and mappings: columns of ids and numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.arrays import Floats, Ints
from metrics_core.base.errors import FileFormatError, LineProblem
from metrics_core.base.notes import Note
from metrics_core.base.wording import plural
from metrics_core.formats.mapping.axes import MappingError, Records
from metrics_core.formats.mapping.paths import Alternatives
from metrics_core.formats.mapping.rows import DOC, Rows, rows_of
from metrics_core.formats.parsing.checking import qrels_table, refuse_values
from metrics_core.formats.parsing.columns import whole_grades
from metrics_core.formats.parsing.systems import FormatDetails, load_runs
from metrics_core.formats.registry import KIND_TITLES, Loaded, NothingOfKindError, Request
from metrics_core.formats.source.lines import LineIndex, counted, refuse
from metrics_core.formats.source.source import Source
from metrics_core.formats.values import A_SCORE, why_not_a_number
from metrics_core.tables.arrays import column_of, values_of
from metrics_core.tables.columns import ID

Mappings = Sequence[Mapping[str, Alternatives]]


@dataclass
class _Gathered:
    """The rows of blocks, the physical line of each row (None if a block has none), and for each
    query whether it has a document."""

    tables: list[pa.Table] = field(default_factory=list)
    lines: list[Ints | None] = field(default_factory=list)
    queries: dict[str, bool] = field(default_factory=dict)

    @property
    def index(self) -> LineIndex | None:
        """The lines of all rows, if there are any."""
        lines = [own for own in self.lines if own is not None]
        are_known = lines and len(lines) == len(self.lines)
        return LineIndex.of(np.concatenate(lines)) if are_known else None


def load_mapped(
    source: Source,
    request: Request,
    blocks: Iterable[Records],
    mappings_of: Callable[[Records], Mappings],
    details: Callable[[], FormatDetails],
    *,
    hint: str = "",
) -> Loaded:
    """Read a run or judgments; the rows of all mappings of a block of records are put together.
    `details` is asked at the end. Raises FileFormatError with the place of what is wrong and this
    hint, NothingOfKindError for no row at all."""
    gathered = _Gathered()
    for records in blocks:
        try:
            for mapping in mappings_of(records):
                rows = rows_of(records, mapping, may_lack_lists=True)
                _gather(gathered, source, request, rows)
        except MappingError as error:
            raise _refused(source, records, error, hint) from error
    if not any(map(len, gathered.tables)):
        problem = LineProblem(None, "no document in any list", KIND_TITLES[request.kind])
        raise NothingOfKindError(source.name, [problem], hint=hint)
    table = pa.concat_tables(gathered.tables, promote_options="default")
    empty = [query for query, has_documents in gathered.queries.items() if not has_documents]
    notes = list[Note]()
    if empty:
        message = f"{len(empty):,} {plural(len(empty), 'query', 'queries')} with an empty list"
        notes.append(Note("empty", message, len(empty), tuple(empty[:3])))
    if request.kind == "run":
        return _load_run(source, request, table, gathered.index, details(), notes)
    table = _with_grades(source, table, gathered.index, notes)
    qrels = qrels_table(source, request, table, gathered.index)
    read_as = details()
    return Loaded(qrels.noting(*notes), read_as.format, read_as.title, source.name)


def _refused(source: Source, records: Records, error: MappingError, hint: str) -> FileFormatError:
    line, found = records.line(error.axis, error.row), error.found
    if line is None:
        row = int(error.axis.record(np.array([error.row]))[0])
        found = f"{found} (record {row + 1:,})"
    problem = LineProblem(line, found, error.expected, hint=error.hint)
    return refuse(source, [problem], hint="" if error.hint else hint)


def _gather(gathered: _Gathered, source: Source, request: Request, rows: Rows) -> None:
    """Add the rows of one mapping."""
    query = rows.columns.get("query")
    if DOC in rows.columns:
        source.check_cells(rows.axis.count, len(rows.columns))
        columns = {"query_id": _ids(rows, "query"), "doc_id": _ids(rows, DOC)}
        columns |= _ranking(rows) if request.kind == "run" else _grades(rows)
        gathered.tables.append(pa.table(columns))
        lines = rows.records.lines
        own = None if lines is None else lines[rows.axis.record(np.arange(rows.axis.count))]
        gathered.lines.append(own)
    if query is not None and (query.places is not None or DOC not in rows.columns):
        ids = _checked_ids(rows, "query").to_pylist()
        places = np.zeros(0, dtype=np.int64) if query.places is None else query.places
        counts = np.bincount(places, minlength=len(ids)).tolist()
        for query_id, count in zip(ids, counts, strict=True):
            gathered.queries[query_id] = gathered.queries.get(query_id, False) or count > 0


def _ids(rows: Rows, role: str) -> pa.Array:
    """The ids of a role, each text held once. Raises MappingError for what is none."""
    if role not in rows.columns:
        raise MappingError(rows.axis, 0, "nothing", f"an id as {role}")
    texts, places = _checked_ids(rows, role), rows.columns[role].places
    if places is None:
        return texts
    coded = texts.dictionary_encode()
    codes = column_of(values_of(coded.indices)[places])
    return pa.DictionaryArray.from_arrays(codes, coded.dictionary)


def _checked_ids(rows: Rows, role: str) -> pa.Array:
    column = rows.columns[role]
    texts, fine = column.values.ids()
    if role == "system":
        texts = pc.fill_null(texts, "")
    else:
        fine = fine & values_of(pc.fill_null(pc.not_equal(texts, ""), False))
    if not fine.all():
        row = int(np.argmin(fine))
        raise _wrong(rows, role, row, f"an id as {role}")
    return texts


def _wrong(rows: Rows, role: str, row: int, expected: str, hint: str = "") -> MappingError:
    """The error for a value of a role on the axis of its column."""
    column, path = rows.columns[role], rows.paths[role]
    if path.steps and path.steps[-1].kind == "key" and column.values.missing()[row]:
        _, objects = rows.records.values_at(path.steps[:-1])
        if objects.take(np.array([row])).key(path.steps[-1].name).listed() == [None]:
            expected = f"an object with `{path.steps[-1].name}`"
            return MappingError(column.axis, row, objects.shown(row), expected, hint)
    key = str(path).removeprefix("-").removeprefix(column.axis.path)
    return MappingError(column.axis, row, column.values.shown(row), expected, hint, key)


def _ranking(rows: Rows) -> dict[str, pa.Array]:
    """The columns score, rank, place and tag of a run's rows, as far as there are any."""
    columns = {
        role: column_of(_numbers(rows, role)) for role in ("score", "rank") if role in rows.columns
    }
    parents = rows.axis.parents
    if rows.axis.above is not None:
        places = np.arange(rows.axis.count) - np.searchsorted(parents, parents) + 1.0
        columns["place"] = column_of(places)
    if "system" in rows.columns:
        columns["tag"] = _ids(rows, "system")
    return columns


def _numbers(rows: Rows, role: str) -> Floats:
    """The numbers of a role, NaN if missing. Raises MappingError for what is no finite number."""
    column = rows.columns[role]
    numbers = column.values.numbers()
    wrong = np.isnan(numbers) & ~column.values.missing()
    if wrong.any():
        row = int(np.argmax(wrong))
        found = column.values.shown(row)
        hint = why_not_a_number(found.strip("`")) if found.startswith("`") else ""
        raise _wrong(rows, role, row, f"a finite number as {role}", hint)
    if rows.paths[role].reversed:
        numbers = -numbers
    return numbers if column.places is None else numbers[column.places]


def _grades(rows: Rows) -> dict[str, pa.Array]:
    """The grade of each row as it is written, null if missing; the scores beside a grade that only
    the list gives; and whether it is of such a list."""
    constant = rows.paths["grade"].constant if "grade" in rows.paths else "1"
    if constant is None:
        return {"relevance": _texts(rows, "grade")}
    count = rows.axis.count
    codes = column_of(np.zeros(count, dtype=np.int32))
    columns = {"relevance": pa.DictionaryArray.from_arrays(codes, pa.array([constant], ID))}
    if constant != "0":
        scores = _texts(rows, "score") if "score" in rows.columns else pa.nulls(count, ID)
        columns["score"] = scores
    return columns


def _texts(rows: Rows, role: str) -> pa.Array:
    """The single values of a role as they are written, null if missing."""
    column = rows.columns[role]
    values = column.values.listed()
    texts = [None if value is None else str(value) for value in values]
    for row, value in enumerate(values):
        if isinstance(value, (list, dict, bool)):
            raise _wrong(rows, role, row, f"a {role}")
    array = pa.array(texts, ID)
    return array if column.places is None else array.take(column_of(column.places))


def _with_grades(
    source: Source, table: pa.Table, index: LineIndex | None, notes: list[Note]
) -> pa.Table:
    """The rows with their grades; of rows with scores these, if every row of a positive list has a
    whole one. Raises FileFormatError if only some have a grade."""
    missing = np.flatnonzero(values_of(table["relevance"].is_null()))
    if len(missing):

        def lacking(row: int) -> tuple[str, str, str]:
            query_id, doc_id = (table[name][row].as_py() for name in ("query_id", "doc_id"))
            found = f"no grade for document {doc_id} of query {query_id}"
            return found, "a grade", "Give a grade to all documents, or to none."

        raise refuse_values(source, index, missing, lacking)
    if "score" not in table.column_names:
        return table
    grades, scores = table["relevance"].cast(ID), table["score"]
    positive = pc.equal(grades, "1")
    of_positive = scores.filter(positive)
    if not of_positive.null_count and whole_grades(of_positive.unique().to_pylist()):
        grades = pc.if_else(positive, scores, grades)
    elif unused := len(of_positive) - of_positive.null_count:
        message = (
            f"{counted(unused, 'score')} beside the documents not read as grades, since not every"
            " document has a whole one; listed documents have grade 1, in a negative list 0"
        )
        notes.append(Note("scores", message, unused, loud=True))
    at = table.column_names.index("relevance")
    return table.set_column(at, "relevance", grades).drop_columns(["score"])


def _load_run(
    source: Source,
    request: Request,
    table: pa.Table,
    index: LineIndex | None,
    details: FormatDetails,
    notes: list[Note],
) -> Loaded:
    """The runs of rows with scores, else with ranks, else in the order of their lists."""
    numbers = {name: _column(table, name) for name in ("score", "rank", "place")}
    by = next(name for name, own in numbers.items() if name == "place" or not np.isnan(own).all())
    lacking = np.flatnonzero(np.isnan(numbers[by]))
    if len(lacking):
        expected = {"score": A_SCORE, "rank": "a rank", "place": "a score or a rank"}[by]
        problem = ("nothing", expected, f"Give a {by} to all documents, or to none.")
        raise refuse_values(source, index, lacking, lambda row: problem)
    if by != "score":
        message = {
            "rank": "there is a rank but no score; the rank gives the order",
            "place": "there are no scores; the order of each list gives the rank",
        }[by]
        notes.append(Note("rank", message, len(table)))
    kept = [name for name in ("query_id", "doc_id", "tag") if name in table.column_names]
    scores = numbers[by] if by == "score" else -numbers[by]
    rows = table.select(kept).append_column("score", column_of(scores))
    if by == "score" and not np.isnan(numbers["rank"]).all():
        rows = rows.append_column("rank", column_of(numbers["rank"].astype(np.float32)))
    scored = FormatDetails(details.format, details.title, scored=by == "score")
    return load_runs(source, request, rows, index, scored, notes)


def _column(table: pa.Table, name: str) -> Floats:
    """A column of numbers, NaN if it is not there."""
    if name not in table.column_names:
        return np.full(len(table), np.nan)
    numbers: Floats = values_of(table[name].cast(pa.float64()))
    return numbers
