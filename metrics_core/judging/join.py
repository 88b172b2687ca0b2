"""Join a run with judgments: `join_judgments(run, qrels)` returns JudgedRanks.

Measures need only the ranks of judged documents, not the unjudged rows. So this is the last step
whose cost grows with the run; after it there are a few judged rows per query."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.arrays import Int32s, Ints
from metrics_core.base.errors import NoSharedQueriesError, RanklensError
from metrics_core.judging.documents import ListedDocuments
from metrics_core.judging.empty_ranks import EmptyRanks
from metrics_core.judging.judged import JudgedPlaces, JudgedRanks, TiedRanks, assemble_ranks
from metrics_core.judging.ranking import RowRanks
from metrics_core.tables import Documents, Qrels, RankedRun, Run
from metrics_core.tables.arrays import as_array, as_column, find_indexes, match_codes
from metrics_core.tables.columns import clean_id
from metrics_core.tables.damaged_ids import explain_damaged_id


def join_judgments(run: Run, qrels: Qrels, *, documents: Documents | None = None) -> JudgedRanks:
    """Join a run with judgments.

    Documents are ranked by score, highest first. Ties are broken by doc_id in descending byte
    order, as in trec_eval; `judging.ties` makes the ranks for other orders of ties. `documents` are
    needed for measures that use columns of documents. If the run was loaded as judged ranks (the
    ranks of judged documents), the fields `listed` and `tied` of the result are None. Raises
    NoSharedQueriesError, and RanklensError in the same cases as `find_judged_document_ranks`."""
    return join_judged_document_ranks(
        run, qrels, find_judged_document_ranks(run, qrels), documents=documents
    )


def find_judged_document_ranks(run: Run, qrels: Qrels) -> JudgedPlaces:
    """Return the ranks of the judged documents. `join_judgments` needs nothing else from the run's
    rows.

    Raises NoSharedQueriesError. Raises RanklensError if the run was loaded as judged ranks (the
    ranks of judged documents) that were made with other judgments."""
    if isinstance(run, RankedRun):
        return _document_ranks_of_ranked_run(run, qrels)
    run, query_ids = run.read_whole(), qrels.query_ids
    row_query = _judged_query_positions(run, query_ids)[run.query_codes]
    rows, qrels_rows = match_judged_rows(run.doc_ids, row_query, qrels)
    ranking = RowRanks(run, row_query, rows)
    order = np.lexsort((ranking.rank, row_query[rows]))
    retrieved, empty = _list_lengths(run, row_query, len(query_ids))
    return JudgedPlaces(
        query=row_query[rows][order].astype(np.int64),
        rank=ranking.rank[order],
        qrels_row=qrels_rows[order],
        retrieved=retrieved,
        tied=TiedRanks(ranking.tied_from, ranking.tied).select(order),
        notes=ranking.notes,
        empty=empty,
    )


def _list_lengths(run: Run, row_query: Int32s, n_queries: int) -> tuple[Ints, EmptyRanks | None]:
    """Return the number of ranks in the list of each judged query, int64[query], and the ranks that
    have no document."""
    rows = np.flatnonzero(row_query >= 0)
    query, given_ranks = row_query[rows].astype(np.int64), run.given_ranks
    if given_ranks is None:
        return np.bincount(query, minlength=n_queries), None
    last = np.zeros(n_queries, dtype=np.int64)
    np.maximum.at(last, query, given_ranks[rows])
    return last, EmptyRanks.from_documents(query, given_ranks[rows], n_queries)


def join_judged_document_ranks(
    run: Run, qrels: Qrels, document_ranks: JudgedPlaces, *, documents: Documents | None = None
) -> JudgedRanks:
    """Return the result of `join_judgments(run, qrels)` without reading the run's rows, because the
    ranks of the judged documents are already known.

    Raises NoSharedQueriesError."""
    query_ids = qrels.query_ids
    query_positions = _judged_query_positions(run, query_ids)
    ranks = assemble_ranks(
        run.name,
        qrels,
        document_ranks,
        unjudged_queries=sorted(set(run.query_ids) - set(query_ids)),
        judged_positions=query_positions,
    )
    if not run.complete:
        return ranks
    listed = ListedDocuments(
        run, query_positions, len(query_ids), qrels.doc_ids, qrels.best_first, documents
    )
    return replace(ranks, listed=listed)


def _document_ranks_of_ranked_run(run: RankedRun, qrels: Qrels) -> JudgedPlaces:
    """Return the ranks of the judged documents in a run that was already joined elsewhere, for
    example because it is too large for one machine (`scoring.spark.write_judged_ranks`).

    Raises NoSharedQueriesError. Raises RanklensError unless the same documents are judged; their
    grades may differ."""
    query_positions, table = _judged_query_positions(run, qrels.query_ids), run.table
    row_query = query_positions[run.query_codes]
    is_named = as_array(pc.is_valid(table["doc_id"]))
    named_rows = np.flatnonzero(is_named)
    rows, qrels_rows = match_judged_rows(
        table["doc_id"].take(as_column(named_rows)), row_query[named_rows], qrels
    )
    _refuse_other_judgments(run, row_query, len(named_rows) - len(rows), qrels)
    rows = named_rows[rows]
    rank = as_array(table["rank"])
    order = np.lexsort((rank[rows], row_query[rows]))
    retrieved = np.zeros(len(qrels.query_ids), dtype=np.int64)
    retrieved[query_positions[query_positions >= 0]] = run.lengths[query_positions >= 0]
    return JudgedPlaces(
        query=row_query[rows][order].astype(np.int64),
        rank=rank[rows][order],
        qrels_row=qrels_rows[order],
        retrieved=retrieved,
    )


def _refuse_other_judgments(
    run: RankedRun, row_query: Int32s, n_unknown: int, qrels: Qrels
) -> None:
    """Raise RanklensError if judged ranks were made with judgments of other documents.

    `n_unknown` is the number of documents in `run` that `qrels` does not contain."""
    judged = np.append(np.bincount(qrels.query_codes, minlength=len(qrels.query_ids)), 0)
    differs = np.flatnonzero(judged[row_query] != as_array(run.table["judged"]))
    if len(differs):
        row = run.table.slice(int(differs[0]), 1).to_pylist()[0]
        now = judged[row_query[differs[0]]]
        change = (
            f"query {row['query_id']} had {row['judged']:,} judged documents and now has {now:,}"
        )
    elif n_unknown:
        change = f"{n_unknown:,} of their documents are no longer judged"
    else:
        return
    raise RanklensError(
        f"The ranks of judged documents in {run.name} were created with different judgments:"
        f" {change}.",
        "Grades may change, but the same documents must be judged. Use the original judgments, or"
        " create the ranks of judged documents again with the current judgments.",
    )


def _judged_query_positions(run: Run, query_ids: list[str]) -> Int32s:
    """Return the position of each query of the run among the judged queries, int32[query of the
    run]; -1 for a query that is not judged.

    Raises NoSharedQueriesError if no query of the run is judged."""
    run_query_ids = run.query_ids
    positions = find_indexes(run_query_ids, query_ids).astype(np.int32)
    if not (positions >= 0).any():
        raise _no_shared_queries_error(run_query_ids, query_ids)
    return positions


def _no_shared_queries_error(run_ids: list[str], judged_ids: list[str]) -> NoSharedQueriesError:
    """Return the error for a run without judged queries, with examples and the likely cause."""
    if not run_ids or not judged_ids:
        message = (
            "The run contains no documents." if judged_ids else "The judgments contain no grades."
        )
        return NoSharedQueriesError(message, "Use a file with at least one row.")
    summary = (
        f"the run has {', '.join(run_ids[:3])}; the judgments have {', '.join(judged_ids[:3])}"
    )
    hint = explain_damaged_id([*run_ids, *judged_ids]) or "Load judgments for these queries."

    def are_shared_after(change: Callable[[str], str]) -> bool:
        return not set(map(change, run_ids)).isdisjoint(map(change, judged_ids))

    if are_shared_after(lambda q: q.lstrip("0")):
        hint = (
            "The query ids differ only in leading zeros (001 and 1). Write them the same way in"
            " both files."
        )
    elif are_shared_after(clean_id):
        hint = (
            "The query ids would match after cleaning (trim blanks, remove invisible characters,"
            " compose accents). Read both files with clean-ids, or write the ids the same way."
        )
    elif are_shared_after(lambda q: clean_id(q).casefold()):
        hint = "The query ids differ only in case. Write them the same way in both files."
    elif _are_numbers_and_texts(run_ids, judged_ids) or _are_numbers_and_texts(judged_ids, run_ids):
        hint = (
            "One file identifies queries by number, the other by text. Quepid's TREC export uses"
            " Quepid's own numbers; its other exports use texts. Export both ratings and snapshots"
            " as CSV, or replace each number with the query's text."
        )
    return NoSharedQueriesError(f"Run and judgments have no query in common: {summary}.", hint)


def _are_numbers_and_texts(numbers: list[str], texts: list[str]) -> bool:
    """Return whether all ids in `numbers` are numbers, while most ids in `texts` are not numbers
    and at least one of these has several words."""
    words = [text for text in texts if not text.isdecimal()]
    several = any(" " in text.strip() for text in words)
    return all(n.isdecimal() for n in numbers) and several and 2 * len(words) > len(texts)


def match_judged_rows(
    doc_ids: pa.ChunkedArray, row_query: Int32s, qrels: Qrels
) -> tuple[Ints, Ints]:
    """Return the rows whose document is judged for their query, int64[match], and the rows of these
    judgments in the qrels, int64[match].

    `row_query` int32[row] is the position of each row's query among the judged queries, -1 if the
    query is not judged."""
    judged = qrels.doc_ids.combine_chunks().dictionary_encode()
    documents, judged_doc = judged.dictionary, as_array(judged.indices).astype(np.int64)
    indices = pc.index_in(doc_ids, value_set=documents)
    is_known = as_array(pc.is_valid(indices))
    candidates = np.flatnonzero(is_known & (row_query >= 0))
    doc = as_array(indices.take(as_column(candidates))).astype(np.int64)
    # One integer per pair: exact, since both codes are positions.
    pair = row_query[candidates] * np.int64(len(documents)) + doc
    judged_pair = qrels.query_codes * np.int64(len(documents)) + judged_doc
    matches, qrels_rows = match_codes(pair, judged_pair)
    return candidates[matches], qrels_rows
