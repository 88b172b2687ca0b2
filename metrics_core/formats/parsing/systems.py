"""Divide the rows of a file into runs: rows with different run names become separate runs.

The name is in the last column of TREC runs, and in other formats in a column such as system, run,
tag or model. There are two cases in which different names do not make separate runs. In the first,
each query has only one name, as in a file joined from parts. In the second, some name occurs in
only one row, and no query lists a document twice; the names are then more likely comments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.arrays import Int32s, Ints
from metrics_core.base.errors import content_error
from metrics_core.base.notes import Note
from metrics_core.base.wording import list_first
from metrics_core.formats.parsing.checking import build_run_table, check_ids
from metrics_core.formats.parsing.order_notes import rank_notes, rising_score_notes
from metrics_core.formats.registry import Loaded, Request
from metrics_core.formats.source.limits import MAX_RUNS
from metrics_core.formats.source.lines import RowLines
from metrics_core.formats.source.source import Source, shorten_line
from metrics_core.tables.arrays import as_array, as_column, as_text_column, group_rows
from metrics_core.tables.columns import encode_ids, reencode_ids
from metrics_core.tables.repeats import find_repeated_rows

_MAX_EXAMPLES = 5
_RUN_COLUMNS = ("query_id", "doc_id", "score")


@dataclass(frozen=True)
class SystemRows:
    """The rows of one run.

    name       run name; "" if the run is named after the file
    rows       rows of the run
    file_rows  indexes of the rows in the file, int64[row]; None if these are all of its rows"""

    name: str
    rows: pa.Table
    file_rows: Ints | None = None


@dataclass(frozen=True)
class FormatDetails:
    """How rows were read: format, title and TREC run name, with the same meaning as in `Loaded`.

    `has_scores` is true if the scores are read from the file, which means that they may be
    distances."""

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
    """Return the run of these rows. If there are several runs, the first is returned, with the
    others in `Loaded.others`.

    The columns are query_id, doc_id and score (finite), and optionally rank (float, NaN if not a
    number) and tag. Raises FileFormatError for an invalid id or a repeated document."""
    check_ids(source, rows, index)
    systems, system_notes = split_systems(rows, source)
    return load_systems(source, request, systems, index, details, [*notes, *system_notes])


def load_systems(
    source: Source,
    request: Request,
    systems: Sequence[SystemRows],
    index: RowLines | None,
    details: FormatDetails,
    notes: Sequence[Note],
) -> Loaded:
    """Return the result of `load_runs` for rows that are already divided into runs."""
    loaded_runs: list[Loaded] = []
    for system in systems:
        run_notes = [] if loaded_runs else list(notes)
        if "rank" in system.rows.column_names:
            run_notes += rank_notes(*(system.rows[name] for name in ("query_id", "rank", "score")))
        if details.has_scores:
            run_notes += rising_score_notes(system.rows["query_id"], as_array(system.rows["score"]))
        run_request = replace(request, run_name=system.name or request.run_name)
        run = build_run_table(
            source, run_request, system.rows.select(_RUN_COLUMNS), index, system.file_rows
        )
        has_several = len(systems) > 1
        file = f"{source.name}/{run.name}" if has_several else source.name
        tag = run.name if has_several else details.tag
        loaded_runs.append(
            Loaded(run.with_notes(*run_notes), details.format, details.title, file, tag)
        )
    return replace(loaded_runs[0], others=tuple(loaded_runs[1:]))


def get_only_run(source: Source, loaded_runs: Sequence[Loaded]) -> Loaded:
    """Return the run of a file that must contain only one. Raises FileFormatError if the file
    contains several runs."""
    if len(loaded_runs) == 1:
        return loaded_runs[0]
    run_names = [shorten_line(loaded.tag) for loaded in loaded_runs]
    actual = f"{len(loaded_runs):,} runs: {list_first(run_names, _MAX_EXAMPLES)}"
    hint = "The run name shows which run a row belongs to; `read_runs` reads all runs."
    raise content_error(source.name, actual, "one run", hint)


def split_systems(
    rows: pa.Table, source: Source | None = None
) -> tuple[list[SystemRows], list[Note]]:
    """Divide rows into runs. Return the rows of each run, in order of first occurrence, and notes.

    Raises FileFormatError if the file `source` contains too many runs."""
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
    if not _are_system_names(rows, codes, len(tag_names), len(present_codes)):
        message = f"{len(present_codes):,} run names in one file, read as one run"
        return [SystemRows("", rows)], [Note("tag", message, len(present_codes), examples)]
    message = f"{len(present_codes):,} runs in one file, separated by run name"
    note = Note("systems", message, len(present_codes), examples)
    return _split_by_name(rows, codes, tag_names, source), [note]


def split_by_tag(rows: pa.Table, source: Source) -> list[SystemRows]:
    """Divide rows into runs by their `tag`, which must be the name of a run in every row. Without a
    `tag` column, all rows are one run. Raises FileFormatError for too many runs."""
    if "tag" not in rows.column_names:
        return [SystemRows("", rows)]
    names = encode_ids(rows["tag"])
    rows, codes = rows.drop_columns(["tag"]), as_array(names.indices)
    present_codes = np.unique(codes)
    if len(present_codes) == 1:
        return [SystemRows(names.dictionary[int(present_codes[0])].as_py(), rows)]
    return _split_by_name(rows, codes, names.dictionary, source)


def _split_by_name(
    rows: pa.Table, codes: Int32s, names: pa.Array, source: Source | None
) -> list[SystemRows]:
    """Group rows by run name. Return the rows of each run, in order of first occurrence. `codes`
    int32[row] has the code of each row's name. Raises FileFormatError if the file `source` contains
    too many runs."""
    parts = sorted(group_rows(codes), key=lambda part: int(part[0]))
    if source is not None and len(parts) > MAX_RUNS:
        raise content_error(
            source.name,
            f"{len(parts):,}",
            f"at most {MAX_RUNS:,} runs per file",
            "Split the runs into several files.",
        )
    return [
        SystemRows(names[int(codes[part[0]])].as_py(), select_rows(rows, part), part)
        for part in parts
    ]


def _are_system_names(rows: pa.Table, codes: Int32s, code_count: int, present_count: int) -> bool:
    """Return whether the names identify systems rather than parts of one run or comments on single
    rows.

    `codes` is int32[row]. There are `code_count` names; `present_count` of them occur in these
    rows."""
    queries = as_array(encode_ids(rows["query_id"]).indices).astype(np.int64)
    if len(np.unique(queries * code_count + codes)) == len(np.unique(queries)):
        return False
    if np.bincount(codes)[np.unique(codes)].min() > 1:
        return True
    return bool(len(find_repeated_rows(queries.astype(np.int32), rows["doc_id"])[0]))


def select_rows(rows: pa.Table, row_numbers: Ints) -> pa.Table:
    """Return the rows with the indexes `row_numbers`, int64[n]. The dictionary of query ids is
    reduced to the ids that occur in these rows."""
    selection = rows.take(as_column(row_numbers))
    index = selection.column_names.index("query_id")
    return selection.set_column(index, "query_id", reencode_ids(selection["query_id"]))


def add_tag_column(table: pa.Table, tags: Sequence[str]) -> pa.Table:
    """Return a block with a column `tag`. If the block has no such column, all its rows belong to
    one run, and a column filled with the name of this run is added."""
    if "tag" in table.column_names:
        return table
    codes = as_column(np.zeros(len(table), dtype=np.int32))
    names = pa.DictionaryArray.from_arrays(codes, as_text_column([*tags[:1]] or [""]))
    return table.append_column("tag", names)
