"""A run as it was judged while it was read, with what a run that was read whole could still say."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from metrics_core.judging.judged import JudgedRanks, Places
from metrics_core.judging.ranking import UNJUDGED
from metrics_core.notes import Note

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class KeptFile:
    """What is known of a run whose rows were kept while it was read: its name, the notes on its
    file, and where its judged documents stand; None where no query is judged."""

    name: str
    notes: tuple[Note, ...]
    places: Places | None


@dataclass(frozen=True)
class JudgedFile:
    """A run as it was judged: `ranks` under the run's name, `notes` on its file, `n_rows`, and
    `rows_hash`, which differs where the rows of two runs do. `tied_from` and `tied` int64[m] are
    the first rank and the number of the documents that share the score of each judged one."""

    ranks: JudgedRanks
    notes: tuple[Note, ...]
    n_rows: int
    rows_hash: bytes
    tied_from: Ints
    tied: Ints

    @property
    def name(self) -> str:
        """The name that tells the run apart."""
        return self.ranks.run_name

    def renamed(self, name: str) -> JudgedFile:
        """The same run under another name."""
        return replace(self, ranks=replace(self.ranks, run_name=name))

    def has_rows_of(self, other: JudgedFile) -> bool:
        """Whether two files hold the same rows in the same order."""
        return self.n_rows == other.n_rows and self.rows_hash == other.rows_hash

    def tie_extremes(self) -> tuple[JudgedRanks, JudgedRanks]:
        """The run judged with the worst grades first among equal scores, and the best first."""
        return self._reordered(1), self._reordered(-1)

    def _reordered(self, sign: int) -> JudgedRanks:
        """With the documents of each score by grade, rising for 1 and falling for -1; one that is
        not judged is worth less than any that is, and more than one that was only pooled."""
        ranks = self.ranks
        order = np.lexsort((ranks.rank, sign * ranks.relevance, self.tied_from, ranks.query))
        query, tied_from = ranks.query[order], self.tied_from[order]
        new = (np.diff(query, prepend=-1) != 0) | (np.diff(tied_from, prepend=-1) != 0)
        starts, group = np.flatnonzero(new), np.cumsum(new) - 1
        members = np.diff(starts, append=len(order))
        grade = ranks.relevance[order]
        behind_unjudged = grade > UNJUDGED if sign > 0 else grade < UNJUDGED
        unjudged = np.where(behind_unjudged, self.tied[order] - members[group], 0)
        rank = tied_from + np.arange(len(order)) - starts[group] + unjudged
        by_rank = np.lexsort((rank, query))
        order = order[by_rank]
        return replace(
            ranks,
            rank=rank[by_rank],
            relevance=ranks.relevance[order],
            qrels_row=ranks.qrels_row[order],
            subtopics=None,
        )
