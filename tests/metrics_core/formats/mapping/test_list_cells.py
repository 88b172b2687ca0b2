"""CSV and TSV with lists in cells are read like records with lists."""

from __future__ import annotations

from pathlib import Path

import pytest

from metrics_core import read, read_qrels, read_run
from metrics_core.base.errors import FileFormatError

TWO_LISTS = (
    "user_id\trec_items\trec_predictions\n"
    "1\t[7712, 3051]\t[6.5, 5.25]\n"
    "35\t[4406, 98, 7712]\t[1.5, -0.25, -0.5]\n"
)


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_lists_beside_each_other_are_paired_once_assigned(tmp_path: Path) -> None:
    path = write(tmp_path, "rec.csv", TWO_LISTS)
    run = read_run(path, columns={"doc": "rec_items[]", "score": "rec_predictions[]"})
    assert run.to_pandas()[["query_id", "doc_id", "score"]].to_numpy().tolist() == [
        ["1", "7712", 6.5],
        ["1", "3051", 5.25],
        ["35", "4406", 1.5],
        ["35", "98", -0.25],
        ["35", "7712", -0.5],
    ]


def test_numbers_of_unknown_meaning_are_asked_about(tmp_path: Path) -> None:
    path = write(tmp_path, "rec.csv", TWO_LISTS)
    with pytest.raises(FileFormatError, match="a run or judgments"):
        read(path)
    with pytest.raises(FileFormatError, match=r"unknown meaning.*rec_predictions\[\]"):
        read_run(path)


def test_printed_lists_of_texts_with_a_known_name_are_judgments(tmp_path: Path) -> None:
    text = "qid,question,gold_ids\nq1,\"What, then?\nSay\",\"['d1', 'd2']\"\nq2,Why?,\"['d3']\"\n"
    qrels = read_qrels(write(tmp_path, "gold.csv", text))
    assert qrels.to_pandas()[["query_id", "doc_id", "relevance"]].to_numpy().tolist() == [
        ["q1", "d1", 1],
        ["q1", "d2", 1],
        ["q2", "d3", 1],
    ]


def test_a_cell_without_a_list_is_refused_with_its_line(tmp_path: Path) -> None:
    rows = "".join(f'q{i},"[""d1"", ""d2""]"\n' for i in range(2000)) + "q,d9 d8\n"
    path = write(tmp_path, "run.csv", f"qid,retrieved_ids\n{rows}")
    with pytest.raises(FileFormatError, match="line 2002: expected a list"):
        read_run(path)


def test_queries_with_lists_of_tags_stay_queries(tmp_path: Path) -> None:
    text = "query_id,text,tags\nq1,one,\"['a', 'b']\"\nq2,two,\"['c', 'd']\"\n"
    assert read(write(tmp_path, "queries.csv", text)).kind == "queries"


def test_ids_in_brackets_stay_ids(tmp_path: Path) -> None:
    text = "query_id,doc_id,score\nq1,[1],2.5\nq1,[2],1.5\n"
    assert read_run(write(tmp_path, "run.csv", text)).to_pandas()["doc_id"].tolist() == [
        "[1]",
        "[2]",
    ]


def test_a_list_in_brackets_beside_an_id_is_no_text_of_a_query(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="fit no format"):
        read(write(tmp_path, "items.txt", "6\t[174:2.8,1:2.7]\n13\t[286:1.9,258:1.2]\n"))


def test_numbers_in_another_list_of_equal_length_are_asked_about_in_json(tmp_path: Path) -> None:
    record = '{"qid": "q1", "retrieved_ids": ["d1", "d2"], "odds": [0.5, 0.25]}\n'
    with pytest.raises(FileFormatError, match=r"unknown meaning.*odds\[\]"):
        read(write(tmp_path, "run.jsonl", record))


def test_a_list_longer_than_the_sample_is_a_list(tmp_path: Path) -> None:
    ids = ", ".join(f"'d{i}'" for i in range(20_000))
    path = write(tmp_path, "run.csv", f'qid,retrieved_ids\nq1,"[{ids}]"\n')
    assert read(path).kind == "run"
    assert len(read_run(path).to_pandas()) == 20_000
