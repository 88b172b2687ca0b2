"""TREC RAG: the answers of a run to each topic, with the documents that they refer to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from metrics_core.base.wording import plural
from metrics_core.formats.parsing.contents import GatheredTables
from metrics_core.formats.parsing.json_text import NumberText
from metrics_core.formats.parsing.json_values import JsonValue, json_records
from metrics_core.formats.registry import OF_A_TOOL, Kind, Loaded, Request, Sample, Tool, reader
from metrics_core.formats.source.source import Source

_TOPIC_IDS, _TOPICS = ("topic_id", "narrative_id"), ("topic", "narrative")
_EXAMPLE = (
    '{"run_id": "ours", "topic_id": "2024-1", "topic": "why is the sky blue",'
    ' "references": ["doc-7", "doc-3"], "answer": [{"text": "…", "citations": [0]}]}'
)
_HINT = f"A record looks like {_EXAMPLE}; since 2025 run_id and its kin stand under `metadata`."


def recognise_answers(sample: Sample) -> Mapping[Kind, int]:
    """By the first record: the run and the topic, themselves or under metadata, and references."""
    record = sample.first_record
    about: Any = record.get("metadata", record)
    if not isinstance(about, dict) or "run_id" not in about:
        return {}
    named = any(name in about for name in _TOPIC_IDS)
    if not named or not isinstance(record.get("references"), (list, dict)):
        return {}
    kinds: list[Kind] = ["run"]
    kinds += ["queries"] if any(name in about for name in _TOPICS) else []
    kinds += ["documents"] if about is not record else []  # a map of references may have texts
    return dict.fromkeys(kinds, OF_A_TOOL)


@reader(
    "trec_rag",
    title="TREC RAG answers",
    kinds=("run", "queries", "documents"),
    endings=(".jsonl", ".json"),
    explanation="Answers of TREC RAG, of 2024 and, with `metadata`, of 2025: what a topic's"
    " references list is a run in this order, called by run_id. Gives a run, queries, and documents"
    " where references is a map to their texts; the answers themselves are not read.",
    example=_EXAMPLE,
    recognise=recognise_answers,
    together=recognise_answers,
    tools=(
        Tool(
            "TREC RAG",
            "the JSON Lines file of answers with their `references`, of 2024 or 2025",
            "a run by the order of the references, and the queries",
            "the judgments; which sentence rests on which reference",
            ("rag",),
        ),
    ),
)
def read_answers(source: Source, request: Request) -> Loaded:
    """The runs by their references, or the topics."""
    contents = GatheredTables(source, request.kind)
    numbered = []
    for record in json_records(source, _HINT):
        about = record.find("metadata") or record
        run, query_id = about.named("run_id").id(), about.named(*_TOPIC_IDS).id()
        topic = about.find(*_TOPICS)
        contents.begin(record, query_id, run)
        contents.query(query_id, topic.text() if topic else None)
        found = list(_references(record.named("references")))
        for doc_id, said in found:
            contents.result(query_id, doc_id, run=run, line=record.line)
            if said is not None and not isinstance(said.value, NumberText):
                contents.document_as(doc_id, said)
            elif said is not None:
                numbered.append(query_id)
        if not found:
            contents.nothing_retrieved(query_id)
    if numbered:
        count, first = len(numbered), tuple(dict.fromkeys(numbered))
        message = (
            f"{count:,} {plural(count, 'reference', 'references')} with a number, which is not"
            " used: their order gives the rank"
        )
        contents.note("run", "numbers", message, count, first)
    return contents.load(request, "trec_rag", "TREC RAG answers")


def _references(listed: JsonValue) -> Iterator[tuple[str, JsonValue | None]]:
    """The documents in their order, with what a map says of each."""
    if isinstance(listed.value, dict):
        for doc_id, said in listed.items():
            yield doc_id, None if said.value is None else said
        return
    for reference in listed.each():
        yield reference.id(), None
