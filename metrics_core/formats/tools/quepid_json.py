"""Quepid's JSON files: a book, whose judges rate pairs of a query and a document, and a case.

{"name": …, "query_doc_pairs": [{"query_text", "doc_id", "document_fields", "judgements": […]}]}
{"case_name": …, "queries": [{"query_text", "ratings": {document: rating} or [{…}]}]}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from metrics_core.base.errors import FileFormatError
from metrics_core.base.wording import plural
from metrics_core.formats.parsing.columns import document_columns
from metrics_core.formats.parsing.contents import GatheredTables
from metrics_core.formats.parsing.json_text import check_characters, parse_json, strings_in
from metrics_core.formats.parsing.json_values import JsonValue, whole_json
from metrics_core.formats.registry import OF_A_TOOL, Kind, Loaded, Request, Sample, Tool, reader
from metrics_core.formats.source.source import Source
from metrics_core.formats.values import is_number

_BOOK = (
    '{"name": "Films", "query_doc_pairs": [{"query_text": "star wars", "doc_id": "11",'
    ' "position": 1, "document_fields": {"title": "A New Hope"}, "judgements": [{"rating": 3,'
    ' "user_email": "ann@example.org"}]}]}'
)
_CASE = (
    '{"case_name": "Films", "queries": [{"query_text": "star wars", "ratings": {"11": 3, "12":'
    " 0}}]}"
)
_DETAILS = ("information_need", "notes", "options")
"""What Quepid knows of a query beside its text."""


def recognise_book(sample: Sample) -> Mapping[Kind, int]:
    """By its list of pairs."""
    pairs = sample.json.get("query_doc_pairs") if isinstance(sample.json, dict) else None
    if not isinstance(pairs, list):
        return {}
    documents = any(isinstance(pair, dict) and pair.get("document_fields") for pair in pairs)
    kinds: tuple[Kind, ...] = ("qrels", "queries", *(("documents",) if documents else ()))
    return dict.fromkeys(kinds, OF_A_TOOL)


@reader(
    "quepid-book",
    title="Quepid book",
    kinds=("qrels", "queries", "documents"),
    endings=(".json",),
    explanation="A book of Quepid as JSON: judgments, queries with their information need, notes"
    " and options, and the fields of documents. A query is called by its text. Where several judges"
    " rated a pair differently, the rating that most of them gave counts, of those given equally"
    " often the one that stands last, and a note says how often that was. The positions in it are"
    " no run, for a book gathers pairs of several searches.",
    example=_BOOK,
    recognise=recognise_book,
    together=recognise_book,
    tools=(
        Tool(
            "Quepid",
            "a book as JSON",
            "judgments, queries and documents' fields",
            "a run: the pairs of a book come from several searches",
            ("search",),
        ),
    ),
)
def read_book(source: Source, request: Request) -> Loaded:
    """The judgments, the queries or the documents of a book."""
    contents = GatheredTables(source, request.kind)
    judged = _Judged()
    placed = 0
    for pair in whole_json(source, f"A book looks like {_BOOK}.").named("query_doc_pairs").each():
        query, doc = pair.named("query_text").id(), pair.named("doc_id").id()
        contents.query(query, query, **_details(pair))
        fields = pair.find("document_fields")
        if fields is not None:
            contents.document(doc, **_fields(fields))
        rating = judged.rating(pair, query, doc, request)
        if rating is not None:
            contents.grade(query, doc, rating)
        placed += pair.find("position") is not None
    judged.tell(contents)
    if placed:
        message = (
            f"{placed:,} {plural(placed, 'pair')} with a position, which is not read as a run: a"
            " book gathers pairs of several searches"
        )
        contents.note("qrels", "positions", message, placed)
    return contents.load(request, "quepid-book", "Quepid book")


@dataclass
class _Judged:
    """How the pairs of a book were rated: those without a rating, those of several judges, and of
    these the ones on which they differ."""

    unrated: list[str] = field(default_factory=list)
    several: int = 0
    differing: list[str] = field(default_factory=list)

    def rating(self, pair: JsonValue, query: str, doc: str, request: Request) -> str | None:
        """The rating that counts for a pair; None where no judge gave one."""
        judgements = pair.find("judgements", "judgments")
        ratings = [
            rating.grade(request)
            for judgement in (judgements.each() if judgements else ())
            if (rating := judgement.find("rating")) is not None
        ]
        if not ratings:
            self.unrated.append(f"{query}: {doc}")
            return None
        self.several += len(ratings) > 1
        times = Counter(map(_worth, ratings))
        if len(times) > 1:
            self.differing.append(f"{query}: {doc} {', '.join(ratings)}")
        most = max(times.values())
        return next(rating for rating in ratings[::-1] if times[_worth(rating)] == most)

    def tell(self, contents: GatheredTables) -> None:
        """Note what of it is odd."""
        without = "without a rating, so unjudged"
        contents.note_ids("qrels", "unrated", self.unrated, without, one="pair", many="pairs")
        if self.differing:
            n = len(self.differing)
            message = (
                f"on {n:,} of {self.several:,} {plural(self.several, 'pair')} with several ratings"
                " these differ; the one given most often counts, of those given equally often the"
                " last"
            )
            contents.note("qrels", "judges", message, n, tuple(self.differing[:3]), loud=True)


def _worth(rating: str) -> float | str:
    """What makes two ratings the same, 3 and 3.0."""
    return float(rating) if is_number(rating) else rating


def _fields(fields: JsonValue) -> Mapping[str, str | None]:
    """The fields of a document, an object or, as Quepid keeps it, the JSON of one; which of them is
    the text."""
    if isinstance(fields.value, str):
        fields = _unpacked(fields)
    told = list(fields.items())
    names = document_columns([name for name, _ in told])
    return {
        name: value.text() or None
        for name, (_, value) in zip(names, told, strict=True)
        if value.value is not None
    }


def _unpacked(fields: JsonValue) -> JsonValue:
    expected = "an object of fields, or its JSON"
    try:
        own = parse_json(fields.source, fields.value)
        check_characters(fields.source, fields.value, strings_in(own), None)
    except FileFormatError as error:
        raise fields.refused(expected) from error
    if not isinstance(own, dict):
        raise fields.refused(expected)
    return fields.holding(own)


def _details(query: JsonValue) -> Mapping[str, str | None]:
    found = {name: query.find(name) for name in _DETAILS}
    return {name: value.text() or None for name, value in found.items() if value is not None}


def recognise_case(sample: Sample) -> Mapping[Kind, int]:
    """By its queries, which have a query_text, or ratings and the name of a case."""
    whole = sample.json if isinstance(sample.json, dict) else {}
    queries = whole.get("queries")
    first = queries[0] if isinstance(queries, list) and queries else None
    if not isinstance(first, dict) or not {"query_text", "ratings"} & first.keys():
        return {}
    if "case_name" not in whole and not {"query_text", "ratings"} <= first.keys():
        return {}
    return {"qrels": OF_A_TOOL, "queries": OF_A_TOOL}


@reader(
    "quepid-case",
    title="Quepid case",
    kinds=("qrels", "queries"),
    endings=(".json",),
    explanation="A case of Quepid as JSON: its queries, called by their texts, with information"
    " need, notes and options, and their ratings, which are judgments.",
    example=_CASE,
    recognise=recognise_case,
    together=recognise_case,
    tools=(
        Tool(
            "Quepid",
            "a case as JSON",
            "judgments, and the queries with their notes",
            "the lists: a snapshot has them",
            ("search",),
        ),
    ),
)
def read_case(source: Source, request: Request) -> Loaded:
    """The judgments or the queries of a case."""
    contents = GatheredTables(source, request.kind)
    unrated: list[str] = []
    seen: set[str] = set()
    for query in whole_json(source, f"A case looks like {_CASE}.").named("queries").each():
        text = query.named("query_text")
        query_id = text.id()
        if query_id in seen:
            raise text.refused("each query once", found=f"`{query_id[:60]}` a second time")
        seen.add(query_id)
        contents.query(query_id, query_id, **_details(query))
        rated = False
        for doc_id, rating in _ratings(query):
            contents.grade(query_id, doc_id, rating.grade(request))
            rated = True
        if not rated:
            unrated.append(query_id)
    contents.note_ids("qrels", "unrated", unrated, "without a rating, so without judgments")
    contents.note_ids("queries", "unrated", unrated, "without a rating, so without judgments")
    return contents.load(request, "quepid-case", "Quepid case")


def _ratings(query: JsonValue) -> Iterator[tuple[str, JsonValue]]:
    """Document and rating of each that has one, from an object or a list."""
    ratings = query.find("ratings")
    if ratings is None:
        return
    if isinstance(ratings.value, dict):
        yield from ((doc, value) for doc, value in ratings.items() if value.value is not None)
        return
    for one in ratings.each():
        rating = one.find("rating")
        if rating is not None:
            yield one.named("doc_id").id(), rating
