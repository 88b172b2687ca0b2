"""Ids that do not meet: would another reading of them match far more of the judgments?

The question that is asked most: why is everything 0? Readings are tried alone and in pairs, on a
sample of the queries; that of the most matches is then counted. Nothing is read so unless somebody
asks for it. Of pooled judgments a run may retrieve a third without anything being wrong, and the
search takes long: it starts only if next to no judged document is retrieved.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base import wording as w
from metrics_core.base.arrays import Ints
from metrics_core.base.notes import Note
from metrics_core.checks.fit import FEW, GAIN, misses_judged_documents, queries_meet
from metrics_core.checks.id_readings import AS_THEY_STAND, IdMap, IdReading, every_reading, is_safe
from metrics_core.judging import JudgedRanks
from metrics_core.tables import Qrels, Run
from metrics_core.tables.arrays import column_of, places_among, texts_of, values_of

_QUERIES, _ROWS = 40, 40_000
"""The sample of queries in which document ids are looked at, and rows of a run at most."""
_EXAMPLES = 3
_FEW_ROWS, _IN_PAIRS, _COUNTED = 3_000, 16, 5
"""Rows of a run on which every reading is tried; the most readings of which pairs are made; and the
most that are tried on all rows."""


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
            f"{w.count(self.now)} of {w.count(self.of)} {noun}{of} match the run;"
            f" {w.count(self.then)} would match if {self.reading.said}"
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


def query_mismatches(runs: Mapping[str, Run], qrels: Qrels) -> dict[str, Mismatch]:
    """Return a mismatch for each run that another reading of the query ids would match far more
    of. Readings are looked for once, in the first run that needs one; it is tried on the others."""
    found: dict[str, Mismatch] = {}
    for name, run in runs.items():
        if queries_meet(run, qrels):
            continue
        if not _tried(found, name, query_mismatch(run, qrels, _first_reading(found))):
            break
    return found


def query_mismatch(run: Run, qrels: Qrels, by: IdMap | None = None) -> Mismatch | None:
    """Return the reading of the query ids, only `by` if it is given, by which far more of them
    would match, if there is one."""
    if queries_meet(run, qrels):
        return None
    own, judged = run.query_ids, qrels.query_ids
    # All ids as those of one query.
    of_run = texts_of(own), np.arange(len(own)), np.zeros(len(own), np.int64)
    of_qrels = texts_of(judged), np.arange(len(judged)), np.zeros(len(judged), np.int64)
    ids = _Ids(*of_run, *of_qrels)
    return ids.mismatch("query", 0, by, ids.run, ids.qrels)


def _first_reading(found: Mapping[str, Mismatch]) -> IdMap | None:
    return next((mismatch.reading for mismatch in found.values()), None)


def _tried(found: dict[str, Mismatch], name: str, mismatch: Mismatch | None) -> bool:
    """Keep the mismatch of a run; return whether there is a reading to try on the runs after it."""
    if mismatch is not None:
        found[name] = mismatch
    return bool(found)


Retrieved = tuple[JudgedRanks, Callable[[], Run | None]]
"""The judged ranks of a run, and a function that loads it, or at least whole lists of some of its
queries; None if they cannot be loaded."""


def document_mismatches(runs: Mapping[str, Retrieved], qrels: Qrels) -> dict[str, Mismatch]:
    """Return a mismatch for each run that another reading of the document ids would match far more
    of the judged ones in. Readings are looked for once, in the first run that misses nearly all of
    them; that of this run is tried on the others."""
    found: dict[str, Mismatch] = {}
    for name, (ranks, load) in runs.items():
        run = load() if misses_judged_documents(ranks) else None
        if run is None:
            continue
        mismatch = document_mismatch(run, qrels, _first_reading(found))
        if mismatch is not None and not mismatch.sampled:
            loaded = len(run.query_ids)
            part = loaded < np.count_nonzero(ranks.retrieved)
            mismatch = replace(mismatch, sampled=loaded if part else 0)
        if not _tried(found, name, mismatch):
            break
    return found


def document_mismatch(run: Run, qrels: Qrels, by: IdMap | None = None) -> Mismatch | None:
    """Return the reading of the document ids, only `by` if it is given, by which far more of the
    judged ones would match, in a sample of the queries that both have. None if more than next to
    none match, and for a run that came as judged ranks, which names only documents that match."""
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
    ids = _Ids(own, own_code, place[codes[rows]],
               judged, judged_code, qrels.query_codes[of_judged].astype(np.int64))  # fmt: skip
    if ids.found(AS_THEY_STAND) >= FEW * ids.most:
        return None
    size = len(sampled) if len(sampled) < len(shared) else 0
    return ids.mismatch("document", size, by, run.doc_ids.unique(), qrels.doc_ids.unique())


def _distinct(ids: pa.ChunkedArray) -> tuple[pa.Array, Ints]:
    """The distinct ids, and per row which of them it has."""
    coded = ids.combine_chunks().dictionary_encode()
    return coded.dictionary, values_of(coded.indices).astype(np.int64)


@dataclass(frozen=True)
class _Ids:
    """The distinct ids of both sides, and by row which id it has, of which query."""

    run: pa.Array
    run_code: Ints
    run_query: Ints
    qrels: pa.Array
    qrels_code: Ints
    qrels_query: Ints

    @property
    def most(self) -> int:
        """How many judged rows could be found."""
        return min(len(self.run_code), len(self.qrels_code))

    def mismatch(
        self, what: str, sampled: int, by: IdMap | None, run: pa.Array, qrels: pa.Array
    ) -> Mismatch | None:
        """Return the reading by which most are found, if that is far more than now. Only `by` is
        tried if it is given. `run` and `qrels` are all ids, if these are those of a sample."""
        now, wanted = self.found(AS_THEY_STAND), GAIN * self.most
        if not self.most or now + wanted > self.most:
            return None
        # A reading that is safe for a sample may not be for all ids: then the next best one may.
        for reading in self._best() if by is None else [by]:
            then = self.found(reading)
            if then - now >= wanted and is_safe(reading, run, qrels):
                examples = self.examples(reading)
                return Mismatch(what, reading, now, then, self.most, *examples, sampled=sampled)
        return None

    def _best(self) -> list[IdMap]:
        """Return the readings that match most of a few rows, best first."""
        few = self._few()
        readings = few._readings()
        tried = few._matching(_alone(readings))
        if max(map(_size, tried), default=0) < few.most:
            tried += few._matching(_pairs(readings[:_IN_PAIRS]))
        best = sorted(tried, key=_size, reverse=True)
        return [reading for _, reading in best[:_COUNTED]]

    def _matching(self, readings: Iterable[IdMap]) -> list[tuple[int, IdMap]]:
        """Return the readings by which any row is found, with the number of rows; only safe
        ones."""
        counted = [(self.found(reading), reading) for reading in readings]
        return [(n, own) for n, own in counted if n and is_safe(own, self.run, self.qrels)]

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
        """How many judged rows the run has by this reading."""
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

    def _readings(self) -> list[IdReading]:
        """Those that may make ids meet that do not; a plain one may do so after another."""
        run = self.run.filter(pc.invert(pc.is_in(self.run, value_set=self.qrels)))
        qrels = self.qrels.filter(pc.invert(pc.is_in(self.qrels, value_set=self.run)))
        return every_reading(run.to_pylist(), qrels.to_pylist())

    def _keys(self, by: IdMap) -> tuple[Ints, Ints]:
        """A number for the query and the id of each row, of run and judgments."""
        run, qrels = by.of_run(self.run), by.of_qrels(self.qrels)
        known = pa.concat_arrays([run, qrels]).dictionary_encode()
        codes = values_of(known.indices).astype(np.int64)
        own, judged = codes[: len(run)], codes[len(run) :]
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


def _alone(readings: Sequence[IdReading]) -> Iterator[IdMap]:
    """Each reading on both sides, and on one."""
    for own in readings:
        yield from (IdMap((own,), (own,)), IdMap((own,), ()), IdMap((), (own,)))


def _pairs(readings: Sequence[IdReading]) -> Iterator[IdMap]:
    """Two readings one after the other on both sides or the run's, or one on each side."""
    for own in permutations(readings, 2):
        yield from (IdMap(own, own), IdMap(own, ()), IdMap(own[:1], own[1:]))
