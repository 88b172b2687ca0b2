"""Sentences on costs, times and counts.

The verdict is on the typical ratio or the sign. The difference of the means is stated without a
verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from metrics_core.base import frames as pd
from metrics_core.base import wording as w
from metrics_core.comparing.tested_quantities import SIGN, TYPICAL_RATIO
from metrics_core.comparing.verdicts import are_significant
from metrics_core.findings.phrases import NO_DIRECTION
from metrics_core.findings.sentence import Sentence, muted_span, strong_span
from metrics_core.tables.given_scores import split_column_name

_TIME = {"latency", "latencies", "time", "times", "ms", "seconds"}
_UNITS = {"ms": "ms", "seconds": "s", "tokens": "tokens", "usd": "USD", "eur": "EUR"}


def describe_cost(row: Mapping[str, Any], measure: str, level: float) -> str:
    """Describe the tested quantity of a cost: "typically 27% slower (95%: 19 to 36%)", or
    "slower on 71 of 104 queries".

    `row` is a row of `compare`. The result is "" if the mean difference is tested or nothing is
    tested."""
    tested = row.get("tested")
    if tested == SIGN:
        return _describe_sign(row, measure)
    if tested != TYPICAL_RATIO:
        return ""
    return describe_ratio(row["ratio"], (row["ratio_low"], row["ratio_high"]), measure, level)


def describe_ratio(ratio: float, bounds: tuple[float, float], measure: str, level: float) -> str:
    """Describe a typical ratio in words: "typically 27% slower (95%: 19 to 36%)"."""
    low, high = bounds
    text = f"typically {_describe_change(ratio, measure)}"
    if low != low:
        return text
    share = w.format_share(level)
    if (low - 1) * (high - 1) > 0:
        nearer, farther = sorted(bounds, key=lambda end: abs(end - 1))
        size = f"{_format_percent(nearer)} to {_format_percent(farther)}%"
        return f"{text} ({share}: {size})"
    return f"{text} ({share}: {' to '.join(_describe_change(end, measure) for end in bounds)})"


def format_ratio_change(ratio: float) -> str:
    """Return a typical ratio as a change in percent with its sign: "+27%"."""
    percent = 100 * (ratio - 1)
    return f"{w.format_difference(percent, 0 if abs(percent) >= 10 else 1)}%"


def describe_mean_difference(row: Mapping[str, Any], measure: str) -> str:
    """Describe the difference of the means without a test: "mean +352 ms (1,634 against 1,282);
    half of it from 4 queries"."""
    names = [_UNITS[word] for word in split_column_name(measure) if word in _UNITS]
    unit = f" {names[-1]}" if names else ""
    base = row["baseline_mean"]
    size, means = _format_means(row, base)
    text = f"mean {size}{unit}"
    if abs(row["mean"] - base - row["difference"]) <= 1e-9 * max(1.0, abs(base)):
        text += f" ({means})"
    n = int(row["half_from"])
    return (
        f"{text}; half of the difference comes from {n} {w.plural(n, 'query', 'queries')}"
        if n
        else text
    )


def cost_lead_text(
    row: Mapping[str, Any], measure: str, level: float, evidence: Sentence | None = None
) -> Sentence:
    """Return the text below the title for a cost: the tested quantity, a sentence on the test, and
    the means, which are not tested.

    `evidence` is the sentence on the test. If it is None, the sentence explains why neither run
    counts as better. The result is empty if the measure of the row is not a cost."""
    cost = describe_cost(row, measure, level)
    if not cost:
        return Sentence()
    evidence = evidence or _explain_undecided(row, level)
    means = muted_span(f" Not tested: {describe_mean_difference(row, measure)}.")
    return strong_span(w.sentence_case(cost)) + muted_span(". ") + evidence + means


def _explain_undecided(row: Mapping[str, Any], level: float) -> Sentence:
    p_text = w.format_p_value(row["p_corrected"])
    if row["p_corrected"] != row["p_corrected"]:
        return muted_span(f"There is no test: {row['reason']}.")
    if not are_significant(np.array(row["p_corrected"]), level):
        return muted_span(f"This may be chance ({p_text}).")
    return muted_span(f"This is not significant ({p_text}): {row['reason']}.")


def other_costs_sentence(table: pd.DataFrame, run: str, measure: str, level: float) -> Sentence:
    """Describe at most two other costs on which the run differs significantly from the baseline;
    empty if there are none. `table` has rows of `compare` with columns measure and clear (bool:
    significant)."""
    rows = table[(table["run"] == run) & (table["measure"] != measure) & table["clear"]]
    texts = [(row["measure"], describe_cost(row, row["measure"], level))
             for row in rows.to_dict("records")]  # fmt: skip
    costs = [f"on {name}, it is {text}" for name, text in texts if text][:2]
    return muted_span(f" {w.sentence_case('; '.join(costs))}.") if costs else Sentence()


def no_direction_text(row: Mapping[str, Any], baseline_mean: float, measure: str) -> Sentence:
    """State the means of a measure whose direction is not declared, and that there is no test."""
    difference, means = _format_means(row, baseline_mean)
    return muted_span(f"{measure} is {means} ({difference}). {NO_DIRECTION}")


def _format_means(row: Mapping[str, Any], baseline_mean: float) -> tuple[str, str]:
    """Return the difference of two means, and the means: "0.000704 against 0.000401"."""
    means = row["mean"], baseline_mean
    digits = w.mean_decimals(means)
    texts = (w.format_score(mean, digits) for mean in means)
    return w.format_difference(row["difference"], digits), " against ".join(texts)


def _describe_sign(row: Mapping[str, Any], measure: str) -> str:
    counts = {-1: int(row["lost"]), 1: int(row["won"])}
    side = 1 if counts[1] > counts[-1] else -1
    better = _comparatives(measure)[side > 0]
    n = int(row["queries"])
    return f"{better} on {counts[side]} of {w.format_query_count(n)}"


def _describe_change(ratio: float, measure: str) -> str:
    """Return a ratio as a phrase such as "27% slower"."""
    if ratio == 1:
        return "the same"
    return f"{_format_percent(ratio)}% {_comparatives(measure)[int(ratio < 1)]}"


def _comparatives(measure: str) -> tuple[str, str]:
    """Return the comparatives for more and for less of a cost: "slower" and "faster" for a time,
    otherwise "higher" and "lower"."""
    return ("slower", "faster") if _TIME & {*split_column_name(measure)} else ("higher", "lower")


def _format_percent(ratio: float) -> str:
    """Format the distance of a ratio from 1 in percent. It has one decimal if it is below 10%."""
    percent = 100 * abs(ratio - 1)
    text = f"{percent:,.{0 if percent >= 9.95 else 1}f}"
    return "99.9" if ratio < 1 and text == "100" else text
