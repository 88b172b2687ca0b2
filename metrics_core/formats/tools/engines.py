"""Read files of search engines: responses of Vespa and Typesense by query, and ratings for Rated
Ranking Evaluator."""

from __future__ import annotations

from typing import Any

from metrics_core.formats.declaring import declare
from metrics_core.formats.mapping.presets import Preset, get_value, mend_each_object
from metrics_core.formats.registry import Tool

_VESPA_QUERY = "query_id || qid || id || query"


def _split_by_query(content: dict[str, Any], _name: str) -> list[Any]:
    """Return one record per response. The file is an object that contains the responses by
    query."""
    if "root" in content or not content:
        return [content]
    answers = [(query, answer) for query, answer in content.items() if isinstance(answer, dict)]
    return [answer | {"query_id": query} for query, answer in answers] or [content]


def _is_vespa(record: Any) -> bool:
    answer = record if "root" in record else next(iter(record.values()), None)
    root = get_value(answer, "root")
    return isinstance(root, dict) and ("children" in root or "relevance" in root)


declare(
    Preset(
        "vespa",
        "Vespa responses",
        endings=(".json", ".jsonl"),
        explanation="Vespa search responses: a map from query to response, or responses with the"
        " query's id or text beside `root`. The children of `root`, in the order of relevance, are"
        " read as a run, and their fields as documents.",
        example='{"query_id": "q1", "root": {"id": "toplevel", "relevance": 1.0, "children":'
        ' [{"id": "doc-7", "relevance": 14.2, "fields": {"title": "Refund"}}]}}',
        recognised_by=(_VESPA_QUERY, "root"),
        also=_is_vespa,
        mend=mend_each_object(_split_by_query),
        tables={
            "run": f"query={_VESPA_QUERY} doc=root.children[]?.id score=root.children[]?.relevance",
            "documents": "doc=root.children[]?.id fields=root.children[]?.fields",
        },
        needs={"documents": "root.children[].fields"},
        tools=(
            Tool(
                "Vespa",
                "its search responses, listed by query",
                "a run and document fields",
                "the query, unless it is beside the response or is the key of the response",
                ("search",),
            ),
        ),
    )
)

declare(
    Preset(
        "typesense",
        "Typesense answers",
        endings=(".json",),
        explanation="The response of Typesense's multi_search: a run in the order of the hits, with"
        " the search text as query id. text_match is not used, because it has more digits than"
        " a score can store.",
        example='{"results": [{"request_params": {"q": "refund"}, "hits": [{"document": {"id":'
        ' "doc-7", "title": "Refund"}, "text_match": 578730123365189753}]}]}',
        recognised_by=("results[].request_params.q", "results[].hits"),
        tables={
            "run": "query=results[].request_params.q doc=results[].hits[].document.id",
            "queries": "query=results[].request_params.q text=results[].request_params.q",
            "documents": "doc=results[].hits[].document.id body=results[].hits[].document",
        },
        tools=(
            Tool(
                "Typesense",
                "the response of `multi_search`",
                "a run, the queries and the documents",
                "scores (the order is the ranking)",
                ("search",),
            ),
        ),
    )
)


def _collect_grade_records(content: dict[str, Any], _name: str) -> list[Any]:
    """Return one record per query, with its documents and their grades. The values of the query's
    placeholders, joined into one string, become the query.

    In the ratings, a key is either a grade with a list of documents, or a document with its
    gain."""
    groups = [group for topic in content.get("topics") or () for group in topic["query_groups"]]
    groups += content.get("query_groups") or []
    pairs = [(entry, group) for group in groups for entry in group["queries"]]
    pairs += [(entry, entry) for entry in content.get("queries") or ()]
    records = []
    for query, rating_group in pairs:
        relevant = rating_group.get("relevant_documents") or {}
        docs = [
            {"doc": doc, "grade": key} if isinstance(entry, list) else {"doc": key} | entry
            for key, entry in relevant.items()
            for doc in (entry if isinstance(entry, list) else [key])
        ]
        texts = [str(text) for text in (query.get("placeholders") or {}).values()]
        records.append({"query": " ".join(texts), "docs": docs})
    return records


declare(
    Preset(
        "rre",
        "Rated Ranking Evaluator ratings",
        endings=(".json",),
        explanation="Ratings of Rated Ranking Evaluator (Quepid imports them too), read as"
        " judgments. The query's placeholders are the query id. The keys of relevant_documents are"
        " grades, or documents with their gain.",
        example='{"id_field": "id", "index": "films", "queries": [{"placeholders": {"$query":'
        ' "star wars"}, "relevant_documents": {"2": ["11"], "1": ["12"]}}]}',
        recognised_by=("query",),
        also=lambda content: "id_field" in content and bool({"queries", "topics"} & content.keys()),
        mend=mend_each_object(_collect_grade_records),
        tables={
            "qrels": "query=query doc=docs[].doc grade=docs[].grade || docs[].gain",
            "queries": "query=query text=query",
        },
        tools=(
            Tool(
                "Rated Ranking Evaluator",
                "the file of ratings",
                "judgments and queries",
                "the ranked lists",
                ("search",),
            ),
        ),
    )
)
