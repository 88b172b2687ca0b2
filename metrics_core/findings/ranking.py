"""Describe the ranking of runs: the runs that may be the best. Used on the Ranking page, and on the
Overview if there are many runs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from metrics_core.base import wording as w
from metrics_core.comparing.all_pairs.all_pairs import AllPairs
from metrics_core.comparing.verdicts import FEWEST_QUERIES
from metrics_core.comparing.winners import better_run_sign
from metrics_core.findings.costs import format_ratio_change
from metrics_core.findings.cutoffs import MAX_TITLE_LENGTH
from metrics_core.findings.phrases import few_queries_note
from metrics_core.findings.sentence import (
    Sentence,
    muted_span,
    run_span,
    strong_span,
)

_MAX_NAMED = 3


def ranking_title(
    all_pairs: AllPairs, measure: str, n_queries: int, *, has_direction: bool = True
) -> Sentence:
    """State which runs may be the best. With fewer than ten queries, or if the direction of
    the measure is not declared, name the run with the highest mean instead.

    `measure` is the measure's name, `n_queries` the number of queries in view."""
    if n_queries < FEWEST_QUERIES or not has_direction:
        return _highest_mean_title(all_pairs, measure)
    bests = all_pairs.possible_best_runs
    if len(bests) == 1:
        if all_pairs.last[all_pairs.runs.index(bests[0])] == 1:
            return run_span(bests[0]) + strong_span(f" alone ranks first on {measure}")
        # Every other run is significantly behind some run, but not all of them behind this one.
        return (
            strong_span("Only ")
            + run_span(bests[0])
            + strong_span(f" may be the best on {measure}")
        )
    if len(bests) == len(all_pairs.runs) > 2:
        return strong_span(
            f"Any of the {w.number_word(len(bests))} runs may be the best on {measure}"
        )
    runs_sentence = _join_run_names(bests) + strong_span(f" share first place on {measure}")
    if len(bests) <= _MAX_NAMED and len(runs_sentence.text) <= MAX_TITLE_LENGTH:
        return runs_sentence
    count_text = (
        f"{w.sentence_case(w.number_word(len(bests)))} of {w.number_word(len(all_pairs.runs))} runs"
    )
    return strong_span(f"{count_text} may be the best on {measure}")


def format_pair(all_pairs: AllPairs, row: int, column: int, digits: int) -> tuple[str, str]:
    """Return the tested quantity of a pair and its interval as text: the difference with `digits`
    decimals or, for a cost, the typical ratio as a change in percent. The interval is "" if there
    is none."""
    value, low, high = (float(matrix[row, column]) for matrix in all_pairs.tested)
    text, interval = w.format_difference(value, digits), w.format_interval(low, high, digits)
    if all_pairs.log_ratios is not None:
        text, *ends = (format_ratio_change(math.exp(end)) for end in (value, low, high))
        interval = f"[{', '.join(ends)}]"
    return text, "" if math.isnan(low) else interval


def ranking_subtitle(all_pairs: AllPairs, measure: str, n_queries: int) -> Sentence:
    """State whether the two best runs differ, and how many pairs of runs differ significantly.

    If `ranking_title` only states how many runs may be the best, this text names them first."""
    if n_queries < FEWEST_QUERIES:
        return few_queries_note(n_queries) + muted_span("No pair is tested.")
    bests, title = all_pairs.possible_best_runs, ranking_title(all_pairs, measure, n_queries)
    parts = []
    if len(bests) < len(all_pairs.runs) and not any(span.role == "run" for span in title.spans):
        parts.append(f"These are {w.shorten_list(bests)}.")
    if len(bests) == 2 < len(all_pairs.runs) and all_pairs.log_ratios is None:
        first, second = map(all_pairs.runs.index, bests)
        size = w.format_score(abs(float(all_pairs.difference[first, second])))
        parts.append(f"Their difference of {size} is not significant.")
    return muted_span(" ".join([*parts, _significant_pairs_text(all_pairs)]))


def first_places_text(leaders_by_measure: Mapping[str, Sequence[str]], chosen_measure: str) -> str:
    """State for each measure other than `chosen_measure` which runs rank first. The text is empty
    if there are no such measures.

    `leaders_by_measure` maps each measure to the run that alone ranks first on it or to the runs
    that share first place. It maps a measure to no run if neither is known."""
    by_leaders: dict[Sequence[str], list[str]] = {}
    for measure, names in leaders_by_measure.items():
        if measure != chosen_measure:
            by_leaders.setdefault(names, []).append(measure)
    clauses = []
    for names, measures in by_leaders.items():
        verb = " share first place" if len(names) > 1 else " alone ranks first"
        clauses.append(f"on {w.join_words(measures)}, {w.shorten_list(names) or 'no run'}{verb}")
    return w.sentence_case("; ".join(clauses)) + "." * bool(clauses)


def _significant_pairs_text(all_pairs: AllPairs) -> str:
    clear, n_pairs = int(all_pairs.clear.sum()) // 2, all_pairs.n_pairs
    if n_pairs == 1:
        return f"The difference is {'' if clear else 'not '}significant."
    count, total = w.number_word(clear), w.number_word(n_pairs)
    subject = f"{w.sentence_case(count) if clear else 'None'} of {total}"
    if clear == n_pairs:
        subject = f"All {total}"
    elif clear == n_pairs - 1 and len(all_pairs.possible_best_runs) == 2:
        subject = f"The other {count}"
    return f"{subject} pairs {w.plural(clear, 'differs', 'differ')} significantly after correction."


def _highest_mean_title(all_pairs: AllPairs, measure: str) -> Sentence:
    """Name the runs with the highest mean. The title does not call any of them the best."""
    if not all_pairs.runs or math.isnan(all_pairs.means[0]):
        return strong_span(f"No run has a mean {measure}")
    top = [
        name
        for name, mean in zip(all_pairs.runs, all_pairs.means, strict=True)
        if not better_run_sign(float(mean - all_pairs.means[0]))
    ]
    if len(top) == 1:
        return run_span(top[0]) + strong_span(f" scores highest on {measure}")
    if len(top) == len(all_pairs.runs):
        return strong_span(f"All {w.number_word(len(top))} runs score the same on {measure}")
    return strong_span(
        f"{w.sentence_case(w.number_word(len(top)))} runs score highest on {measure}"
    )


def _join_run_names(names: Sequence[str]) -> Sentence:
    sentence = run_span(names[0])
    for name in names[1:]:
        sentence += strong_span(" and " if name == names[-1] else ", ") + run_span(name)
    return sentence
