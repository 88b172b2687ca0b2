"""The join of a run with judgments: the last step whose cost grows with the run.

`join.judge` returns JudgedRanks. Ties are only broken there.
"""

from metrics_core.judging.join import judge
from metrics_core.judging.judged import JudgedRanks
from metrics_core.judging.one_list import single_query

__all__ = ["JudgedRanks", "judge", "single_query"]
