"""What people bring is taken for what it is: a table of situations met in public, each with what it
is read as, or the words by which it is refused (the letters are those of the situations' list)."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
import pytest

from metrics_core.base.errors import FileFormatError
from metrics_core.formats import Loaded, is_set, read, read_all_tables, read_first_rows, read_set
from metrics_core.tables import Documents, Qrels, Queries, Run

Content = str | bytes

RUN, QRELS = {"q1": {"d1": 2.0, "d2": 1.0}}, {"q1": {"d1": 2, "d2": 1}}


@dataclass(frozen=True)
class Case:
    """A file, how it is asked for, and what comes of it: a kind with its rows, by the evidence, or
    an error's words. `says` are words of its notes, `runs` are the rows of each of several."""

    situation: str
    content: Content
    name: str
    asked: dict[str, Any] = field(default_factory=dict)
    kind: str = ""
    rows: dict[str, dict[str, float]] | None = None
    evidence: str = ""
    says: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    runs: dict[str, dict[str, dict[str, float]]] | None = None


def rows_of(table: Run | Qrels | Queries | Documents) -> dict[str, dict[str, float]]:
    """The documents of each query, in the order of the file."""
    assert isinstance(table, Run | Qrels)
    found: dict[str, dict[str, float]] = {}
    for row in table.table.to_pylist():
        query_id, doc_id, number = list(row.values())[:3]
        found.setdefault(query_id, {})[doc_id] = number
    return found


def csv(header: str, *rows: str) -> str:
    return "\n".join([header, *rows]) + "\n"


def tabs(text: str) -> str:
    return text.replace(",", "\t")


def jsonl(text: str) -> str:
    """A table of CSV as JSON Lines, its numbers as numbers."""
    return pd.read_csv(io.StringIO(text)).to_json(orient="records", lines=True)


def parquet(text: str) -> bytes:
    buffer = io.BytesIO()
    pd.read_csv(io.StringIO(text)).to_parquet(buffer, index=False)
    return buffer.getvalue()


FORMS: dict[str, Callable[[str], Content]] = {
    "csv": str,
    "tsv": tabs,
    "jsonl": jsonl,
    "parquet": parquet,
}


def in_every_form(situation: str, text: str, name: str, **expected: Any) -> list[Case]:
    """The same table in every format of named columns."""
    return [Case(situation, of(text), f"{name}.{form}", **expected) for form, of in FORMS.items()]


WHOLE = csv("query_id,doc_id,score", "q1,d1,2.0", "q1,d2,1.0")
BEIR = csv("query-id,corpus-id,score", "q1,d1,2.0", "q1,d2,1.0")
REAL = csv("query_id,doc_id,score", "q1,d1,0.5", "q1,d2,1.0")
GAINS = {"q1": {"d1": 0.5, "d2": 1.0}}
JUDGED = {"kind": "qrels"}

F1 = [
    Case("F1", json.dumps(QRELS), name, kind=kind, rows=rows, evidence=evidence)
    for name, kind, rows, evidence in [
        ("llm_rerank_run.json", "run", RUN, "name"),
        ("bm25.json", "run", RUN, "name"),
        ("predictions.json", "run", RUN, "name"),
        ("dense-results.json", "run", RUN, "name"),
        ("x.run", "run", RUN, "name"),
        ("x.json", "qrels", QRELS, "guess"),
        ("qrels.json", "qrels", QRELS, "name"),
        ("qrels_of_run_1.json", "qrels", QRELS, "name"),
        ("gold_bm25.json", "qrels", QRELS, "guess"),  # a word of each says nothing
        ("truncated.json", "qrels", QRELS, "guess"),  # no word of its own
    ]
]
F1 += [
    Case("F1", json.dumps(QRELS), "x.json", {"kind": "run"}, "run", RUN, "said"),
    *in_every_form("F1", WHOLE, "x", kind="run", rows=RUN, evidence="columns"),
]
F2 = [
    *in_every_form("F2", WHOLE, "x", asked=JUDGED, kind="qrels", rows=QRELS, evidence="said"),
    *in_every_form("F2", BEIR, "x", asked=JUDGED, kind="qrels", rows=QRELS),
    *in_every_form("F2", BEIR, "x", kind="qrels", rows=QRELS, evidence="guess"),
    *in_every_form("F2", WHOLE, "qrels_x", kind="qrels", rows=QRELS, evidence="name"),
    # Lines of six columns are a run, whatever the file is called.
    Case("F2", "q1 Q0 d1 1 2.0 x\nq1 Q0 d2 2 1.0 x\n", "qrels.txt", kind="run", rows=RUN),
    Case("F2", "q1 0 d1 2\nq1 0 d2 1\n", "run.txt", kind="qrels", rows=QRELS),
    Case("F2", WHOLE, "relevance judgments.csv", kind="qrels", rows=QRELS, evidence="name"),
    Case("F2", WHOLE, "gold.csv", kind="qrels", rows=QRELS, says=("because of its file name",)),
    Case("F2", WHOLE, "release.csv", kind="run", rows=RUN, evidence="columns"),
    Case("F2", json.dumps(RUN), "x.json", JUDGED, "qrels", QRELS),
    Case("F2", json.dumps(RUN), "labels.json", {}, "qrels", QRELS, "name"),
    *in_every_form("F2", REAL, "x", asked=JUDGED | {"grades": "real"}, kind="qrels", rows=GAINS),
    Case("F2", json.dumps(GAINS), "x.json", JUDGED | {"grades": "real"}, "qrels", GAINS),
    *in_every_form("F2", REAL, "qrels", refused=("a whole number as the grade", "grades=real")),
    *in_every_form("F2", REAL, "x", asked=JUDGED, refused=("swapped", "grades=real")),
    Case("F2", REAL, "gold.csv", kind="run", rows=GAINS, evidence="columns"),
]

