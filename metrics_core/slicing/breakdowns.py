"""Scores and differences by category, difficulty or any other column of the queries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from metrics_core.errors import UnknownColumnError
from metrics_core.measures import Combination, GivenMeasure, parse_measure
from metrics_core.scoring.intervals import LEVEL, compared
from metrics_core.scoring.scores import Scores
from metrics_core.slicing.ranges import MOST_NUMBERS, by_size, ranges
from metrics_core.tables import Queries

NO_GROUP = "(none)"
# An invisible character tells the margin from a group that somebody named "all".
ALL = "\u2060all"
FEWEST_QUERIES = 5
"""A group with fewer queries is shown pale and never named in a finding."""

_KNOWN_ORDERS = (
    ("very easy", "easy", "medium", "moderate", "hard", "difficult", "very hard"),
    ("very low", "low", "medium", "middle", "high", "very high"),
    ("head", "torso", "tail"),
)


def ordered_groups(values: Iterable[str]) -> list[str]:
    """Distinct group names in a reader's order: easy before hard, numbers and ranges by size,
    else by name; the group of queries without a value comes last."""
    distinct = set(values)
    named = distinct - {NO_GROUP}
    for order in _KNOWN_ORDERS:
        if named and {n.lower() for n in named} <= set(order):
            ordered = sorted(named, key=lambda n: order.index(n.lower()))
            break
    else:
        ordered = sorted(named, key=_by_number_then_name)
    return [*ordered, NO_GROUP] if NO_GROUP in distinct else ordered


def sizes_only(groups: Iterable[str]) -> bool:
    """Whether groups are numbers or ranges, whose own order says more than any other."""
    named = set(groups) - {NO_GROUP}
    return bool(named) and all(by_size(name) is not None for name in named)


def _by_number_then_name(name: str) -> tuple[int, tuple[float, int], str]:
    size = by_size(name)
    return (1, (0.0, 0), name) if size is None else (0, size, name)


def group_of(queries: Queries, query_ids: Sequence[str], by: str) -> pd.Series:
    """The group of each query, indexed by query_id; NO_GROUP where there is no value. Of many
    numbers the groups are ranges, the same ones whichever queries are asked for. Raises
    UnknownColumnError."""
    if by not in queries.columns:
        raise UnknownColumnError(by, queries.columns)
    numbers = queries.numbers.get(by)
    if numbers is not None and numbers.nunique() > MOST_NUMBERS:
        column = ranges(numbers)
    else:
        column = queries.frame.set_index("query_id")[by]
    return without_gaps(column.reindex(list(query_ids)))


def without_gaps(groups: pd.Series) -> pd.Series:
    """The groups as text, NO_GROUP where there is none."""
    return groups.where(groups.notna() & (groups != ""), NO_GROUP).astype(str)


def in_reading_order(frame: pd.DataFrame, column: str, *, falling: bool = True) -> pd.DataFrame:
    """Rows of one group each (`group`) by a column; numbers and ranges in their own order, which
    says more than any other."""
    if not sizes_only(frame["group"]):
        return frame.sort_values(column, ascending=not falling, kind="stable", ignore_index=True)
    place = {group: i for i, group in enumerate(ordered_groups(frame["group"]))}
    return frame.sort_values("group", key=lambda names: names.map(place), ignore_index=True)


def breakdown(
    scores: Scores | pd.DataFrame,
    queries: Queries,
    measure: GivenMeasure,
    *,
    by: str,
    baseline: str | None = None,
    level: float = LEVEL,
    looked_at: int = 0,
) -> pd.DataFrame:
    """One measure by group and run: columns group, run, queries, mean, low, high, and difference,
    diff_low, diff_high against the baseline (NaN in its own rows), clear.

    `clear` is whether the difference is worth naming: at least FEWEST_QUERIES queries, and zero
    outside the interval after it is widened for the number of groups (Bonferroni), or for
    `looked_at` groups if those are more: narrowing a view must not turn chance into a finding.
    Raises UnknownColumnError and UnknownRunError.
    """
    given, wanted = Scores.given(scores), parse_measure(measure)
    if baseline is not None:
        given.position(baseline)
    values = pd.DataFrame(given.of(wanted).T, columns=list(given.runs))
    combination = wanted.declaration.combination
    groups = group_of(queries, given.query_ids, by)
    names = ordered_groups(groups)
    strict = 1 - (1 - level) / max(len(names), looked_at, 1)
    parts = []
    for name in names:
        part = values[(groups == name).to_numpy()]
        parts.append(_group_rows(part, name, baseline, (level, strict), combination))
    return pd.concat(parts, ignore_index=True)


def _group_rows(
    part: pd.DataFrame,
    name: str,
    baseline: str | None,
    levels: tuple[float, float],
    combination: Combination,
) -> pd.DataFrame:
    values = part.to_numpy(dtype=np.float64)
    with_baseline = baseline is not None and baseline in part.columns
    against = (
        part[[baseline]].to_numpy(dtype=np.float64) if with_baseline else np.full((1, 1), np.nan)
    )
    paired = values - against
    own, difference = compared(values, against, combination)
    (scores,) = own.intervals(levels[:1])
    gap, wide = difference.intervals(levels)
    rows = pd.DataFrame(
        {
            "group": name,
            "run": list(part.columns),
            "queries": (~np.isnan(values)).sum(axis=0),
            "mean": scores.mean,
            "low": scores.low,
            "high": scores.high,
            "difference": gap.mean,
            "diff_low": gap.low,
            "diff_high": gap.high,
        }
    )
    enough = (~np.isnan(paired)).sum(axis=0) >= FEWEST_QUERIES
    rows["clear"] = enough & ((wide.low > 0) | (wide.high < 0))
    baselines = rows["run"] == baseline
    rows.loc[baselines, ["difference", "diff_low", "diff_high"]] = np.nan
    rows.loc[baselines, "clear"] = False
    return rows


def cross_breakdown(
    scores: Scores | pd.DataFrame,
    queries: Queries,
    measure: GivenMeasure,
    *,
    rows: str,
    columns: str,
    run: str,
    baseline: str,
) -> pd.DataFrame:
    """Mean difference in every cell of two groupings: columns row, column, queries, difference.

    A last row and column "all" hold the margins. A cell without queries has NaN and 0 queries.
    Raises UnknownColumnError and UnknownRunError.
    """
    given, wanted = Scores.given(scores), parse_measure(measure)
    combination = wanted.declaration.combination
    both = given.only([run, baseline]).of(wanted).T
    both = np.where(np.isnan(both).any(axis=1, keepdims=True), np.nan, both)
    scaled = combination.onto(both)
    frame = pd.DataFrame(
        {
            "row": group_of(queries, given.query_ids, rows).to_numpy(),
            "column": group_of(queries, given.query_ids, columns).to_numpy(),
            "own": scaled[:, 0],
            "other": scaled[:, 1],
        }
    )
    margins = [
        frame,
        frame.assign(row=ALL),
        frame.assign(column=ALL),
        frame.assign(row=ALL, column=ALL),
    ]
    found = pd.concat(margins).groupby(["row", "column"])
    means, counts = found[["own", "other"]].mean(), found["own"].count()
    own, other = (combination.back(means[side].to_numpy()) for side in ("own", "other"))
    gaps = pd.Series(own - other, means.index)
    cells = []
    for row in [*ordered_groups(frame["row"]), ALL]:
        for column in [*ordered_groups(frame["column"]), ALL]:
            known = (int(counts.get((row, column), 0)), float(gaps.get((row, column), np.nan)))
            cells.append((row, column, *known))
    return pd.DataFrame(cells, columns=["row", "column", "queries", "difference"])
