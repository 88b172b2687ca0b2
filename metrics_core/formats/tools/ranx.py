"""ranx: what Run.save writes as .lz4, `{query: {document: score}}` as CBOR inside LZ4 twice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pyarrow as pa

from metrics_core.base.errors import FileFormatError, LineProblem
from metrics_core.base.notes import Note
from metrics_core.formats.parsing.cbor_maps import is_map, rows_of
from metrics_core.formats.parsing.checking import check_ids
from metrics_core.formats.parsing.systems import FormatDetails, System, load_systems
from metrics_core.formats.registry import (
    OF_A_TOOL,
    POSSIBLE,
    Kind,
    Loaded,
    Request,
    Sample,
    Tool,
    reader,
)
from metrics_core.formats.source.limits import TREE, Limit
from metrics_core.formats.source.lines import counted, refuse
from metrics_core.formats.source.source import BLOCK, Source
from metrics_core.tables.columns import ID, coded_texts

MAGIC = b"\x04\x22\x4d\x18"
"""LZ4's; the first LZ4 of the two is unpacked like any packing."""

_HINT = "ranx's Run.save writes such a file; save the run as .json or .parquet if this goes on."


def recognise_ranx(sample: Sample) -> Mapping[Kind, int]:
    """LZ4 inside LZ4, and a map of CBOR in that."""
    source = sample.source
    if not source.magic.startswith(MAGIC):
        return {}
    try:
        beginning = replace(source, origin=next(source.chunks(BLOCK), b""))
        return {"run": OF_A_TOOL if is_map(beginning.magic) else POSSIBLE}
    except FileFormatError:
        return {"run": OF_A_TOOL}  # reading it says what is damaged


@reader(
    "ranx",
    title="ranx run (LZ4)",
    kinds=("run",),
    endings=(".lz4",),
    explanation="What Run.save of ranx writes as .lz4: scores by query and document as CBOR, inside"
    " LZ4 twice. It is read without ranx. Its .json, .parquet and .trec files are read as such.",
    example="",
    recognise=recognise_ranx,
    magic=MAGIC,
    tools=(
        Tool(
            "ranx",
            "`Run.save` and `Qrels.save`: .json, .parq, .parquet, .trec or .lz4",
            "a run; judgments",
            "the run's name, which only .trec holds: the file's is taken",
            ("search", "recommender"),
        ),
    ),
)
def read_ranx(source: Source, request: Request) -> Loaded:
    """The run of such a file. All that it unpacks to is bounded as one packing would be."""
    inner = b"".join(source.chunks())
    if not inner.startswith(MAGIC):
        raise _another(source, "one packing of LZ4, or none")
    most = source.limit.unpacked(source.size())
    unpacked = Source(source.name, inner, None, Limit(most, given=True))
    data = b"".join(unpacked.chunks())
    if not is_map(data):
        raise _another(source, "a file packed with LZ4 twice")
    source.limit.check_size(source.name, len(data), TREE)
    rows = rows_of(source, data, _HINT)
    if not rows.docs:
        problem = LineProblem(None, "no document for any query", "at least one")
        raise refuse(source, [problem], hint="Was the run empty when it was saved?")
    queries = coded_texts(rows.queries)
    table = pa.table(
        {"query_id": queries, "doc_id": pa.array(rows.docs, ID), "score": pa.array(rows.numbers)}
    )
    check_ids(source, table, None)
    notes = []
    if rows.empty:
        message = f"{counted(len(rows.empty), 'query')} without documents"
        message = message.replace("querys", "queries")
        notes.append(Note("empty", message, len(rows.empty), tuple(rows.empty[:3])))
    title = "ranx: query, document, score"
    return load_systems(
        source, request, [System("", table)], None, FormatDetails("ranx", title, scored=True), notes
    )


def _another(source: Source, found: str) -> FileFormatError:
    problem = LineProblem(None, found, "a run of ranx: CBOR inside LZ4 twice")
    return refuse(source, [problem], hint="Unpack the file and give its content.")
