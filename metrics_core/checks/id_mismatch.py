"""Find an id mapping with which far more ids of a run match those of the judgments.

This answers a common question: why are all scores 0? Single mappings and pairs of mappings are
tried on a sample of the queries; the best mapping is then tried on all ids. It is only proposed,
never applied automatically. The search is slow, so it only starts if almost no judged document is
retrieved. With pooled judgments, a run may retrieve only a third of the judged documents without
anything being wrong."""

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
from metrics_core.checks.fit import FEW, GAIN, do_queries_match, lacks_judged_documents
from metrics_core.checks.id_readings import (
    UNCHANGED_IDS,
    IdMap,
    IdReading,
    find_possible_transforms,
    is_safe_id_map,
)
from metrics_core.judging import JudgedRanks
from metrics_core.tables import Qrels, Run
from metrics_core.tables.arrays import as_array, as_column, as_text_column, find_indexes

_QUERIES, _ROWS = 40, 40_000
"""Maximum number of queries that are sampled to compare document ids, and maximum number of rows of
a run."""
_EXAMPLES = 3
_FEW_ROWS, _IN_PAIRS, _COUNTED = 3_000, 16, 5
"""Limits of the search: the number of rows on which all readings (single mappings) are tried, the
number of readings that are combined in pairs, and the number of mappings that are tried on all
rows."""


@dataclass(frozen=True)
class Mismatch:
    """Ids of a run that do not match the ids of the judgments, and a mapping that would make them
    match.

    `what` is "query" or "document". Of `n_possible` ids that could match, `n_matched` match as they
    are, and `n_matched_by_reading` would match with the mapping `reading`. For documents, these
    numbers count the documents judged for a sample of `sampled` queries, or for all queries if
    `sampled` is 0. `run_ids` and `qrels_ids` are pairs of examples that match only with the
    mapping."""

    what: str
    reading: IdMap
    n_matched: int
    n_matched_by_reading: int
    n_possible: int
    run_ids: tuple[str, ...]
    qrels_ids: tuple[str, ...]
    sampled: int = 0

    @property
    def text(self) -> str:
        """The mismatch in a sentence, with the numbers of matching ids."""
        noun = "queries" if self.what == "query" else "judged documents"
        sample_text = f" of {w.format_count(self.sampled)} queries" if self.sampled else ""
        return (
            f"{w.format_count(self.n_matched)} of {w.format_count(self.n_possible)}"
            f" {noun}{sample_text} match the run; {w.format_count(self.n_matched_by_reading)} would"
            f" match if {self.reading.description}"
        )

    @property
    def examples(self) -> tuple[str, ...]:
        """Examples of ids of the run and of the judgments that would match with the mapping."""
        return tuple(f"{a!r} and {b!r}" for a, b in zip(self.run_ids, self.qrels_ids, strict=True))

    @property
    def option(self) -> str:
        """The command-line option that applies the mapping."""
        flag = "--map-queries" if self.what == "query" else "--map-docs"
        return f"{flag} '{self.reading.name}'"

    def note(self) -> Note:
        """Return the mismatch as a note on the run."""
        message = f"{self.text}: {self.option}"
        missed = self.n_possible - self.n_matched
        return Note(f"other_{self.what}_ids", message, missed, self.examples, loud=True)


def find_query_mismatches(runs: Mapping[str, Run], qrels: Qrels) -> dict[str, Mismatch]:
    """Return a mismatch for each run that would match far more queries with a mapping of query ids.

    A mapping is searched for in the first run that needs one. If a mapping helps this run, it is
    also tried on the other runs."""
    mismatches: dict[str, Mismatch] = {}
    for name, run in runs.items():
        if do_queries_match(run, qrels):
            continue
        if not _store_mismatch(
            mismatches, name, find_query_mismatch(run, qrels, _first_id_map(mismatches))
        ):
            break
    return mismatches


