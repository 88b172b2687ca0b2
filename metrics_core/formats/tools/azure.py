"""Read input rows for the document retrieval evaluator of Azure AI evaluation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any

from metrics_core.formats.declaring import declare
from metrics_core.formats.mapping.presets import Preset, Remark, make_case_finder
from metrics_core.formats.registry import Tool

_NAMES = ("query_id", "id", "query")


def _add_ids(blocks: Iterable[list[Any]], _name: str) -> Iterator[list[Any]]:
    """Add an id to each row that has none, and yield the rows. The id is the query's text, or the
    row number if the row has no query text."""
    numbers = count(1)
    for rows in blocks:
        yield [_add_id(row, next(numbers)) for row in rows]


def _add_id(row: Any, number: int) -> Any:
    if not isinstance(row, dict):
        return row
    row_id = next((row[name] for name in _NAMES if row.get(name) is not None), None)
    return row | {"is_numbered": row_id is None, "query_id": row_id or str(number)}


declare(
    Preset(
        "azure",
        "Azure document retrieval",
        endings=(".jsonl", ".json"),
        explanation="Rows for Azure AI's DocumentRetrievalEvaluator: retrieved_documents are a run,"
        " retrieval_ground_truth are judgments. A row with neither an id nor a query is"
        " identified by its row number.",
        example='{"query": "refund", "retrieval_ground_truth": [{"document_id": "doc-7",'
        ' "query_relevance_label": 4}], "retrieved_documents": [{"document_id": "doc-3",'
        ' "relevance_score": 45.1}]}',
        recognised_by=("retrieved_documents", "retrieval_ground_truth"),
        mend=_add_ids,
        tables={
            "run": "query=query_id doc=retrieved_documents[].document_id"
            " score=retrieved_documents[].relevance_score",
            "qrels": "query=query_id doc=retrieval_ground_truth[].document_id"
            " grade=retrieval_ground_truth[].query_relevance_label",
            "queries": "query=query_id text=query",
        },
        needs={"queries": "query"},
        once=("run", "qrels"),
        remarks=(
            Remark(
                ("run", "qrels"),
                "numbered",
                "{n:,} {things} without an id, identified by row number",
                make_case_finder("is_numbered", bool, "query_id"),
            ),
        ),
        tools=(
            Tool(
                "Azure AI evaluation",
                "the JSON Lines file of rows for the DocumentRetrievalEvaluator",
                "a run and judgments; queries, if the rows have a `query`",
                "ids, if rows have none (the rows are then numbered)",
                ("rag",),
            ),
        ),
    )
)
