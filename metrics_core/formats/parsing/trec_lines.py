"""Parse lines of TREC columns into arrays, quickly if a block is regular, otherwise carefully.

`parse_with_regex` defines the meaning of a line. `parse_with_arrow` uses Arrow's CSV reader with
additional checks, and returns None for a block if the two results might differ; then
`parse_with_regex` is used. The blocks of a file are parsed independently, several at a time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.arrays import Ints, Mask
from metrics_core.base.errors import MOST_PROBLEMS_SHOWN, LineProblem
from metrics_core.base.parallel import map_in_order
from metrics_core.formats.parsing.columns import looks_like_header
from metrics_core.formats.parsing.regular import read_regular
from metrics_core.formats.source.lines import LineRange
from metrics_core.formats.source.source import Source, shorten_line
from metrics_core.formats.values import A_SCORE, NUMBER, explain_bad_number, parse_scores
from metrics_core.tables.arrays import as_array, as_column
from metrics_core.tables.columns import CODED_ID, ID

_BLANK = r"^[ \t]*\n?$"
_FIELD = r"[^ \t\n]+"
_TABBED = r"[^ \t\n](?:[^\t\n]*[^ \t\n])?"


def split_fields(line: str) -> list[str]:
    """Return the fields of a line. They are separated only by blanks and tabs, not by U+2028 or
    other white space."""
    return re.findall(_FIELD, line)


@dataclass(frozen=True)
class LineColumns:
    """The layout of a line in columns.

    columns  column name -> Arrow type
    line     description of a line, for hints
    rest     whether the last column extends to the end of the line
    tabs     whether only tabs separate columns, so that fields may contain blanks"""

    columns: dict[str, pa.DataType]
    line: str
    rest: bool
    tabs: bool = False

    @property
    def pattern(self) -> str:
        """Return a regular expression that matches a line and has one named group per column."""
        if self.tabs:
            fields = (f" *(?P<{name}>{_TABBED}) *" for name in self.columns)
            return "^" + r"\t".join(fields) + r"\n?$"
        groups = [f"(?P<{name}>{_FIELD})" for name in self.columns]
        if self.rest:
            last = list(self.columns)[-1]
            groups[-1] = rf"(?P<{last}>[^ \t\n](?:[^\n]*[^ \t\n])?)"
        return r"^[ \t]*" + r"[ \t]+".join(groups) + r"[ \t]*\n?$"

    def split_fields(self, line: str) -> list[str]:
        """Split a line into fields as this layout requires."""
        if not self.tabs:
            return split_fields(line)
        return [field.strip(" ") for field in line.rstrip("\n").split("\t")]

    def are_tabbed(self, lines: Sequence[str]) -> bool:
        """Return whether each line has as many tabs as are needed to separate its columns."""
        return bool(lines) and all(line.count("\t") == len(self.columns) - 1 for line in lines)


RUN = LineColumns(
    columns={
        "query_id": CODED_ID,
        "q0": ID,
        "doc_id": ID,
        "rank": pa.float32(),
        "score": pa.float64(),
        "tag": ID,
    },
    line="A TREC run line is: query_id Q0 doc_id rank score run_name",
    rest=True,
)

QRELS = LineColumns(
    columns={"query_id": CODED_ID, "iteration": CODED_ID, "doc_id": ID, "relevance": CODED_ID},
    line="A TREC qrels line is: query_id 0 doc_id relevance",
    rest=False,
)


@dataclass
class ParsedBlock:
    """The rows of a block and its irregularities. Line numbers of problems count from 0.

    table          columns that are kept, including tag if there are several run names
    stretch        physical lines of the rows
    tags           distinct run names
    problems       first malformed lines; `problem_count` is the number of all malformed lines
    blanks         number of blank lines
    comments       number of comment lines; `comment` is the first of them
    header         header line, "" if there is none
    long_lines     number of lines with extra columns
    cut_off        whether the last line is malformed and has no line end"""

    table: pa.Table
    stretch: LineRange
    tags: tuple[str, ...] = ()
    problems: list[LineProblem] = field(default_factory=list)
    problem_count: int = 0
    blanks: int = 0
    comments: int = 0
    comment: str = ""
    header: str = ""
    long_lines: int = 0
    cut_off: bool = False


def parse_blocks(source: Source, layout: LineColumns) -> Iterator[ParsedBlock]:
    """Parse the blocks of a file, several at a time, and yield them in order."""

    def parse_numbered_block(numbered_block: tuple[int, bytes]) -> ParsedBlock:
        number, block = numbered_block
        has_header = number == 0 and begins_with_header(block)
        parsed = None if has_header or layout.tabs else parse_with_arrow(block, layout)
        return parsed or parse_with_regex(block, layout, may_have_header=number == 0)

    return map_in_order(parse_numbered_block, enumerate(source.blocks()))


def parse_with_arrow(block: bytes, layout: LineColumns) -> ParsedBlock | None:
    """Parse a regular block with Arrow's CSV reader; None if the block is not regular enough."""
    has_tabs = b"\t" in block
    table = None
    if not (has_tabs and b" " in block):
        table = _read_regular(block, "\t" if has_tabs else " ", layout)
    if table is None and (b"  " in block or b" \n" in block or has_tabs):
        table = _read_regular(_collapse_blanks(block), " ", layout)
    if table is None:
        return None
    stretch, tags = LineRange(rows=table.num_rows, lines=table.num_rows), _distinct_tags(table)
    return ParsedBlock(_drop_checked_columns(table, tags), stretch, tags)


