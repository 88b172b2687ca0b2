"""Scores on Apache Spark, for runs that are too large for one machine.

    runs    ──►  one shuffle by run and query,    ──►  rank of every      ──►  per-query scores,
    qrels        one sort of each list by score        judged document         by the same kernels

Spark computes the ranks. Python gets the judged rows of whole lists, many lists at a time, as Arrow
batches. Only the names of the runs are collected on the driver."""

from metrics_core.scoring.spark.evaluating import evaluate, judged_ranks, write_judged_ranks
from metrics_core.scoring.spark.session import row_errors, session

__all__ = [
    "evaluate",
    "judged_ranks",
    "row_errors",
    "session",
    "write_judged_ranks",
]
