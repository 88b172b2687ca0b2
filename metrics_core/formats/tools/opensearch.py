"""Read files of OpenSearch Search Relevance: judgments, evaluation results, pairwise comparisons.

Each kind of file is written as records, or as the hits of a search in the index that stores the
records."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from metrics_core.formats.declaring import declare
from metrics_core.formats.mapping.axes import Records
from metrics_core.formats.mapping.presets import Preset, Remark, get_value
from metrics_core.formats.registry import Tool

_SEARCH_PREFIXES = ("", "_source", "hits.hits[]._source")
"""Prefixes of the paths of records. The records may be the hits of a search, or a single document
of an index."""


def _unwrap_sources(records: list[Any]) -> list[Any]:
    """Return the records of a file. In a file of search hits, the records are the sources of the
    hits."""
    sources = []
    for record in records:
        hits = get_value(record, "hits")
        inner = hits.get("hits") if isinstance(hits, dict) else [record]
        hit_sources = [hit.get("_source", hit) for hit in inner or () if isinstance(hit, dict)]
        sources += [source for source in hit_sources if isinstance(source, dict)]
    return sources


def _is_judgment_file(first_record: Any) -> bool:
    """Return whether the first record has judgmentRatings, or a query and ratings with docIds."""
    record: dict[str, Any] = next(iter(_unwrap_sources([first_record])), {})
    if isinstance(record.get("judgmentRatings"), list):
        return True
    ratings = record.get("ratings") if "query" in record else None
    if not isinstance(ratings, list) or not ratings:
        return ratings == [] and len(record) == 2
    return isinstance(ratings[0], dict) and "docId" in ratings[0]


def _judgment_lists(records: Records) -> list[str]:
    """Return the names and ids of the judgment lists in a file."""
    stored_lists = [
        record
        for record in _unwrap_sources(records.values.to_list())
        if "judgmentRatings" in record
    ]
    return [
        " ".join(str(record[key]) for key in ("name", "id") if record.get(key) is not None)
        or f"an unnamed list (number {number})"
        for number, record in enumerate(stored_lists, 1)
    ]


def _find_incomplete_searches(records: Records) -> list[str]:
    """Return the searches that returned only some of their hits, each described as "10 of 34"."""
    cases = []
    for record in records.values.to_list():
        hits = get_value(record, "hits")
        total = get_value(hits, "total")
        count = str(total.get("value") if isinstance(total, dict) else total)
        hit_count = len(get_value(hits, "hits") or ())
        if count.isdigit() and int(count) > hit_count:
            cases.append(f"{hit_count:,} of {int(count):,}")
    return cases


_ALL_HITS = Remark(
    ("run", "qrels"),
    "hits",
    "the search returned only some of the hits; increase `size` to request all of them",
    _find_incomplete_searches,
    loud=True,
)

declare(
    Preset(
        "opensearch-judgments",
        "OpenSearch judgments",
        endings=(".json", ".jsonl"),
        explanation="Judgments of OpenSearch's Search Relevance: as imported, as stored"
        " (judgmentRatings), or as returned by a search for them. The query text is the query id.",
        example='[{"query": "red dress", "ratings": [{"docId": "B07", "rating": "1.0"}]}]',
        recognised_by=("query || judgmentRatings",),
        also=_is_judgment_file,
        inside=_SEARCH_PREFIXES,
        tables={
            "qrels": "query=query || judgmentRatings[].query"
            " doc=ratings[].docId || judgmentRatings[].ratings[].docId"
            " grade=ratings[].rating || judgmentRatings[].ratings[].rating",
        },
        remarks=(
            Remark(("qrels",), "unrated", "{n:,} {things} without a rating, excluded"),
            Remark(
                *(("qrels",), "lists", "one list of judgments", _judgment_lists),
                only_one="Each list has its own grades. Save the one you need as a file.",
            ),
            _ALL_HITS,
        ),
        tools=(
            Tool(
                "OpenSearch",
                "Search Relevance: a judgment list, as imported, as stored, or as returned by a"
                " search",
                "judgments",
                "the name of the list",
                ("search",),
            ),
        ),
    ),
    together=False,
)


def _is_result_file(first_record: Any) -> bool:
    """Return whether the first record has documentIds and searchText, or the snapshots of a
    query."""
    record: dict[str, Any] = next(iter(_unwrap_sources([first_record])), {})
    results = record.get("results")
    inner = results[0] if isinstance(results, list) and results else record
    if isinstance(inner, dict) and isinstance(inner.get("snapshots"), list):
        return bool({"queryText", "query_text"} & inner.keys())
    return "searchText" in record and isinstance(record.get("documentIds"), list)


_QUERY = "searchText || queryText || query_text"

declare(
    Preset(
        "opensearch-results",
        "OpenSearch results",
        endings=(".json", ".jsonl"),
        explanation="Search results from OpenSearch's Search Relevance: evaluation results"
        " (documentIds) and pairwise comparisons (snapshots), also as hits of a search for"
        " them. Contains one run per search configuration, in list order, and queries with"
        " their texts as ids. Its metrics are not read; Ranklens computes its own.",
        example='{"searchText": "red dress", "searchConfigurationId": "bm25", "judgmentIds":'
        ' ["j1"], "documentIds": ["B07", "B03"], "metrics": [{"metric": "Precision@2", "value":'
        " 0.5}]}",
        recognised_by=(_QUERY, "documentIds || snapshots", "searchConfigurationId || snapshots"),
        also=_is_result_file,
        inside=(
            *_SEARCH_PREFIXES,
            *(f"{prefix}.results[]".removeprefix(".") for prefix in _SEARCH_PREFIXES),
        ),
        tables={
            "run": f"query={_QUERY} doc=documentIds[] || snapshots[].docIds[]"
            " system=searchConfigurationId + experimentVariantId + experimentId"
            " || snapshots[].searchConfigurationId",
            "queries": f"query={_QUERY} text={_QUERY}",
        },
        remarks=(_ALL_HITS,),
        tools=(
            Tool(
                "OpenSearch",
                "Search Relevance: evaluation results, or the snapshots of a pairwise comparison",
                "one run per search configuration, and the queries",
                "scores, and the names of configurations (their ids are used instead)",
                ("search",),
            ),
        ),
    )
)


def _is_search(first_record: Any) -> bool:
    """Return whether a record with search hits is a plain search response, and not part of a
    judgment file or of a file of search results."""
    return not _is_judgment_file(first_record) and not _is_result_file(first_record)


declare(
    Preset(
        "search-answer",
        "Elasticsearch or OpenSearch response",
        endings=(".json", ".jsonl"),
        explanation="A search response of Elasticsearch or OpenSearch: its hits are documents."
        " Records of several responses, each with the query's id or text next to `hits`, are also"
        " a run.",
        example='{"query_id": "q1", "took": 3, "hits": {"total": {"value": 1}, "hits": [{"_index":'
        ' "docs", "_id": "doc-7", "_score": 7.1, "_source": {"title": "Refund"}}]}}',
        recognised_by=("hits.hits",),
        also=_is_search,
        tables={
            "run": "query=query_id || qid || id || query doc=hits.hits[]._id"
            " score=hits.hits[]._score",
            "documents": "doc=hits.hits[]._id body=hits.hits[]._source",
        },
        needs={"run": "query_id || qid || id || query", "documents": "hits.hits[]._source"},
        remarks=(replace(_ALL_HITS, kinds=("documents",)),),
        tools=(
            Tool(
                "Elasticsearch",
                "the responses of `_search`, each with a `query_id` added next to its `hits`",
                "a run and the documents",
                "the query, which is not part of a response",
                ("search",),
            ),
        ),
    )
)
