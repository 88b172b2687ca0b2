"""Compute scores and differences by category, difficulty or any other column of the queries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base.arrays import Floats, Ints, Mask
from metrics_core.base.errors import NoSharedQueriesError, UnknownColumnError
from metrics_core.comparing.paired_tests import sidak_adjusted
from metrics_core.comparing.resampled import clip_bounds, resample_groups
from metrics_core.comparing.tested_quantities import is_mean_tested, to_tested_scale
from metrics_core.comparing.testing import largest_possible_difference
from metrics_core.comparing.verdicts import are_significant
from metrics_core.measures import MEAN, GivenMeasure, Measure, parse_measure
from metrics_core.scoring.intervals import LEVEL, Interval, mean_intervals
from metrics_core.scoring.resampling import split_by_memory
from metrics_core.scoring.scores import Scores
from metrics_core.slicing.ranges import MOST_NUMBERS, label_ranges, numeric_sort_key
from metrics_core.tables import Queries

NO_GROUP = "(none)"
# An invisible character distinguishes the margin from a group named "all".
ALL = "\u2060all"
_KNOWN_ORDERS = (
    ("very easy", "easy", "medium", "moderate", "hard", "difficult", "very hard"),
    ("very low", "low", "medium", "middle", "high", "very high"),
    ("head", "torso", "tail"),
    ("easy for other runs", "medium for other runs", "hard for other runs"),
    ("under half judged", "half to 80% judged", "80% or more judged", "all judged"),
)


def order_groups(values: Iterable[str]) -> list[str]:
    """Return distinct group names in display order: easy before hard, numbers and ranges by size,
    other names alphabetically. The group of queries without a value comes last."""
    distinct = set(values.unique() if isinstance(values, pd.Series) else values)
    group_names = distinct - {NO_GROUP}
    for order in _KNOWN_ORDERS:
        if group_names and {n.lower() for n in group_names} <= set(order):
            ordered = sorted(group_names, key=lambda n: order.index(n.lower()))
            break
    else:
        ordered = sorted(group_names, key=_group_sort_key)
    return [*ordered, NO_GROUP] if NO_GROUP in distinct else ordered


def are_numeric_groups(groups: Iterable[str]) -> bool:
    """Return whether all groups are numbers or ranges, so that they must be shown in numeric
    order."""
    group_names = set(groups) - {NO_GROUP}
    return bool(group_names) and all(numeric_sort_key(name) is not None for name in group_names)


def _group_sort_key(name: str) -> tuple[int, tuple[float, int], str]:
    size = numeric_sort_key(name)
    return (1, (0.0, 0), name) if size is None else (0, size, name)


def find_groups(queries: Queries, query_ids: Sequence[str], by: str) -> pd.Series:
    """Return the group of each query as text, in a Series indexed by query_id.

    Queries without a value are in the group NO_GROUP. The values of a column with many numbers are
    grouped into ranges. The ranges do not depend on `query_ids`. Raises UnknownColumnError."""
    if by not in queries.columns:
        raise UnknownColumnError(by, queries.columns)
    numbers = queries.numbers.get(by)
    if numbers is not None and numbers.nunique() > MOST_NUMBERS:
        column = label_ranges(numbers)
    else:
        column = queries.frame.set_index("query_id")[by]
    return fill_missing_groups(column.reindex(list(query_ids)))


def refuse_unknown_queries(queries: Queries, scored_ids: Sequence[str], name: str) -> None:
    """Raise NoSharedQueriesError if the table of queries contains none of the scored queries.

    Without this error, all queries would be in the group (none)."""
    query_ids = queries.frame["query_id"]
    if query_ids.isin(list(scored_ids)).any():
        return
    ours, theirs = (", ".join(map(repr, list(ids)[:3])) for ids in (scored_ids, query_ids))
    raise NoSharedQueriesError(
        f"{name} contains none of the judged queries.",
        f"The judged queries have ids such as {ours}; found {theirs}.",
    )


def encode_groups(groups: pd.Series) -> tuple[Ints, list[str]]:
    """Return the index of each query's group, int64[query], and the group names in display
    order."""
    # Applied to the few distinct values, not to every query.
    codes, values = pd.factorize(groups)
    labels = [str(value) if value != "" else NO_GROUP for value in values]
    labels.append(NO_GROUP)  # queries without a group have code -1, the last label
    names = order_groups(labels if (codes < 0).any() else labels[:-1])
    position = {name: i for i, name in enumerate(names)}
    return np.array([position.get(name, -1) for name in labels], dtype=np.int64)[codes], names


def fill_missing_groups(groups: pd.Series) -> pd.Series:
    """Return the groups as text. A missing group becomes NO_GROUP."""
    return groups.where(groups.notna() & (groups != ""), NO_GROUP).astype(str)


def breakdown(
    scores: Scores | pd.DataFrame,
    queries: Queries,
    measure: GivenMeasure,
    *,
    by: str,
    baseline: str | None = None,
    level: float = LEVEL,
    n_tested: int = 0,
) -> pd.DataFrame:
    """Return the result of `summarise_groups` for the groups in a column of the queries. Raises
    UnknownColumnError and UnknownRunError."""
    run_scores = Scores.from_any(scores)
    groups = find_groups(queries, run_scores.query_ids, by)
    return summarise_groups(
        run_scores, measure, groups, baseline=baseline, level=level, n_tested=n_tested
    )


def summarise_groups(
    scores: Scores | pd.DataFrame,
    measure: GivenMeasure,
    groups: pd.Series,
    *,
    baseline: str | None = None,
    level: float = LEVEL,
    n_tested: int = 0,
    with_mean_intervals: bool = True,
) -> pd.DataFrame:
    """Summarise one measure by group and run. Columns: group, run, queries, mean, low, high,
    difference, diff_low, diff_high, clear.

    `groups` is the group of each query, a Series indexed by query_id. The last four columns compare
    with the baseline; in the rows of the baseline they are NaN (clear: False). If
    `with_mean_intervals` is false, low and high are NaN. Each group is resampled separately, so
    that its number of queries stays the same.

    `clear` is whether the difference is significant after correction for all groups of the run. If
    `n_tested` is higher than their number, the correction is for `n_tested` groups, so that
    filtering a view does not turn chance into a finding. Groups share no query, so their p-values
    are corrected as independent tests (Šidák), and diff_low and diff_high are simultaneous in the
    same way. If a group may not be tested (`verdicts.are_testable`), diff_low and diff_high are
    NaN. Raises UnknownRunError."""
    run_scores, parsed_measure = Scores.from_any(scores), parse_measure(measure)
    baseline_position = None if baseline is None else run_scores.position(baseline)
    names, parts = _split_by_group(run_scores, parsed_measure, groups)
    family_size = max(len(names), n_tested, 1)
    rows = [
        vars(row)
        for row in _find_differences_by_group(
            parts, baseline_position, (level, family_size), parsed_measure
        )
    ]
    columns = {name: np.concatenate([row[name] for row in rows]) for name in rows[0]}
    frame = pd.DataFrame(
        {
            "group": [name for name in names for _ in run_scores.runs],
            "run": list(run_scores.runs) * len(names),
            "queries": columns.pop("queries"),
            "mean": columns.pop("mean"),
            "low": np.nan,
            "high": np.nan,
            **columns,
        }
    )
    if not with_mean_intervals:
        return frame
    return add_mean_intervals(frame, run_scores, parsed_measure, groups, level=level)


def add_mean_intervals(
    frame: pd.DataFrame,
    scores: Scores,
    measure: GivenMeasure,
    groups: pd.Series,
    *,
    level: float = LEVEL,
) -> pd.DataFrame:
    """Return `frame` with its columns low and high filled in. `frame` is a result of
    `summarise_groups` with `with_mean_intervals` false."""
    parsed_measure = parse_measure(measure)
    names, parts = _split_by_group(scores, parsed_measure, groups)
    ends = _find_mean_intervals(parts, level, parsed_measure)
    shape = (len(names), 2, len(scores.runs))
    bounds = np.array([(interval.low, interval.high) for interval in ends]).reshape(shape)
    return frame.assign(low=bounds[:, 0].ravel(), high=bounds[:, 1].ravel())


def _split_by_group(
    scores: Scores, measure: Measure, groups: pd.Series
) -> tuple[list[str], list[Floats]]:
    """Return the names of the groups, and the scores of the queries in each group, float64[query,
    run]."""
    values = scores.values_of(measure).T
    codes, names = encode_groups(groups.reindex(list(scores.query_ids)))
    return names, [values[codes == code] for code in range(len(names))]


def _find_mean_intervals(
    groups: Sequence[Floats], level: float, measure: Measure
) -> list[Interval]:
    combination, limits = measure.declaration.combination, measure.declaration.range
    return [
        each
        for portion in split_by_memory([g.shape for g in groups])
        for each in mean_intervals(groups[portion], combination, level=level, limits=limits)
    ]


@dataclass(frozen=True)
class GroupRow:
    """The columns of `summarise_groups` for one group. Each is an array [run]."""

    queries: Ints
    mean: Floats
    difference: Floats
    diff_low: Floats
    diff_high: Floats
    clear: Mask


def _find_differences_by_group(
    groups: Sequence[Floats],
    baseline: int | None,
    level_and_count: tuple[float, int],
    measure: Measure,
) -> Iterator[GroupRow]:
    """Yield the row of each group, computed from its scores float64[query, run]. Several groups are
    processed at a time, and groups with the same number of queries use the same resamples."""
    combine = measure.declaration.combination.combine
    for portion in split_by_memory([g.shape for g in groups]):
        portion_groups = groups[portion]
        gaps = [_empty_differences(g) for g in portion_groups]
        if baseline is not None:
            gaps = _find_differences(portion_groups, baseline, level_and_count, measure)
        for values, (gap, clear) in zip(portion_groups, gaps, strict=True):
            counts = (~np.isnan(values)).sum(axis=0)
            yield GroupRow(counts, combine(values), gap[0], gap[1], gap[2], clear)


def _empty_differences(values: Floats) -> tuple[Floats, Mask]:
    runs = values.shape[1]
    return np.full((3, runs), np.nan), np.zeros(runs, dtype=np.bool_)


def _find_differences(
    groups: Sequence[Floats], baseline: int, level_and_count: tuple[float, int], measure: Measure
) -> list[tuple[Floats, Mask]]:
    """Return the differences from the baseline in each group, with their intervals and whether they
    are significant.

    For each group there are two arrays. The first, float64[3, run], has the difference from the
    baseline's combined score and the bounds of its interval. The interval is simultaneous over n
    groups; n is the second number of `level_and_count`. The second, bool[run], is whether the
    difference is significant after correction for n groups. Differences are NaN if a group may not
    be tested, and for the baseline itself.

    Geometric means are tested on their ratio; the bounds of the ratio are multiplied by the
    baseline's observed mean. The mean difference of a cost has no interval. It counts as
    significant if the typical ratio differs significantly (`tested_quantities`) in the same
    direction."""
    level, n_tested = level_and_count
    combination = measure.declaration.combination
    scaled = [to_tested_scale(measure, values) for values in groups]
    others = [np.delete(np.arange(s.shape[1]), baseline) for s in scaled]
    gaps = [np.take(s - s[:, [baseline]], o, axis=1) for s, o in zip(scaled, others, strict=True)]
    results = []
    for scores, values, columns, test in zip(
        groups, scaled, others, resample_groups(gaps), strict=True
    ):
        ends, clear = _empty_differences(values)
        clear[columns] = are_significant(sidak_adjusted(test.p, n_tested), level)
        if not is_mean_tested(measure):
            ends[0, columns] = MEAN.combine(scores[:, columns] - scores[:, [baseline]])
            clear[columns] &= ends[0, columns] * test.mean > 0
            results.append((ends, clear))
            continue
        ends[:, columns] = test.intervals(1 - level ** (1 / n_tested), clear[columns])
        if combination.linear:
            ends[1:] = clip_bounds(ends[1:], largest_possible_difference(measure))
        else:
            has_both = ~np.isnan(values) & ~np.isnan(values[:, [baseline]])
            baseline_scores = np.where(has_both, values[:, [baseline]], 0.0)
            start = baseline_scores.sum(axis=0) / np.maximum(has_both.sum(axis=0), 1)
            ends = combination.from_scale(start) * np.expm1(ends)
        results.append((ends, clear))
    return results
