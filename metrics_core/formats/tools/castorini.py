"""Tools of castorini (RankLLM, Anserini, Rank1): one record per query with its candidates.

Rerankers both read and write this format."""

from __future__ import annotations

from metrics_core.formats.declaring import declare
from metrics_core.formats.mapping.presets import Preset
from metrics_core.formats.registry import Tool

declare(
    Preset(
        "castorini",
        "Castorini's candidates",
        endings=(".jsonl", ".json"),
        explanation="The exchange format of RankLLM, Anserini and other castorini tools: one record"
        " per query with its candidates, as JSON Lines or a list. Contains a run, queries"
        " and documents. A document is a text or an object with segment, contents or text."
        " Judged candidates, for example by umbrela, are also read as judgments.",
        example='{"query": {"qid": "q1", "text": "refund"}, "candidates": [{"docid": "doc-7",'
        ' "score": 14.2, "doc": {"contents": "Ask within 30 days."}}]}',
        recognised_by=("query.qid", "candidates"),
        tables={
            "run": "query=query.qid doc=candidates[].docid score=candidates[].score",
            "qrels": "query=query.qid doc=candidates[].docid grade=candidates[].judgment?",
            "queries": "query=query.qid text=query.text",
            "documents": "doc=candidates[].docid body=candidates[].doc",
        },
        needs={"qrels": "candidates[].judgment"},
        tools=(
            Tool(
                "RankLLM",
                "the JSON Lines file with one query and its `candidates` per line",
                "a run, the queries and the documents' texts",
                "the judgments",
                ("search", "rag"),
            ),
        ),
    )
)
