"""TREC's lines of columns, as arrays: fast where a block is regular, careful where it is not.

`careful` defines what a line means. `fast` is Arrow's CSV reader with checks around it; it returns
None for a block of which it cannot be sure that both would agree, and `careful` decides. Every
block of a file is parsed on its own, several at a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.arrays import Ints, Mask
from metrics_core.base.errors import MOST_PROBLEMS_SHOWN, LineProblem
from metrics_core.base.parallel import in_order
from metrics_core.formats.parsing.columns import looks_like_header
from metrics_core.formats.parsing.regular import read_regular
from metrics_core.formats.source.lines import Stretch
from metrics_core.formats.source.source import Source, shortened
from metrics_core.formats.values import A_SCORE, NUMBER, parse_scores, why_not_a_number
from metrics_core.tables.arrays import column_of, values_of
from metrics_core.tables.columns import CODED_ID, ID

_BLANK = r"^[ \t]*\n?$"
_FIELD = r"[^ \t\n]+"
_TABBED = r"[^ \t\n](?:[^\t\n]*[^ \t\n])?"


def fields_of(line: str) -> list[str]:
    """The fields of a line; only blanks and tabs part them, not U+2028 and its kin."""
    return re.findall(_FIELD, line)


@dataclass(frozen=True)
class LineColumns:
    """The columns of a line: name, Arrow type. `rest` says that the last one takes what is left,
    `tabs` that only tabs part them, so that there may be blanks inside."""

    columns: dict[str, pa.DataType]
    line: str
    rest: bool
    tabs: bool = False

    @property
    def pattern(self) -> str:
        """The line as a regular expression with one named group a column."""
        if self.tabs:
            fields = (f" *(?P<{name}>{_TABBED}) *" for name in self.columns)
            return "^" + r"\t".join(fields) + r"\n?$"
        groups = [f"(?P<{name}>{_FIELD})" for name in self.columns]
        if self.rest:
            last = list(self.columns)[-1]
            groups[-1] = rf"(?P<{last}>[^ \t\n](?:[^\n]*[^ \t\n])?)"
        return r"^[ \t]*" + r"[ \t]+".join(groups) + r"[ \t]*\n?$"

    def fields_of(self, line: str) -> list[str]:
        """The fields of a line of this layout."""
        if not self.tabs:
            return fields_of(line)
        return [field.strip(" ") for field in line.rstrip("\n").split("\t")]

    def between_tabs(self, lines: Sequence[str]) -> bool:
        """Whether each of these lines has as many tabs as there are columns to part."""
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
class Parsed:
    """One block: its rows, where they stand, and what was odd; problems have lines from 0.

    `table` has the columns worth keeping of a large file, `tags` the distinct run names; where
    these are several, they are a column, too.
    """

    table: pa.Table
    stretch: Stretch
    tags: tuple[str, ...] = ()
    problems: list[LineProblem] = field(default_factory=list)
    problem_count: int = 0
    blanks: int = 0
    comments: int = 0
    comment: str = ""
    header: str = ""
    long_lines: int = 0
    cut_off: bool = False


def parse(source: Source, layout: LineColumns, *, only_carefully: bool = False) -> Iterator[Parsed]:
    """The blocks of a file in order, parsed several at a time."""

    def one(numbered: tuple[int, bytes]) -> Parsed:
        number, block = numbered
        header = number == 0 and header_in(block)
        quick = None if only_carefully or header or layout.tabs else fast(block, layout)
        return quick or careful(block, layout, may_have_header=number == 0)

    return in_order(one, enumerate(source.blocks()))


def fast(block: bytes, layout: LineColumns) -> Parsed | None:
    """A regular block, by Arrow's CSV reader; None where it is not regular enough."""
    tabs = b"\t" in block
    table = None
    if not (tabs and b" " in block):
        table = _regular(block, "\t" if tabs else " ", layout)
    if table is None and (b"  " in block or b" \n" in block or tabs):
        table = _regular(_with_single_blanks(block), " ", layout)
    if table is None:
        return None
    stretch, tags = Stretch(rows=table.num_rows, lines=table.num_rows), _tags(table)
    return Parsed(_kept(table, tags), stretch, tags)


def _regular(block: bytes, delimiter: str, layout: LineColumns) -> pa.Table | None:
    names = list(layout.columns)
    table = read_regular(block, delimiter, names, layout.columns, names)
    if table is None:
        return None
    starts = [chunk.dictionary.to_pylist() for chunk in table["query_id"].chunks]
    comments = any(query_id.startswith("#") for ids in starts for query_id in ids)
    return None if comments else table


def _kept(table: pa.Table, tags: tuple[str, ...]) -> pa.Table:
    """The rows without the columns that were read only to be checked."""
    several = len(tags) > 1
    checked = [name for name in ("q0", "tag") if name in table.column_names]
    kept = table.drop_columns(checked)
    return kept.append_column("tag", table["tag"].dictionary_encode()) if several else kept


def _tags(table: pa.Table) -> tuple[str, ...]:
    """The distinct run names. Mostly there is one, and to see that is cheaper than to hash all."""
    if "tag" not in table.column_names or not len(table):
        return ()
    tags = table["tag"]
    first = tags[0]
    one = pc.all(pc.equal(tags, first)).as_py()
    return (first.as_py(),) if one else tuple(pc.unique(tags).to_pylist())


