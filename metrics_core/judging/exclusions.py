"""Exclude documents from every run before ranking.

Two kinds of documents can be excluded: documents with the id of their query, and documents in a
list of query and document pairs, such as items already seen or judged earlier."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base import wording as w
from metrics_core.base.arrays import Int32s, Ints, Mask
from metrics_core.base.errors import RanklensError
from metrics_core.base.notes import Note
from metrics_core.judging.join import match_judged_rows
from metrics_core.tables import Qrels, Run
from metrics_core.tables.arrays import (
    as_array,
    as_column,
    block_starts,
    example_queries,
    find_indexes,
)
from metrics_core.tables.columns import encode_ids
from metrics_core.tables.ranked_run import judged_ranks_clause
from metrics_core.tables.repeats import text_bytes

_SAMPLE, _FIRST = 200, 10
"""Size of the sample that decides whether all rows are read: the number of lists, and, for a run on
disk, the number of first ranks of each list."""


@dataclass(frozen=True)
class Exclusions:
    """The documents to exclude from runs. If `own_documents` is true, documents with the id of
    their query are excluded. `pairs` are other pairs of query and document to exclude; the grades
    of these pairs are ignored."""

    own_documents: bool = False
    pairs: Qrels | None = None

    def __bool__(self) -> bool:
        """Whether any document is excluded."""
        return self.own_documents or self.pairs is not None


NO_EXCLUSIONS = Exclusions()
"""Exclusions that exclude no document."""


def exclude_documents(run: Run, exclusions: Exclusions) -> Run:
    """Return the run without the excluded documents, with a note on their number.

    The result is the same as if their rows were not in the file. Ranks from the file are renumbered
    to close the gaps. Raises RanklensError for a run loaded as judged ranks (the ranks of judged
    documents)."""
    if not exclusions:
        return run
    if not run.complete:
        raise RanklensError(
            f"{judged_ranks_clause([run.name])}, so no document can be excluded.",
            "Exclude documents from the run itself, then create the ranks of judged documents"
            " again.",
        )
    run = run.read_whole()
    excluded: dict[tuple[str, str], Mask] = {}
    if exclusions.own_documents:
        reason = "the query itself is excluded from its results"
        excluded["exclude_self", reason] = _self_match_rows(run)
    if exclusions.pairs is not None:
        excluded["exclude", "excluded documents are removed"] = _rows_in_pairs(
            run, exclusions.pairs
        )
    notes = [_exclusion_note(*reason, run, rows) for reason, rows in excluded.items()]
    is_kept = ~np.any([*excluded.values()], axis=0)
    if not is_kept.all():
        run = replace(run, table=_filter_rows(run, is_kept))
    return run.with_notes(*notes)


def self_match_notes(run: Run, *, checked_lists: str = "") -> tuple[Note, ...]:
    """Return a note if most lists contain the document that has the id of their query; otherwise no
    note. `checked_lists` describes the checked lists, if not all lists were checked."""
    if not run.complete or not len(run):
        return ()
    query_ids, part = run.query_ids, run.select_top(_FIRST)
    step = max(1, len(query_ids) // _SAMPLE)
    part = Run(table=part.table.filter(as_column(part.query_codes % step == 0)))
    if np.count_nonzero(_self_match_rows(part)) * 4 * step < len(query_ids):
        return ()
    whole_run = run.read_whole()
    codes = np.unique(whole_run.query_codes[_self_match_rows(whole_run)])
    if len(codes) * 2 <= len(query_ids):
        return ()
    message = (
        f"{len(codes):,} of {checked_lists}{len(query_ids):,} lists contain the query itself (a"
        " document whose doc_id is the query_id); unless that document is a valid result, exclude"
        " it from every run (exclude-self)"
    )
    return (Note("own_query", message, len(codes), example_queries(query_ids, codes), loud=True),)


def _self_match_rows(run: Run) -> Mask:
    """Return which rows have a doc_id that equals their query_id, bool[row]."""
    is_own, ids = np.zeros(len(run), np.bool_), encode_ids(run.table["query_id"]).dictionary
    rows = _candidate_rows(run.query_codes, ids, run.doc_ids)
    query_ids = ids.take(as_column(run.query_codes[rows]))
    is_own[rows] = as_array(pc.equal(query_ids, run.doc_ids.take(as_column(rows))))
    return is_own


def _candidate_rows(codes: Int32s, query_ids: pa.StringArray, doc_ids: pa.ChunkedArray) -> Ints:
    """Return the rows whose doc_id has the same length and the same last byte as their query_id,
    int64[candidate].

    Only these few rows are then compared as whole strings. Comparing all strings would take longer
    than all other steps of joining a small run."""
    query_starts, query_ends, query_bytes = text_bytes(query_ids)
    lengths, candidates, first = query_ends - query_starts, [], 0
    for chunk in doc_ids.chunks:
        starts, ends, octets = text_bytes(chunk)
        code = codes[first : first + len(chunk)]
        rows = np.flatnonzero(ends - starts == lengths[code])
        last = octets[ends[rows] - 1] == query_bytes[query_ends[code[rows]] - 1]
        candidates.append(first + rows[last])
        first += len(chunk)
    return np.concatenate(candidates) if candidates else np.empty(0, np.int64)


def _rows_in_pairs(run: Run, pairs: Qrels) -> Mask:
    """Return for each row whether its query and document are one of the pairs, bool[row]."""
    query = find_indexes(run.query_ids, pairs.query_ids).astype(np.int32)
    is_named = np.zeros(len(run), dtype=np.bool_)
    if len(pairs):
        is_named[match_judged_rows(run.doc_ids, query[run.query_codes], pairs)[0]] = True
    return is_named


def _filter_rows(run: Run, is_kept: Mask) -> pa.Table:
    """Return the rows for which `is_kept`, bool[row], is true, as a table. Queries without rows are
    removed from the dictionary."""
    table = run.table.filter(as_column(is_kept))
    query = encode_ids(table["query_id"])
    codes = as_array(query.indices)
    is_present = np.bincount(codes, minlength=len(query.dictionary)) > 0
    new_codes = (np.cumsum(is_present) - 1).astype(np.int32)
    ids = query.dictionary.filter(as_column(is_present))
    query_column = pa.DictionaryArray.from_arrays(as_column(new_codes[codes]), ids)
    table = table.set_column(0, "query_id", query_column)
    if run.given_ranks is None:
        return table
    rank = as_column(_shift_ranks(run.query_codes, run.given_ranks, is_kept))
    return table.set_column(table.column_names.index("rank"), "rank", rank)


def _shift_ranks(query: Int32s, rank: Ints, is_kept: Mask) -> Ints:
    """Return the ranks of the kept rows, int64[kept row]. Each rank is reduced by the number of
    excluded rows above it."""
    order = np.lexsort((rank, query))
    n_above = np.cumsum(~is_kept[order])
    lead = block_starts(query[order])
    before = np.r_[0, n_above][lead]
    length = np.diff(lead, append=len(order))
    shifted = np.empty_like(rank)
    shifted[order] = rank[order] - (n_above - np.repeat(before, length))
    return shifted[is_kept]


def _exclusion_note(kind: str, reason: str, run: Run, is_excluded: Mask) -> Note:
    queries = np.unique(run.query_codes[is_excluded])
    count = int(np.count_nonzero(is_excluded))
    message = (
        f"{reason}: {count:,} {w.plural(count, 'row')}, in {len(queries):,} of"
        f" {len(run.query_ids):,} lists"
    )
    return Note(kind, message, count, example_queries(run.query_ids, queries), loud=count > 0)