ONE = {"u1": {"i1": 4.5}}
F14 = [
    *(
        Case("F14", csv(header, "u1,i1,4.5"), "x.csv", kind="run", rows=ONE, evidence="columns")
        for header in [
            *("user,item,prediction", "userId,movieId,predicted_rating", "uid,iid,score"),
            *("user_id,asin,similarity", "userID,product_id,relevance_score"),
        ]
    ),
    *in_every_form("F14", csv("user,item,rating", "u1,i1,4"), "x", kind="qrels"),
    *in_every_form("F14", csv("user,item,prediction", "u1,i1,4.5"), "x", kind="run", rows=ONE),
    *in_every_form("F14", csv("user,item,score", "u1,i1,4"), "x", asked=JUDGED, kind="qrels"),
    Case(
        "F14 RecBole",
        tabs(csv("user_id:token,item_id:token,rating:float,timestamp:float", "u1,i1,4,881250949")),
        "ml.inter",
        kind="qrels",
        rows={"u1": {"i1": 4}},
    ),
    Case("F14", csv("movieId,title,genres", "1,Toy Story,x"), "x.csv", kind="documents"),
    Case("F14", csv("item_id,uid,title", "1,7,Toy Story"), "x.csv", kind="documents"),
    Case("F14", csv("query_id,text,user_id", "q1,oil,u1"), "x.csv", kind="queries"),
    Case(
        "F14 MovieLens",
        tabs("196,242,3,881250949\n"),
        "u.data",
        refused=("in the wrong column", "columns query=1,doc=2,grade=3"),
    ),
    Case(
        "F14 MovieLens",
        tabs("196,242,3,881250949\n"),
        "u.data",
        {"columns": {"query": "1", "doc": "2", "grade": "3"}},
        kind="qrels",
        rows={"196": {"242": 3}},
    ),
]
F15 = [
    Case(
        "F15",
        csv("Query Text,Doc ID,Rating,Team", "star wars,d1,2,x", "star wars,d2,1,x"),
        "x.csv",
        kind="qrels",
        rows={"star wars": {"d1": 2, "d2": 1}},
    ),
    Case(
        "F15",
        csv("query,docid,rating", "star wars,d1,2", "none,,"),
        "x.csv",
        kind="qrels",
        rows={"star wars": {"d1": 2}},
        says=("1 query without ratings",),
    ),
    Case(
        "F15",
        csv(
            "Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position",
            "now,2026,1,star wars,d1,1",
            "now,2026,1,star wars,d2,2",
        ),
        "x.csv",
        kind="run",
        rows={"star wars": {"d1": -1, "d2": -2}},
    ),
]
ESCI = csv("query_id,query,product_id,esci_label", "7,a,x,E", "7,a,y,S", "7,a,z,C", "7,a,w,I")
F17 = [
    *in_every_form(
        "F17 ESCI",
        ESCI,
        "x",
        kind="qrels",
        rows={"7": {"x": 3, "y": 2, "z": 1, "w": 0}},
        says=("E (exact) 3, S (substitute) 2",),
    ),
    Case("F17 ESCI", ESCI, "x.csv", {"grades": {"E": 1, "S": 0.1, "C": 0, "I": 0}}, kind="qrels"),
]
SYSTEMS = {
    "bm25": {"q1": {"d2": 9}, "q2": {"d4": 8}},
    "dense": {"q1": {"d1": 0.9}, "q2": {"d5": 0.8}},
}
SYSTEM_ROWS = ("bm25,q1,d2,9", "bm25,q2,d4,8", "dense,q1,d1,0.9", "dense,q2,d5,0.8")
TREC = "q1 Q0 d2 1 9 bm25\nq2 Q0 d4 1 8 bm25\nq1 Q0 d1 1 .9 dense\nq2 Q0 d5 1 .8 dense\n"
F5 = [
    Case("F5", TREC, "multi.run", runs=SYSTEMS, says=("2 runs in one file",)),
    Case("F5", "".join(sorted(TREC.splitlines(keepends=True))), "multi.run", runs=SYSTEMS),
    *(
        case
        for name in ("system", "run", "run_name", "tag", "model", "method", "Snapshot Name")
        for case in in_every_form(
            "F5",
            csv(f"{name},query_id,doc_id,score", *SYSTEM_ROWS),
            name,
            runs=SYSTEMS,
            says=("2 runs in one file",),
        )
    ),
    *in_every_form(
        "F5",
        csv("which,query_id,doc_id,score", *SYSTEM_ROWS),
        "x",
        asked={"columns": {"system": "which"}},
        runs=SYSTEMS,
    ),
    Case(
        "F5 the same document",
        "q1 Q0 d1 1 9 a\nq1 Q0 d1 1 8 b\n",
        "x.run",
        runs={"a": {"q1": {"d1": 9}}, "b": {"q1": {"d1": 8}}},
    ),
    Case(
        "F5 twice in one system",
        csv("system,query_id,doc_id,score", *SYSTEM_ROWS, "dense,q1,d1,0.7"),
        "x.csv",
        refused=("line 6", "a second time", "duplicates=best"),
    ),
    Case(
        "F5 parts",
        "q1 Q0 d1 1 9 part1\nq1 Q0 d2 2 8 part1\nq2 Q0 d1 1 9 part2\nq2 Q0 d2 2 8 part2\n",
        "x.run",
        kind="run",
        rows={"q1": {"d1": 9, "d2": 8}, "q2": {"d1": 9, "d2": 8}},
        says=("2 run names in one file, read as one run",),
    ),
    Case("F5 one", csv("system,query_id,doc_id,score", *SYSTEM_ROWS[:2]), "x.csv", kind="run"),
]
FAR = csv("query_id,doc_id,distance", "q1,d1,0.5", "q1,d2,1.5")
OWN = csv("a,b,c,d", "q1,d1,2,0.5", "q1,d2,1,0.25")
NAMED = {"query": "a", "doc": "b"}
COLUMNS = [
    *in_every_form("F9", FAR, "x", refused=("no column for score", "columns score=-distance")),
    *in_every_form(
        "F9",
        FAR,
        "x",
        asked={"columns": {"score": "-distance"}},
        kind="run",
        rows={"q1": {"d1": -0.5, "d2": -1.5}},
        says=("inverted: smallest values first",),
    ),
    *in_every_form("columns", OWN, "x", refused=("",)),
    *in_every_form(
        "columns", OWN, "x", asked={"columns": NAMED | {"score": "c"}}, rows=RUN, kind="run"
    ),
    *in_every_form(
        "columns", OWN, "x", asked={"columns": NAMED | {"grade": "C"}}, rows=QRELS, kind="qrels"
    ),
    *in_every_form(
        "columns", OWN, "x", asked={"columns": NAMED | {"score": "e"}}, refused=("no column `e`",)
    ),
    Case("columns", json.dumps(RUN), "x.json", {"columns": NAMED}, refused=("named columns",)),
    Case(
        "columns",
        csv("query_id,doc_id,score,mine", "q1,d1,9,2", "q1,d2,8,1"),
        "x.csv",
        {"columns": {"score": "mine"}},
        kind="run",
        rows=RUN,
    ),
    Case(
        "headless",
        csv("q1,d1,2", "q1,d2,1"),
        "x.csv",
        refused=("have no names", "query (q1), document (d1)", "columns query=1,doc=2,score=3"),
    ),
    Case(
        "headless",
        csv("q1,d1,2", "q1,d2,1"),
        "x.csv",
        {"columns": {"query": "1", "doc": "2", "score": "3"}},
        kind="run",
        rows=RUN,
    ),
    Case(
        "columns apart by one or two blanks, as Cranfield's judgments",
        b"1 184  2 \n1 486 -1 \n\n2 12 4 \n",
        "cranqrel",
        {"columns": {"query": "1", "doc": "2", "grade": "3"}},
        kind="qrels",
        rows={"1": {"184": 2, "486": -1}, "2": {"12": 4}},
    ),
]


