"""AutoRAG: qa.parquet with its ground truth, the results of its retrieval nodes, corpus.parquet."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.errors import LineProblem, TableError
from metrics_core.base.notes import Note
from metrics_core.formats.declaring import declare
from metrics_core.formats.mapping.presets import Preset, Remark, where
from metrics_core.formats.parquet import (
    MAGIC,
    batches_of,
    guarded,
    is_corpus,
    opened_parquet,
    plain_column,
)
from metrics_core.formats.registry import OF_A_TOOL, Kind, Loaded, Request, Sample, Tool, reader
from metrics_core.formats.source.lines import refuse, refuse_rows
from metrics_core.formats.source.parquet_size import A_CELL_OF_PYTHON, check_size
from metrics_core.formats.source.source import Source, shortened
from metrics_core.tables import Documents
from metrics_core.tables.columns import ID

_NODES = ("", "_lexical", "_semantic")
"""What the columns of a result end in, by the node of which it is."""
_LISTS = tuple(
    name + node
    for name in ("retrieved_ids", "retrieve_scores", "retrieved_contents")
    for node in _NODES
)


def _is_alternative(truth: Any) -> bool:
    """Whether of some of the relevant documents one is enough."""
    return isinstance(truth, list) and any(isinstance(own, list) and len(own) > 1 for own in truth)


def _is_result(record: Any) -> bool:
    """By scores beside the documents, or the truth."""
    return "retrieval_gt" in record or any(f"retrieve_scores{node}" in record for node in _NODES)


declare(
    Preset(
        "autorag",
        "AutoRAG questions and results",
        endings=(".parquet",),
        explanation="AutoRAG's qa.parquet and the best_*.parquet of its retrieval nodes."
        " retrieval_gt lists relevant documents (grade 1). retrieved_ids with retrieve_scores are a"
        " run, one per node. Contains judgments, queries, runs and documents. The same"
        " rows are also read as JSON.",
        example='{"qid": "q1", "query": "refund", "retrieval_gt": [["doc-7"]],'
        ' "retrieved_ids": ["doc-7", "doc-3"], "retrieve_scores": [0.8, 0.5]}',
        recognised_by=("qid", " || ".join(("retrieval_gt", *_LISTS[:3]))),
        also=_is_result,
        tables={
            "run": tuple(
                f"query=qid doc=retrieved_ids{node}[]? score=retrieve_scores{node}[]?"
                f" system='{node.removeprefix('_')}'"
                for node in _NODES
            ),
            "qrels": "query=qid doc=retrieval_gt[][]? || retrieval_gt[]? || retrieval_gt grade='1'",
            "queries": "query=qid text=query",
            "documents": tuple(
                f"doc=retrieved_ids{node}[]? body=retrieved_contents{node}[]?" for node in _NODES
            ),
        },
        needs={
            "run": " || ".join(_LISTS[:3]),
            "qrels": "retrieval_gt",
            "queries": "query",
            "documents": " || ".join(_LISTS[6:]),
        },
        once=("run", "qrels"),
        not_details=("retrieval_gt", *_LISTS),
        remarks=(
            Remark(
                ("qrels",),
                "nothing_expected",
                "{n:,} {things} with an empty retrieval_gt; excluded",
                loud=True,
            ),
            Remark(
                ("qrels",),
                "alternatives",
                "{n:,} {things} with groups of alternatives in retrieval_gt; every document counts"
                " as relevant",
                where("retrieval_gt", _is_alternative, "qid"),
            ),
        ),
        tools=(
            Tool(
                "AutoRAG",
                "qa.parquet, and best_*.parquet of a retrieval node",
                "judgments and queries; one run per node",
                "that one of several alternatives in retrieval_gt is enough: every document counts"
                " as relevant",
                ("rag",),
            ),
        ),
    )
)


def recognise_corpus(sample: Sample) -> Mapping[Kind, int]:
    """By doc_id and contents beside a metadata that has parts."""
    if not sample.source.magic.startswith(MAGIC):
        return {}
    return {"documents": OF_A_TOOL} if is_corpus(opened_parquet(sample.source)) else {}


@reader(
    "autorag_corpus",
    title="AutoRAG corpus",
    kinds=("documents",),
    endings=(".parquet",),
    explanation="AutoRAG's corpus.parquet: doc_id and contents; metadata fields become columns.",
    example="(binary) columns doc_id, contents, metadata",
    recognise=recognise_corpus,
    magic=MAGIC,
    tools=(
        Tool(
            "AutoRAG",
            "corpus.parquet",
            "the documents",
            "",
            ("rag",),
        ),
    ),
)
def read_corpus(source: Source, request: Request) -> Loaded:
    """The documents of a corpus."""
    file = opened_parquet(source)
    names, left = guarded(source, partial(_plain_columns, file.schema_arrow))
    if not {"doc_id", "contents"} <= {*names}:
        problem = LineProblem(None, shortened(", ".join(names)), "columns doc_id and contents")
        raise refuse(source, [problem])
    guarded(source, partial(check_size, source, file, names, a_cell=A_CELL_OF_PYTHON))
    batches = guarded(source, partial(batches_of, source, file, names))
    if not batches:
        raise refuse(source, [LineProblem(None, "only a header", "at least one row")])
    table = guarded(source, pa.Table.from_batches(batches).flatten)
    columns = {}
    for name in names:
        column = guarded(source, partial(_as_text, table[name]))
        if name == "contents":
            columns["text"] = pc.fill_null(column, "")
        else:
            own = name.removeprefix("metadata.")
            columns[own if own not in columns and own != "text" else name] = column
    try:
        documents = Documents.from_columns(columns)
    except TableError as error:
        raise refuse_rows(source, error, None) from error
    if left:
        message = f"columns not used: {', '.join(left)}"
        documents = documents.noting(Note("columns", message, len(left), tuple(left[:3])))
    return Loaded(documents, "autorag_corpus", "AutoRAG corpus", source.name)


def _plain_columns(schema: pa.Schema) -> tuple[list[str], list[str]]:
    """The columns of single values, those in metadata too, and which are left."""
    names, left = list[str](), list[str]()
    for own in schema:
        inside = own.type if pa.types.is_struct(own.type) and own.name == "metadata" else ()
        for name, kind in [(f"metadata.{f.name}", f.type) for f in inside] or [
            (own.name, own.type)
        ]:
            (left if pa.types.is_nested(kind) else names).append(name)
    return names, left


def _as_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return pc.cast(plain_column(column), ID)
