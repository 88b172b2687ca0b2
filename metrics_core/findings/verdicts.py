"""State whether the run in focus is better, and how that was tested: the answer on the Overview."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.comparing.method import (
    CORRECTIONS,
    DEFAULT_METHOD,
    NO_CORRECTION,
    TESTS,
    Method,
)
from metrics_core.comparing.pairs import verdict_interval
from metrics_core.comparing.verdicts import (
    AHEAD,
    BEHIND,
    BETTER_BY_LITTLE,
    CANNOT_TELL,
    CLEAR,
    FEWEST_QUERIES,
    NO_MATTER,
    NO_VERDICT,
    WORSE_BY_LITTLE,
    are_significant,
)
from metrics_core.comparing.winners import better_run_sign
from metrics_core.findings.costs import cost_lead_text, no_direction_text
from metrics_core.findings.phrases import NO_SCORE_WITH_BOTH
from metrics_core.findings.sentence import Sentence, aside_span, muted_span, run_span, strong_span
from metrics_core.scoring.intervals import LEVEL

Tone = Literal["better", "worse", "unclear", "few"]


@dataclass(frozen=True)
class VerdictFinding:
    """The answer of a comparison. `title` says which run is better, `badge` is the result of the
    test in a word, and `tone` its colour. `lead` states the numbers, the test and its limits."""

    title: Sentence
    lead: Sentence
    badge: str = ""
    tone: Tone = "unclear"

    @property
    def text(self) -> str:
        """The title, badge, tone and lead as plain text."""
        return f"{self.title.text} [{self.badge}|{self.tone}] {self.lead.text}"


def verdict_finding(
    comparison: pd.DataFrame,
    measure: str,
    focus: str,
    baseline: str,
    *,
    method: Method = DEFAULT_METHOD,
) -> VerdictFinding:
    """State whether the run in focus is better than the baseline. `comparison` is the frame of
    `compare` for all runs, which were tested together by this method."""
    row = _run_row(comparison, focus)
    base = float(_run_row(comparison, baseline)["mean"])
    pair = run_span(focus) + strong_span(" and ") + run_span(baseline)
    if row["verdict"] == NO_VERDICT:
        return VerdictFinding(pair, no_direction_text(row, base, measure), "no direction declared")
    if row["queries"] < FEWEST_QUERIES:
        return _few_queries_finding(row, base, measure, focus, baseline)
    if not row["differing"]:
        score = muted_span(
            f"Both runs have the same score on every query: {measure} is "
        ) + _strong_score(row["mean"])
        return VerdictFinding(pair, score + muted_span("."), "tied")
    if row["verdict"] in CLEAR:
        ahead = row["verdict"] in AHEAD
        title = (
            run_span(focus)
            + strong_span(" beats " if ahead else " falls behind ")
            + run_span(baseline)
        )
        test = _describe_test(comparison, row, method)
        lead = cost_lead_text(row, measure, method.level, test) or (
            _describe_change(row, base, measure) + test
        )
        badge = "clear difference" if ahead else "clear loss"
        return VerdictFinding(title, lead, badge, "better" if ahead else "worse")
    lead = _describe_means(row, base, measure)
    if row["verdict"] == NO_MATTER:
        return VerdictFinding(
            pair,
            lead + _describe_equivalence(row, method),
            f"equivalent within {method.margin or 0:g}",
        )
    undecided = lead + _explain_undecided(row, method)
    lead = cost_lead_text(row, measure, method.level) or undecided
    return VerdictFinding(pair, lead, "no clear difference")


def single_run_finding(
    comparison: pd.DataFrame,
    measure: str,
    focus: str,
    ends: tuple[float, float],
    *,
    runs_loaded: int = 1,
    level: float = LEVEL,
) -> VerdictFinding:
    """Return the finding for a run that is not compared. `comparison` is the frame of `compare`.
    `ends` are the bounds of the interval of the run's mean at this level, NaN if there is none."""
    row = _run_row(comparison, focus)
    queries = int(row["queries"])
    hint = "Add a second run to compare." if runs_loaded < 2 else "Choose another run to compare."
    queries_text = f"over {w.format_query_count(queries)}"
    title = run_span(focus) + strong_span(f" scores {w.format_score(row['mean'])} on {measure}")
    if queries < FEWEST_QUERIES:
        noun = w.plural(queries, "an example", "examples")
        beginning = f"{w.sentence_case(queries_text)}: {noun}, not a result. " if queries else ""
        return VerdictFinding(title, muted_span(f"{beginning}{hint}"), "too few queries", "few")
    if ends[0] != ends[0]:
        return VerdictFinding(title, muted_span(f"{w.sentence_case(queries_text)}. {hint}"))
    digits = w.interval_decimals(*ends)
    low, high = (w.format_score(end, digits) for end in ends)
    return VerdictFinding(
        title,
        muted_span(f"{w.format_share(level)} interval {low} to {high} {queries_text}. {hint}"),
    )