def line(**record: Any) -> str:
    return json.dumps(record) + "\n"


RANKED = {"q1": {"d2": -1, "d1": -2}}
SCORED = {"q1": {"d2": 9, "d1": 8.5}}
HITS = [{"doc_id": "d2", "score": 9.0}, {"doc_id": "d1", "score": "8.5"}]
INSIDE = line(
    query_id="q1",
    query="oil",
    positive_passages=[{"docid": "d1", "text": "a"}],
    negative_passages=[{"docid": "d2", "text": "b"}],
)
LISTS = json.dumps({"q1": ["d2", "d1"]})
F4 = [
    Case("F4", line(query_id="q1", hits=HITS), "x.jsonl", {}, "run", SCORED, "columns"),
    Case("F4", json.dumps([{"qid": "q1", "hits": HITS}]), "x.json", {}, "run", SCORED),
    *(
        Case("F4", line(query_id="q1", **{name: ["d2", "d1"]}), "x.jsonl", {}, "run", RANKED)
        for name in [
            *("ranking", "doc_ids", "retrieved", "retrieved_context_ids", "retrieved_doc_ids"),
            *("results", "references", "recommendations"),
        ]
    ),
    Case("F4", line(user_id="q1", item_ids=["d2", "d1"]), "x.jsonl", {}, "run", RANKED),
    Case(
        "F4 TREC RAG",
        line(
            run_id="r", topic_id="q1", topic="oil", references=["d2", "d1"], answer=[{"text": "a"}]
        ),
        "x.jsonl",
        kind="run",
        rows=RANKED,
        says=("the order of each list is the ranking",),
    ),
    Case(
        "F4 RankLLM",
        line(
            query={"text": "oil", "qid": "q1"}, candidates=[{"docid": "d2", "score": 9, "doc": {}}]
        ),
        "x.jsonl",
        kind="run",
        rows={"q1": {"d2": 9}},
    ),
    Case("F4 MIRACL", INSIDE, "topics.jsonl", {}, "qrels", {"q1": {"d1": 1, "d2": 0}}),
    Case("F4 MIRACL", INSIDE, "topics.jsonl", {"kind": "queries"}, "queries"),
    *(
        Case("F4", line(query_id="q1", **{name: ["d1"]}), "x.jsonl", {}, "qrels", {"q1": {"d1": 1}})
        for name in ("reference_ids", "expected_ids", "relevant_docs", "gold_ids")
    ),
    Case(
        "F4",
        line(query_id="q1", ctxs=[{"docid": "d1"}]),
        "x.jsonl",
        refused=("kind=run", "kind=qrels"),
    ),
    # numbers beside the documents of a list
    *(
        Case(
            f"grades: {key}",
            line(query_id="q1", relevant_docs=[{"id": "d1", key: 3}, {"id": "d3", key: 0}]),
            "x.jsonl",
            kind="qrels",
            rows={"q1": {"d1": 3, "d3": 0}},
        )
        for key in ("score", "grade", "relevance", "query_relevance_label", "Rating")
    ),
    Case(
        "grades in pairs",
        b'{"q1": [["d1", 3], ["d3", 0]]}',
        "x.json",
        {"kind": "qrels"},
        "qrels",
        {"q1": {"d1": 3, "d3": 0}},
    ),
    Case(
        "a list of grades",
        line(query_id="q1", relevant_docs=["d1", "d3"], relevance_grades=[3, 0]),
        "x.jsonl",
        kind="qrels",
        rows={"q1": {"d1": 3, "d3": 0}},
    ),
    Case(
        "scores that are no grades",
        line(
            query_id="q1",
            positive_passages=[{"docid": "d1", "score": 7.5}],
            negative_passages=[{"docid": "d2", "score": 3}],
        ),
        "x.jsonl",
        kind="qrels",
        rows={"q1": {"d1": 1, "d2": 0}},
        says=("1 score not used as grades",),
    ),
    Case(
        "a grade is missing",
        line(query_id="q1", relevant_docs=[{"id": "d1", "grade": 3}, {"id": "d3"}]),
        "x.jsonl",
        refused=(
            "line 1",
            "no grade for document d3 of query q1",
            "Give a grade to all documents or to none",
        ),
    ),
    Case(
        "ranks",
        line(query_id="q1", hits=[{"id": "d1", "rank": 2}, {"id": "d3", "rank": 1}]),
        "x.jsonl",
        kind="run",
        rows={"q1": {"d1": -2, "d3": -1}},
        says=("no scores in the file, so documents are ordered by rank",),
    ),
    Case(
        "a list of scores",
        line(query_id="q1", hits=["d1", "d3"], scores=[0.25, 0.5]),
        "x.jsonl",
        kind="run",
        rows={"q1": {"d1": 0.25, "d3": 0.5}},
    ),
    Case(
        "too few scores",
        line(query_id="q1", hits=["d1", "d3"], scores=[0.25]),
        "x.jsonl",
        refused=("line 1", "expected 2, the same number as at hits[], found 1 at scores[]"),
    ),
    Case(
        "scores of the other list",
        line(query_id="q1", hits=["d1", "d3"], scores=[2, 1], relevant_docs=["d3"]),
        "x.jsonl",
        {"kind": "qrels"},
        "qrels",
        {"q1": {"d3": 1}},
    ),
    # what lists no documents stays what it was
    Case("F4", line(query_id="q1", query="oil", answers=["a", "b"]), "x.jsonl", kind="queries"),
    Case("F4", line(query_id="q1", query="oil", references=["It is."]), "x.jsonl", kind="queries"),
    Case(
        "F4", line(id="d1", title="a", abstract="b", references=["d2"]), "x.jsonl", kind="documents"
    ),
    *(
        Case(
            "F5",
            line(query_id="q1", hits=["d1"], system="a")
            + line(query_id="q1", hits=["d1"], system="b"),
            f"x.{form}",
            runs={"a": {"q1": {"d1": -1}}, "b": {"q1": {"d1": -1}}},
        )
        for form in ("jsonl", "ndjson")
    ),
]
F17 += [
    Case("F17", LISTS, "x.json", refused=("lists of documents", "kind=run", "kind=qrels")),
    Case("F17", LISTS, "x.json", {"kind": "run"}, "run", RANKED, "said"),
    Case("F17", LISTS, "x.json", JUDGED, "qrels", {"q1": {"d2": 1, "d1": 1}}, "said"),
    Case("F17", LISTS, "qrels.json", {}, "qrels", {"q1": {"d2": 1, "d1": 1}}, "name"),
    Case("F17", LISTS, "bm25.json", {}, "run", RANKED, "name"),
    Case(
        "F17",
        json.dumps({"q1": [["d2", 9], ["d1", 8.5]]}),
        "x.json",
        {"kind": "run"},
        "run",
        SCORED,
    ),
    Case("F17", json.dumps({"q1": [["d2", "x"]]}), "x.json", {"kind": "run"}, refused=("a list",)),
    Case(
        "F17",
        line(query_id="q1", hits=[{"doc_id": "d"}, 1.5]),
        "x.jsonl",
        refused=("line 1", "`1.5`"),
    ),
    Case(
        "F17",
        line(query_id="q1", hits=[*HITS, "d3"]),
        "x.jsonl",
        refused=("line 1", "expected an object with `doc_id`, found `d3` at hits[2]"),
    ),
    Case("F17", line(query_id="q1", hits=["d", "d"]), "x.jsonl", refused=("a second time",)),
    Case(
        "F17 LETOR",
        "2 qid:q1 1:0.5 # d1\n1 qid:q1 1:0.1 # d2\n",
        "x.txt",
        kind="qrels",
        rows=QRELS,
        evidence="columns",
    ),
    Case("F17 RankLib", "q1\t0\t0.5\nq1\t1\t0.25\n", "x", {}, "run", {"q1": {"0": 0.5, "1": 0.25}}),
    Case(
        "F17 ragas",
        line(user_input="oil?", retrieved_context_ids=["d2", "d1"], reference_context_ids=["d1"]),
        "x.jsonl",
        JUDGED,
        kind="qrels",
        rows={"oil?": {"d1": 1}},
    ),
    Case(
        "F17 OpenSearch",
        json.dumps(
            {"judgmentRatings": [{"query": "q1", "ratings": [{"docId": "d", "rating": 1}]}]}
        ),
        "bm25_run.json",
        kind="qrels",
        rows={"q1": {"d": 1}},
    ),
    Case(
        "F17 OpenSearch",
        line(searchText="q1", searchConfigurationId="c", documentIds=["d2", "d1"]),
        "qrels.jsonl",
        kind="run",
        rows=RANKED,
    ),
    Case(
        "F17 rank_eval",
        line(requests=[{"id": "q1", "ratings": [{"_index": "i", "_id": "d", "rating": 2}]}]),
        "x.json",
        kind="qrels",
        rows={"q1": {"d": 2}},
    ),
    Case(
        "F17 rank_eval",
        line(details={"q1": {"hits": [{"hit": {"_id": "d2", "_score": 9}, "rating": 1}]}}),
        "x.json",
        kind="run",
        rows={"q1": {"d2": 9}},
        evidence="columns",
    ),
    Case(
        "F17 LlamaIndex",
        line(queries={"q": "a"}, corpus={"d": "b"}, relevant_docs={"q": ["d"]}),
        "x.json",
        {},
        "qrels",
        {"q": {"d": 1}},
        "columns",
    ),
    *(
        Case("F17", content, name, asked, refused=words)
        for content, name, asked, words in [
            (line(requests=[{"id": "q", "ratings": []}]), "x.json", JUDGED, ("none in this file",)),
            (line(metric_score=0.5, details={}), "x.json", {"kind": "run"}, ("none in this file",)),
            (line(questions=[{"id": "q"}]), "x.json", {}, ("lists of documents",)),
            (
                json.dumps([{"question": "a", "positive_ctxs": [{}]}]),
                "x.json",
                {},
                ("positive_ctxs[0]",),
            ),
            ("version https://git-lfs.github.com/spec/v1\n", "x.run", {}, ("git lfs pull",)),
            ("404: Not Found", "x.run", {}, ("a web page",)),
        ]
    ),
]
TITLES = {"query one": {"my doc": 2.5, "doc 7": 1.5}}
TABS = [
    Case(
        "tabs",
        "query one\tQ0\tmy doc\t1\t2.5\tour run\nquery one\tQ0\tdoc 7\t2\t1.5\tour run\n",
        "x.txt",
        kind="run",
        rows=TITLES,
        says=("split only at tabs",),
    ),
    Case(
        "tabs",
        "q1\tQ0\tdoc 7\t1\t2.5\tt\n",  # else rank 7, score 1
        "x.txt",
        kind="run",
        rows={"q1": {"doc 7": 2.5}},
    ),
    Case(
        "tabs", "q1\t0\tmy doc\t1\nq1\t0\td2\t0\n", "x", {}, "qrels", {"q1": {"my doc": 1, "d2": 0}}
    ),
    Case(
        "tabs",
        "q1\tQ0\td1\t1\t2.5\tour run\n",
        "x",
        {},
        "run",
        {"q1": {"d1": 2.5}},
        says=("more than six",),
    ),
    Case("tabs", "q1 Q0 my doc 1 2.5 t\n", "x.run", refused=("an id contain a blank",)),
]
RISING = [(f"q{q},d{d}", d + q / 10) for q in range(6) for d in range(3)]
F9 = [
    *in_every_form(
        "F9",
        csv("query_id,doc_id,score", *(f"{ids},{score}" for ids, score in RISING)),
        "x",
        kind="run",
        says=("in 6 of 6 lists the scores rise", "are they distances"),
    ),
    Case(
        "F9",
        json.dumps({f"q{q}": {f"d{d}": d + q / 10 for d in range(3)} for q in range(6)}),
        "x.json",
        kind="run",
        says=("in 6 of 6 lists the scores rise",),
    ),
    *in_every_form(
        "F9",
        csv("query_id,doc_id,rank,score", "q1,d1,1,0.1", "q1,d2,2,0.25"),
        "x",
        kind="run",
        says=("in 1 of 1 queries the rank column contradicts the scores",),
    ),
]

