"""What files of known kinds are taken for: generated ones of forty shapes, by the share of each.

    python -m benchmarks.taken_for                        20,000 files
    python -m benchmarks.taken_for --files 2000 --seed 7

Each file is a run, judgments, queries or documents, written in a shape that some tool has, with ids
and numbers as people have them, under a name that says nothing or says what it is. It is read as a
file that is added to an open collection, of which nobody has said what it is:

    right     taken for what it is, by its columns or its name
    asked     a guess, which a page asks about, or refused with the choice that reads it
    refused   refused with what was found and what was expected
    another   taken for another kind without a question: there must be none with named columns
    changed   what is used of the collection is no longer what it was, or an older run's scores
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from dashboard.files.files import File
from dashboard.study.library import assemble_library
from metrics_core.base.errors import RanklensError
from metrics_core.formats import Loaded, read_all_tables
from metrics_core.formats.registry import Kind
from metrics_core.measures.declaring.names import parse_measure
from metrics_core.tables import Documents, Qrels, Queries, Run, Table

OUTCOMES = ("right", "asked", "refused", "another", "changed")
_OFFERS = ("kind=", "columns ", "grades=")
"""Words of an error's hint that say how the file can be read."""

MEASURE = parse_measure("nDCG@10")

Rows = list[tuple[str, str, float]]
"""query_id, doc_id and a score or grade."""


@dataclass(frozen=True)
class Shape:
    """How a tool writes a kind: rows to bytes. `named` says that columns or keys have names."""

    title: str
    kind: Kind
    ending: str
    write: Callable[[Rows, random.Random], bytes]
    named: bool = True


@dataclass(frozen=True)
class Collection:
    """The open collection: its files, its runs and their scores, float64[run, query]."""

    files: list[File]
    runs: list[str]
    scores: npt.NDArray[np.float64]


def _lines(*of: str) -> bytes:
    return ("\n".join(of) + "\n").encode()


def _by_query(rows: Rows) -> dict[str, list[tuple[str, float]]]:
    found: dict[str, list[tuple[str, float]]] = {}
    for query_id, doc_id, number in rows:
        found.setdefault(query_id, []).append((doc_id, number))
    return found


def _records(
    names: Sequence[str], rows: Rows, extra: Mapping[str, object]
) -> list[dict[str, object]]:
    return [dict(zip(names, row, strict=True)) | dict(extra) for row in rows]


def _as_csv(records: list[dict[str, object]], mark: str = ",") -> bytes:
    out = io.StringIO()
    writer = csv.DictWriter(out, list(records[0]), delimiter=mark, lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue().encode()


def _as_parquet(records: list[dict[str, object]]) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(records), out)
    return out.getvalue()


def _as_jsonl(records: Sequence[object]) -> bytes:
    return _lines(*(json.dumps(record) for record in records))


def table(
    title: str, kind: Kind, *heads: tuple[str, str, str], ending: str = ".csv", **extra: object
) -> Shape:
    """A row for each document, under one of several heads."""

    def write(rows: Rows, chance: random.Random) -> bytes:
        records = _records(chance.choice(heads), rows, extra)
        if ending == ".parquet":
            return _as_parquet(records)
        if ending == ".jsonl":
            return _as_jsonl(records)
        return _as_csv(records, "\t" if ending == ".tsv" else ",")

    return Shape(title, kind, ending, write)


def listed(title: str, kind: Kind, one: Callable[[str, list[tuple[str, float]]], object]) -> Shape:
    """A JSON line for each query, with a list of documents."""
    return Shape(
        title,
        kind,
        ".jsonl",
        lambda rows, _: _as_jsonl([one(query, docs) for query, docs in _by_query(rows).items()]),
    )


def described(title: str, kind: Kind, *names: str, ending: str = ".csv") -> Shape:
    """A row for each query, or document, with texts and what else is known of it."""

    def write(rows: Rows, chance: random.Random) -> bytes:
        ids = dict.fromkeys(row[0 if kind == "queries" else 1] for row in rows)
        records: list[dict[str, object]] = [
            {names[0]: one} | {name: _text(name, chance) for name in names[1:]} for one in ids
        ]
        return (
            _as_jsonl(records)
            if ending == ".jsonl"
            else _as_csv(records, "\t" if ending == ".tsv" else ",")
        )

    return Shape(title, kind, ending, write)


