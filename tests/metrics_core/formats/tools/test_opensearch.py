"""OpenSearch's Search Relevance: judgments, evaluation results and comparisons, made by hand from a
description of its indices (the plug-in of OpenSearch 3); it wrote none of these."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from metrics_core.formats import read
from tests.metrics_core.formats.tools.looking import (
    as_json,
    by_kind,
    held,
    hold_to_trec,
    lines,
    notes,
    on_the_command_line,
    refused,
    rows,
    trec_of,
    written,
)

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


@pytest.mark.parametrize(
    "content",
    [
        as_json(RATED),
        lines(*RATED),
        as_json(STORED, indent=1),
        as_json(hits(STORED)),
        as_json({"_index": "i", "_id": "j1", "found": True, "_source": STORED}),
    ],
)
def test_judgments(content: bytes) -> None:
    made = by_kind(content, "x.json")
    assert held(made) == {"qrels": GRADES}
    assert notes(made["qrels"][0]) == ["1 query without a rating, excluded: nobody rated"]


def test_judgments_that_are_fractions_are_asked_about() -> None:
    content = as_json(RATED).replace(b'"2.0"', b'"0.75"')
    refused(content, "x.json", "`0.75` at ratings[0].rating (record 1)", "grades=real")
    (qrels,) = by_kind(content.replace(b"0.75", b"3"), "x.json")["qrels"]
    assert rows(qrels)["red dress"]["B07"] == 3


@pytest.mark.parametrize(
    "content",
    [
        as_json(RESULTS),
        lines(*RESULTS),
        as_json(hits(*RESULTS), indent=1),
        as_json(COMPARED),
        as_json({"id": "x", "type": "PAIRWISE_COMPARISON", "results": COMPARED}),
        as_json(hits({"id": "x", "results": COMPARED})),
    ],
)
def test_results_are_a_run_for_each_configuration(content: bytes) -> None:
    made = by_kind(content, "x.json")
    assert held(made) == FOUND
    assert notes(made["run"][0]) == [
        "1 query with an empty list: 42",
        "no scores in the file, so the order of each list is the ranking",
    ]


def test_a_configuration_in_several_variants_is_several_runs() -> None:
    records = [evaluated("q", "mix", "d1", experimentVariantId=v) for v in ("v1", "v2")]
    records += [evaluated("q", "bm25", "d1", experimentId="e")]
    found = held(by_kind(as_json(records), "x.json"))
    assert found.keys() == {"mix v1", "mix v2", "bm25", "queries"}


def test_a_search_that_gave_some_of_its_hits_only() -> None:
    run = by_kind(as_json(hits(*RESULTS, total=1500)), "x.json")["run"][0]
    loud = "!the search returned only some of the hits; increase `size` to request all of them: "
    assert f"{loud}4 of 1,500" in notes(run)
    (qrels,) = by_kind(as_json(hits(STORED, total=7)), "x.json")["qrels"]
    assert f"{loud}1 of 7" in notes(qrels)


def test_scores_are_those_of_the_same_run_as_trec_lines(tmp_path: Path) -> None:
    (judged,) = written(tmp_path, {"j.json": as_json(STORED)})
    (run, _) = by_kind(as_json(RESULTS), "r.json")["run"]
    hold_to_trec(run, trec_of(BM25), judged)


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {"judgments.json": as_json(hits(STORED)), "results.json": as_json(RESULTS)}
    found, said = on_the_command_line(capsys, *written(tmp_path, files), "-m", "P@2")
    assert [(run, value) for run, _, _, value in found] == [("bm25", "0.25"), ("knn", "0.25")]
    assert "1 query without a rating" in said


def test_broken_and_half_fitting_files() -> None:
    two = hits(STORED, {**STORED, "name": "llm", "id": "j2"})
    again = [*RESULTS, evaluated("42", "knn", "B01")]
    for content, words in [
        (
            lines(*RATED).replace(b'"docId": "0003"', b'"id": 3'),
            ("line 1", "`docId`", "ratings[1]"),
        ),
        (lines(*RATED)[:-4], ("line 3", "truncated")),
        (as_json(two), ("found two: clicks j1", "and llm j2", "one list of judgments")),
        (as_json({"judgmentRatings": []}), ("found none in this file (OpenSearch judgments)",)),
        (as_json([*RATED, 7]), ("expected `query` or `judgmentRatings`, found `7` (record 4)",)),
        (as_json([{**RATED[0], "query": ""}]), ("the id", "query (record 1)")),
        (as_json(again), ("query 42 of run knn a second time (record 5)",)),
        (
            as_json([*RESULTS, {"searchText": "x", "documentIds": ["d"]}]),
            ("`searchConfigurationId`", "(record 5)", "looks like"),
        ),
        (as_json([*RESULTS, {"searchText": "x"}]), ("`documentIds`", "(record 5)")),
        (as_json([evaluated("q", "c", "d", "d")]), ("a second time", "duplicates=best")),
        (
            as_json(COMPARED).replace(b'"docIds"', b'"ids"'),
            ("`docIds`", "at snapshots[0] (record 1)"),
        ),
        (as_json(hits(RESULTS[0], None)), ("nothing", "hits.hits[1]")),
    ]:
        refused(content, "x.json", *words)


def test_what_is_near_it_stays_what_it_was() -> None:
    hit_list = [{"query": "q", "hits": [{"docId": "d1", "score": 2.5}]}]
    assert read(as_json(hit_list)).format == "lists"
    names = b"query_id,text,ratings\nq1,a,b\n"
    assert read(names, name="x.csv").kind == "queries"
