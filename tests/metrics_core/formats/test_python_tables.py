"""All that Python programs hold as runs and judgments, each on the library that makes it; what is
not taken is said with its query, document and value."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from metrics_core import evaluate
from metrics_core.base.errors import NoSharedQueriesError, RanklensError
from metrics_core.formats.in_memory import (
    convert_to_frame,
    convert_to_qrels,
    convert_to_queries,
    convert_to_runs,
)

ROWS = [("001", "d1", 2.0), ("001", "d2", 1.0), ("2", "d9", 1.0)]
GRADES = [("001", "d2", 1), ("2", "d9", 2)]
NAMES, JUDGED = ["query_id", "doc_id", "score"], ["query_id", "doc_id", "relevance"]
RUN = {"001": {"d1": 2.0, "d2": 1.0}, "2": {"d9": 1.0}}
QRELS = {"001": {"d2": 1}, "2": {"d9": 2}}
Made = Callable[[list[Any], list[str]], Any]


class Scored(NamedTuple):
    """As named tuples of other libraries."""

    qid: str
    docno: str
    score: float


@dataclass
class Hit:
    """As objects of a search client."""

    query_id: str
    doc_id: str
    score: float


class Streamed:
    """A table that says nothing of itself but that it streams."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


class Giving:
    """What gives a dictionary, as ranx's Run and Qrels do (tests/oracle/test_against_ranx.py)."""

    def __init__(self, inside: Any) -> None:
        self.to_dict = lambda: inside


def arrow(rows: list[Any], names: list[str]) -> pa.Table:
    return pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


def polars(rows: list[Any], names: list[str]) -> Any:
    return pytest.importorskip("polars").DataFrame(rows, schema=names, orient="row")


def duckdb(rows: list[Any], names: list[str]) -> Any:
    table = arrow(rows, names)  # found by its name
    return pytest.importorskip("duckdb").connect().from_arrow(table)


def hugging_face(rows: list[Any], names: list[str]) -> Any:
    library = pytest.importorskip("datasets")
    return library.Dataset(library.table.InMemoryTable(arrow(rows, names)), fingerprint="none")


def records(rows: list[Any], names: list[str]) -> Any:
    return np.array(rows, dtype=list(zip(names, ("U9", "U9", "f8"), strict=True)))


def dictionaries(rows: list[Any], names: list[str]) -> Any:
    return [dict(zip(names, row, strict=True)) for row in rows]


def ir_measures(rows: list[Any], names: list[str]) -> Iterator[Any]:
    library = pytest.importorskip("ir_measures")
    return map(library.ScoredDoc if "score" in names else library.Qrel, *zip(*rows, strict=True))


TABLES: dict[str, Made] = {
    "pandas": lambda rows, names: pd.DataFrame(rows, columns=names),
    "pyarrow": arrow,
    "a reader of pyarrow": lambda rows, names: arrow(rows, names).to_reader(),
    "one batch of pyarrow": lambda rows, names: arrow(rows, names).to_batches()[0],
    "dictionaries of pyarrow": lambda rows, names: arrow(rows, names).set_column(
        0, names[0], pa.array([row[0] for row in rows]).dictionary_encode()
    ),
    "whatever streams": lambda rows, names: Streamed(arrow(rows, names)),
    "polars": polars,
    "duckdb": duckdb,
    "Hugging Face": hugging_face,
    "records of numpy": records,
    "an array of three columns": lambda rows, names: np.array(rows, dtype=object),
    "dictionaries": dictionaries,
    "three values": lambda rows, names: list(rows),
    "a stream of three values": lambda rows, names: iter(rows),
    "ir_measures": ir_measures,
    "what gives a dictionary": lambda rows, names: Giving(RUN if "score" in names else QRELS),
}
AS_RUN: dict[str, Callable[[], Any]] = {
    "named tuples": lambda: [Scored(*row) for row in ROWS],
    "objects": lambda: [Hit(*row) for row in ROWS],
    "ranked lists": lambda: {"001": ["d1", "d2"], "2": ("d9",)},
    "ranked arrays": lambda: {"001": np.array(["d1", "d2"]), "2": pa.array(["d9"])},
    "ranked columns": lambda: {"001": pd.Series(["d1", "d2"]), "2": ["d9"]},
    "pairs": lambda: {"001": [("d2", 1.0), ("d1", 2.0)], "2": [["d9", 1]]},
    "hits": lambda: {
        "001": [{"docid": "d2", "score": 1.0}, {"docid": "d1", "score": 2.0}],
        "2": [{"docid": "d9", "score": 1.0}],
    },
}
AS_QRELS: dict[str, Callable[[], Any]] = {
    "sets": lambda: {"001": {"d2"}, "2": frozenset(["d9"])},
    "lists": lambda: {"001": ["d2"], "2": ["d9"]},
    "pairs": lambda: {"001": [("d2", 1)], "2": [("d9", 2)]},
}