def _text(name: str, chance: random.Random) -> object:
    if name in ("difficulty", "category", "genres"):
        return chance.choice(("easy", "hard", "billing", "returns"))
    if name in ("length", "year", "price"):
        return chance.randrange(1, 3000)
    return " ".join(
        chance.choices(("oil", "refund", "star", "wars", "how", "to"), k=chance.randrange(2, 9))
    )


_ALL_IDS = [
    ("query_id", "doc_id"),
    ("qid", "docid"),
    ("query-id", "corpus-id"),
    ("topic_id", "docno"),
]
_RECOMMENDED = [("user_id", "item_id"), ("user", "item"), ("userId", "movieId"), ("uid", "asin")]


def _heads(ids: Sequence[tuple[str, str]], *numbers: str) -> list[tuple[str, str, str]]:
    return [(*pair, number) for pair in ids for number in numbers]


_GRADES = ("relevance", "grade", "label", "rating", "rel")
_SCORES = ("score", "similarity", "prediction", "relevance_score")

SHAPES = (
    Shape(
        "TREC run",
        "run",
        ".txt",
        lambda rows, _: _lines(*(f"{q} Q0 {d} {i} {s} tag" for i, (q, d, s) in enumerate(rows, 1))),
        named=False,
    ),
    Shape(
        "TREC qrels",
        "qrels",
        ".txt",
        lambda rows, _: _lines(*(f"{q} 0 {d} {g:g}" for q, d, g in rows)),
        named=False,
    ),
    Shape(
        "MS MARCO run",
        "run",
        ".tsv",
        lambda rows, _: _lines(
            *(
                f"{q}\t{d}\t{i}"
                for q, docs in _by_query(rows).items()
                for i, (d, _) in enumerate(docs, 1)
            )
        ),
        named=False,
    ),
    Shape(
        "CSV without a header",
        "run",
        ".csv",
        lambda rows, _: _lines(*(f"{q},{d},{s}" for q, d, s in rows)),
        named=False,
    ),
    Shape(
        "JSON map of scores",
        "run",
        ".json",
        lambda rows, _: json.dumps({q: dict(docs) for q, docs in _by_query(rows).items()}).encode(),
        named=False,
    ),
    Shape(
        "JSON map of grades",
        "qrels",
        ".json",
        lambda rows, _: json.dumps(
            {q: {d: int(g) for d, g in docs} for q, docs in _by_query(rows).items()}
        ).encode(),
        named=False,
    ),
    Shape(
        "JSON map of lists, a run",
        "run",
        ".json",
        lambda rows, _: json.dumps(
            {q: [d for d, _ in docs] for q, docs in _by_query(rows).items()}
        ).encode(),
        named=False,
    ),
    Shape(
        "JSON map of lists, judgments",
        "qrels",
        ".json",
        lambda rows, _: json.dumps(
            {q: [d for d, _ in docs] for q, docs in _by_query(rows).items()}
        ).encode(),
        named=False,
    ),
    table("CSV run", "run", *_heads(_ALL_IDS, *_SCORES)),
    table("TSV run", "run", *_heads(_ALL_IDS, *_SCORES), ending=".tsv"),
    table("JSON Lines run", "run", *_heads(_ALL_IDS, *_SCORES), ending=".jsonl"),
    table("Parquet run", "run", *_heads(_ALL_IDS, *_SCORES), ending=".parquet"),
    table("run with a system", "run", *_heads(_ALL_IDS, "score"), run="bm25"),
    table("run with a model", "run", *_heads(_ALL_IDS, "score"), ending=".parquet", model="e5"),
    table("run with texts", "run", *_heads(_ALL_IDS, "score"), text="some text", url="u"),
    table(
        "recommender's run", "run", *_heads(_RECOMMENDED, "prediction", "score", "predicted_rating")
    ),
    table(
        "recommender's Parquet run",
        "run",
        *_heads(_RECOMMENDED, "prediction", "score"),
        ending=".parquet",
    ),
    table("CSV qrels", "qrels", *_heads(_ALL_IDS, *_GRADES)),
    table("TSV qrels", "qrels", *_heads(_ALL_IDS, *_GRADES), ending=".tsv"),
    table("JSON Lines qrels", "qrels", *_heads(_ALL_IDS, *_GRADES), ending=".jsonl"),
    table("Parquet qrels", "qrels", *_heads(_ALL_IDS, *_GRADES), ending=".parquet"),
    table("BEIR qrels", "qrels", ("query-id", "corpus-id", "score"), ending=".tsv"),
    table("qrels with an iteration", "qrels", *_heads(_ALL_IDS, "relevance"), iteration=0),
    table("recommender's test set", "qrels", *_heads(_RECOMMENDED, "rating")),
    table("Quepid's ratings", "qrels", ("query", "docid", "rating")),
    listed(
        "hits",
        "run",
        lambda q, docs: {"query_id": q, "hits": [{"doc_id": d, "score": s} for d, s in docs]},
    ),
    listed("ranking", "run", lambda q, docs: {"query_id": q, "ranking": [d for d, _ in docs]}),
    listed(
        "retrieved ids",
        "run",
        lambda q, docs: {"qid": q, "retrieved_doc_ids": [d for d, _ in docs]},
    ),
    listed(
        "TREC RAG",
        "run",
        lambda q, docs: {
            "run_id": "r",
            "topic_id": q,
            "topic": "oil",
            "references": [d for d, _ in docs],
            "answer": [{"text": "a"}],
        },
    ),
    listed(
        "candidates",
        "run",
        lambda q, docs: {
            "query": {"qid": q, "text": "oil"},
            "candidates": [{"docid": d, "score": s} for d, s in docs],
        },
    ),
    listed(
        "recommendations",
        "run",
        lambda q, docs: {"user_id": q, "recommendations": [d for d, _ in docs]},
    ),
    listed(
        "positive passages",
        "qrels",
        lambda q, docs: {
            "query_id": q,
            "query": "oil",
            "positive_passages": [{"docid": d, "text": "t"} for d, _ in docs],
            "negative_passages": [],
        },
    ),
    listed(
        "relevant ids",
        "qrels",
        lambda q, docs: {"query_id": q, "relevant_docs": [d for d, _ in docs]},
    ),
    listed(
        "expected ids",
        "qrels",
        lambda q, docs: {"query_id": q, "expected_ids": [d for d, _ in docs]},
    ),
    described("queries", "queries", "query_id", "text", "category", "difficulty"),
    described("queries of two columns", "queries", "qid", "query", ending=".tsv"),
    described("BEIR queries", "queries", "query_id", "text", ending=".jsonl"),
    described("documents", "documents", "doc_id", "title", "text"),
    described("JSON Lines documents", "documents", "docid", "title", "contents", ending=".jsonl"),
    described("items", "documents", "item_id", "title", "genres", "price"),
)

