"""Whole files to mutate: every format that is read, every packing, every kind of table."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import zipfile
from collections.abc import Callable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq

from metrics_core.base.errors import RanklensError
from metrics_core.formats import formats, table_bytes
from metrics_core.tables import Documents, Qrels, Queries, Run, Table

EXAMPLES = Path(__file__).parents[2] / "metrics_core/formats/tools/examples"
"""Whole files of other tools; each that is put there is mutated, too."""

_DAYS = pa.array([1, 2], pa.date32())
_QUERIES = [f"q{i // 4}" for i in range(24)]
_DOCS = [f"d{i}é" if i % 7 == 0 else f"doc-{i}" for i in range(24)]

TABLES: dict[str, Table] = {
    "run": Run.from_columns("bm25", _QUERIES, _DOCS, [24.5 - i for i in range(24)]),
    "qrels": Qrels.from_columns(_QUERIES, _DOCS, [i % 3 - 1 for i in range(24)]),
    "subtopics": Qrels.from_columns(
        ["q1", "q1", "q1"], ["d1", "d1", "d2"], [1, 0, 2], ["a", "b", "a"]
    ),
    "queries": Queries.from_columns(
        {"query_id": ["q0", "q1"], "text": ['a "b", c', "réfund"], "category": ["k", None]}
    ),
    "documents": Documents.from_columns(
        {"doc_id": ["d1", "d2"], "title": ["T", None], "text": ['some "text"', "x\ty"]}
    ),
}

TOPICS = """<?xml version="1.0"?>
<topics task="x"><!-- two of them -->
<topic number="1" type='faceted'><query>fruit &amp; veg</query><description>Which?</description>
<subtopic number="1">apples</subtopic></topic>
<topic number="2"><title>caf&#233;</title><narr>Narrative: all</narr></topic></topics>
"""
CAST = [{"number": 31, "title": "x", "turn": [{"number": 1, "raw_utterance": "What is it?"}]}]
DETAILED = [
    {
        "id": f"q{i}",
        "query": "refund",
        "category": "billing",
        "retrieved": ["d1", f"d{i}"],
        "expected": ["d1"],
        "metrics": {"mrr": 1.0, "precision@3": 0.5},
    }
    for i in range(1, 4)
]
SAMPLES = """user_input,retrieved_contexts,retrieved_context_ids,reference_context_ids
a,"['it\\'s', ""b""]","['d1', 7]",['d1']
b,[],[],"[""d2""]"
"""
ANSWER = {
    "metadata": {"run_id": "ours", "topic_id": 7, "narrative": "why"},
    "references": {"d1": "a text", "d2": 0.5, "d3": {"text": "so", "url": "u"}},
}

PACKINGS: Mapping[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda data: pa.Codec("zstd").compress(data, asbytes=True),
    ".lz4": lambda data: pa.Codec("lz4").compress(data, asbytes=True),
    ".zip": lambda data: zipped({"x.run": data}),
}


def zipped(members: Mapping[str, bytes]) -> bytes:
    """A zip file of these members."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def beir(run: bytes) -> bytes:
    """A zip of a BEIR set."""
    members = {
        "set/corpus.jsonl": table_bytes(TABLES["documents"], "jsonl"),
        "set/queries.jsonl": table_bytes(TABLES["queries"], "jsonl"),
        "set/qrels/test.tsv": b"query-id\tcorpus-id\tscore\nq0\td1\t1\nq1\td2\t0\n",
        "set/qrels/dev.tsv": b"query-id\tcorpus-id\tscore\nq0\td1\t1\n",
        "set/bm25.run": run,
    }
    return zipped(members)


def office() -> bytes:
    """What looks like a spreadsheet."""
    return zipped({"[Content_Types].xml": b"<x/>", "xl/worksheets/sheet1.xml": b"<c>1</c>"})


