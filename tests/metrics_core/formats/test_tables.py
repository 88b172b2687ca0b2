"""CSV, TSV and Parquet: column names, separators, quotes, and what they make of them."""

from __future__ import annotations

import io
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metrics_core.base.errors import FileFormatError
from metrics_core.formats import Kind, Loaded, read
from metrics_core.formats.parsing import delimited
from metrics_core.formats.registry import Request
from metrics_core.formats.source import source
from metrics_core.formats.source.opening import open_source
from metrics_core.formats.tabular import read_csv, read_tsv
from metrics_core.tables import Queries


def load(text: str, name: str = "x.csv", **choices: Any) -> Loaded:
    return read(text.encode(), name=name, **choices)


def rows(loaded: Loaded) -> list[dict[str, Any]]:
    table = loaded.table
    if isinstance(table, Queries):
        return table.frame.to_dict("records")
    return table.table.to_pylist()


@pytest.mark.parametrize(
    "query", ["query_id", "query-id", "QID", "q_id", "topic", "Topic ID", "query"]
)
@pytest.mark.parametrize(
    "doc", ["doc_id", "docid", "DOCNO", "corpus-id", "pid", "passage id", "iid"]
)
def test_usual_column_names(query: str, doc: str) -> None:
    expected = [{"query_id": "1", "doc_id": "2", "score": 0.5}]
    for score in ("score", "sim", "Similarity", "RSV"):
        loaded = load(f"{query},{doc},{score}\n1,2,0.5\n")
        assert (loaded.kind, rows(loaded)) == ("run", expected)
        assert loaded.title == f"CSV: {query}, {doc}, {score}"
        assert loaded.notes == ()


def frame_bytes(frame: pd.DataFrame, format: str) -> bytes:
    """A frame as pandas writes it, and PyTerrier with it."""
    match format:
        case "csv":
            return frame.to_csv(index=False).encode()
        case "tsv":
            return frame.to_csv(index=False, sep="\t").encode()
        case "jsonl":
            return frame.to_json(orient="records", lines=True).encode()
        case "json":
            return frame.to_json(orient="records").encode()
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False)
    return buffer.getvalue()


@pytest.mark.parametrize("format", ["csv", "tsv", "jsonl", "json", "parquet"])
def test_docno_is_the_id_beside_the_docid_of_an_index(format: str) -> None:
    frame = pd.DataFrame(
        {
            "qid": ["1", "1"],
            "docid": [4711, 12],
            "docno": ["d7", "d3"],
            "rank": [0, 1],
            "score": [3.5, 2.25],
            "query": ["oil", "oil"],
        }
    )
    loaded = read(frame_bytes(frame, format), name=f"bm25.{format}")
    assert (loaded.kind, loaded.format) == ("run", format)
    assert [(row["doc_id"], row["score"]) for row in rows(loaded)] == [("d7", 3.5), ("d3", 2.25)]
    judged = frame[["qid", "docid", "docno"]].assign(label=[1, 0])
    qrels = read(frame_bytes(judged, format), name=f"x.{format}")
    assert [row["doc_id"] for row in rows(qrels)] == ["d7", "d3"]
    texts = frame[["docid", "docno"]].assign(text=["a", "b"])
    documents = read(frame_bytes(texts, format), name=f"corpus.{format}", kind="documents")
    assert [row["doc_id"] for row in rows(documents)] == ["d7", "d3"]


@pytest.mark.parametrize(
    "grade", ["relevance", "rel", "Grade", "label", "rating", "judgement", "gain"]
)
def test_usual_names_of_grades(grade: str) -> None:
    loaded = load(f"{grade},docid,qid\n2,d,q\n")
    assert loaded.kind == "qrels"
    assert rows(loaded) == [{"query_id": "q", "doc_id": "d", "relevance": 2}]


def test_rank_beside_score_is_not_used() -> None:
    loaded = load("query_id,doc_id,rank,score,run\nq,a,1,0.75,x\nq,b,2,0.5,x\n")
    assert [row["score"] for row in rows(loaded)] == [0.75, 0.5]
    assert loaded.notes == ()


def test_rank_without_score_gives_the_order() -> None:
    loaded = load("query_id,doc_id,rank\nq,a,1\nq,b,2\n")
    assert [row["score"] for row in rows(loaded)] == [-1, -2]
    assert [note.kind for note in loaded.notes] == ["rank"]


