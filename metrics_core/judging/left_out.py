"""Documents that every run leaves out before it is ranked: each query's own, and pairs of a query
and a document, such as items seen before or documents judged earlier."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base import wording as w
from metrics_core.base.arrays import Ints, Mask
from metrics_core.base.errors import RanklensError
from metrics_core.base.notes import Note
from metrics_core.judging.join import rows_named
from metrics_core.tables import Qrels, Run
from metrics_core.tables.arrays import column_of, places_among, values_of
from metrics_core.tables.columns import coded
from metrics_core.tables.ranked_run import as_judged_ranks
from metrics_core.tables.repeats import text_bytes

_SAMPLE, _FIRST = 200, 10
"""So many lists tell, by so many first ranks where the others stay on the disk, whether a look at
all rows pays."""


@dataclass(frozen=True)
class LeftOut:
    """What runs leave out: `own`, documents whose id is their query's; `pairs`, those that it
    names, whatever their grade."""

    own: bool = False
    pairs: Qrels | None = None

    def __bool__(self) -> bool:
        """Whether anything is to be left out."""
        return self.own or self.pairs is not None


NOTHING = LeftOut()
"""Every run stays as it is."""


def without(run: Run, left_out: LeftOut) -> Run:
    """The run without these documents, as if its file had not had their rows, and a note of how
    many they were. Ranks that were given move up. Raises RanklensError for judged ranks."""
    if not left_out:
        return run
    if not run.complete:
        raise RanklensError(
            f"{as_judged_ranks([run.name])}, so no document can be excluded.",
            "Exclude it from the run, then make the judged ranks again.",
        )
    run = run.whole()
    gone = np.zeros(len(run), dtype=np.bool_)
    notes = []
    if left_out.own:
        own = _own(run)
        notes.append(
            _note("exclude_self", "the query itself is excluded from its results", run, own)
        )
        gone |= own
    if left_out.pairs is not None:
        named = _named(run, left_out.pairs)
        notes.append(_note("exclude", "excluded documents are removed", run, named))
        gone |= named
    return (
        replace(run, table=_rows(run, ~gone)).noting(*notes) if gone.any() else run.noting(*notes)
    )


def own_query_notes(run: Run, *, among: str = "") -> tuple[Note, ...]:
    """The note on lists that hold the document whose id is their query's, where most do; `among`
    says which lists of a run these are, if not all."""
    if not run.complete or not len(run):
        return ()
    query_ids, part = run.query_ids, run.leading(_FIRST)
    step = max(1, len(query_ids) // _SAMPLE)
    part = Run(table=part.table.filter(column_of(part.query_codes % step == 0)))
    if np.count_nonzero(_own(part)) * 4 * step < len(query_ids):
        return ()
    whole = run.whole()
    found = np.unique(whole.query_codes[_own(whole)])
    if len(found) * 2 <= len(query_ids):
        return ()
    told = (
        f"{len(found):,} of {among}{len(query_ids):,} lists contain the query itself (its doc_id is"
        " the query_id); unless it is a valid result, exclude it from every run (exclude-self)"
    )
    return (Note("own_query", told, len(found), _examples(whole, found), loud=True),)


def _own(run: Run) -> Mask:
    """The rows whose doc_id is their query_id, bool[n]."""
    own, ids = np.zeros(len(run), np.bool_), coded(run.table["query_id"]).dictionary
    rows = _alike(run.query_codes, ids, run.doc_ids)
    query_ids = ids.take(column_of(run.query_codes[rows]))
    own[rows] = values_of(pc.equal(query_ids, run.doc_ids.take(column_of(rows))))
    return own


def _alike(
    codes: npt.NDArray[np.int32], query_ids: pa.StringArray, doc_ids: pa.ChunkedArray
) -> Ints:
    """The rows whose doc_id has the length and the last byte of its query_id, of which there are
    few: to compare all texts takes longer than the rest of a small run's judging."""
    query_starts, query_ends, query_bytes = text_bytes(query_ids)
    lengths, alike, first = query_ends - query_starts, [], 0
    for chunk in doc_ids.chunks:
        starts, ends, octets = text_bytes(chunk)
        code = codes[first : first + len(chunk)]
        rows = np.flatnonzero(ends - starts == lengths[code])
        last = octets[ends[rows] - 1] == query_bytes[query_ends[code[rows]] - 1]
        alike.append(first + rows[last])
        first += len(chunk)
    return np.concatenate(alike) if alike else np.empty(0, np.int64)


def _named(run: Run, pairs: Qrels) -> Mask:
    """The rows that the pairs name, bool[n]."""
    query = places_among(run.query_ids, pairs.query_ids).astype(np.int32)
    named = np.zeros(len(run), dtype=np.bool_)
    if len(pairs):
        named[rows_named(run.doc_ids, query[run.query_codes], pairs)[0]] = True
    return named


def _rows(run: Run, kept: Mask) -> pa.Table:
    """Some rows of a run; a query without any is not listed any more."""
    table = run.table.filter(column_of(kept))
    query = coded(table["query_id"])
    codes = values_of(query.indices)
    there = np.bincount(codes, minlength=len(query.dictionary)) > 0
    number = (np.cumsum(there) - 1).astype(np.int32)
    ids = query.dictionary.filter(column_of(there))
    own = pa.DictionaryArray.from_arrays(column_of(number[codes]), ids)
    table = table.set_column(0, "query_id", own)
    if run.given_ranks is None:
        return table
    rank = column_of(_moved_up(run.query_codes, run.given_ranks, kept))
    return table.set_column(table.column_names.index("rank"), "rank", rank)


def _moved_up(query: npt.NDArray[np.int32], rank: Ints, kept: Mask) -> Ints:
    """The ranks of the rows that are kept, each less the number of those left out above it."""
    order = np.lexsort((rank, query))
    above = np.cumsum(~kept[order])
    lead = np.flatnonzero(np.diff(query[order], prepend=-1))
    before = np.r_[0, above][lead]
    length = np.diff(lead, append=len(order))
    moved = np.empty_like(rank)
    moved[order] = rank[order] - (above - np.repeat(before, length))
    return moved[kept]


def _note(kind: str, told: str, run: Run, gone: Mask) -> Note:
    queries = np.unique(run.query_codes[gone])
    count = int(np.count_nonzero(gone))
    message = (
        f"{told}: {count:,} {w.plural(count, 'row')}, in {len(queries):,} of"
        f" {len(run.query_ids):,} lists"
    )
    return Note(kind, message, count, _examples(run, queries), loud=count > 0)


def _examples(run: Run, queries: npt.NDArray[np.int32]) -> tuple[str, ...]:
    query_ids = run.query_ids
    return tuple(f"query {query_ids[code]}" for code in queries[:3])
