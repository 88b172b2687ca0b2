"""The join of a run with judgments: the last step whose cost grows with the run.

`join.join_judgments` returns JudgedRanks. Ties are only broken there.
"""

from metrics_core.judging.join import join_judgments
from metrics_core.judging.judged import JudgedRanks
from metrics_core.judging.one_list import single_query

__all__ = ["JudgedRanks", "join_judgments", "single_query"]
