"""Read and write MS MARCO runs, which have query, document and rank on each line, and read ColBERT
rankings, which also have a score."""

from __future__ import annotations

from typing import BinaryIO

import numpy as np
import pyarrow as pa

from metrics_core.base.arrays import Floats, Ints
from metrics_core.base.errors import RanklensError
from metrics_core.base.notes import Note
from metrics_core.base.wording import format_with_noun
from metrics_core.formats.output_tables import ROWS_AT_ONCE, check_texts, write_lines
from metrics_core.formats.parsing.blocks import line_notes, raise_block_problems
from metrics_core.formats.parsing.checking import build_run_table, check_ids, refuse_rows
from metrics_core.formats.parsing.systems import FormatDetails, load_runs
from metrics_core.formats.parsing.trec_lines import LineColumns, parse_blocks, split_fields
from metrics_core.formats.registry import (
    AMBIGUOUS,
    LIKELY,
    SPECIFIC,
    Loaded,
    Request,
    Sample,
    Sureness,
    Tool,
    reader,
)
from metrics_core.formats.source.lines import LineIndex
from metrics_core.formats.source.source import Source
from metrics_core.formats.values import is_number
from metrics_core.tables import Run
from metrics_core.tables.arrays import as_array, example_queries
from metrics_core.tables.columns import CODED_ID, ID, encode_ids

MAX_RANK = 10_000
"""Gaps between ranks are kept only if no rank of the run exceeds this number. Otherwise only the
order of the documents is used.

A list with many gaps needs as much memory as a list without gaps, and the evaluation script of MS
MARCO stops at rank 1,000."""

_LINES = LineColumns(
    columns={"query_id": CODED_ID, "doc_id": ID, "rank": pa.float64()},
    line="A line of an MS MARCO run is: query_id doc_id rank",
    rest=False,
)

_SCORED = LineColumns(
    columns={**_LINES.columns, "score": pa.float64()},
    line="A line of ColBERT's ranking is: query_id doc_id rank score",
    rest=False,
)


def recognise_msmarco(sample: Sample) -> Sureness:
    """Recognise lines with a query, a document and a rank that counts 1, 2, … within each query.

    Numbers that fall from line to line are not recognised, because they may be scores. Unsorted
    numbers are not recognised if no query has three documents, because they may be grades. Numbers
    that rise with gaps are ambiguous, so the user must choose the kind. If the file extension is
    .run or .res, all numbers that do not fall are recognised."""
    lines = [split_fields(line) for line in sample.lines]
    numbers: dict[str, list[int]] = {}
    for fields in lines:
        if len(fields) == 3 and fields[2].isascii() and fields[2].isdigit():
            numbers.setdefault(fields[0], []).append(int(fields[2][:9]))
    lists = list(numbers.values())
    if not lists or sum(map(len, lists)) < 0.9 * len(lines):
        return {}
    longest = max(map(len, lists))
    is_gapless = all(sorted(ranks) == list(range(1, len(ranks) + 1)) for ranks in lists)
    is_rising = longest > 1 and all(ranks[0] and ranks == sorted(set(ranks)) for ranks in lists)
    is_falling = all(ranks == sorted(ranks, reverse=True) for ranks in lists)
    is_falling = is_falling and any(ranks[0] > ranks[-1] for ranks in lists)
    if sample.path.endswith((".run", ".res")):
        return {} if is_falling else {"run": LIKELY}
    if is_gapless and (is_rising or (longest > 2 and not is_falling)):
        return {"run": LIKELY}
    return {"run": AMBIGUOUS} if is_rising else {}


def recognise_colbert(sample: Sample) -> Sureness:
    """Recognise lines with numeric ids of query and passage, ranks that count 1, 2, … within each
    query, and descending scores.

    If all scores are whole numbers, the lines may also be judgments of subtopics."""
    lists: dict[str, list[list[str]]] = {}
    for line in sample.lines:
        fields = line.split("\t")
        if len(fields) != 4 or not all(map(str.isdecimal, fields[:3])) or not is_number(fields[3]):
            return {}
        lists.setdefault(fields[0], []).append(fields)
    are_whole = True
    for records in lists.values():
        _, passages, ranks, scores = zip(*records, strict=True)
        sorted_scores = sorted(scores, key=float, reverse=True)
        if len(set(passages)) < len(records) or sorted_scores != list(scores):
            return {}
        if list(ranks) != [str(rank) for rank in range(1, len(records) + 1)]:
            return {}
        are_whole = are_whole and all(map(str.isdecimal, scores))
    if max(map(len, lists.values()), default=0) < 2:
        return {}
    return {"run": AMBIGUOUS if are_whole else SPECIFIC}


def write_msmarco_run(run: Run, file: BinaryIO) -> None:
    """Write a run that was read from a file with ranks and without scores. Raises RanklensError for
    a run with scores."""
    if run.given_ranks is None:
        raise RanklensError(
            f"An MS MARCO run cannot store the scores of {run.name}.", "Write the run as trec."
        )
    check_texts(run.table, r"[ \t\r\n\x00]", "an MS MARCO run", forbidden_prefixes="#\ufeff")
    for batch in run.table.to_batches(max_chunksize=ROWS_AT_ONCE):
        fields = (batch[name].cast(ID) for name in ("query_id", "doc_id", "rank"))
        write_lines(file, fields, "\t")


