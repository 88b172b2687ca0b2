"""Elasticsearch's ranking evaluation (`_rank_eval`): what is asked of it, with the ratings, and its
answer, with what was found."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeGuard

from metrics_core.base.notes import OF_HITS_ALONE
from metrics_core.formats.declaring import declare
from metrics_core.formats.mapping.paths import parse_path
from metrics_core.formats.mapping.presets import Found, Preset, Remark, each
from metrics_core.formats.parsing.json_text import NumberText
from metrics_core.formats.registry import Tool
from metrics_core.formats.values import is_number

if TYPE_CHECKING:
    from metrics_core.formats.mapping.axes import Records

_PARAMETERS = ("query_string", "query", "query_text", "querytext", "q", "text", "question")
"""What people call the parameter of a template that has the query's text."""
_MATCHES = (
    *("match", "match_phrase", "match_phrase_prefix", "match_bool_prefix", "semantic"),
    *("multi_match", "query_string", "simple_query_string", "combined_fields", "sparse_vector"),
)
"""Queries of Elasticsearch that hold what was asked as a text."""


def _indices_of(path: str) -> Found:
    """The indices of documents, if there are several. Each _id must be of one index."""

    def found(records: Records) -> list[str]:
        from metrics_core.formats.mapping.axes import MappingError

        axis, documents = records.values_at(parse_path(path)[0].steps)
        index_of: dict[str, str] = {}
        for row, document in enumerate(documents.listed()):
            if not isinstance(document, dict):
                continue
            own, index = str(document.get("_id")), str(document.get("_index") or "")
            if index_of.setdefault(own, index) != index:
                found = f"`{own[:60]}` of index {index or 'none'} and of {index_of[own] or 'none'}"
                hint = (
                    "Documents are identified by _id. Add the index to the ids in all files, or"
                    " evaluate one index at a time."
                )
                raise MappingError(axis, row, found, "each _id in one index", hint)
        names = [name for name in dict.fromkeys(index_of.values()) if name]
        return names if len(names) > 1 else []

    return found


_INDICES = "documents of {n:,} {things}, identified by _id only"
_OF_INDICES = ("index", "indices")


def _with_texts(whole: dict[str, Any], _name: str) -> list[Any]:
    """Requests with the text that each searches for, if any has one."""
    requests = whole.get("requests")
    if not isinstance(requests, list):
        return [whole]
    asked = [own | {"text": _text_of(own)} if isinstance(own, dict) else own for own in requests]
    return [whole | {"requests": asked}]


def _text_of(asked: Any) -> str | None:
    """What a request searches for; None where it has no text, or several."""
    parameters = asked.get("params")
    if isinstance(parameters, dict):
        named = next((parameters[n] for n in _PARAMETERS if _is_text(parameters.get(n))), None)
        texts = [value for value in parameters.values() if _is_text(value)]
        return named or (texts[0] if len(texts) == 1 else None)
    found = dict.fromkeys(_searched(asked.get("request")))
    return next(iter(found)) if len(found) == 1 else None


def _searched(query: Any) -> Iterator[str]:
    """The texts in the queries of a request that match texts."""
    if isinstance(query, list):
        for one in query:
            yield from _searched(one)
    for name, inner in query.items() if isinstance(query, dict) else ():
        if name not in _MATCHES or not isinstance(inner, dict):
            yield from _searched(inner)
        elif _is_text(inner.get("query")):
            yield inner["query"]
        else:
            for value in inner.values():
                own = value.get("query") if isinstance(value, dict) else value
                if _is_text(own):
                    yield own