GRADED = {"q1": {"d1": 0.5, "d2": 0.0}}
REAL_GRADES = JUDGED | {"grades": "real"}
F12 = [
    Case(
        "F12",
        "q1 0 d1 0.5\nq1 0 d2 0\n",
        "x.txt",
        REAL_GRADES,
        "qrels",
        GRADED,
        "said",
        says=("AP(rel=0.5)",),
    ),
    *in_every_form(
        "F12",
        csv("query_id,doc_id,relevance", "q1,d1,0.5", "q1,d2,0"),
        "x",
        asked=REAL_GRADES,
        kind="qrels",
        rows=GRADED,
        says=("all grades are between 0 and 1",),
    ),
]


def label(case: Case) -> str:
    asked = ",".join(f"{name}={value}" for name, value in case.asked.items())
    return f"{case.situation}-{case.name}-{asked}"


@pytest.mark.parametrize(
    "case", [*F1, *F2, *F14, *F15, *F17, *F4, *F5, *F9, *F12, *TABS, *COLUMNS], ids=label
)
def test_what_a_file_is(case: Case) -> None:
    content = case.content.encode() if isinstance(case.content, str) else case.content

    def loaded() -> Loaded:
        return read(content, name=case.name, **case.asked)

    if case.refused:
        with pytest.raises(FileFormatError) as caught:
            loaded()
        told = str(caught.value)
        assert all(words in told for words in case.refused), told
        return
    if case.runs is not None:
        with pytest.raises(FileFormatError, match=r"expected one run, found \d+ runs: "):
            loaded()
        each = read_all_tables(content, name=case.name, **case.asked)
        assert {one.tag: rows_of(one.table) for one in each} == case.runs
        assert {one.table.name for one in each} == set(case.runs)  # type: ignore[union-attr]
        told = "; ".join(note.message for one in each for note in one.notes)
        assert all(words in told for words in case.says), told
        return
    found = loaded()
    assert found.kind == case.kind
    assert case.evidence in ("", found.evidence)
    assert case.rows is None or rows_of(found.table) == case.rows
    told = "; ".join(note.message for note in found.notes)
    assert all(words in told for words in case.says), told


