"""Judgments by subtopic, joined with a run: the subtopics that the run's documents cover, and the
best order of documents.

A hit is a document that is relevant to one subtopic. A document that is relevant to several
subtopics makes several hits at the same rank."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from metrics_core.base.arrays import AnyArray, Floats, Ints, Mask
from metrics_core.base.memo import Memo
from metrics_core.judging.hits import Hits
from metrics_core.tables import Qrels
from metrics_core.tables.arrays import as_array, block_starts, match_codes
from metrics_core.tables.columns import encode_ids

_MOST_KEPT = 16


@dataclass(frozen=True)
class SubtopicCoverage:
    """The hits of a list, sorted by query and rank. `n_relevant` int64[hit] is the number of all
    documents that are relevant to the hit's subtopic. `repeat` int64[hit] is the number of such
    documents in the list down to and including the hit; the first hit of a subtopic has 1."""

    hits: Hits
    repeat: Ints
    n_relevant: Ints


@dataclass(frozen=True)
class SubtopicJudgments:
    """Judgments of documents for the subtopics of their query, sorted by query, document
    (descending) and subtopic.

        query      int64[judgment]    position of the query among the judged queries
        document   int64[judgment]    number of the document, in the byte order of all ids
        subtopic   int64[judgment]    number of the subtopic, in the byte order of all names
        relevance  float64[judgment]  the grade for this subtopic
        rank       int64[judgment]    rank of the document in the run, from 1; 0 if not listed"""

    query: Ints
    document: Ints
    subtopic: Ints
    relevance: Floats
    rank: Ints
    n_queries: int
    _memo: Memo = field(
        default_factory=lambda: Memo(_MOST_KEPT), init=False, repr=False, compare=False
    )

    def n_subtopics(self, rel: float = 1) -> Ints:
        """Return the number of subtopics with a relevant judged document, int64[query]."""
        return self._memo(("subtopics", rel), lambda: self._n_subtopics(rel))

    def _n_subtopics(self, rel: float) -> Ints:
        cells, _ = self._index_relevant_pairs(rel)
        return np.bincount(cells // self._n_subtopic_codes, minlength=self.n_queries)

    def coverage(self, rel: float = 1) -> SubtopicCoverage:
        """Return the subtopics that the run's lists cover."""
        return self._memo(("covered", rel), lambda: self._run_coverage(rel))

    def ideal_coverage(self, rel: float, alpha: float) -> SubtopicCoverage:
        """Return the subtopics covered by the best order of all judged documents. At each rank this
        order has the document with the largest gain. Each additional document that is relevant to
        the same subtopic gains 1 - alpha times as much as the previous one. If gains are tied, the
        document whose id comes last is taken first, as in ndeval."""
        return self._memo(("ideal", rel, alpha), lambda: self._ideal_coverage(rel, alpha))

    @property
    def _n_subtopic_codes(self) -> int:
        return int(self.subtopic.max(initial=0)) + 1

    def _is_relevant(self, rel: float) -> Mask:
        return self.relevance >= max(rel, 0)

    def _index_relevant_pairs(self, rel: float) -> tuple[Ints, Ints]:
        """Number every pair of query and subtopic that has a relevant document. Return the
        ascending numbers, int64[cell], and for each relevant judgment the index of its pair among
        these numbers, int64[relevant]."""
        relevant = self._is_relevant(rel)
        cell = self.query[relevant] * self._n_subtopic_codes + self.subtopic[relevant]
        return np.unique(cell, return_inverse=True)

    def _run_coverage(self, rel: float) -> SubtopicCoverage:
        rank = self.rank[self._is_relevant(rel)]
        return self._coverage_of_ranks(*self._index_relevant_pairs(rel), rank)

    def _coverage_of_ranks(self, cells: Ints, cell: Ints, rank: Ints) -> SubtopicCoverage:
        """Return the coverage of a list. `rank` int64[relevant] is the rank of the document of each
        relevant judgment; 0 if it is not listed."""
        n_relevant = np.bincount(cell, minlength=len(cells))
        listed = rank > 0
        cell, rank = cell[listed], rank[listed]
        by_subtopic = np.lexsort((rank, cell))
        ordered = cell[by_subtopic]
        repeat = np.empty(len(cell), dtype=np.int64)
        repeat[by_subtopic] = np.arange(len(cell)) - np.searchsorted(ordered, ordered) + 1
        query = cells[cell] // self._n_subtopic_codes
        order = np.lexsort((cell, rank, query))
        hits = Hits(query[order], rank[order], np.ones(len(order)), self.n_queries)
        return SubtopicCoverage(hits, repeat[order], n_relevant[cell[order]])

    def _ideal_coverage(self, rel: float, alpha: float) -> SubtopicCoverage:
        """Compute the coverage of a greedily built order of the documents, for all queries at once,
        with one array step per rank. Documents that are relevant to no subtopic add nothing and are
        placed last."""
        cells, cell = self._index_relevant_pairs(rel)
        relevant = self._is_relevant(rel)
        query, document = self.query[relevant], self.document[relevant]
        is_new = (np.diff(query, prepend=-1) != 0) | (np.diff(document, prepend=-1) != 0)
        doc = np.cumsum(is_new) - 1
        doc_query = query[is_new]
        rank_of = np.zeros(len(doc_query), dtype=np.int64)
        worth = np.ones(len(cells))
        rank, rows, remaining = 0, np.arange(len(cell)), np.arange(len(doc_query))
        while len(remaining):
            rank += 1
            adds = np.bincount(doc[rows], worth[cell[rows]], len(doc_query))[remaining]
            best_documents = remaining[_find_best_documents(adds, doc_query[remaining])]
            rank_of[best_documents] = rank
            is_taken = rank_of[doc[rows]] > 0
            worth[cell[rows[is_taken]]] *= 1 - alpha
            rows, remaining = rows[~is_taken], remaining[rank_of[remaining] == 0]
        return self._coverage_of_ranks(cells, cell, rank_of[doc])

    def select_queries(self, queries: Mask) -> SubtopicJudgments:
        """Return the judgments of the queries selected by `queries` bool[query]."""
        is_kept = queries[self.query]
        return SubtopicJudgments(
            query=(np.cumsum(queries) - 1)[self.query[is_kept]],
            document=self.document[is_kept],
            subtopic=self.subtopic[is_kept],
            relevance=self.relevance[is_kept],
            rank=self.rank[is_kept],
            n_queries=int(queries.sum()),
        )

    def condensed(self, judged_hits: Hits) -> SubtopicJudgments:
        """Return the judgments with ranks in the condensed list, which contains only the documents
        of `judged_hits`."""
        deepest = max(judged_hits.rank.max(initial=0), self.rank.max(initial=0)) + 1
        judged_keys = judged_hits.query * deepest + judged_hits.rank
        keys = self.query * deepest + self.rank
        listed, hits = match_codes(keys, judged_keys)  # ranks count from 1, so 0 matches none
        rank = np.zeros(len(keys), dtype=np.int64)
        rank[listed] = judged_hits.ordinals()[hits]
        return replace(self, rank=rank)


