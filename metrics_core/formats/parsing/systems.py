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
from metrics_core.formats.parsing.checking import build_run_table, check_ids
from metrics_core.formats.parsing.order_notes import rank_notes, rising_notes
from metrics_core.formats.registry import Loaded, Request
from metrics_core.formats.source.limits import MAX_RUNS
from metrics_core.formats.source.lines import RowLines, file_error
from metrics_core.formats.source.source import Source, shorten_line
from metrics_core.tables.arrays import as_array, as_column, as_text_column
from metrics_core.tables.columns import encode_ids, reencode_ids
from metrics_core.tables.repeats import find_repeated_rows

_MAX_EXAMPLES = 5
_RUN_COLUMNS = ("query_id", "doc_id", "score")


@dataclass(frozen=True)
class SystemRows:
    """The rows of one run: its name, "" where the file's is to be taken, and, where they are not
    all, at which rows of the file they stand."""

    name: str
    rows: pa.Table
    file_rows: Ints | None = None


@dataclass(frozen=True)
class FormatDetails:
    """How rows were read, as `Loaded` says it: the format, its title, TREC's run name; `has_scores`
    says that the scores are of a kind that may be distances."""

    format: str
    title: str
    tag: str = ""
    has_scores: bool = False


def load_runs(
    source: Source,
    request: Request,
    rows: pa.Table,
    index: RowLines | None,
    details: FormatDetails,
    notes: Sequence[Note],
) -> Loaded:
    """The run that the rows make, or the first of several with the others beside it.

    The rows have query_id, doc_id, finite scores and, where the file has them, `rank` (numbers, NaN
    where it is none) and `tag`. Raises FileFormatError.
    """
    check_ids(source, rows, index)
    systems, system_notes = split_systems(rows, partial(check_runs, source))
    return load_systems(source, request, systems, index, details, [*notes, *system_notes])


def load_systems(
    source: Source,
    request: Request,
    systems: Sequence[SystemRows],
    index: RowLines | None,
    details: FormatDetails,
    notes: Sequence[Note],
) -> Loaded:
    """The same of rows that are known to be of these runs."""
    loaded_runs: list[Loaded] = []
    for system in systems:
        run_notes = [] if loaded_runs else list(notes)
        if "rank" in system.rows.column_names:
            run_notes += rank_notes(*(system.rows[name] for name in ("query_id", "rank", "score")))
        if details.has_scores:
            run_notes += rising_notes(system.rows["query_id"], as_array(system.rows["score"]))
        run_request = replace(request, run_name=system.name or request.run_name)
        run = build_run_table(
            source, run_request, system.rows.select(_RUN_COLUMNS), index, system.file_rows
        )
        has_several = len(systems) > 1
        file = f"{source.name}/{run.name}" if has_several else source.name
        tag = run.name if has_several else details.tag
        loaded_runs.append(Loaded(run.noting(*run_notes), details.format, details.title, file, tag))
    return replace(loaded_runs[0], others=tuple(loaded_runs[1:]))


def check_runs(source: Source, runs: int) -> None:
    """Refuse a file of very many runs."""
    if runs > MAX_RUNS:
        problem = LineProblem(None, f"{runs:,}", f"at most {MAX_RUNS:,} runs per file")
        raise file_error(source, [problem], hint="Split the runs into several files.")


def get_only_run(source: Source, loaded_runs: Sequence[Loaded]) -> Loaded:
    """The one table of a file. Raises FileFormatError where there are several runs."""
    if len(loaded_runs) == 1:
        return loaded_runs[0]
    run_names = [shorten_line(loaded.tag) for loaded in loaded_runs[:_MAX_EXAMPLES]]
    actual = f"{len(loaded_runs):,} runs: {', '.join(run_names)}" + (
        ", …" if len(loaded_runs) > _MAX_EXAMPLES else ""
    )
    hint = "The run name separates their rows; `read_runs` reads each run."
    raise file_error(source, [LineProblem(None, actual, "one run")], hint=hint)