_IDS: tuple[Callable[[int], str], ...] = (
    lambda n: str(n),
    lambda n: f"{n:04}",
    lambda n: f"d-{n}",
    lambda n: f"FT{n:03}-{n % 7}",
    lambda n: f"https://example.org/{n}",
    lambda n: f"doc{n}#{n % 4}",
)
_WORDS: Mapping[Kind, Sequence[str]] = {
    "run": ("bm25", "run", "results", "predictions", "rerank_run"),
    "qrels": ("qrels", "gold", "labels", "judgments", "ratings"),
    "queries": ("queries", "topics"),
    "documents": ("corpus", "docs"),
}


def made(shape: Shape, chance: random.Random) -> tuple[str, bytes]:
    """A file of the shape: its name and content."""
    query_id, doc_id = chance.choice(_IDS), chance.choice(_IDS)
    rows: Rows = []
    whole, high = chance.random() < 0.4, chance.choice((1, 3, 100))
    for query in chance.sample(range(1, 60), chance.randrange(1, 9)):
        found = chance.sample(range(100), chance.randrange(1, 12))
        scores = sorted((round(chance.uniform(0, high), 4) for _ in found), reverse=True)
        if shape.kind == "qrels":
            scores = [chance.randrange(0, 4) for _ in found]
        elif whole:
            scores = [float(round(score)) for score in scores]
        rows += [
            (query_id(query), doc_id(one), score) for one, score in zip(found, scores, strict=True)
        ]
    if shape.kind == "qrels" and chance.random() < 0.5:
        rows = [(q, d, int(g)) for q, d, g in rows]
    word = (
        chance.choice(_WORDS[shape.kind])
        if chance.random() < 0.4
        else chance.choice(("data", "x", "export-2026", "out"))
    )
    return f"{word}{shape.ending}", shape.write(rows, chance)