def find_query_mismatch(run: Run, qrels: Qrels, given_map: IdMap | None = None) -> Mismatch | None:
    """Find a mapping of query ids with which far more query ids match.

    If `given_map` is given, only this mapping is tried. Returns a mismatch that contains the
    mapping; None if no mapping helps, or if most query ids match already."""
    if do_queries_match(run, qrels):
        return None
    run_ids, judged = run.query_ids, qrels.query_ids
    # Treat all ids as those of one query.
    of_run = as_text_column(run_ids), np.arange(len(run_ids)), np.zeros(len(run_ids), np.int64)
    of_qrels = as_text_column(judged), np.arange(len(judged)), np.zeros(len(judged), np.int64)
    ids = _Ids(*of_run, *of_qrels)
    return ids.find_mismatch("query", 0, given_map, ids.run, ids.qrels)


def _first_id_map(mismatches: Mapping[str, Mismatch]) -> IdMap | None:
    return next((mismatch.reading for mismatch in mismatches.values()), None)


def _store_mismatch(mismatches: dict[str, Mismatch], name: str, mismatch: Mismatch | None) -> bool:
    """Store the mismatch of a run if there is one. Returns whether a mismatch of any run is stored.
    If so, the mapping of the first stored mismatch is tried on the next runs."""
    if mismatch is not None:
        mismatches[name] = mismatch
    return bool(mismatches)


Retrieved = tuple[JudgedRanks, Callable[[], Run | None]]
"""The judged ranks of a run (the ranks of its judged documents), and a function that loads its
documents.

The function loads either the whole run or the complete lists of some of its queries. It returns
None if they cannot be loaded."""


def find_document_mismatches(runs: Mapping[str, Retrieved], qrels: Qrels) -> dict[str, Mismatch]:
    """Return a mismatch for each run that would match far more judged documents with a mapping of
    document ids.

    A mapping is searched for in the first run that lacks almost all judged documents. If a mapping
    helps this run, it is also tried on the other runs."""
    mismatches: dict[str, Mismatch] = {}
    for name, (ranks, load) in runs.items():
        run = load() if lacks_judged_documents(ranks) else None
        if run is None:
            continue
        mismatch = find_document_mismatch(run, qrels, _first_id_map(mismatches))
        if mismatch is not None and not mismatch.sampled:
            loaded = len(run.query_ids)
            part = loaded < np.count_nonzero(ranks.retrieved)
            mismatch = replace(mismatch, sampled=loaded if part else 0)
        if not _store_mismatch(mismatches, name, mismatch):
            break
    return mismatches


def find_document_mismatch(
    run: Run, qrels: Qrels, given_map: IdMap | None = None
) -> Mismatch | None:
    """Find a mapping of document ids with which far more judged documents match, in a sample of the
    shared queries.

    If `given_map` is given, only this mapping is tried. Returns a mismatch that contains the
    mapping; None if no mapping helps, or if more than a few judged documents match already. Also
    returns None for a run loaded as judged ranks, because these contain only matching ids."""
    if not run.complete:
        return None
    query_positions = find_indexes(run.query_ids, qrels.query_ids)
    shared = np.flatnonzero(query_positions >= 0)
    if not len(shared):
        return None
    sampled = shared[np.linspace(0, len(shared) - 1, min(_QUERIES, len(shared))).astype(np.int64)]
    query_ids = [run.query_ids[i] for i in sampled]
    run = run.select_queries(query_ids)
    query_positions = find_indexes(run.query_ids, qrels.query_ids)
    sampled = find_indexes(query_ids, run.query_ids)
    codes = run.query_codes
    rows = np.flatnonzero(np.isin(codes, sampled))[:_ROWS]
    sampled = np.intersect1d(sampled, codes[rows])
    qrels_rows = np.flatnonzero(np.isin(qrels.query_codes, query_positions[sampled]))
    run_ids, run_code = _encode_ids(run.doc_ids.take(as_column(rows)))
    judged, judged_code = _encode_ids(qrels.doc_ids.take(as_column(qrels_rows)))
    ids = _Ids(run_ids, run_code, query_positions[codes[rows]],
               judged, judged_code, qrels.query_codes[qrels_rows].astype(np.int64))  # fmt: skip
    if ids.count_matched_rows(UNCHANGED_IDS) >= FEW * ids.max_matches:
        return None
    size = len(sampled) if len(sampled) < len(shared) else 0
    return ids.find_mismatch(
        "document", size, given_map, run.doc_ids.unique(), qrels.doc_ids.unique()
    )


