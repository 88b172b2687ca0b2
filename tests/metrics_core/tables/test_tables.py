"""Run, Qrels, Queries, Documents: what they take, refuse and note."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from metrics_core.base.errors import TableError
from metrics_core.base.notes import Note
from metrics_core.checks.fit import clean_ids
from metrics_core.tables import Documents, Qrels, Queries, Run
from metrics_core.tables.columns import encode_ids

ODD_IDS = ["001", "1e5", "True", "NA", "null", "9007199254740993", "é", "<b>x</b>", " x", "\u200bx"]


@pytest.mark.parametrize("odd", ODD_IDS)
def test_ids_stay_as_they_are(odd: str) -> None:
    run = Run.from_columns("r", [odd], [odd], [1.0])
    assert (run.query_ids, run.doc_ids.to_pylist()) == ([odd], [odd])
    qrels = Qrels.from_columns([odd], [odd], [1])
    assert (qrels.query_ids, qrels.doc_ids.to_pylist()) == ([odd], [odd])


def tables_of(ids: Any) -> list[Any]:
    """A table of each kind with these as query ids or as document ids."""
    n = len(ids)
    others = [f"x{i}" for i in range(n)]
    return [
        lambda: Run.from_columns("r", ids, others, range(n)).query_ids,
        lambda: Run.from_columns("r", others, ids, range(n)).doc_ids.to_pylist(),
        lambda: Qrels.from_columns(ids, others, [1] * n).query_ids,
        lambda: Qrels.from_columns(others, ids, [1] * n).doc_ids.to_pylist(),
        lambda: Queries.from_columns({"query_id": ids}).frame["query_id"].tolist(),
        lambda: Documents.from_columns({"doc_id": ids}).table["doc_id"].to_pylist(),
    ]


@pytest.mark.parametrize("ids", [["a", None], ["a", ""], ["a", np.nan], pd.array(["a", None])])
def test_missing_and_empty_ids_are_refused_with_their_row(ids: Any) -> None:
    for build in [*tables_of(ids), *tables_of(pa.array(ids, pa.string(), from_pandas=True))]:
        with pytest.raises(TableError, match=r"Every row needs a (query|doc)_id") as caught:
            build()
        assert [p.row for p in caught.value.problems] == [1]
        assert not caught.value.offer


@pytest.mark.parametrize(
    "ids",
    [
        [7, 12],
        (7, 12),
        np.array([7, 12]),
        np.array([7, 12], "uint8"),
        pd.Series([7, 12]),
        ["7", 12],
    ],
)
def test_whole_numbers_become_text(ids: Any) -> None:
    for build in tables_of(ids):
        assert build() == ["7", "12"]
    for build in tables_of(pa.array([7, 12])):
        assert build() == ["7", "12"]


@pytest.mark.parametrize("ids", [["a", 1.0], ["a", True], ["a", b"b"], [["a"], ["b"]]])
def test_what_is_neither_text_nor_whole_is_no_id(ids: Any) -> None:
    for build in tables_of(ids):
        with pytest.raises(TableError, match="An id must be text or a whole number"):
            build()


def test_query_ids_stand_in_the_order_of_their_first_row() -> None:
    run = Run.from_columns("r", ["b", "a", "b"], ["d1", "d1", "d2"], [1, 2, 3])
    assert run.query_ids == ["b", "a"]
    assert run.query_codes.tolist() == [0, 1, 0]


def test_chunks_with_their_own_dictionaries_are_one_column() -> None:
    chunks = [pa.array(["a", "b"]).dictionary_encode(), pa.array(["c", "a"]).dictionary_encode()]
    assert encode_ids(pa.chunked_array(chunks)).to_pylist() == ["a", "b", "c", "a"]


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf])
def test_a_score_that_is_not_finite_is_refused_with_its_row(score: float) -> None:
    with pytest.raises(TableError, match="finite") as caught:
        Run.from_columns("r", ["q", "q"], ["d1", "d2"], [1.0, score])
    assert [p.row for p in caught.value.problems] == [1]


def test_a_document_twice_is_refused_with_its_row() -> None:
    with pytest.raises(TableError) as caught:
        Run.from_columns("r", ["q", "p", "q"], ["d1", "d1", "d1"], [1, 2, 3])
    assert [p.row for p in caught.value.problems] == [2]
    assert "document d1 of query q" in str(caught.value)
    assert "duplicates=best" in caught.value.hint


@pytest.mark.parametrize(("choice", "kept"), [("best", 3.0), ("first", 1.0)])
def test_a_document_twice_can_be_kept_once(choice: str, kept: float) -> None:
    columns = (["q"] * 4, ["d1", "d1", "d2", "d1"], [1.0, 3.0, 9.0, 2.0])
    run = Run.from_columns("r", *columns, duplicates=choice)  # type: ignore[arg-type]
    scores = dict(zip(run.doc_ids.to_pylist(), run.table["score"].to_pylist(), strict=True))
    assert scores == {"d1": kept, "d2": 9.0}
    (note,) = run.notes
    assert (note.kind, note.count, note.loud) == ("duplicates", 2, True)


def test_two_grades_for_a_document_are_refused() -> None:
    with pytest.raises(TableError) as caught:
        Qrels.from_columns(["q", "q"], ["d", "d"], [1, 2])
    assert caught.value.problems[0].row == 1
    assert "has grade 2, but an earlier row has grade 1" in caught.value.problems[0].found


def test_the_same_grade_twice_is_counted_once_and_noted() -> None:
    qrels = Qrels.from_columns(["q", "q", "q"], ["d", "e", "d"], [1, 0, 1])
    assert qrels.doc_ids.to_pylist() == ["d", "e"]
    assert [(n.kind, n.count) for n in qrels.notes] == [("duplicates", 1)]


def test_grades_are_whole_or_real() -> None:
    assert Qrels.from_columns(["q"], ["d"], [2]).relevance.dtype == "int64"
    assert Qrels.from_columns(["q"], ["d"], [0.5]).relevance.dtype == "float64"
    with pytest.raises(TableError):
        Qrels.from_columns(["q"], ["d"], [math.nan])


def test_a_hundred_problems_are_kept_and_all_counted() -> None:
    with pytest.raises(TableError) as caught:
        Run.from_columns("r", ["q"] * 250, [f"d{i}" for i in range(250)], [math.nan] * 250)
    assert (len(caught.value.problems), caught.value.count) == (100, 250)


def test_notes_are_added_and_do_not_tell_tables_apart() -> None:
    run = Run.from_columns("r", ["q"], ["d"], [1.0])
    noted = run.with_notes(Note("ties", "x"))
    assert [n.kind for n in noted.notes] == ["ties"]
    assert run.notes == ()
    assert noted == run
    assert noted.renamed("s").name == "s"


def test_a_frame_has_text_ids() -> None:
    frame = Run.from_columns("r", ["007"], ["d"], [1.0]).to_pandas()
    assert frame.to_dict("records") == [{"query_id": "007", "doc_id": "d", "score": 1.0}]


def test_queries_have_a_text_and_keep_their_columns() -> None:
    queries = Queries.from_columns({"category": ["x", "x", None], "query_id": ["1", "2", "3"]})
    assert list(queries.frame.columns) == ["query_id", "text", "category"]
    assert queries.columns == ["category"]
    assert len(queries) == 3


def test_a_grouping_repeats_and_is_not_too_fine() -> None:
    ids = [str(i) for i in range(60)]
    columns = {
        "query_id": ids,
        "few": ["a", "b"] * 30,
        "unique": ids,
        "empty": [None] * 60,
    }
    assert Queries.from_columns(columns).groupings == ["few"]
    many = {"query_id": [str(i) for i in range(102)], "fine": [f"v{i // 2}" for i in range(102)]}
    assert Queries.from_columns(many).groupings == []


def test_a_query_or_a_document_twice_is_refused() -> None:
    with pytest.raises(TableError) as caught:
        Queries.from_columns({"query_id": ["1", "2", "1"], "category": ["x", "y", "z"]})
    assert caught.value.problems[0].row == 2
    with pytest.raises(TableError, match="document d a second time"):
        Documents.from_columns({"doc_id": ["d", "d"], "text": ["x", "y"]})


def test_documents_are_looked_up_by_id() -> None:
    documents = Documents.from_columns({"doc_id": ["01", "1"], "text": ["a", "b"]})
    assert documents.lookup(["1", "nowhere"]).to_dict("index") == {"1": {"title": "", "text": "b"}}
    assert documents.are_known(pa.array(["1", "x", "01"])).tolist() == [True, False, True]


# Subtopics


def test_a_document_has_its_highest_grade_over_the_subtopics() -> None:
    qrels = Qrels.from_columns(
        ["q1", "q1", "q2", "q1"],
        ["d1", "d2", "d1", "d1"],
        [1, 0, 2, 3],
        ["a", "a", "a", "b"],
    )
    assert qrels.table.to_pydict() == {
        "query_id": ["q1", "q1", "q2"],
        "doc_id": ["d1", "d2", "d1"],
        "relevance": [3, 0, 2],
    }
    assert qrels.input_table["subtopic"].to_pylist() == ["a", "a", "a", "b"]
    assert qrels.input_table["relevance"].to_pylist() == [1, 0, 2, 3]
    assert not qrels.notes


def test_the_same_judgment_of_a_subtopic_twice_counts_once() -> None:
    qrels = Qrels.from_columns(["q", "q", "q"], ["d", "d", "d"], [1, 1, -1], ["a", "a", "b"])
    assert qrels.input_table["relevance"].to_pylist() == [1, -1]
    assert [note.count for note in qrels.notes] == [1]
    with pytest.raises(TableError, match="each subtopic"):
        Qrels.from_columns(["q", "q"], ["d", "d"], [1, 2], ["a", "a"])


def test_ids_with_subtopics_are_cleaned() -> None:
    qrels = Qrels.from_columns([" q", " q"], ["d\u200b", "d\u200b"], [1, 2], ["a", "b"])
    clean = clean_ids(qrels)
    assert clean.input_table.to_pydict() == {
        "query_id": ["q", "q"],
        "subtopic": ["a", "b"],
        "doc_id": ["d", "d"],
        "relevance": [1, 2],
    }
    assert clean.relevance.tolist() == [2]


def test_ids_in_pieces_have_one_dictionary() -> None:
    whole = pa.array(["a", "b", "a", "c"]).dictionary_encode()
    pieces = {"shared": [whole[:2], whole[2:]], "own": [_coded(["a", "b"]), _coded(["a", "c"])]}
    for chunks in pieces.values():
        one = encode_ids(pa.chunked_array(chunks))
        assert one.to_pylist() == ["a", "b", "a", "c"]
        assert one.dictionary.to_pylist() == ["a", "b", "c"]
    assert len(encode_ids(pa.chunked_array([], type=whole.type))) == 0


def _coded(ids: list[str]) -> pa.DictionaryArray:
    return pa.array(ids).dictionary_encode()
