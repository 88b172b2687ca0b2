"""Quepid's JSON files: a book (pairs to be rated by judges), a case, and a snapshot.

book: {"name": …, "query_doc_pairs": [{"query_text", "doc_id", "document_fields",
    "judgements": […]}]}
case: {"case_name": …, "queries": [{"query_text", "ratings": {document: rating} or [{…}]}]}
snapshot: {"name": …, "docs": {number: [{"id", "fields"}]},
    "queries": [{"query_id", "query_text"}]}"""

from __future__ import annotations

from contextlib import suppress
from itertools import chain
from typing import Any

from metrics_core.base.errors import FileFormatError
from metrics_core.formats.declaring import declare
from metrics_core.formats.mapping.axes import Records
from metrics_core.formats.mapping.presets import Preset, Remark, make_case_finder, mend_each_object
from metrics_core.formats.parsing.json_text import parse_file
from metrics_core.formats.registry import Tool
from metrics_core.formats.source.source import Source
from metrics_core.formats.values import is_number

_DETAILS = " ".join(f"{name}={{0}}.{name}" for name in ("information_need", "notes", "options"))
"""Keys of a query other than its text."""
_RATINGS = "query_doc_pairs[].judgements"


def _unpack_book(book: dict[str, Any], _name: str) -> list[Any]:
    """Return a book as a list with one record. Document fields that are stored as text are parsed,
    and ratings always have the key judgements."""
    pairs = book.get("query_doc_pairs")
    pair_list = pairs if isinstance(pairs, list) else []
    return [
        book | {"query_doc_pairs": [*map(_unpack_query_doc_pair, pair_list)]} if pair_list else book
    ]


def _unpack_query_doc_pair(pair: Any) -> Any:
    if not isinstance(pair, dict):
        return pair
    judgements, fields = pair.get("judgements", pair.get("judgments")), pair.get("document_fields")
    if isinstance(fields, str):
        with suppress(FileFormatError):  # an invalid text is refused when documents are read
            fields = parse_file(Source("document_fields", fields.encode()))
    return pair | {"judgements": judgements, "document_fields": fields}


def _list_ratings(judgements: Any) -> list[str]:
    items = judgements if isinstance(judgements, list) else ()
    return [str(item["rating"]) for item in items if item.get("rating") is not None]


def _find_disagreements(records: Records) -> list[str]:
    """Return the pairs of query and document on which judges disagree, with their ratings."""
    cases = []
    for pair in chain.from_iterable(entry["query_doc_pairs"] for entry in records.values.to_list()):
        ratings = _list_ratings(pair.get("judgements"))
        if len({float(entry) if is_number(entry) else entry for entry in ratings}) > 1:
            cases.append(f"{pair.get('query_text')}: {pair.get('doc_id')} {', '.join(ratings)}")
    return cases


declare(
    Preset(
        "quepid-book",
        "Quepid book",
        endings=(".json",),
        explanation="A Quepid book as JSON: judgments, queries with information need, notes and"
        " options, and document fields. The query text is the query id. If judges disagree on a"
        " pair, the most frequent rating is used, or the last if several are equally frequent; a"
        " note reports the number of such pairs. The positions in a book are not a run, because a"
        " book collects pairs from several searches.",
        example='{"name": "Films", "query_doc_pairs": [{"query_text": "star wars", "doc_id": "11",'
        ' "position": 1, "document_fields": {"title": "A New Hope"}, "judgements": [{"rating": 3,'
        ' "user_email": "ann@example.org"}]}]}',
        recognised_by=("query_doc_pairs",),
        also=lambda book: isinstance(book.get("query_doc_pairs"), list),
        mend=mend_each_object(_unpack_book),
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
                "{n:,} {things} without a rating and therefore unjudged",
                make_case_finder(
                    *(_RATINGS, lambda value: not _list_ratings(value)),
                    *("query_doc_pairs[].query_text", "query_doc_pairs[].doc_id"),
                ),
                ("pair", "pairs"),
            ),
            Remark(
                ("qrels",),
                "judges",
                "{n:,} {things} with ratings that differ; the most frequent rating is used, or the"
                " last one if several are equally frequent",
                _find_disagreements,
                ("pair", "pairs"),
                loud=True,
            ),
            Remark(
                ("qrels",),
                "positions",
                "{n:,} {things} with a position; positions are not read as a run (a book collects"
                " pairs from several searches)",
                make_case_finder("query_doc_pairs[].position", lambda value: value is not None),
                ("pair", "pairs"),
            ),
        ),
        tools=(
            Tool(
                "Quepid",
                "a book as JSON",
                "judgments, queries and document fields",
                "a run (a book collects pairs from several searches)",
                ("search",),
            ),
        ),
    )
)


def _is_case(content: Any) -> bool:
    """Return whether an object is a Quepid case: its queries have ratings and a text, or it has a
    case name."""
    queries = content.get("queries")
    first = queries[0] if isinstance(queries, list) and queries else None
    key_names = {"query_text", "ratings"}
    if not isinstance(first, dict) or not key_names & first.keys() or "docs" in content:
        return False
    return "case_name" in content or key_names <= first.keys()


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
            Remark(
                ("qrels",),
                "unrated",
                "{n:,} {things} without ratings and therefore without judgments",
            ),
        ),
        tools=(
            Tool(
                "Quepid",
                "a case as JSON",
                "judgments, and the queries with their notes",
                "the ranked lists, which Quepid exports as a snapshot",
                ("search",),
            ),
        ),
    )
)


def _join_texts(content: dict[str, Any], name: str) -> list[Any]:
    """Return a snapshot in which each list is identified by the text of its query instead of the
    query's id, as in all other Quepid files."""
    queries, docs = content.get("queries"), content.get("docs")
    query_records = [entry for entry in queries or () if isinstance(entry, dict)]
    texts = {str(entry.get("query_id")): entry.get("query_text") for entry in query_records}
    document_lists = docs.items() if isinstance(docs, dict) else ()
    lists = [
        {"query": texts.get(number) or number, "docs": entry} for number, entry in document_lists
    ]
    return [{"name": str(content.get("name") or name), "docs": docs, "lists": lists}]


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
        also=lambda content: isinstance(content.get("docs"), dict) and "queries" in content,
        mend=mend_each_object(_join_texts),
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
                "a run, the queries and document fields",
                "scores (the order is the ranking)",
                ("search",),
            ),
        ),
    )
)
