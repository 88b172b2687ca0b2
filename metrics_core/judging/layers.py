"""Judgments laid over judgments: grades that somebody gave later, beside the files as they were.

A layer replaces the grades of the pairs it names and adds those that nobody had judged. Only its
queries are joined anew; every other query keeps the rows it had.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.arrays import Ints, Mask
from metrics_core.judging.documents import ListedDocuments
from metrics_core.judging.join import judge
from metrics_core.judging.judged import JudgedRanks, TiedRanks
from metrics_core.judging.subtopics import SubtopicJudgments, subtopic_judgments
from metrics_core.tables import Qrels, Run
from metrics_core.tables.arrays import column_of, places_among, texts_of, values_of
from metrics_core.tables.columns import ID, coded

Grades = Mapping[tuple[str, str], float]
"""(query_id, doc_id) -> grade; a negative one means, as in qrels, that nobody judged it."""


_NOTHING_JUDGED = "no_judged_document"
_MOST_BLOCKS = 1_000


def layered(qrels: Qrels, layers: Sequence[Grades]) -> Qrels:
    """The judgments with these layers over them; of several the last that names a pair counts.

    The rows stay where they are, their grades replaced; pairs that were not judged follow at the
    end, and so do queries that had no judgment, in the order in which the layers name them. Grades
    are whole numbers while all are. Judgments by subtopic stay as they are given: a layer grades
    documents. Raises ValueError for an empty id or a grade that is not finite.
    """
    graded: dict[tuple[str, str], float] = {}
    for layer in layers:
        graded.update(layer)
    if not graded:
        return qrels
    grades = np.array(list(graded.values()), dtype=np.float64)
    if not np.isfinite(grades).all() or any(not (q and d) for q, d in graded):
        raise ValueError("a layer has a pair of ids and a finite grade in every row")
    query_ids = list(dict.fromkeys([*qrels.query_ids, *(query_id for query_id, _ in graded)]))
    place = {query_id: i for i, query_id in enumerate(query_ids)}
    query = np.array([place[query_id] for query_id, _ in graded], dtype=np.int64)
    documents = texts_of([doc_id for _, doc_id in graded])
    rows, found = _rows_of(qrels, query, documents, len(query_ids))
    new = np.ones(len(grades), dtype=np.bool_)
    new[found] = False
    relevance = qrels.relevance
    if relevance.dtype.kind != "f" and (grades == np.round(grades)).all():
        grades = grades.astype(np.int64)
    relevance = relevance.astype(np.result_type(relevance, grades))
    relevance[rows] = grades[found]
    codes = np.concatenate([qrels.query_codes, query[new].astype(np.int32)])
    table = pa.table(
        {
            "query_id": pa.DictionaryArray.from_arrays(column_of(codes), texts_of(query_ids)),
            "doc_id": pa.chunked_array([*qrels.doc_ids.chunks, documents.filter(column_of(new))]),
            "relevance": column_of(np.concatenate([relevance, grades[new]])),
        }
    )
    return replace(qrels, table=table)


def named_queries(qrels: Qrels, layers: Sequence[Grades]) -> Mask:
    """Which queries of layered judgments the layers name, bool[Q]: all others are as they were."""
    named = {query_id for layer in layers for query_id, _ in layer}
    return np.array([query_id in named for query_id in qrels.query_ids], dtype=np.bool_)


def _rows_of(qrels: Qrels, query: Ints, documents: pa.Array, n_queries: int) -> tuple[Ints, Ints]:
    """Rows of the judgments that these pairs name, and the number of the pair for each."""
    touched = np.zeros(n_queries, dtype=np.bool_)
    touched[query] = True
    candidates = np.flatnonzero(touched[qrels.query_codes])
    known = documents.unique()
    doc = pc.index_in(qrels.doc_ids.take(column_of(candidates)), value_set=known)
    there = values_of(pc.is_valid(doc))
    candidates = candidates[there]
    code = values_of(doc)[there].astype(np.int64)
    own = qrels.query_codes[candidates] * np.int64(len(known)) + code
    pair = query * len(known) + values_of(pc.index_in(documents, value_set=known))
    by_pair = np.argsort(pair)
    place = np.minimum(np.searchsorted(pair[by_pair], own), len(pair) - 1)
    found = by_pair[place]
    matches = pair[found] == own
    return candidates[matches], found[matches]


def rejudged(ranks: JudgedRanks, run: Run, qrels: Qrels, changed: Mask) -> JudgedRanks:
    """`judge(run, qrels)` to the last bit, from the ranks of judgments over which `layered` laid
    these: only the `changed` queries, bool[Q] over those of `qrels`, are joined again. Of a run
    that came as judged ranks the layers may change grades alone; else raises RanklensError."""
    if not run.complete:
        return judge(run, qrels)
    part, own = _joined(run, qrels, changed)
    if ranks.empty or part.empty:
        return judge(run, qrels)
    before = changed[: ranks.n_queries]
    kept, known = ~before[ranks.query], ~before[ranks.judged_query]
    query = np.concatenate([ranks.query[kept], part.query])
    order = np.argsort(query, kind="stable")
    grades = qrels.relevance.astype(np.float64)
    codes = qrels.query_codes[own].astype(np.int64)
    best_first = own[np.lexsort((-grades[own], codes))]
    judged_query = np.concatenate([ranks.judged_query[known], np.sort(codes)])
    by_query = np.argsort(judged_query, kind="stable")
    judged = np.concatenate([ranks.judged_relevance[known], grades[best_first]])
    retrieved = part.retrieved
    retrieved[: ranks.n_queries][~before] = ranks.retrieved[~before]
    rank = np.concatenate([ranks.rank[kept], part.rank])[order]
    qrels_row = np.concatenate([ranks.qrels_row[kept], part.qrels_row])[order]
    remarks = [note for note in ranks.notes if len(rank) == 0 or note.kind != _NOTHING_JUDGED]
    made = replace(
        ranks,
        query=query[order],
        rank=rank,
        relevance=np.concatenate([ranks.relevance[kept], part.relevance])[order],
        qrels_row=qrels_row,
        retrieved=retrieved,
        judged_query=judged_query[by_query],
        judged_relevance=judged[by_query],
        top_grade=float(grades.max(initial=0)),
        notes=tuple(remarks),
        subtopics=_subtopics(qrels, qrels_row, rank),
        tied=_tied(ranks.tied and ranks.tied.at(kept), part.tied, order),
    )
    if len(changed) > ranks.n_queries:
        made = _with_further(made, run, qrels)
    if ranks.listed is None:
        return made
    rows = np.concatenate([ranks.listed.judged_rows[known], best_first])[by_query]
    return replace(made, listed=_listed(ranks.listed, run, qrels, rows))


def _tied(kept: TiedRanks | None, again: TiedRanks | None, order: Ints) -> TiedRanks | None:
    """Both one behind the other, in this order; None where one is not known."""
    if kept is None or again is None:
        return None
    first, number = (
        np.concatenate([getattr(tied, name) for tied in (kept, again)])
        for name in ("first", "number")
    )
    return TiedRanks(first[order], number[order])


def _joined(run: Run, qrels: Qrels, changed: Mask) -> tuple[JudgedRanks, Ints]:
    """The changed queries alone, numbered as all are, and their rows in the judgments."""
    own = np.flatnonzero(changed[qrels.query_codes])
    query_ids = texts_of(qrels.query_ids)
    wanted = query_ids.filter(column_of(changed))
    run = run.holding(wanted.to_pylist())
    listed = _of_queries(run, pc.is_in(coded(run.table["query_id"]).dictionary, wanted))
    nothing = np.zeros(0, dtype=np.int64)
    if not len(listed) or not len(own):
        none = JudgedRanks(
            run.name, (), nothing, nothing, nothing.astype(np.float64), nothing,
            np.zeros(len(changed), dtype=np.int64), nothing, nothing.astype(np.float64), 0.0,
            tied=TiedRanks(nothing, nothing),
        )  # fmt: skip
        return none, own
    # Filtering keeps the dictionaries, so that a query has the same number in the part.
    part = judge(listed, Qrels(table=qrels.table.take(column_of(own))))
    return replace(part, qrels_row=own[part.qrels_row]), own


def _of_queries(run: Run, queries: pa.Array) -> Run:
    """The rows of some of the run's queries, which mostly stand in a few blocks."""
    inside = values_of(queries)[run.query_codes]
    rows = np.flatnonzero(inside)
    edges = np.flatnonzero(np.diff(rows, prepend=-2) != 1)
    if len(edges) > _MOST_BLOCKS:
        documents = run.doc_ids.filter(column_of(inside))
    else:
        starts, counts = rows[edges].tolist(), np.diff(edges, append=len(rows)).tolist()
        blocks = (run.doc_ids.slice(*block) for block in zip(starts, counts, strict=True))
        documents = pa.chunked_array([chunk for block in blocks for chunk in block.chunks], ID)
    names = coded(run.table["query_id"]).dictionary
    codes = column_of(run.query_codes[rows])
    table = {
        "query_id": pa.DictionaryArray.from_arrays(codes, names),
        "doc_id": pa.chunked_array([documents.combine_chunks()]),
        "score": values_of(run.table["score"])[rows],
    }
    if run.given_ranks is not None:
        table["rank"] = run.given_ranks[rows]
    return Run(table=pa.table(table), name=run.name)


def _subtopics(qrels: Qrels, qrels_row: Ints, rank: Ints) -> SubtopicJudgments | None:
    rank_of = np.zeros(len(qrels), dtype=np.int64)
    rank_of[qrels_row] = rank
    return subtopic_judgments(qrels, rank_of)


def _with_further(ranks: JudgedRanks, run: Run, qrels: Qrels) -> JudgedRanks:
    """The same where the layers judge queries that had no judgment."""
    query_ids, named = qrels.query_ids, set(run.query_ids)
    nowhere = np.flatnonzero(ranks.retrieved == 0)
    return replace(
        ranks,
        query_ids=tuple(query_ids),
        unjudged_queries=tuple(sorted(named - set(query_ids))),
        empty_queries=tuple(query_ids[i] for i in nowhere if query_ids[i] in named),
    )


def _listed(listed: ListedDocuments, run: Run, qrels: Qrels, judged_rows: Ints) -> ListedDocuments:
    return ListedDocuments(
        run,
        places_among(run.query_ids, qrels.query_ids).astype(np.int32),
        len(qrels.query_ids),
        qrels.doc_ids,
        judged_rows,
        listed.documents,
    )
