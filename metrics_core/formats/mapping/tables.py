"""A run or judgments from the records of a file and mappings: columns of ids and numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import repeat

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.arrays import Floats, Ints, Mask
from metrics_core.base.errors import FileFormatError, LineProblem
from metrics_core.base.notes import Note
from metrics_core.formats.mapping.axes import MappingError, Records, RowAxis
from metrics_core.formats.mapping.paths import Alternatives, Path
from metrics_core.formats.mapping.presets import Remark
from metrics_core.formats.mapping.rows import DOC, Rows, column_on, depth_of, rows_of
from metrics_core.formats.parsing.checking import check_ids, qrels_table, refuse_values
from metrics_core.formats.parsing.columns import whole_grades
from metrics_core.formats.parsing.systems import (
    FormatDetails,
    check_runs,
    known_systems,
    load_runs,
    load_systems,
)
from metrics_core.formats.registry import KIND_TITLES, Loaded, NothingOfKindError, Request
from metrics_core.formats.source.lines import LineIndex, counted, refuse
from metrics_core.formats.source.source import Source, shortened
from metrics_core.formats.values import A_SCORE, Grades, grade_problem, why_not_a_number
from metrics_core.tables.arrays import column_of, values_of
from metrics_core.tables.columns import ID, coded, coded_anew

Mappings = Sequence[Mapping[str, Alternatives]]
_EXPECTED = {"query": "the id of a query", "doc": "the id of a document", "system": "a run's name"}
_SEVERAL_RUNS = "Does the file contain several runs? Use one file per run."
_EMPTY = Remark(("run", "qrels"), "empty", "{n:,} {things} with an empty list")


@dataclass(frozen=True)
class Rules:
    """What holds for a tool's records, called by this `title`, beyond their mappings: each has its
    lists, their systems are told for certain, and a query has one list `once` (in a run one for
    each system). `empty` is said of queries without a document."""

    title: str
    once: bool = False
    empty: Remark = _EMPTY


@dataclass
class _Gathered:
    """The rows of blocks, the physical line of each row (None if a block has none), and for each
    list, by its system and query, whether it has a document."""

    tables: list[pa.Table] = field(default_factory=list)
    lines: list[Ints | None] = field(default_factory=list)
    lists: dict[tuple[str, str], bool] = field(default_factory=dict)

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
    mappings_of: Callable[[Records], Iterable[Mapping[str, Alternatives]]],
    details: Callable[[], FormatDetails],
    *,
    hint: str = "",
    rules: Rules | None = None,
) -> Loaded:
    """Read a run or judgments; the rows of all mappings of a block of records are put together.
    `details` is asked at the end. Raises FileFormatError with the place of what is wrong and this
    hint, NothingOfKindError for no row at all."""
    gathered = _Gathered()
    for records in blocks:
        try:
            checked = set[tuple[Path | None, Path | None]]()
            for mapping in mappings_of(records):
                rows = rows_of(records, mapping, may_lack_lists=rules is None)
                if rules is not None and DOC not in rows.paths:
                    continue
                own = rows.paths.get("query"), rows.paths.get("system")
                once = rules is not None and rules.once and own not in checked
                _gather(gathered, source, request, rows, by_system=rules is not None, once=once)
                checked.add(own)
        except MappingError as error:
            raise refused_mapping(source, records, error, hint) from error
    if not any(map(len, gathered.tables)):
        found = "no document in any list" if rules is None else f"none in this file ({rules.title})"
        problem = LineProblem(None, found, KIND_TITLES[request.kind])
        end = "" if rules is None else "Is the file complete? "
        raise NothingOfKindError(source.name, [problem], hint=end + hint)
    table = pa.concat_tables(gathered.tables, promote_options="default")
    empty = [query for (_, query), has_documents in gathered.lists.items() if not has_documents]
    empty = list(dict.fromkeys(empty))
    notes = list[Note]()
    if empty:
        notes.append((_EMPTY if rules is None else rules.empty).note(empty))
    queries = coded(table["query_id"])
    if not np.bincount(values_of(queries.indices), minlength=len(queries.dictionary)).all():
        # A query without a document would count as one of the table's by its id alone.
        table = table.set_column(0, "query_id", coded_anew(queries))
    if request.kind == "run":
        known = rules is not None
        return _load_run(source, request, table, gathered.index, details(), notes, known=known)
    table = _with_grades(source, table, gathered.index, notes)
    qrels = qrels_table(source, request, table, gathered.index)
    read_as = details()
    return Loaded(qrels.noting(*notes), read_as.format, read_as.title, source.name)


def refused_mapping(
    source: Source, records: Records, error: MappingError, hint: str
) -> FileFormatError:
    """The error for a file in whose records something is wrong, with its line or record."""
    line, found = records.line(error.axis, error.row), error.found
    if line is None:
        row = int(error.axis.record(np.array([error.row]))[0])
        found = f"{found} (record {row + 1:,})"
    problem = LineProblem(line, found, error.expected, hint=error.hint)
    return refuse(source, [problem], hint="" if error.hint else hint, offer=error.offer)


def _gather(
    gathered: _Gathered,
    source: Source,
    request: Request,
    rows: Rows,
    *,
    by_system: bool,
    once: bool,
) -> None:
    """Add the rows of one mapping, and its lists: a query has one, or one for each system, which
    may be there `once`."""
    judged = np.ones(rows.axis.count, np.bool_)
    if DOC in rows.columns:
        source.check_cells(rows.axis.count, len(rows.columns))
        columns = {"query_id": _ids(rows, "query"), "doc_id": _ids(rows, DOC)}
        columns |= _ranking(rows) if request.kind == "run" else _grades(rows, request)
        table = pa.table(columns)
        if request.kind == "qrels" and _may_lack_grade(rows):
            judged = values_of(table["relevance"].is_valid())
            table = table.filter(column_of(judged))
        gathered.tables.append(table)
        lines, kept = rows.records.lines, np.flatnonzero(judged)
        gathered.lines.append(None if lines is None else lines[rows.axis.record(kept)])
    _add_lists(gathered, rows, judged, by_system=by_system, once=once)


def _may_lack_grade(rows: Rows) -> bool:
    path = rows.paths.get("grade")
    return path is not None and bool(path.steps) and path.steps[-1].optional


def _add_lists(
    gathered: _Gathered, rows: Rows, judged: Mask, *, by_system: bool, once: bool
) -> None:
    """Add the lists of rows and whether each has a document that counts. Raises MappingError for a
    second one that may be there `once`."""
    if "query" not in rows.paths:
        return
    system = rows.paths.get("system") if by_system else None
    parts = () if system is None else system.joined or (system,)
    own = [rows.records.values_at(path.steps)[0] for path in parts if path.constant is None]
    query = rows.columns["query"]
    axis = max([query.axis, *own], key=depth_of)
    has_documents = DOC in rows.columns
    places = None
    if has_documents:
        places = query.places if axis is query.axis else axis.rows_on(rows.axis)
    if has_documents and (axis is rows.axis or places is None):
        return  # a row has a query of its own, not a list
    ids = ids_on(rows, "query", axis).to_pylist()
    names = repeat("") if system is None else column_on(rows.records, system, axis).listed()
    counts = np.bincount(
        np.zeros(0, np.int64) if places is None else places[judged], minlength=len(ids)
    )
    for row, (name, query_id, count) in enumerate(zip(names, ids, counts.tolist(), strict=False)):
        key = str(name or ""), query_id
        if once and key in gathered.lists:
            of = f" of run {shortened(key[0])}" if key[0] else ""
            found = f"query {shortened(query_id)}{of} a second time"
            hint = "" if "grade" in rows.paths else _SEVERAL_RUNS
            raise MappingError(axis, row, found, "each query once", hint)
        gathered.lists[key] = gathered.lists.get(key, False) or count > 0


def ids_on(rows: Rows, role: str, axis: RowAxis) -> pa.Array:
    """The ids of a role for each row of an axis that is its own, beside it or deeper. Raises
    MappingError for what is none."""
    ids, column = checked_ids(rows, role), rows.columns[role]
    places = column.places if axis is rows.axis else column.axis.rows_on(axis)
    return ids if places is None else ids.take(column_of(places))


def _ids(rows: Rows, role: str) -> pa.Array:
    """The ids of a role, each text held once. Raises MappingError for what is none."""
    if role not in rows.columns:
        if not rows.axis.count:
            return pa.nulls(0, ID)
        raise MappingError(rows.axis, 0, "nothing", _EXPECTED[role])
    texts, places = checked_ids(rows, role), rows.columns[role].places
    if places is None:
        return texts
    coded = texts.dictionary_encode()
    codes = column_of(values_of(coded.indices)[places])
    return pa.DictionaryArray.from_arrays(codes, coded.dictionary)


def checked_ids(rows: Rows, role: str) -> pa.Array:
    """The ids of a role on its own axis. Raises MappingError for what is none."""
    column = rows.columns[role]
    texts, fine = column.values.ids()
    if role == "system":
        texts = pc.fill_null(texts, "")
    else:
        fine = fine & values_of(pc.fill_null(pc.not_equal(texts, ""), False))
    if not fine.all():
        row = int(np.argmin(fine))
        raise wrong_value(rows, role, row, _EXPECTED[role])
    return texts


def wrong_value(rows: Rows, role: str, row: int, expected: str, hint: str = "") -> MappingError:
    """The error for a value of a role on the axis of its column."""
    column, path = rows.columns[role], rows.paths[role]
    if path.steps and path.steps[-1].kind == "key" and column.values.missing()[row]:
        _, objects = rows.records.values_at(path.steps[:-1])
        if objects.take(np.array([row])).key(path.steps[-1].name).listed() == [None]:
            expected = f"an object with `{path.steps[-1].name}`"
            key = Path(path.steps[:-1]).place.removeprefix(column.axis.path)
            return MappingError(column.axis, row, objects.shown(row), expected, hint, key)
    key = path.place.removeprefix("-").removeprefix(column.axis.path)
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
        raise wrong_value(rows, role, row, f"a finite number as {role}", hint)
    if rows.paths[role].reversed:
        numbers = -numbers
    return numbers if column.places is None else numbers[column.places]


def _grades(rows: Rows, request: Request) -> dict[str, pa.Array]:
    """The grade of each row as it is written, null if missing; the scores beside a grade that only
    the list gives; and whether it is of such a list."""
    constant = rows.paths["grade"].constant if "grade" in rows.paths else "1"
    if constant is None:
        _check_grades(rows, request.grades)
        return {"relevance": _texts(rows, "grade")}
    count = rows.axis.count
    columns = {"relevance": pa.repeat(pa.scalar(constant, ID), count)}
    if constant != "0":
        scores = _texts(rows, "score") if "score" in rows.columns else pa.nulls(count, ID)
        columns["score"] = scores
    return columns


def _check_grades(rows: Rows, grades: Grades) -> None:
    """Raise MappingError for the first value that is no grade."""
    path = rows.paths["grade"]
    axis, values = rows.records.values_at(path.steps)
    texts = [None if value is None else str(value) for value in values.listed()]
    for text in dict.fromkeys(texts):
        problem = None if text is None else grade_problem(text, grades)
        if text is not None and problem is not None:
            row, key = texts.index(text), Path(path.steps).place.removeprefix(axis.path)
            found, offer = values.shown(row), problem.offer
            raise MappingError(axis, row, found, problem.expected, problem.hint, key, offer)


def _texts(rows: Rows, role: str) -> pa.Array:
    """The single values of a role as they are written, null if missing."""
    column = rows.columns[role]
    values = column.values.listed()
    texts = [None if value is None else str(value) for value in values]
    for row, value in enumerate(values):
        if isinstance(value, (list, dict, bool)):
            raise wrong_value(rows, role, row, f"a {role}")
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
            return found, "a grade", "Give all documents a grade, or none."

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
            f"{counted(unused, 'score')} ignored as grades, because not every document has a whole"
            " number; listed documents get grade 1, in a negative list 0"
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
    *,
    known: bool,
) -> Loaded:
    """The runs of rows with scores, else with ranks, else in the order of their lists; `known` says
    that a system is one for certain."""
    numbers = {name: _column(table, name) for name in ("score", "rank", "place")}
    by = next(name for name, own in numbers.items() if name == "place" or not np.isnan(own).all())
    lacking = np.flatnonzero(np.isnan(numbers[by]))
    if len(lacking):
        expected = {"score": A_SCORE, "rank": "a rank", "place": "a score or a rank"}[by]
        problem = ("nothing", expected, f"Give all documents a {by}, or none.")
        raise refuse_values(source, index, lacking, lambda row: problem)
    if by != "score":
        message = {
            "rank": "no scores in the file; ordered by rank",
            "place": "no scores in the file; the order of each list is the ranking",
        }[by]
        notes.append(Note("rank", message, len(table)))
    kept = [name for name in ("query_id", "doc_id", "tag") if name in table.column_names]
    scores = numbers[by] if by == "score" else -numbers[by]
    rows = table.select(kept).append_column("score", column_of(scores))
    if by == "score" and not np.isnan(numbers["rank"]).all():
        rows = rows.append_column("rank", column_of(numbers["rank"].astype(np.float32)))
    scored = FormatDetails(details.format, details.title, scored=by == "score")
    if not known:
        return load_runs(source, request, rows, index, scored, notes)
    check_ids(source, rows, index)
    systems = known_systems(rows, partial(check_runs, source))
    return load_systems(source, request, systems, index, scored, notes)


def _column(table: pa.Table, name: str) -> Floats:
    """A column of numbers, NaN if it is not there."""
    if name not in table.column_names:
        return np.full(len(table), np.nan)
    numbers: Floats = values_of(table[name].cast(pa.float64()))
    return numbers
