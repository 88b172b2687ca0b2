"""The fields of a file: what is proposed and why, how a choice is read, and what is lacking."""

from __future__ import annotations

import pytest

from dashboard.answers.field_evidence import FieldEvidence, LoadedIds, find_loaded_ids
from dashboard.answers.file_fields import (
    FieldTable,
    field_table,
    has_unknown_columns,
    offered_kinds,
)
from dashboard.files.files import File
from dashboard.study.library import assemble_library
from metrics_core.formats.field_values import read_fields
from metrics_core.formats.fields import FileFields
from metrics_core.formats.registry import Kind
from metrics_core.tables import Documents, Qrels, Run

NOTHING = LoadedIds("", "", frozenset(), frozenset(), frozenset())
LISTS = "".join(
    f'{{"who": "q{q}", "out": [{{"key": "d{q}", "far": 0.1, "at": 1}}, {{"key": "e", "far": 0.4,'
    f' "at": 2}}], "ms": {9 - q}}}\n'
    for q in range(3)
)


def fields(text: str) -> FileFields:
    found = read_fields(text.encode(), name="x")
    assert found is not None
    return found


def table(
    text: str, kind: Kind = "run", before: dict[str, str] | None = None, **more: bool
) -> FieldTable:
    return field_table(FieldEvidence(fields(text), NOTHING), kind, before or {}, **more)


@pytest.mark.parametrize(
    ("text", "kind", "proposed"),
    [
        ("q1,d3,0.9\nq2,d1,0.4\n", "run", {"query": "1", "doc": "2", "score": "3"}),
        ("q0,d3,0.9\nq2,d1,0.4\n", "run", {"query": "1", "doc": "2", "score": "3"}),
        ("1,296,5.0\n1,306,3.0\n", "qrels", {"query": "1", "doc": "2", "grade": "3"}),
        (
            "who,what,how_much\na,b,0.5\n",
            "run",
            {"query": "who", "doc": "what", "score": "how_much"},
        ),
        (
            "model,user,item,prediction\nals,u1,m1,0.5\n",
            "run",
            {"query": "user", "doc": "item", "score": "prediction", "system": "model"},
        ),
        ("qid,docno,rank\nq1,d1,1\n", "run", {"query": "qid", "doc": "docno", "rank": "rank"}),
        ("who,what\na,b\n", "run", {"query": "who", "doc": "what"}),
        (
            "by,u,i,x\na,u1,i1,2.5\nb,u1,i1,2.6\n",
            "run",
            {"query": "by", "doc": "u", "score": "x"},
        ),
        (
            "who,user,item,x\na,u1,i1,2.5\nb,u1,i1,2.6\n",
            "run",
            {"query": "user", "doc": "item", "score": "x", "system": "who"},
        ),
        (
            "q,d,n,s,one\na,x,4,3.5,1\na,y,9,2.5,1\n",
            "run",
            {"query": "q", "doc": "d", "score": "s"},
        ),
        (LISTS, "run", {"query": "who", "doc": "out[].key", "score": "out[].far"}),
    ],
)
def test_what_is_proposed(text: str, kind: Kind, proposed: dict[str, str]) -> None:
    assert table(text, kind).proposed_fields == proposed


def test_queries_and_documents_are_an_id_and_their_texts() -> None:
    text = "n,frage,art\n1,was ist das,x\n2,wer,y\n"
    assert table(text, "queries").proposed_fields == {"query": "n", "text": "frage"}
    assert table(text, "documents").proposed_fields == {"doc": "n", "text": "frage"}
    asked = table(text, "documents").find_field_problem({"n": "doc"})
    assert asked == "Choose the field for the text."
    assert offered_kinds(fields(text)) == ["run", "qrels", "queries", "documents"]
    assert offered_kinds(fields(LISTS)) == ["run", "qrels"]


def test_what_was_chosen_before_is_proposed_again() -> None:
    shown = table("a,b,c\nq1,d1,1\n", before={"query": "b", "doc": "a", "score": "-c"})
    assert shown.proposed_fields == {"query": "b", "doc": "a", "score": "c"}
    assert shown.is_smallest_best("c", {}) and not table("a,b,c\nq,d,1\n").is_smallest_best("c", {})
    systems = "model,user,item,prediction\nals,u1,m1,0.5\n"
    assert "system" not in table(systems, before={"system": "-"}).proposed_fields
    assert table("a,b\nq1,d1\n", "qrels", before={"grade": "'1'"}).proposed_fields.keys() == {
        "query",
        "doc",
    }


def test_users_and_items_are_called_so() -> None:
    plain, of_users = "a,b,c\n1,2,3.5\n", "userId,movieId,rating\n1,2,3.5\n"
    assert table(plain).meaning_label("query") == "query"
    assert table(plain, is_user_data=True).meaning_label("query") == "user"
    shown = table(of_users, "qrels")
    assert [shown.meaning_label(word) for word in shown.offered_meanings] == [
        *("user", "item", "rating", "subtopic", "not used")
    ]


def test_fields_that_are_used_come_first_and_many_others_are_folded() -> None:
    names = ",".join(f"n{n}" for n in range(9))
    shown, folded = table(f"{names},qid,docid,score\n{'x,' * 9}q1,d1,2.5\n").shown_and_folded_fields
    assert shown == ["qid", "docid", "score", *(f"n{n}" for n in range(6))]
    assert folded == ["n6", "n7", "n8"]


