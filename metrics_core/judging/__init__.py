"""Join a run with judgments. This is the last step whose cost grows with the run.

`join.join_judgments` returns JudgedRanks. Ties are broken only in `ranking`."""

from metrics_core.judging.join import join_judgments
from metrics_core.judging.judged import JudgedRanks
from metrics_core.judging.one_list import build_single_query

__all__ = ["JudgedRanks", "build_single_query", "join_judgments"]
