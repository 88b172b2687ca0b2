"""Gold sets of sentence-transformers and LlamaIndex. A gold set is one JSON object with queries, a
corpus and the relevant documents."""

from __future__ import annotations

from typing import Any

from metrics_core.formats.declaring import declare
from metrics_core.formats.mapping.axes import Records
from metrics_core.formats.mapping.presets import Preset, Remark
from metrics_core.formats.parsing.json_text import NumberText
from metrics_core.formats.registry import Tool

_PARTS = ("queries", "corpus", "relevant_docs")
_SETTINGS = {"mode"}
"""Keys that LlamaIndex writes beside the queries, corpus and relevant documents. The value of mode
is always "text"."""


def _is_gold_set(content: Any) -> bool:
    """Return whether an object is a gold set: its first query is a string, its first document is a
    string or a node (an object), and its judgments are lists."""
    if not content or not content.keys() <= {*_PARTS, *_SETTINGS}:
        return False
    first_values = [(name, _first_value(content[name])) for name in _PARTS if name in content]
    # A run may have queries with these names, but its values are numbers.
    are_valid = [
        isinstance(first, list) if name == "relevant_docs" else _is_text_or_node(name, first)
        for name, first in first_values
        if first is not None
    ]
    is_graded = len(first_values) == len(_PARTS) and all(are_valid[:2])
    return bool(are_valid) and (all(are_valid) or is_graded)


def _first_value(part: Any) -> Any:
    return next(iter(part.values()), None) if isinstance(part, dict) else None


def _is_text_or_node(name: str, value: Any) -> bool:
    is_node = name == "corpus" and isinstance(value, dict)
    return is_node or (isinstance(value, str) and not isinstance(value, NumberText))


def _find_missing_texts(records: Records) -> list[str]:
    """Return the judged queries that have no text. The result is empty if the gold set contains no
    query texts at all."""
    query_ids = list[str]()
    for content in records.values.to_list():
        queries, judgments = content.get("queries"), content.get("relevant_docs") or ()
        query_ids += [query_id for query_id in judgments if queries and query_id not in queries]
    return query_ids


declare(
    Preset(
        "gold_set",
        "Gold set of queries, corpus and relevant_docs",
        endings=(".json",),
        explanation="A gold set as used by the evaluators of sentence-transformers and saved by"
        " LlamaIndex: relevant documents have grade 1. Contains judgments, queries and documents.",
        example='{"queries": {"q1": "refund"}, "corpus": {"doc-7": "Ask within 30 days."},'
        ' "relevant_docs": {"q1": ["doc-7"]}}',
        recognised_by=(),
        also=_is_gold_set,
        tables={
            "qrels": (
                "query=relevant_docs.*~ doc=relevant_docs.*[]? grade='1'",
                "query=relevant_docs.*~ doc=relevant_docs.*.*~? grade=relevant_docs.*.*?",
            ),
            "queries": "query=queries.*~ text=queries.*",
            "documents": "doc=corpus.*~ body=corpus.*",
        },
        remarks=(
            Remark(
                ("qrels",),
                "nothing_expected",
                "{n:,} {things} without relevant documents; excluded",
                loud=True,
            ),
            Remark(
                ("qrels",),
                "without_text",
                "{n:,} {things} with judgments but without a text",
                _find_missing_texts,
            ),
        ),
        tools=(
            Tool(
                "LlamaIndex",
                "`EmbeddingQAFinetuneDataset.save_json(FILE)`",
                "judgments, queries and documents",
                "grades (relevant documents have grade 1)",
                ("rag",),
            ),
        ),
    )
)
