"""TREC runs and qrels: lines of columns separated by blanks or tabs, without a header."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.notes import Note
from metrics_core.formats.outgoing import ROWS_AT_ONCE, check_texts
from metrics_core.formats.parsing.blocks import line_notes, refuse_problems
from metrics_core.formats.parsing.checking import qrels_table
from metrics_core.formats.parsing.systems import FormatDetails, load_runs, with_one_tag
from metrics_core.formats.parsing.trec_lines import (
    QRELS,
    RUN,
    LineColumns,
    Parsed,
    fields_of,
    parse,
)
from metrics_core.formats.registry import (
    CERTAIN,
    LIKELY,
    NO,
    POSSIBLE,
    Kind,
    Loaded,
    Request,
    Sample,
    Tool,
    reader,
)
from metrics_core.formats.source.lines import LineIndex
from metrics_core.formats.source.source import Source
from metrics_core.formats.values import is_number
from metrics_core.tables import Qrels, Run, Table
from metrics_core.tables.arrays import values_of
from metrics_core.tables.columns import ID


def recognise_trec(sample: Sample) -> Mapping[Kind, int]:
    """Runs by six columns with a number in the fifth, qrels by four with a number in the fourth."""
    lines = [fields_of(line) for line in sample.lines]
    if not lines:
        return {}
    for layout in (RUN, QRELS):  # ids with blanks inside
        if layout.between_tabs(sample.lines):
            lines = [replace(layout, tabs=True).fields_of(line) for line in sample.lines]
    runs = sum(len(f) >= 6 and is_number(f[4]) for f in lines) / len(lines)
    qrels = sum(len(f) == 4 and is_number(f[3]) for f in lines) / len(lines)
    run_name = sample.path.endswith((".run", ".res"))
    if max(runs, qrels) <= 0.5 and sample.text.lstrip().startswith(("{", "[", "<")):
        return {}
    return {
        "run": _sureness(runs, _share_of(lines, 6), _share_of(lines, 5), run_name),
        "qrels": _sureness(
            qrels, _share_of(lines, 4), _share_of(lines, 3, 5), sample.named("qrel")
        ),
    }


def _share_of(lines: Sequence[Sequence[str]], *counts: int) -> float:
    return sum(len(fields) in counts for fields in lines) / len(lines)


def _sureness(fitting: float, right: float, nearly: float, named: bool) -> int:
    """How sure lines are of a kind: by the share that fits, the share with the right number of
    columns, and the share a column off, all the more if the file's name says the kind."""
    if fitting > 0.5:
        return CERTAIN
    if fitting > 0.3 or right > 0.5:
        return LIKELY if named or fitting > 0.3 else POSSIBLE
    if named:
        return POSSIBLE + 5
    return POSSIBLE - 10 if nearly > 0.5 else NO


def write_trec_run(run: Run, file: BinaryIO) -> None:
    """A TREC run; the rank column says what the scores say, ties by position."""
    check_texts(run.table, r"[ \t\r\n\x00]", "TREC", first="#\ufeff")
    table = run.table.append_column("rank", pa.array(_ranks(run)))
    name = " ".join(run.name.split()) or "run"
    for batch in table.to_batches(max_chunksize=ROWS_AT_ONCE):
        query, doc, score, rank = (batch[c].cast(ID) for c in range(4))
        _write_lines(file, query, "Q0", doc, rank, score, name)


def write_trec_qrels(qrels: Qrels, file: BinaryIO) -> None:
    """TREC qrels, with the subtopic in the second column, 0 where there is none."""
    table = qrels.given
    check_texts(table, r"^$|[ \t\r\n\x00]", "TREC", first="#\ufeff")
    for batch in table.to_batches(max_chunksize=ROWS_AT_ONCE):
        query, doc, grade = (batch[c].cast(ID) for c in ("query_id", "doc_id", "relevance"))
        second = "0" if qrels.subtopics is None else batch["subtopic"].cast(ID)
        _write_lines(file, query, second, doc, grade)


def _ranks(run: Run) -> Any:
    """Per row its 1-based rank within its query, by score; equal scores by position."""
    codes = run.query_codes
    order = np.lexsort((-values_of(run.table["score"]), codes))
    ordered = codes[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=-1))
    lengths = np.diff(starts, append=len(ordered))
    ranks = np.empty(len(codes), dtype=np.int64)
    ranks[order] = np.arange(len(codes)) - np.repeat(starts, lengths) + 1
    return ranks


