"""Ids that do not meet: would another reading of them match far more of the judgments?

The question that is asked most: why is everything 0? Readings are tried alone and in pairs, on a
sample of the queries; that of the most matches is then counted. Nothing is read so unless somebody
asks for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base import wording as w
from metrics_core.base.notes import Note
from metrics_core.checks.id_readings import AS_THEY_STAND, IdMap, Reading, every_reading
from metrics_core.tables import Qrels, Run
from metrics_core.tables.arrays import column_of, places_among, texts_of, values_of

GAIN = 0.2
"""By how much of what could match another reading must match more, to be told."""
_QUERIES, _ROWS = 40, 40_000
"""The sample of queries in which document ids are looked at, and rows of a run at most."""
_EXAMPLES = 3
_KEPT_APART = 0.9
"""The share of the judgments' ids that a reading must keep apart: one that makes all ids the same
matches everything."""
_FEW_ROWS, _IN_PAIRS = 3_000, 16
"""Rows of a run that every reading is tried on, and readings at most of which pairs are."""

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Mismatch:
    """Ids of a run that do not meet those of the judgments, and a reading by which they would.
    `what` is "query" or "document". Of `of` that could match, `now` do and by `reading` `then`
    would: queries, or judged documents of the `sampled` queries, 0 for all of them. `run_ids` and
    `qrels_ids` are examples that do not match now, each pair one that then would."""

    what: str
    reading: IdMap
    now: int
    then: int
    of: int
    run_ids: tuple[str, ...]
    qrels_ids: tuple[str, ...]
    sampled: int = 0

    @property
    def text(self) -> str:
        """The finding with its numbers."""
        noun = "queries" if self.what == "query" else "judged documents"
        of = f" of {w.count(self.sampled)} queries" if self.sampled else ""
        return (
            f"{w.count(self.now)} of {w.count(self.of)} {noun}{of} are found in the run;"
            f" {w.count(self.then)} are if {self.reading.said}"
        )

    @property
    def examples(self) -> tuple[str, ...]:
        """Ids of run and judgments that would meet."""
        return tuple(f"{a!r} and {b!r}" for a, b in zip(self.run_ids, self.qrels_ids, strict=True))

    @property
    def option(self) -> str:
        """The option of the command line that reads ids so."""
        flag = "--map-queries" if self.what == "query" else "--map-docs"
        return f"{flag} '{self.reading.name}'"

    def note(self) -> Note:
        """The finding as a note of the run."""
        message = f"{self.text}: {self.option}"
        missed = self.of - self.now
        return Note(f"other_{self.what}_ids", message, missed, self.examples, loud=True)


def mismatch_notes(run: Run, qrels: Qrels) -> tuple[Note, ...]:
    """A note for queries and one for documents, where another reading of their ids would match far
    more."""
    found = (query_mismatch(run, qrels), document_mismatch(run, qrels))
    return tuple(own.note() for own in found if own is not None)


def query_mismatch(run: Run, qrels: Qrels) -> Mismatch | None:
    """Whether another reading of the query ids would match far more of them."""
    own, judged = run.query_ids, qrels.query_ids
    ids = _Ids(texts_of(own), np.arange(len(own)), np.zeros(len(own), np.int64),
               texts_of(judged), np.arange(len(judged)), np.zeros(len(judged), np.int64),
               apart=1.0)  # fmt: skip
    return ids.mismatch("query", 0)


def document_mismatch(run: Run, qrels: Qrels) -> Mismatch | None:
    """Whether another reading of the document ids would match far more of the judged ones, in a
    sample of the queries that both have; None of a run that came as judged ranks, which names only
    documents that match."""
    if not run.complete:
        return None
    place = places_among(run.query_ids, qrels.query_ids)
    shared = np.flatnonzero(place >= 0)
    if not len(shared):
        return None
    sampled = shared[np.linspace(0, len(shared) - 1, min(_QUERIES, len(shared))).astype(np.int64)]
    query_ids = [run.query_ids[i] for i in sampled]
    run = run.holding(query_ids)
    place = places_among(run.query_ids, qrels.query_ids)
    sampled = places_among(query_ids, run.query_ids)
    codes = run.query_codes
    rows = np.flatnonzero(np.isin(codes, sampled))[:_ROWS]
    sampled = np.intersect1d(sampled, codes[rows])
    of_judged = np.flatnonzero(np.isin(qrels.query_codes, place[sampled]))
    own, own_code = _distinct(run.doc_ids.take(column_of(rows)))
    judged, judged_code = _distinct(qrels.doc_ids.take(column_of(of_judged)))
    ids = _Ids(own, own_code, place[codes[rows]], judged, judged_code,
               qrels.query_codes[of_judged].astype(np.int64), apart=_KEPT_APART)  # fmt: skip
    return ids.mismatch("document", len(sampled) if len(sampled) < len(shared) else 0)


def _distinct(ids: pa.ChunkedArray) -> tuple[pa.Array, Ints]:
    """The distinct ids, and per row which of them it has."""
    coded = ids.combine_chunks().dictionary_encode()
    return coded.dictionary, values_of(coded.indices).astype(np.int64)


@dataclass(frozen=True)
class _Ids:
    """The distinct ids of both sides, and by row which id it has, of which query. A reading must
    keep `apart` so large a share of the judgments' ids."""

    run: pa.Array
    run_code: Ints
    run_query: Ints
    qrels: pa.Array
    qrels_code: Ints
    qrels_query: Ints
    apart: float

    @property
    def most(self) -> int:
        """How many judged rows could be found."""
        return min(len(self.run_code), len(self.qrels_code))

    def mismatch(self, what: str, sampled: int) -> Mismatch | None:
        """The reading by which most are found, where that is far more than now."""
        now, wanted = self.found(AS_THEY_STAND), GAIN * self.most
        if not self.most or now + wanted > self.most:
            return None
        few = self._few()
        readings = few._readings()
        best = max(map(few._found_by, _alone(readings)), key=_size, default=(0, AS_THEY_STAND))
        if best[0] < few.most:
            best = max([best, *map(few._found_by, _pairs(readings[:_IN_PAIRS]))], key=_size)
        best = self.found(best[1]), best[1]
        then, found = best
        if then - now < wanted:
            return None
        return Mismatch(what, found, now, then, self.most, *self.examples(found), sampled=sampled)

    def _few(self) -> _Ids:
        """The rows of so few queries that hundreds of readings are soon tried on them."""
        sizes = np.cumsum(np.bincount(self.run_query))
        last = max(int(np.searchsorted(sizes, _FEW_ROWS, "right")), int(self.run_query.min()) + 1)
        own, judged = self.run_query < last, self.qrels_query < last
        run, run_code = _used(self.run, self.run_code[own])
        qrels, qrels_code = _used(self.qrels, self.qrels_code[judged])
        return replace(
            self,
            run=run,
            run_code=run_code,
            run_query=self.run_query[own],
            qrels=qrels,
            qrels_code=qrels_code,
            qrels_query=self.qrels_query[judged],
        )

    def found(self, by: IdMap) -> int:
        """How many judged rows the run has by this reading; 0 where it makes one of many ids."""
        keys, judged = self._keys(by)
        return int(np.isin(judged, keys).sum())

    def examples(self, by: IdMap) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Ids of the run and of the judgments that meet by this reading, and not as they stand."""
        keys, judged = self._keys(by)
        plain, plain_judged = self._keys(AS_THEY_STAND)
        new = np.flatnonzero(np.isin(judged, keys) & ~np.isin(plain_judged, plain))[:_EXAMPLES]
        order = np.argsort(keys, kind="stable")
        first = order[np.searchsorted(keys[order], judged[new])]
        own = self.run.take(column_of(self.run_code[first])).to_pylist()
        return tuple(own), tuple(self.qrels.take(column_of(self.qrels_code[new])).to_pylist())

    def _readings(self) -> list[Reading]:
        """Those that may make ids meet that do not; a plain one may do so after another."""
        run = self.run.filter(pc.invert(pc.is_in(self.run, value_set=self.qrels)))
        qrels = self.qrels.filter(pc.invert(pc.is_in(self.qrels, value_set=self.run)))
        return every_reading(run.to_pylist(), qrels.to_pylist())

    def _found_by(self, by: IdMap) -> tuple[int, IdMap]:
        return self.found(by), by

    def _keys(self, by: IdMap) -> tuple[Ints, Ints]:
        """A number for the query and the id of each row, of run and judgments."""
        run, qrels = by.of_run(self.run), by.of_qrels(self.qrels)
        known = pa.concat_arrays([run, qrels]).dictionary_encode()
        codes = values_of(known.indices).astype(np.int64)
        own, judged = codes[: len(run)], codes[len(run) :]
        if len(np.unique(judged)) < self.apart * len(qrels):
            return np.zeros(0, np.int64), np.full(len(self.qrels_code), -1)
        n = len(known.dictionary)
        return (
            self.run_query * n + own[self.run_code],
            self.qrels_query * n + judged[self.qrels_code],
        )


def _used(ids: pa.Array, codes: Ints) -> tuple[pa.Array, Ints]:
    """The ids that these rows have, and per row which of them it has."""
    used, code = np.unique(codes, return_inverse=True)
    return ids.take(column_of(used)), code.astype(np.int64)


def _size(found: tuple[int, IdMap]) -> int:
    return found[0]


def _alone(readings: Sequence[Reading]) -> Iterator[IdMap]:
    """Each reading on both sides, and on one."""
    for own in readings:
        yield from (IdMap((own,), (own,)), IdMap((own,), ()), IdMap((), (own,)))


def _pairs(readings: Sequence[Reading]) -> Iterator[IdMap]:
    """Two readings one after the other on both sides or the run's, or one on each side."""
    for own in permutations(readings, 2):
        yield from (IdMap(own, own), IdMap(own, ()), IdMap(own[:1], own[1:]))
