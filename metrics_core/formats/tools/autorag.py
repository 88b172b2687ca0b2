"""Read AutoRAG's files: the ground truth in qa.parquet, the results of retrieval nodes, and the
documents in corpus.parquet."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.errors import content_error
from metrics_core.base.notes import note_on_cases
from metrics_core.formats.declaring import declare
from metrics_core.formats.mapping.presets import Preset, Remark, make_case_finder
from metrics_core.formats.parquet import (
    convert_arrow_errors,
    decode_column,
    is_autorag_corpus,
    open_parquet,
    read_columns,
)
from metrics_core.formats.registry import (
    TOOL_SPECIFIC,
    Loaded,
    Request,
    Sample,
    Sureness,
    Tool,
    reader,
)
from metrics_core.formats.source.lines import convert_table_errors
from metrics_core.formats.source.parquet_size import OBJECT_CELL_BYTES
from metrics_core.formats.source.source import PARQUET_MAGIC, Source, is_parquet, shorten_line
from metrics_core.tables import Documents
from metrics_core.tables.columns import ID

_NODES = ("", "_lexical", "_semantic")
"""Suffixes of the columns in a result file. Each suffix belongs to a retrieval node."""
_LISTS = tuple(
    name + node
    for name in ("retrieved_ids", "retrieve_scores", "retrieved_contents")
    for node in _NODES
)
_SCORES = tuple(f"retrieval_{name}" for name in ("f1", "recall", "precision", "ndcg", "mrr", "map"))
"""Columns of scores in a result file."""


def _has_alternatives(truth: Any) -> bool:
    """Return whether the ground truth contains alternatives: lists of several relevant documents,
    any one of which is enough."""
    return isinstance(truth, list) and any(
        isinstance(documents, list) and len(documents) > 1 for documents in truth
    )


def _is_result(record: Any) -> bool:
    """Return whether a record is from a result file: it has the ground truth, or scores of the
    retrieved documents."""
    return "retrieval_gt" in record or any(f"retrieve_scores{node}" in record for node in _NODES)


declare(
    Preset(
        "autorag",
        "AutoRAG questions and results",
        endings=(".parquet",),
        explanation="AutoRAG's qa.parquet and the best_*.parquet of its retrieval nodes."
        " retrieval_gt lists relevant documents (grade 1). retrieved_ids with retrieve_scores give"
        " one run per node. Contains judgments, queries, runs and documents. Files with"
        " the same rows as JSON are also read.",
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
            "scores": "query=qid",
            "documents": tuple(
                f"doc=retrieved_ids{node}[]? body=retrieved_contents{node}[]?" for node in _NODES
            ),
        },
        needs={
            "run": " || ".join(_LISTS[:3]),
            "qrels": "retrieval_gt",
            "queries": "query",
            "scores": " || ".join(_SCORES),
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
                make_case_finder("retrieval_gt", _has_alternatives, "qid"),
            ),
        ),
        tools=(
            Tool(
                "AutoRAG",
                "qa.parquet, and best_*.parquet of a retrieval node",
                "judgments and queries; one run per node",
                "which documents in retrieval_gt are alternatives to each other: every document"
                " counts as relevant",
                ("rag",),
            ),
        ),
    )
)


def recognise_corpus(sample: Sample) -> Sureness:
    """Recognise a corpus by the columns doc_id, contents and metadata, if metadata is a struct."""
    if not is_parquet(sample.source):
        return {}
    return {"documents": TOOL_SPECIFIC} if is_autorag_corpus(open_parquet(sample.source)) else {}


@reader(
    "autorag_corpus",
    title="AutoRAG corpus",
    kinds=("documents",),
    endings=(".parquet",),
    explanation="AutoRAG's corpus.parquet: doc_id and contents; metadata fields become columns.",
    example="(binary) columns doc_id, contents, metadata",
    recognise=recognise_corpus,
    magic=PARQUET_MAGIC,
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
    """Read the documents of a corpus. Raises FileFormatError if a column is missing."""
    file = open_parquet(source)
    columns = {}
    with convert_arrow_errors(source):
        names, unused_names = _split_columns(file.schema_arrow)
        if not {"doc_id", "contents"} <= {*names}:
            raise content_error(
                source.name, shorten_line(", ".join(names)), "columns doc_id and contents"
            )
        table = read_columns(source, file, names, OBJECT_CELL_BYTES).flatten()
        for name in names:
            column = decode_column(table[name]).cast(ID)
            if name == "contents":
                columns["text"] = pc.fill_null(column, "")
            else:
                short_name = name.removeprefix("metadata.")
                is_free = short_name not in columns and short_name != "text"
                columns[short_name if is_free else name] = column
    with convert_table_errors(source, None):
        documents = Documents.from_columns(columns)
    if unused_names:
        message = f"columns not used: {', '.join(unused_names)}"
        documents = documents.with_notes(note_on_cases("columns", message, unused_names))
    return Loaded(documents, "autorag_corpus", "AutoRAG corpus", source.name)


def _split_columns(schema: pa.Schema) -> tuple[list[str], list[str]]:
    """Return two lists of column names: the columns with single values, and all other columns. The
    fields inside the column `metadata` count as columns."""
    names, unused_names = list[str](), list[str]()
    for column in schema:
        parts = column.type if pa.types.is_struct(column.type) and column.name == "metadata" else ()
        for name, kind in [(f"metadata.{f.name}", f.type) for f in parts] or [
            (column.name, column.type)
        ]:
            (unused_names if pa.types.is_nested(kind) else names).append(name)
    return names, unused_names
