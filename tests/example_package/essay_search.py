"""A measure and two file formats for Ranklens."""

import re

import numpy as np
import numpy.typing as npt

from metrics_core.extending import (
    LIKELY,
    JudgedRanks,
    Kind,
    Loaded,
    Preset,
    Rel,
    Remark,
    Request,
    Sample,
    Source,
    TopK,
    declare,
    load_named,
    measure,
    reader,
    to_named_columns,
)


@measure(
    "LinearP",
    aliases=("linear precision",),
    title="Linear precision",
    gloss="first {k} relevant, early ones more",
    formula=r"\frac{2}{k(k+1)} \sum_{i \le k} (k+1-i)\, [rel_i \ge rel]",
    reference="An example",
    worked={"LinearP@4": "(3 + 1) / 10", "LinearP(rel=2)@4": "3 / 10"},
)
def linear_precision(ranks: JudgedRanks, *, cutoff: TopK, rel: Rel = 1) -> npt.NDArray[np.float64]:
    """Share of the first k results that are relevant, where the first counts k times as much as
    the last."""
    hits = ranks.relevant(rel)
    found = hits.total(np.ones(len(hits.rank)), cutoff)
    ranks_found = hits.total(hits.rank.astype(np.float64), cutoff)
    return ((cutoff + 1) * found - ranks_found) / (cutoff * (cutoff + 1) / 2)


declare(
    Preset(
        "essay-answers",
        "Essay answers",
        endings=(".jsonl",),
        explanation="A record for each question, with the essays that an answer cites: a run.",
        example='{"ask": {"number": 1, "words": "tea"}, "cited": [{"essay": "e7", "weight": 2.5}]}',
        recognised_by=("ask.number", "cited"),
        tables={
            "run": "query=ask.number doc=cited[].essay score=cited[].weight",
            "queries": "query=ask.number text=ask.words",
        },
        remarks=(Remark(("run",), "uncited", "{n} {things} without an essay"),),
    ),
    module=__name__,
)


_LINE = re.compile(r"\S+:( \S+=\S+)+")


def recognise(sample: Sample) -> dict[Kind, int]:
    """A run, where every line is a query, a colon, and documents with their scores."""
    return {"run": LIKELY} if all(map(_LINE.fullmatch, sample.lines)) else {}


@reader(
    "scored-lists",
    title="Scored lists",
    kinds=("run",),
    endings=(".lists",),
    explanation="A line for each query: its id, a colon, and documents with their scores.",
    example="q1: doc-7=2.5 doc-3=1.25\nq2: doc-1=0.5",
    recognise=recognise,
)
def read_scored_lists(source: Source, request: Request) -> Loaded:
    """Each document with its score, by way of the columns that a CSV file would have."""
    rows = []
    for number, line in enumerate(source.text_lines(), 1):
        query_id, _, listed = line.strip().partition(":")
        for result in listed.split():
            doc_id, _, score = result.partition("=")
            rows.append((number, {"query_id": query_id, "doc_id": doc_id, "score": score}))
    named = to_named_columns(source, rows, request.kind, known_lines=True)
    return load_named(source, request, named, "scored-lists", "Scored lists")