@pytest.mark.parametrize(
    ("content", "name", "names", "row"),
    [
        ("who,what,stars\nu1,i1,5\n", "x.csv", ["who", "what", "stars"], ["u1", "i1", "5"]),
        (
            "u1\ti1\t5\t881250949\nu2\ti1\t4\t881250950\n",
            "u.data",
            ["1", "2", "3", "4"],
            ["u1", "i1", "5", "881250949"],
        ),
        (line(who="u1", stars=5), "x.jsonl", ["who", "stars"], ["u1", "5"]),
        (json.dumps([{"who": "u1"}]), "x.json", ["who"], ["u1"]),
        (parquet(csv("who,what", "u1,i1")), "x.parquet", ["who", "what"], ["u1", "i1"]),
    ],
)
def test_the_columns_to_choose_from(
    content: Content, name: str, names: list[str], row: list[str]
) -> None:
    found = read_first_rows(content.encode() if isinstance(content, str) else content, name=name)
    assert found is not None and (found.names, found.rows[0]) == (names, row)


@pytest.mark.parametrize("content", ["q1 0 d1 1\n", json.dumps(RUN), "<top>\n<num> 1\n</top>\n"])
def test_what_has_no_columns_to_choose_from(content: str) -> None:
    assert read_first_rows(content.encode()) is None


