"""What a gate tells, as a value: every format writes the same."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from metrics_core.comparing.gates import FloorOutcome, GateOutcome, status_of
from metrics_core.explaining.overlap import OverlapOutcome

_SHOWN = 12


@dataclass(frozen=True)
class BrokenQuery:
    """A query that a run lost: both scores, and the kind of failure that it is now; `text` is ""
    where it is not known."""

    query_id: str
    text: str
    baseline_score: float
    score: float
    kind: str


@dataclass(frozen=True)
class BrokenQueries:
    """The worst of the `lost` queries of a failed gate, and the command that shows the first."""

    found: GateOutcome
    lost: int
    rows: Sequence[BrokenQuery]
    command: str


@dataclass(frozen=True)
class GateReport:
    """What was compared, and what each gate found, the worst first. `changes` are sentences on what
    changed since a snapshot, `kept` on what becomes of it, `label` is its own; `files` are what
    each file is, its name and its fingerprint."""

    baseline: str
    runs: Sequence[str]
    queries: int
    outcomes: Sequence[GateOutcome]
    floors: Sequence[FloorOutcome]
    broken: Sequence[BrokenQueries]
    fail_unclear: bool
    files: Sequence[tuple[str, str, str]]
    overlaps: Sequence[OverlapOutcome] = ()
    label: str = ""
    changes: Sequence[str] = ()
    allow_changed: bool = False
    kept: Sequence[str] = ()

    @property
    def status(self) -> int:
        """The exit status."""
        changed = bool(self.changes) and not self.allow_changed
        return status_of(self.words, changed=changed, fail_unclear=self.fail_unclear)

    @property
    def words(self) -> list[str]:
        """What each gate, floor and overlap found."""
        return [
            *(found.outcome for found in self.outcomes),
            *(found.outcome for found in self.floors),
            *(found.outcome for found in self.overlaps),
        ]

    @property
    def tested(self) -> int:
        """How many comparisons are corrected together."""
        return sum(found.p_corrected == found.p_corrected for found in self.outcomes)


def fingerprint(path: str) -> str:
    """The beginning of the hash of a file's bytes; "" of what is no file."""
    if not Path(path).is_file():
        return ""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:_SHOWN]
