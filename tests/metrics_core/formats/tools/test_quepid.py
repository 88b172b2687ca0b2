"""Quepid's exports, made by hand from a description of them (the basic CSV of ratings, the CSV of
snapshots, the JSON of books and cases): Quepid is in Ruby, and no version of it wrote these."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from metrics_core.base.errors import FileFormatError, NoSharedQueriesError
from metrics_core.formats import is_set, read, read_first_rows
from metrics_core.scoring.evaluate import evaluate
from tests.metrics_core.formats.tools.looking import (
    as_json,
    by_kind,
    held,
    hold_to_trec,
    notes,
    on_the_command_line,
    refused,
    trec_of,
    written,
)

RATINGS = (
    b"query,docid,rating\n"
    b"star wars,11,3\n"
    b'star wars," =1891",1\n'
    b'" -x, ""y""",007,0\n'
    b"nothing rated,,\n"
)
HEAD = b"Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position"
SNAPSHOTS = (
    HEAD + b",title,overview,doc_id\n"
    b'before,2026-11-02 09:30,7,star wars,007,1," @Home","one,\ntwo",x\n'
    b'before,2026-11-02 09:30,7,star wars," =1891",2,Empire,,y\n'
    b"after,2026-11-03 10:00,7,star wars,11,1,A New Hope,x,z\n"
    b'before,2026-11-02 09:30,7," -x, ""y""",11,1,A New Hope,x,z\n'
    b"after,2026-11-03 10:00,7,nothing found,,,,,\n"
)
GRADES = {"star wars": {"11": 3, "=1891": 1}, '-x, "y"': {"007": 0}}
BEFORE = {"star wars": {"007": -1.0, "=1891": -2.0}, '-x, "y"': {"11": -1.0}}
UNRATED = "1 query without ratings and therefore without judgments: nothing rated"


def judgement(rating: float | None, user: str = "ann@example.org") -> dict[str, Any]:
    return {"rating": rating, "user_email": user, "unrateable": rating is None}


def pair(query: str, doc: str, *ratings: float | None, **more: Any) -> dict[str, Any]:
    return {
        "query_text": query,
        "doc_id": doc,
        "judgements": [judgement(rating) for rating in ratings],
        **more,
    }


BOOK = {
    "name": "Films",
    "scorer": "nDCG@10",
    "query_doc_pairs": [
        pair("star wars", "11", 3, 2, 3, position=1, document_fields={"title": "A New Hope"}),
        pair("star wars", "12", 1.0, 1, document_fields='{"title": "Trek", "year": 1979}'),
        pair("star wars", "13", 0, 2, information_need="the film"),
        pair("alien", "007", None, position=2),
    ],
}
CASE = {
    "case_name": "Films",
    "scorer": {"name": "AP"},
    "queries": [
        {"query_text": "star wars", "notes": "old", "ratings": {"11": 3, "007": 0}},
        {"query_text": "alien", "ratings": [{"doc_id": "11", "rating": 2, "user_email": "a"}]},
        {"query_text": "nothing rated", "ratings": {}},
    ],
}


def test_ratings() -> None:
    made = by_kind(RATINGS, "x.csv")
    queries = ["star wars", '-x, "y"', "nothing rated"]
    assert held(made) == {
        "qrels": GRADES,
        "queries": [{"query_id": text, "text": text} for text in queries],
    }
    guards = (
        "2 texts begin with the blank that Quepid adds before = + - or @ for spreadsheets; the"
        " blank"
        ' is removed: -x, "y", =1891'
    )
    assert notes(made["qrels"][0]) == notes(made["queries"][0]) == [guards, UNRATED]


def test_ratings_as_opensearch_imports_them_are_judgments_alone() -> None:
    content = b"query,docid,rating\nq1,d1,2\nq1, d2,1\n"
    assert not is_set(content)
    made = by_kind(content, "x.csv")
    assert held(made) == {"qrels": {"q1": {"d1": 2, " d2": 1}}}
    assert notes(made["qrels"][0]) == []
    assert read(content, columns={"query": "docid", "doc": "query"}).format == "csv"
    names = read_first_rows(RATINGS, name="x.csv")
    assert names is not None and names.names == ["query", "docid", "rating"]


