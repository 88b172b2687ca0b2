"""judge(run, qrels) -> JudgedRanks: the join.

A measure never needs the unjudged rows one by one, only where the judged ones stand. So this is
the last step whose work grows with the run; after it there are a few judged rows per query.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.arrays import Ints
from metrics_core.base.errors import NoSharedQueriesError, RanklensError
from metrics_core.judging.documents import ListedDocuments
from metrics_core.judging.empty_ranks import EmptyRanks
from metrics_core.judging.judged import JudgedRanks, Places, TiedRanks, assembled
from metrics_core.judging.ranking import RowRanks
from metrics_core.tables import Documents, Qrels, RankedRun, Run
from metrics_core.tables.arrays import column_of, places_among, values_of
from metrics_core.tables.columns import cleaned_id
from metrics_core.tables.spoilt_ids import why_spoilt

_OTHER_JUDGMENTS = (
    "Grades may change, but the same documents must be judged. Use the original judgments, or make"
    " the judged ranks again with these."
)


def judge(run: Run, qrels: Qrels, *, documents: Documents | None = None) -> JudgedRanks:
    """Join a run with judgments. Ranks by score, highest first; equal scores by doc_id, last in
    byte order first, as trec_eval does; `judging.ties` has the range that other orders allow.
    `documents` are for measures of their columns. Of a run that came as judged ranks `listed` and
    `tied` are None. Raises NoSharedQueriesError, and RanklensError as `places` does."""
    return judged_at(run, qrels, places(run, qrels), documents=documents)


def places(run: Run, qrels: Qrels) -> Places:
    """Where the judged documents stand: all that `judge` needs of the run's rows. Raises
    NoSharedQueriesError, and RanklensError where the run came as judged ranks and these are other
    judgments."""
    if isinstance(run, RankedRun):
        return _stored_places(run, qrels)
    run, query_ids = run.whole(), qrels.query_ids
    row_query = _judged_queries_of(run, query_ids)[run.query_codes]
    rows, qrels_rows = rows_named(run.doc_ids, row_query, qrels)
    ranking = RowRanks(run, row_query, rows)
    order = np.lexsort((ranking.rank, row_query[rows]))
    retrieved, empty = _lists(run, row_query, len(query_ids))
    return Places(
        query=row_query[rows][order].astype(np.int64),
        rank=ranking.rank[order],
        qrels_row=qrels_rows[order],
        retrieved=retrieved,
        tied=TiedRanks(ranking.tied_from, ranking.tied).at(order),
        notes=ranking.notes,
        empty=empty,
    )


def _lists(
    run: Run, row_query: npt.NDArray[np.int32], n_queries: int
) -> tuple[Ints, EmptyRanks | None]:
    """How many ranks the list of each judged query has, and which of them have no document."""
    rows = np.flatnonzero(row_query >= 0)
    query, given = row_query[rows].astype(np.int64), run.given_ranks
    if given is None:
        return np.bincount(query, minlength=n_queries), None
    last = np.zeros(n_queries, dtype=np.int64)
    np.maximum.at(last, query, given[rows])
    return last, EmptyRanks.between(query, given[rows], n_queries)


def judged_at(
    run: Run, qrels: Qrels, found: Places, *, documents: Documents | None = None
) -> JudgedRanks:
    """`judge(run, qrels)` where the judged documents are known to stand at these places: no row of
    the run is looked at. Raises NoSharedQueriesError."""
    query_ids = qrels.query_ids
    place = _judged_queries_of(run, query_ids)
    ranks = assembled(
        run.name,
        qrels,
        found,
        unjudged=sorted(set(run.query_ids) - set(query_ids)),
        named=place,
    )
    if not run.complete:
        return ranks
    listed = ListedDocuments(run, place, len(query_ids), qrels.doc_ids, qrels.best_first, documents)
    return replace(ranks, listed=listed)


def _stored_places(run: RankedRun, qrels: Qrels) -> Places:
    """Where the judged documents stand in a run whose join was made elsewhere, as for one too large
    for one machine (`scoring.spark.write_judged_ranks`). The judgments are those that the ranks
    were made with, but grades may differ. Raises NoSharedQueriesError, and RanklensError for
    others."""
    place, table = _judged_queries_of(run, qrels.query_ids), run.table
    row_query = place[run.query_codes]
    named = values_of(pc.is_valid(table["doc_id"]))
    listed = np.flatnonzero(named)
    rows, qrels_rows = rows_named(table["doc_id"].take(column_of(listed)), row_query[listed], qrels)
    _refuse_other_judgments(run, row_query, len(listed) - len(rows), qrels)
    rows = listed[rows]
    rank = values_of(table["rank"])
    order = np.lexsort((rank[rows], row_query[rows]))
    retrieved = np.zeros(len(qrels.query_ids), dtype=np.int64)
    retrieved[place[place >= 0]] = run.lengths[place >= 0]
    return Places(
        query=row_query[rows][order].astype(np.int64),
        rank=rank[rows][order],
        qrels_row=qrels_rows[order],
        retrieved=retrieved,
    )


def _refuse_other_judgments(
    run: RankedRun, row_query: npt.NDArray[np.int32], unknown: int, qrels: Qrels
) -> None:
    """Refuse ranks that know of other judged documents than these judgments."""
    judged = np.append(np.bincount(qrels.query_codes, minlength=len(qrels.query_ids)), 0)
    differs = np.flatnonzero(judged[row_query] != values_of(run.table["judged"]))
    if len(differs):
        row = run.table.slice(int(differs[0]), 1).to_pylist()[0]
        now = judged[row_query[differs[0]]]
        raise RanklensError(
            f"The judged ranks of {run.name} were made with other judgments: query"
            f" {row['query_id']} had {row['judged']:,} judged documents and now has {now:,}.",
            _OTHER_JUDGMENTS,
        )
    if unknown:
        raise RanklensError(
            f"The judged ranks of {run.name} were made with other judgments: {unknown:,} of their"
            " documents are no longer judged.",
            _OTHER_JUDGMENTS,
        )


def _judged_queries_of(run: Run, query_ids: list[str]) -> npt.NDArray[np.int32]:
    """Per query of the run its position among the judged queries, -1 where it is not judged."""
    own = run.query_ids
    judged = places_among(own, query_ids).astype(np.int32)
    if not (judged >= 0).any():
        raise _nothing_shared(own, query_ids)
    return judged


def _nothing_shared(own: list[str], judged: list[str]) -> NoSharedQueriesError:
    """The error for queries of a run of which none is judged: some of each, and what may be why."""
    if not own or not judged:
        empty = "The run contains no documents." if judged else "The judgments contain no grades."
        return NoSharedQueriesError(empty, "Use a file with at least one row.")
    shown = f"the run has {', '.join(own[:3])}; the judgments have {', '.join(judged[:3])}"
    hint = why_spoilt([*own, *judged]) or "Load judgments for these queries."
    if {q.lstrip("0") for q in own} & {q.lstrip("0") for q in judged}:
        hint = "They differ in leading zeros (001 and 1); write them the same way in both files."
    elif {cleaned_id(q) for q in own} & {cleaned_id(q) for q in judged}:
        hint = (
            "They would match after cleaning (trim blanks, remove invisible characters, compose"
            " accents). Read both files with clean-ids, or write the ids the same way."
        )
    elif {cleaned_id(q).casefold() for q in own} & {cleaned_id(q).casefold() for q in judged}:
        hint = "They differ in case; write them the same way in both files."
    elif _numbers_and_texts(own, judged) or _numbers_and_texts(judged, own):
        hint = (
            "One file identifies queries by number, the other by text. Quepid's TREC export uses"
            " Quepid's own numbers; its other exports use texts. Export ratings and snapshots both"
            " as CSV, or replace each number with the query's text."
        )
    return NoSharedQueriesError(f"Run and judgments have no query in common: {shown}.", hint)


def _numbers_and_texts(numbers: list[str], texts: list[str]) -> bool:
    """Whether ids are numbers on one side and on the other mostly texts, some of several words."""
    words = [text for text in texts if not text.isdecimal()]
    several = any(" " in text.strip() for text in words)
    return all(n.isdecimal() for n in numbers) and several and 2 * len(words) > len(texts)


def rows_named(
    doc_ids: pa.ChunkedArray, row_query: npt.NDArray[np.int32], qrels: Qrels
) -> tuple[Ints, Ints]:
    """Of rows of documents, each with the position of its query among the judged ones (-1: not
    judged), those whose document is judged for that query, and the qrels row of each."""
    judged = qrels.doc_ids.combine_chunks().dictionary_encode()
    documents, judged_doc = judged.dictionary, values_of(judged.indices).astype(np.int64)
    found = pc.index_in(doc_ids, value_set=documents)
    known = values_of(pc.is_valid(found))
    candidates = np.flatnonzero(known & (row_query >= 0))
    doc = values_of(found.take(column_of(candidates))).astype(np.int64)
    # One integer a pair: exact, since both codes are positions.
    pair = row_query[candidates] * np.int64(len(documents)) + doc
    judged_pair = qrels.query_codes * np.int64(len(documents)) + judged_doc
    by_pair = np.argsort(judged_pair)
    place = np.searchsorted(judged_pair[by_pair], pair)
    qrels_rows = by_pair[np.minimum(place, len(by_pair) - 1)]
    matches = judged_pair[qrels_rows] == pair
    return candidates[matches], qrels_rows[matches]
