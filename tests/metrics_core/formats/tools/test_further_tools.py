"""Tools whose files are one mapping each: CAsT and iKAT, DPR, KILT, Spark's ALS, Azure, a search in
Elasticsearch, Quepid's snapshots as JSON, umbrela. Made by hand from their documentation."""

from __future__ import annotations

from typing import Any

import pytest

from metrics_core.base.errors import FileFormatError
from metrics_core.formats import read_all_tables
from tests.metrics_core.formats.mapping.test_presets import as_parquet
from tests.metrics_core.formats.tools.looking import (
    as_json,
    by_kind,
    held,
    lines,
    notes,
    records,
    refused,
    rows,
)


def turn(number: str, *responses: list[dict[str, Any]], name: str) -> dict[str, Any]:
    told = [{"rank": at, "text": "…", name: own} for at, own in enumerate(responses, 1)]
    return {"turn_id": number, "responses": told}


@pytest.mark.parametrize("name", ["passage_provenance", "provenance"])
def test_a_conversation_is_a_run_by_its_turns(name: str) -> None:
    first = [{"id": "p1", "score": 0.9, "text": "a"}, {"id": "p2", "score": 0.4, "used": True}]
    turns = [
        turn("9-1_1", first, [{"id": "p1", "score": 0.2}, {"id": "p3", "score": 0.1}], name=name),
        turn("9-1_2", [{"id": "p2", "score": 1}], name=name),
        turn("9-1_3", [], name=name),
    ]
    content = as_json({"run_name": "ours", "run_type": "automatic", "turns": turns})
    (run,) = read_all_tables(content, name="x.json")
    assert (run.format, run.table.name) == ("conversations", "ours")  # type: ignore[union-attr]
    assert rows(run) == {"9-1_1": {"p1": 0.9, "p2": 0.4, "p3": 0.1}, "9-1_2": {"p2": 1.0}}
    assert "1 query with an empty list: 9-1_3" in notes(run)


def test_passages_of_dpr() -> None:
    found = [{"id": "wiki:7", "title": "T", "text": "x", "score": "81.5", "has_answer": True}]
    made = by_kind(as_json([{"question": "who?", "answers": ["a"], "ctxs": found}]), "x.json")
    assert rows(made["run"][0]) == {"who?": {"wiki:7": 81.5}}
    assert records(made["documents"][0])[0]["has_answer"] == "true"
    trained = {
        "question": "who?",
        "positive_ctxs": [{"passage_id": "7", "title": "T", "text": "x", "score": 1000}],
        "negative_ctxs": [],
        "hard_negative_ctxs": [{"passage_id": "9", "score": 0}],
    }
    assert held(by_kind(as_json([trained]), "train.json"))["qrels"] == {"who?": {"7": 1}}


def test_kilt_is_asked_about() -> None:
    pages = [{"wikipedia_id": "7", "title": "T"}, {"wikipedia_id": "9", "title": "U"}]
    content = lines({"id": "q1", "input": "who?", "output": [{"provenance": pages}]})
    refused(content, "kilt.jsonl", "expected a run or judgments", kind=None)
    (run,) = read_all_tables(content, name="x.jsonl", kind="run")
    (qrels,) = read_all_tables(content, name="x.jsonl", kind="qrels")
    assert rows(run) == {"q1": {"7": -1.0, "9": -2.0}} and rows(qrels) == {"q1": {"7": 1, "9": 1}}
    (queries,) = read_all_tables(content, name="x.jsonl", kind="queries")
    assert records(queries)[0]["text"] == "who?"


def test_what_als_recommends() -> None:
    told = [{"userId": 7, "recommendations": [{"movieId": 12, "rating": 4.5}]}]
    for content in (lines(*told), as_parquet(told)):
        (run,) = read_all_tables(content, name="x")
        assert (run.format, rows(run)) == ("spark_als", {"7": {"12": 4.5}})


def test_rows_of_azure() -> None:
    row = {
        "retrieval_ground_truth": [{"document_id": "d1", "query_relevance_label": 4}],
        "retrieved_documents": [{"document_id": "d2", "relevance_score": 45.1}],
    }
    made = by_kind(lines(row | {"query": "refund"}, row | {"query": "tea"}), "x.jsonl")
    assert held(made) == {
        "run": {"refund": {"d2": 45.1}, "tea": {"d2": 45.1}},
        "qrels": {"refund": {"d1": 4}, "tea": {"d1": 4}},
        "queries": [{"query_id": text, "text": text} for text in ("refund", "tea")],
    }
    made = by_kind(lines(row, row), "x.jsonl")
    assert rows(made["run"][0]).keys() == {"1", "2"}
    assert notes(made["qrels"][0]) == [
        "2 queries without an id, identified by row number: 1, 2",
    ]


def answer(**more: Any) -> dict[str, Any]:
    hit = {"_index": "i", "_id": "d1", "_score": 7.5, "_source": {"title": "T", "body": "x"}}
    return {"took": 1, **more, "hits": {"total": {"value": 30}, "hits": [hit]}}