def split_systems(
    rows: pa.Table, check: Callable[[int], None] = lambda runs: None
) -> tuple[list[SystemRows], list[Note]]:
    """The rows of each run in the order in which they begin, and what is to be said of it; `check`
    is told how many runs there are before any is made."""
    if "tag" not in rows.column_names:
        return [SystemRows("", rows)], []
    names = encode_ids(pc.fill_null(rows["tag"], "") if rows["tag"].null_count else rows["tag"])
    rows = rows.drop_columns(["tag"])
    codes, tag_names = as_array(names.indices), names.dictionary
    if len(tag_names) < 2 or len(present_codes := np.unique(codes)) < 2:
        return [SystemRows("", rows)], []
    examples = tuple(
        shorten_line(name) for name in tag_names.take(as_column(present_codes[:3])).to_pylist()
    )
    if not _are_systems(rows, codes, len(tag_names), len(present_codes)):
        message = f"{len(present_codes):,} run names in one file, read as one run"
        return [SystemRows("", rows)], [Note("tag", message, len(present_codes), examples)]
    check(len(present_codes))
    message = f"{len(present_codes):,} runs in one file, separated by run name"
    return _split_by_name(rows, codes, tag_names), [
        Note("systems", message, len(present_codes), examples)
    ]


def split_known_systems(rows: pa.Table, check: Callable[[int], None]) -> list[SystemRows]:
    """The same of rows of which each `tag` is a run's for certain."""
    if "tag" not in rows.column_names:
        return [SystemRows("", rows)]
    names = encode_ids(rows["tag"])
    rows, codes = rows.drop_columns(["tag"]), as_array(names.indices)
    present_codes = np.unique(codes)
    check(len(present_codes))
    if len(present_codes) == 1:
        return [SystemRows(names.dictionary[int(present_codes[0])].as_py(), rows)]
    return _split_by_name(rows, codes, names.dictionary)


def _split_by_name(
    rows: pa.Table, codes: npt.NDArray[np.int32], names: pa.Array
) -> list[SystemRows]:
    """The rows of each name in the order in which they begin."""
    order, present_codes = np.argsort(codes, kind="stable"), np.unique(codes)
    edges = np.append(np.searchsorted(codes[order], present_codes), len(codes))
    parts = [order[start:end] for start, end in pairwise(edges.tolist())]
    return [
        SystemRows(names[code].as_py(), select_rows(rows, positions), positions)
        for positions, code in sorted(
            zip(parts, present_codes.tolist(), strict=True), key=lambda part: int(part[0][0])
        )
    ]


def _are_systems(
    rows: pa.Table, codes: npt.NDArray[np.int32], code_count: int, present_count: int
) -> bool:
    """Whether several names are those of systems rather than of parts, or of single rows."""
    queries = as_array(encode_ids(rows["query_id"]).indices).astype(np.int64)
    if len(np.unique(queries * code_count + codes)) == len(np.unique(queries)):
        return False
    if np.bincount(codes)[np.unique(codes)].min() > 1:
        return True
    return bool(len(find_repeated_rows(queries.astype(np.int32), rows["doc_id"])[0]))


def select_rows(rows: pa.Table, row_numbers: Ints) -> pa.Table:
    """These rows; of the queries only those that they have."""
    selection = rows.take(as_column(row_numbers))
    index = selection.column_names.index("query_id")
    return selection.set_column(index, "query_id", reencode_ids(selection["query_id"]))


def add_tag_column(table: pa.Table, tags: Sequence[str]) -> pa.Table:
    """The rows of a block that were under one name, with a column of it."""
    if "tag" in table.column_names:
        return table
    codes = as_column(np.zeros(len(table), dtype=np.int32))
    names = pa.DictionaryArray.from_arrays(codes, as_text_column([*tags[:1]] or [""]))
    return table.append_column("tag", names)
