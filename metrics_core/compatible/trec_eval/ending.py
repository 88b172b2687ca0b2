"""How a run of trec_eval ends early: an exit status and what is said of it."""

from __future__ import annotations


class Ended(Exception):  # noqa: N818 - it is an ending, and -h and -v are no errors
    """Stop here with this exit status; `said` goes to stderr, one line each. `scored` is how many
    queries had their scores before, where it ends at a query."""

    def __init__(self, status: int, *said: str) -> None:
        super().__init__(*said)
        self.status = status
        self.said = said
        self.scored = 0


ARGUMENTS = 1
"""The command line cannot be understood."""
FILES = 2
"""A file cannot be read, or a measure's parameters are wrong."""
CALCULATION = 4
"""A measure cannot be calculated for a query."""
NO_QUERIES = 7
"""No query has both judgments and results."""
CONFLICT = 134
"""Preferences contradict each other: trec_eval aborts."""
NOBODY_READS = 141
"""Whoever read the output has stopped, as the signal SIGPIPE says."""
Z_SCORES = 255
"""The file of means and deviations cannot be read."""