def scores(run: Any, qrels: Any) -> list[float]:
    found: list[float] = evaluate(run, qrels, "RR")["RR"].tolist()
    return found


@pytest.mark.parametrize("made", TABLES.values(), ids=TABLES.keys())
def test_tables_of_every_library_are_taken(made: Made) -> None:
    assert scores(made(ROWS, NAMES), QRELS) == [0.5, 1]
    assert scores([made(ROWS, NAMES)], QRELS) == [0.5, 1]
    assert evaluate({"mine": made(ROWS, NAMES)}, QRELS, "RR")["run"].tolist() == ["mine"] * 2
    assert scores(RUN, made(GRADES, JUDGED)) == [0.5, 1]
    assert convert_to_qrels(made(GRADES, JUDGED)).relevance.tolist() == [1, 2]


@pytest.mark.parametrize("made", AS_RUN.values(), ids=AS_RUN.keys())
def test_runs_by_query_and_by_row_are_taken(made: Callable[[], Any]) -> None:
    assert scores(made(), QRELS) == [0.5, 1]
    assert evaluate({"mine": made()}, QRELS, "RR")["run"].tolist() == ["mine"] * 2
    assert [run.name for run in convert_to_runs([made(), RUN])] == ["run", "run (2)"]


@pytest.mark.parametrize("made", AS_QRELS.values(), ids=AS_QRELS.keys())
def test_judgments_by_query_are_taken(made: Callable[[], Any]) -> None:
    assert scores(RUN, made()) == [0.5, 1]


LISTED = [("001", ["d1", "d2"]), ("2", ["d9"])]
"""A row for each query, with its documents."""


@pytest.mark.parametrize(
    "made", ["pandas", "pyarrow", "whatever streams", "polars", "duckdb", "dictionaries"]
)
def test_a_column_of_lists_beside_a_query_is_a_run_or_judgments(made: str) -> None:
    make = TABLES[made]
    assert scores(make(LISTED, ["qid", "retrieved_ids"]), QRELS) == [0.5, 1]
    assert scores([make(LISTED, ["query", "hits"])], QRELS) == [0.5, 1]
    judged = [("001", ["d2"], ["d1"]), ("2", ["d9"], [])]
    qrels = convert_to_qrels(make(judged, ["query_id", "relevant_ids", "negative_ids"]))
    assert scores(RUN, qrels) == [0.5, 1] and sorted(qrels.relevance.tolist()) == [0, 1, 1]
    either = [("001", [["d2", "d3"], ["d4"]]), ("2", [["d9"]])]  # AutoRAG's
    assert convert_to_qrels(make(either, ["qid", "retrieval_gt"])).doc_ids.to_pylist() == [
        *("d2", "d3", "d4", "d9")
    ]


def test_lists_of_several_runs_and_of_objects_and_none() -> None:
    hits = [{"docid": "d2", "score": 1.0}, {"docid": "d1", "score": 2.0}]
    rows = [("001", hits, "a"), ("2", [], "a"), ("001", [], "b"), ("2", None, "b")]
    rows += [("2", [{"docid": "d9", "score": 1.0}], "b"), ("001", hits[:1], "b")]
    runs = convert_to_runs(pd.DataFrame(rows, columns=["query_id", "hits", "system"]))
    assert {run.name: run.doc_ids.to_pylist() for run in runs} == {
        "a": ["d2", "d1"],
        "b": ["d9", "d2"],
    }
    with pytest.raises(RanklensError, match="no column for doc_id and score"):
        convert_to_runs(pd.DataFrame([("001", 3)], columns=["query_id", "hits"]))
    with pytest.raises(RanklensError, match="no lists of documents by query"):
        convert_to_qrels(pd.DataFrame(LISTED, columns=["query_id", "hits"]))