@reader(
    "msmarco",
    title="MS MARCO run",
    kinds=("run",),
    endings=(".tsv", ".run"),
    explanation="Query, document and rank per line, without a header, as read by MS MARCO's own"
    " evaluation. Documents are ordered by rank. Gaps between ranks are kept, down to rank"
    " 10,000. If ranks are tied, they determine only the order, and gaps are closed.",
    example="q1\tdoc-7\t1\nq1\tdoc-3\t2",
    recognise=recognise_msmarco,
    write={"run": write_msmarco_run},
)
def read_msmarco(source: Source, request: Request) -> Loaded:
    """Read a run. Its ranks (1 = best) are converted to descending scores.

    Gaps between ranks are kept, as in the evaluation script of MS MARCO."""
    rows, index, notes = _read_rows(source, _LINES, "rank")
    ranks = rows["rank"].to_numpy()
    columns = {name: rows[name] for name in ("query_id", "doc_id")}
    table = pa.table({**columns, "score": -ranks})
    check_ids(source, table, index)
    file_ranks, rank_notes = _check_ranks(encode_ids(rows["query_id"]), ranks)
    run = build_run_table(source, request, table, index, ranks=file_ranks)
    message = "no scores in the file, so documents are ordered by rank"
    run = run.with_notes(*notes, Note("rank", message, len(run)), *rank_notes)
    return Loaded(run, "msmarco", "MS MARCO run: query, document, rank", source.name)


@reader(
    "colbert",
    title="ColBERT ranking",
    kinds=("run",),
    endings=(".tsv",),
    explanation="Query, passage, rank and score per line: all numbers, separated by tabs, without a"
    " header. Documents are ordered by score.",
    example="1\t7067032\t1\t24.53\n1\t7067056\t2\t23.9",
    recognise=recognise_colbert,
    tools=(Tool("ColBERT", "`ranking.save(…)`: its ranking.tsv", "a run", audiences=("search",)),),
)
def read_colbert(source: Source, request: Request) -> Loaded:
    """Read a ColBERT ranking as a run. Raises FileFormatError if a score is not a finite number."""
    rows, index, notes = _read_rows(source, _SCORED, "score")
    rows = rows.set_column(3, "score", rows["score"].combine_chunks())
    title = "ColBERT ranking: query, passage, rank, score"
    return load_runs(source, request, rows, index, FormatDetails("colbert", title), notes)


def _read_rows(
    source: Source, layout: LineColumns, number_column: str
) -> tuple[pa.Table, LineIndex, list[Note]]:
    """Return the rows of all lines, their line numbers, and notes.

    Raises FileFormatError for a line that does not have the layout, or whose value in
    `number_column` is not finite."""
    blocks = list(parse_blocks(source, layout))
    raise_block_problems(source, blocks)
    index = LineIndex(tuple(block.stretch for block in blocks))
    rows = pa.concat_tables([block.table for block in blocks]).unify_dictionaries()
    bad_rows = np.flatnonzero(~np.isfinite(rows[number_column].to_numpy()))
    expected = f"a {number_column} in column {len(layout.columns)}"
    refuse_rows(source, index, bad_rows, lambda row: ("not a number", expected, layout.line))
    return rows, index, line_notes(blocks)


def _check_ranks(query_id: pa.DictionaryArray, ranks: Floats) -> tuple[Ints | None, list[Note]]:
    """Return a pair: the ranks to store, int64[row] counted from 1, and notes. The ranks are None
    if there are no gaps to keep.

    `ranks` is float64[row]. Gaps are kept if all ranks are whole numbers, none exceeds `MAX_RANK`,
    and none repeats in a query. Otherwise only the order of the documents is used."""
    odd_count = int(np.count_nonzero((ranks < 0) | (ranks != np.floor(ranks))))
    if odd_count:
        return None, [
            _order_only_note(
                f"{format_with_noun(odd_count, 'rank')} with a value that is negative or not a"
                " whole number",
                odd_count,
            )
        ]
    ids, query = query_id.dictionary, as_array(query_id.indices)
    order = np.lexsort((ranks, query))
    query, rank = query[order], ranks[order]
    is_first = np.diff(query, prepend=-1) != 0
    n, notes = int(np.count_nonzero(is_first)), []
    zero_queries = query[is_first & (rank == 0)]
    if len(zero_queries):
        message = (
            f"in {len(zero_queries):,} of {n:,} queries the ranks start at 0, so rank 0 is read as"
            " the first rank"
        )
        examples = example_queries(ids, zero_queries)
        notes.append(Note("rank", message, len(zero_queries), examples))
    first = 0 if len(zero_queries) else 1
    tied_queries = query[1:][(np.diff(rank) == 0) & ~is_first[1:]]
    if len(tied_queries):
        affected_queries = np.unique(tied_queries)
        tie_text = (
            f"{format_with_noun(len(tied_queries), 'rank')} tied with another rank, in"
            f" {len(affected_queries):,} of {n:,} queries"
        )
        examples = example_queries(ids, affected_queries)
        return None, [*notes, _order_only_note(tie_text, len(tied_queries), examples)]
    previous_rank = np.where(is_first, first - 1, np.roll(rank, 1))
    gap = rank - previous_rank - 1
    if not gap.any():
        return None, notes
    if rank.max() > MAX_RANK:
        return None, [*notes, _order_only_note(f"rank {rank.max():,.0f} exceeds {MAX_RANK:,}", 1)]
    affected_queries, count = np.unique(query[gap > 0]), int(gap.sum())
    message = (
        f"{format_with_noun(count, 'rank')} without a document, in {len(affected_queries):,} of"
        f" {n:,} queries; the documents keep their ranks, as in MS MARCO's own evaluation"
    )
    examples = example_queries(ids, affected_queries)
    notes.append(Note("empty_ranks", message, count, examples, loud=True))
    return (ranks - first + 1).astype(np.int64), notes


def _order_only_note(reason: str, count: int, examples: tuple[str, ...] = ()) -> Note:
    message = f"{reason}, so ranks are used only for the order, and gaps are closed"
    return Note("rank", message, count, examples)
