"""Compute ranks from scores, highest first. This is the only place where ties are broken."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.base.arrays import Floats, Int32s, Ints, Mask
from metrics_core.base.notes import Note
from metrics_core.tables import Run
from metrics_core.tables.arrays import as_array, as_column, block_starts
from metrics_core.tables.score_order import order_by_score


class RowRanks:
    """Ranks of some rows of a run.

    `rank` is int64[row]. `tied_from`, int64[row], is the first rank with the same score. `tied`,
    int64[row], is the number of rows with this score. `notes` are about ties."""

    def __init__(self, run: Run, row_query: Int32s, rows: Ints) -> None:
        self.run = run
        self.scores = run.scores
        self.codes = run.query_codes
        self.notes: tuple[Note, ...] = ()
        given_ranks = run.given_ranks
        if given_ranks is not None:
            self.rank = self.tied_from = given_ranks[rows]
            self.tied = np.ones_like(self.rank)
            return
        self.order = order_by_score(self.codes, self.scores)
        codes, scores = self.codes, self.scores
        if self.order is not None:
            codes, scores = codes[self.order], scores[self.order]
        starts = block_starts(codes)
        same_query = codes[1:] == codes[:-1]
        tied = same_query & (scores[1:] == scores[:-1])
        position = _find_positions_in_order(self.order, rows)
        query_start = starts[np.searchsorted(starts, position, "right") - 1]
        self.rank = position - query_start + 1
        self.tied_from, self.tied = self.rank.copy(), np.ones_like(self.rank)
        judged_row = row_query >= 0
        self.notes = _run_tie_notes(same_query, tied, scores, len(judged_row))
        if tied.any():
            self._break_ties(tied, position, query_start)

    def _break_ties(self, tied: Mask, position: Ints, query_start: Ints) -> None:
        """Correct the ranks of the judged rows whose scores are tied."""
        group = np.concatenate([[0], np.cumsum(~tied)])
        with_judged = np.zeros(group[-1] + 1, dtype=np.bool_)
        with_judged[group[position]] = True
        size = np.bincount(group)
        places = np.flatnonzero((with_judged & (size > 1))[group])
        if not len(places):
            return
        starts = np.concatenate([[0], np.flatnonzero(~tied) + 1])
        self.tied_from = starts[group[position]] - query_start + 1
        self.tied = size[group[position]]
        run_rows = places if self.order is None else self.order[places]
        index = np.searchsorted(places, position)
        inside = (index < len(places)) & (places[np.minimum(index, len(places) - 1)] == position)
        keys = pa.table(
            {
                "group": as_column(group[places]),
                "doc_id": self.run.doc_ids.take(as_column(run_rows)),
            }
        )
        by_rule = pc.sort_indices(
            keys, sort_keys=[("group", "ascending"), ("doc_id", "descending")]
        )
        new_place = np.empty(len(places), dtype=np.int64)
        # The groups keep their positions, so the sorted rows take them in turn.
        new_place[as_array(by_rule)] = places
        self.rank[inside] = new_place[index[inside]] - query_start[inside] + 1


def _find_positions_in_order(order: Ints | None, rows: Ints) -> Ints:
    """Return the position in `order` of each of `rows`, int64[row]."""
    if order is None:
        return rows.copy()
    positions = np.empty(len(order), dtype=np.int64)
    positions[order] = np.arange(len(order))
    return positions[rows]


def _run_tie_notes(same_query: Mask, tied: Mask, scores: Floats, n_rows: int) -> tuple[Note, ...]:
    with np.errstate(over="ignore"):
        rounded = scores.astype(np.float32)
    is_near = same_query & (rounded[1:] == rounded[:-1]) & (scores[1:] != scores[:-1])
    return tie_notes(
        n_tied=int(np.count_nonzero(np.r_[tied, False] | np.r_[False, tied])),
        n_rows=n_rows,
        all_tied=bool(tied[same_query].all()),
        n_near=int(is_near.sum()),
    )


def tie_notes(*, n_tied: int, n_rows: int, all_tied: bool, n_near: int) -> tuple[Note, ...]:
    """Return notes on two kinds of rows: rows with tied scores, and rows whose score equals the
    next score in single precision but not in double precision."""
    notes = []
    if n_tied:
        share = n_tied / n_rows
        summary = (
            "all scores of every query are tied"
            if all_tied
            else f"{w.format_share(share)} of rows have tied scores; {n_tied:,} of {n_rows:,} rows"
        )
        notes.append(
            Note("ties", f"{summary}; ties broken by document id", n_tied, loud=share > 0.2)
        )
    if n_near:
        notes.append(
            Note(
                "near_ties",
                f"{n_near:,} near-{w.plural(n_near, 'tie', 'ties')} that trec_eval before 10.0 and"
                " pytrec_eval treat as tied (single precision)",
                n_near,
            )
        )
    return tuple(notes)


def top_rows(run: Run, cutoff: int) -> Ints:
    """Return the rows of a run that are in the first `cutoff` ranks of their query, int64[top row].

    Ties are broken by the same rule as in `join_judgments`."""
    return top_ranks(run, cutoff)[0]


def top_ranks(run: Run, cutoff: int) -> tuple[Ints, Ints]:
    """Return the result of `top_rows` and the rank of each of these rows, int64[top row] each."""
    given_ranks = run.given_ranks
    if given_ranks is not None:
        rows = np.flatnonzero(given_ranks <= cutoff)
        return rows, given_ranks[rows]
    codes, scores = run.query_codes, run.scores
    order = order_by_score(codes, scores)
    if order is not None:
        codes, scores = codes[order], scores[order]
    new_query, tied = np.ones((2, len(codes)), dtype=np.bool_)
    np.not_equal(codes[1:], codes[:-1], out=new_query[1:])
    np.equal(scores[1:], scores[:-1], out=tied[1:])
    tied &= ~new_query
    starts = np.flatnonzero(new_query)
    length = np.diff(starts, append=len(codes))
    if order is None and not tied.any():
        return _first_rows_and_ranks(starts, np.minimum(length, cutoff))
    places = np.arange(len(codes))
    rank = places - np.repeat(starts, length) + 1
    first = rank[np.maximum.accumulate(np.where(tied, 0, places))] if tied.any() else rank
    touching = first <= cutoff
    rows, rank = places[touching] if order is None else order[touching], rank[touching]
    if order is not None:
        by_row = np.argsort(rows, kind="stable")
        rows, rank = rows[by_row], rank[by_row]
    if tied[touching].any():
        # Whole tied groups and all rows above them, so ranks within this part are the ranks in the
        # run.
        part = Run(table=run.table.take(as_column(rows)))
        rank = RowRanks(part, part.query_codes, np.arange(len(rows))).rank
    inside = rank <= cutoff
    return rows[inside], rank[inside]


def _first_rows_and_ranks(starts: Ints, length: Ints) -> tuple[Ints, Ints]:
    """Return the first rows of each list and their ranks, int64[row] each. The rows of a list are
    consecutive: `length` rows that begin at `starts`, both int64[list]."""
    end = np.cumsum(length)
    rank = np.arange(1, int(length.sum()) + 1) - np.repeat(end - length, length)
    return np.repeat(starts - 1, length) + rank, rank


def ranked_documents(run: Run, query_id: str, *, depth: int | None = None) -> pd.DataFrame:
    """Return one query's list as ranked by the run, best first. Columns: rank, doc_id, score.

    The frame is empty if the run has no results for the query. Ties are ranked by the same rule as
    in `join_judgments`. If ranks come from the file, they may have gaps. For a run loaded as judged
    ranks (the ranks of judged documents), the doc_id of unjudged documents is None, and every score
    is NaN."""
    ranking = run.cached_list(query_id, lambda: _rank_list(run, query_id))
    return ranking[ranking["rank"] <= depth] if depth else ranking


def documents_by_rank(ranking: pd.DataFrame) -> list[str | None]:
    """Return the doc_id at each rank of a `ranked_documents` frame, starting at rank 1. The entry
    is None if the rank has no document or its id is unknown."""
    doc_ids: list[str | None] = [None] * int(ranking["rank"].max() if len(ranking) else 0)
    for rank, doc_id in zip(ranking["rank"].tolist(), ranking["doc_id"].tolist(), strict=True):
        doc_ids[rank - 1] = doc_id
    return doc_ids


def _rank_list(run: Run, query_id: str) -> pd.DataFrame:
    if not run.complete:
        return _list_of_ranked_run(run, query_id)
    run = run.select_queries([query_id])
    codes = run.query_ids
    position = codes.index(query_id) if query_id in codes else -1
    rows = np.flatnonzero(run.query_codes == position)
    block = len(rows) > 0 and rows[-1] - rows[0] + 1 == len(rows)
    # Taking single rows of a long table copies all of its strings.
    list_rows = run.table.slice(rows[0], len(rows)) if block else run.table.take(as_column(rows))
    by_rule: Any = pc.sort_indices(
        list_rows, sort_keys=[("score", "descending"), ("doc_id", "descending")]
    )
    part = list_rows.take(by_rule)
    best: pd.DataFrame = part.select(["doc_id", "score"]).to_pandas()
    ranks = np.arange(1, len(best) + 1)
    best.insert(0, "rank", as_array(part["rank"]) if "rank" in part.column_names else ranks)
    return best


def _list_of_ranked_run(run: Run, query_id: str) -> pd.DataFrame:
    """Return the list of one query from a run loaded as judged ranks (the ranks of judged
    documents). The columns are the same as in the result of `ranked_documents`."""
    length = run.length(query_id)
    position = run.query_ids.index(query_id) if length else -1
    rows = run.table.filter(as_column(run.query_codes == position))
    rank, doc_ids = as_array(rows["rank"]), rows["doc_id"].to_pylist()
    id_by_rank: dict[int, str] = dict(zip(rank.tolist(), doc_ids, strict=True))
    ranks = np.arange(1, length + 1)
    names = pd.Series([id_by_rank.get(i) for i in range(1, length + 1)], dtype=object)
    return pd.DataFrame({"rank": ranks, "doc_id": names, "score": np.full(length, np.nan)})