def test_listed_documents_are_judged_relevant() -> None:
    assert convert_to_qrels({"q": ["a", "b"], "p": {"c"}}).relevance.tolist() == [1, 1, 1]


def test_whole_numbers_are_ids_in_lists_as_elsewhere() -> None:
    assert scores({1: [7, 8]}, {"1": ["8"]}) == [0.5]
    assert scores({"als": {1: [7, 8]}}, {1: [8]}) == [0.5]
    assert convert_to_runs({"als": {1: [7, 8]}})[0].name == "als"


@pytest.mark.parametrize("made", [TABLES["pandas"], arrow, polars, dictionaries, records])
def test_a_column_of_run_names_makes_several_runs(made: Made) -> None:
    rows = [(*row, name) for name in ("bm25", "dense") for row in ROWS]
    if made is records:
        types = list(zip([*NAMES, "run"], ("U9", "U9", "f8", "U9"), strict=True))
        given = np.array(rows, dtype=types)
    else:
        given = made(rows, [*NAMES, "run"])
    assert [run.name for run in convert_to_runs(given)] == ["bm25", "dense"]
    assert [len(run) for run in convert_to_runs(given)] == [3, 3]
    assert [run.name for run in convert_to_runs({"new": given})] == ["new/bm25", "new/dense"]


def test_run_names_tell_runs_apart_as_in_files() -> None:
    parts = [("q1", "d1", 1.0, "first half"), ("q2", "d1", 1.0, "second half")]
    (run,) = convert_to_runs(arrow(parts, [*NAMES, "run"]))
    assert run.name == "run" and "read as one run" in run.notes[0].message
    assert convert_to_runs(arrow(parts[:1], [*NAMES, "model"]))[0].name == "first half"
    twice = [("q1", "d1", 1.0, n) for n in ("a", "b", "b")]
    with pytest.raises(
        RanklensError, match=r"row 3: .*found document d1 of query q1 a second time"
    ):
        convert_to_runs(arrow(twice, [*NAMES, "run"]))


def test_scores_of_a_list_fall_and_rows_by_rank_are_ordered() -> None:
    (run,) = convert_to_runs({"q": ["a", "b", "c"]})
    assert run.scores.tolist() == [3, 2, 1]
    ranked = arrow([("q", "b", 2), ("q", "a", 1)], ["qid", "docno", "rank"])
    assert convert_to_runs(ranked)[0].scores.tolist() == [-2, -1]


