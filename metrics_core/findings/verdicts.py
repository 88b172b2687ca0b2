"""Is the run in focus better, and is it real? The Overview's answer, and how it was tested."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.comparing.method import (
    CORRECTIONS,
    METHOD,
    NO_CORRECTION,
    TESTS,
    Method,
)
from metrics_core.comparing.pairs import interval_tested
from metrics_core.comparing.verdicts import (
    AHEAD,
    BEHIND,
    BETTER_BY_LITTLE,
    CANNOT_TELL,
    CLEAR,
    FEWEST_QUERIES,
    NO_MATTER,
    WORSE_BY_LITTLE,
    is_found,
)
from metrics_core.comparing.winners import side_of
from metrics_core.findings.group_nouns import Noun
from metrics_core.findings.phrases import NO_SCORE_WITH_BOTH
from metrics_core.findings.sentence import Sentence, aside, muted, run, strong
from metrics_core.scoring.intervals import LEVEL

Tone = Literal["better", "worse", "unclear", "few"]
_GROUP = Noun()


@dataclass(frozen=True)
class VerdictFinding:
    """The answer of a comparison. `title` says who does better, `badge` in a word what the test
    says and `tone` how that is coloured; `lead` is number, test and limits."""

    title: Sentence
    lead: Sentence
    badge: str = ""
    tone: Tone = "unclear"

    @property
    def text(self) -> str:
        """All of it as one plain text."""
        return f"{self.title.text} [{self.badge}|{self.tone}] {self.lead.text}"


def verdict(
    comparison: pd.DataFrame,
    measure: str,
    focus: str,
    baseline: str,
    *,
    method: Method = METHOD,
) -> VerdictFinding:
    """Is the run in focus better than the baseline, and is it real? `comparison` is the frame of
    `compare` of all runs that are tested together, by this method."""
    row = _of(comparison, focus)
    base = float(_of(comparison, baseline)["mean"])
    pair = run(focus) + strong(" and ") + run(baseline)
    if row["queries"] < FEWEST_QUERIES:
        return _examples(row, base, measure, focus, baseline)
    if not row["differing"]:
        score = muted(f"They score the same on every query: {measure} is ") + _number(row["mean"])
        return VerdictFinding(pair, score + muted("."), "tied")
    if row["verdict"] in CLEAR:
        ahead = row["verdict"] in AHEAD
        title = run(focus) + strong(" beats " if ahead else " falls behind ") + run(baseline)
        lead = _change(row, base, measure) + _significant(comparison, row, method)
        badge = "clear difference" if ahead else "clear loss"
        return VerdictFinding(title, lead, badge, "better" if ahead else "worse")
    lead = _against(row, base, measure)
    if row["verdict"] == NO_MATTER:
        return VerdictFinding(
            pair, lead + _within(row, method), f"equivalent within {method.margin or 0:g}"
        )
    return VerdictFinding(pair, lead + _open(row, method), "no clear difference")


def alone(
    comparison: pd.DataFrame,
    measure: str,
    focus: str,
    ends: tuple[float, float],
    *,
    runs_loaded: int = 1,
    level: float = LEVEL,
) -> VerdictFinding:
    """What is said of a run that is compared with nothing; `ends` are those of the interval of its
    mean at this level, NaN where it has none."""
    row = _of(comparison, focus)
    queries = int(row["queries"])
    hint = "Add a second run to compare." if runs_loaded < 2 else "Choose another run to compare."
    over = f"over {w.count(queries)} {w.plural(queries, 'query', 'queries')}"
    title = run(focus) + strong(f" scores {w.score(row['mean'])} on {measure}")
    if queries < FEWEST_QUERIES:
        what = w.plural(queries, "an example", "examples")
        told = f"{w.sentence_case(over)}: {what}, not a result. " if queries else ""
        return VerdictFinding(title, muted(f"{told}{hint}"), "too few queries", "few")
    if ends[0] != ends[0]:
        return VerdictFinding(title, muted(f"{w.sentence_case(over)}. {hint}"))
    digits = w.decimals(*ends)
    low, high = (w.score(end, digits) for end in ends)
    return VerdictFinding(title, muted(f"{w.share(level)} interval {low} to {high} {over}. {hint}"))


def _of(comparison: pd.DataFrame, run: str) -> pd.Series:
    """The row of a run."""
    return comparison.iloc[comparison["run"].tolist().index(run)]


def _examples(
    row: pd.Series, base: float, measure: str, focus: str, baseline: str
) -> VerdictFinding:
    """What is said instead of a verdict where there are too few queries for one."""
    n = int(row["queries"])
    if not n:
        title = strong(NO_SCORE_WITH_BOTH)
        return VerdictFinding(title, muted("Nothing can be compared."), "too few queries", "few")
    only = f"Only {n} {w.plural(n, 'query: an example', 'queries: examples')}, not a result"
    said = (
        muted(f"On {w.plural(n, 'this query', f'these {w.number(n)} queries')}, ")
        + run(focus)
        + muted(" scores ")
        + _number(row["mean"])
        + muted(" and ")
        + run(baseline)
        + muted(" ")
        + _number(base)
        + muted(f" on {measure}: {_tally(row)}. ")
        + muted(
            f"A test needs at least {FEWEST_QUERIES} queries, so there are no intervals, colours"
            " or checks."
        )
    )
    return VerdictFinding(strong(only), said, "too few queries", "few")


def _number(value: float, digits: int = 3) -> Sentence:
    return strong(w.score(value, digits))


def _mean(value: float, digits: int) -> str:
    """A mean with these decimals; nothing is nothing with three."""
    text = w.score(value, digits)
    return text if text.strip("0.") else w.score(0)


def _change(row: pd.Series, base: float, measure: str) -> Sentence:
    """From which mean to which, or by how much where the two means do not say it."""
    digits = _decimals(row, row["low"], row["high"])
    rises = "rises" if row["difference"] > 0 else "falls"
    ends = [_mean(end, digits) for end in (base, row["mean"])]
    if _is_gap(row, base) and ends[0] != ends[1]:
        return muted(f"{measure} {rises} from {ends[0]} to ") + strong(ends[1]) + muted(". ")
    size = w.score(abs(row["difference"]), digits)
    on = f" on the {w.count(row['queries'])} queries with scores from both runs"
    return muted(f"{measure} {rises} by ") + strong(size) + muted(f"{on}. ")


def _against(row: pd.Series, base: float, measure: str) -> Sentence:
    """Both means, of runs of which neither is clearly ahead."""
    digits = _decimals(row, *_ends(row, LEVEL)[:2])
    own, other = _mean(row["mean"], digits), _mean(base, digits)
    if not _is_gap(row, base):
        return muted(f"{measure} is {own} against {other}, each over its own set of queries. ")
    if own == other:
        return muted(f"{measure} is {own} for both. ")
    return muted(f"{measure} is {own} against {other}. ")


def _is_gap(row: pd.Series, base: float) -> bool:
    """Whether the two means are those of the queries that were compared."""
    return bool(abs(row["mean"] - base - row["difference"]) <= 1e-9 * max(1.0, abs(base)))


def _significant(comparison: pd.DataFrame, row: pd.Series, method: Method) -> Sentence:
    """By which test, corrected for how many; and where it is clear but matters to nobody, that."""
    tested = int(comparison["p_corrected"].notna().sum())
    at = "" if method.level == LEVEL else f" at {w.share(1 - method.level)}"
    by = "" if method.test == Method().test else f" by {TESTS[method.test]}"
    said = muted(f"Significant{at}{by}")
    if tested > 1:
        plain = method.corrected_by == NO_CORRECTION
        said += muted(", not corrected" if plain else " after correction")
        said += aside(f" for {w.number(tested)} comparisons")
    said += muted(f" ({w.p_value(row['p_corrected'])}).")
    if method.margin is None or row["verdict"] not in (BETTER_BY_LITTLE, WORSE_BY_LITTLE):
        return said
    digits = _decimals(row, row["low"], row["high"])
    size = w.score_apart(abs(row["difference"]), method.margin, digits)
    return said + muted(
        f" The difference of {size} is smaller than the margin of {method.margin:g}."
    )


def _within(row: pd.Series, method: Method) -> Sentence:
    """That the difference is smaller than matters."""
    low, high, which = _ends(row, method.level)
    matters = f"within the margin of {method.margin or 0:g}"
    if low != low:
        return muted(f"The true difference is {matters}.")
    digits = _decimals(row, low, high)
    digits = max(w.decimals_apart(abs(end), method.margin or 0, digits) for end in (low, high))
    ends = w.difference(low, digits), w.difference(high, digits)
    return muted(f"The true difference is between {' and '.join(ends)}{which}, {matters}.")


def _open(row: pd.Series, method: Method) -> Sentence:
    """Why no run is called better."""
    low, high, _ = _ends(row, method.level)
    size = w.difference(row["difference"], _decimals(row, low, high))
    gap = muted("The difference of ") + strong(size)
    p = row["p_corrected"]
    if p != p:
        return gap + muted(f" is not tested: {row['reason']}.")
    if bool(is_found(p, method.level)) and row["difference"]:
        return gap + muted(f" does not count as significant ({w.p_value(p)}): {row['reason']}.")
    chance = gap + muted(" may be chance" if side_of(row["difference"]) else " favours neither run")
    if low != low:
        return chance + muted(f" ({w.p_value(p)}).")
    if not side_of(row["difference"]):
        n = int(row["differing"])
        differ = f"{w.count(n)} {w.plural(n, 'query differs', 'queries differ')}"
        return muted(
            f"But {differ}, and the true difference could be anywhere from"
            f" {_span(row, low, high)} ({w.p_value(p)})."
        )
    return chance + muted(
        f": {w.p_value(p)}, and the true difference could be anywhere from {_span(row, low, high)}."
    )


def _span(row: pd.Series, low: float, high: float) -> str:
    digits = _decimals(row, low, high)
    return f"{w.difference(low, digits)} to {w.difference(high, digits)}"


def _ends(row: Mapping[str, Any], level: float) -> tuple[float, float, str]:
    """The interval that the verdict rests on, and what kind it is where not the usual one."""
    low, high, own = interval_tested(row, level)
    return low, high, "" if own == level else f" ({w.share(own)} interval)"


def _decimals(row: Mapping[str, Any], low: float, high: float) -> int:
    """As many as the interval needs; without one as many as leave something of the difference."""
    if pd.isna(low):
        low, high = sorted((0.0, row["difference"] if side_of(row["difference"]) else 0.0))
    return w.decimals(low, high)


def groups_finding(
    groups: pd.DataFrame, focus: str, *, noun: Noun = _GROUP, higher_is_better: bool = True
) -> Sentence:
    """Which groups of a `breakdown` frame are significant by themselves, the largest first; empty
    where no group has a difference."""
    own = groups[(groups["run"] == focus) & groups["difference"].notna()]
    if own.empty:
        return Sentence()
    if own["diff_low"].isna().all():
        return muted(f"No {noun.one} has enough differing queries to be tested.")
    clear = own[own["clear"]]
    if clear.empty:
        return muted(f"No {noun.one} is significant by itself.")
    better = clear["difference"].to_numpy() * (1 if higher_is_better else -1)
    names, largest = clear["group"].tolist(), np.argsort(-np.abs(better), kind="stable")
    sides = {
        "gains": [names[i] for i in largest if better[i] > 0],
        "loses": [names[i] for i in largest if better[i] < 0],
    }
    told = [f"{verb} in {w.named(named)}" for verb, named in sides.items() if named]
    themselves = w.plural(len(clear), "significant by itself", "each significant by itself")
    return run(focus) + muted(f" {' and '.join(told)}, {themselves}.")


def measures_finding(table: pd.DataFrame, focus: str, chosen: str) -> Sentence:
    """That a run of which the chosen measure says nothing is clearly ahead or behind on others;
    empty where that is not so. `table` has run, measure, verdict."""
    own = dict(zip(*(table[table["run"] == focus][c] for c in ("measure", "verdict")), strict=True))
    if own.get(chosen) != CANNOT_TELL:
        return Sentence()
    sides = {
        "ahead on": [name for name, word in own.items() if word in AHEAD],
        "behind on": [name for name, word in own.items() if word in BEHIND],
    }
    told = [f"significantly {where} {w.listing(names)}" for where, names in sides.items() if names]
    if not told:
        return Sentence()
    rest = [name for name, word in own.items() if word not in CLEAR]
    return run(focus) + muted(
        f" is {' and '.join(told)}, but not on {w.listing(rest)}. Decide which measure counts"
        " before you look at the results."
    )


def too_few(queries: int) -> Sentence:
    """What is said instead of a verdict where there are too few queries for one."""
    if not queries:
        return strong(f"{NO_SCORE_WITH_BOTH}. ")
    return strong(f"Only {queries} {w.plural(queries, 'query', 'queries')}: too few for a result. ")


def _tally(row: pd.Series) -> str:
    won, lost, same = int(row["won"]), int(row["lost"]), int(row["same"])
    return f"{won} better, {same} same, {lost} worse"


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
            " each interval and verdict holds only by itself, and with many comparisons some"
            " are significant by chance"
        )
    else:
        text = f"{w.sentence_case(w.number(every))} runs compared with one baseline, {share}"
        if tested > 1:
            text += f" and verdicts corrected for {w.number(tested)} comparisons"
    text += f"{_untested(compared)}."
    if not method.is_default:
        text += f" Method: {TESTS[method.test]}, {CORRECTIONS[method.corrected_by]}."
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
