"""ranx: what Run.save writes as .lz4, `{query: {document: score}}` as CBOR inside LZ4 twice."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import replace

import pyarrow as pa

from metrics_core.base.errors import FileFormatError, LineProblem, RanklensError
from metrics_core.base.installing import install_command
from metrics_core.base.notes import Note
from metrics_core.base.wording import shown
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
from metrics_core.formats.source.source import BLOCK, Source, shortened
from metrics_core.formats.values import A_SCORE
from metrics_core.tables.columns import ID, coded_texts
from metrics_core.tables.given_numbers import finite_number

MAGIC = b"\x04\x22\x4d\x18"
"""LZ4's; the first LZ4 of the two is unpacked like any packing."""

_TAGS = (*range(1_100), 43_000)
"""Those that cbor2 decodes by itself; others go to its hook."""
_DEPTH = 3

_HINT = "ranx's Run.save writes such a file; if the error persists, save as .json or .parquet."


def recognise_ranx(sample: Sample) -> Mapping[Kind, int]:
    """LZ4 inside LZ4, and a map of CBOR in that."""
    source = sample.source
    if not source.magic.startswith(MAGIC):
        return {}
    try:
        beginning = replace(source, origin=next(source.chunks(BLOCK), b""))
        return {"run": OF_A_TOOL if _is_map(beginning.magic) else POSSIBLE}
    except FileFormatError:
        return {"run": OF_A_TOOL}  # reading it says what is damaged


@reader(
    "ranx",
    title="ranx run (LZ4)",
    kinds=("run",),
    endings=(".lz4",),
    explanation="The .lz4 files of ranx's Run.save: scores by query and document as CBOR,"
    " compressed twice with LZ4. They are read with cbor2, without ranx. Its .json, .parquet and"
    " .trec files are also read.",
    example="",
    recognise=recognise_ranx,
    magic=MAGIC,
    tools=(
        Tool(
            "ranx",
            "`Run.save` and `Qrels.save`: .json, .parq, .parquet, .trec or .lz4",
            "a run; judgments",
            "the run's name, which only .trec stores: the file name is used",
            ("search", "recommender"),
        ),
    ),
)
def read_ranx(source: Source, request: Request) -> Loaded:
    """The run of such a file. All that it unpacks to is bounded as one packing would be."""
    inner = b"".join(source.chunks())
    if not inner.startswith(MAGIC):
        raise _another(source, "LZ4 compression once, or not at all")
    most = source.limit.unpacked(source.size())
    unpacked = Source(source.name, inner, None, Limit(most, given=True))
    data = b"".join(unpacked.chunks())
    if not _is_map(data):
        raise _another(source, "a file compressed twice with LZ4")
    source.limit.check_size(source.name, len(data), TREE)
    lists = _lists_in(source, data)
    queries = [query_id for query_id, documents in lists.items() for _ in documents]
    if not queries:
        problem = LineProblem(None, "no documents for any query", "at least one")
        raise refuse(source, [problem], hint="Was the run empty when it was saved?")
    docs = [doc_id for documents in lists.values() for doc_id in documents]
    scores = [float(score) for documents in lists.values() for score in documents.values()]
    table = pa.table(
        {"query_id": coded_texts(queries), "doc_id": pa.array(docs, ID), "score": pa.array(scores)}
    )
    check_ids(source, table, None)
    notes = []
    empty = [query_id for query_id, documents in lists.items() if not documents]
    if empty:
        message = f"{counted(len(empty), 'query')} without documents".replace("querys", "queries")
        notes.append(Note("empty", message, len(empty), tuple(empty[:3])))
    title = "ranx: query, document, score"
    return load_systems(
        source, request, [System("", table)], None, FormatDetails("ranx", title, scored=True), notes
    )


def _lists_in(source: Source, data: bytes) -> dict[str, dict[str, float]]:
    """The scores by query and document. Raises FileFormatError for any other value, and
    RanklensError without cbor2."""
    try:
        import cbor2
    except ImportError as error:
        hint = f"Install it with: {install_command('ranx')}"
        raise RanklensError("ranx's .lz4 files need cbor2.", hint) from error
    file = io.BytesIO(data)
    try:
        # What a tag stands for may be of any size, and runs have none.
        lists = cbor2.load(
            file,
            semantic_decoders=dict.fromkeys(_TAGS, _refuse_tag),
            tag_hook=_refuse_tag,
            max_depth=_DEPTH,
            allow_indefinite=False,
            allow_duplicate_keys=False,
        )
    except (cbor2.CBORDecodeError, ValueError, MemoryError, OverflowError) as error:
        raise _no_lists(source, str(error.__cause__ or error)) from error
    if file.tell() < len(data):
        raise _no_lists(source, "more data after the map")
    for query_id, documents in lists.items():
        if not isinstance(query_id, str) or not isinstance(documents, dict):
            raise _no_lists(source, f"{shown(documents)} as the documents of {shown(query_id)}")
        for doc_id, score in documents.items():
            if not isinstance(doc_id, str):
                raise _no_lists(source, f"the document {shown(doc_id)} of query {query_id}")
            if isinstance(score, (str, bool)) or finite_number(score) is None:
                pair = shortened(f"{query_id}.{doc_id}")
                problem = LineProblem(None, f"`{shown(score)}` at {pair}", A_SCORE)
                raise refuse(source, [problem], hint=_HINT)
    return dict(lists)


def _refuse_tag(*_: object) -> None:
    raise ValueError("a tag, such as of a date or a pattern")


def _no_lists(source: Source, found: str) -> FileFormatError:
    problem = LineProblem(None, found, "a map of queries, each with a map of documents and scores")
    return refuse(source, [problem], hint=_HINT)


def _is_map(start: bytes) -> bool:
    """Whether CBOR begins with a map (RFC 8949)."""
    return start[:1] >= b"\xa0" and start[:1] < b"\xc0"


def _another(source: Source, found: str) -> FileFormatError:
    problem = LineProblem(None, found, "a ranx run: CBOR compressed twice with LZ4")
    return refuse(source, [problem], hint="Unpack the file and use its contents.")
