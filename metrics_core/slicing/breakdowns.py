"""Scores and differences by category, difficulty or any other column of the queries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base.arrays import Floats, Ints, Mask
from metrics_core.base.errors import NoSharedQueriesError, UnknownColumnError
from metrics_core.comparing.resampled import no_farther, resampled_groups
from metrics_core.comparing.testing import widest_difference
from metrics_core.comparing.tests import sidak
from metrics_core.comparing.verdicts import is_found
from metrics_core.measures import GivenMeasure, Measure, parse_measure
from metrics_core.scoring.intervals import LEVEL, Interval, mean_intervals
from metrics_core.scoring.resampling import portions
from metrics_core.scoring.scores import Scores
from metrics_core.slicing.ranges import MOST_NUMBERS, by_size, ranges
from metrics_core.tables import Queries

NO_GROUP = "(none)"
# An invisible character tells the margin from a group that somebody named "all".
ALL = "\u2060all"
_KNOWN_ORDERS = (
    ("very easy", "easy", "medium", "moderate", "hard", "difficult", "very hard"),
    ("very low", "low", "medium", "middle", "high", "very high"),
    ("head", "torso", "tail"),
    ("easy for other runs", "medium for other runs", "hard for other runs"),
    ("under half judged", "half to 80 % judged", "80 % or more judged", "all judged"),
)


def ordered_groups(values: Iterable[str]) -> list[str]:
    """Distinct group names in a reader's order: easy before hard, numbers and ranges by size,
    else by name; the group of queries without a value comes last."""
    distinct = set(values.unique() if isinstance(values, pd.Series) else values)
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


def refuse_strangers(queries: Queries, scored: Sequence[str], name: str) -> None:
    """Refuse queries of which none was scored: all would be in one group, (none)."""
    there = queries.frame["query_id"]
    if there.isin(list(scored)).any():
        return
    ours, theirs = (", ".join(map(repr, list(ids)[:3])) for ids in (scored, there))
    raise NoSharedQueriesError(
        f"{name} contains none of the judged queries.",
        f"The judged queries have ids such as {ours}; found {theirs}.",
    )


def coded_groups(groups: pd.Series) -> tuple[Ints, list[str]]:
    """The group of each query as its place among the names, int64[Q], and their names in a
    reader's order."""
    # Asked of the few values, not of every query.
    found, values = pd.factorize(groups)
    told = [str(value) if value != "" else NO_GROUP for value in values]
    told.append(NO_GROUP)  # the place of queries without one, -1, is the last
    names = ordered_groups(told if (found < 0).any() else told[:-1])
    place = {name: i for i, name in enumerate(names)}
    return np.array([place.get(name, -1) for name in told], dtype=np.int64)[found], names


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
    """`by_group` of a column of the queries. Raises UnknownColumnError and UnknownRunError."""
    given = Scores.given(scores)
    groups = group_of(queries, given.query_ids, by)
    return by_group(given, measure, groups, baseline=baseline, level=level, looked_at=looked_at)


def by_group(
    scores: Scores | pd.DataFrame,
    measure: GivenMeasure,
    groups: pd.Series,
    *,
    baseline: str | None = None,
    level: float = LEVEL,
    looked_at: int = 0,
    bounds_of_means: bool = True,
) -> pd.DataFrame:
    """One measure by group and run: columns group, run, queries, mean, low, high, and difference,
    diff_low, diff_high against the baseline (NaN in its own rows), clear. `groups` is the group of
    each query, indexed by query_id; low and high are NaN where nobody asks for `bounds_of_means`.

    The draws of a group are of its own queries, so that it keeps its size. `clear` is whether the
    difference is found among all groups of the run, or among `looked_at` groups if those are more:
    narrowing a view must not turn chance into a finding. Groups share no query, so their p-values
    are corrected as those of independent tests (Sidak), and diff_low and diff_high hold for all of
    them at once in the same way; NaN where a group may not be tested (`verdicts.may_be_tested`).
    Raises UnknownRunError.
    """
    given, wanted = Scores.given(scores), parse_measure(measure)
    against = None if baseline is None else given.position(baseline)
    names, parts = _by_group(given, wanted, groups)
    looked = max(len(names), looked_at, 1)
    rows = [vars(row) for row in _rows(parts, against, (level, looked), wanted)]
    found = {name: np.concatenate([row[name] for row in rows]) for name in rows[0]}
    frame = pd.DataFrame(
        {
            "group": [name for name in names for _ in given.runs],
            "run": list(given.runs) * len(names),
            "queries": found.pop("queries"),
            "mean": found.pop("mean"),
            "low": np.nan,
            "high": np.nan,
            **found,
        }
    )
    if not bounds_of_means:
        return frame
    return with_bounds_of_means(frame, given, wanted, groups, level=level)


