"""Castorini's tools (RankLLM, Anserini, Rank1): a query a record with its candidates, as they give
them to a reranker and get them back."""

from __future__ import annotations

from collections.abc import Mapping

from metrics_core.formats.parsing.contents import GatheredTables
from metrics_core.formats.parsing.json_values import json_records
from metrics_core.formats.registry import OF_A_TOOL, Kind, Loaded, Request, Sample, Tool, reader
from metrics_core.formats.source.source import Source

_KINDS: tuple[Kind, ...] = ("run", "queries", "documents")
_EXAMPLE = (
    '{"query": {"qid": "q1", "text": "refund"}, "candidates":'
    ' [{"docid": "doc-7", "score": 14.2, "doc": {"contents": "Ask within 30 days."}}]}'
)
_HINT = f"A record looks like {_EXAMPLE}."


def recognise_candidates(sample: Sample) -> Mapping[Kind, int]:
    """By the first record: a query that is an object with a qid, beside candidates."""
    query = sample.first_record.get("query")
    known = isinstance(query, dict) and "qid" in query and "candidates" in sample.first_record
    return dict.fromkeys(_KINDS, OF_A_TOOL) if known else {}


@reader(
    "castorini",
    title="Castorini's candidates",
    kinds=_KINDS,
    endings=(".jsonl", ".json"),
    explanation="What RankLLM, Anserini and others of castorini hand on: a query with its"
    " candidates a record, as JSON Lines or a list. Gives a run, queries and documents; the"
    " document may be a text or an object with segment, contents or text.",
    example=_EXAMPLE,
    recognise=recognise_candidates,
    together=recognise_candidates,
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
def read_candidates(source: Source, request: Request) -> Loaded:
    """The run, the queries or the documents of a file of candidates."""
    contents = GatheredTables(source, request.kind)
    for record in json_records(source, _HINT):
        query = record.named("query")
        query_id, text = query.named("qid").id(), query.find("text")
        contents.begin(record, query_id)
        contents.query(query_id, text.text() if text else None)
        found = list(record.named("candidates").each())
        for candidate in found:
            doc_id, score = candidate.named("docid").id(), candidate.find("score")
            number = score.number() if score else None
            contents.result(query_id, doc_id, number, line=record.line)
            contents.document_as(doc_id, candidate.find("doc"))
        if not found:
            contents.nothing_retrieved(query_id)
    return contents.load(request, "castorini", "Castorini's candidates")
