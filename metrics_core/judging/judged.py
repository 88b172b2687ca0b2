"""JudgedRanks: where the judged documents stand in a run, and how such ranks are put together."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from metrics_core.base.arrays import Floats, Ints, Mask
from metrics_core.base.memo import Memo
from metrics_core.base.notes import Note
from metrics_core.judging.documents import ListedDocuments
from metrics_core.judging.empty_ranks import EmptyRanks
from metrics_core.judging.hits import Cutoff, Hits, expand_per_query
from metrics_core.judging.subtopics import SubtopicJudgments, subtopic_judgments
from metrics_core.tables import Qrels

Kept = TypeVar("Kept")

_MOST_KEPT = 64


@dataclass(frozen=True)
class TiedRanks:
    """How far equal scores reach around each judged document: `first` int64[m], the first rank of
    those that share its score, and `number` int64[m], how many they are, itself among them."""

    first: Ints
    number: Ints

    def select(self, rows: Ints | Mask) -> TiedRanks:
        """The same for some of the documents, by their places or bool[m]."""
        return TiedRanks(self.first[rows], self.number[rows])


@dataclass(frozen=True)
class JudgedRanks:
    """Where the judged documents of every judged query stand in one run.

    Q judged queries, in the order of the qrels, so that two runs judged by the same qrels have
    the same rows. Per judged and retrieved document, sorted by query and rank:

    query      int64[m]    position in `query_ids`
    rank       int64[m]    from 1
    relevance  float64[m]  the grade; negative means pooled but not judged
    qrels_row  int64[m]    its row in the qrels, to find the document again

    Per query: `retrieved` int64[Q], how many ranks the run's list has (0: the query is missing from
    the run and scores 0); each has a document but for those of `empty`. All judgments, sorted by
    query, best grade first: `judged_query` int64[j], `judged_relevance` float64[j]. `top_grade` is
    the highest grade of all judgments, also where only some of the queries are left. `listed` gives
    the listed documents themselves.
    `tied` is known where the ranks are those of a run with its scores.
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
    # A hundred measures ask for the same few subsets; each is worked out once.
    _memo: Memo = field(
        default_factory=lambda: Memo(_MOST_KEPT), init=False, repr=False, compare=False
    )
    _memo_of_judgments: Memo = field(
        default_factory=lambda: Memo(_MOST_KEPT), init=False, repr=False, compare=False
    )

    @property
    def n_queries(self) -> int:
        """Number of judged queries, those missing from the run included."""
        return len(self.query_ids)

    @property
    def missing_queries(self) -> tuple[str, ...]:
        """Judged queries for which the run lists nothing."""
        return tuple(self.query_ids[i] for i in np.flatnonzero(self.retrieved == 0))

    def documents(self, cutoff: Cutoff = None) -> Ints:
        """How many documents each list has within each cutoff, judged or not: int64[Q], int64[Q, K]
        for K cutoffs."""
        ranks = expand_per_query(self.retrieved, cutoff)
        if cutoff is not None:
            ranks = np.minimum(ranks, cutoff)
        return ranks if self.empty is None else ranks - self.empty.count(cutoff)

    def relevant(self, rel: float = 1) -> Hits:
        """The retrieved documents whose grade is at least `rel` (and not negative)."""
        level = max(rel, 0)
        return self.kept("relevant", level, lambda: self._select_hits(self.relevance >= level))

    def kept(self, what: str, detail: Hashable, make: Callable[[], Kept]) -> Kept:
        """What `make` gives, worked out once for these ranks and each detail."""
        return _make_read_only(self._memo((what, detail), make))

    def known(self, what: str, detail: Hashable, make: Callable[[], Kept]) -> Kept:
        """The same of what follows from the judgments alone: also worked out once for all ranks
        `with_lists` of these."""
        return _make_read_only(self._memo_of_judgments((what, detail), make))

    def with_lists(self, **lists: Any) -> JudgedRanks:
        """The same queries and judgments with other lists: fields of this class."""
        other = replace(self, subtopics=None, listed=None, tied=None, **{"empty": None, **lists})
        object.__setattr__(other, "_memo_of_judgments", self._memo_of_judgments)
        return other

    def sharing(self, other: JudgedRanks) -> JudgedRanks:
        """The same ranks, with what is known of the judgments held once for both; these ranks as
        they are where the other ones have other judgments."""
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
        """The retrieved documents that somebody has judged (a negative grade is no judgment)."""
        return self.relevant(0)

    def gaining(self) -> Hits:
        """The retrieved documents of a grade above 0, below 1 or not."""
        return self.kept("gaining", None, lambda: self._select_hits(self.relevance > 0))

    def pooled(self) -> Hits:
        """The retrieved documents that the judgments name, with a negative grade or without."""
        return Hits(self.query, self.rank, self.relevance, self.n_queries)

    def ideal(self) -> Hits:
        """All judgments as a ranking of their own, best grade first: the best possible order."""
        return self.known("ideal", None, self._ideal)

    def _ideal(self) -> Hits:
        starts = np.searchsorted(self.judged_query, np.arange(self.n_queries))
        rank = np.arange(1, len(self.judged_query) + 1) - starts[self.judged_query]
        return Hits(self.judged_query, rank, self.judged_relevance, self.n_queries)

    def n_relevant(self, rel: float = 1) -> Ints:
        """Per query the number of judged documents whose grade is at least `rel`; int64[Q]."""
        level = max(rel, 0)
        return self.known("n_relevant", level, lambda: self._n_relevant(level))

    def _n_relevant(self, level: float) -> Ints:
        counted = self.judged_query[self.judged_relevance >= level]
        return np.bincount(counted, minlength=self.n_queries)

    def _select_hits(self, mask: Mask) -> Hits:
        return Hits(self.query[mask], self.rank[mask], self.relevance[mask], self.n_queries)

    def condensed(self) -> JudgedRanks:
        """The same ranks with the unjudged documents taken out of every list."""
        return self.kept("condensed", None, self._condensed)

    def _condensed(self) -> JudgedRanks:
        judged, rows = self.judged(), self.qrels_row[self.relevance >= 0]
        rank = judged.ordinal()
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
        """The same queries and judgments with empty lists."""
        no_rows = np.zeros(len(self.query), dtype=np.bool_)
        return replace(
            self,
            query=self.query[no_rows],
            rank=self.rank[no_rows],
            relevance=self.relevance[no_rows],
            qrels_row=self.qrels_row[no_rows],
            retrieved=np.zeros_like(self.retrieved),
            subtopics=None,
            listed=None,
            tied=None,
            empty=None,
        )

    def among(self, queries: Mask) -> JudgedRanks:
        """The same ranks for some of the queries; `queries` is bool[Q]."""
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
            subtopics=self.subtopics and self.subtopics.among(queries),
            listed=self.listed and self.listed.among(queries, judged),
            tied=self.tied and self.tied.select(in_queries),
            empty=self.empty and self.empty.among(queries),
        )