def test_the_answer_of_a_search() -> None:
    (documents,) = read_all_tables(as_json(answer()), name="x.json")
    assert records(documents) == [{"doc_id": "d1", "title": "T", "text": "x"}]
    assert "1 of 30" in notes(documents)[0]
    refused(as_json(answer()), "x.json", "expected a run, found documents", kind="run")
    made = by_kind(lines(answer(query_id="q1"), answer(query_id="q2")), "x.jsonl")
    assert rows(made["run"][0]) == {"q1": {"d1": 7.5}, "q2": {"d1": 7.5}}


def test_a_snapshot_of_quepid() -> None:
    found = {"389": [{"id": "11", "fields": {"title": "A New Hope"}}, {"id": "007"}], "390": []}
    queries = [{"query_id": 389, "query_text": "star wars", "ratings": {"11": 3}}]
    content = as_json({"name": "before", "time": "…", "docs": found, "queries": queries})
    made = by_kind(content, "x.json")
    assert rows(made["run"][0]) == {"star wars": {"11": -1.0, "007": -2.0}}
    assert made["run"][0].table.name == "before"  # type: ignore[union-attr]
    assert records(made["documents"][0]) == [{"doc_id": "11", "title": "A New Hope", "text": ""}]


def test_judged_candidates() -> None:
    told = [{"docid": "d1", "score": 2, "judgment": 3}, {"docid": "d2", "score": 1}]
    content = lines({"query": {"qid": "q", "text": "t"}, "candidates": told})
    assert held(by_kind(content, "x.jsonl"))["qrels"] == {"q": {"d1": 3}}


def test_several_objects_in_one_file() -> None:
    book = {"query_doc_pairs": [{"query_text": "q", "doc_id": "d", "judgements": [{"rating": 1}]}]}
    other = {"query_doc_pairs": [{"query_text": "r", "doc_id": "d", "judgements": [{"rating": 2}]}]}
    (qrels,) = read_all_tables(as_json([book, other]), name="x.json", kind="qrels")
    assert rows(qrels) == {"q": {"d": 1}, "r": {"d": 2}}
    with pytest.raises(FileFormatError, match="query_doc_pairs"):
        read_all_tables(as_json([book, 5]), name="x.json", kind="qrels")


def test_submissions_have_a_list_in_each_cell() -> None:
    content = b"customer_id,prediction\nc1,0568601043 12\nc2,12\nc3,\n"
    (run,) = read_all_tables(content, name="submission.csv")
    assert rows(run) == {"c1": {"0568601043": -1.0, "12": -2.0}, "c2": {"12": -1.0}}
    assert notes(run)[0] == "1 query with an empty list: c3"
    otto = b"session_type,labels\n7_clicks,1 2\n7_orders,1 2\n"
    refused(otto, "x.csv", "expected a run or judgments", kind=None)
    (qrels,) = read_all_tables(otto, name="x.csv", kind="qrels")
    assert rows(qrels) == {"7_clicks": {"1": 1, "2": 1}, "7_orders": {"1": 1, "2": 1}}


def test_names_of_recommenders_columns() -> None:
    for header in ("user_id:token,item_id:token,score:float", "session,aid,score"):
        (run,) = read_all_tables(f"{header}\n1,02,0.5\n".encode(), name="x.csv")
        assert rows(run) == {"1": {"02": 0.5}}
    table = b"Algorithm,user,rank,item,score\nA,1,1,5,0.5\nB,1,1,5,0.6\nA,1,2,6,0.3\nB,1,2,6,0.4\n"
    assert [one.tag for one in read_all_tables(table, name="x.csv")] == ["A", "B"]
    unknown = table.replace(b"Algorithm", b"Kind")
    hint = refused(unknown, "x.csv", "a second time", "columns system=Kind", kind="run")
    assert hint.startswith("If a column identifies the system")
    assert len(read_all_tables(unknown, name="x.csv", columns={"system": "Kind"})) == 2


def vespa(*hits: tuple[str, float]) -> dict[str, Any]:
    children = [{"id": i, "relevance": own, "fields": {"title": f"T{i}"}} for i, own in hits]
    root = {"id": "toplevel", "relevance": 1.0, "fields": {"totalCount": 9}, "children": children}
    return {"timing": {"querytime": 0.1}, "root": root}


def test_answers_of_vespa() -> None:
    told = {"q1": vespa(("id:docs:007", 2.5), ("d2", 1.5)), "q2": vespa()}
    made = by_kind(as_json(told), "x.json")
    assert rows(made["run"][0]) == {"q1": {"id:docs:007": 2.5, "d2": 1.5}}
    assert records(made["documents"][0])[0]["title"] == "Tid:docs:007"
    content = lines(
        vespa(("d1", 1.0)) | {"query_id": "q1"}, vespa(("d2", 2.0)) | {"query_id": "q2"}
    )
    assert rows(by_kind(content, "x.jsonl")["run"][0]) == {"q1": {"d1": 1.0}, "q2": {"d2": 2.0}}


