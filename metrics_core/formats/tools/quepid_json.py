"""Quepid's JSON files: a book, whose judges rate pairs of a query and a document, and a case.

{"name": …, "query_doc_pairs": [{"query_text", "doc_id", "document_fields", "judgements": […]}]}
{"case_name": …, "queries": [{"query_text", "ratings": {document: rating} or [{…}]}]}
"""

from __future__ import annotations

from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Any

from metrics_core.base.errors import FileFormatError
from metrics_core.formats.declaring import declare
from metrics_core.formats.mapping.presets import Preset, Remark, each, where
from metrics_core.formats.parsing.json_text import parse_file
from metrics_core.formats.registry import Tool
from metrics_core.formats.source.source import Source
from metrics_core.formats.values import is_number

if TYPE_CHECKING:
    from metrics_core.formats.mapping.axes import Records

_DETAILS = " ".join(f"{name}={{0}}.{name}" for name in ("information_need", "notes", "options"))
"""What Quepid knows of a query beside its text."""
_RATINGS = "query_doc_pairs[].judgements"


def _unpacked(book: dict[str, Any], _name: str) -> list[Any]:
    """A book whose fields of documents are objects, not the JSON of one, and whose judgements are
    called so."""
    pairs = book.get("query_doc_pairs")
    listed = pairs if isinstance(pairs, list) else []
    return [book | {"query_doc_pairs": [*map(_unpack, listed)]} if listed else book]


def _unpack(pair: Any) -> Any:
    if not isinstance(pair, dict):
        return pair
    judgements, fields = pair.get("judgements", pair.get("judgments")), pair.get("document_fields")
    if isinstance(fields, str):
        with suppress(FileFormatError):  # reading the documents refuses a text
            fields = parse_file(Source("document_fields", fields.encode()))
    return pair | {"judgements": judgements, "document_fields": fields}


def _ratings(judgements: Any) -> list[str]:
    given = judgements if isinstance(judgements, list) else ()
    return [str(own["rating"]) for own in given if own.get("rating") is not None]


def _differing(records: Records) -> list[str]:
    """The pairs on which judges differ, with their ratings."""
    found = []
    for pair in chain.from_iterable(own["query_doc_pairs"] for own in records.values.listed()):
        ratings = _ratings(pair.get("judgements"))
        if len({float(own) if is_number(own) else own for own in ratings}) > 1:
            found.append(f"{pair.get('query_text')}: {pair.get('doc_id')} {', '.join(ratings)}")
    return found


declare(
    Preset(
        "quepid-book",
        "Quepid book",
        endings=(".json",),
        explanation="A Quepid book as JSON: judgments, queries with information need, notes and"
        " options, and document fields. The query text is the query id. If judges disagree on a"
        " pair, the most frequent rating is used, and the last one if tied; a note reports how"
        " often. Its positions are not a run, because a book collects pairs from several searches.",
        example='{"name": "Films", "query_doc_pairs": [{"query_text": "star wars", "doc_id": "11",'
        ' "position": 1, "document_fields": {"title": "A New Hope"}, "judgements": [{"rating": 3,'
        ' "user_email": "ann@example.org"}]}]}',
        recognised_by=("query_doc_pairs",),
        also=lambda book: isinstance(book.get("query_doc_pairs"), list),
        mend=each(_unpacked),
        tables={
            "qrels": "query=query_doc_pairs[].query_text doc=query_doc_pairs[].doc_id"
            f" grade=most({_RATINGS}[]?.rating?)",
            "queries": "query=query_doc_pairs[].query_text text=query_doc_pairs[].query_text"
            f" {_DETAILS.format('query_doc_pairs[]')}",
            "documents": "doc=query_doc_pairs[].doc_id fields=query_doc_pairs[].document_fields",
        },
        needs={"documents": "query_doc_pairs[].document_fields"},
        remarks=(
            Remark(
                ("qrels",),
                "unrated",
                "{n:,} {things} without a rating, so unjudged",
                where(
                    *(_RATINGS, lambda own: not _ratings(own)),
                    *("query_doc_pairs[].query_text", "query_doc_pairs[].doc_id"),
                ),
                ("pair", "pairs"),
            ),
            Remark(
                ("qrels",),
                "judges",
                "on {n:,} {things} the ratings differ; the most frequent one is used, or the last"
                " of the most frequent",
                _differing,
                ("pair", "pairs"),
                loud=True,
            ),
            Remark(
                ("qrels",),
                "positions",
                "{n:,} {things} with a position, which is not read as a run: a book collects pairs"
                " from several searches",
                where("query_doc_pairs[].position", lambda own: own is not None),
                ("pair", "pairs"),
            ),
        ),
        tools=(
            Tool(
                "Quepid",
                "a book as JSON",
                "judgments, queries and documents' fields",
                "a run: a book collects pairs from several searches",
                ("search",),
            ),
        ),
    )
)