@dataclass(frozen=True)
class JudgedPlaces:
    """Where the judged documents of one run stand: `query`, `rank` and `qrels_row` int64[m], sorted
    by query and rank, `retrieved` int64[Q], `tied` and `empty`, all as in JudgedRanks; `notes` are
    on its ties."""

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
    """The `qrels_row` of n documents of which only grades are asked: -1 for each, which takes no
    memory."""
    return np.broadcast_to(np.int64(-1), n)


def assemble_ranks(
    run_name: str,
    qrels: Qrels,
    places: JudgedPlaces,
    *,
    unjudged_queries: Sequence[str],
    judged_positions: npt.NDArray[Any],
) -> JudgedRanks:
    """The ranks of a run whose judged documents stand at these places. `unjudged_queries` are its
    queries that are not judged, `judged_positions` has the positions of those that are."""
    query_ids = qrels.query_ids
    judged_query, judged_relevance = qrels.judged_best_first
    rank_of = np.zeros(len(qrels), dtype=np.int64)
    rank_of[places.qrels_row] = places.rank
    in_run = set(judged_positions.tolist())
    return JudgedRanks(
        run_name=run_name,
        query_ids=tuple(query_ids),
        query=places.query,
        rank=places.rank,
        relevance=qrels.relevance[places.qrels_row].astype(np.float64),
        qrels_row=places.qrels_row,
        retrieved=places.retrieved,
        judged_query=judged_query,
        judged_relevance=judged_relevance,
        top_grade=float(judged_relevance.max(initial=0)),
        unjudged_queries=tuple(unjudged_queries),
        empty_queries=tuple(
            query_ids[i] for i in np.flatnonzero(places.retrieved == 0) if i in in_run
        ),
        notes=(*places.notes, *_no_judged_document_notes(places.rank)),
        subtopics=subtopic_judgments(qrels, rank_of),
        tied=places.tied,
        empty=places.empty,
    )


def _no_judged_document_notes(rank: Ints) -> tuple[Note, ...]:
    if len(rank):
        return ()
    message = (
        "none of its documents is judged, so every score is 0; are the run and the judgments from"
        " the same collection?"
    )
    return (Note("no_judged_document", message, loud=True),)
