"""OpenSearch's Search Relevance: judgments, evaluation results and comparisons, made by hand from a
description of its indices (the plug-in of OpenSearch 3); it wrote none of these."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from metrics_core.formats import read

from .ways_in import all_of, hold_to_trec, notes_of, on_the_command_line, refusal

RATED: list[dict[str, Any]] = [
    {
        "query": "red dress",
        "ratings": [{"docId": "B07", "rating": "2.0"}, {"docId": "0003", "rating": 0}],
    },
    {"query": "42", "ratings": [{"docId": "B07", "rating": "1"}]},
    {"query": "nobody rated", "ratings": []},
]
STORED = {"id": "j1", "name": "clicks", "status": "COMPLETED", "judgmentRatings": RATED}
GRADES = {"red dress": {"B07": 2, "0003": 0}, "42": {"B07": 1}}


def hits(*sources: Any, total: int | None = None) -> dict[str, Any]:
    """The answer of a search that gave these, of a `total`."""
    found = [{"_index": "i", "_id": str(n), "_source": own} for n, own in enumerate(sources)]
    return {"took": 1, "hits": {"total": {"value": total or len(found)}, "hits": found}}


def evaluated(query: str, configuration: str, *docs: str, **more: Any) -> dict[str, Any]:
    return {
        "id": "e",
        "searchText": query,
        "searchConfigurationId": configuration,
        "judgmentIds": ["j1"],
        "documentIds": list(docs),
        "metrics": [{"metric": "Precision@2", "value": 0.5}],
        **more,
    }


RESULTS = [
    evaluated("red dress", "bm25", "0003", "B07"),
    evaluated("red dress", "knn", "B07"),
    evaluated("42", "bm25", "B09"),
    evaluated("42", "knn"),
]
COMPARED = [
    {
        "queryText": query,
        "snapshots": [
            {"searchConfigurationId": "bm25", "docIds": of["bm25"]},
            {"searchConfigurationId": "knn", "docIds": of["knn"]},
        ],
        "metrics": [],
    }
    for query, of in {
        "red dress": {"bm25": ["0003", "B07"], "knn": ["B07"]},
        "42": {"bm25": ["B09"], "knn": []},
    }.items()
]
BM25 = {"red dress": {"0003": -1.0, "B07": -2.0}, "42": {"B09": -1.0}}
FOUND = {
    "bm25": BM25,
    "knn": {"red dress": {"B07": -1.0}},
    "queries": [{"query_id": text, "text": text} for text in ("red dress", "42")],
}


def lines(records: list[Any]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(RATED),
        lines(RATED),
        json.dumps(STORED, indent=1),
        json.dumps(hits(STORED)),
        json.dumps({"_index": "i", "_id": "j1", "found": True, "_source": STORED}),
    ],
)
def test_judgments(content: str) -> None:
    assert all_of(content, "x.json") == {"qrels": GRADES}
    assert notes_of(content, "x.json", "qrels") == [
        "1 query without a rating, left out: nobody rated"
    ]


def test_judgments_that_are_fractions_are_asked_about() -> None:
    content = json.dumps(RATED).replace('"2.0"', '"0.75"')
    told = refusal(content, "x.json")
    assert '`"0.75"` at [0].ratings[0].rating' in told and "grades=real" in told
    assert all_of(content.replace("0.75", "3"), "x.json")["qrels"]["red dress"]["B07"] == 3


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(RESULTS),
        lines(RESULTS),
        json.dumps(hits(*RESULTS), indent=1),
        json.dumps(COMPARED),
        json.dumps({"id": "x", "type": "PAIRWISE_COMPARISON", "results": COMPARED}),
        json.dumps(hits({"id": "x", "results": COMPARED})),
    ],
)
def test_results_are_a_run_for_each_configuration(content: str) -> None:
    assert all_of(content, "x.json") == FOUND
    assert notes_of(content, "x.json", "run") == [
        "1 query with an empty list: 42",
        "there are no scores; the order of each list gives the rank",
    ]


def test_a_configuration_in_several_variants_is_several_runs() -> None:
    records = [evaluated("q", "mix", "d1", experimentVariantId=v) for v in ("v1", "v2")]
    records += [evaluated("q", "bm25", "d1", experimentId="e")]
    assert all_of(json.dumps(records), "x.json").keys() == {"mix v1", "mix v2", "bm25", "queries"}


def test_a_search_that_gave_some_of_its_hits_only() -> None:
    content = json.dumps(hits(*RESULTS, total=1500))
    loud = (
        "!the search gave 4 of 1,500 hits; the others are missing here: ask for them with size=1500"
    )
    assert loud in notes_of(content, "x.json", "run")
    assert (
        "!the search gave 1 of 7 hits"
        in notes_of(json.dumps(hits(STORED, total=7)), "x.json", "qrels")[0]
    )


def test_scores_are_those_of_the_same_run_as_trec_lines() -> None:
    hold_to_trec(("j.json", json.dumps(STORED)), ("r.json", json.dumps(RESULTS)), BM25, "bm25")


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {"judgments.json": json.dumps(hits(STORED)), "results.json": json.dumps(RESULTS)}
    found, said = on_the_command_line(tmp_path, capsys, files)
    assert [(run, value) for run, _, _, value in found] == [("bm25", "0.25"), ("knn", "0.25")]
    assert "1 query without a rating" in said


def test_broken_and_half_fitting_files() -> None:
    two = hits(STORED, {**STORED, "name": "llm", "id": "j2"})
    again = [*RESULTS, evaluated("42", "knn", "B01")]
    for content, words in [
        (lines(RATED).replace('"docId": "0003"', '"id": 3'), ("line 1", "`docId`", "ratings[1]")),
        (lines(RATED)[:-4], ("line 3", "cut off")),
        (json.dumps(two), ("found two, clicks j1", "and llm j2", "one list of judgments")),
        (json.dumps({"judgmentRatings": []}), ("found none in this file (OpenSearch judgments)",)),
        (json.dumps([*RATED, 7]), ("expected an object, found `7` at [3]",)),
        (json.dumps([{**RATED[0], "query": ""}]), ("an id", "[0].query")),
        (json.dumps(again), ("a second one for query 42 of knn at [4].documentIds",)),
        (
            json.dumps([*RESULTS, {"searchText": "x", "documentIds": ["d"]}]),
            ("`searchConfigurationId`", "at [4]", "looks like"),
        ),
        (json.dumps([*RESULTS, {"searchText": "x"}]), ("`documentIds`", "at [4]")),
        (json.dumps([evaluated("q", "c", "d", "d")]), ("a second time", "duplicates=best")),
        (json.dumps(COMPARED).replace('"docIds"', '"ids"'), ("`docIds`", "[0].snapshots[0]")),
        (json.dumps(hits(RESULTS[0], None)), ("`_source`", "hits.hits[1]")),
    ]:
        told = refusal(content, "x.json")
        assert all(word in told for word in words), told


def test_what_is_near_it_stays_what_it_was() -> None:
    hit_list = [{"query": "q", "hits": [{"docId": "d1", "score": 2.5}]}]
    assert read(json.dumps(hit_list).encode()).format == "lists"
    names = "query_id,text,ratings\nq1,a,b\n"
    assert read(names.encode(), name="x.csv").kind == "queries"
