"""Quepid's exports, made by hand from a description of them (the basic CSV of ratings, the CSV of
snapshots, the JSON of books and cases): Quepid is in Ruby, and no version of it wrote these."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from metrics_core.base.errors import NoSharedQueriesError
from metrics_core.formats import first_rows, is_set, read
from metrics_core.scoring.evaluate import evaluate

from .ways_in import all_of, hold_to_trec, notes_of, on_the_command_line, refusal

RATINGS = (
    "query,docid,rating\n"
    "star wars,11,3\n"
    'star wars," =1891",1\n'
    '" -x, ""y""",007,0\n'
    "nothing rated,,\n"
)
HEAD = "Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position"
SNAPSHOTS = (
    f"{HEAD},title,overview,doc_id\n"
    'before,2026-11-02 09:30,7,star wars,007,1," @Home","one,\ntwo",x\n'
    'before,2026-11-02 09:30,7,star wars," =1891",2,Empire,,y\n'
    "after,2026-11-03 10:00,7,star wars,11,1,A New Hope,x,z\n"
    'before,2026-11-02 09:30,7," -x, ""y""",11,1,A New Hope,x,z\n'
    "after,2026-11-03 10:00,7,nothing found,,,,,\n"
)
GRADES = {"star wars": {"11": 3, "=1891": 1}, '-x, "y"': {"007": 0}}
BEFORE = {"star wars": {"007": -1.0, "=1891": -2.0}, '-x, "y"': {"11": -1.0}}
UNRATED = "1 query without a rating, so without judgments: nothing rated"


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
    queries = ["star wars", '-x, "y"', "nothing rated"]
    assert all_of(RATINGS, "x.csv") == {
        "qrels": GRADES,
        "queries": [{"query_id": text, "text": text} for text in queries],
    }
    guards = (
        "2 texts begin with a blank before = + - or @, which Quepid writes for spreadsheets; it is"
        ' taken off: -x, "y", =1891'
    )
    assert notes_of(RATINGS, "x.csv", "qrels") == [guards, UNRATED]
    assert notes_of(RATINGS, "x.csv", "queries") == [guards, UNRATED]


def test_ratings_as_opensearch_imports_them_are_judgments_alone() -> None:
    content = "query,docid,rating\nq1,d1,2\nq1, d2,1\n"
    assert not is_set(content.encode())
    assert all_of(content, "x.csv") == {"qrels": {"q1": {"d1": 2, " d2": 1}}}
    assert notes_of(content, "x.csv", "qrels") == []
    assert read(content.encode(), columns={"query": "docid", "doc": "query"}).format == "csv"
    names = first_rows(RATINGS.encode(), name="x.csv")
    assert names is not None and names.names == ["query", "docid", "rating"]


