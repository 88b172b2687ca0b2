"""MS MARCO's runs: a query, a document and its rank a line, without a score."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from metrics_core.base.notes import Note
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
from metrics_core.formats.source.lines import LineIndex
from metrics_core.formats.source.source import Source
from metrics_core.tables.columns import CODED_ID, ID

_LINES = LineColumns(
    columns={"query_id": CODED_ID, "doc_id": ID, "rank": pa.float64()},
    line="A line of an MS MARCO run is: query_id doc_id rank",
    rest=False,
)


def recognise_msmarco(sample: Sample) -> Mapping[Kind, int]:
    """Three columns, of which the last counts 1, 2, … within each query. Judgments without their
    second column look alike while no query has a first and a second."""
    lines = [fields_of(line) for line in sample.lines]
    whole = [len(f) == 3 and f[2].isascii() and f[2].isdigit() and f[2][0] != "0" for f in lines]
    if not lines or sum(whole) < 0.9 * len(lines):
        return {}
    ranks: dict[str, list[int]] = {}
    for fields, fits in zip(lines, whole, strict=True):
        if fits:
            ranks.setdefault(fields[0], []).append(int(fields[2][:9]))
    if any(len(set(own)) < len(own) for own in ranks.values()):
        return {}
    counting = sum(own == list(range(1, len(own) + 1)) for own in ranks.values())
    several = max(map(len, ranks.values())) > 1
    if (several and counting == len(ranks)) or sample.path.endswith((".run", ".res")):
        return {"run": LIKELY}
    return {"run": POSSIBLE} if several else {}


@reader(
    "msmarco",
    title="MS MARCO run",
    kinds=("run",),
    endings=(".tsv", ".run"),
    explanation="A query, a document and its rank a line, no header, as MS MARCO's own evaluation"
    " reads it. The rank gives the order.",
    example="q1\tdoc-7\t1\nq1\tdoc-3\t2",
    recognise=recognise_msmarco,
)
def read_msmarco(source: Source, request: Request) -> Loaded:
    """A run whose ranks, 1 being the best, become falling scores."""
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
    run = run_table(source, request, table, index)
    message = "there is a rank but no score; the rank gives the order"
    run = run.noting(*line_notes(blocks), Note("rank", message, len(run)))
    return Loaded(run, "msmarco", "MS MARCO run: query, document, rank", source.name)
