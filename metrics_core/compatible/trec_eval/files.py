"""Read files by the rules of trec_eval: fields are separated by white space, and numbers are parsed
from the beginning of a field.

Ids are bytes in trec_eval. Here each byte is one character (Latin-1). This preserves their order,
and any file can be decoded; output is encoded in the same way. Arrow reads regular blocks of a
file; irregular blocks are read line by line."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from metrics_core.base.arrays import AnyArray, Floats, Ints
from metrics_core.base.parallel import map_in_order
from metrics_core.compatible.trec_eval.c_program import FILES, NO_QUERIES, ProgramExit, atof, atol
from metrics_core.compatible.trec_eval.options import TrecEvalOptions
from metrics_core.formats.parsing.regular import read_regular
from metrics_core.tables import Qrels, Run
from metrics_core.tables.columns import CODED_ID, ID, drop_rows
from metrics_core.tables.repeats import find_repeated_rows

_BLOCK = 1 << 24
_ODD = (b"\r", b"\v", b"\f", b"\0")


@dataclass(frozen=True)
class LineFields:
    """The layout of lines in a file.

    fields        names of the fields of a line
    column_types  the fields that are kept, with their types
    has_more      whether a line may have additional fields after these
    blanks        whether blank lines are allowed
    comments      whether lines that begin with # are skipped"""

    fields: tuple[str, ...]
    column_types: dict[str, pa.DataType]
    has_more: bool = False
    blanks: bool = False
    comments: bool = False


def results_layout(*, allows_comments: bool) -> LineFields:
    """Return the layout of result lines: query Q0 document rank score run_name."""
    column_types = {"query_id": CODED_ID, "doc_id": ID, "score": pa.float64()}
    fields = ("query_id", "q0", "doc_id", "rank", "score", "tag")
    return LineFields(fields, column_types, has_more=True, blanks=True, comments=allows_comments)


def read_bytes(path: str, *, file_kind: str, stdin: bool = False) -> bytes:
    """Return the content of a whole file. If `stdin` is true, a name that begins with - refers to
    standard input.

    Raises ProgramExit if the file is unreadable or empty."""
    try:
        data = (
            sys.stdin.buffer.read()
            if stdin and path[:1] == "-"
            else Path(_file_name(path)).read_bytes()
        )
    except OSError:
        data = b""
    if not data:
        raise ProgramExit(
            FILES,
            f"trec_eval: Cannot read {file_kind} file '{path}'",
            f"trec_eval: Quit in file '{path}'",
        )
    return data


def decode_word_bytewise(word: str) -> str:
    """Convert a word of the command line to text with one character per byte."""
    return os.fsencode(word).decode("latin-1")


def _file_name(word: str) -> str:
    return os.fsdecode(word.encode("latin-1"))


def read_table(data: bytes, layout: LineFields, path: str) -> pa.Table:
    """Return a table of the fields to keep, with each column in a single chunk. Raises ProgramExit
    at a malformed line."""

    def read_block(block: bytes) -> pa.Table | None:
        quick = _read_regular_block(block, layout)
        return _read_block_by_line(block, layout) if quick is None else quick

    tables: list[pa.Table] = []
    for table in map_in_order(read_block, _split_blocks(data)):
        if table is None:
            raise ProgramExit(
                FILES,
                "trec_eval: Malformed line",
                f"trec_eval: Quit in file '{path}'",
            )
        tables.append(table)
    return pa.concat_tables(tables).unify_dictionaries().combine_chunks()


def last_field(data: bytes, layout: LineFields) -> str:
    """Return the last field of the layout in the last line that is neither blank nor a comment; ""
    if there is none."""
    number = len(layout.fields) - 1
    end = len(data)
    while end > 0:
        start = data.rfind(b"\n", 0, end) + 1
        fields = data[start:end].split()
        if fields and not (layout.comments and fields[0].startswith(b"#")):
            return fields[number].decode("latin-1") if len(fields) > number else ""
        end = start - 1
    return ""


def parse_grades(column: pa.ChunkedArray) -> Ints:
    """Return the integer grades in a column of strings, int64[row]."""
    return _parse_distinct(column, atol).astype(np.int64)