@pytest.mark.parametrize("name", ["position", "Pos"])
def test_a_run_by_position(name: str) -> None:
    loaded = load(f"query_id,doc_id,{name}\nq,a,2\nq,b,1\n")
    assert [row["score"] for row in rows(loaded)] == [-2, -1]
    assert loaded.kind == "run"


def test_columns_not_used_are_noted() -> None:
    loaded = load("query_id,doc_id,score,colour,size\nq,a,1,red,9\n")
    assert [(n.kind, n.examples) for n in loaded.notes] == [("columns", ("colour", "size"))]


def test_beir_judgments_are_told_from_a_run_by_their_numbers() -> None:
    header = "query-id\tcorpus-id\tscore\n"
    qrels = load(header + "q\ta\t1\nq\tb\t0\n", "qrels/test.tsv")
    assert qrels.kind == "qrels"
    assert [note.kind for note in qrels.notes] == ["columns"]
    assert load(header + "q\ta\t1\nq\tb\t0\n", "x.tsv", kind="run").kind == "run"
    assert load(header + "q\ta\t1.5\nq\tb\t0\n", "x.tsv").kind == "run"
    assert load("query_id,doc_id,score\nq,a,1\n").kind == "run"
    assert load("query_id,doc_id,score\nq,a,1\n", kind="qrels").kind == "qrels"


def test_queries_keep_their_other_columns() -> None:
    loaded = load("id;title;category;difficulty\nq1;a, b;x;hard\nq2;;;\n", "topics.csv")
    assert rows(loaded) == [
        {"query_id": "q1", "text": "a, b", "category": "x", "difficulty": "hard"},
        {"query_id": "q2", "text": "", "category": None, "difficulty": None},
    ]
    assert load("query_id,query,query_class\n1,chair,Chairs\n", "query.csv").kind == "queries"


def test_documents_keep_their_other_columns() -> None:
    loaded = load('docno,body,title,year\nd1,"one\r\ntwo",T,\n')
    assert rows(loaded) == [{"doc_id": "d1", "title": "T", "text": "one\r\ntwo", "year": None}]
    assert load("doc_id,title\nd1,T\n").kind == "documents"


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("queries.csv", "short", "queries"),
        ("corpus.csv", "short", "documents"),
        ("x.csv", "short", "queries"),
        ("x.csv", "long " * 100, "documents"),
    ],
)
def test_bare_id_and_text(name: str, text: str, kind: Kind) -> None:
    assert load(f"id,text\n1,{text}\n", name).kind == kind
    assert load(f"1\t{text}\n2\t{text}\n", name).kind == kind
    for other in ("queries", "documents"):
        assert load(f"id,text\n1,{text}\n", name, kind=other).kind == other


def test_tsv_without_a_header() -> None:
    loaded = load('101\twhat is "x"\n102\t"quoted"\n', "queries.tsv")
    assert loaded.title == "TSV without a header: query_id, text"
    assert [row["text"] for row in rows(loaded)] == ['what is "x"', "quoted"]


def test_tsv_quotes() -> None:
    line = 'q1\t"a\tb"\t"c""d"\t"e\n'
    loaded = load("query_id\ttext\tx\ty\n" + line, "queries.tsv")
    assert rows(loaded) == [{"query_id": "q1", "text": "a\tb", "x": 'c"d', "y": '"e'}]


def test_a_table_that_is_none_of_ours() -> None:
    with pytest.raises(FileFormatError, match=r"line 1: .* 3 columns separated by commas"):
        load("run1,run2,run3\n0.1,0.2,0.3\n")


CELLS = ["q1", "q2", "d1", "0.5", " 0.6", "1", "2 ", '"a"', '"a""b"', 'a"b', '"a\nb"', '"', "#x"]
CELLS += ["", "NA", "nan", "inf", "\ufeff", "1,5", '"x,y"', "x y", "\u2028"]
ENDS = st.sampled_from(["\n", "\r\n", "\r", "\n\n", "\n \n", ""])
HEADERS = ["query_id,doc_id,score\n", "qid,docid,rank\r\n", "query_id,doc_id,grade\n"]
HEADERS += ["query_id,text,x\n", "doc_id,title,text\n", "# c\nquery_id,doc_id,score\n"]
RECORDS = st.builds(
    lambda cells, end: ",".join(cells) + end,
    st.one_of(
        st.lists(st.sampled_from(CELLS), min_size=2, max_size=4),
        st.tuples(
            st.sampled_from(["q1", "q2"]),
            st.text(st.characters(exclude_characters='\r\n\0,"', codec="utf-8"), max_size=6),
            st.sampled_from(["0.5", "1", "2", " 3 ", "1e3", ".5", "nan", "x", "", "\t1"]),
        ),
    ),
    ENDS,
)
KINDS = st.sampled_from(["run", "qrels", "queries", "documents"])