JUDGED = Qrels.from_columns(
    [f"q{q}" for q in range(10) for _ in range(2)],
    [f"d{q}{d}" for q in range(10) for d in range(2)],
    [1, 0] * 10,
)
"""Two judgments for each of ten queries."""


def of_ten(documents: Callable[[int], Any]) -> str:
    return json.dumps({f"q{q}": documents(q) for q in range(10)})


RERANKED = of_ten(lambda q: {f"d{q}{d}": 9 - d for d in range(1, 6)})
LISTED = of_ten(lambda q: [f"d{q}{d}" for d in range(1, 6)])


@pytest.mark.parametrize(
    ("content", "taken"),
    [
        (RERANKED, "run"),
        (LISTED, "run"),
        # Other judgments: of the same documents; of others, whose grades repeat.
        (of_ten(lambda q: {f"d{q}0": 2, f"d{q}1": 0}), "qrels"),
        (of_ten(lambda q: {f"d{q}{d}": int(d == 1) for d in range(1, 9)}), "qrels"),
        # Of other queries, or other documents.
        (RERANKED.replace("q", "Q"), "qrels"),
        (RERANKED.replace("d", "D"), "qrels"),
        (of_ten(lambda q: [f"d{q}0", f"d{q}1"]), "asked"),
        (LISTED.replace("q", "Q"), "asked"),
    ],
)
def test_what_nothing_else_tells_is_told_by_the_judgments_that_are_loaded(
    content: str, taken: str
) -> None:
    def taken_for(judgments: tuple[Qrels, ...], name: str = "x.json") -> tuple[str, str, str]:
        try:
            (found,) = read_all_tables(content.encode(), name=name, judgments=judgments)
        except FileFormatError as error:
            assert "kind=run" in error.hint and "kind=qrels" in error.hint
            return "asked", "", ""
        return found.kind, found.evidence, "; ".join(note.message for note in found.notes)

    alone = taken_for(())
    assert alone[0] in ("qrels", "asked") and alone[1] in ("guess", "")
    kind, evidence, said = taken_for((JUDGED,))
    assert kind == taken
    if kind == "run":
        assert evidence == "loaded"
        assert "read as a run: the loaded judgments cover 10 of the run's 10 queries" in said
        assert "10 of its 50 documents" in said
    assert taken_for((JUDGED,), "gold_labels.json")[:2] == ("qrels", "name")


