"""The runs of a file: rows that a run name tells apart are a run each, called by it.

The name is TREC's last column, or a column system, run, tag, model, … of the other formats. It
tells no systems apart where each query is under one name (a file put together of parts), or where
a name is that of a single row (a remark rather than a name) and no document stands under two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.arrays import Ints
from metrics_core.base.errors import LineProblem
from metrics_core.base.notes import Note
from metrics_core.formats.parsing.checking import check_ids, run_table
from metrics_core.formats.parsing.order_notes import rank_notes, rising_notes
from metrics_core.formats.registry import Loaded, Request
from metrics_core.formats.source.limits import MOST_RUNS
from metrics_core.formats.source.lines import RowLines, refuse
from metrics_core.formats.source.source import Source, shortened
from metrics_core.tables.arrays import column_of, texts_of, values_of
from metrics_core.tables.columns import coded, coded_anew
from metrics_core.tables.repeats import repeated_rows

_SHOWN = 5
_OF_A_RUN = ("query_id", "doc_id", "score")


@dataclass(frozen=True)
class System:
    """The rows of one run: its name, "" where the file's is to be taken, and, where they are not
    all, at which rows of the file they stand."""

    name: str
    rows: pa.Table
    places: Ints | None = None


@dataclass(frozen=True)
class FormatDetails:
    """How rows were read, as `Loaded` says it: the format, its title, TREC's run name; `scored`
    says that the scores are of a kind that may be distances."""

    format: str
    title: str
    tag: str = ""
    scored: bool = False


def load_runs(
    source: Source,
    request: Request,
    rows: pa.Table,
    index: RowLines | None,
    reading: FormatDetails,
    notes: Sequence[Note],
) -> Loaded:
    """The run that the rows make, or the first of several with the others beside it.

    The rows have query_id, doc_id, finite scores and, where the file has them, `rank` (numbers, NaN
    where it is none) and `tag`. Raises FileFormatError.
    """
    check_ids(source, rows, index)
    systems, told = systems_of(rows, partial(check_runs, source))
    return load_systems(source, request, systems, index, reading, [*notes, *told])


def load_systems(
    source: Source,
    request: Request,
    systems: Sequence[System],
    index: RowLines | None,
    reading: FormatDetails,
    notes: Sequence[Note],
) -> Loaded:
    """The same of rows that are known to be of these runs."""
    read: list[Loaded] = []
    for system in systems:
        own = [] if read else list(notes)
        if "rank" in system.rows.column_names:
            own += rank_notes(*(system.rows[name] for name in ("query_id", "rank", "score")))
        if reading.scored:
            own += rising_notes(system.rows["query_id"], values_of(system.rows["score"]))
        named = replace(request, run_name=system.name or request.run_name)
        run = run_table(source, named, system.rows.select(_OF_A_RUN), index, system.places)
        several = len(systems) > 1
        file = f"{source.name}/{run.name}" if several else source.name
        tag = run.name if several else reading.tag
        read.append(Loaded(run.noting(*own), reading.format, reading.title, file, tag))
    return replace(read[0], others=tuple(read[1:]))


def check_runs(source: Source, runs: int) -> None:
    """Refuse a file of very many runs."""
    if runs > MOST_RUNS:
        problem = LineProblem(None, f"{runs:,}", f"at most {MOST_RUNS:,} runs per file")
        raise refuse(source, [problem], hint="Split the runs into several files.")


def only_run(source: Source, read: Sequence[Loaded]) -> Loaded:
    """The one table of a file. Raises FileFormatError where there are several runs."""
    if len(read) == 1:
        return read[0]
    shown = [shortened(one.tag) for one in read[:_SHOWN]]
    found = f"{len(read):,} runs: {', '.join(shown)}" + (", …" if len(read) > _SHOWN else "")
    hint = "The run name separates their rows; `read_runs` reads each run."
    raise refuse(source, [LineProblem(None, found, "one run")], hint=hint)


def systems_of(
    rows: pa.Table, check: Callable[[int], None] = lambda runs: None
) -> tuple[list[System], list[Note]]:
    """The rows of each run in the order in which they begin, and what is to be said of it; `check`
    is told how many runs there are before any is made."""
    if "tag" not in rows.column_names:
        return [System("", rows)], []
    names = coded(pc.fill_null(rows["tag"], "") if rows["tag"].null_count else rows["tag"])
    rows = rows.drop_columns(["tag"])
    codes, known = values_of(names.indices), names.dictionary
    if len(known) < 2 or len(present := np.unique(codes)) < 2:
        return [System("", rows)], []
    shown = tuple(shortened(name) for name in known.take(column_of(present[:3])).to_pylist())
    if not _are_systems(rows, codes, len(known), len(present)):
        message = f"{len(present):,} run names in one file, read as one run"
        return [System("", rows)], [Note("tag", message, len(present), shown)]
    check(len(present))
    message = f"{len(present):,} runs in one file, separated by run name"
    return _apart(rows, codes, known), [Note("systems", message, len(present), shown)]


def known_systems(rows: pa.Table, check: Callable[[int], None]) -> list[System]:
    """The same of rows of which each `tag` is a run's for certain."""
    if "tag" not in rows.column_names:
        return [System("", rows)]
    names = coded(rows["tag"])
    rows, codes = rows.drop_columns(["tag"]), values_of(names.indices)
    present = np.unique(codes)
    check(len(present))
    if len(present) == 1:
        return [System(names.dictionary[int(present[0])].as_py(), rows)]
    return _apart(rows, codes, names.dictionary)


def _apart(rows: pa.Table, codes: npt.NDArray[np.int32], names: pa.Array) -> list[System]:
    """The rows of each name in the order in which they begin."""
    order, present = np.argsort(codes, kind="stable"), np.unique(codes)
    edges = np.append(np.searchsorted(codes[order], present), len(codes))
    parts = [order[start:end] for start, end in pairwise(edges.tolist())]
    return [
        System(names[code].as_py(), rows_at(rows, places), places)
        for places, code in sorted(
            zip(parts, present.tolist(), strict=True), key=lambda part: int(part[0][0])
        )
    ]


def _are_systems(rows: pa.Table, codes: npt.NDArray[np.int32], most: int, present: int) -> bool:
    """Whether several names are those of systems rather than of parts, or of single rows."""
    queries = values_of(coded(rows["query_id"]).indices).astype(np.int64)
    if len(np.unique(queries * most + codes)) == len(np.unique(queries)):
        return False
    if np.bincount(codes)[np.unique(codes)].min() > 1:
        return True
    return bool(len(repeated_rows(queries.astype(np.int32), rows["doc_id"])[0]))


def rows_at(rows: pa.Table, places: Ints) -> pa.Table:
    """These rows; of the queries only those that they have."""
    some = rows.take(column_of(places))
    at = some.column_names.index("query_id")
    return some.set_column(at, "query_id", coded_anew(some["query_id"]))


def with_one_tag(table: pa.Table, tags: Sequence[str]) -> pa.Table:
    """The rows of a block that were under one name, with a column of it."""
    if "tag" in table.column_names:
        return table
    codes = column_of(np.zeros(len(table), dtype=np.int32))
    names = pa.DictionaryArray.from_arrays(codes, texts_of([*tags[:1]] or [""]))
    return table.append_column("tag", names)
