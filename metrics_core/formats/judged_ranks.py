"""Judged ranks: a few rows a query in place of a run, as Parquet; a file, a folder, a zip of one.

Such tables are made where a run is too large for one machine (`scoring.spark.write_judged_ranks`).

run, query_id  text   the list
retrieved      int64  how many documents it has
judged         int64  how many documents are judged for the query; 0: the query is not judged
doc_id         text   a judged document; null: a row that only says how long the list is
rank           int64  its rank, from 1
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePath, PurePosixPath
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base import wording as w
from metrics_core.base.arrays import Ints
from metrics_core.base.errors import FileFormatError, LineProblem, TableError
from metrics_core.base.notes import Note
from metrics_core.formats.parquet import (
    MAGIC,
    batches_of,
    column_names,
    guarded,
    opened_parquet,
    plain_column,
)
from metrics_core.formats.parsing.columns import RANKS_COLUMNS as COLUMNS
from metrics_core.formats.parsing.ranks_parts import is_part, ranks_note
from metrics_core.formats.registry import SPECIFIC, Kind, Loaded, Request, Sample, reader
from metrics_core.formats.source.limits import Limit, Size
from metrics_core.formats.source.lines import problem_in_row, refuse
from metrics_core.formats.source.members import members_of
from metrics_core.formats.source.opening import legible, memory_enough, open_source
from metrics_core.formats.source.source import Source
from metrics_core.formats.source.unpacking import is_zip
from metrics_core.tables import RankedRun
from metrics_core.tables.arrays import column_of, values_of
from metrics_core.tables.columns import ID, coded

_TEXTS, _NUMBERS = ("run", "query_id", "doc_id"), ("retrieved", "judged", "rank")
_NAME, _FORMAT, _ENDING = "judged-ranks", "Judged ranks", ".parquet"
_HINT = (
    "Judged ranks are what `evaluate --spark … --judged-ranks` writes: Parquet with the columns"
    f" {', '.join(COLUMNS)}."
)
_LOOKED_AT = 3


def holds_ranks(source: str | Path | bytes) -> bool:
    """Whether a file, a folder, a zip or the bytes of one holds judged ranks, by its first
    parts."""
    try:
        with _parts(source, "", None) as parts:
            # The first may be damaged; reading it says so.
            return any(_has_columns(part) for part in parts[:_LOOKED_AT])
    except (FileFormatError, OSError):
        return False


def read_judged_ranks(
    source: str | Path | bytes, *, name: str | None = None, limit: Size | None = None
) -> list[RankedRun]:
    """The runs of a Parquet file of judged ranks, of a folder of such, a zip of one, or its bytes,
    in the byte order of their names. `judge` joins them with the judgments that they were made
    with. Raises FileFormatError where it is no such file."""
    loaded = read_ranks_set(source, name=name, limit=limit)
    return [cast(RankedRun, one.table) for one in loaded]


def read_ranks_set(
    source: str | Path | bytes, *, name: str | None = None, limit: Size | None = None
) -> list[Loaded]:
    """What `read_judged_ranks` reads, each run under the source's name and its own."""
    shown = legible(name or ("the file" if isinstance(source, bytes) else str(source)))
    with _parts(source, shown, limit) as parts:
        if not parts:
            raise _refused(shown, "other files, or no files")
        read, size = [], 0
        for part in parts:
            opened = part()
            read.append((opened, _rows(opened)))
            size += read[-1][1].nbytes
            Limit.of(limit).check_size(shown, size)
    one_of_several = len(parts) == 1 and is_part(PurePath(shown).name)
    runs = _runs(shown, read)
    return [_loaded(run, f"{shown}/{run.name}", one_of_several) for run in runs]


def _loaded(run: RankedRun, file: str, one_of_several: bool) -> Loaded:
    told = [ranks_note(run)]
    if one_of_several:
        message = "one part of a folder; queries in other parts count as missing"
        told.append(Note("part", message, 1, loud=True))
    return Loaded(run.noting(*told), _NAME, f"{_FORMAT}: {', '.join(COLUMNS)}", file, tag=run.name)


def recognise_ranks(sample: Sample) -> Mapping[Kind, int]:
    """By the names of all of its columns."""
    return {"run": SPECIFIC} if _has_columns(lambda: sample.source) else {}


@reader(
    _NAME,
    title=_FORMAT,
    kinds=("run",),
    endings=(_ENDING,),
    explanation="The ranks of the judged documents, a few rows per query, as written by Ranklens on"
    " Apache Spark: a Parquet file, a folder of them, or a zip of that folder. Contains"
    " one run per name.",
    example=f"(binary) columns {', '.join(COLUMNS)}",
    recognise=recognise_ranks,
    magic=MAGIC,
)
def read_ranks(source: Source, request: Request) -> Loaded:
    """The one run of a file of judged ranks."""
    runs = _runs(source.name, [(source, _rows(source))])
    if len(runs) > 1:
        found = f"judged ranks of {len(runs):,} runs: {w.listing([run.name for run in runs[:3]])}"
        hint = "`read_judged_ranks` and `read_set` read all of them."
        raise refuse(source, [LineProblem(None, found, "the ranks of one run")], hint=hint)
    return replace(
        _loaded(runs[0], source.name, is_part(PurePath(source.name).name)), file=source.name
    )


