"""What documents lack of judgments, and texts that stand under several ids."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_core.__main__ import main
from metrics_core.checks.corpus import duplicate_text_notes, missing_document_notes
from metrics_core.checks.fit import clean_ids
from metrics_core.checks.id_readings import parse_id_map
from metrics_core.checks.mapped_ids import IdMaps, map_ids
from metrics_core.tables import Documents
from metrics_core.tables.arrays import as_text_column
from tests.collections_of import qrels_of


def test_relevant_documents_that_are_not_there() -> None:
    documents = Documents.from_columns({"doc_id": ["d1", "d2"], "text": ["a", "b"]})
    qrels = qrels_of({"q": {"d1": 1, "x": 2, "y": 0, "z": -1}, "r": {"x": 1, "w": 1}})
    (note,) = missing_document_notes(documents, qrels)
    assert (note.count, note.examples) == (2, ("x", "w"))
    assert note.message.startswith("2 of 3 relevant documents in the judgments are missing from")
    assert missing_document_notes(documents, qrels_of({"q": {"d1": 1, "y": 0}})) == ()


@settings(max_examples=150)
@given(
    rows=st.lists(
        st.tuples(
            st.sampled_from(["", "t", "u"]),
            st.sampled_from(["", "a", "b", "ab", "x" * 30, "x" * 29 + "y", "é" * 12 + "1"]),
        ),
        max_size=14,
    )
)
def test_equal_texts_as_a_dictionary_of_lists_finds_them(rows: list[tuple[str, str]]) -> None:
    documents = Documents.from_columns(
        {
            "doc_id": [f"d{i}" for i in range(len(rows))],
            "title": [title for title, _ in rows],
            "text": [text for _, text in rows],
        }
    )
    alike = defaultdict(list)
    for i, row in enumerate(rows):
        if row[1]:
            alike[row].append(f"d{i}")
    several = [ids for ids in alike.values() if len(ids) > 1]
    notes = duplicate_text_notes(documents)
    if not several:
        assert notes == ()
        return
    assert notes[0].count == len(several)
    assert f"({sum(map(len, several))} ids)" in notes[0].message
    assert notes[0].examples == tuple(f"{ids[0]} and {ids[1]}" for ids in several[:3])


def test_the_command_line_says_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "qrels").write_text("q 0 d1 1\nq 0 d9 1\n", encoding="utf-8")
    (tmp_path / "a.run").write_text("q Q0 d1 1 2 a\nq Q0 d2 2 1 a\n", encoding="utf-8")
    (tmp_path / "docs.csv").write_text("doc_id,text\nd1,same\nd2,same\n", encoding="utf-8")
    files = [str(tmp_path / name) for name in ("qrels", "a.run")]
    assert main(["evaluate", *files, "--documents", str(tmp_path / "docs.csv")]) == 0
    said = capsys.readouterr().err
    assert "note: docs.csv: 1 of 2 relevant documents in the judgments is missing from" in said
    assert "note: docs.csv: 1 duplicate document (2 ids)" in said


def test_documents_have_their_ids_read_as_those_of_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "qrels").write_text("q 0 d1 1\nq 0 d9 1\n", encoding="utf-8")
    (tmp_path / "a.run").write_text("q Q0 d1#2 1 2 a\nq Q0 d2#1 2 1 a\n", encoding="utf-8")
    (tmp_path / "docs.csv").write_text(
        "doc_id,text,price\nd1#1,one,3\nd1#2,two,4\nd2#1,three,5\n", encoding="utf-8"
    )
    files = [str(tmp_path / name) for name in ("qrels", "a.run")]
    more = ["--documents", str(tmp_path / "docs.csv"), "--map-docs", "cut #"]
    assert main(["evaluate", *files, *more]) == 0
    said = capsys.readouterr().err
    assert "note: docs.csv: 1 of 2 relevant documents in the judgments is missing from" in said
    assert (
        "1 document dropped because the id mapping merged ids; for each merged id, the first is"
        " kept" in said
    )
    table = Documents.from_columns({"doc_id": ["d1#1", "d1#2", "d2#1"], "text": ["a", "b", "c"]})
    mapped = map_ids(table, IdMaps(documents=parse_id_map("run: cut #")))
    assert mapped.lookup(["d1", "d2"])["text"].to_dict() == {"d1": "a", "d2": "c"}
    assert (
        clean_ids(Documents.from_columns({"doc_id": [" d1 "]}))
        .are_known(as_text_column(["d1"]))
        .all()
    )