def _find_best_documents(gains: AnyArray, query: Ints) -> Ints:
    """Return, for each query, the position of the first document with the query's largest value in
    `gains`, int64[query]."""
    starts = block_starts(query)
    lengths = np.diff(starts, append=len(query))
    best = np.flatnonzero(gains == np.repeat(np.maximum.reduceat(gains, starts), lengths))
    return best[block_starts(query[best])]


def make_subtopic_judgments(qrels: Qrels, qrels_row: Ints, rank: Ints) -> SubtopicJudgments | None:
    """Return the judgments by subtopic with the rank of each document; None if the qrels have no
    subtopics.

    `qrels_row` and `rank`, int64[hit] each, are the rows and ranks of the listed documents."""
    table = qrels.subtopics
    if table is None:
        return None
    ranks = np.zeros(len(qrels), dtype=np.int64)
    ranks[qrels_row] = rank
    position = {query_id: i for i, query_id in enumerate(qrels.query_ids)}
    queries = encode_ids(table["query_id"])
    numbers = np.array([position[q] for q in queries.dictionary.to_pylist()], dtype=np.int64)
    query = numbers[as_array(queries.indices)]
    documents = _sort_texts(qrels.doc_ids.unique())
    document = _encode_texts(table["doc_id"], documents)
    pair = query * len(documents) + document
    judged = qrels.query_codes * np.int64(len(documents)) + _encode_texts(qrels.doc_ids, documents)
    matches, rows = match_codes(pair, judged)
    rank = np.zeros(len(pair), dtype=np.int64)
    rank[matches] = ranks[rows]
    names = encode_ids(table["subtopic"])
    subtopic = _encode_texts(names.dictionary, _sort_texts(names.dictionary))
    subtopic = subtopic[as_array(names.indices)]
    order = np.lexsort((subtopic, -document, query))
    grades = as_array(table["relevance"]).astype(np.float64)
    return SubtopicJudgments(
        query=query[order],
        document=document[order],
        subtopic=subtopic[order],
        relevance=grades[order],
        rank=rank[order],
        n_queries=len(position),
    )


def _sort_texts(texts: pa.Array) -> pa.Array:
    return texts.take(pc.sort_indices(texts))


def _encode_texts(texts: pa.Array | pa.ChunkedArray, all_texts: pa.Array) -> Ints:
    return np.asarray(as_array(pc.index_in(texts, value_set=all_texts)), np.int64)
