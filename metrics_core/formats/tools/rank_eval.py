"""Elasticsearch's ranking evaluation (`_rank_eval`): what is asked of it, with the ratings, and its
answer, with what was found."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, TypeGuard

from metrics_core.base.notes import OF_HITS_ALONE
from metrics_core.formats.parsing.contents import GatheredTables
from metrics_core.formats.parsing.json_text import NumberText
from metrics_core.formats.parsing.json_values import JsonValue, whole_json
from metrics_core.formats.registry import OF_A_TOOL, Kind, Loaded, Request, Sample, Tool, reader
from metrics_core.formats.source.source import Source

_REQUEST = (
    '{"requests": [{"id": "q1", "request": {"query": {"match": {"text": "refund"}}}, "ratings":'
    ' [{"_index": "docs", "_id": "doc-7", "rating": 2}]}], "metric": {"precision": {"k": 10}}}'
)
_ANSWER = (
    '{"metric_score": 0.5, "details": {"q1": {"metric_score": 0.5, "unrated_docs": [{"_index":'
    ' "docs", "_id": "doc-3"}], "hits": [{"hit": {"_index": "docs", "_id": "doc-7", "_score": 7.1},'
    ' "rating": 2}, {"hit": {"_index": "docs", "_id": "doc-3", "_score": 6.2}, "rating": null}]}},'
    ' "failures": {}}'
)
_PARAMETERS = ("query_string", "query", "query_text", "querytext", "q", "text", "question")
"""What people call the parameter of a template that has the query's text."""
_MATCHES = (
    *("match", "match_phrase", "match_phrase_prefix", "match_bool_prefix", "semantic"),
    *("multi_match", "query_string", "simple_query_string", "combined_fields", "sparse_vector"),
)
"""Queries of Elasticsearch that hold what was asked as a text."""


class _Indices:
    """Documents by their _id, each of which must be of one index."""

    def __init__(self) -> None:
        self._of: dict[str, str] = {}

    def id(self, document: JsonValue) -> str:
        """The _id of a document."""
        own = document.named("_id").id()
        index = document.find("_index")
        name = index.text() if index else ""
        if self._of.setdefault(own, name) != name:
            raise document.refused(
                "each _id in one index",
                found=f"`{own[:60]}` of index {name or 'none'} and of {self._of[own] or 'none'}",
                hint="A document is called by its _id. Write the index into the ids, here and in"
                " the other files, or evaluate one index at a time.",
            )
        return own

    def tell(self, contents: GatheredTables, kind: Kind) -> None:
        """Note that documents are of several indices."""
        names = [name for name in dict.fromkeys(self._of.values()) if name]
        if len(names) > 1:
            message = f"documents of {len(names):,} indices, called by their _id alone"
            contents.note(kind, "indices", message, len(names), tuple(names[:3]))


def recognise_request(sample: Sample) -> Mapping[Kind, int]:
    """By its requests, which have ratings, or its metric beside them."""
    whole = sample.json if isinstance(sample.json, dict) else {}
    requests = whole.get("requests")
    if not isinstance(requests, list):
        return {}
    first = requests[0] if requests else None
    rated = isinstance(first, dict) and "ratings" in first
    if not rated and not isinstance(whole.get("metric"), dict):
        return {}
    asked = isinstance(first, dict) and {"request", "params"} & first.keys()
    return dict.fromkeys(("qrels", "queries") if asked else ("qrels",), OF_A_TOOL)


@reader(
    "rank-eval-request",
    title="Elasticsearch ranking evaluation: request",
    kinds=("qrels", "queries"),
    endings=(".json",),
    explanation="The request of Elasticsearch's _rank_eval: its ratings are judgments, called by"
    " the ids of its requests and the _id of each document. Where a request holds one text that is"
    " searched for, that is the text of the query. Its metric is not read; measures are chosen"
    " here.",
    example=_REQUEST,
    recognise=recognise_request,
    together=recognise_request,
    tools=(
        Tool(
            "Elasticsearch",
            "the request of `_rank_eval`",
            "judgments, and the queries' texts where it has them",
            "the lists: the answer has them",
            ("search",),
        ),
    ),
)
def read_request(source: Source, request: Request) -> Loaded:
    """The judgments or the queries of a request."""
    contents, indices = GatheredTables(source, request.kind), _Indices()
    unrated: list[str] = []
    seen: dict[str, str | None] = {}
    for asked in whole_json(source, f"A request looks like {_REQUEST}.").named("requests").each():
        own_id = asked.named("id")
        query_id = own_id.id()
        if query_id in seen:
            raise own_id.refused("each id once", found=f"`{query_id[:60]}` a second time")
        seen[query_id] = _text_of(asked)
        found = asked.find("ratings")
        ratings = list(found.each()) if found else []
        for rating in ratings:
            grade = rating.named("rating").grade(request)
            contents.grade(query_id, indices.id(rating), grade)
        if not ratings:
            unrated.append(query_id)
    if any(seen.values()):
        for query_id, text in seen.items():
            contents.query(query_id, text)
    textless = [query_id for query_id, text in seen.items() if not text]
    request_ids = partial(contents.note_ids, one="request", many="requests")
    request_ids("qrels", "unrated", unrated, "without a rating")
    request_ids("queries", "without", textless, "without one text that is searched for")
    indices.tell(contents, "qrels")
    return contents.load(request, "rank-eval-request", "Elasticsearch ranking evaluation: request")