def _run_row(comparison: pd.DataFrame, run: str) -> pd.Series:
    return comparison.iloc[comparison["run"].tolist().index(run)]


def _few_queries_finding(
    row: pd.Series, baseline_row: float, measure: str, focus: str, baseline: str
) -> VerdictFinding:
    """Return the finding for a comparison with too few queries to test."""
    n = int(row["queries"])
    if not n:
        title = strong_span(NO_SCORE_WITH_BOTH)
        return VerdictFinding(
            title, muted_span("Nothing can be compared."), "too few queries", "few"
        )
    only = f"Only {n} {w.plural(n, 'query: an example', 'queries: examples')}, not a result"
    lead = (
        muted_span(f"On {w.plural(n, 'this query', f'these {w.number_word(n)} queries')}, ")
        + run_span(focus)
        + muted_span(" scores ")
        + _strong_score(row["mean"])
        + muted_span(" and ")
        + run_span(baseline)
        + muted_span(" ")
        + _strong_score(baseline_row)
        + muted_span(f" on {measure}: {_format_counts(row)}. ")
        + muted_span(
            f"A test needs at least {FEWEST_QUERIES} queries, so there are no intervals, colours"
            " or checks."
        )
    )
    return VerdictFinding(strong_span(only), lead, "too few queries", "few")


def _strong_score(value: float, digits: int = 3) -> Sentence:
    return strong_span(w.format_score(value, digits))


def _format_mean(value: float, digits: int) -> str:
    """Format a mean with `digits` decimals. Zero always has three decimals."""
    text = w.format_score(value, digits)
    return text if text.strip("0.") else w.format_score(0)


def _describe_change(row: pd.Series, base: float, measure: str) -> Sentence:
    """State both means, or the tested difference if the rounded means do not show it."""
    digits = _choose_decimals(row, row["low"], row["high"])
    rises = "rises" if row["difference"] > 0 else "falls"
    ends = [_format_mean(end, digits) for end in (base, row["mean"])]
    if _is_difference_of_means(row, base) and ends[0] != ends[1]:
        return (
            muted_span(f"{measure} {rises} from {ends[0]} to ")
            + strong_span(ends[1])
            + muted_span(". ")
        )
    size = w.format_score(abs(row["difference"]), digits)
    queries_text = f" on the {w.format_count(row['queries'])} queries with scores from both runs"
    return (
        muted_span(f"{measure} {rises} by ") + strong_span(size) + muted_span(f"{queries_text}. ")
    )


def _describe_means(row: pd.Series, base: float, measure: str) -> Sentence:
    """State both means if neither run is significantly ahead."""
    digits = _choose_decimals(row, *_tested_interval(row, LEVEL)[:2])
    own_mean, other_mean = _format_mean(row["mean"], digits), _format_mean(base, digits)
    if not _is_difference_of_means(row, base):
        return muted_span(
            f"{measure} is {own_mean} against {other_mean}, each averaged over that run’s queries. "
        )
    if own_mean == other_mean:
        return muted_span(f"{measure} is {own_mean} for both. ")
    return muted_span(f"{measure} is {own_mean} against {other_mean}. ")


