"""Runs and judgments as Python holds them: all doors give the same scores."""

from __future__ import annotations

from collections import namedtuple
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from metrics_core import Qrels, Run, evaluate
from metrics_core.base.errors import ParameterError, RanklensError, TableError
from metrics_core.formats import in_memory, python_tables
from metrics_core.formats.in_memory import convert_to_qrels, convert_to_runs
from metrics_core.tables import columns, finite_numbers

RUN = {"001": {"d1": 2.0, "d2": 1.0}, "2": {"d9": 1.0}}
QRELS = {"001": {"d2": 1}, "2": {"d9": 2}}
ROWS = [("001", "d1", 2.0), ("001", "d2", 1.0), ("2", "d9", 1.0)]


def frame(*names: str) -> pd.DataFrame:
    return pd.DataFrame(ROWS, columns=list(names))


def judged(*names: str) -> pd.DataFrame:
    return pd.DataFrame([("001", "d2", 1), ("2", "d9", 2)], columns=list(names))


def files(folder: Path) -> tuple[Path, Path]:
    run, qrels = folder / "bm25.run", folder / "qrels.txt"
    run.write_text("001 Q0 d1 1 2 bm25\n001 Q0 d2 2 1 bm25\n2 Q0 d9 1 1 bm25\n")
    qrels.write_text("001 0 d2 1\n2 0 d9 2\n")
    return run, qrels


@pytest.mark.parametrize(
    ("run", "qrels"),
    [
        (RUN, QRELS),
        ([RUN], QRELS),
        ({"mine": RUN}, QRELS),
        (frame("query_id", "doc_id", "score"), judged("query_id", "doc_id", "relevance")),
        (frame("qid", "docno", "score"), judged("qid", "docno", "label")),
        ({"mine": frame("qid", "docno", "score")}, QRELS),
        (Run.from_columns("mine", *zip(*ROWS, strict=True)), QRELS),
    ],
)
def test_all_doors_give_the_same_scores(run: Any, qrels: Any) -> None:
    scores = evaluate(run, qrels, ["RR", "nDCG@10"])
    assert scores["query_id"].tolist() == ["001", "2"]
    assert scores["RR"].tolist() == [0.5, 1]


def test_paths_are_read(tmp_path: Path) -> None:
    run, qrels = files(tmp_path)
    for given in (run, str(run), [run], {"bm25": str(run)}):
        assert evaluate(given, qrels, "RR")["RR"].tolist() == [0.5, 1]
    assert evaluate([run, {"q": {"d": 1.0}} | RUN], str(qrels), "RR")["run"].unique().tolist() == [
        "bm25",
        "run",
    ]


def test_names_tell_runs_apart() -> None:
    assert [r.name for r in convert_to_runs([RUN, RUN])] == ["run", "run (2)"]
    assert [r.name for r in convert_to_runs({"a": RUN, "b": RUN})] == ["a", "b"]


def test_ids_that_are_numbers_become_text() -> None:
    scores = evaluate({1: {7: 1.0}}, {1: {7: 1}}, "P@1")
    assert scores["query_id"].tolist() == ["1"] and scores["P@1"].tolist() == [1]


def test_a_rank_gives_the_order_where_there_is_no_score() -> None:
    ranked = frame("qid", "docno", "rank")
    assert evaluate(ranked, QRELS, "RR")["RR"].tolist() == [1, 1]


@pytest.mark.parametrize(
    ("run", "qrels", "said"),
    [
        ([], QRELS, "No run was passed"),
        (RUN, 5, "int cannot be read as qrels"),
        (5, QRELS, "int cannot be read as run"),
        ([RUN, 5], QRELS, "int cannot be read as run"),
        ({"001": {"d1": 1.0}, "2": 3}, QRELS, "Query '2' has 3"),
        (frame("qid", "docno", "colour"), QRELS, "no column for score"),
    ],
)
def test_what_is_no_run_is_said(run: Any, qrels: Any, said: str) -> None:
    with pytest.raises(RanklensError, match=said):
        evaluate(run, qrels, ["AP"])


def test_what_is_asked_for() -> None:
    assert list(evaluate(RUN, QRELS, "AP").columns) == ["run", "query_id", "AP"]
    with pytest.raises(RanklensError, match="No measure is given"):
        evaluate(RUN, QRELS, [])
    with pytest.raises(ParameterError, match="without_relevant must be"):
        evaluate(RUN, QRELS, "AP", without_relevant="skip")  # type: ignore[arg-type]


