"""The tables Run, Qrels, Queries, Documents and GivenScores: columns, checks, notes.

Ids are always text that is byte for byte equal to the input. The large tables (Run, Qrels,
Documents) are Arrow tables, because seven million rows of Python strings take too much memory.
Queries is a pandas frame, because people inspect it."""

from metrics_core.tables.documents import Documents
from metrics_core.tables.given_scores import GivenScores
from metrics_core.tables.qrels import Qrels
from metrics_core.tables.queries import Queries
from metrics_core.tables.ranked_run import RankedRun
from metrics_core.tables.run import Duplicates, Run

Table = Run | Qrels | Queries | Documents | GivenScores

__all__ = [
    "Documents",
    "Duplicates",
    "GivenScores",
    "Qrels",
    "Queries",
    "RankedRun",
    "Run",
    "Table",
]
