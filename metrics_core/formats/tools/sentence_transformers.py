"""Read the predictions of InformationRetrievalEvaluator in sentence-transformers."""

from __future__ import annotations

from metrics_core.formats.declaring import declare
from metrics_core.formats.mapping.presets import Preset
from metrics_core.formats.registry import Tool

declare(
    Preset(
        "sentence_transformers",
        "sentence-transformers predictions",
        endings=(".jsonl",),
        explanation="The output of sentence-transformers' InformationRetrievalEvaluator with"
        " write_predictions: one query per line with its results. Contains a run and queries.",
        example='{"query_id": "q1", "query": "refund", "results": [{"corpus_id": "doc-7", "score":'
        " 0.83}]}",
        recognised_by=("query_id", "results[].corpus_id"),
        tables={
            "run": "query=query_id doc=results[].corpus_id score=results[].score",
            "queries": "query=query_id text=query",
        },
        needs={"queries": "query"},
        tools=(
            Tool(
                "sentence-transformers",
                "`InformationRetrievalEvaluator(…, write_predictions=True)`: the JSON Lines file",
                "a run and the queries",
                "the judgments; the model, which only the file name shows",
                ("search", "rag"),
            ),
        ),
    )
)
