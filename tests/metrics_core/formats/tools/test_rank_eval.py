"""Elasticsearch's _rank_eval, request and answer, made by hand from a description of both
(Elasticsearch 8); it wrote none of these."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.metrics_core.formats.tools.looking import (
    as_json,
    by_kind,
    held,
    hold_to_trec,
    notes,
    on_the_command_line,
    records,
    refused,
    rows,
    trec_of,
    written,
)


def rating(doc: str, grade: Any, index: str = "docs") -> dict[str, Any]:
    return {"_index": index, "_id": doc, "rating": grade}


def hit(doc: str, score: Any, grade: Any, index: str = "docs") -> dict[str, Any]:
    return {"hit": {"_index": index, "_id": doc, "_score": score}, "rating": grade}


ASKED = {
    "requests": [
        {
            "id": "q1",
            "request": {"query": {"bool": {"should": [
                {"match": {"title": "oil"}},
                {"match": {"text": {"query": "oil", "boost": 2}}},
            ], "filter": {"term": {"language": "en"}}}}},
            "ratings": [rating("d1", 3), rating("007", 0), rating("d9", 2)],
        },
        {"id": "q2", "template_id": "t", "params": {"query_string": "gas", "field": "text"},
         "ratings": [rating("d1", 1)]},
        {"id": "q3", "request": {"query": {"match_all": {}}}, "ratings": []},
    ],
    "metric": {"precision": {"k": 20, "relevant_rating_threshold": 1}},
}  # fmt: skip
ANSWERED = {
    "metric_score": 0.4,
    "details": {
        "q1": {
            "metric_score": 0.4,
            "unrated_docs": [{"_index": "docs", "_id": "1e5"}],
            "hits": [
                hit("007", 7.0556192, 0),
                hit("1e5", 0.30000000000000004, None),
                hit("d1", 0.25, 3),
            ],
            "metric_details": {"precision": {"docs_retrieved": 3}},
        },
        "q2": {"metric_score": 0.0, "unrated_docs": [], "hits": [hit("d4", 1.5, None)]},
        "q4": {"metric_score": 0.0, "unrated_docs": [], "hits": []},
    },
    "failures": {"q3": {"error": {"type": "parsing_exception"}}},
}
RUN = {"q1": {"007": 7.0556192, "1e5": 0.30000000000000004, "d1": 0.25}, "q2": {"d4": 1.5}}


def changed(whole: dict[str, Any], old: str, new: str) -> bytes:
    content = as_json(whole)
    assert old.encode() in content
    return content.replace(old.encode(), new.encode(), 1)


def test_a_request() -> None:
    made = by_kind(as_json(ASKED, indent=1), "x.json")
    assert held(made) == {
        "qrels": {"q1": {"d1": 3, "007": 0, "d9": 2}, "q2": {"d1": 1}},
        "queries": [
            {"query_id": q, "text": text} for q, text in (("q1", "oil"), ("q2", "gas"), ("q3", ""))
        ],
    }
    assert notes(made["qrels"][0]) == ["1 request without a rating: q3"]
    assert notes(made["queries"][0]) == ["1 request without exactly one search text: q3"]


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ({"request": {"query": {"multi_match": {"query": "oil", "fields": ["a", "b"]}}}}, "oil"),
        ({"request": {"query": {"match": {"query": "oil"}}}}, "oil"),
        ({"request": {"query": {"knn": {"field": "v", "query_vector": [0.1]}}}}, ""),
        ({"request": {"query": {"match": {"a": "oil"}}, "rescore": {"match": {"a": "gas"}}}}, ""),
        ({"params": {"size": 10, "what": "oil"}}, "oil"),
        ({"params": {"a": "x", "b": "y"}}, ""),
        ({"params": {"a": "x", "query": "oil"}}, "oil"),
    ],
)
def test_the_text_of_a_request_is_what_it_searches_for(asked: dict[str, Any], text: str) -> None:
    other = {"id": "q2", "params": {"q": "gas"}, "ratings": [rating("d1", 1)]}
    requests = [{"id": "q1", **asked, "ratings": [rating("d1", 1)]}, other]
    (queries,) = by_kind(as_json({"requests": requests}), "x.json")["queries"]
    assert [row["text"] for row in records(queries)] == [text, "gas"]


def test_an_answer_is_a_run_and_judgments_of_what_it_found() -> None:
    made = by_kind(as_json(ANSWERED), "x.json")
    assert held(made) == {"run": RUN, "qrels": {"q1": {"007": 0, "d1": 3}}}
    assert notes(made["run"][0]) == [
        "1 query with an empty list: q4",
        "!1 failed query missing from the run: q3",
    ]
    assert notes(made["qrels"][0]) == [
        "!2 queries without a rated hit, excluded: q2, q4",
        "!judgments of the 2 rated hits only: relevant documents that were not retrieved are"
        " missing, so recall, nDCG and AP are too high; use the ratings of the request as"
        " judgments",
    ]


def test_hits_without_scores_keep_their_order_and_rising_ones_are_told() -> None:
    plain = {**ANSWERED, "details": {"q1": {"hits": [hit("b", None, 1), hit("a", None, None)]}}}
    assert rows(by_kind(as_json(plain), "x.json")["run"][0]) == {"q1": {"b": -1.0, "a": -2.0}}
    rising = {**ANSWERED, "details": {"q1": {"hits": [hit("b", 1, 1), hit("a", 2, None)]}}}
    (run,) = by_kind(as_json(rising), "x.json")["run"]
    assert notes(run)[0] == "!1 query whose scores increase down the list: q1"


def test_documents_of_several_indices() -> None:
    content = changed(ASKED, '"docs", "_id": "007"', '"old", "_id": "007"')
    assert notes(by_kind(content, "x.json")["qrels"][0])[1:] == [
        "documents from 2 indices are identified by _id only: docs, old"
    ]
    refused(
        content.replace(b'"d9"', b'"007"'),
        *("x.json", "`007` in index docs and in old at requests[0].ratings[2]"),
        "one index at a time",
    )


def test_scores_are_those_of_the_same_run_as_trec_lines(tmp_path: Path) -> None:
    (judged,) = written(tmp_path, {"a.json": as_json(ASKED)})
    (run,) = by_kind(as_json(ANSWERED), "r.json")["run"]
    hold_to_trec(run, trec_of(RUN), judged)


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = {"request.json": as_json(ASKED), "answer.json": as_json(ANSWERED)}
    request, answer = written(tmp_path, files)
    found, said = on_the_command_line(capsys, request, answer, "-m", "P@2")
    assert [(run, value) for run, _, _, value in found] == [("answer", "0.0")]
    assert "1 failed query" in said and "1 request without a rating" in said
    _, said = on_the_command_line(capsys, answer, answer, "-m", "P@2")
    assert "recall, nDCG and AP are too high" in said


def test_broken_and_half_fitting_files() -> None:
    for content, words in [
        (changed(ASKED, '"_id": "007"', '"id": "007"'), ("`_id`", "requests[0].ratings[1]")),
        (
            changed(ASKED, '"rating": 3', '"rating": "x"'),
            ("`x` at requests[0].ratings[0].rating",),
        ),
        (
            changed(ASKED, '"q2"', '"q1"'),
            ("each query once", "query q1 a second time at requests[1]"),
        ),
        (changed(ASKED, '"id": "q2"', '"name": "q2"'), ("`id`", "requests[1]", "looks like")),
        (as_json(ASKED)[:-3], ("line 1: expected JSON",)),
        (
            b'{"requests": [], "metric": {}}',
            ("found none in this file (Elasticsearch", "Is the file complete?"),
        ),
        (changed(ANSWERED, '"hits"', '"found"'), ("`hits`", "details.q1", "A record looks")),
        (changed(ANSWERED, "7.0556192", '"high"'), ("`high` at details.q1.hits[0].hit._score",)),
        (changed(ANSWERED, "7.0556192", "null"), ("found nothing", "to none")),
        (changed(ANSWERED, '"hit": {', '"doc": {'), ("`_id`", "nothing at details.q1.hits[0].hit")),
        (b'{"metric_score": 0.5, "details": {}}', ("found none in this file (Elasticsearch",)),
    ]:
        refused(content, "x.json", *words)
    refused(as_json(ASKED), "x.json", "are run and judgments swapped?", kind="run")