def _write_lines(file: BinaryIO, *fields: pa.Array | str) -> None:
    lines = pc.binary_join_element_wise(*fields, " ").to_pylist()
    file.write(("\n".join(lines) + "\n").encode() if lines else b"")


@reader(
    "trec",
    title="TREC run or qrels",
    kinds=("run", "qrels"),
    endings=(".run", ".res", ".qrels", ".qrel", ".txt", ".trec"),
    explanation="Columns separated by blanks or tabs, without a header, as read by trec_eval. The"
    " second column of judgments is the subtopic if it varies within a query; otherwise it"
    " is ignored.",
    example="q1 Q0 doc-7 1 14.2 bm25\nq1 Q0 doc-3 2 11.9 bm25",
    recognise=recognise_trec,
    write={"run": write_trec_run, "qrels": write_trec_qrels},
    tools=(
        Tool(
            "PyTerrier",
            "`Experiment(…, save_dir=…)`: the folder, a zip of it, or its NAME.res.gz",
            "one run per system, named after its file",
            "the queries' texts; perquery.csv and aggregated.csv contain scores without documents,"
            " which `compare_scores` compares directly",
            ("search",),
        ),
    ),
)
def read_trec(source: Source, request: Request, *, only_carefully: bool = False) -> Loaded:
    """A TREC run or qrels file. `only_carefully` skips the fast path; tests compare both."""
    layout = RUN if request.kind == "run" else QRELS
    blocks = list(parse(source, layout, only_carefully=only_carefully))
    tabbed = _split_at_tabs(source, layout, blocks)
    blocks = tabbed or blocks
    refuse_problems(source, blocks)
    index = LineIndex(tuple(block.stretch for block in blocks))
    notes = line_notes(blocks)
    if tabbed:
        notes.append(Note("tabs", "ids contain blanks, so lines are split only at tabs"))
    tags = tuple(dict.fromkeys(tag for block in blocks for tag in block.tags))
    tables = [block.table for block in blocks]
    if len(tags) > 1:
        tables = [with_one_tag(block.table, block.tags) for block in blocks]
    rows = pa.concat_tables(tables).unify_dictionaries()
    tables.clear()
    blocks.clear()  # the columns a table does not keep are freed as it is built
    title = trec_title(source, request.kind)
    if layout is QRELS:
        table: Table = qrels_table(source, request, rows, index)
        return Loaded(table.noting(*notes), "trec", title, source.name)
    rows = rows.set_column(
        rows.column_names.index("score"), "score", rows["score"].combine_chunks()
    )
    read_as = FormatDetails("trec", title, tag=tags[0])
    return load_runs(source, request, rows, index, read_as, notes)


def _split_at_tabs(
    source: Source, layout: LineColumns, blocks: Sequence[Parsed]
) -> list[Parsed] | None:
    """The blocks of a file of tabs whose ids hold blanks; None where it is none, or its lines do
    not all fit so."""
    if not may_hold_blanks(source, layout, blocks):
        return None
    tabbed = list(parse(source, replace(layout, tabs=True)))
    ids = (block.table[name] for block in tabbed for name in ("query_id", "doc_id"))
    blanks = any(pc.any(pc.match_substring(column.cast(ID), " ")).as_py() for column in ids)
    return tabbed if blanks and not any(block.problem_count for block in tabbed) else None


def may_hold_blanks(source: Source, layout: LineColumns, blocks: Sequence[Parsed]) -> bool:
    """Whether lines did not fit, or had columns too many, that may fit if tabs alone part them."""
    odd = any(block.problem_count or block.long_lines for block in blocks)
    return odd and layout.between_tabs(Sample(source, source.head.decode()).lines)


def trec_title(source: Source, kind: Kind) -> str:
    """How a TREC file was understood."""
    tabs = ", tabs" if "\t" in _first_line(source) else ""
    return f"TREC {kind}{tabs}"


def _first_line(source: Source) -> str:
    lines = Sample(source, source.head.decode()).lines
    return lines[0] if lines else ""