def _is_difference_of_means(row: pd.Series, base: float) -> bool:
    """Return whether the difference of the two means equals the mean of the paired differences."""
    return bool(abs(row["mean"] - base - row["difference"]) <= 1e-9 * max(1.0, abs(base)))


def _describe_test(comparison: pd.DataFrame, row: pd.Series, method: Method) -> Sentence:
    """Name the test and its correction; say if a significant difference is within the margin."""
    tested = int(comparison["p_corrected"].notna().sum())
    level_text = "" if method.level == LEVEL else f" at {w.format_share(1 - method.level)}"
    test_text = "" if method.test == Method().test else f" by {TESTS[method.test]}"
    sentence = muted_span(f"Significant{level_text}{test_text}")
    if tested > 1:
        is_uncorrected = method.effective_correction == NO_CORRECTION
        sentence += muted_span(", not corrected" if is_uncorrected else " after correction")
        sentence += aside_span(f" for {w.number_word(tested)} comparisons")
    sentence += muted_span(f" ({w.format_p_value(row['p_corrected'])}).")
    if method.margin is None or row["verdict"] not in (BETTER_BY_LITTLE, WORSE_BY_LITTLE):
        return sentence
    digits = _choose_decimals(row, row["low"], row["high"])
    size = w.format_distinct_score(abs(row["difference"]), method.margin, digits)
    return sentence + muted_span(
        f" The difference of {size} is smaller than the margin of {method.margin:g}."
    )


def _describe_equivalence(row: pd.Series, method: Method) -> Sentence:
    """State that the difference is within the margin."""
    low, high, interval_note = _tested_interval(row, method.level)
    matters = f"within the margin of {method.margin or 0:g}"
    if low != low:
        return muted_span(f"The true difference is {matters}.")
    digits = _choose_decimals(row, low, high)
    digits = max(
        w.distinguishing_decimals(abs(end), method.margin or 0, digits) for end in (low, high)
    )
    ends = w.format_difference(low, digits), w.format_difference(high, digits)
    return muted_span(
        f"The true difference is between {' and '.join(ends)}{interval_note}, {matters}."
    )


def _explain_undecided(row: pd.Series, method: Method) -> Sentence:
    """Explain why neither run counts as better."""
    low, high, _ = _tested_interval(row, method.level)
    size = w.format_difference(row["difference"], _choose_decimals(row, low, high))
    gap = muted_span("The difference of ") + strong_span(size)
    p = row["p_corrected"]
    if p != p:
        return gap + muted_span(f" is not tested: {row['reason']}.")
    if bool(are_significant(p, method.level)) and row["difference"]:
        return gap + muted_span(
            f" does not count as significant ({w.format_p_value(p)}): {row['reason']}."
        )
    chance = gap + muted_span(
        " may be chance" if better_run_sign(row["difference"]) else " favours neither run"
    )
    if low != low:
        return chance + muted_span(f" ({w.format_p_value(p)}).")
    if not better_run_sign(row["difference"]):
        n = int(row["differing"])
        return muted_span(
            f"But {w.format_with_noun(n, 'query differs', 'queries differ')}, and the true"
            f" difference could be anywhere from {_format_span(row, low, high)}"
            f" ({w.format_p_value(p)})."
        )
    return chance + muted_span(
        f": {w.format_p_value(p)}, and the true difference could be anywhere from"
        f" {_format_span(row, low, high)}."
    )


def _format_span(row: pd.Series, low: float, high: float) -> str:
    digits = _choose_decimals(row, low, high)
    return f"{w.format_difference(low, digits)} to {w.format_difference(high, digits)}"


def _tested_interval(row: Mapping[str, Any], level: float) -> tuple[float, float, str]:
    """Return the bounds of the verdict's interval and a note on its level ("" if it is `level`)."""
    low, high, interval_level = verdict_interval(row, level)
    return (
        low,
        high,
        "" if interval_level == level else f" ({w.format_share(interval_level)} interval)",
    )


