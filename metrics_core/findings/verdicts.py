"""Is the run in focus better, is it real, and on which queries: the Overview and Queries pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.comparing.method import CORRECTIONS, NO_CORRECTION, TESTS, Method
from metrics_core.comparing.pairs import interval_tested
from metrics_core.comparing.sides import side_of
from metrics_core.comparing.verdicts import (
    AHEAD,
    BETTER_BY_LITTLE,
    CLEAR,
    FEWEST_QUERIES,
    NO_MATTER,
    WORSE_BY_LITTLE,
)
from metrics_core.findings.sentence import Sentence, joined, muted, run, strong
from metrics_core.scoring.intervals import LEVEL


def named_groups(
    groups: pd.DataFrame | None, name: str, *, higher_is_better: bool = True
) -> tuple[list[str], list[str]]:
    """Groups of a `breakdown` frame in which the run does clearly better, and clearly worse; each
    list with the largest difference first."""
    if groups is None or groups.empty:
        return [], []
    own = groups[(groups["run"] == name) & groups["clear"]]
    rises = own[own["difference"] > 0].sort_values("difference", ascending=False)
    falls = own[own["difference"] < 0].sort_values("difference")
    sides = list(rises["group"]), list(falls["group"])
    return sides if higher_is_better else (sides[1], sides[0])


def verdict(
    comparison: pd.DataFrame,
    measure: str,
    focus: str,
    baseline: str,
    groups: pd.DataFrame | None = None,
    *,
    runs_loaded: int = 1,
    margin: float | None = None,
    level: float = LEVEL,
    higher_is_better: bool = True,
) -> Sentence:
    """The headline: is the run in focus better than the baseline, and is it real?

    `comparison` is the frame of `compare` at this level, `groups` that of `breakdown` by one
    column, `margin` the smallest difference that matters, if somebody has said one.
    """
    row = _of(comparison, focus)
    if focus == baseline:
        score = w.score(row["mean"])
        hint = (
            "load a second run to compare"
            if max(len(comparison), runs_loaded) < 2
            else "choose another run to compare"
        )
        return run(focus) + strong(f" scores {score} on {measure}; ") + muted(f"{hint}.")
    if row["queries"] < FEWEST_QUERIES:
        return too_few(int(row["queries"])) + (
            run(focus)
            + muted(f" scores {w.score(row['mean'])} and ")
            + run(baseline)
            + muted(f" {w.score(_of(comparison, baseline)['mean'])} on {measure}.")
        )
    named = named_groups(groups, focus, higher_is_better=higher_is_better)
    tally = muted(f"{_tally(row)}{_where(row['verdict'], *named)}.")
    if row["verdict"] in CLEAR:
        return _clear(row, measure, focus, baseline, margin) + tally
    return _unclear(row, measure, focus, baseline, margin, level) + tally


def _of(comparison: pd.DataFrame, run: str) -> pd.Series:
    """The row of a run."""
    return comparison.iloc[comparison["run"].tolist().index(run)]


def _clear(
    row: pd.Series, measure: str, focus: str, baseline: str, margin: float | None
) -> Sentence:
    digits = _decimals(row, row["low"], row["high"])
    # "by 0.06" has no sign, so the interval has none either: both say how far.
    nearer, farther = sorted(abs(row[end]) for end in ("low", "high"))
    little = margin is not None and row["verdict"] in (BETTER_BY_LITTLE, WORSE_BY_LITTLE)
    return (
        run(focus)
        + strong(" is ahead of " if row["verdict"] in AHEAD else " is behind ")
        + run(baseline)
        + strong(f" on {measure} by {w.score(abs(row['difference']), digits)}")
        + muted(f" {w.interval(nearer, farther, digits)}" if row["low"] == row["low"] else "")
        + (strong(f", less than the {margin:g} that matters. ") if little else strong(". "))
    )


def _unclear(
    row: pd.Series, measure: str, focus: str, baseline: str, margin: float | None, level: float
) -> Sentence:
    if row["verdict"] == NO_MATTER:
        start, end = "No difference that matters between ", f", within the {margin:g} that matters"
    elif not row["differing"]:
        pair = run(focus) + strong(" and ") + run(baseline)
        return pair + strong(f" score the same on {measure}: ") + muted("no query differs. ")
    else:
        start, end = "No clear difference between ", ""
    return (
        strong(start)
        + run(focus)
        + strong(" and ")
        + run(baseline)
        + strong(f" on {measure}: ")
        + _gap(row, level)
        + strong(f"{end}. ")
    )


def _gap(row: pd.Series, level: float) -> Sentence:
    """The difference with its interval, or why there is none."""
    low, high, which = _ends(row, level)
    digits = _decimals(row, low, high)
    if pd.isna(low):
        return strong(f"{w.difference(row['difference'], digits)}; ") + muted(row["reason"])
    interval = w.interval(low, high, digits)
    return strong(f"{w.difference(row['difference'], digits)} ") + muted(f"{interval}{which}")


def _ends(row: Mapping[str, Any], level: float) -> tuple[float, float, str]:
    """The interval that the verdict rests on, and what kind it is where not the usual one."""
    low, high, own = interval_tested(row, level)
    return low, high, "" if own == level else f" ({w.share(own)} interval)"


def _decimals(row: Mapping[str, Any], low: float, high: float) -> int:
    """As many as the interval needs; without one as many as leave something of the difference."""
    if pd.isna(low):
        low, high = sorted((0.0, row["difference"] if side_of(row["difference"]) else 0.0))
    return w.decimals(low, high)


def too_few(queries: int) -> Sentence:
    """What is said instead of a verdict where there are too few queries for one."""
    if not queries:
        return strong("No query has a score with both runs. ")
    return strong(
        f"Only {queries} {w.plural(queries, 'query', 'queries')}: "
        "read this as examples, not as a result. "
    )


def _tally(row: pd.Series) -> str:
    won, lost, same = int(row["won"]), int(row["lost"]), int(row["same"])
    return (
        f"{w.count(won)} {w.plural(won, 'query', 'queries')} won, {lost:,} lost, {same:,} the same"
    )


def _where(found: str, gains: list[str], losses: list[str]) -> str:
    """The clause that names groups, or "" where none is clear."""
    if not (gains or losses):
        return ""
    if found not in CLEAR:
        parts = [f"gains in {w.named(gains)}"] if gains else []
        parts += [f"loses in {w.named(losses)}"] if losses else []
        return f"; it {' and '.join(parts)}"
    what, main, other = ("gain", gains, losses) if found in AHEAD else ("loss", losses, gains)
    verb = "loses" if found in AHEAD else "gains"
    # Where the others are not clear nothing is known of them, so none is said to be without.
    parts = [f"the {what} is clear on its own in {w.named(main)}"] if main else []
    parts += [f"it {verb} in {w.named(other)}"] if other else []
    return f"; {', '.join(parts)}"


def others_verdict(
    comparison: pd.DataFrame, focus: str, baseline: str, *, level: float = LEVEL
) -> Sentence:
    """One line on the runs that are shown but not in focus; empty where there are none, or too few
    queries to say anything."""
    parts = []
    for row in comparison.to_dict("records"):
        if row["run"] in (focus, baseline) or row["queries"] < FEWEST_QUERIES:
            continue
        low, high, which = _ends(row, level)
        digits = _decimals(row, low, high)
        gap = w.difference(row["difference"], digits)
        gap += f" {w.interval(low, high, digits)}{which}" if low == low else ""
        if row["verdict"] in CLEAR:
            where = "ahead" if row["verdict"] in AHEAD else "behind"
            parts.append(run(row["run"]) + muted(f" is {where}, {gap}"))
        else:
            told = "are too close to call"
            if row["verdict"] == NO_MATTER:
                told = "differ by less than matters"
            elif not row["differing"]:
                told = "score the same on every query"
            elif pd.isna(row["p_corrected"]):
                told = f"are not tested ({row['reason']})"
            pair = run(row["run"]) + muted(" and ") + run(baseline)
            parts.append(pair + muted(f" {told}, {gap}"))
    return joined(parts[:_MOST_OTHERS], "; ") + muted(_more(parts)) if parts else Sentence()


def method_finding(comparison: pd.DataFrame, method: Method) -> Sentence:
    """For how many comparisons the intervals and verdicts hold, and how they were made where that
    is not as usual; empty where nothing was tested."""
    compared = comparison[comparison["verdict"].notna()]
    tested, every = int(compared["p_corrected"].notna().sum()), len(compared)
    if not tested:
        return Sentence()
    share = f"{w.share(method.level)} intervals"
    if comparison["low"].isna().all():
        share = "p-values"  # of a test that does not ask about the mean
    if every == 1:
        text = f"One run compared with one baseline, {share}"
    elif method.corrected_by == NO_CORRECTION:
        text = (
            f"{w.sentence_case(w.number(every))} runs compared with one baseline, not corrected:"
            " each interval and verdict holds only by itself, and among many some are chance"
        )
    else:
        text = (
            f"{w.sentence_case(w.number(every))} runs compared with one baseline: {share} and"
            f" verdicts hold for {'both' if every == 2 else f'all {w.number(every)}'} together"
        )
    text += f"{_untested(compared)}."
    if not method.is_default:
        text += f" Chosen: {TESTS[method.test]}, {CORRECTIONS[method.corrected_by]}."
    return muted(text)


def _untested(compared: pd.DataFrame) -> str:
    """How many of the compared runs have no test, and why."""
    without = compared[compared["p_corrected"].isna()]
    few = int((without["queries"] < FEWEST_QUERIES).sum())
    alike = len(without) - few
    verb = f"{w.plural(few or alike, 'is', 'are')} not tested"
    told = []
    if few:
        have = w.plural(few, "it has", "they have")
        told.append(f"{w.number(few)} {verb}, since {have} too few queries")
    if alike:
        its = w.plural(alike, "its", "their")
        which = f"{w.number(alike)}," if few else f"{w.number(alike)} {verb},"
        told.append(f"{which} since too few of {its} queries differ")
    return f"; {', and '.join(told)}" if told else ""


_MOST_OTHERS = 4


def _more(parts: Sequence[Sentence]) -> str:
    rest = len(parts) - _MOST_OTHERS
    return f"; {w.count(rest)} more below." if rest > 0 else "."


@dataclass(frozen=True)
class Facts:
    """What every number of a view rests on. `unanswerable` queries have no relevant document;
    `missing` is, for each of the compared runs that lacks queries, how many; they count as an empty
    list, or are `left_out`; `every_run` says of which runs `all_zero` speaks."""

    queries: int
    judgments: int
    lowest_grade: float
    highest_grade: float
    judged_share: float
    cutoff: int
    all_zero: int
    missing: Mapping[str, int]
    unjudged: int
    unanswerable: int = 0
    every_run: str = "every run"
    left_out: bool = False

    LITTLE_JUDGED = 0.8

    @property
    def little_judged(self) -> bool:
        """Whether differences may come from missing judgments."""
        return bool(self.judged_share < self.LITTLE_JUDGED)