def parquets() -> dict[str, bytes]:
    """Parquet files of many types, packings and shapes."""
    ids = pa.array(range(24))
    plain = {"query_id": pa.array(_QUERIES), "doc_id": pa.array(_DOCS)}
    scores = pa.array([24.5 - i for i in range(24)])
    columns: dict[str, dict[str, Any]] = {
        "texts": plain | {"score": scores},
        "numbers": {"query_id": ids.cast(pa.uint64()), "doc_id": ids, "score": scores},
        "floats": {"qid": ids.cast(pa.float64()), "docno": plain["doc_id"], "label": ids},
        "coded": {k: v.dictionary_encode() for k, v in plain.items()} | {"rank": ids},
        "decimals": plain | {"score": pa.array([Decimal("1.5")] * 24, pa.decimal128(9, 3))},
        "times": plain | {"score": ids.cast(pa.timestamp("ns"))},
        "binary": {k: v.cast(pa.binary()) for k, v in plain.items()} | {"score": scores},
        "large": {k: v.cast(pa.large_string()) for k, v in plain.items()} | {"score": scores},
        "nulls": plain | {"score": pa.array([None, 1.5] * 12), "note": pa.nulls(24)},
        "bools": plain | {"relevance": pa.array([True, False] * 12)},
        "small": plain | {"score": scores.cast(pa.float16()), "date": ids.cast(pa.int32())},
        "nested": plain | {"score": scores, "tags": pa.array([["a"], []] * 12)},
        "queries": {"query_id": ["a", "b"], "text": ["x", None], "n": [1, 2], "b": [b"\xff", b""]},
        "documents": {
            "doc_id": ["a", "b"],
            "price": [1.5, None],
            "day": _DAYS,
        },
    }
    columns["autorag"] = {
        "qid": ["q1", "q2"],
        "query": ["a", "b"],
        "retrieval_gt": [[["d1"], ["d2", "d3"]], [[]]],
        "retrieved_contents": [["t", "u"], []],
        "retrieved_ids": [["d1", "d9"], []],
        "retrieve_scores": [[0.5, 0.25], []],
    }
    columns["corpus"] = {
        "doc_id": ["d1", "d2"],
        "contents": ["t", "u"],
        "metadata": [{"prev_id": None, "next_id": "d2"}, {"prev_id": "d1", "next_id": None}],
    }
    found = {}
    for number, (name, own) in enumerate(columns.items()):
        sink = io.BytesIO()
        packing = ("snappy", "zstd", "gzip", "none", "brotli", "lz4")[number % 6]
        pq.write_table(
            pa.table(own),
            sink,
            compression=packing,
            row_group_size=(7, 100)[number % 2],
            use_dictionary=number % 3 > 0,
            data_page_version=("1.0", "2.0")[number % 2],
        )
        found[f"{name}.parquet"] = sink.getvalue()
    return found


def seeds() -> dict[str, bytes]:
    """The files to mutate, by name."""
    found: dict[str, bytes] = {}
    for kind, table in TABLES.items():
        for declared in formats():
            try:
                found[f"{kind}.{declared.name}"] = table_bytes(table, declared.name)
            except RanklensError:
                continue
    found |= {f"{f.name}.example": f.example.encode() for f in formats() if not f.magic}
    found |= {path.name: path.read_bytes() for path in sorted(EXAMPLES.iterdir())}
    run = found["run.trec"]
    found |= parquets() | {f"packed.run{ending}": pack(run) for ending, pack in PACKINGS.items()}
    found["records.json"] = json.dumps([{"qid": "a", "docno": "b", "score": 1}]).encode()
    found["cast.json"] = json.dumps(CAST).encode()
    found["detailed.json"] = json.dumps({"detailed_results": DETAILED}, indent=1).encode()
    found["detailed.jsonl"] = "\n".join(json.dumps(r) for r in DETAILED).encode()
    found["samples.csv"] = SAMPLES.encode()
    found["answer.jsonl"] = json.dumps(ANSWER).encode()
    found["topics.xml"] = TOPICS.encode()
    found["beir.zip"], found["book.xlsx"] = beir(run), office()
    sink = io.BytesIO()
    pyarrow.feather.write_feather(pa.table({"query_id": ["q"], "score": [1.0]}), sink)
    found["table.feather"] = sink.getvalue()
    found["run16.trec"] = run.decode().encode("utf-16")
    found["latin.csv"] = "qid,docno,score\nq,caf\xe9,1\n".encode("latin-1")
    found["crlf.tsv"] = found["run.tsv"].replace(b"\n", b"\r\n")
    found["ranks.tsv"] = b"".join(b"q%d\td%d\t%d\n" % (i // 5, i, i % 5 + 1) for i in range(20))
    return found