def _choose_decimals(row: Mapping[str, Any], low: float, high: float) -> int:
    """Return the number of decimals for the interval or, if there is none, for the difference."""
    if pd.isna(low):
        low, high = sorted((0.0, row["difference"] if better_run_sign(row["difference"]) else 0.0))
    return w.interval_decimals(low, high)


def measures_finding(table: pd.DataFrame, focus: str, chosen_measure: str) -> Sentence:
    """State that a run without a verdict on the chosen measure is significantly ahead or behind on
    other measures. `table` has the columns run, measure and verdict."""
    verdicts = dict(
        zip(*(table[table["run"] == focus][c] for c in ("measure", "verdict")), strict=True)
    )
    if verdicts.get(chosen_measure) != CANNOT_TELL:
        return Sentence()
    sides = {
        "ahead on": [name for name, word in verdicts.items() if word in AHEAD],
        "behind on": [name for name, word in verdicts.items() if word in BEHIND],
    }
    clauses = [
        f"significantly {phrase} {w.join_words(names)}" for phrase, names in sides.items() if names
    ]
    if not clauses:
        return Sentence()
    other_measures = [name for name, word in verdicts.items() if word not in CLEAR]
    return run_span(focus) + muted_span(
        f" is {' and '.join(clauses)}, but not on {w.join_words(other_measures)}. Decide which"
        " measure counts before you look at the results."
    )


def _format_counts(row: pd.Series) -> str:
    won, lost, same = int(row["won"]), int(row["lost"]), int(row["same"])
    return f"{won} better, {same} same, {lost} worse"


def method_finding(comparison: pd.DataFrame, method: Method) -> Sentence:
    """State for how many comparisons the intervals and verdicts are corrected, and the method if it
    is not the default. `comparison` is the frame of `compare`."""
    compared = comparison[comparison["verdict"].notna()]
    tested, n_compared = int(compared["p_corrected"].notna().sum()), len(compared)
    if not tested:
        return Sentence()
    share = f"{w.format_share(method.level)} intervals"
    if comparison["low"].isna().all():
        share = "p-values"  # of a test that is not about the mean
    if n_compared == 1:
        text = f"One run is compared with one baseline, with {share}"
    elif method.effective_correction == NO_CORRECTION:
        text = (
            f"{w.sentence_case(w.number_word(n_compared))} runs are compared with one baseline,"
            " not corrected: each interval and verdict is valid only on its own, because with many"
            " comparisons some are significant by chance"
        )
    else:
        text = (
            f"{w.sentence_case(w.number_word(n_compared))} runs are compared with one baseline,"
            f" with {share}"
        )
        if tested > 1:
            text += f" and verdicts corrected for {w.number_word(tested)} comparisons"
    text += f"{_untested_note(compared)}."
    if not method.is_default:
        text += f" Method: {TESTS[method.test]}, {CORRECTIONS[method.effective_correction]}."
    return muted_span(text)


def _untested_note(compared: pd.DataFrame) -> str:
    """State how many compared runs are not tested, and why; "" if all are tested."""
    untested = compared[compared["p_corrected"].isna()]
    n_few = int((untested["queries"] < FEWEST_QUERIES).sum())
    n_alike = len(untested) - n_few
    verb = f"{w.plural(n_few or n_alike, 'is', 'are')} not tested"
    clauses = []
    if n_few:
        have = w.plural(n_few, "it has", "they have")
        clauses.append(f"{w.number_word(n_few)} {verb} because {have} too few queries")
    if n_alike:
        its = w.plural(n_alike, "its", "their")
        subject = f"{w.number_word(n_alike)}," if n_few else f"{w.number_word(n_alike)} {verb},"
        clauses.append(f"{subject} because too few of {its} queries differ")
    return f"; {', and '.join(clauses)}" if clauses else ""
