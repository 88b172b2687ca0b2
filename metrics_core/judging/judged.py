"""JudgedRanks: the ranks of the judged documents in a run, and how they are assembled."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import Any, TypeVar

import numpy as np

from metrics_core.base.arrays import AnyArray, Floats, Ints, Mask
from metrics_core.base.memo import Memo
from metrics_core.base.notes import Note
from metrics_core.judging.documents import ListedDocuments
from metrics_core.judging.empty_ranks import EmptyRanks
from metrics_core.judging.hits import Cutoff, Hits, expand_per_query
from metrics_core.judging.subtopics import SubtopicJudgments, make_subtopic_judgments
from metrics_core.tables import Qrels

Kept = TypeVar("Kept")

NO_JUDGED_DOCUMENT = "no_judged_document"
"""The kind of the note on a run without judged documents."""
_MOST_KEPT = 64


@dataclass(frozen=True)
class TiedRanks:
    """The ties of each judged document.

    `first` int64[hit] is the first rank with the same score. `number` int64[hit] is the number of
    documents with this score, including the judged document itself."""

    first: Ints
    number: Ints

    def select(self, rows: Ints | Mask) -> TiedRanks:
        """Return the entries of some documents. `rows` are the positions of the documents, or a
        mask bool[hit]."""
        return TiedRanks(self.first[rows], self.number[rows])


@dataclass(frozen=True)
class JudgedRanks:
    """The ranks of the judged documents in one run, for every judged query.

    Queries are in the order of the qrels, so two runs judged by the same qrels have the same
    queries. One entry per judged and retrieved document (hit), sorted by query and rank:

        query      int64[hit]    position in `query_ids`
        rank       int64[hit]    from 1
        relevance  float64[hit]  the grade; negative means pooled but not judged
        qrels_row  int64[hit]    its row in the qrels, to identify the document

    `retrieved` int64[query] is the number of ranks in the run's list (0: the run has no results and
    scores 0); each rank has a document except the ranks in `empty`. All judgments, sorted by query,
    best grade first: `judged_query` int64[judgment], `judged_relevance` float64[judgment].
    `top_grade` is the highest grade of all judgments, even after selecting queries. `listed` has
    the listed documents themselves. `tied` is None if the run's scores are unknown.
    """

    run_name: str
    query_ids: tuple[str, ...]
    query: Ints
    rank: Ints
    relevance: Floats
    qrels_row: Ints
    retrieved: Ints
    judged_query: Ints
    judged_relevance: Floats
    top_grade: float
    unjudged_queries: tuple[str, ...] = ()
    empty_queries: tuple[str, ...] = ()
    notes: tuple[Note, ...] = field(default=(), compare=False)
    subtopics: SubtopicJudgments | None = None
    listed: ListedDocuments | None = field(default=None, compare=False, repr=False)
    tied: TiedRanks | None = field(default=None, compare=False, repr=False)
    empty: EmptyRanks | None = None
    # A hundred measures need the same few subsets; each is computed once.
    _memo: Memo = field(
        default_factory=lambda: Memo(_MOST_KEPT), init=False, repr=False, compare=False
    )
    _memo_of_judgments: Memo = field(
        default_factory=lambda: Memo(_MOST_KEPT), init=False, repr=False, compare=False
    )

    @property
    def n_queries(self) -> int:
        """The number of judged queries, including queries without results."""
        return len(self.query_ids)

    @property
    def missing_queries(self) -> tuple[str, ...]:
        """Judged queries for which the run has no results."""
        return tuple(self.query_ids[i] for i in np.flatnonzero(self.retrieved == 0))

    def documents(self, cutoff: Cutoff = None) -> Ints:
        """Return the number of documents, judged or not, within each cutoff of each list:
        int64[query], or int64[query, cutoff] for an array of cutoffs."""
        ranks = expand_per_query(self.retrieved, cutoff)
        if cutoff is not None:
            ranks = np.minimum(ranks, cutoff)
        return ranks if self.empty is None else ranks - self.empty.count(cutoff)

    def relevant(self, rel: float = 1) -> Hits:
        """Return the retrieved documents whose grade is at least `rel`. Documents with a negative
        grade are never included."""
        level = max(rel, 0)
        return self.cached("relevant", level, lambda: self.pooled().select(self.relevance >= level))

    def cached(self, what: str, detail: Hashable, make: Callable[[], Kept]) -> Kept:
        """Return the result of `make`. It is cached for these ranks under the key (`what`,
        `detail`)."""
        return _make_read_only(self._memo((what, detail), make))

    def cached_by_judgments(self, what: str, detail: Hashable, make: Callable[[], Kept]) -> Kept:
        """Return the result of `make`, cached under the key (`what`, `detail`). The cache is shared
        by all ranks derived by `with_lists`, so the result must depend only on the judgments."""
        return _make_read_only(self._memo_of_judgments((what, detail), make))

    def with_lists(self, **lists: Any) -> JudgedRanks:
        """Return ranks with the same queries and judgments but different lists.

        The keyword arguments are the fields of this class that describe the lists."""
        other = replace(self, subtopics=None, listed=None, tied=None, **{"empty": None, **lists})
        object.__setattr__(other, "_memo_of_judgments", self._memo_of_judgments)
        return other

    def share_cache(self, other: JudgedRanks) -> JudgedRanks:
        """Return these ranks, with the same cache as `other` for the results that depend only on
        judgments. If the judgments of the two differ, no cache is shared."""
        if not (
            self.query_ids == other.query_ids
            and self.top_grade == other.top_grade
            and np.array_equal(self.judged_query, other.judged_query)
            and np.array_equal(self.judged_relevance, other.judged_relevance)
        ):
            return self
        shared = replace(
            self, judged_query=other.judged_query, judged_relevance=other.judged_relevance
        )
        object.__setattr__(shared, "_memo_of_judgments", other._memo_of_judgments)
        return shared

    def judged(self) -> Hits:
        """Return the retrieved documents that are judged, that is, whose grade is not negative. A
        negative grade means that the document is pooled but not judged."""
        return self.relevant(0)

    def gaining(self) -> Hits:
        """Return the retrieved documents with a grade above 0, including grades below 1."""
        return self.cached("gaining", None, lambda: self.pooled().select(self.relevance > 0))

    def pooled(self) -> Hits:
        """Return the retrieved documents that occur in the judgments, including those with negative
        grades."""
        return Hits(self.query, self.rank, self.relevance, self.n_queries)

    def ideal(self) -> Hits:
        """Return all judgments as a ranking, best grade first: the best possible order."""
        return self.cached_by_judgments("ideal", None, self._ideal)

    def _ideal(self) -> Hits:
        query = self.judged_query
        unranked = Hits(query, np.zeros_like(query), self.judged_relevance, self.n_queries)
        return replace(unranked, rank=unranked.ordinals())

    def n_relevant(self, rel: float = 1) -> Ints:
        """Return the number of judged documents with a grade of at least `rel`, int64[query]."""
        level = max(rel, 0)
        return self.cached_by_judgments("n_relevant", level, lambda: self._n_relevant(level))

    def _n_relevant(self, level: float) -> Ints:
        counted = self.judged_query[self.judged_relevance >= level]
        return np.bincount(counted, minlength=self.n_queries)

    def condensed(self) -> JudgedRanks:
        """Return the ranks after removing unjudged documents from every list."""
        return self.cached("condensed", None, self._condensed)

    def _condensed(self) -> JudgedRanks:
        judged, rows = self.judged(), self.qrels_row[self.relevance >= 0]
        rank = judged.ordinals()
        return replace(
            self,
            query=judged.query,
            rank=rank,
            relevance=judged.relevance,
            qrels_row=rows,
            retrieved=np.bincount(judged.query, minlength=self.n_queries),
            subtopics=self.subtopics and self.subtopics.condensed(judged),
            listed=self.listed and self.listed.condensed(judged.query, rank, rows),
            tied=None,
            empty=None,
        )

    def without_documents(self) -> JudgedRanks:
        """Return ranks with the same queries and judgments, but with empty lists."""
        return self.with_lists(
            query=self.query[:0],
            rank=self.rank[:0],
            relevance=self.relevance[:0],
            qrels_row=self.qrels_row[:0],
            retrieved=np.zeros_like(self.retrieved),
        )

    def select_queries(self, queries: Mask) -> JudgedRanks:
        """Return the ranks of the queries for which `queries`, bool[query], is true."""
        if queries.all():
            return self
        new_position = np.cumsum(queries) - 1
        in_queries, judged = queries[self.query], queries[self.judged_query]
        return replace(
            self,
            query_ids=tuple(compress(self.query_ids, queries.tolist())),
            query=new_position[self.query[in_queries]],
            rank=self.rank[in_queries],
            relevance=self.relevance[in_queries],
            qrels_row=self.qrels_row[in_queries],
            retrieved=self.retrieved[queries],
            judged_query=new_position[self.judged_query[judged]],
            judged_relevance=self.judged_relevance[judged],
            subtopics=self.subtopics and self.subtopics.select_queries(queries),
            listed=self.listed and self.listed.select_queries(queries, judged),
            tied=self.tied and self.tied.select(in_queries),
            empty=self.empty and self.empty.select_queries(queries),
        )


@dataclass(frozen=True)
class JudgedPlaces:
    """The ranks of the judged documents of one run, sorted by query and rank.

    `query`, `rank` and `qrels_row` are int64[hit] each, `retrieved` is int64[query]. These fields,
    `tied` and `empty` have the same meaning as in JudgedRanks. `notes` are about ties."""

    query: Ints
    rank: Ints
    qrels_row: Ints
    retrieved: Ints
    tied: TiedRanks | None = None
    notes: tuple[Note, ...] = ()
    empty: EmptyRanks | None = None


def _make_read_only(value: Kept) -> Kept:
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    return value


def no_qrels_rows(n: int) -> Ints:
    """Return `qrels_row` for n documents that are not rows of the qrels: -1 for each, int64[n]. The
    array is a read-only view of a single number."""
    return np.broadcast_to(np.int64(-1), n)


def assemble_ranks(
    run_name: str,
    qrels: Qrels,
    document_ranks: JudgedPlaces,
    *,
    unjudged_queries: Sequence[str],
    judged_positions: AnyArray,
) -> JudgedRanks:
    """Build the JudgedRanks of a run from the ranks of its judged documents.

    `unjudged_queries` are the run's queries without judgments. `judged_positions`, int[query of the
    run], is the position of each of the run's queries among the judged queries, -1 if it is not
    judged."""
    query_ids = qrels.query_ids
    judged_query, judged_relevance = qrels.judged_best_first
    in_run = set(judged_positions.tolist())
    return JudgedRanks(
        run_name=run_name,
        query_ids=tuple(query_ids),
        query=document_ranks.query,
        rank=document_ranks.rank,
        relevance=qrels.relevance[document_ranks.qrels_row].astype(np.float64),
        qrels_row=document_ranks.qrels_row,
        retrieved=document_ranks.retrieved,
        judged_query=judged_query,
        judged_relevance=judged_relevance,
        top_grade=float(judged_relevance.max(initial=0)),
        unjudged_queries=tuple(unjudged_queries),
        empty_queries=tuple(
            query_ids[i] for i in np.flatnonzero(document_ranks.retrieved == 0) if i in in_run
        ),
        notes=(*document_ranks.notes, *_no_judged_document_notes(document_ranks.rank)),
        subtopics=make_subtopic_judgments(qrels, document_ranks.qrels_row, document_ranks.rank),
        tied=document_ranks.tied,
        empty=document_ranks.empty,
    )


def _no_judged_document_notes(rank: Ints) -> tuple[Note, ...]:
    if len(rank):
        return ()
    message = (
        "none of the run's documents is judged, so every score is 0; are the run and the judgments"
        " from the same collection?"
    )
    return (Note(NO_JUDGED_DOCUMENT, message, loud=True),)
