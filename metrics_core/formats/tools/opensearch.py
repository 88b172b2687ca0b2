"""OpenSearch's Search Relevance: judgments, what evaluations found, comparisons in pairs. Each is
written as records, or as the hits of a search in the index that keeps them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from metrics_core.formats.parsing.contents import GatheredTables
from metrics_core.formats.parsing.json_text import NumberText
from metrics_core.formats.parsing.json_values import JsonValue, json_records
from metrics_core.formats.registry import OF_A_TOOL, Kind, Loaded, Request, Sample, Tool, reader
from metrics_core.formats.source.source import Source

_JUDGMENTS = '[{"query": "red dress", "ratings": [{"docId": "B07", "rating": "1.0"}]}]'
_EVALUATION = (
    '{"searchText": "red dress", "searchConfigurationId": "bm25", "judgmentIds": ["j1"],'
    ' "documentIds": ["B07", "B03"], "metrics": [{"metric": "Precision@2", "value": 0.5}]}'
)
_COMPARISON = (
    '{"queryText": "red dress", "snapshots": [{"searchConfigurationId": "bm25", "docIds": ["B07"]},'
    ' {"searchConfigurationId": "knn", "docIds": ["B03"]}]}'
)


def recognise_judgments(sample: Sample) -> Mapping[Kind, int]:
    """By a list judgmentRatings, or ratings with a docId beside a query."""
    record = _first(sample.json)
    if isinstance(record.get("judgmentRatings"), list):
        return {"qrels": OF_A_TOOL}
    ratings = record.get("ratings") if "query" in record else None
    if not isinstance(ratings, list):
        return {}
    of_these = (
        isinstance(ratings[0], dict) and "docId" in ratings[0] if ratings else len(record) == 2
    )
    return {"qrels": OF_A_TOOL} if of_these else {}


@reader(
    "opensearch-judgments",
    title="OpenSearch judgments",
    kinds=("qrels",),
    endings=(".json", ".jsonl"),
    explanation="Judgments of OpenSearch's Search Relevance: as they are imported, as they are"
    " stored (judgmentRatings), and as the hits of a search for them. A query is called by its"
    " text.",
    example=_JUDGMENTS,
    recognise=recognise_judgments,
    tools=(
        Tool(
            "OpenSearch",
            "Search Relevance: a judgment list, as imported, stored or searched for",
            "judgments",
            "the name of the list",
            ("search",),
        ),
    ),
)
def read_judgments(source: Source, request: Request) -> Loaded:
    """The judgments of a file. Raises FileFormatError where it has several lists of them."""
    contents = GatheredTables(source, request.kind)
    unrated: list[str] = []
    lists: dict[str, None] = {}
    for record in _records(source, contents, _JUDGMENTS, "qrels"):
        stored = record.find("judgmentRatings")
        if stored is not None:
            lists[_list_name(record)] = None
            if len(lists) > 1:
                shown = " and ".join(list(lists))
                raise record.refused(
                    "one list of judgments",
                    found=f"two, {shown}",
                    hint="Each has grades of its own. Save the one that is meant as a file.",
                )
        for judged in [record] if stored is None else stored.each():
            query = judged.named("query").id()
            ratings = list(judged.named("ratings").each())
            for rating in ratings:
                grade = rating.named("rating").grade(request)
                contents.grade(query, rating.named("docId").id(), grade, line=record.line)
            if not ratings:
                unrated.append(query)
    contents.note_ids("qrels", "unrated", unrated, "without a rating, left out")
    return contents.load(request, "opensearch-judgments", "OpenSearch judgments")


def _list_name(record: JsonValue) -> str:
    """A list of judgments by its name and id."""
    told = [value.text() for key in ("name", "id") if (value := record.find(key)) is not None]
    return f"{' '.join(told)}{record.path and ' at ' + record.path}" or "one without a name"


def recognise_found(sample: Sample) -> Mapping[Kind, int]:
    """By documentIds beside a searchText, or by snapshots of a query."""
    record = _first(sample.json)
    found = "searchText" in record and isinstance(record.get("documentIds"), list)
    results = record.get("results")
    inner = results[0] if isinstance(results, list) and results else record
    compared = isinstance(inner, dict) and isinstance(inner.get("snapshots"), list)
    if found or (compared and {"queryText", "query_text"} & inner.keys()):
        return {"run": OF_A_TOOL, "queries": OF_A_TOOL}
    return {}


@reader(
    "opensearch-results",
    title="OpenSearch results",
    kinds=("run", "queries"),
    endings=(".json", ".jsonl"),
    explanation="What searches found in OpenSearch's Search Relevance: evaluation results"
    " (documentIds) and comparisons in pairs (snapshots), also as the hits of a search for them."
    " Gives a run for each search configuration, in the order of its lists, and queries, called by"
    " their texts. Their metrics are not read; Ranklens works out its own.",
    example=_EVALUATION,
    recognise=recognise_found,
    together=recognise_found,
    tools=(
        Tool(
            "OpenSearch",
            "Search Relevance: evaluation results, or the snapshots of a comparison in pairs",
            "a run for each search configuration, and the queries",
            "scores, and the names of configurations: they are called by their ids",
            ("search",),
        ),
    ),
)
def read_found(source: Source, request: Request) -> Loaded:
    """The runs or the queries of a file of results."""
    contents = GatheredTables(source, request.kind)
    lists = list(_lists(source, contents))
    variants: dict[str, dict[str, None]] = {}
    for one in lists:
        variants.setdefault(one.configuration, {})[one.variant] = None
    seen: set[tuple[str, str]] = set()
    for one in lists:
        run = one.configuration
        if len(variants[run]) > 1:
            run = f"{run} {one.variant}".strip()
        if (run, one.query) in seen:
            raise one.documents.refused(
                "one list for each query and search configuration",
                found=f"a second one for query {one.query[:60]} of {run[:60]}",
                hint="Keep the results of one evaluation in the file.",
            )
        seen.add((run, one.query))
        contents.query(one.query, one.query)
        documents = list(one.documents.each())
        for rank, doc in enumerate(documents, 1):
            contents.result(one.query, doc.id(), run=run, rank=rank, line=doc.line)
        if not documents:
            contents.nothing_retrieved(one.query)
    return contents.load(request, "opensearch-results", "OpenSearch results")


@dataclass(frozen=True)
class _List:
    """What a search configuration found for a query; in which experiment, or variant of it."""

    query: str
    configuration: str
    documents: JsonValue
    variant: str = ""


def _lists(source: Source, contents: GatheredTables) -> Iterator[_List]:
    """All lists of documents, of evaluations and of comparisons."""
    for record in _records(source, contents, f"{_EVALUATION}, or {_COMPARISON}", "run"):
        results = record.find("results")
        for found in [record] if results is None else results.each():
            snapshots = found.find("snapshots")
            if snapshots is None:
                query = found.named("searchText").id()
                documents = found.named("documentIds")
                variant = found.find("experimentVariantId", "experimentId")
                yield _List(query, _run(found), documents, variant.text() if variant else "")
                continue
            query = found.named("queryText", "query_text").id()
            for snapshot in snapshots.each():
                yield _List(query, _run(snapshot), snapshot.named("docIds"))


def _run(found: JsonValue) -> str:
    return found.named("searchConfigurationId").id()


def _first(value: Any) -> Mapping[str, Any]:
    """The first record of a file's beginning, or of its first hit; empty where there is none."""
    record = value[0] if isinstance(value, list) and value else value
    hits = record.get("hits") if isinstance(record, dict) else None
    inner = hits.get("hits") if isinstance(hits, dict) else None
    record = inner[0] if isinstance(inner, list) and inner else record
    own = record.get("_source") if isinstance(record, dict) else None
    record = own if isinstance(own, dict) else record
    return record if isinstance(record, dict) else {}


def _records(
    source: Source, contents: GatheredTables, example: str, kind: Kind
) -> Iterator[JsonValue]:
    """The records of a file; where they are hits of a search, what these have inside. A search that
    did not give all of its hits is noted."""
    for record in json_records(source, f"Such a file looks like {example}."):
        hits = record.find("hits") if isinstance(record.value, dict) else None
        if hits is None:
            own = record.find("_source")
            yield record if own is None else own
            continue
        own_hits = list(hits.named("hits").each())
        _note_cut(hits, len(own_hits), contents, kind)
        for hit in own_hits:
            yield hit.named("_source")


def _note_cut(hits: JsonValue, given: int, contents: GatheredTables, kind: Kind) -> None:
    """Say that a search gave fewer hits than there are; the search itself gives ten."""
    total = hits.find("total")
    count = total.find("value") if total is not None and isinstance(total.value, dict) else total
    text = count.value if count is not None else None
    if isinstance(text, NumberText) and text.isdigit() and int(text) > given:
        message = (
            f"the search gave {given:,} of {int(text):,} hits; the others are missing here: ask for"
            f" them with size={int(text)}"
        )
        contents.note(kind, "hits", message, int(text) - given, loud=True)