def _read_regular(block: bytes, delimiter: str, layout: LineColumns) -> pa.Table | None:
    names = list(layout.columns)
    table = read_regular(block, delimiter, names, layout.columns, names)
    if table is None:
        return None
    ids_by_chunk = [chunk.dictionary.to_pylist() for chunk in table["query_id"].chunks]
    has_comment = any(query_id.startswith("#") for ids in ids_by_chunk for query_id in ids)
    return None if has_comment else table


def _drop_checked_columns(table: pa.Table, tags: tuple[str, ...]) -> pa.Table:
    """Return the rows without the columns that were read only to be checked."""
    has_several = len(tags) > 1
    checked_names = [name for name in ("q0", "tag") if name in table.column_names]
    rows = table.drop_columns(checked_names)
    return rows.append_column("tag", table["tag"].dictionary_encode()) if has_several else rows


def _distinct_tags(table: pa.Table) -> tuple[str, ...]:
    """Return the distinct run names of a block.

    The function first tests whether all rows have the same name, because this is the usual case,
    and the test is cheaper than hashing the names of all rows."""
    if "tag" not in table.column_names or not len(table):
        return ()
    tags = table["tag"]
    first_tag = tags[0]
    is_single = pc.all(pc.equal(tags, first_tag)).as_py()
    return (first_tag.as_py(),) if is_single else tuple(pc.unique(tags).to_pylist())


def _collapse_blanks(block: bytes) -> bytes:
    """Return the block with one blank between fields and without blanks at line ends."""
    block = block.replace(b"\t", b" ")
    while b"  " in block:
        block = block.replace(b"  ", b" ")
    return block.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")


def parse_with_regex(block: bytes, layout: LineColumns, *, may_have_header: bool) -> ParsedBlock:
    """Parse any block with a regular expression. Malformed lines are recorded as problems."""
    lines = _to_line_array(block)
    is_comment = pc.starts_with(lines, "#")
    is_blank = pc.match_substring_regex(lines, _BLANK)
    is_content = _to_mask(pc.invert(pc.or_(is_comment, is_blank)))
    header = ""
    if may_have_header and is_content.any():
        start = int(np.argmax(is_content))
        text = lines[start].as_py()
        if looks_like_header(layout.split_fields(text)):
            header, is_content[start] = shorten_line(text.rstrip("\n")), False
    fields = pc.extract_regex(lines, layout.pattern)
    is_valid = _to_mask(fields.is_valid()) & is_content
    line_numbers = np.flatnonzero(is_valid)
    rows = fields.filter(as_column(is_valid))
    texts = {name: rows.field(i) for i, name in enumerate(layout.columns)}
    table = _convert_columns(texts, layout)
    tags = _distinct_tags(table)
    parsed = ParsedBlock(
        table=_drop_checked_columns(table, tags),
        tags=tags,
        stretch=LineRange(rows=len(rows), lines=len(lines), numbers=line_numbers),
        blanks=pc.sum(is_blank).as_py() or 0,
        comments=pc.sum(is_comment).as_py() or 0,
        comment=_find_first_text(lines, is_comment),
        header=header,
    )
    misfits = np.flatnonzero(is_content & ~is_valid)
    _record_misfits(parsed, lines, misfits, layout)
    if "score" in layout.columns and "tag" in layout.columns:
        _record_bad_rows(parsed, texts, line_numbers, layout)
    parsed.cut_off = bool(
        len(misfits) and misfits[-1] == len(lines) - 1 and not block.endswith(b"\n")
    )
    return parsed


