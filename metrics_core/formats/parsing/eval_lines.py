"""Scores by query in the lines that `trec_eval -q` and `ir_measures -q` print."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pyarrow as pa

from metrics_core.base.errors import LineProblem
from metrics_core.base.notes import Note
from metrics_core.formats.parsing.named import NamedColumns
from metrics_core.formats.source.lines import LineIndex, file_error
from metrics_core.formats.source.source import Source
from metrics_core.formats.values import is_number
from metrics_core.tables.columns import ID

_LINE = re.compile(r"(\S+)\s+(\S+)\s+(\S+)\s*")
_TREC_EVAL = re.compile(r"map|ndcg|recip_rank|P_\d+|num_(?:ret|rel|q)|ndcg_cut_\d+")
_IR_MEASURES = re.compile(
    r"(?:nDCG|P|AP|RR|R|Rprec|Success|Judged|ERR|RBP|Bpref|NumRet|NumRel|SetP|SetR|SetF)"
    r"(?:\(\S*\))?(?:@\d+)?"
)
_NOT_OFFERED = re.compile(r"(?:num_|iprec_at_|relstring|runid|Num(?:Ret|Rel|Q)).*")


def are_eval_lines(lines: Sequence[str]) -> bool:
    """Whether lines contain a measure, a query and a value, or a query, a measure and a value."""
    return _measure_position(lines) is not None


def _measure_position(lines: Sequence[str]) -> int | None:
    """Return the index of the measure in these lines, None if they have another form."""
    matches = list(map(_LINE.fullmatch, lines))
    if not matches or not all(matches):
        return None
    rows = [match.groups() for match in matches if match]
    if not all(is_number(row[2]) or row[0] in ("runid", "relstring") for row in rows):
        return None
    if any(_TREC_EVAL.fullmatch(row[0]) for row in rows):
        return 0
    return 1 if all(_IR_MEASURES.fullmatch(row[1]) for row in rows) else None


def read_eval_lines(source: Source, first_lines: Sequence[str]) -> NamedColumns:
    """Return the columns measure, query_id, value and run of a file; `runid` names the run.

    Counts (num_ret) and interpolated precisions are not read; a note names them.
    """
    position = _measure_position(first_lines) or 0
    lines, rows, run = list[int](), list[tuple[str, str, str]](), ""
    omitted = dict[str, int]()
    for number, line in enumerate(source.text_lines(), 1):
        match = _LINE.fullmatch(line)
        if match is None and line.strip():
            problem = LineProblem(number, f"{len(line.split())} words", "measure, query and value")
            raise file_error(source, [problem])
        if match is None:
            continue
        measure, query_id, value = match[1 + position], match[2 - position], match[3]
        run = value if measure == "runid" else run
        if _NOT_OFFERED.fullmatch(measure):
            omitted[measure] = omitted.get(measure, 0) + 1
            continue
        lines.append(number)
        rows.append((measure, query_id, value))
        if len(rows) % 1_000 == 1:
            source.check_cells(len(rows), 3)
    texts = zip(*rows, strict=True) if rows else ((), (), ())
    columns = dict(zip(("measure", "query_id", "value"), texts, strict=True))
    if run:
        columns["run"] = (run,) * len(rows)
    arrays = {name: pa.chunked_array([pa.array(column, ID)]) for name, column in columns.items()}
    omitted.pop("runid", None)
    notes = []
    if omitted:
        names = tuple(omitted)
        notes.append(
            Note("columns", "counts and curves are not read", sum(omitted.values()), names[:3])
        )
    return NamedColumns(list(arrays), arrays, LineIndex.from_numbers(lines), notes, header=None)