def _text_of(asked: JsonValue) -> str | None:
    """What a request searches for; None where it has no text, or several."""
    parameters = asked.value.get("params")
    if isinstance(parameters, dict):
        named = next((parameters[n] for n in _PARAMETERS if _is_text(parameters.get(n))), None)
        texts = [value for value in parameters.values() if _is_text(value)]
        return named or (texts[0] if len(texts) == 1 else None)
    found = dict.fromkeys(_searched(asked.value.get("request")))
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


def recognise_answer(sample: Sample) -> Mapping[Kind, int]:
    """By its details, of which each has hits, or its metric_score beside them."""
    whole = sample.json if isinstance(sample.json, dict) else {}
    details = whole.get("details")
    if not isinstance(details, dict):
        return {}
    first = next(iter(details.values()), None)
    listed = isinstance(first, dict) and {"hits", "unrated_docs"} & first.keys()
    if not listed and "metric_score" not in whole:
        return {}
    return {"run": OF_A_TOOL, "qrels": OF_A_TOOL}


@reader(
    "rank-eval-answer",
    title="Elasticsearch ranking evaluation: answer",
    kinds=("run", "qrels"),
    endings=(".json",),
    explanation="The answer of Elasticsearch's _rank_eval: a run of its hits, and judgments of the"
    " rated ones among them. What was judged relevant and not found is not in it, so that recall,"
    " nDCG and AP cannot be known from it alone: the ratings of the request are the judgments. Its"
    " own scores are not read.",
    example=_ANSWER,
    recognise=recognise_answer,
    together=recognise_answer,
    tools=(
        Tool(
            "Elasticsearch",
            "the answer of `_rank_eval`",
            "a run, and judgments of its hits",
            "what was judged relevant and not found: give the request as judgments",
            ("search",),
        ),
    ),
)
def read_answer(source: Source, request: Request) -> Loaded:
    """The run, or the judgments of what it found, of an answer."""
    contents, indices = GatheredTables(source, request.kind), _Indices()
    whole = whole_json(source, f"An answer looks like {_ANSWER}.")
    rated = 0
    without: list[str] = []
    mixed: list[str] = []
    for query_id, detail in whole.named("details").items():
        hits = list(detail.named("hits").each())
        known = rated
        scores: list[float] = []
        for rank, one in enumerate(hits, 1):
            hit, rating = one.named("hit"), one.find("rating")
            doc_id, score = indices.id(hit), hit.find("_score")
            own = score.number() if score is not None else None
            contents.result(query_id, doc_id, own, rank=rank)
            scores += [] if own is None else [float(own)]
            if rating is not None:
                contents.grade(query_id, doc_id, rating.grade(request))
                rated += 1
        if not hits:
            contents.nothing_retrieved(query_id)
        if scores != sorted(scores, reverse=True):
            mixed.append(query_id)
        if rated == known:
            without.append(query_id)
    _tell_of_judgments(contents, rated, without)
    contents.note_ids("run", "order", mixed, "with scores that rise along the hits", loud=True)
    failures = whole.find("failures")
    failed = [query_id for query_id, _ in failures.items()] if failures else []
    contents.note_ids("run", "failed", failed, "failed, so not in the run", loud=True)
    indices.tell(contents, "run")
    indices.tell(contents, "qrels")
    return contents.load(request, "rank-eval-answer", "Elasticsearch ranking evaluation: answer")


def _tell_of_judgments(contents: GatheredTables, rated: int, without: list[str]) -> None:
    """Note what the judgments of hits alone cannot tell."""
    message = (
        f"judgments of the {rated:,} rated hits alone: what was judged relevant and not found is"
        " missing, so that recall, nDCG and AP come out too high; the ratings of the request are"
        " the judgments"
    )
    contents.note("qrels", OF_HITS_ALONE, message, rated, loud=True)
    contents.note_ids("qrels", "unrated", without, "without a rated hit, left out", loud=True)