def test_how_a_choice_is_read() -> None:
    shown = table("a,b,c,run\nq1,d1,1,x\n")
    chosen = {"a": "query", "b": "doc", "c": "score", "run": ""}
    columns = {"query": "a", "doc": "b", "score": "c", "system": "-"}
    assert shown.reading_choices(chosen) == {"kind": "run", "columns": columns}
    assert shown.reading_choices(chosen, smallest_is_best=True)["columns"]["score"] == "-c"
    pairs = table("a,b\nq1,d1\n", "qrels")
    likes = pairs.reading_choices({"a": "query", "b": "doc"}, all_relevant=True)
    assert likes == {"kind": "qrels", "columns": {"query": "a", "doc": "b", "grade": "'1'"}}
    halves = table("a,b,c\nq1,d1,0.5\n", "qrels").reading_choices(
        {"a": "query", "b": "doc", "c": "grade"}
    )
    assert halves["grades"] == "real"


def test_what_a_choice_lacks() -> None:
    shown = table("a,b,c\nq1,d3,0.9\nq2,d1,0.4\n")
    chosen = {"a": "query", "b": "doc", "c": "score"}
    assert not shown.find_field_problem(chosen)
    assert (
        shown.find_field_problem({**chosen, "b": "query"})
        == "Several fields are set as the query. Choose one."
    )
    assert shown.find_field_problem({**chosen, "b": ""}) == "Choose the field for the document."
    assert shown.find_field_problem({**chosen, "c": ""}) == "Choose the field for the score."
    grades = table("a,b\nq1,d3\n", "qrels")
    assert "grade" in grades.find_field_problem({"a": "query", "b": "doc"})
    assert not grades.find_field_problem({"a": "query", "b": "doc"}, all_relevant=True)
    lists = {"who": "query", "out[].key": "doc"}
    assert not table(LISTS).find_field_problem(lists), "the order of each list is the rank"


def test_whose_columns_are_unknown() -> None:
    assert has_unknown_columns(fields("q1,d3,0.9\nq2,d1,0.4\n"))
    assert not has_unknown_columns(fields("user,item,rating\n1,2,3.5\n"))


def because(name: str, word: str, text: str = LISTS, loaded: LoadedIds = NOTHING) -> str:
    meanings = {"query": "who", "doc": "out[].key", "score": "out[].far"}
    found = FieldEvidence(fields(text), loaded).explain_field(name, word, meanings)
    return f"{'! ' * found.fails}{found.text}"


def test_evidence_is_counted() -> None:
    assert because("who", "query") == "different in each row"
    assert because("out[].far", "score") == "rises from row to row in all 3 lists"
    assert table(LISTS).is_smallest_best("out[].far", {"query": "who"})
    assert because("out[].at", "") == "from 1 to at most 2 in every list"
    assert because("ms", "") == "one number per query, only 7, 8 and 9"
    assert because("out[].key", "score") == "! 6 of 6 values are not numbers"
    rows = "q,d,s,t\nq1,a,3,x\nq1,b,1,x\nq2,a,2,x\nq2,c,5,x\n"
    found = FieldEvidence(fields(rows), NOTHING).explain_field("s", "score", {"query": "q"})
    assert found.text == "falls from row to row in 1 of 2 lists"
    assert because("t", "", rows) == "the same in each row"


def test_evidence_by_what_is_loaded() -> None:
    qrels = Qrels.from_columns(["q0", "q1", "q2"], ["d0", "d1", "d9"], [1, 1, 0])
    docs = Documents.from_columns({"doc_id": ["d0", "d1", "e"], "text": ["x", "y", "z"]})
    files = [
        File("j", "j.qrels", "upload", table=qrels),
        File("c", "c.jsonl", "upload", table=docs),
    ]
    loaded = find_loaded_ids(fields(LISTS), assemble_library(files), "x.jsonl")
    assert because("who", "query", loaded=loaded) == "all 3 are query ids of `j.qrels`"
    assert because("out[].key", "doc", loaded=loaded) == "! 3 of 4 are in `c.jsonl`"
    assert because("out[].key", "query", loaded=loaded) == "! 0 of 4 are query ids of `j.qrels`"
    judged = find_loaded_ids(fields(LISTS), assemble_library(files[:1]), "x.jsonl")
    assert because("out[].key", "doc", loaded=judged) == "2 of 4 are judged in `j.qrels`"
    assert not find_loaded_ids(fields(LISTS), assemble_library(files[:1]), "j.qrels").judgments, (
        "its own"
    )
    odd = "x,y,z\nd0,q0,1.5\nd1,q1,1.2\n"
    loaded = find_loaded_ids(fields(odd), assemble_library([*files, _run()]), "x.csv")
    known = FieldEvidence(fields(odd), loaded).fields_inferred_from_ids
    assert known == {"query": "y", "doc": "x"}, "the loaded ids say what the places do not"


def _run() -> File:
    run = Run.from_columns("r", ["q0"], ["d0"], [1.0])
    return File("r", "r.run", "upload", table=run)