def _is_case(whole: Any) -> bool:
    """By its queries, which have a query_text, or ratings and the name of a case."""
    queries = whole.get("queries")
    first = queries[0] if isinstance(queries, list) and queries else None
    known = {"query_text", "ratings"}
    if not isinstance(first, dict) or not known & first.keys() or "docs" in whole:
        return False
    return "case_name" in whole or known <= first.keys()


declare(
    Preset(
        "quepid-case",
        "Quepid case",
        endings=(".json",),
        explanation="A Quepid case as JSON: queries with information need, notes and options, and"
        " ratings, read as judgments. The query text is the query id.",
        example='{"case_name": "Films", "queries": [{"query_text": "star wars", "ratings": {"11":'
        ' 3, "12": 0}}]}',
        recognised_by=("queries",),
        also=_is_case,
        tables={
            "qrels": (
                "query=queries[].query_text doc=queries[].ratings.*~? grade=queries[].ratings.*?",
                "query=queries[].query_text doc=queries[].ratings[]?.doc_id"
                " grade=queries[].ratings[]?.rating?",
            ),
            "queries": f"query=queries[].query_text text=queries[].query_text"
            f" {_DETAILS.format('queries[]')}",
        },
        once=("qrels",),
        remarks=(
            Remark(("qrels",), "unrated", "{n:,} {things} without ratings, so without judgments"),
        ),
        tools=(
            Tool(
                "Quepid",
                "a case as JSON",
                "judgments, and the queries with their notes",
                "the ranked lists: they are in a snapshot",
                ("search",),
            ),
        ),
    )
)


def _joined(whole: dict[str, Any], name: str) -> list[Any]:
    """A snapshot whose lists have the texts of their queries, by which all other files of Quepid
    call these."""
    queries, docs = whole.get("queries"), whole.get("docs")
    known = [own for own in queries or () if isinstance(own, dict)]
    texts = {str(own.get("query_id")): own.get("query_text") for own in known}
    found = docs.items() if isinstance(docs, dict) else ()
    lists = [{"query": texts.get(number) or number, "docs": own} for number, own in found]
    return [{"name": str(whole.get("name") or name), "docs": docs, "lists": lists}]


declare(
    Preset(
        "quepid-snapshot",
        "Quepid snapshot",
        endings=(".json",),
        explanation="A snapshot of a Quepid case as JSON, as returned by its API: a run, queries"
        " with their texts as ids, and document fields.",
        example='{"name": "before", "docs": {"389": [{"id": "11", "fields": {"title": "A New'
        ' Hope"}}]}, "queries": [{"query_id": 389, "query_text": "star wars"}]}',
        recognised_by=("docs",),
        also=lambda whole: isinstance(whole.get("docs"), dict) and "queries" in whole,
        mend=each(_joined),
        tables={
            "run": "query=lists[].query doc=lists[].docs[].id system=name",
            "queries": "query=lists[].query text=lists[].query",
            "documents": "doc=lists[].docs[].id fields=lists[].docs[].fields",
        },
        needs={"documents": "lists[].docs[].fields"},
        tools=(
            Tool(
                "Quepid",
                "a snapshot as JSON",
                "a run, the queries and documents' fields",
                "scores: ranked by order",
                ("search",),
            ),
        ),
    )
)
