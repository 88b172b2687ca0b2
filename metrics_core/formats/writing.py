"""Tables to files. What is written reads back as the same table, ids and numbers to the last digit.

JSON groups the rows by query; every other format keeps their order. How a format is written stands
with the format.
"""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from metrics_core.base.errors import ParameterError, RanklensError
from metrics_core.base.whole_files import sync_folder
from metrics_core.formats.registry import KIND_TITLES, formats, kind_of
from metrics_core.tables import RankedRun, Run, Table
from metrics_core.tables.ranked_run import as_judged_ranks


def write(table: Table, target: str | Path | BinaryIO, format: str) -> None:
    """Write a table to a path or an open binary file, in the format of that short name.

    Runs and qrels can be written as trec, csv, tsv, json, jsonl and parquet, queries and documents
    as csv, tsv, jsonl and parquet, runs that came as judged ranks as parquet, runs that keep the
    ranks of their file as msmarco. Raises
    ParameterError for a format that cannot hold the kind of table, and RanklensError for an id or a
    text that the format cannot hold; a file that stood there before then stays as it was.
    """
    kind = kind_of(table)
    able = {f.name: f.write[kind] for f in formats() if kind in f.write}
    function = able.get(format)
    if function is None:
        raise ParameterError(
            f"There is no way to write {KIND_TITLES[kind]} as {format!r}.",
            f"There are: {', '.join(sorted(able))}.",
        )
    if isinstance(table, RankedRun) and format != "parquet":
        raise RanklensError(
            f"{as_judged_ranks([table.name])}, which only Parquet holds.", "Write it as parquet."
        )
    if isinstance(table, Run) and table.given_ranks is not None and format != "msmarco":
        raise RanklensError(
            f"{table.name} keeps ranks that its file left out, which only an MS MARCO run holds.",
            "Write it as msmarco.",
        )
    if not isinstance(target, (str, Path)):
        function(table, target)
        return
    with _replacing(Path(target)) as file:
        function(table, file)


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    """A file that takes the place of the one at this path once it is written to its end."""
    if path.exists() and not path.is_file():  # a pipe or a device, which holds nothing to lose
        with path.open("wb") as file:
            yield file
        return
    whole = path.resolve()
    draft = whole.with_name(f".{uuid4().hex}.part")
    try:
        with draft.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if whole.exists():
            shutil.copymode(whole, draft)
        draft.replace(whole)
        with suppress(OSError):  # one may write into a folder that one cannot read
            sync_folder(whole.parent)
    finally:
        draft.unlink(missing_ok=True)


def table_bytes(table: Table, format: str) -> bytes:
    """A table written in a format, as bytes; raises as `write` does."""
    buffer = io.BytesIO()
    write(table, buffer, format)
    return buffer.getvalue()
