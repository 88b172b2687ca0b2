"""Named columns of text, from whichever format, made into the table they mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.arrays import Floats, Ints
from metrics_core.base.errors import FileFormatError, LineProblem, TableError, did_you_mean
from metrics_core.base.notes import Note
from metrics_core.formats.parsing.checking import qrels_table, refuse_values
from metrics_core.formats.parsing.chosen_columns import absent, is_constant, read_as, turned
from metrics_core.formats.parsing.columns import (
    DISTANCES,
    NAMES,
    Understood,
    fold,
    position,
    understand,
)
from metrics_core.formats.parsing.systems import FormatDetails, load_runs
from metrics_core.formats.registry import Kind, Loaded, Request
from metrics_core.formats.source.lines import RowLines, refuse, refuse_rows
from metrics_core.formats.source.source import Source
from metrics_core.formats.values import A_SCORE, parse_scores, why_not_a_number
from metrics_core.tables import Documents, Queries, Table
from metrics_core.tables.arrays import values_of
from metrics_core.tables.columns import ID, coded
from metrics_core.tables.repeats import repeated_rows

_NEEDED: dict[Kind, str] = {
    "run": "query_id, doc_id and score (or rank)",
    "qrels": "query_id, doc_id and relevance",
    "queries": "query_id and text",
    "documents": "doc_id and title or text",
}


_ESCI = {"E": 3.0, "S": 2.0, "C": 1.0, "I": 0.0}
_ESCI |= {"Exact": 3.0, "Substitute": 2.0, "Complement": 1.0, "Irrelevant": 0.0}
_ESCI |= {word.lower(): grade for word, grade in _ESCI.items() if len(word) > 1}
"""What the labels of Amazon's shopping queries are worth, in their order."""


@dataclass
class NamedColumns:
    """Columns by name, all of one length: texts (null where absent), or float64 for numbers.

    `names` has all that the file has, `columns` at least those that the table uses.

    `index` gives the physical line of a row, None where the file has no lines; `header` is the
    line that names the columns.
    """

    names: list[str]
    columns: dict[str, pa.ChunkedArray]
    index: RowLines | None
    notes: list[Note] = field(default_factory=list)
    header: int | None = 1

    def column(self, at: int) -> pa.ChunkedArray:
        """The column at this position of the header."""
        return self.columns[self.names[at]]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()))) if self.columns else 0


def check_header(source: Source, names: Sequence[str], line: int | None) -> None:
    """Refuse a header that names a column twice."""
    twice = sorted(name for name, times in Counter(names).items() if name and times > 1)
    if twice:
        shown = ", ".join(f"`{name}`" for name in twice)
        problem = LineProblem(line, f"{shown} more than once", "each column name once")
        raise refuse(source, [problem], hint="Rename or delete one of the columns.")


def check_columns(
    source: Source, names: Sequence[str], request: Request, line: int | None
) -> Understood:
    """The columns understood; refuses a header that lacks one."""
    shown = ", ".join(f"`{name}`" for name in names[:12]) + (", …" if len(names) > 12 else "")
    asked = absent(names, request.columns)
    if asked:
        problem = LineProblem(line, f"no column `{asked[0]}` among {shown}", "the columns named")
        raise refuse(source, [problem], hint=did_you_mean(asked[0], names))
    understood = understand(read_as(names, request.columns), request.kind)
    if is_constant(request.columns.get("relevance", "")) and understood.missing == ["relevance"]:
        return replace(understood, missing=())
    if not understood.missing:
        return understood
    found = f"no column for {' and '.join(understood.missing)} among {shown}"
    problem = LineProblem(line, found, _NEEDED[request.kind])
    hint = "Use these names, or a recognised alternative, in the first line."
    hint = hint if line else hint.replace(", in the first line", "")
    if request.kind in ("run", "qrels"):
        number = "score" if request.kind == "run" else "grade"
        hint += f" Or assign the columns: columns query=…,doc=…,{number}=…."
    far = position(names, DISTANCES)
    if "score" in understood.missing and far >= 0:
        hint = (
            f"`{names[far]}` is a distance (smallest is best), but a score must be highest for the"
            f" best. Invert it with columns score=-{names[far]}."
        )
    raise refuse(source, [problem], hint=hint)


