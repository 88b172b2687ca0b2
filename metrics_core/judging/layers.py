"""Layers of judgments: grades that are added on top of the judgments from files.

A layer replaces the grades of the pairs of query and document that it contains, and adds pairs that
were unjudged. Only the queries in a layer are joined again; all other queries keep their rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.arrays import Ints, Mask
from metrics_core.judging.documents import ListedDocuments
from metrics_core.judging.join import join_judgments
from metrics_core.judging.judged import NO_JUDGED_DOCUMENT, JudgedRanks, TiedRanks
from metrics_core.judging.subtopics import make_subtopic_judgments
from metrics_core.tables import Qrels, Run
from metrics_core.tables.arrays import (
    as_array,
    as_column,
    as_text_column,
    find_indexes,
    match_codes,
)
from metrics_core.tables.columns import ID, encode_ids

Grades = Mapping[tuple[str, str], float]
"""Grades by (query_id, doc_id). A negative grade means that the document is not judged, like in
qrels."""


_MOST_BLOCKS = 1_000


def apply_layers(qrels: Qrels, layers: Sequence[Grades]) -> Qrels:
    """Return the judgments with these layers applied. If several layers grade the same document,
    the last one counts.

    Rows whose grade is replaced keep their position. New pairs and new queries are appended, in the
    order of the layers. Grades are integers if all of them are whole numbers. Judgments by subtopic
    are unchanged, because a layer grades whole documents. Raises ValueError for an empty id or a
    grade that is not finite."""
    graded: dict[tuple[str, str], float] = {}
    for layer in layers:
        graded.update(layer)
    if not graded:
        return qrels
    grades = np.array(list(graded.values()), dtype=np.float64)
    if not np.isfinite(grades).all() or any(not (q and d) for q, d in graded):
        raise ValueError("every row of a layer needs a query id, a document id and a finite grade")
    query_ids = list(dict.fromkeys([*qrels.query_ids, *(query_id for query_id, _ in graded)]))
    position = {query_id: i for i, query_id in enumerate(query_ids)}
    query = np.array([position[query_id] for query_id, _ in graded], dtype=np.int64)
    documents = as_text_column([doc_id for _, doc_id in graded])
    rows, pair_numbers = _find_rows(qrels, query, documents, len(query_ids))
    is_new = np.ones(len(grades), dtype=np.bool_)
    is_new[pair_numbers] = False
    relevance = qrels.relevance
    if relevance.dtype.kind != "f" and (grades == np.round(grades)).all():
        grades = grades.astype(np.int64)
    relevance = relevance.astype(np.result_type(relevance, grades))
    relevance[rows] = grades[pair_numbers]
    codes = np.concatenate([qrels.query_codes, query[is_new].astype(np.int32)])
    table = pa.table(
        {
            "query_id": pa.DictionaryArray.from_arrays(as_column(codes), as_text_column(query_ids)),
            "doc_id": pa.chunked_array(
                [*qrels.doc_ids.chunks, documents.filter(as_column(is_new))]
            ),
            "relevance": as_column(np.concatenate([relevance, grades[is_new]])),
        }
    )
    return replace(qrels, table=table)


def queries_in_layers(qrels: Qrels, layers: Sequence[Grades]) -> Mask:
    """Return which queries of the judgments occur in the layers, bool[query]. The layers do not
    change any other query."""
    layer_query_ids = {query_id for layer in layers for query_id, _ in layer}
    return np.array([query_id in layer_query_ids for query_id in qrels.query_ids], dtype=np.bool_)


def _find_rows(qrels: Qrels, query: Ints, documents: pa.Array, n_queries: int) -> tuple[Ints, Ints]:
    """Find the rows of the judgments that match a pair of a query and a document. Return these
    rows, and the index of the pair that each row matches, int64[match] each.

    The pairs are given by `query` int64[pair] and `documents`, which have the same length."""
    is_touched = np.zeros(n_queries, dtype=np.bool_)
    is_touched[query] = True
    candidates = np.flatnonzero(is_touched[qrels.query_codes])
    distinct_ids = documents.unique()
    doc = pc.index_in(qrels.doc_ids.take(as_column(candidates)), value_set=distinct_ids)
    is_known = as_array(pc.is_valid(doc))
    candidates = candidates[is_known]
    code = as_array(doc)[is_known].astype(np.int64)
    row_pairs = qrels.query_codes[candidates] * np.int64(len(distinct_ids)) + code
    pair = query * len(distinct_ids) + as_array(pc.index_in(documents, value_set=distinct_ids))
    matches, pair_numbers = match_codes(row_pairs, pair)
    return candidates[matches], pair_numbers


def rejoin_changed_queries(
    ranks: JudgedRanks, run: Run, qrels: Qrels, is_changed: Mask
) -> JudgedRanks:
    """Return the same result as `join_judgments(run, qrels)`, bitwise equal, but join only the
    changed queries again.

    `ranks` were made before `apply_layers` and are reused for all other queries. `is_changed`
    bool[query of `qrels`] marks the changed queries. If the run was loaded as judged ranks (the
    ranks of judged documents), the layers may only change grades; otherwise RanklensError is
    raised."""
    if not run.complete:
        return join_judgments(run, qrels)
    part, judged_rows = _join_changed_queries(run, qrels, is_changed)
    if ranks.empty or part.empty:
        return join_judgments(run, qrels)
    was_changed = is_changed[: ranks.n_queries]
    unchanged_hits = ~was_changed[ranks.query]
    unchanged_judgments = ~was_changed[ranks.judged_query]
    query = np.concatenate([ranks.query[unchanged_hits], part.query])
    order = np.argsort(query, kind="stable")
    grades = qrels.relevance.astype(np.float64)
    codes = qrels.query_codes[judged_rows].astype(np.int64)
    best_first = judged_rows[np.lexsort((-grades[judged_rows], codes))]
    judged_query = np.concatenate([ranks.judged_query[unchanged_judgments], np.sort(codes)])
    by_query = np.argsort(judged_query, kind="stable")
    judged = np.concatenate([ranks.judged_relevance[unchanged_judgments], grades[best_first]])
    retrieved = part.retrieved
    retrieved[: ranks.n_queries][~was_changed] = ranks.retrieved[~was_changed]
    rank = np.concatenate([ranks.rank[unchanged_hits], part.rank])[order]
    qrels_row = np.concatenate([ranks.qrels_row[unchanged_hits], part.qrels_row])[order]
    notes = [note for note in ranks.notes if len(rank) == 0 or note.kind != NO_JUDGED_DOCUMENT]
    updated = replace(
        ranks,
        query=query[order],
        rank=rank,
        relevance=np.concatenate([ranks.relevance[unchanged_hits], part.relevance])[order],
        qrels_row=qrels_row,
        retrieved=retrieved,
        judged_query=judged_query[by_query],
        judged_relevance=judged[by_query],
        top_grade=float(grades.max(initial=0)),
        notes=tuple(notes),
        subtopics=make_subtopic_judgments(qrels, qrels_row, rank),
        tied=_merge_tied_ranks(ranks.tied and ranks.tied.select(unchanged_hits), part.tied, order),
    )
    if len(is_changed) > ranks.n_queries:
        updated = _add_new_queries(updated, run, qrels)
    if ranks.listed is None:
        return updated
    rows = np.concatenate([ranks.listed.judged_rows[unchanged_judgments], best_first])[by_query]
    query = find_indexes(run.query_ids, qrels.query_ids).astype(np.int32)
    listed = ListedDocuments(
        run, query, len(qrels.query_ids), qrels.doc_ids, rows, ranks.listed.documents
    )
    return replace(updated, listed=listed)


def _merge_tied_ranks(
    unchanged: TiedRanks | None, rejoined: TiedRanks | None, order: Ints
) -> TiedRanks | None:
    """Concatenate the ties of `unchanged` and `rejoined`, and sort them by `order`. Returns None if
    either of them is None."""
    if unchanged is None or rejoined is None:
        return None
    first, number = (
        np.concatenate([getattr(tied, name) for tied in (unchanged, rejoined)])
        for name in ("first", "number")
    )
    return TiedRanks(first[order], number[order])


def _join_changed_queries(run: Run, qrels: Qrels, is_changed: Mask) -> tuple[JudgedRanks, Ints]:
    """Join the changed queries of a run with the judgments again.

    Returns the judged ranks of these queries, whose positions are the same as in `qrels`, and the
    rows of their judgments, int64[judgment]."""
    judged_rows = np.flatnonzero(is_changed[qrels.query_codes])
    query_ids = as_text_column(qrels.query_ids)
    changed_ids = query_ids.filter(as_column(is_changed))
    run = run.select_queries(changed_ids.to_pylist())
    changed_run = _select_queries(
        run, pc.is_in(encode_ids(run.table["query_id"]).dictionary, changed_ids)
    )
    no_rows = np.zeros(0, dtype=np.int64)
    if not len(changed_run) or not len(judged_rows):
        no_ranks = JudgedRanks(
            run.name, (), no_rows, no_rows, no_rows.astype(np.float64), no_rows,
            np.zeros(len(is_changed), dtype=np.int64), no_rows, no_rows.astype(np.float64), 0.0,
            tied=TiedRanks(no_rows, no_rows),
        )  # fmt: skip
        return no_ranks, judged_rows
    # Filtering keeps the dictionaries, so a query has the same code in the part.
    part = join_judgments(changed_run, Qrels(table=qrels.table.take(as_column(judged_rows))))
    return replace(part, qrels_row=judged_rows[part.qrels_row]), judged_rows


def _select_queries(run: Run, queries: pa.Array) -> Run:
    """Return the rows of some of the run's queries. This is fast because the rows are mostly in a
    few contiguous blocks."""
    is_selected = as_array(queries)[run.query_codes]
    rows = np.flatnonzero(is_selected)
    edges = np.flatnonzero(np.diff(rows, prepend=-2) != 1)
    if len(edges) > _MOST_BLOCKS:
        documents = run.doc_ids.filter(as_column(is_selected))
    else:
        starts, counts = rows[edges].tolist(), np.diff(edges, append=len(rows)).tolist()
        blocks = (run.doc_ids.slice(*block) for block in zip(starts, counts, strict=True))
        documents = pa.chunked_array([chunk for block in blocks for chunk in block.chunks], ID)
    names = encode_ids(run.table["query_id"]).dictionary
    codes = as_column(run.query_codes[rows])
    table = {
        "query_id": pa.DictionaryArray.from_arrays(codes, names),
        "doc_id": pa.chunked_array([documents.combine_chunks()]),
        "score": as_array(run.table["score"])[rows],
    }
    if run.given_ranks is not None:
        table["rank"] = run.given_ranks[rows]
    return Run(table=pa.table(table), name=run.name)


def _add_new_queries(ranks: JudgedRanks, run: Run, qrels: Qrels) -> JudgedRanks:
    """Return the ranks extended by the queries that had no judgments before."""
    query_ids, run_queries = qrels.query_ids, set(run.query_ids)
    missing = np.flatnonzero(ranks.retrieved == 0)
    return replace(
        ranks,
        query_ids=tuple(query_ids),
        unjudged_queries=tuple(sorted(run_queries - set(query_ids))),
        empty_queries=tuple(query_ids[i] for i in missing if query_ids[i] in run_queries),
    )
