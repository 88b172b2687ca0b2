"""A run as it was judged while it was read, with what a run that was read whole could still say."""

from __future__ import annotations

from dataclasses import dataclass, replace

from metrics_core.base.notes import Note
from metrics_core.judging.judged import JudgedRanks, Places


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
    `rows_hash`, which differs where the rows of two runs do."""

    ranks: JudgedRanks
    notes: tuple[Note, ...]
    n_rows: int
    rows_hash: bytes

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