def parse_levels(column: pa.ChunkedArray) -> Floats:
    """Return the real-valued levels in a column of strings, float64[row]."""
    return _parse_distinct(column, atof).astype(np.float64)


def _parse_distinct(column: pa.ChunkedArray, parse: Callable[[str], float]) -> AnyArray:
    """Parse each distinct string of a column once, and return the number of each row."""
    if not len(column):
        return np.empty(0)
    coded = column.chunk(0)
    numbers = np.array([parse(text) for text in coded.dictionary.to_pylist()])
    return numbers[coded.indices.to_numpy(zero_copy_only=False)]


def _split_blocks(data: bytes) -> Iterator[bytes]:
    start = 0
    while start < len(data):
        end = data.find(b"\n", start + _BLOCK) + 1
        yield data[start : end or len(data)]
        start = end or len(data)


def _read_regular_block(block: bytes, layout: LineFields) -> pa.Table | None:
    """Read a block of regular lines with Arrow; None if the result might differ from reading line
    by line."""
    if layout.comments and _may_contain_comments(block, layout):
        return None
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n")
    if any(odd_byte in block for odd_byte in _ODD):
        return None
    if not block.endswith(b"\n"):
        block += b"\n"
    if not block.isascii():
        block = block.decode("latin-1").encode()
    # Without these no field can appear empty, so Arrow gets the fields right.
    if not (b"\t" in block or b"  " in block or b" \n" in block):
        table = _read_with_arrow(block, layout)
        if table is not None:
            return table
    return _read_with_arrow(_collapse_blanks(block, layout), layout)


def _may_contain_comments(block: bytes, layout: LineFields) -> bool:
    """Return whether a line may begin with #. If the layout allows blank lines, white space before
    the # is ignored."""
    if b"#" not in block:
        return False
    markers = (b"\n#", b" #", b"\t#") if layout.blanks else (b"\n#",)
    return block.startswith(b"#") or any(marker in block for marker in markers)


def _collapse_blanks(block: bytes, layout: LineFields) -> bytes:
    """Return the block without trailing blanks and with single blanks inside lines."""
    block = block.replace(b"\t", b" ")
    while b"  " in block:
        block = block.replace(b"  ", b" ")
    block = block.replace(b" \n", b"\n").replace(b"\n ", b"\n").lstrip(b" ")
    if layout.blanks:
        while b"\n\n" in block:
            block = block.replace(b"\n\n", b"\n")
        block = block.lstrip(b"\n")
    return block


def _read_with_arrow(block: bytes, layout: LineFields) -> pa.Table | None:
    n_fields = len(layout.fields)
    n_found = block[: block.find(b"\n")].count(b" ") + 1
    extra = [f"more {i}" for i in range(n_found - n_fields)] if layout.has_more else []
    return read_regular(
        block, " ", [*layout.fields, *extra], layout.column_types, layout.column_types
    )


def _read_block_by_line(block: bytes, layout: LineFields) -> pa.Table | None:
    """Read a block line by line; None if a line is malformed."""
    rows: list[list[str]] = []
    n_fields = len(layout.fields)
    lines = block.split(b"\n")
    for line in lines[:-1] if not lines[-1] else lines:
        fields = line.split()
        if not fields and layout.blanks:
            continue
        starts = fields[0] if fields and layout.blanks else line
        if layout.comments and starts.startswith(b"#"):
            continue
        if len(fields) < n_fields or (len(fields) > n_fields and not layout.has_more):
            return None
        rows.append([f.decode("latin-1") for f in fields[:n_fields]])
    columns = {}
    for name, kind in layout.column_types.items():
        index = layout.fields.index(name)
        texts = [row[index] for row in rows]
        if pa.types.is_floating(kind):
            columns[name] = pa.array([atof(t) for t in texts], pa.float64(), from_pandas=False)
        else:
            columns[name] = pa.array(texts, ID).cast(kind)
    return pa.table(columns)