def with_bounds_of_means(
    frame: pd.DataFrame,
    scores: Scores,
    measure: GivenMeasure,
    groups: pd.Series,
    *,
    level: float = LEVEL,
) -> pd.DataFrame:
    """A frame of `by_group` without the bounds of its means, with them."""
    wanted = parse_measure(measure)
    names, parts = _by_group(scores, wanted, groups)
    ends = _ends_of_means(parts, level, wanted)
    shape = (len(names), 2, len(scores.runs))
    bounds = np.array([(own.low, own.high) for own in ends]).reshape(shape)
    return frame.assign(low=bounds[:, 0].ravel(), high=bounds[:, 1].ravel())


def _by_group(
    scores: Scores, measure: Measure, groups: pd.Series
) -> tuple[list[str], list[Floats]]:
    """The names of the groups, and the scores of each, float64[queries, runs]."""
    values = scores.of(measure).T
    codes, names = coded_groups(groups.reindex(list(scores.query_ids)))
    return names, [values[codes == code] for code in range(len(names))]


def _ends_of_means(groups: Sequence[Floats], level: float, measure: Measure) -> list[Interval]:
    combination, within = measure.declaration.combination, measure.declaration.range
    return [
        each
        for portion in portions([g.shape for g in groups])
        for each in mean_intervals(groups[portion], combination, level=level, within=within)
    ]


@dataclass(frozen=True)
class GroupRow:
    """What `by_group` says of one group, an array of one value a run each."""

    queries: Ints
    mean: Floats
    difference: Floats
    diff_low: Floats
    diff_high: Floats
    clear: Mask


def _rows(
    groups: Sequence[Floats],
    baseline: int | None,
    at: tuple[float, int],
    measure: Measure,
) -> Iterator[GroupRow]:
    """The rows of each group, from its float64[queries, runs]; the draws of groups of as many
    queries are the same, and those of some groups are worked out at a time."""
    of = measure.declaration.combination.of
    for portion in portions([g.shape for g in groups]):
        some = groups[portion]
        gaps = [_no_differences(g) for g in some]
        if baseline is not None:
            gaps = _differences(some, baseline, at, measure)
        for values, (gap, clear) in zip(some, gaps, strict=True):
            counts = (~np.isnan(values)).sum(axis=0)
            yield GroupRow(counts, of(values), gap[0], gap[1], gap[2], clear)


def _no_differences(values: Floats) -> tuple[Floats, Mask]:
    runs = values.shape[1]
    return np.full((3, runs), np.nan), np.zeros(runs, dtype=np.bool_)


def _differences(
    groups: Sequence[Floats], baseline: int, at: tuple[float, int], measure: Measure
) -> list[tuple[Floats, Mask]]:
    """The differences of combined scores to the baseline's with the ends of their intervals at a
    level for so many groups together, float64[3, runs], NaN where a group may not be tested, and in
    the baseline's own place; and whether each is found among them.

    That of geometric means is tested on their ratio; its ends are those of the ratio, taken with
    the baseline's mean as it is.
    """
    level, looked_at = at
    combination = measure.declaration.combination
    scaled = [combination.onto(values) for values in groups]
    others = [np.delete(np.arange(s.shape[1]), baseline) for s in scaled]
    gaps = [np.take(s - s[:, [baseline]], o, axis=1) for s, o in zip(scaled, others, strict=True)]
    found = []
    for values, own, one in zip(scaled, others, resampled_groups(gaps), strict=True):
        ends, clear = _no_differences(values)
        clear[own] = is_found(sidak(one.p, looked_at), level)
        ends[:, own] = one.intervals(1 - level ** (1 / looked_at), clear[own])
        if combination.linear:
            ends[1:] = no_farther(ends[1:], widest_difference(measure))
        else:
            both = ~np.isnan(values) & ~np.isnan(values[:, [baseline]])
            against = np.where(both, values[:, [baseline]], 0.0)
            start = against.sum(axis=0) / np.maximum(both.sum(axis=0), 1)
            ends = combination.back(start) * np.expm1(ends)
        found.append((ends, clear))
    return found
