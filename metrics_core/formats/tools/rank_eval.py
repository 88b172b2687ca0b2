"""Read files of Elasticsearch's ranking evaluation (`_rank_eval`): the request with ratings, and
the response with hits."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, TypeGuard

from metrics_core.base.notes import RUN_RESULTS_ONLY
from metrics_core.formats.declaring import declare
from metrics_core.formats.mapping.axes import MappingError, Records
from metrics_core.formats.mapping.paths import parse_path
from metrics_core.formats.mapping.presets import CaseFinder, Preset, Remark, mend_each_object
from metrics_core.formats.parsing.json_text import NumberText
from metrics_core.formats.registry import Tool
from metrics_core.formats.values import is_number

_PARAMETERS = ("query_string", "query", "query_text", "querytext", "q", "text", "question")
"""Common names of the template parameter that contains the query text."""
_MATCHES = (
    *("match", "match_phrase", "match_phrase_prefix", "match_bool_prefix", "semantic"),
    *("multi_match", "query_string", "simple_query_string", "combined_fields", "sparse_vector"),
)
"""Types of Elasticsearch queries that contain the search text."""


def _make_index_finder(path: str) -> CaseFinder:
    """Return a `CaseFinder` that checks whether the documents at `path` are in several indices. It
    returns the names of the indices if there are several, otherwise no names.

    The finder raises MappingError if an _id occurs in two indices."""

    def find_indices(records: Records) -> list[str]:

        axis, documents = records.values_at(parse_path(path)[0].steps)
        index_of: dict[str, str] = {}
        for row, document in enumerate(documents.to_list()):
            if not isinstance(document, dict):
                continue
            doc_id, index = str(document.get("_id")), str(document.get("_index") or "")
            if index_of.setdefault(doc_id, index) != index:
                actual = (
                    f"`{doc_id[:60]}` in index {index or 'none'} and in"
                    f" {index_of[doc_id] or 'none'}"
                )
                hint = (
                    "Documents are identified by _id. Add the index to the ids in all files, or"
                    " evaluate one index at a time."
                )
                raise MappingError(axis, row, actual, "each _id in one index", hint)
        names = [name for name in dict.fromkeys(index_of.values()) if name]
        return names if len(names) > 1 else []

    return find_indices


_INDICES = "documents from {n:,} {things} are identified by _id only"
_OF_INDICES = ("index", "indices")


def _add_texts(content: dict[str, Any], _name: str) -> list[Any]:
    """Return a list with the content, in which each request has its search text under the key
    `text`. The value is None if the search text is missing or ambiguous."""
    requests = content.get("requests")
    if not isinstance(requests, list):
        return [content]
    new_requests = [
        request | {"text": _find_text(request)} if isinstance(request, dict) else request
        for request in requests
    ]
    return [content | {"requests": new_requests}]


def _find_text(request: Any) -> str | None:
    """Return the search text of a request; None if the request has no search text or more than
    one."""
    parameters = request.get("params")
    if isinstance(parameters, dict):
        parameter_text = next(
            (parameters[n] for n in _PARAMETERS if _is_text(parameters.get(n))), None
        )
        texts = [value for value in parameters.values() if _is_text(value)]
        return parameter_text or (texts[0] if len(texts) == 1 else None)
    search_texts = dict.fromkeys(_find_search_texts(request.get("request")))
    return next(iter(search_texts)) if len(search_texts) == 1 else None


def _find_search_texts(query: Any) -> Iterator[str]:
    """Yield the texts of full-text queries in a request."""
    if isinstance(query, list):
        for item in query:
            yield from _find_search_texts(item)
    for name, inner in query.items() if isinstance(query, dict) else ():
        if name not in _MATCHES or not isinstance(inner, dict):
            yield from _find_search_texts(inner)
        elif _is_text(inner.get("query")):
            yield inner["query"]
        else:
            for value in inner.values():
                text = value.get("query") if isinstance(value, dict) else value
                if _is_text(text):
                    yield text


def _is_text(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and not isinstance(value, NumberText) and bool(value)


def _is_request(content: Any) -> bool:
    """Return whether an object is a request of _rank_eval: it has requests with ratings, or
    requests and a metric."""
    requests = content.get("requests")
    first = requests[0] if isinstance(requests, list) and requests else None
    has_ratings = isinstance(first, dict) and "ratings" in first
    return isinstance(requests, list) and (has_ratings or isinstance(content.get("metric"), dict))


def _find_missing_texts(records: Records) -> list[str]:
    requests = chain.from_iterable(content["requests"] for content in records.values.to_list())
    return [str(request["id"]) for request in requests if not request["text"]]


declare(
    Preset(
        "rank-eval-request",
        "Elasticsearch ranking evaluation: request",
        endings=(".json",),
        explanation="The request of Elasticsearch's _rank_eval: its ratings are judgments,"
        " identified by request id and document _id. If a request has exactly one search text, that"
        " is the query text. The metric is not read; you choose measures in Ranklens.",
        example='{"requests": [{"id": "q1", "request": {"query": {"match": {"text": "refund"}}},'
        ' "ratings": [{"_index": "docs", "_id": "doc-7", "rating": 2}]}], "metric": {"precision":'
        ' {"k": 10}}}',
        recognised_by=("requests",),
        also=_is_request,
        mend=mend_each_object(_add_texts),
        tables={
            "qrels": "query=requests[].id doc=requests[].ratings[]?._id"
            " grade=requests[].ratings[]?.rating",
            "queries": "query=requests[].id text=requests[].text",
        },
        needs={"queries": "requests[0].request || requests[0].params"},
        once=("qrels",),
        remarks=(
            Remark(
                ("qrels",),
                "unrated",
                "{n:,} {things} without a rating",
                things=("request", "requests"),
            ),
            Remark(
                ("queries",),
                "without",
                "{n:,} {things} without exactly one search text",
                _find_missing_texts,
                ("request", "requests"),
            ),
            Remark(
                ("qrels",),
                "indices",
                _INDICES,
                _make_index_finder("requests[].ratings[]?"),
                _OF_INDICES,
            ),
        ),
        tools=(
            Tool(
                "Elasticsearch",
                "the request of `_rank_eval`",
                "judgments, and the queries' texts if present",
                "the ranked lists, which are in the response",
                ("search",),
            ),
        ),
    )
)


def _is_response(content: Any) -> bool:
    """Return whether an object is a response of _rank_eval: it has details with hits, or details
    and a metric_score."""
    details = content.get("details")
    first = next(iter(details.values()), None) if isinstance(details, dict) else None
    has_lists = isinstance(first, dict) and bool({"hits", "unrated_docs"} & first.keys())
    return isinstance(details, dict) and (has_lists or "metric_score" in content)


def _find_rated_hits(records: Records) -> list[str]:
    _, ratings = records.values_at(parse_path("details.*.hits[].rating")[0].steps)
    return ["" for rating in ratings.to_list() if rating is not None]


def _find_rising_lists(records: Records) -> list[str]:
    """Return the queries whose list is not sorted by score, because a score is higher than the
    score above it."""
    query_ids = list[str]()
    answers = chain.from_iterable(entry["details"].items() for entry in records.values.to_list())
    for query_id, detail in answers:
        raw_scores = [hit["hit"].get("_score") for hit in detail["hits"]]
        scores = [
            float(entry) for entry in raw_scores if isinstance(entry, str) and is_number(entry)
        ]
        query_ids += [query_id] if scores != sorted(scores, reverse=True) else []
    return query_ids


def _find_failures(records: Records) -> list[str]:
    return [name for answer in records.values.to_list() for name in answer.get("failures") or ()]


declare(
    Preset(
        "rank-eval-answer",
        "Elasticsearch ranking evaluation: response",
        endings=(".json",),
        explanation="The response of Elasticsearch's _rank_eval: a run of its hits, and judgments"
        " of the rated hits. Relevant documents that were not retrieved are missing, so"
        " recall, nDCG and AP cannot be computed from the response alone. Use the ratings of the"
        " request as judgments. The metric scores are not read.",
        example='{"metric_score": 0.5, "details": {"q1": {"metric_score": 0.5, "unrated_docs":'
        ' [{"_index": "docs", "_id": "doc-3"}], "hits": [{"hit": {"_index": "docs", "_id": "doc-7",'
        ' "_score": 7.1}, "rating": 2}, {"hit": {"_index": "docs", "_id": "doc-3", "_score": 6.2},'
        ' "rating": null}]}}, "failures": {}}',
        recognised_by=("details",),
        also=_is_response,
        tables={
            "run": "query=details.*~ doc=details.*.hits[].hit._id"
            " score=details.*.hits[].hit._score",
            "qrels": "query=details.*~ doc=details.*.hits[].hit._id grade=details.*.hits[].rating?",
        },
        remarks=(
            Remark(
                ("qrels",),
                RUN_RESULTS_ONLY,
                "judgments of the {n:,} rated hits only: relevant documents that were not"
                " retrieved are missing, so recall, nDCG and AP are too high; use the ratings of"
                " the request as judgments",
                _find_rated_hits,
                loud=True,
            ),
            Remark(
                ("qrels",), "unrated", "{n:,} {things} without a rated hit, excluded", loud=True
            ),
            Remark(
                ("run",),
                "order",
                "{n:,} {things} whose scores increase down the list",
                _find_rising_lists,
                loud=True,
            ),
            Remark(
                ("run",),
                "failed",
                "{n:,} failed {things} missing from the run",
                _find_failures,
                loud=True,
            ),
            Remark(
                ("run", "qrels"),
                "indices",
                _INDICES,
                _make_index_finder("details.*.hits[].hit"),
                _OF_INDICES,
            ),
        ),
        tools=(
            Tool(
                "Elasticsearch",
                "the response of `_rank_eval`",
                "a run, and judgments of its hits",
                "relevant documents that were not retrieved (use the request as judgments)",
                ("search",),
            ),
        ),
    )
)