NO_RUNS: list[tuple[Any, str]] = [
    ({"q1": {"d1", "d2"}}, "Query 'q1' has a set of documents, but a set has no order."),
    ({"m": {"q1": {"d1"}}}, "Query 'q1' has a set of documents, but a set has no order."),
    ({"q1": ["d1", None]}, "Query 'q1' contains None at position 2."),
    ({"q1": ["d1", 2.5]}, "Query 'q1' contains 2.5 at position 2."),
    ({"q1": ["d1", True]}, "Query 'q1' contains True at position 2."),
    ({"q1": [("d1", 1.0), "d2"]}, "Query 'q1' contains 'd2' at position 2."),
    ({"q1": [{"title": "t"}]}, "Query 'q1' contains {'title': 't'} at position 1."),
    ({"q1": 3.5}, "Query 'q1' has 3.5 (float) instead of documents."),
    ({"q1": [("d1", "high")]}, "'high' for document d1 of query q1"),
    ({"q1": [("d1", [1.0])]}, "[1.0] for document d1 of query q1"),
    ({"q1": {"d1": [1.0]}}, "[1.0] for document d1 of query q1"),
    ({"q1": {"d1": [1, 2]}}, "[1, 2] for document d1 of query q1"),
    ([("q1", "d1", 10**400)], "a whole number of about 400 digits for document d1 of query q1"),
    ([("q1", "d1", None)], "None for document d1 of query q1"),
    ([{"query_id": "q1", "doc_id": "d1"}], "has no column for score"),
    ([("q1", "d1", 1.0), ("q1", "d2")], "the rows before it: ('q1', 'd2')"),
    (np.zeros((2, 4)), "An array of 4 columns cannot be read as run."),
    (1j, "complex cannot be read as run"),
    (arrow([("q1", "d1", "high")], NAMES), "'high' for document d1 of query q1"),
    (arrow([("q1", "d1", [1.0])], NAMES), "[1.0] for document d1 of query q1"),
    (arrow([(1.5, "d1", 1.0)], NAMES), "An id must be text or a whole number."),
    (np.array([[1.0, 7.0, 0.5]]), "An id must be text or a whole number."),
    (arrow([("q1", "d1", 1.0, None)], [*NAMES, "run"]), "Every row needs a run."),
    (np.array(1.0), "ndarray cannot be read as run"),
    ({"q1": np.array(1.0)}, "Query 'q1' has array(1.) (ndarray) instead of documents."),
    ({"q1": {1.5: 1.0}}, "row 1: expected a document's id, found 1.5 for query q1"),
    (pd.DataFrame({"qid": ["q1"], "docid": [7.0], "score": [1]}), "found 7.0 for query q1"),
    (arrow([("q1", None, 1.0)], NAMES), "found None for query q1"),
    (arrow([(1.5, "d1", 1.0)], NAMES), "row 1: expected a text, found 1.5"),
    ([("q1", "d1", [1.0])], "[1.0] for document d1 of query q1"),
]


@pytest.mark.parametrize(("run", "said"), NO_RUNS)
def test_what_is_no_run_says_where_and_what_to_write(run: Any, said: str) -> None:
    with pytest.raises(RanklensError, match=re.escape(said)) as caught:
        evaluate(run, {"q1": {"d1": 1}}, "AP")
    assert caught.value.hint or "needs a" in said


@pytest.mark.parametrize(
    ("qrels", "said"),
    [
        ({"q1": ["d1", 1.5]}, "Query 'q1' contains 1.5 at position 2."),
        ({"q1": [("d1", "good")]}, "'good' for document d1 of query q1"),
        ({"q1": {"d1": [1]}}, "[1] for document d1 of query q1"),
        ({"q1": "d1"}, "Query 'q1' has 'd1' (str) instead of documents."),
        ({"d1"}, "set cannot be read as qrels"),
    ],
)
def test_what_are_no_judgments_says_where_and_what_to_write(qrels: Any, said: str) -> None:
    with pytest.raises(RanklensError, match=re.escape(said)) as caught:
        evaluate({"q1": {"d1": 1.0}}, qrels, "AP")
    assert caught.value.hint


@pytest.mark.parametrize("nothing", [{}, {"q1": {}}, {"q1": []}, pd.DataFrame(columns=NAMES)])
def test_what_holds_no_rows_says_so(nothing: Any) -> None:
    with pytest.raises(NoSharedQueriesError, match=r"The run contains no documents\."):
        evaluate(nothing, QRELS, "AP")
    with pytest.raises(NoSharedQueriesError, match=r"The judgments contain no grades\."):
        evaluate(RUN, nothing, "AP")


@pytest.mark.parametrize(
    "given",
    [
        pd.DataFrame({"qid": ["001", "2"], "kind": ["short", None]}),
        pa.table({"qid": ["001", "2"], "kind": ["short", None]}),
        {"001": {"kind": "short"}, 2: {"kind": None}},
        [{"query_id": "001", "kind": "short"}, {"query_id": 2}],
    ],
)
def test_queries_are_taken_with_their_columns(given: Any) -> None:
    queries = convert_to_queries(given)
    assert queries.frame["query_id"].tolist() == ["001", "2"]
    assert queries.frame["kind"].tolist() == ["short", None] and queries.columns == ["kind"]


def test_the_text_of_queries_has_the_name_that_their_library_gives_it() -> None:
    queries = convert_to_queries(
        pd.DataFrame({"qid": ["1"], "query": ["lemon"], "kind": ["short"]})
    )
    assert queries.frame["text"].tolist() == ["lemon"] and queries.columns == ["kind"]