def _encode_ids(ids: pa.ChunkedArray) -> tuple[pa.Array, Ints]:
    """Return the distinct ids, and the index of each row's id, int64[row]."""
    coded = ids.combine_chunks().dictionary_encode()
    return coded.dictionary, as_array(coded.indices).astype(np.int64)


@dataclass(frozen=True)
class _Ids:
    """The distinct ids of a run and of the judgments, and the rows in which they occur.

    For each row, `run_code` and `qrels_code` have the index of the row's id, and `run_query` and
    `qrels_query` the index of its query; all are int64[row]."""

    run: pa.Array
    run_code: Ints
    run_query: Ints
    qrels: pa.Array
    qrels_code: Ints
    qrels_query: Ints

    @property
    def max_matches(self) -> int:
        """The largest possible number of matches."""
        return min(len(self.run_code), len(self.qrels_code))

    def find_mismatch(
        self, id_noun: str, n_sampled: int, given_map: IdMap | None, run: pa.Array, qrels: pa.Array
    ) -> Mismatch | None:
        """Return a mismatch with the safe mapping that matches the most ids; None if no safe
        mapping matches far more ids than match without a mapping.

        If `given_map` is given, only this mapping is tried. `run` and `qrels` are all distinct ids
        of the run and of the judgments. The mapping must be safe for all of these, even if this
        object only has a sample of them."""
        n_now, least_gain = self.count_matched_rows(UNCHANGED_IDS), GAIN * self.max_matches
        if not self.max_matches or n_now + least_gain > self.max_matches:
            return None
        # A mapping that is safe for a sample may not be for all ids: then try the next best one.
        for reading in self._best_id_maps() if given_map is None else [given_map]:
            n_then = self.count_matched_rows(reading)
            if n_then - n_now >= least_gain and is_safe_id_map(reading, run, qrels):
                examples = self.find_examples(reading)
                return Mismatch(
                    id_noun, reading, n_now, n_then, self.max_matches, *examples, sampled=n_sampled
                )
        return None

    def _best_id_maps(self) -> list[IdMap]:
        """Return the mappings with the most matches on a few rows, best first."""
        small = self._sample_few_queries()
        readings = small._find_candidate_transforms()
        tried = small._count_matches(_maps_of_one_transform(readings))
        if max((n for n, _ in tried), default=0) < small.max_matches:
            tried += small._count_matches(_maps_of_two_transforms(readings[:_IN_PAIRS]))
        best = sorted(tried, key=lambda counted: counted[0], reverse=True)
        return [reading for _, reading in best[:_COUNTED]]

    def _count_matches(self, id_maps: Iterable[IdMap]) -> list[tuple[int, IdMap]]:
        """Return a pair (number of matches, mapping) for each id mapping that is safe and has at
        least one match."""
        counted = [(self.count_matched_rows(reading), reading) for reading in id_maps]
        return [
            (n, candidate)
            for n, candidate in counted
            if n and is_safe_id_map(candidate, self.run, self.qrels)
        ]

    def _sample_few_queries(self) -> _Ids:
        """Return a copy with the ids and rows of only a few queries, so that hundreds of mappings
        can be tried quickly."""
        sizes = np.cumsum(np.bincount(self.run_query))
        last = max(int(np.searchsorted(sizes, _FEW_ROWS, "right")), int(self.run_query.min()) + 1)
        in_run, in_qrels = self.run_query < last, self.qrels_query < last
        run, run_code = _select_used_ids(self.run, self.run_code[in_run])
        qrels, qrels_code = _select_used_ids(self.qrels, self.qrels_code[in_qrels])
        return replace(
            self,
            run=run,
            run_code=run_code,
            run_query=self.run_query[in_run],
            qrels=qrels,
            qrels_code=qrels_code,
            qrels_query=self.qrels_query[in_qrels],
        )

    def count_matched_rows(self, id_map: IdMap) -> int:
        """Return how many rows of the judgments also occur in the run after this mapping is
        applied."""
        keys, judged = self._mapped_row_keys(id_map)
        return int(np.isin(judged, keys).sum())

    def find_examples(self, id_map: IdMap) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return ids of the run and of the judgments that only match with this mapping."""
        keys, judged = self._mapped_row_keys(id_map)
        plain, plain_judged = self._mapped_row_keys(UNCHANGED_IDS)
        new_rows = np.flatnonzero(np.isin(judged, keys) & ~np.isin(plain_judged, plain))[:_EXAMPLES]
        order = np.argsort(keys, kind="stable")
        first = order[np.searchsorted(keys[order], judged[new_rows])]
        run_ids = self.run.take(as_column(self.run_code[first])).to_pylist()
        return tuple(run_ids), tuple(
            self.qrels.take(as_column(self.qrels_code[new_rows])).to_pylist()
        )

    def _find_candidate_transforms(self) -> list[IdReading]:
        """Return the readings (single mappings) that may make the unmatched ids match, alone or
        after another reading."""
        run = self.run.filter(pc.invert(pc.is_in(self.run, value_set=self.qrels)))
        qrels = self.qrels.filter(pc.invert(pc.is_in(self.qrels, value_set=self.run)))
        return find_possible_transforms(run.to_pylist(), qrels.to_pylist())

    def _mapped_row_keys(self, id_map: IdMap) -> tuple[Ints, Ints]:
        """Return a key for each row of the run and of the judgments, int64[row] each.

        Rows have the same key if they have the same query and the same mapped id.
        """
        run, qrels = id_map.map_run_ids(self.run), id_map.map_qrels_ids(self.qrels)
        all_ids = pa.concat_arrays([run, qrels]).dictionary_encode()
        codes = as_array(all_ids.indices).astype(np.int64)
        run_codes, judged = codes[: len(run)], codes[len(run) :]
        n = len(all_ids.dictionary)
        return (
            self.run_query * n + run_codes[self.run_code],
            self.qrels_query * n + judged[self.qrels_code],
        )


def _select_used_ids(ids: pa.Array, codes: Ints) -> tuple[pa.Array, Ints]:
    """Reduce `ids` to the ids that occur in the given rows. `codes` int64[row] has the index of
    each row's id in `ids`. Returns the reduced ids, and the index of each row's id in them,
    int64[row]."""
    used_codes, code = np.unique(codes, return_inverse=True)
    return ids.take(as_column(used_codes)), code.astype(np.int64)


def _maps_of_one_transform(readings: Sequence[IdReading]) -> Iterator[IdMap]:
    """Yield three mappings for each reading (a single mapping of ids): the reading applied to run
    and judgments, to the run only, and to the judgments only."""
    for reading in readings:
        yield from (IdMap((reading,), (reading,)), IdMap((reading,), ()), IdMap((), (reading,)))


def _maps_of_two_transforms(readings: Sequence[IdReading]) -> Iterator[IdMap]:
    """Yield three mappings for each ordered pair of readings (single mappings of ids).

    The first applies both readings in sequence to run and judgments. The second applies both in
    sequence to the run only. The third applies the first reading to the run and the second reading
    to the judgments."""
    for pair in permutations(readings, 2):
        yield from (IdMap(pair, pair), IdMap(pair, ()), IdMap(pair[:1], pair[1:]))
