"""MS MARCO's runs: a query, a document and its rank a line, without a score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.errors import RanklensError
from metrics_core.base.notes import Note
from metrics_core.formats.outgoing import ROWS_AT_ONCE, check_texts
from metrics_core.formats.parsing.blocks import line_notes, refuse_problems
from metrics_core.formats.parsing.checking import check_ids, refuse_values, run_table
from metrics_core.formats.parsing.trec_lines import LineColumns, fields_of, parse
from metrics_core.formats.registry import (
    LIKELY,
    POSSIBLE,
    Kind,
    Loaded,
    Request,
    Sample,
    reader,
)
from metrics_core.formats.source.lines import LineIndex, counted
from metrics_core.formats.source.source import Source
from metrics_core.tables import Run
from metrics_core.tables.arrays import values_of
from metrics_core.tables.columns import CODED_ID, ID, coded

DEEPEST = 10_000
"""Ranks further down only give the order: a list of which most is empty costs as much as a full
one, and MS MARCO's own evaluation knows none below 1,000."""

_LINES = LineColumns(
    columns={"query_id": CODED_ID, "doc_id": ID, "rank": pa.float64()},
    line="A line of an MS MARCO run is: query_id doc_id rank",
    rest=False,
)


def recognise_msmarco(sample: Sample) -> Mapping[Kind, int]:
    """Three columns, of which the last counts 1, 2, … within each query. Judgments without their
    second column look alike while no query has a first and a second, or where ranks are tied or
    start at 0; then the file's ending decides."""
    lines = [fields_of(line) for line in sample.lines]
    whole = [len(f) == 3 and f[2].isascii() and f[2].isdigit() for f in lines]
    if not lines or sum(whole) < 0.9 * len(lines):
        return {}
    ranks: dict[str, list[int]] = {}
    for fields, fits in zip(lines, whole, strict=True):
        if fits:
            ranks.setdefault(fields[0], []).append(int(fields[2][:9]))
    named = sample.path.endswith((".run", ".res"))
    if any(len(set(own)) < len(own) or min(own) < 1 for own in ranks.values()):
        return {"run": LIKELY} if named else {}
    counting = sum(own == list(range(1, len(own) + 1)) for own in ranks.values())
    several = max(map(len, ranks.values())) > 1
    if (several and counting == len(ranks)) or named:
        return {"run": LIKELY}
    return {"run": POSSIBLE} if several else {}


def write_msmarco_run(run: Run, file: BinaryIO) -> None:
    """A run whose ranks are kept as they were given. Raises RanklensError for one with scores."""
    if run.given_ranks is None:
        raise RanklensError(
            f"{run.name} has scores, which an MS MARCO run does not hold.", "Write it as trec."
        )
    check_texts(run.table, r"[ \t\r\n\x00]", "an MS MARCO run", first="#\ufeff")
    for batch in run.table.to_batches(max_chunksize=ROWS_AT_ONCE):
        fields = (batch[name].cast(ID) for name in ("query_id", "doc_id", "rank"))
        lines = pc.binary_join_element_wise(*fields, "\t").to_pylist()
        file.write(("\n".join(lines) + "\n").encode() if lines else b"")


@reader(
    "msmarco",
    title="MS MARCO run",
    kinds=("run",),
    endings=(".tsv", ".run"),
    explanation="A query, a document and its rank a line, no header, as MS MARCO's own evaluation"
    " reads it. The rank gives the order; a rank that is left out is empty, and those below it"
    " stand where they are, down to rank 10,000. Tied ranks give only the order.",
    example="q1\tdoc-7\t1\nq1\tdoc-3\t2",
    recognise=recognise_msmarco,
    write={"run": write_msmarco_run},
)
def read_msmarco(source: Source, request: Request) -> Loaded:
    """A run whose ranks, 1 being the best, become falling scores; they are kept where some are left
    out, as MS MARCO's own evaluation does."""
    blocks = list(parse(source, _LINES))
    refuse_problems(source, blocks)
    index = LineIndex(tuple(block.stretch for block in blocks))
    rows = pa.concat_tables([block.table for block in blocks]).unify_dictionaries()
    ranks = rows["rank"].to_numpy()
    bad = np.flatnonzero(~np.isfinite(ranks))
    if len(bad):
        problem = ("no number", "a rank in the third column", _LINES.line)
        raise refuse_values(source, index, bad, lambda row: problem)
    columns = {name: rows[name] for name in ("query_id", "doc_id")}
    table = pa.table({**columns, "score": -ranks})
    check_ids(source, table, index)
    kept, told = _kept_ranks(coded(rows["query_id"]), ranks)
    run = run_table(source, request, table, index, ranks=kept)
    message = "there is a rank but no score; the rank gives the order"
    run = run.noting(*line_notes(blocks), Note("rank", message, len(run)), *told)
    return Loaded(run, "msmarco", "MS MARCO run: query, document, rank", source.name)


def _kept_ranks(
    query_id: pa.DictionaryArray, ranks: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.int64] | None, list[Note]]:
    """The ranks, from 1, where some are left out and none stands twice in a query; and what is odd
    about them."""
    odd = int(np.count_nonzero((ranks < 0) | (ranks != np.floor(ranks))))
    if odd:
        return None, [_order_only(f"{counted(odd, 'rank')} not a whole number from 0", odd)]
    query, rank = values_of(query_id.indices), ranks
    order = np.lexsort((rank, query))
    query, rank = query[order], rank[order]
    lead = np.diff(query, prepend=-1) != 0
    n, notes = int(np.count_nonzero(lead)), []
    zero = query[lead & (rank == 0)]
    if len(zero):
        message = (
            f"in {len(zero):,} of {n:,} queries the ranks start at 0, which counts as the first"
        )
        notes.append(Note("rank", message, len(zero), _examples(query_id, zero)))
    first = 0 if len(zero) else 1
    tied = query[1:][(np.diff(rank) == 0) & ~lead[1:]]
    if len(tied):
        of = np.unique(tied)
        told = f"{counted(len(tied), 'rank')} tied with another, in {len(of):,} of {n:,} queries"
        return None, [*notes, _order_only(told, len(tied), _examples(query_id, of))]
    above = np.where(lead, first - 1, np.roll(rank, 1))
    empty = rank - above - 1
    if not empty.any():
        return None, notes
    if rank.max() > DEEPEST:
        return None, [*notes, _order_only(f"ranks go down to {rank.max():,.0f}", 1)]
    of, count = np.unique(query[empty > 0]), int(empty.sum())
    message = (
        f"{counted(count, 'rank')} left out, in {len(of):,} of {n:,} queries; the others stand"
        " where the file has them, as in MS MARCO's own evaluation"
    )
    notes.append(Note("empty_ranks", message, count, _examples(query_id, of), loud=True))
    return (ranks - first + 1).astype(np.int64), notes


def _order_only(found: str, count: int, examples: tuple[str, ...] = ()) -> Note:
    message = f"{found}; so the rank gives only the order, and none is left empty"
    return Note("rank", message, count, examples)


def _examples(query_id: pa.DictionaryArray, queries: npt.NDArray[np.int32]) -> tuple[str, ...]:
    return tuple(f"query {query_id.dictionary[int(code)]}" for code in queries[:3])