def _is_text(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and not isinstance(value, NumberText) and bool(value)


def _is_request(whole: Any) -> bool:
    """By its requests, which have ratings, or its metric beside them."""
    requests = whole.get("requests")
    first = requests[0] if isinstance(requests, list) and requests else None
    rated = isinstance(first, dict) and "ratings" in first
    return isinstance(requests, list) and (rated or isinstance(whole.get("metric"), dict))


def _without_text(records: Records) -> list[str]:
    asked = chain.from_iterable(whole["requests"] for whole in records.values.listed())
    return [str(own["id"]) for own in asked if not own["text"]]


declare(
    Preset(
        "rank-eval-request",
        "Elasticsearch ranking evaluation: request",
        endings=(".json",),
        explanation="The request of Elasticsearch's _rank_eval: its ratings are judgments,"
        " identified by request id and document _id. If a request has exactly one search text, that"
        " is the query text. Its metric is not read; you choose measures in Ranklens.",
        example='{"requests": [{"id": "q1", "request": {"query": {"match": {"text": "refund"}}},'
        ' "ratings": [{"_index": "docs", "_id": "doc-7", "rating": 2}]}], "metric": {"precision":'
        ' {"k": 10}}}',
        recognised_by=("requests",),
        also=_is_request,
        mend=each(_with_texts),
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
                _without_text,
                ("request", "requests"),
            ),
            Remark(
                ("qrels",),
                "indices",
                _INDICES,
                _indices_of("requests[].ratings[]?"),
                _OF_INDICES,
            ),
        ),
        tools=(
            Tool(
                "Elasticsearch",
                "the request of `_rank_eval`",
                "judgments, and the queries' texts if present",
                "the ranked lists: they are in the response",
                ("search",),
            ),
        ),
    )
)


def _is_answer(whole: Any) -> bool:
    """By its details, of which each has hits, or its metric_score beside them."""
    details = whole.get("details")
    first = next(iter(details.values()), None) if isinstance(details, dict) else None
    listed = isinstance(first, dict) and bool({"hits", "unrated_docs"} & first.keys())
    return isinstance(details, dict) and (listed or "metric_score" in whole)


def _rated(records: Records) -> list[str]:
    _, ratings = records.values_at(parse_path("details.*.hits[].rating")[0].steps)
    return ["" for own in ratings.listed() if own is not None]


def _rising(records: Records) -> list[str]:
    """Queries with scores that rise along the hits."""
    found = list[str]()
    answers = chain.from_iterable(own["details"].items() for own in records.values.listed())
    for query_id, detail in answers:
        given = [one["hit"].get("_score") for one in detail["hits"]]
        scores = [float(own) for own in given if isinstance(own, str) and is_number(own)]
        found += [query_id] if scores != sorted(scores, reverse=True) else []
    return found


def _failed(records: Records) -> list[str]:
    return [name for own in records.values.listed() for name in own.get("failures") or ()]


declare(
    Preset(
        "rank-eval-answer",
        "Elasticsearch ranking evaluation: response",
        endings=(".json",),
        explanation="The response of Elasticsearch's _rank_eval: a run of its hits, and judgments"
        " of the rated hits. Relevant documents that were not retrieved are missing, so"
        " recall, nDCG and AP cannot be computed from it alone: use the ratings of the"
        " request as judgments. Its metric scores are not read.",
        example='{"metric_score": 0.5, "details": {"q1": {"metric_score": 0.5, "unrated_docs":'
        ' [{"_index": "docs", "_id": "doc-3"}], "hits": [{"hit": {"_index": "docs", "_id": "doc-7",'
        ' "_score": 7.1}, "rating": 2}, {"hit": {"_index": "docs", "_id": "doc-3", "_score": 6.2},'
        ' "rating": null}]}}, "failures": {}}',
        recognised_by=("details",),
        also=_is_answer,
        tables={
            "run": "query=details.*~ doc=details.*.hits[].hit._id"
            " score=details.*.hits[].hit._score",
            "qrels": "query=details.*~ doc=details.*.hits[].hit._id grade=details.*.hits[].rating?",
        },
        remarks=(
            Remark(
                ("qrels",),
                OF_HITS_ALONE,
                "judgments of the {n:,} rated hits only: relevant documents that were not"
                " retrieved are missing, so recall, nDCG and AP are too high; use the ratings of"
                " the request as judgments",
                _rated,
                loud=True,
            ),
            Remark(
                ("qrels",), "unrated", "{n:,} {things} without a rated hit, excluded", loud=True
            ),
            Remark(
                ("run",),
                "order",
                "{n:,} {things} with scores that rise along the hits",
                _rising,
                loud=True,
            ),
            Remark(
                ("run",), "failed", "{n:,} {things} failed, so not in the run", _failed, loud=True
            ),
            Remark(
                ("run", "qrels"),
                "indices",
                _INDICES,
                _indices_of("details.*.hits[].hit"),
                _OF_INDICES,
            ),
        ),
        tools=(
            Tool(
                "Elasticsearch",
                "the response of `_rank_eval`",
                "a run, and judgments of its hits",
                "relevant documents that were not retrieved: use the request as judgments",
                ("search",),
            ),
        ),
    )
)