def test_answers_of_typesense_keep_their_order() -> None:
    hits = [
        {"document": {"id": own, "title": "T"}, "text_match": 578730123365189753 - at}
        for at, own in enumerate(["0042", "d2"])
    ]
    content = as_json({"results": [{"found": 2, "request_params": {"q": "harry"}, "hits": hits}]})
    assert rows(by_kind(content, "x.json")["run"][0]) == {"harry": {"0042": -1.0, "d2": -2.0}}


def test_ratings_of_rre() -> None:
    by_grade = {"placeholders": {"$query": "star wars"}, "relevant_documents": {"2": ["11"]}}
    content = as_json({"id_field": "id", "index": "films", "queries": [by_grade]})
    assert held(by_kind(content, "x.json"))["qrels"] == {"star wars": {"11": 2}}
    group = {"queries": [{"placeholders": {"$q": "alien"}}]}
    group |= {"relevant_documents": {"007": {"gain": 3}}}
    newer = {"id_field": "id", "topics": [{"description": "x", "query_groups": [group]}]}
    assert held(by_kind(as_json(newer), "x.json"))["qrels"] == {"alien": {"007": 3}}


def test_flashrag_and_bioasq() -> None:
    found = {"retrieval_result": [{"id": "0042", "contents": "a"}], "pred": "x"}
    told = [{"id": "q1", "question": "who?", "golden_answers": ["x"], "output": found}]
    assert rows(by_kind(as_json(told), "x.json")["run"][0]) == {"q1": {"0042": -1.0}}
    asked = {
        "questions": [{"id": "5e", "body": "what?", "documents": ["http://x/1", "http://x/2"]}]
    }
    refused(as_json(asked), "x.json", "expected a run or judgments", kind=None)
    (qrels,) = read_all_tables(as_json(asked), name="x.json", kind="qrels")
    assert (qrels.format, rows(qrels)) == ("bioasq", {"5e": {"http://x/1": 1, "http://x/2": 1}})


def test_lists_in_cells_of_tsv() -> None:
    content = b"post_id\tpreds\n0073\t['a1', 'b2']\n74\t['b2']\n"
    (run,) = read_all_tables(content, name="predictions.tsv")
    assert rows(run) == {"0073": {"a1": -1.0, "b2": -2.0}, "74": {"b2": -1.0}}


def test_estimates_of_surprise_and_ratings_beside_a_rank() -> None:
    content = b"uid,iid,r_ui,est,details\n196,0302,4.0,3.5,x\n"
    assert rows(read_all_tables(content, name="x.csv", kind="run")[0]) == {"196": {"0302": 3.5}}
    assert rows(read_all_tables(content, name="x.csv", kind="qrels")[0]) == {"196": {"0302": 4}}
    ranked = b"user,rank,item,rating\n1,1,05,4.0\n1,2,07,5.0\n"
    refused(ranked, "x.csv", "expected a run or judgments", kind=None)
    assert rows(read_all_tables(ranked, name="x.csv", kind="run")[0]) == {
        "1": {"05": -1.0, "07": -2.0}
    }


def test_lists_deep_in_records_are_asked_about() -> None:
    hits = [{"doc_id": "007", "_additional": {"distance": 0.1}}]
    record = {"query_id": "q1", "query": "vpn", "response": {"data": {"Get": {"Page": hits}}}}
    content = lines(record)
    refused(content, "x.jsonl", "expected a run or judgments", kind=None)
    refused(content, "x.jsonl", "columns doc=response.data.Get.Page[].doc_id", kind="run")
    page = "response.data.Get.Page[]"
    columns = {"doc": f"{page}.doc_id", "score": f"-{page}._additional.distance"}
    assert rows(read_all_tables(content, name="x.jsonl", columns=columns)[0]) == {
        "q1": {"007": -0.1}
    }


def test_columns_of_lists_of_lists() -> None:
    told = {
        "question": ["a?", "b?"],
        "ground_truth_documents": [[{"id": "01", "score": None}], []],
        "retrieved_documents": [[{"id": "02", "score": 0.5}], [{"id": "01", "score": 0.25}]],
        "recall": [0.0, 1.0],
    }
    found = held(by_kind(as_json(told), "x.json"))
    assert found["run"] == {"a?": {"02": 0.5}, "b?": {"01": 0.25}}
    assert found["qrels"] == {"a?": {"01": 1}}
    (qrels,) = read_all_tables(as_json(told), name="x.json", kind="qrels")
    assert qrels.table.query_ids == ["a?"]  # type: ignore[union-attr]
    assert notes(qrels) == ["1 query with an empty list: b?"]


def test_a_query_of_which_nothing_is_relevant_is_not_judged() -> None:
    content = lines(
        {"query_id": "q1", "relevant_docs": []}, {"query_id": "q2", "relevant_docs": ["d4"]}
    )
    (qrels,) = read_all_tables(content, name="qrels.jsonl")
    assert qrels.table.query_ids == ["q2"]  # type: ignore[union-attr]
    unrated = {"query_id": "q1", "hits": [{"doc_id": "d1", "grade": 1}]}
    (qrels,) = read_all_tables(
        lines(unrated, {"query_id": "q3", "hits": []}), name="x", kind="qrels"
    )
    assert qrels.table.query_ids == ["q1"]  # type: ignore[union-attr]