@pytest.mark.parametrize("form", FORMS)
def test_a_column_of_systems_that_is_said_to_be_none(form: str) -> None:
    text = csv("qid,docid,score,model", "q1,d1,2.5,a", "q1,d2,1.5,a", "q1,d3,0.5,b", "q1,d4,0.1,b")
    content = FORMS[form](text)
    content = content.encode() if isinstance(content, str) else content
    assert len(read_all_tables(content, name=f"x.{form}")) == 2
    (one,) = read_all_tables(content, name=f"x.{form}", columns={"system": "-"})
    assert rows_of(one.table) == {"q1": {"d1": 2.5, "d2": 1.5, "d3": 0.5, "d4": 0.1}}


def of_columns(**columns: list[Any]) -> bytes:
    buffer = io.BytesIO()
    pd.DataFrame(columns).to_parquet(buffer, index=False)
    return buffer.getvalue()


def test_lists_in_parquet_are_those_of_json() -> None:
    found = read(
        of_columns(qid=["q1", "q2"], retrieved_ids=[["d2", "d1"], ["d9"]]), name="x.parquet"
    )
    assert found.kind == "run" and rows_of(found.table) == {
        "q1": {"d2": -1.0, "d1": -2.0},
        "q2": {"d9": -1.0},
    }
    numbers = of_columns(qid=[1, 2], system=["a", "b"], hits=[[7, 8], [9]], n=[[1], []])
    assert rows_of(read(numbers, name="x.parquet").table) == {
        "1": {"7": -1.0, "8": -2.0},
        "2": {"9": -1.0},
    }
    graded = of_columns(qid=["q1"], relevant_docs=[["d1", "d2"]], grades=[[3, 0]])
    assert rows_of(read(graded, name="x.parquet").table) == {"q1": {"d1": 3, "d2": 0}}
    autorag = of_columns(
        qid=["q1"],
        query=["how?"],
        retrieval_gt=[[["d1"], ["d2", "d3"]]],
        generation_gt=[["so"]],
    )
    assert is_set(autorag)
    made = {loaded.kind: loaded.table for loaded in read_set(autorag, name="qa.parquet")}
    assert made.keys() == {"queries", "qrels"}
    assert rows_of(made["qrels"]) == {"q1": {"d1": 1, "d2": 1, "d3": 1}}
    both = of_columns(query_id=["q1"], retrieved_ids=[["d1", "d2"]], expected_ids=[["d2"]])
    kinds = [loaded.kind for loaded in read_set(both, name="x.parquet")]
    assert kinds == ["queries", "qrels", "run"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "relevance,id,query\n4,2300,space jam\n0,11,space jam\n", "no column for doc_id"),
        (
            "a.jsonl",
            '{"session": 1, "labels": {"clicks": 3}}\n'
            '{"session": 2, "labels": {"carts": [4], "orders": [5]}}\n',
            "`metrics-core formats --of a.jsonl` lists its fields",
        ),
    ],
    ids=["Quaerite", "OTTO"],
)
def test_judgments_whose_documents_have_no_name_are_asked_about(
    name: str, content: str, message: str
) -> None:
    """Both were read as queries without a question."""
    with pytest.raises(FileFormatError, match=re.escape(message)):
        read(content.encode(), name=name)


def test_a_grade_of_queries_is_a_column_of_theirs() -> None:
    (loaded,) = read_all_tables(
        b"query_id,text,grade\nq1,hello there,3\nq2,other,4\n", name="a.csv"
    )
    assert isinstance(loaded.table, Queries)
    assert list(loaded.table.frame["grade"]) == ["3", "4"]