def test_what_holds_no_queries_is_said() -> None:
    for given in (5, {"001": "short"}, [], pd.DataFrame({"kind": ["short"]})):
        with pytest.raises(
            RanklensError, match=r"does not contain queries|have no column query_id"
        ):
            convert_to_queries(given)


@pytest.mark.parametrize("made", [arrow, polars, records, dictionaries])
def test_any_table_becomes_a_frame(made: Made) -> None:
    frame = convert_to_frame(made(ROWS, NAMES))
    assert frame.columns.tolist() == NAMES and frame["score"].tolist() == [2, 1, 1]
    for given in (5, RUN, "a.csv", ROWS):
        with pytest.raises(RanklensError, match="is not a table"):
            convert_to_frame(given)


@dataclass
class Found:
    """A hit of pyserini, or a document of Haystack by another name."""

    docid: str
    score: float | None = None
    contents: str = "text"


@dataclass
class Passage:
    """A document of LangChain."""

    metadata: dict[str, Any]
    id: str | None = None
    page_content: str = "text"


@dataclass
class Node:
    """A node of LlamaIndex, which names the document it was cut from as well."""

    node_id: str
    ref_doc_id: str = "whole"


@dataclass
class NodeWithScore:
    """What a retriever of LlamaIndex gives."""

    node: Node
    score: float | None = None


RESULTS: dict[str, Callable[[str, float | None], Any]] = {
    "pyserini": Found,
    "llama_index": lambda doc, score: NodeWithScore(Node(doc), score),
    "langchain": lambda doc, _: Passage({"source": "x.pdf"}, doc),
    "langchain's metadata": lambda doc, _: Passage({"id": doc}),
}


@pytest.mark.parametrize("scored", [True, False])
@pytest.mark.parametrize("made", RESULTS.values(), ids=RESULTS)
def test_results_of_search_libraries(made: Callable[..., Any], scored: bool) -> None:
    run = {
        query: [made(doc, score if scored else None) for doc, score in docs.items()]
        for query, docs in RUN.items()
    }
    (read,) = convert_to_runs(run)
    assert evaluate(run, QRELS, "RR")["RR"].tolist() == [0.5, 1.0]
    assert read.doc_ids.to_pylist() == ["d1", "d2", "d9"]
    (named,) = convert_to_runs({"bm25": {"001": [], **run}})
    assert named.name == "bm25" and named.has_same_rows(read)
    assert len(convert_to_qrels(run)) == 3


def test_the_scores_of_results_give_the_order() -> None:
    found = evaluate({"001": [Found("d1", 1.0), Found("d2", 2.0)]}, QRELS, "RR")
    assert found["RR"].tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    "results",
    [
        [Passage({"source": "x"})],
        [object()],
        [Found("d1", 1.0), Found("d2")],
        [Found("d1"), Passage({})],
        [Found("d1", 1.0), "d2"],
        [Found(1.5, 1.0)],  # type: ignore[arg-type]
    ],
)
def test_results_without_an_id_or_a_score_are_refused(results: list[Any]) -> None:
    with pytest.raises(
        RanklensError, match="an object with docid, doc_id, node_id or id"
    ) as caught:
        evaluate({"001": results}, QRELS, "RR")
    assert f"at position {len(results)}" in caught.value.message


def test_a_lazy_frame_of_polars() -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame(ROWS, schema=NAMES, orient="row").lazy()
    judged = pl.DataFrame(GRADES, schema=JUDGED, orient="row").lazy()
    assert evaluate(frame, judged, "RR")["RR"].tolist() == [0.5, 1.0]
    assert [run.name for run in convert_to_runs({"a": frame, "b": frame})] == ["a", "b"]
    assert [run.name for run in convert_to_runs([frame, frame])] == ["run", "run (2)"]
    assert (
        convert_to_queries(pl.DataFrame({"query_id": ["q"], "text": ["t"]}).lazy()).frame.size == 2
    )
    with pytest.raises(RanklensError, match="no column for"):
        convert_to_runs(frame.select("query_id"))