def load_named(
    source: Source, request: Request, named: NamedColumns, format: str, title: str
) -> Loaded:
    """The table that named columns mean, checked, with notes on columns that are not used."""
    understood = check_columns(source, named.names, request, named.header)
    if not len(named):
        problem = LineProblem(None, "only a header", "at least one row")
        raise refuse(source, [problem], hint="Is the file complete?")
    used = ", ".join(_used(named, request.kind, understood))
    if request.kind == "run":
        rows = _run_rows(source, request, named, understood)
        scored = "score" in understood.roles
        reading = FormatDetails(format, f"{title}: {used}", scored=scored)
        try:
            return load_runs(source, request, rows, named.index, reading, named.notes)
        except FileFormatError as error:
            raise _asking_for_systems(named, understood, rows, error) from error
    if request.kind == "qrels":
        table: Table = _qrels(source, request, named, understood)
    elif request.kind == "queries":
        table = _queries(source, named, understood)
    else:
        table = _documents(source, named, understood)
    return Loaded(table.noting(*named.notes), format, f"{title}: {used}", source.name)


def _asking_for_systems(
    named: NamedColumns, understood: Understood, rows: pa.Table, error: FileFormatError
) -> FileFormatError:
    """The error for a document that stands twice, with the columns that may tell systems apart."""
    others = [named.names[at] for at in understood.others]
    codes = values_of(coded(rows["query_id"]).indices)
    if not others or "tag" in understood.roles or not len(repeated_rows(codes, rows["doc_id"])[0]):
        return error
    hint = (
        f"If a column identifies the system of each row, such as `{others[0]}`, read the file with"
        f" columns system={others[0]}. {error.hint}"
    )
    return FileFormatError(error.file, error.problems, hint=hint, count=error.count)


def _used(named: NamedColumns, kind: Kind, understood: Understood) -> list[str]:
    """The names of the columns that the table was made of, in the file's order."""
    used = set(understood.roles.values()) - {understood.roles.get("tag", -1)}
    if kind == "qrels" or (kind == "run" and "score" in understood.roles):
        used.discard(understood.roles.get("rank", -1))
        used.discard(understood.roles.get("iteration", -1))
    if kind in ("queries", "documents"):
        used |= set(understood.others)
    return [name for at, name in enumerate(named.names) if at in used]


def _run_rows(
    source: Source, request: Request, named: NamedColumns, understood: Understood
) -> pa.Table:
    """The ids and scores of a run, and where the file has them ranks beside and run names."""
    roles = understood.roles
    rows: dict[str, Any] = _ids(named, understood, "query_id", "doc_id")
    if "score" in roles:
        rows["score"] = _scores(source, named, roles["score"])
        if turned(named.names, request.columns):
            rows["score"] = -rows["score"]
            message = f"`{named.names[roles['score']]}` is inverted: smallest first"
            named.notes.append(Note("columns", message, len(named)))
        if "rank" in roles:
            rows["rank"] = _ranks(named.column(roles["rank"]))
    else:
        rows["score"] = -_scores(source, named, roles["rank"])
        message = "no scores in the file; ordered by rank"
        named.notes.append(Note("rank", message, len(named)))
    if "tag" in roles:
        rows["tag"] = named.column(roles["tag"])
    _note_ignored(named, understood)
    return pa.table(rows)


def _ranks(column: pa.ChunkedArray) -> npt.NDArray[np.float32]:
    """Ranks as TREC's are read, NaN where one is no number."""
    if pa.types.is_floating(column.type):
        return np.array(column.to_numpy(), dtype=np.float32)
    texts = coded(column)
    numbers = np.append(parse_scores(texts.dictionary), np.nan)
    return numbers[values_of(pc.fill_null(texts.indices, len(numbers) - 1))].astype(np.float32)


def _qrels(source: Source, request: Request, named: NamedColumns, understood: Understood) -> Table:
    ids = _ids(named, understood, "query_id", "doc_id")
    if "relevance" not in understood.roles:
        _note_ignored(named, understood)
        constant = pa.array([request.columns["relevance"].strip("'")] * len(named), ID)
        return qrels_table(source, request, pa.table({**ids, "relevance": constant}), named.index)
    at = understood.roles["relevance"]
    column = named.column(at)
    grades = pc.utf8_trim(pc.fill_null(column.cast(ID), ""), " \t")
    name = named.names[at]
    if fold(name) in NAMES["score"] and "relevance" not in request.columns:
        whole = "contains small integers and " if request.grades == "integer" else ""
        message = f"the column `{name}` {whole}is read as grades"
        named.notes.append(Note("columns", message, len(named)))
    if fold(name) == "escilabel" and request.grades == "integer":
        request = replace(request, grades=_ESCI)
        message = f"`{name}` as grades: E (exact) 3, S (substitute) 2, C (complement) 1, I 0"
        named.notes.append(Note("grades", message, len(named)))
    _note_ignored(named, understood)
    rows = {**ids, "relevance": grades}
    for role in {"subtopic", "iteration"} & understood.roles.keys():
        rows[role] = pc.fill_null(named.column(understood.roles[role]).cast(ID), "")
    table, index = _with_grade(pa.table(rows), named)
    return qrels_table(source, request, table, index)


