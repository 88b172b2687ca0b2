"""Gold sets of sentence-transformers and LlamaIndex: queries, corpus and relevant documents in one
JSON object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from metrics_core.formats.declaring import declare
from metrics_core.formats.mapping.presets import Preset, Remark
from metrics_core.formats.parsing.json_text import NumberText
from metrics_core.formats.registry import Tool

if TYPE_CHECKING:
    from metrics_core.formats.mapping.axes import Records

_PARTS = ("queries", "corpus", "relevant_docs")
_SETTINGS = {"mode"}
"""What LlamaIndex writes beside the parts: how its corpus is held, which is always as texts."""


def _is_gold(whole: Any) -> bool:
    """By the first parts: texts of queries, texts or nodes of documents, or lists of relevant
    documents."""
    if not whole or not whole.keys() <= {*_PARTS, *_SETTINGS}:
        return False
    held = [(name, _first_of(whole[name])) for name in _PARTS if name in whole]
    # The numbers of a run whose queries are called so are no texts.
    shown = [
        isinstance(first, list) if name == "relevant_docs" else _is_text_or_node(name, first)
        for name, first in held
        if first is not None
    ]
    graded = len(held) == len(_PARTS) and all(shown[:2])
    return bool(shown) and (all(shown) or graded)


def _first_of(part: Any) -> Any:
    return next(iter(part.values()), None) if isinstance(part, dict) else None


def _is_text_or_node(name: str, value: Any) -> bool:
    node = name == "corpus" and isinstance(value, dict)
    return node or (isinstance(value, str) and not isinstance(value, NumberText))


def _without_text(records: Records) -> list[str]:
    """Queries with judgments that have no text, if any has one."""
    found = list[str]()
    for whole in records.values.listed():
        queries, judged = whole.get("queries"), whole.get("relevant_docs") or ()
        found += [own for own in judged if queries and own not in queries]
    return found


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
        also=_is_gold,
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
                _without_text,
            ),
        ),
        tools=(
            Tool(
                "LlamaIndex",
                "`EmbeddingQAFinetuneDataset.save_json(FILE)`",
                "judgments, queries and documents",
                "grades: relevant documents have grade 1",
                ("rag",),
            ),
        ),
    )
)
