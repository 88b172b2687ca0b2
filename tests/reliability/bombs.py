"""Small files that could take very much time or memory, by name: each is given how large it is to
be in bytes. Run as a program, it reads them and prints what that took, for `test_bombs`."""

from __future__ import annotations

import gzip
import io
import json
import sys
import time
import zipfile
from collections.abc import Callable
from typing import Any

import pyarrow as pa

Bomb = tuple[str, Callable[[int], bytes]]
"""A file's name, and what makes its bytes."""

SNAPSHOTS = "Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position\n"


def _json(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def _records(one: Callable[[str, list[str]], Any], per: int, *, lines: bool = False) -> Bomb:
    """A short record, by which the file is recognised, and one with a long id that many documents
    share, which take `per` bytes each."""

    def made(size: int) -> bytes:
        records = one("a", ["d1"]), one(*_long(size, per))
        return b"\n".join(map(_json, records)) if lines else _json(records)

    return "x.jsonl" if lines else "x.json", made


def _objects(one: Callable[[dict[str, list[str]]], Any], per: int) -> Bomb:
    """The same, the ids as keys of an object."""
    return "x.json", lambda size: _json(one({"a": ["d1"], **dict([_long(size, per)])}))


def _long(size: int, per: int) -> tuple[str, list[str]]:
    long = min(size // 2, 100_000)
    return "q" * long, [f"d{i}" for i in range((size - long) // per)]


def _rows(name: str, row: Callable[[int], str], head: str = "") -> Bomb:
    width = len(row(1000))
    return name, lambda size: (head + "".join(map(row, range(size // width)))).encode()


def _text(text: str) -> bytes:
    return b"\x7a" + len(text).to_bytes(4, "big") + text.encode()


def _map(entries: int) -> bytes:
    return b"\xba" + entries.to_bytes(4, "big")


def _ranx(content: bytes) -> bytes:
    for _ in range(2):
        out = pa.BufferOutputStream()
        with pa.CompressedOutputStream(out, "lz4") as packing:
            packing.write(content)
        content = out.getvalue().to_pybytes()
    return content


def _ranx_long(size: int) -> bytes:
    docs = b"".join(_text(f"d{i}") + b"\x01" for i in range(size // 12))
    return _ranx(_map(1) + _text("q" * size) + _map(size // 12) + docs)


def _ranx_short(size: int) -> bytes:
    return _ranx(_map(1) + _text("q") + _map(size * 2) + b"\x61d\x01" * (size * 2))


def _overlapping(size: int, about: str = "") -> bytes:
    """Members that are one and the same bytes of the file, beside what it is `about`."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        if about:
            made.writestr("readme.txt", about)
        made.writestr("0.run", b"q Q0 d 1 1 x\n" * 300_000)
        shared = made.filelist[-1]
        for number in range(1, size // 2000):
            again = zipfile.ZipInfo(f"{number}.run")
            for told in ("header_offset", "file_size", "compress_size", "CRC", "compress_type"):
                setattr(again, told, getattr(shared, told))
            made.filelist.append(again)
    return out.getvalue()


def _padded(text: bytes, size: int) -> bytes:
    """A text as a packed file of `size` bytes, or of more where it does not pack so well: a long
    name of the file stands in it, so that it may unpack to as much as files of this size."""
    packed = gzip.compress(text)
    name = b"n" * max(0, size - len(packed) - 1)
    return packed[:3] + b"\x08" + packed[4:10] + name + b"\0" + packed[10:]


def _packed(name: str, times: int) -> Bomb:
    """Another bomb in a packed file of `size` bytes, unpacked so many times as large."""
    ending = "csv" if name.startswith("quepid n") else "json"
    return f"x.{ending}.gz", lambda size: _padded(BOMBS[name][1](size * times), size)


def _model(parts: dict[str, Any]) -> dict[str, Any]:
    return {"mteb_model_meta": {"model_name": "o/m", "revision": "a"}, "default": parts}


def _rated(docs: list[str]) -> list[dict[str, Any]]:
    return [{"_index": "i", "_id": doc, "rating": 1} for doc in docs]


def _scored(docs: list[str]) -> list[dict[str, Any]]:
    return [{"doc_id": doc, "score": 1.5} for doc in docs]


def _found(docs: list[str]) -> dict[str, Any]:
    hits = [{"hit": {"_index": "i", "_id": doc, "_score": 1.5}, "rating": 1} for doc in docs]
    return {"metric_score": 0.5, "unrated_docs": [], "hits": hits}


def _case(found: dict[str, list[str]]) -> dict[str, Any]:
    queries = [{"query_text": q, "ratings": dict.fromkeys(ds, 1)} for q, ds in found.items()]
    return {"case_name": "F", "queries": queries}


def _turns(docs: list[str]) -> list[dict[str, Any]]:
    return [{"number": i, "raw_utterance": "u"} for i in range(len(docs))]


BOMBS: dict[str, Bomb] = {
    "json map": _objects(lambda m: {q: dict.fromkeys(ds, 1.5) for q, ds in m.items()}, 12),
    "mteb": _objects(
        lambda m: _model({"test": {q: dict.fromkeys(ds, 1.5) for q, ds in m.items()}}), 12
    ),
    "mteb splits": _objects(
        lambda m: _model({q: {"q": dict.fromkeys(ds, 1.5)} for q, ds in m.items()}), 12
    ),
    "lists": _records(lambda q, ds: {"query_id": q, "hits": _scored(ds)}, 30, lines=True),
    "lists of runs": _records(
        lambda q, ds: {"query_id": q[:2], "run": q, "hits": _scored(ds)}, 30, lines=True
    ),
    "lists of judgments": _records(
        lambda q, ds: {"query_id": q, "positive_passages": [{"docid": d} for d in ds]},
        20,
        lines=True,
    ),
    "retrieved": _records(lambda q, ds: {"query": q, "retrieved": ds, "expected": ["d"]}, 8),
    "expected": _records(lambda q, ds: {"query": q, "retrieved": ["d"], "expected": ds}, 8),
    "cast": _records(lambda q, ds: {"number": len(ds), "title": q, "turn": _turns(ds)}, 35),
    "cast numbers": _records(lambda q, ds: {"number": q, "turn": _turns(ds)}, 35),
    "castorini": _records(
        lambda q, ds: {
            "query": {"qid": q, "text": "t"},
            "candidates": [{"docid": d, "score": 1.5, "doc": {"contents": "c"}} for d in ds],
        },
        50,
        lines=True,
    ),
    "gold set": _objects(
        lambda m: {"queries": dict.fromkeys(m, "t"), "corpus": {"d1": "c"}, "relevant_docs": m}, 8
    ),
    "opensearch judgments": _records(
        lambda q, ds: {"query": q, "ratings": [{"docId": d, "rating": "1"} for d in ds]}, 30
    ),
    "opensearch results": _records(
        lambda q, ds: {"searchText": q, "searchConfigurationId": "c", "documentIds": ds}, 8
    ),
    "opensearch runs": _records(
        lambda q, ds: {"searchText": q[:2], "searchConfigurationId": q, "documentIds": ds}, 8
    ),
    "many opensearch runs": (
        "x.json",
        lambda size: _json(
            [
                {"searchText": "q", "searchConfigurationId": f"c{i}", "documentIds": ["d"]}
                for i in range(size // 70)
            ]
        ),
    ),
    "quepid case": _objects(_case, 10),
    "quepid names": _rows("x.csv", lambda i: f"s{i},,7,q,d,1\n", SNAPSHOTS),
    "quepid times": _rows("x.csv", lambda i: f"s,{i},7,q,d,1\n", SNAPSHOTS),
    "quepid cases": _rows("x.csv", lambda i: f"s,t,{i},q,d,1\n", SNAPSHOTS),
    "ragas": _records(
        lambda q, ds: {
            "user_input": q,
            "retrieved_context_ids": ds,
            "reference_context_ids": ["d"],
        },
        8,
        lines=True,
    ),
    "rank eval request": (
        "x.json",
        lambda size: _json(
            {
                "requests": [
                    {"id": q, "request": {"query": {}}, "ratings": _rated(ds)}
                    for q, ds in (("a", ["d"]), _long(size, 40))
                ],
                "metric": {},
            }
        ),
    ),
    "rank eval answer": _objects(
        lambda m: {"metric_score": 0.5, "details": {q: _found(ds) for q, ds in m.items()}}, 60
    ),
    "sentence transformers": _records(
        lambda q, ds: {
            "query_id": q,
            "query": "r",
            "results": [{"corpus_id": d, "score": 1.5} for d in ds],
        },
        35,
        lines=True,
    ),
    "trec rag": _records(
        lambda q, ds: {
            "run_id": "o",
            "topic_id": q,
            "topic": "w",
            "references": ds,
            "answer": [],
        },
        8,
        lines=True,
    ),
    "many trec rag runs": _rows(
        "x.jsonl",
        lambda i: f'{{"run_id":"{i}","topic_id":"t","topic":"w","references":["d"],"answer":[]}}\n',
    ),
    "sparse lines": _rows("x.jsonl", lambda i: f'{{"_id":"{i}","text":"t","k{i % 4000}":"v"}}\n'),
    "sparse queries": _rows(
        "x.jsonl", lambda i: f'{{"query_id":"{i}","text":"t","metadata":{{"k{i % 4000}":"v"}}}}\n'
    ),
    "sparse topics": _rows(
        "x.txt", lambda i: f"<top>\n<num> {i}\n<title> a\n<f{i % 4000}> x\n</top>\n"
    ),
    "ranx": ("x.lz4", _ranx_long),
    "ranx of one document": ("x.lz4", _ranx_short),
    "overlapping members": ("x.zip", _overlapping),
    "overlapping members of a cut": (
        "x.zip",
        lambda size: _overlapping(size, "cut from a collection by Ranklens"),
    ),
    "packed castorini": _packed("castorini", 12),
    "packed splits": _packed("mteb splits", 5),
    "packed hits": _packed("rank eval answer", 12),
    "packed cases": _packed("quepid case", 8),
    "packed snapshots": _packed("quepid names", 6),
    "packed lists": _packed("retrieved", 6),
    "packed keys": _packed("json map", 5),
    "packed emoji": ("x.json.gz", lambda size: _padded(_json({"🙂" + "q" * 45 * size: 1}), size)),
    "packed emoji texts": (
        "x.json.gz",
        lambda size: _padded(_json([{"_id": "d", "text": "🙂" + "t" * 45 * size}]), size),
    ),
    "packed blanks": (
        "x.jsonl.gz",
        lambda size: _padded(
            _json({"run_id": "r", "topic_id": "t", "topic": "w", "references": ["d"], "answer": []})
            + b"\n" * 45 * size,
            size,
        ),
    ),
    "packed quotes": (
        "x.csv.gz",
        lambda size: _padded(
            b"query_id,doc_id,score\n" + b"".join(b'"q",d%d,1\n' % i for i in range(size * 5 // 8)),
            size,
        ),
    ),
    "packed numbers": ("x.json.gz", lambda size: gzip.compress(b"[" + b"1," * size * 3 + b"1]")),
    "packed records": (
        "x.json.gz",
        lambda size: gzip.compress(b"[" + b'{"_id":1},' * (size // 2) + b"{}]"),
    ),
}


def _read(name: str, content: bytes) -> str:
    """Read a file as a page does that it was uploaded to; what became of it."""
    from dashboard.files.query_zip import read_query_zip
    from dashboard.files.uploaded_file import UploadedFile, detect_upload_kind, read_tables
    from dashboard.workspace.adding import hash_content, pack_table
    from metrics_core.base.errors import RanklensError

    given = UploadedFile(name, content)
    try:
        if detect_upload_kind(given) == "cut":
            return f"{len(read_query_zip(given.origin, name).files)} files"
        made = read_tables(given)
        for loaded in made:
            hash_content(loaded.table, loaded.kind)
            pack_table(loaded.table)
    except RanklensError as error:
        return error.message
    return f"{len(made)} tables"


def main(size: int, names: list[str]) -> None:
    """Read these in this process, which may take 6 GB; print seconds and megabytes of each."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
    _read("x.json", _json([{"query_id": "q", "doc_id": "d", "score": 1}]))
    for name in names:
        file, make = BOMBS[name]
        content = make(size)
        before, begun = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
        told = _read(file, content)
        took = time.process_time() - begun
        more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        row = {"name": name, "seconds": took, "megabytes": more / 1000, "told": told[:200]}
        print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:] or list(BOMBS))
