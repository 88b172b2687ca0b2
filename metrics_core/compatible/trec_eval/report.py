"""Write output lines in the format of trec_eval: first the lines of each query, then the summary.
With -Z, the values are z-scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from metrics_core.base.arrays import Floats
from metrics_core.compatible.trec_eval import files
from metrics_core.compatible.trec_eval.c_program import Z_SCORES, ProgramExit, atof
from metrics_core.compatible.trec_eval.options import RequestedMeasure
from metrics_core.measures.declaring.aggregation import LEAST_SCORE

ALL = "all"


@dataclass(frozen=True)
class MeasureScores:
    """A measure with its scores by query: `values` float64[query, line], or `texts` for a measure
    whose scores are strings."""

    requested: RequestedMeasure
    values: Floats | None = None
    texts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Totals:
    """Data for summaries besides the scores.

    queries   number of queries to average over
    scored    number of these queries that were scored
    relevant  number of relevant documents in all judgments; None unless -c is given
    run_name  name of the run"""

    queries: int
    scored: int
    relevant: int | None
    run_name: str


def format_line(name: str, query: str, value: str) -> str:
    """Return one line of output."""
    return f"{name:<22}\t{query}\t{value}\n"


def format_number(value: float, *, is_whole: bool) -> str:
    """Format a score with the formats of C: %ld for whole numbers, otherwise %6.4f. NaN becomes
    -nan, as on current machines."""
    if is_whole:
        return str(int(value))
    return "  -nan" if math.isnan(value) else f"{value:6.4f}"


def query_lines(
    columns: Sequence[MeasureScores], queries: Sequence[str], *, as_z_scores: bool
) -> str:
    """Return the lines of each query, in the order of the measures. If `as_z_scores` is true, the
    values are z-scores."""
    printed = [c for c in columns if c.requested.row.per_query]
    parts: list[str] = []
    for position, query in enumerate(queries):
        for column in printed:
            parts.extend(_column_lines(column, position, query, as_z_scores))
    return "".join(parts)


def _column_lines(column: MeasureScores, position: int, query: str, as_z_score: bool) -> list[str]:
    names = column.requested.names
    if column.values is None:
        return [format_line(names[0], query, f"'{column.texts[position]}'")]
    row = column.values[position].tolist()
    return _measure_lines(column.requested, query, row, as_z_score)


def _measure_lines(
    requested: RequestedMeasure, query: str, values: Sequence[float], as_z_scores: bool
) -> list[str]:
    """Return the lines of a measure. Lines with z-scores have the prefix Z and always four
    decimals."""
    is_whole, prefix = requested.row.is_whole and not as_z_scores, "Z" if as_z_scores else ""
    named_values = zip(requested.names, values, strict=True)
    return [
        prefix + format_line(name, query, format_number(value, is_whole=is_whole))
        for name, value in named_values
    ]


def summary_lines(columns: Sequence[MeasureScores], totals: Totals, *, as_z_scores: bool) -> str:
    """Return the lines of the summary over all queries. If `as_z_scores` is true, the values are
    z-scores."""
    parts: list[str] = []
    for column in columns:
        row = column.requested.row
        if row.summary == "run name":
            parts.append(format_line(row.name, ALL, totals.run_name))
        elif row.summary != "none":
            parts.extend(
                _measure_lines(column.requested, ALL, _summarise(column, totals), as_z_scores)
            )
    return "".join(parts)


def _summarise(column: MeasureScores, totals: Totals) -> list[float]:
    """Return the summary value of each line. The values of queries are added in the same order as
    in trec_eval."""
    summary = column.requested.row.summary
    if summary == "queries":
        return [totals.queries]
    if summary == "relevant" and totals.relevant is not None:
        return [totals.relevant]
    assert column.values is not None
    sums = np.cumsum(column.values, axis=0)[-1]
    if summary == "mean":
        sums = sums / totals.queries
    elif summary == "geometric":
        sums = sums + (totals.queries - totals.scored) * math.log(LEAST_SCORE)
        sums = np.exp(sums / totals.queries)
    return [float(v) for v in sums]


MISSING = -1000000.0
"""The z-score of a value if the file has no mean for it, or if the deviation is 0 and the mean
differs from the value."""

Means = dict[tuple[str, str], tuple[float, float]]


def read_means(path: str) -> Means:
    """Read the file of means for z-scores. Each of its lines is `query name mean deviation`.

    Returns a dictionary from (query, line name) to (mean, deviation)."""
    try:
        data = files.read_bytes(path, file_kind="zscores")
    except ProgramExit as ended:
        raise ProgramExit(Z_SCORES, ended.messages[0]) from ended
    means: Means = {}
    lines = data.decode("latin-1").split("\n")
    for number, line in enumerate(lines[:-1] if not lines[-1] else lines, 1):
        # str.split would also split at characters that are not white space in C.
        fields = [f.decode("latin-1") for f in line.encode("latin-1").split()]
        if len(fields) != 4:
            raise ProgramExit(Z_SCORES, f"trec_eval.get_zscores: Malformed line {number}")
        query, name, mean, deviation = fields
        means.setdefault((query, name), (atof(mean), atof(deviation)))
    return means


def standardise(values: Floats, means: Means, queries: Sequence[str], name: str) -> Floats:
    """Return the z-scores of the values of one output line, float64[query]."""
    return np.array(
        [_z_score(v, means.get((q, name))) for v, q in zip(values, queries, strict=True)]
    )


def _z_score(value: float, mean_and_deviation: tuple[float, float] | None) -> float:
    if mean_and_deviation is None:
        return MISSING
    mean, deviation = mean_and_deviation
    if deviation:
        return float((value - mean) / deviation)
    return 0.0 if value == mean else MISSING