def outcome(shape: Shape, name: str, content: bytes, here: Collection) -> str:
    """What becomes of the file where it is added to a collection."""
    try:
        parts = read_all_tables(content, name=name)
    except RanklensError as error:
        return "asked" if any(word in error.hint for word in _OFFERS) else "refused"
    if changes(parts, shape.kind, here):
        return "changed"
    if all(part.kind == shape.kind for part in parts):
        return "right" if all(part.evidence != "guess" for part in parts) else "asked"
    return "asked" if all(part.evidence == "guess" for part in parts) else "another"


def changes(parts: Sequence[Loaded], kind: Kind, here: Collection) -> bool:
    """Whether the collection uses other judgments than before, another file of a kind that the
    added one is not, or scores a run otherwise."""
    added = [
        File(f"upload:{i}", part.file, "upload", table=part.table, read_as=part.title)
        for i, part in enumerate(parts)
    ]
    after = assemble_library([*here.files, *added], qrels_key="qrels")
    other = [each for each in ("qrels", "queries", "documents") if each == "qrels" or each != kind]
    if any(f.used for f in after.files if f.kind in other and f in added):
        return True
    assert after.study is not None
    scores = after.study.all_scores(MEASURE)
    names = [name for name in here.runs if name in scores.runs]
    return len(names) < len(here.runs) or not np.array_equal(
        scores.select_runs(names).values_of(MEASURE), here.scores, equal_nan=True
    )


def open_collection() -> Collection:
    """Judgments, two runs, queries and documents, with ids as the generated files have them."""
    query_ids = [str(q) for q in range(1, 60) for _ in range(12)]
    doc_ids = [f"d-{(q * 7 + d) % 100}" for q in range(1, 60) for d in range(12)]
    rows = range(len(query_ids))
    tables: dict[str, Table] = {
        "qrels": Qrels.from_columns(query_ids, doc_ids, [i % 4 for i in rows]),
        "bm25": Run.from_columns("bm25", query_ids, doc_ids, [-(i % 5) for i in rows]),
        "dense": Run.from_columns("dense", query_ids, doc_ids, [i % 7 for i in rows]),
        "queries": Queries.from_columns(
            {"query_id": sorted({*query_ids}), "text": sorted({*query_ids})}
        ),
        "documents": Documents.from_columns(
            {"doc_id": sorted({*doc_ids}), "text": sorted({*doc_ids})}
        ),
    }
    files = [File(key, key, "upload", table=table) for key, table in tables.items()]
    study = assemble_library(files, qrels_key="qrels").study
    assert study is not None
    return Collection(files, study.names, study.all_scores(MEASURE).values_of(MEASURE))


def taken(files: int, seed: int) -> dict[Shape, Counter[str]]:
    """How many files of each shape had each outcome."""
    chance, here = random.Random(seed), open_collection()
    found: dict[Shape, Counter[str]] = {shape: Counter() for shape in SHAPES}
    for number in range(files):
        shape = SHAPES[number % len(SHAPES)]
        name, content = made(shape, chance)
        found[shape][outcome(shape, name, content, here)] += 1
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    found = taken(options.files, options.seed)
    print(f"{'shape':30}" + "".join(f"{each:>9}" for each in OUTCOMES))
    for shape, counts in found.items():
        print(f"{shape.title:30}" + "".join(f"{counts[each]:9,}" for each in OUTCOMES))
    for title, named in (("with named columns", True), ("without names", False)):
        total = sum((found[shape] for shape in SHAPES if shape.named is named), Counter[str]())
        print(f"{title:30}" + "".join(f"{total[each]:9,}" for each in OUTCOMES))
        print(f"{'':30}" + "".join(f"{total[each] / total.total():9.2%}" for each in OUTCOMES))


if __name__ == "__main__":
    main()
