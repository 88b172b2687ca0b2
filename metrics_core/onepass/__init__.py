"""Runs judged while they are read, by compiled code: one look at each row.

To import this loads numba, 0.3 s; what is small is sooner read and judged without.
"""

from metrics_core.onepass.judged import JudgedFile, judged_run
from metrics_core.onepass.judgments import Judgments, judgments_of

__all__ = ["JudgedFile", "Judgments", "judged_run", "judgments_of"]