@dataclass(frozen=True)
class _Kept:
    """The lines of some of the rows."""

    index: RowLines
    rows: Ints

    def line(self, row: int) -> int | None:
        return self.index.line(int(self.rows[row]))


def _with_grade(rows: pa.Table, named: NamedColumns) -> tuple[pa.Table, RowLines | None]:
    """The rows that a judge has filled in: an empty grade is none, and never a 0. Where all are
    empty the column is no grade, and stays to be refused."""
    empty = pc.equal(rows["relevance"], "")
    count = pc.sum(empty).as_py() or 0
    if not count or count == len(rows):
        return rows, named.index
    message = f"{count:,} rows without a grade, excluded; their documents stay unjudged"
    named.notes.append(Note("ungraded", message, count, loud=True))
    kept = pc.invert(empty)
    places = np.flatnonzero(kept.to_numpy())
    return rows.filter(kept), None if named.index is None else _Kept(named.index, places)


def _queries(source: Source, named: NamedColumns, understood: Understood) -> Table:
    ids = _ids(named, understood, "query_id")
    columns = {"query_id": ids["query_id"].to_pylist()}
    if "text" in understood.roles:
        columns["text"] = pc.fill_null(named.column(understood.roles["text"]), "").to_pylist()
    else:
        message = "no text column found; the queries have no text"
        named.notes.append(Note("columns", message, len(named)))
    for at in understood.others:
        name = _free_name(named.names[at], ("query_id", "text"))
        columns[name] = [value or None for value in named.column(at).to_pylist()]
    try:
        return Queries.from_columns(columns)
    except TableError as error:
        raise refuse_rows(source, error, named.index) from error


def _documents(source: Source, named: NamedColumns, understood: Understood) -> Table:
    columns = _ids(named, understood, "doc_id")
    for role in ("title", "text"):
        if role in understood.roles:
            columns[role] = pc.fill_null(named.column(understood.roles[role]), "")
    for at in understood.others:
        columns[_free_name(named.names[at], ("doc_id", "title", "text"))] = _present(
            named.column(at)
        )
    try:
        return Documents.from_columns(columns)
    except TableError as error:
        raise refuse_rows(source, error, named.index) from error


def _ids(named: NamedColumns, understood: Understood, *roles: str) -> dict[str, pa.ChunkedArray]:
    """The id columns; the tables refuse rows without an id."""
    return {role: named.column(understood.roles[role]) for role in roles}


def _scores(source: Source, named: NamedColumns, at: int) -> Floats:
    column = named.column(at)
    if pa.types.is_floating(column.type):
        scores = np.array(column.to_numpy(), dtype=np.float64)
        texts = column
    else:
        texts = pc.utf8_trim(pc.fill_null(column, ""), " \t")
        scores = np.concatenate([parse_scores(chunk) for chunk in texts.chunks])
    rows = np.flatnonzero(~np.isfinite(scores))
    if len(rows):

        def problem(row: int) -> tuple[str, str, str]:
            value = texts[row].as_py()
            text = "" if value is None else str(value)
            return (f"`{text}`" if text else "nothing", A_SCORE, why_not_a_number(text))

        raise refuse_values(source, named.index, rows, problem)
    return scores


def _note_ignored(named: NamedColumns, understood: Understood) -> None:
    names = tuple(named.names[at] for at in understood.others)
    if names:
        shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
        named.notes.append(Note("columns", f"columns not used: {shown}", len(names), names[:3]))


def _present(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A metadata column with null for an empty text, as no format but JSON tells the two apart."""
    return pc.if_else(pc.equal(column, ""), pa.scalar(None, ID), column)


def _free_name(name: str, ours: Collection[str]) -> str:
    """A metadata column's name; one that would hide a column of ours is told apart."""
    while name in ours:
        name += "_"
    return name