def test_objects_of_ir_measures() -> None:
    ir_measures = pytest.importorskip("ir_measures")
    asked = [ir_measures.nDCG @ 10, ir_measures.P(rel=2) @ 5, ir_measures.AP]
    assert list(evaluate(RUN, QRELS, asked).columns[2:]) == ["nDCG@10", "P(rel=2)@5", "AP"]
    assert list(evaluate(RUN, QRELS, ir_measures.AP).columns[2:]) == ["AP"]


BY_SUBTOPIC = [("q", "1", "a", 1), ("q", "2", "a", 1), ("q", "1", "b", 1)]


@pytest.mark.parametrize("name", ["subtopic", "iteration"])
def test_a_table_has_subtopics_as_a_file_has(name: str, tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("q 1 a 1\nq 2 a 1\nq 1 b 1\n")
    run, measures = {"q": ["b", "x", "a"]}, ["alpha_nDCG@3", "nDCG@3"]
    expected = evaluate(run, tmp_path / "qrels.txt", measures)
    table = pd.DataFrame(BY_SUBTOPIC, columns=["query_id", name, "doc_id", "relevance"])
    mixed = table.assign(**{name: pd.Series([1, "2", 1], dtype=object)})
    named = namedtuple("Row", list(table))
    rows = [named(*row) for row in BY_SUBTOPIC]
    for given in (table, mixed, pa.table(table), rows, table.to_dict("records")):
        pd.testing.assert_frame_equal(evaluate(run, given, measures), expected)
        assert [note.kind for note in convert_to_qrels(given).notes] == ["subtopics"]


def test_a_constant_iteration_is_no_subtopic() -> None:
    for value in ("0", 0, 0.0, None):
        table = judged("query_id", "doc_id", "relevance").assign(iteration=value)
        assert convert_to_qrels(table).subtopics is None
        assert evaluate(RUN, table, "AP")["AP"].tolist() == [0.5, 1.0]


def test_tables_are_taken_as_they_are() -> None:
    qrels = Qrels.from_columns(["q"], ["d"], [1])
    assert convert_to_qrels(qrels) is qrels
    run = Run.from_columns("r", ["q"], ["d"], [1.0])
    assert convert_to_runs(run)[0] is run


@pytest.mark.parametrize(
    "of_query",
    [
        {"d1": 3, "d2": 1},
        {"d1": 0.5, "d2": 0.25},
        {"d1": 2, "d2": 0.5, "d3": True},
        ["d1", "d2"],
        [1, "d2"],
        [("d1", 3), ("d2", 1)],
    ],
)
def test_plain_values_are_read_all_at_once(of_query: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A call for each value takes several times as long as pytrec_eval takes for everything."""
    given = {"q1": of_query, "q2": of_query}
    rows = [len(convert_to_runs(given)[0]), len(convert_to_qrels(given))]
    for module, function in (
        (finite_numbers, "to_finite_number"),
        (columns, "to_id_text"),
        (python_tables, "to_id_text"),
        (in_memory, "to_id_text"),
    ):
        monkeypatch.setattr(module, function, lambda value: pytest.fail(f"{value!r} by itself"))
    assert (
        rows
        == [len(convert_to_runs(given)[0]), len(convert_to_qrels(given))]
        == [2 * len(of_query)] * 2
    )


def test_keys_that_are_one_id_are_found() -> None:
    """Texts that are keys differ, so none is looked for twice; a number may be the same id."""
    with pytest.raises(TableError, match="document 1 of query q a second time"):
        convert_to_runs({"q": {1: 3, "1": 2}})
    twice = {"1": {"d": 3}, 1: {"d": 2}}
    with pytest.raises(TableError, match="document d of query 1 a second time"):
        convert_to_runs(twice)
    with pytest.raises(
        TableError, match="document d of query 1 has grade 2, but an earlier row has grade 3"
    ):
        convert_to_qrels(twice)


def test_a_query_without_documents_is_none_of_the_run() -> None:
    (run,) = convert_to_runs({"q1": {"d": 1}, "q2": {}, "q3": {"d": 2}, "q4": {}})
    assert run.query_ids == ["q1", "q3"] and run.query_codes.tolist() == [0, 1]