def _convert_columns(texts: dict[str, pa.Array], layout: LineColumns) -> pa.Table:
    columns = {}
    for name, kind in layout.columns.items():
        if pa.types.is_dictionary(kind):
            columns[name] = texts[name].dictionary_encode()
        elif kind == ID:
            columns[name] = texts[name]
        else:
            columns[name] = as_column(parse_scores(texts[name])).cast(kind, safe=False)
    return pa.table(columns)


def _record_misfits(
    parsed: ParsedBlock, lines: pa.Array, misfits: Ints, layout: LineColumns
) -> None:
    """Record problems for lines with too few or too many columns. `misfits` int64[n] are their
    indexes in `lines`."""
    column_count = len(layout.columns)
    for number in misfits[:MOST_PROBLEMS_SHOWN]:
        field_count = len(layout.split_fields(lines[int(number)].as_py()))
        parsed.problems.append(
            LineProblem(int(number), str(field_count), f"{column_count} columns", hint=layout.line)
        )
    parsed.problem_count += len(misfits)


def _record_bad_rows(
    parsed: ParsedBlock,
    texts: dict[str, pa.Array],
    line_numbers: Ints,
    layout: LineColumns,
) -> None:
    """Record problems for rows with an invalid score, and for rows whose columns are shifted
    because an id contains a blank."""
    bad_score = np.isnan(as_array(parsed.table["score"]))
    has_extra = _to_mask(pc.match_substring_regex(texts["tag"], r"[ \t]"))
    has_extra &= not layout.tabs
    is_shifted = has_extra & ~_to_mask(pc.match_substring_regex(texts["rank"], NUMBER))
    for row in np.flatnonzero(bad_score | is_shifted)[:MOST_PROBLEMS_SHOWN]:
        line = int(line_numbers[row])
        if is_shifted[row]:
            columns = 5 + len(split_fields(texts["tag"][int(row)].as_py()))
            hint = "Does an id contain a blank? If so, separate all columns with tabs. " + RUN.line
            problem = LineProblem(line, str(columns), "6 columns", hint=hint)
        else:
            score = texts["score"][int(row)].as_py()
            problem = LineProblem(line, f"`{score}`", A_SCORE, hint=explain_bad_number(score))
        parsed.problems.append(problem)
    parsed.problem_count += int((bad_score | is_shifted).sum())
    parsed.long_lines = int((has_extra & ~is_shifted).sum())


def _to_line_array(block: bytes) -> pa.StringArray:
    """Return the lines of a block, with their line ends, as string[line]. The array shares the
    block's memory."""
    ends = np.flatnonzero(np.frombuffer(block, dtype=np.uint8) == ord("\n")) + 1
    offsets = np.zeros(len(ends) + 1 + (not block.endswith(b"\n")), dtype=np.int32)
    offsets[1 : len(ends) + 1] = ends
    offsets[-1] = len(block)
    return pa.StringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(block))


def begins_with_header(block: bytes) -> bool:
    """Return whether a file that begins with this block has a header."""
    for line in block[:4096].decode(errors="ignore").split("\n"):
        if line.strip(" \t") and not line.startswith("#"):
            return looks_like_header(split_fields(line))
    return False


def _to_mask(array: pa.Array) -> Mask:
    return np.array(as_array(array), dtype=np.bool_)


def _find_first_text(lines: pa.Array, is_match: pa.Array) -> str:
    index = pc.index(is_match, True).as_py()
    return shorten_line(lines[index].as_py().rstrip("\n")) if index >= 0 else ""
