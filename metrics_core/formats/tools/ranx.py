"""Read the .lz4 files that ranx writes with Run.save.

`{query: {document: score}}` as CBOR, compressed twice with LZ4."""

from __future__ import annotations

import io
from dataclasses import replace

import pyarrow as pa

from metrics_core.base.errors import FileFormatError, RanklensError, content_error
from metrics_core.base.installing import install_command
from metrics_core.base.notes import note_on_cases
from metrics_core.base.wording import format_query_count, shorten_value
from metrics_core.formats.parsing.checking import check_ids
from metrics_core.formats.parsing.systems import FormatDetails, SystemRows, load_systems
from metrics_core.formats.registry import (
    POSSIBLE,
    TOOL_SPECIFIC,
    Loaded,
    Request,
    Sample,
    Sureness,
    Tool,
    reader,
)
from metrics_core.formats.source.limits import TREE_FACTOR, Limit
from metrics_core.formats.source.source import BLOCK, Source, shorten_line
from metrics_core.formats.values import A_SCORE
from metrics_core.tables.columns import ID, encode_texts
from metrics_core.tables.finite_numbers import to_finite_number

MAGIC = b"\x04\x22\x4d\x18"
"""First bytes of LZ4. ranx compresses twice; the outer layer is unpacked as for any packed file."""

_TAGS = (*range(1_100), 43_000)
"""CBOR tags that cbor2 decodes itself. It passes all other tags to a hook, which refuses them."""
_DEPTH = 3

_HINT = "Write the file with ranx's Run.save. If the error persists, save it as .json or .parquet."


def recognise_ranx(sample: Sample) -> Sureness:
    """Recognise a file that is compressed twice with LZ4 and contains a CBOR map."""
    source = sample.source
    if not source.magic.startswith(MAGIC):
        return {}
    try:
        first_part = replace(source, origin=next(source.chunks(BLOCK), b""))
        return {"run": TOOL_SPECIFIC if _starts_with_cbor_map(first_part.magic) else POSSIBLE}
    except FileFormatError:
        return {"run": TOOL_SPECIFIC}  # the damage is reported when it is read


@reader(
    "ranx",
    title="ranx run (LZ4)",
    kinds=("run",),
    endings=(".lz4",),
    explanation="The .lz4 files of ranx's Run.save: scores by query and document as CBOR,"
    " compressed twice with LZ4. They are read with cbor2, without ranx. The .json, .parquet"
    " and .trec files of Run.save are also read.",
    example="",
    recognise=recognise_ranx,
    magic=MAGIC,
    tools=(
        Tool(
            "ranx",
            "`Run.save` and `Qrels.save`: .json, .parq, .parquet, .trec or .lz4",
            "a run; judgments",
            "the run's name, which only .trec stores (otherwise the file name is used)",
            ("search", "recommender"),
        ),
    ),
)
def read_ranx(source: Source, request: Request) -> Loaded:
    """Read the run of a ranx file, which is compressed twice. Its size limit is the same as for a
    file that is compressed once.

    Raises FileFormatError if the content is not a ranx run, and RanklensError if cbor2 is not
    installed."""
    inner = b"".join(source.chunks())
    if not inner.startswith(MAGIC):
        raise _wrong_packing_error(source, "a file compressed with LZ4 at most once")
    max_size = source.limit.max_unpacked_size(source.size())
    inner_source = Source(source.name, inner, None, Limit(max_size, is_explicit=True))
    data = b"".join(inner_source.chunks())
    if not _starts_with_cbor_map(data):
        raise _wrong_packing_error(source, "a file compressed twice with LZ4")
    source.limit.check_size(source.name, len(data), TREE_FACTOR)
    lists = _decode_lists(source, data)
    queries = [query_id for query_id, documents in lists.items() for _ in documents]
    if not queries:
        raise content_error(
            source.name,
            "no documents for any query",
            "at least one",
            "Was the run empty when it was saved?",
        )
    docs = [doc_id for documents in lists.values() for doc_id in documents]
    scores = [float(score) for documents in lists.values() for score in documents.values()]
    table = pa.table(
        {"query_id": encode_texts(queries), "doc_id": pa.array(docs, ID), "score": pa.array(scores)}
    )
    check_ids(source, table, None)
    notes = []
    empty_queries = [query_id for query_id, documents in lists.items() if not documents]
    if empty_queries:
        message = f"{format_query_count(len(empty_queries))} without documents"
        notes.append(note_on_cases("empty", message, empty_queries))
    title = "ranx: query, document, score"
    return load_systems(
        source,
        request,
        [SystemRows("", table)],
        None,
        FormatDetails("ranx", title, has_scores=True),
        notes,
    )


def _decode_lists(source: Source, data: bytes) -> dict[str, dict[str, float]]:
    """Return the scores by query and document. Raises FileFormatError for any other value.

    Raises RanklensError if cbor2 is not installed.
    """
    try:
        import cbor2
    except ImportError as error:
        hint = f"Install it with: {install_command('ranx')}"
        raise RanklensError("ranx's .lz4 files need cbor2.", hint) from error
    file = io.BytesIO(data)
    try:
        # A tagged value may be of any size, and runs contain none.
        lists = cbor2.load(
            file,
            semantic_decoders=dict.fromkeys(_TAGS, _refuse_cbor_tag),
            tag_hook=_refuse_cbor_tag,
            max_depth=_DEPTH,
            allow_indefinite=False,
            allow_duplicate_keys=False,
        )
    except (cbor2.CBORDecodeError, ValueError, MemoryError, OverflowError) as error:
        raise _content_error(source, str(error.__cause__ or error)) from error
    if file.tell() < len(data):
        raise _content_error(source, "more data after the map")
    for query_id, documents in lists.items():
        if not isinstance(query_id, str) or not isinstance(documents, dict):
            raise _content_error(
                source, f"{shorten_value(documents)} as the documents of {shorten_value(query_id)}"
            )
        for doc_id, score in documents.items():
            if not isinstance(doc_id, str):
                raise _content_error(
                    source, f"the document {shorten_value(doc_id)} of query {query_id}"
                )
            if isinstance(score, (str, bool)) or to_finite_number(score) is None:
                pair = shorten_line(f"{query_id}.{doc_id}")
                raise content_error(
                    source.name, f"`{shorten_value(score)}` at {pair}", A_SCORE, _HINT
                )
    return dict(lists)


def _refuse_cbor_tag(*_: object) -> None:
    raise ValueError("a tag, such as one for a date or a pattern")


def _content_error(source: Source, actual: str) -> FileFormatError:
    return content_error(
        source.name, actual, "a map of queries, each with a map of documents and scores", _HINT
    )


def _starts_with_cbor_map(data: bytes) -> bool:
    """Return whether the first value of CBOR data is a map (RFC 8949)."""
    return data[:1] >= b"\xa0" and data[:1] < b"\xc0"


def _wrong_packing_error(source: Source, actual: str) -> FileFormatError:
    return content_error(
        source.name,
        actual,
        "a ranx run: CBOR compressed twice with LZ4",
        "Unpack the file and use its contents.",
    )
