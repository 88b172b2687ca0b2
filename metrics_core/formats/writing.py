"""Write tables to files. Reading such a file gives the same table, with identical ids and numbers.

JSON groups rows by query; all other formats keep the order of rows. The writer of a format is in
the module of the format."""

from __future__ import annotations

import io
from pathlib import Path
from typing import BinaryIO

from metrics_core.base.errors import ParameterError, RanklensError
from metrics_core.base.whole_files import open_replacement
from metrics_core.formats.registry import KIND_TITLES, formats, kind_of
from metrics_core.tables import RankedRun, Run, Table
from metrics_core.tables.ranked_run import judged_ranks_clause


def write(table: Table, target: str | Path | BinaryIO, format: str) -> None:
    """Write a table to a path or an open binary file. `format` is the short name of a format.

    - runs and judgments: trec, csv, tsv, json, jsonl, parquet
    - runs with gaps between their ranks: msmarco
    - runs of judged ranks (the ranks of judged documents): parquet
    - queries and documents: csv, tsv, jsonl, parquet

    Raises ParameterError if the format cannot store this kind of table, and RanklensError if it
    cannot store an id or text. After an error, an existing file is unchanged."""
    kind = kind_of(table)
    writers = {f.name: f.write[kind] for f in formats() if kind in f.write}
    function = writers.get(format)
    if function is None:
        raise ParameterError(
            f"Cannot write {KIND_TITLES[kind]} as {format!r}.",
            f"Available: {', '.join(sorted(writers))}.",
        )
    if isinstance(table, RankedRun) and format != "parquet":
        raise RanklensError(
            f"{judged_ranks_clause([table.name])}, so it can only be stored as Parquet.",
            "Write it in the format parquet.",
        )
    if isinstance(table, Run) and table.given_ranks is not None and format != "msmarco":
        raise RanklensError(
            f"Only an MS MARCO run can store the gaps between the ranks of {table.name}.",
            "Write the run in the format msmarco.",
        )
    if not isinstance(target, (str, Path)):
        function(table, target)
        return
    with open_replacement(Path(target)) as file:
        function(table, file)


def table_bytes(table: Table, format: str) -> bytes:
    """Return the bytes of a table written in a format. Raises the errors of `write`."""
    buffer = io.BytesIO()
    write(table, buffer, format)
    return buffer.getvalue()