def outcome(content: bytes, kind: Kind, tabs: bool) -> tuple[Any, ...]:
    reader = read_tsv if tabs else read_csv
    try:
        loaded = reader(open_source(content, "x"), Request(kind))
    except FileFormatError as error:
        return str(error), error.count
    return loaded.title, loaded.notes, rows(loaded)


def careful_outcome(content: bytes, kind: Kind, tabs: bool) -> tuple[Any, ...]:
    """The same without the fast path."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "read_columns_with_arrow", lambda *_: None)
        return outcome(content, kind, tabs)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(HEADERS), st.lists(RECORDS, max_size=5), KINDS, st.booleans())
def test_fast_and_careful_agree(header: str, records: list[str], kind: Kind, tabs: bool) -> None:
    text = header + "".join(records)
    content = (text.replace(",", "\t") if tabs else text).encode()
    whole = outcome(content, kind, tabs)
    assert whole == careful_outcome(content, kind, tabs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(source, "BLOCK", 7)
        assert whole == outcome(content, kind, tabs)
        assert whole == careful_outcome(content, kind, tabs)


def parquet(frame: pd.DataFrame | pa.Table) -> bytes:
    buffer = io.BytesIO()
    if isinstance(frame, pd.DataFrame):
        frame.to_parquet(buffer)
    else:
        pq.write_table(frame, buffer)
    return buffer.getvalue()


def test_parquet_from_pandas() -> None:
    frame = pd.DataFrame({"qid": ["1", "1"], "docno": ["a", "b"], "score": [2, 1]}, index=[5, 7])
    loaded = read(parquet(frame), name="bm25.parquet")
    assert (loaded.kind, loaded.title) == ("run", "Parquet: qid, docno, score")
    assert rows(loaded)[1] == {"query_id": "1", "doc_id": "b", "score": 1.0}
    assert loaded.notes == ()


def test_parquet_types() -> None:
    table = pa.table(
        {
            "query_id": pa.array(["001", "2"]).dictionary_encode(),
            "doc_id": pa.array(["a", "b"], pa.large_string()),
            "relevance": pa.array([1.0, 0.0], pa.float32()),
            "when": pa.array([0, 1], pa.timestamp("s")),
        }
    )
    loaded = read(parquet(table), name="x.parquet")
    assert loaded.kind == "qrels"
    assert rows(loaded)[0] == {"query_id": "001", "doc_id": "a", "relevance": 1}


@pytest.mark.parametrize(
    ("column", "values", "found"),
    [
        ("score", [1.0, None], "nothing|nan"),
        ("score", [1.0, float("inf")], "`inf`"),
        ("score", ["1.5", "0,9"], "`0,9`"),
        ("doc_id", ["a", None], "nothing"),
        ("query_id", ["a", ""], "nothing"),
        ("query_id", [1.5, 2.0], "`1.5`"),
    ],
)
def test_parquet_values_refused_tell_their_row(column: str, values: list[Any], found: str) -> None:
    columns = {"query_id": ["q", "q"], "doc_id": ["a", "b"], "score": [1.5, 2.5]} | {column: values}
    with pytest.raises(FileFormatError, match=rf"({found}).*\(row [12]\)"):
        read(parquet(pa.table(columns)), name="x.parquet")


def test_parquet_queries_and_documents() -> None:
    table = pa.table({"_id": [1, 2], "text": ["a", None], "category": ["x", None]})
    loaded = read(parquet(table), name="queries.parquet")
    assert rows(loaded) == [
        {"query_id": "1", "text": "a", "category": "x"},
        {"query_id": "2", "text": "", "category": None},
    ]
    assert read(parquet(table), name="corpus.parquet").kind == "documents"


def test_a_catalogue_needs_no_text() -> None:
    loaded = read(b"doc_id,price\nd1,10\nd2,\n", name="products.csv")
    assert (loaded.kind, loaded.title) == ("documents", "CSV: doc_id, price")
    assert [(row["doc_id"], row["text"], row["price"]) for row in rows(loaded)] == [
        ("d1", "", "10"),
        ("d2", "", None),
    ]
    for header in (b"doc_id,score", b"doc_id,rank", b"doc_id,relevance", b"id,price", b"doc_id"):
        with pytest.raises(FileFormatError):
            read(header + b"\nd1,10\n", name="products.csv", kind="documents")
