"""Read and write TREC runs and judgments: lines of columns separated by blanks or tabs, without a
header."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.notes import Note
from metrics_core.formats.output_tables import ROWS_AT_ONCE, check_texts, write_lines
from metrics_core.formats.parsing.blocks import line_notes, raise_block_problems
from metrics_core.formats.parsing.checking import build_qrels_table
from metrics_core.formats.parsing.systems import FormatDetails, add_tag_column, load_runs
from metrics_core.formats.parsing.trec_lines import (
    QRELS,
    RUN,
    LineColumns,
    ParsedBlock,
    parse_blocks,
    split_fields,
)
from metrics_core.formats.registry import (
    CERTAIN,
    IMPOSSIBLE,
    LIKELY,
    POSSIBLE,
    Kind,
    Loaded,
    Request,
    Sample,
    Sureness,
    Tool,
    build_sample,
    reader,
)
from metrics_core.formats.source.lines import LineIndex
from metrics_core.formats.source.source import Source
from metrics_core.formats.values import is_number
from metrics_core.tables import Qrels, Run, Table
from metrics_core.tables.arrays import as_array, block_starts
from metrics_core.tables.columns import ID


def recognise_trec(sample: Sample) -> Sureness:
    """Recognise runs and judgments by the number of columns and by the column that contains a
    number.

    A run has six columns with a number in the fifth. Judgments have four columns with a number in
    the fourth."""
    lines = [split_fields(line) for line in sample.lines]
    if not lines:
        return {}
    for layout in (RUN, QRELS):  # ids with blanks inside
        if layout.are_tabbed(sample.lines):
            lines = [replace(layout, tabs=True).split_fields(line) for line in sample.lines]
    runs = sum(len(f) >= 6 and is_number(f[4]) for f in lines) / len(lines)
    qrels = sum(len(f) == 4 and is_number(f[3]) for f in lines) / len(lines)
    has_run_ending = sample.path.endswith((".run", ".res"))
    if max(runs, qrels) <= 0.5 and sample.text.lstrip().startswith(("{", "[", "<")):
        return {}
    return {
        "run": _rate_kind_confidence(runs, lines, 6, (5,), has_run_ending),
        "qrels": _rate_kind_confidence(qrels, lines, 4, (3, 5), sample.has_name_with("qrel")),
    }


def _rate_kind_confidence(
    fit_share: float,
    lines: Sequence[Sequence[str]],
    columns: int,
    near_columns: Sequence[int],
    is_named: bool,
) -> int:
    """Return the confidence in a kind of table, from the form of the lines.

    fit_share     share of lines with the right number of columns and a number in the right column
    columns       right number of columns
    near_columns  numbers of columns that are nearly right
    is_named      whether the file name indicates the kind"""
    if fit_share > 0.5:
        return CERTAIN
    if fit_share > 0.3 or sum(len(fields) == columns for fields in lines) > len(lines) / 2:
        return LIKELY if is_named or fit_share > 0.3 else POSSIBLE
    if is_named:
        return POSSIBLE + 5
    has_near = sum(len(fields) in near_columns for fields in lines) > len(lines) / 2
    return POSSIBLE - 10 if has_near else IMPOSSIBLE


def write_trec_run(run: Run, file: BinaryIO) -> None:
    """Write a TREC run. Ranks are in the order of the scores; rows with tied scores keep their
    order."""
    check_texts(run.table, r"[ \t\r\n\x00]", "TREC", forbidden_prefixes="#\ufeff")
    table = run.table.append_column("rank", pa.array(_compute_ranks(run)))
    name = " ".join(run.name.split()) or "run"
    for batch in table.to_batches(max_chunksize=ROWS_AT_ONCE):
        query, doc, score, rank = (batch[c].cast(ID) for c in range(4))
        write_lines(file, (query, "Q0", doc, rank, score, name), " ")


def write_trec_qrels(qrels: Qrels, file: BinaryIO) -> None:
    """Write TREC judgments. The second column is the subtopic; if there are no subtopics, it is
    0."""
    table = qrels.input_table
    check_texts(table, r"^$|[ \t\r\n\x00]", "TREC", forbidden_prefixes="#\ufeff")
    for batch in table.to_batches(max_chunksize=ROWS_AT_ONCE):
        query, doc, grade = (batch[c].cast(ID) for c in ("query_id", "doc_id", "relevance"))
        second_column = "0" if qrels.subtopics is None else batch["subtopic"].cast(ID)
        write_lines(file, (query, second_column, doc, grade), " ")


def _compute_ranks(run: Run) -> Any:
    """Return the rank of each row by score within its query, int64[row]. Ranks start at 1, and tied
    rows keep their order."""
    codes = run.query_codes
    order = np.lexsort((-as_array(run.table["score"]), codes))
    sorted_codes = codes[order]
    starts = block_starts(sorted_codes)
    lengths = np.diff(starts, append=len(sorted_codes))
    ranks = np.empty(len(codes), dtype=np.int64)
    ranks[order] = np.arange(len(codes)) - np.repeat(starts, lengths) + 1
    return ranks


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
            "the queries' texts; aggregated.csv, because it has no values per query (perquery.csv"
            " is read as scores)",
            ("search",),
        ),
    ),
)
def read_trec(source: Source, request: Request) -> Loaded:
    """Read a TREC run or judgments."""
    layout = RUN if request.kind == "run" else QRELS
    blocks = list(parse_blocks(source, layout))
    tabbed_blocks = _split_at_tabs(source, layout, blocks)
    blocks = tabbed_blocks or blocks
    raise_block_problems(source, blocks)
    index = LineIndex(tuple(block.stretch for block in blocks))
    notes = line_notes(blocks)
    if tabbed_blocks:
        notes.append(Note("tabs", "ids contain blanks, so lines are split only at tabs"))
    tags = tuple(dict.fromkeys(tag for block in blocks for tag in block.tags))
    tables = [block.table for block in blocks]
    if len(tags) > 1:
        tables = [add_tag_column(block.table, block.tags) for block in blocks]
    rows = pa.concat_tables(tables).unify_dictionaries()
    tables.clear()
    blocks.clear()  # so that unused columns are freed while the table is built
    title = trec_title(source, request.kind)
    if layout is QRELS:
        table: Table = build_qrels_table(source, request, rows, index)
        return Loaded(table.with_notes(*notes), "trec", title, source.name)
    rows = rows.set_column(
        rows.column_names.index("score"), "score", rows["score"].combine_chunks()
    )
    details = FormatDetails("trec", title, tag=tags[0])
    return load_runs(source, request, rows, index, details, notes)


def _split_at_tabs(
    source: Source, layout: LineColumns, blocks: Sequence[ParsedBlock]
) -> list[ParsedBlock] | None:
    """Return the blocks of a file whose columns are separated by tabs and whose ids contain blanks.
    Returns None for any other file."""
    if not may_need_tab_splitting(source, layout, blocks):
        return None
    tabbed_blocks = list(parse_blocks(source, replace(layout, tabs=True)))
    ids = (block.table[name] for block in tabbed_blocks for name in ("query_id", "doc_id"))
    have_blanks = any(pc.any(pc.match_substring(column.cast(ID), " ")).as_py() for column in ids)
    return (
        tabbed_blocks
        if have_blanks and not any(block.problem_count for block in tabbed_blocks)
        else None
    )


def may_need_tab_splitting(
    source: Source, layout: LineColumns, blocks: Sequence[ParsedBlock]
) -> bool:
    """Return whether some lines are malformed but might be valid if they were split only at
    tabs."""
    has_misfits = any(block.problem_count or block.long_lines for block in blocks)
    return has_misfits and layout.are_tabbed(build_sample(source).lines)


def trec_title(source: Source, kind: Kind) -> str:
    """Return the name of a TREC format as users see it."""
    tabs = ", tabs" if "\t" in build_sample(source).first_line else ""
    return f"TREC {kind}{tabs}"
