"""sentence-transformers: the predictions of its InformationRetrievalEvaluator."""

from __future__ import annotations

from collections.abc import Mapping

from metrics_core.formats.parsing.contents import GatheredTables
from metrics_core.formats.parsing.json_values import json_records
from metrics_core.formats.registry import OF_A_TOOL, Kind, Loaded, Request, Sample, Tool, reader
from metrics_core.formats.source.source import Source

_EXAMPLE = (
    '{"query_id": "q1", "query": "refund", "results": [{"corpus_id": "doc-7", "score": 0.83}]}'
)
_HINT = f"A line looks like {_EXAMPLE}."


def recognise_predictions(sample: Sample) -> Mapping[Kind, int]:
    """By the results of the first record, which are objects with a corpus_id."""
    record = sample.first_record
    results = record.get("results") if "query_id" in record else None
    first = results[0] if isinstance(results, list) and results else None
    if not isinstance(first, dict) or "corpus_id" not in first:
        return {}
    kinds: tuple[Kind, ...] = ("run", "queries") if "query" in record else ("run",)
    return dict.fromkeys(kinds, OF_A_TOOL)


@reader(
    "sentence_transformers",
    title="sentence-transformers predictions",
    kinds=("run", "queries"),
    endings=(".jsonl",),
    explanation="What the InformationRetrievalEvaluator of sentence-transformers writes with"
    " write_predictions: a query a line, with what was found. Gives a run and queries.",
    example=_EXAMPLE,
    recognise=recognise_predictions,
    together=recognise_predictions,
    tools=(
        Tool(
            "sentence-transformers",
            "`InformationRetrievalEvaluator(…, write_predictions=True)`: the JSON Lines file",
            "a run and the queries",
            "the judgments; which model it was, but for the file's name",
            ("search", "rag"),
        ),
    ),
)
def read_predictions(source: Source, request: Request) -> Loaded:
    """The run or the queries of a file of predictions."""
    contents = GatheredTables(source, request.kind)
    for record in json_records(source, _HINT):
        query_id = record.named("query_id").id()
        text = record.find("query")
        contents.begin(record, query_id)
        contents.query(query_id, text.text() if text else None)
        results = list(record.named("results").each())
        for found in results:
            doc_id, score = found.named("corpus_id").id(), found.named("score").number()
            contents.result(query_id, doc_id, score, line=record.line)
        if not results:
            contents.nothing_retrieved(query_id)
    return contents.load(request, "sentence_transformers", "sentence-transformers predictions")
