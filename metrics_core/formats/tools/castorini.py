"""Castorini's tools (RankLLM, Anserini, Rank1): a query a record with its candidates, as they give
them to a reranker and get them back."""

from __future__ import annotations

from metrics_core.formats.declaring import declare
from metrics_core.formats.mapping.presets import Preset
from metrics_core.formats.registry import Tool

declare(
    Preset(
        "castorini",
        "Castorini's candidates",
        endings=(".jsonl", ".json"),
        explanation="What RankLLM, Anserini and others of castorini hand on: a query with its"
        " candidates a record, as JSON Lines or a list. Gives a run, queries and documents; the"
        " document may be a text or an object with segment, contents or text. Candidates that were"
        " judged, such as by umbrela, give judgments, too.",
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
                "the JSON Lines file of a query and its `candidates` a line",
                "a run, the queries and the documents' texts",
                "the judgments",
                ("search", "rag"),
            ),
        ),
    )
)