@contextmanager
def _parts(
    source: str | Path | bytes, shown: str, limit: Size | None
) -> Iterator[list[Callable[[], Source]]]:
    """What opens each part: the file, or those of a folder or a zip that holds nothing else but
    what Hadoop puts beside them; none where there are no such."""
    origin = source if isinstance(source, bytes) else Path(source)
    folder = isinstance(origin, Path) and origin.is_dir()
    if not folder and not is_zip(origin):
        there = isinstance(origin, bytes) or origin.is_file()
        yield [partial(open_source, source, shown or None, None, limit)] if there else []
        return
    with members_of(source, shown, Limit.of(limit), partial(_refused, shown)) as members:
        names = [n for n in members.names if not PurePosixPath(n).name.startswith(("_", "."))]
        alike = all(n.endswith(_ENDING) for n in names)
        together = len({PurePosixPath(n).parent for n in names}) == 1

        def opened(member: str) -> Source:
            return open_source(members.content(member), f"{shown}/{member}", None, limit)

        yield [partial(opened, name) for name in sorted(names)] if alike and together else []


def _refused(shown: str, found: str) -> FileFormatError:
    return FileFormatError(shown, [LineProblem(None, found, "judged ranks")], hint=_HINT)


def _has_columns(opened: Callable[[], Source]) -> bool:
    try:
        source = opened()
        if not source.magic.startswith(MAGIC):
            return False
        names = guarded(source, lambda: opened_parquet(source).schema_arrow.names)
    except FileFormatError:
        return False
    return set(COLUMNS) <= set(names)


def _rows(source: Source) -> pa.Table:
    """The rows of one part, the texts as text, the numbers as int64."""
    if not source.magic.startswith(MAGIC):
        problem = LineProblem(None, "not Parquet", "a part of judged ranks")
        raise refuse(source, [problem], hint=_HINT)
    file = opened_parquet(source)
    names = column_names(source, file)
    lacking = [name for name in COLUMNS if name not in names]
    if lacking:
        found = f"no column {' and '.join(lacking)} among {', '.join(names[:12])}"
        raise refuse(source, [LineProblem(None, found, "judged ranks")], hint=_HINT)
    wanted = list(COLUMNS)
    from metrics_core.formats.source.parquet_size import check_size

    guarded(source, partial(check_size, source, file, wanted))
    batches = guarded(source, partial(batches_of, source, file, wanted))
    schema = pa.schema([(n, ID if n in _TEXTS else pa.int64()) for n in COLUMNS])
    if not batches:
        return schema.empty_table()
    table = pa.Table.from_batches(batches)
    return pa.table({name: _column(source, name, table[name]) for name in COLUMNS}, schema=schema)


def _column(source: Source, name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    column = guarded(source, partial(plain_column, column))
    whole = pa.types.is_integer(column.type)
    text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    text |= name == "doc_id" and pa.types.is_null(column.type)  # nothing judged is listed
    if not whole and (name in _NUMBERS or not text):
        expected = "whole numbers" if name in _NUMBERS else "text"
        found = f"`{name}` of the type {column.type}"
        raise refuse(source, [LineProblem(None, found, f"{expected} as {name}")], hint=_HINT)
    if name != "doc_id" and pc.any(_lacking(column)).as_py():
        row = int(np.flatnonzero(values_of(_lacking(column)))[0])
        problem = problem_in_row(None, row, "nothing", f"a {name} in every row")
        raise refuse(source, [problem], hint=_HINT)
    return guarded(source, partial(column.cast, ID if name in _TEXTS else pa.int64()))


def _lacking(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if pa.types.is_integer(column.type):
        return column.is_null()
    return pc.equal(pc.fill_null(column, ""), "")


@dataclass(frozen=True)
class _Read:
    """All parts, one below the other; `edges` are the rows at which they begin."""

    sources: Sequence[Source]
    edges: Sequence[int]

    def refused(self, error: TableError, rows: Sequence[int]) -> FileFormatError:
        """The error in the words of the part where it is; `rows` are those of a run."""
        at = [rows[p.row] for p in error.problems]
        part = int(np.searchsorted(self.edges, at[0], "right")) - 1
        problems = [
            problem_in_row(None, row - self.edges[part], p.found, p.expected, p.hint)
            for p, row in zip(error.problems, at, strict=True)
            if int(np.searchsorted(self.edges, row, "right")) - 1 == part
        ]
        hint = error.hint or error.message
        return refuse(self.sources[part], problems, count=len(problems), hint=hint)


def _runs(shown: str, read: Sequence[tuple[Source, pa.Table]]) -> list[RankedRun]:
    """The runs of all parts, in the byte order of their names. Raises FileFormatError."""
    sources, tables = zip(*read, strict=True)
    lengths = [len(table) for table in tables]
    whole = _Read(sources, np.cumsum([0, *lengths[:-1]]).tolist())
    with memory_enough(sources[0]):
        table = pa.concat_tables(tables)
        if not len(table):
            problem = LineProblem(None, "no rows", "at least one")
            raise FileFormatError(shown, [problem], hint="Is the file complete?")
        names = coded(table["run"])
        codes = values_of(names.indices)
        own = names.dictionary.to_pylist()
        in_order = sorted(range(len(own)), key=lambda code: own[code].encode())
        return [_run(own[code], table, np.flatnonzero(codes == code), whole) for code in in_order]


def _run(name: str, table: pa.Table, rows: Ints, whole: _Read) -> RankedRun:
    part = table.take(column_of(rows))
    numbers = [values_of(part[column]) for column in ("rank", "retrieved", "judged")]
    try:
        return RankedRun.from_ranks(name, part["query_id"], part["doc_id"], *numbers)
    except TableError as error:
        raise whole.refused(error, rows.tolist()) from error