@dataclass(frozen=True)
class Results:
    """The content of a results file: its rows, and the name of the run from its last line."""

    run: Run
    name: str


def read_results(path: str, options: TrecEvalOptions) -> Results:
    """Read a results file. For version 9.0.8, scores are rounded to single precision, as in
    trec_eval."""
    data = read_bytes(path, file_kind="results", stdin=options.version == "10.0")
    layout = results_layout(allows_comments=options.version == "10.0")
    table = read_table(data, layout, path)
    if not len(table) and not (options.complete and options.version == "10.0"):
        raise ProgramExit(NO_QUERIES, f"trec_eval: no results in file '{path}'")
    index = table.schema.get_field_index("score")
    scores = table["score"].to_numpy()
    if options.version == "9.0.8":
        with np.errstate(over="ignore"):
            scores = scores.astype(np.float32).astype(np.float64)
    largest = np.finfo(np.float64).max
    scores = np.nan_to_num(scores, nan=-largest, posinf=largest, neginf=-largest)
    table = table.set_column(index, "score", pa.array(scores))
    return Results(Run(table=table, name="run"), last_field(data, layout))


def read_judgments(
    path: str, fields: Sequence[str], options: TrecEvalOptions, *, file_kind: str = "qrels"
) -> pa.Table:
    """Return the fields of each line of a judgments file. All columns except the document are
    dictionary-encoded."""
    data = read_bytes(path, file_kind=file_kind)
    column_types = {field: ID if field == "doc_id" else CODED_ID for field in fields}
    layout = LineFields(tuple(fields), column_types, comments=options.version == "10.0")
    return read_table(data, layout, path)


def read_qrels(path: str, options: TrecEvalOptions) -> Qrels:
    """Return the judgments of a qrels file, including duplicate documents."""
    fields = ("query_id", "iteration", "doc_id", "relevance")
    table = read_judgments(path, fields, options)
    if not len(table):
        raise ProgramExit(NO_QUERIES, f"trec_eval: no judgments in file '{path}'")
    column = [parse_grades(table["relevance"])]
    return Qrels(table=table.drop_columns(["relevance"]).append_column("relevance", column))


def find_queries_with_repeated_judgments(qrels: Qrels) -> set[str]:
    """Return the queries in which a document is judged twice."""
    rows, _ = find_repeated_rows(qrels.query_codes, qrels.doc_ids)
    return {qrels.query_ids[code] for code in np.unique(qrels.query_codes[rows])}


def drop_repeated_results(run: Run, max_results: int) -> tuple[Run, set[str]]:
    """Return the run without duplicate documents, and the queries in which duplicates are an error.

    Duplicates are an error only if a document occurs twice among the `max_results` top-ranked
    documents of a query."""
    rows, _ = find_repeated_rows(run.query_codes, run.doc_ids)
    if not len(rows):
        return run, set()
    affected_codes, ids, codes = np.unique(run.query_codes[rows]), run.query_ids, run.query_codes
    if max_results >= len(run):
        return Run(table=drop_rows(run.table, rows), name=run.name), {
            ids[c] for c in affected_codes
        }
    wrong_queries: set[str] = set()
    dropped = [rows]
    by_query = np.argsort(codes, kind="stable")
    edges = np.searchsorted(codes[by_query], np.stack([affected_codes, affected_codes + 1]))
    for code, start, end in zip(affected_codes, *edges, strict=True):
        query_rows = by_query[start:end]
        docs = run.doc_ids.take(pa.array(query_rows)).to_pylist()
        scores = run.table["score"].to_numpy()[query_rows]
        best_first = sorted(
            range(len(query_rows)), key=lambda i: (scores[i], docs[i]), reverse=True
        )
        best = best_first[: max(max_results, 0)]
        if len({docs[i] for i in best}) < len(best):
            wrong_queries.add(ids[code])
        else:
            dropped[0] = np.setdiff1d(dropped[0], query_rows)
        dropped.append(query_rows[best_first[len(best) :]])
    dropped_rows = np.unique(np.concatenate(dropped))
    return Run(table=drop_rows(run.table, dropped_rows), name=run.name), wrong_queries
