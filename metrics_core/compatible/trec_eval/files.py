"""Files as trec_eval reads them: white space between fields, numbers by their beginning.

Ids are bytes to trec_eval. Here each byte is one character (Latin-1), which keeps their order and
makes any file text; what is printed goes back the same way. Arrow reads the regular blocks of a
file; a block with anything odd in it goes line by line.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from metrics_core.base.parallel import in_order
from metrics_core.compatible.trec_eval.ending import FILES, Ended
from metrics_core.compatible.trec_eval.numbers import atof, atol
from metrics_core.formats.parsing.regular import read_regular
from metrics_core.tables.columns import CODED_ID, ID

_BLOCK = 1 << 24
_ODD = (b"\r", b"\v", b"\f", b"\0")


@dataclass(frozen=True)
class FileColumns:
    """The fields of a line. `kept` are those worth keeping, `more` says that fields may follow,
    `blanks` that blank lines may stand between, `comments` that lines with # are none."""

    fields: tuple[str, ...]
    kept: dict[str, pa.DataType]
    more: bool = False
    blanks: bool = False
    comments: bool = False


def results_layout(*, comments: bool) -> FileColumns:
    """query Q0 document rank score run_name"""
    kept = {"query_id": CODED_ID, "doc_id": ID, "score": pa.float64()}
    fields = ("query_id", "q0", "doc_id", "rank", "score", "tag")
    return FileColumns(fields, kept, more=True, blanks=True, comments=comments)


def judgments_layout(*fields: str, comments: bool) -> FileColumns:
    """The fields given; all but the document are kept as few distinct texts."""
    return FileColumns(
        fields, {f: ID if f == "doc_id" else CODED_ID for f in fields}, comments=comments
    )


def read_bytes(path: str, *, what: str, stdin: bool = False) -> bytes:
    """A whole file; with `stdin` a name that begins with - is the standard input."""
    try:
        data = (
            sys.stdin.buffer.read()
            if stdin and path[:1] == "-"
            else Path(_as_given(path)).read_bytes()
        )
    except OSError:
        data = b""
    if not data:
        raise Ended(
            FILES,
            f"trec_eval: Cannot read {what} file '{path}'",
            f"trec_eval: Quit in file '{path}'",
        )
    return data


def as_bytes(word: str) -> str:
    """A word of the command line with each of its bytes as one character."""
    return os.fsencode(word).decode("latin-1")


def _as_given(word: str) -> str:
    return os.fsdecode(word.encode("latin-1"))


def read_table(data: bytes, layout: FileColumns, path: str) -> pa.Table:
    """The kept fields of each line, each column in one piece. Ends at a malformed line."""

    def one(block: bytes) -> pa.Table | None:
        quick = _fast(block, layout)
        return _carefully(block, layout) if quick is None else quick

    tables: list[pa.Table] = []
    for table in in_order(one, _blocks(data)):
        if table is None:
            raise Ended(
                FILES,
                "trec_eval: Malformed line",
                f"trec_eval: Quit in file '{path}'",
            )
        tables.append(table)
    return pa.concat_tables(tables).unify_dictionaries().combine_chunks()


def last_field(data: bytes, layout: FileColumns) -> str:
    """The last field of the layout in the last line that has content."""
    number = len(layout.fields) - 1
    end = len(data)
    while end > 0:
        start = data.rfind(b"\n", 0, end) + 1
        fields = data[start:end].split()
        if fields and not (layout.comments and fields[0].startswith(b"#")):
            return fields[number].decode("latin-1") if len(fields) > number else ""
        end = start - 1
    return ""


def grades(column: pa.ChunkedArray) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Whole grades of a column of few distinct texts; int64."""
    return _distinct(column, np.array([atol(t) for t in _texts(column)], dtype=np.int64))


def levels(column: pa.ChunkedArray) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Real levels of a column of few distinct texts; float64."""
    return _distinct(column, np.array([atof(t) for t in _texts(column)], dtype=np.float64))


def _texts(column: pa.ChunkedArray) -> list[str]:
    texts: list[str] = column.chunk(0).dictionary.to_pylist() if len(column) else []
    return texts


def _distinct(column: pa.ChunkedArray, values: np.ndarray) -> np.ndarray:
    if not len(column):
        return values
    return values[column.chunk(0).indices.to_numpy(zero_copy_only=False)]


def _blocks(data: bytes) -> Iterator[bytes]:
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + _BLOCK) + 1
        yield data[start : end or len(data)]
        start = end or len(data)


def _fast(block: bytes, layout: FileColumns) -> pa.Table | None:
    """A block of regular lines by Arrow; None where it is not sure to mean the same."""
    if layout.comments and _may_hold_comments(block, layout):
        return None
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    if any(odd in block for odd in _ODD):
        return None
    if not block.endswith(b"\n"):
        block += b"\n"
    if not block.isascii():
        block = block.decode("latin-1").encode()
    # Without these no field can seem empty, so what Arrow takes has its fields in their places.
    if not (b"\t" in block or b"  " in block or b" \n" in block):
        table = _regular(block, layout)
        if table is not None:
            return table
    return _regular(_with_single_blanks(block, layout), layout)


def _may_hold_comments(block: bytes, layout: FileColumns) -> bool:
    """Whether a line may begin with #; where blank lines may stand, behind white space, too."""
    if b"#" not in block:
        return False
    behind = (b"\n#", b" #", b"\t#") if layout.blanks else (b"\n#",)
    return block.startswith(b"#") or any(place in block for place in behind)


def _with_single_blanks(block: bytes, layout: FileColumns) -> bytes:
    """The block without blanks at the ends of lines and without superfluous ones inside."""
    block = block.replace(b"\t", b" ")
    while b"  " in block:
        block = block.replace(b"  ", b" ")
    block = block.replace(b" \n", b"\n").replace(b"\n ", b"\n").lstrip(b" ")
    if layout.blanks:
        while b"\n\n" in block:
            block = block.replace(b"\n\n", b"\n")
        block = block.lstrip(b"\n")
    return block


def _regular(block: bytes, layout: FileColumns) -> pa.Table | None:
    wanted = len(layout.fields)
    found = block[: block.find(b"\n")].count(b" ") + 1
    extra = [f"more {i}" for i in range(found - wanted)] if layout.more else []
    return read_regular(block, " ", [*layout.fields, *extra], layout.kept, layout.kept)


def _carefully(block: bytes, layout: FileColumns) -> pa.Table | None:
    """A block line by line; None where a line is malformed."""
    rows: list[list[str]] = []
    wanted = len(layout.fields)
    lines = block.split(b"\n")
    for line in lines[:-1] if not lines[-1] else lines:
        fields = line.split()
        if not fields and layout.blanks:
            continue
        starts = fields[0] if fields and layout.blanks else line
        if layout.comments and starts.startswith(b"#"):
            continue
        if len(fields) < wanted or (len(fields) > wanted and not layout.more):
            return None
        rows.append([f.decode("latin-1") for f in fields[:wanted]])
    columns = {}
    for name, kind in layout.kept.items():
        place = layout.fields.index(name)
        texts = [row[place] for row in rows]
        if pa.types.is_floating(kind):
            columns[name] = pa.array([atof(t) for t in texts], pa.float64(), from_pandas=False)
        else:
            columns[name] = pa.array(texts, ID).cast(kind)
    return pa.table(columns)