def _with_single_blanks(block: bytes) -> bytes:
    """The block with every run of blanks and tabs made one blank, none at the ends of lines."""
    block = block.replace(b"\t", b" ")
    while b"  " in block:
        block = block.replace(b"  ", b" ")
    return block.replace(b" \n", b"\n").replace(b"\n ", b"\n").strip(b" ")


def careful(block: bytes, layout: LineColumns, *, may_have_header: bool) -> Parsed:
    """Any block, by a regular expression a line; bad lines become problems."""
    lines = _line_array(block)
    comment = pc.starts_with(lines, "#")
    blank = pc.match_substring_regex(lines, _BLANK)
    content = _mask(pc.invert(pc.or_(comment, blank)))
    header = ""
    if may_have_header and content.any():
        start = int(np.argmax(content))
        text = lines[start].as_py()
        if looks_like_header(layout.fields_of(text)):
            header, content[start] = shortened(text.rstrip("\n")), False
    fields = pc.extract_regex(lines, layout.pattern)
    fits = _mask(fields.is_valid()) & content
    numbers = np.flatnonzero(fits)
    rows = fields.filter(column_of(fits))
    texts = {name: rows.field(i) for i, name in enumerate(layout.columns)}
    table = _typed(texts, layout)
    tags = _tags(table)
    parsed = Parsed(
        table=_kept(table, tags),
        tags=tags,
        stretch=Stretch(rows=len(rows), lines=len(lines), numbers=numbers),
        blanks=pc.sum(blank).as_py() or 0,
        comments=pc.sum(comment).as_py() or 0,
        comment=_first_text(lines, comment),
        header=header,
    )
    misfits = np.flatnonzero(content & ~fits)
    _note_misfits(parsed, lines, misfits, layout)
    if "score" in layout.columns and "tag" in layout.columns:
        _note_bad_rows(parsed, texts, numbers, layout)
    parsed.cut_off = bool(
        len(misfits) and misfits[-1] == len(lines) - 1 and not block.endswith(b"\n")
    )
    return parsed


def _typed(texts: dict[str, pa.Array], layout: LineColumns) -> pa.Table:
    columns = {}
    for name, kind in layout.columns.items():
        if pa.types.is_dictionary(kind):
            columns[name] = texts[name].dictionary_encode()
        elif kind == ID:
            columns[name] = texts[name]
        else:
            columns[name] = column_of(parse_scores(texts[name])).cast(kind, safe=False)
    return pa.table(columns)


def _note_misfits(parsed: Parsed, lines: pa.Array, misfits: Ints, layout: LineColumns) -> None:
    """Lines with too few or too many columns."""
    wanted = len(layout.columns)
    for number in misfits[:MOST_PROBLEMS_SHOWN]:
        found = len(layout.fields_of(lines[int(number)].as_py()))
        parsed.problems.append(
            LineProblem(int(number), str(found), f"{wanted} columns", hint=layout.line)
        )
    parsed.problem_count += len(misfits)


def _note_bad_rows(
    parsed: Parsed,
    texts: dict[str, pa.Array],
    numbers: Ints,
    layout: LineColumns,
) -> None:
    """Rows of a run whose score is no number, or whose columns are shifted by a blank in an id."""
    bad_score = np.isnan(values_of(parsed.table["score"]))
    long = _mask(pc.match_substring_regex(texts["tag"], r"[ \t]"))
    long &= not layout.tabs
    shifted = long & ~_mask(pc.match_substring_regex(texts["rank"], NUMBER))
    for row in np.flatnonzero(bad_score | shifted)[:MOST_PROBLEMS_SHOWN]:
        line = int(numbers[row])
        if shifted[row]:
            columns = 5 + len(fields_of(texts["tag"][int(row)].as_py()))
            hint = "Does an id contain a blank? If so, separate all columns with tabs. " + RUN.line
            problem = LineProblem(line, str(columns), "6 columns", hint=hint)
        else:
            score = texts["score"][int(row)].as_py()
            problem = LineProblem(line, f"`{score}`", A_SCORE, hint=why_not_a_number(score))
        parsed.problems.append(problem)
    parsed.problem_count += int((bad_score | shifted).sum())
    parsed.long_lines = int((long & ~shifted).sum())


def _line_array(block: bytes) -> pa.StringArray:
    """The lines of a block, each with its newline, sharing the block's memory."""
    ends = np.flatnonzero(np.frombuffer(block, dtype=np.uint8) == ord("\n")) + 1
    offsets = np.zeros(len(ends) + 1 + (not block.endswith(b"\n")), dtype=np.int32)
    offsets[1 : len(ends) + 1] = ends
    offsets[-1] = len(block)
    return pa.StringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(block))


def header_in(block: bytes) -> bool:
    """Whether a file that begins so names its columns first."""
    for line in block[:4096].decode(errors="ignore").split("\n"):
        if line.strip(" \t") and not line.startswith("#"):
            return looks_like_header(fields_of(line))
    return False


def _mask(array: pa.Array) -> Mask:
    return np.array(values_of(array), dtype=np.bool_)


def _first_text(lines: pa.Array, where: pa.Array) -> str:
    found = pc.index(where, True).as_py()
    return shortened(lines[found].as_py().rstrip("\n")) if found >= 0 else ""
