"""What is evaluated: results and judgments as read, and which queries are scored in which order."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from metrics_core.compatible.trec_eval import files
from metrics_core.compatible.trec_eval.ending import NO_QUERIES, Ended
from metrics_core.compatible.trec_eval.options import Options
from metrics_core.tables import Qrels, Run
from metrics_core.tables.columns import drop_rows
from metrics_core.tables.repeats import repeated_rows

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Results:
    """A results file: its rows, and the run's name from its last line."""

    run: Run
    name: str


def read_results(path: str, options: Options) -> Results:
    """The results. Scores are single precision up to 9.0.8, as trec_eval held them."""
    data = files.read_bytes(path, what="results", stdin=options.version == "10.0")
    layout = files.results_layout(comments=options.version == "10.0")
    table = files.read_table(data, layout, path)
    if not len(table) and not (options.complete and options.version == "10.0"):
        raise Ended(NO_QUERIES, f"trec_eval: no results in file '{path}'")
    place = table.schema.get_field_index("score")
    scores = table["score"].to_numpy()
    if options.version == "9.0.8":
        with np.errstate(over="ignore"):
            scores = scores.astype(np.float32).astype(np.float64)
    largest = np.finfo(np.float64).max
    scores = np.nan_to_num(scores, nan=-largest, posinf=largest, neginf=-largest)
    table = table.set_column(place, "score", pa.array(scores))
    return Results(Run(table=table, name="run"), files.last_field(data, layout))


def read_qrels(path: str, options: Options) -> Qrels:
    """The judgments of a qrels file, repeated documents included."""
    data = files.read_bytes(path, what="qrels")
    fields = ("query_id", "iteration", "doc_id", "relevance")
    layout = files.judgments_layout(*fields, comments=options.version == "10.0")
    table = files.read_table(data, layout, path)
    if not len(table):
        raise Ended(NO_QUERIES, f"trec_eval: no judgments in file '{path}'")
    grades = files.grades(table["relevance"])
    return Qrels(table=table.drop_columns(["relevance"]).append_column("relevance", [grades]))


@dataclass(frozen=True)
class Plan:
    """The queries to score, in trec_eval's order: by id, as bytes.

    `queries` have a line each, `judged` is how many the judgments have in all, `missing` those of
    `queries` for which the run lists nothing.
    """

    queries: tuple[str, ...]
    missing: frozenset[str]
    judged: int


def plan(listed: Collection[str], judged: Collection[str], options: Options) -> Plan:
    """10.0 scores every judged query, up to 9.0.8 those that the run lists. Ends if there is none.

    A query the run lacks has no results to score in 10.0 either, unless -c makes some up: it stays
    `missing`, and the caller ends there."""
    both = set(listed) & set(judged)
    scored = set(judged) if options.version == "10.0" else both
    if options.only_query is not None:
        scored &= {options.only_query}
    if not scored:
        raise Ended(NO_QUERIES, "trec_eval: No queries with both results and relevance info")
    return Plan(tuple(sorted(scored)), frozenset(scored - both), len(set(judged)))


def repeated_judgments(qrels: Qrels) -> set[str]:
    """The queries that judge a document twice."""
    rows, _ = repeated_rows(qrels.query_codes, qrels.doc_ids)
    return _queries_of(qrels, rows)


def without_repeated_results(run: Run, most: int) -> tuple[Run, set[str]]:
    """The run without repeated documents, and the queries that list one twice among the `most`
    best of a query: only these are an error."""
    rows, _ = repeated_rows(run.query_codes, run.doc_ids)
    if not len(rows):
        return run, set()
    twice, ids, codes = np.unique(run.query_codes[rows]), run.query_ids, run.query_codes
    if most >= len(run):
        return Run(table=drop_rows(run.table, rows), name=run.name), {ids[c] for c in twice}
    wrong: set[str] = set()
    dropped = [rows]
    by_query = np.argsort(codes, kind="stable")
    edges = np.searchsorted(codes[by_query], np.stack([twice, twice + 1]))
    for code, start, end in zip(twice, *edges, strict=True):
        own = by_query[start:end]
        docs = run.doc_ids.take(pa.array(own)).to_pylist()
        scores = run.table["score"].to_numpy()[own]
        best_first = sorted(range(len(own)), key=lambda i: (scores[i], docs[i]), reverse=True)
        kept = best_first[: max(most, 0)]
        if len({docs[i] for i in kept}) < len(kept):
            wrong.add(ids[code])
        else:
            dropped[0] = np.setdiff1d(dropped[0], own)
        dropped.append(own[best_first[len(kept) :]])
    gone = np.unique(np.concatenate(dropped))
    return Run(table=drop_rows(run.table, gone), name=run.name), wrong


def _queries_of(table: Qrels, rows: Ints) -> set[str]:
    ids = table.query_ids
    return {ids[code] for code in np.unique(table.query_codes[rows])}