def test_snapshots_are_a_run_each() -> None:
    made = by_kind(SNAPSHOTS, "x.csv")
    assert held(made) == {
        "before": BEFORE,
        "after": {"star wars": {"11": -1.0}},
        "queries": [
            {"query_id": text, "text": text} for text in ("star wars", '-x, "y"', "nothing found")
        ],
        "documents": [
            {"doc_id": "007", "title": "@Home", "text": "", "overview": "one,\ntwo"}
            | {"doc_id (field)": "x"},
            {"doc_id": "=1891", "title": "Empire", "text": "", "overview": None}
            | {"doc_id (field)": "y"},
            {"doc_id": "11", "title": "A New Hope", "text": "", "overview": "x"}
            | {"doc_id (field)": "z"},
        ],
    }
    told = notes(made["run"][0])
    assert told[2].startswith("3 texts begin with the blank")
    assert told[:2] + told[3:] == [
        "1 query with an empty list: nothing found",
        "no scores in the file, so documents are ordered by rank",
        "2 Quepid snapshots, ordered by position: before of 2026-11-02 09:30, case 7, after of"
        " 2026-11-03 10:00, case 7",
    ]


def test_snapshots_of_one_name_are_told_apart_by_time_and_case() -> None:
    rows = [b"a,t1,1,q,d1,1", b"a,t2,1,q,d1,1", b"a,t2,2,q,d1,1", b"b,t1,1,q,d1,1"]
    found = held(by_kind(b"\n".join([HEAD, *rows]) + b"\n", "x.csv"))
    assert found.keys() == {"a t1", "a t2 case 1", "a t2 case 2", "b", "queries"}


def test_a_book() -> None:
    made = by_kind(as_json(BOOK), "x.json")
    assert held(made) == {
        "qrels": {"star wars": {"11": 3, "12": 1, "13": 2}},
        "queries": [
            {"query_id": "star wars", "text": "star wars", "information_need": "the film"},
            {"query_id": "alien", "text": "alien", "information_need": None},
        ],
        "documents": [
            {"doc_id": "11", "title": "A New Hope", "text": "", "year": None},
            {"doc_id": "12", "title": "Trek", "text": "", "year": "1979"},
        ],
    }
    assert notes(made["qrels"][0]) == [
        "1 pair without a rating and therefore unjudged: alien: 007",
        "!2 pairs with ratings that differ; the most frequent rating is used, or the last one if"
        " several are equally frequent: star wars: 11 3, 2, 3, star wars: 13 0, 2",
        "2 pairs with a position; positions are not read as a run (a book collects pairs from"
        " several searches)",
    ]


def test_a_case() -> None:
    made = by_kind(as_json(CASE, indent=2), "x.json")
    texts = [("star wars", "old"), ("alien", None), ("nothing rated", None)]
    assert held(made) == {
        "qrels": {"star wars": {"11": 3, "007": 0}, "alien": {"11": 2}},
        "queries": [{"query_id": q, "text": q, "notes": own} for q, own in texts],
    }
    assert notes(made["qrels"][0]) == notes(read(as_json(CASE), kind="qrels")) == [UNRATED]


def test_scores_are_those_of_the_same_run_as_trec_lines(tmp_path: Path) -> None:
    (judged,) = written(tmp_path, {"r.csv": RATINGS})
    (run, _) = by_kind(SNAPSHOTS, "s.csv")["run"]
    hold_to_trec(run, trec_of(BEFORE), judged)


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = written(tmp_path, {"ratings.csv": RATINGS, "snapshots.csv": SNAPSHOTS})
    found, said = on_the_command_line(capsys, *paths, "-m", "P@2")
    assert [(run, value) for run, _, _, value in found] == [("before", "0.25"), ("after", "0.25")]
    assert UNRATED.split(":")[0] in said and "2 Quepid snapshots" in said
    paths = written(tmp_path, {"case.json": as_json(CASE), "s.run": b"389 Q0 11 1 9 x\n"})
    _, said = on_the_command_line(capsys, *paths, "-m", "P@2", status=2)
    assert "Quepid's TREC export uses Quepid's own numbers" in said


@pytest.mark.parametrize(
    ("run", "qrels", "told"),
    [
        ({"389": {"d": 1}}, {"star wars": {"d": 1}, "1984": {"d": 1}, "alien": {"d": 1}}, True),
        ({"star wars": {"d": 1}}, {"389": {"d": 1}}, True),
        ({"389": {"d": 1}}, {"q1": {"d": 1}}, False),
        ({"389": {"d": 1}}, {"12": {"d": 1}}, False),
    ],
)
def test_quepids_numbers_never_meet_its_texts(run: Any, qrels: Any, told: bool) -> None:
    with pytest.raises(NoSharedQueriesError) as caught:
        evaluate(run, qrels, "AP")
    assert ("Quepid" in caught.value.hint) is told