def test_snapshots_are_a_run_each() -> None:
    assert all_of(SNAPSHOTS, "x.csv") == {
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
    notes = notes_of(SNAPSHOTS, "x.csv", "run")
    assert [note.partition(" ")[0] for note in notes[:1]] == ["3"]
    assert notes[1:] == [
        "2 snapshots of Quepid, by the positions: before of 2026-11-02 09:30, case 7, after of"
        " 2026-11-03 10:00, case 7",
        "1 query with an empty list: nothing found",
        "there are no scores; the order of each list gives the rank",
    ]


def test_snapshots_of_one_name_are_told_apart_by_time_and_case() -> None:
    rows = ["a,t1,1,q,d1,1", "a,t2,1,q,d1,1", "a,t2,2,q,d1,1", "b,t1,1,q,d1,1"]
    found = all_of("\n".join([HEAD, *rows]) + "\n", "x.csv")
    assert found.keys() == {"a t1", "a t2 case 1", "a t2 case 2", "b", "queries"}


def test_a_book() -> None:
    assert all_of(json.dumps(BOOK), "x.json") == {
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
    assert notes_of(json.dumps(BOOK), "x.json", "qrels") == [
        "1 pair without a rating, so unjudged: alien: 007",
        "!on 2 of 3 pairs with several ratings these differ; the one given most often counts, of"
        " those given equally often the last: star wars: 11 3, 2, 3, star wars: 13 0, 2",
        "2 pairs with a position, which is not read as a run: a book gathers pairs of several"
        " searches",
    ]


def test_a_case() -> None:
    rows = [("star wars", "old"), ("alien", None), ("nothing rated", None)]
    assert all_of(json.dumps(CASE, indent=2), "x.json") == {
        "qrels": {"star wars": {"11": 3, "007": 0}, "alien": {"11": 2}},
        "queries": [{"query_id": q, "text": q, "notes": notes} for q, notes in rows],
    }
    assert notes_of(json.dumps(CASE), "x.json", "qrels") == [UNRATED]


def test_scores_are_those_of_the_same_run_as_trec_lines() -> None:
    hold_to_trec(("r.csv", RATINGS), ("s.csv", SNAPSHOTS), BEFORE, "before")


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found, said = on_the_command_line(
        tmp_path, capsys, {"ratings.csv": RATINGS, "snapshots.csv": SNAPSHOTS}
    )
    assert [(run, value) for run, _, _, value in found] == [("before", "0.25"), ("after", "0.25")]
    assert UNRATED.split(":")[0] in said and "2 snapshots of Quepid" in said
    _, said = on_the_command_line(
        tmp_path, capsys, {"case.json": json.dumps(CASE), "s.run": "389 Q0 11 1 9 x\n"}, status=2
    )
    assert "Quepid's TREC export has numbers of Quepid's own" in said


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
        (RATINGS.replace(",3", ",good"), ("line 2", "a whole number as grade", "`good`")),
        (RATINGS + "a,b\n", ("line 6", "expected 3 columns, found 2")),
        (RATINGS + "a,,2\n", ("line 6", "a doc_id in every row")),
        (RATINGS + "star wars,11,2\n", ("line 6", "star wars", "grade")),
        ("query,docid,rating\n", ("only a header",)),
        ("query,docid,rating\nx,,\n", ("expected judgments (qrels), found none", "Rate")),
        (SNAPSHOTS.replace("007,1", "007,first"), ("line 2", "`first` as Doc Position")),
        (SNAPSHOTS.replace("star wars,11", ",11"), ("line 5", "found no Query Text")),
        (SNAPSHOTS + "a,t,7,q,,3,,,\n", ("line 8", "found no Doc ID", "neither Doc ID nor")),
        (SNAPSHOTS + "a,b\n", ("line 8", "expected 9 columns, found 2", "Doc Position")),
        (HEAD + "\n", ("only a header",)),
        (HEAD + ",a,a\n", ("line 1", "`a` more than once")),
    ]:
        told = refusal(content, "x.csv")
        assert all(word in told for word in words), told


def test_a_format_that_is_said_and_is_not_so() -> None:
    for format in ("quepid-ratings", "quepid-snapshots"):
        told = refusal("query,doc,rating\nx,d,1\n", "x.csv", format=format, kind=None)
        assert "line 1: expected the columns" in told or "no column" in told, told


def test_broken_and_half_fitting_json() -> None:
    whole = json.dumps(BOOK)
    for content, words in [
        (whole[:-9], ("line 1: expected JSON, found Unterminated string",)),
        (whole.replace('"doc_id"', '"doc"'), ("`doc_id`", "query_doc_pairs[0]", "A book looks")),
        (
            whole.replace('"rating": 3', '"rating": "good"', 1),
            ('`"good"` at query_doc_pairs[0].judgements[0].rating', "grades={word: number}"),
        ),
        (
            json.dumps({"query_doc_pairs": [pair("q", "d", 1, document_fields="{1")]}),
            ("an object of fields, or its JSON", "query_doc_pairs[0].document_fields"),
        ),
        (
            json.dumps({"query_doc_pairs": [pair("q", "d", 1, document_fields='"\\ud800"')]}),
            ("an object of fields, or its JSON",),
        ),
        (json.dumps({"query_doc_pairs": []}), ("found none in this file (Quepid book)",)),
        (json.dumps(CASE).replace('"doc_id"', '"id"'), ("`doc_id`", "queries[1].ratings[0]")),
        (
            json.dumps(CASE).replace('"query_text": "alien"', '"query_text": "star wars"'),
            ("`star wars` a second time at queries[1].query_text",),
        ),
        (
            json.dumps(CASE).replace('"11": 3', '"11": 3.5'),
            ("`3.5` at queries[0].ratings.11", "grades=real"),
        ),
    ]:
        told = refusal(content, "x.json")
        assert all(word in told for word in words), told


def test_grades_by_words_and_fractions_are_taken_when_asked_for() -> None:
    words = json.dumps({"query_doc_pairs": [pair("q", "d"), pair("q", "e")]})
    words = words.replace("[]", '[{"rating": "good"}]')
    told = read(words.encode(), kind="qrels", grades={"good": 2}).table
    assert told.table["relevance"].to_pylist() == [2, 2]  # type: ignore[union-attr]
    assert len(read(json.dumps(BOOK).replace(": 3,", ": 2.5,").encode(), kind="queries").table) == 2
