"""Decide which files are joined with judgments while they are read. Small files are faster to read
as a whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from metrics_core.base.compiled.machine import is_worth_loading
from metrics_core.base.errors import RanklensError
from metrics_core.formats.parsing.trec_lines import RUN, parse_with_arrow
from metrics_core.formats.read_as import DEFAULT_CHOICES, ReadAs
from metrics_core.formats.reading import recognise_format
from metrics_core.formats.source.limits import Size, format_size, parse_size
from metrics_core.formats.source.source import Source
from metrics_core.tables import Qrels, Run
from metrics_core.tables.arrays import as_array, as_column
from metrics_core.tables.columns import ID, encode_ids

if TYPE_CHECKING:
    from metrics_core.judging.while_reading.judged import JudgedFile
    from metrics_core.judging.while_reading.judgments import JudgmentTables

MIN_BYTES = 16 << 20
"""Total size of runs in bytes from which it is worth loading the compiled code, if it was compiled
before."""

MIN_MEMORY = 400_000_000
"""Bytes of memory that are enough for a run of any size."""

_BEGINNINGS = 1 << 18, 1 << 20
"""Number of bytes read to examine the first lists of a run. If no list ends within the first number
of bytes, the second number is used."""

_ANY_SIZE = "1000TB"
_WHOLE_HINT = "omit --memory to read the whole run into memory"


def judge_files(
    files: Sequence[str | Path], qrels: Qrels, read_as: ReadAs = DEFAULT_CHOICES
) -> list[JudgedFile] | None:
    """Return the runs, each joined with judgments while its file was read. Returns None if the
    files are too small to justify loading the compiled code, if a file is not a regular file (such
    as a pipe), or if a file needs more than one pass. Raises FileFormatError."""
    paths = [Path(file) for file in files]
    # Files that cannot be read twice, such as pipes, have to be read whole.
    if not all(path.is_file() for path in paths):
        return None
    if not is_worth_loading("rows", sum(path.stat().st_size for path in paths), MIN_BYTES):
        return None
    from metrics_core.judging.while_reading.judged import judge_run_file
    from metrics_core.judging.while_reading.judgments import make_judgment_tables

    judgments, judged_files = make_judgment_tables(qrels), []
    for path, file in zip(paths, files, strict=True):
        run = judge_run_file(read_as.open_file(path, str(file)), judgments)
        if run is None:
            return None
        judged_files.append(run)
    return judged_files


def read_first_lists(file: str | Path, read_as: ReadAs = DEFAULT_CHOICES) -> Run | None:
    """Return the lists at the beginning of a TREC run without reading the rest of the file. Returns
    None if the lines are not regular enough for `parse_with_arrow`."""
    source = read_as.open_file(Path(file), str(file))
    for size in _BEGINNINGS:
        parsed = parse_with_arrow(next(source.blocks(size), b""), RUN)
        if parsed is None:
            return None
        rows = parsed.table.select(["query_id", "doc_id", "score"])
        # The last list may be incomplete.
        codes = as_array(encode_ids(rows["query_id"]).indices)
        rows = rows.filter(as_column(codes != codes[-1]))
        if len(rows):
            break
    return Run(table=rows.set_column(0, "query_id", encode_ids(rows["query_id"].cast(ID))))


def judge_within_memory(
    memory: Size,
    file: str | Path,
    qrels: Qrels,
    read_as: ReadAs = DEFAULT_CHOICES,
    *,
    progress: Callable[[int], None] | None = None,
) -> JudgedFile:
    """Join a run of any size with judgments, using about as much memory as `memory` states. The
    lines of the run must be grouped by query.

    `progress` is called with the number of bytes read so far. Raises FileFormatError, and
    RanklensError if the file must be read whole, or the memory is less than `MIN_MEMORY`."""
    most = parse_size(memory)
    if most < MIN_MEMORY:
        raise RanklensError(
            f"{format_size(most)} of memory is not enough.",
            f"Give at least {format_size(MIN_MEMORY)}.",
        )
    path = Path(file)
    if not path.is_file():
        raise RanklensError(
            f"{file} can be read only once, but --memory may need to read it twice.",
            "Use a regular file.",
        )
    from metrics_core.judging.while_reading.judged import judge_run_file
    from metrics_core.judging.while_reading.judgments import make_judgment_tables

    unlimited = replace(read_as, limit=read_as.limit or _ANY_SIZE)
    source = unlimited.open_file(path, str(file))
    judgments = make_judgment_tables(qrels)
    run = judge_run_file(source, judgments, progress=progress)
    if run is None:
        raise _whole_file_error(source, judgments)
    return run


def _whole_file_error(source: Source, judgments: JudgmentTables) -> RanklensError:
    """Return the error that says why the file cannot be read in one pass. If there are several
    possible reasons, the error lists them all, because finding the line at fault would require
    reading the whole run."""
    if recognise_format(source, "run") != ("trec", "run"):
        return RanklensError(
            f"{source.name} is not a TREC run, but --memory supports only TREC runs.",
            f"Convert it to a TREC run, or {_WHOLE_HINT}.",
        )
    if not judgments.has_plain_ids:
        return RanklensError(
            "The judgments contain ids that are not printable ASCII, but --memory supports only"
            " printable ASCII.",
            f"Rewrite them in ASCII, or {_WHOLE_HINT}.",
        )
    return RanklensError(
        f"{source.name} cannot be evaluated with --memory. Possible reasons: the lines of a query"
        " are not contiguous, no query is judged, a query lists a document twice, there are several"
        " run names, or an id is long or not printable ASCII.",
        f"Group the lines by query: `sort -s -k1,1 FILE > SORTED`. Or {_WHOLE_HINT}; the error"
        " message then names the line.",
    )
