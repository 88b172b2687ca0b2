"""Gold sets of sentence-transformers and LlamaIndex: queries, corpus and relevant documents in one
JSON object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from metrics_core.base.wording import plural
from metrics_core.formats.parsing.contents import GatheredTables
from metrics_core.formats.parsing.json_text import NumberText
from metrics_core.formats.parsing.json_values import JsonValue, whole_json
from metrics_core.formats.registry import OF_A_TOOL, Kind, Loaded, Request, Sample, Tool, reader
from metrics_core.formats.source.source import Source

_KINDS: tuple[Kind, ...] = ("qrels", "queries", "documents")
_PARTS = ("queries", "corpus", "relevant_docs")
_EXAMPLE = (
    '{"queries": {"q1": "refund"}, "corpus": {"doc-7": "Ask within 30 days."},'
    ' "relevant_docs": {"q1": ["doc-7"]}}'
)
_HINT = f"Such a file looks like {_EXAMPLE}."
_SETTINGS = {"mode"}
"""What LlamaIndex writes beside the parts: how its corpus is held, which is always as texts."""


def recognise_gold(sample: Sample) -> Mapping[Kind, int]:
    """By its first parts: objects called so, with texts of queries, texts or nodes of documents, or
    lists of relevant documents."""
    whole = sample.json
    if not isinstance(whole, dict) or not whole or not whole.keys() <= {*_PARTS, *_SETTINGS}:
        return {}
    held = [(name, _first_of(whole[name])) for name in _PARTS if name in whole]
    # The numbers of a run whose queries are called so are no texts.
    shown = [
        isinstance(first, list) if name == "relevant_docs" else _is_text_or_node(name, first)
        for name, first in held
        if first is not None
    ]
    graded = len(held) == len(_PARTS) and all(shown[:2])
    return dict.fromkeys(_KINDS, OF_A_TOOL) if shown and (all(shown) or graded) else {}


def _first_of(part: Any) -> Any:
    return next(iter(part.values()), None) if isinstance(part, dict) else None


def _is_text_or_node(name: str, value: Any) -> bool:
    node = name == "corpus" and isinstance(value, dict)
    return node or (isinstance(value, str) and not isinstance(value, NumberText))


@reader(
    "gold_set",
    title="Gold set of queries, corpus and relevant_docs",
    kinds=_KINDS,
    endings=(".json",),
    explanation="A gold set as sentence-transformers' evaluators take it and LlamaIndex saves it:"
    " what is relevant has grade 1. Gives judgments, queries and documents.",
    example=_EXAMPLE,
    recognise=recognise_gold,
    together=recognise_gold,
    tools=(
        Tool(
            "LlamaIndex",
            "`EmbeddingQAFinetuneDataset.save_json(FILE)`",
            "judgments, queries and documents",
            "grades: what is relevant has grade 1",
            ("rag",),
        ),
    ),
)
def read_gold(source: Source, request: Request) -> Loaded:
    """The judgments, the queries or the documents of a gold set."""
    contents = GatheredTables(source, request.kind)
    whole = whole_json(source, _HINT)
    given = [whole.find(name) for name in ("queries", "corpus")]
    queries, corpus = (dict(part.items()) if part else {} for part in given)
    for query_id, text in queries.items():
        if not isinstance(text.value, str):
            raise text.refused("the text of a query")
        contents.query(query_id, text.text())
    for doc_id, said in corpus.items():
        contents.document_as(doc_id, said)
    judged, nothing, unknown = 0, list[str](), list[str]()
    for query_id, relevant in whole.named("relevant_docs").items():
        graded = _grades(relevant)
        for doc_id, grade in graded:
            contents.grade(query_id, doc_id, grade)
        judged += 1
        nothing += [] if graded else [query_id]
        unknown += [] if query_id in queries else [query_id]
    if nothing:
        message = f"{_queries(nothing)} with nothing relevant; left out"
        contents.note("qrels", "nothing_expected", message, len(nothing), nothing, loud=True)
    if unknown and queries:
        message = f"{_queries(unknown)} of {judged:,} with judgments that have no text"
        contents.note("qrels", "without_text", message, len(unknown), unknown)
    return contents.load(request, "gold_set", "Gold set: queries, corpus, relevant_docs")


def _grades(relevant: JsonValue) -> list[tuple[str, str]]:
    """The relevant documents of a query, of grade 1, or of their own where they have one."""
    if isinstance(relevant.value, dict):
        return [(doc_id, grade.number()) for doc_id, grade in relevant.items()]
    return [(doc.id(), "1") for doc in relevant.each()]


def _queries(some: list[str]) -> str:
    return f"{len(some):,} {plural(len(some), 'query', 'queries')}"