def test_broken_and_half_fitting_files() -> None:
    for content, words in [
        (RATINGS.replace(b",3", b",good"), ("line 2", "a whole number as the grade", "`good`")),
        (RATINGS + b"a,b\n", ("line 6", "expected 3 columns, found 2")),
        (RATINGS + b"a,,2\n", ("line 6", "a doc_id in every row")),
        (RATINGS + b"star wars,11,2\n", ("line 6", "star wars", "grade")),
        (b"query,docid,rating\n", ("only a header",)),
        (SNAPSHOTS.replace(b"007,1", b"007,first"), ("line 2", "`first` as Doc Position")),
        (SNAPSHOTS.replace(b"star wars,11", b",11"), ("line 5", "found no Query Text")),
        (SNAPSHOTS + b"a,t,7,q,,3,,,\n", ("line 8", "found no Doc ID", "neither Doc ID nor")),
        (SNAPSHOTS + b"a,b\n", ("line 8", "expected 9 columns, found 2", "Doc Position")),
        (HEAD + b"\n", ("only a header",)),
        (HEAD + b",a,a\n", ("line 1", "`a` more than once")),
    ]:
        refused(content, "x.csv", *words)


def test_ratings_without_one_are_queries_alone() -> None:
    content, words = b"query,docid,rating\nx,,\n", "expected judgments (qrels), found none"
    assert held(by_kind(content, "x.csv")) == {"queries": [{"query_id": "x", "text": "x"}]}
    assert refused(content, "x.csv", words, kind="qrels").startswith("Rate")
    with pytest.raises(FileFormatError, match=re.escape(words)):
        read(content, name="x.csv")


def test_a_format_that_is_said_and_is_not_so() -> None:
    content, words = b"query,doc,rating\nx,d,1\n", "line 1: expected the columns"
    for format in ("quepid-ratings", "quepid-snapshots"):
        refused(content, "x.csv", words, format=format, kind=None)


def test_broken_and_half_fitting_json() -> None:
    whole = as_json(BOOK)
    for content, words in [
        (
            whole[:-9],
            ("line 1: expected JSON, found invalid syntax at character 1007 (Unterminated string",),
        ),
        (
            whole.replace(b'"doc_id"', b'"doc"'),
            ("`doc_id`", "query_doc_pairs[0]", "A record looks"),
        ),
        (
            whole.replace(b'"rating": 3', b'"rating": "good"', 1),
            ("`good` at query_doc_pairs[0].judgements[0].rating", "grades={word: number}"),
        ),
        (as_json({"query_doc_pairs": []}), ("found none in this file (Quepid book)",)),
        (as_json(CASE).replace(b'"doc_id"', b'"id"'), ("`doc_id`", "queries[1].ratings[0]")),
        (
            as_json(CASE).replace(b'"query_text": "alien"', b'"query_text": "star wars"'),
            ("query star wars a second time at queries[1]",),
        ),
        (
            as_json(CASE).replace(b'"11": 3', b'"11": 3.5'),
            ("`3.5` at queries[0].ratings.11", "grades=real"),
        ),
    ]:
        refused(content, "x.json", *words)
    for fields in ("{1", '"\\ud800"'):
        book = as_json({"query_doc_pairs": [pair("q", "d", 1, document_fields=fields)]})
        place = "query_doc_pairs[0].document_fields"
        refused(
            book,
            "x.json",
            "an object of fields, directly or as JSON text",
            place,
            kind="documents",
        )


def test_grades_by_words_and_fractions_are_taken_when_asked_for() -> None:
    words = as_json({"query_doc_pairs": [pair("q", "d"), pair("q", "e")]})
    words = words.replace(b"[]", b'[{"rating": "good"}]')
    told = read(words, kind="qrels", grades={"good": 2}).table
    assert told.table["relevance"].to_pylist() == [2, 2]  # type: ignore[union-attr]
    assert len(read(as_json(BOOK).replace(b": 3,", b": 2.5,"), kind="queries").table) == 2
